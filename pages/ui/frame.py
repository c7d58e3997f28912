"""What every page opens with: language, link, menu, formula strip and title; and the way on at its foot."""

import gc
from dataclasses import dataclass

import streamlit as st
from streamlit.errors import StreamlitPageNotFoundError

from pages.ui import share, theme
from pages.ui.kinds import Choice, Decimal, Kind, Numbers, Pairs, Place, Text, Whole
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


SENTENCE = ("words", "word_seed", "x6", "w6_q", "w6_k", "w6_v")  # what the pipeline and masking share
DRAWN = ("draw_seed", "draw_n", "draw_m", "draw_d_k", "draw_d_v", "draw_heads", "draw_batch", "draw_mask", "draw_scale")
CHECKED = (  # what makes the experiments of the other lessons
    "step", "causal", "order", "tie", "x", "w_q", "w_k", "w_v", "d_k", "seed", "keys", "divisor", "value", "mean",
    "std", "mask", "pads", "side", "window", "left", "right", "cached", "align", "hidden",
)

# In reading order.
PAGES = {
    "home": Page(
        "app.py", N_("The formula as a map"), N_("Attention, by experiment"),
        N_("Choose a part of the formula: each leads to the lesson that explains it."),
        parts=(), fields=(),
    ),
    "pipeline": Page(
        "pages/pipeline.py", N_("The pipeline, step by step"), N_("How does a word see its sentence?"),
        N_("Six words or your own, and one of them followed through six steps, from its vector to its output."),
        parts=("whole",), fields=("step", "word", "causal", "order", "cell", *SENTENCE),
    ),
    "qkv": Page(
        "pages/qkv.py", N_("Query, key and value"), N_("What do query, key and value do?"),
        N_("Two words and three matrices written by hand. Change any number, and see what follows."),
        parts=("scores", "output"),
        fields=("token", "tie", "ask", "longer", "long_key", "cell", "x", "w_q", "w_k", "w_v"),
    ),
    "scaling": Page(
        "pages/scaling.py", N_("Why divide by √dₖ?"), N_("Why divide by $\\sqrt{d_k}$?"),
        N_("Random keys, and one control for their width. See softmax saturate, and what the division does about it."),
        parts=("scaling",), fields=("d_k", "seed", "keys", "divisor", "value", "mean", "std", "closer", "shift"),
    ),
    "masking": Page(
        "pages/masking.py", N_("Masking"), N_("Who may look at whom?"),
        N_("Hide the future, the padding or any cell you like, and see what the others get instead."),
        parts=("mask",), fields=(
            "mask", "query", "pads", "side", "window", "left", "right", "cached", "align", "hidden", "beside", "way",
            "changed", "cell", *SENTENCE,
        ),
    ),
    "verification": Page(
        "pages/verification.py", N_("Verification"), N_("Is it right?"),
        N_("The lab computes with NumPy. Let PyTorch compute the same, and look at the difference."),
        parts=("whole",), fields=(
            "example", "compare", "bench", "bug", "cases", "cell", "q", "k", "v", *DRAWN, *CHECKED, *SENTENCE,
        ),
    ),
    "learning": Page(
        "pages/learning.py", N_("Does it still learn?"), N_("Does attention stop learning?"),
        N_("Train one head with and without the division, seed by seed, and find out what is to blame."),
        parts=("scaling",), fields=(
            "train_d_k", "train_optimizer", "train_rate", "train_steps", "train_seeds", "train_first", "train_left",
            "train_right",
        ),
    ),
    "additive": Page(
        "pages/additive.py", N_("Additive or dot product"), N_("Why a product, and not a network?"),
        N_("Attention began with a small network for every score. Give it the queries and keys of the dot product, "
           "and compare weights, saturation and cost."),
        parts=("scores",),
        fields=("add_d", "add_hidden", "add_keys", "add_seed", "add_look", "add_v", "add_long"),
    ),
    "heads": Page(
        "pages/heads.py", N_("Self, cross, heads"), N_("Who asks, who answers, with how many heads?"),
        N_("Two sentences, several heads, the right divisor for a head, and tokens that are no words."),
        parts=("whole",), fields=(
            "heads_part", "cross", "asking", "answering", "asker", "heads_seed", "d_model", "num_heads", "scale_heads",
            "token_kind", "drawing", "patch", "node", "flipped", "cell", "compare",
        ),
    ),
    "tiles": Page(
        "pages/tiles.py", N_("Tiles: FlashAttention"), N_("Is the matrix needed?"),
        N_("One query meets its keys tile by tile, keeps three things, and ends with the same output in less memory."),
        parts=("weights", "output"), fields=(
            "tiles_keys", "tiles_size", "tiles_step", "tiles_seed", "tiles_order", "tiles_mask", "tiles_query",
            "tiles_measured",
        ),
    ),
    "explanation": Page(
        "pages/explanation.py", N_("Is it an explanation?"), N_("Is attention an explanation?"),
        N_("Search weights as different as possible that give the same output, and see when there are none."),
        parts=("weights", "output"),
        fields=("exp_from", "exp_query", "exp_keys", "exp_d_v", "exp_tol", "exp_far", "exp_seed"),
    ),
    "questions": Page(
        "pages/questions.py", N_("Questions"), N_("What do learners keep asking?"),
        N_("Each question in a few sentences, with the experiment that settles it already set."),
        parts=(), fields=(),
    ),
}

# part of the formula -> (LaTeX, caption, the lesson that explains it), in the order of the formula
FORMULA = {
    "whole": (r"\text{Attention}(Q, K, V) =", N_("the whole formula"), "pipeline"),
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
    page = PAGES[name]
    refused = share.adopt(name, page.fields, language_of(st.context.locale))
    _ = Language(share.value("lang"))
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
    if name in share.FIELDS["example"].choices:
        link(PAGES["verification"], _("Check this experiment against PyTorch"), icon=":material/fact_check:",
             instead={"example": name, "bench": "stages", "bug": "none"})
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


def link(page: Page, label: str, instead: dict[str, object] | None = None, **look: str) -> None:
    """Draw a link that takes this session's state to a page, or some other values `instead`."""
    to(page, label, share.link_of(("lang", *page.fields), **instead or {}), **look)


def lead(_: Language, name: str, fields: dict[str, object]) -> None:
    """Draw a link to a page's experiment: the given fields, and each other one of the page as it is by default."""
    page = PAGES[name]
    plain = {field: share.FIELDS[field].default for field in page.fields}
    carried = share.link_of(("lang", *page.fields), **plain | fields)
    to(page, _("Open the experiment: {lesson}", lesson=_(page.name)), carried, icon=":material/science:")


def to(page: Page, label: str, carried: dict[str, str], **look: str) -> None:
    """Draw a link to a page."""
    try:
        st.page_link(page.script, label=label, query_params=carried, **look)
    except StreamlitPageNotFoundError:
        st.markdown(label)  # a script that is run on its own, as AppTest.from_file does, knows no other page


def report(_: Language, refused: list[str]) -> None:
    """Say which parts of the link could not be used, what would be right, and what is shown instead."""
    for name in refused:
        legal, shown = what_is_legal(_, share.FIELDS[name]), share.value(name)
        st.warning(
            _("The link's value for “`{name}`” could not be used: it takes {legal}. The page shows {shown} instead.",
              name=name, legal=legal, shown=_("its example") if shown in (None, "", ()) else shown),
            icon=":material/link_off:",
        )


def what_is_legal(_: Language, field: Kind) -> str:
    """Say what a link may carry for a field."""
    match field:
        case Whole():
            return _("a whole number from {low} to {high}", low=field.low, high=field.high)
        case Decimal():
            return _("a number from {low} to {high}, with a point and one decimal", low=field.low, high=field.high)
        case Choice():
            return _("one of: {choices}", choices=", ".join(field.choices))
        case Text():
            return _("one line of at most {longest} characters", longest=field.longest)
        case Numbers():
            return _("a matrix of at most {rows} × {columns} numbers, such as 1_0.5~0_2", rows=field.rows,
                     columns=field.columns)
        case Place():
            return _("a cell, such as scores.2.1")
        case Pairs():
            return _("pairs of query and key from 1 to {most}, such as 1.2_1.3", most=field.most)


@st.cache_resource(show_spinner=False)
def settle_memory() -> None:
    """Once per process, after the imports: keep what was imported out of every later garbage collection."""
    gc.collect()
    gc.freeze()
