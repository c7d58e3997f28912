"""What may be asked of PyTorch: it reads past the end of arrays whose sizes disagree, and some sizes kill it."""

import math

import numpy as np
from numpy.typing import ArrayLike

from attention_core import checks

# the largest difference measured over ten draws of up to 256 components: 1.2e-15, 1.0e-6, 7.5e-4, 7.1e-3
TOLERANCES = {"float64": 1e-12, "float32": 5e-6, "float16": 2e-3, "bfloat16": 2e-2}
LARGEST = 2**19  # numbers in any one array on the way: eight arrays of 4 MB fit into one answer
NOT_FUSED = {
    "dims": "the fused path takes arrays of four dims",
    "axes": "the fused path takes Q, K and V with the same leading axes",
    "width": "the fused path takes values as wide as the keys",
}


def rounded(array: ArrayLike, dtype: str) -> np.ndarray:
    """Round to the nearest number that a dtype holds, to even at a tie; NumPy alone, which has no bfloat16.

    >>> float(rounded(1.01, "bfloat16"))
    1.0078125
    """
    checks.choice("dtype", dtype, TOLERANCES)
    with np.errstate(over="ignore", invalid="ignore"):
        nearest = np.asarray(array).astype("float32" if dtype == "bfloat16" else dtype)
        if dtype == "bfloat16":  # the upper half of a float32
            bits = nearest.view(np.uint32)
            bits = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) & np.uint32(0xFFFF0000)
            nearest = np.where(np.isnan(nearest), nearest, bits.view(np.float32))
        return nearest.astype(np.float64, order="C")


def question_of(ask, query, key, value, attn_mask, is_causal, scale, dtype):
    """One checked question; non-finite numbers pass, for what PyTorch makes of them is worth seeing."""
    checks.choice("dtype", dtype, TOLERANCES)
    arrays = {"query": query, "key": key, "value": value}
    named = zip(("Q", "K", "V"), arrays.values(), strict=True)
    finite = checks.attention_inputs(*(_without_non_finite(*pair) for pair in named), attn_mask, is_causal)
    query, key, value, mask, is_causal = finite
    lead = checks.leading_axes(Q=query, K=key, V=value, mask=mask)
    n, m = query.shape[-2], key.shape[-2]
    _refuse_sizes(lead, n, m, query.shape[-1], value.shape[-1])
    question = {name: rounded(array, dtype) for name, array in arrays.items()}
    if mask is not None:  # in full: no kernel shall broadcast it
        full = np.broadcast_to(mask, (*lead, n, m))
        question["attn_mask"] = full if full.dtype.kind == "b" else rounded(full, dtype)
    if scale is not None:  # PyTorch finds its own default: a judge that is told ours would miss a fault of ours
        scale = checks.number("scale", scale)
    return {"ask": ask, **question, "lead": list(lead), "is_causal": is_causal, "scale": scale, "dtype": dtype}


def why_not_fused(question: dict) -> str | None:
    """Return which rule of the fused path a question breaks, or None."""
    shapes = [question[name].shape for name in ("query", "key", "value")]
    if any(len(shape) != 4 for shape in shapes):
        return "dims"
    if any(list(shape[:-2]) != question["lead"] for shape in shapes):
        return "axes"
    return "width" if shapes[1][-1] != shapes[2][-1] else None


def _without_non_finite(name, values):
    array = checks.plain_array(name, values)
    return np.where(np.isfinite(array), array, 0) if array.dtype.kind == "f" else array


def _refuse_sizes(lead, n, m, d_k, d_v):
    if 0 in lead:
        raise ValueError(f"Q, K and V have the leading axes {lead}; with an empty one PyTorch's process may crash.")
    numbers = math.prod(lead) * max(n * m, (n + m) * d_k, (n + m) * d_v)
    if numbers > LARGEST:
        raise ValueError(
            f"Q, K and V are too large to ask PyTorch here: leading axes {lead}, {n} queries, {m} keys, d_k = {d_k}, "
            f"d_v = {d_v} need an array of {numbers} numbers, above {LARGEST}."
        )
