"""The queue of long work: one piece at a time, in turns, and nobody who left or dawdles holds anybody up."""

import threading
import time

from hypothesis import given, settings
from hypothesis import strategies as st

from pages.ui import cached
from pages.ui.lessons import turns
from pages.ui.lessons.turns import DRAWN, LONGEST, PATIENCE, TURN, WAITING, Turns, other_pace


class Clock:
    """Time as the test says."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def queue():
    clock = Clock()
    return Turns(clock), clock


ACTS = st.lists(st.one_of(
    st.tuples(st.just("knock"), st.integers(0, 5), st.integers(0, 5)),
    st.tuples(st.just("leave"), st.integers(0, 5)),
    st.tuples(st.just("done"), st.integers(0, 5)),
    st.tuples(st.just("wait"), st.floats(0, 2 * PATIENCE)),
), max_size=40)


@settings(max_examples=500, deadline=None)
@given(ACTS)
def test_whatever_happens_one_piece_has_the_turn_and_every_watcher_one_place(acts):
    line, clock = queue()
    expected, knocked = [], {}  # the works in order; watcher -> (work, when)
    first, since = None, 0.0  # what has the turn, and since when

    def settle():
        for watcher, (_work, when) in list(knocked.items()):
            if clock.now - when > PATIENCE:
                del knocked[watcher]
        expected[:] = [work for work in expected if work in {each for each, _ in knocked.values()}]

    for kind, *given_to in acts:
        if kind == "wait":
            clock.now += given_to[0]
        elif kind == "knock":
            work, watcher = given_to
            settle()
            if knocked.get(watcher, (work,))[0] != work:
                del knocked[watcher]
                settle()
            knocked[watcher] = (work, clock.now)
            if work not in expected:
                expected.append(work)
            if expected[1:] and expected[0] == first and clock.now - since >= TURN:
                expected.append(expected.pop(0))
            if expected[0] != first:
                first, since = expected[0], clock.now
            assert line.knock(work, watcher) == expected.index(work)
        elif kind == "leave":
            line.leave(given_to[0])
            knocked.pop(given_to[0], None)
        else:
            line.done(given_to[0])
            for watcher, (work, when) in list(knocked.items()):
                if work == given_to[0]:
                    knocked[watcher] = (None, when)
        settle()
        assert line.watchers == len(knocked)


def test_the_turn_is_passed_on_when_it_is_given_up_done_or_abandoned():
    line, clock = queue()
    for number, work in enumerate("abcd"):
        assert line.knock(work, work) == number
    line.leave("a")
    assert line.knock("b", "b") == 0
    line.done("b")
    assert line.knock(None, "b") == 0 and line.knock("c", "c") == 0 and line.knock("d", "d") == 1
    clock.now += PATIENCE * 0.9
    assert line.knock("d", "d") == 1, "who has not knocked for a while may still be there"
    clock.now += PATIENCE * 0.2
    assert line.knock("d", "d") == 0, "c's watcher has gone without a word"
    assert line.knock("c", "c") == 1, "and comes back behind the others"


def test_who_works_slowly_passes_the_turn_on_and_comes_back_behind_the_others():
    """Each page knocks so rarely that it hardly works, and not so rarely that it is taken for closed."""
    line, clock = queue()
    works, waited, last = range(11), 0.0, {}
    for moment in range(300):
        clock.now = float(moment)
        for work in works:
            if (moment + work) % 6 == 0 and line.knock(work, work) == 0:
                waited = max(waited, moment - last.get(work, 0))
                last[work] = moment
    assert set(last) == set(works), "nobody starves"
    assert TURN < waited <= len(works) * (TURN + 1)


def test_who_is_alone_keeps_the_turn():
    line, clock = queue()
    for _ in range(20):
        assert line.knock("mine", "me") == 0
        clock.now += TURN / 4
    assert line.knock("yours", "you") == 0, "who had it for so long alone gives it to the first who comes"
    assert line.knock("mine", "me") == 1
    clock.now += TURN - 15
    assert line.knock("mine", "me") == 1 and line.knock("yours", "you") == 0


def test_starting_again_is_a_place_at_the_end():
    line, _ = queue()
    line.knock("mine", "me"), line.knock("yours", "you")
    assert line.knock("mine again", "me") == 1 and line.knock("yours", "you") == 0
    for number in range(50):
        assert line.knock(f"and again {number}", "me") == 1
    assert line.watchers == 2


def test_many_who_watch_get_fewer_pictures_each():
    line, _ = queue()
    for watcher in range(200):
        line.knock("one", watcher)
        pause = line.pause(0, 0.2)
        assert 0.2 <= pause < 2 * LONGEST and (watcher + 1) / pause <= max(DRAWN, (watcher + 1) / LONGEST)
        assert 2.4 * pause <= PATIENCE, "one late knock is forgiven"
        assert line.pause(3, 0.2) >= WAITING
    assert queue()[0].pause(0, 0.05) == 0.05


@given(st.floats(0.05, 5), st.floats(0.05, 5))
def test_a_pace_that_was_just_taken_stands(one, other):
    assert not other_pace(one, one)
    assert not (other_pace(one, other) and other_pace(other, other))


def test_a_clock_that_is_set_changes_no_turn(monkeypatch):
    """The time of day may jump; the queue does not know it."""
    line = Turns()
    line.knock("a", "me"), line.knock("b", "you")
    monkeypatch.setattr(time, "time", lambda: 10.0**10)
    assert line.knock("b", "you") == 1 and line.knock("a", "me") == 0
    monkeypatch.setattr(time, "time", lambda: 0.0)
    assert line.knock("b", "you") == 1 and line.watchers == 2


def test_long_computations_wait_for_each_other():
    at_once, most = 0, 0

    @cached.alone
    def work(seconds):
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        time.sleep(seconds)
        at_once -= 1
        return seconds

    threads = [threading.Thread(target=work, args=(0.02,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert most == 1 and work(0) == 0 and not cached.LONG.locked()


def test_a_computation_that_fails_lets_the_next_one_in():
    @cached.alone
    def fail():
        raise ValueError("no")

    for _ in range(2):
        try:
            fail()
        except ValueError as error:
            assert str(error) == "no"
    assert not cached.LONG.locked()


def test_one_queue_of_a_kind_serves_all_sessions():
    assert turns.turns("training") is turns.turns("training") is not turns.turns("battery")
