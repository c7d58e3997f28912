"""A closer look at scaling: variance, gradient and precision, each drawn only when it is chosen."""

import numpy as np
import streamlit as st

from attention_core import softmax_jacobian
from attention_core.gradient_flow import jacobian_norm
from attention_core.saturation import Saturation
from attention_core.stability import overflow_score, shifted_softmax
from attention_core.variance import variance_over_keys, variance_over_pairs
from pages.ui import cached, charts, controls, lesson
from pages.ui.language import Language
from pages.ui.tables.matrix import matrix, side_by_side
from pages.ui.words import key_name

WIDTHS = np.arange(1, 513)
READABLE = 12  # keys whose Jacobian is still a table that people read


def numbers(_: Language, experiment: Saturation, d_k: int) -> None:
    """Show the picture's numbers as tables, for who reads rather than looks."""
    at = d_k - 1
    names = [key_name(j) for j in range(experiment.scores.shape[1])]
    scores = np.stack([experiment.scores[at], experiment.scaled[at]], axis=-1)  # (n_keys, 2)
    weights = np.stack([experiment.weights_raw[at], experiment.weights_scaled[at]], axis=-1)  # (n_keys, 2)
    sides = (_("not divided"), _("divided"))
    lesson.picture(side_by_side(
        matrix("scores", scores, names, sides, lambda score: _.number(score, 2), caption=_("Scores <i>q·k</i>")),
        matrix("weights", weights, names, sides, _.weight, caption=_("Weights, columns sum to 1"), scale="weight"),
    ))
    lesson.sentence(_(
        "The scores have the standard deviation **{spread_raw}**, divided **{spread_scaled}**. The largest weight is "
        "**{raw}**, divided **{scaled}**; the entropy {entropy_raw}, divided {entropy_scaled}, of at most {top}.",
        spread_raw=_.number(experiment.spread_raw[at], 2), spread_scaled=_.number(experiment.spread_scaled[at], 2),
        raw=_.weight(experiment.largest_raw[at]), scaled=_.weight(experiment.largest_scaled[at]),
        entropy_raw=_.number(experiment.entropy_raw[at], 2), entropy_scaled=_.number(experiment.entropy_scaled[at], 2),
        top=_.number(np.log(len(names)), 2),
    ), of="closer")


def variance(_: Language, experiment: Saturation, d_k: int, seed: int, mean: float, std: float) -> None:
    """Show the variance itself: many dot products at one width, and their variance at every width."""
    with st.container(horizontal=True, gap="medium", key="assumptions"):
        controls.decimal("mean", _("Mean of the components"))
        controls.decimal("std", _("Standard deviation of the components"))
    products, measured = cached.many_products(seed, d_k, mean, std), cached.measured_variance(seed, mean, std)
    theory = variance_over_pairs(WIDTHS, mean, std)
    centre, root = d_k * mean**2, np.sqrt(d_k)
    left, right = st.columns(2)
    with left:
        lesson.chart(
            charts.histogram(
                products, products / root, centre, theory[d_k - 1],
                {"raw": _("not divided"), "scaled": _("divided by √dₖ"), "normal": _("normal, variance of the theory"),
                 "x": "q·k", "y": _("density")},
                _.separators,
            ),
            key="products",
            title=_("{count} dot products at dₖ = {d_k}", count=len(products), d_k=d_k),
            alt=_("At dₖ = {d_k} the dot products have the variance {measured}, by theory {theory}; divided by √dₖ, "
                  "{divided}.", d_k=d_k, measured=_.number(products.var(), 2), theory=_.short(theory[d_k - 1]),
                  divided=_.number((products / root).var(), 2)),
        )
    with right:
        lesson.chart(
            charts.over_width(
                {"raw": measured, "scaled": measured / WIDTHS}, {"raw": theory, "scaled": theory / WIDTHS}, WIDTHS, d_k,
                {"raw": _("not divided"), "scaled": _("divided by √dₖ"), "raw_line": _("theory"), "y": _("variance")},
                _.separators, y_range=(theory[0] / 10, 4 * theory[-1]), log=True,
            ),
            key="variance_over_width",
            title=_("Variance of many dot products over dₖ"),
            alt=_("In 2000 other pairs the variance grows in proportion to dₖ: {first} at 1, {last} at 512. Divided by "
                  "√dₖ it stays near {flat}.",
                  first=_.number(measured[0], 2), last=_.number(measured[-1], 1), flat=_.short(theory[0])),
        )
    expected = np.sqrt(variance_over_keys(d_k, mean, std) / d_k)
    if mean or std != 1:
        lesson.sentence(_(
            "With mean {mean} and standard deviation {std} the assumption is broken: one query's scores, divided by "
            "√dₖ, spread by **{expected}** (root mean square over queries), and not by 1. This query's {n} keys spread "
            "by **{found}**.",
            mean=_.number(mean, 1), std=_.number(std, 1), expected=_.number(expected, 2), n=experiment.scores.shape[1],
            found=_.number(experiment.spread_raw[d_k - 1] / root, 2),
        ), of="closer")


def gradient(_: Language, experiment: Saturation, d_k: int, setting: tuple) -> None:
    """Show what the saturation does to learning: the softmax Jacobian, and the gradient that reaches the query."""
    raw, scaled = experiment.weights_raw[d_k - 1], experiment.weights_scaled[d_k - 1]
    names = [key_name(j) for j in range(len(raw))]
    if len(raw) <= READABLE:
        three = lambda value: _.number(value, 3)  # noqa: E731
        lesson.picture(side_by_side(*(
            matrix(f"jacobian_{role}", softmax_jacobian(weights), names, names, three, scale="score", limit=0.25,
                   caption=caption)
            for role, weights, caption in (
                ("raw", raw, _("Jacobian, not divided")), ("scaled", scaled, _("Jacobian, divided")),
            )
        )))
    else:
        st.markdown(_("The Jacobian is shown as a table for up to {most} keys; its norm stands below.", most=READABLE))
    band, flow = cached.norms(*setting), cached.query_gradients(*setting)
    peak, last = flow.median_raw.max(), flow.median_raw[-1]
    verdict = ""
    if last < peak / 10 and flow.rms_raw[-1] > peak:
        verdict = _("For most seeds the gradient vanishes; in rare ones two keys nearly tie, and it is large.")
    norm_raw, norm_scaled = jacobian_norm(experiment.weights_raw), jacobian_norm(experiment.weights_scaled)
    left, right = st.columns(2)
    with left:
        lesson.chart(
            charts.over_width(
                {"raw": norm_raw, "scaled": norm_scaled}, {"raw": band.raw, "scaled": band.scaled}, WIDTHS, d_k,
                {"raw": _("not divided"), "scaled": _("divided"), "raw_line": _("median of 400 seeds"),
                 "scaled_line": _("median, divided"), "y": _("norm of the Jacobian")},
                _.separators, y_range=(0, 0.75),
            ),
            key="norm_over_width",
            title=_("Frobenius norm of the softmax Jacobian over dₖ"),
            alt=_("At dₖ = {d_k} the norm is {raw} without division and {scaled} with it; the medians of 400 seeds are "
                  "{median_raw} and {median_scaled}.", d_k=d_k, raw=_.number(norm_raw[d_k - 1], 3),
                  scaled=_.number(norm_scaled[d_k - 1], 3), median_raw=_.number(band.raw[2, d_k - 1], 3),
                  median_scaled=_.number(band.scaled[2, d_k - 1], 3)),
        )
    with right:
        lesson.chart(
            charts.over_width(
                {"raw": flow.median_raw, "scaled": flow.median_scaled},
                {"raw": flow.rms_raw, "scaled": flow.rms_scaled}, flow.widths, d_k,
                {"raw": _("median, not divided"), "scaled": _("median, divided"),
                 "raw_line": _("root mean square, not divided"), "scaled_line": _("root mean square, divided"),
                 "y": _("length of the gradient")},
                _.separators, y_range=(1e-4, 10), log=True,
            ),
            key="gradient_over_width",
            title=_("Gradient of u · p with respect to q over dₖ, 2000 seeds"),
            alt=_("p are the weights, u random numbers, one a key. Without division the median length is {peak} at its "
                  "highest and {last} at dₖ = 512, the root mean square there {rms}.", peak=_.number(peak, 3),
                  last=_.number(last, 3), rms=_.number(flow.rms_raw[-1], 2)) + " " + verdict,
        )


def precision(_: Language, scores: np.ndarray) -> None:
    """Show why softmax subtracts the row's maximum: the formula as written beside the stable one, in two precisions."""
    shift = controls.slider("shift", _("Add to every score"))
    result = shifted_softmax(scores, shift)
    ways = (result.naive_float32, result.stable_float32, result.naive_float64, result.stable_float64)
    heads = (_("naive, float32"), _("stable, float32"), _("naive, float64"), _("stable, float64"))
    names = [key_name(j) for j in range(len(scores))]
    table = np.stack(ways, axis=-1)  # (n_keys, 4)
    lesson.picture(
        matrix("precision", table, names, heads, _.weight, caption=_("The same softmax, four ways"), scale="weight")
    )
    limits = {"f32": _.number(overflow_score("float32"), 2), "f64": _.number(overflow_score("float64"), 2)}
    largest = _.number(scores.max() + shift, 2)
    broken = [not np.allclose(naive, result.stable_float64, atol=1e-5) for naive in (ways[0], ways[2])]
    where = _("in float32 and float64") if broken[1] else _("in float32")
    if not any(broken):
        says = _(
            "The largest score is {largest}; all four agree. Adding a number to every score changes no weight, but exp "
            "overflows above {f32} in float32 and above {f64} in float64: try it.", largest=largest, **limits,
        )
    elif scores.max() + shift > 0:
        says = _(
            "The largest score is {largest}, and softmax as the formula is written breaks {both}: the sum of the "
            "exponentials overflows, at the latest above {f32} in float32 and {f64} in float64. ∞ ÷ ∞ is NaN, and a "
            "number ÷ ∞ is 0. With the largest score subtracted first, the weights are the same at every shift.",
            largest=largest, both=where, **limits,
        )
    else:
        says = _(
            "The largest score is {largest}, and softmax as the formula is written breaks {both}: every exponential is "
            "too small for the type and becomes 0, and 0 ÷ 0 is NaN. With the largest score subtracted first, the "
            "largest exponential is 1.", largest=largest, both=where,
        )
    lesson.sentence(says, of="closer")
