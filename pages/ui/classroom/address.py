"""Addresses to give away: a page of this lab with what its link carries, as this visitor's browser reaches it."""

from collections.abc import Mapping
from urllib.parse import urlencode

import streamlit as st


def address(page: str, carried: Mapping[str, str]) -> str:
    """Return the address of a page; whatever path the lab is served under stays in front of it."""
    return written(st.context.url or "", page, carried)


def written(here: str, page: str, carried: Mapping[str, str]) -> str:
    """Write the address of a page, seen from the classroom page.

    Examples
    --------
    >>> written("https://host/lab/classroom", "scaling", {"d_k": "512"})
    'https://host/lab/scaling?d_k=512'
    """
    root = here.removesuffix("/").removesuffix("classroom").removesuffix("/")
    query = urlencode(carried)
    return f"{root}/{'' if page == 'home' else page}" + (f"?{query}" if query else "")
