"""The long faults: 20 s without network, a server that ends under open pages, a killed worker, a clock that jumps.

    python tests/load/faults.py [offline] [restart] [worker] [clock]

Each prints a line when the page came back as it was; the first that does not ends the script. About two minutes.
"""

import os
import signal
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "browser")]

from conftest import FLAGS, Server, Visit, find_browser  # noqa: E402
from test_faults import LOST, SEEN, Wire, healed, restart, stop  # noqa: E402

OUTAGE = 20  # seconds
DAY = 86_400
JUMPS = f"""
import signal, time
real, shift = time.time, [0]
time.time = lambda: real() + shift[0]
signal.signal(signal.SIGUSR1, lambda *_: shift.__setitem__(0, shift[0] + {DAY}))
signal.signal(signal.SIGUSR2, lambda *_: shift.__setitem__(0, shift[0] - {2 * DAY}))
"""
LESSONS = {
    "pipeline": {"step": "scores", "word": "4"}, "qkv": {"tie": "q_k"}, "scaling": {"d_k": "128", "seed": "137"},
    "masking": {"mask": "both", "pads": "1"}, "learning": {"train_d_k": "4"}, "verification": {"example": "six_words"},
}


@contextmanager
def browser():
    """A browser that makes tabs, each of a person of one's own."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find_browser(playwright), args=FLAGS)
        yield lambda server: Visit(chromium.new_context().new_page(), server)
        chromium.close()


def offline(tab_of):
    """The browser is offline for a while, as a phone in a lift, in the middle of a training."""
    with Server() as server:
        wire = Wire(server)
        tab = tab_of(wire).go("learning", lang="en", train_d_k="256", train_steps="1200")
        tab.page.locator(".st-key-start_learning button").click()
        tab.page.wait_for_function(SEEN, arg="By step")
        wire.pull()  # first: a browser that is set offline keeps the connections that it has
        tab.page.wait_for_function(LOST)
        tab.page.context.set_offline(True)
        time.sleep(OUTAGE)
        wire.plug()
        tab.page.context.set_offline(False)
        tab.page.wait_for_function(SEEN, arg="By step 1200", timeout=120_000)
        tab.until("() => document.querySelector('.st-key-start_learning')")
        assert tab.link == {"lang": "en", "train_steps": "1200"}
        healed(tab)
        assert server.faults() == []
    return f"offline for {OUTAGE} s while a training ran: it went on by itself and came to its end"


def restarted(tab_of):
    """A server ends and starts again under an open page of each lesson."""
    with Server() as server:
        tabs = {name: tab_of(server).go(name, lang="id", **link) for name, link in LESSONS.items()}
        before = {name: tab.text() for name, tab in tabs.items()}
        stop(server)
        for tab in tabs.values():
            tab.page.wait_for_function(LOST)
        restart(server)
        start = time.monotonic()
        for name, tab in tabs.items():
            tab.until("() => true")
            assert (tab.text(), tab.link, tab.lang) == (before[name], {"lang": "id"} | LESSONS[name], "id"), name
            healed(tab)
        took = time.monotonic() - start
        assert server.faults() == []
    return f"server ended under {len(tabs)} open pages: all as they were {took:.1f} s after it was up again"


def worker(tab_of):
    """PyTorch's process is killed twice while a battery asks it."""
    with Server() as server:
        tab, killed = tab_of(server).go("verification", lang="en", bench="battery", compare="yes", cases="1000"), 0
        tab.page.locator(".st-key-run_battery button").click()
        end = time.monotonic() + 120
        while killed < 2 and time.monotonic() < end:
            for pid in torch_of(server.process.pid):
                os.kill(pid, signal.SIGKILL)
                killed += 1
            time.sleep(0.5)
        tab.page.wait_for_function(SEEN, arg="0 fail", timeout=120_000)
        tab.until("() => !document.querySelector('.st-key-stop_battery')")
        said = tab.text("[data-testid=stAlert]")
        assert killed >= 1 and "fail, " in said and "0** fail" not in said
        healed(tab)
        assert server.faults() == []
    return f"PyTorch's process killed {killed} times in a battery: {' '.join(said.split())}"


def torch_of(pid):
    """The processes of PyTorch that a server has started."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    tasks = [path.read_text().split() for path in Path(f"/proc/{pid}/task").glob("*/children")]
    every = {int(child) for child in [*children, *(child for task in tasks for child in task)]}
    return [child for child in every if "torch_worker" in Path(f"/proc/{child}/cmdline").read_text()]


def clock(tab_of):
    """The host's clock is set a day ahead and two days back while a training runs and others wait."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "sitecustomize.py").write_text(JUMPS)
        os.environ["PYTHONPATH"] = folder
        try:
            server = Server()
        finally:
            del os.environ["PYTHONPATH"]
        with server:
            tabs = [tab_of(server).go("learning", lang="en", train_steps="1200", train_first=f) for f in ("0", "5")]
            for tab in tabs:
                tab.page.locator(".st-key-start_learning button").click()
            tabs[0].page.wait_for_function(SEEN, arg="By step")
            for jump in (signal.SIGUSR1, signal.SIGUSR2):
                server.process.send_signal(jump)
                time.sleep(2)
            for tab in tabs:
                tab.page.wait_for_function(SEEN, arg="By step 1200", timeout=120_000)
                tab.drawn()
                healed(tab)
            assert server.faults() == []
    return "clock a day ahead and two back: the training and the one that waited for it came to their ends"


def main():
    """Run the faults that are named, or all."""
    every = {"offline": offline, "restart": restarted, "worker": worker, "clock": clock}
    with browser() as tab_of:
        for name in sys.argv[1:] or every:
            print(f"{name}: {every[name](tab_of)}", flush=True)


if __name__ == "__main__":
    main()
