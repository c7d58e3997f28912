"""Which two sizes disagree, in a sentence that names both matrices."""

import numpy as np

from pages.ui.language import N_, Language

INNER = N_("{first} is {a} and {second} is {b}: {first} needs as many columns as {second} has rows.")
WIDTH = N_("{first} is {a} and {second} is {b}: both need the same number of columns, dₖ, because a query meets a key "
           "number by number.")
LENGTH = N_("{first} is {a} and {second} is {b}: both need the same number of rows, because every key has one value.")


def mismatch(
    _: Language, x: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, w_value: np.ndarray
) -> str | None:
    """Say which sizes disagree between X and the projections; None where all agree."""
    projections = {"W_Q": w_query, "W_K": w_key, "W_V": w_value}
    found = [disagree(_, INNER, "X", x, name, w) for name, w in projections.items() if x.shape[1] != w.shape[0]]
    if w_query.shape[1] != w_key.shape[1]:
        found.append(disagree(_, WIDTH, "W_Q", w_query, "W_K", w_key))
    return " ".join(found) or None


def mismatch_qkv(_: Language, query: np.ndarray, key: np.ndarray, value: np.ndarray) -> str | None:
    """Say which sizes disagree between Q, K and V; None where all agree."""
    found = [disagree(_, WIDTH, "Q", query, "K", key)] if query.shape[1] != key.shape[1] else []
    if key.shape[0] != value.shape[0]:
        found.append(disagree(_, LENGTH, "K", key, "V", value))
    return " ".join(found) or None


def size(shape: tuple[int, int]) -> str:
    """Write a size.

    >>> size((2, 3))
    '2 × 3'
    """
    return " × ".join(map(str, shape))


def disagree(_: Language, text: str, first: str, a: np.ndarray, second: str, b: np.ndarray) -> str:
    """Fill a sentence on two matrices with their names and sizes."""
    return _(text, first=first, a=size(a.shape), second=second, b=size(b.shape))
