"""How a failing experiment becomes the smallest one that still fails: axes, rows, keys and columns go, then digits."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from pages.ui.bench.experiment import Experiment

ARRAYS = {  # array: what its last two axes count
    "query": ("n", "d_k"), "key": ("m", "d_k"), "value": ("m", "d_v"), "attn_mask": ("n", "m"),
    "grad_output": ("n", "d_v"),
}
ROUNDABLE = 1e6  # rounding 1e308 to three decimals overflows


def smallest(experiment: Experiment, fails: Callable[[Experiment], bool], most: int = 400) -> Experiment:
    """Shrink greedily while `fails` stays true.

    Parameters
    ----------
    experiment : Experiment
        One that fails.
    fails : callable
        Tells whether a candidate still shows the fault.
    most : int, default 400
        How many candidates are tried.

    Returns
    -------
    Experiment
        A failing one from which nothing tried could be taken away; the given one if it does not fail.

    Examples
    --------
    >>> from pages.ui.bench.experiment import drawn
    >>> large = drawn(0, n=6, m=7, heads=2, batch=3, mask="bool")
    >>> smallest(large, lambda candidate: candidate.key.shape[-2] >= 2).describe()
    'Q (1, 1), K (2, 1), V (2, 1)'
    """
    if not fails(experiment):
        return experiment
    tried, smaller = 0, True
    while smaller:
        smaller = False
        for candidate in candidates(experiment):
            tried += 1
            if tried > most:
                return experiment
            if fails(candidate):
                experiment, smaller = candidate, True
                break
    return experiment


def candidates(experiment: Experiment) -> Iterator[Experiment]:
    """Propose smaller experiments, the boldest first."""
    for axis in range(-experiment.query.ndim, -2):
        yield from _halves_and_singles(experiment, axis, experiment.query.shape[axis])
    if experiment.query.ndim > 2 and experiment.query.shape[0] == 1:
        yield _without_first_axis(experiment)
    sizes = dict(zip(("n", "d_k"), experiment.query.shape[-2:], strict=True))
    sizes |= dict(zip(("m", "d_v"), experiment.value.shape[-2:], strict=True))
    for axis, size in sizes.items():
        yield from _halves_and_singles(experiment, axis, size)
    for option, plain in (("attn_mask", None), ("is_causal", False), ("scale", None)):
        if getattr(experiment, option) is not plain:
            yield replace(experiment, **{option: plain})
    yield from _rounder(experiment)


def _halves_and_singles(experiment, axis, size):
    """Keep one half or the other, then leave out one at a time."""
    half = size // 2
    keeps = [range(half), range(half, size)] if size > 3 else []
    keeps += [[j for j in range(size) if j != i] for i in range(size)] if size > 1 else []
    return (_keep(experiment, axis, size, list(keep)) for keep in keeps)


def _keep(experiment, axis, size, keep):
    changed = {}
    for name, letters in ARRAYS.items():
        array = getattr(experiment, name)
        if array is None:
            continue
        at = axis if isinstance(axis, int) else letters.index(axis) - 2 if axis in letters else None
        if at is not None and array.ndim >= -at and array.shape[at] == size:  # a broadcast axis stays
            changed[name] = array.take(keep, axis=at)
    return replace(experiment, **changed)


def _without_first_axis(experiment):
    most = experiment.query.ndim
    arrays = {name: getattr(experiment, name) for name in ARRAYS}
    return replace(experiment, **{
        name: array[0] for name, array in arrays.items() if array is not None and array.ndim == most
    })


def _rounder(experiment):
    for places in (0, 1, 2, 3):
        changed = {}
        for name in ARRAYS:
            array = getattr(experiment, name)
            if array is None or array.dtype.kind != "f" or np.abs(array[np.isfinite(array)]).max(initial=0) > ROUNDABLE:
                continue
            nearest = np.round(array, places) + 0.0  # no -0.0
            if (nearest != array).any():
                changed[name] = nearest
        if changed:
            yield replace(experiment, **changed)
            yield from (replace(experiment, **{name: array}) for name, array in changed.items())
