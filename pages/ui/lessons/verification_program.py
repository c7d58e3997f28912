"""The bench's experiment as a program: every stage and the gradients, and a planted mistake beside the right way."""

from attention_core import attention_gradients, scaled_dot_product_attention
from attention_core.draws import nested_draw
from attention_core.mistakes import STAGE_OF, attend_with
from pages.ui import share, words
from pages.ui.language import Language
from pages.ui.lessons.verification_experiment import Chosen
from pages.ui.lessons.verification_mistakes import SIGNATURE
from pages.ui.take import phrases
from pages.ui.take.program import Program

ARRAYS = ("query", "key", "value", "attn_mask")
FORWARD = ("scores", "scaled", "masked", "weights", "output")
BACK = ("grad_query", "grad_key", "grad_value")
DRAW = """draw = nested_draw(seed, n_keys, mean=mean, std=std)
query, key, value = draw.query[None, :d_k], draw.keys[:, :d_k], np.eye(n_keys)
"""
UNIT = """query = query / np.linalg.norm(query, axis=-1, keepdims=True)
key = key / np.linalg.norm(key, axis=-1, keepdims=True)
"""
TORCH_DRAW = """draw = nested_draw(seed, n_keys, mean=mean, std=std)
query, key, value = torch.tensor(draw.query[None, :d_k]), torch.tensor(draw.keys[:, :d_k]), torch.eye(n_keys)
"""
TORCH_UNIT = "query, key = (torch.nn.functional.normalize(each, dim=-1) for each in (query, key))\n"
BODY = """attention = scaled_dot_product_attention(query, key, value, attn_mask, is_causal, scale)
scores, scaled, weights, output = attention.scores, attention.scaled, attention.weights, attention.output
masked = scaled{added} if attention.allowed is None else np.where(attention.allowed, scaled{added}, -np.inf)
gradients = attention_gradients(query, key, value, grad_output, attn_mask, is_causal, scale)
grad_query, grad_key, grad_value = gradients.query, gradients.key, gradients.value"""
MISTAKEN = """
lead = np.broadcast_shapes(*(each.shape[:-2] for each in (query, key, value)))
full = [np.broadcast_to(each, (*lead, *each.shape[-2:])) for each in (query, key, value)]
wide = [np.concatenate(np.moveaxis(each, -3, 0), axis=-1) if heads > 1 else each for each in full]
right = attend_with(None, *wide, attn_mask, is_causal, scale, heads=heads)  # the heads side by side
wrong = attend_with(mistake, *wide, attn_mask, is_causal, scale, heads=heads)
with np.errstate(invalid="ignore"):  # a mistake may give NaN or infinities
    gaps = [np.abs(getattr(right, name) - getattr(wrong, name)) for name in names]
apart = [float(np.nanmax(gap, initial=0)) for gap in gaps]"""
TORCH = """for each in (query, key, value):
    each.requires_grad_()
scores = query @ key.mT
scaled = scores * (query.shape[-1] ** -0.5 if scale is None else scale)
added = torch.zeros_like(scaled).detach()
{added}if is_causal:
    added = added.masked_fill(~torch.ones(scores.shape[-2:], dtype=torch.bool).tril(), -torch.inf)
masked = scaled + added
weights = torch.softmax(masked, dim=-1).nan_to_num(0.0)  # a row that sees nothing gets 0
output = scaled_dot_product_attention(query, key, value, attn_mask=added, scale=scale)
output.backward(grad_output)
grad_query, grad_key, grad_value = query.grad, key.grad, value.grad
scores, scaled, masked, weights, output = (
    each.detach() for each in (scores, scaled, masked, weights, output)
)"""
ADDED = {
    None: "", "b": "added = added.masked_fill(~attn_mask, -torch.inf)\n", "f": "added = added + attn_mask\n",
}


def program(_: Language, chosen: Chosen, mistake: str | None) -> Program:
    """Return the program of the experiment that is set, with the mistake that is planted."""
    of = chosen.experiment
    first, inputs = {}, {name: getattr(of, name) for name in ARRAYS}
    drawn, before, torch_before = (), "", ""
    if of.name == "scaling":  # up to 33 thousand numbers: the program draws them again
        names = {"seed": "seed", "d_k": "d_k", "n_keys": "keys", "mean": "mean", "std": "std"}
        first, inputs = {name: share.value(field) for name, field in names.items()}, {"attn_mask": None}
        lengths = share.value("divisor") == "cosine"
        drawn, before, torch_before = (nested_draw,), DRAW + UNIT * lengths, TORCH_DRAW + TORCH_UNIT * lengths
    inputs = first | inputs | {"is_causal": of.is_causal, "scale": of.scale, "grad_output": of.grad_output}
    kind = None if of.attn_mask is None else of.attn_mask.dtype.kind
    sizes = "[*query.shape, *key.shape, *value.shape]"
    right = (*phrases.stages(_, *FORWARD, *BACK), (_("sizes of Q, K and V"), sizes))
    uses, body, wrong, says = (*drawn, scaled_dot_product_attention, attention_gradients), BODY, (), (chosen.about,)
    if mistake:
        inputs |= {"mistake": mistake, "heads": of.heads, "names": list(FORWARD)}
        uses, body = (*uses, attend_with), body + MISTAKEN
        planted = _("with the mistake")
        wrong = tuple((f"{planted}: {label}", f"wrong.{name}") for label, name in phrases.stages(_, *FORWARD))
        wrong += ((_("largest differences"), "dict(zip(names, apart))"),)
        stage = _(words.STAGE[STAGE_OF[mistake]])
        says = (chosen.about, _(SIGNATURE[mistake][0]), _("It shows first at **{stage}**.", stage=stage))
    return Program(
        phrases.question(_, "verification"), tuple(filter(None, says)), inputs, uses,
        before + body.format(added=" + attn_mask" if kind == "f" else ""),
        torch_before + TORCH.format(added=ADDED[kind]), right + wrong, torch_uses=drawn, torch_shows=right,
    )
