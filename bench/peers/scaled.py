#!/usr/bin/env python3
"""scaled.py - e4m3 GEMMs with scales on a Hopper GPU, beside cuBLASLt.

    scaled.py LIBRARY.so RESULT.json [--brief]

bench/run.sh scaled builds the library from device/matmul_scaled.cu. Two tables:
`rows`, a scale per row of A and column of B, and `blocks`, a scale per 1 x 128
elements of A and 128 x 128 of B. The peer is torch._scaled_mm, for scales of
rows also with fast accumulation. All elements of all results are first compared
with float32's. Times are taken as in matmul.py.
"""
import ctypes
import json
import os
import pathlib
import sys

import torch

import matmul

BOUNDS = {"rows": 0.03, "blocks": 0.01}


def operands(m, n, k, table):
    """C, A and B; the scales; and the result in float32."""
    c, a, b = matmul.operands(m, n, k, torch.float8_e4m3fn, torch.bfloat16)
    whole = table == "rows"
    high, wide = (1, k) if whole else (128, 128)
    of_a, of_b = (torch.rand(x // y, k // wide, device="cuda") + 0.5
                  for x, y in ((m, 1), (n, high)))
    want = torch.empty(m, n, device="cuda")
    big_b = b.float() * of_b.repeat_interleave(high, 0).repeat_interleave(
        wide, 1)
    for x in range(0, m, 1024):
        rows = slice(x, x + 1024)
        want[rows] = (a[rows].float() *
                      of_a[rows].repeat_interleave(wide, 1)) @ big_b.t()
    return (c, a, b), (of_a.t().contiguous().t(), of_b), want


def ours(library, by_blocks, scales, choice=()):
    """A function of tensors from the library."""
    function = library.ll_scaled_as if choice else library.ll_scaled
    function.restype = ctypes.c_char_p

    def run(c, a, b):
        wrong = function(
            ctypes.c_uint(by_blocks),
            *(ctypes.c_void_p(x.data_ptr()) for x in (c, a, b, *scales)),
            *(ctypes.c_uint(x) for x in (a.shape[0], b.shape[0], a.shape[1],
                                         *choice)))
        if wrong:
            raise RuntimeError(wrong.decode())
    return run


def peer(fast, scales):
    """The same by torch."""
    return lambda c, a, b: torch._scaled_mm(
        a, b.t(), scales[0], scales[1].t(), out_dtype=torch.bfloat16, out=c,
        use_fast_accum=fast)


def check(name, run, args, want, bound):
    """Ends the program if an element differs from float32's."""
    c, a = args[:2]
    c.fill_(float("nan"))
    run(*args)
    worst = ((c.float() - want).abs() /
             (want.abs() + a.shape[1] ** 0.5)).max().item()
    if not worst < bound:
        sys.exit(f"{name}: {tuple(a.shape)} is wrong by {worst}")


def measure(library, table):
    """The rows of a table."""
    for shape in matmul.SHAPES:
        args, scales, want = operands(*shape, table)
        runs = {"cublaslt": peer(False, scales),
                "matmul_scaled": ours(library, table == "blocks", scales)}
        if table == "rows":
            runs["cublaslt_fast"] = peer(True, scales)
        for name, run in runs.items():
            check(name, run, args, want, BOUNDS[table])
        del want
        yield from matmul.measure(runs, "cublaslt", args, BOUNDS[table])


def main():
    """Measures both tables and writes them."""
    if "--brief" in sys.argv:
        matmul.ROUNDS, matmul.HEAT = 3, 0.8
    library = ctypes.CDLL(str(pathlib.Path(sys.argv[1]).resolve()))
    torch.cuda.set_stream(matmul.STREAM)
    tables = {}
    for table in BOUNDS:
        tables[table] = []
        for row in measure(library, table):
            tables[table].append(row)
            print(row, flush=True)
    context = {"device": matmul.query("name"),
               "driver": matmul.query("driver_version"),
               "torch": torch.__version__, "cuda": torch.version.cuda,
               "commit": os.environ.get("LL_COMMIT", "unknown"),
               "command": os.environ.get("LL_COMMAND", "bench/peers/scaled.py"),
               "data": "random normal, both operands K-major, scales from 0.5 "
                       "to 1.5",
               "rounds": matmul.ROUNDS}
    pathlib.Path(sys.argv[2]).write_text(json.dumps(
        {"context": context, "scaled": tables}, indent=1) + "\n")


if __name__ == "__main__":
    main()
