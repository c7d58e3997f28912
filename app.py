"""Home: the formula as a map, and the lessons in reading order."""

import streamlit as st

from pages.ui import share
from pages.ui.contents import PAGES
from pages.ui.frame import formula, show_page
from pages.ui.language import Language
from pages.ui.links import link


def page(_: Language) -> None:
    """Draw the map of the formula, and the list of the lessons."""
    st.markdown(_(PAGES["home"].about))
    with st.container(key="map"):
        formula(_, share.now())
    st.markdown(_(
        "Read it from the inside out. A **query** asks, and every **key** answers with a score: their dot product. "
        "The scores are divided by $\\sqrt{d_k}$, a mask hides what may not be seen, and softmax turns each row into "
        "weights that sum to 1. The output mixes the **values** by these weights."
    ))

    st.subheader(_("In reading order"), anchor=False)
    with st.container(key="lessons"):
        for lesson in list(PAGES.values())[1:]:
            with st.container(border=True, gap="xxsmall"):
                link(lesson, f"**{_(lesson.title)}**", icon=":material/arrow_forward:")
                st.markdown(_(lesson.about))


show_page("home", page)
