"""One query's pass over its keys as a program: every tile's step, the dense output, and a pass that never rescales."""

import numpy as np

from attention_core import scaled_dot_product_attention
from attention_core.online_softmax import drawn_query, online_softmax, without_rescaling
from pages.ui import share
from pages.ui.language import Language
from pages.ui.lessons.tiles import D_K, D_V, Pass, say, say_outcome
from pages.ui.take import phrases
from pages.ui.take.program import Program

BODY = """drawn = drawn_query(seed, n, d_k, d_v, order)
query, key, value = drawn.query, drawn.key, drawn.value
steps = list(online_softmax(query, key, value, attn_mask, tile=tile))
row, last = steps[at], steps[-1]
scores = np.concatenate([step.scores for step in steps])
largest, factors, sums, kept = (
    [step.largest for step in steps], [step.factor for step in steps], [step.total for step in steps],
    np.stack([step.weighted for step in steps]),
)
now, exponentials, online = row.scores, row.exponentials, last.output
careless = without_rescaling(steps)
dense = scaled_dot_product_attention(query[None], key, value, attn_mask).output[0]"""
TORCH = """drawn = drawn_query(seed, n, d_k, d_v, order)  # NumPy's generator: PyTorch's would draw other numbers
query, key, value = (torch.tensor(each.copy()) for each in (drawn.query, drawn.key, drawn.value))
scores = key @ query * d_k**-0.5
if attn_mask is not None:
    scores = scores.masked_fill(~attn_mask, -torch.inf)
largest, factors, sums, kept = [], [], [], []
m, total, weighted = torch.tensor(-torch.inf), torch.tensor(0.0), torch.zeros(d_v)
careless_total, careless_weighted = 0.0, torch.zeros(d_v)
for start, tile_scores in zip(range(0, n, tile), scores.split(tile)):
    new = torch.maximum(m, tile_scores.max())
    seen = bool(new > -torch.inf)  # while nothing is allowed there is nothing to rescale
    factor = (m - new).exp() if seen else torch.tensor(1.0)
    powers = (tile_scores - new).exp() if seen else torch.zeros_like(tile_scores)
    total, weighted, m = total * factor + powers.sum(), weighted * factor + powers @ value[start : start + tile], new
    careless_total, careless_weighted = careless_total + powers.sum(), careless_weighted + (
        powers @ value[start : start + tile])
    for each, number in zip((largest, factors, sums), (m, factor, total)):
        each.append(float(number))
    kept.append(weighted)
    if start == at * tile:
        now, exponentials = tile_scores, powers
kept = torch.stack(kept)
online = weighted / total if total else torch.zeros(d_v)
careless = careless_weighted / careless_total if careless_total else torch.zeros(d_v)
dense = scaled_dot_product_attention(
    query[None, None], key[None], value[None], attn_mask=None if attn_mask is None else attn_mask[None, None]
)[0, 0]"""


def program(_: Language, run: Pass) -> Program:
    """Return the program of the pass that is set."""
    n, tile = len(run.given.key), run.steps[0].stop
    masks = {"none": None, "causal": np.arange(n) < min(share.value("tiles_query"), n), "start": np.arange(n) >= tile}
    return Program(
        phrases.question(_, "tiles"),
        (say(_, run), say_outcome(_, run, run.steps[-1].output, without_rescaling(run.steps))),
        {"seed": share.value("tiles_seed"), "n": n, "d_k": D_K, "d_v": D_V, "tile": tile, "at": run.at,
         "order": share.value("tiles_order"), "attn_mask": masks[share.value("tiles_mask")]},
        (drawn_query, online_softmax, without_rescaling, scaled_dot_product_attention), BODY, TORCH,
        (
            *phrases.stages(_, "scores"), ("m", "[float(each) for each in largest]"),
            (_("factor"), "[float(each) for each in factors]"), (_("sum ℓ"), "[float(each) for each in sums]"),
            (_("accumulator, a row a tile"), "kept"),
            (_("tile at hand, and its largest score"), "[at + 1, float(now.max())]"),
            (_("its exponentials"), "exponentials"),
            (_("output, tile by tile"), "online"), (_("output, dense"), "dense"),
            (_("output, never rescaled"), "careless"),
            (_("largest differences"), "[float(abs(online - dense).max()), float(abs(careless - dense).max())]"),
        ),
        r"m' = \max(m, \max_j s_j), \quad \ell' = e^{m - m'} \ell + \sum_j e^{s_j - m'}",
        (drawn_query,),
    )
