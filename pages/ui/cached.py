"""What is computed once per setting for all sessions, the long ones one at a time."""

import json
from collections.abc import Callable
from functools import lru_cache, wraps
from threading import Lock

import numpy as np
import streamlit as st

from attention_core.band import Band, seed_bands
from attention_core.counterfactual import Counterfactual, other_weights
from attention_core.draws import Draw, divisors, nested_draw
from attention_core.explained import Explained, drawn_explained, six_words_explained
from attention_core.gradient_flow import NormBand, jacobian_norm_band
from attention_core.heads import ScaleCurves, scale_over_heads
from attention_core.largest_weight import mean_largest_weight
from attention_core.one_model import NearestModel, nearest_model
from attention_core.query_gradient import QueryGradient, query_gradient
from attention_core.saturation import Saturation, saturation
from attention_core.variance import dot_products, variance_by_width
from pages.ui.judge import reference
from pages.ui.language import Language
from pages.ui.live.payload import payload
from pages.ui.streams import Streams

SEEDS = 400
HEAD_SEEDS = 100  # enough for a mean that repeats to two digits
MANY = 2000  # the gradient's median is noisier than the other summaries
LONG = Lock()  # of up to two seconds of work; ten at once would share one interpreter with everybody's short reruns
EVERY = 192  # settings of 100 or 50 kB: each number of keys, and as many again with other means or deviations
PLAIN = ("none", "sqrt_d_k", "d_k")
FEW = np.unique(np.geomspace(1, 512, 60).round().astype(int))  # enough widths for a smooth curve


def alone(compute: Callable) -> Callable:
    """Let a function wait until no other of its kind is at work in this process."""
    @wraps(compute)
    def waiting(*arguments, **options):
        with LONG:
            return compute(*arguments, **options)

    return waiting


def all_seeds(keys: int, mean: float, std: float, divisor: str, value: float | None) -> Band:
    """Return the largest weight over d_k of 400 seeds, for one setting of the experiment."""
    if divisor in PLAIN:
        return plain_bands(keys, mean, std)[divisor]
    return other_band(keys, mean, std, divisor, value if divisor == "free" else None)


@st.cache_data(show_spinner=False, max_entries=EVERY)
@alone
def plain_bands(keys: int, mean: float, std: float) -> dict[str, Band]:
    """Return the bands of the divisors that d_k decides: the draws take most of the time, and these share them."""
    return seed_bands(PLAIN, SEEDS, keys, mean=mean, std=std, random=streams())


@st.cache_data(show_spinner=False, max_entries=EVERY)
@alone
def other_band(keys: int, mean: float, std: float, divisor: str, value: float | None) -> Band:
    """Return the band of one of the other divisors."""
    return seed_bands((divisor,), SEEDS, keys, mean=mean, std=std, value=value, random=streams())[divisor]


@lru_cache(maxsize=1)
def streams() -> Streams:
    """Return the seeds' random numbers as far as anybody has asked for them: 15 MB for 8 keys, 41 MB at most."""
    return Streams(8 * (1 + 24) * 64)  # all that 24 keys and a query of 512 components take


def theory(
    keys: int, mean: float, std: float, divisor: str, value: float | None
) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Return the mean largest weight over all draws at d_k = 1 to 512, raw and divided; None where theory has none."""
    if mean:
        return None, None
    return expected(keys, std, "none", None), None if divisor == "cosine" else expected(keys, std, divisor, value)


@st.cache_data(show_spinner=False, max_entries=2 * EVERY)
def expected(keys: int, std: float, divisor: str, value: float | None) -> np.ndarray:
    """Return the mean largest weight at d_k = 1 to 512 by theory; all divisors share what "none" gives."""
    by = {"none": 1.0, "sqrt_d_k": np.sqrt(FEW), "d_k": FEW.astype(float), "free": value}[divisor]
    return np.interp(np.arange(1, 513), FEW, mean_largest_weight(FEW, keys, divisor=by, std=std))


@lru_cache(maxsize=32)
def followed(
    seed: int, keys: int, mean: float, std: float, divisor: str, value: float | None
) -> tuple[Draw, Saturation]:
    """Return one seed's draw and its experiment. They are handed out themselves, not copies: do not change them."""
    draw = nested_draw(seed, keys, mean=mean, std=std)
    return draw, saturation(draw, divisor, value)


@lru_cache(maxsize=128)
def live(lang: str, seed: int, keys: int, mean: float, std: float, divisor: str, value: float | None) -> bytes:
    """Return what the live picture draws, the same at every d_k, as the JSON that goes to the browser."""
    setting = (keys, mean, std, divisor, value)
    draw, experiment = followed(seed, *setting)
    by = divisors(draw, divisor, value)
    drawn = payload(Language(lang), experiment, all_seeds(*setting), seed, divisor, by, theory(*setting))
    return json.dumps(drawn).encode()


@st.cache_data(show_spinner=False, max_entries=64)
@alone
def norms(keys: int, mean: float, std: float, divisor: str, value: float | None) -> NormBand:
    """Return the norm of the softmax Jacobian over d_k of 400 seeds."""
    return jacobian_norm_band(SEEDS, keys, mean=mean, std=std, divisor=divisor, value=value)


@st.cache_data(show_spinner=False, max_entries=64)
@alone
def query_gradients(keys: int, mean: float, std: float, divisor: str, value: float | None) -> QueryGradient:
    """Return the gradient with respect to q over d_k of 2000 seeds."""
    return query_gradient(MANY, keys, mean=mean, std=std, divisor=divisor, value=value)


@st.cache_data(show_spinner=False, max_entries=64)
def many_products(seed: int, d_k: int, mean: float, std: float) -> np.ndarray:
    """Return 4000 dot products at one width."""
    return dot_products(seed, d_k, 4000, mean, std)


@st.cache_data(show_spinner=False, max_entries=64)
def measured_variance(seed: int, mean: float, std: float) -> np.ndarray:
    """Return the variance of 2000 dot products at every width."""
    return variance_by_width(seed, 512, 2000, mean, std)


@st.cache_data(show_spinner=False, max_entries=64)
def torch_output(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Return PyTorch's output for the same three matrices."""
    return reference.attention(query, key, value)


@st.cache_data(show_spinner=False, max_entries=4)
def head_scales(tokens: int, d_model: int) -> ScaleCurves:
    """Return the mean largest weight over the number of heads, divided by either root, over HEAD_SEEDS seeds."""
    return scale_over_heads(range(HEAD_SEEDS), tokens, d_model, [2**i for i in range(d_model.bit_length())])


@lru_cache(maxsize=256)
def explained(source: str, seed: int, n_keys: int) -> Explained:
    """Return the rows that the lesson on explanation asks about, with values of every width; do not change them."""
    return six_words_explained(seed) if source == "six_words" else drawn_explained(seed, n_keys)


@lru_cache(maxsize=4096)
def other_row(
    source: str, seed: int, n_keys: int, query: int, d_v: int, tolerance: float, far: str
) -> Counterfactual:
    """Return the row farthest from a query's whose output is the same within the tolerance; do not change it."""
    rows = explained(source, seed, n_keys)
    return other_weights(rows.weights[query], rows.value[:, :d_v], tolerance, seed, far)


def distances(source: str, seed: int, n_keys: int, query: int, tolerance: float, far: str) -> np.ndarray:
    """Return how far the other row is at every width of the values."""
    widths = range(1, explained(source, seed, n_keys).value.shape[1] + 1)
    return np.array([other_row(source, seed, n_keys, query, d_v, tolerance, far).distance for d_v in widths])


@lru_cache(maxsize=256)
def nearest(seed: int, d_v: int, tolerance: float, far: str) -> tuple[np.ndarray, np.ndarray, NearestModel]:
    """Return the rows of the six words, the other row of each, and the model nearest to the other rows."""
    rows = explained("six_words", seed, 6)
    others = np.stack([other_row("six_words", seed, 6, query, d_v, tolerance, far).weights for query in range(6)])
    return rows.weights, others, nearest_model(rows.x, others)
