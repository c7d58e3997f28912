"""Laws of the softmax, its Jacobian and its entropy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attention_core import entropy, softmax, softmax_jacobian

shapes = hnp.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=6)
any_scores = hnp.arrays(
    np.float64, shapes, elements=st.floats(allow_nan=False, allow_infinity=False) | st.just(-np.inf)
)
tame_scores = hnp.arrays(np.float64, shapes, elements=st.floats(-50, 50))


@given(any_scores, st.data())
def test_rows_sum_to_one_or_are_wholly_masked(scores, data):
    axis = data.draw(st.integers(-scores.ndim, scores.ndim - 1))
    weights = softmax(scores, axis=axis)
    masked = (scores == -np.inf).all(axis=axis)
    np.testing.assert_allclose(weights.sum(axis=axis), np.where(masked, 0, 1), rtol=1e-14)
    assert ((weights >= 0) & (weights <= 1)).all()
    assert (weights[scores == -np.inf] == 0).all()


@given(tame_scores, st.floats(-1e3, 1e3))
def test_a_shift_of_all_scores_changes_nothing(scores, shift):
    np.testing.assert_allclose(softmax(scores + shift), softmax(scores), rtol=1e-11, atol=1e-300)


@given(any_scores)
def test_a_larger_score_never_gets_a_smaller_weight(scores):
    weights = softmax(scores)
    order = np.argsort(scores, axis=-1, kind="stable")
    assert (np.diff(np.take_along_axis(weights, order, axis=-1), axis=-1) >= 0).all()


@given(tame_scores, st.data())
def test_any_axis_equals_that_axis_moved_last(scores, data):
    axis = data.draw(st.integers(-scores.ndim, scores.ndim - 1))
    moved = np.moveaxis(softmax(np.moveaxis(scores, axis, -1)), -1, axis)
    np.testing.assert_allclose(softmax(scores, axis), moved, rtol=1e-14)


@given(hnp.arrays(np.float64, st.integers(1, 6), elements=st.floats(-5, 5)))
def test_jacobian_equals_central_differences(scores):
    jacobian, h = softmax_jacobian(softmax(scores)), 1e-5
    for j, step in enumerate(np.eye(scores.size) * h):
        numeric = (softmax(scores + step) - softmax(scores - step)) / (2 * h)
        np.testing.assert_allclose(jacobian[:, j], numeric, atol=1e-9)


@given(any_scores)
def test_jacobian_is_symmetric_and_its_rows_sum_to_zero(scores):
    weights = softmax(scores)
    jacobian = softmax_jacobian(weights)
    assert jacobian.shape == (*scores.shape, scores.shape[-1])
    assert (jacobian == jacobian.swapaxes(-1, -2)).all()
    assert (np.diagonal(jacobian, axis1=-2, axis2=-1) >= 0).all()
    np.testing.assert_allclose(jacobian.sum(axis=-1), 0, atol=1e-16)
    textbook = np.eye(weights.shape[-1]) * weights[..., None] - weights[..., None] * weights[..., None, :]
    np.testing.assert_allclose(jacobian, textbook, atol=1e-15)


def test_jacobian_survives_saturation():
    weights = softmax([0.0, 40.0, 1.0])
    assert weights[1] == 1.0
    np.testing.assert_allclose(softmax_jacobian(weights)[1, 1], 1.5796578428307375e-17, rtol=1e-12)


@given(any_scores)
def test_entropy_lies_between_zero_and_log_m(scores):
    found = entropy(softmax(scores))
    assert found.shape == scores.shape[:-1]
    assert (found >= 0).all() and (found <= np.log(scores.shape[-1]) + 1e-12).all()


def test_entropy_of_known_weights():
    np.testing.assert_allclose(entropy([[0.25] * 4, [1, 0, 0, 0], [0, 0, 0, 0]]), [np.log(4), 0, 0], atol=1e-15)
    np.testing.assert_allclose(entropy([[0.5, 1.0], [0.5, 0.0]], axis=0), [np.log(2), 0], atol=1e-15)
    assert not np.signbit(entropy([1.0, 0.0]))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int64, np.uint8, bool])
def test_dtypes(dtype):
    weights = softmax(np.ones((2, 3), dtype))
    assert weights.dtype == {np.float16: np.float32, np.float32: np.float32}.get(dtype, np.float64)
    np.testing.assert_allclose(weights, 1 / 3, rtol=1e-6)


def test_empty_scores():
    assert softmax(np.zeros((2, 0))).shape == (2, 0)
    assert softmax(np.zeros((0, 3))).shape == (0, 3)
    assert entropy(np.zeros((2, 0))).tolist() == [0, 0]
    assert softmax_jacobian(np.zeros((2, 0))).shape == (2, 0, 0)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: softmax([[0.0, np.nan]]), ValueError, ["scores", "NaN", "[0, 1]"]),
        (lambda: softmax([0.0, np.inf]), ValueError, ["scores", "+inf", "[1]"]),
        (lambda: softmax(3.0), ValueError, ["scores", "1 dim"]),
        (lambda: softmax([1.0], axis=1), ValueError, ["axis 1", "1 dim"]),
        (lambda: softmax([1.0], axis=-2), ValueError, ["axis -2"]),
        (lambda: softmax([1.0], axis=None), TypeError, ["axis"]),
        (lambda: softmax(["a"]), TypeError, ["scores", "text"]),
        (lambda: softmax([1j]), TypeError, ["scores", "complex"]),
        (lambda: softmax(None), TypeError, ["scores", "None"]),
        (lambda: softmax_jacobian([2.0, -1.0]), ValueError, ["weights", "-1.0", "[1]"]),
        (lambda: softmax_jacobian([0.5, 0.2]), ValueError, ["weights", "0.7"]),
        (lambda: entropy([[4.0, 3.0]]), ValueError, ["weights", "sum to 1", "7.0"]),
        (lambda: entropy([0.5, np.nan]), ValueError, ["weights", "NaN", "[1]"]),
    ],
)
def test_refusals_name_what_is_wrong(call, error, words):
    with pytest.raises(error) as caught:
        call()
    for word in words:
        assert word in str(caught.value)
