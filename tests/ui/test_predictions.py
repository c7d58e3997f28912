"""Predictions: what each asks is settled by its experiment, recomputed here in plain Python; texts never decide."""

import math
import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core.examples import ikan_makan, six_words
from pages.ui.classroom.prediction import only, write_number
from pages.ui.classroom.predictions import PREDICTIONS, of_page, read_answer, right
from pages.ui.classroom.tally import bins, place, right_ones, tally
from pages.ui.contents import PAGES
from pages.ui.kinds import Answers
from pages.ui.language import Language
from pages.ui.share import FIELDS

CORE = ("pipeline", "qkv", "scaling", "masking")
ALL = list(PREDICTIONS.values())
CHOICES = [each for each in ALL if each.kind == "choice"]
NUMBERS = [each for each in ALL if each.kind != "choice"]
EN, ID = Language("en"), Language("id")
FULL = [[True] * 6 for _ in range(6)]
CAUSAL = [[j <= i for j in range(6)] for i in range(6)]


def name_of(prediction):
    return prediction.id


# attention in plain Python


def times(a, b):
    return [[math.fsum(x * y for x, y in zip(row, column, strict=True)) for column in zip(*b, strict=True)]
            for row in a]


def transposed(a):
    return [list(column) for column in zip(*a, strict=True)]


def shares(row, allowed):
    e = [math.exp(score) if may else 0.0 for score, may in zip(row, allowed, strict=True)]
    return [each / math.fsum(e) for each in e]


class Plain:
    """An example worked out without the core's attention."""

    def __init__(self, example, x=None, w_key=None, w_value=None, allowed=None, key_times=None):
        x = example.x.tolist() if x is None else x
        self.x = x
        self.q = times(x, example.w_query.tolist())
        self.k = times(x, (example.w_key if w_key is None else w_key).tolist())
        if key_times:
            at, factor = key_times
            self.k[at] = [factor * each for each in self.k[at]]
        self.v = times(x, (example.w_value if w_value is None else w_value).tolist())
        self.scores = times(self.q, transposed(self.k))
        self.scaled = [[score / math.sqrt(len(self.k[0])) for score in row] for row in self.scores]
        allowed = allowed or [[True] * len(x) for _ in x]
        self.weights = [shares(row, may) for row, may in zip(self.scaled, allowed, strict=True)]
        self.output = times(self.weights, self.v)


def six(**settings):
    return Plain(six_words(), **settings)


def more(at):
    """The six words, with 1 added to each number of one."""
    x = six_words().x.tolist()
    x[at] = [each + 1 for each in x[at]]
    return x


def far(a, b):
    return max(abs(x - y) for x, y in zip(a, b, strict=True))


def furthest(a, b):
    return max(map(far, a, b))


# what each prediction asks, worked out again


def others():
    before, after = six(), six(x=more(5))
    for step, names in (("project", "qkv"), ("scores", ["scores"]), ("weights", ["weights"]), ("output", ["output"])):
        if any(far(getattr(before, name)[1], getattr(after, name)[1]) > 1e-9 for name in names):
            return step


def axis():
    weights = six().weights
    sums = {"rows": [sum(row) for row in weights], "columns": [sum(row) for row in zip(*weights, strict=True)],
            "table": [sum(map(sum, weights))]}
    found, = (name for name, found in sums.items() if all(abs(each - 1) < 1e-9 for each in found))
    return found


def reorder():
    forth, back = six().output, six(x=six_words().x.tolist()[::-1]).output
    moved = {"word": furthest(forth, back[::-1]), "place": furthest(forth, back)}
    return next((name for name, by in moved.items() if by < 1e-9), "new")


def onlyv():
    w_value = ikan_makan().w_value
    w_value[0, 0] = 2
    before, after = Plain(ikan_makan()), Plain(ikan_makan(), w_value=w_value)
    if before.scores != after.scores:
        return "all"
    return "output" if before.weights == after.weights and before.output != after.output else "weights"


def shared():
    found = Plain(ikan_makan(), w_key=ikan_makan().w_query)
    symmetric = [name for name in ("scores", "weights")
                 if furthest(getattr(found, name), transposed(getattr(found, name))) < 1e-12]
    return {("scores", "weights"): "both", ("scores",): "scores", (): "neither"}[tuple(symmetric)]


def longer():
    before, after = Plain(ikan_makan()), Plain(ikan_makan(), key_times=(0, 5))
    ikan, makan = (after.weights[i][0] > before.weights[i][0] + 1e-12 for i in (0, 1))
    return {(True, True): "both", (False, True): "makan", (False, False): "none"}[ikan, makan]


def divisor():
    found = Plain(ikan_makan(), w_value=ikan_makan().w_value[:, :2])
    return (found.scores[1][0] / found.scaled[1][0]) ** 2


def drawn(seed, n_keys=8, d_k=64):
    vectors = np.random.RandomState(seed).randn(1 + n_keys, d_k).tolist()
    return vectors[0], vectors[1:]


def dots(seed):
    query, keys = drawn(seed)
    return [math.fsum(x * y for x, y in zip(query, key, strict=True)) for key in keys]


def largest(scores):
    return max(shares(scores, [True] * len(scores)))


def length(vector):
    return math.sqrt(math.fsum(x * x for x in vector))


def cosines():
    query, keys = drawn(0)
    return [score / length(query) / length(key) for score, key in zip(dots(0), keys, strict=True)]


def spread():
    """Other pairs than the lesson's: the answer is about dot products, not about one draw."""
    random = np.random.default_rng(12345)
    spreads = [(random.standard_normal((4000, d)) * random.standard_normal((4000, d))).sum(axis=1).std()
               for d in (64, 256)]
    ratio = spreads[1] / spreads[0]
    return next(id for id, low, high in (("same", 0.8, 1.2), ("root", 1.8, 2.2), ("times", 3.5, 4.5))
                if low < ratio < high)


def width():
    by_width, by_root = (largest([score / by for score in dots(0)]) for by in (64, 8))
    if abs(by_width - by_root) < 0.02:
        return "same"
    return "one" if by_width > 0.9 else "even" if by_width < 0.19 else None


def keep():
    row = six(allowed=CAUSAL).weights[2]  # True may look: what the core's documents promise, and PyTorch's
    past, future = sum(row[:3]) > 0, sum(row[3:]) > 0
    return {(True, False): "past", (False, True): "future", (True, True): "all"}[past, future]


def nothing():
    exponentials = [math.exp(-math.inf)] * 6
    total = sum(exponentials)
    return "nan" if total == 0 else "even"


def filled():
    scaled = six().scaled
    row = [score if may else 0.0 for score, may in zip(scaled[0], CAUSAL[0], strict=True)]
    return sum(shares(row, FULL[0])[1:])


def padrows():
    rows_hidden = [[i < 4] * 6 for i in range(4)]
    weights = [shares(row, may) for row, may in zip(six().scaled[:4], rows_hidden, strict=True)]
    return "leak" if max(sum(row[4:]) for row in weights) > 0 else "safe"


def future():
    before, after = six(allowed=CAUSAL).output, six(x=more(3), allowed=CAUSAL).output
    return sum(far(a, b) > 1e-12 for a, b in zip(before, after, strict=True))


AGAIN = {
    "others": others,
    "axis": axis,
    "most": lambda: max(six().weights[2]),
    "first": lambda: six(allowed=CAUSAL).weights[0][0],
    "reorder": reorder,
    "twins": lambda: far(six().output[0], six().output[4]),
    "soft": lambda: math.exp(2 / math.sqrt(3)) / (math.exp(2 / math.sqrt(3)) + math.exp(0.5 / math.sqrt(3))),
    "onlyv": onlyv,
    "shared": shared,
    "longer": longer,
    "divisor": divisor,
    "raw": lambda: largest(dots(0)),
    "spread": spread,
    "width": width,
    "cosine": lambda: largest(cosines()),
    "lucky": lambda: 100 * sum(largest(dots(seed)) > 0.9 for seed in range(400)) / 400,
    "keep": keep,
    "zeros": lambda: six().weights[0][0],
    "fill": filled,
    "nothing": nothing,
    "padrows": padrows,
    "future": future,
}
# what those think who fall for it
MISTAKEN = {
    "most": (1.0,), "first": (1 / 6,), "twins": (0.5,), "soft": (0.8, 1.0), "divisor": (2, 4), "raw": (0.125, 0.3551),
    "cosine": (0.9877,), "lucky": (100, 0), "zeros": (1.0,), "fill": (0.0,), "future": (6, 1),
}


@pytest.mark.parametrize("prediction", ALL, ids=name_of)
def test_the_experiment_says_the_same_in_plain_python(prediction):
    again, truth = AGAIN[prediction.id](), prediction.truth().answer
    assert truth == (again if prediction.kind == "choice" else pytest.approx(again, abs=1e-9))


@pytest.mark.parametrize("prediction", CHOICES, ids=name_of)
def test_one_option_is_right_and_every_other_one_is_not(prediction):
    expected = AGAIN[prediction.id]()
    options = [id for id, *_ in prediction.options]
    assert [read_answer(prediction, id) for id in options] == options and expected in options
    assert [right(prediction, id) for id in options] == [id == expected for id in options]


@pytest.mark.parametrize("prediction", NUMBERS, ids=name_of)
def test_a_number_is_right_as_far_as_near_and_no_farther(prediction):
    expected, near = AGAIN[prediction.id](), prediction.near
    assert all(right(prediction, expected + off) for off in (0, near, -near))
    assert not any(right(prediction, expected + off) for off in (near + 0.001, -near - 0.001))
    assert not any(right(prediction, wrong) for wrong in MISTAKEN[prediction.id])


@pytest.mark.parametrize("page", CORE)
def test_each_core_lesson_asks_at_least_three_in_different_ways(page):
    kinds = [each.kind for each in of_page(page)]
    assert len(kinds) >= 3 and len(set(kinds)) >= 2
    assert {each.page for each in ALL} == set(CORE)


@pytest.mark.parametrize("prediction", ALL, ids=name_of)
def test_it_sets_every_field_of_its_page_to_what_a_link_can_carry(prediction):
    fields = prediction.fields
    assert {*fields, "predict"} == set(PAGES[prediction.page].fields)
    for name, value in fields.items():
        text = FIELDS[name].write(value)
        assert value == FIELDS[name].default or FIELDS[name].read(text) == value, name


@pytest.mark.parametrize("prediction", ALL, ids=name_of)
def test_its_names_fit_a_link(prediction):
    assert re.fullmatch(r"[a-z][a-z0-9]{1,11}", prediction.id) and FIELDS["predict"].read(prediction.id)
    ids = [id for id, *_ in prediction.options]
    assert len(set(ids)) == len(ids) and all(re.fullmatch(r"[a-z][a-z0-9]{0,11}", id) for id in ids)
    low, high = prediction.bounds
    texts = ids or [write_number(value) for value in (low, high, prediction.truth().answer)]
    made = tuple((prediction.id, text) for text in texts[:1])
    assert Answers(40).read(Answers(40).write(made)) == made
    assert all(read_answer(prediction, text) is not None for text in texts)


@pytest.mark.parametrize("prediction", ALL, ids=name_of)
@pytest.mark.parametrize(
    "text", ["", " ", "B", "x" * 13, "1e3", "1,5", "0.12345", "+1", ".5", "1.", "inf", "-1", "100.5", "1_0", "²", "0 "],
)
def test_what_is_no_answer_is_refused(prediction, text):
    with pytest.raises(ValueError):
        read_answer(prediction, text)


@pytest.mark.parametrize("id", ["future", "divisor"])
def test_where_things_are_counted_a_fraction_is_no_answer(id):
    assert read_answer(PREDICTIONS[id], "3") == 3
    with pytest.raises(ValueError):
        read_answer(PREDICTIONS[id], "2.5")


@given(st.floats(0, 1))
def test_a_number_comes_back_from_a_link_to_four_decimals(value):
    text = write_number(value)
    assert re.fullmatch(r"[a-z0-9.-]{1,12}", text)
    assert abs(read_answer(PREDICTIONS["raw"], text) - value) <= 0.5e-4 + 1e-12


@pytest.mark.parametrize("prediction", ALL, ids=name_of)
@pytest.mark.parametrize("_", [EN, ID], ids=["en", "id"])
def test_the_sentence_has_all_its_numbers(prediction, _):
    said = prediction.truth().said(_)
    assert "{" not in said and "**" in said and re.search(r"\d|NaN", said)
    assert not re.search(r"\d,\d" if _.lang == "en" else r"\d\.\d", re.sub("versi(on)? 2.5", "", said))


@pytest.mark.parametrize("prediction", ALL, ids=name_of)
def test_both_languages_describe_the_same_setting(prediction):
    texts = [prediction.question, *(text for _, *pair in prediction.options for text in pair)]
    for text in texts:
        assert "{" not in text
        assert sorted(re.findall(r"\d+(?:[.,]\d+)?", ID(text).replace(",", "."))) == sorted(
            re.findall(r"\d+(?:[.,]\d+)?", text.replace(",", ".")))


@pytest.mark.parametrize("prediction", of_page("scaling"), ids=name_of)
def test_a_question_on_scaling_names_its_numbers(prediction):
    numbers = set(map(float, re.findall(r"\d+(?:\.\d+)?", prediction.question)))
    assert prediction.fields["d_k"] in numbers
    for name, pattern in (("seed", r"seed (\d+)"), ("keys", r"(\d+) keys")):
        assert all(int(named) == prediction.fields[name] for named in re.findall(pattern, prediction.question))


def test_the_questions_on_words_name_their_numbers():
    tokens, found = six_words().tokens, Plain(ikan_makan())
    for id, field in (("others", "word"), ("most", "word"), ("keep", "query"), ("future", "changed")):
        assert f"“{tokens[PREDICTIONS[id].fields[field] - 1]}”" in PREDICTIONS[id].question
    assert f"“{' '.join(tokens[::-1])}”" in PREDICTIONS["reorder"].question
    assert found.scores[1] == [2, 2 / 4] and len(found.k[0]) == 3
    assert PREDICTIONS["longer"].fields["longer"] == 5 and PREDICTIONS["longer"].fields["long_key"] == 1
    assert ikan_makan().x.shape[1] == 4


def test_the_truth_follows_the_fields():
    raw = PREDICTIONS["raw"]
    narrow = replace(raw, fields=raw.fields | {"d_k": 4})
    query, keys = np.random.RandomState(0).randn(9, 64)[0, :4], np.random.RandomState(0).randn(9, 64)[1:, :4]
    assert narrow.truth().answer == pytest.approx(largest((keys @ query).tolist()), abs=1e-12)
    assert replace(raw, measure=PREDICTIONS["width"].measure, fields=raw.fields).truth().answer == "same"
    undivided = PREDICTIONS["width"].fields | {"divisor": "none"}
    assert replace(PREDICTIONS["width"], fields=undivided).truth().answer == "one"
    untied = replace(PREDICTIONS["shared"], fields=PREDICTIONS["shared"].fields | {"tie": "none"})
    assert untied.truth().answer == "neither"
    columns = replace(PREDICTIONS["padrows"], fields=PREDICTIONS["padrows"].fields | {"way": "minus_inf"})
    assert columns.truth().answer == "safe"


def test_a_question_that_its_experiment_does_not_settle_is_refused():
    for found in ({"a": False, "b": False}, {"a": True, "b": True}):
        with pytest.raises(ValueError, match="one answer has to hold"):
            only(**found)


# a class


@pytest.mark.parametrize("prediction", ALL, ids=name_of)
def test_the_tally_marks_one_group_as_measured_and_counts_what_it_can_read(prediction):
    options = [id for id, *_ in prediction.options] or [write_number(each) for each in prediction.bounds]
    groups = tally(EN, prediction, [*options, options[0], "no answer"])
    assert sum(group.count for group in groups) == len(options) + 1
    assert [group.measured for group in groups].count(True) == 1 and len(groups) <= 10
    assert len({group.label for group in groups}) == len(groups)
    measured = prediction.truth().answer if prediction.kind == "choice" else write_number(prediction.truth().answer)
    assert next(group for group in tally(EN, prediction, [measured]) if group.count).measured
    assert right_ones(prediction, [measured, "no answer"]) == 1


@pytest.mark.parametrize("prediction", NUMBERS, ids=name_of)
def test_numbers_fall_into_ranges_in_order(prediction):
    low, high = prediction.bounds
    values = np.linspace(low, high, 201)
    places = [place(prediction, value) for value in values]
    assert places[0] == 0 and places[-1] == bins(prediction) - 1 and set(places) == set(range(bins(prediction)))
    assert all(a <= b for a, b in pairwise(places))


def test_an_edge_belongs_to_the_range_above_it():
    assert [place(PREDICTIONS["raw"], tenth / 10) for tenth in range(11)] == [*range(10), 9]
    assert [group.label for group in tally(ID, PREDICTIONS["raw"], [])][:2] == [
        ID("{low} to {high}", low="0,0", high="0,1"), ID("{low} to {high}", low="0,1", high="0,2")]
    assert [group.label for group in tally(EN, PREDICTIONS["future"], [])] == list("0123456")
    assert tally(EN, PREDICTIONS["lucky"], [])[3].label == "30 to 40"
