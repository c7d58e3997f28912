"""A program that asks both of PyTorch's paths about one experiment; it needs nothing of the lab."""

from pages.ui.bench.experiment import Experiment
from pages.ui.bench.snippet import literal

HEAD = """import numpy as np
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

"""
CALL = """
tensors = [torch.from_numpy(array) for array in (query, key, value)]
mask = None if attn_mask is None else torch.from_numpy(attn_mask)
for path in (SDPBackend.MATH, SDPBackend.FLASH_ATTENTION):  # FLASH_ATTENTION is the fused path
    with sdpa_kernel(path):
        output = scaled_dot_product_attention(*tensors, mask, is_causal=is_causal, scale=scale)
    print(path.name, output, sep="\\n")
"""


def two_paths(experiment: Experiment) -> str:
    """Write the program; the experiment has four axes, and not both a mask and is_causal.

    Examples
    --------
    >>> from pages.ui.bench.experiment import drawn
    >>> [line for line in two_paths(drawn(0, mask="causal", scale="zero")).splitlines() if line.startswith("scale")]
    ['scale = 0.0']
    """
    arrays = [literal(getattr(experiment, name), name) for name in ("query", "key", "value", "attn_mask")]
    options = [f"is_causal = {experiment.is_causal}", literal(experiment.scale, "scale")]
    return (HEAD + "\n".join([*arrays, *options]) + "\n" + CALL).strip()
