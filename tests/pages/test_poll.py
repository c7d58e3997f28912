"""A class poll on its pages: a teacher and students, each in a session of their own, meet in one room."""

import re

import pytest

from pages.ui.classroom import codes, host, poll
from pages.ui.classroom.predictions import PREDICTIONS
from pages.ui.classroom.rooms import AWAY, EMPTY, LIFE, MOST_ROOMS, Rooms
from pages.ui.language import Language

EN, ID = Language("en"), Language("id")
LANGUAGES = [EN, ID]
SPREAD, LUCKY = PREDICTIONS["spread"], PREDICTIONS["lucky"]


class Clock:
    """A clock that a test sets."""

    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture(autouse=True)
def rooms(monkeypatch, clock):
    """Rooms of this test alone."""
    mine = Rooms(clock, most_voters=3)
    monkeypatch.setattr(poll, "rooms", lambda: mine)
    monkeypatch.setattr(host, "rooms", lambda: mine)
    return mine


@pytest.fixture
def room(rooms):
    return rooms.open("spread")


@pytest.fixture
def student(lab, room):
    """Open a student's session on the page of the prediction."""
    return lambda number=1, lang="en": lab("scaling", room=room.code, voter=voter(room, number), lang=lang)


def voter(room, number=1):
    """The code of a voter whom the lab has drawn."""
    return codes.sign(room.code, f"{number:09d}")


def answered(page, text, id="spread"):
    page.app.radio(key=f"answer_{id}").set_value(text)
    return page.press(f"commit_{id}")


def shows(page):
    """Whether anything of the experiment shows."""
    return bool(page.elements or page.app.get("plotly_chart"))


def named(_):
    return _.lang


@pytest.mark.parametrize("_", LANGUAGES, ids=named)
def test_a_student_answers_may_change_and_sees_the_result_only_at_the_reveal(student, rooms, room, _):
    page = student(lang=_.lang)
    assert _(SPREAD.question) in page.says and not shows(page)
    assert _("Your answer is not in yet. The result shows when your teacher reveals it.") in page.says
    for answer in ("times", "root"):
        answered(page, answer)
        told = _("Your answer is in: **{answer}**. You can change it until the reveal.",
                 answer=_(SPREAD.option(answer)[0]))
        assert told.replace("**", "") in page.says
        assert rooms.state(room.code).answers == (answer,)
        assert SPREAD.truth().said(_).replace("**", "") not in page.says and not shows(page)
    assert rooms.reveal(room.code, room.host)
    page.run()
    assert SPREAD.truth().said(_).replace("**", "") in page.says and shows(page)
    assert page.link["made"] == "spread.root" and page.link["d_k"] == "256"


def test_the_same_voter_comes_back_with_the_answer_and_is_counted_once(student, rooms, room):
    answered(student(), "times")
    again = student()
    assert "Your answer is in" in again.says
    answered(again, "times")
    answered(student(2), "times")
    assert rooms.state(room.code).answers == ("times", "times")


def test_a_student_without_a_code_gets_one_at_random_into_the_link(lab, room):
    first, second = (lab("scaling", room=room.code) for _ in range(2))
    voters = [page.link["voter"] for page in (first, second)]
    assert all(re.fullmatch("[a-z0-9]{16}", voter) for voter in voters) and voters[0] != voters[1]
    assert first.link["predict"] == "spread"


def test_a_code_that_somebody_made_up_gives_way_to_one_that_the_lab_draws(lab, room, rooms):
    for number in range(2):
        page = lab("scaling", room=room.code, voter=f"zz0000000000000{number}")
        assert codes.is_voter(room.code, page.link["voter"])
    mine = page.link["voter"]
    answered(page, "times")
    assert page.link["voter"] == mine and rooms.answer_of(room.code, mine) == "times"
    again = lab("scaling", room=room.code, voter=mine)
    assert again.link["voter"] == mine and "Your answer is in" in again.says


def test_who_did_not_answer_in_time_is_told_so_and_sees_the_experiment(student, rooms, room):
    page = student()
    rooms.reveal(room.code, room.host)
    page.run()
    assert "The answers were revealed before one of yours was in." in page.says and shows(page)
    assert "made" not in page.link and page.link["d_k"] == "256"
    page.slide("keys", 12)
    assert page.link["keys"] == "12", "the reveal sets the experiment once"


def test_an_answer_that_crosses_the_reveal_is_not_counted(student, rooms, room):
    page = student()
    rooms.reveal(room.code, room.host)
    page.app.radio(key="answer_spread").set_value("times")
    page.press("commit_spread")
    assert rooms.state(room.code).count == 0 and "before one of yours was in" in page.says


def test_the_room_goes_on_to_another_question_of_the_page(student, rooms, room):
    page = answered(student(), "times")
    rooms.ask(room.code, room.host, "lucky")
    page.run()
    assert page.link["predict"] == "lucky" and LUCKY.question in page.says
    assert "Your answer is not in yet." in page.says and rooms.state(room.code).count == 0


def test_the_same_question_asked_anew_is_answered_anew(student, rooms, room):
    page = answered(student(), "times")
    rooms.reveal(room.code, room.host)
    page.run()
    rooms.ask(room.code, room.host, "spread")
    page.run()
    assert "Your answer is not in yet." in page.says and not shows(page)
    answered(page, "root")
    rooms.reveal(room.code, room.host)
    page.run()
    assert page.link["made"] == "spread.root" and rooms.state(room.code).answers == ("root",)


def test_a_full_room_says_so(student, rooms, room):
    for number in range(3):
        rooms.answer(room.code, f"voter0000000100{number}", "same")
    page = answered(student(), "times")
    assert "This room is full" in page.says and rooms.state(room.code).count == 3


@pytest.mark.parametrize("_", LANGUAGES, ids=named)
def test_an_unknown_room_is_named_and_can_be_left(lab, _):
    page = lab("classroom", room="zzzzz", lang=_.lang)
    assert _("There is no room {code} here: compare the code with the one on your teacher's screen, or ask your "
             "teacher for a new one, as a room ends with its server.", code="ZZZZZ") in page.says
    page.press("poll_leave")
    assert "ZZZZZ" not in page.says and "room" not in page.link and "voter" not in page.link


def test_a_room_that_is_closed_or_forgotten_is_over(student, lab, rooms, room, clock):
    page = answered(student(), "times")
    clock.now += LIFE + 1
    page.run()
    assert f"The room {room.code.upper()} is over." in page.says
    other = rooms.open("spread")
    rooms.close(other.code, other.host)
    assert f"The room {other.code.upper()} is over." in lab("scaling", room=other.code).says


def test_a_student_may_look_around_and_come_back(lab, student, rooms, room):
    elsewhere = lab("scaling", room=room.code, voter=voter(room))
    elsewhere.app.session_state["predict"] = "none"
    elsewhere.run()
    assert shows(elsewhere) and SPREAD.question not in elsewhere.says
    elsewhere.press("poll_back")
    assert SPREAD.question in elsewhere.says and not shows(elsewhere)


def test_who_leaves_stays_counted_and_has_the_lab_again(student, rooms, room):
    page = answered(student(), "times")
    page.press("poll_leave")
    assert "room" not in page.link and shows(page) and rooms.state(room.code).count == 1


@pytest.mark.parametrize("_", LANGUAGES, ids=named)
def test_a_teacher_opens_a_room_counts_reveals_goes_on_and_closes(lab, rooms, _):
    page = lab("classroom", class_part="poll", lang=_.lang)
    page.app.selectbox(key=f"poll_first_{_.lang}").set_value("spread")
    page.press("poll_open")
    ticket = page.link["host"]
    code = ticket[:5]
    assert rooms.is_host(code, ticket[5:]) and code.upper() in page.says and _(SPREAD.question) in page.says
    for number, answer in enumerate(["times", "times", "root"]):
        rooms.answer(code, f"voter0000000000{number}", answer)
    page.run()
    assert f"3 {_('answered')}" in page.says
    assert SPREAD.truth().said(_).replace("**", "") not in page.says and _("◀ measured") not in page.says
    page.press("poll_reveal")
    assert SPREAD.truth().said(_).replace("**", "") in page.says and _("◀ measured") in page.says
    page.press("poll_next")
    following = host.next_of("spread")
    assert rooms.state(code).prediction == following.id and f"0 {_('answered')}" in page.says
    page.app.session_state["poll_others"] = True
    page.run().press("poll_ask_lucky")
    assert not page.state("poll_others"), "the list closes"
    assert rooms.state(code).prediction == "lucky" and _(LUCKY.question) in page.says
    page.press("poll_close")
    assert "host" not in page.link and rooms.state(code).status == "over"


def test_the_bars_can_wait_for_the_reveal(lab, rooms, room):
    rooms.answer(room.code, "voter00000000001", "times")
    page = lab("classroom", class_part="poll", host=room.code + room.host)
    assert SPREAD.option("times")[0] in page.says
    page.app.toggle(key="poll_hide").set_value(True)
    page.run()
    assert SPREAD.option("times")[0] not in page.says and "1 answered" in page.says
    page.press("poll_reveal")
    assert SPREAD.option("times")[0] in page.says


def test_a_wrong_secret_shows_no_screen(lab, rooms, room):
    page = lab("classroom", class_part="poll", host=room.code + "x" * 24)
    assert "poll_reveal" not in [button.key for button in page.app.button] and "not that of the teacher" in page.says


def test_when_every_room_is_taken_the_teacher_is_told(lab, rooms):
    for _ in range(MOST_ROOMS):
        rooms.open("spread")
    page = lab("classroom", class_part="poll").press("poll_open")
    assert f"All {MOST_ROOMS} rooms of this server are taken." in page.says and "host" not in page.link


def test_the_screen_of_a_teacher_keeps_an_empty_room(lab, rooms, room, clock):
    page = lab("classroom", class_part="poll", host=room.code + room.host)
    for _ in range(2):
        clock.now += EMPTY
        page.run()
    assert room.code.upper() in page.says and rooms.state(room.code).status == "open"
    for _ in range(MOST_ROOMS - 1):
        rooms.open("spread")
    clock.now += AWAY + 1
    page.run()
    assert lab("classroom", class_part="poll").press("poll_open").link["host"], "one that was left makes place"
    assert rooms.state(room.code).status == "open"


@pytest.mark.parametrize(("name", "link"), [("home", {}), ("classroom", {"class_part": "poll"})])
def test_a_code_is_typed_in_capitals_or_refused(lab, room, name, link):
    page = lab(name, **link)
    for typed in ("ZZZZZ", f" {room.code.upper()} "):
        page.app.text_input(key="join_code").set_value(typed)
        page.press("join_enter")
        assert ("There is no such room now." in page.says) == (typed == "ZZZZZ")
    assert page.state("room") == room.code and page.state("predict") == "spread"


def test_the_look_of_a_waiting_page_asks_for_a_run_only_when_the_room_has_moved(rooms, room, monkeypatch):
    asked = []
    monkeypatch.setattr(poll.st, "rerun", lambda scope: asked.append(scope))
    mark = rooms.state(room.code).mark
    poll.look(room.code, mark)
    rooms.answer(room.code, "voter00000000001", "times")
    poll.look(room.code, mark)
    assert asked == []
    rooms.reveal(room.code, room.host)
    poll.look(room.code, mark)
    assert asked == ["app"]
