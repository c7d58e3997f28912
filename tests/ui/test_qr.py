"""QR codes: what stands in the picture is the link, module by module, in SVG and in PNG, with white around it."""

import base64
import doctest
import re
import struct
import xml.etree.ElementTree as ET
import zlib

import numpy as np
import pytest
import segno
from hypothesis import given, settings
from hypothesis import strategies as st

from pages.ui.classroom import qr

SVG = "{http://www.w3.org/2000/svg}"
LINK = "https://lab.example/classroom?room=cd347&lang=id"
links = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=300)


def modules(text):
    """What the standard puts in the picture: dark modules, with the quiet zone around them."""
    return np.pad(np.array(qr.code(text).matrix, dtype=bool), qr.QUIET)


def of_svg(path, size):
    """Read the dark modules of a path of horizontal strokes."""
    dark, x, y = np.zeros((size, size), dtype=bool), 0, -0.5
    for letter, numbers in re.findall(r"([Mmh])([^Mmh]*)", path):
        values = [float(number) for number in re.findall(r"-?\d*\.?\d+", numbers)]
        if letter == "h":
            dark[int(y), int(x) : int(x + values[0])] = True
            x += values[0]
        else:
            x, y = values if letter == "M" else (x + values[0], y + values[1])
    return dark


def of_png(data):
    """Read a black and white PNG, each of whose lines is either itself (filter 0) or added to the one above (2)."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, at = {}, 8
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        name = data[at + 4 : at + 8]
        chunks[name] = chunks.get(name, b"") + data[at + 8 : at + 8 + length]
        at += 12 + length
    width, height, depth, colour = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
    assert (depth, colour) == (1, 0), "black and white"
    lines = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, -1).copy()
    for row in range(height):
        assert lines[row, 0] in (0, 2)
        if lines[row, 0] == 2:
            lines[row, 1:] += lines[row - 1, 1:]
    return np.unpackbits(lines[:, 1:], axis=1)[:, :width] == 0


def test_the_examples_hold():
    results = doctest.testmod(qr)
    assert results.attempted == 2 and results.failed == 0


@settings(max_examples=20, deadline=None)
@given(links)
def test_svg_and_png_show_the_same_code_module_by_module(text):
    expected = modules(text)
    size = len(expected)
    drawing = ET.fromstring(qr.svg(text))
    assert drawing.tag == f"{SVG}svg" and drawing.get("viewBox") == f"0 0 {3 * size} {3 * size}"
    assert drawing.get("width") == drawing.get("height") == f"{3 * size}mm"
    (group,) = drawing.findall(f"{SVG}g")
    white, dark = group.findall(f"{SVG}path")
    assert group.get("transform") == "scale(3)"
    assert white.get("fill") == "#fff" and white.get("d") == f"M0 0h{size}v{size}h-{size}z", "white in dark mode, too"
    assert dark.get("stroke") == "#000" and np.array_equal(of_svg(dark.get("d"), size), expected)
    assert np.array_equal(of_png(qr.png(text, scale=3)), expected.repeat(3, axis=0).repeat(3, axis=1))


def test_the_code_is_the_links_own():
    """The same modules as the maker's for this text and level, others for another text."""
    found = modules(LINK)[qr.QUIET : -qr.QUIET, qr.QUIET : -qr.QUIET]
    assert np.array_equal(found, np.array(segno.make_qr(LINK, error="q").matrix, dtype=bool))
    assert not np.array_equal(modules(LINK), modules(LINK.replace("cd347", "cd346")))
    finder = np.array([[1] * 7, [1, 0, 0, 0, 0, 0, 1], *[[1, 0, 1, 1, 1, 0, 1]] * 3, [1, 0, 0, 0, 0, 0, 1], [1] * 7])
    for corner in (found[:7, :7], found[:7, -7:], found[-7:, :7]):
        assert np.array_equal(corner, finder)


def test_four_modules_around_it_stay_white():
    assert qr.QUIET == 4
    dark = of_png(qr.png(LINK, scale=1))
    inner = dark[4:-4, 4:-4]
    assert dark.sum() == inner.sum() and inner[0].any() and inner[:, 0].any()


def test_a_short_link_bears_more_damage_than_a_long_one():
    assert qr.code(LINK).error in "QH" and qr.code(LINK).version <= 6
    assert qr.code("x" * qr.LONGEST).version <= 25, "a long one keeps its modules large"


@pytest.mark.parametrize("alt", ['to "the" <lab> & on', "<script>alert(1)</script>"])
def test_the_element_is_an_image_that_holds_the_file_and_says_where_it_leads(tree, alt):
    (image,) = tree(qr.inline(LINK, alt)).children
    kind, _, held = image.attributes["src"].partition(",")
    assert image.tag == "img" and image.classes == {"lab-qr"} and image.attributes["alt"] == alt
    assert kind == "data:image/svg+xml;base64" and base64.b64decode(held) == qr.svg(LINK)


def test_nothing_of_the_link_stands_in_the_drawing_as_markup():
    drawing = qr.svg('https://lab.example/?a="><script>').decode()
    assert "script" not in drawing and "lab.example" not in drawing


@pytest.mark.parametrize("text", ["", "x" * (qr.LONGEST + 1), "ü" * (qr.LONGEST // 2 + 1)])
def test_what_no_phone_could_read_is_refused(text):
    assert not qr.fits(text)
    with pytest.raises(ValueError, match=f"a QR code takes from 1 to {qr.LONGEST} bytes; the text has"):
        qr.code(text)
