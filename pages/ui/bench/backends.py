"""Inputs on which PyTorch's maths path and its fused path disagree, with the exact value: findings about that path."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from attention_core import scaled_dot_product_attention
from pages.ui.bench.experiment import Experiment, given
from pages.ui.bench.stages import row
from pages.ui.judge.reference import TOLERANCES, Answer
from pages.ui.language import N_

IDENTITY = np.eye(2)[None, None]  # four axes, as the fused path wants them
VALUES = np.array([[[[1.0, 2.0], [3.0, 4.0]]]])


@dataclass(frozen=True, eq=False)
class Finding:
    """One input, what attention makes of it exactly, and what goes wrong where.

    Attributes
    ----------
    id : str
        Its name.
    experiment : Experiment
        The inputs; one of them holds a NaN.
    exact : np.ndarray
        The output by hand, rounded once to float64; NaN where it is undefined.
    text : str
        A marked sentence.
    """

    id: str
    experiment: Experiment
    exact: np.ndarray
    text: str


@lru_cache
def findings() -> tuple[Finding, ...]:
    """Return the findings, all measured with PyTorch 2.13 on a CPU.

    >>> [finding.id for finding in findings()]
    ['zero_scale', 'negative_scale', 'nan_query', 'raw_overflow', 'large_value']
    """
    no_number = IDENTITY.copy()
    no_number[0, 0, 0, 0] = np.nan
    one_query, long_key = np.array([[[[1e308, 0.0]]]]), np.array([[[[2.0, 0.0], [0.0, 1.0]]]])
    zeros, large = np.zeros((1, 1, 2, 2)), np.full((1, 1, 2, 2), 1.7e308)
    causal = {"attn_mask": None, "is_causal": True}
    return (
        # query 0 sees key 0 alone; query 1 weighs both keys alike: the mean of (1, 2) and (3, 4)
        Finding("zero_scale", given("zero_scale", IDENTITY, IDENTITY, VALUES, **causal, scale=0.0),
                np.array([[[[1.0, 2.0], [2.0, 3.0]]]]), ZERO),
        # query 1 scores 0 and 1, scaled 0 and -1: key 1 weighs 1/(1 + e) = 0.26894142136999512, the output is (1, 2)
        # plus twice that
        Finding("negative_scale", given("negative_scale", IDENTITY, IDENTITY, VALUES, **causal, scale=-1.0),
                np.array([[[[1.0, 2.0], [1.5378828427399902, 2.5378828427399902]]]]), NEGATIVE),
        # query 1 scores 0 and 1, divided by sqrt(2): key 1 weighs 1/(1 + exp(-0.70710678118654752)) =
        # 0.66976154932665693; query 0 is undefined
        Finding("nan_query", given("nan_query", no_number, IDENTITY, VALUES),
                np.array([[[[np.nan, np.nan], [2.3395230986533139, 3.3395230986533139]]]]), NAN),
        # the scores 2e308 and 0, divided by sqrt(2), are 1.41e308 and 0: key 0 takes all
        Finding("raw_overflow", given("raw_overflow", one_query, long_key, IDENTITY),
                np.array([[[[1.0, 0.0]]]]), OVERFLOW),
        # equal scores: each output is the mean of 1.7e308 and 1.7e308
        Finding("large_value", given("large_value", zeros, zeros, large), large, LARGE),
    )


ZERO = N_("A scale of 0 makes all scores equal, so a causal query averages the values it may see. The fused path hides "
          "with −∞ before it scales, and −∞ times 0 is no number: NaN.")
NEGATIVE = N_("A negative scale turns the order of the scores round. The fused path hides with −∞ before it scales, "
              "and −∞ times a negative number is +∞: what should be hidden takes over, and the row becomes NaN.")
NAN = N_("A query with NaN in it has no output, and NaN says so. The fused path answers 0, which looks like a result; "
         "the lab refuses such a query and names the place.")
OVERFLOW = N_("The raw score 2 × 10³⁰⁸ is beyond float64, the scaled one is not. The maths path scales Q and K before "
              "it multiplies, and so does the lab; the fused path multiplies first and gets NaN.")
LARGE = N_("The mean of two values near the largest float is such a value. The fused path adds before it divides and "
           "overflows to ∞.")


def ours_of(finding: Finding) -> np.ndarray | ValueError:
    """Return the core's output, or its refusal.

    >>> ours_of(findings()[2])
    ValueError('Q holds NaN at [0, 0, 0, 0]; only finite numbers can be used.')
    """
    try:
        return scaled_dot_product_attention(**finding.experiment.arguments()).output
    except ValueError as refusal:
        return refusal


def judge(
    finding: Finding, math: Answer | Exception | None, fused: Answer | Exception | None,
    ours: np.ndarray | Exception,
) -> dict[str, str]:
    """Hold three answers against the exact value.

    Parameters
    ----------
    finding : Finding
        One of `findings`.
    math, fused : Answer, Exception or None
        What `reference.sdpa_many` returned; None where PyTorch is not installed.
    ours : np.ndarray or Exception
        What `ours_of` returned.

    Returns
    -------
    dict
        For "math", "fused" and "ours" one of "agrees", "differs", "refused", "missing"; for "fused" "fused_differs"
        in the place of "differs", because there it is a finding and no fault of ours.

    Examples
    --------
    >>> finding = findings()[0]
    >>> judge(finding, None, Answer(np.full((1, 1, 2, 2), np.nan)), ours_of(finding))
    {'math': 'missing', 'fused': 'fused_differs', 'ours': 'agrees'}
    """
    verdicts = {"math": _verdict(finding, math), "fused": _verdict(finding, fused), "ours": _verdict(finding, ours)}
    if verdicts["fused"] == "differs":
        verdicts["fused"] = "fused_differs"
    return verdicts


def _verdict(finding, answer):
    if isinstance(answer, Exception):
        return "refused" if isinstance(answer, ValueError | TypeError) else "missing"
    output = answer.output if isinstance(answer, Answer) else answer
    if output is None:
        return "missing"
    size = np.abs(finding.exact[np.isfinite(finding.exact)]).max()
    found = row("output", output, finding.exact, TOLERANCES["float64"] * max(1.0, size))
    return "agrees" if found.agrees else "differs"
