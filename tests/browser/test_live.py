"""The live element under a real finger: it moves in every frame, says what NumPy says, and is silent until release."""

from attention_core.saturation import nested_draw, saturation
from pages.ui.language import Language

RANGE, PICTURE, SENTENCE = "[data-testid=live-dk]", "[data-testid=live-picture]", "[data-testid=live-sentence]"
D_K_IS = "d_k => new URLSearchParams(location.search).get('d_k') === d_k"
# what the element shows now, and the d_k that it shows it for
SHOWN = """([range, picture, sentence]) => {
  const deep = (root, s) => root.querySelector(s) || [...root.querySelectorAll('*')].filter(e => e.shadowRoot)
    .map(e => deep(e.shadowRoot, s)).find(Boolean);
  const find = s => deep(document, s);
  return {d_k: Math.round(2 ** find(range).valueAsNumber), picture: find(picture).innerText,
          sentence: find(sentence).innerText,
          label: find(picture).ariaLabel, value: find(range).getAttribute('aria-valuetext')}; }"""


def shown(page):
    return page.evaluate(SHOWN, [RANGE, PICTURE, SENTENCE])


def drag(page, shares, each=lambda: None):
    """Press the thumb, move it to shares of the track, and call `each` two frames after every move."""
    box = page.locator(RANGE).bounding_box()
    across = lambda share: box["x"] + box["width"] * share  # noqa: E731
    middle = box["y"] + box["height"] / 2
    now = page.locator(RANGE).evaluate("e => e.valueAsNumber / 9")
    page.mouse.move(across(now), middle)
    page.mouse.down()
    for share in shares:
        page.mouse.move(across(share), middle)
        page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        each()


def core_says(d_k, seed=0, lang="en"):
    """Largest weights and spreads of the core at one width, as the page writes them."""
    core, _ = saturation(nested_draw(seed)), Language(lang)
    return [_.weight(core.largest_raw[d_k - 1]), _.weight(core.largest_scaled[d_k - 1]),
            _.number(core.spread_raw[d_k - 1], 2), _.number(core.spread_scaled[d_k - 1], 2)]


def test_a_drag_moves_everything_and_sends_nothing_until_release(visitor):
    tab, lang, sent, asked = visitor(), "id", [], []
    tab.page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    tab.page.on("request", lambda request: asked.append(request.url))
    tab.go("scaling", lang=lang)
    assert asked and not [url for url in asked if "plotly" in url.lower()], "the first picture needs no Plotly"
    before, seen = len(sent), []
    assert before, "the page itself came over this socket"
    drag(tab.page, [0.2, 0.35, 0.5, 0.62, 0.8, 0.95], lambda: seen.append(shown(tab.page)))
    assert len(sent) == before, "no message leaves during a drag"
    widths = [moment["d_k"] for moment in seen]
    assert widths == sorted(widths) and len(set(widths)) == len(widths), "every move shows another width"
    for moment in seen:
        largest_raw, largest_scaled, *spreads = core_says(moment["d_k"], lang=lang)
        assert all(number in moment["picture"] for number in (largest_raw, largest_scaled, *spreads)), moment["d_k"]
        assert largest_raw in moment["sentence"] and largest_scaled in moment["sentence"]
        assert moment["label"] and largest_raw in moment["label"], "the alternative text moves along"
        assert str(moment["d_k"]) in moment["value"]
    assert "d_k" not in tab.link, "nothing is committed while the finger is down"
    tab.page.mouse.up()
    tab.until(D_K_IS, str(widths[-1]))
    assert len(sent) == before + 1, "one message, after release"
    assert shown(tab.page)["d_k"] == widths[-1]
    tab.healthy()


def test_the_element_follows_a_button_of_the_page(visitor):
    tab = visitor().go("scaling", lang="en")
    tab.click(".st-key-tries a >> nth=0", D_K_IS, "512")
    assert shown(tab.page)["d_k"] == 512 and core_says(512)[0] in shown(tab.page)["picture"]
    tab.click(".st-key-another_seed button", "() => location.search.includes('seed=389')")
    assert core_says(512, seed=389)[0] in shown(tab.page)["picture"] and shown(tab.page)["d_k"] == 512


def test_the_kept_page_works_from_a_file_without_a_server(visitor, chromium, tmp_path):
    lang = "id"
    tab = visitor().go("scaling", lang=lang, seed="7", d_k="32")
    with tab.page.expect_download() as coming:
        tab.page.locator(".st-key-keep button").click()
    file = tmp_path / "kept.html"
    coming.value.save_as(file)
    context = chromium.new_context(viewport={"width": 1280, "height": 800}, offline=True)
    page, asked, complaints = context.new_page(), [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.goto(file.as_uri())
    assert shown(page)["d_k"] == 32 and core_says(32, 7, lang)[0] in shown(page)["picture"]
    seen = []
    drag(page, [0.3, 0.6, 0.9], lambda: seen.append(shown(page)))
    page.mouse.up()
    for moment in seen:
        assert all(number in moment["picture"] for number in core_says(moment["d_k"], 7, lang))
    assert len({moment["d_k"] for moment in seen}) == 3
    assert page.evaluate("document.documentElement.lang") == lang
    assert asked == [file.as_uri()] and complaints == []
    context.close()
