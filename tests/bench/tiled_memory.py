"""What tiling saves: peak memory and time of tiled attention, of the dense path and of PyTorch, in one run.

    python tests/bench/tiled_memory.py [--size 16384] [--width 64] [--budget 2000]

Each row runs in a process of its own. "peak" is the growth of the process's resident set over the interpreter with the
inputs in place, "traced" what tracemalloc saw (NumPy only). The dense path runs only if it needs less than the budget
in MB; otherwise it is run at the largest power of two that fits, and its needs at full size are predicted from there.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))


def resident_peak():
    """Return the largest resident set of this process so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024  # kilobytes on Linux


def contender(name, query, key, value):
    """Return the function to measure, with its imports done."""
    if name == "torch":
        import torch

        tensors = [torch.from_numpy(a)[None, None] for a in (query, key, value)]  # (1, 1, n, d)
        warm_up = [t[:, :, :128] for t in tensors]
        torch.nn.functional.scaled_dot_product_attention(*warm_up)
        return lambda: torch.nn.functional.scaled_dot_product_attention(*tensors)[0, 0].numpy()

    from attention_core import scaled_dot_product_attention, tiled_attention

    options = json.loads(name.partition(" ")[2] or "{}")
    if name.startswith("dense"):
        return lambda: scaled_dot_product_attention(query, key, value).output
    return lambda: tiled_attention(query, key, value, **options)


def measure(name, size, width, traced):
    """Run one contender once and return seconds, growth of the peak in bytes and a few numbers of its output."""
    random = np.random.default_rng(0)
    query, key, value = (random.standard_normal((size, width), dtype=np.float32) for _ in range(3))
    run = contender(name, query, key, value)
    before = resident_peak()
    if traced:
        tracemalloc.start()
    start = time.perf_counter()
    output = run()
    seconds = time.perf_counter() - start
    peak = tracemalloc.get_traced_memory()[1] if traced else resident_peak() - before
    return {"seconds": seconds, "peak": peak, "sample": output[:: max(1, size // 8), 0].tolist()}


def in_a_process(name, size, width, traced=False):
    command = [sys.executable, __file__, "--size", str(size), "--width", str(width), "--one", name]
    done = subprocess.run([*command, *(["--traced"] if traced else [])], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def report(label, size, result, traced=None, reference=None, note=""):
    memory = f"{result['peak'] / 1e6:10.1f} MB" + (f"  traced {traced['peak'] / 1e6:8.1f} MB" if traced else " " * 20)
    against = f"  {result['seconds'] / reference:6.1f} x torch" if reference else ""
    print(f"{label:34s} n = m = {size:6d}  peak {memory}  {result['seconds']:7.2f} s{against}{note}", flush=True)


def main(size, width, budget):
    torch = in_a_process("torch", size, width)
    report("torch, CPU", size, torch, note="    (1.0)")
    rows = ("tiled {}", 'tiled {"tile": [256, 1024]}', 'tiled {"is_causal": true}')
    for name in rows:
        result, traced = (in_a_process(name, size, width, traced) for traced in (False, True))
        report(name.replace(" {}", " (64, 64)"), size, result, traced, torch["seconds"])
        if "causal" not in name:
            difference = np.abs(np.subtract(result["sample"], torch["sample"])).max()
            assert difference < 5e-6, f"tiled and torch differ by {difference}"
            print(f"{'':34s} largest difference to torch in a sample: {difference:.1e}")
    fits = size
    while 6 * 4 * fits**2 > budget * 1e6:  # scores, scaled, masked, exponentials, weights and one more in passing
        fits //= 2
    dense, traced = (in_a_process("dense", fits, width, traced) for traced in (False, True))
    report("dense", fits, dense, traced)
    if fits < size:
        factor = (size / fits) ** 2
        scaled = {"seconds": dense["seconds"] * factor, "peak": dense["peak"] * factor}
        note = f"  predicted: {factor:.0f} times the row above (budget {budget} MB)"
        report("dense", size, scaled, {"peak": traced["peak"] * factor}, torch["seconds"], note)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=16384)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--budget", type=int, default=2000, help="MB that the dense path may use")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--traced", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.one:
        print(json.dumps(measure(chosen.one, chosen.size, chosen.width, chosen.traced)))
    else:
        main(chosen.size, chosen.width, chosen.budget)
