"""Attention once more, in Python's own numbers and loops: an arithmetic that shares nothing with NumPy or the core."""

from math import exp, fsum, inf, sqrt

import numpy as np

from pages.ui.bench.experiment import Experiment


def plain_stages(experiment: Experiment) -> dict[str, np.ndarray]:
    """Compute scores, scaled, masked, weights and output entry by entry, with exactly rounded sums.

    Parameters
    ----------
    experiment : Experiment
        Small: the loops take about a microsecond per product.

    Returns
    -------
    dict of str to np.ndarray
        The five stages in float64.

    Examples
    --------
    >>> from pages.ui.bench.experiment import given
    >>> plain_stages(given("", np.eye(2), np.eye(2), np.eye(2), is_causal=True))["weights"].round(2)
    array([[1.  , 0.  ],
           [0.33, 0.67]])
    """
    n, m, lead = experiment.query.shape[-2], experiment.key.shape[-2], experiment.lead
    allowed, bias = visible(experiment), added(experiment)
    arrays = [np.broadcast_to(a, (*lead, *a.shape[-2:])) for a in (experiment.query, experiment.key, experiment.value)]
    found = {name: np.empty((*lead, n, m)) for name in ("scores", "scaled", "masked", "weights")}
    found["output"] = np.empty((*lead, n, experiment.value.shape[-1]))
    scale = 1 / sqrt(experiment.query.shape[-1]) if experiment.scale is None else float(experiment.scale)
    for index in np.ndindex(*lead, n):
        head = index[:-1]
        query, keys, values = arrays[0][index].tolist(), arrays[1][head].tolist(), arrays[2][head].tolist()
        row = _row(query, keys, values, allowed[index].tolist(), bias[index].tolist(), scale)
        for name, numbers in zip(found, row, strict=True):
            found[name][index] = numbers
    return found


def _row(query, keys, values, allowed, bias, scale):
    """All stages of one query."""
    scores = [fsum(q * k for q, k in zip(query, key, strict=True)) for key in keys]
    scaled = [score * scale for score in scores]
    masked = [s + b if may else -inf for s, b, may in zip(scaled, bias, allowed, strict=True)]
    largest = max(masked, default=-inf)
    if largest == -inf:
        weights = [0.0] * len(keys)
    else:
        exponentials = [exp(score - largest) for score in masked]
        total = fsum(exponentials)
        weights = [e / total for e in exponentials]
    output = [fsum(w * v for w, v in zip(weights, column, strict=True)) for column in zip(*values, strict=True)]
    return scores, scaled, masked, weights, output


def visible(experiment: Experiment) -> np.ndarray:
    """Tell where a query may look, as booleans in the full shape (..., n, m)."""
    n, m, mask = experiment.query.shape[-2], experiment.key.shape[-2], experiment.attn_mask
    seen = np.ones((n, m), bool) if mask is None else mask if mask.dtype.kind == "b" else mask > -np.inf
    if experiment.is_causal:
        seen = seen & np.tri(n, m, dtype=bool)
    return np.broadcast_to(seen, (*experiment.lead, n, m))


def added(experiment: Experiment) -> np.ndarray:
    """Return what a float mask adds, 0 where it hides, in the full shape (..., n, m)."""
    n, m, mask = experiment.query.shape[-2], experiment.key.shape[-2], experiment.attn_mask
    bias = np.zeros((n, m)) if mask is None or mask.dtype.kind == "b" else np.where(mask > -np.inf, mask, 0)
    return np.broadcast_to(bias, (*experiment.lead, n, m))
