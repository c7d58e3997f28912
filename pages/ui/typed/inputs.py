"""The matrices that a reader may change: what was typed, and what the page counts with meanwhile."""

import zlib
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import streamlit as st

from pages.ui import share
from pages.ui.fields import FIELDS
from pages.ui.language import N_, Language
from pages.ui.tables.matrix import Entry
from pages.ui.typed import entry, pasted
from pages.ui.typed.sizes import mismatch as mismatch
from pages.ui.typed.sizes import mismatch_qkv as mismatch_qkv
from pages.ui.typed.sizes import size

RESIZE = {"row+": N_("+ row"), "row-": N_("− row"), "column+": N_("+ column"), "column-": N_("− column")}


@dataclass(frozen=True, eq=False)
class Input:
    """One matrix that a reader may change.

    Attributes
    ----------
    name : str
        What it is called, as in worked.CAPTION.
    field : str
        Where the link carries it: a field of the kind Numbers.
    example : (n, m) array
        What stands until the reader changes it.
    rows, columns : pairs of int
        The fewest and the most that it may have here.
    """

    name: str
    field: str
    example: np.ndarray
    rows: tuple[int, int]
    columns: tuple[int, int]

    def __post_init__(self):
        """Refuse bounds that no link could carry."""
        kind = FIELDS[self.field]
        if self.rows[1] > kind.rows or self.columns[1] > kind.columns:
            raise ValueError(f"{self.name} may have at most {kind.rows} × {kind.columns} numbers")

    def fits(self, shape: tuple[int, int]) -> bool:
        """Say whether a size lies within the bounds."""
        return all(low <= size <= high for size, (low, high) in zip(shape, (self.rows, self.columns), strict=True))

    @property
    def unfit(self) -> tuple[int, int] | None:
        """Return the size of the reader's matrix where it does not fit here: it was set for another sentence."""
        kept = share.value(self.field)
        size = None if kept is None else np.shape(kept)
        return None if size is None or self.fits(size) else size

    @property
    def changed(self) -> bool:
        """Say whether the reader's numbers stand in place of the example's."""
        return share.value(self.field) is not None and self.unfit is None

    @property
    def array(self) -> np.ndarray:
        """Return the matrix that the page counts with."""
        return np.array(share.value(self.field) if self.changed else self.example, dtype=float)

    @property
    def typed(self) -> dict[tuple[int, int], str]:
        """Return what cannot be read, cell by cell; the matrix holds the last number that could."""
        rows, columns = self.array.shape
        inside = {at: text for at, text in share.drafts(self.field).items() if at[0] < rows and at[1] < columns}
        return {} if self.unfit else inside

    @property
    def beyond(self) -> str:
        """Name the note on a block that did not fit."""
        return f"{self.field}_beyond"

    def possible(self, id: str) -> bool:
        """Say whether a row or column can be added or taken away."""
        step = 1 if id.endswith("+") else -1
        rows, columns = self.array.shape
        return self.fits((rows + step, columns) if id.startswith("row") else (rows, columns + step))

    def entry(self, _: Language) -> Entry | None:
        """Return what the table needs to be typed into; a side that cannot change has no buttons. None if held."""
        if share.holds(self.field):
            return None
        free = {"row": self.rows[0] < self.rows[1], "column": self.columns[0] < self.columns[1]}
        return Entry(
            written=lambda value: written(_, value),
            typed=self.typed,
            buttons=tuple((id, _(label), self.possible(id)) for id, label in RESIZE.items() if free[id[:-1]]),
        )


def keep(input: Input, array: np.ndarray, typed: dict[tuple[int, int], str]) -> None:
    """Set the matrix as a link will carry it; the example's own numbers need no place in the link."""
    array, example = (np.round(matrix, entry.PLACES) + 0.0 for matrix in (array, input.example))  # + 0.0: no -0
    same = np.array_equal(array, example)
    share.choose(**{input.field: None if same else tuple(map(tuple, array.tolist()))})
    share.keep_drafts(input.field, typed)
    share.keep_drafts(input.beyond, {})


def edit(input: Input, cells: list[tuple[int, int, str]]) -> None:
    """Take what was typed or pasted into cells, given as (row, column, text) counted from 1.

    The matrix grows with the block. Where it would grow beyond its bounds, or get a new cell without a number, nothing
    changes and a note says so.
    """
    block = {(row - 1, column - 1): text for row, column, text in cells}
    if not block or min(map(min, block)) < 0:
        return
    array, typed = pasted.room(input.array, block), input.typed
    wrong = pasted.misfit(input, block, array.shape)
    if wrong:
        share.keep_drafts(input.beyond, wrong)
        return
    for at, text in block.items():
        try:
            array[at] = entry.number(text)
            typed.pop(at, None)
        except entry.Unreadable:
            text = text.strip()
            typed[at] = text if len(text) <= entry.SHOWN else text[: entry.SHOWN] + "…"  # still too long to be read
    keep(input, array, typed)


def resized(array: np.ndarray, id: str) -> np.ndarray:
    """Return the matrix with a row or column of zeros more, or with its last one less.

    >>> resized(np.eye(2), "column+").shape, resized(np.eye(2), "row-").tolist()
    ((2, 3), [[1.0, 0.0]])
    """
    axis = {"row": 0, "column": 1}[id[:-1]]
    if id.endswith("-"):
        return np.delete(array, -1, axis)
    return np.pad(array, [(0, int(axis == side)) for side in (0, 1)])


def resize(input: Input, id: str) -> None:
    """Add or take away a row or column, where the bounds allow it; a cell that goes takes its text along."""
    if id in RESIZE and input.possible(id):
        keep(input, resized(input.array, id), input.typed)


def restore(*inputs: Input) -> None:
    """Go back to the example; the callback of a button."""
    for input in inputs:
        keep(input, input.example, {})


def problems(_: Language, *inputs: Input) -> list[str]:
    """Say in one text a matrix, for every cell that cannot be read, where it is, why, and what stands in for it."""
    found = [problems_of(_, input) for input in inputs]
    return [said[0] if len(said) == 1 else "\n".join(f"- {each}" for each in said) for said in found if said]


def problems_of(_: Language, input: Input) -> list[str]:
    """Say what is the matter with one matrix; the sentences are safe for st.markdown."""
    name, array, found = input.name, input.array, []
    if input.unfit:
        found.append(_(
            "{matrix}: the numbers that were set are {old} and do not fit here; {new} others stand in their place.",
            matrix=name, old=size(input.unfit), new=size(array.shape),
        ))
    found += pasted.notes(_, input)
    for (row, column), text in sorted(input.typed.items()):
        found.append(_(
            "{matrix}, row {row}, column {column}: {reason} Until that is mended, the page counts with {number}.",
            matrix=name, row=row + 1, column=column + 1, reason=reason(_, text), number=written(_, array[row, column]),
        ))
    return found


def reason(_: Language, text: str) -> str:
    """Say why a text is no number, as the end of a sentence."""
    try:
        return written(_, entry.number(text))
    except entry.Unreadable as error:
        return _(error.reason, typed=entry.shown(error.text), **error.holes)


def written(_: Language, value: float) -> str:
    """Write a number as an input holds it; an example may have more decimals than a link carries."""
    return entry.written(round(float(value), entry.PLACES), _.decimal_symbol)


def as_text(_: Language, *inputs: Input) -> None:
    """Offer the matrices as text: to type, to paste a whole one from a spreadsheet, or to copy."""
    inputs = [input for input in inputs if not share.holds(input.field)]
    if not inputs:
        return
    with st.popover(_("Type or paste a matrix"), icon=":material/edit_note:"):
        named = {input.name: input for input in inputs}
        name = st.segmented_control(
            _("Matrix"), list(named), default=inputs[0].name, key=f"text_of_{inputs[0].field}", required=True,
            wrap=True,
        )
        input, text = named[name], as_lines(_, named[name].array)
        box = f"typed_{input.field}_{zlib.crc32(text.encode())}"  # other numbers, another box; else it keeps its text
        typed = st.text_area(_("The numbers of {matrix}", matrix=name), text, key=box, height=200,
                             max_chars=10 * entry.LONGEST)
        st.caption(_(
            "One row a line; between numbers tabs, semicolons or spaces. 1.5 and 1,5 are the same number. "
            "Rows: {rows}. Columns: {columns}.",
            rows=span(input.rows), columns=span(input.columns),
        ))
        try:
            entry.matrix(typed, input.rows, input.columns)
        except entry.Unreadable as error:
            st.error(error.say(_))
        with st.container(horizontal=True):
            st.button(_("Use these numbers"), key=f"use_{input.field}", on_click=use, args=(input, box))
            st.button(_("Back to the example"), key=f"back_{input.field}", on_click=back, args=(input, box, text))


def use(input: Input, box: str) -> None:
    """Set the matrix to the text in a box; where it cannot be read, nothing changes."""
    with suppress(entry.Unreadable):
        keep(input, entry.matrix(share.value(box), input.rows, input.columns), {})


def back(input: Input, box: str, text: str) -> None:
    """Go back to the example; if only the text in the box was changed, it is what goes back."""
    if not input.changed:
        share.choose(**{box: text})
    restore(input)


def as_lines(_: Language, array: np.ndarray) -> str:
    """Write a matrix as a spreadsheet copies it: tabs between numbers, a row a line."""
    return "\n".join("\t".join(written(_, value) for value in row) for row in array)


def span(bounds: tuple[int, int]) -> str:
    """Write the fewest and the most: 1–6, or 4 where nothing else is possible."""
    low, high = bounds
    return str(low) if low == high else f"{low}–{high}"
