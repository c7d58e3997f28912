"""The battery passes with the core, fails with every mistake, and outlives the death of its judge."""

import csv
import io
import json
import re
import runpy
from itertools import islice

import numpy as np
import pytest

from attention_core import scaled_dot_product_attention
from attention_core.mistakes import MISTAKES
from pages.ui.bench import battery, exact, export, laws, verdict
from pages.ui.bench.experiment import random_experiment
from pages.ui.bench.smaller import Trial
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


def printed_differences(program, tmp_path, capsys):
    """Run a program and read the differences that it prints, by stage."""
    path = tmp_path / "row.py"
    path.write_text(program)
    runpy.run_path(str(path))
    found = re.findall(r"largest difference at (\w+) (\S+)", capsys.readouterr().out)
    return {stage: float(difference) for stage, difference in found}


@every_mistake
def test_a_failing_row_opens_to_a_smaller_form_that_shows_the_difference(mistake, tmp_path, capsys):
    found = battery.battery(battery.cases(n_random=10), mistake)
    failing = [row for row in found if row.verdict == "fail"]
    assert {row.group for row in failing} == {"exact", "random", "law"}
    for row in failing:
        small, program = row.shrunk(), row.snippet()
        dtype = "float32" if row.id in ("random_float32", "random_float16") else "float64"
        assert program.startswith("# Run it in the folder of the lab") and f"'{mistake}'" in program
        assert small is None or f'dtype="{dtype}"' in program, row.id
        differences = printed_differences(program, tmp_path, capsys)
        limit = 1e-12 if dtype == "float64" else 2e-6
        assert not all(difference <= limit for difference in differences.values()), (row.id, differences)
        if small is not None:
            stage = Trial(mistake, _dtype(row.id)).wrong(small)[0]
            assert not differences[stage] <= limit, (row.id, differences)


def _dtype(id):
    return id.removeprefix("random_") if id in ("random_float32", "random_float16") else "float64"


def test_the_smallest_form_keeps_what_made_the_row_fail(tmp_path, capsys):
    cases = {case.id: case for case in battery.cases(n_random=40)}
    row = battery.run(cases["random_5"], "off_by_one_causal")
    assert row.verdict == "fail" and "output" in Trial("off_by_one_causal").wrong(cases["random_5"].experiment)
    assert Trial("off_by_one_causal").wrong(row.shrunk())[0] == "output"
    assert printed_differences(row.snippet(), tmp_path, capsys)["output"] > 1e-3
    assert row.shrunk().query.size + row.shrunk().key.size + row.shrunk().value.size <= 12


@every_mistake
def test_one_head_is_no_different_from_attention(mistake):
    """The harness itself must not turn a row red: with one head there is nothing to split, and no causal mask."""
    case = next(case for case in battery.cases(n_random=0) if case.id == "multihead_H1_dmodel4")
    shows = mistake in ("no_scaling", "softmax_over_columns", "transposed_value")
    assert battery.run(case, mistake).verdict == ("fail" if shows else "pass")


def test_a_given_scale_is_left_alone():
    rows = [battery.run(case, "scale_by_d_model") for case in battery.cases(n_random=60)
            if case.experiment is not None and case.experiment.scale is not None]
    assert len(rows) > 20 and {row.verdict for row in rows} == {"pass"}


def test_the_rows_of_laws_say_what_they_hold_to():
    rows = {row.id: row for row in battery.battery(case for case in battery.cases(n_random=0) if case.group == "law")}
    for number in range(battery.DRAWS):
        assert rows[f"nothing_seen_{number}"].input.endswith("attn_mask[..., 0, :] = False")
        assert "attn_mask bool" in rows[f"nothing_seen_{number}"].input
        assert rows[f"nothing_seen_{number}"].expected.count(",") == 3
        low, high = re.fullmatch(r"(\S+) <= output\[.*\] <= (\S+)", rows[f"inside_{number}"].expected).groups()
        got = float(rows[f"inside_{number}"].got.split(" = ")[1])
        assert float(low) - 1e-9 <= got <= float(high) + 1e-9
        assert rows[f"rows_sum_to_1_{number}"].tolerance == 1e-12


def test_half_precision_is_held_to_what_is_compared():
    row, = (battery.run(case) for case in battery.cases(n_random=0) if case.id == "random_float16")
    assert row.verdict == "pass" and row.tolerance < 2e-5 and row.reason == battery.HALF


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
    """Answers like PyTorch, but dies at some calls."""

    def __init__(self, spoil=0.0, dies=()):
        self.calls, self.spoil, self.dies = 0, spoil, dies

    def __call__(self, questions):
        self.calls += 1
        if self.calls in self.dies:
            raise TorchError("PyTorch's process ended with code -9", "died")
        keys = ("query", "key", "value", "attn_mask", "is_causal", "scale")
        asked = ({key: question[key] for key in keys} for question in questions)
        return [Answer(scaled_dot_product_attention(**arguments).output + self.spoil) for arguments in asked]


def random_cases(count):
    return (case for case in battery.cases(n_random=count) if case.group == "random")


def test_the_death_of_the_judge_costs_nothing_if_a_new_one_answers():
    judge = Judge(dies=(2,))
    found = list(battery.battery(random_cases(120), ask=judge))
    assert [row.verdict for row in found] == ["pass"] * 120 and judge.calls == 4
    assert {row.judge for row in found} == {"PyTorch"}


def test_two_deaths_cost_the_rows_that_were_asked_and_no_other():
    found = list(battery.battery(random_cases(120), ask=Judge(dies=(2, 3))))
    assert [row.verdict for row in found] == ["pass"] * 50 + ["skipped"] * 50 + ["pass"] * 20
    assert found[60].reason == battery.NO_ANSWER and "code -9" in found[60].got


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
    meta = export.about(7, 40, "no_scaling", {"numpy": "2.4", "torch": "2.13+cpu"})
    found = list(csv.DictReader(io.StringIO(export.as_csv(mixed, meta))))
    assert [row["id"] for row in found] == [row.id for row in mixed]
    assert tuple(found[0]) == ("mistake", "seed", "random_cases", "versions", *export.COLUMNS)
    assert {(row["mistake"], row["seed"], row["random_cases"]) for row in found} == {("no_scaling", "7", "40")}
    assert found[0]["versions"] == "numpy 2.4; torch 2.13+cpu"
    assert float(found[0]["difference"]) == mixed[0].difference and '"b' in found[-1]["got"]
    plain = json.loads(export.as_json(mixed, meta), parse_constant=lambda name: pytest.fail(name))
    assert plain["meta"] == meta
    assert plain["rows"][0]["tolerance"] == mixed[0].tolerance and plain["rows"][-1]["difference"] is None
    infinite = battery.run(battery.Case("spoiled", "random", random_experiment(0)), None, np.zeros((9, 9)))
    assert json.loads(export.as_json([infinite], meta))["rows"][0]["difference"] == "inf"
    assert export.filename(meta, "json") == "battery_seed7_no_scaling.json"


def test_the_cases_cannot_be_told_from_the_files():
    assert exact.experiment_of(exact.cases()[0]).name == exact.cases()[0]["name"]
    for case in exact.cases():
        experiment = exact.experiment_of(case)
        if experiment is not None and "output" in case["expected"]:
            expected = exact.read(case["expected"]["output"])
            np.testing.assert_allclose(ours(experiment, gradients=False)["output"], expected, **case["tolerance"])
