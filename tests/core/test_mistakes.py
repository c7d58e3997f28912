"""Without a mistake the stages are the core's; with one, all is right up to the stage at which it should show."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import causal_mask, scaled_dot_product_attention
from attention_core.mistakes import MISTAKES, SIGNATURES, STAGE_OF, STAGES, attend_with, first_wrong_stage

TINY = 1e-12


def draw_case(seed, heads=None, lead=None, batch_mask=True):
    """Random Q, K, V, and the options of `attend_with`: sizes, batch, heads, mask, causality and scale."""
    random = np.random.default_rng(seed)
    n, m, d_k, d_v = random.integers(1, 7, size=4)
    heads = int(random.integers(1, 5)) if heads is None else heads
    lead = ((), (2,), (3, 2))[random.integers(3)] if lead is None else lead
    query, key, value = (
        random.normal(size=(*lead, rows, heads * width)) for rows, width in ((n, d_k), (m, d_k), (m, d_v))
    )
    masks = [None, random.random((n, m)) < 0.6, random.random(m) < 0.6]
    masks += [random.normal(size=(n, m)), np.where(random.random((n, m)) < 0.6, random.normal(size=(n, m)), -np.inf)]
    if batch_mask and heads > 1:
        masks += [random.random((heads, n, m)) < 0.6, random.random((*lead, 1, n, m)) < 0.6]
    options = {
        "attn_mask": masks[random.integers(len(masks))],
        "is_causal": bool(random.integers(2)),
        "scale": (None, 0.0, -0.7, 1.3)[random.integers(4)],
    }
    return (query, key, value), options, heads


def core_head_by_head(arrays, options, heads):
    """The core on each head's columns, without any reshape; heads become an axis only if there are several."""
    options, mask = dict(options), options["attn_mask"]
    results = []
    for h in range(heads):
        cut = [np.split(array, heads, axis=-1)[h] for array in arrays]
        if mask is not None and mask.ndim > 2:
            options["attn_mask"] = mask[..., h if mask.shape[-3] > 1 else 0, :, :]
        results.append(scaled_dot_product_attention(*cut, **options))
    return results


@pytest.mark.parametrize("seed", range(400))
def test_no_mistake_is_the_core(seed):
    arrays, options, heads = draw_case(seed)
    found, core = attend_with(None, *arrays, **options, heads=heads), core_head_by_head(arrays, options, heads)
    for h, right in enumerate(core):
        for name in ("scores", "scaled", "weights"):
            one = getattr(found, name) if heads == 1 else getattr(found, name)[..., h, :, :]
            np.testing.assert_allclose(one, getattr(right, name), rtol=0, atol=TINY)
    expected = np.concatenate([right.output for right in core], axis=-1)
    assert found.output.shape == expected.shape
    np.testing.assert_allclose(found.output, expected, rtol=0, atol=TINY)


@given(st.integers(0, 10**6))
def test_masked_is_the_softmaxs_input(seed):
    arrays, options, heads = draw_case(seed)
    found = attend_with(None, *arrays, **options, heads=heads)
    exponentials = np.exp(found.masked)
    total = exponentials.sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(exponentials, found.weights * total, rtol=1e-9, atol=TINY)
    assert ((found.masked == -np.inf) == (found.weights == 0)).all()


def differs(found, right):
    """Tell whether two stages differ by more than rounding; infinities must be the same, NaN differs from a number."""
    return not np.isclose(found, right, rtol=TINY, atol=TINY).all()


def first_difference(found, right):
    return next((name for name in STAGES if differs(getattr(found, name), getattr(right, name))), None)


def case_for(mistake, seed):
    """Random inputs on which the mistake has a chance: two heads, a causal mask, and large scores for overflow."""
    random = np.random.default_rng(seed)
    arrays = [random.normal(size=(5, 2 * width)) for width in (4, 4, 3)]
    if mistake == "no_max_subtraction":
        arrays[0] = arrays[0] * 5000
    return arrays, {"is_causal": True, "heads": 2}


def test_first_difference_can_tell():
    right = attend_with(None, *[np.eye(3)] * 3, is_causal=True)
    assert first_difference(right, right) is None
    assert first_difference(attend_with(None, *[np.eye(3)] * 3), right) == "masked"
    assert differs(np.array([np.nan]), np.array([0.0])) and not differs(np.array([-np.inf]), np.array([-np.inf]))


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_shows_first_where_the_table_says(mistake, seed):
    arrays, options = case_for(mistake, seed)
    found, right = attend_with(mistake, *arrays, **options), attend_with(None, *arrays, **options)
    assert first_difference(found, right) == STAGE_OF[mistake] == first_wrong_stage(mistake)
    assert differs(found.output, right.output), "the output gives it away"
    for name in STAGES:
        assert getattr(found, name).shape == getattr(right, name).shape, "no shape gives it away"


@settings(max_examples=150)
@given(st.sampled_from(MISTAKES), st.integers(0, 10**6))
def test_no_mistake_ever_shows_before_its_stage(mistake, seed):
    arrays, options, heads = draw_case(seed)
    found, right = (attend_with(which, *arrays, **options, heads=heads) for which in (mistake, None))
    first = first_difference(found, right)
    assert first is None or STAGES.index(first) >= STAGES.index(STAGE_OF[mistake])


@pytest.mark.parametrize(
    ("mistake", "options"),
    [
        ("scale_by_d_model", {"is_causal": True}),
        ("scale_by_d_model", {"heads": 2, "scale": 0.3}),
        ("scale_by_d_model", {"heads": 2, "scale": 0.0, "d_model": 512}),
        ("mask_after_softmax", {"heads": 2}),
        ("inverted_mask", {"heads": 2}),
        ("off_by_one_causal", {"attn_mask": causal_mask(5)}),
        ("no_max_subtraction", {"is_causal": True, "heads": 2}),
        ("wrong_head_split", {"is_causal": True}),
    ],
)
def test_what_each_needs_to_show_at_all(mistake, options):
    arrays, _ = case_for(None, seed=1)
    found, right = (attend_with(which, *arrays, **options) for which in (mistake, None))
    assert first_difference(found, right) is None


def test_tables_name_the_same_mistakes_and_cannot_be_changed():
    assert MISTAKES == tuple(
        "no_scaling scale_by_d_model softmax_over_columns mask_after_softmax inverted_mask off_by_one_causal "
        "no_max_subtraction wrong_head_split transposed_value".split()
    )
    assert tuple(STAGE_OF) == tuple(SIGNATURES) == MISTAKES
    assert set(STAGE_OF.values()) <= set(STAGES) and len(set(SIGNATURES.values())) == len(MISTAKES)
    for table in (STAGE_OF, SIGNATURES):
        with pytest.raises(TypeError):
            table["no_scaling"] = "output"


def both(mistake, seed=3):
    arrays, options = case_for(mistake, seed)
    return attend_with(mistake, *arrays, **options), attend_with(None, *arrays, **options), arrays


def test_signatures_of_the_scales():
    found, right, _ = both("no_scaling")
    assert (found.scaled == found.scores).all() and found.weights.max(axis=-1).sum() > right.weights.max(axis=-1).sum()
    found, right, arrays = both("scale_by_d_model")
    np.testing.assert_allclose(found.scaled, found.scores / np.sqrt(8), rtol=TINY)  # two heads of 4
    assert found.weights.max(axis=-1).sum() < right.weights.max(axis=-1).sum()
    wide = attend_with("scale_by_d_model", *arrays, d_model=512)
    np.testing.assert_allclose(wide.scaled, wide.scores / np.sqrt(512), rtol=TINY)


def test_signatures_of_the_softmax():
    found, _, _ = both("softmax_over_columns")
    np.testing.assert_allclose(found.weights.sum(axis=-2), 1, rtol=TINY)
    assert np.abs(found.weights.sum(axis=-1) - 1).max() > 0.1
    found, right, _ = both("mask_after_softmax")
    assert np.isfinite(found.masked).all() and (found.weights[right.weights == 0] == 0).all()
    sums = found.weights.sum(axis=-1)  # (h, n)
    assert (sums[:, :-1] < 1).all() and sums[:, -1] == pytest.approx(1)
    found, right, _ = both("no_max_subtraction")
    assert np.isnan(found.weights).any() and np.isfinite(right.weights).all()


def test_signatures_of_the_masks():
    found, _, _ = both("inverted_mask")
    assert (found.weights[:, causal_mask(5)] == 0).all() and (found.weights[:, ~causal_mask(5)] > 0).all()
    found, _, _ = both("off_by_one_causal")
    assert ((found.weights > 0) == np.tri(5, 5, k=1, dtype=bool)).all()


def test_signatures_of_the_layout():
    found, right, arrays = both("wrong_head_split")
    assert found.query[0, 0].tolist() == arrays[0][0, :4].tolist()  # the first token, first half: still right
    assert found.query[0, 1].tolist() == arrays[0][0, 4:].tolist()  # "the second token": the first one's other half
    assert sorted(found.query.ravel()) == sorted(right.query.ravel())
    found, right, _ = both("transposed_value")
    misread = np.stack([v.T.reshape(v.shape) for v in right.value])
    np.testing.assert_allclose(found.output[:, :3], right.weights[0] @ misread[0], rtol=0, atol=TINY)
    np.testing.assert_allclose(found.output[:, 3:], right.weights[1] @ misread[1], rtol=0, atol=TINY)


def test_float_masks_and_their_infinities():
    x = np.random.default_rng(4).normal(size=(3, 4))
    bias = np.array([[0.5, -np.inf, 1.0]] * 3)
    right = attend_with(None, x, x, x, attn_mask=bias)
    assert (right.masked == right.scaled + bias).all()
    late = attend_with("mask_after_softmax", x, x, x, attn_mask=bias)
    assert (late.masked == late.scaled + [0.5, 0, 1]).all() and (late.weights[:, 1] == 0).all()
    inverted = attend_with("inverted_mask", x, x, x, attn_mask=bias)
    assert (inverted.weights == [[0, 1, 0]] * 3).all()


@pytest.mark.parametrize("mistake", [None, *MISTAKES])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_no_warning_escapes_no_input_changes_and_the_dtype_stays(mistake, dtype):
    random = np.random.default_rng(5)
    arrays = [(10**3 * random.normal(size=(3, 4))).astype(dtype) for _ in range(3)]
    before = [array.copy() for array in arrays]
    mask = np.array([[False] * 3, [True] * 3, [True, False, True]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = attend_with(mistake, *arrays, attn_mask=mask, is_causal=True, heads=2)
        assert attend_with(mistake, *[np.ones((0, 4))] * 3, mask[:0, :1], heads=2).output.shape == (0, 4)
    assert {getattr(found, name).dtype for name in STAGES} == {np.dtype(dtype)}
    assert all((a == b).all() for a, b in zip(arrays, before, strict=True))


@pytest.mark.parametrize("mistake", [None, *MISTAKES])
def test_enormous_scores_are_no_refusal(mistake):
    x = np.array([[1e200, 0.0], [0.0, 1e200]])
    found = attend_with(mistake, x, x, np.eye(2), is_causal=True)
    assert found.output.shape == (2, 2)
    assert np.isnan(found.weights).any() == (mistake == "no_max_subtraction")


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: attend_with("none", x, x, x), ValueError, ["mistake", "'none'", "no_scaling"]),
        (lambda x: first_wrong_stage(None), ValueError, ["mistake", "None"]),
        (lambda x: attend_with(None, x, x, x, heads=3), ValueError, ["3 heads", "Q (2, 4)", "4"]),
        (lambda x: attend_with(None, x, x, x[:, :3], heads=2), ValueError, ["2 heads", "V (2, 3)", "3"]),
        (lambda x: attend_with(None, x, x, x, heads=0), ValueError, ["heads", "0"]),
        (lambda x: attend_with(None, x, x, x, heads=2.0), TypeError, ["heads", "2.0"]),
        (lambda x: attend_with(None, x, x, x, d_model=0), ValueError, ["d_model", "0"]),
        (lambda x: attend_with(None, x, x[:, :2], x), ValueError, ["Q", "K", "4", "2"]),
        (lambda x: attend_with(None, x, x, x[:1]), ValueError, ["K", "V", "2", "1"]),
        (lambda x: attend_with(None, x, x, x, attn_mask=np.eye(2, dtype=int)), TypeError, ["mask", "int64"]),
        (lambda x: attend_with(None, x, x, x, attn_mask=np.ones((3, 2), bool)), ValueError, ["mask (3, 2)"]),
        (lambda x: attend_with("no_scaling", x, x, x, scale=np.nan), ValueError, ["scale", "nan"]),
        (lambda x: attend_with(None, x[0], x, x), ValueError, ["Q", "2 dim", "(4,)"]),
    ],
)
def test_refusals_name_the_array(call, error, words):
    with pytest.raises(error) as caught:
        call(np.ones((2, 4)))
    assert all(word in str(caught.value) for word in words), str(caught.value)
