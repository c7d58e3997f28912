"""One query's pass over its keys, tile by tile: every number that an online softmax keeps, before and after each."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .checks import attention_inputs, choice, integer, real_array, scale_or_default
from .masks import allowed_and_bias
from .precision import common_dtype, magnitude, score_bound, widen

ORDERS = ("drawn", "rising", "falling")


@dataclass(frozen=True, eq=False)
class Step:
    """Hold what one tile of keys does to what was kept.

    Attributes
    ----------
    start, stop : int
        The tile holds keys start .. stop - 1.
    scores : np.ndarray, shape (tile,)
        Scaled scores of the tile, -inf where a key is hidden.
    largest_before, largest : float
        The largest score before the tile and with it; -inf while nothing is allowed.
    factor : float
        exp(largest_before - largest): what was kept is multiplied by it. 1 while nothing is allowed.
    exponentials : np.ndarray, shape (tile,)
        exp(scores - largest).
    total_before, total : float
        The sum of exponentials: total = total_before * factor + exponentials.sum().
    weighted_before, weighted : np.ndarray, shape (d_v,)
        The sum of exponentials times values: weighted = weighted_before * factor + exponentials @ values of the tile.
    """

    start: int
    stop: int
    scores: np.ndarray
    largest_before: float
    largest: float
    factor: float
    exponentials: np.ndarray
    total_before: float
    total: float
    weighted_before: np.ndarray
    weighted: np.ndarray

    @property
    def output(self) -> np.ndarray:
        """Return attention over the keys so far, shape (d_v,); 0 while nothing is allowed."""
        return self.weighted / self.total if self.total else np.zeros_like(self.weighted)


def online_softmax(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    attn_mask: ArrayLike | None = None,
    scale: float | None = None,
    tile: int = 64,
) -> Iterator[Step]:
    """Pass once over the keys of one query and yield every step.

    Parameters
    ----------
    query : array_like, shape (d_k,)
        One row of Q.
    key, value : array_like, shapes (m, d_k), (m, d_v)
        K and V.
    attn_mask : array_like, shape (m,), optional
        Boolean: True = may attend. Float: added to the scaled scores, -inf hides.
    scale : float, optional
        Factor on the scores, 1 / sqrt(d_k) by default.
    tile : int, default 64
        How many keys a tile holds; the last one may hold fewer.

    Returns
    -------
    iterator of Step
        One a tile, none without keys. The `output` of the last is that of `scaled_dot_product_attention`.

    Raises
    ------
    TypeError, ValueError
        As `scaled_dot_product_attention` does, and if the tile is no positive whole number or there is more than one
        query.

    References
    ----------
    Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018.
    Dao et al., "FlashAttention: Fast and Memory-Efficient Exact Attention with IO-Awareness", 2022, algorithm 1.

    Examples
    --------
    >>> steps = list(online_softmax([1.0], [[0.0], [2.0]], [[5.0], [7.0]], scale=1, tile=1))
    >>> np.array([(step.largest, step.factor, step.total) for step in steps]).round(4)
    array([[0.    , 0.    , 1.    ],
           [2.    , 0.1353, 1.1353]])
    >>> steps[-1].output.round(4)
    array([6.7616])
    """
    tile, (scores, value) = integer("tile", tile, at_least=1), _masked_scores(query, key, value, attn_mask, scale)
    largest, total, weighted = -np.inf, 0.0, np.zeros_like(value, shape=value.shape[1:])
    for start in range(0, len(scores), tile):
        step = _take_in(largest, total, weighted, start, scores[start : start + tile], value[start : start + tile])
        yield step
        largest, total, weighted = step.largest, step.total, step.weighted


@np.errstate(all="ignore")
def _take_in(largest, total, weighted, start, scores, value) -> Step:
    """Take one tile in: its scores, shape (tile,), and values, shape (tile, d_v), meet what was kept."""
    new_largest = max(largest, scores.max())
    if new_largest == -np.inf:  # nothing allowed so far: -inf - 0, not -inf - -inf
        factor, exponentials = 1.0, np.zeros_like(scores)
    else:
        factor, exponentials = np.exp(largest - new_largest), np.exp(scores - new_largest)
    new_total = total * factor + exponentials.sum()
    new_weighted = weighted * factor + exponentials @ value  # (d_v,)
    return Step(start, start + len(scores), scores, largest, new_largest, factor, exponentials, total, new_total,
                weighted, new_weighted)


def _masked_scores(query, key, value, attn_mask, scale):
    """Return the scaled scores of one query, -inf where a key is hidden, and V, wide enough for sums over all keys."""
    query = real_array("Q", query, "d_k")
    if query.ndim != 1:
        raise ValueError(f"Q must be one query, shape (d_k,); it has shape {query.shape}.")
    query, key, value, mask, _ = attention_inputs(query[None], key, value, attn_mask, False)
    for name, array, axes in (("K", key, 2), ("V", value, 2), ("mask", mask, 2)):
        if array is not None and array.ndim > axes:
            raise ValueError(f"{name} {array.shape} has leading axes; one query has one matrix of each.")
    scale = scale_or_default(scale, d_k=query.shape[-1])
    bound = max(score_bound(query, key, value, mask, scale), len(value) * magnitude(value))
    dtype = common_dtype(query, key, value, mask)
    query, key, value = widen(dtype, bound, query, key, value)
    allowed, bias = allowed_and_bias(mask, False, n=1, m=len(key))
    with np.errstate(all="ignore"):
        scaled = ((query * scale) @ key.T + bias)[0]  # (m,)
    return scaled if allowed is None else np.where(allowed[0], scaled, -np.inf), value


def without_rescaling(steps: Iterable[Step]) -> np.ndarray:
    """Return what a pass would give that never rescales: each tile counts in the measure of its own time.

    Parameters
    ----------
    steps : iterable of Step
        All steps of one query's pass.

    Returns
    -------
    np.ndarray, shape (d_v,)
        The wrong output; 0 where nothing is allowed.

    Examples
    --------
    >>> steps = list(online_softmax([1.0], [[0.0], [2.0]], [[5.0], [7.0]], scale=1, tile=1))
    >>> without_rescaling(steps)
    array([6.])
    """
    steps = list(steps)
    total = sum(step.total - step.total_before * step.factor for step in steps)
    weighted = sum(step.weighted - step.weighted_before * step.factor for step in steps)
    return weighted / total if total else np.zeros_like(weighted)


@dataclass(frozen=True, eq=False)
class OneQuery:
    """Hold one query, shape (d_k,), with keys, (n, d_k), and values, (n, d_v)."""

    query: np.ndarray
    key: np.ndarray
    value: np.ndarray


def drawn_query(seed: int, n: int, d_k: int = 4, d_v: int = 2, order: str = "drawn") -> OneQuery:
    """Draw a query and n keys with values, all components normal; one key more leaves the others as they are.

    Parameters
    ----------
    seed : int
        Of ``np.random.default_rng``.
    n, d_k, d_v : int
        Sizes.
    order : {"drawn", "rising", "falling"}
        As drawn, or sorted by their score with the query, each key with its value.

    Returns
    -------
    OneQuery
        query, key and value.

    Raises
    ------
    TypeError
        If the seed or a size is not a whole number.
    ValueError
        If one is too small, or the order is unknown.

    Examples
    --------
    >>> drawn = drawn_query(0, 3, order="rising")
    >>> (drawn.key @ drawn.query).round(2)
    array([-1.6 ,  0.35,  0.82])
    """
    seed, n = integer("seed", seed, at_least=0), integer("n", n, at_least=1)
    d_k, d_v = integer("d_k", d_k, at_least=1), integer("d_v", d_v, at_least=1)
    choice("order", order, ORDERS)
    random = np.random.default_rng(seed)
    query, rows = random.normal(size=d_k), random.normal(size=(n, d_k + d_v))
    if order != "drawn":
        by_score = np.argsort(rows[:, :d_k] @ query, kind="stable")
        rows = rows[by_score if order == "rising" else by_score[::-1]]  # (n, d_k + d_v)
    return OneQuery(query=query, key=rows[:, :d_k], value=rows[:, d_k:])
