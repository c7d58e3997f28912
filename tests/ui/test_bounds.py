"""What keeps one visitor from using up the host: every bound of the README's table, where it stands in the code."""

import ast
import re
import time
import tomllib
from functools import cache
from pathlib import Path

import pytest

from pages.ui import cached
from pages.ui.bench import battery, own, running
from pages.ui.fields import FIELDS
from pages.ui.judge import torch_process, torch_worker
from pages.ui.lessons import learning, runs, tiles_memory, turns
from pages.ui.tables import board
from pages.ui.typed import entry

ROOT = Path(__file__).parents[2]
FILES = [ROOT / "app.py", *sorted(ROOT.glob("pages/**/*.py")), *sorted(ROOT.glob("attention_core/*.py"))]
SERVER = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())["server"]

# The most that a link or a control can ask for, of what costs time or memory.
MOST = {
    "d_k": 512, "keys": 64, "add_d": 512, "add_hidden": 128, "add_keys": 32, "tiles_keys": 12, "d_model": 12,
    "num_heads": 8, "draw_n": 12, "draw_m": 12, "draw_d_k": 12, "draw_d_v": 12, "draw_heads": 4, "draw_batch": 3,
    "train_seeds": 10, "exp_keys": 8, "exp_d_v": 8,
}
OF_FEW = {  # caches without a bound of their own: what they are asked for is in the code, never in a link
    "pages/ui/lesson.py": {"source"},
    "pages/ui/take/trimmed.py": {"trimmed"},
    "pages/ui/take/carried.py": {"top_level", "reads"},
    "pages/ui/classroom/prediction.py": {"_truth"},
    "pages/ui/lessons/questions_figures.py": {"divided", "wrongly"},
    "attention_core/largest_weight.py": {"_gauss"},
}


@cache
def trees():
    return {str(path.relative_to(ROOT)): ast.parse(path.read_text()) for path in FILES}


def name_of(node):
    """The last name of a decorator or of what is called."""
    node = node.func if isinstance(node, ast.Call) else node
    return getattr(node, "attr", getattr(node, "id", ""))


def unbounded(tree):
    """Functions with parameters whose cache could grow for ever."""
    found = set()
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef) or not (function.args.args or function.args.kwonlyargs):
            continue
        for decorator in function.decorator_list:
            options = {word.arg for word in getattr(decorator, "keywords", ())}
            if name_of(decorator) in ("cache_data", "cache_resource") and "max_entries" not in options:
                found.add(function.name)
            if name_of(decorator) == "cache":
                found.add(function.name)
            if name_of(decorator) == "lru_cache" and isinstance(decorator, ast.Call) and not (
                decorator.args or "maxsize" in options
            ):
                found.add(function.name)
    return found


def test_every_cache_has_a_bound():
    found = {path: unbounded(tree) - OF_FEW.get(path, set()) for path, tree in trees().items()}
    assert {path: names for path, names in found.items() if names} == {}


@pytest.mark.parametrize("text", [
    "@st.cache_data\ndef f(x): pass", "@st.cache_data(ttl=3)\ndef f(x): pass", "@cache\ndef f(x): pass",
    "@functools.cache\ndef f(*, x): pass", "@lru_cache()\ndef f(x): pass",
])
def test_a_cache_without_a_bound_is_seen(text):
    assert unbounded(ast.parse(text)) == {"f"}


def calls(name):
    return [(path, node) for path, tree in trees().items() for node in ast.walk(tree)
            if isinstance(node, ast.Call) and name_of(node) == name
            and getattr(getattr(node.func, "value", None), "id", "") == "st"]


@pytest.mark.parametrize(("kind", "bound"), [
    ("text_input", "max_chars"), ("text_area", "max_chars"), ("chat_input", "max_chars"),
    ("file_uploader", "max_upload_size"),
])
def test_every_text_and_every_file_has_a_bound(kind, bound):
    """Streamlit cuts a text there itself, whatever a browser sends."""
    for path, call in calls(kind):
        assert bound in {word.arg for word in call.keywords}, f"{path}:{call.lineno}"
    assert calls("text_input") and calls("file_uploader"), "they are found at all"


def test_a_message_an_upload_and_what_a_browser_holds_have_bounds():
    assert SERVER["maxUploadSize"] == 1 and own.BYTES <= SERVER["maxUploadSize"] * 2**20
    assert SERVER["maxMessageSize"] <= 10 and SERVER["maxWidgetStateSize"] <= 1
    assert board.MOST**2 * (board.LONGEST + 12) < SERVER["maxWidgetStateSize"] * 10**6, "and the largest pasted block"
    longest = 4 * max(own.TYPED, 10 * entry.LONGEST)
    assert longest < SERVER["maxWidgetStateSize"] * 10**6, "the longest text that can be pasted still arrives"


def test_sizes_and_iterations_have_bounds():
    assert {name: FIELDS[name].high for name in MOST} == MOST
    assert FIELDS["train_steps"].choices == ("400", "1200") and FIELDS["cases"].choices == ("200", "1000")
    assert FIELDS["train_d_k"].choices[-1] == "256"
    assert (cached.SEEDS, cached.MANY, cached.HEAD_SEEDS) == (400, 2000, 100)
    assert max(tiles_memory.MEASURED) == 2048 and tiles_memory.SECONDS == 20
    assert (own.NUMBERS, entry.LONGEST, entry.LIMIT, board.MOST, board.LONGEST) == (10_000, 10_000, 1000, 64, 100)
    assert own.TYPED == 24 * own.NUMBERS and board.ACTS == 64
    assert all(kind.longest <= 160 for kind in FIELDS.values() if type(kind).__name__ == "Text")
    assert torch_worker.LIMIT <= 64 * 2**20
    assert (torch_process.ANSWER_SECONDS, torch_process.TURN_SECONDS, torch_process.IDLE_SECONDS) == (60, 120, 300)


def test_long_runs_come_in_short_slices_one_at_a_time():
    assert runs.SLICE <= 0.05 and runs.TICK >= 0.2 and running.SLICE == 2 * battery.CHUNK == 100
    assert turns.PATIENCE <= 10 and turns.DRAWN <= 20 and turns.TURN <= 20


def test_a_slice_of_the_battery_is_short():
    run, slowest = running.start(("none", 0), 1000, 0, None, None), 0.0
    while not run.done:
        start = time.thread_time()
        run.advance()
        slowest = max(slowest, time.thread_time() - start)
    assert slowest < 1, "a tenth of it on the machine that this was written on"


def test_starting_a_run_computes_nothing_much():
    """A button can be pressed again and again before its run has a turn."""
    start = time.thread_time()
    running.start(("none", 0), 1000, 0, None, None)
    learning.training.clear()
    learning.training(256, "sgd", 0.1, 1200, tuple(range(10)), True)
    assert time.thread_time() - start < 1


TIME_OF_DAY = re.compile(r"\btime\.time\b|\bdatetime\.(now|today|utcnow)\b|\bdate\.today\b|\bDate\.now\b|new Date\(\)"
                         r"|\btime\.(localtime|gmtime|ctime|strftime)\b|from time import [^\n]*\btime\b")


def test_nothing_depends_on_the_time_of_day():
    """A clock that is set, or a night without power, changes no turn, no vote and no number."""
    scripts = [*FILES, *sorted(ROOT.glob("pages/**/*.js"))]
    assert [str(path) for path in scripts if TIME_OF_DAY.search(path.read_text())] == []
    assert TIME_OF_DAY.search("x = time.time()") and not TIME_OF_DAY.search("time.monotonic(); time.thread_time()")
