"""Masking: who may look at whom, in six words or the reader's own; drawn, compared and broken."""

from functools import partial

import streamlit as st

from attention_core import causal_mask, combine_masks, padding_mask, sliding_window_mask
from pages.ui import controls, lesson, words
from pages.ui.frame import show_page
from pages.ui.language import Language
from pages.ui.lessons import masking_beside, masking_lab, masking_program, masking_tries
from pages.ui.take import home
from pages.ui.typed.sentence import say_what_was_typed, say_where_vectors_come_from, sentence


def page(_: Language) -> None:
    """Ask, compute, show and say."""
    given = sentence(_)
    tokens, n = given.tokens, len(given.tokens)

    with st.container(horizontal=True, gap="medium", key="controls"):
        controls.choice("mask", _("Mask"), lambda kind: _(words.MASK[kind]))
        row = masking_lab.ask_for_query(_, tokens)
    masks = masking_lab.ask_for_masks(_, n)

    worked = masking_lab.worked_out(_, given, masks)
    with lesson.shown():
        masking_lab.picture(_, masks, worked, row)
        lesson.sentence(masking_lab.say(_, masks, worked, row))
    masking_lab.clear_drawing(_, masks)
    say_what_was_typed(_, given)
    say_where_vectors_come_from(_, given)

    lesson.tries(_, *masking_tries.tries(_, given))
    masking_beside.beside(_, masks, worked)

    home.take_home(_, "masking", partial(masking_program.program, _, masks, worked, row))
    lesson.why(_, "masking")
    lesson.code_that_ran(_, causal_mask, padding_mask, sliding_window_mask, combine_masks)
    lesson.references(_, "vaswani", "torch")


show_page("masking", page, masking_lab.STYLESHEET)
