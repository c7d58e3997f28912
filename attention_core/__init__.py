"""Scaled dot-product attention and its relatives in NumPy, written to be read."""

from .additive import additive_attention
from .attention import Attention, scaled_dot_product_attention
from .gradients import Gradients, attention_gradients
from .masks import causal_mask, combine_masks, padding_mask, sliding_window_mask
from .multi_head import MultiHead, multi_head_attention
from .projection import Projection, project
from .softmax import entropy, softmax, softmax_jacobian
from .tiled import tiled_attention

__all__ = [
    "Attention",
    "Gradients",
    "MultiHead",
    "Projection",
    "additive_attention",
    "attention_gradients",
    "causal_mask",
    "combine_masks",
    "entropy",
    "multi_head_attention",
    "padding_mask",
    "project",
    "scaled_dot_product_attention",
    "sliding_window_mask",
    "softmax",
    "softmax_jacobian",
    "tiled_attention",
]
