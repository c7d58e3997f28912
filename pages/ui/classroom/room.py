"""One room of a class poll: how it stands, what became of an answer, and what it holds while it is open."""

import secrets
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import blake2b


class Outcome(StrEnum):
    """What became of an answer."""

    COUNTED = "counted"
    CHANGED = "changed"  # counted before, with another text
    ALREADY = "already"  # counted before, with this text
    REVEALED = "revealed"
    MOVED = "moved"  # it answers another prediction than the room asks by now
    FULL = "full"
    OVER = "over"
    UNKNOWN = "unknown"
    REFUSED = "refused"  # no text that a prediction takes, or no voter's code


class Status(StrEnum):
    """How a room stands."""

    OPEN = "open"
    REVEALED = "revealed"
    OVER = "over"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Room:
    """What the one who opens a room gets: the code for everybody, and the secret that only the teacher has."""

    code: str
    host: str


@dataclass(frozen=True)
class Snapshot:
    """A room at one moment; `answers` are sorted, so that their order tells nothing about who gave them."""

    status: Status
    prediction: str = ""
    round: int = 0
    answers: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """Return how many have answered."""
        return len(self.answers)

    @property
    def revealed(self) -> bool:
        """Say whether the teacher has shown the result."""
        return self.status is Status.REVEALED

    @property
    def mark(self) -> tuple[int, Status]:
        """Return what differs when a student's page has to be drawn anew; another answer is no reason."""
        return self.round, self.status


@dataclass
class Open:
    """An open room as it changes; only Rooms touches it, and only under its lock."""

    host: str
    prediction: str
    used: float
    seen: float  # when its teacher's screen looked last
    lived: bool = False  # somebody answered, or its teacher revealed or went on
    round: int = 1
    revealed: bool = False
    answers: dict[bytes, str] = field(default_factory=dict)
    salt: bytes = field(default_factory=lambda: secrets.token_bytes(16))

    def use(self, now: float) -> None:
        """Note that something happened here."""
        self.used, self.lived = now, True

    def who(self, voter: str) -> bytes:
        """Return a voter's key: of no use in another room, and no way back to the voter's code."""
        return blake2b(voter[:64].encode(errors="replace"), key=self.salt, digest_size=16).digest()
