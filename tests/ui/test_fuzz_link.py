"""Hostile links: whatever stands in one, reading it never fails, and what it gives lies within the field's bounds.

All of FIELDS is covered, also what is added later: a kind that this file does not know is held to the laws that hold
for every kind.
"""

import math
import time
import tracemalloc
import unicodedata
from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pages.ui.fields import FIELDS, decode, encode
from pages.ui.kinds import Choice, Decimal, Numbers, Pairs, Text, Whole
from pages.ui.language import LANGUAGES, Language
from pages.ui.legal import what_is_legal

DEFAULTS = {name: field.default for name, field in FIELDS.items()}
LONGEST = 4000  # characters of any field in the address bar: browsers and proxies cut it at 8000
HUGE = 100_000
HOSTILE = {
    "markup": "<img src=x onerror=alert(1)><script>alert(1)</script>",
    "attribute": "\" onmouseover=alert(1) x='",
    "markdown": "[x](javascript:alert(1)) ![x](http://a.b/c) $\\href{javascript:alert(1)}{x}$ :material/home: `",
    "template": "{0.__class__} {lang} %s ${7*7} {{7*7}}",
    "path": "../../../../etc/passwd\x00.npy",
    "command": "'; DROP TABLE x; -- $(id) `id` | id",
    "control": "".join(map(chr, range(32))) + "\x7f\x85",
    "line ends": "a\r\nSet-Cookie: a=b\r\n\r\n<html>",
    "turned": "\u202e\u2066\u200f1\u2069\u202c",
    "joined": "1\u200b\u200d\ufeff\u2060",
    "surrogate": "\ud800",
    "surrogates turned": "\udc00\ud83d",
    "not a character": "\ufffe\uffff\U0010ffff",
    "other digits": "\u0661\u0662.\u0663 \uff11 \u00b2 \U0001d7d9",
    "accents": "a" + "\u0301" * 1000,
    "numbers": "1e400_-0_nan_inf_0x1_1__2~~",
    "long digits": "9" * HUGE,
    "long text": "x" * HUGE,
    "long markup": "<b>" * (HUGE // 3),
    "long row": "1_" * (HUGE // 2),
    "long column": "1~" * (HUGE // 2),
    "long pairs": "_".join(["1.1"] * (HUGE // 4)),
    "long answers": "_".join(f"p{n}.a" for n in range(HUGE // 8)),
    "long brackets": "[" * HUGE,
    "long surrogates": "\ud800" * HUGE,
    "long base64": "A" * HUGE,
}


def control(mark):
    """Whether a character could break a line, a header or an encoding."""
    return unicodedata.category(mark) in ("Cc", "Cs")


def within(field, value):
    """Whether a value is one that the field may have; of a kind that is new here, that it can be written and read."""
    if value == field.default:
        return True
    match field:
        case Whole():
            return type(value) is int and field.low <= value <= field.high
        case Decimal():
            return type(value) is float and math.isfinite(value) and field.low <= value <= field.high
        case Choice():
            return value in field.choices
        case Text():
            return len(value) <= field.longest and not any(map(control, value))
        case Numbers():
            return (1 <= len(value) <= field.rows and len({len(row) for row in value}) == 1
                    and 1 <= len(value[0]) <= field.columns
                    and all(math.isfinite(number) and abs(number) <= 1000 for row in value for number in row))
        case Pairs():
            return len(set(value)) == len(value) and all(1 <= at <= field.most for pair in value for at in pair)
    return True


def check(link):
    """What holds for every link."""
    values, refused = decode(link)
    assert values.keys() == FIELDS.keys() and set(refused) <= link.keys() & FIELDS.keys()
    assert refused == sorted(set(refused))
    for name, value in values.items():
        assert within(FIELDS[name], value), name
        if name not in link or name in refused:
            assert value == DEFAULTS[name]
    written = encode(values, FIELDS)
    assert decode(written) == (values, []), "what was read is written and read again"
    assert encode(decode(written)[0], FIELDS) == written
    assert all(len(text) <= LONGEST and not any(map(control, text)) for text in written.values())
    assert dict(parse_qsl(urlencode(written), keep_blank_values=True)) == written, "and an address can carry it"
    return values, refused


anything = st.text(st.characters(), max_size=60) | st.text(st.characters(categories=["Cs", "Cc", "Cf", "Nd", "Sm"]))
numberish = st.text(alphabet="0123456789._~-+eE \n,xna", max_size=40)


@st.composite
def near_legal(draw):
    """A legal link, damaged in one place: what a typing mistake or an attacker's probe looks like."""
    name = draw(st.sampled_from(sorted(FIELDS)))
    text = draw(st.sampled_from([FIELDS[name].write(FIELDS[name].default) or "", "1_2~3_4", "scores.1.1", "1.2_2.1",
                                 "spread.2_peak.0.97", "12", "0.5"]))
    at = draw(st.integers(0, len(text)))
    return name, text[:at] + draw(st.text(max_size=3)) + text[at + draw(st.integers(0, 2)):]


LINKS = st.dictionaries(st.sampled_from(sorted(FIELDS)) | anything, anything | numberish, max_size=12)


@settings(max_examples=300, deadline=None)
@given(LINKS)
def test_any_link_is_read_and_what_it_gives_is_legal(link):
    check(link)


@settings(max_examples=300, deadline=None)
@given(near_legal())
def test_a_legal_link_with_a_slip_is_legal_or_refused(slip):
    name, text = slip
    check({name: text})


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_text_in_every_field_at_once_is_refused_quickly(text):
    """100 kB in each of all fields: no form of reading takes time that grows faster than the text."""
    start = time.process_time()
    values, refused = check(dict.fromkeys(FIELDS, text))
    assert time.process_time() - start < 3
    may = {name for name, field in FIELDS.items() if isinstance(field, Text)}
    if len(text) > 160 or any(map(control, text)):
        may = set()
    assert FIELDS.keys() - set(refused) <= may and all(values[name] == text for name in may - set(refused))


@pytest.mark.parametrize("text", [HOSTILE["long digits"], HOSTILE["long answers"], HOSTILE["long base64"]])
def test_reading_a_hostile_text_takes_no_more_memory_than_a_few_copies_of_it(text):
    tracemalloc.start()
    try:
        decode(dict.fromkeys(FIELDS, text))
        used = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert used < 40 * len(text)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_name_is_nobodys(text):
    assert check({text: "1", **{f"{name}{text}": "1" for name in list(FIELDS)[:5]}}) == (DEFAULTS, [])


def test_thousands_of_unknown_parameters_change_nothing():
    assert check({f"no_{number}": "1" for number in range(20_000)}) == (DEFAULTS, [])


@pytest.mark.parametrize("name", FIELDS)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_field_can_say_what_is_legal(name, lang):
    """A refused parameter is explained in a sentence of the lab's own; what was typed is no part of it."""
    said = what_is_legal(Language(lang), FIELDS[name])
    assert said and not set("<>{}") & set(said)
