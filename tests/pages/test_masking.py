"""The mask laboratory: every mask, drawing, caches, wrong ways and a changed token, against numbers from the core."""

import re

import numpy as np
import pytest

from attention_core import (
    causal_mask,
    combine_masks,
    padding_mask,
    project,
    scaled_dot_product_attention,
    sliding_window_mask,
)
from attention_core.embedding import embed_sentence
from attention_core.examples import six_words
from attention_core.hidden_tokens import moved_by_hidden
from attention_core.softmax import softmax
from attention_core.wrong_masks import WAYS, leak, lowered_weights, masked_weights
from pages.ui import words
from pages.ui.fields import FIELDS
from pages.ui.language import LANGUAGES, Language
from pages.ui.lessons import masking_lab, masking_ways
from pages.ui.tables.board import toggled
from tests.pages.conftest import WRITTEN

every_language = pytest.mark.parametrize("lang", LANGUAGES)
MINUS, INFINITE = "\N{MINUS SIGN}", "\N{MINUS SIGN}\N{INFINITY}"
TWELVE = "satu dua tiga empat lima enam tujuh delapan sembilan sepuluh sebelas duabelas"


def run(attn_mask=None, x=None, first=0):
    """The six words, or another X, through the core."""
    example = six_words()
    roles = project(example.x if x is None else x, example.w_query, example.w_key, example.w_value)
    return scaled_dot_product_attention(roles.query[first:], roles.key, roles.value, attn_mask=attn_mask)


def percents(weights, allowed, lang):
    """A table of weights as the page writes it."""
    _ = Language(lang)
    return [
        [_.number(100 * weight, 1) if seen else _("masked") for weight, seen in zip(*rows, strict=True)]
        for rows in zip(weights, allowed, strict=True)
    ]


def twos(array, lang):
    return [[Language(lang).number(value, 2) for value in row] for row in array]


def figures(array, lang):
    return [[masking_ways.figure(Language(lang), value) for value in row] for row in array]


def sentence(page, mark):
    """The one sentence with this mark in it."""
    found, = [text for text in page.words("markdown") if mark in WRITTEN.sub("", text)]
    return found.replace("\N{NO-BREAK SPACE}", " ")


def bold(text):
    return re.findall(r"\*\*(.*?)\*\*", text)


# the masks


@every_language
def test_masking_shows_the_sources_figures(lab, lang):
    page = lab("masking", lang=lang)
    said = sentence(page, "**6 ")
    assert "sat" in said and f"{Language(lang).number(24.2, 1)} %" in bold(said) and "36" in said
    page.choose("mask", "causal")
    said = sentence(page, "**3 ")
    assert "21" in said and "36" in said and "sat" in said


@pytest.mark.parametrize(
    ("link", "left"),
    [({"mask": "none"}, 36), ({"mask": "causal"}, 21), ({"mask": "padding"}, 24), ({"mask": "both"}, 18),
     ({"mask": "both", "side": "start"}, 10), ({"mask": "padding", "pads": "0"}, 36),
     ({"mask": "padding", "pads": "6"}, 0), ({"mask": "padding", "pads": "12"}, 0), ({"window": "yes"}, 11),
     ({"window": "yes", "left": "2", "right": "1", "mask": "causal"}, 15), ({"hidden": "1.1_6.6_12.12"}, 34)],
)
def test_masked_cells_are_as_many_as_the_sentence_says(lab, link, left):
    page = lab("masking", **link)
    for name in ("mask", "weights"):
        masked = page.html.split(f'matrix-{name}"')[1].split("</table>")[0].count('class="cell masked')
        assert masked == 36 - left
    assert any(f"{left} of 36" in text for text in page.words("markdown"))


@every_language
@pytest.mark.parametrize("n", [1, 2, 6, 12])
def test_a_causal_mask_leaves_half_and_a_diagonal(lab, lang, n):
    page = lab("masking", lang=lang, mask="causal", words=" ".join(TWELVE.split()[:n]))
    left = n * (n + 1) // 2
    assert re.search(rf"\b{left}\b.*\b{n * n}\b.*\b{n} × {n + 1} ÷ 2\b.*\b{n} × {n}\b", sentence(page, " ÷ 2"))
    assert sum(cell == "0" for row in page.table("mask") for cell in row) == left


@every_language
def test_the_mask_is_what_is_added(lab, lang):
    link = {"mask": "both", "side": "start", "window": "yes", "left": "2", "right": "1", "hidden": "5.5"}
    page = lab("masking", lang=lang, **link)
    drawn = np.ones((6, 6), bool)
    drawn[4, 4] = False
    mask = combine_masks(
        causal_mask(6), padding_mask(4, 6)[:, ::-1], sliding_window_mask(6, left=2, right=1), drawn
    )
    core = run(mask)
    assert page.table("mask") == [["0" if seen else INFINITE for seen in row] for row in mask]
    assert page.table("weights") == percents(core.weights, mask, lang)
    assert page.table("scaled") == twos(core.scaled, lang) and page.table("output") == twos(core.output, lang)


def test_masking_hides_the_future_from_every_query(lab):
    weights = lab("masking", mask="causal").table("weights")
    assert [[cell == "masked" for cell in row] for row in weights] == (~causal_mask(6)).tolist()


@every_language
def test_a_row_with_nothing_to_see_is_zero_and_says_why(lab, lang):
    page, _ = lab("masking", lang=lang, mask="both", query="1", pads="2", side="start"), Language(lang)
    assert page.table("output")[0] == [_.number(0, 2)] * 3 and "nan" not in page.html.lower()
    said = sentence(page, "**0 ")
    assert "−∞" in said and "PyTorch" in said and re.search(r"\b10\b.*\b36\b", said)
    allowed = combine_masks(causal_mask(6), padding_mask(4, 6)[:, ::-1])
    scaled = run().scaled
    assert np.isnan(masked_weights(scaled, allowed, "by_hand")[0]).all()
    assert (masked_weights(scaled, allowed, "minus_1e9")[0] == 1 / 6).all()
    assert bold(said)[1:] == ["NaN", f"{_.number(100 / 6, 1)} %"]


def test_the_query_is_chosen_by_its_word(lab):
    page = lab("masking")
    control, = [group for group in page.app.get("button_group") if group.key == "query"]
    assert control.options == ["The", "cat", "sat", "on", "the", "mat"]
    for at, word in enumerate(control.options, 1):
        page.choose("query", at)
        assert any(f"“{word}” sees" in text for text in page.words("markdown"))


def test_hidden_padding_controls_keep_their_values(lab):
    page = lab("masking", mask="both", pads="4", side="start")
    assert "pads" in {slider.key for slider in page.app.slider}
    page.choose("mask", "causal").run()
    assert "pads" not in {slider.key for slider in page.app.slider}
    assert (page.state("pads"), page.state("side")) == (4, "start")
    assert page.link == {"lang": "en", "mask": "causal", "pads": "4", "side": "start"}
    page.choose("mask", "padding")
    assert page.app.slider(key="pads").value == 4 and page.state("side") == "start"


def test_a_control_changed_and_then_hidden_keeps_its_value(lab):
    page = lab("masking", mask="both").slide("pads", 5)
    page.choose("mask", "none").run()
    page.choose("mask", "both")
    assert page.app.slider(key="pads").value == 5


def test_controls_appear_behind_the_others_and_only_where_they_do_something(lab):
    page = lab("masking")
    assert {slider.key for slider in page.app.slider} == {"word_seed", "cached"}
    page.choose("window", "yes").choose("mask", "padding").slide("cached", 2)
    controls = {element.key for element in [*page.app.slider, *page.app.get("button_group")]}
    assert {"left", "right", "pads", "side", "align", "cached"} <= controls


# a cache: fewer queries than keys


@every_language
@pytest.mark.parametrize(("align", "seen"), [("top_left", 1), ("bottom_right", 3)])
def test_one_query_and_three_keys_depend_on_the_alignment(lab, lang, align, seen):
    page = lab("masking", lang=lang, words="The cat sat", mask="causal", cached="2", query="3", align=align)
    allowed = np.arange(3)[None, :] < seen
    core = run(allowed, embed_sentence(["The", "cat", "sat"]), first=2)
    assert page.table("weights") == percents(core.weights, allowed, lang)
    assert page.table("output") == twos(core.output, lang)
    said = sentence(page, "“sat”")
    assert bold(said)[0].split()[0] == str(seen) and bold(said)[-2:] == ["1", "3"]


@pytest.mark.parametrize(
    "link", [{"mask": "causal"}, {"window": "yes", "left": "2"}, {"mask": "both", "side": "start"}]
)
@pytest.mark.parametrize("cached", [1, 3, 5])
def test_aligned_at_the_bottom_right_a_cache_changes_nothing_for_the_last_tokens(lab, link, cached):
    whole = lab("masking", query="6", **link)
    page = lab("masking", query="6", cached=str(cached), align="bottom_right", **link)
    for name in ("scaled", "mask", "weights", "output"):
        assert page.table(name) == whole.table(name)[cached:]


def test_a_cached_token_is_no_query(lab):
    page = lab("masking", cached="4", query="2", mask="causal")
    control, = [group for group in page.app.get("button_group") if group.key == "query"]
    assert control.options == ["the", "mat"] and page.state("query") == 6


def test_without_a_mask_the_alignment_is_said_to_change_nothing(lab):
    assert "the alignment changes nothing" in lab("masking", cached="2").says
    assert "the alignment changes nothing" not in lab("masking", cached="2", mask="causal").says


# drawing


@pytest.fixture
def fields(monkeypatch):
    """The fields of a session without a page."""
    values = {name: field.default for name, field in FIELDS.items()}
    monkeypatch.setattr(masking_lab.share, "value", values.__getitem__)
    monkeypatch.setattr(masking_lab.share, "choose", lambda **chosen: values.update(chosen))
    return values


def test_a_cell_is_hidden_and_shown_again(fields):
    masking_lab.draw(masking_lab.masks_of(6), 2, 5)
    assert fields["hidden"] == ((2, 5),) and not masking_lab.masks_of(6).allowed[1, 4]
    masking_lab.draw(masking_lab.masks_of(6), 1, 1)
    assert fields["hidden"] == ((1, 1), (2, 5)) and masking_lab.masks_of(6).allowed.sum() == 34
    masking_lab.draw(masking_lab.masks_of(6), 2, 5)
    assert fields["hidden"] == ((1, 1),)


def test_what_another_mask_hides_cannot_be_drawn(fields):
    fields["mask"] = "causal"
    masking_lab.draw(masking_lab.masks_of(6), 2, 5)
    assert fields["hidden"] == () and masking_lab.masks_of(6).parts.keys() == {"causal"}


@pytest.mark.parametrize(("row", "column"), [(7, 1), (1, 7), (12, 12)])
def test_a_cell_outside_is_not_drawn(fields, row, column):
    masking_lab.draw(masking_lab.masks_of(6), row, column)
    assert fields["hidden"] == ()


def test_a_drawing_belongs_to_tokens_not_to_rows(fields):
    fields["cached"] = 2
    masking_lab.draw(masking_lab.masks_of(6), 1, 4)
    assert fields["hidden"] == ((3, 4),)
    assert not masking_lab.masks_of(6).allowed[0, 3]
    fields["cached"] = 0
    assert not masking_lab.masks_of(6).allowed[2, 3] and masking_lab.masks_of(6).allowed.sum() == 35


def test_only_a_chosen_cell_of_the_mask_toggles():
    obeyed, called = [], []

    def act(message):
        toggled("mask", lambda row, column: called.append((row, column)), obeyed.append, message)

    messages = [
        {"kind": "choose", "matrix": "mask", "row": 2, "column": 3}, {"kind": "choose", "matrix": "weights", "row": 2,
         "column": 3}, {"kind": "ask", "row": 1}, {"kind": "choose", "matrix": "mask", "row": "2", "column": 3},
        {"kind": "choose", "matrix": "mask", "row": 0, "column": True}, "mask",
    ]
    for message in messages:
        act(message)
    assert obeyed == messages and called == [(2, 3)]


@every_language
def test_a_drawn_mask_is_said_and_cleared(lab, lang):
    page, mask = lab("masking", lang=lang, hidden="3.2_3.6"), np.ones((6, 6), bool)
    mask[2, [1, 5]] = False
    core = run(mask)
    assert page.table("weights") == percents(core.weights, mask, lang)
    said = sentence(page, "“sat”")
    assert bold(said)[0].startswith("4 ") and re.search(r"\b34\b.*\b36\b.*\b2\b", said)
    page.press("set_hidden")
    assert page.state("hidden") == () and page.link == {"lang": lang}
    assert page.table("mask") == [["0"] * 6] * 6
    assert "set_hidden" not in {button.key for button in page.app.button}


@pytest.mark.parametrize(("link", "part", "others"), [
    ({"mask": "causal", "cell": "mask.1.6"}, "causal", ("padding", "window", "drawn")),
    ({"mask": "padding", "cell": "mask.1.6"}, "padding", ("causal", "window", "drawn")),
    ({"window": "yes", "cell": "mask.1.6"}, "window", ("causal", "padding", "drawn")),
])
def test_a_cell_that_drawing_cannot_show_says_what_hides_it(lab, link, part, others):
    said = re.search(r'class="lab-hides">(.*?)</p>', lab("masking", **link).html)[1]
    assert words.PART[part] in said and not any(words.PART[other] in said for other in others)
    page = lab("masking", **link | {"cell": "mask.6.6", "mask": "causal"})
    assert "lab-hides" not in page.html and "set_hidden" not in {button.key for button in page.app.button}


def test_a_drawn_cell_says_that_it_can_be_shown(lab):
    assert "choose it again" in lab("masking", hidden="2.2", cell="mask.2.2").html


# wrong ways


def masks(link):
    """The mask of a link, worked out here."""
    causal = causal_mask(6) if link.get("mask") in ("causal", "both") else None
    padding = padding_mask(4, 6) if link.get("mask") in ("padding", "both") else None
    return combine_masks(causal, padding[:, ::-1] if link.get("side") == "start" else padding, np.ones((6, 6), bool))


def tried(link, way):
    """The weights of a way, the mask it takes for the right one, and how far hidden tokens move outputs."""
    causal = causal_mask(6) if link.get("mask") in ("causal", "both") else np.ones((6, 6), bool)
    tokens = masks({**link, "mask": "padding"})[0] if link.get("mask") in ("padding", "both") else None
    example = six_words()
    projections = (example.w_query, example.w_key, example.w_value)
    right = masks(link)
    taken = {"inverted": ~right, "padded_rows": causal if tokens is None else causal & tokens[:, None]}.get(way, right)
    return (masked_weights(run().scaled, causal, way, tokens), taken,
            moved_by_hidden(example.x, projections, causal, way, tokens).max())


MASKS = [{"mask": "none"}, {"mask": "causal"}, {"mask": "padding"}, {"mask": "both", "side": "start"}]


@every_language
@pytest.mark.parametrize("link", MASKS)
def test_all_ways_stand_in_one_table(lab, lang, link):
    page, allowed, right = lab("masking", lang=lang, beside="wrong", **link), masks(link), run(masks(link))
    value = project(*(getattr(six_words(), name) for name in ("x", "w_query", "w_key", "w_value"))).value
    expected = []
    for way in WAYS:
        weights, _, moved = tried(link, way)
        found = leak(weights, allowed)
        off = np.abs(weights @ value - right.output).max()
        expected.append([found.hidden.max(), moved, found.row_sums.min(), found.row_sums.max(), off])
    shown = figures(expected, lang)
    assert page.table("ways")[:-1] == shown[:-1]
    padded = link["mask"] in ("padding", "both")
    assert page.table("ways")[-1] == (shown[-1] if padded else [Language(lang)("no padding")] * 5)
    nothing = Language(lang)("No padding here: “padded rows” has nothing to get wrong.")
    assert (nothing in page.words("caption")) == (not padded)


@every_language
@pytest.mark.parametrize("way", WAYS[1:])
def test_a_wrong_way_stands_beside_the_right_one(lab, lang, way):
    link = {"mask": "both", "side": "start"}
    page, allowed, right = lab("masking", lang=lang, beside="wrong", way=way, **link), masks(link), run(masks(link))
    weights, taken, moved = tried(link, way)
    found = leak(weights, allowed)
    assert page.table("right_way") == percents(right.weights, allowed, lang)
    assert page.table("wrong_way") == percents(weights, taken | (weights != 0), lang)
    assert page.table("wrong_sums") == figures(np.stack([found.hidden, found.row_sums], axis=-1), lang)
    said = sentence(page, Language(lang)(masking_ways.WHY[way]))
    bad = int(np.isnan(found.row_sums).sum())
    assert any(text.startswith(f"{bad} ") for text in bold(said)) == (bad > 0)
    if found.worst:
        assert f"{Language(lang).number(100 * found.worst, 1)} %" in bold(said)
    assert (masking_ways.figure(Language(lang), moved) in bold(said)) == (moved > 1e-12)


def test_what_each_way_leaks_under_a_causal_mask(lab):
    """The lesson in numbers: two ways leak nearly everything, two break the sums, three are right for now."""
    rows = lab("masking", mask="causal", beside="wrong").table("ways")
    leaks, moves, least, most, off = (dict(zip(WAYS[:-1], column, strict=True)) for column in zip(*rows[:-1],
                                                                                                 strict=True))
    assert {way for way in leaks if leaks[way] != "0"} == {"zero", "inverted"}
    assert leaks["zero"] == "0.8276" and leaks["inverted"] == "1.0000"
    assert {way for way in moves if moves[way] == "0"} == {"minus_inf", "by_hand", "minus_1e9"}
    assert (moves["after"], moves["wrong_axis"]) == ("0.0190", "0.0617")  # with no weight on hidden keys
    assert {way for way in least if least[way] != "1.0000"} == {"after", "inverted", "wrong_axis"}
    assert most["wrong_axis"] == "2.5042" and least["after"] == "0.1668"
    assert {way for way in off if off[way] == "0"} == {"minus_inf", "by_hand", "minus_1e9"}
    assert "10⁻¹" in off["after_renormalised"]


@every_language
def test_a_fully_masked_row_breaks_three_ways(lab, lang):
    page, _ = lab("masking", lang=lang).try_out(1), Language(lang)
    rows = dict(zip(WAYS, page.table("ways"), strict=True))
    assert {way for way in WAYS if "NaN" in rows[way]} == {"by_hand", "after_renormalised"}
    assert rows["minus_1e9"][0] == _.number(1) and page.table("wrong_way")[0] == [_.number(100 / 6, 1)] * 6
    assert rows["minus_inf"] == ["0", "0", "0", _.number(1), "0"] and page.table("right_way")[0] == [_("masked")] * 6
    assert {way for way in WAYS if rows[way][0] == "NaN"} == {"by_hand", "after_renormalised"}
    assert any("NaN" in text for text in page.words("caption"))
    assert not any("NaN" in text for text in lab("masking", mask="causal", beside="wrong").words("caption"))


@every_language
def test_minus_1e9_added_is_said_to_fall_out_of_a_fully_masked_row(lab, lang):
    page, _ = lab("masking", lang=lang).try_out(1), Language(lang)
    allowed = masks({"mask": "both", "side": "start"})
    lowered, free = lowered_weights(run().scaled, allowed)[0], softmax(run().scaled)[0]
    said = sentence(page, _(masking_ways.WHY["minus_1e9"]))
    assert bold(said)[-1] == f"{_.number(100 * free.max(), 1)} %"
    assert _.power(np.abs(lowered - free).max()).replace("\N{NO-BREAK SPACE}", " ") in said


@every_language
@pytest.mark.parametrize("way", ["after", "wrong_axis"])
def test_no_weight_on_hidden_keys_is_not_said_to_be_no_leak(lab, lang, way):
    _ = Language(lang)
    said = lab("masking", lang=lang, mask="causal", beside="wrong", way=way).says
    nothing = _("Nothing leaks: no weight lies on hidden keys, and hidden tokens move no output beyond rounding.")
    assert _("No weight lies on hidden keys, but the sums that divide depend on hidden tokens.") in said
    assert nothing not in said
    for right in ("by_hand", "minus_1e9", "after_renormalised"):
        assert nothing in lab("masking", lang=lang, mask="causal", beside="wrong", way=right).says


@every_language
@pytest.mark.parametrize("way", WAYS[1:])
def test_where_nothing_is_hidden_the_page_says_so_and_offers_a_mask(lab, lang, way):
    page, _ = lab("masking", lang=lang, beside="wrong", way=way), Language(lang)
    nothing = _("Nothing is hidden: no mask is on, or none that hides anything, so nothing can leak. Hide something, "
                "and the ways part.")
    assert nothing in page.says and _(masking_ways.WHY[way]) not in page.says
    page.press("set_mask")
    assert page.state("mask") == "causal" and nothing not in page.says


@pytest.mark.parametrize(("mask", "then"), [("causal", "both"), ("none", "padding")])
def test_without_padding_padded_rows_have_nothing_to_get_wrong(lab, mask, then):
    page = lab("masking", mask=mask, side="start", hidden="1.1", beside="wrong", way="padded_rows")
    assert "No padding here: nothing to get wrong." in page.says and page.table("wrong_way") == page.table("right_way")
    page.press("set_mask")
    assert page.state("mask") == then and "gives" in sentence(page, masking_ways.WHY["padded_rows"])


def test_padding_of_no_position_is_no_padding(lab):
    page = lab("masking", mask="both", pads="0", beside="wrong", way="padded_rows")
    assert "No padding here: nothing to get wrong." in page.says
    assert page.press("set_pads").state("pads") == 2 and "No padding here" not in page.says


@pytest.mark.parametrize("link", [{"words": "satu"}, {"mask": "causal", "cached": "5", "align": "bottom_right"}])
def test_a_mask_that_would_hide_nothing_is_not_offered(lab, link):
    page = lab("masking", beside="wrong", **link)
    assert "Nothing is hidden" in page.says and "set_mask" not in {button.key for button in page.app.button}


def test_a_causal_mask_hides_the_padding_at_the_end_whatever_becomes_of_its_columns(lab):
    page = lab("masking", mask="both", side="end", beside="wrong", way="padded_rows")
    assert page.table("ways")[-1][:2] == ["0", "0"] and "Nothing leaks" in page.says


def test_polarity_flipped_hatches_what_it_hides(lab):
    found = lab("masking", mask="causal", beside="wrong", way="inverted").table("wrong_way")
    assert [[cell == "masked" for cell in row] for row in found] == causal_mask(6).tolist()


@pytest.mark.parametrize("cached", ["0", "2"])
def test_padded_rows_need_a_square_mask(lab, cached):
    page = lab("masking", beside="wrong", way="padded_rows", mask="causal", cached=cached)
    control, = [group for group in page.app.get("button_group") if group.key == "way"]
    assert (words.WAY["padded_rows"] in control.options) == (cached == "0")
    assert len(page.table("ways")) == (9 if cached == "0" else 8)


def test_minus_1e9_is_not_low_enough_for_every_score(lab):
    """Scores below -1e9 exist; then the hidden keys win, and the page says so."""
    page = lab("masking", words="cat mat", mask="causal", beside="wrong", way="minus_1e9",
               x6="1000_0_0~1000_0_0", w6_q="-1000_0_0~0_0_0~0_0_0", w6_k="1000_0_0~0_0_0~0_0_0")
    assert dict(zip(WAYS, page.table("ways"), strict=True))["minus_1e9"][0] == "1.0000"
    assert "gives 100.0 % of its attention to keys that it must not see" in page.says


# a changed token


def change(at, allowed):
    """The largest change of each output, from two runs; and whether both agree bit for bit."""
    x = six_words().x
    x[at - 1] += 1
    before, after = run(allowed).output, run(allowed, x).output
    return np.abs(after - before).max(axis=1), (after == before).all(axis=1)


@every_language
@pytest.mark.parametrize("at", range(1, 7))
def test_under_a_causal_mask_nothing_earlier_moves(lab, lang, at):
    page = lab("masking", lang=lang, mask="causal", beside="future", changed=str(at))
    masked, same = change(at, causal_mask(6))
    free, none = change(at, np.ones((6, 6), bool))
    assert same.tolist() == [row < at - 1 for row in range(6)] and not none.any()
    assert page.table("moved") == figures(np.stack([masked, free], axis=-1), lang)
    assert [row[0] == "0" for row in page.table("moved")] == same.tolist()
    tokens = six_words().tokens
    _ = Language(lang)
    said = sentence(page, _("1 was added to each of the {d} numbers of “{token}”.", d=3, token=tokens[at - 1]))
    assert bold(said)[0].startswith(f"{7 - at} ")
    for word in tokens[: at - 1]:
        assert f"“{word}”" in said
    assert ("**0**" in said) == (at > 1)
    nothing_earlier = _("Under a causal mask nothing earlier moves: {count} of {count} earlier outputs are the same.",
                        count=at - 1)
    assert (nothing_earlier in said) == (at > 1)


@every_language
def test_without_a_mask_everything_moves_and_a_button_helps(lab, lang):
    page = lab("masking", lang=lang, beside="future")
    assert all("0" not in row for row in page.table("moved"))
    assert any(text.startswith("6 ") for text in bold(sentence(page, "“mat”")))
    page.try_out(2)
    assert page.state("mask") == "causal" and [row[0] for row in page.table("moved")[:5]] == ["0"] * 5


@pytest.mark.parametrize(("link", "still"), [
    ({"mask": "padding"}, 5), ({"window": "yes", "left": "0"}, 5), ({"mask": "causal", "cached": "3"}, 2),
    ({"hidden": "1.6_2.6_3.6"}, 3),
])
def test_other_masks_protect_whom_they_hide_it_from(lab, link, still):
    page = lab("masking", beside="future", changed="6", **link)
    assert [row[0] for row in page.table("moved")].count("0") == still


# whatever a link says


EXTREMES = [
    {"words": "satu"}, {"words": "satu", "cached": "11", "mask": "both", "pads": "12"},
    {"words": TWELVE, "cached": "11"},
    {"words": TWELVE, "mask": "both", "pads": "12", "window": "yes", "left": "11", "right": "11"},
    {"words": "a b", "window": "yes", "left": "11", "right": "11", "query": "12", "changed": "12"},
    {"words": "<b>satu</b> *dua* $x$ `y` 🐈 قطة", "mask": "causal"},
    {"hidden": "_".join(f"{i}.{j}" for i in range(1, 13) for j in range(1, 13))},
    {"words": "satu", "hidden": "1.1", "cell": "mask.1.1"}, {"cell": "X.1.1"}, {"cell": "weights.12.12", "cached": "5"},
]


@pytest.mark.parametrize("beside", FIELDS["beside"].choices)
@pytest.mark.parametrize("link", EXTREMES)
@pytest.mark.parametrize("align", FIELDS["align"].choices)
def test_nothing_breaks_the_page(lab, link, beside, align):
    page = lab("masking", beside=beside, align=align, **link)
    assert len(page.table("mask")) == len(page.table("output")) >= 1
    assert "<b>satu" not in page.html and not page.app.error
    if page.app.get("button_group"):
        keys = {group.key: group for group in page.app.get("button_group")}
        assert keys["query"].value == page.state("query")


@every_language
def test_own_words_are_said_to_mean_nothing(lab, lang):
    assert len(lab("masking", lang=lang, words="ikan makan").words("info")) == 1
    assert not lab("masking", lang=lang).words("info")


def test_matrices_that_disagree_are_named_and_the_examples_used(lab):
    page = lab("masking", w6_q="1_2~3_4")
    assert "W_Q is 2 × 2" in page.words("error")[0] and page.table("weights") == lab("masking").table("weights")


# the try-buttons

USUAL = {"window": "no", "cached": 0, "hidden": ()}
START = {"mask": "padding", "query": "5", "pads": "5", "side": "end", "window": "yes", "hidden": "1.2", "cached": "1",
         "changed": "2"}
KEPT = {"words": "satu dua tiga empat", "x6": "1_2_3~4_5_6~7_8_9~1_1_1", "w6_q": "1_0~0_1~1_1", "w6_k": "1_0~0_2~1_1"}


def experiments(n, cache):
    """What each try sets for a sentence of n tokens; `cache` is what the last of them sets besides."""
    causal = {"mask": "causal", "query": min(3, n)}
    return [
        causal,
        {"mask": "both", "query": 1, "pads": min(2, n), "side": "start", "beside": "wrong", "way": "minus_1e9"},
        causal | {"beside": "future", "changed": n},
        {"mask": "none", "query": min(3, n)},
        {"mask": "causal", "align": "bottom_right"} | cache,
    ]


def press_and_compare(lab, number, link, expected):
    page, names = lab("masking", **START, **link), (*START, *KEPT, "beside", "way", "align", "left", "right")
    before = {name: page.state(name) for name in names}
    page.try_out(number)
    after = {name: page.state(name) for name in names}
    assert after == before | USUAL | expected
    carried = {name: FIELDS[name].write(value) for name, value in after.items()}
    fresh = lab("masking", **{name: text for name, text in carried.items() if text})
    assert page.says == fresh.says, "a button leads where the link leads"


@pytest.mark.parametrize("number", range(5))
def test_a_try_button_sets_its_experiment_and_nothing_else(lab, number):
    cache = {"words": "The cat sat", "query": 3, "cached": 2}
    press_and_compare(lab, number, {}, experiments(6, cache)[number])


@pytest.mark.parametrize("number", range(5))
@pytest.mark.parametrize("names", [["words"], list(KEPT)])
def test_a_try_button_keeps_the_readers_sentence_and_numbers(lab, number, names):
    link = {name: KEPT[name] for name in names}
    press_and_compare(lab, number, link, experiments(4, {"query": 4, "cached": 3})[number])


def test_a_try_button_keeps_the_readers_numbers_for_the_six_words(lab):
    page = lab("masking", x6="~".join(["1_2_3"] * 6)).try_out(4)
    assert (page.state("words"), page.state("cached")) == ("", 5) and len(page.table("mask")) == 1
    assert page.table("scaled")[0] == [page.table("scaled")[0][0]] * 6  # six equal tokens


@every_language
@pytest.mark.parametrize(("link", "word", "keys"), [
    ({}, "sat", 3), ({"words": "satu dua tiga empat"}, "tiga", 4), ({"words": "a b"}, "b", 2), ({"words": "a"}, "a", 0),
])
def test_the_try_buttons_name_the_readers_own_words(lab, lang, link, word, keys):
    page, _ = lab("masking", lang=lang, **link), Language(lang)
    labels = [link.label for link in page.offered("tries")]
    assert labels[0] == _("Hide the future from “{word}”", word=word)
    assert labels[4:] == ([_("A cache: 1 query, {n} keys", n=keys)] if keys else [])
