"""What the pipeline's last step shows under its tables: the output among the values, another order, the whole path."""

import numpy as np
import streamlit as st

from attention_core.hull import convex_hull, inside_hull
from pages.ui import charts, lesson
from pages.ui.language import N_, Language, power
from pages.ui.lessons.pipeline_follow import Followed, worked_out
from pages.ui.tables.matrix import matrix, operator, side_by_side
from pages.ui.typed.sentence import Sentence
from pages.ui.typed.unreadable import shown

NAME = 12  # characters of a word that fit beside its point
PATH = (
    ("X", "plain", "<i class='symbol'>x</i>"), ("Q", "query", "<i class='Q'>q</i>"), ("scores", "score", N_("Scores")),
    ("scaled", "score", N_("Scaled scores")), ("weights", "weight", N_("Weights in %")),
    ("output", "value", N_("Output")),
)


def inside_the_values(_: Language, at: Followed) -> None:
    """Show that the output lies among the values: in a plane of two dimensions, and in each dimension by itself."""
    st.subheader(where_it_lies(_, len(at.tokens)), anchor=False)
    output, value = at.worked["output"][at.row], at.worked["V"]
    left, right = st.columns([3, 2])
    with left:
        if len(output) > 1:
            plane(_, at, output[:2], value[:, :2])
        else:
            st.markdown(_("The values have one dimension only, so there is no plane to draw."))
    with right:
        low, high = value.min(axis=0), value.max(axis=0)  # (d_v,)
        lesson.picture(matrix(
            "range", np.stack([low, output, high], axis=1), at.worked.columns["V"],
            (_("smallest value"), _("output"), _("largest value")), lambda number: _.number(number, 2),
            caption=_("Between smallest and largest, by dimension"), scale="value",
        ))
        st.markdown(_(
            "The weights are positive and sum to 1, so the output is a weighted average: attention by itself can mix "
            "values, and can never leave the range they span. A block goes on with an output projection and a "
            "feed-forward layer, which can."
        ))


def where_it_lies(_: Language, n: int) -> str:
    """Say in a heading where the output of n values lies."""
    if n < 3:
        return _("The output is the only value") if n == 1 else _("The output lies between the two values")
    return _("The output lies inside the outline of the values")


def plane(_: Language, at: Followed, output: np.ndarray, value: np.ndarray) -> None:
    """Draw the values and the output in the first two dimensions of V."""
    corners = convex_hull(value)
    lesson.chart(
        charts.hull_picture(
            value, corners, output,
            [name if len(name) <= NAME else name[: NAME - 1] + "…" for name in at.worked.rows["V"]],
            {"values": _("values"), "output": _("output"),
             "hull": _("their outline") if len(corners) > 2 else _("the line between them"),
             "x": _("dimension {number} of V", number=1), "y": _("dimension {number} of V", number=2)},
            _.separators,
        ),
        key="hull",
        title=_("Two of {d_v} dimensions", d_v=at.worked["V"].shape[1]),
        alt=outlined(_, at, output, value, len(corners)),
    )


def outlined(_: Language, at: Followed, output: np.ndarray, value: np.ndarray, corners: int) -> str:
    """Say what the picture of the plane shows; the values may be one point or lie on one line."""
    inside = inside_hull(output, value)
    holes = {"n": len(value), "corners": corners, "word": at.quoted(_, at.row), "output": _.list(output, 2)}
    if len(value) == 1:
        return _("There is one value, and the output of {word}, ({output}), is that value.", **holes)
    if corners == 1:
        return _("All {n} values lie on one point here, and so does the output of {word}: ({output}).", **holes)
    if corners == 2 and inside:
        return _("The {n} values lie on one line here, and the output of {word}, ({output}), lies on it between its "
                 "two ends.", **holes)
    return _("The outline of {n} values has {corners} corners; the output of {word}, ({output}), lies {inside}.",
             inside=_("inside the outline") if inside else _("outside the outline"), **holes)


def in_another_order(_: Language, given: Sentence) -> None:
    """Say what reversing the words does to the outputs, as measured."""
    st.subheader(_("In another order"), anchor=False)
    forth, back = worked_out(given)["output"], worked_out(given, backwards=True)["output"]
    difference = float(abs(back[::-1] - forth).max())
    holes = {
        "typed": " ".join(map(shown, given.tokens)), "reversed": " ".join(map(shown, given.tokens[::-1])),
        "difference": power(_, difference),
    }
    if len(given.tokens) == 1:
        says = _("A single word has no other order. Type a second word to reverse them.")
    elif difference == 0:
        says = _("Attention does not know where a word stands. With the words reversed, “{reversed}”, exactly the same "
                 "outputs come out in reversed order: the largest difference to the outputs of “{typed}” is **0**. "
                 "Word order has to be added to X, as positions.", **holes)
    else:
        says = _("Attention does not know where a word stands. With the words reversed, “{reversed}”, the same outputs "
                 "come out in reversed order: the largest difference to the outputs of “{typed}” is "
                 "**{difference}**, no more than rounding. Word order has to be added to X, as positions.", **holes)
    lesson.sentence(says, of="order")


def whole_path(_: Language, at: Followed) -> None:
    """Show one row of every matrix: the path of the word from its vector to its output."""
    st.subheader(_("The whole path of “{word}”", word=at.word), anchor=False)
    signs = (operator(sign) for sign in ("× W<sub>Q</sub>", "× <i class='K'>K</i>ᵀ", f"÷ √{at.worked['K'].shape[1]}",
                                         "softmax", "× <i class='V'>V</i>", ""))
    lesson.picture(side_by_side(*(
        part for station, sign in zip(PATH, signs, strict=True) for part in (one_row(_, at, *station), sign)
    )))


def one_row(_: Language, at: Followed, name: str, scale: str, caption: str) -> str:
    """Draw the word's row of a matrix."""
    percent = name == "weights"
    return matrix(
        f"path_{name}", at.worked[name][[at.row]], at.worked.rows[name][at.row : at.row + 1], at.worked.columns[name],
        lambda value: _.number(100 * value, 1) if percent else _.number(value, 2), caption=_(caption), scale=scale,
    )
