"""A field's name becomes its widget; the widget's value is the field's value, plain Python."""

from collections.abc import Callable, Sequence

import streamlit as st

from pages.ui import share


def slider(name: str, label: str, help: str | None = None, high: int | None = None) -> int:
    """Ask for a whole number within the field's bounds, or up to `high` where the experiment has no more to offer."""
    field = share.FIELDS[name]
    high = min(field.high, field.high if high is None else high)
    within(name, high)
    return st.slider(label, field.low, high, key=name, help=help, persist_state="session")


def within(name: str, high: int) -> None:
    """Bring a field's value down to `high`."""
    if share.value(name) > high:
        share.choose(**{name: high})


def decimal(name: str, label: str, help: str | None = None) -> float:
    """Ask for a number with one decimal within the field's bounds."""
    field = share.FIELDS[name]
    return st.slider(
        label, field.low, field.high, step=0.1, format="%.1f", key=name, help=help, persist_state="session",
    )


def choice(
    name: str, label: str, word: Callable[[object], str], help: str | None = None, options: Sequence[str] | None = None,
) -> str:
    """Ask for one of the field's ids, or of those among them that are `options`; `word` says each in words."""
    options = share.FIELDS[name].choices if options is None else options
    if share.value(name) not in options:
        share.choose(**{name: options[-1]})
    return st.segmented_control(
        label, options, format_func=word, key=name, required=True, help=help, wrap=True,
        persist_state="session",
    )


def position(name: str, label: str, words: Sequence[str]) -> int:
    """Ask for one of the words by its position, counted from 1; words may repeat."""
    within(name, len(words))
    return st.segmented_control(
        label, range(1, len(words) + 1), format_func=lambda at: words[at - 1], key=name, required=True,
        wrap=True, persist_state="session",
    )


def line(name: str, label: str, help: str | None = None) -> str:
    """Ask for one line of text, up to the field's length."""
    return st.text_input(label, key=name, max_chars=share.FIELDS[name].longest, help=help, persist_state="session")


def another(name: str, label: str) -> None:
    """Offer the next value of a seed: a fixed jump that visits every value, so that old ones can be found again."""
    field = share.FIELDS[name]
    following = field.low + (share.value(name) - field.low + 389) % (field.high - field.low + 1)
    st.button(label, key=f"another_{name}", icon=":material/casino:", on_click=share.choose, kwargs={name: following})


def value(name: str) -> object:
    """Return the value of a field whose widget is not shown: hiding a control never loses what it was set to."""
    return share.value(name)


def setter(name: str, label: str, to: object, icon: str) -> None:
    """Offer a button that sets a field."""
    st.button(label, key=f"set_{name}", icon=icon, on_click=share.choose, kwargs={name: to})
