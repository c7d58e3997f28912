"""Files made to hurt: each is refused in a sentence, within a second, in a process that grows by a few megabytes.

What is wrong with ordinary files, tests/ui/test_bench_own.py knows.
"""

import io
import json
import struct
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest

from pages.ui.bench import own
from pages.ui.bench.diagnosis import diagnose
from pages.ui.bench.experiment import drawn
from pages.ui.language import LANGUAGES, Language
from pages.ui.typed.unreadable import Unreadable

ROOT = Path(__file__).parents[2]
GROWTH = 40  # megabytes that a process may grow while it refuses all of them; one bomb unpacked would be 100


def npy(array):
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def archive(members, method=zipfile.ZIP_DEFLATED, comment=b""):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as file:
        file.comment = comment
        for name, content in members:
            file.writestr(name, content)
    return stream.getvalue()


def header(text, version=1, length=None):
    """A NumPy file with any text as its header, which may claim any length."""
    raw = text.encode("latin-1") + b"\n"
    size = struct.pack("<H" if version == 1 else "<I", len(raw) if length is None else length)
    return b"\x93NUMPY" + bytes([version, 0]) + size + raw


def shape(text, descr="'<f8'"):
    return header(f"{{'descr': {descr}, 'fortran_order': False, 'shape': {text}, }}")


def patched(data, offset, value, size="<H"):
    """An archive with a field of every header overwritten."""
    data = bytearray(data)
    for mark, shift in ((b"PK\x03\x04", 0), (b"PK\x01\x02", 2)):
        at = data.find(mark)
        while at >= 0:
            struct.pack_into(size, data, at + offset + shift, value)
            at = data.find(mark, at + 4)
    return bytes(data)


ZEROS = shape("(13000000,)") + b"\0" * 104_000_000
BOMB = archive([("a.npy", ZEROS)])
HOSTILE = {
    "bomb": BOMB,
    "bomb in a bomb": archive([("a.npz", BOMB)]),
    "bomb that says it is small": patched(BOMB, 22, 128, "<I"),
    "bomb of ten thousand files": archive([(f"{at}.npy", b"") for at in range(7000)], zipfile.ZIP_STORED),
    "two files": archive([("a.npy", npy(np.eye(2))), ("../a.npy", npy(np.eye(3)))]),
    "locked": patched(archive([("a.npy", npy(np.eye(2)))]), 6, 1),
    "unknown method": patched(archive([("a.npy", npy(np.eye(2)))]), 8, 99),
    "long comment": archive([("a.npy", b"")], comment=b"x" * 65_000),
    "directory only": b"PK\x05\x06" + b"\0" * 14 + struct.pack("<IH", 2**31, 0),
    "directories without end": b"PK\x05\x06" * 200_000,
    "locals without end": b"PK\x03\x04" * 200_000,
    "shape of 2 to the 62": shape("(4611686018427387904,)"),
    "shape beyond all numbers": shape(f"({'9' * 4000},)"),
    "shape beyond all writing": shape(f"({'9' * 4000}, {'9' * 4000})"),
    "shape of nothing, long": shape(f"(0, {'9' * 4000})"),
    "shape that wraps round": shape("(4294967296, 4294967296)"),
    "shape of true": shape("(True,)") + b"\0" * 8,
    "shape of text": shape("'99'"),
    "shape of ten thousand axes": shape(f"({'1,' * 9000})") + b"\0" * 8,
    "shape in a shape": shape("((2, 2),)"),
    "item of a gigabyte": shape("(1,)", "'<V1000000000'"),
    "text of a gigabyte": shape("(1,)", "'<U250000000'"),
    "fields without end": shape("(1,)", "[" + ",".join(f"('f{at}', '<f8')" for at in range(3000)) + "]"),
    "fields in fields": shape("(1,)", "[('a', " * 200 + "'<f8'" + ")]" * 200),
    "subarray": shape("(1,)", "('<f8', (100000, 100000))"),
    "objects": shape("(1,)", "'|O'") + b"\x80\x04cos\nsystem\n.",
    "brackets": header("(" * 9000 + ")" * 9000),
    "long header": header("{" + " " * 60_000 + "}"),
    "header longer than the file": header("{}", length=65_535),
    "header of four gigabytes": header("{}", version=2, length=2**32 - 1),
    "third version": header("{'descr': '<f8', 'fortran_order': False, 'shape': (10**9,), }", version=3),
    "power in the header": shape("(10**9**9,)"),
    "call in the header": shape("(__import__('time').sleep(60),)"),
    "cut in the middle": npy(np.zeros(5000))[:20_000],
    "json of digits": b"[" + b"9" * 900_000 + b"]",
    "json of brackets": b"[" * 500_000 + b"]" * 500_000,
    "json of objects": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "json of keys": json.dumps({f"{at}": 1 for at in range(60_000)}).encode(),
    "one number of a megabyte": b"1" * 1_000_000,
    "one line of commas": b"," * 1_000_000,
    "lines of nothing": b"\n" * 1_000_000,
    "quotes": b'"' * 1_000_000,
    "csv in quotes": b'1,"' + b"\n" * 900_000,
    "an exponent": b"1e" + b"9" * 60,
    "minus without end": b"-" * 1_000_000,
    "nulls": b"\0" * 1_000_000,
    "surrogates": b"\xed\xa0\x80" * 300_000,
    "a file of two names": b"\x93NUMPYPK\x03\x04",
    "too long by one": b"1 " * 524_289,
}
NAMES = ("mine.npy", "mine.npz", "mine.csv", "mine.json", "")


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_a_file_made_to_hurt_is_refused_in_a_sentence_and_quickly(data):
    for name in NAMES:
        start = time.process_time()
        with pytest.raises(Unreadable) as refusal:
            own.read(data, name)
        assert time.process_time() - start < 1.5, name
        for lang in LANGUAGES:
            said = refusal.value.say(Language(lang))
            assert said.endswith(".") and len(said) < 400 and "Traceback" not in said


@pytest.mark.parametrize("text", [
    "1\n" * 524_287, "1 " * 100_000, "1,5;" * 50_000, "1," * 100_000, "[" + "1," * 50_000 + "1]",
    "[[1 2]\n" * 30_000, '{"a": [' + "1, " * 50_000 + "1]}",
], ids=lambda text: text[:8])
def test_too_many_numbers_are_refused_before_any_is_read(text, monkeypatch):
    for reader in ("separated", "scanned", "rectangular"):
        monkeypatch.setattr(own, reader, lambda *_: pytest.fail("read"))
    for name in ("", "mine.csv"):
        with pytest.raises(Unreadable) as refusal:
            own.read(text, name)
        assert refusal.value.reason == own.MORE


@pytest.mark.parametrize("text", [
    "# many words in a comment, and more\n" * 3_000 + "1,5;2\n" * 5_000, "1,25\t" * 9_999 + "1", "1,2\n" * 5_000,
    "-1.5e-05 , +2\n" * 5_000, f"tensor({[[1.5] * 100] * 100}, dtype=torch.float64)", "1, 2\n" * 5_000,
], ids=lambda text: text[:8])
def test_as_many_numbers_as_may_be_are_read_however_they_are_written(text):
    assert own.read(text).size == own.NUMBERS


def test_a_few_too_many_are_counted_exactly():
    with pytest.raises(Unreadable) as refusal:
        own.read("1,2\n" * 5_001)
    assert refusal.value.holes == {"count": 10_002, "most": 10_000}


CHILD = """
import importlib.util, resource, sys
spec = importlib.util.spec_from_file_location("hostile", sys.argv[1])
hostile = importlib.util.module_from_spec(spec)
spec.loader.exec_module(hostile)
del hostile.ZEROS
for data in (b"1 2", hostile.npy(hostile.np.eye(2))):
    hostile.own.read(data)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
with open("/proc/self/clear_refs", "w") as clear:
    clear.write("5")
held = lambda: int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0])
start = held()
for data in hostile.HOSTILE.values():
    for name in hostile.NAMES:
        try:
            hostile.own.read(data, name)
        except hostile.Unreadable:
            pass
print((held() - start) / 1024)
"""


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="the kernel's own count of memory is needed")
def test_a_process_that_refuses_them_all_hardly_grows():
    done = subprocess.run([sys.executable, "-c", CHILD, __file__], cwd=ROOT, env={"PYTHONPATH": str(ROOT)},
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    assert float(done.stdout) < GROWTH, done.stdout


def test_numbers_that_are_none_are_found_and_carry_nothing():
    """A NaN has room for 51 bits of anything, and a signalling one; both are read as NaN, counted and placed."""
    bits = np.full((2, 3), 0x7FF0DEADBEEF0001, "<u8")
    bits[0, 1] = 0xFFF8_0000_0000_0000 | int.from_bytes(b"<svg>", "big")
    found = own.handed(npy(bits.view("<f8")), "mine.npy")
    assert np.isnan(found.array).all()
    said = diagnose(drawn(0, 2, 4, 5, 3), np.broadcast_to(found.array, (1, 1, 2, 3)))
    assert said.kind in ("off", "mistake") and said.nan_count == 6
