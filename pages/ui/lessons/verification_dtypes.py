"""Four precisions: how far apart two right answers are in each, what is allowed and why, in one and in many draws."""

from collections.abc import Mapping

import numpy as np
import streamlit as st

from pages.ui import lesson
from pages.ui.bench.experiment import Experiment, drawn
from pages.ui.bench.plain import plain_stages
from pages.ui.bench.stages import MEASURED, REASONS, allowance, ours, row
from pages.ui.judge import asked
from pages.ui.judge.reference import TOLERANCES
from pages.ui.language import Language
from pages.ui.lessons.verification_table import findings, size_of, verdict
from pages.ui.plot import Figure, axis, figure, scatter
from pages.ui.theme import COLOURS, NEUTRAL, RAW, SCALED, band_colour

DRAWS = 200
SIZES = {"n": 4, "m": 6, "d_k": 8, "d_v": 8}
EDGES = np.arange(-18, -1.25, 0.25)  # powers of ten
OURS_ALONE = ("float64", "float32")  # NumPy has no bfloat16, and the core computes float16 in float32


def show(_: Language, experiment: Experiment | None) -> None:
    """Show what each precision costs, on this experiment and on many."""
    if experiment is not None:
        theirs = asked.attempt(_, asked.outputs, [experiment.question(dtype) for dtype in TOLERANCES])
        found = measured(experiment, theirs)
        lesson.picture(table_of(_, found, theirs is not None))
        st.caption(_("The last column is no computation of this page: the lab's authors measured it once, as the "
                     "largest difference between ours and PyTorch's in ten seeded draws of standard normal numbers "
                     "with up to 256 components. Other draws can go above it; the tolerance leaves room for them."))
        say(_, found, theirs is not None)
    for dtype in TOLERANCES:
        st.markdown(f"- **{dtype}**: {_(REASONS[dtype])}")
    many(_)


def measured(experiment: Experiment, theirs: list[np.ndarray] | None) -> dict:
    """Hold the outputs side by side in every precision; without PyTorch, against plain Python where we have one."""
    found = {}
    for number, dtype in enumerate(TOLERANCES):
        got = ours(experiment, None, dtype, gradients=False)
        if theirs:
            expected = theirs[number]
        elif dtype in OURS_ALONE:
            expected = plain_stages(experiment.in_dtype(dtype))["output"]
        else:
            found[dtype] = None
            continue
        found[dtype] = row("output", got["output"], expected, allowance(TOLERANCES[dtype], got, "output"))
    return found


def table_of(_: Language, found: dict, torch: bool) -> str:
    """Draw the precisions, one a row."""
    judge = _("PyTorch") if torch else _("plain Python")
    marks = ["missing" if each is None else "agrees" if each.agrees else "differs" for each in found.values()]
    rows = [
        (f"<code>{dtype}</code>", verdict(_, mark), "–" if each is None else size_of(_, each.difference),
         "–" if each is None else size_of(_, each.tolerance), size_of(_, TOLERANCES[dtype]),
         size_of(_, MEASURED[dtype]))
        for (dtype, each), mark in zip(found.items(), marks, strict=True)
    ]
    heads = (_("Precision"), _("Verdict"), _("Largest difference now"), _("Tolerance here"), _("For numbers of size 1"),
             _("Measured by the authors"))
    return findings("dtypes", _("The output in four precisions, ours against {judge}", judge=judge), heads, rows, marks)


def say(_: Language, found: dict, torch: bool) -> None:
    """Say what the table shows."""
    wide, narrow = found["float64"], found["float32"]
    text = _(
        "On this experiment two right answers are **{wide}** apart in float64 and **{narrow}** in float32. Neither is "
        "0 in general: equality to the last bit is not what to expect.",
        wide=size_of(_, wide.difference), narrow=size_of(_, narrow.difference),
    )
    if not torch:
        text += " " + _("Float16 and bfloat16 are PyTorch's: they need it.")
    lesson.sentence(text)


def many(_: Language) -> None:
    """Show the differences of many seeded draws."""
    experiments = [drawn(seed, **SIZES) for seed in range(DRAWS)]
    theirs = asked.attempt(_, asked.outputs, [each.question(dtype) for dtype in TOLERANCES for each in experiments])
    differences = over_draws(theirs)
    judge = _("PyTorch") if theirs else _("plain Python")
    zeros = {dtype: _.percent((gaps == 0).mean(), 1) for dtype, gaps in differences.items()}
    largest = {dtype: size_of(_, gaps.max()) for dtype, gaps in differences.items()}
    if not theirs:
        st.caption(_("Float16 and bfloat16 are missing from this picture: NumPy computes them in float32, so that only "
                     "PyTorch's rounding would be seen. With PyTorch they are drawn, too."))
    lesson.chart(
        histogram(differences, {**{dtype: dtype for dtype in differences}, "x": _("difference"),
                                "y": _("share of entries")}, _.separators),
        key="differences",
        title=_("Differences from {judge} in {count} draws, entry by entry", judge=judge, count=DRAWS),
        alt=_("Of {entries} entries in {count} draws with seeds, the difference is 0 exactly in these shares: {zeros}; "
              "an axis of powers of ten has no place for 0. The largest differences: {largest}.",
              entries=differences["float64"].size, count=DRAWS, zeros=listed(zeros), largest=listed(largest)),
    )


def listed(by_dtype: Mapping[str, str]) -> str:
    """Write something for each precision: float64 52 %; float32 48 %."""
    return "; ".join(f"{dtype} {text}" for dtype, text in by_dtype.items())


@st.cache_data(show_spinner=False, max_entries=4)
def over_draws(theirs: list[np.ndarray] | None) -> dict[str, np.ndarray]:
    """Return the differences of all entries of all draws, in every precision that has a judge."""
    found = {}
    for number, dtype in enumerate(TOLERANCES if theirs else OURS_ALONE):
        gaps = []
        for seed in range(DRAWS):
            experiment = drawn(seed, **SIZES).in_dtype(dtype)
            got = ours(experiment, None, dtype, gradients=False)["output"]
            expected = theirs[number * DRAWS + seed] if theirs else plain_stages(experiment)["output"]
            gaps.append(np.abs(got - expected).ravel())
        found[dtype] = np.concatenate(gaps)  # (draws * n * d_v,)
    return found


def histogram(differences: Mapping[str, np.ndarray], words: Mapping[str, str], separators: str) -> Figure:
    """Draw how the differences that are not 0 spread over the powers of ten.

    Parameters
    ----------
    differences : dtype -> (count,) array
        Absolute differences; at most four dtypes.
    words : mapping
        A name for each, and "x" and "y".
    separators : str
        Plotly's decimal and group marks.
    """
    traces = []
    centres = 10 ** ((EDGES[1:] + EDGES[:-1]) / 2)
    looks = ((SCALED, "solid"), (NEUTRAL, "dash"), (RAW, "dot"), (COLOURS["positive"][0], "dashdot"))
    for (dtype, gaps), (colour, dash) in zip(differences.items(), looks, strict=False):
        share = np.histogram(np.log10(gaps[gaps > 0]), EDGES)[0] / gaps.size
        traces.append(scatter(
            x=centres, y=share, name=words[dtype], line={"color": colour, "width": 2, "shape": "hvh", "dash": dash},
            fill="tozeroy", fillcolor=band_colour(colour, 0.25),
        ))
    return figure(
        separators, traces,
        axis(words["x"], type="log", range=[EDGES[0], EDGES[-1]], dtick=2, exponentformat="power"),
        axis(words["y"], range=[0, 0.35], tickformat=".0%"),
    )
