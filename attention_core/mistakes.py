"""Attention with one classic mistake planted in it, stage by stage: where each mistake first shows, and as what."""

from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from .attention import hide
from .checks import attention_inputs, choice, integer, real_array, scale_or_default
from .masks import allowed_and_bias, combine_masks
from .precision import common_dtype, narrow, score_bound, widen
from .softmax import softmax
from .stability import naive_softmax

STAGES = ("query", "key", "value", "scores", "scaled", "masked", "weights", "output")

STAGE_OF = MappingProxyType(  # mistake: the first of STAGES that comes out wrong
    {
        "no_scaling": "scaled",  # the scale is left out
        "scale_by_d_model": "scaled",  # sqrt of the whole width; needs no scale given, and heads > 1 or d_model
        "softmax_over_columns": "weights",  # the queries compete for a key
        "mask_after_softmax": "masked",  # nothing is hidden there; the weights are set to 0 when it is too late
        "inverted_mask": "masked",  # True read as "hide"
        "off_by_one_causal": "masked",  # query i also sees key i + 1; needs is_causal
        "no_max_subtraction": "weights",  # exp overflows; harmless while scores are small and no row is all hidden
        "wrong_head_split": "query",  # (n, h d) read as (h, n, d) without a transpose; needs heads > 1
        "transposed_value": "output",  # the numbers of V, read down the columns; V itself is still right
    }
)
MISTAKES = tuple(STAGE_OF)

SIGNATURES = MappingProxyType(  # mistake: the id of what gives it away
    {
        "no_scaling": "weights_too_sharp",
        "scale_by_d_model": "weights_too_even",
        "softmax_over_columns": "columns_sum_to_1",
        "mask_after_softmax": "rows_sum_below_1",
        "inverted_mask": "only_hidden_keys_seen",
        "off_by_one_causal": "next_token_seen",
        "no_max_subtraction": "nan_for_large_scores",
        "wrong_head_split": "tokens_mixed",
        "transposed_value": "weights_right_output_wrong",
    }
)


@dataclass(frozen=True, eq=False)
class Stages:
    """Hold every stage of one attention; with several heads they have an axis h before the last two.

    Attributes
    ----------
    query, key, value : np.ndarray, shapes (..., n, d_k), (..., m, d_k), (..., m, d_v)
        What each head works on.
    scores : np.ndarray, shape (..., n, m)
        Q K^T.
    scaled : np.ndarray, shape (..., n, m)
        Scores times the scale.
    masked : np.ndarray, shape (..., n, m)
        What the softmax is given: float masks added, -inf where a query may not look.
    weights : np.ndarray, shape (..., n, m)
        The softmax of it.
    output : np.ndarray, shape (..., n, heads * d_v)
        The heads' outputs side by side.
    """

    query: np.ndarray
    key: np.ndarray
    value: np.ndarray
    scores: np.ndarray
    scaled: np.ndarray
    masked: np.ndarray
    weights: np.ndarray
    output: np.ndarray


def first_wrong_stage(mistake: str) -> str:
    """Name the stage at which a mistake first shows; every stage before it comes out right.

    Parameters
    ----------
    mistake : str
        One of `MISTAKES`.

    Returns
    -------
    str
        One of `STAGES`.

    Raises
    ------
    ValueError
        If the mistake is unknown.

    Examples
    --------
    >>> first_wrong_stage("no_scaling")
    'scaled'
    """
    return STAGE_OF[choice("mistake", mistake, MISTAKES)]


def attend_with(
    mistake: str | None,
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    attn_mask: ArrayLike | None = None,
    is_causal: bool = False,
    scale: float | None = None,
    heads: int = 1,
    d_model: int | None = None,
) -> Stages:
    """Compute attention in the plainest way, with one mistake in it or none.

    Parameters
    ----------
    mistake : str or None
        One of `MISTAKES`; None computes what `scaled_dot_product_attention` does.
    query, key, value : array_like, shapes (..., n, heads * d_k), (..., m, heads * d_k), (..., m, heads * d_v)
        Q, K and V, not yet split into heads.
    attn_mask : array_like, broadcastable to (..., n, m) or with several heads (..., heads, n, m), optional
        Boolean: True = may attend. Float: added to the scaled scores, -inf hides.
    is_causal : bool, default False
        Let query i attend to keys 0..i only.
    scale : float, optional
        1 / sqrt(d_k) by default. "no_scaling" ignores it; "scale_by_d_model" leaves it alone, for it gets the default
        wrong, and cannot show where a scale is given.
    heads : int, default 1
        Head h owns columns h * d_k to (h + 1) * d_k. With one head there is no axis of heads.
    d_model : int, optional
        What "scale_by_d_model" takes the root of; heads * d_k by default.

    Returns
    -------
    Stages
        query, key, value, scores, scaled, masked, weights and output, wrong ones included.

    Raises
    ------
    TypeError, ValueError
        As `scaled_dot_product_attention` does, and if the mistake is unknown or the heads do not divide a width.

    Examples
    --------
    >>> x = [[1.0, 0.0], [0.0, 1.0]]
    >>> attend_with(None, x, x, x, is_causal=True).weights.round(2)
    array([[1.  , 0.  ],
           [0.33, 0.67]])
    >>> attend_with("mask_after_softmax", x, x, x, is_causal=True).weights.round(2)
    array([[0.67, 0.  ],
           [0.33, 0.67]])
    """
    mistake = None if mistake is None else choice("mistake", mistake, MISTAKES)
    heads = integer("heads", heads, at_least=1)
    query, key, value = (_split(mistake, *named, heads) for named in (("Q", query), ("K", key), ("V", value)))
    query, key, value, mask, is_causal = attention_inputs(query, key, value, attn_mask, is_causal)
    factor = _factor(mistake, scale, d_k=query.shape[-1], heads=heads, d_model=d_model)
    allowed, bias = _mask(mistake, mask, is_causal, n=query.shape[-2], m=key.shape[-2])

    dtype = common_dtype(query, key, value, mask)
    query, key, value = widen(dtype, score_bound(query, key, value, mask, factor), query, key, value)
    with np.errstate(all="ignore"):
        scores = query @ key.swapaxes(-1, -2)  # (..., n, m)
        scaled = scores * factor
        masked = scaled + bias if mistake == "mask_after_softmax" else hide(scaled + bias, allowed)
        weights = _weights(mistake, masked, allowed, dtype)
        output = _merge(weights @ _rows(mistake, value), heads)  # (..., n, heads * d_v)
    return Stages(*narrow(dtype, query, key, value, scores, scaled, masked, weights, output))


def _split(mistake, name, rows, heads):
    """Cut the width into heads and put the heads before the rows."""
    rows = real_array(name, rows, "rows columns")
    *lead, n, width = rows.shape
    if width % heads:
        raise ValueError(f"{heads} heads do not divide the width of {name} {rows.shape}, {width}.")
    if heads == 1:
        return rows
    if mistake == "wrong_head_split":
        return rows.reshape(*lead, heads, n, width // heads)  # (..., h, n, d), but a "row" is a piece of any token
    return rows.reshape(*lead, n, heads, width // heads).swapaxes(-2, -3)  # (..., n, h, d) -> (..., h, n, d)


def _factor(mistake, scale, d_k, heads, d_model):
    """Return what the scores are multiplied by."""
    right = scale_or_default(scale, d_k)
    d_model = heads * d_k if d_model is None else integer("d_model", d_model, at_least=1)
    if mistake == "scale_by_d_model" and scale is None:
        return 1 / d_model**0.5
    return 1.0 if mistake == "no_scaling" else right


def _mask(mistake, mask, is_causal, n, m):
    """Return where a query may attend (None: everywhere), and the finite numbers to add to the scaled scores."""
    allowed, bias = allowed_and_bias(mask, is_causal=False, n=n, m=m)
    if isinstance(bias, np.ndarray):
        bias = np.where(bias > -np.inf, bias, 0)  # what -inf hides is in `allowed`
    if is_causal:
        ahead = 1 if mistake == "off_by_one_causal" else 0
        allowed = combine_masks(allowed, np.tri(n, m, k=ahead, dtype=bool))
    if mistake == "inverted_mask" and allowed is not None:
        allowed = ~allowed
    return allowed, bias


def _weights(mistake, masked, allowed, dtype):
    if mistake == "softmax_over_columns":
        return softmax(masked, axis=-2)
    if mistake == "no_max_subtraction":
        return naive_softmax(masked, "float32" if dtype == np.float32 else "float64")
    weights = softmax(masked)
    if mistake == "mask_after_softmax" and allowed is not None:
        return np.where(allowed, weights, 0)
    return weights


def _rows(mistake, value):
    """Return V as the weights meet it."""
    if mistake == "transposed_value":
        return value.swapaxes(-1, -2).reshape(value.shape)  # (..., d_v, m) -> (..., m, d_v): the shape hides it
    return value


def _merge(output, heads):
    """Put the outputs of the heads side by side again."""
    if heads == 1:
        return output
    rows = output.swapaxes(-2, -3)  # (..., h, n, d_v) -> (..., n, h, d_v)
    return rows.reshape(*rows.shape[:-2], heads * rows.shape[-1])  # (..., n, h * d_v)
