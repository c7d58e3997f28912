"""A matrix as an accessible HTML table: real row and column headers, coloured cells, masked cells hatched."""

from collections.abc import Callable, Sequence
from html import escape

import numpy as np

NARROW, SHORT = 5, 16  # columns that fit a phone, rows that fit a screen; more of them scroll, also by keyboard


def matrix(
    name: str,
    values: np.ndarray,
    rows: Sequence[str],
    columns: Sequence[str],
    number: Callable[[float], str],
    *,
    caption: str,
    scale: str = "plain",
    limit: float = 2.0,
    allowed: np.ndarray | None = None,
    masked: str = "",
    row: int | None = None,
    cell: tuple[int, int] | None = None,
    notes: Sequence[str] = (),
) -> str:
    """Return the table of a matrix.

    Parameters
    ----------
    name : str
        Id of the matrix; the table carries ``data-testid="matrix-<name>"``.
    values : (n, m) array
        The numbers.
    rows, columns : sequences of str
        Header texts, n and m of them. They are escaped: words of a reader are data.
    number : callable
        Writes one number in the page's language.
    caption : str
        The visible caption, already safe HTML made by the page's own texts.
    scale : {"plain", "score", "weight", "query", "key", "value"}
        What the colour says: nothing, a score around 0 that saturates at `limit`, a weight from 0 to 1, or a role.
    allowed : (n, m) bool array, optional
        False cells are masked: hatched, without a number, read aloud as `masked`.
    row, cell : optional
        The row that is the query on this page, and the pair that stands out.
    notes : sequence of str, optional
        What each row means, one text a row, after its numbers.

    Examples
    --------
    >>> html = matrix("scores", np.array([[2.0]]), ["eat"], ["fish"], str, caption="S", scale="score")
    >>> '<th scope="row">eat</th>' in html and 'style="--t: 1.000"' in html
    True
    """
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in columns)
    body = []
    for i, label in enumerate(rows):
        cells = "".join(
            masked_cell(masked) if allowed is not None and not allowed[i, j]
            else number_cell(values[i, j], number, scale, limit, chosen=cell == (i, j))
            for j in range(len(columns))
        )
        note = f'<td class="note">{escape(notes[i])}</td>' if notes else ""
        here = ' class="here"' if row == i else ""
        body.append(f'<tr{here}><th scope="row">{escape(label)}</th>{cells}{note}</tr>')
    corner = "<td></td>"
    note_head = "<td></td>" if notes else ""
    tall = " tall" if len(rows) > SHORT else ""
    reach = ' tabindex="0"' if len(columns) > NARROW or tall else ""
    return (
        f'<div class="lab-scroll{tall}"{reach}><table class="lab-matrix {scale}" data-testid="matrix-{name}">'
        f"<caption>{caption}</caption><thead><tr>{corner}{head}{note_head}</tr></thead>"
        f"<tbody>{''.join(body)}</tbody></table></div>"
    )


def number_cell(value: float, number: Callable[[float], str], scale: str, limit: float, chosen: bool) -> str:
    """Return one cell with its number, its share of the colour scale and, where it stands out, a mark."""
    share = {"score": abs(value) / limit, "weight": value}.get(scale, 0)
    sign = " below" if scale == "score" and value < 0 else ""
    mark = " chosen" if chosen else ""
    style = f' style="--t: {min(share, 1):.3f}"' if share else ""
    return f'<td class="cell{sign}{mark}"{style}>{escape(number(value))}</td>'


def masked_cell(text: str) -> str:
    """Return a cell that no number may enter."""
    return f'<td class="cell masked"><span class="lab-hidden">{escape(text)}</span></td>'


def side_by_side(*tables: str) -> str:
    """Set tables in a row that wraps where the screen ends."""
    return f'<div class="lab-row">{"".join(tables)}</div>'


def operator(text: str) -> str:
    """Return what happens between two tables, already safe HTML."""
    return f'<span class="lab-op">{text}</span>'
