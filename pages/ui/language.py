"""The languages of the lab: translated sentences from gettext catalogues, numbers as each language writes them."""

import gettext
import io
from collections.abc import Iterable
from decimal import ROUND_HALF_EVEN, Context, Decimal
from functools import lru_cache
from math import isfinite, isnan
from pathlib import Path

from babel import Locale
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.numbers import get_decimal_symbol

LANGUAGES = {"en": "English", "id": "Indonesia"}  # English is the source language: it needs no catalogue
CATALOGUES = Path(__file__).parent / "locale"
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
MINUS = "\N{MINUS SIGN}"
NO_BREAK = "\N{NO-BREAK SPACE}"
DIGITS = Context(prec=400, rounding=ROUND_HALF_EVEN)  # as many as the largest float has


def N_(text: str) -> str:
    """Mark a text for translation where no language is known yet."""
    return text


def language_of(locale: str | None) -> str:
    """Choose the language for a browser's locale; Android and Java still say ``in`` for Indonesian.

    >>> language_of("in-ID"), language_of("id"), language_of("de-DE"), language_of(None)
    ('id', 'id', 'en', 'en')
    """
    spoken = (locale or "").replace("_", "-").split("-")[0].lower()
    return {"id": "id", "in": "id"}.get(spoken, "en")


@lru_cache
def catalogue(lang: str) -> gettext.NullTranslations:
    """Compile the .po file in memory, so that no second, stale copy of it exists."""
    path = CATALOGUES / lang / "LC_MESSAGES" / "lab.po"
    if not path.exists():
        return gettext.NullTranslations()
    compiled = io.BytesIO()
    with path.open("rb") as source:
        write_mo(compiled, read_po(source, locale=lang))
    compiled.seek(0)
    return gettext.GNUTranslations(compiled)


@lru_cache
def unit(places: int) -> Decimal:
    """Return one unit of the last decimal place."""
    return Decimal(1).scaleb(-places)


class Language:
    """One language for one run of one page: call it with a text to translate it and fill its named holes."""

    def __init__(self, lang: str):
        self.lang = lang
        self.locale = Locale.parse(lang)
        self.decimal_symbol = get_decimal_symbol(self.locale)
        self.separators = self.decimal_symbol + NO_BREAK  # Plotly's decimal and group marks
        self._gettext = catalogue(lang).gettext

    def __call__(self, text: str, **holes: object) -> str:
        """Translate a whole sentence and fill its named holes."""
        sentence = self._gettext(text)
        return sentence.format(**holes) if holes else sentence

    def number(self, value: float, places: int = 4, signed: bool = False) -> str:
        """Write a number with a fixed number of decimals: 0.3551, in Indonesian 0,3551."""
        if not isfinite(value):
            return "NaN" if isnan(value) else "∞" if value > 0 else MINUS + "∞"
        rounded = Decimal(repr(float(value))).quantize(unit(places), context=DIGITS)  # Babel's own rounding
        sign = MINUS if rounded < 0 else "+" if signed and not rounded.is_signed() else ""
        return sign + f"{rounded.copy_abs():f}".replace(".", self.decimal_symbol)

    def short(self, value: float, places: int = 2) -> str:
        """Write a number with no more decimals than it needs: 8, but 11.31."""
        return self.number(value, 0 if float(value).is_integer() else places)

    def weight(self, value: float, places: int = 4) -> str:
        """Write a probability: 0 and 1 only where exact, else at most as near as the last digit shows."""
        if value == 0:
            return "0"
        smallest = 10.0**-places
        if value <= smallest / 2:
            return "<" + self.number(smallest, places)
        if 1 - smallest / 2 <= value < 1:
            return ">" + self.number(1 - smallest, places)
        return self.number(value, places)

    def percent(self, share: float, places: int = 0) -> str:
        """Write a share as a percentage: 24.2 %."""
        return self.number(100 * share, places) + NO_BREAK + "%"

    def list(self, values: Iterable[float], places: int = 4) -> str:
        """Write several numbers: 0.5, 1.0; where the comma is the decimal mark, 0,5; 1,0."""
        return ("; " if self.decimal_symbol == "," else ", ").join(self.number(value, places) for value in values)

    def power(self, value: float, places: int = 1) -> str:
        """Write a number as a power of ten: 1.2 × 10⁻¹⁶."""
        if value == 0 or not isfinite(value):
            return self.number(value, 0)
        digits, exponent = f"{value:.{places}e}".split("e")
        return f"{self.number(float(digits), places)} × 10{str(int(exponent)).translate(SUPERSCRIPT)}"


def power(_: Language, value: float) -> str:
    """Write a number as a power of ten that no line end cuts."""
    return _.power(value).replace(" ", NO_BREAK)
