"""How far dot products spread: the argument for sqrt(d_k) itself, and what its two assumptions are worth."""

import numpy as np
from numpy.typing import ArrayLike

from .checks import integer, real_array
from .draws import _distribution

CHUNK = 2**20  # how many components are held at a time


def dot_products(seed: int, d_k: int, count: int = 20_000, mean: float = 0.0, std: float = 1.0) -> np.ndarray:
    """Draw many independent pairs of a query and a key with normal components and multiply each pair.

    Parameters
    ----------
    seed : int
        Of ``np.random.default_rng``, at least 0.
    d_k : int
        Components per vector.
    count : int, default 20000
        How many pairs.
    mean, std : float, default 0 and 1
        Of each component.

    Returns
    -------
    np.ndarray, shape (count,)
        q . k of each pair, not divided by anything.

    Raises
    ------
    TypeError, ValueError
        If an argument is no number of its kind or out of range.

    Examples
    --------
    >>> scores = dot_products(seed=0, d_k=64)
    >>> scores.mean().round(2), scores.var().round(1)
    (np.float64(-0.06), np.float64(63.7))
    """
    random = np.random.default_rng(integer("seed", seed, at_least=0))
    d_k, count = integer("d_k", d_k, at_least=1), integer("count", count, at_least=1)
    mean, std = _distribution(mean, std)
    scores = np.empty(count)
    together = max(1, CHUNK // (2 * d_k))
    for first in range(0, count, together):
        pairs = min(together, count - first)
        vectors = mean + std * random.standard_normal((pairs, 2, d_k))  # pair by pair: chunks change no number
        scores[first : first + pairs] = (vectors[:, 0] * vectors[:, 1]).sum(axis=-1)
    return scores


def variance_by_width(
    seed: int, d_max: int = 512, count: int = 2000, mean: float = 0.0, std: float = 1.0
) -> np.ndarray:
    """Measure the variance of many dot products at every width; width d means the first d components of each pair.

    Parameters
    ----------
    seed : int
        Of ``np.random.default_rng``, at least 0.
    d_max : int, default 512
        The largest width.
    count, mean, std
        As in `dot_products`.

    Returns
    -------
    np.ndarray, shape (d_max,)
        The variance over the pairs; entry d - 1 is width d. Its relative error is about sqrt(2 / count).

    Raises
    ------
    TypeError, ValueError
        As `dot_products` does.

    Examples
    --------
    >>> variance_by_width(seed=0)[[0, 63, 511]].round(1)
    array([  1. ,  65. , 527.8])
    """
    random = np.random.default_rng(integer("seed", seed, at_least=0))
    d_max, count = integer("d_max", d_max, at_least=1), integer("count", count, at_least=1)
    mean, std = _distribution(mean, std)
    centre = mean_over_pairs(np.arange(1, d_max + 1), mean)  # (d_max,): squares of small numbers lose no digits
    total, total_squares = np.zeros((2, d_max))
    together = max(1, CHUNK // (2 * d_max))
    for first in range(0, count, together):
        vectors = mean + std * random.standard_normal((min(together, count - first), 2, d_max))
        scores = np.cumsum(vectors[:, 0] * vectors[:, 1], axis=-1) - centre  # (pairs, d_max)
        total += scores.sum(axis=0)
        total_squares += (scores**2).sum(axis=0)
    return total_squares / count - (total / count) ** 2


def mean_over_pairs(d_k: ArrayLike, mean: float = 0.0) -> np.ndarray:
    """Tell the mean of q . k over all pairs of a query and a key: d_k mu^2.

    Parameters
    ----------
    d_k : array_like
        Widths, at least 1.
    mean : float, default 0
        mu, the mean of every component.

    Returns
    -------
    np.ndarray, shape of `d_k`
        The mean, for independent components of any distribution.

    Raises
    ------
    TypeError, ValueError
        If a width is no number from 1 on or mu is no finite number.

    Examples
    --------
    >>> mean_over_pairs([64, 256], mean=1.0)
    array([ 64., 256.])
    """
    return _widths(d_k) * _distribution(mean, 1.0)[0] ** 2


def variance_over_pairs(d_k: ArrayLike, mean: float = 0.0, std: float = 1.0) -> np.ndarray:
    """Tell the variance of q . k over all pairs of a query and a key: d_k (sigma^4 + 2 sigma^2 mu^2).

    It is d_k, the text-book's number, only if mu is 0 and sigma is 1. One term of the sum is a product of independent
    components a and b: E[a^2] E[b^2] - E[a]^2 E[b]^2 = (sigma^2 + mu^2)^2 - mu^4.

    Parameters
    ----------
    d_k : array_like
        Widths, at least 1.
    mean, std : float, default 0 and 1
        mu and sigma, the mean and the standard deviation of every component.

    Returns
    -------
    np.ndarray, shape of `d_k`
        The variance, for independent components of any distribution: what a histogram of `dot_products` shows.

    Raises
    ------
    TypeError, ValueError
        If a width is no number from 1 on, or mu or sigma is out of range.

    References
    ----------
    Vaswani et al., "Attention Is All You Need", 2017, footnote 4, for mu = 0 and sigma = 1.

    Examples
    --------
    >>> variance_over_pairs(64), variance_over_pairs(64, mean=1.0)
    (np.float64(64.0), np.float64(192.0))
    """
    mean, std = _distribution(mean, std)
    return _widths(d_k) * (std**4 + 2 * std**2 * mean**2)


def variance_over_keys(d_k: ArrayLike, mean: float = 0.0, std: float = 1.0) -> np.ndarray:
    """Tell the variance of one query's scores over its keys, averaged over queries: d_k sigma^2 (sigma^2 + mu^2).

    This spread is what the softmax sees. Given q, the variance of q . k over keys is sigma^2 |q|^2, and |q|^2 is
    d_k (sigma^2 + mu^2) on average. It is smaller than the variance over all pairs by d_k sigma^2 mu^2: with mu other
    than 0 each query's scores have a mean of their own, mu times the sum of q, which softmax takes no notice of.

    Parameters
    ----------
    d_k : array_like
        Widths, at least 1.
    mean, std : float, default 0 and 1
        mu and sigma, the mean and the standard deviation of every component.

    Returns
    -------
    np.ndarray, shape of `d_k`
        The variance over very many keys; over n keys, NumPy's ``var`` (divisor n) expects (n - 1) / n of it.

    Raises
    ------
    TypeError, ValueError
        As `variance_over_pairs` does.

    Examples
    --------
    >>> variance_over_keys(64), variance_over_keys(64, mean=1.0)
    (np.float64(64.0), np.float64(128.0))
    """
    mean, std = _distribution(mean, std)
    return _widths(d_k) * std**2 * (std**2 + mean**2)


def _widths(d_k):
    d_k = real_array("d_k", d_k, "")
    if d_k.min(initial=1) < 1:
        raise ValueError(f"d_k must be at least 1, not {d_k.min():g}.")
    return d_k
