"""Gathers along an axis of a tile in registers, beside Triton's."""
import os

from report.markdown import grid, number
from report.records import RESULTS, cells
from report.subject import Miss, Subject
from report.svg import COLOURS, svg
from report.trips import counted_line, fastest, limit_of, speed

# case, title, and the goal (times as fast as Triton) at 8, 16 and 32 bits
GATHERS = [
    ("axis1-512x4", "512x4", {8: 1.3, 16: 1.3, 32: 1.3}),
    ("axis1-512x8", "512x8", {8: 1.3, 16: 1.3, 32: 1.3}),
    ("axis1-512x16", "512x16", {8: 1.3, 16: 1.3, 32: 1.3}),
    ("axis1-512x32", "512x32", {8: 20, 16: 20, 32: 10}),
    ("axis1-512x64", "512x64", {8: 20, 16: 20, 32: 10}),
    ("axis0-512x8", "down 512x8", {8: 1.3, 16: 1.3, 32: 1.3}),
]
BETTER_BY = 1.03  # a smaller gain of another kind of plan is noise
PAPER_GATHERS = 14.20  # times the Triton before it, by the paper, on a GH200


def gather_cells(found):
    """Case, title, bits, goal, and the rows of ll, Triton, the next kind."""
    for case, text, goals in GATHERS:
        for bits, least in goals.items():
            ll, triton, other = (fastest(found, case, bits, who, "gather")
                                 for who in ("ll", "triton", "ll-*"))
            if ll:
                yield case, text, bits, least, ll, triton, other


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


def missed(data):
    found = cells(data)
    for _, text, bits, least, ll, triton, other in gather_cells(found):
        row = f"{text}, {bits} bit"
        if triton and speed(ll, triton) < least:
            yield Miss(row, f"{speed(ll, triton):.2f} times as fast as Triton",
                       f"{least:g}")
        if other and speed(other, ll) > BETTER_BY:
            yield Miss(row, f"{other['label']} is {speed(other, ll):.2f} times "
                       "as fast")
    for name, row in found.items():
        if row.get("error_occurred"):
            yield Miss(name, "wrong")


def table(data):
    found, context = cells(data), data["context"]
    lines = [f"Nanoseconds of "
             f"{context.get('blocks', '')} blocks, median of "
             f"{context.get('rounds', '')}; {context.get('device', '')}, "
             f"`{context.get('command', 'bench/run.sh gather')}`, commit "
             f"{context.get('commit', '')}. The limit is one wavefront or "
             "shuffle per clock, for the number that these indices need. The "
             f"paper's best, on a GH200: {PAPER_GATHERS:.2f} times as fast as "
             "the Triton before it.", ""]
    return lines + gather_grid(found) + counted_line(found, "gathers")


def charts(data):
    found, device = cells(data), data["context"].get("device", "")
    some = {}
    for _, text, bits, _, ll, triton, _ in gather_cells(found):
        some.setdefault(text, {})[bits] = speed(ll, triton)
    groups = [(text, [by.get(bits) for bits in (8, 16, 32)])
              for text, by in some.items() if any(by.values())]
    if groups:
        yield svg(
            os.path.join(RESULTS, "gather-triton.svg"),
            f"Gathers against Triton, {device}", groups,
            ["8 bit", "16 bit", "32 bit"],
            "times as fast; dashed line: equal", 1,
            [COLOURS[-1], COLOURS[2], COLOURS[3]])


SUBJECTS = [Subject(
    "gather", "gather", "", "Gathers",
    "Along an axis of a tile in registers.",
    table, missed, charts, ("gather-triton.svg",))]
