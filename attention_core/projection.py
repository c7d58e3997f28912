"""Three roles from one input: X becomes queries, keys and values."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .checks import leading_axes, real_array, same_size
from .precision import common_dtype, magnitude, narrow, widen


@dataclass(frozen=True, eq=False)
class Projection:
    """Hold the three projections of one input.

    Attributes
    ----------
    query : np.ndarray, shape (..., n, d_k)
        Q = X W_Q: what each token asks for.
    key : np.ndarray, shape (..., n, d_k)
        K = X W_K: what each token offers to be found by.
    value : np.ndarray, shape (..., n, d_v)
        V = X W_V: what each token hands over.
    """

    query: np.ndarray
    key: np.ndarray
    value: np.ndarray


def project(x: ArrayLike, w_query: ArrayLike, w_key: ArrayLike, w_value: ArrayLike) -> Projection:
    """Project the tokens into their three roles: query, key and value.

    Parameters
    ----------
    x : array_like, shape (..., n, d_model)
        X, one row per token.
    w_query, w_key : array_like, shape (..., d_model, d_k)
        W_Q and W_K, of one width: queries and keys must be comparable.
    w_value : array_like, shape (..., d_model, d_v)
        W_V, of any width.

    Returns
    -------
    Projection
        query, key and value.

    Raises
    ------
    TypeError
        If an array does not hold real numbers.
    ValueError
        If W_Q and W_K differ in width, a matrix has not as many rows as X has columns, or a number is not finite.

    References
    ----------
    Vaswani et al., "Attention Is All You Need", 2017, section 3.2.2.

    Examples
    --------
    >>> projection = project([[1.0, 2.0]], [[1.0], [0.0]], [[0.0], [1.0]], [[1.0, 1.0], [1.0, -1.0]])
    >>> projection.query, projection.key, projection.value
    (array([[1.]]), array([[2.]]), array([[ 3., -1.]]))
    """
    x = real_array("X", x, "n d_model")
    w_query = real_array("W_Q", w_query, "d_model d_k")
    w_key = real_array("W_K", w_key, "d_model d_k")
    w_value = real_array("W_V", w_value, "d_model d_v")
    same_size("width d_k", "W_Q", w_query, -1, "W_K", w_key, -1)

    query = times("Q", "X", x, "W_Q", w_query)  # (..., n, d_k)
    key = times("K", "X", x, "W_K", w_key)  # (..., n, d_k)
    value = times("V", "X", x, "W_V", w_value)  # (..., n, d_v)
    return Projection(query, key, value)


def times(name: str, name_a: str, a: np.ndarray, name_b: str, b: np.ndarray) -> np.ndarray:
    """Multiply two matrices; a misfit names both, and so does a product beyond the largest float."""
    if a.shape[-1] != b.shape[-2]:
        raise ValueError(
            f"{name_b} needs one row per column of {name_a}: {name_a} {a.shape} has {a.shape[-1]} columns, "
            f"{name_b} {b.shape} has {b.shape[-2]} rows."
        )
    leading_axes(**{name_a: a, name_b: b})
    dtype = common_dtype(a, b)
    bound = a.shape[-1] * magnitude(a) * magnitude(b)
    wide_a, wide_b = widen(dtype, bound, a, b)
    with np.errstate(all="ignore"):
        (product,) = narrow(dtype, wide_a @ wide_b)
    if not np.isfinite(product).all():
        raise ValueError(f"{name} = {name_a} {name_b} holds inf: a product exceeds the largest {dtype}.")
    return product
