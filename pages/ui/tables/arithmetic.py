"""One cell in full: the products, the exponentials or the mask behind its number, as a panel of HTML."""

import numpy as np

from pages.ui.language import N_, Language
from pages.ui.tables import sums
from pages.ui.tables.sums import decimal, exact, power, share, symbol, word
from pages.ui.tables.worked import Worked

WORD = 20  # characters of a word that the heading shows
HEADING = {
    "X": N_("Input of {row}, feature {column}"),
    "W_Q": N_("Entry of {matrix}: feature {row}, dimension {column}"),
    "W_K": N_("Entry of {matrix}: feature {row}, dimension {column}"),
    "W_V": N_("Entry of {matrix}: feature {row}, dimension {column}"),
    "Q": N_("Query of {row}, dimension {column}"),
    "K": N_("Key of {row}, dimension {column}"),
    "V": N_("Value of {row}, dimension {column}"),
    "scores": N_("Query {row}, key {column}"),
    "scaled": N_("Scaled score: query {row}, key {column}"),
    "mask": N_("Mask: query {row}, key {column}"),
    "masked": N_("Scaled and masked: query {row}, key {column}"),
    "weights": N_("Weight: query {row}, key {column}"),
    "output": N_("Output of {row}, dimension {column}"),
}
SUM = {"Q": N_("sum: the query's number"), "K": N_("sum: the key's number"), "V": N_("sum: the value's number")}


def arithmetic(_: Language, worked: Worked, place: tuple[str, int, int]) -> str:
    """Explain one cell of one matrix in full; its row and column are counted from 0.

    Examples
    --------
    >>> from pages.ui.tables.worked import attend
    >>> worked = attend(np.array([[2.0]]), np.array([[0.5]]), np.array([[3.0]]), ["eat"], ["fish"])
    >>> "<span>2 × 0.5</span> <span>= <b>1</b></span>" in arithmetic(Language("en"), worked, ("scores", 0, 0))
    True
    """
    name, row, column = place
    explain = {
        "Q": projected, "K": projected, "V": projected, "scores": score, "scaled": scaled, "mask": added,
        "masked": added, "weights": weight, "output": output,
    }.get(name)
    if explain is None or name in "QKV" and "X" not in worked.arrays:
        explain = given
    rows, columns = worked.rows[name], worked.columns[name]
    words = {"row": sums.row_word(_, worked, name, row), "column": word(_, columns, column)}
    quote, body = explain(_, worked, place, **words)
    heading = _(HEADING[name], matrix=symbol(name), **words)
    longest = sum(min(max(map(len, labels)), WORD) for labels in (rows, columns))
    title = sums.lines(1.35 * (longest + len(_(HEADING[name]).replace("{row}", "").replace("{column}", ""))))
    room, packed = sums.quote_room(worked, name)
    long = " long" if (np.abs(worked["scaled"]) > 9).any() else ""  # e^9.9 is 20000 times e^0: powers of ten
    return (
        f'<section class="lab-arithmetic{long}" data-testid="arithmetic" data-of="{name}">'
        f'<div aria-live="polite" aria-atomic="true"><h3 style="--lines: {title}">{heading}</h3>'
        f'<p class="quote{" packed" if packed else ""}" style="--lines: {room}">{quote}</p></div>'
        f"{body}</section>"
    )


# For each kind of matrix: the sum in one line, and what stands under it. `row` and `column` are what heads the cell.


def given(_: Language, worked: Worked, place: tuple[str, int, int], row: str, column: str) -> tuple[str, str]:
    """Say that a number is an input."""
    name, i, j = place
    return f"<b>{exact(_, worked[name][i, j])}</b>", said(_(
        "An input: it is given, not computed. It stands in row {row} and column {column} of {matrix}.",
        row=row, column=column, matrix=symbol(name),
    ))


def projected(_: Language, worked: Worked, place: tuple[str, int, int], row: str, column: str) -> tuple[str, str]:
    """Multiply a token's features by a column of a projection."""
    name, i, j = place
    heads = (_("feature"), symbol("x"), symbol(f"W_{name}"))
    table = sums.products(_, worked, place, heads, worked.columns["X"], _(SUM[name]))
    return sums.linear(_, *sums.factors(worked, *place), worked[name][i, j]), table


def score(_: Language, worked: Worked, place: tuple[str, int, int], row: str, column: str) -> tuple[str, str]:
    """Multiply a query by a key, and follow their score to its weight."""
    name, i, j = place
    of_query = _("{symbol} of {token}", symbol=symbol("q"), token=row)
    of_key = _("{symbol} of {token}", symbol=symbol("k"), token=column)
    total = _("sum: the score {symbol}", symbol=symbol("s"))
    table = sums.products(_, worked, place, (symbol("i"), of_query, of_key), worked.columns["Q"], total)
    powers, less = sums.exponentials(worked, i)
    follow = [(sums.scale_step(_, worked), "scaled", decimal(_, worked["scaled"][i, j]))]
    if not worked.allowed.all():
        follow.append((_("add the mask"), "", decimal(_, worked["mask"][i, j])))
    if less:
        follow.append((_("subtract the row's largest"), "", decimal(_, less)))
    follow += [
        (_("exponential {power}", power=power(_, worked["masked"][i, j] - less)), "", share(_, powers[j])),
        (summed(_, len(powers), row), "", share(_, powers.sum())),
        (sums.quotient(_, powers, j), "", share(_, worked["weights"][i, j])),
    ]
    quote = sums.linear(_, *sums.factors(worked, *place), worked[name][i, j])
    heading = _("From score to weight")
    return quote, f"{table}<h4>{heading}</h4>{sums.steps(follow)}"


def summed(_: Language, count: int, query: str) -> str:
    """Say which exponentials of a row are added up."""
    if count == 1:
        return _("the only one in row {query}", query=query)
    return _("sum of all {count} in row {query}", count=count, query=query)


def scaled(_: Language, worked: Worked, place: tuple[str, int, int], row: str, column: str) -> tuple[str, str]:
    """Divide a score by the root of d_k."""
    name, i, j = place
    raw, result = worked["scores"][i, j], worked[name][i, j]
    root = worked["K"].shape[1]
    by_root = np.isclose(worked.scale * np.sqrt(root), 1)
    factor = f"÷ √{root}" if by_root else f"× {exact(_, worked.scale)}"
    sign = "=" if sums.is_exact(raw) and sums.is_exact(result) and (by_root or sums.is_exact(worked.scale)) else "≈"
    return f"<span>{exact(_, raw)} {factor}</span> <span>{sign} <b>{exact(_, result)}</b></span>", sums.steps([
        (_("score {symbol}", symbol=symbol("s")), "", decimal(_, raw)),
        (sums.scale_step(_, worked), "scaled", decimal(_, result)),
    ])


def added(_: Language, worked: Worked, place: tuple[str, int, int], row: str, column: str) -> tuple[str, str]:
    """Add the mask to a scaled score."""
    i, j = place[1:]
    before, mask, after = (decimal(_, worked[part][i, j]) for part in ("scaled", "mask", "masked"))
    if worked.allowed[i, j]:
        why = _("{query} may look at {key}: 0 is added, and the score stays as it is.", query=row, key=column)
    else:
        why = _("{query} may not look at {key}: −∞ is added, {power} = 0, and the weight is exactly 0.",
                query=row, key=column, power=power(_, -np.inf))
    summand = mask if worked.allowed[i, j] else f"({mask})"
    return f"<span>{before} + {summand}</span> <span>= <b>{after}</b></span>", sums.steps([
        (_("scaled score"), "scaled", before), (_("add the mask"), "", mask), (_("scaled and masked"), "", after),
    ]) + said(why)


def weight(_: Language, worked: Worked, place: tuple[str, int, int], row: str, column: str) -> tuple[str, str]:
    """Divide one exponential by the sum of its row."""
    name, i, j = place
    powers, less = sums.exponentials(worked, i)
    table = sums.exponential_table(_, worked, i, j)
    if less:
        table += said(_("{power} is more or less than a float can hold. So the row's largest score is subtracted from "
                        "all of them first, and the weights stay the same.", power=power(_, less)))
    if not powers.any():
        return _("{query} may look at no key: all its weights are 0.", query=row), table
    if worked.allowed[i].sum() == 1 and powers[j]:
        only = sums.bracketed(share(_, powers[j]))
        return f"{only} ÷ {only} <span>= <b>1</b></span>", table
    addends = " + ".join(share(_, value) for value in powers if value)
    sign = "≈" if powers[j] else "="
    quote = f"{share(_, powers[j])} ÷ ({addends}) <span>{sign} <b>{share(_, worked[name][i, j])}</b></span>"
    return quote, table


def output(_: Language, worked: Worked, place: tuple[str, int, int], row: str, column: str) -> tuple[str, str]:
    """Mix the values of a column, each by its weight."""
    name, i, j = place
    heads = (_("key"), _("weight"), symbol("v"))
    table = sums.products(_, worked, place, heads, worked.rows["V"], _("sum: the output"))
    left, right = sums.factors(worked, *place)
    values = right[worked.allowed[i]]
    if not len(values):
        return _("{query} may look at no key: its output is 0.", query=row), table + said("")
    counts = left != 0
    quote = sums.linear(_, left[counts], right[counts], worked[name][i, j], share_exact)
    if len(values) == 1:
        return quote, table + said(_("Only one value counts, with weight 1: the output is that value."))
    between = {
        "smallest": decimal(_, values.min()), "output": decimal(_, worked[name][i, j]),
        "largest": decimal(_, values.max()),
    }
    hull = (
        _("It lies between the smallest and the largest value of this column: {smallest} ≤ {output} ≤ {largest}.",
          **between)
        if worked.allowed[i].all() else
        _("It lies between the smallest and the largest value that {query} may see: {smallest} ≤ {output} ≤ {largest}.",
          query=row, **between)
    )
    return quote, table + said(hull)


def share_exact(_: Language, value: float) -> str:
    """Write a weight with its own digits, however small."""
    return exact(_, value) if share(_, value) == decimal(_, value) else share(_, value)


def said(sentence: str) -> str:
    """Set a sentence under a table; room for three lines stays also where it is shorter."""
    return f'<p class="said">{sentence}</p>'
