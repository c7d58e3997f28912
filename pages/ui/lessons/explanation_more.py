"""Other weights, looked at closer: at every width of the values, and whether one model makes all the other rows."""

import numpy as np
import streamlit as st

from attention_core.one_model import NearestModel
from pages.ui import cached, lesson
from pages.ui.language import Language
from pages.ui.lessons import explanation_charts as charts
from pages.ui.lessons.explanation import Case, plainly
from pages.ui.lessons.masking_ways import figure
from pages.ui.tables.matrix import matrix, side_by_side

SAME = 1e-6  # weights this near are those of the same model
MADE = 0.01  # rows this near are made by it


def over_width(_: Language, case: Case) -> None:
    """Show the largest distance found at every width of the values, exactly and within the tolerance."""
    exact = cached.distances(*case.setting, 0.0, case.far)
    within = cached.distances(*case.setting, case.tolerance, case.far) if case.tolerance else None
    m, last = exact.size, int(np.count_nonzero(exact))
    alt = _(
        "With exactly the same output the largest distance found is **{first}** at dᵥ = 1; from {none} on it is 0, "
        "since {m} values as wide as that are affinely independent.", first=_.number(exact[0]), none=last + 1, m=m,
    ) if last == 1 else _(
        "With exactly the same output the largest distance found falls from **{first}** at dᵥ = 1 to {least} at "
        "dᵥ = {last}; from {none} on it is 0, since {m} values as wide as that are affinely independent.",
        first=_.number(exact[0]), least=_.number(exact[last - 1]), last=last, none=last + 1, m=m,
    )
    if within is not None:
        alt += " " + _("Where the output may move by {tolerance}, **{left}** is left there.",
                       tolerance=plainly(_, case.tolerance), left=_.number(within[last]))
    lesson.chart(
        charts.distance_over_width(exact, within, case.d_v, {
            "exact": _("output exactly the same"), "within": _("output within the tolerance"), "y": _("distance"),
        }, _.separators),
        key="distance_over_width", title=_("Largest distance found over the width of the values"), alt=alt,
    )


def objection(_: Language, case: Case) -> None:
    """Show Wiegreffe and Pinter's objection, tried on all six queries at once where there are words."""
    st.subheader(_("Another row is not another model"), anchor=False)
    st.markdown(_(
        "Wiegreffe and Pinter object: each row was searched on its own, but a model has one $W_Q$ and one $W_K$ for "
        "all queries and all sentences. So ask for the model that comes nearest to the other rows of all queries."
    ))
    if case.source != "six_words":
        st.markdown(_("The drawn keys come from no words, so there is no such model to ask for: choose the six words."))
        return
    if case.alone:
        st.markdown(_("Here no query has another row, so the nearest model is the model itself."))
        return
    rows, others, nearest = cached.nearest(case.seed, case.d_v, case.tolerance, case.far)
    number = lambda weight: _.weight(weight, 3)  # noqa: E731
    lesson.picture(side_by_side(
        matrix("others", others, case.heads, case.heads, number, caption=_("The other rows of all queries"),
               scale="weight", row=case.query),
        matrix("nearest", nearest.weights, case.heads, case.heads, number, caption=_("The model nearest to them"),
               scale="weight", row=case.query),
    ))
    lesson.sentence(" ".join((verdict(_, case, rows, nearest), twins(_, case, others))).strip(), of="objection")


def verdict(_: Language, case: Case, rows: np.ndarray, nearest: NearestModel) -> str:
    """Say how near a model comes, and whether it is the one that the lesson began with."""
    misses, worst = nearest.distances, int(nearest.distances.argmax())
    numbers = {"worst": figure(_, misses[worst]), "word": case.names[worst]}
    if misses[worst] <= MADE:
        return _("Here one model does make all of them: no row is missed by more than **{worst}** in total variation, "
                 "that of {word}. It is another model, and the objection fails.", **numbers)
    if np.abs(nearest.weights - rows).max() <= SAME:
        return _("No model makes them all. The nearest, by cross-entropy and at any dₖ, is **the model itself**; it "
                 "misses them by **{mean}** in total variation on average, most for {word}, {worst}.",
                 mean=_.number(misses.mean()), **numbers)
    return _("No model makes them all. The nearest, by cross-entropy and at any dₖ, misses them by **{mean}** in total "
             "variation on average, most for {word}, {worst}.", mean=_.number(misses.mean()), **numbers)


def twins(_: Language, case: Case, others: np.ndarray) -> str:
    """Say that two words with one vector get one weight from any model, where the other row gives them two."""
    lower = [head.casefold() for head in case.heads]
    one = next(j for j, head in enumerate(lower) if lower.count(head) > 1)
    two = lower.index(lower[one], one + 1)
    if abs(others[case.query, one] - others[case.query, two]) <= MADE:
        return ""
    return _("{one} and {two} are the same vector here, so every model gives them the same weight; the other row of "
             "{query} gives them {first} and {second}.",
             one=case.names[one], two=case.names[two], query=case.names[case.query],
             first=_.weight(others[case.query, one]), second=_.weight(others[case.query, two]))
