"""How much gradient the softmax lets through at every width: the size of its Jacobian, one draw or many."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .band import QUANTILES, scored_draws
from .checks import integer, weight_array
from .draws import divisors
from .softmax import softmax


def jacobian_norm(weights: ArrayLike) -> np.ndarray:
    """Measure the size of the softmax Jacobian diag(p) - p p^T, its Frobenius norm, without building the matrix.

    Row i of the matrix holds p_i times the sum of the other weights on the diagonal and -p_i times each other weight
    beside it. Written so, and not with 1 - p_i, the norm survives p_i = 1 (and counts weights below 1e-154 as 0).

    Parameters
    ----------
    weights : array_like, shape (..., m)
        Results of `softmax` along the last axis.

    Returns
    -------
    np.ndarray, shape (...,)
        One norm per row: sqrt(m - 1) / m for equal weights, 0 when one weight is 1.

    Raises
    ------
    TypeError, ValueError
        As `softmax_jacobian` does.

    Examples
    --------
    >>> jacobian_norm([[0.5, 0.5], [0.99, 0.01], [1.0, 1e-30]])
    array([5.00e-01, 1.98e-02, 2.00e-30])
    """
    weights, _ = weight_array(weights)
    ordered = np.sort(weights, axis=-1).astype(np.float64)  # the norm does not depend on the order of the keys
    with np.errstate(all="ignore"):
        squares = ordered**2
        rows = squares * (_sum_of_others(ordered) ** 2 + _sum_of_others(squares))  # (..., m)
        return np.sqrt(rows.sum(axis=-1)).astype(weights.dtype)


def _sum_of_others(ordered):
    """Sum, for each entry of an ascending row, all the other entries; for the last, without subtracting it."""
    others = ordered.sum(axis=-1, keepdims=True) - ordered
    others[..., -1:] = ordered[..., :-1].sum(axis=-1, keepdims=True)
    return others


@dataclass(frozen=True, eq=False)
class NormBand:
    """Hold where the norm of the softmax Jacobian lies over many seeds, at every width.

    Attributes
    ----------
    quantiles : tuple of float
        Which quantiles the rows of `raw` and `scaled` are.
    raw, scaled : np.ndarray, shape (5, d_max)
        Quantiles of the norm, without and with the divisor; row 2 is the median.
    """

    quantiles: tuple[float, ...]
    raw: np.ndarray
    scaled: np.ndarray


def jacobian_norm_band(
    n_seeds: int = 400,
    n_keys: int = 8,
    d_max: int = 512,
    mean: float = 0.0,
    std: float = 1.0,
    divisor: str = "sqrt_d_k",
    value: float | None = None,
) -> NormBand:
    """Repeat the experiment for seeds 0 to n_seeds - 1 and summarise the norms of their softmax Jacobians.

    Parameters
    ----------
    n_seeds, n_keys, d_max, mean, std, divisor, value
        As in `seed_band`.

    Returns
    -------
    NormBand
        Quantiles (5, 25, 50, 75, 95 %) of the norm; column d - 1 is width d.

    Raises
    ------
    TypeError, ValueError
        As `seed_band` does.

    Examples
    --------
    >>> band = jacobian_norm_band(n_seeds=400, d_max=64)
    >>> band.raw[2, -1].round(3), band.scaled[2, -1].round(3)
    (np.float64(0.072), np.float64(0.368))
    """
    n_seeds, d_max = integer("n_seeds", n_seeds, at_least=1), integer("d_max", d_max, at_least=1)
    n_keys = integer("n_keys", n_keys, at_least=1)
    raw, scaled = np.empty((2, n_seeds, d_max))
    for seeds, draws, scores in scored_draws(n_seeds, n_keys, d_max, mean, std):
        raw[seeds] = jacobian_norm(softmax(scores))
        scaled[seeds] = jacobian_norm(softmax(scores / divisors(draws, divisor, value)))
    return NormBand(QUANTILES, np.quantile(raw, QUANTILES, axis=0), np.quantile(scaled, QUANTILES, axis=0))
