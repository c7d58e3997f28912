"""The session's fields and the address bar: the only access to both."""

from collections.abc import Iterable, Mapping

import streamlit as st

from pages.ui.classroom.plans import steps
from pages.ui.classroom.prepared import Prepared, experiment, prepared
from pages.ui.fields import COMMON, FIELDS, decode, encode
from pages.ui.kinds import NAME, Choice, Kind, Names


def adopt(page: str, names: Iterable[str], lang: str) -> list[str]:
    """Take the link into the session; return the names of the fields that it could not use.

    The first link of a session sets every field. A later one sets the fields of its page, where it led there: a link
    that sets an experiment, or Back and Forward. A widget whose value nobody touched is unknown to the browser, which
    would answer the next click with nothing in its place: so every field is set again when a page opens.
    """
    refused = []
    unsay()
    st.session_state["new"] = "adopted" not in st.session_state
    if st.session_state["new"]:
        values, refused = read_link(page, lang)
        for name, value in values.items():
            st.session_state.setdefault(name, value)
        st.session_state["adopted"] = True
    elif led(page):
        values, refused = read_link(page, st.session_state["lang"])
        values["made"] = tuple({**dict(values["made"]), **dict(st.session_state["made"])}.items())  # Back forgets none
        changed = {name: values[name] for name in (*COMMON, *names) if values[name] != st.session_state[name]}
        stays = {*refused, *unsaid(values)}
        set_fields({name: value for name, value in changed.items() if name not in stays})
    if st.session_state.get("page") != page:
        st.session_state["page"] = page
        set_again()
    return refused


def settle() -> None:
    """Before a page is drawn: its controls speak its language, and what a teacher holds stands."""
    unsay()
    step = here()
    set_fields({name: step.values[name] for name in step.held if st.session_state[name] != step.values[name]})


def unsay() -> None:
    """Take back what a box has sent in words that the other language does not know; what was published stands."""
    names, link = st.session_state.get("published", ((), {}))
    said = [name for name in names if is_said(FIELDS[name], st.session_state[name])]
    if said:
        values = decode(link)[0]
        set_fields({name: values[name] for name in said})


def is_said(field: Kind, value: object) -> bool:
    """Say whether a value is the words for an id, and no id."""
    match field:
        case Choice():
            return value not in field.choices
        case Names():
            return not all(NAME.fullmatch(name) for name in value)
    return False


def recall(names: Iterable[str], remembered: dict[str, object]) -> None:
    """Take the fields of other pages from what the browser remembers of them, in the run in which a session begins."""
    if st.session_state["new"]:
        set_fields({name: kept for name, kept in remembered.items() if name not in (*COMMON, *names)})


def read_link(page: str, lang: str) -> tuple[dict[str, object], list[str]]:
    """Read the address bar: where a prepared step of this page is at hand, its values stand in for the defaults."""
    typed = st.query_params.to_dict()
    values, refused = decode(typed)
    values["lang"] = values["lang"] or lang
    values["at"] = max(1, min(values["at"], len(steps(values["plan"]))))
    step = prepared(values["plan"], values["at"], page)
    asked = step.values.get("predict", "none")
    if asked != "none" and asked not in dict(values["made"]):
        values["predict"] = asked  # a link cannot pass over the question
    for name, value in step.values.items():
        if name in step.held and name in typed and values[name] != value and name not in refused:
            refused.append(name)
        if name in step.held or name not in typed:
            values[name] = value
    if values["predict"] in dict(values["made"]):
        brought = experiment(values["predict"], page)
        values |= {name: value for name, value in brought.items() if name not in (*typed, *step.held)}
    return values, refused


def here() -> Prepared:
    """Return what a teacher prepared for this page; nothing is hidden or held where nobody did."""
    return prepared(st.session_state["plan"], st.session_state["at"], st.session_state["page"])


def hides(name: str) -> bool:
    """Say whether a control, named by its field, or a result is hidden from the class."""
    return name in here().hidden


def holds(name: str) -> bool:
    """Say whether the class cannot change a field."""
    return name in here().held


def led(page: str) -> bool:
    """Say whether something else than a control led here: then no field is other than published, but the address is."""
    names, published = st.session_state.get("published", ((), None))  # None: no run has come so far
    if published is None or st.session_state["page"] != page:
        return published is not None
    return link_of(names) == published != st.query_params.to_dict()


def unsaid(values: Mapping[str, object]) -> list[str]:
    """Return the fields of which a link says what the last address said: what a reader changed in between stands."""
    names, published = st.session_state["published"]
    said = decode(published)[0]
    return [name for name in names if values[name] == said[name]]


def publish(names: Iterable[str], now: Mapping[str, object]) -> None:
    """Write the page's fields into the address bar, so that a copied link restores the experiment."""
    names = (*COMMON, *names)
    link = link_of(names, now)
    st.session_state["published"] = (names, link)
    if st.query_params.to_dict() != link:
        st.query_params.from_dict(link)


def now() -> Mapping[str, object]:
    """Return all values at once, which is many times cheaper than one by one, for the links of a menu."""
    return st.session_state.to_dict()


def link_of(names: Iterable[str], held: Mapping[str, object] | None = None, **instead: object) -> dict[str, str]:
    """Return the link parameters of the named fields as they are now, or as `held`, or with other values instead.

    What a prepared step or a prediction sets is always written: left out, it would be theirs again.
    """
    held = st.session_state if held is None else held  # for one link, one by one is cheaper than all at once
    values = {name: held[name] for name in names} | instead
    step = prepared(values.get("plan", ""), values.get("at", 1), None)
    values |= {name: step.values[name] for name in step.held if name in values}
    brought = experiment(values.get("predict", "none"), None)
    return encode(values, names, step.values.keys() | brought.keys())


def drafts(name: str) -> dict[tuple[int, int], str]:
    """Return what a reader typed into a matrix and the lab cannot read, cell by cell; it stays until it is mended."""
    return st.session_state.get(f"draft_{name}", {})


def keep_drafts(name: str, typed: dict[tuple[int, int], str]) -> None:
    """Keep what cannot be read as it was typed."""
    st.session_state[f"draft_{name}"] = typed


def watched(name: str) -> object | None:
    """Return what this session watches of a long run; no link carries it."""
    return st.session_state.get(f"watched_{name}")


def keep_watched(name: str, watch: object) -> None:
    """Keep what this session watches of a long run."""
    st.session_state[f"watched_{name}"] = watch


def value(name: str) -> object:
    """Return a field's value in this session."""
    return st.session_state[name]


def choose(**values: object) -> None:
    """Set fields; the callback of every button that sets up an experiment. What a teacher holds stays as it is."""
    held = here().held
    set_fields({name: value for name, value in values.items() if name not in held})


def set_fields(values: dict[str, object]) -> None:
    """Set fields; a matrix that is set holds no drafts."""
    for name, chosen in values.items():
        st.session_state[name] = chosen
        for draft in (f"draft_{name}", f"draft_{name}_beyond"):
            st.session_state.pop(draft, None)


def set_again() -> None:
    """Set every field to what it is, so that widgets which appear again know their values."""
    for name in FIELDS:
        st.session_state[name] = st.session_state[name]
