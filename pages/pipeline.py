"""The pipeline: one word of a sentence, followed through six steps from its vector to its output."""

from functools import partial

import streamlit as st

from attention_core import project, scaled_dot_product_attention
from pages.ui import controls, lesson
from pages.ui.frame import show_page
from pages.ui.language import Language
from pages.ui.lessons import pipeline_follow, pipeline_output, pipeline_program, pipeline_steps, pipeline_tables
from pages.ui.lessons.pipeline_steps import CAUSAL, ORDER, STEP, VIEW
from pages.ui.tables.arithmetic import arithmetic
from pages.ui.tables.board import board
from pages.ui.take import home
from pages.ui.typed import inputs
from pages.ui.typed.sentence import ask_for_words, say_what_was_typed, say_where_vectors_come_from, sentence
from pages.ui.typed.unreadable import shown


def page(_: Language) -> None:
    """Ask, compute, show and say."""
    given = sentence(_)
    wrong = inputs.mismatch(_, *given.arrays)

    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="controls"):
        step = controls.choice("step", _("Step"), lambda step: _(STEP[step]))
        word = controls.position("word", _("Word"), [shown(token) for token in given.tokens])
        ask_for_words(_)
        causal, backwards = False, False
        if step == "mask":
            causal = controls.choice("causal", _("Mask"), lambda mask: _(CAUSAL[mask])) == "yes"
        if step == "output":
            backwards = controls.choice("order", _("Order of the words"), lambda order: _(ORDER[order])) == "reversed"
    say_what_was_typed(_, given)

    if wrong:
        st.error(wrong, icon=":material/straighten:")
        bare = pipeline_follow.only_inputs(given)
        board("steps", pipeline_tables.given_tables(_, given, bare, word - 1), inputs=given.inputs)
        experiments = pipeline_steps.ways_out(_, given)
    else:
        followed = pipeline_follow.follow(given, word, controls.value("cell"), causal, backwards)
        view = VIEW[step](_, followed)
        with lesson.shown():
            board(
                "steps", view.tables, arithmetic(_, followed.worked, view.place),
                ask=("word", pipeline_follow.askers(given, backwards)), inputs=view.inputs,
            )
            lesson.sentence(view.says)
        experiments = pipeline_steps.ways_on(_, step, view)

    if step == "project" or wrong:
        inputs.as_text(_, *given.inputs)
    lesson.tries(_, *experiments)
    say_where_vectors_come_from(_, given)
    if step == "output" and not wrong:
        pipeline_output.inside_the_values(_, followed)
        pipeline_output.in_another_order(_, given)
        pipeline_output.whole_path(_, followed)
    if given.of_the_source:
        st.markdown(_(
            "The source prints its figures without its matrices: X, W_Q, W_K, W_V and the names of their features are "
            "our reconstruction, which gives every figure that it prints; others would too."
        ))

    home.take_home(_, "pipeline", None if wrong else partial(pipeline_program.program, _, step, followed, view.says))
    lesson.why(_, "pipeline")
    lesson.code_that_ran(_, project, scaled_dot_product_attention)
    lesson.references(_, "vaswani")


show_page("pipeline", page, pipeline_tables.STYLESHEET)
