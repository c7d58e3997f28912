"""What every page opens with: language, link, menu, formula strip and title; and the way on at its foot."""

import gc
from dataclasses import dataclass

import streamlit as st
from streamlit.errors import StreamlitPageNotFoundError

from pages.ui import share, theme
from pages.ui.language import LANGUAGES, N_, Language, language_of


@dataclass(frozen=True)
class Page:
    """One row of the page list."""

    script: str
    name: str  # in the menu and the browser's tab
    title: str  # the question that the page answers
    about: str  # what one does there
    parts: tuple[str, ...]  # the parts of the formula at hand
    fields: tuple[str, ...]  # what its link carries


# In reading order.
PAGES = {
    "home": Page(
        "app.py", N_("The formula as a map"), N_("Attention, by experiment"),
        N_("Choose a part of the formula: each leads to the lesson that explains it."),
        parts=(), fields=(),
    ),
    "qkv": Page(
        "pages/qkv.py", N_("Query, key and value"), N_("What do query, key and value do?"),
        N_("Two words and three matrices written by hand. Follow one pair from the input to the output."),
        parts=("scores", "output"), fields=("token", "tie"),
    ),
    "scaling": Page(
        "pages/scaling.py", N_("Why divide by √dₖ?"), N_("Why divide by $\\sqrt{d_k}$?"),
        N_("Random keys, and one control for their width. See softmax saturate, and what the division does about it."),
        parts=("scaling",), fields=("d_k", "seed", "keys", "divisor", "value", "mean", "std", "closer", "shift"),
    ),
    "masking": Page(
        "pages/masking.py", N_("Masking"), N_("Who may look at whom?"),
        N_("Six words. Hide the future, hide the padding, and see what the others get instead."),
        parts=("mask",), fields=("mask", "query", "pads", "side"),
    ),
    "verification": Page(
        "pages/verification.py", N_("Verification"), N_("Is it right?"),
        N_("The lab computes with NumPy. Let PyTorch compute the same, and look at the difference."),
        parts=("whole",), fields=("example", "compare"),
    ),
}

# part of the formula -> (LaTeX, caption, the lesson that explains it), in the order of the formula
FORMULA = {
    "whole": (r"\text{Attention}(Q, K, V) =", N_("the whole formula"), "verification"),
    "weights": (r"\text{softmax}\,(", N_("weights"), "scaling"),
    "scores": (r"QK^{\mathsf T}", N_("scores"), "qkv"),
    "scaling": (r"\div \sqrt{d_k}", N_("scaling"), "scaling"),
    "mask": ("+\\, M\\;)", N_("mask"), "masking"),
    "output": ("V", N_("output"), "qkv"),
}


def open_page(name: str) -> Language:
    """Open a page: call it first. Return the language that the page speaks.

    Parameters
    ----------
    name : str
        A key of PAGES.
    """
    refused = share.adopt(language_of(st.context.locale))
    share.carry(name)
    _ = Language(share.value("lang"))
    page = PAGES[name]
    st.set_page_config(_("{page} · Attention lab", page=_(page.name)), layout="wide", initial_sidebar_state=256)
    st.html(theme.stylesheet())
    share.publish(("lang", *page.fields))
    menu(_)
    if name != "home":
        formula(_, page.parts)
    st.title(_(page.title), anchor=False)
    report(_, refused)
    settle_memory()
    return _


def menu(_: Language) -> None:
    """Draw the sidebar: the language switch and the lessons in reading order."""
    with st.sidebar:
        st.markdown(_("**Attention lab**"))
        st.segmented_control(
            _("Language"), list(LANGUAGES), format_func=LANGUAGES.get, key="lang", required=True,
            width="stretch", persist_state="session",
        )
        for page in PAGES.values():
            link(page, _(page.name), width="stretch")
        # the document's language, for screen readers and hyphenation; an id of LANGUAGES, never a visitor's text
        st.html(f"<script>document.documentElement.lang = '{_.lang}'</script>", unsafe_allow_javascript=True)


def formula(_: Language, at_hand: tuple[str, ...] = ()) -> None:
    """Draw the formula; each of its parts is a link to the lesson that explains it."""
    with st.container(horizontal=True, gap=None, key="formula"):
        for part, (symbol, caption, lesson) in FORMULA.items():
            page = PAGES[lesson]
            with st.container(key=f"{'at_hand' if part in at_hand else 'part'}_{part}", width="content"):
                link(page, f"${symbol}$ {_(caption)}")


def close_page(_: Language, name: str) -> None:
    """Close a page: previous and next in reading order, and the other language, which a phone's sidebar hides."""
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


def link(page: Page, label: str, **look: str) -> None:
    """Draw a link that takes this session's state to a page."""
    try:
        st.page_link(page.script, label=label, query_params=share.link_of(("lang", *page.fields)), **look)
    except StreamlitPageNotFoundError:
        st.markdown(label)  # a script that is run on its own, as AppTest.from_file does, knows no other page


def report(_: Language, refused: list[str]) -> None:
    """Say which parts of the link could not be used, what would be right, and what is shown instead."""
    for name in refused:
        field = share.FIELDS[name]
        if isinstance(field, share.Whole):
            legal = _("a whole number from {low} to {high}", low=field.low, high=field.high)
        elif isinstance(field, share.Decimal):
            legal = _("a number from {low} to {high}, with a point and one decimal", low=field.low, high=field.high)
        else:
            legal = _("one of: {choices}", choices=", ".join(field.choices))
        st.warning(
            _("The link's value for “`{name}`” could not be used: it takes {legal}. The page shows {shown} instead.",
              name=name, legal=legal, shown=share.value(name)),
            icon=":material/link_off:",
        )


@st.cache_resource(show_spinner=False)
def settle_memory() -> None:
    """Once per process, after the imports: keep what was imported out of every later garbage collection."""
    gc.collect()
    gc.freeze()
