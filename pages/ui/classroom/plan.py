"""A plan: steps that a teacher prepared, each a page with its experiment, written as one text that a link carries."""

import base64
import binascii
import json
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

MOST_STEPS = 20
LONGEST = 3000  # characters of a plan in a link
LARGEST = 20_000  # bytes of a plan unpacked
NAME = re.compile(r"[a-z][a-z0-9_]{0,23}")


@dataclass(frozen=True)
class Step:
    """One step of a plan: a page, its experiment in link form, and what the class does not see or cannot move."""

    page: str
    fields: dict[str, str] = field(default_factory=dict)  # as a link writes them; the others are as by default
    hide: tuple[str, ...] = ()  # controls (their fields) and results that are not drawn
    lock: tuple[str, ...] = ()  # controls that are drawn and cannot be moved
    free: bool = False  # whether a link may set what is hidden or locked


def write(steps: Sequence[Step]) -> str:
    """Write a plan as text of letters, digits, - and _.

    Examples
    --------
    >>> read(write([Step("scaling", {"d_k": "512"}, hide=("seed",))]))[0].fields
    {'d_k': '512'}
    """
    rows = [[step.page, step.fields, list(step.hide), list(step.lock), int(step.free)] for step in steps]
    packed = zlib.compress(json.dumps(rows, separators=(",", ":"), ensure_ascii=False).encode(), level=9)
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


@lru_cache(maxsize=64)
def read(text: str) -> tuple[Step, ...]:
    """Read a plan; ValueError for anything that `write` did not write, whatever its size once unpacked."""
    try:
        packed = base64.b64decode(text.encode("ascii") + b"=" * (-len(text) % 4), altchars=b"-_", validate=True)
        unpacking = zlib.decompressobj()
        raw = unpacking.decompress(packed, LARGEST)
        if len(text) > LONGEST or not unpacking.eof or unpacking.unused_data:
            raise ValueError("the plan is cut off or too long")
        rows = json.loads(raw)
    except (binascii.Error, zlib.error, UnicodeError, RecursionError) as problem:
        raise ValueError("the plan is damaged") from problem
    if not isinstance(rows, list) or not 1 <= len(rows) <= MOST_STEPS:
        raise ValueError(f"a plan has from 1 to {MOST_STEPS} steps")
    return tuple(map(step, rows))


def step(row: object) -> Step:
    """Read one step; ValueError for anything else."""
    match row:
        case [str(page), dict(fields), list(hide), list(lock), 0 | 1 as free]:
            names = [page, *fields, *hide, *lock]
            if all(isinstance(name, str) and NAME.fullmatch(name) for name in names) and all(
                isinstance(text, str) for text in fields.values()
            ):
                return Step(page, fields, tuple(hide), tuple(lock), bool(free))
    raise ValueError("a step of the plan is damaged")
