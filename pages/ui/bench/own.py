"""What a reader may hand in to be checked: an array as a file or as text, read as data only, or refused in words."""

import io
import json
import math
import struct
import tokenize
import zipfile
import zlib

import numpy as np

from pages.ui.bench.digits import Handed, of_file, of_text
from pages.ui.bench.own_text import at_least, rectangular, scanned, separated
from pages.ui.language import N_
from pages.ui.typed.unreadable import Unreadable, shortened

BYTES = 2**20
NUMBERS = 10_000
TYPED = 240_000  # characters that can be pasted: 24 a number, and in any script less than a browser may hold
DIMS = (1, 4)
ASTRONOMIC = 10**15  # a header may claim a number of more digits than Python writes
NPY, ZIP, PICKLE = b"\x93NUMPY", (b"PK\x03\x04", b"PK\x05\x06"), b"\x80"
BINARY = (".npy", ".npz", ".pkl", ".pickle", ".pt", ".pth")
PLAIN = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # others unpack without a bound
BROKEN = (ValueError, TypeError, SyntaxError, EOFError, KeyError, IndexError, OverflowError, RecursionError,
          MemoryError, RuntimeError, NotImplementedError, OSError, struct.error, tokenize.TokenError, zlib.error,
          zipfile.BadZipFile)

EMPTY = N_("there is nothing in it; hand in one array of numbers.")
BIG = N_("it has {count} bytes; at most {most} are read.")
MANY = N_("it holds {count} numbers; at most {most} are read.")
MORE = N_("it holds more than {most} numbers; no more than so many are read.")
DIMENSIONS = N_("it has {count} dims; an output has {low} to {high}.")
NO_NUMBERS = N_("it holds no number: its shape is {shape}.")
MAGIC = N_("“{typed}” does not start as a file of that kind does. Write it with np.save or np.savez, or paste the "
           "numbers.")
PICKLED = N_("“{typed}” is a pickle or holds one. A pickle can run code, so none is opened; write the numbers with "
             "np.save.")
OBJECTS = N_("it holds Python objects, which only a pickle can carry, and none is opened; convert it with "
             "np.asarray(…, dtype=float) first.")
COMPLEX = N_("it holds complex numbers; an output is real.")
TEXT = N_("it holds text; an output is made of numbers.")
OTHER = N_("it holds {kind}; an output is made of numbers.")
DAMAGED = N_("“{typed}” is damaged or cut off; write it again.")
ONE_ARRAY = N_("it holds {count} files; hand in an NPZ with one array.")
OBJECT = N_("it is a JSON object with {count} lists; hand in one with a single list, or the list alone.")
BROKEN_JSON = N_("“{typed}” starts like a JSON object and is none; hand in its list alone, like [[1, 0.5], [2, 3]].")
ENCODING = N_("“{typed}” is no text in UTF-8, and no NPY or NPZ file.")
KINDS = {"O": OBJECTS, "c": COMPLEX, "U": TEXT, "S": TEXT}


def read(data: bytes | str, filename: str = "") -> np.ndarray:
    """Read one array as `handed` does, without how exact it is.

    >>> read("0,5;1").tolist(), read("[[1, 2], [3, NaN]]").tolist(), read("array([[1.5, 2. ]])").tolist()
    ([[0.5, 1.0]], [[1.0, 2.0], [3.0, nan]], [[1.5, 2.0]])
    """
    return handed(data, filename).array


def handed(data: bytes | str, filename: str = "") -> Handed:
    """Read one array of real numbers; what the content is decides, not what the name claims.

    Parameters
    ----------
    data : bytes or str
        NPY, NPZ with one array, CSV (comma; or semicolon, tab or space with decimal point or comma), JSON (nested
        lists, or an object with one of them), or the printed form of NumPy or PyTorch. At most 1 MB and 10,000
        numbers.
    filename : str, optional
        For the message, and to tell a broken NPY file from a text.

    Returns
    -------
    Handed
        One to four axes, and how exact the numbers can be. NaN and infinities pass: they are for `diagnose` to find.

    Raises
    ------
    Unreadable
        For everything else; its `say` makes a sentence in any language, safe for Markdown.

    Examples
    --------
    >>> handed("[[0.25, 0.333]]").digits
    3
    """
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else bytes(data)
    if len(raw) > BYTES:
        raise Unreadable(BIG, holes={"count": len(raw), "most": BYTES})
    if not raw.strip():
        raise Unreadable(EMPTY)
    if raw.startswith(NPY):
        return _npy(raw, filename)
    if raw.startswith(ZIP):
        return _npz(raw, filename)
    if raw.startswith(PICKLE):
        raise Unreadable(PICKLED, filename)
    if filename.lower().endswith(BINARY):
        raise Unreadable(MAGIC, filename)
    return _text(raw, filename)


def _npy(raw, filename):
    """Read the header first: what it declares is checked before any memory is taken."""
    stream = io.BytesIO(raw)
    try:
        version = np.lib.format.read_magic(stream)
        header = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}[version]
        shape, _, dtype = header(stream)
    except BROKEN as error:
        raise Unreadable(DAMAGED, filename) from error
    check_kind(dtype)
    check_sizes(shape)
    stream.seek(0)
    try:
        array = np.lib.format.read_array(stream, allow_pickle=False).astype(np.float64, order="C")
        return of_file(array, dtype)
    except BROKEN as error:
        raise Unreadable(DAMAGED, filename) from error


def _npz(raw, filename):
    """Read the one member of an archive, never more bytes than are allowed, and write nothing anywhere."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            members = archive.infolist()
            if any(member.filename.lower().endswith((".pkl", ".pickle")) for member in members):
                raise Unreadable(PICKLED, filename)
            if len(members) != 1:
                raise Unreadable(ONE_ARRAY, holes={"count": len(members)})
            member, = members
            if member.file_size > BYTES:
                raise Unreadable(BIG, holes={"count": member.file_size, "most": BYTES})
            if member.compress_type not in PLAIN:
                raise Unreadable(DAMAGED, filename)
            with archive.open(member) as inside:
                unpacked = inside.read(BYTES + 1)
    except Unreadable:
        raise
    except BROKEN as error:
        raise Unreadable(DAMAGED, filename) from error
    if not unpacked.startswith(NPY):
        raise Unreadable(PICKLED if unpacked.startswith(PICKLE) else MAGIC, filename)
    return _npy(unpacked, filename)


def _text(raw, filename):
    try:
        text = raw.decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        raise Unreadable(ENCODING, filename) from error
    if at_least(text) > 2 * NUMBERS:  # to read them takes a second; up to here they are counted exactly
        raise Unreadable(MORE, holes={"most": NUMBERS})
    if filename.lower().endswith(".json") or text.startswith("{"):
        nested = _json(text, filename)
    else:
        nested = scanned(text) if text.startswith(("[", "array", "tensor", "np.", "numpy.", "torch.")) else None
    if nested is None:
        values = separated(text)
    else:
        values = rectangular(nested)
    check_sizes(values.shape)
    return of_text(values, text)


def _json(text, filename):
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable(DAMAGED if filename else BROKEN_JSON, filename or text) from error
    if not isinstance(found, dict):
        return found
    lists = [item for item in found.values() if isinstance(item, list)]
    if len(lists) != 1:
        raise Unreadable(OBJECT, holes={"count": len(lists)})
    return lists[0]


def check_kind(dtype: np.dtype) -> None:
    """Refuse what is not made of real numbers."""
    if dtype.hasobject:
        raise Unreadable(OBJECTS)
    if dtype.kind not in "fiub":
        raise Unreadable(KINDS.get(dtype.kind, OTHER), holes={"kind": str(dtype)[:40]})


def check_sizes(shape: tuple[int, ...]) -> None:
    """Refuse too many or no numbers, and too many or too few axes."""
    low, high = DIMS
    if not low <= len(shape) <= high:
        raise Unreadable(DIMENSIONS, holes={"count": len(shape), "low": low, "high": high})
    count = math.prod(shape)
    if count == 0:
        raise Unreadable(NO_NUMBERS, holes={"shape": shortened(str(shape))})
    if not 0 < count <= NUMBERS:
        written = count if count < ASTRONOMIC else f"10^{int(math.log10(count))}"
        raise Unreadable(MANY, holes={"count": written, "most": NUMBERS})
