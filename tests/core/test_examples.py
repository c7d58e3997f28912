"""The worked examples and every figure that the lessons print, at its printed precision."""

import json
from pathlib import Path

import numpy as np
import pytest

from attention_core import causal_mask, combine_masks, padding_mask, project, scaled_dot_product_attention
from attention_core.examples import ikan_makan, six_words, two_queries_three_keys

SIX_WORDS = json.loads((Path(__file__).parent / "data" / "six_words.json").read_text())


def attend(example, **options):
    projection = project(example.x, example.w_query, example.w_key, example.w_value)
    return scaled_dot_product_attention(projection.query, projection.key, projection.value, **options)


def test_ikan_makan():
    example = ikan_makan()
    projection = project(example.x, example.w_query, example.w_key, example.w_value)
    assert projection.query.tolist() == [[0, 0, 0.5], [1, 1, 0]]
    assert projection.key.tolist() == [[1, 1, 0], [0, 0.5, 1]]
    assert projection.value.tolist() == [[1, 1, 0], [0, 0, 1.5]]
    result = attend(example)
    assert result.scores.tolist() == [[0, 0.5], [2, 0.5]]
    assert result.scores[example.tokens.index("makan"), example.tokens.index("ikan")] == result.scores.max() == 2
    assert result.weights.round(4).tolist() == [[0.4283, 0.5717], [0.7039, 0.2961]]
    assert result.output.round(4).tolist() == [[0.4283, 0.4283, 0.8575], [0.7039, 0.7039, 0.4441]]


def test_two_queries_three_keys():
    example = two_queries_three_keys()
    result = scaled_dot_product_attention(example.query, example.key, example.value)
    assert result.scaled.tolist() == [[1, 0, 0.5], [0, 1, 0.5]]
    assert result.weights.round(4).tolist() == [[0.5065, 0.1863, 0.3072], [0.1863, 0.5065, 0.3072]]
    assert result.output.round(4).tolist() == [[3.4021, 4.4021, 5.4021], [4.3626, 5.3626, 6.3626]]


def test_six_words_reproduce_the_published_figures():
    example = six_words()
    cat, sat = example.tokens.index("cat"), example.tokens.index("sat")
    result = attend(example)
    assert round(result.scores[cat, cat], 2) == 0.63 and result.scores[cat].argmax() == cat
    assert round(result.scaled[cat, sat], 2) == 0.05 and round(result.scaled[sat, cat], 2) == 0.47
    assert round(100 * result.weights[cat, cat], 1) == 21.5 and round(100 * result.weights[cat].min()) == 10
    assert round(100 * result.weights[sat].max(), 1) == 24.2 and result.weights[sat].argmax() == cat
    assert result.output[cat].round(2).tolist() == [0.14, 0.17, 0.45]
    assert round(result.scale, 2) == 0.58


def test_six_words_masked():
    example = six_words()
    sat = example.tokens.index("sat")
    causal = attend(example, is_causal=True)
    assert causal.allowed.sum() == 21 and causal.allowed.size == 36 and causal.allowed[sat].sum() == 3
    np.testing.assert_allclose(causal.weights, SIX_WORDS["causal_weights"], rtol=1e-12)
    padded = attend(example, attn_mask=padding_mask(4, 6))
    assert (padded.weights[:, 4:] == 0).all() and (padded.weights[:, :4] > 0).all()
    both = attend(example, attn_mask=combine_masks(causal_mask(6), padding_mask(4, 6)))
    assert both.allowed.sum() == 1 + 2 + 3 + 4 + 4 + 4
    nothing = attend(example, attn_mask=padding_mask(0, 6))
    assert (nothing.weights == 0).all() and (nothing.output == 0).all()


@pytest.mark.parametrize("name", ["scores_raw", "scores_scaled", "weights", "output"])
def test_six_words_agree_with_the_reference_file(name):
    example, result = six_words(), attend(six_words())
    assert list(example.tokens) == SIX_WORDS["tokens"]
    assert example.x.tolist() == SIX_WORDS["X"] and example.w_value.tolist() == SIX_WORDS["W_V"]
    assert example.w_query.tolist() == SIX_WORDS["W_Q"] and example.w_key.tolist() == SIX_WORDS["W_K"]
    found = {"scores_raw": result.scores, "scores_scaled": result.scaled}.get(name, getattr(result, name, None))
    np.testing.assert_allclose(found, SIX_WORDS[name], rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("example", [ikan_makan, six_words, two_queries_three_keys])
def test_every_call_returns_fresh_arrays(example):
    first = {name: a for name, a in vars(example()).items() if isinstance(a, np.ndarray)}
    kept = {name: a.copy() for name, a in first.items()}
    for a in first.values():
        a[...] = -1
    second = vars(example())
    assert all((second[name] == kept[name]).all() for name in first)


@pytest.mark.parametrize("example", [ikan_makan, six_words])
def test_names_fit_the_matrices(example):
    one = example()
    assert one.x.shape == (len(one.tokens), len(one.features))
    assert len(one.features) == len(one.w_query) == len(one.w_key) == len(one.w_value)
    assert all(feature.isidentifier() for feature in one.features)
