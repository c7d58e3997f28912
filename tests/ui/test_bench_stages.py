"""The bench turns red for every planted mistake, at its stage and nowhere earlier, and never without one."""

import doctest
import importlib
import os
import runpy
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import attention_gradients, scaled_dot_product_attention
from attention_core.mistakes import MISTAKES, STAGE_OF
from pages.ui.bench import backends, shrink, stages
from pages.ui.bench.experiment import MASKS, SCALES, drawn, many, random_experiment
from pages.ui.bench.experiment import given as given_arrays
from pages.ui.bench.plain import plain_stages
from pages.ui.bench.stages import MEASURED, REASONS, STAGES, compare, first_red, ours, row
from pages.ui.judge import reference
from pages.ui.judge.reference import TOLERANCES, Answer, TorchError

ROOT = Path(__file__).parents[2]
needs_torch = pytest.mark.skipif(not reference.installed(), reason="PyTorch is missing")
every_mistake = pytest.mark.parametrize("mistake", MISTAKES)
every_dtype = pytest.mark.parametrize("dtype", TOLERANCES)


def experiment_for(mistake, seed=0):
    """Two heads, a causal mask, and large scores for the overflow."""
    scale = "large" if mistake == "no_max_subtraction" else "default"
    return drawn(seed, n=5, m=5, d_k=4, d_v=3, heads=2, batch=2, mask="causal", scale=scale)


@pytest.fixture(scope="module")
def judged():
    """PyTorch's stages for the two experiments of `experiment_for`."""
    return {mistake: stages.theirs(experiment_for(mistake)) for mistake in ("no_scaling", "no_max_subtraction")}


@pytest.mark.parametrize("seed", range(5))
@every_mistake
def test_a_mistake_is_red_first_at_its_stage(mistake, seed):
    experiment = experiment_for(mistake, seed)
    rows = compare(ours(experiment, mistake), ours(experiment))
    assert first_red(rows) == STAGE_OF[mistake]
    assert not rows[-1].agrees and rows[-1].stage == "output"


@needs_torch
@every_mistake
def test_against_pytorch_too(mistake, judged):
    expected = judged["no_max_subtraction" if mistake == "no_max_subtraction" else "no_scaling"]
    experiment = experiment_for(mistake)
    assert first_red(compare(ours(experiment, mistake), expected)) == STAGE_OF[mistake]
    rows = compare(ours(experiment), expected)
    assert first_red(rows) is None and [row.stage for row in rows] == list(STAGES)


@settings(deadline=None, max_examples=150)
@given(st.sampled_from(MISTAKES), st.integers(0, 10**6))
def test_no_mistake_is_ever_red_before_its_stage(mistake, seed):
    experiment = random_experiment(seed)
    first = first_red(compare(ours(experiment, mistake), ours(experiment, gradients=False)))
    assert first is None or STAGES.index(first) >= STAGES.index(STAGE_OF[mistake])


def test_no_mistake_is_never_red_over_1000_draws():
    """Against Python's own arithmetic, which shares nothing with NumPy's."""
    count = 0
    for experiment in many(1000, seed=0):
        rows = compare(ours(experiment, gradients=False), plain_stages(experiment))
        assert [row.stage for row in rows] == ["scores", "scaled", "masked", "weights", "output"]
        assert first_red(rows) is None, (experiment.name, rows)
        count += 1
    assert count == 1000


@needs_torch
@every_dtype
def test_no_red_against_pytorch_in_any_dtype(dtype):
    for experiment in many(60, seed=5):
        rows = compare(ours(experiment, None, dtype), stages.theirs(experiment, dtype), TOLERANCES[dtype])
        assert len(rows) == len(STAGES) and first_red(rows) is None, (experiment.name, rows)


@given(st.integers(0, 10**6))
def test_ours_is_the_core(seed):
    """And not attend_with: the bench must not judge a copy."""
    experiment = random_experiment(seed)
    attention = scaled_dot_product_attention(**experiment.arguments())
    gradients = attention_gradients(**experiment.arguments(), grad_output=experiment.grad_output)
    found = ours(experiment)
    for name in ("scores", "scaled", "weights", "output"):
        assert np.array_equal(found[name], getattr(attention, name))
    for name in ("query", "key", "value"):
        assert np.array_equal(found[f"grad_{name}"], getattr(gradients, name))
    assert list(found) == list(STAGES)


def test_stages_without_a_mistake_planted_are_the_cores_in_shape_as_well():
    experiment = drawn(0, heads=3, batch=2, d_v=7)
    for mistake in MISTAKES:
        for name, array in ours(experiment, mistake).items():
            assert array.shape == ours(experiment)[name].shape, name


def test_what_agrees():
    nan, inf = np.nan, np.inf
    assert row("output", np.array([nan, inf, -inf, 0.0]), np.array([nan, inf, -inf, 0.0]), 0).agrees
    for found, expected in ((nan, 1.0), (1.0, nan), (inf, 1e308), (-inf, inf), (-inf, nan), (1.0, 1.1)):
        assert not row("output", np.array([found]), np.array([expected]), 1e-3).agrees, (found, expected)
    assert np.isnan(row("output", np.array([nan, 5.0]), np.array([1.0, 1.0]), 1).difference)
    assert not row("output", np.zeros((2, 3)), np.zeros((3, 2)), 1).agrees
    assert row("output", np.zeros((0, 3)), np.zeros((0, 3)), 0).index is None


def test_where_the_largest_differences_sit():
    found = row("output", np.array([[1.0, 2.5], [0.002, 4.0]]), np.array([[1.0, 2.0], [0.001, 4.0]]), 0.1)
    assert (found.index, found.difference, found.got, found.expected) == ((0, 1), 0.5, 2.5, 2.0)
    assert found.relative == pytest.approx(1.0) and not found.agrees


def test_a_tolerance_grows_with_the_numbers_but_never_without_end():
    small, large = ours(drawn(0)), ours(drawn(0, scale="large"))
    assert stages.allowance(1e-12, small, "weights") < 1e-11
    assert 1e-10 < stages.allowance(1e-12, large, "weights") <= 1e-9
    huge = {name: array * 1e200 for name, array in large.items()}
    assert stages.allowance(1e-12, {**huge, "weights": large["weights"]}, "weights") == 1e-9


def test_every_dtype_has_a_figure_and_a_reason():
    assert set(MEASURED) == set(REASONS) == set(TOLERANCES) == {"float64", "float32", "float16", "bfloat16"}
    assert all(MEASURED[dtype] < TOLERANCES[dtype] for dtype in TOLERANCES)


# drawing


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("scale", SCALES)
def test_a_draw_is_what_its_arguments_say_and_repeats(mask, scale):
    sizes = {"n": 2, "m": 3, "d_k": 5, "d_v": 7, "heads": 4, "batch": 3}
    first, again, other = (drawn(seed, **sizes, mask=mask, scale=scale) for seed in (1, 1, 2))
    assert first.query.shape == (3, 4, 2, 5) and first.key.shape == (3, 4, 3, 5) and first.value.shape == (3, 4, 3, 7)
    assert first.grad_output.shape == ours(first)["output"].shape == (3, 4, 2, 7)
    assert np.array_equal(first.query, again.query) and not np.array_equal(first.query, other.query)
    assert first.is_causal == (mask == "causal") and first.scale == SCALES[scale]
    assert (first.attn_mask is None) == (mask in ("none", "causal"))
    assert first.heads == 4


@pytest.mark.parametrize(
    ("change", "error"),
    [({"n": 13}, ValueError), ({"heads": 5}, ValueError), ({"batch": 0}, ValueError), ({"m": 2.0}, TypeError),
     ({"mask": "all"}, ValueError), ({"scale": "huge"}, ValueError)],
)
def test_a_draw_out_of_bounds_is_refused(change, error):
    with pytest.raises(error, match=next(iter(change))):
        drawn(0, **change)


# shrinking


@every_mistake
def test_the_smallest_form_fails_and_is_smaller(mistake):
    experiment = experiment_for(mistake)

    def fails(candidate):
        return first_red(compare(ours(candidate, mistake), ours(candidate, gradients=False))) == STAGE_OF[mistake]

    small = shrink.smallest(experiment, fails)
    assert fails(small)
    assert small.query.size + small.key.size + small.value.size <= 16 < experiment.query.size
    ours(small)  # all sizes still fit, the gradient's too


def test_what_does_not_fail_is_not_shrunk_and_trying_has_an_end():
    experiment = drawn(0, n=6)
    assert shrink.smallest(experiment, lambda _: False) is experiment
    calls = []
    shrink.smallest(drawn(0, n=12, m=12), lambda candidate: calls.append(1) or len(calls) % 2, most=20)
    assert len(calls) <= 21


def test_shrinking_rounds_the_numbers():
    small = shrink.smallest(drawn(3), lambda candidate: candidate.query.max() > 0.5)
    assert small.query.tolist() == [[1.0]] and small.attn_mask is None


@pytest.mark.parametrize("seed", range(8))
def test_every_candidate_is_a_legal_experiment(seed):
    experiment = random_experiment(seed)
    found = list(shrink.candidates(experiment))
    assert found
    for candidate in found:
        assert candidate.grad_output.shape == ours(candidate)["output"].shape


# snippets


def run(snippet, tmp_path, capsys):
    path = tmp_path / "snippet.py"
    path.write_text(snippet)
    names = runpy.run_path(str(path))
    return names, capsys.readouterr().out


def without_torch(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)


@every_dtype
@pytest.mark.parametrize("seed", range(6))
def test_a_snippet_makes_the_same_inputs_to_the_last_bit(dtype, seed, tmp_path, capsys, monkeypatch):
    without_torch(monkeypatch)
    experiment = random_experiment(seed, masks=(MASKS[seed % 5],))
    names, printed = run(experiment.snippet(dtype), tmp_path, capsys)
    expected = experiment.in_dtype(dtype)
    for name in ("query", "key", "value", "grad_output", "attn_mask"):
        assert np.array_equal(names[name], getattr(expected, name)) if names[name] is not None else (
            getattr(expected, name) is None)
    assert np.array_equal(names["attention"].output, ours(experiment, None, dtype)["output"])
    assert "PyTorch is not installed." in printed


@every_mistake
def test_a_snippet_shows_the_mistake(mistake, tmp_path, capsys):
    names, printed = run(experiment_for(mistake).snippet(mistake=mistake), tmp_path, capsys)
    heads = np.split(names["wrong"].output, 2, axis=-1)
    assert np.array_equal(np.stack(heads, axis=-3), ours(experiment_for(mistake), mistake)["output"], equal_nan=True)
    assert "largest difference at output" in printed and "largest difference at output 0.0" not in printed


def test_a_snippet_spreads_keys_that_all_heads_share(tmp_path, capsys):
    random = np.random.default_rng(0)
    shared = given_arrays("shared", random.normal(size=(2, 3, 2, 5)), *random.normal(size=(2, 1, 1, 4, 5)))
    names, _ = run(shared.snippet(mistake="wrong_head_split"), tmp_path, capsys)
    heads = np.split(names["wrong"].output, 3, axis=-1)
    assert np.array_equal(np.stack(heads, axis=-3), ours(shared, "wrong_head_split")["output"])


@needs_torch
def test_snippets_ask_pytorch_the_same(tmp_path, capsys):
    """In a process of their own: torch must not enter the one that runs the tests of the pages."""
    lines = []
    for mask in ("bool", "float"):
        both = replace(drawn(2, mask=mask), is_causal=True)
        lines += [both.snippet(), "assert np.abs(theirs.double().numpy() - attention.output).max() < 1e-12\n"]
    path = tmp_path / "snippet.py"
    path.write_text("\n".join(lines))
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, str(path)], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


# back ends

FINDINGS = {finding.id: finding for finding in backends.findings()}


@pytest.mark.parametrize("name", FINDINGS)
def test_ours_is_exact_on_every_finding_or_refuses(name):
    finding = FINDINGS[name]
    expected = "refused" if name == "nan_query" else "agrees"
    assert backends.judge(finding, None, None, backends.ours_of(finding)) == {
        "math": "missing", "fused": "missing", "ours": expected,
    }
    assert expected == "refused" or np.isfinite(finding.exact).all()


@needs_torch
def test_the_findings_are_found():
    questions = [finding.experiment.question(backend=name) for finding in FINDINGS.values()
                 for name in ("math", "fused")]
    answers = iter(reference.sdpa_many(questions))
    for finding in FINDINGS.values():
        verdict = backends.judge(finding, next(answers), next(answers), backends.ours_of(finding))
        assert (verdict["math"], verdict["fused"]) == ("agrees", "fused_differs"), finding.id


def test_a_wrong_answer_is_no_finding_where_it_is_ours():
    finding, wrong = FINDINGS["zero_scale"], np.zeros((1, 1, 2, 2))
    verdict = backends.judge(finding, Answer(wrong), Answer(finding.exact), wrong)
    assert verdict == {"math": "differs", "fused": "agrees", "ours": "differs"}
    refused = backends.judge(finding, TorchError("gone", "died"), Answer(None, "kernel"), ValueError("Q"))
    assert refused == {"math": "missing", "fused": "missing", "ours": "refused"}


def test_the_bench_brings_neither_torch_nor_streamlit_into_the_process():
    names = sorted(path.stem for path in (ROOT / "pages" / "ui" / "bench").glob("*.py"))
    assert "battery" in names
    script = f"import sys; from pages.ui.bench import {', '.join(names)}\n"
    script += "print({'torch', 'streamlit'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize("path", sorted((ROOT / "pages" / "ui" / "bench").glob("*.py")), ids=lambda path: path.stem)
def test_the_examples_in_the_docstrings_are_true(path):
    results = doctest.testmod(importlib.import_module(f"pages.ui.bench.{path.stem}"))
    assert results.attempted > 0 and results.failed == 0


def test_given_takes_lists_and_a_mask_of_one_axis():
    found = given_arrays("page", [[1, 2]], [[3, 4], [5, 6]], [[1], [2]], [True, False])
    assert found.attn_mask.shape == (1, 2) and ours(found)["output"].tolist() == [[1.0]]
