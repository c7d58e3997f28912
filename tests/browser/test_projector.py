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
# every visible text within formulas and code: what is under 24 px
TINY = """() => [...document.querySelectorAll('[data-screen=now] :is(code, .katex-html, .katex-html *)')]
  .filter(e => [...e.childNodes].some(n => n.nodeType === 3 && n.data.replace(/\\u200b/g, '').trim()))
  .map(e => [parseFloat(getComputedStyle(e).fontSize), e.textContent]).filter(([size]) => size < 23.9)"""
# how high the screen is, how high the wall, where its last part ends, where the remote's bar begins
ROOM = """() => { const roll = document.querySelector('[data-testid=stMain]');
  const parts = [...document.querySelectorAll('[data-screen=now]')].map(e => e.getBoundingClientRect());
  return [roll.scrollHeight, roll.clientHeight, Math.max(...parts.map(part => part.bottom)),
    document.querySelector('.lab-remote').getBoundingClientRect().top]; }"""
READY = "() => document.querySelector('.lab-remote [role=status]')?.textContent"
PLACE = """() => [document.querySelector('.lab-remote [role=status]').textContent,
  document.querySelector('[data-testid=stMain]').scrollTop, location.search]"""
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


@pytest.mark.parametrize("lang", ["en", "id"])
@pytest.mark.parametrize("name", ["pipeline", "qkv", "scaling", "masking"])
def test_the_picture_and_its_sentence_fit_the_wall(wall, name, lang):
    page = wall.go(name, lang=lang, projector="1").until(READY).page
    height, room, end, bar = page.evaluate(ROOM)
    assert height <= room + 2 and end <= bar, "nothing is cut, nothing stands behind the remote"
    assert end > 0.85 * room, "and the screen is used"
    assert page.locator("[data-screen=now] :is(.st-key-shown, .st-key-live)").is_visible()


def test_each_half_of_the_live_picture_has_the_wall(wall):
    page = wall.go("scaling", lang="en", projector="1").until(READY).page
    curve, scores = page.get_by_test_id("live-curve"), page.get_by_test_id("live-picture")
    assert scores.is_visible() and not curve.is_visible()
    page.keyboard.press("PageDown")
    wall.drawn()
    height, room, *_ = page.evaluate(ROOM)
    assert height <= room + 2 and curve.bounding_box()["height"] > 0.6 * room
    assert not scores.is_visible() and page.get_by_test_id("live-dk").is_visible()


def test_the_way_back_to_the_picture(wall):
    page = wall.go("masking", lang="en", projector="1").until(READY).page
    page.keyboard.press("PageDown")
    assert page.evaluate(AT) == "2 of 3"
    page.locator(".st-key-tries a >> nth=0").click()
    wall.until("() => document.querySelector('.lab-remote [role=status]').textContent === '1 of 3'")


def test_the_derivation_is_opened_on_a_screen_of_its_own(wall):
    for name in ("masking", "scaling"):
        page = wall.go(name, lang="en", projector="1").until(READY).page
        while page.evaluate(AT).split(" of ")[0] != page.evaluate(AT).split(" of ")[1]:
            page.keyboard.press("PageDown")
        wall.until("() => document.querySelector('[data-screen=now] details[open] .katex')")
        assert page.evaluate(TINY) == []
    assert page.locator("[data-testid=stExpander]:visible").count() == 1, "what only hands need is left out"


def test_a_revealed_card_is_a_screen_and_the_picture_the_next(wall):
    page = wall.go("scaling", lang="en", projector="1", predict="raw", made="raw.0.9").until(READY).page
    live = page.get_by_test_id("live-picture")
    assert page.locator(".st-key-prediction").is_visible() and not live.is_visible()
    page.keyboard.press("PageDown")
    wall.drawn()
    height, room, *_ = page.evaluate(ROOM)
    assert live.is_visible() and height <= room + 2 and not page.locator(".st-key-prediction").is_visible()


def test_page_down_alone_walks_a_plan_to_its_end(wall):
    visit = wall.go("masking", lang="en", projector="1", plan="masking45").until(READY)
    page, seen = visit.page, []
    for _ in range(60):
        before = page.evaluate(PLACE)
        seen += [at for at in [visit.link.get("at", "1")] if at not in seen]
        page.keyboard.press("PageDown")
        visit.drawn(400)
        if page.evaluate(PLACE) == before:
            break
    assert seen == [str(at) for at in range(1, 9)]
    assert visit.name == "masking" and page.locator(".st-key-walk a").count() == 1
    wall.healthy()


def test_a_poll_starts_at_its_room_and_the_bar_follows_it(wall):
    page = wall.go("classroom", lang="en", projector="1", class_part="poll").until(READY).page
    reveal = page.locator("[data-remote=reveal]")
    assert not reveal.is_visible()
    wall.click(".st-key-poll_open button", "() => document.querySelector('[data-testid=room]')")
    assert page.evaluate(AT) == "1 of 1" and page.locator("[data-testid=room]").is_visible()
    assert reveal.is_visible() and not page.locator(".st-key-class_part").is_visible()
    page.keyboard.press("b")
    wall.until("() => document.querySelector('.st-key-poll_next')")
    assert not reveal.is_visible()
    page.locator(".st-key-poll_steps").get_by_role("button", name="Close the room").click()
    page.locator(".st-key-poll_close button").click()
    wall.until("() => !document.querySelector('[data-testid=room]')")
