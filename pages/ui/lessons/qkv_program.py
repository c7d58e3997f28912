"""Ikan and makan as a program: what the query finds, and the closer look that is open."""


from attention_core import project, scaled_dot_product_attention, softmax
from attention_core.examples import ikan_makan
from attention_core.factored import asymmetry, factored_form, length_and_angle, lengthen
from attention_core.lookup import hard_lookup
from pages.ui import share
from pages.ui.language import Language
from pages.ui.lessons import qkv_experiments, qkv_scores
from pages.ui.lessons.qkv_example import Example, row_of, says
from pages.ui.tables.worked import Worked, attend
from pages.ui.take import phrases
from pages.ui.take.program import More, Program

CALL = "query, key, value"
TIED = "w_key = w_query  # one matrix for both roles\n"
ONE = "one = scaled_dot_product_attention(query, x @ w_query, value)\ntwo = one"
BOTH = ONE.replace("two = one", "two = scaled_dot_product_attention(query, x @ w_own, value)")
MIRROR = "\nmirror = [asymmetry(matrix) for matrix in (one.scores, one.weights, two.scores, two.weights)]"
TORCH_ONE = """keys = {keys}
mirror = []
for other in keys:
    each = query @ other.mT
    for matrix in (each, torch.softmax(each * other.shape[-1] ** -0.5, dim=-1)):
        mirror.append(float((matrix - matrix.mT).abs().max()))"""
TORCH_BOTH = TORCH_ONE.format(keys="[x @ w_query, x @ w_own]")
TORCH_ONE = TORCH_ONE.format(keys="[x @ w_query, x @ w_query]")


def program(_: Language, ask: str, given: Example, worked: Worked) -> Program:
    """Return the program of the query and of the question that is asked more closely."""
    x, w_query, w_key, w_value = given.arrays()
    matrices = {"x": x, "w_query": w_query} | ({} if given.tied else {"w_key": w_key}) | {"w_value": w_value}
    more = {"search": search, "change": change, "factor": factor, "length": length}[ask](_, given, worked)
    tied = TIED if given.tied else ""
    torch = phrases.TORCH_ATTEND.format(call=CALL, scale=phrases.ROOT, masked="scaled")
    return Program(
        phrases.question(_, "qkv"), (says(_, given, worked), *more.says),
        {"tokens": list(given.tokens), "row": row_of(given)} | matrices | more.inputs,
        (project, scaled_dot_product_attention, *more.uses),
        "\n".join([tied + phrases.PROJECT, phrases.ATTEND.format(call=CALL), more.body]),
        "\n".join([tied + phrases.TORCH_PROJECT, torch, more.torch]),
        (
            *phrases.stages(_, "query", "key", "value", "scores", "scaled", "weights", "output"),
            ("√dₖ, dₖ", "[key.shape[1] ** 0.5, key.shape[1]]"),
            (_("the query, and its weights in %"), "[tokens[row], (100 * weights[row]).tolist()]"),
            (_("its output"), "output[row]"), *more.shows,
        ),
    )


def search(_: Language, given: Example, worked: Worked) -> More:
    """Look up the best key, and attend with scores ten times as large."""
    row = row_of(given)
    return More(
        {}, (hard_lookup, softmax),
        "found = hard_lookup(scores.round(9), value)  # scores that differ by rounding only are the same\n"
        "apart = np.abs(output[row] - found.output[row]).max()\n"
        "sharp = softmax(10 * scaled[row])",
        "best = scores.round(decimals=9).argmax(dim=-1)  # the first, where several are equal\n"
        "apart = (output[row] - value[best[row]]).abs().max()\n"
        "sharp = torch.softmax(10 * scaled[row], dim=-1)",
        (
            (_("what a search returns"), "value[scores[row].round(decimals=9).argmax()]"),
            (_("largest difference"), "apart"),
            (_("weights of scores ten times as large"), "sharp"),
        ),
        (qkv_experiments.returned(_, given, worked, row), qkv_experiments.sharpened(_, given, worked, row)),
    )


def change(_: Language, given: Example, worked: Worked) -> More:
    """Compare with the source's own numbers."""
    if not qkv_experiments.comparable(given):
        return More({}, (), "", "", (), ())
    source = ikan_makan()
    inputs = {"source_x": source.x, "source_w_query": source.w_query, "source_w_key": source.w_key,
              "source_w_value": source.w_value}
    names, largest = ("query", "key", "value", "scores", "weights", "output"), _("largest change")
    before = [f"{role}_before = source_x @ source_w_{role}" for role in names[:3]]
    attention = "scaled_dot_product_attention(query_before, key_before, value_before)"
    return More(
        inputs, (),
        "\n".join([*before, f"before = {attention}", "scores_before, weights_before, output_before = "
                   "before.scores, before.weights, before.output"]),
        "\n".join([*before, "scores_before = query_before @ key_before.mT",
                   "weights_before = torch.softmax(scores_before * key_before.shape[-1] ** -0.5, dim=-1)",
                   f"output_before = {attention}"]),
        tuple((f"{largest}: {label}", f"abs({name} - {name}_before).max()")
              for label, name in phrases.stages(_, *names)),
        (),
    )


def factor(_: Language, given: Example, worked: Worked) -> More:
    """Compare one matrix for Q and K with two, and count what either way stores."""
    own, one = given.all[2].array, given.work(*given.arrays(tied=True))
    try:
        two, body, torch, inputs = given.work(*given.arrays(tied=False)), BOTH, TORCH_BOTH, {"w_own": own}
    except ValueError:  # W_K of its own does not fit, so there are no two matrices
        two, body, torch, inputs = one, ONE, TORCH_ONE, {}
    w_query, w_key = given.arrays()[1:3]
    form = factored_form(w_query, None if given.tied else w_key)
    head = qkv_scores.bert_head()
    return More(
        inputs, (asymmetry, factored_form),
        f"{body}{MIRROR}\nform = factored_form(w_query{'' if given.tied else ', w_key'})\n"
        "rank, stored, full = form.rank, form.parameters_factored, form.parameters_full",
        f"{torch}\nproduct = w_query @ w_key.mT\n"
        "rank = min(int(torch.linalg.matrix_rank(matrix)) for matrix in (product, w_query, w_key))\n"
        f"stored, full = {'' if given.tied else '2 * '}w_query.numel(), product.numel()",
        (
            (_("largest |S − Sᵀ| of scores and weights; one matrix, then two"), "list(mirror)"),
            (_("rank of the product, its bound, numbers stored, numbers in one matrix"),
             "[rank, min(w_query.shape), stored, full]"),
            (_("sizes of W_Q, and of a head of BERT base"), "[*w_query.shape, 768, 64, 2 * 768 * 64, 768 * 768]"),
        ),
        (qkv_scores.mirrored(_, one, two), qkv_scores.costs(_, w_query.shape, form, head, given.tied)),
    )


def length(_: Language, given: Example, worked: Worked) -> More:
    """Take the scores apart into lengths and an angle, and make one key longer."""
    index, times = min(share.value("long_key"), len(given.tokens)) - 1, share.value("longer")
    longer = attend(worked["Q"], lengthen(worked["K"], index, times), worked["V"], given.tokens, given.tokens)
    return More(
        {"index": index, "times": times}, (length_and_angle, lengthen),
        "found = length_and_angle(query, key)\n"
        "query_length, key_length, cosine, product = found.query_norm, found.key_norm, found.cosine, found.scores\n"
        "longer = scaled_dot_product_attention(query, lengthen(key, index, times), value).weights\n"
        "gives = [int((each[:, index] > each.max(axis=1) - 1e-9).sum()) for each in (longer, weights)]",
        "query_length, key_length = torch.linalg.vector_norm(query, dim=1), torch.linalg.vector_norm(key, dim=1)\n"
        "cosine = torch.nn.functional.normalize(query, dim=1) @ torch.nn.functional.normalize(key, dim=1).mT\n"
        "product = query_length[:, None] * cosine * key_length\n"
        "long_key = key.clone()\n"
        "long_key[index] *= times\n"
        "longer = torch.softmax(query @ long_key.mT * key.shape[-1] ** -0.5, dim=-1)\n"
        "gives = [int((each[:, index] > each.amax(1) - 1e-9).sum()) for each in (longer, weights)]",
        (
            ("|q|", "query_length[row]"), ("|k|", "key_length"), ("cos θ", "cosine[row]"),
            ("|q| |k| cos θ", "product[row]"), (_("Weights with the longer key"), "longer"),
            (_("queries that give it the most, now and before, of all"),
             "[*gives, len(tokens)]"),
        ),
        (qkv_scores.product(_, given, worked, row_of(given)), qkv_scores.attracted(_, given, worked, longer, index)),
    )
