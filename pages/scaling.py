"""Scaling: why the scores are divided by sqrt(d_k)."""

import numpy as np
import streamlit as st

from attention_core import softmax
from attention_core.draws import nested_draw, scores_by_width
from attention_core.saturation import saturation
from pages.ui import cached, charts, closer, controls, keys, lesson, words
from pages.ui.frame import close_page, open_page

_ = open_page("scaling")

with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="controls"):
    d_k = controls.slider("d_k", _("dₖ, dimensions of q and k"))
    seed = controls.slider("seed", _("Seed of the draws"))
    controls.another("seed", _("Another seed"))
    n_keys = controls.slider("keys", _("Number of keys"))

draw = nested_draw(seed, n_keys=n_keys)
experiment = saturation(draw)
band = cached.all_seeds(n_keys, 0.0, 1.0, "sqrt_d_k", 8.0)
widths = np.arange(1, len(experiment.scores) + 1)
raw, scaled = keys.sides_at(experiment, d_k)

lesson.picture(keys.keys_picture(_, raw, scaled, expected=np.sqrt(d_k)))
lesson.sentence(_(
    "At $d_k$ = {d_k}, without division key {winner} takes **{raw}** of the attention and the others share {rest}. "
    "Divided by √{d_k} = {root} the largest weight is **{scaled}**, and no key falls below {smallest}.",
    d_k=d_k, winner=keys.key_name(raw.winner), raw=_.weight(raw.largest), rest=_.weight(raw.rest),
    root=_.short(np.sqrt(d_k)), scaled=_.weight(scaled.largest), smallest=_.weight(scaled.smallest),
))

lesson.tries(
    _,
    (_("Push dₖ to 512"), {"d_k": 512}),
    (_("Seed 137: luck hides it"), {"d_k": 64, "seed": 137, "keys": 8}),
    (_("The sources' figures"), {"d_k": 64, "seed": 0, "keys": 8}),
)

left, right = st.columns(2)
with left:
    saturated_raw, saturated_scaled = band.share_raw[d_k - 1], band.share_scaled[d_k - 1]
    lesson.chart(
        charts.over_width(
            {"raw": experiment.largest_raw, "scaled": experiment.largest_scaled},
            {"raw": band.raw, "scaled": band.scaled},
            widths, d_k,
            {"raw": _("not divided"), "scaled": _("divided"), "raw_line": _("median of 400 seeds"),
             "scaled_line": _("median, divided"), "y": _("largest weight")},
            _.separators,
            y_range=(0, 1),
        ),
        key="largest_over_width",
        title=_("Largest weight over dₖ: seed {seed} against 400 seeds", seed=seed),
        alt=_("At dₖ = {d_k}, {raw} of 400 seeds give one key more than 0.9 without division, {scaled} with it. "
              "The bands hold 50 % and 90 % of the seeds.",
              d_k=d_k, raw=_.percent(saturated_raw), scaled=_.percent(saturated_scaled)),
    )
with right:
    lesson.chart(
        charts.over_width(
            {"raw": experiment.spread_raw, "scaled": experiment.spread_scaled},
            {"raw": np.sqrt([widths]), "scaled": np.ones((1, len(widths)))},
            widths, d_k,
            {"raw": _("not divided"), "scaled": _("divided"), "raw_line": "√dₖ", "scaled_line": "1",
             "y": _("standard deviation")},
            _.separators,
        ),
        key="spread_over_width",
        title=_("Standard deviation of the scores over dₖ"),
        alt=_("At dₖ = {d_k} the raw scores of seed {seed} spread by {raw}, against √dₖ = {root} in theory; divided, "
              "by {scaled}, against 1.", d_k=d_k, seed=seed, raw=_.number(raw.spread, 2), root=_.short(np.sqrt(d_k)),
              scaled=_.number(scaled.spread, 2)),
    )

setting = (n_keys, 0.0, 1.0, "sqrt_d_k", 8.0)
match controls.choice("closer", _("Look closer at"), lambda what: _(words.CLOSER[what])):
    case "variance":
        closer.variance(_, d_k, seed, 0.0, 1.0, (raw, scaled))
    case "gradient":
        closer.gradient(_, experiment, d_k, n_keys, setting)
    case "precision":
        closer.precision(_, raw.scores)

lesson.why(_, "scaling")
lesson.code_that_ran(_, nested_draw, scores_by_width, softmax)
lesson.references(_, "vaswani")
close_page(_, "scaling")
