"""One experiment from its inputs to its output: every matrix by its name, and how each is drawn."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attention_core import project, scaled_dot_product_attention
from pages.ui.language import N_, Language
from pages.ui.tables.matrix import Entry, matrix

# What each matrix is called over its table; texts with their marks are the lab's own.
CAPTION = {
    "X": N_("<i class='symbol'>X</i>, the input"),
    "W_Q": N_("<i class='Q'>W<sub>Q</sub></i>, what a token asks for"),
    "W_K": N_("<i class='K'>W<sub>K</sub></i>, what a token is found by"),
    "W_V": N_("<i class='V'>W<sub>V</sub></i>, what a token hands over"),
    "Q": N_("<i class='Q'>Q</i>, queries"),
    "K": N_("<i class='K'>K</i>, keys"),
    "V": N_("<i class='V'>V</i>, values"),
    "scores": N_("Scores <i>QK</i>ᵀ"),
    "scaled": N_("Scaled scores"),
    "mask": N_("The mask, added"),
    "masked": N_("Scaled and masked; hatched is −∞"),
    "weights": N_("Weights, rows sum to 1"),
    "output": N_("Output"),
}
SCALE = {
    "W_Q": "query", "Q": "query", "W_K": "key", "K": "key", "W_V": "value", "V": "value", "output": "value",
    "scores": "score", "scaled": "score", "masked": "score", "weights": "weight",
}
BY_QUERY = ("Q", "scores", "scaled", "mask", "masked", "weights", "output")  # one row a query
BY_KEY = ("K", "V")  # one row a key
ACROSS_KEYS = ("scores", "scaled", "mask", "masked", "weights")  # one column a key


@dataclass(frozen=True, eq=False)
class Worked:
    """Hold an experiment as it was computed.

    Attributes
    ----------
    arrays : dict of str to np.ndarray
        Every matrix by the name it has in CAPTION; X and the projections are missing where Q, K and V are the input.
    rows, columns : dict of str to tuple of str
        What heads the rows and columns of each.
    allowed : np.ndarray of bool, shape (n, m)
        Who may look at whom.
    scale : float
        The factor on the scores.
    first : int
        Position of the first query among the keys' tokens: 0, unless a cache holds the earlier tokens.
    """

    arrays: dict[str, np.ndarray]
    rows: dict[str, tuple[str, ...]]
    columns: dict[str, tuple[str, ...]]
    allowed: np.ndarray
    scale: float
    first: int = 0

    def __getitem__(self, name: str) -> np.ndarray:
        """Return a matrix by its name."""
        return self.arrays[name]

    def place(self, chosen: str, otherwise: tuple[str, int, int]) -> tuple[str, int, int]:
        """Read "scores.2.1" as (name, row, column) counted from 0; `otherwise` where there is no such cell.

        K_T.1.2, a cell of the transposed keys, is the same number as K.2.1.
        """
        name, *at = chosen.split(".")
        if name not in (*self.arrays, "K_T") or len(at) != 2:
            return otherwise
        row, column = (int(number) - 1 for number in at)
        if name == "K_T":
            name, row, column = "K", column, row
        inside = row < self.arrays[name].shape[0] and column < self.arrays[name].shape[1]
        return (name, row, column) if inside else otherwise

    def table(
        self, _: Language, name: str, *, places: int = 2, caption: str | None = None, query: int | None = None,
        chosen: tuple[str, int, int] | None = None, entry: Entry | None = None, notes: Sequence[str] = (),
        percent: bool = False,
    ) -> str:
        """Draw one of the matrices; `query` is the row of the query, counted from 0 among the queries.

        Its cells can be chosen, the headers of a query's row make it the query, and with an `entry` its numbers can be
        changed.
        """
        factor = 100 if percent else 1
        tokens = range(len(self.rows["K"]))
        asking = range(self.first, self.first + len(self.rows[name]))
        row_tokens = asking if name in BY_QUERY else tokens if name in ("X", *BY_KEY) else None
        here = {"X": self.first + query if query is not None else None}.get(name, query if name in BY_QUERY else None)
        return matrix(
            name, self.arrays[name], self.rows[name], self.columns[name],
            lambda value: _.number(factor * value, places),
            caption=_(CAPTION[name]) if caption is None else caption,
            scale=SCALE.get(name, "plain"),
            allowed=self.allowed if name in ("mask", "masked", "weights") else None,
            masked="−∞" if name == "mask" else _("masked"),
            row=here, cell=chosen[1:] if chosen and chosen[0] == name else None, notes=notes,
            live=True, asks=name in BY_QUERY, entry=entry,
            row_tokens=row_tokens, column_tokens=tokens if name in ACROSS_KEYS else None,
        )


def work(
    tokens: Sequence[str],
    features: Sequence[str],
    x: np.ndarray,
    w_query: np.ndarray,
    w_key: np.ndarray,
    w_value: np.ndarray,
    attn_mask: np.ndarray | None = None,
    first: int = 0,
    dimensions: Sequence[str] | None = None,
) -> Worked:
    """Work out an experiment from tokens and projections.

    Parameters
    ----------
    tokens, features : sequences of str
        What heads the n rows and the d_model columns of X.
    x, w_query, w_key, w_value : arrays, shapes (n, d_model), (d_model, d_k), (d_model, d_k), (d_model, d_v)
        The inputs.
    attn_mask : (n - first, n) bool array, optional
        True where a query may look at a key.
    first : int
        How many tokens only offer keys and values: a decoder's cache holds them.
    dimensions : sequence of str, optional
        What heads the columns of Q, K and V; by default their number.

    Raises
    ------
    ValueError
        If two sizes disagree; the message names both matrices.
    """
    roles = project(x, w_query, w_key, w_value)
    given = {"X": x, "W_Q": w_query, "W_K": w_key, "W_V": w_value}
    worked = attend(roles.query[first:], roles.key, roles.value, tokens[first:], tokens, attn_mask, given, first)
    features = tuple(features)
    worked.rows.update(X=tuple(tokens), W_Q=features, W_K=features, W_V=features)
    worked.columns.update(X=features, **{f"W_{role}": worked.columns[role] for role in "QKV"})
    if dimensions is not None:
        worked.columns.update({
            name: tuple(dimensions) for name in ("W_Q", "W_K", "W_V", "Q", "K", "V", "output")
            if len(worked.columns[name]) == len(dimensions)
        })
    return worked


def attend(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    queries: Sequence[str],
    keys: Sequence[str],
    attn_mask: np.ndarray | None = None,
    given: dict[str, np.ndarray] | None = None,
    first: int = 0,
) -> Worked:
    """Work out an experiment from Q, K and V; `queries` and `keys` head their rows."""
    attention = scaled_dot_product_attention(query, key, value, attn_mask=attn_mask)
    allowed = np.broadcast_to(True if attention.allowed is None else attention.allowed, attention.scores.shape)
    added = np.where(allowed, 0.0, -np.inf)
    arrays = (given or {}) | {
        "Q": query, "K": key, "V": value, "scores": attention.scores, "scaled": attention.scaled, "mask": added,
        "masked": attention.scaled + added, "weights": attention.weights, "output": attention.output,
    }
    rows = {name: tuple(queries) for name in BY_QUERY} | {name: tuple(keys) for name in BY_KEY}
    columns = {name: tuple(keys) for name in ACROSS_KEYS} | {
        name: tuple(str(i + 1) for i in range(arrays[name].shape[1])) for name in ("Q", "K", "V", "output")
    }
    return Worked(arrays, rows, columns, allowed, attention.scale, first)
