"""Arrays in writing: rows of a CSV file, nested lists, and the form in which NumPy and PyTorch print."""

import csv
import re

import numpy as np

from pages.ui.language import N_
from pages.ui.typed.entry import ARRAY, DASHES, FORM, LISTED, NUMBER, RAGGED
from pages.ui.typed.unreadable import Unreadable

DEEPEST = 8  # brackets; what is deeper than four dims is refused in words later
LONGEST = 64  # characters of one number
SPECIAL = {"nan": np.nan, "inf": np.inf, "+inf": np.inf, "-inf": -np.inf, "infinity": np.inf, "-infinity": -np.inf}
TOKEN = re.compile(r"\s*(\[|\]|,|[^\s\[\],]+)")
AFTER = re.compile(r"(?:,(?:dtype|device|grad_fn|shape)=[^=]*)*\)?")  # what may follow the last bracket
LOOSE = re.compile(r"[^\s,\[\]]\s+[^\s,\[\]]")  # two numbers with a space between them
TIGHT = re.compile(r"[^\s,\[\]]\s*,\s*[^\s,\[\]]")  # two numbers with a comma between them: both is 0,5 1,5
BEGUN = re.compile(r"\w[^\s;\[\]]*")  # a number from its first digit, or several with commas between them
STRAY = re.compile(r",\s*,|\[\s*,")
COMPLEX_FORM = re.compile(r"[+-]?[0-9.]*(?:[eE][+-]?[0-9]+)?[+-]?[0-9.]*(?:[eE][+-]?[0-9]+)?[jJ]")

CUT = N_("the printed form leaves numbers out (“...”); print it again after np.set_printoptions(threshold=10000).")
UNEVEN = N_("its lists have different lengths or depths; every row needs as many numbers.")
NOT_REAL = N_("“{typed}” is complex; an output is real.")
NOT_A_NUMBER = N_("“{typed}” is no number; a list holds numbers only.")
DEEP = N_("its lists are nested too deeply.")
HEADER = N_("the first row is a header (“{typed}”); remove it, so that only numbers are left.")
COMMAS = N_("“{typed}” is no number. Commas separate numbers here, so a number needs a decimal point, like 1.5.")


def at_least(text: str) -> int:
    """Count numbers without reading any: never more than there are, but for a few words such as dtype.

    A comma separates two numbers or is the decimal mark of one, so there are at least as many numbers as commas.

    >>> at_least("# one 2\\n1;2,5\\n3 , 4"), at_least("1,2,3,4")
    (4, 3)
    """
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    return max(sum(len(BEGUN.findall(line)) for line in lines), sum(line.count(",") for line in lines))


def scanned(text: str) -> list:
    """Cut nested brackets into lists, without evaluating them; between numbers stand commas or spaces, never both.

    >>> scanned("[[1. 2.]\\n [3. nan]]")
    [[1.0, 2.0], [3.0, nan]]
    """
    if "..." in text:
        raise Unreadable(CUT)
    opening = ARRAY.match(text)
    start, end = opening.end() if opening else 0, text.rfind("]") + 1
    rest = "".join(text[end:].split())
    inside = text[start:end]
    if not inside.startswith("[") or STRAY.search(inside) or (LOOSE.search(inside) and TIGHT.search(inside)):
        raise Unreadable(LISTED, text)
    if not AFTER.fullmatch(rest) or rest.endswith(")") != bool(opening):
        raise Unreadable(LISTED, text)
    return _nest(inside, text)


def _nest(inside, text):
    stack, whole = [], None
    for token in TOKEN.findall(inside):
        if whole is not None:  # something behind the outermost bracket
            raise Unreadable(LISTED, text)
        if token == "[":
            stack.append([])
            if len(stack) > DEEPEST:
                raise Unreadable(DEEP)
        elif token == "]":
            done = stack.pop()
            if stack:
                stack[-1].append(done)
            else:
                whole = done
        elif token != ",":
            stack[-1].append(real(token))
    if whole is None:
        raise Unreadable(LISTED, text)
    return whole


def real(text: str) -> float:
    """Read a number with a point, or one of NaN and the infinities; a comma is left to `separated`.

    >>> real("-1.5e3"), real("inf")
    (-1500.0, inf)
    """
    plain = text.strip().translate(DASHES)
    if plain.lower() in SPECIAL:
        return SPECIAL[plain.lower()]
    if len(plain) <= LONGEST and "," not in plain and FORM.fullmatch(plain):
        return float(plain)
    raise Unreadable(NOT_REAL if len(plain) <= LONGEST and COMPLEX_FORM.fullmatch(plain) else NUMBER, text)


def rectangular(nested: object) -> np.ndarray:
    """Turn nested lists of numbers into an array; nothing else may be inside.

    >>> rectangular([[1, 2.5]]).tolist()
    [[1.0, 2.5]]
    """
    if not isinstance(nested, list):
        raise Unreadable(LISTED, str(nested)[:80])
    shape, level, numbers = [], nested, [nested]
    while isinstance(level, list):
        shape.append(len(level))
        if len(shape) > DEEPEST:
            raise Unreadable(DEEP)
        if not all(isinstance(item, list) and len(item) == len(level) for item in numbers):
            raise Unreadable(UNEVEN)
        numbers = [part for item in numbers for part in item]
        level = level[0] if level else None
    for item in numbers:
        if isinstance(item, list):
            raise Unreadable(UNEVEN)
        if isinstance(item, bool) or not isinstance(item, int | float):
            raise Unreadable(NOT_A_NUMBER, str(item)[:80])
    try:
        return np.array([float(item) for item in numbers]).reshape(shape)
    except OverflowError:
        raise Unreadable(NOT_A_NUMBER, "1e309") from None


def separated(text: str) -> np.ndarray:
    """Read a row a line: between tabs, else semicolons, else spaces, else commas; lines with # are comments.

    Only where a comma does not separate may it be the decimal mark.

    >>> separated("# mine\\n1,5; 2\\n3;4").tolist(), separated("1.5, 2").tolist(), separated("1,5 2").tolist()
    ([[1.5, 2.0], [3.0, 4.0]], [[1.5, 2.0]], [[1.5, 2.0]])
    """
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    spaced = any(LOOSE.search(line) for line in lines)
    mark = next((mark for mark in ("\t;" if spaced else "\t;,") if any(mark in line for line in lines)), None)
    try:
        rows = list(csv.reader(lines, delimiter=mark)) if mark else [line.split() for line in lines]
    except csv.Error:
        raise Unreadable(LISTED, text) from None
    if len(rows) > 1 and rows[0] and all(map(_word, rows[0])) and not any(map(_word, rows[1])):
        raise Unreadable(HEADER, lines[0])
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise Unreadable(RAGGED, holes={"row": number, "count": len(row), "first": len(rows[0])})
    cells = [[_cell(item, mark, i, j) for j, item in enumerate(row, 1)] for i, row in enumerate(rows, 1)]
    return np.array(cells, dtype=float).reshape(len(rows), len(rows[0]) if rows else 0)


def _word(text):
    """Tell a name of a column from a number, however badly the number is written."""
    bare = text.strip()
    return bare[:1].isalpha() and bare.lower() not in SPECIAL


def _cell(text, mark, row, column):
    comma = mark != "," and text.count(",") == 1 and "." not in text
    edge = mark is None and "," in (text[0], text[-1])  # "1, 2 3": which of both separates is anybody's guess
    try:
        return real(text.replace(",", ".") if comma and not edge else text)
    except Unreadable as error:
        advice = COMMAS if mark == "," and error.reason == NUMBER else error.reason
        raise Unreadable(advice, text, error.holes, (row, column)) from None
