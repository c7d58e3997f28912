"""One word on its way through the pipeline: its sentence worked out, forwards or backwards, and its row in it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attention_core import causal_mask
from attention_core.factored import fused_projection
from pages.ui.language import Language
from pages.ui.tables.worked import BY_QUERY, Worked, work
from pages.ui.typed.sentence import Sentence
from pages.ui.typed.unreadable import shown


@dataclass(frozen=True, eq=False)
class Followed:
    """One word on its way through an experiment.

    Attributes
    ----------
    given : Sentence
        Its sentence, as typed.
    worked : Worked
        The experiment, whose tokens may stand in reversed order.
    row : int
        Where the word stands in the experiment, counted from 0.
    cell : str
        The cell that the reader chose last, in whichever step: "scores.2.1", or nothing.
    """

    given: Sentence
    worked: Worked
    row: int
    cell: str

    @property
    def tokens(self) -> tuple[str, ...]:
        """The words as the experiment has them, safe in Markdown."""
        return tuple(shown(token) for token in self.worked.rows["K"])

    @property
    def word(self) -> str:
        """The word itself."""
        return self.tokens[self.row]

    @property
    def best(self) -> int:
        """The key that the word gives the most."""
        return int(np.argmax(self.worked["weights"][self.row]))

    def quoted(self, _: Language, at: int) -> str:
        """Quote the word at a place, with its position where it stands more than once: “cat” (2)."""
        name = _("“{word}”", word=self.tokens[at])
        return f"{name} ({at + 1})" if self.tokens.count(self.tokens[at]) > 1 else name

    def listed(self, _: Language, places: Sequence[int]) -> str:
        """Quote the words at some places."""
        return ", ".join(self.quoted(_, at) for at in places)

    def place(self, *shown: str, column: int = 0) -> tuple[str, int, int]:
        """Say whose arithmetic to show: the chosen cell in the word's row, where this step shows such a one.

        Otherwise it is the cell in this `column` of the last matrix that is shown.
        """
        name, row, column = self.worked.place(
            self.cell if self.cell.split(".")[0] in shown else "", (shown[-1], self.row, column)
        )
        return name, self.row if name in BY_QUERY else row, column


def follow(given: Sentence, word: int, cell: str, causal: bool = False, backwards: bool = False) -> Followed:
    """Work out the sentence and follow the word at a position, counted from 1 as typed.

    Raises
    ------
    ValueError
        If two of the sentence's matrices disagree in size.
    """
    n = len(given.tokens)
    row = n - word if backwards else word - 1
    return Followed(given, worked_out(given, causal_mask(n) if causal else None, backwards), row, cell)


def worked_out(given: Sentence, attn_mask: np.ndarray | None = None, backwards: bool = False) -> Worked:
    """Work out the sentence, if asked with its tokens in reversed order."""
    order = slice(None, None, -1 if backwards else 1)
    x, *projections = given.arrays
    return work(given.tokens[order], given.features, x[order], *projections, attn_mask=attn_mask)


def askers(given: Sentence, backwards: bool = False) -> range:
    """Return the position, as typed, of the word in each row of the tables."""
    n = len(given.tokens)
    return range(n, 0, -1) if backwards else range(1, n + 1)


def fused_difference(worked: Worked) -> float:
    """Return the largest difference between the fused projection and the three."""
    fused = fused_projection(*(worked[name] for name in ("X", "W_Q", "W_K", "W_V")))
    pairs = ((fused.query, "Q"), (fused.key, "K"), (fused.value, "V"))
    return max(float(abs(product - worked[name]).max()) for product, name in pairs)


def only_inputs(given: Sentence) -> Worked:
    """Return the inputs alone, to be drawn while their sizes disagree."""
    arrays = {each.name: each.array for each in given.inputs}
    heads = {name: tuple(map(str, range(1, array.shape[1] + 1))) for name, array in arrays.items()}
    return Worked(
        arrays, {name: numbered(given, len(array)) for name, array in arrays.items()} | {
            "X": given.tokens, "K": given.tokens,
        }, heads | {"X": given.features}, np.ones((1, 1), bool), 1.0,
    )


def numbered(given: Sentence, n: int) -> tuple[str, ...]:
    """Head n rows of a projection: the features that X has, then numbers."""
    return (*given.features[:n], *map(str, range(len(given.features) + 1, n + 1)))


def ties(values: np.ndarray) -> list[int]:
    """Return where the largest number stands; what differs by rounding only is the same.

    >>> ties(np.array([0.1 + 0.2, 0.1, 0.3]))
    [0, 2]
    """
    return np.flatnonzero(np.isclose(values, values.max(), rtol=1e-9, atol=1e-12)).tolist()
