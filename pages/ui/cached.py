"""What is computed once per setting for all sessions."""

import numpy as np
import streamlit as st

from attention_core.saturation import Band, seed_band
from pages.ui import reference


@st.cache_data(show_spinner=False, max_entries=64)
def all_seeds(keys: int) -> Band:
    """Return the largest weight over d_k of 400 seeds, for one number of keys."""
    return seed_band(n_seeds=400, n_keys=keys)


@st.cache_data(show_spinner=False, max_entries=64)
def torch_output(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Return PyTorch's output for the same three matrices."""
    return reference.attention(query, key, value)
