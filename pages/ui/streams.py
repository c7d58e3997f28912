"""The first random numbers of many seeds, drawn once: every number of keys reads another part of the same stream."""

from math import prod

import numpy as np


class Streams:
    """Stands in for an np.random.RandomState that is seeded again and again; used by one thread at a time.

    Parameters
    ----------
    most : int
        How many numbers of a seed are kept; who asks for more gets them drawn anew.

    Examples
    --------
    >>> streams = Streams(most=100)
    >>> streams.seed(3)
    >>> bool((streams.randn(2, 5) == np.random.RandomState(3).randn(2, 5)).all())
    True
    """

    def __init__(self, most: int):
        self.most, self.at, self.kept, self.other = most, 0, {}, np.random.RandomState()

    def seed(self, seed: int) -> None:
        """Begin at a seed's first number."""
        self.at = seed

    def randn(self, *shape: int) -> np.ndarray:
        """Return the seed's first numbers; they are handed out themselves, not copies: do not change them."""
        size = prod(shape)
        if size > self.most:
            self.other.seed(self.at)
            return self.other.randn(*shape)
        random, known = self.kept.get(self.at) or (np.random.RandomState(self.at), np.empty(0))
        if size > known.size:
            known = np.concatenate([known, random.randn(size - known.size)])
            self.kept[self.at] = random, known
        return known[:size].reshape(shape)
