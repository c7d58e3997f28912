"""Every page under a hostile link: nothing fails, what is wrong is named, nothing hostile is said back or linked to."""

import re

import pytest

from pages.ui.contents import PAGES
from pages.ui.fields import FIELDS
from pages.ui.kinds import Text
from pages.ui.language import LANGUAGES

MARKUP = "<img src=x onerror=pwned=1>"
JUNK = (MARKUP, "1\u202e2", "\0\x1f", "9" * 2000, "1_~.1", "", "--0", "1e9")  # together far below what Streamlit reads
UNSAFE = re.compile(r"<img(?! class=\"lab-qr\")|<svg onload|<script|onerror=[^&]*>", re.IGNORECASE)


def texts_of(name):
    return [field for field in PAGES[name].fields if isinstance(FIELDS[field], Text)]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_takes_no_harm_from_a_link_that_is_wrong_everywhere(lab, name):
    texts, lang = texts_of(name), list(LANGUAGES)[len(name) % len(LANGUAGES)]
    wrong = {field: JUNK[at % len(JUNK)] for at, field in enumerate(FIELDS) if field not in texts and field != "lang"}
    page = lab(name, lang=lang, **wrong, **dict.fromkeys(texts, MARKUP), **{f"no_{at}": MARKUP for at in range(50)})
    assert any(MARKUP not in text and "`" in text for text in page.words("warning")) or not PAGES[name].fields
    for field in PAGES[name].fields:
        if field not in texts:
            assert page.state(field) == FIELDS[field].default or page.link.get(field) is None, field
    assert not UNSAFE.search(page.html), "the reader's words are text in every table"
    assert page.link.keys() <= FIELDS.keys()
    assert len(page.words("title")) == 1


@pytest.mark.parametrize("name", [name for name in PAGES if texts_of(name)])
@pytest.mark.parametrize(
    "text", [MARKUP * 5, "\u202e\u2066a", "\u0301" * 160, "a" * 160, "\U0001f469\u200d" * 50, "`$\\[x](y)"],
    ids=["markup", "turned", "accents", "long", "joined", "markdown"],
)
def test_any_words_make_a_page(lab, name, text):
    page = lab(name, **dict.fromkeys(texts_of(name), text[:160]))
    assert not UNSAFE.search(page.html) and "\u202e" not in page.html


@pytest.mark.parametrize("text", ["\0\x1b[2J\n\r", "x" * 100_000, MARKUP * 1000, "\u202e\u2028\u2029"],
                         ids=["control", "long", "markup", "turned"])
def test_words_that_no_keyboard_types_make_a_page_and_a_link_that_can_be_read(lab, text):
    """The control is an input of one line; a program that speaks for a browser may send anything."""
    page = lab("masking", lang="en")
    page.app.text_input(key="words").set_value(text)
    page.run()
    again = lab("masking", **page.link)
    assert not UNSAFE.search(page.html) and not again.app.exception and len(page.link.get("words", "")) <= 160
