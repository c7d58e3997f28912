"""The worked examples in words: what their features and choices are called, what each row of a projection means."""

from dataclasses import dataclass

import numpy as np

from attention_core import examples, project
from pages.ui.language import N_

FEATURES = {
    "food": N_("food"),
    "animal": N_("animal"),
    "verb": N_("verb"),
    "needs_object": N_("needs object"),
    "noun": N_("noun"),
    "motion": N_("motion"),
    "place": N_("place"),
}

# ikan/makan: one meaning a row, in the order of the features
ASKS = (N_("asks a little for a verb"), N_("asks for nothing"), N_("asks for an animal"), N_("asks for food"))
OFFERS = (
    N_("is found as food"), N_("is found as an animal"), N_("is found as a verb"), N_("is found half as an animal"),
)
HANDS_OVER = (N_("hands over: food"), N_("hands over: animal"), N_("hands over: verb"), N_("hands over: half a verb"))

DIVISOR = {"none": "1", "sqrt_d_k": "√dₖ", "d_k": "dₖ", "cosine": "|q||k|", "free": N_("other")}
CLOSER = {
    "none": N_("nothing"),
    "numbers": N_("the numbers"),
    "variance": N_("the variance"),
    "gradient": N_("the gradient"),
    "precision": N_("the precision"),
}
TIE = {"none": N_("three matrices"), "q_k": N_("one for both: $W_K = W_Q$")}
MASK = {
    "none": N_("none (bidirectional)"),
    "causal": N_("causal"),
    "padding": N_("padding"),
    "both": N_("causal and padding"),
}
SIDE = {"end": N_("at the end"), "start": N_("at the start")}
WINDOW = {"no": N_("off"), "yes": N_("on")}
ALIGN = {"top_left": N_("top left"), "bottom_right": N_("bottom right")}
PART = {
    "causal": N_("the causal mask"), "padding": N_("padding"), "window": N_("the window"), "drawn": N_("your drawing"),
}
BESIDE = {"none": N_("nothing"), "wrong": N_("wrong ways"), "future": N_("a changed token")}
WAY = {
    "minus_inf": N_("−∞ before softmax: right"),
    "by_hand": N_("−∞, softmax by hand"),
    "zero": N_("0 before softmax"),
    "minus_1e9": N_("−10⁹ before softmax"),
    "after": N_("0 after softmax"),
    "after_renormalised": N_("0 after, renormalised"),
    "inverted": N_("polarity flipped"),
    "wrong_axis": N_("softmax down columns"),
    "padded_rows": N_("padded rows"),
}
EXAMPLE = {
    "source": N_("Q 2×4, K 3×4, V 3×3"),
    "ikan_makan": N_("ikan, makan"),
    "six_words": N_("the six words"),
    "drawn": N_("drawn"),
    "pipeline": N_("of the pipeline"),
    "qkv": N_("of query, key, value"),
    "scaling": N_("of scaling"),
    "masking": N_("of masking"),
}
BENCH = {
    "stages": N_("Stage by stage"),
    "dtypes": N_("Precision"),
    "backends": N_("Back ends"),
    "battery": N_("Battery"),
    "own": N_("Check your own"),
}
BUG = {
    "none": N_("none"),
    "no_scaling": N_("no scaling"),
    "scale_by_d_model": N_("√d_model in place of √dₖ"),
    "softmax_over_columns": N_("softmax down the columns"),
    "mask_after_softmax": N_("mask after softmax"),
    "inverted_mask": N_("mask inverted"),
    "off_by_one_causal": N_("causal mask off by one"),
    "no_max_subtraction": N_("largest score not subtracted"),
    "wrong_head_split": N_("heads split wrongly"),
    "transposed_value": N_("V transposed"),
}
DRAW_MASK = {
    "none": N_("none (bidirectional)"), "causal": N_("causal"), "bool": N_("yes or no, drawn"),
    "float": N_("numbers, drawn"), "padding": N_("padding"),
}
DRAW_SCALE = {"default": "1 ÷ √dₖ", "zero": "0", "negative": N_("−0.5"), "large": "200"}
STAGE = {
    "query": "Q", "key": "K", "value": "V", "scores": N_("scores"), "scaled": N_("scaled"),
    "masked": N_("masked scores"), "weights": N_("weights"), "output": N_("output"),
    "math": N_("output, maths path"), "fused": N_("output, fused path"),
    "grad_query": N_("gradient of Q"), "grad_key": N_("gradient of K"), "grad_value": N_("gradient of V"),
}


SUBSCRIPT = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def key_name(index: int) -> str:
    """Name the key at a position: k₁, k₂, ..."""
    return f"k{str(index + 1).translate(SUBSCRIPT)}"


@dataclass(frozen=True, eq=False)
class Labelled:
    """Q, K and V of an example, with the words that head their rows and columns."""

    query: np.ndarray
    key: np.ndarray
    value: np.ndarray
    queries: tuple[str, ...]
    keys: tuple[str, ...]

    @property
    def d_k(self) -> tuple[str, ...]:
        """Head the columns of Q and K."""
        return tuple(str(i + 1) for i in range(self.key.shape[-1]))

    @property
    def d_v(self) -> tuple[str, ...]:
        """Head the columns of V and of the output."""
        return tuple(str(i + 1) for i in range(self.value.shape[-1]))


def labelled(name: str) -> Labelled:
    """Return one of the examples in EXAMPLE."""
    if name == "source":
        plain = examples.two_queries_three_keys()
        return Labelled(plain.query, plain.key, plain.value, ("q₁", "q₂"), ("k₁", "k₂", "k₃"))
    sentence = {"ikan_makan": examples.ikan_makan, "six_words": examples.six_words}[name]()
    roles = project(sentence.x, sentence.w_query, sentence.w_key, sentence.w_value)
    return Labelled(roles.query, roles.key, roles.value, sentence.tokens, sentence.tokens)
