"""What is predicted before query, key and value: what moves what, what is symmetric, what softmax does to ratios."""

from functools import partial

import numpy as np

from attention_core import Attention, project, scaled_dot_product_attention
from attention_core.examples import SentenceExample, ikan_makan
from attention_core.factored import asymmetry, lengthen
from pages.ui.classroom.prediction import Figure, Prediction, Truth, only
from pages.ui.language import N_, Language

SETTING = {
    "token": "makan", "tie": "none", "ask": "search", "longer": 5.0, "long_key": 2, "cell": "", "x": None, "w_q": None,
    "w_k": None, "w_v": None,
}
IKAN, MAKAN = 0, 1
SAME = 1e-12
whole = partial(Language.number, places=0)


def rows(matrix: np.ndarray) -> tuple[tuple[float, ...], ...]:
    """Return a matrix as a field holds it."""
    return tuple(map(tuple, matrix.tolist()))


def more() -> tuple[tuple[float, ...], ...]:
    """Return W_V with a 2 in place of its first number, a 1."""
    w_value = ikan_makan().w_value
    w_value[0, 0] += 1
    return rows(w_value)


def attend(fields: dict[str, object], key_factor: float | None = None) -> Attention:
    """Work ikan and makan out as the fields say, if asked with a longer key."""
    example = set_up(fields)
    roles = project(example.x, example.w_query, example.w_key, example.w_value)
    key = roles.key if key_factor is None else lengthen(roles.key, fields["long_key"] - 1, key_factor)
    return scaled_dot_product_attention(roles.query, key, roles.value)


def set_up(fields: dict[str, object]) -> SentenceExample:
    """Return the example with the matrices that the fields set in place of its own."""
    source = ikan_makan()
    matrices = {"x": source.x, "w_q": source.w_query, "w_k": source.w_key, "w_v": source.w_value}
    x, w_query, w_key, w_value = (
        own if fields[name] is None else np.array(fields[name]) for name, own in matrices.items()
    )
    w_key = w_query if fields["tie"] == "q_k" else w_key
    return SentenceExample(source.tokens, source.features, x, w_query, w_key, w_value)


def soft(fields: dict[str, object]) -> Truth:
    """Measure what the better of two keys gets."""
    found = attend(fields)
    high, low = found.scaled[MAKAN]
    share, scores = found.weights[MAKAN, IKAN], found.scores[MAKAN]
    return Truth(float(share), N_(
        "Softmax compares by differences, not by ratios: after the division {high} and {low} differ by {gap}, e to the "
        "{gap} is {ratio}, and so “ikan” gets **{share}**. In proportion to the scores it would be {proportion}; a "
        "search for the one best key would give it everything."
    ), {
        "high": Figure(high), "low": Figure(low), "gap": Figure(high - low), "ratio": Figure(np.exp(high - low)),
        "share": Figure(share), "proportion": Figure(scores[IKAN] / scores.sum()),
    })


def only_values(fields: dict[str, object]) -> Truth:
    """Compare scores, weights and output before and after W_V was changed."""
    before, after = attend(fields | {"w_v": None}), attend(fields)
    pairs = {name: (getattr(before, name), getattr(after, name)) for name in ("scores", "weights", "output")}
    moved = {name: np.abs(new - old).max() for name, (old, new) in pairs.items()}
    scores, weights, output = (by > SAME for by in moved.values())
    answer = only(output=output and not weights, weights=weights and not scores, all=scores)
    return Truth(answer, N_(
        "The scores move by **{scores}** and the weights by **{weights}**, exactly; the output moves by up to "
        "**{output}**."
    ), {name: Figure(by, exactly) for name, by in moved.items()})


def exactly(_: Language, value: float) -> str:
    """Write a difference, 0 only where it is exactly 0."""
    return "0" if value == 0 else _.number(value)


def shared(fields: dict[str, object]) -> Truth:
    """Measure how far scores and weights are from being symmetric, with one matrix for both."""
    one, two = attend(fields), attend(fields | {"tie": "none"})
    scores, weights = asymmetry(one.scores), asymmetry(one.weights)
    answer = only(
        both=max(scores, weights) < SAME, scores=scores < SAME <= weights, neither=min(scores, weights) >= SAME,
    )
    return Truth(answer, N_(
        "With one matrix the scores differ from their mirror image by **{scores}**, the weights by **{weights}**. With "
        "two matrices the scores differ by {untied}."
    ), {"scores": Figure(scores, exactly), "weights": Figure(weights), "untied": Figure(asymmetry(two.scores))})


def longer(fields: dict[str, object]) -> Truth:
    """Make one key longer, and see which queries give it more."""
    at = fields["long_key"] - 1
    before, after = attend(fields), attend(fields, fields["longer"])
    more = after.weights[:, at] - before.weights[:, at] > SAME
    return Truth(only(both=bool(more.all()), makan=bool(more[MAKAN] and not more[IKAN]), none=not more.any()), N_(
        "“makan” gives it {before} before and **{after}** after, as its score there was {score} and is {longer} now. "
        "“ikan” gives it {still} before and **{moved}** after: its score there is {zero}, at any length."
    ), {
        "before": Figure(before.weights[MAKAN, at]), "after": Figure(after.weights[MAKAN, at]),
        "score": Figure(before.scores[MAKAN, at], Language.short),
        "longer": Figure(after.scores[MAKAN, at], Language.short), "still": Figure(before.weights[IKAN, at]),
        "moved": Figure(after.weights[IKAN, at]), "zero": Figure(after.scores[IKAN, at], Language.short),
    })


def divided_by(fields: dict[str, object]) -> Truth:
    """Find the number whose root the scores are divided by."""
    found = attend(fields)
    d_k, best = round(found.scale**-2), found.scores[MAKAN].max()
    return Truth(float(d_k), N_(
        "By √**{d_k}** = {root}: the score {score} becomes {scaled}. The division makes up for the number of products "
        "that a score adds, which is dₖ. dᵥ = {d_v} is only how wide the output is."
    ), {
        "d_k": Figure(d_k, whole), "root": Figure(1 / found.scale), "score": Figure(best, Language.short),
        "scaled": Figure(found.scaled[MAKAN].max()), "d_v": Figure(found.output.shape[1], whole),
    })


PREDICTIONS = (
    Prediction(
        "soft", "qkv", SETTING, N_("how much “ikan” gets"),
        N_("The query of “makan” scores 2 with the key of “ikan” and a quarter of that with its own key. Both scores "
           "are divided by √3 and go into softmax. How much of its attention does “makan” give to “ikan”?"),
        soft, kind="bar", near=0.05,
    ),
    Prediction(
        "onlyv", "qkv", SETTING | {"ask": "change", "w_v": more()}, N_("change only V"),
        N_("In W_V the first number becomes 2 in place of 1, and nothing else is changed. What moves?"),
        only_values, options=(
            ("all", N_("Scores, weights and output"),
             N_("Scores are products of queries and keys, and W_V makes neither.")),
            ("weights", N_("The weights and the output"),
             N_("Weights come from queries and keys alone. V comes in after softmax.")),
            ("output", N_("Only the output"),
             N_("V decides what is handed over, not who is listened to.")),
        ),
    ),
    Prediction(
        "shared", "qkv", SETTING | {"ask": "factor", "tie": "q_k"}, N_("one matrix for Q and K"),
        N_("W_Q takes the place of W_K too: one matrix for queries and keys. Which tables are then symmetric, so that "
           "what “makan” has with “ikan”, “ikan” has with “makan”?"),
        shared, options=(
            ("both", N_("The scores and the weights"),
             N_("The scores are. But softmax divides each row by its own sum, and the rows have different sums.")),
            ("scores", N_("Only the scores"),
             N_("A product of two vectors is the same both ways; then softmax divides each row by its own sum.")),
            ("neither", N_("Neither of them"),
             N_("The score of a pair is now a product of two vectors made by one matrix: the same both ways.")),
        ),
    ),
    Prediction(
        "longer", "qkv", SETTING | {"ask": "length", "long_key": 1}, N_("a longer key"),
        N_("The key of “ikan” becomes 5 times as long and keeps its direction. Which words give it more of their "
           "attention than before?"),
        longer, options=(
            ("both", N_("“ikan” and “makan”"),
             N_("A longer key attracts the queries whose score with it is positive. Five times 0 is 0.")),
            ("makan", N_("Only “makan”"),
             N_("Its score with the key was positive, and grows with the length. The score of “ikan” is 0 and stays "
                "0.")),
            ("none", N_("Neither: only the direction counts"),
             N_("That would be cosine similarity. A dot product grows with the length of the key.")),
        ),
    ),
    Prediction(
        "divisor", "qkv", SETTING | {"w_v": rows(ikan_makan().w_value[:, :2])}, N_("key width or value width"),
        N_("W_V loses a column: X has 4 features, queries and keys keep 3 numbers each, values have 2. Attention "
           "divides the scores by the square root of which number?"),
        divided_by, kind="number", bounds=(1.0, 9.0),
    ),
)
