"""A plan in a link: what is written is read back, what is damaged is refused, and what a step means for a page."""

import base64
import json
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.ui.classroom.plan import LARGEST, LONGEST, MOST_STEPS, Step, read, write
from pages.ui.classroom.plans import READY, steps
from pages.ui.classroom.predictions import PREDICTIONS
from pages.ui.classroom.prepared import NOTHING, prepared
from pages.ui.contents import PAGES
from pages.ui.fields import COMMON, FIELDS, decode

NAMES = st.sampled_from(["scaling", "qkv", "d_k", "seed", "picture", "words"])
STEPS = st.builds(
    Step, NAMES, st.dictionaries(NAMES, st.text(max_size=20), max_size=4), st.lists(NAMES, max_size=3).map(tuple),
    st.lists(NAMES, max_size=3).map(tuple), st.booleans(),
)


def packed(rows):
    """Any object in the form of a plan."""
    return base64.urlsafe_b64encode(zlib.compress(json.dumps(rows).encode())).decode().rstrip("=")


@given(st.lists(STEPS, min_size=1, max_size=5))
def test_what_is_written_is_read_back(plan):
    text = write(plan)
    assert list(read(text)) == plan
    assert text.replace("-", "").replace("_", "").isalnum() and text.isascii()


@given(st.text(max_size=200))
def test_any_text_is_a_plan_or_refused(text):
    try:
        plan = read(text)
    except ValueError:
        return
    assert 1 <= len(plan) <= MOST_STEPS


@pytest.mark.parametrize("rows", [
    [], {}, "scaling", 7, None, [[]], [["scaling"]], [["scaling", {}, [], [], 2]], [["scaling", [], [], [], 0]],
    [["scaling", {"d_k": 3}, [], [], 0]], [["scaling", {}, ["<b>"], [], 0]], [["../app", {}, [], [], 0]],
    [["scaling", {}, [3], [], 0]], [["scaling", {}, [], [], 0]] * (MOST_STEPS + 1), [[["scaling"], {}, [], [], 0]],
], ids=repr)
def test_what_is_no_plan_is_refused(rows):
    with pytest.raises(ValueError):
        read(packed(rows))


def test_a_plan_that_is_cut_or_swells_is_refused():
    text = write([Step("scaling", {"d_k": "512"})])
    for end in range(len(text)):
        with pytest.raises(ValueError):
            read(text[:end])
    bomb = packed([["scaling", {"words": "x" * (100 * LARGEST)}, [], [], 0]])
    assert len(bomb) < 3 * LONGEST
    with pytest.raises(ValueError):
        read(bomb)


def test_a_step_sets_what_it_names_and_holds_what_it_hides_or_locks():
    text = write([Step("qkv"), Step("scaling", {"d_k": "512", "seed": "junk"}, ("keys", "picture"), ("d_k",))])
    step = prepared(text, 2, "scaling")
    assert step.values == {"d_k": 512, "keys": FIELDS["keys"].default}
    assert step.hidden == {"keys", "picture"} and step.held == {"keys", "d_k"}
    assert prepared(text, 2, None).values == step.values
    assert prepared(text, 3, "scaling").values == prepared(text, 20, "scaling").values == step.values  # its last step
    for elsewhere in ((text, 1, "scaling"), (text, 2, "qkv"), ("", 1, "scaling")):
        assert prepared(*elsewhere) is NOTHING


def test_a_prediction_brings_its_own_experiment():
    """What the card measures and what the page shows below it are the same."""
    lucky = PREDICTIONS["lucky"]
    step = prepared(write([Step("scaling", {"predict": "lucky", "seed": "7"}, lock=("seed",))]), 1, "scaling")
    assert step.values == {**lucky.fields, "predict": "lucky"} and step.held == {"seed"}


def test_a_free_step_hides_and_holds_nothing():
    step = prepared(write([Step("scaling", hide=("seed",), lock=("d_k",), free=True)]), 1, "scaling")
    assert step.hidden == {"seed"} and step.held == frozenset()


@pytest.mark.parametrize("name", READY)
def test_a_ready_plan_leads_through_pages_with_legal_experiments(name):
    assert 1 <= len(steps(name)) <= MOST_STEPS
    for step in steps(name):
        assert step.page in PAGES
        assert step.fields.keys() <= {*COMMON, *PAGES[step.page].fields}
        values, refused = decode(step.fields)
        assert refused == [], (step, values)


@pytest.mark.parametrize("name", READY)
def test_a_ready_plan_takes_45_minutes_and_expects_a_wrong_answer(name):
    told = READY[name].told
    assert sum(each.minutes for each in told) == 45
    asked = [(PREDICTIONS[each.step.fields["predict"]], each) for each in told if "predict" in each.step.fields]
    assert len(asked) >= 3 and len({prediction.page for prediction, each in asked}) == 1
    for prediction, each in asked:
        assert prediction.page == each.step.page and each.expected
        if prediction.kind == "choice":
            assert each.expected in [id for id, *_ in prediction.options]
            assert each.expected != prediction.truth().answer
