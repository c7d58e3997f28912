"""Self- and cross-attention: one function, other inputs; and the two sentences that two parts of the lesson share."""

from dataclasses import dataclass

import numpy as np
import streamlit as st

from attention_core import MultiHead, multi_head_attention
from attention_core.embedding import word_vectors
from attention_core.heads import drawn_weights
from pages.ui import controls, lesson, share
from pages.ui.language import N_, Language
from pages.ui.lessons.heads_tables import shape, size, words_table
from pages.ui.tables.arithmetic import arithmetic
from pages.ui.tables.board import board
from pages.ui.tables.matrix import matrix, side_by_side
from pages.ui.tables.worked import CAPTION, SCALE, Worked, attend
from pages.ui.typed.tokens import MOST, sentence_tokens
from pages.ui.typed.unreadable import shown

CROSS = {"self": N_("self: one sentence"), "cross": N_("cross: two sentences")}
EXAMPLE = {"asking": "I am eating fish", "answering": "saya makan ikan"}
WIDTH = 3  # of the vectors, narrow enough for three matrices beside each other
SHOWN = ("scaled", "weights", "output")  # the matrices whose cells can be chosen
ASKED = ("Q", *SHOWN)  # one row a token that asks


@dataclass(frozen=True, eq=False)
class Pair:
    """Hold the two sentences and their made-up vectors.

    Attributes
    ----------
    asking, answering : tuple of str
        The tokens; with self-attention both are those that ask.
    x_query, x_key_value : np.ndarray, shapes (n, d_model), (m, d_model)
        Their vectors.
    dropped : int
        How many tokens of both sentences did not fit.
    """

    asking: tuple[str, ...]
    answering: tuple[str, ...]
    x_query: np.ndarray
    x_key_value: np.ndarray
    dropped: int


def pair(d_model: int, kind: str) -> Pair:
    """Return the sentences as they are set; an empty one is the example's."""
    typed = {name: sentence_tokens(share.value(name)) for name in EXAMPLE}
    tokens = {name: typed[name].tokens or sentence_tokens(EXAMPLE[name]).tokens for name in EXAMPLE}
    answering = tokens["asking" if kind == "self" else "answering"]
    x_query, x_key_value = (
        word_vectors(words, d_model, share.value("heads_seed")) for words in (tokens["asking"], answering)
    )
    return Pair(tokens["asking"], answering, x_query, x_key_value, sum(each.dropped for each in typed.values()))


def self_attention(x: np.ndarray, weights: tuple) -> MultiHead:
    """Let a sentence ask itself."""
    return multi_head_attention(x, x, *weights, num_heads=1)


def cross_attention(x: np.ndarray, other: np.ndarray, weights: tuple) -> MultiHead:
    """Let a sentence ask another one."""
    return multi_head_attention(x, other, *weights, num_heads=1)


def ask_for_words(_: Language) -> None:
    """Offer the reader to type both sentences."""
    with st.popover(_("Your own words"), icon=":material/edit:"):
        controls.line("asking", _("Who asks: at most {most} tokens", most=MOST))
        controls.line("answering", _("Who answers: at most {most} tokens", most=MOST))
        st.markdown(_("Each is cut at white space and punctuation. Empty a field to have the example's sentence back."))
        controls.slider("heads_seed", _("Seed of vectors and projections"))


def show(_: Language) -> None:
    """Show the part: controls, matrices, the sentence, both calls."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom", key="cross_controls"):
        kind = controls.choice("cross", _("Attention"), lambda kind: _(CROSS[kind]))
        ask_for_words(_)
        controls.another("heads_seed", _("Another seed"))
    given = pair(WIDTH, kind)
    drawn = drawn_weights(share.value("heads_seed"), WIDTH)
    weights = (drawn.w_query, drawn.w_key, drawn.w_value, np.eye(WIDTH))  # W_O = I: the output is the head's own
    own = self_attention(given.x_query, weights)
    other = pair(WIDTH, "cross")
    across = cross_attention(other.x_query, other.x_key_value, weights)
    result = own if kind == "self" else across
    worked = attend(result.query[0], result.key[0], result.value[0], given.asking, given.answering)
    row = min(share.value("asker"), len(given.asking)) - 1
    with lesson.shown():
        picture(_, given, worked, row, kind)
        lesson.sentence(say(_, given, worked, row, kind))
    calls(_, own, across, other, kind)
    same = np.abs(own.output - cross_attention(given.x_query, given.x_query, weights).output).max()
    st.markdown(_("Give cross-attention the same sentence twice and it is self-attention: the largest difference of "
                  "the outputs is {difference}.", difference=size(_, same)))
    made_up(_, given)


def picture(_: Language, given: Pair, worked: Worked, row: int, kind: str) -> None:
    """Show Q, K, V, scaled scores, weights and output; a row's header makes it the query."""
    usual = ("weights", row, int(np.argmax(worked["weights"][row])))
    chosen = share.value("cell")
    place = worked.place(chosen, usual) if chosen.split(".")[0] in SHOWN else usual
    tables = {name: table(_, worked, name, row, place, kind) for name in ("Q", "K", "V", *SHOWN)}
    rows = "".join(side_by_side(*(tables[name] for name in row)) for row in (("Q", "K", "V"), SHOWN))
    board("cross_board", f'<div class="lab-cross">{rows}</div>', arithmetic(_, worked, place),
          ask=("asker", range(1, len(given.asking) + 1)))


def table(_: Language, worked: Worked, name: str, row: int, place: tuple[str, int, int], kind: str) -> str:
    """Draw one matrix; with two sentences the queries' tokens are others than the keys'."""
    n, m = worked["weights"].shape
    queries, keys = range(n), range(m) if kind == "self" else range(n, n + m)
    places, factor = (1, 100) if name == "weights" else (2, 1)
    caption = _("Weights in %") if name == "weights" else _(CAPTION[name])
    return matrix(
        name, worked[name], worked.rows[name], worked.columns[name], lambda value: _.number(factor * value, places),
        caption=caption, scale=SCALE[name], row=row if name in ASKED else None,
        cell=place[1:] if place[0] == name else None, live=name in SHOWN, asks=name in ASKED,
        row_tokens=queries if name in ASKED else keys, column_tokens=keys if name in ("scaled", "weights") else None,
    )


def say(_: Language, given: Pair, worked: Worked, row: int, kind: str) -> str:
    """Say which shapes come from which sentence, and what the query finds."""
    best = int(np.argmax(worked["weights"][row]))
    holes = {
        "n": len(given.asking), "m": len(given.answering), "q": shape(worked["Q"]), "kv": shape(worked["K"]),
        "weights": shape(worked["weights"]), "output": shape(worked["output"]), "query": shown(given.asking[row]),
        "key": shown(given.answering[best]), "most": _.percent(worked["weights"][row, best], 1),
    }
    if kind == "self":
        return _("The sentence asks itself: Q, K and V are all **{q}**, and the weights are **{weights}**, as high as "
                 "wide. “{query}” gives the most, **{most}**, to “{key}”.", **holes)
    return _("{n} tokens ask and {m} answer: Q is **{q}**, K and V are **{kv}**, so the weights are **{weights}**: a "
             "row a query, a column a key. “{query}” gives the most, **{most}**, to “{key}”. The output is {output}: "
             "as many rows as asked, made of the other sentence's values.", **holes)


def calls(_: Language, own: MultiHead, across: MultiHead, other: Pair, kind: str) -> None:
    """Show both calls as they ran, and the shapes of what went in and came out."""
    st.markdown(_("**The same function, called twice.** Only the second input differs:"))
    for function in (self_attention, cross_attention):
        st.code(lesson.source(function), language="python", wrap_lines=True)
    rows = [
        (name, [shape(x), shape(x_kv), shape(result.query[0]), shape(result.key[0]), shape(result.value[0]),
                shape(result.weights[0]), shape(result.output)])
        for name, x, x_kv, result in (
            (_("self"), other.x_query, other.x_query, own), (_("cross"), other.x_query, other.x_key_value, across),
        )
    ]
    heads = (_("who asks"), _("who answers"), "Q", "K", "V", _("weights"), _("output"))
    lesson.picture(words_table("calls", _("Shapes of both calls"), heads, rows, here=int(kind == "cross")))


def made_up(_: Language, given: Pair) -> None:
    """Say plainly that nothing here was learnt, and what did not fit."""
    if given.dropped:
        st.warning(_("{dropped} tokens did not fit: each sentence shows its first {most}. Shorten it to see the "
                     "others.", dropped=given.dropped, most=MOST), icon=":material/content_cut:")
    st.info(_("The vectors of the words and the projections are made up from seed {seed}. They mean nothing: if a word "
              "finds its translation here, that is luck, and another seed undoes it. A trained model learns both.",
              seed=share.value("heads_seed")), icon=":material/casino:")
