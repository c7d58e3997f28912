"""Dividing by sqrt(d_k) first, last or half on either side is one product, up to rounding."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import scaled_dot_product_attention
from attention_core.scale_orders import ORDERS, apart, scaled_in_order

SIZES = st.integers(1, 9)


@given(seed=st.integers(0, 10**6), n=SIZES, m=SIZES, d_k=st.integers(1, 128))
def test_every_order_is_the_cores_scaled_scores_but_for_rounding(seed, n, m, d_k):
    random = np.random.default_rng(seed)
    query, key = random.standard_normal((n, d_k)), random.standard_normal((m, d_k))
    expected = scaled_dot_product_attention(query, key, np.eye(m)).scaled
    allowed = 1e-14 * np.abs(query) @ np.abs(key).T + 1e-300  # rounding grows with the products, not with their sum
    for order in ORDERS:
        assert (np.abs(scaled_in_order(query, key, order) - expected) <= allowed).all(), order


@given(seed=st.integers(0, 10**6), power=st.integers(0, 4))
def test_where_the_root_is_a_power_of_two_dividing_the_query_changes_no_bit(seed, power):
    random = np.random.default_rng(seed)
    query, key = random.standard_normal((3, 4**power)), random.standard_normal((5, 4**power))
    assert apart(query, key)[:2].tolist() == [0, 0]


def test_elsewhere_the_orders_do_round_differently():
    random = np.random.default_rng(0)
    gaps = apart(random.standard_normal((8, 80)), random.standard_normal((8, 80)))
    assert gaps[0] == 0 and (gaps[1:] > 0).all() and (gaps < 1e-14).all()


@pytest.mark.parametrize(("query", "key", "order", "error"), [
    ([[1.0, 2.0]], [[1.0]], "scores", "Q is 2 wide and K 1"), ([[1.0]], [[1.0]], "value", "order must be one of"),
    ([1.0], [[1.0]], "both", "Q needs at least 2"),
])
def test_what_does_not_fit_is_refused_in_a_sentence(query, key, order, error):
    with pytest.raises(ValueError, match=error):
        scaled_in_order(query, key, order)
