"""Two processes behind the proxy: what they carry against one, and what a class sees when one of them is killed.

    python tests/load/processes.py [--throughput] [--kill] [--pupils 30] [--seconds 10]

Throughput: pupils who never rest move a control of the scaling page, through the proxy to one process, then to two.
The cores are shared with the pupils themselves, so the CPU of each process stands beside the runs a second.

Killed in mid-lesson: pupils on three pages move a control every 2 s, and one process gets SIGKILL. Its pupils notice
that their websocket broke, ask for the server's health as the front end does, and come back; every second one has
closed the tab instead, and opens the link from the address bar. Each must find the experiment of the link that it had,
and no exception; a move that was on its way when the process died is lost, and counted. Exits 1 when one does not.
"""

import argparse
import asyncio
import os
import random
import signal
import statistics
import sys
import time
import urllib.request
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import websockets

from tests.load.sessions import PATIENCE, Session, cpu_seconds
from tests.load.weight import host

LESSONS = (("scaling", "seed"), ("masking", "query"), ("pipeline", "word"))  # a page, and the control that moves
BACK = 10.0  # seconds after which a pupil has to be back
PERIOD = 2.0  # seconds between two moves


class Pupil(Session):
    """A tab that keeps the proxy's cookie, and comes back when its connection breaks."""

    def __init__(self, url, page, control, query=""):
        super().__init__(url, page, query)
        self.control, self.cookie, self.times = control, "", []
        self.broke = self.returned = None
        self.unheard = 0

    async def ask_health(self):
        """What a front end does before it connects; here the proxy says which process it is to be."""
        request = urllib.request.Request(f"{self.url}/_stcore/health", headers={"Cookie": self.cookie})
        with await asyncio.to_thread(urllib.request.urlopen, request, timeout=PATIENCE) as answer:
            for line in answer.headers.get_all("Set-Cookie") or ():
                if line.startswith("lab_process="):
                    self.cookie = line.split(";")[0]

    @property
    def process(self):
        """The number of the process, from 1, that this tab stays with."""
        return int(self.cookie.removeprefix("lab_process="))

    async def open(self):
        """Connect and run the page."""
        await self.ask_health()
        self.socket = await websockets.connect(
            self.url.replace("http", "ws") + "/_stcore/stream", subprotocols=["streamlit"], max_size=None,
            open_timeout=PATIENCE, ping_interval=None, origin=self.url, additional_headers={"Cookie": self.cookie},
        )
        return await self.run()

    async def come_back(self, from_link):
        """Try until the page stands again, with the controls of the open tab or with no more than the link; compare."""
        self.broke, link = time.perf_counter(), self.query
        if from_link:
            self.widgets, self.held, self.page_hash = {}, {}, ""
        while True:
            try:
                await self.open()
                break
            except (OSError, websockets.WebSocketException):
                await asyncio.sleep(0.5)  # the front end's pause
        self.returned = time.perf_counter()
        if self.query != link:
            self.faults.append(f"{self.page}: the link {link} came back as {self.query}")

    async def learn(self, end, from_link=False):
        """Move the control every two seconds until the end; survive broken connections."""
        pause = random.random() * PERIOD
        while time.perf_counter() < end:
            try:
                await asyncio.wait_for(self.socket.wait_closed(), pause)  # a browser notices at once
                await self.come_back(from_link)
            except TimeoutError:
                pass
            start = time.perf_counter()
            try:
                self.times.append(await self.move(self.control))
            except websockets.ConnectionClosed:
                self.unheard += 1  # this move is lost: nobody answered it
                await self.come_back(from_link)
            pause = max(0.01, PERIOD - time.perf_counter() + start)


def spread(seconds):
    """The median, the 95th part of a hundred and the largest, in words."""
    ranked = sorted(seconds)
    picked = statistics.median(ranked), ranked[int(0.95 * (len(ranked) - 1))], ranked[-1]
    return "median {:.2f} s, p95 {:.2f} s, most {:.2f} s".format(*picked)


async def work(pupils, seconds):
    """Let pupils move their control without a rest."""
    async def busy(pupil, end):
        while time.perf_counter() < end:
            pupil.times.append(await pupil.move(pupil.control))

    end = time.perf_counter() + seconds
    await asyncio.gather(*(busy(pupil, end) for pupil in pupils))


async def throughput(processes, wanted):
    """Measure one size of host; print a line."""
    with host().Host(processes=processes) as running:
        running.warm.wait(60)
        pupils = [Pupil(running.url, "scaling", "seed") for _ in range(wanted.pupils)]
        for pupil in pupils:
            await pupil.open()
        ids = [process.pid for process in running.running]
        before, start = [cpu_seconds(pid) for pid in ids], time.perf_counter()
        await work(pupils, wanted.seconds)
        wall = time.perf_counter() - start
        used = [cpu_seconds(pid) - was for pid, was in zip(ids, before, strict=True)]
        runs, shares = [t for p in pupils for t in p.times], Counter(p.process for p in pupils)
        print(f"{processes} process(es): {len(runs) / wall:6.1f} runs/s, {spread(runs)}; "
              f"{sum(used) / len(runs) * 1e3:.1f} CPU-ms a run; "
              f"CPU {', '.join(f'{u / wall:.0%}' for u in used)}; pupils {dict(sorted(shares.items()))}", flush=True)
        return [fault for pupil in pupils for fault in pupil.faults]


async def killed(wanted):
    """Kill one of two processes under a class; print what the class saw, and return what went wrong."""
    with host().Host(processes=2) as running:
        running.warm.wait(60)
        pupils = [Pupil(running.url, *LESSONS[n % 3]) for n in range(wanted.pupils)]
        for pupil in pupils:
            await pupil.open()
        end = time.perf_counter() + wanted.seconds + 15
        learning = [asyncio.create_task(p.learn(end, n % 2 > 0)) for n, p in enumerate(pupils)]
        await asyncio.sleep(wanted.seconds / 2)
        victim, moment = pupils[0].process, time.perf_counter()
        hit = [pupil for pupil in pupils if pupil.process == victim]
        os.kill(running.running[victim - 1].pid, signal.SIGKILL)
        await asyncio.gather(*learning)
        print(f"process {victim} killed under {len(pupils)} pupils; {len(hit)} were with it: "
              f"back after the kill {spread([p.returned - moment for p in hit])}; "
              f"after they noticed {spread([p.returned - p.broke for p in hit])}; "
              f"{sum(p.unheard for p in pupils)} moves lost on their way; "
              f"now with {dict(Counter(p.process for p in pupils))}")
        faults = [fault for pupil in pupils for fault in pupil.faults]
        faults += [f"{p.page}: back after {p.returned - p.broke:.1f} s" for p in hit if p.returned - p.broke > BACK]
        faults += [f"{p.page}: was disturbed" for p in pupils if p not in hit and p.broke]
        return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--throughput", action="store_true")
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--pupils", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=10)
    wanted, faults = parser.parse_args(), []
    if wanted.throughput or not wanted.kill:
        for processes in (1, 2):
            faults += asyncio.run(throughput(processes, wanted))
    if wanted.kill or not wanted.throughput:
        faults += asyncio.run(killed(wanted))
    print("\n".join(faults) or "no fault")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
