"""A page whose connection comes back runs once by itself, so that the next click finds a session that knows it."""

from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import streamlit as st

from pages.ui.fields import FIELDS, decode

MOST = 40  # links; the menu has fewer
AGAIN = st.components.v2.component(
    "attention_lab.again", js=Path(__file__).with_name("again.js").read_text(encoding="utf-8")
)


def again() -> list[str]:
    """Watch the connection; a server that restarted, or another one behind the proxy, knows nothing of an open page.

    Return the links to pages in the run that follows a broken connection, else none.
    """
    with st.container(key="again_box"):
        sent = AGAIN(key="again", height=1, on_again_change=lambda: None).again
    return [link for link in sent if isinstance(link, str)][:MOST] if isinstance(sent, list) else []


def fields(links: list[str]) -> dict[str, object]:
    """Return the fields that links carry, whatever their pages; what cannot be used is left out.

    >>> fields(["http://lab/scaling?d_k=128&seed=luck", "http://lab/masking?mask=causal"])
    {'d_k': 128, 'mask': 'causal'}
    """
    typed = {}
    for link in links:
        typed |= {name: text for name, text in parse_qsl(urlsplit(link).query) if name in FIELDS}
    values, refused = decode(typed)
    return {name: values[name] for name in typed if name not in refused}
