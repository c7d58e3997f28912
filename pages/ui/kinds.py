"""The kinds of values that a link can carry: each writes its values as text, and reads them back or refuses."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from pages.ui.classroom import plan

NAME = re.compile(r"[a-z][a-z0-9_-]{0,31}")


@dataclass(frozen=True)
class Whole:
    """A whole number within bounds."""

    default: int
    low: int
    high: int

    def write(self, value: int) -> str:
        """Write the number for a link."""
        return str(value)

    def read(self, text: str) -> int:
        """Read the number; ValueError for anything else, also for 1e3, ٣ or 64.0."""
        if not (text.isascii() and text.isdigit() and len(text) <= 9 and self.low <= int(text) <= self.high):
            raise ValueError(text)
        return int(text)


@dataclass(frozen=True)
class Decimal:
    """A number with one decimal within bounds; a link writes it with a point in every language."""

    default: float
    low: float
    high: float

    def write(self, value: float) -> str:
        """Write the number for a link; sliders step to 0.30000000000000004."""
        return f"{value:.1f}"

    def read(self, text: str) -> float:
        """Read the number; ValueError for anything else, also for 1,5 or 1e1."""
        if not (re.fullmatch(r"-?[0-9]{1,3}(\.[0-9])?", text) and self.low <= float(text) <= self.high):
            raise ValueError(text)
        return float(text) + 0.0  # no -0


@dataclass(frozen=True)
class Choice:
    """One of a few ids, which no language changes."""

    default: str | None
    choices: tuple[str, ...]

    def write(self, value: str) -> str:
        """Write the id for a link."""
        return value

    def read(self, text: str) -> str:
        """Read the id; ValueError for anything else."""
        if text not in self.choices:
            raise ValueError(text)
        return text


@dataclass(frozen=True)
class Text:
    """A reader's own words, as typed, up to a length; no control characters."""

    default: str
    longest: int

    def write(self, value: str) -> str:
        """Write the words for a link, which encodes them itself."""
        return value

    def read(self, text: str) -> str:
        """Read the words; ValueError for what is too long or could not have been typed into one line."""
        if len(text) > self.longest or any(unicodedata.category(mark) in ("Cc", "Cs") for mark in text):
            raise ValueError(text)
        return text


@dataclass(frozen=True)
class Numbers:
    """A matrix that the reader set, None while the example's own stands: rows joined by ~, numbers by _."""

    rows: int
    columns: int
    default: None = None

    def write(self, value: tuple[tuple[float, ...], ...] | None) -> str:
        """Write the matrix for a link; its numbers have at most six decimals."""
        return "~".join("_".join(f"{number:.6f}".rstrip("0").rstrip(".") for number in row) for row in value or ())

    def read(self, text: str) -> tuple[tuple[float, ...], ...]:
        """Read the matrix; ValueError for anything else, also for rows of different lengths."""
        rows = [row.split("_", self.columns) for row in text.split("~", self.rows)]  # no more than can be refused
        numbers = [number for row in rows for number in row]
        if not (
            len(rows) <= self.rows and len(rows[0]) <= self.columns and len({len(row) for row in rows}) == 1
            and all(re.fullmatch(r"-?[0-9]{1,4}(\.[0-9]{1,6})?", number) for number in numbers)
            and all(abs(float(number)) <= 1000 for number in numbers)
        ):
            raise ValueError(text)
        return tuple(tuple(float(number) + 0.0 for number in row) for row in rows)  # no -0


@dataclass(frozen=True)
class Place:
    """A cell of one of the page's matrices, as matrix.row.column counted from 1; empty while the page chooses."""

    default: str = ""

    def write(self, value: str) -> str:
        """Write the place for a link."""
        return value

    def read(self, text: str) -> str:
        """Read the place; ValueError for anything else."""
        if not re.fullmatch(r"[A-Za-z_]{1,12}(\.([1-9]|1[0-2])){2}", text):
            raise ValueError(text)
        return text


@dataclass(frozen=True)
class Pairs:
    """Cells of a mask that the reader hid, as (query, key) counted from 1: 2.1_3.1."""

    most: int
    default: tuple[tuple[int, int], ...] = ()

    def write(self, value: tuple[tuple[int, int], ...]) -> str:
        """Write the cells for a link, in order."""
        return "_".join(f"{query}.{key}" for query, key in sorted(value))

    def read(self, text: str) -> tuple[tuple[int, int], ...]:
        """Read the cells; ValueError for anything else."""
        pairs = [re.fullmatch(r"([1-9][0-9]?)\.([1-9][0-9]?)", pair) for pair in text.split("_", self.most**2)]
        cells = sorted({(int(pair[1]), int(pair[2])) for pair in pairs if pair})
        if not all(pairs) or max(map(max, cells)) > self.most:
            raise ValueError(text)
        return tuple(cells)


@dataclass(frozen=True)
class Names:
    """Some of the names that a page lists, at most so many: d_k.seed; a page ignores those that it does not list."""

    most: int
    default: tuple[str, ...] = ()

    def write(self, value: Sequence[str]) -> str:
        """Write the names for a link."""
        return ".".join(value)

    def read(self, text: str) -> tuple[str, ...]:
        """Read the names; ValueError for anything else."""
        names = text.split(".", self.most)
        if len(names) > self.most or not all(NAME.fullmatch(name) for name in names):
            raise ValueError(text)
        return tuple(dict.fromkeys(names))


@dataclass(frozen=True)
class Code:
    """A code that the lab made itself: letters and digits; empty while there is none."""

    longest: int
    default: str = ""

    def write(self, value: str) -> str:
        """Write the code for a link."""
        return value

    def read(self, text: str) -> str:
        """Read the code; ValueError for anything else."""
        if not re.fullmatch(rf"[A-Za-z0-9]{{1,{self.longest}}}", text):
            raise ValueError(text)
        return text


@dataclass(frozen=True)
class PlanText:
    """What a teacher prepared: the name of a ready plan, or a plan of one's own as text; empty while there is none."""

    ready: tuple[str, ...]
    default: str = ""

    def write(self, value: str) -> str:
        """Write the plan for a link."""
        return value

    def read(self, text: str) -> str:
        """Read the plan's text; ValueError for what is none, or is damaged."""
        if text not in self.ready:
            plan.read(text)
        return text


@dataclass(frozen=True)
class Answers:
    """The predictions that the reader has made, each with its answer: spread.root_raw.0.97; no more than `most`."""

    most: int
    default: tuple[tuple[str, str], ...] = ()

    def write(self, value: tuple[tuple[str, str], ...]) -> str:
        """Write the answers for a link, in the order in which they were given."""
        return "_".join(f"{prediction}.{answer}" for prediction, answer in value)

    def read(self, text: str) -> tuple[tuple[str, str], ...]:
        """Read the answers; ValueError for anything else, also for two answers to one prediction."""
        pairs = text.split("_", self.most)
        found = [re.fullmatch(r"([a-z][a-z0-9]{1,11})\.([a-z0-9.-]{1,12})", pair) for pair in pairs]
        if not all(found) or len(found) > self.most or len({each[1] for each in found}) < len(found):
            raise ValueError(text)
        return tuple((each[1], each[2]) for each in found)


Kind = Whole | Decimal | Choice | Text | Numbers | Place | Pairs | Names | Code | PlanText | Answers
