"""Other weights with the same output: how far a row of attention can move before its output notices."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from .checks import choice, integer, number, real_array, same_size, weight_array

DISTANCES = ("total_variation", "jensen_shannon")
NEGLIGIBLE = 1e-10  # a direction this small against the others is rounding


@dataclass(frozen=True, eq=False)
class Counterfactual:
    """Hold the row of weights farthest from the model's whose output is the same, or nearly.

    Attributes
    ----------
    weights : np.ndarray, shape (m,)
        The other row; the model's own where there is no other.
    output : np.ndarray, shape (d_v,)
        What the other row gives.
    distance : float
        Between the two rows, from 0 (the same) to 1 (no key in common).
    moved : np.ndarray, shape (d_v,)
        Its output minus the given row's.
    output_change : float
        The largest number in `moved`, without its sign.
    rank : int
        Of V with a column of ones beside it.
    freedom : int
        m - rank: the directions in which the weights can move while the output stays exactly the same.
    """

    weights: np.ndarray
    output: np.ndarray
    moved: np.ndarray
    distance: float
    output_change: float
    rank: int
    freedom: int


def row_distance(weights: ArrayLike, other: ArrayLike, distance: str = "total_variation") -> float:
    """Measure how different two rows of weights are.

    Parameters
    ----------
    weights, other : array_like, shape (m,)
        Two rows p and q, each of sum 1.
    distance : {"total_variation", "jensen_shannon"}
        Half the sum of |p - q|, or the square root of the Jensen-Shannon divergence in bits.

    Returns
    -------
    float
        From 0 (the same) to 1 (no key in common).

    Raises
    ------
    TypeError, ValueError
        If a row holds no weights, the rows differ in length, or the distance is unknown.

    References
    ----------
    Lin, "Divergence measures based on the Shannon entropy", 1991.

    Examples
    --------
    >>> row_distance([0.5, 0.5, 0.0], [0.5, 0.0, 0.5]), row_distance([1.0, 0.0], [0.0, 1.0], "jensen_shannon")
    (0.5, 1.0)
    """
    (p, _), (q, _) = weight_array(weights), weight_array(other)
    same_size("number of keys m", "weights", p, -1, "other", q, -1)
    return _distance(p, q, choice("distance", distance, DISTANCES))


def other_weights(
    weights: ArrayLike,
    value: ArrayLike,
    tolerance: float = 0.0,
    seed: int = 0,
    distance: str = "total_variation",
    restarts: int = 16,
) -> Counterfactual:
    """Search the row of weights that differs most from the given one while the output stays where it is.

    The rows to choose from, q >= 0 with sum 1 and |q V - p V| <= tolerance, fill a polytope. Along a straight line
    both distances are largest at an end of it, so the farthest row is a corner. Each start walks along random lines
    until it stands in a corner, then from corner to corner along the edges while that leads farther away.

    Parameters
    ----------
    weights : array_like, shape (m,)
        p, one row of the model's weights.
    value : array_like, shape (m, d_v)
        V.
    tolerance : float, default 0
        How far any component of the output may move.
    seed : int, default 0
        Of the random lines, for ``np.random.default_rng``.
    distance : {"total_variation", "jensen_shannon"}
        What "differs" means, as in `row_distance`.
    restarts : int, default 16
        The number of starts; the best end counts.

    Returns
    -------
    Counterfactual
        .weights (m,), .output and .moved (d_v,), .distance, .output_change, .rank and .freedom.

    Raises
    ------
    TypeError, ValueError
        If an argument is no number of its kind, `weights` is no row of weights, or V has not one row per weight.

    References
    ----------
    Jain and Wallace, "Attention is not Explanation", 2019.

    Examples
    --------
    >>> found = other_weights([0.2, 0.6, 0.2], [[0.0], [1.0], [2.0]])
    >>> found.weights.round(6), round(found.distance, 6), found.freedom
    (array([0.5, 0. , 0.5]), 0.6, 1)
    """
    p, value, tolerance = _inputs(weights, value, tolerance)
    choice("distance", distance, DISTANCES)
    seed, restarts = integer("seed", seed, at_least=0), integer("restarts", restarts, at_least=1)
    sides, room = _limits(p, value, tolerance)
    freedom = _free_directions(sides[p.size :]).shape[1]
    always = [] if tolerance else list(range(p.size, len(sides)))  # limits of the output that leave no room at all

    def farness(move):
        return _distance(p, np.maximum(p + move, 0), distance)

    free_at = cache(lambda *held: _free_directions(sides[list(held)]))  # many starts come by the same limits
    edges_at = cache(lambda *held: _edges(sides[list(held)])[len(always) :])
    random, best, zero = np.random.default_rng(seed), np.zeros_like(p), []
    for _ in range(restarts):
        move, held = _walk(sides, room, farness, always, free_at, random)
        move, held = _climb(sides, room, farness, move, held, edges_at)
        if farness(move) > farness(best):
            best, zero = move, [j for j in held if j < p.size]
    q = np.maximum(p + best, 0)
    q[zero] = 0
    output = q @ value  # (d_v,)
    moved = output - p @ value
    change = float(np.abs(moved).max(initial=0))
    return Counterfactual(q, output, moved, _distance(p, q, distance), change, p.size - freedom, freedom)


def _distance(p, q, kind):
    """Measure without asking whether the rows are fine; 0 log(0) = 0."""
    if kind == "total_variation":
        return float(np.abs(p - q).sum() / 2)
    rows = np.stack([(p + q) / 2, p, q])  # (3, m)
    mixed, own, other = -(rows * np.log2(np.where(rows > 0, rows, 1))).sum(axis=-1)  # entropies in bits
    return float(np.sqrt(max(mixed - (own + other) / 2, 0)))


def _inputs(weights, value, tolerance):
    p, _ = weight_array(weights)
    value = real_array("V", value, "m d_v")
    if p.ndim != 1 or value.ndim != 2:
        raise ValueError(f"one row is searched at a time: weights (m,), V (m, d_v), not {p.shape}, {value.shape}.")
    same_size("number of keys m", "weights", p, -1, "V", value, -2)
    if not p.any():
        raise ValueError("weights are all 0: a query that attends to nothing has no other row.")
    tolerance = number("tolerance", tolerance)
    if tolerance < 0:
        raise ValueError(f"tolerance must not be negative, but it is {tolerance}.")
    return p.astype(np.float64), value.astype(np.float64), tolerance


def _limits(p, value, tolerance):
    """Return the limits of a move away from p, sides @ move <= room: no weight below 0, then the output's."""
    centred = value - p @ value / p.sum()  # moves sum to 0, so this changes nothing but the rounding
    noise = np.abs(value).max(axis=0, initial=0) * 1e-14
    centred = np.where(np.abs(centred).max(axis=0, initial=0) <= noise, 0, centred)  # equal values: no limit
    lengths = np.linalg.norm(centred, axis=0)
    lengths = np.where(lengths == 0, 1, lengths)  # (d_v,)
    of_output, room = (centred / lengths).T, tolerance / lengths  # (d_v, m), (d_v,)
    return np.vstack([-np.eye(p.size), of_output, -of_output]), np.concatenate([p, room, room])


def _free_directions(held):
    """Return orthonormal moves of sum 0 along which the held limits keep their room, one a column."""
    fixed = np.vstack([np.ones(held.shape[1]) / np.sqrt(held.shape[1]), held])
    _, sizes, directions = np.linalg.svd(fixed)
    return directions[np.count_nonzero(sizes > NEGLIGIBLE) :].T  # (m, free)


def _farthest(sides, room, move, direction):
    """Go on from a move along a direction until a limit is hit; return where that is and the limit."""
    pace = sides @ direction
    left = np.maximum(room - sides @ move, 0)
    steps = np.full(len(sides), np.inf)
    np.divide(left, pace, out=steps, where=pace > NEGLIGIBLE * np.abs(direction).max())
    hit = int(steps.argmin())
    return move + steps[hit] * direction, hit


def _walk(sides, room, farness, held, free_at, random):
    """Walk along random lines, each to its better end, until the limits that were hit leave no direction free."""
    move, held = np.zeros(sides.shape[1]), list(held)
    while (free := free_at(*held)).shape[1]:
        line = free @ random.standard_normal(free.shape[1])
        ends = [_farthest(sides, room, move, direction) for direction in (line, -line)]
        move, hit = max(ends, key=lambda end: farness(end[0]))
        held.append(hit)
    return move, held


def _climb(sides, room, farness, move, held, edges_at):
    """Go from corner to corner while a neighbour is farther; each edge lets go of one limit."""
    while True:
        edges, found = edges_at(*held), []
        for i, edge in enumerate(edges, start=len(held) - len(edges)):  # the limits before these always hold
            there, hit = _farthest(sides, room, move, edge)
            found.append((farness(there), there, [*held[:i], *held[i + 1 :], hit]))
        best = max(found, key=lambda end: end[0], default=(0.0, move, held))
        if best[0] <= farness(move) + 1e-12:
            return move, held
        move, held = best[1:]


def _edges(held):
    """Return the edges that meet in a corner, one a row: edge i leaves the limit i and keeps to all others."""
    corner = np.vstack([np.ones(held.shape[1]), held])  # moves sum to 0
    return -np.linalg.pinv(corner, rcond=NEGLIGIBLE)[:, 1:].T  # (limits, m)
