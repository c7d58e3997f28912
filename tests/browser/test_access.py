"""Every page can be read and used: by axe's rules, on a phone, in the dark, and by keyboard."""

import pytest

from pages.ui.contents import PAGES
from pages.ui.language import Language
from tests.browser.access import AXE, RUN, SIDEWAYS, faults, looked_at, unfold

IN_SIGHT = """() => { const main = document.querySelector('[data-testid=stMain]');
  const kinds = 'input,[role=radio],button,a[data-testid=stPageLink-NavLink],a[href^="#"]';
  return [...main.querySelectorAll(kinds)].filter(e => { const box = e.getBoundingClientRect();
    const at = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    return box.width && box.top >= 0 && box.bottom <= innerHeight && at && main.contains(at)
      && !e.closest('.st-key-formula'); }).length; }"""
FOCUS = """() => { const e = document.activeElement, box = e.closest('[class*=st-key-]');
  return {tag: e.tagName, type: e.type ?? '', role: e.getAttribute('role'), href: e.getAttribute('href'),
    keys: [...(box?.classList ?? [])].filter(c => c.startsWith('st-key-')).map(c => c.slice(7))}; }"""


# each page once: language, scheme on a phone, width of the larger window; tests/bench/axe_all.py has all twelve looks
LOOKS = [(lang, scheme, width) for width in (1280, 1920) for scheme in ("light", "dark") for lang in ("en", "id")]


@pytest.mark.parametrize(("name", "look"), [(name, LOOKS[at % 8]) for at, name in enumerate(PAGES)])
def test_axe_finds_nothing_serious_and_a_phone_needs_no_sideways_scroll(visitor, title, name, look):
    """First as a phone opens it, then with all its details open, then in a larger window in the other scheme."""
    lang, scheme, width = look
    tab = visitor(width=390, height=844, scheme=scheme).go(name, lang=lang)
    assert tab.titles == [title(name, Language(lang))] and tab.lang == lang
    assert not tab.page.evaluate(SIDEWAYS)
    assert tab.page.evaluate(IN_SIGHT), "no control in the first screen of the main column"
    assert faults(unfold(tab)) == []
    other = {"light": "dark", "dark": "light"}[scheme]
    assert faults(unfold(looked_at(tab, width, other))) == [], f"{width} px wide, {other}"
    tab.healthy()


def test_axe_sees_a_planted_fault(visitor):
    tab = visitor().go("home")
    tab.page.evaluate("document.querySelector('[data-testid=stMain]').insertAdjacentHTML('beforeend', '<img src>')")
    tab.page.evaluate(AXE)
    assert any(rule == "image-alt" for _, rule, *_ in tab.page.evaluate(RUN))


def test_the_comparison_with_torch_passes_axe_too(visitor):
    """The page's longest state: verdict, difference and the finest numbers."""
    tab = visitor(width=390, height=844).go("verification", lang="id", compare="yes", example="six_words")
    tab.until("() => document.querySelector('[data-testid=stAlert]')")
    tab.page.evaluate(AXE)
    assert tab.page.evaluate(RUN) == [] and not tab.page.evaluate(SIDEWAYS)
    tab.healthy()


def test_the_largest_and_the_smallest_experiment_fit_a_phone(visitor):
    tab = visitor(width=390, height=844)
    for link in ({"keys": "64", "d_k": "512", "seed": "999"}, {"keys": "2", "d_k": "1"}):
        tab.go("scaling", lang="id", **link)
        assert not tab.page.evaluate(SIDEWAYS), link
    tab.healthy()


def stops(tab, enough=120):
    """What Tab reaches, from the top of the page, once around."""
    tab.page.evaluate("document.activeElement.blur()")
    found = []
    for _ in range(enough):
        tab.page.keyboard.press("Tab")
        found.append(tab.page.evaluate(FOCUS))
        if found[-1]["tag"] == "BODY":
            break
    return found


CONTROLS = {
    "scaling": {"live_saturation", "divisor", "seed", "keys", "another_seed", "closer", "keep"},
    "masking": {"mask", "query", "side", "pads"},
    "verification": {"example", "set_compare"},
}


@pytest.mark.parametrize("name", CONTROLS)
def test_the_keyboard_reaches_every_control(visitor, name):
    tab = visitor().go(name, lang="en", mask="both")
    reached = stops(tab)
    keys = {key for stop in reached for key in stop["keys"]}
    assert CONTROLS[name] | {"lang", "try_0", "try_1", "try_2", "other_lang"} <= keys
    assert sum(stop["href"] is not None for stop in reached) >= len(PAGES)
    assert reached[-1]["tag"] == "BODY", "Tab leaves the page again: no trap"


def reach(tab, key, kind):
    for _ in range(45):
        tab.page.keyboard.press("Tab")
        stop = tab.page.evaluate(FOCUS)
        if key in stop["keys"] and kind in (stop["type"], stop["role"]):
            return
    raise AssertionError(f"Tab never reaches {key}")


def test_arrow_keys_move_a_slider_and_the_picture(visitor):
    tab = visitor().go("scaling", lang="en")
    numbers, picture = "[data-testid=matrix-scores]", "[data-testid=live-picture]"
    before = tab.text(numbers), tab.text(picture)
    reach(tab, "seed", "range")
    tab.page.keyboard.press("ArrowRight")
    tab.until("() => location.search.includes('seed=1')")
    assert tab.text(numbers) != before[0] and tab.text(picture) != before[1]
    assert "seed" in tab.page.evaluate(FOCUS)["keys"], "the focus stays where it was"
    tab.page.keyboard.press("ArrowLeft")
    tab.until("() => !location.search.includes('seed')")
    assert (tab.text(numbers), tab.text(picture)) == before
    tab.healthy()


def test_the_keyboard_chooses_an_option(visitor):
    tab = visitor().go("masking", lang="en")
    reach(tab, "mask", "radio")
    tab.page.keyboard.press("ArrowRight")
    tab.page.keyboard.press("Space")
    tab.until("() => location.search.includes('mask=causal')")
    assert "21 of 36" in tab.text()


def test_tables_have_headers_and_names_in_the_browser_too(visitor):
    """The browser's own accessibility tree, after its HTML has been cleaned."""
    tab = visitor().go("masking", lang="en", mask="causal")
    table = tab.page.get_by_role("table", name="Weights in %")
    assert table.count() == 1
    assert table.get_by_role("columnheader").all_inner_texts() == ["The", "cat", "sat", "on", "the", "mat"]
    assert table.get_by_role("rowheader").all_inner_texts() == ["The", "cat", "sat", "on", "the", "mat"]
    assert table.get_by_role("cell", name="masked").count() == 15


def test_the_charts_have_a_text_alternative(visitor):
    tab = visitor().go("scaling", lang="id", closer="gradient")
    named = tab.page.evaluate("""() => [...document.querySelectorAll('[data-testid=stPlotlyChart]')].map(chart =>
      [chart, ...chart.querySelectorAll('*')].some(e => (e.getAttribute('aria-label') || '').includes('dₖ')))""")
    assert named == [True, True]
