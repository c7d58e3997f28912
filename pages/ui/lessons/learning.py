"""The learning lesson: what is trained, both ways as they learn, and who learnt in the end."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
import streamlit as st

from attention_core.recall import CLASSES, KEYS, SYMBOLS
from attention_core.training import BATCH, HELD_OUT, LEARNT, Progress, train
from attention_core.ways import ablation, scaled_and_not
from pages.ui import controls, lesson
from pages.ui.language import N_, Language
from pages.ui.lessons import runs
from pages.ui.lessons.learning_charts import over_steps
from pages.ui.lessons.verification_table import findings

OPTIMIZER = {"sgd": "SGD", "adam": "Adam"}
RATES = {"sgd": {"low": 0.1, "middle": 0.3, "high": 1.0}, "adam": {"low": 0.003, "middle": 0.01, "high": 0.03}}
# measure -> (its name, the chart's title, the axis' range, whether it is logarithmic)
MEASURE = {
    "accuracy": (N_("accuracy"), N_("Share of right answers"), (0, 1), False),
    "loss": (N_("loss"), N_("Loss, in nats"), (0, 2.5), False),
    "largest": (N_("largest weight"), N_("Largest weight, maxⱼ pⱼ, mean over the examples"), (0, 1), False),
    "gradient": (N_("gradient"), N_("Length of the gradient of W_Q and W_K"), (1e-6, 10), True),
    "at_scores": (N_("gradient at scores"), N_("Length of the gradient at the scaled scores"), (1e-8, 0.1), True),
}
RANGE = {
    "accuracy": N_("At step {step} the seeds answer {divided} right with the division, {raw} without it."),
    "loss": N_("At step {step} the seeds' losses are {divided} with the division, {raw} without it."),
    "largest": N_("At step {step} the seeds' largest weights are {divided} with the division, {raw} without it."),
    "gradient": N_("At step {step} the seeds' gradients are {divided} long with the division, {raw} without it."),
    "at_scores": N_("At step {step} the gradients at the scaled scores are {divided} long with the division, {raw} "
                    "without it."),
}


@dataclass(frozen=True)
class Setting:
    """Hold what is trained: everything that makes a run what it is."""

    d_k: int
    optimizer: str
    rate: float
    steps: int
    seeds: tuple[int, ...]


def ask(_: Language) -> Setting:
    """Ask what is to be trained."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="controls"):
        d_k = controls.choice("train_d_k", _("Width dₖ"), str)
        optimizer = controls.choice("train_optimizer", _("Optimiser"), OPTIMIZER.get)
        rates = RATES[optimizer]
        rate = controls.choice("train_rate", _("Learning rate"), lambda size: rate_text(_, rates[size]))
        steps = controls.choice("train_steps", _("Steps"), str)
        count = controls.slider("train_seeds", _("Number of seeds"))
        first = controls.slider("train_first", _("First seed"))
    return Setting(int(d_k), optimizer, rates[rate], int(steps), tuple(range(first, first + count)))


@st.cache_resource(show_spinner=False, max_entries=16)
def training(d_k: int, optimizer: str, rate: float, steps: int, seeds: tuple[int, ...], apart: bool) -> runs.Run:
    """Return the run of a setting, the same for all sessions; `apart` takes the division apart into five ways."""
    ways = ablation(d_k, optimizer) if apart else scaled_and_not(d_k)
    return runs.Run(train(d_k, ways, seeds, optimizer, rate, steps), first_report(d_k, seeds, len(ways)))


def first_report(d_k: int, seeds: Sequence[int], ways: int) -> Progress:
    """Return how the first of the five ways start: what a page shows before anybody trains, from what is known."""
    looks = [first_look(d_k, seed) for seed in seeds]
    beside = {name: np.concatenate([getattr(look, name) for look in looks], axis=-1)[:ways] for name in MEASURE}
    return Progress(0, **beside)


@lru_cache(maxsize=2048)
def first_look(d_k: int, seed: int) -> Progress:
    """Return how all five ways start with one seed, whatever the optimiser, the rate and the other seeds."""
    return next(train(d_k, ablation(d_k, "sgd"), [seed]))


def run_of(setting: Setting, apart: bool = False) -> runs.Run:
    """Return the run of a setting."""
    return training(*vars(setting).values(), apart)


def task(_: Language) -> None:
    """Say what the head has to learn."""
    st.markdown(_(
        "The task: {symbols} symbols exist. The head sees {keys} of them, each with one of {classes} classes, and is "
        "asked for the class that goes with one of them; the symbol asked for makes the query, those shown make the "
        "keys, their classes the values. Guessing is right in {guess} of the cases. Every step learns from {batch} new "
        "examples; everything shown is measured on {held_out} others. Both kinds of head start from the same numbers.",
        symbols=SYMBOLS, keys=KEYS, classes=CLASSES, guess=_.percent(1 / CLASSES), batch=BATCH, held_out=HELD_OUT,
    ))


def start(_: Language, setting: Setting, run: runs.Run) -> None:
    """Offer to start, and ask which two measures are drawn."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="start"):
        runs.buttons(_, "learning", setting, run)
        with st.container(horizontal=True, gap="small", width=352):  # the two stay side by side on a phone
            for name, label in (("train_left", _("First curves")), ("train_right", _("Second curves"))):
                controls.select(name, label, list(MEASURE), lambda measure: _(MEASURE[measure][0]), 167)


def draw(_: Language, setting: Setting, reports: Sequence[Progress]) -> None:
    """Draw how far training is: bar, curves, sentence, table; worked out first, so that all change at once."""
    step, names = reports[-1].step, ("train_left", "train_right")
    pictures = [curves(_, setting, reports, controls.value(name)) for name in names]
    says, results = say(_, setting, reports), table(_, setting, reports)
    st.progress(step / setting.steps, _("Step {step} of {steps}", step=step, steps=setting.steps))
    for column, name, picture in zip(st.columns(2), names, pictures, strict=True):
        with column:
            lesson.chart(key=f"{name}_curves", **picture)
    lesson.sentence(says)
    lesson.picture(results)


def curves(_: Language, setting: Setting, reports: Sequence[Progress], measure: str) -> dict[str, object]:
    """Return one measure of both ways as a chart, with its title and what it shows."""
    __, title, y_range, log = MEASURE[measure]
    scaled, raw = of(reports, measure).transpose(1, 0, 2)  # (reports, seeds) each
    figure = over_steps(
        np.array([progress.step for progress in reports]), {"raw": raw, "scaled": scaled}, setting.seeds, setting.steps,
        {"raw": _("not divided"), "scaled": _("divided by √dₖ"), "seed": _("seed"), "x": _("step"), "y": ""},
        _.separators, y_range, log, LEARNT if measure == "accuracy" else None,
    )
    write = {"accuracy": _.percent, "largest": lambda value: _.weight(value, 3)}.get(measure, partial(small, _))
    divided, not_divided = (span(_, write(end[-1].min()), write(end[-1].max())) for end in (scaled, raw))
    alt = _(RANGE[measure], step=reports[-1].step, divided=divided, raw=not_divided)
    alt += " " + start_of(_, measure, scaled[0].mean(), raw[0].mean())
    return {"figure": figure, "title": _(title), "alt": alt.strip()}


def span(_: Language, low: str, high: str) -> str:
    """Write where the seeds lie; once where they are all the same."""
    return low if low == high else _("{low} to {high}", low=low, high=high)


def start_of(_: Language, measure: str, scaled: float, raw: float) -> str:
    """Say what the gradients' first values show, where they do."""
    if measure == "gradient" and raw > scaled:
        return _("It does not start shorter without the division: {raw} against {scaled} on average, since every score "
                 "then passes on √dₖ times as much. The gradient at the scores is the one to watch.",
                 raw=small(_, raw), scaled=small(_, scaled))
    if measure == "at_scores" and raw < scaled:
        return _("Before the first step softmax lets less through without the division: {raw} against {scaled} on "
                 "average.", raw=small(_, raw), scaled=small(_, scaled))
    return ""


def say(_: Language, setting: Setting, reports: Sequence[Progress]) -> str:
    """Say how many seeds have learnt, and which of them without the division."""
    n = len(setting.seeds)
    scaled, raw = first_at(reports)
    if len(reports) == 1:
        largest = reports[0].largest.mean(axis=-1)
        return _("Before the first step the largest weight is on average **{scaled}** with the division and **{raw}** "
                 "without it: that is how saturated both start. Press the button, and for each seed one head of either "
                 "kind learns.", scaled=_.weight(largest[0], 2), raw=_.weight(largest[1], 2))
    made = [str(seed) for seed, at in zip(setting.seeds, raw, strict=True) if np.isfinite(at)]
    says = _("By step {step}, **{scaled} of {n}** seeds have reached {learnt} right answers with the division "
             "({share}), **{raw} of {n}** without it ({share_raw}).", step=reports[-1].step, n=n,
             learnt=_.percent(LEARNT), scaled=np.isfinite(scaled).sum(), share=_.percent(np.isfinite(scaled).mean()),
             raw=len(made), share_raw=_.percent(np.isfinite(raw).mean()))
    return says + " " + verdict(_, setting, reports, made)


def verdict(_: Language, setting: Setting, reports: Sequence[Progress], made: Sequence[str]) -> str:
    """Say what follows from the counts."""
    scaled, raw = first_at(reports)
    reached, over = np.isfinite(scaled).sum(), reports[-1].step == setting.steps
    if over and reached == len(made) > 0:
        both = np.isfinite(scaled) & np.isfinite(raw)
        if both.any():
            return _("Whether the scores are divided makes no difference to the count here; the median step of a seed "
                     "that made it both ways is {scaled} with the division and {raw} without it.",
                     scaled=_.short(np.median(scaled[both]), 1), raw=_.short(np.median(raw[both]), 1))
    if made:
        return _("The seeds that made it without the division: {seeds}.", seeds=", ".join(made))
    return _("No seed has made it without the division.")


def table(_: Language, setting: Setting, reports: Sequence[Progress]) -> str:
    """Return the results of every seed."""
    last, reached = reports[-1], first_at(reports)
    rows = [
        [str(seed), *(text for way in (0, 1) for text in (
            _.percent(last.accuracy[way, i], 1), _.number(last.loss[way, i], 3), when(_, reached[way, i]),
        ))]
        for i, seed in enumerate(setting.seeds)
    ]
    learnt = _.percent(LEARNT)
    heads = [
        _("seed"), _("right, divided"), _("loss, divided"), _("{learnt} at step, divided", learnt=learnt),
        _("right, not divided"), _("loss, not divided"), _("{learnt} at step, not divided", learnt=learnt),
    ]
    return findings("learning", _("Every seed at step {step}", step=last.step), heads, rows)


def of(reports: Sequence[Progress], measure: str) -> np.ndarray:
    """Return one measure of all reports, (reports, ways, seeds)."""
    return np.array([getattr(progress, measure) for progress in reports])


def first_at(reports: Sequence[Progress]) -> np.ndarray:
    """Return the first reported step at which each has learnt, (ways, seeds); infinity where none."""
    learnt = of(reports, "accuracy") >= LEARNT
    steps = np.array([progress.step for progress in reports], float)
    return np.where(learnt.any(axis=0), steps[learnt.argmax(axis=0)], np.inf)


def when(_: Language, step: float) -> str:
    """Write a step that may never have come."""
    return _.number(step, 0) if np.isfinite(step) else _("never yet")


def small(_: Language, value: float) -> str:
    """Write a number with three decimals, or as a power of ten where these would not show it."""
    return _.power(value) if 0 < value < 1e-3 else _.number(value, 3)


def rate_text(_: Language, rate: float) -> str:
    """Write a learning rate with the decimals it has."""
    return _.number(rate, len(f"{rate:g}".partition(".")[2]))
