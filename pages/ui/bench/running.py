"""A battery on its way: drawn slice by slice, so that it can be stopped, gone on with, and shown meanwhile."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from pages.ui.bench.battery import CHUNK, Row, battery, cases

SLICE = 2 * CHUNK  # rows a turn: PyTorch is asked in chunks, and a turn stays well under a second


@dataclass(eq=False)
class Run:
    """Hold a battery that is running, stopped or done; it belongs to one session.

    Attributes
    ----------
    setting : tuple
        What it was started with; results of another setting are not shown.
    pending : iterator of Row
        What is still to come.
    total : int
        How many rows there will be.
    rows : list of Row
        What has come.
    going : bool
        Whether it goes on by itself.
    """

    setting: tuple
    pending: Iterator[Row]
    total: int
    rows: list[Row] = field(default_factory=list)
    going: bool = True

    @property
    def done(self) -> bool:
        """Whether every row has come."""
        return len(self.rows) == self.total

    @property
    def counts(self) -> Counter:
        """How many rows have which verdict."""
        return Counter(row.verdict for row in self.rows)

    @property
    def silent(self) -> list[Row]:
        """Rows that are skipped because PyTorch gave no answer."""
        return [row for row in self.rows if row.verdict == "skipped" and row.judge == "PyTorch"]

    def advance(self) -> None:
        """Run one slice."""
        self.rows.extend(islice(self.pending, SLICE))
        self.going = self.going and not self.done

    def stop(self) -> None:
        """Stop before the next slice; what has come stays."""
        self.going = False

    def resume(self) -> None:
        """Go on where it stopped."""
        self.going = not self.done


def start(setting: tuple, n_random: int, seed: int, mistake: str | None, ask: Callable | None) -> Run:
    """Prepare a run; nothing is computed yet.

    >>> run = start(("none", 0), 0, 0, None, None)
    >>> run.advance()
    >>> len(run.rows), run.done, run.counts["pass"]
    (100, False, 100)
    """
    rows = list(cases(n_random, seed))
    return Run(setting, battery(rows, mistake, ask), len(rows))
