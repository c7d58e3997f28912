"""The arithmetic of a cell: the addends make the core's entry, and the printed line is true as it stands."""

import re
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import examples
from pages.ui.language import Language
from pages.ui.tables.arithmetic import arithmetic
from pages.ui.tables.sums import exponentials, factors
from pages.ui.tables.worked import attend, work

EN, ID = Language("en"), Language("id")
SUMS = ("Q", "K", "V", "scores", "output")


def of(example, mask=None, first=0):
    x, projections = example.x, (example.w_query, example.w_key, example.w_value)
    return work(example.tokens, example.features, x, *projections, mask, first)


def cells(worked, names=None):
    return [(name, *at) for name in names or worked.arrays for at in np.ndindex(worked[name].shape)]


def quote(tree, worked, place, _=EN):
    found, = tree(arithmetic(_, worked, place)).all("p", _class="quote")
    return found.text


def rows(tree, worked, place, _=EN):
    return [[cell.text for cell in row.children] for row in tree(arithmetic(_, worked, place)).all("tr")]


@st.composite
def experiments(draw, largest=4.0):
    """Random inputs with at most two decimals, a random mask or none, a cache or none."""
    n, d_model, d_k, d_v = (draw(st.integers(1, high)) for high in (5, 4, 3, 3))
    first = draw(st.integers(0, n - 1))
    numbers = st.integers(-40, 40).map(lambda step: step / 40 * largest)

    def array(height, width, elements=numbers):
        drawn = draw(st.lists(elements, min_size=height * width, max_size=height * width))
        return np.array(drawn).reshape(height, width)

    mask = array(n - first, n, st.booleans()) if draw(st.booleans()) else None
    tokens, features = [f"t{i}" for i in range(n)], [f"f{i}" for i in range(d_model)]
    return work(
        tokens, features, array(n, d_model), array(d_model, d_k), array(d_model, d_k), array(d_model, d_v), mask, first
    )


@given(worked=experiments())
def test_the_products_add_up_to_the_entry_of_the_core(worked):
    for name, row, column in cells(worked, SUMS):
        left, right = factors(worked, name, row, column)
        products = left * right
        assert abs(products.sum() - worked[name][row, column]) <= 1e-12 * max(1, np.abs(products).sum())


@given(worked=st.one_of(experiments(), experiments(largest=10.0), experiments(largest=60.0)))
def test_the_exponentials_give_the_weights_of_the_core_also_where_e_overflows(worked):
    for masked, weights, row in zip(worked["masked"], worked["weights"], range(len(worked["weights"])), strict=True):
        powers, less = exponentials(worked, row)
        assert np.isfinite(powers).all() and less == (masked.max() if 700 < abs(masked.max()) < np.inf else 0)
        assert np.abs(powers / (powers.sum() or 1) - weights).max() <= 1e-12


@settings(deadline=None, max_examples=40)
@given(worked=experiments())
def test_a_line_with_an_equals_sign_is_exactly_true_as_printed(tree, worked):
    said = 0
    for place in cells(worked, SUMS):
        text = quote(tree, worked, place).replace("−", "-").replace("(", "").replace(")", "")
        if " = " in text:
            left, total = text.split(" = ")
            terms = [term.split(" × ") for term in left.split(" + ")]
            assert sum(Decimal(a) * Decimal(b) for a, b in terms) == Decimal(total), text
            said += 1
    assert said >= worked["Q"].size  # inputs with two decimals: every product and sum of two is exact


@settings(deadline=None, max_examples=40)
@given(worked=experiments())
def test_the_output_lies_where_the_panel_says(tree, worked):
    for place in cells(worked, ["output"]):
        said, = tree(arithmetic(EN, worked, place)).all("p", _class="said")
        bounds = re.findall(r"[−0-9.]+(?= ≤)|(?<=≤ )[−0-9.]+", said.text.removesuffix("."))
        numbers = [float(number.replace("−", "-")) for number in bounds]
        assert numbers == sorted(numbers) and len(numbers) in (0, 3)
        assert bool(numbers) == (worked.allowed[place[1]].sum() > 1)


def test_cat_to_cat_is_the_line_of_the_lesson(tree):
    six = of(examples.six_words())
    assert quote(tree, six, ("scores", 2, 1)) == "−0.16 × 0.9 + 0.76 × 0.78 + 0.64 × 0.57 = 0.8136"
    assert quote(tree, six, ("scores", 2, 1), ID) == "−0,16 × 0,9 + 0,76 × 0,78 + 0,64 × 0,57 = 0,8136"
    assert quote(tree, six, ("Q", 2, 1)) == "0.4 × 0.9 + 0.8 × 0 + 0.4 × 1 = 0.76"
    assert quote(tree, six, ("K", 2, 1)) == "0.4 × 0.8 + 0.8 × 0.3 + 0.4 × (−1) = 0.16"
    assert quote(tree, six, ("scaled", 2, 1)) == "0.8136 ÷ √3 ≈ 0.4697"
    assert quote(tree, six, ("X", 2, 1)) == "0.8"


def test_a_score_is_followed_to_its_weight_as_in_the_picture(tree):
    table = rows(tree, of(examples.six_words()), ("scores", 2, 1))
    assert table[:5] == [
        ["i", "q of “sat”", "k of “cat”", "product"],
        ["1", "−0.1600", "×", "0.9000", "=", "−0.1440"], ["2", "0.7600", "×", "0.7800", "=", "0.5928"],
        ["3", "0.6400", "×", "0.5700", "=", "0.3648"], ["sum: the score s", "0.8136"],
    ]
    assert table[5:] == [
        ["divide by √3 = 1.7321", "0.4697"], ["exponential e0.4697", "1.5996"],
        ["sum of all 6 in row “sat”", "6.6090"], ["weight 1.5996 ÷ 6.6090", "0.2420"],
    ]


CAUSAL = np.tril(np.ones((6, 6), bool))


def test_a_masked_score_says_why_its_weight_is_exactly_zero(tree):
    causal = of(examples.six_words(), CAUSAL)
    assert rows(tree, causal, ("scores", 1, 2))[5:] == [
        ["divide by √3 = 1.7321", "0.0531"], ["add the mask", "−∞"], ["exponential e−∞", "0"],
        ["sum of all 6 in row “cat”", "2.5310"], ["weight 0 ÷ 2.5310", "0"],
    ]
    assert quote(tree, causal, ("masked", 1, 2)) == "0.0531 + (−∞) = −∞"
    assert quote(tree, causal, ("masked", 2, 1)) == "0.4697 + 0 = 0.4697"
    assert "the weight is exactly 0" in arithmetic(EN, causal, ("mask", 1, 2))


def test_a_weight_shows_every_exponential_of_its_row(tree):
    causal = of(examples.six_words(), CAUSAL)
    assert quote(tree, causal, ("weights", 2, 1)) == "1.5996 ÷ (1.0817 + 1.5996 + 0.9050) ≈ 0.4460"
    table = rows(tree, causal, ("weights", 2, 1))
    assert table[2] == ["cat", "0.4697", "1.5996"] and table[4] == ["on", "−∞", "0"]
    assert table[7:] == [["sum", "3.5863"], ["weight 1.5996 ÷ 3.5863", "0.4460"]]


def test_a_fully_masked_row_says_that_it_gives_nothing(tree):
    mask = CAUSAL.copy()
    mask[3] = False
    worked = of(examples.six_words(), mask)
    assert quote(tree, worked, ("weights", 3, 0)) == "“on” may look at no key: all its weights are 0."
    assert quote(tree, worked, ("output", 3, 0)) == "“on” may look at no key: its output is 0."
    assert rows(tree, worked, ("scores", 3, 0))[-2:] == [
        ["sum of all 6 in row “on”", "0"], ["weight: 0, as no key may be seen", "0"],
    ]


def test_where_e_overflows_the_panel_subtracts_the_largest_and_says_so(tree):
    worked = attend(np.array([[100.0]]), np.array([[8.0], [7.99]]), np.eye(2), ["q"], ["a", "b"])
    panel = arithmetic(EN, worked, ("weights", 0, 1))
    assert "the row's largest score is subtracted" in panel
    assert rows(tree, worked, ("weights", 0, 1))[:3] == [
        ["key", "scaled score less 800.0000", "exponential"], ["a", "0", "1.0000"], ["b", "−1.0000", "0.3679"],
    ]
    assert ["subtract the row's largest", "800.0000"] in rows(tree, worked, ("scores", 0, 1))


def test_a_decoder_with_a_cache_reads_the_features_of_its_own_token(tree):
    worked = of(examples.six_words(), first=4)
    whole = of(examples.six_words())
    for i in range(2):
        assert quote(tree, worked, ("Q", i, 1)) == quote(tree, whole, ("Q", i + 4, 1))
    heading, = tree(arithmetic(EN, worked, ("Q", 1, 1))).all("h3")
    assert heading.text == "Query of “mat”, dimension 2"


def test_a_word_that_stands_twice_carries_its_position(tree):
    worked = attend(np.eye(2), np.eye(2), np.eye(2), ["the", "the"], ["the", "the"])
    heading, = tree(arithmetic(EN, worked, ("scores", 1, 0))).all("h3")
    assert heading.text == "Query “the” (2), key “the” (1)"


@pytest.mark.parametrize("word", ['<script>alert("1")</script>', '"><img src=x>', "a & b", "'", "{0}", "</td>", "שלום"])
def test_words_are_data_in_every_panel(tree, word):
    def shape(token):
        worked = work([token, "b"], [token, "g"], np.eye(2), np.eye(2), np.eye(2), np.eye(2), np.tri(2, dtype=bool))
        return [tree(arithmetic(EN, worked, place)) for place in cells(worked)]

    for hostile, plain in zip(shape(word), shape("w"), strict=True):
        assert [e.tag for e in hostile.all("*")] == [e.tag for e in plain.all("*")]
        headings = [panel.all("h3")[0].text for panel in (hostile, plain)]
        assert headings[0] == headings[1].replace("“w”", f"“{word}”")
        titles = {e.attributes.get("title") for e in hostile.all("span", _class="word")}
        assert titles <= {word, "b", "g"}


@pytest.mark.parametrize("_", [EN, ID], ids=lambda _: _.lang)
def test_every_panel_has_a_heading_and_its_line_first(tree, _):
    for worked in (of(examples.six_words(), CAUSAL), of(examples.ikan_makan())):
        for place in cells(worked):
            panel, = tree(arithmetic(_, worked, place)).all("section")
            assert panel.attributes["data-testid"] == "arithmetic"
            live = panel.children[0]
            assert live.attributes["aria-live"] == "polite" and [child.tag for child in live.children] == ["h3", "p"]
            assert live.children[0].text and live.children[1].text
            assert (_.lang == "en") or not re.search(r"\d\.\d", panel.text)


def test_every_cell_of_a_matrix_gets_the_same_room():
    """Or the panel would jump from cell to cell."""
    mask = CAUSAL.copy()
    mask[3] = False
    worked = of(examples.six_words(), mask)
    for name in worked.arrays:
        panels = [arithmetic(EN, worked, place) for place in cells(worked, [name])]
        assert len({tuple(re.findall(r"--lines: \d+", panel)) for panel in panels}) == 1
        assert len({(panel.count("<tr"), panel.count('class="said"')) for panel in panels}) == 1


def test_without_an_x_the_roles_are_inputs(tree):
    source = examples.two_queries_three_keys()
    worked = attend(source.query, source.key, source.value, ("q₁", "q₂"), ("k₁", "k₂", "k₃"))
    assert quote(tree, worked, ("Q", 0, 0)) == "1" and "given, not computed" in arithmetic(EN, worked, ("Q", 0, 0))
    assert quote(tree, worked, ("scores", 0, 2)) == "1 × 1 + 0 × 1 + 1 × 0 + 0 × 0 = 1"


def test_zero_is_written_only_where_it_is_exact(tree):
    worked = attend(np.array([[30.0]]), np.array([[1.0], [0.0]]), np.array([[1e-9], [0.0]]), ["q"], ["a", "b"])
    assert quote(tree, worked, ("weights", 0, 1)).endswith("≈ 9.4 × 10⁻¹⁴")
    assert rows(tree, worked, ("output", 0, 0))[1:] == [
        ["a", "1.0000", "×", "0.0000", "=", "0.0000"], ["b", "9.4 × 10⁻¹⁴", "×", "0", "=", "0"],
        ["sum: the output", "0.0000"],
    ]


def test_every_number_of_a_panels_columns_has_four_decimals_or_is_exactly_zero(tree):
    worked = of(examples.six_words(), CAUSAL)
    for place in cells(worked):
        for cell in tree(arithmetic(EN, worked, place)).all("td"):
            assert re.fullmatch(r"−?\d+\.\d{4}|0|[×=]|−∞", cell.text), (place, cell.text)


def test_one_key_gets_exactly_one(tree):
    alone = attend(np.array([[1.0]]), np.array([[-1.0]]), np.array([[3.0]]), ["q"], ["a"])
    assert quote(tree, alone, ("weights", 0, 0)) == "0.3679 ÷ 0.3679 = 1"
    assert ["the only one in row “q”", "0.3679"] in rows(tree, alone, ("scores", 0, 0))
    assert "the output is that value" in arithmetic(EN, alone, ("output", 0, 0))
    assert quote(tree, of(examples.six_words(), CAUSAL), ("weights", 0, 0)).endswith(" = 1")


@pytest.mark.parametrize(("q", "line"), [(2e3, "2000 × 2000 = 4 × 10⁶"), (1234.0, "1234 × 1234 ≈ 1.5228 × 10⁶")])
def test_a_large_product_that_is_printed_in_full_gets_an_equals_sign(tree, q, line):
    assert quote(tree, attend(*np.full((3, 1, 1), q), ["q"], ["k"]), ("scores", 0, 0)) == line
