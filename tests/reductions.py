#!/usr/bin/env python3
"""reductions.py - the table of reductions in bench/results/reductions.md.

    reductions.py               print the table
    reductions.py --write FILE  rewrite it between its markers

Its rows are what tests/test_reduce.c prints of the families that the paper
reduces.
"""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "bench/results/reductions.md"
BEGIN, END = "<!-- reductions -->\n", "<!-- /reductions -->\n"
HEAD = """\
| layout | cases | passed | shared-memory instructions | in the paper | \
in Triton before it |
| --- | ---: | ---: | ---: | ---: | ---: |
"""


def table():
    build = os.environ.get("COUNTS", "counts")
    make = [os.environ.get("MAKE", "make"), "-s", f"BUILD={build}",
            f"build/{build}/test_reduce"]
    subprocess.run(make, cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
    out = subprocess.run([f"build/{build}/test_reduce"], cwd=ROOT,
                         stdout=subprocess.PIPE, text=True).stdout
    return HEAD + "".join(line + "\n" for line in out.splitlines()
                          if line.startswith("| "))


def main():
    if sys.argv[1:2] != ["--write"]:
        sys.stdout.write(table())
        return 0
    readme = ROOT / sys.argv[2]
    text = readme.read_text()
    start, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    readme.write_text(text[:start] + table() + text[end:])
    return 0


if __name__ == "__main__":
    sys.exit(main())
