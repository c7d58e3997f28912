"""What is predicted before the pipeline: which axis sums to 1, where words meet, and what order means."""

from functools import partial

import numpy as np

from attention_core import Attention, causal_mask, project, scaled_dot_product_attention
from attention_core.examples import six_words
from pages.ui.classroom.prediction import Figure, Prediction, Truth, only
from pages.ui.language import N_, Language, power

SENTENCE = {"words": "", "word_seed": 0, "x6": None, "w6_q": None, "w6_k": None, "w6_v": None}  # the six words
SETTING = SENTENCE | {"step": "attend", "word": 2, "causal": "no", "order": "given", "cell": ""}
SAME = 1e-9  # results this near are the same but for rounding
two, whole = (partial(Language.number, places=places) for places in (2, 0))
weight = Language.weight


def attend(x: np.ndarray, attn_mask: np.ndarray | None = None) -> Attention:
    """Work the six words out from their vectors, or from others in their place."""
    example = six_words()
    roles = project(x, example.w_query, example.w_key, example.w_value)
    return scaled_dot_product_attention(roles.query, roles.key, roles.value, attn_mask=attn_mask)


def gap(_: Language, value: float) -> str:
    """Write a difference; one of rounding only as a power of ten."""
    return power(_, value) if abs(value) < SAME else _.number(value)


def axis(fields: dict[str, object]) -> Truth:
    """Sum the weights by rows, by columns and together."""
    weights = attend(six_words().x).weights
    rows, columns, table = weights.sum(axis=1), weights.sum(axis=0), weights.sum()
    sums = {"rows": rows, "columns": columns, "table": table}
    return Truth(only(**{name: np.allclose(found, 1, rtol=0, atol=SAME) for name, found in sums.items()}), N_(
        "Each of the {n} rows sums to **{row}**. The columns sum to anything from {low} to {high}, and all numbers "
        "together to {table}, the number of queries."
    ), {
        "n": Figure(len(weights), whole), "row": Figure(rows.mean(), two), "low": Figure(columns.min(), two),
        "high": Figure(columns.max(), two), "table": Figure(table, two),
    })


def meeting(fields: dict[str, object]) -> Truth:
    """Change the last word, and find the first step at which the row of another one changes."""
    example, row = six_words(), fields["word"] - 1
    changed = example.x.copy()
    changed[-1] += 1
    steps = []
    for x in (example.x, changed):
        roles = project(x, example.w_query, example.w_key, example.w_value)
        found = attend(x)
        projected = np.concatenate([roles.query[row], roles.key[row], roles.value[row]])
        steps.append({"project": projected, "scores": found.scores[row], "weights": found.weights[row],
                      "output": found.output[row]})
    moved = {name: np.abs(steps[1][name] - steps[0][name]).max() for name in steps[0]}
    return Truth(next(name for name, by in moved.items() if by > SAME), N_(
        "1 was added to each number of “{changed}”. In the row of “{word}”, Q, K and V move by **{project}**, the "
        "scores by up to **{scores}**, the weights by up to {weights} and the output by up to {output}."
    ), {name: Figure(by, gap) for name, by in moved.items()} | {
        "changed": Figure(example.tokens[-1], said), "word": Figure(example.tokens[row], said),
    })


def said(_: Language, word: str) -> str:
    """Write a word of the example, which is the same in every language."""
    return word


def most(fields: dict[str, object]) -> Truth:
    """Measure the largest weight of a word."""
    found, row = attend(six_words().x), fields["word"] - 1
    weights, scaled = found.weights[row], found.scaled[row]
    return Truth(float(weights.max()), N_(
        "“{key}” gets the most, **{most}**, and no word gets less than {least}. The scaled scores of “{word}” lie "
        "between {low} and {high}; softmax turns numbers so near each other into a broad average, not into a choice."
    ), {
        "key": Figure(six_words().tokens[int(weights.argmax())], said), "word": Figure(six_words().tokens[row], said),
        "most": Figure(weights.max(), weight), "least": Figure(weights.min(), weight),
        "low": Figure(scaled.min(), two), "high": Figure(scaled.max(), two),
    })


def first(fields: dict[str, object]) -> Truth:
    """Measure what a word gives itself under a causal mask."""
    x, row = six_words().x, fields["word"] - 1
    with_mask, without = attend(x, causal_mask(len(x))).weights, attend(x).weights
    return Truth(float(with_mask[row, row]), N_(
        "It gives itself **{share}**. Without the mask it was {before}; but a row sums to 1 with a mask too, and now "
        "there is nobody else to share with."
    ), {"share": Figure(with_mask[row, row], weight), "before": Figure(without[row, row], weight)})


def reordered(fields: dict[str, object]) -> Truth:
    """Reverse the words, and hold the outputs against those of before, by word and by place."""
    x = six_words().x
    forth, back = attend(x).output, attend(x[::-1]).output
    by_word, by_place = np.abs(back[::-1] - forth).max(), np.abs(back - forth).max()
    answer = only(word=by_word < SAME, place=by_place < SAME, new=min(by_word, by_place) >= SAME)
    return Truth(answer, N_(
        "Word by word, the outputs before and after differ by **{by_word}** at most, which is rounding; place by place "
        "by up to {by_place}. Attention does not know where a word stands: order has to be added to X, as positions."
    ), {"by_word": Figure(by_word, gap), "by_place": Figure(by_place, gap)})


def twins(fields: dict[str, object]) -> Truth:
    """Compare the outputs of two tokens with the same vector."""
    example = six_words()
    output = attend(example.x).output
    places = [at for at, token in enumerate(example.tokens) if token.casefold() == "the"]
    apart = np.abs(output[places[1]] - output[places[0]]).max()
    return Truth(float(apart), N_(
        "They differ by **{apart}**. Both ask the same query of the same keys, and nothing in attention knows that one "
        "stands in place {one} and the other in place {other}: order has to be added to X, as positions."
    ), {"apart": Figure(apart, gap), "one": Figure(places[0] + 1, whole), "other": Figure(places[1] + 1, whole)})


PREDICTIONS = (
    Prediction(
        "others", "pipeline", SETTING | {"step": "scores", "word": 2}, N_("where words meet"),
        N_("Change the vector of the last word, “mat”, and look only at the row of “cat”. At which step do numbers in "
           "that row change for the first time?"),
        meeting, options=(
            ("project", N_("Projection to Q, K and V"),
             N_("Every row of X is multiplied by the same matrices, each by itself: no word sees another yet.")),
            ("scores", N_("Scores"),
             N_("A score is the query of one word times the key of another. Here words meet for the first time.")),
            ("weights", N_("Softmax"),
             N_("Softmax divides by the sum of the row, so it does mix; but the scores that it is given have changed "
                "already.")),
            ("output", N_("Output"),
             N_("Here the values of all words are mixed. But how much of each goes in, the scores have settled "
                "before.")),
        ),
    ),
    Prediction(
        "axis", "pipeline", SETTING | {"step": "weights"}, N_("what sums to 1"),
        N_("Softmax turns the scores of six words into a table of weights: a row for each query, a column for each "
           "key. Which of its numbers sum to 1?"),
        axis, options=(
            ("rows", N_("Those in each row"),
             N_("Each query shares out one whole attention among all keys.")),
            ("columns", N_("Those in each column"),
             N_("Then every key would get the same total, however well it answers, and queries would compete for it.")),
            ("table", N_("All numbers of the table together"),
             N_("Then queries would compete with each other, and a word might get hardly any output. Softmax treats "
                "each query by itself.")),
        ),
    ),
    Prediction(
        "most", "pipeline", SETTING | {"step": "weights", "word": 3}, N_("the most of one word"),
        N_("The query of “sat” meets the keys of all six words. How much of its attention does the word get that gets "
           "the most?"),
        most, kind="bar", near=0.05,
    ),
    Prediction(
        "first", "pipeline", SETTING | {"step": "mask", "word": 1, "causal": "yes"}, N_("the first word, masked"),
        N_("With a causal mask each of the six words may look at itself and at earlier words only. How much of its "
           "attention does the first word give to itself?"),
        first, kind="bar", near=0.01,
    ),
    Prediction(
        "reorder", "pipeline", SETTING | {"step": "output", "order": "reversed"}, N_("the words reversed"),
        N_("The same words in reversed order, without a mask: “mat the on sat cat The”. What happens to the six "
           "outputs?"),
        reordered, options=(
            ("word", N_("Each word keeps its output, and takes it to its new place"),
             N_("A sum over the keys does not care about their order.")),
            ("new", N_("They become other outputs, since every word has new neighbours"),
             N_("Without positions there are no neighbours: every word looks at every word, near or far, and finds "
                "the same ones.")),
            ("place", N_("Each place keeps its output, whatever word stands there"),
             N_("A row of the output belongs to its query, and the query moves with its word.")),
        ),
    ),
    Prediction(
        "twins", "pipeline", SETTING | {"step": "output", "word": 5}, N_("twice “the”"),
        N_("“The” and “the” have the same vector in X; one is the first word, the other the fifth. There is no mask. "
           "How far apart are their outputs, in the number that differs most?"),
        twins, kind="number", bounds=(0.0, 1.0), near=0.0005,
    ),
)
