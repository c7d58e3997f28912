"""The shared table of a matrix: readable without its colours, and safe whatever its words are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.ui.language import Language
from pages.ui.tables.matrix import Entry, matrix, operator, side_by_side

VALUES = np.array([[1.5, -0.5, 4.0], [0.0, 0.25, -8.0]])
ROWS, COLUMNS = ("a", "b"), ("x", "y", "z")


def table(tree, values=VALUES, rows=ROWS, columns=COLUMNS, number="{:.2f}".format, **look):
    return tree(matrix("m", values, rows, columns, number, **{"caption": "M", **look}))


def cells(root):
    return [[cell for cell in row.all("td") if "cell" in cell.classes] for row in root.all("tbody")[0].all("tr")]


def share(cell):
    style = cell.attributes.get("style", "")
    return float(style.removeprefix("--t: ")) if style else 0.0


def test_it_is_a_table_with_a_caption_and_an_id(tree):
    found, = table(tree).all("table")
    assert found.attributes["data-testid"] == "matrix-m"
    assert [caption.text for caption in found.all("caption")] == ["M"]


def test_every_row_and_column_has_a_header_with_its_scope(tree):
    root = table(tree)
    assert [h.text for h in root.all("th", scope="col")] == list(COLUMNS)
    assert [h.text for h in root.all("th", scope="row")] == list(ROWS)
    assert len(root.all("th")) == 5


def test_every_row_has_as_many_cells_as_the_head(tree):
    for notes in ((), ("one", "two")):
        root = table(tree, notes=notes)
        assert len({len(row.children) for row in root.all("tr")}) == 1


def test_the_cells_are_the_numbers_as_written(tree):
    assert [[cell.text for cell in row] for row in cells(table(tree))] == [
        ["1.50", "-0.50", "4.00"], ["0.00", "0.25", "-8.00"],
    ]


HOSTILE = ['<script>alert("1")</script>', '"><img src=x onerror=alert(1)>', "a & b", "</td></table>", "'", "&lt;b&gt;"]


@pytest.mark.parametrize("word", HOSTILE)
def test_words_are_data(tree, word):
    root = table(tree, np.eye(1), [word], [word], lambda _: word, notes=[word])
    plain = table(tree, np.eye(1), ["w"], ["w"], lambda _: "w", notes=["w"])
    assert [e.tag for e in root.all("*")] == [e.tag for e in plain.all("*")]
    assert [h.text for h in root.all("th")] == [word, word]
    assert cells(root)[0][0].text == word and root.all("td", _class="note")[0].text == word


@given(word=st.text(max_size=20).filter(lambda text: "\x00" not in text and "\r" not in text))
def test_any_word_comes_out_as_it_went_in(tree, word):
    assert [h.text for h in table(tree, np.eye(1), [word], [word]).all("th")] == [word, word]


@pytest.mark.parametrize("word", HOSTILE)
def test_the_word_for_masked_is_data_too(tree, word):
    root = table(tree, np.eye(1), ["r"], ["c"], allowed=np.array([[False]]), masked=word)
    assert cells(root)[0][0].text == word


def test_a_masked_cell_carries_no_number_and_no_colour(tree):
    allowed = np.array([[True, False, True], [False, True, False]])
    root = table(tree, np.full((2, 3), 0.7), scale="weight", allowed=allowed, masked="masked")
    for row, may in zip(cells(root), allowed, strict=True):
        for cell, seen in zip(row, may, strict=True):
            assert ("masked" in cell.classes) == (not seen)
            assert cell.text == ("0.70" if seen else "masked")
            assert seen or ("style" not in cell.attributes and cell.all("span", _class="lab-hidden"))


def test_a_weight_colours_by_its_share_of_1(tree):
    weights = np.array([[0.0, 0.25, 0.75], [1.0, 0.5, 0.125]])
    assert np.allclose([[share(cell) for cell in row] for row in cells(table(tree, weights, scale="weight"))], weights)


def test_a_score_colours_by_its_size_up_to_the_limit_and_says_its_sign(tree):
    found = cells(table(tree, scale="score", limit=2.0))
    assert [[share(cell) for cell in row] for row in found] == [[0.75, 0.25, 1.0], [0.0, 0.125, 1.0]]
    assert [["below" in cell.classes for cell in row] for row in found] == (VALUES < 0).tolist()


def test_a_score_at_the_limit_is_as_intense_as_one_beyond(tree):
    found = cells(table(tree, np.array([[2.0, 64.0, -64.0], [1.0, 0, 0]]), scale="score", limit=2.0))
    assert [share(cell) for cell in found[0]] == [1, 1, 1]


@pytest.mark.parametrize("scale", ["plain", "query", "key", "value"])
def test_other_scales_do_not_colour_by_size(tree, scale):
    root = table(tree, scale=scale)
    assert scale in root.all("table")[0].classes
    assert not any(share(cell) for row in cells(root) for cell in row)


def test_the_row_and_the_pair_at_hand_stand_out(tree):
    root = table(tree, row=1, cell=(0, 2))
    assert ["here" in row.classes for row in root.all("tbody")[0].all("tr")] == [False, True]
    assert [["chosen" in cell.classes for cell in row] for row in cells(root)] == [[0, 0, 1], [0, 0, 0]]


def test_a_pair_from_numpy_stands_out_too(tree):
    root = table(tree, cell=np.unravel_index(np.argmax(VALUES), VALUES.shape))
    assert len(root.all("td", _class="chosen")) == 1


def test_nothing_stands_out_unasked(tree):
    root = table(tree)
    assert not root.all("*", _class="here") and not root.all("*", _class="chosen")


def test_a_note_follows_each_row(tree):
    assert [note.text for note in table(tree, notes=("one", "two")).all("td", _class="note")] == ["one", "two"]


def test_tables_stand_side_by_side(tree):
    one = matrix("m", VALUES, ROWS, COLUMNS, str, caption="M")
    root = tree(side_by_side(one, operator("softmax"), one))
    assert len(root.all("table")) == 2 and root.all("span", _class="lab-op")[0].text == "softmax"


def test_in_a_live_table_every_number_stands_in_a_button_that_says_where(tree):
    allowed = np.array([[True, False, True], [True, True, True]])
    still, live = (table(tree, scale="score", allowed=allowed, masked="masked", live=live) for live in (False, True))
    assert not still.all("button") and "live" in live.all("table")[0].classes
    assert [[cell.children[0].attributes["data-at"] for cell in row] for row in cells(live)] == [
        ["1.1", "1.2", "1.3"], ["2.1", "2.2", "2.3"],
    ]
    assert all(button.attributes["type"] == "button" for button in live.all("button"))
    assert all(button.attributes["tabindex"] == "-1" for button in live.all("button", _class="number"))
    assert [[cell.text for cell in row] for row in cells(live)] == [[cell.text for cell in row] for row in cells(still)]
    assert [share(cell) for cell in live.all("td")] == [share(cell) for cell in still.all("td")]
    assert live.all("table")[0].attributes["data-matrix"] == "m"


def test_a_live_table_names_the_chosen_cell_and_its_column(tree):
    root = table(tree, live=True, cell=(1, 2))
    assert [b.attributes["data-at"] for b in root.all("button") if "aria-current" in b.attributes] == ["2.3"]
    assert [h.text for h in root.all("th", _class="here")] == ["z"]
    assert not table(tree, cell=(1, 2)).all("th", _class="here")


@pytest.mark.parametrize("live", [True, False])
def test_the_headers_of_rows_that_ask_are_buttons(tree, live):
    root = table(tree, live=live, asks=True, row=1)
    asks = [button for header in root.all("th", scope="row") for button in header.children]
    assert [(b.attributes["data-ask"], b.text) for b in asks] == [("1", "a"), ("2", "b")]
    assert ["aria-current" in b.attributes for b in asks] == [False, True]
    assert "data-asks" in root.all("table")[0].attributes
    assert "data-asks" not in table(tree, live=live).all("table")[0].attributes


def test_rows_and_columns_carry_their_tokens(tree):
    root = table(tree, row_tokens=[4, 5], column_tokens=np.arange(3))
    assert [row.attributes["data-token"] for row in root.all("tbody")[0].all("tr")] == ["4", "5"]
    assert [head.attributes["data-token"] for head in root.all("th", scope="col")] == ["0", "1", "2"]
    assert not [e for e in table(tree).all("*") if "data-token" in e.attributes]


BUTTONS = (("row+", "+ row", True), ("row-", "− row", False))


def test_an_input_holds_each_number_as_it_is_written_and_what_cannot_be_read_as_typed(tree):
    root = table(tree, live=True, entry=Entry("{:g}".format, {(0, 1): "1.2.3"}, BUTTONS))
    inputs = [[cell.children[0] for cell in row] for row in cells(root)]
    assert [[i.attributes["value"] for i in row] for row in inputs] == [["1.5", "1.2.3", "4"], ["0", "0.25", "-8"]]
    assert [[i.attributes["data-at"] for i in row] for row in inputs] == [["1.1", "1.2", "1.3"], ["2.1", "2.2", "2.3"]]
    wrong = [i.attributes["data-at"] for row in inputs for i in row if i.attributes.get("aria-invalid") == "true"]
    assert wrong == ["1.2"]
    assert ["wrong" in cell.classes for cell in cells(root)[0]] == [False, True, False]
    assert not root.all("button", _class="number")


def test_an_input_has_its_resize_buttons_under_it(tree):
    root = table(tree, entry=Entry(str, {}, BUTTONS))
    found = [(b.attributes["data-resize"], b.text, "aria-disabled" not in b.attributes) for b in root.all("button")]
    assert found == list(BUTTONS) and not [b for t in root.all("table") for b in t.all("button")]


@pytest.mark.parametrize("word", HOSTILE)
def test_what_was_typed_is_data_in_every_attribute(tree, word):
    look = {"live": True, "asks": True, "row_tokens": [0], "column_tokens": [0]}
    root = table(tree, np.eye(1), [word], [word], entry=Entry(lambda _: word, {(0, 0): word}), **look)
    plain = table(tree, np.eye(1), ["w"], ["w"], entry=Entry(lambda _: "w", {(0, 0): "w"}), **look)
    assert [sorted(e.attributes) for e in root.all("*")] == [sorted(e.attributes) for e in plain.all("*")]
    assert root.all("input")[0].attributes["value"] == word
    assert [button.text for button in root.all("button")] == [word]


def test_only_a_still_table_is_itself_a_tab_stop(tree):
    wide = np.zeros((2, 9))
    stops = [
        [e.tag for e in table(tree, wide, columns="abcdefghi", **look).all("*") if e.attributes.get("tabindex") == "0"]
        for look in ({}, {"live": True}, {"entry": Entry(str, {})})
    ]
    assert stops == [["div"], [], []], "in a board the keyboard moves among the cells"


def exact(cell):
    """The number that a reader takes home of a cell."""
    return float(cell.attributes.get("data-exact", cell.text.replace("−", "-").replace(",", ".")))


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=6), st.integers(0, 6), st.sampled_from(["en", "id"]))
def test_every_cell_keeps_ten_digits_however_few_it_shows(tree, values, places, lang):
    _, columns = Language(lang), [str(j) for j in range(len(values))]
    root = table(tree, np.array([values]), ["a"], columns, lambda value: _.number(value, places))
    np.testing.assert_allclose([exact(cell) for cell in cells(root)[0]], values, rtol=1e-9, atol=0)


def test_what_is_shown_in_full_is_not_said_twice(tree):
    assert not [cell for row in cells(table(tree)) for cell in row if "data-exact" in cell.attributes]


def test_a_masked_cell_keeps_what_the_mask_made_of_it(tree):
    values, allowed = np.array([[0.5, -np.inf], [1.0, 0.0]]), np.array([[True, False], [True, False]])
    root = table(tree, values, columns=("x", "y"), allowed=allowed)
    assert [row[1].attributes["data-exact"] for row in cells(root)] == ["-inf", "0"]
