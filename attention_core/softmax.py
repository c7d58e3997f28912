"""The softmax, how it changes when its input does, and how spread out it is: knows nothing of queries and keys."""

import numpy as np
from numpy.typing import ArrayLike

from .checks import axis_index, real_array, weight_array


def softmax(scores: ArrayLike, axis: int = -1) -> np.ndarray:
    """Turn scores into weights that are positive and sum to 1.

    The largest score is subtracted first. The weights stay the same, and ``exp`` can no longer overflow.

    Parameters
    ----------
    scores : array_like, shape (..., m)
        Real numbers. ``-inf`` is allowed and gets the weight 0.
    axis : int, default -1
        The axis along which the weights sum to 1.

    Returns
    -------
    np.ndarray, shape of `scores`
        The weights. Where all scores along the axis are ``-inf``, all weights are 0 (NumPy and PyTorch give NaN).

    Raises
    ------
    TypeError
        If the scores are not real numbers.
    ValueError
        If a score is NaN or ``+inf``, or the axis does not exist.

    Examples
    --------
    >>> softmax([1000.0, 1001.0, 1002.0]).round(3)
    array([0.09 , 0.245, 0.665])
    >>> softmax([-np.inf, -np.inf])
    array([0., 0.])
    """
    scores = real_array("scores", scores, "m", minus_inf_is_fine=True)
    axis = axis_index(axis, scores, "scores")
    with np.errstate(all="ignore"):  # a distance beyond the largest float is -inf, whose exp is 0, as it should be
        largest = scores.max(axis=axis, keepdims=True, initial=-np.inf)
        largest = np.where(largest == -np.inf, 0, largest)  # a row of -inf: -inf - 0 instead of -inf - -inf
        exponentials = np.exp(scores - largest)
        total = exponentials.sum(axis=axis, keepdims=True)
        return exponentials / np.where(total == 0, 1, total)


def softmax_jacobian(weights: ArrayLike) -> np.ndarray:
    """Differentiate the weights with respect to the scores: diag(p) - p p^T.

    Entry (i, j) says how much weight i gains when score j rises. Near a saturated row all entries vanish, and learning
    with them. On the diagonal p_i (1 - p_i) is computed as p_i times the other weights, so that it survives p_i = 1.

    Parameters
    ----------
    weights : array_like, shape (..., m)
        Results of `softmax` along the last axis.

    Returns
    -------
    np.ndarray, shape (..., m, m)
        One symmetric matrix per row of weights; its rows sum to 0.

    Raises
    ------
    TypeError
        If the weights are not real numbers.
    ValueError
        If a weight is negative or not finite, or a row sums neither to 1 nor to 0.

    Examples
    --------
    >>> softmax_jacobian([0.75, 0.25])
    array([[ 0.1875, -0.1875],
           [-0.1875,  0.1875]])
    """
    weights, _ = weight_array(weights)
    m = weights.shape[-1]
    with np.errstate(all="ignore"):
        products = weights[..., :, None] * weights[..., None, :]  # (..., m, m)
        others = products * ~np.eye(m, dtype=bool)
        return np.eye(m, dtype=weights.dtype) * others.sum(axis=-1, keepdims=True) - others


def entropy(weights: ArrayLike, axis: int = -1) -> np.ndarray:
    """Measure how spread out the weights are, in nats.

    The entropy is 0 when one key takes all and log(m) when m keys share equally.

    Parameters
    ----------
    weights : array_like, shape (..., m)
        Weights that sum to 1 along `axis`.
    axis : int, default -1
        The axis that is summed over.

    Returns
    -------
    np.ndarray, shape of `weights` without `axis`
        The sum of -p log(p), with 0 log(0) = 0.

    Raises
    ------
    TypeError
        If the weights are not real numbers.
    ValueError
        If a weight is negative or not finite, or a row sums neither to 1 nor to 0.

    References
    ----------
    Shannon, "A Mathematical Theory of Communication", 1948.

    Examples
    --------
    >>> entropy([[1.0, 0.0], [0.5, 0.5]]).round(4)
    array([0.    , 0.6931])
    """
    weights, axis = weight_array(weights, axis)
    with np.errstate(all="ignore"):
        logarithms = np.log(np.where(weights > 0, weights, 1))
        return 0 - (weights * logarithms).sum(axis=axis)
