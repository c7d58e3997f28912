"""Memory of both paths over n: predicted, and on request measured in a process of its own, once for all sessions."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import streamlit as st

from attention_core.memory import DENSE, FLOAT32, PATHS, first_too_large, predicted_bytes
from pages.ui import controls, lesson
from pages.ui.language import N_, NO_BREAK, Language
from pages.ui.lessons.tiles_charts import memory_over_n

SIZES = 2 ** np.arange(7, 19)  # 128 to 262144
MEASURED = (128, 256, 512, 1024, 2048)  # the dense path at 2048 asks for 84 MB
SECONDS = 20  # a measurement takes about one
WIDTH, TILE = 64, 64
HOSTS = {10**9: N_("a small server"), 80 * 10**9: N_("a large GPU")}
UNITS = ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB"))
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
ROOT = Path(__file__).parents[3]


def memory(_: Language) -> None:
    """Draw the memory over n, and offer to measure it."""
    measured = measure(_)
    predicted = {path: np.array([predicted_bytes(path, int(n), WIDTH, TILE) for n in SIZES]) for path in PATHS}
    predicted["matrix"] = predicted_matrix(SIZES)
    words = {
        "dense": _("dense, predicted: {count} arrays n × n", count=DENSE), "tiled": _("tiles, predicted"),
        "matrix": _("one n × n matrix"), "dense_measured": _("dense, measured"),
        "tiled_measured": _("tiles, measured"), "x": _("n, queries and keys"), "y": _("memory"),
    }
    hosts = {f"{size(_, limit, 0)}: {_(name)}": limit for limit, name in HOSTS.items()}
    ticks = ({int(n): _.number(n, 0) for n in SIZES[::3]}, {10**e: size(_, 10**e, 0) for e in (6, 9, 12)})
    lesson.chart(
        memory_over_n(SIZES, predicted, measured, hosts, ticks, words, _.separators), key="tiles_memory",
        title=_("Memory beyond Q, K and V over n: one head, width {width}, float32", width=WIDTH),
        alt=" ".join([say_limit(_), *([say_measured(_, measured)] if measured else [])]),
    )
    if not measured:
        controls.setter("tiles_measured", _("Measure it on this server"), "yes", icon=":material/speed:")
    st.markdown(_(
        "Predicted: the arrays that the code holds at once, counted. Measured: the most that the call had allocated at "
        "one time, as tracemalloc sees it, at n = {first} to {last}, in a process of its own; about a second.",
        first=MEASURED[0], last=MEASURED[-1],
    ))


def measure(_: Language) -> dict[str, np.ndarray]:
    """Return what was measured, {} before it was asked for."""
    if controls.value("tiles_measured") != "yes":
        return {}
    try:
        with st.spinner(_("A process of its own measures; that takes about a second.")):
            return {name: np.array(found) for name, found in in_a_process(MEASURED).items()}
    except (OSError, subprocess.SubprocessError, ValueError):
        st.warning(_("The memory could not be measured: the process did not start, or took too long. The predictions "
                     "stand without it."), icon=":material/error:")
        return {}


@st.cache_data(show_spinner=False, max_entries=2)
def in_a_process(sizes: tuple[int, ...]) -> dict[str, list[int]]:
    """Measure away from the sessions of others: tracemalloc counts and slows whatever runs beside it."""
    command = [sys.executable, "-m", "attention_core.memory", *map(str, sizes)]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **ONE_THREAD}, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=SECONDS, check=True)
    return {"n": list(sizes), **json.loads(done.stdout)}


def say_limit(_: Language) -> str:
    """Say from which n on one matrix is too large for the smallest host, and what the tiles need there."""
    host = min(HOSTS)
    n = first_too_large(host)
    dense, tiled = (predicted_bytes(path, n, WIDTH, TILE) for path in PATHS)
    return _(
        "A single n × n matrix of float32 needs more than {host} from **n = {n}** on: 4 × {n}² = {bytes} bytes. The "
        "dense path holds {count} of them at once, {dense}, and passes {host} from n = {sooner} on. At n = {n} the "
        "tiles need **{tiled}**, {times} times less: the output, n × {width} numbers, and a few arrays of one tile.",
        host=size(_, host, 0), n=n, bytes=_.number(int(predicted_matrix(n)), 0), count=DENSE, dense=size(_, dense),
        sooner=first_too_large(host, DENSE), tiled=size(_, tiled), times=_.number(dense / tiled, 0), width=WIDTH,
    )


def predicted_matrix(n: np.ndarray | int) -> np.ndarray | int:
    """Return the bytes of one n x n matrix of float32."""
    return FLOAT32 * n * n


def say_measured(_: Language, measured: dict[str, np.ndarray]) -> str:
    """Say what was measured at the largest n, and how well it was predicted."""
    n = int(measured["n"][-1])
    ratios = [
        found / predicted_bytes(path, int(at), WIDTH, TILE)
        for path in PATHS for at, found in zip(measured["n"], measured[path], strict=True)
    ]
    return _(
        "Measured at n = {n}: dense **{dense}**, tiles **{tiled}**. All measurements lie between {low} and {high} of "
        "what was predicted.",
        n=n, dense=size(_, measured["dense"][-1]), tiled=size(_, measured["tiled"][-1]),
        low=_.percent(min(ratios), 1), high=_.percent(max(ratios), 1),
    )


def size(_: Language, count: float, places: int = 1) -> str:
    """Write a number of bytes.

    >>> size(Language("en"), 83_946_336), size(Language("id"), 10**9, 0)
    ('83.9\\xa0MB', '1\\xa0GB')
    """
    unit, name = next((each for each in UNITS if count >= each[0]), UNITS[-1])
    return f"{_.number(count / unit, places)}{NO_BREAK}{name}"
