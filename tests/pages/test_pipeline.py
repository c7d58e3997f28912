"""The pipeline shows every figure of its source, each on its step, and takes any sentence of up to 12 tokens."""

import re
from html import unescape

import numpy as np
import pytest

from attention_core import causal_mask, project, scaled_dot_product_attention
from attention_core.embedding import embed_sentence
from attention_core.examples import six_words
from attention_core.factored import fused_projection
from attention_core.hull import convex_hull, inside_hull
from pages.ui.charts import hull_picture
from pages.ui.language import LANGUAGES, Language
from pages.ui.lessons.pipeline_steps import STEP
from tests.received import validated

every_language = pytest.mark.parametrize("lang", LANGUAGES)
every_step = pytest.mark.parametrize("step", STEP)
EXAMPLE = six_words()
CAT, SAT = 1, 2
SENTENCES = {
    "one token": "kucing",
    "two tokens": "kucing tidur",
    "twelve tokens": "a b c d e f g h i j k l",
    "thirteen tokens": "a b c d e f g h i j k l m",
    "the same word thrice": "the the The",
    "emoji and right-to-left": "🦋 قطة \u05d7\u05ea\u05d5\u05dc",
    "markup": "<b>x</b> *y* [z](javascript:1) $q$ :smile: `w`",
}
every_sentence = pytest.mark.parametrize("words", SENTENCES.values(), ids=SENTENCES)


def attention(x=EXAMPLE.x, **masks):
    roles = project(x, EXAMPLE.w_query, EXAMPLE.w_key, EXAMPLE.w_value)
    return roles, scaled_dot_product_attention(roles.query, roles.key, roles.value, **masks)


ROLES, BIDIRECTIONAL = attention()
CAUSAL = attention(attn_mask=causal_mask(6))[1]


def sentence(page, of="picture"):
    """What stands under the picture, without marks; no-break spaces become spaces."""
    block, = [block for block in page.app.main if f"sentence_{of}" in str(getattr(block, "proto", ""))]
    text, = [element.value for element in block.get("markdown")]
    return text.replace("**", "").replace("\N{NO-BREAK SPACE}", " ")


def printed(values, lang):
    """Numbers as the source prints them, in the page's language."""
    _ = Language(lang)
    return {name: _.number(value, places) for name, (value, places) in values.items()}


def missing(text, *numbers):
    """Those of the numbers that do not stand in a text as a whole."""
    return [number for number in numbers if not re.search(rf"(?<![\d.,]){re.escape(number)}(?!\d|[.,]\d)", text)]


# the figures of the source: typed here as it prints them, and read from the core


@every_language
def test_attend_says_who_gets_most_and_how_even_the_weights_are(lab, lang):
    weights = BIDIRECTIONAL.weights[CAT]
    assert (round(100 * weights.max()), round(100 * weights.min()), weights.argmax()) == (22, 10, CAT)
    text = sentence(lab("pipeline", lang=lang))
    assert text.count("“cat”") == 2 and missing(text, "22 %", "10 %", "1/6", "17 %") == []


@every_language
def test_project_says_the_sizes_and_that_one_fused_product_gives_the_same(lab, lang):
    page, _ = lab("pipeline", lang=lang, step="project"), Language(lang)
    fused = fused_projection(EXAMPLE.x, EXAMPLE.w_query, EXAMPLE.w_key, EXAMPLE.w_value)
    difference = max(abs(getattr(fused, role) - getattr(ROLES, role)).max() for role in ("query", "key", "value"))
    text = sentence(page)
    assert text.count("6 × 3") == 4 and "3 × 3" in text and difference < 1e-15
    assert text.rstrip(".").endswith(_.power(difference))
    for role in ("query", "key", "value"):
        assert f"[{_.list(getattr(ROLES, role)[CAT], 2)}]" in text


@every_language
def test_scores_say_the_best_match_and_that_the_way_back_differs(lab, lang):
    scores, scaled = BIDIRECTIONAL.scores, BIDIRECTIONAL.scaled
    pairs = {"itself": (scores[CAT, CAT], 2), "there": (scaled[CAT, SAT], 2), "back": (scaled[SAT, CAT], 2)}
    assert printed(pairs, "en") == {"itself": "0.63", "there": "0.05", "back": "0.47"}
    text = sentence(lab("pipeline", lang=lang, step="scores"))
    raw = {"raw there": (scores[CAT, SAT], 2), "raw back": (scores[SAT, CAT], 2)}
    assert missing(text, *printed(pairs | raw, lang).values()) == []


@every_language
def test_softmax_says_the_factor_and_the_share(lab, lang):
    figures = {"scale": (BIDIRECTIONAL.scale, 2), "root": (1 / BIDIRECTIONAL.scale, 2),
               "share": (100 * BIDIRECTIONAL.weights[CAT, CAT], 1)}
    assert printed(figures, "en") == {"scale": "0.58", "root": "1.73", "share": "21.5"}
    assert missing(sentence(lab("pipeline", lang=lang, step="weights")), *printed(figures, lang).values()) == []


@every_language
@pytest.mark.parametrize("causal", ["yes", "no"])
def test_the_mask_leaves_21_of_36_and_without_it_sat_sees_all(lab, lang, causal):
    free, kept = (100 * found.weights[SAT].max() for found in (BIDIRECTIONAL, CAUSAL))
    assert printed({"free": (free, 1)}, "en") == {"free": "24.2"} and causal_mask(6).sum() == 21
    _ = Language(lang)
    page = lab("pipeline", lang=lang, step="mask", word=str(SAT + 1), causal=causal)
    text = sentence(page)
    assert missing(text, _.number(free, 1) + " %", "21", "36", "3", "6") == []
    assert (missing(text, _.number(kept, 1) + " %") == []) == (causal == "yes")
    hatched = sum(cell == _("masked") for row in page.table("weights") for cell in row)
    assert hatched == (15 if causal == "yes" else 0)


@every_language
def test_output_says_the_vector_of_cat(lab, lang):
    _, output = Language(lang), BIDIRECTIONAL.output
    assert Language("en").list(output[CAT], 2) == "0.14, 0.17, 0.45"
    page = lab("pipeline", lang=lang, step="output")
    assert f"[{_.list(output[CAT], 2)}]" in sentence(page)
    assert page.table("output") == [[_.number(value, 2) for value in row] for row in output]


@every_language
@every_step
def test_every_step_says_that_the_matrices_are_a_reconstruction(lab, lang, step):
    page = lab("pipeline", lang=lang, step=step)
    assert Language(lang)(
        "The source prints its figures without its matrices: X, W_Q, W_K, W_V and the names of their features are our "
        "reconstruction, which gives every figure that it prints; others would too."
    ) in page.words("markdown")


# laws


@every_step
@every_sentence
def test_any_sentence_goes_through_every_step(lab, step, words):
    page = lab("pipeline", step=step, words=words, word="12")
    n = page.state("word")
    assert 1 <= n <= 12 and page.elements and "nan" not in page.says.lower().split()


@every_sentence
def test_weights_are_those_of_the_core_for_any_sentence(lab, words):
    page, _ = lab("pipeline", words=words, word="1"), Language("en")
    tokens = [unescape(text) for text in re.findall(r'data-ask="\d+"[^>]*>(.*?)</button>', page.html)]
    n = len(tokens)
    weights = page.table("weights")
    assert len(weights) == n <= 12 and all(len(row) == n for row in weights)
    expected = attention(embed_sentence(tokens))[1].weights
    assert weights == [[_.number(100 * weight, 1) for weight in row] for row in expected]


def test_markup_is_text_everywhere(lab):
    for step in STEP:
        page = lab("pipeline", step=step, words="<img src=x onerror=alert(1)> <b>x</b> **y**", word="1")
        assert "<img" not in page.html and "<b>x" not in page.html
        for kind in ("markdown", "subheader", "info", "error"):
            assert not [text for text in page.words(kind) if re.search(r"(?<!\\)<(img|b)", text)]


def test_a_word_beyond_the_sentence_becomes_the_last(lab):
    page = lab("pipeline", words="satu dua", word="9")
    assert page.state("word") == 2 and "“dua”" in sentence(page)


def test_the_row_of_the_word_stands_out_in_every_table_of_queries(lab):
    for step in STEP:
        page = lab("pipeline", step=step, word=str(SAT + 1))
        for name in ("Q", "scores", "scaled", "masked", "weights", "output"):
            table = re.search(rf'data-testid="matrix-{name}".*?</table>', page.html, re.DOTALL)
            if table:
                rows = re.findall(r"<tr([^>]*)>", table[0])[1:]
                assert [i for i, row in enumerate(rows) if "here" in row] == [SAT], (step, name)


@pytest.mark.parametrize("cell", ["", "scores.2.3", "weights.5.1", "K.1.2", "output.6.3", "scores.12.12"])
@every_step
def test_the_arithmetic_is_that_of_a_cell_of_this_step_and_of_the_word(lab, step, cell):
    page = lab("pipeline", step=step, cell=cell, word=str(SAT + 1)) if cell else lab("pipeline", step=step, word="3")
    of, = re.findall(r'data-testid="arithmetic" data-of="(\w+)"', page.html)
    assert f'data-matrix="{of}"' in page.html
    chosen, = re.findall(r'data-matrix="(\w+)"(?:(?!data-matrix).)*?class="cell[^"]* chosen"', page.html, re.DOTALL)
    assert chosen == of
    if of not in ("K", "V"):
        at, = re.findall(r'<td class="cell[^"]* chosen"[^>]*><button[^>]*data-at="(\d+)\.', page.html)
        assert at == str(SAT + 1)


def test_the_output_lies_inside_the_outline_that_the_page_draws(lab):
    page = lab("pipeline", step="output")
    value, output = ROLES.value[:, :2], BIDIRECTIONAL.output[CAT]
    assert inside_hull(output[:2], value)
    assert f"{len(convex_hull(value))} corners" in page.says and "lies inside the outline" in page.says
    low, high = ROLES.value.min(axis=0), ROLES.value.max(axis=0)
    assert np.all((low < output) & (output < high))
    _ = Language("en")
    assert page.table("range") == [[_.number(v, 2) for v in row] for row in zip(low, output, high, strict=True)]


@every_language
def test_reversing_the_words_reverses_the_outputs(lab, lang):
    typed, turned = (lab("pipeline", lang=lang, step="output", order=order) for order in ("given", "reversed"))
    assert turned.table("output") == typed.table("output")[::-1] != typed.table("output")
    assert turned.table("V") == typed.table("V")[::-1]
    assert sentence(turned) == sentence(typed)
    difference = abs(attention(EXAMPLE.x[::-1])[1].output[::-1] - BIDIRECTIONAL.output).max()
    assert 0 <= difference < 1e-15
    assert Language(lang).power(difference) in sentence(turned, "order")


def test_symmetric_scores_are_said_to_be_the_same_both_ways(lab):
    page = lab("pipeline", step="project").try_out(1)
    assert page.state("step") == "scores" and "score the same here" in sentence(page)
    scores = page.table("scores")
    assert scores == [list(row) for row in zip(*scores, strict=True)]


def test_the_path_shows_the_words_row_of_every_matrix(lab):
    page, _ = lab("pipeline", step="output", word=str(SAT + 1)), Language("en")
    for name, row, places in (
        ("X", EXAMPLE.x[SAT], 2), ("Q", ROLES.query[SAT], 2), ("scores", BIDIRECTIONAL.scores[SAT], 2),
        ("scaled", BIDIRECTIONAL.scaled[SAT], 2), ("weights", 100 * BIDIRECTIONAL.weights[SAT], 1),
        ("output", BIDIRECTIONAL.output[SAT], 2),
    ):
        assert page.table(f"path_{name}") == [[_.number(value, places) for value in row]], name


# own numbers


@every_language
@every_step
def test_a_mismatch_says_which_sizes_disagree_and_keeps_the_rest_of_the_page(lab, lang, step):
    page, _ = lab("pipeline", lang=lang, step=step, w6_q="1_0~0_1~1_1"), Language(lang)
    error, = page.words("error")
    assert "W_Q" in error and "W_K" in error and "3 × 2" in error and "3 × 3" in error
    assert page.table("W_Q") == [["1", "0"], ["0", "1"], ["1", "1"]] and "matrix-weights" not in page.html
    assert [e.label for e in page.app.expander] == [_("Take home"), _("Why"), _("The code that ran"), _("References")]
    assert not page.try_out(1).app.error and "arithmetic" in page.html


def test_other_widths_go_through_every_step(lab):
    for step in STEP:
        page = lab("pipeline", step=step, w6_q="1~0~1", w6_k="1~1~0", w6_v="2~1~0")
        assert not page.app.error and not page.app.get("plotly_chart")
        assert ("√1" in page.says) == (step in ("scores", "weights", "output"))
        assert ("one dimension only" in page.says) == (step == "output")


def test_the_tries_lead_through_all_six_steps_and_back(lab):
    page, seen = lab("pipeline"), []
    for _step in STEP:
        seen.append(page.state("step"))
        page.try_out(0)
    assert seen == list(STEP) and page.state("step") == "attend"


@every_step
def test_every_try_changes_what_is_shown_and_nothing_breaks(lab, step):
    for number in (0, 1):
        page = lab("pipeline", step=step)
        before = page.html
        assert page.try_out(number).html != before


def test_the_sources_example_comes_back_from_anything(lab):
    page = lab("pipeline", words="satu dua tiga", x6="1_2~3_4~5_6", w6_q="1~2", w6_k="1~2", w6_v="1~2", word="3")
    page.app.session_state["draft_w6_q"] = {(0, 0): "abc"}
    assert "abc" in page.run().says
    page.try_out(2)
    assert "abc" not in page.says and not page.app.error
    assert page.link == {"lang": "en"} and "22 %" in sentence(page)


# the picture of the outline


SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.4, 0.6]])
WORDS = {"values": "v", "hull": "h", "output": "o", "x": "1", "y": "2"}


def outline(names="abcdef", points=SQUARE):
    separators = ".\N{NO-BREAK SPACE}"
    return validated(hull_picture(points, convex_hull(points), points.mean(axis=0), names, WORDS, separators))


def test_the_outline_is_closed_and_names_each_place_once():
    hull, values, output = outline().data
    assert list(zip(hull.x, hull.y, strict=True)) == [(0, 0), (1, 0), (1, 1), (0, 1), (0, 0)]
    assert values.text == ("a, c", "b", "d", "e", "f") and len(values.x) == 5
    assert (output.x[0], output.y[0]) == tuple(SQUARE.mean(axis=0))


def test_every_point_lies_inside_the_axes_and_names_are_no_markup():
    figure = outline(names=["<b>a</b>", *"bcdef"])
    assert figure.data[1].text[0] == "&lt;b&gt;a&lt;/b&gt;, c"
    for axis in (figure.layout.xaxis, figure.layout.yaxis):
        assert axis.range[0] < 0 and axis.range[1] > 1


@pytest.mark.parametrize("points", [np.zeros((3, 2)), np.array([[0.0, 1.0], [2.0, 1.0]])], ids=["a point", "a line"])
def test_values_that_span_no_area_are_drawn_too(points):
    figure = outline("abc"[: len(points)], points)
    assert figure.layout.yaxis.range[0] < points[0, 1] < figure.layout.yaxis.range[1]
