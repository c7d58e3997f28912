"""Masking: who may look at whom, in six words or the reader's own; drawn, compared and broken."""

import streamlit as st

from attention_core import causal_mask, combine_masks, padding_mask, sliding_window_mask
from pages.ui import controls, lesson, mask_lab, mask_ways, words
from pages.ui.frame import close_page, open_page
from pages.ui.sentence import say_what_was_typed, say_where_vectors_come_from, sentence

_ = open_page("masking")
st.html(mask_lab.STYLESHEET)
given = sentence(_)
tokens, n = given.tokens, len(given.tokens)

with st.container(horizontal=True, gap="medium", key="controls"):
    controls.choice("mask", _("Mask"), lambda kind: _(words.MASK[kind]))
    row = mask_lab.ask_for_query(_, tokens)
masks = mask_lab.ask_for_masks(_, n)

worked = mask_lab.worked_out(_, given, masks)
with lesson.shown():
    mask_lab.picture(_, masks, worked, row)
    lesson.sentence(mask_lab.say(_, masks, worked, row))
mask_lab.clear_drawing(_, masks)
say_what_was_typed(_, given)
say_where_vectors_come_from(_, given)

lesson.tries(
    _,
    (_("Hide the future from “sat”"), {**mask_lab.ORDINARY, "mask": "causal", "query": 3}),
    (_("A row with nothing to see"), {
        **mask_lab.ORDINARY, "mask": "both", "query": 1, "pads": 2, "side": "start", "beside": "wrong",
        "way": "minus_1e9",
    }),
    (_("A cache: 1 query, 3 keys"), {
        **mask_lab.ORDINARY, "words": "The cat sat", "mask": "causal", "query": 3, "cached": 2, "align": "bottom_right",
    }),
    (_("Change the future"), {**mask_lab.ORDINARY, "mask": "causal", "query": 3, "beside": "future", "changed": 6}),
    (_("Everybody sees everybody"), {**mask_lab.ORDINARY, "mask": "none", "query": 3}),
)
mask_ways.beside(_, masks, worked)

lesson.why(_, "masking")
lesson.code_that_ran(_, causal_mask, padding_mask, sliding_window_mask, combine_masks)
lesson.references(_, "vaswani", "torch")
close_page(_, "masking")
