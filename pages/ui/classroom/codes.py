"""Random codes for rooms and voters: easy to read out, and of nobody."""

import hmac
import os
import secrets
from hashlib import sha256
from itertools import cycle

ALPHABET = "3467cdfhjkmnpqrtvwxy"  # also in capitals no two look alike, and without vowels no code is a word
SECRET = (os.environ.get("STREAMLIT_SERVER_COOKIE_SECRET") or secrets.token_hex()).encode()  # one behind a proxy
DRAWN = 9  # characters of a voter's code that are drawn; the others sign them


def draw_code() -> str:
    """Draw a room's code; behind a proxy its first letter says which process holds the room (`.deploy/`)."""
    return secrets.choice(os.environ.get("LAB_LETTERS") or ALPHABET) + draw(4)


def draw(length: int) -> str:
    """Draw a code that nobody can foretell."""
    return "".join(secrets.choice(ALPHABET) for _ in range(length))


def draw_voter(code: str, cookie: str | None = None) -> str:
    """Draw a voter's code for a room: that of the browser, else a fresh one.

    >>> voter = draw_voter("cd347")
    >>> len(voter), is_voter("cd347", voter), is_voter("cd346", voter), is_voter("cd347", "zz00000000000001")
    (16, True, False, False)
    """
    return of_browser(code, cookie) or sign(code, draw(DRAWN))


def is_voter(code: str, voter: str) -> bool:
    """Say whether the lab drew a voter's code for this room: what somebody made up counts for nothing."""
    return hmac.compare_digest(sign(code, voter[:DRAWN]).encode(), voter.encode(errors="replace"))


def sign(code: str, drawn: str) -> str:
    """Sign what was drawn for a room: seven hexadecimal digits that nobody without the secret can tell."""
    said = f"voter {code} {drawn}".encode(errors="replace")
    return drawn + hmac.new(SECRET, said, "sha256").hexdigest()[: 16 - DRAWN]


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
    return sign(code, sha256(f"{code} {token.hex()}".encode()).hexdigest()[:DRAWN]) if token else None
