"""A class poll in real browsers: a teacher's screen and two phones, from the code on the screen to the last reveal."""

import pytest

from pages.ui.classroom.predictions import PREDICTIONS
from pages.ui.language import Language

LATER = PREDICTIONS["lucky"]  # on another lesson than the first question
FIRST = next(each for each in PREDICTIONS.values() if each.kind == "choice" and each.page != LATER.page)
HAS = "text => document.querySelector('[data-testid=stMain]').innerText.includes(text)"
COUNT = "count => document.querySelector('[data-testid=count] b')?.innerText === String(count)"
ASKED = "id => Boolean(document.querySelector(`.st-key-commit_${id}`))"
POLL = "() => Boolean(document.querySelector('[data-testid=poll]'))"
CODE_READ = "() => document.querySelector('img.lab-qr').naturalWidth > 0"
SIDEWAYS = "document.documentElement.scrollWidth > innerWidth"
SMALL = """() => { const found = [], here = document.querySelector('.st-key-poll_host');
  const walk = document.createTreeWalker(here, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) { const e = walk.currentNode.parentElement, text = walk.currentNode.textContent.trim();
    if (text && e.checkVisibility() && parseFloat(getComputedStyle(e).fontSize) < 24) found.push(text); }
  return found; }"""


@pytest.fixture
def room(visitor):
    """A teacher at a projector who has opened a room; the screen, and the room's code."""
    screen = visitor(1920, 1080).go("classroom", class_part="poll", lang="en")
    screen.click(".st-key-poll_open button", "() => Boolean(document.querySelector('[data-testid=room]'))")
    code = screen.text("[data-testid=room]")
    ask(screen, FIRST)
    yield screen, code
    screen.page.locator(".st-key-poll_steps").get_by_role("button", name="Close the room").click()
    screen.page.locator(".st-key-poll_close button").click()
    screen.until("() => !document.querySelector('[data-testid=room]')")


def ask(screen, prediction):
    """Choose another question from the list."""
    screen.page.locator(".st-key-poll_steps").get_by_role("button", name="Another question").click()
    screen.page.locator(f".st-key-poll_ask_{prediction.id} button").click()
    screen.until(HAS, prediction.question)


def answer(phone, prediction, option):
    """Choose an option by its place, and send it."""
    phone.page.locator(f".st-key-answer_{prediction.id} label:has(input)").nth(option).click()
    phone.page.locator(f".st-key-commit_{prediction.id} button").click()
    phone.until(HAS, "Your answer is in")


def test_a_teacher_and_two_phones_go_through_two_questions(visitor, room):
    screen, code = room
    assert screen.page.evaluate(CODE_READ) and screen.page.evaluate(SMALL) == []
    scanned = visitor(390, 844, locale="id-ID").go("classroom", room=code.lower(), lang="en").until(ASKED, FIRST.id)
    typed = visitor(390, 844).go("home")
    typed.page.get_by_role("button", name="Enter a class poll").click()
    typed.page.locator(".st-key-join_code input").fill(code)
    typed.page.locator(".st-key-join_enter button").click()
    typed.until(ASKED, FIRST.id)
    phones = (scanned, typed)
    assert [phone.name for phone in phones] == [FIRST.page] * 2, "both are led to the lesson of the question"
    assert len({phone.link["voter"] for phone in phones}) == 2 and scanned.lang == "en"

    answer(scanned, FIRST, 0)
    screen.until(COUNT, 1)
    scanned.page.reload()
    scanned.until(HAS, "Your answer is in")
    answer(scanned, FIRST, 1)  # a change of mind
    answer(typed, FIRST, 0)
    screen.until(COUNT, 2)
    said = FIRST.truth().said(Language("en")).replace("**", "")[:40]
    assert all(said not in tab.text() for tab in (screen, *phones))

    screen.page.locator(".st-key-poll_reveal button").click()
    for tab in (screen, *phones):
        assert said in tab.until(POLL).until(HAS, said).text(), "the phones hear of it by themselves"
    assert scanned.link["made"] == f"{FIRST.id}.{FIRST.options[1][0]}"
    assert not any(phone.page.evaluate(SIDEWAYS) for phone in phones)

    ask(screen, LATER)
    for phone in phones:
        assert phone.until(ASKED, LATER.id).name == LATER.page, "the room goes on, and leads them to the other lesson"
    for tab in (screen, *phones):
        tab.healthy()
