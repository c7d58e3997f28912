"""The scale belongs to the head: dividing by the model's width, and splitting wrongly, beside the right way."""

from dataclasses import dataclass

import numpy as np
import streamlit as st

from attention_core.heads import evenness, head_draw
from attention_core.mistakes import Stages, attend_with, first_wrong_stage
from pages.ui import cached, charts, controls, lesson, share, words
from pages.ui.judge.reference import TOLERANCE, TorchError, installed
from pages.ui.language import N_, Language
from pages.ui.lessons.heads_tables import size, words_table
from pages.ui.tables.matrix import matrix, side_by_side

D_MODEL, TOKENS = 64, 8
WAYS = {
    "right": N_("÷ √d_head"),
    "scale_by_d_model": N_("÷ √d_model"),
    "wrong_head_split": N_("split without a transpose"),
}


@dataclass(frozen=True, eq=False)
class Trial:
    """Hold the same Q, K and V attended in every way of WAYS.

    Attributes
    ----------
    heads : int
        The number of heads.
    ways : dict of str to Stages
        What each way computes.
    torch : np.ndarray, shape (n, d_model), or None
        PyTorch's output, where it was asked for and answered.
    """

    heads: int
    ways: dict[str, Stages]
    torch: np.ndarray | None = None

    @property
    def d_head(self) -> int:
        """The width of a head."""
        return D_MODEL // self.heads


def show(_: Language) -> None:
    """Show the part: controls, the weights of one head either way, the sentence, the table, the curve."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom", key="scale_controls"):
        heads = int(controls.choice("scale_heads", _("Heads, of a model {width} wide", width=D_MODEL), str))
        controls.slider("heads_seed", _("Seed of the draws"))
        controls.another("heads_seed", _("Another seed"))
        controls.setter("compare", _("Ask PyTorch"), "yes", icon=":material/fact_check:")
    arrays = head_draw(share.value("heads_seed"), TOKENS, D_MODEL)
    ways = {way: attend_with(None if way == "right" else way, *arrays, heads=heads) for way in WAYS}
    trial = Trial(heads, ways, ask_torch(_, ways["right"]))
    weights_either_way(_, trial)
    lesson.sentence(say(_, trial))
    lesson.picture(table(_, trial))
    agreement(_, trial)
    curve(_, trial)


def ask_torch(_: Language, right: Stages) -> np.ndarray | None:
    """Let PyTorch attend with the split heads, if it was asked for; a failure is a sentence."""
    if controls.value("compare") != "yes":
        return None
    if not installed():
        st.info(_("PyTorch is not installed here. `pip install torch==2.13.0` adds it; everything else works "
                  "without."), icon=":material/download:")
        return None
    try:
        with st.spinner(_("PyTorch starts in a process of its own; that takes a few seconds.")):
            theirs = cached.torch_output(right.query, right.key, right.value)  # (h, n, d_head), or (n, d_head)
    except TorchError as error:
        st.error(_("PyTorch gave no answer: `{error}`", error=error), icon=":material/error:")
        return None
    return theirs if theirs.ndim == 2 else np.concatenate(list(theirs), axis=-1)  # (n, d_model)


def first_head(stages: Stages) -> np.ndarray:
    """Return the weights of head 1; with one head there is no axis of heads."""
    return stages.weights.reshape(-1, TOKENS, TOKENS)[0]


def weights_either_way(_: Language, trial: Trial) -> None:
    """Show head 1 divided by either root."""
    names = [words.key_name(j) for j in range(TOKENS)]
    rows = [f"q{name[1:]}" for name in names]
    captions = {
        "right": _("Head 1, ÷ √{d_head}: in %", d_head=trial.d_head),
        "scale_by_d_model": _("Head 1, ÷ √{d_model} = {root}: in %", d_model=D_MODEL, root=_.short(D_MODEL**0.5)),
    }
    lesson.picture(side_by_side(*(
        matrix(f"by_{way}", first_head(trial.ways[way]), rows, names, lambda value: _.number(100 * value, 0),
               caption=caption, scale="weight")
        for way, caption in captions.items()
    )))


def say(_: Language, trial: Trial) -> str:
    """Say what the wrong root does, with its numbers."""
    right, wrong = (trial.ways[way] for way in ("right", "scale_by_d_model"))
    if trial.heads == 1:
        return _("One head is as wide as the model, so √d_head and √d_model are the same {root}: nothing goes wrong. "
                 "Choose more heads.", root=_.short(D_MODEL**0.5))
    return _(
        "Each of {heads} heads adds {d_head} products, so its scores are divided by √{d_head} = **{root}**. Divided by "
        "√{d_model} = **{model_root}** instead, their standard deviation falls from {spread} to **{small}**: the "
        "weights are too even. The mean largest weight is **{largest}** in place of {right}; all alike would be "
        "1/{keys} = {even}.",
        heads=trial.heads, d_head=trial.d_head, root=_.short(trial.d_head**0.5), d_model=D_MODEL,
        model_root=_.short(D_MODEL**0.5), spread=_.number(right.scaled.std(), 2), small=_.number(wrong.scaled.std(), 2),
        largest=_.number(evenness(wrong.weights).largest, 3), right=_.number(evenness(right.weights).largest, 3),
        keys=TOKENS, even=_.number(1 / TOKENS, 3),
    )


def table(_: Language, trial: Trial) -> str:
    """Hold every way against the right one and against PyTorch, with how even its weights are."""
    rows = []
    for way, stages in trial.ways.items():
        even, right = evenness(stages.weights), trial.ways["right"].output
        wrong_at = "" if way == "right" or same(stages, right) else _(words.STAGE[first_wrong_stage(way)])
        theirs = "" if trial.torch is None else size(_, np.abs(stages.output - trial.torch).max())
        rows.append((_(WAYS[way]), [
            size(_, np.abs(stages.output - right).max()), theirs or _("not asked"), wrong_at or _("nowhere"),
            _.number(stages.scaled.std(), 2), _.number(even.largest, 3), _.number(even.entropy, 2),
        ]))
    heads = (
        _("largest difference from the right way"), _("largest difference from PyTorch"), _("first wrong at"),
        _("standard deviation, scaled scores"), _("mean largest weight"),
        _("mean entropy, at most {top}", top=_.number(np.log(TOKENS), 2)),
    )
    return words_table("ways", _("{heads} heads of width {d_head}, seed {seed}", heads=trial.heads,
                                 d_head=trial.d_head, seed=share.value("heads_seed")), heads, rows)


def same(stages: Stages, output: np.ndarray) -> bool:
    """Say whether a way came out right after all, as both do with one head."""
    return bool(np.array_equal(stages.output, output))


def agreement(_: Language, trial: Trial) -> None:
    """Say with whom PyTorch agrees."""
    if trial.torch is None:
        return
    apart = {way: np.abs(stages.output - trial.torch).max() for way, stages in trial.ways.items()}
    agree = [_(WAYS[way]) for way in WAYS if apart[way] <= TOLERANCE]
    if agree:
        st.success(_("PyTorch agrees with: **{ways}**, within {tolerance}.", ways=", ".join(agree),
                     tolerance=_.power(TOLERANCE, 0)), icon=":material/check_circle:")
    else:
        st.error(_("PyTorch agrees with none of these ways within {tolerance}.", tolerance=_.power(TOLERANCE, 0)),
                 icon=":material/cancel:")


def curve(_: Language, trial: Trial) -> None:
    """Draw how even the weights are over the width of a head, over many seeds."""
    curves = cached.head_scales(TOKENS, D_MODEL)
    order = np.argsort(curves.d_head)
    at = int(np.flatnonzero(curves.heads == trial.heads)[0])
    by = {"raw": curves.by_model[order], "scaled": curves.by_head[order]}
    lesson.chart(
        charts.over_width(
            by, {}, curves.d_head[order], trial.d_head,
            {"raw": _("÷ √d_model"), "scaled": _("÷ √d_head"), "y": _("mean largest weight")}, _.separators,
            y_range=(0, 1),
        ),
        key="scale_over_width",
        title=_("Mean largest weight over the width of a head, dₖ = {d_model} ÷ heads", d_model=D_MODEL),
        alt=_("Mean of {seeds} seeds, 0 to {last}. At {heads} heads, dₖ = {d_head}, it is {right} divided by √d_head, "
              "and {wrong} divided by √d_model; all alike would be {even}.",
              seeds=cached.HEAD_SEEDS, last=cached.HEAD_SEEDS - 1, heads=trial.heads, d_head=trial.d_head,
              right=_.number(curves.by_head[at], 3), wrong=_.number(curves.by_model[at], 3),
              even=_.number(1 / TOKENS, 3)),
    )
