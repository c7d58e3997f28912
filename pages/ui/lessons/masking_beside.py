"""What stands beside the picture of a mask: the choice of an experiment, and a token that is changed."""

import numpy as np

from attention_core import project, scaled_dot_product_attention
from pages.ui import controls, lesson, words
from pages.ui.language import Language
from pages.ui.lessons.masking_lab import Masks
from pages.ui.lessons.masking_ways import figure, wrong_ways
from pages.ui.tables.matrix import matrix
from pages.ui.tables.worked import Worked
from pages.ui.typed.unreadable import shown


def future(_: Language, masks: Masks, worked: Worked) -> None:
    """Change one token's vector, and show which outputs move, with the masks and without."""
    tokens = worked.rows["K"]
    at = controls.position("changed", _("Token that is changed"), [shown(token) for token in tokens]) - 1
    moved = np.stack([movement(worked, at, masks.first, masks.allowed),
                      movement(worked, at, masks.first, np.ones_like(masks.allowed))], axis=-1)  # (queries, 2)
    queries = worked.rows["weights"]
    lesson.picture(matrix("moved", moved, queries, (_("these masks"), _("no mask")), lambda value: figure(_, value),
                          caption=_("Largest change of each output")))
    lesson.sentence(" ".join(filter(None, (
        _("1 was added to each of the {d} numbers of “{token}”.", d=worked["X"].shape[1], token=shown(tokens[at])),
        who_moved(_, masks, queries, moved[:, 0]),
        earlier(_, masks, moved[:, 0], at),
        _("Without a mask {moved} of {all} outputs move.", moved=np.count_nonzero(moved[:, 1]), all=len(moved))
        if masks.parts else None,
    ))), of="future")


def movement(worked: Worked, at: int, first: int, allowed: np.ndarray) -> np.ndarray:
    """Return the largest change of each query's output after 1 was added to a token's features; 0 is exact."""
    changed = worked["X"].copy()
    changed[at] += 1
    before, after = (output(worked, x, first, allowed) for x in (worked["X"], changed))
    return np.where((after == before).all(axis=1), 0.0, np.abs(after - before).max(axis=1))  # (queries,)


def output(worked: Worked, x: np.ndarray, first: int, allowed: np.ndarray) -> np.ndarray:
    """Run the experiment on another input."""
    roles = project(x, *(worked[name] for name in ("W_Q", "W_K", "W_V")))
    return scaled_dot_product_attention(roles.query[first:], roles.key, roles.value, attn_mask=allowed).output


def who_moved(_: Language, masks: Masks, queries: tuple[str, ...], moved: np.ndarray) -> str:
    """Say which outputs moved and which stayed."""
    count = {"moved": np.count_nonzero(moved), "all": len(moved)}
    if not masks.parts:
        return _("No mask is on, so everybody may look at it: **{moved} of {all}** outputs move. Set a causal mask, "
                 "and what comes before it is safe.", **count)
    stayed = ", ".join(f"“{shown(query)}”" for query, change in zip(queries, moved, strict=True) if change == 0)
    if not stayed:
        return _("**{moved} of {all}** outputs move; none is safe from the change.", **count)
    return _("**{moved} of {all}** outputs move. Both runs agree bit for bit, with a difference of exactly **0**, for "
             "{stayed}.", stayed=stayed, **count)


def earlier(_: Language, masks: Masks, moved: np.ndarray, at: int) -> str | None:
    """Say that nothing earlier moved, where a causal mask is on and it is so."""
    before = moved[: max(at - masks.first, 0)]
    if "causal" not in masks.parts or not len(before) or before.any():
        return None
    return _("Under a causal mask nothing earlier moves: {count} of {count} earlier outputs are the same.",
             count=len(before))


def beside(_: Language, masks: Masks, worked: Worked) -> None:
    """Offer an experiment beside the picture, and show the one that is chosen."""
    match controls.choice("beside", _("Beside it"), lambda what: _(words.BESIDE[what])):
        case "wrong":
            wrong_ways(_, masks, worked)
        case "future":
            future(_, masks, worked)
