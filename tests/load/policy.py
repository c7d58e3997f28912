"""Every page, in a browser, under the headers that the proxy sends: nothing that the lab does is refused.

    python tests/load/policy.py [--url http://127.0.0.1:8080]

Opens every page in both languages behind the proxy of `.deploy/`, opens what is folded, chooses each option of each
row of buttons once, and lists every complaint of the browser's console. Exits 1 when there is one, and also when no
page of a foreign site is kept from framing the lab.
"""

import argparse
import contextlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from playwright.sync_api import Error, sync_playwright

from pages.ui.frame import PAGES
from tests.browser.conftest import FLAGS, Visit, find_browser
from tests.load.weight import host

OPTIONS = "[data-testid=stMain] [data-testid=stButtonGroup] [role=radio]"
FOLDED = "[data-testid=stMain] details:not([open]) > summary"
# protobuf.js tries WebAssembly for its 64-bit numbers, is refused, and computes without: no loss, and no complaint
LOUD = """document.addEventListener('securitypolicyviolation', e => e.blockedURI === 'wasm-eval' ||
  console.error(`refused: ${e.effectiveDirective} ${e.blockedURI} ${e.sample} ${e.sourceFile}:${e.lineNumber}`))"""


def use(tab):
    """Open all that is folded and choose every option once."""
    for _ in range(tab.page.locator(FOLDED).count()):
        with contextlib.suppress(Error):
            tab.page.locator(FOLDED).first.click(timeout=2000)
    for at in range(min(tab.page.locator(OPTIONS).count(), 20)):
        with contextlib.suppress(Error):  # a choice may take others away
            tab.page.locator(OPTIONS).nth(at).click(timeout=2000)
            tab.drawn(quiet=100)


def walk(browser, server, lang, thoroughly):
    """Visit every page in one language; return the complaints."""
    found = []
    for name in PAGES:
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        tab = Visit(context.new_page(), server)
        tab.page.add_init_script(LOUD)
        with contextlib.suppress(Error):
            tab.go(name, lang=lang)
            if tab.lang != lang:
                tab.complaints.append("the page does not say its language")
            if thoroughly:
                use(tab)
        found += [f"{name} ({lang}): {complaint}" for complaint in tab.complaints]
        print(f"{name:14} {lang}  {len(tab.complaints)} complaints", flush=True)
        context.close()
    return found


def framed(browser, server):
    """Say whether a page of another origin can show the lab in a frame."""
    page = browser.new_page()
    page.goto(f"{server.url}/_stcore/health".replace("127.0.0.1", "localhost"))  # another origin for the browser
    page.set_content(f"<iframe src='{server.url}/scaling'></iframe>")
    page.wait_for_timeout(3000)
    return any(frame.locator("[data-testid=stApp]").count() for frame in page.frames[1:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", help="a proxy that runs already")
    wanted = parser.parse_args()
    own = contextlib.nullcontext(argparse.Namespace(url=wanted.url)) if wanted.url else host().Host(processes=1)
    with own as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(playwright), args=FLAGS)
        found = walk(browser, server, "en", True) + walk(browser, server, "id", False)
        if framed(browser, server):
            found.append("a foreign page frames the lab")
        browser.close()
    print("\n".join(found) or "nothing is refused, and no foreign page frames the lab")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
