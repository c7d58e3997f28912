"""What the pipeline says where keys tie, where a cell is chosen, of one or two words, and of its source."""

import re

import numpy as np
import pytest

from attention_core.embedding import embed_sentence
from pages.ui.language import Language
from tests.pages.test_pipeline import (
    BIDIRECTIONAL,
    CAT,
    EXAMPLE,
    attention,
    every_language,
    every_step,
    missing,
    printed,
    sentence,
)


@every_step
@pytest.mark.parametrize(("link", "shown"), [
    ({}, True), ({"words": "the cat sat on the mat"}, True), ({"words": "the cat sat"}, False),
    ({"words": "a dog"}, False), ({"w6_q": "1_0_0~0_1_0~0_0_1"}, False),
])
def test_the_note_on_the_source_stands_only_under_the_sources_figures(lab, step, link, shown):
    page = lab("pipeline", step=step, **link)
    assert ("The source prints its figures without" in page.says) == shown
    assert ("are made up" in page.says) == (link.get("words") == "a dog")


# ties, and one or two words


TIED = {"attend": "each of the 4 gets the same, 1/4 = 25 %", "scores": "matches all 4 keys alike",
        "weights": "All 4 keys get the same.", "mask": "All of them get the same, 25.0 %."}


@pytest.mark.parametrize("step", TIED)
def test_four_equal_words_tie_and_no_one_wins(lab, step):
    text = sentence(lab("pipeline", step=step, words="The the THE the", word="2", causal="no"))
    assert TIED[step] in text and "“the” (2)" in text
    assert not re.search("gives the most|best|goes to|run from", text)


TWO_OF_THREE = {
    "attend": "The first place is shared: “ab”, “bc” get the most", "mask": "each, is shared by “ab”, “bc”.",
    "scores": "matches several keys best, and alike, those of “ab”, “bc”",
    "weights": "each, goes to “ab”, “bc”.",
}


@pytest.mark.parametrize("step", TWO_OF_THREE)
def test_two_keys_share_the_first_place(lab, step):
    """Q, K and V are X: the query of “ab” scores 1, 1 and 0."""
    one = "1_0_0~0_1_0~0_0_1"
    matrices = {"x6": "1_0_0~1_0_0~0_0_0", "w6_q": one, "w6_k": one, "w6_v": one}
    page = lab("pipeline", step=step, words="ab bc cd", word="1", causal="no", **matrices)
    assert TWO_OF_THREE[step] in sentence(page)
    if step == "attend":
        assert "“ab”, “bc” have the same key, so each gets the same" in sentence(page)


@every_language
def test_the_same_word_twice_gets_the_same_twice(lab, lang):
    page = lab("pipeline", lang=lang).try_out(1)
    tokens = embed_sentence(page.state("words").split())
    weights = attention(tokens)[1].weights[1]
    twins = [j for j, token in enumerate(page.state("words").split()) if np.array_equal(tokens[j], tokens[1])]
    assert len(twins) == 2 and weights[twins[0]] == pytest.approx(weights[twins[1]])
    text = sentence(page)
    assert all(f"({j + 1})" in text for j in twins)


@pytest.mark.parametrize(("step", "cell"), [("scores", "scores.2.4"), ("weights", "weights.2.4"),
                                            ("weights", "scaled.2.4"), ("scores", "K_T.1.4")])
def test_the_sentence_follows_the_chosen_cell(lab, step, cell):
    text = sentence(lab("pipeline", step=step, cell=cell))
    figures = {"score": (BIDIRECTIONAL.scores[CAT, 3], 2)}
    figures |= {"share": (100 * BIDIRECTIONAL.weights[CAT, 3], 1)} if step == "weights" else {}
    assert missing(text, *printed(figures, "en").values()) == [] and "“on”" in text


def test_the_smallest_weight_is_explained_where_it_is_chosen(lab):
    page = lab("pipeline", step="weights").try_out(1)
    least = BIDIRECTIONAL.weights[CAT].argmin()
    share = Language("en").percent(BIDIRECTIONAL.weights[CAT, least], 1).replace("\N{NO-BREAK SPACE}", " ")
    assert f"gives “{EXAMPLE.tokens[least]}” {share} of its attention" in sentence(page)
    assert "The most, 21.5 %, goes to “cat”." in sentence(page)


@every_step
def test_one_word_is_spoken_of_as_one(lab, step):
    page = lab("pipeline", step=step, words="kucing")
    for nonsense in ("all 1 ", "of 1 values", "all 1 in", "(0.", "≈ 1.0000", "no more than rounding", "run from",
                     "1 corners"):
        assert nonsense not in page.says.replace("output of “kucing”, (", ""), nonsense
    if step != "project":
        assert re.search("only word|only score", sentence(page))
    assert step != "output" or "no other order" in page.says and "one value" in page.says


def test_two_words_lie_on_a_line(lab):
    page = lab("pipeline", step="output", words="kucing tidur", word="1")
    assert "both words" in sentence(page) and "lies on it between its two ends" in page.says
    assert "corners" not in page.says and "The output lies between the two values" in page.says


def test_step_six_says_that_no_mask_takes_part_and_step_five_uses_the_same_word(lab):
    output = sentence(lab("pipeline", step="output", causal="yes"))
    free = sentence(lab("pipeline", step="mask", causal="no"))
    assert "without a mask (bidirectional), as in steps 1 to 4" in output
    assert "Without a mask (bidirectional)" in free
    assert "bidirectional" not in sentence(lab("pipeline", step="mask", causal="yes"))


@every_step
def test_a_long_word_stands_in_full_in_the_title_of_its_header(lab, step):
    long = "pneumonoultramicroscopicsilicovolcanoconiosis"
    html = lab("pipeline", step=step, words=f"the {long} sat", word="2").html
    heads = re.findall(rf"<th[^>]*>(?:<button[^>]*>)?{long}", html.split('class="lab-arithmetic')[0])
    assert heads and all(f'title="{long}"' in head for head in heads)
