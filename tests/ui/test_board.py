"""What a board sends to the browser, and what it takes from it: each act once, and nothing that it did not ask for."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages.ui import share
from pages.ui.classroom.prepared import NOTHING
from pages.ui.tables import board as element
from pages.ui.tables.board import ACTS, LONGEST, MOST, adopt, obey

ASKING = {"Q": True, "scores": True, "X": False}
WORDS = ("query", [4, 5, 6])


@pytest.fixture
def state(monkeypatch):
    """A session's state in place of Streamlit's."""
    found = {}
    monkeypatch.setattr(element.st, "session_state", found)
    monkeypatch.setattr(share.st, "session_state", found)
    monkeypatch.setattr(share, "here", lambda: NOTHING)  # no teacher prepared this page
    return found


@pytest.fixture
def told(monkeypatch):
    """What the inputs are told."""
    found = []
    monkeypatch.setattr(element, "entries", SimpleNamespace(
        edit=lambda input, cells: found.append((input, cells)), resize=lambda input, id: found.append((input, id)),
    ))
    return found


def act(kind, **said):
    obey(ASKING, WORDS, {"X": "the input"}, {"kind": kind, **said})


def test_a_cell_of_a_row_that_asks_sets_the_cell_and_the_query(state):
    act("choose", matrix="scores", row=3, column=2)
    assert state == {"cell": "scores.3.2", "query": 6}


def test_a_cell_of_another_row_leaves_the_query(state):
    act("choose", matrix="X", row=3, column=2)
    assert state == {"cell": "X.3.2"}


def test_a_row_beyond_the_values_sets_no_query(state):
    act("choose", matrix="scores", row=4, column=2)
    act("ask", row=4)
    assert state == {"cell": "scores.4.2"}


def test_a_header_sets_the_query(state):
    act("ask", row=1)
    assert state == {"query": 4}


def test_without_a_field_nobody_asks(state):
    obey(ASKING, None, {}, {"kind": "ask", "row": 1})
    obey(ASKING, None, {}, {"kind": "choose", "matrix": "scores", "row": 1, "column": 1})
    assert state == {"cell": "scores.1.1"}


def test_edits_and_sizes_go_to_the_input(state, told):
    act("edit", matrix="X", cells=[[1, 2, "1,5"], [2, 2, "?"]])
    act("resize", matrix="X", id="row+")
    assert told == [("the input", [(1, 2, "1,5"), (2, 2, "?")]), ("the input", "row+")] and state == {}


NONSENSE = [
    None, 7, "choose", [], {}, {"kind": None}, {"kind": "shout"}, {"kind": ["choose"]},
    {"kind": "choose"}, {"kind": "choose", "matrix": "other", "row": 1, "column": 1},
    {"kind": "choose", "matrix": ["scores"], "row": 1, "column": 1},
    *({"kind": "choose", "matrix": "scores", "row": row, "column": 1} for row in (0, -1, 13, 10**9, 1.0, True, "1")),
    *({"kind": "choose", "matrix": "scores", "row": 1, "column": at} for at in (0, 13, 1.5, "2.2", [], None)),
    *({"kind": "ask", "row": row} for row in (0, -1, 4, True, 1.0, "1", None, 2**70)),
    {"kind": "edit", "matrix": "Q", "cells": [[1, 1, "1"]]}, {"kind": "edit", "matrix": "X", "cells": []},
    {"kind": "edit", "matrix": "X", "cells": "1"}, {"kind": "edit", "matrix": "X", "cells": {"1": 1}},
    *(
        {"kind": "edit", "matrix": "X", "cells": [[1, 1, "1"], cell]}
        for cell in ([0, 1, "1"], [1, 0, "1"], [MOST + 1, 1, "1"], [1, 1], [1, 1, 1], [1, 1, "1", 1], [True, 1, "1"],
                     [1, 1, "1" * (LONGEST + 1)], "abc", None)
    ),
    {"kind": "resize", "matrix": "X", "id": "row*"}, {"kind": "resize", "matrix": "Q", "id": "row+"},
    {"kind": "resize", "matrix": "X", "id": ["row+"]}, {"kind": "resize", "matrix": "X"},
]


@pytest.mark.parametrize("said", NONSENSE, ids=repr)
def test_nonsense_is_ignored(state, told, said):
    obey(ASKING, WORDS, {"X": "the input"}, said)
    assert state == {} and told == []


def test_each_act_is_obeyed_once_however_often_it_is_sent(state):
    obeyed = []
    for first, acts in ((1, ["a"]), (1, ["a", "b"]), (1, ["a", "b"]), (2, ["b", "c", "d"]), (4, ["d"]), (5, ["e"])):
        state["board"] = {"act": {"first": first, "acts": acts}}
        adopt("board", obeyed.append)
    assert obeyed == ["a", "b", "c", "d", "e"] and element.done("board") == 5


def test_of_one_message_only_so_many_acts_are_obeyed_and_none_is_lost(state):
    """A browser that is told so holds the rest, and sends it with its next act."""
    obeyed, acts = [], list(range(1, 60_001))
    state["board"] = {"act": {"first": 1, "acts": acts}}
    adopt("board", obeyed.append)
    assert obeyed == acts[:ACTS] and element.done("board") == ACTS <= 64
    adopt("board", obeyed.append)
    state["board"] = {"act": {"first": 2 * ACTS, "acts": acts[2 * ACTS - 1 : 2 * ACTS + 3]}}
    adopt("board", obeyed.append)
    assert obeyed == acts[: 2 * ACTS + 3]


def test_two_boards_count_apart(state):
    state["one"] = state["two"] = {"act": {"first": 1, "acts": ["a"]}}
    obeyed = []
    adopt("one", obeyed.append)
    adopt("two", obeyed.append)
    assert obeyed == ["a", "a"]


@pytest.mark.parametrize("sent", [
    None, {}, {"act": None}, {"act": "a"}, {"act": ["a"]}, {"act": {"first": 1}}, {"act": {"acts": ["a"]}},
    {"act": {"first": 0, "acts": ["a"]}}, {"act": {"first": True, "acts": ["a"]}},
    {"act": {"first": 1.0, "acts": ["a"]}}, {"act": {"first": 2**40, "acts": ["a"]}},
    {"act": {"first": 1, "acts": "a"}},
], ids=repr)
def test_what_is_no_list_of_acts_is_ignored(state, sent):
    state["board"] = sent
    adopt("board", lambda act: pytest.fail("obeyed"))
    assert "board_done" not in state


def page():
    import numpy as np

    from pages.ui import share
    from pages.ui.tables.board import board
    from pages.ui.tables.matrix import matrix, side_by_side

    share.adopt("page", (), "en")
    tables = [
        matrix(name, np.eye(2), ["a", "b"], ["c", "d"], str, caption=name, live=True, asks=name == "Q")
        for name in ("Q", "scores")
    ]
    board("board", side_by_side(*tables), "<p>beside</p>", ask=("query", [1, 2]))


def test_the_browser_receives_the_html_and_how_many_acts_were_obeyed():
    app = AppTest.from_function(page).run()
    assert not app.exception
    sent, = (json.loads(found.proto.bytes) for found in app.get("bidi_component"))
    assert sent["tables"].count("<table") == 2 and sent["beside"] == "<p>beside</p>" and sent["nth"] == 0


def test_a_board_knows_which_of_its_tables_ask(monkeypatch):
    from pages.ui.tables.matrix import matrix

    kept = {}
    monkeypatch.setattr(element, "BOARD", lambda **mounted: kept.update(mounted))
    monkeypatch.setattr(element, "done", lambda key: 0)
    monkeypatch.setattr(share, "here", lambda: NOTHING)
    tables = "".join(
        matrix(name, np.eye(1), ['"><table data-matrix="evil" data-asks>'], ["c"], str, caption="", asks=asks)
        for name, asks in (("Q", True), ("V", False))
    )
    element.board("board", tables)
    asking = kept["on_act_change"].args[1].args[0]
    assert asking == {"Q": True, "V": False}
