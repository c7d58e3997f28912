"""Masking: who may look at whom, in six words."""

import numpy as np
import streamlit as st

from attention_core import causal_mask, combine_masks, padding_mask, project, scaled_dot_product_attention
from attention_core.examples import six_words
from pages.ui import controls, lesson, words
from pages.ui.frame import close_page, open_page
from pages.ui.matrix import matrix, operator, side_by_side

_ = open_page("masking")
example = six_words()
tokens, n = example.tokens, len(example.tokens)

with st.container(horizontal=True, gap="medium", key="controls"):
    kind = controls.choice("mask", _("Mask"), lambda kind: _(words.MASK[kind]))
    query = controls.position("query", _("Query"), tokens)
row = query - 1
pads, side = controls.value("pads"), controls.value("side")
if kind in ("padding", "both"):
    with st.container(horizontal=True, gap="medium", key="padding"):
        side = controls.choice("side", _("Padding stands"), lambda side: _(words.SIDE[side]))
        pads = controls.slider("pads", _("Positions that are padding"))

padding = padding_mask(n - pads, n)
if side == "start":
    padding = padding[..., ::-1]
attn_mask = combine_masks(
    causal_mask(n) if kind in ("causal", "both") else None,
    padding if kind in ("padding", "both") else None,
)
roles = project(example.x, example.w_query, example.w_key, example.w_value)
attention = scaled_dot_product_attention(roles.query, roles.key, roles.value, attn_mask=attn_mask)
allowed = np.ones((n, n), bool) if attention.allowed is None else attention.allowed
weights = attention.weights[row]
best = int(np.argmax(weights))

look = {"allowed": allowed, "masked": _("masked"), "row": row}
two, percent = (lambda value: _.number(value, 2)), (lambda weight: _.number(100 * weight, 1))
lesson.picture(side_by_side(
    matrix("masked", attention.scaled, tokens, tokens, two, scale="score",
           caption=_("Scaled scores; hatched is −∞"), **look),
    operator("softmax"),
    matrix("weights", attention.weights, tokens, tokens, percent, scale="weight",
           caption=_("Weights in %, a row a query"), **look),
    operator("× <i class='V'>V</i>"),
    matrix("output", attention.output, tokens, ("1", "2", "3"), two, caption=_("Output"), scale="value", row=row),
))
if allowed[row].any():
    lesson.sentence(_(
        "“{query}” sees **{seen} of {n}** tokens, and gives the most, **{share}**, to “{key}”. Over all queries "
        "{left} of {all} entries are left.",
        query=tokens[row], seen=allowed[row].sum(), n=n, share=_.percent(weights[best], 1), key=tokens[best],
        left=allowed.sum(), all=allowed.size,
    ))
else:
    lesson.sentence(_(
        "“{query}” sees **0 of {n}** tokens, so its weights are all 0 and its output is 0. By hand, softmax of "
        "nothing but −∞ is 0 ÷ 0, not a number; zeros are what PyTorch gives too, since version 2.5. Over all queries "
        "{left} of {all} entries are left.", query=tokens[row], n=n, left=allowed.sum(), all=allowed.size,
    ))

lesson.tries(
    _,
    (_("Hide the future from “sat”"), {"mask": "causal", "query": 3}),
    (_("A row with nothing to see"), {"mask": "both", "query": 1, "pads": 2, "side": "start"}),
    (_("Everybody sees everybody"), {"mask": "none", "query": 3}),
)

lesson.why(_, "masking")
lesson.code_that_ran(_, causal_mask, padding_mask, combine_masks)
lesson.references(_, "vaswani", "torch")
close_page(_, "masking")
