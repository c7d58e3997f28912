"""The classroom and path pages: what they make is a link that does what was set up."""

import re
from html import unescape
from urllib.parse import parse_qsl, urlsplit

import pytest

from pages.ui.classroom.names import NAMES, RESULTS, controls_of
from pages.ui.classroom.plan import Step, read, write
from pages.ui.classroom.plans import READY
from pages.ui.classroom.prediction import right
from pages.ui.classroom.predictions import PREDICTIONS
from pages.ui.classroom.presets import presets
from pages.ui.contents import PAGES
from pages.ui.fields import FIELDS
from pages.ui.kinds import NAME
from pages.ui.language import LANGUAGES, Language
from pages.ui.legal import what_is_legal

every_language = pytest.mark.parametrize("lang", LANGUAGES)


def link_of(page):
    """The link that the page shows, taken apart: page and parameters."""
    url = urlsplit(page.app.get("code")[0].value)
    return url.path.strip("/"), dict(parse_qsl(url.query, keep_blank_values=True))


def opened(lab, page):
    """What the class sees: the link opened in a fresh session."""
    name, link = link_of(page)
    return lab(name or "home", **link)


def test_every_field_has_a_name():
    assert NAMES.keys() == FIELDS.keys() and not RESULTS.keys() & FIELDS.keys()


def test_a_plain_link_is_readable_and_sets_the_experiment(lab):
    page = lab("classroom", class_page="scaling", d_k="256", seed="7")
    assert link_of(page) == ("scaling", {"d_k": "256", "seed": "7"})
    assert opened(lab, page).state("d_k") == 256


@every_language
def test_what_is_hidden_and_locked_reaches_the_class(lab, lang):
    page = lab("classroom", lang="en", class_page="masking", class_hide="sentence.window", class_lock="mask",
               class_lang=lang, class_screen="1", mask="causal")
    name, link = link_of(page)
    assert name == "masking" and link.keys() == {"lang", "projector", "plan"}
    assert read(link["plan"]) == (
        Step("masking", {"mask": "causal"}, ("sentence", "window"), ("mask",)),
    )
    seen = opened(lab, page)
    control, = [group for group in seen.app.get("button_group") if group.key == "mask"]
    assert control.disabled and seen.state("mask") == "causal" and seen.state("lang") == lang
    assert not [group for group in seen.app.get("button_group") if group.key == "window"]


def test_what_another_page_had_hidden_is_dropped(lab):
    page = lab("classroom", class_page="scaling", class_hide="seed.pads.nonsense")
    assert list(page.state("class_hide")) == ["seed"]


@pytest.mark.parametrize("name", FIELDS["class_page"].choices)
def test_every_preset_of_every_page_gives_a_link_that_works(lab, name):
    for preset in list(presets(name))[1:]:
        page = lab("classroom", class_page=name, class_preset=preset)
        fields = presets(name)[preset][1]
        where, link = link_of(page)
        link.pop("compare", None)  # no PyTorch here
        seen = lab(where, **link)
        assert not seen.app.warning or name == "verification"
        assert {field: seen.state(field) for field in fields if field != "compare"} == {
            field: value for field, value in fields.items() if field != "compare"
        }


def test_steps_are_added_moved_and_taken_out(lab):
    page = lab("classroom", class_page="scaling", d_k="512")
    page.press("class_add")
    page.app.selectbox(key="class_page").set_value("qkv")
    page.run().press("class_add")
    assert [step.page for step in read(page.state("draft"))] == ["scaling", "qkv"]
    page.press("up_1")
    assert [step.page for step in read(page.state("draft"))] == ["qkv", "scaling"]
    assert link_of(page)[0] == "qkv"
    page.press("out_0").press("out_0")
    assert page.state("draft") == ""


def test_a_plan_that_is_full_takes_no_more(lab):
    page = lab("classroom", draft=write([Step("scaling")] * 20))
    assert page.app.button(key="class_add").disabled and "20" in page.words("warning")[0]


@every_language
@pytest.mark.parametrize("name", READY)
def test_a_ready_plan_says_what_settles_each_step(lab, lang, name):
    page, _ = lab("classroom", lang=lang, class_part="plans", class_plan=name), Language(lang)
    table = unescape(re.sub(r"<[^>]+>", "", page.html))
    for told in READY[name].told:
        assert _(told.does) in table
        if "predict" in told.step.fields:
            prediction = PREDICTIONS[told.step.fields["predict"]]
            assert prediction.truth().said(_).replace("**", "") in table and _(prediction.question) in table


def test_a_ready_plan_can_be_taken_over_and_changed(lab):
    page = lab("classroom", class_part="plans", class_plan="qkv45")
    take, = [button for button in page.app.button if button.label == "Change it: copy its steps"]
    take.click()
    page.run()
    assert page.state("class_part") == "prepare"
    assert list(read(page.state("draft"))) == [told.step for told in READY["qkv45"].told]


@every_language
def test_the_table_of_parameters_is_that_of_the_fields(lab, lang):
    page, _ = lab("classroom", lang=lang, class_part="parameters"), Language(lang)
    table = page.app.get("table")[0].value
    assert list(table.iloc[:, 0]) == [f"`{name}`" for name in FIELDS]
    assert list(table.iloc[:, 2]) == [what_is_legal(_, field) for field in FIELDS.values()]


@every_language
def test_the_path_counts_what_was_predicted_and_tells_no_result_before(lab, lang):
    right_one = next(each for each in PREDICTIONS.values() if each.kind == "choice")
    wrong_one = next(each for each in PREDICTIONS.values() if each.kind == "choice" and each is not right_one)
    wrong = next(id for id, *_ in wrong_one.options if id != wrong_one.truth().answer)
    made = f"{right_one.id}.{right_one.truth().answer}_{wrong_one.id}.{wrong}_nothing.zz"
    page, _ = lab("path", lang=lang, made=made), Language(lang)
    assert right(right_one, right_one.truth().answer)
    count = _("You have made **{made} of {all}** predictions; right: **{right}**. A wrong one is worth as "
              "much: it shows where to look.", made=2, all=len(PREDICTIONS), right=1)
    assert count in page.words("markdown")
    rows = re.findall(r"<tr>(.*?)</tr>", page.html)
    assert sum('class="verdict right"' in row for row in rows) == 1
    assert sum('class="verdict wrong"' in row for row in rows) == 1
    assert sum(_("not made yet") in row for row in rows) == len(PREDICTIONS) - 2
    page.press("path_forget")
    assert page.state("made") == () and "made" not in page.link


@pytest.mark.parametrize("name", PAGES)
def test_a_control_that_can_be_hidden_is_a_field_of_its_page(name):
    assert set(controls_of(name)) <= set(PAGES[name].fields)


@every_language
def test_no_name_looks_like_an_id(lang):
    """What a box sends in the words of the other language is told from ids by its looks: share.is_said."""
    _ = Language(lang)
    assert not [text for text in {**NAMES, **RESULTS}.values() if NAME.fullmatch(_(text))]
