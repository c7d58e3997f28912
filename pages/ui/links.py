"""Links from one page of the lab to another, and to experiments of its own: each carries what its page needs."""

from collections.abc import Container, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote, urlencode

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


def written(
    page: Page, label: str, now: Mapping[str, object] | None = None, instead: Mapping[str, object] | None = None,
    hint: str | None = None,
) -> str:
    """Return such a link in Markdown, for those of which a page has many: `live.lead` leads on where it is clicked.

    Its address ends with the names of the fields that it sets `instead`: within the session nothing else changes.
    """
    carried = share.link_of((*COMMON, *page.fields), now, **instead or {})
    sets = f"#{','.join(instead)}" if instead else ""
    title = f' "{hint}"' if hint else ""
    return f"[{label}]({address(page, carried)}{sets}{title})"


def row(
    heading: str, experiments: Iterable[tuple[str, Mapping[str, object], str | None]], now: Mapping[str, object],
    closed: Container[int] = (),
) -> str:
    """Return links to experiments of the page at hand, in Markdown; those whose numbers are `closed` lead nowhere.

    Each experiment is its label, the fields that it sets, and what is said where a pointer rests on it, or None.
    """
    page = PAGES[now["page"]]
    links = [
        f"*{label}*" if number in closed else written(page, label, now, fields, hint)
        for number, (label, fields, hint) in enumerate(experiments)
    ]
    return " ".join([f"**{heading}**", *links])


def address(page: Page, carried: dict[str, str]) -> str:
    """Return the address of a page as it stands in a link on any other."""
    name = Path(page.script).stem
    return f"{'./' if name == 'app' else name}?{urlencode(carried, quote_via=quote)}"


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
