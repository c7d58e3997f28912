"""The questions that learners keep asking, each with its answer and the experiment that settles it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

import streamlit as st

from pages.ui import share
from pages.ui.contents import PAGES
from pages.ui.fields import FIELDS
from pages.ui.language import N_, Language
from pages.ui.lessons import explanation
from pages.ui.lessons import questions_figures as figures
from pages.ui.lessons.qkv_experiments import one_more
from pages.ui.links import link

GROUP = {
    "scores": N_("Scores and scaling"),
    "roles": N_("Query, key, value"),
    "masks": N_("Masks"),
    "precision": N_("PyTorch and precision"),
    "beyond": N_("Beyond"),
}
WRONG = {"beside": "wrong"}


@dataclass(frozen=True)
class Question:
    """Hold one question and what settles it.

    Attributes
    ----------
    id, group : str
        Its name in an address, and one of GROUP.
    question, answer : str
        Texts; the answer has a hole for every number.
    lesson : str
        A key of PAGES.
    fields : dict of str to object
        What the experiment sets; every other field of the lesson is as it is by default.
    figures : callable
        Computes what stands in the holes.
    """

    id: str
    group: str
    question: str
    answer: str
    lesson: str
    fields: dict[str, object] = field(hash=False)
    figures: Callable[[], figures.Figures]

    def answered(self, _: Language) -> str:
        """Return the answer with its numbers."""
        return _(self.answer, **{hole: figure.written(_) for hole, figure in self.figures().items()})


QUESTIONS = (
    Question(
        "root-not-width", "scores", N_("Why √dₖ, and not dₖ?"),
        N_("A score adds dₖ products, so its variance is dₖ and its standard deviation √dₖ: dividing by √dₖ brings it "
           "back to 1. Dividing by dₖ goes too far. At dₖ = {d_k} the scores of eight keys then spread by only "
           "{spread}, the largest weight falls from {raw} to {largest}, and an entropy of {entropy}, of at most {top}, "
           "says that the query hardly prefers any key."),
        "scaling", {"d_k": 64, "divisor": "d_k", "closer": "numbers"}, partial(figures.divided, "d_k"),
    ),
    Question(
        "cosine", "scores", N_("Why not cosine similarity?"),
        N_("A cosine lies between −1 and 1 whatever the vectors are, so no key can stand out. At dₖ = {d_k} the "
           "cosines of eight keys spread by {spread}, and the best key gets {largest}, where the plain product would "
           "give it {raw}. A dot product lets a long vector count for more; with a cosine a model would have to learn "
           "a temperature instead."),
        "scaling", {"d_k": 64, "divisor": "cosine", "closer": "numbers"}, partial(figures.divided, "cosine"),
    ),
    Question(
        "head-width", "scores", N_("Is dₖ the width of the model or of the head?"),
        N_("Of the head, since a head's score adds only the products of that head. With {heads} heads in a model "
           "{d_model} wide each is {d_head} wide. Divided by √{d_head} the scores spread by {spread}; divided by "
           "√{d_model} by only {small}, and the mean largest weight falls from {right} to {largest}. PyTorch agrees "
           "with the head."),
        "heads", {"heads_part": "scale", "scale_heads": "8", "heads_seed": 0, "compare": "yes"}, figures.head_scale,
    ),
    Question(
        "key-or-value", "scores", N_("Is it the width of the key or of the value?"),
        N_("Of the key, which is also that of the query: their product is what the division tames, and the values come "
           "in only after softmax. Take a column from W_V, so that dᵥ = {d_v} and dₖ = {d_k}: the best score is still "
           "divided by √{d_k} = {root}, to {scaled}, and its weight is still {share}."),
        "qkv", figures.narrow_fields(), figures.narrow_values,
    ),
    Question(
        "softmax-axis", "scores", N_("Which axis is softmax over?"),
        N_("Over the keys: each query's row of weights sums to 1. Run it down the columns and the queries compete for "
           "each key instead. In the six words the rows then sum to anything from {low} to {high}, and the outputs are "
           "off by up to {off}."),
        "masking", {**WRONG, "mask": "none", "way": "wrong_axis"}, partial(figures.wrongly, "wrong_axis"),
    ),
    Question(
        "self-attention", "roles", N_("What is self-attention?"),
        N_("Every token of a sentence asks all tokens of the same sentence, itself too, and takes home a mixture of "
           "what they hand over. In the source's {n} words “cat” gives the most, {share}, to itself, and its output "
           "[{output}] is the average of all values by such weights: a vector that knows its sentence."),
        "pipeline", {"step": "output", "word": 2}, figures.whole_path,
    ),
    Question(
        "roles", "roles", N_("What are Q, K and V?"),
        N_("Three projections of the same input: what a token asks, what it is found by, and what it hands over. "
           "Change only V and the weights move by exactly {weights}, while the output moves by up to {output}. Change "
           "only K, and the weights move while the values stay."),
        "qkv", {"ask": "change", **one_more("w_v", 0, 0)}, figures.only_values,
    ),
    Question(
        "two-matrices", "roles", N_("Why both W_Q and W_K, if only their product counts?"),
        N_("The scores do depend on W_Q W_Kᵀ alone, but two narrow matrices are a cheap way to write it, and they keep "
           "its rank at dₖ. One head of BERT base needs {factored} numbers for the two, and {full} for a full "
           "product."),
        "qkv", {"ask": "factor"}, figures.two_matrices,
    ),
    Question(
        "one-matrix", "roles", N_("Why not one matrix for both, and why is attention asymmetric?"),
        N_("With W_K = W_Q the scores equal their mirror image, with a difference of {scores}: what “makan” finds in "
           "“ikan”, “ikan” has to find in “makan”. With two matrices they differ by {untied}. Even the weights of one "
           "shared matrix are asymmetric, by {weights}, since softmax divides every row by its own sum."),
        "qkv", {"tie": "q_k", "ask": "factor"}, figures.tied,
    ),
    Question(
        "minus-infinity", "masks", N_("Why −∞ before softmax, and not 0?"),
        N_("Because e⁰ = 1: a hidden key with score 0 still takes part, and e to the −∞ is 0. Under a causal mask "
           "filled with 0, one of the six words gives {leak} of its attention to its future, and the outputs are off "
           "by up to {off}."),
        "masking", {**WRONG, "mask": "causal", "way": "zero"}, partial(figures.wrongly, "zero", causal=True),
    ),
    Question(
        "after-softmax", "masks", N_("Why not set the hidden weights to 0 after softmax?"),
        N_("Softmax has already given the hidden keys their share. Under a causal mask the first of the six words is "
           "left with a row that sums to {low}, and its output shrinks. Divide each row by what is left and you have "
           "−∞ before softmax again, {renormalised} apart, as long as anything is left."),
        "masking", {**WRONG, "mask": "causal", "way": "after"}, partial(figures.wrongly, "after", causal=True),
    ),
    Question(
        "padding", "masks", N_("Does padding mask rows or columns?"),
        N_("Columns: nobody may read the padding, and what the padding itself reads is thrown away. Mask its rows "
           "instead, and with {pads} of the six tokens padding a real token still gives {leak} of its attention to "
           "it; its output is wrong without any error message."),
        "masking", {**WRONG, "mask": "padding", "pads": 2, "side": "end", "way": "padded_rows"},
        partial(figures.wrongly, "padded_rows", pads=2),
    ),
    Question(
        "nothing-to-see", "masks", N_("Everything is masked: why NaN?"),
        N_("Softmax of nothing but −∞ is 0 ÷ 0. With −10⁹ in its place there is no NaN, but each of the {n} keys that "
           "must not be seen gets {each}, which is worse, since nobody notices. Here, and in PyTorch since version "
           "2.5, such a row is 0."),
        "masking", {**WRONG, "mask": "both", "query": 1, "pads": 2, "side": "start", "way": "minus_1e9"},
        partial(figures.wrongly, "minus_1e9", causal=True, pads=2, side="start"),
    ),
    Question(
        "polarity", "precision", N_("Does True keep or hide?"),
        N_("It depends on the function: in scaled_dot_product_attention True keeps, in the masks of MultiheadAttention "
           "True hides. Flip it, and under a causal mask the future lights up: a word gives {leak} of its attention to "
           "what it must not see."),
        "masking", {**WRONG, "mask": "causal", "way": "inverted"}, partial(figures.wrongly, "inverted", causal=True),
    ),
    Question(
        "scale-first", "precision", N_("Scale the query or the scores?"),
        N_("It is one product, so only rounding tells them apart. At dₖ = {d_k} dividing the query instead of the "
           "scores changes a score by at most {query}, and half of the division on either side by {both}. Dividing "
           "the smaller matrix saves a little work."),
        "scaling", {"d_k": 80, "closer": "precision"}, figures.orders,
    ),
    Question(
        "bit-equal", "precision", N_("Why is the result not equal to PyTorch's, bit for bit?"),
        N_("Floating-point sums depend on their order, and every library has its own. Two right answers to the same "
           "experiment, one by NumPy and one in plain Python, are {float64} apart in float64 and {float32} in float32. "
           "So compare within a tolerance, and run PyTorch there on the same numbers."),
        "verification", {"example": "drawn", "bench": "dtypes"}, figures.two_right_answers,
    ),
    Question(
        "self-and-cross", "beyond", N_("How do self-attention and cross-attention differ?"),
        N_("Only in their inputs: the function is the same. When {n} tokens ask and {m} tokens of another sentence "
           "answer, Q is {q}, K and V are {kv}, and the weights are {weights}, a row a query. A translator's decoder "
           "asks the source sentence in this way."),
        "heads", {"heads_part": "cross", "cross": "cross"}, figures.crossed,
    ),
    Question(
        "additive", "beyond", N_("How do additive and dot-product attention differ?"),
        N_("Additive attention scores a pair with a small network, v · tanh(W₁q + W₂k); the dot product takes q · k. "
           "For {n} queries and {n} keys of width {d}, with {d_a} hidden values, that is {additive} multiplications "
           "and {tanh} times tanh, holding {held} numbers at once, against {dot} multiplications and {dot_held} "
           "numbers. With many keys it is the dot product that multiplies more; what it saves is tanh and memory. √dₖ "
           "mends what goes wrong when vectors are wide."),
        "additive", {"add_look": "cost", "add_d": 256, "add_hidden": 64}, figures.costs,
    ),
    Question(
        "explanation", "beyond", N_("Do attention weights explain what a model predicts?"),
        N_("Only in part: very different weights can give the same output. For “sat” the search finds a row that gives "
           "the favourite key {instead} in place of {weight}, {distance} away in total variation, while no component "
           "of the output moves by more than {change}. Values, later layers and residual connections have their say "
           "too; weights are a clue."),
        "explanation", explanation.SIX_WORDS, figures.another_row,
    ),
    Question(
        "only-text", "beyond", N_("Is self-attention only for text?"),
        N_("No: whatever can be cut into a set of vectors will do, such as patches of a picture, frames of a sound or "
           "nodes of a graph. Here {count} patches are {count} tokens of {width} numbers each, and patch {patch} gives "
           "{most} of its attention to one of them. Attention knows no places, so position or structure has to be "
           "given separately."),
        "heads", {"heads_part": "beyond", "token_kind": "picture", "patch": 6}, figures.patch,
    ),
)


def contents(_: Language) -> None:
    """List all questions, each a link to its place on the page."""
    with st.container(key="contents"):
        for group, name in GROUP.items():
            rows = [f"- [{_(each.question)}](#{each.id})" for each in QUESTIONS if each.group == group]
            st.markdown("\n".join((f"**{_(name)}**", "", *rows)))


def answers(_: Language) -> None:
    """Answer them all, each with the link to its experiment."""
    now = share.now()
    for group, name in GROUP.items():
        st.header(_(name), anchor=False)
        for each in QUESTIONS:
            if each.group == group:
                with st.container(gap="xsmall", key=f"answer_{each.id}"):
                    st.subheader(_(each.question), anchor=each.id)
                    st.markdown(each.answered(_))
                    lead(_, each, now)


def lead(_: Language, each: Question, now: Mapping[str, object]) -> None:
    """Draw the link to the experiment that settles a question."""
    page = PAGES[each.lesson]
    plain = {field: FIELDS[field].default for field in page.fields}
    label = _("Open the experiment: {lesson}", lesson=_(page.name))
    link(page, label, plain | each.fields, now, icon=":material/science:")
