#!/usr/bin/env python3
"""matmul.py - products of matrices on a Hopper GPU, beside cuBLASLt.

    matmul.py LIBRARY.so.. RESULT.json

The libraries are built from bench/matmul_hopper.cu (bench/run.sh matmul does
it). The peer is torch.mm, which takes cuBLASLt's default choice. Both run in
one process, in random order, on random normal data: rested, 5 ms of launches
after 0.12 s of idleness; and sustained, 10 ms back to back after two seconds
of products. A row has the medians in TFLOP/s and the ratio. Before that, each
product is compared with the peer's.
"""
import ctypes
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import time

import torch

SHAPES = ((4096, 4096, 4096), (8192, 8192, 8192), (8192, 8192, 4096))
ROUNDS = 8


def query(what):
    """One line of nvidia-smi."""
    return subprocess.run(["nvidia-smi", f"--query-gpu={what}", "-i", "0",
                           "--format=csv,noheader"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout.strip()


def ours(path):
    """A function of three tensors from a library."""
    library = ctypes.CDLL(str(pathlib.Path(path).resolve()))
    library.ll_matmul.restype = ctypes.c_char_p

    def run(c, a, b):
        wrong = library.ll_matmul(
            *(ctypes.c_void_p(x.data_ptr()) for x in (c, a, b)),
            ctypes.c_uint(a.shape[0]), ctypes.c_uint(b.shape[0]),
            ctypes.c_uint(a.shape[1]))
        if wrong:
            sys.exit(wrong.decode())
    return run


def timed(run, args, seconds):
    """Seconds of one call, from a burst of about `seconds`."""
    estimate = 2e-15 * args[1].shape[0] * args[2].numel()
    count = max(1, round(seconds / estimate))
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(count):
        run(*args)
    end.record()
    end.synchronize()
    return start.elapsed_time(end) / 1000 / count


def rounds(runs, args, rest, seconds):
    """The median of each name, taken in random order."""
    found = {name: [] for name in runs}
    for _ in range(ROUNDS):
        for name in random.sample(list(runs), len(runs)):
            if rest:
                torch.cuda.synchronize()
                time.sleep(rest)
            found[name].append(timed(runs[name], args, seconds))
    return {name: statistics.median(all_) for name, all_ in found.items()}


def measure(runs, m, n, k):
    """The rows of one shape."""
    a, b = (torch.randn(x, k, device="cuda", dtype=torch.bfloat16)
            for x in (m, n))
    c, want = (torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
               for _ in range(2))
    runs["cublaslt"](want, a, b)
    for name, run in runs.items():
        c.zero_()
        run(c, a, b)
        worst = ((c.float() - want.float()).abs() /
                 (want.float().abs() + k ** 0.5)).max().item()
        if not worst < 0.01:
            sys.exit(f"{name}: {m} x {n} x {k} is wrong by {worst}")
    args, flops = (c, a, b), 2e-12 * m * n * k
    rested = rounds(runs, args, 0.12, 0.005)
    begun = time.time()
    while time.time() - begun < 2:
        timed(runs["cublaslt"], args, 0.2)
    hot = rounds(runs, args, 0, 0.01)
    for name in runs:
        yield {"name": name, "m": m, "n": n, "k": k,
               "rested_tflops": round(flops / rested[name], 1),
               "rested_ratio": round(rested["cublaslt"] / rested[name], 4),
               "sustained_tflops": round(flops / hot[name], 1),
               "sustained_ratio": round(hot["cublaslt"] / hot[name], 4)}


def main():
    """Measures all shapes and writes the rows."""
    *paths, result = sys.argv[1:]
    runs = {"cublaslt": lambda c, a, b: torch.mm(a, b.t(), out=c)}
    runs.update((pathlib.Path(p).stem, ours(p)) for p in paths)
    rows = []
    for shape in SHAPES:
        for row in measure(runs, *shape):
            rows.append(row)
            print(row, flush=True)
    context = {"device": query("name"), "driver": query("driver_version"),
               "torch": torch.__version__, "cuda": torch.version.cuda,
               "commit": os.environ.get("LL_COMMIT", "unknown"),
               "command": os.environ.get("LL_COMMAND", "bench/matmul.py"),
               "data": "random normal, bf16, both operands K-major"}
    pathlib.Path(result).write_text(json.dumps(
        {"context": context, "products": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
