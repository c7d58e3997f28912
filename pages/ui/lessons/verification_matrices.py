"""The matrices of one head on the bench: to read, to choose, the source's to edit, and PyTorch's beside ours."""

from math import prod

import numpy as np
import streamlit as st

from pages.ui import lesson, share, words
from pages.ui.bench.experiment import Experiment
from pages.ui.bench.plain import added, visible
from pages.ui.language import N_, Language
from pages.ui.lessons.verification_experiment import Chosen, head_of
from pages.ui.lessons.verification_table import size_of, verdict
from pages.ui.tables.arithmetic import arithmetic
from pages.ui.tables.board import board
from pages.ui.tables.matrix import Entry, matrix, side_by_side
from pages.ui.tables.worked import ACROSS_KEYS, BY_KEY, BY_QUERY, CAPTION, SCALE, Worked
from pages.ui.typed.sizes import size

Place = tuple[str, int, int]
READABLE = 12  # rows and columns that a table of this page has at most
NAME = {"query": "Q", "key": "K", "value": "V"}
ROWS = (("Q", "K", "V", "scores"), ("scaled", "masked", "weights", "output"))
FINE = ("scaled", "masked", "weights", "output")  # four decimals


def draw_board(
    _: Language, chosen: Chosen, found: dict[str, np.ndarray], index: tuple[int, ...], wrong: str | None, right: bool,
) -> None:
    """Draw what we got for one head; the stage that is `wrong` is marked, and what is `right` can be worked through."""
    experiment = head_of(chosen.experiment, index)
    worked = worked_of(experiment, heads_of(found, index), chosen)
    hides = not visible(experiment).all() or added(experiment).any()
    shown = [name for names in ROWS for name in names
             if max(worked[name].shape) <= READABLE and (name != "masked" or hides)]
    st.subheader(_("The numbers"), anchor=False)
    say_what_is_missing(_, chosen.experiment, worked, index, shown)
    at = chosen_cell(worked, shown)
    entries = {each.name: each.entry(_) for each in chosen.inputs if right}
    tables = {name: drawn(_, worked, name, at, entries.get(name), NAME.get(wrong, wrong)) for name in shown}
    rows = [[tables[name] for name in names if name in tables] for names in ROWS]
    explained = right and at and at[0] not in entries and experiment.scale is None and not added(experiment).any()
    board(
        "board_verification", "".join(side_by_side(*tables) for tables in rows if tables),
        arithmetic(_, worked, at) if explained else "", inputs=chosen.inputs if entries else (),
    )


def chosen_cell(worked: Worked, shown: list[str]) -> Place | None:
    """Return the cell that the reader chose, else the largest weight of the first query."""
    cell = share.value("cell")
    usual = ("weights", 0, int(np.argmax(worked["weights"][0]))) if "weights" in shown else None
    return worked.place(cell if cell.split(".")[0] in shown else "", usual)


def say_what_is_missing(
    _: Language, experiment: Experiment, worked: Worked, index: tuple[int, ...], shown: list[str],
) -> None:
    """Say which matrices are too large to draw, and which head is drawn."""
    large = [f"{name} {size(worked[name].shape)}" for name in ("Q", "K", "V", "weights") if name not in shown]
    if large:
        st.caption(_("Larger than {most} rows or columns and not drawn: {names}.", most=READABLE,
                     names=", ".join(large)))
    if prod(experiment.lead) > 1:
        st.caption(_("Drawn is head {head} of {heads}, sequence {sequence} of {batch}: where the stage named above is "
                     "furthest off.", head=index[-1] + 1, heads=experiment.lead[-1], sequence=index[0] + 1,
                     batch=experiment.lead[0]))


def heads_of(found: dict[str, np.ndarray], index: tuple[int, ...]) -> dict[str, np.ndarray]:
    """Return one head of every stage."""
    lead = found["scores"].shape[:-2]
    return {name: np.broadcast_to(array, (*lead, *array.shape[-2:]))[index] for name, array in found.items()
            if not name.startswith("grad")}


def worked_of(experiment: Experiment, found: dict[str, np.ndarray], chosen: Chosen) -> Worked:
    """Return the stages of one head with what heads their rows and columns; hatched is what softmax was not given."""
    arrays = {NAME.get(name, name): array for name, array in found.items()}
    arrays["mask"] = np.where(visible(experiment), added(experiment), -np.inf)
    rows = dict.fromkeys(BY_QUERY, chosen.queries) | dict.fromkeys(BY_KEY, chosen.keys)
    columns = dict.fromkeys(ACROSS_KEYS, chosen.keys) | {
        name: numbers(arrays[name]) for name in ("Q", "K", "V", "output")
    }
    scale = experiment.query.shape[-1] ** -0.5 if experiment.scale is None else experiment.scale
    return Worked(arrays, rows, columns, arrays["masked"] != -np.inf, scale)


def numbers(array: np.ndarray) -> tuple[str, ...]:
    """Head the columns of a matrix by number."""
    return tuple(str(i + 1) for i in range(array.shape[1]))


def drawn(_: Language, worked: Worked, name: str, at: Place | None, entry: Entry | None, wrong: str | None) -> str:
    """Draw one matrix; the one where a planted mistake shows first is marked."""
    caption = _(CAPTION[name]) + (f" {verdict(_, 'first')}" if name == wrong else "")
    return matrix(
        name, worked[name], worked.rows[name], worked.columns[name],
        lambda value: _.number(value, 4 if name in FINE else 2), caption=caption, scale=SCALE[name],
        allowed=worked.allowed if name in ("masked", "weights") else None, masked=_("masked"),
        cell=at[1:] if at and at[0] == name else None, live=True, entry=entry,
        row_tokens=range(len(worked.rows[name])) if name in BY_KEY else None,
        column_tokens=range(len(worked.columns[name])) if name in ACROSS_KEYS else None,
    )


def beside(
    _: Language, chosen: Chosen, found: dict[str, np.ndarray], expected: dict[str, np.ndarray],
    index: tuple[int, ...], stage: str,
) -> None:
    """Draw PyTorch's own matrix of one stage, and the difference entry by entry."""
    if stage.startswith("grad") or max(expected[stage].shape[-2:]) > READABLE:
        return
    ours, theirs = (heads_of(side, index)[stage] for side in (found, expected))
    name = NAME.get(stage, stage)
    rows = chosen.queries if name in BY_QUERY else chosen.keys
    columns = chosen.keys if name in ACROSS_KEYS else numbers(theirs)
    with np.errstate(invalid="ignore"):
        difference = np.where(ours == theirs, 0, np.abs(ours - theirs))
    title = _(words.STAGE[stage])
    lesson.picture(side_by_side(
        matrix("torch", theirs, rows, columns, lambda value: _.number(value, 4), scale=SCALE[name],
               caption=_("PyTorch: {stage}", stage=title)),
        matrix("difference", difference, rows, columns, lambda value: size_of(_, value),
               caption=_("Difference, absolute: {stage}", stage=title)),
    ))


def draw_upstream(_: Language, chosen: Chosen, index: tuple[int, ...]) -> None:
    """Say which upstream gradient the three gradients belong to; small ones are drawn."""
    drawn_too = share.value("example") == "drawn"
    seed = N_("dO is drawn with seed {seed} after Q, K and V.") if drawn_too else N_("dO is drawn with seed {seed}.")
    given = chosen.experiment.grad_output[index]  # (n, d_v)
    with st.expander(_("The upstream gradient dO")):
        st.markdown(" ".join((
            _("The three gradients belong to an upstream gradient dO, that of a loss with respect to the output. Here "
              "it is made of standard normal numbers."),
            _(seed, seed=share.value("draw_seed") if drawn_too else 0),
        )))
        if max(given.shape) <= READABLE:
            lesson.picture(matrix("dO", given, chosen.queries, numbers(given), lambda value: _.number(value, 4),
                                  caption=_("Upstream gradient <i>dO</i>"), scale=SCALE["output"]))


def draw_inputs(_: Language, chosen: Chosen) -> None:
    """Draw the inputs alone while their sizes disagree, to be mended."""
    if not chosen.inputs:
        st.info(_("It is mended on its own page; this page checks it as soon as the sizes agree."),
                icon=":material/straighten:")
        return
    arrays = {each.name: each.array for each in chosen.inputs}
    rows = dict(zip("QKV", (chosen.queries, chosen.keys, tuple(map(words.key_name, range(len(arrays["V"])))),),
                    strict=True))
    alone = Worked(arrays, rows, {name: numbers(array) for name, array in arrays.items()}, np.ones((1, 1), bool), 1.0)
    tables = (drawn(_, alone, each.name, None, each.entry(_), None) for each in chosen.inputs)
    board("board_verification", side_by_side(*tables), inputs=chosen.inputs)
