"""Which experiment the bench holds to the light: an example, a drawn one, or the one set on another page."""

from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from attention_core.draws import nested_draw
from attention_core.masks import causal_mask, combine_masks
from pages.ui import controls, share, words
from pages.ui.bench.experiment import Experiment, drawn, given
from pages.ui.language import N_, Language
from pages.ui.lessons import masking_lab, pipeline_follow, qkv_example
from pages.ui.typed import inputs
from pages.ui.typed.inputs import Input
from pages.ui.typed.sentence import sentence

DIVIDED = {"none": 1.0, "sqrt_d_k": None}  # by which scale; the others depend on the width
ABOUT = {
    "pipeline": N_("As it is set on the page of the pipeline."),
    "qkv": N_("As it is set on the page of query, key and value."),
    "scaling": N_("As it is set on the page of scaling. It has no values: V is the identity here, so the output is "
                  "the weights themselves."),
    "masking": N_("As it is set on the page of masking."),
}
COSINE = N_("It divides by the lengths of q and k: Q and K are these vectors at length 1, and the scale is 1.")


@dataclass(frozen=True, eq=False)
class Chosen:
    """Hold the experiment that is set.

    Attributes
    ----------
    experiment : Experiment or None
        None while two sizes disagree.
    queries, keys : tuple of str
        What heads the rows of Q, and those of K and V.
    inputs : tuple of Input
        The matrices that the reader may change.
    problems : tuple of str
        What is the matter, in sentences.
    about : str
        Where it comes from.
    """

    experiment: Experiment | None
    queries: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    inputs: tuple[Input, ...] = ()
    problems: tuple[str, ...] = ()
    about: str = ""


def ask(_: Language) -> Chosen:
    """Ask for an experiment, and for what a drawn one is drawn from."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="experiment"):
        name = controls.choice("example", _("Experiment"), lambda name: _(words.EXAMPLE[name]))
        if name == "drawn":
            ask_for_draw(_)
    chosen = {
        "source": source, "drawn": draw, "pipeline": of_pipeline, "qkv": of_qkv, "scaling": of_scaling,
        "masking": of_masking,
    }.get(name, example)(_)
    for problem in chosen.problems:
        st.error(problem, icon=":material/edit_off:")
    if chosen.about:
        st.caption(chosen.about)
    return chosen


def ask_for_draw(_: Language) -> None:
    """Ask for the seed, the options and the sizes of a drawn experiment."""
    with st.popover(_("Mask, scale, sizes"), icon=":material/tune:"):
        controls.choice("draw_mask", _("Mask"), lambda mask: _(words.DRAW_MASK[mask]))
        controls.choice("draw_scale", _("Scale"), lambda scale: _(words.DRAW_SCALE[scale]))
        for field, label in (
            ("draw_n", _("Queries n")), ("draw_m", _("Keys m")), ("draw_d_k", _("Width dₖ of queries and keys")),
            ("draw_d_v", _("Width dᵥ of values")), ("draw_heads", _("Heads")),
            ("draw_batch", _("Sequences in the batch")),
        ):
            controls.slider(field, label)
    controls.slider("draw_seed", _("Seed of the draws"))


def example(_: Language) -> Chosen:
    """Return one of the worked examples."""
    found = words.labelled(share.value("example"))
    return Chosen(given("example", found.query, found.key, found.value), found.queries, found.keys)


def source(_: Language) -> Chosen:
    """Return the source's bare matrices, or what the reader has made of them."""
    plain = words.labelled("source")
    matrices = tuple(
        Input(name, field, array, rows=(1, 12), columns=(1, 8))
        for name, field, array in zip("QKV", "qkv", (plain.query, plain.key, plain.value), strict=True)
    )
    query, key, value = (matrix.array for matrix in matrices)
    problems, wrong = inputs.problems(_, *matrices), inputs.mismatch_qkv(_, query, key, value)
    return Chosen(
        None if wrong else given("source", query, key, value), numbered("q", len(query)), numbered("k", len(key)),
        matrices, (*problems, *filter(None, [wrong])),
    )


def draw(_: Language) -> Chosen:
    """Draw an experiment."""
    sizes = ("n", "m", "d_k", "d_v", "heads", "batch")
    options = {name: share.value(f"draw_{name}") for name in (*sizes, "mask", "scale")}
    found = drawn(share.value("draw_seed"), **options)
    about = _("Drawn: `{inputs}`. The axes are sequences, heads, rows, columns.", inputs=found.describe())
    return Chosen(found, numbered("q", options["n"]), numbered("k", options["m"]), about=about)


def of_pipeline(_: Language) -> Chosen:
    """Return the pipeline's sentence, with the mask or the order of its step."""
    of, step = sentence(_), share.value("step")
    wrong = inputs.mismatch(_, *of.arrays)
    if wrong:
        return elsewhere(_, "pipeline", wrong)
    worked = pipeline_follow.worked_out(of, None, step == "output" and share.value("order") == "reversed")
    causal = step == "mask" and share.value("causal") == "yes"
    return carried(_, "pipeline", worked, given("pipeline", *(worked[x] for x in "QKV"), is_causal=causal))


def of_qkv(_: Language) -> Chosen:
    """Return the two words of the page on query, key and value, with the reader's matrices."""
    of = qkv_example.example(_)
    wrong = inputs.mismatch(_, *of.arrays())
    if wrong:
        return elsewhere(_, "qkv", wrong)
    worked = of.work()
    return carried(_, "qkv", worked, given("qkv", *(worked[x] for x in "QKV")))


def of_masking(_: Language) -> Chosen:
    """Return the masked sentence; a causal mask aligned at the top left is what is_causal means."""
    of = sentence(_)
    wrong = inputs.mismatch(_, *of.arrays)
    if wrong:
        return elsewhere(_, "masking", wrong)
    masks = masking_lab.masks_of(len(of.tokens))
    worked = masking_lab.worked_out(_, of, masks)
    query, key, value = (worked[x] for x in "QKV")
    causal = masks.parts.get("causal")
    is_causal = causal is not None and np.array_equal(causal, causal_mask(len(query), len(key)))
    others = combine_masks(*(part for name, part in masks.parts.items() if not (is_causal and name == "causal")))
    return carried(_, "masking", worked, given("masking", query, key, value, others, is_causal))


def of_scaling(_: Language) -> Chosen:
    """Return one query and its keys at the width of the page on scaling, divided as there."""
    d_k, divisor = share.value("d_k"), share.value("divisor")
    vectors = nested_draw(share.value("seed"), share.value("keys"), mean=share.value("mean"), std=share.value("std"))
    query, key, about = vectors.query[None, :d_k], vectors.keys[:, :d_k], _(ABOUT["scaling"])
    if divisor == "cosine":
        query, key = (rows / length(rows) for rows in (query, key))
        about += " " + _(COSINE)
    scale = DIVIDED | {"d_k": 1 / d_k, "cosine": 1.0, "free": 1 / share.value("value")}
    found = given("scaling", query, key, np.eye(len(key)), scale=scale[divisor])
    return Chosen(found, ("q",), tuple(map(words.key_name, range(len(key)))), about=about)


def length(rows: np.ndarray) -> np.ndarray:
    """Return the length of each row, 1 for a row of zeros."""
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.where(lengths == 0, 1, lengths)


def carried(_: Language, page: str, worked, experiment: Experiment) -> Chosen:
    """Return another page's experiment with the words that head its rows."""
    return Chosen(experiment, worked.rows["Q"], worked.rows["K"], about=_(ABOUT[page]))


def elsewhere(_: Language, page: str, wrong: str) -> Chosen:
    """Say that another page's matrices disagree: they are mended there."""
    return Chosen(None, problems=(wrong,), about=_(ABOUT[page]))


def numbered(letter: str, count: int) -> tuple[str, ...]:
    """Name rows: q₁, q₂, ..."""
    return tuple(letter + words.key_name(i)[1:] for i in range(count))


def head_of(experiment: Experiment, index: tuple[int, ...]) -> Experiment:
    """Return one head as an experiment of two axes; `index` leads to it through the axes before them.

    >>> head_of(drawn(0, heads=2, mask="padding"), (0, 1)).describe()
    'Q (3, 5), K (4, 5), V (4, 5), attn_mask bool (1, 4)'
    """
    lead = experiment.lead

    def cut(array):
        return None if array is None else np.broadcast_to(array, (*lead, *array.shape[-2:]))[index]

    names = ("query", "key", "value", "grad_output", "attn_mask")
    return replace(experiment, **{name: cut(getattr(experiment, name)) for name in names})
