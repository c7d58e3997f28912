"""Keeping PyTorch's process: started at the first question, killed when late, replaced when dead. Imports no torch."""

import atexit
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from threading import Event, Lock, Thread, Timer

from pages.ui.judge.torch_worker import FrameError, pack, unpack

IDLE_SECONDS = 300  # then the process ends, and its 110 MB with it
START_SECONDS = 120  # for the first import from a cold disk
ANSWER_SECONDS = 60
TURN_SECONDS = 120  # how long a question may wait for those before it
SCRIPT = Path(__file__).with_name("torch_worker.py")
ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


class TorchError(RuntimeError):
    """PyTorch gave no answer; the message is one sentence.

    Attributes
    ----------
    kind : str
        "busy" (no turn), "late", "died", "garbled", "start" (no such process, or no torch) or "refused" (PyTorch
        raised an error, and its process lives on).
    """

    def __init__(self, sentence: str, kind: str = "refused"):
        super().__init__(sentence)
        self.kind = kind


class TorchProcess:
    """One process for all sessions, one question at a time.

    Everything that waits, waits in a lock or in the read of a pipe, where the interpreter lock is free for others.

    Parameters
    ----------
    command : list of str, optional
        What to start instead of torch_worker.
    idle, start, answer, turn : float
        Seconds: until an idle process ends, for its start, for an answer, for one's turn.
    """

    def __init__(
        self, command: list[str] | None = None, idle: float = IDLE_SECONDS, start: float = START_SECONDS,
        answer: float = ANSWER_SECONDS, turn: float = TURN_SECONDS,
    ):
        # -P: the folder of the script must not stand on the path, its theme.py or words.py could shadow a library's
        self.command = command or [sys.executable, "-P", str(SCRIPT), str(idle)]
        self.idle_seconds, self.start_seconds, self.answer_seconds = idle, start, answer
        self.turn_seconds = turn
        self.turn, self.process, self.last_used = Lock(), None, 0.0

    def ready(self) -> bool:
        """Tell, without waiting, whether a question would be answered without an import first."""
        process = self.process
        return process is not None and process.poll() is None and not self._expired()

    def ask(self, items: list[dict]) -> list[dict]:
        """Send one frame of questions and return as many answers.

        Raises
        ------
        TorchError
            If there is no turn, no process or no readable answer in time. The next question finds a new process.
        FrameError
            If the questions exceed the limit of a frame; nothing is sent.
        """
        frame = pack(items)
        if not self.turn.acquire(timeout=self.turn_seconds):
            raise TorchError(f"PyTorch is busy with other questions: no turn within {self.turn_seconds:g} s", "busy")
        try:
            if not self.ready():
                self._start()
            answers = self._exchange(self.process, frame, self.answer_seconds)
            if len(answers) != len(items):
                self.close()
                raise TorchError(f"{len(items)} questions, but {len(answers)} answers", "garbled")
            self.last_used = time.monotonic()
            return answers
        finally:
            self.turn.release()

    def close(self) -> None:
        """End the process, also in the middle of a question."""
        if self.process is not None:
            end(self.process)

    def _expired(self):
        """Whether the process may be about to leave; a question must not meet it in the door."""
        return time.monotonic() - self.last_used > 0.9 * self.idle_seconds

    def _start(self):
        self.close()
        try:
            process = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                env={**os.environ, **ONE_THREAD},
            )
        except OSError as refusal:
            raise TorchError(str(refusal), "start") from refusal
        Thread(target=process.wait, daemon=True).start()  # or a process that left would stay behind as a zombie
        hello, *_ = self._exchange(process, b"", self.start_seconds) or [{}]
        if "ready" not in hello:
            end(process)
            raise TorchError(str(hello.get("error", "no greeting")), "start")
        self.process, self.last_used = process, time.monotonic()

    def _exchange(self, process, frame, seconds):
        """Write, then read one frame; the process survives only a whole answer in time."""
        late = Event()
        watch = Timer(seconds, lambda: (late.set(), process.kill()))  # ends a write that blocks as well as a read
        watch.daemon = True
        watch.start()
        whole = False
        try:
            process.stdin.write(frame)
            process.stdin.flush()
            answers = unpack(process.stdout)
            whole = True
            return answers
        except FrameError as garbled:
            raise TorchError(f"the answer cannot be read: {garbled}", "garbled") from garbled
        except (OSError, EOFError, ValueError) as gone:  # ValueError: another thread closed the pipe
            if late.is_set():
                raise TorchError(f"no answer within {seconds:g} s", "late") from gone
            code = ending(end(process, patience=2))
            raise TorchError(f"PyTorch's process ended with {code} before it answered", "died") from gone
        finally:
            watch.cancel()
            if late.is_set() or not whole:
                end(process)


def end(process: subprocess.Popen, patience: float = 0.0) -> int:
    """Kill a process, close its pipes, return its code; one that is dying by itself may keep its own."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(patience)
    process.kill()
    code = process.wait()
    for pipe in (process.stdin, process.stdout):
        with suppress(OSError):
            pipe.close()
    return code


def ending(code: int) -> str:
    """Name a return code.

    >>> ending(1), ending(-8)
    ('code 1', 'code -8 (SIGFPE)')
    """
    names = {-number: f" ({number.name})" for number in signal.Signals}
    return f"code {code}{names.get(code, '')}"


PROCESS = TorchProcess()  # one for the whole server: a small host has no memory for more
atexit.register(PROCESS.close)
