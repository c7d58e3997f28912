"""Three ways to score the same query and keys, dot product, scaled and additive: which of them saturates."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .additive import additive_attention
from .attention import scaled_dot_product_attention
from .checks import integer, number
from .draws import nested_draw
from .score_network import Network, draw_network
from .softmax import softmax

FORMS = ("raw", "scaled", "additive")
ONE_THREAD = 2**18  # products that BLAS leaves to one thread; two threads on busy cores mostly wait for each other


@dataclass(frozen=True, eq=False)
class Forms:
    """Hold one query's scores and weights in the three forms, in the order of FORMS.

    Attributes
    ----------
    scores, weights : np.ndarray, shape (3, m)
        Unscaled dot product, dot product / sqrt(d_k), additive; and the softmax of each row.
    """

    scores: np.ndarray
    weights: np.ndarray

    @property
    def largest(self) -> np.ndarray:
        """Return the largest weight of each form, (3,)."""
        return self.weights.max(axis=-1)

    @property
    def spread(self) -> np.ndarray:
        """Return the standard deviation of each form's scores over the keys (population), (3,)."""
        return self.scores.std(axis=-1)


def three_forms(query: np.ndarray, keys: np.ndarray, network: Network) -> Forms:
    """Score one query with the same keys in three ways.

    Parameters
    ----------
    query : np.ndarray, shape (d,)
        q.
    keys : np.ndarray, shape (m, d)
        One key per row.
    network : Network
        What the additive scores use.

    Returns
    -------
    Forms
        Scores and weights, by `scaled_dot_product_attention` and `additive_attention`.

    Raises
    ------
    TypeError, ValueError
        As those two do.

    Examples
    --------
    >>> draw = nested_draw(seed=0, d_max=64)
    >>> three_forms(draw.query, draw.keys, draw_network(seed=0, d_q=64, d_k=64)).largest.round(4)
    array([0.9877, 0.3551, 0.2242])
    """
    query, values = np.asarray(query)[None, :], np.zeros((len(keys), 1))
    dot = scaled_dot_product_attention(query, keys, values)
    additive = additive_attention(query, keys, values, network.w_query, network.w_key, network.v)
    scores = np.stack([dot.scores[0], dot.scaled[0], additive.scores[0]])  # (3, m)
    return Forms(scores, softmax(scores))


def largest_over_seeds(
    widths: Sequence[int],
    n_keys: int = 8,
    d_a: int = 64,
    readout: str = "root",
    stretch: float = 1.0,
    n_seeds: int = 400,
) -> np.ndarray:
    """Repeat the comparison for seeds 0 to n_seeds - 1: each draws its query, its keys and its network.

    Parameters
    ----------
    widths : sequence of int
        The values of d; a larger one only adds components.
    n_keys, d_a, readout
        As in `nested_draw` and `draw_network`.
    stretch : float, default 1
        What every query is multiplied by.
    n_seeds : int, default 400
        How many seeds.

    Returns
    -------
    np.ndarray, shape (len(widths), 3, n_seeds)
        The largest weight, in the order of FORMS.

    Raises
    ------
    TypeError, ValueError
        If an argument is no number of its kind or out of range.

    Examples
    --------
    >>> largest = largest_over_seeds([16, 64], n_seeds=200)
    >>> (largest > 0.9).mean(axis=-1)[1]
    array([0.57, 0.  , 0.  ])
    """
    widths = [integer("d", d, at_least=1) for d in widths]
    n_seeds, stretch, d_max = integer("n_seeds", n_seeds, at_least=1), number("stretch", stretch), max(widths)
    scores = np.empty((n_seeds, 3, len(widths), integer("n_keys", n_keys, at_least=1)))
    roots = np.sqrt(widths)[:, None]  # (widths, 1)
    random = np.random.RandomState()
    for seed in range(n_seeds):
        draw, network = nested_draw(seed, n_keys, d_max, random=random), draw_network(seed, d_max, d_max, d_a, readout)
        query = stretch * draw.query[None, :]  # (1, d_max)
        raw = _prefix_products(draw.keys, query.T, widths)[..., 0]  # (widths, m)
        asked = _prefix_products(query, np.sqrt(d_max) * network.w_query.T, widths)  # (widths, 1, d_a)
        offered = _prefix_products(draw.keys, np.sqrt(d_max) * network.w_key.T, widths)  # (widths, m, d_a)
        additive = np.tanh((asked + offered) / roots[..., None]) @ network.v  # (widths, m)
        scores[seed] = raw, raw / roots, additive
    return softmax(scores).max(axis=-1).transpose(2, 1, 0)  # (widths, 3, seeds)


def _prefix_products(left: np.ndarray, right: np.ndarray, widths: Sequence[int]) -> np.ndarray:
    """Multiply the first d columns of `left` by the first d rows of `right`, for every width d: (widths, n, m)."""
    step = max(1, ONE_THREAD // (len(left) * right.shape[1]))
    edges = np.unique([*range(0, max(widths), step), *widths])  # from 0 to the largest width
    parts = [left[:, a:b] @ right[a:b] for a, b in zip(edges[:-1], edges[1:], strict=True)]
    return np.cumsum(parts, axis=0)[np.searchsorted(edges[1:], widths)]
