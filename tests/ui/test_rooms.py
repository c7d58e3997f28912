"""The class poll: every voter counted exactly once from any thread, rooms bounded in number and life, nobody known."""

import doctest
import gc
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pages.ui.classroom import codes
from pages.ui.classroom import rooms as module
from pages.ui.classroom.codes import ALPHABET, draw, draw_voter, is_voter, of_browser
from pages.ui.classroom.rooms import (
    AWAY,
    EMPTY,
    LIFE,
    MOST_ROOMS,
    MOST_VOTERS,
    REMEMBERED,
    Outcome,
    Rooms,
    Status,
)

ROOT = Path(__file__).parents[2]


class Clock:
    """A clock that a test sets."""

    now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


class Yielding(Clock):
    """A clock that lets other threads run in the middle of whatever looks at it."""

    def __call__(self):
        time.sleep(0.0002)
        return self.now


@pytest.fixture
def crowd():
    """Rooms in which threads meet wherever a lock would be missing."""
    return Rooms(Yielding(), most_voters=130)


@pytest.fixture
def rooms(clock):
    return Rooms(clock)


@pytest.fixture
def room(rooms):
    return rooms.open("peak")


def voter(number):
    return f"voter-{number:06d}"


def at_once(tasks):
    """Run tasks in as many threads, which all begin together; return their results in order."""
    begin = threading.Barrier(len(tasks))

    def run(task):
        begin.wait(10)
        return task()

    with ThreadPoolExecutor(len(tasks)) as pool:
        return [done.result(10) for done in [pool.submit(run, task) for task in tasks]]


def test_the_examples_hold():
    results = doctest.testmod(module)
    assert results.attempted > 2 and results.failed == 0


def test_120_students_at_once_with_retries_are_all_counted_exactly_once(crowd):
    room = crowd.open("peak")

    def send_three_times(number):
        return [crowd.answer(room.code, voter(number), "abc"[number % 3]) for _ in range(3)]

    outcomes = at_once([lambda n=n: send_three_times(n) for n in range(120)])
    assert all(each == [Outcome.COUNTED, Outcome.ALREADY, Outcome.ALREADY] for each in outcomes)
    assert Counter(crowd.state(room.code).answers) == {"a": 40, "b": 40, "c": 40}


def test_one_student_with_120_taps_at_once_is_counted_once(crowd):
    room = crowd.open("peak")
    outcomes = at_once([lambda n=n: crowd.answer(room.code, voter(1), "ab"[n % 2]) for n in range(120)])
    assert outcomes.count(Outcome.COUNTED) == 1 and set(outcomes) <= {
        Outcome.COUNTED, Outcome.ALREADY, Outcome.CHANGED
    }
    assert crowd.state(room.code).count == 1


def test_no_answer_is_counted_after_the_reveal_and_none_before_it_is_lost(crowd):
    """Whatever the moment of the reveal: what was said to be counted is what the teacher's screen shows."""
    room = crowd.open("peak")
    tasks = [lambda n=n: crowd.answer(room.code, voter(n), "a") for n in range(100)]
    tasks.insert(50, lambda: crowd.reveal(room.code, room.host))
    outcomes = Counter(at_once(tasks))
    assert outcomes[True] == 1 and outcomes[Outcome.COUNTED] + outcomes[Outcome.REVEALED] == 100
    assert crowd.state(room.code).count == outcomes[Outcome.COUNTED]


def test_the_bound_on_voters_holds_for_threads_and_keeps_who_is_in():
    rooms = Rooms(Yielding(), most_voters=60)
    room = rooms.open("peak")
    outcomes = Counter(at_once([lambda n=n: rooms.answer(room.code, voter(n), "a") for n in range(100)]))
    assert outcomes == {Outcome.COUNTED: 60, Outcome.FULL: 40}
    inside = next(n for n in range(100) if rooms.answer_of(room.code, voter(n)))
    assert rooms.answer(room.code, voter(inside), "b") is Outcome.CHANGED
    assert Counter(rooms.state(room.code).answers) == {"a": 59, "b": 1}


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from("abc")), max_size=40))
def test_whatever_they_send_the_room_holds_each_voters_last_answer(sent):
    rooms = Rooms()
    room, last = rooms.open("peak"), {}
    for number, text in sent:
        expected = Outcome.COUNTED if number not in last else (
            Outcome.ALREADY if last[number] == text else Outcome.CHANGED
        )
        assert rooms.answer(room.code, voter(number), text) is expected
        last[number] = text
    assert rooms.state(room.code).answers == tuple(sorted(last.values()))
    assert all(rooms.answer_of(room.code, voter(number)) == text for number, text in last.items())


def test_an_answer_may_change_until_the_reveal_and_not_after_it(rooms, room):
    assert rooms.answer(room.code, voter(1), "a") is Outcome.COUNTED
    assert rooms.answer(room.code, voter(1), "b") is Outcome.CHANGED
    assert not rooms.state(room.code).revealed
    assert rooms.reveal(room.code, room.host) and rooms.state(room.code).revealed
    assert rooms.answer(room.code, voter(1), "c") is Outcome.REVEALED
    assert rooms.answer(room.code, voter(2), "c") is Outcome.REVEALED
    assert rooms.state(room.code).answers == ("b",) and rooms.answer_of(room.code, voter(1)) == "b"


def test_the_next_prediction_starts_empty_and_takes_no_late_answer(rooms, room):
    rooms.answer(room.code, voter(1), "a")
    rooms.reveal(room.code, room.host)
    before = rooms.state(room.code).mark
    assert rooms.ask(room.code, room.host, "spread")
    state = rooms.state(room.code)
    assert (state.prediction, state.status, state.answers, state.round) == ("spread", Status.OPEN, (), 2)
    assert state.mark != before and rooms.answer_of(room.code, voter(1)) is None
    assert rooms.answer(room.code, voter(1), "a", "peak") is Outcome.MOVED
    assert rooms.answer(room.code, voter(1), "a", "spread") is Outcome.COUNTED
    assert rooms.state(room.code).count == 1


def test_the_same_prediction_asked_anew_is_another_round(rooms, room):
    before = rooms.state(room.code).mark
    assert rooms.ask(room.code, room.host, "peak") and rooms.state(room.code).mark != before


def test_an_answer_is_no_reason_to_draw_the_waiting_pages_anew(rooms, room):
    before = rooms.state(room.code).mark
    rooms.answer(room.code, voter(1), "a")
    assert rooms.state(room.code).mark == before
    rooms.reveal(room.code, room.host)
    assert rooms.state(room.code).mark != before


@pytest.mark.parametrize("secret", ["", "x" * 24, "x", "ü" * 24, "\ud800"])
def test_without_the_secret_nobody_hosts(rooms, room, secret):
    acts = [rooms.is_host(room.code, secret), rooms.reveal(room.code, secret), rooms.close(room.code, secret),
            rooms.ask(room.code, secret, "spread"), rooms.is_host("34cdf", room.host)]
    assert acts == [False] * 5
    assert rooms.state(room.code).status is Status.OPEN and rooms.state(room.code).prediction == "peak"
    assert rooms.is_host(room.code, room.host)


def test_the_secret_of_one_room_opens_no_other(rooms, room):
    other = rooms.open("spread")
    assert not rooms.reveal(room.code, other.host) and not rooms.state(room.code).revealed


def test_a_closed_room_says_that_it_is_over_and_an_invented_one_that_it_is_unknown(rooms, room):
    rooms.answer(room.code, voter(1), "a")
    assert rooms.close(room.code, room.host)
    assert rooms.state(room.code).status is Status.OVER and rooms.state(room.code).answers == ()
    assert rooms.answer(room.code, voter(1), "b") is Outcome.OVER
    assert rooms.answer_of(room.code, voter(1)) is None and not rooms.close(room.code, room.host)
    invented = next(code for code in iter(lambda: draw(5), None) if code != room.code)
    assert rooms.state(invented).status is Status.UNKNOWN
    assert rooms.answer(invented, voter(1), "b") is Outcome.UNKNOWN


@pytest.mark.parametrize("code", ["", "\ud800", "x" * 10**6, "<script>", "\0"])
def test_any_text_may_stand_for_a_code(rooms, code):
    assert rooms.state(code).status is Status.UNKNOWN
    assert rooms.answer(code, voter(1), "a") is Outcome.UNKNOWN


def test_a_code_may_be_typed_in_capitals_and_with_spaces(rooms, room):
    assert rooms.answer(f" {room.code.upper()} ", voter(1), "a") is Outcome.COUNTED


def test_a_room_ends_so_long_after_its_last_use(rooms, room, clock):
    rooms.reveal(room.code, room.host)
    rooms.ask(room.code, room.host, "peak")
    clock.now += LIFE - 1
    assert rooms.answer(room.code, voter(1), "a") is Outcome.COUNTED
    clock.now += LIFE
    assert rooms.state(room.code).count == 1
    clock.now += 1
    assert rooms.state(room.code).status is Status.OVER
    assert rooms.answer(room.code, voter(2), "a") is Outcome.OVER and not rooms.reveal(room.code, room.host)


@pytest.mark.parametrize("use", [
    lambda rooms, room: rooms.reveal(room.code, room.host),
    lambda rooms, room: rooms.ask(room.code, room.host, "spread"),
    lambda rooms, room: rooms.answer(room.code, voter(1), "a"),
])
def test_every_use_keeps_a_room(rooms, room, clock, use):
    clock.now += EMPTY - 1
    use(rooms, room)
    clock.now += LIFE - 1
    use(rooms, room)
    clock.now += LIFE - 1
    assert rooms.state(room.code).status in (Status.OPEN, Status.REVEALED)


def test_to_look_at_a_room_or_to_guess_its_secret_keeps_it_no_longer(rooms, room, clock):
    rooms.answer(room.code, voter(1), "a")
    clock.now += LIFE - 1
    rooms.state(room.code), rooms.answer_of(room.code, voter(1)), rooms.is_host(room.code, room.host)
    rooms.reveal(room.code, "guess"), rooms.look(room.code, "guess"), rooms.look(room.code, room.host)
    clock.now += 2
    assert rooms.state(room.code).status is Status.OVER


def test_an_empty_room_ends_soon_after_the_last_look_of_its_teacher(rooms, room, clock):
    for _ in range(3):
        clock.now += EMPTY
        assert rooms.look(room.code, room.host) and not rooms.look(room.code, "guess")
    clock.now += EMPTY
    assert rooms.state(room.code).status is Status.OPEN
    clock.now += 1
    assert rooms.state(room.code).status is Status.OVER and not rooms.look(room.code, room.host)


def test_an_empty_room_that_is_left_makes_place_and_no_other_does(rooms, clock):
    used, watched, *left = [rooms.open("peak") for _ in range(MOST_ROOMS)]
    rooms.answer(used.code, voter(1), "a")
    assert rooms.open("peak") is None, "they were opened just now"
    clock.now += AWAY + 1
    for room in (watched, *left[:-1]):
        rooms.look(room.code, room.host)
    first = rooms.open("peak")
    assert first and rooms.state(left.pop().code).status is Status.OVER
    clock.now += AWAY + 1
    rooms.look(watched.code, watched.host)
    assert all(rooms.open("peak") for _ in range(MOST_ROOMS - 2)) and rooms.open("peak") is None
    assert {rooms.state(room.code).status for room in (used, watched)} == {Status.OPEN}
    assert {rooms.state(room.code).status for room in (first, *left)} == {Status.OVER}


def test_when_all_rooms_are_taken_the_opener_is_told_and_nobody_is_thrown_out(rooms, clock):
    taken = [rooms.open("peak") for _ in range(MOST_ROOMS)]
    for room in taken:
        rooms.answer(room.code, voter(1), "a")
    clock.now += LIFE - 1
    assert rooms.open("peak") is None
    assert all(rooms.state(room.code).status is Status.OPEN for room in taken)
    rooms.close(taken[3].code, taken[3].host)
    assert rooms.open("peak") is not None and rooms.open("peak") is None
    clock.now += LIFE
    assert all(rooms.open("peak") for _ in range(MOST_ROOMS)), "rooms that are over make place"


def test_the_bound_on_rooms_holds_for_threads():
    rooms = Rooms(Yielding(), most_rooms=20)
    opened = [room for room in at_once([lambda: rooms.open("peak")] * 60) if room]
    assert len(opened) == 20 == len({room.code for room in opened})


def test_what_a_process_remembers_is_bounded(clock):
    rooms = Rooms(clock)
    for _ in range(REMEMBERED + 100):
        room = rooms.open("peak")
        rooms.close(room.code, room.host)
    sizes = [len(held) for held in vars(rooms).values() if isinstance(held, dict)]
    assert sorted(sizes) == [0, REMEMBERED]


def test_a_room_takes_as_many_voters_as_it_says(rooms, room):
    outcomes = [rooms.answer(room.code, voter(number), "a") for number in range(MOST_VOTERS + 1)]
    assert outcomes.count(Outcome.COUNTED) == MOST_VOTERS and outcomes[-1] is Outcome.FULL
    rooms.ask(room.code, room.host, "spread")
    assert rooms.answer(room.code, voter(MOST_VOTERS), "a") is Outcome.COUNTED


def test_codes_and_secrets_are_long_enough_and_drawn_at_random(rooms):
    opened = [rooms.open("peak") for _ in range(MOST_ROOMS)]
    assert all(re.fullmatch(f"[{ALPHABET}]{{5}}", room.code) for room in opened)
    assert all(re.fullmatch(f"[{ALPHABET}]{{24}}", room.host) for room in opened)
    assert len(ALPHABET) == len(set(ALPHABET)) >= 20 and not set(ALPHABET) & set("aeiou0o1il5s2z8b9g")
    assert len(ALPHABET) ** 5 > 3e6 and len(ALPHABET) ** 24 > 2**100
    assert len({room.code for room in opened}) == len({room.host for room in opened}) == MOST_ROOMS
    drawn = Counter("".join(draw(24) for _ in range(1000)))
    assert set(drawn) == set(ALPHABET) and max(drawn.values()) < 1.3 * min(drawn.values())


@pytest.mark.parametrize("text", ["", "A", "a b", "a_b", "a" * 13, "<b>", "½", "1,5", "a\n"])
def test_what_is_no_answer_is_refused(rooms, room, text):
    assert rooms.answer(room.code, voter(1), text) is Outcome.REFUSED and rooms.state(room.code).count == 0


@pytest.mark.parametrize("text", ["a", "a" * 12, "-1.5", "0.97", "3-1-2"])
def test_what_a_prediction_takes_is_counted(rooms, room, text):
    assert rooms.answer(room.code, voter(1), text) is Outcome.COUNTED and rooms.state(room.code).answers == (text,)


@pytest.mark.parametrize("who", ["", "short", "x" * 33, "voter 00001", "völter-001", "voter-001\n"])
def test_what_is_no_voters_code_is_refused(rooms, room, who):
    assert rooms.answer(room.code, who, "a") is Outcome.REFUSED and rooms.state(room.code).count == 0


@pytest.mark.parametrize("prediction", ["", "x" * 25, "Peak", "a b", "<b>"])
def test_what_is_no_prediction_is_not_asked(rooms, room, prediction):
    with pytest.raises(ValueError, match="a prediction's id has 1 to 24"):
        rooms.open(prediction)
    with pytest.raises(ValueError, match="a prediction's id has 1 to 24"):
        rooms.ask(room.code, room.host, prediction)


def held(thing, seen):
    """All texts and bytes that can be reached from a thing."""
    if id(thing) in seen:
        return
    seen.add(id(thing))
    if isinstance(thing, str | bytes):
        yield thing if isinstance(thing, str) else thing.decode("latin-1")
    elif isinstance(thing, dict | list | tuple | Rooms | module.Open):
        for each in gc.get_referents(thing):
            yield from held(each, seen)


def test_nothing_that_the_process_holds_names_a_voter_or_a_room(rooms, room):
    rooms.answer(room.code, "ani-from-the-third-row", "a")
    texts = list(held(rooms, set()))
    assert "peak" in texts, "the reader sees what is held"
    assert not any("ani" in text or room.code in text for text in texts)


def test_one_voter_in_two_rooms_is_two_strangers(rooms, room):
    other = rooms.open("peak")
    for each in (room, other):
        rooms.answer(each.code, voter(1), "a")
    first, second = (set(each.answers) for each in rooms._rooms.values())
    assert len(first) == len(second) == 1 and not first & second


def test_the_order_of_the_answers_says_nothing_about_who_came_first(rooms, room):
    for number, text in enumerate("cab"):
        rooms.answer(room.code, voter(number), text)
    assert rooms.state(room.code).answers == ("a", "b", "c")


def test_a_browser_is_the_same_voter_in_a_room_whenever_it_comes():
    first, masked_anew = "2|6be8a3b6|0fa596ed601fc175|1796040916", "2|ffffffff|9bb2caa4f4089d3c|1796049999"
    assert of_browser("cd347", first) == of_browser("cd347", masked_anew)
    assert len({of_browser(code, first) for code in ("cd347", "cd346")}) == 2
    assert is_voter("cd347", of_browser("cd347", first)) and not is_voter("cd346", of_browser("cd347", first))
    assert re.fullmatch("[0-9a-f]{16}", of_browser("cd347", first)) and "6be8" not in of_browser("cd347", first)


@pytest.mark.parametrize("cookie", [None, "", "2|zz|00|1", "1|2", "2|||1", "2|00|0|1", "2||abcd|1"])
def test_a_browser_without_a_usable_cookie_is_nobody(cookie):
    assert of_browser("cd347", cookie) is None


@given(st.text(max_size=20), st.integers(0, 15), st.sampled_from(ALPHABET + "0g-"))
def test_a_voters_code_that_nobody_drew_counts_for_nothing(made_up, at, letter):
    drawn = draw_voter("cd347")
    changed = drawn[:at] + letter + drawn[at + 1 :]
    assert is_voter("cd347", drawn) and re.fullmatch("[a-z0-9]{16}", drawn)
    assert not is_voter("cd347", made_up) and is_voter("cd347", changed) == (changed == drawn)


def test_processes_behind_a_proxy_agree_on_a_voter_and_others_do_not():
    sign = "from pages.ui.classroom.codes import sign; print(sign('cd347', '123456789'))"

    def signed(**secret):
        return subprocess.run([sys.executable, "-c", sign], cwd=ROOT, env=secret, capture_output=True, text=True,
                              check=True, timeout=60).stdout

    shared = {"STREAMLIT_SERVER_COOKIE_SECRET": "one for all"}
    assert signed(**shared) == signed(**shared) and len({signed(**shared), signed(), signed()}) == 3


def test_the_examples_of_the_codes_hold():
    results = doctest.testmod(codes)
    assert results.attempted and not results.failed
