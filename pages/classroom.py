"""In the classroom: lessons prepared as links, plans that are ready, polls, and the table of all parameters."""

from pages.ui import controls
from pages.ui.classroom import host, parameters, prepare, ready
from pages.ui.classroom.parts import PART
from pages.ui.frame import show_page
from pages.ui.language import Language


def page(_: Language) -> None:
    """Ask for the part, and draw it."""
    match controls.choice("class_part", _("Part"), lambda part: _(PART[part])):
        case "prepare":
            prepare.show(_)
        case "plans":
            ready.show(_)
        case "poll":
            host.teacher(_)
        case "parameters":
            parameters.show(_)


show_page("classroom", page, prepare.STYLESHEET, ready.STYLESHEET)
