"""The prediction that a page asks for before it shows its experiment, and those that it offers."""

import streamlit as st

from pages.ui import share
from pages.ui.classroom import poll, predict
from pages.ui.classroom.predictions import PREDICTIONS, Prediction, of_page, read_answer
from pages.ui.classroom.rooms import Status
from pages.ui.language import Language


def awaits(_: Language, page: str) -> bool:
    """Draw the page's prediction, if one is asked; say whether its answer is still to come.

    Until then nothing of the experiment is drawn, so that no number gives the answer away.
    """
    prediction = PREDICTIONS.get(share.value("predict"))
    if prediction is None or prediction.page != page:
        return False
    if poll.asks(prediction):
        return poll.student_view(_, prediction, keep) is Status.OPEN
    answer = answered(prediction)
    if answer is None:
        answer = predict.ask(_, prediction)
        if answer is not None:
            keep(prediction, answer)
            st.rerun()
        return True
    predict.reveal(_, prediction, answer)
    with st.container(horizontal=True, key="after_prediction"):
        st.button(_("Ask me again"), key="ask_again", icon=":material/replay:", on_click=forget, args=(prediction,))
        st.button(_("Put the prediction away"), key="put_away", icon=":material/close:", on_click=share.choose,
                  kwargs={"predict": "none"})
    return False


def answered(prediction: Prediction) -> str | None:
    """Return the reader's answer to a prediction; None without one, and for one that a link made up."""
    answer = dict(share.value("made")).get(prediction.id)
    try:
        if answer is not None:
            read_answer(prediction, answer)
    except ValueError:
        return None
    return answer


def keep(prediction: Prediction, answer: str | None) -> None:
    """Keep an answer, if there is one, and set the experiment that settles it."""
    made = dict(share.value("made")) | ({} if answer is None else {prediction.id: answer})
    share.choose(made=tuple(made.items()), **prediction.fields)


def forget(prediction: Prediction) -> None:
    """Ask again: take the answer back."""
    share.choose(made=tuple(pair for pair in share.value("made") if pair[0] != prediction.id))


def offered(_: Language) -> list[tuple[str, dict[str, object], str | None]]:
    """Return the page's predictions as `links.row` takes experiments."""
    made, experiments = dict(share.value("made")), []
    for prediction in of_page(share.value("page")):
        label, hint = predict.label(_, prediction, made.get(prediction.id))
        experiments.append((label, taken_up(prediction), hint))
    return experiments


def taken_up(prediction: Prediction) -> dict[str, object]:
    """Return what taking a prediction up sets; one that was made is shown with its experiment."""
    return {"predict": prediction.id, **(prediction.fields if answered(prediction) else {})}
