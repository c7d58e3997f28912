"""The small network of additive scores: drawn, and what its bounded tanh promises and costs."""

from dataclasses import dataclass

import numpy as np

from .checks import choice, integer, number

READOUTS = ("root", "one")  # the standard deviation of v: 1 / sqrt(d_a) or 1


@dataclass(frozen=True, eq=False)
class Network:
    """Hold the small network of additive scores.

    Attributes
    ----------
    w_query, w_key : np.ndarray, shapes (d_a, d_q) and (d_a, d_k)
        W_1 and W_2.
    v : np.ndarray, shape (d_a,)
        v.
    """

    w_query: np.ndarray
    w_key: np.ndarray
    v: np.ndarray

    @property
    def bound(self) -> float:
        """What no score of this network exceeds in size: the sum of |v|, because |tanh| is below 1."""
        return float(np.abs(self.v).sum())


def draw_network(seed: int, d_q: int, d_k: int, d_a: int = 64, readout: str = "root") -> Network:
    """Draw a network such that the hidden sums have variance 1 + 1 at every width, if q and k have variance 1.

    Parameters
    ----------
    seed : int
        Of ``np.random.default_rng``, at least 0.
    d_q, d_k, d_a : int
        Widths of query, key and hidden layer, at least 1. A larger d_q or d_k only adds columns, before they are
        divided by the root of the width.
    readout : {"root", "one"}, default "root"
        Whether the components of v have the standard deviation 1 / sqrt(d_a) or 1.

    Returns
    -------
    Network
        W_1 with variance 1 / d_q, W_2 with variance 1 / d_k, and v.

    Raises
    ------
    TypeError, ValueError
        If an argument is no number of its kind or out of range, or the readout is unknown.

    Examples
    --------
    >>> network = draw_network(seed=0, d_q=3, d_k=5, d_a=4)
    >>> network.w_query.shape, network.w_key.shape, round(network.bound, 4)
    ((4, 3), (4, 5), 0.5016)
    """
    d_q, d_k, d_a = (integer(n, s, at_least=1) for n, s in (("d_q", d_q), ("d_k", d_k), ("d_a", d_a)))
    v, columns = standard_network(seed, max(d_q, d_k), d_a)
    return Network(columns[:d_q, 0].T / np.sqrt(d_q), columns[:d_k, 1].T / np.sqrt(d_k), v / readout_root(readout, d_a))


def standard_network(seed: int, d: int, d_a: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw the standard normal numbers that `draw_network` divides, v first and then column by column.

    Parameters
    ----------
    seed, d, d_a : int
        As in `draw_network`; d is the larger of d_q and d_k.

    Returns
    -------
    tuple of two np.ndarray, shapes (d_a,) and (d, 2, d_a)
        v, and the columns of W_1 and W_2 by turns: a larger width changes no number.

    Raises
    ------
    TypeError, ValueError
        If an argument is no number of its kind or out of range.

    Examples
    --------
    >>> v, columns = standard_network(seed=0, d=3, d_a=4)
    >>> bool((columns[:, 0].T / np.sqrt(3) == draw_network(seed=0, d_q=3, d_k=3, d_a=4).w_query).all())
    True
    """
    random = np.random.default_rng(integer("seed", seed, at_least=0))
    d, d_a = integer("d", d, at_least=1), integer("d_a", d_a, at_least=1)
    return random.standard_normal(d_a), random.standard_normal((d, 2, d_a))


def readout_root(readout: str, d_a: int) -> float:
    """Tell what v is divided by: sqrt(d_a) for "root", 1 for "one".

    Parameters
    ----------
    readout : {"root", "one"}
        As in `draw_network`.
    d_a : int
        The hidden width.

    Returns
    -------
    float
        A positive number.

    Raises
    ------
    ValueError
        If the readout is unknown.

    Examples
    --------
    >>> float(readout_root("root", 64)), readout_root("one", 64)
    (8.0, 1.0)
    """
    return np.sqrt(d_a) if choice("readout", readout, READOUTS) == "root" else 1.0


def weight_ceiling(bound: float, n_keys: int) -> float:
    """Tell the largest weight that scores within -bound and bound allow: one key at the top, all others at the bottom.

    Parameters
    ----------
    bound : float
        What no score exceeds in size, at least 0.
    n_keys : int
        The number of keys, at least 1.

    Returns
    -------
    float
        1 / (1 + (n_keys - 1) exp(-2 bound)).

    Raises
    ------
    TypeError, ValueError
        If an argument is no number of its kind or out of range.

    Examples
    --------
    >>> weight_ceiling(0.0, 4), round(weight_ceiling(1.0, 4), 4)
    (0.25, 0.7112)
    """
    bound, n_keys = number("bound", bound), integer("n_keys", n_keys, at_least=1)
    if bound < 0:
        raise ValueError(f"bound must be at least 0, not {bound}.")
    return float(1 / (1 + (n_keys - 1) * np.exp(-2 * bound)))


def flat_share(query: np.ndarray, keys: np.ndarray, network: Network, beyond: float = 0.9) -> float:
    """Tell how much of the hidden layer is flat: the share of tanh values beyond 0.9, where the slope is below 0.19.

    Parameters
    ----------
    query, keys : np.ndarray, shapes (d_q,) and (m, d_k)
        One query and its keys.
    network : Network
        W_1, W_2 and v.
    beyond : float, default 0.9
        From which size on a value counts.

    Returns
    -------
    float
        Share of the m d_a values, 0 to 1.

    Raises
    ------
    ValueError
        If the shapes do not fit.

    Examples
    --------
    >>> flat_share(np.array([3.0]), np.array([[0.0], [-3.0]]), Network(np.eye(1), np.eye(1), np.ones(1)))
    0.5
    """
    hidden = np.tanh(network.w_query @ query + keys @ network.w_key.T)  # (m, d_a)
    return float((np.abs(hidden) > beyond).mean())
