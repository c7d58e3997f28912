"""Where the largest weight lies over many seeds, at every width and by every divisor."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from .checks import integer, number
from .draws import Draw, divisors, nested_draws, scores_by_width

QUANTILES = (0.05, 0.25, 0.50, 0.75, 0.95)
SCORES_HELD = 2**17  # at a time: calls are few and long, and the processor's cache still holds the arrays


@dataclass(frozen=True, eq=False)
class Band:
    """Hold where the largest weight lies over many seeds, at every width.

    Attributes
    ----------
    quantiles : tuple of float
        Which quantiles the rows of `raw` and `scaled` are.
    raw, scaled : np.ndarray, shape (5, d_max)
        Quantiles of the largest weight, without and with the divisor.
    share_raw, share_scaled : np.ndarray, shape (d_max,)
        Share of seeds, 0 to 1, whose largest weight exceeds the threshold.
    threshold : float
        From where a seed counts as saturated.
    """

    quantiles: tuple[float, ...]
    raw: np.ndarray
    scaled: np.ndarray
    share_raw: np.ndarray
    share_scaled: np.ndarray
    threshold: float


def seed_band(
    n_seeds: int = 400,
    n_keys: int = 8,
    d_max: int = 512,
    mean: float = 0.0,
    std: float = 1.0,
    divisor: str = "sqrt_d_k",
    value: float | None = None,
    threshold: float = 0.9,
) -> Band:
    """Repeat the experiment for seeds 0 to n_seeds - 1 and summarise their largest weights.

    Parameters
    ----------
    n_seeds : int, default 400
        How many seeds.
    n_keys, d_max, mean, std
        As in `nested_draw`.
    divisor, value
        As `kind` and `value` of `divisors`.
    threshold : float, default 0.9
        A seed whose largest weight exceeds it counts as saturated.

    Returns
    -------
    Band
        Quantiles of the largest weight (5, 25, 50, 75, 95 %) and shares of saturated seeds; column d - 1 is width d.

    Raises
    ------
    TypeError, ValueError
        As `nested_draw` and `divisors` do, and if n_seeds is below 1.

    Examples
    --------
    >>> band = seed_band(n_seeds=400, d_max=64)
    >>> band.raw[2, -1].round(3), band.scaled[2, -1].round(3), band.share_raw[-1]
    (np.float64(0.959), np.float64(0.33), np.float64(0.6175))
    """
    return seed_bands((divisor,), n_seeds, n_keys, d_max, mean, std, value, threshold)[divisor]


def seed_bands(
    kinds: Sequence[str],
    n_seeds: int = 400,
    n_keys: int = 8,
    d_max: int = 512,
    mean: float = 0.0,
    std: float = 1.0,
    value: float | None = None,
    threshold: float = 0.9,
    random: np.random.RandomState | None = None,
) -> dict[str, Band]:
    """Do as `seed_band` does for several divisors at once: most of the time goes to the draws, which they share.

    Parameters
    ----------
    kinds : sequence of str
        Kinds of `divisors`.
    n_seeds, n_keys, d_max, mean, std, value, threshold
        As in `seed_band`.
    random : np.random.RandomState, optional
        A generator to seed again, as in `nested_draw`.

    Returns
    -------
    dict of str to Band
        The band of each kind; all hold the same raw quantiles and shares.

    Raises
    ------
    TypeError, ValueError
        As `seed_band` does.

    Examples
    --------
    >>> bands = seed_bands(["none", "d_k"], n_seeds=400, d_max=64)
    >>> bands["none"].scaled[2, -1].round(3), bands["d_k"].scaled[2, -1].round(3)
    (np.float64(0.959), np.float64(0.147))
    """
    n_seeds, threshold = integer("n_seeds", n_seeds, at_least=1), number("threshold", threshold)
    d_max, n_keys = integer("d_max", d_max, at_least=1), integer("n_keys", n_keys, at_least=1)
    largest = {kind: np.empty((d_max, n_seeds)) for kind in ("none", *kinds)}  # of each seed, its largest weight
    for seeds, draws, scores in scored_draws(n_seeds, n_keys, d_max, mean, std, random):
        for kind, found in largest.items():
            found[:, seeds] = _largest_weight(scores / divisors(draws, kind, value)).T
    quantiles = {kind: _quantiles(found) for kind, found in largest.items()}
    shares = {kind: (found > threshold).mean(axis=-1) for kind, found in largest.items()}
    return {
        kind: Band(QUANTILES, quantiles["none"], quantiles[kind], shares["none"], shares[kind], threshold)
        for kind in kinds
    }


def scored_draws(
    n_seeds: int, n_keys: int, d_max: int, mean: float, std: float, random: np.random.RandomState | None = None,
) -> Iterator[tuple[slice, Draw, np.ndarray]]:
    """Draw for seeds 0 to n_seeds - 1 and score at every width, as many seeds at a time as may be held.

    Parameters
    ----------
    n_seeds, n_keys, d_max, mean, std, random
        As in `seed_bands`, checked.

    Returns
    -------
    iterator of (slice, Draw, np.ndarray)
        Which seeds, their draws, and their scores, shape (seeds, d_max, n_keys).

    Raises
    ------
    TypeError, ValueError
        As `nested_draws` does.

    Examples
    --------
    >>> [(seeds.stop, scores.shape) for seeds, _, scores in scored_draws(40, n_keys=8, d_max=512, mean=0, std=1)]
    [(32, (32, 512, 8)), (40, (8, 512, 8))]
    """
    together = max(1, SCORES_HELD // (d_max * n_keys))
    for first in range(0, n_seeds, together):
        seeds = range(first, min(first + together, n_seeds))
        draws = nested_draws(seeds, n_keys, d_max, mean, std, random)
        yield slice(seeds.start, seeds.stop), draws, scores_by_width(draws)


def _largest_weight(scores):
    """Return the largest weight of each softmax and no other: its exponential is exp(0) = 1."""
    distances = scores - scores.max(axis=-1, keepdims=True)
    return 1 / np.exp(distances, out=distances).sum(axis=-1)


def _quantiles(of_seeds):
    """Return the quantiles over the seeds, (5, d_max). Sorted first: NumPy then finds them in a fifth of the time."""
    return np.quantile(np.sort(of_seeds, axis=-1), QUANTILES, axis=-1)
