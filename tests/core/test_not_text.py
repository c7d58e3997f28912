"""Patches and nodes: nothing of a picture is lost, and a graph's mask says who is whose neighbour."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import scaled_dot_product_attention
from attention_core.not_text import PICTURES, heard_after, neighbours_mask, patches, picture, standardised

NODES = 6
EDGES = st.sets(st.tuples(st.integers(0, NODES - 1), st.integers(0, NODES - 1)), max_size=15)


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_are_grey_and_small(name):
    image = picture(name)
    assert image.shape == (8, 8) and image.min() == 0 and image.max() == 1
    assert len({picture(other).tobytes() for other in PICTURES}) == len(PICTURES)


def test_an_unknown_picture_is_refused():
    with pytest.raises(ValueError, match="picture"):
        picture("cat")


@given(st.integers(1, 4), st.integers(1, 4), st.integers(1, 3))
def test_patches_can_be_put_together_again(rows, columns, size):
    image = np.arange(rows * columns * size * size, dtype=float).reshape(rows * size, columns * size)
    cut = patches(image, size)
    assert cut.shape == (rows * columns, size * size)
    for at, patch in enumerate(cut):
        top, left = size * (at // columns), size * (at % columns)
        assert (patch.reshape(size, size) == image[top : top + size, left : left + size]).all()


@pytest.mark.parametrize(("shape", "size", "words"), [
    ((8, 8), 3, ["3 x 3", "(8, 8)"]), ((4, 6), 4, ["4 x 4", "(4, 6)"]), ((2, 4, 4), 2, ["3", "2 dims"]),
])
def test_patches_that_do_not_fit_are_refused(shape, size, words):
    with pytest.raises(ValueError, match="picture") as caught:
        patches(np.zeros(shape), size)
    assert all(word in str(caught.value) for word in words)


@pytest.mark.parametrize("name", PICTURES)
def test_tokens_are_standardised(name):
    x = standardised(patches(picture(name), 2))
    assert x.mean() == pytest.approx(0) and x.std() == pytest.approx(1)


def test_a_picture_of_one_grey_has_even_weights():
    x = standardised(patches(np.full((8, 8), 0.3), 2))
    assert (x == 0).all() and (scaled_dot_product_attention(x, x, x).weights == 1 / 16).all()


@given(EDGES)
def test_the_mask_is_the_graph(edges):
    mask = neighbours_mask(NODES, edges)
    assert (mask == mask.T).all() and mask.diagonal().all()
    both_ways = {tuple(sorted(edge)) for edge in edges if edge[0] != edge[1]}
    assert mask.sum() == NODES + 2 * len(both_ways)


@given(EDGES, st.integers(1, 7))
def test_news_travels_one_edge_a_layer(edges, layers):
    mask, heard = neighbours_mask(NODES, edges), heard_after(neighbours_mask(NODES, edges), layers)
    away = np.where(mask, 1, NODES * NODES)
    np.fill_diagonal(away, 0)
    for via in range(NODES):
        away = np.minimum(away, away[:, [via]] + away[[via], :])
    assert (heard == (away <= layers)).all()


def test_a_node_without_neighbours_hears_itself():
    x = np.arange(12.0).reshape(3, 4)
    attention = scaled_dot_product_attention(x, x, x, attn_mask=neighbours_mask(3, [(0, 1)]))
    assert attention.weights[2].tolist() == [0, 0, 1] and (attention.output[2] == x[2]).all()


@pytest.mark.parametrize("edge", [(0, 3), (-1, 0), (5, 1)])
def test_an_edge_to_nowhere_is_refused(edge):
    with pytest.raises(ValueError, match="nodes from 0 to 2"):
        neighbours_mask(3, [edge])
