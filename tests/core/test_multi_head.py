"""Several heads against one head at a time."""

import numpy as np
import pytest

from attention_core import multi_head_attention, padding_mask, project, scaled_dot_product_attention


def weights_of(random, d_model=6, d_out=7):
    return [random.normal(size=(d_model, width)) for width in (6, 6, 6)] + [random.normal(size=(6, d_out))]


def test_one_head_is_plain_attention(random):
    x, (w_query, w_key, w_value, w_output) = random.normal(size=(5, 6)), weights_of(random)
    found = multi_head_attention(x, x, w_query, w_key, w_value, w_output, num_heads=1, is_causal=True)
    projection = project(x, w_query, w_key, w_value)
    plain = scaled_dot_product_attention(projection.query, projection.key, projection.value, is_causal=True)
    assert found.weights.shape == (1, 5, 5)
    np.testing.assert_allclose(found.weights[0], plain.weights, rtol=1e-13)
    np.testing.assert_allclose(found.output, plain.output @ w_output, rtol=1e-12)


@pytest.mark.parametrize("num_heads", [1, 2, 3, 6])
def test_heads_are_column_blocks_with_a_scale_of_their_own(random, num_heads):
    x, y = random.normal(size=(5, 6)), random.normal(size=(7, 6))
    w_query, w_key, w_value, w_output = weights_of(random)
    found = multi_head_attention(x, y, w_query, w_key, w_value, w_output, num_heads)
    d_head = 6 // num_heads
    outputs = []
    for h in range(num_heads):
        block = slice(h * d_head, (h + 1) * d_head)
        scaled = (x @ w_query[:, block]) @ (y @ w_key[:, block]).T / np.sqrt(d_head)
        weights = np.exp(scaled) / np.exp(scaled).sum(axis=-1, keepdims=True)
        outputs.append(weights @ (y @ w_value[:, block]))
        np.testing.assert_allclose(found.weights[h], weights, rtol=1e-12)
        np.testing.assert_allclose(found.scaled[h], scaled, rtol=1e-11, atol=1e-13)
        np.testing.assert_allclose(found.heads[h], outputs[-1], rtol=1e-11)
    np.testing.assert_allclose(found.output, np.concatenate(outputs, axis=-1) @ w_output, rtol=1e-11)
    assert found.query.shape == (num_heads, 5, d_head) and found.key.shape == (num_heads, 7, d_head)
    assert found.scale == 1 / np.sqrt(d_head)


def test_batches_have_their_heads_before_the_matrix_axes(random):
    x, weights = random.normal(size=(4, 5, 6)), weights_of(random)
    mask = padding_mask([1, 2, 3, 5], 5)[:, None]  # (4, 1, 1, 5)
    found = multi_head_attention(x, x, *weights, num_heads=3, attn_mask=mask)
    assert found.weights.shape == (4, 3, 5, 5) and found.output.shape == (4, 5, 7)
    for b in range(4):
        single = multi_head_attention(x[b], x[b], *weights, num_heads=3, attn_mask=mask[b])
        np.testing.assert_allclose(found.output[b], single.output, rtol=1e-11)
        np.testing.assert_allclose(found.weights[b], single.weights, rtol=1e-11, atol=1e-15)


def test_a_mask_per_head_and_a_masked_row(random):
    x, weights = random.normal(size=(5, 6)), weights_of(random)
    mask = np.ones((2, 5, 5), bool)
    mask[1, 3] = False
    found = multi_head_attention(x, x, *weights, num_heads=2, attn_mask=mask)
    assert (found.weights[1, 3] == 0).all() and (found.heads[1, 3] == 0).all()
    assert np.isfinite(found.output).all() and (found.weights[0].sum(axis=-1) > 0.99).all()


def test_values_may_have_a_width_of_their_own(random):
    shapes = ((2, 3), (5, 3), (3, 4), (3, 4), (3, 14), (14, 7))
    found = multi_head_attention(*(random.normal(size=s) for s in shapes), num_heads=2)
    assert found.value.shape == (2, 5, 7) and found.output.shape == (2, 7)


def test_dtypes(random):
    arrays = [a.astype(np.float32) for a in (random.normal(size=(5, 6)), *weights_of(random))]
    assert multi_head_attention(arrays[0], *arrays, num_heads=2).output.dtype == np.float32


ONES = np.ones
GOOD = [ONES((2, 6)), ONES((3, 6)), ONES((6, 6)), ONES((6, 6)), ONES((6, 6)), ONES((6, 6)), 2]


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({6: 4}, ValueError, ["4 heads", "6", "W_Q"]),
        ({6: 0}, ValueError, ["heads", "0"]),
        ({6: -2}, ValueError, ["heads", "-2"]),
        ({6: True}, TypeError, ["heads", "True"]),
        ({6: 2.0}, TypeError, ["heads", "2.0"]),
        ({6: "2"}, TypeError, ["heads", "'2'"]),
        ({4: ONES((6, 5)), 5: ONES((5, 6))}, ValueError, ["2 heads", "W_V", "5"]),
        ({3: ONES((6, 4))}, ValueError, ["W_Q (6, 6) has 6", "W_K (6, 4) has 4"]),
        ({2: ONES((5, 6))}, ValueError, ["W_Q (5, 6) has 5 rows", "X_q (2, 6) has 6"]),
        ({4: ONES((5, 6))}, ValueError, ["W_V (5, 6) has 5 rows", "X_kv (3, 6) has 6"]),
        ({5: ONES((4, 6))}, ValueError, ["W_O (4, 6)", "W_V (6, 6)"]),
        ({5: ONES((2, 6, 6))}, ValueError, ["W_O", "2 dims", "(2, 6, 6)"]),
        ({0: ONES(6)}, ValueError, ["X_q", "(6,)"]),
        ({1: [[np.inf] * 6]}, ValueError, ["X_kv", "inf", "[0, 0]"]),
        ({0: ONES((2, 2, 6)), 1: ONES((5, 3, 6))}, ValueError, ["(2, 2, 2, 3)", "(5, 2, 3, 3)"]),
    ],
)
def test_refusals_name_what_is_wrong(changes, error, words):
    with pytest.raises(error) as caught:
        multi_head_attention(*(changes.get(i, good) for i, good in enumerate(GOOD)))
    for word in words:
        assert word in str(caught.value)
