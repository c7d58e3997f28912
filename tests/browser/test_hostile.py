"""A hostile visitor in a real browser: no text becomes markup, no script runs, no page breaks, no server fails."""

import json
from urllib.parse import quote

from pages.ui.contents import PAGES
from pages.ui.fields import FIELDS
from pages.ui.kinds import Text

MARKUP = "<img src=x onerror=pwned=1><b onclick=pwned=1>x</b>"
TURNED = "\u202e<svg onload=pwned=1> [x](javascript:pwned=1) `"
JUNK = (MARKUP, "1\u202e2", "\0\x1f", "9" * 5000, "1_~.1")
PWNED = """() => window.pwned !== undefined || document.querySelectorAll(
  'img[src=x], svg[onload], [onclick], [onerror], [onload], a[href^="javascript"]').length > 0"""
WRITTEN = """() => [...document.querySelectorAll('[data-testid=stMain] *')].filter(e => !e.children.length
  && e.textContent.includes('onerror=pwned')).length"""
SAYS = "text => document.querySelector('[data-testid=stMain]').innerText.includes(text)"


def hostile(page):
    """A link with every field of a page wrong, some twice, and fifty parameters that nobody knows."""
    texts = [name for name in PAGES[page].fields if isinstance(FIELDS[name], Text)]
    others = [name for name in PAGES[page].fields if name not in texts]
    pairs = [(name, JUNK[at % len(JUNK)]) for at, name in enumerate(others)] + [(name, MARKUP) for name in others[:3]]
    pairs += [(f"no_{number}{MARKUP}", TURNED) for number in range(50)] + [(name, MARKUP) for name in texts]
    return "&".join(f"{quote(name)}={quote(text)}" for name, text in pairs)


def unharmed(tab):
    assert not tab.page.evaluate(PWNED)
    tab.healthy()


def test_a_hostile_link_leaves_a_page_usable(visitor):
    """The pages with words of the reader's own, and the one with most fields; tests/pages looks at every page."""
    tab = visitor()
    for name in ("masking", "heads", "verification"):
        tab.page.goto(f"{tab.server.url}/{name}?{hostile(name)}")
        tab.drawn(quiet=100)
        unharmed(tab)
        assert tab.link.keys() <= FIELDS.keys(), "the address is the lab's own again"
        assert len(tab.text()) > 200 and not any(text in tab.page.url for text in ("onload", "no_0"))


def test_a_parameter_that_stands_twice_is_read_once_and_the_address_says_which(visitor):
    tab = visitor()
    tab.page.goto(f"{tab.server.url}/scaling?seed=1&seed=2&d_k=128&d_k=fish&lang=en")
    tab.drawn()
    assert tab.link == {"lang": "en", "seed": "2"} and "d_k" in tab.text("[data-testid=stAlert]")
    assert tab.page.get_by_role("slider", name="Seed").input_value() == "2"
    unharmed(tab)


def test_a_link_of_60_kb_is_named_and_the_next_click_works(visitor):
    tab = visitor()
    tab.page.goto(f"{tab.server.url}/masking?lang=en&pads={'9' * 40_000}&words={'x' * 20_000}")
    tab.drawn()
    assert tab.page.locator("[data-testid=stAlert]").count() == 2
    tab.click(".st-key-mask [role=radio] >> nth=1", "() => location.search.includes('mask=causal')")
    assert tab.link == {"lang": "en", "mask": "causal"}
    unharmed(tab)


def test_what_is_typed_is_shown_letter_for_letter(visitor):
    """A sentence, a number in a cell, and an output that is handed in."""
    tab = visitor().go("masking", lang="en", words=f"{MARKUP[:60]} {TURNED[:60]}")
    assert tab.page.evaluate(WRITTEN) > 0, "the words stand there as text"
    unharmed(tab)
    tab.go("qkv", lang="en")
    cell = tab.page.locator('table[data-matrix=W_V] input[data-at="1.1"]')
    cell.fill(MARKUP)
    cell.press("Tab")
    tab.until("() => document.querySelector('table[data-matrix=W_V] input[aria-invalid=true]')")
    unharmed(tab)
    tab.go("verification", lang="en", bench="own")
    box = tab.page.get_by_role("textbox", name="Paste your output")
    box.fill(MARKUP + TURNED)
    box.blur()
    tab.until(SAYS, "is no number")
    unharmed(tab)
    box.fill("1 " * 50_000)
    box.blur()
    tab.until(SAYS, "more than 10000 numbers")
    unharmed(tab)


def test_an_upload_beyond_the_bound_is_refused_by_the_server_itself(visitor):
    """The page's own check is a courtesy: the address of uploads can be called without it."""
    tab = visitor().go("verification", lang="en", bench="own")
    chooser = tab.page.locator("[data-testid=stFileUploader] input[type=file]")
    chooser.set_input_files({"name": f"{MARKUP}.npy", "mimeType": "x/y", "buffer": b"\x93NUMPY\x01\x00garbage"})
    tab.until(SAYS, "is damaged or cut off")
    unharmed(tab)
    answers = json.loads(tab.page.evaluate("""async () => {
      const answers = [];
      for (const size of [3e6, 3e6]) {
        const form = new FormData();
        form.append('file', new Blob([new Uint8Array(size)]), 'big.npy');
        const answer = await fetch('/_stcore/upload_file/nobody/1', {method: 'PUT', body: form});
        answers.push(answer.status);
      }
      return JSON.stringify(answers); }"""))
    assert all(status in (400, 403, 413) for status in answers)
    tab.complaints.clear()  # the browser reports the refusals that were asked for
    tab.click(".st-key-bench [role=radio] >> nth=0", "() => !location.search.includes('bench=')")
    unharmed(tab)
