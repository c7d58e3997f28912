"""The heads lesson: both sentences, all shapes, the scale of a head, patches and nodes, against the core's numbers."""

import re

import numpy as np
import pytest
import streamlit as st

from attention_core import multi_head_attention, project, scaled_dot_product_attention
from attention_core.embedding import word_vectors
from attention_core.heads import drawn_weights, evenness, head_by_head, head_draw, scale_over_heads
from attention_core.mistakes import attend_with
from attention_core.not_text import PICTURES, heard_after, neighbours_mask, patches, picture, standardised
from pages.ui import words
from pages.ui.fields import FIELDS
from pages.ui.judge import reference
from pages.ui.language import LANGUAGES, Language
from pages.ui.lessons import heads, heads_cross, heads_graph, heads_multi, heads_picture, heads_scale
from pages.ui.lessons.heads_tables import size, words_table

every_language = pytest.mark.parametrize("lang", LANGUAGES)
ENGLISH, INDONESIAN = ("I", "am", "eating", "fish"), ("saya", "makan", "ikan")
TWELVE = "satu dua tiga empat lima enam tujuh delapan sembilan sepuluh sebelas duabelas"


def run(asking, answering, d_model, num_heads, seed=0, one=False):
    """The sentences through the core; `one`: without W_O."""
    weights = drawn_weights(seed, d_model).all
    weights = (*weights[:3], np.eye(d_model)) if one else weights
    inputs = (word_vectors(asking, d_model, seed), word_vectors(answering, d_model, seed))
    return multi_head_attention(*inputs, *weights, num_heads), head_by_head(*inputs, *weights, num_heads)


def written(array, lang, places):
    return [[Language(lang).number(value, places) for value in row] for row in array]


def sentence(page, mark):
    """The one text with this mark in it."""
    found, = [text for text in page.words("markdown") if mark in text]
    return found.replace("\N{NO-BREAK SPACE}", " ")


def bold(text):
    return re.findall(r"\*\*(.*?)\*\*", text)


# self and cross


@every_language
@pytest.mark.parametrize(("kind", "answering"), [("self", ENGLISH), ("cross", INDONESIAN)])
@pytest.mark.parametrize("seed", [0, 389])
def test_the_matrices_are_the_cores(lab, lang, kind, answering, seed):
    page = lab("heads", lang=lang, cross=kind, heads_seed=str(seed))
    core, _ = run(ENGLISH, answering, heads_cross.WIDTH, 1, seed, one=True)
    for name, array, places in (
        ("Q", core.query[0], 2), ("K", core.key[0], 2), ("V", core.value[0], 2), ("scaled", core.scaled[0], 2),
        ("weights", 100 * core.weights[0], 1), ("output", core.output, 2),
    ):
        assert page.table(name) == written(array, lang, places), name
    best = core.weights[0, 2].argmax()
    said = sentence(page, "“eating”")
    assert f"“{answering[best]}”" in said
    assert f"{Language(lang).number(100 * core.weights[0, 2, best], 1)} %" in bold(said)
    assert f"{len(ENGLISH)} × {len(answering)}" in bold(said)


@every_language
@pytest.mark.parametrize(("n", "m"), [(1, 12), (12, 1), (12, 12), (1, 1), (2, 5), (5, 2)])
@pytest.mark.parametrize("part", ["cross", "heads"])
def test_one_to_twelve_tokens_on_either_side(lab, lang, n, m, part):
    asking, answering = TWELVE.split()[:n], TWELVE.upper().split()[-m:]
    page = lab("heads", lang=lang, asking=" ".join(asking), answering=" ".join(answering), heads_part=part, asker="12")
    name = "weights" if part == "cross" else "head_1"
    table = page.table(name)
    assert (len(table), len(table[0])) == (n, m)
    calls = page.table("calls") if part == "cross" else None
    assert calls is None or (calls[1][5], calls[0][5]) == (f"{n} × {m}", f"{n} × {n}")


@every_language
def test_both_calls_are_shown_with_their_shapes(lab, lang):
    page = lab("heads", lang=lang)
    code = [block.value for block in page.app.code[:2]]
    assert "multi_head_attention(x, x, *weights, num_heads=1)" in code[0]
    assert "multi_head_attention(x, other, *weights, num_heads=1)" in code[1]
    assert page.table("calls") == [
        ["4 × 3", "4 × 3", "4 × 3", "4 × 3", "4 × 3", "4 × 4", "4 × 3"],
        ["4 × 3", "3 × 3", "4 × 3", "3 × 3", "3 × 3", "4 × 3", "4 × 3"],
    ]
    once = Language(lang)("Give cross-attention the same sentence twice and it is self-attention: the largest "
                          "difference of the outputs is {difference}.", difference="0")
    assert once in page.words("markdown")


def test_the_two_calls_agree_on_one_sentence():
    weights = (*drawn_weights(3, 4).all[:3], np.eye(4))
    x, other = word_vectors(ENGLISH, 4, 3), word_vectors(INDONESIAN, 4, 3)
    own = heads_cross.self_attention(x, weights)
    assert (own.output == heads_cross.cross_attention(x, x, weights).output).all()
    assert own.weights.shape != heads_cross.cross_attention(x, other, weights).weights.shape


@every_language
@pytest.mark.parametrize("part", ["cross", "heads"])
def test_made_up_vectors_are_said_to_be(lab, lang, part):
    info, = lab("heads", lang=lang, heads_part=part, heads_seed="77").words("info")
    assert "77" in info


def test_too_many_tokens_are_counted(lab):
    page = lab("heads", asking=TWELVE + " tiga belas", answering="a b")
    assert len(page.table("weights")) == 12 and page.words("warning")[0].startswith("2 tokens")


# several heads


@every_language
@pytest.mark.parametrize(("d_model", "count"), [(8, 2), (8, 8), (12, 3), (6, 1), (2, 2)])
def test_every_shape_and_every_head(lab, lang, d_model, count):
    _ = Language(lang)
    page = lab("heads", lang=lang, heads_part="heads", d_model=str(d_model), num_heads=str(count))
    core, by_hand = run(ENGLISH, INDONESIAN, d_model, count)
    d_head = d_model // count
    assert [row[1] for row in page.table("steps")] == [
        f"4 × {d_model}", f"3 × {d_model}", f"4 × {d_model}", f"{count} × 4 × {d_head}", f"{count} × 3 × {d_head}",
        f"{count} × 3 × {d_head}", f"{count} × 4 × 3", f"{count} × 4 × {d_head}", f"4 × {d_model}", f"4 × {d_model}",
    ]
    for h, weights in enumerate(core.weights, 1):
        assert page.table(f"head_{h}") == written(100 * weights, lang, 0)
    assert f"matrix-head_{count + 1}" not in page.html
    difference = abs(core.output - by_hand).max()
    assert difference < 1e-12
    assert size(_, difference) in bold(sentence(page, f"**{size(_, difference)}**"))


@every_language
@pytest.mark.parametrize(
    ("d_model", "count", "fitting"), [(8, 3, "1, 2, 4, 8"), (7, 2, "1, 7"), (12, 5, "1, 2, 3, 4, 6")]
)
def test_heads_that_do_not_divide_are_refused_in_a_sentence(lab, lang, d_model, count, fitting):
    page = lab("heads", lang=lang, heads_part="heads", d_model=str(d_model), num_heads=str(count))
    error, = page.words("error")
    assert f"{d_model} ÷ {count} = {Language(lang).number(d_model / count, 2 if d_model % count else 0)}" in error
    assert error.endswith(f"{fitting}.")
    assert len(page.table("steps")) == 3 and "matrix-head_1" not in page.html
    page.slide("num_heads", 1)
    assert not page.app.error and "matrix-head_1" in page.html


@pytest.mark.parametrize("d_model", range(2, 13))
@pytest.mark.parametrize("count", range(1, 9))
def test_no_choice_of_heads_breaks_the_page(lab, d_model, count):
    page = lab("heads", heads_part="heads", d_model=str(d_model), num_heads=str(count))
    assert bool(page.app.error) == (d_model % count != 0)


# the scale of a head


@pytest.fixture
def nothing_remembered():
    st.cache_data.clear()
    yield
    st.cache_data.clear()


@every_language
@pytest.mark.parametrize("count", FIELDS["scale_heads"].choices)
def test_the_table_of_ways_is_the_cores(lab, lang, count):
    _ = Language(lang)
    page = lab("heads", lang=lang, heads_part="scale", scale_heads=count, heads_seed="5")
    arrays = head_draw(5, 8, 64)
    ways = [attend_with(way, *arrays, heads=int(count)) for way in (None, "scale_by_d_model", "wrong_head_split")]
    for row, way, stage in zip(page.table("ways"), ways, (None, "scaled", "query"), strict=True):
        even, right = evenness(way.weights), ways[0].output
        wrong_at = _("nowhere") if stage is None or count == "1" else _(words.STAGE[stage])
        assert row == [
            size(_, abs(way.output - right).max()), _("not asked"), wrong_at, _.number(way.scaled.std(), 2),
            _.number(even.largest, 3), _.number(even.entropy, 2),
        ]
    for name, way in (("right", ways[0]), ("scale_by_d_model", ways[1])):
        assert page.table(f"by_{name}") == written(100 * way.weights.reshape(-1, 8, 8)[0], lang, 0)


@every_language
def test_too_even_is_said_with_its_numbers(lab, lang):
    _ = Language(lang)
    arrays = head_draw(0, 8, 64)
    right, wrong = (attend_with(way, *arrays, heads=8) for way in (None, "scale_by_d_model"))
    said = sentence(lab("heads", lang=lang, heads_part="scale"), "√64")
    assert bold(said) == [_.number(8**0.5, 2), "8", _.number(wrong.scaled.std(), 2),
                          _.number(evenness(wrong.weights).largest, 3)]
    assert _.number(evenness(right.weights).largest, 3) in said and _.number(1 / 8, 3) in said


@every_language
def test_the_curve_says_what_it_shows(lab, lang):
    _ = Language(lang)
    page = lab("heads", lang=lang, heads_part="scale", scale_heads="16")
    curves = scale_over_heads(range(100), 8, 64, [16])
    alt = sentence(page, "100 ")
    assert _.number(curves.by_head[0], 3) in alt and _.number(curves.by_model[0], 3) in alt


def test_torch_is_asked_only_on_request(lab, monkeypatch, nothing_remembered):
    calls = []
    monkeypatch.setattr(reference, "attention", lambda *arrays: calls.append(1) or numpy(*arrays))
    monkeypatch.setattr(heads_scale, "installed", lambda: True)
    page = lab("heads", heads_part="scale")
    assert calls == [] and page.table("ways")[0][1] == "not asked"
    page.press("set_compare")
    assert calls == [1] and re.fullmatch("0|.* × 10⁻¹[⁵⁶⁷]", page.table("ways")[0][1])
    assert page.words("success") == ["PyTorch agrees with: **÷ √d_head**, within 1 × 10⁻¹²."]


def numpy(query, key, value):
    return scaled_dot_product_attention(query, key, value).output


@pytest.mark.skipif(not reference.installed(), reason="PyTorch is missing: pip install -r requirements.txt")
@every_language
@pytest.mark.parametrize("count", ["1", "8", "64"])
def test_torch_divides_by_the_heads_root(lab, lang, count, nothing_remembered):
    page = lab("heads", lang=lang, heads_part="scale", scale_heads=count, compare="yes")
    agreed, = page.words("success")
    names = [Language(lang)(heads_scale.WAYS[way]) for way in heads_scale.WAYS]
    assert bold(agreed) == [", ".join(names if count == "1" else names[:1])]
    far = [row[1] for row in page.table("ways")]
    assert re.fullmatch(r"0|.* × 10⁻¹[⁵⁶⁷⁸⁹]", far[0])
    assert all((text[0] == "0" or "10⁻¹" in text) == (count == "1") for text in far[1:])


@every_language
def test_a_failure_of_torch_is_a_sentence(lab, lang, monkeypatch, nothing_remembered):
    def fail(*arrays):
        raise reference.TorchError("OSError: boom")

    monkeypatch.setattr(reference, "attention", fail)
    monkeypatch.setattr(heads_scale, "installed", lambda: True)
    page = lab("heads", lang=lang, heads_part="scale", compare="yes")
    error, = page.words("error")
    assert "boom" in error and len(page.table("ways")) == 3


def test_a_wrong_answer_agrees_with_nobody(lab, monkeypatch, nothing_remembered):
    monkeypatch.setattr(reference, "attention", lambda *arrays: numpy(*arrays) + 1e-9)
    monkeypatch.setattr(heads_scale, "installed", lambda: True)
    page = lab("heads", heads_part="scale", compare="yes")
    assert not page.app.success and "agrees with none" in page.words("error")[0]


def test_without_torch_the_page_says_how_to_install_it(lab, monkeypatch):
    monkeypatch.setattr(heads_scale, "installed", lambda: False)
    page = lab("heads", heads_part="scale", compare="yes")
    assert "pip install torch" in page.words("info")[0] and page.table("ways")[0][1] == "not asked"


# not only text


@every_language
@pytest.mark.parametrize("name", PICTURES)
@pytest.mark.parametrize("patch", [1, 6, 16])
def test_the_map_holds_the_patchs_weights(lab, lang, name, patch):
    _ = Language(lang)
    page = lab("heads", lang=lang, heads_part="beyond", drawing=name, patch=str(patch))
    cut = patches(picture(name), 2)
    x = standardised(cut)
    weights = scaled_dot_product_attention(x, x, x).weights[patch - 1]
    assert page.table("patches") == written(100 * weights.reshape(4, 4), lang, 1)
    assert page.table("tokens")[0] == written(x[[patch - 1]], lang, 2)[0]
    greys = re.findall(r"--grey: ([\d.]+)", page.html)
    assert greys == [f"{grey:.3f}" for grey in cut.ravel()]
    said = sentence(page, "2 × 2")
    assert f"{_.number(100 * weights.max(), 1)} %" in bold(said)
    assert str(weights.argmax() + 1) in said


def test_equal_patches_are_counted(lab):
    """Twelve patches of the letter are not empty; the four empty ones look alike."""
    cut = patches(picture("letter"), 2)
    twins = int((cut == cut[8]).all(axis=1).sum())
    assert twins > 1 and f"{twins} patches look exactly like it" in lab("heads", heads_part="beyond", patch="9").says
    assert "No other patch looks exactly like it" in lab("heads", heads_part="beyond", patch="6").says


@every_language
@pytest.mark.parametrize("flipped", ["", "3.4", "1.6_3.4", "4.3", "2.2", "1.2_1.3_2.3_3.4_4.5_5.6"])
@pytest.mark.parametrize("node", [1, 3, 6])
def test_the_graph_is_the_mask(lab, lang, flipped, node):
    _ = Language(lang)
    link = {"flipped": flipped} if flipped else {}
    page = lab("heads", lang=lang, heads_part="beyond", token_kind="graph", node=str(node), **link)
    pairs = {tuple(sorted(map(int, pair.split(".")))) for pair in flipped.split("_") if pair}
    edges = set(heads_graph.EDGES) ^ {(i - 1, j - 1) for i, j in pairs if i != j}
    mask = neighbours_mask(6, edges)
    drawn = drawn_weights(0, 4)
    roles = project(word_vectors(heads_graph.NODES, 4, 0), drawn.w_query, drawn.w_key, drawn.w_value)
    weights = scaled_dot_product_attention(roles.query, roles.key, roles.value, attn_mask=mask).weights
    assert page.table("mask") == [["0" if seen else "−∞" for seen in row] for row in mask]
    assert page.table("weights") == [
        [_.number(100 * weight, 1) if seen else _("masked") for weight, seen in zip(*rows, strict=True)]
        for rows in zip(weights, mask, strict=True)
    ]
    assert page.html.count("<line ") == len(edges) and page.html.count("<circle ") == 6
    said = sentence(page, "36 ")
    assert f"{mask.sum()} " in said
    assert bold(said) == [str(mask[node - 1].sum()), f"{_.number(100 * weights[node - 1].max(), 1)} %",
                          str(heard_after(mask, 2)[node - 1].sum())]


@pytest.fixture
def session(monkeypatch):
    """The fields that callbacks read and set, without a page."""
    state = {name: field.default for name, field in FIELDS.items()}
    monkeypatch.setattr(heads_graph.share, "value", state.__getitem__)
    monkeypatch.setattr(heads_graph.share, "choose", lambda **values: state.update(values))
    return state


def test_choosing_a_cell_of_the_mask_adds_or_cuts_an_edge(session):
    heads_graph.flip(4, 3)
    assert session["flipped"] == ((3, 4),) and (2, 3) not in heads_graph.edges_now(session["flipped"])
    heads_graph.flip(1, 6)
    assert session["flipped"] == ((1, 6), (3, 4)) and (0, 5) in heads_graph.edges_now(session["flipped"])
    heads_graph.flip(3, 4)
    assert session["flipped"] == ((1, 6),)
    for cell in ((2, 2), (7, 1), (1, 7)):
        heads_graph.flip(*cell)
    assert session["flipped"] == ((1, 6),), "the diagonal and cells outside do nothing"


def test_a_whole_graph_of_edges_still_fits_a_link(session):
    for i in range(1, 7):
        for j in range(i + 1, 7):
            heads_graph.flip(i, j)
    text = FIELDS["flipped"].write(session["flipped"])
    assert FIELDS["flipped"].read(text) == session["flipped"] and len(session["flipped"]) == 15


def test_choosing_a_patch_makes_it_the_query(session):
    heads_picture.choose(3, 2)
    assert session["patch"] == 10
    heads_picture.choose(5, 1)
    assert session["patch"] == 10


# whatever a link says, and the try-buttons


EVIL = "<b>satu</b> *dua* $x$ `y` 🐈 قطة"


@every_language
@pytest.mark.parametrize("part", FIELDS["heads_part"].choices)
@pytest.mark.parametrize("link", [
    {"asking": EVIL, "answering": EVIL, "asker": "12"}, {"asking": "  ", "answering": "​"},
    {"cell": "weights.12.12"}, {"cell": "patches.1.1"}, {"cell": "output.4.3", "cross": "self"}, {"cell": "K_T.1.1"},
    {"token_kind": "graph", "flipped": "_".join(f"{i}.{j}" for i in range(1, 7) for j in range(1, 7))},
])
def test_nothing_breaks_the_page(lab, lang, part, link):
    page = lab("heads", lang=lang, heads_part=part, **link)
    assert "<b>satu" not in page.html and not page.app.error and "nan" not in page.html.lower().replace("tanda", "")


def test_cells_of_a_table_of_words_are_escaped():
    assert "<b>" not in words_table("t", "c", ["<b>"], [("<b>", ["<b>"])])


TRIES = [
    {"heads_part": "cross", "cross": "cross", "asker": 3, **heads.LONG},
    {"heads_part": "heads", "d_model": 8, "num_heads": 3},
    {"heads_part": "scale", "scale_heads": "8", "heads_seed": 0},
    {"heads_part": "beyond", "token_kind": "graph", "node": 3, "flipped": ((3, 4),)},
]
START = {"heads_part": "heads", "cross": "self", "asker": "2", "d_model": "12", "num_heads": "4", "scale_heads": "2",
         "heads_seed": "9", "node": "5", "flipped": "1.6", "asking": "a b", "answering": "c"}


@pytest.mark.parametrize("number", range(len(TRIES)))
def test_a_try_button_sets_its_experiment_and_nothing_else(lab, number):
    page, names = lab("heads", **START), (*START, "token_kind", "drawing", "patch")
    before = {name: page.state(name) for name in names}
    page.try_out(number)
    after = {name: page.state(name) for name in names}
    assert after == before | TRIES[number]
    fresh = lab("heads", **{name: FIELDS[name].write(value) for name, value in after.items()})
    assert page.says == fresh.says, "a button leads where the link leads"


def test_nine_tokens_ask_two(lab):
    table = lab("heads").try_out(0).table("weights")
    assert (len(table), len(table[0])) == (9, 2)


@every_language
@pytest.mark.parametrize("part", FIELDS["heads_part"].choices)
def test_every_part_has_its_code_and_table(lab, lang, part):
    page = lab("heads", lang=lang, heads_part=part).unfold("code")
    shown = "".join(block.value for block in page.app.code)
    assert all(f"def {function.__name__}(" in shown for function in heads.CODE[part])
    assert "<table" in page.html and set(heads.SHOW) == set(heads.PART) == set(FIELDS["heads_part"].choices)
    assert heads_multi.CROSS.keys() == set(FIELDS["cross"].choices) and set(PICTURES) == set(FIELDS["drawing"].choices)
