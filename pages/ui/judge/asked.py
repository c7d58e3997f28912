"""What PyTorch answered, kept for as long as the question is the same; and what the page says when it did not."""

import platform
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version

import numpy as np
import streamlit as st

from pages.ui import controls
from pages.ui.bench import stages
from pages.ui.bench.experiment import Experiment
from pages.ui.judge import reference
from pages.ui.judge.reference import Answer, TorchError
from pages.ui.language import N_, Language

KIND = {  # of a TorchError: what it means for the reader
    "busy": N_("It is busy with the questions of others; ask again in a moment."),
    "late": N_("It took too long and was ended; the next question starts a new process."),
    "died": N_("Its process died; the next question starts a new one, and the rest of the lab goes on."),
    "garbled": N_("What it sent could not be read; the next question starts a new process."),
    "start": N_("It could not be started."),
    "refused": N_("It refused these inputs, and can be asked others."),
}


@st.cache_data(show_spinner=False, max_entries=64)
def steps(arguments: dict, grad_output: np.ndarray, dtype: str) -> dict[str, np.ndarray]:
    """Return PyTorch's stages and gradients."""
    return stages.theirs(Experiment("asked", **arguments, grad_output=grad_output), dtype)


@st.cache_data(show_spinner=False, max_entries=16)
def outputs(questions: list[dict]) -> list[np.ndarray | None]:
    """Return the outputs of many questions in one round trip."""
    return [answer.output for answer in checked(reference.sdpa_many(questions))]


@st.cache_data(show_spinner=False, max_entries=64)
def answers(questions: list[dict]) -> list[Answer | Exception]:
    """Return the answers themselves; a refusal is one, but a dead process is none."""
    found = reference.sdpa_many(questions)
    for answer in found:
        if isinstance(answer, TorchError) and answer.kind != "refused":
            raise answer
    return found


@st.cache_data(show_spinner=False)
def versions() -> dict:
    """Return what PyTorch's process says of itself."""
    return reference.versions()


def checked(found: list) -> list[Answer]:
    """Raise the first error among answers."""
    for answer in found:
        if isinstance(answer, Exception):
            raise answer
    return found


def wanted() -> bool:
    """Say whether the reader wants PyTorch, and it is there."""
    return controls.value("compare") == "yes" and reference.installed()


def offer(_: Language) -> None:
    """Offer to bring PyTorch in, or to leave it out again."""
    if controls.value("compare") == "yes":
        controls.setter("compare", _("Leave PyTorch out"), "no", icon=":material/close:")
    else:
        controls.setter("compare", _("Run PyTorch on the same numbers"), "yes", icon=":material/fact_check:")


def missing(_: Language) -> None:
    """Where PyTorch is wanted and not installed, say how to get it."""
    if controls.value("compare") == "yes" and not reference.installed():
        st.info(_("PyTorch is not installed here. `pip install torch==2.13.0` adds it; everything else works without."),
                icon=":material/download:")


def attempt(_: Language, ask, *question):
    """Ask PyTorch if it is wanted; return its answer, or None after a sentence that says why there is none."""
    if not wanted():
        return None
    try:
        with st.spinner(_("PyTorch starts in a process of its own; that takes a few seconds.")):
            return ask(*question)
    except TorchError as error:
        st.error(sorry(_, error), icon=":material/error:")
    except (TypeError, ValueError) as error:
        st.error(_("PyTorch was not asked: `{error}`", error=error), icon=":material/error:")
    return None


def sorry(_: Language, error: TorchError) -> str:
    """Say why PyTorch gave no answer and what follows."""
    return _("PyTorch gave no answer: `{error}`", error=plain(error)) + " " + _(KIND[error.kind])


def plain(error: Exception) -> str:
    """Return an error's text as one line that fits between backticks."""
    return " ".join(str(error).replace("`", "'").split())


def versions_line(_: Language) -> None:
    """Say what computed, so that a picture of the page is evidence."""
    here = _("Python {python}, NumPy {numpy}, Streamlit {streamlit}", python=platform.python_version(),
             numpy=np.__version__, streamlit=st.__version__)
    with st.container(key="versions"):
        st.markdown(_("Computed with {here}; {torch}.", here=here, torch=torch_line(_)))


def torch_line(_: Language) -> str:
    """Say which PyTorch answered, or that none was asked; without starting its process for that."""
    if not reference.installed():
        return _("no PyTorch is installed")
    if wanted() and reference.ready():
        with suppress(TorchError):
            found = versions()
            return _("PyTorch {torch} (commit {commit}, {machine}, threads: {threads}; {build})",
                     torch=found["torch"], commit=found["commit"][:10], machine=found["machine"],
                     threads=found["threads"], build=found["build"])
    with suppress(PackageNotFoundError):
        text = N_("PyTorch {torch} is installed") if wanted() else N_("PyTorch {torch} is installed and was not asked")
        return _(text, torch=torch_version())
    return _("PyTorch was not asked")


@cache
def torch_version() -> str:
    """Read which PyTorch is installed once per process: its metadata is a file."""
    return version("torch")
