"""What hidden tokens still do to an output: with weights of 0 they may move it, if a way to mask lets them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from .projection import project
from .wrong_masks import mask_taken, masked_weights


def moved_by_hidden(
    x: np.ndarray, projections: Sequence[np.ndarray], allowed: np.ndarray, way: str, padding: ArrayLike | None = None,
) -> np.ndarray:
    """Return how far each query's output moves when a token changes whose key is hidden from it.

    1 is added to each number of one token after the other. The query itself stays as it is, even where the token is
    its own; the token's key and value change, and its query in the other rows. Weights of 0 on hidden keys are not
    enough: what a way divides by may depend on hidden tokens, and then the output moves.

    Parameters
    ----------
    x : (m, d_model) array
        The tokens' features.
    projections : sequence of three arrays
        W_Q, W_K and W_V.
    allowed : (n, m) array of bool
        True where a query may attend; where n < m the queries are those of the last n tokens.
    way, padding
        As in `masked_weights`.

    Returns
    -------
    np.ndarray, shape (n,)
        The largest change of each output; 0 if it does not move, or nothing is hidden; NaN where an output is.

    Raises
    ------
    TypeError, ValueError
        As `project` and `masked_weights` do.

    Examples
    --------
    >>> x, eye = np.array([[0.0], [0.0]]), np.eye(1)
    >>> moved_by_hidden(x, (eye, eye, eye), np.array([[True, False], [True, True]]), "minus_inf")
    array([0., 0.])
    """
    n, m = allowed.shape
    before, right = project(x, *projections), mask_taken(allowed, "minus_inf", padding)
    given = _output(before.query[m - n :], before, allowed, way, padding)
    moved = np.zeros(n)
    for token in np.flatnonzero(~right.all(axis=0)):  # hidden from somebody
        changed = project(x + (np.arange(m) == token)[:, None], *projections)
        found = _output(changed.query[m - n :], changed, allowed, way, padding)
        if token >= m - n:  # its own query stays
            found[token - m + n] = _output(before.query[m - n :], changed, allowed, way, padding)[token - m + n]
        change = np.abs(found - given).max(axis=-1, initial=0.0)  # (n,)
        moved = np.where(right[:, token], moved, np.maximum(moved, change))  # NaN stays NaN
    return moved


def _output(query, roles, allowed, way, padding):
    scaled = (query / np.sqrt(query.shape[-1])) @ roles.key.T  # (n, m)
    with np.errstate(invalid="ignore"):  # NaN is what some ways give
        return masked_weights(scaled, allowed, way, padding) @ roles.value  # (n, d_v)
