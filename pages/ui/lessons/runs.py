"""Long experiments in slices: a run that all sessions share, and what one session watches of it."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import Lock

import streamlit as st

from pages.ui import share
from pages.ui.language import Language

SLICE = 0.05  # seconds of work in one go; other sessions get their turn in between
TICK = 0.2  # seconds from one go to the next
PACE = 4  # reports that a go shows at most, so that a run which is there already can be watched, too


class Run:
    """A run that goes on while somebody watches it; its reports stay, what it needs to go on does not."""

    def __init__(self, reports: Iterator):
        self.reports = [next(reports)]
        self._rest = reports
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


def go_on(watch: Watch) -> Watch:
    """Return what a session sees after another slice of work."""
    seen = len(watch.reports)
    if len(watch.run.reports) < seen + PACE:
        watch.run.go_on(SLICE)
    reports = max(watch.reports, tuple(watch.run.reports[: seen + PACE]), key=len)
    over = watch.run.finished and len(reports) == len(watch.run.reports)
    return Watch(watch.setting, reports, None if over else watch.run)


def live(_: Language, name: str, setting: object, run: Run, draw: Callable[[Language, object, tuple], None]) -> None:
    """Draw a run's reports with `draw(_, setting, reports)`; once it is started, as they come."""
    going = watched(name, setting, run).run is not None
    st.fragment(tick, run_every=TICK if going else None)(_, name, setting, run, draw)


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
    """Stay at what has been seen by now, which is more than when the button was drawn."""
    watch = share.watched(name)
    share.keep_watched(name, Watch(watch.setting, watch.reports))


def tick(_: Language, name: str, setting: object, run: Run, draw: Callable[[Language, object, tuple], None]) -> None:
    """Draw what there is, after another slice of work if the run is on; at its end the whole page hears of it."""
    watch = watched(name, setting, run)
    going = watch.run is not None
    if going:
        watch = go_on(watch)
        share.keep_watched(name, watch)
    draw(_, setting, watch.reports)
    if going and watch.run is None:
        st.rerun()
