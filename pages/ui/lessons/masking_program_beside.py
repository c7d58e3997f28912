"""What stands beside a mask, as a part of its program: a wrong way to mask, or a token that is changed."""


from attention_core import softmax
from attention_core.hidden_tokens import moved_by_hidden
from attention_core.wrong_masks import leak, lowered_weights, masked_weights
from pages.ui import share
from pages.ui.language import Language
from pages.ui.lessons.masking_beside import earlier, movement, who_moved
from pages.ui.lessons.masking_lab import Masks
from pages.ui.lessons.masking_ways import attempt, said
from pages.ui.tables.worked import Worked
from pages.ui.take.program import More

DRAWN = {True: "hidden = int((~drawn).sum())", False: "hidden = 0"}
WRONG = """wrong = masked_weights(scaled, {allowed}, way{padding})
found = leak(wrong, allowed)
leaked, sums = found.hidden, found.row_sums
moved = moved_by_hidden(x, (w_query, w_key, w_value), {allowed}, way{padding})
with np.errstate(invalid="ignore"):  # NaN is what some ways give
    difference = np.abs(wrong @ value - output).max()
lowered = lowered_weights(scaled, allowed)
rounding = np.abs(lowered - softmax(scaled)).max(axis=-1)"""
TORCH_WAY = {  # how a way weighs
    "by_hand": "torch.softmax(scaled.masked_fill(~taken, -torch.inf), dim=-1)",
    "zero": "torch.softmax(scaled.masked_fill(~taken, 0.0), dim=-1)",
    "minus_1e9": "torch.softmax(scaled.masked_fill(~taken, -1e9), dim=-1)",
    "after": "torch.softmax(scaled, dim=-1) * taken",
    "after_renormalised": "torch.nn.functional.normalize(torch.softmax(scaled, dim=-1) * taken, p=1, dim=-1, eps=0.0)",
    "inverted": "torch.softmax(scaled.masked_fill(~taken, -torch.inf), dim=-1).nan_to_num(0.0)",
    "wrong_axis": "torch.softmax(scaled.masked_fill(~taken, -torch.inf), dim=0).nan_to_num(0.0)",
    "padded_rows": "torch.softmax(scaled.masked_fill(~taken, -torch.inf), dim=-1).nan_to_num(0.0)",
}
TORCH_WRONG = """taken = {taken}


def weigh(query, key):
    scaled = query @ key.mT * key.shape[-1] ** -0.5
    return {way}


def outputs(x, asking):
    return weigh(asking[cached:] @ w_query, x @ w_key) @ (x @ w_value)


wrong = weigh(query, key)
leaked, sums = (wrong * ~allowed).sum(-1), wrong.sum(-1)
difference = (wrong @ value - output).abs().max()
moved, before = torch.zeros(queries), outputs(x, x)
for token in range(n):
    changed = x.clone()
    changed[token] += 1
    after = outputs(changed, changed)
    if token >= cached:  # its own query stays
        asking = changed.clone()
        asking[token] = x[token]
        after[token - cached] = outputs(changed, asking)[token - cached]
    change = (after - before).abs().amax(-1)
    moved = torch.where(allowed[:, token], moved, torch.maximum(moved, change))
lowered = torch.softmax(scaled - 1e9 * ~allowed, dim=-1)
rounding = (lowered - torch.softmax(scaled, dim=-1)).abs().amax(-1)"""
FUTURE = """changed = x.copy()
changed[at] += 1


def outputs(x, mask):
    roles = project(x, w_query, w_key, w_value)
    return scaled_dot_product_attention(roles.query[cached:], roles.key, roles.value, mask).output


moved = [np.abs(outputs(changed, mask) - outputs(x, mask)).max(axis=1) for mask in (allowed, np.ones_like(allowed))]
counts = [int((each > 0).sum()) for each in moved]"""
TORCH_FUTURE = """changed = x.clone()
changed[at] += 1


def outputs(x, mask):
    return scaled_dot_product_attention((x @ w_query)[cached:], x @ w_key, x @ w_value, attn_mask=mask)


moved = [(outputs(changed, mask) - outputs(x, mask)).abs().amax(1) for mask in (allowed, torch.ones_like(allowed))]
counts = [int((each > 0).sum()) for each in moved]"""


def nothing(_: Language, masks: Masks, worked: Worked) -> More:
    """Add nothing but the count of what is drawn."""
    drawn = DRAWN["drawn" in masks.parts]
    return More({}, (), drawn, drawn, (), ())


def wrong(_: Language, masks: Masks, worked: Worked) -> More:
    """Mask in the wrong way that is chosen."""
    way, drawn = share.value("way"), DRAWN["drawn" in masks.parts] + "\n"
    if way == "padded_rows" and masks.first:
        return nothing(_, masks, worked)
    inputs: dict[str, object] = {"way": way}
    allowed = padding = ""
    if masks.padding is not None:
        inputs |= {"padding": masks.padding, "others": masks.without("padding")}
        allowed, padding = "others", ", padding"
    taken = "~allowed" if way == "inverted" else "allowed"
    if way == "padded_rows" and padding:
        taken = "others & padding[:, None]"
    return More(
        inputs, (masked_weights, leak, moved_by_hidden, lowered_weights, softmax),
        drawn + WRONG.format(allowed=allowed or "allowed", padding=padding),
        drawn + TORCH_WRONG.format(taken=taken, way=TORCH_WAY[way]),
        (
            (_("weights of the wrong way"), "wrong"), (_("what each query gives to hidden keys, in %"), "100 * leaked"),
            (_("sums of the rows"), "sums"), (_("rows of NaN, of all"), "[int((sums != sums).sum()), queries]"),
            (_("how far hidden tokens move each output"), "moved"),
            (_("how far the outputs are off, at most"), "difference"),
            (_("−10⁹ added to the hidden scores, in %"), "100 * lowered"), (_("and off from no mask by"), "rounding"),
            (_("added to each number of a hidden token; the sum of a right row"), "[1, 1]"),
        ),
        tuple(said(_, masks, worked, way, attempt(masks, worked, way))),
    )


def future(_: Language, masks: Masks, worked: Worked) -> More:
    """Change one token, with the masks and without."""
    at, drawn = min(share.value("changed"), masks.n) - 1, DRAWN["drawn" in masks.parts] + "\n"
    moved = movement(worked, at, masks.first, masks.allowed)
    return More(
        {"at": at}, (), drawn + FUTURE, drawn + TORCH_FUTURE,
        (
            (_("how far each output moves, with these masks"), "moved[0]"), (_("and with no mask"), "moved[1]"),
            (_("outputs that move with these masks and with none, of all; earlier ones"),
             "[*counts, queries, at - cached]"),
        ),
        tuple(filter(None, [who_moved(_, masks, worked.rows["weights"], moved), earlier(_, masks, moved, at)])),
    )


