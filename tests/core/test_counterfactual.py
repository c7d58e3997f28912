"""Other weights with the same output: legal, within tolerance, as far as any, and none where V has full rank."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attention_core import scaled_dot_product_attention, softmax
from attention_core.counterfactual import DISTANCES, other_weights, row_distance
from attention_core.examples import six_words
from attention_core.explained import distance_by_width, drawn_explained, other_rows, six_words_explained

SEEDS = st.integers(0, 2**32 - 1)
TOLERANCES = st.sampled_from([0.0, 1e-3, 0.05, 1.0])
every_distance = pytest.mark.parametrize("distance", DISTANCES)


@st.composite
def rows_and_values(draw, most=7, elements=None):
    m, d_v = draw(st.integers(1, most)), draw(st.integers(1, most))
    scores = draw(hnp.arrays(np.float64, m, elements=st.floats(-4, 4)))
    value = draw(hnp.arrays(np.float64, (m, d_v), elements=elements or st.integers(-3, 3)))
    return softmax(scores), value


def random_case(seed, m, d_v):
    random = np.random.default_rng(seed)
    return random.dirichlet(np.ones(m)), random.normal(size=(m, d_v))


def exact_rank(matrix):
    """Rank of whole numbers by elimination with fractions."""
    rows, rank = [[Fraction(int(x)) for x in row] for row in matrix], 0
    for column in range(len(rows[0])):
        pivot = next((i for i in range(rank, len(rows)) if rows[i][column]), None)
        if pivot is None:
            continue
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        for i in range(rank + 1, len(rows)):
            factor = rows[i][column] / rows[rank][column]
            rows[i] = [a - factor * b for a, b in zip(rows[i], rows[rank], strict=True)]
        rank += 1
    return rank


def corners(p, value, tolerance):
    """All corners of the polytope of legal rows, each as the solution of as many limits as it takes."""
    m, output = p.size, p @ value
    equal = [(np.ones(m), 1.0)]
    limits = [(unit, 0.0) for unit in np.eye(m)]
    if tolerance == 0:
        equal += list(zip(value.T, output, strict=True))
    else:
        limits += [(column, o + side) for column, o in zip(value.T, output, strict=True)
                   for side in (tolerance, -tolerance)]
    free = m - np.linalg.matrix_rank(np.array([side for side, _ in equal]))
    for chosen in combinations(limits, free):
        sides, ends = map(np.array, zip(*equal, *chosen, strict=True))
        if np.linalg.matrix_rank(sides) == m:
            q = np.linalg.lstsq(sides, ends, rcond=None)[0]
            if q.min() > -1e-9 and abs(q @ value - output).max() <= tolerance + 1e-9 and abs(q.sum() - 1) < 1e-9:
                yield np.maximum(q, 0)


@every_distance
@given(given_row=rows_and_values(), tolerance=TOLERANCES, seed=SEEDS)
def test_the_other_row_is_a_row_of_weights_with_the_same_output(distance, given_row, tolerance, seed):
    p, value = given_row
    found = other_weights(p, value, tolerance, seed, distance, restarts=2)
    assert (found.weights >= 0).all() and found.weights.sum() == pytest.approx(1, abs=1e-12)
    assert np.array_equal(found.output, found.weights @ value)
    assert abs(found.output - p @ value).max() <= tolerance + 1e-12
    assert found.moved == pytest.approx(found.output - p @ value, abs=1e-12)
    assert found.output_change == abs(found.moved).max()
    assert found.distance == pytest.approx(row_distance(p, found.weights, distance), abs=1e-12)


@given(rows_and_values(), SEEDS)
def test_freedom_is_what_the_exact_rank_leaves(given_row, seed):
    p, value = given_row
    found = other_weights(p, value, seed=seed, restarts=1)
    assert found.rank == exact_rank(np.column_stack([value, np.ones(len(value))]))
    assert found.freedom == p.size - found.rank


@every_distance
@given(given_row=rows_and_values(), seed=SEEDS)
def test_another_row_exists_exactly_where_there_is_freedom(distance, given_row, seed):
    """A softmax has no weight of 0, so every free direction can be gone."""
    p, value = given_row
    found = other_weights(p, value, 0.0, seed, distance, restarts=1)
    if found.freedom:
        assert found.distance > 1e-6 and (found.weights == 0).sum() >= found.freedom, "a corner"
    else:
        assert np.array_equal(found.weights, p) and found.distance == found.output_change == 0


@every_distance
@pytest.mark.parametrize("tolerance", [0.0, 0.02, 0.3])
@pytest.mark.parametrize(("m", "d_v"), [(3, 1), (4, 1), (5, 2), (6, 1), (6, 2), (6, 3), (6, 5)])
def test_the_search_finds_the_farthest_corner_of_all(distance, tolerance, m, d_v):
    for case in range(3):
        p, value = random_case(case, m, d_v)
        best = max((row_distance(p, q, distance) for q in corners(p, value, tolerance)), default=0.0)
        slack = 1e-9 if best > 1e-6 else 1e-7  # where p is the only row, sqrt makes 1e-8 of a rounding of 1e-16
        for seed in range(4):
            found = other_weights(p, value, tolerance, seed, distance).distance
            assert 0.99 * best - slack <= found <= best + slack, (case, seed)


@every_distance
@pytest.mark.parametrize("query", range(6))
def test_the_search_finds_the_farthest_corner_for_the_six_words(distance, query):
    rows = six_words_explained()
    p, value = rows.weights[query], rows.value[:, :3]
    best = max(row_distance(p, q, distance) for q in corners(p, value, 0.0))
    found = [other_weights(p, value, 0.0, seed, distance).distance for seed in range(4)]
    assert best > 0.4 and found == pytest.approx([best] * 4, rel=1e-9)


@every_distance
@settings(max_examples=25)
@given(given_row=rows_and_values(), seed=SEEDS)
def test_more_tolerance_never_brings_the_row_nearer(distance, given_row, seed):
    p, value = given_row
    found = [other_weights(p, value, tolerance, seed, distance).distance for tolerance in (0.0, 0.01, 0.1, 100.0)]
    assert all(later >= 0.99 * former - 1e-9 for former, later in zip(found, found[1:], strict=False))
    assert found[-1] >= 0.99 * max(row_distance(p, corner, distance) for corner in np.eye(p.size)), "anything goes"


@every_distance
@settings(max_examples=25)
@given(seed=st.integers(0, 999), m=st.integers(3, 8))
def test_the_distance_falls_with_the_width_and_ends_at_0(distance, seed, m):
    rows = drawn_explained(seed, m)
    found = distance_by_width(rows.weights[0], rows.value, 0.0, seed, distance)
    assert (np.diff(found) <= 0.01 * found[:-1] + 1e-9).all()
    assert (found[: m - 2] > 0).all() and (found[m - 2 :] == 0).all()


@given(rows_and_values(), SEEDS, st.sampled_from([1e-6, 1e6]), st.integers(-1000, 1000))
def test_units_and_origin_of_the_values_do_not_matter(given_row, seed, unit, origin):
    p, value = given_row
    one, other = other_weights(p, value, 0.0, seed), other_weights(p, unit * (value + origin), 0.0, seed)
    assert one.freedom == other.freedom
    assert other.distance == pytest.approx(one.distance, rel=0.01, abs=1e-6)


@every_distance
def test_a_seed_gives_one_result(distance):
    p, value = random_case(5, 7, 2)
    one, two = (other_weights(p, value, 0.01, 3, distance) for _ in range(2))
    assert np.array_equal(one.weights, two.weights) and one.distance == two.distance


def test_the_inputs_stay_as_they_are():
    p, value = random_case(5, 5, 2)
    before = p.copy(), value.copy()
    other_weights(p, value, 0.1)
    assert np.array_equal(p, before[0]) and np.array_equal(value, before[1])


def test_a_saturated_row_may_have_no_other():
    """At a corner of the simplex that is a corner of the hull, freedom is there but nothing can be taken away."""
    found = other_weights([1.0, 0.0, 0.0], [[0.0], [1.0], [2.0]])
    assert found.freedom == 1 and found.distance == 0


def test_equal_values_let_all_weight_wander():
    assert other_weights([0.7, 0.2, 0.1], np.full((3, 4), 0.1)).distance == pytest.approx(0.9)


def test_values_that_differ_by_rounding_are_equal():
    found = other_weights([0.25] * 4, [[0.3], [0.1 + 0.2], [0.3], [0.1 + 0.2]])
    assert found.freedom == 3 and found.distance == pytest.approx(0.75)


def test_by_hand():
    """q = (0.5 - t, 2 t, 0.5 - t) has the output of p = (0.3, 0.4, 0.3) for every t from 0 to 0.5."""
    found = other_weights([0.3, 0.4, 0.3], [[0.0], [1.0], [2.0]])
    assert found.weights == pytest.approx([0.0, 1.0, 0.0], abs=1e-12)
    assert (found.rank, found.freedom) == (2, 1) and found.distance == pytest.approx(0.6)


@every_distance
@given(given_row=rows_and_values(), other=rows_and_values())
def test_a_distance_is_a_metric_between_0_and_1(distance, given_row, other):
    (p, _), (q, _) = given_row, other
    p, q = np.resize(p, 4), np.resize(q, 4)
    p, q, r = p / p.sum(), q / q.sum(), np.eye(4)[2]
    assert row_distance(p, p, distance) == 0
    assert row_distance(p, q, distance) == pytest.approx(row_distance(q, p, distance), abs=1e-9)
    assert 0 <= row_distance(p, q, distance) <= 1 + 1e-12
    assert row_distance(p, r, distance) <= row_distance(p, q, distance) + row_distance(q, r, distance) + 1e-6


@every_distance
def test_rows_without_a_common_key_are_1_apart(distance):
    assert row_distance([0.5, 0.5, 0, 0], [0, 0, 0.25, 0.75], distance) == pytest.approx(1)


def test_the_jensen_shannon_distance_is_its_formula():
    p, q = np.array([0.5, 0.3, 0.2]), np.array([0.1, 0.3, 0.6])
    mixed = (p + q) / 2
    divergence = sum((row * np.log2(row / mixed)).sum() / 2 for row in (p, q))
    assert row_distance(p, q, "jensen_shannon") == pytest.approx(np.sqrt(divergence))


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"weights": [0.5, 0.6]}, ValueError, "weights must sum to 1"),
        ({"weights": [0.5, 0.5]}, ValueError, r"number of keys m: weights \(2,\) has 2, V \(3, 2\) has 3"),
        ({"weights": [-0.5, 1.0, 0.5]}, ValueError, "weights must not be negative"),
        ({"weights": [0.0, 0.0, 0.0]}, ValueError, "attends to nothing"),
        ({"weights": np.full((2, 3), 1 / 3)}, ValueError, "one row is searched at a time"),
        ({"value": [1.0, 2.0, 3.0]}, ValueError, "V needs at least 2"),
        ({"value": np.full((3, 2), np.nan)}, ValueError, "V holds NaN"),
        ({"tolerance": -0.1}, ValueError, "tolerance must not be negative"),
        ({"tolerance": np.inf}, ValueError, "tolerance must be finite"),
        ({"tolerance": "0"}, TypeError, "tolerance must be a real number"),
        ({"seed": -1}, ValueError, "seed must be at least 0"),
        ({"seed": 0.5}, TypeError, "seed must be a whole number"),
        ({"restarts": 0}, ValueError, "restarts must be at least 1"),
        ({"distance": "euclid"}, ValueError, "distance must be one of 'total_variation', 'jensen_shannon'"),
    ],
)
def test_what_cannot_be_searched_is_refused(change, error, words):
    fine = {"weights": [0.2, 0.3, 0.5], "value": np.eye(3)[:, :2]}
    with pytest.raises(error, match=words):
        other_weights(**fine | change)


def test_the_six_words_are_the_lessons():
    words, rows = six_words(), six_words_explained(seed=3)
    value = words.x @ words.w_value
    attention = scaled_dot_product_attention(words.x @ words.w_query, words.x @ words.w_key, value)
    assert np.array_equal(rows.weights, attention.weights) and np.array_equal(rows.value[:, :3], value)
    assert np.array_equal(rows.x, words.x) and rows.value.shape == (6, 6)
    assert not np.array_equal(rows.value[:, 3:], six_words_explained(seed=4).value[:, 3:])
    assert [other_weights(rows.weights[2], rows.value[:, :d_v]).freedom for d_v in range(1, 7)] == [4, 3, 2, 1, 0, 0]


def test_the_other_rows_are_one_search_each():
    rows = six_words_explained()
    found = other_rows(rows.weights, rows.value[:, :2], 0.01, 5)
    assert found.shape == (6, 6)
    for row, other in zip(rows.weights, found, strict=True):
        assert np.array_equal(other, other_weights(row, rows.value[:, :2], 0.01, 5).weights)
