"""The complaint about a typed text: which cell, why, and the text itself, harmless in Markdown."""

import re
import unicodedata

from pages.ui.language import Language

SHOWN = 40  # characters of a typed text that a sentence shows
PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]")
LATE = re.compile(r"(?<=[wW])\.|(?<!\S)-|[:@<>=]")  # of links, emoji and arrows
WORD_JOINER = "\N{WORD JOINER}"
JOINING = "\u200c\u200d" + "".join(map(chr, range(0xE0020, 0xE0080)))  # inside emoji and scripts, not in numbers


class Unreadable(ValueError):
    """A typed text that is no number or no matrix, and why.

    Attributes
    ----------
    text : str
        What was typed, shortened.
    reason : str
        The sentence, still in English and with its holes.
    holes : dict
        What fills the holes besides the text.
    place : (int, int) or None
        Row and column of the cell, counted from 1.
    """

    def __init__(self, reason: str, text: str = "", holes: dict | None = None, place: tuple[int, int] | None = None):
        self.reason, self.text, self.holes, self.place = reason, shortened(text), holes or {}, place
        super().__init__(reason, self.text, self.holes, place)

    def at(self, row: int, column: int) -> "Unreadable":
        """Return the same complaint about the cell in this row and column, counted from 1."""
        return Unreadable(self.reason, self.text, self.holes, (row, column))

    def say(self, _: Language) -> str:
        """Return the whole sentence in a language, safe for st.markdown."""
        sentence = _(self.reason, typed=shown(self.text), **self.holes)
        if self.place:
            row, column = self.place
            return _("Row {row}, column {column}: {sentence}", row=row, column=column, sentence=sentence)
        return sentence[0].upper() + sentence[1:]

    def __str__(self) -> str:
        return self.say(Language("en"))


def shortened(text: str) -> str:
    """Cut a text to what a sentence can show."""
    text = text.strip()
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


def shown(text: str) -> str:
    """Return a typed text, shortened, as st.markdown shows it letter for letter.

    Streamlit replaces links, emoji and arrows after Markdown is read, where no backslash helps: an invisible word
    joiner keeps them apart.

    >>> print(shown("a*b <i> 2\\t3"))
    a\\*b \u2060\\<i\u2060\\> 2␉3
    """
    short = shortened(text)
    plain = "".join(visible(character, before) for before, character in zip(" " + short, short, strict=False))
    joined = LATE.sub(WORD_JOINER + r"\g<0>", plain)
    return PUNCTUATION.sub(r"\\\g<0>", joined)


def visible(character: str, before: str = " ") -> str:
    """Return the picture of a control character, a space for any space, and other characters as they are."""
    if character < " ":
        return chr(0x2400 + ord(character))
    if character in JOINING and not before.isascii():
        return character
    kind = unicodedata.category(character)
    return " " if kind == "Zs" else "\ufffd" if kind[0] == "C" or kind in ("Zl", "Zp") else character
