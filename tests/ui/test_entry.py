"""A typed number is read exactly or refused by name; nothing typed becomes another number, markup or a crash."""

import doctest
import re
import time
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.ui.language import Language
from pages.ui.typed import entry, unreadable
from pages.ui.typed.entry import LIMIT, LONGEST, PLACES, Unreadable, matrix, number, pasted, shown, written

EN, ID = Language("en"), Language("id")
MINUS, NBSP, JOINER = "\N{MINUS SIGN}", "\N{NO-BREAK SPACE}", "\N{WORD JOINER}"
CELLS = st.integers(-LIMIT * 10**PLACES, LIMIT * 10**PLACES).map(lambda millionths: millionths / 10**PLACES)
MATRICES = st.tuples(st.integers(1, 12), st.integers(1, 8)).flatmap(lambda shape: st.lists(
    st.lists(CELLS, min_size=shape[1], max_size=shape[1]), min_size=shape[0], max_size=shape[0],
))
HOSTILE = [
    "<b>x</b>", "<script>alert(1)</script>", "$x$", "$$\\frac{1}{0}$$", "**bold**", "_i_", "`code`", "# head",
    "> quote",
    "- item", "1. item", "[a](http://b.cd)", "![a](b)", "<https://a.bc>", "https://a.bc", "www.a.bc", "a@b.cd",
    ":red[x]",
    ":smile:", ":material/home:", ":streamlit:", "a -> b", "-- x", "a <= b", "~~gone~~", "&lt;", "\\", "a\nb",
    "a\tb",
    "| a | b |", "{text}", "{0.__class__}", "%s", "\x00\x1b[31m", "\u202eabc", "\u200b", "\ud800", "x" * 10_000,
]


def refusal(read, *arguments, **bounds):
    with pytest.raises(Unreadable) as caught:
        read(*arguments, **bounds)
    return caught.value


def unescaped(text):
    """What Markdown shows of an escaped text."""
    return re.sub(r"\\(.)", r"\1", text).replace(JOINER, "")


# numbers

@given(CELLS, st.sampled_from(".,"))
def test_what_is_written_is_read_back_exactly(value, symbol):
    text = written(value, symbol)
    assert number(text) == value
    assert re.fullmatch(rf"{MINUS}?(0|[1-9][0-9]*)({re.escape(symbol)}[0-9]{{0,5}}[1-9])?", text)


@given(st.floats())
def test_a_number_is_written_exactly_or_not_at_all(value):
    try:
        text = written(value, ".")
    except ValueError as error:
        assert not isinstance(error, Unreadable)
    else:
        assert number(text) == value


@pytest.mark.parametrize(("value", "text"), [
    (0.0, "0"), (-0.0, "0"), (1000, "1000"), (100.0, "100"), (-1000.0, f"{MINUS}1000"), (1e-6, "0,000001"),
    (np.float64(-2.5), f"{MINUS}2,5"), (np.float32(0.5), "0,5"), (np.int64(7), "7"),
])
def test_a_number_is_written_short(value, text):
    assert written(value, ",") == text


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1000.000001, 1001, 1e-7, 1 / 3, 0.1 + 0.2])
def test_a_number_that_no_cell_holds_is_not_written(value):
    with pytest.raises(ValueError, match="at most 6 decimals"):
        written(value, ".")


@pytest.mark.parametrize(("text", "value"), [
    ("1.5", 1.5), ("1,5", 1.5), (".5", 0.5), (",5", 0.5), ("5.", 5.0), ("5,", 5.0), ("+2", 2.0), ("-2", -2.0),
    (f"{MINUS}2,5", -2.5), ("–2", -2.0), ("1e-3", 1e-3), ("1E3", 1000.0), ("1e−3", 1e-3), ("1,5e2", 150.0),
    ("007", 7.0),
    (" 1 ", 1.0), (f"{NBSP}1\u202f\t\n", 1.0), ("1.234", 1.234), ("1.50000000", 1.5), ("0e999999999", 0.0),
    ("1000.000", 1000.0), ("-1000", -1000.0), ("0.000001", 1e-6), ("12345e-5", 0.12345), ("100000000e-8", 1.0),
])
def test_spellings_of_a_number(text, value):
    assert number(text) == value


@pytest.mark.parametrize(("text", "sentence"), [
    ("", "An empty cell is no number; write 0 if you mean 0."),
    (f" {NBSP}", "An empty cell is no number; write 0 if you mean 0."),
    ("abc", "“abc” is no number; write one like 1.5 or 1,5."),
    ("nan", "“nan” is no number"), ("-inf", "inf” is no number"), ("1/2", "“1/2” is no number"), ("--1",
    "1” is no number"),
    ("1-2", "“1-2” is no number"), ("1_0", "“1_0” is no number"), ("0x10", "is no number"), ("50%",
    "is no number"),
    (".", "is no number"), (",", "is no number"), ("-", "is no number"), ("e3", "is no number"), ("1e",
    "is no number"),
    ("1e1.5", "is no number"), ("1\x00", "“1␀” is no number"), ("1\u200b", "“1\ufffd” is no number"), ("½",
    "is no number"),
    ("１２", "“１２” has digits of another script; type them as 0 to 9."), ("٣", "of another script"), ("1²",
    "script"),
    ("1.234,5",
     "“1.234,5” has a comma and a point; without group marks it is 1234.5 or 1234,5, outside −1000 to 1000."),
    ("1,234.5", "without group marks it is 1234.5 or 1234,5, outside"),
    ("-1,234,567.8", "without group marks it is −1234567.8 or −1234567,8, outside −1000 to 1000."),
    ("1,000.00", "“1,000.00” has a comma and a point; write it without group marks: 1000.00 or 1000,00."),
    ("-0.234,5", "write it without group marks: −0234.5 or −0234,5."),
    ("12,34.5", "“12,34.5” has a comma and a point; a number has one decimal mark and no group marks."),
    ("1,2.3,4", "one decimal mark and no group marks"), ("1.5,", "one decimal mark"),
    ("1,2,3", "“1,2,3” has more than one comma"), ("1.2.3",
    "more than one point"),
    ("1 000", "“1 000” has a space inside"), (f"1{NBSP}000", "“1 000” has a space inside"),
    ("2000", "“2000” is outside −1000 to 1000."), ("-1000.000001", "is outside −1000 to 1000."),
    ("1e999999999", "is outside"), ("9" * 40, "is outside"), ("1e9999999999", "is no number"),
    ("0.1234567", "“0.1234567” has more than 6 decimals; round it."), ("1e-7", "more than 6 decimals"),
    ("1e-999999999", "more than 6 decimals"), ("1" * 41, "1…” is too long for a number."),
])
def test_a_refusal_says_what_and_why(text, sentence):
    assert sentence in unescaped(refusal(number, text).say(EN))


@given(st.integers(1000, 10**9 - 1), st.text("0123456789", min_size=1, max_size=6), st.sampled_from(["", MINUS, "-"]))
def test_group_marks_are_refused_with_the_number_spelled_without_them(whole, fraction, sign):
    texts = [f"{sign}{whole:,}.{fraction}", f"{sign}{whole:,}".replace(",", ".") + f",{fraction}"]
    for text in texts:
        error = refusal(number, text)
        said = unescaped(error.say(EN))
        assert f"{whole}.{fraction} or " in said and f"{whole},{fraction}" in said
        assert ("outside" in said) == (abs(float(f"{whole}.{fraction}")) > LIMIT)
        if error.reason == entry.GROUPS:
            assert abs(number(error.holes["point"])) == number(error.holes["comma"].lstrip(MINUS)) == LIMIT


@given(st.text() | st.text("0123456789.,+-−– eE\u00a0", max_size=12))
def test_any_text_is_the_number_that_python_reads_or_refused(text):
    try:
        value = number(text)
    except Unreadable as error:
        assert error.say(EN) and error.say(ID) and len(error.text) <= 40
    else:
        assert value == float(text.strip().replace(MINUS, "-").replace("–", "-").replace(",", "."))
        assert abs(value) <= LIMIT and round(value, PLACES) == value


@given(st.integers(-LIMIT, LIMIT), st.integers(0, 10**9 - 1) | st.integers(0, 10**6 - 1).map(lambda n: 1000 * n))
def test_beyond_six_decimals_is_refused_and_within_is_not(whole, fraction):
    text = f"{whole}.{fraction:09d}"
    if abs(float(text)) > LIMIT:
        assert refusal(number, text).reason == entry.OUTSIDE
    elif fraction % 1000:
        assert refusal(number, text).reason == entry.DECIMALS
    else:
        assert number(text) == float(text)


# matrices

@given(MATRICES, st.sampled_from(".,"), st.sampled_from(["\t", ";", "; ", " ", "   "]),
       st.sampled_from(["\n", "\r\n", "\r"]), st.sampled_from(["", "\n", "\n \r\n"]))
def test_a_written_matrix_is_read_back(values, symbol, mark, end, around):
    text = around + end.join(mark.join(written(value, symbol) for value in row) for row in values) + around
    read = matrix(text)
    assert read.dtype == np.float64 and read.tolist() == values


@given(MATRICES, st.sampled_from([str, repr, lambda a: repr(a.tolist()), lambda a: str(a.tolist()).replace(" ",
    "")]))
def test_a_printed_matrix_is_read_back(values, write):
    array = np.array(values)
    with np.printoptions(floatmode="unique", suppress=True):
        assert np.array_equal(matrix(write(array)), array)


@pytest.mark.parametrize("text", [
    "[[1, 0.5], [2, 3]]", "[[1,0.5],[2,3]]", "[[1. 0.5]\n [2. 3. ]]", "array([[1. , 0.5],\n       [2. , 3. ]])",
    "1\t0.5\n2\t3",
    "np.array([[1, .5], [2, 3]], dtype=np.float32)",
    "tensor([[1.0, 0.5],\n        [2.0, 3.0]], dtype=torch.float64)",
    "[[1, 0.5,], [2, 3],]", " [ [1,0.5] , [2,3] ] \r\n", "1;0,5\n2;3", "\n\n1 0,5\r\n 2 3 \n\n",
    "1\t0,5\r\n2\t3\r\n",
])
def test_spellings_of_a_matrix(text):
    assert matrix(text).tolist() == [[1, 0.5], [2, 3]]


@pytest.mark.parametrize(("text", "sentence"), [
    ("1\t2\t3\n4\t5\tabc", "Row 2, column 3: “abc” is no number; write one like 1.5 or 1,5."),
    ("1\t\t3", "Row 1, column 2: an empty cell is no number; write 0 if you mean 0."),
    ("\t2\n3\t4", "Row 1, column 1: an empty cell"), ("1\t2\n\t", "Row 2, column 1: an empty cell"),
    ("1\t2\t\n3\t4\t5", "Row 1, column 3: an empty cell"), ("1;;2", "Row 1, column 2: an empty cell"),
    ("1 2\t3", "Row 1, column 1: “1 2” has a space inside"), ("1;2\t3", "Row 1, column 1: “1;2” is no number"),
    ("1 2; 3 4", "Row 1, column 1: “1 2” has a space"),
    ("1, 2, 3", "Row 1, column 1: “1,” has a comma at its edge"), ("1 ,2",
    "Row 1, column 2: “,2” has a comma at its"),
    ("1,2,3", "Row 1, column 1: “1,2,3” has more than one comma"), ("1 2\n3 2000",
    "Row 2, column 2: “2000” is outside"),
    ("[[1, 2], [3, nan]]", "Row 2, column 2: “nan” is no number"), ("[[1, , 2]]",
    "Row 1, column 2: an empty cell"),
    ("[[1 2, 3]]", "Row 1, column 1: “1 2” has a space"), ("[[0.0 0.1 ... 0.9]]",
    "Row 1, column 3: “...” is no number"),
    ("1 2 3 4\n1 2 3", "Row 2 has length 3 and row 1 has length 4; every row needs as many numbers."),
    ("1 2\n\n3 4", "Row 2 has length 0 and row 1 has length 2"), ("[[1, 2], [3]]",
    "Row 2 has length 1 and row 1"),
    ("", "There is no number yet; write a row a line."), (" \r\n\n ", "There is no number yet"),
    ("\n".join("1" * 13), "The number of rows is 13; it has to be between 1 and 12."),
    (" ".join("1" * 9), "The number of columns is 9; it has to be between 1 and 8."), ("[[]]", "columns is 0"),
    ("1 " * 5001, "The text has 10002 characters; at most 10000 are read."),
])
def test_a_refused_matrix_names_the_place(text, sentence):
    assert sentence in unescaped(refusal(matrix, text).say(EN))


@pytest.mark.parametrize("text", [
    "[", "[]", "[1, 2]", "[[1, 2]", "[[1, 2]]]", "[[[1]]]", "[[1], 2]", "[[1],, [2]]", "[,[1]]", "[[1]] + [[2]]",
    "array([[1]]", "array([[1]]).T", "array([[1]], dtype=float) * 2", "[[1]] # x",
    "[x for x in [1]]", '[{"a": [1]}]',
])
def test_a_list_that_is_no_list_of_rows_is_refused(text):
    assert refusal(matrix, text).reason == entry.LISTED


@pytest.mark.parametrize("text", [
    "__import__('os')", "[[__import__('os')]]", "[[1+1]]", "[['1']]", "[[True]]", "[[None]]",
])
def test_nothing_is_evaluated(text):
    assert refusal(matrix, text).reason == entry.NUMBER


def test_the_caller_sets_the_bounds():
    assert matrix("1 2", rows=(1, 1), columns=(2, 2)).shape == (1, 2)
    exact = refusal(matrix, "1 2\n3 4", rows=(3, 3))
    assert exact.say(EN) == "The number of rows is 2; it has to be 3."
    assert refusal(matrix, "1", columns=(4, 4)).say(EN) == "The number of columns is 1; it has to be 4."
    assert refusal(matrix, "1", columns=(2, 4)).say(EN) == "The number of columns is 1; it has to be between 2 and 4."


@given(st.text() | st.text("01.,-e \t\n;[]", max_size=40) | st.text("01,; \n").map(lambda text: f"array([[{text}]])"))
def test_any_text_is_a_matrix_or_refused(text):
    try:
        read = matrix(text)
    except Unreadable as error:
        assert error.say(EN) and error.say(ID)
    else:
        assert read.ndim == 2 and 1 <= len(read) <= 12 and 1 <= read.shape[1] <= 8
        assert np.abs(read).max() <= LIMIT


@pytest.mark.parametrize("piece", [
    "1", " ", "\t", ";", "[", "]", "[1]", ",", "1,", "[[", "\n", "(", "array(", "e", ".",
])
@pytest.mark.parametrize("start", ["", "[[", "array([[1]]", "1"])
def test_no_text_takes_long(start, piece):
    text = (start + piece * LONGEST)[:LONGEST]
    began = time.process_time()
    with suppress(Unreadable):
        matrix(text)
    assert time.process_time() - began < 0.5


def test_pasted_cells_stay_as_typed():
    assert pasted("a\t 1,5 \r\n\t<b>\n") == [["a", " 1,5 "], ["", "<b>"]]
    assert pasted("") == pasted("\n \n") == [] and pasted("x") == [["x"]]
    assert refusal(pasted, "\t" * (LONGEST + 1)).reason == entry.TOO_LONG


# sentences

def test_a_refusal_carries_its_parts():
    error = refusal(matrix, "1\n2000")
    assert (error.text, error.holes, error.place) == ("2000", {"limit": 1000}, (2, 1))
    assert isinstance(error, ValueError) and str(error) == error.say(EN)
    assert refusal(number, "a").at(3, 2).say(EN).startswith("Row 3, column 2: “a”")
    assert refusal(number, "x" * 99).text == "x" * 39 + "…"


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text)[:24])
def test_a_hostile_text_is_shown_letter_for_letter(text):
    safe = shown(text)
    assert not re.search(r"(?<!\\)(\\\\)*[$<>*_`\[\]:&#~|{}]", safe)    # each escaped
    plain = unescaped(safe)
    assert len(plain) <= 40 and plain.isprintable()
    assert plain == text or not text.isprintable() or len(text) > 40
    assert plain in unescaped(refusal(number, text).say(EN)) and safe.encode()


@given(st.text(st.characters()))
def test_shown_is_one_short_printable_line(text):
    plain = unescaped(shown(text))
    assert len(plain) <= 40 and plain == plain.strip()
    assert "".join(c for c in plain if c not in unreadable.JOINING).isprintable()
    assert len(shown(text).splitlines()) <= 1


@pytest.mark.parametrize("text", [
    "https://a.bc", "www.a.bc", "a@b.cd", ":smile:", ":material_home:", "-- x", "a -> b", "a <= b", "a ~= b",
])
def test_what_streamlit_replaces_late_is_held_apart(text):
    held = shown(text).replace("\\", "")
    late = r"https?://|www(?=\.)|[-.\w+]+@|:[\w-]+:|(^|\s)(--|->|<=|~=)(\s|$)"
    assert re.search(late, text) and not re.search(late, held)


@pytest.mark.parametrize("text", [
    "\U0001f469\u200d\U0001f4bb", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "\U0001f3f4\U000e0067\U000e0062\U000e007f",
], ids=["woman technologist", "Persian", "flag with tags"])
def test_joiners_inside_emoji_and_scripts_stay(text):
    assert shown(text) == text
    assert shown("1\u200d2") == "1\ufffd2"


@pytest.mark.parametrize("module", [entry, unreadable])
def test_the_examples_hold(module):
    results = doctest.testmod(module)
    assert results.attempted and not results.failed
