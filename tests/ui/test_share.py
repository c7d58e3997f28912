"""The codec of a link: what is written is read back, and what cannot be read is named and never guessed."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.ui.share import FIELDS, decode, encode

DEFAULTS = {name: field.default for name, field in FIELDS.items()}

# A copy on purpose: a link that somebody shared keeps its meaning. Add to it; never change or take away.
FROZEN = {
    "lang": None,
    "d_k": 64,
    "seed": 0,
    "keys": 8,
    "divisor": "sqrt_d_k",
    "value": 8.0,
    "mean": 0.0,
    "std": 1.0,
    "closer": "numbers",
    "shift": 0,
    "token": "makan",
    "tie": "none",
    "mask": "none",
    "query": 3,
    "pads": 2,
    "side": "end",
    "example": "source",
    "compare": "no",
}
FROZEN_CHOICES = {
    "lang": {"en", "id"},
    "divisor": {"none", "sqrt_d_k", "d_k", "cosine", "free"},
    "closer": {"none", "numbers", "variance", "gradient", "precision"},
    "token": {"ikan", "makan"},
    "tie": {"none", "q_k"},
    "mask": {"none", "causal", "padding", "both"},
    "side": {"end", "start"},
    "example": {"source", "ikan_makan", "six_words"},
    "compare": {"no", "yes"},
}
FROZEN_BOUNDS = {
    "d_k": (1, 512), "seed": (0, 999), "keys": (2, 64), "value": (0.1, 64.0), "mean": (-2.0, 2.0), "std": (0.1, 3.0),
    "shift": (0, 800), "query": (1, 6), "pads": (0, 6),
}
JUNK = [
    "", " ", "-1", "+3", "99999", "9" * 400, "1e3", "3.0", "3,0", "0x10", "1_0", "٣", "３", "²", " 3", "3\n", "nan",
    "inf", "None", "True", "null", "[]", "<b>3</b>", "<script>alert(1)</script>", "%33", "3;4", "\x00", "日本",
    "x" * 9999, "NONE", "none ", "Makan",
]


def legal(field):
    """All legal values of a field; a number with one decimal counts in tenths."""
    if hasattr(field, "choices"):
        return list(field.choices)
    if isinstance(field.default, int):
        return list(range(field.low, field.high + 1))
    return [tenth / 10 for tenth in range(round(10 * field.low), round(10 * field.high) + 1)]


NUMBERS = [name for name, field in FIELDS.items() if not hasattr(field, "choices")]
WHOLE = [name for name in NUMBERS if isinstance(FIELDS[name].default, int)]
DECIMAL = [name for name in NUMBERS if isinstance(FIELDS[name].default, float)]
VALUES = st.fixed_dictionaries({name: st.sampled_from(legal(field)) for name, field in FIELDS.items()})


@given(VALUES)
def test_what_is_written_is_read_back(values):
    link = encode(values, FIELDS)
    assert all(isinstance(text, str) and text.isascii() for text in link.values())
    assert decode(link) == (values, [])


@pytest.mark.parametrize("name", FIELDS)
def test_every_legal_value_of_every_field_is_read_back(name):
    for value in legal(FIELDS[name]):
        assert decode(encode({name: value}, [name])) == (DEFAULTS | {name: value}, [])


@pytest.mark.parametrize("name", DECIMAL)
def test_a_decimal_that_a_slider_rounds_badly_is_read_back(name):
    """A slider counts in binary: 0.1 + 0.2 is 0.30000000000000004, and still means 0.3."""
    for value in legal(FIELDS[name])[1:-1]:
        for near in (math.nextafter(value, math.inf), math.nextafter(value, -math.inf)):
            values, refused = decode(encode({name: near}, [name]))
            assert refused == [] and values[name] == value


@given(VALUES)
def test_defaults_are_left_out_and_nothing_else(values):
    assert encode(values, FIELDS).keys() == {name for name in FIELDS if values[name] != DEFAULTS[name]}


@given(VALUES, st.sets(st.sampled_from(sorted(FIELDS))))
def test_only_the_named_fields_are_written(values, names):
    assert encode(values, names).keys() <= names


def test_an_empty_link_means_the_defaults():
    assert decode({}) == (DEFAULTS, [])


@pytest.mark.parametrize(("name", "junk"), [
    (name, junk) for name in FIELDS for junk in JUNK
    if name not in DECIMAL or junk not in ("-1", "3.0")     # legal for some numbers with a decimal
], ids=lambda text: ascii(text)[:24])
def test_junk_falls_back_to_the_default_and_is_named(name, junk):
    assert decode({name: junk}) == (DEFAULTS, [name])


@given(st.dictionaries(st.sampled_from(sorted(FIELDS)), st.text()))
def test_any_text_is_either_legal_or_refused(link):
    values, refused = decode(link)
    for name, text in link.items():
        if name in refused:
            assert values[name] == DEFAULTS[name]
        elif name in NUMBERS:
            assert values[name] == float(text) and text.isascii()
        else:
            assert values[name] == text


@pytest.mark.parametrize("name", NUMBERS)
def test_one_beyond_either_bound_is_refused(name):
    field, step = FIELDS[name], 1 if name in WHOLE else 0.1
    assert decode({name: str(field.low)})[1] == decode({name: str(field.high)})[1] == []
    for beyond in (round(field.low - step, 1), round(field.high + step, 1)):
        assert decode({name: str(beyond)}) == (DEFAULTS, [name])


@pytest.mark.parametrize("junk", ["1,5", "1.55", ".5", "1.", "1e0", "--1", "0x1", "1_0.0", "1.5 ", "1.5\n", "-", "."])
@pytest.mark.parametrize("name", DECIMAL)
def test_a_decimal_has_one_spelling(name, junk):
    assert decode({name: junk}) == (DEFAULTS, [name])


@given(st.dictionaries(st.text().filter(lambda name: name not in FIELDS), st.text()))
def test_unknown_names_are_ignored(link):
    assert decode(link) == (DEFAULTS, [])


def test_one_bad_field_leaves_the_others_alone():
    values, refused = decode({"d_k": "128", "seed": "luck", "mask": "both", "side": "left"})
    assert (values["d_k"], values["seed"], values["mask"], values["side"]) == (128, 0, "both", "end")
    assert refused == ["seed", "side"]


def test_a_shared_link_keeps_its_meaning():
    assert FROZEN.items() <= DEFAULTS.items()
    for name, choices in FROZEN_CHOICES.items():
        assert choices <= set(FIELDS[name].choices)
    for name, (low, high) in FROZEN_BOUNDS.items():
        assert FIELDS[name].low <= low and FIELDS[name].high >= high


def test_every_field_is_frozen_here():
    assert FROZEN.keys() == FIELDS.keys(), "add the new field to FROZEN: its default must never change again"
