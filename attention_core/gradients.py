"""How Q, K and V want to change: the backward pass of scaled dot-product attention, by hand."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .attention import scaled_dot_product_attention
from .checks import attention_inputs, real_array
from .precision import common_dtype, magnitude, narrow, widen


@dataclass(frozen=True, eq=False)
class Gradients:
    """Hold the gradients of a loss with respect to Q, K and V.

    Attributes
    ----------
    query : np.ndarray, shape of Q
        Gradient with respect to Q.
    key : np.ndarray, shape of K
        Gradient with respect to K.
    value : np.ndarray, shape of V
        Gradient with respect to V.
    """

    query: np.ndarray
    key: np.ndarray
    value: np.ndarray


def attention_gradients(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    grad_output: ArrayLike,
    attn_mask: ArrayLike | None = None,
    is_causal: bool = False,
    scale: float | None = None,
) -> Gradients:
    """Carry the gradient of a loss back from the output to Q, K and V.

    Where an array was broadcast over leading axes, its gradient is summed over them.

    Parameters
    ----------
    query, key, value : array_like, shapes (..., n, d_k), (..., m, d_k), (..., m, d_v)
        Q, K and V of the forward pass.
    grad_output : array_like, shape (..., n, d_v)
        The gradient of the loss with respect to the output, in the output's shape.
    attn_mask, is_causal, scale
        As in `scaled_dot_product_attention`.

    Returns
    -------
    Gradients
        query, key and value, each in the shape of its array. A query that may attend to nothing has gradient 0.

    Raises
    ------
    TypeError, ValueError
        As `scaled_dot_product_attention` does, and if grad_output has not the output's shape.

    References
    ----------
    Dao et al., "FlashAttention", 2022, appendix B.2.

    Examples
    --------
    >>> gradients = attention_gradients([[1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]], [[1.0], [3.0]], [[1.0]])
    >>> gradients.query.round(4)
    array([[-0.3128,  0.3128]])
    """
    attention = scaled_dot_product_attention(query, key, value, attn_mask, is_causal, scale)
    query, key, value, mask, _ = attention_inputs(query, key, value, attn_mask, is_causal)
    grad_output = real_array("grad_output (dO)", grad_output, "n d_v")
    if grad_output.shape != attention.output.shape:
        raise ValueError(
            f"grad_output (dO) {grad_output.shape} must have the shape of the output, {attention.output.shape}."
        )

    dtype = common_dtype(query, key, value, mask, grad_output)
    bound = _gradient_bound(query, key, value, grad_output, attention.scale)
    weights, query, key, value, grad_output = widen(dtype, bound, attention.weights, query, key, value, grad_output)
    with np.errstate(all="ignore"):
        grad_value = weights.swapaxes(-1, -2) @ grad_output  # (..., m, d_v)
        grad_weights = grad_output @ value.swapaxes(-1, -2)  # (..., n, m)
        average = (weights * grad_weights).sum(axis=-1, keepdims=True)  # (..., n, 1)
        grad_scaled = weights * (grad_weights - average)  # (..., n, m): the softmax Jacobian, applied
        grad_query = grad_scaled @ key * attention.scale  # (..., n, d_k)
        grad_key = grad_scaled.swapaxes(-1, -2) @ query * attention.scale  # (..., m, d_k)
        sums = (_sum_back(g, a.shape) for g, a in ((grad_query, query), (grad_key, key), (grad_value, value)))
        return Gradients(*narrow(dtype, *sums))


def _gradient_bound(query, key, value, grad_output, scale):
    terms = grad_output.size * key.shape[-2]
    factors = (magnitude(a) for a in (query, key, value, grad_output))
    return 4.0 * terms * max(1.0, abs(scale)) * math.prod(max(1.0, f) for f in factors)


def _sum_back(gradient, shape):
    """Sum over the axes along which an array of this shape was broadcast."""
    gradient = gradient.sum(axis=tuple(range(gradient.ndim - len(shape))))
    stretched = tuple(i for i, size in enumerate(shape) if size == 1 and gradient.shape[i] != 1)
    return gradient.sum(axis=stretched, keepdims=True)
