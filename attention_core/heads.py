"""Heads taken apart: drawn projections, each head by hand, and what dividing by the wrong width does to the weights."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .attention import scaled_dot_product_attention
from .checks import integer, real_array
from .mistakes import attend_with
from .softmax import entropy


@dataclass(frozen=True, eq=False)
class HeadWeights:
    """Hold the four matrices of one multi-head attention, each d_model wide and high.

    Attributes
    ----------
    w_query, w_key, w_value : np.ndarray, shape (d_model, d_model)
        W_Q, W_K and W_V; head h owns columns h * d_head to (h + 1) * d_head.
    w_output : np.ndarray, shape (d_model, d_model)
        W_O; head h owns the same numbers of its rows.
    """

    w_query: np.ndarray
    w_key: np.ndarray
    w_value: np.ndarray
    w_output: np.ndarray

    @property
    def all(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The four in the order that `multi_head_attention` takes."""
        return self.w_query, self.w_key, self.w_value, self.w_output


@dataclass(frozen=True, eq=False)
class Evenness:
    """Say how even weights are, as means over their rows.

    Attributes
    ----------
    largest : float
        The largest weight of a row: 1 for one key alone, 1/m for all alike.
    entropy : float
        In nats: 0 for one key alone, ln(m) for all alike.
    """

    largest: float
    entropy: float


@dataclass(frozen=True, eq=False)
class ScaleCurves:
    """Hold the mean largest weight over the number of heads, divided by either root.

    Attributes
    ----------
    heads, d_head : np.ndarray of int, shape (c,)
        The numbers of heads, and how wide each head then is.
    by_head, by_model : np.ndarray, shape (c,)
        Divided by sqrt(d_head), as is right, and by sqrt(d_model).
    """

    heads: np.ndarray
    d_head: np.ndarray
    by_head: np.ndarray
    by_model: np.ndarray


def drawn_weights(seed: int, d_model: int) -> HeadWeights:
    """Draw W_Q, W_K, W_V and W_O from -1, -0.5, 0, 0.5 and 1: short enough to calculate with, and never learnt.

    Parameters
    ----------
    seed : int
        At least 0.
    d_model : int
        Their width, at least 1.

    Returns
    -------
    HeadWeights
        Fresh arrays; the same seed and width always give the same numbers.

    Raises
    ------
    TypeError, ValueError
        If the seed or the width is no such whole number.

    Examples
    --------
    >>> drawn_weights(0, 2).w_query
    array([[ 1. ,  0.5],
           [ 0. , -0.5]])
    """
    d_model = integer("d_model", d_model, at_least=1)
    random = np.random.default_rng(integer("seed", seed, at_least=0))
    return HeadWeights(*(random.integers(-2, 3, size=(4, d_model, d_model)) / 2))


def head_by_head(
    x_query: ArrayLike,
    x_key_value: ArrayLike,
    w_query: ArrayLike,
    w_key: ArrayLike,
    w_value: ArrayLike,
    w_output: ArrayLike,
    num_heads: int,
) -> np.ndarray:
    """Compute multi-head attention without any reshape: every head by its own columns, its share of W_O, and a sum.

    Concatenating the heads and multiplying by W_O is the same sum: head h meets rows h * d_head to (h + 1) * d_head.

    Parameters
    ----------
    x_query, x_key_value : array_like, shapes (n, d_model), (m, d_model)
        The tokens that ask, and those that answer.
    w_query, w_key, w_value, w_output : array_like
        As in `multi_head_attention`.
    num_heads : int
        It divides the widths.

    Returns
    -------
    np.ndarray, shape (n, d_out)
        The output.

    Raises
    ------
    ValueError
        If the heads do not divide a width.

    References
    ----------
    Vaswani et al., "Attention Is All You Need", 2017, section 3.2.2.

    Examples
    --------
    >>> head_by_head(np.eye(2), np.eye(2), np.zeros((2, 2)), np.eye(2), np.eye(2), np.eye(2), num_heads=2)
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """
    heads = integer("heads", num_heads, at_least=1)
    names = {"X_q": x_query, "X_kv": x_key_value, "W_Q": w_query, "W_K": w_key, "W_V": w_value, "W_O": w_output}
    x_q, x_kv, w_q, w_k, w_v, w_o = (real_array(name, array, "rows columns") for name, array in names.items())
    for name, matrix in (("W_Q", w_q), ("W_K", w_k), ("W_V", w_v)):
        if matrix.shape[1] % heads:
            raise ValueError(f"{heads} heads do not divide the width of {name} {matrix.shape}, {matrix.shape[1]}.")
    columns = (np.split(matrix, heads, axis=1) for matrix in (w_q, w_k, w_v))  # of each: heads × (d_model, d_head)
    output = 0
    for own_q, own_k, own_v, own_o in zip(*columns, np.split(w_o, heads), strict=True):
        attention = scaled_dot_product_attention(x_q @ own_q, x_kv @ own_k, x_kv @ own_v)
        output = output + attention.output @ own_o  # (n, d_out)
    return output


def head_draw(seed: int, n: int, d_model: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw Q, K and V of n tokens from the standard normal distribution, as wide as the model.

    Parameters
    ----------
    seed, n, d_model : int
        The seed, the number of tokens and the width.

    Returns
    -------
    tuple of np.ndarray, shape (n, d_model)
        Q, K and V.

    Raises
    ------
    TypeError, ValueError
        If a number is no whole number, or too small.

    Examples
    --------
    >>> query, key, value = head_draw(0, n=8, d_model=64)
    >>> query.shape, float(query[0, 0].round(4))
    ((8, 64), 0.1257)
    """
    n, d_model = integer("n", n, at_least=1), integer("d_model", d_model, at_least=1)
    return tuple(np.random.default_rng(integer("seed", seed, at_least=0)).normal(size=(3, n, d_model)))


def evenness(weights: ArrayLike) -> Evenness:
    """Say how even the rows of weights are.

    Parameters
    ----------
    weights : array_like, shape (..., n, m)
        Rows that sum to 1.

    Returns
    -------
    Evenness
        The mean largest weight and the mean entropy.

    Raises
    ------
    TypeError
        If the weights are no array of real numbers.

    Examples
    --------
    >>> float(evenness([[0.5, 0.5], [1.0, 0.0]]).largest)
    0.75
    """
    weights = real_array("weights", weights, "n m")
    return Evenness(weights.max(axis=-1).mean(), entropy(weights).mean())


def scale_over_heads(seeds: Sequence[int], n: int, d_model: int, heads: Sequence[int]) -> ScaleCurves:
    """Measure over the number of heads how even the weights are under either divisor; the model's width stays.

    Parameters
    ----------
    seeds : sequence of int
        One draw of `head_draw` for each; the result is the mean over all of them.
    n, d_model : int
        The sizes of a draw.
    heads : sequence of int
        Numbers of heads that divide d_model.

    Returns
    -------
    ScaleCurves
        The mean largest weight under sqrt(d_head) and under sqrt(d_model).

    Raises
    ------
    ValueError
        If a number of heads does not divide d_model.

    Examples
    --------
    >>> curves = scale_over_heads(range(3), n=4, d_model=8, heads=(1, 8))
    >>> bool(curves.by_head[0] == curves.by_model[0]), bool(curves.by_head[1] > curves.by_model[1])
    (True, True)
    """
    draws = np.stack([head_draw(seed, n, d_model) for seed in seeds], axis=1)  # (3, seeds, n, d_model)
    by_head, by_model = (
        np.array([evenness(attend_with(mistake, *draws, heads=count).weights).largest for count in heads])
        for mistake in (None, "scale_by_d_model")
    )
    return ScaleCurves(np.array(heads), d_model // np.array(heads), by_head, by_model)
