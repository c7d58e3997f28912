"""What each of the six steps of the pipeline shows and says about the word that is followed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from pages.ui.inputs import Input
from pages.ui.language import N_, Language
from pages.ui.matrix import operator, side_by_side
from pages.ui.pipeline_follow import Followed, fused_difference, power, worked_out
from pages.ui.pipeline_tables import as_corner, as_products, percentages, raw_row, shares, tight
from pages.ui.sentence import Sentence
from pages.ui.sizes import size

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
    place, weights, n = at.place("weights", column=at.best), at.worked["weights"][at.row], len(at.tokens)
    says = _(
        "“{word}” looks at the whole sentence, at itself too, and gives the most, **{most}**, to “{key}”. Its weights "
        "run from {least} to {most}; spread evenly, each would be 1/{n} = {even}.",
        word=at.word, key=at.tokens[at.best], most=_.percent(weights.max()), least=_.percent(weights.min()), n=n,
        even=_.percent(1 / n),
    )
    twice = {"words": _("the cat saw the other cat"), "word": 2, "x6": None, "cell": ""}
    tables = side_by_side(percentages(_, at, place), shares(_, at))
    return View(tables, place, says, (_("The same word twice"), twice))


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
    worked, best = at.worked, int(np.argmax(at.worked["scores"][at.row]))
    place = at.place("Q", "K_T", "scores", column=best)
    n, two = len(at.tokens), lambda value: _.number(value, 2)
    tables = as_corner(_, at, place)
    says = _("The query of “{word}” matches the key of “{key}” best: q · k = **{score}**.",
             word=at.word, key=at.tokens[best], score=two(worked["scores"][at.row, best]))
    if n == 1:
        return View(tables, place, says, next_word(_, at))
    other = mirror_of(at, place)
    swap = {"word": other + 1, "cell": f"scores.{other + 1}.{at.row + 1}"}
    label = _("Swap the words: “{key}” asks “{word}”", word=at.word, key=at.tokens[other])
    return View(tables, place, says + " " + both_ways(_, at, other), (label, swap))


def mirror_of(at: Followed, place: tuple[str, int, int]) -> int:
    """Choose the key to look back from: the chosen one, or the word's neighbour where the word looks at itself."""
    name, _, column = place
    if name == "scores" and column != at.row:
        return column
    return at.row + 1 if at.row + 1 < len(at.tokens) else at.row - 1


def both_ways(_: Language, at: Followed, other: int) -> str:
    """Say what one word scores another, and what that one scores it."""
    there, back = (at.row, other), (other, at.row)
    raw, scaled = at.worked["scores"], at.worked["scaled"]
    numbers = {
        "word": at.word, "key": at.tokens[other], "d_k": at.worked["K"].shape[1],
        "raw": _.number(raw[there], 2), "raw_back": _.number(raw[back], 2),
        "scaled": _.number(scaled[there], 2), "scaled_back": _.number(scaled[back], 2),
    }
    if np.isclose(raw[there], raw[back]):
        return _("“{word}” asking “{key}” and “{key}” asking “{word}” score the same here: {raw}, divided by √{d_k} "
                 "{scaled}.", **numbers)
    return _("It matters who asks: “{word}” asking “{key}” scores {raw}, “{key}” asking “{word}” {raw_back}. Divided "
             "by √{d_k}, that is **{scaled}** and **{scaled_back}**.", **numbers)


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
    says = _(
        "The score of “{word}” for “{key}”, {raw}, is divided by √{d_k} = {root}, which is to multiply by 1/√{d_k} = "
        "**{scale}**: it becomes {scaled}. Softmax turns the row into weights that sum to 1, and “{word}” gives "
        "“{key}” **{most}** of its attention.",
        word=at.word, key=at.tokens[best], raw=_.number(worked["scores"][row, best], 2), d_k=d_k,
        root=_.number(1 / worked.scale, 2), scale=_.number(worked.scale, 2),
        scaled=_.number(worked["scaled"][row, best], 2), most=_.percent(worked["weights"][row, best], 1),
    )
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


def who_sees(_: Language, at: Followed) -> str:
    """Say how many tokens the word sees, with the mask and without it."""
    n, row, kept = len(at.tokens), at.row, at.worked["weights"][at.row]
    everybody = worked_out(at.given)["weights"][row]
    holes = {
        "word": at.word, "n": n, "key": at.tokens[at.best], "most": _.percent(kept.max(), 1), "seen": row + 1,
        "left": n * (n + 1) // 2, "all": n * n, "free": _.percent(everybody.max(), 1),
    }
    if at.worked.allowed.all() and n > 1:
        return _(
            "Without a mask “{word}” sees all **{n}** tokens, and its largest weight, **{most}**, goes to “{key}”. A "
            "causal mask would leave it {seen} of {n} tokens, and n(n + 1)/2 = {left} of {all} entries over all "
            "queries.", **holes,
        )
    return _(
        "“{word}” sees **{seen} of {n}** tokens: itself and those before it. Its largest weight, **{most}**, goes to "
        "“{key}”; without the mask it sees {n} tokens and the largest is **{free}**. Over all queries n(n + 1)/2 = "
        "**{left} of {all}** entries are left.", **holes,
    )


def output(_: Language, at: Followed) -> View:
    """Show the values mixed by the weights."""
    worked, row = at.worked, at.row
    place = at.place("weights", "V", "output")
    tables = tight(
        percentages(_, at, place), operator("×"), worked.table(_, "V", chosen=place), operator("="),
        worked.table(_, "output", query=row, chosen=place),
    )
    says = _(
        "The weights of “{word}” mix the values of all {n} words: its output is **[{output}]**. It is no longer the "
        "vector of a word alone, but of a word in this sentence.",
        word=at.word, n=len(at.tokens), output=_.list(worked["output"][row], 2),
    )
    turn = (_("Reverse the words"), {"order": "reversed"})
    if worked.rows["K"] != at.given.tokens:
        turn = (_("The words as typed"), {"order": "given"})
    return View(tables, place, says, turn)


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
