"""What is predicted before scaling: on the spread of scores, the size of the divisor, and luck."""

from functools import partial

import numpy as np

from attention_core.draws import nested_draw
from attention_core.saturation import Saturation, saturation, seed_band
from attention_core.variance import variance_by_width
from pages.ui.classroom.prediction import Figure, Prediction, Truth, only
from pages.ui.language import N_, Language

SETTING = {
    "d_k": 64, "seed": 0, "keys": 8, "divisor": "sqrt_d_k", "value": 8.0, "mean": 0.0, "std": 1.0, "closer": "numbers",
    "shift": 0,
}
NARROW = 64  # the width that a wider one is held against
PAIRS, WIDEST, SEEDS = 2000, 512, 400  # as the page draws them
THRESHOLD = 0.9
two, whole = (partial(Language.number, places=places) for places in (2, 0))
percent, weight = partial(Language.percent, places=1), Language.weight


def experiment(fields: dict[str, object], divisor: str) -> tuple[Saturation, int]:
    """Return the draw with a divisor, and the row of its width."""
    draw = nested_draw(fields["seed"], fields["keys"], mean=fields["mean"], std=fields["std"])
    return saturation(draw, divisor), fields["d_k"] - 1


def undivided(fields: dict[str, object]) -> Truth:
    """Measure the largest weight without any division."""
    found, at = experiment(fields, "sqrt_d_k")
    return Truth(float(found.largest_raw[at]), N_(
        "The largest weight is **{largest}**: softmax is saturated. The scores spread by {spread}. Divided by √{d_k} "
        "they would spread by {scaled_spread}, and the largest weight would be {scaled}; equal shares would be {even}."
    ), {
        "largest": Figure(found.largest_raw[at], weight), "spread": Figure(found.spread_raw[at], two),
        "d_k": Figure(fields["d_k"], whole), "scaled_spread": Figure(found.spread_scaled[at], two),
        "scaled": Figure(found.largest_scaled[at], weight), "even": Figure(1 / fields["keys"]),
    })


def wider(fields: dict[str, object]) -> Truth:
    """Measure how the spread of many scores grows from one width to another."""
    variance = variance_by_width(fields["seed"], WIDEST, PAIRS, fields["mean"], fields["std"])
    before, after = np.sqrt(variance[[NARROW - 1, fields["d_k"] - 1]])
    ratio, times = after / before, fields["d_k"] / NARROW
    ways = {"same": 1.0, "root": np.sqrt(times), "times": times}
    nearest = min(ways, key=lambda way: abs(np.log(ratio / ways[way])))
    return Truth(nearest, N_(
        "Over {pairs} pairs the standard deviation is {before} at dₖ = {narrow} and {after} at dₖ = {wide}: "
        "**{ratio}** times as large. A score adds dₖ products, whose variances add up; the root of {times} is {root}."
    ), {
        "pairs": Figure(PAIRS, whole), "before": Figure(before, two), "after": Figure(after, two),
        "narrow": Figure(NARROW, whole), "wide": Figure(fields["d_k"], whole), "ratio": Figure(ratio, two),
        "times": Figure(times, whole), "root": Figure(np.sqrt(times), Language.short),
    })


def by_the_width(fields: dict[str, object]) -> Truth:
    """Compare the weights of the two divisors, dₖ and its root."""
    (found, at), (root, _) = experiment(fields, fields["divisor"]), experiment(fields, "sqrt_d_k")
    largest, before, even = found.largest_scaled[at], root.largest_scaled[at], 1 / fields["keys"]
    moved = abs(largest - before) > 0.02
    answer = only(even=moved and largest < 1.5 * even, same=not moved, one=largest > THRESHOLD)
    return Truth(answer, N_(
        "The divided scores spread by only {spread}. The largest weight falls from {before} to **{largest}**, where "
        "equal shares would be {even}; the entropy is {entropy}, of at most {top}."
    ), {
        "spread": Figure(found.spread_scaled[at], two), "before": Figure(before, weight),
        "largest": Figure(largest, weight), "even": Figure(even), "entropy": Figure(found.entropy_scaled[at], two),
        "top": Figure(np.log(fields["keys"]), two),
    })


def cosine(fields: dict[str, object]) -> Truth:
    """Measure the largest weight when scores are cosines."""
    found, at = experiment(fields, fields["divisor"])
    return Truth(float(found.largest_scaled[at]), N_(
        "The largest weight is **{largest}**; equal shares would be {even}. The cosines lie between {low} and {high}, "
        "and softmax of numbers so near each other hardly prefers any of these keys."
    ), {
        "largest": Figure(found.largest_scaled[at], weight), "even": Figure(1 / fields["keys"]),
        "low": Figure(found.scaled[at].min(), two), "high": Figure(found.scaled[at].max(), two),
    })


def lucky(fields: dict[str, object]) -> Truth:
    """Count the seeds of which one key gets nearly everything."""
    band = seed_band(SEEDS, fields["keys"], fields["d_k"], fields["mean"], fields["std"], threshold=THRESHOLD)
    found, at = experiment(fields, "sqrt_d_k")
    return Truth(float(100 * band.share_raw[-1]), N_(
        "It is so in **{share}** of {seeds} draws. In the others two large scores lie near each other and share the "
        "weight: in the draw with seed {seed} the largest weight is {largest}. One draw proves little; that is why the "
        "lab shows {seeds} of them."
    ), {
        "share": Figure(band.share_raw[-1], partial(Language.percent, places=2)), "seeds": Figure(SEEDS, whole),
        "seed": Figure(fields["seed"], whole), "largest": Figure(found.largest_raw[at], weight),
    })


PREDICTIONS = (
    Prediction(
        "raw", "scaling", SETTING, N_("the largest weight, not divided"),
        N_("A query and 8 keys, each of 64 random numbers with mean 0 and standard deviation 1 (seed 0). The scores "
           "are not divided by anything. How large is the largest of the 8 weights?"),
        undivided, kind="bar", near=0.1,
    ),
    Prediction(
        "spread", "scaling", SETTING | {"d_k": 256, "closer": "variance"}, N_("the spread of the scores"),
        N_("Queries and keys get 256 random numbers each instead of 64, still with mean 0 and standard deviation 1. "
           "What happens to the spread of the raw scores, their standard deviation over many pairs?"),
        wider, options=(
            ("same", N_("It stays the same"),
             N_("Positive and negative products do cancel in the mean, which stays at 0. Their variances add up all "
                "the same: every further product is one more chance to stray.")),
            ("root", N_("It doubles"),
             N_("The variance grows with the number of products, and the standard deviation is its root. So √dₖ undoes "
                "it, and dₖ would go too far.")),
            ("times", N_("It becomes four times as large"),
             N_("The variance does, because four times as many products are added. The standard deviation is the root "
                "of the variance.")),
        ),
    ),
    Prediction(
        "width", "scaling", SETTING | {"divisor": "d_k"}, N_("divide by dₖ"),
        N_("A query and 8 keys of 64 random numbers each (seed 0). Divide the scores by 64, the width itself, instead "
           "of its root, 8. What becomes of the 8 weights?"),
        by_the_width, options=(
            ("one", N_("One key gets nearly everything"),
             N_("That is what comes without any division. A larger divisor makes weights more even.")),
            ("same", N_("They stay as they are: softmax divides by the sum anyway"),
             N_("What softmax ignores is a number added to all scores. A divisor changes their differences, and "
                "differences are what softmax sees.")),
            ("even", N_("They become nearly equal"),
             N_("Divided by dₖ the scores hardly differ any more, and softmax hardly prefers any key.")),
        ),
    ),
    Prediction(
        "cosine", "scaling", SETTING | {"divisor": "cosine"}, N_("cosine similarity"),
        N_("The same query and 8 keys, dₖ = 64, seed 0. Now each score is divided by the lengths of its query and its "
           "key: it is the cosine of their angle, between −1 and 1. How large is the largest of the 8 weights?"),
        cosine, kind="bar", near=0.05,
    ),
    Prediction(
        "lucky", "scaling", SETTING | {"seed": 137}, N_("how often one key wins"),
        N_("Draw a query and 8 keys of 64 numbers again and again, 400 times, and never divide. In how many percent of "
           "the draws does one key get more than 0.9 of the attention?"),
        lucky, kind="number", bounds=(0.0, 100.0), near=10.0,
    ),
)
