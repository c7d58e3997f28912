"""Verification: a bench on which anybody can try to catch the lab in a mistake, and on which a planted one shows."""

from functools import partial

import streamlit as st

from attention_core import attention_gradients, scaled_dot_product_attention, softmax
from pages.ui import controls, lesson, words
from pages.ui.frame import show_page
from pages.ui.judge import asked
from pages.ui.language import Language
from pages.ui.lessons import (
    verification_backends,
    verification_battery,
    verification_dtypes,
    verification_experiment,
    verification_own,
    verification_program,
    verification_stages,
)
from pages.ui.lessons.verification_mistakes import SHOWS
from pages.ui.take import home


def page(_: Language) -> None:
    """Ask, compute, show and say."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="controls"):
        section = controls.choice("bench", _("Show"), lambda section: _(words.BENCH[section]))
        mistake = verification_stages.ask_for_mistake(_) if section in ("stages", "battery") else None
        if section != "own":
            asked.offer(_)
    asked.missing(_)
    chosen = verification_experiment.ask(_) if section in ("stages", "dtypes", "own") else None

    match section:
        case "stages":
            verification_stages.show(_, chosen, mistake)
        case "dtypes":
            verification_dtypes.show(_, chosen.experiment)
        case "backends":
            verification_backends.show(_)
        case "battery":
            verification_battery.show(_, mistake)
        case "own":
            verification_own.show(_, chosen)
    asked.versions_line(_)

    lesson.tries(
        _,
        (_("The source's example, with PyTorch"), {
            "example": "source", "compare": "yes", "bench": "stages", "bug": "none", "q": None, "k": None, "v": None,
        }),
        (_("Plant a mistake: mask after softmax"), {**SHOWS["mask_after_softmax"], "bug": "mask_after_softmax"}),
        (_("Two heads, a causal mask, PyTorch"), {
            **SHOWS["off_by_one_causal"], "compare": "yes", "bug": "none",
        }),
    )
    if chosen:
        program = partial(verification_program.program, _, chosen, mistake) if chosen.experiment else None
        home.take_home(_, "verification", program)
    lesson.why(_, "verification")
    lesson.code_that_ran(_, scaled_dot_product_attention, softmax, attention_gradients)
    lesson.references(_, "vaswani", "torch")


show_page("verification", page)
