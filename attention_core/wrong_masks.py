"""Nine ways to put a mask on scores, one of them right, and how much of what is hidden each lets through."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .attention import hide
from .checks import choice, plain_array, real_array
from .softmax import softmax

WAYS = (
    "minus_inf",
    "by_hand",
    "zero",
    "minus_1e9",
    "after",
    "after_renormalised",
    "inverted",
    "wrong_axis",
    "padded_rows",
)


def masked_weights(scaled: ArrayLike, allowed: ArrayLike, way: str) -> np.ndarray:
    """Turn scaled scores and a mask into weights, in the right way or in one of the classic wrong ones.

    ==================  ==============================================================================================
    minus_inf           Right: -inf before the softmax; a row in which all is hidden has weights 0.
    by_hand             -inf before a softmax as textbooks write it; a row in which all is hidden is -inf - -inf, NaN.
    zero                0 in place of the hidden scores: exp(0) = 1, so that hidden keys get weight.
    minus_1e9           -1e9 in place of the hidden scores: right, until all is hidden; then all share equally.
    after               Softmax over all keys, then 0 for the hidden ones: rows sum to less than 1.
    after_renormalised  The same, divided by the sum of the row: right, until it is 0 / 0. That happens where all is
                        hidden, or where the hidden scores are so much larger that the visible weights underflow.
    inverted            True read as "hide": each query sees just what it must not.
    wrong_axis          The right mask, but the softmax runs down the columns: rows sum to anything.
    padded_rows         Columns that are hidden as a whole (padding) are taken for rows: the padding itself attends
                        to nothing, and everyone attends to the padding. Any other part of the mask is lost.
    ==================  ==============================================================================================

    Parameters
    ----------
    scaled : array_like, shape (n, m)
        Scaled scores, finite.
    allowed : array_like of bool, shape (n, m)
        True where a query may attend.
    way : str
        One of `WAYS`; "padded_rows" needs n = m.

    Returns
    -------
    np.ndarray, shape (n, m)
        The weights: whatever comes out, NaN included.

    Raises
    ------
    TypeError
        If the scores are no real numbers or the mask is not boolean.
    ValueError
        If a score is not finite, a shape does not fit or the way is unknown.

    Examples
    --------
    >>> masked_weights([[1.0, 1.0, 3.0]], [[True, True, False]], "minus_inf")
    array([[0.5, 0.5, 0. ]])
    >>> masked_weights([[1.0, 1.0, 3.0]], [[True, True, False]], "zero").round(3)
    array([[0.422, 0.422, 0.155]])
    """
    scaled = real_array("scaled", scaled, "n m")
    allowed = _mask_like("scaled", scaled, allowed)
    match choice("way", way, WAYS):
        case "minus_inf":
            return softmax(hide(scaled, allowed))
        case "by_hand":
            return _textbook_softmax(hide(scaled, allowed))
        case "zero":
            return softmax(np.where(allowed, scaled, 0))
        case "minus_1e9":
            return softmax(np.where(allowed, scaled, -1e9))
        case "after":
            return np.where(allowed, softmax(scaled), 0)
        case "after_renormalised":
            return _renormalised(np.where(allowed, softmax(scaled), 0))
        case "inverted":
            return softmax(hide(scaled, ~allowed))
        case "wrong_axis":
            return softmax(hide(scaled, allowed), axis=0)
        case "padded_rows":
            return softmax(hide(scaled, _hidden_columns_as_rows(allowed)))


def _textbook_softmax(scores):
    """Subtract the largest score and divide by the sum, without a thought for a row of nothing but -inf."""
    with np.errstate(all="ignore"):
        exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True, initial=-np.inf))
        return exponentials / exponentials.sum(axis=-1, keepdims=True)


def _renormalised(weights):
    with np.errstate(all="ignore"):
        return weights / weights.sum(axis=-1, keepdims=True)


def _hidden_columns_as_rows(allowed):
    n, m = allowed.shape
    if n != m:
        raise ValueError(f"rows can be taken for columns in a square mask only; this one has {n} rows and {m} columns.")
    visible = allowed.any(axis=0)  # (m,): False where the whole column is hidden
    return np.broadcast_to(visible[:, None], (n, m))  # (n, m)


@dataclass(frozen=True, eq=False)
class Leak:
    """Hold how much weight went where it must not.

    Attributes
    ----------
    hidden : np.ndarray, shape (n,)
        The weight that each query gives to keys it may not see, all together; NaN where the weights are.
    row_sums : np.ndarray, shape (n,)
        All the weight that each query gives; 1, or 0 where all is hidden, if the mask was applied rightly.
    worst : float
        The largest number in `hidden`, NaN aside; 0 if there is none.
    """

    hidden: np.ndarray
    row_sums: np.ndarray
    worst: float


def leak(weights: ArrayLike, allowed: ArrayLike) -> Leak:
    """Add up the weight that each query gives to keys it may not see.

    Parameters
    ----------
    weights : array_like, shape (n, m)
        Anything that claims to be attention weights; NaN is welcome.
    allowed : array_like of bool, shape (n, m)
        True where a query may attend.

    Returns
    -------
    Leak
        hidden, row_sums and worst.

    Raises
    ------
    TypeError
        If the weights are no real numbers or the mask is not boolean.
    ValueError
        If a shape does not fit.

    Examples
    --------
    >>> allowed = [[True, True, False]]
    >>> leak(masked_weights([[1.0, 1.0, 3.0]], allowed, "inverted"), allowed).worst
    1.0
    """
    weights = plain_array("weights", weights)
    if weights.dtype.kind not in "fiub":
        raise TypeError(f"weights must hold real numbers, not {weights.dtype}.")
    weights = weights.astype(np.result_type(weights.dtype, np.float32), copy=False)
    allowed = _mask_like("weights", weights, allowed)
    with np.errstate(all="ignore"):
        hidden = np.where(allowed, 0, weights).sum(axis=-1)  # (n,)
        row_sums = weights.sum(axis=-1)  # (n,)
    return Leak(hidden, row_sums, worst=float(hidden[~np.isnan(hidden)].max(initial=0.0)))


def _mask_like(name, matrix, allowed):
    """Return a boolean mask of the matrix's shape (n, m)."""
    if matrix.ndim != 2:
        raise ValueError(f"{name} must have 2 dims (n, m); it has {matrix.ndim}, shape {matrix.shape}.")
    allowed = plain_array("mask", allowed)
    if allowed.dtype.kind != "b":
        raise TypeError(f"mask must be boolean (True = may attend), not {allowed.dtype}.")
    if allowed.shape != matrix.shape:
        raise ValueError(f"mask {allowed.shape} must have the shape of {name}, {matrix.shape}.")
    return allowed
