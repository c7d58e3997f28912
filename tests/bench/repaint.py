"""Key press to repainted page, each lesson against a bare Streamlit page with the same control and as many charts.

    python tests/bench/repaint.py [PRESSES]

Both pages are open in one browser, each on its own server, and are pressed in turn, so that a busy machine slows both.
A press counts from the browser's own event to the last change of text or picture, or to the script's end if later.
The bare page runs with Streamlit's defaults, in a folder of its own.
"""

import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from playwright.sync_api import sync_playwright

from tests.browser.conftest import FLAGS, Server, Visit, find_browser

# lesson, its link, its control, its charts; the live picture of scaling is no Plotly chart
LESSONS = (
    ("qkv", {}, "token", 0),
    ("scaling", {}, "seed", 0),
    ("scaling", {"closer": "variance"}, "seed", 2),
    ("masking", {}, "mask", 0),
    ("verification", {}, "example", 0),
)
OPTIONS = {"token": 2, "mask": 4, "example": 3}
WARM_UP = 3
BARE = """import numpy as np
import plotly.graph_objects as go
import streamlit as st

options = {options}
value = st.segmented_control("Bare", range(options), default=0, required=True, key="bare") if options else st.slider(
    "Bare", 1, 512, 64, key="bare")
st.title("A bare page")
st.write(f"The value is {{value}}.")
x = np.arange(160)
for number in range({charts}):
    st.plotly_chart(go.Figure(go.Scatter(x=x, y=np.sin(x * (value + number) / 500))), key=f"chart_{{number}}")
"""
# What the script wrote, shadow trees included, without its controls, which change by themselves.
WRITTEN = """() => { const texts = [], roots = [document.querySelector('[data-testid=stMain]')];
  const wanted = '[data-testid=stMarkdown], [data-testid=stHtml], [data-text], text';
  for (const root of roots) for (const e of root.querySelectorAll('*')) {
    if (e.shadowRoot) roots.push(e.shadowRoot);
    if (e.matches(wanted)) texts.push(e.textContent); }
  return texts.join(); }"""
# Watches the page from the input event on: window.labBench, in ms of the browser's own clock.
WATCH = """() => {
  const app = document.querySelector('[data-testid=stApp]'), main = document.querySelector('[data-testid=stMain]');
  const start = event => { if (window.labArmed) { window.labArmed = false;
    window.labBench = {start: event.timeStamp, last: event.timeStamp}; } };
  const note = () => { if (window.labBench) window.labBench.last = performance.now(); };
  addEventListener('keydown', start, true); addEventListener('pointerdown', start, true);
  const roots = [main];
  for (const root of roots) {
    for (const e of root.querySelectorAll('*')) if (e.shadowRoot) roots.push(e.shadowRoot);
    new MutationObserver(note).observe(root, {subtree: true, childList: true, characterData: true, attributes: true,
      attributeFilter: ['d', 'transform', 'style']}); }
  new MutationObserver(note).observe(app, {attributes: true, attributeFilter: ['data-test-script-state']}); }"""
REPAINTED = f"""before => {{ const bench = window.labBench, app = document.querySelector('[data-testid=stApp]');
  return bench && app.dataset.testScriptState === 'notRunning' && !document.querySelector('[data-stale=true]')
    && performance.now() - bench.last > 400 && ({WRITTEN})() !== before ? bench.last - bench.start : false; }}"""


def press(tab, box, number):
    """Change the control once by keyboard (slider) or click (first other option); return the milliseconds."""
    tab.page.bring_to_front()
    slider = tab.page.locator(f"{box} input[type=range]")
    before = tab.page.evaluate(WRITTEN)
    tab.page.evaluate("() => { window.labBench = null; window.labArmed = true; }")
    if slider.count():
        slider.focus()
        tab.page.keyboard.press("ArrowLeft" if number % 2 else "ArrowRight")
    else:
        tab.page.locator(f"{box} [role=radio][aria-checked=false]").first.click()
    return tab.page.wait_for_function(REPAINTED, arg=before, polling=50).json_value()


def percentile(values, share):
    return statistics.quantiles(values, n=100, method="inclusive")[round(100 * share) - 1]


def measure(browser, lab, bare, name, link, control, presses):
    """Press lesson and bare page in turn; return both lists of milliseconds."""
    tabs = []
    for server, box in ((lab, f".st-key-{control}"), (bare, ".st-key-bare")):
        tab = Visit(browser.new_context(viewport={"width": 1280, "height": 800}).new_page(), server)
        tab.go(name, **link) if server is lab else tab.go("home")
        tab.page.evaluate(WATCH)
        tabs.append((tab, box, []))
    for number in range(WARM_UP + presses):
        for tab, box, times in tabs:
            times.append(press(tab, box, number))
    for tab, _, _ in tabs:
        tab.page.context.close()
    return [times[WARM_UP:] for _, _, times in tabs]


def main(presses):
    print(f"{'lesson':<14}{'charts':>6}   {'lesson ms':>9}{'p95':>6}   {'bare ms':>7}{'p95':>6}   {'ratio':>5}")
    with sync_playwright() as playwright, Server() as lab, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=find_browser(playwright), args=FLAGS)
        for name, link, control, charts in LESSONS:
            script = Path(folder) / f"bare_{control}_{charts}.py"
            script.write_text(BARE.format(options=OPTIONS.get(control, 0), charts=charts))
            with Server(script.name, folder) as bare:
                ours, theirs = measure(browser, lab, bare, name, link, control, presses)
            middle = [statistics.median(times) for times in (ours, theirs)]
            late = [percentile(times, 0.95) for times in (ours, theirs)]
            print(f"{name:<14}{charts:>6}   {middle[0]:>9.0f}{late[0]:>6.0f}   {middle[1]:>7.0f}{late[1]:>6.0f}"
                  f"   {middle[0] / middle[1]:>5.2f}", flush=True)
        browser.close()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
