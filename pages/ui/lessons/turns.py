"""Whose long work goes on and who waits: one piece of work of a kind at a time in a process, in turns."""

import time
from collections.abc import Callable
from threading import Lock

import streamlit as st

from pages.ui import share
from pages.ui.language import Language

PATIENCE = 10.0  # seconds without a knock, then nobody watches: a hidden tab knocks every second, a closed one never
DRAWN = 12  # pictures a second that all watchers of a kind get together (30 ms each), so that other pages get theirs
TURN = 20.0  # seconds that a piece of work has the turn while others wait: a page that works slowly holds nobody up
WAITING = 1.0  # seconds between two looks at the queue
NOTHING = object()  # no piece of work, not even one that is done
LONGEST = 3.0  # seconds; no pause is doubled from here on, so that three knocks fit into one patience


class Turns:
    """A queue of pieces of work, each watched by one session or by several.

    Whoever watches a piece of work knocks at every tick. The first piece in the queue has the turn until it is done,
    until its watchers have left, until they have all gone without a word, or, where others wait, for `TURN` seconds:
    then it goes behind them. So nobody waits for longer than `TURN` seconds a place.

    Parameters
    ----------
    clock : callable, optional
        Returns seconds that only ever grow; never the time of day, which can be set back.

    Examples
    --------
    >>> turns = Turns()
    >>> turns.knock("mine", "me"), turns.knock("yours", "you"), turns.knock("mine", "you")
    (0, 1, 0)
    >>> turns.watchers
    2
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock, self._lock = clock, Lock()
        self._queue: dict[object, dict[object, float]] = {}  # work -> who watches it -> when they knocked last
        self._first, self._since = NOTHING, 0.0  # what has the turn, and since when

    def knock(self, work: object, watcher: object) -> int:
        """Say that somebody watches a piece of work; None is work that is done, which takes no place.

        Returns
        -------
        int
            How many pieces go before it: 0 has the turn. A watcher has one place; another piece gives up the first.
        """
        with self._lock:
            self._drop(watcher, but=work)
            self._queue.setdefault(work, {})[watcher] = self._clock()
            self._pass_on()
            return 0 if work is None else [each for each in self._queue if each is not None].index(work)

    def leave(self, watcher: object) -> None:
        """Give up a watcher's place; what others watch keeps its place."""
        with self._lock:
            self._drop(watcher)

    def done(self, work: object) -> None:
        """Let the next in the queue go; who watched may look at what is there."""
        with self._lock:
            self._queue.setdefault(None, {}).update(self._queue.pop(work, {}))

    @property
    def watchers(self) -> int:
        """Count who watches or waits."""
        with self._lock:
            self._drop()
            return sum(map(len, self._queue.values()))

    def pause(self, place: int, tick: float) -> float:
        """Return the seconds until a watcher should look again: `tick` while few watch, doubled until many get theirs.

        Steps of two, so that a page need not change its pace whenever somebody comes or goes.
        """
        seconds, watchers = WAITING if place else tick, self.watchers
        while watchers > DRAWN * seconds and seconds < LONGEST:
            seconds *= 2
        return seconds

    def _pass_on(self):
        """Put the first piece behind the others once it has had its turn."""
        works, now = [each for each in self._queue if each is not None], self._clock()
        if works[1:] and works[0] == self._first and now - self._since >= TURN:
            self._queue[works[0]] = self._queue.pop(works[0])
            works = works[1:]
        if works[:1] != [self._first]:
            self._first, self._since = works[0] if works else NOTHING, now

    def _drop(self, watcher=None, but=NOTHING):
        """Forget who has gone, what one watcher watched before, and the work that nobody watches any longer."""
        since = self._clock() - PATIENCE
        for work, watching in list(self._queue.items()):
            for each, knocked in list(watching.items()):
                if knocked < since or (each == watcher and work != but):
                    del watching[each]
            if not watching:
                del self._queue[work]


@st.cache_resource(show_spinner=False, max_entries=4)
def turns(kind: str) -> Turns:
    """Return the queue of a kind of work, one for all sessions."""
    return Turns()


def me(name: str) -> tuple[object, str]:
    """Return what tells this session's watch of that name from all others."""
    if share.watched("me") is None:
        share.keep_watched("me", object())
    return share.watched("me"), name


def other_pace(now: float, wanted: float) -> bool:
    """Say whether a page should change its pace: at once where it is too fast, later where it is too slow.

    >>> other_pace(0.2, 0.4), other_pace(0.4, 0.2), other_pace(1.0, 0.2)
    (True, False, True)
    """
    return wanted > now or 2 * wanted < now


def say_place(_: Language, place: int) -> None:
    """Say how many go first, where anybody does."""
    if place:
        st.info(_("Others have their turn, each for at most {seconds} seconds: yours is number **{place}** in the "
                  "queue and goes on by itself. “Stop” gives up the place.", seconds=round(TURN), place=place),
                icon=":material/hourglass_top:")
