#!/usr/bin/env python3
"""lessons.py - builds the host lessons, and compares what they print.

The comment at the top of each examples/*.c says after `Output:` what the
program prints; the comparison is exact. CC names the compiler.
"""
import difflib
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CC = [os.environ.get("CC", "gcc"), "-std=c11", "-O1", "-Wall", "-Wextra", "-I",
      str(ROOT)]


def promised(source):
    """The lines behind `Output:` in the first comment."""
    comment = source.read_text().split("*/")[0].splitlines()
    start = next(k for k, line in enumerate(comment) if "Output:" in line)
    lines = []
    for line in comment[start + 1:]:
        if not line.startswith(" *     ") and line.rstrip() != " *":
            break
        lines.append(line[len(" *     "):])
    return [line.rstrip() for line in lines]


def judge(source, folder):
    """Why a lesson is not what its comment says, or an empty string."""
    program = pathlib.Path(folder) / source.stem
    built = subprocess.run([*CC, str(source), "-o", str(program)], text=True,
                           stderr=subprocess.PIPE)
    if built.returncode or built.stderr:
        return built.stderr
    ran = subprocess.run([str(program)], text=True, stdout=subprocess.PIPE)
    printed = [line.rstrip() for line in ran.stdout.splitlines()]
    differences = difflib.unified_diff(promised(source), printed, "comment",
                                       "program", lineterm="")
    return "\n".join(differences) or (f"exit status {ran.returncode}"
                                      if ran.returncode else "")


def main():
    sources = sorted((ROOT / "examples").glob("*.c"))
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for source in sources:
            why = judge(source, folder)
            failed += bool(why)
            if why:
                print(f"FAIL {source.name}: {why}")
    print(f"{len(sources) - failed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
