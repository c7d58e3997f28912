"""Several heads: split, attend, concatenate, project; every shape, every head's weights, and each head by hand."""

import numpy as np
import streamlit as st

from attention_core import MultiHead, multi_head_attention
from attention_core.heads import drawn_weights, head_by_head
from pages.ui import controls, lesson, share
from pages.ui.fields import FIELDS
from pages.ui.language import Language
from pages.ui.lessons.heads_cross import CROSS, Pair, ask_for_words, made_up, pair
from pages.ui.lessons.heads_tables import shape, size, words_table
from pages.ui.tables.matrix import matrix, side_by_side
from pages.ui.typed.unreadable import shown


def show(_: Language) -> None:
    """Show the part; heads that do not divide the width are refused in a sentence, and the page stays."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom", key="heads_controls"):
        d_model = controls.slider("d_model", _("Width of the model, d_model"))
        heads = controls.slider("num_heads", _("Number of heads"))
        kind = controls.choice("cross", _("Attention"), lambda kind: _(CROSS[kind]))
        ask_for_words(_)
    given = pair(d_model, kind)
    if d_model % heads:
        refuse(_, given, d_model, heads)
    else:
        weights = drawn_weights(share.value("heads_seed"), d_model).all
        result = multi_head_attention(given.x_query, given.x_key_value, *weights, heads)
        by_hand = head_by_head(given.x_query, given.x_key_value, *weights, heads)
        lesson.picture(f'<div class="lab-heads">{steps(_, given, result, weights)}'
                       f"<div>{per_head(_, given, result)}</div></div>")
        lesson.sentence(say(_, given, result, float(np.abs(result.output - by_hand).max())))
    made_up(_, given)


def refuse(_: Language, given: Pair, d_model: int, heads: int) -> None:
    """Say which numbers of heads fit, and show how far the steps get."""
    fitting = [count for count in range(1, FIELDS["num_heads"].high + 1) if d_model % count == 0]
    st.error(_(
        "{heads} heads do not divide a width of {d_model}: each would be {d_model} ÷ {heads} = {width} wide, and a "
        "head has a whole number of columns. Numbers of heads that fit: {fitting}.",
        heads=heads, d_model=d_model, width=_.short(d_model / heads), fitting=", ".join(map(str, fitting)),
    ), icon=":material/call_split:")
    stopped = _("cannot be split into {heads}", heads=heads)
    sizes = (len(given.asking), len(given.answering), len(given.answering))
    rows = [(name, [f"{n} × {d_model}", stopped]) for name, n in zip("QKV", sizes, strict=True)]
    lesson.picture(words_table("steps", _("How far it gets"), (_("shape"), _("next")), rows))


def steps(_: Language, given: Pair, result: MultiHead, weights: tuple) -> str:
    """List every step with the shape that it was found to have."""
    flat = np.concatenate(list(result.heads), axis=-1)  # (n, h * d_head)
    rows = [
        (_("1 who asks"), ["n × d_model", shape(given.x_query)]),
        (_("1 who answers"), ["m × d_model", shape(given.x_key_value)]),
        (_("2 project: X times W_Q"), ["n × d_model", shape(given.x_query @ weights[0])]),
        (_("3 split Q"), [_("heads × n × d_head"), shape(result.query)]),
        (_("3 split K"), [_("heads × m × d_head"), shape(result.key)]),
        (_("3 split V"), [_("heads × m × d_head"), shape(result.value)]),
        (_("4 attend: weights"), [_("heads × n × m"), shape(result.weights)]),
        (_("4 attend: weights times V"), [_("heads × n × d_head"), shape(result.heads)]),
        (_("5 concatenate"), ["n × d_model", shape(flat)]),
        (_("6 project: times W_O, {shape}", shape=shape(weights[3])), ["n × d_model", shape(result.output)]),
    ]
    return words_table("steps", _("Every step and its shape"), (_("in letters"), _("here")), rows)


def per_head(_: Language, given: Pair, result: MultiHead) -> str:
    """Draw the weights of each head as a small table."""
    row = min(share.value("asker"), len(given.asking)) - 1
    return side_by_side(*(
        matrix(f"head_{h}", weights, given.asking, given.answering, lambda value: _.number(100 * value, 0), row=row,
               caption=_("Head {number}: weights in %", number=h), scale="weight")
        for h, weights in enumerate(result.weights, 1)
    ))


def say(_: Language, given: Pair, result: MultiHead, difference: float) -> str:
    """Say what the heads do with the width, where they disagree, and that splitting is no approximation."""
    heads, n, d_head = result.query.shape
    row = min(share.value("asker"), n) - 1
    best = result.weights[:, row].argmax(axis=-1)  # (h,)
    text = _(
        "**{heads}** heads of width **{d_head}**, {heads} × {d_head} = {d_model}. Each has weights of its own, so "
        "“{query}” can look in {heads} ways at once; here its largest weights go to {keys}.",
        heads=heads, d_head=d_head, d_model=heads * d_head, query=shown(given.asking[row]),
        keys=", ".join(f"“{shown(given.answering[key])}”" for key in best),
    ) if heads > 1 else _(
        "One head has the whole width, **{d_head}**: this is attention as in the other lessons, with W_O behind it.",
        d_head=d_head,
    )
    return text + " " + _(
        "Split and attended at once, or each head by hand from its own columns: the largest difference of the outputs "
        "is **{difference}**.", difference=size(_, difference),
    )
