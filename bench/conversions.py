#!/usr/bin/env python3
"""conversions.py RESULT: nvcc's time for a conversion, by size.

Compiles a kernel that loads and stores a tile, and the same kernel with one
conversion, for tiles of 8 to 128 registers per lane, elements of 1 to 4 bytes
and several pairs of layouts. Writes the least of ROUNDS runs to RESULT, the one
least disturbed by other work on the machine. Fails if a conversion costs more
than GOAL. Milliseconds of processor time, user and system, of all passes. NVCC
names the compiler. clang (CLANGXX) counts the steps of a plan, in thousands and
rounded up to GRAIN; without clang the record has none.

conversions.py --steps: no times; fails if a plan takes more than STEPS.
conversions.py --add-steps RESULT: counts the steps for a record from a machine
without clang, with the same sources, and adds them to it.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

from constants import FLAGS, ROOT, cost

ROUNDS, GOAL = 2, 250
GRAIN, STEPS = 10, 100
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


CASES = [(pair, bits, m, n) for pair in PAIRS for bits in (8, 16, 32)
         for m, n in ((32, 32), (64, 32), (64, 64), (64, 128), (128, 128))]


def source(pair, bits, m, n, with_conversion):
    form = {"m": m, "n": n, "bytes": bits // 8}
    a, b = (text.format(**form) for text in PAIRS[pair])
    return KERNEL.format(
        a=a, b=b, bits=bits, type=TYPES[bits], cols=n,
        plan=f"LL_PLAN(PLAN, A, B, {bits}, LL_SM90);" if with_conversion else
        "",
        smem="extern __shared__ __align__(16) unsigned char smem[];"
        if with_conversion else "",
        convert="LL_CONVERT(b, a, PLAN, smem);" if with_conversion else
        "for (unsigned k = 0; k < sizeof b / 4; ++k) { b[k] = a[k]; }",
        stored="b, B")


def over(clang, path, thousands):
    """The numbers of a file's plans that take more than `thousands` steps."""
    done = subprocess.run(
        [clang, "-std=c++17", "-fsyntax-only", "-w", "-ferror-limit=0",
         f"-fconstexpr-steps={1000 * thousands}", "-I", str(ROOT), str(path)],
        text=True, stderr=subprocess.PIPE)
    found = re.findall(r"error: constexpr variable 'P(\d+)' must", done.stderr)
    if done.returncode and not found:
        sys.exit(f"conversions.py: {path.name}\n{done.stderr[:1000]}")
    return {int(k) for k in found}


def plans(folder):
    """A file with the plan of case k as P<k>."""
    lines = ['#include "ll_ptx.h"']
    for k, (pair, bits, m, n) in enumerate(CASES):
        form = {"m": m, "n": n, "bytes": bits // 8}
        a, b = (text.format(**form) for text in PAIRS[pair])
        lines += [f"constexpr ll_layout A{k} = {a};",
                  f"constexpr ll_layout B{k} = {b};",
                  f"constexpr ll_plan P{k} ="
                  f" ll_plan_of(A{k}, B{k}, {bits}, LL_SM90);"]
    path = pathlib.Path(folder) / "plans.cc"
    path.write_text("\n".join(lines) + "\n")
    return path


def steps(clang, folder):
    """The least sufficient multiple of GRAIN for each case."""
    path = plans(folder)
    most = [0] * len(CASES)
    left = set(range(len(CASES)))
    limit = 0
    while left:
        limit += GRAIN
        dear = over(clang, path, limit)
        for k in left - dear:
            most[k] = limit
        left = dear
    return most


def is_of(commit):
    """Are the sources here those of that commit?"""
    return subprocess.run(
        ["git", "-C", str(ROOT), "diff", "--quiet", commit, "--", "ll.h",
         "ll_ptx.h", "bench/conversions.py"],
        stderr=subprocess.DEVNULL).returncode == 0


def add_steps(clang, path):
    """Adds the steps of all cases to a record of these sources."""
    report = json.loads(path.read_text())
    commit, rows = report["context"]["commit"], report["conversions"]
    if not is_of(commit):
        sys.exit(f"conversions.py: {path} is of commit {commit}, "
                 "the sources here are of another")
    if [(r["pair"], r["bits"], r["tile"]) for r in rows] != [
            (pair, bits, f"{m}x{n}") for pair, bits, m, n in CASES]:
        sys.exit(f"conversions.py: {path} has other cases")
    with tempfile.TemporaryDirectory() as folder:
        for row, most in zip(rows, steps(clang, folder)):
            row["kilosteps"] = most
    write(report, path)


def write(report, path):
    path.write_text(json.dumps(report, indent=1) + "\n")


def check(clang):
    """Checks that no plan takes more than STEPS."""
    with tempfile.TemporaryDirectory() as folder:
        dear = over(clang, plans(folder), STEPS)
    for k in sorted(dear):
        pair, bits, m, n = CASES[k]
        print(f"{pair}, {bits} bit, {m} x {n}: more than {STEPS},000 steps")
    print(f"{len(CASES) - len(dear)} passed, {len(dear)} failed")
    return len(dear) > 0


def row(nvcc, case, most):
    """One entry of the record."""
    pair, bits, m, n = case
    runs = [[], []]
    with tempfile.TemporaryDirectory() as folder:
        for k in range(2 * ROUNDS):
            path = pathlib.Path(folder) / f"k{k % 2}.cu"
            path.write_text(source(*case, k % 2))
            runs[k % 2].append(cost(nvcc, path))
    more = min(runs[1]) - min(runs[0])
    print(f"{more:7.1f} ms  {pair}, {bits} bit, {m} x {n}, "
          f"{m * n // 128} registers" +
          (f", {most},000 steps" if most else ""), flush=True)
    return {"pair": pair, "bits": bits, "tile": f"{m}x{n}",
            "registers": m * n // 128, "over_ms": round(more, 1),
            "spread_ms": round(sum(max(r) - min(r) for r in runs), 1),
            "kilosteps": most}


def jobs():
    """The number of jobs, from JOBS: more disturb each other."""
    return int(os.environ.get("JOBS", "1"))


def main():
    nvcc = os.environ.get("NVCC", "nvcc")
    clang = shutil.which(os.environ.get("CLANGXX", "clang++"))
    if sys.argv[1] == "--steps":
        if not clang:
            print("no clang++ here\n0 passed, 0 failed, 1 skipped")
            return 0
        return check(clang)
    if sys.argv[1] == "--add-steps":
        if not clang:
            sys.exit("conversions.py: no clang++ here")
        return add_steps(clang, pathlib.Path(sys.argv[2]))
    with tempfile.TemporaryDirectory() as folder:
        most = steps(clang, folder) if clang else [None] * len(CASES)
    with concurrent.futures.ProcessPoolExecutor(jobs()) as several:
        rows = list(several.map(row, [nvcc] * len(CASES), CASES, most))
    write({"context": {
        "command": os.environ.get("LL_COMMAND", "bench/conversions.py"),
        "device": os.environ.get("LL_DEVICE", "unknown"),
        "flags": " ".join(FLAGS),
        "commit": os.environ.get("LL_COMMIT", "unknown"),
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "goal_ms": GOAL, "rounds": ROUNDS}, "conversions": rows},
        pathlib.Path(sys.argv[1]))
    return max(r["over_ms"] for r in rows) > GOAL


if __name__ == "__main__":
    sys.exit(main())
