"""What a link can carry: the one table of shareable state, its URL codec, and the only access to both."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import streamlit as st

from pages.ui.language import LANGUAGES


@dataclass(frozen=True)
class Whole:
    """A whole number within bounds."""

    default: int
    low: int
    high: int

    def write(self, value: int) -> str:
        """Write the number for a link."""
        return str(value)

    def read(self, text: str) -> int:
        """Read the number; ValueError for anything else, also for 1e3, ٣ or 64.0."""
        if not (text.isascii() and text.isdigit() and len(text) <= 9 and self.low <= int(text) <= self.high):
            raise ValueError(text)
        return int(text)


@dataclass(frozen=True)
class Decimal:
    """A number with one decimal within bounds; a link writes it with a point in every language."""

    default: float
    low: float
    high: float

    def write(self, value: float) -> str:
        """Write the number for a link; sliders step to 0.30000000000000004."""
        return f"{value:.1f}"

    def read(self, text: str) -> float:
        """Read the number; ValueError for anything else, also for 1,5 or 1e1."""
        if not (re.fullmatch(r"-?[0-9]{1,3}(\.[0-9])?", text) and self.low <= float(text) <= self.high):
            raise ValueError(text)
        return float(text)


@dataclass(frozen=True)
class Choice:
    """One of a few ids, which no language changes."""

    default: str | None
    choices: tuple[str, ...]

    def write(self, value: str) -> str:
        """Write the id for a link."""
        return value

    def read(self, text: str) -> str:
        """Read the id; ValueError for anything else."""
        if text not in self.choices:
            raise ValueError(text)
        return text


# Key of the widget = name of the field = name in the link. A name and a default never change once shared.
FIELDS: dict[str, Whole | Decimal | Choice] = {
    "lang": Choice(None, tuple(LANGUAGES)),  # no default of its own: the visitor's browser has one
    # scaling
    "d_k": Whole(64, 1, 512),
    "seed": Whole(0, 0, 999),
    "keys": Whole(8, 2, 64),
    "divisor": Choice("sqrt_d_k", ("none", "sqrt_d_k", "d_k", "cosine", "free")),
    "value": Decimal(8.0, 0.1, 64.0),
    "mean": Decimal(0.0, -2.0, 2.0),
    "std": Decimal(1.0, 0.1, 3.0),
    "closer": Choice("numbers", ("none", "numbers", "variance", "gradient", "precision")),
    "shift": Whole(0, 0, 800),
    # query, key and value
    "token": Choice("makan", ("ikan", "makan")),
    "tie": Choice("none", ("none", "q_k")),
    # masking
    "mask": Choice("none", ("none", "causal", "padding", "both")),
    "query": Whole(3, 1, 6),
    "pads": Whole(2, 0, 6),
    "side": Choice("end", ("end", "start")),
    # verification
    "example": Choice("source", ("source", "ikan_makan", "six_words")),
    "compare": Choice("no", ("no", "yes")),
}


def decode(link: Mapping[str, str]) -> tuple[dict[str, object], list[str]]:
    """Read a link: the values of all fields, and the names of those whose text was no legal value.

    >>> values, refused = decode({"d_k": "128", "seed": "luck"})
    >>> values["d_k"], values["seed"], refused
    (128, 0, ['seed'])
    """
    values: dict[str, object] = {name: field.default for name, field in FIELDS.items()}
    refused = []
    for name in FIELDS.keys() & link.keys():
        try:
            values[name] = FIELDS[name].read(link[name])
        except ValueError:
            refused.append(name)
    return values, sorted(refused)


def encode(values: Mapping[str, object], names: Iterable[str]) -> dict[str, str]:
    """Write the named fields as link parameters; what equals its default is left out.

    >>> encode({"lang": "id", "d_k": 64, "seed": 7}, ["lang", "d_k", "seed"])
    {'lang': 'id', 'seed': '7'}
    """
    return {
        name: text
        for name in names
        if (text := FIELDS[name].write(values[name])) != FIELDS[name].write(FIELDS[name].default)
    }


def adopt(lang: str) -> list[str]:
    """Take the link into the session, once per session; return the names of the fields that it could not use."""
    if "adopted" in st.session_state:
        return []
    values, refused = decode(st.query_params.to_dict())
    values["lang"] = values["lang"] or lang
    for name, value in values.items():
        st.session_state.setdefault(name, value)
    st.session_state["adopted"] = True
    return refused


def carry(page: str) -> None:
    """Set every field again on the first run of a page: a widget whose value nobody touched is unknown to the browser,
    which would answer the next click with nothing in its place."""
    if st.session_state.get("page") != page:
        st.session_state["page"] = page
        for name in FIELDS:
            st.session_state[name] = st.session_state[name]


def publish(names: Iterable[str]) -> None:
    """Write the page's fields into the address bar, so that a copied link restores the experiment."""
    link = link_of(names)
    if st.query_params.to_dict() != link:
        st.query_params.from_dict(link)


def link_of(names: Iterable[str]) -> dict[str, str]:
    """Return the link parameters of the named fields as they are now."""
    return encode(st.session_state, names)


def value(name: str) -> object:
    """Return a field's value in this session."""
    return st.session_state[name]


def choose(**values: object) -> None:
    """Set fields; the callback of every button that sets up an experiment."""
    for name, chosen in values.items():
        st.session_state[name] = chosen
