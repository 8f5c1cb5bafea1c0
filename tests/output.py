#!/usr/bin/env python3
"""output.py - runs a program whose exit status says little, and reads what it
prints.

    output.py gemm LANES COMMAND...   no wrong element, and no bank conflict
    output.py matmul SHAPES COMMAND...  the same, for each of SHAPES shapes
    output.py attention SHAPES COMMAND...  likewise
    output.py rows LINES COMMAND...   at least LINES checks, none wrong
    output.py fuzz RUNS COMMAND...    RUNS inputs were tried, no crash
"""
import re
import subprocess
import sys


def gemm(text, lanes):
    """Faults of what matmul.hip prints."""
    said = re.search(r"^\d+ x \d+ x \d+, (\d+) lanes: (\d+) wrong, "
                     r"(\d+) bank conflicts$", text, re.M)
    if not said:
        return ["no line `M x N x K, L lanes: W wrong, C bank conflicts`"]
    wanted = {"lanes": (said[1], lanes), "wrong elements": (said[2], "0"),
              "bank conflicts": (said[3], "0")}
    found = [f"{have} {what}, not {want}"
             for what, (have, want) in wanted.items() if have != want]
    others = [line for line in text.splitlines()
              if line.strip() and line != said[0]]
    return found + [f"it says: {line}" for line in others[:5]]


def shapes_of(good, text, shapes):
    """Faults of a program that prints a line for each shape."""
    lines = [line for line in text.splitlines() if line.strip()]
    right = sum(1 for line in lines if good.fullmatch(line))
    found = [] if right == int(shapes) else [f"{right} shapes are right, not "
                                             f"{shapes}"]
    return found + [f"it says: {line}" for line in lines
                    if not good.fullmatch(line)][:5]


def matmul(text, shapes):
    """Faults of what matmul.cu and its like print."""
    return shapes_of(re.compile(r"(\d+ x \d+ x \d+|\d+ products): 0 wrong, 0 "
                                r"bank conflicts"), text, shapes)


def attention(text, shapes):
    """Faults of what attention.cu prints."""
    return shapes_of(
        re.compile(r"\d+ x \d+ rows, .*: 0 wrong, 0 bank conflicts"), text,
        shapes)


def rows(text, least):
    """Faults of what softmax.cu and its like print."""
    *lines, last = [line for line in text.splitlines() if line.strip()] or [""]
    bad = [line for line in lines if not line.endswith(": 0 wrong")]
    if last != "All agree with the CPU.":
        bad.append(last)
    few = len(lines) - len(bad) < int(least)
    return [f"fewer than {least} checks are right"] * few + \
        [f"it says: {line}" for line in bad[:5]]


def fuzz(text, runs):
    """Faults of what libFuzzer prints, with -print_final_stats=1."""
    done = re.search(r"^stat::number_of_executed_units: +(\d+)$", text, re.M)
    found = [] if done else ["no stat::number_of_executed_units"]
    if done and int(done[1]) < int(runs):
        found.append(f"{done[1]} inputs were tried, not {runs}")
    return found + [f"it says: {line}" for line in text.splitlines()
                    if re.search(r"ERROR: |^SUMMARY: |runtime error", line)]


JUDGES = {"gemm": gemm, "matmul": matmul, "rows": rows, "fuzz": fuzz,
          "attention": attention}


def main():
    kind, number, *command = sys.argv[1:]
    done = subprocess.run(command, text=True, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    found = JUDGES[kind](done.stdout, number)
    if done.returncode:
        found.append(f"exit status {done.returncode}")
    print(done.stdout)
    for fault in found:
        print("FAIL", fault)
    print(f"{int(not found)} passed, {len(found)} failed")
    return len(found) != 0


if __name__ == "__main__":
    sys.exit(main())
