"""The experiments worth trying on the mask laboratory: they fit the reader's own sentence and keep it."""

from pages.ui import share
from pages.ui.language import Language
from pages.ui.typed.sentence import Sentence
from pages.ui.typed.unreadable import shown

ORDINARY = {"window": "no", "cached": 0, "hidden": ()}  # what each sets besides its own


def tries(_: Language, given: Sentence) -> list[tuple[str, dict[str, object]]]:
    """Return the label of each experiment and the fields that it sets, for the sentence as it is."""
    n = len(given.tokens)
    at = min(3, n)
    causal = ORDINARY | {"mask": "causal", "query": at}
    nothing = {"mask": "both", "query": 1, "pads": min(2, n), "side": "start", "beside": "wrong", "way": "minus_1e9"}
    return [
        (_("Hide the future from “{word}”", word=shown(given.tokens[at - 1])), causal),
        (_("A row with nothing to see"), ORDINARY | nothing),
        (_("Change the future"), causal | {"beside": "future", "changed": n}),
        (_("Everybody sees everybody"), ORDINARY | {"mask": "none", "query": at}),
        *cache(_, given),
    ]


def cache(_: Language, given: Sentence) -> list[tuple[str, dict[str, object]]]:
    """Return the experiment with one query: three words of the source, or all the reader's own if there are two."""
    own = share.value("words") or given.x.changed
    n = len(given.tokens) if own else 3
    fields = {"mask": "causal", "query": n, "cached": n - 1, "align": "bottom_right"}
    kept = {} if own else {"words": "The cat sat"}
    return [(_("A cache: 1 query, {n} keys", n=n), ORDINARY | fields | kept)] if n > 1 else []
