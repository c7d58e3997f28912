"""Questions: what learners keep asking, answered briefly, each with the experiment that settles it."""

import streamlit as st

from pages.ui.frame import show_page
from pages.ui.language import Language
from pages.ui.lessons import questions


def page(_: Language) -> None:
    """Draw the contents, then the answers."""
    st.markdown(_(
        "Every number was computed when this page opened, by the same code as the experiment's own page. A link "
        "opens that page with the experiment set; Back brings you here again."
    ))
    questions.contents(_)
    questions.answers(_)


show_page("questions", page)
