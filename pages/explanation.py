"""Explanation: other weights with the same output, how far away they are, and when there are none."""

from functools import partial

from attention_core import counterfactual
from attention_core.one_model import nearest_model
from pages.ui import lesson
from pages.ui.frame import show_page
from pages.ui.language import Language
from pages.ui.lessons import explanation, explanation_more, explanation_program
from pages.ui.take import home


def page(_: Language) -> None:
    """Ask, compute, show and say."""
    case = explanation.ask(_)

    explanation.picture(_, case)
    lesson.sentence(explanation.say(_, case))
    explanation.ask_for_distance(_)
    explanation.freedom(_, case)

    lesson.tries(
        _,
        (_("“sat” without “cat”"), explanation.SIX_WORDS),
        (_("Full rank: no other row"), explanation.SIX_WORDS | {"exp_d_v": 5}),
        (_("Full rank, a little tolerance"), explanation.SIX_WORDS | {"exp_d_v": 5, "exp_tol": "0.001"}),
        (_("8 drawn keys, narrow values"), {
            "exp_from": "drawn", "exp_keys": 8, "exp_d_v": 2, "exp_tol": "0", "exp_far": "total_variation",
            "exp_seed": 9,
        }),
        (_("One model makes them all"), explanation.SIX_WORDS | {"exp_tol": "0.1"}),
    )
    explanation_more.over_width(_, case)
    explanation_more.objection(_, case)

    home.take_home(_, "explanation", partial(explanation_program.program, _, case))
    lesson.why(_, "explanation")
    lesson.code_that_ran(
        _, counterfactual.other_weights, counterfactual._walk, counterfactual._climb, counterfactual.row_distance,
        nearest_model,
    )
    lesson.references(_, "jain", "wiegreffe")


show_page("explanation", page)
