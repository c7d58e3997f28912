"""Additive against dot product: two ways to score the same queries and keys, what each costs, which saturates."""

from functools import partial

from attention_core.cost import additive_scores, dot_product_scores
from attention_core.score_network import draw_network
from pages.ui import lesson
from pages.ui.frame import show_page
from pages.ui.language import Language
from pages.ui.lessons import additive, additive_program
from pages.ui.take import home


def page(_: Language) -> None:
    """Ask, compute, show and say."""
    given = additive.ask(_)

    additive.picture(_, given)
    lesson.sentence(additive.say(_, given))
    additive.tell_what_is_set(_, given)

    lesson.tries(
        _,
        (_("Wide vectors: who saturates?"), {**additive.ORDINARY, "add_look": "saturation"}),
        (_("v of size 1"), {**additive.ORDINARY, "add_look": "saturation", "add_v": "one"}),
        (_("Queries 10 times as long"), {**additive.ORDINARY, "add_look": "saturation", "add_long": 10.0}),
        (_("What it costs"), {**additive.ORDINARY, "add_look": "cost"}),
        (_("Query 3 wide, keys 5 wide"), {**additive.ORDINARY, "add_look": "widths"}),
    )
    additive.closer(_, given)

    home.take_home(_, "additive", partial(additive_program.program, _, given))
    lesson.why(_, "additive")
    lesson.code_that_ran(_, dot_product_scores, additive_scores, draw_network)
    lesson.references(_, "bahdanau", "luong", "vaswani")


show_page("additive", page)
