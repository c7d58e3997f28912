"""Two paths inside PyTorch, held against the exact value: where they disagree it is a finding about one of them."""

import numpy as np
import streamlit as st

from pages.ui import lesson
from pages.ui.bench.backends import Finding, findings, judge, ours_of
from pages.ui.judge import asked
from pages.ui.judge.program import two_paths
from pages.ui.language import N_, Language
from pages.ui.lessons.verification_experiment import numbered
from pages.ui.lessons.verification_matrices import numbers
from pages.ui.lessons.verification_table import figure, place, verdict
from pages.ui.lessons.verification_table import findings as table
from pages.ui.tables.matrix import matrix, side_by_side
from pages.ui.tables.worked import CAPTION

NAME = {
    "zero_scale": N_("scale 0, causal"),
    "negative_scale": N_("scale −1, causal"),
    "nan_query": N_("NaN in a query"),
    "raw_overflow": N_("raw score beyond float64"),
    "large_value": N_("V near the largest float"),
}
SIDES = ("math", "fused", "ours")


def show(_: Language) -> None:
    """Show every finding: what is exact, and what three answers make of it."""
    found = findings()
    questions = [each.experiment.question(backend=side) for each in found for side in ("math", "fused")]
    answers = asked.attempt(_, asked.answers, questions) or [None] * len(questions)
    pairs = zip(answers[::2], answers[1::2], strict=True)
    sides = [{"math": math, "fused": fused, "ours": ours_of(each)}
             for each, (math, fused) in zip(found, pairs, strict=True)]
    verdicts = [judge(each, **answers) for each, answers in zip(found, sides, strict=True)]
    lesson.picture(table_of(_, found, sides, verdicts))
    say(_, verdicts, asked_them=answers[0] is not None)
    for each in found:
        st.markdown(f"**{capital(_(NAME[each.id]))}.** {_(each.text)}")
        show_inputs(_, each)


def show_inputs(_: Language, finding: Finding) -> None:
    """Fold away what a finding was found on, and a program that shows it without the lab."""
    experiment = finding.experiment
    given = {"Q": experiment.query, "K": experiment.key, "V": experiment.value}
    with st.expander(_("The inputs of “{name}”, and a program for PyTorch alone", name=_(NAME[finding.id]))):
        lesson.picture(side_by_side(*(
            matrix(f"{name}_{finding.id}", array[0, 0], rows_of(name, array[0, 0]), numbers(array[0, 0]),
                   lambda value: short(_, value), caption=_(CAPTION[name]))
            for name, array in given.items()
        )))
        st.markdown(_("The mask is {mask}, the scale {scale}.",
                      mask=_("causal (is_causal)") if experiment.is_causal else _("none, every query sees every key"),
                      scale="1 ÷ √dₖ" if experiment.scale is None else _.short(experiment.scale)))
        st.code(two_paths(experiment), language="python")


def rows_of(name: str, array: np.ndarray) -> tuple[str, ...]:
    """Head the rows of Q by queries, those of K and V by keys."""
    return numbered("q" if name == "Q" else "k", len(array))


def table_of(_: Language, found: tuple[Finding, ...], sides: list[dict], verdicts: list[dict]) -> str:
    """Draw the findings, one a row."""
    rows = [
        (_(NAME[each.id]), output(_, each.exact), *(cell(_, each, side, told[side], answers[side]) for side in SIDES))
        for each, answers, told in zip(found, sides, verdicts, strict=True)
    ]
    heads = (_("Input"), _("Exact"), _("PyTorch, maths path"), _("PyTorch, fused path"), _("Ours"))
    return table("backends", _("The output where PyTorch's two paths disagree, float64"), heads, rows)


def cell(_: Language, finding: Finding, side: str, kind: str, answer) -> str:
    """Write a verdict over what was answered; only ours can be called wrong here."""
    if answer is None:
        return verdict(_, "missing")
    if isinstance(answer, Exception):
        where = np.argwhere(np.isnan(finding.experiment.query))
        said = _("Q is no number at {place}", place=place(where[0])) if len(where) else ""
        return f"{verdict(_, 'refused')}<br>{said}"
    array = getattr(answer, "output", answer)
    shown = output(_, array) if array is not None else ""
    if side != "ours" and kind in ("differs", "fused_differs"):
        kind = "finding"
    return f"{verdict(_, 'none' if kind == 'missing' else kind)}<br>{shown}"


def output(_: Language, array: np.ndarray) -> str:
    """Write the rows of an output."""
    rows = array.reshape(-1, array.shape[-1])
    separator = "; " if _.decimal_symbol == "," else ", "
    return "<br>".join(f"[{separator.join(short(_, value) for value in row)}]" for row in rows)


def short(_: Language, value: float) -> str:
    """Write a number with no more decimals than it needs."""
    return _.short(value) if value == np.round(value) and abs(value) < 1e6 else figure(_, value)


def say(_: Language, verdicts: list[dict], asked_them: bool) -> None:
    """Count who is right; a fused path that is not is a finding, and no fault of ours."""
    count = {side: sum(told[side] == "agrees" for told in verdicts) for side in SIDES}
    if not asked_them:
        lesson.sentence(_(
            "Ours is exact on **{ours} of {all}** inputs and refuses the one with NaN, by name and place. PyTorch's "
            "columns are empty until it is asked.", ours=count["ours"], all=len(verdicts),
        ))
        return
    lesson.sentence(_(
        "PyTorch's maths path is right on **{math} of {all}** inputs, its fused path on **{fused}**, and ours on "
        "**{ours}**, with the one with NaN refused by name and place. ◆ marks what was found about the fused path; it "
        "is no fault of ours, which is held against the exact value.", all=len(verdicts), **count,
    ))


def capital(text: str) -> str:
    """Begin with a capital letter."""
    return text[0].upper() + text[1:]
