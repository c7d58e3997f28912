"""The word that the pipeline follows, as a program: the whole path, and what the step at hand measures besides."""

from attention_core import project, scaled_dot_product_attention
from pages.ui.language import Language
from pages.ui.lessons.pipeline_follow import Followed
from pages.ui.take import phrases
from pages.ui.take.program import Program

CALL = "query, key, value, is_causal=is_causal"
MORE = {  # what a step measures besides: with NumPy, with PyTorch
    "project": (
        "fused = x @ np.concatenate([w_query, w_key, w_value], axis=1)  # one product for all three\n"
        "difference = np.abs(fused - np.concatenate([query, key, value], axis=1)).max()",
        "fused = x @ torch.cat([w_query, w_key, w_value], dim=1)  # one product for all three\n"
        "difference = (fused - torch.cat([query, key, value], dim=1)).abs().max()",
    ),
    "mask": (
        "free = scaled_dot_product_attention(query, key, value).weights",
        "free = torch.softmax(scaled, dim=-1)",
    ),
    "output": (
        "low, high = value.min(axis=0), value.max(axis=0)\n"
        "back = scaled_dot_product_attention(query[::-1], key[::-1], value[::-1]).output[::-1]\n"
        "difference = np.abs(back - output).max()",
        "low, high = value.amin(0), value.amax(0)\n"
        "back = scaled_dot_product_attention(query.flip(0), key.flip(0), value.flip(0)).flip(0)\n"
        "difference = (back - output).abs().max()",
    ),
}


def program(_: Language, step: str, at: Followed, says: str) -> Program:
    """Return the program of the step at hand.

    Parameters
    ----------
    _ : Language
        The page's language.
    step : str
        One of pipeline_steps.STEP.
    at : Followed
        The word on its way.
    says : str
        What the page says of it.
    """
    worked, more = at.worked, MORE.get(step, ("", ""))
    inputs = {
        "tokens": list(worked.rows["K"]), "row": at.row, "is_causal": not bool(worked.allowed.all()),
        "x": worked["X"], "w_query": worked["W_Q"], "w_key": worked["W_K"], "w_value": worked["W_V"],
    }
    masked = f"{phrases.HIDDEN.format(mask=phrases.TRIANGLE)} if is_causal else scaled"
    torch = phrases.TORCH_ATTEND.format(call=CALL, scale=phrases.ROOT, masked=masked)
    return Program(
        phrases.question(_, "pipeline"), (says,), inputs, (project, scaled_dot_product_attention),
        "\n".join([phrases.PROJECT, phrases.ATTEND.format(call=CALL), more[0]]),
        "\n".join([phrases.TORCH_PROJECT, torch, more[1]]),
        (*phrases.stages(_, "query", "key", "value", "scores", "scaled", "weights", "output"), *of_word(_),
         *besides(_, step)),
    )


def of_word(_: Language) -> tuple[tuple[str, str], ...]:
    """Return what is printed of the word that is followed."""
    return (
        (_("the word, and the number of words"), "[tokens[row], len(tokens)]"),
        ("q", "query[row]"), ("k", "key[row]"), ("v", "value[row]"),
        ("dₖ, √dₖ, 1/√dₖ", "[key.shape[1], key.shape[1] ** 0.5, key.shape[1] ** -0.5]"),
        (_("its weights in %"), "100 * weights[row]"),
        (_("its output"), "output[row]"),
    )


def besides(_: Language, step: str) -> tuple[tuple[str, str], ...]:
    """Return what is printed of the step at hand."""
    n = "len(tokens)"
    return {
        "attend": ((_("equal weights in %"), f"100 / {n}"),),
        "project": (
            (_("sizes of X, W_Q and Q"), "[*x.shape, *w_query.shape, *query.shape]"),
            (_("sizes of K and V"), "[*key.shape, *value.shape]"),
            (_("largest difference"), "difference"),
        ),
        "scores": ((_("scores of the word, asking and asked"), "[scores[row].tolist(), scores[:, row].tolist()]"),),
        "weights": ((_("its scores, scaled"), "scaled[row]"),),
        "mask": (
            (_("seen without a mask in %"), "100 * free[row]"),
            (_("seen: keys, and entries of all"), f"[row + 1, {n} * ({n} + 1) // 2, {n} ** 2]"),
        ),
        "output": (
            (_("smallest and largest value"), "[low.tolist(), high.tolist()]"),
            (_("largest difference to the reversed order"), "difference"),
        ),
    }[step]
