"""Every question is answered with numbers that stand on the page its link opens, in both languages."""

import re

import pytest

from pages.ui.contents import PAGES
from pages.ui.fields import FIELDS, decode, encode
from pages.ui.language import LANGUAGES, Language
from pages.ui.lessons.questions import GROUP, QUESTIONS

every_language = pytest.mark.parametrize("lang", LANGUAGES)
every_question = pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.id)
PREFIX = "Open the experiment: {lesson}"
FREE_OF_TORCH = {"compare": FIELDS["compare"].default}  # our numbers stand with PyTorch and without it


def leads(page):
    """The links that set an experiment, in the order of the page."""
    labels = {Language(lang)(PREFIX, lesson="") for lang in LANGUAGES}
    return [link for link in page.links() if any(label in link.label for label in labels)]


def link_of(page, question):
    """The link of one question, as the page draws it."""
    return leads(page)[in_order().index(question)].carried


def in_order():
    return [question for group in GROUP for question in QUESTIONS if question.group == group]


def numbers(text):
    """Every number of a text, without the marks around it; a table in % leaves the sign to its caption."""
    return re.findall(r"[−<>]?\d+(?:[.,]\d+)?(?: × 10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?", text)


def stands(number, text):
    """The number stands in the text as a whole, not inside a longer one."""
    return re.search(rf"(?<![\d.,]){re.escape(number)}(?!\d|[.,]\d| × 10)", text)


def everything(page):
    """All that a page says and draws, also the sentences of its charts."""
    charts = " ".join(chart.proto.alt for chart in page.app.get("plotly_chart"))
    return f"{page.says} {charts}".replace("\N{NO-BREAK SPACE}", " ")


@every_language
@every_question
def test_the_numbers_of_an_answer_stand_on_the_page_its_link_opens(lab, question, lang):
    _ = Language(lang)
    questions = lab("questions", lang=lang)
    link = link_of(questions, question) | FREE_OF_TORCH
    page = lab(question.lesson, **link)
    assert page.words("title") == [_(PAGES[question.lesson].title)] and not page.app.warning and not page.app.error
    assert question.answered(_) in questions.words("markdown")
    said = everything(page)
    figures = question.figures()
    quoted = {
        hole: figures[hole].written(_).replace("\N{NO-BREAK SPACE}", " ") for hole in figures
        if f"{{{hole}}}" in question.answer
    }
    asked_for = {str(value) for value in question.fields.values()}  # stands at its control
    missing = {
        hole: text for hole, text in quoted.items()
        if text not in asked_for and not all(stands(number, said) for number in numbers(text) or [text])
    }
    assert missing == {} and quoted.keys() - missing.keys() != set()


@every_language
@every_question
def test_a_link_sets_its_experiment_in_a_running_session(lab, full_link, question, lang):
    """A session in which everything was changed opens the same experiment as a fresh one."""
    page = lab("questions", lang=lang, **full_link)
    link = link_of(page, question)
    page.app.switch_page(PAGES[question.lesson].script)
    page.app.query_params.clear()
    for field, text in (link | FREE_OF_TORCH).items():
        page.app.query_params[field] = text
    page.run()
    names = PAGES[question.lesson].fields
    expected = {name: FIELDS[name].default for name in names} | question.fields | FREE_OF_TORCH
    assert {name: page.state(name) for name in names} == {name: expected[name] for name in names}
    assert page.state("lang") == lang and page.says == lab(question.lesson, **link | FREE_OF_TORCH).says


@every_question
def test_a_link_carries_the_whole_experiment(lab, full_link, question):
    """Whatever the session holds, the link is that of a fresh one; what it leaves out is as by default."""
    fresh, changed = link_of(lab("questions"), question), link_of(lab("questions", **full_link), question)
    assert [changed.pop(name) for name in ("made", "voter")] == [full_link[name] for name in ("made", "voter")]
    assert fresh == changed == encode({"lang": "en"} | question.fields, ("lang", *question.fields))
    assert question.fields.keys() <= set(PAGES[question.lesson].fields)
    assert decode(fresh)[1] == []


@every_question
def test_an_answer_holds_no_number_that_was_typed(question):
    """Only constants of the language may stand there: versions, e⁰ = 1, −10⁹, 0, the 1 that softmax's rows sum to."""
    typed = set(re.findall(r"(?<![\w.])\d[\d.]*\d|(?<![\w.])\d", re.sub(r"{\w+}", "", question.answer)))
    assert typed <= {"0", "1", "10", "2.5"}


def test_the_questions_of_the_sources_and_of_the_peers_are_all_there():
    assert len(QUESTIONS) == 20 and len({question.id for question in QUESTIONS}) == 20
    assert {question.group for question in QUESTIONS} == GROUP.keys()
    assert {question.lesson for question in QUESTIONS} <= PAGES.keys() - {"home", "questions"}


@every_language
def test_the_contents_lead_to_every_question(lab, lang):
    page, _ = lab("questions", lang=lang), Language(lang)
    headings = {heading.value: heading.proto.anchor for heading in page.app.subheader}
    assert headings == {_(question.question): question.id for question in in_order()}
    listed = re.findall(r"\[([^\]]+)\]\(#(.+?)\)", "\n".join(page.words("markdown")))
    assert listed == [(_(question.question), question.id) for question in in_order()]
    assert len(leads(page)) == len(QUESTIONS)
    assert all(link.carried for link in leads(page))
