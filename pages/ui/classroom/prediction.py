"""A prediction: what is asked before an experiment shows, what counts as an answer, and what the core says to it."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

from pages.ui.language import Language

ANSWER = re.compile(r"-?[0-9]{1,4}(\.[0-9]{1,4})?")  # a number in a link
PLACES = 4  # its decimals


@dataclass(frozen=True, eq=False)
class Figure:
    """A number of a sentence, and how it is written."""

    value: object
    write: Callable[[Language, object], str] = Language.number

    def written(self, _: Language) -> str:
        """Write it in a language."""
        return self.write(_, self.value)


@dataclass(frozen=True, eq=False)
class Truth:
    """Hold what an experiment gives.

    Attributes
    ----------
    answer : str or float
        The id of the right option, or the number.
    says : str
        The sentence that settles it, with a hole for every number.
    holes : dict of str to Figure
        What stands in them.
    """

    answer: object
    says: str
    holes: dict[str, Figure]

    def said(self, _: Language) -> str:
        """Return the sentence with its numbers."""
        return _(self.says, **{hole: figure.written(_) for hole, figure in self.holes.items()})


@dataclass(frozen=True, eq=False)
class Prediction:
    """Hold one question that is asked before its experiment shows.

    Attributes
    ----------
    id : str
        Its name in a link, which never changes once shared: 2 to 12 small letters and digits.
    page : str
        A key of PAGES.
    fields : dict of str to object
        The experiment: everything that matters to it.
    label, question : str
        What its button says, and what is asked; the question names the setting.
    measure : callable
        Computes the truth at some fields.
    kind : {"choice", "number", "bar"}
        One of `options`; a number; or a share from 0 to 1 that is drawn as a bar.
    options : tuple of (str, str, str)
        Of a choice: id, label, and what is right or wrong with it.
    bounds, near : pair of float, float
        Of a number: its range, and how far off still is right. With a `near` of 0 it is a whole number.
    """

    id: str
    page: str
    fields: dict[str, object]
    label: str
    question: str
    measure: Callable[[dict[str, object]], Truth] = field(repr=False)
    kind: str = "choice"
    options: tuple[tuple[str, str, str], ...] = ()
    bounds: tuple[float, float] = (0.0, 1.0)
    near: float = 0.0

    def truth(self) -> Truth:
        """Return what the core computes at exactly these fields."""
        return _truth(self)

    def option(self, id: str) -> tuple[str, str]:
        """Return the label of an option, and what is right or wrong with it."""
        return next((label, why) for each, label, why in self.options if each == id)

    @property
    def whole(self) -> bool:
        """Say whether only whole numbers are asked for."""
        return self.kind == "number" and self.near == 0


@cache
def _truth(prediction: Prediction) -> Truth:
    return prediction.measure(prediction.fields)


def read_answer(prediction: Prediction, text: str) -> str | float:
    """Read an answer as a link carries it.

    Raises
    ------
    ValueError
        For what this prediction cannot be answered with.

    Examples
    --------
    >>> half = Prediction("half", "scaling", {}, "", "", lambda fields: Truth(0.5, "", {}), kind="bar", near=0.05)
    >>> read_answer(half, "0.35")
    0.35
    """
    if prediction.kind == "choice":
        if text not in [id for id, *_ in prediction.options]:
            raise ValueError(text)
        return text
    low, high = prediction.bounds
    legal = ANSWER.fullmatch(text) and low <= float(text) <= high
    if not legal or prediction.whole and not float(text).is_integer():
        raise ValueError(text)
    return float(text)


def write_number(value: float) -> str:
    """Write a number as a link carries it.

    >>> write_number(0.35), write_number(3.0), write_number(-0.00001)
    ('0.35', '3', '0')
    """
    text = f"{value:.{PLACES}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def right(prediction: Prediction, answer: str | float) -> bool:
    """Say whether an answer, as `read_answer` returns it, is what the experiment gives, or near enough to it."""
    measured = prediction.truth().answer
    if prediction.kind == "choice":
        return answer == measured
    return abs(answer - measured) <= prediction.near + 1e-9


def only(**found: bool) -> str:
    """Return the one id whose finding holds; a text can be right only if the experiment says so.

    Raises
    ------
    ValueError
        If none or several hold: then the question does not fit its experiment.

    Examples
    --------
    >>> only(rows=True, columns=False)
    'rows'
    """
    holding = [id for id, holds in found.items() if holds]
    if len(holding) != 1:
        raise ValueError(f"one answer has to hold, not {holding}")
    return holding[0]
