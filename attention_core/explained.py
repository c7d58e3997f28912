"""What is to be explained: rows of weights with their values, from six words or drawn, at every width of the values."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .attention import scaled_dot_product_attention
from .checks import integer, real_array
from .counterfactual import other_weights
from .draws import nested_draw
from .examples import six_words
from .projection import project

D_K = 8  # of the drawn query and keys


@dataclass(frozen=True, eq=False)
class Explained:
    """Hold rows of weights and the values they mix; width d_v means the first d_v columns of the values.

    Attributes
    ----------
    weights : np.ndarray, shape (n, m)
        One row per query.
    value : np.ndarray, shape (m, m)
        V, as wide as there are keys: at m - 1 columns no two rows of weights give the same output, but for luck.
    x : np.ndarray, shape (n, d_model), or None
        The words that queries, keys and values are made of, where they are.
    """

    weights: np.ndarray
    value: np.ndarray
    x: np.ndarray | None


def six_words_explained(seed: int = 0) -> Explained:
    """Attend among the six words; their values are wider than the example's by columns that are drawn.

    Parameters
    ----------
    seed : int, default 0
        Of the columns after the third, for ``np.random.default_rng``; uniform from 0 to 1.

    Returns
    -------
    Explained
        6 rows of weights, V (6, 6) and X (6, 3).

    Raises
    ------
    TypeError, ValueError
        If the seed is no whole number from 0 on.

    Examples
    --------
    >>> rows = six_words_explained()
    >>> rows.weights[2].round(3)
    array([0.164, 0.242, 0.137, 0.077, 0.164, 0.216])
    """
    words = six_words()
    roles = project(words.x, words.w_query, words.w_key, words.w_value)
    n, known = roles.value.shape
    drawn = np.random.default_rng(integer("seed", seed, at_least=0)).uniform(size=(n, n - known))
    weights = scaled_dot_product_attention(roles.query, roles.key, roles.value).weights
    return Explained(weights, np.column_stack([roles.value, drawn]), words.x)


def drawn_explained(seed: int = 0, n_keys: int = 6) -> Explained:
    """Draw one query, its keys and their values with standard normal components.

    Parameters
    ----------
    seed : int, default 0
        Of `nested_draw` for query and keys, of ``np.random.default_rng`` for the values.
    n_keys : int, default 6
        m.

    Returns
    -------
    Explained
        1 row of weights and V (m, m); no X.

    Raises
    ------
    TypeError, ValueError
        If an argument is no whole number or out of range.

    Examples
    --------
    >>> drawn_explained(seed=0, n_keys=3).weights.round(3)
    array([[0.164, 0.258, 0.577]])
    """
    draw = nested_draw(seed, n_keys, D_K)
    value = np.random.default_rng(seed).standard_normal((n_keys, n_keys))
    weights = scaled_dot_product_attention(draw.query[None], draw.keys, value).weights
    return Explained(weights, value, None)


def other_rows(
    weights: ArrayLike, value: ArrayLike, tolerance: float = 0.0, seed: int = 0, distance: str = "total_variation"
) -> np.ndarray:
    """Search the other row of every query on its own.

    Parameters
    ----------
    weights, value : array_like, shapes (n, m), (m, d_v)
        Rows of weights and V.
    tolerance, seed, distance
        As in `other_weights`.

    Returns
    -------
    np.ndarray, shape (n, m)
        The other rows.

    Raises
    ------
    TypeError, ValueError
        As `other_weights` does.

    Examples
    --------
    >>> other_rows([[0.5, 0.5, 0.0], [0.2, 0.6, 0.2]], [[0.0], [1.0], [2.0]]).round(6)
    array([[0.75, 0.  , 0.25],
           [0.5 , 0.  , 0.5 ]])
    """
    rows = real_array("weights", weights, "n m")
    return np.stack([other_weights(row, value, tolerance, seed, distance).weights for row in rows])


def distance_by_width(
    weights: ArrayLike, value: ArrayLike, tolerance: float = 0.0, seed: int = 0, distance: str = "total_variation"
) -> np.ndarray:
    """Search the other row at every width of the values, from their first column to all of them.

    Each column more is one demand more on the other row, so the distance can only fall.

    Parameters
    ----------
    weights, value : array_like, shapes (m,), (m, d_max)
        One row of weights and V.
    tolerance, seed, distance
        As in `other_weights`.

    Returns
    -------
    np.ndarray, shape (d_max,)
        The largest distance found at d_v = 1 .. d_max.

    Raises
    ------
    TypeError, ValueError
        As `other_weights` does.

    Examples
    --------
    >>> distance_by_width([0.25, 0.5, 0.25], [[0.0, 0.0], [1.0, 0.0], [2.0, 1.0]])
    array([0.5, 0. ])
    """
    value = real_array("V", value, "m d_v")
    widths = range(1, value.shape[-1] + 1)
    return np.array([other_weights(weights, value[:, :d_v], tolerance, seed, distance).distance for d_v in widths])
