#!/usr/bin/env python3
"""shape.py - the shape of the headers: no line is wider than 80 columns, no
function longer than 40 lines, no tab, no blank at the end of a line, and one
sequence of numbered sections."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WIDTH, LENGTH = 80, 40


def functions(lines):
    """First and last line of each function, counted from 0.

    A function starts at the margin and its body ends with a brace there."""
    start = None
    for number, line in enumerate(lines):
        if re.match(r"(template|LL_FN|LL_DEVICE|LL_INLINE_|static)\b", line):
            start = number if start is None else start
        if start is None:
            continue
        if line.startswith("}") or re.search(r"[;}]$", line) and "{" not in \
                "".join(lines[start:number]) and not line.endswith("{"):
            yield start, number
            start = None


def faults(text):
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if len(line) > WIDTH:
            yield number, f"{len(line)} columns"
        if "\t" in line or line.endswith(" "):
            yield number, "a tab, or a blank at the end"
    for first, last in functions(lines):
        signature = first + lines[first].startswith("template")
        if last - signature + 1 > LENGTH:
            yield first + 1, f"a function of {last - signature + 1} lines"
    sections = [int(n) for n in re.findall(r"^/\* ---- (\d+)\. ", text, re.M)]
    if sections != list(range(1, len(sections) + 1)):
        yield 1, f"sections {sections}"


def main():
    wrong = 0
    for header in sorted(ROOT.glob("ll*.h")):
        for number, what in faults(header.read_text()):
            print(f"{header.name}:{number}: {what}")
            wrong += 1
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
