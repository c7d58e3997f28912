"""A closer look at the scores of query and key: one matrix or two, and a score as lengths and an angle."""

from functools import cache

import numpy as np
import streamlit as st

from attention_core.factored import Factored, asymmetry, factored_form, length_and_angle, lengthen
from pages.ui import controls, lesson, share
from pages.ui.language import Language
from pages.ui.lessons.qkv_example import Example, places, quoted, row_of, search_result
from pages.ui.lessons.qkv_numbers import difference
from pages.ui.tables import sums
from pages.ui.tables.matrix import matrix, operator, side_by_side
from pages.ui.tables.worked import Worked, attend
from pages.ui.typed import inputs

ZERO = 5e-13  # shorter than any vector of typed numbers, which have 6 decimals, and their products 12
HEAD = (768, 64)  # d_model and d_k of one head of BERT base


# One matrix or two


def factor(_: Language, given: Example, worked: Worked) -> None:
    """Tie W_K to W_Q and compare, then count what two matrices cost."""
    other = {True: {"tie": "none"}, False: {"tie": "q_k"}}[given.tied]
    label = _("Two matrices again") if given.tied else _("Use W_Q for both")
    st.button(label, key="factor_tie", on_click=share.choose, kwargs=other)
    w_q, w_k = sums.symbol("W_Q"), sums.symbol("W_K")
    compared = {f"{w_k} = {w_q}": given.work(*given.arrays(tied=True))}
    apart = inputs.mismatch(_, *given.arrays(tied=False))
    if apart is None:
        compared = {_("{w_q} and {w_k}", w_q=w_q, w_k=w_k): given.work(*given.arrays(tied=False))} | compared
    lesson.picture(side_by_side(*(two_tables(_, number, *each) for number, each in enumerate(compared.items()))))
    lesson.sentence(mirrored(_, *reversed(compared.values())) if apart is None else apart, of="mirror")
    counts(_, given)


def two_tables(_: Language, number: int, label: str, worked: Worked) -> str:
    """Draw scores and weights of one way, and how far each is from symmetric."""
    tables = []
    for name, caption in (("scores", _("Scores, {way}", way=label)), ("weights", _("Weights, {way}", way=label))):
        apart = _("largest |S − Sᵀ|: {apart}", apart=f"<b>{difference(_, asymmetry(worked[name]))}</b>")
        tables.append(matrix(
            f"{name}_{number}", worked[name], worked.rows[name], worked.columns[name],
            lambda value, name=name: _.number(value, places(worked, name)),
            scale={"scores": "score", "weights": "weight"}[name], caption=f"{caption}<br>{apart}",
        ))
    return "".join(tables)


def mirrored(_: Language, tied: Worked, untied: Worked) -> str:
    """Say which of the four matrices equal their mirror image."""
    numbers = {
        f"{name}_{way}": difference(_, asymmetry(worked[name]))
        for way, worked in (("one", tied), ("two", untied)) for name in ("scores", "weights")
    }
    text = _(
        "The largest difference between a matrix and its mirror image: with W_K = W_Q **{scores_one}** for the scores "
        "and **{weights_one}** for the weights, with two matrices {scores_two} and {weights_two}.", **numbers,
    )
    if asymmetry(tied["weights"]) < 1e-9:
        return text
    return text + " " + _(
        "One matrix makes the scores symmetric: what a token scores another, that one scores it back. The weights are "
        "not, as softmax divides every row by its own sum."
    )


def counts(_: Language, given: Example) -> None:
    """Show the one matrix that W_Q and W_K stand for, its rank, and how many numbers each way needs."""
    w_query, w_key = given.arrays()[1:3]
    here, head = factored_form(w_query, None if given.tied else w_key), bert_head()
    decimals = sums.places(here.product)
    rows = (_("this page"), _("one head of BERT base"))
    table = np.array([
        (*shape, form.rank, form.parameters_factored, form.parameters_full)
        for shape, form in ((w_query.shape, here), (HEAD, head))
    ])
    lesson.picture(side_by_side(
        matrix("product", here.product, given.features, given.features, lambda value: _.number(value, decimals),
               caption=_("<i class='symbol'>W</i><sub>Q</sub><i class='symbol'>W</i><sub>K</sub>ᵀ, who asks a row, "
                         "who is found a column"), scale="score"),
        matrix("parameters", table, rows, ("d_model", "dₖ", _("rank"), _("numbers stored for W_Q and W_K"),
                                           _("numbers in one matrix")), lambda value: _.number(value, 0),
               caption=_("What each way costs")),
    ))
    lesson.sentence(costs(_, w_query.shape, here, head, given.tied), of="closer")


@cache
def bert_head() -> Factored:
    """Return the form of a head as large as BERT base has them; its numbers are drawn, as only sizes and rank count."""
    random = np.random.default_rng(0)
    return factored_form(random.standard_normal(HEAD), random.standard_normal(HEAD))


def costs(_: Language, shape: tuple[int, int], here: Factored, head: Factored, tied: bool) -> str:
    """Say what the product's rank is and which way is cheaper, on this page and in a model."""
    text = _(
        "For a given X the scores depend on the product W_Q W_Kᵀ alone, {d_model} × {d_model} and of rank **{rank}**; "
        "a rank above min(d_model, dₖ) = {bound} is out of reach.", d_model=shape[0], bound=min(shape), rank=here.rank,
    )
    return " ".join([text, (once if tied else twice)(_, shape, here), _(
        "In a head of BERT base, d_model = {d_model} and dₖ = {d_k}, two matrices take {factored} numbers and one "
        "takes {full}.",
        d_model=HEAD[0], d_k=HEAD[1], factored=head.parameters_factored, full=head.parameters_full,
    )])


def once(_: Language, shape: tuple[int, int], here: Factored) -> str:
    """Count the numbers where W_Q takes the place of W_K."""
    return _(
        "W_Q takes the place of W_K and is stored once, {d_model} × {d_k} = **{factored}** numbers; one free matrix in "
        "place of the product takes {d_model} × {d_model} = **{full}**.", d_model=shape[0], d_k=shape[1],
        factored=here.parameters_factored, full=here.parameters_full,
    )


def twice(_: Language, shape: tuple[int, int], here: Factored) -> str:
    """Count the numbers of two matrices and of one, and say which way is cheaper."""
    text = _(
        "Two matrices take {d_model} × {d_k} × 2 = **{factored}** numbers, one takes {d_model} × {d_model} = "
        "**{full}**.", d_model=shape[0], d_k=shape[1], factored=here.parameters_factored, full=here.parameters_full,
    )
    if here.parameters_factored > here.parameters_full:
        return text + " " + _("Here two matrices cost more: they are cheaper only where dₖ is less than half of "
                              "d_model.")
    if here.parameters_factored < here.parameters_full:
        return text + " " + _("Here two matrices are cheaper, as dₖ is less than half of d_model.")
    return text + " " + _("Here both cost the same, as dₖ is half of d_model.")


# Length and angle


def length(_: Language, given: Example, worked: Worked) -> None:
    """Take the query's scores apart into lengths and an angle, then make one key longer."""
    with st.container(horizontal=True, gap="medium", key="longer_controls"):
        index = controls.position("long_key", _("Make longer the key of"), given.tokens) - 1
        times = controls.decimal("longer", _("Times as long"))
    row = row_of(given)
    longer = attend(worked["Q"], lengthen(worked["K"], index, times), worked["V"], given.tokens, given.tokens)
    lesson.picture(side_by_side(parts(_, given, worked, row)))
    lesson.sentence(product(_, given, worked, row), of="parts")
    lesson.picture(side_by_side(
        weights_of(_, worked, "before", given.tokens, row), operator("→"),
        weights_of(_, longer, "after", marked(_, given, index, times), row),
    ))
    lesson.sentence(attracted(_, given, worked, longer, index), of="closer")


def parts(_: Language, given: Example, worked: Worked, row: int) -> str:
    """Draw the factors of every score of one query."""
    found, undefined = length_and_angle(worked["Q"], worked["K"]), without_angle(worked, row)
    norm = np.full(len(given.tokens), found.query_norm[row])
    cosine = np.where(undefined, np.nan, found.cosine[row])
    table = np.stack([norm, found.key_norm, cosine, found.scores[row]], axis=-1)  # (n, 4)
    return matrix(
        "length", table, given.tokens, ("|q|", "|k|", "cos θ", "|q| |k| cos θ"),
        lambda value: "–" if np.isnan(value) else _.number(value),
        caption=_("The query of “{query}” and each key", query=given.tokens[row]),
    )


def without_angle(worked: Worked, row: int) -> np.ndarray:
    """Say of each key whether it has no angle with the query: one of them is a vector of zeros, but for rounding."""
    norm, of_keys = (np.linalg.norm(each, axis=-1) for each in (worked["Q"][row], worked["K"]))
    return (norm < ZERO) | (of_keys < ZERO)  # (m,)


def product(_: Language, given: Example, worked: Worked, row: int) -> str:
    """Say that the product is the score, for the best key of the query."""
    found, best = length_and_angle(worked["Q"], worked["K"]), int(search_result(worked).best[row])
    undefined = without_angle(worked, row)
    dash = _("Where a vector is all zeros, its length is 0, it has no direction and so no angle: cos θ is not defined "
             "(–), and the score is 0.")
    if undefined[best]:
        return " ".join([_("A score is the length of the query times that of the key times the cosine of their angle."),
                         dash])
    text = _(
        "A score is the length of the query times that of the key times the cosine of their angle: for the query of "
        "“{query}” and the key of “{key}” {query_norm} × {key_norm} × {cosine} = **{product}**, and q · k = "
        "**{score}**.",
        query=given.tokens[row], key=given.tokens[best], query_norm=_.number(found.query_norm[row]),
        key_norm=_.number(found.key_norm[best]), cosine=_.number(found.cosine[row, best]),
        product=_.number(found.scores[row, best]), score=_.number(worked["scores"][row, best]),
    )
    return text + " " + dash if undefined.any() else text


def weights_of(_: Language, worked: Worked, when: str, keys: tuple[str, ...], row: int) -> str:
    """Draw the weights before or after a key was made longer."""
    caption = {"before": _("Weights before"), "after": _("Weights with the longer key")}[when]
    return matrix(f"weights_{when}", worked["weights"], worked.rows["weights"], keys, _.weight, caption=caption,
                  scale="weight", row=row)


def marked(_: Language, given: Example, index: int, times: float) -> tuple[str, ...]:
    """Head the columns of the weights; the longer key's says how long it is."""
    return tuple(
        _("{times} × {key}", key=token, times=_.number(times, 1)) if j == index else token
        for j, token in enumerate(given.tokens)
    )


def attracted(_: Language, given: Example, worked: Worked, longer: Worked, index: int) -> str:
    """Say how many queries give the longer key the most, whom it attracts and whom it repels."""
    moved = np.round(longer["weights"][:, index] - worked["weights"][:, index], 12)  # (n,)
    key = given.tokens[index]
    if not moved.any():
        return _("No weight of the key of “{key}” moves.", key=key)
    now, before, shares = most(longer, index), most(worked, index), shared(longer)
    text = _(
        "The largest weight goes to the key of “{key}” in **{now} of {n}** queries, before in {before}.",
        key=key, n=len(given.tokens), now=now.sum(), before=before.sum(),
    )
    if (now & shares).any():
        text += " " + _("(For {queries} it is shared with another key.)", queries=those(_, given, now & shares))
    if (moved > 0).any():
        text += " " + _("It attracts {queries}.", queries=those(_, given, moved > 0))
    if (moved < 0).any():
        text += " " + _("It repels {queries}.", queries=those(_, given, moved < 0))
    cosine = np.round(length_and_angle(worked["Q"], worked["K"]).cosine[:, index], 12)  # (n,)
    if np.array_equal(np.sign(moved), np.sign(cosine)):
        text += " " + _("Exactly the queries whose cosine with it is positive are attracted, and exactly those with a "
                        "negative one are repelled: a longer key has larger scores of the same sign.")
    return text


def those(_: Language, given: Example, chosen: np.ndarray) -> str:
    """Name the chosen tokens."""
    return quoted(_, [token for token, is_one in zip(given.tokens, chosen, strict=True) if is_one])


def most(worked: Worked, index: int) -> np.ndarray:
    """Say of each query whether it gives the key at `index` its largest weight."""
    return largest(worked)[:, index]


def shared(worked: Worked) -> np.ndarray:
    """Say of each query whether several keys have its largest weight."""
    return largest(worked).sum(axis=1) > 1


def largest(worked: Worked) -> np.ndarray:
    """Say of each weight whether it is its row's largest, but for rounding."""
    weights = worked["weights"]
    return np.isclose(weights, weights.max(axis=1, keepdims=True), rtol=1e-9, atol=0)
