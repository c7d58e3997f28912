"""The worked examples that the lessons share, small enough to follow by hand."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class SentenceExample:
    """Hold tokens, their features and three projections.

    Attributes
    ----------
    tokens : tuple of str
        The words, one per row of `x`.
    features : tuple of str
        Ids of the features, one per column of `x`; an interface translates them.
    x : np.ndarray, shape (n, d_model)
        X, the features of each token.
    w_query, w_key, w_value : np.ndarray, shape (d_model, d_k) or (d_model, d_v)
        W_Q, W_K and W_V.
    """

    tokens: tuple[str, ...]
    features: tuple[str, ...]
    x: np.ndarray
    w_query: np.ndarray
    w_key: np.ndarray
    w_value: np.ndarray


@dataclass(frozen=True, eq=False)
class MatrixExample:
    """Hold bare matrices to attend with.

    Attributes
    ----------
    query, key, value : np.ndarray, shapes (n, d_k), (m, d_k), (m, d_v)
        Q, K and V.
    """

    query: np.ndarray
    key: np.ndarray
    value: np.ndarray


def ikan_makan() -> SentenceExample:
    """Return "ikan" (fish) and "makan" (eat): the verb's query asks for what the noun's key offers.

    The projections are written by hand, so that each of their rows has a meaning.

    Returns
    -------
    SentenceExample
        2 tokens, 4 features, width 3; fresh arrays on every call.

    Examples
    --------
    >>> example = ikan_makan()
    >>> (example.x @ example.w_query) @ (example.x @ example.w_key).T
    array([[0. , 0.5],
           [2. , 0.5]])
    """
    return SentenceExample(
        tokens=("ikan", "makan"),
        features=("food", "animal", "verb", "needs_object"),
        x=np.array([[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]]),
        w_query=np.array([[0.0, 0.0, 0.5], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]),
        w_key=np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.5, 0.0]]),
        w_value=np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.5]]),
    )


def six_words() -> SentenceExample:
    """Return "The cat sat on the mat" with matrices that reproduce the figures of a published page.

    The matrices are OUR reconstruction, found by search: the page prints scores, weights and outputs without publishing
    its matrices, and others would fit as well. The names of the features are ours too.

    Returns
    -------
    SentenceExample
        6 tokens, 3 features, width 3; fresh arrays on every call.

    Examples
    --------
    >>> example = six_words()
    >>> example.tokens[2], example.x.shape
    ('sat', (6, 3))
    """
    return SentenceExample(
        tokens=("The", "cat", "sat", "on", "the", "mat"),
        features=("noun", "motion", "place"),
        x=np.array(
            [[0.3, 0.2, 0.1], [0.9, 0.2, 0.0], [0.4, 0.8, 0.4], [0.1, 0.2, 0.9], [0.3, 0.2, 0.1], [1.0, 0.1, 0.2]]
        ),
        w_query=np.array([[0.0, 0.9, 0.0], [-0.2, 0.0, 0.3], [0.0, 1.0, 1.0]]),
        w_key=np.array([[1.0, 0.8, 0.7], [0.0, 0.3, -0.3], [0.0, -1.0, -1.0]]),
        w_value=np.array([[0.2, 0.1, 0.7], [0.1, 0.0, 0.2], [0.0, 0.5, 0.0]]),
    )


def two_queries_three_keys() -> MatrixExample:
    """Return Q (2 x 4), K (3 x 4) and V (3 x 3): each query equals one key, and the third key is half of each.

    Returns
    -------
    MatrixExample
        Q, K and V; fresh arrays on every call.

    Examples
    --------
    >>> example = two_queries_three_keys()
    >>> example.query @ example.key.T
    array([[2., 0., 1.],
           [0., 2., 1.]])
    """
    return MatrixExample(
        query=np.array([[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0]]),
        key=np.array([[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0], [1.0, 1.0, 0.0, 0.0]]),
        value=np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]),
    )
