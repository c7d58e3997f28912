"""Long experiments in slices: a run that all sessions share, what a session watches of it, when it has its turn."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from threading import Lock

import streamlit as st

from pages.ui import share
from pages.ui.language import Language
from pages.ui.lessons import turns

SLICE = 0.05  # seconds of work in one go; other sessions get their turn in between
TICK = 0.2  # seconds from one go to the next
PACE = 20  # reports a second that are shown at most, so that a run which is there already can be watched, too
KIND = "training"  # the queue in which runs wait for each other


class Run:
    """A run that goes on while somebody watches it; its reports stay, what it needs to go on does not.

    Where the first report is known already, nothing is computed before the run goes on.
    """

    def __init__(self, reports: Iterator, first: object = None):
        self.reports = [next(reports) if first is None else first]
        self._rest = reports if first is None else islice(reports, 1, None)
        self._lock = Lock()

    @property
    def finished(self) -> bool:
        """Say whether the last report is there."""
        return self._rest is None

    def go_on(self, seconds: float) -> None:
        """Work for so long, and for one report at least; not at all while another session's turn lasts."""
        if not self._lock.acquire(blocking=False):
            return
        try:
            start, took = time.thread_time(), 0.0
            while not self.finished and (took == 0 or time.thread_time() - start + took <= seconds):
                before = time.thread_time()
                if (report := next(self._rest, None)) is None:
                    self._rest = None
                else:
                    self.reports.append(report)
                took = max(took, time.thread_time() - before, 1e-9)
        finally:
            self._lock.release()


@dataclass(frozen=True, eq=False)
class Watch:
    """Hold what a session has seen of a run.

    Attributes
    ----------
    setting : object
        What the run is of; with another setting a session starts anew.
    reports : tuple
        What it has seen.
    run : Run or None
        What it goes on watching; None where it stopped or has seen all.
    """

    setting: object
    reports: tuple
    run: Run | None = None


def watched(name: str, setting: object, run: Run) -> Watch:
    """Return what this session sees of a run: what it has watched, else all if it is finished, else the beginning."""
    watch = share.watched(name)
    if watch is not None and watch.setting == setting:
        return watch
    return Watch(setting, tuple(run.reports if run.finished else run.reports[:1]))


def go_on(watch: Watch, working: bool = True, pause: float = TICK) -> Watch:
    """Return what a session sees `pause` seconds later, after another slice of work if it is the run's turn."""
    seen, more = len(watch.reports), round(PACE * pause)
    if working and len(watch.run.reports) < seen + more:
        watch.run.go_on(SLICE)
    reports = max(watch.reports, tuple(watch.run.reports[: seen + more]), key=len)
    over = watch.run.finished and len(reports) == len(watch.run.reports)
    return Watch(watch.setting, reports, None if over else watch.run)


def live(_: Language, name: str, setting: object, run: Run, draw: Callable[[Language, object, tuple], None]) -> None:
    """Draw a run's reports with `draw(_, setting, reports)`; once it is started, as they come."""
    watch, pause = watched(name, setting, run), None
    if watch.run is not None:
        pause = turns.turns(KIND).pause(place(name, watch.run), TICK)
    again(tick, pause)(_, name, setting, run, draw, pause)


@lru_cache(maxsize=64)
def again(function: Callable, pause: float | None) -> Callable:
    """Return a function as a fragment that runs every `pause` seconds; made once, as Streamlit reads its signature."""
    return st.fragment(function, run_every=pause)


def place(name: str, run: Run) -> int:
    """Return how many runs go before the one that this session watches; none where it is there already."""
    queue = turns.turns(KIND)
    if run.finished:
        queue.done(run)
    return queue.knock(None if run.finished else run, turns.me(name))


def buttons(_: Language, name: str, setting: object, run: Run) -> None:
    """Offer what can be done with a run now: start, stop, go on from where it was stopped, or see it once more."""
    watch = watched(name, setting, run)
    if watch.run:
        st.button(_("Stop"), key=f"stop_{name}", icon=":material/stop:", on_click=stop, args=(name,))
        return
    all_seen = run.finished and len(watch.reports) >= len(run.reports)
    begin = Watch(watch.setting, tuple(run.reports[:1]) if all_seen else watch.reports, run)
    label = _("Play again") if all_seen else _("Start") if len(watch.reports) == 1 else _("Go on")
    st.button(label, key=f"start_{name}", icon=":material/play_arrow:", on_click=share.keep_watched, args=(name, begin))


def stop(name: str) -> None:
    """Stay at what has been seen by now, which is more than when the button was drawn; the next in the queue may go."""
    watch = share.watched(name)
    share.keep_watched(name, Watch(watch.setting, watch.reports))
    turns.turns(KIND).leave(turns.me(name))


def tick(
    _: Language, name: str, setting: object, run: Run, draw: Callable[[Language, object, tuple], None],
    pause: float | None,
) -> None:
    """Draw what there is, after another slice of work if the run is on and has its turn.

    At its end the whole page hears of it, and also where pictures have to come at another pace: when the turn comes,
    and when many watch.
    """
    watch, before = watched(name, setting, run), 0
    going = watch.run is not None
    if going:
        before = place(name, watch.run)
        watch = go_on(watch, working=before == 0, pause=pause or TICK)
        share.keep_watched(name, watch)
        if watch.run is None:
            turns.turns(KIND).leave(turns.me(name))
    turns.say_place(_, before)
    draw(_, setting, watch.reports)
    wanted = turns.turns(KIND).pause(before, TICK)
    if going and (watch.run is None or turns.other_pace(pause or TICK, wanted)):
        st.rerun()
