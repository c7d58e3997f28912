"""The same output without the matrix of weights: attention tile by tile, with an online softmax."""

import numpy as np
from numpy.typing import ArrayLike

from .attention import hide
from .checks import attention_inputs, integer, leading_axes, scale_or_default
from .masks import allowed_and_bias
from .precision import common_dtype, narrow, score_bound, widen


def tiled_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    attn_mask: ArrayLike | None = None,
    is_causal: bool = False,
    scale: float | None = None,
    tile: int | tuple[int, int] = (64, 64),
) -> np.ndarray:
    """Compute the output of attention without ever holding an n x m array.

    Queries and keys are taken in tiles. For each query only the largest score so far, the sum of exponentials and the
    average so far are kept; when a later tile holds a larger score, what was kept is shrunk to the new measure.

    Parameters
    ----------
    query, key, value : array_like, shapes (..., n, d_k), (..., m, d_k), (..., m, d_v)
        Q, K and V.
    attn_mask, is_causal, scale
        As in `scaled_dot_product_attention`; a mask is read tile by tile and never expanded.
    tile : int or pair of int, default (64, 64)
        How many queries and how many keys a tile holds; they need not divide n and m.

    Returns
    -------
    np.ndarray, shape (..., n, d_v)
        The output, equal to that of `scaled_dot_product_attention` up to rounding.

    Raises
    ------
    TypeError, ValueError
        As `scaled_dot_product_attention` does, and if the tile is no positive whole number or pair of them.

    References
    ----------
    Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018.
    Dao et al., "FlashAttention: Fast and Memory-Efficient Exact Attention with IO-Awareness", 2022.

    Examples
    --------
    >>> tiled_attention([[1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]], [[1.0], [3.0]], tile=1).round(4)
    array([[1.6605]])
    """
    query, key, value, mask, is_causal = attention_inputs(query, key, value, attn_mask, is_causal)
    scale = scale_or_default(scale, d_k=query.shape[-1])
    tile_rows, tile_columns = _tile_sizes(tile)

    dtype = common_dtype(query, key, value, mask)
    query, key, value = widen(dtype, score_bound(query, key, value, mask, scale), query, key, value)
    n, m, lead = query.shape[-2], key.shape[-2], leading_axes(Q=query, K=key, V=value, mask=mask)
    if mask is not None:
        mask = np.broadcast_to(mask, (*mask.shape[:-2], n, m))  # a view: nothing is copied
    output = np.zeros((*lead, n, value.shape[-1]), dtype)  # (..., n, d_v)
    for start in range(0, n, tile_rows):
        rows = slice(start, min(start + tile_rows, n))
        with np.errstate(all="ignore"):
            average = _average_of_values(query, key, value, mask, is_causal, scale, rows, tile_columns)
        (output[..., rows, :],) = narrow(dtype, average)
    return output


def _average_of_values(query, key, value, mask, is_causal, scale, rows, tile_columns):
    """Run the online softmax of one tile of queries along all keys."""
    m = min(key.shape[-2], rows.stop) if is_causal else key.shape[-2]  # keys after the last query: skipped as a whole
    tile_query = query[..., rows, :] * scale
    largest, total, average = -np.inf, 0.0, 0.0
    for start in range(0, m, tile_columns):
        columns = slice(start, min(start + tile_columns, m))
        scaled = tile_query @ key[..., columns, :].swapaxes(-1, -2)  # (..., rows, columns)
        masked = _hide_tile(scaled, mask, is_causal, rows, columns)

        new_largest = np.maximum(largest, masked.max(axis=-1, keepdims=True))  # (..., rows, 1)
        measure = np.where(new_largest == -np.inf, 0, new_largest)  # nothing allowed so far: -inf - 0, not -inf - -inf
        exponentials = np.exp(masked - measure)
        kept = total * np.exp(largest - measure)
        total = kept + exponentials.sum(axis=-1, keepdims=True)
        share = np.where(total == 0, 0, 1 / total)
        average = average * (kept * share) + (exponentials * share) @ value[..., columns, :]  # (..., rows, d_v)
        largest = new_largest
    return np.asarray(average)


def _hide_tile(scaled, mask, is_causal, rows, columns):
    """Apply this tile's part of the mask; what is causal follows from the positions alone."""
    part = None if mask is None else mask[..., rows, columns]
    reaches_ahead = is_causal and columns.stop - 1 > rows.start
    if part is None and not reaches_ahead:
        return scaled
    allowed, bias = allowed_and_bias(part, False, *scaled.shape[-2:])
    if reaches_ahead:
        queries, keys = np.arange(rows.start, rows.stop)[:, None], np.arange(columns.start, columns.stop)
        not_ahead = keys <= queries  # (rows, columns)
        allowed = not_ahead if allowed is None else allowed & not_ahead
    return hide(scaled + bias, allowed)


def _tile_sizes(tile):
    pair = tuple(tile) if isinstance(tile, (tuple, list, np.ndarray)) else (tile, tile)
    if len(pair) != 2:
        raise ValueError(f"tile must be one size or a pair (queries, keys), not {len(pair)} sizes: {tile!r}.")
    return tuple(integer("tile", size, at_least=1) for size in pair)
