"""The battery: exact cases, random cases and laws, run one by one, each row with all it takes to doubt it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice

import numpy as np

from pages.ui.bench import exact, laws
from pages.ui.bench.experiment import Experiment, many
from pages.ui.bench.rows import Case, Row
from pages.ui.bench.smaller import Trial
from pages.ui.bench.stages import STEEPEST, ours
from pages.ui.bench.verdict import Worst, refusal, worst
from pages.ui.judge.reference import TOLERANCES, TorchError
from pages.ui.language import N_

TOLERANCE = TOLERANCES["float64"]
DRAWS = 5  # per law
CHUNK = 50  # random cases that PyTorch is asked at once
UNTOUCHED = N_("The planted mistake has no place in this case: it is about a refusal or about another operation.")
HALF = N_("The inputs are rounded to float16 and ours computes in float32, so it is held to the tolerance of float32.")
SINGLE = {"rtol": 1e-5, "atol": 2e-6}  # of the file's cases in float32
NO_ANSWER = N_("PyTorch gave no answer.")


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
        found = Trial(mistake).found(case.experiment, torch_answer)
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
    tolerance = SINGLE if half(case) else file["tolerance"]
    bounds = {name: tolerance["atol"] + tolerance["rtol"] * np.abs(values) for name, values in expected.items()}
    return worst(found, expected, bounds)


def half(case: Case) -> bool:
    """Tell whether an exact case starts from float16."""
    return case.exact is not None and case.exact["options"].get("dtype") == "float16"


def _law(law, experiment, mistake, attended=None):
    check, _, to_the_bit = laws.LAWS[law]
    steep = [1.0]

    def attend(given):
        found = ours(given, mistake, gradients=False)
        steep.append(laws.steepness(given, found["scaled"]))
        if attended is not None:
            attended.append(given)
        return found

    name, expected, got = check(experiment, attend)
    size = max(1.0, float(np.abs(experiment.value).max(initial=0))) * min(STEEPEST, max(steep))
    bound = 0.0 if to_the_bit else TOLERANCE * (1.0 if law == "rows_sum_to_1" else size)  # a sum is 1 for any score
    if isinstance(expected, laws.Range):
        return worst({name: got}, {name: expected.nearest}, {name: bound}, expected.say)
    return worst({name: got}, {name: expected}, {name: bound})


def _row(case, judge, found, mistake):
    shrunk = partial(shrink, case, mistake)

    def snippet():
        experiment = case.experiment if found.agrees else shrunk()
        if experiment is None or (found.agrees and case.exact):
            return exact.snippet(case.exact, mistake)
        return experiment.snippet(_dtype(case), mistake)

    return Row(
        case.id, case.group, _input(case), found.expected, found.got, found.difference, found.tolerance,
        "pass" if found.agrees else "fail", HALF if half(case) else "", judge, shrunk, snippet,
    )


def _dtype(case):
    return case.exact["options"].get("dtype", "float64") if case.exact else "float64"


def _input(case):
    if case.law is not None:
        return laws.describe(case.law, case.experiment)
    if case.experiment is not None:
        return case.experiment.describe()
    shapes = ((name, np.shape(array) if isinstance(array, np.ndarray) else "?")
              for name, array in exact.inputs_of(case.exact).items())
    return ", ".join([case.exact["op"], *(f"{name} {shape}" for name, shape in shapes)])


def shrink(case: Case, mistake: str | None) -> Experiment | None:
    """Return the smallest experiment that fails as a case does, judged by plain Python, and by its law if it has one.

    A law may fail on inputs that it makes from those of the case (shifted keys, say): then these are made smaller.
    """
    trial = Trial(mistake, _dtype(case))
    if case.experiment is None:
        return None
    if case.law is None or trial.wrong(case.experiment):
        return trial.smallest(case.experiment, partial(_breaks, case.law, mistake) if case.law else _anything)
    attended = []
    _law(case.law, case.experiment, mistake, attended)
    return next((trial.smallest(given) for given in attended if trial.wrong(given)), case.experiment)


def _breaks(law, mistake, experiment):
    return not _law(law, experiment, mistake).agrees


def _anything(_):
    return True


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
        `reference.sdpa_many`, where PyTorch is installed. A round trip that fails is tried once more with a new
        process; if it fails again, its rows are skipped.

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
    questions = [case.experiment.question() for case in chunk]
    try:
        found = ask(questions)
    except TorchError:
        try:
            found = ask(questions)  # once more: the first question after a death finds a new process
        except TorchError as error:
            return [error] * len(chunk)
    return [answer if isinstance(answer, Exception) else answer.output for answer in found]
