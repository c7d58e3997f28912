"""The walk through a plan: where the class is, and the way to the step before and after."""

import streamlit as st

from pages.ui import share
from pages.ui.classroom.plans import READY, steps
from pages.ui.contents import PAGES
from pages.ui.fields import COMMON
from pages.ui.language import Language
from pages.ui.links import to


def bar(_: Language, page: str) -> None:
    """Draw the bar of a plan of several steps; a single prepared page has none."""
    text, at = share.value("plan"), share.value("at")
    plan = steps(text)
    if len(plan) < 2:
        return
    at = min(at, len(plan))
    with st.container(horizontal=True, vertical_alignment="center", gap="medium", key="walk"):
        if plan[at - 1].page != page:
            lead_to(_("Back to step {at} of the lesson", at=at), plan[at - 1].page, at, ":material/undo:")
            return
        if at > 1:
            lead_to(_("Previous step"), plan[at - 2].page, at - 1, ":material/skip_previous:")
        st.markdown(told(_, text, at, len(plan)), width="stretch")
        if at < len(plan):
            lead_to(_("Next step"), plan[at].page, at + 1, ":material/skip_next:")


def told(_: Language, text: str, at: int, count: int) -> str:
    """Say which step this is, and how long a ready plan gives it."""
    where = _("**Step {at} of {count}**", at=at, count=count)
    if text not in READY:
        return where
    return where + " · " + _("{minutes} min", minutes=READY[text].told[at - 1].minutes)


def lead_to(label: str, page: str, at: int, icon: str) -> None:
    """Draw the link to a step: its page and number; what it sets stands in the plan."""
    to(PAGES[page], f"{icon} {label}", share.link_of(COMMON, at=at))
