"""Three forms of scores: the bound that tanh gives, and who saturates over many seeds."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import additive_attention, softmax
from attention_core.draws import nested_draw
from attention_core.saturation import saturation, seed_band
from attention_core.score_forms import FORMS, largest_over_seeds, three_forms
from attention_core.score_network import Network, draw_network, flat_share, weight_ceiling

SEEDS = st.integers(0, 999)
BY_FORM = {form: at for at, form in enumerate(FORMS)}


def forms(seed, d=64, n_keys=8, d_a=64, readout="root", stretch=1.0):
    draw = nested_draw(seed, n_keys, d)
    return three_forms(stretch * draw.query, draw.keys, draw_network(seed, d, d, d_a, readout))


# the network


@given(SEEDS, st.integers(1, 40), st.integers(1, 8), st.floats(0.1, 1e6), st.sampled_from(["root", "one"]))
def test_no_additive_score_exceeds_the_sum_of_v(seed, d, d_a, stretch, readout):
    scores = forms(seed, d, 4, d_a, readout, stretch).scores[2]
    network = draw_network(seed, d, d, d_a, readout)
    assert network.bound == pytest.approx(sum(abs(x) for x in network.v))
    assert (abs(scores) <= network.bound * (1 + 1e-12)).all()


@given(SEEDS, st.floats(0, 3), st.integers(2, 12))
def test_no_weight_exceeds_the_ceiling_and_one_reaches_it(seed, bound, n_keys):
    ceiling = weight_ceiling(bound, n_keys)
    scores = np.random.default_rng(seed).uniform(-bound, bound, n_keys)
    assert softmax(scores).max() <= ceiling + 1e-12
    assert softmax(np.where(np.arange(n_keys) == 0, bound, -bound)).max() == pytest.approx(ceiling)


def test_a_dot_product_has_no_such_bound():
    one, long = forms(3), forms(3, stretch=1000.0)
    np.testing.assert_allclose(long.scores[:2], 1000 * one.scores[:2], rtol=1e-12)
    assert abs(long.scores[2]).max() <= draw_network(3, 64, 64).bound < abs(long.scores[1]).max()


@given(SEEDS, st.integers(1, 9), st.integers(1, 9))
def test_a_larger_width_only_adds_columns(seed, d_q, d_k):
    small, large = draw_network(seed, d_q, d_k, 3), draw_network(seed, 9, 9, 3)
    assert (small.v == large.v).all()
    np.testing.assert_allclose(small.w_query * math.sqrt(d_q), 3 * large.w_query[:, :d_q], rtol=1e-12)
    np.testing.assert_allclose(small.w_key * math.sqrt(d_k), 3 * large.w_key[:, :d_k], rtol=1e-12)


@pytest.mark.parametrize("d", [4, 64, 256])
def test_hidden_sums_have_variance_2_at_every_width(d):
    hidden = np.concatenate([
        network.w_query @ draw.query + draw.keys @ network.w_key.T
        for draw, network in ((nested_draw(seed, 1, d), draw_network(seed, d, d)) for seed in range(400))
    ])
    assert hidden.var() == pytest.approx(2, rel=0.1) and abs(hidden.mean()) < 0.1


def test_the_readout_is_what_was_asked_for():
    root, one = draw_network(0, 2, 2, 10_000), draw_network(0, 2, 2, 10_000, "one")
    np.testing.assert_allclose(one.v, 100 * root.v, rtol=1e-12)
    assert one.v.std() == pytest.approx(1, rel=0.03) and (one.w_key == root.w_key).all()


def test_the_flat_share_counts_pair_by_pair():
    draw, network = nested_draw(5, 7, 11), draw_network(5, 11, 11, 13)
    values = [
        math.tanh(network.w_query[a] @ draw.query + network.w_key[a] @ key) for key in draw.keys for a in range(13)
    ]
    expected = sum(abs(value) > 0.9 for value in values) / len(values)
    assert 0 < expected < 1 and flat_share(draw.query, draw.keys, network) == pytest.approx(expected)
    assert flat_share(100 * draw.query, draw.keys, network) > expected


# one query


def test_the_rows_are_the_forms_in_order():
    draw, network = nested_draw(1, 5, 7), draw_network(1, 7, 7, 3)
    found, before = three_forms(draw.query, draw.keys, network), saturation(draw)
    np.testing.assert_allclose(found.scores[BY_FORM["raw"]], before.scores[-1], rtol=1e-12)
    np.testing.assert_allclose(found.scores[BY_FORM["scaled"]], before.scaled[-1], rtol=1e-12)
    additive = additive_attention(
        draw.query[None], draw.keys, np.zeros((5, 1)), network.w_query, network.w_key, network.v
    )
    np.testing.assert_allclose(found.scores[BY_FORM["additive"]], additive.scores[0], rtol=1e-12)
    np.testing.assert_allclose(found.weights.sum(axis=-1), 1, rtol=1e-12)
    assert (found.largest == found.weights.max(axis=1)).all()
    assert found.spread[1] == pytest.approx(before.spread_scaled[-1])


# many seeds


@pytest.mark.parametrize(("readout", "stretch"), [("root", 1.0), ("one", 3.0)])
def test_every_seed_is_one_query(readout, stretch):
    widths = [3, 70, 20]
    largest = largest_over_seeds(widths, 5, 6, readout, stretch, n_seeds=4)
    assert largest.shape == (3, 3, 4)
    for at, d in enumerate(widths):
        for seed in range(4):
            expected = forms(seed, d, 5, 6, readout, stretch).largest
            np.testing.assert_allclose(largest[at, :, seed], expected, rtol=1e-10)


def test_blocks_change_nothing(monkeypatch):
    whole = largest_over_seeds([16, 64], 5, 6, n_seeds=3)
    monkeypatch.setattr("attention_core.score_forms.ONE_THREAD", 100)
    np.testing.assert_allclose(largest_over_seeds([16, 64], 5, 6, n_seeds=3), whole, rtol=1e-12)


def test_the_dot_product_saturates_as_in_the_scaling_lesson():
    largest, band = largest_over_seeds([64, 256]), seed_band(400)
    for at, d in enumerate((64, 256)):
        assert (largest[at] > 0.9).mean(axis=-1)[:2].tolist() == [band.share_raw[d - 1], band.share_scaled[d - 1]]


def test_at_256_the_dot_product_saturates_and_neither_other_form_does():
    largest = largest_over_seeds([4, 256])
    raw, scaled, additive = (largest[1] > 0.9).mean(axis=-1)
    assert raw > 0.75 and scaled == additive == 0
    medians = np.median(largest, axis=-1)
    assert medians[1, 0] > 0.99 and medians[1, 2] < medians[1, 1] < 0.4
    assert medians[1, 2] == pytest.approx(medians[0, 2], abs=0.03), "the width does not matter to the additive form"


def test_without_its_small_v_the_additive_form_saturates_too():
    shares = [(largest_over_seeds([256], d_a=d_a, readout="one")[0, 2] > 0.9).mean() for d_a in (1, 8, 64)]
    assert shares[0] == 0 and shares == sorted(shares) and shares[2] > 0.25


def test_long_queries_saturate_the_scaled_form_and_cannot_saturate_the_additive_one():
    _, scaled, additive = (largest_over_seeds([256], stretch=10.0)[0] > 0.9).mean(axis=-1)
    assert scaled > 0.5 and additive == 0


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: draw_network(-1, 2, 2), ValueError, ["seed", "-1"]),
        (lambda: draw_network(0, 0, 2), ValueError, ["d_q", "0"]),
        (lambda: draw_network(0, 2, 2.0), TypeError, ["d_k", "2.0"]),
        (lambda: draw_network(0, 2, 2, readout="two"), ValueError, ["readout", "'root'", "'two'"]),
        (lambda: largest_over_seeds([0]), ValueError, ["d", "0"]),
        (lambda: largest_over_seeds([4], n_seeds=0), ValueError, ["n_seeds", "0"]),
        (lambda: largest_over_seeds([4], stretch=np.inf), ValueError, ["stretch", "finite"]),
        (lambda: weight_ceiling(-1.0, 2), ValueError, ["bound", "-1"]),
        (lambda: weight_ceiling(1.0, 0), ValueError, ["n_keys", "0"]),
        (lambda: three_forms(np.ones(3), np.ones((2, 4)), draw_network(0, 3, 4)), ValueError, ["Q", "K", "3", "4"]),
        (lambda: flat_share(np.ones(3), np.ones((2, 4)), Network(np.ones((2, 2)), np.ones((2, 4)), np.ones(2))),
         ValueError, ["3", "2"]),
    ],
)
def test_refusals_name_what_is_wrong(call, error, words):
    with pytest.raises(error) as caught:
        call()
    assert [word for word in words if word not in str(caught.value)] == []
