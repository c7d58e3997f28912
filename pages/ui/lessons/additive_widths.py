"""A closer look at additive scores: a query and keys of unequal widths, and what each form makes of them."""

import numpy as np

from attention_core import additive_attention, scaled_dot_product_attention
from attention_core.draws import nested_draw
from attention_core.score_network import draw_network
from pages.ui import lesson
from pages.ui.language import Language
from pages.ui.tables.matrix import matrix, operator, side_by_side
from pages.ui.typed.sizes import mismatch_qkv
from pages.ui.words import key_name

KEYS, D_Q, D_K, D_A = 4, 3, 5, 4


def widths(_: Language, seed: int, readout: str) -> None:
    """Show a query of 3 numbers meet keys of 5."""
    draw, network = nested_draw(seed, KEYS, D_K), draw_network(seed, D_Q, D_K, D_A, readout)
    query, keys, values = draw.query[None, :D_Q], draw.keys, np.zeros((KEYS, 1))
    asked, offered = query @ network.w_query.T, keys @ network.w_key.T  # (1, d_a), (m, d_a)
    additive = additive_attention(query, keys, values, network.w_query, network.w_key, network.v)
    projected = scaled_dot_product_attention(asked, offered, values)
    names = [key_name(j) for j in range(KEYS)]
    two = lambda value: _.number(value, 2)  # noqa: E731
    heads = [[str(i + 1) for i in range(width)] for width in (D_Q, D_K, D_A)]
    lesson.picture(
        side_by_side(
            matrix("add_q", query, ["q"], heads[0], two, scale="query", caption=_("Query, {d} numbers", d=D_Q)),
            matrix("add_k", keys, names, heads[1], two, scale="key", caption=_("Keys, {d} numbers each", d=D_K)),
        )
        + side_by_side(
            matrix("add_w_q", asked, ["q"], heads[2], two, scale="query", caption="W₁<i>q</i>"),
            operator("+"),
            matrix("add_w_k", offered, names, heads[2], two, scale="key", caption="W₂<i>k</i>"),
        )
        + side_by_side(matrix(
            "add_unequal", np.stack([additive.weights[0], projected.weights[0]]),
            [_("additive"), "W₁q · W₂k ÷ √dₐ"], names, _.weight, scale="weight", caption=_("Weights, rows sum to 1"),
        ))
    )
    lesson.sentence(say(_, query, keys, additive.weights, projected.weights), of="closer")


def say(_: Language, query: np.ndarray, keys: np.ndarray, additive: np.ndarray, projected: np.ndarray) -> str:
    """Say why one form refuses and the other does not, and that a projection is all it takes."""
    refusal = mismatch_qkv(_, query, keys, np.zeros((KEYS, 1)))
    return _(
        "The plain dot product refuses. {refusal} The additive score does not mind: W₁ and W₂ bring both to dₐ "
        "= {d_a}, and its largest weight is **{additive}**. But the projections alone do that. The dot product of W₁q "
        "and W₂k, divided by √{d_a}, takes them too and gives {projected}; a Transformer's W_Q and W_K are such "
        "projections.",
        refusal=refusal, d_a=D_A, additive=_.weight(additive.max()), projected=_.weight(projected.max()),
    )
