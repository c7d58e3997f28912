"""PyTorch as the judge: its steps against the core's, its two back ends against each other, and what it never sees.

Sizes 2, 3, 5, 7, so that no two axes can be confused.
"""

import importlib.metadata
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from attention_core import attention_gradients, scaled_dot_product_attention
from pages.ui.judge import reference, torch_process
from pages.ui.judge.reference import TOLERANCES, TorchError, rounded, sdpa, sdpa_many, stages

ROOT = Path(__file__).parents[2]
MISSING = "PyTorch is missing: pip install -r requirements.txt"
needs_torch = pytest.mark.skipif(not reference.installed(), reason=MISSING)
every_dtype = pytest.mark.parametrize("dtype", TOLERANCES)
every_back_end = pytest.mark.parametrize("backend", ["math", "fused"])
OPTIONS = {
    "none": {},
    "causal": {"is_causal": True},
    "boolean": {"attn_mask": np.array([[True, False, True], [False, True, True]])},
    "masked row": {"attn_mask": np.array([[True, False, True], [False, False, False]])},
    "float": {"attn_mask": np.array([[0.5, -np.inf, -1.0], [0.0, 2.0, -0.25]])},
    "float masked row": {"attn_mask": np.array([[0.5, 0.0, -1.0], [-np.inf, -np.inf, -np.inf]])},
    "column": {"attn_mask": np.array([[True], [False]])},
    "row": {"attn_mask": np.array([False, True, True])},
    "boolean and causal": {"attn_mask": np.array([[True, False, True], [False, True, True]]), "is_causal": True},
    "float and causal": {"attn_mask": np.array([[0.5, 0.25, -1.0], [0.0, 2.0, -0.25]]), "is_causal": True},
    "scale": {"scale": 0.3},
    "negative scale": {"scale": -0.5, "is_causal": True},
    "zero scale": {"scale": 0.0, "is_causal": True},
}
FINDINGS = ("negative scale", "zero scale")  # where the fused path answers NaN
every_option = pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
IDENTITY = np.eye(2)[None, None]
VALUES = np.array([[[[1.0, 2.0], [3.0, 4.0]]]])


def draw(lead=(), d_v=7, seed=0):
    """Q (2, 5), K (3, 5), V (3, d_v) and the output's gradient (2, d_v), perhaps with leading axes."""
    random = np.random.default_rng(seed)
    return [random.normal(size=(*lead, *shape)) for shape in ((2, 5), (3, 5), (3, d_v), (2, d_v))]


def apart(found, expected):
    assert found.shape == expected.shape and found.dtype == np.float64
    return np.abs(found - expected).max()


@pytest.fixture
def nobody(monkeypatch):
    """A process that must not be asked."""

    class Nobody:
        def ask(self, items):
            raise AssertionError(f"asked {items}")

    monkeypatch.setattr(reference, "PROCESS", Nobody())


@needs_torch
@every_option
@pytest.mark.parametrize("lead", [(), (11,), (2, 3)], ids=["2-D", "3-D", "4-D"])
def test_every_step_and_gradient_is_the_cores(lead, options):
    query, key, value, grad_output = draw(lead)
    theirs = stages(query, key, value, grad_output=grad_output, **options)
    ours = scaled_dot_product_attention(query, key, value, **options)
    for name in ("scores", "scaled", "weights", "output"):
        assert apart(getattr(theirs, name), getattr(ours, name)) <= TOLERANCES["float64"], name
    mask = options.get("attn_mask", True)
    hidden = np.broadcast_to(False if ours.allowed is None else ~ours.allowed, ours.scores.shape)
    assert np.array_equal(theirs.masked == -np.inf, hidden)
    bias = mask if np.asarray(mask).dtype.kind == "f" else 0.0
    assert apart(np.where(hidden, 0, theirs.masked), np.where(hidden, 0, ours.scaled + bias)) <= TOLERANCES["float64"]
    gradients = attention_gradients(query, key, value, grad_output, **options)
    for name in ("query", "key", "value"):
        assert apart(getattr(theirs, f"grad_{name}"), getattr(gradients, name)) <= TOLERANCES["float64"], name


@needs_torch
def test_without_grad_output_the_loss_is_the_sum_of_the_output():
    query, key, value, grad_output = draw()
    expected = attention_gradients(query, key, value, np.ones_like(grad_output))
    assert apart(stages(query, key, value).grad_key, expected.key) <= 1e-12


@needs_torch
def test_the_gradient_of_a_broadcast_array_is_summed():
    query, (_, key, value, _), grad_output = draw((2, 3))[0], draw(seed=1), draw((2, 3), seed=2)[3]
    theirs = stages(query, key, value, grad_output=grad_output)
    ours = attention_gradients(query, key, value, grad_output)
    assert apart(theirs.grad_key, ours.key) <= 1e-12 and apart(theirs.grad_value, ours.value) <= 1e-12
    assert apart(sdpa(query, key, value).output, scaled_dot_product_attention(query, key, value).output) <= 1e-12


BOTH = [("math", name) for name in OPTIONS] + [("fused", name) for name in OPTIONS if name not in FINDINGS]


@needs_torch
@every_dtype
@pytest.mark.parametrize(("backend", "name"), BOTH)
def test_output_in_every_dtype(dtype, backend, name):
    options = OPTIONS[name]
    inputs = [rounded(array, dtype) for array in draw((2, 3), d_v=5)[:3]]
    found = sdpa(*inputs, **options, dtype=dtype, backend=backend).output
    assert apart(found, scaled_dot_product_attention(*inputs, **options).output) <= TOLERANCES[dtype]
    assert np.array_equal(rounded(found, dtype), found), "the answer holds numbers of this dtype"


@needs_torch
@every_dtype
@every_option
def test_the_steps_are_those_of_the_maths_path(dtype, options):
    """To the last digit or the one beside it: half precision is computed in float32 there, and rounded at the end."""
    inputs = draw((2, 3))[:3]
    found = stages(*inputs, **options, dtype=dtype)
    digit = {"float64": 2**-52, "float32": 2**-23, "float16": 2**-10, "bfloat16": 2**-7}[dtype]
    assert apart(found.output, sdpa(*inputs, **options, dtype=dtype).output) <= 4 * digit
    sums = found.weights.sum(axis=-1)
    assert np.all((np.abs(sums - 1) < 1e-6) | (sums == 0))


@needs_torch
def test_narrower_dtypes_are_worse():
    """Or the dtype would be ignored."""
    inputs = draw((2, 3), d_v=5)[:3]
    exact = scaled_dot_product_attention(*inputs).output
    errors = [apart(sdpa(*inputs, dtype=dtype).output, exact) for dtype in TOLERANCES]
    assert errors == sorted(errors) and errors[0] < 1e-14 < 1e-9 < errors[1] < 1e-5 < errors[2] < errors[3]


@needs_torch
@pytest.mark.parametrize("scale", [0.0, -1.0])
def test_finding_fused_answers_nan_for_a_scale_of_0_or_less_with_is_causal(scale):
    ask = {"query": IDENTITY, "key": IDENTITY, "value": VALUES, "is_causal": True, "scale": scale}
    fused, maths = sdpa(**ask, backend="fused").output, sdpa(**ask).output
    assert np.isnan(fused[0, 0, 0]).all() and not np.isnan(fused[0, 0, 1]).any()
    assert apart(maths, scaled_dot_product_attention(**ask).output) <= 1e-12


@needs_torch
def test_finding_fused_answers_0_for_a_query_that_is_no_number():
    query = IDENTITY.copy()
    query[0, 0, 0, 0] = np.nan
    fused, maths = (sdpa(query, IDENTITY, VALUES, backend=name).output for name in ("fused", "math"))
    assert np.array_equal(fused[0, 0, 0], [0, 0]) and np.isnan(maths[0, 0, 0]).all()


@needs_torch
def test_finding_fused_overflows_where_only_the_raw_score_is_too_large():
    query, key = np.array([[[[1e308, 0.0]]]]), np.array([[[[2.0, 0.0], [0.0, 1.0]]]])
    value = IDENTITY
    assert np.isnan(sdpa(query, key, value, backend="fused").output).all()
    assert np.array_equal(sdpa(query, key, value).output, [[[[1.0, 0.0]]]])
    assert np.array_equal(scaled_dot_product_attention(query, key, value).output, [[[[1.0, 0.0]]]])


@needs_torch
def test_finding_fused_overflows_for_values_near_the_largest_float():
    query = key = np.zeros((1, 1, 2, 2))
    value = np.full((1, 1, 2, 2), 1.7e308)
    assert np.isposinf(sdpa(query, key, value, backend="fused").output).all()
    assert np.array_equal(sdpa(query, key, value).output, value)


UNFUSED = {
    "dims": [(3, 2, 5), (3, 4, 5), (3, 4, 5)],
    "axes": [(2, 3, 2, 5), (1, 1, 4, 5), (1, 1, 4, 5)],
    "width": [(2, 3, 2, 5), (2, 3, 4, 5), (2, 3, 4, 7)],
}


@pytest.mark.parametrize("why", UNFUSED)
def test_what_the_fused_path_does_not_take_is_said_without_asking(nobody, why):
    found = sdpa(*map(np.zeros, UNFUSED[why]), backend="fused")
    assert (found.output, found.why) == (None, why) and "fused path takes" in found.reason


@pytest.mark.parametrize("why", UNFUSED)
def test_pytorch_does_not_take_it_either(why):
    """Or our rules would refuse what could be compared."""
    torch = pytest.importorskip("torch", reason=MISSING)
    arrays = [torch.zeros(shape) for shape in UNFUSED[why]]
    with pytest.warns(UserWarning), pytest.raises(RuntimeError, match="No available kernel"):
        with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.FLASH_ATTENTION):
            torch.nn.functional.scaled_dot_product_attention(*arrays)


@needs_torch
def test_a_kernel_that_pytorch_does_not_find_is_an_answer():
    query, key, value = map(np.zeros, UNFUSED["dims"])
    item = {
        "ask": "sdpa", "query": query, "key": key, "value": value, "lead": [3], "is_causal": False, "scale": None,
        "dtype": "float64", "backend": "fused",
    }
    answer = reference._read(*torch_process.PROCESS.ask([item]))
    assert (answer.output, answer.why) == (None, "kernel")
    assert "4 dimensional" in answer.reason and "Triggered" not in answer.reason


@needs_torch
@every_back_end
def test_memory_layout_does_not_matter(backend):
    inputs = draw((2, 3), d_v=5)[:3]
    expected = sdpa(*inputs, backend=backend).output
    strided = [np.repeat(array, 2, axis=-1)[..., ::-2][..., ::-1] for array in inputs]
    for same in ([np.asfortranarray(array) for array in inputs], strided, [array.tolist() for array in inputs]):
        assert np.array_equal(sdpa(*same, backend=backend).output, expected)


@needs_torch
def test_whole_numbers_and_empty_sides():
    ones = np.ones((2, 3), int)
    assert np.array_equal(sdpa(ones, ones, ones).output, np.ones((2, 3)))
    assert sdpa(np.ones((0, 3)), ones, ones).output.shape == (0, 3)
    assert np.array_equal(sdpa(ones, np.ones((0, 3)), np.ones((0, 3))).output, np.zeros((2, 3)))


Z = np.zeros
REFUSED = {
    "lengths": ({"key": Z((4, 5)), "value": Z((6, 5))}, ValueError, ["K", "V", "4", "6"]),
    "widths": ({"key": Z((3, 4))}, ValueError, ["Q", "K", "5", "4"]),
    "no width": ({"query": Z((2, 0)), "key": Z((3, 0))}, ValueError, ["Q", "d_k = 0"]),
    "no heads": ({"query": Z((1, 0, 2, 5)), "key": Z((1, 0, 3, 5)), "value": Z((1, 0, 3, 5))}, ValueError, ["(1, 0)"]),
    "leads": ({"query": Z((2, 2, 5)), "key": Z((3, 3, 5))}, ValueError, ["Q", "K", "2", "3"]),
    "one dim": ({"query": Z(5)}, ValueError, ["Q", "1"]),
    "mask": ({"attn_mask": Z((3, 2))}, ValueError, ["mask", "2", "3"]),
    "whole mask": ({"attn_mask": Z((2, 3), int)}, TypeError, ["mask", "int"]),
    "NaN mask": ({"attn_mask": np.full((2, 3), np.nan)}, ValueError, ["mask", "NaN"]),
    "text": ({"query": [["a"]]}, TypeError, ["Q", "text"]),
    "objects": ({"query": np.array([[object()]])}, TypeError, ["Q"]),
    "ragged": ({"value": [[1], [1, 2]]}, ValueError, ["V"]),
    "scale": ({"scale": np.inf}, ValueError, ["scale"]),
    "dtype": ({"dtype": "int8"}, ValueError, ["dtype", "int8"]),
    "back end": ({"backend": "cuda"}, ValueError, ["backend", "cuda"]),
    "causal": ({"is_causal": 1}, TypeError, ["is_causal"]),
    "size": ({"query": Z((1024, 5)), "key": Z((1024, 5)), "value": Z((1024, 5))}, ValueError, ["1024", "1048576"]),
}


@pytest.mark.parametrize(("change", "kind", "names"), REFUSED.values(), ids=REFUSED.keys())
@every_back_end
def test_what_pytorch_must_not_see_is_refused_before(nobody, change, kind, names, backend):
    inputs = {"query": Z((2, 5)), "key": Z((3, 5)), "value": Z((3, 5)), "backend": backend} | change
    with pytest.raises(kind) as refusal:
        sdpa(**inputs)
    assert all(name in str(refusal.value) for name in names)


def test_a_gradient_of_another_shape_is_refused(nobody):
    with pytest.raises(ValueError, match=r"\(3, 7\).*\(2, 7\)"):
        stages(*draw()[:3], grad_output=Z((3, 7)))


@needs_torch
def test_many_questions_are_answered_in_their_order():
    draws = [draw((2, 3), d_v=5, seed=seed)[:3] for seed in range(20)]
    questions = [dict(zip(("query", "key", "value"), inputs, strict=True)) for inputs in draws]
    questions[3] |= {"key": Z((2, 3, 4, 5))}
    questions[7] |= {"backend": "fused"}
    questions[11] |= {"backend": "fused", "value": Z((2, 3, 3, 7))}
    questions[13] |= {"query": "nothing"}
    answers = sdpa_many(questions)
    assert len(answers) == 20 and isinstance(answers[3], ValueError) and isinstance(answers[13], TypeError | ValueError)
    assert answers[11].why == "width"
    for number in set(range(20)) - {3, 11, 13}:
        assert apart(answers[number].output, scaled_dot_product_attention(*draws[number]).output) <= 1e-12


def test_no_questions_need_no_process(nobody):
    assert sdpa_many([]) == []


def test_an_error_that_pytorch_raises_is_of_one_question_only(monkeypatch):
    class Half:
        def ask(self, items):
            return [{"error": "RuntimeError: no"} if number else {"output": Z((2, 7))} for number in range(len(items))]

    monkeypatch.setattr(reference, "PROCESS", Half())
    question = dict(zip(("query", "key", "value"), draw()[:3], strict=True))
    fine, refused = sdpa_many([question, question])
    assert fine.output.shape == (2, 7) and isinstance(refused, TorchError) and refused.kind == "refused"


@needs_torch
def test_the_versions_are_those_installed():
    found = reference.versions()
    assert found["torch"] == importlib.metadata.version("torch") and found["numpy"] == np.__version__
    assert found["python"] == ".".join(map(str, sys.version_info[:3])) and found["threads"] == 1
    assert "GCC" in found["build"] or "Clang" in found["build"] or "MSVC" in found["build"]
    assert reference.ready()


@needs_torch
@pytest.mark.skipif(not hasattr(os, "getpriority"), reason="no priorities here")
def test_the_process_steps_back_for_the_sessions():
    reference.versions()
    pid = torch_process.PROCESS.process.pid
    assert os.getpriority(os.PRIO_PROCESS, pid) == min(19, os.getpriority(os.PRIO_PROCESS, 0) + 10)


@given(arrays_of.arrays(np.float32, 5, elements=st.floats(width=32)), st.sampled_from(list(TOLERANCES)))
def test_rounding_twice_is_rounding_once(array, dtype):
    once = rounded(array, dtype)
    assert np.array_equal(rounded(once, dtype), once, equal_nan=True)
    assert np.array_equal(np.isnan(once), np.isnan(array))
    assert np.array_equal(rounded(-array, dtype), -once, equal_nan=True)


@every_dtype
def test_rounding_is_pytorchs(dtype):
    torch = pytest.importorskip("torch")
    bits = np.random.default_rng(0).integers(0, 2**32, 20_000, dtype=np.uint32)
    bits[:2000] = bits[:2000] & 0xFFFF0000 | 0x8000  # ties
    single = bits.view(np.float32)
    expected = torch.from_numpy(single).to(getattr(torch, dtype)).double().numpy()
    assert np.array_equal(rounded(single, dtype), expected, equal_nan=True)


def test_the_judge_brings_neither_torch_nor_streamlit_into_the_process():
    script = "import sys; from pages.ui.judge import reference; print({'torch', 'streamlit'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
