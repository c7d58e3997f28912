"""Tables that answer, under a real hand: highlight, choose, arrow keys, typing, pasting; on a page of nothing else."""

import re
from pathlib import Path

import axe_playwright_python
import pytest

SCRIPT = '''
import numpy as np
import streamlit as st
from pages.ui import share, theme
from pages.ui.typed import inputs
from pages.ui.tables.board import board
from pages.ui.language import Language
from pages.ui.tables.matrix import matrix, side_by_side

WORDS = ["The", "cat", "<b onclick='document.hurt=1'>", '"><img src=x onerror="document.hurt=1">', "the", "&lt;mat"]
st.set_page_config(layout="wide", page_title="Board")
st.html(theme.stylesheet())
share.adopt("page", (), "en")
_ = Language("en")
two = lambda value: _.number(value, 2)
x = inputs.Input("X", "x", np.arange(12.0).reshape(4, 3), (2, 6), (2, 5))
scores = np.linspace(-2, 2, 36).reshape(6, 6)
chosen, here = share.value("cell"), share.value("query") - 1
cell = tuple(int(part) - 1 for part in chosen.split(".")[1:]) if chosen.startswith("scores.") else None
look = {"live": True, "asks": True, "row": here, "row_tokens": range(6)}
st.title("Board")
board("first", side_by_side(
    matrix("Q", scores[:, :3], WORDS, "123", two, caption="Queries", scale="query", **look),
    matrix("scores", scores, WORDS, WORDS, two, caption="Scores", scale="score", cell=cell, column_tokens=range(6),
           **look),
    matrix("weights", abs(scores) / 2, WORDS, WORDS, two, caption="Weights", scale="weight", masked="masked",
           allowed=np.tril(np.ones((6, 6), bool)), column_tokens=range(6), **look),
), f"<p>query {here + 1}</p>" + "<p>line</p>" * (6 if cell == (0, 0) else 1), ask=("query", [1, 2, 3, 4, 5, 6]))
tokens = range(len(x.array))
board("second", side_by_side(matrix(
    "X", x.array, [f"t{i + 1}" for i in tokens], [f"f{i + 1}" for i in range(x.array.shape[1])], two, caption="X",
    live=True, row_tokens=tokens, entry=x.entry(_))), inputs=[x])
nth = st.session_state.get("second_done", 0)
st.text(f"chosen {chosen}; query {here + 1}; X is {x.array.tolist()}; typed {x.typed}; nth {nth}")
'''
CELL, INPUT = 'table[data-matrix={}] button[data-at="{}"]', 'input[data-at="{}"]'
AT = "() => document.activeElement.dataset.at"
STOPS = """() => [...document.querySelectorAll('table[data-matrix]')].map(table =>
  table.querySelectorAll('button[tabindex="0"]').length)"""
LIT = """() => [...document.querySelectorAll('.lit')].map(e => (e.dataset.token ?? e.cellIndex) + ' '
  + e.closest('table').dataset.matrix + ' ' + e.tagName)"""

PASTE = """text => { const data = new DataTransfer(); data.setData('text/plain', text);
  document.activeElement.dispatchEvent(
    new ClipboardEvent('paste', {clipboardData: data, bubbles: true, cancelable: true})); }"""
AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
RUN = """async () => (await axe.run(document.querySelector('[data-testid=stMain]'))).violations
  .map(v => [v.impact, v.id, v.nodes.map(n => n.html.slice(0, 160))])"""


@pytest.fixture(scope="module")
def board_server(new_server, tmp_path_factory):
    script = tmp_path_factory.mktemp("board") / "board_page.py"
    script.write_text(SCRIPT)
    with new_server(script=str(script)) as running:
        yield running
        assert running.faults() == []


@pytest.fixture
def open_board(visitor, board_server):
    """Open the page; `tab.sent` lists what the browser has told the server since."""

    def open_(**look):
        tab = visitor(at=board_server, **look)
        tab.sent = []
        tab.page.on("websocket", lambda socket: socket.on("framesent", lambda frame: tab.sent.append(frame)))
        tab.go("home")
        tab.page.wait_for_selector(INPUT.format("1.1"))
        tab.sent.clear()
        return tab

    return open_


def fact(tab, pattern):
    """Wait until the page says something."""
    tab.page.wait_for_function(
        "p => new RegExp(p).test(document.querySelector('[data-testid=stMain]').innerText)", arg=pattern, polling=30
    )
    tab.drawn()


def test_a_hover_marks_the_token_everywhere_and_sends_nothing(open_board):
    tab = open_board()
    tab.page.locator("table[data-matrix=Q] tbody tr").nth(1).locator("td").first.hover()
    lit = tab.page.evaluate(LIT)
    assert {"1 Q TR", "1 scores TR", "1 scores TH", "1 weights TR", "1 weights TH", "1 X TR"} <= set(lit)
    assert lit.count("2 scores TD") == lit.count("2 weights TD") == 6, "the token's column, cell by cell"
    tab.page.locator("table[data-matrix=scores] thead th").nth(3).hover()
    assert {"3 scores TH", "3 Q TR", "3 X TR"} <= set(tab.page.evaluate(LIT))
    assert "1 Q TR" not in tab.page.evaluate(LIT)
    tab.page.locator("h1").hover()
    assert tab.page.evaluate(LIT) == [] and tab.sent == []


def test_focus_marks_the_token_too(open_board):
    tab = open_board()
    tab.page.locator(INPUT.format("3.1")).focus()
    assert {"2 X TR", "2 Q TR", "2 scores TH"} <= set(tab.page.evaluate(LIT))
    tab.page.evaluate("document.activeElement.blur()")
    assert tab.page.evaluate(LIT) == [] and tab.sent == []


def test_choosing_a_cell_is_one_message_and_keeps_the_very_element(open_board):
    tab = open_board()
    tab.page.evaluate("css => { window.mine = document.querySelector(css); }", CELL.format("scores", "3.2"))
    tab.page.locator(CELL.format("scores", "3.2")).click()
    fact(tab, "chosen scores.3.2; query 3;")
    assert len(tab.sent) == 1
    assert tab.page.evaluate("window.mine === document.activeElement && window.mine.isConnected")
    assert tab.page.locator("td.chosen button").get_attribute("data-at") == "3.2"
    tab.healthy()


def test_a_row_header_asks(open_board):
    tab = open_board()
    tab.page.locator("table[data-matrix=Q] button[data-ask='5']").click()
    fact(tab, "chosen ; query 5;")
    assert tab.page.locator("[data-ask][aria-current=true]").count() == 3 and len(tab.sent) == 1


def test_a_masked_cell_can_be_chosen_and_says_that_it_is_masked(open_board):
    tab = open_board()
    cell = tab.page.locator(CELL.format("weights", "1.2"))
    assert cell.get_attribute("aria-label") == "The, cat, masked"
    cell.click()
    fact(tab, "chosen weights.1.2;")


def test_arrow_keys_walk_through_a_table_with_one_tab_stop(open_board):
    tab = open_board()
    press, at = tab.page.keyboard.press, lambda: tab.page.evaluate(AT)
    assert tab.page.evaluate(STOPS) == [1, 1, 1, 0]
    tab.page.locator(CELL.format("scores", "1.1")).focus()
    walked = ["1.1"]
    for row in range(1, 7):     # to and fro, like an ox that ploughs
        for _ in range(5):
            press("ArrowRight" if row % 2 else "ArrowLeft")
            walked.append(at())
        press("ArrowDown")
        walked.append(at())
    rows = [[f"{i}.{j}" for j in range(1, 7)] for i in range(1, 7)]
    assert walked == [place for i, row in enumerate(rows) for place in (row[::-1] if i % 2 else row)] + ["6.1"]
    for key, place in (
        ("End", "6.6"), ("Control+Home", None), ("ArrowRight", "1.1"), ("Control+End", "6.6"), ("ArrowUp", "5.6"),
    ):
        press(key)
        assert at() == place, key
    press("Home")
    assert tab.page.evaluate("document.activeElement.dataset.ask") == "5"
    press("ArrowLeft")
    assert tab.page.evaluate("document.activeElement.dataset.ask") == "5", "an edge stops"
    assert tab.page.evaluate(STOPS) == [1, 1, 1, 0] and tab.sent == []
    press("ArrowRight")
    press("Enter")
    fact(tab, "chosen scores.5.1; query 5;")
    assert at() == "5.1" and tab.page.evaluate(STOPS) == [1, 1, 1, 0]
    press("Tab")
    press("Shift+Tab")
    assert at() == "5.1", "Tab comes back to where one was"
    press("Space")
    tab.drawn()
    assert len(tab.sent) == 2


def test_typing_on_while_the_last_edit_returns_loses_nothing(open_board):
    tab = open_board()
    tab.page.locator(INPUT.format("1.1")).click()
    texts = ["7,5", "-1.25", "42"]
    for text in texts:
        tab.page.keyboard.press("Control+a")
        tab.page.keyboard.type(text, delay=60)
        tab.page.keyboard.press("Tab")
    tab.page.keyboard.type("123456", delay=120)
    assert tab.page.locator(INPUT.format("2.1")).input_value() == "123456", "typed while three answers came in"
    fact(tab, r"X is \[\[7.5, -1.25, 42.0\]")
    assert tab.page.locator(INPUT.format("2.1")).input_value() == "123456"
    assert tab.page.evaluate(AT) == "2.1"
    tab.page.keyboard.press("Enter")
    fact(tab, r"42.0\], \[123456.0|typed \{\(1, 0\): '123456'")
    tab.healthy()


def test_edits_faster_than_the_server_all_arrive(open_board):
    """Streamlit drops a message that a newer one overtakes: each act is sent until it is obeyed."""
    tab = open_board()
    tab.page.locator(INPUT.format("1.1")).focus()
    for number in range(20, 32):
        tab.page.keyboard.press("Control+a")
        tab.page.keyboard.type(str(number))
        tab.page.keyboard.press("Tab")
    numbers = [[float(20 + 3 * i + j) for j in range(3)] for i in range(4)]
    fact(tab, re.escape(f"X is {numbers}"))
    assert "nth 12" in tab.text(), "every act was obeyed once"
    tab.healthy()


def test_a_number_stands_as_the_page_writes_it_once_it_is_read(open_board):
    tab = open_board()
    tab.page.locator(INPUT.format("1.2")).fill("1,00")
    tab.page.keyboard.press("Enter")
    tab.page.wait_for_function("document.querySelector('input[data-at=\"1.2\"]').value === '1'")
    assert len(tab.sent) == 1 and tab.page.evaluate(AT) == "2.2"


def test_pasting_a_block_is_one_edit(open_board):
    tab = open_board()
    tab.page.locator(INPUT.format("2.2")).focus()
    tab.page.evaluate(PASTE, "1,5\t2\r\n\N{MINUS SIGN}3\t4\r\n5\t6\r\n")
    fact(tab, re.escape("X is [[0.0, 1.0, 2.0], [3.0, 1.5, 2.0], [6.0, -3.0, 4.0], [9.0, 5.0, 6.0]]"))
    assert len(tab.sent) == 1 and "nth 1" in tab.text()
    assert tab.page.locator(INPUT.format("3.2")).input_value() == "−3"
    assert tab.page.evaluate(AT) == "2.2"


def test_escape_takes_back_what_was_typed(open_board):
    tab = open_board()
    tab.page.locator(INPUT.format("2.3")).click()
    tab.page.keyboard.type("99")
    tab.page.keyboard.press("Escape")
    assert tab.page.locator(INPUT.format("2.3")).input_value() == "5"
    tab.page.keyboard.press("Tab")
    tab.drawn()
    assert tab.sent == []


def test_what_cannot_be_read_stays_and_is_marked_until_it_is_mended(open_board):
    tab = open_board()
    field = tab.page.locator(INPUT.format("1.2"))
    for text in ("1.2.3", '"><img src=x onerror="document.hurt=1">'):
        field.fill(text)
        field.press("Enter")
        fact(tab, re.escape("X is [[0.0, 1.0, 2.0]") + r".*typed \{\(0, 1\)")
        assert field.input_value() == text and field.get_attribute("aria-invalid") == "true"
    field.fill("8")
    field.press("Tab")
    fact(tab, re.escape("X is [[0.0, 8.0, 2.0]") + r".*typed \{\}")
    assert field.get_attribute("aria-invalid") is None
    assert tab.page.evaluate("document.hurt") is None and tab.page.locator("table img, table b").count() == 0
    tab.healthy()


def test_a_table_grows_and_shrinks_under_the_hand(open_board):
    tab = open_board()
    plus, minus = (tab.page.locator(f"[data-resize='row{sign}']") for sign in "+-")
    for rows in (5, 6):
        plus.click()
        fact(tab, rf"nth {rows - 4}$")
        assert tab.page.locator("table[data-matrix=X] tbody tr").count() == rows
    assert plus.get_attribute("aria-disabled") == "true" and plus.evaluate("e => e === document.activeElement")
    plus.click(force=True)
    tab.drawn()
    assert len(tab.sent) == 2, "what is not possible sends nothing"
    minus.evaluate("(e, last) => { e.click(); document.querySelector(last).focus(); }", INPUT.format("6.2"))
    tab.page.wait_for_function("document.querySelectorAll('table[data-matrix=X] tbody tr').length === 5")
    assert tab.page.evaluate(AT) == "5.2", "the nearest neighbour has the focus"
    tab.healthy()


def test_words_are_text_in_the_browser(open_board):
    tab = open_board()
    heads = tab.page.locator("table[data-matrix=scores] thead th").all_inner_texts()
    assert heads[2:4] == ["<b onclick='document.hurt=1'>", '"><img src=x onerror="document.hurt=1">']
    label = tab.page.locator(CELL.format("scores", "3.4")).get_attribute("aria-label")
    assert label == f"{heads[2]}, {heads[3]}, −0.29"
    assert tab.page.locator("table b, table img, [onclick]").count() == 0
    tab.page.locator("table[data-matrix=scores] thead th").nth(2).click()
    assert tab.page.evaluate("document.hurt") is None
    tab.healthy()


def test_the_panel_keeps_its_height_and_its_place(open_board):
    tab = open_board()
    box = lambda css: tab.page.locator(css).first.bounding_box()  # noqa: E731
    assert box(".beside")["x"] > box(".tables")["x"] + 500 and box(".beside")["width"] == pytest.approx(320, abs=1)
    tab.page.set_viewport_size({"width": 900, "height": 800})
    tab.page.locator(CELL.format("scores", "1.1")).click()
    fact(tab, "chosen scores.1.1;")
    tall = box(".beside")
    assert tall["y"] > box(".tables")["y"] + box(".tables")["height"] - 1
    tab.page.locator(CELL.format("scores", "2.2")).click()
    fact(tab, "chosen scores.2.2;")
    assert box(".beside")["height"] == tall["height"]


def test_every_target_is_large_enough(open_board):
    tab = open_board(width=390, height=844)
    small = tab.page.evaluate("""() => [...document.querySelectorAll('.lab-board :is(button, input)')]
      .map(e => [e.outerHTML, e.getBoundingClientRect()]).filter(([, box]) => box.width < 24 || box.height < 24)""")
    assert small == []
    heights = tab.page.evaluate("[...document.querySelectorAll('.number')].map(e => e.offsetHeight)")
    assert len(heights) == 90 and min(heights) >= 30
    size = tab.page.locator(INPUT.format("1.1")).evaluate("e => parseFloat(getComputedStyle(e).fontSize)")
    assert size >= 14
    widths = tab.page.evaluate("[...document.querySelectorAll('.lab-board input')].map(e => e.offsetWidth)")
    assert 6 * 8 < min(widths) and max(widths) < 90, "wide enough for six characters, and no wider than a matrix needs"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(open_board, scheme):
    tab = open_board(scheme=scheme)
    tab.page.locator(INPUT.format("1.2")).fill("1.2.3")
    tab.page.locator(CELL.format("scores", "1.1")).click()
    fact(tab, "chosen scores.1.1;")
    tab.page.evaluate(AXE)
    for width in (1280, 390):
        tab.page.set_viewport_size({"width": width, "height": 800})
        assert tab.page.evaluate(RUN) == []
    assert tab.page.locator("[aria-invalid=true]").count() == 1


def test_the_look_of_a_hand_typed_page_does_not_flash(open_board):
    """No node is replaced on a rerun: what is watched are the nodes that go."""
    tab = open_board()
    tab.page.evaluate("""() => { window.gone = 0; new MutationObserver(all => all.forEach(one => {
      window.gone += [...one.removedNodes].filter(e => e.nodeType === 1).length; }))
      .observe(document.querySelector('.lab-board .tables'), {childList: true, subtree: true}); }""")
    tab.page.locator(CELL.format("scores", "3.2")).click()
    fact(tab, "chosen scores.3.2;")
    assert tab.page.evaluate("window.gone") == 0
