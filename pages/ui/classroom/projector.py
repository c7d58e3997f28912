"""Projector mode: one idea on each screen, large, and the keys of a presenter's remote to go on, back and reveal."""

from pathlib import Path

import streamlit as st

from pages.ui import share
from pages.ui.language import Language

FOLDER = Path(__file__).parent
STYLESHEET = FOLDER / "projector.css"
SCREENS = st.components.v2.component(
    "attention_lab.projector",
    html='<div class="lab-remote" role="toolbar"></div>',
    js=(FOLDER / "projector.js").read_text(encoding="utf-8"),
    isolate_styles=False,
)


def on() -> bool:
    """Say whether this session is for the projector."""
    return share.value("projector") == "1"


def screens(_: Language) -> None:
    """Cut the page into screens, and draw the bar that leads through them; call it before all else is drawn."""
    st.html(STYLESHEET)
    SCREENS(key="projector_screens", data={"words": {
        "bar": _("Screens"), "next": _("Next screen"), "previous": _("Previous screen"), "reveal": _("Reveal"),
        "where": _("{at} of {count}", at="%at", count="%count"), "leave": _("Leave projector mode"),
        "why": _("Why"), "references": _("References"),
    }})
    st.button(_("Leave projector mode"), key="leave_projector", icon=":material/close_fullscreen:", type="tertiary",
              on_click=share.choose, kwargs={"projector": "0"})
