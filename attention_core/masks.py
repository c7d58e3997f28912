"""Who may look at whom: boolean masks, True = may attend."""

import numpy as np
from numpy.typing import ArrayLike

from .checks import choice, integer, plain_array


def causal_mask(n_queries: int, n_keys: int | None = None, alignment: str = "top_left") -> np.ndarray:
    """Let each query attend to no key after its own position.

    With as many queries as keys the two alignments agree. Otherwise "top_left" puts the first query at the first key
    (as `is_causal` does), "bottom_right" the last query at the last key (as a decoder with cached keys needs it).

    Parameters
    ----------
    n_queries : int
        The number of queries n.
    n_keys : int, optional
        The number of keys m; by default as many as queries.
    alignment : {"top_left", "bottom_right"}
        Which corner the diagonal starts from.

    Returns
    -------
    np.ndarray of bool, shape (n, m)
        True where query i may attend to key j.

    Raises
    ------
    TypeError
        If a size is not a whole number.
    ValueError
        If a size is negative or the alignment is unknown.

    References
    ----------
    Vaswani et al., "Attention Is All You Need", 2017, section 3.2.3.

    Examples
    --------
    >>> causal_mask(2, 3).astype(int)
    array([[1, 0, 0],
           [1, 1, 0]])
    >>> causal_mask(2, 3, alignment="bottom_right").astype(int)
    array([[1, 1, 0],
           [1, 1, 1]])
    """
    queries, keys = _positions(n_queries, n_keys)
    alignment = choice("alignment", alignment, ("top_left", "bottom_right"))
    ahead = keys.size - queries.size if alignment == "bottom_right" else 0
    return keys <= queries + ahead  # (n, m)


def padding_mask(lengths: ArrayLike, n_keys: int) -> np.ndarray:
    """Hide the keys that only fill up shorter sequences.

    Parameters
    ----------
    lengths : array_like of int, shape (...)
        How many keys of each sequence are real; the first ones are.
    n_keys : int
        The number of keys m, padding included.

    Returns
    -------
    np.ndarray of bool, shape (..., 1, m)
        True at real keys; the axis of length 1 stands for the queries, to which all of this applies alike.

    Raises
    ------
    TypeError
        If a length is not a whole number.
    ValueError
        If a length is negative or exceeds the number of keys.

    Examples
    --------
    >>> padding_mask([1, 3], n_keys=3).astype(int)
    array([[[1, 0, 0]],
    <BLANKLINE>
           [[1, 1, 1]]])
    """
    n_keys = integer("n_keys", n_keys, at_least=0)
    lengths = plain_array("lengths", lengths)
    if lengths.dtype.kind not in "iu" and lengths.size > 0:
        raise TypeError(f"lengths must be whole numbers, not {lengths.dtype}.")
    for bad, problem in ((lengths < 0, "is negative"), (lengths > n_keys, f"exceeds the number of keys, {n_keys}")):
        if np.any(bad):
            index = tuple(int(i) for i in np.argwhere(bad)[0])
            raise ValueError(f"lengths holds {lengths[index]} at {list(index)}, which {problem}.")
    return np.arange(n_keys) < lengths[..., None, None]  # (..., 1, m)


def sliding_window_mask(n_queries: int, n_keys: int | None = None, left: int = 0, right: int = 0) -> np.ndarray:
    """Let each query attend to the keys near its own position only.

    Parameters
    ----------
    n_queries : int
        The number of queries n.
    n_keys : int, optional
        The number of keys m; by default as many as queries.
    left, right : int, default 0
        How many keys before and after its own position a query sees.

    Returns
    -------
    np.ndarray of bool, shape (n, m)
        True where i - left <= j <= i + right.

    Raises
    ------
    TypeError
        If a size is not a whole number.
    ValueError
        If a size is negative.

    References
    ----------
    Beltagy, Peters and Cohan, "Longformer: The Long-Document Transformer", 2020.

    Examples
    --------
    >>> sliding_window_mask(3, left=1).astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [0, 1, 1]])
    """
    queries, keys = _positions(n_queries, n_keys)
    left, right = integer("left", left, at_least=0), integer("right", right, at_least=0)
    distances = keys - queries  # (n, m)
    return (-left <= distances) & (distances <= right)


def combine_masks(*masks: ArrayLike | None) -> np.ndarray | None:
    """Let a query attend to a key only where every mask allows it.

    Parameters
    ----------
    *masks : array_like of bool or None
        Masks whose shapes broadcast; None hides nothing.

    Returns
    -------
    np.ndarray of bool or None
        The logical AND in the broadcast shape, or None if there is no mask at all.

    Raises
    ------
    TypeError
        If a mask is not boolean. (A float mask is added to the scores: there is no AND of it.)
    ValueError
        If the shapes do not broadcast.

    Examples
    --------
    >>> combine_masks(causal_mask(3), None, padding_mask(2, 3)).astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [1, 1, 0]])
    """
    combined = None
    for position, mask in enumerate(masks):
        if mask is None:
            continue
        mask = plain_array(f"mask {position}", mask)
        if mask.dtype.kind != "b":
            raise TypeError(f"mask {position} must be boolean (True = may attend), not {mask.dtype}.")
        try:
            combined = mask.copy() if combined is None else combined & mask
        except ValueError:
            before = combined.shape
            raise ValueError(f"mask {position} {mask.shape} does not broadcast with {before} before it.") from None
    return combined


def _positions(n_queries, n_keys):
    n = integer("n_queries", n_queries, at_least=0)
    m = n if n_keys is None else integer("n_keys", n_keys, at_least=0)
    return np.arange(n)[:, None], np.arange(m)[None, :]  # (n, 1), (1, m)


def allowed_and_bias(mask, is_causal, n, m):
    """Split a checked mask into what may be attended to (None: everything) and what is added to the scores."""
    bias = mask if mask is not None and mask.dtype.kind == "f" else 0.0
    visible = mask if mask is None or mask.dtype.kind == "b" else mask > -np.inf
    allowed = combine_masks(visible, causal_mask(n, m) if is_causal else None)
    if allowed is not None:
        allowed = np.broadcast_to(allowed, (*allowed.shape[:-2], n, m)).copy()  # (..., n, m)
    return allowed, bias
