"""How much gradient the softmax lets through: the norm of its Jacobian, exact, and over many seeds."""

import json
import time
import tracemalloc
from fractions import Fraction
from math import log10, sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import softmax, softmax_jacobian
from attention_core.draws import nested_draw
from attention_core.gradient_flow import jacobian_norm, jacobian_norm_band
from attention_core.saturation import saturation

THEORY = json.loads((Path(__file__).parent / "data" / "theory.json").read_text())["table"]
POWERS = 2 ** np.arange(10)


def exact_norm(weights):
    """The norm in rational numbers, with the sum of the others in place of 1 - p_i."""
    p = [Fraction(float(w)) for w in weights]
    squared = sum(a**2 * (sum(p) - a) ** 2 for a in p) + sum(
        (a * b) ** 2 for i, a in enumerate(p) for j, b in enumerate(p) if i != j
    )
    return sqrt(squared)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(-100, 100), min_size=1, max_size=9))
def test_norm_is_exact_even_where_the_softmax_is_saturated(scores):
    weights = softmax(scores)
    assert jacobian_norm(weights) == pytest.approx(exact_norm(weights), rel=1e-13, abs=0)


def test_norm_is_that_of_the_matrix():
    weights = softmax(np.random.default_rng(0).normal(size=(2, 3, 5)) * 3)
    matrices = softmax_jacobian(weights)  # (2, 3, 5, 5)
    np.testing.assert_allclose(jacobian_norm(weights), np.linalg.norm(matrices, axis=(-2, -1)), rtol=1e-13)


@pytest.mark.parametrize("m", [1, 2, 7, 64])
def test_equal_weights_and_one_weight(m):
    assert jacobian_norm(np.full(m, 1 / m)) == pytest.approx(sqrt(m - 1) / m, rel=1e-12)
    assert jacobian_norm(np.eye(m)).tolist() == [0.0] * m


def test_two_keys_by_hand():
    assert jacobian_norm([0.99, 0.01]) == pytest.approx(2 * 0.99 * 0.01, rel=1e-14)
    assert jacobian_norm([1.0, 1e-100]) == pytest.approx(2e-100, rel=1e-14, abs=0)


def test_order_does_not_matter_and_precision_is_kept():
    weights = softmax(np.random.default_rng(1).normal(size=(4, 6)))
    assert (jacobian_norm(weights) == jacobian_norm(weights[:, ::-1])).all()
    narrow = jacobian_norm(np.array([1.0, 1e-30], dtype=np.float32))
    assert narrow.dtype == np.float32 and narrow == pytest.approx(2e-30, rel=1e-6, abs=0)
    assert jacobian_norm(np.zeros((2, 0))).tolist() == [0.0, 0.0]


def test_no_matrix_is_built():
    weights = saturation(nested_draw(0, n_keys=64)).weights_raw  # (512, 64), 0.26 MB; its matrices would be 17 MB
    tracemalloc.start()
    norms = jacobian_norm(weights)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert norms.shape == (512,) and peak < 3e6


def test_one_draw_over_all_widths():
    result = saturation(nested_draw(0))
    raw, scaled = jacobian_norm(result.weights_raw), jacobian_norm(result.weights_scaled)
    assert raw.shape == scaled.shape == (512,)
    assert raw[0] == scaled[0], "at d_k = 1 the divisor is 1"
    for found, weights in ((raw, result.weights_raw), (scaled, result.weights_scaled)):
        assert found[64 - 1] == pytest.approx(np.linalg.norm(softmax_jacobian(weights[64 - 1])), rel=1e-12)
    assert (round(raw[64 - 1], 4), round(scaled[64 - 1], 4)) == (0.0228, 0.3737)


def test_band_is_the_experiment_seed_by_seed(monkeypatch):
    monkeypatch.setattr("attention_core.band.SCORES_HELD", 1000)  # several seeds in a chunk, and one left over
    found = jacobian_norm_band(n_seeds=7, n_keys=3, d_max=100, mean=0.5, std=2.0, divisor="cosine")
    single = [saturation(nested_draw(seed, 3, 100, 0.5, 2.0), "cosine") for seed in range(7)]
    for rows, name in ((found.raw, "weights_raw"), (found.scaled, "weights_scaled")):
        norms = [jacobian_norm(getattr(result, name)) for result in single]
        np.testing.assert_allclose(rows, np.quantile(norms, [0.05, 0.25, 0.5, 0.75, 0.95], axis=0), rtol=1e-12)


def test_band_of_400_seeds_in_well_under_a_second():
    start = time.process_time()  # of this process: what else runs here does not count
    band = jacobian_norm_band()
    seconds = time.process_time() - start
    at = 64 - 1
    assert round(band.raw[2, at], 3) == 0.072 and round(band.scaled[2, at], 3) == 0.368
    assert band.raw.shape == band.scaled.shape == (5, 512)
    assert (np.diff(band.raw, axis=0) >= 0).all() and (np.diff(band.scaled, axis=0) >= 0).all()
    assert band.raw[2, 511] < band.raw[2, 15] / 100, "the median vanishes"
    assert seconds < 1, "a fifth of a second on an idle core; the rest is for slower ones"


def _norms(n_keys, n_seeds):
    results = [saturation(nested_draw(seed, n_keys)) for seed in range(n_seeds)]
    weights = {name: [getattr(r, name)[POWERS - 1] for r in results] for name in ("weights_raw", "weights_scaled")}
    return {scaled: jacobian_norm(weights["weights_scaled" if scaled else "weights_raw"]) for scaled in (False, True)}


@pytest.fixture(scope="module")
def norms():
    return {n_keys: _norms(n_keys, 1000) for n_keys in (8, 32)}  # each (1000, 10)


@pytest.mark.parametrize(
    "row", THEORY, ids=lambda row: f"n{row['n']}_d{row['d']}_{'scaled' if row['scaled'] else 'raw'}"
)
def test_median_and_mean_are_those_of_an_independent_simulation(norms, row):
    found = norms[row["n"]][row["scaled"]][:, int(log10(row["d"]) / log10(2) + 0.5)]  # 1000 seeds
    theirs = 20000 if row["n"] * row["d"] <= 4096 else 6000  # draws behind theory.json
    error = sqrt(1 / found.size + 1 / theirs)
    low, high = np.quantile(found, [0.5 - 4 * 0.5 * error, 0.5 + 4 * 0.5 * error])  # four standard errors, any law
    assert low < row["medF"] < high
    assert abs(found.mean() - row["EF"]) < 4 * found.std() * error


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: jacobian_norm([3.0, 1.0]), ValueError, ["weights", "sum"]),
        (lambda: jacobian_norm([-0.5, 1.5]), ValueError, ["weights", "negative"]),
        (lambda: jacobian_norm("p"), TypeError, ["weights"]),
        (lambda: jacobian_norm_band(n_seeds=0), ValueError, ["n_seeds", "0"]),
        (lambda: jacobian_norm_band(n_keys=0), ValueError, ["n_keys", "0"]),
        (lambda: jacobian_norm_band(d_max=0.5), TypeError, ["d_max", "0.5"]),
        (lambda: jacobian_norm_band(n_seeds=1, divisor="sqrt"), ValueError, ["divisor", "'sqrt'"]),
    ],
)
def test_refusals_name_what_is_wrong(call, error, words):
    with pytest.raises(error) as caught:
        call()
    for word in words:
        assert word in str(caught.value)
