"""The plans that are ready: for each core lesson 45 minutes, step by step, with what to ask and what settles it."""

from dataclasses import dataclass
from functools import lru_cache

from pages.ui.classroom import plan
from pages.ui.classroom.plan import Step
from pages.ui.language import N_


@dataclass(frozen=True)
class Told:
    """A step of a ready plan, with what the teacher needs to know."""

    step: Step
    minutes: int
    ask: str  # the question to the class
    wrong: str  # the answer to expect, and what is behind it
    settles: str  # the number that settles it, with holes
    number: str  # the name of the function in plan_numbers that fills the holes


@dataclass(frozen=True)
class Lesson:
    """A plan of about 45 minutes."""

    name: str
    goal: str
    told: tuple[Told, ...]


READY: dict[str, Lesson] = {
    "scaling45": Lesson(
        N_("Why divide by √dₖ? 45 minutes"), N_("Every student can say what grows with dₖ, and why it hurts."),
        (Told(Step("scaling"), 5, N_("What does one more component do to a dot product?"), "", "", ""),),
    ),
}


@lru_cache(maxsize=64)
def steps(text: str) -> tuple[Step, ...]:
    """Return the steps of a plan that a link names or carries; none for the empty text."""
    if text in READY:
        return tuple(told.step for told in READY[text].told)
    return plan.read(text) if text else ()
