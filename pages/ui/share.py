"""What a link can carry: the one table of shareable state, its URL codec, and the only access to both."""

from collections.abc import Iterable, Mapping

import streamlit as st

from pages.ui.kinds import Choice, Decimal, Kind, Numbers, Pairs, Place, Text, Whole
from pages.ui.language import LANGUAGES

# Key of the widget = name of the field = name in the link. A name and a default never change once shared.
FIELDS: dict[str, Kind] = {
    "lang": Choice(None, tuple(LANGUAGES)),  # no default of its own: the visitor's browser has one
    "cell": Place(),  # on every page with matrices: the cell whose arithmetic stands beside them
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
    # query, key and value: ikan, makan, and the tokens that a reader adds
    "token": Choice("makan", ("ikan", "makan", "t3", "t4", "t5", "t6")),
    "tie": Choice("none", ("none", "q_k")),
    "x": Numbers(6, 8),
    "w_q": Numbers(8, 6),
    "w_k": Numbers(8, 6),
    "w_v": Numbers(8, 6),
    "ask": Choice("search", ("search", "change", "factor", "length")),
    "longer": Decimal(5.0, 1.0, 8.0),
    "long_key": Whole(2, 1, 6),
    # the sentence of the pipeline and of masking: the six words or the reader's own
    "words": Text("", 160),
    "word_seed": Whole(0, 0, 999),
    "x6": Numbers(12, 8),
    "w6_q": Numbers(8, 8),
    "w6_k": Numbers(8, 8),
    "w6_v": Numbers(8, 8),
    # the pipeline
    "step": Choice("attend", ("attend", "project", "scores", "weights", "mask", "output")),
    "word": Whole(2, 1, 12),
    "causal": Choice("yes", ("no", "yes")),
    "order": Choice("given", ("given", "reversed")),
    # masking
    "mask": Choice("none", ("none", "causal", "padding", "both")),
    "query": Whole(3, 1, 12),
    "pads": Whole(2, 0, 12),
    "side": Choice("end", ("end", "start")),
    "window": Choice("no", ("no", "yes")),
    "left": Whole(1, 0, 11),
    "right": Whole(0, 0, 11),
    "cached": Whole(0, 0, 11),
    "align": Choice("top_left", ("top_left", "bottom_right")),
    "hidden": Pairs(12),
    "beside": Choice("none", ("none", "wrong", "future")),
    "way": Choice("zero", (
        "by_hand", "zero", "minus_1e9", "after", "after_renormalised", "inverted", "wrong_axis", "padded_rows",
    )),
    "changed": Whole(6, 1, 12),
    # verification
    "example": Choice("source", (
        "source", "ikan_makan", "six_words", "drawn", "pipeline", "qkv", "scaling", "masking",
    )),
    "compare": Choice("no", ("no", "yes")),
    "bench": Choice("stages", ("stages", "dtypes", "backends", "battery", "own")),
    "bug": Choice("none", (
        "none", "no_scaling", "scale_by_d_model", "softmax_over_columns", "mask_after_softmax", "inverted_mask",
        "off_by_one_causal", "no_max_subtraction", "wrong_head_split", "transposed_value",
    )),
    "draw_seed": Whole(0, 0, 999),
    "draw_n": Whole(3, 1, 12),
    "draw_m": Whole(4, 1, 12),
    "draw_d_k": Whole(5, 1, 12),
    "draw_d_v": Whole(3, 1, 12),
    "draw_heads": Whole(2, 1, 4),
    "draw_batch": Whole(1, 1, 3),
    "draw_mask": Choice("none", ("none", "causal", "bool", "float", "padding")),
    "draw_scale": Choice("default", ("default", "zero", "negative", "large")),
    "cases": Choice("200", ("200", "1000")),
    "q": Numbers(12, 8),
    "k": Numbers(12, 8),
    "v": Numbers(12, 8),
    # heads
    "heads_part": Choice("cross", ("cross", "heads", "scale", "beyond")),
    "cross": Choice("cross", ("self", "cross")),
    "asking": Text("", 160),
    "answering": Text("", 160),
    "asker": Whole(3, 1, 12),
    "heads_seed": Whole(0, 0, 999),
    "d_model": Whole(8, 2, 12),
    "num_heads": Whole(2, 1, 8),
    "scale_heads": Choice("8", ("1", "2", "4", "8", "16", "32", "64")),
    "token_kind": Choice("picture", ("picture", "graph")),
    "drawing": Choice("letter", ("letter", "ring", "gradient")),
    "patch": Whole(6, 1, 16),
    "node": Whole(3, 1, 6),
    "flipped": Pairs(6),
    # tiles
    "tiles_keys": Whole(8, 2, 12),
    "tiles_size": Whole(3, 1, 12),
    "tiles_step": Whole(2, 1, 12),
    "tiles_seed": Whole(4, 0, 999),
    "tiles_order": Choice("drawn", ("drawn", "rising", "falling")),
    "tiles_mask": Choice("none", ("none", "causal", "start")),
    "tiles_query": Whole(5, 1, 12),
    "tiles_measured": Choice("no", ("no", "yes")),
    # additive
    "add_d": Whole(256, 1, 512),
    "add_hidden": Whole(64, 1, 128),
    "add_keys": Whole(8, 2, 32),
    "add_seed": Whole(0, 0, 999),
    "add_look": Choice("saturation", ("none", "saturation", "cost", "widths")),
    "add_v": Choice("root", ("root", "one")),
    "add_long": Decimal(1.0, 1.0, 10.0),
    # explanation
    "exp_from": Choice("six_words", ("six_words", "drawn")),
    "exp_query": Whole(3, 1, 6),
    "exp_keys": Whole(6, 3, 8),
    "exp_d_v": Whole(3, 1, 8),
    "exp_tol": Choice("0", ("0", "0.001", "0.01", "0.05", "0.1")),
    "exp_far": Choice("total_variation", ("total_variation", "jensen_shannon")),
    "exp_seed": Whole(0, 0, 999),
    # learning
    "train_d_k": Choice("256", ("4", "16", "64", "256")),
    "train_optimizer": Choice("sgd", ("sgd", "adam")),
    "train_rate": Choice("low", ("low", "middle", "high")),
    "train_steps": Choice("400", ("400", "1200")),
    "train_seeds": Whole(10, 1, 10),
    "train_first": Whole(0, 0, 999),
    "train_left": Choice("accuracy", ("accuracy", "loss", "largest", "gradient", "at_scores")),
    "train_right": Choice("largest", ("accuracy", "loss", "largest", "gradient", "at_scores")),
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


def adopt(page: str, names: Iterable[str], lang: str) -> list[str]:
    """Take the link into the session; return the names of the fields that it could not use.

    The first link of a session sets every field. A later one sets the fields of its page, where it led there: a link
    that sets an experiment, or Back and Forward. A widget whose value nobody touched is unknown to the browser, which
    would answer the next click with nothing in its place: so every field is set again when a page opens.
    """
    refused = []
    if "adopted" not in st.session_state:
        values, refused = decode(st.query_params.to_dict())
        values["lang"] = values["lang"] or lang
        for name, value in values.items():
            st.session_state.setdefault(name, value)
        st.session_state["adopted"] = True
    elif led(page):
        values, refused = decode(st.query_params.to_dict())
        values["lang"] = values["lang"] or st.session_state["lang"]
        changed = {name: values[name] for name in ("lang", *names) if values[name] != st.session_state[name]}
        choose(**{name: value for name, value in changed.items() if name not in refused})
    if st.session_state.get("page") != page:
        st.session_state["page"] = page
        for name in FIELDS:
            st.session_state[name] = st.session_state[name]
    return refused


def led(page: str) -> bool:
    """Say whether something else than a control led here: then no field is other than published, but the address is."""
    names, published = st.session_state.get("published", ((), None))  # None: no run has come so far
    if published is None or link_of(names) != published:
        return False
    return st.session_state["page"] != page or st.query_params.to_dict() != published


def publish(names: tuple[str, ...]) -> None:
    """Write the page's fields into the address bar, so that a copied link restores the experiment."""
    link = link_of(names)
    st.session_state["published"] = (names, link)
    if st.query_params.to_dict() != link:
        st.query_params.from_dict(link)


def link_of(names: Iterable[str], **instead: object) -> dict[str, str]:
    """Return the link parameters of the named fields as they are now, or with other values instead."""
    return encode({name: st.session_state[name] for name in names} | instead, names)


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
    """Set fields; the callback of every button that sets up an experiment. A matrix that is set holds no drafts."""
    for name, chosen in values.items():
        st.session_state[name] = chosen
        for draft in (f"draft_{name}", f"draft_{name}_beyond"):
            st.session_state.pop(draft, None)
