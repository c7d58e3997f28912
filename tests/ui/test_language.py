"""Both languages say the same: the catalogue is complete and exact, and numbers are written as each language does."""

import ast
import re
from collections import Counter
from pathlib import Path
from string import Formatter

import pytest
from babel.messages.extract import extract_from_file
from babel.messages.pofile import read_po
from hypothesis import given
from hypothesis import strategies as st

from pages.ui.language import LANGUAGES, Language, language_of

ROOT = Path(__file__).parents[2]
SOURCES = [ROOT / "app.py", *sorted(ROOT.glob("pages/**/*.py"))]
TREES = {str(path.relative_to(ROOT)): ast.parse(path.read_text()) for path in SOURCES}
PO = ROOT / "pages" / "ui" / "locale" / "id" / "LC_MESSAGES" / "lab.po"
CATALOGUE = read_po(PO.open("rb"), locale="id")
ENTRIES = [message for message in CATALOGUE if message.id]
EN, ID = Language("en"), Language("id")
NBSP, MINUS = "\N{NO-BREAK SPACE}", "\N{MINUS SIGN}"


def extracted():
    keywords = {"_": None, "N_": None}
    return {text for path in SOURCES for _, text, _, _ in extract_from_file("python", path, keywords=keywords) if text}


def calls(tree):
    """Calls of _ and N_."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [call for call in found if getattr(call.func, "id", "") in ("_", "N_")]


def hidden_calls(tree):
    """Texts that Babel's extractor misses: inside an f-string (before Python 3.12), or made of pieces."""
    plain = ast.Name | ast.Attribute | ast.Subscript     # _(page.title): the text itself stands elsewhere, in N_
    inside = [call for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for call in calls(node)]
    return [call.lineno for call in inside if not isinstance(call.args[0], plain)] + [
        call.lineno for call in calls(tree) if not isinstance(call.args[0], plain | ast.Constant)
    ]


def holes(text):
    return Counter(name for _, name, _, _ in Formatter().parse(text) if name is not None)


def short(message):
    """How a failure names a message."""
    return message.id[:60]


def test_the_catalogue_misses_no_text():
    assert extracted() - {message.id for message in ENTRIES} == set()


def test_the_catalogue_keeps_no_text_that_is_gone():
    assert {message.id for message in ENTRIES} - extracted() == set()
    assert list(CATALOGUE.obsolete) == []


def test_the_extractor_sees_every_literal_text():
    literal = {call.args[0].value for tree in TREES.values() for call in calls(tree)
               if call.args and isinstance(call.args[0], ast.Constant)}
    assert literal == extracted() and len(literal) > 50


def test_no_entry_stands_twice():
    assert PO.read_text().count("\nmsgid ") - 1 == len(ENTRIES), "a second entry would silently win"


def test_a_translation_is_there_and_sure():
    for message in ENTRIES:
        assert message.string.strip() and not message.fuzzy, short(message)


def test_a_translation_has_the_same_holes():
    for message in ENTRIES:
        assert holes(message.string).keys() == holes(message.id).keys(), short(message)


def test_a_translation_has_the_same_marks():
    for message in ENTRIES:
        for mark in ("$", "**", "`", "<", ">"):
            assert message.string.count(mark) == message.id.count(mark), (mark, short(message))
        assert message.string.count("**") % 2 == message.string.count("$") % 2 == 0, short(message)


def test_a_translation_has_the_same_formulas():
    formulas = lambda text: Counter(re.findall(r"\$[^$]+\$", text))  # noqa: E731
    for message in ENTRIES:
        assert formulas(message.string) == formulas(message.id), short(message)


def test_a_translation_keeps_its_edges():
    for message in ENTRIES:
        for edge in (0, -1):
            assert message.string[edge].isspace() == message.id[edge].isspace(), short(message)


def test_no_text_hides_in_an_f_string():
    assert {name: lines for name, tree in TREES.items() if (lines := hidden_calls(tree))} == {}


@pytest.mark.parametrize("fault", ["f'<b>{_(\"largest\")}</b>'", "_(f'largest {x}')", "_('largest ' + x)"])
def test_a_hidden_text_would_be_found(fault):
    assert hidden_calls(ast.parse(fault)) == [1]


def test_every_hole_is_filled_and_every_value_used():
    for name, call in ((name, call) for name, tree in TREES.items() for call in calls(tree)):
        if call.func.id == "_" and isinstance(call.args[0], ast.Constant) and call.keywords:
            given_names = {keyword.arg for keyword in call.keywords}
            if None not in given_names:     # not filled with **mapping
                assert holes(call.args[0].value).keys() == given_names, (name, call.lineno)


@pytest.mark.parametrize(
    ("value", "places", "english", "indonesian"),
    [
        (0.3551, 4, "0.3551", "0,3551"),
        (0.35512, 4, "0.3551", "0,3551"),
        (-17.77, 2, f"{MINUS}17.77", f"{MINUS}17,77"),
        (1234.5, 1, "1234.5", "1234,5"),
        (8, 0, "8", "8"),
        (0, 4, "0.0000", "0,0000"),
    ],
)
def test_numbers_follow_the_language(value, places, english, indonesian):
    assert EN.number(value, places) == english
    assert ID.number(value, places) == indonesian


@given(st.floats(-1e6, 1e6), st.integers(0, 6))
def test_a_number_is_written_as_it_is_rounded(value, places):
    text = EN.number(value, places)
    assert "-" not in text
    assert abs(float(text.replace(MINUS, "-")) - value) <= 0.5 * 10.0**-places * (1 + 1e-9) + 1e-9
    assert ID.number(value, places) == text.replace(".", ",")


@pytest.mark.parametrize("value", [-0.0, -1e-9, -0.00004, 0.0])
def test_zero_has_no_sign(value):
    assert EN.number(value) == "0.0000" and ID.number(value) == "0,0000"


def test_a_signed_number_shows_its_sign():
    assert EN.number(0.5, 2, signed=True) == "+0.50"
    assert ID.number(-0.5, 2, signed=True) == f"{MINUS}0,50"


def test_short_drops_decimals_that_say_nothing():
    assert (EN.short(8.0), EN.short(11.3137), ID.short(11.3137)) == ("8", "11.31", "11,31")
    assert EN.short(1.7320508, 4) == "1.7321"


@pytest.mark.parametrize(
    ("value", "english", "indonesian"),
    [
        (0.0, "0", "0"),
        (1.0, "1.0000", "1,0000"),
        (0.9877, "0.9877", "0,9877"),
        (1e-300, "<0.0001", "<0,0001"),
        (0.000049, "<0.0001", "<0,0001"),
        (0.00006, "0.0001", "0,0001"),
        (0.99994, "0.9999", "0,9999"),
        (0.999951, ">0.9999", ">0,9999"),
        (1 - 1e-16, ">0.9999", ">0,9999"),
    ],
)
def test_a_weight_is_called_0_or_1_only_where_it_is(value, english, indonesian):
    assert EN.weight(value) == english
    assert ID.weight(value) == indonesian


@pytest.mark.parametrize("value", [0.00005, 0.99995, 0.000049999999, 0.999950000001])
def test_a_weight_at_a_rounding_edge_is_neither_0_nor_1(value):
    assert float(EN.weight(value).strip("<>")) not in (0, 1)


@given(st.floats(0, 1, exclude_min=True, exclude_max=True))
def test_no_weight_between_reads_as_0_or_1(value):
    assert float(EN.weight(value).strip("<>")) not in (0, 1)


@pytest.mark.parametrize(
    ("value", "english", "indonesian"),
    [
        (1.234e-16, "1.2 × 10⁻¹⁶", "1,2 × 10⁻¹⁶"),
        (0.0, "0", "0"),
        (-0.0, "0", "0"),
        (9.96e-17, "1.0 × 10⁻¹⁶", "1,0 × 10⁻¹⁶"),
        (3.5e20, "3.5 × 10²⁰", "3,5 × 10²⁰"),
        (-2e-3, f"{MINUS}2.0 × 10⁻³", f"{MINUS}2,0 × 10⁻³"),
    ],
)
def test_small_numbers_are_powers_of_ten(value, english, indonesian):
    assert EN.power(value) == english
    assert ID.power(value) == indonesian


def test_a_power_can_do_without_decimals():
    assert EN.power(1e-12, 0) == ID.power(1e-12, 0) == "1 × 10⁻¹²"


def test_percent_follows_the_language_and_does_not_break():
    assert EN.percent(0.242, 1) == f"24.2{NBSP}%"
    assert ID.percent(0.242, 1) == f"24,2{NBSP}%"
    assert EN.percent(0.6175) == f"62{NBSP}%"


def test_a_list_is_never_mistaken_for_decimals():
    assert EN.list([0.5, -1]) == f"0.5000, {MINUS}1.0000"
    assert ID.list([0.5, -1], 1) == f"0,5; {MINUS}1,0"


def test_plotly_gets_the_same_separators():
    assert (EN.separators, ID.separators) == (f".{NBSP}", f",{NBSP}")


@pytest.mark.parametrize(
    ("locale", "lang"),
    [
        ("id", "id"), ("id-ID", "id"), ("in-ID", "id"), ("in_ID", "id"), ("in", "id"), ("ID_id", "id"),
        ("en-GB", "en"), ("en", "en"), ("de", "en"), ("de-DE", "en"), ("idx", "en"), ("ind-x", "en"),
        (None, "en"), ("", "en"), ("-", "en"), ("<b>", "en"),
    ],
)
def test_the_first_language_is_the_browsers(locale, lang):
    assert language_of(locale) == lang


def test_english_is_the_source():
    assert EN("Output") == "Output" and ID("Output") == "Keluaran"
    assert list(LANGUAGES) == ["en", "id"]


def test_an_unknown_text_is_shown_as_it_is():
    assert ID("no such text {x}", x=1) == "no such text 1"
