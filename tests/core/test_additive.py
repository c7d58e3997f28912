"""Bahdanau's scores against their definition, pair by pair."""

import math

import numpy as np
import pytest

from attention_core import additive_attention, softmax


@pytest.fixture
def arrays(random):
    """n=2, m=3, d_q=5, d_k=7, d_v=11, d_a=13."""
    return [random.normal(size=s) for s in ((2, 5), (3, 7), (3, 11), (13, 5), (13, 7), (13,))]


def test_scores_pair_by_pair(arrays):
    query, key, value, w_query, w_key, v = arrays
    found = additive_attention(*arrays)
    for i in range(2):
        for j in range(3):
            hidden = [math.tanh(w_query[a] @ query[i] + w_key[a] @ key[j]) for a in range(13)]
            assert found.scores[i, j] == pytest.approx(v @ hidden, rel=1e-12)
    np.testing.assert_allclose(found.weights, softmax(found.scores), rtol=1e-14)
    np.testing.assert_allclose(found.output, found.weights @ value, rtol=1e-13)
    assert (found.scaled == found.scores).all() and found.scale == 1 and found.allowed is None


def test_masks(arrays):
    boolean = additive_attention(*arrays, attn_mask=[[True, False, True], [False] * 3])
    assert boolean.weights[0, 1] == 0 and (boolean.output[1] == 0).all()
    causal = additive_attention(*arrays, is_causal=True)
    assert causal.weights[0].tolist() == [1, 0, 0] and causal.weights[1, 2] == 0
    bias = np.array([[0.0, 2.0, -np.inf]])
    biased = additive_attention(*arrays, attn_mask=bias)
    np.testing.assert_allclose(biased.weights, softmax(biased.scores + bias), rtol=1e-13)


def test_leading_axes_broadcast(arrays, random):
    query = random.normal(size=(4, 1, 2, 5))
    found = additive_attention(query, *arrays[1:])
    assert found.weights.shape == (4, 1, 2, 3)
    for i in range(4):
        np.testing.assert_allclose(found.output[i, 0], additive_attention(query[i, 0], *arrays[1:]).output, rtol=1e-12)


def test_extremes_dtypes_and_empty_axes(arrays):
    huge = additive_attention([[1e308]], [[1e308]], [[1.0]], [[10.0]], [[-10.0]], [1.0])
    assert huge.scores.tolist() == [[0.0]], "inf - inf on the way, 0 in truth"
    assert additive_attention(*(a.astype(np.float32) for a in arrays)).output.dtype == np.float32
    none = additive_attention(arrays[0], np.zeros((0, 7)), np.zeros((0, 11)), *arrays[3:])
    assert none.output.tolist() == [[0.0] * 11] * 2


@pytest.mark.parametrize(
    ("position", "bad", "error", "words"),
    [
        (3, np.ones((13, 4)), ValueError, ["W_1", "(13, 4)", "Q (2, 5) has 5"]),
        (4, np.ones((13, 6)), ValueError, ["W_2", "(13, 6)", "K (3, 7) has 7"]),
        (4, np.ones((12, 7)), ValueError, ["W_1", "13", "W_2", "12"]),
        (5, np.ones(12), ValueError, ["v", "12", "13"]),
        (5, np.ones((13, 1)), ValueError, ["v", "1 dim", "(13, 1)"]),
        (3, np.ones((2, 13, 5)), ValueError, ["W_1", "2 dim"]),
        (2, np.ones((4, 11)), ValueError, ["K (3, 7) has 3", "V (4, 11) has 4"]),
        (5, [np.nan] * 13, ValueError, ["v", "NaN", "[0]"]),
        (0, None, TypeError, ["Q", "None"]),
    ],
)
def test_refusals_name_what_is_wrong(arrays, position, bad, error, words):
    arrays[position] = bad
    with pytest.raises(error) as caught:
        additive_attention(*arrays)
    for word in words:
        assert word in str(caught.value)
