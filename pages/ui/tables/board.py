"""Mounts tables of matrices as one element, and obeys what its reader did there: choose, ask, edit, resize."""

import json
import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import streamlit as st

from pages.ui import share
from pages.ui.fields import FIELDS
from pages.ui.typed import inputs as entries

FOLDER = Path(__file__).parent
MOST = 64  # rows or columns of a pasted block; what an input takes of it is its own matter
ACTS = 64  # acts of one message that are obeyed; the browser holds the rest until they are
LONGEST = 100  # characters of one typed number
RESIZE = ("row+", "row-", "column+", "column-")
TABLE = r'<table [^>]*data-matrix="(\w+)"( data-asks)?'

BOARD = st.components.v2.component(
    "attention_lab.board",
    html='<div class="lab-board"><div class="tables"></div><div class="beside"></div></div>',
    js=(FOLDER / "board.js").read_text(encoding="utf-8"),
    isolate_styles=False,  # lab.css reaches its tables
)


def board(
    key: str,
    tables: str,
    beside: str = "",
    *,
    ask: tuple[str, Sequence] | None = None,
    inputs: Sequence["entries.Input"] = (),
    toggle: tuple[str, Callable[[int, int], None]] | None = None,
) -> None:
    """Show tables whose cells answer.

    Parameters
    ----------
    key : str
        Id of the element on its page.
    tables : str
        HTML of tables that pages.ui.tables.matrix drew.
    beside : str
        HTML that stands right of them on wide screens and under them on narrow ones.
    ask : tuple of (str, sequence), optional
        The field that says which row is the query, and its value for each row of the tables that ask.
    inputs : sequence of pages.ui.typed.inputs.Input
        The matrices among them that can be edited.
    toggle : tuple of (str, callable), optional
        The table whose cells also do something when they are chosen, and what: it is called with row and column,
        counted from 1.
    """
    if share.hides("picture") and not inputs:
        return
    asking = {name: bool(asks) for name, asks in re.findall(TABLE, tables)}
    act = partial(obey, asking, ask, {input.name: input for input in inputs})
    act = act if toggle is None else partial(toggled, *toggle, act)
    BOARD(
        key=key,
        data=json.dumps({"tables": tables, "beside": beside, "nth": done(key)}).encode(),  # a dict is written twice
        on_act_change=partial(adopt, key, act),
    )


def done(key: str) -> int:
    """Return how many of the reader's acts on this element have been obeyed in this session."""
    return st.session_state.get(f"{key}_done", 0)


def adopt(key: str, obey: Callable[[object], None]) -> None:
    """Obey the acts that have come in and were not obeyed yet.

    Streamlit drops a message when a newer one overtakes it, so the browser sends every act again until it is told
    that it was obeyed; the acts carry their number. Of what is new, only so many acts are obeyed at once.
    """
    sent = (st.session_state.get(key) or {}).get("act")
    first, acts = (sent.get("first"), sent.get("acts")) if isinstance(sent, dict) else (None, None)
    if not (whole(first, 2**31) and isinstance(acts, list)):
        return
    old = max(done(key) + 1 - first, 0)
    for nth, act in enumerate(acts[old : old + ACTS], first + old):
        share.choose(**{f"{key}_done": nth})
        obey(act)


def obey(asking: dict[str, bool], ask: tuple[str, Sequence] | None, inputs: dict, act: object) -> None:
    """Do what one act says; whatever else a browser may send is ignored."""
    match act:
        case {"kind": "choose", "matrix": str(name), "row": row, "column": column} if name in asking:
            if whole(row) and whole(column) and choose(f"{name}.{row}.{column}") and asking[name]:
                query(ask, row)
        case {"kind": "ask", "row": row} if whole(row):
            query(ask, row)
        case {"kind": "edit", "matrix": str(name), "cells": list(cells)} if name in inputs:
            if cells and all(map(is_cell, cells)):
                entries.edit(inputs[name], [tuple(cell) for cell in cells])
        case {"kind": "resize", "matrix": str(name), "id": str(id)} if name in inputs and id in RESIZE:
            entries.resize(inputs[name], id)


def toggled(table: str, call: Callable[[int, int], None], obey: Callable[[object], None], act: object) -> None:
    """Obey an act; where it chose a cell of the table that toggles, call back too."""
    obey(act)
    match act:
        case {"kind": "choose", "matrix": name, "row": row, "column": column} if name == table:
            if whole(row) and whole(column):
                call(row, column)


def choose(place: str) -> bool:
    """Make a cell the chosen one, where there can be such a cell."""
    try:
        share.choose(cell=FIELDS["cell"].read(place))
    except ValueError:
        return False
    return True


def query(ask: tuple[str, Sequence] | None, row: int) -> None:
    """Make a row, counted from 1, the query."""
    if ask is not None and row <= len(ask[1]):
        share.choose(**{ask[0]: ask[1][row - 1]})


def is_cell(cell: object) -> bool:
    """Say whether this is [row, column, text], counted from 1."""
    return (
        isinstance(cell, list) and len(cell) == 3 and whole(cell[0]) and whole(cell[1])
        and isinstance(cell[2], str) and len(cell[2]) <= LONGEST
    )


def whole(number: object, most: int = MOST) -> bool:
    """Say whether this is a whole number from 1 on."""
    return type(number) is int and 1 <= number <= most
