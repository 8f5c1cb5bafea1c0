#!/usr/bin/env python3
"""main_job.py PROGRAM..: reads what the programs of `make run` print.

It must have the plan in words, a picture of a store and one of a load in which
every column holds one lane and every lane its words, and the table of three
versions without a wrong element. The same checks must see each of the faults
that are planted in a copy of the output.
"""
import re
import subprocess
import sys

SENTENCES = ["A block reads a tile as", "and writes it as", "Between the two,",
             "No column is used twice", "All three agree with the CPU."]
WORDS = 4  # of an access of 16 bytes
BANKS = 32


def pictures(text):
    """The rows behind each sentence about a phase, cells as strings."""
    parts = re.split(r"^The first phase of a (\w+),.*$", text, flags=re.M)
    return {what: [line.split() for line in
                   body.strip("\n").split("\n\n")[0].splitlines()]
            for what, body in zip(parts[1::2], parts[2::2])}


def faults_of(what, rows):
    """What is wrong with a picture of accesses of 16 bytes."""
    if not rows or any(len(row) != BANKS for row in rows) or not all(
            re.fullmatch(r"\.|\d+", cell) for row in rows for cell in row):
        yield f"no picture of a {what}: {rows}"
        return
    for bank in range(BANKS):
        lanes = [row[bank] for row in rows if row[bank] != "."]
        if len(lanes) != 1:
            yield f"{what}: bank {bank} serves {len(lanes)} words"
    cells = [cell for row in rows for cell in row if cell != "."]
    for lane in set(cells):
        if cells.count(lane) != WORDS:
            yield f"{what}: lane {lane} has {cells.count(lane)} words"


def faults(text):
    for sentence in SENTENCES:
        if sentence not in text:
            yield f"it does not say: {sentence}"
    found = pictures(text)
    for what in ("store", "load"):
        yield from faults_of(what, found.get(what, []))
    for name in ("naive", "padded", "layout"):
        row = re.search(rf"^{name} +(\d+) ", text, re.M)
        if not row or int(row[1]):
            yield f"{name}: no row of the table without wrong elements"


def planted(text):
    """Copies of a good output, each with one fault."""
    rows = pictures(text)["load"]
    line = next(k for k in text.splitlines() if k.split() == rows[-1])
    yield "no picture", text.replace(line, "an access has 1 or 2 bytes")
    yield "a bank twice", text.replace(line, line.replace(" .", " 7", 1))
    yield "an element wrong", re.sub(r"^(layout +)0", r"\g<1>9", text,
                                     flags=re.M)
    yield "no claim", text.replace("No column is used twice", "")


def main():
    text = "".join(subprocess.run([program], text=True, check=True,
                                  stdout=subprocess.PIPE).stdout + "\n"
                   for program in sys.argv[1:])
    failed = list(faults(text))
    checks = 1
    for what, bad in planted(text) if not failed else ():
        checks += 1
        if bad == text or not list(faults(bad)):
            failed.append(f"the planted fault was not seen: {what}")
    for line in failed:
        print("FAIL", line)
    print(f"{checks - bool(failed)} passed, {len(failed)} failed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
