"""A described figure is what Plotly takes and plotly.js reads: every chart function, as Plotly validates it."""

import inspect
from importlib import import_module
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import plotly.io
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pages.ui import charts, plot
from pages.ui.lessons import additive_charts, explanation_charts, learning_charts, tiles_charts, verification_dtypes
from pages.ui.plot import Ready, across, axis, bars, enlarged, figure, packed, scatter, upright
from tests.received import array_of, check, plain, validated

ROOT = Path(__file__).parents[2]
WIDTHS = np.arange(1, 513)
SOME = np.random.default_rng(0)
LINE = {"color": "#112233", "width": 1.5}


class Words(dict):
    """A word for everything."""

    def __missing__(self, name):
        return f"the {name}"

    def __contains__(self, name):
        return True


WORDS = Words()


def two(*shape):
    return {"raw": SOME.random(shape), "scaled": SOME.random(shape)}


def memory(measured):
    sizes = 2 ** np.arange(7, 21)
    predicted = {name: SOME.random(14) for name in ("matrix", "dense", "tiled")}
    return tiles_charts.memory_over_n(sizes, predicted, measured, {"8 GB": 8e9, "1 GB": 1e9},
                                      ({128: "128", 1024: "1024"}, {10**6: "1 MB"}), WORDS, ".,")


STEPS = np.arange(0, 401, 10)
SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.4, 0.6]])
FIGURES = {
    charts.over_width: [
        charts.over_width(two(512), two(5, 512), WIDTHS, 64, WORDS, ".,", (0, 1)),
        charts.over_width(two(512), two(512), WIDTHS, 512, WORDS, ".,", (0.1, 100), log=True),
        charts.over_width(two(512), {}, WIDTHS, 1, {"raw": "r", "scaled": "s", "y": "y"}, ".,", (0, 1)),
    ],
    charts.histogram: [charts.histogram(8 * SOME.normal(size=99), SOME.normal(size=99), 0, 64, WORDS, ".,")],
    charts.hull_picture: [
        charts.hull_picture(SQUARE, np.array([0, 1, 3, 4]), SQUARE.mean(axis=0), "abcdef", WORDS, ".,"),
        charts.hull_picture(SQUARE[:1], np.array([0]), SQUARE[0], "a", WORDS, ".,"),
    ],
    additive_charts.weight_bars: [additive_charts.weight_bars(SOME.random((3, 2)), ["a", "b"], WORDS, ".,")],
    additive_charts.cost_over_tokens: [additive_charts.cost_over_tokens(
        2 ** np.arange(12), {form: 2 ** np.arange(24).reshape(2, 12) ** 2 for form in ("scaled", "additive")}, 64,
        WORDS, ".,",
    )],
    additive_charts.largest_histogram: [
        additive_charts.largest_histogram(SOME.random((3, 40)), SOME.random(3), 0.9, WORDS, ".,"),
    ],
    explanation_charts.two_rows: [
        explanation_charts.two_rows(SOME.random(3), other, "abc", WORDS, ".,") for other in (None, SOME.random(3))
    ],
    explanation_charts.distance_over_width: [
        explanation_charts.distance_over_width(SOME.random(8), other, 3, WORDS, ".,")
        for other in (None, SOME.random(8))
    ],
    learning_charts.over_steps: [
        learning_charts.over_steps(STEPS[:at], two(at, 3), range(3), 400, WORDS, ".,", (0.1, 1), log, level)
        for at, log, level in ((41, False, 0.5), (1, True, None), (7, True, 0.9))
    ],
    tiles_charts.memory_over_n: [
        memory({}), memory({"n": np.array([256, 512]), "dense": SOME.random(2), "tiled": SOME.random(2)}),
    ],
    verification_dtypes.histogram: [verification_dtypes.histogram(
        {dtype: abs(SOME.normal(size=99)) * 1e-8 for dtype in ("float64", "float32", "float16", "bfloat16")}, WORDS,
        ".,",
    )],
}
CASES = [(made.__name__, picture) for made, pictures in FIGURES.items() for picture in pictures]
every_figure = pytest.mark.parametrize("picture", [picture for _, picture in CASES], ids=[name for name, _ in CASES])


def test_no_function_that_describes_a_figure_is_missing_here():
    found = set()
    for path in ROOT.glob("pages/ui/**/*.py"):
        if "-> Figure:" in path.read_text() and path.stem != "plot":
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            made = {function for _, function in inspect.getmembers(import_module(name), inspect.isfunction)
                    if inspect.signature(function).return_annotation == plot.Figure}
            found |= {function for function in made if function.__module__ == name}
    assert found == FIGURES.keys()


@every_figure
def test_plotly_takes_every_figure_and_gives_back_the_same(picture):
    check(picture)
    check(enlarged(picture))


@every_figure
def test_what_is_sent_is_what_was_described(picture):
    assert plain(Ready(picture).to_dict()) == plain(picture)
    assert isinstance(Ready(picture), go.Figure) and not list(all_arrays(Ready(picture).to_dict()))


def test_two_figures_at_a_time_keep_apart_and_what_they_share_stays_empty():
    (_, one), (_, two) = CASES[0], CASES[-1]
    first, second = Ready(one), Ready(two)
    assert plain(first.to_dict()) == plain(one) and plain(second.to_dict()) == plain(two)
    assert first.data == () and "_picture" not in plot.EMPTY


@every_figure
def test_no_template_is_sent(picture):
    assert "template" not in picture["layout"]
    assert len(plotly.io.to_json(Ready(picture).to_dict(), validate=False)) < 20_000


def all_arrays(part):
    """Every array within a part of a figure."""
    if isinstance(part, np.ndarray):
        yield part
    for each in part.values() if isinstance(part, dict) else part if isinstance(part, list | tuple) else ():
        yield from all_arrays(each)


@pytest.mark.parametrize("wrong", [
    figure(".,", [scatter(x=[1], y=[2], colour="red")], axis(), axis()),
    figure(".,", [scatter(x=[1], y=[2], mode="dots")], axis(), axis()),
    figure(".,", [scatter(x=[1], y=[2], marker={"size": "large"})], axis(), axis()),
    figure(".,", [scatter(x=[1], y=[2])], axis(title_font_size=3), axis()),
    figure(".,", [scatter(x=[1], y=[2])], axis(range=np.array([0, 1])), axis(kind="log")),
    figure(".,", [scatter(x=[1], y=[2], textfont_size=14)], axis(), axis()),
    figure(".,", [scatter(x=[1], y=[2])], axis(), axis(), shapes=[upright(1, {"colour": "red"})]),
    figure(".,", [{"type": "scater"}], axis(), axis()),
    figure(".,", [scatter(x=[1, 2], y=[1, 2], marker={"size": [1, 2]})], axis(), axis()),
], ids=["name", "value", "inner value", "not for plotly.js", "axis", "textfont", "shape", "type", "bubbles"])
def test_what_plotly_would_not_take_fails(wrong):
    with pytest.raises((ValueError, AssertionError)):
        check(wrong)


def test_lines_and_axes_are_those_that_plotly_makes_itself():
    own = go.Figure(go.Scatter(x=[1], y=[2])).add_vline(x=3, line=LINE, layer="below").add_hline(y=4, line=LINE)
    described = figure(".,", [scatter(x=[1], y=[2])], axis(), axis(),
                       shapes=[upright(3, LINE, layer="below"), across(4, LINE)])
    assert validated(described).layout.shapes == own.layout.shapes
    assert bars(x=[1]) == {"type": "bar", "x": [1]}


@given(arrays(st.sampled_from(["f4", "f8", "i1", "i4", "u2"]), st.integers(1, 9)))
def test_a_packed_array_is_the_array(array):
    assert np.array_equal(array_of(packed(array)), array, equal_nan=True)


@given(st.lists(st.integers(-2**53, 2**53), min_size=1))
def test_whole_numbers_are_exact_and_short(numbers):
    sent = packed(np.array(numbers))
    assert array_of(sent).tolist() == numbers
    assert int(sent["dtype"][1]) <= (1 if 0 <= min(numbers) and max(numbers) < 256 else 8)


def test_an_array_of_nothing_stays():
    assert plain(packed({"x": np.array([])})) == {"x": []}


# the projector


@every_figure
def test_on_the_projector_all_writing_and_the_height_grow_and_nothing_else(picture):
    before, large = plain(picture), plain(enlarged(picture, by=2))
    assert plain(picture) == before, "the figure itself is left as it was"
    small, big = dict(leaves(before)), dict(leaves(large))
    grown = {path for path in small if small[path] != big[path]}
    assert small.keys() == big.keys() and all(big[path] == 2 * small[path] for path in grown)
    written = {path for path in small if path[-1] == "size" and str(path[-2]).endswith("font")}
    assert grown == written | {("layout", "height")} and len(written) >= 7


def leaves(part, path=()):
    """Every number and word of a figure with the way to it."""
    pairs = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    if not pairs and not isinstance(part, dict | list):
        yield path, part
    for name, each in pairs:
        yield from leaves(each, (*path, name))
