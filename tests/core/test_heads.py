"""Heads taken apart: by hand they are multi_head_attention, and only the head's own width keeps the weights apart."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import multi_head_attention
from attention_core.heads import drawn_weights, evenness, head_by_head, head_draw, scale_over_heads
from attention_core.mistakes import attend_with

TINY = 1e-12
SIZES = st.integers(1, 5)


@given(SIZES, SIZES, SIZES, SIZES, st.integers(0, 999))
def test_each_head_by_hand_is_the_core(n, m, heads, d_head, seed):
    d_model = heads * d_head
    weights = drawn_weights(seed, d_model).all
    x_query, x_key_value, _ = head_draw(seed, max(n, m), d_model)
    args = (x_query[:n], x_key_value[:m], *weights, heads)
    by_hand, core = head_by_head(*args), multi_head_attention(*args).output
    assert by_hand.shape == core.shape == (n, d_model)
    np.testing.assert_allclose(by_hand, core, rtol=0, atol=TINY * max(1, abs(core).max()))


@pytest.mark.parametrize("heads", [3, 5, 7])
def test_heads_that_do_not_divide_are_refused(heads):
    x, weights = np.ones((2, 8)), drawn_weights(0, 8).all
    with pytest.raises(ValueError, match=rf"{heads} heads do not divide the width of W_Q \(8, 8\), 8"):
        head_by_head(x, x, *weights, heads)


def test_zero_heads_are_refused():
    with pytest.raises(ValueError, match="heads"):
        head_by_head(np.ones((2, 8)), np.ones((2, 8)), *drawn_weights(0, 8).all, 0)


@given(st.integers(0, 999), st.integers(1, 12))
def test_drawn_weights_are_short_and_repeat(seed, d_model):
    drawn = drawn_weights(seed, d_model)
    for one, again in zip(drawn.all, drawn_weights(seed, d_model).all, strict=True):
        assert one.shape == (d_model, d_model) and (one == again).all()
        assert set(np.unique(one)) <= {-1, -0.5, 0, 0.5, 1}


def test_the_four_matrices_differ():
    matrices = drawn_weights(0, 8).all
    assert all((one != other).any() for i, one in enumerate(matrices) for other in matrices[i + 1:])


def test_evenness_knows_both_ends():
    one_key, all_alike = evenness(np.eye(8)), evenness(np.full((3, 8), 1 / 8))
    assert (one_key.largest, one_key.entropy) == (1, 0)
    assert all_alike.largest == 1 / 8 and all_alike.entropy == pytest.approx(np.log(8))


@settings(max_examples=30)
@given(st.integers(0, 999), st.sampled_from([2, 4, 8, 16, 32, 64]))
def test_the_models_root_makes_every_head_more_even(seed, heads):
    arrays = head_draw(seed, 8, 64)
    right, wrong = (attend_with(way, *arrays, heads=heads) for way in (None, "scale_by_d_model"))
    np.testing.assert_allclose(wrong.scaled * heads**0.5, right.scaled, rtol=0, atol=1e-10)
    assert evenness(wrong.weights).largest < evenness(right.weights).largest
    assert evenness(wrong.weights).entropy > evenness(right.weights).entropy


def test_the_curves_part_as_heads_grow():
    heads = (1, 2, 4, 8, 16, 32, 64)
    curves = scale_over_heads(range(20), n=8, d_model=64, heads=heads)
    assert (curves.d_head * curves.heads == 64).all()
    assert curves.by_head[0] == curves.by_model[0]
    assert (np.diff(curves.by_model) < 0).all() and (curves.by_model > 1 / 8).all()
    assert (curves.by_head[1:] > curves.by_model[1:]).all()
    assert np.ptp(curves.by_head[:4]) < 0.03, "the right divisor hardly depends on the number of heads"
    one = [evenness(attend_with(None, *head_draw(seed, 8, 64), heads=8).weights).largest for seed in range(20)]
    assert curves.by_head[3] == pytest.approx(np.mean(one), abs=TINY)


def test_the_lessons_numbers():
    """64 wide, 8 heads, seed 0: by sqrt(8) and by 8."""
    arrays = head_draw(0, 8, 64)
    right, wrong, split = (
        attend_with(way, *arrays, heads=8) for way in (None, "scale_by_d_model", "wrong_head_split")
    )
    found = [round(float(evenness(way.weights).largest), 3) for way in (right, wrong, split)]
    assert found == [0.343, 0.194, 0.329], "only the scale shows in how even the weights are"
    assert [round(float(abs(way.output - right.output).max()), 2) for way in (wrong, split)] == [1.25, 2.77]
