"""A real server, a real browser, and what it means that a page is drawn."""

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from playwright.sync_api import sync_playwright

from pages.ui.contents import PAGES

ROOT = Path(__file__).parents[2]
LOOPBACK = {"127.0.0.1", "localhost", "::1"}
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
]
# true once the script is done, no placeholder is left, every chart is drawn and nothing changed for `quiet` ms
DRAWN = """quiet => {
  const all = s => [...document.querySelectorAll(s)], app = document.querySelector('[data-testid=stApp]');
  const busy = !app || app.dataset.testScriptState !== 'notRunning' || app.dataset.testConnectionState !== 'CONNECTED'
    || all('[data-testid=stStatusWidget],[data-testid=stSkeleton],[data-testid=stAppSkeleton],[data-stale=true]').length
    || all('[data-testid=stPlotlyChart]').some(chart => !chart.querySelector('.main-svg'))
    || [...document.fonts].some(font => font.status === 'loading');
  const seen = busy ? '' : all('*').length + ':' + document.body.innerText, now = performance.now();
  if (!window.labSeen || window.labSeen.seen !== seen) window.labSeen = {seen, since: now};
  return !busy && now - window.labSeen.since >= quiet; }"""


def find_browser(playwright):
    """Path of a browser: CHROMIUM, else one on PATH, else Playwright's own; None without one."""
    named = os.environ.get("CHROMIUM")
    on_path = map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"))
    own = playwright.chromium.executable_path
    return named or next(filter(None, on_path), None) or (own if Path(own).exists() else None)


class Server:
    """One `streamlit run app.py` on a free loopback port."""

    def __init__(self, script="app.py", folder=ROOT):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self.log = tempfile.TemporaryFile()
        options = {
            "server.address": "127.0.0.1", "server.port": port, "server.headless": "true",
            "server.fileWatcherType": "none", "browser.gatherUsageStats": "false",
        }
        flags = [f"--{name}={value}" for name, value in options.items()]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "streamlit", "run", script, *flags], cwd=folder, stdin=subprocess.DEVNULL,
            stdout=self.log, stderr=subprocess.STDOUT,
        )

    def __enter__(self):
        end = time.monotonic() + 90
        while self.process.poll() is None and time.monotonic() < end:
            try:
                with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=2):
                    return self
            except OSError:
                time.sleep(0.05)     # the condition is polled: a server has no other way to say that it is up
        self.__exit__()
        raise RuntimeError(f"the server did not come up:\n{self.text()[-2000:]}")

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def text(self):
        self.log.seek(0)
        return self.log.read().decode(errors="replace")

    def faults(self):
        """Log lines that tell of an error."""
        return [line for line in self.text().splitlines() if re.search(r"Traceback|\bERROR\b|\bCRITICAL\b", line)]


class Visit:
    """One tab: where it is, what it shows and what it complained about."""

    def __init__(self, page, server):
        self.page, self.server = page, server
        self.complaints, self.foreign = [], []
        page.set_default_timeout(30_000)
        page.on("console", self.on_console)
        page.on("pageerror", lambda error: self.complaints.append(f"uncaught {error}"))
        page.on("request", lambda request: self.on_url(request.url))
        page.on("websocket", lambda socket: self.on_url(socket.url))

    def on_console(self, message):
        """Streamlit's own front end looks for its server under a deep link's path: those two 404s are not ours."""
        url = message.location.get("url", "")
        stock = "404" in message.text and re.search(r"//[^/]+/[^/]+/_stcore/(health|host-config)$", url)
        if message.type == "error" and not stock:
            self.complaints.append(f"{message.text} @ {url}")

    def on_url(self, url):
        parts = urlsplit(url)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.hostname not in LOOPBACK:
            self.foreign.append(url)

    def go(self, name, **link):
        query = f"?{urlencode(link)}" if link else ""
        self.page.goto(f"{self.server.url}/{'' if name == 'home' else name}{query}")
        return self.drawn()

    def drawn(self, quiet=250):
        self.page.evaluate("window.labSeen = null")
        self.page.wait_for_function(DRAWN, arg=quiet, polling=50)
        return self

    def until(self, condition, arg=None):
        """Wait until a JavaScript condition holds, then until the page is drawn."""
        self.page.wait_for_function(condition, arg=arg, polling=50)
        return self.drawn()

    def click(self, target, condition, arg=None):
        self.page.locator(target).click()
        return self.until(condition, arg)

    @property
    def name(self):
        return urlsplit(self.page.url).path.strip("/") or "home"

    @property
    def link(self):
        return dict(parse_qsl(urlsplit(self.page.url).query))

    @property
    def lang(self):
        return self.page.evaluate("document.documentElement.lang")

    @property
    def titles(self):
        """Texts of all visible first headings, formulas left out."""
        return self.page.evaluate("""() => [...document.querySelectorAll('h1')].filter(e => e.checkVisibility())
          .map(e => { const copy = e.cloneNode(true); copy.querySelectorAll('.katex').forEach(k => k.remove());
          return copy.textContent.trim(); })""")

    @property
    def exceptions(self):
        return self.page.locator("[data-testid=stException]").count()

    def text(self, target="[data-testid=stMain]"):
        return self.page.locator(target).first.inner_text()

    def healthy(self):
        """What is wrong with the tab so far: nothing."""
        assert self.complaints == [] and self.foreign == [] and self.exceptions == 0
        assert len(self.titles) == 1
        assert self.page.locator("[role=dialog]:visible").count() == 0


def title_of(name, _):
    """The title of a page as Visit.titles reads it."""
    return re.sub(r"\$[^$]*\$", "", _(PAGES[name].title)).strip()


@pytest.fixture(scope="session")
def chromium():
    with sync_playwright() as playwright:
        path = find_browser(playwright)
        if path is None:
            missing = ("no browser found: install Chromium (apt-get install chromium, or python -m playwright install "
                       "chromium), or name one in the environment variable CHROMIUM")
            (pytest.fail if os.environ.get("CI") else pytest.skip)(missing)
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def new_server():
    """Start a server: with new_server() as server."""
    return Server


@pytest.fixture(scope="session")
def server():
    with Server() as running:
        yield running
        assert running.faults() == []


@pytest.fixture(scope="session")
def title():
    return title_of


@pytest.fixture(scope="session")
def profiles():
    """Browser contexts by language and number: a page opens faster where Streamlit's scripts are cached."""
    return {}


@pytest.fixture
def visitor(chromium, server, profiles):
    """A visitor of one's own: visitor(width=390, locale="id-ID") opens a tab.

    No two visitors of a test share a browser context. The next test finds it emptied; alone=True (for a test that
    bends the clock, say) throws it away.
    """
    tabs, alone_in, count = [], [], Counter()

    def visit(width=1280, height=800, locale="en-US", scheme="light", at=server, alone=False):
        number = count[locale]
        count[locale] += 1
        if alone:
            context = chromium.new_context(locale=locale)
            alone_in.append(context)
        else:
            context = profiles[locale, number] = profiles.get((locale, number)) or chromium.new_context(locale=locale)
        page = context.new_page()
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=scheme)
        held = {"origin": at.url, "storageTypes": "cookies,local_storage,indexeddb"}
        context.new_cdp_session(page).send("Storage.clearDataForOrigin", held)
        tabs.append(Visit(page, at))
        return tabs[-1]

    yield visit
    for tab in tabs:
        tab.page.context.set_offline(False)
        tab.page.close()
    for context in alone_in:
        context.close()
