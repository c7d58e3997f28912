"""The same expressions written in PyTorch: values and gradients, sizes 2, 3, 5, 7.

Inputs have two or three dims and the maths back end is asked for, because the fused CPU kernel differs at the edges.
"""

import numpy as np
import pytest

from attention_core import (
    additive_attention,
    attention_gradients,
    causal_mask,
    multi_head_attention,
    scaled_dot_product_attention,
    tiled_attention,
)

torch = pytest.importorskip("torch")
sdpa = torch.nn.functional.scaled_dot_product_attention

TOLERANCE = {"float64": 1e-12, "float32": 5e-6}
LEADS = {"2-D": (), "3-D": (11,)}
MASKS = {
    "none": {},
    "causal": {"is_causal": True},
    "boolean": {"attn_mask": np.array([[True, False, True], [False, True, True]])},
    "masked row": {"attn_mask": np.array([[True, False, True], [False, False, False]])},
    "float": {"attn_mask": np.array([[0.5, -np.inf, -1.0], [0.0, 2.0, -0.25]])},
    "float masked row": {"attn_mask": np.array([[0.5, 0.0, -1.0], [-np.inf, -np.inf, -np.inf]])},
    "column": {"attn_mask": np.array([[True], [False]])},
    "scale": {"scale": 0.3},
    "negative scale, causal": {"scale": -0.5, "is_causal": True},
    "zero scale, causal": {"scale": 0.0, "is_causal": True},
}


@pytest.fixture(autouse=True)
def maths_back_end():
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        yield


def draw(lead, dtype, seed=0):
    """Q (2, 5), K (3, 5), V (3, 7) and the output's gradient (2, 7), perhaps with a leading axis."""
    random = np.random.default_rng(seed)
    return [random.normal(size=(*lead, *shape)).astype(dtype) for shape in ((2, 5), (3, 5), (3, 7), (2, 7))]


def in_torch(options, dtype):
    options = dict(options)
    if "attn_mask" in options:
        mask = options["attn_mask"]
        options["attn_mask"] = torch.from_numpy(mask if mask.dtype == bool else mask.astype(dtype))
    return options


def in_numpy(options, dtype):
    mask = options.get("attn_mask")
    return {**options, "attn_mask": mask.astype(dtype)} if mask is not None and mask.dtype != bool else options


def close(found, expected, dtype):
    found, expected = np.asarray(found), expected.detach().numpy()
    assert found.shape == expected.shape and found.dtype == expected.dtype == dtype
    assert np.abs(found - expected).max() <= TOLERANCE[dtype]


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("lead", LEADS.values(), ids=LEADS.keys())
@pytest.mark.parametrize("options", MASKS.values(), ids=MASKS.keys())
def test_values_and_gradients(dtype, lead, options):
    *qkv, grad_output = draw(lead, dtype)
    twins = [torch.from_numpy(a).requires_grad_() for a in qkv]
    twin = sdpa(*twins, **in_torch(options, dtype))
    twin.backward(torch.from_numpy(grad_output))

    options = in_numpy(options, dtype)
    close(scaled_dot_product_attention(*qkv, **options).output, twin, dtype)
    close(tiled_attention(*qkv, **options, tile=(1, 2)), twin, dtype)
    gradients = attention_gradients(*qkv, grad_output, **options)
    for found, expected in zip((gradients.query, gradients.key, gradients.value), twins, strict=True):
        close(found, expected.grad, dtype)


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_weights(dtype):
    query, key, value, _ = draw((), dtype)
    twin = torch.softmax(torch.from_numpy(query) @ torch.from_numpy(key).T / 5**0.5, dim=-1)
    close(scaled_dot_product_attention(query, key, value).weights, twin, dtype)


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_gradients_of_broadcast_keys_and_values(dtype):
    query = draw((11,), dtype)[0]
    _, key, value, _ = draw((), dtype, seed=1)
    grad_output = draw((11,), dtype, seed=2)[3]
    twins = [torch.from_numpy(a).requires_grad_() for a in (query, key, value)]
    sdpa(twins[0], *(t.expand(11, -1, -1) for t in twins[1:])).backward(torch.from_numpy(grad_output))
    gradients = attention_gradients(query, key, value, grad_output)
    for found, expected in zip((gradients.query, gradients.key, gradients.value), twins, strict=True):
        assert np.abs(found - expected.grad.numpy()).max() <= 4 * TOLERANCE[dtype], "sums of 11 gradients"


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("is_causal", [False, True])
def test_multi_head_by_hand(dtype, is_causal):
    random = np.random.default_rng(0)
    shapes = ((11, 2, 6), (11, 3, 6), (6, 15), (6, 15), (6, 21), (21, 7))  # 3 heads of width 5, values of width 7
    arrays = [(random.normal(size=s) / s[0] ** 0.5).astype(dtype) for s in shapes]
    x_query, x_key_value, w_query, w_key, w_value, w_output = (torch.from_numpy(a) for a in arrays)

    def heads(x, w):
        return (x @ w).unflatten(-1, (3, -1)).transpose(1, 2)

    query, key, value = heads(x_query, w_query), heads(x_key_value, w_key), heads(x_key_value, w_value)
    twin = sdpa(query, key, value, is_causal=is_causal).transpose(1, 2).flatten(2) @ w_output
    scaled = query @ key.transpose(-1, -2) / 5**0.5
    if is_causal:
        scaled = scaled.masked_fill(~torch.from_numpy(causal_mask(2, 3)), -torch.inf)

    found = multi_head_attention(*arrays, num_heads=3, is_causal=is_causal)
    close(found.output, twin, dtype)
    close(found.weights, torch.softmax(scaled, dim=-1), dtype)


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_additive_by_hand(dtype):
    random = np.random.default_rng(0)
    shapes = ((2, 5), (3, 7), (3, 11), (13, 5), (13, 7), (13,))
    arrays = [random.normal(size=s).astype(dtype) for s in shapes]
    query, key, value, w_query, w_key, v = (torch.from_numpy(a) for a in arrays)
    scores = torch.tanh((query @ w_query.T).unsqueeze(1) + (key @ w_key.T).unsqueeze(0)) @ v
    found = additive_attention(*arrays)
    close(found.weights, torch.softmax(scores, dim=-1), dtype)
    close(found.output, torch.softmax(scores, dim=-1) @ value, dtype)
