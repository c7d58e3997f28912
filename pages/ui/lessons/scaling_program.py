"""The saturation experiment as a program: it draws from the seed, divides, and looks closer where the page does."""

from collections.abc import Callable

import numpy as np

from attention_core import softmax_jacobian
from attention_core.draws import divisors, nested_draw
from attention_core.gradient_flow import jacobian_norm, jacobian_norm_band
from attention_core.saturation import Band, Saturation, saturation, seed_band
from attention_core.scale_orders import apart
from attention_core.stability import overflow_score, shifted_softmax
from attention_core.variance import dot_products, variance_by_width
from pages.ui import share
from pages.ui.language import Language
from pages.ui.live.words import words
from pages.ui.take import phrases
from pages.ui.take.program import Program

BY = {
    "none": "1.0", "sqrt_d_k": "d_k ** 0.5", "d_k": "d_k", "free": "value",
    "cosine": "(torch.linalg.vector_norm(query) * torch.linalg.vector_norm(keys, dim=1))",
}
BODY = """draw = nested_draw(seed, n_keys, mean=mean, std=std)
result, at = saturation(draw, divisor, value), d_k - 1
divide_by = divisors(draw, divisor, value)[at]
scores, scaled, raw, divided = (
    each[at] for each in (result.scores, result.scaled, result.weights_raw, result.weights_scaled)
)
spread = [float(result.spread_raw[at]), float(result.spread_scaled[at])]
entropies = [float(result.entropy_raw[at]), float(result.entropy_scaled[at])]
band = seed_band(n_seeds, n_keys, d_k, mean, std, divisor, value)
shares = [100 * float(share[-1]) for share in (band.share_raw, band.share_scaled)]
bands = np.stack([band.raw[:, -1], band.scaled[:, -1]])"""
TORCH = """def weigh(seed):
    draw = nested_draw(seed, n_keys, d_k, mean, std)  # NumPy's generator: PyTorch's would draw other numbers
    query, keys = torch.tensor(draw.query), torch.tensor(draw.keys)
    scores = keys @ query  # (n_keys,)
    divide_by = torch.as_tensor({by})
    scaled = scores / divide_by
    return query, keys, divide_by, scores, scaled, torch.softmax(scores, dim=-1), torch.softmax(scaled, dim=-1)


query, keys, divide_by, scores, scaled, raw, divided = weigh(seed)
spread = [float(each.std(correction=0)) for each in (scores, scaled)]
entropies = [float(torch.special.entr(each).sum()) for each in (raw, divided)]
largest = torch.stack([torch.stack(weigh(other)[-2:]).amax(-1) for other in range(n_seeds)])
shares = [100 * float(share) for share in (largest > 0.9).to(largest.dtype).mean(0)]
bands = largest.quantile(torch.tensor([0.05, 0.25, 0.5, 0.75, 0.95]), dim=0).T"""

More = tuple[dict[str, object], tuple[Callable, ...], str, tuple[Callable, ...], str, tuple[tuple[str, str], ...]]


def program(_: Language, experiment: Saturation, band: Band, seed: int, d_k: int, setting: tuple) -> Program:
    """Return the program of the seed and the d_k that are set.

    Parameters
    ----------
    _ : Language
        The page's language.
    experiment, band : Saturation, Band
        What the page draws.
    seed, d_k : int
        Which draw, and at which width.
    setting : tuple
        Number of keys, mean, standard deviation, divisor and the free divisor's value, as in pages.ui.cached.
    """
    n_keys, mean, std, divisor, value = setting
    inputs, uses, body, torch_uses, torch, shows = closer(_, share.value("closer"), mean, std)
    return Program(
        phrases.question(_, "scaling"), says(_, experiment, band, seed, d_k, setting),
        {"seed": seed, "d_k": d_k, "n_keys": n_keys, "mean": mean, "std": std, "divisor": divisor, "value": value,
         "n_seeds": 400} | inputs,
        (nested_draw, saturation, divisors, seed_band, *uses), f"{BODY}\n{body}",
        f"{TORCH.format(by=BY[divisor])}\n{torch}",
        (
            (_("Scores q·k, not divided"), "scores"), (_("divided"), "scaled"),
            (_("Weights, not divided"), "raw"), (_("divided"), "divided"),
            (_("divided by"), "divide_by"),
            (_("largest key, weight, and what the others share"),
             "[int(raw.argmax()) + 1, float(raw.max()), 1 - float(raw.max())]"),
            (_("largest and smallest weight, divided; equal weights"),
             "[float(divided.max()), float(divided.min()), 1 / n_keys]"),
            (_("standard deviation of the scores, and divided"), "spread"),
            (_("entropy, and divided"), "entropies"),
            (_("seeds above 0.9 in %, and divided"), "[n_seeds, d_k, 0.9, *shares]"),
            (_("largest weight of many seeds, and divided: bands of 90 % and 50 % around the median"), "bands"),
            *shows,
        ),
        r"\mathrm{softmax}\left(\frac{q \cdot k_j}{\sqrt{d_k}}\right)", (nested_draw, *torch_uses),
    )


def says(_: Language, experiment: Saturation, band: Band, seed: int, d_k: int, setting: tuple) -> tuple[str, ...]:
    """Say what the live picture says at this d_k, and what its curve says."""
    at, divisor = d_k - 1, setting[3]
    by = divisors(nested_draw(seed, setting[0], mean=setting[1], std=setting[2]), divisor, setting[4])[at]
    raw, scaled = experiment.weights_raw[at], experiment.weights_scaled[at]
    holes = {
        "d_k": d_k, "winner": f"k{raw.argmax() + 1}", "raw": _.weight(raw.max()), "scaled": _.weight(scaled.max()),
        "rest": _.weight(np.delete(raw, raw.argmax()).sum()), "smallest": _.weight(scaled.min()),
        "equal": _.weight(1 / len(raw)), "root": _.short(by.min()), "root_high": _.short(by.max()),
        "threshold": _.number(band.threshold, 1), "share_raw": _.percent(band.share_raw[at]),
        "share_scaled": _.percent(band.share_scaled[at]),
    }
    texts = words(_, divisor)
    return texts["sentence"].format(**holes), texts["curve_says"].format(**holes)


def closer(_: Language, name: str, mean: float, std: float) -> More:
    """Return what a closer look adds: inputs, functions and body, the same for PyTorch, and prints."""
    if name == "variance":
        return variance(_, bool(mean or std != 1))
    return {"gradient": gradient, "precision": precision}.get(name, nothing)(_)


def nothing(_: Language) -> More:
    """Add nothing: the numbers stand in the program anyway."""
    return {}, (), "", (), "", ()


def variance(_: Language, broken: bool) -> More:
    """Draw many dot products at this width, and others at every width."""
    body = ("products = {draw}dot_products(seed, d_k, 4000, mean, std){end}\n"
            "variances = {draw}variance_by_width(seed, 512, 2000, mean, std){end}\n"
            "variance = float(((products - products.mean()) ** 2).mean())\n"
            "theory = d_k * (std**4 + 2 * std**2 * mean**2)\n"
            "spread_over_keys = (std**2 * (std**2 + mean**2)) ** 0.5")
    shows = (
        (_("variance of 4000 dot products, by theory, and divided by √dₖ"), "[variance, theory, variance / d_k]"),
        (_("variance of 2000 others at 1 and at 512, and its slope"),
         "[float(variances[0]), float(variances[-1]), std**4 + 2 * std**2 * mean**2]"),
        (_("spread over keys after division by √dₖ: expected, found"), "[spread_over_keys, spread[0] / d_k**0.5]"),
    )[: 3 if broken else 2]
    uses = (dot_products, variance_by_width)
    return {}, uses, body.format(draw="", end=""), uses, body.format(draw="torch.from_numpy(", end=")"), shows


def gradient(_: Language) -> More:
    """Differentiate both rows of weights, and take the norm over many seeds."""
    return (
        {}, (softmax_jacobian, jacobian_norm, jacobian_norm_band),
        "jacobian_raw, jacobian_divided = softmax_jacobian(raw), softmax_jacobian(divided)\n"
        "norms = [float(jacobian_norm(raw)), float(jacobian_norm(divided))]\n"
        "many = jacobian_norm_band(n_seeds, n_keys, d_k, mean, std, divisor, value)\n"
        "medians = [float(each[2, -1]) for each in (many.raw, many.scaled)]", (),
        "jacobian = lambda weights: torch.diag_embed(weights) - weights[..., :, None] * weights[..., None, :]\n"
        "jacobian_raw, jacobian_divided = jacobian(raw), jacobian(divided)\n"
        "norms = [float(torch.linalg.matrix_norm(each)) for each in (jacobian_raw, jacobian_divided)]\n"
        "many = torch.stack([torch.stack(weigh(other)[-2:]) for other in range(n_seeds)])  # (n_seeds, 2, n_keys)\n"
        "medians = torch.linalg.matrix_norm(jacobian(many)).quantile(0.5, dim=0).tolist()",
        (
            (_("Jacobian, not divided"), "jacobian_raw"), (_("Jacobian, divided"), "jacobian_divided"),
            (_("norm of the Jacobian, and divided"), "norms"), (_("median of 400 seeds, and divided"), "medians"),
        ),
    )


def precision(_: Language) -> More:
    """Shift the scores, and divide in three places."""
    return (
        {"shift": float(share.value("shift"))}, (shifted_softmax, overflow_score, apart),
        "shifted = shifted_softmax(scores, shift)\n"
        "naive32, stable32 = shifted.naive_float32, shifted.stable_float32\n"
        "naive64, stable64 = shifted.naive_float64, shifted.stable_float64\n"
        "limits = [float(overflow_score(\"float32\")), float(overflow_score(\"float64\"))]\n"
        "gaps = apart(draw.query[None, :d_k], draw.keys[:, :d_k])", (),
        "naive = lambda scores: scores.exp() / scores.exp().sum()\n"
        "moved = scores + shift\n"
        "naive32, stable32 = naive(moved.float()), torch.softmax(moved.float(), dim=-1)\n"
        "naive64, stable64 = naive(moved), torch.softmax(moved, dim=-1)\n"
        "limits = [float(torch.tensor(torch.finfo(kind).max).log()) for kind in (torch.float32, torch.float64)]\n"
        "orders = [keys @ query / d_k**0.5, keys @ (query / d_k**0.5), (keys / d_k**0.25) @ (query / d_k**0.25)]\n"
        "gaps = torch.stack([(each - orders[0]).abs().max() for each in orders])",
        (
            (_("naive, float32"), "naive32"), (_("stable, float32"), "stable32"),
            (_("naive, float64"), "naive64"), (_("stable, float64"), "stable64"),
            (_("the largest score; where exp overflows"), "[float(scores.max()) + shift, *limits]"),
            (_("the same division in three places: largest differences"), "gaps"),
        ),
    )
