"""A closer look at query, key and value: the search that attention softens, and what moves what."""

import numpy as np
import streamlit as st

from attention_core import project, softmax
from attention_core.examples import ikan_makan
from attention_core.factored import factored_form, lengthen
from attention_core.lookup import hard_lookup
from pages.ui import lesson, share
from pages.ui.language import N_, Language
from pages.ui.lessons.qkv_example import PLAIN, Example, places, quoted, row_of, search_result, ties
from pages.ui.lessons.qkv_numbers import difference
from pages.ui.lessons.qkv_scores import factor, length
from pages.ui.tables.matrix import matrix, side_by_side
from pages.ui.tables.worked import Worked

ASK = {
    "search": N_("What has it to do with searching?"),
    "change": N_("What are Q, K and V?"),
    "factor": N_("Why not one matrix?"),
    "length": N_("What makes a score large?"),
}
CODE = {"search": hard_lookup, "change": project, "factor": factored_form, "length": lengthen}
RESULTS = {
    "Q": "Q", "K": "K", "V": "V", "scores": N_("scores"), "weights": N_("weights"), "output": N_("output"),
}
ONE_MORE = {"V": ("w_v", 0, 0), "K": ("w_k", 0, 0), "Q": ("w_q", 3, 0)}  # for each role a number whose change is seen


def closer(_: Language, ask: str, given: Example, worked: Worked) -> None:
    """Show the experiment that was asked for."""
    {"search": search, "change": change, "factor": factor, "length": length}[ask](_, given, worked)


# Search


def search(_: Language, given: Example, worked: Worked) -> None:
    """Show hard lookup beside soft lookup, on the same scores."""
    row, found = row_of(given), search_result(worked)
    ways = (_("search: the best key"), _("attention: all keys"))
    shares = np.stack([found.weights[row], worked["weights"][row]])  # (2, n)
    outputs = np.stack([found.output[row], worked["output"][row]])  # (2, d_v)
    outputs = np.vstack([outputs, outputs[1] - outputs[0]])  # (3, d_v)
    score = lambda value: _.number(value, places(worked, "scores"))  # noqa: E731
    lesson.picture(side_by_side(
        matrix("asked", worked["scores"][[row]], given.tokens[row : row + 1], given.tokens, score, scale="score",
               caption=_("Scores of the query"), row=0),
        matrix("lookup_weights", shares, ways, given.tokens, _.weight, scale="weight", caption=_("What each key gets")),
        matrix("lookup_output", outputs, (*ways, _("difference")), worked.columns["output"], _.number, scale="value",
               caption=_("What comes back")),
    ))
    lesson.sentence(returned(_, given, worked, row) + " " + sharpened(_, given, worked, row), of="closer")


def returned(_: Language, given: Example, worked: Worked, row: int) -> str:
    """Say what the search returns, and what attention returns."""
    found, names = search_result(worked), ties(given, worked, row)
    holes = {
        "query": given.tokens[row], "key": given.tokens[found.best[row]], "keys": quoted(_, names),
        "value": _.list(found.output[row]), "output": _.list(worked["output"][row]),
        "share": _.percent(worked["weights"][row, found.best[row]], 1),
        "apart": difference(_, abs(worked["output"][row] - found.output[row]).max()),
    }
    if len(given.tokens) == 1:
        return _("With one token there is nothing to choose from: both return the value of “{key}”, [{value}].",
                 **holes)
    if found.tied[row]:
        return _(
            "“{query}” scores the same with {keys}. A search that shows one page takes one of them, here the first, "
            "“{key}”: [{value}]. Attention need not decide: it gives each of them **{share}** and returns [{output}]. "
            "The two outputs differ by up to **{apart}**.", **holes,
        )
    return _(
        "A search engine that shows one page returns the value of the best key, “{key}”: [{value}]. Attention returns "
        "a mixture, **{share}** of it from “{key}”: [{output}]. The two outputs differ by up to **{apart}**.", **holes,
    )


def sharpened(_: Language, given: Example, worked: Worked, row: int) -> str:
    """Say what becomes of the mixture when the scores are ten times as large."""
    before, after = worked["weights"][row].max(), softmax(10 * worked["scaled"][row]).max()
    if np.isclose(after, before, rtol=1e-9):
        return _("Scores ten times as large would not change the largest weight, {before}.", before=_.weight(before))
    return _("Scores ten times as large would lift the largest weight from {before} to **{after}**: the larger the "
             "scores, the more attention is like a search.", before=_.weight(before), after=_.weight(after))


# What moves what


def change(_: Language, given: Example, worked: Worked) -> None:
    """Change one role and show what freezes and what moves."""
    source = ikan_makan()
    with st.container(horizontal=True, key="changes"):
        for role, (field, row, column) in ONE_MORE.items():
            label = _("Change only {role}", role=role)
            st.button(label, key=f"change_{role}", on_click=share.choose, kwargs=one_more(field, row, column))
        st.button(_("Back to the source's numbers"), key="change_back", on_click=share.choose,
                  kwargs=PLAIN)
    st.markdown(_("Each button starts from the source's numbers and turns one 1 into a 2: in W_V or W_K the first "
                  "number of row 1, in W_Q that of row 4. Any other change counts as well: edit a number above."))
    before = given.work(source.x, source.w_query, source.w_key, source.w_value) if comparable(given) else None
    if before is None:
        lesson.sentence(_("X or a projection has another size than the source's, so there is nothing to compare number "
                          "by number."), of="closer")
        return
    moves = np.array([[abs(worked[name] - before[name]).max()] for name in RESULTS])
    lesson.picture(matrix(
        "moves", moves, [_(word) for word in RESULTS.values()], [_("largest change")],
        lambda moved: _("{change}, moves", change=difference(_, moved)) if moved else _("0, frozen"),
        caption=_("Against the source's numbers"),
    ))
    lesson.sentence(what_moved(_, dict(zip(RESULTS, moves[:, 0] != 0, strict=True))), of="closer")


def one_more(field: str, row: int, column: int) -> dict[str, object]:
    """Return the fields that set the source's numbers, one of them raised by 1."""
    source = ikan_makan()
    array = {"w_q": source.w_query, "w_k": source.w_key, "w_v": source.w_value}[field]
    array[row, column] += 1
    return PLAIN | {field: tuple(map(tuple, array.tolist())), "token": "makan"}


def comparable(given: Example) -> bool:
    """Say whether every matrix that counts has the size of the source's."""
    return all(array.shape == each.example.shape for array, each in zip(given.arrays(), given.all, strict=True))


def what_moved(_: Language, moved: dict[str, bool]) -> str:
    """Say what froze and what moved, and why, as far as the numbers show it."""
    frozen = ", ".join(_(word) for name, word in RESULTS.items() if not moved[name])
    moving = ", ".join(_(word) for name, word in RESULTS.items() if moved[name])
    if not moving:
        return _("These are the source's numbers, so nothing has moved.")
    if not frozen:
        return _("Everything moves: {moving}. Change one projection only, and a part of it stays still.", moving=moving)
    text = _("Exactly 0, frozen: **{frozen}**. Moving: **{moving}**.", frozen=frozen, moving=moving)
    if moved["V"] and moved["output"] and not moved["weights"]:
        return text + " " + _("V decides what is handed over, not who is listened to.")
    if moved["weights"] and not moved["V"]:
        return text + " " + _("Q and K decide who is listened to, not what is handed over; the output moves as other "
                              "shares of the same values are mixed.")
    return text
