"""Conversions between register layouts, beside Triton's and cub's."""
import math
import os

from report.markdown import grid, number
from report.records import RESULTS, cells
from report.subject import Miss, Subject
from report.svg import COLOURS, svg
from report.trips import (LEAST_NS, as_planned, counted_line, fastest, limit_of,
                          speed)

CONVERSIONS = [
    ("row16-col16", "rows of 16 bytes to columns of 16 bytes, 128x128"),
    ("row16-lanes", "rows of 16 bytes to lanes down a column, 128x128"),
    ("1x8.4x8-4x2.1x32", "[1,8]x[4,8] to [4,2]x[1,32], 16x64"),
    ("1x4.1x32-1x1.1x32", "[1,4]x[1,32] to [1,1]x[1,32], 16x128"),
    ("1x16.8x4-2x8.4x8", "[1,16]x[8,4] to [2,8]x[4,8], 32x64"),
    ("mma2-row16", "mma accumulator to rows of 16 bytes, 128x128"),
    ("mma3-row16", "wgmma accumulator to rows of 16 bytes, 128x128"),
    ("row16-mma2a", "rows of 16 bytes to mma operand A, 128x64"),
    ("mma3-mma3a", "wgmma accumulator to its operand A, 128x128"),
    ("mma2-mma2a", "mma accumulator to its operand A, 128x64"),
]
# cub: case, title, and the goal (times as fast) at 8, 16 and 32 bits
CUB_CASES = [
    ("block-striped-64", "BlockExchange, 64 per thread",
     {8: 3.0, 16: 1.8, 32: 1.3}),
    ("block-striped-16", "BlockExchange, 16 per thread", {32: 1.0}),
    ("warp-striped-32", "WarpExchange, 32 per lane, the faster way",
     {8: 2.0, 16: 2.0, 32: 2.0}),
]
# conversions by shuffles, by size
SHUFFLED = [("1x16.8x4-2x8.4x8", "32x64"),
            ("1x16.8x4-2x8.4x8-64x64", "64x64"),
            ("1x16.8x4-2x8.4x8-64x128", "64x128"),
            ("1x16.8x4-2x8.4x8-128x128", "128x128")]
# goals: times as fast as Triton, and fractions of the hardware limits
LEAST_OF_TRITON, MEAN_OF_TRITON, BYTES_OF_TRITON = 1.00, 1.60, 1.8
LEAST_ROOF, LEAST_SHUFFLE_ROOF = 0.90, 0.85
LEAST_ROOF, LEAST_SHUFFLE_ROOF = 0.90, 0.85
PAPER_SHUFFLES = 3.93  # times padded memory, by the paper, on a GH200


def by_shuffles(found, case, bits):
    some = [fastest(found, case, bits, who) for who in ("ll", "ll-shuffles")]
    return next((b for b in some if b and b.get("label") == "shuffles"), None)


def nanoseconds(b):
    return None if b is None else b["ns"] if b["ns"] >= LEAST_NS else 0


def convert_cells(found):
    """Case, title, bits, and the rows of ll, Triton and padded memory."""
    for case, text in CONVERSIONS:
        for bits in (8, 16, 32):
            ll = fastest(found, case, bits, "ll")
            if ll:
                yield (case, text, bits, ll,
                       fastest(found, case, bits, "triton"),
                       fastest(found, case, bits, "padded*"))


def mean_of_triton(found):
    some = [speed(ll, triton)
            for _, _, _, ll, triton, _ in convert_cells(found)]
    some = [math.log(s) for s in some if s]
    return math.exp(sum(some) / len(some)) if some else None


def below(value, least, row, what):
    if value is not None and value < least:
        yield Miss(row, f"{value:.2f} {what}", f"{least:.2f}")


def missed_of_case(case, bits, ll, triton):
    row, kind = f"{case}, {bits} bit", ll.get("label")
    least = (BYTES_OF_TRITON if kind == "shared" and bits == 8
             else LEAST_OF_TRITON)
    yield from below(speed(ll, triton), least, row, "times as fast as Triton")
    if kind == "shared" and bits > 8:
        yield from below(ll.get("roof"), LEAST_ROOF, row,
                         "of the limit of shared memory")
    if kind == "shuffles":
        yield from below(ll.get("shuffle_roof"), LEAST_SHUFFLE_ROOF, row,
                         "of the limit of shuffles")


def missed(data):
    found = cells(data)
    yield from below(mean_of_triton(found), MEAN_OF_TRITON, "geometric mean",
                     "times as fast as Triton")
    for case, _, bits, ll, triton, _ in convert_cells(found):
        yield from missed_of_case(case, bits, ll, triton)
    for case, text, goals in CUB_CASES:
        for bits, least in goals.items():
            yield from below(speed(fastest(found, case, bits, "ll"),
                                   fastest(found, case, bits, "cub*")),
                             least, f"{text}, {bits} bit",
                             "times as fast as cub")
    for name, row in found.items():
        if row.get("error_occurred"):
            yield Miss(name, "wrong")
        if {"wavefronts", "wavefronts_counted"} <= set(row) and \
                not as_planned(row):
            yield Miss(name, f"{row['wavefronts_counted']:g} wavefronts "
                       "counted", f"{row['wavefronts']:g}")


def convert_grid(found):
    rows = []
    for _, text, bits, ll, triton, padded in convert_cells(found):
        kind = ll.get("label", "")
        rows.append([text, str(bits), number(nanoseconds(ll)),
                     number(nanoseconds(triton)),
                     number(speed(ll, triton), 2),
                     number(nanoseconds(padded)),
                     number(speed(ll, padded), 2),
                     number(limit_of(ll), 2), kind])
    return grid(["", "bits", "ll", "Triton", "times as fast", "padded",
                 "times as fast", "of the limit", "by"], rows)


def cub_grid(found):
    rows = []
    for case, text, goals in CUB_CASES:
        for bits, least in goals.items():
            ll = fastest(found, case, bits, "ll")
            cub = fastest(found, case, bits, "cub*")
            if ll and cub:
                rows.append([text, str(bits), number(ll["ns"]),
                             number(cub["ns"]), number(speed(ll, cub), 2),
                             number(least, 1), number(limit_of(ll), 2),
                             ll.get("label", "")])
    return rows and ["", "Beside cub, from elements side by side in a thread "
                     "to elements side by side in lanes:", ""] + grid(
        ["", "bits", "ll", "cub", "times as fast", "goal", "of the limit",
         "by"], rows)


def shuffled(found):
    """Size, bits, and times as fast as padded memory."""
    for case, size in SHUFFLED:
        for bits in (8, 16, 32):
            ratio = speed(by_shuffles(found, case, bits),
                          fastest(found, case, bits, "padded*"))
            if ratio:
                yield size, bits, ratio


def shuffled_grid(found):
    some = {(size, bits): ratio for size, bits, ratio in shuffled(found)}
    rows = [[size] + [number(some.get((size, bits)), 2)
                      for bits in (8, 16, 32)]
            for _, size in SHUFFLED if any(s == size for s, _ in some)]
    return rows and ["", "[1,16]x[8,4] to [2,8]x[4,8] by shuffles, times as "
                     "fast as through padded shared memory (the paper: up to "
                     f"{PAPER_SHUFFLES:.2f}, on a GH200):",
                     ""] + grid(["", "8 bit", "16 bit", "32 bit"], rows)


def table(data):
    found, context = cells(data), data["context"]
    mean = mean_of_triton(found)
    lines = [f"Nanoseconds of a round trip of {context.get('blocks', '')} "
             f"blocks, median of {context.get('rounds', '')}; "
             f"{context.get('device', '')}, "
             f"`{context.get('command', 'bench/run.sh convert')}`, commit "
             f"{context.get('commit', '')}. Limit of shared memory: 128 bytes "
             "per clock and multiprocessor, with the tile written and read "
             "once. Limit of shuffles: one planned shuffle per clock. "
             "Everything except Triton's rows is built with nvcc "
             "-maxrregcount=255. nvcc's own passes then keep loop invariants "
             "in registers instead of recomputing them in every trip. ptxas "
             "emits the same code with and without the option. Triton goes "
             "from LLVM to ptxas and has no such passes.", ""]
    lines += convert_grid(found)
    if mean:
        lines += ["", f"Geometric mean against Triton: {mean:.2f}."]
    return (lines + cub_grid(found) + shuffled_grid(found) +
            counted_line(found))


def charts(data):
    found, device = cells(data), data["context"].get("device", "")
    triton = {}
    for case, _, bits, ll, peer, _ in convert_cells(found):
        triton.setdefault(case, {})[bits] = speed(ll, peer)
    names = ["8 bit", "16 bit", "32 bit"]
    for name, heading, some, line in (
            ("triton", "Conversions against Triton", triton, 1),
            ("padded", "Shuffles against padded shared memory",
             {size: {bits: ratio for s, bits, ratio in shuffled(found)
                     if s == size} for _, size in SHUFFLED}, 1)):
        groups = [(text, [by.get(bits) for bits in (8, 16, 32)])
                  for text, by in some.items() if any(by.values())]
        if groups:
            yield svg(
                os.path.join(RESULTS, f"convert-{name}.svg"),
                f"{heading}, {device}", groups, names,
                "times as fast; dashed line: equal", line,
                [COLOURS[-1], COLOURS[2], COLOURS[3]])


SUBJECTS = [Subject(
    "convert", "convert", "", "Conversions",
    "Between register layouts, beside Triton's, row-major shared memory with "
    "padded rows, and cub.",
    table, missed, charts, ("convert-triton.svg", "convert-padded.svg"))]
