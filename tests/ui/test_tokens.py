"""Tokens of a typed sentence: nothing typed is lost, punctuation stands alone, and no text breaks or turns the page."""

import doctest
import time
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.ui.typed import tokens as module
from pages.ui.typed.tokens import BLANK, LONGEST, MOST, TURNING, cut, sentence_tokens

ALPHABET = "aé1 ,.!'\u2019-\u0301\u200d\ufe0f\U0001f469\U0001f4bb<>\u202e\x00\t\u200b\u094d\u0915"
TEXTS = st.text(max_size=200) | st.text(ALPHABET, max_size=200)


def characters(text):
    """All characters of a text but white space, controls and bidi marks."""
    kept = "".join(c for c in text[:LONGEST] if c not in TURNING and unicodedata.category(c) != "Cs" and (
        unicodedata.category(c) != "Cc" or c.isspace()))
    return "".join(c for c in unicodedata.normalize("NFC", kept) if not c.isspace() and c not in BLANK)


@given(TEXTS)
def test_nothing_typed_is_lost(text):
    assert "".join(cut(text)) == characters(text)


@given(TEXTS)
def test_a_token_is_never_empty_or_blank(text):
    assert all(token and not any(c.isspace() or c in TURNING or c in BLANK for c in token) for token in cut(text))


@given(TEXTS)
def test_punctuation_stands_alone(text):
    """Only a mark on it, or in a word an apostrophe or hyphen, shares its token."""
    for token in cut(text):
        if unicodedata.category(token[0])[0] == "P":
            assert all(unicodedata.category(c)[0] == "M" for c in token[1:])
        else:
            inner = [c for c in token[1:] if unicodedata.category(c)[0] == "P"]
            assert all(c in "'’-‐‑" for c in inner)
            assert not inner or token[-1] not in inner
            assert not any(a in inner and b in inner for a, b in pairwise(token))


@given(st.text(max_size=40))
def test_tokens_cut_again_are_the_same(text):
    tokens = cut(text)
    if len(" ".join(tokens)) <= LONGEST:
        assert cut(" ".join(tokens)) == tokens


@given(TEXTS)
def test_both_spellings_of_an_accent_are_one_token(text):
    short = text[:50]
    assert cut(unicodedata.normalize("NFD", short)[:LONGEST]) == cut(unicodedata.normalize("NFC", short)) or (
        any(c in TURNING or unicodedata.category(c) == "Cc" for c in short)
        or len(unicodedata.normalize("NFD", short)) > LONGEST
    )


@pytest.mark.parametrize(("text", "tokens"), [
    ("", []), (" \t\n\u3000\u00a0", []), ("\x00\u202e\u2066\u200f\u061c", []), ("\u200b\ufeff", []),
    ("Ibu memasak ikan.", ["Ibu", "memasak", "ikan", "."]),
    ("don't", ["don't"]), ("don’t", ["don’t"]), ("kupu-kupu", ["kupu-kupu"]), ("ke-2", ["ke-2"]),
    ("COVID-19", ["COVID-19"]),
    ("kupu\u2011kupu\u2010an", ["kupu\u2011kupu\u2010an"]), ("Jum'at-nya", ["Jum'at-nya"]),
    ("e\u0301-a", ["é-a"]),
    ("'quoted'", ["'", "quoted", "'"]), ("a--b", ["a", "-", "-", "b"]), ("-a-", ["-", "a", "-"]), ("a - b", ["a",
    "-", "b"]),
    ("a-'b", ["a", "-", "'", "b"]), ("“Hi!”", ["“", "Hi", "!", "”"]), ("3.5", ["3", ".", "5"]), ("x_1", ["x",
    "_", "1"]),
    ("a\u00a0b\u2003c\u2028d", ["a", "b", "c", "d"]), ("a\tb\nc", ["a", "b", "c"]), ("a\u200bb", ["a", "b"]),
    ("a\x00b", ["ab"]),
    ("a\u202eb", ["ab"]),
    ("<b>x</b>", ["<b>x<", "/", "b>"]), ("$x^2$", ["$x^2$"]), ("e\u0301", ["é"]), ("e\x00\u0301", ["é"]),
    ("👩\u200d💻 👍🏽 🇮🇩", ["👩\u200d💻", "👍🏽", "🇮🇩"]), ("ok👩\u200d💻!", ["ok👩\u200d💻", "!"]),
    ("1️⃣ #️⃣", ["1️⃣",
    "#️⃣"]), ("‼️", ["‼️"]),
    ("שלום, עולם", ["שלום", ",", "עולם"]), ("مرحبا، عالم", ["مرحبا", "،", "عالم"]), ("日本語。", ["日本語", "。"]),
    ("हिन्दी-में।", ["हिन्दी-में", "।"]), ("a\ud800b", ["ab"]),
], ids=ascii)
def test_how_sentences_are_cut(text, tokens):
    assert cut(text) == tokens


def test_at_most_twelve_tokens_and_the_rest_is_counted():
    twelve, more = sentence_tokens("a " * MOST), sentence_tokens("a " * (MOST + 3))
    assert (twelve.tokens, twelve.dropped, twelve.unread) == (("a",) * MOST, 0, 0)
    assert (more.tokens, more.dropped) == (("a",) * MOST, 3)
    assert sentence_tokens("").tokens == () and sentence_tokens(" \n").dropped == 0


def test_characters_beyond_the_longest_are_counted():
    assert sentence_tokens("x" * LONGEST).unread == 0
    long = sentence_tokens("x" * (LONGEST + 5))
    assert (long.tokens, long.dropped, long.unread) == (("x" * LONGEST,), 0, 5)


@given(TEXTS)
def test_what_is_kept_and_what_is_dropped_is_all(text):
    found = sentence_tokens(text)
    assert len(found.tokens) <= MOST and len(found.tokens) + found.dropped == len(cut(text))
    assert list(found.tokens) == cut(text)[:MOST]
    assert found.unread == max(0, len(text) - LONGEST)


@pytest.mark.parametrize("piece", ["a", " ", "!", "a-", "\u0301\u0323", "\u200d", "👩\u200d", "\x00",
    "'"], ids=ascii)
def test_no_text_takes_long(piece):
    began = time.process_time()
    sentence_tokens(piece * 1_000_000)
    assert time.process_time() - began < 0.2


def test_the_examples_hold():
    results = doctest.testmod(module)
    assert results.attempted and not results.failed
