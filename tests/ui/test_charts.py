"""A chart draws the arrays it is given, on axes that never move, with the decimal mark of its language."""

import numpy as np
import pytest

from attention_core.saturation import nested_draw, saturation, seed_band
from pages.ui.charts import over_width
from pages.ui.language import Language
from tests.received import validated

WORDS = {
    "raw": "raw curve", "scaled": "scaled curve", "raw_line": "middle", "scaled_line": "scaled middle", "y": "y axis",
}
D_MAX = 512
WIDTHS = np.arange(1, D_MAX + 1)
EXPERIMENT = saturation(nested_draw(0))
CURVES = {"raw": EXPERIMENT.largest_raw, "scaled": EXPERIMENT.largest_scaled}
BAND = seed_band(n_seeds=3)
BANDS = {"raw": BAND.raw, "scaled": BAND.scaled}


def figure(chosen=64, y_range=(0, 1), lang="en", bands=BANDS, curves=CURVES, log=False):
    separators = Language(lang).separators
    return validated(over_width(curves, bands, WIDTHS, chosen, WORDS, separators, y_range=y_range, log=log))


def trace(picture, name, mode=None):
    found, = [t for t in picture.data if t.name == name and t.mode == mode]
    return found


@pytest.mark.parametrize("chosen", [1, 64, 511, 512])
def test_the_axis_of_a_probability_is_exactly_0_to_1(chosen):
    assert list(figure(chosen).layout.yaxis.range) == [0, 1]
    assert figure(chosen).layout.yaxis.type in (None, "linear")


@pytest.mark.parametrize("chosen", [1, 3, 64, 157, 512])
def test_the_curves_are_the_arrays(chosen):
    for role in ("raw", "scaled"):
        curve = trace(figure(chosen), WORDS[role])
        x = np.asarray(curve.x)
        assert np.array_equal(curve.y, CURVES[role][x - 1])
        assert {1, chosen, D_MAX} <= set(x.tolist()) and (np.diff(x) > 0).all()


@pytest.mark.parametrize("chosen", [1, 3, 64, 157, 512])
def test_the_marks_stand_at_the_chosen_width(chosen):
    for role in ("raw", "scaled"):
        mark = trace(figure(chosen), WORDS[role], "markers")
        assert (mark.x[0], mark.y[0]) == (chosen, CURVES[role][chosen - 1])
    assert {shape.x0 for shape in figure(chosen).layout.shapes} == {chosen}


def test_the_bands_are_the_quantiles_from_outside_in():
    picture = figure()
    x = np.asarray(trace(picture, WORDS["raw"]).x)
    edges = [np.asarray(t.y) for t in picture.data if t.mode == "lines" and t.showlegend is False]
    expected = [BANDS[role][row, x - 1].astype(np.float32) for role in ("raw", "scaled") for row in (0, 4, 1, 3)]
    assert len(edges) == len(expected)
    assert all(np.array_equal(found, wanted) for found, wanted in zip(edges, expected, strict=True))
    assert np.array_equal(trace(picture, WORDS["raw_line"]).y, BANDS["raw"][2, x - 1])


def test_a_theory_is_one_dashed_line_without_a_band():
    theory = {"raw": np.sqrt([np.arange(1, D_MAX + 1)]), "scaled": np.ones((1, D_MAX))}
    picture = figure(y_range=(0.1, 100), log=True, bands=theory)
    line = trace(picture, WORDS["raw_line"])
    assert line.line.dash == "dash" and np.allclose(line.y, np.sqrt(line.x))
    assert not any(t.fill for t in picture.data)
    assert picture.layout.yaxis.type == "log"


def test_the_axes_are_the_same_for_every_width_and_seed():
    other = saturation(nested_draw(7))
    one, two = figure(1), figure(512, curves={"raw": other.largest_raw, "scaled": other.largest_scaled})
    for axis in ("xaxis", "yaxis"):
        assert one.layout[axis].range == two.layout[axis].range
        assert one.layout[axis].tickvals == two.layout[axis].tickvals
    assert one.layout.height == two.layout.height


def test_a_logarithmic_axis_is_fixed_too():
    axis = figure(y_range=(0.1, 1000), log=True).layout.yaxis
    assert axis.type == "log" and list(axis.range) == [-1, 3]


@pytest.mark.parametrize(("lang", "mark"), [("en", "."), ("id", ",")])
def test_numbers_on_the_axes_follow_the_language(lang, mark):
    assert figure(lang=lang).layout.separators[0] == mark


def test_raw_and_scaled_differ_in_shape_too():
    raw, scaled = (trace(figure(), WORDS[role], "markers") for role in ("raw", "scaled"))
    assert raw.marker.symbol != scaled.marker.symbol


def test_nothing_on_a_chart_can_be_dragged():
    layout = figure().layout
    assert layout.dragmode is False and layout.xaxis.fixedrange and layout.yaxis.fixedrange


def test_the_axes_are_named():
    assert figure().layout.yaxis.title.text == "y axis" and "d" in figure().layout.xaxis.title.text


def test_the_arrays_are_left_as_they_were():
    before = {role: curve.copy() for role, curve in CURVES.items()}
    figure()
    assert all(np.array_equal(before[role], CURVES[role]) for role in before)
