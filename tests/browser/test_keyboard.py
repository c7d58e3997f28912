"""Without a mouse: Tab reaches every control of a page in the order one reads it, shows where it is, and lets go."""

import pytest

from pages.ui.contents import PAGES
from tests.browser.access import unfold

# window.walk: where the focus has been, how that looked when the next key came, and what it must still reach
WALK = """() => {
  const deep = root => [...root.querySelectorAll('*')].flatMap(e => e.shadowRoot ? [e, ...deep(e.shadowRoot)] : [e]);
  const kinds = 'a[href], button, input, select, textarea, summary, [tabindex]';
  const groups = '[role=radiogroup], [role=group][aria-orientation]';    // one stop each: arrow keys walk inside
  const shown = e => e.checkVisibility({visibilityProperty: true}) && e.getBoundingClientRect().width > 0;
  const now = () => { let e = document.activeElement;
    while (e?.shadowRoot?.activeElement) e = e.shadowRoot.activeElement;
    return e; };
  const look = e => { const up = e.parentElement, over = up?.parentElement;
    const near = [e, ...e.children, up, ...(up?.children ?? []), over, ...(over?.children ?? [])].filter(Boolean);
    return near.slice(0, 40).flatMap(one => [null, '::before', '::after', '::-webkit-slider-thumb'].map(part => {
      const style = getComputedStyle(one, part);
      return [style.outline, style.boxShadow, style.borderColor, style.backgroundColor, style.textDecoration].join();
    })).join('|'); };
  const style = document.createElement('style');
  style.textContent = '*, ::before, ::after { transition: none !important; animation: none !important; }';
  document.head.append(style);
  for (const e of deep(document)) e.shadowRoot?.append(style.cloneNode(true));
  const name = e => e.outerHTML.slice(0, 160), stops = new Map();
  const controls = () => deep(document).filter(e =>
    e.matches(kinds) && !e.disabled && e.tabIndex >= 0 && shown(e) && !e.closest('[inert]'));
  const same = (e, other) => e === other || e.closest(groups) !== null && e.closest(groups) === other.closest(groups);
  const walk = window.walk = {stops: 0, first: null, round: false};
  addEventListener('keydown', () => { const e = now();
    if (e === document.body) return;
    if (stops.has(e)) walk.round ||= e === walk.first; else stops.set(e, look(e));
    walk.first ??= e;
    walk.stops = stops.size; }, true);
  walk.missed = () => controls().filter(e => ![...stops.keys()].some(stop => same(e, stop))).map(name);
  const frames = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  walk.unseen = async () => { const dark = [];
    now().blur();
    for (const [e, before] of stops) {
      if (!e.isConnected || !shown(e) || look(e) !== before || e.dataset.testid === 'live-dk') continue;
      e.focus();    // the walk was faster than the page: once more, at leisure (no script can read the live thumb)
      await frames();
      const focused = look(e);
      e.blur();
      await frames();
      if (look(e) === focused) dark.push(name(e));
    }
    return dark; };
  walk.order = () => [...stops.keys()].filter((e, at, all) => at && e.getRootNode() === all[at - 1].getRootNode()
    && !(all[at - 1].compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING)).map(name); }"""


def walk(tab, enough=400):
    """Tab through a page once, until the focus has left it and come to its first stop again."""
    tab.page.evaluate("() => { document.activeElement.blur(); scrollTo(0, 0); }")
    tab.page.evaluate(WALK)
    for pressed in range(enough):
        tab.page.keyboard.press("Tab")
        if pressed % 5 == 0 and tab.page.evaluate("walk.round"):
            return
    raise AssertionError("Tab never leaves the page again")


@pytest.mark.parametrize("name", PAGES)
def test_tab_reaches_every_control_of_a_page_and_one_sees_where_it_is(visitor, name):
    tab = unfold(visitor().go(name, lang="en"))
    walk(tab)
    assert tab.page.evaluate("walk.stops") > len(PAGES)
    assert tab.page.evaluate("walk.missed()") == []
    assert tab.page.evaluate("walk.order()") == [], "Tab jumps back"
    assert tab.page.evaluate("walk.unseen()") == [], "a focus that nobody sees"
    tab.healthy()
