"""The largest weights of 400 seeds in three forms: computed once for all sessions, width by width."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from attention_core.score_forms import Sums, largest_of, largest_over_seeds, sums_over_seeds
from pages.ui.cached import SEEDS, alone

NEIGHBOURS = 8  # widths that are computed with one that somebody asks for: who moves a slider comes by again
MOST_WIDTHS = 1024  # held at 10 kB each
MOST_SUMS = 1_250_000  # numbers of one setting that are held, 10 MB: the widths of the page as it opens, and one more


def largest(widths: Sequence[int], keys: int, d_a: int, readout: str, stretch: float) -> np.ndarray:
    """Return the largest weight of 400 seeds in three forms, (widths, 3, seeds)."""
    setting = (keys, d_a, readout, stretch)
    found = {d: held().get((d, *setting)) for d in widths}
    if missing := tuple(d for d, one in found.items() if one is None):
        found |= more(missing, setting)
    return np.stack([found[d] for d in widths])


@alone
def more(missing: tuple[int, ...], setting: tuple) -> dict[int, np.ndarray]:
    """Compute what is missing, unless another session did so while this one waited; a single width with neighbours."""
    known = held()
    if all((d, *setting) in known for d in missing):
        return {d: known[d, *setting] for d in missing}
    if len(missing) == 1:
        first = missing[0] - (missing[0] - 1) % NEIGHBOURS
        missing = tuple(range(first, first + NEIGHBOURS))
    found = dict(zip(missing, computed(missing, *setting), strict=True))
    known.update({(d, *setting): one for d, one in found.items()})
    while len(known) > MOST_WIDTHS:
        del known[next(iter(known))]
    return found


@lru_cache(maxsize=1)
def held() -> dict[tuple, np.ndarray]:
    """Return what is held of each width and setting, (3, seeds); the oldest first."""
    return {}


def computed(widths: tuple[int, ...], keys: int, d_a: int, readout: str, stretch: float) -> np.ndarray:
    """Compute the largest weights; from sums that are held, unless these are too many to hold."""
    if SEEDS * len(widths) * (keys + 1) * d_a > MOST_SUMS:
        return largest_over_seeds(widths, keys, d_a, readout, stretch, SEEDS)
    return np.concatenate([largest_of(some, readout, stretch) for some in sums(widths, keys, d_a)], axis=-1)


@lru_cache(maxsize=2)
def sums(widths: tuple[int, ...], keys: int, d_a: int) -> list[Sums]:
    """Return what the scores of 400 seeds are made of, the same for every readout and every length of the query."""
    return list(sums_over_seeds(widths, keys, d_a, SEEDS))
