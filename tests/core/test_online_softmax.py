"""Every step of the online softmax: its invariants, and the last one against the dense path."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import scaled_dot_product_attention, tiled_attention
from attention_core.online_softmax import ORDERS, drawn_query, online_softmax, without_rescaling

PASSES = st.fixed_dictionaries({
    "seed": st.integers(0, 2**32 - 1),
    "m": st.integers(1, 12),
    "tile": st.integers(1, 13),
    "kind": st.sampled_from([None, "boolean", "float", "first tile", "everything"]),
    "size": st.sampled_from([0.0, 1.0, 30.0, 1e150, 1e300]),
    "scale": st.sampled_from([None, 0.0, -1.0, 3.0]),
})


def drawn(seed, m, tile, kind, size, scale):
    random = np.random.default_rng(seed)
    query, key, value = (random.normal(size=shape) for shape in ((3,), (m, 3), (m, 2)))
    mask = {
        None: None,
        "boolean": random.random(m) < 0.5,
        "float": np.where(random.random(m) < 0.6, random.normal(size=m), -np.inf),
        "first tile": np.arange(m) >= tile,
        "everything": np.zeros(m, bool),
    }[kind]
    return {"query": query * size, "key": key, "value": value * size, "attn_mask": mask, "scale": scale}, tile


def dense_output(query, key, value, attn_mask, scale):
    return scaled_dot_product_attention(query[None], key, value, attn_mask, scale=scale).output[0]


@given(PASSES)
def test_the_last_step_divided_by_its_sum_is_the_dense_output(case):
    arguments, tile = drawn(**case)
    dense = dense_output(**arguments)
    *_, last = online_softmax(**arguments, tile=tile)
    atol = 1e-9 * max(case["size"], 1)  # where scores are huge their rounding alone decides close races
    np.testing.assert_allclose(last.output.astype(float), dense, rtol=1e-9, atol=atol)
    if last.total:
        np.testing.assert_allclose((last.weighted / last.total).astype(float), dense, rtol=1e-9, atol=atol)
    else:
        assert not dense.any() and not last.weighted.any()


@given(PASSES)
def test_every_step_is_attention_over_the_keys_so_far(case):
    """So whatever the cut, what is kept after k keys depends on these k keys alone."""
    arguments, tile = drawn(**case)
    for step in online_softmax(**arguments, tile=tile):
        seen = {name: arguments[name][: step.stop] for name in ("key", "value")}
        mask = None if arguments["attn_mask"] is None else arguments["attn_mask"][: step.stop]
        dense = dense_output(arguments["query"], attn_mask=mask, scale=arguments["scale"], **seen)
        np.testing.assert_allclose(step.output.astype(float), dense, rtol=1e-9, atol=1e-9 * max(case["size"], 1))


@given(PASSES)
def test_the_steps_cover_the_keys_once_and_hand_over_what_they_keep(case):
    arguments, tile = drawn(**case)
    steps = list(online_softmax(**arguments, tile=tile))
    assert [key for step in steps for key in range(step.start, step.stop)] == list(range(case["m"]))
    assert steps[0].largest_before == -np.inf and steps[0].total_before == 0 and not steps[0].weighted_before.any()
    for one, two in pairwise(steps):
        assert (two.largest_before, two.total_before) == (one.largest, one.total)
        assert (two.weighted_before == one.weighted).all()


@given(PASSES)
def test_each_number_of_a_step_follows_from_its_arithmetic(case):
    arguments, tile = drawn(**case)
    for step in online_softmax(**arguments, tile=tile):
        value = arguments["value"][step.start : step.stop]
        assert step.largest == max(step.largest_before, *step.scores)
        assert 0 <= step.factor <= 1 and (0 <= step.exponentials).all() and (step.exponentials <= 1).all()
        if step.largest > -np.inf:
            with np.errstate(over="ignore"):
                assert step.factor == np.exp(step.largest_before - step.largest)
                assert (step.exponentials == np.exp(step.scores - step.largest)).all()
            assert step.total >= 1 - 1e-12  # the largest score counts 1
        else:
            assert step.factor == 1 and not step.exponentials.any() and step.total == 0
        assert step.total == step.total_before * step.factor + step.exponentials.sum()
        np.testing.assert_array_equal(step.weighted, step.weighted_before * step.factor + step.exponentials @ value)


@given(st.integers(0, 999), st.integers(1, 40), st.integers(1, 41), st.booleans())
def test_each_query_of_the_tiled_path_makes_this_pass(seed, n, tile, is_causal):
    random = np.random.default_rng(seed)
    query, key, value = (random.normal(size=(n, 3)) for _ in range(3))
    tiled = tiled_attention(query, key, value, is_causal=is_causal, tile=tile)
    for i in range(n):
        mask = np.arange(n) <= i if is_causal else None
        *_, last = online_softmax(query[i], key, value, mask, tile=tile)
        np.testing.assert_allclose(last.output, tiled[i], rtol=1e-12, atol=1e-14)


def test_by_hand():
    one, two, three = online_softmax([1.0], [[0.0], [np.log(4)], [np.log(2)]], [[8.0], [1.0], [4.0]], scale=1, tile=1)
    assert (one.largest, one.factor, one.total, *one.weighted) == (0, 0, 1, 8)
    assert two.largest == np.log(4)
    np.testing.assert_allclose([two.factor, two.total, *two.weighted], [1 / 4, 5 / 4, 3], rtol=1e-15)
    np.testing.assert_allclose([three.factor, three.total, *three.weighted], [1, 7 / 4, 5], rtol=1e-15)
    np.testing.assert_allclose(three.output, 20 / 7, rtol=1e-15)
    np.testing.assert_allclose(without_rescaling([one, two, three]), (8 + 1 + 2) / 2.5, rtol=1e-15)


@given(st.integers(0, 999), st.integers(2, 12), st.integers(1, 6))
def test_falling_scores_never_rescale_and_rising_ones_always_do(seed, n, tile):
    falling, rising = (drawn_query(seed, n, order=order) for order in ("falling", "rising"))
    steps = list(online_softmax(falling.query, falling.key, falling.value, tile=tile))
    assert all(step.factor == 1 for step in steps[1:])
    np.testing.assert_allclose(without_rescaling(steps), steps[-1].output, rtol=1e-12)
    again = list(online_softmax(rising.query, rising.key, rising.value, tile=tile))
    assert all(step.factor < 1 for step in again)
    np.testing.assert_allclose(again[-1].output, steps[-1].output, rtol=1e-12, atol=1e-14)


def test_without_rescaling_rising_scores_come_out_wrong():
    rising = drawn_query(0, 8, order="rising")
    steps = list(online_softmax(rising.query, rising.key, rising.value, tile=2))
    assert np.abs(without_rescaling(steps) - steps[-1].output).max() > 0.05


@pytest.mark.parametrize("part", [1, 4])  # a quarter fits float64, the sum of nine does not
def test_values_near_the_largest_float_stay_there(part):
    value = np.full((9, 1), np.finfo(float).max / part)
    *_, last = online_softmax([0.0], np.ones((9, 1)), value, tile=2)
    assert (last.output == value[0]).all()


def test_no_keys_no_steps_and_a_fully_hidden_row():
    assert list(online_softmax([1.0], np.ones((0, 1)), np.ones((0, 2)))) == []
    steps = list(online_softmax([1.0], np.ones((4, 1)), np.ones((4, 2)), np.zeros(4, bool), tile=3))
    assert [step.largest for step in steps] == [-np.inf] * 2 and [step.factor for step in steps] == [1, 1]
    assert not steps[-1].output.any() and not without_rescaling(steps).any()


def test_float32_stays_float32():
    *_, last = online_softmax(np.ones(2, np.float32), np.ones((3, 2), np.float32), np.ones((3, 2), np.float32), tile=2)
    assert last.output.dtype == np.float32


@pytest.mark.parametrize("order", ORDERS)
def test_a_draw_is_the_same_keys_in_another_order(order):
    plain, sorted_ = drawn_query(5, 9), drawn_query(5, 9, order=order)
    assert (plain.query == sorted_.query).all()
    rows = lambda drawn: sorted(map(tuple, np.hstack([drawn.key, drawn.value]).tolist()))  # noqa: E731
    assert rows(plain) == rows(sorted_)
    scores = sorted_.key @ sorted_.query
    assert order == "drawn" or (np.diff(scores) * (1 if order == "rising" else -1) >= 0).all()


def test_one_key_more_leaves_the_others_alone():
    assert (drawn_query(5, 9).key[:8] == drawn_query(5, 8).key).all()
    assert (drawn_query(5, 9).value[:8] == drawn_query(5, 8).value).all()
    assert not np.allclose(drawn_query(5, 9).key, drawn_query(6, 9).key)


@pytest.mark.parametrize(
    ("changed", "error", "words"),
    [
        ({"query": np.ones((1, 2))}, ValueError, ["Q", "(1, 2)"]),
        ({"query": np.ones(3)}, ValueError, ["Q", "3", "K", "2"]),
        ({"key": np.ones((1, 3, 2)), "value": np.ones((3, 2))}, ValueError, ["K (1, 3, 2)"]),
        ({"value": np.ones((4, 2))}, ValueError, ["K", "3", "V", "4"]),
        ({"attn_mask": np.ones(4, bool)}, ValueError, ["mask", "(4,)"]),
        ({"attn_mask": np.ones((2, 1, 3), bool)}, ValueError, ["mask (2, 1, 3)"]),
        ({"tile": 0}, ValueError, ["tile", "0"]),
        ({"tile": 2.0}, TypeError, ["tile", "2.0"]),
        ({"key": np.full((3, 2), np.nan)}, ValueError, ["K", "NaN"]),
    ],
)
def test_refusals_name_the_array(changed, error, words):
    arguments = {"query": np.ones(2), "key": np.ones((3, 2)), "value": np.ones((3, 2))} | changed
    with pytest.raises(error) as caught:
        list(online_softmax(**arguments))
    for word in words:
        assert word in str(caught.value)
