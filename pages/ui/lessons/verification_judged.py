"""Ours against a judge's on one experiment: the stages, and the output on both of PyTorch's paths. Draws nothing."""

from dataclasses import dataclass

import numpy as np

from pages.ui.bench.experiment import Experiment
from pages.ui.bench.plain import plain_stages
from pages.ui.bench.stages import StageRow, allowance, compare, first_red, ours, row
from pages.ui.judge.reference import TOLERANCE, Answer

INPUTS = ("query", "key", "value")
PATHS = ("math", "fused")


@dataclass(frozen=True, eq=False)
class Judged:
    """Hold what we got, what the judge got, and how they compare.

    Attributes
    ----------
    found, expected : dict of str to np.ndarray
        Ours and the judge's, by stage, and PyTorch's output by path.
    rows : list of StageRow
        The comparison, in the order of the page.
    torch : bool
        Whether the judge is PyTorch; else it is plain Python.
    finding : StageRow or None
        How the fused path differs from PyTorch's own maths path, if it does: then its row is about that path.
    unavailable : dict of str to Answer or Exception
        Path -> why it has no output.
    """

    found: dict[str, np.ndarray]
    expected: dict[str, np.ndarray]
    rows: list[StageRow]
    torch: bool
    finding: StageRow | None
    unavailable: dict[str, Answer | Exception]

    @property
    def ours(self) -> list[StageRow]:
        """The rows that can be our fault."""
        return [each for each in self.rows if not (self.finding and each.stage == "fused")]

    @property
    def first(self) -> str | None:
        """The first stage that differs."""
        return first_red(self.ours)

    @property
    def at(self) -> StageRow:
        """The row to look at: the first that differs, else the one that comes nearest to its tolerance."""
        red = [each for each in self.ours if not each.agrees]
        return red[0] if red else max(self.ours, key=lambda each: each.difference / each.tolerance)

    @property
    def count(self) -> int:
        """Count the stages: what we compute, the output once."""
        return sum(each.stage not in (*INPUTS, *PATHS) for each in self.rows)

    def mark(self, each: StageRow) -> str:
        """Return the verdict on a row."""
        if self.finding and each.stage == "fused":
            return "finding"
        return "agrees" if each.agrees else "first" if each.stage == self.first else "differs"


def judge(
    experiment: Experiment, mistake: str | None, theirs: dict[str, np.ndarray] | None,
    paths: dict[str, Answer | Exception] | None = None,
) -> Judged:
    """Hold ours against PyTorch's stages and paths; without them, against plain Python with exactly rounded sums.

    Parameters
    ----------
    experiment : Experiment
        The inputs.
    mistake : str or None
        One of `MISTAKES`, planted in ours.
    theirs : dict of str to np.ndarray, or None
        PyTorch's stages.
    paths : dict of str to Answer or Exception, or None
        What its own function gives on the "math" and on the "fused" path.

    Examples
    --------
    >>> from pages.ui.bench.experiment import drawn
    >>> found = judge(drawn(0), None, None)
    >>> found.first, found.count, [each.stage for each in found.rows]
    (None, 5, ['scores', 'scaled', 'masked', 'weights', 'output'])
    """
    found = ours(experiment, mistake, gradients=theirs is not None)
    expected = theirs or {name: getattr(experiment, name) for name in INPUTS} | plain_stages(experiment)
    rows = [each for each in compare(found, expected) if mistake or each.stage not in INPUTS]  # Q, K and V are given
    outputs = {path: answer.output for path, answer in (paths or {}).items()
               if getattr(answer, "output", None) is not None}
    allowed = allowance(TOLERANCE, expected, "output")
    after = [each.stage for each in rows].index("output") + 1
    rows[after:after] = [row(path, found["output"], output, allowed) for path, output in outputs.items()]
    right = outputs.get("math", expected["output"])
    fused = row("fused", outputs.get("fused", right), right, allowed)
    missing = {path: answer for path, answer in (paths or {}).items() if path not in outputs}
    shown = found | dict.fromkeys(outputs, found["output"])
    return Judged(shown, expected | outputs, rows, theirs is not None, None if fused.agrees else fused, missing)


def relative(found: np.ndarray, expected: np.ndarray) -> tuple[float, tuple[int, ...] | None]:
    """Return the largest relative difference and where it sits: NaN and None where no ratio is defined.

    Where the expected number is 0, or one of both is not finite, there is no ratio.

    >>> relative(np.array([1.0, 2.0]), np.array([0.0, 4.0]))
    (0.5, (1,))
    >>> relative(np.array([1.0]), np.array([0.0]))
    (nan, None)
    """
    if found.shape != expected.shape:
        return np.nan, None
    defined = np.isfinite(found) & np.isfinite(expected) & (expected != 0)
    if not defined.any():
        return np.nan, None
    with np.errstate(all="ignore"):
        ratios = np.where(defined, np.abs(found - expected) / np.abs(expected), -1.0)
    index = tuple(int(i) for i in np.unravel_index(ratios.argmax(), ratios.shape))
    return float(ratios[index]), index
