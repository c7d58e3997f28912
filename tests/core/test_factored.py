"""Two matrices instead of one: ranks, lengths and angles, one product for three, and who looks back."""

from math import hypot

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attention_core import Projection, project, scaled_dot_product_attention
from attention_core.examples import ikan_makan, six_words
from attention_core.factored import asymmetry, factored_form, fused_projection, length_and_angle, lengthen

NUMBERS = st.just(0.0) | st.floats(1e-6, 1e6) | st.floats(-1e6, -1e-6)  # the tiny have a test of their own
SIZES = st.tuples(st.integers(1, 5), st.integers(1, 7), st.integers(1, 6))


@st.composite
def queries_and_keys(draw):
    n, m, d_k = draw(SIZES)
    query = draw(hnp.arrays(np.float64, (n, d_k), elements=NUMBERS))
    return query, draw(hnp.arrays(np.float64, (m, d_k), elements=NUMBERS))


@given(queries_and_keys(), st.integers(0, 2**32 - 1))
def test_the_rank_is_d_k_at_most(matrices, seed):
    w_query, _ = matrices
    w_key = np.random.default_rng(seed).permuted(w_query)  # the same numbers elsewhere: many products cancel
    found = factored_form(w_query, w_key)
    assert 0 <= found.rank <= min(w_query.shape) and isinstance(found.rank, int)


def test_one_matrix_makes_the_same_scores(random):
    x, w_query, w_key = random.normal(size=(2, 5)), random.normal(size=(5, 3)), random.normal(size=(5, 3))
    found = factored_form(w_query, w_key)
    np.testing.assert_allclose(found.product, w_query @ w_key.T, rtol=1e-14)
    np.testing.assert_allclose(x @ found.product @ x.T, (x @ w_query) @ (x @ w_key).T, rtol=1e-12, atol=1e-12)
    assert (found.rank, found.parameters_factored, found.parameters_full) == (3, 30, 25)


@pytest.mark.parametrize(("d_model", "d_k", "saves"), [(512, 64, True), (8, 4, False), (7, 3, True), (3, 5, False)])
def test_factoring_saves_where_d_k_is_less_than_half_of_d_model(random, d_model, d_k, saves):
    found = factored_form(random.normal(size=(d_model, d_k)), random.normal(size=(d_model, d_k)))
    assert (found.parameters_factored < found.parameters_full) == saves
    assert found.rank == min(d_model, d_k)


def test_printed_numbers_of_the_factored_form():
    example = ikan_makan()
    found = factored_form(example.w_query, example.w_key)
    assert found.product.tolist() == [[0, 0, 0.5, 0], [0, 0, 0, 0], [0, 1, 0, 0.5], [1, 0, 0, 0]]
    assert (found.rank, found.parameters_factored, found.parameters_full) == (3, 24, 16)
    assert factored_form([[1.0], [2.0]], [[0.0], [0.0]]).rank == 0


def test_what_rounding_leaves_is_no_rank():
    # a (3 b)^T and 3 a (-b)^T cancel: only the last digits are left, and they look like a matrix of rank 2
    a, b = np.array([[0.8], [0.6], [0.5], [0.3]]), np.array([[0.3], [0.1], [0.1], [0.1]])
    w_query, w_key = np.hstack([a, 3 * a]), np.hstack([3 * b, -b])
    found = factored_form(w_query, w_key)
    assert abs(found.product).max() < 1e-15 and np.linalg.matrix_rank(found.product) > 1
    assert found.rank == 1


@given(queries_and_keys())
def test_length_times_length_times_cosine_is_the_dot_product(vectors):
    query, key = vectors
    found = length_and_angle(query, key)
    np.testing.assert_allclose(found.query_norm, [hypot(*q) for q in query], rtol=1e-14)
    np.testing.assert_allclose(found.key_norm, [hypot(*k) for k in key], rtol=1e-14)
    assert (abs(found.cosine) <= 1).all()
    lengths = found.query_norm[:, None] * found.key_norm
    assert (abs(found.scores - query @ key.T) <= 1e-14 * lengths).all()
    assert (found.cosine[lengths == 0] == 0).all() and found.cosine.shape == (len(query), len(key))


def test_known_angles():
    found = length_and_angle([[1.0, 0.0], [0.0, 0.0]], [[2.0, 0.0], [0.0, 3.0], [-4.0, 0.0], [1.0, 1.0]])
    assert found.query_norm.tolist() == [1, 0] and found.key_norm.round(4).tolist() == [2, 3, 4, 1.4142]
    assert found.cosine.round(4).tolist() == [[1, 0, -1, 0.7071], [0, 0, 0, 0]]
    assert found.scores.round(4).tolist() == [[2, 0, -4, 1], [0, 0, 0, 0]]


@pytest.mark.parametrize("size", [5e-324, 1e-200, 1e-10, 1e200])
def test_sizes_whose_squares_no_float_can_hold(size):
    found = length_and_angle([[size, 0.0]], [[0.0, size], [1.0, 0.0]])
    assert found.query_norm.tolist() == [size] and found.cosine.tolist() == [[0, 1]]
    assert found.scores.tolist() == [[0, size]]


@given(queries_and_keys(), st.data(), st.floats(-100, 100).filter(lambda factor: abs(factor) > 1e-3))
def test_a_longer_key_changes_its_scores_only_and_no_angle(vectors, data, factor):
    query, key = vectors
    index = data.draw(st.integers(0, len(key) - 1))
    before, after = (length_and_angle(query, k) for k in (key, lengthen(key, index, factor)))
    others = np.arange(len(key)) != index
    np.testing.assert_array_equal(after.scores[:, others], before.scores[:, others])
    np.testing.assert_allclose(after.key_norm[index], abs(factor) * before.key_norm[index], rtol=1e-14)
    np.testing.assert_allclose(after.cosine[:, index], np.sign(factor) * before.cosine[:, index], atol=1e-14)
    lengths = after.query_norm * after.key_norm[index]
    assert (abs(after.scores[:, index] - factor * before.scores[:, index]) <= 1e-14 * lengths).all()


def test_lengthen_leaves_the_old_key_alone():
    key = np.array([[1.0, 2.0], [3.0, 4.0]])
    longer = lengthen(key, 1, 0.5)
    assert key.tolist() == [[1, 2], [3, 4]] and longer.tolist() == [[1, 2], [1.5, 2]]
    assert lengthen([[1, 2]], 0, 1.5).tolist() == [[1.5, 3]] and lengthen(key, 0, 0)[0].tolist() == [0, 0]


@given(SIZES, st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_one_product_projects_like_three(sizes, seed, d_v):
    n, d_model, d_k = sizes
    random = np.random.default_rng(seed)
    shapes = (n, d_model), (d_model, d_k), (d_model, d_k), (d_model, d_v)
    arrays = [random.normal(size=shape) for shape in shapes]
    found, expected = fused_projection(*arrays), project(*arrays)
    assert isinstance(found, Projection)
    for name in ("query", "key", "value"):
        assert getattr(found, name).shape == getattr(expected, name).shape
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-12, atol=1e-13)


def test_fused_projection_of_a_worked_example_with_leading_axes_and_dtypes():
    example = six_words()
    matrices = example.w_query, example.w_key, example.w_value
    found, expected = fused_projection(example.x, *matrices), project(example.x, *matrices)
    for name in ("query", "key", "value"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-14, atol=1e-16)
    narrow = fused_projection(*(a.astype(np.float32) for a in (np.stack([example.x] * 4), *matrices)))
    assert narrow.value.shape == (4, 6, 3) and narrow.query.dtype == np.float32


def test_with_one_matrix_for_both_everybody_looks_back(random):
    x, w_query, w_key = random.normal(size=(7, 5)), random.normal(size=(5, 3)), random.normal(size=(5, 3))
    shared, two = ((x @ w_query) @ (x @ w).T for w in (w_query, w_key))
    assert asymmetry(shared) < 1e-13 and asymmetry(two) > 1
    example = ikan_makan()
    projection = project(example.x, example.w_query, example.w_key, example.w_value)
    scores = scaled_dot_product_attention(projection.query, projection.key, projection.value).scores
    assert asymmetry(scores) == 1.5  # makan looks at ikan with 2, ikan back at makan with 0.5


@given(st.integers(0, 6).flatmap(lambda n: hnp.arrays(np.float64, (n, n), elements=NUMBERS)))
def test_asymmetry_is_zero_for_symmetric_matrices_alone(matrix):
    found = asymmetry(matrix)
    assert isinstance(found, float) and found == asymmetry(matrix.T) == asymmetry(-matrix)
    assert (found == 0) == (matrix == matrix.T).all()
    assert asymmetry(matrix + matrix.T) == 0


ONES = np.ones
HUGE = [[1e308, 1e308]]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: factored_form(ONES((4, 3)), ONES((4, 2))), ValueError, ["d_k", "W_Q (4, 3) has 3", "W_K (4, 2) has"]),
        (lambda: factored_form(ONES((4, 3)), ONES((5, 3))), ValueError, ["W_Q (4, 3) has 4", "W_K (5, 3) has 5"]),
        (lambda: factored_form(ONES((2, 4, 3)), ONES((4, 3))), ValueError, ["W_Q", "(d_model, d_k)", "(2, 4, 3)"]),
        (lambda: factored_form(ONES((4, 0)), ONES((4, 0))), ValueError, ["W_Q", "W_K", "(4, 0)", "empty"]),
        (lambda: factored_form(None, ONES((4, 3))), TypeError, ["W_Q", "None"]),
        (lambda: factored_form(HUGE, HUGE), ValueError, ["product = W_Q W_K^T", "inf"]),
        (lambda: length_and_angle(ONES((2, 4)), ONES((3, 5))), ValueError, ["Q (2, 4) has 4", "K (3, 5) has 5", "d_k"]),
        (lambda: length_and_angle(ONES(4), ONES((3, 4))), ValueError, ["Q", "2 dim", "(4,)"]),
        (lambda: length_and_angle([["a"]], [[1.0]]), TypeError, ["Q", "text"]),
        (lambda: length_and_angle([[1.0, 1.0]], [[1.7e308, 1.7e308]]), ValueError, ["lengths of K", "inf"]),
        (lambda: length_and_angle([[1e200]], [[1e200]]), ValueError, ["scores", "inf", "[0, 0]"]),
        (lambda: lengthen(ONES((3, 2)), 3, 2.0), ValueError, ["index 3", "K (3, 2)", "3 keys"]),
        (lambda: lengthen(ONES((3, 2)), -1, 2.0), ValueError, ["index", "-1"]),
        (lambda: lengthen(ONES((3, 2)), 1.0, 2.0), TypeError, ["index", "1.0"]),
        (lambda: lengthen(ONES((3, 2)), 0, np.nan), ValueError, ["factor", "nan"]),
        (lambda: lengthen(HUGE, 0, 100.0), ValueError, ["longer K", "inf", "[0, 0]"]),
        (lambda: fused_projection(ONES((2, 4)), ONES((4, 3)), ONES((4, 2)), ONES((4, 5))), ValueError, ["d_k", "W_K"]),
        (
            lambda: fused_projection(ONES((2, 4)), ONES((4, 3)), ONES((4, 3)), ONES((6, 5))),
            ValueError,
            ["X (2, 4) has 4", "W_V (6, 5) has 6", "d_model"],
        ),
        (lambda: fused_projection(ONES(4), ONES((4, 3)), ONES((4, 3)), ONES((4, 5))), ValueError, ["X", "2 dim"]),
        (lambda: fused_projection(HUGE, ONES((2, 1)), ONES((2, 1)), ONES((2, 1))), ValueError, ["[Q | K | V]", "inf"]),
        (lambda: asymmetry(ONES((2, 3))), ValueError, ["S (2, 3)", "square", "2 rows", "3 columns"]),
        (lambda: asymmetry([[0.0, 1e308], [-1e308, 0.0]]), ValueError, ["S - S^T", "inf", "[0, 1]"]),
        (lambda: asymmetry([[np.nan]]), ValueError, ["S holds NaN"]),
        (lambda: asymmetry(5.0), ValueError, ["S", "2 dim"]),
    ],
)
def test_refusals_name_what_is_wrong(call, error, words):
    with pytest.raises(error) as caught:
        call()
    for word in words:
        assert word in str(caught.value)
