"""The card of a prediction on its page: it asks before anything shows, then sets the answer beside the result."""

import re
from html import unescape

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.classroom.predictions import PREDICTIONS, of_page
from pages.ui.language import Language

EN, ID = Language("en"), Language("id")
LANGUAGES = [EN, ID]
ONE_OF_EACH = ["raw", "spread", "lucky"]  # a bar, a choice, a number


def named(_):
    return _.lang


def cells(lab):
    """The rows of the card's table: what each is, and its answer."""
    rows = re.findall(r"<tr[^>]*><th scope=\"row\">(.*?)</th><td[^>]*>(.*?)</td>", lab.html.split("lab-predicted ")[1])
    return {unescape(head): unescape(cell) for head, cell in rows}


def measured(prediction, _):
    """What the card must say was measured, written without the card."""
    answer = prediction.truth().answer
    if prediction.kind == "choice":
        return next(_(label) for id, label, why in prediction.options if id == answer)
    return _.number(answer, 4).rstrip("0").rstrip(",.")


@pytest.mark.parametrize("_", LANGUAGES, ids=named)
@pytest.mark.parametrize("id", ONE_OF_EACH)
def test_nothing_of_the_experiment_shows_before_an_answer(lab, id, _):
    page = lab("scaling", predict=id, lang=_.lang)
    assert _(PREDICTIONS[id].question) in page.says and _("Predict first") in page.says
    assert not page.elements and not page.app.get("plotly_chart")
    for figure in PREDICTIONS[id].truth().holes.values():
        if not float(figure.value).is_integer():  # whole numbers are the setting
            assert figure.written(_) not in page.says


def test_a_choice_is_committed_and_set_beside_the_result(lab):
    page = lab("scaling", predict="spread")
    page.app.radio(key="answer_spread").set_value("times")
    page.press("commit_spread")
    options = {id: (label, why) for id, label, why in PREDICTIONS["spread"].options}
    assert cells(page) == {"Your prediction": options["times"][0], "Measured": options["root"][0]}
    assert "Not as predicted" in page.says and options["times"][1] in page.says
    assert PREDICTIONS["spread"].truth().said(EN).replace("**", "") in page.says
    assert page.link["made"] == "spread.times" and page.link["d_k"] == "256" and page.link["closer"] == "variance"


@pytest.mark.parametrize("_", LANGUAGES, ids=named)
@pytest.mark.parametrize(
    ("typed", "link"), [("55,5", "55.5"), ("55.5", "55.5"), (" 60 ", "60"), ("62.12346", "62.1235")],
)
def test_a_number_may_have_a_point_or_a_comma(lab, typed, link, _):
    page = lab("scaling", predict="lucky", lang=_.lang)
    page.app.text_input(key="answer_lucky").set_value(typed)
    page.press("commit_lucky")
    assert page.link["made"] == f"lucky.{link}"
    assert cells(page)[_("Measured")] == measured(PREDICTIONS["lucky"], _)
    assert _("Predicted right") in page.says


@pytest.mark.parametrize(
    ("id", "typed", "why"),
    [
        ("lucky", "", "Nothing is typed yet"), ("lucky", "many", "“many” is no number"),
        ("lucky", "101", "“101” is no answer"), ("lucky", "-3", "from 0 to 100"),
        ("future", "2,5", "“2,5” is no answer here: type a whole number from 0 to 6"),
        ("future", "*<b>*", "“*<b>*” is no number"),
    ],
)
def test_what_is_no_answer_is_refused_in_words_and_stays(lab, id, typed, why):
    page = lab(PREDICTIONS[id].page, predict=id)
    page.app.text_input(key=f"answer_{id}").set_value(typed)
    page.press(f"commit_{id}")
    plain = re.sub(r"[\\\u2060]", "", page.says)
    assert why in plain and "made" not in page.link
    assert page.app.text_input(key=f"answer_{id}").value == typed
    assert not page.elements


def test_to_commit_without_a_choice_says_what_is_missing(lab):
    page = lab("scaling", predict="spread").press("commit_spread")
    assert "Nothing is chosen yet" in page.says and "made" not in page.link


@pytest.mark.parametrize("_", LANGUAGES, ids=named)
def test_a_bar_is_drawn_while_it_is_set_and_beside_the_measured_one(lab, _):
    page = lab("scaling", predict="raw", lang=_.lang).slide("answer_raw", 0.35)
    assert f'style="--t: 0.3500"></span><b>{_.number(0.35, 2)}</b>' in page.html
    assert "made" not in page.link and page.html.count('class="bar"') == 1  # set, but not yet committed
    page.press("commit_raw")
    assert page.link["made"] == "raw.0.35"
    bars = [float(bar) for bar in re.findall(r'class="bar" style="--t: ([0-9.]+)"', page.html)]
    assert bars == pytest.approx([0.35, PREDICTIONS["raw"].truth().answer], abs=5e-5)
    assert cells(page) == {_("Your prediction"): _.number(0.35, 2), _("Measured"): measured(PREDICTIONS["raw"], _)}
    assert page.html.count("<span>0</span><span>1</span>") == 1  # one axis for both


def test_right_is_said_in_a_word_and_a_mark(lab):
    right, wrong = (lab("scaling", predict="raw", made=f"raw.{answer}").html for answer in ("0.95", "0.35"))
    assert '<span class="verdict right"><span aria-hidden="true">✓</span> Predicted right</span>' in right
    assert '<span class="verdict wrong"><span aria-hidden="true">✗</span> Not as predicted</span>' in wrong
    assert "off by 0.0377; up to 0.1 counts as right" in right


@pytest.mark.parametrize("id", PREDICTIONS)
def test_every_prediction_can_be_asked_and_revealed(lab, id):
    prediction = PREDICTIONS[id]
    answer = prediction.options[0][0] if prediction.options else "1"
    asked = lab(prediction.page, predict=id, lang="id")
    assert ID(prediction.question) in asked.says
    page = lab(prediction.page, predict=id, made=f"{id}.{answer}", lang="id")
    assert cells(page)[ID("Measured")] == measured(prediction, ID)
    assert prediction.truth().said(ID).replace("**", "").replace("\N{NO-BREAK SPACE}", " ") in page.says


def test_the_page_offers_its_predictions_and_marks_those_that_were_made(lab):
    page = lab("scaling", made="raw.0.95_spread.same")
    links = {each.id: link for each, link in zip(of_page("scaling"), page.offered("predictions"), strict=True)}
    assert [links[id].icon for id in ("raw", "spread", "width")] == ["check", "close", ""]
    assert [links[id].hint for id in ("raw", "spread")] == ["Predicted right", "Not as predicted"]
    page.follow(links["width"])
    assert page.link["predict"] == "width" and PREDICTIONS["width"].question in page.says


def test_an_answer_that_a_link_made_up_is_no_answer(lab):
    page = lab("scaling", predict="raw", made="raw.much")
    assert PREDICTIONS["raw"].question in page.says and not page.elements


# a class


def poll(id, answers, revealed, lang):
    from pages.ui.classroom import predict
    from pages.ui.classroom.predictions import PREDICTIONS
    from pages.ui.language import Language

    predict.result(Language(lang), PREDICTIONS[id], answers, revealed)


def shown(id, answers, revealed=True, lang="en"):
    app = AppTest.from_function(poll, args=(id, answers, revealed, lang), default_timeout=60).run()
    assert not app.exception
    return "".join(block.proto.body for block in app.main.get("html")), " ".join(text.value for text in app.markdown)


@pytest.mark.parametrize("_", LANGUAGES, ids=named)
def test_a_class_sees_how_many_gave_each_answer(_):
    html, says = shown("spread", ["root"] * 3 + ["times"] * 5 + ["no answer"], lang=_.lang)
    rows = re.findall(r'<th scope="row">(.*?)</th><td class=figure>(\d+)</td>', html)
    labels = {id: _(label) for id, label, why in PREDICTIONS["spread"].options}
    assert {unescape(label): int(count) for label, count in rows} == {
        labels["same"]: 0, labels["root"]: 3, labels["times"]: 5}
    assert re.findall(r"--t: ([0-9.]+)", html) == ["0.0000", "0.3750", "0.6250"]
    assert _("Answers: {count}. Most frequent, with {most}: {answers}.", count=8, most=5,
             answers=_("“{answer}”", answer=labels["times"])) in says
    assert PREDICTIONS["spread"].truth().said(_) in says


@pytest.mark.parametrize("id", ONE_OF_EACH)
def test_a_class_sees_nothing_of_the_result_before_it_is_revealed(id):
    answers = [PREDICTIONS[id].options[1][0]] if PREDICTIONS[id].options else ["1"]
    (before, said), (after, said_after) = (shown(id, answers, revealed) for revealed in (False, True))
    assert "measured" not in before and PREDICTIONS[id].truth().said(EN) not in said and "Right" not in said
    assert after.count('<tr class=measured>') == 1 and "◀ measured" in after and "Right: " in said_after


def test_no_answer_is_said_and_drawn_too():
    html, says = shown("raw", [])
    assert says.startswith("No answer yet.") and re.findall(r"--t: ([0-9.]+)", html) == ["0.0000"] * 10
