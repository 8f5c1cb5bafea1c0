#!/usr/bin/env python3
"""matmul.py - GEMMs on a Hopper GPU, beside cuBLASLt.

    matmul.py FOLDER RESULT.json [--brief]

The folder has the libraries that bench/run.sh matmul builds. Five tables:

products  matmul_hopper.cu in bf16 beside cuBLASLt's default choice (torch.mm)
          and beside the fastest of all its heuristics
products_f16  the same in f16
fp8       the same kernel in e4m3 beside torch._scaled_mm, one scale per tensor
sync      matmul.cu, which uses mma.sync, in f16 with f32 accumulators, beside
          the fastest of cuBLASLt's algorithms for sm_80, over all tiles and
          stages
shapes    GEMMs of models, with 1 to 8,192 rows: matmul_hopper.cu with its own
          choice of tiles beside torch.mm; every launch reads another copy of
          the weights, if they fit in 512 MiB

Each result is first compared with the peer's. Then all run in one process, in
random order, on random normal data: rested, 5 ms of launches after 0.12 s of
idleness; and sustained, 10 ms back to back after 1.5 s of GEMMs (--brief: three
rounds, 0.8 s). A row has the medians in TFLOP/s and the ratio to the peer.
"""
import ctypes
import json
import math
import os
import pathlib
import random
import statistics
import subprocess
import sys
import time

import cublaslt
import torch

SHAPES = ((4096, 4096, 4096), (8192, 8192, 8192), (8192, 8192, 4096))
MODELS = ((1, 4096, 4096), (1, 6144, 4096), (1, 28672, 4096), (1, 4096, 14336),
          (8, 8192, 8192), (16, 8192, 8192), (16, 10240, 8192),
          (32, 28672, 8192), (64, 8192, 28672), (64, 5120, 5120),
          (100, 4096, 4096), (128, 4096, 4096), (128, 28672, 4096),
          (200, 8192, 8192), (256, 4096, 14336), (256, 7168, 2048),
          (333, 5120, 13824), (512, 4096, 4096), (512, 28672, 4096),
          (777, 8192, 8192), (1000, 4096, 4096), (1024, 6144, 4096),
          (1024, 4096, 14336), (1500, 7168, 18432), (2048, 2112, 7168),
          (2048, 8192, 8192), (3000, 5120, 5120), (4096, 14336, 4096),
          (4096, 24576, 1536), (8192, 8192, 28672))
ROUNDS, HEAT = 8, 1.5 # rounds of each GEMM; seconds of GEMMs before
STREAM = torch.cuda.ExternalStream(2) # the libraries' per-thread stream


def query(what):
    """Asks nvidia-smi for one value."""
    return subprocess.run(["nvidia-smi", f"--query-gpu={what}", "-i", "0",
                           "--format=csv,noheader"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout.strip()


def ours(path, name="ll_matmul"):
    """A function of three tensors from a library."""
    function = getattr(ctypes.CDLL(str(path.resolve())), name)
    function.restype = ctypes.c_char_p

    def run(c, a, b, *more):
        wrong = function(
            *(ctypes.c_void_p(x.data_ptr()) for x in (c, a, b)),
            *(ctypes.c_uint(x) for x in (a.shape[0], b.shape[0], a.shape[1],
                                         *more)))
        if wrong:
            raise RuntimeError(wrong.decode())
    return run


def timed(run, args, seconds, rate=5e14):
    """Seconds per GEMM, from a burst of about `seconds`."""
    return burst(run, args, seconds,
                 2 * args[1].shape[0] * args[2].numel() / rate)


def burst(run, args, seconds, estimate):
    """Seconds per call, from a burst of about `seconds`. `estimate` is the
    expected time of a call."""
    count = max(1, round(seconds / estimate))
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda._sleep(600_000)  # the host fills the queue meanwhile
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


def compare(runs, peer, args, bound):
    """Ends the program if a result differs from the peer's."""
    c, a, b = args
    runs[peer](*args)
    want, k = c.float(), a.shape[1]
    for name, run in runs.items():
        c.zero_()
        run(*args)
        worst = ((c.float() - want).abs() /
                 (want.abs() + k ** 0.5)).max().item()
        if not worst < bound:
            sys.exit(f"{name}: {tuple(a.shape)} x {b.shape[0]} is wrong by "
                     f"{worst}")


def measure(runs, peer, args, bound=0.01):
    """The rows of one shape."""
    c, a, b = args
    m, n, k = a.shape[0], b.shape[0], a.shape[1]
    compare(runs, peer, args, bound)
    flops = 2e-12 * m * n * k
    rested = rounds(runs, args, 0.12, 0.005)
    begun = time.time()
    while time.time() - begun < HEAT:
        timed(runs[peer], args, 0.2)
    hot = rounds(runs, args, 0, 0.01)
    for name in runs:
        yield {"name": name, "m": m, "n": n, "k": k,
               "rested_tflops": round(flops / rested[name], 1),
               "rested_ratio": round(rested[peer] / rested[name], 4),
               "sustained_tflops": round(flops / hot[name], 1),
               "sustained_ratio": round(hot[peer] / hot[name], 4)}


def operands(m, n, k, operand, result):
    """C, A and B."""
    a, b = (torch.randn(x, k, device="cuda", dtype=torch.bfloat16).to(operand)
            for x in (m, n))
    return torch.empty(m, n, device="cuda", dtype=result), a, b


def fastest(lt, algorithms, args):
    """A function that runs the fastest algorithm, and its name."""
    found = []
    for what, algo in algorithms:
        try:
            lt.run(algo, *args)
            torch.cuda.synchronize()
            time.sleep(0.02)
            found.append((timed(lambda *x, y=algo: lt.run(y, *x), args, 0.003),
                          what, algo))
        except RuntimeError:
            continue
    _, what, algo = min(found, key=lambda x: x[0])
    return (lambda *x: lt.run(algo, *x)), what


def products_of(operand, library):
    """The default choice, the best heuristic, and ours."""
    for shape in SHAPES:
        args = operands(*shape, operand, operand)
        lt = cublaslt.Products(*shape, operand, operand)
        best, which = fastest(lt, [(i, x.algo) for i, x in
                                   enumerate(lt.heuristics())], args)
        runs = {"cublaslt": lambda c, a, b: torch.mm(a, b.t(), out=c),
                "cublaslt_best": best,
                "matmul_hopper": ours(library)}
        for row in measure(runs, "cublaslt", args):
            if row["name"] == "cublaslt_best":
                row["heuristic"] = which
            yield row


def products(folder):
    """The table of bf16."""
    return products_of(torch.bfloat16, folder / "hopper-bf16.so")


def products_f16(folder):
    """The table of f16."""
    return products_of(torch.float16, folder / "hopper-f16.so")


def fp8(folder):
    """e4m3 with one scale per tensor, and fast accumulation."""
    one = torch.ones((), device="cuda")

    def peer(fast):
        return lambda c, a, b: torch._scaled_mm(
            a, b.t(), one, one, out_dtype=torch.bfloat16, out=c,
            use_fast_accum=fast)
    runs = {"cublaslt": peer(False), "cublaslt_fast": peer(True),
            "matmul_hopper": ours(folder / "hopper-e4m3.so")}
    for shape in SHAPES:
        args = operands(*shape, torch.float8_e4m3fn, torch.bfloat16)
        yield from measure(runs, "cublaslt", args, 0.03)


def sync(folder):
    """mma.sync, f16 with f32 accumulators."""
    for shape in SHAPES[:2]:
        args = operands(*shape, torch.float16, torch.float32)
        lt = cublaslt.Products(*shape, torch.float16, torch.float32)
        best, which = fastest(lt, [((id_, tile, stages), algo) for
                                   id_, tile, stages, algo in lt.all()
                                   if id_ == cublaslt.SM80], args)
        runs = {"cublaslt_sm80": best, "matmul": ours(folder / "sync-f16.so")}
        for row in measure(runs, "cublaslt_sm80", args):
            if row["name"] == "cublaslt_sm80":
                row["algorithm"] = which
            yield row


def choice(folder, m, n, k):
    """Our choice: form, neighbours, shares (k splits), and whether neighbours
    are above each other."""
    four = (ctypes.c_uint * 4)()
    ctypes.CDLL(str((folder / "hopper-bf16.so").resolve())).ll_matmul_choice(
        four, *(ctypes.c_uint(x) for x in (m, n, k)))
    return list(four)


def microseconds(run, copies, count):
    """Microseconds per launch, in a graph of launches."""
    graph = torch.cuda.CUDAGraph()
    run(0)
    torch.cuda.synchronize()
    with torch.cuda.graph(graph, stream=STREAM):
        for x in range(count):
            run(x % copies)

    def once():
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda._sleep(600_000)  # the host queues the graph meanwhile
        start.record()
        graph.replay()
        end.record()
        end.synchronize()
        return start.elapsed_time(end) / count * 1000
    return once


def shapes(folder):
    """The GEMMs of models."""
    mine = ours(folder / "hopper-bf16.so")
    pool = torch.randn(1 << 28, device="cuda", dtype=torch.bfloat16)
    for m, n, k in MODELS:
        copies = max(1, pool.numel() // (n * k))
        count = max(2, min(16, int(3e-3 / (3e-15 * m * n * k + 5e-6))))
        weights = [pool[x * n * k:(x + 1) * n * k].view(n, k)
                   for x in range(min(copies, count))]
        c, a, _ = operands(m, 1, k, torch.bfloat16, torch.bfloat16)
        c = torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
        runs = {"cublaslt": lambda c, a, b: torch.mm(a, b.t(), out=c),
                "matmul_hopper": mine}
        compare(runs, "cublaslt", (c, a, weights[0]), 0.01)
        timers = {name: microseconds(lambda x, run=run: run(c, a, weights[x]),
                                     len(weights), count)
                  for name, run in runs.items()}
        found = {name: [] for name in runs}
        for _ in range(ROUNDS):
            for name in random.sample(list(found), 2):
                time.sleep(0.01)
                found[name].append(timers[name]())
        us, peer = (statistics.median(found[x])
                    for x in ("matmul_hopper", "cublaslt"))
        yield {"m": m, "n": n, "k": k, "choice": choice(folder, m, n, k),
               "us": round(us, 2), "cublaslt_us": round(peer, 2),
               "ratio": round(peer / us, 4)}


def main():
    """Measures all tables and writes them."""
    global ROUNDS, HEAT
    if "--brief" in sys.argv:
        ROUNDS, HEAT = 3, 0.8
    folder, result = (pathlib.Path(x) for x in sys.argv[1:3])
    torch.cuda.set_stream(STREAM)
    tables = {}
    for table in (products, products_f16, fp8, sync, shapes):
        tables[table.__name__] = []
        for row in table(folder):
            tables[table.__name__].append(row)
            print(row, flush=True)
    ratios = [row["ratio"] for row in tables["shapes"]]
    context = {"device": query("name"), "driver": query("driver_version"),
               "torch": torch.__version__, "cuda": torch.version.cuda,
               "commit": os.environ.get("LL_COMMIT", "unknown"),
               "command": os.environ.get("LL_COMMAND", "bench/peers/matmul.py"),
               "data": "random normal, both operands K-major",
               "rounds": ROUNDS}
    tables["shapes_mean"] = round(math.exp(statistics.fmean(
        map(math.log, ratios))), 4)
    tables["shapes_least"] = min(ratios)
    result.write_text(json.dumps({"context": context, **tables}, indent=1) +
                      "\n")


if __name__ == "__main__":
    main()
