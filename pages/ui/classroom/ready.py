"""The ready plans as a teacher reads them: what to ask, what to expect, and the number that settles it."""

import re
from functools import lru_cache
from html import escape
from itertools import accumulate
from pathlib import Path

import streamlit as st

from pages.ui import controls, share
from pages.ui.classroom import qr
from pages.ui.classroom.address import address
from pages.ui.classroom.plan import Step, write
from pages.ui.classroom.plans import READY, Lesson, Told
from pages.ui.classroom.predictions import PREDICTIONS, Prediction
from pages.ui.language import Language

STYLESHEET = Path(__file__).with_name("ready.css")


def show(_: Language) -> None:
    """Ask for a plan; draw its link, and what its teacher needs to know of each step."""
    name = controls.choice("class_plan", _("Ready plan"), lambda name: _(READY[name].name))
    lesson = READY[name]
    url = address(lesson.told[0].step.page, {"lang": _.lang, "plan": name})
    st.markdown(_("**At the end:** {goal}", goal=_(lesson.goal)))
    with st.container(horizontal=True, vertical_alignment="center", gap="medium", key="ready_link"):
        st.link_button(_("Start the lesson"), url, icon=":material/play_arrow:", type="primary")
        st.link_button(_("Start it on the projector"), url + "&projector=1", icon=":material/cast:")
        st.button(_("Change it: copy its steps"), icon=":material/edit:", on_click=share.choose,
                  kwargs={"draft": write([told.step for told in lesson.told]), "class_part": "prepare"})
        with st.popover(_("Link and QR code for the class"), icon=":material/qr_code:"):
            st.code(url, language=None, wrap_lines=True)
            st.html(drawn(url, _("QR code of the link")))
    st.html(table(_, lesson))


@lru_cache(maxsize=64)
def drawn(url: str, alt: str) -> str:
    """Return the QR code of a ready plan's link, which is the same for everybody: it takes longer than the page."""
    return qr.inline(url, alt)


def table(_: Language, lesson: Lesson) -> str:
    """Return the plan as a table: from when to when, what is asked, what to expect, what settles it."""
    ends = list(accumulate(told.minutes for told in lesson.told))
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in (_("Minutes"), *heads(_)))
    rows = "".join(row(_, told, end) for told, end in zip(lesson.told, ends, strict=True))
    return f'<table class="lab-plan" data-testid="plan"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def row(_: Language, told: Told, end: int) -> str:
    """Return the row of a step."""
    asked, minutes = asks(told.step), f'<th scope="row">{end - told.minutes}–{end}</th>'
    if asked is None:
        return f'<tr>{minutes}<td colspan="4">{marked(_(told.does))}</td></tr>'
    cells = (_(asked.question), expected(_, told), asked.truth().said(_), _(told.does))
    labelled = zip(heads(_), cells, strict=True)
    body = "".join(f'<td data-label="{escape(label)}">{marked(text)}</td>' for label, text in labelled)
    return f"<tr>{minutes}{body}</tr>"


def heads(_: Language) -> tuple[str, ...]:
    """Return what stands over the columns behind the minutes, and on a phone before each text."""
    return _("Ask"), _("Wrong answers to expect"), _("What settles it"), _("Then")


def expected(_: Language, told: Told) -> str:
    """Return the wrong answer to expect, and what is behind it."""
    asked = asks(told.step)
    if asked.kind != "choice":
        return _(told.expected)
    label, why = (_(text) for text in asked.option(told.expected))
    return _("“{label}” {why}", label=label, why=why)


def asks(step: Step) -> Prediction | None:
    """Return the prediction that a step asks; None where it asks none."""
    return PREDICTIONS.get(step.fields.get("predict", ""))


def marked(text: str) -> str:
    """Return a sentence as HTML, with what stands between double asterisks in bold.

    Examples
    --------
    >>> marked("**0.5** < 1")
    '<b>0.5</b> &lt; 1'
    """
    return re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", escape(text))
