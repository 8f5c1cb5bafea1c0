#!/usr/bin/env python3
"""families.py - the table of layout families in tests/data/README.md.

    families.py               print the table
    families.py --write FILE  rewrite it between its markers
    families.py --macros      what tests/data_*.c count with

A family is a comment of a header with `Source (MACHINES): TEXT.` and the
public functions behind it. Each call in the runner of the recorded cases says
which family it belongs to (--macros); `check_data --counts tests/data` tells how
many cases that passed used each.
"""
import os
import pathlib
import re
import subprocess
import sys

import source

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "tests/data/README.md"
HEADERS = tuple(source.PLACES.values())
BEGIN, END = "<!-- families -->\n", "<!-- /families -->\n"
SOURCE = re.compile(r"Source \(([^)]+)\): (.*?)\. (?=Fails? with|Example:|$)")
FUNCTION = re.compile(r"^LL_FN [^(\n]*?\b(ll_[a-z0-9_]*[a-z0-9])\(([^)]*)\) \{",
                      re.M)


def prose(comment):
    return " ".join(re.sub(r"\n \*", " ", comment).split()) + " "


def parameters(text):
    """The names in a list of parameters."""
    return [part.split()[-1].lstrip("*") for part in text.split(",")
            if part.strip()]


def faults(functions, words):
    """Functions whose signature the comment does not have, or has otherwise; a
    second one of the same parameters may be named alone."""
    words = words.partition("Example:")[0]
    for name, names in functions:
        said = re.search(r"\b" + name + r"\b(?:\(([^)]*)\))?", words)
        listed = said.group(1).split(", ") if said and said.group(1) else None
        if not said or listed not in (None, names):
            yield f"{name}({', '.join(names)}): the comment has {listed}"


def families(header):
    """(functions, machines, source) for each comment that has one."""
    text = (ROOT / header).read_text()
    chunks = re.split(r"^/\* (?=ll_\w+\()", text, flags=re.M)[1:]
    for chunk in chunks:
        comment, _, code = chunk.partition("*/")
        words = prose(comment)
        found = SOURCE.search(words)
        functions = [(name, parameters(names))
                     for name, names in FUNCTION.findall(code)]
        if not found:
            continue
        wrong = list(faults(functions, words))
        if wrong or not functions:
            sys.exit("families.py: " + "\n".join(wrong or [words]))
        yield functions, found.group(1), found.group(2)


def every():
    return [f for header in HEADERS for f in families(header)]


def macros():
    """The functions of a family, wrapped in a note that they were called. To be
    included before all else (-include), so it has the headers in it."""
    lines = ["/* Made by tests/families.py. */"]
    lines += [f'#include "{header}"' for header in HEADERS]
    lines.append("void belongs(const char *function);")
    for functions, _, _ in every():
        for name, _ in functions:
            lines.append(f"#define {name}(...) (belongs(\"{functions[0][0]}\"), "
                         f"{name}(__VA_ARGS__))")
    return "\n".join(lines) + "\n"


def counts():
    """Cases that passed, by family; None if the runner cannot be built."""
    build = os.environ.get("COUNTS", "counts")
    make = [os.environ.get("MAKE", "make"), "-s", f"BUILD={build}",
            f"build/{build}/check_data"]
    if subprocess.run(make, cwd=ROOT, stdout=subprocess.DEVNULL,
                      stderr=subprocess.DEVNULL).returncode:
        return None
    out = subprocess.run([f"build/{build}/check_data", "--counts", "tests/data"],
                         cwd=ROOT, stdout=subprocess.PIPE, text=True).stdout
    return dict(re.findall(r"^(ll_\w+): (\d+)$", out, re.M))


def called(functions):
    """`ll_x_a(m, k)`, `_b(k, n)`: the stem once."""
    stem = functions[0][0].rpartition("_")[0]
    names = []
    for k, (name, params) in enumerate(functions):
        if k and stem.count("_") > 1 and name.startswith(stem + "_"):
            name = name[len(stem):]
        names.append(f"`{name}({', '.join(params)})`")
    return ", ".join(names)


def table(passed):
    lines = ["| functions | for | verified against | cases |",
             "| --- | --- | --- | ---: |"]
    for functions, machines, source in every():
        number = passed.get(functions[0][0], "0")
        lines.append(f"| {called(functions)} | {machines} | {source} | "
                     f"{number} |")
    return "\n".join(lines) + "\n"


def main():
    if sys.argv[1:] == ["--macros"]:
        sys.stdout.write(macros())
        return 0
    passed = counts()
    if passed is None:
        sys.exit("families.py: make build/counts/check_data fails")
    if sys.argv[1:2] != ["--write"]:
        sys.stdout.write(table(passed))
        return 0
    readme = ROOT / sys.argv[2]
    text = readme.read_text()
    start, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    readme.write_text(text[:start] + table(passed) + text[end:])
    return 0


if __name__ == "__main__":
    sys.exit(main())
