"""The plans that are ready: for each core lesson 45 minutes, step by step, with what to ask and what settles it."""

from dataclasses import dataclass
from functools import lru_cache

from pages.ui.classroom import plan
from pages.ui.classroom.plan import Step
from pages.ui.language import N_


@dataclass(frozen=True)
class Told:
    """A step of a ready plan, with what its teacher does there.

    Attributes
    ----------
    step : Step
        What the class sees; where it asks a prediction, that sets the experiment once it is answered.
    minutes : int
        How long it takes.
    does : str
        What the teacher does, or asks once the result shows.
    expected : str
        Of a prediction with options, the wrong one to expect; of a number, what is behind a wrong one, in words.
    """

    step: Step
    minutes: int
    does: str
    expected: str = ""


@dataclass(frozen=True)
class Lesson:
    """A plan of 45 minutes, and what the class can do at its end."""

    name: str
    goal: str
    told: tuple[Told, ...]


def asking(page: str, prediction: str, minutes: int, does: str, expected: str) -> Told:
    """Return a step that asks a prediction."""
    return Told(Step(page, {"predict": prediction}), minutes, does, expected)


READY = {
    "pipeline45": Lesson(
        N_("The pipeline in 45 minutes"),
        N_("Everybody can name the six steps, and say at which of them words meet."),
        (
            Told(Step("pipeline"), 5, N_("Read the sentence “The cat sat on the mat” aloud. Ask what “cat” has to know "
                                         "of the others, and walk through the six steps once, without numbers.")),
            asking("pipeline", "others", 8, N_("Ask which steps need nothing of the other words."), "weights"),
            asking("pipeline", "axis", 6, N_("Let one student add up a row, and another a column."), "columns"),
            asking("pipeline", "most", 6, N_("Ask what would have to change for one word to get nearly everything."),
                   N_("Near 1: softmax is taken for a choice of the best, while close scores make it an average.")),
            asking("pipeline", "first", 6, N_("Ask what the second word can give itself, at least and at most."),
                   N_("What it was without the mask: the weights of a row are not felt to be shares of 1.")),
            asking("pipeline", "reorder", 8, N_("Ask what has to be added so that “dog bites man” differs from “man "
                                                "bites dog”."), "new"),
            Told(Step("pipeline", {"step": "output"}), 6,
                 N_("Let everybody type a sentence of their own, follow one of its words, and write down in one "
                    "sentence what its output is made of.")),
        ),
    ),
    "qkv45": Lesson(
        N_("Query, key and value in 45 minutes"),
        N_("Everybody can say what each of the three matrices decides, and predict what moves when one changes."),
        (
            Told(Step("qkv"), 6, N_("Play library: one student asks, others hold up a label of what they can answer, "
                                    "and hand over something else. Then find the three roles in the tables.")),
            asking("qkv", "soft", 7, N_("Ask for a pair of scores that would give the better key 0.9."),
                   N_("0.8, in proportion to the scores, or 1, as a search for the best would give.")),
            asking("qkv", "onlyv", 7, N_("Ask what would move if W_K had been changed instead, and try it."), "all"),
            asking("qkv", "shared", 8, N_("Ask for two words where one should look at the other, but not the other "
                                          "way round."), "both"),
            asking("qkv", "longer", 7, N_("Ask what a model could use the length of a key for."), "both"),
            asking("qkv", "divisor", 5, N_("Ask what dᵥ decides instead."),
                   N_("2, the width of the values, or 4, the width of the input.")),
            Told(Step("qkv"), 5, N_("Everybody changes one number so that “makan” attends to itself the most, and says "
                                    "which matrix it was in.")),
        ),
    ),
    "scaling45": Lesson(
        N_("Why divide by √dₖ, in 45 minutes"),
        N_("Everybody can say what grows with dₖ, why that hurts, and why the divisor is the root."),
        (
            Told(Step("scaling", {"d_k": "2"}), 6, N_("Start at dₖ = 2 and push the slider slowly to 512. Ask what "
                                                      "grows, what stays, and what the two kinds of bars do.")),
            asking("scaling", "raw", 7, N_("Ask what a gradient can still change when one weight is nearly 1."),
                   N_("About 1 ÷ 8: random keys are taken to be alike, so that none should stand out.")),
            asking("scaling", "spread", 9, N_("Let the class work out the variance of a sum of dₖ products on paper."),
                   "times"),
            asking("scaling", "width", 7, N_("Ask for a divisor that is too small, and for one that is too large."),
                   "same"),
            asking("scaling", "cosine", 6, N_("Ask what a cosine throws away, and what could bring it back."),
                   N_("Near 1: the best cosine is felt to win, though it is never far above the others.")),
            asking("scaling", "lucky", 6, N_("Ask how many seeds one should look at before believing a picture."),
                   N_("Near 100: what one seed shows is taken for what all show.")),
            Told(Step("scaling", {"mean": "1.0", "closer": "variance"}), 4,
                 N_("The components have mean 1 now. Ask why √dₖ is no longer enough, and for one sentence to take "
                    "home.")),
        ),
    ),
    "masking45": Lesson(
        N_("Masking in 45 minutes"),
        N_("Everybody can say why the mask comes before softmax, and test whether a mask leaks."),
        (
            Told(Step("masking", {"mask": "causal"}), 5, N_("Ask what “sat” may know when the next word is to be "
                                                            "guessed. Then switch the causal mask on and off.")),
            asking("masking", "keep", 6, N_("Ask how one could find out without reading the documentation."), "future"),
            asking("masking", "zeros", 7, N_("Ask what dividing the row by its sum would do, and try it."),
                   N_("1: a row of weights is taken to sum to 1 whatever is done to it afterwards.")),
            asking("masking", "fill", 7, N_("Ask for a number that would do in place of −∞, and for scores that break "
                                            "it."), N_("0: a score of 0 is taken for a weight of 0.")),
            asking("masking", "nothing", 7, N_("Ask which of the three answers a program should give, and why."),
                   "zero"),
            asking("masking", "padrows", 7, N_("Ask what should become of the outputs of the padding."), "safe"),
            asking("masking", "future", 3, N_("Ask for a test that every language model with a causal mask has to "
                                              "pass."), N_("1, only its own; or 6, since everything is connected.")),
            Told(Step("masking", {"query": "6"}), 3,
                 N_("Everybody draws a mask of their own, and a neighbour says which words can still reach the "
                    "last one.")),
        ),
    ),
}


@lru_cache(maxsize=64)
def steps(text: str) -> tuple[Step, ...]:
    """Return the steps of a plan that a link names or carries; none for the empty text."""
    if text in READY:
        return tuple(told.step for told in READY[text].told)
    return plan.read(text) if text else ()
