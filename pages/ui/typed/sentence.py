"""The sentence that the pipeline and masking work on: the six words of the source, or the reader's own."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from attention_core.embedding import embed_sentence
from attention_core.examples import six_words
from pages.ui import controls, share, words
from pages.ui.language import Language
from pages.ui.typed import inputs
from pages.ui.typed.inputs import Input
from pages.ui.typed.tokens import MOST, sentence_tokens


@dataclass(frozen=True, eq=False)
class Sentence:
    """Hold the tokens and the four matrices that they start from.

    Attributes
    ----------
    tokens, features : tuple of str
        What heads the rows and columns of X.
    x, w_query, w_key, w_value : Input
        The matrices, which the reader may have changed.
    own : bool
        Whether any word is not one of the source's six.
    """

    tokens: tuple[str, ...]
    features: tuple[str, ...]
    x: Input
    w_query: Input
    w_key: Input
    w_value: Input
    own: bool

    @property
    def inputs(self) -> tuple[Input, Input, Input, Input]:
        """The four matrices in the order of the lesson."""
        return self.x, self.w_query, self.w_key, self.w_value

    @property
    def arrays(self) -> tuple:
        """Their numbers."""
        return tuple(given.array for given in self.inputs)

    @property
    def of_the_source(self) -> bool:
        """Whether it is the source's sentence with our matrices, so that the source's figures come out."""
        same = [token.casefold() for token in self.tokens] == [word.casefold() for word in six_words().tokens]
        return same and not any(given.changed for given in self.inputs)


def sentence(_: Language) -> Sentence:
    """Return the sentence as it is set."""
    example = six_words()
    typed = sentence_tokens(share.value("words")).tokens
    tokens = typed or example.tokens
    known = {word.casefold() for word in example.tokens}
    vectors = embed_sentence(tokens, share.value("word_seed"))
    x = Input("X", "x6", vectors, rows=(len(tokens), len(tokens)), columns=(1, 8))
    names = [_(words.FEATURES[feature]) for feature in example.features]
    return Sentence(
        tokens=tokens, features=feature_names(_, names, x.array.shape[1]), x=x,
        w_query=Input("W_Q", "w6_q", example.w_query, rows=(1, 8), columns=(1, 8)),
        w_key=Input("W_K", "w6_k", example.w_key, rows=(1, 8), columns=(1, 8)),
        w_value=Input("W_V", "w6_v", example.w_value, rows=(1, 8), columns=(1, 8)),
        own=not {token.casefold() for token in tokens} <= known,
    )


def feature_names(_: Language, known: Sequence[str], n: int) -> tuple[str, ...]:
    """Name n features: those of the example, then by number."""
    more = (_("feature {number}", number=i + 1) for i in range(len(known), n))
    return (*known[:n], *more)


def ask_for_words(_: Language) -> None:
    """Offer the reader to type a sentence; call it beside the page's controls."""
    with st.popover(_("Your own words"), icon=":material/edit:"):
        controls.line("words", _("A sentence of at most {most} tokens", most=MOST), help=None)
        st.markdown(_(
            "It is cut at white space and around punctuation, and each punctuation mark is a token too. A hyphen or "
            "apostrophe inside a word stays (kupu-kupu, don't); symbols such as `<` and `=` are no punctuation "
            "and stay with their word. Empty it to have the six words back."
        ))
        controls.slider("word_seed", _("Seed of the made-up vectors"))


def say_what_was_typed(_: Language, sentence: Sentence) -> None:
    """Say what did not fit and what cannot be read."""
    dropped = sentence_tokens(share.value("words")).dropped
    if dropped:
        st.warning(_(
            "The sentence has {found} tokens and at most {most} fit: the page shows the first {most}. Shorten it to "
            "see the others.", found=MOST + dropped, most=MOST,
        ), icon=":material/content_cut:")
    for problem in inputs.problems(_, *sentence.inputs):
        st.error(problem, icon=":material/edit_off:")


def say_where_vectors_come_from(_: Language, sentence: Sentence) -> None:
    """Say what a reader must know of own words and own numbers: their vectors mean nothing."""
    if sentence.x.changed:
        st.info(_(
            "X holds numbers that you entered. They are no trained model's, so who attends to whom here says nothing "
            "about language."
        ), icon=":material/edit:")
    elif sentence.own:
        st.info(_(
            "The vectors of your words are made up: each number comes from the SHA-256 digest of the word, of which "
            "number of the vector it is (the first, the second, ...) and of seed {seed}. So the same word has the same "
            "vector wherever it stands. They mean nothing, and neither does who attends to whom here. A trained model "
            "learns its vectors. Words of the source's sentence keep the vectors of our reconstruction.",
            seed=share.value("word_seed"),
        ), icon=":material/casino:")
