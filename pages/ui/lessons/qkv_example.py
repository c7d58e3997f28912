"""Ikan and makan as the reader has set them: tokens, inputs and sizes, and the picture that the lesson opens with."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from attention_core.examples import ikan_makan
from attention_core.lookup import Lookup, hard_lookup
from pages.ui import share, words
from pages.ui.fields import FIELDS
from pages.ui.language import Language
from pages.ui.tables import sums
from pages.ui.tables.arithmetic import arithmetic
from pages.ui.tables.board import board
from pages.ui.tables.matrix import matrix, operator, side_by_side
from pages.ui.tables.worked import BY_QUERY, CAPTION, Worked, work
from pages.ui.typed import inputs
from pages.ui.typed.inputs import Input
from pages.ui.typed.sentence import feature_names

SHOWN = ("Q", "K", "V", "scores", "scaled", "weights", "output")  # the tables of the picture
FORMULAS = {role: f"<i class='{role}'>{role}</i> = X W<sub>{role}</sub>" for role in "QKV"}
NOTES = {"W_Q": words.ASKS, "W_K": words.OFFERS, "W_V": words.HANDS_OVER}
PLAIN = {"x": None, "w_q": None, "w_k": None, "w_v": None, "tie": "none"}  # the source's own numbers


@dataclass(frozen=True, eq=False)
class Example:
    """Hold the tokens, and the matrices that they start from.

    Attributes
    ----------
    tokens, features, dimensions : tuple of str
        What heads the rows and columns of X, and the columns of Q, K and V where there are as many.
    x, w_query, w_key, w_value : Input
        The matrices, which the reader may have changed.
    tied : bool
        Whether W_Q takes the place of W_K.
    """

    tokens: tuple[str, ...]
    features: tuple[str, ...]
    dimensions: tuple[str, ...]
    x: Input
    w_query: Input
    w_key: Input
    w_value: Input
    tied: bool

    @property
    def all(self) -> tuple[Input, Input, Input, Input]:
        """The four matrices in the order of the lesson."""
        return self.x, self.w_query, self.w_key, self.w_value

    @property
    def inputs(self) -> tuple[Input, ...]:
        """Those of them that count: one that W_Q replaces cannot be edited."""
        return tuple(given for given in self.all if not (self.tied and given is self.w_key))

    @property
    def changed(self) -> bool:
        """Say whether anything differs from the source, or cannot be read."""
        return any(given.changed or given.unfit or given.typed for given in self.all)

    @property
    def ids(self) -> tuple[str, ...]:
        """The tokens as the link knows them."""
        return FIELDS["token"].choices[: len(self.tokens)]

    def name(self, id: str) -> str:
        """Say a token of the link in words."""
        return self.tokens[self.ids.index(id)]

    def arrays(self, tied: bool | None = None) -> tuple[np.ndarray, ...]:
        """Return X, W_Q, W_K and W_V as they count, or as they would count tied or untied."""
        tied = self.tied if tied is None else tied
        x, w_query, w_key, w_value = (given.array for given in self.all)
        return x, w_query, w_query if tied else w_key, w_value

    def work(self, *arrays: np.ndarray) -> Worked:
        """Work it out, with its own matrices or with others; ValueError where their sizes disagree."""
        return work(self.tokens, self.features, *(arrays or self.arrays()), dimensions=self.dimensions)


def example(_: Language) -> Example:
    """Return the example as it is set."""
    source = ikan_makan()
    x = Input("X", "x", source.x, rows=(1, 6), columns=(1, 8))
    n, d_model = x.array.shape
    known = [_(words.FEATURES[feature]) for feature in source.features]
    more = [_("token {number}", number=number) for number in range(len(source.tokens) + 1, n + 1)]
    return Example(
        tokens=(*source.tokens[:n], *more), features=feature_names(_, known, d_model), dimensions=tuple(known[:3]), x=x,
        w_query=Input("W_Q", "w_q", source.w_query, rows=(1, 8), columns=(1, 6)),
        w_key=Input("W_K", "w_k", source.w_key, rows=(1, 8), columns=(1, 6)),
        w_value=Input("W_V", "w_v", source.w_value, rows=(1, 8), columns=(1, 6)),
        tied=share.value("tie") == "q_k",
    )


def row_of(given: Example) -> int:
    """Return the row of the query, counted from 0; a link may name a token that is not there."""
    token = share.value("token")
    return given.ids.index(token) if token in given.ids else len(given.ids) - 1


def picture(_: Language, given: Example, worked: Worked) -> None:
    """Draw every matrix from Q to the output, and one of their cells in full."""
    row, d_k = row_of(given), worked["K"].shape[1]
    place = chosen(worked, row)
    captions = FORMULAS | {"scaled": _("Scaled <i>QK</i>ᵀ ÷ √{d_k}", d_k=d_k)}
    drawn = {
        name: worked.table(_, name, places=places(worked, name), caption=captions.get(name), query=row, chosen=place)
        for name in SHOWN
    }
    tables = side_by_side(drawn["Q"], drawn["K"], drawn["scores"]) + side_by_side(
        drawn["scaled"], operator("softmax"), drawn["weights"], operator("×"), drawn["V"], operator("="),
        drawn["output"],
    )
    board("board_qkv", tables, arithmetic(_, worked, place), ask=("token", given.ids))


def chosen(worked: Worked, row: int) -> tuple[str, int, int]:
    """Say whose arithmetic to show: the cell that the reader chose, in the query's row; else its highest score."""
    cell = share.value("cell")
    otherwise = ("scores", row, int(search_result(worked).best[row]))
    name, of, column = worked.place(cell if cell.split(".")[0] in SHOWN else "", otherwise)
    return name, row if name in BY_QUERY else of, column


def places(worked: Worked, name: str) -> int:
    """Return how many decimals a matrix needs: the source prints one, quotients have four."""
    return 4 if name in ("scaled", "weights", "output") else max(1, sums.places(worked[name]))


def says(_: Language, given: Example, worked: Worked) -> str:
    """Say what the query finds, with its numbers."""
    row, score = row_of(given), (lambda value: _.number(value, places(worked, "scores")))
    found = search_result(worked)
    best = found.best[row]
    holes = {
        "query": given.tokens[row], "key": given.tokens[best], "score": score(worked["scores"][row, best]),
        "d_k": worked["K"].shape[1], "root": _.number(1 / worked.scale),
        "scaled": _.number(worked["scaled"][row, best]), "share": _.percent(worked["weights"][row, best], 1),
        "output": _.list(worked["output"][row]),
        "weights": " : ".join(map(_.number, worked["weights"][row])), "keys": quoted(_, ties(given, worked, row)),
    }
    if len(given.tokens) == 1:
        return _(
            "With one token there is nothing to choose from: the query of “{query}” meets its own key alone, and their "
            "score is **{score}**. Divided by √{d_k} = {root} it becomes {scaled}, and softmax of one number is 1: "
            "“{query}” gives itself **{share}** of its attention, whatever the score. Its output [{output}] is its own "
            "value.", **holes,
        )
    if found.tied[row]:
        return _(
            "The query of “{query}” does not prefer one key: it scores **{score}** with {keys}. Divided by √{d_k} = "
            "{root} that becomes {scaled}, and softmax gives each of them **{share}** of the attention of “{query}”. "
            "Its output [{output}] mixes the values in the proportion {weights}.", **holes,
        )
    text = _(
        "The query of “{query}” matches the key of “{key}” best: their score is **{score}**. Divided by √{d_k} = "
        "{root} it becomes {scaled}, and softmax turns it into **{share}** of the attention of “{query}”. Its output "
        "[{output}] mixes the values in the proportion {weights}.", **holes,
    )
    if row == 0 and not given.changed and not given.tied:
        text += " " + _("(The source's text says that “ikan” scores {half} with both keys; the matrix it prints has "
                        "{zero} and {half}, as here.)", half=score(0.5), zero=score(0))
    return text


def search_result(worked: Worked) -> Lookup:
    """Look up each query's best key; scores that differ by rounding only are the same."""
    return hard_lookup(np.round(worked["scores"], 9), worked["V"])


def ties(given: Example, worked: Worked, row: int) -> list[str]:
    """Return the keys that share a query's highest score."""
    scores = np.round(worked["scores"][row], 9)
    return [given.tokens[j] for j in np.flatnonzero(scores == scores.max())]


def quoted(_: Language, names: Sequence[str]) -> str:
    """List words, each in quotation marks."""
    return ", ".join(_("“{word}”", word=name) for name in names)


def draw_inputs(_: Language, given: Example) -> None:
    """Draw the matrices that the reader may change, what is the matter with them, and the way back."""
    alone, row = only_inputs(given), row_of(given)
    with st.container(key="problems"):  # one element however much there is to say: the tables below keep their focus
        for problem in inputs.problems(_, *given.inputs):
            st.error(problem, icon=":material/edit_off:")
        wrong = inputs.mismatch(_, *given.arrays())
        if wrong:
            st.error(wrong, icon=":material/grid_off:")
    x, *projections = (
        alone.table(_, each.name, query=row, entry=each.entry(_), notes=notes(_, each)) if each in given.inputs
        else replaced(_, alone) for each in given.all
    )
    board("board_inputs", side_by_side(x) + side_by_side(*projections), inputs=given.inputs)
    with st.container(horizontal=True, key="inputs"):
        st.button(_("All numbers as in the source"), key="restore", icon=":material/restart_alt:",
                  on_click=inputs.restore, args=given.all)
        inputs.as_text(_, *given.inputs)


def only_inputs(given: Example) -> Worked:
    """Return the inputs alone, which are drawn even while their sizes disagree."""
    arrays = dict(zip(("X", "W_Q", "W_K", "W_V"), given.arrays(), strict=True))
    more = range(len(given.features) + 1, 9)
    rows = {name: (*given.features, *map(str, more))[: len(array)] for name, array in arrays.items()}
    numbers = {name: tuple(str(i + 1) for i in range(array.shape[1])) for name, array in arrays.items()}
    columns = {
        name: given.dimensions if len(heads) == len(given.dimensions) else heads for name, heads in numbers.items()
    }
    return Worked(arrays, rows | {"X": given.tokens, "K": given.tokens}, columns | {"X": given.features},
                  np.ones((1, 1), bool), 1.0)


def notes(_: Language, given: Input) -> Sequence[str]:
    """Return what each row means: of the source's numbers only, as their sentences would be wrong for others."""
    return () if given.changed else [_(note) for note in NOTES.get(given.name, ())]


def replaced(_: Language, alone: Worked) -> str:
    """Draw W_K where W_Q takes its place: to read, as it is edited there."""
    caption = _(CAPTION["W_K"]) + "<br>" + _("the numbers of {matrix}, edit them there", matrix=sums.symbol("W_Q"))
    return matrix("W_K", alone["W_K"], alone.rows["W_K"], alone.columns["W_K"], lambda value: inputs.written(_, value),
                  caption=caption, scale="key")
