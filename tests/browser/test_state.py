"""An experiment stays what it is: in the other language, after a reload, in somebody else's browser, on other pages."""

import pytest

from pages.ui.contents import FORMULA, PAGES
from pages.ui.language import LANGUAGES, Language

EXPERIMENTS = {
    "qkv": {"token": "ikan", "tie": "q_k"},
    "scaling": {"d_k": "128", "seed": "137", "keys": "12"},
    "masking": {"mask": "both", "query": "5", "pads": "1", "side": "start"},
    "verification": {"example": "six_words"},
}
LANG_IS = "lang => document.documentElement.lang === lang"
AT = "path => location.pathname === path"


def path(name):
    return f"/{'' if name == 'home' else name}"


def state(tab):
    """What the page's own controls say, apart from words: positions of sliders and of chosen options."""
    return tab.page.evaluate("""() => [...document.querySelectorAll('[data-testid=stMain] input[type=range]')]
      .map(e => e.value).concat([...document.querySelectorAll('[data-testid=stMain] [role=radiogroup]')]
      .map(g => [...g.querySelectorAll('[role=radio]')].findIndex(r => r.ariaChecked === 'true')))""")


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_language_reload_and_copied_link_keep_the_experiment(visitor, title, name):
    link = EXPERIMENTS[name]
    tab = visitor().go(name, lang="en", **link)
    before, numbers = state(tab), digits(tab)
    assert before and tab.titles == [title(name, Language("en"))] and tab.lang == "en"

    tab.click(f"[data-testid=stSidebar] [role=radio]:has-text('{LANGUAGES['id']}')", LANG_IS, "id")
    assert tab.titles == [title(name, Language("id"))]
    assert tab.link == {"lang": "id", **link} and state(tab) == before and digits(tab) == numbers
    shown = tab.text()

    tab.page.reload()
    assert tab.drawn().text() == shown and tab.link == {"lang": "id", **link}

    copied = visitor()
    copied.page.goto(tab.page.url)
    assert copied.drawn().text() == shown

    tab.click(".st-key-foot a[href*='lang=en']", LANG_IS, "en")
    assert tab.titles == [title(name, Language("en"))] and tab.link == {"lang": "en", **link} and state(tab) == before
    tab.healthy()
    copied.healthy()


def digits(tab):
    """All table cells, with one decimal mark for both languages."""
    cells = tab.page.locator("td.cell:not(.masked), td.figure").all_inner_texts()
    assert cells
    return [cell.replace(",", ".") for cell in cells]


def test_a_control_moves_the_link_and_back_button_leads_home(visitor):
    tab = visitor().go("masking", lang="en")
    tab.click(".st-key-mask [role=radio] >> nth=1", "() => location.search.includes('mask=causal')")
    assert tab.link == {"lang": "en", "mask": "causal"} and "21 of 36" in tab.text()
    tab.healthy()


def test_menu_strip_and_foot_lead_to_the_right_pages_and_take_the_state_along(visitor, title):
    tab, _ = visitor(), Language("id")
    tab.go("scaling", lang="id", d_k="128", seed="137")

    def arrived(name, **link):
        assert tab.titles == [title(name, _)] and tab.lang == "id"
        assert tab.name == name and tab.link == {"lang": "id", **link}

    carried = dict.fromkeys(("scaling", "verification"), {"d_k": "128", "seed": "137"})
    for at, name in enumerate(PAGES):
        tab.click(f".st-key-menu a >> nth={at}", AT, path(name))
        arrived(name, **carried.get(name, {}))
    for at, (_symbol, _caption, name) in enumerate(FORMULA.values()):
        tab.click(f".st-key-formula a >> nth={at}", AT, path(name))
        arrived(name, **carried.get(name, {}))
    tab.click(".st-key-menu a >> nth=-1", AT, path(list(PAGES)[-1]))
    names = list(PAGES)
    for name in names[-2:-5:-1]:
        tab.click(".st-key-foot hr + p a >> nth=0", AT, path(name))
        arrived(name, **carried.get(name, {}))
    for name in names[-3:]:
        tab.click(".st-key-foot hr + p a >> nth=-1", AT, path(name))
        arrived(name, **carried.get(name, {}))
    for name in ("scaling", "questions"):
        tab.click(".st-key-menu a >> nth=0", AT, "/")
        link = f".st-key-lessons a >> nth={names.index(name) - 1}"
        tab.click(link, AT, path(name))
        arrived(name, **carried.get(name, {}))
    tab.healthy()


def test_a_link_opened_in_a_new_tab_carries_the_state(visitor):
    """The address behind a link is complete: middle click, "copy link" and a bookmark work."""
    tab = visitor().go("scaling", lang="id", d_k="128")
    href = tab.page.locator("[data-testid=stSidebar] a", has_text=Language("id")(PAGES["scaling"].name)).first
    other = visitor()
    other.page.goto(href.evaluate("a => a.href"))
    assert other.drawn().link == {"lang": "id", "d_k": "128"} and other.lang == "id"


@pytest.mark.parametrize(("locale", "lang"), [("id-ID", "id"), ("in-ID", "id"), ("de-DE", "en"), ("en-GB", "en")])
def test_the_browsers_language_comes_first(visitor, title, locale, lang):
    tab = visitor(locale=locale).go("qkv")
    assert tab.titles == [title("qkv", Language(lang))] and tab.lang == lang
    tab.healthy()


def test_the_links_language_beats_the_browsers(visitor):
    assert visitor(locale="id-ID").go("home", lang="en").lang == "en"


def test_two_visitors_in_two_languages_do_not_mix(visitor, title):
    one, two = visitor(locale="id-ID").go("masking"), visitor(locale="en-GB").go("masking")
    for tab, lang in ((one, "id"), (two, "en"), (one, "id")):
        search = tab.page.evaluate("location.search")
        tab.click(".st-key-mask [role=radio][aria-checked=false] >> nth=0", "old => location.search !== old", search)
        assert tab.titles == [title("masking", Language(lang))] and tab.lang == tab.link["lang"] == lang


def test_junk_in_a_link_is_named_where_one_sees_it(visitor):
    tab = visitor(width=390, height=844).go("scaling", lang="en", d_k="<img src=x onerror=alert(1)>")
    warning = tab.page.locator("[data-testid=stAlert]")
    assert warning.count() == 1 and "d_k" in warning.inner_text()
    assert tab.page.locator("[data-testid=stMain] img[src=x]").count() == 0
    tab.healthy()


SEEN = "text => document.querySelector('[data-testid=stMain]')?.innerText.includes(text)"


def test_back_and_forward_go_through_the_experiments_of_a_page(visitor):
    """Each control leaves an entry in the browser's history, and each entry is an experiment, not only an address."""
    tab = visitor().go("home")
    tab.click("[data-testid=stSidebar] a[href*=masking]", SEEN, "36 of 36")
    tab.click("[data-testid=stMain] [role=radio]:has-text('causal') >> nth=0", SEEN, "21 of 36")
    tab.click("[data-testid=stMain] [role=radio]:has-text('padding') >> nth=0", SEEN, "24 of 36")
    back, forward = tab.page.go_back, tab.page.go_forward
    for step, text in ((back, "21 of 36"), (back, "36 of 36"), (forward, "21 of 36"), (forward, "24 of 36")):
        step()
        tab.until(SEEN, text)
    assert tab.link["mask"] == "padding"
    for _ in range(3):
        tab.page.go_back()
        tab.drawn()
    assert tab.name == "home"
    tab.healthy()


def test_a_link_that_sets_an_experiment_sets_it_in_a_running_session(visitor):
    tab = visitor().go("masking", mask="causal")
    tab.page.get_by_text("Check this experiment against PyTorch").click()
    tab.until("() => location.pathname === '/verification'")
    assert tab.link["example"] == "masking" and tab.link["mask"] == "causal"
    tab.page.go_back()
    tab.until("() => location.pathname === '/masking'")
    assert tab.link["mask"] == "causal"
    tab.healthy()


def test_controls_in_a_hurry_are_no_way_back(visitor):
    """The next click comes before the address tells of the last one: the last click still wins."""
    tab = visitor().go("masking")
    for at in (1, 2, 1, 2, 3):
        tab.page.locator(".st-key-mask [role=radio]").nth(at).click()
    tab.until("() => location.search.includes('mask=both')")
    assert tab.link["mask"] == "both"
    tab.healthy()


def test_boxes_that_open_keep_their_choice_when_the_language_changes(visitor):
    """A box answers in words: those of the other language must not become its value."""
    chosen = {"class_page": "masking", "class_hide": "window.picture", "class_lock": "mask"}
    tab = visitor().go("classroom", lang="en", **chosen)
    for lang in ("id", "en", "id"):
        spoken = "lang => document.documentElement.lang === lang"
        tab.click("[data-testid=stSidebar] button[aria-checked=false]", spoken, lang)
        assert tab.link == {"lang": lang, **chosen}
    tab.healthy()
