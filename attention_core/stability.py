"""Why softmax subtracts the largest score first: what floating point makes of it when it does not."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from .checks import choice, number, real_array
from .softmax import softmax


def naive_softmax(scores: ArrayLike, dtype: DTypeLike = "float32") -> np.ndarray:
    """Compute exp(s) / sum exp(s) as the formula is written, in one precision, and return whatever comes out.

    Parameters
    ----------
    scores : array_like, shape (..., m)
        Real numbers. ``-inf`` is allowed.
    dtype : {"float32", "float64"}, default "float32"
        The precision of every step.

    Returns
    -------
    np.ndarray, shape of `scores`
        The weights where all goes well; NaN for inf / inf (a score too large) and for 0 / 0 (all scores too small),
        0 where the sum alone overflowed.

    Raises
    ------
    TypeError, ValueError
        As `softmax` does, and if dtype is another type.

    Examples
    --------
    >>> naive_softmax([0.0, 89.0]), naive_softmax([-104.0, -105.0])
    (array([ 0., nan], dtype=float32), array([nan, nan], dtype=float32))
    >>> naive_softmax([0.0, 89.0], "float64").round(3)
    array([0., 1.])
    """
    scores = real_array("scores", scores, "m", minus_inf_is_fine=True)
    with np.errstate(all="ignore"):  # the accident is what we want to see
        exponentials = np.exp(scores.astype(_precision(dtype)))
        return exponentials / exponentials.sum(axis=-1, keepdims=True)


def overflow_score(dtype: DTypeLike) -> np.floating:
    """Find the largest score whose exp is finite: the logarithm of the largest number of the type.

    Parameters
    ----------
    dtype : {"float32", "float64"}
        The precision.

    Returns
    -------
    np.floating
        88.72 or 709.78, in that precision. The next larger number overflows.

    Raises
    ------
    ValueError
        If dtype is another type.

    Examples
    --------
    >>> overflow_score("float32").round(2), overflow_score("float64").round(2)
    (np.float32(88.72), np.float64(709.78))
    """
    return _last_where(lambda score: np.isfinite(np.exp(score)), low=0, high=1000, dtype=dtype)


def underflow_score(dtype: DTypeLike) -> np.floating:
    """Find the largest score whose exp is 0: a row of nothing but such scores is divided by 0.

    Parameters
    ----------
    dtype : {"float32", "float64"}
        The precision.

    Returns
    -------
    np.floating
        -103.97 or -745.13, in that precision; the next larger number still has an exp above 0.

    Raises
    ------
    ValueError
        If dtype is another type.

    Examples
    --------
    >>> underflow_score("float32").round(2), underflow_score("float64").round(2)
    (np.float32(-103.97), np.float64(-745.13))
    """
    return _last_where(lambda score: np.exp(score) == 0, low=-1000, high=0, dtype=dtype)


def _last_where(holds, low, high, dtype):
    """Halve the interval down to two neighbouring numbers, of which only the lower one satisfies the condition."""
    dtype = _precision(dtype)
    low, high = dtype.type(low), dtype.type(high)
    with np.errstate(all="ignore"):
        while np.nextafter(low, high) < high:
            middle = (low + high) / 2
            low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def safe_shifts(scores: ArrayLike, dtype: DTypeLike) -> tuple[np.ndarray, np.ndarray]:
    """Tell which constants can be added to the scores before the naive softmax breaks.

    Above the upper one the sum of the exponentials overflows; below the lower one they are all 0. (Near the lower one
    the weights are finite, and have few correct digits left.) The stable softmax has no such limits.

    Parameters
    ----------
    scores : array_like, shape (..., m)
        Finite numbers, at least one per row.
    dtype : {"float32", "float64"}
        The precision of the naive softmax.

    Returns
    -------
    lower, upper : np.ndarray, shape (...,)
        The limits of each row, exact but for the rounding of the shifted scores.

    Raises
    ------
    TypeError, ValueError
        If the scores are no finite numbers, a row is empty, or dtype is another type.

    Examples
    --------
    >>> lower, upper = safe_shifts([1.0, 2.0, 3.0], "float32")
    >>> lower.round(2), upper.round(2)
    (np.float64(-106.97), np.float64(85.32))
    """
    scores = real_array("scores", scores, "m").astype(np.float64)
    if scores.shape[-1] == 0:
        raise ValueError(f"scores {scores.shape} must hold at least one number per row.")
    largest = scores.max(axis=-1)  # (...,)
    with np.errstate(all="ignore"):
        log_of_sum = largest + np.log(np.exp(scores - largest[..., None]).sum(axis=-1))  # (...,)
    return float(underflow_score(dtype)) - largest, float(overflow_score(dtype)) - log_of_sum


@dataclass(frozen=True, eq=False)
class Shifted:
    """Hold what two ways to compute a softmax give in two precisions for scores to which a constant was added.

    Attributes
    ----------
    shift : float
        The constant.
    naive_float32, naive_float64 : np.ndarray, shape of the scores
        As the formula is written; NaN, or 0 everywhere, where it broke.
    stable_float32, stable_float64 : np.ndarray, shape of the scores
        With the largest score subtracted first.
    """

    shift: float
    naive_float32: np.ndarray
    naive_float64: np.ndarray
    stable_float32: np.ndarray
    stable_float64: np.ndarray


def shifted_softmax(scores: ArrayLike, shift: float = 0.0) -> Shifted:
    """Add a constant to all scores, which should change nothing, and compute the softmax in four ways.

    Parameters
    ----------
    scores : array_like, shape (..., m)
        Real numbers within 1e6 of 0; ``-inf`` is allowed.
    shift : float, default 0
        The constant, within 1e6 of 0.

    Returns
    -------
    Shifted
        Naive and stable weights in float32 and float64. Stable ones move only as far as the shifted scores are rounded:
        about |shift| times 6e-8 (float32) or 1e-16 (float64), relative to the weight.

    Raises
    ------
    TypeError, ValueError
        As `softmax` does, and if a score or the shift is out of range.

    Examples
    --------
    >>> result = shifted_softmax([1.0, 2.0, 3.0], shift=100.0)
    >>> result.naive_float32, result.stable_float32.round(3)
    (array([nan, nan, nan], dtype=float32), array([0.09 , 0.245, 0.665], dtype=float32))
    """
    scores = real_array("scores", scores, "m", minus_inf_is_fine=True).astype(np.float64)
    shift = number("shift", shift)
    if abs(shift) > 1e6 or np.abs(scores, where=scores > -np.inf, out=np.zeros_like(scores)).max(initial=0) > 1e6:
        raise ValueError(f"scores and shift must lie within 1e6 of 0; the shift is {shift:g}.")
    moved = scores + shift
    return Shifted(
        shift=shift,
        naive_float32=naive_softmax(moved, "float32"),
        naive_float64=naive_softmax(moved, "float64"),
        stable_float32=softmax(moved.astype(np.float32)),
        stable_float64=softmax(moved),
    )


def _precision(dtype):
    try:
        name = np.dtype(dtype).name
    except TypeError:
        name = repr(dtype)
    return np.dtype(choice("dtype", name, ("float32", "float64")))
