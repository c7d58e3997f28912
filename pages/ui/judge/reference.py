"""PyTorch as the judge: what can be asked of it, as functions of NumPy arrays. Imports no torch.

PyTorch runs in a process of its own (torch_process), because its import takes seconds and 110 MB and some inputs crash
it. Inputs are checked (torch_questions) before they reach it.
"""

from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np
from numpy.typing import ArrayLike

from attention_core import checks
from pages.ui.judge.torch_process import PROCESS, TorchError
from pages.ui.judge.torch_questions import NOT_FUSED, TOLERANCES, question_of, rounded, why_not_fused

TOLERANCE = TOLERANCES["float64"]


@dataclass(frozen=True, eq=False)
class Stages:
    """Hold PyTorch's attention step by step, and its gradients by autograd; all float64.

    Attributes
    ----------
    scores, scaled, masked, weights : np.ndarray, shape (..., n, m)
        Raw, times the scale, with the mask (-inf: hidden), after softmax.
    output : np.ndarray, shape (..., n, d_v)
        Rounded to the dtype asked for.
    grad_query, grad_key, grad_value : np.ndarray, shapes of Q, K, V
        Summed over the axes along which an array was broadcast.
    """

    scores: np.ndarray
    scaled: np.ndarray
    masked: np.ndarray
    weights: np.ndarray
    output: np.ndarray
    grad_query: np.ndarray
    grad_key: np.ndarray
    grad_value: np.ndarray


@dataclass(frozen=True, eq=False)
class Answer:
    """Hold the output of one back end, or the reason why it has none.

    Attributes
    ----------
    output : np.ndarray, shape (..., n, d_v), float64, or None
        None if the fused path does not exist for these inputs.
    why : str or None
        "dims", "axes", "width", or "kernel" where PyTorch itself found none.
    reason : str or None
        The same in words; PyTorch's own for "kernel".
    """

    output: np.ndarray | None
    why: str | None = None
    reason: str | None = None


def installed() -> bool:
    """Tell whether torch can be imported, without importing it."""
    return find_spec("torch") is not None


def ready() -> bool:
    """Tell, without waiting, whether PyTorch has been imported already."""
    return PROCESS.ready()


def versions() -> dict:
    """Return what computes: python, numpy, torch, build, commit, machine and threads of PyTorch's process."""
    found, = _ask([{"ask": "versions"}])
    return found


def attention(query: ArrayLike, key: ArrayLike, value: ArrayLike) -> np.ndarray:
    """Compute plain attention with PyTorch's maths path in float64; as `sdpa`, but the output alone."""
    return sdpa(query, key, value).output


def sdpa(
    query: ArrayLike, key: ArrayLike, value: ArrayLike, attn_mask: ArrayLike | None = None, is_causal: bool = False,
    scale: float | None = None, dtype: str = "float64", backend: str = "math",
) -> Answer:
    """Ask ``torch.nn.functional.scaled_dot_product_attention`` on one of its back ends.

    Parameters
    ----------
    query, key, value, attn_mask, is_causal, scale
        As in `attention_core.scaled_dot_product_attention`; but Q, K and V may hold NaN and infinities.
    dtype : {"float64", "float32", "float16", "bfloat16"}
        In which PyTorch computes; inputs are rounded to it first, as `rounded` does.
    backend : {"math", "fused"}
        The fused path is asked with mask and is_causal as they are; for the maths path, which refuses both at once,
        they are joined.

    Returns
    -------
    Answer
        The output, or why the fused path has none.

    Raises
    ------
    TypeError, ValueError
        As the core does, and for sizes that PyTorch cannot be trusted with; the message names the array and sizes.
    TorchError
        If PyTorch gives no answer.
    """
    answer, = sdpa_many([{
        "query": query, "key": key, "value": value, "attn_mask": attn_mask, "is_causal": is_causal, "scale": scale,
        "dtype": dtype, "backend": backend,
    }])
    if isinstance(answer, Exception):
        raise answer
    return answer


def sdpa_many(questions: list[dict]) -> list[Answer | Exception]:
    """Ask many questions, each the arguments of `sdpa`, in one round trip.

    Returns
    -------
    list of Answer, TypeError, ValueError or TorchError
        One for each question; an error is the answer to its own question only.

    Raises
    ------
    TorchError
        If the round trip fails as a whole, because PyTorch's process died or is late. The next one finds a new process.
    ValueError
        If all questions together exceed 64 MB.
    """
    asked, answers = [], {}
    for number, arguments in enumerate(questions):
        try:
            question = _sdpa_question(**arguments)
        except (TypeError, ValueError) as error:
            answers[number] = error
            continue
        if question["backend"] == "fused" and (why := why_not_fused(question)):
            answers[number] = Answer(None, why, NOT_FUSED[why])
        else:
            asked.append((number, question))
    found = PROCESS.ask([question for _, question in asked]) if asked else []
    answers.update((number, _read(answer)) for (number, _), answer in zip(asked, found, strict=True))
    return [answers[number] for number in range(len(questions))]


def stages(
    query: ArrayLike, key: ArrayLike, value: ArrayLike, attn_mask: ArrayLike | None = None, is_causal: bool = False,
    scale: float | None = None, grad_output: ArrayLike | None = None, dtype: str = "float64",
) -> Stages:
    """Compute attention with PyTorch's tensor operations, step by step as its maths path does, and its gradients.

    Parameters
    ----------
    query, key, value, attn_mask, is_causal, scale, dtype
        As in `sdpa`. In half precision the maths path computes in float32 and rounds the output and the gradients.
    grad_output : array_like, shape (..., n, d_v), optional
        The gradient of the loss with respect to the output; ones by default, so that the loss is the output's sum.

    Returns
    -------
    Stages
        Every step and the three gradients.

    Raises
    ------
    TypeError, ValueError, TorchError
        As `sdpa`.
    """
    question = question_of("stages", query, key, value, attn_mask, is_causal, scale, dtype)
    shape = (*question.pop("lead"), question["query"].shape[-2], question["value"].shape[-1])
    gradient = np.ones(shape) if grad_output is None else checks.real_array("grad_output (dO)", grad_output, "n d_v")
    if gradient.shape != shape:
        raise ValueError(f"grad_output (dO) {gradient.shape} must have the shape of the output, {shape}.")
    found, = _ask([{**question, "grad_output": rounded(gradient, dtype)}])
    return Stages(**found)


def _sdpa_question(
    query, key, value, attn_mask=None, is_causal=False, scale=None, dtype="float64", backend="math"
):
    checks.choice("backend", backend, ("math", "fused"))
    return {**question_of("sdpa", query, key, value, attn_mask, is_causal, scale, dtype), "backend": backend}


def _read(answer):
    if "error" in answer:
        return TorchError(answer["error"])
    return Answer(None, "kernel", answer["unavailable"]) if "unavailable" in answer else Answer(answer["output"])


def _ask(questions):
    answers = PROCESS.ask(questions)
    for answer in answers:
        if "error" in answer:
            raise TorchError(answer["error"])
    return answers
