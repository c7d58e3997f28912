"""A field's name becomes its widget; the widget's value is the field's value, plain Python.

What a teacher hides is drawn as its value in words, without a control; what a teacher locks cannot be moved.
"""

from collections.abc import Callable, Sequence

import streamlit as st

from pages.ui import share
from pages.ui.fields import FIELDS


def slider(name: str, label: str, help: str | None = None, high: int | None = None) -> int:
    """Ask for a whole number within the field's bounds, or up to `high` where the experiment has no more to offer."""
    field = FIELDS[name]
    high = min(field.high, field.high if high is None else high)
    within(name, high)
    if share.hides(name):
        return told(name, label, str)
    return st.slider(  # without a default Streamlit copies all fields to see what kind of value this one has
        label, field.low, high, field.low, key=name, help=help, disabled=share.holds(name), persist_state="session",
    )


def within(name: str, high: int) -> None:
    """Bring a field's value down to `high`; to Streamlit, a slider with another end is another slider: it is told."""
    if share.value(name) > high or share.watched(f"end_{name}") != high:
        share.set_fields({name: min(share.value(name), high)})
        share.keep_watched(f"end_{name}", high)


def decimal(name: str, label: str, help: str | None = None) -> float:
    """Ask for a number with one decimal within the field's bounds."""
    field = FIELDS[name]
    if share.hides(name):
        return told(name, label, "{:.1f}".format)
    return st.slider(
        label, field.low, field.high, field.low, step=0.1, format="%.1f", key=name, help=help,
        disabled=share.holds(name), persist_state="session",
    )


def choice(
    name: str, label: str, word: Callable[[object], str], help: str | None = None, options: Sequence[str] | None = None,
) -> str:
    """Ask for one of the field's ids, or of those among them that are `options`; `word` says each in words."""
    options = FIELDS[name].choices if options is None else options
    if share.value(name) not in options:
        share.set_fields({name: options[-1]})
    if share.hides(name):
        return told(name, label, word)
    return st.segmented_control(
        label, options, format_func=word, key=name, required=True, help=help, wrap=True,
        disabled=share.holds(name), persist_state="session",
    )


def position(name: str, label: str, words: Sequence[str], first: int = 1) -> int:
    """Ask for one of the words by its position, counted from 1, from the `first` on; words may repeat."""
    if not first <= share.value(name) <= len(words):
        share.set_fields({name: len(words)})
    if share.hides(name):
        return told(name, label, lambda at: words[at - 1])
    return st.segmented_control(
        label, range(first, len(words) + 1), format_func=lambda at: words[at - 1], key=name, required=True,
        wrap=True, disabled=share.holds(name), persist_state="session",
    )


def select(name: str, label: str, options: Sequence[str], word: Callable[[str], str], width: int) -> str:
    """Ask for one of many ids in a box that opens; `word` says each in words."""
    if share.hides(name):
        return told(name, label, word)
    return st.selectbox(label, options, format_func=word, key=name, width=width, disabled=share.holds(name),
                        persist_state="session")


def line(name: str, label: str, help: str | None = None) -> str:
    """Ask for one line of text, up to the field's length."""
    if share.hides(name):
        return share.value(name)
    return st.text_input(
        label, key=name, max_chars=FIELDS[name].longest, help=help, disabled=share.holds(name),
        persist_state="session",
    )


def told(name: str, label: str, word: Callable[[object], str]) -> object:
    """Say the value of a field whose control is hidden: hiding a control never hides what it is set to."""
    value = share.value(name)
    with st.container(key=f"told_{name}", width="content", gap=None):
        st.caption(label)
        st.text(word(value))
    return value


def another(name: str, label: str) -> None:
    """Offer the next value of a seed: a fixed jump that visits every value, so that old ones can be found again."""
    field = FIELDS[name]
    following = field.low + (share.value(name) - field.low + 389) % (field.high - field.low + 1)
    if not share.holds(name):
        st.button(label, key=f"another_{name}", icon=":material/casino:", on_click=share.choose,
                  kwargs={name: following})


def value(name: str) -> object:
    """Return the value of a field whose widget is not shown: hiding a control never loses what it was set to."""
    return share.value(name)


def setter(name: str, label: str, to: object, icon: str) -> None:
    """Offer a button that sets a field."""
    if not share.holds(name):
        st.button(label, key=f"set_{name}", icon=icon, on_click=share.choose, kwargs={name: to})
