"""What holds on every page: it runs with any link, in both languages, and keeps what was set."""

import re

import pytest

from pages.ui.contents import PAGES
from pages.ui.fields import COMMON, FIELDS, decode
from pages.ui.kinds import Answers, Choice, Code, Decimal, Numbers, Pairs, Text, Whole
from pages.ui.language import LANGUAGES, Language
from tests.pages.conftest import WRITTEN

JUNK = {"large": "999999999999", "markup": "<b>1</b>", "float": "1e3", "empty": "", "unicode": "٣"}
every_page = pytest.mark.parametrize("name", PAGES)
every_language = pytest.mark.parametrize("lang", LANGUAGES)


def carried(name, link):
    """What of a link a page takes along."""
    return {field: link[field] for field in (*COMMON, *PAGES[name].fields) if field in link}


def shown(page, link):
    """What the session holds for the fields of a link."""
    return {field: FIELDS[field].write(page.state(field)) for field in link}


def legal_parts(field):
    """What a warning has to name of a field."""
    match field:
        case Choice():
            return [*field.choices, field.default]
        case Whole() | Decimal():
            return [str(field.low), str(field.high), str(field.default)]
        case Numbers():
            return [str(field.rows), str(field.columns)]
        case Pairs() | Answers():
            return [str(field.most)]
    return []


def test_every_field_belongs_to_a_page():
    assert {*COMMON, *(field for page in PAGES.values() for field in page.fields)} == FIELDS.keys()


@every_language
@every_page
def test_a_full_link_is_shown_and_kept(lab, full_link, name, lang):
    page = lab(name, lang=lang, **full_link)
    assert not page.app.warning
    assert page.link == {**carried(name, full_link), "lang": lang}
    assert shown(page, full_link) == full_link
    assert page.words("title") == [Language(lang)(PAGES[name].title)]


@every_page
def test_an_empty_link_shows_the_defaults_in_english(lab, name):
    page = lab(name)
    assert not page.app.warning
    assert shown(page, FIELDS) == {**{name: field.write(field.default) for name, field in FIELDS.items()}, "lang": "en"}
    assert page.words("title") == [PAGES[name].title]
    assert page.link.keys() <= {"lang"}


@pytest.mark.parametrize("kind", JUNK)
@every_page
def test_junk_is_named_and_the_default_shown(lab, full_link, name, kind):
    """Each page and each kind of junk meet both languages, in turn."""
    lang = list(LANGUAGES)[(list(PAGES).index(name) + list(JUNK).index(kind)) % 2]
    fields = [field for field in full_link if decode({field: JUNK[kind]})[1]]
    takes = (Text, Code) if kind in ("large", "float") else Text  # a code is letters and digits
    assert kind == "empty" or fields == [field for field in full_link if not isinstance(FIELDS[field], takes)]
    page = lab(name, lang=lang, **dict.fromkeys(fields, JUNK[kind]))
    for field in fields:
        warning, = [text for text in page.words("warning") if f"“`{field}`”" in text]
        assert all(part in warning for part in legal_parts(FIELDS[field]))
        assert FIELDS[field].write(page.state(field)) == FIELDS[field].write(FIELDS[field].default)
    assert JUNK[kind] == "" or JUNK[kind] not in " ".join(page.words("warning"))
    assert page.link == {"lang": lang}


@every_page
def test_junk_for_the_language_is_named_too(lab, name):
    page = lab(name, lang="klingon")
    assert len(page.app.warning) == 1 and "`lang`" in page.words("warning")[0]
    assert page.state("lang") == "en"


@every_page
def test_a_warning_does_not_stay(lab, name):
    page = lab(name, d_k="junk")
    assert page.app.warning
    assert not page.run().app.warning


@every_page
def test_an_unknown_parameter_is_ignored_and_leaves_the_link(lab, name):
    page = lab(name, utm_source="x", __proto__="y")
    assert not page.app.warning and page.link.keys() <= {"lang"}


@every_page
def test_changing_the_language_keeps_the_values(lab, full_link, name):
    page = lab(name, lang="en", **full_link)
    page.choose("lang", "id")
    assert page.words("title") == [Language("id")(PAGES[name].title)]
    assert shown(page, full_link) == full_link
    assert page.link == {**carried(name, full_link), "lang": "id"}
    other, = [link for link in page.links() if link.icon == "translate"]
    page.follow(other)
    assert page.words("title") == [PAGES[name].title]
    assert shown(page, full_link) == full_link


@every_language
@every_page
def test_the_menu_lists_every_page_in_reading_order(lab, name, lang):
    page = lab(name, lang=lang)
    labels = [link.label for link in page.links("sidebar")]
    assert labels == [Language(lang)(each.name) for each in PAGES.values()]


@every_page
def test_every_link_takes_the_values_along(lab, full_link, name):
    page = lab(name, lang="id", **full_link)
    rows = page.offered("tries") + page.offered("predictions")
    for link in [*page.links("sidebar"), *page.links()]:
        target, found = link.page, link.carried
        if link in rows or link.icon == "translate":
            assert target == name  # another experiment of this page, and what else it has: tested where it is set
            continue
        assert found["lang"] == "id", target
        if link.label == Language("id")("Open the experiment: {lesson}", lesson=Language("id")(PAGES[target].name)):
            assert name == "questions"  # it sets an experiment and carries nothing along: test_questions.py
            continue
        expected = carried(target, full_link)
        if link.label.endswith(Language("id")("Check this experiment against PyTorch")):
            expected |= {"example": name}
            del expected["bench"], expected["bug"]  # the link goes to the stages, and plants nothing
        for field, text in expected.items():
            assert found.get(field) == text, (target, found)


@every_page
def test_previous_and_next_follow_the_reading_order(lab, name):
    page = lab(name)
    names = list(PAGES)
    here = names.index(name)
    beside = [names[i] for i in (here - 1, here + 1) if 0 <= i < len(names)]
    foot = [link for link in page.links() if link.icon in ("arrow_back", "arrow_forward")]
    assert [link.page for link in foot][-len(beside):] == beside


@every_page
def test_two_sessions_in_two_languages_do_not_mix(lab, name):
    lang, other = "en", "id"
    one, two = lab(name, lang=lang), lab(name, lang=other)
    for _ in range(2):
        one.run()
        assert one.words("title") == [Language(lang)(PAGES[name].title)] and one.link["lang"] == lang
        two.run()
        assert two.words("title") == [Language(other)(PAGES[name].title)] and two.link["lang"] == other
    assert one.says != two.says


def test_two_sessions_with_two_experiments_do_not_mix(lab):
    one, two = lab("scaling", d_k="128"), lab("scaling", d_k="256")
    one.slide("seed", 3)
    two.slide("seed", 5)
    one.run()
    assert (one.state("d_k"), one.state("seed")) == (128, 3)
    assert (two.state("d_k"), two.state("seed")) == (256, 5)


@every_language
@every_page
def test_prose_shows_no_raw_formula_and_no_unfilled_hole(lab, full_link, name, lang):
    """A backslash or a brace stands only between dollars."""
    page = lab(name, lang=lang, **full_link)
    raw = [text for kind in ("markdown", "warning", "info", "title", "subheader") for text in page.words(kind)
           if re.search(r"[\\{}]", re.sub(r"\$+[^$]*\$+", "", WRITTEN.sub("", text)))]
    assert raw == []


# the others only lead to the lessons; what they owe their reader stands in tests of their own
@pytest.mark.parametrize("name", [name for name in PAGES if name not in ("home", "questions", "path", "classroom")])
@every_language
def test_a_lesson_has_all_its_parts(lab, name, lang):
    page = lab(name, lang=lang)
    _ = Language(lang)
    folded = [_("Take home"), _("Why"), _("The code that ran"), _("References")]
    assert [e.label for e in page.app.expander] == folded
    assert len(page.offered("tries")) >= 3
    assert "<table" in page.html and page.unfold("code").app.code
