"""A student in a class poll: led to what the room asks, one answer from a phone, and a wait that costs little."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from pages.ui import share
from pages.ui.classroom import predict
from pages.ui.classroom.codes import draw_voter, is_voter
from pages.ui.classroom.predictions import PREDICTIONS, Prediction
from pages.ui.classroom.rooms import MOST_VOTERS, Outcome, Rooms, Snapshot, Status
from pages.ui.contents import PAGES
from pages.ui.fields import COMMON
from pages.ui.language import Language

STYLESHEET = Path(__file__).with_name("poll.css")
WAIT = 3.0  # seconds between two looks of a waiting phone: 100 of them cost a tenth of a core
COOKIE = "_streamlit_xsrf"
CODE = 5  # characters of a room's code


@st.cache_resource(show_spinner=False)
def rooms() -> Rooms:
    """Return the rooms of this process."""
    return Rooms()


def follow(page: str) -> None:
    """Lead a student to what the room asks, once in every round, so that everybody may look around in between.

    Call it before the page publishes its link: a student's random code is drawn here and has to stand in it, and one
    that the lab did not draw gives way to it.
    """
    code = share.value("room")
    if not code:
        return
    if not is_voter(code, share.value("voter")):
        share.set_fields({"voter": draw_voter(code, st.context.cookies.get(COOKIE))})
    state = rooms().state(code)
    prediction = PREDICTIONS.get(state.prediction)
    if prediction is None or share.watched("room") == (code, state.round):
        return
    share.keep_watched("room", (code, state.round))
    share.set_fields({"predict": prediction.id})
    if page != prediction.page:
        to = PAGES[prediction.page]
        st.switch_page(to.script, query_params=share.link_of((*COMMON, *to.fields)))


def asks(prediction: Prediction | None) -> bool:
    """Say whether the room that this session is in asks a prediction now, or has just revealed it."""
    code = share.value("room")
    return bool(code) and prediction is not None and rooms().state(code).prediction == prediction.id


def student_view(_: Language, prediction: Prediction, keep: Callable[[Prediction, str | None], None]) -> Status:
    """Draw what the room asks, or has revealed; say how the room stands: while it is OPEN nothing else may show.

    Parameters
    ----------
    prediction : Prediction
        What the room asks: `asks(prediction)` holds.
    keep : callable
        Called once, at the reveal, with the prediction and the student's answer or None: it sets the experiment.
    """
    code, voter = share.value("room"), share.value("voter")
    state = rooms().state(code)
    with st.container(key="poll"):
        bar(_, code)
        if state.revealed:
            revealed(_, prediction, state, rooms().answer_of(code, voter), keep)
        else:
            say(_, prediction, send(code, voter, prediction, predict.ask(_, prediction, _("Send my answer"))))
    wait(code, state)
    return state.status


def send(code: str, voter: str, prediction: Prediction, answer: str | None) -> Outcome | None:
    """Send an answer that was committed in this run; None if there is none."""
    outcome = rooms().answer(code, voter, answer, prediction.id) if answer is not None else None
    if outcome in (Outcome.REVEALED, Outcome.MOVED, Outcome.OVER, Outcome.UNKNOWN):
        st.rerun()  # the room went on in the meantime
    return outcome


def say(_: Language, prediction: Prediction, outcome: Outcome | None) -> None:
    """Say whether this student's answer is in."""
    answer = rooms().answer_of(share.value("room"), share.value("voter"))
    if answer is not None:
        words = predict.shown(_, prediction, predict.read_answer(prediction, answer))[0]
        st.success(_("Your answer is in: **{answer}**. You can change it until the reveal.", answer=words),
                   icon=":material/check:")
    elif outcome is Outcome.FULL:
        st.warning(_("This room is full: it has counted {most} answers and takes no more.", most=MOST_VOTERS),
                   icon=":material/group_off:")
    else:
        st.markdown(_("Your answer is not in yet. The result shows when your teacher reveals it."))


def revealed(
    _: Language, prediction: Prediction, state: Snapshot, answer: str | None,
    keep: Callable[[Prediction, str | None], None],
) -> None:
    """Draw this student's answer beside the result, and what the class answered."""
    now = (share.value("room"), state.round)
    if share.watched("revealed") != now:
        share.keep_watched("revealed", now)
        keep(prediction, answer)
        st.rerun()
    if answer is not None:
        predict.reveal(_, prediction, answer)
    else:
        st.subheader(_(prediction.question), anchor=False)
        st.markdown(_("The answers were revealed before one of yours was in."))
    predict.result(_, prediction, state.answers)


def notice(_: Language, page: str) -> None:
    """Draw a line on every page that does not show what the room asks: where the room is, and how to leave it.

    Without a room, the home page has the way in: its address is the shortest that a teacher can give.
    """
    code = share.value("room")
    if not code and page == "home":
        with st.popover(_("Enter a class poll"), icon=":material/login:", type="tertiary"):
            join(_)
    prediction = PREDICTIONS.get(share.value("predict"))
    if not code or asks(prediction) and prediction.page == page:
        return
    state = rooms().state(code)
    with st.container(key="poll_notice"):
        if state.status is Status.UNKNOWN:
            st.warning(_("There is no room {code} here: compare the code with the one on your teacher's screen, or ask "
                         "your teacher for a new one, as a room ends with its server.", code=code.upper()),
                       icon=":material/search_off:")
        elif state.status is Status.OVER:
            st.info(_("The room {code} is over. What you see is the lab as it is for everybody.", code=code.upper()),
                    icon=":material/meeting_room:")
        bar(_, code, state.status in (Status.OPEN, Status.REVEALED))
    if state.status in (Status.OPEN, Status.REVEALED):
        wait(code, state)


def bar(_: Language, code: str, back: bool = False) -> None:
    """Draw the room's code, the way back to its question, and the way out."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="poll_bar"):
        st.markdown(_("Class poll, room **{code}**", code=code.upper()), width="content")
        if back:
            st.button(_("To the question of the class"), key="poll_back", icon=":material/how_to_vote:",
                      on_click=share.keep_watched, args=("room", None))
        st.button(_("Leave the room"), key="poll_leave", icon=":material/logout:", type="tertiary", on_click=leave)


def leave() -> None:
    """Leave the room; an answer that was given stays counted."""
    share.set_fields({"room": "", "voter": "", "predict": "none"})


def enter(code: str) -> None:
    """Enter a room whose code was typed; the next page to open leads on."""
    share.set_fields({"room": code, "voter": ""})
    share.keep_watched("room", None)


def join(_: Language) -> None:
    """Ask for a room's code, for those who have no camera at hand."""
    with st.form("join", border=False):
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            typed = st.text_input(_("Code of the room"), max_chars=CODE + 3, key="join_code", autocomplete="off",
                                  width=180)
            entered = st.form_submit_button(_("Enter"), key="join_enter", icon=":material/login:")
    code = typed.strip().lower()
    if entered and rooms().state(code).status in (Status.OPEN, Status.REVEALED):
        enter(code)
        st.rerun()
    if entered:
        st.warning(_("There is no such room now. A code has {length} letters and digits.", length=CODE),
                   icon=":material/search_off:")


def wait(code: str, state: Snapshot) -> None:
    """Look after the room every few seconds; draw the whole page anew when it has revealed, gone on or ended."""
    st.fragment(look, run_every=WAIT)(code, state.mark)


def look(code: str, mark: tuple[int, Status]) -> None:
    """Compare the room with what the page shows."""
    if rooms().state(code).mark != mark:
        st.rerun(scope="app")
