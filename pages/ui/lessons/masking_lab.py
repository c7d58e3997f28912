"""The mask laboratory: which masks are on, how they are asked for, drawn by hand, shown and counted."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import streamlit as st

from attention_core import causal_mask, combine_masks, padding_mask, sliding_window_mask
from attention_core.wrong_masks import masked_weights
from pages.ui import controls, share, words
from pages.ui.language import Language
from pages.ui.tables.arithmetic import arithmetic
from pages.ui.tables.board import board
from pages.ui.tables.matrix import operator, side_by_side
from pages.ui.tables.worked import Worked, work
from pages.ui.typed.inputs import mismatch
from pages.ui.typed.sentence import Sentence, ask_for_words
from pages.ui.typed.unreadable import shown

SHOWN = ("scaled", "mask", "weights", "output")  # the matrices of the picture
STYLESHEET = Path(__file__).with_name("masking.css")


@dataclass(frozen=True, eq=False)
class Masks:
    """Hold the masks that are on, each True where a query may look at a key.

    Attributes
    ----------
    n : int
        How many tokens there are, each with a key.
    first : int
        How many of them only offer keys, because a cache holds them; the others are the queries.
    parts : dict of str to (n - first, n) array of bool
        "causal", "padding", "window" and "drawn", those of them that are on.
    """

    n: int
    first: int
    parts: dict[str, np.ndarray]

    @property
    def allowed(self) -> np.ndarray:
        """Return what all masks together allow."""
        return joined(self.parts.values(), (self.n - self.first, self.n))

    def without(self, left_out: str) -> np.ndarray:
        """Return what the masks allow, one of them left aside."""
        return joined((part for name, part in self.parts.items() if name != left_out), (self.n - self.first, self.n))

    @property
    def padding(self) -> np.ndarray | None:
        """Return for each key whether it is a token, False for padding; None where there is no padding."""
        keys = self.parts.get("padding", np.ones((1, self.n), bool))[0]  # (n,): every row is the same
        return None if keys.all() else keys


def joined(masks: Sequence[np.ndarray], shape: tuple[int, int]) -> np.ndarray:
    """Join masks; without any, everything is allowed."""
    mask = combine_masks(*masks)
    return np.ones(shape, bool) if mask is None else mask


def masks_of(n: int, alignment: str | None = None) -> Masks:
    """Return the masks as they are set, for n tokens; `alignment` is asked for where another is to be compared."""
    kind, first = share.value("mask"), min(share.value("cached"), n - 1)
    alignment = share.value("align") if alignment is None else alignment
    queries, parts = n - first, {}
    if kind in ("causal", "both"):
        parts["causal"] = causal_mask(queries, n, alignment)
    if kind in ("padding", "both"):
        padding = padding_mask(n - min(share.value("pads"), n), n)  # (1, n)
        padding = padding[:, ::-1] if share.value("side") == "start" else padding
        parts["padding"] = np.broadcast_to(padding, (queries, n))
    if share.value("window") == "yes":
        ahead = first if alignment == "bottom_right" else 0
        window = sliding_window_mask(n, left=share.value("left"), right=share.value("right"))
        parts["window"] = window[ahead : ahead + queries]  # (queries, n)
    drawn = np.ones((queries, n), bool)
    for query, key in share.value("hidden"):
        if first < query <= n and key <= n:
            drawn[query - 1 - first, key - 1] = False
    return Masks(n, first, parts if drawn.all() else parts | {"drawn": drawn})


def draw(masks: Masks, row: int, column: int) -> None:
    """Hide a cell of the mask, counted from 1, or show it again; what another mask hides stays as it is."""
    cell, hidden = (masks.first + row, column), set(share.value("hidden"))
    if cell in hidden:
        hidden.remove(cell)
    elif row <= masks.n - masks.first and column <= masks.n and masks.without("drawn")[row - 1, column - 1]:
        hidden.add(cell)
    share.choose(hidden=tuple(sorted(hidden)))


def ask_for_query(_: Language, tokens: Sequence[str]) -> int:
    """Ask which token is the query, among those that the cache does not hold; return its row."""
    first = min(share.value("cached"), len(tokens) - 1)
    query = controls.position("query", _("Query"), [shown(token) for token in tokens], first + 1)
    return query - 1 - first


def ask_for_masks(_: Language, n: int) -> Masks:
    """Ask for the words and the masks besides their kind; what is on adds its controls behind the others."""
    with st.container(horizontal=True, gap="medium", key="masks"):
        ask_for_words(_)
        window = controls.choice("window", _("Window"), lambda on: _(words.WINDOW[on])) == "yes"
        cached = n > 1 and controls.slider("cached", _("Tokens in the cache"), high=n - 1, help=_(
            "A decoder that writes word by word keeps the keys and values of what it has written. Only the other "
            "tokens ask: there are fewer queries than keys."
        ))
        if share.value("mask") in ("padding", "both"):
            controls.choice("side", _("Padding stands"), lambda side: _(words.SIDE[side]))
            controls.slider("pads", _("Positions that are padding"), high=n)
        if window:
            controls.slider("left", _("Window: keys to the left"), high=max(n - 1, 1))
            controls.slider("right", _("Window: keys to the right"), high=max(n - 1, 1))
        if cached:
            controls.choice("align", _("Mask aligned at the"), lambda corner: _(words.ALIGN[corner]))
    return masks_of(n)


def worked_out(_: Language, given: Sentence, masks: Masks) -> Worked:
    """Work the sentence out under the masks; where the reader's matrices disagree, say so and take the example's."""
    arrays = given.arrays
    if problem := mismatch(_, *arrays):
        st.error(problem + " " + _("Meanwhile the page counts with the example's."), icon=":material/edit_off:")
        arrays = tuple(part.example for part in given.inputs)
    return work(given.tokens, given.features, *arrays, attn_mask=masks.allowed, first=masks.first)


def picture(_: Language, masks: Masks, worked: Worked, row: int) -> None:
    """Show the scores, the mask, the weights and the output; a cell of the mask is hidden or shown by choosing it."""
    usual = ("weights", row, int(np.argmax(worked["weights"][row])))
    chosen = share.value("cell")
    place = worked.place(chosen, usual) if chosen.split(".")[0] in SHOWN else usual
    look = {"query": row, "chosen": place}
    before = side_by_side(
        worked.table(_, "scaled", **look),
        operator("+"),
        worked.table(_, "mask", caption=_("Mask: choose a cell to hide it"), places=0, **look),
    )
    after = side_by_side(
        operator("softmax"),
        worked.table(_, "weights", caption=_("Weights in %, a row a query"), percent=True, places=1, **look),
        operator("× <i class='V'>V</i>"),
        worked.table(_, "output", **look),
    )
    beside = arithmetic(_, worked, place) + who_hides(_, masks, place)
    board(
        "masks_board", f'<div class="lab-masks">{before}{after}</div>', beside,
        ask=("query", range(masks.first + 1, masks.n + 1)), toggle=("mask", partial(draw, masks)),
    )


def who_hides(_: Language, masks: Masks, place: tuple[str, int, int]) -> str:
    """Say what hides the chosen cell of the mask, and whether drawing can show it."""
    name, i, j = place
    if name != "mask" or masks.allowed[i, j]:
        return ""
    if masks.without("drawn")[i, j]:
        text = _("You hid this cell; choose it again to show it.")
    else:
        hiding = ", ".join(_(words.PART[part]) for part in masks.parts if not masks.parts[part][i, j])
        text = _("Hidden by: {masks}. Drawing cannot show what another mask hides.", masks=hiding)
    return f'<p class="lab-hides">{text}</p>'


def say(_: Language, masks: Masks, worked: Worked, row: int) -> str:
    """Say what the query sees, and how much of the matrix is left."""
    weights, n = worked["weights"][row], masks.n
    query, best = shown(worked.rows["weights"][row]), int(np.argmax(weights))
    if masks.allowed[row].any():
        first = _(
            "“{query}” sees **{seen} of {n}** tokens, and gives the most, **{share}**, to “{key}”.",
            query=query, seen=masks.allowed[row].sum(), n=n, share=_.percent(weights[best], 1),
            key=shown(worked.rows["K"][best]),
        )
    else:
        by_hand, uniform = (masked_weights(worked["scaled"], masks.allowed, way)[row, 0]
                            for way in ("by_hand", "minus_1e9"))
        first = _(
            "“{query}” sees **0 of {n}** tokens, so its weights are all 0 and its output is 0, here and in PyTorch "
            "since version 2.5. By hand, softmax of nothing but −∞ is 0 ÷ 0: each weight is **{by_hand}**, not a "
            "number. With −10⁹ put in the scores' place, as masked_fill does, each is **{uniform}**, on keys that must "
            "not be seen.",
            query=query, n=n, by_hand=_.number(by_hand), uniform=_.percent(uniform, 1),
        )
    return " ".join(filter(None, (first, count(_, masks), cache(_, masks, row, query), drawing(_, masks))))


def count(_: Language, masks: Masks) -> str:
    """Count the entries that are left."""
    left, n = masks.allowed.sum(), masks.n
    if set(masks.parts) == {"causal"} and not masks.first:
        return _(
            "Over all queries {left} of {all} entries are left: n(n+1)/2 = {n} × {next} ÷ 2 of n² = {n} × {n}.",
            left=left, all=n * n, n=n, next=n + 1,
        )
    return _("Over all queries {left} of {all} entries are left.", left=left, all=masks.allowed.size)


def cache(_: Language, masks: Masks, row: int, query: str) -> str:
    """Say what either alignment lets the query see, where there are more keys than queries."""
    if not masks.first:
        return ""
    sizes = {"queries": masks.n - masks.first, "keys": masks.n, "cached": masks.first}
    if not masks.parts.keys() & {"causal", "window"}:
        return _("Queries: {queries}. Keys: {keys}, of which the cache holds {cached}. Without a causal mask or a "
                 "window the alignment changes nothing.", **sizes)
    top, bottom = (masks_of(masks.n, corner).allowed[row].sum() for corner in ("top_left", "bottom_right"))
    return _(
        "Queries: {queries}. Keys: {keys}, of which the cache holds {cached}. Aligned at the top left, the mask lets "
        "“{query}” see **{top}** of {keys} keys; at the bottom right, **{bottom}**. A decoder needs the second: its "
        "queries are the last tokens.", query=query, top=top, bottom=bottom, **sizes,
    )


def drawing(_: Language, masks: Masks) -> str:
    """Say how much of the mask is drawn by hand."""
    if "drawn" not in masks.parts:
        return ""
    drawn = (~masks.parts["drawn"]).sum()
    if len(masks.parts) == 1:
        return _("Drawn by you: {drawn}.", drawn=drawn)
    return _("Drawn by you: {drawn}. What another mask hides, drawing cannot show.", drawn=drawn)


def clear_drawing(_: Language, masks: Masks) -> None:
    """Offer to clear the drawn mask while there is one."""
    if "drawn" in masks.parts:
        controls.setter("hidden", _("Clear the drawn mask"), (), ":material/ink_eraser:")
