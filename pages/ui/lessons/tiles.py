"""Tiles: one query's pass over its keys, drawn step by step with the arithmetic of the step at hand."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from attention_core import causal_mask, scaled_dot_product_attention
from attention_core.online_softmax import OneQuery, Step, drawn_query, online_softmax, without_rescaling
from pages.ui import controls, lesson, share
from pages.ui.language import N_, Language
from pages.ui.lessons.tiles_lines import lines
from pages.ui.tables.matrix import matrix, side_by_side
from pages.ui.words import SUBSCRIPT, key_name

MASK = {"none": N_("none (bidirectional)"), "causal": N_("causal"), "start": N_("hides the first tile")}
ORDER = {"drawn": N_("as drawn"), "rising": N_("lowest score first"), "falling": N_("highest score first")}
PLAIN = {"tiles_mask": "none", "tiles_order": "drawn", "tiles_keys": 8, "tiles_size": 3, "tiles_seed": 4}
DIGITS = 10  # decimals of the outputs that are held against each other
ROW = 2.0  # rem that a row of a table takes at most
D_K, D_V = 4, 2


@dataclass(frozen=True, eq=False)
class Pass:
    """Hold one pass: what was drawn, every step, the step at hand (from 0), and the output of the dense path."""

    given: OneQuery
    steps: tuple[Step, ...]
    at: int
    dense: np.ndarray

    @property
    def now(self) -> Step:
        """Return the step at hand."""
        return self.steps[self.at]

    @property
    def value(self) -> np.ndarray:
        """Return the values of the tile at hand, shape (tile, d_v)."""
        return self.given.value[self.now.start : self.now.stop]


def ask(_: Language) -> Pass:
    """Ask for the sizes and for the step, and compute the pass; how the keys lie is asked below the picture."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="controls"):
        n = controls.slider("tiles_keys", _("Number of keys"))
        tile = controls.slider("tiles_size", _("Keys in a tile"), high=n)
        seed = controls.slider("tiles_seed", _("Seed of the draws"))
        controls.another("tiles_seed", _("Another seed"))
    at = ask_for_step(_, -(-n // tile))
    place = min(controls.value("tiles_query"), n)
    given = drawn_query(seed, n, D_K, D_V, controls.value("tiles_order"))
    masks = {"none": None, "causal": causal_mask(n)[place - 1], "start": np.arange(n) >= tile}
    allowed = masks[controls.value("tiles_mask")]  # (n,)
    steps = tuple(online_softmax(given.query, given.key, given.value, allowed, tile=tile))
    dense = scaled_dot_product_attention(given.query[None], given.key, given.value, allowed).output[0]  # (d_v,)
    return Pass(given, steps, at - 1, dense)


def ask_for_step(_: Language, count: int) -> int:
    """Ask which tile is at hand, counted from 1: by a slider, or one to the left and right."""
    controls.within("tiles_step", count)
    step = share.value("tiles_step")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="tiles_steps"):
        st.button(_("Previous"), key="tiles_previous", icon=":material/arrow_back:", disabled=step == 1,
                  on_click=share.choose, kwargs={"tiles_step": step - 1})
        st.button(_("Next"), key="tiles_next", icon=":material/arrow_forward:", icon_position="right",
                  disabled=step == count, on_click=share.choose, kwargs={"tiles_step": step + 1})
        if count == 1:  # a slider needs two places
            st.markdown(_("One tile holds all keys."), width="content")
        else:
            controls.slider("tiles_step", _("Tile at hand, of {count}", count=count), high=count)
    return step


def ask_for_keys(_: Language, run: Pass) -> None:
    """Ask in which order the keys come, and which of them are hidden."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="tiles_lie"):
        controls.choice("tiles_order", _("Order of the keys"), lambda order: _(ORDER[order]))
        if controls.choice("tiles_mask", _("Mask"), lambda kind: _(MASK[kind])) == "causal":
            controls.slider("tiles_query", _("Place of the query"), high=len(run.given.key))


def picture(_: Language, run: Pass) -> None:
    """Draw the row of scores cut in tiles, the tile at hand with its arithmetic, and what is kept after each tile."""
    tallest = max(run.steps[0].stop, len(run.steps) + 1)  # rows; no step is taller, so nothing below moves
    lesson.picture(
        side_by_side(*(scores_of(_, run, i) for i in range(len(run.steps))))
        + f'<div style="min-height: {ROW * (tallest + 2):.1f}rem">'
        + side_by_side(kept(_, run), tile_at_hand(_, run)) + "</div>"
        + lines(_, run.now, run.value)
    )


def scores_of(_: Language, run: Pass, i: int) -> str:
    """Draw one tile of the row of scores."""
    step, here = run.steps[i], i == run.at
    name = _("Tile {number}, at hand", number=i + 1) if here else _("Tile {number}", number=i + 1)
    return matrix(
        f"tile_{i + 1}", step.scores[None], ("s",), names(step), _.number, caption=name, scale="score",
        allowed=np.isfinite(step.scores)[None], masked=_("masked"), row=0 if here else None,
    )


def tile_at_hand(_: Language, run: Pass) -> str:
    """Draw what the tile at hand adds: its exponentials, in the measure of the new maximum, and its values."""
    step, value = run.now, run.value
    table = np.column_stack([step.scores, step.exponentials, value])  # (tile, 2 + d_v)
    allowed = np.column_stack([np.isfinite(step.scores)] * 2 + [np.ones_like(value, bool)])  # (tile, 2 + d_v)
    return matrix(
        "at_hand", table, names(step), ("s", "eˢ⁻ᵐ", *each("v")), _.number,
        caption=_("Tile {number}: exponentials and values", number=run.at + 1), allowed=allowed, masked=_("masked"),
    )


def kept(_: Language, run: Pass) -> str:
    """Draw what is kept after every tile: largest score, factor, sum and accumulator."""
    first = run.steps[0]
    start = [first.largest_before, np.nan, first.total_before, *first.weighted_before]
    after = [[step.largest, step.factor, step.total, *step.weighted] for step in run.steps]
    table = np.array([start, *after], dtype=float)  # (steps + 1, 3 + d_v)
    rows = (_("start"), *(str(i + 1) for i in range(len(run.steps))))
    return matrix(
        "kept", table, rows, (_("largest m"), _("factor"), _("sum ℓ"), *each("a")), _.number,
        caption=_("What is kept after each tile"), allowed=~np.isnan(table), masked=_("none yet"), row=run.at + 1,
    )


def say(_: Language, run: Pass) -> str:
    """Say what the tile at hand does to what was kept."""
    step, highest = run.now, run.now.scores.max()
    words = {
        "tile": run.at + 1, "highest": _.number(highest), "before": _.number(step.largest_before),
        "factor": _.weight(step.factor), "sum": _.number(step.total),
    }
    if step.largest == -np.inf:
        return _("All keys of tile {tile} are hidden, and there were none before it: nothing is kept yet.", **words)
    if highest == -np.inf:
        return _("All keys of tile {tile} are hidden: their exponentials are 0, the factor is **1**, and the sum stays "
                 "**{sum}**. Such a tile can be skipped.", **words)
    if step.largest_before == -np.inf:
        return _("Tile {tile} is the first with a key to see. Its largest score, **{highest}**, becomes the measure, "
                 "and the sum starts at **{sum}**.", **words)
    if step.largest > step.largest_before:
        return _("The largest score of tile {tile}, **{highest}**, is above the largest so far, **{before}**. So what "
                 "was kept is shrunk to the new measure by the factor **{factor}** before the tile is added; the sum "
                 "becomes **{sum}**.", **words)
    return _("The largest score of tile {tile}, **{highest}**, is not above the largest so far, **{before}**. The "
             "factor is **1**: the tile is added, nothing is rescaled, and the sum becomes **{sum}**.", **words)


def outcome(_: Language, run: Pass) -> None:
    """Hold the output of the pass against the dense one, and against a pass that never rescales."""
    online, careless = run.steps[-1].output, without_rescaling(run.steps)
    rows = (_("tile by tile"), _("dense"), _("never rescaled"))
    lesson.picture(matrix(
        "outputs", np.stack([online, run.dense, careless]), rows, tuple(str(i + 1) for i in range(D_V)),
        lambda number: _.number(number, DIGITS), caption=_("Output after the last tile"), scale="value",
    ))
    lesson.sentence(say_outcome(_, run, online, careless), of="outcome")


def say_outcome(_: Language, run: Pass, online: np.ndarray, careless: np.ndarray) -> str:
    """Say how equal the outputs are, and what the rescaling is for."""
    last, wrong = run.steps[-1], np.abs(careless - run.dense).max()
    if not last.total:
        return _("The query may look at no key: nothing is ever added, and the output is 0 either way.")
    text = _(
        "After the last tile, the accumulator divided by the sum, [{accumulator}] ÷ {sum}, is the output: "
        "**[{output}]**. The dense path, with all weights at once, differs by at most **{difference}**.",
        accumulator=_.list(last.weighted), sum=_.number(last.total), output=_.list(online),
        difference=_.power(np.abs(online - run.dense).max()),
    )
    if wrong < 1e-12:
        return text + " " + _("Here no tile held a larger score than the first tile with keys to see, so there was "
                              "nothing to rescale.")
    return text + " " + _("Without rescaling each tile would count in the measure of its own time, the early ones too "
                          "much: [{careless}], wrong by **{wrong}**.", careless=_.list(careless),
                          wrong=_.number(wrong) if wrong >= 1e-4 else _.power(wrong))


def names(step: Step) -> Sequence[str]:
    """Name the keys of a tile."""
    return tuple(key_name(j) for j in range(step.start, step.stop))


def each(letter: str) -> Sequence[str]:
    """Name the components of a value or of the accumulator: v₁, v₂."""
    return tuple(f"{letter}{str(i + 1).translate(SUBSCRIPT)}" for i in range(D_V))
