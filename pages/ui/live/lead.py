"""A click on a link of the menu, the formula or a row of experiments leads on within the session, as page links do.

Streamlit's page links and buttons cost a message each in every rerun, these one for a whole row. Without the script a
link is what its address says, and opens in a tab of its own.
"""

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl

import streamlit as st

from pages.ui.contents import PAGES
from pages.ui.fields import FIELDS

LEAD = st.components.v2.component(
    "attention_lab.lead", js=Path(__file__).with_name("lead.js").read_text(encoding="utf-8")
)


@dataclass(frozen=True)
class Led:
    """Where a link leads: to a page, what it carries there, and which fields it sets on the page at hand."""

    page: str
    carried: dict[str, str]
    sets: tuple[str, ...]


def lead(page: str) -> Led | None:
    """Wait for clicks on the lab's links, and return where the one leads that was clicked."""
    with st.container(key="lead_box"):
        sent = LEAD(key="lead", height=1, data={"page": page}, on_to_change=lambda: None).to
    return read(sent) if isinstance(sent, str) else None


def read(address: str) -> Led | None:
    """Read an address as `links.written` writes it; None for any other.

    >>> read("masking?lang=id&mask=causal#mask")
    Led(page='masking', carried={'lang': 'id', 'mask': 'causal'}, sets=('mask',))
    >>> read("./?lang=en").page
    'home'
    >>> read("//elsewhere/masking") is None
    True
    """
    path, _, query = address.partition("?")
    query, _, sets = query.partition("#")
    name = "home" if path == "./" else path
    if name not in PAGES:
        return None
    return Led(name, dict(parse_qsl(query)), tuple(field for field in sets.split(",") if field in FIELDS))
