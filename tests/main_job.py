#!/usr/bin/env python3
"""main_job.py - does `make run` show what it promises?

    main_job.py COMMAND...    e.g. make -s run, or an emulated program

`make run` ends with the place of the viewer, where that can be built, and with
what to do next.

The command must succeed, and its output is read: the layouts and the plan in
words, two pictures of shared memory's banks, in which no column is used twice,
and a table of versions in which `layout` is there and none has a wrong element.
No sentence of LL_ERRORS and nothing that the emulator found may be in it.
"""
import re
import shutil
import subprocess
import sys

import fail
import source

CELLS = (16, 32, 64)  # banks in a row of a picture
LEAST_LANES = 8  # a phase of 16 bytes
PROMISES = {
    "the layouts of both sides": r"register: .* \| lane: .*(?s:.*)"
                                 r"register: .* \| lane: ",
    "what the plan does": r"data (goes|stays|is)\b.*",
    "the steps of the plan": r"^ +1\. each lane (?s:.*)^ +2\. ",
    "the accesses of the plan": r"\bin \d+ access\w* of \d+ bytes",
}


def row(line):
    """The lanes of a line of a picture, -1 for none; nothing for another."""
    cells = line.split()
    if len(cells) not in CELLS or \
            not all(re.fullmatch(r"\.|\d{1,2}", c) for c in cells):
        return []
    return [-1 if c == "." else int(c) for c in cells]


def pictures(text):
    """The rows of each picture: lines that follow one another."""
    found, last = [], False
    for line in text.split("\n"):
        cells = row(line)
        if cells and last:
            found[-1].append(cells)
        elif cells:
            found.append([cells])
        last = bool(cells)
    return found


def picture_faults(number, rows):
    lanes = {c for cells in rows for c in cells if c >= 0}
    if len({len(cells) for cells in rows}) != 1:
        yield f"picture {number} has rows of different lengths"
    if len(lanes) < LEAST_LANES:
        yield f"picture {number} has {len(lanes)} lanes: {sorted(lanes)}"
    twice = [b for b, column in enumerate(zip(*rows))
             if sum(c >= 0 for c in column) > 1]
    if twice:
        yield f"picture {number} uses bank {twice[0]} twice"


def table(text):
    """The wrong elements of each version, by its name. The emulator's findings
    would stand between the rows, or before the blank line behind them."""
    head = re.search(r"^version +wrong\b.*\n((?:\w+ +\d+ .*\n)+)(?:\n|\Z)",
                     text, re.M)
    return {line.split()[0]: int(line.split()[1])
            for line in head[1].splitlines()} if head else {}


def faults(text, sentences):
    """What the output lacks, or should not have."""
    found = [f"the output lacks {what}" for what, pattern in PROMISES.items()
             if not re.search(pattern, text, re.M)]
    drawn = pictures(text)
    if len(drawn) < 2:
        found.append(f"there are {len(drawn)} pictures of banks, not two")
    for number, rows in enumerate(drawn, 1):
        found += picture_faults(number, rows)
    found += [f"there is the error {code}: {sentence}"
              for code, sentence in sentences.items() if sentence in text]
    wrong = table(text)
    if "layout" not in wrong:
        found.append("no version `layout` in a table with its wrong elements")
    found += [f"{name} has {n} wrong elements"
              for name, n in wrong.items() if n]
    found += [f"it says: {line}" for line in text.splitlines()
              if re.search(r"^WRONG|\b[1-9]\d* (wrong|errors?)\b", line)]
    return found


def main():
    sentences = fail.sentences((source.ROOT / "ll.h").read_text())
    done = subprocess.run(sys.argv[1:], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    found = faults(done.stdout, sentences)
    if done.returncode:
        found.append(f"exit status {done.returncode}")
    if shutil.which("wasm-ld") and "run" in sys.argv and \
            not re.search(r"^see it: build/viewer.html\nnext: .*\n\Z",
                          done.stdout, re.M):
        found.append("it does not end with the viewer and what to do next")
    if found:
        print(done.stdout)
    for fault in found:
        print("FAIL", fault)
    checks = len(PROMISES) + len(sentences) + 4
    print(f"{max(checks - len(found), 0)} passed, {len(found)} failed")
    return len(found) != 0


if __name__ == "__main__":
    sys.exit(main())
