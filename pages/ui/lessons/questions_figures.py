"""The numbers that the answers quote, each computed as the page it leads to computes it."""

from functools import cache, partial

import numpy as np

from attention_core import causal_mask, padding_mask, scaled_dot_product_attention
from attention_core.counterfactual import other_weights
from attention_core.draws import nested_draw
from attention_core.embedding import word_vectors
from attention_core.examples import ikan_makan, six_words
from attention_core.explained import six_words_explained
from attention_core.factored import asymmetry
from attention_core.heads import drawn_weights, evenness, head_draw
from attention_core.mistakes import attend_with
from attention_core.not_text import patches, picture, standardised
from attention_core.saturation import saturation
from attention_core.scale_orders import apart
from attention_core.wrong_masks import leak, masked_weights
from pages.ui.bench.experiment import drawn
from pages.ui.classroom.prediction import Figure
from pages.ui.language import Language
from pages.ui.lessons import additive_cost, heads_cross, heads_scale, qkv_example
from pages.ui.lessons.heads_tables import shape
from pages.ui.lessons.masking_ways import figure, share_of
from pages.ui.lessons.qkv_scores import bert_head
from pages.ui.lessons.verification_dtypes import measured
from pages.ui.lessons.verification_table import size_of
from pages.ui.tables import sums
from pages.ui.tables.worked import Worked, work

two, three, whole = (partial(Language.number, places=places) for places in (2, 3, 0))
tenths, pairs = partial(Language.percent, places=1), partial(Language.list, places=2)
Figures = dict[str, Figure]


def size(_: Language, array: np.ndarray) -> str:
    """Write an array's shape, which every language does alike."""
    return shape(array)


# scores and scaling


@cache
def divided(divisor: str) -> Figures:
    """Take the first draw of the lesson on scaling, divided by another divisor than √dₖ."""
    d_k, found = 64, saturation(nested_draw(0), divisor)
    at = d_k - 1
    return {
        "d_k": Figure(d_k, whole), "spread": Figure(found.spread_scaled[at], two),
        "largest": Figure(found.largest_scaled[at], Language.weight),
        "raw": Figure(found.largest_raw[at], Language.weight),
        "entropy": Figure(found.entropy_scaled[at], two), "top": Figure(np.log(found.scores.shape[1]), two),
    }


@cache
def head_scale() -> Figures:
    """Divide eight heads by the root of either width."""
    heads, width = 8, heads_scale.D_MODEL
    arrays = head_draw(0, heads_scale.TOKENS, width)
    right, wrong = (attend_with(way, *arrays, heads=heads) for way in (None, "scale_by_d_model"))
    return {
        "heads": Figure(heads, whole), "d_model": Figure(width, whole), "d_head": Figure(width // heads, whole),
        "spread": Figure(right.scaled.std(), two), "small": Figure(wrong.scaled.std(), two),
        "right": Figure(evenness(right.weights).largest, three),
        "largest": Figure(evenness(wrong.weights).largest, three),
    }


@cache
def narrow_values() -> Figures:
    """Take a column from W_V: makan asks, with dₖ = 3 and dᵥ = 2."""
    source = ikan_makan()
    found = work(source.tokens, source.features, source.x, source.w_query, source.w_key, source.w_value[:, :2])
    (n_q, d_k), d_v = found["Q"].shape, found["V"].shape[1]
    row, best = n_q - 1, int(found["scores"][n_q - 1].argmax())
    return {
        "d_k": Figure(d_k, whole), "d_v": Figure(d_v, whole), "root": Figure(1 / found.scale),
        "scaled": Figure(found["scaled"][row, best]), "share": Figure(found["weights"][row, best], tenths),
    }


def narrow_fields() -> dict[str, object]:
    """Return the fields for it."""
    return qkv_example.PLAIN | {"token": "makan", "w_v": tuple(map(tuple, ikan_makan().w_value[:, :2].tolist()))}


# query, key, value


@cache
def whole_path() -> Figures:
    """Follow “cat” to its output."""
    found, row = six_words_worked(), 1
    return {
        "share": Figure(found["weights"][row].max(), tenths), "output": Figure(found["output"][row], pairs),
        "n": Figure(len(found["weights"]), whole),
    }


@cache
def only_values() -> Figures:
    """Raise one number of W_V, and see what moves."""
    source = ikan_makan()
    more = source.w_value.copy()
    more[0, 0] += 1
    before, after = (
        work(source.tokens, source.features, source.x, source.w_query, source.w_key, w_value)
        for w_value in (source.w_value, more)
    )
    moved = {name: np.abs(after[name] - before[name]).max() for name in ("weights", "output")}
    return {name: Figure(value, sums.exact) for name, value in moved.items()}


@cache
def two_matrices() -> Figures:
    """Count the numbers of one head of BERT base."""
    head = bert_head()
    return {"factored": Figure(head.parameters_factored, whole), "full": Figure(head.parameters_full, whole),
            "rank": Figure(head.rank, whole)}


@cache
def tied() -> Figures:
    """Use W_Q for the keys as well."""
    source = ikan_makan()
    one, two_of_them = (
        work(source.tokens, source.features, source.x, source.w_query, w_key, source.w_value)
        for w_key in (source.w_query, source.w_key)
    )
    found = {"scores": one["scores"], "weights": one["weights"], "untied": two_of_them["scores"]}
    return {name: Figure(asymmetry(matrix), sums.exact) for name, matrix in found.items()}


# masks


def six_words_worked() -> Worked:
    """Work out the six words."""
    words = six_words()
    return work(words.tokens, words.features, words.x, words.w_query, words.w_key, words.w_value)


@cache
def wrongly(way: str, causal: bool = False, pads: int = 0, side: str = "end") -> Figures:
    """Mask the six words in a wrong way, and hold it against the right one."""
    worked = six_words_worked()
    n = len(worked["weights"])
    padding = padding_mask(n - pads, n)[0, :: -1 if side == "start" else 1]  # (n,)
    others = causal_mask(n) if causal else np.ones((n, n), bool)
    right, wrong, renormalised = (
        masked_weights(worked["scaled"], others, each, padding=padding)
        for each in ("minus_inf", way, "after_renormalised")
    )
    found = leak(wrong, others & padding)
    off, apart_again = (np.abs(weights @ worked["V"] - right @ worked["V"]).max() for weights in (wrong, renormalised))
    return {
        "leak": Figure(found.worst, share_of), "low": Figure(found.row_sums.min(), figure),
        "high": Figure(found.row_sums.max(), figure), "off": Figure(off, figure),
        "renormalised": Figure(apart_again, figure), "pads": Figure(pads, whole), "n": Figure(n, whole),
        "each": Figure(wrong[0, 0], tenths),
    }


# PyTorch and precision


@cache
def orders() -> Figures:
    """Divide the scores, the query, or half on either side."""
    d_k, draw = 80, nested_draw(0)
    gaps = apart(draw.query[None, :d_k], draw.keys[:, :d_k])
    return {"d_k": Figure(d_k, whole), "query": Figure(gaps[1], figure), "both": Figure(gaps[2], figure)}


@cache
def two_right_answers() -> Figures:
    """Compute a drawn experiment twice, with NumPy and in plain Python with exactly rounded sums."""
    found = measured(drawn(0, n=3, m=4, d_k=5, d_v=3, heads=2, batch=1), None)
    return {name: Figure(found[name].difference, size_of) for name in ("float64", "float32")}


# beyond


@cache
def crossed() -> Figures:
    """Let one sentence ask another."""
    width, asking, answering = heads_cross.WIDTH, *map(str.split, heads_cross.EXAMPLE.values())
    drawn_ones = drawn_weights(0, width)
    x, other = (word_vectors(tokens, width, 0) for tokens in (asking, answering))
    query, key = x @ drawn_ones.w_query, other @ drawn_ones.w_key
    weights = scaled_dot_product_attention(query, key, other @ drawn_ones.w_value).weights
    return {"n": Figure(len(asking), whole), "m": Figure(len(answering), whole), "q": Figure(query, size),
            "kv": Figure(key, size), "weights": Figure(weights, size)}


@cache
def costs() -> Figures:
    """Count both scores for 8 queries and 8 keys."""
    n, d, d_a = 8, 256, 64
    dot, additive = additive_cost.costs(n, d, d_a)
    count = additive_cost.whole
    return {
        "n": Figure(n, whole), "d": Figure(d, whole), "d_a": Figure(d_a, whole),
        "dot": Figure(dot.multiplications, count), "tanh": Figure(additive.tanh, count),
        "additive": Figure(additive.multiplications, count), "held": Figure(additive.numbers, count),
        "dot_held": Figure(dot.numbers, count),
    }


@cache
def another_row() -> Figures:
    """Search other weights with the same output for “sat”."""
    rows, query = six_words_explained(0), 2
    weights, value = rows.weights[query], rows.value[:, :3]
    found = other_weights(weights, value, 0.0, 0, "total_variation")
    best = int(weights.argmax())
    return {"weight": Figure(weights[best], Language.weight), "instead": Figure(found.weights[best], Language.weight),
            "change": Figure(found.output_change, figure), "distance": Figure(found.distance)}


@cache
def patch() -> Figures:
    """Let a patch of the letter attend."""
    at, cut = 5, patches(picture("letter"), 2)
    x = standardised(cut)
    weights = scaled_dot_product_attention(x, x, x).weights[at]
    return {"count": Figure(len(cut), whole), "width": Figure(x.shape[1], whole), "patch": Figure(at + 1, whole),
            "most": Figure(weights.max(), tenths), "twins": Figure(int((cut == cut[at]).all(axis=1).sum()), whole)}
