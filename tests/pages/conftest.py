"""Running pages without a browser: AppTest on app.py, then on the page asked for."""

import json
import re
from dataclasses import dataclass
from functools import cache
from html import unescape
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from pages.ui import frame
from pages.ui.contents import PAGES
from pages.ui.language import LANGUAGES, Language
from pages.ui.lessons import turns
from pages.ui.live.lead import read

ROOT = Path(__file__).parents[2]
SPEAKING = ("title", "subheader", "markdown", "latex", "warning", "info", "success", "error", "caption")


WRITTEN = re.compile(r'\[((?:\\.|[^\[\]\\])*)\]\(([^\s)]*)(?: "([^"]*)")?\)')  # label, address, hint

ICON = re.compile(r":material/(\w+):")


@dataclass(frozen=True)
class Link:
    """A link to a page of the lab, as a reader sees it."""

    label: str
    page: str
    carried: dict
    sets: tuple = ()
    hint: str = ""
    icon: str = ""


def written(text):
    """The links of the lab in a text."""
    found = [(label, led(address), hint) for label, address, hint in WRITTEN.findall(text)]
    icons = [(ICON.sub("", label).strip(), "".join(ICON.findall(label))) for label, _, _ in found]
    return [Link(label, *to, hint, icon) for (_, to, hint), (label, icon) in zip(found, icons, strict=True) if to]


def led(address):
    """The page that an address of the lab leads to, what it carries there, and the fields that it sets."""
    path, _, query = address.partition("?")
    carried, _, sets = query.partition("#")
    name = "home" if path == "./" else path
    return (name, dict(parse_qsl(carried)), tuple(filter(None, sets.split(",")))) if name in PAGES else None


class Lab:
    """One session on one page."""

    def __init__(self, name, **link):
        self.app = AppTest.from_file(ROOT / "app.py", default_timeout=120)
        if name != "home":
            self.app.switch_page(PAGES[name].script)
        for field, text in link.items():
            self.app.query_params[field] = text
        self.run()

    def run(self):
        """Run the script and demand that it ends well."""
        self.app.run()
        assert not self.app.exception, [e.value for e in self.app.exception]
        return self

    @property
    def link(self):
        """What the address bar says."""
        return {name: text if isinstance(text, str) else text[0] for name, text in self.app.query_params.items()}

    def state(self, name):
        return self.app.session_state[name]

    def words(self, kind):
        return [element.value for element in self.app.get(kind)]

    @property
    def elements(self):
        """The lab's own elements, but for those that watch the connection and the links."""
        return [each for each in self.app.main.get("bidi_component") if each.key not in ("again", "lead")]

    @property
    def html(self):
        """All tables of the main column; those of boards, too, with what stands in their inputs as text."""
        sent = [json.loads(block.proto.bytes or "{}") for block in self.app.main.get("bidi_component")]
        boards = [data.get(side, "") for data in sent for side in ("tables", "beside")]
        html = "".join([*(block.proto.body for block in self.app.main.get("html")), *boards])
        return re.sub(r'<input value="([^"]*)"[^>]*>', r"\1", html)

    def links(self, where="main"):
        """The links to pages, in the order of the page: of its main column, or of the sidebar."""
        block, found = getattr(self.app, where), []
        for element in block:
            if element.type == "markdown":
                found += written(element.value)
        return found

    def offered(self, row):
        """The links of a row of experiments, "tries" or "predictions"."""
        heads = {f"**{Language(lang)({'tries': 'Try', 'predictions': 'Predict first'}[row])}** " for lang in LANGUAGES}
        rows = "\n\n".join(self.words("markdown")).split("\n\n")
        return [link for text in rows if text.startswith(tuple(heads)) for link in written(text)]

    def follow(self, link):
        """Click a link: within its page the browser would send its address."""
        if link.sets:
            sent = [read(f"?{urlencode(link.carried)}#{','.join(link.sets)}")]
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(frame, "lead", lambda _: sent.pop() if sent else {})
                return self.run()
        self.app.switch_page(PAGES[link.page].script)
        self.app.query_params.clear()
        for field, text in link.carried.items():
            self.app.query_params[field] = text
        return self.run()

    @property
    def says(self):
        """Everything that the page says, without marks and tags, one no-break space as one space."""
        words = [text for kind in SPEAKING for text in self.words(kind)]
        words += [button.label for button in self.app.button] + [re.sub(r"<[^>]+>", " ", self.html)]
        words = [WRITTEN.sub(r"\1", text) for text in words]
        text = unescape("\n".join(words)).replace("**", "").replace("\N{NO-BREAK SPACE}", " ")
        return re.sub(r"[ \t]+", " ", text)

    def table(self, name):
        """The cells of a matrix, row by row, as the page writes them."""
        found = re.search(rf'data-testid="(?:matrix|keys)-{name}".*?<tbody>(.*?)</tbody>', self.html, re.DOTALL)
        rows = re.findall(r"<tr.*?</tr>", found[1], re.DOTALL)
        cells = [re.findall(r'<td class="(?:cell|figure)[^>]*>(.*?)</td>', row, re.DOTALL) for row in rows]
        return [[unescape(re.sub(r"<[^>]+>", "", cell)) for cell in row] for row in cells]

    def unfold(self, key):
        """Open a folded part that is drawn only when it is open."""
        self.app.session_state[key] = True
        return self.run()

    def press(self, key):
        self.app.button(key=key).click()
        return self.run()

    def try_out(self, number):
        """Click one of the experiments worth a try, counted from 0."""
        return self.follow(self.offered("tries")[number])

    def choose(self, key, value):
        """Choose one option of a segmented control."""
        control, = [group for group in self.app.get("button_group") if group.key == key]
        control.set_value(value)
        return self.run()

    def slide(self, key, value):
        self.app.slider(key=key).set_value(value)
        return self.run()


@pytest.fixture(scope="session", autouse=True)
def one_scan():
    """AppTest looks through all installed packages for components whenever a page opens: once is enough."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests))
        yield


@pytest.fixture
def lab():
    """Open a page in a session of its own: lab("scaling", lang="id", d_k="128")."""
    return Lab


@pytest.fixture(autouse=True)
def nobody_waits():
    """No session of another test stands in a queue."""
    turns.turns.clear()
