"""What attention asks for beyond Q, K and V: predicted by counting arrays, and measured by tracing a run."""

import json
import sys
import tracemalloc
from collections.abc import Callable, Sequence
from math import isqrt

import numpy as np

from .attention import scaled_dot_product_attention
from .checks import choice, integer
from .tiled import tiled_attention

FLOAT32 = 4  # bytes
BUFFER = 8192  # numbers that NumPy takes out at a time while it broadcasts
DENSE = 5  # n x n at once: scores, scaled and masked; in softmax shifted and exponentials, later those and weights
PATHS = ("dense", "tiled")


def predicted_bytes(path: str, n: int, d: int = 64, tile: int = 64) -> int:
    """Predict the peak of one head in float32, for n queries and keys of width d.

    Parameters
    ----------
    path : {"dense", "tiled"}
        `scaled_dot_product_attention` or `tiled_attention`.
    n, d, tile : int
        Rows, width of Q, K and V alike, and the side of a tile.

    Returns
    -------
    int
        5 arrays n x n when dense; else the output, n x d, and for one tile 4 arrays tile x tile and 2 tile x d, or
        3 and 4 of them, whichever is more. Both with NumPy's buffer.

    Raises
    ------
    TypeError
        If a size is not a whole number.
    ValueError
        If a size is below 1 or the path is unknown.

    Examples
    --------
    >>> predicted_bytes("dense", 16384) // 10**6, predicted_bytes("tiled", 16384) // 10**6
    (5368, 4)
    """
    choice("path", path, PATHS)
    n, d, tile = (integer(name, size, at_least=1) for name, size in (("n", n), ("d", d), ("tile", tile)))
    if path == "dense":
        return FLOAT32 * (DENSE * n * n + min(n * n, BUFFER))
    tile = min(tile, n)
    at_exponentials, at_product = 4 * tile * tile + 2 * tile * d, 3 * tile * tile + 4 * tile * d
    return FLOAT32 * (n * d + max(at_exponentials, at_product) + min(tile * tile, BUFFER))


def first_too_large(budget: int, arrays: int = 1) -> int:
    """Return the smallest n at which so many n x n arrays of float32 need more than `budget` bytes.

    Parameters
    ----------
    budget : int
        Bytes that there are.
    arrays : int, default 1
        How many such arrays stand at once.

    Returns
    -------
    int
        The n that no longer fits.

    Raises
    ------
    TypeError
        If a size is not a whole number.
    ValueError
        If a size is negative or there is no array.

    Examples
    --------
    >>> first_too_large(10**9)
    15812
    """
    return isqrt(integer("budget", budget, at_least=0) // (FLOAT32 * integer("arrays", arrays, at_least=1))) + 1


def measured_bytes(sizes: Sequence[int], d: int = 64, tile: int = 64) -> dict[str, list[int]]:
    """Measure the peak of both paths with tracemalloc, which sees all that Python and NumPy allocate in the process.

    Parameters
    ----------
    sizes : sequence of int
        Each n to be measured.
    d, tile : int
        As in `predicted_bytes`.

    Returns
    -------
    dict of str to list of int
        Bytes beyond Q, K and V of "dense" and "tiled", one a size.

    Raises
    ------
    TypeError
        If a size is not a whole number.
    ValueError
        If a size is below 1.

    Examples
    --------
    >>> measured = measured_bytes([256])
    >>> measured["dense"][0] > 5 * measured["tiled"][0]
    True
    """
    random = np.random.default_rng(0)
    runs = {"dense": scaled_dot_product_attention, "tiled": lambda *qkv: tiled_attention(*qkv, tile=tile)}
    found: dict[str, list[int]] = {path: [] for path in PATHS}
    for path in PATHS:
        runs[path](*np.ones((3, 2, d), np.float32))  # what the first call ever allocates is no part of any size
    for n in sizes:
        qkv = random.standard_normal((3, n, d), dtype=np.float32)
        for path in PATHS:
            found[path].append(peak(lambda run=runs[path], qkv=qkv: run(*qkv)))
    return found


def peak(run: Callable[[], object]) -> int:
    """Return the most bytes that were allocated at once while `run` ran.

    Parameters
    ----------
    run : callable
        What is measured; whatever it raises passes through.

    Returns
    -------
    int
        Bytes, of everything in the process that Python and NumPy allocated meanwhile.

    Examples
    --------
    >>> peak(lambda: bytearray(10**6)) >= 10**6
    True
    """
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


if __name__ == "__main__":  # python -m attention_core.memory 128 256: in a process where nobody else allocates
    print(json.dumps(measured_bytes([int(size) for size in sys.argv[1:]])))
