"""The hard search: what it takes, and that the softmax becomes it when the scale grows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attention_core import causal_mask, scaled_dot_product_attention, softmax
from attention_core.lookup import hard_lookup

V = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
SIZES = st.tuples(st.integers(1, 5), st.integers(1, 7))  # n, m


@st.composite
def searches(draw):
    """Whole-numbered scores (so that ties occur, and no gap is below 1), values and who may be seen."""
    n, m = draw(SIZES)
    scores = draw(hnp.arrays(np.float64, (n, m), elements=st.integers(-4, 4)))
    value = draw(hnp.arrays(np.float64, (m, 3), elements=st.integers(-100, 100)))
    return scores, value, draw(hnp.arrays(bool, (n, m)))


@given(searches())
def test_softmax_becomes_the_lookup_as_the_scale_grows(search):
    scores, value, allowed = search
    found = hard_lookup(scores, value, allowed)
    soft = softmax(np.where(allowed, 1000 * scores, -np.inf))  # a gap of 1 becomes exp(-1000), which is 0
    np.testing.assert_array_equal(found.weights[~found.tied], soft[~found.tied])
    np.testing.assert_array_equal(found.output[~found.tied], (soft @ value)[~found.tied])
    for i in np.flatnonzero(found.tied):  # in the limit the tied keys share; the first of them is the lookup's
        assert 0 < soft[i, found.best[i]] < 1 and np.flatnonzero(soft[i])[0] == found.best[i]


def test_the_way_there_is_monotone(random):
    scores, value = random.normal(size=(5, 7)), random.normal(size=(7, 3))
    found = hard_lookup(scores, value)
    gaps = [abs(softmax(scale * scores) - found.weights).max() for scale in (1, 3, 10, 30, 100, 1e6)]
    assert not found.tied.any() and gaps == sorted(gaps, reverse=True) and gaps[-1] == 0


def test_attention_with_a_huge_scale_is_the_lookup(qkv):
    query, key, value = qkv
    allowed = causal_mask(2, 3)
    attention = scaled_dot_product_attention(query, key, value, attn_mask=allowed, scale=1e6)
    found = hard_lookup(attention.scores, value, allowed)
    np.testing.assert_array_equal(found.weights, attention.weights)
    np.testing.assert_array_equal(found.output, attention.output)


@given(searches())
def test_what_the_parts_mean(search):
    scores, value, allowed = search
    found = hard_lookup(scores, value, allowed)
    for i, best in enumerate(found.best):
        seen = {j: scores[i, j] for j in range(scores.shape[1]) if allowed[i, j]}
        tops = [j for j, score in seen.items() if score == max(seen.values())]
        assert best == (tops[0] if tops else -1) and found.tied[i] == (len(tops) > 1)
        assert found.weights[i].tolist() == [float(j == best) for j in range(scores.shape[1])]
        assert found.output[i].tolist() == (value[best].tolist() if tops else [0, 0, 0])


def test_printed_numbers():
    allowed = [[True] * 3, [True] * 3, [False] * 3]
    found = hard_lookup([[0.1, 0.7, 0.2], [2.0, 1.0, 2.0], [9.0, 9.0, 1.0]], V, allowed)
    assert found.best.tolist() == [1, 0, -1] and found.tied.tolist() == [False, True, False]
    assert found.weights.tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    assert found.output.tolist() == [[3, 4], [1, 2], [0, 0]]


def test_minus_infinity_hides_like_a_mask():
    found = hard_lookup([[-np.inf, -5.0, -np.inf], [-np.inf] * 3], V)
    assert found.best.tolist() == [1, -1] and found.tied.tolist() == [False, False]
    assert found.output.tolist() == [[3, 4], [0, 0]]


def test_hidden_keys_do_not_tie():
    found = hard_lookup([[7.0, 7.0, 1.0]], V, np.array([False, True, True]))
    assert found.best.tolist() == [1] and not found.tied[0]


def test_no_keys_find_nothing():
    found = hard_lookup(np.zeros((2, 0)), np.zeros((0, 3)))
    assert found.best.tolist() == [-1, -1] and found.tied.tolist() == [False, False]
    assert found.weights.shape == (2, 0) and found.output.tolist() == [[0, 0, 0], [0, 0, 0]]


def test_leading_axes_dtypes_and_no_view(random):
    scores = random.normal(size=(4, 2, 3)).astype(np.float32)
    found = hard_lookup(scores, V.astype(np.float32))
    assert found.output.shape == (4, 2, 2) and found.output.dtype == found.weights.dtype == np.float32
    assert found.best.dtype.kind == "i" and found.tied.dtype == bool
    for head in range(4):
        np.testing.assert_array_equal(found.output[head], hard_lookup(scores[head], V).output)
    assert hard_lookup([[1, 2, 3]], V).output.dtype == np.float64
    assert not np.shares_memory(hard_lookup([[1.0]], V[:1]).output, V)


GOOD = (np.ones((2, 3)), V, np.ones((2, 3), dtype=bool))


@pytest.mark.parametrize(
    ("position", "bad", "error", "words"),
    [
        (0, [1.0, 2.0, 3.0], ValueError, ["scores", "2 dim", "(3,)"]),
        (0, [[np.nan, 1, 2]], ValueError, ["scores", "NaN", "[0, 0]"]),
        (0, [[np.inf, 1, 2]], ValueError, ["scores", "+inf"]),
        (1, np.ones((4, 2)), ValueError, ["V (4, 2) has 4 rows", "scores (2, 3) have 3 keys"]),
        (1, [["a"]] * 3, TypeError, ["V", "text"]),
        (1, None, TypeError, ["V", "None"]),
        (2, np.ones((2, 3)), TypeError, ["allowed", "boolean", "float64"]),
        (2, np.ones((2, 3), dtype=int), TypeError, ["boolean", "int64"]),
        (2, np.ones((3, 3), dtype=bool), ValueError, ["mask (3, 3)", "2 queries", "3 keys"]),
    ],
)
def test_refusals_name_what_is_wrong(position, bad, error, words):
    with pytest.raises(error) as caught:
        hard_lookup(*GOOD[:position], bad, *GOOD[position + 1 :])
    for word in words:
        assert word in str(caught.value)
