"""QR codes of links: as an SVG image for a screen, as PNG or SVG for a sheet. Dark on white in either scheme."""

import base64
import io
from html import escape

import segno

LONGEST = 1200  # bytes: with more, no phone reads the code from the back of a room
QUIET = 4  # modules of white around it, as the standard wants


def fits(text: str) -> bool:
    """Say whether a text is short enough to be read from a screen.

    Examples
    --------
    >>> fits("https://lab.example/classroom?room=cd347"), fits("x" * 1201)
    (True, False)
    """
    return 1 <= len(text.encode()) <= LONGEST


def code(text: str) -> segno.QRCode:
    """Make the code; a quarter of a short one may be hidden, and of a long one less, for the sake of larger modules."""
    if not fits(text):
        raise ValueError(f"a QR code takes from 1 to {LONGEST} bytes; the text has {len(text.encode())}")
    return segno.make_qr(text, error="q" if len(text) <= 100 else "l", boost_error=True)


def inline(text: str, alt: str) -> str:
    """Return the code as an image element that holds its own SVG; `alt` says what it leads to.

    Examples
    --------
    >>> inline("https://lab.example", "to the <lab>")[:75]
    '<img class="lab-qr" alt="to the &lt;lab&gt;" src="data:image/svg+xml;base64'
    """
    drawing = base64.b64encode(svg(text)).decode()  # st.html drops an SVG that stands in the page itself
    return f'<img class="lab-qr" alt="{escape(alt)}" src="data:image/svg+xml;base64,{drawing}">'


def png(text: str, scale: int = 12) -> bytes:
    """Return the code as a PNG file, so many pixels to a module."""
    file = io.BytesIO()
    code(text).save(file, kind="png", scale=scale, border=QUIET, light="#fff", dark="#000")
    return file.getvalue()


def svg(text: str) -> bytes:
    """Return the code as an SVG file, three millimetres to a module until somebody scales it."""
    file = io.BytesIO()
    code(text).save(file, kind="svg", scale=3, unit="mm", border=QUIET, light="#fff", dark="#000")
    return file.getvalue()
