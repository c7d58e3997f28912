"""What the first import of PyTorch costs another session: its reruns before, and while PyTorch's process starts.

    python tests/bench/first_import.py [ROUNDS]

Each round has a server of its own, as an import is the first only once. One visitor moves a slider over and over; then
a second visitor opens the page that asks PyTorch, and from there to the end of that page's script counts as "during".
A third number tells the page from PyTorch: the same page opened by another visitor, who asks nothing of PyTorch.
A rerun counts from the message to the server to its "script finished". Linux: PyTorch's process is looked up in /proc.
"""

import asyncio
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.browser.conftest import Server

PAGE, CONTROL = "scaling", "seed"
ASKING, SILENT = ("verification", "compare=yes"), ("verification", "")
BEFORE = 4.0  # seconds
PAUSE = 0.02  # seconds between two moves


class Session:
    """One tab on the wire: opens a page, then moves one slider."""

    def __init__(self, server, page, query=""):
        self.server, self.page, self.query = server, page, query
        self.page_hash, self.slider, self.value, self.faults = "", None, 0, []

    async def __aenter__(self):
        address = self.server.url.replace("http", "ws") + "/_stcore/stream"
        self.socket = await websockets.connect(address, subprotocols=["streamlit"], max_size=None, ping_interval=None)
        return self

    async def __aexit__(self, *_):
        await self.socket.close()

    async def run(self):
        """Run the page's script once; return the milliseconds."""
        message = BackMsg()
        rerun = message.rerun_script
        rerun.query_string, rerun.page_script_hash = self.query, self.page_hash
        rerun.page_name = "" if self.page_hash else self.page
        if self.slider:
            state = rerun.widget_states.widgets.add()
            state.id = self.slider.id
            state.double_array_value.data.append(self.value)
        start = time.perf_counter()
        await self.socket.send(message.SerializeToString())
        while not self.read(ForwardMsg.FromString(await asyncio.wait_for(self.socket.recv(), 180))):
            pass
        return (time.perf_counter() - start) * 1e3

    def read(self, message):
        """Take in what the server says; return whether the script is done."""
        kind = message.WhichOneof("type")
        if kind == "navigation":
            self.page_hash = message.navigation.page_script_hash
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            element = message.delta.new_element
            if element.WhichOneof("type") == "exception":
                self.faults.append(element.exception.message)
            if element.WhichOneof("type") == "slider" and element.slider.id.endswith(f"-{CONTROL}"):
                self.slider = element.slider
        return kind == "script_finished" and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN

    async def move(self):
        """Move the slider by one; return the milliseconds."""
        low, high = self.slider.min, self.slider.max
        self.value = self.value + 1 if low <= self.value < high else low + 1
        took = await self.run()
        assert f"{CONTROL}={self.value:.0f}" in self.query and not self.faults, (self.query, self.faults)
        return took


def torch_processes(server):
    """Count the children of the server that run torch_worker."""
    found = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            found += parent == server.process.pid and b"torch_worker.py" in (folder / "cmdline").read_bytes()
        except OSError:
            continue  # it ended in the meantime
    return found


async def moves_until(visitor, done):
    """Move until `done()`; return the milliseconds of every move."""
    times = []
    while not done():
        times.append(await visitor.move())
        await asyncio.sleep(PAUSE)
    return times


async def opening(server, visitor, page, query):
    """Let another visitor open a page; return the moves meanwhile and how long the opening took, in ms."""
    async with Session(server, page, query) as other:
        task = asyncio.create_task(other.run())
        times = await moves_until(visitor, task.done)
        took = await task
        assert not other.faults, other.faults
        return times, took


async def one_round(server):
    async with Session(server, PAGE) as visitor:
        await visitor.run()
        for _ in range(10):
            await visitor.move()
        for _ in range(3):  # the first opening of any page compiles it
            silent, _ = await opening(server, visitor, *SILENT)
        end = time.monotonic() + BEFORE
        before = await moves_until(visitor, lambda: time.monotonic() > end)
        assert torch_processes(server) == 0, "PyTorch was asked too early"
        during, took = await opening(server, visitor, *ASKING)
        assert torch_processes(server) == 1, "PyTorch was not asked"
        return before, silent, during, took


def p95(times):
    return statistics.quantiles(times, n=20, method="inclusive")[-1]


def main(rounds):
    print(f"{'round':<7}{'import s':>9}   {'before: moves':>13}{'median':>8}{'p95':>7}   "
          f"{'during: moves':>13}{'median':>8}{'p95':>7}   {'ratio of p95':>12}")
    every = [], []
    silently = []

    def show(name, before, during, took):
        numbers = [f(times) for times in (before, during) for f in (len, statistics.median, p95)]
        print("{:<7}{:>9}   {:>13}{:>8.1f}{:>7.1f}   {:>13}{:>8.1f}{:>7.1f}   {:>12.2f}".format(
            name, took, *numbers, p95(during) / p95(before)), flush=True)

    for number in range(rounds):
        with Server() as server:
            before, silent, during, took = asyncio.run(one_round(server))
            assert server.faults() == [], server.faults()
        show(number + 1, before, during, f"{took / 1e3:.2f}")
        for kept, times in zip(every, (before, during), strict=True):
            kept.extend(times)
        silently += silent
    show("all", *every, "")
    print(f"while the same page opens without PyTorch: {len(silently)} moves, the longest {max(silently):.1f} ms")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
