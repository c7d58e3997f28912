"""Pictures of other weights: the arrays as given, probabilities from 0 to 1, and words of a reader escaped."""

import numpy as np
import pytest

from pages.ui.lessons.explanation_charts import distance_over_width, two_rows
from tests.received import validated

ROWS = {"model": "the model's", "other": "the other", "y": "weight"}
WIDTHS = {"exact": "exactly", "within": "nearly", "y": "distance"}
MODEL, OTHER = np.array([0.2, 0.5, 0.3]), np.array([0.6, 0.0, 0.4])


@pytest.mark.parametrize("separators", [".\N{NO-BREAK SPACE}", ",\N{NO-BREAK SPACE}"])
def test_the_bars_are_the_rows_from_0_to_1(separators):
    picture = validated(two_rows(MODEL, OTHER, ("a", "b", "a"), ROWS, separators))
    assert [bar.name for bar in picture.data] == ["the model's", "the other"]
    assert np.array_equal(picture.data[0].y, MODEL) and np.array_equal(picture.data[1].y, OTHER)
    assert len(set(picture.data[0].x)) == 3, "two keys of one name keep a place each"
    assert list(picture.layout.yaxis.range) == [0, 1] and picture.layout.separators == separators


def test_the_other_row_is_hatched():
    model, other = validated(two_rows(MODEL, OTHER, "abc", ROWS, ". ")).data
    assert other.marker.pattern.shape and not model.marker.pattern.shape


def test_a_row_without_another_stands_alone():
    bar, = validated(two_rows(MODEL, None, "abc", ROWS, ". ")).data
    assert bar.name == "the model's"


def test_names_are_escaped():
    picture = validated(two_rows(MODEL, OTHER, ("<b>", "b", "c"), ROWS, ". "))
    assert picture.layout.xaxis.ticktext[0] == "&lt;b&gt;"


def test_the_curve_is_the_array_with_the_chosen_width_marked():
    exact, within = np.array([0.8, 0.3, 0.0, 0.0]), np.array([0.9, 0.5, 0.2, 0.1])
    picture = validated(distance_over_width(exact, within, 2, WIDTHS, ". "))
    for curve, values in zip(picture.data, (exact, within), strict=True):
        assert np.array_equal(curve.x, [1, 2, 3, 4]) and np.array_equal(curve.y, values)
        assert int(np.argmax(curve.marker.size)) == 1
    assert list(picture.layout.yaxis.range) == [0, 1]
    assert picture.data[0].line.dash != picture.data[1].line.dash


def test_without_a_tolerance_there_is_one_curve():
    curve, = validated(distance_over_width(np.array([0.5, 0.0]), None, 1, WIDTHS, ". ")).data
    assert curve.name == "exactly"
