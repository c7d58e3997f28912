"""The search that attention softens: each query takes the value of its best key, and of no other."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .attention import hide
from .checks import leading_axes, mask_array, real_array
from .precision import common_dtype


@dataclass(frozen=True, eq=False)
class Lookup:
    """Hold what a search finds.

    Attributes
    ----------
    best : np.ndarray of int, shape (..., n)
        The key with the highest score, the first of them if several share it; -1 where nothing may be seen.
    tied : np.ndarray of bool, shape (..., n)
        True where another key has the same score as the best one.
    weights : np.ndarray, shape (..., n, m)
        1 for the best key and 0 for all others.
    output : np.ndarray, shape (..., n, d_v)
        The value of the best key; 0 where nothing may be seen.
    """

    best: np.ndarray
    tied: np.ndarray
    weights: np.ndarray
    output: np.ndarray


def hard_lookup(scores: ArrayLike, value: ArrayLike, allowed: ArrayLike | None = None) -> Lookup:
    """Look up the one best key of each query, as a search engine does that shows a single hit.

    This is what attention becomes when its scale grows without limit: the softmax then gives all weight to the highest
    score. (Keys that tie share the weight in that limit; here the first one takes it.)

    Parameters
    ----------
    scores : array_like, shape (..., n, m)
        How well key j answers query i. ``-inf`` hides a key.
    value : array_like, shape (..., m, d_v)
        V, one row per key.
    allowed : array_like of bool, broadcastable to (..., n, m), optional
        True where a query may look; by default everywhere.

    Returns
    -------
    Lookup
        best, tied, weights and output.

    Raises
    ------
    TypeError
        If an array does not hold real numbers, or `allowed` is not boolean.
    ValueError
        If shapes do not fit, or a number is NaN or infinite.

    Examples
    --------
    >>> found = hard_lookup([[0.1, 0.7, 0.2]], [[10.0], [20.0], [30.0]])
    >>> found.best, found.output
    (array([1]), array([[20.]]))
    """
    scores = real_array("scores", scores, "n m", minus_inf_is_fine=True)
    value = real_array("V", value, "m d_v")
    n, m = scores.shape[-2:]
    if value.shape[-2] != m:
        raise ValueError(
            f"V needs one row per key: V {value.shape} has {value.shape[-2]} rows, scores {scores.shape} have {m} keys."
        )
    allowed = mask_array(allowed, n, m)
    if allowed is not None and allowed.dtype.kind != "b":
        raise TypeError(f"allowed must be boolean (True = may look), not {allowed.dtype}.")
    leading_axes(scores=scores, mask=allowed, V=value)

    visible = hide(scores, allowed)  # (..., n, m)
    highest = visible.max(axis=-1, keepdims=True, initial=-np.inf)  # (..., n, 1)
    winners = (visible == highest) & (visible > -np.inf)  # (..., n, m)
    first = winners & (winners.cumsum(axis=-1) == 1)  # (..., n, m)
    best = np.where(first, np.arange(m), -1).max(axis=-1, initial=-1)  # (..., n)
    weights = first.astype(common_dtype(scores, value))  # (..., n, m)
    return Lookup(best, tied=winners.sum(axis=-1) > 1, weights=weights, output=weights @ value)
