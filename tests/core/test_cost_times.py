"""The measurement of both scores: bounded, in turn, medians; one test looks at real time."""

import time

import numpy as np
import pytest

from attention_core import cost_times
from attention_core.cost_times import measure_times


class Clock:
    """A clock on which every reading is `tick` seconds after the last one."""

    def __init__(self, *ticks):
        self.now, self.read, self.ticks = 0.0, 0, ticks

    def __call__(self):
        self.now += self.ticks[self.read % len(self.ticks)]
        self.read += 1
        return self.now


def test_it_measures_every_size_both_ways():
    times = measure_times(counts=(2, 3), widths=(5, 7, 11), d_a=4, repeats=3, clock=Clock(0.001))
    assert times.counts == (2, 3) and times.widths == (5, 7, 11) and times.d_a == 4 and times.repeats == 3
    for part in (times.dot, times.additive, times.dot_fastest, times.additive_fastest):
        assert part.shape == (2, 3) and part == pytest.approx(0.001)
    assert times.ratio == pytest.approx(1) and not times.disturbed.any()


def test_rows_are_tokens_columns_are_widths_and_the_forms_do_not_swap(monkeypatch):
    clock = Clock(0.0)
    monkeypatch.setattr(cost_times, "dot_product_scores", lambda q, k, s: setattr(clock, "now", clock.now + len(q)))
    monkeypatch.setattr(
        cost_times, "additive_scores", lambda q, k, w, u, v: setattr(clock, "now", clock.now + 100 * q.shape[1])
    )
    times = measure_times(counts=(2, 3), widths=(5, 7, 11), d_a=4, repeats=2, budget=1e9, clock=clock)
    assert times.dot.tolist() == [[2, 2, 2], [3, 3, 3]]
    assert times.additive.tolist() == [[500, 700, 1100]] * 2
    assert times.ratio[1, 2] == 1100 / 3


def test_medians_are_over_the_rounds_and_a_busy_machine_is_told(monkeypatch):
    clock, took = Clock(0.0), iter([1, 1, 1, 9, 1, 9])  # dot and additive of three rounds
    for name in ("dot_product_scores", "additive_scores"):
        monkeypatch.setattr(cost_times, name, lambda *_: setattr(clock, "now", clock.now + next(took)))
    times = measure_times(counts=(2,), widths=(5,), d_a=4, repeats=3, budget=1e9, clock=clock)
    assert times.dot.tolist() == [[1]] and times.additive.tolist() == [[9]] and times.additive_fastest.tolist() == [[1]]
    assert times.disturbed.tolist() == [[True]]


@pytest.mark.parametrize(("budget", "rounds"), [(0.001, 1), (20.0, 4), (1000.0, 101)])
def test_no_round_is_begun_that_would_exceed_the_budget(budget, rounds):
    """One size is four readings of the clock, and the budget one more: about 5 or 6 seconds a round."""
    clock = Clock(1.0)
    times = measure_times(counts=(2,), widths=(5,), d_a=4, budget=budget, clock=clock)
    assert times.repeats == rounds and (clock.now <= budget + 1 or rounds == 1)


def test_no_product_needs_a_second_thread():
    """OpenBLAS starts one above 2**18 multiplications, or above 9216 for a matrix and a vector."""
    times = measure_times(repeats=1)
    n, d = max(times.counts), max(times.widths)
    assert max(n * n * d, n * d * times.d_a) <= 2**18 and n * times.d_a <= 9216


def test_it_takes_about_a_second_at_most_and_the_network_takes_longer():
    start = time.process_time()
    times = measure_times()
    assert time.process_time() - start < 1.5
    fastest = times.additive_fastest / times.dot_fastest
    assert (fastest > 1).all() and (fastest[2] > fastest[0]).all(), "and the more so the more tokens there are"
    assert np.isfinite(times.ratio).all() and (times.dot > 0).all()


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"counts": (0,)}, ValueError, ["n", "0"]),
        ({"widths": (2.5,)}, TypeError, ["d", "2.5"]),
        ({"d_a": 0}, ValueError, ["d_a", "0"]),
        ({"repeats": 0}, ValueError, ["repeats"]),
        ({"budget": 0}, ValueError, ["budget", "0"]),
        ({"counts": (4096,)}, ValueError, ["4194304", "4096"]),
    ],
)
def test_refusals_name_what_is_wrong(given, error, words):
    with pytest.raises(error) as caught:
        measure_times(**given)
    assert [word for word in words if word not in str(caught.value)] == []
