"""Editing a matrix: what can be read counts, what cannot stays as typed and is named, and nothing turns into 0."""

from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from streamlit.testing.v1 import AppTest

from attention_core import project, scaled_dot_product_attention
from pages.ui import share
from pages.ui.fields import FIELDS
from pages.ui.language import Language
from pages.ui.typed import entry, inputs
from pages.ui.typed.inputs import Input

EN, ID = Language("en"), Language("id")
EXAMPLE = np.array([[0.5, 0.25, 0.0], [1.0, -2.0, 3.0]])
TEXTS = st.sampled_from(["1.5", "1,5", "−2", " 7 ", "-0", "1e-3", "abc", "", "1.2.3", "1/2", "٣", "9999", "x" * 41])


class State(dict):
    """What stands in for Streamlit's session state."""

    def to_dict(self):
        return dict(self)


@contextmanager
def session(**fields):
    """A session of its own, without a browser."""
    with pytest.MonkeyPatch.context() as patch:
        held = State(dict.fromkeys(FIELDS) | {"page": "qkv", "plan": "", "at": 1} | fields)
        patch.setattr(share.st, "session_state", held)
        yield


@pytest.fixture
def fresh():
    with session():
        yield


def w_q(example=EXAMPLE, rows=(1, 4), columns=(1, 5)):
    return Input("W_Q", "w_q", example, rows, columns)


def readable(text):
    try:
        return entry.number(text)
    except entry.Unreadable:
        return None


def blocks(rows, columns):
    """Edits: some cells, in any order, each with a text."""
    at = st.tuples(st.integers(1, rows), st.integers(1, columns))
    return st.dictionaries(at, TEXTS, min_size=1, max_size=8).map(lambda found: [(*at, t) for at, t in found.items()])


@given(st.lists(blocks(4, 5), min_size=1, max_size=3))
def test_a_readable_cell_counts_any_other_keeps_its_number_and_is_named(edits):
    with session():
        input = w_q()
        for cells in edits:
            old, before, block = input.array, input.typed, places(cells)
            inputs.edit(input, cells)
            if gaps(old.shape, block):
                assert np.array_equal(input.array, old) and input.typed == before
                assert "Nothing was changed" in inputs.problems(EN, input)[0]
                continue
            for at, value in np.ndenumerate(input.array):
                number = readable(block[at]) if at in block else None
                assert value == (number if number is not None else old[at])
                assert (at in input.typed) == (number is None and (at in block or at in before))
            assert len(inputs.problems_of(EN, input)) == len(input.typed)
            assert len(inputs.problems(EN, input)) == bool(input.typed)


def places(cells):
    """Edits by place, counted from 0."""
    return {(row - 1, column - 1): text for row, column, text in cells}


def gaps(shape, block):
    """The cells that a matrix would get and the block has no number for."""
    grown = [max(n, *(at[side] + 1 for at in block)) for side, n in enumerate(shape)]
    new = [at for at in np.ndindex(*grown) if at[0] >= shape[0] or at[1] >= shape[1]]
    return [at for at in new if readable(block.get(at, "")) is None]


@given(st.lists(blocks(4, 5), min_size=1, max_size=3))
def test_what_stands_is_what_a_link_brings_back(edits):
    with session():
        for cells in edits:
            inputs.edit(w_q(), cells)
        kept, kind = share.value("w_q"), FIELDS["w_q"]
        assert (kept is not None) == (w_q().array.tolist() != EXAMPLE.tolist()) == w_q().changed
        if kept is not None:
            assert repr(kind.read(kind.write(kept))) == repr(kept)


@given(blocks(9, 9).filter(lambda cells: max(c[0] for c in cells) > 4 or max(c[1] for c in cells) > 5))
def test_a_block_beyond_the_bounds_changes_nothing_and_is_said(cells):
    with session():
        input = w_q()
        inputs.edit(input, [(1, 1, "7"), (1, 2, "abc")])
        before, typed = input.array, input.typed
        inputs.edit(input, cells)
        assert np.array_equal(input.array, before)
        assert input.typed == typed
        assert "Nothing was changed" in inputs.problems(EN, input)[0]
        inputs.edit(input, [(1, 2, "8")])
        assert inputs.problems(EN, input) == []


def test_a_block_beyond_the_bounds_says_both_sizes(fresh):
    inputs.edit(w_q(columns=(3, 3)), [(row, column, "1") for row in (1, 2) for column in range(1, 10)])
    assert inputs.problems(EN, w_q(columns=(3, 3))) == [
        "The pasted block reaches row 2 and column 9; W_Q takes at most 4 rows and 3 columns. Nothing was changed."
    ]


def test_a_full_row_beside_the_matrix_makes_it_grow_and_a_part_of_one_changes_nothing(fresh):
    inputs.edit(w_q(), [(3, 1, "1"), (3, 2, "2"), (3, 3, "3")])
    assert w_q().array.tolist() == [*EXAMPLE.tolist(), [1, 2, 3]]
    assert inputs.problems(EN, w_q()) == []
    kept = share.value("w_q")
    inputs.edit(w_q(), [(1, 4, "9")])
    assert share.value("w_q") == kept and w_q().typed == {}
    assert inputs.problems(EN, w_q()) == [
        "The pasted block is 1 × 1. W_Q is 3 × 3 and would have to grow, and of its new cells 2 would be without a "
        "number, the first in row 2, column 4. Nothing was changed: paste a number for every new cell, or add the row "
        "or column first."
    ]
    inputs.edit(w_q(), [(row, 4, "9") for row in (1, 2, 3)])
    assert w_q().array[:, 3].tolist() == [9, 9, 9] and inputs.problems(EN, w_q()) == []


@pytest.mark.parametrize("text", ["", " ", "abc", "2000"])
def test_a_new_cell_that_cannot_be_read_keeps_the_block_out(fresh, text):
    inputs.edit(w_q(), [(1, 1, "7"), (3, 1, "1"), (3, 2, text), (3, 3, "3")])
    assert share.value("w_q") is None and w_q().typed == {}
    said, = inputs.problems(EN, w_q())
    assert "block is 3 × 3" in said and "cells 1 would" in said and "row 3, column 2." in said


def test_a_wide_block_on_a_tall_matrix_leaves_no_zeros_behind(fresh):
    """The block of the issue: 2 × 4 on a matrix of 4 × 3."""
    tall = w_q(np.arange(12.0).reshape(4, 3))
    inputs.edit(tall, [(i // 4 + 1, i % 4 + 1, str(i + 1)) for i in range(8)])
    assert share.value("w_q") is None and np.array_equal(tall.array, tall.example)
    said, = inputs.problems(EN, tall)
    assert said.startswith("The pasted block is 2 × 4. W_Q is 4 × 3") and "cells 2 would" in said


def test_the_problems_of_one_matrix_are_one_list(fresh):
    inputs.edit(w_q(), [(1, column, "abc") for column in (1, 2, 3)])
    other = Input("W_K", "w_k", EXAMPLE, (1, 4), (1, 5))
    inputs.edit(other, [(2, 1, "x")])
    first, second = inputs.problems(EN, w_q(), other)
    assert [line[:25] for line in first.splitlines()] == [f"- W_Q, row 1, column {column}: “" for column in (1, 2, 3)]
    assert second.startswith("W_K, row 2, column 1")


def test_an_unreadable_cell_is_named_with_the_number_that_stands_in(fresh):
    inputs.edit(w_q(), [(2, 2, "1,2,3")])
    assert w_q().typed == {(1, 1): "1,2,3"}
    assert not w_q().changed
    assert inputs.problems(EN, w_q()) == [
        "W_Q, row 2, column 2: “1\\,2\\,3” has more than one comma; a comma is a decimal mark here, and a number has "
        "one. Until that is mended, the page counts with −2."
    ]
    inputs.edit(w_q(), [(2, 2, "1,2")])
    assert w_q().array[1, 1] == 1.2
    assert inputs.problems(EN, w_q()) == []


def test_a_later_edit_elsewhere_leaves_an_unreadable_cell_as_it_was_typed(fresh):
    inputs.edit(w_q(), [(1, 1, "abc")])
    inputs.edit(w_q(), [(1, 2, "2")])
    assert w_q().typed == {(0, 0): "abc"}
    assert w_q().array[0].tolist() == [0.5, 2, 0]


def test_typing_the_examples_number_again_empties_the_field(fresh):
    inputs.edit(w_q(), [(1, 1, "7")])
    assert share.value("w_q") == ((7, 0.25, 0), (1, -2, 3))
    inputs.edit(w_q(), [(1, 1, "0,5")])
    assert share.value("w_q") is None


def test_minus_zero_is_zero(fresh):
    inputs.edit(w_q(), [(1, 1, "-0")])
    assert share.link_of(["w_q"]) == {"w_q": "0_0.25_0~1_-2_3"}


@pytest.mark.parametrize("length", [41, 10_000])
def test_a_very_long_text_is_cut_and_stays_unreadable(fresh, length):
    inputs.edit(w_q(), [(1, 1, "1" + "0" * length)])
    assert len(w_q().typed[0, 0]) <= 41
    assert "too long for a number" in inputs.problems(EN, w_q())[0]


def test_a_typed_text_is_shown_and_never_read_as_markup(fresh):
    inputs.edit(w_q(), [(1, 1, "**a** <b>")])
    assert "\\*\\*a\\*\\*" in inputs.problems(EN, w_q())[0]
    assert "<b>" not in inputs.problems(EN, w_q())[0]


@pytest.mark.parametrize("cells", [[], [(0, 1, "7")], [(1, -1, "7")]])
def test_no_cell_and_a_cell_before_the_first_change_nothing(fresh, cells):
    inputs.edit(w_q(), cells)
    assert share.value("w_q") is None
    assert w_q().typed == {}


@given(st.sampled_from(["row", "column"]), st.booleans())
def test_one_more_and_one_less_is_where_it_began(side, set_before):
    with session(w_q=((1.0, 2.0), (3.0, 4.0)) if set_before else None):
        before = w_q().array
        inputs.edit(w_q(), [(1, 1, "abc")])
        inputs.resize(w_q(), f"{side}+")
        grown = w_q().array
        assert grown.shape[side == "column"] == before.shape[side == "column"] + 1
        assert np.array_equal(grown[: before.shape[0], : before.shape[1]], before)
        assert np.count_nonzero(grown) == np.count_nonzero(before)
        inputs.edit(w_q(), [(*grown.shape, "xyz")])
        assert w_q().typed == {(0, 0): "abc", (grown.shape[0] - 1, grown.shape[1] - 1): "xyz"}
        inputs.resize(w_q(), f"{side}-")
        assert np.array_equal(w_q().array, before)
        assert w_q().changed == set_before
        inputs.resize(w_q(), f"{side}+")
        assert w_q().typed == {(0, 0): "abc"}


@given(st.lists(st.sampled_from([*inputs.RESIZE, "row*", "", "shape"]), max_size=20))
def test_no_resize_leaves_the_bounds_or_does_what_its_button_forbids(ids):
    with session():
        for id in ids:
            input, before = w_q(), w_q().array.shape
            allowed = {id for id, label, possible in input.entry(EN).buttons if possible}
            inputs.resize(input, id)
            assert input.fits(input.array.shape)
            assert (input.array.shape != before) == (id in allowed)


def test_a_side_that_cannot_change_has_no_buttons(fresh):
    assert [id for id, *_ in w_q(rows=(2, 2)).entry(EN).buttons] == ["column+", "column-"]
    assert [label for _, label, _ in w_q().entry(EN).buttons] == ["+ row", "− row", "+ column", "− column"]


def test_restore_goes_back_to_the_example_and_forgets_what_was_typed(fresh):
    other = Input("W_K", "w_k", EXAMPLE, (1, 4), (1, 5))
    for input in (w_q(), other):
        inputs.edit(input, [(1, 1, "7"), (1, 2, "abc")])
        inputs.edit(input, [(9, 9, "1")])
    inputs.restore(w_q(), other)
    assert (share.value("w_q"), share.value("w_k")) == (None, None)
    assert inputs.problems(EN, w_q(), other) == []


def test_a_matrix_for_another_size_does_not_stand_and_is_said():
    with session(w_q=((1.0, 2.0),) * 4):
        inputs.edit(w_q(), [(1, 1, "abc")])
        input = w_q(rows=(2, 2))
        assert np.array_equal(input.array, EXAMPLE)
        assert not input.changed
        assert inputs.problems(EN, input) == [
            "W_Q: the numbers that were set are 4 × 2 and do not fit here; 2 × 3 others stand in their place."
        ]
        inputs.edit(input, [(1, 1, "7")])
        assert inputs.problems(EN, input) == []
        assert input.array[0].tolist() == [7, 0.25, 0]


def test_the_array_is_a_copy_and_counts_with_every_decimal_of_the_example(fresh):
    third = np.array([[1 / 3]])
    w_q(third).array[0, 0] = 5
    assert w_q(third).array[0, 0] == third[0, 0] == 1 / 3
    assert w_q(third).entry(ID).written(1 / 3) == "0,333333"
    inputs.edit(w_q(third), [(1, 1, "0.333333")])
    assert share.value("w_q") is None


def test_bounds_that_no_link_carries_are_refused():
    with pytest.raises(ValueError, match="W_Q may have at most 8 × 6 numbers"):
        w_q(columns=(1, 7))


shapes = st.tuples(st.integers(1, 2), st.integers(1, 2))


@given(st.lists(shapes, min_size=4, max_size=4))
def test_a_mismatch_is_said_exactly_where_the_core_refuses(of):
    x, *w = map(np.ones, of)
    try:
        roles = project(x, *w)
        scaled_dot_product_attention(roles.query, roles.key, roles.value)
        refused = False
    except ValueError:
        refused = True
    assert (inputs.mismatch(EN, x, *w) is not None) == refused


@given(st.lists(shapes, min_size=3, max_size=3))
def test_a_mismatch_of_q_k_v_is_said_exactly_where_the_core_refuses(of):
    query, key, value = map(np.ones, of)
    try:
        scaled_dot_product_attention(query, key, value)
        refused = False
    except ValueError:
        refused = True
    assert (inputs.mismatch_qkv(EN, query, key, value) is not None) == refused


def test_a_mismatch_names_both_matrices_and_both_sizes():
    x, w = np.ones((2, 4)), np.ones((4, 3))
    assert inputs.mismatch(EN, x, np.ones((5, 3)), w, w) == (
        "X is 2 × 4 and W_Q is 5 × 3: X needs as many columns as W_Q has rows."
    )
    assert inputs.mismatch(EN, x, w, np.ones((4, 2)), w).startswith("W_Q is 4 × 3 and W_K is 4 × 2: both need")
    assert inputs.mismatch_qkv(EN, x, w, w).startswith("Q is 2 × 4 and K is 4 × 3: both need")
    assert inputs.mismatch_qkv(EN, w, w, x).startswith("K is 4 × 3 and V is 2 × 4: both need the same number of rows")


@given(arrays(float, (2, 3), elements=st.integers(-10**9, 10**9).map(lambda n: n / 10**6)), st.sampled_from([EN, ID]))
def test_the_text_of_a_matrix_is_read_back_exactly(array, _):
    assert np.array_equal(entry.matrix(inputs.as_lines(_, array)), array)


def popover(lang):
    """A page with two inputs, as text."""
    import numpy as np
    import streamlit as st

    from pages.ui.language import Language
    from pages.ui.typed.inputs import Input, as_text, problems

    for field, value in {"w_q": None, "w_k": None, "page": "qkv", "plan": "", "at": 1}.items():
        st.session_state.setdefault(field, value)
    example = np.array([[0.5, 0.25, 0.0], [1.0, -2.0, 3.0]])
    matrices = [Input(name, name.lower(), example, (2, 2), (1, 5)) for name in ("W_Q", "W_K")]
    as_text(Language(lang), *matrices)
    st.json({"arrays": [m.array.tolist() for m in matrices], "problems": problems(Language(lang), *matrices)})


@pytest.fixture(params=["en"])
def app(request):
    return AppTest.from_function(popover, args=(request.param,)).run()


def press(app, key):
    app.button(key=key).click().run()
    assert not app.exception
    return app


def test_the_box_holds_the_matrix_and_sets_it(app):
    assert app.caption[0].value.endswith("Rows: 2. Columns: 1–5.")
    assert app.text_area[0].value == "0.5\t0.25\t0\n1\t−2\t3"
    app.text_area[0].set_value("1,5;2\n3;4")
    press(app, "use_w_q")
    assert app.session_state["w_q"] == ((1.5, 2), (3, 4))
    assert app.text_area[0].value == "1.5\t2\n3\t4"
    assert len(app.error) == 0


def test_the_box_keeps_what_cannot_be_read_and_says_why_until_it_can(app):
    app.text_area[0].set_value("1 2\n3 abc")
    press(app, "use_w_q")
    app.run()
    assert app.session_state["w_q"] is None
    assert app.text_area[0].value == "1 2\n3 abc"
    assert "Row 2, column 2: “abc” is no number" in app.error[0].value
    app.text_area[0].set_value("1 2\n3 4\n5 6")
    press(app, "use_w_q")
    assert "rows is 3" in app.error[0].value
    app.text_area[0].set_value("1 2\n3 4")
    press(app, "use_w_q")
    assert app.session_state["w_q"] == ((1, 2), (3, 4))
    assert len(app.error) == 0


@pytest.mark.parametrize("set_first", [False, True])
def test_back_to_the_example_mends_the_box_too(app, set_first):
    if set_first:
        app.text_area[0].set_value("1 2\n3 4")
        press(app, "use_w_q")
    app.text_area[0].set_value("junk")
    press(app, "back_w_q")
    assert app.session_state["w_q"] is None
    assert app.text_area[0].value == "0.5\t0.25\t0\n1\t−2\t3"
    assert len(app.error) == 0


def test_the_other_matrix_is_set_alone(app):
    app.get("button_group")[0].set_value("W_K").run()
    app.text_area[0].set_value("7 8\n9 10")
    press(app, "use_w_k")
    assert (app.session_state["w_q"], app.session_state["w_k"]) == (None, ((7, 8), (9, 10)))


@pytest.mark.parametrize("app", ["id"], indirect=True)
def test_the_box_writes_as_the_language_does(app):
    assert app.text_area[0].value == "0,5\t0,25\t0\n1\t−2\t3"
