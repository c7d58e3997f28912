"""The lab's pages in reading order, what the link of each carries, and the formula as a map of them."""

from dataclasses import dataclass

from pages.ui.language import N_


@dataclass(frozen=True)
class Page:
    """One row of the page list."""

    script: str
    name: str  # in the menu and the browser's tab
    title: str  # the question that the page answers
    about: str  # what one does there
    parts: tuple[str, ...]  # the parts of the formula at hand
    fields: tuple[str, ...]  # what its link carries


SENTENCE = ("words", "word_seed", "x6", "w6_q", "w6_k", "w6_v")  # what the pipeline and masking share
DRAWN = ("draw_seed", "draw_n", "draw_m", "draw_d_k", "draw_d_v", "draw_heads", "draw_batch", "draw_mask", "draw_scale")
CHECKED = (  # what makes the experiments of the other lessons
    "step", "causal", "order", "tie", "x", "w_q", "w_k", "w_v", "d_k", "seed", "keys", "divisor", "value", "mean",
    "std", "mask", "pads", "side", "window", "left", "right", "cached", "align", "hidden",
)

# In reading order.
PAGES = {
    "home": Page(
        "app.py", N_("The formula as a map"), N_("Attention, by experiment"),
        N_("Choose a part of the formula: each leads to the lesson that explains it."),
        parts=(), fields=(),
    ),
    "pipeline": Page(
        "pages/pipeline.py", N_("The pipeline, step by step"), N_("How does a word see its sentence?"),
        N_("Six words or your own, and one of them followed through six steps, from its vector to its output."),
        parts=("whole",), fields=("step", "word", "causal", "order", "predict", "cell", *SENTENCE),
    ),
    "qkv": Page(
        "pages/qkv.py", N_("Query, key and value"), N_("What do query, key and value do?"),
        N_("Two words and three matrices written by hand. Change any number, and see what follows."),
        parts=("scores", "output"),
        fields=("token", "tie", "ask", "longer", "long_key", "predict", "cell", "x", "w_q", "w_k", "w_v"),
    ),
    "scaling": Page(
        "pages/scaling.py", N_("Why divide by √dₖ?"), N_("Why divide by $\\sqrt{d_k}$?"),
        N_("Random keys, and one control for their width. See softmax saturate, and what the division does about it."),
        parts=("scaling",),
        fields=("d_k", "seed", "keys", "divisor", "value", "mean", "std", "closer", "shift", "predict"),
    ),
    "masking": Page(
        "pages/masking.py", N_("Masking"), N_("Who may look at whom?"),
        N_("Hide the future, the padding or any cell you like, and see what the others get instead."),
        parts=("mask",), fields=(
            "mask", "query", "pads", "side", "window", "left", "right", "cached", "align", "hidden", "beside", "way",
            "changed", "predict", "cell", *SENTENCE,
        ),
    ),
    "verification": Page(
        "pages/verification.py", N_("Verification"), N_("Is it right?"),
        N_("The lab computes with NumPy. Let PyTorch compute the same, and look at the difference."),
        parts=("whole",), fields=(
            "example", "compare", "bench", "bug", "cases", "cell", "q", "k", "v", *DRAWN, *CHECKED, *SENTENCE,
        ),
    ),
    "learning": Page(
        "pages/learning.py", N_("Does it still learn?"), N_("Does attention stop learning?"),
        N_("Train one head with and without the division, seed by seed, and find out what is to blame."),
        parts=("scaling",), fields=(
            "train_d_k", "train_optimizer", "train_rate", "train_steps", "train_seeds", "train_first", "train_left",
            "train_right",
        ),
    ),
    "additive": Page(
        "pages/additive.py", N_("Additive or dot product"), N_("Why a product, and not a network?"),
        N_("Attention began with a small network for every score. Give it the queries and keys of the dot product, "
           "and compare weights, saturation and cost."),
        parts=("scores",),
        fields=("add_d", "add_hidden", "add_keys", "add_seed", "add_look", "add_v", "add_long"),
    ),
    "heads": Page(
        "pages/heads.py", N_("Self, cross, heads"), N_("Who asks, who answers, with how many heads?"),
        N_("Two sentences, several heads, the right divisor for a head, and tokens that are no words."),
        parts=("whole",), fields=(
            "heads_part", "cross", "asking", "answering", "asker", "heads_seed", "d_model", "num_heads", "scale_heads",
            "token_kind", "drawing", "patch", "node", "flipped", "cell", "compare",
        ),
    ),
    "tiles": Page(
        "pages/tiles.py", N_("Tiles: FlashAttention"), N_("Is the matrix needed?"),
        N_("One query meets its keys tile by tile, keeps three things, and ends with the same output in less memory."),
        parts=("weights", "output"), fields=(
            "tiles_keys", "tiles_size", "tiles_step", "tiles_seed", "tiles_order", "tiles_mask", "tiles_query",
            "tiles_measured",
        ),
    ),
    "explanation": Page(
        "pages/explanation.py", N_("Is it an explanation?"), N_("Is attention an explanation?"),
        N_("Search weights as different as possible that give the same output, and see when there are none."),
        parts=("weights", "output"),
        fields=("exp_from", "exp_query", "exp_keys", "exp_d_v", "exp_tol", "exp_far", "exp_seed"),
    ),
    "questions": Page(
        "pages/questions.py", N_("Questions"), N_("What do learners keep asking?"),
        N_("Each question in a few sentences, with the experiment that settles it already set."),
        parts=(), fields=(),
    ),
    "path": Page(
        "pages/path.py", N_("Your path"), N_("Where am I, and what is next?"),
        N_("Predict before you look: what you have predicted, what came of it, and the next step."),
        parts=(), fields=(),
    ),
    "classroom": Page(
        "pages/classroom.py", N_("In the classroom"), N_("What will your class see?"),
        N_("Prepare a lesson as one link, take a plan that is ready, or let the class predict before it looks."),
        parts=(), fields=(
            "class_part", "class_page", "class_preset", "class_lang", "class_hide", "class_lock", "class_free",
            "class_screen", "class_predict", "class_plan", "draft", "host",
        ),
    ),
}

# part of the formula -> (LaTeX, caption, the lesson that explains it), in the order of the formula
FORMULA = {
    "whole": (r"\text{Attention}(Q, K, V) =", N_("the whole formula"), "pipeline"),
    "weights": (r"\text{softmax}\,(", N_("weights"), "scaling"),
    "scores": (r"QK^{\mathsf T}", N_("scores"), "qkv"),
    "scaling": (r"\div \sqrt{d_k}", N_("scaling"), "scaling"),
    "mask": ("+\\, M\\;)", N_("mask"), "masking"),
    "output": ("V", N_("output"), "qkv"),
}
