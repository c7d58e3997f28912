"""Tiles: every table, line and sentence of the page against the core, and memory as predicted and measured."""

import re
import subprocess
from html import unescape

import numpy as np
import pytest

from attention_core import causal_mask, scaled_dot_product_attention
from attention_core.memory import first_too_large, measured_bytes, predicted_bytes
from attention_core.online_softmax import drawn_query, online_softmax, without_rescaling
from pages.ui.fields import FIELDS
from pages.ui.language import LANGUAGES, Language
from pages.ui.lessons import tiles_memory
from pages.ui.lessons.tiles_charts import memory_over_n
from tests.received import validated

every_language = pytest.mark.parametrize("lang", LANGUAGES)
SETTINGS = [
    {},
    {"tiles_step": "1"},
    {"tiles_order": "rising", "tiles_step": "3", "tiles_seed": "8"},
    {"tiles_order": "falling", "tiles_keys": "12", "tiles_size": "5"},
    {"tiles_mask": "start", "tiles_step": "1"},
    {"tiles_mask": "start", "tiles_size": "8"},                                        # everything hidden
    {"tiles_mask": "causal", "tiles_query": "5", "tiles_step": "3"},
    {"tiles_keys": "12", "tiles_size": "1", "tiles_step": "12", "tiles_seed": "137"},
    {"tiles_keys": "2", "tiles_size": "2"},                                            # a single tile
]
every_setting = pytest.mark.parametrize("link", SETTINGS, ids=lambda link: "-".join(link.values()) or "plain")


def core(link):
    """The pass of a link, by the core alone: its steps, the step at hand and the dense output."""
    n, tile, step, seed, query = (
        int(link.get(f"tiles_{name}", default))
        for name, default in (("keys", 8), ("size", 3), ("step", 2), ("seed", 4), ("query", 5))
    )
    drawn = drawn_query(seed, n, 4, 2, link.get("tiles_order", "drawn"))
    mask = {"none": None, "causal": causal_mask(n)[min(query, n) - 1], "start": np.arange(n) >= tile}[
        link.get("tiles_mask", "none")
    ]
    steps = list(online_softmax(drawn.query, drawn.key, drawn.value, mask, tile=tile))
    dense = scaled_dot_product_attention(drawn.query[None], drawn.key, drawn.value, mask).output[0]
    return drawn, steps, steps[min(step, len(steps)) - 1], dense


def written(lang, values, places=4):
    """Numbers as the page writes them."""
    return [Language(lang).number(value, places) for value in values]


def missing(text, numbers):
    return [number for number in numbers if not re.search(rf"(?<![\d.,−]){re.escape(number)}(?!\d|[.,]\d)", text)]


def arithmetic(page):
    """The lines of arithmetic, one text a line."""
    table = re.search(r'data-testid="lines".*?</table>', page.html, re.DOTALL)[0]
    return [unescape(re.sub(r"<[^>]+>", "", line)) for line in re.findall(r"<td>(.*?)</td>", table, re.DOTALL)]


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


@every_language
@every_setting
def test_the_row_of_scores_is_cut_in_tiles(lab, link, lang):
    page = lab("tiles", lang=lang, **link)
    _, steps, now, _ = core(link)
    for i, step in enumerate(steps):
        cells = [cell if np.isfinite(score) else Language(lang)("masked")
                 for cell, score in zip(written(lang, step.scores), step.scores, strict=True)]
        assert page.table(f"tile_{i + 1}") == [cells]
        marked = f'data-testid="matrix-tile_{i + 1}".*?<tbody><tr class="here">'
        table = re.search(rf'data-testid="matrix-tile_{i + 1}".*?</table>', page.html, re.DOTALL)[0]
        assert bool(re.search(marked, table, re.DOTALL)) == (step is now)
    assert f"matrix-tile_{len(steps) + 1}" not in page.html


@every_language
@every_setting
def test_the_table_of_what_is_kept_is_the_cores(lab, link, lang):
    page = lab("tiles", lang=lang, **link)
    _, steps, now, _ = core(link)
    start, *after = page.table("kept")
    assert start == ["−∞", Language(lang)("none yet"), *written(lang, [0, 0, 0])]
    assert after == [written(lang, [step.largest, step.factor, step.total, *step.weighted]) for step in steps]
    rows = re.findall(r"<tr.*?</tr>", re.search(r'matrix-kept.*?<tbody>(.*?)</tbody>', page.html, re.DOTALL)[1])
    assert [i for i, row in enumerate(rows) if 'class="here"' in row] == [steps.index(now) + 1]


@every_language
@every_setting
def test_the_tile_at_hand_and_its_arithmetic_are_the_cores(lab, link, lang):
    page = lab("tiles", lang=lang, **link)
    drawn, _, now, _ = core(link)
    value = drawn.value[now.start : now.stop]
    hidden = [Language(lang)("masked")] * 2
    assert page.table("at_hand") == [
        (written(lang, [score, exponential]) if np.isfinite(score) else hidden) + written(lang, row)
        for score, exponential, row in zip(now.scores, now.exponentials, value, strict=True)
    ]
    largest, factor, total, *accumulators = arithmetic(page)
    assert missing(largest, written(lang, [now.largest_before, *now.scores, now.largest])) == []
    assert factor.endswith(written(lang, [now.factor])[0])
    if now.largest > -np.inf:
        assert missing(factor, written(lang, [now.largest_before])) == []
        assert written(lang, [now.largest])[0] in factor
    assert missing(total, written(lang, [now.total_before, now.factor, *now.exponentials, now.total])) == []
    assert len(accumulators) == 2
    for i, line in enumerate(accumulators):
        assert missing(line, written(lang, [now.weighted_before[i], now.factor, now.weighted[i]])) == []
        assert all(number in line for number in written(lang, value[:, i]))
        assert len(re.findall("×", line)) == len(value) + 1


@every_language
@every_setting
def test_the_output_is_the_dense_one_to_the_last_digit_shown(lab, link, lang):
    page = lab("tiles", lang=lang, **link)
    _, steps, _, dense = core(link)
    tiled, all_at_once, careless = page.table("outputs")
    assert tiled == all_at_once == written(lang, dense, 10)
    assert careless == written(lang, without_rescaling(steps), 10)


@every_language
@every_setting
def test_the_sentence_of_the_outcome_quotes_the_run(lab, link, lang):
    page, _ = lab("tiles", lang=lang, **link), Language(lang)
    _unused, steps, _now, dense = core(link)
    said, last, wrong = sentence(page, "outcome"), steps[-1], np.abs(without_rescaling(steps) - dense).max()
    if not last.total:
        assert said == _("The query may look at no key: nothing is ever added, and the output is 0 either way.")
        return
    assert missing(said, written(lang, [*last.weighted, last.total, *last.output])) == []
    assert _.power(np.abs(last.output - dense).max()) in said
    quoted = missing(said, written(lang, [*without_rescaling(steps), wrong])) == []
    assert quoted == (wrong > 1e-12)


KINDS = {
    "above": {"tiles_step": "2"}, "not above": {"tiles_order": "falling"}, "first": {"tiles_step": "1"},
    "hidden": {"tiles_mask": "causal", "tiles_step": "3"}, "nothing yet": {"tiles_mask": "start", "tiles_step": "1"},
}


@every_language
def test_each_kind_of_step_has_its_sentence_with_its_numbers(lab, lang):
    texts = {}
    for kind, link in KINDS.items():
        texts[kind], (_, _, now, _) = sentence(lab("tiles", lang=lang, **link), "picture"), core(link)
        numbers = {
            "above": [now.scores.max(), now.largest_before, now.factor, now.total],
            "not above": [now.scores.max(), now.largest_before, now.total], "first": [now.largest, now.total],
            "hidden": [now.total], "nothing yet": [],
        }[kind]
        assert missing(texts[kind], written(lang, numbers)) == []
        assert {"above": 0 < now.factor < 1, "not above": now.factor == 1 and now.total_before > 0,
                "first": now.factor == 0, "hidden": now.total > 0 == now.exponentials.sum(),
                "nothing yet": now.total == 0}[kind]
    shapes = {re.sub(r"[\d.,−]+", "#", text) for text in texts.values()}
    assert len(shapes) == len(KINDS)


@every_language
def test_a_small_maximum_then_a_large_one_shows_what_rescaling_is_for(lab, lang):
    page = lab("tiles", lang=lang).try_out(0)
    link = page.link
    _, steps, now, dense = core(link)
    assert now.largest_before < now.largest and now.factor < 0.2
    wrong = np.abs(without_rescaling(steps) - dense).max()
    assert wrong > 0.3 and written(lang, [wrong])[0] in page.says


def test_a_slider_keeps_its_value_where_its_end_moves(lab):
    """To Streamlit a slider with another end is another slider, which would stand at its low end for one run."""
    page = lab("tiles").slide("tiles_keys", 6)
    sent = {slider.key: slider.proto.value for slider in page.app.slider}
    assert sent["tiles_step"] == [FIELDS["tiles_step"].default] and sent["tiles_size"] == [FIELDS["tiles_size"].default]
    assert page.link == {"lang": "en", "tiles_keys": "6"}


@every_language
def test_the_other_tries_show_what_they_say(lab, lang):
    page = lab("tiles", lang=lang)
    _, steps, _, _ = core(page.try_out(1).link)
    assert all(step.factor == 1 for step in steps[1:])
    _, steps, now, _ = core(page.try_out(2).link)
    assert steps[0].largest == -np.inf and now is steps[1] and now.factor == 0
    _, _, now, _ = core(page.try_out(3).link)
    assert now.scores.max() == -np.inf and now.factor == 1


def test_previous_and_next_lead_through_the_steps(lab):
    page = lab("tiles", tiles_step="1")
    button = lambda name: page.app.button(key=f"tiles_{name}")  # noqa: E731
    assert button("previous").disabled and not button("next").disabled
    page.press("tiles_next").press("tiles_next")
    assert page.state("tiles_step") == 3 and button("next").disabled and not button("previous").disabled
    page.press("tiles_previous")
    assert page.link == {"lang": "en"} and page.state("tiles_step") == 2
    assert page.slide("tiles_step", 3).link["tiles_step"] == "3"


def test_a_step_or_tile_that_is_no_longer_there_is_brought_back(lab):
    page = lab("tiles", tiles_keys="12", tiles_size="2", tiles_step="6", tiles_query="12", tiles_mask="causal")
    page.slide("tiles_size", 12)
    assert page.state("tiles_step") == 1 and "tiles_step" not in [slider.key for slider in page.app.slider]
    page.slide("tiles_keys", 4)
    assert page.state("tiles_size") == 4 and page.state("tiles_query") == 4


@every_language
def test_what_no_longer_fits_is_computed(lab, lang):
    page, _ = lab("tiles", lang=lang), Language(lang)
    n, sooner = first_too_large(10**9), first_too_large(10**9, 5)
    assert 4 * n**2 > 10**9 >= 4 * (n - 1) ** 2
    numbers = [str(n), str(sooner), str(4 * n**2), _.number(predicted_bytes("tiled", n) / 1e6, 1),
               _.number(predicted_bytes("dense", n) / 1e9, 1)]
    assert missing(page.says, numbers) == []


@every_language
def test_memory_is_measured_on_request_once_for_all_sessions(lab, lang, monkeypatch):
    tiles_memory.in_a_process.clear()
    found = {"n": [64, 2048], "dense": [300_000, 83_000_000], "tiled": [200_000, 640_000]}
    asked = []

    def answer(command, **how):
        asked.append(command)
        assert how["timeout"] <= 20 and how["check"] and command[1:3] == ["-m", "attention_core.memory"]
        text = str({name: found[name] for name in ("dense", "tiled")}).replace("'", '"')
        return subprocess.CompletedProcess(command, 0, text.encode())

    monkeypatch.setattr(tiles_memory, "MEASURED", (64, 2048))
    monkeypatch.setattr(subprocess, "run", answer)
    page = lab("tiles", lang=lang)
    assert asked == [] and "83" not in page.says
    page.press("set_tiles_measured")
    _ = Language(lang)
    assert missing(page.says, [_.number(83, 1), _.number(640, 1)]) == []
    lab("tiles", lang=lang, tiles_measured="yes")
    assert len(asked) == 1
    tiles_memory.in_a_process.clear()


@every_language
@pytest.mark.parametrize("fault", [
    OSError("no fork"), subprocess.TimeoutExpired("python", 20), subprocess.CalledProcessError(1, "python"), b"{",
])
def test_a_measurement_that_fails_is_said_and_can_be_asked_again(lab, lang, fault, monkeypatch):
    tiles_memory.in_a_process.clear()

    def fails(command, **how):
        if isinstance(fault, Exception):
            raise fault
        return subprocess.CompletedProcess(command, 0, fault)

    monkeypatch.setattr(subprocess, "run", fails)
    page = lab("tiles", lang=lang, tiles_measured="yes")
    assert len(page.words("warning")) == 1 and page.app.button(key="set_tiles_measured")
    tiles_memory.in_a_process.clear()


def test_a_process_of_its_own_measures_what_the_core_measures():
    tiles_memory.in_a_process.clear()
    found = tiles_memory.in_a_process((128, 256))
    assert found["n"] == [128, 256]
    here = measured_bytes([128, 256])
    for path in ("dense", "tiled"):
        assert found[path] == pytest.approx(here[path], rel=0.1)
        assert found[path] == pytest.approx([predicted_bytes(path, n) for n in (128, 256)], rel=0.1)


def test_the_figure_draws_the_arrays_on_two_logarithmic_axes():
    sizes = np.array([128, 1024])
    predicted = {name: np.array([k, 10.0 * k]) for k, name in ((1e5, "matrix"), (5e5, "dense"), (2e5, "tiled"))}
    measured = {"n": np.array([256]), "dense": np.array([6e5]), "tiled": np.array([3e5])}
    words = {name: name for name in ("matrix", "dense", "tiled", "dense_measured", "tiled_measured", "x", "y")}
    ticks = ({128: "128"}, {10**6: "1 MB"})
    picture = validated(memory_over_n(sizes, predicted, measured, {"1 GB": 1e9}, ticks, words, ".,"))
    traces = {trace.name: trace for trace in picture.data}
    for name, bytes_ in predicted.items():
        assert np.array_equal(traces[name].x, sizes) and np.array_equal(traces[name].y, bytes_)
    for path in ("dense", "tiled"):
        mark = traces[f"{path}_measured"]
        assert mark.mode == "markers" and (mark.x[0], mark.y[0]) == (256, measured[path][0])
    assert picture.layout.xaxis.type == picture.layout.yaxis.type == "log"
    assert [shape.y0 for shape in picture.layout.shapes] == [1e9]
    assert [(note.text, note.y) for note in picture.layout.annotations] == [("1 GB", 9)]
    without = validated(memory_over_n(sizes, predicted, {}, {}, ({}, {}), words, ".,"))
    assert {trace.name for trace in without.data} == set(predicted)
