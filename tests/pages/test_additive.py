"""Additive against dot product: every number on the page against the core, in both languages."""

import re

import numpy as np
import pytest

from attention_core import additive_attention
from attention_core.cost import additive_cost, dot_product_cost
from attention_core.cost_times import Times
from attention_core.draws import nested_draw
from attention_core.score_forms import largest_over_seeds, three_forms
from attention_core.score_network import draw_network, flat_share, weight_ceiling
from pages.ui.fields import FIELDS
from pages.ui.language import LANGUAGES, Language
from pages.ui.lessons import additive_cost as cost_page

every_language = pytest.mark.parametrize("lang", LANGUAGES)
SETTINGS = [
    {}, {"add_d": "1", "add_hidden": "1", "add_keys": "2", "add_seed": "999"},
    {"add_d": "512", "add_hidden": "16", "add_keys": "32", "add_seed": "7"},
    {"add_d": "40", "add_v": "one", "add_long": "3.5", "add_seed": "3"},
]
every_setting = pytest.mark.parametrize("link", SETTINGS, ids=lambda link: "-".join(link.values()) or "default")
TIMES = Times(
    counts=(16, 64), widths=(8, 32, 48), d_a=5, dot=np.array([[1e-6, 2e-6, 4e-6], [3e-6, 5e-6, 8e-6]]),
    additive=np.array([[2e-5, 2e-5, 2e-5], [9e-5, 9e-5, 1e-4]]), dot_fastest=np.full((2, 3), 4e-6),
    additive_fastest=np.full((2, 3), 6e-5), repeats=7,
)


def core(link):
    """The experiment of a link, by the core alone."""
    set_to = {name: type(field.default)(link.get(name, field.default)) for name, field in FIELDS.items()
              if name.startswith("add_")}
    d, d_a, seed = set_to["add_d"], set_to["add_hidden"], set_to["add_seed"]
    draw, network = nested_draw(seed, set_to["add_keys"], d), draw_network(seed, d, d, d_a, set_to["add_v"])
    query = set_to["add_long"] * draw.query
    return set_to, query, draw.keys, network, three_forms(query, draw.keys, network)


def sentence(page, of):
    """What stands in the container of a sentence, without marks, one no-break space as one space."""
    block, = [each for each in blocks(page.app.main) if getattr(each.proto, "id", "").endswith(f"sentence_{of}")]
    text = " ".join(child.value for child in block.children.values())
    return text.replace("**", "").replace("\N{NO-BREAK SPACE}", " ")


def blocks(block):
    """Every block of a page, from the outside in."""
    for child in block.children.values():
        if hasattr(child, "children"):
            yield child
            yield from blocks(child)


def missing(text, *numbers):
    """The numbers that do not stand in a text as a whole."""
    plain = [str(number).replace("\N{NO-BREAK SPACE}", " ") for number in numbers]
    return [number for number in plain if not re.search(rf"(?<![\d.,]){re.escape(number)}(?!\d|[.,]\d)", text)]


# the picture


@every_language
@every_setting
def test_tables_and_sentence_are_the_cores(lab, lang, link):
    page, _ = lab("additive", lang=lang, **link), Language(lang)
    set_to, query, keys, network, forms = core(link)
    assert page.table("scores") == [[_.number(score, 2) for score in row] for row in forms.scores.T]
    assert page.table("weights") == [[_.weight(weight) for weight in row] for row in forms.weights.T]
    assert missing(
        sentence(page, "picture"), *map(_.weight, forms.largest), *(_.number(spread, 2) for spread in forms.spread),
        set_to["add_d"], _.number(network.bound, 2), _.number(abs(forms.scores[2]).max(), 2),
    ) == []


@pytest.mark.parametrize("look", FIELDS["add_look"].choices)
def test_there_are_at_most_two_charts_each_with_a_text(lab, look):
    charts = lab("additive", add_look=look).app.get("plotly_chart")
    assert len(charts) == (2 if look in ("saturation", "cost") else 1) and all(chart.proto.alt for chart in charts)


def test_the_first_two_columns_are_those_of_the_scaling_lesson(lab):
    link = {"add_d": "64", "add_seed": "0", "add_keys": "8"}
    here, there = lab("additive", **link), lab("scaling", d_k="64", seed="0", keys="8")
    for table in ("scores", "weights"):
        assert [row[:2] for row in here.table(table)] == there.table(table)
    assert "0.9877" in here.says and "0.3551" in here.says


def test_what_is_set_out_of_sight_is_told(lab):
    assert not lab("additive").app.info
    told = lab("additive", add_look="cost", add_v="one", add_long="10.0").words("info")
    assert len(told) == 2 and "10.0" in told[1]


# the saturation


@every_language
@every_setting
def test_shares_and_medians_are_the_cores(lab, lang, link):
    page, _ = lab("additive", lang=lang, **link), Language(lang)
    set_to, query, keys, network, forms = core(link)
    widths = sorted({4, 16, 64, 256, set_to["add_d"]})
    largest = largest_over_seeds(
        widths, set_to["add_keys"], set_to["add_hidden"], set_to["add_v"], set_to["add_long"], 400
    )
    shares = (largest > 0.9).mean(axis=-1)
    at = widths.index(set_to["add_d"])
    assert page.table("shares") == [[_.percent(share, 1) for share in row] for row in shares]
    assert missing(sentence(page, "closer"), 400, *(_.percent(share, 1) for share in shares[at])) == []
    assert missing(page.says, *(_.weight(median) for median in np.median(largest[at], axis=-1))) == []
    ceiling = min(weight_ceiling(network.bound, len(keys)), 1 - 1e-16)
    assert missing(
        sentence(page, "bound"), _.number(network.bound, 2), _.weight(ceiling),
        _.number(forms.spread[2], 2), _.percent(flat_share(query, keys, network)), len(keys) * set_to["add_hidden"],
    ) == []


def test_the_paper_is_right_at_256_and_a_large_v_undoes_it(lab):
    page = lab("additive")
    raw, scaled, additive = (float(cell.split()[0]) for cell in page.table("shares")[-1])
    assert raw > 75 and scaled == additive == 0
    page.choose("add_v", "one")
    assert float(page.table("shares")[-1][2].split()[0]) > 25


# the cost


@every_language
@every_setting
def test_counts_are_the_cores(lab, lang, link):
    page, _ = lab("additive", lang=lang, add_look="cost", **link), Language(lang)
    set_to, *_rest = core(link)
    n, d, d_a = set_to["add_keys"], set_to["add_d"], set_to["add_hidden"]
    dot, additive = dot_product_cost(n, n, d), additive_cost(n, n, d, d, d_a)
    whole = lambda count: _.number(count, 0) if count < 1e6 else _.power(count, 2)  # noqa: E731
    assert page.table("costs") == [
        [whole(dot.multiplications), whole(additive.multiplications)], [whole(dot.tanh), whole(additive.tanh)],
        [whole(dot.numbers), whole(additive.numbers)],
    ]
    long = dot_product_cost(4096, 4096, d).numbers, additive_cost(4096, 4096, d, d, d_a).numbers
    assert missing(
        sentence(page, "closer"), whole(dot.multiplications), whole(additive.multiplications), whole(additive.tanh),
        _.number(additive.multiplications / dot.multiplications, 2), _.short(d_a / d, 3),
        *(_.number(4 * numbers / 1e6, 0) for numbers in long),
    ) == []


@every_language
def test_a_measurement_is_shown_when_asked_for_and_stays(lab, lang, monkeypatch):
    asked = []
    monkeypatch.setattr(cost_page, "measure_times", lambda d_a: asked.append(d_a) or TIMES)
    page, _ = lab("additive", lang=lang, add_look="cost", add_hidden="128"), Language(lang)
    assert asked == [] and "matrix-times" not in page.html
    page.press("add_measure")
    assert asked == [64], "a wider layer would start a second thread"
    assert page.table("times_dot") == [[_.number(1e6 * time, 1) for time in row] for row in TIMES.dot]
    assert page.table("times_additive") == [[_.number(1e6 * time, 1) for time in row] for row in TIMES.additive]
    assert page.table("times_ratio") == [[_.number(ratio, 1) for ratio in row] for row in TIMES.ratio]
    counted = additive_cost(64, 64, 48, 48, 5).multiplications / dot_product_cost(64, 64, 48).multiplications
    numbers = [7, 5, 64, 48, *(_.number(x, 1) for x in (100, 8, 12.5, 15)), _.number(counted, 2)]
    assert missing(sentence(page, "measured"), *numbers) == []
    page.slide("add_seed", 4)
    assert asked == [64] and "matrix-times_ratio" in page.html
    assert "matrix-times" not in lab("additive", lang=lang, add_look="cost").html, "it is this session's"


def test_a_busy_machine_is_told(lab, monkeypatch):
    quiet = Times(**{**vars(TIMES), "dot_fastest": TIMES.dot, "additive_fastest": TIMES.additive})
    busy = Times(**{**vars(TIMES), "dot_fastest": TIMES.dot / 3, "additive_fastest": TIMES.additive})
    said = []
    for times in (quiet, busy):
        monkeypatch.setattr(cost_page, "measure_times", lambda d_a, times=times: times)
        said.append(sentence(lab("additive", add_look="cost").press("add_measure"), "measured"))
    assert "other work" not in said[0] and "In 6 of 6 sizes" in said[1]


def test_the_button_measures(lab):
    page = lab("additive", add_look="cost").press("add_measure")
    assert all(float(cell) > 0 for row in page.table("times_ratio") for cell in row)


# unequal widths


@every_language
@pytest.mark.parametrize("seed", [0, 5])
def test_unequal_widths_are_refused_by_the_one_and_taken_by_the_other(lab, lang, seed):
    page, _ = lab("additive", lang=lang, add_look="widths", add_seed=str(seed)), Language(lang)
    draw, network = nested_draw(seed, 4, 5), draw_network(seed, 3, 5, 4)
    query = draw.query[None, :3]
    two = lambda rows: [[_.number(x, 2) for x in row] for row in rows]  # noqa: E731
    assert page.table("add_q") == two(query) and page.table("add_k") == two(draw.keys)
    asked, offered = query @ network.w_query.T, draw.keys @ network.w_key.T
    assert page.table("add_w_q") == two(asked) and page.table("add_w_k") == two(offered)
    additive = additive_attention(query, draw.keys, np.zeros((4, 1)), network.w_query, network.w_key, network.v)
    powers = np.exp(asked @ offered.T / 2)[0]
    projected = powers / powers.sum()
    assert page.table("add_unequal") == [[_.weight(x) for x in row] for row in (additive.weights[0], projected)]
    said = sentence(page, "closer")
    assert missing(said, "1 × 3", "4 × 5", _.weight(additive.weights.max()), _.weight(projected.max())) == []


# tries


@pytest.mark.parametrize(
    ("number", "fields"),
    [
        (0, {}), (1, {"add_v": "one"}), (2, {"add_long": 10.0}), (3, {"add_look": "cost"}), (4, {"add_look": "widths"}),
    ],
)
def test_a_try_sets_its_experiment_from_anywhere(lab, full_link, number, fields):
    mine = {name: text for name, text in full_link.items() if name.startswith("add_")}
    page = lab("additive", **mine).try_out(number)
    expected = {name: FIELDS[name].default for name in mine} | fields
    assert {name: page.state(name) for name in mine} == expected
