"""Check your own: an output pasted or uploaded for the inputs that are shown, and what is the matter with it."""

import numpy as np
import streamlit as st

from pages.ui import lesson, words
from pages.ui.bench import own
from pages.ui.bench.diagnosis import Diagnosis, diagnose
from pages.ui.language import N_, Language
from pages.ui.lessons.verification_experiment import Chosen
from pages.ui.lessons.verification_matrices import READABLE, numbers
from pages.ui.lessons.verification_mistakes import SIGNATURE
from pages.ui.lessons.verification_table import pair, place, size_of
from pages.ui.tables.matrix import matrix, side_by_side
from pages.ui.tables.worked import CAPTION, SCALE
from pages.ui.typed.unreadable import Unreadable

TYPES = ["npy", "npz", "csv", "txt", "json"]
LAYOUT = {
    "transposed": N_("It is the right output with its last two axes swapped: transpose it."),
    "heads_after_rows": N_("It is the right output with the heads after the rows; here they stand before them: "
                           "swapaxes(-2, -3)."),
    "heads_side_by_side": N_("It is the right output with the heads side by side in one row; here they have an axis "
                             "of their own."),
    "flattened": N_("It is the right output with the rows of all heads and sequences under each other; here they have "
                    "axes of their own."),
}


def show(_: Language, chosen: Chosen) -> None:
    """Show the inputs, take an output, and say what it is."""
    experiment = chosen.experiment
    if experiment is None:
        return
    lesson.sentence(_(
        "Run your own attention on these inputs and hand in its output, **{shape}**: `{inputs}`.",
        shape=shape_of(experiment.grad_output.shape), inputs=experiment.describe(),
    ))
    given_matrices(_, chosen)
    with st.expander(_("The inputs to the last digit, as a program")):
        st.code(experiment.inputs(), language=None)
    given = hand_in(_)
    if given is None:
        st.info(_("Nothing is handed in yet. NPY, NPZ with one array, CSV, JSON, or as NumPy and PyTorch print it; at "
                  "most 1 MB and {most} numbers. It is read as data only, and nothing is stored.", most=own.NUMBERS),
                icon=":material/upload_file:")
        return
    try:
        output = own.handed(*given)
    except Unreadable as refusal:
        st.error(refusal.say(_), icon=":material/edit_off:")
        return
    say(_, diagnose(experiment, output.array, output.dtype, output.rounding), output.digits)


def given_matrices(_: Language, chosen: Chosen) -> None:
    """Draw Q, K and V where they are small enough."""
    given = {"Q": chosen.experiment.query, "K": chosen.experiment.key, "V": chosen.experiment.value}
    if all(array.ndim == 2 and max(array.shape) <= READABLE for array in given.values()):
        lesson.picture(side_by_side(*(
            matrix(name, array, chosen.queries if name == "Q" else chosen.keys, numbers(array), _.number,
                   caption=_(CAPTION[name]), scale=SCALE[name])
            for name, array in given.items()
        )))


def hand_in(_: Language) -> tuple[bytes | str, str] | None:
    """Ask for an output; a file goes before a text."""
    left, right = st.columns(2)
    with left:
        text = st.text_area(_("Paste your output"), key="own_text", height=180, max_chars=own.TYPED)
    with right:
        file = st.file_uploader(_("Or upload it"), type=TYPES, key="own_file", max_upload_size=1)
    if file is not None:
        return file.getvalue(), file.name
    return (text, "") if text and text.strip() else None


def say(_: Language, found: Diagnosis, digits: int | None = None) -> None:
    """Say what an output is: right, right in another way, a classic mistake, or how far off and where."""
    if found.kind in ("right", "lower_precision"):
        st.success(agreeing(_, found, digits), icon=":material/check_circle:")
    elif found.kind == "undecided":
        st.warning(undecided(_, found, digits), icon=":material/help:")
    elif found.kind == "other_layout":
        st.warning(_("The numbers are right and the axes are not. {layout}", layout=_(LAYOUT[found.layout])),
                   icon=":material/grid_off:")
    elif found.kind == "wrong_shape":
        st.error(_("Your output has the shape {shape}; for these inputs it is {expected}.",
                   shape=shape_of(found.shape), expected=shape_of(found.expected_shape)), icon=":material/grid_off:")
    else:
        st.error(mistaken(_, found) if found.mistakes else off(_, found), icon=":material/bug_report:")
    if found.nan_count:
        st.markdown(missing(_, found))
    for mistake in found.mistakes if found.kind == "mistake" else ():
        signature, mend, *others = SIGNATURE[mistake]
        lesson.sentence(_(signature), of=f"signature_{mistake}")
        st.markdown(_("**To mend it:** {mend}", mend=_(mend)))


def missing(_: Language, found: Diagnosis) -> str:
    """Say where an output holds no number."""
    places = ", ".join(map(place, found.nans))
    if found.nan_count == 1:
        return _("One entry is NaN, not a number: {places}.", places=places)
    if found.nan_count > len(found.nans):
        return _("{count} entries are NaN, not a number; the first of them: {places}.", count=found.nan_count,
                 places=places)
    return _("{count} entries are NaN, not a number: {places}.", count=found.nan_count, places=places)


def agreeing(_: Language, found: Diagnosis, digits: int | None) -> str:
    """Say how near a right output is."""
    holes = {"tolerance": size_of(_, found.tolerance), "precision": found.precision}
    if found.kind == "lower_precision":
        return _("Right, as far as its digits go: every entry lies within {tolerance} of the exact one, and with "
                 "{digits} significant digits no more can be told. Print or save more of them to check it closer.",
                 digits=digits, **holes)
    if digits and found.precision != "float64":
        return _("Right, as far as its digits go: every entry lies within {tolerance} of the exact one. With {digits} "
                 "significant digits it is judged in {precision}.", digits=digits, **holes)
    return _("Right: every entry lies within {tolerance} of the exact one, in {precision}.", **holes)


def undecided(_: Language, found: Diagnosis, digits: int | None) -> str:
    """Say that an output has too few digits to tell it from that of a mistake."""
    return _("With {digits} significant digits nobody can tell: the right output looks like this, and so does that of "
             "a mistake: **{mistakes}**. Print or save more digits.", digits=digits,
             mistakes=", ".join(_(words.BUG[mistake]) for mistake in found.mistakes))


def mistaken(_: Language, found: Diagnosis) -> str:
    """Name the mistakes whose output it is."""
    names = [_(words.BUG[mistake]) for mistake in found.mistakes]
    if len(names) == 1 and np.isnan(found.difference):
        return _("It is the output of a classic mistake: **{mistake}**. It holds no number where the right output has "
                 "one.", mistake=names[0])
    if len(names) == 1:
        return _("It is the output of a classic mistake: **{mistake}**. Its largest difference from the right output "
                 "is {difference}.", mistake=names[0], difference=size_of(_, found.difference))
    return _("It is the output of a classic mistake, and on these inputs several give the same: **{mistakes}**.",
             mistakes=", ".join(names))


def off(_: Language, found: Diagnosis) -> str:
    """Say how far off, where, and how much of it."""
    got, expected = pair(_, found.got, found.expected)
    holes = {"place": place(found.index), "got": got, "expected": expected, "tolerance": size_of(_, found.tolerance),
             "share": _.percent(found.share)}
    if np.isnan(found.difference):
        return _("Not right, and none of the classic mistakes. At {place} yours is no number; right is {expected}. Off "
                 "by more than {tolerance}, or no number, are {share} of the entries.", **holes)
    return _(
        "Not right, and none of the classic mistakes. The largest difference is **{difference}**, at {place}: yours "
        "{got}, right {expected}. Off by more than {tolerance} are {share} of the entries.",
        difference=size_of(_, found.difference), **holes,
    )


def shape_of(shape: tuple[int, ...]) -> str:
    """Write a shape."""
    return " × ".join(map(str, shape))
