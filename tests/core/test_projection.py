"""Projections: the formula and the refusals that name both matrices."""

import numpy as np
import pytest

from attention_core import project


def test_projection_is_three_products(random):
    x, w_query, w_key, w_value = (random.normal(size=s) for s in ((2, 3), (3, 5), (3, 5), (3, 7)))
    found = project(x, w_query, w_key, w_value)
    np.testing.assert_allclose(found.query, x @ w_query, rtol=1e-14)
    np.testing.assert_allclose(found.key, x @ w_key, rtol=1e-14)
    np.testing.assert_allclose(found.value, x @ w_value, rtol=1e-14)


def test_leading_axes_and_dtypes(random):
    x = random.normal(size=(4, 2, 3)).astype(np.float32)
    w = random.normal(size=(3, 5)).astype(np.float32)
    found = project(x, w, w, w)
    assert found.query.shape == (4, 2, 5) and found.query.dtype == np.float32
    np.testing.assert_allclose(found.query[1], x[1] @ w, rtol=1e-5)
    assert project([[1, 2]], [[1], [1]], [[1], [1]], [[0.5], [0.5]]).value.dtype == np.float64
    per_head = project(x[:, None], random.normal(size=(7, 3, 5)), random.normal(size=(7, 3, 5)), w)
    assert per_head.key.shape == (4, 7, 2, 5)


def test_no_view_of_the_input():
    identity = np.eye(2)
    found = project(identity, identity, identity, identity)
    assert not any(np.shares_memory(a, identity) for a in (found.query, found.key, found.value))


def test_cancelling_products_beyond_the_largest_float():
    found = project([[1e308, 1e308]], [[10.0], [-10.0]], [[1.0], [0.0]], [[1.0], [0.0]])
    assert found.query.tolist() == [[0.0]]


ONES = np.ones
GOOD = (ONES((2, 4)), ONES((4, 3)), ONES((4, 3)), ONES((4, 5)))


@pytest.mark.parametrize(
    ("position", "bad", "error", "words"),
    [
        (2, ONES((4, 2)), ValueError, ["W_Q (4, 3) has 3", "W_K (4, 2) has 2", "d_k"]),
        (1, ONES((3, 3)), ValueError, ["W_Q (3, 3) has 3 rows", "X (2, 4) has 4 columns"]),
        (2, ONES((5, 3)), ValueError, ["W_K (5, 3) has 5 rows", "X (2, 4) has 4 columns"]),
        (3, ONES((6, 5)), ValueError, ["W_V (6, 5) has 6 rows", "X (2, 4) has 4 columns"]),
        (0, ONES(4), ValueError, ["X", "(4,)", "2 dim"]),
        (0, ONES((3, 2, 4)), None, []),
        (3, ONES((7, 4, 5)), None, []),
        (0, [[np.nan] * 4], ValueError, ["X", "NaN", "[0, 0]"]),
        (1, [["a"] * 3] * 4, TypeError, ["W_Q", "text"]),
        (2, None, TypeError, ["W_K", "None"]),
        (3, np.full((4, 5), 1e308), ValueError, ["V = X W_V", "inf", "float64"]),
    ],
)
def test_refusals_name_what_is_wrong(position, bad, error, words):
    arguments = [*GOOD[:position], bad, *GOOD[position + 1 :]]
    if error is None:
        assert project(*arguments).value.shape[-1] == 5
        return
    with pytest.raises(error) as caught:
        project(*arguments)
    for word in words:
        assert word in str(caught.value)


def test_leading_axes_that_clash_are_named():
    with pytest.raises(ValueError, match=r"X \(2, 2, 4\).*W_Q \(3, 4, 3\)"):
        project(ONES((2, 2, 4)), ONES((3, 4, 3)), ONES((4, 3)), ONES((4, 5)))
