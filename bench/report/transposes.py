"""Transposes of whole matrices, beside a copy kernel and Triton's."""
import os

from report.markdown import grid
from report.records import RESULTS, cells
from report.subject import Miss, Subject
from report.svg import svg

# The rows in order. A name with a * stands for the best of several.
KERNELS = [
    ("copy", "copy kernel, 16 bytes per lane"),
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
COPY_GOAL, RAGGED_GOAL = 0.97, 0.93


def pick(found, case, kernel):
    """The row of a kernel; the best of several if it ends in *."""
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


def rows_of(found, cases):
    rows = []
    for kernel, name in KERNELS:
        some = [pick(found, case, kernel) for case in cases]
        if any(some):
            rows.append([name] + [figures(b) for b in some])
    return rows


def table(data):
    found, context = cells(data), data["context"]
    lines = [f"GB/s, read and written, and in parentheses the fraction of the "
             f"copy kernel in the same run; {context.get('device', '')}, "
             f"`{context.get('command', 'bench/run.sh gpu')}`, commit "
             f"{context.get('commit', '')}."]
    for text, cases in (("", LARGE),
                        ("Small matrices, 20 launches queued:", SMALL),
                        ("Sizes that no vector divides:", RAGGED)):
        cases = [c for c in cases if pick(found, c, "layout")]
        if cases:
            lines += ["", text] if text else []
            lines += [""] + grid([""] + [title(c) for c in cases],
                                 rows_of(found, cases))
    return lines


def missed(data):
    found = cells(data)
    for case in LARGE + SMALL + RAGGED:
        row = pick(found, case, "layout")
        goal = RAGGED_GOAL if case in RAGGED else COPY_GOAL
        if row and row.get("of_copy", 1) < goal:
            yield Miss(title(case), f"{row['of_copy']:.2f} of the copy kernel",
                       f"{goal:.2f}")
    for name, row in found.items():
        if row.get("error_occurred"):
            yield Miss(name, "wrong")


def charts(data):
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
            yield svg(
                os.path.join(RESULTS, f"transpose-{name}.svg"),
                f"{text}, {device}", groups, [n for _, n in KERNELS],
                f"fraction of the speed of a copy; dashed line: the goal, "
                f"{COPY_GOAL}", COPY_GOAL)


SUBJECTS = [Subject(
    "transpose", "gpu", "", "Transposes",
    "A whole matrix, from global memory to global memory.",
    table, missed, charts, ("transpose-large.svg", "transpose-4096.svg"))]
