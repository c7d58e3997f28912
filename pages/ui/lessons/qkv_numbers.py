"""How the lesson on query, key and value writes numbers: one way for tables and sentences, also for large and tiny."""

from math import isfinite

from pages.ui.language import Language
from pages.ui.tables.sums import LARGE

TINY = 1e-4  # a difference below it is written as a power of ten


class Powers(Language):
    """A language that writes numbers from a million on as powers of ten, as the arithmetic of a cell does.

    >>> _ = Powers("id")
    >>> _.number(-2e6), _.list([1.5, 12345678], 1)
    ('−2,0000 × 10⁶', '1,5; 1,2346 × 10⁷')
    """

    def number(self, value: float, places: int = 4, signed: bool = False) -> str:
        """Write a number with a fixed number of decimals, or as a power of ten."""
        if isfinite(value) and abs(value) >= LARGE:
            return self.power(value, 4)
        return super().number(value, places, signed)


def difference(_: Language, value: float) -> str:
    """Write a difference: "0" is exactly 0, and what four decimals do not show is a power of ten.

    >>> difference(Language("en"), 0.0), difference(Language("en"), 3e-7), difference(Language("en"), 1.5)
    ('0', '3.0 × 10⁻⁷', '1.5000')
    """
    return "0" if value == 0 else _.power(value) if abs(value) < TINY else _.number(value)
