"""Stage by stage: ours against a judge's, from the first product to the gradients, and a planted mistake in red."""

from dataclasses import dataclass

import numpy as np
import streamlit as st

from attention_core.mistakes import STAGE_OF
from pages.ui import lesson, share, words
from pages.ui.bench.experiment import Experiment
from pages.ui.bench.plain import plain_stages
from pages.ui.bench.stages import GROWTH, NO_GRADIENTS, StageRow, allowance, compare, first_red, ours, row
from pages.ui.judge import asked
from pages.ui.judge.reference import TOLERANCE
from pages.ui.language import Language
from pages.ui.lessons.verification_experiment import Chosen
from pages.ui.lessons.verification_matrices import NAME, beside, draw_board, draw_inputs
from pages.ui.lessons.verification_mistakes import SIGNATURE
from pages.ui.lessons.verification_table import figure, findings, number, place, size_of, verdict


@dataclass(frozen=True, eq=False)
class Judged:
    """Hold what we got, what the judge got, and how they compare; `torch` says which judge it is."""

    found: dict[str, np.ndarray]
    expected: dict[str, np.ndarray]
    rows: list[StageRow]
    torch: bool

    @property
    def first(self) -> str | None:
        """The first stage that differs."""
        return first_red(self.rows)

    @property
    def at(self) -> StageRow:
        """The row to look at: the first that differs, else the one that comes nearest to its tolerance."""
        red = [row for row in self.rows if not row.agrees]
        return red[0] if red else max(self.rows, key=lambda row: row.difference / row.tolerance)


def ask_for_mistake(_: Language) -> str | None:
    """Ask for a mistake to plant."""
    field = share.FIELDS["bug"]
    bug = st.selectbox(_("Planted mistake"), field.choices, format_func=lambda bug: _(words.BUG[bug]), key="bug",
                       persist_state="session", width=240)
    return None if bug == "none" else bug


def show(_: Language, chosen: Chosen, mistake: str | None) -> None:
    """Show the bench on one experiment."""
    experiment = chosen.experiment
    if experiment is None:
        draw_inputs(_, chosen)
        return
    theirs = asked.attempt(_, asked.steps, experiment.arguments(), experiment.grad_output, "float64")
    judged = judge(experiment, mistake, theirs)
    lesson.picture(table_of(_, judged))
    say(_, judged, mistake)
    if mistake:
        explain(_, mistake, judged.first)
    index = (judged.at.index or ())[:-2] or (0,) * len(experiment.lead)
    draw_board(_, chosen, judged.found, index, judged.first if mistake else None, mistake is None)
    if judged.torch:
        stage = {None: "output", "sdpa": "output"}.get(judged.first, judged.first)
        beside(_, chosen, judged.found, judged.expected, index, stage)


def judge(experiment: Experiment, mistake: str | None, theirs: dict[str, np.ndarray] | None) -> Judged:
    """Hold ours against PyTorch's stages; without them, against plain Python with exactly rounded sums."""
    found = ours(experiment, mistake, gradients=theirs is not None)
    expected = theirs or {name: getattr(experiment, name) for name in NAME} | plain_stages(experiment)
    rows = [each for each in compare(found, expected) if mistake or each.stage not in NAME]  # Q, K and V are given
    if theirs:
        allowed = allowance(TOLERANCE, expected, "output")
        after = [each.stage for each in rows].index("output") + 1
        rows.insert(after, row("sdpa", found["output"], theirs["sdpa"], allowed))
    return Judged(found, expected, rows, theirs is not None)


def table_of(_: Language, judged: Judged) -> str:
    """Draw the stages, one a row."""
    judge = _("PyTorch") if judged.torch else _("plain Python")
    marks = ["agrees" if each.agrees else "first" if each.stage == judged.first else "differs" for each in judged.rows]
    heads = (_("Stage"), _("Verdict"), _("Largest difference"), _("Tolerance"), _("Relative"), _("Where"), _("Ours"),
             judge)
    rows = [
        (_(words.STAGE[each.stage]), verdict(_, mark), size_of(_, each.difference), size_of(_, each.tolerance),
         number(_, each.relative), *where(_, each))
        for each, mark in zip(judged.rows, marks, strict=True)
    ]
    return findings("stages", _("Stage by stage, ours against {judge}", judge=judge), heads, rows, marks)


def where(_: Language, each: StageRow) -> tuple[str, str, str]:
    """Say where the largest difference sits, and both numbers there; a difference of 0 sits nowhere."""
    if each.difference == 0 or each.index is None:
        return "–", "–", "–"
    return place(each.index), figure(_, each.got), figure(_, each.expected)


def say(_: Language, judged: Judged, mistake: str | None) -> None:
    """Say the verdict, with its numbers."""
    at = judged.at
    holes = {
        "difference": size_of(_, at.difference), "tolerance": size_of(_, at.tolerance), "count": len(judged.rows),
        "stage": _(words.STAGE[at.stage]), "judge": _("PyTorch") if judged.torch else _("plain Python"),
        "place": place(at.index), "got": figure(_, at.got), "expected": figure(_, at.expected),
    }
    if judged.first is None and at.difference == 0:
        st.success(_("All {count} stages agree with {judge} to the last bit, which is luck: within {tolerance} would "
                     "do.", **holes), icon=":material/check_circle:")
    elif judged.first is None:
        st.success(_("All {count} stages agree with {judge}. Nearest to its tolerance is **{stage}**: the largest "
                     "difference is **{difference}**, of {tolerance} allowed in float64.", **holes),
                   icon=":material/check_circle:")
    else:
        st.error(_("The first stage that differs is **{stage}**: at {place} ours is {got}, {judge} has {expected}. The "
                   "difference of **{difference}** is above the tolerance of {tolerance} for float64.", **holes),
                 icon=":material/cancel:")
    notes = [] if judged.torch else [_(
        "The judge is plain Python, with exactly rounded sums and no library. The gradients need PyTorch."
    )]
    notes += [_(NO_GRADIENTS)] if mistake and judged.torch else []
    st.caption(" ".join([*notes, _(GROWTH)]))


def explain(_: Language, mistake: str, first: str | None) -> None:
    """Say how one recognises the planted mistake and mends it; or why it cannot show, and offer where it does."""
    signature, mend, hidden, fields = SIGNATURE[mistake]
    st.subheader(_("The signature: {mistake}", mistake=_(words.BUG[mistake])), anchor=False)
    if first is None:
        st.info(_(hidden), icon=":material/visibility_off:")
        st.button(_("Set an experiment where it shows"), key="where_it_shows", icon=":material/science:",
                  on_click=share.choose, kwargs=fields)
    lesson.sentence(_(signature) + " " + _("It shows first at **{stage}**.", stage=_(words.STAGE[STAGE_OF[mistake]])),
                    of="signature")
    st.markdown(_("**To mend it:** {mend}", mend=_(mend)))
