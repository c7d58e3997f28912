"""Class polls in this process's memory: which rooms are open, what each asks, and one answer per voter."""

import hmac
import re
import secrets
import time
from collections.abc import Callable
from hashlib import blake2b
from threading import Lock

from pages.ui.classroom.codes import draw, draw_code
from pages.ui.classroom.room import Open, Outcome, Room, Snapshot, Status

LIFE = 3 * 60 * 60  # seconds from a room's last use to its end
EMPTY = 10 * 60  # seconds from the last look of its teacher to the end of a room in which nothing happened
AWAY = 10.0  # seconds without a look, then the teacher's tab is closed: it looks every second
MOST_ROOMS = 50
MOST_VOTERS = 500  # in one round
REMEMBERED = 500  # rooms that are over, so that a late student is told so
VOTER = re.compile(r"[A-Za-z0-9_-]{8,32}")
ANSWER = re.compile(r"[a-z0-9.-]{1,12}")
PREDICTION = re.compile(r"[a-z0-9_-]{1,24}")


class Rooms:
    """All rooms of one process; safe to use from every session's thread at once.

    Parameters
    ----------
    clock : callable, default time.monotonic
        Seconds that never go back.
    life : float
        Seconds from a room's last use (an answer, or a step of the teacher) to its end.
    most_rooms, most_voters : int
        Bounds. Only a room in which nothing happened and whose teacher is away ends early to make place for another.

    Examples
    --------
    >>> rooms = Rooms()
    >>> room = rooms.open("saturation")
    >>> rooms.answer(room.code, "voter-one", "rises"), rooms.answer(room.code, "voter-one", "falls")
    (<Outcome.COUNTED: 'counted'>, <Outcome.CHANGED: 'changed'>)
    >>> rooms.reveal(room.code, "a guess"), rooms.reveal(room.code, room.host)
    (False, True)
    >>> rooms.state(room.code).answers
    ('falls',)
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        life: float = LIFE,
        most_rooms: int = MOST_ROOMS,
        most_voters: int = MOST_VOTERS,
    ):
        self._clock, self._life, self._most_rooms, self._most_voters = clock, life, most_rooms, most_voters
        self._lock = Lock()
        self._secret = secrets.token_bytes(32)
        self._rooms: dict[bytes, Open] = {}
        self._over: dict[bytes, None] = {}  # in the order of their ends

    def open(self, prediction: str) -> Room | None:
        """Open a room that asks a prediction; None while as many rooms are open as this process holds."""
        refuse(prediction)
        with self._lock:
            self._make_place()
            if len(self._rooms) >= self._most_rooms:
                return None
            room = Room(draw_code(), draw(24))
            while (key := self._key(room.code)) in self._rooms.keys() | self._over.keys():
                room = Room(draw_code(), room.host)
            now = self._clock()
            self._rooms[key] = Open(room.host, prediction, used=now, seen=now)
            return room

    def answer(self, code: str, voter: str, text: str, prediction: str | None = None) -> Outcome:
        """Count a voter's answer, once; until the reveal another text takes its place.

        Parameters
        ----------
        code, voter, text : str
            The room, the voter's own random code, and the answer: 1 to 12 of a-z, 0-9, point and minus.
        prediction : str, optional
            What the voter was asked: an answer that comes late does not count for the next prediction.
        """
        if not (ANSWER.fullmatch(text) and VOTER.fullmatch(voter)):
            return Outcome.REFUSED
        with self._lock:
            room = self._find(code)
            if room is None or room.revealed or prediction not in (None, room.prediction):
                return self._why_not(code, room, prediction)
            who = room.who(voter)
            before = room.answers.get(who)
            if before is None and len(room.answers) >= self._most_voters:
                return Outcome.FULL
            room.answers[who] = text
            room.use(self._clock())
        return Outcome.COUNTED if before is None else Outcome.ALREADY if before == text else Outcome.CHANGED

    def answer_of(self, code: str, voter: str) -> str | None:
        """Return what a voter has answered in this round, None for nothing."""
        with self._lock:
            room = self._find(code)
            return room.answers.get(room.who(voter)) if room else None

    def state(self, code: str) -> Snapshot:
        """Return how a room stands. To look is no use: a forgotten screen keeps no room open."""
        with self._lock:
            room = self._find(code)
            if room is None:
                return Snapshot(Status.OVER if self._key(code) in self._over else Status.UNKNOWN)
            status = Status.REVEALED if room.revealed else Status.OPEN
            return Snapshot(status, room.prediction, room.round, tuple(sorted(room.answers.values())))

    def is_host(self, code: str, host: str) -> bool:
        """Say whether a secret is the room's own."""
        with self._lock:
            return self._hosted(code, host) is not None

    def look(self, code: str, host: str) -> bool:
        """Say that the teacher's screen is on, which keeps an empty room. False without the right secret."""
        with self._lock:
            if room := self._hosted(code, host):
                room.seen = self._clock()
        return room is not None

    def reveal(self, code: str, host: str) -> bool:
        """Show the result: no answer counts or changes from now on. False without the right secret."""
        with self._lock:
            if room := self._hosted(code, host):
                room.revealed = True
                room.use(self._clock())
        return room is not None

    def ask(self, code: str, host: str, prediction: str) -> bool:
        """Go on to another prediction, or ask the same anew, with no answers yet. False without the right secret."""
        refuse(prediction)
        with self._lock:
            if room := self._hosted(code, host):
                room.prediction, room.revealed, room.answers = prediction, False, {}
                room.round += 1
                room.use(self._clock())
        return room is not None

    def close(self, code: str, host: str) -> bool:
        """End a room and forget its answers. False without the right secret."""
        with self._lock:
            if room := self._hosted(code, host):
                self._end(self._key(code))
        return room is not None

    def _key(self, code: str) -> bytes:
        """Return a code's key: how long a look-up takes says nothing about the codes that exist."""
        return blake2b(code[:64].strip().lower().encode(errors="replace"), key=self._secret, digest_size=16).digest()

    def _find(self, code: str) -> Open | None:
        key = self._key(code)
        if key in self._rooms and self._is_over(self._rooms[key]):
            self._end(key)
        return self._rooms.get(key)

    def _is_over(self, room: Open) -> bool:
        now = self._clock()
        return now - room.used > self._life or not room.lived and now - room.seen > EMPTY

    def _hosted(self, code: str, host: str) -> Open | None:
        room = self._find(code)
        return room if room and hmac.compare_digest(room.host.encode(), host.encode(errors="replace")) else None

    def _why_not(self, code: str, room: Open | None, prediction: str | None) -> Outcome:
        if room is None:
            return Outcome.OVER if self._key(code) in self._over else Outcome.UNKNOWN
        return Outcome.REVEALED if prediction in (None, room.prediction) else Outcome.MOVED

    def _make_place(self) -> None:
        """End what is over; if all are taken still, the empty room whose teacher has been away for longest."""
        for key in [key for key, room in self._rooms.items() if self._is_over(room)]:
            self._end(key)
        since = self._clock() - AWAY
        empty = [key for key, room in self._rooms.items() if not room.lived and room.seen < since]
        if empty and len(self._rooms) >= self._most_rooms:
            self._end(min(empty, key=lambda key: self._rooms[key].seen))

    def _end(self, key: bytes) -> None:
        del self._rooms[key]
        self._over[key] = None
        if len(self._over) > REMEMBERED:
            del self._over[next(iter(self._over))]


def refuse(prediction: str) -> None:
    """Refuse what can be no prediction's id."""
    if not PREDICTION.fullmatch(prediction):
        raise ValueError(f"a prediction's id has 1 to 24 of a-z, 0-9, _ and -; got {prediction[:60]!r}")
