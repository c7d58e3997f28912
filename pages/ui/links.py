"""Links from one page of the lab to another: each carries what the page it leads to needs."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import streamlit as st
from streamlit.errors import StreamlitPageNotFoundError

from pages.ui import share
from pages.ui.contents import PAGES, Page
from pages.ui.fields import COMMON, FIELDS
from pages.ui.language import Language

ROOT = Path(__file__).parents[2]


def link(
    page: Page, label: str, instead: dict[str, object] | None = None, now: Mapping[str, object] | None = None,
    **look: str,
) -> None:
    """Draw a link that takes this session's state to a page, or some other values `instead`."""
    to(page, label, share.link_of((*COMMON, *page.fields), now, **instead or {}), **look)


def lead(_: Language, name: str, fields: dict[str, object]) -> None:
    """Draw a link to a page's experiment: the given fields, and each other one of the page as it is by default."""
    page = PAGES[name]
    plain = {field: FIELDS[field].default for field in page.fields}
    carried = share.link_of((*COMMON, *page.fields), **plain | fields)
    to(page, _("Open the experiment: {lesson}", lesson=_(page.name)), carried, icon=":material/science:")


def to(page: Page, label: str, carried: dict[str, str], **look: str) -> None:
    """Draw a link to a page."""
    try:
        st.page_link(target(page.script), label=label, query_params=carried, **look)
    except StreamlitPageNotFoundError:
        st.markdown(label)  # a script that is run on its own, as AppTest.from_file does, knows no other page


@lru_cache(maxsize=64)
def target(script: str) -> st.Page:
    """Return a page as Streamlit names it, found once: a path would be resolved again for every link of a rerun."""
    return st.Page(ROOT / script, default=script == "app.py")
