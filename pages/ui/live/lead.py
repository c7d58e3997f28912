"""A click on a link of the menu, the formula or a row of experiments leads on within the session, as page links do.

Streamlit's page links and buttons cost a message each in every rerun, these one for a whole row. Without the script a
link is what its address says, and opens in a tab of its own.
"""

from pathlib import Path
from urllib.parse import parse_qsl

import streamlit as st

from pages.ui.contents import PAGES

LEAD = st.components.v2.component(
    "attention_lab.lead", js=Path(__file__).with_name("lead.js").read_text(encoding="utf-8")
)


def lead(page: str) -> tuple[str, dict[str, str], dict[str, str]] | None:
    """Wait for clicks on the lab's links; return the page that one leads to, what it carries, and from what."""
    with st.container(key="lead_box"):
        sent = LEAD(key="lead", height=1, data={"page": page}, on_to_change=lambda: None).to
    match sent:
        case {"address": str(address), "drawn": str(drawn)} if found := read(address):
            return *found, parameters(drawn)


def read(address: str) -> tuple[str, dict[str, str]] | None:
    """Return the page and the parameters of an address as `links.address` writes them; None for any other.

    >>> read("masking?lang=id&mask=causal")
    ('masking', {'lang': 'id', 'mask': 'causal'})
    >>> read("./?lang=en")
    ('home', {'lang': 'en'})
    >>> read("//elsewhere/masking") is None
    True
    """
    path, _, query = address.partition("?")
    name = "home" if path == "./" else path
    return (name, parameters(query)) if name in PAGES else None


def parameters(query: str) -> dict[str, str]:
    """Return the parameters of an address."""
    return dict(parse_qsl(query.removeprefix("?"), keep_blank_values=True))
