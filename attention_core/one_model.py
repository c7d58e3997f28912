"""Rows of weights together: can any one W_Q and W_K produce all of them from the same words?"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .checks import integer, real_array, same_size, weight_array
from .softmax import softmax, softmax_jacobian

SETTLED = 1e-12  # a step that lowers the loss by less changes nothing that is shown


@dataclass(frozen=True, eq=False)
class NearestModel:
    """Hold what the model nearest to some rows of weights attends to.

    Attributes
    ----------
    product : np.ndarray, shape (d_model, d_model)
        W_Q W_K^T / sqrt(d_k), all that the weights depend on.
    weights : np.ndarray, shape (n, n)
        What it makes of X, one row per query.
    distances : np.ndarray, shape (n,)
        The total variation between its row and the one that was asked for.
    """

    product: np.ndarray
    weights: np.ndarray
    distances: np.ndarray


def nearest_model(x: ArrayLike, weights: ArrayLike, most_steps: int = 100) -> NearestModel:
    """Fit one W_Q and W_K, of any width, to rows of weights that somebody claims for the words X.

    The weights are softmax(X B X^T) with B = W_Q W_K^T / sqrt(d_k), and from d_k = d_model on B can be any matrix.
    The mean cross-entropy from the claimed rows to these is convex in B, so Newton's method cannot end in a poor local
    minimum: where a distance is left, it is left by every model that is as good in cross-entropy.

    Parameters
    ----------
    x : array_like, shape (n, d_model)
        X.
    weights : array_like, shape (n, n)
        One row per query, each of sum 1.
    most_steps : int, default 100
        Newton steps at most. Weights of exactly 0 are only approached, ever more slowly.

    Returns
    -------
    NearestModel
        .product (d_model, d_model), .weights (n, n) and .distances (n,).

    Raises
    ------
    TypeError, ValueError
        If an argument is no number of its kind, or there is not one weight per pair of rows of X.

    References
    ----------
    Wiegreffe and Pinter, "Attention is not not Explanation", 2019.

    Examples
    --------
    >>> nearest_model([[1.0, 0.0], [0.0, 1.0]], [[0.75, 0.25], [0.5, 0.5]]).distances.round(6)
    array([0., 0.])
    >>> nearest_model([[1.0, 0.0], [1.0, 0.0]], [[0.75, 0.25], [0.75, 0.25]]).weights  # one vector, one weight
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """
    x, target = _inputs(x, weights)
    most_steps = integer("most_steps", most_steps, at_least=1)
    product = np.zeros((x.shape[1], x.shape[1]))
    for _ in range(most_steps):
        product, gained = _newton_step(x, target, product)
        if gained <= SETTLED:
            break
    found = softmax(x @ product @ x.T)
    return NearestModel(product, found, np.abs(found - target).sum(axis=-1) / 2)


def _inputs(x, weights):
    x = real_array("X", x, "n d_model")
    target, _ = weight_array(weights)
    if x.ndim != 2 or target.ndim != 2:
        raise ValueError(f"one sentence is fitted at a time: X (n, d_model) and weights (n, n), not {x.shape} and "
                         f"{target.shape}.")
    same_size("number of queries n", "X", x, -2, "weights", target, -2)
    same_size("number of keys", "X", x, -2, "weights", target, -1)
    return x.astype(np.float64), target.astype(np.float64)


def _loss(x, target, product):
    """Return the mean cross-entropy; log softmax is written out, so that no weight of 0 is logged."""
    scaled = x @ product @ x.T  # (n, n)
    largest = scaled.max(axis=-1, keepdims=True)
    log_weights = scaled - largest - np.log(np.exp(scaled - largest).sum(axis=-1, keepdims=True))
    return -(target * log_weights).sum(axis=-1).mean()


def _newton_step(x, target, product):
    """Return the next B and how much lower its loss is: a full Newton step, halved until it helps."""
    n, d = x.shape
    weights = softmax(x @ product @ x.T)  # (n, n)
    gradient = x.T @ (weights * target.sum(axis=-1, keepdims=True) - target) @ x / n  # (d, d)
    curvature = x.T @ softmax_jacobian(weights) @ x  # (n, d, d)
    hessian = np.einsum("ia,ic,ibd->abcd", x, x, curvature).reshape(d * d, d * d) / n  # (d d, d d)
    step = np.linalg.lstsq(hessian, gradient.ravel(), rcond=1e-12)[0].reshape(d, d)  # (d, d)
    before = _loss(x, target, product)
    for halvings in range(30):
        there = product - step / 2**halvings
        if (after := _loss(x, target, there)) < before:
            return there, before - after
    return product, 0.0
