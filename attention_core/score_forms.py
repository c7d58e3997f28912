"""Three ways to score the same query and keys, dot product, scaled and additive: which of them saturates."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .additive import additive_attention
from .attention import scaled_dot_product_attention
from .checks import integer, number
from .draws import nested_draws, scores_by_width
from .score_network import Network, readout_root, standard_network
from .softmax import softmax

FORMS = ("raw", "scaled", "additive")
SEEDS_TOGETHER = 20  # seeds whose hidden sums are held at a time
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
    >>> from attention_core.draws import nested_draw
    >>> from attention_core.score_network import draw_network
    >>> draw = nested_draw(seed=0, d_max=64)
    >>> three_forms(draw.query, draw.keys, draw_network(seed=0, d_q=64, d_k=64)).largest.round(4)
    array([0.9877, 0.3551, 0.2242])
    """
    query, values = np.asarray(query)[None, :], np.zeros((len(keys), 1))
    dot = scaled_dot_product_attention(query, keys, values)
    additive = additive_attention(query, keys, values, network.w_query, network.w_key, network.v)
    scores = np.stack([dot.scores[0], dot.scaled[0], additive.scores[0]])  # (3, m)
    return Forms(scores, softmax(scores))


@dataclass(frozen=True, eq=False)
class Sums:
    """Hold what some seeds' scores are made of at some widths, whatever the readout and the length of the query.

    Attributes
    ----------
    widths : list of int
        The values of d.
    dot : np.ndarray, shape (seeds, widths, m)
        q . k_j.
    asked, offered : np.ndarray, shapes (seeds, widths, 1, d_a) and (seeds, widths, m, d_a)
        W_1 q and W_2 k_j.
    v : np.ndarray, shape (seeds, d_a)
        v with standard deviation 1.
    """

    widths: list[int]
    dot: np.ndarray
    asked: np.ndarray
    offered: np.ndarray
    v: np.ndarray


def sums_over_seeds(widths: Sequence[int], n_keys: int = 8, d_a: int = 64, n_seeds: int = 400) -> Iterator[Sums]:
    """Draw queries, keys and networks of seeds 0 to n_seeds - 1 and multiply them, some seeds at a time.

    Nearly all the time goes to drawing W_1 and W_2, so those who keep the sums get other readouts and longer queries
    for little.

    Parameters
    ----------
    widths, n_keys, d_a, n_seeds
        As in `largest_over_seeds`.

    Returns
    -------
    iterator of Sums
        Each holds the next seeds.

    Raises
    ------
    TypeError, ValueError
        As `largest_over_seeds` does.

    Examples
    --------
    >>> next(sums_over_seeds([16, 64], n_keys=8)).offered.shape
    (20, 2, 8, 64)
    """
    widths = [integer("d", d, at_least=1) for d in widths]
    n_seeds, d_a, d_max = integer("n_seeds", n_seeds, at_least=1), integer("d_a", d_a, at_least=1), max(widths)
    step = max(1, ONE_THREAD // (integer("n_keys", n_keys, at_least=1) * d_a))
    edges = np.unique([*range(0, d_max, step), *widths])
    at, roots = np.searchsorted(edges, widths), np.sqrt(widths)[:, None, None]  # (widths, 1, 1)
    for first in range(0, n_seeds, SEEDS_TOGETHER):
        seeds = range(first, min(first + SEEDS_TOGETHER, n_seeds))
        draws = nested_draws(seeds, n_keys, d_max)
        v = np.empty((len(seeds), d_a))
        asked, offered = (np.empty((len(seeds), len(widths), m, d_a)) for m in (1, n_keys))
        for i, seed in enumerate(seeds):
            v[i], columns = standard_network(seed, d_max, d_a)  # (d_a,), (d_max, 2, d_a)
            asked[i] = _prefix_products(draws.query[i, None], columns[:, 0], edges)[at] / roots
            offered[i] = _prefix_products(draws.keys[i], columns[:, 1], edges)[at] / roots
        yield Sums(widths, scores_by_width(draws)[:, np.array(widths) - 1], asked, offered, v)


def _prefix_products(left, right, edges):
    """Multiply the first d columns of `left` by the first d rows of `right`, for every edge d: (edges, n, m)."""
    products = [np.zeros((len(left), right.shape[1]))]
    for a, b in pairwise(edges):
        products.append(products[-1] + left[:, a:b] @ right[a:b])
    return np.stack(products)


def largest_of(sums: Sums, readout: str = "root", stretch: float = 1.0) -> np.ndarray:
    """Return the largest weight of each seed in each form.

    Parameters
    ----------
    sums : Sums
        Of some seeds.
    readout, stretch
        As in `largest_over_seeds`.

    Returns
    -------
    np.ndarray, shape (widths, 3, seeds)
        The largest weight, in the order of FORMS.

    Raises
    ------
    TypeError, ValueError
        If the stretch is no number or the readout is unknown.

    Examples
    --------
    >>> largest_of(next(sums_over_seeds([64])))[0, :, 0].round(4)
    array([0.9877, 0.3551, 0.2242])
    """
    stretch, v = number("stretch", stretch), sums.v / readout_root(readout, sums.v.shape[-1])
    raw = stretch * sums.dot  # (seeds, widths, m)
    hidden = np.tanh(stretch * sums.asked + sums.offered)  # (seeds, widths, m, d_a)
    additive = np.einsum("swma,sa->swm", hidden, v)
    scores = np.stack([raw, raw / np.sqrt(sums.widths)[:, None], additive])  # (3, seeds, widths, m)
    return softmax(scores).max(axis=-1).transpose(2, 0, 1)


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
    parts = [largest_of(sums, readout, stretch) for sums in sums_over_seeds(widths, n_keys, d_a, n_seeds)]
    return np.concatenate(parts, axis=-1)  # (widths, 3, seeds)
