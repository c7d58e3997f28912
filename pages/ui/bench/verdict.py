"""The entry that is worst of all compared ones, in writing; and whether a refusal names what it should."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

TYPES = {"ValueError": ValueError, "TypeError": TypeError}


@dataclass(frozen=True)
class Worst:
    """Hold one entry: expected and got in writing, how far apart, how far allowed, and whether all entries agree."""

    expected: str
    got: str
    difference: float
    tolerance: float
    agrees: bool


def worst(found: dict, expected: dict, bounds: dict, say: Callable[[tuple, str], str] | None = None) -> Worst:
    """Find the entry that exceeds its tolerance most, or comes nearest to it.

    Parameters
    ----------
    found, expected : dict of str to array
        By name; everything expected must have been found.
    bounds : dict of str to float or array
        What each difference may be, one number per name or one per entry.
    say : callable, optional
        Writes what is expected, from an index and the name of the place; by default the number there.

    Examples
    --------
    >>> worst({"output": np.array([1.0, 2.5])}, {"output": np.array([1.0, 2.0])}, {"output": 1e-3})
    Worst(expected='output[1] = 2.0', got='output[1] = 2.5', difference=0.5, tolerance=0.001, agrees=False)
    """
    entries = [_worst_of(name, np.asarray(found[name]), np.asarray(values), bounds[name], say)
               for name, values in expected.items()]
    if not entries:
        raise ValueError("nothing was compared")
    return max(entries, key=lambda entry: entry[0])[1]


def _worst_of(name, found, expected, bound, say):
    if found.shape != expected.shape or found.size == 0:
        same = found.shape == expected.shape
        order, difference, limit = (-1.0, 0.0, 0.0) if same else (np.inf, np.inf, 0.0)
        return order, Worst(f"{name} {expected.shape}", f"{name} {found.shape}", difference, limit, same)
    found, expected = found.astype(np.float64), expected.astype(np.float64)
    bound = np.broadcast_to(np.asarray(bound, dtype=float), found.shape)
    same = (found == expected) | (np.isnan(found) & np.isnan(expected))
    with np.errstate(all="ignore"):
        gap = np.where(same, 0, np.abs(found - expected))
        excess = np.where(same, 0, gap / np.where(bound > 0, bound, 1e-300))
    excess = np.where(np.isnan(excess), np.inf, excess)
    index = tuple(int(i) for i in np.unravel_index(excess.argmax(), excess.shape))
    place = f"{name}{list(index) if index else ''}"
    wanted, got = (f"{place} = {float(array[index])!r}" for array in (expected, found))
    wanted = say(index, place) if say else wanted
    return excess[index], Worst(wanted, got, float(gap[index]), float(bound[index]), bool(excess[index] <= 1))


def refusal(case: dict, compute: Callable[[dict], dict]) -> Worst:
    """Run a case that must be refused: by a legal type of error, whose message names what the case demands."""
    names = case["expected"]["message_must_name"]
    wanted = f"{' or '.join(case['expected']['error_types'])} naming {', '.join('/'.join(x) for x in names)}"
    try:
        found = compute(case)
    except tuple(TYPES[name] for name in case["expected"]["error_types"]) as error:
        agrees = all(any(word in str(error) for word in words) for words in names)
        return Worst(wanted, f"{type(error).__name__}: {error}", np.nan, np.nan, agrees)
    return Worst(wanted, f"no refusal: {', '.join(found)}", np.nan, np.nan, False)
