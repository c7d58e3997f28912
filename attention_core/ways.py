"""Ways to train one head: with 1/sqrt(d_k), without it, and with what it does taken apart."""

import math
from dataclasses import dataclass

from .checks import integer


@dataclass(frozen=True)
class Way:
    """Name what one way to train multiplies: its scores, its first W_Q and W_K, and the learning rate of both.

    Attributes
    ----------
    scale : float
        Factor on the scores.
    start : float
        Factor on the entries of W_Q and W_K before the first step.
    rate : float
        Factor on the learning rate of W_Q and W_K; W_V and W_O keep theirs.
    epsilon : float
        Factor on Adam's epsilon for W_Q and W_K; plain gradient descent has none.
    """

    scale: float
    start: float = 1.0
    rate: float = 1.0
    epsilon: float = 1.0


def scaled_and_not(d_k: int) -> dict[str, Way]:
    """Return the two ways that the lesson compares: same start, same rates, with and without the division.

    Parameters
    ----------
    d_k : int
        Width of queries and keys.

    Returns
    -------
    dict of str to Way
        "scaled" and "raw".

    Raises
    ------
    TypeError, ValueError
        If d_k is not a whole number of at least 1.

    Examples
    --------
    >>> scaled_and_not(64)["scaled"]
    Way(scale=0.125, start=1.0, rate=1.0, epsilon=1.0)
    """
    return {"scaled": Way(1 / math.sqrt(integer("d_k", d_k, 1))), "raw": Way(1.0)}


def ablation(d_k: int, optimizer: str) -> dict[str, Way]:
    """Return five ways that take the division apart: into a smaller start and a smaller rate.

    Dividing scores by sqrt(d_k) is the same as dividing W_Q and W_K by d_k^(1/4) each. Their gradients then grow by
    d_k^(1/4), so that plain gradient descent takes the same path if their rate is divided by sqrt(d_k). Adam divides
    the gradients by their own size, so there the rate is divided by d_k^(1/4), and epsilon grows with the gradients.

    Parameters
    ----------
    d_k : int
        Width of queries and keys.
    optimizer : {"sgd", "adam"}
        What the rates belong to.

    Returns
    -------
    dict of str to Way
        "scaled" and "raw" as in `scaled_and_not`; "raw_small" starts with the smaller W_Q and W_K; "raw_same" has the
        smaller rate as well, and is "scaled" in other words; "scaled_large" divides, but starts as saturated as "raw".

    Raises
    ------
    TypeError, ValueError
        If d_k is not a whole number of at least 1, or the optimizer is neither.

    Examples
    --------
    >>> ablation(16, "sgd")["raw_same"]
    Way(scale=1.0, start=0.5, rate=0.25, epsilon=2.0)
    """
    root = math.sqrt(math.sqrt(integer("d_k", d_k, 1)))
    rate = {"sgd": root**2, "adam": root}[known_optimizer(optimizer)]
    return scaled_and_not(d_k) | {
        "raw_small": Way(1.0, start=1 / root),
        "raw_same": Way(1.0, start=1 / root, rate=1 / rate, epsilon=root),
        "scaled_large": Way(1 / root**2, start=root),
    }


def known_optimizer(name: str) -> str:
    """Return the name of an optimizer that exists.

    Parameters
    ----------
    name : {"sgd", "adam"}
        Plain gradient descent, or Adam.

    Returns
    -------
    str
        The name.

    Raises
    ------
    ValueError
        If it is neither.

    Examples
    --------
    >>> known_optimizer("adam")
    'adam'
    """
    if name not in ("sgd", "adam"):
        raise ValueError(f'optimizer must be "sgd" or "adam", not {name!r}.')
    return name
