"""The lab in the frame of a learning platform, on another origin that lets it keep nothing."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

import pytest

from pages.ui.contents import PAGES
from pages.ui.language import Language

COURSE = ('<!doctype html><title>Course</title><style>body {{ margin: 0; }}</style>'
          '<iframe src="{url}" style="border: 0" width="800" height="900"></iframe>')
DRAWN = """() => { const app = document.querySelector('[data-testid=stApp]');
  return app?.dataset.testScriptState === 'notRunning' && app.dataset.testConnectionState === 'CONNECTED'
    && document.querySelector('.st-key-foot a')
    && !document.querySelector('[data-stale=true],[data-testid=stSkeleton]'); }"""
SIDEWAYS = """() => [document.documentElement, document.body, document.querySelector('[data-testid=stMain]')]
  .some(e => e.scrollWidth > e.clientWidth + 1)"""
SEEN = "css => [...document.querySelectorAll(css)].filter(e => e.checkVisibility()).length"
PADDING = "() => getComputedStyle(document.querySelector('[data-testid=stMainBlockContainer]')).paddingTop"
REFUSED = """() => { document.cookie = 'lab=1; SameSite=None; Secure';
  try { return document.cookie + localStorage.length; } catch (fault) { return fault.name; } }"""
NO_COOKIES = {"enableThirdPartyCookieRestriction": True, "disableThirdPartyCookieMetadata": True,
              "disableThirdPartyCookieHeuristics": True}


@pytest.fixture
def course():
    """A page of another host that frames an address: course(url) is the page's own address."""
    framed = []

    class Page(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(COURSE.format(url=framed[-1].replace("&", "&amp;")).encode())

        def log_message(self, *_):
            """Say nothing."""

    host = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=host.serve_forever, daemon=True).start()

    def at(url):
        framed.append(url)
        return f"http://localhost:{host.server_port}/"

    yield at
    host.shutdown()
    host.server_close()


def asked(url):
    """The parameters of a link."""
    return dict(parse_qsl(urlsplit(url).query))


def in_frame(frame, lang, name, **also):
    """Wait until the framed lab is drawn; it is still framed, in the same language, and says nothing sideways."""
    frame.wait_for_url(lambda url: f"/{name}?" in url)
    frame.wait_for_function(DRAWN)
    frame.wait_for_function("title => document.querySelector('h1')?.textContent.includes(title)",
                            arg=Language(lang)(PAGES[name].title).split("$")[0].strip())
    assert asked(frame.url) == {"embed": "true", "lang": lang, **also}
    assert frame.evaluate("document.documentElement.lang") == lang
    assert not frame.evaluate(SIDEWAYS)
    assert frame.evaluate(SEEN, "[data-testid=stSidebar], [data-testid=stExpandSidebarButton]") == 0, "no menu"
    frame.wait_for_function(f"({SEEN})('.st-key-foot a') >= 1")  # the foot leads on
    assert frame.evaluate(PADDING) == "8px", "the platform has a margin of its own"


def test_in_a_frame_the_lab_needs_neither_menu_nor_cookies_and_every_link_stays_in_it(visitor, course):
    tab = visitor(width=1000, height=1000)
    session = tab.page.context.new_cdp_session(tab.page)
    session.send("Network.enable")
    session.send("Network.setCookieControls", NO_COOKIES)
    tab.page.goto(course(f"{tab.server.url}/scaling?embed=true&lang=id&seed=3"))
    frame = tab.page.frames[1]
    in_frame(frame, "id", "scaling", seed="3")
    assert frame.evaluate(REFUSED) == "SecurityError", "third-party storage is blocked"

    frame.locator("[data-testid=live-dk]").press("ArrowRight")
    frame.wait_for_url(lambda url: asked(url).get("d_k") == "65")
    frame.locator(".st-key-another_seed button").click()
    frame.wait_for_url(lambda url: asked(url).get("seed") != "3" and asked(url)["embed"] == "true")
    assert frame.evaluate(SEEN, ".st-key-controls input[type=range]") == 2

    frame.locator(".st-key-foot a").last.click()
    in_frame(frame, "id", "masking")
    frame.locator(".st-key-formula a").last.click()
    in_frame(frame, "id", "qkv")
    frame.locator(".st-key-foot hr + p a").first.click()
    in_frame(frame, "id", "pipeline")
    frame.locator(".st-key-foot a[href*='lang=en']").click()
    frame.wait_for_url(lambda url: asked(url)["lang"] == "en")
    in_frame(frame, "en", "pipeline")
    here = frame.url
    frame.evaluate("history.back()")
    frame.wait_for_url(lambda url: url != here and asked(url).get("embed") == "true")
    assert tab.complaints == [] and tab.foreign == []


def test_outside_of_a_frame_the_menu_is_there(visitor):
    tab = visitor().go("scaling", lang="id")
    assert tab.page.evaluate(SEEN, "[data-testid=stSidebar]") == 1
    assert tab.page.evaluate(PADDING) != "8px"
    tab.healthy()
