"""What tests of several rooms share."""

import pytest
from hypothesis import settings

from pages.ui.classroom.plan import Step, write
from pages.ui.fields import FIELDS
from pages.ui.kinds import Answers, Choice, Code, Decimal, Names, Numbers, Pairs, Place, PlanText, Text, Whole

settings.register_profile("lab", deadline=None)  # a busy machine is no fault of the code's
settings.load_profile("lab")

SIZES = {
    "x": (3, 4), "w_q": (4, 3), "w_k": (4, 3), "w_v": (4, 2), "q": (2, 4), "k": (3, 4), "v": (3, 2), "x6": (4, 3),
}


def other_than_default(name, field):
    """A legal value that is not the default, as a link writes it; matrices fit each other and a sentence of four."""
    match field:
        case Choice():
            return next(choice for choice in field.choices if choice != field.default)
        case Whole() | Decimal():
            return str(field.default - 1 if field.default - 1 >= field.low else field.default + 1)
        case Text():
            return "satu dua, <b>"
        case Place():
            return "output.1.1"
        case Pairs():
            return "1.2_2.1"
        case Code():
            return "K7M2P"
        case Names():
            return {"class_preset": "plain", "class_hide": "step", "class_lock": "word"}[name]
        case PlanText():
            return write([Step("home"), Step("questions")])
        case Answers():
            return "spread.b"
        case Numbers():
            rows, columns = SIZES.get(name, (3, 3))
            return "~".join("_".join(f"{(3 * i + 5 * j) % 7 - 2.5:g}" for j in range(columns)) for i in range(rows))


@pytest.fixture
def full_link():
    """Every field set to something else than its default; but no PyTorch, and neither language, screen nor class."""
    kept = ("lang", "compare", "projector", "plan", "at", "room", "predict")
    return {name: other_than_default(name, field) for name, field in FIELDS.items() if name not in kept}
