"""How far dot products spread: simulated, measured at every width, and what the assumptions are worth."""

import time
import tracemalloc
from math import sqrt

import numpy as np
import pytest

from attention_core.draws import nested_draw, scores_by_width
from attention_core.variance import (
    dot_products,
    mean_over_pairs,
    variance_by_width,
    variance_over_keys,
    variance_over_pairs,
)

COMPONENTS = [(0.0, 1.0), (1.0, 1.0), (0.5, 2.0), (-2.0, 0.5), (0.0, 0.0)]


def test_a_pair_is_a_query_and_a_key_from_one_seed():
    vectors = np.random.default_rng(3).standard_normal((5, 2, 7)) * 2 + 1
    expected = [query @ key for query, key in vectors]
    np.testing.assert_allclose(dot_products(3, 7, 5, mean=1.0, std=2.0), expected, rtol=1e-12)


def test_chunks_change_nothing(monkeypatch):
    whole, widths = dot_products(1, 16, 1001), variance_by_width(1, 16, 1001, mean=1.0)
    monkeypatch.setattr("attention_core.variance.CHUNK", 100)
    assert (dot_products(1, 16, 1001) == whole).all()
    np.testing.assert_allclose(variance_by_width(1, 16, 1001, mean=1.0), widths, rtol=1e-12)


@pytest.mark.parametrize(("mean", "std"), COMPONENTS)
def test_mean_and_variance_over_pairs(mean, std):
    d = 37
    scores = dot_products(seed=0, d_k=d, count=100_000, mean=mean, std=std)
    deviations = (scores - scores.mean()) ** 2
    assert abs(scores.mean() - mean_over_pairs(d, mean)) <= 4 * scores.std() / sqrt(scores.size) + 1e-12
    error = deviations.std() / sqrt(scores.size)
    assert abs(scores.var() - variance_over_pairs(d, mean, std)) <= 4 * error + 1e-12


def test_over_pairs_the_distribution_does_not_matter():
    coins = 1.0 + 2.0 * np.random.default_rng(0).choice([-1, 1], size=(50_000, 2, 10))  # mean 1, deviation 2
    scores = (coins[:, 0] * coins[:, 1]).sum(axis=-1)
    assert scores.mean() == pytest.approx(mean_over_pairs(10, 1.0), rel=0.03)
    assert scores.var() == pytest.approx(variance_over_pairs(10, 1.0, 2.0), rel=0.03)


@pytest.mark.parametrize(("mean", "std"), COMPONENTS)
def test_variance_over_keys_is_what_softmax_sees(mean, std):
    d, seeds = 20, range(2000)
    scores = np.array([scores_by_width(nested_draw(seed, 16, d, mean, std))[-1] for seed in seeds])  # (seeds, keys)
    spreads = scores.var(axis=1, ddof=1)
    expected = variance_over_keys(d, mean, std)
    assert abs(spreads.mean() - expected) <= 4 * spreads.std() / sqrt(len(seeds)) + 1e-9
    assert scores.var(axis=1).mean() == pytest.approx(15 / 16 * spreads.mean()), "NumPy's var expects (n - 1) / n"
    if abs(mean) >= std > 0:  # far enough apart for 2000 queries to tell
        pooled = scores.var()
        assert pooled == pytest.approx(variance_over_pairs(d, mean, std), rel=0.1), "all pairs spread further"
        assert pooled > 1.1 * expected


def test_given_the_query_the_variance_is_its_squared_length():
    draw = nested_draw(0, n_keys=50_000, d_max=10, mean=1.0, std=2.0)
    scores = draw.keys @ draw.query
    assert scores.var() == pytest.approx(2.0**2 * draw.query @ draw.query, rel=0.03)


def test_the_two_differ_by_what_softmax_ignores():
    assert variance_over_pairs(64) == variance_over_keys(64) == 64, "mean 0: one and the same"
    assert variance_over_pairs(64, 1.0) - variance_over_keys(64, 1.0) == 64
    assert variance_over_pairs([1, 2, 4], 0.0, 2.0).tolist() == [16, 32, 64]


@pytest.mark.parametrize(("mean", "std"), [(0.0, 1.0), (100.0, 0.5)])
def test_variance_at_every_width_is_that_of_the_prefixes(mean, std):
    vectors = np.random.default_rng(5).standard_normal((300, 2, 40)) * std + mean
    found = variance_by_width(5, 40, 300, mean, std)
    assert found.shape == (40,)
    for d in (1, 2, 39, 40):
        scores = (vectors[:, 0, :d] * vectors[:, 1, :d]).sum(axis=-1)
        assert found[d - 1] == pytest.approx(scores.var(), rel=1e-9)
    assert found[-1] == pytest.approx(dot_products(5, 40, 300, mean, std).var(), rel=1e-9)


def test_measured_variance_lies_on_the_line():
    found = variance_by_width(seed=0, count=4000)
    ratio = found / variance_over_pairs(np.arange(1, 513))
    assert np.abs(ratio[[63, 255, 511]] - 1).max() < 4 * sqrt(2 / 4000)


def test_many_dot_products_take_little_memory_and_time():
    tracemalloc.start()
    dot_products(0, 512)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    start = time.process_time()
    scores = dot_products(0, 512)
    seconds = time.process_time() - start
    assert scores.shape == (20_000,) and peak < 40e6, "20 million components would be 164 MB"
    assert seconds < 2, "a quarter of a second on an idle core"


def test_no_global_random_state_is_touched():
    np.random.seed(7)
    expected = np.random.RandomState(7).randn()
    dot_products(0, 4, 10)
    assert np.random.randn() == expected


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: dot_products(-1, 4), ValueError, ["seed", "-1"]),
        (lambda: dot_products(0.5, 4), TypeError, ["seed", "0.5"]),
        (lambda: dot_products(0, 0), ValueError, ["d_k", "0"]),
        (lambda: dot_products(0, 4, count=0), ValueError, ["count", "0"]),
        (lambda: dot_products(0, 4, mean=np.nan), ValueError, ["mean", "nan"]),
        (lambda: dot_products(0, 4, std=-1), ValueError, ["std", "-1"]),
        (lambda: variance_by_width(0, 0), ValueError, ["d_max", "0"]),
        (lambda: variance_by_width(0, 4, 0), ValueError, ["count", "0"]),
        (lambda: variance_over_pairs(0), ValueError, ["d_k", "0"]),
        (lambda: variance_over_keys(4, std="1"), TypeError, ["std", "'1'"]),
        (lambda: mean_over_pairs("x"), TypeError, ["d_k"]),
        (lambda: mean_over_pairs(4, np.inf), ValueError, ["mean", "inf"]),
    ],
)
def test_refusals_name_what_is_wrong(call, error, words):
    with pytest.raises(error) as caught:
        call()
    for word in words:
        assert word in str(caught.value)
