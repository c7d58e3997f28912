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
EXAMPLE = {
    "source": N_("Q 2×4, K 3×4, V 3×3"),
    "ikan_makan": N_("ikan, makan"),
    "six_words": N_("the six words"),
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
