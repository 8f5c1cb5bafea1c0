#!/usr/bin/env python3
"""conversions.py RESULT: what a conversion costs nvcc, and how it grows.

Compiles a kernel that loads and stores a tile, and the same with one conversion
in it, for tiles of 8 to 128 registers a lane, elements of 1 to 4 bytes and
several pairs of layouts. Writes the medians of ROUNDS runs to RESULT and fails
where a conversion costs more than GOAL. Milliseconds of processor time, user
and system, of all passes. NVCC names the compiler.
"""
import json
import os
import pathlib
import statistics
import sys
import tempfile
import time

from constants import FLAGS, cost

ROUNDS, GOAL = 3, 250
KERNEL = """#include "ll_ptx.h"
LL_LAYOUT(A, {a});
LL_LAYOUT(B, {b});
{plan}
__global__ void kernel({type} *dst, const {type} *src) {{
    {smem}
    unsigned a[LL_WORDS(A, {bits})], b[LL_WORDS(B, {bits})];
    LL_LOAD(a, A, src, {cols});
    {convert}
    LL_STORE({stored}, dst, {cols});
}}
"""
TYPES = {8: "unsigned char", 16: "unsigned short", 32: "unsigned"}
PAIRS = {
    "transpose": ("ll_rows({m}, {n}, {bytes})",
                  'll_trans(ll_rows({n}, {m}, {bytes}), "j i")'),
    "rows to accumulator": ("ll_rows({m}, {n}, {bytes})",
                            "ll_ptx_mma_c({m}, {n}, 4)"),
    "within warps": (
        'll_blocked(ll_shape_of("j={n} i={m}"), ll_shape_of("j=8"), '
        'll_shape_of("j=4 i=8"), ll_shape_of("i=4"))',
        'll_blocked(ll_shape_of("j={n} i={m}"), ll_shape_of("j=4 i=2"), '
        'll_shape_of("j=8 i=4"), ll_shape_of("i=4"))'),
}


def source(pair, bits, m, n, with_conversion):
    form = {"m": m, "n": n, "bytes": bits // 8}
    a, b = (text.format(**form) for text in PAIRS[pair])
    return KERNEL.format(
        a=a, b=b, bits=bits, type=TYPES[bits], cols=n,
        plan=f"LL_PLAN(PLAN, A, B, {bits}, LL_SM90);" if with_conversion else
        "",
        smem="__shared__ __align__(16) unsigned char "
             "smem[LL_SMEM_BYTES(PLAN)];" if with_conversion else "",
        convert="LL_CONVERT(b, a, PLAN, smem);" if with_conversion else
        "for (unsigned k = 0; k < sizeof b / 4; ++k) { b[k] = a[k]; }",
        stored="b, B")


def main():
    nvcc = os.environ.get("NVCC", "nvcc")
    cases = [(pair, bits, m, n) for pair in PAIRS for bits in (8, 16, 32)
             for m, n in ((32, 32), (64, 32), (64, 64), (64, 128))]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for pair, bits, m, n in cases:
            runs = [[], []]
            for k in range(2 * ROUNDS):
                path = pathlib.Path(folder) / f"k{k % 2}.cu"
                path.write_text(source(pair, bits, m, n, k % 2))
                runs[k % 2].append(cost(nvcc, path))
            over = statistics.median(runs[1]) - statistics.median(runs[0])
            rows.append({"pair": pair, "bits": bits, "tile": f"{m}x{n}",
                         "registers": m * n // 128, "over_ms": round(over, 1)})
            print(f"{over:7.1f} ms  {pair}, {bits} bit, {m} x {n}, "
                  f"{m * n // 128} registers", flush=True)
    with open(sys.argv[1], "w") as f:
        json.dump({"context": {
            "command": os.environ.get("LL_COMMAND", "bench/conversions.py"),
            "device": os.environ.get("LL_DEVICE", "unknown"),
            "flags": " ".join(FLAGS),
            "commit": os.environ.get("LL_COMMIT", "unknown"),
            "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "goal_ms": GOAL}, "conversions": rows}, f, indent=1)
        f.write("\n")
    return max(r["over_ms"] for r in rows) > GOAL


if __name__ == "__main__":
    sys.exit(main())
