"""What a class answered to a prediction: how many gave each answer, or one in each range of numbers."""

from collections.abc import Sequence
from dataclasses import dataclass

from pages.ui.classroom.prediction import Prediction, read_answer, right
from pages.ui.language import N_, Language

MOST = 10  # ranges of numbers
RANGE = N_("{low} to {high}")


@dataclass(frozen=True, eq=False)
class Group:
    """Some answers that count as one.

    Attributes
    ----------
    label : str
        What they say, in the page's language.
    count : int
        How many gave it.
    measured : bool
        Whether what the experiment gives is among them.
    """

    label: str
    count: int
    measured: bool


def tally(_: Language, prediction: Prediction, answers: Sequence[str]) -> list[Group]:
    """Count the answers, which are texts as links carry them; what is no answer to this prediction does not count."""
    given, measured = readable(prediction, answers), prediction.truth().answer
    if prediction.kind == "choice":
        return [Group(_(label), given.count(id), id == measured) for id, label, why in prediction.options]
    places = [place(prediction, answer) for answer in given]
    here = place(prediction, measured)
    return [Group(name(_, prediction, at), places.count(at), at == here) for at in range(bins(prediction))]


def readable(prediction: Prediction, answers: Sequence[str]) -> list[str | float]:
    """Return the answers that can be read."""
    found = []
    for text in answers:
        try:
            found.append(read_answer(prediction, text))
        except ValueError:
            continue
    return found


def right_ones(prediction: Prediction, answers: Sequence[str]) -> int:
    """Count the answers that are right, or near enough."""
    return sum(right(prediction, answer) for answer in readable(prediction, answers))


def single(prediction: Prediction) -> bool:
    """Say whether every whole number within the bounds has a range of its own."""
    low, high = prediction.bounds
    return prediction.whole and high - low < MOST


def bins(prediction: Prediction) -> int:
    """Return how many ranges the numbers fall into."""
    low, high = prediction.bounds
    return round(high - low) + 1 if single(prediction) else MOST


def place(prediction: Prediction, value: float) -> int:
    """Return the range of a number; the upper end belongs to the next one, and that of all to the last."""
    low, high = prediction.bounds
    width = 1 if single(prediction) else (high - low) / MOST
    return min(int((value - low) / width + 1e-9), bins(prediction) - 1)


def name(_: Language, prediction: Prediction, at: int) -> str:
    """Say a range in words."""
    low, high = prediction.bounds
    if single(prediction):
        return _.number(low + at, 0)
    edges = [low + (high - low) * edge / MOST for edge in (at, at + 1)]
    places = 0 if all(float(edge).is_integer() for edge in (low, (high - low) / MOST)) else 1
    return _(RANGE, low=_.number(edges[0], places), high=_.number(edges[1], places))
