"""What the division does to learning, taken apart: five ways to train, the same seeds."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from attention_core.training import LEARNT, Progress
from attention_core.ways import ablation
from pages.ui import lesson
from pages.ui.language import N_, Language
from pages.ui.lessons import runs
from pages.ui.lessons.learning import Setting, first_at, of, run_of
from pages.ui.lessons.verification_table import findings, size_of

# what each way of attention_core.training.ablation is called; the rate of Adam is divided by another root
WAY = {
    "scaled": N_("divided by √dₖ"),
    "raw": N_("not divided"),
    "raw_small": N_("not divided, small start: W_Q and W_K ÷ ⁴√dₖ"),
    "raw_same": {
        "sgd": N_("not divided, small start, the rate of W_Q and W_K ÷ √dₖ"),
        "adam": N_("not divided, small start, the rate of W_Q and W_K ÷ ⁴√dₖ, Adam's ε × ⁴√dₖ"),
    },
    "scaled_large": N_("divided, saturated start: W_Q and W_K × ⁴√dₖ"),
}


def blame(_: Language, setting: Setting) -> None:
    """Take the division apart, when asked to."""
    st.subheader(_("What is to blame?"), anchor=False)
    st.markdown(_(
        "Dividing the scores does two things at once: both matrices start as if they were smaller, and they learn more "
        "slowly. The same seeds, with these two apart:",
    ))
    run = run_of(setting, apart=True)
    runs.buttons(_, "blame", setting, run)
    runs.live(_, "blame", setting, run, draw)


def draw(_: Language, setting: Setting, reports: Sequence[Progress]) -> None:
    """Draw how far the five ways are, and say what follows."""
    step = reports[-1].step
    st.progress(step / setting.steps, _("Step {step} of {steps}", step=step, steps=setting.steps))
    lesson.picture(table(_, setting, reports))
    lesson.sentence(say(_, setting, reports), of="blame")


def table(_: Language, setting: Setting, reports: Sequence[Progress]) -> str:
    """Return one row for each way."""
    reached = counts(setting, reports)
    start, accuracy = reports[0].largest.mean(axis=-1), reports[-1].accuracy.mean(axis=-1)
    apart = distance(setting, reports)
    rows = [
        [name_of(_, way, setting), _.weight(start[i], 2), f"{reached[way]} / {len(setting.seeds)}",
         _.percent(accuracy[i], 1), size_of(_, apart[way])]
        for i, way in enumerate(reached)
    ]
    heads = [
        _("way"), _("first largest weight"), _("reached {learnt}", learnt=_.percent(LEARNT)), _("right answers"),
        _("loss apart"),
    ]
    return findings("blame", _("Five ways at step {step}, means over the seeds", step=reports[-1].step), heads, rows)


def say(_: Language, setting: Setting, reports: Sequence[Progress]) -> str:
    """Say what the five ways show, as far as they show it."""
    if len(reports) == 1:
        return _("Press the button to train the five ways.")
    if reports[-1].step < setting.steps:
        return _("Step {step} of {steps}: too early to say what is to blame.", step=reports[-1].step,
                 steps=setting.steps)
    reached, apart = counts(setting, reports), distance(setting, reports)
    says = verdict(_, len(setting.seeds), **reached)
    if apart["raw_same"] == 0:
        return says + " " + _("A small start with a smaller rate is the division in other words: its losses are the "
                              "divided ones, to the last digit.")
    return says + " " + _(
        "A small start with a smaller rate is the division in other words: its losses differ from the divided ones by "
        "at most {difference}.", difference=size_of(_, apart["raw_same"]))


def verdict(
    _: Language, n: int, scaled: int, raw: int, raw_small: int, raw_same: int, scaled_large: int,
) -> str:
    """Say what is to blame for the seeds that are lost without the division, if any are."""
    lost, saved = scaled - raw, raw_small - raw
    if lost <= 0 or scaled_large >= scaled:
        return _("At this setting nothing can be told apart: divided, {scaled} of {n} seeds reach it, not divided "
                 "{raw}; with a small start {small}, divided after a saturated start {large}.",
                 n=n, scaled=scaled, raw=raw, small=raw_small, large=scaled_large)
    if 2 * saved > lost:
        return _("The saturated start is to blame. Not divided, {raw} of {n} seeds reach it, and with a small start "
                 "**{small}**. Divided, {scaled} do, and after a saturated start **{large}**.",
                 n=n, scaled=scaled, raw=raw, small=raw_small, large=scaled_large)
    return _("Here the start is not all of it. Not divided, {raw} of {n} seeds reach it, with a small start "
             "**{small}**, with a smaller rate as well **{same}**: the rate was too high, too.",
             n=n, raw=raw, small=raw_small, same=raw_same)


def counts(setting: Setting, reports: Sequence[Progress]) -> dict[str, int]:
    """Count the seeds that have learnt, for each way."""
    reached = np.isfinite(first_at(reports)).sum(axis=-1)
    return dict(zip(ablation(setting.d_k, setting.optimizer), reached.tolist(), strict=True))


def distance(setting: Setting, reports: Sequence[Progress]) -> dict[str, float]:
    """Return the largest difference in loss from the divided way, over all reports and seeds."""
    loss = of(reports, "loss")  # (reports, ways, seeds)
    apart = np.abs(loss - loss[:, :1]).max(axis=(0, 2))
    return dict(zip(ablation(setting.d_k, setting.optimizer), apart.tolist(), strict=True))


def name_of(_: Language, way: str, setting: Setting) -> str:
    """Call a way by its name."""
    name = WAY[way]
    name = name if isinstance(name, str) else name[setting.optimizer]
    return _(name)
