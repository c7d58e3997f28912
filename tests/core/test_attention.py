"""Laws of scaled dot-product attention, its extremes and its refusals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attention_core import causal_mask, combine_masks, padding_mask, scaled_dot_product_attention, softmax

LARGEST = np.finfo(np.float64).max


TAME = st.floats(-20, 20)


@st.composite
def inputs(draw, numbers=TAME, masks=True):
    """Q, K, V of any small size, perhaps with leading axes that broadcast, and a boolean mask or none."""
    n, m, d_k, d_v = (draw(st.integers(1, 5)) for _ in range(4))
    lead = draw(st.sampled_from([((), (), ()), ((2,), (2,), (2,)), ((3, 2), (2,), (3, 1)), ((), (2,), ())]))
    shapes = ((n, d_k), (m, d_k), (m, d_v))
    query, key, value = (
        draw(hnp.arrays(np.float64, (*before, *shape), elements=numbers))
        for before, shape in zip(lead, shapes, strict=True)
    )
    mask = draw(st.none() | hnp.arrays(bool, (n, m))) if masks else None
    return query, key, value, mask


any_finite = st.floats(-LARGEST, LARGEST, allow_nan=False)


@given(inputs(any_finite), st.booleans(), st.sampled_from([None, 0.0, -1.0, 1e-300, 1e300, LARGEST]))
def test_rows_sum_to_one_or_to_zero_for_all_finite_inputs(given, is_causal, scale):
    query, key, value, mask = given
    result = scaled_dot_product_attention(query, key, value, mask, is_causal, scale)
    visible = np.ones(result.weights.shape, bool) if result.allowed is None else result.allowed
    visible = np.broadcast_to(visible, result.weights.shape)
    np.testing.assert_allclose(result.weights.sum(axis=-1), visible.any(axis=-1), rtol=1e-14)
    assert (result.weights[~visible] == 0).all()
    assert not np.isnan(result.scores).any() and not np.isnan(result.scaled).any()


@given(inputs(any_finite), st.booleans())
def test_output_stays_in_the_hull_of_the_values(given, is_causal):
    query, key, value, mask = given
    result = scaled_dot_product_attention(query, key, value, mask, is_causal)
    rows_with_keys = np.broadcast_to(result.weights.sum(axis=-1)[..., None] > 0, result.output.shape)
    smallest = np.finfo(float).smallest_subnormal  # among subnormal numbers, rounding is by a whole step of it
    slack = 1e-13 * np.abs(value).max(axis=-2, keepdims=True) + 2 * value.shape[-2] * smallest
    with np.errstate(over="ignore"):
        low = np.broadcast_to(value.min(axis=-2, keepdims=True) - slack, result.output.shape)
        high = np.broadcast_to(value.max(axis=-2, keepdims=True) + slack, result.output.shape)
    assert np.isfinite(result.output).all()
    assert (result.output >= low)[rows_with_keys].all() and (result.output <= high)[rows_with_keys].all()
    assert (result.output[~rows_with_keys] == 0).all()


@given(inputs(masks=False), st.data())
def test_permuting_keys_with_their_values_changes_nothing(given, data):
    query, key, value, _ = given
    order = data.draw(st.permutations(range(key.shape[-2])))
    before = scaled_dot_product_attention(query, key, value)
    after = scaled_dot_product_attention(query, key[..., order, :], value[..., order, :])
    np.testing.assert_allclose(after.weights, before.weights[..., order], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(after.output, before.output, rtol=1e-9, atol=1e-10)


@given(inputs(masks=False), st.floats(-100, 100))
def test_a_constant_float_mask_changes_nothing(given, constant):
    query, key, value, _ = given
    bias = np.full((query.shape[-2], key.shape[-2]), constant)
    biased = scaled_dot_product_attention(query, key, value, bias)
    np.testing.assert_allclose(biased.output, scaled_dot_product_attention(query, key, value).output, atol=1e-9)


@given(inputs(masks=False), st.data())
def test_later_keys_change_nothing_earlier_under_is_causal(given, data):
    query, key, value, _ = given
    first_changed = data.draw(st.integers(0, key.shape[-2] - 1))
    other_key, other_value = key.copy(), value.copy()
    other_key[..., first_changed:, :] += 3
    other_value[..., first_changed:, :] -= 7
    before = scaled_dot_product_attention(query, key, value, is_causal=True)
    after = scaled_dot_product_attention(query, other_key, other_value, is_causal=True)
    assert (before.output[..., :first_changed, :] == after.output[..., :first_changed, :]).all()
    assert (before.weights[..., :first_changed, :] == after.weights[..., :first_changed, :]).all()


def test_is_causal_lets_a_query_see_its_own_position(random):
    query, key, value = (random.normal(size=(4, 3)) for _ in range(3))
    weights = scaled_dot_product_attention(query, key, value, is_causal=True).weights
    assert ((weights > 0) == np.tri(4, dtype=bool)).all()


@given(inputs(masks=False), st.data())
def test_masked_keys_might_as_well_not_be_there(given, data):
    query, key, value, _ = given
    keep = data.draw(hnp.arrays(bool, key.shape[-2]))
    masked = scaled_dot_product_attention(query, key, value, keep)
    removed = scaled_dot_product_attention(query, key[..., keep, :], value[..., keep, :])
    np.testing.assert_allclose(masked.weights[..., keep], removed.weights, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(masked.output, removed.output, rtol=1e-9, atol=1e-10)


@given(inputs())
def test_boolean_mask_equals_float_mask_of_minus_infinity(given):
    query, key, value, mask = given
    if mask is None:
        mask = causal_mask(query.shape[-2], key.shape[-2])
    boolean = scaled_dot_product_attention(query, key, value, mask)
    additive = scaled_dot_product_attention(query, key, value, np.where(mask, 0.0, -np.inf))
    assert (boolean.weights == additive.weights).all() and (boolean.output == additive.output).all()
    assert (boolean.allowed == additive.allowed).all()


@given(inputs())
def test_is_causal_and_a_mask_combine_by_and(given):
    query, key, value, mask = given
    both = scaled_dot_product_attention(query, key, value, mask, is_causal=True)
    by_hand = combine_masks(mask, causal_mask(query.shape[-2], key.shape[-2]))
    one = scaled_dot_product_attention(query, key, value, by_hand)
    assert (both.output == one.output).all() and (both.allowed == by_hand).all()


@given(inputs())
def test_leading_axes_broadcast_like_a_loop(given):
    query, key, value, mask = given
    result = scaled_dot_product_attention(query, key, value, mask)
    lead = np.broadcast_shapes(query.shape[:-2], key.shape[:-2], value.shape[:-2])
    spread = [np.broadcast_to(a, (*lead, *a.shape[-2:])) for a in (query, key, value)]
    for index in np.ndindex(*lead):
        single = scaled_dot_product_attention(*(a[index] for a in spread), mask)
        np.testing.assert_allclose(result.output[index], single.output, rtol=1e-9, atol=1e-10)


def test_the_steps_are_the_formula(qkv):
    query, key, value = qkv
    result = scaled_dot_product_attention(query, key, value)
    np.testing.assert_allclose(result.scores, query @ key.T, rtol=1e-14)
    np.testing.assert_allclose(result.scaled, query @ key.T / np.sqrt(5), rtol=1e-13)
    np.testing.assert_allclose(result.weights, softmax(query @ key.T / np.sqrt(5)), rtol=1e-13)
    np.testing.assert_allclose(result.output, result.weights @ value, rtol=1e-14)
    assert result.allowed is None and result.scale == 1 / np.sqrt(5)


def test_masks_leave_scores_and_scaled_alone(qkv):
    plain = scaled_dot_product_attention(*qkv)
    masked = scaled_dot_product_attention(*qkv, attn_mask=padding_mask(1, 3), is_causal=True)
    assert (masked.scores == plain.scores).all() and (masked.scaled == plain.scaled).all()
    assert masked.allowed.tolist() == [[True, False, False]] * 2
    assert masked.weights.tolist() == [[1, 0, 0]] * 2


def test_a_four_dimensional_mask_and_one_per_sequence(random):
    query, key, value = (random.normal(size=(2, 3, rows, 5)) for rows in (4, 6, 6))
    lengths = np.array([2, 5])
    mask = padding_mask(lengths[:, None], 6)  # (2, 1, 1, 6)
    result = scaled_dot_product_attention(query, key, value, mask)
    assert result.allowed.shape == (2, 1, 4, 6)
    for b, length in enumerate(lengths):
        short = scaled_dot_product_attention(query[b], key[b, :, :length], value[b, :, :length])
        np.testing.assert_allclose(result.output[b], short.output, rtol=1e-12)


def test_a_mask_may_bring_leading_axes_of_its_own(qkv):
    masks = np.array([[[True, False, True]], [[False, False, False]]])  # (2, 1, 3)
    result = scaled_dot_product_attention(*qkv, attn_mask=masks)
    assert result.weights.shape == (2, 2, 3) and result.output.shape == (2, 2, 7)
    assert (result.output[1] == 0).all() and (result.output[0] != 0).any()


def test_a_finite_sentinel_is_no_mask():
    lowest = np.full((1, 2), -LARGEST)
    result = scaled_dot_product_attention([[1.0]], [[1.0], [5.0]], [[1.0], [3.0]], lowest)
    assert result.output.tolist() == [[2.0]], "all scores drown in the sentinel: the mean of V"
    narrow = [np.array(a, np.float32) for a in ([[1.0]], [[1.0], [5.0]], [[1.0], [3.0]])]
    assert scaled_dot_product_attention(*narrow, attn_mask=lowest).output.tolist() == [[2.0]]


@pytest.mark.parametrize(
    ("query", "key", "scale", "weights"),
    [
        ([[1e308, 0.0]], [[2.0, 0.0], [0.0, 1.0]], None, [1, 0]),  # the raw score overflows, the scaled does not
        ([[1e308, 1e308]], [[10.0, -10.0], [1.0, 0.0]], None, [0, 1]),  # inf - inf on the way, 0 in truth
        ([[1e308]], [[1e308], [1e307]], None, [1, 0]),  # both scaled scores overflow, one wins
        ([[1e308]], [[-1e308], [-1e308]], None, [0.5, 0.5]),  # both are lowest of all, yet nothing is masked
        ([[1e-300]], [[1e300], [0.0]], 1.0, [0.7310585786300049, 0.2689414213699951]),
        ([[1e-300]], [[1.0], [0.0]], 1e300, [0.7310585786300049, 0.2689414213699951]),
        ([[1e300]], [[1e-300], [0.0]], 1e300, [1, 0]),
        ([[1e10]], [[1e-308], [0.0]], 1e300, [1, 0]),
        ([[1e300]], [[1e-300], [0.0]], 1e-300, [0.5, 0.5]),
        ([[5e-324]], [[5e-324], [LARGEST]], None, [0.5, 0.5]),
        ([[1e3]], [[1e5], [1e4]], 1e303, [1, 0]),  # only the scale takes the scores beyond the largest float
        ([[1.0]], [[3.0], [-4.0]], 0.0, [0.5, 0.5]),
    ],
)
def test_extremes_come_out_right(query, key, scale, weights):
    result = scaled_dot_product_attention(query, key, [[1.0], [0.0]], scale=scale)
    np.testing.assert_allclose(result.weights, [weights], rtol=1e-12, atol=1e-15)


def test_scores_and_mask_that_overflow_together_hide_nothing():
    lowest = np.full((1, 2), -1.7e308)
    result = scaled_dot_product_attention([[1e308]], [[-1.0], [-1.0]], [[1.0], [3.0]], lowest, scale=1.0)
    assert result.weights.tolist() == [[0.5, 0.5]] and result.output.tolist() == [[2.0]]


def test_without_a_wider_float_the_scale_still_comes_first(monkeypatch):
    monkeypatch.setattr("attention_core.attention.widen", lambda dtype, bound, *arrays: arrays)
    result = scaled_dot_product_attention([[1e308, 0.0]], [[2.0, 0.0], [0.0, 1.0]], [[1.0], [0.0]])
    assert result.weights.tolist() == [[1, 0]]
    with pytest.raises(ValueError, match="scores .*inf"):
        scaled_dot_product_attention([[1e308]], [[1e308], [1.0]], [[1.0], [0.0]])


def test_raw_scores_are_reported_even_where_they_overflow():
    result = scaled_dot_product_attention([[1e308]], [[4.0], [-4.0]], [[1.0], [0.0]], scale=0.25)
    assert result.scores.tolist() == [[np.inf, -np.inf]]
    np.testing.assert_allclose(result.scaled, [[1e308, -1e308]])


def test_values_near_the_largest_float_stay_there():
    value = np.full((3, 1), LARGEST)
    assert scaled_dot_product_attention(np.zeros((1, 1)), np.ones((3, 1)), value).output.tolist() == [[LARGEST]]
    narrow = np.full((3, 1), np.finfo(np.float32).max)
    result = scaled_dot_product_attention(np.zeros((1, 1), np.float32), np.ones((3, 1), np.float32), narrow)
    assert result.output.dtype == np.float32 and result.output[0, 0] == narrow[0, 0]


@pytest.mark.parametrize(
    ("dtypes", "expected"),
    [
        (("float32",) * 3, "float32"),
        (("float16",) * 3, "float32"),
        (("float64",) * 3, "float64"),
        (("float32", "float64", "float32"), "float64"),
        (("float16", "float32", "float16"), "float32"),
        (("int64", "int64", "int64"), "float64"),
        (("bool", "float32", "float32"), "float64"),
        (("float32", "uint8", "float32"), "float64"),
    ],
)
def test_dtypes_follow_numpy(dtypes, expected):
    arrays = [np.ones((2, 2), dtype) for dtype in dtypes]
    result = scaled_dot_product_attention(*arrays, attn_mask=np.ones((2, 2), bool))
    assert {a.dtype for a in (result.scores, result.scaled, result.weights, result.output)} == {np.dtype(expected)}


@pytest.mark.parametrize(("mask", "expected"), [("float16", "float32"), ("float32", "float32"), ("float64", "float64")])
def test_a_float_mask_takes_part_in_the_promotion(mask, expected):
    arrays = [np.ones((2, 2), np.float32)] * 3
    assert scaled_dot_product_attention(*arrays, attn_mask=np.zeros((2, 2), mask)).weights.dtype == expected
    wide = [np.ones((2, 2))] * 3
    assert scaled_dot_product_attention(*wide, attn_mask=np.zeros((2, 2), mask)).weights.dtype == np.float64


def test_whole_numbers_are_not_truncated():
    result = scaled_dot_product_attention([[1, 0]], [[1, 0], [0, 1]], [[1], [2]])
    np.testing.assert_allclose(result.output, [[1.3302384506733431]])


def test_inputs_are_left_alone_and_outputs_are_no_views(random):
    arrays = [random.normal(size=(3, 3)) for _ in range(3)] + [random.normal(size=(3, 3))]
    copies = [a.copy() for a in arrays]
    for a in arrays:
        a.flags.writeable = False
    result = scaled_dot_product_attention(*arrays, is_causal=True)
    for name in ("scores", "scaled", "weights", "output", "allowed"):
        array = getattr(result, name)
        assert array.flags.writeable, name
        assert not any(np.shares_memory(array, a) for a in arrays), name
        array[...] = 0
    assert all((a == copy).all() for a, copy in zip(arrays, copies, strict=True))
    everything = np.ones((3, 3), bool)
    assert not np.shares_memory(scaled_dot_product_attention(*arrays[:3], everything).allowed, everything)


def test_memory_layout_does_not_matter(random):
    query, key, value = (random.normal(size=(4, 4)) for _ in range(3))
    expected = scaled_dot_product_attention(query, key, value, causal_mask(4)).output
    layouts = (np.asfortranarray, lambda a: a[::-1][::-1], lambda a: np.repeat(a, 2, axis=1)[:, ::2], list)
    for layout in layouts:
        found = scaled_dot_product_attention(layout(query), layout(key), layout(value), layout(causal_mask(4))).output
        np.testing.assert_allclose(found, expected, rtol=1e-13)


def test_empty_axes():
    none_ask = scaled_dot_product_attention(np.zeros((0, 4)), np.ones((3, 4)), np.ones((3, 2)), is_causal=True)
    assert none_ask.weights.shape == (0, 3) and none_ask.output.shape == (0, 2)
    none_answer = scaled_dot_product_attention(np.ones((2, 4)), np.zeros((0, 4)), np.zeros((0, 2)))
    assert none_answer.weights.shape == (2, 0) and none_answer.output.tolist() == [[0, 0], [0, 0]]
    assert scaled_dot_product_attention(np.ones((2, 4)), np.ones((3, 4)), np.ones((3, 0))).output.shape == (2, 0)


@pytest.mark.parametrize("scale", [2, np.float32(2), np.int8(2), np.array(2.0)])
def test_scale_may_be_any_real_number(qkv, scale):
    result = scaled_dot_product_attention(*qkv, scale=scale)
    np.testing.assert_allclose(result.scaled, 2 * result.scores, rtol=1e-14)
    assert type(result.scale) is float and result.scale == 2


ONES = np.ones
GOOD = (ONES((2, 4)), ONES((3, 4)), ONES((3, 5)))


@pytest.mark.parametrize(
    ("arguments", "options", "error", "words"),
    [
        ((ONES((2, 4)), ONES((3, 5)), ONES((3, 5))), {}, ValueError, ["Q (2, 4) has 4", "K (3, 5) has 5", "d_k"]),
        ((ONES((2, 4)), ONES((3, 4)), ONES((6, 5))), {}, ValueError, ["K (3, 4) has 3", "V (6, 5) has 6"]),
        ((ONES(4), ONES((3, 4)), ONES((3, 5))), {}, ValueError, ["Q", "2 dim", "(4,)"]),
        ((ONES((2, 4)), 3.0, ONES((3, 5))), {}, ValueError, ["K", "2 dim", "0"]),
        ((ONES((2, 0)), ONES((3, 0)), ONES((3, 5))), {}, ValueError, ["Q (2, 0)", "d_k = 0"]),
        ((ONES((2, 2, 4)), ONES((5, 3, 4)), ONES((3, 5))), {}, ValueError, ["Q (2, 2, 4)", "K (5, 3, 4)"]),
        ((ONES((2, 2, 4)), ONES((3, 4)), ONES((5, 3, 5))), {}, ValueError, ["Q (2, 2, 4)", "V (5, 3, 5)"]),
        (([[1.0, np.nan]], [[1.0, 1.0]], [[1.0]]), {}, ValueError, ["Q", "NaN", "[0, 1]"]),
        (([[1.0, 1.0]], [[1.0, -np.inf]], [[1.0]]), {}, ValueError, ["K", "-inf", "[0, 1]"]),
        (([[1.0, 1.0]], [[1.0, 1.0]], [[np.inf]]), {}, ValueError, ["V", "+inf", "[0, 0]"]),
        (([["a", "b"]], [[1.0, 1.0]], [[1.0]]), {}, TypeError, ["Q", "text"]),
        (([["1.0", "2.0"]], [[1.0, 1.0]], [[1.0]]), {}, TypeError, ["Q", "text"]),
        ((None, [[1.0, 1.0]], [[1.0]]), {}, TypeError, ["Q", "None"]),
        (([[None, 1.0]], [[1.0, 1.0]], [[1.0]]), {}, TypeError, ["Q", "objects"]),
        (([[1.0, 2.0], [3.0]], [[1.0, 1.0]], [[1.0]]), {}, ValueError, ["Q", "lengths"]),
        (([[1j, 2.0]], [[1.0, 1.0]], [[1.0]]), {}, TypeError, ["Q", "complex"]),
        ((ONES((2, 4)), np.ma.masked_array(ONES((3, 4))), ONES((3, 5))), {}, TypeError, ["K", "masked array"]),
        ((ONES((2, 4)), ONES((3, 4)), ONES((3, 5), "M8[s]")), {}, TypeError, ["V", "datetime64"]),
        (GOOD, {"attn_mask": ONES((3, 2), bool)}, ValueError, ["mask", "(3, 2)", "2 queries", "3 keys"]),
        (GOOD, {"attn_mask": ONES((2, 4), bool)}, ValueError, ["mask", "(2, 4)", "3 keys"]),
        ((ONES((1, 4)), *GOOD[1:]), {"attn_mask": ONES((5, 3), bool)}, ValueError, ["mask", "(5, 3)", "1 queries"]),
        (GOOD, {"attn_mask": ONES((2, 3), int)}, TypeError, ["mask", "bool", "float", "int64"]),
        (GOOD, {"attn_mask": [["a"] * 3] * 2}, TypeError, ["mask", "bool", "float"]),
        (GOOD, {"attn_mask": True}, ValueError, ["mask", "1 dim"]),
        (GOOD, {"attn_mask": [[0, 0, 0], [0, 0, np.nan]]}, ValueError, ["mask", "NaN", "[1, 2]"]),
        (GOOD, {"attn_mask": [[0, np.inf, 0]]}, ValueError, ["mask", "+inf", "[0, 1]"]),
        (GOOD, {"attn_mask": [[True], [True, False]]}, ValueError, ["mask", "lengths"]),
        (GOOD, {"attn_mask": np.ma.masked_array(ONES((2, 3), bool))}, TypeError, ["mask", "masked array"]),
        (
            (ONES((2, 2, 4)), ONES((3, 4)), ONES((3, 5))),
            {"attn_mask": ONES((7, 2, 3), bool)},
            ValueError,
            ["mask (7, 2, 3)", "Q (2, 2, 4)"],
        ),
        (GOOD, {"scale": np.nan}, ValueError, ["scale", "nan"]),
        (GOOD, {"scale": np.inf}, ValueError, ["scale", "inf"]),
        (GOOD, {"scale": 10**400}, ValueError, ["scale", "finite"]),
        (GOOD, {"scale": "0.5"}, TypeError, ["scale", "'0.5'"]),
        (GOOD, {"scale": True}, TypeError, ["scale", "True"]),
        (GOOD, {"scale": np.True_}, TypeError, ["scale"]),
        (GOOD, {"scale": 1j}, TypeError, ["scale"]),
        (GOOD, {"scale": [0.5]}, TypeError, ["scale", "list"]),
        (GOOD, {"is_causal": 1}, TypeError, ["is_causal", "int"]),
        (GOOD, {"is_causal": ONES((2, 3), bool)}, TypeError, ["is_causal", "ndarray"]),
    ],
)
def test_refusals_name_what_is_wrong(arguments, options, error, words):
    with pytest.raises(error) as caught:
        scaled_dot_product_attention(*arguments, **options)
    for word in words:
        assert word in str(caught.value)
