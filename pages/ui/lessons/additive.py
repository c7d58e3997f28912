"""Additive against dot product: one query's scores and weights, and who saturates over many seeds."""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import streamlit as st

from attention_core.draws import Draw, nested_draw
from attention_core.score_forms import Forms, three_forms
from attention_core.score_network import Network, draw_network, flat_share, weight_ceiling
from pages.ui import controls, lesson
from pages.ui.language import N_, Language
from pages.ui.lessons import additive_charts, additive_cost, additive_seeds, additive_widths
from pages.ui.tables.matrix import matrix, side_by_side
from pages.ui.words import key_name

LOOK = {
    "none": N_("nothing"), "saturation": N_("the saturation"), "cost": N_("the cost"), "widths": N_("unequal widths"),
}
READOUT = {"root": "1 ÷ √dₐ", "one": "1"}
FORM = {"raw": "q·k", "scaled": "q·k ÷ √d", "additive": N_("additive")}
WIDTHS = (4, 16, 64, 256)
SATURATED = 0.9
FLAT = 0.9  # a value of tanh beyond it has a slope below 0.19
ORDINARY = {"add_d": 256, "add_keys": 8, "add_hidden": 64, "add_seed": 0, "add_v": "root", "add_long": 1.0}


@dataclass(frozen=True, eq=False)
class Setting:
    """What the controls say."""

    d: int
    keys: int
    d_a: int
    seed: int
    readout: str
    stretch: float

    @cached_property
    def draw(self) -> Draw:
        """Draw the query, as long as it is asked to be, and the keys."""
        drawn = nested_draw(self.seed, self.keys, self.d)
        return Draw(self.stretch * drawn.query, drawn.keys)

    @cached_property
    def network(self) -> Network:
        """Draw W_1, W_2 and v."""
        return draw_network(self.seed, self.d, self.d, self.d_a, self.readout)

    @cached_property
    def forms(self) -> Forms:
        """Compute scores and weights in all three forms."""
        return three_forms(self.draw.query, self.draw.keys, self.network)

    @property
    def names(self) -> list[str]:
        """Name the keys."""
        return [key_name(j) for j in range(self.keys)]


@lru_cache(maxsize=16)
def setting(d: int, keys: int, d_a: int, seed: int, readout: str, stretch: float) -> Setting:
    """Return a setting, drawn once for all sessions: 1.2 MB at most."""
    return Setting(d, keys, d_a, seed, readout, stretch)


def ask(_: Language) -> Setting:
    """Ask for the widths, the keys and the seed."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="controls"):
        d = controls.slider("add_d", _("Width d of query and keys"))
        d_a = controls.slider("add_hidden", _("Hidden width dₐ"))
        keys = controls.slider("add_keys", _("Number of keys"))
        seed = controls.slider("add_seed", _("Seed of the draws"))
        controls.another("add_seed", _("Another seed"))
    return setting(d, keys, d_a, seed, controls.value("add_v"), controls.value("add_long"))


def forms_of(_: Language) -> dict[str, str]:
    """Name the three forms."""
    return {form: _(name) for form, name in FORM.items()}


def picture(_: Language, given: Setting) -> None:
    """Show scores and weights of one query, form beside form, as tables and as bars."""
    forms, words = given.forms, forms_of(_)
    heads = list(words.values())
    tables, bars = st.columns(2)
    with tables:
        lesson.picture(side_by_side(
            matrix("scores", forms.scores.T, given.names, heads, lambda score: _.number(score, 2), scale="score",
                   caption=_("Scores of the query")),
            matrix("weights", forms.weights.T, given.names, heads, _.weight, scale="weight",
                   caption=_("Weights, columns sum to 1")),
        ))
    with bars:
        best = [given.names[j] for j in forms.weights.argmax(axis=-1)]
        lesson.chart(
            additive_charts.weight_bars(forms.weights, given.names, {**words, "y": _("weight")}, _.separators),
            key="weight_bars", title=_("The weights as bars"),
            alt=_("The tallest bar is {raw_key} for q·k, {scaled_key} for q·k ÷ √d and {additive_key} for the additive "
                  "score.", raw_key=best[0], scaled_key=best[1], additive_key=best[2]),
        )


def say(_: Language, given: Setting) -> str:
    """Say how even the weights are in each form, and what bounds the additive scores."""
    forms = given.forms
    raw, scaled, additive = (_.weight(weight) for weight in forms.largest)
    spreads = [_.number(spread, 2) for spread in forms.spread]
    return _(
        "The largest weight is **{raw}** by the dot product, **{scaled}** by the dot product ÷ √{d}, and "
        "**{additive}** by the additive score. The standard deviations of the scores are {spread_raw}, {spread_scaled} "
        "and {spread_additive}. No additive score can leave ±{bound}, the sum of |v|: here the one farthest from 0 has "
        "the size {farthest}.",
        raw=raw, scaled=scaled, additive=additive, d=given.d, spread_raw=spreads[0], spread_scaled=spreads[1],
        spread_additive=spreads[2], bound=_.number(given.network.bound, 2),
        farthest=_.number(np.abs(forms.scores[2]).max(), 2),
    )


def tell_what_is_set(_: Language, given: Setting) -> None:
    """Say what differs from the ordinary experiment, since its controls may be out of sight."""
    if given.readout == "one":
        st.info(_("The components of v have the standard deviation 1, not 1 ÷ √dₐ. Look closer at the saturation."),
                icon=":material/tune:")
    if given.stretch != 1:
        st.info(_("Every query is multiplied by {stretch}. Look closer at the saturation.",
                  stretch=_.number(given.stretch, 1)), icon=":material/tune:")


def closer(_: Language, given: Setting) -> None:
    """Show what is looked at closer."""
    match controls.choice("add_look", _("Look closer at"), lambda what: _(LOOK[what])):
        case "saturation":
            saturation(_, given)
        case "cost":
            additive_cost.cost(_, given.d, given.d_a, given.keys)
        case "widths":
            additive_widths.widths(_, given.seed, given.readout)


def saturation(_: Language, given: Setting) -> None:
    """Show the largest weight of many seeds, in all three forms: who saturates, and what keeps the others from it."""
    with st.container(horizontal=True, gap="medium", key="assumptions"):
        controls.choice("add_v", _("Standard deviation of v"), READOUT.get)
        controls.decimal("add_long", _("Multiply every query by"))
    widths = sorted({*WIDTHS, given.d})
    largest = additive_seeds.largest(widths, given.keys, given.d_a, given.readout, given.stretch)
    at = widths.index(given.d)
    shares = (largest > SATURATED).mean(axis=-1)  # (widths, 3)
    left, right = st.columns(2)
    with left:
        histogram(_, given, largest[at])
    with right:
        lesson.picture(matrix(
            "shares", shares, [f"d = {d}" for d in widths], list(forms_of(_).values()),
            lambda share: _.percent(share, 1), scale="weight", row=at,
            caption=_("Seeds whose largest weight exceeds {limit}", limit=_.number(SATURATED, 1)),
        ))
        lesson.sentence(who(_, given, shares[at], largest.shape[-1]), of="closer")
    lesson.sentence(why_not(_, given), of="bound")


def histogram(_: Language, given: Setting, largest: np.ndarray) -> None:
    """Draw how the largest weight of all seeds is distributed at the chosen width."""
    words = {**forms_of(_), "here": _("your seed"), "x": _("largest weight"), "y": _("share of seeds")}
    lesson.chart(
        additive_charts.largest_histogram(largest, given.forms.largest, SATURATED, words, _.separators),
        key="largest_histogram",
        title=_("Largest weight of {count} seeds at d = {d}", count=largest.shape[1], d=given.d),
        alt=_("The medians are {raw} by q·k, {scaled} by q·k ÷ √d and {additive} by the additive score.",
              **dict(zip(FORM, map(_.weight, np.median(largest, axis=-1)), strict=True))),
    )


def who(_: Language, given: Setting, shares: np.ndarray, count: int) -> str:
    """Say what share of the seeds saturates in each form."""
    return _(
        "At d = {d}, of {count} seeds **{raw}** give one key more than {limit} by the dot product, **{scaled}** after "
        "division by √d, and **{additive}** by the additive score.",
        d=given.d, count=count, limit=_.number(SATURATED, 1),
        **dict(zip(FORM, (_.percent(share, 1) for share in shares), strict=True)),
    )


def why_not(_: Language, given: Setting) -> str:
    """Say what the bound promises, what it does not, and what does the rest."""
    bound, spread = given.network.bound, given.forms.spread[2]
    ceiling = min(weight_ceiling(bound, given.keys), np.nextafter(1, 0))  # below 1, though a float may not hold it
    flat = flat_share(given.draw.query, given.draw.keys, given.network, FLAT)
    said = [_(
        "tanh lies between −1 and 1, so no additive score is larger than Σ|v| = **{bound}**, however wide or long q "
        "and k are; q·k has no such bound. But the bound alone promises little: scores between −{bound} and {bound} "
        "could still give one of {n} keys the weight {ceiling}.",
        bound=_.number(bound, 2), n=given.keys, ceiling=_.weight(ceiling),
    )]
    if given.readout == "root":
        said.append(_("What keeps the weights even is the size of v, 1 ÷ √dₐ: the scores spread by only **{spread}**. "
                      "It is a division by the root of a width, made once, when v is drawn.",
                      spread=_.number(spread, 2)))
    else:
        said.append(_("With v of size 1 the scores spread by **{spread}**, and additive attention can saturate as "
                      "well: without 1 ÷ √dₐ in v it needs a scale too.", spread=_.number(spread, 2)))
    said.append(_("The price: {flat} of the {count} values of tanh are beyond ±{limit}, where it is nearly flat and "
                  "lets little gradient through.", flat=_.percent(flat), count=given.keys * given.d_a,
                  limit=_.number(FLAT, 1)))
    return " ".join(said)
