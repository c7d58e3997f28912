"""Where the division by sqrt(d_k) may stand: on the scores, on the queries, or half on either side. Private."""

import numpy as np
from numpy.typing import ArrayLike

from .checks import choice, real_array

ORDERS = ("scores", "query", "both")


def scaled_in_order(query: ArrayLike, key: ArrayLike, order: str) -> np.ndarray:
    """Return the scaled scores, with the division where `order` puts it; all are one product but for rounding.

    Parameters
    ----------
    query, key : array_like, shapes (n, d_k), (m, d_k)
        Q and K.
    order : {"scores", "query", "both"}
        "scores" divides Q K^T, "query" divides Q first, "both" gives each of Q and K the root of the factor.

    Returns
    -------
    np.ndarray, shape (n, m)
        The scaled scores.

    Raises
    ------
    TypeError, ValueError
        If Q or K is no matrix of real numbers, their widths disagree, or the order is none of the three.

    Examples
    --------
    >>> [scaled_in_order([[1.0, 2.0]], [[3.0, 4.0]], order).round(4).item() for order in ORDERS]
    [7.7782, 7.7782, 7.7782]
    """
    query, key = real_array("Q", query, "n d_k"), real_array("K", key, "m d_k")
    if query.shape[1] != key.shape[1]:
        raise ValueError(f"Q is {query.shape[1]} wide and K {key.shape[1]}: a dot product needs one width.")
    root = np.sqrt(query.shape[1])
    match choice("order", order, ORDERS):
        case "scores":
            return query @ key.T / root
        case "query":
            return query / root @ key.T
    return (query / np.sqrt(root)) @ (key / np.sqrt(root)).T


def apart(query: ArrayLike, key: ArrayLike) -> np.ndarray:
    """Return how far the scores of each of ORDERS are from those that divide Q K^T, at most.

    Parameters
    ----------
    query, key : array_like, shapes (n, d_k), (m, d_k)
        Q and K.

    Returns
    -------
    np.ndarray, shape (3,)
        The largest absolute difference in each order; the first is 0.

    Raises
    ------
    TypeError, ValueError
        As `scaled_in_order` does.

    Examples
    --------
    >>> (apart([[1.0, 2.0]], [[3.0, 4.0]]) < 1e-14).tolist()
    [True, True, True]
    """
    found = [scaled_in_order(query, key, order) for order in ORDERS]
    return np.array([np.abs(scaled - found[0]).max(initial=0) for scaled in found])
