"""What a step of a plan means for a page: the values it sets, what is hidden, and what the class cannot change."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from pages.ui.classroom.plans import steps
from pages.ui.classroom.predictions import PREDICTIONS
from pages.ui.fields import FIELDS, decode


@dataclass(frozen=True, eq=False)
class Prepared:
    """A step of a plan, read for the page that it is about."""

    values: Mapping[str, object]  # the fields that it sets or holds
    hidden: frozenset[str] = frozenset()  # fields and results
    held: frozenset[str] = frozenset()  # fields that only the teacher's link sets


NOTHING = Prepared({})


@lru_cache(maxsize=256)
def prepared(text: str, at: int, page: str | None) -> Prepared:
    """Read step `at` of a plan, or its last, for a page, or for whichever page it is about if `page` is None.

    A prediction brings its own experiment: where the step sets something else, the prediction's word counts, so that
    what is measured and what is shown are the same.

    Examples
    --------
    >>> prepared("", 1, "scaling") is NOTHING
    True
    """
    plan = steps(text)
    step = plan[min(at, len(plan)) - 1] if plan else None
    if step is None or page not in (None, step.page):
        return NOTHING
    values, refused = decode(step.fields)
    brought = experiment(values["predict"], step.page)
    values |= brought
    fixed = {name for name in (*step.hide, *step.lock) if name in FIELDS}
    set_here = (step.fields.keys() | fixed | brought.keys()) & FIELDS.keys() - set(refused)
    return Prepared(
        {name: values[name] for name in FIELDS if name in set_here}, frozenset(step.hide),
        frozenset() if step.free else frozenset(fixed),
    )


def experiment(prediction: str, page: str | None) -> Mapping[str, object]:
    """Return the fields of a prediction's experiment; none for one of another page, if `page` is not None.

    Examples
    --------
    >>> experiment("lucky", "scaling")["seed"], experiment("lucky", "masking")
    (137, {})
    """
    found = PREDICTIONS.get(prediction)
    return found.fields if found and page in (None, found.page) else {}
