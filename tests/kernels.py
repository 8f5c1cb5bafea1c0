#!/usr/bin/env python3
"""kernels.py - what ptxas says of the kernels in examples.

    kernels.py FILE[:sm_TARGET][:MACRO=VALUE][:spills=BYTES]...

Compiles each, for sm_90a if no target is named, with the macros. No kernel has
a stack or spills registers, and ptxas serialises no wgmma, which it does where
it cannot tell that nobody touches accumulators or registers of A meanwhile.
`spills` says what a file is known to spill, below its goal: another number is a
fault, a smaller one too, so that the word goes when the spill does. NVCC names
the compiler.
"""
import os
import re
import subprocess
import sys

NVCC = os.environ.get("NVCC", "nvcc")
FLAGS = ["-std=c++17", "-O3", "-I.", "-Xptxas", "-v", "-cubin", "-o",
         os.devnull]


def command(name):
    """The options and the file of a name."""
    file, *words = name.split(":")
    targets = [word[3:] for word in words if word.startswith("sm_")] or ["90a"]
    return [*FLAGS, "-gencode",
            f"arch=compute_{targets[0]},code=sm_{targets[0]}",
            *(f"-D{word}" for word in words
              if "=" in word and not word.startswith("spills=")), file]


def known(name):
    """The bytes that a name says are spilled."""
    said = re.search(r":spills=(\d+)", name)
    return int(said[1]) if said else 0


def faults(text, spills=0):
    """What is wrong in ptxas' words about kernels; no words are a fault."""
    if not re.search(r"^ptxas info +: Used \d+ registers", text, re.M):
        yield "ptxas says nothing of a kernel"
    stored = sum(map(int, re.findall(r"(\d+) bytes spill stores", text)))
    if spills and stored != spills:
        yield f"{stored} bytes of spill stores, {spills} are said to be known"
    for line in text.splitlines():
        if not spills and re.search(r"[1-9]\d* bytes (stack|spill)", line):
            yield line.strip()
        if "serialized" in line:
            yield line.strip()


def main():
    failed = 0
    for name in sys.argv[1:]:
        done = subprocess.run([NVCC, *command(name)], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        found = list(faults(done.stdout, known(name)))
        if done.returncode:
            found.append(done.stdout)
        for fault in found:
            print(f"FAIL {name}: {fault}")
        failed += bool(found)
    print(f"{len(sys.argv) - 1 - failed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
