"""Predicted memory against what a run asks for, and the size at which a matrix no longer fits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core.memory import DENSE, PATHS, first_too_large, measured_bytes, peak, predicted_bytes


@pytest.mark.parametrize(("d", "tile"), [(64, 64), (16, 64), (64, 128)])
def test_a_run_asks_for_what_was_predicted(d, tile):
    sizes = [256, 512, 1024]
    measured = measured_bytes(sizes, d, tile)
    for path in PATHS:
        for n, found in zip(sizes, measured[path], strict=True):
            assert found == pytest.approx(predicted_bytes(path, n, d, tile), rel=0.1), (path, n)


@given(st.integers(0, 10**13), st.integers(1, 9))
def test_the_first_size_that_does_not_fit(budget, arrays):
    n = first_too_large(budget, arrays)
    assert 4 * arrays * n**2 > budget >= 4 * arrays * (n - 1) ** 2


def test_what_grows_how():
    assert predicted_bytes("dense", 2**16) == pytest.approx(4 * predicted_bytes("dense", 2**15), rel=1e-4)
    grown = predicted_bytes("tiled", 2**16) - predicted_bytes("tiled", 2**15)
    assert grown == 4 * 64 * 2**15  # the output alone
    assert DENSE * 4 * 2**32 < predicted_bytes("dense", 2**16) < DENSE * 4 * 2**32 * 1.001


def test_peak_sees_what_is_held_at_once():
    assert 3_000_000 < peak(lambda: bytearray(10**6) + bytearray(10**6)) + 10**6 < 5_100_000
    with pytest.raises(ZeroDivisionError):
        peak(lambda: 1 / 0)
    assert peak(lambda: None) < 10**5


def test_refusals():
    with pytest.raises(ValueError, match="path .*'sparse'"):
        predicted_bytes("sparse", 8)
    with pytest.raises(ValueError, match="n must be at least 1, not 0"):
        predicted_bytes("dense", 0)
    with pytest.raises(ValueError, match="budget must be at least 0, not -1"):
        first_too_large(-1)
