"""The charts of the additive lesson draw their arrays, on axes that do not move."""

import numpy as np
import pytest

from pages.ui.lessons.additive_charts import ADDITIVE, LOOKS, cost_over_tokens, largest_histogram, weight_bars
from pages.ui.theme import COLOURS
from tests.received import validated

WORDS = {"raw": "one", "scaled": "two", "additive": "three", "here": "mine", "x": "across", "y": "up",
         "scaled_held": "two held", "additive_held": "three held"}
WEIGHTS = np.array([[0.9, 0.1], [0.4, 0.6], [0.5, 0.5]])


def luminance(colour):
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("paper", COLOURS["paper"])
def test_the_forms_own_colour_is_seen_on_both_papers(paper):
    low, high = sorted((luminance(ADDITIVE), luminance(paper)))
    assert (high + 0.05) / (low + 0.05) >= 3


def test_no_two_forms_look_alike_without_colour():
    colours, symbols, hatches = zip(*LOOKS.values(), strict=True)
    assert len(set(colours)) == len(set(symbols)) == len(set(hatches)) == 3


def test_the_bars_are_the_weights_from_0_to_1():
    picture = validated(weight_bars(WEIGHTS, ["k1", "k2"], WORDS, ",."))
    assert [(bar.name, list(bar.x), list(bar.y)) for bar in picture.data] == [
        (WORDS[form], ["k1", "k2"], row.tolist()) for form, row in zip(LOOKS, WEIGHTS, strict=True)
    ]
    assert list(picture.layout.yaxis.range) == [0, 1] and picture.layout.separators == ",."


def test_the_histogram_holds_every_seed_once():
    largest = np.array([[0.0, 0.5, 1.0, 0.97], [0.26, 0.27, 0.28, 0.31], [0.2, 0.2, 0.2, 0.2]])
    picture = validated(largest_histogram(largest, np.array([0.5, 0.28, 0.2]), 0.9, WORDS, ".,"))
    lines, marks = picture.data[:3], picture.data[3]
    assert [sum(line.y) for line in lines] == pytest.approx([1, 1, 1])
    assert lines[0].y[-1] == 0.5 and lines[1].x[np.argmax(lines[1].y)] == pytest.approx(0.275)
    assert list(marks.x) == [0.5, 0.28, 0.2] and marks.name == "mine"
    assert list(picture.layout.xaxis.range) == list(picture.layout.yaxis.range) == [0, 1]
    assert [shape.x0 for shape in picture.layout.shapes] == [0.9]


def test_costs_are_four_lines_on_axes_that_do_not_move():
    counts = np.array([1, 2, 4])
    costs = {"scaled": np.array([[2, 6, 20], [2, 6, 20]]), "additive": np.array([[3, 8, 24], [3, 8, 25]])}
    one, two = (validated(cost_over_tokens(counts, costs, chosen, WORDS, ".,")) for chosen in (1, 3))
    assert [(line.name, list(line.y), line.line.dash) for line in one.data] == [
        ("two", [2, 6, 20], "solid"), ("two held", [2, 6, 20], "dash"), ("three", [3, 8, 24], "solid"),
        ("three held", [3, 8, 25], "dash"),
    ]
    assert one.layout.xaxis.range == two.layout.xaxis.range and one.layout.yaxis.range == two.layout.yaxis.range
    assert [shape.x0 for shape in two.layout.shapes] == [3]
    assert one.layout.xaxis.type == one.layout.yaxis.type == "log"
