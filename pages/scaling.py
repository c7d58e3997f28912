"""Scaling: why the scores are divided by sqrt(d_k)."""

import json

import streamlit as st

from attention_core import softmax
from attention_core.draws import nested_draw, scores_by_width
from pages.ui import cached, controls, lesson, words
from pages.ui.frame import show_page
from pages.ui.language import Language
from pages.ui.lessons import scaling_closer, scaling_orders, scaling_program
from pages.ui.live.keep import keep_file
from pages.ui.live.saturation import saturation_element
from pages.ui.take import home


def page(_: Language) -> None:
    """Ask, compute, show and say."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="controls"):
        divisor = controls.choice("divisor", _("Divide the scores by"), lambda kind: _(words.DIVISOR[kind]))
        value = controls.decimal("value", _("Divisor")) if divisor == "free" else None
        seed = controls.slider("seed", _("Seed of the draws"))
        controls.another("seed", _("Another seed"))
        n_keys = controls.slider("keys", _("Number of keys"))
    d_k, mean, std = controls.value("d_k"), controls.value("mean"), controls.value("std")

    setting = (n_keys, mean, std, divisor, value)
    draw, experiment = cached.followed(seed, *setting)
    live = cached.live(_.lang, seed, *setting)
    saturation_element(_, live)
    if mean or std != 1:
        st.info(_(
            "The components have mean {mean} and standard deviation {std}, not 0 and 1 as √dₖ assumes; the shaded "
            "spread is what 0 and 1 would give. Look closer at the variance.",
            mean=_.number(mean, 1), std=_.number(std, 1),
        ), icon=":material/tune:")

    sources = {"d_k": 64, "seed": 0, "keys": 8, "divisor": "sqrt_d_k", "mean": 0.0, "std": 1.0}
    lesson.tries(
        _,
        (_("Push dₖ to 512"), {"d_k": 512}),
        (_("Seed 137: luck hides it"), sources | {"seed": 137}),
        (_("Divide by dₖ: too much"), {"divisor": "d_k"}),
        (_("The sources' figures"), sources),
    )
    match controls.choice("closer", _("Look closer at"), lambda what: _(words.CLOSER[what])):
        case "numbers":
            scaling_closer.numbers(_, experiment, d_k)
        case "variance":
            scaling_closer.variance(_, experiment, d_k, seed, mean, std)
        case "gradient":
            scaling_closer.gradient(_, experiment, d_k, setting)
        case "precision":
            scaling_closer.precision(_, experiment.scores[d_k - 1])
            scaling_orders.show(_, draw, d_k)
    lesson.keep(
        _("Keep this page as a file that works offline"),
        lambda: keep_file(_, json.loads(live), d_k, mean, std), "scaling.html",
    )

    home.take_home(_, "scaling", lambda: scaling_program.program(
        _, experiment, cached.all_seeds(*setting), seed, d_k, setting,
    ))
    lesson.why(_, "scaling")
    lesson.code_that_ran(_, nested_draw, scores_by_width, softmax)
    lesson.references(_, "vaswani")


show_page("scaling", page)
