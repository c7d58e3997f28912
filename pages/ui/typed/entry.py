"""What a reader may type as a number or a matrix, and a sentence for everything else; nothing is guessed."""

import re

import numpy as np

from pages.ui.language import MINUS, N_
from pages.ui.typed.unreadable import SHOWN, Unreadable
from pages.ui.typed.unreadable import shown as shown

LIMIT = 1000  # the largest |number|
PLACES = 6  # decimals
LONGEST = 10_000  # characters of a typed or pasted matrix

EMPTY = N_("an empty cell is no number; write 0 if you mean 0.")
LONG = N_("“{typed}” is too long for a number.")
DIGITS = N_("“{typed}” has digits of another script; type them as 0 to 9.")
GROUPS = N_("“{typed}” has a comma and a point; write it without group marks: {point} or {comma}.")
GROUPS_OUTSIDE = N_("“{typed}” has a comma and a point; without group marks it is {point} or {comma}, outside −{limit} "
                    "to {limit}.")
MARKS = N_("“{typed}” has a comma and a point; a number has one decimal mark and no group marks.")
COMMAS = N_("“{typed}” has more than one comma; a comma is a decimal mark here, and a number has one.")
POINTS = N_("“{typed}” has more than one point; a point is a decimal mark here, and a number has one.")
SPACES = N_("“{typed}” has a space inside; write one number a cell, without group marks.")
NUMBER = N_("“{typed}” is no number; write one like 1.5 or 1,5.")
OUTSIDE = N_("“{typed}” is outside −{limit} to {limit}.")
DECIMALS = N_("“{typed}” has more than {places} decimals; round it.")
EDGE = N_("“{typed}” has a comma at its edge; a comma is a decimal mark here, so separate numbers by spaces, tabs or "
          "semicolons.")
NOTHING = N_("There is no number yet; write a row a line.")
TOO_LONG = N_("The text has {count} characters; at most {most} are read.")
LISTED = N_("“{typed}” is no list of rows; write one like [[1, 0.5], [2, 3]].")
RAGGED = N_("Row {row} has length {count} and row 1 has length {first}; every row needs as many numbers.")
ROWS = N_("The number of rows is {count}; it has to be between {low} and {high}.")
ROWS_EXACTLY = N_("The number of rows is {count}; it has to be {low}.")
COLUMNS = N_("The number of columns is {count}; it has to be between {low} and {high}.")
COLUMNS_EXACTLY = N_("The number of columns is {count}; it has to be {low}.")

FORM = re.compile(r"[+-]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:[eE][+-]?[0-9]{1,9})?")
MARKED = re.compile(r"[+-]?[0-9.,]*[0-9][0-9.,]*")  # digits and marks, though no number
GROUPED = re.compile(r"([+-]?[0-9]{1,3}(?:(?:,[0-9]{3})+(?=\.)|(?:\.[0-9]{3})+(?=,)))[.,]([0-9]+)")  # 1,234.5
DASHES = str.maketrans({MINUS: "-", "\N{EN DASH}": "-"})
ARRAY = re.compile(r"(?:(?:np|numpy|torch)\.)?(?:array|tensor)\s*\(\s*(?=\[)")
ARRAY_END = re.compile(r"(?:,dtype=[\w.]+)?\)")
ROW = re.compile(r"\s*\[([^\[\]]*)\]\s*,?\s*")


def number(text: str) -> float:
    """Read a number with a decimal point or a decimal comma.

    Raises
    ------
    Unreadable
        For everything else, also for group marks, and beyond LIMIT or PLACES.

    Examples
    --------
    >>> number("1,5"), number(" −.5 "), number("1e-3")
    (1.5, -0.5, 0.001)
    """
    typed = text.strip()
    if len(typed) > SHOWN:  # no number within the bounds needs more
        raise Unreadable(LONG, typed)
    plain = typed.translate(DASHES)
    if not FORM.fullmatch(plain):
        raise no_number(plain, typed)
    plain = plain.replace(",", ".")
    value = float(plain)
    if abs(value) > LIMIT:
        raise Unreadable(OUTSIDE, typed, {"limit": LIMIT})
    if decimals(plain) > PLACES:
        raise Unreadable(DECIMALS, typed, {"places": PLACES})
    return value


def no_number(plain: str, typed: str) -> Unreadable:
    """Complain about a text that is no number; one with group marks is spelled without them."""
    grouped = GROUPED.fullmatch(plain)
    if not grouped:
        return Unreadable(why_no_number(plain), typed)
    whole, fraction = re.sub("[.,]", "", grouped[1]), grouped[2]
    spelled = whole.replace("-", MINUS)
    holes = {"point": f"{spelled}.{fraction}", "comma": f"{spelled},{fraction}"}
    if abs(float(f"{whole}.{fraction}")) > LIMIT:
        return Unreadable(GROUPS_OUTSIDE, typed, holes | {"limit": LIMIT})
    return Unreadable(GROUPS, typed, holes)


def why_no_number(plain: str) -> str:
    """Choose the sentence for a text that is no number."""
    if not plain:
        return EMPTY
    if any(character.isdigit() and not character.isascii() for character in plain):
        return DIGITS
    together = "".join(plain.split())
    if not MARKED.fullmatch(together):
        return NUMBER
    if together != plain:
        return SPACES
    commas, points = plain.count(","), plain.count(".")
    return MARKS if commas and points else COMMAS if commas > 1 else POINTS if points > 1 else NUMBER


def decimals(plain: str) -> int:
    """Count the decimals of a number's text without the zeros at its end."""
    mantissa, _, exponent = plain.lower().partition("e")
    whole, _, fraction = mantissa.lstrip("+-").partition(".")
    digits = whole + fraction
    zeros = len(digits) - len(digits.rstrip("0"))
    return len(fraction) - zeros - int(exponent or 0) if zeros < len(digits) else 0


def written(value: float, decimal_symbol: str) -> str:
    """Write a number as short as `number` reads it back exactly; ValueError for one that it would not read.

    >>> written(-0.5, ","), written(3.0, "."), written(0.000001, ".")
    ('−0,5', '3', '0.000001')
    """
    value = float(value)
    text = f"{value:.{PLACES}f}".rstrip("0").rstrip(".") if abs(value) <= LIMIT else ""
    if not text or float(text) != value:
        raise ValueError(f"a cell holds numbers from -{LIMIT} to {LIMIT} with at most {PLACES} decimals, not {value}")
    return ("0" if value == 0 else text.replace("-", MINUS)).replace(".", decimal_symbol)


def lines(text: str) -> list[str]:
    """Cut a text into lines without the blank ones at its ends; a line with tabs has cells, so it is not blank."""
    if len(text) > LONGEST:
        raise Unreadable(TOO_LONG, holes={"count": len(text), "most": LONGEST})
    found = text.splitlines()
    filled = [i for i, line in enumerate(found) if line.strip() or "\t" in line]
    return found[filled[0] : filled[-1] + 1] if filled else []


def pasted(text: str) -> list[list[str]]:
    """Return the cells of a block copied from a spreadsheet, as typed.

    >>> pasted("1,5\\t2\\r\\n\\tabc\\r\\n")
    [['1,5', '2'], ['', 'abc']]
    """
    return [line.split("\t") for line in lines(text)]


def matrix(text: str, rows: tuple[int, int] = (1, 12), columns: tuple[int, int] = (1, 8)) -> np.ndarray:
    """Read a matrix: a row a line, or a list as Python, JSON and NumPy print it.

    Parameters
    ----------
    text : str
        Numbers stand between tabs, else between semicolons, else between spaces.
    rows, columns : (int, int)
        The fewest and the most of them.

    Returns
    -------
    (n, m) array of float64

    Raises
    ------
    Unreadable
        Names the cell, or the row, or the bound.

    Examples
    --------
    >>> matrix("1 0,5\\n2 3").tolist(), matrix("[[1.  0.5]\\n [2.  3. ]]").tolist()
    ([[1.0, 0.5], [2.0, 3.0]], [[1.0, 0.5], [2.0, 3.0]])
    """
    found = lines(text)
    start = "\n".join(found).strip()
    printed = start.startswith("[") or ARRAY.match(start)
    cells = listed(start) if printed else [cut(line, i) for i, line in enumerate(found, 1)]
    if not cells:
        raise Unreadable(NOTHING)
    values = [[cell(item, i, j) for j, item in enumerate(row, 1)] for i, row in enumerate(cells, 1)]
    check_shape([len(row) for row in values], rows, columns)
    return np.array(values)  # (n, m)


def cut(line: str, row: int) -> list[str]:
    """Cut a line into cells; between spaces a comma may be meant as a separator, so none may stand at an edge."""
    for mark in "\t;":
        if mark in line:
            return line.split(mark)
    cells = line.split()
    for column, text in enumerate(cells, 1):
        if len(cells) > 1 and "," in (text[0], text[-1]):
            raise Unreadable(EDGE, text, place=(row, column))
    return cells


def cell(text: str, row: int, column: int) -> float:
    """Read one cell of a matrix."""
    try:
        return number(text)
    except Unreadable as error:
        raise error.at(row, column) from None


def check_shape(lengths: list[int], rows: tuple[int, int], columns: tuple[int, int]) -> None:
    """Refuse rows of different lengths, and too few or too many of them."""
    for row, count in enumerate(lengths, 1):
        if count != lengths[0]:
            raise Unreadable(RAGGED, holes={"row": row, "count": count, "first": lengths[0]})
    for count, (low, high), exactly, between in (
        (len(lengths), rows, ROWS_EXACTLY, ROWS), (lengths[0], columns, COLUMNS_EXACTLY, COLUMNS),
    ):
        if not low <= count <= high:
            raise Unreadable(between if low < high else exactly, holes={"count": count, "low": low, "high": high})


def listed(text: str) -> list[list[str]]:
    """Cut a printed list of rows into cells, without evaluating it."""
    opening, end = ARRAY.match(text), text.rfind("]") + 1
    inside = text[opening.end() : end] if opening else text
    closed = not opening or ARRAY_END.fullmatch("".join(text[end:].split()))
    if not (closed and inside.startswith("[") and inside.endswith("]")):
        raise Unreadable(LISTED, text)
    inside, position, rows = inside[1:-1], 0, []
    while position < len(inside) or not rows:
        row = ROW.match(inside, position)
        if not row:
            raise Unreadable(LISTED, text)
        items = row[1].split(",") if "," in row[1] else row[1].split()
        rows.append(items[:-1] if len(items) > 1 and not items[-1].strip() else items)
        position = row.end()
    return rows
