#!/usr/bin/env python3
"""streams.py - does every launcher use the caller's stream?

A launcher is what stands in a header of examples/kernels, or in a .cu file before
its main program (LL_NO_MAIN); files without that are programs alone. Each launch there names a stream, and none of it
allocates, copies in a way that waits, or waits for the device: so each can be
recorded into a graph. tests/gpu/capture.cu records them. Headers whose names end
in _check.h, and check.h, are programs' own. The self-test plants a launch without
a stream and an allocation.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
KERNELS = ROOT / "examples/kernels"
# Set up once by their programs: memory of all GPUs, lists of products, maps.
OWN = re.compile(r"(_check|/check|/rows_check|reshard_host|reshard_nccl_wire|"
                 r"reshard_nccl_memory|matmul_list)\.h$")
WAITS = r"\bcuda(Malloc\w*|Free|Memset|Memcpy|DeviceSynchronize)\s*\("


def library(text):
    """The text without comments, and without the main program."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", lambda m: "\n" * m[0].count("\n"), text,
                  flags=re.S)
    return text.split("#ifndef LL_NO_MAIN")[0]


def arguments(text):
    """The number of arguments in a list."""
    depth, count = 0, 1
    for letter in text.replace("<<", "").replace(">>", ""):
        depth += (letter in "(<[{") - (letter in ")>]}")
        count += letter == "," and depth == 0
    return count


def faults(text):
    """What is wrong in a file, with its lines."""
    text = library(text)
    for found in re.finditer(r"<<<(.*?)>>>", text, re.S):
        if arguments(found[1]) != 4:
            yield line(text, found), "a launch without a stream"
    for found in re.finditer(WAITS, text):
        yield line(text, found), f"{found[0].rstrip('( ')} in a launcher"


def line(text, found):
    return text[:found.start()].count("\n") + 1


PLANTED = {
    "k<<<1, 2, 0, s>>>(a);\n#ifndef LL_NO_MAIN\ncudaMalloc(&a, 1);": 0,
    "k<<<dim3(1, 2, 3), f<4, 5>(), 0>>>(a);": 1,
    "/* cudaFree(p) */ k<<<f(1, 2), 3>>>(a);": 1,
    "cudaMalloc((void **)&a, 1); cudaDeviceSynchronize();": 2,
}


def main():
    wrong = [f"self-test: {text!r}" for text, count in PLANTED.items()
             if len(list(faults(text))) != count]
    files = [f for f in sorted([*KERNELS.rglob("*.h"), *KERNELS.rglob("*.cu")])
             if not OWN.search(str(f)) and
             (f.suffix == ".h" or "#ifndef LL_NO_MAIN" in f.read_text())]
    launches = 0
    for file in files:
        text = file.read_text()
        launches += library(text).count("<<<")
        wrong += [f"{file.relative_to(ROOT)}:{at}: {what}"
                  for at, what in faults(text)]
    if launches < 15:
        wrong.append(f"only {launches} launches were read")
    print("".join(f"FAIL {what}\n" for what in wrong), end="")
    print(f"{len(files) + len(PLANTED) - len(wrong)} passed, {len(wrong)} failed")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
