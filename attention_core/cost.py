"""What additive and dot-product scores cost, counted: multiplications, tanh and memory, as exact formulas."""

from dataclasses import dataclass

import numpy as np

from .checks import integer, same_size


def dot_product_scores(query: np.ndarray, key: np.ndarray, scale: float = 1.0) -> np.ndarray:
    """Score every query with every key by their dot product, times a scale.

    Parameters
    ----------
    query, key : np.ndarray, shapes (n, d) and (m, d)
        Q and K, as wide as each other.
    scale : float, default 1
        1 is Luong's dot product, 1 / sqrt(d) the Transformer's.

    Returns
    -------
    np.ndarray, shape (n, m)
        scale q_i . k_j.

    Raises
    ------
    ValueError
        If Q and K differ in width.

    Examples
    --------
    >>> dot_product_scores(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0], [5.0, 6.0]]))
    array([[11., 17.]])
    """
    same_size("width", "Q", query, -1, "K", key, -1)
    return (query * scale) @ key.T  # (n, m)


def additive_scores(
    query: np.ndarray, key: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, v: np.ndarray
) -> np.ndarray:
    """Score every query with every key by a small network, v . tanh(W_1 q + W_2 k).

    Parameters
    ----------
    query, key : np.ndarray, shapes (n, d_q) and (m, d_k)
        Q and K; their widths may differ.
    w_query, w_key : np.ndarray, shapes (d_a, d_q) and (d_a, d_k)
        W_1 and W_2.
    v : np.ndarray, shape (d_a,)
        v.

    Returns
    -------
    np.ndarray, shape (n, m)
        The scores of `additive_attention`, with the hidden layer held once.

    Raises
    ------
    ValueError
        If W_1 does not fit Q or W_2 does not fit K.

    Examples
    --------
    >>> one = np.array([[1.0]])
    >>> additive_scores(one, np.array([[0.0], [9.0]]), one, one, np.array([2.0])).round(4)
    array([[1.5232, 2.    ]])
    """
    same_size("width", "W_1 (w_query)", w_query, -1, "Q", query, -1)
    same_size("width", "W_2 (w_key)", w_key, -1, "K", key, -1)
    hidden = (query @ w_query.T)[:, None, :] + (key @ w_key.T)[None, :, :]  # (n, m, d_a)
    np.tanh(hidden, out=hidden)
    return hidden @ v  # (n, m)


@dataclass(frozen=True, eq=False)
class Cost:
    """Hold what one computation of scores costs.

    Attributes
    ----------
    multiplications : int
        Products of two numbers.
    tanh : int
        Evaluations of tanh.
    numbers : int
        Most numbers held at once, besides the inputs.
    """

    multiplications: int
    tanh: int
    numbers: int


def dot_product_cost(n: int, m: int, d: int) -> Cost:
    """Count what `dot_product_scores` does: n d products for the scale and n m d for the scores.

    Parameters
    ----------
    n, m, d : int
        Queries, keys and their width, at least 1.

    Returns
    -------
    Cost
        n d (m + 1) multiplications, no tanh, and n d + n m numbers: the scaled queries and the scores.

    Raises
    ------
    TypeError, ValueError
        If a size is no whole number from 1 on.

    Examples
    --------
    >>> dot_product_cost(n=10, m=10, d=64)
    Cost(multiplications=7040, tanh=0, numbers=740)
    """
    n, m, d = (integer(name, size, at_least=1) for name, size in (("n", n), ("m", m), ("d", d)))
    return Cost(multiplications=n * d * (m + 1), tanh=0, numbers=n * d + n * m)


def additive_cost(n: int, m: int, d_q: int, d_k: int, d_a: int) -> Cost:
    """Count what `additive_scores` does: two projections, then one hidden layer of d_a numbers for every pair.

    Parameters
    ----------
    n, m, d_q, d_k, d_a : int
        Queries, keys, their widths and the hidden width, at least 1.

    Returns
    -------
    Cost
        d_a (n d_q + m d_k + n m) multiplications, n m d_a tanh, and (n + m) d_a + n m d_a numbers or, where that is
        more, n m d_a + n m: the projections beside the hidden layer, then the hidden layer beside the scores.

    Raises
    ------
    TypeError, ValueError
        If a size is no whole number from 1 on.

    Examples
    --------
    >>> additive_cost(n=10, m=10, d_q=64, d_k=64, d_a=64)
    Cost(multiplications=88320, tanh=6400, numbers=7680)
    """
    sizes = {"n": n, "m": m, "d_q": d_q, "d_k": d_k, "d_a": d_a}
    n, m, d_q, d_k, d_a = (integer(name, size, at_least=1) for name, size in sizes.items())
    pairs = n * m * d_a
    return Cost(
        multiplications=d_a * (n * d_q + m * d_k) + pairs, tanh=pairs, numbers=pairs + max((n + m) * d_a, n * m)
    )
