"""What sessions share: the core's own numbers, computed once, held within bounds."""

import numpy as np
import pytest

from attention_core import score_forms
from attention_core.band import seed_band
from attention_core.explained import distance_by_width, other_rows, six_words_explained
from attention_core.score_forms import largest_over_seeds
from attention_core.training import train
from attention_core.ways import ablation, scaled_and_not
from pages.ui import cached
from pages.ui.lessons import additive_seeds, learning, runs
from pages.ui.streams import Streams

# the scaling lesson: random numbers, and bands


def test_numbers_that_are_kept_are_those_of_the_generator():
    streams, fresh = Streams(60), np.random.RandomState()
    for seed, shape in ((1, (2, 5)), (2, (3, 3)), (1, (4, 3, 5)), (1, (7,)), (2, (61,)), (2, (60,))):
        streams.seed(seed)
        fresh.seed(seed)
        found = streams.randn(*shape)
        assert found.shape == shape and (found == fresh.randn(*shape)).all(), "odd counts too: it draws in pairs"
    assert {seed: known.size for seed, (_, known) in streams.kept.items()} == {1: 60, 2: 60}


def test_a_band_is_the_cores_whichever_was_asked_for_before(monkeypatch):
    monkeypatch.setattr(cached, "SEEDS", 3)
    cached.streams.cache_clear()
    for keys in (3, 30, 5, 4):
        for mean, divisor, value in ((0.0, "sqrt_d_k", None), (0.5, "free", 3.0), (0.0, "cosine", None)):
            compute = cached.plain_bands if divisor in cached.PLAIN else cached.other_band
            args = (keys, mean, 1.0) if divisor in cached.PLAIN else (keys, mean, 1.0, divisor, value)
            found = compute.__wrapped__(*args)
            band = found[divisor] if divisor in cached.PLAIN else found
            right = seed_band(3, keys, mean=mean, divisor=divisor, value=value)
            assert (band.raw == right.raw).all() and (band.scaled == right.scaled).all()
    sizes = {known.size for _, known in cached.streams().kept.values()}
    assert sizes == {8 * (1 + 5) * 64} and len(cached.streams().kept) == 3
    assert 400 * 8 * cached.streams().most < 42e6, "bytes"
    cached.streams.cache_clear()


# the additive lesson: the largest weights of many seeds


@pytest.fixture
def drawn(monkeypatch):
    """Nothing is held, few seeds are drawn, and every network that is drawn is noted by its width."""
    widths, draw = [], score_forms.standard_network

    def noted(seed, d, d_a):
        widths.append(d)
        return draw(seed, d, d_a)

    monkeypatch.setattr(additive_seeds, "SEEDS", 3)
    monkeypatch.setattr(score_forms, "standard_network", noted)
    additive_seeds.held.cache_clear()
    additive_seeds.sums.cache_clear()
    yield widths
    additive_seeds.held.cache_clear()
    additive_seeds.sums.cache_clear()


SETTINGS = [(5, 6, "root", 1.0), (5, 6, "one", 1.0), (5, 6, "root", 2.5), (4, 6, "root", 1.0), (5, 7, "root", 1.0)]


@pytest.mark.parametrize("most", [0, additive_seeds.MOST_SUMS])
def test_what_is_held_is_what_the_core_computes(drawn, monkeypatch, most):
    monkeypatch.setattr(additive_seeds, "MOST_SUMS", most)
    for widths in ([4, 16], [4, 9, 16], [9, 10], [512]):
        for setting in SETTINGS:
            found = additive_seeds.largest(widths, *setting)
            np.testing.assert_allclose(found, largest_over_seeds(widths, *setting, n_seeds=3), rtol=1e-12)


def test_nothing_is_computed_twice_and_a_width_comes_with_its_neighbours(drawn):
    additive_seeds.largest([4, 16], *SETTINGS[0])
    assert drawn == [16] * 3
    additive_seeds.largest([4, 11, 16], *SETTINGS[0])
    assert drawn[3:] == [16] * 3, "9 to 16, for 11"
    for d in range(9, 17):
        additive_seeds.largest([4, d], *SETTINGS[0])
    assert len(drawn) == 6


def test_another_readout_and_a_longer_query_draw_nothing(drawn):
    for _, _, readout, stretch in SETTINGS[:3]:
        additive_seeds.largest([4, 16], 5, 6, readout, stretch)
    assert len(drawn) == 3


def test_what_is_held_has_a_bound(drawn, monkeypatch):
    monkeypatch.setattr(additive_seeds, "MOST_WIDTHS", 10)
    for d in range(1, 60, 7):
        additive_seeds.largest([d], *SETTINGS[0])
        assert len(additive_seeds.held()) <= 10
    assert (57, *SETTINGS[0]) in additive_seeds.held(), "the newest stay"
    large = additive_seeds.sums.cache_info().currsize
    monkeypatch.setattr(additive_seeds, "MOST_SUMS", 0)
    additive_seeds.largest([4, 16], *SETTINGS[3])
    assert additive_seeds.sums.cache_info().currsize == large <= 2


def test_the_bounds_are_those_that_were_measured():
    assert (additive_seeds.MOST_WIDTHS, additive_seeds.MOST_SUMS, additive_seeds.NEIGHBOURS) == (1024, 1_250_000, 8)
    caches = (cached.followed, cached.live, cached.explained, cached.other_row, cached.nearest, additive_seeds.sums,
              learning.first_look)
    assert [cache.cache_info().maxsize for cache in caches] == [32, 128, 256, 4096, 256, 2, 2048]


# the lesson on explanation: other rows, each searched once


@pytest.mark.parametrize(("tolerance", "far"), [(0.0, "total_variation"), (0.05, "jensen_shannon")])
def test_distances_and_the_other_rows_are_the_cores(tolerance, far):
    rows = six_words_explained(7)
    found = cached.distances("six_words", 7, 6, 2, tolerance, far)
    assert (found == distance_by_width(rows.weights[2], rows.value, tolerance, 7, far)).all() and found.size == 6
    weights, others, _ = cached.nearest(7, 3, tolerance, far)
    assert (weights == rows.weights).all()
    assert (others == other_rows(rows.weights, rows.value[:, :3], tolerance, 7, far)).all()


# the lesson on learning: how both start is known before anybody trains


@pytest.mark.parametrize("seeds", [(0,), (3, 4, 5), (998, 999)])
@pytest.mark.parametrize("d_k", [4, 256])
def test_the_first_report_is_the_one_that_training_makes(d_k, seeds):
    for optimizer in ("sgd", "adam"):
        for ways in (scaled_and_not(d_k), ablation(d_k, optimizer)):
            first, known = next(train(d_k, ways, seeds, optimizer)), learning.first_report(d_k, seeds, len(ways))
            assert all(np.array_equal(one, other) for one, other in zip(vars(first).values(), vars(known).values(),
                                                                        strict=True))


def test_a_run_whose_first_report_is_known_computes_nothing_before_it_goes_on():
    asked = []

    def reports():
        for number in range(4):
            asked.append(number)
            yield number

    run = runs.Run(reports(), 0)
    assert run.reports == [0] and not run.finished and not asked
    run.go_on(10)
    assert run.reports == [0, 1, 2, 3] and run.finished and asked == [0, 1, 2, 3]
