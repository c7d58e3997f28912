"""What is taken home of a page is what it shows: numbers, matrices and pictures, parsed and held against the core."""

import csv
import io
import re
import struct
from pathlib import Path
from xml.etree import ElementTree

import axe_playwright_python
import numpy as np

from attention_core import causal_mask, project, scaled_dot_product_attention
from attention_core.draws import nested_draw
from attention_core.examples import six_words
from attention_core.saturation import saturation
from attention_core.variance import variance_over_pairs
from pages.ui.language import Language

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
RUN = """async () => (await axe.run(document.querySelector('.lab-take'))).violations
  .map(v => [v.id, v.nodes[0].html])"""
POLICY = ("default-src 'self'; script-src 'self' 'unsafe-inline' blob:; style-src 'self' 'unsafe-inline'; "
          "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self' ws:")
FORBID = f"""new MutationObserver((_, observer) => {{
  if (!document.head) return;
  observer.disconnect();
  document.head.append(Object.assign(document.createElement('meta'), {{httpEquiv: 'Content-Security-Policy',
    content: "{POLICY}"}}));
}}).observe(document, {{childList: true, subtree: true}});"""
FORBIDDEN = """() => new Promise(done => {
  addEventListener('securitypolicyviolation', event => done(event.blockedURI));
  setTimeout('window.ran = 1'); setTimeout(() => done(window.ran), 2000); })"""
SVG = "{http://www.w3.org/2000/svg}"
LIST = "() => document.querySelector('.lab-take li')"
FLAT = """() => {
  const buttons = [...document.querySelectorAll('.lab-take button')].map(b => b.getBoundingClientRect());
  return [Math.min(...buttons.map(b => b.height)), Math.min(...buttons.map(b => b.width))]; }"""
SIDEWAYS = "() => document.documentElement.scrollWidth > innerWidth"


def opened(tab, name, **link):
    """Visit a page and unfold what can be taken home."""
    tab.go(name, **link)
    tab.page.locator("[class*=st-key-take_] summary").first.click()
    return tab.until(LIST)


def offers(tab):
    return tab.page.evaluate("[...document.querySelectorAll('.lab-take button')].map(b => b.ariaLabel)")


def taken(tab, name):
    """Press a button of the list; return the file's name and bytes."""
    with tab.page.expect_download() as download:
        tab.page.get_by_role("button", name=name, exact=True).click()
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


def rows(data):
    assert data.startswith(b"\xef\xbb\xbf") and data.endswith(b"\r\n"), "a spreadsheet takes it for UTF-8"
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def numbers(data):
    """The numbers of a table, without the names of its rows and columns."""
    return np.array([[float(cell) for cell in row[1:]] for row in rows(data)[1:]])


def texts(data):
    return "".join(ElementTree.fromstring(data).itertext())


def size_of(data):
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", data[16:24])


def worked():
    """The six words, causal: as the pipeline works them out."""
    given = six_words()
    roles = project(given.x, given.w_query, given.w_key, given.w_value)
    mask = causal_mask(len(given.tokens))
    return given, scaled_dot_product_attention(roles.query, roles.key, roles.value, attn_mask=mask)


def bmatrix(_, label, values):
    """A matrix with two decimals, as a mathematician of this language writes it."""
    def one(value):
        return "-\\infty" if value == -np.inf else _.number(value, 2).replace("−", "-").replace(",", "{,}")

    body = " \\\\\n".join("  " + " & ".join(map(one, row)) for row in values)
    return f"\\text{{{label}}} =\n\\begin{{bmatrix}}\n{body}\n\\end{{bmatrix}}\n"


def test_a_masked_matrix_goes_home_with_all_its_digits(visitor):
    _, (given, attention) = Language("id"), worked()
    tab = opened(visitor(), "pipeline", lang="id", step="mask")
    caption = _("Scaled and masked; hatched is −∞")
    file, data = taken(tab, f"CSV: {caption}")
    masked = np.where(causal_mask(6), attention.scaled, -np.inf)
    assert file == "pipeline-masked.csv"
    assert rows(data)[0] == ["", *given.tokens] and [row[0] for row in rows(data)[1:]] == list(given.tokens)
    np.testing.assert_allclose(numbers(data), masked, rtol=0, atol=1e-9)
    per_cent = next(name for name in offers(tab) if re.match(r"CSV: .*%", name))
    np.testing.assert_allclose(numbers(taken(tab, per_cent)[1]), 100 * attention.weights, rtol=0, atol=1e-7)
    file, data = taken(tab, f"LaTeX: {caption}")
    assert file == "pipeline-masked.tex" and data.decode() == bmatrix(_, caption.split(";")[0], masked)
    tab.healthy()


def test_inputs_are_read_as_they_stand_and_words_stay_data(visitor):
    tab = opened(visitor(), "pipeline", lang="id", step="project", words="=1+1 <b> &amp; cat")
    typed = tab.page.locator("table[data-matrix=X] input").first
    typed.fill("0,12345678901")
    typed.press("Enter")
    tab.until("() => document.querySelector('table[data-matrix=X] input')?.getAttribute('value').startsWith('0,1234')")
    table = rows(taken(tab, "CSV: X")[1])
    assert table[1][:2] == ["'=1+1", "0.12345678901"], "no spreadsheet takes a word for a formula"
    drawn = ElementTree.fromstring(taken(tab, "SVG: X")[1])
    assert {"0,12345678901", "=1+1", "<b>"} <= {text.text for text in drawn.iter(f"{SVG}text")}, "words are no elements"
    known = {SVG + tag for tag in ("svg", "title", "rect", "text", "line", "g")}
    assert {element.tag for element in drawn.iter()} <= known
    tab.healthy()


def test_the_numbers_and_the_picture_under_the_finger(visitor):
    _, experiment = Language("en"), saturation(nested_draw(3, 8), "sqrt_d_k", None)
    tab = opened(visitor(), "scaling", lang="en", seed="3")
    scores = np.stack([experiment.scores[63], experiment.scaled[63]], axis=-1)
    weights = np.stack([experiment.weights_raw[63], experiment.weights_scaled[63]], axis=-1)
    np.testing.assert_allclose(numbers(taken(tab, f"CSV: {_('Scores q·k')}")[1]), scores, rtol=1e-9, atol=0)
    found = numbers(taken(tab, "CSV: Weights, columns sum to 1")[1])
    np.testing.assert_allclose(found, weights, rtol=1e-9, atol=0, err_msg="also those shown as <0.0001")
    tab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab.page.get_by_role("button", name="Copy LaTeX: Scores q·k", exact=True).click()
    tab.until("() => document.querySelector('.lab-take [role=status]').textContent === 'Copied: Scores q·k'")
    copied = tab.page.evaluate("navigator.clipboard.readText()")
    assert copied == bmatrix(_, "", scores).replace("\\text{}", "q \\cdot k")
    file, data = taken(tab, "SVG: The picture over dₖ")
    picture = tab.page.locator("[data-testid=live-picture]").get_attribute("aria-label")
    assert file == "scaling-live.svg" and "largest" in texts(data)
    assert all(number in texts(data) for number in re.findall(r"0\.\d+", picture))
    assert min(size_of(taken(tab, "PNG: The picture over dₖ")[1])) > 200
    assert min(size_of(taken(tab, "PNG: Scores q·k")[1])) > 200
    tab.healthy()


def test_a_chart_goes_home_as_numbers_and_as_it_is_drawn(visitor):
    tab = opened(visitor(), "scaling", lang="en", closer="variance")
    title = "Variance of many dot products over dₖ"
    head, *points = rows(taken(tab, f"CSV: {title}")[1])
    assert head == ["curve", "dₖ", "variance"]
    theory = np.array([[int(x), float(y)] for curve, x, y in points if curve == "theory"])
    assert len(theory) > 100 and {1, 512} <= set(theory[:, 0])
    np.testing.assert_allclose(theory[:, 1], variance_over_pairs(theory[:, 0], 0.0, 1.0), rtol=1e-9)
    file, data = taken(tab, f"SVG: {title}")
    assert file == "scaling-variance_over_width.svg" and title in texts(data) and "not divided" in texts(data)
    assert len(list(ElementTree.fromstring(data).iter(f"{SVG}path"))) > 8, "curves, not their frame alone"
    assert min(size_of(taken(tab, f"PNG: {title}")[1])) > 200
    tab.page.get_by_role("radio", name="the numbers").click()
    tab.until("() => document.querySelectorAll('.lab-take li').length === 3")
    assert "LaTeX: Weights, columns sum to 1" in offers(tab), "the list follows the page"
    tab.healthy()


def test_the_list_fits_a_phone_and_every_button_has_a_name(visitor):
    tab = opened(visitor(width=390, height=844, scheme="dark"), "masking", lang="id", mask="both")
    assert len(set(offers(tab))) == len(offers(tab)) > 15, "names tell the buttons apart"
    assert min(tab.page.evaluate(FLAT)) >= 24 and not tab.page.evaluate(SIDEWAYS)
    tab.page.evaluate(AXE)
    for scheme in ("dark", "light"):
        tab.page.emulate_media(color_scheme=scheme)
        tab.until("paper => getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor === paper",
                  {"light": "rgb(255, 255, 255)", "dark": "rgb(14, 17, 23)"}[scheme])
        assert tab.page.evaluate(RUN) == []
    tab.page.locator(".lab-take button").first.focus()
    tab.page.keyboard.press("Tab")
    with tab.page.expect_download() as download:
        tab.page.keyboard.press("Enter")
    assert download.value.suggested_filename.endswith(".tex")
    tab.healthy()


def test_it_works_where_a_policy_forbids_evaluation(visitor):
    """Playwright's own way to wait evaluates text, and is forbidden too."""
    tab = visitor()
    tab.page.add_init_script(FORBID)
    tab.page.goto(f"{tab.server.url}/scaling?lang=en&closer=variance")
    tab.page.locator(".main-svg").first.wait_for(state="attached")
    tab.page.locator("[class*=st-key-take_] summary").first.click()
    for name in ("PNG: The picture over dₖ", "PNG: Variance of many dot products over dₖ"):
        assert min(size_of(taken(tab, name)[1])) > 200
    assert tab.complaints == [] and tab.foreign == []
    assert tab.page.evaluate(FORBIDDEN) == "eval", "the policy is in force"
