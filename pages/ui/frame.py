"""What every page has around its lesson: language, link, menu, formula and title, and the way on at its foot."""

import gc
from collections.abc import Callable, Mapping
from functools import lru_cache, wraps
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.ui import share, theme
from pages.ui.classroom import asked, poll, projector, walk
from pages.ui.contents import FORMULA, PAGES
from pages.ui.fields import FIELDS
from pages.ui.language import LANGUAGES, Language, language_of
from pages.ui.legal import what_is_legal
from pages.ui.links import experiment, written
from pages.ui.live import again
from pages.ui.live.lead import lead


def show_page(name: str, lesson: Callable[[Language], None], *styles: Path) -> None:
    """Show a page: the last line of every page's script.

    Parameters
    ----------
    name : str
        A key of PAGES.
    lesson : callable
        Draws what is the page's own, in the language that it is given.
    *styles : Path
        Stylesheets of the page's own.
    """
    refused = share.adopt(name, PAGES[name].fields, language_of(st.context.locale))
    share.recall(PAGES[name].fields, again.fields(again.again()))
    _ = Language(share.value("lang"))
    st.set_page_config(_("{page} · Attention lab", page=_(PAGES[name].name)), layout="wide", initial_sidebar_state=256)
    st.html(theme.stylesheet(*styles))
    if projector.on():
        projector.screens(_)
    settle_memory()
    top = st.sidebar.container()
    fragment(name)(_, name, lesson, projector.on(), refused)
    language(_, top)  # last: a link may set the language, which no field can be once its control is drawn


@lru_cache(maxsize=32)
def fragment(name: str) -> Callable[..., None]:
    """Return `drawn_again` as a page's own fragment: a late message to the page before must not run this one."""
    @wraps(drawn_again)
    def own(*given: object) -> None:
        drawn_again(*given)

    own.__qualname__ = f"{name}.{own.__qualname__}"  # by which Streamlit tells fragments at the same place apart
    return st.fragment(own)


def drawn_again(
    _: Language, name: str, lesson: Callable[[Language], None], projected: bool, refused: list[str],
) -> None:
    """Draw all that a control of the page can change: this alone runs when one is moved."""
    if sets := lead(name):
        share.choose(**sets)
    if (share.value("lang"), projector.on()) != (_.lang, projected):
        st.rerun()  # the rest of the page changes, too
    share.settle()
    poll.follow(name)
    now = share.now()
    share.publish(PAGES[name].fields, now)
    if name != "home":
        formula(_, now, PAGES[name].parts)
    walk.bar(_, name)
    st.title(_(PAGES[name].title), anchor=False)
    report(_, refused)
    poll.notice(_, name)
    shown = not asked.awaits(_, name)
    if shown:
        lesson(_)
    now = share.now()  # a lesson brings a value within what its experiment has
    share.publish(PAGES[name].fields, now)
    menu(_, now)
    foot(_, name, shown and name in FIELDS["example"].choices, now)


def language(_: Language, place: DeltaGenerator) -> None:
    """Draw the language switch, and tell the browser which one the page speaks, for screen readers and hyphenation."""
    with place:
        st.markdown(_("**Attention lab**"))
        st.segmented_control(
            _("Language"), list(LANGUAGES), format_func=LANGUAGES.get, key="lang", required=True,
            width="stretch", persist_state="session",
        )
        # an id of LANGUAGES, never a visitor's text
        st.html(f"<script>document.documentElement.lang = '{_.lang}'</script>", unsafe_allow_javascript=True)


def menu(_: Language, now: Mapping[str, object]) -> None:
    """Draw the lessons in reading order."""
    lines = [written(page, _(page.name), now) for page in PAGES.values()]
    with st.sidebar, st.container(key="menu"):
        st.markdown("\n".join(f"- {line}" for line in lines))


def formula(_: Language, now: Mapping[str, object], at_hand: tuple[str, ...] = ()) -> None:
    """Draw the formula; each of its parts is a link to the lesson that explains it."""
    parts = []
    for part, (symbol, caption, lesson) in FORMULA.items():
        words = f"**{_(caption)}**" if part in at_hand else _(caption)
        parts.append(written(PAGES[lesson], f"${symbol}$ {words}", now))
    with st.container(key="formula"):
        st.markdown(" ".join(parts))


def foot(_: Language, name: str, checked: bool, now: Mapping[str, object]) -> None:
    """Draw the way to the judge, previous and next in reading order, and the other language: a phone hides the menu."""
    pages = list(PAGES.values())
    here = pages.index(PAGES[name])
    other = next(lang for lang in LANGUAGES if lang != _.lang)
    links = [
        *(written(page, f":material/arrow_back: {_(page.name)}", now) for page in pages[:here][-1:]),
        experiment(f":material/translate: {LANGUAGES[other]}", {"lang": other}, now),
        *(written(page, f"{_(page.name)} :material/arrow_forward:", now) for page in pages[here + 1 :][:1]),
    ]
    with st.container(key="foot"):
        st.markdown("\n\n".join([check(_, name, now)] * checked + ["---", " ".join(links)]))


def check(_: Language, name: str, now: Mapping[str, object]) -> str:
    """Return the link to the judge, with the experiment of this page."""
    label = ":material/fact_check: " + _("Check this experiment against PyTorch")
    return written(PAGES["verification"], label, now, {"example": name, "bench": "stages", "bug": "none"})


def report(_: Language, refused: list[str]) -> None:
    """Say once which parts of the link could not be used, what would be right, and what is shown instead."""
    while refused:
        name = refused.pop(0)
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
