"""What floating point makes of a softmax that subtracts nothing, and where exactly it breaks."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import softmax
from attention_core.stability import naive_softmax, overflow_score, safe_shifts, shifted_softmax, underflow_score

TYPES = ("float32", "float64")
OVERFLOW = {"float32": 88.72, "float64": 709.78}
UNDERFLOW = {"float32": -103.97, "float64": -745.13}
TOLERANCE = {"float32": 2e-5, "float64": 1e-13}


@pytest.mark.parametrize(("dtype", "score"), [("float32", 89.0), ("float64", 710.0)])
def test_naive_overflows_where_stable_does_not(dtype, score):
    naive, stable = naive_softmax([0.0, score], dtype), softmax(np.array([0.0, score], dtype))
    assert naive.dtype == stable.dtype == dtype
    assert naive[0] == 0 and np.isnan(naive[1])
    assert stable.sum() == 1 and stable[1] == 1
    one_less = naive_softmax([0.0, score - 1], dtype)
    assert np.isfinite(one_less).all() and one_less[1] == 1


@pytest.mark.parametrize(("dtype", "score"), [("float32", -104.0), ("float64", -746.0)])
def test_scores_that_are_all_too_small_are_divided_by_zero(dtype, score):
    assert np.isnan(naive_softmax([score, score - 1], dtype)).all()
    np.testing.assert_allclose(softmax(np.array([score, score - 1], dtype)), [0.7310586, 0.2689414], rtol=1e-6)
    assert np.isfinite(naive_softmax([score, score + 2], dtype)).all()


def test_float64_is_no_cure_but_a_delay():
    scores = [0.0, 89.0]
    assert np.isnan(naive_softmax(scores, "float32")).any() and np.isfinite(naive_softmax(scores, "float64")).all()


@pytest.mark.parametrize("dtype", TYPES)
def test_the_limits_are_the_last_numbers_before_the_break(dtype):
    over, under = overflow_score(dtype), underflow_score(dtype)
    assert over.dtype == under.dtype == dtype
    assert round(float(over), 2) == OVERFLOW[dtype] and round(float(under), 2) == UNDERFLOW[dtype]
    assert float(over) == pytest.approx(math.log(np.finfo(dtype).max), rel=1e-6)
    with np.errstate(over="ignore", under="ignore"):
        assert np.isfinite(np.exp(over)) and np.isinf(np.exp(np.nextafter(over, over.dtype.type(np.inf))))
        assert np.exp(under) == 0 < np.exp(np.nextafter(under, under.dtype.type(0)))


@pytest.mark.parametrize("dtype", TYPES)
@settings(max_examples=100, deadline=None)
@given(scores=st.lists(st.floats(-40, 40), min_size=1, max_size=9))
def test_naive_is_the_stable_one_while_it_lasts(dtype, scores):
    expected = softmax(np.array(scores, dtype))
    np.testing.assert_allclose(naive_softmax(scores, dtype), expected, rtol=TOLERANCE[dtype], atol=0)


@pytest.mark.parametrize("dtype", TYPES)
@settings(max_examples=100, deadline=None)
@given(scores=st.lists(st.floats(-20, 20), min_size=1, max_size=70))
def test_safe_shifts_are_where_it_breaks(dtype, scores):
    def weights_at(shift):
        return naive_softmax(np.array(scores) + shift, dtype)

    lower, upper = safe_shifts(scores, dtype)
    margin = 1e-4  # shifted scores near 100 are rounded to 8e-6 in float32, and 70 of them add up
    assert np.isnan(weights_at(lower - margin)).all()
    assert np.isfinite(weights_at(lower + margin)).all()
    assert weights_at(upper - margin).sum() == pytest.approx(1, rel=1e-3)
    broken = weights_at(upper + margin)
    assert np.isnan(broken).any() or (broken == 0).all()


def test_a_sum_overflows_before_its_terms_do():
    assert naive_softmax([88.5, 88.5]).tolist() == [0.0, 0.0]
    assert safe_shifts([0.0, 0.0], "float32")[1] == pytest.approx(88.7228 - math.log(2), abs=1e-3)


def test_safe_shifts_of_rows_and_of_huge_scores():
    lower, upper = safe_shifts([[1.0, 2.0], [3.0, 1000.0]], "float64")
    assert lower.round(2).tolist() == [-747.13, -1745.13] and upper.round(2).tolist() == [707.47, -290.22]


@settings(max_examples=100, deadline=None)
@given(scores=st.lists(st.floats(-50, 50), min_size=1, max_size=9), shift=st.floats(-1e4, 1e4))
def test_a_shift_changes_nothing_in_the_stable_softmax(scores, shift):
    plain, moved = shifted_softmax(scores), shifted_softmax(scores, shift)
    size = abs(shift) + 50  # the shifted scores are rounded to their size times half of epsilon, twice in a difference
    np.testing.assert_allclose(moved.stable_float64, plain.stable_float64, rtol=1e-14 + size * 4.5e-16)
    np.testing.assert_allclose(moved.stable_float32, plain.stable_float32, rtol=1e-6 + size * 2.4e-7, atol=1e-37)
    assert moved.stable_float64.sum() == pytest.approx(1, abs=1e-14)


def test_four_ways_to_compute_it():
    scores = [1.0, 2.0, 3.0]
    result = shifted_softmax(scores, 100.0)
    assert result.shift == 100.0
    assert np.isnan(result.naive_float32).all(), "inf / inf"
    np.testing.assert_allclose(result.naive_float64, softmax(scores), rtol=1e-13)
    np.testing.assert_allclose(result.stable_float32, softmax(scores), rtol=1e-5)
    np.testing.assert_allclose(result.stable_float64, softmax(scores), rtol=1e-13)
    assert result.naive_float32.dtype == result.stable_float32.dtype == np.float32
    assert result.naive_float64.dtype == result.stable_float64.dtype == np.float64
    assert np.isnan(shifted_softmax(scores, 800.0).naive_float64).all()
    assert np.isnan(shifted_softmax(scores, -800.0).naive_float64).all()
    assert shifted_softmax(scores).naive_float32 == pytest.approx(softmax(scores), rel=1e-6)


def test_hidden_keys_and_rows():
    result = shifted_softmax([[0.0, -np.inf], [-np.inf, -np.inf]], 5.0)
    assert result.stable_float64.tolist() == [[1.0, 0.0], [0.0, 0.0]]
    assert result.naive_float32[0].tolist() == [1.0, 0.0] and np.isnan(result.naive_float32[1]).all()


def test_no_warning_leaks():
    with warnings.catch_warnings(), np.errstate(all="warn"):
        warnings.simplefilter("error")
        for shift in (-1e6, -800, -100, 0, 100, 800, 1e6):
            shifted_softmax([-5.0, 1.0, 300.0], shift)
        naive_softmax([1e300, -1e300], "float32")
        for dtype in TYPES:
            safe_shifts([1e6, -1e6], dtype)


@pytest.mark.parametrize("dtype", ["float32", np.float32, np.dtype("float32")])
def test_a_type_may_be_named_as_numpy_names_it(dtype):
    assert naive_softmax([1.0], dtype).dtype == np.float32


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: naive_softmax([np.nan]), ValueError, ["scores", "NaN"]),
        (lambda: naive_softmax([1.0], "float16"), ValueError, ["dtype", "'float16'"]),
        (lambda: naive_softmax([1.0], "real"), ValueError, ["dtype", "real"]),
        (lambda: naive_softmax("x"), TypeError, ["scores"]),
        (lambda: overflow_score(int), ValueError, ["dtype", "'int64'"]),
        (lambda: underflow_score("float128"), ValueError, ["dtype", "float"]),
        (lambda: safe_shifts([-np.inf], "float32"), ValueError, ["scores", "-inf"]),
        (lambda: safe_shifts(np.zeros((2, 0)), "float32"), ValueError, ["scores", "(2, 0)"]),
        (lambda: shifted_softmax([1.0], 1e7), ValueError, ["shift", "1e+07"]),
        (lambda: shifted_softmax([1.0], "1"), TypeError, ["shift", "'1'"]),
        (lambda: shifted_softmax([-2e6]), ValueError, ["scores", "1e6"]),
    ],
)
def test_refusals_name_what_is_wrong(call, error, words):
    with pytest.raises(error) as caught:
        call()
    for word in words:
        assert word in str(caught.value)
