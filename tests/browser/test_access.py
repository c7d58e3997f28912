"""Every page can be read and used: by axe's rules, on a phone, in the dark, and by keyboard."""

import pytest

from pages.ui.contents import PAGES
from pages.ui.language import Language
from tests.browser.access import AXE, RUN, SIDEWAYS, STICKS_OUT, faults, looked_at, unfold

IN_SIGHT = """() => { const main = document.querySelector('[data-testid=stMain]');
  const kinds = 'input,[role=radio],button,a[href]';
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
    for zoomed in (640, 320):    # 1280 px at 200 and 400 %
        looked_at(tab, zoomed, other)
        assert not tab.page.evaluate(SIDEWAYS) and tab.page.evaluate(STICKS_OUT) == [], f"{zoomed} px wide"
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


# how each part is painted, open shadow roots included: "" where there is no such part, or none in sight
PAINTED = """parts => {
  const deep = root => [...root.querySelectorAll('*')].flatMap(e => e.shadowRoot ? [e, ...deep(e.shadowRoot)] : [e]);
  const all = deep(document), page = getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor;
  return Object.fromEntries(Object.entries(parts).map(([name, [css, pseudo]]) => {
    const e = all.find(one => one.matches(css)), style = e && getComputedStyle(e, pseudo);
    return [name, !style ? '' : style.backgroundImage !== 'none' ? style.backgroundImage
      : style.backgroundColor === page ? '' : style.backgroundColor]; })); }"""
FORCED = {
    "scaling": {
        "chosen": ("[role=radio][aria-checked=true]", None), "other": ("[role=radio][aria-checked=false]", None),
        "bar": (".bar.raw", None), "other bar": (".bar.scaled", None), "mark": (".mark.raw", "::before"),
        "live track": (".track", None), "live fill": (".fill", None), "dot": (".dot.raw", None),
        "track": (".stSlider [role=group] > [data-orientation] > div:first-child", None),
        "thumb": (".stSlider [role=group] > [data-orientation] > div[data-rac]", None),
    },
    "masking": {
        "masked": ("table[data-matrix=weights] td.masked", None), "hidden": ("table[data-matrix=mask] td.masked", None),
        "other": ("table[data-matrix=weights] td.cell:not(.masked)", None),
    },
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_forced_colours_hide_no_choice_no_mark_and_no_mask(visitor, scheme):
    """What only a background tells is painted all the same; the picture does not play where motion is unwanted."""
    tab = visitor(scheme=scheme)
    tab.page.emulate_media(forced_colors="active", reduced_motion="reduce")
    for name, parts in FORCED.items():
        painted = tab.go(name, lang="en", mask="causal").page.evaluate(PAINTED, parts)
        assert {part for part, paint in painted.items() if not paint} == {"other"}, painted
        if name == "scaling":
            assert painted["bar"] != painted["other bar"] and painted["live track"] != painted["live fill"]
            assert tab.page.locator("[data-testid=live-play]").get_attribute("aria-disabled") == "true"
    tab.healthy()
