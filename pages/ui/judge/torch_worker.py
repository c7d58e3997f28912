"""PyTorch's own process: reads questions from stdin, answers on stdout, and leaves when nobody asks any more.

Run as a file by torch_process, which shares the frames below. The only importer of torch, and only inside functions,
so that a session that imports this module stays without it. Knows neither Streamlit nor the rest of the lab.
"""

import io
import json
import os
import platform
import struct
import sys
import warnings
from threading import Timer

import numpy as np

LIMIT = 64 * 2**20  # bytes of one frame, both ways
PREFIX = struct.Struct(">4sII")  # mark, bytes of the header, bytes of the arrays
MARK = b"LAB1"
LIBRARIES = ("GCC", "Clang", "MSVC", "Intel(R) oneAPI", "Intel(R) MKL-DNN", "OpenMP", "CPU capability")


class FrameError(ValueError):
    """What is no frame, or one above the limit."""


def pack(items: list[dict]) -> bytes:
    """Write dictionaries of plain values and arrays as one frame; FrameError above the limit.

    >>> unpack(io.BytesIO(pack([{"ask": "sdpa", "query": np.eye(1)}])))
    [{'ask': 'sdpa', 'query': array([[1.]])}]
    """
    body, heads = io.BytesIO(), []
    for item in items:
        arrays = {name: value for name, value in item.items() if isinstance(value, np.ndarray)}
        plain = {name: value for name, value in item.items() if name not in arrays}
        heads.append({"plain": plain, "arrays": list(arrays)})
        for array in arrays.values():
            np.lib.format.write_array(body, array, allow_pickle=False)
    header = json.dumps(heads).encode()
    if len(header) + body.tell() > LIMIT:
        raise FrameError(f"{len(header) + body.tell()} bytes exceed the limit of {LIMIT} bytes.")
    return PREFIX.pack(MARK, len(header), body.tell()) + header + body.getvalue()


def unpack(stream) -> list[dict]:
    """Read one frame; EOFError where the stream ends before it does, FrameError for anything else than a frame."""
    mark, header_bytes, body_bytes = PREFIX.unpack(_exactly(stream, PREFIX.size))
    if mark != MARK or header_bytes + body_bytes > LIMIT:
        raise FrameError(f"it starts with {mark!r}, or is too long.")
    header, body = _exactly(stream, header_bytes), io.BytesIO(_exactly(stream, body_bytes))
    try:
        return [
            {**item["plain"], **{name: np.lib.format.read_array(body, allow_pickle=False) for name in item["arrays"]}}
            for item in json.loads(header)
        ]
    except (ValueError, TypeError, KeyError, EOFError, MemoryError, RecursionError) as garbled:
        raise FrameError(f"{type(garbled).__name__}: {garbled}"[:300]) from garbled


def _exactly(stream, size):
    found = stream.read(size)
    if len(found) < size:
        raise EOFError
    return found


def stages(question: dict) -> dict:
    """Go through attention step by step as PyTorch's maths path does, and back by autograd.

    As there, half precision is computed in float32, the root of the scale goes to Q and to K, and only the output is
    rounded to the dtype asked for.
    """
    import torch

    leaves = [_tensor(question, name).requires_grad_() for name in ("query", "key", "value")]
    half = leaves[0].dtype in (torch.float16, torch.bfloat16)
    query, key, value = (leaf.float() if half else leaf for leaf in leaves)
    scale = query.shape[-1] ** -0.5 if question["scale"] is None else question["scale"]
    root = abs(scale) ** 0.5
    scores = query @ key.mT  # (..., n, m)
    scaled = (query * (root if scale >= 0 else -root)) @ (key * root).mT  # (..., n, m)
    mask = _mask(question)
    if mask is None:
        masked = scaled
    else:
        masked = scaled.masked_fill(~mask, -torch.inf) if mask.dtype == torch.bool else scaled + mask  # (..., n, m)
    nobody = (masked == -torch.inf).all(dim=-1, keepdim=True)  # (..., n, 1): softmax alone would answer NaN
    weights = torch.softmax(masked.masked_fill(nobody, 0.0), dim=-1).masked_fill(nobody, 0.0)  # (..., n, m)
    output = (weights @ value).to(leaves[0].dtype)  # (..., n, d_v)
    output.backward(_tensor(question, "grad_output"))
    steps = {"scores": scores, "scaled": scaled, "masked": masked, "weights": weights, "output": output}
    gradients = {f"grad_{name}": leaf.grad for name, leaf in zip(("query", "key", "value"), leaves, strict=True)}
    return {name: _array(tensor) for name, tensor in (steps | gradients).items()}


def sdpa(question: dict) -> dict:
    """Ask PyTorch's own function on one named back end; say why if that has no kernel for these inputs."""
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.nn.functional import scaled_dot_product_attention

    fused = question["backend"] == "fused"
    # PyTorch's own broadcasting stops at some leading axes
    arrays = [_tensor(question, name).expand(*question["lead"], -1, -1) for name in ("query", "key", "value")]
    # the maths path refuses a mask together with is_causal; the fused one is asked as the caller asked
    mask = _tensor(question, "attn_mask") if fused else _mask(question)
    options = {"attn_mask": mask, "is_causal": fused and question["is_causal"], "scale": question["scale"]}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            with sdpa_kernel(SDPBackend.FLASH_ATTENTION if fused else SDPBackend.MATH):
                return {"output": _array(scaled_dot_product_attention(*arrays, **options))}
        except RuntimeError as error:
            if "No available kernel" not in str(error):
                raise
            words = [str(warning.message).split(" (Triggered internally")[0] for warning in told]
            return {"unavailable": (words or [str(error)])[-1][:300]}


def versions(_: dict) -> dict:
    """Name what computes here."""
    import torch

    lines = [line.removeprefix("  - ") for line in torch.__config__.show().splitlines()]
    build = "; ".join(line for line in lines if line.startswith(LIBRARIES))
    return {
        "python": platform.python_version(), "numpy": np.__version__, "torch": torch.__version__,
        "build": build[:500], "commit": torch.version.git_version, "machine": platform.machine(),
        "threads": torch.get_num_threads(),
    }


def _tensor(question, name):
    """The array of this name, whose values fit the dtype asked for; masks of booleans stay, a missing one is None."""
    import torch

    if name not in question:
        return None
    tensor = torch.from_numpy(question[name])
    return tensor if tensor.dtype == torch.bool else tensor.to(getattr(torch, question["dtype"]))


def _mask(question):
    """The mask and the causal one in one, boolean or float; None where nothing is hidden."""
    import torch

    mask = _tensor(question, "attn_mask")
    if not question["is_causal"]:
        return mask
    n, m = question["query"].shape[-2], question["key"].shape[-2]
    causal = torch.ones(n, m, dtype=torch.bool).tril()
    if mask is None:
        return causal
    return mask & causal if mask.dtype == torch.bool else mask.masked_fill(~causal, -torch.inf)


def _array(tensor):
    return tensor.detach().double().contiguous().numpy()  # float64 holds every value of the narrower dtypes


def answer(question: dict) -> dict:
    """Answer one question; whatever PyTorch raises is an answer, too."""
    try:
        return {"stages": stages, "sdpa": sdpa, "versions": versions}[question["ask"]](question)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}".splitlines()[0][:300]}


def serve(questions, answers, idle_seconds: float) -> None:
    """Import PyTorch, say so, then answer frame by frame until the stream ends or nobody has asked for a while."""
    try:
        import torch

        torch.set_num_threads(1)
        torch.set_warn_always(True)
        hello = {"ready": True}
    except Exception as error:
        hello = {"error": f"{type(error).__name__}: {error}".splitlines()[0][:300]}
    _send(answers, [hello])
    while "ready" in hello:
        idle = Timer(idle_seconds, os._exit, (0,))
        idle.daemon = True
        idle.start()
        try:
            items = unpack(questions)
        except EOFError:
            return
        idle.cancel()
        _send(answers, [answer(item) for item in items])


def _send(stream, items):
    try:
        frame = pack(items)
    except FrameError as error:
        frame = pack([{"error": str(error)}] * len(items))
    stream.write(frame)
    stream.flush()


if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(10)  # the sessions come first
    private = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not get between the answers
    serve(sys.stdin.buffer, private, float(sys.argv[1]))
