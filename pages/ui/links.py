"""Links from one page of the lab to another, and to experiments of its own: each carries what its page needs.

They are written in Markdown, a whole row of them in one message; `live.lead` leads on where one is clicked.
"""

from collections.abc import Container, Iterable, Mapping
from pathlib import Path
from urllib.parse import quote, urlencode

import streamlit as st

from pages.ui import share
from pages.ui.contents import PAGES, Page
from pages.ui.fields import COMMON


def link(
    page: Page, label: str, instead: Mapping[str, object] | None = None, now: Mapping[str, object] | None = None,
    icon: str = "",
) -> None:
    """Draw a link that takes this session's state to a page, or some other values `instead`."""
    to(page, f"{icon} {label}", share.link_of((*COMMON, *page.fields), now, **instead or {}))


def to(page: Page, label: str, carried: dict[str, str]) -> None:
    """Draw a link to a page."""
    st.markdown(f"[{label.strip()}]({address(page, carried)})", width="content")


def written(page: Page, label: str, now: Mapping[str, object], instead: Mapping[str, object] | None = None) -> str:
    """Return a link that takes the state `now` to a page, or some other values `instead`."""
    return f"[{label}]({address(page, share.link_of((*COMMON, *page.fields), now, **instead or {}))})"


def experiment(label: str, fields: Mapping[str, object], now: Mapping[str, object], hint: str | None = None) -> str:
    """Return a link to another experiment of the page at hand.

    Its address ends with the names of the fields that it sets: within the session nothing else changes. `hint` is said
    where a pointer rests on it.
    """
    page = PAGES[now["page"]]
    leads = f"{address(page, share.link_of((*COMMON, *page.fields), now, **fields))}#{','.join(fields)}"
    return f'[{label}]({leads} "{hint}")' if hint else f"[{label}]({leads})"


def row(
    heading: str, experiments: Iterable[tuple[str, Mapping[str, object], str | None]], now: Mapping[str, object],
    closed: Container[int] = (),
) -> str:
    """Return links to experiments, each its label, fields and hint; those whose numbers are `closed` lead nowhere."""
    links = [
        f"*{label}*" if number in closed else experiment(label, fields, now, hint)
        for number, (label, fields, hint) in enumerate(experiments)
    ]
    return " ".join([f"**{heading}**", *links])


def address(page: Page, carried: dict[str, str]) -> str:
    """Return the address of a page as it stands in a link on any other."""
    name = Path(page.script).stem
    return f"{'./' if name == 'app' else name}?{urlencode(carried, quote_via=quote)}"
