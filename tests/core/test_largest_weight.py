"""The theory curve of the mean largest weight: against two simulations, closed forms and finer quadrature."""

import json
import time
import tracemalloc
from math import sqrt
from pathlib import Path

import numpy as np
import pytest

from attention_core import softmax
from attention_core.largest_weight import _at_steepness, _average, mean_largest_weight
from attention_core.saturation import expected_largest_weight

DATA = json.loads((Path(__file__).parent / "data" / "theory.json").read_text())
THEORY = DATA["table"]


@pytest.mark.parametrize(
    "row", THEORY, ids=lambda row: f"n{row['n']}_d{row['d']}_{'scaled' if row['scaled'] else 'raw'}"
)
def test_measured_means_of_an_independent_simulation(row):
    draws = 20000 if row["n"] * row["d"] <= 4096 else 6000
    found = mean_largest_weight(row["d"], row["n"], sqrt(row["d"]) if row["scaled"] else 1.0)
    low, mean = 1 / row["n"], row["Emax"]
    variance = min((1 - mean) * (mean - low), row["Ep2"] - mean**2)  # bounds: numbers from low to 1; p_max^2 <= sum p^2
    assert abs(found - mean) < 4 * sqrt(variance / draws)


@pytest.mark.parametrize("n_keys", [2, 3, 8, 32, 64])
@pytest.mark.parametrize("d", [1, 2, 16, 64])
def test_simulation_with_scores_that_are_a_length_times_normal_numbers(n_keys, d):
    random = np.random.default_rng(n_keys)
    lengths = np.sqrt(random.chisquare(d, size=(40_000, 1)))
    z = random.standard_normal((40_000, n_keys))
    for divisor, std in ((1.0, 1.0), (sqrt(d), 1.0), (5.0, 2.0)):
        largest = softmax(std**2 * lengths / divisor * z).max(axis=1)
        found = mean_largest_weight(d, n_keys, divisor, std)
        assert abs(found - largest.mean()) < 4 * largest.std() / 200


@pytest.mark.parametrize("d", [1, 2, 3, 8, 64, 512])
@pytest.mark.parametrize("divisor", [1 / 9, 1.0, 8.0])
def test_two_keys_by_an_ordinary_integral(d, divisor):
    # the larger of two weights is 1 / (1 + exp(-|t|)), t = |q| / divisor times a normal number of variance 2
    middles = (np.arange(1500) + 0.5) / 1500  # the midpoint rule, dense near 0
    r, r_steps = (sqrt(d) + 8) * middles[:, None] ** 2, 2 * middles[:, None]
    t, t_steps = 9 * middles**4, middles**3 * np.exp(-((9 * middles**4) ** 2) / 2)
    exponents = (d - 1) * np.log(r) - r**2 / 2
    density = r_steps * np.exp(exponents - exponents.max()) * t_steps  # (r, t)
    expected = (density / (1 + np.exp(-r / divisor * sqrt(2) * t))).sum() / density.sum()
    assert mean_largest_weight(d, 2, divisor) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("n_keys", [2, 3, 8, 20, 64])
def test_twice_as_many_nodes_change_nothing(monkeypatch, n_keys):
    d_k, divisor = np.array([1, 2, 3, 8, 64, 512, 4096])[:, None], np.array([1 / 9, 0.3, 1, 8, 64])
    found = mean_largest_weight(d_k, n_keys, divisor)
    monkeypatch.setattr("attention_core.largest_weight.NODES", 140)
    np.testing.assert_allclose(mean_largest_weight(d_k, n_keys, divisor), found, rtol=0, atol=1e-5)


@pytest.mark.parametrize("n_keys", [2, 3, 8, 20, 64])
def test_the_curve_over_the_steepness_is_the_integral_everywhere(n_keys):
    beta = np.concatenate([np.geomspace(1e-4, 3e3, 119), [0.0]])  # the lab's steepest: 3 squared times 28 over 0.1
    np.testing.assert_allclose(_at_steepness(beta, n_keys), _average(beta, n_keys), rtol=0, atol=3e-9)
    assert _at_steepness(np.array([np.inf]), n_keys) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("n_keys", [2, 8, 64])
def test_limits(n_keys):
    assert mean_largest_weight(64, n_keys, std=0.0) == pytest.approx(1 / n_keys, abs=1e-9)
    assert mean_largest_weight(64, n_keys, 1e9) == pytest.approx(1 / n_keys, abs=1e-7)
    assert mean_largest_weight(64, n_keys, 1e-9) == pytest.approx(1, abs=1e-7)
    far = mean_largest_weight(1e6, n_keys)
    assert far == pytest.approx(expected_largest_weight(1e6, n_keys), abs=1e-5), "the expansion, where it holds"


@pytest.mark.parametrize("n_keys", [8, 32])
def test_scaled_the_curve_settles(n_keys):
    settled = mean_largest_weight(1e8, n_keys, 1e4)
    assert settled == pytest.approx(DATA[f"limit_scaled_n{n_keys}"]["Emax"], abs=4 * 0.13 / sqrt(400_000))


def test_better_than_the_expansion_where_that_is_useless():
    row = next(r for r in THEORY if r["n"] == 8 and r["d"] == 2 and not r["scaled"])
    assert abs(expected_largest_weight(2, 8) - row["Emax"]) > 0.1
    assert abs(mean_largest_weight(2, 8) - row["Emax"]) < 0.005


def test_it_grows_with_width_and_std_and_falls_with_keys():
    widths = np.arange(1, 100)
    assert (np.diff(mean_largest_weight(widths, 8)) > 0).all()
    assert (np.diff(mean_largest_weight(widths, 8, np.sqrt(widths))) > 0).all()
    assert mean_largest_weight(16, 8, std=1.5) == pytest.approx(mean_largest_weight(16, 8, 1 / 1.5**2), abs=1e-12)
    assert mean_largest_weight(16, 4) > mean_largest_weight(16, 5)


def test_shapes_and_whole_and_narrow_numbers():
    assert mean_largest_weight(np.ones((2, 1)), 3, [1.0, 2.0, 3.0]).shape == (2, 3)
    assert mean_largest_weight([], 3).shape == (0,)
    assert mean_largest_weight(np.float32(300), 8) == mean_largest_weight(300, 8)


def test_sixty_widths_take_little_time_and_memory():
    widths = np.unique(np.geomspace(1, 512, 80).round())
    assert widths.size == 60
    start = time.process_time()
    mean_largest_weight(widths, 64)
    seconds = time.process_time() - start
    tracemalloc.start()
    mean_largest_weight(widths, 64)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1e6
    assert seconds < 0.1, "some thousandths of a second on an idle core"


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: mean_largest_weight(64, 1), ValueError, ["n_keys", "1"]),
        (lambda: mean_largest_weight(64, 65), ValueError, ["n_keys", "64", "65"]),
        (lambda: mean_largest_weight(0, 8), ValueError, ["d_k", "0"]),
        (lambda: mean_largest_weight(64, 8, 0.0), ValueError, ["divisor", "above 0"]),
        (lambda: mean_largest_weight(64, 8, std=-1), ValueError, ["std", "-1"]),
        (lambda: mean_largest_weight(64, 8, "sqrt"), TypeError, ["divisor"]),
        (lambda: mean_largest_weight([1, 2], 8, [1, 2, 3]), ValueError, ["d_k", "(2,)", "divisor", "(3,)"]),
    ],
)
def test_refusals_name_what_is_wrong(call, error, words):
    with pytest.raises(error) as caught:
        call()
    for word in words:
        assert word in str(caught.value)
