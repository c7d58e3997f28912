"""What the battery is made of: a case to run, and the row that comes out of it."""

from collections.abc import Callable
from dataclasses import dataclass

from pages.ui.bench.experiment import Experiment


@dataclass(frozen=True, eq=False)
class Case:
    """One row to come: an exact case of the file, a random experiment, or a law on an experiment.

    Attributes
    ----------
    id, group : str
        Its name; "exact", "random" or "law".
    experiment : Experiment or None
        The inputs; None for exact cases of another kind.
    exact : dict or None
        The case of the file.
    law : str or None
        One of `LAWS`.

    Examples
    --------
    >>> Case("mine", "random").exact is None
    True
    """

    id: str
    group: str
    experiment: Experiment | None = None
    exact: dict | None = None
    law: str | None = None


@dataclass(frozen=True, eq=False)
class Row:
    """What came out.

    Attributes
    ----------
    id, group, input : str
        As in `Case`; the inputs in the words of the code.
    expected, got : str
        The worst entry, with all its digits.
    difference, tolerance : float
        Of that entry; NaN for a refusal.
    verdict : {"pass", "fail", "skipped"}
        Skipped rows have a reason.
    reason : str
        Why a row is skipped, or why its tolerance is what it is: a marked sentence, still in English.
    judge : {"60 digits", "PyTorch", "plain Python", "law"}
        What the expected value comes from.
    shrunk : callable
        Returns the smallest experiment that still fails; None where there is none to shrink.
    snippet : callable
        Writes a program that reproduces the row, of the smallest failing form where it fails.
    """

    id: str
    group: str
    input: str
    expected: str
    got: str
    difference: float
    tolerance: float
    verdict: str
    reason: str
    judge: str
    shrunk: Callable[[], Experiment | None]
    snippet: Callable[[], str]
