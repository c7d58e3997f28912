"""Several attentions side by side: each head works on its own slice of the projected width."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .attention import scaled_dot_product_attention
from .checks import integer, real_array, same_size
from .projection import times


@dataclass(frozen=True, eq=False)
class MultiHead:
    """Hold every head's attention and what the heads make together; the axis h counts the heads.

    Attributes
    ----------
    query, key, value : np.ndarray, shapes (..., h, n, d_head), (..., h, m, d_head), (..., h, m, d_v_head)
        The slices of Q, K and V that each head works on.
    scores, scaled, weights : np.ndarray, shape (..., h, n, m)
        The steps of each head.
    heads : np.ndarray, shape (..., h, n, d_v_head)
        The output of each head.
    output : np.ndarray, shape (..., n, d_out)
        The heads side by side, times W_O.
    allowed : np.ndarray of bool or None
        True where a query may attend; broadcasts with `weights`.
    scale : float
        1 / sqrt(d_head).
    """

    query: np.ndarray
    key: np.ndarray
    value: np.ndarray
    scores: np.ndarray
    scaled: np.ndarray
    weights: np.ndarray
    heads: np.ndarray
    output: np.ndarray
    allowed: np.ndarray | None
    scale: float


def multi_head_attention(
    x_query: ArrayLike,
    x_key_value: ArrayLike,
    w_query: ArrayLike,
    w_key: ArrayLike,
    w_value: ArrayLike,
    w_output: ArrayLike,
    num_heads: int,
    attn_mask: ArrayLike | None = None,
    is_causal: bool = False,
) -> MultiHead:
    """Attend with several heads at once and mix what they find.

    Head number h owns columns h * d_head to (h + 1) * d_head of the projected Q, K and V. Without biases or dropout.

    Parameters
    ----------
    x_query : array_like, shape (..., n, d_model)
        X_q, the tokens that ask.
    x_key_value : array_like, shape (..., m, d_model)
        X_kv, the tokens that answer; the same array for self-attention.
    w_query, w_key : array_like, shape (d_model, h * d_head)
        W_Q and W_K.
    w_value : array_like, shape (d_model, h * d_v_head)
        W_V.
    w_output : array_like, shape (h * d_v_head, d_out)
        W_O.
    num_heads : int
        The number of heads h; it divides the widths of W_Q and W_V.
    attn_mask : array_like, broadcastable to (..., h, n, m), optional
        As in `scaled_dot_product_attention`. The axis before the last two is the heads': give a mask per sequence as
        (batch, 1, n, m), for example ``padding_mask(lengths, m)[:, None]``.
    is_causal : bool, default False
        Let query i attend to keys 0..i only.

    Returns
    -------
    MultiHead
        weights and all steps per head (heads first, before the matrix axes), and the output.

    Raises
    ------
    TypeError
        If an array does not hold real numbers or the number of heads is no whole number.
    ValueError
        If shapes do not fit or the heads do not divide a width.

    References
    ----------
    Vaswani et al., "Attention Is All You Need", 2017, section 3.2.2.

    Examples
    --------
    >>> x = np.eye(4)
    >>> result = multi_head_attention(x, x, np.eye(4), np.eye(4), np.eye(4), np.eye(4), num_heads=2)
    >>> result.weights.shape, result.output.shape
    ((2, 4, 4), (4, 4))
    """
    x_query, x_key_value, w_query, w_key, w_value, w_output, num_heads = _inputs(
        x_query, x_key_value, w_query, w_key, w_value, w_output, num_heads
    )
    query = _split(times("Q", "X_q", x_query, "W_Q", w_query), num_heads)  # (..., h, n, d_head)
    key = _split(times("K", "X_kv", x_key_value, "W_K", w_key), num_heads)  # (..., h, m, d_head)
    value = _split(times("V", "X_kv", x_key_value, "W_V", w_value), num_heads)  # (..., h, m, d_v_head)

    attention = scaled_dot_product_attention(query, key, value, attn_mask, is_causal)
    heads = attention.output  # (..., h, n, d_v_head)
    output = times("output", "heads", _join(heads), "W_O", w_output)  # (..., n, d_out)

    scores, scaled, weights = attention.scores, attention.scaled, attention.weights
    return MultiHead(
        query, key, value, scores, scaled, weights, heads, output, allowed=attention.allowed, scale=attention.scale
    )


def _split(projected, num_heads):
    """Cut the width into heads and put the heads before the rows."""
    d_head = projected.shape[-1] // num_heads
    columns = projected.reshape(*projected.shape[:-1], num_heads, d_head)  # (..., n, h, d_head)
    return columns.swapaxes(-2, -3)  # (..., h, n, d_head)


def _join(heads):
    """Undo `_split`: put the heads side by side again."""
    rows = heads.swapaxes(-2, -3)  # (..., n, h, d_head)
    return rows.reshape(*rows.shape[:-2], rows.shape[-2] * rows.shape[-1])  # (..., n, h * d_head)


def _inputs(x_query, x_key_value, w_query, w_key, w_value, w_output, num_heads):
    x_query = real_array("X_q", x_query, "n d_model")
    x_key_value = real_array("X_kv", x_key_value, "m d_model")
    names = {"W_Q": w_query, "W_K": w_key, "W_V": w_value, "W_O": w_output}
    matrices = {name: real_array(name, matrix, "rows columns") for name, matrix in names.items()}
    for name, matrix in matrices.items():
        if matrix.ndim != 2:
            raise ValueError(f"{name} must have 2 dims; it has {matrix.ndim}, shape {matrix.shape}.")
    w_query, w_key, w_value, w_output = matrices.values()
    num_heads = integer("num_heads (the number of heads)", num_heads, at_least=1)
    same_size("width", "W_Q", w_query, -1, "W_K", w_key, -1)
    for name, matrix in (("W_Q", w_query), ("W_V", w_value)):
        if matrix.shape[-1] % num_heads:
            raise ValueError(f"{num_heads} heads do not divide the width of {name} {matrix.shape}, {matrix.shape[-1]}.")
    if w_output.shape[0] != w_value.shape[1]:
        raise ValueError(f"W_O {w_output.shape} needs as many rows as W_V {w_value.shape} has columns.")
    return x_query, x_key_value, w_query, w_key, w_value, w_output, num_heads
