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
    kind : {"right", "lower_precision", "mistake", "other_layout", "wrong_shape", "off"}
        What it is.
    shape, expected_shape : tuple of int
        Of the output handed in and of the right one.
    precision : str or None
        The dtype in whose tolerance the match lies, for all kinds that match something.
    tolerance : float
        What was allowed: of that dtype, or of the one asked for.
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


def diagnose(experiment: Experiment, output: np.ndarray, dtype: str = "float64") -> Diagnosis:
    """Compare an output with the right one and with that of every mistake; the closest match counts.

    Parameters
    ----------
    experiment : Experiment
        The inputs that were shown.
    output : np.ndarray
        What somebody got from them.
    dtype : str
        The precision to begin with; coarser ones are tried after it, because printed numbers are cut.

    Returns
    -------
    Diagnosis

    Examples
    --------
    >>> from pages.ui.bench.experiment import drawn
    >>> unscaled = ours(drawn(0), "no_scaling")["output"]
    >>> found = diagnose(drawn(0), unscaled.round(8))
    >>> found.kind, found.mistakes, found.precision
    ('mistake', ('no_scaling',), 'float32')
    """
    output = np.asarray(output, dtype=np.float64)
    right = ours(experiment, None, dtype, gradients=False)
    bare = _facts(output, right, allowance(TOLERANCES[dtype], right, "output"))
    candidates = _candidates(experiment, right["output"], dtype)
    coarser = list(TOLERANCES)[list(TOLERANCES).index(dtype):]
    for precision in coarser:
        allowed = allowance(TOLERANCES[precision], right, "output")
        match = _match(output, right["output"], candidates, allowed)
        if match:
            kind = "lower_precision" if match["kind"] == "right" and precision != dtype else match["kind"]
            return replace(bare, **match | {"kind": kind, "precision": precision, "tolerance": allowed})
    return bare


def _facts(output, right, allowed):
    """How far off, where, and what is no number: true of any output."""
    expected = right["output"]
    nans = np.argwhere(np.isnan(output))
    bare = Diagnosis(
        "off" if output.shape == expected.shape else "wrong_shape", output.shape, expected.shape, tolerance=allowed,
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
    wrong = {mistake: ours(experiment, mistake, dtype)["output"] for mistake in MISTAKES}
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
    mistakes = tuple(mistake for mistake, found in wrong.items() if _same(output, found, allowed))
    if mistakes:
        return {"kind": "mistake", "mistakes": mistakes}
    for layout, array in layouts.items():
        if _same(output, array, allowed):
            return {"kind": "other_layout", "layout": layout}
    return None


def _same(found, expected, allowed):
    return found.shape == expected.shape and row("output", found, expected, allowed).agrees
