"""Experiments that a teacher can choose for a step: as left, as by default, or one that settles a question."""

from collections.abc import Mapping

from pages.ui import share
from pages.ui.classroom.predictions import of_page
from pages.ui.contents import PAGES
from pages.ui.fields import FIELDS, encode
from pages.ui.language import N_
from pages.ui.lessons.questions import QUESTIONS


def presets(page: str) -> dict[str, tuple[str, Mapping[str, object] | None]]:
    """Return a page's presets: id -> (name, fields); None stands for the values of this session."""
    found = {"now": (N_("As I left it on that page"), None), "plain": (N_("With default values"), {})}
    found |= {each.id: (each.question, each.fields) for each in QUESTIONS if each.lesson == page}
    return found | {each.id: (each.question, each.fields) for each in of_page(page)}


def fields_of(page: str, preset: str) -> dict[str, str]:
    """Return what a step of the plan sets, as a link writes it."""
    names = [field for field in PAGES[page].fields if field not in ("predict", "compare")]
    fields = presets(page).get(preset, presets(page)["now"])[1]
    if fields is None:
        values = {name: share.value(name) for name in names}
    else:
        values = {name: FIELDS[name].default for name in names} | dict(fields)
    return encode(values, names)
