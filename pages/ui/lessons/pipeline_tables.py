"""How the tables of the pipeline's steps are set: as products that meet, closely side by side, or as bars."""

from html import escape
from pathlib import Path

from pages.ui.language import Language
from pages.ui.lessons.pipeline_follow import Followed
from pages.ui.tables.matrix import matrix, side_by_side, title
from pages.ui.tables.worked import Worked
from pages.ui.typed.sentence import Sentence

STYLESHEET = Path(__file__).with_name("pipeline.css")


def percentages(_: Language, at: Followed, place: tuple[str, int, int], caption: str | None = None) -> str:
    """Draw the weights in per cent."""
    caption = _("Weights in %, a row a query") if caption is None else caption
    return at.worked.table(_, "weights", query=at.row, chosen=place, percent=True, places=1, caption=caption)


def tight(*tables: str) -> str:
    """Set tables closely side by side, so that they share a row with the arithmetic."""
    return f'<div class="lab-tight">{side_by_side(*tables)}</div>'


def shares(_: Language, at: Followed) -> str:
    """Draw the word's weights as bars, with a line where each would be if all were equal."""
    weights, tokens = at.worked["weights"][at.row], at.worked.rows["K"]
    even = 1 / len(tokens)
    rows = "".join(
        f'<tr data-token="{j}"><th scope="row"{title(token)}>{escape(token)}</th>'
        f'<td class="bar" style="--share: {weight:.1%}; --even: {even:.1%}"></td><td>{_.percent(weight)}</td></tr>'
        for j, (token, weight) in enumerate(zip(tokens, weights, strict=True))
    )
    caption = _("What “{word}” gives, of 100 %; the line is 1/{n}", n=len(tokens),
                word=f"<span{title(tokens[at.row])}>{escape(tokens[at.row])}</span>")
    return (
        f'<table class="lab-shares" data-testid="shares"><caption>{caption}</caption><tbody>{rows}</tbody></table>'
    )


def as_products(_: Language, at: Followed, place: tuple[str, int, int]) -> str:
    """Set X left of Q, K and V and the projections above them, so that a row meets a column in each number."""
    looks = [(each.name, {"entry": each.entry(_)}) for each in at.given.inputs] + [(role, {}) for role in "QKV"]
    names = {name: f"<i class='{name[-1]}'>{name[0]}<sub>{name[2:]}</sub></i>" for name, _look in looks}
    drawn = "".join(
        f'<div class="at-{name}">'
        f"{at.worked.table(_, name, query=at.row, chosen=place, caption=names[name], **look)}</div>"
        for name, look in looks
    )
    name, _row, column = place
    return f'<div class="lab-project lab-tight">{drawn}</div>{column_mark(f"W_{name}", column)}'


def column_mark(name: str, column: int) -> str:
    """Mark the column, counted from 0, that meets the word's row in the chosen cell."""
    cells = f".lab-board [data-matrix={name}] td:nth-child({column + 2})"
    look = "font-weight: 700; box-shadow: inset 2px 0 var(--primary), inset -2px 0 var(--primary);"
    return f"<style>{cells} {{ {look} }}</style>"


def as_corner(_: Language, at: Followed, place: tuple[str, int, int]) -> str:
    """Set Q left of the scores and Kᵀ above them, so that a row meets a column in each score."""
    key = at.worked["K"]
    transposed = matrix(
        "K_T", key.T, at.worked.columns["K"], at.worked.rows["K"], lambda value: _.number(value, 2), scale="key",
        caption=_("<i class='K'>K</i>ᵀ, keys, one per column"), column_tokens=range(len(key)), live=True,
        cell=place[:0:-1] if place[0] == "K" else None,
    )
    name, _row, column = place
    mark = column_mark("K_T", column) if name == "scores" else ""
    return mark + (
        f'<div class="lab-corner">{at.worked.table(_, "Q", query=at.row, chosen=place)}'
        f'<div>{transposed}{at.worked.table(_, "scores", query=at.row, chosen=place)}</div></div>'
    )


def raw_row(_: Language, at: Followed) -> str:
    """Draw the word's scores as they were before the division."""
    return matrix(
        "raw", at.worked["scores"][[at.row]], at.worked.rows["K"][at.row : at.row + 1], at.worked.columns["scores"],
        lambda value: _.number(value, 2), caption=_("Its scores <i>QK</i>ᵀ"), scale="score", row=0,
        column_tokens=range(len(at.tokens)),
    )


def given_tables(_: Language, given: Sentence, worked: Worked, row: int) -> str:
    """Draw the four matrices that can be changed."""
    return tight(*(
        worked.table(_, each.name, query=row, entry=each.entry(_)) for each in given.inputs
    ))
