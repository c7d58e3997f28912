"""What the largest weight is on average over all draws, by quadrature: the curve that theory draws at every width."""

from functools import cache

import numpy as np
from numpy.polynomial import Chebyshev
from numpy.typing import ArrayLike

from .checks import integer, number, real_array

NODES = 64  # of each integral
LENGTHS = 24  # of the query: enough, as their density is a narrow bell
PLACES = 48  # at which the curve over the steepness is computed
TOGETHER = 6  # of them at a time, so that calls are few: among busy threads each of them waits for its turn


def mean_largest_weight(d_k: ArrayLike, n_keys: int, divisor: ArrayLike = 1.0, std: float = 1.0) -> np.ndarray:
    """Compute the mean over all draws of the largest weight of softmax(q . k_j / divisor).

    Given q, the scores are std |q| times n independent standard normal numbers z_j. So the mean is that of the largest
    weight of softmax(beta z), with beta = std |q| / divisor, averaged over |q|, which is std times a length that has
    the chi distribution with d_k degrees of freedom. Both averages are integrals, computed without random numbers.

    Parameters
    ----------
    d_k : array_like
        Widths, whole numbers from 1 on.
    n_keys : int
        The number of keys n, 2 to 64.
    divisor : array_like, default 1
        What the scores are divided by, above 0; it broadcasts with d_k: 1 is raw, ``np.sqrt(d_k)`` scaled.
    std : float, default 1
        Of each component, whose mean is 0.

    Returns
    -------
    np.ndarray, the shape of `d_k` and `divisor` together
        The mean, within 1e-5 (at d_k = 1 and 2, where std^2 / divisor exceeds 9, within 0.003).

    Raises
    ------
    TypeError, ValueError
        If an argument is no number of its kind or out of range.

    Examples
    --------
    >>> mean_largest_weight([4, 64, 512], n_keys=8).round(3), mean_largest_weight(64, n_keys=8, divisor=8.0).round(3)
    (array([0.527, 0.875, 0.956]), np.float64(0.36))
    """
    n_keys, std = integer("n_keys", n_keys, at_least=2), number("std", std)
    if n_keys > 64 or not 0 <= std <= 1e6:
        raise ValueError(f"n_keys must be at most 64 and std between 0 and 1e6, not {n_keys} and {std}.")
    d_k, divisor = real_array("d_k", d_k, ""), real_array("divisor", divisor, "")
    if d_k.min(initial=1) < 1 or divisor.min(initial=1) <= 0:
        raise ValueError(f"d_k must be at least 1 and divisor above 0, not {d_k.min():g} and {divisor.min():g}.")
    try:
        d_k, divisor = np.broadcast_arrays(d_k.astype(float)[..., None], divisor.astype(float)[..., None])  # (..., 1)
    except ValueError:
        raise ValueError(f"d_k {d_k.shape} and divisor {divisor.shape} do not broadcast.") from None
    with np.errstate(all="ignore"):
        lengths, probabilities = _chi(d_k)  # (..., 24)
        return (probabilities * _at_steepness(std**2 * lengths / divisor, n_keys)).sum(axis=-1)


def _chi(d_k):
    """Return lengths of a vector of d_k standard normal numbers, and the probability that each stands for."""
    lengths, steps = _nodes(np.maximum(0, np.sqrt(d_k) - 5), np.sqrt(d_k) + 5, LENGTHS)  # (..., 24)
    exponents = (d_k - 1) * np.log(lengths) - lengths**2 / 2
    density = steps * np.exp(exponents - exponents.max(axis=-1, keepdims=True))
    return lengths, density / density.sum(axis=-1, keepdims=True)


def _at_steepness(beta, n_keys):
    """Average the largest weight of softmax(beta z) over n standard normal numbers z, for every beta.

    Over t = beta / (1 + beta), from 0 to 1, the average is so smooth a curve that a polynomial through a few of its
    places is within 1e-9 of all others. The integral at each of the many beta would take thirty times as long.
    """
    curve = Chebyshev.interpolate(lambda t: _average(t / (1 - t), n_keys), PLACES - 1, domain=[0, 1])
    return curve(1 - 1 / (1 + beta))  # t, written so that it is 1 where beta is infinite


def _average(beta, n_keys):
    """Average the largest weight of softmax(beta z) over n standard normal numbers z, by two integrals for each beta.

    If x is the largest and w_j are the distances of the others from it, the weight is 1 / (1 + sum_j exp(-beta w_j)),
    which is the integral over u from 0 to 1 of the product of u^exp(-beta w_j). The distances are independent once x
    is known, so the average of the product is the average of one factor to the power n - 1.
    """
    x, x_steps = _nodes(-6, 7, NODES)
    u, u_steps = _nodes(0, 1, NODES)
    root, root_steps = _nodes(0, 1, NODES)
    w, w_steps = 13 * root**4, 13 * 4 * root**3 * root_steps  # dense near 0, where a steep softmax changes fast
    density = w_steps[:, None] * _normal(x - w[:, None])  # (w, x)
    means = np.empty(beta.shape)
    factor, average, product = np.empty((3, TOGETHER, NODES, NODES))
    groups = beta.size // TOGETHER, TOGETHER
    for some, found in zip(beta.reshape(groups), means.reshape(groups), strict=True):
        np.multiply(np.log(u)[:, None], np.exp(-some[:, None, None] * w), out=factor)
        np.exp(factor, out=factor)  # (6, u, w): u^exp(-beta w)
        np.matmul(factor, density, out=average)  # (6, u, x)
        _raise(average, n_keys - 1, product)
        found[:] = n_keys * u_steps @ product @ (x_steps * _normal(x))
    return means


def _raise(base, exponent, product):
    """Write a whole power into `product`; `base` is squared in place. NumPy's own power takes ten times as long."""
    product.fill(1)
    while exponent:
        if exponent % 2:
            product *= base
        exponent //= 2
        if exponent:
            base *= base


def _normal(x):
    return np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)


def _nodes(low, high, count):
    """Return where Gauss-Legendre quadrature looks between low and high, and how much each place counts."""
    places, steps = _gauss(count)
    return low + (high - low) * (places + 1) / 2, steps * (high - low) / 2


@cache
def _gauss(count):
    """Return the nodes from -1 to 1, once: they are eigenvalues, and LAPACK starts threads that get in the way."""
    return np.polynomial.legendre.leggauss(count)
