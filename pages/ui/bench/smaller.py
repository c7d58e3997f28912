"""The smallest form of a failing row: it still differs at the stage at which the row did, and a program shows that."""

from dataclasses import dataclass

import numpy as np

from pages.ui.bench.experiment import Experiment
from pages.ui.bench.plain import plain_stages
from pages.ui.bench.shrink import smallest
from pages.ui.bench.stages import allowance, ours
from pages.ui.bench.verdict import Worst, worst
from pages.ui.judge.reference import TOLERANCES

BEST = ("output", "weights", "masked", "scaled", "scores")  # what a reader hands on counts most


@dataclass(frozen=True, eq=False)
class Trial:
    """Tell at which stages an experiment comes out wrong, with a mistake planted or none.

    Attributes
    ----------
    mistake : str or None
        One of `MISTAKES`.
    dtype : str
        In which it is computed, and whose tolerance counts.

    Examples
    --------
    >>> from pages.ui.bench.experiment import drawn
    >>> Trial("transposed_value").wrong(drawn(0)), Trial(None).wrong(drawn(0))
    (['output'], [])
    """

    mistake: str | None
    dtype: str = "float64"

    def found(self, experiment: Experiment, answer: np.ndarray | None = None) -> Worst:
        """Hold an experiment against plain Python, stage by stage, or its output against an answer."""
        expected, found, bounds = self._sides(experiment)
        return worst(found, expected if answer is None else {"output": answer}, bounds)

    def wrong(self, experiment: Experiment) -> list[str]:
        """Name the stages that come out wrong, the output first."""
        try:
            expected, found, bounds = self._sides(experiment)
        except (OverflowError, ValueError):  # sums too large for Python's own floats: no judge
            return []
        return [name for name in BEST
                if not worst({name: found[name]}, {name: expected[name]}, bounds).agrees]

    def smallest(self, experiment: Experiment, also=lambda candidate: True) -> Experiment:
        """Shrink while the same stage stays wrong, and whatever else is asked for holds."""
        wrong = self.wrong(experiment)
        return smallest(experiment, lambda candidate: wrong[:1] != [] and wrong[0] in self.wrong(candidate)
                        and also(candidate))

    def _sides(self, experiment):
        experiment = experiment.in_dtype(self.dtype)
        found = ours(experiment, self.mistake, self.dtype, gradients=False)
        expected = plain_stages(experiment)
        return expected, found, {name: allowance(TOLERANCES[self.dtype], expected, name) for name in expected}
