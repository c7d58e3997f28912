"""Beside the right mask: the wrong ways, what each gives to hidden keys, and what hidden tokens still move."""

from dataclasses import dataclass

import numpy as np
import streamlit as st

from attention_core import softmax
from attention_core.hidden_tokens import moved_by_hidden
from attention_core.wrong_masks import WAYS, Leak, leak, lowered_weights, mask_taken, masked_weights
from pages.ui import controls, lesson, words
from pages.ui.language import N_, Language
from pages.ui.lessons.masking_lab import Masks
from pages.ui.tables.matrix import matrix, side_by_side
from pages.ui.tables.worked import Worked
from pages.ui.typed.unreadable import shown

ROUNDING = 1e-12  # outputs this near are the same, computed in another order

WHY = {
    "by_hand": N_("−∞ before a softmax as textbooks write it is right while a query sees any key at all. A row of "
                  "nothing but −∞ is 0 ÷ 0, and NaN spreads to all that is computed from it."),
    "zero": N_("The hidden score is replaced by 0, as masked_fill does. e⁰ = 1: a hidden key takes part like one "
               "whose score is 0, and often beats a visible one."),
    "minus_1e9": N_("The hidden score is replaced by −10⁹, as masked_fill does. Next to an ordinary score, e to the "
                    "−10⁹ is 0 in float64, so a hidden key gets nothing. Where all keys are hidden all have the same "
                    "−10⁹, and each gets an equal share."),
    "after": N_("Softmax has already given the hidden keys their share; setting it to 0 leaves less than 1 for the "
                "others, shrinks the output, and lets the hidden scores say by how much."),
    "after_renormalised": N_("Divided by what is left, the weights are those of −∞ before softmax, up to rounding. "
                             "Where nothing is left, it is 0 ÷ 0."),
    "inverted": N_("Here True means “may look”, as in PyTorch's scaled_dot_product_attention; in the masks of its "
                   "MultiheadAttention True means “hide”. Confused, each query sees just what it must not."),
    "wrong_axis": N_("Down the columns, the weights on each key sum to 1 instead of the weights of each query. Each is "
                     "divided by a sum over all queries that see the key, those of hidden tokens too."),
    "padded_rows": N_("Padding has to hide columns, so that nobody reads it. Hiding its rows silences the padding's "
                      "own queries, while the others go on reading it, unless another mask hides it too: a causal one "
                      "does with padding at the end."),
}


@dataclass(frozen=True, eq=False)
class Tried:
    """Hold what a way to mask gives; NaN is not a number.

    Attributes
    ----------
    weights, taken : (n, m) arrays
        The weights, and the mask that the way takes for the right one.
    leak : Leak
        What hidden keys get.
    moved, difference : float
        How far an output moves when a token hidden from it changes, and how far the outputs are off, at most.
    """

    weights: np.ndarray
    taken: np.ndarray
    leak: Leak
    moved: float
    difference: float

    @property
    def numbers(self) -> list[float]:
        """Return the way's row in the table of all ways."""
        sums = self.leak.row_sums
        return [self.leak.hidden.max(), self.moved, sums.min(), sums.max(), self.difference]  # NaN stays NaN


def attempt(masks: Masks, worked: Worked, way: str) -> Tried:
    """Mask the scaled scores in one of the ways."""
    mask = {"allowed": masks.without("padding"), "way": way, "padding": masks.padding}
    weights = masked_weights(worked["scaled"], **mask)
    with np.errstate(invalid="ignore"):  # NaN is what some ways give
        difference = np.abs(weights @ worked["V"] - worked["output"]).max()
    moved = moved_by_hidden(worked["X"], [worked[name] for name in ("W_Q", "W_K", "W_V")], **mask)
    return Tried(weights, mask_taken(**mask), leak(weights, worked.allowed), float(moved.max()), float(difference))


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
    tried = {way: attempt(masks, worked, way) for way in ways}
    pair(_, worked, way, tried[way])
    lesson.sentence(" ".join(said(_, masks, worked, way, tried[way])), of="wrong")
    offer(_, masks, worked, way)
    all_ways(_, masks, way, tried)


def offer(_: Language, masks: Masks, worked: Worked, way: str) -> None:
    """Offer the mask without which there is nothing to compare."""
    causal, icon = "causal" in masks.parts, ":material/visibility_off:"
    if worked.allowed.all():
        if masks.n > 1 and not causal:
            controls.setter("mask", _("Hide the future"), "causal", icon)
    elif way == "padded_rows" and masks.padding is None:
        name, to = ("pads", 2) if "padding" in masks.parts else ("mask", "both" if causal else "padding")
        controls.setter(name, _("Add padding"), to, icon)


def pair(_: Language, worked: Worked, way: str, chosen: Tried) -> None:
    """Show the right weights, those of the chosen way, and what of each row leaks; what a way hides is hatched."""
    queries, keys = worked.rows["weights"], worked.columns["weights"]
    sums = np.stack([chosen.leak.hidden, chosen.leak.row_sums], axis=-1)  # (n, 2)
    look = {"number": lambda weight: _.number(100 * weight, 1), "scale": "weight", "masked": _("masked")}
    lesson.picture(side_by_side(
        matrix("right_way", worked["weights"], queries, keys, allowed=worked.allowed,
               caption=_("Right: −∞ before softmax, %"), **look),
        matrix("wrong_way", chosen.weights, queries, keys, allowed=chosen.taken | (chosen.weights != 0),
               caption=_("{way}, %", way=_(words.WAY[way])), **look),
        matrix("wrong_sums", sums, queries, (_("leaks"), _("row sum")), lambda value: figure(_, value),
               caption=_("Of each query")),
    ))


def all_ways(_: Language, masks: Masks, way: str, tried: dict[str, Tried]) -> None:
    """Show the numbers of all ways, and say which are missing and why."""
    numbers = np.array([one.numbers for one in tried.values()])  # (ways, 5)
    heads = (_("most that leaks"), _("hidden tokens move outputs by"), _("least row sum"), _("largest row sum"),
             _("output off by"))
    there = np.array([name != "padded_rows" or masks.padding is not None for name in tried])  # (ways,)
    lesson.picture(matrix(
        "ways", numbers, [_(words.WAY[name]) for name in tried], heads, lambda value: figure(_, value),
        caption=_("All ways on this mask"), row=list(tried).index(way), masked=_("no padding"),
        allowed=np.broadcast_to(there[:, None], numbers.shape),
    ))
    if np.isnan(numbers).any():
        st.caption(_("NaN: some rows of that way hold no numbers, so there is no largest or least among them."))
    if masks.first:
        st.caption(_("Rows can be taken for columns in a square mask only, so padded rows are left out while a cache "
                     "holds tokens."))
    elif masks.padding is None:
        st.caption(_("No padding here: “padded rows” has nothing to get wrong."))


def said(_: Language, masks: Masks, worked: Worked, way: str, tried: Tried) -> list[str]:
    """Say what a way does on this mask, with its numbers, and why."""
    if worked.allowed.all():
        return [_("Nothing is hidden: no mask is on, or none that hides anything, so nothing can leak. Hide something, "
                  "and the ways part."), *apart(_, worked, tried)]
    if way == "padded_rows" and masks.padding is None:
        return [_("No padding here: nothing to get wrong.")]
    lowered = lowers(_, worked) if way == "minus_1e9" else []
    return [*leaks(_, worked, tried), *apart(_, worked, tried), _(WHY[way]), *lowered]


def leaks(_: Language, worked: Worked, tried: Tried) -> list[str]:
    """Say what hidden keys get, and what they move without getting anything."""
    hidden, moved, found = tried.leak.hidden, tried.moved, []
    bad = np.isnan(hidden)
    if bad.any():
        found.append(_("NaN in **{bad} of {all}** rows, and in their outputs.", bad=bad.sum(), all=bad.size))
    if tried.leak.worst:
        found.append(_(
            "“{query}” gives **{leak}** of its attention to keys that it must not see, and none gives more.",
            query=shown(worked.rows["weights"][int(np.nanargmax(hidden))]), leak=share_of(_, tried.leak.worst),
        ))
    elif moved > ROUNDING:
        found.append(_("No weight lies on hidden keys, but the sums that divide depend on hidden tokens."))
    elif not bad.any():
        found.append(_("Nothing leaks: no weight lies on hidden keys, and hidden tokens move no output beyond "
                       "rounding."))
    if moved > ROUNDING:
        found.append(_("Add 1 to each number of a token that is hidden from a query, and the query's output moves by "
                       "up to **{moved}**; right is 0.", moved=figure(_, moved)))
    return found


def apart(_: Language, worked: Worked, tried: Tried) -> list[str]:
    """Say how the sums of the rows and the outputs differ from the right ones."""
    sums, right = tried.leak.row_sums, worked.allowed.any(axis=1)  # a row sums to 1 where it sees a key, else to 0
    bad, found = np.isnan(sums), []
    if np.abs(sums - right)[~bad].max(initial=0) > ROUNDING:
        found.append(_("The rows sum to **{low}** at least and **{high}** at most; right is 1, or 0 where all is "
                       "hidden.", low=figure(_, sums[~bad].min()), high=figure(_, sums[~bad].max())))
    if tried.difference == 0:
        found.append(_("The outputs are exactly the right ones."))
    elif tried.difference < ROUNDING:
        found.append(_("The outputs are the right ones up to rounding, {difference}.",
                       difference=_.power(tried.difference)))
    elif tried.difference > 0:
        found.append(_("The outputs are off by up to **{difference}**.", difference=figure(_, tried.difference)))
    return found


def lowers(_: Language, worked: Worked) -> list[str]:
    """Say what −10⁹ does where it is added and all is hidden: softmax takes it off again."""
    blind = np.flatnonzero(~worked.allowed.any(axis=1))
    if not len(blind):
        return [_("Added to an ordinary score instead, it would do the same, until a row is fully masked.")]
    row = int(blind[0])
    lowered, free = lowered_weights(worked["scaled"], worked.allowed)[row], softmax(worked["scaled"])[row]
    best = int(np.argmax(lowered))
    return [_(
        "Added to the score instead, −10⁹ falls out again in a fully masked row, because softmax only sees "
        "differences: “{query}” has the weights of no mask back, off by {difference} at most from rounding, and gives "
        "**{share}** to “{key}”.",
        query=shown(worked.rows["weights"][row]), share=_.percent(lowered[best], 1),
        key=shown(worked.columns["weights"][best]), difference=figure(_, np.abs(lowered - free).max()),
    )]
