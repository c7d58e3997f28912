"""Made-up vectors: the stated rule, repeated here digit by digit; what stays the same, and what is refused."""

import hashlib
import unicodedata

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from attention_core import project, scaled_dot_product_attention
from attention_core.embedding import embed_sentence, word_vectors
from attention_core.examples import six_words

WORDS = st.text(max_size=12)  # Hypothesis leaves surrogates out: text that UTF-8 can hold
SEEDS = st.integers(0, 2**32 - 1)


def component(seed, i, word):
    """The rule in other words than the core's: hexadecimal digits, and a walk over 21 equal parts."""
    text = str(seed) + ":" + str(i) + ":" + unicodedata.normalize("NFC", word).casefold()
    h = int(hashlib.sha256(text.encode("utf-8")).hexdigest()[:8], 16)
    part = next(part for part in range(21) if h * 21 < (part + 1) * 2**32)
    return float(f"{part - 10}e-1") + 0.0  # + 0.0: no negative zero


@given(st.lists(WORDS, max_size=5), st.integers(1, 7), SEEDS)
def test_the_stated_rule(words, d_model, seed):
    found = word_vectors(words, d_model, seed)
    assert found.shape == (len(words), d_model) and found.dtype == np.float64
    assert found.tolist() == [[component(seed, i, word) for i in range(d_model)] for word in words]
    assert not np.signbit(found[found == 0]).any()


def test_frozen_values():
    assert word_vectors(["kucing", "makan", "ikan"], 4, seed=0).tolist() == [
        [0.1, 0.5, -0.6, 0.5],
        [0.5, -0.5, -0.7, 0.3],
        [-0.8, 0.4, 0.9, 0.0],
    ]
    assert word_vectors(["Straße"], 3, seed=7).tolist() == [[0.3, 0.9, 0.5]]


@given(WORDS, st.lists(WORDS, max_size=4), SEEDS)
def test_a_word_keeps_its_vector_wherever_it_stands_and_however_wide(word, others, seed):
    alone = word_vectors([word], 5, seed)[0]
    assert (word_vectors([*others, word, *others], 5, seed)[len(others)] == alone).all()
    assert (word_vectors([word], 2, seed)[0] == alone[:2]).all()


@given(st.text("abcdefghijklmnopqrstuvwxyzäöüßéñ", min_size=1))
def test_spelling_variants_are_one_word(word):
    variants = [word, word.upper(), word.title(), unicodedata.normalize("NFD", word)]
    assert len({tuple(row) for row in word_vectors(variants, 6, seed=3).tolist()}) == 1


@given(WORDS, WORDS, SEEDS, SEEDS)
def test_other_words_and_other_seeds_get_other_vectors(word, other, seed, other_seed):
    assume(unicodedata.normalize("NFC", word).casefold() != unicodedata.normalize("NFC", other).casefold())
    assume(seed != other_seed)
    wide = word_vectors([word, other], 24, seed)  # 21**24 vectors: two of them will not meet by chance
    assert (wide[0] != wide[1]).any()
    assert (wide[0] != word_vectors([word], 24, other_seed)[0]).any()


def test_all_21_values_come_up_equally_often():
    values, counts = np.unique(word_vectors(map(str, range(2100)), 10, seed=0), return_counts=True)
    assert values.tolist() == [tenths / 10 for tenths in range(-10, 11)]
    assert abs(counts - 1000).max() < 150  # 1000 each; the standard deviation is 31
    assert ((counts - 1000) ** 2 / 1000).sum() < 45.3  # chi-squared with 20 degrees of freedom: 0.999 lie below


def test_no_words_make_no_rows():
    assert word_vectors([], 3, seed=0).shape == embed_sentence([]).shape == (0, 3)


def test_own_words_of_the_example_keep_their_vectors():
    example = six_words()
    np.testing.assert_array_equal(embed_sentence(example.tokens, seed=5), example.x)
    found = embed_sentence((word for word in ["MAT", "dog", "THE", "tHe"]), seed=5)
    np.testing.assert_array_equal(found, [example.x[5], word_vectors(["dog"], 3, 5)[0], example.x[0], example.x[0]])
    assert (embed_sentence(["dog"], seed=6) != embed_sentence(["dog"], seed=5)).any()
    assert (embed_sentence(["dog"]) == embed_sentence(["dog"], seed=0)).all()


def test_a_sentence_of_ones_own_goes_through_attention():
    example = six_words()
    projection = project(embed_sentence(["Kucing", "sat", "🐟"]), example.w_query, example.w_key, example.w_value)
    weights = scaled_dot_product_attention(projection.query, projection.key, projection.value).weights
    np.testing.assert_allclose(weights.sum(axis=-1), 1, rtol=1e-14)


@given(st.lists(st.text(st.characters(), max_size=6), max_size=4))
def test_any_text_works_or_is_refused_by_name(words):
    surrogates = [i for i, word in enumerate(words) if any(0xD800 <= ord(c) <= 0xDFFF for c in word)]
    if not surrogates:
        assert embed_sentence(words).shape == (len(words), 3)
        return
    with pytest.raises(ValueError, match=rf"^word {surrogates[0]} .*surrogate") as caught:
        embed_sentence(words)
    assert not isinstance(caught.value, UnicodeError) and str(caught.value).isascii()


@pytest.mark.parametrize("word", ["\ud800", "ab\udfff", "\udcff\udcfe", "\ud83d\udc1f"])
def test_half_a_surrogate_pair_is_refused(word):
    for call in (lambda: word_vectors(["ok", word], 3, 0), lambda: embed_sentence(["ok", word])):
        with pytest.raises(ValueError, match="word 1 .*surrogate") as caught:
            call()
        assert not isinstance(caught.value, UnicodeError)


@pytest.mark.parametrize("word", ["", " ", "\0", "a:b", "0:1:", "🐟", "كلب", "e\u0301", "\uffff", "x" * 10_000])
def test_odd_words_work(word):
    assert word_vectors([word], 3, 0)[0].tolist() == [component(0, i, word) for i in range(3)]


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (("the cat", 3, 0), TypeError, ["words", "list", "str", "split"]),
        ((b"the cat", 3, 0), TypeError, ["words", "bytes"]),
        ((None, 3, 0), TypeError, ["words", "NoneType"]),
        ((["a", 5], 3, 0), TypeError, ["word 1", "int"]),
        ((["a"], 0, 0), ValueError, ["d_model", "at least 1", "0"]),
        ((["a"], 3.0, 0), TypeError, ["d_model", "3.0"]),
        ((["a"], 3, -1), ValueError, ["seed", "at least 0", "-1"]),
        ((["a"], 3, True), TypeError, ["seed", "True"]),
        ((["a"], 3, 2**32), ValueError, ["seed", "2**32"]),
        ((["a"], 3, 10**5000), ValueError, ["seed", "2**32"]),
    ],
)
def test_refusals_name_what_is_wrong(arguments, error, words):
    with pytest.raises(error) as caught:
        word_vectors(*arguments)
    for word in words:
        assert word in str(caught.value)
