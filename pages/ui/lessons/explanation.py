"""The lesson on attention as an explanation: a row, the other row with its output, and what no other row can do."""

from dataclasses import dataclass

import numpy as np
import streamlit as st

from attention_core.counterfactual import Counterfactual
from attention_core.examples import six_words
from pages.ui import cached, controls, lesson
from pages.ui.language import N_, Language
from pages.ui.lessons import explanation_charts as charts
from pages.ui.lessons.masking_ways import figure
from pages.ui.tables.matrix import matrix
from pages.ui.words import key_name

FROM = {"six_words": N_("the six words"), "drawn": N_("drawn")}
FAR = {"total_variation": N_("total variation"), "jensen_shannon": N_("Jensen-Shannon distance")}
OWN_WIDTH = six_words().w_value.shape[1]  # values wider than the example's are drawn
SIX_WORDS = {
    "exp_from": "six_words", "exp_query": 3, "exp_d_v": OWN_WIDTH, "exp_tol": "0", "exp_far": "total_variation",
    "exp_seed": 0,
}


@dataclass(frozen=True, eq=False)
class Case:
    """Hold what is set and what it gives.

    Attributes
    ----------
    source, seed, n_keys, query, tolerance, far
        The setting: where the row comes from, and what is searched; `query` counts from 0.
    names : tuple of str
        Of the keys, as a sentence quotes them and as a table heads them.
    weights, value : np.ndarray, shapes (m,), (m, d_v)
        The row to be explained, and V.
    found : Counterfactual
        The other row.
    """

    source: str
    seed: int
    n_keys: int
    query: int
    tolerance: float
    far: str
    names: tuple[str, ...]
    heads: tuple[str, ...]
    weights: np.ndarray
    value: np.ndarray
    found: Counterfactual

    @property
    def setting(self) -> tuple:
        """What decides the row and its values at every width."""
        return self.source, self.seed, self.n_keys, self.query

    @property
    def d_v(self) -> int:
        """The width of the values."""
        return self.value.shape[1]

    @property
    def alone(self) -> bool:
        """Whether no other row can give the output."""
        return self.found.freedom == 0 and self.tolerance == 0


def ask(_: Language) -> Case:
    """Ask for the row and for what the search may do, and search."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="controls"):
        source = controls.choice("exp_from", _("Weights and values"), lambda source: _(FROM[source]))
        words = six_words().tokens
        if source == "six_words":
            n_keys, query = len(words), controls.position("exp_query", _("Query"), words) - 1
        else:
            n_keys, query = controls.slider("exp_keys", _("Number of keys")), 0
        d_v = controls.slider("exp_d_v", _("Width of the values, dᵥ"), high=n_keys)
        tolerance = controls.choice("exp_tol", _("The output may move by"), lambda most: plainly(_, float(most)))
        seed = controls.slider("exp_seed", _("Seed of draws and search"))
        controls.another("exp_seed", _("Another seed"))
    rows, far = cached.explained(source, seed, n_keys), controls.value("exp_far")
    setting = (source, seed, n_keys, query)
    plain = words if source == "six_words" else tuple(key_name(j) for j in range(n_keys))
    names = tuple(_("“{word}”", word=word) for word in words) if source == "six_words" else plain
    return Case(
        *setting, float(tolerance), far, names, plain, rows.weights[query], rows.value[:, :d_v],
        cached.other_row(*setting, d_v, float(tolerance), far),
    )


def ask_for_distance(_: Language) -> None:
    """Ask what "different" means; below the picture, so that a phone shows the picture first."""
    controls.choice("exp_far", _("Differ in"), lambda kind: _(FAR[kind]))


def plainly(_: Language, tolerance: float) -> str:
    """Write a tolerance with the decimals that it has: 0, 0.001."""
    return _.number(tolerance, len(f"{tolerance:g}".partition(".")[2]))


def picture(_: Language, case: Case) -> None:
    """Show both rows as bars and as numbers, and both outputs."""
    model, other = _("model"), _("other")
    rows = [case.weights] if case.alone else [case.weights, case.found.weights]
    left, right = st.columns([1, 1], vertical_alignment="center")
    with left:
        lesson.chart(
            charts.two_rows(case.weights, None if case.alone else case.found.weights, case.heads, {
                "model": _("the model's row"), "other": _("the other row"), "y": _("weight"),
            }, _.separators),
            key="two_rows", title=_("Weights of one query"),
            alt=bars(_, case),
        )
    with right:
        lesson.picture(matrix(
            "rows", np.stack(rows), (model, other)[: len(rows)], case.heads, lambda weight: _.weight(weight, 3),
            caption=_("Weights"), scale="weight",
        ))
        lesson.picture(outputs(_, case, (model, other)))


def bars(_: Language, case: Case) -> str:
    """Say where the two rows differ most."""
    if case.alone:
        return _("There is only the model's row.")
    j = int(np.abs(case.found.weights - case.weights).argmax())
    return _("The two rows differ most at {key}: the model gives it {weight}, the other row {other}.",
             key=case.names[j], weight=_.weight(case.weights[j]), other=_.weight(case.found.weights[j]))


def outputs(_: Language, case: Case, names: tuple[str, str]) -> str:
    """Draw the model's output, the other row's, and what lies between them."""
    output = case.weights @ case.value  # (d_v,)
    rows = [output] if case.alone else [output, case.found.output, case.found.moved]
    return matrix(
        "outputs", np.stack(rows), (*names, _("difference"))[: len(rows)], [str(i + 1) for i in range(case.d_v)],
        lambda number: figure(_, number), caption=_("Outputs, weights times V"),
    )


def say(_: Language, case: Case) -> str:
    """Say which keys the two rows look at, that the output stays, and how far apart the rows are."""
    found, (one, two) = case.found, (int(row.argmax()) for row in (case.weights, case.found.weights))
    if case.alone:
        return _(
            "**No other row gives this output.** [V 1], the values with a column of ones, has rank **{rank}**, as many "
            "as there are keys: the output fixes every weight. The search, seed {seed}, ends where it began.",
            rank=found.rank, seed=case.seed,
        )
    if one == two:
        looks = _("Both rows look most at {key}: the model with **{weight}**, the other row with **{other}**.",
                  key=case.names[one], weight=_.weight(case.weights[one]), other=_.weight(found.weights[one]))
    else:
        looks = _("The model looks most at {key}, **{weight}**. The other row gives it **{instead}**, and most to "
                  "{other}, **{other_weight}**.",
                  key=case.names[one], weight=_.weight(case.weights[one]), instead=_.weight(found.weights[one]),
                  other=case.names[two], other_weight=_.weight(found.weights[two]))
    return " ".join((looks, stays(_, case), apart(_, case)))


def stays(_: Language, case: Case) -> str:
    """Say how far the output moved."""
    if case.tolerance:
        return _("No component of the output moves by more than {change}; {tolerance} is allowed.",
                 change=figure(_, case.found.output_change), tolerance=plainly(_, case.tolerance))
    return _("The output is the same but for rounding: no component moves by more than {change}.",
             change=figure(_, case.found.output_change))


def apart(_: Language, case: Case) -> str:
    """Say how far apart the rows are."""
    return _("The rows are **{distance}** apart in {kind}, where 0 is the same row and 1 no key in common.",
             distance=_.number(case.found.distance), kind=_(FAR[case.far]))


def freedom(_: Language, case: Case) -> None:
    """Say how much room the values leave, and offer the way out where there is none."""
    found, m = case.found, case.weights.size
    if case.source == "six_words" and case.d_v > OWN_WIDTH:
        st.caption(_("The six words' own values have {own} columns; the others are drawn from seed {seed}.",
                     own=OWN_WIDTH, seed=case.seed))
    if found.freedom:
        st.markdown(_(
            "[V 1], the values with a column of ones, has rank {rank}, and there are {m} keys: **{m} − {rank} = "
            "{freedom}** is the number of directions in which the weights can move while the output stays exactly the "
            "same. The search starts from seed {seed}.",
            rank=found.rank, m=m, freedom=found.freedom, seed=case.seed,
        ))
        return
    if case.tolerance:
        st.info(_(
            "[V 1] has rank {rank}, as many as there are keys: with exactly the same output there is no other row, "
            "only within the tolerance. The rank is a yes or no, and values may be nearly dependent.", rank=found.rank,
        ), icon=":material/lock_open:")
    else:
        st.info(_("Narrower values leave room, and so does an output that may move a little."),
                icon=":material/lock:")
    with st.container(horizontal=True, gap="small"):
        room = m - 2
        controls.setter("exp_d_v", _("Lower dᵥ to {d_v}", d_v=room), room, ":material/arrow_downward:")
        if case.alone:
            least = 0.001
            controls.setter("exp_tol", _("Let the output move by {tolerance}", tolerance=plainly(_, least)),
                            f"{least:g}", ":material/unfold_more:")
