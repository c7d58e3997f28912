"""What the bench says of PyTorch's two paths, of ratios, gradients and findings; and what it does not blame on us."""

import subprocess
import sys

import numpy as np
import pytest

from attention_core.mistakes import MISTAKES
from pages.ui.bench.backends import findings
from pages.ui.bench.experiment import drawn, given
from pages.ui.bench.stages import NO_GRADIENTS, ours
from pages.ui.judge import reference
from pages.ui.judge.program import two_paths
from pages.ui.judge.reference import Answer
from pages.ui.language import Language
from pages.ui.lessons.verification_judged import judge, relative
from pages.ui.lessons.verification_mistakes import SIGNATURE
from pages.ui.lessons.verification_table import figure, pair, size_of
from tests.pages.test_verification import bench, every_language, needs_torch

ZERO = {"example": "drawn", "draw_d_v": "5", "draw_mask": "causal", "draw_scale": "zero", "draw_heads": "1"}
EN = Language("en")


def named(page, name):
    """The row of a stage."""
    found, = [row for row in bench(page, "stages") if row[0] == name]
    return found


# the comparison


def answers(output, fused):
    return {"math": Answer(output), "fused": fused}


@pytest.fixture
def case():
    experiment = drawn(0)
    return experiment, ours(experiment)


def test_a_fused_path_that_is_wrong_is_a_finding_and_nothing_of_ours_is_red(case):
    experiment, right = case
    wrong = right["output"].copy()
    wrong[0, 0, 2, 1] = np.nan
    found = judge(experiment, None, right, answers(right["output"], Answer(wrong)))
    assert found.finding.index == (0, 0, 2, 1) and found.first is None and found.at.stage != "fused"
    assert [found.mark(each) for each in found.rows if each.stage == "fused"] == ["finding"]


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_planted_mistake_is_no_finding_about_the_fused_path(mistake):
    experiment = drawn(3, heads=2, mask="bool", scale="large")
    right = ours(experiment)
    found = judge(experiment, mistake, right, answers(right["output"], Answer(right["output"])))
    red = {each.stage for each in found.rows if not each.agrees}
    assert found.finding is None and {"math", "fused"} & red == ({"math", "fused"} if "output" in red else set())


def test_a_wrong_maths_path_is_red_and_a_missing_one_is_not(case):
    experiment, right = case
    found = judge(experiment, None, right, answers(right["output"] + 1, Answer(None, "width", "too wide")))
    assert found.first == "math" and found.finding is None and list(found.unavailable) == ["fused"]
    assert judge(experiment, None, right, {"math": ValueError("no"), "fused": Answer(None)}).first is None


def test_the_output_counts_once_and_inputs_do_not_count(case):
    experiment, right = case
    assert judge(experiment, None, None).count == judge(experiment, "no_scaling", None).count == 5
    assert judge(experiment, None, right, answers(right["output"], Answer(right["output"]))).count == 8
    assert judge(experiment, None, right, answers(right["output"], Answer(None, "dims"))).count == 8


def test_a_ratio_to_0_is_none_and_sits_where_it_is_largest():
    ratio, at = relative(np.array([[1e-9, 2.0], [3.0, np.nan]]), np.array([[0.0, 1.0], [4.0, 1.0]]))
    assert (ratio, at) == (1.0, (0, 1))
    ratio, at = relative(np.array([1e-9, np.inf]), np.array([0.0, np.inf]))
    assert np.isnan(ratio) and at is None
    assert relative(np.ones(2), np.ones(3))[1] is None


def test_two_numbers_are_written_such_that_a_difference_is_seen():
    for got, expected in ((0.1 + 0.2, 0.3), (1.0, np.nextafter(1, 2)), (-1e-9, -1.0000000000000002e-9), (3e9, 3e9 + 1)):
        one, other = pair(EN, got, expected)
        assert one != other and pair(Language("id"), got, expected) == (one.replace(".", ","), other.replace(".", ","))
    assert pair(EN, 0.5, 0.25) == ("0.5000", "0.2500") and pair(EN, np.nan, 0.5) == ("NaN", "0.5000")


@pytest.mark.parametrize("value", [1e-9, 2.5e-300, 3e8])
def test_no_line_ends_within_a_power_of_ten(value):
    assert " " not in figure(EN, value) and " " not in size_of(EN, value)


# the page


@needs_torch
@every_language
def test_where_the_fused_path_answers_nan_the_page_says_so_and_blames_nobody(lab, lang):
    page, _ = lab("verification", lang=lang, compare="yes", **ZERO), Language(lang)
    assert "✓" in named(page, _("output, maths path"))[1]
    row = named(page, _("output, fused path"))
    assert "◆" in row[1] and row[6] == "NaN" and row[5] != "NaN"
    assert 'verdict wrong"' not in page.html and 'verdict found"' in page.html and not page.words("error")
    assert any("◆" in text and "NaN" in text for text in page.words("info")) and page.words("success")
    assert any("FLASH_ATTENTION" in code.value for code in page.app.code)


@needs_torch
def test_both_paths_agree_or_the_fused_one_says_why_it_is_missing(lab):
    page = lab("verification", lang="en", compare="yes", **ZERO | {"draw_scale": "default"})
    assert "✓" in named(page, "output, fused path")[1] and "All 8 stages" in page.says
    source = lab("verification", lang="en", compare="yes")
    row = named(source, "output, fused path")
    assert "not available" in row[1] and "four axes" in row[1] and set(row[2:]) == {"–"}
    wide = lab("verification", lang="en", compare="yes", **ZERO | {"draw_d_v": "3"})
    assert "dᵥ = dₖ" in named(wide, "output, fused path")[1]


@needs_torch
def test_the_upstream_gradient_is_shown_with_its_seed(lab):
    page = lab("verification", lang="en", compare="yes", q="2_0~0_1", k="1_0~0_1", v="1~3")
    expected = given("source", np.ones((2, 2)), np.ones((2, 2)), np.ones((2, 1))).grad_output
    assert page.table("dO") == [[EN.number(value)] for value in expected.ravel()]
    assert "drawn with seed 0." in page.says
    page = lab("verification", lang="en", compare="yes", **ZERO | {"draw_seed": "7"})
    shown = [[float(cell.replace("−", "-")) for cell in row] for row in page.table("dO")]
    assert np.allclose(shown, drawn(7).grad_output[0, 0], atol=5.1e-5) and "seed 7 after Q, K and V" in page.says


@pytest.mark.parametrize("torch", ["no", pytest.param("yes", marks=needs_torch)])
def test_with_a_mistake_the_page_says_why_gradients_are_missing(lab, torch):
    page = lab("verification", lang="en", bug="no_scaling", compare=torch)
    assert NO_GRADIENTS in page.says and "The gradients need PyTorch" not in page.says and "matrix-dO" not in page.html


@every_language
def test_a_mistake_that_cannot_show_is_no_success(lab, lang):
    page, _ = lab("verification", lang=lang, bug="inverted_mask"), Language(lang)
    told, = page.words("info")
    assert _(SIGNATURE["inverted_mask"][2]) in told and not page.words("success") and not page.words("error")
    assert "All 5 stages" in lab("verification", lang="en").words("success")[0]


def test_every_finding_shows_its_inputs_and_a_program(lab):
    page = lab("verification", lang="en", bench="backends")
    programs = [code.value for code in page.app.code if "sdpa_kernel" in code.value]
    assert programs == [two_paths(each.experiment) for each in findings()]
    for each in findings():
        shape = np.shape(page.table(f"Q_{each.id}"))
        assert shape == each.experiment.query[0, 0].shape, each.id
    assert page.table("Q_nan_query")[0][0] == "NaN" and "the scale −1." in page.says


@needs_torch
@pytest.mark.parametrize("number", range(len(findings())))
def test_the_program_of_a_finding_shows_it(number):
    finding = findings()[number]
    ran = subprocess.run([sys.executable, "-c", two_paths(finding.experiment)], capture_output=True, text=True,
                         timeout=120, check=True)
    math, fused = ran.stdout.split("MATH")[1].split("FLASH_ATTENTION")
    assert ("nan" in fused or "inf" in fused) != (finding.id == "nan_query")
    assert ("nan" in math) == (finding.id == "nan_query") and math.strip() != fused.strip()


@needs_torch
def test_with_pytorch_the_histogram_has_all_four_precisions(lab):
    page = lab("verification", lang="en", bench="dtypes", compare="yes")
    chart, = page.app.get("plotly_chart")
    assert all(dtype in chart.proto.alt for dtype in reference.TOLERANCES)
    assert not any("missing from this picture" in text for text in page.words("caption"))


def test_without_it_two_and_why_and_what_was_not_measured_here(lab):
    page = lab("verification", lang="en", bench="dtypes")
    chart, = page.app.get("plotly_chart")
    assert "float32" in chart.proto.alt and "float16" not in chart.proto.alt
    assert any("missing from this picture" in text for text in page.words("caption"))
    assert any("authors measured it once" in text for text in page.words("caption"))
