"""Random codes for rooms and voters: easy to read out, and of nobody."""

import os
import secrets
from hashlib import sha256
from itertools import cycle

ALPHABET = "3467cdfhjkmnpqrtvwxy"  # also in capitals no two look alike, and without vowels no code is a word


def draw_code() -> str:
    """Draw a room's code; behind a proxy its first letter says which process holds the room (`.deploy/`)."""
    return secrets.choice(os.environ.get("LAB_LETTERS") or ALPHABET) + draw(4)


def draw(length: int) -> str:
    """Draw a code that nobody can foretell."""
    return "".join(secrets.choice(ALPHABET) for _ in range(length))


def of_browser(code: str, cookie: str | None) -> str | None:
    """Return a voter's code that is the same whenever this browser enters this room, and tells nothing else.

    Streamlit's cookie against forged requests is a random number, under a mask that changes with every load.

    Examples
    --------
    >>> of_browser("cd347", "2|00000000|abcd|1") == of_browser("cd347", "2|ffff0000|5432|2") != None
    True
    """
    try:
        _, mask, masked, _ = (cookie or "").split("|")
        token = bytes(one ^ other for one, other in zip(bytes.fromhex(masked), cycle(bytes.fromhex(mask))))
    except (ValueError, TypeError):
        return None
    return sha256(f"{code} {token.hex()}".encode()).hexdigest()[:16] if token else None
