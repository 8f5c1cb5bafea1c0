"""triton_convert.py - device/convert.cu and device/gather.cu in Triton.

triton_convert.py WHAT RESULT      measures all cases of WHAT, `convert` or
                                   `gather`, and writes rows as JSON
triton_convert.py WHAT --warm K N  compiles every N-th case from K on into
                                   Triton's cache

Measured as in convert.cu: 1056 blocks of four warps, a tile converted forth and
back in a loop, with an XOR by a word known only at run time after each
conversion, the difference of a long and a short loop, the median of nine
rounds. A gather replaces the tile in each trip. Every result is compared first.
"""
import json
import re
import sys

import torch
import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl

TYPES = {8: torch.int8, 16: torch.int16, 32: torch.int32}
BLOCKS, WARPS, ROUNDS, WARM_UPS = 132 * 8, 4, 9, 1
CONVERT_TRIPS, GATHER_TRIPS = (500, 2500), (200, 1000)
SLOW = 50e6  # nanoseconds of a long loop; a slower one makes fewer trips
INSTRUCTIONS = {"shuffles": r"shfl\.sync", "stores": r"st\.shared",
                "loads": r"ld\.shared", "ldmatrix": "ldmatrix",
                "stmatrix": "stmatrix", "byte_permutes": r"\bprmt\b",
                "selects": r"\bselp\b", "barriers": r"bar\.sync"}


# ---- Layouts ------------------------------------------------

def blocked(registers, lanes, warps=(WARPS, 1), order=(1, 0)):
    return gl.BlockedLayout(list(registers), list(lanes), list(warps),
                            list(order))


def rows16(cols, bits):
    """16 bytes of a row per lane, each warp below the last one."""
    wide = 128 // bits
    across = min(32, cols // wide)
    return blocked((1, wide), (32 // across, across))


def cols16(rows, bits):
    """The transpose of rows16."""
    wide = 128 // bits
    down = min(32, rows // wide)
    return blocked((wide, 1), (down, 32 // down), (1, WARPS), (0, 1))


MMA2 = gl.NVMMADistributedLayout(version=[2, 0], warps_per_cta=[WARPS, 1],
                                 instr_shape=[16, 8])


def mma3(n, bits):
    return gl.NVMMADistributedLayout(
        version=[3, 0], warps_per_cta=[WARPS, 1],
        instr_shape=[16, n, 32 if bits == 8 else 16])


def operand(parent, bits):
    return gl.DotOperandLayout(0, parent, 32 // bits)


def conversions():
    """Yields name, bits, rows, columns, and the two layouts."""
    for bits in TYPES:
        yield ("row16-col16", bits, 128, 128, rows16(128, bits),
               cols16(128, bits))
        yield ("row16-lanes", bits, 128, 128, rows16(128, bits),
               blocked((1, 1), (32, 1), order=(0, 1)))
        yield ("1x8.4x8-4x2.1x32", bits, 16, 64, blocked((1, 8), (4, 8)),
               blocked((4, 2), (1, 32)))
        yield ("1x4.1x32-1x1.1x32", bits, 16, 128, blocked((1, 4), (1, 32)),
               blocked((1, 1), (1, 32)))
        yield ("1x16.8x4-2x8.4x8", bits, 32, 64, blocked((1, 16), (8, 4)),
               blocked((2, 8), (4, 8)))
        yield "mma2-row16", bits, 128, 128, MMA2, rows16(128, bits)
        yield "mma3-row16", bits, 128, 128, mma3(128, 16), rows16(128, bits)
    for bits in (8, 16):
        yield ("row16-mma2a", bits, 128, 64, rows16(64, bits),
               operand(MMA2, bits))
        yield ("mma3-mma3a", bits, 128, 128, mma3(128, bits),
               operand(mma3(128, bits), bits))
        yield "mma2-mma2a", bits, 128, 64, MMA2, operand(MMA2, bits)


def gathers():
    """Yields name, bits, rows, columns, layout, and the axis of the gather."""
    for bits in TYPES:
        for n in (4, 8, 16, 32, 64):
            across = min(n // 4, 32)
            yield ("axis1", bits, 512, n,
                   blocked((1, 4), (32 // across, across)), 1)
        yield "axis0", bits, 512, 8, blocked((1, 4), (16, 2)), 0


# ---- Kernels ------------------------------------------------

@gluon.jit
def trips_of_conversion(dst, src, c, trips, M: gl.constexpr, N: gl.constexpr,
                        A: gl.constexpr, B: gl.constexpr):
    i = gl.arange(0, M, layout=gl.SliceLayout(1, A))
    j = gl.arange(0, N, layout=gl.SliceLayout(0, A))
    at = i[:, None] * N + j[None, :]
    a = gl.load(src + at)
    for k in range(trips):
        b = gl.convert_layout(a, B) ^ c.to(a.dtype)
        a = gl.convert_layout(b, A) ^ c.to(a.dtype)
    gl.store(dst + at, a)


@gluon.jit
def trips_of_gather(dst, src, index, trips, M: gl.constexpr, N: gl.constexpr,
                    A: gl.constexpr, AXIS: gl.constexpr):
    i = gl.arange(0, M, layout=gl.SliceLayout(1, A))
    j = gl.arange(0, N, layout=gl.SliceLayout(0, A))
    at = i[:, None] * N + j[None, :]
    a = gl.load(src + at)
    from_ = gl.load(index + at)
    for k in range(trips):
        a = gl.gather(a, from_, AXIS)
    gl.store(dst + at, a)


def random(bits, m, n):
    most = 1 << (bits - 1)
    return torch.randint(-most, most, (m, n), device="cuda",
                         dtype=torch.int64).to(TYPES[bits])


def conversion(case):
    """Returns a function of the number of trips, and a check of the result."""
    _, bits, m, n, a, b = case
    src = random(bits, m, n)
    dst = torch.empty_like(src)

    def run(trips):
        # no argument is 1 or a multiple of 16: Triton specialises those
        return trips_of_conversion[(BLOCKS,)](dst, src, 0x35, trips, m, n, a,
                                              b, num_warps=WARPS)

    def right():
        dst.copy_(~src)
        kernel = run(3)
        return kernel, bool((dst == src).all())
    return run, right


def gather(case):
    _, bits, m, n, a, axis = case
    src = random(bits, m, n)
    dst = torch.empty_like(src)
    index = torch.randint(0, (m, n)[axis], (m, n), dtype=torch.int32,
                          device="cuda")

    def run(trips):
        return trips_of_gather[(BLOCKS,)](dst, src, index, trips, m, n, a,
                                          axis, num_warps=WARPS)

    def right():
        expected = src
        for _ in range(3):
            expected = torch.gather(expected, axis, index.long())
        dst.copy_(~expected)
        kernel = run(3)
        return kernel, bool((dst == expected).all())
    return run, right


def cases(what):
    """Yields the row's name, its trips, and a function that makes the case."""
    for case in conversions() if what == "convert" else ():
        yield (f"convert/{case[0]}/u{case[1]}/triton", CONVERT_TRIPS,
               lambda case=case: conversion(case))
    for case in gathers() if what == "gather" else ():
        yield (f"gather/{case[0]}-{case[2]}x{case[3]}/u{case[1]}/triton",
               GATHER_TRIPS, lambda case=case: gather(case))


# ---- Measuring ------------------------------------------------

def nanoseconds(run, trips):
    start = torch.cuda.Event(enable_timing=True)
    stop = torch.cuda.Event(enable_timing=True)
    torch.cuda.synchronize()
    start.record()
    run(trips)
    stop.record()
    stop.synchronize()
    return start.elapsed_time(stop) * 1e6


def times(run, trips):
    """Nanoseconds per trip of all blocks in each round, sorted."""
    few, many = trips
    run(few)
    if nanoseconds(run, many) > SLOW:
        few, many = few // 8, many // 8
    result = []
    for r in range(WARM_UPS + ROUNDS):
        lo, hi = nanoseconds(run, few), nanoseconds(run, many)
        if r >= WARM_UPS:
            result.append(max(hi - lo, 0) / (many - few))
    return sorted(result)


def measure(name, trips, make):
    run, right = make()
    kernel, good = right()
    if not good:
        sys.exit(f"{name}: wrong")
    ns = times(run, trips)
    middle = ns[len(ns) // 2]
    spread = ns[(len(ns) - 1) * 9 // 10] - ns[len(ns) // 10]
    ptx = kernel.asm["ptx"]
    counts = {key: len(re.findall(text, ptx))
              for key, text in INSTRUCTIONS.items()}
    return {"name": name, "real_time": middle, "time_unit": "ns", "ns": middle,
            "spread": spread / middle if middle else 0,
            "smem_bytes": kernel.metadata.shared,
            "registers": getattr(kernel, "n_regs", 0),
            "spilled_bytes": getattr(kernel, "n_spills", 0),
            "in_ptx": counts}


def warm(what, first, step):
    for name, _, make in list(cases(what))[first::step]:
        try:
            make()[0](3)
            torch.cuda.synchronize()
        except Exception as e:  # the measurement reports it
            print(f"{name}: {e}", file=sys.stderr)


def main():
    what = sys.argv[1]
    if sys.argv[2] == "--warm":
        return warm(what, int(sys.argv[3]), int(sys.argv[4]))
    rows, wrong = [], 0
    for name, trips, make in cases(what):
        try:
            rows.append(measure(name, trips, make))
        except Exception as e:  # continues with the other cases
            print(f"{name}: {e}", file=sys.stderr)
            wrong += 1
    with open(sys.argv[2], "w") as f:
        json.dump({"context": {"triton": triton.__version__,
                               "torch": torch.__version__},
                   "benchmarks": rows}, f, indent=1)
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
