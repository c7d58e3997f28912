"""Patches of a small picture as tokens: the chosen patch attends, and its weights lie over the picture as a map."""

from html import escape

import numpy as np

from attention_core import Attention, scaled_dot_product_attention
from attention_core.not_text import patches, picture, standardised
from pages.ui import controls, lesson, share
from pages.ui.language import N_, Language
from pages.ui.lessons.heads_tables import size
from pages.ui.tables.board import board
from pages.ui.tables.matrix import exact, matrix, side_by_side

SIZE, ACROSS = 2, 4  # pixels of a patch, patches of a row
DRAWING = {"letter": N_("a letter"), "ring": N_("a ring"), "gradient": N_("a slope")}


def ask(_: Language) -> None:
    """Ask for the picture."""
    controls.choice("drawing", _("Picture"), lambda name: _(DRAWING[name]))


def show(_: Language) -> None:
    """Show the picture as a map of weights, the chosen patch's numbers and the sentence."""
    cut = patches(picture(share.value("drawing")), SIZE)  # (16, 4)
    x = standardised(cut)
    attention = scaled_dot_product_attention(x, x, x)
    at = share.value("patch") - 1
    with lesson.shown():
        board(
            "patch_board", weights_map(_, cut, attention.weights[at], at), numbers(_, cut, x, attention, at),
            toggle=("patches", choose),
        )
        lesson.sentence(say(_, cut, x, attention, at))


def choose(row: int, column: int) -> None:
    """Make a patch the query; row and column count from 1."""
    if row <= ACROSS and column <= ACROSS:
        share.choose(patch=ACROSS * (row - 1) + column)


def weights_map(_: Language, cut: np.ndarray, weights: np.ndarray, at: int) -> str:
    """Draw the picture patch by patch, under each what the chosen patch gives it."""
    names = [_("row {number}", number=i + 1) for i in range(ACROSS)]
    rows = "".join(
        f'<tr><th scope="row">{name}</th>'
        + "".join(cell(_, cut, weights, at, ACROSS * i + j) for j in range(ACROSS)) + "</tr>"
        for i, name in enumerate(names)
    )
    heads = "".join(f'<th scope="col">{j + 1}</th>' for j in range(ACROSS))
    caption = _("Choose a patch: it asks, and each patch shows what it gets in %")
    return (
        '<div class="lab-scroll" data-key="patches"><table class="lab-matrix weight live lab-patches" '
        f'data-testid="matrix-patches" data-matrix="patches"><caption>{caption}</caption>'
        f"<thead><tr><td></td>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def cell(_: Language, cut: np.ndarray, weights: np.ndarray, at: int, patch: int) -> str:
    """Draw one patch: its pixels, and its weight; full colour is the largest weight."""
    pixels = "".join(f'<i style="--grey: {grey:.3f}"></i>' for grey in cut[patch])
    row, column = divmod(patch, ACROSS)
    here = patch == at
    share_of_largest = weights[patch] / weights.max()
    text = escape(_.number(100 * weights[patch], 1))
    return (
        f'<td class="cell{" chosen" * here}" style="--t: {share_of_largest:.3f}"{exact(weights[patch], text)}>'
        f'<button type="button" class="number" tabindex="-1" data-at="{row + 1}.{column + 1}"'
        f'{" aria-current=true" * here}><span class="pixels" aria-hidden="true">{pixels}</span>{text}</button></td>'
    )


def numbers(_: Language, cut: np.ndarray, x: np.ndarray, attention: Attention, at: int) -> str:
    """Show the chosen patch and the one it finds as tokens: four grey values, and the same standardised."""
    best = int(attention.weights[at].argmax())
    chosen = [(_("patch {number}", number=at + 1), at)]
    if best != at:
        chosen.append((_("patch {number}", number=best + 1), best))
    names, places = zip(*chosen, strict=True)
    pixels = [str(i + 1) for i in range(SIZE**2)]
    two = lambda value: _.number(value, 2)  # noqa: E731
    return side_by_side(
        matrix("grey", cut[list(places)], names, pixels, two, caption=_("Grey values, 0 black, 1 white")),
        matrix("tokens", x[list(places)], names, pixels, two, scale="score",
               caption=_("Standardised: the tokens")),
    )


def say(_: Language, cut: np.ndarray, x: np.ndarray, attention: Attention, at: int) -> str:
    """Say what the patch finds, and that attention knows nothing of places."""
    weights = attention.weights[at]
    best, twins = int(weights.argmax()), int((cut == cut[at]).all(axis=1).sum())
    turned = x[::-1]
    moved = np.abs(scaled_dot_product_attention(turned, turned, turned).weights[::-1, ::-1] - attention.weights).max()
    return " ".join((
        _("{count} patches of {size} × {size} pixels are {count} tokens, each a row of X with {width} numbers; here Q, "
          "K and V are X itself.", count=len(cut), size=SIZE, width=x.shape[1]),
        _("Patch {patch} gives itself **{own}**, and the most, **{most}**, to patch {best}.", patch=at + 1,
          own=_.percent(weights[at], 1), most=_.percent(weights[best], 1), best=best + 1) if best != at else
        _("Patch {patch} gives the most, **{most}**, to itself.", patch=at + 1, most=_.percent(weights[at], 1)),
        _("{twins} patches look exactly like it, itself counted, and get the same.", twins=twins) if twins > 1 else
        _("No other patch looks exactly like it."),
        _("Shuffle the patches and every pair keeps its weight (largest difference {moved}): where a patch lies has to "
          "be added to its vector, as Vision Transformers do.", moved=size(_, moved)),
    ))
