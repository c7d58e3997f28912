"""A class on one process: sessions that each move a control every other second, how long they wait, what it costs.

    python tests/load/load.py [--sessions 100] [--seconds 60] [--period 2] [--within 10]       a class at work
    python tests/load/load.py --sessions 30 --seconds 0 --within 10                            a class that arrives
    python tests/load/load.py --sessions 100 --seconds 900                                     a soak

The sessions arrive evenly within `--within` seconds, a third each on scaling, masking and pipeline, and move one of the
page's controls every `--period` seconds, each in its own order. A move counts from the message to "script finished".
A fault is an exception on a page, a session that hears nothing for a minute, an address that lost what was chosen, or
an error in the server's log. Prints a line every half minute and one at the end; ends with 1 after a fault, or where
the 95th percentile of the moves is above half a second or memory grew by more than LEVEL from the second third of
a soak to the last.
The server is one of its own on loopback, or the one at --url (loopback only) with the process --pid. Linux.
"""

import argparse
import asyncio
import random
import statistics
import sys
import time
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.browser.conftest import LOOPBACK, Server
from tests.load.sessions import Session, cpu_seconds, resident_mb

MOST_SESSIONS, LONGEST = 200, 1800
PATIENT = 0.5  # seconds that 19 of 20 moves may take
LEVEL = 0.10  # share by which a soak may take more memory on average in its last third than in its second
SAMPLE = 30  # seconds from one line to the next
PAGES = {
    "scaling": ("d_k", "d_k", "d_k", "d_k", "seed", "seed", "divisor", "keys"),  # keys: 63 settings, cold at first
    "masking": ("mask", "query", "cell", "cell"),
    "pipeline": ("step", "word", "cell", "cell"),
}
BOARDS = {"masking": ("masks_board", "masked"), "pipeline": ("steps", "weights")}


class Visitor(Session):
    """A session that plays by itself, in an order of its own."""

    def __init__(self, url: str, number: int):
        super().__init__(url, list(PAGES)[number % len(PAGES)], "lang=id" if number % 2 else "")
        self.draw, self.nth = random.Random(number), 0

    async def play(self) -> float:
        """Make one move; return the seconds that it took."""
        name = self.draw.choice(PAGES[self.page])
        if name == "d_k":
            return await self.finger()
        if name == "cell":
            board, matrix = BOARDS[self.page]
            row, column = self.draw.randint(1, 6), self.draw.randint(1, 6)
            return await self.act(board, kind="choose", matrix=matrix, row=row, column=column)
        took = await self.move(name, self.draw.randint(1, 3))
        if self.widget(name).kind == "slider":
            self.expect(name, round(self.widget(name).value[0]))
        return took

    async def finger(self) -> float:
        """Leave the finger at another d_k, as the live picture reports it."""
        self.nth, d_k = self.nth + 1, self.draw.randint(65, 512)
        took = await self.commit("live_saturation", {"commit": {"d_k": d_k, "nth": self.nth}})
        self.expect("d_k", d_k)
        return took

    def expect(self, name: str, value: int) -> None:
        """Note as a fault if the page published another value than this session's."""
        published = parse_qs(self.query).get(name)
        if published and published != [str(value)]:
            self.faults.append(f"{name} is {published}, not {value}")


class Class:
    """All sessions of a run, and what has been measured of them so far."""

    def __init__(self, given: argparse.Namespace, url: str, pid: int):
        self.given, self.pid, self.visitors = given, pid, [Visitor(url, number) for number in range(given.sessions)]
        self.arrivals, self.moves, self.residents, self.broken = [], [], [], []
        self.start, self.cpu = time.monotonic(), cpu_seconds(pid)

    async def visit(self, number: int, visitor: Visitor) -> None:
        """Arrive, then move until the end."""
        await asyncio.sleep(self.given.within * number / self.given.sessions)
        try:
            self.arrivals.append(await visitor.open())
            end = self.start + self.given.within + self.given.seconds
            await asyncio.sleep(visitor.draw.random() * self.given.period)
            while (begun := time.monotonic()) < end:
                self.moves.append((begun - self.start, await visitor.play()))
                await asyncio.sleep(max(0, begun + self.given.period - time.monotonic()))
        except Exception as error:  # a session that breaks is what this script counts
            self.broken.append(f"{type(error).__name__}: {error}"[:200])

    async def watch(self) -> None:
        """Print a line for every SAMPLE seconds."""
        seen, cpu, header = 0, self.cpu, "   at s   moves   p50 ms   p95 ms   max ms   CPU ms/move      MB"
        print(header, flush=True)
        while True:
            await asyncio.sleep(SAMPLE)
            times, now = [took for _, took in self.moves[seen:]], cpu_seconds(self.pid)
            self.residents.append(resident_mb(self.pid))
            print(f"{time.monotonic() - self.start:7.0f}{len(times):8}{spread(times)}"
                  f"{(now - cpu) * 1e3 / max(1, len(times)):14.1f}{self.residents[-1]:8.0f}", flush=True)
            seen, cpu = len(self.moves), now

    async def run(self) -> None:
        """Let everybody in, and out again."""
        watching = asyncio.create_task(self.watch())
        await asyncio.gather(*(self.visit(*each) for each in enumerate(self.visitors)))
        watching.cancel()
        self.residents.append(resident_mb(self.pid))
        await asyncio.gather(*(visitor.close() for visitor in self.visitors if hasattr(visitor, "socket")))

    def report(self, log: list[str]) -> bool:
        """Print the summary; return whether all is well."""
        faults = Counter(fault for visitor in self.visitors for fault in visitor.faults)
        faults.update(self.broken + log)
        working = [took for at, took in self.moves if at > self.given.within]
        print(f"{self.given.sessions} sessions, {len(self.moves)} moves of which {len(working)} after all had arrived")
        print(f"arrivals: p50, p95, max ms {spread(self.arrivals)}")
        print(f"moves:    p50, p95, max ms {spread(working)}")
        grown = self.growth()
        print(f"memory: {self.residents[-1]:.0f} MB, {grown:+.1%} from the second third to the last")
        for fault, count in faults.most_common(5):
            print(f"fault, {count} times: {fault}")
        print("no fault" if not faults else f"{faults.total()} faults")
        slow = bool(working) and quantile(working, 95) > PATIENT
        return not (faults or slow or self.given.seconds >= 300 and grown > LEVEL)

    def growth(self) -> float:
        """Return by which share memory is larger in the last third than in the one before, on average."""
        third = max(1, len(self.residents) // 3)
        before, last = self.residents[-2 * third : -third], self.residents[-third:]
        return statistics.mean(last) / statistics.mean(before or last) - 1


def quantile(times: list[float], percent: int) -> float:
    """Return a percentile of some seconds."""
    return statistics.quantiles(times, n=100, method="inclusive")[percent - 1] if len(times) > 1 else max(times)


def spread(times: list[float]) -> str:
    """Write median, 95th percentile and maximum in milliseconds."""
    if not times:
        return "        -" * 3
    return "".join(f"{1e3 * value:9.0f}" for value in (quantile(times, 50), quantile(times, 95), max(times)))


def arguments() -> argparse.Namespace:
    """Read the command line; whatever is asked for stays bounded and on this machine."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, kind, default in (("sessions", int, 100), ("seconds", float, 60.0), ("period", float, 2.0),
                                ("within", float, 10.0), ("url", str, ""), ("pid", int, 0)):
        parser.add_argument(f"--{name}", type=kind, default=default)
    given = parser.parse_args()
    if not (1 <= given.sessions <= MOST_SESSIONS and 0 <= given.seconds <= LONGEST and 0.1 <= given.period):
        parser.error(f"at most {MOST_SESSIONS} sessions and {LONGEST} seconds, a period from 0.1 seconds on")
    if given.url and (urlsplit(given.url).hostname not in LOOPBACK or not given.pid):
        parser.error("--url has to be on loopback, and needs --pid")
    return given


def main() -> int:
    """Run the class; 0 if all is well."""
    given = arguments()
    with nullcontext() if given.url else Server() as server:
        url, pid = (given.url, given.pid) if given.url else (server.url, server.process.pid)
        everybody = Class(given, url, pid)
        asyncio.run(everybody.run())
        return 0 if everybody.report([] if given.url else server.faults()) else 1


if __name__ == "__main__":
    sys.exit(main())
