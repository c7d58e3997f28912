"""The saturation experiment as the browser receives it: every figure, at every d_k, rounded as it will be shown.

The browser rounds nothing. NumPy rounds each number to the last digit that the picture shows and ships it as a whole
number of such digits, so that the browser only places the decimal mark; that is also a quarter of the size of float64.
"""

import base64
from decimal import Decimal

import numpy as np

from attention_core.saturation import Band, Saturation
from pages.ui import words as lab_words
from pages.ui.language import Language
from pages.ui.live.words import words

ONE = 20000  # the weight 1: weights are shipped as twice their ten-thousandths, which leaves odd numbers for bounds
FARTHEST = 32767  # hundredths; a score beyond the axis is an arrow at its edge, so how far beyond is not told


def payload(
    _: Language,
    experiment: Saturation,
    band: Band,
    seed: int,
    divisor: str,
    by: np.ndarray,
    theory: tuple[np.ndarray | None, np.ndarray | None] = (None, None),
) -> dict:
    """Return what the element draws: the same for every d_k, so that it crosses the network once per experiment.

    Parameters
    ----------
    _ : Language
        The page's language.
    experiment : Saturation
        One seed's draw at d_k = 1 to 512.
    band : Band
        The largest weights of many seeds.
    seed : int
        Whose draw the experiment is.
    divisor : str
        One of attention_core.saturation.DIVISORS.
    by : np.ndarray, shape (512, 1) or (512, n_keys)
        What the scores are divided by: attention_core.draws.divisors.
    theory : tuple of two arrays of shape (512,), or None
        Mean largest weight by theory, not divided and divided.
    """
    n_keys = experiment.scores.shape[1]
    symbol = _.short(by[0, 0]) if divisor == "free" else lab_words.DIVISOR[divisor]
    return {
        "lang": _.lang,
        "mark": _.decimal_symbol,
        "n_keys": n_keys,
        "words": words(_, divisor),
        "constants": {
            "seed": str(seed),
            "threshold": _.number(band.threshold, 1),
            "top": _.number(np.log(n_keys), 2),
            "equal": _.weight(1 / n_keys),
            "by": symbol,
        },
        "arrays": {name: packed(array) for name, array in arrays(experiment, band, by, theory).items()},
    }


def arrays(experiment: Saturation, band: Band, by: np.ndarray, theory: tuple) -> dict[str, np.ndarray]:
    """Return every array of the picture as whole numbers; the first axis is d_k, 1 to 512."""
    expected = np.sqrt(np.arange(1.0, len(experiment.scores) + 1))  # the promise: components of mean 0 and variance 1
    found = {"by_low": short_codes(by.min(axis=1)), "by_high": short_codes(by.max(axis=1))}
    for kind, scores, divided_by, curve in (
        ("raw", experiment.scores, 1, theory[0]),
        ("scaled", experiment.scaled, by.mean(axis=1), theory[1]),
    ):
        weights = getattr(experiment, f"weights_{kind}")
        others = np.where(np.arange(weights.shape[1]) == weights.argmax(axis=1)[:, None], 0, weights)
        found |= {
            f"scores_{kind}": rounded(scores, 2).clip(-FARTHEST, FARTHEST).astype("<i2"),
            f"weights_{kind}": weight_codes(weights),
            f"winner_{kind}": weights.argmax(axis=1).astype("u1"),
            f"largest_{kind}": weight_codes(getattr(experiment, f"largest_{kind}")),
            f"rest_{kind}": weight_codes(others.sum(axis=1)),
            f"smallest_{kind}": weight_codes(weights.min(axis=1)),
            f"spread_{kind}": rounded(getattr(experiment, f"spread_{kind}"), 2).astype("<u4"),
            f"expected_{kind}": short_codes(expected / divided_by),
            f"entropy_{kind}": rounded(getattr(experiment, f"entropy_{kind}"), 2).astype("<u2"),
            f"band_{kind}": weight_codes(getattr(band, kind)),
            f"share_{kind}": share_codes(getattr(band, f"share_{kind}")),
        }
        if curve is not None:
            found[f"theory_{kind}"] = weight_codes(np.clip(curve, 0, 1))
    return found


def rounded(values: np.ndarray, places: int) -> np.ndarray:
    """Round to whole units of the last place exactly as Language.number does: the printed decimal, ties to even."""
    values = np.asarray(values, float)
    units = values * 10.0**places
    whole = np.rint(units)
    doubtful = abs(units - np.floor(units) - 0.5) < 1e-6  # the product's own rounding may have crossed the tie
    whole[doubtful] = [round(Decimal(repr(float(value))).scaleb(places)) for value in values[doubtful]]
    return whole


def weight_codes(weights: np.ndarray) -> np.ndarray:
    """Write weights as Language.weight rounds them: 0 is exactly 0, 1 "<0.0001", 19999 ">0.9999", 20000 exactly 1."""
    weights = np.asarray(weights, float)
    codes = 2 * rounded(weights, 4)
    codes[(weights > 0) & (codes == 0)] = 1
    codes[(weights >= 1 - 0.5e-4) & (weights < 1)] = ONE - 1
    return codes.astype("<u2")


def share_codes(shares: np.ndarray) -> np.ndarray:
    """Write shares as whole per cent; 0 and 100 are exactly that, 255 is "<1" and 254 ">99"."""
    codes = rounded(100 * shares, 0)
    codes[(shares > 0) & (codes == 0)] = 255
    codes[(shares < 1) & (codes == 100)] = 254
    return codes.astype("u1")


def short_codes(values: np.ndarray) -> np.ndarray:
    """Write numbers as Language.short rounds them: twice the hundredths, odd unless it is a whole number."""
    values = np.asarray(values, float)
    return (2 * rounded(values, 2) + (values != np.floor(values))).astype("<u4")


def packed(array: np.ndarray) -> list[str]:
    """Return an array's type and bytes as text."""
    return [array.dtype.str[1:], base64.b64encode(np.ascontiguousarray(array)).decode("ascii")]
