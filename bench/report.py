"""report.py - tables and charts of bench/results/.

report.py             writes bench/results/README.md and draws its charts, and
                      writes the summary into README.md, between the markers
                      <!-- bench:summary --> and <!-- /bench -->
report.py check       are these what would be written now? With a self-test:
                      a figure that is changed must change them
report.py table FILE  prints a short table of one result
report.py charts FILE  draws the charts of one result alone
report.py merge FILE MORE   adds the rows of MORE to FILE
report.py profile FILE NAMES CSV   adds what ncu counted for the rows NAMES
report.py costs RAW FILE   a result of what bench/costs.cu prints
report.py tidy FILE   removes what says nothing about the result

Of several results of a kind, the latest counts.
"""
import copy
import csv
import glob
import html
import json
import math
import os
import re
import sys

from reasons import REASONS as REASONED

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RESULTS = os.path.join(ROOT, "bench", "results")
README = os.path.join(ROOT, "README.md")
PAGE = os.path.join(RESULTS, "README.md")

# Names of rows, in order; of those with a *, the best.
KERNELS = [
    ("copy", "copy kernel, 16 bytes a lane"),
    ("memcpy", "memcpy"),
    ("naive", "naive"),
    ("padded", "padded 32x33"),
    ("padded_wide*", "padded, 16-byte accesses, best"),
    ("triton", "Triton, best tiling"),
    ("layout", "layout"),
]
LARGE = ["u8/32768x32768", "u16/16384x32768", "u32/16384x16384",
         "u64/16384x8192"]
SMALL = [f"u{bits}/4096x4096" for bits in (8, 16, 32, 64)]
RAGGED = [f"u{bits}/5003x7001" for bits in (8, 16, 32)]
# what is to be reached, in nanoseconds
HOST_GOALS = {"swizzle/2^14/transpose": 5000, "swizzle/2^14/random": 5000,
              "solve/16x16/first": 200}
COMPILE_GOAL, LESSON_GOAL, EXAMPLE_GOAL = 1.25, 4, 10
COPY_GOAL, RAGGED_GOAL = 0.97, 0.93


def load(path):
    with open(path) as f:
        return json.load(f)


def save(path, data):
    with open(path, "w") as f:
        json.dump(data, f, indent=1)
        f.write("\n")


def latest(what):
    results = [load(p) for p in glob.glob(os.path.join(RESULTS,
                                                       what + "-*.json"))]
    return max(results, key=lambda r: r["context"].get("date", ""),
               default=None)


def tidy(path):
    data = load(path)
    context = data["context"]
    for key in ("host_name", "executable", "load_avg"):
        context.pop(key, None)
    for b in data["benchmarks"]:
        if "aggregate_name" not in b:
            b["name"] = b["run_name"] = plain(b)
    save(path, data)


def merge(path, more):
    data, new = load(path), load(more)
    if "lowbit" in data:
        data["lowbit"] += new["lowbit"]
        return save(path, data)
    names = {b["name"] for b in new["benchmarks"]}
    rows = [b for b in data["benchmarks"] if plain(b) not in names]
    copied = {plain(b).rsplit("/", 1)[0]: b["GB/s"] for b in rows
              if plain(b).endswith("/copy")}
    for b in new["benchmarks"]:
        case = b["name"].rsplit("/", 1)[0]
        if case in copied:
            b["of_copy"] = b["GB/s"] / copied[case]
        rows.append(b)
    data["benchmarks"] = rows
    data["context"].update(new["context"])
    save(path, data)


def plain(b):
    """The name without what Google Benchmark appends to it."""
    name = b.get("run_name", b["name"])
    return re.sub(r"/(iterations|repeats|min_time):[^/]*|/manual_time", "",
                  name)


def grid(head, rows):
    """A Markdown table; columns after the first are numbers."""
    lines = ["| " + " | ".join(head) + " |",
             "| --- |" + " ---: |" * (len(head) - 1)]
    return lines + ["| " + " | ".join(r) + " |" for r in rows]


# ---- Transposes ------------------------------------------------

def cells(data):
    return {plain(b): b for b in data["benchmarks"]}


def pick(found, case, kernel):
    """The row of a kernel; the best of several where it ends in *."""
    start = f"transpose/{case}/"
    if not kernel.endswith("*"):
        return found.get(start + kernel)
    some = [b for name, b in found.items()
            if name.startswith(start + kernel[:-1])]
    return max(some, key=lambda b: b.get("GB/s", 0), default=None)


def title(case):
    kind, size = case.split("/")[0], case.split("/")[1]
    return f"{kind[1:]} bit, {size}"


def figures(b):
    if b is None:
        return ""
    if b.get("error_occurred"):
        return "wrong"
    of = f" ({b['of_copy']:.2f})" if "of_copy" in b else ""
    return f"{b['GB/s']:.0f}{of}"


def transpose_rows(found, cases):
    rows = []
    for kernel, name in KERNELS:
        some = [pick(found, case, kernel) for case in cases]
        if any(some):
            rows.append([name] + [figures(b) for b in some])
    return rows


def transpose_table(data):
    found, context = cells(data), data["context"]
    lines = [f"GB/s, read and written, and in parentheses the fraction of the "
             f"copy kernel in the same run; {context.get('device', '')}, "
             f"`{context.get('command', 'bench/run.sh gpu')}`, commit "
             f"{context.get('commit', '')}."]
    for text, cases in (("", LARGE),
                        ("Small, launches queued twenty at a time:", SMALL),
                        ("Sizes that no vector divides:", RAGGED)):
        cases = [c for c in cases if pick(found, c, "layout")]
        if cases:
            lines += ["", text] if text else []
            lines += [""] + grid([""] + [title(c) for c in cases],
                                 transpose_rows(found, cases))
    return lines


UNALIGNED = ("aligned words are read 1.4 times as often as needed, since the "
             "rows of a tile start anywhere, and realigned by instructions; "
             "other tiles, widths and occupancies were slower")
TRANSPOSE_REASONS = {case: UNALIGNED for case in RAGGED}  # as REASONS


def transposes_missed(data):
    found = cells(data)
    for case in LARGE + SMALL + RAGGED:
        row = pick(found, case, "layout")
        goal = RAGGED_GOAL if case in RAGGED else COPY_GOAL
        if row and row.get("of_copy", 1) < goal:
            why = TRANSPOSE_REASONS.get(case)
            yield (f"{title(case)}: {row['of_copy']:.2f} of the copy kernel, "
                   f"to be {goal:.2f}" + (f"; {why}" if why else ""))
    for name, b in found.items():
        if b.get("error_occurred"):
            yield f"{name}: wrong"


# ---- Conversions ------------------------------------------------

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
# of cub: case, title, and at 8, 16, 32 bits the speed that is to be reached
CUB_CASES = [
    ("block-striped-64", "BlockExchange, 64 a thread",
     {8: 3.0, 16: 1.8, 32: 1.3}),
    ("block-striped-16", "BlockExchange, 16 a thread", {32: 1.0}),
    ("warp-striped-32", "WarpExchange, 32 a lane, the better way",
     {8: 2.0, 16: 2.0, 32: 2.0}),
]
# conversions that shuffles can make, by size
SHUFFLED = [("1x16.8x4-2x8.4x8", "32x64"),
            ("1x16.8x4-2x8.4x8-64x64", "64x64"),
            ("1x16.8x4-2x8.4x8-64x128", "64x128"),
            ("1x16.8x4-2x8.4x8-128x128", "128x128")]
# what is to be reached, as in the table; of Triton's time, of the limits
LEAST_OF_TRITON, MEAN_OF_TRITON, BYTES_OF_TRITON = 1.00, 1.60, 1.8
LEAST_ROOF, LEAST_SHUFFLE_ROOF = 0.90, 0.85
LEAST_NS = 50  # less is no conversion, only the XORs of the loop
# Why a case stays below, in the words of the table "below what is to be
# reached"; counts are of one warp and round trip, the XORs of the loop with
# them, rates of a multiprocessor (four schedulers, one instruction a cycle
# each; logic on one pipe, multiply-adds on another, two warps' a cycle each).
SELECTED = ("{} shuffles, which take two turns of a scheduler each, {} selects, "
            "half of them as multiply-adds, and {} XORs keep the schedulers for "
            "{} cycles, the shuffles their pipe for {}")
LOGIC = ("{} byte permutes, half of {} selects and {} XORs fill the logic pipe "
         "for {} cycles, {} shuffles theirs for {}; all of them the schedulers "
         "for {}")
REASONS = {
    ("1x4.1x32-1x1.1x32", 8): "24 byte permutes and 8 XORs fill the logic pipe "
    "for 16 cycles, beside 16 multiply-adds, and memory is busy for 16",
    ("1x8.4x8-4x2.1x32", 32): SELECTED.format(8, 32, 5, 13, 8),
    ("1x4.1x32-1x1.1x32", 32): SELECTED.format(16, 64, 5, 25, 16),
    ("1x16.8x4-2x8.4x8", 8): SELECTED.format(8, 16, 8, 10, 8),
    ("1x16.8x4-2x8.4x8", 16): SELECTED.format(16, 32, 16, 20, 16),
    ("1x16.8x4-2x8.4x8", 32): SELECTED.format(32, 64, 32, 40, 32),
    ("mma3-mma3a", 8): LOGIC.format(64, 64, 64, 80, 64, 64, 80),
    ("mma2-mma2a", 8): LOGIC.format(32, 32, 32, 40, 32, 32, 40),
}
# the paper's own figures, on a GH200, against padded shared memory and against
# the Triton before it
PAPER_SHUFFLES, PAPER_GATHERS = 3.93, 14.20


def fastest(found, case, bits, who, what="convert"):
    """The row of `who`; the fastest of several where it ends in *."""
    start = f"{what}/{case}/u{bits}/"
    some = [b for name, b in found.items()
            if (name == start + who if not who.endswith("*") else
                name.startswith(start + who[:-1]))
            and not b.get("error_occurred")]
    return min(some, key=lambda b: b["ns"], default=None)


def by_shuffles(found, case, bits):
    some = [fastest(found, case, bits, who) for who in ("ll", "ll-shuffles")]
    return next((b for b in some if b and b.get("label") == "shuffles"), None)


def speed(ll, peer):
    """How many times as fast as the peer; None where nothing is done."""
    return peer["ns"] / ll["ns"] if ll and peer and min(
        ll["ns"], peer["ns"]) >= LEAST_NS else None


def number(x, digits=0):
    return "" if x is None else f"{x:.{digits}f}"


def nanoseconds(b):
    return None if b is None else b["ns"] if b["ns"] >= LEAST_NS else 0


def limit_of(b):
    """The fraction of the limit that goes with the kind of a row."""
    return b.get("shuffle_roof" if b.get("label") == "shuffles" else "roof")


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


def missed(found):
    """A line for each figure below what is to be reached, and why it is."""
    def check(value, least, what, reason=None):
        if value is not None and value < least:
            yield (f"{what}: {value:.2f}, to be {least:.2f}" +
                   (f"; {reason}" if reason else ""))

    yield from check(mean_of_triton(found), MEAN_OF_TRITON,
                     "geometric mean against Triton")
    for case, _, bits, ll, triton, _ in convert_cells(found):
        name, kind = f"{case}, {bits} bit", ll.get("label")
        why = REASONS.get((case, bits))
        least = (BYTES_OF_TRITON if kind == "shared" and bits == 8
                 else LEAST_OF_TRITON)
        yield from check(speed(ll, triton), least, f"{name}, of Triton", why)
        if kind == "shared" and bits > 8:
            yield from check(ll.get("roof"), LEAST_ROOF,
                             f"{name}, of the limit of shared memory", why)
        if kind == "shuffles":
            yield from check(ll.get("shuffle_roof"), LEAST_SHUFFLE_ROOF,
                             f"{name}, of the limit of shuffles", why)
    for case, text, goals in CUB_CASES:
        for bits, least in goals.items():
            yield from check(speed(fastest(found, case, bits, "ll"),
                                   fastest(found, case, bits, "cub*")),
                             least, f"{text}, {bits} bit, of cub",
                             REASONS.get((case, bits)))
    for name, b in found.items():
        if b.get("error_occurred"):
            yield f"{name}: wrong"
        if {"wavefronts", "wavefronts_counted"} <= set(b) and not as_planned(b):
            yield (f"{name}: {b['wavefronts_counted']:g} wavefronts counted, "
                   f"{b['wavefronts']:g} planned")


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
    """Size, bits, and how many times as fast as padded memory."""
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
    return rows and ["", "[1,16]x[8,4] to [2,8]x[4,8] by shuffles, how many "
                     "times as fast as through padded shared memory (the "
                     f"paper: up to {PAPER_SHUFFLES:.2f}, on a GH200):",
                     ""] + grid(["", "8 bit", "16 bit", "32 bit"], rows)


def as_planned(row):
    """Counted over ten round trips: a fraction is somebody else's."""
    return abs(row["wavefronts"] - row["wavefronts_counted"]) < 0.5


def counted_line(found, what="conversions"):
    some = [b for b in found.values()
            if "wavefronts" in b and "wavefronts_counted" in b]
    right = sum(as_planned(b) for b in some)
    return some and ["", f"Wavefronts of shared memory, shuffles and barriers "
                     f"counted by ncu as planned: {right} of {len(some)} "
                     f"{what}."]


def convert_table(data):
    found, context = cells(data), data["context"]
    mean = mean_of_triton(found)
    lines = [f"Nanoseconds of a round trip of {context.get('blocks', '')} "
             f"blocks, median of {context.get('rounds', '')}; "
             f"{context.get('device', '')}, "
             f"`{context.get('command', 'bench/run.sh convert')}`, commit "
             f"{context.get('commit', '')}. The limit is 128 bytes a clock "
             "and multiprocessor, the tile written once and read once; or "
             "one of the planned shuffles a clock. What nvcc compiles (all but "
             "Triton's rows) has -maxrregcount=255: nvcc's own passes then "
             "keep what does not change in registers instead of computing it "
             "in each trip, ptxas emits the same code with it and without, and "
             "Triton, which goes from LLVM to ptxas, has no such passes.", ""]
    lines += convert_grid(found)
    if mean:
        lines += ["", f"Geometric mean against Triton: {mean:.2f}."]
    return (lines + cub_grid(found) + shuffled_grid(found) +
            counted_line(found))


def convert_charts(data):
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
            yield svg(os.path.join(RESULTS, f"convert-{name}.svg"),
                f"{heading}, {device}", groups, names,
                "times as fast; dashed: as fast", line,
                [COLOURS[-1], COLOURS[2], COLOURS[3]])


# ---- Gathers ------------------------------------------------

# case, title, and at 8, 16, 32 bits how many times as fast as Triton they are
# to be
GATHERS = [
    ("axis1-512x4", "512x4", {8: 1.3, 16: 1.3, 32: 1.3}),
    ("axis1-512x8", "512x8", {8: 1.3, 16: 1.3, 32: 1.3}),
    ("axis1-512x16", "512x16", {8: 1.3, 16: 1.3, 32: 1.3}),
    ("axis1-512x32", "512x32", {8: 20, 16: 20, 32: 10}),
    ("axis1-512x64", "512x64", {8: 20, 16: 20, 32: 10}),
    ("axis0-512x8", "down 512x8", {8: 1.3, 16: 1.3, 32: 1.3}),
]
BETTER_BY = 1.03  # less is not called slower than another kind
GATHER_REASONS = {}  # by case and bits, as REASONS


def gather_cells(found):
    """Case, title, bits, goal, and the rows of ll, Triton, the next kind."""
    for case, text, goals in GATHERS:
        for bits, least in goals.items():
            row = lambda who: fastest(found, case, bits, who, "gather")
            if row("ll"):
                yield (case, text, bits, least, row("ll"), row("triton"),
                       row("ll-*"))


def gather_grid(found):
    rows = []
    for _, text, bits, least, ll, triton, other in gather_cells(found):
        rows.append([text, str(bits), number(ll["ns"]),
                     number(triton and triton["ns"]),
                     number(speed(ll, triton), 2), f"{least:g}",
                     number(limit_of(ll), 2), ll.get("label", ""),
                     number(other and other["ns"]),
                     other.get("label", "") if other else ""])
    return grid(["", "bits", "ll", "Triton", "times as fast", "goal",
                 "of the limit", "by", "ll otherwise", "by"], rows)


def gathers_missed(found):
    for case, text, bits, least, ll, triton, other in gather_cells(found):
        name, why = f"{text}, {bits} bit", GATHER_REASONS.get((case, bits))
        end = f"; {why}" if why else ""
        if triton and speed(ll, triton) < least:
            yield (f"{name}, of Triton: {speed(ll, triton):.2f}, to be "
                   f"{least:g}{end}")
        if other and speed(other, ll) > BETTER_BY:
            yield (f"{name}: by {other['label']} {speed(other, ll):.2f} times "
                   f"as fast{end}")
    for name, b in found.items():
        if b.get("error_occurred"):
            yield f"{name}: wrong"


def gather_table(data):
    found, context = cells(data), data["context"]
    lines = [f"Nanoseconds of "
             f"{context.get('blocks', '')} blocks, median of "
             f"{context.get('rounds', '')}; {context.get('device', '')}, "
             f"`{context.get('command', 'bench/run.sh gather')}`, commit "
             f"{context.get('commit', '')}. The limit is one wavefront or "
             "shuffle a clock, as many as there are for these indices. The "
             f"paper's best, on a GH200: {PAPER_GATHERS:.2f} times as fast as "
             "the Triton before it.", ""]
    return lines + gather_grid(found) + counted_line(found, "gathers")


def gather_charts(data):
    found, device = cells(data), data["context"].get("device", "")
    some = {}
    for _, text, bits, _, ll, triton, _ in gather_cells(found):
        some.setdefault(text, {})[bits] = speed(ll, triton)
    groups = [(text, [by.get(bits) for bits in (8, 16, 32)])
              for text, by in some.items() if any(by.values())]
    if groups:
        yield svg(os.path.join(RESULTS, "gather-triton.svg"),
            f"Gathers against Triton, {device}", groups,
            ["8 bit", "16 bit", "32 bit"],
            "times as fast; dashed: as fast", 1,
            [COLOURS[-1], COLOURS[2], COLOURS[3]])


# ---- Wavefronts counted ------------------------------------------------

def counted(rows, metric):
    """Of each pair of launches, what ten round trips took more."""
    value = [float(r[metric].replace(",", "")) for r in rows]
    return [(many - few) / 10 for few, many in zip(value[::2], value[1::2])]


def profile(path, names, table):
    """ncu's table: a row of units, then one for each launch, in order."""
    data = load(path)
    with open(names) as f:
        order = f.read().split()
    with open(table) as f:
        rows = [r for r in csv.DictReader(
            line for line in f if line.startswith('"')) if r["ID"]]
    if len(rows) != 2 * len(order):
        sys.exit(f"report: {len(rows)} launches counted, {len(order)} pairs "
                 "expected")
    metric = "l1tex__data_pipe_lsu_wavefronts_mem_shared"
    found = cells(data)
    for suffix, key in ((".sum", "wavefronts_counted"),
                        ("_op_ld.sum", "wavefronts_counted_loads"),
                        ("_op_st.sum", "wavefronts_counted_stores")):
        for name, n in zip(order, counted(rows, metric + suffix)):
            if name in found:
                found[name][key] = n
    save(path, data)


# ---- Host and compile time ------------------------------------------------

def host_rows(data):
    rows = sorted(data["benchmarks"], key=lambda b: b.get("family_index", 0))
    time = {plain(b): b["cpu_time"] for b in rows
            if b.get("aggregate_name", "median") == "median"}
    return [(name, ns, time.get(peer_of(name)), HOST_GOALS.get(name))
            for name, ns in time.items() if not name.endswith("/m4ri")]


def peer_of(name):
    """libm4ri is one row for each size."""
    part = name.split("/")
    alone = len(part) == 2 or part[2:] == ["first"]
    return "/".join(part[:2]) + "/m4ri" if alone else None


def host_table(data):
    context = data["context"]
    number = lambda x: "" if x is None else f"{x:.0f}"
    rows = [[f"`{name}`", number(ns), number(peer), number(goal)]
            for name, ns, peer, goal in host_rows(data)]
    return [f"Nanoseconds, median of nine; {context.get('device', '')}, "
            f"compiler {context.get('compiler', '')}, "
            f"`{context.get('command', 'bench/run.sh host')}`, commit "
            f"{context.get('commit', '')}.", ""] + grid(
                ["", "ll", "libm4ri", "goal"], rows)


def compile_table(data):
    context = data["context"]
    names = {"compile/empty": "an empty kernel",
             "compile/hand": "a transpose by hand, no header",
             "compile/layout": "the same with the library",
             "compile/lesson": "examples/transpose.cu",
             "compile/planner": "an empty kernel below the planner"}
    rows = [[names.get(b["name"], b["name"]), f"{b['seconds']:.2f}",
             f"{b['of_hand']:.2f}" if "of_hand" in b else "",
             str(b["memory_MB"])] for b in data["benchmarks"]]
    return [f"Processor time, median of five; {context.get('device', '')}, "
            f"{context.get('compiler', '')}, "
            f"`{context.get('command', 'bench/run.sh compile')}`, commit "
            f"{context.get('commit', '')}.", ""] + grid(
                ["", "seconds", "of the hand-written", "MB"], rows)


def compile_missed(data):
    least = {b["name"]: b for b in data["benchmarks"]}["compile/planner"]
    for b in data["benchmarks"]:
        if b is not least and b.get("of_hand", 0) > COMPILE_GOAL:
            yield (f"a transpose with the library: {b['of_hand']:.2f} of the "
                   f"hand-written, to be {COMPILE_GOAL:.2f}; nvcc reads the "
                   f"headers three times, and an empty kernel below the "
                   f"sections that every plan needs, 4 to 20, takes "
                   f"{least['of_hand']:.2f}")
        if b["name"] == "compile/lesson" and b["seconds"] > LESSON_GOAL:
            yield (f"examples/transpose.cu: {b['seconds']:.1f} s, to be "
                   f"{LESSON_GOAL}")


def host_missed(data):
    for name, ns, _, goal in host_rows(data):
        if goal and ns > goal:
            yield f"`{name}`: {ns:.0f} ns, to be {goal}"


def examples_table(data):
    context = data["context"]
    return [f"Seconds of processor time, and of all kernels of a file the most "
            f"registers, bytes of stack and of spills; {context['device']}, "
            f"nvcc {context['compiler']}, `{context['command']}`, commit "
            f"{context['commit']}.", ""] + grid(
        ["", "seconds", "kernels", "registers", "stack", "spills"],
        [[f"`{row['name']}`", f"{row['seconds']:.1f}", str(row["kernels"]),
          str(row["registers"]), str(row["stack_bytes"]),
          str(row["spilled_bytes"])] for row in data["examples"]])


def examples_missed(data):
    for row in data["examples"]:
        if row["seconds"] > EXAMPLE_GOAL:
            yield (f"`{row['name']}`: {row['seconds']:.1f} s, to be "
                   f"{EXAMPLE_GOAL}")
        if row["spilled_bytes"] or row["stack_bytes"]:
            yield (f"`{row['name']}`: {row['spilled_bytes']} bytes spilled and "
                   f"{row['stack_bytes']} of stack, to be none")


def conversions_table(data):
    """Seconds that one conversion adds, and its plan's steps in thousands."""
    context, rows = data["context"], data["conversions"]
    sizes = sorted({r["registers"] for r in rows})
    goal = context["goal_ms"]
    most = max(r["over_ms"] for r in rows)
    steps = max((r["kilosteps"] or 0 for r in rows), default=0)
    body = []
    for key in dict.fromkeys((r["pair"], r["bits"]) for r in rows):
        of = {r["registers"]: r for r in rows if (r["pair"], r["bits"]) == key}
        body.append([f"{key[0]}, {key[1]} bits"] +
                    [f"{of[n]['over_ms'] / 1000:.2f}, "
                     f"{of[n]['kilosteps'] or '?'}"
                     if n in of else "" for n in sizes])
    return [f"Seconds of processor time that one conversion adds to a build by "
            f"nvcc, and thousands of steps that its plan takes clang, by "
            f"elements a lane. At most {most / 1000:.2f} s (goal "
            f"{goal / 1000:.2f} s) and {steps},000 steps; the whole build of a "
            f"transpose with CuTe takes 15.6 s. "
            f"`{context['command']}`, commit {context['commit']}.", ""] + grid(
                [""] + [str(n) for n in sizes], body)


def conversions_missed(data):
    goal = data["context"]["goal_ms"]
    for r in data["conversions"]:
        if r["over_ms"] > goal:
            yield (f"{r['pair']}, {r['bits']} bits, {r['registers']} elements "
                   f"a lane: {r['over_ms'] / 1000:.2f} s, to be "
                   f"{goal / 1000:.2f}; it grows with the code")


def constants_table(data):
    """The dearest constructors."""
    context = data["context"]
    rows = sorted(data["constants"], key=lambda r: -r["over_ms"])
    return [f"Milliseconds of processor time that a layout adds to a build as "
            f"a constant, the dearest of {len(rows)} constructors (goal "
            f"{context['goal_ms']}); {context.get('device', '')}, "
            f"`{context['command']}`, commit {context['commit']}.", ""] + grid(
                ["", "ms"], [[f"`{r['call']}`", f"{r['over_ms']:.0f}"]
                             for r in rows[:8]])


def constants_missed(data):
    goal = data["context"]["goal_ms"]
    for r in data["constants"]:
        if r["over_ms"] > goal:
            yield f"`{r['call']}`: {r['over_ms']:.0f} ms, to be {goal}"


# ---- Costs of instructions ---------------------------------------------------

# An instruction, its wavefronts or words, and the cost of ll_ptx.h that stands
# for one of these (a scheduler issues two selects or permutes for one ISSUE).
# Barriers are waits there, so their rate is only shown.
COSTS = [("prmt", 1, "LOGIC"), ("lop3", 1, "LOGIC"), ("selp_by_4", 5, "LOGIC"),
         ("selects", 2, "SELECT"), ("shfl_selects", 3, "ISSUE"),
         ("shfl_prmts", 2, "ISSUE"),
         ("shfl", 1, "SHUFFLE"), ("load_4", 1, "MEMORY"),
         ("load_8", 2, "MEMORY"), ("load_16", 4, "MEMORY"),
         ("store_4", 1, "MEMORY"), ("store_16", 4, "MEMORY"),
         ("ldmatrix", 4, "MEMORY"), ("ldmatrix_trans", 4, "MEMORY"),
         ("stmatrix", 4, "MEMORY"), ("stmatrix_trans", 4, "MEMORY"),
         ("dsmem_4", 1, "DSMEM"), ("dsmem_16", 4, "DSMEM"),
         ("syncwarp", 0, None), ("bar", 0, None), ("cluster", 0, None)]


def planned(name):
    """Cycles of a cost in ll_ptx.h, which counts eighths."""
    return int(re.search(rf"LL_COST_{name}\] = (\d+);",
                         read(os.path.join(ROOT, "ll_ptx.h")))[1]) / 8


def record_costs(raw, path):
    """Makes a result of what bench/costs.cu prints."""
    cycles = load(raw)
    device = cycles.pop("device")
    cycles.pop("unit")
    save(path, {"context": {"command": os.environ["LL_COMMAND"],
                            "device": device,
                            "commit": os.environ["LL_COMMIT"]},
                "cycles": cycles})


def costs_table(data):
    context = data["context"]
    return [f"Cycles of a multiprocessor for an instruction of a warp, and what "
            f"a plan counts for it; {context['device']}, `{context['command']}`,"
            f" commit {context['commit']}.", ""] + grid(
                ["", "measured", "in plans"],
                [[f"`{name}`", f"{data['cycles'][name]:.2f}",
                  f"{count * planned(cost):.2f}" if cost else ""]
                 for name, count, cost in COSTS if name in data["cycles"]])


def costs_missed(data):
    for name, count, cost in COSTS:
        if cost and name in data["cycles"] and not 0.75 < data["cycles"][name] / (
                count * planned(cost)) < 1.25:
            yield (f"`{name}`: {data['cycles'][name]:.2f} cycles, counted as "
                   f"{count * planned(cost):.2f}")


# ---- Products of matrices ---------------------------------------------------

# Of a table of matmul-*.json: what it is, and the goals by peer; that of
# cuBLASLt's default choice is for 8192 rows, with fewer it is 1.
PRODUCTS = {
    "products": ("bf16", {"cublaslt": 1.03, "cublaslt_best": 1.0}),
    "products_f16": ("f16", {"cublaslt": 1.03, "cublaslt_best": 1.0}),
    "fp8": ("e4m3, one scale per tensor",
            {"cublaslt": 1.0, "cublaslt_fast": 1.0}),
    "sync": ("mma.sync, f16 with sums in f32", {"cublaslt_sm80": 0.95}),
}
PEERS = {"cublaslt": "cuBLASLt's default choice",
         "cublaslt_best": "the best of cuBLASLt's heuristics",
         "cublaslt_fast": "cuBLASLt with fast accumulation",
         "cublaslt_sm80": "the best of cuBLASLt's kernels for sm_80"}
SHAPES_MEAN, SHAPES_LEAST = 1.0, 0.9
RATES = ("rested", "sustained")


def products(data, table="products"):
    """Shape, and by name the rows of the peers and of the library."""
    found = {}
    for row in data.get(table, []):
        shape = f"{row['m']} x {row['n']} x {row['k']}"
        found.setdefault(shape, {})[row["name"]] = row
    return [(shape, [row for name, row in rows.items() if name not in PEERS][0],
             {name: row for name, row in rows.items() if name in PEERS})
            for shape, rows in found.items()]


def of_peer(ours, peer, rate):
    return ours[rate + "_tflops"] / peer[rate + "_tflops"]


def products_table(data):
    context = data["context"]
    lines = [f"{context['device']}, `{context['command']}`, commit "
             f"{context['commit']}, torch {context['torch']}. TFLOP/s; rested: "
             f"after 0.12 s of idleness; sustained: after seconds of products."]
    for table, (what, goals) in PRODUCTS.items():
        rows = products(data, table)
        if rows:
            lines += ["", f"{what[0].upper()}{what[1:]}:", ""] + grid(
                ["m x n x k", *RATES] + [f"of {PEERS[peer]}, {rate}"
                                         for peer in goals for rate in RATES],
                [[shape] + [f"{ours[rate + '_tflops']:.0f}" for rate in RATES] +
                 [f"{of_peer(ours, peers[peer], rate):.3f}"
                  if peer in peers else ""
                  for peer in goals for rate in RATES]
                 for shape, ours, peers in rows])
    if data.get("shapes"):
        lines += ["", "Products of models, bf16, weights cold in the L2 cache: "
                  f"geometric mean {data['shapes_mean']:.2f} of cuBLASLt's "
                  f"default choice, least {data['shapes_least']:.2f}:", ""]
        lines += grid(["m x n x k", "us", "cuBLASLt, us", "ratio"],
                      [[f"{r['m']} x {r['n']} x {r['k']}", f"{r['us']:.1f}",
                        f"{r['cublaslt_us']:.1f}", f"{r['ratio']:.2f}"]
                       for r in data["shapes"]])
    return lines


def products_missed(data):
    for table, (what, goals) in PRODUCTS.items():
        for shape, ours, peers in products(data, table):
            for name, peer in peers.items():
                for rate in RATES:
                    of = of_peer(ours, peer, rate)
                    goal = min(goals[name], 1.0 if ours["m"] < 8192 else 9)
                    if of < goal:
                        yield (f"{what}, {shape}, {rate}: {of:.3f} of "
                               f"{PEERS[name]}, to be {goal:.2f}")
    if data.get("shapes"):
        if data["shapes_mean"] < SHAPES_MEAN:
            yield (f"{len(data['shapes'])} products of models: geometric mean "
                   f"{data['shapes_mean']:.2f} of cuBLASLt's default choice, "
                   f"to be {SHAPES_MEAN:.2f}")
        low = sum(row["ratio"] < SHAPES_LEAST for row in data["shapes"])
        if low:
            yield (f"{low} of {len(data['shapes'])} products of models are "
                   f"below {SHAPES_LEAST} of cuBLASLt's default choice, the "
                   f"least {data['shapes_least']:.2f}")


# Of a table of scaled-*.json: what it is; each peer is to be reached.
SCALED = {"rows": "a scale for each row of A and column of B",
          "blocks": "a scale for 1 x 128 of A and 128 x 128 of B"}


def scaled_table(data):
    context = data["context"]
    lines = [f"{context['device']}, `{context['command']}`, commit "
             f"{context['commit']}, torch {context['torch']}. TFLOP/s; rested: "
             f"after 0.12 s of idleness; sustained: after seconds of products."]
    for table, what in SCALED.items():
        rows = products(data["scaled"], table)
        names = rows[0][2] if rows else []
        lines += ["", f"{what[0].upper()}{what[1:]}:", ""] + grid(
            ["m x n x k", *RATES] + [f"of {PEERS[name]}, {rate}"
                                     for name in names for rate in RATES],
            [[shape] + [f"{ours[rate + '_tflops']:.0f}" for rate in RATES] +
             [f"{of_peer(ours, peers[name], rate):.3f}"
              for name in names for rate in RATES]
             for shape, ours, peers in rows])
    return lines


def scaled_missed(data):
    for table, what in SCALED.items():
        for shape, ours, peers in products(data["scaled"], table):
            for name, peer in peers.items():
                for rate in RATES:
                    of = of_peer(ours, peer, rate)
                    if of < 1:
                        yield (f"{what}, {shape}, {rate}: {of:.3f} of "
                               f"{PEERS[name]}, to be 1.00")


def mixed_table(data):
    context = data["context"]
    return [f"{data['paper']['passed']} of {data['paper']['of']} cases of the "
            f"paper, {data['all']['passed']} of {data['all']['of']} in all; "
            f"{context['device']}, `{context['command']}`, commit "
            f"{context['commit']}.", ""] + grid(
                ["types", "passed", "of"],
                [[row["types"], str(row["passed"]), str(row["of"])]
                 for row in data["rows"]])


def mixed_missed(data):
    for what in ("paper", "all"):
        if data[what]["passed"] != data[what]["of"]:
            yield f"{what}: {data[what]['passed']} of {data[what]['of']} pass"


# ---- Graphs with two sets of layouts ---------------------------------------

def engine_table(data):
    context, pairs = data["context"], data["pairs"]
    return [f"{sum(p['agrees'] for p in pairs)} of {len(pairs)} in the order "
            f"of the model; {context['device']}, `{context['command']}`, "
            f"commit {context['commit']}.", ""] + grid(
                ["graph", "cycles, engine", "Triton", "µs, engine", "Triton"],
                [[p["name"].replace("_", " ")]
                 + [f"{c:.1f}" for c in p["cycles"]]
                 + [f"{us:.1f}" for us in p["us"]] for p in pairs])


def engine_missed(data):
    for p in data["pairs"]:
        if not p["agrees"]:
            yield (f"{p['name'].replace('_', ' ')}: {p['us'][0]:.1f} µs, to be "
                   f"less than with Triton's layouts, {p['us'][1]:.1f} µs")


# ---- Kernels that live on bandwidth ------------------------------------

ROW_GOAL, ODD_GOAL, PEER_GOAL = 0.98, 0.93, 0.99


def rows_of(data):
    """Kernel, type and size, and the rows of each runner, the best of ours."""
    found = {}
    for row in data["kernels"]:
        case = found.setdefault((row["kernel"], row["type"], row["n"]), {})
        best = case.setdefault(row["name"], row)
        if row["of_copy"] > best["of_copy"]:
            case[row["name"]] = row
    return found


def left_out(context):
    """Peers whose results were wrong: the end of a sentence."""
    wrong = context.get("wrong")
    return f", or wrong: {', '.join(wrong)}." if wrong else "."


def kernels_table(data):
    context = data["context"]
    body = []
    for (kernel, kind, n), case in rows_of(data).items():
        body.append([f"{kernel}, {kind}, {n}"] + [
            f"{case[name]['of_copy']:.3f}" if name in case else ""
            for name in ("ll", "triton", "torch", "torch compiled")] +
            [f"{case['ll']['GB/s']:.0f}" if "ll" in case else "",
             case["ll"]["tiling"] if "ll" in case else ""])
    return [f"Fractions of a copy kernel in the same rounds, {context['device']}"
            f", `{context['command']}`, commit {context['commit']}, torch "
            f"{context['torch']}, Triton {context['triton']}. Triton's kernels "
            "are as in its tutorials, the best of several tilings; those of "
            "PyTorch are its own and, for two lengths each, the longest among "
            "them, those that torch.compile makes. Empty: not run" +
            left_out(context), ""] + grid(
                ["kernel, type, elements of a row", "ll", "Triton", "PyTorch",
                 "PyTorch, compiled", "GB/s", "tiling"], body)


def kernels_missed(data):
    for (kernel, kind, n), case in rows_of(data).items():
        of = case["ll"]["of_copy"] if "ll" in case else 0.0
        goal = ROW_GOAL if n % 8 == 0 else ODD_GOAL
        peer = max([row["of_copy"] for name, row in case.items()
                    if name != "ll"], default=0.0)
        if of < goal:
            yield (f"{kernel}, {kind}, rows of {n}: {of:.3f} of the copy, to "
                   f"be {goal:.2f}")
        if of < PEER_GOAL * peer:
            yield (f"{kernel}, {kind}, rows of {n}: {of / peer:.2f} times the "
                   f"best peer, to be {PEER_GOAL:.2f}")


# ---- Sorts, sums, permutations, lookups -------------------------------------

# Of the copy rate, and of the best peer. Sorts live on instructions.
MORE_GOALS = dict.fromkeys(("cumsum", "segmented cumsum", "permute",
                            "gather gemv", "embedding", "embedding backward",
                            "quantise each row", "quantise to fp8",
                            "quantise to mxfp8", "quantise to nvfp4"),
                           ROW_GOAL)
MORE_PEER_GOAL = 0.99


def more_of(data):
    """Kernel, type and shape, and the rows of each runner, the best of ours."""
    found = {}
    for row in data["more"]:
        case = found.setdefault((row["kernel"], row["type"], row["shape"]), {})
        best = case.setdefault(row["name"], row)
        if row["of_copy"] > best["of_copy"]:
            case[row["name"]] = row
    return found


def more_table(data):
    context = data["context"]
    names = ("ll", "triton", "torch", "torch compiled", "cub")
    body = [[f"{kernel}, {kind}, {shape}"] +
            [f"{case[name]['of_copy']:.3f}" if name in case else ""
             for name in names] +
            [f"{case['ll']['GB/s']:.0f}", case["ll"]["tiling"]]
            for (kernel, kind, shape), case in more_of(data).items()]
    return [f"Fractions of a copy kernel in the same rounds, {context['device']}"
            f", `{context['command']}`, commit {context['commit']}, torch "
            f"{context['torch']}, Triton {context.get('triton', 'not run')}. "
            "Of CUB, scans by keys or of pairs, and the better one of its "
            "sorts of segments. Triton's gather gemv and embedding stand in "
            "the next table. Empty: not run" + left_out(context), ""] + grid(
                ["kernel, type, shape", "ll", "Triton", "PyTorch",
                 "PyTorch, compiled", "CUB", "GB/s", "tiling"], body)


def more_missed(data):
    for (kernel, kind, shape), case in more_of(data).items():
        of, goal = case["ll"]["of_copy"], MORE_GOALS.get(kernel, 0.0)
        peer = max([row["of_copy"] for name, row in case.items()
                    if name != "ll"], default=0.0)
        if of < goal:
            yield (f"{kernel}, {kind}, {shape}: {of:.3f} of the copy, to be "
                   f"{goal:.2f}")
        if of < MORE_PEER_GOAL * peer:
            yield (f"{kernel}, {kind}, {shape}: {of / peer:.2f} times the best "
                   f"peer, to be {MORE_PEER_GOAL:.2f}")


# ---- Weights of 4 and 8 bits ------------------------------------------------

# Of the copy rate, by n = k, up to 16 tokens; of our own product of bf16.
ACTIVATIONS = ("bf16", "f16", "e4m3")
DECODE_GOALS, PREFILL_GOAL = {4096: 0.54, 8192: 0.75, 16384: 0.85}, 0.90


def lowbit_rows(data, what, activations=("bf16",)):
    return [row for row in data["lowbit"] if row["what"] == what and
            row.get("activations", "bf16") in activations]


def lowbit_name(row):
    """The weights, and the activations where they are not of bf16."""
    activations = row.get("activations", "bf16")
    return row["format"] + (f", {activations}" if activations != "bf16" and
                            row["format"] != activations else "")


def lowbit_table(data):
    context = data["context"]
    head = (f"{context['device']}, `{context['command']}`, commit "
            f"{context['commit']}; the copy rate is {context['copy_gbps']} "
            f"GB/s.")
    found = {}
    for row in lowbit_rows(data, "decode", ACTIVATIONS):
        found.setdefault((row["n"], lowbit_name(row)), {})[row["m"]] = row
    tokens = sorted({row["m"] for row in lowbit_rows(data, "decode")})
    brackets = any("sustained_share" in row for row in data["lowbit"])
    return [head + " Decoding: microseconds, and bytes of the weights over "
            "the time as a share of the copy rate" + brackets *
            ", rested; in brackets the share after 0.15 s of the same" + ".",
            ""] + grid(
        ["n = k", "weights"] + [f"{m} token{'s' * (m > 1)}" for m in tokens],
        [[str(n), name] + [f"{rows[m]['us']:.1f}, {rows[m]['share']:.2f}" +
                           (f" ({rows[m]['sustained_share']:.2f})"
                            if "sustained_share" in rows[m] else "")
                           for m in tokens]
         for (n, name), rows in sorted(found.items())]) + [
        "", "Prefill: the ratio is to the time of the product of both of the "
        "activations' type.",
        ""] + grid(
        ["m x n x k", "weights", "TFLOP/s, rested", "ratio",
         "TFLOP/s, sustained", "ratio"],
        [[f"{row['m']} x {row['n']} x {row['k']}", lowbit_name(row)] +
         [text for how in ("rested", "sustained") for text in (
             f"{row[how + '_tflops']:.0f}", f"{row[how + '_ratio']:.3f}")]
         for row in lowbit_rows(data, "prefill", ACTIVATIONS)]) + \
        lowbit_peers(data)


def lowbit_peers(data):
    """Peers in the same command, beside the best of ours of the same shape,
    with activations of bf16 and weights of 4 bits."""
    def of_ours(m, n, what, unit):
        return max((row[unit] for row in lowbit_rows(data, what)
                    if (row["m"], row["n"]) == (m, n) and
                    row["format"] in ("mxfp4", "int4", "nvfp4")), default=None)

    lines = []
    for row in data["lowbit"]:
        what, unit = (("decode", "share") if row["m"] <= 16 else
                      ("prefill", "rested_tflops"))
        ours = of_ours(row["m"], row["n"], what, unit)
        if row["what"] == "peer" and ours:
            peer = row[unit.removeprefix("rested_")]
            lines.append([row["peer"], f"{row['m']} x {row['n']} x {row['k']}",
                          f"{row['us']:.1f}", f"{peer:.2f}" if what == "decode"
                          else f"{peer:.0f} TFLOP/s", f"{ours / peer:.2f}"])
    return lines and ["", "Peers in the same command: up to 16 tokens the share "
                      "of the copy rate. The last column is our best format to "
                      "the peer.", ""] + grid(
        ["peer", "m x n x k", "us", "share or rate", "ours to it"], lines)


def lowbit_missed(data):
    decode = lowbit_rows(data, "decode", ACTIVATIONS)
    for row in decode:
        goal = DECODE_GOALS.get(row["n"], 0.85)
        for how in ("", "sustained_"):
            share = row.get(how + "share", goal)
            if row["m"] <= 16 and share < goal:
                yield (f"{lowbit_name(row)}, n = k = {row['n']}, m = "
                       f"{row['m']}: {share:.2f} of the copy rate" +
                       (" sustained" if how else "") + f", to be {goal:.2f}")
    for before, row in zip(decode, decode[1:]):
        if row["m"] > before["m"] and row["tflops"] < before["tflops"]:
            yield (f"{lowbit_name(row)}, n = k = {row['n']}, m = {row['m']}: "
                   f"{row['tflops']} TFLOP/s, at m = {before['m']} "
                   f"{before['tflops']}")
    for row in lowbit_rows(data, "prefill", ACTIVATIONS):
        for how in ("rested_ratio", "sustained_ratio"):
            if row[how] < PREFILL_GOAL:
                yield (f"{lowbit_name(row)}, m = {row['m']}, {how[:-6]}: "
                       f"{row[how]:.3f} of the product of "
                       f"{row.get('activations', 'bf16')}, to be "
                       f"{PREFILL_GOAL:.2f}")


# ---- Between GPUs -------------------------------------------------------

# What is to be reached: of the time that a plain kernel takes to read from the
# peer what crosses; times as fast as the ways of PyTorch; and as fast as NCCL,
# where that has the operation.
RESHARD_LIMIT, RESHARD_NCCL, RESHARD_DTENSOR = 0.95, 1.3, 2.0
RESHARD_LIKE_NCCL = 0.98


def reshard_shares(row):
    """Of the limit; times as fast as permutations and NCCL, and as DTensor."""
    return [row.get("of_limit")] + [row[key] / row["us"] if key in row else None
                                    for key in ("permute_nccl_us",
                                                "dtensor_us")]


def like_nccl(row):
    """Is it an operation of NCCL? Its name is then what NCCL calls it."""
    if row["from"] == "sums":
        return {"copies": "all-reduce", "row": "reduce-scatter"}.get(
            row["to"], f"reduce-scatter to {row['to']}s")
    return "all-gather" if row["to"] == "copies" else None


def reshard_pairs(data):
    """Pair and size, and the rows of its widths, 8, 16 and 32 bits."""
    found = {}
    for row in data["reshard"]:
        if "us" in row and not row["wrong"] and not like_nccl(row):
            found.setdefault((f"{row['from']} to {row['to']}",
                              row["bytes"] >> 20), []).append(row)
    return found.items()


def reshard_table(data):
    context = data["context"]
    head = (f"{context['gpus']} x {context['device']}, "
            f"`{context['command']}`, commit {context['commit']}; PyTorch "
            f"{context.get('torch', 'is missing')}, NCCL "
            f"{context.get('nccl', 'is missing')}. Of elements of 8, 16 and 32 "
            f"bits: microseconds of the slower GPU; as fast as a plain kernel "
            f"that reads what crosses from the peer, both ways at once (or "
            f"copies, where nothing crosses); times as fast as a permutation, "
            f"NCCL's all-to-all and a permutation, and as DTensor.")
    lines = []
    for (pair, mib), rows in reshard_pairs(data):
        shares = [[x for x in column if x is not None]
                  for column in zip(*map(reshard_shares, rows))]
        lines.append([pair, str(mib),
                      ", ".join(f"{row['us']:.0f}" for row in rows),
                      *(", ".join(f"{x:.2f}" for x in column)
                        for column in shares)])
    return [head, ""] + grid(["", "MiB of a GPU", "us", "of a plain read",
                              "PyTorch, NCCL", "DTensor"],
                             lines) + like_nccl_table(data)


def like_nccl_table(data):
    lines = [[like_nccl(row), "" if row["type"] == "u16" else row["type"],
              str(row["bytes"] >> 20), f"{row['us']:.0f}",
              f"{row['of_limit']:.2f}",
              f"{row['nccl_us']:.0f}" if "nccl_us" in row else "",
              f"{row['nccl_us'] / row['us']:.2f}" if "nccl_us" in row else ""]
             for row in data["reshard"]
             if like_nccl(row) and "us" in row and not row["wrong"]]
    head = ("Copies and partial sums, by the same kernel: sums are added as "
            "floats, in the order of the ranks. MiB of all copies or of what a "
            "GPU holds of the sums; NCCL's own operation, without a "
            "transposition to columns; times as fast.")
    return ["", head, ""] + grid(["", "type", "MiB of a GPU", "us",
                                  "of a plain read", "NCCL", "times as fast"],
                                 lines) if lines else []


def by_nccl_table(data):
    context = data["context"]
    head = (f"{context['gpus']} x {context['device']}, "
            f"`{context['command']}`, commit {context['commit']}. With "
            f"packing, unpacking and what stays beside the messages, elements "
            f"of 16 bits: as fast as NCCL's all-to-all of as many bytes, and "
            f"as the messages alone; and where GPUs read each other's memory.")
    return [head, ""] + grid(
        ["", "MiB of a GPU", "us", "all-to-all", "of it", "of the messages",
         "us, read"],
        [[f"{row['from']} to {row['to']}", str(row["bytes"] >> 20),
          f"{row['us']:.0f}", f"{row['all_to_all_us']:.0f}",
          f"{row['all_to_all_us'] / row['us']:.2f}",
          f"{row['messages_us'] / row['us']:.2f}", f"{row['read_us']:.0f}"]
         for row in data["nccl"] if not row["wrong"]])


def by_nccl_missed(data):
    for row in data["nccl"]:
        share = row["all_to_all_us"] / row["us"]
        if row["wrong"] or share < RESHARD_LIKE_NCCL:
            yield (f"{row['from']} to {row['to']}, {row['bytes'] >> 20} MiB: "
                   f"{row['wrong']} wrong, {share:.2f} of NCCL's all-to-all, "
                   f"to be {RESHARD_LIKE_NCCL}")


def modelled_table(data):
    """GPUs that could not be had."""
    context, groups = data["context"], {}
    for row in data["modelled"]:
        groups.setdefault((row["ranks"], row["hosts"], row["bytes"] >> 20),
                          []).append(row)
    head = (f"`{context['command']}`, commit {context['commit']}. Over all "
            f"pairs of 16 bits: what a GPU receives from its host and from "
            f"others, and the time, with {context['near']} GB/s a GPU within a "
            f"host and {context['far']} GB/s beyond.")
    return [head, ""] + grid(
        ["GPUs", "hosts", "MiB of a GPU", "MiB near", "MiB far", "us"],
        [[str(ranks), str(hosts), str(mib),
          span([row["near"] >> 20 for row in rows]),
          span([row["far"] >> 20 for row in rows]),
          span([round(row["us"]) for row in rows])]
         for (ranks, hosts, mib), rows in groups.items()])


def modelled_missed(data):
    for row in data["modelled"]:
        if row["err"]:
            yield (f"{row['from']} to {row['to']}, {row['ranks']} GPUs: there "
                   "is no plan")


def span(numbers):
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f"{low} to {high}"


def reshard_missed(data):
    goals = (("of a plain read", RESHARD_LIMIT),
             ("times permute, NCCL, permute", RESHARD_NCCL),
             ("times DTensor", RESHARD_DTENSOR))
    for row in data["reshard"]:
        if row["wrong"]:
            yield (f"{row['from']} to {row['to']}, {row['bits']} bits: "
                   f"{row['wrong']} wrong")
    for (pair, mib), rows in reshard_pairs(data):
        for k, (what, goal) in enumerate(goals):
            low = [(row["bits"], share) for row, share in
                   ((row, reshard_shares(row)[k]) for row in rows)
                   if share is not None and share < goal]
            if low:
                yield (f"{pair}, {mib} MiB: " +
                       ", ".join(f"{share:.2f} ({bits} bits)"
                                 for bits, share in low) +
                       f" {what}, to be {goal}")
    for row in data["reshard"]:
        if like_nccl(row) and "nccl_us" in row and "us" in row:
            share = row["nccl_us"] / row["us"]
            if share < RESHARD_LIKE_NCCL:
                yield (f"{like_nccl(row)}, {row['type']}, "
                       f"{row['bytes'] >> 20} MiB: {share:.2f} of NCCL's speed, "
                       f"to be {RESHARD_LIKE_NCCL}")


def redistribute_table(data):
    context = data["context"]
    head = (f"{context['gpus']} x {context['device']}, "
            f"`{context['command']}`, commit {context['commit']}; PyTorch "
            f"{context['torch']}, NCCL {context['nccl']}. bfloat16, "
            f"microseconds of the slower GPU: a prepared redistribution by the "
            f"peers' memory and by messages, one whole call with its exchange, "
            f"and DTensor's with the permutation that the pair needs.")

    def cell(row, key):
        return f"{row[key]:.0f}" if key in row else ""

    lines = [[f"{row['from']} to {row['to']}", str(row["bytes"] >> 20)] +
             [cell(row, key) for key in ("peers_us", "messages_us",
                                         "peers_whole_us", "dtensor_us")] +
             [f"{row['dtensor_us'] / row['peers_us']:.2f}"
              if "dtensor_us" in row and "peers_us" in row else ""]
             for row in data["times"]]
    return [head, ""] + grid(["", "MiB of a GPU", "peers", "messages",
                              "one call", "DTensor", "times as fast"], lines)


def redistribute_missed(data):
    for row in data["compared"]:
        if any(row["wrong"]):
            yield (f"{row['from']} to {row['to']}, {row['type']} by "
                   f"{row['means']}: {row['wrong']} wrong")
    for row in data["times"]:
        pair = f"{row['from']} to {row['to']}"
        if not all(row["same"]):
            yield f"{pair}: peers and messages differ"
        if "dtensor_us" in row and "peers_us" in row:
            share = row["dtensor_us"] / row["peers_us"]
            if share < RESHARD_DTENSOR:
                yield (f"{pair}: {share:.2f} times DTensor, to be "
                       f"{RESHARD_DTENSOR}")


# ---- Instructions on AMD ------------------------------------------------

AMD_ROWS = [("lds", "for LDS, permutes and swizzles included"),
            ("lds_accesses", "accesses to LDS that these make"),
            ("lane_moves", "moves between lanes: permutes, DPP, permlane"),
            ("crossing", "between lanes, by LDS or past it"),
            ("register_moves", "bytes and registers chosen, but by shifts"),
            ("vector", "on the vector ALU, all of the kernel"),
            ("barriers", "barriers")]


def amd_table(data):
    """Sums of all cases by target; then where a case has more than Triton's."""
    context, cases = data["context"], data["cases"]
    targets = sorted({c["target"] for c in cases})
    body = [[name] + [str(sum(c[side][key] for c in cases
                              if c["target"] == target))
                      for target in targets for side in ("ll", "triton")]
            for key, name in AMD_ROWS]
    fewer = sum(c["ll"]["lds"] < c["triton"]["lds"] for c in cases)
    head = [""] + [text for target in targets for text in (target, "Triton")]
    return [f"Instructions of a lane, sums over {len(cases) // len(targets)} "
            f"conversions a target; Triton {context['triton']}, "
            f"{context['compiler']}, `{context['command']}`, commit "
            f"{context['commit']}. For LDS fewer than Triton's in {fewer} of "
            f"{len(cases)} cases.", ""] + grid(head, body)


def amd_missed(data):
    for key, name in AMD_ROWS:
        for c in data["cases"]:
            if key != "vector" and c["ll"][key] > c["triton"][key]:
                yield (f"{c['target']} {c['name']}, {c['bits']} bit, {name}: "
                       f"{c['ll'][key]}, Triton {c['triton'][key]}; it swaps "
                       "registers past LDS, which Triton's goes through")


# ---- Charts ------------------------------------------------

COLOURS = ["#9aa0a6", "#5f6368", "#f28b82", "#fdd663", "#fbbc04", "#a78bfa",
           "#1a73e8"]


def svg(path, heading, groups, names, unit, line=None,
        colours=None):
    """Path and text of bars: groups are (title, [value or None, ..]), one for
    each name."""
    colours = colours or COLOURS
    bar, left, top, height = 18, 60, 64, 220
    longest = max(len(text) for text, _ in groups)
    gap = max(26, 7 * longest - bar * len(groups[0][1]))
    width = left + sum(bar * len(v) + gap for _, v in groups) + 20
    width = max(width, 460)
    most = max([v for _, vs in groups for v in vs if v] + [line or 0]) * 1.05
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
           f'height="{top + height + 64 + 18 * ((len(names) + 2) // 3)}" '
           f'font-family="sans-serif" font-size="11">',
           '<rect width="100%" height="100%" fill="white"/>',
           f'<text x="{left}" y="24" font-size="15">{html.escape(heading)}'
           '</text>',
           f'<text x="{left}" y="44" fill="#555">{html.escape(unit)}</text>']

    def y(value):
        return top + height * (1 - value / most)

    ten = 10 ** math.floor(math.log10(most / 4))
    step = min(n * ten for n in (1, 2, 2.5, 5, 10) if n * ten >= most / 5)
    for k in range(int(most / step) + 1):
        value = step * k
        out.append(f'<line x1="{left}" x2="{width - 10}" y1="{y(value):.1f}" '
                   f'y2="{y(value):.1f}" stroke="#e0e0e0"/>'
                   f'<text x="{left - 6}" y="{y(value) + 4:.1f}" '
                   f'text-anchor="end">{value:g}</text>')
    x = left + gap / 2
    for text, values in groups:
        for k, value in enumerate(values):
            if value:
                out.append(
                    f'<rect x="{x + k * bar:.1f}" y="{y(value):.1f}" '
                    f'width="{bar - 2}" height="{top + height - y(value):.1f}"'
                    f' fill="{colours[k % len(colours)]}"><title>'
                    f'{html.escape(names[k])}: {value:.3g}</title></rect>')
        middle = x + bar * len(values) / 2
        out.append(f'<text x="{middle:.1f}" y="{top + height + 16}" '
                   f'text-anchor="middle">{html.escape(text)}</text>')
        x += bar * len(values) + gap
    if line:
        out.append(f'<line x1="{left}" x2="{width - 10}" y1="{y(line):.1f}" '
                   f'y2="{y(line):.1f}" stroke="#d93025" '
                   'stroke-dasharray="5 4"/>')
    for k, name in enumerate(names):
        lx = left + k % 3 * (width - left) / 3
        ly = top + height + 40 + k // 3 * 18
        out.append(f'<rect x="{lx:.0f}" y="{ly - 9}" width="10" height="10" '
                   f'fill="{colours[k % len(colours)]}"/><text '
                   f'x="{lx + 14:.0f}" y="{ly}">{html.escape(name)}</text>')
    return path, "\n".join(out + ["</svg>", ""])


def transpose_charts(data):
    found = cells(data)
    device = data["context"].get("device", "")
    for name, cases, text in (("large", LARGE, "Transposes"),
                              ("4096", SMALL, "Transposes of 4096 x 4096")):
        groups = []
        for case in cases:
            some = [pick(found, case, kernel) for kernel, _ in KERNELS]
            groups.append((title(case), [b and b.get("of_copy")
                                         for b in some]))
        if any(any(v) for _, v in groups):
            yield svg(os.path.join(RESULTS, f"transpose-{name}.svg"),
                f"{text}, {device}", groups, [n for _, n in KERNELS],
                f"fraction of the speed of a copy; dashed: the goal, "
                f"{COPY_GOAL}", COPY_GOAL)


def host_charts(data):
    rows = [r for r in host_rows(data) if r[2]]
    yield svg(os.path.join(RESULTS, "host.svg"), "Planning on the host",
        [(name.replace("/first", ""), [ns, peer])
         for name, ns, peer, _ in rows], ["ll", "libm4ri"], "nanoseconds",
        colours=[COLOURS[-1], COLOURS[0]])


def compile_charts(data):
    yield svg(os.path.join(RESULTS, "compile.svg"), "nvcc on a transpose",
        [(b["name"].split("/")[1], [b["seconds"]])
         for b in data["benchmarks"][:3]], ["seconds"],
        f"seconds; dashed: the goal, {COMPILE_GOAL} times the hand-written",
        data["benchmarks"][1]["seconds"] * COMPILE_GOAL)


# ---- Attention ---------------------------------------------------------------

ATTENTION_GOAL = 1.0  # of cuDNN


def attentions(data):
    """Head, length and mask, and the rows of the peer and of the library."""
    return [(shape, rows["cudnn"], rows["ours"]) for shape, rows in
            attention_rows(data, 16).items()]


def attention_rows(data, bits):
    """By head, length and mask: the rows of operands of so many bits."""
    found = {}
    for row in data["attention"]:
        if row.get("bits", 16) == bits:
            shape = (f"{row['head']}, {row['heads']} heads, {row['length']} "
                     f"tokens{', causal' if row['causal'] else ''}")
            name = "fp8" if "fp8" in row["name"] else \
                row["name"] if row["name"] in ("cudnn", "flash") else "ours"
            found.setdefault(shape, {})[name] = row
    return found


def commits_of(context):
    """The commit of a record, and those of what was measured at others, whose
    machine code bench/same.py compared."""
    others = context.get("commits", {})
    return f"commit {context['commit']}" + "".join(
        f", {program}: {commit}" for program, commit in others.items())


def attention_table(data):
    context = data["context"]
    return [f"Forward, {context['data']}; {context['device']}, "
            f"`{context['command']}`, {commits_of(context)}, torch "
            f"{context['torch']}, cuDNN {context['cudnn']}.", ""] + grid(
                ["size of a head, heads, length", "TFLOP/s, cuDNN",
                 "TFLOP/s", "of the peer"],
                [[shape, f"{peer['tflops']:.0f}", f"{ours['tflops']:.0f}",
                  f"{ours['tflops'] / peer['tflops']:.2f}"]
                 for shape, peer, ours in attentions(data)]) + \
        shapes_table(data) + attention_table_8(data) + decode_table(data)


# The peers of shapes_table, in the order of columns.
SHAPE_PEERS = {"cudnn": "cuDNN", "cudnn, a call each": "cuDNN, a call each",
               "flash": "FlashAttention-2", "flex": "flex_attention"}


def shape_rows(data):
    """Other shapes, and those with FlashAttention-2: TFLOP/s by name."""
    found = {shape: {name: row["tflops"] for name, row in rows.items()}
             for shape, rows in attention_rows(data, 16).items()
             if "flash" in rows}
    return found | {row["shape"]: row["tflops"]
                    for row in data.get("shapes", [])}


def of_best(rates):
    return rates["ours"] / max(rate for name, rate in rates.items()
                               if name != "ours")


def shapes_table(data):
    rows = shape_rows(data)
    return ["", "Windows, sequences of several lengths, heads that share keys, "
            "heads of 96, f16, and the longest rows above beside PyTorch's "
            "FlashAttention-2 too; TFLOP/s of what rows see. Results are "
            "compared with cuDNN's where the table above has the shape, else "
            "with some rows in double precision, the peers' too. PyTorch has no "
            "window for cuDNN, and makes a plan in each call (60 ms) where "
            "sequences have starts. By the machine code "
            "([matmul-sass.txt](matmul-sass.txt)) nothing moves the weights "
            "from one product to the next.", ""] + grid(
                ["size of a head, heads, length", *SHAPE_PEERS.values(), "ours",
                 "of the best peer"],
                [[shape] + [f"{rates[name]:.0f}" if name in rates else ""
                            for name in (*SHAPE_PEERS, "ours")] +
                 [f"{of_best(rates):.2f}"] for shape, rates in rows.items()]) \
        if rows else []


ATTENTION_GOAL_8 = 1.25  # of ours of bf16


def attention_table_8(data):
    """Q, K and V of e4m3, beside bf16 of the same numbers."""
    rows = attention_rows(data, 8)
    return ["", "Q, K and V of e4m3, the result bf16; cuDNN and ours of bf16 on "
            "the same numbers:", ""] + grid(
                ["size of a head, heads, length", "TFLOP/s", "of ours of bf16",
                 "of cuDNN of bf16"],
                [[shape, f"{r['fp8']['tflops']:.0f}"] +
                 [f"{r['fp8']['tflops'] / r[peer]['tflops']:.2f}"
                  for peer in ("ours", "cudnn")]
                 for shape, r in rows.items()]) + one_sign(data) if rows else []


def one_sign(data):
    """What e4m3 loses where values have one sign, in records that have it."""
    found = data.get("one_sign", [])
    return ["", "Tensor cores round sums of e4m3 down. Error of the result, "
            "relative to the norm, where values are about 1, against some rows "
            "in double precision:", ""] + grid(
                ["size of a head", "keys", "error, %", "bound, %"],
                [[f"{r['head']}", f"{r['keys']}", f"{100 * r['error']:.1f}",
                  f"{100 * r['bound']:.0f}"] for r in found]) if found else []


DECODE_GOAL = 0.85  # of the rate of a copy


def head_of(row):
    """A size of heads that is not 128."""
    head = row.get("head", 128)
    return "" if head == 128 else f", heads of {head}"


def decode_table(data):
    """One token for each sequence."""
    more = any(map(head_of, data["decode"]))
    return ["", "New tokens, one for each sequence, heads of 128" +
            (" where no other size is named" if more else "") +
            ", keys in pages of 16: GB/s of keys and values, and fractions of "
            "the rate at which 1 GiB is copied. PyTorch reads keys that lie end "
            "to end.", ""] + grid(
                ["sequences, heads, of keys, length", "GB/s", "of a copy",
                 "PyTorch, of a copy"],
                [[f"{r['batch']}, {r['heads']}, {r['shared']}, {r['length']}" +
                  head_of(r),
                  f"{r['gbps']}", f"{r['of_copy']:.2f}",
                  f"{r['peer_of_copy']:.2f}"] for r in data["decode"]])


def attention_missed(data):
    for r in data["decode"]:
        if r["of_copy"] < DECODE_GOAL:
            yield (f"{r['batch']} new tokens after {r['length']}"
                   f"{head_of(r)}: "
                   f"{r['of_copy']:.2f} of a copy, to be {DECODE_GOAL:.2f}")
    for shape, peer, ours in attentions(data):
        if ours["tflops"] < ATTENTION_GOAL * peer["tflops"]:
            yield (f"{shape}: {ours['tflops'] / peer['tflops']:.2f} of cuDNN, "
                   f"to be {ATTENTION_GOAL:.2f}")
    for row in data.get("shapes", []):
        if of_best(row["tflops"]) < ATTENTION_GOAL:
            yield (f"{row['shape']}: {of_best(row['tflops']):.2f} of the best "
                   f"peer, to be {ATTENTION_GOAL:.2f}")
    for row in data.get("one_sign", []):
        if row["error"] > row["bound"]:
            yield (f"e4m3, values of one sign, {row['head']}, {row['keys']} "
                   f"keys: {100 * row['error']:.1f} % off, to be "
                   f"{100 * row['bound']:.0f}")
    for shape, r in attention_rows(data, 8).items():
        ratio = r["fp8"]["tflops"] / r["ours"]["tflops"]
        if ratio < ATTENTION_GOAL_8:
            yield (f"e4m3, {shape}: {ratio:.2f} of ours of bf16, to be "
                   f"{ATTENTION_GOAL_8:.2f}")


# ---- Products of a list ------------------------------------------------------

GROUPED_GOAL = 1.0  # of the best peer


def grouped_rows(data):
    """By case: TFLOP/s of ours, of torch.mm for each product, of torch's
    grouped product and of Triton's best tile, where there are such."""
    found = {}
    for row in data["grouped"]:
        who = row["name"].split(" (")[0]
        rates = found.setdefault(row["case"], {})
        rates[who] = max(rates.get(who, 0), row["tflops"])
    return found


def grouped_table(data):
    context = data["context"]
    peers = ("torch.mm", "torch grouped", "triton")
    return [f"Lists of products of bf16 by one kernel, random normal; TFLOP/s; "
            f"{context['device']}, `{context['command']}`, commit "
            f"{context['commit']}, torch {context['torch']}, Triton "
            f"{context['triton']}. Peers: `torch.mm` for each product, "
            "`torch._grouped_mm`, a persistent kernel of Triton.", ""] + grid(
                ["list", "ours", "torch.mm", "torch grouped", "Triton",
                 "of the best peer"],
                [[case, f"{r['ll']:.0f}"] +
                 [f"{r[p]:.0f}" if p in r else "" for p in peers] +
                 [f"{r['ll'] / max(r[p] for p in peers if p in r):.2f}"]
                 for case, r in grouped_rows(data).items()])


def grouped_missed(data):
    for case, r in grouped_rows(data).items():
        ratio = r["ll"] / max(x for who, x in r.items() if who != "ll")
        if ratio < GROUPED_GOAL:
            yield (f"{case}: {ratio:.2f} of the best peer, to be "
                   f"{GROUPED_GOAL:.2f}")


# ---- Kernels that the paper measures ----------------------------------------

PAPER_GOAL = 1.0


PAPER_FASTEST = ("int4gemm", "gemm", "flex_attention")


def paper_figure(benchmark):
    """What the paper's text says of one of its benchmarks, on a GH200."""
    return "0.96 to 1.40" + (", among the most" if benchmark in PAPER_FASTEST
                             else "")


def of_paper_table(data):
    context = data["context"]
    return [f"Microseconds; {context['device']}, `{context['command']}`, "
            f"{commits_of(context)}, torch {context['torch']}, Triton "
            f"{context['triton']}. Paper: how many times as fast linear "
            "layouts made Triton's kernel on a GH200. The figure has a point "
            "for each case and no number; the text gives the range of all and "
            "names those that gained most. bf16xint16_gemm: Triton's rounds "
            "weights to bf16, ours is exact.", ""] + grid(
                ["benchmark", "shape", "ours", "Triton", "times as fast",
                 "paper", "Triton's best"],
                [[r["benchmark"], r["shape"], f"{r['us']:.1f}",
                  f"{r['triton_us']:.1f}", f"{r['ratio']:.2f}",
                  paper_figure(r["benchmark"]), r["triton"]]
                 for r in data["of_paper"]])


def of_paper_missed(data):
    for r in data["of_paper"]:
        if r["ratio"] < PAPER_GOAL:
            yield (f"{r['benchmark']}, {r['shape']}: {r['ratio']:.2f} times as "
                   f"fast as Triton's, to be {PAPER_GOAL:.2f}")


# ---- Bank conflicts by the profiler -----------------------------------------

def profile_table(data):
    context = data["context"]
    return [f"Wavefronts of a launch, and bank conflicts among them; "
            f"{context['device']}, `{context['command']}`, commit "
            f"{context['commit']}.", ""] + grid(
        ["", "kernel", "wavefronts", "conflicts"],
        [[row["name"], f"`{row['kernel']}`", str(row["wavefronts"]),
          str(row["wavefronts"] - row["needed"])]
         for row in data["conflicts"]])


def profile_missed(data):
    for row in data["conflicts"]:
        lost = row["wavefronts"] - row["needed"]
        if lost:
            yield (f"{row['name']}, `{row['kernel']}`: {lost} bank conflicts, "
                   f"to be none")


# ---- The page and the summary ----------------------------------------------

# By name: the files, the table, the charts, what is below its goal.
KINDS = {
    "transpose": ("gpu", transpose_table, transpose_charts,
                  transposes_missed),
    "convert": ("convert", convert_table, convert_charts,
                lambda data: missed(cells(data))),
    "gather": ("gather", gather_table, gather_charts,
               lambda data: gathers_missed(cells(data))),
    "amd": ("amd", amd_table, lambda data: [], amd_missed),
    "matmul": ("matmul", products_table, lambda data: [], products_missed),
    "attention": ("attention", attention_table, lambda data: [],
                  attention_missed),
    "scaled": ("scaled", scaled_table, lambda data: [], scaled_missed),
    "grouped": ("grouped", grouped_table, lambda data: [], grouped_missed),
    "kernels": ("kernels", kernels_table, lambda data: [], kernels_missed),
    "more": ("more", more_table, lambda data: [], more_missed),
    "of_paper": ("benchmarks", of_paper_table, lambda data: [],
                 of_paper_missed),
    "lowbit": ("lowbit", lowbit_table, lambda data: [], lowbit_missed),
    "profile": ("profile", profile_table, lambda data: [], profile_missed),
    "mixed": ("mixed", mixed_table, lambda data: [], mixed_missed),
    "reshard": ("reshard", reshard_table, lambda data: [], reshard_missed),
    "by_nccl": ("nccl", by_nccl_table, lambda data: [], by_nccl_missed),
    "modelled": ("modelled", modelled_table, lambda data: [], modelled_missed),
    "redistribute": ("redistribute", redistribute_table, lambda data: [],
                     redistribute_missed),
    "engine": ("engine", engine_table, lambda data: [], engine_missed),
    "costs": ("costs", costs_table, lambda data: [], costs_missed),
    "host": ("host", host_table, host_charts, host_missed),
    "compile": ("compile", compile_table, compile_charts, compile_missed),
    "examples": ("examples", examples_table, lambda data: [],
                 examples_missed),
    "conversions": ("conversions", conversions_table, lambda data: [],
                    conversions_missed),
    "constants": ("constants", constants_table, lambda data: [],
                  constants_missed),
}
# Heading, a sentence, and charts of a table; `reductions` has no file here.
SECTIONS = [
    ("transpose", "Transposes", "A whole matrix, from global memory to global "
     "memory.", ["transpose-large.svg", "transpose-4096.svg"]),
    ("convert", "Conversions", "Between register layouts, beside Triton's, "
     "row-major shared memory with padded rows, and cub.",
     ["convert-triton.svg", "convert-padded.svg"]),
    ("gather", "Gathers", "Along an axis of a tile in registers.",
     ["gather-triton.svg"]),
    ("matmul", "Products of matrices", "`examples/matmul_hopper.cu` and "
     "`examples/matmul.cu` (mma.sync) beside cuBLASLt, in one process.", []),
    ("scaled", "Products of e4m3 with scales", "`examples/matmul_scaled.cu` "
     "beside cuBLASLt, in one process; all elements are compared with those of "
     "float32.", []),
    ("grouped", "Products of a list", "`examples/matmul_grouped.cu`, one kernel "
     "for all products of a list, beside torch and Triton in one process.", []),
    ("mixed", "Products of any two types", "`examples/matmul.cu` with operands "
     "by rows and by columns, on 8 shapes, and on 4 more where an operand has "
     "8 bits.", []),
    ("profile", "Bank conflicts of products", "All of a kernel, main loop and "
     "epilogue, as ncu counts them.", []),
    ("attention", "Attention", "`examples/attention.cu` beside cuDNN, in one "
     "process.", []),
    ("kernels", "Kernels that live on bandwidth", "`examples/softmax.cu` and "
     "others: 1 GiB of input, which no cache holds; each input and output "
     "counts once.", []),
    ("more", "Sorts, sums, permutations, lookups", "`examples/topk.cu` and "
     "others, of random data that no cache holds.", []),
    ("of_paper", "Kernels that the paper measures", "Beside Triton's kernels "
     "for the same task, in one process; the paper counts what linear layouts "
     "brought Triton, 0.96 to 1.40 times as fast as before on a GH200.", []),
    ("lowbit", "Weights of 4 and 8 bits", "`examples/matmul_lowbit.cu`: "
     "decoding on weights that are not in the L2 cache, prefill beside "
     "`examples/matmul_hopper.cu` in one process.", []),
    ("reshard", "Between GPUs", "`examples/reshard.h` between the shardings of "
     "a matrix: rows, columns (each contiguous), blocks of 64 x 64, heads, "
     "elements in turns, pieces of all rows.", []),
    ("by_nccl", "Between GPUs, by NCCL", "The same plans by "
     "`examples/reshard_nccl.h`.", []),
    ("modelled", "Between GPUs that were not there", "The same pairs by "
     "`ll_reshard_us`; the first rows are of two GPUs, which were measured.",
     []),
    ("redistribute", "Between GPUs, from PyTorch",
     "`examples/torch/redistribute.py` between shardings of a matrix; every "
     "pair and type is compared with what indexing makes of the full tensor.",
     []),
    ("reductions", "Reductions", "Of the layouts that the paper reduces, "
     "tensors of 128x16, 128x128, 32x128, 32x32 and 16x16 along each axis: "
     "stores and loads of shared memory in the program of a lane. The paper "
     "counts those that Triton made of layouts that it does not list. "
     "`make reductions` writes this table.", []),
    ("amd", "Conversions on AMD", "Compiled, not run: the instructions in the "
     "program of a lane beside those that Triton's compiler made of the same "
     "conversions. [amd-counts.json](amd-counts.json) has each case; "
     "[amd-codeobjects.txt](amd-codeobjects.txt) has the registers and the "
     "LDS of the lessons in HIP.", []),
    ("engine", "Layouts for graphs", "Ten graphs of Triton's tests and kernels, "
     "those with the least part of its cost that run as they are written, with "
     "the layouts that the engine finds and with those that Triton's passes leave: "
     "what the model says of a warp, and how long kernels of both take that "
     "repeat what lies between loads and stores.", []),
    ("costs", "Costs of instructions", "With enough warps that the rate and not "
     "the delay decides, without bank conflicts.", []),
    ("host", "Planning on the host", "Beside libm4ri on the same matrices.",
     ["host.svg"]),
    ("compile", "Compile time of a transpose", "An nvcc build of one file; "
     "the same transpose with CuTe takes 15.6 seconds.", ["compile.svg"]),
    ("examples", "Compile time of examples", "Each by the command that it "
     "names.", []),
    ("conversions", "Compile time of a conversion", "How much one conversion "
     "adds, by the size of the tile.", []),
    ("constants", "Compile time of a constant", "How much one layout adds.",
     []),
]
# Sections that are left out while there is no record.
LATER = {"by_nccl", "modelled"}
HEAD = """# Results

`make plots` writes this page from the files of this folder; do not edit it.
Each table names its device, command and commit. `make check` fails where a file
is of a changed tree, or where what it measures has changed since its commit.
`make bench-check` and `make bench-host-check` measure again and fail where a
row is more than 3 % worse, beyond its spread."""
REDUCTIONS = re.compile(r"<!-- reductions -->\n.*?<!-- /reductions -->", re.S)


def read(path):
    if not os.path.exists(path):
        return ""
    with open(path) as f:
        return f.read()


def checked_lines():
    """What ran on GPUs: the head and the last line of each such text."""
    for path in sorted(glob.glob(os.path.join(RESULTS, "check-*.txt")) +
                       glob.glob(os.path.join(RESULTS, "torch-*.txt"))):
        text = read(path)
        said = dict(re.findall(r"^(device|commit|command) +(.*)$", text, re.M))
        yield (f"- [{said['device']}]({os.path.basename(path)}), "
               f"`{said['command']}`, commit {said['commit']}: "
               f"{text.splitlines()[-1]}.")
    for record, commit, same, _ in map(str.split, lines_of("same-code.txt")):
        yield (f"- {record}, of {commit}: nvcc makes the same machine code at "
               f"{same} (`bench/same.py`).")


def lines_of(name):
    path = os.path.join(RESULTS, name)
    return read(path).splitlines() if os.path.exists(path) else []


def section(name, results):
    """The lines of a table, or of the place where it would be."""
    if name == "reductions":
        kept = REDUCTIONS.search(read(PAGE))
        return [kept[0] if kept else
                "<!-- reductions -->\n<!-- /reductions -->"]
    if results.get(name) is None:
        return ["Not recorded."]
    return KINDS[name][1](results[name])


def reason_of(name, line):
    """Why a line is below its goal, or None."""
    return next((why for section, pattern, why in REASONED
                 if section == name and re.search(pattern, line)), None)


def misses(results):
    """Lines of what is below its goal; those of one reason stand under it."""
    for name, heading, _, _ in SECTIONS:
        found = {}
        for line in KINDS[name][3](results[name]) if results.get(name) else ():
            found.setdefault(reason_of(name, line), []).append(line)
        for why, lines in found.items():
            if why:
                yield f"- {heading}: {why}"
            yield from (f"  - {line}" if why else f"- {heading}: {line}"
                        for line in lines)


def unused_reasons(results, reasons):
    """Entries of reasons.py that no line has."""
    for section, pattern, _ in reasons:
        if results.get(section) and not any(
                re.search(pattern, line)
                for line in KINDS[section][3](results[section])):
            yield f"reasons.py: no line of {section} has {pattern!r}"


def page(results):
    lines = [HEAD, "", "## Below its goal", ""] + (list(misses(results)) or
                                                   ["Nothing."])
    for name, heading, text, charts in SECTIONS:
        if name in LATER and not results.get(name):
            continue
        lines += ["", f"## {heading}", "", text, ""] + section(name, results)
        if results.get(name):
            lines += [f"\n![{heading}]({chart})" for chart in charts]
    return "\n".join(lines + ["", "## Correctness on GPUs", "",
                              *checked_lines(), ""])


def between(values, digits=2):
    values = [v for v in values if v]
    if not values:
        return "not recorded"
    low, high = (f"{v:.{digits}f}" for v in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def summary(results):
    """The few figures that stand in README.md."""
    rows = []

    def row(name, what, figure):
        data = results.get(name)
        if data:
            context = data["context"]
            rows.append([what, figure(data), context.get("device", ""),
                         f"`{context.get('command', '')}`",
                         context.get("commit", "")])

    for cases, what in ((LARGE, "1 GiB"), (SMALL, "4096x4096")):
        row("transpose", f"speed of transposes of {what}, relative to a copy kernel",
            lambda data: between([(pick(cells(data), case, "layout") or {})
                                  .get("of_copy") for case in cases]))
    row("convert", "conversions, times as fast as Triton's, geometric mean",
        lambda data: between([mean_of_triton(cells(data))]))
    row("gather", "gathers, times as fast as Triton's", lambda data: between(
        [speed(ll, triton) for _, _, _, _, ll, triton, _ in
         gather_cells(cells(data))]))
    row("matmul", "products of bf16, relative to cuBLASLt's default choice",
        lambda data: between([of_peer(ours, peers["cublaslt"], rate)
                              for _, ours, peers in products(data)
                              for rate in RATES]))
    row("attention", "attention, as fast as cuDNN's", lambda data: between(
        [ours["tflops"] / peer["tflops"] for _, peer, ours in
         attentions(data)]))
    row("kernels", "softmax of rows of 1k to 256k, relative to a copy kernel",
        lambda data: between([case["ll"]["of_copy"] for (kernel, _, n), case
                              in rows_of(data).items() if "ll" in case and
                              kernel == "softmax" and n % 8 == 0]))
    row("reshard", "reshards of 1 GiB a GPU, as fast as PyTorch with NCCL",
        lambda data: between([reshard_shares(row)[1] for row in data["reshard"]
                              if row["bytes"] >> 30 and row["crosses"] and
                              not like_nccl(row)]))
    row("compile", "nvcc's time for a transpose, relative to the hand-written one",
        lambda data: between([b.get("of_hand") for b in data["benchmarks"]
                              if b["name"] == "compile/layout"]))
    lines = ["| | figure | device | command | commit |",
             "| --- | ---: | --- | --- | --- |"]
    return "\n".join(lines + ["| " + " | ".join(r) + " |" for r in rows]) + "\n"


def written(results):
    """Everything that is made of the results: path and text."""
    for name, (_, _, charts, _) in KINDS.items():
        if results.get(name):
            yield from charts(results[name])
    yield PAGE, page(results)
    mark = re.compile(r"(<!-- bench:summary -->\n).*?(<!-- /bench -->)", re.S)
    yield README, mark.sub(lambda m: m[1] + summary(results) + m[2],
                           read(README))


def every_result():
    return {name: latest(kind[0]) for name, kind in KINDS.items()}


def main():
    for path, text in written(every_result()):
        with open(path, "w") as f:
            f.write(text)
    if "<!-- bench:summary -->" not in read(README):
        print("report: README.md has no <!-- bench:summary -->")


# ---- Check ------------------------------------------------------------------

def stale(results):
    return [os.path.relpath(path, ROOT) for path, text in written(results)
            if text != read(path)]


def doubled(x):
    """The same result with every measured number twice as large."""
    if isinstance(x, dict):
        return {k: doubled(v) if k != "context" else v for k, v in x.items()}
    if isinstance(x, list):
        return [doubled(v) for v in x]
    return 2 * x if isinstance(x, (int, float)) and x is not True else x


def check():
    """Each file is as it would be written; a changed figure is seen."""
    results = every_result()
    failed = [f"{path} is stale: make plots" for path in stale(results)]
    if "<!-- bench:summary -->" not in read(README):
        failed.append("README.md has no <!-- bench:summary -->")
    failed += unused_reasons(results, REASONED)
    count = 2 + len(REASONED) + len(list(written(results)))
    if not list(unused_reasons(results, [("matmul", "no such line", "")])):
        failed.append("self-test: a reason of no line is not seen")
    for name, data in results.items():
        if data:
            count += 1
            changed = copy.deepcopy(results)
            changed[name] = doubled(data)
            if page(changed) == page(results):
                failed.append(f"self-test: twice the figures of {name} leave "
                              "the page as it is")
    for line in failed:
        print("FAIL", line)
    print(f"{count - len(failed)} passed, {len(failed)} failed")
    return bool(failed)


def kind_of(data):
    for key, name in (("conversions", "conversions"), ("cases", "amd"),
                      ("examples", "examples"), ("conflicts", "profile"),
                      ("constants", "constants"), ("cycles", "costs"),
                      ("products", "matmul"), ("kernels", "kernels"),
                      ("more", "more"),
                      ("attention", "attention"), ("lowbit", "lowbit"),
                      ("paper", "mixed"), ("reshard", "reshard"),
                      ("nccl", "by_nccl"), ("modelled", "modelled"),
                      ("compared", "redistribute"), ("grouped", "grouped"),
                      ("of_paper", "of_paper"),
                      ("scaled", "scaled")):
        if key in data:
            return KINDS[name]
    first = data["benchmarks"][0]["name"].split("/")[0]
    return KINDS.get(first, KINDS["host"])


def table(path):
    result = load(path)
    kind = kind_of(result)
    print("\n".join(kind[1](result)))
    misses = list(kind[3](result))
    if misses:
        print("\nBelow its goal:\n" + "\n".join(f"- {m}" for m in misses))


def charts(path):
    result = load(path)
    for chart, text in kind_of(result)[2](result):
        with open(chart, "w") as f:
            f.write(text)


if __name__ == "__main__":
    if len(sys.argv) == 1:
        main()
    elif sys.argv[1] == "table":
        table(sys.argv[2])
    elif sys.argv[1] == "charts":
        charts(sys.argv[2])
    elif sys.argv[1] == "check":
        sys.exit(check())
    elif sys.argv[1] == "profile":
        profile(*sys.argv[2:5])
    elif sys.argv[1] == "merge":
        merge(sys.argv[2], sys.argv[3])
    elif sys.argv[1] == "costs":
        record_costs(*sys.argv[2:4])
    elif sys.argv[1] == "tidy":
        tidy(sys.argv[2])
    else:
        sys.exit(__doc__)
