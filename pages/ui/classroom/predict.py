"""The card of a prediction: it asks, then shows the answer beside the result; and what a whole class answered."""

from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path

import streamlit as st

from pages.ui.classroom.prediction import Prediction, read_answer, right, write_number
from pages.ui.classroom.tally import Group, readable, right_ones, tally
from pages.ui.language import Language
from pages.ui.typed import entry
from pages.ui.typed.unreadable import Unreadable
from pages.ui.typed.unreadable import shown as shown_text

STYLESHEET = Path(__file__).with_name("predict.css")
LONGEST = 12  # characters of a typed number


def ask(_: Language, prediction: Prediction, label: str | None = None) -> str | None:
    """Draw the card; return the answer as a link carries it when it is committed in this run, by a button `label`."""
    label = label or _("Commit, then see the result")
    st.html(STYLESHEET)
    with st.container(border=True, key="prediction"):
        st.markdown("**" + _("Predict first") + "**")
        st.subheader(_(prediction.question), anchor=False)
        return {"choice": ask_choice, "number": ask_number, "bar": ask_bar}[prediction.kind](_, prediction, label)


def ask_choice(_: Language, prediction: Prediction, label: str) -> str | None:
    """Ask for one of the options."""
    with st.form(f"form_{prediction.id}", border=False):
        chosen = st.radio(
            _("Your prediction"), [id for id, *rest in prediction.options], index=None, key=key(prediction),
            format_func=lambda id: _(prediction.option(id)[0]),
        )
        committed = commit(prediction, label, st.form_submit_button)
    if committed and chosen is None:
        st.error(_("Nothing is chosen yet. Choose one of the answers, then commit."), icon=":material/edit_off:")
    return chosen if committed else None


def ask_number(_: Language, prediction: Prediction, button: str) -> str | None:
    """Ask for a number, with a decimal point or comma; what cannot be read stays as it was typed."""
    low, high = (_.short(bound) for bound in prediction.bounds)
    label = (_("Your prediction, a whole number from {low} to {high}", low=low, high=high) if prediction.whole
             else _("Your prediction, a number from {low} to {high}", low=low, high=high))
    with st.form(f"form_{prediction.id}", border=False):
        typed = st.text_input(label, max_chars=LONGEST, key=key(prediction), autocomplete="off")
        committed = commit(prediction, button, st.form_submit_button)
    if not committed:
        return None
    try:
        return number_of(prediction, typed)
    except ValueError as problem:
        st.error(refusal(_, prediction, typed, problem), icon=":material/edit_off:")
    return None


def number_of(prediction: Prediction, typed: str) -> str:
    """Return a typed number as a link carries it.

    Raises
    ------
    ValueError
        For what is no number (Unreadable, which says why), or none that this prediction takes.

    Examples
    --------
    >>> number_of(Prediction("x1", "", {}, "", "", None, kind="number", near=0.1), " 0,5 ")
    '0.5'
    """
    text = write_number(entry.number(typed))
    read_answer(prediction, text)
    return text


def refusal(_: Language, prediction: Prediction, typed: str, problem: ValueError) -> str:
    """Say why a typed text is no answer."""
    if not typed.strip():
        return _("Nothing is typed yet. Type a number, then commit.")
    if isinstance(problem, Unreadable):
        return problem.say(_)
    low, high = (_.short(bound) for bound in prediction.bounds)
    if prediction.whole:
        return _("“{typed}” is no answer here: type a whole number from {low} to {high}.", typed=shown_text(typed),
                 low=low, high=high)
    return _("“{typed}” is no answer here: type a number from {low} to {high}.", typed=shown_text(typed), low=low,
             high=high)


def ask_bar(_: Language, prediction: Prediction, label: str) -> str | None:
    """Ask for a share from 0 to 1, drawn as a bar while it is set."""
    value = st.slider(_("Your prediction, from 0 to 1"), 0.0, 1.0, 0.5, 0.01, format="%.2f", key=key(prediction))
    st.html(f'<div class="lab-predicting">{bar(value)}<b>{_.number(value, 2)}</b></div>')
    return write_number(value) if commit(prediction, label, st.button) else None


def commit(prediction: Prediction, label: str, button: Callable[..., bool]) -> bool:
    """Offer to commit; the button can always be pressed, and says what is missing."""
    return button(label, key=f"commit_{prediction.id}", type="primary",
                  icon=":material/lock:")


def key(prediction: Prediction) -> str:
    """Name the widget of an answer."""
    return f"answer_{prediction.id}"


def reveal(_: Language, prediction: Prediction, answer_text: str) -> None:
    """Draw the card afterwards: the prediction beside the result, and what the experiment says to it.

    Raises
    ------
    ValueError
        If the text is no answer to this prediction.
    """
    answer, truth = read_answer(prediction, answer_text), prediction.truth()
    st.html(STYLESHEET)
    with st.container(border=True, key="prediction"):
        st.html(verdict(_, prediction, answer))
        st.subheader(_(prediction.question), anchor=False)
        st.html(table("predicted", [
            row(_("Your prediction"), *shown(_, prediction, answer)),
            row(_("Measured"), *shown(_, prediction, truth.answer), measured=True),
        ], end=1 if prediction.kind == "bar" else None))
        with st.container(key="sentence_prediction"):
            st.markdown(truth.said(_))
            if prediction.kind == "choice":
                label, why = (_(text) for text in prediction.option(answer))
                st.markdown(_("You chose “{label}”. {why}", label=label, why=why))


def verdict(_: Language, prediction: Prediction, answer: str | float) -> str:
    """Say by a mark, a word and a colour whether the prediction is right, and how near a number is."""
    good = right(prediction, answer)
    mark, kind, word = ("✓", "right", _("Predicted right")) if good else ("✗", "wrong", _("Not as predicted"))
    near = ""
    if prediction.near:
        off = abs(answer - prediction.truth().answer)
        near = _("off by {off}; up to {near} counts as right", off=_.number(off, places_of(off)),
                 near=_.number(prediction.near, places_of(prediction.near)))
    return (f'<p class="lab-verdict"><span class="verdict {kind}"><span aria-hidden="true">{mark}</span> '
            f"{escape(word)}</span> {escape(near)}</p>")


def places_of(value: float) -> int:
    """Return how many decimals a number needs, at most four.

    >>> places_of(3.0), places_of(0.05), places_of(1 / 3)
    (0, 2, 4)
    """
    return len(write_number(value).partition(".")[2])


def shown(_: Language, prediction: Prediction, answer: str | float) -> tuple[str, float | None]:
    """Return an answer in words, and the length of its bar where it has one."""
    if prediction.kind == "choice":
        return _(prediction.option(answer)[0]), None
    return _.number(answer, places_of(answer)), answer if prediction.kind == "bar" else None


def bar(share: float) -> str:
    """Return a bar on an axis from 0 to 1."""
    return f'<span class="bar" style="--t: {share:.4f}"></span>'


def row(label: str, text: str, share: float | None = None, measured: bool = False, mark: str | None = None) -> str:
    """Return a row of a table: what it is, its answer or count, and a bar."""
    head = f'<th scope="row">{escape(label)}</th>'
    figure = f'<td{" class=figure" if share is not None else ""}>{escape(text)}</td>'
    drawn = "" if share is None else f'<td class="bar">{bar(share)}</td>'
    marked = "" if mark is None else f'<td class="mark">{escape(mark)}</td>'
    return f"<tr{' class=measured' if measured else ''}>{head}{figure}{drawn}{marked}</tr>"


def table(name: str, rows: Sequence[str], caption: str = "", end: int | None = None) -> str:
    """Return a table; where its rows have bars, an axis from 0 to `end` stands over them."""
    ends = "" if end is None else f"<span>0</span><span>{end}</span>"
    head = f'<td></td><td></td><td class="axis" aria-hidden="true"><div>{ends}</div></td>'
    axis = ends and f"<thead><tr>{head}</tr></thead>"
    title = caption and f"<caption>{escape(caption)}</caption>"
    return (f'<table class="lab-predicted {name}" data-testid="{name}">{title}{axis}'
            f"<tbody>{''.join(rows)}</tbody></table>")


def label(_: Language, prediction: Prediction, answer_text: str | None) -> tuple[str, str | None]:
    """Return the label of a prediction, and once it is made whether it was right: as an icon, and in words."""
    given = [] if answer_text is None else readable(prediction, [answer_text])
    if not given:
        return _(prediction.label), None
    if right(prediction, given[0]):
        return f":material/check: {_(prediction.label)}", _("Predicted right")
    return f":material/close: {_(prediction.label)}", _("Not as predicted")


def result(_: Language, prediction: Prediction, answers: Sequence[str], revealed: bool = True) -> None:
    """Draw what a class answered, and say it; only once it is revealed, what the experiment gives."""
    st.html(STYLESHEET)
    groups, count = tally(_, prediction, answers), len(readable(prediction, answers))
    measured = _("◀ measured: {value}", value=shown(_, prediction, prediction.truth().answer)[0])
    if prediction.kind == "choice":
        measured = _("◀ measured")
    st.html(table("poll", [
        row(group.label, str(group.count), group.count / max(count, 1), revealed and group.measured,
            measured if revealed and group.measured else "")
        for group in groups
    ], _("Answers of the class"), end=count or None))
    with st.container(key="sentence_poll"):
        st.markdown(counted(_, groups, count))
        if revealed and count:
            st.markdown(_("Right: {right} of {count}. {says}", right=right_ones(prediction, answers), count=count,
                          says=prediction.truth().said(_)))


def counted(_: Language, groups: Sequence[Group], count: int) -> str:
    """Say how many answers there are, and which are the most frequent."""
    if not count:
        return _("No answer yet.")
    most = max(group.count for group in groups)
    frequent = [_("“{answer}”", answer=group.label) for group in groups if group.count == most]
    return _("Answers: {count}. Most frequent, with {most}: {answers}.", count=count, most=most,
             answers=", ".join(frequent))
