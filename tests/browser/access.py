"""What can be asked of any page about who can use it: axe's rules, room for its width, everything unfolded."""

from pathlib import Path

import axe_playwright_python

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
# what axe calls serious or critical: impact, rule, number of elements, the first of them, and why
RUN = """async () => (await axe.run(document, {resultTypes: ['violations']})).violations
  .filter(v => /serious|critical/.test(v.impact)).map(v => [v.impact, v.id, v.nodes.length,
    v.nodes[0].target.flat().join(' >> '), v.nodes[0].html.slice(0, 160),
    ((v.nodes[0].any[0] || v.nodes[0].all[0] || v.nodes[0].none[0]) || {}).message])"""
SIDEWAYS = """() => { const main = document.querySelector('[data-testid=stMain]');
  return [document.documentElement, document.body, main].some(e => e.scrollWidth > e.clientWidth + 1); }"""
# what sticks out to the right of the page and cannot be scrolled to in a box of its own
STICKS_OUT = """() => { const main = document.querySelector('[data-testid=stMain]'), edge = main.clientWidth + 1;
  const kept = e => { for (let up = e.parentElement; up && up !== main; up = up.parentElement)
    if (/auto|scroll|hidden|clip/.test(getComputedStyle(up).overflowX)) return true; };
  const seen = {visibilityProperty: true, opacityProperty: true};
  return [...main.querySelectorAll('*')].filter(e => e.checkVisibility(seen) && e.getBoundingClientRect().width
    && e.getBoundingClientRect().right > edge && !kept(e)).map(e => e.outerHTML.slice(0, 120)); }"""
FOLDED = "[data-testid=stMain] details:not([open]) > summary"
UNFOLD = f"() => document.querySelectorAll('{FOLDED}').forEach(summary => summary.click())"
PAPER = "() => getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"
PAPERS = {"light": "rgb(255, 255, 255)", "dark": "rgb(14, 17, 23)"}
HEIGHTS = {320: 512, 390: 844, 640: 512, 1280: 800, 1920: 1080}


def unfold(tab):
    """Open every detail of a page, and those that stand in them."""
    for _ in range(5):
        if not tab.page.locator(FOLDED).count():
            return tab
        tab.page.evaluate(UNFOLD)
        tab.drawn(100)
    raise AssertionError("a detail does not open")


def looked_at(tab, width, scheme):
    """A page in another window and another scheme, drawn."""
    tab.page.set_viewport_size({"width": width, "height": HEIGHTS[width]})
    tab.page.emulate_media(color_scheme=scheme)
    return tab.until(f"paper => ({PAPER})() === paper", PAPERS[scheme])


def faults(tab):
    """What axe finds, and whether the page scrolls sideways: nothing."""
    if not tab.page.evaluate("() => 'axe' in window"):
        tab.page.evaluate(AXE)
    wide = [["sideways", *tab.page.evaluate(STICKS_OUT)]] if tab.page.evaluate(SIDEWAYS) else []
    return tab.page.evaluate(RUN) + wide
