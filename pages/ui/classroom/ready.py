"""The ready plans as a teacher reads them: what to ask, what to expect, and the number that settles it."""

import streamlit as st

from pages.ui.language import Language


def show(_: Language) -> None:
    """Stand-in until the plans are written."""
    st.info(_("The plans are being written."))
