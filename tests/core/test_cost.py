"""What scores cost: the formulas against counted products, counted tanh and traced memory."""

import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import additive_attention, scaled_dot_product_attention
from attention_core.cost import additive_cost, additive_scores, dot_product_cost, dot_product_scores

SMALL = st.integers(1, 5)
HEADERS = 256  # numbers: what NumPy holds besides the numbers of its arrays
BUFFERS = 8192 * (1 if np.lib.NumpyVersion(np.__version__) >= "2.3.0" else 2)  # of a broadcast sum, one or both sides


class Counted:
    """A number that counts what is done with it."""

    made = {"multiplications": 0, "tanh": 0}

    def __init__(self, value):
        self.value = value

    def __mul__(self, other):
        Counted.made["multiplications"] += 1
        return Counted(self.value * getattr(other, "value", other))

    def __add__(self, other):
        return Counted(self.value + getattr(other, "value", other))

    def tanh(self):
        Counted.made["tanh"] += 1
        return Counted(math.tanh(self.value))


def counted(scores, *arrays, **scale):
    """What a score function does, and its scores as plain numbers."""
    Counted.made.update(multiplications=0, tanh=0)
    found = scores(*(np.vectorize(Counted, otypes=[object])(array) for array in arrays), **scale)
    return dict(Counted.made), np.vectorize(lambda number: number.value)(found)


def inputs(n, m, d_q, d_k, d_a):
    random = np.random.default_rng([n, m, d_q, d_k, d_a])
    return [random.normal(size=shape) for shape in ((n, d_q), (m, d_k), (d_a, d_q), (d_a, d_k), (d_a,))]


def peak(scores, *arrays):
    """The most numbers held at once, besides the inputs."""
    scores(*arrays)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        kept = scores(*arrays)
        return (tracemalloc.get_traced_memory()[1] - before) / kept.itemsize
    finally:
        tracemalloc.stop()


@given(SMALL, SMALL, SMALL)
def test_the_dot_product_makes_what_the_formula_says(n, m, d):
    query, key, *_ = inputs(n, m, d, d, 1)
    made, scores = counted(dot_product_scores, query, key, scale=0.5)
    cost = dot_product_cost(n, m, d)
    assert made == {"multiplications": cost.multiplications, "tanh": cost.tanh}
    assert cost.multiplications == n * d + n * m * d and cost.tanh == 0
    np.testing.assert_allclose(scores, dot_product_scores(query, key, 0.5), rtol=1e-12, atol=1e-14)


@given(SMALL, SMALL, SMALL, SMALL, SMALL)
def test_the_network_makes_what_the_formula_says(n, m, d_q, d_k, d_a):
    arrays = inputs(n, m, d_q, d_k, d_a)
    made, scores = counted(additive_scores, *arrays)
    cost = additive_cost(n, m, d_q, d_k, d_a)
    assert made == {"multiplications": cost.multiplications, "tanh": cost.tanh}
    assert cost.tanh == n * m * d_a
    np.testing.assert_allclose(scores, additive_scores(*arrays), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("sizes", [(100, 120, 50, 60, 70), (30, 2000, 5, 7, 11), (264, 264, 300, 300, 2),
                                   (300, 1, 700, 700, 500)])
def test_memory_is_what_the_formula_says(sizes):
    n, m, d_q, d_k, d_a = sizes
    arrays = inputs(*sizes)
    held = additive_cost(*sizes).numbers
    assert held <= peak(additive_scores, *arrays) <= held + BUFFERS + HEADERS
    key = np.ones((m, d_q))
    held = dot_product_cost(n, m, d_q).numbers
    assert held <= peak(dot_product_scores, arrays[0], key) <= held + HEADERS


def test_the_scores_are_those_of_the_attention_functions():
    query, key, w_query, w_key, v = inputs(2, 3, 5, 7, 11)
    values = np.zeros((3, 1))
    wide = np.random.default_rng(1).normal(size=(3, 5))
    dot = scaled_dot_product_attention(query, wide, values)
    np.testing.assert_allclose(dot_product_scores(query, wide), dot.scores, rtol=1e-13)
    np.testing.assert_allclose(dot_product_scores(query, wide, dot.scale), dot.scaled, rtol=1e-13)
    additive = additive_attention(query, key, values, w_query, w_key, v)
    np.testing.assert_allclose(additive_scores(query, key, w_query, w_key, v), additive.scores, rtol=1e-13)


@given(st.integers(1, 2**40), st.integers(1, 2**40))
def test_counts_are_exact_however_large(n, d):
    assert dot_product_cost(n, n, d).multiplications == n * d * (n + 1)
    assert additive_cost(n, n, d, d, d).tanh == n * n * d


def test_for_many_tokens_the_ratio_of_multiplications_tends_to_that_of_the_widths():
    dot, additive = dot_product_cost(10**6, 10**6, 256), additive_cost(10**6, 10**6, 256, 256, 64)
    assert additive.multiplications / dot.multiplications == pytest.approx(64 / 256, rel=1e-3)
    assert additive.numbers / dot.numbers == pytest.approx(64 + 1, rel=1e-3), "the hidden layer, and the scores"


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: dot_product_cost(0, 1, 1), ValueError, ["n", "0"]),
        (lambda: dot_product_cost(1, 1, 2.0), TypeError, ["d", "2.0"]),
        (lambda: additive_cost(1, 1, 1, 1, True), TypeError, ["d_a", "True"]),
        (lambda: additive_cost(1, 1, 1, -1, 1), ValueError, ["d_k", "-1"]),
        (lambda: dot_product_scores(np.ones((2, 3)), np.ones((4, 5))), ValueError,
         ["Q (2, 3) has 3", "K (4, 5) has 5"]),
        (lambda: additive_scores(*inputs(2, 3, 4, 5, 6)[:2], np.ones((6, 3)), np.ones((6, 5)), np.ones(6)), ValueError,
         ["W_1", "(6, 3)", "Q (2, 4) has 4"]),
        (lambda: additive_scores(*inputs(2, 3, 4, 5, 6)[:2], np.ones((6, 4)), np.ones((6, 4)), np.ones(6)), ValueError,
         ["W_2", "(6, 4)", "K (3, 5) has 5"]),
    ],
)
def test_refusals_name_what_is_wrong(call, error, words):
    with pytest.raises(error) as caught:
        call()
    assert [word for word in words if word not in str(caught.value)] == []
