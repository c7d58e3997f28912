"""What a reader hands in: every format is read to the last bit, everything else is refused in a sentence, none runs."""

import io
import json
import os
import pickle
import re
import struct
import tracemalloc
import zipfile
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core.mistakes import MISTAKES
from pages.ui.bench import own, own_text
from pages.ui.bench.diagnosis import diagnose
from pages.ui.bench.experiment import drawn
from pages.ui.bench.experiment import given as given_arrays
from pages.ui.bench.own import handed, read
from pages.ui.bench.stages import ours
from pages.ui.language import Language
from pages.ui.typed.unreadable import Unreadable

RANDOM = np.random.default_rng(0)
ARRAYS = {
    "1-D": RANDOM.normal(size=3), "2-D": RANDOM.normal(size=(2, 3)) * 1e-9, "4-D": RANDOM.normal(size=(2, 3, 2, 5)),
    "special": np.array([[np.nan, np.inf], [-np.inf, -0.0]]), "column": RANDOM.normal(size=(4, 1)) * 1e200,
}
every_array = pytest.mark.parametrize("array", ARRAYS.values(), ids=ARRAYS)


def npy(array, **options):
    stream = io.BytesIO()
    np.save(stream, array, **options)
    return stream.getvalue()


def npz(**arrays):
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)
    return stream.getvalue()


def archive(members, method=zipfile.ZIP_DEFLATED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return stream.getvalue()


def same(found, array):
    assert found.dtype == np.float64 and np.array_equal(found, array, equal_nan=True)
    assert found.flags.writeable and found.flags.c_contiguous


@every_array
def test_binary_files_are_read_to_the_last_bit(array):
    same(read(npy(array), "mine.npy"), array)
    same(read(npy(np.asfortranarray(array))), array)
    same(read(npz(a=array), "mine.npz"), array)
    same(read(archive({"arr_0.npy": npy(array)}, zipfile.ZIP_STORED), "mine.npz"), array)


@every_array
def test_lists_are_read_to_the_last_bit(array):
    text = json.dumps(array.tolist())
    same(read(text, "mine.json"), array)
    same(read(text.encode(), "mine.txt"), array)
    same(read(str(array.tolist())), array)


@every_array
def test_what_numpy_prints_is_read(array):
    with np.printoptions(precision=17, threshold=10_000, floatmode="unique"):
        same(read(str(array)), array)
        same(read(repr(array)), array)
        same(read("np." + repr(array)), array)
    same(read(f"tensor({array.tolist()}, dtype=torch.float64)"), array)
    same(read(f"tensor({array.tolist()}, device='cpu', dtype=torch.float64, grad_fn=<MmBackward0>)"), array)


@pytest.mark.parametrize("mark", [",", ";", "\t", " ", ", "])
def test_separated_values_are_read_to_the_last_bit(mark):
    array = ARRAYS["2-D"]
    text = "# a header\n" + "\r\n".join(mark.join(map(repr, map(float, row))) for row in array) + "\n\n"
    same(read(text, "mine.csv"), array)
    same(read(b"\xef\xbb\xbf" + text.encode(), "mine.csv"), array)
    if mark != "," and mark != ", ":
        same(read(text.replace(".", ",")), array)
    stream = io.StringIO()
    np.savetxt(stream, array, delimiter=mark)
    np.testing.assert_array_equal(read(stream.getvalue()), array)


@pytest.mark.parametrize("dtype", ["float16", "float32", ">f8", "int8", "uint64", "bool", "longdouble"])
def test_any_real_dtype_becomes_float64(dtype):
    same(read(npy(np.array([[0, 1], [1, 0]], dtype))), np.array([[0.0, 1.0], [1.0, 0.0]]))


class Trap:
    """Opens a file if anybody unpickles it."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def test_no_pickle_is_ever_opened(tmp_path):
    opened = tmp_path / "opened"
    trap = Trap(opened)
    objects = np.array([[trap]], dtype=object)
    hostile = {
        "mine.pkl": pickle.dumps(trap), "mine.npy": pickle.dumps(trap, 2), "old.pkl": pickle.dumps(trap, 0),
        "objects.npy": npy(objects, allow_pickle=True), "objects.npz": npz(a=objects),
        "disguised.npz": archive({"a.npy": pickle.dumps(trap)}),
        "model.pt": archive({"archive/data.pkl": pickle.dumps(trap), "archive/data/0": b"x"}),
        "objects.csv": npy(objects, allow_pickle=True),
    }
    for name, data in hostile.items():
        with pytest.raises(Unreadable) as refusal:
            read(data, name)
        assert "pickle" in str(refusal.value) or name == "old.pkl", name
    assert not opened.exists()
    np.load(io.BytesIO(hostile["objects.npy"]), allow_pickle=True)
    assert opened.exists(), "the trap itself works"


def header(shape, descr="<f8", extra=b"\0" * 8):
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    text += b" " * (-(len(text) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + extra


def peak(action):
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def refused(data, name=""):
    with pytest.raises(Unreadable) as refusal:
        read(data, name)
    return refusal.value


def bomb(declared=None):
    """A file of zeros that unpacks to 40 MB, and may say that it unpacks to something else."""
    data = archive({"a.npy": header((5_000_000,)) + b"\0" * 40_000_000})
    assert len(data) < 45_000
    if declared is not None:
        true = struct.pack("<I", len(header((5_000_000,))) + 40_000_000)
        assert data.count(true) == 2  # in the member's own header and in the directory
        data = data.replace(true, struct.pack("<I", declared))
    return data


def test_a_bomb_takes_no_memory():
    for data in (bomb(), bomb(declared=2**30), bomb(declared=1000), header((2**40,)), header((10**9, 10**9))):
        used = peak(lambda data=data: refused(data, "bomb.npz"))
        assert used < 8 * 2**20, used
    assert refused(bomb(declared=2**30)).holes == {"count": 2**30, "most": own.BYTES}


def test_a_bomb_in_another_bombs_clothes_is_not_unpacked():
    """bzip2 and LZMA have no bound inside zipfile."""
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        data = archive({"a.npy": npy(np.zeros(10))}, method)
        assert refused(data, "mine.npz").reason == own.DAMAGED


GOOD = npy(np.eye(2))
REFUSED = {
    "nothing": (b"", "a.npy", own.EMPTY),
    "blanks": (" \n ", "", own.EMPTY),
    "too long": (b"1 " * 600_000, "a.csv", own.BIG),
    "too many": ("1 " * 10_001, "a.csv", own.MANY),
    "too many in a file": (npy(np.zeros(10_001)), "a.npy", own.MANY),
    "five dims": (npy(np.zeros((1,) * 5)), "a.npy", own.DIMENSIONS),
    "five dims in a list": ("[[[[[1]]]]]", "", own.DIMENSIONS),
    "no dims": (npy(np.array(1.0)), "a.npy", own.DIMENSIONS),
    "no number": (npy(np.zeros((0, 3))), "a.npy", own.NO_NUMBERS),
    "empty list": ("[]", "a.json", own.NO_NUMBERS),
    "empty printed list": ("[[]]", "", own.NO_NUMBERS),
    "comments only": ("# 1\n# 2", "a.csv", own.NO_NUMBERS),
    "text as npy": ("1 2", "a.npy", own.MAGIC),
    "text as npz": ("1 2", "a.NPZ", own.MAGIC),
    "magic cut": (GOOD[:4], "a.npy", own.MAGIC),
    "header cut": (GOOD[:40], "a.npy", own.DAMAGED),
    "data cut": (GOOD[:-1], "a.npy", own.DAMAGED),
    "version": (GOOD[:6] + b"\x09\x00" + GOOD[8:], "a.npy", own.DAMAGED),
    "code in the header": (header("__import__('os').abort()"), "a.npy", own.DAMAGED),
    "negative": (header((-1,)), "a.npy", None),
    "zip cut": (npz(a=np.eye(2))[:-30], "a.npz", own.DAMAGED),
    "zip empty": (archive({}), "a.npz", own.ONE_ARRAY),
    "two arrays": (npz(a=np.eye(2), b=np.eye(2)), "a.npz", own.ONE_ARRAY),
    "zip of text": (archive({"a.txt": "1 2"}), "a.npz", own.MAGIC),
    "complex": (npy(np.eye(2) * 1j), "a.npy", own.COMPLEX),
    "strings": (npy(np.array(["1"])), "a.npy", own.TEXT),
    "dates": (npy(np.array(["2020-01-01"], "M8[D]")), "a.npy", own.OTHER),
    "records": (npy(np.zeros(2, "f8,i4")), "a.npy", own.OTHER),
    "no text": (b"\xff\xfe1", "a.csv", own.ENCODING),
    "ragged csv": ("1,2\n3", "a.csv", own_text.RAGGED),
    "ragged json": ("[[1, 2], [3]]", "a.json", own_text.UNEVEN),
    "uneven depth": ("[[1], 2]", "", own_text.UNEVEN),
    "uneven depth turned": ("[1, [2]]", "", own_text.UNEVEN),
    "json text": ('[["a"]]', "a.json", own_text.NOT_A_NUMBER),
    "json flags": ("[[true]]", "a.json", own_text.NOT_A_NUMBER),
    "json nothing": ("[[null]]", "a.json", own_text.NOT_A_NUMBER),
    "json object": ('{"a": 1}', "a.json", own.OBJECT),
    "json object of two lists": ('{"a": [1], "b": [2]}', "", own.OBJECT),
    "json object within a list": ('[{"a": [1]}]', "a.json", own_text.NOT_A_NUMBER),
    "json object cut": ('{"a": [1', "", own.BROKEN_JSON),
    "json number": ("1", "a.json", own_text.LISTED),
    "json broken": ("[[1, 2]", "a.json", own.DAMAGED),
    "json deep": ("[" * 100_000, "a.json", own.DAMAGED),
    "json deep and closed": ("[" * 900 + "]" * 900, "a.json", own_text.DEEP),
    "json huge whole": ("[1" + "0" * 400 + "]", "a.json", own_text.NOT_A_NUMBER),
    "json huge digits": ("[1" + "0" * 5000 + "]", "a.json", own.DAMAGED),
    "deep": ("[" * 100_000, "", own_text.LISTED),
    "deep and closed": ("[" * 100_000 + "]" * 100_000, "", own_text.DEEP),
    "dots": ("[[1. 2. ... 3. 4.]]", "", own_text.CUT),
    "behind": ("[[1, 2]] * 3", "", own_text.LISTED),
    "two lists": ("[1] [2]", "", own_text.LISTED),
    "call": ("array([__import__('os').abort()])", "", own_text.NUMBER),
    "comma or space": ("1, 2 3", "", own_text.NUMBER),
    "unclosed call": ("array([1]", "", own_text.LISTED),
    "decimal comma in a list": ("[[0,5 0,25]]", "", own_text.LISTED),
    "two commas": ("[1,,2]", "", own_text.LISTED),
    "complex text": ("1+2j, 3", "a.csv", own_text.NOT_REAL),
    "complex list": ("[1.+0.j 2.+0.j]", "", own_text.NOT_REAL),
    "words": ("query,key\n1,2", "a.csv", own_text.HEADER),
    "words alone": ("fish", "", own_text.NUMBER),
    "a cell missing": ("1,,2", "a.csv", own_text.COMMAS),
    "decimal commas in quotes": ('"0,5","0,25"', "a.csv", own_text.COMMAS),
    "group marks": ("1.234,5;2", "a.csv", own_text.NUMBER),
    "long number": ("1" * 100, "a.csv", own_text.NUMBER),
    "underscores": ("1_000", "", own_text.NUMBER),
}


@pytest.mark.parametrize(("data", "name", "reason"), REFUSED.values(), ids=REFUSED.keys())
def test_everything_else_is_refused_in_a_sentence(data, name, reason):
    found = refused(data, name)
    assert reason is None or found.reason == reason
    for lang in ("en", "id"):
        sentence = found.say(Language(lang))
        assert not re.search(r"(?<!\\)\{", sentence) and sentence.endswith(".") and len(sentence) < 400


def test_a_cell_at_fault_is_named():
    assert refused("1,2\n3,x").place == (2, 2)


@pytest.mark.parametrize("name", ["../../etc/passwd.npy", "<img src=x onerror=alert(1)>.npy", "a" * 10_000 + ".npy",
                                  "[x](http://a.b).npy", "\x00\x1b[2J.npy", "\u202eypn.npy"])
def test_a_hostile_name_is_only_shown(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sentence = str(refused("nothing", name))
    assert len(sentence) < 300 and not re.search(r"(?<!\\)[<\[\](]", sentence)
    assert not any(character < " " or character == "\u202e" for character in sentence)
    same(read(archive({name[:200].replace("\0", "_"): GOOD}), name), np.eye(2))
    assert os.listdir(tmp_path) == []


SEEDS = [
    GOOD, npz(a=np.eye(2)), npy(np.zeros((2, 3), "f4")), b"[[1, 2], [3, 4]]", b"1,2;3\n4,5;6", b"array([[1., 2.]])",
]


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(SEEDS), st.data())
def test_damage_never_gets_past_the_sentences(seed, data):
    spoiled = bytearray(seed)
    for _ in range(data.draw(st.integers(1, 6))):
        place = data.draw(st.integers(0, len(spoiled) - 1))
        spoiled[place] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(spoiled)))
    for content in (bytes(spoiled), bytes(spoiled[:cut]), bytes(spoiled[cut:])):
        try:
            found = read(content, data.draw(st.sampled_from(["a.npy", "a.npz", "a.csv", "a.json", ""])))
        except Unreadable as refusal:
            assert str(refusal)
        else:
            assert found.dtype == np.float64 and 0 < found.size <= own.NUMBERS and 1 <= found.ndim <= 4


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text):
    try:
        assert read(text).size
    except Unreadable as refusal:
        assert str(refusal)


def test_the_checksum_is_checked():
    data = bytearray(archive({"a.npy": GOOD}, zipfile.ZIP_STORED))
    data[data.index(struct.pack("<d", 1.0))] ^= 1
    assert zlib.crc32(bytes(data)) and refused(bytes(data), "a.npz").reason == own.DAMAGED


# diagnosis


def experiment_for(mistake):
    scale = "large" if mistake == "no_max_subtraction" else "default"
    return drawn(4, n=5, m=5, d_k=4, d_v=3, heads=2, batch=2, mask="causal", scale=scale)


def check(experiment, data, name=""):
    found = handed(data, name)
    return diagnose(experiment, found.array, found.dtype, found.rounding)


@pytest.mark.parametrize("mistake", MISTAKES)
@pytest.mark.parametrize(("digits", "precision"), [(None, "float64"), (8, "float32"), (5, "float64")])
def test_every_mistake_is_named(mistake, digits, precision):
    experiment = experiment_for(mistake)
    output = ours(experiment, mistake)["output"]
    found = check(experiment, repr((output if digits is None else output.round(digits)).tolist()))
    assert (found.kind, found.mistakes) == ("mistake", (mistake,))
    assert found.precision == precision
    assert (found.nan_count > 0) == (mistake == "no_max_subtraction") and found.difference != 0


WRITTEN = {
    "npy": lambda a: (npy(a), "a.npy"), "npz": lambda a: (npz(a=a), "a.npz"),
    "json": lambda a: (json.dumps(a.tolist()), "a.json"), "object": lambda a: (json.dumps({"output": a.tolist()}), ""),
    "repr": lambda a: (repr(a.tolist()), ""),
    "12 digits": lambda a: (json.dumps([[f"{x:.12g}" for x in row] for row in a]).replace('"', ""), ""),
    "csv": lambda a: ("\n".join(",".join(map(repr, map(float, row))) for row in a), "a.csv"),
}


@pytest.mark.parametrize("error", [1e-3, 1e-5, 1e-7, 1e-10])
@pytest.mark.parametrize("way", WRITTEN)
def test_full_precision_is_held_to_full_precision(way, error):
    experiment = given_arrays("", *np.random.default_rng(1).normal(size=(3, 4, 4)))
    right = ours(experiment)["output"]
    assert check(experiment, *WRITTEN[way](right)).kind == "right"
    wrong = right.copy()
    wrong[2, 1] += error
    found = check(experiment, *WRITTEN[way](wrong))
    assert (found.kind, found.index) == ("off", (2, 1)) and found.difference == pytest.approx(error, rel=0.1)


@pytest.mark.parametrize(("dtype", "slight", "much"), [("float16", 1e-3, 2e-2), ("float32", 2e-6, 1e-4)])
def test_a_file_is_judged_by_its_dtype(dtype, slight, much):
    experiment = given_arrays("", *np.random.default_rng(1).normal(size=(3, 4, 4)))
    right = ours(experiment)["output"]
    for error, kind in ((0, "right"), (slight, "right"), (much, "off")):
        found = check(experiment, npy((right + error).astype(dtype)))
        assert (found.kind, found.precision) == (kind, dtype if kind == "right" else None)
    listed = check(experiment, repr(right.astype("float32").tolist()))
    assert (listed.kind, listed.precision) == ("right", "float32"), "17 digits, and float32 all the same"
    printed = check(experiment, repr((right + slight).astype(dtype)))
    assert printed.kind in ("right", "lower_precision") and printed.precision == dtype


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6), st.integers(3, 16))
def test_dividing_by_d_k_is_never_right(seed, digits):
    """A softmax(Q K^T / d_k) output, however many digits of it are written."""
    query, key, value = np.random.default_rng(seed).normal(size=(3, 4, 4))
    experiment = given_arrays("", query, key, value)
    wrong = ours(given_arrays("", query, key, value, scale=1 / 4))["output"]
    text = "\n".join(" ".join(f"{x:.{digits}g}" for x in row) for row in wrong)
    assert check(experiment, text).kind not in ("right", "lower_precision")
    assert check(experiment, npy(wrong)).kind == check(experiment, npy(wrong.astype("f4"))).kind == "off"


def test_numbers_with_too_few_digits_are_never_right():
    experiment = given_arrays("", *np.random.default_rng(1).normal(size=(3, 4, 4)))
    right = ours(experiment)["output"]
    for digits in (0, 1):
        assert check(experiment, repr(right.round(digits).tolist())).kind == "off"
    assert check(experiment, repr(np.zeros((4, 4)).tolist())).kind == "off"


def test_digits_that_fit_a_mistake_as_well_decide_nothing():
    key = np.eye(2)
    coarse = given_arrays("", key * 0.1, key, np.array([[1.234], [1.2341]]))
    found = check(coarse, repr(ours(coarse)["output"].round(3).tolist()))
    assert found.kind == "undecided" and "no_scaling" in found.mistakes
    assert check(coarse, repr(ours(coarse)["output"].round(9).tolist())).kind == "lower_precision", "ten digits"


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_right_is_right_in_every_dtype(dtype):
    experiment = experiment_for(None)
    found = diagnose(experiment, ours(experiment, None, dtype)["output"], dtype)
    assert (found.kind, found.precision, found.mistakes, found.share) == ("right", dtype, (), 0.0)


@pytest.mark.parametrize("digits", [11, 5, 4])
def test_right_with_fewer_digits_is_lower_precision(digits):
    experiment = experiment_for(None)
    found = check(experiment, repr(ours(experiment)["output"].round(digits).tolist()))
    assert (found.kind, found.precision) == ("lower_precision", "float64")
    assert found.tolerance < 10.0**-digits


def test_two_mistakes_may_give_the_same():
    """With d_k = 1 and one head no scaling is right; a single hidden key makes two mask mistakes one."""
    experiment = given_arrays("", np.eye(2), np.eye(2), np.eye(2) * 3, np.array([[True, True], [False, False]]))
    mistakes = {mistake: ours(experiment, mistake)["output"] for mistake in MISTAKES}
    for mistake, output in mistakes.items():
        found = diagnose(experiment, output)
        same_output = tuple(m for m in MISTAKES if np.array_equal(mistakes[m], output, equal_nan=True))
        if found.kind == "mistake":
            assert found.mistakes == same_output
        else:
            assert found.kind == "right", mistake
    keys = np.array([[1.0], [1.0]])
    alike = given_arrays("", keys, keys, np.array([[1.0], [2.0]]), np.array([[True, False], [False, True]]))
    found = diagnose(alike, [[0.5], [1.0]])
    assert (found.kind, found.mistakes) == ("mistake", ("mask_after_softmax",))


def test_other_layouts():
    experiment = drawn(0, n=3, m=4, d_k=5, d_v=7, heads=2, batch=2)
    right = ours(experiment)["output"]
    layouts = {
        "transposed": right.swapaxes(-1, -2), "heads_after_rows": right.swapaxes(1, 2),
        "heads_side_by_side": np.concatenate([right[:, 0], right[:, 1]], axis=-1), "flattened": right.reshape(12, 7),
    }
    for layout, array in layouts.items():
        found = diagnose(experiment, array)
        assert (found.kind, found.layout, found.precision) == ("other_layout", layout, "float64")
    square = given_arrays("", *np.random.default_rng(0).normal(size=(3, 4, 4)))
    found = diagnose(square, ours(square)["output"].T)
    assert (found.kind, found.layout) == ("other_layout", "transposed")


def test_a_wrong_shape_says_both():
    found = diagnose(drawn(0, n=3, d_v=5), np.zeros((2, 2)))
    assert (found.kind, found.shape, found.expected_shape) == ("wrong_shape", (2, 2), (1, 1, 3, 5))


def test_how_far_off_and_where():
    experiment = drawn(0, n=2, m=3, d_v=5)
    output = ours(experiment)["output"].copy()
    output[0, 0, 1, 2] += 0.5
    found = diagnose(experiment, output)
    assert (found.kind, found.index, found.share) == ("off", (0, 0, 1, 2), 0.1)
    assert found.difference == pytest.approx(0.5)
    output[0, 0, 0, :] = np.nan
    found = diagnose(experiment, output)
    assert found.kind == "off" and found.nan_count == 5 and found.nans[0] == (0, 0, 0, 0) and found.share == 0.6
    assert np.isnan(found.difference)
