"""FIELDS: the one table of what a link can carry, and its URL codec."""

from collections.abc import Iterable, Mapping

from pages.ui.classroom.plan import MOST_STEPS
from pages.ui.classroom.plans import READY
from pages.ui.classroom.predictions import PREDICTIONS
from pages.ui.kinds import Answers, Choice, Code, Decimal, Kind, Names, Numbers, Pairs, Place, PlanText, Text, Whole
from pages.ui.language import LANGUAGES

# Key of the widget = name of the field = name in the link. A name and a default never change once shared.
FIELDS: dict[str, Kind] = {
    "lang": Choice(None, tuple(LANGUAGES)),  # no default of its own: the visitor's browser has one
    "cell": Place(),  # on every page with matrices: the cell whose arithmetic stands beside them
    # what a teacher prepares and a class answers: on every page
    "projector": Choice("0", ("0", "1")),
    "plan": PlanText(tuple(READY)),
    "at": Whole(1, 1, MOST_STEPS),
    "room": Code(5),
    "voter": Code(16),  # drawn at random in a room, so that a page loaded again is the same voter, and nobody
    "made": Answers(40),
    "predict": Choice("none", ("none", *PREDICTIONS)),
    # scaling
    "d_k": Whole(64, 1, 512),
    "seed": Whole(0, 0, 999),
    "keys": Whole(8, 2, 64),
    "divisor": Choice("sqrt_d_k", ("none", "sqrt_d_k", "d_k", "cosine", "free")),
    "value": Decimal(8.0, 0.1, 64.0),
    "mean": Decimal(0.0, -2.0, 2.0),
    "std": Decimal(1.0, 0.1, 3.0),
    "closer": Choice("numbers", ("none", "numbers", "variance", "gradient", "precision")),
    "shift": Whole(0, 0, 800),
    # query, key and value: ikan, makan, and the tokens that a reader adds
    "token": Choice("makan", ("ikan", "makan", "t3", "t4", "t5", "t6")),
    "tie": Choice("none", ("none", "q_k")),
    "x": Numbers(6, 8),
    "w_q": Numbers(8, 6),
    "w_k": Numbers(8, 6),
    "w_v": Numbers(8, 6),
    "ask": Choice("search", ("search", "change", "factor", "length")),
    "longer": Decimal(5.0, 1.0, 8.0),
    "long_key": Whole(2, 1, 6),
    # the sentence of the pipeline and of masking: the six words or the reader's own
    "words": Text("", 160),
    "word_seed": Whole(0, 0, 999),
    "x6": Numbers(12, 8),
    "w6_q": Numbers(8, 8),
    "w6_k": Numbers(8, 8),
    "w6_v": Numbers(8, 8),
    # the pipeline
    "step": Choice("attend", ("attend", "project", "scores", "weights", "mask", "output")),
    "word": Whole(2, 1, 12),
    "causal": Choice("yes", ("no", "yes")),
    "order": Choice("given", ("given", "reversed")),
    # masking
    "mask": Choice("none", ("none", "causal", "padding", "both")),
    "query": Whole(3, 1, 12),
    "pads": Whole(2, 0, 12),
    "side": Choice("end", ("end", "start")),
    "window": Choice("no", ("no", "yes")),
    "left": Whole(1, 0, 11),
    "right": Whole(0, 0, 11),
    "cached": Whole(0, 0, 11),
    "align": Choice("top_left", ("top_left", "bottom_right")),
    "hidden": Pairs(12),
    "beside": Choice("none", ("none", "wrong", "future")),
    "way": Choice("zero", (
        "by_hand", "zero", "minus_1e9", "after", "after_renormalised", "inverted", "wrong_axis", "padded_rows",
    )),
    "changed": Whole(6, 1, 12),
    # verification
    "example": Choice("source", (
        "source", "ikan_makan", "six_words", "drawn", "pipeline", "qkv", "scaling", "masking",
    )),
    "compare": Choice("no", ("no", "yes")),
    "bench": Choice("stages", ("stages", "dtypes", "backends", "battery", "own")),
    "bug": Choice("none", (
        "none", "no_scaling", "scale_by_d_model", "softmax_over_columns", "mask_after_softmax", "inverted_mask",
        "off_by_one_causal", "no_max_subtraction", "wrong_head_split", "transposed_value",
    )),
    "draw_seed": Whole(0, 0, 999),
    "draw_n": Whole(3, 1, 12),
    "draw_m": Whole(4, 1, 12),
    "draw_d_k": Whole(5, 1, 12),
    "draw_d_v": Whole(3, 1, 12),
    "draw_heads": Whole(2, 1, 4),
    "draw_batch": Whole(1, 1, 3),
    "draw_mask": Choice("none", ("none", "causal", "bool", "float", "padding")),
    "draw_scale": Choice("default", ("default", "zero", "negative", "large")),
    "cases": Choice("200", ("200", "1000")),
    "q": Numbers(12, 8),
    "k": Numbers(12, 8),
    "v": Numbers(12, 8),
    # heads
    "heads_part": Choice("cross", ("cross", "heads", "scale", "beyond")),
    "cross": Choice("cross", ("self", "cross")),
    "asking": Text("", 160),
    "answering": Text("", 160),
    "asker": Whole(3, 1, 12),
    "heads_seed": Whole(0, 0, 999),
    "d_model": Whole(8, 2, 12),
    "num_heads": Whole(2, 1, 8),
    "scale_heads": Choice("8", ("1", "2", "4", "8", "16", "32", "64")),
    "token_kind": Choice("picture", ("picture", "graph")),
    "drawing": Choice("letter", ("letter", "ring", "gradient")),
    "patch": Whole(6, 1, 16),
    "node": Whole(3, 1, 6),
    "flipped": Pairs(6),
    # tiles
    "tiles_keys": Whole(8, 2, 12),
    "tiles_size": Whole(3, 1, 12),
    "tiles_step": Whole(2, 1, 12),
    "tiles_seed": Whole(4, 0, 999),
    "tiles_order": Choice("drawn", ("drawn", "rising", "falling")),
    "tiles_mask": Choice("none", ("none", "causal", "start")),
    "tiles_query": Whole(5, 1, 12),
    "tiles_measured": Choice("no", ("no", "yes")),
    # additive
    "add_d": Whole(256, 1, 512),
    "add_hidden": Whole(64, 1, 128),
    "add_keys": Whole(8, 2, 32),
    "add_seed": Whole(0, 0, 999),
    "add_look": Choice("saturation", ("none", "saturation", "cost", "widths")),
    "add_v": Choice("root", ("root", "one")),
    "add_long": Decimal(1.0, 1.0, 10.0),
    # explanation
    "exp_from": Choice("six_words", ("six_words", "drawn")),
    "exp_query": Whole(3, 1, 6),
    "exp_keys": Whole(6, 3, 8),
    "exp_d_v": Whole(3, 1, 8),
    "exp_tol": Choice("0", ("0", "0.001", "0.01", "0.05", "0.1")),
    "exp_far": Choice("total_variation", ("total_variation", "jensen_shannon")),
    "exp_seed": Whole(0, 0, 999),
    # learning
    "train_d_k": Choice("256", ("4", "16", "64", "256")),
    "train_optimizer": Choice("sgd", ("sgd", "adam")),
    "train_rate": Choice("low", ("low", "middle", "high")),
    "train_steps": Choice("400", ("400", "1200")),
    "train_seeds": Whole(10, 1, 10),
    "train_first": Whole(0, 0, 999),
    "train_left": Choice("accuracy", ("accuracy", "loss", "largest", "gradient", "at_scores")),
    "train_right": Choice("largest", ("accuracy", "loss", "largest", "gradient", "at_scores")),
    # in the classroom: what a teacher is preparing
    "class_part": Choice("prepare", ("prepare", "plans", "poll", "parameters")),
    "class_page": Choice("scaling", (
        "pipeline", "qkv", "scaling", "masking", "verification", "learning", "additive", "heads", "tiles",
        "explanation", "questions",
    )),
    "class_preset": Names(1),
    "class_lang": Choice("any", ("any", *LANGUAGES)),
    "class_hide": Names(40),
    "class_lock": Names(40),
    "class_free": Choice("no", ("no", "yes")),
    "class_screen": Choice("0", ("0", "1")),
    "class_predict": Choice("none", ("none", *PREDICTIONS)),
    "draft": PlanText(()),
    "class_plan": Choice("scaling45", tuple(READY)),
    "host": Code(32),
}


COMMON = ("lang", "projector", "plan", "at", "room", "voter", "made")  # what the links of all pages carry

PLAIN = {name: field.write(field.default) for name, field in FIELDS.items()}  # what links leave out


def decode(link: Mapping[str, str]) -> tuple[dict[str, object], list[str]]:
    """Read a link: the values of all fields, and the names of those whose text was no legal value.

    >>> values, refused = decode({"d_k": "128", "seed": "luck"})
    >>> values["d_k"], values["seed"], refused
    (128, 0, ['seed'])
    """
    values: dict[str, object] = {name: field.default for name, field in FIELDS.items()}
    refused = []
    for name in FIELDS.keys() & link.keys():
        try:
            values[name] = FIELDS[name].read(link[name])
        except ValueError:
            refused.append(name)
    return values, sorted(refused)


def encode(values: Mapping[str, object], names: Iterable[str], always: Iterable[str] = ()) -> dict[str, str]:
    """Write the named fields as link parameters; what equals its default is left out, but for those `always` written.

    >>> encode({"lang": "id", "d_k": 64, "seed": 7}, ["lang", "d_k", "seed"])
    {'lang': 'id', 'seed': '7'}
    """
    return {
        name: text
        for name in names
        if values[name] != FIELDS[name].default or name in always
        if (text := FIELDS[name].write(values[name])) != PLAIN[name] or text and name in always
    }
