"""One model for all rows: what a model made it finds again, and what no model can make it does not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attention_core import softmax
from attention_core.explained import other_rows, six_words_explained
from attention_core.one_model import nearest_model

SMALL = st.floats(-1.5, 1.5, allow_subnormal=False)


@given(hnp.arrays(np.float64, (5, 2), elements=SMALL), hnp.arrays(np.float64, (2, 2), elements=SMALL))
def test_rows_that_a_model_made_are_found(x, product):
    found = nearest_model(x, softmax(x @ product @ x.T))
    assert found.distances.max() < 1e-4


@given(hnp.arrays(np.float64, (4, 2), elements=SMALL), st.integers(0, 999))
def test_the_nearest_model_is_a_model_and_no_step_away_is_better(x, seed):
    random = np.random.default_rng(seed)
    target = random.dirichlet(np.ones(4), size=4)
    found = nearest_model(x, target)
    assert np.array_equal(found.weights, softmax(x @ found.product @ x.T))
    assert found.distances == pytest.approx(np.abs(found.weights - target).sum(axis=1) / 2)

    def loss(product):
        return -(target * np.log(softmax(x @ product @ x.T) + 1e-300)).sum(axis=1).mean()

    for _ in range(10):
        assert loss(found.product + 0.1 * random.standard_normal((2, 2))) >= loss(found.product) - 1e-9


@given(hnp.arrays(np.float64, (5, 3), elements=SMALL), st.integers(0, 999))
def test_it_is_nearest_because_it_sees_the_same_mean_of_x(x, seed):
    """What is left of the gradient, X^T (A - P) X, is 0."""
    target = np.random.default_rng(seed).dirichlet(np.ones(5), size=5)
    found = nearest_model(x, target)
    assert abs(x.T @ (found.weights - target) @ x).max() < 1e-3


def test_a_newton_step_that_goes_too_far_is_halved():
    random = np.random.default_rng(6)
    x, target = random.normal(size=(5, 2)), random.dirichlet(np.full(5, 0.1), size=5)
    assert abs(x.T @ (nearest_model(x, target).weights - target) @ x).max() < 1e-6


@pytest.mark.parametrize("distance", ["total_variation", "jensen_shannon"])
def test_the_model_nearest_to_the_other_rows_of_the_six_words_is_the_model_itself(distance):
    """W_V is invertible: the same outputs are the same means of X, and those decide the fit."""
    rows = six_words_explained()
    others = other_rows(rows.weights, rows.value[:, :3], distance=distance)
    found = nearest_model(rows.x, others)
    assert abs(found.weights - rows.weights).max() < 1e-6
    assert found.distances.min() > 0.4


def test_one_vector_gets_one_weight():
    """“The” and “the” are the same vector: no W_Q and W_K can tell them apart."""
    rows = six_words_explained()
    found = nearest_model(rows.x, other_rows(rows.weights, rows.value[:, :2]))
    assert np.array_equal(found.weights[:, 0], found.weights[:, 4])
    assert np.array_equal(found.weights[0], found.weights[4])


def test_weights_of_0_are_approached():
    found = nearest_model(np.eye(3), np.eye(3))
    assert found.distances.max() < 1e-6 and np.isfinite(found.product).all()


@pytest.mark.parametrize(
    ("x", "weights", "words"),
    [
        (np.eye(3), np.full((2, 3), 1 / 3), r"number of queries n: X \(3, 3\) has 3, weights \(2, 3\) has 2"),
        (np.eye(3), np.full((3, 2), 1 / 2), r"number of keys: X \(3, 3\) has 3, weights \(3, 2\) has 2"),
        (np.eye(3), np.full((3, 3), 0.5), "weights must sum to 1"),
        (np.zeros((2, 3, 3)), np.full((2, 3, 3), 1 / 3), "one sentence is fitted at a time"),
        (np.full((3, 3), np.nan), np.eye(3), "X holds NaN"),
    ],
)
def test_what_cannot_be_fitted_is_refused(x, weights, words):
    with pytest.raises(ValueError, match=words):
        nearest_model(x, weights)
