"""The battery passes with the core, fails with every mistake, and outlives the death of its judge."""

import csv
import io
import json
import runpy
from itertools import islice

import numpy as np
import pytest

from attention_core import scaled_dot_product_attention
from attention_core.mistakes import MISTAKES
from pages.ui.bench import battery, exact, export, laws, verdict
from pages.ui.bench.experiment import random_experiment
from pages.ui.bench.stages import ours
from pages.ui.judge import reference
from pages.ui.judge.reference import Answer, TorchError

needs_torch = pytest.mark.skipif(not reference.installed(), reason="PyTorch is missing")
every_mistake = pytest.mark.parametrize("mistake", MISTAKES)


@pytest.fixture(scope="module")
def rows():
    return list(battery.battery(battery.cases(n_random=40)))


def test_no_mistake_no_red(rows):
    groups = [row.group for row in rows]
    assert [groups.count(name) for name in ("exact", "random", "law")] == [103, 40, 35]
    assert {row.verdict for row in rows} == {"pass"}
    assert len({row.id for row in rows}) == len(rows)
    for row in rows:
        assert row.input and row.expected and row.got
        assert np.isnan(row.difference) or row.difference <= row.tolerance


@every_mistake
def test_every_mistake_is_red_in_every_group(mistake):
    found = list(battery.battery(battery.cases(n_random=40), mistake))
    red = {row.group for row in found if row.verdict == "fail"}
    assert red == {"exact", "random", "law"}
    skipped = [row for row in found if row.verdict == "skipped"]
    assert {row.group for row in skipped} == {"exact"} and {row.reason for row in skipped} == {battery.UNTOUCHED}
    assert len(skipped) == 29  # 20 refusals, and softmax, Jacobians and additive attention


@every_mistake
def test_a_failing_row_opens_to_a_smaller_form_that_runs(mistake, tmp_path, capsys):
    found = battery.battery((case for case in battery.cases(n_random=40) if case.group != "exact"), mistake)
    row = next(row for row in found if row.verdict == "fail")
    small = row.shrunk()
    assert small.query.size + small.key.size + small.value.size <= 12
    path = tmp_path / "row.py"
    path.write_text(row.snippet())
    names = runpy.run_path(str(path))
    assert names["heads"] == small.heads and f"'{mistake}'" in path.read_text()
    assert "with the mistake" in capsys.readouterr().out


def test_snippets_of_exact_cases_run(tmp_path, capsys):
    ran = 0
    for case in exact.cases():
        path = tmp_path / f"case_{ran}.py"
        path.write_text(exact.snippet(case))
        if case["expected"].get("raises"):
            with pytest.raises((ValueError, TypeError)):
                runpy.run_path(str(path))
        else:
            runpy.run_path(str(path))
            assert capsys.readouterr().out.strip()
        ran += 1
    assert ran == 103


def test_an_exact_row_with_a_wrong_value_in_the_file_fails():
    case = json.loads(json.dumps(exact.cases()[2]))
    case["expected"]["output"][0][0] += 1e-9
    row = battery.run(battery.Case("spoiled", "exact", exact.experiment_of(case), exact=case))
    assert row.verdict == "fail" and row.difference == pytest.approx(1e-9, rel=1e-3)
    assert row.got.startswith("output[0, 0]")
    case["expected"] = {"weight": [[1.0]]}
    with pytest.raises(KeyError):
        battery.run(battery.Case("unknown", "exact", exact=case))


def test_a_refusal_is_judged_by_its_words():
    case = json.loads(json.dumps(next(c for c in exact.cases() if c["name"] == "invalid_dk_mismatch")))
    assert verdict.refusal(case, exact.compute).agrees
    case["expected"]["message_must_name"].append(["no such word"])
    assert not verdict.refusal(case, exact.compute).agrees
    assert not verdict.refusal(case, lambda _: {}).agrees
    with pytest.raises(ValueError, match="nothing was compared"):
        verdict.worst({}, {}, {})


LAW_BROKEN_BY = {
    "rows_sum_to_1": "softmax_over_columns", "shift": "no_max_subtraction", "inside": "transposed_value",
    "causality": "off_by_one_causal", "permutation": "transposed_value", "nothing_seen": "no_max_subtraction",
    "tiled": "no_scaling",
}


@pytest.mark.parametrize("law", laws.LAWS)
def test_a_law_holds_and_can_be_broken(law):
    cases = [battery.Case(str(seed), "law", laws.experiment_for(law, seed), law=law) for seed in range(60)]
    assert {battery.run(case).verdict for case in cases} == {"pass"}
    broken = [battery.run(case, LAW_BROKEN_BY[law]).verdict for case in cases]
    assert broken.count("fail") >= 5


class Judge:
    """Answers like PyTorch, but dies at the second call."""

    def __init__(self, spoil=0.0):
        self.calls, self.spoil = 0, spoil

    def __call__(self, questions):
        self.calls += 1
        if self.calls == 2:
            raise TorchError("PyTorch's process ended with code -9", "died")
        keys = ("query", "key", "value", "attn_mask", "is_causal", "scale")
        asked = ({key: question[key] for key in keys} for question in questions)
        return [Answer(scaled_dot_product_attention(**arguments).output + self.spoil) for arguments in asked]


def random_cases(count):
    return (case for case in battery.cases(n_random=count) if case.group == "random")


def test_the_death_of_the_judge_costs_the_rows_it_was_asked_and_no_other():
    found = list(battery.battery(random_cases(120), ask=Judge()))
    assert [row.verdict for row in found] == ["pass"] * 50 + ["skipped"] * 50 + ["pass"] * 20
    assert found[60].reason == battery.NO_ANSWER and "code -9" in found[60].got
    assert {row.judge for row in found} == {"PyTorch"}


def test_a_judge_that_disagrees_turns_the_row_red_and_an_error_is_of_one_row():
    found = list(battery.battery(random_cases(5), ask=Judge(spoil=1e-3)))
    assert {row.verdict for row in found} == {"fail"} and found[0].difference == pytest.approx(1e-3)
    answer = list(battery.battery(random_cases(2), ask=lambda asked: [TorchError("no"), ValueError("too large")]))
    assert [row.verdict for row in answer] == ["skipped", "skipped"]


@needs_torch
def test_pytorch_agrees():
    found = list(battery.battery(random_cases(200), ask=reference.sdpa_many))
    assert len(found) == 200 and {(row.verdict, row.judge) for row in found} == {("pass", "PyTorch")}


def test_the_battery_draws_only_what_is_taken():
    taken = []

    def counted():
        for case in battery.cases(n_random=1000):
            taken.append(case)
            yield case

    assert len(list(islice(battery.battery(counted()), 3))) == 3
    assert len(taken) == battery.CHUNK


def test_the_table_leaves_as_csv_and_json(rows):
    mixed = [*rows[:3], rows[-1], *battery.battery(random_cases(3), ask=lambda asked: [TorchError("a,\n\"b")] * 3)]
    found = list(csv.DictReader(io.StringIO(export.as_csv(mixed))))
    assert [row["id"] for row in found] == [row.id for row in mixed] and tuple(found[0]) == export.COLUMNS
    assert float(found[0]["difference"]) == mixed[0].difference and '"b' in found[-1]["got"]
    plain = json.loads(export.as_json(mixed), parse_constant=lambda name: pytest.fail(name))
    assert plain[0]["tolerance"] == mixed[0].tolerance and plain[-1]["difference"] is None
    infinite = battery.run(battery.Case("spoiled", "random", random_experiment(0)), None, np.zeros((9, 9)))
    assert json.loads(export.as_json([infinite]))[0]["difference"] == "inf"


def test_the_cases_cannot_be_told_from_the_files():
    assert exact.experiment_of(exact.cases()[0]).name == exact.cases()[0]["name"]
    for case in exact.cases():
        experiment = exact.experiment_of(case)
        if experiment is not None and "output" in case["expected"]:
            expected = exact.read(case["expected"]["output"])
            np.testing.assert_allclose(ours(experiment, gradients=False)["output"], expected, **case["tolerance"])
