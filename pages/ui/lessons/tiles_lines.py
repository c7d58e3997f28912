"""The arithmetic of one tile in lines: new maximum, factor, sum and accumulator, each from the numbers before it."""

import numpy as np

from attention_core.online_softmax import Step
from pages.ui.language import Language
from pages.ui.words import SUBSCRIPT


def lines(_: Language, step: Step, value: np.ndarray) -> str:
    """Return the lines as a table with a header a line; `value` holds the values of the tile, shape (tile, d_v).

    Examples
    --------
    >>> from attention_core.online_softmax import online_softmax
    >>> one, two = online_softmax([1.0], [[0.0], [2.0]], [[5.0], [7.0]], scale=1, tile=1)
    >>> "max(0.0000, 2.0000) = <b>2.0000</b>" in lines(Language("en"), two, np.array([[7.0]]))
    True
    """
    addends = [_.number(exponential) for exponential in step.exponentials]
    rows = [
        (_("largest m"), f"max({_.list([step.largest_before, *step.scores])}) = <b>{_.number(step.largest)}</b>"),
        (_("factor"), factor(_, step)),
        (_("sum ℓ"), added(_, step, step.total_before, addends, step.total)),
    ]
    for i, number in enumerate(step.weighted):
        products = [f"{addend} × {signed(_, v)}" for addend, v in zip(addends, value[:, i], strict=True)]
        label = _("accumulator a{index}", index=str(i + 1).translate(SUBSCRIPT))
        rows.append((label, added(_, step, step.weighted_before[i], products, number)))
    body = "".join(f'<tr><th scope="row">{label}</th><td>{text}</td></tr>' for label, text in rows)
    caption = _("The tile's arithmetic: factor × what was kept + what the tile adds")
    return f'<table class="lab-lines" data-testid="lines"><caption>{caption}</caption><tbody>{body}</tbody></table>'


def factor(_: Language, step: Step) -> str:
    """Write the factor as a power of e; nothing is subtracted while nothing was allowed."""
    if step.largest == -np.inf:
        return f"<b>{_.number(step.factor)}</b>"
    exponent = f"{_.number(step.largest_before)} − {signed(_, step.largest)}"
    return f"e<sup>{exponent}</sup> {'=' if step.factor in (0, 1) else '≈'} <b>{_.number(step.factor)}</b>"


def added(_: Language, step: Step, before: float, addends: list[str], after: float) -> str:
    """Write what was kept times the factor, plus the tile's addends."""
    return f"{signed(_, before)} × {_.number(step.factor)} + ({' + '.join(addends)}) ≈ <b>{_.number(after)}</b>"


def signed(_: Language, value: float) -> str:
    """Write a number that stands after a sign: a negative one in brackets."""
    return f"({_.number(value)})" if value < 0 else _.number(value)
