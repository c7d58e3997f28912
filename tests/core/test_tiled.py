"""Tiles against the dense path, and the promise about memory."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import scaled_dot_product_attention, tiled_attention

LEADS = [((), (), ()), ((2,), (2,), (2,)), ((3, 1), (2,), ()), ((), (), (2,))]


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(0, 11),
    m=st.integers(0, 11),
    tile=st.integers(1, 13) | st.tuples(st.integers(1, 13), st.integers(1, 13)),
    leads=st.sampled_from(LEADS),
    kind=st.sampled_from([None, "boolean", "float", "column", "row", "own axis"]),
    is_causal=st.booleans(),
    size=st.sampled_from([0.0, 1.0, 100.0, 1e150, 1e300]),
    scale=st.sampled_from([None, 0.0, -1.0, 3.0]),
)
def test_tiled_equals_dense_for_any_tile(seed, n, m, tile, leads, kind, is_causal, size, scale):
    random = np.random.default_rng(seed)
    query, key, value = (
        random.normal(size=(*lead, *shape)) for lead, shape in zip(leads, ((n, 3), (m, 3), (m, 2)), strict=True)
    )
    query, value = query * size, value * size
    mask = {
        None: None,
        "boolean": random.random((n, m)) < 0.4,
        "float": np.where(random.random((n, m)) < 0.6, random.normal(size=(n, m)), -np.inf),
        "column": random.random((n, 1)) < 0.5,
        "row": random.random(m) < 0.5,
        "own axis": random.random((2, 1, 1, n, m)) < 0.5,
    }[kind]
    dense = scaled_dot_product_attention(query, key, value, mask, is_causal, scale).output
    tiled = tiled_attention(query, key, value, mask, is_causal, scale, tile)
    assert tiled.shape == dense.shape and tiled.dtype == dense.dtype
    # where scores are huge their rounding alone decides close races, so the tolerance is one of the values
    np.testing.assert_allclose(tiled, dense, rtol=1e-9, atol=1e-9 * max(size, 1))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_dtypes_and_accuracy_over_many_tiles(random, dtype):
    query, key, value = (random.normal(size=(rows, 7)).astype(dtype) for rows in (33, 513, 513))
    tiled = tiled_attention(query, key, value, is_causal=True, tile=(5, 3))
    assert tiled.dtype == (np.float64 if dtype == np.float64 else np.float32)
    exact = scaled_dot_product_attention(*(a.astype(float) for a in (query, key, value)), is_causal=True).output
    np.testing.assert_allclose(tiled, exact, atol=1e-14 if dtype == np.float64 else 5e-6)


def test_values_near_the_largest_float_stay_there():
    value = np.full((9, 1), np.finfo(float).max)
    assert (tiled_attention(np.zeros((2, 1)), np.ones((9, 1)), value, tile=2) == value[0]).all()


def test_first_tiles_wholly_masked(random):
    query, key, value = (random.normal(size=(rows, 3)) for rows in (4, 1200, 1200))
    mask = np.arange(1200) >= 600
    dense = scaled_dot_product_attention(query, key, value, mask).output
    np.testing.assert_allclose(tiled_attention(query, key, value, mask, tile=64), dense, rtol=1e-12)


def test_inputs_are_left_alone_and_may_be_read_only(qkv):
    copies = [a.copy() for a in qkv]
    for a in qkv:
        a.flags.writeable = False
    tiled_attention(*qkv)
    assert all((a == copy).all() for a, copy in zip(qkv, copies, strict=True))


@pytest.mark.parametrize("is_causal", [False, True])
def test_no_array_of_n_by_m_is_held(random, is_causal):
    n = 2048
    query, key, value = (random.normal(size=(n, 8)).astype(np.float32) for _ in range(3))
    padding = np.arange(n) < n - 5
    tracemalloc.start()
    tiled_attention(query, key, value, padding, is_causal, tile=(256, 256))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < n * n, f"{peak} bytes: even one bit flag per pair would be {n * n}"


@pytest.mark.parametrize("axes", [(), (1, 1)])
def test_a_float_mask_is_not_copied(random, axes):
    n = 1024
    query, key, value = (random.normal(size=(n, 8)).astype(np.float32) for _ in range(3))
    mask = np.where(random.random((n, n)) < 0.5, 0, -np.inf).astype(np.float32).reshape(*axes, n, n)
    tracemalloc.start()
    tiled_attention(query, key, value, mask)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < n * n


@pytest.mark.parametrize(
    ("tile", "error", "words"),
    [
        ((0, 2), ValueError, ["tile", "0"]),
        ((2, -1), ValueError, ["tile", "-1"]),
        (0, ValueError, ["tile", "0"]),
        ((1, 2, 3), ValueError, ["tile", "3 sizes"]),
        ((1.0, 2), TypeError, ["tile", "1.0"]),
        (True, TypeError, ["tile", "True"]),
        ("64", TypeError, ["tile", "'64'"]),
        (None, TypeError, ["tile", "None"]),
    ],
)
def test_refusals_name_the_tile(qkv, tile, error, words):
    with pytest.raises(error) as caught:
        tiled_attention(*qkv, tile=tile)
    for word in words:
        assert word in str(caught.value)


def test_refusals_of_the_dense_path_hold_here_too():
    with pytest.raises(ValueError, match="K .*3.* V .*4"):
        tiled_attention(np.ones((2, 4)), np.ones((3, 4)), np.ones((4, 5)))
    with pytest.raises(ValueError, match="mask .*NaN"):
        tiled_attention(np.ones((2, 4)), np.ones((3, 4)), np.ones((3, 5)), [0, 0, np.nan], is_causal=True, tile=1)
