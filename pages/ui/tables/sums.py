"""The addends behind a cell, and how its panel writes numbers, words and tables."""

from collections.abc import Sequence
from html import escape
from math import ceil, isclose, isfinite, sqrt

import numpy as np

from pages.ui.language import Language
from pages.ui.tables.worked import BY_QUERY, Worked

LARGE, TINY = 1e6, 5e-5  # a number beyond the one, and a share below the other, is written as a power of ten
SAFE = 700  # e^709 is the last whole power that a float holds; e^-746 is 0
LINE = 36  # characters that a line of the panel holds at least
SYMBOL = {"Q": "Q", "K": "K", "V": "V", "q": "Q", "k": "K", "v": "V"}


def factors(worked: Worked, name: str, row: int, column: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers whose products add up to an entry of Q, K, V, scores or output."""
    if name == "scores":
        return worked["Q"][row], worked["K"][column]
    if name == "output":
        return worked["weights"][row], worked["V"][:, column]
    return worked["X"][row + worked.first if name == "Q" else row], worked[f"W_{name}"][:, column]


def exponentials(worked: Worked, row: int) -> tuple[np.ndarray, float]:
    """Return e to the power of each masked score of a row less a number (0, or the largest, if e overflows), and it."""
    largest = float(worked["masked"][row].max(initial=-np.inf))
    less = largest if isfinite(largest) and abs(largest) > SAFE else 0.0
    with np.errstate(all="ignore"):
        return np.exp(worked["masked"][row] - less), less


# Numbers


def decimal(_: Language, value: float, places: int = 4) -> str:
    """Write a number of the arithmetic; "0" is exactly 0, and "0.0000" is not.

    >>> _ = Language("id")
    >>> decimal(_, 0.0), decimal(_, 1e-9), decimal(_, -1.5), decimal(_, 12345678)
    ('0', '0,0000', '−1,5000', '1,2346 × 10⁷')
    """
    if value == 0:
        return "0"
    if LARGE <= abs(value) < np.inf:
        return _.power(value, 4)
    return _.number(value, places if abs(value) > 10.0**-places / 2 else 4)


def share(_: Language, value: float) -> str:
    """Write a weight or an exponential, however small.

    >>> share(Language("en"), 0.25), share(Language("en"), 2e-9)
    ('0.2500', '2.0 × 10⁻⁹')
    """
    return _.power(value, 1) if 0 < value < TINY else decimal(_, value)


def places(values: np.ndarray) -> int:
    """Return the fewest decimals, at most 4, that show as much of the numbers as 4 do.

    >>> places(np.array([0.9, 0.78])), places(np.array([1 / 3]))
    (2, 4)
    """
    rounded = np.round(values, 4)
    return next((n for n in range(4) if (np.round(values, n) == rounded).all()), 4)


def exact(_: Language, value: float) -> str:
    """Write a number with its own digits, at most 4 decimals: 0.9, but 0.3333."""
    if LARGE <= abs(value) < np.inf:
        return _.power(value, next((n for n in range(4) if held(value, n)), 4))
    return decimal(_, value, places(np.asarray(value)))


def held(value: float, digits: int) -> bool:
    """Tell whether a power of ten with so many decimals is the whole number."""
    return isclose(value, float(f"{value:.{digits}e}"), rel_tol=1e-13)


def is_exact(value: float) -> bool:
    """Tell whether the number as it is written is the whole of it, but for a float's last digits.

    >>> is_exact(0.25), is_exact(1 / 3), is_exact(2e6), is_exact(1234567.0)
    (True, False, True, False)
    """
    if LARGE <= abs(value) < np.inf:
        return held(value, 4)
    return isclose(value, round(float(value), 4), rel_tol=1e-13, abs_tol=1e-11)


# Words


def word(_: Language, labels: Sequence[str], at: int, bare: bool = False) -> str:
    """Quote a reader's word as data, with its position where it stands more than once; a mere number stays bare."""
    text = escape(labels[at])
    if labels[at].isdigit():
        return text
    isolated = f"<bdi>{text}</bdi>"
    quoted = isolated if bare else _("“{word}”", word=isolated)
    position = f" ({at + 1})" if labels.count(labels[at]) > 1 else ""
    return f'<span class="word" title="{text}">{quoted}</span>{position}'


def row_word(_: Language, worked: Worked, name: str, row: int) -> str:
    """Quote the word of a row; a query counts its position among all tokens where it is one of them."""
    rows = worked.rows[name]
    if name in BY_QUERY and rows == worked.rows["K"][worked.first :]:
        return word(_, worked.rows["K"], worked.first + row)
    return word(_, rows, row)


def symbol(name: str) -> str:
    """Set a symbol in the colour of its role.

    >>> symbol("W_Q"), symbol("i")
    ("<i class='Q'>W<sub>Q</sub></i>", "<i class='symbol'>i</i>")
    """
    letter, _, role = name.partition("_")
    below = f"<sub>{role}</sub>" if role else ""
    return f"<i class='{SYMBOL.get(role or letter, 'symbol')}'>{letter}{below}</i>"


# Lines and tables


def linear(_: Language, left: np.ndarray, right: np.ndarray, total: float, write=exact) -> str:
    """Write a sum of products in one line that can be quoted; "≈" where 4 decimals do not hold all of it.

    >>> linear(Language("en"), np.array([0.5, 2.0]), np.array([-1.0, 3.0]), 5.5)
    '<span>0.5 × (−1)</span> <span>+ 2 × 3</span> <span>= <b>5.5</b></span>'
    """
    terms = []
    for first, second in zip(left, right, strict=True):
        plus = "+ " if terms else ""
        terms.append(f"<span>{plus}{bracketed(write(_, first), not terms)} × {bracketed(exact(_, second))}</span>")
    whole = all(is_exact(value) for value in (*left, *right, total)) and "10⁻" not in "".join(terms)
    sign = "=" if whole else "≈"
    return " ".join([*terms, f"<span>{sign} <b>{exact(_, total)}</b></span>"])


def bracketed(number: str, leads: bool = False) -> str:
    """Set a number in brackets where its sign or its power of ten would be misread."""
    return f"({number})" if "×" in number or number.startswith("−") and not leads else number


def products(_: Language, worked: Worked, place: tuple[str, int, int], heads: Sequence[str], labels: Sequence[str],
             total: str) -> str:
    """Return the table of a sum of products, a line an addend."""
    name, row, column = place
    left, right = factors(worked, *place)
    of_left, of_right = {"scores": ("Q", "K"), "output": ("", "V")}.get(name, ("", name))
    first = share if name == "output" else decimal
    body = "".join(
        f'<tr><th scope="row">{word(_, labels, i, bare=True)}</th><td class="{of_left}">{first(_, left[i])}</td>'
        f'<td>×</td><td class="{of_right}">{decimal(_, right[i])}</td><td>=</td><td>{decimal(_, left[i] * right[i])}'
        "</td></tr>"
        for i in range(len(left))
    )
    product = _("product")
    return (
        f'<table class="sum"><thead><tr><th scope="col">{heads[0]}</th><th scope="col">{heads[1]}</th>'
        f'<th scope="col" colspan="2">{heads[2]}</th><th scope="col" colspan="2">{product}</th></tr></thead>'
        f'<tbody>{body}</tbody><tfoot><tr><th scope="row" colspan="5">{total}</th>'
        f"<td>{decimal(_, worked[name][row, column])}</td></tr></tfoot></table>"
    )


def exponential_table(_: Language, worked: Worked, row: int, column: int) -> str:
    """Return the table of a row's exponentials, their sum and the weight of one of them."""
    powers, less = exponentials(worked, row)
    head = _("scaled score less {largest}", largest=decimal(_, less)) if less else _("scaled score")
    keys = [word(_, worked.columns["weights"], j, bare=True) for j in range(len(powers))]
    body = "".join(
        f'<tr{" class=here" if j == column else ""}><th scope="row">{keys[j]}</th>'
        f'<td class="scaled">{decimal(_, worked["masked"][row, j] - less)}</td><td>{share(_, powers[j])}</td></tr>'
        for j in range(len(powers))
    )
    key, exponential, total = _("key"), _("exponential"), _("sum")
    return (
        f'<table class="sum"><thead><tr><th scope="col">{key}</th><th scope="col">{head}</th>'
        f'<th scope="col">{exponential}</th></tr></thead><tbody>{body}</tbody><tfoot>'
        f'<tr><th scope="row" colspan="2">{total}</th><td>{share(_, powers.sum())}</td></tr>'
        f'<tr><th scope="row" colspan="2">{quotient(_, powers, column)}</th>'
        f'<td>{share(_, worked["weights"][row, column])}</td></tr></tfoot></table>'
    )


def steps(rows: Sequence[tuple[str, str, str]]) -> str:
    """Return a table of steps: what is done, the colour of what comes out, the number; the last one is the result."""
    return '<table class="steps"><tbody>' + "".join(
        f'<tr><th scope="row">{text}</th><td class="{role}">{number}</td></tr>' for text, role, number in rows
    ) + "</tbody></table>"


def scale_step(_: Language, worked: Worked) -> str:
    """Say by what the scores are divided, or multiplied where that is no root of d_k."""
    d_k = worked["K"].shape[1]
    if isclose(worked.scale * sqrt(d_k), 1):
        return _("divide by √{d_k} = {root}", d_k=d_k, root=exact(_, sqrt(d_k)))
    return _("multiply by the scale {scale}", scale=decimal(_, worked.scale))


def power(_: Language, exponent: float) -> str:
    """Write e to the power of a number."""
    return f"<i class='symbol'>e</i><sup>{decimal(_, exponent)}</sup>"


def quotient(_: Language, powers: np.ndarray, column: int) -> str:
    """Say which two numbers make a weight."""
    if not powers.any():
        return _("weight: 0, as no key may be seen")
    return _("weight {exponential} ÷ {sum}", exponential=bracketed(share(_, powers[column])),
             sum=bracketed(share(_, powers.sum())))


# Room: what differs from cell to cell of a matrix gets as many lines as the longest needs


def lines(characters: float) -> int:
    """Return how many lines a text of a length takes."""
    return ceil(characters / LINE)


def widest(values: np.ndarray) -> int:
    """Return how many characters the longest of some numbers takes, brackets of negative ones included."""
    sizes, decimals = np.abs(values), places(values)
    if (sizes >= LARGE).any() or ((values > 0) & (values < TINY)).any():
        return 13
    return len(str(int(sizes.max(initial=0)))) + (decimals + 1 if decimals else 0) + 2 * bool((values < 0).any())


def quote_room(worked: Worked, name: str) -> tuple[int, bool]:
    """Return how many lines the sum of any cell of a matrix takes, and whether a line holds two of its products."""
    if name == "weights":
        return lines(8.5 * worked[name].shape[1] + 19), False
    both = {
        "scores": ("Q", "K"), "output": ("weights", "V"), "Q": ("X", "W_Q"), "K": ("X", "W_K"), "V": ("X", "W_V"),
    }.get(name)
    if both is None or both[0] not in worked.arrays:
        return 1, True
    left, right = (worked[part] for part in both)
    terms, product = left.shape[1], widest(left) + widest(right) + 4
    a_line = LINE // product
    if a_line < 2:
        return lines(terms * product + 9), False
    return ceil((terms + 0.5) / a_line), True
