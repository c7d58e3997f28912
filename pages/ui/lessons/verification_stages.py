"""Stage by stage: ours against a judge's, from the first product to the gradients, and a planted mistake in red."""

import streamlit as st

from attention_core.mistakes import STAGE_OF
from pages.ui import controls, lesson, share, words
from pages.ui.bench.experiment import Experiment
from pages.ui.bench.stages import GROWTH, NO_GRADIENTS, StageRow
from pages.ui.fields import FIELDS
from pages.ui.judge import asked
from pages.ui.judge.program import two_paths
from pages.ui.judge.reference import Answer
from pages.ui.language import N_, Language
from pages.ui.lessons.verification_experiment import Chosen
from pages.ui.lessons.verification_judged import PATHS, Judged, judge, relative
from pages.ui.lessons.verification_matrices import beside, draw_board, draw_inputs, draw_upstream
from pages.ui.lessons.verification_mistakes import SIGNATURE
from pages.ui.lessons.verification_table import findings, number, pair, place, size_of, unavailable, verdict

WHY = {
    "dims": N_("it takes arrays of four axes: sequences, heads, rows, columns"),
    "axes": N_("it takes Q, K and V with the same leading axes"),
    "width": N_("it takes values as wide as the keys, dᵥ = dₖ"),
}


def ask_for_mistake(_: Language) -> str | None:
    """Ask for a mistake to plant."""
    bug = controls.select("bug", _("Planted mistake"), FIELDS["bug"].choices, lambda bug: _(words.BUG[bug]), 240)
    return None if bug == "none" else bug


def show(_: Language, chosen: Chosen, mistake: str | None) -> None:
    """Show the bench on one experiment."""
    experiment = chosen.experiment
    if experiment is None:
        draw_inputs(_, chosen)
        return
    theirs = asked.attempt(_, asked.steps, experiment.arguments(), experiment.grad_output, "float64")
    judged = judge(experiment, mistake, theirs, None if theirs is None else on_both_paths(_, experiment))
    lesson.picture(table_of(_, judged))
    say(_, judged, mistake)
    if judged.finding:
        say_finding(_, judged, experiment)
    if mistake:
        explain(_, mistake, judged.first)
    index = (judged.at.index or ())[:-2] or (0,) * len(experiment.lead)
    draw_board(_, chosen, judged.found, index, judged.first if mistake else None, mistake is None)
    if judged.torch:
        stage = judged.first or "output"
        beside(_, chosen, judged.found, judged.expected, index, "output" if stage in PATHS else stage)
    if judged.torch and not mistake:
        draw_upstream(_, chosen, index)


def on_both_paths(_: Language, experiment: Experiment) -> dict | None:
    """Ask PyTorch's own function on its maths path and on its fused one."""
    found = asked.attempt(_, asked.answers, [experiment.question(backend=path) for path in PATHS])
    return found and dict(zip(PATHS, found, strict=True))


def table_of(_: Language, judged: Judged) -> str:
    """Draw the stages, one a row; a path without an output has its reason."""
    judge = _("PyTorch") if judged.torch else _("plain Python")
    heads = (_("Stage"), _("Verdict"), _("Largest difference"), _("Tolerance"), _("Where"), _("Ours"), judge,
             _("Largest relative"), _("At"))
    drawn = {each.stage: (line(_, judged, each), judged.mark(each)) for each in judged.rows}
    drawn |= {path: ((_(words.STAGE[path]), unavailable(_, reason_of(_, answer)), *["–"] * 7), "unavailable")
              for path, answer in judged.unavailable.items()}
    order = [name for name in words.STAGE if name in drawn]
    rows, marks = zip(*(drawn[name] for name in order), strict=True)
    return findings("stages", _("Stage by stage, ours against {judge}", judge=judge), heads, rows, marks)


def reason_of(_: Language, answer: Answer | Exception) -> str:
    """Say why a path has no output: a rule of the fused path in our words, anything else in PyTorch's."""
    if isinstance(answer, Exception):
        return str(answer)
    return _(WHY[answer.why]) if answer.why in WHY else answer.reason


def line(_: Language, judged: Judged, each: StageRow) -> tuple[str, ...]:
    """Write one row: the largest absolute difference with its place and both numbers, and the largest relative one."""
    ratio, at = relative(judged.found[each.stage], judged.expected[each.stage])
    return (
        _(words.STAGE[each.stage]), verdict(_, judged.mark(each)), size_of(_, each.difference),
        size_of(_, each.tolerance), *where(_, each), number(_, ratio), place(at if ratio else None),
    )


def where(_: Language, each: StageRow) -> tuple[str, str, str]:
    """Say where the largest difference sits, and both numbers there; a difference of 0 sits nowhere."""
    if each.difference == 0 or each.index is None:
        return "–", "–", "–"
    return place(each.index), *pair(_, each.got, each.expected)


def say(_: Language, judged: Judged, mistake: str | None) -> None:
    """Say the verdict, with its numbers; a planted mistake that cannot show is no success."""
    at = judged.at
    got, expected = pair(_, at.got, at.expected)
    holes = {
        "difference": size_of(_, at.difference), "tolerance": size_of(_, at.tolerance), "count": judged.count,
        "stage": _(words.STAGE[at.stage]), "judge": _("PyTorch") if judged.torch else _("plain Python"),
        "place": place(at.index), "got": got, "expected": expected,
    }
    if judged.first is not None:
        st.error(_("The first stage that differs is **{stage}**: at {place} ours is {got}, {judge} has {expected}. The "
                   "difference of **{difference}** is above the tolerance of {tolerance} for float64.", **holes),
                 icon=":material/cancel:")
    elif mistake:
        st.info(_("Planted, but it cannot show here: all {count} stages still agree with {judge}. {reason}", **holes,
                  reason=_(SIGNATURE[mistake][2])), icon=":material/visibility_off:")
    elif at.difference == 0:
        st.success(_("All {count} stages agree with {judge} to the last bit, which is luck: within {tolerance} would "
                     "do.", **holes), icon=":material/check_circle:")
    else:
        st.success(_("All {count} stages agree with {judge}. Nearest to its tolerance is **{stage}**: the largest "
                     "difference is **{difference}**, of {tolerance} allowed in float64.", **holes),
                   icon=":material/check_circle:")
    st.caption(" ".join([*notes(_, judged, mistake), _(GROWTH)]))


def notes(_: Language, judged: Judged, mistake: str | None) -> list[str]:
    """Say who judges, and why gradients are missing."""
    plain = _("The judge is plain Python, with exactly rounded sums and no library.")
    return ([] if judged.torch else [plain]) + (
        [_(NO_GRADIENTS)] if mistake else [] if judged.torch else [_("The gradients need PyTorch.")]
    )


def say_finding(_: Language, judged: Judged, experiment: Experiment) -> None:
    """Say what was found about the fused path, and how to see it without the lab."""
    at = judged.finding
    answer, exact = pair(_, at.got, at.expected)
    st.info(_("◆ A finding about PyTorch's fused path: at {place} it answers {answer}, where its maths path gives "
              "{exact}. It is no fault of ours, which is held against that value.",
              place=place(at.index), answer=answer, exact=exact), icon=":material/troubleshoot:")
    with st.expander(_("A program that shows it, for PyTorch alone")):
        st.code(two_paths(experiment), language="python")


def explain(_: Language, mistake: str, first: str | None) -> None:
    """Say how one recognises the planted mistake and mends it; where it cannot show, offer where it does."""
    signature, mend, _hidden, fields = SIGNATURE[mistake]
    st.subheader(_("The signature: {mistake}", mistake=_(words.BUG[mistake])), anchor=False)
    if first is None:
        st.button(_("Set an experiment where it shows"), key="where_it_shows", icon=":material/science:",
                  on_click=share.choose, kwargs=fields)
    lesson.sentence(_(signature) + " " + _("It shows first at **{stage}**.", stage=_(words.STAGE[STAGE_OF[mistake]])),
                    of="signature")
    st.markdown(_("**To mend it:** {mend}", mend=_(mend)))
