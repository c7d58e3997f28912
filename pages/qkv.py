"""Query, key and value: three roles of one input, worked out on two words."""

import numpy as np
import streamlit as st

from attention_core import project, scaled_dot_product_attention
from attention_core.examples import ikan_makan
from pages.ui import controls, lesson, words
from pages.ui.frame import close_page, open_page
from pages.ui.matrix import matrix, operator, side_by_side

_ = open_page("qkv")
example = ikan_makan()
tokens = example.tokens
features = [_(words.FEATURES[feature]) for feature in example.features]
dimensions = features[:3]

with st.container(horizontal=True, gap="medium", key="controls"):
    token = controls.choice("token", _("Query"), str)
    tie = controls.choice("tie", _("Projections"), lambda kind: _(words.TIE[kind]))

w_key = example.w_query if tie == "q_k" else example.w_key
roles = project(example.x, example.w_query, w_key, example.w_value)
attention = scaled_dot_product_attention(roles.query, roles.key, roles.value)
row = tokens.index(token)
best = int(np.argmax(attention.scores[row]))
top_pair = np.unravel_index(np.argmax(attention.scores), attention.scores.shape)

one, four = (lambda value: _.number(value, 1)), _.number
score = one if tie == "none" else (lambda value: _.number(value, 2))
lesson.picture(
    side_by_side(
        matrix("Q", roles.query, tokens, dimensions, one, scale="query",
               caption="<i class='Q'>Q</i> = X W<sub>Q</sub>", row=row),
        matrix("K", roles.key, tokens, dimensions, one, scale="key",
               caption="<i class='K'>K</i> = X W<sub>K</sub>"),
        matrix("V", roles.value, tokens, dimensions, one, scale="value",
               caption="<i class='V'>V</i> = X W<sub>V</sub>"),
        matrix("scores", attention.scores, tokens, tokens, score, caption=_("Scores <i>QK</i>ᵀ"), scale="score",
               row=row, cell=top_pair),
    )
    + side_by_side(
        matrix("scaled", attention.scaled, tokens, tokens, four, caption=_("Scaled <i>QK</i>ᵀ ÷ √3"), scale="score",
               row=row),
        operator("softmax"),
        matrix("weights", attention.weights, tokens, tokens, four, caption=_("Weights, rows sum to 1"), scale="weight",
               row=row),
        operator("× <i class='V'>V</i>"),
        matrix("output", attention.output, tokens, dimensions, four, caption=_("Output"), scale="value", row=row),
    )
)
lesson.sentence(_(
    "The query of “{query}” matches the key of “{key}” best: their score is **{score}**. Divided by √3 = {root} it "
    "becomes {scaled}, and softmax turns it into **{share}** of the attention of “{query}”. Its output [{output}] "
    "mixes both values in the proportion {weights}.",
    query=token, key=tokens[best], score=score(attention.scores[row, best]), root=four(1 / attention.scale),
    scaled=four(attention.scaled[row, best]), share=_.percent(attention.weights[row, best], 1),
    output=_.list(attention.output[row]), weights=" : ".join(map(four, attention.weights[row])),
))
lesson.tries(
    _,
    (_("Let “ikan” ask"), {"token": "ikan"}),
    (_("One matrix for Q and K"), {"token": "makan", "tie": "q_k"}),
    (_("The source's example"), {"token": "makan", "tie": "none"}),
)

st.subheader(_("Where the roles come from: each row of a projection has a meaning"), anchor=False)
key_notes = () if tie == "q_k" else words.OFFERS  # the rows of W_Q say how a token asks, not how it is found
lesson.picture(side_by_side(
    matrix("X", example.x, tokens, features, one, caption=_("X, two tokens with named features"), row=row),
))
lesson.picture(side_by_side(*(
    matrix(name, weights, features, dimensions, one, caption=caption, scale=scale, notes=[_(note) for note in notes])
    for name, weights, scale, caption, notes in (
        ("W_Q", example.w_query, "query", _("W<sub>Q</sub>, what a token asks for"), words.ASKS),
        ("W_K", w_key, "key", _("W<sub>K</sub>, what a token is found by"), key_notes),
        ("W_V", example.w_value, "value", _("W<sub>V</sub>, what a token hands over"), words.HANDS_OVER),
    )
)))

lesson.why(_, "qkv")
lesson.code_that_ran(_, project, scaled_dot_product_attention)
lesson.references(_, "vaswani", "alammar")
close_page(_, "qkv")
