"""The by-hand lessons under a hand: choose, follow, type, draw; and the link gives all of it back."""

import pytest

from pages.ui.language import LANGUAGES

ARITHMETIC = "[data-testid=arithmetic] .quote"
CELL = 'table[data-matrix={}] button[data-at="{}"]'
HURT = "<img src=x onerror=hurt=1> \N{CAT FACE} שלום"
SAYS = "text => document.querySelector('[data-testid=stMain]').innerText.includes(text)"


def quoted(tab):
    return tab.text(ARITHMETIC)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_chosen_score_shows_its_sum_and_the_link_keeps_it(visitor, lang):
    tab = visitor().go("pipeline", lang=lang, step="scores")
    mark = "," if lang == "id" else "."
    tab.click(CELL.format("scores", "3.2"), "() => location.search.includes('cell=scores.3.2')")
    assert quoted(tab).endswith(f"≈ 0{mark}8136") or quoted(tab).endswith(f"= 0{mark}8136")
    assert tab.link["word"] == "3"
    copied = visitor().go("pipeline", **tab.link)
    assert quoted(copied) == quoted(tab) and copied.link == tab.link
    tab.healthy()


def test_a_number_is_typed_with_a_comma_and_a_bad_one_stays(visitor):
    tab = visitor(locale="id-ID").go("qkv", lang="id")
    cell = tab.page.locator('table[data-matrix=W_V] input[data-at="1.1"]')
    cell.fill("2,5")
    cell.press("Tab")
    tab.until("() => location.search.includes('w_v=2.5_0_0')")
    cell.fill("dua")
    cell.press("Tab")
    tab.until("() => document.querySelector('table[data-matrix=W_V] input[aria-invalid=true]')")
    assert cell.input_value() == "dua" and "dua" in tab.text() and tab.link["w_v"].startswith("2.5_0_0")
    cell.fill("\N{MINUS SIGN}1")
    cell.press("Tab")
    tab.until("() => location.search.includes('w_v=-1_0_0')")
    assert tab.page.locator("input[aria-invalid=true]").count() == 0
    tab.healthy()


def test_a_block_from_a_spreadsheet_lands_in_its_cells(visitor):
    tab = visitor().go("qkv", lang="en")
    tab.page.locator('table[data-matrix=W_Q] input[data-at="1.1"]').focus()
    tab.page.evaluate("""() => { const data = new DataTransfer(); data.setData('text/plain', '0,5\\t1\\n2\\t−3');
      document.activeElement.dispatchEvent(
        new ClipboardEvent('paste', {clipboardData: data, bubbles: true, cancelable: true})); }""")
    tab.until("() => location.search.includes('w_q=')")
    assert tab.link["w_q"] == "0.5_1_0.5~2_-3_0~0_1_0~1_0_0"
    tab.healthy()


def test_own_words_are_data_and_one_is_followed(visitor):
    tab = visitor().go("pipeline", words=HURT, word="1")
    assert "onerror=hurt=1" in tab.text("table[data-matrix=weights]")
    assert tab.page.evaluate("typeof hurt === 'undefined' && !document.querySelector('img[src=x]')")
    tab.click('table[data-matrix=weights] button[data-ask="3"]', "() => location.search.includes('word=3')")
    tab.healthy()


def test_a_mask_is_drawn_by_choosing_cells(visitor):
    tab = visitor().go("masking", query="1")
    tab.click(CELL.format("mask", "1.2"), "() => location.search.includes('hidden=1.2')")
    tab.until(SAYS, "35 of 36")
    tab.click(CELL.format("mask", "1.2"), "() => !location.search.includes('hidden=')")
    tab.until(SAYS, "36 of 36")
    tab.healthy()


@pytest.mark.parametrize("name", ["pipeline", "qkv", "masking"])
def test_a_row_lights_up_under_the_hand_without_a_message(visitor, name):
    tab = visitor().go(name)
    sent = []
    tab.page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    tab.page.reload()
    tab.drawn()
    before = len(sent)
    tab.page.locator("table[data-matrix=weights] tbody tr").nth(1).hover()
    tab.page.wait_for_function("() => document.querySelectorAll('tr.lit').length > 1")
    assert len(sent) == before
    tab.healthy()
