"""Attention before the dot product: Bahdanau's scores from a small network."""

import numpy as np
from numpy.typing import ArrayLike

from .attention import Attention, hide
from .checks import attention_inputs, real_array, same_size
from .masks import allowed_and_bias
from .precision import common_dtype, magnitude, narrow, widen
from .softmax import softmax


def additive_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    w_query: ArrayLike,
    w_key: ArrayLike,
    v: ArrayLike,
    attn_mask: ArrayLike | None = None,
    is_causal: bool = False,
) -> Attention:
    """Average the values with weights from additive scores, v . tanh(W_1 q + W_2 k).

    Parameters
    ----------
    query : array_like, shape (..., n, d_q)
        Q, one row per query.
    key : array_like, shape (..., m, d_k)
        K, one row per key; its width may differ from that of Q.
    value : array_like, shape (..., m, d_v)
        V, one row per key.
    w_query, w_key : array_like, shapes (d_a, d_q) and (d_a, d_k)
        W_1 and W_2, which bring queries and keys to one width d_a.
    v : array_like, shape (d_a,)
        v, which reads a score off the hidden layer.
    attn_mask, is_causal
        As in `scaled_dot_product_attention`.

    Returns
    -------
    Attention
        As from `scaled_dot_product_attention`; additive scores need no scale, so `scaled` equals `scores`.

    Raises
    ------
    TypeError
        If an array does not hold real numbers or the mask is neither boolean nor float.
    ValueError
        If shapes do not fit or a number is not finite.

    References
    ----------
    Bahdanau, Cho and Bengio, "Neural Machine Translation by Jointly Learning to Align and Translate", 2015, A.1.2.

    Examples
    --------
    >>> attention = additive_attention([[0.0]], [[0.0], [9.0]], [[1.0], [2.0]], [[1.0]], [[1.0]], [1.0])
    >>> attention.scores.round(4)
    array([[0., 1.]])
    >>> attention.weights.round(4)
    array([[0.2689, 0.7311]])
    """
    query, key, value, mask, is_causal = attention_inputs(query, key, value, attn_mask, is_causal, same_width=False)
    w_query, w_key, v = _network(query, key, w_query, w_key, v)
    allowed, bias = allowed_and_bias(mask, is_causal, n=query.shape[-2], m=key.shape[-2])

    dtype = common_dtype(query, key, value, w_query, w_key, v, mask)
    bound = _bound(query, key, value, w_query, w_key, v, mask)
    query, key, value, w_query, w_key, v = widen(dtype, bound, query, key, value, w_query, w_key, v)
    with np.errstate(all="ignore"):
        asked = (query @ w_query.T)[..., :, None, :]  # (..., n, 1, d_a)
        offered = (key @ w_key.T)[..., None, :, :]  # (..., 1, m, d_a)
        scores = np.tanh(asked + offered) @ v  # (..., n, m)
        weights = softmax(hide(scores + bias, allowed))  # (..., n, m)
        output = weights @ value  # (..., n, d_v)
    scores, weights, output = narrow(dtype, scores, weights, output)
    return Attention(scores, scores.copy(), weights, output, allowed=allowed, scale=1.0)


def _network(query, key, w_query, w_key, v):
    w_query = real_array("W_1 (w_query)", w_query, "d_a d_q")
    w_key = real_array("W_2 (w_key)", w_key, "d_a d_k")
    v = real_array("v", v, "d_a")
    for name, array, dims in (("W_1 (w_query)", w_query, 2), ("W_2 (w_key)", w_key, 2), ("v", v, 1)):
        if array.ndim != dims:
            raise ValueError(f"{name} must have {dims} dim(s); it has {array.ndim}, shape {array.shape}.")
    same_size("width", "W_1 (w_query)", w_query, -1, "Q", query, -1)
    same_size("width", "W_2 (w_key)", w_key, -1, "K", key, -1)
    same_size("hidden width d_a", "W_1 (w_query)", w_query, 0, "W_2 (w_key)", w_key, 0)
    same_size("hidden width d_a", "v", v, 0, "W_1 (w_query)", w_query, 0)
    return w_query, w_key, v


def _bound(query, key, value, w_query, w_key, v, mask):
    hidden = query.shape[-1] * magnitude(query) * magnitude(w_query) + key.shape[-1] * magnitude(key) * magnitude(w_key)
    return max(hidden, v.size * magnitude(v) + magnitude(mask), 2 * magnitude(value))
