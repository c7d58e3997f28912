"""What a page does when its connection comes back: it runs again, and a process that does not know it learns of it."""

from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import streamlit as st

from pages.ui.fields import FIELDS, decode

MOST = 40  # links; the menu has fewer
BACK = st.components.v2.component(
    "attention_lab.back", js=Path(__file__).with_name("back.js").read_text(encoding="utf-8")
)


def links() -> list[str]:
    """Mount what listens, and return the links of the menu in the run that follows a broken connection, else none."""
    with st.container(key="back"):
        sent = BACK(key="came_back", height=1, on_links_change=lambda: None).links
    return [link for link in sent if isinstance(link, str)][:MOST] if isinstance(sent, list) else []


def fields(links: list[str]) -> dict[str, object]:
    """Return the fields that links carry, in whatever page's name; what cannot be used is left out.

    >>> fields(["http://lab/scaling?d_k=128&seed=luck", "http://lab/masking?mask=causal"])
    {'d_k': 128, 'mask': 'causal'}
    """
    typed = {}
    for link in links:
        typed |= {name: text for name, text in parse_qsl(urlsplit(link).query) if name in FIELDS}
    values, refused = decode(typed)
    return {name: values[name] for name in typed if name not in refused}
