"""Nine ways to put a mask on scores, one of them right, and what of the hidden keys each lets through."""

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


def masked_weights(
    scaled: ArrayLike, allowed: ArrayLike, way: str, padding: ArrayLike | None = None
) -> np.ndarray:
    """Turn scaled scores and a mask into weights, in the right way or in one of the classic wrong ones.

    ==================  ==============================================================================================
    minus_inf           Right: -inf before the softmax; a row in which all is hidden has weights 0.
    by_hand             -inf before a softmax as textbooks write it; a row in which all is hidden is -inf - -inf, NaN.
    zero                0 in place of the hidden scores (masked_fill): exp(0) = 1, so that hidden keys get weight.
    minus_1e9           -1e9 in place of the hidden scores (masked_fill): right, until all is hidden; then all share
                        equally.
    after               Softmax over all keys, then 0 for the hidden ones: rows sum to less than 1, by an amount that
                        depends on the hidden scores.
    after_renormalised  The same, divided by the sum of the row: right, until it is 0 / 0. That happens where all is
                        hidden, or where the hidden scores are so much larger that the visible weights underflow.
    inverted            True read as "hide": each query sees just what it must not.
    wrong_axis          The right mask, but the softmax runs down the columns: rows sum to anything, and each depends
                        on the queries of other rows.
    padded_rows         The padding's columns are taken for rows: the padding itself attends to nothing, and everyone
                        attends to the padding, as far as `allowed` lets them. Right where there is no padding.
    ==================  ==============================================================================================

    Parameters
    ----------
    scaled : array_like, shape (n, m)
        Scaled scores, finite.
    allowed : array_like of bool, shape (n, m)
        True where a query may attend.
    way : str
        One of `WAYS`.
    padding : array_like of bool, shape (m,), optional
        False for keys that are padding and hidden from all, besides what `allowed` hides; with it "padded_rows" needs
        n = m.

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
    taken = mask_taken(_mask_like("scaled", scaled, allowed), way, padding)
    match way:
        case "minus_inf" | "inverted" | "padded_rows":
            return softmax(hide(scaled, taken))
        case "by_hand":
            return _textbook_softmax(hide(scaled, taken))
        case "zero":
            return softmax(np.where(taken, scaled, 0))
        case "minus_1e9":
            return softmax(np.where(taken, scaled, -1e9))
        case "after":
            return np.where(taken, softmax(scaled), 0)
        case "after_renormalised":
            return _renormalised(np.where(taken, softmax(scaled), 0))
        case "wrong_axis":
            return softmax(hide(scaled, taken), axis=0)


def mask_taken(allowed: np.ndarray, way: str, padding: ArrayLike | None = None) -> np.ndarray:
    """Return the mask that a way takes for the right one.

    Parameters
    ----------
    allowed, way, padding
        As in `masked_weights`.

    Returns
    -------
    np.ndarray of bool, shape (n, m)
        True where the way lets a query attend.

    Raises
    ------
    TypeError
        If the padding is not boolean.
    ValueError
        If the way is unknown or a shape does not fit.

    Examples
    --------
    >>> mask_taken(np.array([[True, False], [True, True]]), "inverted").tolist()
    [[False, True], [False, False]]
    >>> mask_taken(np.array([[True, False], [True, True]]), "padded_rows", padding=[False, True]).tolist()
    [[False, False], [True, True]]
    """
    choice("way", way, WAYS)
    if padding is not None:
        allowed = allowed & _padding_of(padding, *allowed.shape, as_rows=way == "padded_rows")
    return ~allowed if way == "inverted" else allowed


def _padding_of(padding, n, m, as_rows):
    """Return the padding as columns of an (n, m) mask, (1, m), or wrongly as its rows, (n, 1)."""
    padding = plain_array("padding", padding)
    if padding.dtype.kind != "b":
        raise TypeError(f"padding must be boolean (False = padding), not {padding.dtype}.")
    if padding.shape != (m,):
        raise ValueError(f"padding {padding.shape} must hold one entry for each of the {m} columns of mask.")
    if as_rows and n != m:
        raise ValueError(f"rows can be taken for columns in a square mask only; this one has {n} rows and {m} columns.")
    return padding[:, None] if as_rows else padding[None, :]


def lowered_weights(scaled: ArrayLike, allowed: ArrayLike) -> np.ndarray:
    """Add -1e9 to the hidden scores in place of replacing them; a row in which all is hidden is as if without a mask.

    Parameters
    ----------
    scaled, allowed
        As in `masked_weights`.

    Returns
    -------
    np.ndarray, shape (n, m)
        The weights.

    Raises
    ------
    TypeError, ValueError
        As `masked_weights` does.

    Examples
    --------
    >>> lowered_weights([[0.0, 0.0, np.log(2.0)]], [[False, False, False]]).round(3)
    array([[0.25, 0.25, 0.5 ]])
    """
    scaled = real_array("scaled", scaled, "n m")
    return softmax(np.where(_mask_like("scaled", scaled, allowed), scaled, scaled - 1e9))


def _textbook_softmax(scores):
    """Subtract the largest score and divide by the sum, without a thought for a row of nothing but -inf."""
    with np.errstate(all="ignore"):
        exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True, initial=-np.inf))
        return exponentials / exponentials.sum(axis=-1, keepdims=True)


def _renormalised(weights):
    with np.errstate(all="ignore"):
        return weights / weights.sum(axis=-1, keepdims=True)


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
