"""Verification: the lab's numbers held against PyTorch's."""

import numpy as np
import streamlit as st

from attention_core import scaled_dot_product_attention, softmax
from pages.ui import cached, controls, lesson, words
from pages.ui.frame import close_page, open_page
from pages.ui.matrix import matrix, operator, side_by_side
from pages.ui.reference import TOLERANCE, TorchError, installed

_ = open_page("verification")

with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="controls"):
    name = controls.choice("example", _("Example"), lambda name: _(words.EXAMPLE[name]))
    controls.setter("compare", _("Run PyTorch on the same numbers"), "yes", icon=":material/fact_check:")

example = words.labelled(name)
attention = scaled_dot_product_attention(example.query, example.key, example.value)
ours = attention.output

queries, keys, two, four = example.queries, example.keys, (lambda value: _.number(value, 2)), _.number
lesson.picture(
    side_by_side(
        matrix("Q", example.query, queries, example.d_k, two, caption="<i class='Q'>Q</i>", scale="query"),
        matrix("K", example.key, keys, example.d_k, two, caption="<i class='K'>K</i>", scale="key"),
        matrix("V", example.value, keys, example.d_v, two, caption="<i class='V'>V</i>", scale="value"),
        matrix("scores", attention.scores, queries, keys, two, caption=_("Scores <i>QK</i>ᵀ"), scale="score"),
    )
    + side_by_side(
        matrix("scaled", attention.scaled, queries, keys, four, caption=_("Scaled by 1 ÷ √dₖ"), scale="score"),
        operator("softmax"),
        matrix("weights", attention.weights, queries, keys, four, caption=_("Weights, rows sum to 1"), scale="weight"),
        operator("× <i class='V'>V</i>"),
        matrix("output", ours, queries, example.d_v, four, caption=_("Output, NumPy"), scale="value"),
    )
)
lesson.sentence(_(
    "With $d_k$ = {d_k} the scores are divided by {root}. The first query gives its keys the weights {weights}; its "
    "output is [{output}].",
    d_k=len(example.d_k), root=_.short(1 / attention.scale, 4), weights=_.list(attention.weights[0]),
    output=_.list(ours[0]),
))

if controls.value("compare") == "yes" and not installed():
    st.info(_("PyTorch is not installed here. `pip install torch==2.13.0` adds it; everything else works without."),
            icon=":material/download:")
elif controls.value("compare") == "yes":
    try:
        with st.spinner(_("PyTorch starts in a process of its own; that takes a few seconds.")):
            theirs = cached.torch_output(example.query, example.key, example.value)
    except TorchError as error:
        st.error(_("PyTorch gave no answer: `{error}`", error=error), icon=":material/error:")
    else:
        difference = np.abs(ours - theirs)
        lesson.picture(side_by_side(
            matrix("torch", theirs, queries, example.d_v, four, caption=_("Output, PyTorch"), scale="value"),
            matrix("difference", difference, queries, example.d_v, _.power, caption=_("Difference, absolute")),
        ))
        verdict = {"difference": _.power(difference.max()), "tolerance": _.power(TOLERANCE, 0)}
        if difference.max() <= TOLERANCE:
            st.success(_("The largest difference is **{difference}**, within the tolerance of {tolerance} for "
                         "float64: NumPy and PyTorch agree.", **verdict), icon=":material/check_circle:")
        else:
            st.error(_("The largest difference is **{difference}**, above the tolerance of {tolerance} for float64: "
                       "NumPy and PyTorch disagree.", **verdict), icon=":material/cancel:")

lesson.tries(
    _,
    (_("The source's example, with PyTorch"), {"example": "source", "compare": "yes"}),
    (_("“ikan” and “makan”"), {"example": "ikan_makan", "compare": "yes"}),
    (_("Six words at once"), {"example": "six_words", "compare": "yes"}),
)
lesson.why(_, "verification")
lesson.code_that_ran(_, scaled_dot_product_attention, softmax)
lesson.references(_, "vaswani", "torch")
close_page(_, "verification")
