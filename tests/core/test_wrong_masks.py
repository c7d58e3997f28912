"""What each way to apply a mask lets through, as laws, and then in numbers."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attention_core import causal_mask, padding_mask, scaled_dot_product_attention, softmax
from attention_core.wrong_masks import WAYS, leak, lowered_weights, mask_taken, masked_weights

TINY = 1e-12


@st.composite
def scores_and_mask(draw, square=False):
    n = draw(st.integers(1, 6))
    m = n if square else draw(st.integers(1, 6))
    scaled = draw(hnp.arrays(float, (n, m), elements=st.floats(-30, 30)))
    return scaled, draw(hnp.arrays(bool, (n, m)))


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=0, atol=TINY)


def test_ways_in_their_order():
    assert WAYS == tuple(
        "minus_inf by_hand zero minus_1e9 after after_renormalised inverted wrong_axis padded_rows".split()
    )


@given(scores_and_mask())
def test_minus_inf_is_the_core_and_leaks_exactly_nothing(case):
    scaled, allowed = case
    found = masked_weights(scaled, allowed, "minus_inf")
    # with K = I the scaled scores are Q times the scale
    core = scaled_dot_product_attention(scaled, np.eye(scaled.shape[1]), np.eye(scaled.shape[1]), allowed, scale=1.0)
    assert (found == core.weights).all()
    lost = leak(found, allowed)
    assert (lost.hidden == 0).all() and lost.worst == 0
    close(lost.row_sums, allowed.any(axis=1))


@given(scores_and_mask())
def test_by_hand_is_right_but_for_rows_in_which_all_is_hidden(case):
    scaled, allowed = case
    found, blind = masked_weights(scaled, allowed, "by_hand"), ~allowed.any(axis=1)
    assert np.isnan(found[blind]).all()
    close(found[~blind], masked_weights(scaled, allowed, "minus_inf")[~blind])
    lost = leak(found, allowed)
    assert (np.isnan(lost.hidden) == blind).all() and lost.worst == 0


@given(scores_and_mask())
def test_zero_gives_hidden_keys_the_weight_of_a_score_of_0(case):
    scaled, allowed = case
    found = masked_weights(scaled, allowed, "zero")
    exponentials = np.where(allowed, np.exp(scaled), 1.0)
    close(found, exponentials / exponentials.sum(axis=1, keepdims=True))
    lost = leak(found, allowed)
    close(lost.row_sums, 1)
    assert ((lost.hidden > 0) == ~allowed.all(axis=1)).all()


@given(scores_and_mask())
def test_minus_1e9_is_right_until_all_is_hidden_and_then_shares_equally(case):
    scaled, allowed = case
    found, blind = masked_weights(scaled, allowed, "minus_1e9"), ~allowed.any(axis=1)
    close(found[blind], 1 / scaled.shape[1])
    assert (found[~blind] == masked_weights(scaled, allowed, "minus_inf")[~blind]).all()
    close(leak(found, allowed).hidden, blind)


@given(scores_and_mask())
def test_after_loses_what_was_hidden(case):
    scaled, allowed = case
    everything = softmax(scaled)
    found = masked_weights(scaled, allowed, "after")
    assert (found[allowed] == everything[allowed]).all()
    lost = leak(found, allowed)
    assert (lost.hidden == 0).all()
    close(lost.row_sums, 1 - leak(everything, allowed).hidden)


@given(scores_and_mask())
def test_after_renormalised_is_right_where_something_is_visible(case):
    scaled, allowed = case
    found, blind = masked_weights(scaled, allowed, "after_renormalised"), ~allowed.any(axis=1)
    assert np.isnan(found[blind]).all()
    close(found[~blind], masked_weights(scaled, allowed, "minus_inf")[~blind])


def test_after_renormalised_is_nothing_where_the_visible_weights_underflow():
    scaled, allowed = [[0.0, 1.0, 1000.0]], [[True, True, False]]
    assert np.isnan(masked_weights(scaled, allowed, "after_renormalised")).all()
    assert masked_weights(scaled, allowed, "minus_inf").round(3).tolist() == [[0.269, 0.731, 0.0]]


@given(scores_and_mask())
def test_inverted_leaks_everything(case):
    scaled, allowed = case
    found = masked_weights(scaled, allowed, "inverted")
    assert (found == masked_weights(scaled, ~allowed, "minus_inf")).all()
    assert (found[allowed] == 0).all()
    lost = leak(found, allowed)
    close(lost.hidden, ~allowed.all(axis=1))
    close(lost.row_sums, lost.hidden)


@given(scores_and_mask())
def test_wrong_axis_hides_rightly_and_normalises_the_columns(case):
    scaled, allowed = case
    found = masked_weights(scaled, allowed, "wrong_axis")
    assert (found == masked_weights(scaled.T, allowed.T, "minus_inf").T).all()
    close(found.sum(axis=0), allowed.any(axis=0))
    assert (leak(found, allowed).hidden == 0).all()


@given(scores_and_mask(square=True), st.data())
def test_padded_rows_hides_the_paddings_rows_and_keeps_the_rest_of_the_mask(case, data):
    (scaled, allowed), tokens = case, data.draw(hnp.arrays(bool, len(case[0])))
    found = masked_weights(scaled, allowed, "padded_rows", tokens)
    assert (found[~tokens] == 0).all()
    assert (found[tokens] == masked_weights(scaled, allowed, "minus_inf")[tokens]).all()
    assert (found[~allowed] == 0).all()


def test_padded_rows_let_everybody_read_the_padding():
    found = masked_weights(np.zeros((3, 3)), causal_mask(3), "padded_rows", [False, True, True])
    close(found, [[0, 0, 0], [1 / 2, 1 / 2, 0], [1 / 3] * 3])


@given(scores_and_mask(), st.data())
def test_padding_hides_columns_in_every_other_way(case, data):
    (scaled, allowed), tokens = case, data.draw(hnp.arrays(bool, case[0].shape[1]))
    for way in set(WAYS) - {"padded_rows"}:
        found = masked_weights(scaled, allowed, way, tokens)
        np.testing.assert_array_equal(found, masked_weights(scaled, allowed & tokens, way))
    assert (masked_weights(scaled, allowed, "padded_rows") == masked_weights(scaled, allowed, "minus_inf")).all()


@given(scores_and_mask(square=True), st.data())
def test_the_mask_taken_is_the_right_one_in_all_ways_but_two(case, data):
    allowed, tokens = case[1], data.draw(hnp.arrays(bool, len(case[0])))
    for way in WAYS:
        right = allowed & (tokens[:, None] if way == "padded_rows" else tokens)
        assert (mask_taken(allowed, way, tokens) == (~right if way == "inverted" else right)).all()


@given(scores_and_mask())
def test_minus_1e9_added_gives_the_weights_of_no_mask_back_where_all_is_hidden(case):
    scaled, allowed = case
    found, blind = lowered_weights(scaled, allowed), ~allowed.any(axis=1)
    np.testing.assert_allclose(found[blind], softmax(scaled)[blind], rtol=0, atol=1e-6)  # 1e9 leaves 7 decimals
    close(found[~blind], masked_weights(scaled, allowed, "minus_inf")[~blind])


@pytest.mark.parametrize(
    ("way", "hidden", "row_sums"),
    [
        ("minus_inf", [0, 0, 0], [1, 1, 1]),
        ("by_hand", [0, 0, 0], [1, 1, 1]),
        ("zero", [0.4239, 0.1554, 0], [1, 1, 1]),  # 2 / (2 + e), 1 / (1 + 2e)
        ("minus_1e9", [0, 0, 0], [1, 1, 1]),
        ("after", [0, 0, 0], [1 / 3, 2 / 3, 1]),
        ("after_renormalised", [0, 0, 0], [1, 1, 1]),
        ("inverted", [1, 1, 0], [1, 1, 0]),
        ("wrong_axis", [0, 0, 0], [1 / 3, 5 / 6, 11 / 6]),
        ("padded_rows", [0, 0, 0], [1, 1, 1]),  # no padding: nothing to get wrong
    ],
)
def test_the_causal_mask_on_equal_scores_in_numbers(way, hidden, row_sums):
    lost = leak(masked_weights(np.ones((3, 3)), causal_mask(3), way), causal_mask(3))
    np.testing.assert_allclose(lost.hidden, hidden, atol=5e-5)
    np.testing.assert_allclose(lost.row_sums, row_sums, atol=5e-5)
    assert lost.worst == pytest.approx(max(hidden), abs=5e-5)


@pytest.mark.parametrize("way", WAYS)
def test_a_mask_that_hides_nothing_is_harmless_in_all_ways_but_two(way, random):
    scaled = random.normal(size=(5, 5))
    found = masked_weights(scaled, np.ones((5, 5), bool), way)
    harmless = np.abs(found - softmax(scaled)).max() < TINY
    assert harmless == (way not in ("inverted", "wrong_axis"))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("way", WAYS)
def test_no_warning_escapes_no_input_changes_and_the_dtype_stays(way, dtype, random):
    scaled, allowed = 1e4 * random.normal(size=(4, 4)).astype(dtype), causal_mask(4)
    allowed[2] = False
    before = scaled.copy(), allowed.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = masked_weights(scaled, allowed, way)
        lost = leak(found, allowed)
        assert masked_weights(np.ones((0, 0)), np.ones((0, 0), bool), way).shape == (0, 0)
    assert found.dtype == dtype and found.shape == (4, 4)
    assert (scaled == before[0]).all() and (allowed == before[1]).all()
    assert lost.hidden.shape == lost.row_sums.shape == (4,) and isinstance(lost.worst, float)


def test_no_key_at_all():
    for way in WAYS:
        assert masked_weights(np.ones((2, 0)), np.ones((2, 0), bool), way).shape == (2, 0)


def test_leak_keeps_nan_and_its_worst_ignores_it():
    nan = np.nan
    lost = leak([[nan, nan], [0.25, 0.75], [0.5, 0.5]], [[False, False], [True, False], [False, False]])
    assert np.isnan(lost.hidden[0]) and lost.hidden[1:].tolist() == [0.75, 1.0]
    assert np.isnan(lost.row_sums[0]) and lost.worst == 1.0
    assert leak([[nan, nan]], [[False, False]]).worst == 0.0
    assert leak(np.ones((0, 3)), np.ones((0, 3), bool)).worst == 0.0


def test_leak_of_padding():
    allowed = np.broadcast_to(padding_mask(2, 3)[0], (3, 3))
    lost = leak(masked_weights(np.zeros((3, 3)), np.ones((3, 3), bool), "padded_rows", allowed[0]), allowed)
    close(lost.hidden, [1 / 3, 1 / 3, 0])
    close(lost.row_sums, [1, 1, 0])


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: masked_weights([[1.0]], [[True]], "none"), ValueError, ["way", "'none'", "minus_inf"]),
        (lambda: masked_weights([[1.0, 2.0]], [[True]], "zero"), ValueError, ["mask (1, 1)", "scaled", "(1, 2)"]),
        (lambda: masked_weights([[1.0]], [[1]], "zero"), TypeError, ["mask", "boolean", "int64"]),
        (lambda: masked_weights([[[1.0]]], [[[True]]], "zero"), ValueError, ["scaled", "2 dims", "(1, 1, 1)"]),
        (lambda: masked_weights([[np.nan]], [[True]], "zero"), ValueError, ["scaled", "NaN", "[0, 0]"]),
        (lambda: masked_weights(np.ones((2, 3)), np.ones((2, 3), bool), "padded_rows", [True] * 3), ValueError,
         ["2 rows", "3 columns"]),
        (lambda: masked_weights([[1.0]], [[True]], "zero", [True, False]), ValueError, ["padding (2,)", "1 columns"]),
        (lambda: masked_weights([[1.0]], [[True]], "zero", [1]), TypeError, ["padding", "boolean", "int64"]),
        (lambda: leak([1.0], [True]), ValueError, ["weights", "2 dims", "(1,)"]),
        (lambda: leak([["a"]], [[True]]), TypeError, ["weights", "<U1"]),
        (lambda: leak([[1.0]], [[True, False]]), ValueError, ["mask (1, 2)", "weights", "(1, 1)"]),
    ],
)
def test_refusals_name_the_array(call, error, words):
    with pytest.raises(error) as caught:
        call()
    assert all(word in str(caught.value) for word in words), str(caught.value)
