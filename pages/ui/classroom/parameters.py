"""The table of everything that a link can carry, made from FIELDS."""

import streamlit as st

from pages.ui.classroom.names import NAMES, pages_of
from pages.ui.contents import PAGES
from pages.ui.fields import COMMON, FIELDS
from pages.ui.language import Language
from pages.ui.legal import what_is_legal


def show(_: Language) -> None:
    """Draw the table, in the order of FIELDS."""
    st.markdown(_(
        "A link is the address of a page, a question mark, and any of these parameters with `&` between them. What a "
        "link leaves out stays at its default; the page names what it cannot use. `embed=true` draws a "
        "page without menu for the frame of a learning platform."
    ))
    head = [_("Parameter"), _("Sets"), _("Takes"), _("Default"), _("On the pages")]
    st.table([dict(zip(head, row(_, name), strict=True)) for name in FIELDS])


def row(_: Language, name: str) -> tuple[str, ...]:
    """Return one parameter: its name, what it sets, what it takes, what it is by default, and where."""
    field = FIELDS[name]
    default = field.write(field.default) if field.default not in (None, "", ()) else "–"
    where = _("all") if name in COMMON else ", ".join(_(PAGES[page].name) for page in pages_of(name))
    return f"`{name}`", _(NAMES[name]), what_is_legal(_, field), default, where
