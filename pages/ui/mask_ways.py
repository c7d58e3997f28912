"""Beside the right mask: the wrong ways with what each lets through, and a future token that is changed."""

from dataclasses import dataclass

import numpy as np
import streamlit as st

from attention_core import project, scaled_dot_product_attention
from attention_core.wrong_masks import WAYS, Leak, leak, masked_weights
from pages.ui import controls, lesson, words
from pages.ui.language import N_, Language
from pages.ui.mask_lab import Masks
from pages.ui.matrix import matrix, side_by_side
from pages.ui.unreadable import shown
from pages.ui.worked import Worked

ROUNDING = 1e-12  # outputs this near are the same, computed in another order

WHY = {
    "by_hand": N_("−∞ before a softmax as textbooks write it is right while a query sees any key at all. A row of "
                  "nothing but −∞ is 0 ÷ 0, and NaN spreads to all that is computed from it."),
    "zero": N_("e⁰ = 1: a hidden key takes part like one whose score is 0, and often beats a visible one."),
    "minus_1e9": N_("Next to an ordinary score, e to the −10⁹ is 0 in float64, so a hidden key gets nothing. Where all "
                    "keys are hidden all have the same −10⁹, and each gets an equal share."),
    "after": N_("Softmax has already given the hidden keys their share; setting it to 0 leaves less than 1 for the "
                "others, and shrinks the output."),
    "after_renormalised": N_("Divided by what is left, the weights are those of −∞ before softmax, up to rounding. "
                             "Where nothing is left, it is 0 ÷ 0."),
    "inverted": N_("Here True means “may look”, as in PyTorch's scaled_dot_product_attention; in the masks of its "
                   "MultiheadAttention True means “hide”. Confused, each query sees just what it must not."),
    "wrong_axis": N_("Down the columns, the weights on each key sum to 1 instead of the weights of each query; the "
                     "mask itself still holds."),
    "padded_rows": N_("Padding has to hide columns, so that nobody reads it. Hiding its rows silences the padding's "
                      "own queries, while the others go on reading it; the rest of the mask is lost."),
}


@dataclass(frozen=True, eq=False)
class Tried:
    """Hold what a way to mask gives: its weights, what leaks, and how far the output is off (NaN: not a number)."""

    weights: np.ndarray
    leak: Leak
    difference: float


def attempt(worked: Worked, way: str) -> Tried:
    """Mask the scaled scores in one of the ways."""
    weights = masked_weights(worked["scaled"], worked.allowed, way)
    with np.errstate(invalid="ignore"):  # NaN is what some ways give
        difference = np.abs(weights @ worked["V"] - worked["output"]).max()
    return Tried(weights, leak(weights, worked.allowed), float(difference))


def figure(_: Language, value: float) -> str:
    """Write a number with four decimals, 0 only where it is exactly 0, and what four decimals cannot show as a power.

    >>> figure(Language("en"), 0.0), figure(Language("en"), 0.25), figure(Language("en"), 1e-16)
    ('0', '0.2500', '1.0 × 10⁻¹⁶')
    """
    if value == 0:
        return "0"
    return _.power(value) if 0 < abs(value) < 5e-5 or 1e6 <= abs(value) < np.inf else _.number(value)


def share_of(_: Language, value: float) -> str:
    """Write a share in percent, a tiny one as a power of ten."""
    return _.percent(value, 1) if value == 0 or value >= 5e-4 else _.power(value)


def wrong_ways(_: Language, masks: Masks, worked: Worked) -> None:
    """Show a wrong way beside the right one, and what comes of all of them."""
    ways = [way for way in WAYS if masks.first == 0 or way != "padded_rows"]
    way = controls.choice("way", _("Way to mask"), lambda way: _(words.WAY[way]), options=ways[1:])
    tried = {way: attempt(worked, way) for way in ways}
    queries, keys = worked.rows["weights"], worked.columns["weights"]
    chosen, percent = tried[way], (lambda weight: _.number(100 * weight, 1))
    sums = np.stack([chosen.leak.hidden, chosen.leak.row_sums], axis=-1)  # (n, 2)
    lesson.picture(side_by_side(
        matrix("right_way", worked["weights"], queries, keys, percent, scale="weight", allowed=worked.allowed,
               masked=_("masked"), caption=_("Right: −∞ before softmax, %")),
        matrix("wrong_way", chosen.weights, queries, keys, percent, scale="weight", masked=_("masked"),
               allowed=worked.allowed | (chosen.weights != 0), caption=_("{way}, %", way=_(words.WAY[way]))),
        matrix("wrong_sums", sums, queries, (_("leaks"), _("row sum")), lambda value: figure(_, value),
               caption=_("Of each query")),
    ))
    lesson.sentence(verdict(_, masks, chosen, queries) + " " + _(WHY[way]), of="wrong")
    numbers = [[one.leak.worst, one.leak.row_sums.min(), one.leak.row_sums.max(), one.difference]
               for one in tried.values()]
    heads = (_("most that leaks"), _("least row sum"), _("largest row sum"), _("output off by"))
    lesson.picture(matrix("ways", np.array(numbers), [_(words.WAY[way]) for way in ways], heads,
                          lambda value: figure(_, value), caption=_("All ways on this mask"), row=ways.index(way)))
    if masks.first:
        st.caption(_("Rows can be taken for columns in a square mask only, so padded rows are left out while a cache "
                     "holds tokens."))


def verdict(_: Language, masks: Masks, tried: Tried, queries: tuple[str, ...]) -> str:
    """Say with its numbers what a way to mask lets through."""
    hidden, sums = tried.leak.hidden, tried.leak.row_sums
    bad, right = np.isnan(sums), masks.allowed.any(axis=1)  # a row sums to 1 where it sees a key, else to 0
    said = []
    if bad.any():
        said.append(_("NaN in **{bad} of {all}** rows, and in their outputs.", bad=bad.sum(), all=bad.size))
    if tried.leak.worst:
        said.append(_(
            "“{query}” gives **{leak}** of its attention to keys that it must not see, and none gives more.",
            query=shown(queries[int(np.nanargmax(hidden))]), leak=share_of(_, tried.leak.worst),
        ))
    elif not bad.any():
        said.append(_("Nothing leaks to hidden keys."))
    if np.abs(sums - right)[~bad].max(initial=0) > ROUNDING:
        said.append(_("The rows sum to **{low}** at least and **{high}** at most; right is 1, or 0 where all is "
                      "hidden.", low=figure(_, sums[~bad].min()), high=figure(_, sums[~bad].max())))
    if tried.difference == 0:
        said.append(_("The outputs are exactly the right ones."))
    elif tried.difference < ROUNDING:
        said.append(_("The outputs are the right ones up to rounding, {difference}.",
                      difference=_.power(tried.difference)))
    elif tried.difference > 0:
        said.append(_("The outputs are off by up to **{difference}**.", difference=figure(_, tried.difference)))
    return " ".join(said)


def future(_: Language, masks: Masks, worked: Worked) -> None:
    """Change one token's vector, and show which outputs move, with the masks and without."""
    tokens = worked.rows["K"]
    at = controls.position("changed", _("Token that is changed"), [shown(token) for token in tokens]) - 1
    moved = np.stack([movement(worked, at, masks.first, masks.allowed),
                      movement(worked, at, masks.first, np.ones_like(masks.allowed))], axis=-1)  # (queries, 2)
    queries = worked.rows["weights"]
    lesson.picture(matrix("moved", moved, queries, (_("these masks"), _("no mask")), lambda value: figure(_, value),
                          caption=_("Largest change of each output")))
    lesson.sentence(" ".join(filter(None, (
        _("1 was added to each of the {d} numbers of “{token}”.", d=worked["X"].shape[1], token=shown(tokens[at])),
        who_moved(_, masks, queries, moved[:, 0]),
        earlier(_, masks, moved[:, 0], at),
        _("Without a mask {moved} of {all} outputs move.", moved=np.count_nonzero(moved[:, 1]), all=len(moved))
        if masks.parts else None,
    ))), of="future")


def movement(worked: Worked, at: int, first: int, allowed: np.ndarray) -> np.ndarray:
    """Return the largest change of each query's output after 1 was added to a token's features; 0 is exact."""
    changed = worked["X"].copy()
    changed[at] += 1
    before, after = (output(worked, x, first, allowed) for x in (worked["X"], changed))
    return np.where((after == before).all(axis=1), 0.0, np.abs(after - before).max(axis=1))  # (queries,)


def output(worked: Worked, x: np.ndarray, first: int, allowed: np.ndarray) -> np.ndarray:
    """Run the experiment on another input."""
    roles = project(x, *(worked[name] for name in ("W_Q", "W_K", "W_V")))
    return scaled_dot_product_attention(roles.query[first:], roles.key, roles.value, attn_mask=allowed).output


def who_moved(_: Language, masks: Masks, queries: tuple[str, ...], moved: np.ndarray) -> str:
    """Say which outputs moved and which stayed."""
    count = {"moved": np.count_nonzero(moved), "all": len(moved)}
    if not masks.parts:
        return _("No mask is on, so everybody may look at it: **{moved} of {all}** outputs move. Set a causal mask, "
                 "and what comes before it is safe.", **count)
    stayed = ", ".join(f"“{shown(query)}”" for query, change in zip(queries, moved, strict=True) if change == 0)
    if not stayed:
        return _("**{moved} of {all}** outputs move; none is safe from the change.", **count)
    return _("**{moved} of {all}** outputs move. Both runs agree bit for bit, with a difference of exactly **0**, for "
             "{stayed}.", stayed=stayed, **count)


def earlier(_: Language, masks: Masks, moved: np.ndarray, at: int) -> str | None:
    """Say that nothing earlier moved, where a causal mask is on and it is so."""
    before = moved[: max(at - masks.first, 0)]
    if "causal" not in masks.parts or not len(before) or before.any():
        return None
    return _("Under a causal mask nothing earlier moves: {count} of {count} earlier outputs are the same.",
             count=len(before))


def beside(_: Language, masks: Masks, worked: Worked) -> None:
    """Offer an experiment beside the picture, and show the one that is chosen."""
    match controls.choice("beside", _("Beside it"), lambda what: _(words.BESIDE[what])):
        case "wrong":
            wrong_ways(_, masks, worked)
        case "future":
            future(_, masks, worked)
