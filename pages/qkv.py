"""Query, key and value: three roles of one input, worked out on two words and on any numbers a reader sets."""

from functools import partial

import streamlit as st

from attention_core import project, scaled_dot_product_attention
from pages.ui import controls, lesson, words
from pages.ui.frame import show_page
from pages.ui.language import Language
from pages.ui.lessons import qkv_example, qkv_experiments, qkv_numbers, qkv_program
from pages.ui.take import home
from pages.ui.typed import inputs


def page(_: Language) -> None:
    """Ask, compute, show and say."""
    _ = qkv_numbers.Powers(_.lang)
    given = qkv_example.example(_)

    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="controls"):
        controls.choice("token", _("Query"), given.name, options=given.ids)
        controls.choice("tie", _("Projections"), lambda kind: _(words.TIE[kind]))

    wrong = inputs.mismatch(_, *given.arrays())
    worked = None if wrong else given.work()
    with lesson.shown():  # one element, with or without a picture: the tables below keep their focus
        if worked:
            qkv_example.picture(_, given, worked)
            lesson.sentence(qkv_example.says(_, given, worked))
        else:
            st.info(_("Nothing can be computed while two sizes disagree. The tables below say which; mend them there."),
                    icon=":material/grid_off:")
    lesson.tries(
        _,
        (_("Let “ikan” ask"), {"token": "ikan"}),
        (_("One matrix for Q and K"), {"token": "makan", "tie": "q_k"}),
        (_("The source's example"), {"token": "makan", **qkv_example.PLAIN}),
    )

    st.subheader(_("Where the roles come from: each row of a projection has a meaning"), anchor=False)
    st.markdown(_(
        "Every number can be changed, and every matrix can have more or fewer rows and columns. A token more is a row "
        "of X; a feature more is a column of X and a row of each projection; dₖ is the columns of W_Q and W_K, dᵥ "
        "those of W_V."
    ))
    qkv_example.draw_inputs(_, given)

    st.subheader(_("A closer look"), anchor=False)
    ask = controls.choice("ask", _("Question"), lambda what: _(qkv_experiments.ASK[what]))
    if worked:
        qkv_experiments.closer(_, ask, given, worked)
    else:
        st.info(_("This experiment is back as soon as the sizes above agree."), icon=":material/grid_off:")

    home.take_home(_, "qkv", partial(qkv_program.program, _, ask, given, worked) if worked else None)
    lesson.why(_, "qkv")
    lesson.code_that_ran(_, project, scaled_dot_product_attention, qkv_experiments.CODE[ask])
    lesson.references(_, "vaswani", "alammar")


show_page("qkv", page)
