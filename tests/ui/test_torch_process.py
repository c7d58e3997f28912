"""PyTorch's process: what crosses the pipes, and that it may die, hang, babble or leave without harm to anybody.

Most tests run the real worker on a stand-in for torch, which starts in a moment and need not be installed.
"""

import io
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from attention_core import scaled_dot_product_attention
from pages.ui.judge import reference, torch_process, torch_worker
from pages.ui.judge.torch_process import TorchError, TorchProcess, ending
from pages.ui.judge.torch_worker import MARK, PREFIX, FrameError, pack, unpack

ROOT = Path(__file__).parents[2]
needs_torch = pytest.mark.skipif(
    not reference.installed(), reason="PyTorch is missing: pip install -r requirements.txt"
)
posix = pytest.mark.skipif(os.name != "posix", reason="signals are needed to stop and kill the process")
STAND_IN = """
import os, types
print("a library greets")
os.write(1, b"a library written in C greets")
__version__ = "0"
__config__ = types.SimpleNamespace(show=lambda: "PyTorch built with:\\n  - GCC 1\\n  - noise")
version = types.SimpleNamespace(git_version="abc")
set_num_threads = set_warn_always = get_num_threads = lambda *_: 1
"""
VERSIONS = [{"ask": "versions"}]


def until(condition, seconds=30):
    """Wait for a condition that another process or thread makes true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never became true"
        time.sleep(0.01)


def gone(pid):
    """Whether a process has ended; one that waits for its parent to notice has."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z"


@pytest.fixture
def start(tmp_path):
    """Make a process: start(STAND_IN, idle=1) runs the worker on a stand-in, start(command=[...]) anything."""
    made = []

    def make(torch=STAND_IN, command=None, idle=60.0, **seconds):
        (tmp_path / "torch.py").write_text(torch)
        run = f"import runpy, sys; sys.path.insert(0, {str(tmp_path)!r}); sys.argv = ['worker', '{idle}']; " \
            f"runpy.run_path({str(torch_process.SCRIPT)!r}, run_name='__main__')"
        made.append(TorchProcess(command or [sys.executable, "-c", run], idle=idle, **seconds))
        return made[-1]

    yield make
    for process in made:
        process.close()


def says(data, then=""):
    """A command that writes bytes and ends, or does something else first."""
    return [sys.executable, "-c", f"import os, sys, time\nos.write(1, {data!r})\n{then}"]


def asked(process, items=VERSIONS):
    """Ask in another thread; return the thread and where its answer or error will be."""
    found = []

    def ask():
        try:
            found.append(process.ask(items))
        except TorchError as error:
            found.append(error)

    thread = Thread(target=ask)
    thread.start()
    return thread, found


# frames

plain = st.dictionaries(
    st.text(st.characters(codec="utf-8"), max_size=5), st.none() | st.booleans() | st.integers() | st.text(max_size=5)
    | st.floats(allow_nan=False, allow_infinity=False) | st.lists(st.integers(0, 9), max_size=3), max_size=4,
)
array = arrays_of.arrays(
    st.sampled_from([np.float64, np.float32, np.bool_]), arrays_of.array_shapes(min_dims=0, min_side=0, max_side=3)
)


@given(st.lists(st.tuples(plain, array), max_size=3))
def test_what_is_packed_is_read_again(items):
    sent = [{**head, "array": found} for head, found in items]
    read = unpack(io.BytesIO(pack(sent)))
    assert len(read) == len(sent)
    for one, other in zip(sent, read, strict=True):
        found, expected = other.pop("array"), one.pop("array")
        assert found.dtype == expected.dtype and np.array_equal(found, expected, equal_nan=True)
        assert one == other


@given(st.data())
def test_a_frame_that_ends_early_is_no_frame(data):
    frame = pack([{"ask": "sdpa", "query": np.eye(3)}])
    cut = data.draw(st.integers(0, len(frame) - 1))
    with pytest.raises(EOFError):
        unpack(io.BytesIO(frame[:cut]))


@given(st.binary(max_size=60), st.binary(max_size=60))
def test_garbage_in_a_frame_is_named(header, body):
    with pytest.raises(FrameError):
        unpack(io.BytesIO(PREFIX.pack(MARK, len(header) + 1, len(body)) + b"!" + header + body))


def framed(header, body=b""):
    return PREFIX.pack(MARK, len(header), len(body)) + header + body


def objects():
    stream = io.BytesIO()
    np.save(stream, np.array([{}], dtype=object), allow_pickle=True)
    return stream.getvalue()


@pytest.mark.parametrize(
    "frame",
    [b"GET / HTTP/1.1\r\n\r\n", PREFIX.pack(MARK, 2**31, 2**31), framed(b"{}x"), framed(b"7"), framed(b"[7]"),
     framed(b'[{"plain": {}}]'), framed(b"[" * 100_000), framed(b'[{"plain": {}, "arrays": ["a"]}]', objects())],
    ids=["http", "too long", "no JSON", "no list", "no item", "no arrays", "deep", "a pickle"],
)
def test_what_is_no_frame_is_refused(frame):
    with pytest.raises(FrameError):
        unpack(io.BytesIO(frame))


def test_too_large_a_question_is_refused_before_it_is_sent(monkeypatch, start):
    process = start()
    process.ask(VERSIONS)
    pid = process.process.pid
    with monkeypatch.context() as small:
        small.setattr(torch_worker, "LIMIT", 1000)
        with pytest.raises(ValueError, match="1000 bytes"):
            process.ask([{"ask": "sdpa", "query": np.eye(30)}])
    assert process.ask(VERSIONS)[0]["torch"] == "0" and process.process.pid == pid


def test_too_large_an_answer_is_an_error_of_each_question(monkeypatch):
    monkeypatch.setattr(torch_worker, "LIMIT", 1000)
    stream = io.BytesIO()
    torch_worker._send(stream, [{"output": np.eye(30)}, {"output": np.eye(2)}])
    stream.seek(0)
    assert ["1000 bytes" in answer["error"] for answer in unpack(stream)] == [True, True]


# a life without accidents

def test_one_process_answers_and_nothing_starts_it_but_a_question(start):
    process = start()
    assert process.process is None and not process.ready()
    first, = process.ask(VERSIONS)
    pid = process.process.pid
    assert process.ready() and first["build"] == "GCC 1" and first["numpy"] == np.__version__
    assert process.ask(VERSIONS * 3) == [first] * 3 and process.process.pid == pid


def test_a_question_that_fails_is_answered_with_the_error(start):
    process = start()
    fine, unknown, broken = process.ask([*VERSIONS, {"ask": "nothing"}, {"ask": "sdpa"}])
    assert "torch" in fine and unknown["error"] == "KeyError: 'nothing'" and "Error" in broken["error"]
    assert process.ready()


def test_the_process_leaves_when_nobody_asks_and_no_zombie_stays(start):
    process = start(idle=0.3)
    process.ask(VERSIONS)
    first = process.process
    until(lambda: first.returncode is not None)  # the attribute: nobody but the process's own thread looks
    assert first.returncode == 0 and not process.ready()
    assert process.ask(VERSIONS)[0]["torch"] == "0" and process.process is not first


def test_a_process_that_may_be_leaving_is_not_asked(start):
    process = start(idle=60)
    process.ask(VERSIONS)
    first, process.last_used = process.process, process.last_used - 55
    assert not process.ready()
    process.ask(VERSIONS)
    assert process.process is not first and first.returncode is not None


def test_a_process_that_is_asked_again_and_again_stays(start):
    process = start(idle=1.5)
    process.ask(VERSIONS)
    first = process.process
    for _ in range(8):
        time.sleep(0.3)  # eight pauses, each shorter than idle, all together longer
        process.ask(VERSIONS)
    assert process.process is first and first.poll() is None


def test_the_files_of_the_lab_cannot_be_taken_for_libraries(monkeypatch, tmp_path):
    """The folder of a script stands first on the path otherwise: torch would import our theme.py as its theme."""
    (tmp_path / "torch.py").write_text("import importlib.util as u\nassert not u.find_spec('theme')\n" + STAND_IN)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    process = TorchProcess()
    try:
        assert process.ask(VERSIONS)[0]["torch"] == "0"
    finally:
        process.close()


def test_the_process_ends_with_its_pipe(start):
    process = start()
    process.ask(VERSIONS)
    process.process.stdin.close()
    assert process.process.wait(30) == 0


SESSION = """
import sys
from pages.ui.judge import torch_process
torch_process.PROCESS.command = {command!r}
torch_process.PROCESS.ask([{{"ask": "versions"}}])
print(torch_process.PROCESS.process.pid, flush=True)
{then}
"""


@posix
@pytest.mark.parametrize(
    ("then", "code"), [("", 0), ("import os; os.kill(os.getpid(), 9)", -9)], ids=["exits", "is killed"]
)
def test_the_process_does_not_outlive_the_server(start, then, code):
    script = SESSION.format(command=start().command, then=then)
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (code, "")
    until(lambda: gone(int(done.stdout)))


def test_while_torch_is_imported_other_threads_run_and_nobody_waits_for_ready(start):
    process = start("import time; time.sleep(1)\n" + STAND_IN)
    thread, found = asked(process)
    answers = []
    while thread.is_alive():
        answers.append(process.ready())
        time.sleep(0.01)
    assert answers.count(False) > 20 and found[0][0]["torch"] == "0" and process.ready()


# accidents

def test_a_torch_that_cannot_be_imported_is_a_sentence(start):
    process = start("raise OSError('boom')")
    with pytest.raises(TorchError, match="^OSError: boom$") as error:
        process.ask(VERSIONS)
    assert error.value.kind == "start" and process.process is None


def test_a_command_that_does_not_exist_is_a_sentence(start):
    with pytest.raises(TorchError, match="No such file") as error:
        start(command=["no-such-command"]).ask(VERSIONS)
    assert error.value.kind == "start"


READY = pack([{"ready": True}])
BABBLE = {
    "nothing": (says(b""), "died", "code 0"),
    "text": (says(b"Traceback (most recent call last)"), "garbled", "cannot be read"),
    "a frame cut off": (says(pack(VERSIONS)[:-1]), "died", "code 0"),
    "no greeting": (says(pack(VERSIONS), "time.sleep(60)"), "start", "no greeting"),
    "an empty greeting": (says(pack([]), "time.sleep(60)"), "start", "no greeting"),
    "a code": (says(READY, "sys.exit(3)"), "died", "code 3"),
    "text later": (says(READY + b"x" * 100, "time.sleep(60)"), "garbled", "cannot be read"),
    "too few": (says(READY + pack([]), "time.sleep(60)"), "garbled", "0 answers"),
}


@pytest.mark.parametrize(("command", "kind", "words"), BABBLE.values(), ids=BABBLE.keys())
def test_garbage_on_the_pipe_is_a_sentence_and_ends_the_process(start, command, kind, words):
    process = start(command=command)
    for _ in range(2):  # the turn is given back
        with pytest.raises(TorchError, match=words) as error:
            process.ask(VERSIONS)
        assert error.value.kind == kind and "\n" not in str(error.value)
        assert process.process is None or process.process.returncode is not None


@posix
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGFPE, signal.SIGSEGV])
def test_a_process_that_dies_in_mid_question_is_replaced(start, number):
    process = start()
    process.ask(VERSIONS)
    first = process.process
    os.kill(first.pid, signal.SIGSTOP)  # the question stays unanswered
    thread, found = asked(process)
    until(process.turn.locked)
    os.kill(first.pid, number)
    with suppress(ProcessLookupError):
        os.kill(first.pid, signal.SIGCONT)  # it meets any other signal than SIGKILL once it goes on
    thread.join(30)
    error, = found
    assert error.kind == "died" and f"code {-number} ({number.name})" in str(error)
    assert first.returncode == -number
    assert process.ask(VERSIONS)[0]["torch"] == "0" and process.process is not first


@posix
def test_a_late_process_is_killed_and_replaced(start):
    process = start(answer=0.3)
    process.ask(VERSIONS)
    first = process.process
    os.kill(first.pid, signal.SIGSTOP)
    with pytest.raises(TorchError, match=r"no answer within 0\.3 s") as error:
        process.ask(VERSIONS)
    assert error.value.kind == "late" and first.returncode == -signal.SIGKILL
    process.answer_seconds = 60
    assert process.ask(VERSIONS)[0]["torch"] == "0"


@posix
def test_a_question_larger_than_the_pipe_does_not_block_either(start):
    process = start(answer=0.3)
    process.ask(VERSIONS)
    os.kill(process.process.pid, signal.SIGSTOP)
    with pytest.raises(TorchError, match="no answer within"):
        process.ask([{"ask": "nothing", "query": np.zeros(2**19)}])


def test_an_import_without_end_is_late(start):
    process = start("import time; time.sleep(60)", start=0.5)
    with pytest.raises(TorchError, match=r"no answer within 0\.5 s") as error:
        process.ask(VERSIONS)
    assert error.value.kind == "late"


def test_a_question_waits_for_its_turn_but_not_for_ever(start):
    process = start(turn=0.1)
    with process.turn, pytest.raises(TorchError, match=r"busy.* 0\.1 s") as error:
        process.ask(VERSIONS)
    assert error.value.kind == "busy" and process.process is None
    assert process.ask(VERSIONS)[0]["torch"] == "0"


@posix
def test_closing_in_mid_question_sets_its_thread_free(start):
    process = start()
    process.ask(VERSIONS)
    os.kill(process.process.pid, signal.SIGSTOP)
    thread, found = asked(process)
    until(process.turn.locked)
    process.close()
    thread.join(30)
    assert found[0].kind == "died" and not process.ready()


def test_endings_have_names():
    assert (ending(0), ending(-9), ending(-99)) == ("code 0", "code -9 (SIGKILL)", "code -99")


# the same with PyTorch

@needs_torch
@posix
def test_killed_in_the_middle_of_a_battery_the_next_part_is_answered():
    draws = [np.random.default_rng(seed).normal(size=(2, 3, 4, 5)) for seed in range(300)]
    battery = [{"query": inputs, "key": inputs, "value": inputs} for inputs in draws]
    reference.sdpa_many(battery[:1])
    first = torch_process.PROCESS.process
    os.kill(first.pid, signal.SIGSTOP)
    killer = Thread(target=lambda: (until(torch_process.PROCESS.turn.locked), os.kill(first.pid, signal.SIGKILL)))
    killer.start()
    with pytest.raises(TorchError, match="SIGKILL"):
        reference.sdpa_many(battery[:150])
    killer.join()
    answers = reference.sdpa_many(battery[150:])
    assert torch_process.PROCESS.process.pid != first.pid
    for inputs, answer in zip(draws[150:], answers, strict=True):
        assert np.abs(answer.output - scaled_dot_product_attention(inputs, inputs, inputs).output).max() <= 1e-12


@needs_torch
def test_threads_that_ask_at_once_get_their_own_answers():
    wrong, rounds = [], 25

    def session(seed):
        for number in range(rounds):
            inputs = np.random.default_rng([seed, number]).normal(size=(2, 2 + seed, 3))
            expected = scaled_dot_product_attention(inputs, inputs, inputs).output
            found = reference.sdpa(inputs, inputs, inputs).output
            if found.shape != expected.shape or np.abs(found - expected).max() > 1e-12:
                wrong.append((seed, number))

    threads = [Thread(target=session, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert wrong == []
