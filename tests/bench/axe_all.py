"""Every page by axe's rules: three widths, light and dark, both languages, all details open. Ends in 1 on a finding.

    python tests/bench/axe_all.py [PAGE ...]

The tests look at each page in two of these twelve looks; this looks at all, in about ten minutes.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from playwright.sync_api import sync_playwright

from pages.ui.contents import PAGES
from pages.ui.language import LANGUAGES
from tests.browser.access import faults, looked_at, unfold
from tests.browser.conftest import FLAGS, Server, Visit, find_browser

WIDTHS = (390, 1280, 1920)
SCHEMES = ("light", "dark")


def look(tab, name, lang):
    """All looks of a page in one language: how many there were, and what each found."""
    tab.page.set_viewport_size({"width": WIDTHS[0], "height": 844})
    unfold(tab.go(name, lang=lang))
    found = {}
    for width in WIDTHS:
        for scheme in SCHEMES:
            found[width, scheme] = faults(unfold(looked_at(tab, width, scheme)))
    return found


def main(names):
    looks = bad = 0
    with sync_playwright() as playwright, Server() as server:
        browser = playwright.chromium.launch(executable_path=find_browser(playwright), args=FLAGS)
        context = browser.new_context()
        for name in names:
            for lang in LANGUAGES:
                tab = Visit(context.new_page(), server)
                found = look(tab, name, lang)
                tab.page.close()
                wrong = {at: listed for at, listed in found.items() if listed}
                looks, bad = looks + len(found), bad + len(wrong)
                good = len(found) - len(wrong)
                print(f"{name:<14}{lang}  {good} of {len(found)} looks without a finding", flush=True)
                for (width, scheme), listed in wrong.items():
                    for fault in listed:
                        print(f"    {width} {scheme}: {fault}", flush=True)
        browser.close()
    print(f"{looks} looks, {bad} with a finding")
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or list(PAGES)))
