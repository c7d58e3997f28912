"""What a step of a plan means for a page: the values it sets, what is hidden, and what the class cannot change."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from pages.ui.classroom.plans import steps
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
    """Read step `at` of a plan for a page, or for whichever page it is about if `page` is None.

    Examples
    --------
    >>> prepared("", 1, "scaling") is NOTHING
    True
    """
    plan = steps(text)
    if not at <= len(plan) or page not in (None, plan[at - 1].page):
        return NOTHING
    step = plan[at - 1]
    values, refused = decode(step.fields)
    fixed = {name for name in (*step.hide, *step.lock) if name in FIELDS}
    set_here = (step.fields.keys() | fixed) & FIELDS.keys() - set(refused)
    return Prepared(
        {name: values[name] for name in FIELDS if name in set_here}, frozenset(step.hide),
        frozenset() if step.free else frozenset(fixed),
    )
