"""Each program to take home runs by itself and prints what its page says; nothing is made before it is asked."""

import ast
import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attention_core.saturation import nested_draw, saturation
from pages.ui.bench.experiment import drawn
from pages.ui.bench.stages import ours
from pages.ui.contents import PAGES
from pages.ui.judge import reference
from pages.ui.language import Language
from pages.ui.take import home
from pages.ui.take.notebook import as_notebook
from pages.ui.take.program import as_numpy, as_torch
from pages.ui.typed.tokens import sentence_tokens

ROOT = Path(__file__).parents[2]
LESSONS = ("pipeline", "qkv", "scaling", "masking", "verification", "learning", "additive", "heads", "tiles",
           "explanation")
FEW = {"learning": {"train_d_k": "4", "train_seeds": "1"}}  # seconds, not a minute
EXPERIMENTS = [  # page and link; those marked "torch" are asked of PyTorch, too
    ("pipeline", {}), ("pipeline", {"step": "project", "words": "aku makan nasi <b> 'x", "word": "4", "lang": "id"}),
    ("pipeline", {"step": "scores", "word": "4"}), ("pipeline", {"step": "weights"}),
    ("pipeline", {"step": "mask", "word": "3"}), ("pipeline", {"step": "output", "order": "reversed"}),
    ("qkv", {"lang": "id"}), ("qkv", {"ask": "change", "w_q": "0_0_0.5~0_0_0~0_1_0~2_0_0"}),
    ("qkv", {"ask": "factor", "tie": "q_k"}), ("qkv", {"ask": "length", "token": "ikan"}),
    ("scaling", {}), ("scaling", {"d_k": "200", "divisor": "cosine", "closer": "variance", "mean": "1.0"}),
    ("scaling", {"divisor": "free", "value": "3.5", "closer": "precision", "shift": "200", "lang": "id"}),
    ("scaling", {"divisor": "d_k", "closer": "gradient", "keys": "5"}),
    ("masking", {"mask": "causal"}),
    ("masking", {"mask": "both", "side": "start", "query": "1", "beside": "wrong", "way": "by_hand", "lang": "id"}),
    ("masking", {"mask": "padding", "window": "yes", "left": "2", "right": "1", "cached": "2", "hidden": "3.1_4.2",
                 "align": "bottom_right", "beside": "wrong", "way": "wrong_axis"}),
    ("masking", {"mask": "causal", "beside": "future", "changed": "4"}),
    ("verification", {}), ("verification", {"example": "drawn", "draw_mask": "padding", "bug": "inverted_mask"}),
    ("verification", {"example": "drawn", "draw_mask": "float", "draw_scale": "negative", "bench": "own"}),
    ("learning", FEW["learning"]), ("additive", {}), ("additive", {"add_v": "one", "add_d": "33", "lang": "id"}),
    ("heads", {}), ("heads", {"heads_part": "heads", "num_heads": "4"}), ("heads", {"heads_part": "scale"}),
    ("heads", {"heads_part": "beyond", "lang": "id"}), ("heads", {"heads_part": "beyond", "token_kind": "graph"}),
    ("tiles", {"tiles_mask": "start"}), ("tiles", {"tiles_order": "rising", "tiles_keys": "6", "lang": "id"}),
    ("explanation", {}), ("explanation", {"exp_from": "drawn", "exp_d_v": "2", "exp_far": "jensen_shannon"}),
]
NAMES = [f"{page}-{'-'.join(link.values())}"[:60] for page, link in EXPERIMENTS]
NUMBER = re.compile(r"(?<![a-z]{2})(?<!\d)([<>]?)([-−]?\d+(?:[.,]\d+)?)(?:\s?×\s?10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?")
POWER = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
OWN = re.compile(r"\{[^}]*\}|\d+(?:[.,]\d+)?|[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+")  # a hole, or a number of the text itself


def without_numbers(language, text, **holes):
    """Translate as the lab does, but keep no number that stands in the text itself: what is left was computed."""
    text = OWN.sub(lambda found: found[0] if found[0][0] == "{" else "#", language._gettext(text))
    return text.format(**holes) if holes else text


@cache
def shown(page, *link):
    """Run a page; return the program that it offers, made as the page makes it, and its language."""
    offered = []

    def take_home(_, name, program):
        assert name == page
        offered.append((program and program(), _))

    app = AppTest.from_file(ROOT / "app.py", default_timeout=120)
    app.switch_page(PAGES[page].script)
    for name, value in link:
        app.query_params[name] = value
    with mock.patch.object(home, "take_home", take_home), mock.patch.object(Language, "__call__", without_numbers):
        app.run()
    assert not app.exception, [each.value for each in app.exception]
    (program, language), = offered
    return program, language


def program_of(page, link):
    return shown(page, *link.items())[0]


def run(text):
    """Run a program in a fresh interpreter that knows nothing of the lab."""
    lone = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run([sys.executable, "-I", "-W", "error", "-"], input=text, text=True, capture_output=True,
                          cwd="/", env={**lone, "PYTHONIOENCODING": "utf-8"}, timeout=120, encoding="utf-8")
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def numbers(printed):
    return np.array([float(number) for number in re.findall(r"(?<![\w.])-?\d+\.?\d*(?:e[-+]?\d+)?", printed)])


def missing(sentences, printed):
    """Return the numbers of the page's sentences that no printed number rounds to."""
    found, lost = numbers(printed), []
    for bound, digits, power in (each for says in sentences for each in NUMBER.findall(says)):
        value, exponent = float(digits.replace("−", "-").replace(",", ".")), int(power.translate(POWER) or 0)
        value, places = value * 10.0**exponent, len(re.split("[.,]", digits + ".")[1])
        near = np.abs(found - value) <= 0.5000001 * 10.0 ** (exponent - places) + 1e-12
        if bound:  # <0.0001 and >0.9999: 0 and 1 stand for nothing else
            near = (found < value) & (found > 0) if bound == "<" else (found > value) & (found <= 1)
        if abs(value) < 1e-9:
            near = np.abs(found) < 1e-9  # what rounding leaves is another on another machine
        if not near.any():
            lost.append(digits)
    return lost


def agree(page, link):
    program = program_of(page, link)
    text = as_numpy(program)
    assert "attention_core" not in text and "pages" not in text
    assert max(map(len, text.splitlines())) <= 120
    printed = run(text)
    assert not missing(program.says, printed)
    return printed


@pytest.mark.parametrize("page, link", EXPERIMENTS, ids=NAMES)
def test_the_numpy_program_prints_every_number_of_the_sentence(page, link):
    assert len(numbers(agree(page, link))) > 5


@pytest.mark.parametrize("page", LESSONS)
def test_whatever_a_link_sets_the_program_says_the_same(page, full_link):
    link = {name: full_link[name] for name in PAGES[page].fields if name in full_link and name != "predict"}
    link |= {"bench": "stages"} | FEW.get(page, {})
    link = {name: value for name, value in link.items() if name in PAGES[page].fields}
    if program_of(page, link) is not None:
        agree(page, link)


@pytest.mark.skipif(not reference.installed(), reason="PyTorch is missing: pip install -r requirements.txt")
def test_torch_programs_print_the_same(tmp_path):
    programs = [program_of(*each) for each in EXPERIMENTS[::2]]
    for number, program in enumerate(programs):
        (tmp_path / f"{number}.py").write_text(as_torch(program), encoding="utf-8")
    every = "\n".join([
        "import runpy, torch", "torch.set_num_threads(1)", f"for number in range({len(programs)}):",
        f"    runpy.run_path({str(tmp_path)!r} + f'/{{number}}.py')", "    print('@@@')",
    ])
    printed = run(every).split("@@@")[:-1]
    assert len(printed) == len(programs)
    for program, output in zip(programs, printed, strict=True):
        assert not missing(program.says, output)


def test_the_scaling_program_draws_for_itself_and_agrees_to_the_last_printed_digit():
    program = program_of("scaling", {})
    assert sum(map(np.size, program.inputs.values())) == len(program.inputs)  # no array among them
    right = saturation(nested_draw(0)).scores[63]
    printed = run(as_numpy(program))
    found = numbers(printed.split("[")[1].split("]")[0])
    assert found == pytest.approx(right, rel=1e-6)  # NumPy prints eight decimals


def test_a_mistake_is_planted_in_the_program_too():
    printed = run(as_numpy(program_of("verification", {"example": "drawn", "draw_mask": "padding",
                                                       "bug": "inverted_mask"})))
    wrong = ours(drawn(0, n=3, m=4, d_k=5, d_v=3, heads=2, mask="padding"), "inverted_mask")
    found = numbers(printed)
    assert all(np.isclose(found, number, rtol=1e-6, atol=1e-8).any() for number in wrong["weights"].ravel())


def test_a_missing_number_is_noticed():
    assert missing(["It is **0.36**, 12.5 % and 1.2 × 10⁻³, <0.0001, −2,5."], "0.355 12.49 0.00121 1e-9 -2.5") == []
    assert missing(["It is 0.36."], "0.3549") == ["0.36"]
    assert missing(["1.2 × 10⁻³"], "0.0013") == ["1.2"]
    assert missing([">0.9999"], "0.5") == ["0.9999"]


# notebooks


@pytest.mark.parametrize("page", ["pipeline", "scaling", "tiles"])
def test_a_notebook_runs_from_top_to_bottom(page):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    link = next(link for each, link in EXPERIMENTS if each == page)
    program, language = shown(page, *link.items())
    notebook = nbformat.reads(as_notebook(language, program), as_version=4)
    nbclient.NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    printed = "".join(each["text"] for cell in notebook.cells for each in cell.get("outputs", []))
    assert printed == run(as_numpy(program))


# on the page


def opened(page, **state):
    app = AppTest.from_file(ROOT / "app.py", default_timeout=120)
    app.switch_page(PAGES[page].script)
    for name, value in state.items():
        app.session_state[name] = value
    return app.run()


@pytest.mark.parametrize("page", LESSONS)
def test_nothing_is_made_before_it_is_asked_for(page):
    with mock.patch.object(home, "programs", side_effect=AssertionError("made too early")):
        app = opened(page)
    assert not app.exception
    assert any(each.label == "Take home" for each in app.expander)


def test_an_open_expander_shows_the_program_and_offers_both_files():
    app = opened("tiles", take_tiles=True)
    assert not app.exception
    code, = (each.value for each in app.code if each.value.startswith("# "))
    assert "def online_softmax" in code
    assert [each.label for each in app.get("download_button") if "keep" not in each.proto.id] == [
        "Program for NumPy (.py)", "Notebook (.ipynb)"]
    choice, = (each for each in app.get("button_group") if each.key == "take_tiles_as")
    app = choice.set_value("torch").run()
    assert any("import torch" in each.value for each in app.code)


def test_matrices_that_disagree_give_no_program():
    app = AppTest.from_file(ROOT / "app.py", default_timeout=120)
    app.switch_page(PAGES["qkv"].script)
    app.query_params["w_k"] = "1_0~0_1"
    app.session_state["take_qkv"] = True
    app.run()
    assert not app.exception
    assert not any(each.value.startswith("# ") for each in app.code)


def test_a_notebook_holds_the_readers_words_as_a_literal_and_escapes_them_in_its_sentence():
    link = EXPERIMENTS[1][1]
    program, language = shown("pipeline", *link.items())
    cells = json.loads(as_notebook(language, program))["cells"]
    code, prose = ("\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == kind)
                   for kind in ("code", "markdown"))
    tokens = next(node.value for node in ast.walk(ast.parse(code))
                  if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "tokens")
    assert tuple(ast.literal_eval(tokens)) == sentence_tokens(link["words"]).tokens
    assert r"\<b" in prose and not re.search(r"(?<!\\)[<>]", prose)
