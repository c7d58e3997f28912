"""Tokens that are no words: patches of a small grey picture, and nodes of a graph that attend along its edges."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from .checks import choice, integer, real_array

PICTURES = ("letter", "ring", "gradient")
SIDE = 8  # pixels


def picture(name: str) -> np.ndarray:
    """Draw one of `PICTURES` in 8 x 8 grey values.

    Parameters
    ----------
    name : {"letter", "ring", "gradient"}
        A letter T, a ring, or a slope from black to white.

    Returns
    -------
    np.ndarray, shape (8, 8)
        0 is black, 1 is white.

    Raises
    ------
    ValueError
        If there is no such picture.

    Examples
    --------
    >>> picture("letter").sum(axis=1)
    array([0., 6., 6., 2., 2., 2., 2., 0.])
    """
    name = choice("picture", name, PICTURES)
    row, column = np.mgrid[:SIDE, :SIDE]  # (8, 8) each
    if name == "gradient":
        return (row + column) / (2 * SIDE - 2)
    if name == "ring":
        away = np.hypot(row - (SIDE - 1) / 2, column - (SIDE - 1) / 2)
        return np.clip(1.6 - abs(away - 2.6), 0, 1).round(2)
    bar = (row >= 1) & (row <= 2) & (column >= 1) & (column <= 6)
    stem = (row >= 1) & (row <= 6) & (column >= 3) & (column <= 4)
    return (bar | stem).astype(float)


def patches(image: ArrayLike, size: int) -> np.ndarray:
    """Cut a picture into square patches; each becomes a token, its grey values in reading order.

    Parameters
    ----------
    image : array_like, shape (height, width)
        Grey values.
    size : int
        The side of a patch in pixels; it divides height and width.

    Returns
    -------
    np.ndarray, shape (patches, size * size)
        One row per patch, in reading order.

    Raises
    ------
    ValueError
        If the patches do not fit the picture.

    References
    ----------
    Dosovitskiy et al., "An Image is Worth 16x16 Words", 2020, section 3.1.

    Examples
    --------
    >>> patches([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]], size=2)
    array([[1., 2., 5., 6.],
           [3., 4., 7., 8.]])
    """
    image, size = real_array("picture", image, "height width"), integer("size", size, at_least=1)
    if image.ndim != 2:
        raise ValueError(f"picture must have 2 dims; it has {image.ndim}, shape {image.shape}.")
    height, width = image.shape
    if height % size or width % size:
        raise ValueError(f"patches of {size} x {size} do not fit picture {image.shape}.")
    cut = image.reshape(height // size, size, width // size, size)  # (rows, size, columns, size)
    return cut.swapaxes(1, 2).reshape(-1, size * size)  # (rows * columns, size * size)


def standardised(x: ArrayLike) -> np.ndarray:
    """Shift and stretch numbers to mean 0 and standard deviation 1, all of them together; equal numbers become 0.

    Parameters
    ----------
    x : array_like, shape (n, d)
        Any numbers.

    Returns
    -------
    np.ndarray, shape (n, d)
        The same, standardised.

    Raises
    ------
    TypeError
        If these are no real numbers.

    Examples
    --------
    >>> standardised([[1.0, 3.0]])
    array([[-1.,  1.]])
    """
    x = real_array("X", x, "n d")
    centred = x - x.mean()
    spread = centred.std()
    return centred / spread if spread else np.zeros_like(centred)


def neighbours_mask(n: int, edges: Iterable[tuple[int, int]]) -> np.ndarray:
    """Turn the edges of a graph into a mask: a node may attend to its neighbours and to itself.

    Parameters
    ----------
    n : int
        The number of nodes, at least 1.
    edges : iterable of (int, int)
        Pairs of nodes counted from 0; an edge leads both ways.

    Returns
    -------
    np.ndarray of bool, shape (n, n)
        The adjacency matrix with its diagonal set: True = may attend.

    Raises
    ------
    ValueError
        If an edge ends at no node.

    References
    ----------
    Velickovic et al., "Graph Attention Networks", 2017, section 2.1.

    Examples
    --------
    >>> neighbours_mask(3, [(0, 1)]).astype(int)
    array([[1, 1, 0],
           [1, 1, 0],
           [0, 0, 1]])
    """
    mask = np.eye(integer("n", n, at_least=1), dtype=bool)  # (n, n)
    for start, end in edges:
        if not (0 <= start < n and 0 <= end < n):
            raise ValueError(f"the edge ({start}, {end}) needs nodes from 0 to {n - 1}.")
        mask[start, end] = mask[end, start] = True
    return mask


def heard_after(mask: ArrayLike, layers: int) -> np.ndarray:
    """Say whom each node has heard of after several layers of attention under the same mask.

    Parameters
    ----------
    mask : array_like of bool, shape (n, n)
        True = may attend, in one layer.
    layers : int
        At least 1; news travels one edge a layer.

    Returns
    -------
    np.ndarray of bool, shape (n, n)
        True where something of node j can have reached node i.

    Raises
    ------
    TypeError, ValueError
        If the number of layers is no whole number from 1 on.

    Examples
    --------
    >>> heard_after(neighbours_mask(3, [(0, 1), (1, 2)]), layers=2).all()
    np.True_
    """
    one = np.asarray(mask, dtype=bool)
    heard = one
    for _ in range(integer("layers", layers, at_least=1) - 1):
        heard = heard @ one  # (n, n), booleans: or of ands
    return heard
