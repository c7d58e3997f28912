"""A reader of the lab's HTML that several test files share."""

from html.parser import HTMLParser

import pytest

VOID = {"col", "br", "img", "input", "hr", "wbr"}


class Element:
    """One element: its tag, attributes, children and text."""

    def __init__(self, tag, attributes):
        self.tag, self.attributes, self.children, self.pieces = tag, dict(attributes), [], []

    @property
    def classes(self):
        return set((self.attributes.get("class") or "").split())

    @property
    def text(self):
        return "".join(piece if isinstance(piece, str) else piece.text for piece in self.pieces)

    def all(self, tag, **attributes):
        """All elements below with a tag, a class (`_class`) and attributes."""
        wanted = attributes.pop("_class", None)
        return [
            found for child in self.children for found in [child, *child.all("*")]
            if tag in ("*", found.tag) and (wanted is None or wanted in found.classes)
            and all(found.attributes.get(name) == value for name, value in attributes.items())
        ]


class Reader(HTMLParser):
    """Builds the tree and refuses markup whose tags do not match."""

    def __init__(self):
        super().__init__()
        self.open = [Element("root", ())]

    def handle_starttag(self, tag, attributes):
        element = Element(tag, attributes)
        self.open[-1].children.append(element)
        self.open[-1].pieces.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag):
        assert self.open.pop().tag == tag, f"</{tag}> closes another element"

    def handle_data(self, data):
        self.open[-1].pieces.append(data)


@pytest.fixture(scope="session")
def tree():
    """Read HTML into a tree."""

    def read(html):
        reader = Reader()
        reader.feed(html)
        reader.close()
        assert len(reader.open) == 1, "an element is never closed"
        return reader.open[0]

    return read
