"""The parts of the heads lesson: which there are, what each shows, and whose code ran."""

import streamlit as st

from attention_core import multi_head_attention, scaled_dot_product_attention
from attention_core.heads import head_by_head
from attention_core.mistakes import attend_with
from attention_core.not_text import neighbours_mask, patches
from pages.ui import controls
from pages.ui.language import N_, Language
from pages.ui.lessons import heads_cross, heads_graph, heads_multi, heads_picture, heads_scale

PART = {
    "cross": N_("Self and cross"),
    "heads": N_("Several heads"),
    "scale": N_("A head's scale"),
    "beyond": N_("Not only text"),
}
KIND = {"picture": N_("patches of a picture"), "graph": N_("nodes of a graph")}
CODE = {
    "cross": (multi_head_attention, scaled_dot_product_attention),
    "heads": (multi_head_attention, head_by_head),
    "scale": (attend_with,),
    "beyond": (patches, neighbours_mask, scaled_dot_product_attention),
}
LONG = {"asking": "I am eating the small fish that you bought", "answering": "kamu makan"}


def beyond(_: Language) -> None:
    """Show tokens that are no words."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom", key="beyond_controls"):
        kind = controls.choice("token_kind", _("Tokens"), lambda kind: _(KIND[kind]))
        shown = {"picture": heads_picture, "graph": heads_graph}[kind]
        shown.ask(_)
    shown.show(_)


SHOW = {"cross": heads_cross.show, "heads": heads_multi.show, "scale": heads_scale.show, "beyond": beyond}
