"""The lesson on explanation says the core's numbers, in both languages, and no other row where there is none."""

import numpy as np
import pytest

from attention_core.counterfactual import other_weights
from attention_core.explained import distance_by_width, drawn_explained, other_rows, six_words_explained
from attention_core.one_model import nearest_model
from pages.ui.fields import FIELDS
from pages.ui.language import LANGUAGES, Language
from pages.ui.lessons.explanation_more import MADE, SAME
from pages.ui.lessons.masking_ways import figure

every_language = pytest.mark.parametrize("lang", LANGUAGES)
LINKS = [
    {},
    {"exp_query": "5", "exp_d_v": "2", "exp_far": "jensen_shannon"},
    {"exp_d_v": "4", "exp_seed": "7", "exp_tol": "0.01"},
    {"exp_d_v": "6", "exp_tol": "0.001"},
    {"exp_from": "drawn", "exp_keys": "8", "exp_d_v": "2", "exp_seed": "9"},
    {"exp_from": "drawn", "exp_keys": "3", "exp_d_v": "1", "exp_far": "jensen_shannon"},
    {"exp_from": "drawn", "exp_keys": "7", "exp_d_v": "6", "exp_tol": "0.05", "exp_seed": "999"},
]
FULL_RANK = [{"exp_d_v": "5"}, {"exp_d_v": "6", "exp_seed": "3"}, {"exp_from": "drawn", "exp_keys": "4"}]


def core(link):
    """The row, its values at every width, the other row, and what the search was asked."""
    at = {name: FIELDS[name].read(link[name]) if name in link else FIELDS[name].default
          for name in FIELDS if name.startswith("exp_")}
    if at["exp_from"] == "six_words":
        rows, query = six_words_explained(at["exp_seed"]), at["exp_query"] - 1
    else:
        rows, query = drawn_explained(at["exp_seed"], at["exp_keys"]), 0
    how = (float(at["exp_tol"]), at["exp_seed"], at["exp_far"])
    d_v = min(at["exp_d_v"], len(rows.value))
    return rows, query, d_v, how, other_weights(rows.weights[query], rows.value[:, :d_v], *how)


def flat(text):
    """A text as `says` gives it."""
    return text.replace("\N{NO-BREAK SPACE}", " ").replace("**", "")


@every_language
@pytest.mark.parametrize("link", LINKS)
def test_tables_and_sentences_are_the_cores(lab, lang, link):
    page, _ = lab("explanation", lang=lang, **link), Language(lang)
    rows, query, d_v, how, found = core(link)
    model, value = rows.weights[query], rows.value[:, :d_v]
    assert page.table("rows") == [[_.weight(weight, 3) for weight in row] for row in (model, found.weights)]
    outputs = (model @ value, found.output, found.moved)
    assert page.table("outputs") == [[figure(_, number) for number in row] for row in outputs]
    numbers = (_.number(found.distance), figure(_, found.output_change), _.weight(model.max()),
               _.weight(found.weights.max()), _.weight(found.weights[model.argmax()]))
    assert [number for number in numbers if flat(number) not in page.says] == []
    assert figure(_, found.output_change) in {cell.lstrip("\N{MINUS SIGN}") for cell in page.table("outputs")[2]}
    if found.freedom:
        assert f"{model.size} − {found.rank} = {found.freedom}" in page.says


@every_language
@pytest.mark.parametrize("link", FULL_RANK)
def test_full_rank_leaves_the_models_row_alone(lab, lang, link):
    if link.get("exp_from") == "drawn":
        link = {**link, "exp_d_v": "3"}
    page, _ = lab("explanation", lang=lang, **link), Language(lang)
    rows, query, d_v, _how, found = core(link)
    assert found.distance == 0 and found.rank == len(rows.value)
    assert page.table("rows") == [[_.weight(weight, 3) for weight in rows.weights[query]]]
    assert len(page.table("outputs")) == 1 and 'matrix-others"' not in page.html
    sentence, = [text for text in page.words("markdown") if f"**{found.rank}**" in text and "[V 1]" in text]
    assert str(FIELDS["exp_seed"].read(link.get("exp_seed", "0"))) in sentence


@every_language
def test_the_way_out_of_full_rank_lowers_the_width_or_allows_a_little(lab, lang):
    page = lab("explanation", lang=lang, exp_d_v="6")
    narrower = lab("explanation", lang=lang, exp_d_v="6").press("set_exp_d_v")
    assert narrower.state("exp_d_v") == 4 and len(narrower.table("rows")) == 2
    assert core({"exp_d_v": "4"})[-1].freedom == 1 and core({"exp_d_v": "5"})[-1].freedom == 0, "no less than needed"
    page.press("set_exp_tol")
    assert page.state("exp_tol") == "0.001" and len(page.table("rows")) == 2


@every_language
@pytest.mark.parametrize("link", LINKS)
def test_the_distance_over_the_width_is_told_with_its_numbers(lab, lang, link):
    page, _ = lab("explanation", lang=lang, **link), Language(lang)
    rows, query, _d_v, (tolerance, seed, far), _found = core(link)
    exact = distance_by_width(rows.weights[query], rows.value, 0.0, seed, far)
    last = np.count_nonzero(exact)
    assert last == exact.size - 2
    numbers = [_.number(exact[0]), _.number(exact[last - 1])]
    if tolerance:
        numbers.append(_.number(distance_by_width(rows.weights[query], rows.value, tolerance, seed, far)[last]))
    told, = [text for text in page.words("markdown") if numbers[0] in text and f" {last + 1} " in text]
    assert all(number in told for number in numbers)


@every_language
@pytest.mark.parametrize("link", [link for link in LINKS if "exp_from" not in link] + [{"exp_tol": "0.1"}])
def test_the_objection_is_tried_on_all_queries(lab, lang, link):
    page, _ = lab("explanation", lang=lang, **link), Language(lang)
    rows, query, d_v, how, _found = core(link)
    others = other_rows(rows.weights, rows.value[:, :d_v], *how)
    nearest = nearest_model(rows.x, others)
    for name, weights in (("others", others), ("nearest", nearest.weights)):
        assert page.table(name) == [[_.weight(weight, 3) for weight in row] for row in weights]
    worst = flat(figure(_, nearest.distances.max()))
    assert worst in page.says
    itself = flat(_("No model makes them all. The nearest, by cross-entropy and at any dₖ, is **the model itself**; it "
                    "misses them by **{mean}** in total variation on average, most for {word}, {worst}.",
                    mean=_.number(nearest.distances.mean()), worst=worst,
                    word=_("“{word}”", word="The cat sat on the mat".split()[int(nearest.distances.argmax())])))
    same = np.abs(nearest.weights - rows.weights).max() <= SAME
    assert (itself in page.says) == same
    assert same == (how[0] == 0 and d_v >= 3), "the same outputs fix the means of X where W_V can be inverted"
    assert (_.number(nearest.distances.mean()) in page.says) or nearest.distances.max() <= MADE
    twins = _.weight(others[query, 0]), _.weight(others[query, 4])
    assert all(text in page.says for text in twins) or abs(others[query, 0] - others[query, 4]) <= MADE


def test_the_objection_fails_where_one_model_makes_all_rows(lab):
    page = lab("explanation", exp_tol="0.1")
    assert "the objection fails" in page.says and "No model makes them all" not in page.says
    assert "the objection fails" not in lab("explanation").says


@every_language
def test_drawn_keys_have_no_model_to_ask_for(lab, lang):
    page = lab("explanation", lang=lang, exp_from="drawn")
    assert 'matrix-others"' not in page.html and 'matrix-rows"' in page.html


@every_language
def test_the_default_takes_the_favourite_away(lab, lang):
    """The model's favourite word gets exactly nothing in the other row."""
    page, _ = lab("explanation", lang=lang), Language(lang)
    model, other = page.table("rows")
    assert other[1] == "0" and model[1] == _.weight(six_words_explained().weights[2].max(), 3)


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (0, {"exp_from": "six_words", "exp_d_v": 3, "exp_tol": "0"}),
        (1, {"exp_d_v": 5, "exp_tol": "0"}),
        (2, {"exp_d_v": 5, "exp_tol": "0.001"}),
        (3, {"exp_from": "drawn", "exp_keys": 8, "exp_d_v": 2}),
        (4, {"exp_d_v": 3, "exp_tol": "0.1"}),
    ],
)
def test_every_try_sets_its_experiment(lab, number, expected):
    page = lab("explanation", exp_query="6", exp_d_v="1", exp_tol="0.05", exp_seed="4", exp_far="jensen_shannon")
    page.try_out(number)
    assert {name: page.state(name) for name in expected} == expected


def test_the_tries_show_what_their_labels_promise(lab):
    def tried(number):
        return lab("explanation").try_out(number)

    assert tried(0).table("rows")[1][1] == "0"
    assert len(tried(1).table("rows")) == 1
    assert len(tried(2).table("rows")) == 2
    assert len(tried(3).table("rows")[0]) == 8
    assert "the objection fails" in tried(4).says


def test_the_width_is_brought_down_to_the_number_of_keys(lab):
    page = lab("explanation", exp_from="drawn", exp_keys="3", exp_d_v="8")
    assert page.state("exp_d_v") == 3
    assert len(page.table("outputs")[0]) == 3


@pytest.mark.parametrize("far", FIELDS["exp_far"].choices)
def test_what_is_asked_for_is_searched_in_the_same_run(lab, far):
    page = lab("explanation").choose("exp_far", far)
    assert Language("en").number(core({"exp_far": far})[-1].distance) in page.says


@every_language
def test_a_seed_on_the_page_is_the_seed_of_the_search(lab, lang):
    page = lab("explanation", lang=lang, exp_from="drawn")
    before = page.table("rows")
    page.press("another_exp_seed")
    assert page.state("exp_seed") == 389 and page.table("rows") != before
