"""Query, key and value: the source's figures, a reader's own numbers, and each experiment against the core."""

import re

import numpy as np
import pytest

from attention_core import project, scaled_dot_product_attention, softmax
from attention_core.examples import ikan_makan
from attention_core.factored import asymmetry, factored_form, length_and_angle, lengthen
from attention_core.lookup import hard_lookup
from pages.ui.fields import FIELDS
from pages.ui.language import LANGUAGES, Language

every_language = pytest.mark.parametrize("lang", LANGUAGES)
SIX = "1_1_0_0~0_0_1_1~1_0_0_1~0_1_0_0~0_0_0_0~1_1_1_1"
WIDE = {  # d_k 4, d_v 2
    "w_q": "1_0_0_1~0_1_0_0~0_0_1_0~1_1_0_-1", "w_k": "1_0_2_0~0_1_0_0~0_0_1_0.5~0_-2_0_1", "w_v": "1_0~0_1~2_0~0_-0.5",
}
MISFITS = {
    "W_Q": {"w_q": "1_0_0~0_1_0"}, "W_K": {"w_k": "1_0_0_0~0_1_0_0~0_0_1_0~0_0_0_1"}, "W_V": {"w_v": "1_2~3_4"},
    "X": {"x": "1_2_3_4_5"},
}


def written(number, lang):
    """A number as printed in the sources, in the page's language."""
    text = number.replace("-", "\N{MINUS SIGN}")
    return text.replace(".", ",") if lang == "id" else text


def grid(rows, lang):
    return [[written(number, lang) for number in row.split()] for row in rows]


def missing(text, lang, *numbers):
    """The numbers that do not stand in a text as a whole."""
    return [
        number for number in numbers
        if not re.search(rf"(?<![\d.,]){re.escape(written(number, lang))}(?!\d|[.,]\d)", text)
    ]


def sentence(page, of):
    """What stands in the container of a sentence, without marks."""
    block, = [each for each in blocks(page.app.main) if getattr(each.proto, "id", "").endswith(f"sentence_{of}")]
    return " ".join(child.value for child in block.children.values()).replace("**", "")


def blocks(block):
    """Every block of a page, from the outside in."""
    for child in block.children.values():
        if hasattr(child, "children"):
            yield child
            yield from blocks(child)


def numbers(rows):
    """The numbers of a table as floats."""
    return np.array([[float(cell.replace("\N{MINUS SIGN}", "-").replace(",", ".")) for cell in row] for row in rows])


def array(text):
    """The matrix that a link carries."""
    return np.array([row.split("_") for row in text.split("~")], dtype=float)


def core(tied=False, **link):
    """Attention by the core alone, from the source's matrices and those of a link."""
    source = ikan_makan()
    given = {"x": source.x, "w_q": source.w_query, "w_k": source.w_key, "w_v": source.w_value}
    given |= {field: array(text) for field, text in link.items()}
    if tied:
        given["w_k"] = given["w_q"]
    roles = project(*given.values())
    return given, roles, scaled_dot_product_attention(roles.query, roles.key, roles.value)


# the source's example


@every_language
def test_ikan_makan_goes_through_every_step(lab, lang):
    page = lab("qkv", lang=lang)
    assert page.table("scores") == grid(["0.0 0.5", "2.0 0.5"], lang)
    assert page.table("weights") == grid(["0.4283 0.5717", "0.7039 0.2961"], lang)
    assert page.table("output") == grid(["0.4283 0.4283 0.8575", "0.7039 0.7039 0.4441"], lang)
    assert page.table("scaled") == grid(["0.0000 0.2887", "1.1547 0.2887"], lang)


@every_language
def test_the_projections_are_the_sources_and_each_row_says_what_it_means(lab, lang):
    page, source = lab("qkv", lang=lang), ikan_makan()
    assert page.table("X") == grid(["1 1 0 0", "0 0 1 1"], lang)
    assert page.table("Q") == grid(["0.0 0.0 0.5", "1.0 1.0 0.0"], lang)
    assert page.table("K") == grid(["1.0 1.0 0.0", "0.0 0.5 1.0"], lang)
    assert page.table("V") == grid(["1.0 1.0 0.0", "0.0 0.0 1.5"], lang)
    for name, expected in (("W_Q", source.w_query), ("W_K", source.w_key), ("W_V", source.w_value)):
        assert np.array_equal(numbers(page.table(name)), expected)
        assert len(notes(page, name)) == 4


def notes(page, name):
    table = page.html.split(f'data-testid="matrix-{name}"')[1].split("</table>")[0]
    return re.findall(r'<td class="note">([^<]+)</td>', table)


@every_language
def test_the_pair_makan_to_ikan_stands_out(lab, lang):
    page = lab("qkv", lang=lang)
    chosen = re.findall(r'<td class="[^"]*\bchosen\b[^"]*".*?data-at="([\d.]+)"', page.html)
    assert chosen == ["2.1"]
    scores = page.html.split('data-testid="matrix-scores"')[1].split("</table>")[0]
    assert re.search(r'<td class="cell chosen"[^>]*><button [^>]*data-at="2.1"', scores)
    assert 'data-of="scores"' in page.html and "1 × 1" in page.says


@every_language
def test_the_sentence_says_what_the_chosen_query_finds(lab, lang):
    page = lab("qkv", lang=lang)
    assert missing(sentence(page, "picture"), lang, "2.0", "0.7039", "0.2961", "1.7321", "1.1547", "70.4") == []
    page.choose("token", "ikan")
    text = sentence(page, "picture")
    assert "“ikan”" in text and missing(text, lang, "0.5717", "57.2", "0.2887") == []


def test_the_sources_slip_is_said_where_it_shows_and_nowhere_else(lab):
    slip = "The source's text says"
    assert slip in sentence(lab("qkv", token="ikan"), "picture")
    for link in ({}, {"token": "ikan", "tie": "q_k"}, {"token": "ikan", "w_q": WIDE["w_q"], "w_k": WIDE["w_k"]}):
        assert slip not in sentence(lab("qkv", **link), "picture")


# the reader's own numbers


@every_language
def test_an_edited_number_reaches_the_output_and_loses_the_notes_of_its_matrix(lab, lang):
    page = lab("qkv", lang=lang, w_v="1_0_0~0_1_0~0_0_1~0_0_2")
    assert page.table("V") == grid(["1.0 1.0 0.0", "0.0 0.0 3.0"], lang)
    output = core(w_v="1_0_0~0_1_0~0_0_1~0_0_2")[2].output
    assert np.allclose(numbers(page.table("output")), output, atol=5.01e-5)
    assert [len(notes(page, name)) for name in ("W_Q", "W_K", "W_V")] == [4, 4, 0]


@every_language
@pytest.mark.parametrize("token", ["ikan", "makan"])
def test_any_widths_are_computed_and_said(lab, lang, token):
    page, (_given, roles, attention) = lab("qkv", lang=lang, token=token, **WIDE), core(**WIDE)
    row = ["ikan", "makan"].index(token)
    for name, expected in (
        ("Q", roles.query), ("K", roles.key), ("V", roles.value), ("scores", attention.scores),
        ("scaled", attention.scaled), ("weights", attention.weights), ("output", attention.output),
    ):
        assert np.allclose(numbers(page.table(name)), expected, atol=5.01e-5), name
    text = sentence(page, "picture")
    assert "√4 = " + written("2.0000", lang) in text and "√3" not in page.says
    best = attention.weights[row].max()
    assert missing(text, lang, f"{100 * best:.1f}", *(f"{number:.4f}" for number in attention.output[row])) == []


def test_six_tokens_have_names_and_all_can_ask(lab):
    page, attention = lab("qkv", x=SIX, token="t6"), core(x=SIX)[2]
    control, = [group for group in page.app.get("button_group") if group.key == "token"]
    assert control.options == ["ikan", "makan", "token 3", "token 4", "token 5", "token 6"]
    assert np.allclose(numbers(page.table("weights")), attention.weights, atol=5.01e-5)
    assert "The query of “token 6” matches" in sentence(page, "picture")
    assert "“token 5” does not prefer one key" in sentence(page.choose("token", "t5"), "picture")


def test_a_token_that_is_not_there_gives_way_to_the_last_one(lab):
    page = lab("qkv", token="t6")
    assert page.state("token") == "makan" and "“makan”" in sentence(page, "picture")
    assert lab("qkv", x="1_2_3_4").state("token") == "ikan"


@pytest.mark.parametrize("ask", FIELDS["ask"].choices)
def test_one_token_gives_itself_everything(lab, ask):
    page = lab("qkv", x="1_0_1_0", ask=ask)
    assert page.table("weights") == [["1.0000"]]
    text = sentence(page, "picture")
    assert text.startswith("With one token there is nothing to choose from") and "100.0\N{NO-BREAK SPACE}%" in text
    assert "best" not in text and "proportion" not in text and "its own value" in text


@every_language
@pytest.mark.parametrize("ask", FIELDS["ask"].choices)
@pytest.mark.parametrize("name", MISFITS)
def test_sizes_that_disagree_are_named_and_the_rest_of_the_page_stays(lab, lang, name, ask):
    page = lab("qkv", lang=lang, ask=ask, **MISFITS[name])
    error, = page.words("error")
    assert name in error and error not in " ".join(page.words("info")) and page.says.count(error) == 1
    assert 'matrix-scores"' not in page.html and 'matrix-W_V"' in page.html
    assert len(page.words("info")) == 2 and len(page.app.expander) == 4
    page.press("restore")
    assert not page.words("error") and page.table("scores") == grid(["0.0 0.5", "2.0 0.5"], lang)


def test_the_example_comes_back_with_everything_that_a_try_changed(lab):
    page = lab("qkv", x=SIX, tie="q_k", token="t4", **WIDE).try_out(2)
    assert page.link == {"lang": "en"} and page.table("scores") == [["0.0", "0.5"], ["2.0", "0.5"]]


TRIES = [
    {"token": "ikan"}, {"token": "makan", "tie": "q_k"},
    {"token": "makan", "tie": "none", "x": None, "w_q": None, "w_k": None, "w_v": None},
]
START = {"token": "ikan", "tie": "q_k", "ask": "length", "longer": "2.0", "long_key": "1",
         "w_v": "2_0_0~0_1_0~0_0_1~0_0_1"}


@pytest.mark.parametrize("number", range(3))
def test_a_try_button_sets_its_experiment_and_nothing_else(lab, number):
    page = lab("qkv", **START)
    before = {field: page.state(field) for field in FIELDS}
    page.try_out(number)
    after = {field: page.state(field) for field in FIELDS}
    assert after == before | TRIES[number]
    assert page.says == lab("qkv", **page.link).says, "a button leads where the link leads"


def test_a_try_button_keeps_the_readers_matrices_unless_it_is_the_sources_example(lab):
    numbers = {"x": "1_2_0_0~0_1_1_3", "w_q": WIDE["w_q"], "w_k": WIDE["w_k"], "w_v": WIDE["w_v"], "token": "ikan"}
    page = lab("qkv", **numbers)
    for number in (0, 1):
        page.try_out(number)
        assert {field: page.link.get(field) for field in ("x", "w_q", "w_k", "w_v")} == {
            field: text for field, text in numbers.items() if field != "token"
        }
    assert page.try_out(2).link == {"lang": "en"}


# how numbers are written


@every_language
def test_large_numbers_are_powers_of_ten_everywhere(lab, lang):
    page = lab("qkv", lang=lang, x="1000_0~0_1000", w_q="2_0~0_1", w_k="1_0~0_1", w_v="1~2", token="ikan")
    power = written("2.0000", lang) + " × 10⁶"
    assert page.table("scores")[0][0] == power and power in sentence(page, "picture")
    assert not re.search(r"\d{7}", page.says)


def test_a_small_difference_of_two_outputs_is_no_zero(lab):
    page = lab("qkv", x="1_0~0_1", w_q="6_0~0_6", w_k="3_0~0_3", w_v="1~2", token="ikan")
    attention = core(x="1_0~0_1", w_q="6_0~0_6", w_k="3_0~0_3", w_v="1~2")[2]
    apart = attention.output[0, 0] - 1
    assert 0 < apart < 5e-5 and f"differ by up to {Language('en').power(apart)}" in sentence(page, "closer")


@every_language
def test_the_sentence_on_searching_writes_numbers_as_its_table_does(lab, lang):
    page, _ = lab("qkv", lang=lang), Language(lang)
    joint = "; " if lang == "id" else ", "
    for row in page.table("lookup_output")[:2]:
        assert joint.join(row) in sentence(page, "closer")


def test_changes_of_one_table_have_one_format(lab):
    cells = [cell for cell, in lab("qkv", ask="change").press("change_K").table("moves")]
    assert all(re.fullmatch(r"0, frozen|\d+\.\d{4}, moves", cell) for cell in cells) and "1.0000, moves" in cells


def test_one_matrix_shows_its_problems_in_one_box(lab):
    page = lab("qkv")
    page.app.session_state["draft_w_v"] = {(0, 0): "abc", (1, 1): "x", (2, 2): ""}
    error, = page.run().words("error")
    assert error.count("W_V, row") == 3


@pytest.mark.parametrize(("cell", "of"), [("output.1.3", "output"), ("V.1.2", "V"), ("K.2.2", "K"), ("X.1.1", "scores"),
                                          ("weights.9.9", "scores"), ("mask.1.1", "scores")])
def test_the_chosen_cell_is_worked_out_if_the_picture_shows_it(lab, cell, of):
    assert f'data-of="{of}"' in lab("qkv", cell=cell).html


def test_the_chosen_cell_moves_to_the_row_of_the_query(lab):
    page = lab("qkv", cell="weights.2.1", token="ikan")
    assert re.findall(r'\bchosen\b.*?data-at="([\d.]+)"', page.html) == ["1.1"]


# search


@every_language
@pytest.mark.parametrize("link", [{}, {"token": "ikan"}, WIDE])
def test_a_search_returns_one_value_and_attention_a_mixture(lab, lang, link):
    page = lab("qkv", lang=lang, **link)
    _given, roles, attention = core(**{field: text for field, text in link.items() if field in WIDE})
    row = 0 if link.get("token") == "ikan" else 1
    found = hard_lookup(attention.scores, roles.value)
    weights, output = numbers(page.table("lookup_weights")), numbers(page.table("lookup_output"))
    assert np.allclose(weights, [found.weights[row], attention.weights[row]], atol=5.01e-5)
    soft, hard = attention.output[row], found.output[row]
    assert np.allclose(output, [hard, soft, soft - hard], atol=5.01e-5) and sorted(weights[0]) == [0, 1]
    sharp = softmax(10 * attention.scaled[row]).max()
    text, _ = sentence(page, "closer"), Language(lang)
    assert all(_.weight(each) in text for each in (attention.weights[row].max(), sharp))
    assert missing(text, lang, f"{abs(soft - hard).max():.4f}") == []


def test_the_sharpened_share_of_the_example_is_the_sources_scores_times_ten(lab):
    assert missing(sentence(lab("qkv"), "closer"), "en", "0.7039", "0.9998") == []


@every_language
def test_a_tie_is_said(lab, lang):
    page = lab("qkv", lang=lang, x=SIX, token="t5")
    for text in (sentence(page, "closer"), sentence(page, "picture")):
        assert all(f"“{word}”" in text for word in ("ikan", "makan", "token 6")) and missing(text, lang, "16.7") == []
    assert page.table("lookup_weights")[0][1:] == ["0"] * 5


def test_keys_that_differ_by_rounding_tie(lab):
    """0.1 + 0.2 is not 0.3 in floats, and it is for a reader."""
    link = {"x": "1_1_0~0_0_1", "w_q": "1~0~1", "w_k": "0.1~0.2~0.3", "w_v": "1~2~3"}
    scores = core(**link)[2].scores
    assert scores[0, 0] != scores[0, 1]
    assert "does not prefer one key" in sentence(lab("qkv", **link), "picture")


# what moves what


@every_language
@pytest.mark.parametrize(("role", "field", "frozen"), [
    ("V", "w_v", ["Q", "K", "scores", "weights"]), ("K", "w_k", ["Q", "V"]), ("Q", "w_q", ["K", "V"]),
])
def test_changing_one_role_freezes_what_does_not_depend_on_it(lab, lang, role, field, frozen):
    page = lab("qkv", lang=lang, ask="change", tie="q_k", token="ikan", **WIDE).press(f"change_{role}")
    assert page.link.keys() - {"lang", "ask"} == {field}
    (_given, roles, after), (_source, old, before) = core(**{field: page.link[field]}), core()
    pairs = {
        "Q": (roles.query, old.query), "K": (roles.key, old.key), "V": (roles.value, old.value),
        "scores": (after.scores, before.scores), "weights": (after.weights, before.weights),
        "output": (after.output, before.output),
    }
    moved, _ = {name: abs(new - was).max() for name, (new, was) in pairs.items()}, Language(lang)
    assert [name for name, change in moved.items() if change == 0] == frozen
    shown = dict(zip(pairs, (cell for cell, in page.table("moves")), strict=True))
    for name, cell in shown.items():
        number = re.match(r"\d+([.,]\d+)?", cell)[0]
        assert np.isclose(float(number.replace(",", ".")), moved[name], atol=5.01e-5)
        assert cell == _("0, frozen") if name in frozen else cell.endswith(_("{change}, moves").split("}")[1])
    assert page.table("scores") != grid(["0.0 0.5", "2.0 0.5"], lang) or role == "V"


@pytest.mark.parametrize("role", "VKQ")
def test_a_change_button_raises_one_number_by_one_and_it_is_seen_in_the_querys_row(lab, role):
    before, page = lab("qkv", ask="change"), lab("qkv", ask="change").press(f"change_{role}")
    difference = numbers(page.table(f"W_{role}")) - numbers(before.table(f"W_{role}"))
    assert difference.sum() == 1 and np.count_nonzero(difference) == 1
    assert page.table("output")[1] != before.table("output")[1]


def test_nothing_moves_in_the_source_and_the_way_back_leads_there(lab):
    page = lab("qkv", ask="change", w_q="1_1_1~1_1_1~1_1_1~2_3_4")
    assert "nothing has moved" not in sentence(page, "closer")
    page.press("change_back")
    assert page.link == {"lang": "en", "ask": "change"} and "nothing has moved" in sentence(page, "closer")
    assert {cell for cell, in page.table("moves")} == {"0, frozen"}


@pytest.mark.parametrize("link", [WIDE, {"x": SIX}, {"w_v": "1~2~3~4"}])
def test_other_sizes_have_nothing_to_compare_with(lab, link):
    page = lab("qkv", ask="change", **link)
    assert "nothing to compare" in sentence(page, "closer") and 'matrix-moves"' not in page.html


def test_everything_may_move(lab):
    page = lab("qkv", ask="change", x="2_1_0_0~0_0_1_2")
    assert sentence(page, "closer").startswith("Everything moves: Q, K, V, scores, weights, output")


# one matrix or two


@every_language
@pytest.mark.parametrize("tie", FIELDS["tie"].choices)
def test_one_matrix_makes_scores_symmetric_and_weights_not(lab, lang, tie):
    page, _ = lab("qkv", lang=lang, ask="factor", tie=tie), Language(lang)
    two, one = core()[2], core(tied=True)[2]
    assert asymmetry(one.scores) == 0 and asymmetry(one.weights) > 0.2
    for number, attention in enumerate((two, one)):
        for name in ("scores", "weights"):
            table = numbers(page.table(f"{name}_{number}"))
            assert np.allclose(table, getattr(attention, name), atol=5.01e-5)
    apart = [asymmetry(m) for m in (one.scores, one.weights, two.scores, two.weights)]
    assert [f"{each:.4f}" for each in apart] == ["0.0000", "0.2243", "1.5000", "0.1322"]
    said = re.findall(r"\d+(?:[.,]\d+)?", sentence(page, "mirror"))
    assert said == [written(number, lang) for number in ("0", "0.2243", "1.5000", "0.1322")]
    assert page.table("scores") == page.table("scores_1" if tie == "q_k" else "scores_0")


def test_one_matrix_for_both_makes_the_pictures_scores_symmetric(lab):
    page = lab("qkv", tie="q_k")
    assert page.table("scores") == np.transpose(page.table("scores")).tolist()
    assert numbers(page.table("W_K")).tolist() == numbers(page.table("W_Q")).tolist()
    assert page.table("K") == page.table("Q") and not notes(page, "W_K") and len(notes(page, "W_Q")) == 4
    assert 'entry" data-testid="matrix-W_K"' not in page.html and 'entry" data-testid="matrix-W_Q"' in page.html


def test_the_button_ties_and_unties(lab):
    page = lab("qkv", ask="factor").press("factor_tie")
    assert page.state("tie") == "q_k"
    assert page.press("factor_tie").state("tie") == "none"


@pytest.mark.parametrize(("link", "verdict"), [
    ({}, "Here two matrices cost more"),
    ({"w_q": "1_0~0_1~1_1~2_2", "w_k": "1_0~0_1~1_1~2_0"}, "Here both cost the same"),
    ({"w_q": "1~2~3~4", "w_k": "1~0~0~1"}, "Here two matrices are cheaper"),
    ({"w_q": "1_1_1~1_1_1~1_1_1~1_1_1"}, "of rank 1;"),
    ({}, "a rank above min(d_model, dₖ) = 3 is out of reach"),
    ({"x": "1_0~0_1", "w_q": "1_2_3_4~0_1_0_1", "w_k": "1_0_0_1~0_1_0_1", "w_v": "1~2"}, "min(d_model, dₖ) = 2 is out"),
])
def test_the_costs_and_the_rank_are_the_cores(lab, link, verdict):
    page, given = lab("qkv", ask="factor", **link), core(**link)[0]
    form = factored_form(given["w_q"], given["w_k"])
    here, head = numbers(page.table("parameters"))
    assert here.tolist() == [*given["w_q"].shape, form.rank, form.parameters_factored, form.parameters_full]
    assert head.tolist() == [768, 64, 64, 2 * 768 * 64, 768 * 768]
    assert np.allclose(numbers(page.table("product")), form.product)
    text = sentence(page, "closer")
    assert verdict in text and missing(text, "en", "98304", "589824", str(form.parameters_full)) == []


@every_language
def test_one_matrix_for_both_is_counted_once(lab, lang):
    page, w_query = lab("qkv", lang=lang, ask="factor", tie="q_k"), ikan_makan().w_query
    here, head = numbers(page.table("parameters"))
    assert here[3:].tolist() == [w_query.size, 16] == [12, 16] and head[3:].tolist() == [98304, 589824]
    assert missing(sentence(page, "closer"), lang, "12", "16", "98304") == []
    assert missing(sentence(page, "closer"), lang, "24") == ["24"]
    form, same = factored_form(w_query), factored_form(w_query, w_query)
    assert (form.parameters_factored, same.parameters_factored) == (12, 24)
    assert np.array_equal(form.product, same.product) and form.rank == same.rank


def test_a_key_matrix_that_does_not_fit_leaves_the_tied_way(lab):
    page = lab("qkv", ask="factor", tie="q_k", w_k="1_0~0_1")
    assert "W_K is 2 × 2" in sentence(page, "mirror") and not page.words("error")
    assert 'matrix-scores_1"' not in page.html and 'matrix-scores_0"' in page.html


# length and angle


@every_language
@pytest.mark.parametrize("link", [{}, {"token": "ikan"}, WIDE])
def test_a_score_is_two_lengths_and_a_cosine(lab, lang, link):
    page = lab("qkv", lang=lang, ask="length", **link)
    _given, roles, attention = core(**{field: text for field, text in link.items() if field in WIDE})
    row, parts = 0 if link.get("token") == "ikan" else 1, length_and_angle(roles.query, roles.key)
    table = numbers(page.table("length"))
    norms = np.full(2, parts.query_norm[row])
    assert np.allclose(table.T, [norms, parts.key_norm, parts.cosine[row], attention.scores[row]], atol=5.01e-5)
    assert np.allclose(table[:, :3].prod(axis=1), table[:, 3], atol=1e-3)
    assert missing(sentence(page, "parts"), lang, f"{attention.scores[row].max():.4f}") == []


ZEROS = {"x": "1_0~0_1", "w_q": "1_0~0_0", "w_k": "1_2~0.3_-0.3", "w_v": "1~2"}  # the query of makan is all zeros


@pytest.mark.parametrize(("link", "dashes"), [
    (ZEROS | {"token": "makan"}, [True, True]), (ZEROS | {"token": "ikan"}, [False, False]),
    (ZEROS | {"token": "ikan", "w_k": "1_2~0_0"}, [False, True]),
    (ZEROS | {"token": "ikan", "w_k": "-1_2~0_0"}, [False, True]),
])
def test_a_vector_of_zeros_has_no_angle(lab, link, dashes):
    page = lab("qkv", ask="length", **link)
    cosines, text = [row[2] for row in page.table("length")], sentence(page, "parts")
    assert [cell == "–" for cell in cosines] == dashes and ("cos θ is not defined" in text) == any(dashes)
    best_has_an_angle = link["token"] == "ikan" and link["w_k"][0] == "1"
    assert ("“ikan” and the key of “ikan” 1.0000 ×" in text) == best_has_an_angle


def test_a_vector_of_zeros_but_for_rounding_has_no_angle(lab):
    """0.1 + 0.2 - 0.3 is not 0 in floats."""
    link = {"x": "0.1_0.2_-0.3~1_0_0", "w_q": "1~1~1", "w_k": "1~1~1", "w_v": "1~2~3"}
    assert core(**link)[1].key[0] != 0
    assert [row[2] for row in lab("qkv", ask="length", token="makan", **link).table("length")] == ["–", "1.0000"]


@every_language
@pytest.mark.parametrize(("times", "key"), [("8.0", 2), ("2.5", 1), ("1.0", 2)])
def test_a_longer_key_moves_the_weights_as_the_core_says(lab, lang, times, key):
    page, (_given, roles, attention) = lab("qkv", lang=lang, ask="length", longer=times, long_key=str(key)), core()
    after = scaled_dot_product_attention(roles.query, lengthen(roles.key, key - 1, float(times)), roles.value)
    assert np.allclose(numbers(page.table("weights_before")), attention.weights, atol=5.01e-5)
    assert np.allclose(numbers(page.table("weights_after")), after.weights, atol=5.01e-5)


def test_the_key_of_makan_attracts_everybody(lab):
    text = sentence(lab("qkv", ask="length", longer="8.0"), "closer")
    assert "in 2 of 2 queries, before in 1." in text and "It attracts “ikan”, “makan”." in text
    assert "Exactly the queries whose cosine with it is positive" in text and "repels" not in text


def test_a_longer_key_repels_the_queries_on_its_other_side(lab):
    """Cosines with the key of token 1: positive for itself, negative for 2, none for 3."""
    link = {"x": "1_0~-1_0~0_1", "w_q": "1_0~0_1", "w_k": "1_0~0_1", "w_v": "1~2"}
    text = sentence(lab("qkv", ask="length", long_key="1", longer="3.0", **link), "closer")
    for word in ("It attracts “ikan”.", "It repels “makan”.", "Exactly the queries"):
        assert word in text
    assert "token 3" not in text.split("It attracts")[1]


def test_a_longer_key_may_repel_everybody(lab):
    text = sentence(lab("qkv", ask="length", x="1~2~0", w_q="-1", w_k="1", w_v="1"), "closer")
    assert "It repels “ikan”, “makan”." in text and "attracts" not in text


def test_a_shared_largest_weight_is_said(lab):
    """Four times as long, the key of makan scores 2 with makan, as that of ikan does."""
    assert "(For “makan” it is shared with another key.)" in sentence(lab("qkv", ask="length", longer="4.0"), "closer")
    assert "shared" not in sentence(lab("qkv", ask="length"), "closer")
    others = {"x": "1~1~0.1", "w_q": "1", "w_k": "1", "w_v": "1"}  # the two others share it
    assert "shared" not in sentence(lab("qkv", ask="length", long_key="3", longer="2.0", **others), "closer")


def test_a_key_as_long_as_before_moves_nothing(lab):
    assert sentence(lab("qkv", ask="length", longer="1.0"), "closer").startswith("No weight")


def test_the_position_of_the_longer_key_stays_within_the_tokens(lab):
    assert lab("qkv", ask="length", long_key="6").state("long_key") == 2
    assert lab("qkv", ask="length", long_key="6", x=SIX).state("long_key") == 6
