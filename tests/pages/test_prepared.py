"""What a teacher prepared, as a class meets it: values set, controls hidden or locked, steps walked."""

import pytest

from pages.ui.classroom.plan import Step, write
from pages.ui.contents import PAGES
from pages.ui.fields import FIELDS
from pages.ui.kinds import Choice
from pages.ui.language import LANGUAGES, Language

HELD = write([Step("scaling", {"seed": "7", "keys": "16", "closer": "variance"}, ("seed",), ("keys",))])
WALK = write([Step("scaling", {"d_k": "512"}), Step("masking", {"mask": "causal"}), Step("scaling", {"d_k": "2"})])
every_language = pytest.mark.parametrize("lang", LANGUAGES)


def keys(page, kind):
    return {element.key for element in page.app.get(kind)}


def follow(lab, page, link):
    """Open a link's page with what it carries, as a fresh session."""
    return lab(link.page, **link.carried)


@every_language
def test_a_hidden_control_is_gone_and_its_value_is_said(lab, lang):
    page = lab("scaling", lang=lang, plan=HELD)
    assert page.state("seed") == 7 and page.state("keys") == 16
    assert "seed" not in keys(page, "slider") and "another_seed" not in {button.key for button in page.app.button}
    assert page.words("text") == ["7"]
    assert page.app.slider(key="keys").disabled and page.app.slider(key="keys").value == 16


def test_a_link_cannot_reach_what_is_held_and_says_so(lab):
    page = lab("scaling", plan=HELD, seed="8", keys="2", d_k="3")
    assert (page.state("seed"), page.state("keys"), page.state("d_k")) == (7, 16, 3)
    assert len(page.app.warning) == 2 and all("`" in text for text in page.words("warning"))
    assert "seed" not in page.link or page.link["seed"] == "7"


def test_a_link_may_reach_it_where_the_teacher_allows(lab):
    free = write([Step("scaling", {"seed": "7"}, ("seed",), free=True)])
    page = lab("scaling", plan=free, seed="8")
    assert page.state("seed") == 8 and not page.app.warning and "seed" not in keys(page, "slider")


def test_a_button_cannot_reach_what_is_held(lab):
    page = lab("scaling", plan=HELD)
    assert [link.label for link in page.offered("tries")] == ["Push dₖ to 512", "Divide by dₖ: too much"]
    assert "*Seed 137: luck hides it*" in " ".join(page.words("markdown"))  # said, as two of them set the seed
    page.try_out(0)
    assert page.state("d_k") == 512 and page.state("seed") == 7


def test_what_the_class_changes_is_kept_also_where_it_is_the_default_again(lab):
    page = lab("scaling", plan=HELD)
    page.choose("closer", FIELDS["closer"].default)
    again = lab("scaling", **page.link)
    assert again.state("closer") == FIELDS["closer"].default and not again.app.warning
    assert again.link == page.link


@pytest.mark.parametrize("name", ["pipeline", "qkv", "scaling", "masking"])
@pytest.mark.parametrize("how", ["hide", "lock"])
def test_a_page_runs_with_everything_hidden_or_locked(lab, name, how):
    fields = tuple(PAGES[name].fields)
    results = ("picture", "sentence", "charts", "tries", "why", "code", "references", "take")
    page = lab(name, plan=write([Step(name, **{how: fields + (results if how == "hide" else ())})]))
    assert {field: page.state(field) for field in fields} == {field: FIELDS[field].default for field in fields}
    main = [slider for slider in page.app.main.get("slider") if slider.key in fields]
    groups = [group for group in page.app.main.get("button_group") if group.key in fields]
    assert all(control.disabled for control in [*main, *groups])
    if how == "hide":
        assert not main and not groups and not page.app.expander
        choices = [field for field in fields if isinstance(FIELDS[field], Choice)]
        assert choices and not page.app.exception


@every_language
def test_a_plan_walks_from_page_to_page_and_back(lab, lang):
    _ = Language(lang)
    page = lab("scaling", lang=lang, plan=WALK)
    assert page.state("d_k") == 512 and _("**Step {at} of {count}**", at=1, count=3).strip("*") in page.says
    following, = [link for link in page.links() if link.label == _("Next step")]
    second = follow(lab, page, following)
    assert second.state("mask") == "causal" and second.link["at"] == "2"
    before, = [link for link in second.links() if link.label == _("Previous step")]
    assert follow(lab, second, before).state("d_k") == 512
    third = follow(lab, second, next(link for link in second.links() if link.label == _("Next step")))
    assert third.state("d_k") == 2 and not [x for x in third.links() if x.label == _("Next step")]


def test_who_leaves_the_plan_is_led_back(lab):
    page = lab("qkv", plan=WALK, at="2")
    back, = [link for link in page.links() if link.label == "Back to step 2 of the lesson"]
    assert follow(lab, page, back).state("mask") == "causal"


def test_a_typed_step_beyond_the_last_is_the_last(lab):
    page = lab("scaling", plan=HELD, at="2", seed="8")
    assert page.state("seed") == 7 and len(page.app.warning) == 1 and "at" not in page.link


def test_a_link_cannot_pass_over_the_question_of_a_step(lab):
    page = lab("masking", plan="masking45", at="3", predict="none")
    assert page.state("predict") == "zeros" and not page.html.count("<table")


def test_an_answered_prediction_stands_over_its_own_experiment(lab):
    for link in ({"predict": "lucky", "made": "lucky.55"}, {"plan": "scaling45", "at": "6", "made": "lucky.55"}):
        page = lab("scaling", **link)
        assert page.state("seed") == 137 and "61.75" in page.says
        page.slide("seed", 0)
        assert lab("scaling", **page.link).state("seed") == 0


def test_a_damaged_plan_is_named_and_the_page_runs_without_it(lab):
    page = lab("scaling", plan=WALK[:-4])
    assert "plan" in page.words("warning")[0] and page.state("d_k") == 64 and "plan" not in page.link
