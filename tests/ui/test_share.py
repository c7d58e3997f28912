"""The codec of a link: what is written is read back, and what cannot be read is named and never guessed."""

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.ui.classroom.plan import Step, write
from pages.ui.fields import FIELDS, decode, encode
from pages.ui.kinds import Answers, Code, Decimal, Names, Numbers, Pairs, Place, PlanText, Text, Whole

DEFAULTS = {name: field.default for name, field in FIELDS.items()}

# A copy on purpose: a link that somebody shared keeps its meaning. Add to it; never change or take away.
FROZEN = {
    "lang": None,
    "d_k": 64,
    "seed": 0,
    "keys": 8,
    "divisor": "sqrt_d_k",
    "value": 8.0,
    "mean": 0.0,
    "std": 1.0,
    "closer": "numbers",
    "shift": 0,
    "cell": "",
    "projector": "0",
    "plan": "",
    "at": 1,
    "room": "",
    "voter": "",
    "made": (),
    "predict": "none",
    "token": "makan",
    "tie": "none",
    "x": None,
    "w_q": None,
    "w_k": None,
    "w_v": None,
    "ask": "search",
    "longer": 5.0,
    "long_key": 2,
    "words": "",
    "word_seed": 0,
    "x6": None,
    "w6_q": None,
    "w6_k": None,
    "w6_v": None,
    "step": "attend",
    "word": 2,
    "causal": "yes",
    "order": "given",
    "mask": "none",
    "query": 3,
    "pads": 2,
    "side": "end",
    "window": "no",
    "left": 1,
    "right": 0,
    "cached": 0,
    "align": "top_left",
    "hidden": (),
    "beside": "none",
    "way": "zero",
    "changed": 6,
    "example": "source",
    "compare": "no",
    "bench": "stages",
    "bug": "none",
    "draw_seed": 0,
    "draw_n": 3,
    "draw_m": 4,
    "draw_d_k": 5,
    "draw_d_v": 3,
    "draw_heads": 2,
    "draw_batch": 1,
    "draw_mask": "none",
    "draw_scale": "default",
    "cases": "200",
    "q": None,
    "k": None,
    "v": None,
    "heads_part": "cross",
    "cross": "cross",
    "asking": "",
    "answering": "",
    "asker": 3,
    "heads_seed": 0,
    "d_model": 8,
    "num_heads": 2,
    "scale_heads": "8",
    "token_kind": "picture",
    "drawing": "letter",
    "patch": 6,
    "node": 3,
    "flipped": (),
    "tiles_keys": 8,
    "tiles_size": 3,
    "tiles_step": 2,
    "tiles_seed": 4,
    "tiles_order": "drawn",
    "tiles_mask": "none",
    "tiles_query": 5,
    "tiles_measured": "no",
    "add_d": 256,
    "add_hidden": 64,
    "add_keys": 8,
    "add_seed": 0,
    "add_look": "saturation",
    "add_v": "root",
    "add_long": 1.0,
    "exp_from": "six_words",
    "exp_query": 3,
    "exp_keys": 6,
    "exp_d_v": 3,
    "exp_tol": "0",
    "exp_far": "total_variation",
    "exp_seed": 0,
    "train_d_k": "256",
    "train_optimizer": "sgd",
    "train_rate": "low",
    "train_steps": "400",
    "train_seeds": 10,
    "train_first": 0,
    "train_left": "accuracy",
    "train_right": "largest",
    "class_part": "prepare",
    "class_page": "scaling",
    "class_preset": (),
    "class_lang": "any",
    "class_hide": (),
    "class_lock": (),
    "class_free": "no",
    "class_screen": "0",
    "class_predict": "none",
    "draft": "",
    "class_plan": "scaling45",
    "host": "",
}
FROZEN_CHOICES = {
    "lang": {"en", "id"},
    "projector": {"0", "1"},
    "divisor": {"none", "sqrt_d_k", "d_k", "cosine", "free"},
    "closer": {"none", "numbers", "variance", "gradient", "precision"},
    "token": {"ikan", "makan", "t3", "t4", "t5", "t6"},
    "tie": {"none", "q_k"},
    "ask": {"search", "change", "factor", "length"},
    "step": {"attend", "project", "scores", "weights", "mask", "output"},
    "causal": {"no", "yes"},
    "order": {"given", "reversed"},
    "window": {"no", "yes"},
    "align": {"top_left", "bottom_right"},
    "beside": {"none", "wrong", "future"},
    "way": {
        "by_hand", "zero", "minus_1e9", "after", "after_renormalised", "inverted", "wrong_axis", "padded_rows",
    },
    "mask": {"none", "causal", "padding", "both"},
    "side": {"end", "start"},
    "example": {"source", "ikan_makan", "six_words", "drawn", "pipeline", "qkv", "scaling", "masking"},
    "compare": {"no", "yes"},
    "bench": {"stages", "dtypes", "backends", "battery", "own"},
    "bug": {
        "none", "no_scaling", "scale_by_d_model", "softmax_over_columns", "mask_after_softmax", "inverted_mask",
        "off_by_one_causal", "no_max_subtraction", "wrong_head_split", "transposed_value",
    },
    "draw_mask": {"none", "causal", "bool", "float", "padding"},
    "draw_scale": {"default", "zero", "negative", "large"},
    "cases": {"200", "1000"},
    "heads_part": {"cross", "heads", "scale", "beyond"},
    "cross": {"self", "cross"},
    "scale_heads": {"1", "2", "4", "8", "16", "32", "64"},
    "token_kind": {"picture", "graph"},
    "drawing": {"letter", "ring", "gradient"},
    "tiles_order": {"drawn", "rising", "falling"},
    "tiles_mask": {"none", "causal", "start"},
    "tiles_measured": {"no", "yes"},
    "add_look": {"none", "saturation", "cost", "widths"},
    "add_v": {"root", "one"},
    "exp_from": {"six_words", "drawn"},
    "exp_tol": {"0", "0.001", "0.01", "0.05", "0.1"},
    "exp_far": {"total_variation", "jensen_shannon"},
    "train_d_k": {"4", "16", "64", "256"},
    "train_optimizer": {"sgd", "adam"},
    "train_rate": {"low", "middle", "high"},
    "train_steps": {"400", "1200"},
    "train_left": {"accuracy", "loss", "largest", "gradient", "at_scores"},
    "train_right": {"accuracy", "loss", "largest", "gradient", "at_scores"},
}
FROZEN_BOUNDS = {
    "at": (1, 20),
    "d_k": (1, 512), "seed": (0, 999), "keys": (2, 64), "value": (0.1, 64.0), "mean": (-2.0, 2.0), "std": (0.1, 3.0),
    "shift": (0, 800), "query": (1, 12), "pads": (0, 12), "longer": (1.0, 8.0), "long_key": (1, 6),
    "word_seed": (0, 999), "word": (1, 12), "left": (0, 11), "right": (0, 11), "cached": (0, 11), "changed": (1, 12),
    "draw_seed": (0, 999), "draw_n": (1, 12), "draw_m": (1, 12), "draw_d_k": (1, 12), "draw_d_v": (1, 12),
    "draw_heads": (1, 4), "draw_batch": (1, 3),
    "asker": (1, 12), "heads_seed": (0, 999), "d_model": (2, 12), "num_heads": (1, 8), "patch": (1, 16), "node": (1, 6),
    "tiles_keys": (2, 12), "tiles_size": (1, 12), "tiles_step": (1, 12), "tiles_seed": (0, 999), "tiles_query": (1, 12),
    "add_d": (1, 512), "add_hidden": (1, 128), "add_keys": (2, 32), "add_seed": (0, 999), "add_long": (1.0, 10.0),
    "exp_query": (1, 6), "exp_keys": (3, 8), "exp_d_v": (1, 8), "exp_seed": (0, 999),
    "train_seeds": (1, 10), "train_first": (0, 999),
}
FROZEN_SIZES = {
    "x": (6, 8), "w_q": (8, 6), "w_k": (8, 6), "w_v": (8, 6), "x6": (12, 8), "w6_q": (8, 8), "w6_k": (8, 8),
    "w6_v": (8, 8), "q": (12, 8), "k": (12, 8), "v": (12, 8),
}
JUNK = [
    "", " ", "-1", "+3", "99999", "9" * 400, "1e3", "3.0", "3,0", "0x10", "1_0", "٣", "３", "²", " 3", "3\n", "nan",
    "inf", "None", "True", "null", "[]", "<b>3</b>", "<script>alert(1)</script>", "%33", "3;4", "\x00", "日本",
    "x" * 9999, "NONE", "none ", "Makan",
]


def legal(field):
    """All legal values of a field, or some where there are too many; a number with one decimal counts in tenths."""
    if isinstance(field, Text):
        return ["", "The cat sat", "kupu-kupu & <b>ikan</b>", "猫 🐈‍⬛ שלום", "#?=%2F+", " ", "x" * field.longest]
    if isinstance(field, Numbers):
        return [None, ((0.0,),), ((1.0, -0.5), (1000.0, -0.000001)), ((0.125,) * field.columns,) * field.rows]
    if isinstance(field, Place):
        return ["", "scores.1.1", "W_Q.12.12", "output.3.10"]
    if isinstance(field, Pairs):
        return [(), ((1, 1),), ((1, 2), (field.most, field.most)), tuple((i, 2) for i in range(1, field.most + 1))]
    if isinstance(field, Names):
        return [(), ("seed",), tuple(f"a{n}_-" for n in range(field.most))]
    if isinstance(field, Code):
        return ["", "A", "K7MPa", "x" * field.longest]
    if isinstance(field, PlanText):
        steps = [Step("scaling", {"d_k": "512", "words": "ü <b>"}, ("seed",), ("keys",)), Step("qkv", free=True)]
        return ["", *field.ready, write(steps), write(steps * 10)]
    if isinstance(field, Answers):
        return [(), (("spread", "b"), ("peak2", "-0.9871")), tuple((f"p{n}", "a") for n in range(10, field.most + 10))]
    if hasattr(field, "choices"):
        return list(field.choices)
    if isinstance(field.default, int):
        return list(range(field.low, field.high + 1))
    return [tenth / 10 for tenth in range(round(10 * field.low), round(10 * field.high) + 1)]


NUMBERS = [name for name, field in FIELDS.items() if isinstance(field, Whole | Decimal)]
MATRICES = [name for name, field in FIELDS.items() if isinstance(field, Numbers)]
WHOLE = [name for name in NUMBERS if isinstance(FIELDS[name].default, int)]
DECIMAL = [name for name in NUMBERS if isinstance(FIELDS[name].default, float)]
VALUES = st.fixed_dictionaries({name: st.sampled_from(legal(field)) for name, field in FIELDS.items()})


@given(VALUES)
def test_what_is_written_is_read_back(values):
    link = encode(values, FIELDS)
    assert all(isinstance(text, str) for text in link.values())
    assert all(text.isascii() for name, text in link.items() if not isinstance(FIELDS[name], Text))
    assert decode(link) == (values, [])


@pytest.mark.parametrize("name", FIELDS)
def test_every_legal_value_of_every_field_is_read_back(name):
    for value in legal(FIELDS[name]):
        assert decode(encode({name: value}, [name])) == (DEFAULTS | {name: value}, [])


@pytest.mark.parametrize("name", DECIMAL)
def test_a_decimal_that_a_slider_rounds_badly_is_read_back(name):
    """A slider counts in binary: 0.1 + 0.2 is 0.30000000000000004, and still means 0.3."""
    for value in legal(FIELDS[name])[1:-1]:
        for near in (math.nextafter(value, math.inf), math.nextafter(value, -math.inf)):
            values, refused = decode(encode({name: near}, [name]))
            assert refused == [] and values[name] == value


@given(VALUES)
def test_defaults_are_left_out_and_nothing_else(values):
    assert encode(values, FIELDS).keys() == {name for name in FIELDS if values[name] != DEFAULTS[name]}


@given(VALUES, st.sets(st.sampled_from(sorted(FIELDS))))
def test_only_the_named_fields_are_written(values, names):
    assert encode(values, names).keys() <= names


def test_an_empty_link_means_the_defaults():
    assert decode({}) == (DEFAULTS, [])


def junk_for(name):
    """All junk that is no legal value of a field."""
    return [
        junk for junk in JUNK
        if not (name in DECIMAL and junk in ("-1", "3.0"))             # legal for some numbers with a decimal
        and not (name in MATRICES and junk in ("-1", "3.0", "1_0"))    # legal as a matrix of one row
        and not (name in ("cell", "hidden") and junk in ("", "3.0"))   # the empty link, and one that is tested below
        and not (isinstance(FIELDS[name], Text) and len(junk) < 200 and junk.isprintable())
        and not (isinstance(FIELDS[name], Names) and re.fullmatch("[a-z]{2,4}", junk))
        and not (isinstance(FIELDS[name], Code) and len(junk) < 16 and junk.isascii() and junk.isalnum())
    ]


@pytest.mark.parametrize("name", FIELDS)
def test_junk_falls_back_to_the_default_and_is_named(name):
    for junk in junk_for(name):
        assert decode({name: junk}) == (DEFAULTS, [name]), ascii(junk)[:24]


@given(st.dictionaries(st.sampled_from(sorted(FIELDS)), st.text()))
def test_any_text_is_either_legal_or_refused(link):
    values, refused = decode(link)
    for name, text in link.items():
        if name in refused:
            assert values[name] == DEFAULTS[name]
        elif name in NUMBERS:
            assert values[name] == float(text) and text.isascii()
        elif not isinstance(values[name], str):
            again = {name: FIELDS[name].write(values[name])}
            assert text.isascii() and decode(again) == (DEFAULTS | {name: values[name]}, [])
        else:
            assert values[name] == text


@pytest.mark.parametrize("name", NUMBERS)
def test_one_beyond_either_bound_is_refused(name):
    field, step = FIELDS[name], 1 if name in WHOLE else 0.1
    assert decode({name: str(field.low)})[1] == decode({name: str(field.high)})[1] == []
    for beyond in (round(field.low - step, 1), round(field.high + step, 1)):
        assert decode({name: str(beyond)}) == (DEFAULTS, [name])


@pytest.mark.parametrize("name", DECIMAL)
def test_a_decimal_has_one_spelling(name):
    for junk in ("1,5", "1.55", ".5", "1.", "1e0", "--1", "0x1", "1_0.0", "1.5 ", "1.5\n", "-", "."):
        assert decode({name: junk}) == (DEFAULTS, [name]), ascii(junk)


@given(st.dictionaries(st.text().filter(lambda name: name not in FIELDS), st.text()))
def test_unknown_names_are_ignored(link):
    assert decode(link) == (DEFAULTS, [])


def test_one_bad_field_leaves_the_others_alone():
    values, refused = decode({"d_k": "128", "seed": "luck", "mask": "both", "side": "left"})
    assert (values["d_k"], values["seed"], values["mask"], values["side"]) == (128, 0, "both", "end")
    assert refused == ["seed", "side"]


def test_a_shared_link_keeps_its_meaning():
    assert FROZEN.items() <= DEFAULTS.items()
    for name, choices in FROZEN_CHOICES.items():
        assert choices <= set(FIELDS[name].choices)
    for name, (low, high) in FROZEN_BOUNDS.items():
        assert FIELDS[name].low <= low and FIELDS[name].high >= high
    for name, (rows, columns) in FROZEN_SIZES.items():
        assert FIELDS[name].rows >= rows and FIELDS[name].columns >= columns
    assert FIELDS["words"].longest >= 160 and FIELDS["hidden"].most >= 12


def test_every_field_is_frozen_here():
    assert FROZEN.keys() == FIELDS.keys(), "add the new field to FROZEN: its default must never change again"


@pytest.mark.parametrize("name", MATRICES)
def test_a_matrix_has_one_spelling(name):
    for junk in (
        "", "_", "~", "1_", "1~", "1_2~3", "1,5", "1e3", "1001", "-1000.5", "0.1234567", "1__2", "nan", "+1",
        " 1", "1 ", "_".join("1" * 13), "~".join("1" * 13), "1_2\n", "٣",
    ):
        assert decode({name: junk}) == (DEFAULTS, [name]), ascii(junk)


@pytest.mark.parametrize("junk", [
    "scores", "scores.0.1", "scores.1", "scores.1.13", "a b.1.1", "<b>.1.1", ".1.1", "s.1.1.1",
])
def test_a_place_has_one_spelling(junk):
    assert decode({"cell": junk}) == (DEFAULTS, ["cell"])


@pytest.mark.parametrize("junk", [
    "1", "1.", "0.1", "13.1", "1.13", "1.1_", "1.1,2.2", "1.1__2.2", "_".join(["1.1"] * 200),
])
def test_hidden_cells_have_one_spelling(junk):
    assert decode({"hidden": junk}) == (DEFAULTS, ["hidden"])


@pytest.mark.parametrize("junk", ["x" * 161, "a\nb", "a\tb", "\x00", "\x1b[31m", "\ud800"])
def test_words_are_one_line_of_bounded_length(junk):
    assert decode({"words": junk}) == (DEFAULTS, ["words"])
