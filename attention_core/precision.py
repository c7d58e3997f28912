"""Which floating type a result has, and when a computation needs a wider one on the way. Private."""

import numpy as np


def common_dtype(*arrays):
    """Return the dtype that NumPy's promotion gives all `arrays`; boolean masks and None have no say."""
    return np.result_type(*(a for a in arrays if a is not None and a.dtype.kind == "f"))


def magnitude(array):
    """Return the largest absolute finite value, 0 for an empty array or none at all."""
    if array is None or array.dtype.kind != "f":
        return 0.0
    rows, largest = np.atleast_2d(array), 0.0  # (..., rows, columns)
    for start in range(0, rows.shape[-2], 64):  # in slices: a mask may be far larger than what we are allowed to hold
        part = rows[..., start : start + 64, :]
        finite = part if np.isfinite(part.min(initial=0)) else np.where(np.isfinite(part), part, 0)
        largest = max(largest, float(-finite.min(initial=0)), float(finite.max(initial=0)))
    return largest


def widen(dtype, bound, *arrays):
    """Return `arrays` as `dtype`, or as long double where a value as large as `bound` would overflow `dtype`.

    With 1e308 in Q and K a score overflows float64 although the weights are well defined. Long double (15 bits of
    exponent on x86) carries such products; where the platform has none, `softmax` refuses the overflow by name.
    """
    fits = bound <= float(np.finfo(dtype).max)
    return tuple(a.astype(dtype if fits else np.longdouble, copy=False) for a in arrays)


def narrow(dtype, *arrays):
    """Return `arrays` in the dtype of the result; a number too large for it becomes an infinity, without a warning."""
    with np.errstate(all="ignore"):
        return tuple(a.astype(dtype, copy=False) for a in arrays)


def score_bound(query, key, value, mask, scale):
    """Return a number that no score, scaled score, masked score or twice a value can exceed."""
    products = query.shape[-1] * magnitude(query) * magnitude(key) * max(1.0, abs(scale))
    return max(products + magnitude(mask), magnitude(query) * abs(scale), 2 * magnitude(value))
