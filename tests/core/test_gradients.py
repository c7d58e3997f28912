"""The analytic gradients against central differences, and their laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import attention_gradients, causal_mask, scaled_dot_product_attention

LEADS = [((), (), ()), ((2,), (2,), (2,)), ((2,), (), (2,)), ((), (2,), ()), ((3, 1), (2,), (1, 2)), ((1,), (2,), ())]


def numeric_gradient(loss, arrays, which, h=1e-5):
    gradient = np.zeros_like(arrays[which])
    for index in np.ndindex(*gradient.shape):
        ends = []
        for step in (h, -h):
            moved = [a.copy() for a in arrays]
            moved[which][index] += step
            ends.append(loss(*moved))
        gradient[index] = (ends[0] - ends[1]) / (2 * h)
    return gradient


@given(
    seed=st.integers(0, 2**32 - 1),
    sizes=st.tuples(*[st.integers(1, 4)] * 4),
    leads=st.sampled_from(LEADS),
    kind=st.sampled_from([None, "boolean", "float", "own axis"]),
    is_causal=st.booleans(),
    scale=st.sampled_from([None, 0.0, -0.7, 1.5]),
)
def test_gradients_equal_central_differences(seed, sizes, leads, kind, is_causal, scale):
    random, (n, m, d_k, d_v) = np.random.default_rng(seed), sizes
    shapes = [(*lead, *shape) for lead, shape in zip(leads, ((n, d_k), (m, d_k), (m, d_v)), strict=True)]
    arrays = [random.normal(size=shape) for shape in shapes]
    mask = {
        None: None,
        "boolean": random.random((n, m)) < 0.6,
        "float": np.where(random.random((n, m)) < 0.7, random.normal(size=(n, m)), -np.inf),
        "own axis": random.random((2, 1, 1, 1, m)) < 0.8,
    }[kind]

    def output(*qkv):
        return scaled_dot_product_attention(*qkv, mask, is_causal, scale).output

    grad_output = random.normal(size=output(*arrays).shape)
    found = attention_gradients(*arrays, grad_output, mask, is_causal, scale)
    for which, name in enumerate(("query", "key", "value")):
        numeric = numeric_gradient(lambda *qkv: (output(*qkv) * grad_output).sum(), arrays, which)
        gradient = getattr(found, name)
        assert gradient.shape == arrays[which].shape
        np.testing.assert_allclose(gradient, numeric, rtol=1e-6, atol=1e-8, err_msg=name)


def test_a_masked_query_has_gradient_zero_and_so_has_a_masked_key(qkv, random):
    mask = np.array([[True, True, False], [False, False, False]])
    found = attention_gradients(*qkv, random.normal(size=(2, 7)), mask)
    assert (found.query[1] == 0).all() and (found.query[0] != 0).all()
    assert (found.key[2] == 0).all() and (found.value[2] == 0).all()


def test_no_nan_for_the_largest_numbers():
    large = np.full((2, 2), 1e308)
    found = attention_gradients(large, large, large, large, causal_mask(2))
    assert not any(np.isnan(g).any() for g in (found.query, found.key, found.value))
    hidden = attention_gradients([[1.0]], [[1.0], [1.0]], [[1.0], [1e308]], [[1e10]], [[True, False]])
    assert hidden.query.tolist() == [[0.0]] and hidden.value.tolist() == [[1e10], [0.0]]


def test_dtype_and_independence(qkv, random):
    narrow = [a.astype(np.float32) for a in (*qkv, random.normal(size=(2, 7)))]
    found = attention_gradients(*narrow)
    assert {found.query.dtype, found.key.dtype, found.value.dtype} == {np.dtype(np.float32)}
    assert attention_gradients(*narrow[:3], narrow[3].astype(float)).query.dtype == np.float64
    for gradient in (found.query, found.key, found.value):
        assert not any(np.shares_memory(gradient, a) for a in narrow)


def test_empty_axes():
    found = attention_gradients(np.ones((2, 4)), np.zeros((0, 4)), np.zeros((0, 3)), np.ones((2, 3)))
    assert (found.query == 0).all() and found.key.shape == (0, 4) and found.value.shape == (0, 3)


@pytest.mark.parametrize(
    ("grad_output", "error", "words"),
    [
        (np.ones((2, 6)), ValueError, ["grad_output (dO)", "(2, 6)", "(2, 7)"]),
        (np.ones(7), ValueError, ["grad_output (dO)", "(7,)"]),
        (np.full((2, 7), np.nan), ValueError, ["grad_output (dO)", "NaN", "[0, 0]"]),
        (None, TypeError, ["grad_output (dO)", "None"]),
    ],
)
def test_refusals_name_what_is_wrong(qkv, grad_output, error, words):
    with pytest.raises(error) as caught:
        attention_gradients(*qkv, grad_output)
    for word in words:
        assert word in str(caught.value)


def test_refusals_of_the_forward_pass_hold_here_too():
    with pytest.raises(ValueError, match="Q .*4.* K .*5"):
        attention_gradients(np.ones((2, 4)), np.ones((3, 5)), np.ones((3, 5)), np.ones((2, 5)))
