"""What a cold phone pays for each core lesson: seconds and bytes until its picture stands, without and with the proxy.

    python tests/load/weight.py [--lessons scaling,qkv] [--mbit 1.5] [--delay 150] [--slow 4] [--via bare,http,tls]
                                [--files] [--url http://127.0.0.1:8501]

Each load has a fresh browser of 390 x 844 px with nothing in its cache; rate and round trip are set through the
browser's own protocol, and so hold for the websocket too. The picture is the first useful one: tables with numbers,
or the drawn live picture. Three ways lead to the lab: `bare` is `streamlit run`, as on a laptop; `http` and `tls` go
through the proxy of `.deploy/`, which compresses, the latter over HTTP/2. `--files` lists what came before the picture.
Exits 1 when a lesson is over the budget behind the proxy.
"""

import argparse
import base64
import contextlib
import importlib.util
import shutil
import sys
import tempfile
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from playwright.sync_api import TimeoutError as Late
from playwright.sync_api import sync_playwright

from tests.browser.conftest import DRAWN, FLAGS, Server, find_browser

ROOT = Path(__file__).parents[2]
BUDGET = 10.0  # seconds until the picture
LONGEST = 90.0  # seconds until a load is given up
DEEP = """const deep = (root, found = []) => { for (const e of root.querySelectorAll('*')) {
  found.push(e); if (e.shadowRoot) deep(e.shadowRoot, found); } return found; };"""
TABLES = "e => e.matches('td.cell, td.figure') && /\\d/.test(e.textContent)"
LIVE = "e => e.matches('.live:not(.waiting) [data-testid=live-picture]')"
PICTURE = {"pipeline": TABLES, "qkv": TABLES, "scaling": LIVE, "masking": TABLES}
STANDS = """() => { %s const picture = deep(document).find(%s);
  return picture && picture.getBoundingClientRect().height > 0 && performance.now(); }"""


class Weigher:
    """Counts what a tab receives: every response as it comes over the line, and every websocket message."""

    def __init__(self, protocol):
        self.names, self.files, self.messages, self.deflate = {}, {}, 0, None
        protocol.on("Network.responseReceived", self.on_response)
        protocol.on("Network.dataReceived", self.on_data)
        protocol.on("Network.loadingFinished", self.on_end)
        protocol.on("Network.webSocketHandshakeResponseReceived", self.on_websocket)
        protocol.on("Network.webSocketFrameReceived", self.on_message)

    def on_response(self, event):
        self.names[event["requestId"]] = event["response"]["url"].split("?")[0].rsplit("/", 1)[-1]
        self.on_data(event["response"] | event)

    def on_data(self, event):
        name = self.names.get(event["requestId"], "?")
        self.files[name] = self.files.get(name, 0) + event["encodedDataLength"]

    def on_end(self, event):
        self.files[self.names.get(event["requestId"], "?")] = event["encodedDataLength"]

    def on_websocket(self, event):
        headers = {name.lower(): text for name, text in event["response"]["headers"].items()}
        if "permessage-deflate" in headers.get("sec-websocket-extensions", ""):
            self.deflate = zlib.compressobj(wbits=-12)

    def on_message(self, event):
        """The browser tells of messages as they are when unpacked: pack them again to know what came over the line."""
        data, binary = event["response"]["payloadData"], event["response"]["opcode"] == 2
        data = base64.b64decode(data) if binary else data.encode()
        if self.deflate:
            data = self.deflate.compress(data) + self.deflate.flush(zlib.Z_SYNC_FLUSH)[:-4]
        self.messages += len(data)

    def bytes(self):
        return int(sum(self.files.values())) + self.messages


def load(playwright, address, lesson, wanted):
    """Open one lesson in a fresh browser; return seconds and bytes to the picture and to rest, and what came before."""
    flags = [*FLAGS, "--ignore-certificate-errors"]  # the certificate of this measurement is its own
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        context = playwright.chromium.launch_persistent_context(
            profile, executable_path=find_browser(playwright), args=flags, viewport={"width": 390, "height": 844},
            device_scale_factor=2, is_mobile=True, has_touch=True, ignore_https_errors=True,
        )
        with contextlib.closing(context):
            page = context.pages[0]
            weigher = throttle(context.new_cdp_session(page), wanted)
            page.goto(f"{address}/{lesson}", wait_until="commit", timeout=LONGEST * 1e3)
            limit = {"timeout": LONGEST * 1e3}
            picture = page.wait_for_function(STANDS % (DEEP, PICTURE[lesson]), polling="raf", **limit).json_value()
            first, files = weigher.bytes(), dict(weigher.files, websocket=weigher.messages)
            with contextlib.suppress(Late):
                page.wait_for_function(DRAWN, arg=500, polling=50, **limit)
            rest = page.evaluate("performance.now()") - 500
            return picture / 1e3, first, rest / 1e3, weigher.bytes(), files


def throttle(protocol, wanted):
    """Make the tab's line and processor as slow as asked for; return what counts its bytes."""
    rate = wanted.mbit * 1e6 / 8
    protocol.send("Network.enable")
    protocol.send("Network.emulateNetworkConditions", {
        "offline": False, "latency": wanted.delay, "downloadThroughput": rate, "uploadThroughput": rate,
    })
    protocol.send("Emulation.setCPUThrottlingRate", {"rate": wanted.slow})
    return Weigher(protocol)


def host():
    """The module `.deploy/host.py`, which is no package: its folder starts with a dot."""
    spec = importlib.util.spec_from_file_location("lab_host", ROOT / ".deploy" / "host.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@contextlib.contextmanager
def lab(way):
    """Start the lab in one of the three ways; give its address."""
    if way == "bare":
        with Server() as server:
            yield server.url
    else:
        with host().Host(processes=1, own_certificate=way == "tls") as running:
            yield running.url


def visited(playwright, address, lessons):
    """Let the server draw each lesson once, so that the phone does not wait for Python's first imports."""
    unhindered = argparse.Namespace(mbit=1000, delay=0, slow=1)
    for lesson in lessons:
        load(playwright, address, lesson, unhindered)


def measure(playwright, way, address, wanted):
    """Measure each lesson one way; print a line each, and return the seconds to each picture."""
    visited(playwright, address, wanted.lessons)
    seconds = []
    for lesson in wanted.lessons:
        picture, first, rest, whole, files = load(playwright, address, lesson, wanted)
        print(f"{lesson:10} {way:5} {picture:8.1f} s {first / 1e3:8.0f} kB {rest:8.1f} s {whole / 1e3:8.0f} kB",
              flush=True)
        if wanted.files:
            for name, size in sorted(files.items(), key=lambda row: -row[1])[:25]:
                print(f"{'':17}{size / 1e3:9.1f} kB  {name}")
        seconds.append(picture)
    return seconds


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lessons", type=lambda text: text.split(","), default=list(PICTURE))
    parser.add_argument("--mbit", type=float, default=1.5, help="megabits a second, down and up")
    parser.add_argument("--delay", type=float, default=150, help="milliseconds of a round trip")
    parser.add_argument("--slow", type=float, default=1, help="how many times slower the processor is")
    parser.add_argument("--via", type=lambda text: text.split(","), default=["bare", "http", "tls"])
    parser.add_argument("--files", action="store_true", help="list what came before the picture")
    parser.add_argument("--url", help="measure a lab that runs already")
    return parser.parse_args()


def main():
    wanted = arguments()
    if not shutil.which("nginx") and not wanted.url:
        wanted.via = ["bare"]
        print("nginx is missing (apt-get install nginx-light): measured without the proxy only")
    print(f"{wanted.mbit:g} Mbit/s, {wanted.delay:g} ms, processor {wanted.slow:g} times slower; "
          "seconds and bytes to the picture, and to rest")
    over = False
    for way in ["url"] if wanted.url else wanted.via:
        with contextlib.nullcontext(wanted.url) if wanted.url else lab(way) as address, sync_playwright() as playwright:
            over |= max(measure(playwright, way, address, wanted)) > BUDGET and way != "bare"
    return int(over)


if __name__ == "__main__":
    sys.exit(main())
