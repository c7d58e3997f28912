"""What is predicted before masking: what True means, what 0 does in place of −∞, what of padding has to be hidden."""

from functools import partial

import numpy as np

from attention_core import causal_mask, padding_mask, project
from attention_core.examples import six_words
from attention_core.wrong_masks import leak, masked_weights
from pages.ui.classroom.pipeline_predictions import SENTENCE, attend, said
from pages.ui.classroom.prediction import Figure, Prediction, Truth, only
from pages.ui.language import N_, Language

SETTING = SENTENCE | {
    "mask": "causal", "query": 1, "pads": 2, "side": "end", "window": "no", "left": 1, "right": 0, "cached": 0,
    "align": "top_left", "hidden": (), "beside": "wrong", "way": "zero", "changed": 6, "cell": "",
}
SAME = 1e-9
whole = partial(Language.number, places=0)
weight = Language.weight


def percent(_: Language, share: float) -> str:
    """Write a share; none and all without decimals, which would only say how it is rounded."""
    return _.percent(share, 0 if abs(share - round(share)) < SAME else 1)


def masks(fields: dict[str, object]) -> tuple[np.ndarray, np.ndarray]:
    """Return who may look at whom but for padding, (n, n), and which keys are no padding, (n,)."""
    n = len(six_words().tokens)
    others = causal_mask(n) if fields["mask"] in ("causal", "both") else np.ones((n, n), bool)
    if fields["mask"] not in ("padding", "both"):
        return others, np.ones(n, bool)
    keys = padding_mask(n - fields["pads"], n)[0]
    return others, keys[::-1] if fields["side"] == "start" else keys


def weights_of(fields: dict[str, object], way: str) -> np.ndarray:
    """Return the weights that a way to mask gives."""
    others, keys = masks(fields)
    return masked_weights(attend(six_words().x).scaled, others, way, padding=keys)


def keeping(fields: dict[str, object]) -> Truth:
    """Let one query attend with a boolean mask that is True up to itself."""
    at = fields["query"]
    found = attend(six_words().x, masks(fields)[0]).weights[at - 1]
    flipped = weights_of(fields, "inverted")[at - 1]
    past, future = (found[:at] > 0).all(), (found[at:] > 0).all()
    return Truth(only(past=bool(past and not future), future=bool(future and not past), all=bool(past and future)), N_(
        "“{word}” gives **{past}** of its attention to itself and the words before it, and **{future}** to those after "
        "it. Read the other way round, the same mask would send {flipped} to words that it must not see."
    ), {
        "word": Figure(six_words().tokens[at - 1], said), "past": Figure(found[:at].sum(), percent),
        "future": Figure(found[at:].sum(), percent), "flipped": Figure(flipped[at:].sum(), percent),
    })


def nothing(fields: dict[str, object]) -> Truth:
    """Work out the softmax of a row in which all is hidden, by hand, with −10⁹ and in the lab."""
    at = fields["query"] - 1
    by_hand, uniform, lab = (weights_of(fields, way)[at] for way in ("by_hand", "minus_1e9", "minus_inf"))
    n = len(by_hand)
    answer = only(nan=bool(np.isnan(by_hand).all()), even=np.allclose(by_hand, 1 / n), zero=bool((by_hand == 0).all()))
    return Truth(answer, N_(
        "By hand each weight is **{by_hand}**, since softmax of nothing but −∞ is 0 ÷ 0. With −10⁹ in place of −∞ each "
        "of the {n} keys, which must not be seen, gets {uniform}. Here, and in PyTorch since version 2.5, each gets "
        "{lab}."
    ), {
        "by_hand": Figure(by_hand[0]), "n": Figure(n, whole), "uniform": Figure(uniform[0], percent),
        "lab": Figure(lab[0], weight),
    })


def after(fields: dict[str, object]) -> Truth:
    """Sum a row whose hidden weights were set to 0 after softmax."""
    at = fields["query"] - 1
    wrong, right = weights_of(fields, fields["way"])[at], weights_of(fields, "minus_inf")[at]
    return Truth(float(wrong.sum()), N_(
        "It sums to **{sum}**. Softmax had given the hidden words {rest}, and taking it away gives it to nobody, so "
        "the output shrinks. With −∞ before softmax the row sums to {right}."
    ), {
        "sum": Figure(wrong.sum(), weight), "rest": Figure(1 - wrong.sum(), weight),
        "right": Figure(right.sum(), weight),
    })


def filled(fields: dict[str, object]) -> Truth:
    """Measure what hidden keys get when their scores are set to 0 before softmax."""
    at, (others, keys) = fields["query"] - 1, masks(fields)
    found = leak(weights_of(fields, fields["way"]), others & keys)
    score = attend(six_words().x).scaled[at, at]
    return Truth(float(found.hidden[at]), N_(
        "They get **{leak}**, because e⁰ = 1: a hidden word counts like one whose score is 0. The word's own scaled "
        "score is {score}, hardly more. Only e to the −∞ is 0."
    ), {"leak": Figure(found.hidden[at], weight), "score": Figure(score)})


def future(fields: dict[str, object]) -> Truth:
    """Add 1 to a word's vector, and count the outputs that move."""
    example, at = six_words(), fields["changed"] - 1
    changed = example.x.copy()
    changed[at] += 1
    before, now = (attend(x, masks(fields)[0]).output for x in (example.x, changed))
    moved = (before != now).any(axis=1)
    return Truth(float(moved.sum()), N_(
        "**{moved}** of {n} outputs change: its own, and those of the words after it. The {stayed} before it give it a "
        "weight of exactly 0, and their outputs are the same to the last bit."
    ), {"moved": Figure(moved.sum(), whole), "n": Figure(len(moved), whole), "stayed": Figure((~moved).sum(), whole)})


def padded_rows(fields: dict[str, object]) -> Truth:
    """Hide the rows of padding in place of its columns, and see what real words give to it."""
    keys = masks(fields)[1]
    wrong, right = (weights_of(fields, way) for way in (fields["way"], "minus_inf"))
    example = six_words()
    value = project(example.x, example.w_query, example.w_key, example.w_value).value
    leaked, rightly = (weights[keys][:, ~keys].sum(axis=1).max() for weights in (wrong, right))
    off = np.abs((wrong - right)[keys] @ value).max()
    return Truth("leak" if leaked > SAME else "safe", N_(
        "A real word gives up to **{leak}** of its attention to the padding, and its output is off by up to {off}. "
        "With the columns hidden it gives {right}."
    ), {"leak": Figure(leaked, percent), "off": Figure(off), "right": Figure(rightly, percent)})


PREDICTIONS = (
    Prediction(
        "keep", "masking", SETTING | {"query": 3, "way": "inverted"}, N_("what True means"),
        N_("A boolean mask goes into PyTorch's scaled_dot_product_attention. It is True on the diagonal and to its "
           "left, False to its right. Whom does the third word, “sat”, look at?"),
        keeping, options=(
            ("future", N_("Only at the words after it"),
             N_("In the masks of MultiheadAttention True hides. In this function True keeps.")),
            ("past", N_("At itself and the words before it"),
             N_("True means “may look” here.")),
            ("all", N_("At all words: True and False are only added to the scores, as 1 and 0"),
             N_("A mask of numbers is added. A boolean one is not: where it is False, the score becomes −∞.")),
        ),
    ),
    Prediction(
        "zeros", "masking", SETTING | {"way": "after"}, N_("0 after softmax"),
        N_("Somebody forgets the causal mask before softmax, and then sets the weights of later words to 0. To what "
           "does the row of the first of the six words sum?"),
        after, kind="bar", near=0.05,
    ),
    Prediction(
        "fill", "masking", SETTING | {"way": "zero"}, N_("0 before softmax"),
        N_("Before softmax, the scores that a causal mask hides are set to 0 instead of −∞. How much of its attention "
           "does the first word give to the five words that it must not see?"),
        filled, kind="bar", near=0.05,
    ),
    Prediction(
        "nothing", "masking", SETTING | {"mask": "both", "side": "start", "way": "by_hand"}, N_("nothing to see"),
        N_("With a causal mask, and padding in the first two places, the first query may look at nothing at all: its "
           "scores are all −∞. Which weights does softmax give it, worked out by its formula?"),
        nothing, options=(
            ("zero", N_("0 for every key"),
             N_("So this lab and PyTorch answer, but by a rule of their own. The formula divides by the sum, which is "
                "0.")),
            ("even", N_("Equal weights for all keys"),
             N_("That is what −10⁹ in place of −∞ leads to: all scores are alike, and nobody notices the mistake.")),
            ("nan", N_("NaN: not a number"),
             N_("Every e to the −∞ is 0, their sum is 0, and 0 ÷ 0 is no number.")),
        ),
    ),
    Prediction(
        "padrows", "masking", SETTING | {"mask": "padding", "way": "padded_rows"}, N_("rows or columns of padding"),
        N_("The last two of six places are padding. Somebody hides their rows in the table of scores instead of their "
           "columns. What do the four real words do?"),
        padded_rows, options=(
            ("safe", N_("They no longer look at the padding"),
             N_("For that, the columns have to be hidden: they are the padding's keys.")),
            ("leak", N_("They look at the padding as before"),
             N_("A row belongs to a query. Hiding the padding's rows silences its own questions, whose answers nobody "
                "reads.")),
            ("error", N_("Nothing: the shapes do not fit, so an error is reported"),
             N_("The table is square, so its rows and columns cannot be told apart by their number. Nothing warns.")),
        ),
    ),
    Prediction(
        "future", "masking", SETTING | {"query": 4, "beside": "future", "changed": 4}, N_("a change in the future"),
        N_("A causal mask on six words, and 1 is added to each number of the fourth word, “on”. How many of the six "
           "outputs change?"),
        future, kind="number", bounds=(0.0, 6.0),
    ),
)
