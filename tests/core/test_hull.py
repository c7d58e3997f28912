"""The outline around values: convex, the smallest one, and no softmax mixture outside."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attention_core import scaled_dot_product_attention, softmax
from attention_core.hull import convex_hull, inside_hull

COUNTS = st.integers(1, 9)
GRID = COUNTS.flatmap(lambda n: hnp.arrays(np.float64, (n, 2), elements=st.integers(-3, 3)))  # collinear, repeated
ANY = COUNTS.flatmap(lambda n: hnp.arrays(np.float64, (n, 2), elements=st.floats(-1e300, 1e300)))
CLOUDS = GRID | ANY
SQUARE = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]


def turn(a, b, c):
    """Exact with whole numbers: positive where a, b, c turn left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


@given(GRID)
def test_corners_turn_left_and_enclose_all(points):
    whole = [tuple(map(int, point)) for point in points]
    corners = [whole[i] for i in convex_hull(points)]
    assert len(set(corners)) == len(corners) and corners[0] == min(whole)
    edges = list(zip(corners, corners[1:] + corners[:1], strict=True))
    if len(corners) >= 3:
        for (a, b), (_, c) in zip(edges, edges[1:] + edges[:1], strict=True):
            assert turn(a, b, c) > 0
        assert all(turn(a, b, point) >= 0 for a, b in edges for point in whole)
    else:
        assert set(corners) == {min(whole), max(whole)}
        assert all(turn(min(whole), max(whole), point) == 0 for point in whole)


@given(GRID)
def test_a_point_is_a_corner_unless_the_others_enclose_it(points):
    distinct = np.unique(points, axis=0)
    corners = points[convex_hull(points)].tolist()
    for i, point in enumerate(distinct):
        others = np.delete(distinct, i, axis=0)
        assert (point.tolist() in corners) == (not inside_hull(point, others, tolerance=0))


@given(CLOUDS, st.randoms(use_true_random=False))
def test_the_order_of_the_points_does_not_matter(points, random):
    order = random.sample(range(len(points)), len(points))
    assert points[convex_hull(points)].tolist() == points[order][convex_hull(points[order])].tolist()


@given(CLOUDS, st.data())
def test_every_softmax_mixture_lies_inside(points, data):
    scores = data.draw(hnp.arrays(np.float64, len(points), elements=st.floats(-40, 40)))
    with np.errstate(all="ignore"):
        mixture = softmax(scores) @ points
    assert inside_hull(mixture, points)
    assert all(inside_hull(point, points, tolerance=0) for point in points)


@given(CLOUDS, st.sampled_from([(1, 0), (-1, 0), (0, 1), (0, -1)]), st.floats(1e-6, 10))
def test_a_point_outside_the_box_lies_outside(points, direction, step):
    size = abs(points).max()
    assume(size == 0 or 1e-300 < size < 1e300)  # a step of less than the smallest number leads nowhere
    side = points.max(axis=0) if max(direction) > 0 else points.min(axis=0)
    outside = np.where(np.array(direction) != 0, side + np.array(direction) * step * (size or 1), points[0])
    assert not inside_hull(outside, points)


def test_outputs_of_attention_lie_inside_the_hull_of_v(random):
    query, key, value = random.normal(size=(40, 5)), random.normal(size=(7, 5)), random.normal(size=(7, 2))
    output = scaled_dot_product_attention(query, key, value).output
    assert all(inside_hull(row, value) for row in output)
    assert not all(inside_hull(2 * row, value) for row in output)


def test_printed_numbers():
    centre, edge, twice = [1.0, 1.0], [1.0, 0.0], [2.0, 2.0]
    assert convex_hull([centre, *SQUARE, edge, twice]).tolist() == [1, 2, 3, 4]
    assert convex_hull([[0.0, 0.0], [1.0, 1.0], [3.0, 3.0], [2.0, 2.0]]).tolist() == [0, 2]
    assert convex_hull([[1.0, 5.0], [1.0, 5.0]]).tolist() == [0]
    assert convex_hull([[-0.0, 0.0], [0.0, -0.0]]).tolist() == [0]
    assert convex_hull([[3.0, 0.0], [1.0, 0.0]]).tolist() == [1, 0]
    assert convex_hull(np.empty((0, 2))).tolist() == [] and convex_hull(SQUARE).dtype.kind == "i"


@pytest.mark.parametrize("point", [[1.0, 1.0], [0.0, 0.0], [1.0, 0.0], [2.0, 1.5], [1.0, -1e-13]])
def test_inside_and_on_the_edge(point):
    assert inside_hull(point, SQUARE) is True


@pytest.mark.parametrize("point", [[1.0, -0.1], [3.0, 0.0], [-1e-6, -1e-6], [2.0, 2.1], [1e300, 1.0]])
def test_outside(point):
    assert inside_hull(point, SQUARE) is False


def test_tolerance_is_relative_to_the_size():
    far = 1e6 * np.array(SQUARE)
    assert inside_hull([1e6, -1e-7], far) and not inside_hull([1e6, -1e-7], far, tolerance=1e-15)
    assert not inside_hull([1.0, -1e-7], SQUARE) and inside_hull([1.0, -0.3], SQUARE, tolerance=0.2)


def test_few_points():
    segment = [[0.0, 0.0], [2.0, 2.0]]
    assert inside_hull([1.0, 1.0], segment) and not inside_hull([1.0, 1.1], segment)
    assert not inside_hull([3.0, 3.0], segment) and not inside_hull([-1.0, -1.0], segment)
    assert inside_hull([1.0, 5.0], [[1.0, 5.0]]) and not inside_hull([1.0, 5.1], [[1.0, 5.0]])
    assert inside_hull([1.0, 1.0], np.empty((0, 2))) is False


def test_a_sliver_does_not_reach_further_than_its_points():
    sliver = [[0.1, 0.3], [0.2, 0.6], [0.3, 0.9]]  # on one line, were it not for rounding
    assert inside_hull([0.15, 0.45], sliver) and not inside_hull([10.0, 30.0], sliver)


@pytest.mark.parametrize("size", [5e-324, 1e-200, 1e200, 8e307])
def test_sizes_whose_products_no_float_can_hold(size):
    square = size * np.array(SQUARE)
    assert convex_hull([*square, square[0]]).tolist() == [0, 1, 2, 3]
    assert inside_hull([size, size], square) and not inside_hull([-size, size], square)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: convex_hull([1.0, 2.0]), ValueError, ["points", "2 dim", "(2,)"]),
        (lambda: convex_hull(np.ones((4, 3))), ValueError, ["points", "(n, 2)", "(4, 3)"]),
        (lambda: convex_hull(np.ones((2, 4, 2))), ValueError, ["points", "(2, 4, 2)"]),
        (lambda: convex_hull([[np.nan, 0.0]]), ValueError, ["points", "NaN", "[0, 0]"]),
        (lambda: convex_hull([["a", "b"]]), TypeError, ["points", "text"]),
        (lambda: inside_hull([1.0, 2.0, 3.0], SQUARE), ValueError, ["point ", "(2,)", "(3,)"]),
        (lambda: inside_hull([[1.0, 2.0]], SQUARE), ValueError, ["point ", "(2,)", "(1, 2)"]),
        (lambda: inside_hull([np.inf, 0.0], SQUARE), ValueError, ["point ", "+inf"]),
        (lambda: inside_hull([0.0, 0.0], None), TypeError, ["points", "None"]),
        (lambda: inside_hull([0.0, 0.0], SQUARE, tolerance=-1), ValueError, ["tolerance", "-1"]),
        (lambda: inside_hull([0.0, 0.0], SQUARE, tolerance="no"), TypeError, ["tolerance", "no"]),
    ],
)
def test_refusals_name_what_is_wrong(call, error, words):
    with pytest.raises(error) as caught:
        call()
    for word in words:
        assert word in str(caught.value)
