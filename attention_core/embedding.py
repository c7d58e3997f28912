"""Made-up vectors for a reader's own words: one stated rule, the same numbers on every machine."""

import hashlib
import unicodedata
from collections.abc import Iterable

import numpy as np

from .checks import integer
from .examples import six_words


def word_vectors(words: Iterable[str], d_model: int, seed: int) -> np.ndarray:
    """Give every word a vector by a rule that anybody can repeat; nothing is learnt, and nothing is meant.

    Component i of a word comes from the SHA-256 digest of the UTF-8 text ``seed:i:word``, the word in Unicode's form
    NFC and casefolded. The first 4 bytes, read as a whole number h (big endian), choose one of the 21 values -1.0,
    -0.9, ... 1.0, which are short enough to calculate with by hand: ``(h * 21 // 2**32 - 10) / 10``.

    Parameters
    ----------
    words : iterable of str
        The words; capital and small letters are the same.
    d_model : int
        The width of a vector, at least 1.
    seed : int
        0 to 2**32 - 1. The same word and seed always give the same vector.

    Returns
    -------
    np.ndarray, shape (n, d_model)
        X, one row per word.

    Raises
    ------
    TypeError
        If `words` is one text instead of several, an entry is no text, or a size is no whole number.
    ValueError
        If a word holds half a surrogate pair, or a number is out of range.

    Examples
    --------
    >>> word_vectors(["Ikan", "makan", "ikan"], d_model=3, seed=0)
    array([[-0.8,  0.4,  0.9],
           [ 0.5, -0.5, -0.7],
           [-0.8,  0.4,  0.9]])
    """
    words = _word_list(words)
    d_model, seed = integer("d_model", d_model, at_least=1), integer("seed", seed, at_least=0)
    if seed >= 2**32:
        raise ValueError("seed must be less than 2**32.")
    tenths = [[_tenths(f"{seed}:{i}:{_folded(word)}") for i in range(d_model)] for word in words]
    return np.array(tenths, dtype=np.int64).reshape(len(words), d_model) / 10  # (n, d_model), even for no word at all


def embed_sentence(words: Iterable[str], seed: int = 0) -> np.ndarray:
    """Embed a sentence for the worked example: its own words keep their vectors, all others get a made-up one.

    Parameters
    ----------
    words : iterable of str
        The words of the sentence.
    seed : int, default 0
        Of the made-up vectors, as in `word_vectors`.

    Returns
    -------
    np.ndarray, shape (n, 3)
        X, which fits W_Q, W_K and W_V of `attention_core.examples.six_words`.

    Raises
    ------
    TypeError, ValueError
        As `word_vectors` does.

    Examples
    --------
    >>> embed_sentence(["the", "dog", "sat"])
    array([[ 0.3,  0.2,  0.1],
           [ 0.8,  0.8, -0.8],
           [ 0.4,  0.8,  0.4]])
    """
    words, example = _word_list(words), six_words()
    x = word_vectors(words, example.x.shape[1], seed)
    known = {_folded(token): vector for token, vector in zip(example.tokens, example.x, strict=True)}
    for position, word in enumerate(words):
        x[position] = known.get(_folded(word), x[position])
    return x


def _word_list(words):
    """Return the words as a list, once each of them is text that UTF-8 can hold."""
    if isinstance(words, (str, bytes)) or not isinstance(words, Iterable):
        raise TypeError(f"words must be a list of words, not {type(words).__name__}; split a sentence first.")
    words = list(words)
    for position, word in enumerate(words):
        if not isinstance(word, str):
            raise TypeError(f"word {position} must be text, not {type(word).__name__}.")
        if any("\ud800" <= character <= "\udfff" for character in word):
            raise ValueError(f"word {position} ({ascii(word)}) holds half a surrogate pair, which is no character.")
    return words


def _folded(word):
    return unicodedata.normalize("NFC", word).casefold()


def _tenths(text):
    """Return a whole number from -10 to 10 that the text alone decides."""
    h = int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")
    return h * 21 // 2**32 - 10
