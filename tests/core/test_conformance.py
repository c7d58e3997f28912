"""103 cases computed with 60 digits: inputs, options and expected values or refusals."""

import json
from pathlib import Path

import numpy as np
import pytest

import attention_core as core

FILE = json.loads((Path(__file__).parent / "data" / "conformance.json").read_text())
CASES = FILE["cases"]


def array(given, dtype=None):
    """Read the file's notation: "inf", "-inf" and "nan" are strings, an empty array carries its shape."""
    if isinstance(given, dict):
        return np.array(given["data"], dtype=float).reshape(given["shape"])
    special = {"inf": np.inf, "-inf": -np.inf, "nan": np.nan}

    def read(x):
        return [read(item) for item in x] if isinstance(x, list) else special.get(x, x) if isinstance(x, str) else x

    values = read(given)
    try:
        values = np.array(values)
    except ValueError:
        return values  # ragged: to be refused as it is
    return values.astype(dtype) if dtype and values.dtype.kind == "f" else values


def mask_of(case, n, m):
    options = case["options"]
    masks, bias = [], None
    if options.get("mask"):
        values = array(options["mask"]["values"])
        if options["mask"]["kind"] == "additive" or values.dtype.kind != "b":
            bias = values
        else:
            masks.append(values)
    if options.get("window"):
        masks.append(core.sliding_window_mask(n, m, *options["window"]))
    if options.get("causal") and options["causal_alignment"] == "bottom_right":
        masks.append(core.causal_mask(n, m, alignment="bottom_right"))
    assert bias is None or not masks, "no case combines a float mask with others"
    return bias if bias is not None else core.combine_masks(*masks)


def compute(case):
    """Return every named quantity that the case's operation yields."""
    options, op = case["options"], case["op"]
    dtype = options.get("dtype", "float64")
    inputs = {name: array(given, dtype) for name, given in case["inputs"].items()}
    if op == "softmax":
        return {"weights": core.softmax(inputs["z"], axis=options["axis"])}
    if op == "softmax_jacobian":
        weights = core.softmax(inputs["z"])
        jacobian = core.softmax_jacobian(weights)
        return {"weights": weights, "jacobian": jacobian, "frobenius": np.sqrt((jacobian**2).sum())}

    first = inputs.get("Q", inputs.get("X", inputs.get("X_q")))
    second = inputs.get("K", inputs.get("X", inputs.get("X_kv")))
    n, m = (a.shape[-2] if getattr(a, "ndim", 0) > 1 else 0 for a in (first, second))
    scale = array(options["scale"]).item() if options.get("scale") is not None else None
    mask = mask_of(case, n, m)
    causal = bool(options["causal"]) and options["causal_alignment"] == "top_left"

    found = {}
    if op == "multi_head":
        names = ("X_q", "X_kv", "W_Q", "W_K", "W_V", "W_O")
        result = core.multi_head_attention(*(inputs[x] for x in names), options["num_heads"], mask, causal)
        return {"weights_per_head": result.weights, "output": result.output}
    if op == "additive_attention":
        names = ("Q", "K", "V", "W_1", "W_2", "v")
        result = core.additive_attention(*(inputs[x] for x in names), mask, causal)
        return {"scores": result.scores, "weights": result.weights, "output": result.output}
    if op == "qkv_attention":
        projection = core.project(*(inputs[x] for x in ("X", "W_Q", "W_K", "W_V")))
        query, key, value = projection.query, projection.key, projection.value
        found = {"Q": query, "K": key, "V": value}
    else:
        query, key, value = inputs["Q"], inputs["K"], inputs["V"]
    if op == "attention_tiled":
        found["output"] = core.tiled_attention(query, key, value, mask, causal, scale, tile=tuple(options["tile"]))
        found["weights"] = core.scaled_dot_product_attention(query, key, value, mask, causal, scale).weights
        return found
    if op == "attention_backward":
        gradients = core.attention_gradients(query, key, value, inputs["dO"], mask, causal, scale)
        found |= {"dQ": gradients.query, "dK": gradients.key, "dV": gradients.value}
    result = core.scaled_dot_product_attention(query, key, value, mask, causal, scale)
    assert op in ("attention", "attention_backward", "qkv_attention"), f"unknown operation {op}"
    tiled = core.tiled_attention(query, key, value, mask, causal, scale, tile=(2, 3))
    np.testing.assert_allclose(tiled, result.output, rtol=1e-5, atol=1e-6)
    return found | {
        "weights": result.weights,
        "output": result.output,
        "scores_raw": result.scores,
        "scores_scaled": result.scaled,
    }


def test_the_file_is_whole():
    assert FILE["count"] == len(CASES) == 103
    assert len({case["name"] for case in CASES}) == 103


@pytest.mark.parametrize("case", [c for c in CASES if not c["expected"].get("raises")], ids=lambda c: c["name"])
def test_values(case):
    found = compute(case)
    compared = 0
    for name, expected in case["expected"].items():
        if name.endswith("_shape"):
            assert found[name.removesuffix("_shape")].shape == tuple(expected)
        else:
            expected = array(expected)
            assert found[name].shape == expected.shape, name
            np.testing.assert_allclose(found[name], expected, **case["tolerance"], err_msg=name)
        compared += 1
    assert compared > 0


@pytest.mark.parametrize("case", [c for c in CASES if c["expected"].get("raises")], ids=lambda c: c["name"])
def test_refusals(case):
    types = {"ValueError": ValueError, "TypeError": TypeError}
    with pytest.raises(tuple(types[name] for name in case["expected"]["error_types"])) as caught:
        compute(case)
    for alternatives in case["expected"]["message_must_name"]:
        assert any(word in str(caught.value) for word in alternatives), f"{alternatives} in {caught.value}"
