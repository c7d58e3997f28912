"""How a sentence that a reader types becomes tokens: words and punctuation marks, nothing typed is lost."""

import re
import unicodedata
from dataclasses import dataclass

MOST = 12  # tokens of a sentence
LONGEST = 160  # characters that are read; normalising a longer run of accents would take time squared
TURNING = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"  # bidi: they reorder the page
BLANK = "\u200b\ufeff"  # of no width, white space in meaning
INNER = "'-\u2019\u2010\u2011"  # apostrophes and hyphens: part of a word between two letters or digits

PIECE = re.compile(r"(?:am*i(?=a)|[amo])+|[ip]m*")  # over kinds: a mark (keycap, accent) stays with what it is on


@dataclass(frozen=True, eq=False)
class Tokens:
    """The tokens of a sentence, and how much of it was left out.

    Attributes
    ----------
    tokens : tuple of str
        At most MOST. They are a reader's text, not markup: whoever shows them escapes them.
    dropped : int
        Tokens beyond MOST.
    unread : int
        Characters beyond LONGEST.
    """

    tokens: tuple[str, ...]
    dropped: int
    unread: int


def sentence_tokens(text: str) -> Tokens:
    """Return the tokens of a sentence.

    >>> sentence_tokens("Kupu-kupu itu terbang.").tokens
    ('Kupu-kupu', 'itu', 'terbang', '.')
    """
    tokens = cut(text)
    return Tokens(tuple(tokens[:MOST]), max(0, len(tokens) - MOST), max(0, len(text) - LONGEST))


def cut(text: str) -> list[str]:
    """Cut the first LONGEST characters of a text at white space and around punctuation.

    >>> cut("I don't know, really...")
    ['I', "don't", 'know', ',', 'really', '.', '.', '.']
    """
    plain = cleaned(text[:LONGEST])
    kinds = "".join(kind(character) for character in plain)
    return [plain[found.start() : found.end()] for found in PIECE.finditer(kinds)]


def cleaned(text: str) -> str:
    """Take out what is never shown or turns the reading direction, and compose accents (NFC)."""
    kept = (character for character in text if character not in TURNING and (
        character.isspace() or unicodedata.category(character) not in ("Cc", "Cs")
    ))
    return unicodedata.normalize("NFC", "".join(kept))


def kind(character: str) -> str:
    """Return the kind of a character: s(pace), i(nner mark), p(unctuation), m(ark on another), a(lphanumeric), o(ther).

    >>> "".join(kind(character) for character in "a-1 !<")
    'aiaspo'
    """
    if character.isspace() or character in BLANK:
        return "s"
    if character in INNER:
        return "i"
    category = unicodedata.category(character)[0]
    return {"P": "p", "M": "m", "L": "a", "N": "a"}.get(category, "o")
