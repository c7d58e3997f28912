"""The smallest convex outline around points in a plane: no average of values can leave it."""

from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from .checks import number, real_array


def convex_hull(points: ArrayLike) -> np.ndarray:
    """Find the corners of the outline, as a rubber band around the points would.

    Andrew's monotone chain: walk through the points from left to right and drop each one at which the path does not
    turn left, which leaves the lower half of the outline; the way back leaves the upper half.

    Parameters
    ----------
    points : array_like, shape (n, 2)
        Points x, y, such as values V of width 2.

    Returns
    -------
    np.ndarray of int
        Rows of `points`, counter-clockwise from the leftmost corner (of several, the lowest). Points on an edge and
        repetitions are dropped: points on one line leave two corners, a single point one.

    Raises
    ------
    TypeError
        If the points are not real numbers.
    ValueError
        If they do not have two coordinates each, or one is not finite.

    References
    ----------
    Andrew, "Another efficient algorithm for convex hulls in two dimensions", 1979.

    Examples
    --------
    >>> convex_hull([[0.0, 0.0], [2.0, 0.0], [1.0, 0.5], [1.0, 2.0]])
    array([0, 1, 3])
    """
    exact = _exact(_plane("points", points, "n 2"))
    first = {}
    for i, point in enumerate(exact):
        first.setdefault(tuple(point), i)
    left_to_right = [first[point] for point in sorted(first)]
    lower, upper = _left_turns(exact, left_to_right), _left_turns(exact, left_to_right[::-1])
    return np.array(lower[:-1] + upper[:-1] or left_to_right, dtype=int)  # each half ends where the other begins


def inside_hull(point: ArrayLike, points: ArrayLike, tolerance: float = 1e-12) -> bool:
    """Tell whether a point lies within the outline of others, or on it.

    Parameters
    ----------
    point : array_like, shape (2,)
        x, y, such as one row of the output.
    points : array_like, shape (n, 2)
        The points of the outline.
    tolerance : float, default 1e-12
        How far outside still counts as inside, relative to the largest coordinate of `points`: rounding moves an
        average by about that much.

    Returns
    -------
    bool
        False if there are no points.

    Raises
    ------
    TypeError
        If an argument does not hold real numbers.
    ValueError
        If a point does not have two coordinates, a number is not finite, or the tolerance is negative.

    Examples
    --------
    >>> triangle = [[0.0, 0.0], [2.0, 0.0], [1.0, 2.0]]
    >>> inside_hull([1.0, 1.0], triangle), inside_hull([2.0, 1.0], triangle)
    (True, False)
    """
    tolerance = number("tolerance", tolerance)
    if tolerance < 0:
        raise ValueError(f"tolerance must not be negative, but it is {tolerance}.")
    point, exact = _exact(_plane("point", point, "2")), _exact(_plane("points", points, "n 2"))
    corners = exact[convex_hull(points)]  # (c, 2)
    edges = list(zip(corners, np.roll(corners, -1, axis=0), strict=True))
    if len(edges) >= 3 and all(_turn(a, b, point) >= 0 for a, b in edges):
        return True
    reach = Fraction(tolerance) * abs(exact).max(initial=0)
    return any(_distance_squared(point, a, b) <= reach**2 for a, b in edges)


def _plane(name, values, letters):
    """Return points of a plane as floats; `letters` are the axes that they have, "2" or "n 2"."""
    array = real_array(name, values, letters)
    if array.ndim != len(letters.split()) or array.shape[-1] != 2:
        shape = "(2,)" if letters == "2" else "(n, 2)"
        raise ValueError(f"{name} must have the shape {shape}, two coordinates x, y per point, not {array.shape}.")
    return array


def _exact(array):
    """Return the same numbers as fractions, so that no rounding decides on which side of a line a point lies."""
    return np.vectorize(Fraction, otypes=[object])(array.astype(np.float64))


def _turn(a, b, c):
    """Return a positive number if the way from a over b to c turns left, 0 if it is straight."""
    (along_x, along_y), (to_x, to_y) = b - a, c - a
    return along_x * to_y - along_y * to_x


def _left_turns(exact, order):
    """Return the points of a walk that turns left only; `order` are rows of `exact`."""
    path = []
    for i in order:
        while len(path) >= 2 and _turn(exact[path[-2]], exact[path[-1]], exact[i]) <= 0:
            path.pop()
        path.append(i)
    return path


def _distance_squared(point, a, b):
    """Return the squared distance between a point and the edge from a to b, which may be a single point."""
    edge = b - a  # (2,)
    length_squared = edge @ edge
    share = (point - a) @ edge / length_squared if length_squared else 0
    gap = point - a - min(max(share, 0), 1) * edge  # (2,)
    return gap @ gap
