"""Mounts the live picture of saturation, and takes the d_k that the finger leaves."""

from pathlib import Path

import streamlit as st

from pages.ui import controls, share
from pages.ui.fields import FIELDS
from pages.ui.language import Language

FOLDER = Path(__file__).parent
KEY = "live_saturation"

PICTURE = st.components.v2.component(
    "attention_lab.saturation",
    html=(FOLDER / "saturation.html").read_text(encoding="utf-8"),
    css=(FOLDER / "saturation.css").read_text(encoding="utf-8"),
    js=(FOLDER / "saturation.js").read_text(encoding="utf-8"),
)
FOLLOW = st.components.v2.component(
    "attention_lab.follow", js=(FOLDER / "follow.js").read_text(encoding="utf-8")
)


def saturation_element(_: Language, experiment: bytes) -> None:
    """Show the slider for d_k, the picture, the sentence and the curve; all of them move while the finger moves.

    Two messages go to the browser: the d_k that Python holds, small, and the experiment, which Streamlit sends again
    only when it has changed.

    Parameters
    ----------
    _ : Language
        The page's language.
    experiment : bytes
        What pages.ui.live.payload.payload returned, as JSON: Streamlit would write a dict twice in every rerun.
    """
    if share.hides("picture"):
        controls.slider("d_k", _("Width dₖ"))
        return
    with st.container(gap=None, key="live"):
        hidden = [part for part in ("d_k", "sentence", "charts") if share.hides(part)]
        held = {"d_k": share.value("d_k"), "nth": committed()[1], "held": share.holds("d_k"), "hidden": hidden}
        FOLLOW(key=f"{KEY}_follow", data=held, height=1)
        PICTURE(key=KEY, data=experiment, on_commit_change=adopt)


def adopt() -> None:
    """Take over the d_k that the browser sent."""
    d_k, _ = committed()
    if d_k is not None:
        share.choose(d_k=d_k)


def committed() -> tuple[int | None, int]:
    """Return the last d_k that the browser sent, None unless it is a legal one, and how many it has sent."""
    sent = (st.session_state.get(KEY) or {}).get("commit")
    sent = sent if isinstance(sent, dict) else {}
    try:
        d_k = FIELDS["d_k"].read(str(sent.get("d_k")))
    except ValueError:
        d_k = None
    nth = sent.get("nth")
    return d_k, nth if isinstance(nth, int) and 0 <= nth < 2**31 else 0
