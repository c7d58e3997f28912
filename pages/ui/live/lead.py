"""A click on a link of the lab leads on within the session, as Streamlit's own page links and buttons do.

Those cost a message each in every rerun, these one for a whole row. Without the script a link is what its address says,
and opens in another tab.
"""

from pathlib import Path
from urllib.parse import parse_qsl

import streamlit as st

from pages.ui.contents import PAGES
from pages.ui.fields import decode

LEAD = st.components.v2.component(
    "attention_lab.lead", js=Path(__file__).with_name("lead.js").read_text(encoding="utf-8")
)


def lead(page: str) -> dict[str, object]:
    """Wait for clicks on links; return the fields that one sets on the page at hand. To others the browser goes."""
    data = {"page": page, "pages": ["./" if name == "home" else name for name in PAGES]}
    with st.container(key="lead_box"):
        sent = LEAD(key="lead", height=1, data=data, on_to_change=lambda: None).to
    return read(sent) if isinstance(sent, str) else {}


def read(address: str) -> dict[str, object]:
    """Return the fields that a link sets, of those that it carries.

    >>> read("masking?lang=id&mask=causal&query=2#mask,query,nonsense")
    {'mask': 'causal', 'query': 2}
    >>> read("masking?lang=id&mask=sideways#mask")
    {}
    """
    carried, _, sets = address.partition("?")[2].partition("#")
    values, refused = decode(dict(parse_qsl(carried)))
    return {name: values[name] for name in sets.split(",") if name in values and name not in refused}
