"""A table of findings as accessible HTML: verdicts as a mark with a word, numbers that do not round to 0."""

from collections.abc import Sequence
from html import escape

import numpy as np

from pages.ui.language import N_, Language

# verdict: (mark, word); the mark is for the eye, the word for everybody
VERDICT = {
    "agrees": ("✓", N_("agrees")),
    "differs": ("✗", N_("differs")),
    "first": ("✗", N_("differs first here")),
    "finding": ("◆", N_("differs: a finding")),
    "refused": ("–", N_("refuses")),
    "missing": ("–", N_("not asked")),
    "none": ("–", N_("no answer")),
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


def figure(_: Language, value: float) -> str:
    """Write a number: with four decimals, or as a power of ten where these would not show it.

    >>> [figure(Language("en"), value) for value in (0.5, 0.0, 1e-9, 2e8)]
    ['0.5000', '0', '1.0 × 10⁻⁹', '2.0 × 10⁸']
    """
    if value == 0:
        return "0"
    return _.power(value) if 0 < abs(value) < 1e-4 or 1e6 <= abs(value) < np.inf else _.number(value)


def size_of(_: Language, value: float) -> str:
    """Write a difference or a tolerance: 0, a power of ten, or with four decimals where they show it.

    >>> [size_of(Language("en"), value) for value in (0.0, 2e-16, 0.25, np.inf)]
    ['0', '2.0 × 10⁻¹⁶', '0.2500', '∞']
    """
    return _.power(value) if 0 < abs(value) < 1e-3 else figure(_, value)


def number(_: Language, value: float) -> str:
    """Write a difference, or a dash where there is none."""
    return "–" if np.isnan(value) else size_of(_, value)


def place(index: Sequence[int] | None) -> str:
    """Write where an entry sits, counted from 1: [2, 1].

    >>> place((1, 0))
    '[2, 1]'
    """
    return "–" if index is None else f"[{', '.join(str(i + 1) for i in index)}]"
