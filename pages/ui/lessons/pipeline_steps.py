"""What each of the six steps of the pipeline shows and says about the word that is followed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from pages.ui.language import N_, Language, power
from pages.ui.lessons.pipeline_follow import Followed, fused_difference
from pages.ui.lessons.pipeline_says import (
    how_it_becomes_a_weight,
    key_of,
    what_comes_out,
    who_gets_most,
    who_matches,
    who_sees,
)
from pages.ui.lessons.pipeline_tables import as_corner, as_products, percentages, raw_row, shares, tight
from pages.ui.tables.matrix import operator, side_by_side
from pages.ui.typed.inputs import Input
from pages.ui.typed.sentence import Sentence
from pages.ui.typed.sizes import size

STEP = {
    "attend": N_("1 Attend"), "project": N_("2 Project"), "scores": N_("3 Scores"), "weights": N_("4 Softmax"),
    "mask": N_("5 Mask"), "output": N_("6 Output"),
}
CAUSAL = {"no": N_("none (bidirectional)"), "yes": N_("causal")}
ORDER = {"given": N_("as typed"), "reversed": N_("reversed")}


@dataclass(frozen=True, eq=False)
class View:
    """What a step shows: tables as HTML, the cell worked out beside them, a sentence, an experiment worth seeing."""

    tables: str
    place: tuple[str, int, int]
    says: str
    experiment: tuple[str, dict[str, object]]
    inputs: Sequence[Input] = ()


def attend(_: Language, at: Followed) -> View:
    """Show who attends to whom."""
    place = at.place("weights", column=at.best)
    twice = {"words": _("the cat saw the other cat"), "word": 2, "x6": None, "cell": ""}
    tables = side_by_side(percentages(_, at, place), shares(_, at))
    return View(tables, place, who_gets_most(_, at), (_("The same word twice"), twice))


def project(_: Language, at: Followed) -> View:
    """Show where queries, keys and values come from."""
    place, worked = at.place("V", "K", "Q"), at.worked
    tables = as_products(_, at, place)
    says = _(
        "X, **{x}**, times W_Q, {w_q}, is Q, **{q}**; K, {k}, and V, {v}, come from W_K and W_V. “{word}” asks "
        "with q = [{query}], is found by k = [{key}] and hands over v = [{value}]. One fused product X · "
        "[W_Q | W_K | W_V] gives the same: the largest difference is {difference}.",
        word=at.word, difference=power(_, fused_difference(worked)),
        **{name.lower(): size(worked[name].shape) for name in ("X", "W_Q", "Q", "K", "V")},
        **{role: _.list(worked[name][at.row], 2) for role, name in (("query", "Q"), ("key", "K"), ("value", "V"))},
    )
    one = tuple(map(tuple, worked["W_Q"].tolist()))
    return View(tables, place, says, (_("One matrix for Q and K"), {"w6_k": one, "step": "scores"}), at.given.inputs)


def scores(_: Language, at: Followed) -> View:
    """Show every query meet every key."""
    best = int(np.argmax(at.worked["scores"][at.row]))
    place = at.place("Q", "K_T", "scores", column=best)
    tables, key = as_corner(_, at, place), key_of(at, place, best)
    says = who_matches(_, at, key)
    if len(at.tokens) == 1:
        return View(tables, place, says, next_word(_, at))
    other = mirror_of(at, key)
    swap = {"word": other + 1, "cell": f"scores.{other + 1}.{at.row + 1}"}
    label = _("Swap the words: {key} asks {word}", word=at.quoted(_, at.row), key=at.quoted(_, other))
    return View(tables, place, says + " " + both_ways(_, at, other), (label, swap))


def mirror_of(at: Followed, key: int) -> int:
    """Choose the key to look back from: this one, or the word's neighbour where the word looks at itself."""
    if key != at.row:
        return key
    return at.row + 1 if at.row + 1 < len(at.tokens) else at.row - 1


def both_ways(_: Language, at: Followed, other: int) -> str:
    """Say what one word scores another, and what that one scores it."""
    there, back = (at.row, other), (other, at.row)
    raw, scaled = at.worked["scores"], at.worked["scaled"]
    numbers = {
        "word": at.quoted(_, at.row), "key": at.quoted(_, other), "d_k": at.worked["K"].shape[1],
        "raw": _.number(raw[there], 2), "raw_back": _.number(raw[back], 2),
        "scaled": _.number(scaled[there], 2), "scaled_back": _.number(scaled[back], 2),
    }
    if np.isclose(raw[there], raw[back]):
        return _("{word} asking {key} and {key} asking {word} score the same here: {raw}, and {scaled} once "
                 "divided by √{d_k}.", **numbers)
    return _("It matters who asks: {word} asking {key} scores {raw}, {key} asking {word} {raw_back}. Divided by "
             "√{d_k}, that is **{scaled}** and **{scaled_back}**.", **numbers)


def next_word(_: Language, at: Followed) -> tuple[str, dict[str, object]]:
    """Offer the next word, or the first after the last."""
    following = (at.row + 1) % len(at.tokens)
    return _("Follow “{word}”", word=at.tokens[following]), {"word": following + 1}


def weights(_: Language, at: Followed) -> View:
    """Show the scores become shares."""
    worked, best, row = at.worked, at.best, at.row
    place = at.place("scaled", "weights", column=best)
    d_k = worked["K"].shape[1]
    scaled = worked.table(_, "scaled", query=row, chosen=place, caption=_("Scores ÷ √{d_k}", d_k=d_k))
    shares_of_row = percentages(_, at, place, _("After softmax, in %"))
    tables = tight(f"<div>{raw_row(_, at)}{scaled}</div>", operator("→"), shares_of_row)
    says = how_it_becomes_a_weight(_, at, key_of(at, place, best))
    least = int(np.argmin(worked["weights"][row])) + 1
    return View(tables, place, says, (_("The smallest weight"), {"cell": f"weights.{row + 1}.{least}"}))


def mask(_: Language, at: Followed) -> View:
    """Show the future hidden, or what is seen without a mask."""
    worked, row = at.worked, at.row
    place = at.place("masked", "weights", column=at.best)
    tables = tight(
        worked.table(_, "masked", query=row, chosen=place), operator("→"),
        percentages(_, at, place, _("After softmax, in %")),
    )
    return View(tables, place, who_sees(_, at), next_word(_, at))


def output(_: Language, at: Followed) -> View:
    """Show the values mixed by the weights."""
    worked, row = at.worked, at.row
    place = at.place("weights", "V", "output")
    tables = tight(
        percentages(_, at, place), operator("×"), worked.table(_, "V", chosen=place), operator("="),
        worked.table(_, "output", query=row, chosen=place),
    )
    turn = (_("Reverse the words"), {"order": "reversed"})
    if worked.rows["K"] != at.given.tokens:
        turn = (_("The words as typed"), {"order": "given"})
    return View(tables, place, what_comes_out(_, at), turn)


VIEW: dict[str, Callable[[Language, Followed], View]] = {
    "attend": attend, "project": project, "scores": scores, "weights": weights, "mask": mask, "output": output,
}


def ways_on(_: Language, step: str, view: View) -> tuple[tuple[str, dict[str, object]], ...]:
    """Offer the next step, the step's own experiment, and the source's example."""
    steps = list(STEP)
    following = steps[(steps.index(step) + 1) % len(steps)]
    onwards = _("Next: {step}", step=_(STEP[following])) if following != steps[0] else _("From the start")
    return (onwards, {"step": following}), view.experiment, the_source(_)


def the_source(_: Language) -> tuple[str, dict[str, object]]:
    """Offer the source's sentence and our matrices for it."""
    untouched = dict.fromkeys(("x6", "w6_q", "w6_k", "w6_v"))
    return _("The source's example"), {"words": "", "word": 2, "cell": "", "order": "given", **untouched}


def ways_out(_: Language, given: Sentence) -> tuple[tuple[str, dict[str, object]], ...]:
    """Offer to take matrices back where the sizes disagree."""
    return (
        (_("Take X back"), {given.x.field: None}),
        (_("Take the three projections back"), dict.fromkeys(each.field for each in given.inputs[1:])),
        the_source(_),
    )
