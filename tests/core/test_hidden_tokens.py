"""What hidden tokens move: nothing in the right way; in others more than the weight on hidden keys says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import causal_mask, padding_mask, project, scaled_dot_product_attention
from attention_core.hidden_tokens import moved_by_hidden
from attention_core.wrong_masks import WAYS, leak, masked_weights


def drawn(seed, n=5, first=0):
    """Features, projections and a mask in which every query sees a key."""
    random = np.random.default_rng(seed)
    allowed = random.random((n - first, n)) < 0.6
    allowed[:, first] = True
    return random.normal(size=(n, 3)), [random.normal(size=(3, 2)) for _ in range(3)], allowed


def scaled_and_value(x, projections):
    roles = project(x, *projections)
    return scaled_dot_product_attention(roles.query, roles.key, roles.value).scaled, roles.value


@given(st.integers(0, 999), st.integers(0, 3))
def test_the_right_way_moves_by_exactly_nothing(seed, first):
    x, projections, allowed = drawn(seed, first=first)
    allowed[0] = False
    assert (moved_by_hidden(x, projections, allowed, "minus_inf") == 0).all()
    assert (moved_by_hidden(x, projections, allowed, "minus_inf", np.arange(5) < 4) == 0).all()


@given(st.integers(0, 999))
def test_ways_that_give_hidden_keys_nothing_may_still_move(seed):
    x, projections, allowed = drawn(seed)
    allowed[1] = [True, False, True, False, True]
    scaled, _ = scaled_and_value(x, projections)
    for way in ("after", "wrong_axis"):
        assert leak(masked_weights(scaled, allowed, way), allowed).worst == 0
        assert moved_by_hidden(x, projections, allowed, way).max() > 1e-9
    for way in ("by_hand", "minus_1e9", "after_renormalised"):
        assert moved_by_hidden(x, projections, allowed, way).max() < 1e-12


@pytest.mark.parametrize("way", WAYS)
def test_under_a_causal_mask_it_is_how_the_future_moves_earlier_outputs(way):
    x, projections, _ = drawn(3)
    scaled, value = scaled_and_value(x, projections)
    before, moved = masked_weights(scaled, causal_mask(5), way) @ value, np.zeros(5)
    for token in range(5):
        changed = x.copy()
        changed[token] += 1
        scaled, value = scaled_and_value(changed, projections)
        after = masked_weights(scaled, causal_mask(5), way) @ value
        moved[:token] = np.maximum(moved[:token], np.abs(after - before).max(axis=1)[:token])
    np.testing.assert_allclose(moved_by_hidden(x, projections, causal_mask(5), way), moved, rtol=0, atol=1e-14)


def test_a_token_hidden_from_itself_changes_as_a_key_and_not_as_a_query():
    x, projections, _ = drawn(5)
    allowed = ~np.eye(5, dtype=bool)
    assert (moved_by_hidden(x, projections, allowed, "minus_inf") == 0).all()
    assert (moved_by_hidden(x, projections, allowed, "after") > 1e-6).all()


def test_padded_rows_move_with_the_padding_and_without_padding_with_nothing():
    x, projections, _ = drawn(7)
    tokens = padding_mask(3, 5)[0]
    moved = moved_by_hidden(x, projections, np.ones((5, 5), bool), "padded_rows", tokens)
    assert (moved[:3] > 1e-4).all() and (moved[3:] == 0).all()
    assert (moved_by_hidden(x, projections, causal_mask(5), "padded_rows") == 0).all()


@pytest.mark.parametrize("way", WAYS)
def test_where_nothing_is_hidden_nothing_is_moved(way):
    x, projections, _ = drawn(9)
    assert (moved_by_hidden(x, projections, np.ones((5, 5), bool), way) == 0).all()


def test_what_is_not_a_number_stays_it():
    x, projections, allowed = drawn(11)
    allowed[2] = False
    for way in ("by_hand", "after_renormalised"):
        assert np.isnan(moved_by_hidden(x, projections, allowed, way)).tolist() == [False, False, True, False, False]
