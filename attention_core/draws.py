"""One random query and its keys at every width: what the saturation experiment measures."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .checks import choice, integer, number

BLOCK = 64  # dimensions drawn at a time: what the source texts draw at d_k = 64, and the same again for larger widths
DIVISORS = ("none", "sqrt_d_k", "d_k", "cosine", "free")


@dataclass(frozen=True, eq=False)
class Draw:
    """Hold one query and its keys, as wide as the experiment goes; width d_k means the first d_k components.

    Attributes
    ----------
    query : np.ndarray, shape (..., d_max)
        q.
    keys : np.ndarray, shape (..., n_keys, d_max)
        One key per row.
    """

    query: np.ndarray
    keys: np.ndarray


def nested_draw(
    seed: int,
    n_keys: int = 8,
    d_max: int = 512,
    mean: float = 0.0,
    std: float = 1.0,
    random: np.random.RandomState | None = None,
) -> Draw:
    """Draw a query and keys with normal components, such that a larger width only adds components.

    Parameters
    ----------
    seed : int
        Of ``np.random.RandomState``, 0 to 2**32 - 1.
    n_keys : int, default 8
        The number of keys.
    d_max : int, default 512
        The largest width.
    mean, std : float, default 0 and 1
        Of each component. The argument for sqrt(d_k) assumes 0 and 1.
    random : np.random.RandomState, optional
        A generator to seed again; by default a new one, which takes longer to make than the numbers to draw.

    Returns
    -------
    Draw
        query, shape (d_max,), and keys, shape (n_keys, d_max).

    Raises
    ------
    TypeError, ValueError
        If an argument is no number of its kind or out of range.

    Examples
    --------
    >>> draw = nested_draw(seed=0, d_max=64)
    >>> (draw.keys @ draw.query).round(2)
    array([-17.77,  -0.19,   4.29,  -8.34, -14.58,  -2.57,  -5.09, -11.05])
    """
    n_keys, d_max = integer("n_keys", n_keys, at_least=1), integer("d_max", d_max, at_least=1)
    mean, std = _distribution(mean, std)

    blocks = _blocks(np.random.RandomState() if random is None else random, seed, n_keys, d_max)
    vectors = mean + std * np.concatenate(blocks, axis=1)[:, :d_max]  # (1 + n_keys, d_max)
    return Draw(query=vectors[0], keys=vectors[1:])


def nested_draws(
    seeds: Sequence[int],
    n_keys: int = 8,
    d_max: int = 512,
    mean: float = 0.0,
    std: float = 1.0,
    random: np.random.RandomState | None = None,
) -> Draw:
    """Draw as `nested_draw` does, for many seeds at once.

    Parameters
    ----------
    seeds : sequence of int
        At least one.
    n_keys, d_max, mean, std, random
        As in `nested_draw`.

    Returns
    -------
    Draw
        query, shape (seeds, d_max), and keys, shape (seeds, n_keys, d_max).

    Raises
    ------
    TypeError, ValueError
        As `nested_draw` does.

    Examples
    --------
    >>> draws = nested_draws(range(3))
    >>> draws.keys.shape, bool((draws.keys[2] == nested_draw(2).keys).all())
    ((3, 8, 512), True)
    """
    n_keys, d_max = integer("n_keys", n_keys, at_least=1), integer("d_max", d_max, at_least=1)
    mean, std = _distribution(mean, std)

    random = np.random.RandomState() if random is None else random
    blocks = np.stack([_blocks(random, seed, n_keys, d_max) for seed in seeds])  # (seeds, blocks, 1 + n_keys, 64)
    vectors = blocks.swapaxes(1, 2).reshape(len(blocks), 1 + n_keys, -1)[..., :d_max]  # (seeds, 1 + n_keys, d_max)
    vectors *= std  # in place: where there are many, each further array costs as much as the product itself
    vectors += mean
    return Draw(query=vectors[:, 0], keys=vectors[:, 1:])


def _blocks(random, seed, n_keys, d_max):
    seed = integer("seed", seed, at_least=0)
    if seed >= 2**32:
        raise ValueError(f"seed must be less than 2**32, not {seed}.")
    random.seed(seed)
    return random.randn((d_max + BLOCK - 1) // BLOCK, 1 + n_keys, BLOCK)  # q's row first, then the keys'


def _distribution(mean, std):
    mean, std = number("mean", mean), number("std", std)
    if not abs(mean) <= 1e6 or not 0 <= std <= 1e6:
        raise ValueError(f"mean must lie within 1e6 of 0 and std between 0 and 1e6, not {mean} and {std}.")
    return mean, std


def scores_by_width(draw: Draw) -> np.ndarray:
    """Score every key at every width: q[:d] . k[:d] for d = 1 .. d_max.

    Parameters
    ----------
    draw : Draw
        A query and its keys.

    Returns
    -------
    np.ndarray, shape (..., d_max, n_keys)
        Row d - 1 holds the raw scores at width d.

    Examples
    --------
    >>> scores_by_width(Draw(np.array([1.0, 2.0]), np.array([[3.0, 4.0]])))
    array([[ 3.],
           [11.]])
    """
    return np.cumsum(draw.query[..., None, :] * draw.keys, axis=-1).swapaxes(-1, -2)  # (..., d_max, n_keys)


def divisors(draw: Draw, kind: str, value: float | None = None) -> np.ndarray:
    """Tell what the scores are divided by, at every width.

    Parameters
    ----------
    draw : Draw
        A query and its keys; "cosine" needs their lengths.
    kind : {"none", "sqrt_d_k", "d_k", "cosine", "free"}
        1, sqrt(d_k), d_k, |q| |k_j| or `value`.
    value : float, optional
        The divisor of kind "free", above 0; other kinds ignore it.

    Returns
    -------
    np.ndarray, shape (..., d_max, n_keys) for "cosine", else (d_max, 1)
        Positive numbers.

    Raises
    ------
    TypeError, ValueError
        If the kind is unknown, or it is "free" and the value is no positive number.

    Examples
    --------
    >>> divisors(nested_draw(seed=0, d_max=4), "sqrt_d_k")[:, 0].round(2)
    array([1.  , 1.41, 1.73, 2.  ])
    """
    kind = choice("divisor", kind, DIVISORS)
    widths = np.arange(1.0, draw.query.shape[-1] + 1)[:, None]  # (d_max, 1)
    if kind == "cosine":
        query_lengths = np.sqrt(np.cumsum(draw.query**2, axis=-1))[..., None]  # (..., d_max, 1)
        key_lengths = np.sqrt(np.cumsum(draw.keys**2, axis=-1)).swapaxes(-1, -2)  # (..., d_max, n_keys)
        lengths = query_lengths * key_lengths
        return np.where(lengths == 0, 1, lengths)  # a vector of zeros scores 0 whatever the divisor
    if kind == "free":
        value = number("value", value)
        if value <= 0:
            raise ValueError(f"value (the free divisor) must be above 0, not {value}.")
    return {"none": widths**0, "sqrt_d_k": np.sqrt(widths), "d_k": widths, "free": widths**0 * (value or 1)}[kind]
