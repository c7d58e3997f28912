"""Two answers to one experiment held side by side, stage by stage, with a tolerance for each dtype and its reason."""

from dataclasses import dataclass

import numpy as np

from attention_core import attention_gradients, scaled_dot_product_attention
from attention_core.mistakes import STAGES as FORWARD
from attention_core.mistakes import attend_with
from pages.ui.bench.experiment import Experiment
from pages.ui.bench.plain import added
from pages.ui.judge import reference
from pages.ui.judge.reference import TOLERANCES
from pages.ui.language import N_

GRADIENTS = ("grad_query", "grad_key", "grad_value")
STAGES = (*FORWARD, *GRADIENTS)
STEEPEST = 1000.0  # however large the scores: a tolerance that grew with them would end up allowing anything

# the largest difference between ours and PyTorch's over ten draws of up to 256 components
MEASURED = {"float64": 1.2e-15, "float32": 1.0e-6, "float16": 7.5e-4, "bfloat16": 7.1e-3}
REASONS = {
    "float64": N_("float64 carries 53 bits, 16 decimal digits. Both sides sum the same products in another order, "
                  "which costs the last digit or two; 10⁻¹² leaves room for longer sums and is still far below any "
                  "mistake."),
    "float32": N_("float32 carries 24 bits, 7 decimal digits. The order of the sums and the root of the scale, which "
                  "PyTorch gives to Q and to K, cost the last one."),
    "float16": N_("float16 carries 11 bits, 3 decimal digits. PyTorch computes in float32 and rounds the output; "
                  "NumPy computes in float32 from the same rounded inputs, so what differs is that last rounding."),
    "bfloat16": N_("bfloat16 carries 8 bits, 2 decimal digits, with the range of float32. NumPy does not have it: ours "
                   "computes in float32 from the same rounded inputs, and what differs is PyTorch's last rounding."),
}
GROWTH = N_("The tolerance is for numbers of size 1. It grows with the largest number of a stage, and behind the "
            "softmax with the largest scaled score, because a score of 100 carries a hundred times the rounding error "
            "of a score of 1.")
NO_GRADIENTS = N_("With a planted mistake there are no gradients: they would be right ones of a wrong output, and the "
                  "mistake shows before them.")


@dataclass(frozen=True, eq=False)
class StageRow:
    """Hold how far two answers are apart at one stage.

    Attributes
    ----------
    stage : str
        One of `STAGES`.
    difference, relative : float
        The largest absolute difference (NaN where only one side is a number), and the largest one divided by the
        other side's number.
    index : tuple of int or None
        Where the absolute one sits; None if the array is empty or the shapes differ.
    got, expected : float
        The two numbers there.
    tolerance : float
        What the absolute difference may be here.
    agrees : bool
        NaN agrees with NaN and an infinity with itself; NaN and a number never do.
    """

    stage: str
    difference: float
    relative: float
    index: tuple[int, ...] | None
    got: float
    expected: float
    tolerance: float
    agrees: bool


def ours(
    experiment: Experiment, mistake: str | None = None, dtype: str = "float64", gradients: bool = True
) -> dict[str, np.ndarray]:
    """Compute every stage with the core, or with a mistake planted; half precision in float32 from rounded inputs.

    Parameters
    ----------
    experiment : Experiment
        The inputs.
    mistake : str, optional
        One of `MISTAKES`; the gradients are left out then.
    dtype : str
        One of `TOLERANCES`.
    gradients : bool, default True
        Whether they are wanted.

    Returns
    -------
    dict of str to np.ndarray
        In the order of `STAGES`. Heads stay apart, also in the output.

    Examples
    --------
    >>> from pages.ui.bench.experiment import drawn
    >>> list(ours(drawn(0), mistake="no_scaling"))
    ['query', 'key', 'value', 'scores', 'scaled', 'masked', 'weights', 'output']
    """
    experiment = experiment.in_dtype(dtype)
    if mistake is not None:
        return _mistaken(experiment, mistake)
    attention = scaled_dot_product_attention(**experiment.arguments())
    found = {name: getattr(experiment, name) for name in ("query", "key", "value")}
    found |= {"scores": attention.scores, "scaled": attention.scaled}
    with np.errstate(all="ignore"):  # the core keeps no masked scores; what it hides is in `allowed`
        masked = attention.scaled + added(experiment)
    found["masked"] = masked if attention.allowed is None else np.where(attention.allowed, masked, -np.inf)
    found |= {"weights": attention.weights, "output": attention.output}
    if gradients:
        back = attention_gradients(**experiment.arguments(), grad_output=experiment.grad_output)
        found |= {f"grad_{name}": getattr(back, name) for name in ("query", "key", "value")}
    return found


def _mistaken(experiment, mistake):
    heads, options = experiment.heads, experiment.arguments()
    arrays = [options.pop(name) for name in ("query", "key", "value")]
    if heads > 1:
        lead = np.broadcast_shapes(*(a.shape[:-2] for a in arrays))
        full = (np.broadcast_to(a, (*lead, *a.shape[-2:])) for a in arrays)
        arrays = [np.concatenate(np.moveaxis(a, -3, 0), axis=-1) for a in full]  # (..., h, n, d) -> (..., n, h d)
    found = attend_with(mistake, *arrays, **options, heads=heads)
    stages = {name: getattr(found, name) for name in FORWARD}
    if heads > 1:
        stages["output"] = np.stack(np.split(found.output, heads, axis=-1), axis=-3)  # (..., n, h d) -> (..., h, n, d)
    return stages


def theirs(experiment: Experiment, dtype: str = "float64") -> dict[str, np.ndarray]:
    """Ask PyTorch for every stage; its Q, K and V are the inputs as it gets them.

    Raises
    ------
    TorchError, TypeError, ValueError
        As `reference.stages`.
    """
    answer = reference.stages(**experiment.arguments(), grad_output=experiment.grad_output, dtype=dtype)
    inputs = {name: reference.rounded(getattr(experiment, name), dtype) for name in ("query", "key", "value")}
    return inputs | {name: getattr(answer, name) for name in STAGES[3:]}


def compare(
    found: dict[str, np.ndarray], expected: dict[str, np.ndarray], tolerance: float = TOLERANCES["float64"]
) -> list[StageRow]:
    """Hold two answers side by side at every stage that both have.

    Examples
    --------
    >>> from pages.ui.bench.experiment import drawn
    >>> wrong, right = (ours(drawn(0, heads=2), mistake) for mistake in ("scale_by_d_model", None))
    >>> [row.stage for row in compare(wrong, right) if not row.agrees]
    ['scaled', 'masked', 'weights', 'output']
    """
    shared = [name for name in STAGES if name in found and name in expected]
    return [row(name, found[name], expected[name], allowance(tolerance, expected, name)) for name in shared]


def row(stage: str, found: np.ndarray, expected: np.ndarray, tolerance: float) -> StageRow:
    """Hold two arrays side by side; the tolerance is the one for the whole array."""
    found, expected = (np.asarray(a, dtype=np.float64) for a in (found, expected))
    if found.shape != expected.shape or found.size == 0:
        same = found.shape == expected.shape
        nothing = 0.0 if same else np.inf
        return StageRow(stage, nothing, nothing, None, np.nan, np.nan, tolerance, same)
    same = (found == expected) | (np.isnan(found) & np.isnan(expected))
    with np.errstate(all="ignore"):
        gap = np.where(same, 0, np.abs(found - expected))
        relative = np.where(same | (expected == 0), 0, gap / np.abs(expected))
    order = np.where(np.isnan(gap), np.inf, gap)
    index = tuple(int(i) for i in np.unravel_index(order.argmax(), order.shape))
    return StageRow(
        stage, float(gap[index]), float(relative.max()), index, float(found[index]), float(expected[index]),
        tolerance, bool((order <= tolerance).all()),
    )


def allowance(tolerance: float, expected: dict[str, np.ndarray], stage: str) -> float:
    """Return the tolerance of a stage: for its largest number, and behind the softmax for the largest scaled score."""
    allowed = tolerance * max(1.0, largest(expected[stage]))
    if stage in ("weights", "output", *GRADIENTS) and "masked" in expected:
        allowed *= min(STEEPEST, max(1.0, largest(expected["masked"])))
    if stage in ("grad_query", "grad_key"):  # their last step multiplies by the scale
        scores, scaled = largest(expected["scores"]), largest(expected["scaled"])
        allowed *= min(STEEPEST, max(1.0, scaled / scores)) if scores else 1.0
    return allowed


def largest(array: np.ndarray) -> float:
    """Return the largest finite absolute value, 0 if there is none."""
    finite = np.abs(array[np.isfinite(array)])
    return float(finite.max(initial=0))


def first_red(rows: list[StageRow]) -> str | None:
    """Name the first stage that does not agree."""
    return next((row.stage for row in rows if not row.agrees), None)
