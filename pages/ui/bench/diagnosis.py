"""What is the matter with somebody's output: right, right but turned or coarse, a classic mistake, or how far off."""

from dataclasses import dataclass, field, replace

import numpy as np

from attention_core.mistakes import MISTAKES
from pages.ui.bench.experiment import Experiment
from pages.ui.bench.stages import allowance, ours, row
from pages.ui.judge.reference import TOLERANCES

SHOWN = 10  # places of NaN that are named


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """Hold the verdict on an output.

    Attributes
    ----------
    kind : {"right", "lower_precision", "undecided", "mistake", "other_layout", "wrong_shape", "off"}
        What it is: "lower_precision" is right as far as the digits written go, "undecided" is that and a mistake too.
    shape, expected_shape : tuple of int
        Of the output handed in and of the right one.
    precision : str or None
        The dtype in whose tolerance the match lies, for all kinds that match something.
    tolerance : float
        What was allowed at most: of that dtype, and of the rounding where it counts.
    mistakes : tuple of str
        Those whose output it equals; several may give the same.
    layout : str or None
        "transposed", "heads_after_rows", "heads_side_by_side" or "flattened".
    difference, index, got, expected
        The largest difference from the right output, and where it sits; None and NaN where shapes differ.
    share : float
        The share of entries that are off.
    nans : tuple of index tuples
        Where numbers are missing, the first ten.
    nan_count : int
        How many.
    """

    kind: str
    shape: tuple[int, ...]
    expected_shape: tuple[int, ...]
    precision: str | None = None
    tolerance: float = np.nan
    mistakes: tuple[str, ...] = ()
    layout: str | None = None
    difference: float = np.nan
    index: tuple[int, ...] | None = None
    got: float = np.nan
    expected: float = np.nan
    share: float = np.nan
    nans: tuple[tuple[int, ...], ...] = field(default=())
    nan_count: int = 0


def diagnose(
    experiment: Experiment, output: np.ndarray, dtype: str = "float64", rounding: np.ndarray | float = 0.0
) -> Diagnosis:
    """Compare an output with the right one and with that of every mistake, as exactly as it was given.

    Parameters
    ----------
    experiment : Experiment
        The inputs that were shown.
    output : np.ndarray
        What somebody got from them.
    dtype : str
        The precision it was computed in, which sets the tolerance.
    rounding : np.ndarray or float, default 0
        By how much each number was rounded in writing, as `digits.of_text` tells; it is tried after the tolerance
        alone, and added to it.

    Returns
    -------
    Diagnosis

    Examples
    --------
    >>> from pages.ui.bench.experiment import drawn
    >>> unscaled = ours(drawn(0), "no_scaling")["output"]
    >>> found = diagnose(drawn(0), unscaled.round(5), rounding=5e-6)
    >>> found.kind, found.mistakes
    ('mistake', ('no_scaling',))
    """
    output = np.asarray(output, dtype=np.float64)
    right = ours(experiment, None, dtype, gradients=False)
    tight = allowance(TOLERANCES[dtype], right, "output")
    candidates = _candidates(experiment, right["output"], dtype)
    loose = tight + np.asarray(rounding, dtype=float)
    bare = _facts(output, right, loose)
    for allowed in (tight, loose):
        match = _match(output, right["output"], candidates, allowed)
        if match:
            return replace(bare, **_weighed(match, output, right["output"], candidates, allowed, tight),
                           precision=dtype, tolerance=float(np.max(allowed)))
    return bare


def _weighed(match, output, right, candidates, allowed, tight):
    """Say of what is right by its digits alone that it is, and whether they fit a mistake as well."""
    if match["kind"] != "right" or allowed is tight:
        return match
    rivals = tuple(dict.fromkeys(mistake for mistake, found in candidates[0]
                                 if not _same(found, right, tight) and _same(output, found, allowed)))
    return {"kind": "undecided" if rivals else "lower_precision", "mistakes": rivals}


def _facts(output, right, allowed):
    """How far off, where, and what is no number: true of any output."""
    expected = right["output"]
    nans = np.argwhere(np.isnan(output))
    bare = Diagnosis(
        "off" if output.shape == expected.shape else "wrong_shape", output.shape, expected.shape,
        tolerance=float(np.max(allowed, initial=0)),
        nans=tuple(tuple(int(i) for i in place) for place in nans[:SHOWN]), nan_count=len(nans),
    )
    if output.shape != expected.shape:
        return bare
    found = row("output", output, expected, allowed)
    with np.errstate(all="ignore"):
        off = ~(np.abs(output - expected) <= allowed)
    return replace(bare, difference=found.difference, index=found.index, got=found.got, expected=found.expected,
                   share=float(off.mean()) if off.size else 0.0)


def _candidates(experiment, right, dtype):
    """Outputs of all mistakes, and the right one laid out otherwise."""
    precisions = dict.fromkeys((dtype, "float64"))  # float32 overflows earlier, and its digits do not tell
    wrong = [(mistake, ours(experiment, mistake, one)["output"]) for mistake in MISTAKES for one in precisions]
    n, d_v = right.shape[-2:]
    layouts = {"transposed": right.swapaxes(-1, -2)}  # (..., d_v, n)
    if right.ndim > 2:
        rows = right.swapaxes(-2, -3)  # (..., n, h, d_v)
        layouts |= {"heads_after_rows": rows, "heads_side_by_side": rows.reshape(*rows.shape[:-2], -1)}
    layouts["flattened"] = right.reshape(-1, d_v)  # (all rows, d_v)
    return wrong, layouts


def _match(output, right, candidates, allowed):
    wrong, layouts = candidates
    if _same(output, right, allowed):
        return {"kind": "right"}
    mistakes = tuple(dict.fromkeys(mistake for mistake, found in wrong if _same(output, found, allowed)))
    if mistakes:
        return {"kind": "mistake", "mistakes": mistakes}
    for layout, array in layouts.items():
        if _same(output, array, allowed):
            return {"kind": "other_layout", "layout": layout}
    return None


def _same(found, expected, allowed):
    return found.shape == expected.shape and row("output", found, expected, allowed).agrees
