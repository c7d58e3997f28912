"""What a link may carry, said in words: for a refused value, and for the table of all parameters."""

from pages.ui.classroom.plan import MOST_STEPS
from pages.ui.kinds import Answers, Choice, Code, Decimal, Kind, Names, Numbers, Pairs, Place, PlanText, Text, Whole
from pages.ui.language import Language


def what_is_legal(_: Language, field: Kind) -> str:
    """Say what a link may carry for a field."""
    match field:
        case Whole():
            return _("a whole number from {low} to {high}", low=field.low, high=field.high)
        case Decimal():
            return _("a number from {low} to {high}, with a point and one decimal", low=field.low, high=field.high)
        case Choice():
            return _("one of: {choices}", choices=", ".join(field.choices))
        case Text():
            return _("one line of at most {longest} characters", longest=field.longest)
        case Numbers():
            return _("a matrix of at most {rows} × {columns} numbers, such as 1_0.5~0_2", rows=field.rows,
                     columns=field.columns)
        case Place():
            return _("a cell, such as scores.2.1")
        case Pairs():
            return _("pairs of query and key from 1 to {most}, such as 1.2_1.3", most=field.most)
        case Names(most=1):
            return _("one name, such as root-not-width")
        case Names():
            return _("at most {most} names with points between them, such as d_k.seed", most=field.most)
        case Code():
            return _("a code of at most {longest} letters and digits", longest=field.longest)
        case PlanText():
            return _("a plan from the page “In the classroom” with at most {most} steps, whole and unchanged",
                     most=MOST_STEPS)
        case Answers():
            return _("at most {most} predictions with their answers, such as spread.root_raw.0.97", most=field.most)
