"""Heads: who asks and who answers, several heads at once, the scale of a head, and tokens that are no words."""

from functools import partial

from pages.ui import controls, lesson
from pages.ui.frame import show_page
from pages.ui.language import Language
from pages.ui.lessons import heads, heads_program
from pages.ui.lessons.heads_tables import STYLESHEET
from pages.ui.take import home


def page(_: Language) -> None:
    """Ask, compute, show and say."""
    part = controls.choice("heads_part", _("Part"), lambda part: _(heads.PART[part]))
    heads.SHOW[part](_)

    lesson.tries(
        _,
        (_("Nine tokens ask two"), {"heads_part": "cross", "cross": "cross", "asker": 3, **heads.LONG}),
        (_("3 heads for a width of 8"), {"heads_part": "heads", "d_model": 8, "num_heads": 3}),
        (_("8 heads of a width of 64"), {"heads_part": "scale", "scale_heads": "8", "heads_seed": 0}),
        (_("Cut a graph in two"), {"heads_part": "beyond", "token_kind": "graph", "node": 3, "flipped": ((3, 4),)}),
    )

    home.take_home(_, "heads", partial(heads_program.program, _, part))
    lesson.why(_, "heads")
    lesson.code_that_ran(_, *heads.CODE[part])
    lesson.references(_, "vaswani_heads", "bahdanau", "dosovitskiy", "velickovic")


show_page("heads", page, STYLESHEET)
