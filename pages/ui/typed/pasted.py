"""Whether a block that a reader pastes fits a matrix, and a sentence where it does not; no new cell is guessed."""

import numpy as np

from pages.ui import share
from pages.ui.language import Language
from pages.ui.typed import entry
from pages.ui.typed.sizes import size


def room(array: np.ndarray, block: dict[tuple[int, int], str]) -> np.ndarray:
    """Return a copy of the matrix with as many rows and columns as the block, at places counted from 0, reaches.

    >>> room(np.eye(2), {(2, 0): "1"}).shape
    (3, 2)
    """
    reach = (max(side) + 1 for side in zip(*block, strict=True))
    return np.pad(array, [(0, max(most - n, 0)) for most, n in zip(reach, array.shape, strict=True)])


def misfit(input, block: dict[tuple[int, int], str], shape: tuple[int, int]) -> dict[tuple[int, int], str]:
    """Return what keeps the block out of an inputs.Input that would get a shape; empty where nothing does.

    Either how far the block reaches beyond the bounds, with no text, or each new cell without a number, counted from
    1, with the size of the block.
    """
    rows, columns = (max(side) + 1 for side in zip(*block, strict=True))
    if rows > input.rows[1] or columns > input.columns[1]:
        return {(rows, columns): ""}
    n, m = input.array.shape
    of = size(tuple(max(side) - min(side) + 1 for side in zip(*block, strict=True)))
    new = (at for at in np.ndindex(shape) if at[0] >= n or at[1] >= m)
    return {(i + 1, j + 1): of for i, j in new if not readable(block.get((i, j), ""))}


def readable(text: str) -> bool:
    """Say whether a text is a number."""
    try:
        entry.number(text)
    except entry.Unreadable:
        return False
    return True


def notes(_: Language, input) -> list[str]:
    """Say what kept the last block out; nothing where it fitted."""
    kept = share.drafts(input.beyond)
    if not kept:
        return []
    (row, column), of = min(kept.items())
    if not of:
        return [_(
            "The pasted block reaches row {row} and column {column}; {matrix} takes at most {rows} rows and {columns} "
            "columns. Nothing was changed.",
            row=row, column=column, matrix=input.name, rows=input.rows[1], columns=input.columns[1],
        )]
    return [_(
        "The pasted block is {size}. {matrix} is {shape} and would have to grow, and of its new cells {count} would be "
        "without a number, the first in row {row}, column {column}. Nothing was changed: paste a number for every new "
        "cell, or add the row or column first.",
        size=of, matrix=input.name, shape=size(input.array.shape), count=len(kept), row=row, column=column,
    )]
