"""Tiles: FlashAttention's online softmax, tile by tile, and the memory it saves."""

from functools import partial

from attention_core.memory import predicted_bytes
from attention_core.online_softmax import _take_in, online_softmax
from pages.ui import lesson
from pages.ui.frame import show_page
from pages.ui.language import Language
from pages.ui.lessons import tiles, tiles_memory, tiles_program
from pages.ui.take import home


def page(_: Language) -> None:
    """Ask, compute, show and say."""
    run = tiles.ask(_)

    tiles.picture(_, run)
    lesson.sentence(tiles.say(_, run))
    tiles.ask_for_keys(_, run)
    tiles.outcome(_, run)

    lesson.tries(
        _,
        (_("A small maximum, then a large one"), {
            **tiles.PLAIN, "tiles_order": "rising", "tiles_keys": 6, "tiles_seed": 8, "tiles_step": 2,
        }),
        (_("The largest score first"), {**tiles.PLAIN, "tiles_order": "falling", "tiles_step": 2}),
        (_("A first tile that is hidden"), {**tiles.PLAIN, "tiles_mask": "start", "tiles_step": 2}),
        (_("Causal: tiles that can be skipped"), {
            **tiles.PLAIN, "tiles_mask": "causal", "tiles_query": 5, "tiles_step": 3,
        }),
    )
    tiles_memory.memory(_)

    home.take_home(_, "tiles", partial(tiles_program.program, _, run))
    lesson.why(_, "tiles")
    lesson.code_that_ran(_, online_softmax, _take_in, predicted_bytes)
    lesson.references(_, "dao", "milakov", "vaswani")


show_page("tiles", page)
