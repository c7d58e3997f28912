"""Random inputs that several test files share."""

import numpy as np
import pytest
from hypothesis import settings

settings.register_profile("core", deadline=None, max_examples=60)
settings.load_profile("core")


@pytest.fixture
def random():
    return np.random.default_rng(20240607)


@pytest.fixture
def qkv(random):
    """Q, K and V with sizes 2, 3, 5, 7 in all, so that no two axes can be confused: n=2, m=3, d_k=5, d_v=7."""
    return random.normal(size=(2, 5)), random.normal(size=(3, 5)), random.normal(size=(3, 7))
