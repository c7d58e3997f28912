"""What a lesson offers to take home: program, notebook, tables and pictures, each made when it is asked for."""

from collections.abc import Callable

import streamlit as st

from pages.ui import share
from pages.ui.language import Language
from pages.ui.take.notebook import as_notebook
from pages.ui.take.pictures import pictures_home
from pages.ui.take.program import Program, as_numpy, as_torch

KINDS = {"numpy": ("NumPy", as_numpy), "torch": ("PyTorch", as_torch)}  # names, not words: the same in every language


def take_home(_: Language, name: str, program: Callable[[], Program | None] | None) -> None:
    """Fold the experiment away as a program and as files; while it is folded nothing is made, and nothing sent.

    Parameters
    ----------
    _ : Language
        The page's language.
    name : str
        The page's name, of which the files' names are made.
    program : callable or None
        Makes the program of the experiment as it is set; it, or what it makes, is None while the inputs contradict each
        other.
    """
    if share.hides("take"):
        return
    folded = st.expander(_("Take home"), key=f"take_{name}", on_change="rerun")
    if not folded.open:
        return
    with folded:
        pictures_home(_, name)  # before the program, which is long
        made = program and program()
        if made is None:
            st.info(_("Nothing can be computed while two sizes disagree."), icon=":material/grid_off:")
        else:
            programs(_, name, made)


def programs(_: Language, name: str, program: Program) -> None:
    """Show the program, and offer it and the notebook as files."""
    kind = st.segmented_control(
        _("As a program"), list(KINDS), default="numpy", format_func=lambda kind: KINDS[kind][0], key=f"take_{name}_as",
        required=True,
    )
    title, write = KINDS[kind]
    st.markdown(_("It runs on its own, with nothing of the lab, and prints what the page shows. The functions are the "
                  "lab's, without their checks of what goes in.") if kind == "numpy" else
                _("It needs PyTorch and NumPy, and nothing of the lab. It prints what the page shows, up to rounding; "
                  "where something is trained, rounding grows from step to step."))
    with st.container(horizontal=True):
        st.download_button(
            _("Program for {library} (.py)", library=title), lambda: write(program), f"{name}_{kind}.py",
            "text/x-python", key=f"take_{name}_py", icon=":material/download:", on_click="ignore",
        )
        st.download_button(
            _("Notebook (.ipynb)"), lambda: as_notebook(_, program), f"{name}.ipynb", "application/x-ipynb+json",
            key=f"take_{name}_ipynb", icon=":material/menu_book:", on_click="ignore",
        )
    st.code(write(program), language="python")
