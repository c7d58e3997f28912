"""The bench: what it says is what the core says, a planted mistake is red at its stage, experiments are carried."""

import json
import re
import runpy
import sys
from html import unescape

import numpy as np
import pytest

from attention_core import scaled_dot_product_attention
from attention_core.mistakes import MISTAKES, STAGE_OF, STAGES
from pages.ui import words
from pages.ui.bench import running
from pages.ui.bench.backends import findings
from pages.ui.bench.experiment import drawn
from pages.ui.bench.export import about, as_json
from pages.ui.bench.stages import compare, ours
from pages.ui.contents import PAGES
from pages.ui.fields import FIELDS
from pages.ui.judge import reference
from pages.ui.judge.torch_process import TorchProcess
from pages.ui.judge.torch_worker import pack
from pages.ui.language import LANGUAGES, Language
from pages.ui.lessons import verification_battery
from pages.ui.lessons.verification_dtypes import measured
from pages.ui.lessons.verification_mistakes import PLAIN, SHOWS, SIGNATURE
from pages.ui.lessons.verification_table import size_of

every_language = pytest.mark.parametrize("lang", LANGUAGES)
every_mistake = pytest.mark.parametrize("mistake", MISTAKES)
needs_torch = pytest.mark.skipif(not reference.installed(), reason="PyTorch is missing")
DRAWS = ("seed", "n", "m", "d_k", "d_v", "heads", "batch", "mask", "scale")


def link(fields):
    return {name: FIELDS[name].write(value) for name, value in fields.items()}


def draw(fields):
    """The drawn experiment of a link, from the core."""
    return drawn(**{name: (PLAIN | fields)[f"draw_{name}"] for name in DRAWS})


def bench(page, name):
    """Rows of a table of the bench, as lists of texts."""
    body = re.search(rf'data-testid="bench-{name}".*?<tbody>(.*?)</tbody>', page.html, re.DOTALL)[1]
    rows = re.findall(r"<tr.*?</tr>", body, re.DOTALL)
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in rows]
    return [[unescape(re.sub(r"<[^>]+>", " ", cell)).strip() for cell in row] for row in cells]


def verdicts(page, _=None):
    """Stage -> the word of its verdict."""
    return {row[0]: row[1].split(" ", 1)[1].strip() for row in bench(page, "stages")}


def output(page):
    return [[float(cell.replace("−", "-")) for cell in row] for row in page.table("output")]


# what is shown


def grid(rows, lang):
    mark = Language(lang).decimal_symbol
    return [row.replace(".", mark).split() for row in rows]


@every_language
def test_it_shows_the_sources_figures(lab, lang):
    page = lab("verification", lang=lang)
    assert page.table("scores") == grid(["2.00 0.00 1.00", "0.00 2.00 1.00"], lang)
    assert page.table("weights") == grid(["0.5065 0.1863 0.3072", "0.1863 0.5065 0.3072"], lang)
    assert page.table("output") == grid(["3.4021 4.4021 5.4021", "4.3626 5.3626 6.3626"], lang)


@pytest.mark.parametrize(("example", "shape"), [("source", (2, 3)), ("ikan_makan", (2, 3)), ("six_words", (6, 3))])
def test_it_shows_each_example(lab, example, shape):
    page = lab("verification", example=example)
    found = words.labelled(example)
    attention = scaled_dot_product_attention(found.query, found.key, found.value)
    assert np.shape(page.table("output")) == shape
    assert output(page) == attention.output.round(4).tolist()
    assert list(verdicts(page)) == ["scores", "scaled", "masked scores", "weights", "output"]
    assert set(verdicts(page).values()) == {"agrees"}


def test_the_sources_numbers_can_be_changed_and_are_checked_as_changed(lab):
    page = lab("verification", q="2_0~0_1~1_1", k="1_0~0_1", v="1~3")
    query, key, value = np.array([[2, 0], [0, 1], [1, 1.0]]), np.eye(2), np.array([[1], [3.0]])
    assert output(page) == scaled_dot_product_attention(query, key, value).output.round(4).tolist()
    assert page.table("Q") == [["2", "0"], ["0", "1"], ["1", "1"]] and page.words("success")
    assert "Weight" in page.html


@every_language
def test_sizes_that_disagree_are_named_and_can_be_mended(lab, lang):
    page = lab("verification", lang=lang, q="2_0~0_1")
    error, = page.words("error")
    assert "Q" in error and "2 × 2" in error and "K" in error and "3 × 4" in error
    assert page.table("Q") == [["2", "0"], ["0", "1"]] and "bench-stages" not in page.html
    page.try_out(0)
    assert page.state("q") is None and page.words("success")


def test_a_cell_that_is_chosen_is_worked_out_and_a_planted_mistake_has_no_arithmetic(lab):
    page = lab("verification", cell="output.2.3")
    assert 'data-of="output"' in page.html
    assert "data-of=" not in lab("verification", cell="output.2.3", bug="no_scaling").html


def test_a_drawn_experiment_has_its_own_controls_and_shows_one_head(lab):
    fields = PLAIN | {"draw_seed": 7, "draw_n": 2, "draw_batch": 2, "draw_mask": "padding"}
    page = lab("verification", **link(fields))
    assert {"draw_seed", "draw_n", "draw_m", "draw_d_k", "draw_d_v", "draw_heads", "draw_batch"} <= {
        slider.key for slider in page.app.slider}
    at = compare(ours(draw(fields)), ours(draw(fields)))[0]
    attention = scaled_dot_product_attention(**draw(fields).arguments())
    heads = [attention.output[i, j].round(4).tolist() for i in range(2) for j in range(2)]
    assert at.agrees and output(page) in heads and page.words("success")
    assert any("2" in text and "head" in text for text in page.words("caption"))


@every_language
def test_the_versions_are_evidence(lab, lang):
    line, = [text for text in lab("verification", lang=lang).words("markdown") if np.__version__ in text]
    assert "Python" in line and "Streamlit" in line and "PyTorch" in line


# planted mistakes


def red_from(page, mistake, judge):
    """The table is right before the mistake's stage, wrong at it, and says how far off."""
    stage, found = STAGE_OF[mistake], verdicts(page)
    before = list(STAGES[: STAGES.index(stage)])
    names = {"query": "Q", "key": "K", "value": "V", "masked": "masked scores"}
    assert [found[names.get(name, name)] for name in before] == ["agrees"] * len(before)
    assert found[names.get(stage, stage)] == "differs first here"
    error, = page.words("error")
    assert f"**{names.get(stage, stage)}**" in error and judge in error and not page.words("success")
    row, = [each for each in bench(page, "stages") if each[0] == names.get(stage, stage)]
    experiment = draw(SHOWS[mistake])
    core = next(each for each in compare(ours(experiment, mistake), ours(experiment)) if not each.agrees)
    assert core.stage == stage and row[2] == size_of(Language("en"), core.difference)


@every_mistake
def test_a_planted_mistake_is_red_at_its_stage_and_nowhere_earlier(lab, mistake):
    page = lab("verification", lang="en", bug=mistake, **link(SHOWS[mistake]))
    red_from(page, mistake, "plain Python")


@needs_torch
@every_mistake
def test_pytorch_finds_it_at_the_same_stage(lab, mistake):
    page = lab("verification", lang="en", bug=mistake, compare="yes", **link(SHOWS[mistake]))
    red_from(page, mistake, "PyTorch")
    assert "matrix-torch" in page.html and not any("gradient" in stage for stage in verdicts(page))


@every_language
@every_mistake
def test_its_signature_is_explained_in_both_languages(lab, mistake, lang):
    page, _ = lab("verification", lang=lang, bug=mistake, **link(SHOWS[mistake])), Language(lang)
    signature, mend, hidden, _fields = SIGNATURE[mistake]
    assert _(signature) in page.says and _(mend) in page.says and _(hidden) not in page.says


HIDDEN = [mistake for mistake in MISTAKES if STAGE_OF[mistake] in ("query", "masked") or "d_model" in mistake]


@pytest.mark.parametrize("mistake", [*HIDDEN, "no_max_subtraction"])
def test_where_a_mistake_cannot_show_the_page_says_so_and_offers_where_it_does(lab, mistake):
    page = lab("verification", lang="en", bug=mistake)
    assert set(verdicts(page).values()) == {"agrees"} and not page.words("error")
    assert SIGNATURE[mistake][2] in page.words("info")[0] and not page.words("success")
    page.press("where_it_shows")
    red_from(page, mistake, "plain Python")
    assert page.state("bug") == mistake and not page.words("info")


def test_no_mistake_no_red_on_any_experiment(lab):
    for example in FIELDS["example"].choices:
        page = lab("verification", lang="en", example=example)
        assert set(verdicts(page).values()) == {"agrees"} and not page.words("error"), example


# experiments of the other pages

CARRIED = {
    "pipeline": {"step": "mask", "words": "ikan makan ikan besar"},
    "qkv": {"tie": "q_k", "x": "1_0.5_0_2~0_1_1_0~3_0_0_1"},
    "scaling": {"d_k": "6", "seed": "5", "keys": "4"},
    "masking": {"mask": "both", "pads": "1", "cached": "2", "align": "bottom_right", "hidden": "4.1"},
}


@every_language
@pytest.mark.parametrize("name", CARRIED)
def test_a_lessons_link_carries_its_experiment_here(lab, name, lang):
    lesson, _ = lab(name, lang=lang, **CARRIED[name]), Language(lang)
    label = _("Check this experiment against PyTorch")
    fields, = [link.carried for link in lesson.links() if link.label.endswith(label)]
    assert fields == {"lang": lang, "example": name, **CARRIED[name]}
    page = lab("verification", **fields)
    assert page.words("success") and not page.words("error")
    if name == "scaling":
        assert page.table("weights")[0] == [row[1] for row in lesson.table("weights")]
    elif name == "masking":
        here, there = (np.array([[np.nan if cell == _("masked") else float(cell.replace(",", ".")) for cell in row]
                                 for row in each.table("weights")]) for each in (page, lesson))
        assert here.shape == (4, 6) and np.isnan(here).sum() == np.isnan(there).sum() > 4
        assert np.allclose(100 * here, there, atol=0.0551, equal_nan=True)
    elif name == "qkv":
        assert page.table("output") == lesson.table("output")
    else:
        assert len(page.table("output")) == 4 and page.table("weights")[0][1:] == [_("masked")] * 3


def test_a_link_within_the_session_leads_to_the_experiment_and_drops_a_planted_mistake(lab):
    page = lab("verification", bug="no_scaling", bench="dtypes", d_k="16")
    page.app.switch_page(PAGES["scaling"].script)
    page.run()
    found, = [link for link in page.links() if "Check" in link.label]
    page.follow(found)
    assert [page.state(name) for name in ("example", "bug", "bench", "d_k")] == ["scaling", "none", "stages", 16]
    assert page.words("success")


@pytest.mark.parametrize(("name", "fields", "says"), [
    ("qkv", {"w_k": "1_1~1_1"}, "W_K"), ("pipeline", {"w6_q": "1_1~1_1"}, "W_Q"), ("masking", {"w6_q": "1_1"}, "W_Q"),
])
def test_a_carried_experiment_whose_sizes_disagree_is_a_sentence(lab, name, fields, says):
    page = lab("verification", example=name, **fields)
    error, = page.words("error")
    assert says in error and page.words("info") and "bench-stages" not in page.html


@pytest.mark.parametrize("divisor", ["none", "sqrt_d_k", "d_k", "cosine", "free"])
def test_every_divisor_is_carried(lab, divisor):
    fields = {"divisor": divisor, "value": "3.5", "d_k": "12", "keys": "5"}
    lesson, page = lab("scaling", **fields), lab("verification", example="scaling", **fields)
    there = [row[1].replace("<0.0001", "0.0000").replace(">", "") for row in lesson.table("weights")]
    assert [weight.replace("1.0000", "0.9999") if there[i] == "0.9999" else weight
            for i, weight in enumerate(page.table("weights")[0])] == there and page.words("success")


def test_what_is_too_large_to_draw_is_said(lab):
    page = lab("verification", lang="en", example="scaling", keys="64", d_k="512")
    assert "matrix-Q" not in page.html and any("K 64 × 512" in text for text in page.words("caption"))
    assert page.words("success")


# precision


@every_language
def test_the_precisions_show_their_difference_tolerance_and_reason(lab, lang):
    page, _ = lab("verification", lang=lang, bench="dtypes", example="drawn"), Language(lang)
    rows, core = bench(page, "dtypes"), measured(draw({}), None)
    assert [row[0] for row in rows] == ["float64", "float32", "float16", "bfloat16"]
    for row, dtype in zip(rows[:2], ("float64", "float32"), strict=True):
        assert row[2] == size_of(_, core[dtype].difference) and "✓" in row[1]
    assert [row[2] for row in rows[2:]] == ["–", "–"], "they need PyTorch"
    chart, = page.app.get("plotly_chart")
    assert "6400" in chart.proto.alt and "%" in chart.proto.alt and chart.proto.alt in page.words("markdown")


@needs_torch
def test_all_four_precisions_agree_with_pytorch(lab):
    rows = bench(lab("verification", bench="dtypes", example="six_words", compare="yes"), "dtypes")
    assert [row[1] for row in rows] == ["✓  agrees"] * 4
    sizes = [0 if row[2] == "0" else float(re.sub(r"\s×\s10⁻.*", "", row[2])) for row in rows]
    assert all(size == size for size in sizes) and "10⁻" in rows[1][2]


# back ends


def test_without_pytorch_the_exact_values_and_ours_stand(lab):
    page = lab("verification", lang="en", bench="backends")
    rows = bench(page, "backends")
    assert len(rows) == len(findings()) and [row[4].split()[1] for row in rows].count("agrees") == 4
    assert all("not asked" in cell for row in rows for cell in row[2:4]) and "[1.5379, 2.5379]" in rows[1][1]
    assert "refuses" in rows[2][4] and "[1, 1, 1, 1]" in rows[2][4]


@needs_torch
def test_what_the_fused_path_gets_wrong_is_a_finding_and_nobody_is_red(lab):
    page = lab("verification", lang="en", bench="backends", compare="yes")
    rows = bench(page, "backends")
    assert all("differs: a finding" in row[3] and "◆" in row[3] for row in rows)
    assert all("agrees" in row[2] for row in rows)
    assert 'verdict wrong"' not in page.html and not page.words("error") and "5 of 5" in page.says


# the battery


@pytest.fixture
def small(monkeypatch):
    """A battery of 12 cases: the first exact ones, random ones and laws."""
    every = running.cases

    def few(n_random, seed):
        found = list(every(12, seed))
        return [*found[:4], *found[103:107], *found[-4:]]

    monkeypatch.setattr(running, "cases", few)
    monkeypatch.setattr(running, "SLICE", 5)


def finish(page):
    page.press("run_battery")
    for _ in range(5):
        page.run()
    return page


def test_the_battery_runs_on_request_in_slices_and_says_how_many_pass(lab, small):
    page = lab("verification", lang="en", bench="battery")
    assert "bench-battery" not in page.html and not page.words("success")
    page.press("run_battery")
    assert "**5** of 5 rows pass" in page.words("success")[0]
    page.press("stop_battery")
    assert "**5** of 5 rows pass" in page.words("success")[0], "stopped: nothing more comes"
    assert page.run().words("success") == page.words("success")
    page.press("resume_battery").run()
    page.run()
    assert page.words("success") == ["**12** of 12 rows pass, **0** fail, 0 are skipped."]
    keys = {button.key for button in page.app.button}
    assert "run_battery" in keys and not keys & {"stop_battery", "resume_battery"}
    assert [row[0].split()[0] for row in bench(page, "battery")][0] == "seed0_d64_raw"


def test_rows_are_filtered_by_kind_and_by_text(lab, small):
    page = finish(lab("verification", lang="en", bench="battery"))
    for kind in ("exact", "random", "law"):
        page.choose("battery_shown", kind)
        assert len(bench(page, "battery")) == 4
    page.choose("battery_shown", "fail")
    assert "bench-battery" not in page.html and page.words("info")
    page.choose("battery_shown", "all")
    page.app.text_input(key="battery_text").set_value("TILED")
    assert len(bench(page.run(), "battery")) == 4


def test_a_planted_mistake_fails_and_opens_to_its_smallest_form(lab, small):
    page = finish(lab("verification", lang="en", bench="battery", bug="transposed_value"))
    assert page.words("error") and not page.words("success") and "V transposed" in page.words("error")[0]
    page.choose("battery_shown", "fail")
    assert all("✗" in row[1] for row in bench(page, "battery"))
    page.app.selectbox(key="battery_opened").set_value(page.app.selectbox(key="battery_opened").options[-1])
    code = page.run().app.code[0].value
    assert "transposed_value" in code and code.count("np.array") >= 3
    assert any("smallest form" in text for text in page.words("markdown"))


def test_another_setting_needs_another_run(lab, small):
    page = finish(lab("verification", lang="en", bench="battery"))
    page.slide("draw_seed", 3)
    assert "bench-battery" not in page.html and not page.words("success")


def test_all_rows_can_be_taken_home(lab, small):
    page = finish(lab("verification", bench="battery"))
    assert [button.key for button in page.app.get("download_button")] == ["battery_CSV", "battery_JSON"]


def test_a_file_of_rows_is_evidence_by_itself():
    found = json.loads(verification_battery.written(as_json, [], about(3, 50, "no_scaling", {}), "plain Python"))
    assert found["meta"]["versions"]["numpy"] == np.__version__ and "torch" not in found["meta"]["versions"]
    assert (found["meta"]["seed"], found["meta"]["mistake"], found["rows"]) == (3, "no_scaling", [])


GREETING = pack([{"ready": True}])


@pytest.fixture
def dying(monkeypatch):
    """PyTorch's process greets, and dies of every question."""
    script = (f"import os, signal, sys\nos.write(1, {GREETING!r})\nsys.stdin.read(1)\n"
              "os.kill(os.getpid(), signal.SIGKILL)")
    process = TorchProcess([sys.executable, "-c", script], start=20)
    monkeypatch.setattr(reference, "PROCESS", process)
    monkeypatch.setattr(reference, "installed", lambda: True)
    yield process
    process.close()


@every_language
def test_a_process_killed_in_the_middle_of_a_battery_is_a_sentence_and_the_battery_goes_on(lab, small, dying, lang):
    page, _ = finish(lab("verification", lang=lang, bench="battery", compare="yes")), Language(lang)
    neutral, warning = page.words("warning")
    assert "**8**" in neutral and not page.words("success"), "with rows skipped nothing is green"
    assert "4" in warning and "-9" in warning and "Traceback" not in warning
    skipped = [row for row in bench(page, "battery") if _("skipped") in row[1]]
    assert len(skipped) == 4 and len(bench(page, "battery")) == 12
    assert all(row[0].startswith("random") and _("PyTorch gave no answer.") in row[1] for row in skipped)
    assert not page.words("error")


@needs_torch
def test_a_real_process_killed_between_two_slices_is_replaced(lab, small):
    page = lab("verification", lang="en", bench="battery", compare="yes").press("run_battery")
    reference.PROCESS.close()
    for _ in range(4):
        page.run()
    assert page.words("success") == ["**12** of 12 rows pass, **0** fail, 0 are skipped."]


# your own


def hand_in(page, array):
    page.app.text_area(key="own_text").set_value(array if isinstance(array, str) else repr(array.tolist()))
    return page.run()


@pytest.fixture
def own(lab):
    def open_page(lang="en", **fields):
        return lab("verification", lang=lang, **link(PLAIN | fields | {"bench": "own"}))

    return open_page


def test_a_right_output_is_right_and_a_printed_one_as_far_as_its_digits_go(own):
    right = ours(draw({}))["output"]
    page = own()
    assert page.words("info") and not page.words("success")
    assert "Right:" in hand_in(page, right).words("success")[0]
    assert "as far as its digits go" in hand_in(page, right.round(3)).words("success")[0]
    assert "Right" in hand_in(page, str(right)).words("success")[0]


def test_the_inputs_program_gives_no_answer_away(own, tmp_path):
    program = own().app.code[0].value
    path = tmp_path / "inputs.py"
    path.write_text(program)
    names = runpy.run_path(str(path))
    assert np.array_equal(names["query"], draw({}).query) and "attention" not in program and "import" in program


@every_language
def test_a_full_output_off_by_a_thousandth_is_not_right(own, lang):
    """Sixteen digits are no float16: the error is named, and so are both numbers."""
    wrong = ours(draw({}))["output"].copy()
    wrong[0, 0, 0, 0] += 1e-3
    page = hand_in(own(lang), wrong)
    assert not page.words("success") and "[1, 1, 1, 1]" in page.words("error")[0]
    page = hand_in(page, json.dumps({"output": ours(draw({}))["output"].tolist()}))
    assert page.words("success") and not page.words("error")
    wrong[0, 0, 0, 0] = np.nan
    page = hand_in(page, wrong)
    assert "NaN" not in page.words("error")[0] and any("NaN" in text for text in page.words("markdown"))
    assert not any("1 entries" in text for text in page.words("markdown"))


@every_mistake
def test_the_output_of_a_mistake_is_named_and_explained(own, mistake):
    fields = SHOWS[mistake]
    page = hand_in(own(**fields), ours(draw(fields), mistake)["output"])
    error, = page.words("error")
    assert words.BUG[mistake] in error and SIGNATURE[mistake][0] in page.says


def test_any_other_output_is_off_by_so_much_at_this_place(own):
    wrong = ours(draw({}))["output"].copy()
    wrong[0, 1, 2, 0] += 0.25
    error, = hand_in(own(), wrong).words("error")
    assert "**0.2500**" in error and "[1, 2, 3, 1]" in error and "6\N{NO-BREAK SPACE}%" in error
    wrong[0, 0, 0, 0] = np.nan
    page = hand_in(own(), repr(wrong.tolist()))
    assert any("[1, 1, 1, 1]" in text and "NaN" in text for text in page.words("markdown"))


def test_a_turned_output_and_a_wrong_shape_are_named(own):
    right = ours(draw({}))["output"]
    assert "swapaxes" in hand_in(own(), right.swapaxes(1, 2)).words("warning")[0]
    error, = hand_in(own(), right[:, :1, :2]).words("error")
    assert "1 × 1 × 2 × 3" in error and "1 × 2 × 3 × 3" in error


@every_language
@pytest.mark.parametrize("junk", ["fish", "[[1, 2], [3]]", "[1+2j]", "[[]]", "<b>1</b>", "1_" * 300])
def test_what_cannot_be_read_is_refused_in_a_sentence(own, junk, lang):
    page = hand_in(own(lang), junk)
    error, = page.words("error")
    assert error[0].isupper() or error[0] == "“"
    assert "Traceback" not in error and "<b>" not in error.replace("\\<", "")
    assert not page.words("success")
