"""A matrix as an accessible HTML table: real headers, coloured cells, masked cells hatched; to read, choose or edit."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

NARROW, SHORT = 5, 16  # columns that fit a phone, rows that fit a screen; more of them scroll, also by keyboard


@dataclass(frozen=True, eq=False)
class Entry:
    """Make a matrix an input: every cell can be typed into.

    Attributes
    ----------
    written : callable
        Writes a number as it stands in its cell, to be edited.
    typed : mapping of (int, int) to str
        Cells, counted from 0, whose typed text cannot be read; it stays until it is mended.
    buttons : tuple of (str, str, bool)
        Id, label and whether it is possible, of each way to resize: "row+", "row-", "column+", "column-".
    """

    written: Callable[[float], str]
    typed: Mapping[tuple[int, int], str]
    buttons: tuple[tuple[str, str, bool], ...] = ()


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
    live: bool = False,
    asks: bool = False,
    row_tokens: Sequence[int] | None = None,
    column_tokens: Sequence[int] | None = None,
    entry: Entry | None = None,
) -> str:
    """Return the table of a matrix.

    Parameters
    ----------
    name : str
        Id of the matrix; the table carries ``data-testid="matrix-<name>"`` and ``data-matrix="<name>"``.
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
    live : bool
        Whether cells can be chosen: numbers stand in buttons, for the element of board.py.
    asks : bool
        Whether a row's header makes it the query: it stands in a button.
    row_tokens, column_tokens : sequences of int, optional
        Which token each row and column belongs to: a board highlights a token everywhere.
    entry : Entry, optional
        The matrix is an input: its cells are typed into, in a board.

    Examples
    --------
    >>> html = matrix("scores", np.array([[2.0]]), ["eat"], ["fish"], str, caption="S", scale="score")
    >>> '<th scope="row" title="eat">eat</th>' in html and 'style="--t: 1.000"' in html
    True
    """
    chosen = None if cell is None else tuple(map(int, cell))

    def drawn(i: int, j: int) -> str:
        here, at = chosen == (i, j), (i, j) if live else None
        if entry is not None:
            return entry_cell(entry, values[i, j], (i, j))
        if allowed is not None and not allowed[i, j]:
            return masked_cell(masked, here, at, values[i, j])
        return number_cell(values[i, j], number, scale, limit, here, at)

    body = "".join(
        f"<tr{mark('here', row == i)}{token(row_tokens, i)}>{row_header(label, i, asks, row == i)}"
        f"{''.join(drawn(i, j) for j in range(len(columns)))}{note(notes, i)}</tr>"
        for i, label in enumerate(rows)
    )
    heads = column_headers(columns, column_tokens, chosen[1] if live and chosen else None)
    kind = scale + " live" * live + " entry" * (entry is not None)
    table = (
        f'<table class="lab-matrix {kind}" data-testid="matrix-{name}" data-matrix="{name}"{" data-asks" * asks}>'
        f"<caption>{caption}</caption><thead><tr><td></td>{heads}{'<td></td>' if notes else ''}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )
    return framed(name, table, len(rows), len(columns), live, entry)


def framed(name: str, table: str, n: int, m: int, live: bool, entry: Entry | None) -> str:
    """Let a large table scroll, and set the buttons that resize an input under it."""
    tall = " tall" if n > SHORT else ""
    inside = live or entry is not None  # then the keyboard scrolls by moving among the cells
    reach = ' tabindex="0"' if not inside and (m > NARROW or tall) else ""
    key = f' data-key="{name}"' if inside else ""
    if entry is None:
        return f'<div class="lab-scroll{tall}"{reach}{key}>{table}</div>'
    buttons = "".join(
        f'<button type="button" data-resize="{id}"{"" if possible else " aria-disabled=true"}>{escape(label)}</button>'
        for id, label, possible in entry.buttons
    )
    return f'<div class="lab-entry"{key}><div class="lab-scroll{tall}">{table}</div><div>{buttons}</div></div>'


def column_headers(columns: Sequence[str], tokens: Sequence[int] | None, here: int | None) -> str:
    """Return the headers of the columns; that of the chosen cell stands out."""
    return "".join(
        f'<th scope="col"{mark("here", here == j)}{token(tokens, j)}{title(label)}>{escape(label)}</th>'
        for j, label in enumerate(columns)
    )


def row_header(label: str, i: int, asks: bool, here: bool) -> str:
    """Return the header of a row; where the row can become the query, as a button."""
    current = " aria-current=true" if here else ""
    text = f'<button type="button" tabindex="-1" data-ask="{i + 1}"{current}>{escape(label)}</button>'
    return f'<th scope="row"{title(label)}>{text if asks else escape(label)}</th>'


def number_cell(
    value: float, number: Callable[[float], str], scale: str, limit: float, chosen: bool,
    at: tuple[int, int] | None = None,
) -> str:
    """Return one cell with its number, its share of the colour scale and, where it stands out, a mark."""
    share = {"score": abs(value) / limit, "weight": value}.get(scale, 0)
    sign = " below" if scale == "score" and value < 0 else ""
    style = f' style="--t: {min(share, 1):.3f}"' if share else ""
    shown = number(value)
    kept = exact(value, shown)
    return f'<td class="cell{sign}{" chosen" * chosen}"{style}{kept}>{choosable(escape(shown), at, chosen)}</td>'


def exact(value: float, shown: str) -> str:
    """Return ten digits of a number whose cell shows fewer: who takes the table home gets these.

    >>> exact(2 / 3, "0,67"), exact(1.5, "1.50")
    (' data-exact="0.6666666667"', '')
    """
    digits = f"{value + 0.0:.10g}"  # -0.0 + 0.0 is 0.0
    same = shown.replace(",", ".").replace("−", "-").rstrip("0").rstrip(".") == digits
    return "" if same else f' data-exact="{digits}"'


def masked_cell(text: str, chosen: bool = False, at: tuple[int, int] | None = None, value: float = -np.inf) -> str:
    """Return a cell that no number may enter: a score of −∞, or the weight 0 that it leads to."""
    hidden = f'<span class="lab-hidden">{escape(text)}</span>'
    return f'<td class="cell masked{" chosen" * chosen}"{exact(value, "")}>{choosable(hidden, at, chosen)}</td>'


def entry_cell(entry: Entry, value: float, at: tuple[int, int]) -> str:
    """Return a cell to type into; what cannot be read stands as it was typed."""
    wrong = at in entry.typed
    text = entry.typed[at] if wrong else entry.written(value)
    place = f'value="{escape(text)}" data-at="{at[0] + 1}.{at[1] + 1}"'
    return f'<td class="cell{" wrong" * wrong}"><input {place}{" aria-invalid=true" * wrong}></td>'


def choosable(html: str, at: tuple[int, int] | None, chosen: bool) -> str:
    """Return what a cell holds; where the cell can be chosen, as a button."""
    if at is None:
        return html
    place = f'data-at="{at[0] + 1}.{at[1] + 1}"{" aria-current=true" * chosen}'
    return f'<button type="button" class="number" tabindex="-1" {place}>{html}</button>'


def mark(name: str, here: bool) -> str:
    """Return the class of what stands out."""
    return f' class="{name}"' if here else ""


def title(label: str) -> str:
    """Return the whole text of a header; the stylesheet cuts a long word, which would push the numbers out of sight."""
    return f' title="{escape(label)}"'


def token(tokens: Sequence[int] | None, at: int) -> str:
    """Return which token a row or column belongs to."""
    return "" if tokens is None else f' data-token="{int(tokens[at])}"'


def note(notes: Sequence[str], i: int) -> str:
    """Return what a row means."""
    return f'<td class="note">{escape(notes[i])}</td>' if notes else ""


def side_by_side(*tables: str) -> str:
    """Set tables in a row that wraps where the screen ends."""
    return f'<div class="lab-row">{"".join(tables)}</div>'


def operator(text: str) -> str:
    """Return what happens between two tables, already safe HTML."""
    return f'<span class="lab-op">{text}</span>'
