"""The 103 cases whose answers were computed with 60 digits: how the file is read, run through the core and judged."""

import json
from functools import lru_cache
from pathlib import Path

import numpy as np

import attention_core as core
from attention_core.mistakes import attend_with
from pages.ui.bench.experiment import Experiment, given
from pages.ui.bench.snippet import WHERE, literal
from pages.ui.bench.stages import ours

FILE = Path(__file__).parent / "conformance.json"
SPECIAL = {"inf": np.inf, "-inf": -np.inf, "nan": np.nan}
ONE_HEAD = ("attention", "attention_backward", "attention_tiled", "qkv_attention")
PLANTABLE = (*ONE_HEAD, "multi_head")
STAGE = {"scores_raw": "scores", "scores_scaled": "scaled", "weights": "weights", "output": "output"}
CALLS = {
    "attention": "core.scaled_dot_product_attention(Q, K, V, mask, is_causal, scale)",
    "attention_backward": "core.attention_gradients(Q, K, V, dO, mask, is_causal, scale)",
    "attention_tiled": "core.tiled_attention(Q, K, V, mask, is_causal, scale, tile)",
    "qkv_attention": "core.project(X, W_Q, W_K, W_V)",
    "multi_head": "core.multi_head_attention(X_q, X_kv, W_Q, W_K, W_V, W_O, num_heads, mask, is_causal)",
    "additive_attention": "core.additive_attention(Q, K, V, W_1, W_2, v, mask, is_causal)",
    "softmax": "core.softmax(z, axis)",
    "softmax_jacobian": "core.softmax_jacobian(core.softmax(z))",
}
HEADS = """
right = {call}
wide = (X_q @ W_Q, X_kv @ W_K, X_kv @ W_V)  # (..., n, h d)
wrong = attend_with({mistake!r}, *wide, mask, is_causal, scale, heads=num_heads)
for name, expected, found in (
    ("weights", right.weights, wrong.weights.reshape(right.weights.shape)),
    ("output", right.output, wrong.output @ W_O),
):
    print(name, "expected", expected, "with the mistake", found, sep="\\n")
    print("largest difference at", name, np.abs(found - expected).max(initial=0))
"""


@lru_cache
def cases() -> tuple[dict, ...]:
    """Return the cases of the file; nobody may change them.

    >>> len(cases())
    103
    """
    return tuple(json.loads(FILE.read_text())["cases"])


def read(given, dtype=None):
    """Read the file's notation: "inf", "-inf" and "nan" are strings, an empty array carries its shape.

    >>> read([1.0, "-inf"])
    array([  1., -inf])
    """
    if isinstance(given, dict):
        return np.array(given["data"], dtype=float).reshape(given["shape"])
    try:
        values = np.array(_numbers(given))
    except ValueError:
        return _numbers(given)  # ragged: to be refused as it is
    return values.astype(dtype) if dtype and values.dtype.kind == "f" else values


def _numbers(item):
    return [_numbers(x) for x in item] if isinstance(item, list) else SPECIAL.get(item, item) if isinstance(
        item, str) else item


def inputs_of(case: dict) -> dict:
    """Return the arrays of a case by the names of the lessons."""
    dtype = case["options"].get("dtype", "float64")
    return {name: read(given, dtype) for name, given in case["inputs"].items()}


def options_of(case: dict, inputs: dict) -> dict:
    """Return mask, causality and scale as the core takes them; empty where the operation has none."""
    options = case["options"]
    if case["op"] in ("softmax", "softmax_jacobian"):
        return {}
    first, second = (next(inputs[x] for x in names if x in inputs) for names in (("Q", "X", "X_q"), ("K", "X", "X_kv")))
    n, m = (a.shape[-2] if getattr(a, "ndim", 0) > 1 else 0 for a in (first, second))
    return {
        "attn_mask": _mask(options, n, m),
        "is_causal": bool(options["causal"]) and options["causal_alignment"] == "top_left",
        "scale": read(options["scale"]).item() if options.get("scale") is not None else None,
    }


def _mask(options, n, m):
    masks, bias = [], None
    if options.get("mask"):
        values = read(options["mask"]["values"])
        if options["mask"]["kind"] == "additive" or values.dtype.kind != "b":
            bias = values
        else:
            masks.append(values)
    if options.get("window"):
        masks.append(core.sliding_window_mask(n, m, *options["window"]))
    if options.get("causal") and options["causal_alignment"] == "bottom_right":
        masks.append(core.causal_mask(n, m, alignment="bottom_right"))
    if bias is not None and masks:
        raise ValueError("no case combines a float mask with others")
    return bias if bias is not None else core.combine_masks(*masks)


def compute(case: dict) -> dict[str, np.ndarray]:
    """Run a case through the core: every named quantity that its operation yields.

    Raises
    ------
    TypeError, ValueError
        Where the core refuses the inputs.
    """
    op, inputs = case["op"], inputs_of(case)
    options = options_of(case, inputs)
    if op == "softmax":
        return {"weights": core.softmax(inputs["z"], axis=case["options"]["axis"])}
    if op == "softmax_jacobian":
        weights = core.softmax(inputs["z"])
        jacobian = core.softmax_jacobian(weights)
        return {"weights": weights, "jacobian": jacobian, "frobenius": np.sqrt((jacobian**2).sum())}
    if op in ("multi_head", "additive_attention"):
        return _relatives(case, inputs, options)
    if op in ONE_HEAD:
        return _one_head(case, inputs, options)
    raise ValueError(f"unknown operation {op}")


def _relatives(case, inputs, options):
    mask, causal = options["attn_mask"], options["is_causal"]
    if case["op"] == "multi_head":
        arrays = (inputs[name] for name in ("X_q", "X_kv", "W_Q", "W_K", "W_V", "W_O"))
        result = core.multi_head_attention(*arrays, case["options"]["num_heads"], mask, causal)
        return {"weights_per_head": result.weights, "output": result.output}
    result = core.additive_attention(*(inputs[x] for x in ("Q", "K", "V", "W_1", "W_2", "v")), mask, causal)
    return {"scores": result.scores, "weights": result.weights, "output": result.output}


def _one_head(case, inputs, options):
    found = roles(inputs)
    arrays = (*found.values(), *options.values())
    if case["op"] == "attention_backward":
        gradients = core.attention_gradients(*found.values(), inputs["dO"], *options.values())
        found |= {"dQ": gradients.query, "dK": gradients.key, "dV": gradients.value}
    tiled = core.tiled_attention(*arrays, tile=tuple(case["options"].get("tile", (2, 3))))
    result = core.scaled_dot_product_attention(*arrays)
    found |= {"weights": result.weights, "scores_raw": result.scores, "scores_scaled": result.scaled, "tiled": tiled}
    return found | {"output": tiled if case["op"] == "attention_tiled" else result.output, "dense": result.output}


def roles(inputs: dict) -> dict:
    """Return Q, K and V of a case with one head, projected where it starts from X."""
    if "X" not in inputs:
        return {name: inputs[name] for name in "QKV"}
    projection = core.project(*(inputs[name] for name in ("X", "W_Q", "W_K", "W_V")))
    return {"Q": projection.query, "K": projection.key, "V": projection.value}


def experiment_of(case: dict) -> Experiment | None:
    """Return a case with one head, whose inputs are legal, as an experiment."""
    if case["op"] not in ONE_HEAD or case["expected"].get("raises"):
        return None
    inputs = inputs_of(case)
    return given(case["name"], *roles(inputs).values(), **options_of(case, inputs))


def compute_with(mistake: str, case: dict) -> dict[str, np.ndarray] | None:
    """Run a case with a mistake planted; None where its operation has no place for one, or is about a refusal."""
    if case["op"] not in PLANTABLE or case["expected"].get("raises"):
        return None
    experiment = experiment_of(case)
    if experiment is not None:
        found = ours(experiment, mistake, case["options"]["dtype"], gradients=False)
        return {name: found[stage] for name, stage in STAGE.items()}
    inputs = inputs_of(case)
    options, arrays = options_of(case, inputs), []
    for x, w in (("X_q", "W_Q"), ("X_kv", "W_K"), ("X_kv", "W_V")):
        arrays.append(inputs[x] @ inputs[w])  # (..., n, h d)
    found = attend_with(mistake, *arrays, **options, heads=case["options"]["num_heads"])
    weights = found.weights if case["options"]["num_heads"] > 1 else found.weights[..., None, :, :]  # (..., h, n, m)
    return {"weights_per_head": weights, "output": found.output @ inputs["W_O"]}


def snippet(case: dict, mistake: str | None = None) -> str:
    """Write a program that makes the inputs of a case and calls the core, and heads with a mistake beside it.

    >>> print(snippet(cases()[-1]).splitlines()[-1])
    print(core.project(X, W_Q, W_K, W_V))
    """
    inputs, options = inputs_of(case), case["options"]
    lines = [literal(array, name) for name, array in inputs.items()]
    if core_options := options_of(case, inputs):
        named = ("mask", "is_causal", "scale")
        lines += [literal(x, name) for name, x in zip(named, core_options.values(), strict=True)]
    lines += [literal(options[name], name) for name in ("axis", "num_heads", "tile") if name in options]
    head = f"{WHERE}# {case['name']}\nimport numpy as np\n\nimport attention_core as core\n"
    if mistake and case["op"] == "multi_head":
        head += "from attention_core.mistakes import attend_with\n"
        last = HEADS.format(call=CALLS[case["op"]], mistake=mistake)
    else:
        last = f"print({CALLS[case['op']]})\n"
    return head + "\n" + "\n".join(lines) + "\n" + last
