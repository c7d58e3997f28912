"""What the pipeline's steps say of their numbers: who gets the most, who ties, and what one or two words come to."""

from pages.ui.language import Language
from pages.ui.lessons.pipeline_follow import Followed, ties, worked_out
from pages.ui.tables.worked import ACROSS_KEYS


def key_of(at: Followed, place: tuple[str, int, int], otherwise: int) -> int:
    """Return the key that the chosen cell belongs to."""
    name, row, column = place
    return column if name in ACROSS_KEYS else row if name == "K" else otherwise


def who_gets_most(_: Language, at: Followed) -> str:
    """Say to whom the word gives the most, how even its weights are, and which keys are one and the same."""
    weights, n, first = at.worked["weights"][at.row], len(at.tokens), ties(at.worked["weights"][at.row])
    if n == 1:
        return _("{word} is the only word: it looks at itself alone and gives itself **100 %**.",
                 word=at.quoted(_, at.row))
    low, high = weights.min(), weights.max()
    places = next((p for p in range(4) if _.percent(low, p) != _.percent(high, p)), 4)
    places = 0 if len(first) == n else places
    holes = {
        "word": at.quoted(_, at.row), "keys": at.listed(_, first), "n": n, "most": _.percent(high, places),
        "least": _.percent(low, places), "even": _.percent(1 / n, places),
    }
    if len(first) == n:
        says = _("{word} looks at the whole sentence, at itself too, and prefers no word: each of the {n} gets the "
                 "same, 1/{n} = **{even}**.", **holes)
    elif len(first) > 1:
        says = _("{word} looks at the whole sentence, at itself too. The first place is shared: {keys} get the most, "
                 "**{most}** each. Its weights run from {least} to {most}; spread evenly, each would be 1/{n} = "
                 "{even}.", **holes)
    else:
        says = _("{word} looks at the whole sentence, at itself too, and gives the most, **{most}**, to {keys}. Its "
                 "weights run from {least} to {most}; spread evenly, each would be 1/{n} = {even}.", **holes)
    return " ".join([says, *same_keys(_, at, places)])


def same_keys(_: Language, at: Followed, places: int) -> list[str]:
    """Say which words have the very same key, and what each of them gets."""
    groups: dict[tuple, list[int]] = {}
    for j, key in enumerate(at.worked["K"].round(9).tolist()):
        groups.setdefault(tuple(key), []).append(j)
    return [
        _("{keys} have the same key, so each gets the same: {weight}.", keys=at.listed(_, group),
          weight=_.percent(at.worked["weights"][at.row, group[0]], places))
        for group in groups.values() if len(group) > 1
    ]


def who_matches(_: Language, at: Followed, key: int) -> str:
    """Say how the word's query scores with a key, and whether any key is a better match."""
    scores = at.worked["scores"][at.row]
    first, n = ties(scores), len(scores)
    holes = {
        "word": at.quoted(_, at.row), "key": at.quoted(_, key), "keys": at.listed(_, first), "n": n,
        "score": _.number(scores[key], 2), "best": _.number(scores.max(), 2),
    }
    if n == 1:
        return _("{word} is the only word: its query meets its own key alone, q · k = **{score}**.", **holes)
    if len(first) == n:
        return _("The query of {word} matches all {n} keys alike: q · k = **{score}** with each.", **holes)
    if key in first and len(first) > 1:
        return _("The query of {word} matches several keys best, and alike, those of {keys}: q · k = **{score}** with "
                 "each.", **holes)
    if key in first:
        return _("The query of {word} matches the key of {key} best: q · k = **{score}**.", **holes)
    if len(first) > 1:
        return _("The query of {word} scores q · k = **{score}** with the key of {key}; the best matches are {keys}, "
                 "{best} each.", **holes)
    return _("The query of {word} scores q · k = **{score}** with the key of {key}; the best match is {keys}, {best}.",
             **holes)


def how_it_becomes_a_weight(_: Language, at: Followed, key: int) -> str:
    """Follow a score of the word through the division and softmax."""
    worked, row = at.worked, at.row
    weights = worked["weights"][row]
    first, n = ties(weights), len(weights)
    holes = {
        "word": at.quoted(_, row), "key": at.quoted(_, key), "keys": at.listed(_, first), "n": n,
        "raw": _.number(worked["scores"][row, key], 2), "d_k": worked["K"].shape[1],
        "root": _.number(1 / worked.scale, 2), "scale": _.number(worked.scale, 2),
        "scaled": _.number(worked["scaled"][row, key], 2), "weight": _.percent(weights[key], 1),
        "most": _.percent(weights.max(), 1),
    }
    if n == 1:
        return _("The only score of {word}, {raw}, is divided by √{d_k} = {root}, which is to multiply by 1/√{d_k} = "
                 "**{scale}**: it becomes {scaled}. Softmax over a single number gives exactly 1: {word} gives itself "
                 "**100 %**.", **holes)
    says = _("The score of {word} for {key}, {raw}, is divided by √{d_k} = {root}, which is to multiply by 1/√{d_k} = "
             "**{scale}**: it becomes {scaled}. Softmax turns the row into weights that sum to 1, and {word} gives "
             "{key} **{weight}** of its attention.", **holes)
    if len(first) == n:
        return says + " " + _("All {n} keys get the same.", **holes)
    if len(first) > 1:
        return says + " " + _("The most, {most} each, goes to {keys}.", **holes)
    return says if key in first else says + " " + _("The most, {most}, goes to {keys}.", **holes)


def who_sees(_: Language, at: Followed) -> str:
    """Say how many tokens the word sees, with the mask and without it."""
    n, free = len(at.tokens), worked_out(at.given)["weights"][at.row]
    holes = {
        "word": at.quoted(_, at.row), "n": n, "seen": at.row + 1, "left": n * (n + 1) // 2, "all": n * n,
        "free": _.percent(free.max(), 1), "largest": where_the_most_goes(_, at),
    }
    if n == 1:
        return _("{word} is the only word: with a causal mask and without one it sees itself alone, and gives itself "
                 "**100 %**.", **holes)
    if at.worked.allowed.all():
        return _("Without a mask (bidirectional) {word} sees all **{n}** tokens. {largest} A causal mask would leave "
                 "it {seen} of {n} tokens, and n(n + 1)/2 = {left} of {all} entries over all queries.", **holes)
    if at.row == 0:
        return _("{word} stands first, so it sees **1 of {n}** tokens, itself, and gives itself **100 %**; without "
                 "the mask it sees {n} tokens and the largest weight is **{free}**. Over all queries n(n + 1)/2 = "
                 "**{left} of {all}** entries are left.", **holes)
    return _("{word} sees **{seen} of {n}** tokens: itself and those before it. {largest} Without the mask it sees "
             "{n} tokens and the largest weight is **{free}**. Over all queries n(n + 1)/2 = **{left} of {all}** "
             "entries are left.", **holes)


def where_the_most_goes(_: Language, at: Followed) -> str:
    """Say which keys get the largest weight of those that the word sees."""
    weights, seen = at.worked["weights"][at.row], int(at.worked.allowed[at.row].sum())
    first = ties(weights)
    holes = {"most": _.percent(weights.max(), 1), "keys": at.listed(_, first)}
    if 1 < len(first) == seen:
        return _("All of them get the same, **{most}**.", **holes)
    if len(first) > 1:
        return _("Its largest weight, **{most}** each, is shared by {keys}.", **holes)
    return _("Its largest weight, **{most}**, goes to {keys}.", **holes)


def what_comes_out(_: Language, at: Followed) -> str:
    """Say what the word's output is, and that no mask took part."""
    n = len(at.tokens)
    holes = {"word": at.quoted(_, at.row), "n": n, "output": _.list(at.worked["output"][at.row], 2)}
    if n == 1:
        says = _("{word} is the only word, so its weight is exactly 1 and its output is its own value: "
                 "**[{output}]**.", **holes)
    elif n == 2:
        says = _("The weights of {word} mix the values of both words: its output is **[{output}]**. It is no longer "
                 "the vector of a word alone, but of a word in this sentence.", **holes)
    else:
        says = _("The weights of {word} mix the values of all {n} words: its output is **[{output}]**. It is no "
                 "longer the vector of a word alone, but of a word in this sentence.", **holes)
    return says + " " + _("It is computed without a mask (bidirectional), as in steps 1 to 4.")
