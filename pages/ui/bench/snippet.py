"""How an experiment is written down as a program of its own: arrays as literals, then the call."""

import numpy as np

WHERE = "# Run it in the folder of the lab, or with attention_core on the path.\n"
HEAD = "import numpy as np\n\nfrom attention_core import attention_gradients, scaled_dot_product_attention\n"
PLANTED = "from attention_core.mistakes import attend_with\n"
CALL = """
attention = scaled_dot_product_attention(query, key, value, attn_mask, is_causal, scale)
gradients = attention_gradients(query, key, value, grad_output, attn_mask, is_causal, scale)
for name in ("scores", "scaled", "weights", "output"):
    print(name, getattr(attention, name), sep="\\n")
for name in ("query", "key", "value"):
    print("gradient of", name, getattr(gradients, name), sep="\\n")
"""
MISTAKEN = """
heads = {heads}
lead = np.broadcast_shapes(*(a.shape[:-2] for a in (query, key, value)))
full = (np.broadcast_to(a, (*lead, *a.shape[-2:])) for a in (query, key, value))
wide = [np.concatenate(np.moveaxis(a, -3, 0), axis=-1) if heads > 1 else a for a in full]
right = attend_with(None, *wide, attn_mask, is_causal, scale, heads=heads)  # what the core computes, heads side by side
wrong = attend_with({mistake!r}, *wide, attn_mask, is_causal, scale, heads=heads)
for name in ("scores", "scaled", "masked", "weights", "output"):
    expected, found = getattr(right, name), getattr(wrong, name)
    with np.errstate(all="ignore"):
        gap = np.where(expected == found, 0, np.abs(found - expected))
    print(name, "expected", expected, "with the mistake", found, sep="\\n")
    print("largest difference at", name, gap.max(initial=0))
"""
JUDGE = """
try:
    import torch
except ImportError:
    print("PyTorch is not installed.")
else:
    to = lambda array: torch.tensor(array.tolist(), dtype=torch.{dtype}).reshape(array.shape)
    n, m = query.shape[-2], key.shape[-2]
    mask = {mask}
    theirs = torch.nn.functional.scaled_dot_product_attention(
        to(query), to(key), to(value), attn_mask=mask, is_causal={causal}, scale=scale
    )
    print("PyTorch", theirs.double().numpy(), sep="\\n")
    print("largest difference at output", np.abs(theirs.double().numpy() - attention.output).max(initial=0))
"""
MASK = {  # kind of mask, causal: how PyTorch is told, which takes one of both only
    ("b", False): "torch.tensor(attn_mask)",
    ("b", True): "torch.tensor(attn_mask & np.tri(n, m, dtype=bool))",
    ("f", False): "to(attn_mask)",
    ("f", True): "to(np.where(np.tri(n, m, dtype=bool), attn_mask, -np.inf))",
}


def literal(
    array: np.ndarray | list | float | str | None, name: str = "", maker: str = "np.array", kind: str | None = None,
) -> str:
    """Write an array, or whatever stands in its place, such that Python reads back the same numbers; perhaps named.

    `maker` is what makes an array of a list, `kind` what follows the list; by default NumPy's name of the dtype.

    >>> print(literal(np.array([[0.1, -np.inf], [1.0, 2.0]])))
    np.array([[0.1, -np.inf],
              [1.0, 2.0]], dtype="float64")
    """
    before = f"{name} = " if name else ""
    if not isinstance(array, np.ndarray):
        return before + _nested(array, " " * len(before + "["))
    kind = f', dtype="{array.dtype}"' if kind is None else kind
    if array.size == 0:
        return f"{before}{maker.split('.')[0]}.zeros({array.shape}{kind})"
    rows = _nested(array.tolist(), " " * len(f"{before}{maker}(["))
    return f"{before}{maker}({rows}{kind})"


def _nested(item, indent):
    if isinstance(item, list):
        rows = any(isinstance(part, list) for part in item)
        mark = f",\n{indent}" if rows else ", "
        return f"[{mark.join(_nested(part, indent + ' ') for part in item)}]"
    if isinstance(item, float) and not np.isfinite(item):
        return "np.nan" if np.isnan(item) else "np.inf" if item > 0 else "-np.inf"
    return repr(item)


def inputs_of(experiment) -> str:
    """Write the inputs alone: a program that needs NumPy and gives no answer away."""
    names = ("query", "key", "value", "attn_mask")
    lines = [literal(getattr(experiment, name), name) for name in names if getattr(experiment, name) is not None]
    lines += [f"is_causal = {experiment.is_causal}", literal(experiment.scale, "scale")]
    note = f"# {experiment.name}: the inputs alone; this needs NumPy and nothing of the lab.\n"
    return note + "import numpy as np\n\n" + "\n".join(lines) + "\n"


def snippet_of(experiment, dtype: str, mistake: str | None) -> str:
    """Write the program; the arrays are already rounded to the dtype."""
    arrays = ("query", "key", "value", "grad_output", "attn_mask")
    lines = [literal(getattr(experiment, name), name) for name in arrays]
    lines += [f"is_causal = {experiment.is_causal}", literal(experiment.scale, "scale")]
    note = f"# {experiment.name}, {dtype}" + (f", {mistake}" if mistake else "") + "\n"
    mask = experiment.attn_mask
    joined = "None" if mask is None else MASK[mask.dtype.kind, experiment.is_causal]
    causal = "is_causal" if mask is None else "False"
    last = MISTAKEN.format(heads=experiment.heads, mistake=mistake) if mistake else JUDGE.format(
        dtype=dtype, mask=joined, causal=causal
    )
    head = WHERE + note + HEAD + (PLANTED if mistake else "")
    return head + "\n" + "\n".join(lines) + "\n" + CALL + last
