"""How exact handed-in numbers can be: by the dtype of their file, or by the digits with which they were written."""

import re
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

FEWEST = 3  # significant digits of the largest number: with fewer, nearly any output would be "right"
FLOAT32 = (7, 9)  # so many digits float32 has in print; with more it is float64
DTYPE = re.compile(r"dtype\s*=\s*(?:torch\.|np\.|numpy\.)?['\"]?(float16|bfloat16|float32)\b")
DTYPES = {"float16": "float16", "float32": "float32"}  # of a file; all others are judged as float64


@dataclass(frozen=True, eq=False)
class Handed:
    """Hold an output and how exact it can be.

    Attributes
    ----------
    array : np.ndarray of float64
        The numbers.
    dtype : str
        One of `TOLERANCES`: in which precision they can have been computed.
    rounding : np.ndarray
        Half a unit of the last digit of each number; zeros for a file, which cuts no digits.
    digits : int or None
        How many significant digits the most precise number has, at least `FEWEST`; None for a file.
    """

    array: np.ndarray
    dtype: str
    rounding: np.ndarray
    digits: int | None = None


def of_file(array: np.ndarray, dtype: np.dtype) -> Handed:
    """Return what a file holds, to be judged by its dtype."""
    return Handed(array, DTYPES.get(np.dtype(dtype).name, "float64"), np.zeros(array.shape))


def of_text(array: np.ndarray, text: str = "") -> Handed:
    """Return what was typed or printed, to be judged by the dtype it names, or else by its digits.

    >>> found = of_text(np.array([[0.123, 12.5]]))
    >>> found.digits, found.dtype, found.rounding.tolist()
    (3, 'float64', [[0.0005, 0.05]])
    """
    digits, rounding = rounded_by(array)
    named = DTYPE.search(text)
    if named:
        dtype = named[1]
    elif digits > FLOAT32[1] and _is_float32(array):
        dtype = "float32"  # .tolist() of float32 numbers: 0.10000000149011612
    else:
        dtype = "float32" if FLOAT32[0] <= digits <= FLOAT32[1] else "float64"
    return Handed(array, dtype, rounding, max(digits, FEWEST))  # 1.00 is written 1 in a list


def _is_float32(array):
    with np.errstate(over="ignore"):
        return np.array_equal(array.astype(np.float32), array, equal_nan=True)


def rounded_by(array: np.ndarray) -> tuple[int, np.ndarray]:
    """Return how many significant digits numbers have at most, and half a unit of the last digit of each.

    NumPy prints all numbers of an array with the same decimals, "%.4g" with the same digits: the coarser one counts,
    for a trailing zero leaves no trace. Never coarser than three digits of the largest number.

    >>> rounded_by(np.array([0.5, 0.1234]))
    (4, array([5.e-05, 5.e-05]))
    """
    finite = [Decimal(repr(float(x))).normalize() for x in array[np.isfinite(array)] if x]
    if not finite:
        return 0, np.zeros(array.shape)
    digits = max(len(number.as_tuple().digits) for number in finite)
    decimals = max(0, *(-number.as_tuple().exponent for number in finite), 0)
    size = np.abs(np.where(np.isfinite(array), array, 0))
    with np.errstate(divide="ignore"):
        first = np.floor(np.log10(size))  # the place of the first digit; -inf for 0
    unit = np.maximum(10.0 ** -decimals, 10.0 ** (first - digits + 1))
    return digits, 0.5 * np.minimum(unit, 10.0 ** (first.max() - FEWEST + 1))
