"""The teacher's screen of a class poll: the way in, the answers as they come, reveal, and on to the next question."""

from urllib.parse import urlsplit

import streamlit as st

from pages.ui import share
from pages.ui.classroom import poll, predict, qr
from pages.ui.classroom.address import address
from pages.ui.classroom.poll import CODE, STYLESHEET, rooms
from pages.ui.classroom.predictions import PREDICTIONS, Prediction
from pages.ui.classroom.rooms import EMPTY, LIFE, MOST_ROOMS, Snapshot, Status
from pages.ui.contents import PAGES
from pages.ui.language import Language

TICK = 1.0  # seconds between two looks of the teacher's screen
LOCAL = {"localhost", "127.0.0.1", "::1"}


def teacher(_: Language) -> None:
    """Draw the room of this session's link; without one, the way into a room and the way to open one."""
    ticket = share.value("host")
    code, host = ticket[:CODE], ticket[CODE:]
    if ticket and rooms().is_host(code, host):
        host_view(_, code, host)
        return
    if ticket and rooms().state(code).status in (Status.OPEN, Status.REVEALED):
        st.warning(_("This link is not that of the teacher of room {code}.", code=code.upper()),
                   icon=":material/key_off:")
    elif ticket:
        st.info(_("Your room {code} is over.", code=code.upper()), icon=":material/meeting_room:")
    st.markdown(_("**You are in a class**"))
    poll.join(_)
    st.markdown(_("**You teach**"))
    opener(_)


def opener(_: Language) -> None:
    """Offer to open a room with a first question."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="poll_opener"):
        chosen = st.selectbox(_("First question of the poll"), list(PREDICTIONS), key=f"poll_first_{_.lang}",
                              format_func=lambda id: in_words(_, PREDICTIONS[id]), width=520)
        opened = st.button(_("Open a room"), key="poll_open", icon=":material/meeting_room:", type="primary")
    st.caption(_(
        "A room lives in this server's memory and knows no names. It ends {hours} hours after its last use; while "
        "nothing has happened in it, {minutes} minutes after its teacher closed this page.",
        hours=LIFE // 3600, minutes=EMPTY // 60,
    ))
    if opened and (room := rooms().open(chosen)):
        share.set_fields({"host": room.code + room.host})
        st.rerun()
    if opened:
        st.error(_("All {most} rooms of this server are taken. Nobody is thrown out: try again when a class is over, "
                   "or run a copy of the lab of your own.", most=MOST_ROOMS), icon=":material/group_off:")


def in_words(_: Language, prediction: Prediction) -> str:
    """Name a prediction with its lesson."""
    return _("{lesson}: {prediction}", lesson=_(PAGES[prediction.page].name), prediction=_(prediction.label))


def host_view(_: Language, code: str, host: str) -> None:
    """Draw the screen that a class sees: nothing on it is small, and nothing marks the truth before the reveal."""
    state = rooms().state(code)
    prediction = PREDICTIONS[state.prediction]
    st.html(STYLESHEET)
    with st.container(key="poll_host"):
        way_in, answers = st.columns([2, 3], gap="large")
        with way_in:
            invite(_, code)
        with answers:
            st.subheader(_(prediction.question), anchor=False)
            hide = st.session_state.get("poll_hide", False)  # drawn below, as it is used once and then forgotten
            st.fragment(filling, run_every=TICK)(_, code, host, state.mark, hide)
            steps(_, code, host, state)


def invite(_: Language, code: str) -> None:
    """Draw the code, the QR code, and the address for those who type."""
    link = address("classroom", {"lang": _.lang, "room": code})
    short = address("home", {}).partition("://")[2].removesuffix("/")
    st.html(f'<p class="lab-room" data-testid="room">{code.upper()}</p>')
    if qr.fits(link):
        st.html(qr.inline(link, _("QR code that leads to room {code}", code=code.upper())))
    st.markdown(_("Or open **{address}** and enter the code **{code}**.", address=short, code=code.upper()))
    if urlsplit(link).hostname in LOCAL:
        st.warning(_(
            "Phones cannot reach this address: it means this computer only. Open the lab by the address that it has "
            "in your network, and the QR code will lead there."
        ), icon=":material/wifi_off:")


def filling(_: Language, code: str, host: str, mark: tuple[int, Status], hide: bool) -> None:
    """Draw how many have answered, and the bars as they grow; the whole page anew when the room has gone on."""
    rooms().look(code, host)
    state = rooms().state(code)
    if state.mark != mark:
        st.rerun(scope="app")
    answered = _("answered")
    st.html(f'<p class="lab-count" data-testid="count"><b>{state.count}</b> {answered}</p>')
    if hide and not state.revealed:
        st.markdown(_("The bars show at the reveal."))
    else:
        predict.result(_, PREDICTIONS[state.prediction], state.answers, revealed=state.revealed)


def steps(_: Language, code: str, host: str, state: Snapshot) -> None:
    """Offer what comes next: reveal, ask again, another question, close."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="poll_steps"):
        following = next_of(state.prediction)
        if not state.revealed:
            st.button(_("Reveal"), key="poll_reveal", icon=":material/visibility:", type="primary",
                      on_click=rooms().reveal, args=(code, host))
        elif following:
            ask(_("Next: {prediction}", prediction=_(following.label)), "poll_next", code, host, following, "primary")
        ask(_("Ask this again"), "poll_again", code, host, PREDICTIONS[state.prediction])
        others = st.popover(_("Another question"), icon=":material/list:", key="poll_others", on_change="rerun")
        if others.open:
            with others:
                for each in PREDICTIONS.values():
                    ask(in_words(_, each), f"poll_ask_{each.id}", code, host, each, "tertiary")
        with st.popover(_("Close the room"), icon=":material/logout:"):
            st.markdown(_("Everybody leaves the poll, and its answers are forgotten."))
            st.button(_("Close it for everybody"), key="poll_close", on_click=close, args=(code, host))
    st.toggle(_("Hide the bars until the reveal"), key="poll_hide")


def ask(label: str, key: str, code: str, host: str, prediction: Prediction, look: str = "secondary") -> None:
    """Offer to ask a prediction; all answers so far are forgotten."""
    st.button(label, key=key, type=look, on_click=go_on, args=(code, host, prediction.id))


def go_on(code: str, host: str, prediction: str) -> None:
    """Ask a prediction, and close the list that it was chosen from."""
    rooms().ask(code, host, prediction)
    share.set_fields({"poll_others": False})


def next_of(prediction: str) -> Prediction | None:
    """Return the prediction that follows in teaching order; None after the last."""
    ids = list(PREDICTIONS)
    following = ids[ids.index(prediction) + 1 :]
    return PREDICTIONS[following[0]] if following else None


def close(code: str, host: str) -> None:
    """Close the room, and let this session's link forget it."""
    rooms().close(code, host)
    share.set_fields({"host": ""})
