"""The masked sentence as a program: the masks that are on, made as they are made here, and what stands beside."""

from attention_core import (
    causal_mask,
    combine_masks,
    padding_mask,
    project,
    scaled_dot_product_attention,
    sliding_window_mask,
)
from pages.ui import share
from pages.ui.language import Language
from pages.ui.lessons.masking_lab import Masks, say
from pages.ui.lessons.masking_program_beside import future, nothing, wrong
from pages.ui.tables.worked import Worked
from pages.ui.take import phrases
from pages.ui.take.program import Program

PARTS = {  # of the mask: what makes it, with NumPy and with PyTorch
    "causal": ("causal_mask(queries, n, corner)", "torch.ones(queries, n, dtype=torch.bool).tril(ahead)"),
    "window": ("sliding_window_mask(n, left=left, right=right)[ahead : ahead + queries]",
               "(distance >= -left) & (distance <= right)"),
    "drawn": ("drawn", "drawn"),
}
PADDING = {"end": ("padding_mask(n - pads, n)", "torch.arange(n) < n - pads"),
           "start": ("padding_mask(n - pads, n)[:, ::-1]", "torch.arange(n) >= pads")}
ALL = "np.ones((queries, n), bool)"
USES = {"causal": causal_mask, "padding": padding_mask, "window": sliding_window_mask}
BODY = """n, queries = len(x), len(x) - cached  # {cache}


def mask_of(corner):
    ahead = cached if corner == "bottom_right" else 0
    return combine_masks({parts}
    )


allowed = mask_of(corner)
{project}
query = query[cached:]
{attend}
seen = [int(mask_of(each)[row].sum()) for each in ("top_left", "bottom_right")]"""
TORCH = """n, queries = len(x), len(x) - cached  # {cache}


def mask_of(corner):
    ahead = cached if corner == "bottom_right" else 0
    distance = torch.arange(n) - torch.arange(queries)[:, None] - ahead  # (queries, n)
    mask = torch.ones(queries, n, dtype=torch.bool)
{parts}    return mask


allowed = mask_of(corner)
{project}
query = query[cached:]
{attend}
seen = [int(mask_of(each)[row].sum()) for each in ("top_left", "bottom_right")]"""


def program(_: Language, masks: Masks, worked: Worked, row: int) -> Program:
    """Return the program of the masks that are on and of what stands beside the picture."""
    more = {"wrong": wrong, "future": future}.get(share.value("beside"), nothing)(_, masks, worked)
    corner, call = share.value("align"), "query, key, value, attn_mask=allowed"
    cache = _("as many tokens ask as are not in the cache")
    torch_attend = phrases.TORCH_ATTEND.format(
        call=call, scale=phrases.ROOT, masked=phrases.HIDDEN.format(mask="allowed"),
    ).replace("torch.softmax(masked, dim=-1)", "torch.softmax(masked, dim=-1).nan_to_num(0.0)")
    return Program(
        phrases.question(_, "masking"), (say(_, masks, worked, row), *more.says),
        {"tokens": list(worked.rows["K"]), "row": row, "cached": masks.first, "corner": corner} | settings(masks)
        | {"x": worked["X"], "w_query": worked["W_Q"], "w_key": worked["W_K"], "w_value": worked["W_V"]} | more.inputs,
        (project, scaled_dot_product_attention, combine_masks, *(USES[part] for part in masks.parts if part in USES),
         *more.uses),
        BODY.format(cache=cache, parts="".join(f"\n        {part}," for part in [ALL, *made(masks, 0)]),
                    project=phrases.PROJECT, attend=phrases.ATTEND.format(call=call)) + "\n" + more.body,
        TORCH.format(cache=cache, project=phrases.TORCH_PROJECT, attend=torch_attend,
                     parts="".join(f"    mask = mask & ({part})\n" for part in made(masks, 1))) + "\n" + more.torch,
        (*shows(_), *more.shows),
        r"\mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}} + M\right) V",
    )


def settings(masks: Masks) -> dict[str, object]:
    """Return the inputs of the masks that are on."""
    found: dict[str, object] = {}
    if "padding" in masks.parts:
        found["pads"] = min(share.value("pads"), masks.n)
    if "window" in masks.parts:
        found |= {"left": share.value("left"), "right": share.value("right")}
    if "drawn" in masks.parts:
        found["drawn"] = masks.parts["drawn"]
    return found


def made(masks: Masks, library: int) -> list[str]:
    """Return the expressions that make the masks that are on: 0 with NumPy, 1 with PyTorch."""
    parts = PARTS | {"padding": PADDING[share.value("side")]}
    return [parts[part][library] for part in masks.parts]


def shows(_: Language) -> tuple[tuple[str, str], ...]:
    """Return what is printed of the masks, whatever stands beside them."""
    return (
        *phrases.stages(_, "scaled"), (_("who may look at whom"), "allowed"), *phrases.stages(_, "weights", "output"),
        (_("the query and the number of tokens"), "[tokens[cached + row], n]"),
        (_("its weights in %"), "100 * weights[row]"),
        (_("equal weights in %"), "100 / n"),
        (_("entries left, of all"), "[int(allowed.sum()), queries * n]"),
        (_("keys that the query sees: now; aligned at the top left, at the bottom right"),
         "[int(allowed[row].sum()), *seen]"),
        (_("numbers of tokens: all, one more, that ask, in the cache"), "[n, n + 1, queries, cached]"),
        (_("drawn by you"), "hidden"),
    )
