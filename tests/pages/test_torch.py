"""PyTorch is a guest: asked for by name, in a process of its own, and believed only when it agrees."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import streamlit as st

from attention_core import scaled_dot_product_attention
from pages.ui import words
from pages.ui.bench.experiment import Experiment
from pages.ui.bench.stages import STAGES, ours
from pages.ui.judge import reference
from pages.ui.judge.torch_process import TorchProcess
from pages.ui.judge.torch_worker import pack
from pages.ui.language import LANGUAGES, Language, power

ROOT = Path(__file__).parents[2]
every_language = pytest.mark.parametrize("lang", LANGUAGES)


@pytest.fixture(autouse=True)
def nothing_is_remembered():
    st.cache_data.clear()
    yield
    st.cache_data.clear()


@pytest.fixture
def ask(monkeypatch):
    """Let a function answer instead of PyTorch; count its calls."""
    calls = []

    def replace(answer):
        def stages(query, key, value, attn_mask, is_causal, scale, grad_output, dtype):
            calls.append(1)
            found = ours(Experiment("", query, key, value, grad_output, attn_mask, is_causal, scale))
            changed = {"output": answer(query, key, value, attn_mask, is_causal, scale)}
            return reference.Stages(**{name: (found | changed)[name] for name in STAGES[3:]})

        def sdpa_many(questions):
            return [
                reference.Answer(None, "dims") if question.get("backend") == "fused" else reference.Answer(answer(*(
                    question[name] for name in ("query", "key", "value", "attn_mask", "is_causal", "scale")
                ))) for question in questions
            ]

        monkeypatch.setattr(reference, "installed", lambda: True)
        monkeypatch.setattr(reference, "ready", lambda: False)
        monkeypatch.setattr(reference, "stages", stages)
        monkeypatch.setattr(reference, "sdpa_many", sdpa_many)
        return calls

    return replace


def numpy(*arguments):
    return scaled_dot_product_attention(*arguments).output


def verdicts(page):
    return page.words("success"), page.words("error")


def test_no_page_brings_torch_into_the_process():
    """All pages, also with the comparison, in a process of its own whose modules are then looked through."""
    script = """
import sys
from streamlit.testing.v1 import AppTest
from pages.ui.contents import PAGES
for name, page in PAGES.items():
    app = AppTest.from_file(sys.argv[1] + "/app.py", default_timeout=120)
    if name != "home":
        app.switch_page(page.script)
    app.query_params["compare"] = "yes"
    app.run()
    assert not app.exception, app.exception
    if name == "verification":
        agreed = [element.value for element in app.success]
print(sorted(name for name in sys.modules if name.split(".")[0] in ("torch", "tensorflow", "jax")))
print(len(agreed), "PyTorch" in agreed[0])
"""
    done = subprocess.run([sys.executable, "-c", script, str(ROOT)], cwd=ROOT, capture_output=True, text=True,
                          timeout=180, check=True)
    modules, agreed = done.stdout.split("\n")[:2]
    assert modules == "[]"
    if reference.installed():
        assert agreed == "1 True", "the comparison ran"


def test_torch_is_not_asked_before_it_is_wanted(lab, ask):
    calls = ask(numpy)
    page = lab("verification")
    assert calls == [] and "matrix-torch" not in page.html and "PyTorch" not in str(verdicts(page))
    page.press("set_compare")
    assert calls == [1] and "matrix-torch" in page.html and page.link["compare"] == "yes"
    assert "PyTorch" in str(verdicts(page))
    page.run()
    assert calls == [1], "the answer is kept"
    page.press("set_compare")
    assert calls == [1] and "matrix-torch" not in page.html and "compare" not in page.link


@every_language
def test_without_torch_the_page_says_how_to_install_it(lab, monkeypatch, lang):
    monkeypatch.setattr(reference, "find_spec", lambda name: None)
    page = lab("verification", lang=lang, compare="yes")
    info, = page.words("info")
    pinned = re.search(r"^torch==\S+$", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
    assert "pip install torch" in info and (not pinned or pinned[0] in info)
    (agreed,), disagreed = verdicts(page)
    assert "PyTorch" not in agreed and disagreed == [] and "matrix-output" in page.html
    assert "matrix-torch" not in page.html and "grad" not in page.html
    assert page.try_out(2).state("example") == "drawn" and len(page.words("info")) == 1


@pytest.mark.skipif(not reference.installed(), reason="PyTorch is missing: pip install -r requirements.txt")
@every_language
@pytest.mark.parametrize("example", words.EXAMPLE)
def test_torch_agrees_on_every_example(lab, lang, example):
    page, _ = lab("verification", lang=lang, compare="yes", example=example), Language(lang)
    assert page.table("torch") == page.table("output")
    agreed, = page.words("success")
    assert not page.app.error and re.search(r"10⁻¹[¹²]", agreed)
    assert re.search(r"\*\*\d" + re.escape(_.decimal_symbol) + r"\d\s×\s10⁻¹[⁵⁶⁷⁸⁹]\*\*", agreed)
    assert page.html.count('class="verdict right"') == 9, "five stages, PyTorch's own function, three gradients"


@every_language
def test_a_wrong_answer_is_called_wrong(lab, ask, lang):
    ask(lambda *arguments: numpy(*arguments) + np.eye(2, 3) * 2.5e-9)
    page = lab("verification", lang=lang, compare="yes")
    disagreed, = page.words("error")
    assert not page.app.success and f"**{power(Language(lang), 2.5e-9)}**" in disagreed
    assert power(Language(lang), 2.5e-9) in page.table("difference")[0]
    assert page.html.count('class="verdict wrong"') == 2, "the output by steps and by PyTorch's own function"


LARGEST = 6.362626367910445  # of the source's output: the tolerance grows with it


@pytest.mark.parametrize(
    ("error", "agrees"), [(0, True), (0.95e-12 * LARGEST, True), (1.05e-12 * LARGEST, False), (1, False)]
)
def test_the_verdict_turns_at_the_tolerance(lab, ask, error, agrees):
    ask(lambda *arguments: numpy(*arguments) - error)
    page = lab("verification", compare="yes")
    assert [bool(text) for text in verdicts(page)] == [agrees, not agrees]


@pytest.mark.parametrize("answer", [np.nan, np.inf])
def test_an_answer_that_is_no_number_is_no_agreement(lab, ask, answer):
    ask(lambda *arguments: numpy(*arguments) + answer)
    page = lab("verification", compare="yes")
    assert not page.app.success and page.app.error


def program(script):
    """A program in the place of PyTorch's process."""
    return [sys.executable, "-c", f"import os, sys, time\n{script}"]


def saying(data):
    return program(f"os.write(1, {data!r})\nsys.stdin.read()")


CRASH = saying(pack([{"error": "OSError: boom"}]))
FALL_SILENT = program("import signal\nos.kill(os.getpid(), signal.SIGFPE)")
HANG = program("time.sleep(60)")
FAULTS = [(CRASH, "OSError: boom"), (FALL_SILENT, "-8"), (HANG, "1.5 s"), (["no-such-program"], "No such file")]


@pytest.fixture
def instead(monkeypatch):
    """Let a program be PyTorch's process, which is given 1.5 s to start."""
    made = []

    def replace(command):
        made.append(TorchProcess(command, start=1.5))
        monkeypatch.setattr(reference, "PROCESS", made[-1])
        monkeypatch.setattr(reference, "find_spec", lambda name: object())

    yield replace
    for process in made:
        process.close()


@every_language
@pytest.mark.parametrize(("fault", "says"), FAULTS)
def test_a_failure_is_a_sentence(lab, instead, fault, says, lang):
    instead(fault)
    page = lab("verification", lang=lang, compare="yes")
    error, = page.words("error")
    assert page.words("success"), "plain Python judges instead"
    assert says in error and "Traceback" not in error and "\n" not in error.strip()
    assert "matrix-output" in page.html and "matrix-torch" not in page.html


def test_a_failure_is_not_remembered(lab, instead, ask):
    instead(CRASH)
    page = lab("verification", compare="yes")
    assert page.app.error
    calls = ask(numpy)
    assert not page.run().app.error and calls == [1]


GREETING = pack([{"ready": True}])


@pytest.mark.parametrize(
    "stdout", [b"", b"not an array, and no frame", GREETING + b"neither is this one", GREETING + GREETING[:-1]],
    ids=["nothing", "text", "text later", "an answer cut off"],
)
def test_an_answer_that_cannot_be_read_is_a_sentence(lab, instead, stdout):
    instead(program(f"os.write(1, {stdout!r})"))
    assert lab("verification", compare="yes").app.error


def test_the_turn_is_given_back_after_a_failure(instead):
    instead(CRASH)
    for _ in range(2):
        with pytest.raises(reference.TorchError, match="boom"):
            reference.attention(np.eye(2), np.eye(2), np.eye(2))
    assert reference.PROCESS.turn.acquire(timeout=1)
    reference.PROCESS.turn.release()


@pytest.mark.parametrize(("number", "example", "calls"), [(0, "source", 1), (1, "drawn", 0), (2, "drawn", 1)])
def test_a_try_button_sets_its_experiment(lab, ask, number, example, calls):
    asked = ask(numpy)
    page = lab("verification").try_out(number)
    assert (page.state("example"), len(asked)) == (example, calls)
    assert page.state("compare") == ("yes" if calls else "no")
    assert (page.app.error if number == 1 else page.app.success)
