"""How long additive and dot-product scores take on this machine, in one run."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from .checks import integer, number
from .cost import additive_scores, dot_product_scores

LARGEST = 2**22  # numbers in the hidden layer of one measurement: 32 MB


@dataclass(frozen=True, eq=False)
class Times:
    """Hold how long both scores took in one run.

    Attributes
    ----------
    counts, widths : tuple of int
        The numbers of tokens n (as many keys as queries) and the widths d.
    d_a : int
        The hidden width.
    dot, additive : np.ndarray, shape (len(counts), len(widths))
        Median seconds of one computation.
    dot_fastest, additive_fastest : np.ndarray, shape (len(counts), len(widths))
        Seconds of the fastest repeat, which other work on the machine disturbs least.
    repeats : int
        How many times each was computed.
    """

    counts: tuple[int, ...]
    widths: tuple[int, ...]
    d_a: int
    dot: np.ndarray
    additive: np.ndarray
    dot_fastest: np.ndarray
    additive_fastest: np.ndarray
    repeats: int

    @property
    def ratio(self) -> np.ndarray:
        """How many times as long the additive scores took, by the medians."""
        return self.additive / self.dot

    @property
    def disturbed(self) -> np.ndarray:
        """Where a median is more than twice the fastest repeat: the machine had other work."""
        return (self.dot > 2 * self.dot_fastest) | (self.additive > 2 * self.additive_fastest)


def measure_times(
    counts: Sequence[int] = (16, 32, 64),
    widths: Sequence[int] = (16, 32, 64),
    d_a: int = 64,
    repeats: int = 101,
    budget: float = 1.0,
    clock: Callable[[], float] = time.perf_counter,
) -> Times:
    """Time both scores on the same queries and keys, size by size, in turn, and take the medians.

    Every round computes every size once each way. A round that would probably exceed the budget is not begun. The
    sizes are small on purpose: each matrix product is one that BLAS leaves to one thread (2**18 multiplications at
    most). Larger ones start a second thread, and on a busy machine the two wait for each other a hundred times as long
    as they work.

    Parameters
    ----------
    counts, widths : sequences of int
        Numbers of tokens n, with n queries and n keys, and widths d of both.
    d_a : int, default 64
        The hidden width.
    repeats : int, default 101
        The most rounds.
    budget : float, default 1
        Seconds; at least one round is run.
    clock : callable
        Tells the time in seconds.

    Returns
    -------
    Times
        Median seconds, (n, d), and the number of rounds.

    Raises
    ------
    TypeError, ValueError
        If a size is no whole number from 1 on, a hidden layer would be too large, or the budget is not above 0.

    Examples
    --------
    >>> times = measure_times(counts=(64,), widths=(16,), repeats=3)
    >>> times.ratio.shape, times.repeats, bool(times.ratio[0, 0] > 1)
    ((1, 1), 3, True)
    """
    counts = tuple(integer("n", n, at_least=1) for n in counts)
    widths = tuple(integer("d", d, at_least=1) for d in widths)
    d_a, repeats = integer("d_a", d_a, at_least=1), integer("repeats", repeats, at_least=1)
    budget = number("budget", budget)
    if budget <= 0:
        raise ValueError(f"budget must be above 0 seconds, not {budget}.")
    if max(counts) ** 2 * d_a > LARGEST:
        raise ValueError(f"n n d_a must be at most {LARGEST}, not {max(counts)} x {max(counts)} x {d_a}.")
    inputs = [_inputs(n, d, d_a) for n in counts for d in widths]
    start, rounds = clock(), []
    while len(rounds) < repeats and (not rounds or (clock() - start) * (1 + 1 / len(rounds)) <= budget):
        rounds.append([list(_seconds(arrays, clock)) for arrays in inputs])
    median, fastest = (how(rounds, axis=0).T.reshape(2, len(counts), len(widths)) for how in (np.median, np.min))
    return Times(counts, widths, d_a, *median, *fastest, repeats=len(rounds))


def _inputs(n: int, d: int, d_a: int) -> tuple[np.ndarray, ...]:
    random = np.random.default_rng(0)  # the numbers do not matter to the time, but they are the same each time
    return tuple(random.standard_normal(shape) for shape in ((n, d), (n, d), (d_a, d), (d_a, d), (d_a,)))


def _seconds(arrays: tuple[np.ndarray, ...], clock: Callable[[], float]) -> Iterator[float]:
    query, key, *network = arrays
    for scores, given in ((dot_product_scores, (query.shape[1] ** -0.5,)), (additive_scores, network)):
        start = clock()
        scores(query, key, *given)
        yield clock() - start
