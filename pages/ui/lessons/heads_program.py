"""The part of the heads lesson that is shown, as a program: sentences, heads, their scale, or no words at all."""

import numpy as np

from attention_core import multi_head_attention, project, scaled_dot_product_attention
from attention_core.embedding import word_vectors
from attention_core.heads import drawn_weights, evenness, head_by_head, head_draw
from attention_core.mistakes import attend_with
from attention_core.not_text import heard_after, neighbours_mask, patches, picture, standardised
from pages.ui import share
from pages.ui.language import Language
from pages.ui.lessons import heads_cross, heads_graph, heads_multi, heads_picture, heads_scale
from pages.ui.lessons.heads_cross import WIDTH
from pages.ui.tables.worked import attend
from pages.ui.take import phrases
from pages.ui.take.program import Program

DRAWN = "drawn = drawn_weights(seed, d_model)\n"
TORCH_DRAWN = ("drawn = drawn_weights(seed, d_model)  # NumPy's generator: PyTorch's would draw other numbers\n"
               "w_query, w_key, w_value = (torch.tensor(w) for w in (drawn.w_query, drawn.w_key, drawn.w_value))\n")
CROSS = DRAWN + """projections = (drawn.w_query, drawn.w_key, drawn.w_value)
result = multi_head_attention(x_query, x_key_value, *projections, np.eye(d_model), 1)  # W_O = I
query, key, value = result.query[0], result.key[0], result.value[0]
scaled, weights, output = result.scaled[0], result.weights[0], result.output"""
TORCH_CROSS = TORCH_DRAWN + """query, key, value = x_query @ w_query, x_key_value @ w_key, x_key_value @ w_value
scaled = query @ key.mT * d_model**-0.5
weights = torch.softmax(scaled, dim=-1)
output = scaled_dot_product_attention(query, key, value)"""
MULTI = DRAWN + """result = multi_head_attention(x_query, x_key_value, *drawn.all, heads)
weights, output = result.weights, result.output
by_hand = head_by_head(x_query, x_key_value, *drawn.all, heads)
difference = np.abs(output - by_hand).max()
best = [int(each) for each in weights[:, row].argmax(axis=-1)]"""
TORCH_MULTI = TORCH_DRAWN + """w_output = torch.tensor(drawn.w_output)


def split(rows):
    return rows.unflatten(-1, (heads, -1)).transpose(0, 1)  # (h, n, d_head)


query, key, value = split(x_query @ w_query), split(x_key_value @ w_key), split(x_key_value @ w_value)
weights = torch.softmax(query @ key.mT * query.shape[-1] ** -0.5, dim=-1)
attended = scaled_dot_product_attention(query, key, value)  # (h, n, d_head)
output = attended.transpose(0, 1).flatten(1) @ w_output
by_hand = sum(each @ own for each, own in zip(attended, w_output.chunk(heads)))
difference = (output - by_hand).abs().max()
best = weights[:, row].argmax(-1).tolist()"""
SCALE = """query, key, value = head_draw(seed, n, d_model)
ways = [attend_with(way, query, key, value, heads=heads) for way in (None, "scale_by_d_model", "wrong_head_split")]
weights_right, weights_wrong = (way.weights.reshape(-1, n, n)[0] for way in ways[:2])
spreads = [float(way.scaled.std()) for way in ways]
evens = [evenness(way.weights) for way in ways]
largest, entropies = [float(each.largest) for each in evens], [float(each.entropy) for each in evens]
differences = [float(np.abs(way.output - ways[0].output).max()) for way in ways]"""
TORCH_SCALE = """query, key, value = (torch.tensor(each) for each in head_draw(seed, n, d_model))


def split(rows):
    return rows.unflatten(-1, (heads, -1)).transpose(0, 1)  # (h, n, d_head)


def split_wrongly(rows):
    return rows.reshape(heads, n, -1)


scaled, weights, outputs = [], [], []
for cut, width in ((split, d_model // heads), (split, d_model), (split_wrongly, d_model // heads)):
    q, k, v = cut(query), cut(key), cut(value)
    scaled.append(q @ k.mT * width**-0.5)
    weights.append(torch.softmax(scaled[-1], dim=-1))
    outputs.append(scaled_dot_product_attention(q, k, v, scale=width**-0.5).transpose(0, 1).flatten(1))
weights_right, weights_wrong = weights[0][0], weights[1][0]
spreads = [float(each.std(correction=0)) for each in scaled]
largest = [float(each.amax(-1).mean()) for each in weights]
entropies = [float(torch.special.entr(each).sum(-1).mean()) for each in weights]
differences = [float((each - outputs[0]).abs().max()) for each in outputs]"""
PATCHES = """tokens = standardised(patches(image, size))
attention = scaled_dot_product_attention(tokens, tokens, tokens)
weights, turned = attention.weights, tokens[::-1]
back = scaled_dot_product_attention(turned, turned, turned).weights[::-1, ::-1]
moved = np.abs(back - weights).max()
twins = int((tokens == tokens[at]).all(axis=1).sum())"""
TORCH_PATCHES = """cut = image.unfold(0, size, size).unfold(1, size, size).reshape(-1, size * size)
spread = cut.std(correction=0)
tokens = (cut - cut.mean()) / (spread if spread else 1.0)
weights = torch.softmax(tokens @ tokens.mT * tokens.shape[1] ** -0.5, dim=-1)
turned = tokens.flip(0)
back = torch.softmax(turned @ turned.mT * tokens.shape[1] ** -0.5, dim=-1).flip(0, 1)
moved = (back - weights).abs().max()
twins = int((cut == cut[at]).all(1).sum())"""
GRAPH = DRAWN + """mask = neighbours_mask(len(x), edges)
roles = project(x, drawn.w_query, drawn.w_key, drawn.w_value)
weights = scaled_dot_product_attention(roles.query, roles.key, roles.value, attn_mask=mask).weights
heard = heard_after(mask, 2)"""
TORCH_GRAPH = TORCH_DRAWN + """mask = torch.eye(len(x), dtype=torch.bool)
for start, end in edges:
    mask[start, end] = mask[end, start] = True
query, key = x @ w_query, x @ w_key
weights = torch.softmax((query @ key.mT * d_model**-0.5).masked_fill(~mask, -torch.inf), dim=-1)
heard = torch.linalg.matrix_power(mask.to(x.dtype), 2) > 0"""


def program(_: Language, part: str) -> Program | None:
    """Return the program of the part that is shown; None where the heads do not divide the width."""
    if part == "beyond":
        return {"picture": of_picture, "graph": of_graph}[share.value("token_kind")](_)
    return {"cross": cross, "heads": several, "scale": scale}[part](_)


def words_of(given: heads_cross.Pair, d_model: int) -> dict[str, object]:
    """Return the inputs that two sentences make."""
    return {"asking": list(given.asking), "answering": list(given.answering), "x_query": given.x_query,
            "x_key_value": given.x_key_value, "seed": share.value("heads_seed"), "d_model": d_model,
            "row": min(share.value("asker"), len(given.asking)) - 1}


def cross(_: Language) -> Program:
    """Let one sentence ask itself or another one."""
    kind = share.value("cross")
    given = heads_cross.pair(WIDTH, kind)
    inputs = words_of(given, WIDTH)
    drawn = drawn_weights(inputs["seed"], WIDTH)
    query, key, value = (x @ w for x, w in zip(
        (given.x_query, given.x_key_value, given.x_key_value), (drawn.w_query, drawn.w_key, drawn.w_value), strict=True,
    ))
    worked = attend(query, key, value, given.asking, given.answering)
    return Program(
        phrases.question(_, "heads"), (heads_cross.say(_, given, worked, inputs["row"], kind),), inputs,
        (drawn_weights, multi_head_attention), CROSS, TORCH_CROSS,
        (
            *phrases.stages(_, "query", "key", "value", "scaled", "weights", "output"),
            (_("the query"), "asking[row]"), (_("its weights in %"), "100 * weights[row]"),
            (_("sizes of Q, K, weights and output"),
             "[*query.shape, *key.shape, *weights.shape, *output.shape]"),
        ), torch_uses=(drawn_weights,),
    )


def several(_: Language) -> Program | None:
    """Let several heads attend at once, and each by hand."""
    d_model, heads = share.value("d_model"), share.value("num_heads")
    if d_model % heads:
        return None
    given = heads_multi.pair(d_model, share.value("cross"))
    inputs = words_of(given, d_model) | {"heads": heads}
    weights = drawn_weights(inputs["seed"], d_model).all
    result = multi_head_attention(given.x_query, given.x_key_value, *weights, heads)
    by_hand = head_by_head(given.x_query, given.x_key_value, *weights, heads)
    says = heads_multi.say(_, given, result, float(np.abs(result.output - by_hand).max()))
    return Program(
        phrases.question(_, "heads"), (says,), inputs,
        (drawn_weights, multi_head_attention, head_by_head), MULTI, TORCH_MULTI,
        (
            (_("weights, a matrix a head"), "weights"), (_("output"), "output"),
            (_("heads, width of each, width of all"), "[heads, d_model // heads, d_model]"),
            (_("the query, and to whom each head gives the most"), "[asking[row], *(answering[key] for key in best)]"),
            (_("largest difference"), "difference"),
        ), r"\mathrm{concat}(\mathrm{head}_1, \ldots, \mathrm{head}_h)\, W_O", (drawn_weights,),
    )


def scale(_: Language) -> Program:
    """Divide by the root of a head's width and of the model's, and split wrongly."""
    heads, seed = int(share.value("scale_heads")), share.value("heads_seed")
    n, d_model = heads_scale.TOKENS, heads_scale.D_MODEL
    arrays = head_draw(seed, n, d_model)
    ways = {way: attend_with(None if way == "right" else way, *arrays, heads=heads) for way in heads_scale.WAYS}
    return Program(
        phrases.question(_, "heads"), (heads_scale.say(_, heads_scale.Trial(heads, ways)),),
        {"seed": seed, "n": n, "d_model": d_model, "heads": heads}, (head_draw, attend_with, evenness), SCALE,
        TORCH_SCALE,
        (
            (_("weights of head 1, divided by √d_head"), "weights_right"),
            (_("weights of head 1, divided by √d_model"), "weights_wrong"),
            (_("heads, d_head, d_model and their roots"),
             "[heads, d_model // heads, d_model, (d_model // heads) ** 0.5, d_model**0.5, n, 1, 1 / n]"),
            (_("of ÷ √d_head, ÷ √d_model and a split without a transpose: standard deviation of the scaled scores"),
             "spreads"),
            (_("mean largest weight"), "largest"), (_("mean entropy"), "entropies"),
            (_("largest difference from the right way"), "differences"),
        ), torch_uses=(head_draw,),
    )


def of_picture(_: Language) -> Program:
    """Let a patch of a picture ask the others."""
    image, size, at = picture(share.value("drawing")), heads_picture.SIZE, share.value("patch") - 1
    cut = patches(image, size)
    x = standardised(cut)
    attention = scaled_dot_product_attention(x, x, x)
    return Program(
        phrases.question(_, "heads"), (heads_picture.say(_, cut, x, attention, at),),
        {"image": image, "size": size, "at": at}, (patches, standardised, scaled_dot_product_attention), PATCHES,
        TORCH_PATCHES,
        (
            (_("tokens"), "tokens"), (_("weights in % of the patch, in reading order"), "100 * weights[at]"),
            (_("number and width of the tokens, size of a patch"), "[*tokens.shape, size]"),
            (_("patch, and the one that gets the most"), "[at + 1, int(weights[at].argmax()) + 1]"),
            (_("patches that look the same"), "twins"), (_("largest difference"), "moved"),
        ),
    )


def of_graph(_: Language) -> Program:
    """Let a node of a graph ask its neighbours."""
    seed, node = share.value("heads_seed"), share.value("node") - 1
    nodes, d_model, edges = heads_graph.NODES, heads_graph.WIDTH, heads_graph.edges_now(share.value("flipped"))
    x, drawn = word_vectors(nodes, d_model, seed), drawn_weights(seed, d_model)
    mask = neighbours_mask(len(nodes), edges)
    roles = project(x, drawn.w_query, drawn.w_key, drawn.w_value)
    worked = attend(roles.query, roles.key, roles.value, nodes, nodes, mask)
    return Program(
        phrases.question(_, "heads"), (heads_graph.say(_, worked, mask, node, seed),),
        {"nodes": list(nodes), "edges": [list(edge) for edge in edges], "x": x, "seed": seed, "d_model": d_model,
         "node": node},
        (drawn_weights, neighbours_mask, project, scaled_dot_product_attention, heard_after), GRAPH, TORCH_GRAPH,
        (
            (_("who may look at whom"), "mask"), (_("weights"), "weights"),
            (_("weights of the node in %"), "100 * weights[node]"),
            (_("nodes; entries left, of all; seed"), "[len(nodes), int(mask.sum()), len(nodes) ** 2, seed]"),
            (_("nodes that it sees, and has heard of after two layers"),
             "[nodes[node], int(mask[node].sum()), int(heard[node].sum())]"),
        ), torch_uses=(drawn_weights,),
    )
