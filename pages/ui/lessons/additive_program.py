"""Additive against dot-product scores as a program: the same draws, three forms, and the seeds that saturate."""

from attention_core.cost import additive_cost, dot_product_cost
from attention_core.draws import nested_draw
from attention_core.score_forms import largest_over_seeds, three_forms
from attention_core.score_network import draw_network, flat_share, weight_ceiling
from pages.ui import share
from pages.ui.language import Language
from pages.ui.lessons import additive, additive_seeds
from pages.ui.lessons.additive import FLAT, SATURATED, Setting
from pages.ui.take import phrases
from pages.ui.take.program import Program

BODY = """draw, network = nested_draw(seed, n_keys, d), draw_network(seed, d, d, d_a, readout)
query, keys = stretch * draw.query, draw.keys
forms = three_forms(query, keys, network)
scores, weights, largest, spread = forms.scores, forms.weights, forms.largest, forms.spread
bound = network.bound"""
TORCH = """draw, network = nested_draw(seed, n_keys, d), draw_network(seed, d, d, d_a, readout)
query, keys = stretch * torch.tensor(draw.query), torch.tensor(draw.keys)
w_query, w_key, v = (torch.tensor(each.copy()) for each in (network.w_query, network.w_key, network.v))
dot, hidden = keys @ query, torch.tanh(w_query @ query + keys @ w_key.mT)  # (n_keys,), (n_keys, d_a)
scores = torch.stack([dot, dot / d**0.5, hidden @ v])
weights = torch.softmax(scores, dim=-1)
largest, spread, bound = weights.amax(-1), scores.std(-1, correction=0), float(v.abs().sum())"""


def program(_: Language, given: Setting) -> Program:
    """Return the program of the draws that are set, with the closer look that is open."""
    look = {"saturation": saturation, "cost": cost}.get(share.value("add_look"), nothing)
    uses, body, torch, shows, says, torch_uses = look(_, given)
    return Program(
        phrases.question(_, "additive"), (additive.say(_, given), *says),
        {"seed": given.seed, "n_keys": given.keys, "d": given.d, "d_a": given.d_a, "readout": given.readout,
         "stretch": given.stretch},
        (nested_draw, draw_network, three_forms, *uses), f"{BODY}\n{body}", f"{TORCH}\n{torch}",
        (
            (_("scores: q·k, q·k ÷ √d, additive"), "scores"), (_("weights of the same"), "weights"),
            (_("largest weights"), "largest"), (_("standard deviations of the scores"), "spread"),
            (_("Σ|v|, and the size of the additive score farthest from 0"), "[bound, float(abs(scores[2]).max())]"),
            (_("width, number of keys, range of the additive scores"), "[d, n_keys, -bound, bound]"),
            *shows,
        ),
        r"v \cdot \tanh(W_1 q + W_2 k)", (nested_draw, draw_network, *torch_uses),
    )


def nothing(_: Language, given: Setting) -> tuple:
    """Add nothing."""
    return (), "", "", (), (), ()


def saturation(_: Language, given: Setting) -> tuple:
    """Repeat it for many seeds."""
    many = "many = largest_over_seeds([d], n_keys, d_a, readout, stretch, 400)[0]  # (3, seeds)\n"
    widths = tuple(sorted({*additive.WIDTHS, given.d}))
    largest = additive_seeds.largest(widths, given.keys, given.d_a, given.readout, given.stretch)
    shares = (largest > SATURATED).mean(axis=-1)[widths.index(given.d)]
    return (
        (largest_over_seeds, weight_ceiling, flat_share),
        f"{many}shares = 100 * (many > {SATURATED}).mean(axis=-1)\n"
        f"ceiling, flat = weight_ceiling(bound, n_keys), flat_share(query, keys, network, {FLAT})",
        f"{many}shares = 100 * torch.tensor(many > {SATURATED}).to(scores.dtype).mean(-1)\n"
        "ceiling = 1 / (1 + (n_keys - 1) * torch.tensor(-2 * bound).exp())\n"
        f"flat = (hidden.abs() > {FLAT}).to(scores.dtype).mean()",
        (
            (_("seeds that saturate in %, of how many, above which weight"),
             f"[*shares.tolist(), many.shape[1], {SATURATED}]"),
            (_("the largest weight within the bound, and the share of flat tanh in %, of how many"),
             "[float(ceiling), 100 * float(flat), n_keys * d_a]"),
        ),
        (additive.who(_, given, shares, largest.shape[-1]), additive.why_not(_, given)), (largest_over_seeds,),
    )


def cost(_: Language, given: Setting) -> tuple:
    """Count what n queries and n keys cost."""
    lines = ("costs = [dot_product_cost(n_keys, n_keys, d), additive_cost(n_keys, n_keys, d, d, d_a)]\n"
             "counts = [[each.multiplications, each.tanh, each.numbers] for each in costs]")
    shows = ((_("multiplications, tanh and numbers held: q·k, additive"), "counts"),)
    both = (dot_product_cost, additive_cost)
    return both, lines, lines, shows, (), both


