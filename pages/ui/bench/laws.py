"""What holds for attention whatever the numbers are: laws, each as what is expected and what is got."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from attention_core import tiled_attention
from pages.ui.bench.experiment import Experiment, random_experiment
from pages.ui.bench.plain import added, visible

Attend = Callable[[Experiment], dict[str, np.ndarray]]  # gives weights and output at least
FREE = ("none", "bool", "float", "padding")  # masks that know no order of the keys


@dataclass(frozen=True, eq=False)
class Range:
    """Hold what an output may be: from `low` to `high`; `nearest` is what is in there and nearest to it."""

    nearest: np.ndarray
    low: np.ndarray
    high: np.ndarray

    def say(self, index: tuple[int, ...], place: str) -> str:
        """Write one entry of it down."""
        return f"{float(self.low[index])!r} <= {place} <= {float(self.high[index])!r}"


def rows_sum_to_1(experiment: Experiment, attend: Attend):
    """Each row of weights sums to 1, or to 0 where nothing may be seen."""
    sums = attend(experiment)["weights"].sum(axis=-1)
    return "weights.sum(axis=-1)", visible(experiment).any(axis=-1).astype(float), sums


def shift(experiment: Experiment, attend: Attend):
    """A vector added to all keys adds one number to each row of scores, and leaves the output alone."""
    step = np.random.RandomState(0).standard_normal(experiment.key.shape[-1])
    moved = replace(experiment, key=experiment.key + step)
    return "output", attend(experiment)["output"], attend(moved)["output"]


def inside(experiment: Experiment, attend: Attend):
    """The output lies between the smallest and the largest of the values that may be seen."""
    seen, value = visible(experiment)[..., None], experiment.value[..., None, :, :]  # (..., n, m, 1), (..., 1, m, d_v)
    seen, value = np.broadcast_arrays(seen, value)
    low = np.where(seen, value, np.inf).min(axis=-2)  # (..., n, d_v)
    high = np.where(seen, value, -np.inf).max(axis=-2)
    nobody = ~visible(experiment).any(axis=-1)[..., None]
    output = attend(experiment)["output"]
    low, high = np.where(nobody, 0, low), np.where(nobody, 0, high)
    return "output", Range(np.clip(output, low, high), low, high), output


def causality(experiment: Experiment, attend: Attend):
    """With is_causal, the second half of K and V may change without any effect on the queries before it: exactly."""
    half = experiment.key.shape[-2] // 2
    ahead = np.arange(experiment.key.shape[-2])[:, None] >= half  # (m, 1)
    changed = {name: np.where(ahead, getattr(experiment, name) + 1.5, getattr(experiment, name))
               for name in ("key", "value")}
    causal = replace(experiment, is_causal=True)
    before, after = (attend(e)["output"][..., :half, :] for e in (causal, replace(causal, **changed)))
    return "output", before, after


def permutation(experiment: Experiment, attend: Attend):
    """Keys and values in another order, the mask's columns with them, give the same output."""
    m, mask = experiment.key.shape[-2], experiment.attn_mask
    order = np.roll(np.arange(m)[::-1], 1)
    columns = mask if mask is None or mask.shape[-1] != m else mask[..., order]
    plain = replace(experiment, is_causal=False)
    other = replace(plain, key=plain.key[..., order, :], value=plain.value[..., order, :], attn_mask=columns)
    return "output", attend(plain)["output"], attend(other)["output"]


def nothing_seen(experiment: Experiment, attend: Attend):
    """A query from which all keys are hidden gets the output 0: exactly, and not NaN."""
    output = attend(hidden(experiment))["output"][..., :1, :]
    return "output", np.zeros_like(output), output


def hidden(experiment: Experiment) -> Experiment:
    """Hide all keys from the first query."""
    n, m = experiment.query.shape[-2], experiment.key.shape[-2]
    others = np.arange(n)[:, None] > 0  # (n, 1)
    return replace(experiment, attn_mask=visible(experiment) & others & np.ones(m, bool))


def tiled(experiment: Experiment, attend: Attend):
    """Tile by tile, with a running maximum and a running sum, the output is the same."""
    return "output", tiled_attention(**experiment.arguments(), tile=(2, 3)), attend(experiment)["output"]


LAWS = MappingProxyType({  # id: the law, masks to draw from, whether it holds to the last bit
    "rows_sum_to_1": (rows_sum_to_1, ("none", "causal", "bool", "float", "padding"), False),
    "shift": (shift, ("none", "causal", "bool", "float", "padding"), False),
    "inside": (inside, ("none", "causal", "bool", "float", "padding"), False),
    "causality": (causality, ("causal",), True),
    "permutation": (permutation, FREE, False),
    "nothing_seen": (nothing_seen, ("none", "causal", "bool", "padding"), True),
    "tiled": (tiled, ("none", "causal", "bool", "float", "padding"), False),
})


def experiment_for(law: str, seed: int) -> Experiment:
    """Draw an experiment on which a law says something.

    >>> experiment_for("causality", 3).is_causal
    True
    """
    found = random_experiment(seed, masks=LAWS[law][1], least=2)
    return hidden(found) if law == "nothing_seen" else found


def describe(law: str, experiment: Experiment) -> str:
    """Return the inputs in the words of the code, with what the law has made of them."""
    return experiment.describe() + (", attn_mask[..., 0, :] = False" if law == "nothing_seen" else "")


def steepness(experiment: Experiment, scaled: np.ndarray) -> float:
    """Return the largest masked score, at least 1: by how much rounding errors grow in the softmax."""
    with np.errstate(all="ignore"):
        masked = np.where(visible(experiment), scaled + added(experiment), 0)
    return max(1.0, float(np.abs(masked[np.isfinite(masked)]).max(initial=0)))
