"""Tables of words for the heads lesson: the steps and their shapes, the calls, the mistakes."""

from collections.abc import Sequence
from html import escape
from pathlib import Path

import numpy as np

from pages.ui.language import Language

STYLESHEET = Path(__file__).with_name("heads.css")


def words_table(
    name: str, caption: str, columns: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]], here: int | None = None
) -> str:
    """Return a table whose cells are words or shapes.

    Parameters
    ----------
    name : str
        Id of the table; it carries ``data-testid="matrix-<name>"``.
    caption : str
        The visible caption, already safe HTML made by the page's own texts.
    columns : sequence of str
        What heads the columns; escaped, as all cells are.
    rows : sequence of (str, sequence of str)
        Each row's header and cells.
    here : int, optional
        The row that stands out.

    Examples
    --------
    >>> html = words_table("steps", "Steps", ["shape"], [("Q", ["3 × 8"])])
    >>> '<th scope="row">Q</th><td class="cell">3 × 8</td>' in html
    True
    """
    heads = "".join(f'<th scope="col">{escape(column)}</th>' for column in columns)
    body = "".join(
        f'<tr{" class=here" if at == here else ""}><th scope="row">{escape(header)}</th>'
        f'{"".join(f"<td class={chr(34)}cell{chr(34)}>{escape(cell)}</td>" for cell in cells)}</tr>'
        for at, (header, cells) in enumerate(rows)
    )
    return (
        f'<div class="lab-scroll" tabindex="0"><table class="lab-matrix plain lab-words" data-testid="matrix-{name}">'
        f"<caption>{caption}</caption><thead><tr><td></td>{heads}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def shape(array: np.ndarray) -> str:
    """Write an array's shape as people do.

    >>> shape(np.zeros((2, 3, 4)))
    '2 × 3 × 4'
    """
    return " × ".join(map(str, array.shape))


def size(_: Language, difference: float) -> str:
    """Write a difference: as a power of ten where it is no more than rounding.

    >>> size(Language("en"), 1.25), size(Language("en"), 2.2e-16)
    ('1.250', '2.2 × 10⁻¹⁶')
    """
    return _.number(difference, 3) if difference >= 1e-3 else _.power(difference)
