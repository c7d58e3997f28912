"""A table of findings as accessible HTML: verdicts as a mark with a word, numbers that do not round to 0."""

from collections.abc import Sequence
from html import escape

import numpy as np

from pages.ui.language import MINUS, N_, NO_BREAK, SUPERSCRIPT, Language, power

# verdict: (mark, word); the mark is for the eye, the word for everybody
VERDICT = {
    "agrees": ("✓", N_("agrees")),
    "differs": ("✗", N_("differs")),
    "first": ("✗", N_("differs first here")),
    "finding": ("◆", N_("differs: a finding")),
    "refused": ("–", N_("refuses")),
    "missing": ("–", N_("not asked")),
    "none": ("–", N_("no answer")),
    "unavailable": ("–", N_("not available")),
    "pass": ("✓", N_("pass")),
    "fail": ("✗", N_("fail")),
    "skipped": ("–", N_("skipped")),
}
COLOUR = {"agrees": "right", "pass": "right", "differs": "wrong", "first": "wrong", "fail": "wrong", "finding": "found"}


def findings(
    name: str, caption: str, heads: Sequence[str], rows: Sequence[Sequence[str]], marks: Sequence[str] = (),
) -> str:
    """Return a table; its cells are safe HTML, the first of each row heads it.

    Parameters
    ----------
    name : str
        Id: the table carries ``data-testid="bench-<name>"``.
    caption, heads : str
        Texts of the page.
    rows : sequences of str
        Safe HTML.
    marks : sequence of str, optional
        For each row one of VERDICT, which colours it.

    Examples
    --------
    >>> '<th scope="row">scaled</th>' in findings("x", "X", ["stage", "difference"], [["scaled", "0"]])
    True
    """
    top = "".join(f'<th scope="col">{escape(head)}</th>' for head in heads)
    body = "".join(
        f'<tr class="{COLOUR.get(mark, "plain")}"><th scope="row">{first}</th>'
        f'{"".join(f"<td>{cell}</td>" for cell in others)}</tr>'
        for (first, *others), mark in zip(rows, [*marks, *[""] * (len(rows) - len(marks))], strict=True)
    )
    return (
        f'<div class="lab-scroll" tabindex="0" role="region" aria-label="{escape(caption)}">'
        f'<table class="lab-bench" data-testid="bench-{name}"><caption>{escape(caption)}</caption>'
        f"<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def verdict(_: Language, kind: str) -> str:
    """Return a verdict as HTML: a mark and a word."""
    mark, word = VERDICT[kind]
    return (f'<span class="verdict {COLOUR.get(kind, "plain")}"><span aria-hidden="true">{mark}</span> '
            f"{escape(_(word))}</span>")


def unavailable(_: Language, reason: str) -> str:
    """Say that there is no answer, and why; the reason is another program's text."""
    return f"{verdict(_, 'unavailable')}<br><small>{escape(reason)}</small>"


def figure(_: Language, value: float) -> str:
    """Write a number: with four decimals, or as a power of ten where these would not show it.

    >>> print(*(figure(Language("en"), value) for value in (0.5, 0.0, 1e-9, 2e8)), sep=" | ")
    0.5000 | 0 | 1.0 × 10⁻⁹ | 2.0 × 10⁸
    """
    if value == 0:
        return "0"
    return power(_, value) if 0 < abs(value) < 1e-4 or 1e6 <= abs(value) < np.inf else _.number(value)


def pair(_: Language, got: float, expected: float) -> tuple[str, str]:
    """Write two numbers such that one sees whether they differ: with all their digits where four would hide it.

    >>> pair(Language("en"), 0.5, 0.25), pair(Language("id"), 0.1 + 0.2, 0.3)
    (('0.5000', '0.2500'), ('0,30000000000000004', '0,3'))
    """
    hidden = got != expected and np.isfinite(got) and np.isfinite(expected)
    if hidden and (abs(got - expected) < 1e-4 or figure(_, got) == figure(_, expected)):
        return digits(_, got), digits(_, expected)
    return figure(_, got), figure(_, expected)


def digits(_: Language, value: float) -> str:
    """Write a number with as many digits as tell it from every other, at most 17.

    >>> print(digits(Language("en"), -1 / 3), digits(Language("en"), 1e-9), digits(Language("en"), 2.0))
    −0.3333333333333333 1 × 10⁻⁹ 2
    """
    number, _e, exponent = repr(float(value)).removesuffix(".0").partition("e")
    number = number.replace("-", MINUS).replace(".", _.decimal_symbol)
    return number + (f" × 10{str(int(exponent)).translate(SUPERSCRIPT)}".replace(" ", NO_BREAK) if exponent else "")


def size_of(_: Language, value: float) -> str:
    """Write a difference or a tolerance: 0, a power of ten, or with four decimals where they show it.

    >>> print(*(size_of(Language("en"), value) for value in (0.0, 2e-16, 0.25, np.inf)), sep=" | ")
    0 | 2.0 × 10⁻¹⁶ | 0.2500 | ∞
    """
    return power(_, value) if 0 < abs(value) < 1e-3 else figure(_, value)


def number(_: Language, value: float) -> str:
    """Write a difference, or a dash where there is none."""
    return "–" if np.isnan(value) else size_of(_, value)


def place(index: Sequence[int] | None) -> str:
    """Write where an entry sits, counted from 1: [2, 1].

    >>> place((1, 0))
    '[2, 1]'
    """
    return "–" if index is None else f"[{', '.join(str(i + 1) for i in index)}]"
