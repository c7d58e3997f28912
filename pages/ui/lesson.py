"""The parts of every lesson after its controls: picture, sentence, tries, derivation, code, references."""

import inspect
from collections.abc import Callable
from functools import cache

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.ui import links, plot, share
from pages.ui.classroom import asked, projector
from pages.ui.derivations import DERIVATIONS
from pages.ui.language import N_, Language

REFERENCES = {
    "vaswani": N_("Vaswani et al. (2017), Attention Is All You Need, section 3.2.1. arXiv:1706.03762"),
    "alammar": N_("Alammar (2018), The Illustrated Transformer. jalammar.github.io"),
    "kingma": N_("Kingma and Ba (2015), Adam: A Method for Stochastic Optimization. arXiv:1412.6980"),
    "torch": N_("PyTorch, torch.nn.functional.scaled_dot_product_attention, version 2.13"),
    "vaswani_heads": N_("Vaswani et al. (2017), Attention Is All You Need, sections 3.2.2 and 3.2.3. arXiv:1706.03762"),
    "bahdanau": N_("Bahdanau, Cho and Bengio (2014), Neural Machine Translation by Jointly Learning to Align and "
                   "Translate. arXiv:1409.0473"),
    "dosovitskiy": N_("Dosovitskiy et al. (2020), An Image is Worth 16x16 Words. arXiv:2010.11929"),
    "velickovic": N_("Veličković et al. (2017), Graph Attention Networks. arXiv:1710.10903"),
    "dao": N_("Dao et al. (2022), FlashAttention: Fast and Memory-Efficient Exact Attention with IO-Awareness. "
              "arXiv:2205.14135"),
    "milakov": N_("Milakov and Gimelshein (2018), Online normalizer calculation for softmax. arXiv:1805.02867"),
    "luong": N_("Luong, Pham and Manning (2015), Effective Approaches to Attention-based Neural Machine Translation. "
                "arXiv:1508.04025"),
    "jain": N_("Jain and Wallace (2019), Attention is not Explanation. arXiv:1902.10186"),
    "wiegreffe": N_("Wiegreffe and Pinter (2019), Attention is not not Explanation. arXiv:1908.04626"),
}


def shown() -> DeltaGenerator:
    """Return the place of a board and its sentence; on a phone the sentence comes before the cell's arithmetic."""
    return st.container(key="shown")


def picture(html: str) -> None:
    """Show a picture made of tables."""
    if not share.hides("picture"):
        st.html(html)


def sentence(text: str, of: str = "picture") -> None:
    """Say what a picture shows, with its numbers."""
    if not share.hides("sentence"):
        with st.container(key=f"sentence_{of}"):
            st.markdown(text)


def chart(figure: plot.Figure, key: str, title: str, alt: str) -> None:
    """Show a Plotly figure under its title; `alt` is the sentence that says what it shows."""
    if share.hides("charts"):
        return
    with st.container():
        st.markdown(f"**{title}**")
        if projector.on():
            figure = plot.enlarged(figure)
        st.plotly_chart(plot.Ready(figure), key=key, alt=alt, config={"displayModeBar": False})
        st.markdown(alt)


def tries(_: Language, *experiments: tuple[str, dict[str, object]]) -> None:
    """Offer experiments worth seeing, each sets its fields and nothing else; and predictions, before one looks."""
    if share.hides("tries"):
        return
    held, now = share.here().held, share.now()
    closed = {number for number, (_label, fields) in enumerate(experiments) if not held.isdisjoint(fields)}
    rows = [links.row(_("Try"), [(label, fields, None) for label, fields in experiments], now, closed)]
    if predictions := asked.offered(_):
        rows.append(links.row(_("Predict first"), predictions, now))
    with st.container(key="tries"):
        st.markdown("\n\n".join(rows))


def keep(label: str, make: Callable[[], str], name: str) -> None:
    """Offer the experiment as a file; it is made when it is asked for."""
    st.download_button(label, make, name, "text/html", key="keep", icon=":material/download:", on_click="ignore")


def why(_: Language, name: str) -> None:
    """Fold the lesson's derivation away."""
    if share.hides("why"):
        return
    with st.expander(_("Why")):
        st.markdown("\n\n".join(map(_, DERIVATIONS[name])))


def code_that_ran(_: Language, *functions: Callable) -> None:
    """Show the core's own functions, as they ran."""
    if share.hides("code"):
        return
    folded = st.expander(_("The code that ran"), key="code", on_change="rerun")
    if folded.open:  # what colours the code weighs as much as all the rest of the page
        with folded:
            for function in functions:
                st.code(source(function), language="python")


@cache
def source(function: Callable) -> str:
    """Read a function's source once per process."""
    return inspect.getsource(function)


def references(_: Language, *names: str) -> None:
    """List what to read."""
    if share.hides("references"):
        return
    with st.expander(_("References")):
        st.markdown("\n".join(f"- {_(REFERENCES[name])}" for name in names))
