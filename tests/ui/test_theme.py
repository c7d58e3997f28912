"""Every colour that the lab uses can be read: measured as WCAG 2 measures contrast."""

import re
import tomllib
from pathlib import Path

import pytest

from pages.ui.plot import axis, figure
from pages.ui.theme import CELL_MIX, COLOURS, NEUTRAL, RAW, SCALED, STYLESHEET, band_colour, stylesheet
from tests.received import validated

CONFIG = tomllib.loads((Path(__file__).parents[2] / ".streamlit" / "config.toml").read_text())["theme"]
SCHEMES = ("light", "dark")
TEXT = ("ink", "muted", "primary", "raw-text", "scaled-text", "query", "key", "value", "right", "wrong")
PAPERS = ("paper", "panel", "row")
MARKS = ("raw", "scaled", "axis", "primary", "query", "key", "value")


def colour(role, scheme):
    return COLOURS[role][SCHEMES.index(scheme)]


def channels(hexadecimal):
    return [int(hexadecimal[i : i + 2], 16) for i in (1, 3, 5)]


def luminance(rgb):
    linear = [c / 255 / 12.92 if c / 255 <= 0.04045 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in rgb]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def mix(end, paper, share):
    """color-mix(in srgb, end share, paper)."""
    return [share * e + (1 - share) * p for e, p in zip(channels(end), channels(paper), strict=True)]


def test_the_measure_is_wcags():
    assert contrast(channels("#000000"), channels("#FFFFFF")) == pytest.approx(21)
    assert contrast(channels("#767676"), channels("#FFFFFF")) == pytest.approx(4.54, abs=0.005)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("role", TEXT)
def test_text_has_4_5_to_1(role, paper, scheme):
    assert contrast(channels(colour(role, scheme)), channels(colour(paper, scheme))) >= 4.5


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("role", MARKS)
def test_marks_have_3_to_1(role, scheme):
    assert contrast(channels(colour(role, scheme)), channels(colour("paper", scheme))) >= 3


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("mark", [RAW, SCALED, NEUTRAL])
def test_a_charts_marks_have_3_to_1_in_both_schemes(mark, scheme):
    assert contrast(channels(mark), channels(colour("paper", scheme))) >= 3


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("end", ["negative", "positive", "weight"])
def test_ink_can_be_read_on_every_cell_of_a_scale(end, scheme):
    for share in (0, 0.25, 0.5, 0.75, 1):
        cell = mix(colour(end, scheme), colour("paper", scheme), share * CELL_MIX)
        assert contrast(channels(colour("ink", scheme)), cell) >= 4.5, share


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("role", ["query", "key", "value"])
def test_ink_can_be_read_on_the_tint_of_a_role(role, scheme):
    share = int(re.search(rf"var\(--{role}\) (\d+)%, var\(--paper\)", STYLESHEET.read_text())[1]) / 100
    assert contrast(channels(colour("ink", scheme)), mix(colour(role, scheme), colour("paper", scheme), share)) >= 4.5


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_most_intense_cells_of_a_scale_can_be_told_from_paper(scheme):
    paper = colour("paper", scheme)
    for end in ("negative", "positive", "weight"):
        assert contrast(mix(colour(end, scheme), paper, CELL_MIX), channels(paper)) >= 1.5


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(
    ("option", "role"),
    [
        ("primaryColor", "primary"), ("backgroundColor", "paper"), ("secondaryBackgroundColor", "panel"),
        ("textColor", "ink"), ("linkColor", "scaled-text"),
    ],
)
def test_streamlits_theme_has_the_same_colours(option, role, scheme):
    assert CONFIG[scheme][option].upper() == colour(role, scheme).upper()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_sidebar_swaps_paper_and_panel(scheme):
    sidebar = CONFIG[scheme]["sidebar"]
    assert sidebar["backgroundColor"].upper() == colour("panel", scheme).upper()
    assert sidebar["secondaryBackgroundColor"].upper() == colour("paper", scheme).upper()


def test_every_colour_that_the_stylesheet_asks_for_is_defined():
    asked = set(re.findall(r"var\(--([a-z-]+)", STYLESHEET.read_text()))
    set_there = set(re.findall(r"--([a-z-]+):", STYLESHEET.read_text()))
    by_cells = {"t", "x", "raw-spread", "scaled-spread", "lines"}
    assert asked - set_there - by_cells <= COLOURS.keys() | {"cell-mix"}


def test_the_stylesheet_names_no_colour_of_its_own():
    assert re.findall(r"#[0-9A-Fa-f]{3,8}\b|rgba?\(|hsl", re.sub(r"/\*.*?\*/", "", STYLESHEET.read_text())) == []


def test_the_style_element_defines_both_schemes():
    text = stylesheet()
    assert text.count("<style>") == text.count("</style>") == 1
    for role, (light, dark) in COLOURS.items():
        assert f"--{role}: light-dark({light}, {dark});" in text


def test_colours_are_written_in_full():
    assert all(re.fullmatch(r"#[0-9A-Fa-f]{6}", c) for pair in COLOURS.values() for c in pair)


def test_a_band_is_its_curves_colour_made_thin():
    assert band_colour("#D55E00", 0.2) == "rgba(213, 94, 0, 0.2)"


def test_text_in_a_chart_has_at_least_14_pixels():
    layout = validated(figure(".,", [], axis(), axis())).layout
    sizes = [layout.font.size, layout.legend.font.size, layout.hoverlabel.font.size]
    sizes += [size for axis in (layout.xaxis, layout.yaxis) for size in (axis.title.font.size, axis.tickfont.size)]
    assert min(sizes) >= 14
