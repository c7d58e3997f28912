"""Home: the formula as a map, and the lessons in reading order."""

import streamlit as st

from pages.ui.contents import PAGES
from pages.ui.frame import close_page, formula, open_page
from pages.ui.links import link

_ = open_page("home")
st.markdown(_(PAGES["home"].about))
with st.container(key="map"):
    formula(_)
st.markdown(_(
    "Read it from the inside out. A **query** asks, and every **key** answers with a score: their dot product. The "
    "scores are divided by $\\sqrt{d_k}$, a mask hides what may not be seen, and softmax turns each row into weights "
    "that sum to 1. The output mixes the **values** by these weights."
))

st.subheader(_("In reading order"), anchor=False)
with st.container(key="lessons"):
    for page in list(PAGES.values())[1:]:
        with st.container(border=True, gap="xxsmall"):
            link(page, f"**{_(page.title)}**", icon=":material/arrow_forward:")
            st.markdown(_(page.about))
close_page(_, "home")
