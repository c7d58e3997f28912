"""The live element frame by frame: one d_k in all its parts, the core's numbers, one message, nothing that jumps."""

import base64
import os
from pathlib import Path

import numpy as np
import pytest

from attention_core.draws import divisors, nested_draw
from attention_core.saturation import saturation, seed_band
from pages.ui.language import Language
from pages.ui.live.keep import keep_file, part
from pages.ui.live.payload import ONE, payload, rounded, short_codes, weight_codes
from pages.ui.live.words import SENTENCES

ROOT = Path(__file__).parents[2]
RANGE, PICTURE, PLAY = "[data-testid=live-dk]", "[data-testid=live-picture]", "[data-testid=live-play]"
NBSP, MINUS = "\N{NO-BREAK SPACE}", "\N{MINUS SIGN}"
PHONE, LAPTOP, PROJECTOR = (390, 844), (1280, 800), (1920, 1080)
FREE = 5.0

# a page with nothing but the element and what may happen to it
SCRIPT = """
import json

import streamlit as st
from attention_core.draws import divisors, nested_draw
from attention_core.saturation import saturation, seed_band
from pages.ui import share, theme
from pages.ui.language import Language
from pages.ui.live.payload import payload
from pages.ui.live.saturation import saturation_element

share.adopt("page", (), "en")
st.set_page_config(layout="wide")
st.html(theme.stylesheet())
_ = Language(share.value("lang"))
st.title("Live")
with st.container(horizontal=True):
    st.button("64", key="to_64", on_click=share.choose, kwargs={"d_k": 64})
    st.button("512", key="to_512", on_click=share.choose, kwargs={"d_k": 512})
    st.button("seed", key="seed_7", on_click=share.choose, kwargs={"seed": 7})
    for keys in (2, 3, 8, 12, 64):
        st.button(f"keys {keys}", key=f"keys_{keys}", on_click=share.choose, kwargs={"keys": keys})
    for divisor in ("none", "sqrt_d_k", "d_k", "cosine", "free"):
        st.button(f"by {divisor}", key=f"by_{divisor}", on_click=share.choose, kwargs={"divisor": divisor})
seed, keys, divisor = share.value("seed"), share.value("keys"), share.value("divisor")
draw = nested_draw(seed, n_keys=keys)
band = st.cache_data(seed_band)(40, keys, divisor=divisor, value=5.0)
drawn = payload(_, saturation(draw, divisor, 5.0), band, seed, divisor, divisors(draw, divisor, 5.0))
saturation_element(_, json.dumps(drawn).encode())
st.html(f"<p data-testid='held'>{share.value('d_k')}</p>")
"""

# window.live: the first element below the document that a selector matches, open shadow roots included
FIND = """window.live = css => { const walk = root => { for (const e of root.querySelectorAll('*')) {
  if (e.matches(css)) return e; const found = e.shadowRoot && walk(e.shadowRoot); if (found) return found; } };
  return walk(document); };"""

# window.look: all that the element shows now. window.frames: what every frame showed once its callbacks had run.
WATCH = """() => {
  const root = live('[data-testid=live-picture]').getRootNode(), one = css => root.querySelector(css);
  const text = css => one(css).textContent, all = css => [...root.querySelectorAll(css)].map(e => e.textContent);
  window.look = () => ({
    d_k: text('.value .hole'), position: Number(one('input').value), says: one('input').getAttribute('aria-valuetext'),
    sentence: text('.sentence p'), label: one('[data-testid=live-picture]').getAttribute('aria-label'),
    raw: all('.figure.raw'), scaled: all('.figure.scaled'), spread: text('.facts .strong'),
    largest: [text('.head.raw .hole.raw'), text('.head.scaled .hole.scaled')],
    here: [...root.querySelectorAll('.scores .row')].findIndex(e => e.classList.contains('here')),
    cursor: one('.cursor').style.transform, bar: one('.weights .row.here .bar.raw').style.clipPath });
  window.frames_shown = [];
  const channel = new MessageChannel(); channel.port1.onmessage = () => window.frames_shown.push(look());
  const tick = () => { requestAnimationFrame(tick); channel.port2.postMessage(0); };
  tick(); }"""


@pytest.fixture(scope="session")
def live_server(new_server, tmp_path_factory):
    folder = tmp_path_factory.mktemp("live")
    (folder / "app.py").write_text(SCRIPT)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT), prepend=os.pathsep)
        with new_server(folder=folder) as server:
            yield server
            assert server.faults() == []


class Live:
    """The element on a page, and how many messages the page has sent."""

    def __init__(self, tab):
        self.tab, self.page, self.sent = tab, tab.page, 0
        self.page.on("websocket", lambda socket: socket.on("framesent", self.count))
        self.page.add_init_script(FIND)

    def count(self, _):
        self.sent += 1

    def look(self):
        return self.page.evaluate("look()")

    def frames(self):
        """What the frames so far have shown, one for every d_k."""
        return {frame["d_k"]: frame for frame in self.page.evaluate("frames_shown")}

    def point(self, octave):
        """Where the thumb's centre is at a position of the log2 scale."""
        box = self.page.locator(RANGE).bounding_box()
        thumb = self.page.evaluate("parseFloat(getComputedStyle(live('input')).height)")
        return box["x"] + thumb / 2 + (box["width"] - thumb) * octave / 9, box["y"] + box["height"] / 2

    def grab(self, octave=6):
        self.page.mouse.move(*self.point(octave))
        self.page.mouse.down()

    def drag(self, *octaves):
        """Move the finger, and let every place be painted."""
        for octave in octaves:
            self.page.mouse.move(*self.point(octave))
            self.page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def release(self):
        self.page.mouse.up()
        return self

    def holds(self, d_k):
        """Wait until Python holds a d_k and the page stands still."""
        self.tab.until("d_k => document.querySelector('[data-testid=held]')?.textContent === String(d_k)", d_k)
        return True

    def shows(self, d_k):
        self.page.wait_for_function("d_k => look().d_k === d_k", arg=str(d_k), polling="raf")
        return True

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def click(self, name):
        self.page.locator(f".st-key-{name} button").click()

    def resize(self, size):
        """Another window, whose first frame is painted."""
        self.page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
        self.page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        self.tab.drawn(100)


@pytest.fixture
def open_live(visitor, live_server):
    """Open the page that holds the element: open_live(PHONE, d_k=8, lang="id")."""

    def open_(size=LAPTOP, **link):
        live = Live(visitor(*size, at=live_server))
        live.tab.go("home", **link)
        live.page.locator(PICTURE).wait_for()
        live.page.evaluate(WATCH)
        return live

    return open_


def expected(d_k, _, seed=0, n_keys=8, divisor="sqrt_d_k"):
    """What the element must show at one d_k, from the core and the language alone."""
    draw = nested_draw(seed, n_keys=n_keys)
    found, by = saturation(draw, divisor, FREE), divisors(draw, divisor, FREE)[d_k - 1]
    raw, scaled = found.weights_raw[d_k - 1], found.weights_scaled[d_k - 1]
    winner, spreads = int(raw.argmax()), (found.spread_raw[d_k - 1], found.spread_scaled[d_k - 1])
    sentence = _(
        SENTENCES[divisor], d_k=d_k, winner="WINNER", raw=_.weight(raw.max()),
        rest=_.weight(np.delete(raw, winner).sum()), root=_.short(by.min()), root_high=_.short(by.max()),
        scaled=_.weight(scaled.max()), smallest=_.weight(scaled.min()), equal=_.weight(1 / n_keys),
    )
    seen = sentence.replace("dₖ", "dk").replace(" = ", f"{NBSP}={NBSP}")
    return {
        "d_k": str(d_k),
        "says": f"d_k = {d_k}",
        "sentence": seen.replace("WINNER", f"k{winner + 1}"),
        "label": sentence.replace("dₖ", "d_k").replace("WINNER", str(winner + 1)),
        "raw": [_.weight(weight) for weight in raw],
        "scaled": [_.weight(weight) for weight in scaled],
        "largest": [_.weight(raw.max()), _.weight(scaled.max())],
        "here": winner,
        "spread": " → ".join(_.number(spread, 2) for spread in spreads),
    }


def assert_true(frame, _, **setting):
    """A frame shows one d_k in all its parts, with the core's numbers."""
    d_k = int(frame["d_k"])
    truth = expected(d_k, _, **setting)
    assert frame["spread"].endswith(truth.pop("spread"))
    assert {name: frame[name] for name in truth} == truth
    assert frame["position"] == pytest.approx(np.log2(d_k), abs=1e-9)
    shift = float(frame["cursor"].removeprefix("translateX(").removesuffix("%)"))
    assert shift == pytest.approx(100 * np.log2(d_k) / 9, abs=1e-3)
    # the bar is as long as the figure beside it says
    weight = float(frame["largest"][0].replace(",", ".").strip("<>"))
    assert 100 - float(frame["bar"].split()[1].rstrip("%")) == pytest.approx(100 * weight, abs=0.011)


# ------------------------------------------------------------------------------------------------------------ finger


@pytest.mark.parametrize("lang", ["en", "id"])
def test_every_frame_of_a_drag_is_true_and_only_the_release_is_sent(open_live, lang):
    live = open_live(lang=lang)
    live.grab()
    sent = live.sent
    live.drag(*np.linspace(6, 0, 30), *np.linspace(0, 9, 60))
    frames = live.frames()
    assert live.sent == sent and len(frames) > 40 and {"1", "512"} <= frames.keys()
    for frame in frames.values():
        assert_true(frame, Language(lang))
    live.drag(5)
    assert live.release().holds(32) and live.sent == sent + 1
    live.tab.healthy()


def test_two_events_in_one_frame_are_one_picture_in_that_frame(open_live):
    seen = open_live().page.evaluate("""() => new Promise(done => requestAnimationFrame(() => {
      const range = live('input'), seen = [];
      range.dispatchEvent(new PointerEvent('pointerdown'));
      for (const octave of [3, 4]) { range.value = octave; range.dispatchEvent(new Event('input')); }
      seen.push(look().d_k);
      requestAnimationFrame(() => { seen.push(look().d_k, look().says); done(seen); }); }))""")
    assert seen == ["64", "16", "d_k = 16"]


def test_the_cursor_stands_under_the_thumb(open_live):
    live, octave = open_live(d_k=5), np.log2(5)
    for size in (PHONE, LAPTOP, PROJECTOR):
        live.resize(size)
        live.grab(octave)
        for octave, d_k in ((0, 1), (1, 2), (4, 16), (8, 256), (9, 512)):
            live.drag(octave)
            cursor = live.page.evaluate("live('.cursor').getBoundingClientRect().x - live('.fill').parentNode"
                                        ".getBoundingClientRect().x + live('.track').getBoundingClientRect().x")
            assert live.look()["d_k"] == str(d_k), size
            assert cursor == pytest.approx(live.point(octave)[0], abs=1), size
        assert live.release().holds(512)


def test_every_divisor_and_any_number_of_keys_has_its_true_picture(open_live):
    live, _, octave = open_live(divisor="cosine", seed=3, keys=64, lang="id"), Language("id"), 6
    settings = [("cosine", 64), ("cosine", 8), ("none", 8), ("sqrt_d_k", 8), ("d_k", 8), ("d_k", 2), ("free", 2),
                ("free", 12)]
    for divisor, n_keys in settings:
        truth = expected(int(live.look()["d_k"]), _, seed=3, n_keys=n_keys, divisor=divisor)
        live.click(f"by_{divisor}")
        live.click(f"keys_{n_keys}")
        live.page.wait_for_function("said => look().sentence === said", arg=truth["sentence"], polling="raf")
        live.tab.drawn(100)
        live.page.evaluate("frames_shown.length = 0")
        live.grab(octave)
        live.drag(0, 2.3, 4.6, 6.9, octave := 15 - octave)
        frames = live.frames().values()
        assert len(frames) >= 5
        for frame in frames:
            assert_true(frame, _, seed=3, divisor=divisor, n_keys=n_keys)
        assert live.release().holds(2**octave)


# -------------------------------------------------------------------------------------------------------------- keys


def test_keys_stop_at_the_ends(open_live):
    live = open_live()
    live.page.locator(RANGE).focus()
    for key, d_k in (("PageUp", 128), ("End", 512), ("ArrowRight", 512), ("PageUp", 512), ("ArrowDown", 511),
                     ("Home", 1), ("ArrowLeft", 1), ("PageDown", 1), ("ArrowUp", 2)):
        live.press(key)
        assert live.shows(d_k) and live.look()["says"] == f"d_k = {d_k}"
    assert live.holds(2)


def test_a_held_arrow_key_is_one_message_and_keeps_the_focus(open_live):
    live = open_live()
    live.page.locator(RANGE).focus()
    sent = live.sent
    live.press(*20 * ["ArrowRight"])
    assert live.holds(84) and live.sent == sent + 1
    assert live.page.evaluate("live('input').matches(':focus')")
    live.press("ArrowRight")
    assert live.holds(85) and live.sent == sent + 2
    assert_true(live.look(), Language("en"))


def test_a_screen_reader_hears_the_sentence_once_the_slider_has_come_to_rest(open_live):
    live = open_live()
    status = "live('.live [role=status]').textContent"
    live.grab()
    live.drag(5, 4)
    assert live.page.evaluate(status) == ""
    assert live.release().holds(16)
    assert live.page.evaluate(status) == live.look()["label"] != ""
    assert live.page.locator(PICTURE).get_attribute("role") == "img"
    assert live.page.locator(RANGE).get_attribute("aria-label") == Language("en")("dₖ, dimensions of q and k")


# ------------------------------------------------------------------------------------------------------------ Python


def test_the_element_follows_python_again_and_again(open_live):
    """Also to a value that it showed before, or that it sent last itself."""
    live = open_live()
    for name, d_k in (("to_512", 512), ("to_64", 64), ("to_512", 512)):
        live.click(name)
        assert live.holds(d_k) and live.shows(d_k)
    live.grab(9)
    live.drag(3)
    assert live.release().holds(8)
    live.click("to_512")
    assert live.holds(512) and live.shows(512)
    live.grab(9)
    live.drag(3)
    assert live.release().holds(8)
    live.click("to_64")
    assert live.holds(64) and live.shows(64)
    live.tab.healthy()


def test_new_data_wait_for_no_finger_and_move_none(open_live):
    live, _ = open_live(), Language("en")
    live.grab()
    live.drag(5, 4)
    live.page.evaluate("document.querySelector('.st-key-seed_7 button').click()")
    live.page.wait_for_function("said => look().sentence === said", arg=expected(16, _, seed=7)["sentence"],
                                polling="raf")
    live.drag(3)
    assert live.look()["d_k"] == "8"
    assert_true(live.look(), _, seed=7)
    assert live.release().holds(8)
    live.click("keys_3")
    live.page.wait_for_function("look().raw.length === 3", polling="raf")
    assert_true(live.look(), _, seed=7, n_keys=3)


def test_new_data_are_drawn_without_a_blank_frame(open_live):
    live = open_live()
    live.page.evaluate("""() => { const root = live('.live'); window.blank = 0;
      const seen = {visibilityProperty: true};
      const shown = () => root.isConnected && root.querySelector('.row') && root.checkVisibility(seen);
      const tick = () => { if (!shown()) window.blank++; requestAnimationFrame(tick); }; tick(); }""")
    live.click("seed_7")
    live.click("keys_3")
    live.page.wait_for_function("look().raw.length === 3", polling="raf")
    live.tab.drawn()
    assert live.page.evaluate("window.blank") == 0


def test_an_old_answer_does_not_move_the_thumb(open_live):
    live = open_live()
    live.grab()
    live.drag(5)
    assert live.release().holds(32)
    live.page.evaluate("""() => { document.liveChosen = {d_k: 3, nth: 0};
      document.dispatchEvent(new Event('live-chosen')); }""")
    assert live.look()["d_k"] == "32"


def test_a_large_experiment_crosses_the_network_once(open_live):
    live, received = open_live(keys=64), []
    session = live.page.context.new_cdp_session(live.page)
    session.send("Network.enable")
    session.on("Network.webSocketFrameReceived", lambda event: received.append(len(event["response"]["payloadData"])))
    live.page.locator(RANGE).focus()
    live.press("PageUp")
    assert live.holds(128)
    assert 0 < sum(received) < 60e3


# -------------------------------------------------------------------------------------------------------------- play


def test_play_is_true_in_every_frame_and_tells_python_when_it_stops(open_live):
    live = open_live()
    button = live.page.locator(PLAY)
    label, sent = button.get_attribute("aria-label"), live.sent
    button.click()
    assert button.get_attribute("aria-label") == Language("en")("Pause") != label
    live.page.wait_for_function("Number(look().d_k) > 80", polling="raf")
    assert live.sent == sent
    button.click()
    assert button.get_attribute("aria-label") == label
    assert live.holds(int(live.look()["d_k"])) and live.sent == sent + 1
    for frame in live.frames().values():
        assert_true(frame, Language("en"))


def test_a_hand_on_the_slider_stops_play(open_live):
    live = open_live(d_k=8)
    live.page.locator(PLAY).click()
    live.page.wait_for_function("Number(look().d_k) > 9", polling="raf")
    live.grab(2)
    live.drag(2)
    assert live.release().holds(4) and live.shows(4)


def test_play_says_why_it_is_off(open_live):
    live = open_live()
    live.page.emulate_media(reduced_motion="reduce")
    note = live.page.locator(".note")
    note.wait_for()
    says = Language("en")("Play is off: reduced motion is on")
    assert live.page.locator(PLAY).get_attribute("aria-label") == note.text_content() == says
    assert live.page.locator(PLAY).get_attribute("aria-disabled") == "true"
    live.page.locator(PLAY).click(force=True)
    live.drag(*30 * [6])
    assert live.look()["d_k"] == "64" and live.page.locator(PLAY).get_attribute("aria-label") == says


# -------------------------------------------------------------------------------------------------------------- look


@pytest.mark.parametrize("size", [PHONE, LAPTOP, PROJECTOR], ids=str)
def test_nothing_jumps_and_nothing_is_wider_than_the_page(open_live, size):
    live = open_live(size, lang="id")
    where = """() => ['.picture', '.sentence', '.curve', '.play', '.above', '.lane-ticks'].map(css => {
      const box = live(css).getBoundingClientRect(); return [box.x, box.y, box.height]; })"""
    for n_keys in (2, 8, 64):
        live.click(f"keys_{n_keys}")
        live.page.wait_for_function("count => look().raw.length === count", arg=n_keys, polling="raf")
        live.tab.drawn(100)
        live.page.locator(RANGE).focus()
        first = live.page.evaluate(where)
        for key, d_k in (("Home", 1), *(("PageUp", 2**octave) for octave in range(1, 10)), ("ArrowLeft", 511)):
            live.press(key)
            assert live.shows(d_k) and live.page.evaluate(where) == first, n_keys
        assert live.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), n_keys


def test_texts_and_targets_are_large_enough_and_the_first_screen_holds_them(open_live):
    live = open_live()
    top, sentence, curve = (
        live.page.evaluate(f"(({{top, bottom}}) => [top, bottom])(live('{css}').getBoundingClientRect())")
        for css in (".live", ".sentence", ".curve")
    )
    assert sentence[1] - top[0] < 500 and curve[1] - top[0] < 600
    for size in (LAPTOP, PHONE, PROJECTOR):
        live.resize(size)
        assert too_small(live) == [], size


def too_small(live):
    """Texts below 14 px, and targets below 24."""
    small = live.page.evaluate("""() => [...live('.live').querySelectorAll('*')].filter(e => e.checkVisibility()
      && !e.closest('[role=status], sub') && [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())
      && parseFloat(getComputedStyle(e).fontSize) < 14).map(e => e.className + e.textContent)""")
    boxes = {target: live.page.locator(target).bounding_box() for target in (RANGE, PLAY)}
    return small + [target for target, box in boxes.items() if min(box["width"], box["height"]) < 24]


def test_a_finger_has_a_large_thumb_and_the_page_still_scrolls(chromium, live_server):
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.add_init_script(FIND)
    page.goto(live_server.url)
    page.locator(PICTURE).wait_for()
    for target in (RANGE, PLAY):
        assert page.locator(target).bounding_box()["height"] >= 44
    assert page.evaluate("getComputedStyle(live('input')).touchAction") == "pan-y"
    context.close()


# --------------------------------------------------------------------------------------------------------- kept file


@pytest.mark.parametrize(("lang", "scheme", "paper"), [("en", "light", (255, 255, 255)), ("id", "dark", (14, 17, 23))])
def test_a_kept_file_is_true_in_every_frame_and_follows_the_readers_scheme(chromium, tmp_path, lang, scheme, paper):
    _, draw = Language(lang), nested_draw(0)
    data = payload(_, saturation(draw), seed_band(20), 0, "sqrt_d_k", divisors(draw, "sqrt_d_k"))
    path = tmp_path / "kept.html"
    path.write_text(keep_file(_, data, 100), encoding="utf-8")
    context = chromium.new_context(viewport={"width": 1280, "height": 800}, color_scheme=scheme, offline=True)
    page = context.new_page()
    page.add_init_script(FIND)
    page.goto(path.as_uri())
    page.evaluate(WATCH)
    box = page.locator(RANGE).bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, y)
    page.mouse.down()
    for share in np.linspace(0.5, 0.9, 20):
        page.mouse.move(box["x"] + box["width"] * share, y)
    page.wait_for_function("Number(look().d_k) > 200", polling="raf")
    page.mouse.up()
    page.locator(RANGE).press("PageDown")
    page.wait_for_function("Number(look().d_k) < 200", polling="raf")
    frames = {frame["d_k"]: frame for frame in page.evaluate("frames_shown")}
    assert len(frames) > 5
    for frame in frames.values():
        assert_true(frame, _)
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == f"rgb{paper}"
    context.close()


# ----------------------------------------------------------------------------------------------------------- numbers


@pytest.fixture(scope="module")
def written(chromium):
    """What the element's own functions write: written("weight", codes, ",")."""
    page = chromium.new_page()
    source = "data:text/javascript;base64," + base64.b64encode(part("saturation.js").encode()).decode()

    def write(name, units, *rest):
        return page.evaluate(
            "async ([source, name, units, rest]) => { const module = await import(source); "
            "return units.map(unit => module[name](unit, ...rest)); }",
            [source, name, units.astype(int).tolist(), list(rest)],
        )

    yield write
    page.close()


RANDOM = np.random.default_rng(0)
TIES = (np.arange(10000) + 0.5) / 1e4
WEIGHTS = np.concatenate([
    RANDOM.random(3000), RANDOM.random(1000) * 1e-3, 1 - RANDOM.random(1000) * 1e-3,
    RANDOM.random(1000).astype(np.float32), TIES, TIES.astype(np.float32),
    [0, 1, 1e-300, 5.01e-5, 0.99994, 0.999951, np.nextafter(1, 0)],
])
NUMBERS = np.concatenate([WEIGHTS * 700, -WEIGHTS * 700, np.arange(-600, 600), np.arange(-300, 300) + 0.005])


@pytest.mark.parametrize("lang", ["en", "id"])
def test_weights_are_written_as_python_writes_them(written, lang):
    _ = Language(lang)
    assert written("weight", weight_codes(WEIGHTS), _.decimal_symbol) == [_.weight(value) for value in WEIGHTS]
    assert weight_codes([1.0]) == [ONE]


@pytest.mark.parametrize("places", [2, 4])
@pytest.mark.parametrize("lang", ["en", "id"])
def test_numbers_are_written_as_python_writes_them(written, lang, places):
    _ = Language(lang)
    texts = written("figure", rounded(NUMBERS, places), places, _.decimal_symbol)
    assert texts == [_.number(value, places) for value in NUMBERS] and MINUS in "".join(texts)


@pytest.mark.parametrize("lang", ["en", "id"])
def test_short_numbers_are_written_as_python_writes_them(written, lang):
    _, values = Language(lang), np.abs(NUMBERS)
    assert written("short", short_codes(values), _.decimal_symbol) == [_.short(value) for value in values]
