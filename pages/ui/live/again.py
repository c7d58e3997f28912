"""A page whose connection comes back runs once by itself, so that the next click finds a session that knows it."""

from pathlib import Path

import streamlit as st

AGAIN = st.components.v2.component(
    "attention_lab.again", js=Path(__file__).with_name("again.js").read_text(encoding="utf-8")
)


def again() -> None:
    """Watch the connection; a server that restarted, or another one behind the proxy, knows nothing of an open page."""
    AGAIN(key="again", height=1, on_again_change=lambda: None)
