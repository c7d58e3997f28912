"""A question's link sets its experiment in a session that holds other values, and Back leads to the questions again."""

import pytest

from pages.ui.contents import PAGES
from pages.ui.language import Language
from pages.ui.lessons.questions import QUESTIONS

AT = "path => location.pathname === path"
HELD = {"lang": "id", "d_k": "128", "seed": "7", "divisor": "none", "closer": "gradient"}
CHOSEN = {question.id: question for question in QUESTIONS if question.id in ("root-not-width", "roles", "polarity")}


@pytest.mark.parametrize("name", CHOSEN)
def test_a_link_sets_its_experiment_in_a_running_session(visitor, title, name):
    question, _ = CHOSEN[name], Language("id")
    tab = visitor().go("scaling", **HELD)
    tab.click(f"[data-testid=stSidebar] a:has-text('{_(PAGES['questions'].name)}')", AT, "/questions")
    tab.click(f".st-key-contents a[href='#{name}']", "id => location.hash === '#' + id", name)
    tab.click(f".st-key-answer_{name} p a", AT, f"/{question.lesson}")
    assert tab.titles == [title(question.lesson, _)]
    fresh = visitor()
    fresh.page.goto(tab.page.url)
    assert tab.text() == fresh.drawn().text()
    figures = question.figures()
    quoted = [figures[hole].written(_) for hole in figures if f"{{{hole}}}" in question.answer and hole != "d_k"]
    assert quoted and [number for number in quoted if number not in tab.text()] == []
    tab.page.go_back()
    assert tab.until(AT, "/questions").titles == [title("questions", _)]
    tab.healthy()
