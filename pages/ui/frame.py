"""What every page opens with: language, link, menu, formula strip and title; and the way on at its foot."""

import gc
from collections.abc import Mapping

import streamlit as st

from pages.ui import share, theme
from pages.ui.classroom import asked, poll, projector, walk
from pages.ui.contents import FORMULA, PAGES
from pages.ui.fields import FIELDS
from pages.ui.language import LANGUAGES, Language, language_of
from pages.ui.legal import what_is_legal
from pages.ui.links import link
from pages.ui.live import again


def open_page(name: str) -> Language:
    """Open a page: call it first. Return the language that the page speaks.

    Parameters
    ----------
    name : str
        A key of PAGES.
    """
    page = PAGES[name]
    refused = share.adopt(name, page.fields, language_of(st.context.locale))
    share.recall(page.fields, again.fields(again.again()))
    _ = Language(share.value("lang"))
    st.set_page_config(_("{page} · Attention lab", page=_(page.name)), layout="wide", initial_sidebar_state=256)
    st.html(theme.stylesheet())
    poll.follow(name)
    share.publish(page.fields)
    if projector.on():
        projector.screens(_)
    now = share.now()
    menu(_, now)
    if name != "home":
        formula(_, page.parts, now)
    walk.bar(_, name)
    st.title(_(page.title), anchor=False)
    report(_, refused)
    settle_memory()
    poll.notice(_, name)
    if asked.awaits(_, name):
        foot(_, name)
        st.stop()
    return _


def menu(_: Language, now: Mapping[str, object]) -> None:
    """Draw the sidebar: the language switch and the lessons in reading order."""
    with st.sidebar:
        st.markdown(_("**Attention lab**"))
        st.segmented_control(
            _("Language"), list(LANGUAGES), format_func=LANGUAGES.get, key="lang", required=True,
            width="stretch", persist_state="session",
        )
        for page in PAGES.values():
            link(page, _(page.name), now=now, width="stretch")
        # the document's language, for screen readers and hyphenation; an id of LANGUAGES, never a visitor's text
        st.html(f"<script>document.documentElement.lang = '{_.lang}'</script>", unsafe_allow_javascript=True)


def formula(_: Language, at_hand: tuple[str, ...] = (), now: Mapping[str, object] | None = None) -> None:
    """Draw the formula; each of its parts is a link to the lesson that explains it."""
    with st.container(horizontal=True, gap=None, key="formula"):
        for part, (symbol, caption, lesson) in FORMULA.items():
            words = f"**{_(caption)}**" if part in at_hand else _(caption)
            link(PAGES[lesson], f"${symbol}$ {words}", now=now)


def close_page(_: Language, name: str) -> None:
    """Close a page: to the judge where its experiment can be checked, and the foot."""
    if name in FIELDS["example"].choices:
        link(PAGES["verification"], _("Check this experiment against PyTorch"), icon=":material/fact_check:",
             instead={"example": name, "bench": "stages", "bug": "none"})
    foot(_, name)


def foot(_: Language, name: str) -> None:
    """Draw previous and next in reading order, and the other language, which a phone's sidebar hides."""
    names = list(PAGES)
    here = names.index(name)
    other = next(lang for lang in LANGUAGES if lang != _.lang)
    st.divider()
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center", key="foot"):
        for step, icon in ((-1, ":material/arrow_back:"), (1, ":material/arrow_forward:")):
            if 0 <= here + step < len(names):
                page = PAGES[names[here + step]]
                side = "left" if step < 0 else "right"
                link(page, _(page.name), icon=icon, icon_position=side)
            if step < 0:
                st.button(LANGUAGES[other], key="other_lang", icon=":material/translate:", type="tertiary",
                          on_click=share.choose, kwargs={"lang": other})


def report(_: Language, refused: list[str]) -> None:
    """Say which parts of the link could not be used, what would be right, and what is shown instead."""
    for name in refused:
        if share.holds(name):
            st.warning(_("Whoever prepared this lesson set “`{name}`”: a link cannot change it.", name=name),
                       icon=":material/lock:")
            continue
        legal, shown = what_is_legal(_, FIELDS[name]), share.value(name)
        st.warning(
            _("The link's value for “`{name}`” could not be used: it takes {legal}. The page shows {shown} instead.",
              name=name, legal=legal, shown=_("its example") if shown in (None, "", ()) else shown),
            icon=":material/link_off:",
        )


@st.cache_resource(show_spinner=False)
def settle_memory() -> None:
    """Once per process, after the imports: keep what was imported out of every later garbage collection."""
    gc.collect()
    gc.freeze()
