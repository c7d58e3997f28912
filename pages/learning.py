"""Learning: does attention without the division stop to learn? One head, tried both ways, seed by seed."""

from functools import partial

from attention_core.recall import answer, answer_gradients
from attention_core.training import train
from attention_core.ways import ablation
from pages.ui import lesson
from pages.ui.frame import show_page
from pages.ui.language import Language
from pages.ui.lessons import learning, learning_blame, learning_program, runs
from pages.ui.take import home


def page(_: Language) -> None:
    """Ask, compute, show and say."""
    setting = learning.ask(_)
    run = learning.run_of(setting)
    learning.start(_, setting, run)
    runs.live(_, "learning", setting, run, learning.draw)
    learning.task(_)

    lesson.tries(
        _,
        (_("dₖ = 4: no difference"), {"train_d_k": "4", "train_optimizer": "sgd", "train_rate": "middle"}),
        (_("Three times the rate"), {"train_d_k": "256", "train_optimizer": "sgd", "train_rate": "middle",
                                     "train_steps": "400"}),
        (_("Three times the steps"), {"train_d_k": "256", "train_optimizer": "sgd", "train_rate": "low",
                                      "train_steps": "1200"}),
        (_("Does Adam help?"), {"train_d_k": "256", "train_optimizer": "adam", "train_rate": "high"}),
        (_("What softmax lets through"), {"train_left": "largest", "train_right": "at_scores"}),
    )
    learning_blame.blame(_, setting)

    home.take_home(_, "learning", partial(learning_program.program, _, setting))
    lesson.why(_, "learning")
    lesson.code_that_ran(_, train, ablation, answer, answer_gradients)
    lesson.references(_, "vaswani", "kingma")


show_page("learning", page)
