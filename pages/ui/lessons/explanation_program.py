"""The row to be explained as a program: the search for another row with the same output, and how far away it is."""

from attention_core.counterfactual import other_weights
from attention_core.explained import drawn_explained, six_words_explained
from pages.ui.language import Language
from pages.ui.lessons.explanation import Case, say
from pages.ui.take import phrases
from pages.ui.take.program import Program

ROWS = {"six_words": "six_words_explained(seed)", "drawn": "drawn_explained(seed, n_keys)"}
BODY = """explained = {rows}
weights, value = explained.weights[query], explained.value[:, :d_v]
found = other_weights(weights, value, tolerance, seed, distance)
other, before, after, rank, apart = found.weights, weights @ value, found.output, found.rank, found.distance"""
TORCH = """explained = {rows}
found = other_weights(explained.weights[query], explained.value[:, :d_v], tolerance, seed, distance)
weights, value = torch.tensor(explained.weights[query]), torch.tensor(explained.value[:, :d_v])
other = torch.tensor(found.weights)  # the search is the lab's own; PyTorch checks what it found
before, after = weights @ value, other @ value
rank = int(torch.linalg.matrix_rank(torch.column_stack([value, torch.ones(len(value))])))
mean = (weights + other) / 2
if distance == "total_variation":
    apart = float((weights - other).abs().sum() / 2)
else:
    entropy = lambda row: float(torch.special.entr(row).sum()) / torch.tensor(2.0).log().item()
    apart = max(entropy(mean) - (entropy(weights) + entropy(other)) / 2, 0) ** 0.5"""


def program(_: Language, case: Case) -> Program:
    """Return the program of the row and of the search that are set."""
    rows = ROWS[case.source]
    return Program(
        phrases.question(_, "explanation"), (say(_, case),),
        {"seed": case.seed, "n_keys": case.n_keys, "query": case.query, "d_v": case.d_v, "tolerance": case.tolerance,
         "distance": case.far},
        ({"six_words": six_words_explained, "drawn": drawn_explained}[case.source], other_weights),
        BODY.format(rows=rows), TORCH.format(rows=rows),
        (
            (_("the model's row"), "weights"), (_("the other row"), "other"),
            (_("output of the model's row"), "before"),
            (_("output of the other row"), "after"),
            (_("largest change of the output, and how much is allowed"),
             "[float(abs(after - before).max()), tolerance]"),
            (_("how far apart the rows are; 0 is the same row and 1 no key in common"), "[float(apart), 0, 1]"),
            (_("rank of [V 1], number of keys, directions that are free, seed"),
             "[rank, n_keys, n_keys - rank, seed]"),
        ),
        r"p V = q V, \quad \max_q d(p, q)",
        ({"six_words": six_words_explained, "drawn": drawn_explained}[case.source], other_weights),
    )
