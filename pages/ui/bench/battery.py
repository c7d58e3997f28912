"""The battery: exact cases, random cases and laws, run one by one, each row with all it takes to doubt it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

import numpy as np

from pages.ui.bench import exact, laws
from pages.ui.bench.experiment import Experiment, many
from pages.ui.bench.plain import plain_stages
from pages.ui.bench.shrink import smallest
from pages.ui.bench.stages import STEEPEST, allowance, ours
from pages.ui.bench.verdict import Worst, refusal, worst
from pages.ui.judge.reference import TOLERANCES, TorchError
from pages.ui.language import N_

TOLERANCE = TOLERANCES["float64"]
DRAWS = 5  # per law
CHUNK = 50  # random cases that PyTorch is asked at once
UNTOUCHED = N_("The planted mistake has no place in this case: it is about a refusal or about another operation.")
NO_ANSWER = N_("PyTorch gave no answer.")


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
        A marked sentence, still in English.
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


def cases(n_random: int = 200, seed: int = 0) -> Iterator[Case]:
    """List the whole battery: all exact cases, `n_random` random ones, and each law on five draws.

    >>> [case.group for case in cases(n_random=1)].count("exact")
    103
    """
    for case in exact.cases():
        yield Case(case["name"], "exact", exact.experiment_of(case), exact=case)
    for number, experiment in enumerate(many(n_random, seed)):
        yield Case(f"random_{seed + number}", "random", experiment)
    for law in laws.LAWS:
        for number in range(DRAWS):
            yield Case(f"{law}_{number}", "law", laws.experiment_for(law, seed + number), law=law)


def run(case: Case, mistake: str | None = None, torch_answer: np.ndarray | Exception | None = None) -> Row:
    """Run one case.

    Parameters
    ----------
    case : Case
        One of `cases`.
    mistake : str, optional
        One of `MISTAKES`, run in the core's place.
    torch_answer : np.ndarray or Exception, optional
        PyTorch's output for a random case, or why there is none (the row is skipped); by default plain Python judges.

    Returns
    -------
    Row

    Examples
    --------
    >>> case = next(cases(n_random=0))  # its V is the identity: nobody can tell it from its transpose
    >>> run(case).verdict, run(case, mistake="softmax_over_columns").verdict
    ('pass', 'fail')
    """
    if case.group == "exact":
        found, judge = _exact(case, mistake), "60 digits"
    elif case.group == "law":
        found, judge = _law(case.law, case.experiment, mistake), "law"
    elif isinstance(torch_answer, Exception):
        found, judge = None, "PyTorch"
    else:
        judge = "plain Python" if torch_answer is None else "PyTorch"
        found = _random(case.experiment, mistake, torch_answer)
    if found:
        return _row(case, judge, found, mistake)
    got = f"{type(torch_answer).__name__}: {torch_answer}"[:200] if judge == "PyTorch" else ""
    row = _row(case, judge, Worst("", got, np.nan, np.nan, True), mistake)
    return replace(row, verdict="skipped", reason=NO_ANSWER if judge == "PyTorch" else UNTOUCHED)


def _exact(case, mistake):
    file = case.exact
    if mistake is None and file["expected"].get("raises"):
        return refusal(file, exact.compute)
    found = exact.compute(file) if mistake is None else exact.compute_with(mistake, file)
    if found is None:
        return None
    found |= {f"{name}_shape": np.array(np.shape(array)) for name, array in found.items()}
    expected = {name: exact.read(values) for name, values in file["expected"].items() if name in found or not mistake}
    tolerance = file["tolerance"]
    bounds = {name: tolerance["atol"] + tolerance["rtol"] * np.abs(values) for name, values in expected.items()}
    return worst(found, expected, bounds)


def _random(experiment, mistake, answer=None):
    found = ours(experiment, mistake, gradients=False)
    expected = plain_stages(experiment)
    bound = {name: allowance(TOLERANCE, expected, name) for name in expected}
    return worst(found, expected if answer is None else {"output": answer}, bound)


def _law(law, experiment, mistake):
    check, _, to_the_bit = laws.LAWS[law]
    steep = [1.0]

    def attend(given):
        found = ours(given, mistake, gradients=False)
        steep.append(laws.steepness(given, found["scaled"]))
        return found

    name, expected, got = check(experiment, attend)
    size = max(1.0, float(np.abs(experiment.value).max(initial=0))) * min(STEEPEST, max(steep))
    return worst({name: got}, {name: expected}, {name: 0.0 if to_the_bit else TOLERANCE * size})


def _row(case, judge, found, mistake):
    shrunk = partial(shrink, case, mistake)

    def snippet():
        experiment = case.experiment if found.agrees else shrunk()
        if experiment is None or (found.agrees and case.exact):
            return exact.snippet(case.exact)
        return experiment.snippet("float64", mistake)

    return Row(
        case.id, case.group, _input(case), found.expected, found.got, found.difference, found.tolerance,
        "pass" if found.agrees else "fail", "", judge, shrunk, snippet,
    )


def _input(case):
    if case.experiment is not None:
        return case.experiment.describe()
    shapes = ((name, np.shape(array) if isinstance(array, np.ndarray) else "?")
              for name, array in exact.inputs_of(case.exact).items())
    return ", ".join([case.exact["op"], *(f"{name} {shape}" for name, shape in shapes)])


def shrink(case: Case, mistake: str | None) -> Experiment | None:
    """Return the smallest experiment that fails as a case does; judged by its law, or by plain Python."""

    def fails(experiment):
        try:
            found = _law(case.law, experiment, mistake) if case.law else _random(experiment, mistake)
        except (OverflowError, ValueError):  # sums too large for Python's own floats: no judge, no smaller form
            return False
        return not found.agrees

    return None if case.experiment is None else smallest(case.experiment, fails)


def battery(
    rows: Iterable[Case], mistake: str | None = None, ask: Callable[[list[dict]], list] | None = None
) -> Iterator[Row]:
    """Run cases as they are drawn from the iterator; stop drawing and it stops.

    Parameters
    ----------
    rows : iterable of Case
        What to run.
    mistake : str, optional
        One of `MISTAKES`.
    ask : callable, optional
        `reference.sdpa_many`, where PyTorch is installed. Where a round trip fails, its rows are skipped and the next
        one finds a new process.

    Examples
    --------
    >>> [row.verdict for row in battery(islice(cases(), 3))]
    ['pass', 'pass', 'pass']
    """
    rows = iter(rows)
    while chunk := list(islice(rows, CHUNK)):
        random = [case for case in chunk if case.group == "random"] if ask else []
        answers = dict(zip((case.id for case in random), _answers(ask, random), strict=True)) if random else {}
        yield from (run(case, mistake, answers.get(case.id)) for case in chunk)


def _answers(ask, chunk):
    try:
        found = ask([case.experiment.question() for case in chunk])
    except TorchError as error:
        return [error] * len(chunk)
    return [answer if isinstance(answer, Exception) else answer.output for answer in found]
