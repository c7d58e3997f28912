"""Why two matrices, W_Q and W_K, instead of one: what a score is made of, and what factoring it saves."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .checks import integer, number, real_array, refuse_non_finite, same_size
from .projection import Projection, times


@dataclass(frozen=True, eq=False)
class Factored:
    """Hold the one matrix that W_Q and W_K stand for, and what each way of writing it costs.

    Attributes
    ----------
    product : np.ndarray, shape (d_model, d_model)
        W_Q W_K^T: token x_i scores token x_j with x_i W_Q W_K^T x_j^T.
    rank : int
        The rank of the product, at most min(d_model, d_k).
    parameters_factored, parameters_full : int
        How many numbers are stored, 2 d_model d_k or half of it, and how many one free matrix would take, d_model^2.
    """

    product: np.ndarray
    rank: int
    parameters_factored: int
    parameters_full: int


@dataclass(frozen=True, eq=False)
class LengthAngle:
    """Hold the scores, taken apart into lengths and angles.

    Attributes
    ----------
    query_norm, key_norm : np.ndarray, shapes (n,) and (m,)
        |q_i| and |k_j|, the length of each query and each key.
    cosine : np.ndarray, shape (n, m)
        The cosine of the angle between them, from -1 to 1; 0 where a length is 0, and there is no angle.
    scores : np.ndarray, shape (n, m)
        |q_i| |k_j| cos, which is q_i . k_j.
    """

    query_norm: np.ndarray
    key_norm: np.ndarray
    cosine: np.ndarray
    scores: np.ndarray


def factored_form(w_query: ArrayLike, w_key: ArrayLike | None = None) -> Factored:
    """Multiply W_Q W_K^T into the one matrix that the scores depend on, and count its rank and its parameters.

    Parameters
    ----------
    w_query, w_key : array_like, shape (d_model, d_k)
        W_Q and W_K; without W_K, W_Q takes its place and only its own numbers are stored.

    Returns
    -------
    Factored
        product, rank, parameters_factored and parameters_full.

    Raises
    ------
    TypeError, ValueError
        If a matrix does not hold real numbers, the matrices differ in shape or are empty, or W_Q W_K^T is not finite.

    Examples
    --------
    >>> factored = factored_form([[1.0], [2.0], [0.0]], [[1.0], [0.0], [1.0]])
    >>> factored.product[1], factored.rank, factored.parameters_factored, factored.parameters_full
    (array([2., 0., 2.]), 1, 6, 9)
    """
    w_query, tied = _matrix("W_Q", w_query, "d_model d_k"), w_key is None
    w_key = w_query if tied else _matrix("W_K", w_key, "d_model d_k")
    same_size("width d_k", "W_Q", w_query, 1, "W_K", w_key, 1)
    same_size("number of rows d_model", "W_Q", w_query, 0, "W_K", w_key, 0)
    if w_query.size == 0:
        raise ValueError(f"W_Q and W_K {w_query.shape} are empty; d_model and d_k must be at least 1.")

    product = times("product", "W_Q", w_query, "W_K^T", w_key.T)  # (d_model, d_model)
    # a product has no higher rank than a factor; where large numbers cancel, what rounding leaves may look like more
    rank = min(int(np.linalg.matrix_rank(matrix)) for matrix in (product, w_query, w_key))
    return Factored(product, rank, w_query.size if tied else 2 * w_query.size, product.size)


def length_and_angle(query: ArrayLike, key: ArrayLike) -> LengthAngle:
    """Take each score apart: q . k is the length of q times the length of k times the cosine of their angle.

    Parameters
    ----------
    query : array_like, shape (n, d_k)
        Q, one row per query.
    key : array_like, shape (m, d_k)
        K, one row per key.

    Returns
    -------
    LengthAngle
        query_norm, key_norm, cosine and scores.

    Raises
    ------
    TypeError, ValueError
        If an array does not hold real numbers, Q and K differ in width, or a length or a score is not finite.

    Examples
    --------
    >>> parts = length_and_angle([[3.0, 4.0]], [[2.0, 0.0], [0.0, 0.0]])
    >>> parts.query_norm, parts.key_norm, parts.cosine, parts.scores
    (array([5.]), array([2., 0.]), array([[0.6, 0. ]]), array([[6., 0.]]))
    """
    query, key = _matrix("Q", query, "n d_k"), _matrix("K", key, "m d_k")
    same_size("width d_k", "Q", query, 1, "K", key, 1)
    query_norm, query_direction = _norm_and_direction("Q", query)  # (n,), (n, d_k)
    key_norm, key_direction = _norm_and_direction("K", key)  # (m,), (m, d_k)
    cosine = np.clip(query_direction @ key_direction.T, -1, 1)  # (n, m)
    with np.errstate(all="ignore"):
        scores = query_norm[:, None] * cosine * key_norm  # (n, m)
    refuse_non_finite("scores", scores)
    return LengthAngle(query_norm, key_norm, cosine, scores)


def lengthen(key: ArrayLike, index: int, factor: float) -> np.ndarray:
    """Make one key longer or shorter: its scores change by the factor, its angles do not.

    Parameters
    ----------
    key : array_like, shape (m, d_k)
        K, one row per key.
    index : int
        Which key, 0 to m - 1.
    factor : float
        What it is multiplied by; a negative factor turns it round as well.

    Returns
    -------
    np.ndarray, shape (m, d_k)
        A new K; the old one stays as it is.

    Raises
    ------
    TypeError, ValueError
        If an argument is no number of its kind, there is no such key, or a number of the new K is not finite.

    Examples
    --------
    >>> lengthen([[1.0, 2.0], [3.0, 4.0]], index=1, factor=0.5)
    array([[1. , 2. ],
           [1.5, 2. ]])
    """
    key = _matrix("K", key, "m d_k").copy()
    index, factor = integer("index", index, at_least=0), number("factor", factor)
    if index >= len(key):
        raise ValueError(f"index {index} is out of range: K {key.shape} has {len(key)} keys, counted from 0.")
    with np.errstate(all="ignore"):
        key[index] *= factor
    refuse_non_finite("the longer K", key)
    return key


def fused_projection(x: ArrayLike, w_query: ArrayLike, w_key: ArrayLike, w_value: ArrayLike) -> Projection:
    """Project with one product instead of three, as fast implementations do: X [W_Q | W_K | W_V], cut into Q, K, V.

    Parameters
    ----------
    x : array_like, shape (..., n, d_model)
        X, one row per token.
    w_query, w_key, w_value : array_like, shapes (d_model, d_k), (d_model, d_k), (d_model, d_v)
        W_Q, W_K and W_V.

    Returns
    -------
    Projection
        query, key and value, equal to those of `attention_core.project` up to rounding.

    Raises
    ------
    TypeError, ValueError
        As `attention_core.project` does; each of the three must be a single matrix.

    Examples
    --------
    >>> projection = fused_projection([[1.0, 2.0]], [[1.0], [0.0]], [[0.0], [1.0]], [[1.0, 1.0], [1.0, -1.0]])
    >>> projection.query, projection.key, projection.value
    (array([[1.]]), array([[2.]]), array([[ 3., -1.]]))
    """
    x, w_value = real_array("X", x, "n d_model"), _matrix("W_V", w_value, "d_model d_v")
    w_query, w_key = _matrix("W_Q", w_query, "d_model d_k"), _matrix("W_K", w_key, "d_model d_k")
    same_size("width d_k", "W_Q", w_query, 1, "W_K", w_key, 1)
    for name, matrix in (("W_Q", w_query), ("W_K", w_key), ("W_V", w_value)):
        same_size("width d_model", "X", x, -1, name, matrix, 0)

    w_all = np.concatenate([w_query, w_key, w_value], axis=1)  # (d_model, 2 d_k + d_v)
    projected = times("[Q | K | V]", "X", x, "[W_Q | W_K | W_V]", w_all)  # (..., n, 2 d_k + d_v)
    d_k = w_query.shape[1]
    return Projection(*np.split(projected, [d_k, 2 * d_k], axis=-1))


def asymmetry(matrix: ArrayLike) -> float:
    """Measure how far a matrix S is from being symmetric: the largest |S - S^T|.

    With two matrices W_Q and W_K one token may look at another that does not look back. With W_Q = W_K the scores of
    a sentence are symmetric, and every word would score another as that one scores it.

    Parameters
    ----------
    matrix : array_like, shape (n, n)
        S, such as the scores of a sentence with itself.

    Returns
    -------
    float
        0 if S is symmetric.

    Raises
    ------
    TypeError, ValueError
        If S does not hold real numbers, is not square, or holds a number or has a difference that is not finite.

    Examples
    --------
    >>> asymmetry([[1.0, 5.0], [3.0, 1.0]])
    2.0
    """
    matrix = _matrix("S", matrix, "n n")
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"S must be square, but S {matrix.shape} has {len(matrix)} rows, {matrix.shape[1]} columns.")
    with np.errstate(all="ignore"):
        difference = matrix - matrix.T  # (n, n)
    refuse_non_finite("S - S^T", difference)
    return float(abs(difference).max(initial=0))


def _matrix(name, values, letters):
    """Return a real array of exactly two axes."""
    array = real_array(name, values, letters)
    if array.ndim != 2:
        raise ValueError(f"{name} must be one matrix ({letters.replace(' ', ', ')}), not of shape {array.shape}.")
    return array


def _norm_and_direction(name, vectors):
    """Return the length of each row, and the row divided by it; a row of zeros has no direction and stays zeros."""
    with np.errstate(all="ignore"):
        norm = np.hypot.reduce(vectors, axis=1)  # (n,): no square that could overflow
    refuse_non_finite(f"the lengths of {name}", norm)
    return norm, vectors / np.where(norm == 0, 1, norm)[:, None]
