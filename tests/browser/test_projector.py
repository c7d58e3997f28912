"""Projector mode: nothing under 24 px on a wall of 1920 x 1080, and a presenter's remote leads through the screens."""

import pytest

from pages.ui.contents import PAGES

# every visible text outside formulas, shadow roots included, with its size: the smallest ones
SMALL = """least => {
  const found = [];
  const walk = root => { for (const e of root.querySelectorAll('*')) {
    if (e.shadowRoot) walk(e.shadowRoot);
    const seen = e.checkVisibility({visibilityProperty: true, opacityProperty: true});
    if (!seen || e.closest(".katex, style, script")) continue;
    const words = [...e.childNodes].filter(n => n.nodeType === 3).map(n => n.data).join('').trim();
    const icon = getComputedStyle(e).fontFamily.includes('Material'), box = e.getBoundingClientRect();
    if (!words || icon || box.width < 2 || box.right < 0) continue;
    let size = parseFloat(getComputedStyle(e).fontSize);
    const svg = e.closest('svg'), view = svg && svg.viewBox.baseVal;
    if (view && view.width) size *= svg.getBoundingClientRect().width / view.width;
    if (size < least) found.push([Math.round(10 * size) / 10, words.slice(0, 40)]);
  } };
  walk(document.querySelector('[data-testid=stMain]'));
  return found; }"""
AT = "() => document.querySelector('.lab-remote [role=status]').textContent"


@pytest.fixture(scope="module")
def wall(chromium, server):
    """One tab for all pages; Visit is what conftest's visitor makes."""
    from tests.browser.conftest import Visit
    context = chromium.new_context(viewport={"width": 1920, "height": 1080})
    yield Visit(context.new_page(), server)
    context.close()


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_small_and_every_screen_is_reached(wall, name):
    page = wall.go(name, lang="en", projector="1").page
    page.wait_for_function("() => document.querySelector('.lab-remote [role=status]')?.textContent.includes('of')")
    assert page.locator("[data-testid=stSidebar]:visible").count() == 0
    small, seen = [], set()
    for _ in range(60):
        small += page.evaluate(SMALL, 23.9)
        seen.add(page.evaluate(AT))
        at, count = map(int, page.evaluate(AT).split(" of "))
        if at == count:
            break
        page.keyboard.press("PageDown")
    assert small == []
    assert len(seen) == count
    wall.healthy()


def test_the_remote_reveals_and_walks_through_a_plan(visitor):
    visit = visitor(width=1920, height=1080).go("scaling", projector="1", plan="scaling45", at="2")
    page = visit.page
    assert page.locator(".st-key-prediction").count() == 1 and page.locator(".st-key-live").count() == 0
    page.keyboard.press("b")
    visit.until("() => document.querySelector('.st-key-live')")
    assert visit.link["made"].startswith("raw.")
    page.keyboard.press("PageUp")
    visit.until("() => !new URLSearchParams(location.search).has('at')")
    assert visit.link["plan"] == "scaling45" and visit.link["projector"] == "1"
    for _ in range(40):
        page.keyboard.press("PageDown")
        if "at" in visit.link:
            break
    visit.until("() => new URLSearchParams(location.search).get('at') === '2'")
    page.locator("[data-remote=leave]").click()
    visit.until("() => !document.querySelector('.lab-remote')")
    assert "projector" not in visit.link
    assert page.evaluate("document.querySelectorAll('[data-screen]').length") == 0
    visit.healthy()
