"""A closer look at scaling: the division on the scores, on the query, or half on either side."""

import numpy as np

from attention_core.draws import Draw
from attention_core.scale_orders import ORDERS, apart, scaled_in_order
from pages.ui import lesson
from pages.ui.language import N_, Language
from pages.ui.lessons.masking_ways import figure
from pages.ui.tables.matrix import matrix, side_by_side
from pages.ui.words import key_name

ORDER = {
    "scores": N_("the scores divided by √dₖ"), "query": N_("the query divided by √dₖ"),
    "both": N_("query and keys divided by the root of √dₖ"),
}


def show(_: Language, draw: Draw, d_k: int) -> None:
    """Show the scaled scores in all three orders, and how far they are apart."""
    query, keys = draw.query[None, :d_k], draw.keys[:, :d_k]
    scaled = np.stack([scaled_in_order(query, keys, order)[0] for order in ORDERS], axis=-1)  # (n_keys, 3)
    gaps = apart(query, keys)
    names, heads = [key_name(j) for j in range(len(keys))], [_(ORDER[order]) for order in ORDERS]
    lesson.picture(side_by_side(
        matrix("orders", scaled, names, heads, _.number, scale="score",
               caption=_("The same division, in three places")),
        matrix("orders_apart", gaps[:, None], heads, [_("largest difference")], lambda gap: figure(_, gap),
               caption=_("Against the first")),
    ))
    lesson.sentence(_(
        "It is one product: at dₖ = {d_k} dividing the query is **{query}** away from dividing the scores, half on "
        "either side **{both}**, which is no more than rounding. PyTorch gives Q and K each the root of the factor on "
        "its maths path.", d_k=d_k, query=figure(_, gaps[1]), both=figure(_, gaps[2]),
    ), of="orders")
