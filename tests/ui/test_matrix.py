"""The shared table of a matrix: readable without its colours, and safe whatever its words are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.ui.matrix import matrix, operator, side_by_side

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
