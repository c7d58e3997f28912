"""Scaled dot-product attention: softmax(Q K^T / sqrt(d_k)) V, with every step kept for looking at."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .checks import attention_inputs, scale_or_default
from .masks import allowed_and_bias
from .precision import common_dtype, narrow, score_bound, widen
from .softmax import softmax


@dataclass(frozen=True, eq=False)
class Attention:
    """Hold what attention computes on its way, step by step.

    Attributes
    ----------
    scores : np.ndarray, shape (..., n, m)
        Raw scores Q K^T, before scale and mask.
    scaled : np.ndarray, shape (..., n, m)
        Scores times the scale, before the mask.
    weights : np.ndarray, shape (..., n, m)
        Rows sum to 1, or are 0 where a query may attend to nothing.
    output : np.ndarray, shape (..., n, d_v)
        The values, averaged with the weights.
    allowed : np.ndarray of bool, shape (..., n, m), or None
        True where a query may attend; None if nothing was masked.
    scale : float
        The factor between `scores` and `scaled`.
    """

    scores: np.ndarray
    scaled: np.ndarray
    weights: np.ndarray
    output: np.ndarray
    allowed: np.ndarray | None
    scale: float


def scaled_dot_product_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    attn_mask: ArrayLike | None = None,
    is_causal: bool = False,
    scale: float | None = None,
) -> Attention:
    """Average the values, each weighted by how well its key answers the query.

    Names and meaning follow ``torch.nn.functional.scaled_dot_product_attention``. The result has the dtype of NumPy's
    promotion over Q, K, V and a float mask; whole numbers and booleans count as float64, float16 as float32.

    Parameters
    ----------
    query : array_like, shape (..., n, d_k)
        Q, one row per query.
    key : array_like, shape (..., m, d_k)
        K, one row per key.
    value : array_like, shape (..., m, d_v)
        V, one row per key. Leading axes of Q, K, V and the mask broadcast.
    attn_mask : array_like, broadcastable to (..., n, m), optional
        Boolean: True = may attend. Float: added to the scaled scores, -inf hides.
    is_causal : bool, default False
        Let query i attend to keys 0..i only (aligned top-left), in addition to the mask.
    scale : float, optional
        Factor on the scores, 1 / sqrt(d_k) by default; 0 and negative factors are legal.

    Returns
    -------
    Attention
        scores, scaled, weights, output, allowed and scale. A query that may attend to nothing has weights and output 0.

    Raises
    ------
    TypeError
        If an array is no array of real numbers, the mask is neither boolean nor float, or the scale is no number.
    ValueError
        If shapes do not fit, d_k is 0, or Q, K, V, mask or scale is not finite.

    References
    ----------
    Vaswani et al., "Attention Is All You Need", 2017, equation 1.

    Examples
    --------
    >>> attention = scaled_dot_product_attention([[1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]], [[1.0], [3.0]])
    >>> attention.weights.round(4)
    array([[0.6698, 0.3302]])
    >>> attention.output.round(4)
    array([[1.6605]])
    """
    query, key, value, mask, is_causal = attention_inputs(query, key, value, attn_mask, is_causal)
    scale = scale_or_default(scale, d_k=query.shape[-1])
    allowed, bias = allowed_and_bias(mask, is_causal, n=query.shape[-2], m=key.shape[-2])

    dtype = common_dtype(query, key, value, mask)
    query, key, value = widen(dtype, score_bound(query, key, value, mask, scale), query, key, value)
    with np.errstate(all="ignore"):
        key_columns = key.swapaxes(-1, -2)  # (..., d_k, m)
        scores = query @ key_columns  # (..., n, m)
        scaled = (query * scale) @ key_columns  # (..., n, m): scaled before the product, which might overflow
        masked = hide(scaled + bias, allowed)  # (..., n, m): -inf where a query may not look
        weights = softmax(masked)  # (..., n, m)
        output = weights @ value  # (..., n, d_v)
    return Attention(*narrow(dtype, scores, scaled, weights, output), allowed=allowed, scale=scale)


def hide(scores: np.ndarray, allowed: np.ndarray | None) -> np.ndarray:
    """Put -inf, whose exp is 0, in the place of scores that are not allowed."""
    return scores if allowed is None else np.where(allowed, scores, -np.inf)
