"""What one rerun costs the server: CPU-milliseconds and bytes of every control of every page.

    python tests/load/cpu.py [--moves 12] [--pages scaling masking] [--url URL --pid PID]

One session opens each page and moves each control of the page as it opens, some times each, then puts it back. The
first of the moves warm the server; of the others the median is printed, so that a setting that is computed for the
first time does not count, but "most" does. CPU time is that of all threads of the process.
Exit code 1 where a control is above the budget of 10 ms. Linux.
"""

import argparse
import asyncio
import statistics
import sys
from contextlib import nullcontext
from pathlib import Path
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).parents[2]))

from pages.ui.contents import PAGES
from tests.browser.conftest import LOOPBACK, Server
from tests.load.sessions import MOVABLE, Session, cpu_seconds

BUDGET = 10.0  # CPU-milliseconds of a control's rerun
WARM_UP = 3
MOST = 100
FINGER, DRIVEN = "live_saturation", {"steps": "weights", "masks_board": "masked"}  # components that answer a hand


class Probe(Session):
    """A session that measures what its moves cost."""

    async def cost(self, name: str, nth: int, pid: int) -> tuple[float, int]:
        """Make one move; return the CPU-milliseconds and the bytes."""
        before, sent = cpu_seconds(pid), self.bytes
        if name == FINGER:
            await self.commit(name, {"commit": {"d_k": 100 + nth, "nth": nth + 1}})
        elif name in DRIVEN:
            await self.act(name, kind="choose", matrix=DRIVEN[name], row=1 + nth % 2, column=1 + nth % 3)
        else:
            await self.move(name)
        await asyncio.sleep(0.02)  # what the server still does after "script finished"
        return (cpu_seconds(pid) - before) * 1e3, self.bytes - sent


async def probe(url: str, pid: int, page: str, moves: int) -> list[float]:
    """Print a line for every control of a page; return the medians."""
    first = Session(url, page)
    await first.open()
    await first.close()
    names = [w.name for w in first.widgets.values() if w.kind in MOVABLE or w.name in (FINGER, *DRIVEN)]
    medians = []
    for name in names:
        session = Probe(url, page)
        await session.open()
        found = [await session.cost(name, nth, pid) for nth in range(WARM_UP + moves) if movable(session, name)]
        await session.close()
        costs, sizes = zip(*found[WARM_UP:] or found, strict=True)
        median = statistics.median(costs)
        medians.append(median)
        print(f"{page:<14}{name:<18}{median:8.1f}{max(costs):8.1f}{statistics.median(sizes):10.0f}"
              f"{'   above the budget' if median > BUDGET else ''}", flush=True)
        for fault in session.faults[-1:]:
            print(f"{page:<14}FAULT: {fault}")
    return medians


def movable(session: Session, name: str) -> bool:
    """Say whether the page still has the control."""
    return any(widget.name == name for widget in session.widgets.values())


async def every_page(url: str, pid: int, pages: list[str], moves: int) -> bool:
    """Print the table; say whether every control keeps to the budget."""
    print(f"{'page':<14}{'control':<18}{'CPU ms':>8}{'most':>8}{'bytes':>10}")
    of_page = {page: await probe(url, pid, page, moves) for page in pages}
    print(f"\n{'page':<14}{'CPU ms, median of its controls':>32}")
    for page, medians in of_page.items():
        print(f"{page:<14}{statistics.median(medians):32.1f}")
    return max(map(max, of_page.values())) <= BUDGET


def main() -> None:
    """Read the command line, and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--moves", type=int, default=12, choices=range(1, MOST), metavar="N")
    parser.add_argument("--pages", nargs="+", default=list(PAGES), choices=list(PAGES))
    parser.add_argument("--url", default="")
    parser.add_argument("--pid", type=int, default=0)
    given = parser.parse_args()
    if given.url and (urlsplit(given.url).hostname not in LOOPBACK or not given.pid):
        parser.error("--url has to be on loopback, and needs --pid")
    with nullcontext() if given.url else Server() as server:
        url, pid = (given.url, given.pid) if given.url else (server.url, server.process.pid)
        pages = ["" if page == "home" else page for page in given.pages]
        held = asyncio.run(every_page(url, pid, pages, given.moves))
    raise SystemExit(0 if held else 1)


if __name__ == "__main__":
    main()
