"""Masks, entry by entry, against their definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import causal_mask, combine_masks, padding_mask, sliding_window_mask

sizes = st.integers(0, 9)


@given(sizes, sizes, st.sampled_from(["top_left", "bottom_right"]))
def test_causal_mask_is_its_definition(n, m, alignment):
    ahead = m - n if alignment == "bottom_right" else 0
    expected = np.array([[j <= i + ahead for j in range(m)] for i in range(n)], dtype=bool).reshape(n, m)
    found = causal_mask(n, m, alignment=alignment)
    assert found.dtype == bool and found.shape == (n, m)
    assert (found == expected).all()


def test_causal_mask_in_numbers():
    assert causal_mask(6).sum() == 21  # of 36 entries
    assert causal_mask(6)[2].sum() == 3  # "sat" sees three words
    assert causal_mask(2, 5)[0].tolist() == [True, False, False, False, False]
    assert causal_mask(2, 5, "bottom_right")[0].tolist() == [True, True, True, True, False]
    assert causal_mask(5, 2, "bottom_right").sum(axis=1).tolist() == [0, 0, 0, 1, 2]


@given(sizes, sizes, st.integers(0, 5), st.integers(0, 5))
def test_window_is_its_definition(n, m, left, right):
    expected = np.array([[i - left <= j <= i + right for j in range(m)] for i in range(n)], dtype=bool).reshape(n, m)
    assert (sliding_window_mask(n, m, left=left, right=right) == expected).all()


def test_default_sizes_are_square():
    assert causal_mask(3).shape == sliding_window_mask(3).shape == (3, 3)
    assert (sliding_window_mask(4) == np.eye(4, dtype=bool)).all()


@given(st.lists(st.integers(0, 7), min_size=1, max_size=6))
def test_padding_counts_the_real_keys(lengths):
    found = padding_mask(lengths, 7)
    assert found.shape == (len(lengths), 1, 7) and found.dtype == bool
    assert (found.sum(axis=-1)[:, 0] == lengths).all()
    assert (np.diff(found.astype(int), axis=-1) <= 0).all()  # real keys come first


def test_padding_takes_lengths_of_any_shape():
    assert padding_mask(2, 3).tolist() == [[True, True, False]]
    assert padding_mask(np.int64(0), 3).sum() == 0
    assert padding_mask([[1, 2], [3, 0]], 3).shape == (2, 2, 1, 3)
    assert padding_mask(np.array([1, 2], np.uint8), 3).shape == (2, 1, 3)
    assert padding_mask([], 3).shape == (0, 1, 3)
    assert padding_mask(0, 0).shape == (1, 0)


def test_combining_is_and():
    a, b = np.array([[True, True, False, False]]), np.array([[True], [False]])
    assert combine_masks(a, None, b).tolist() == [[True, True, False, False], [False] * 4]
    assert combine_masks() is None and combine_masks(None, None) is None
    copy = combine_masks(a)
    copy[0, 0] = False
    assert a[0, 0], "the result is no view of its input"


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: causal_mask(-1), ValueError, ["n_queries", "-1"]),
        (lambda: causal_mask(2, -3), ValueError, ["n_keys", "-3"]),
        (lambda: causal_mask(2.0), TypeError, ["n_queries", "2.0"]),
        (lambda: causal_mask(True), TypeError, ["n_queries", "True"]),
        (lambda: causal_mask("3"), TypeError, ["n_queries", "'3'"]),
        (lambda: causal_mask(2, alignment="center"), ValueError, ["alignment", "center", "top_left", "bottom_right"]),
        (lambda: causal_mask(2, alignment=None), ValueError, ["alignment", "None"]),
        (lambda: sliding_window_mask(3, left=-1), ValueError, ["left", "-1"]),
        (lambda: sliding_window_mask(3, right=1.5), TypeError, ["right", "1.5"]),
        (lambda: padding_mask([1, 4], 3), ValueError, ["lengths", "4", "[1]", "3"]),
        (lambda: padding_mask([[0, -2]], 3), ValueError, ["lengths", "-2", "[0, 1]"]),
        (lambda: padding_mask([1.0], 3), TypeError, ["lengths", "float64"]),
        (lambda: padding_mask([True], 3), TypeError, ["lengths", "bool"]),
        (lambda: padding_mask(["a"], 3), TypeError, ["lengths"]),
        (lambda: padding_mask([[1], [1, 2]], 3), ValueError, ["lengths"]),
        (lambda: padding_mask([1], 2.5), TypeError, ["n_keys", "2.5"]),
        (lambda: combine_masks([[1, 0]]), TypeError, ["mask 0", "int64"]),
        (lambda: combine_masks([True], [0.0]), TypeError, ["mask 1", "float64"]),
        (lambda: combine_masks(np.ones((2, 3), bool), np.ones((4,), bool)), ValueError, ["mask 1", "(2, 3)", "(4,)"]),
    ],
)
def test_refusals_name_what_is_wrong(call, error, words):
    with pytest.raises(error) as caught:
        call()
    for word in words:
        assert word in str(caught.value)
