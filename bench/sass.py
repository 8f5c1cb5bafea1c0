#!/usr/bin/env python3
"""sass.py - the machine code of the inner loops of products of matrices.

    sass.py RESULT.txt

Builds examples/matmul.cu for sm_90 and examples/matmul_hopper.cu for sm_90a
with nvcc (NVCC), and writes for each what ptxas says, how long nvcc took, and
the instructions of the loop with the most matrix instructions, by their number.
Needs cuobjdump (CUOBJDUMP, or beside nvcc).
"""
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile

NVCC = os.environ.get("NVCC", "nvcc")
SM90A = ["-gencode", "arch=compute_90a,code=sm_90a"]
CASES = (
    ("matmul.cu, f16, B by columns", "matmul.cu", "piped", ["-arch=sm_90",
     "-DTYPE_A=f16", "-DTYPE_B=f16", "-DCOLS_B=1"]),
    ("matmul.cu, bf16, both by rows", "matmul.cu", "piped", ["-arch=sm_90",
     "-DTYPE_A=bf16", "-DTYPE_B=bf16"]),
    ("matmul.cu, s8, B by columns", "matmul.cu", "piped", ["-arch=sm_90",
     "-DTYPE_A=s8", "-DTYPE_B=s8", "-DCOLS_B=1"]),
    ("matmul.cu, bf16 x s8, B by columns", "matmul.cu", "piped",
     ["-arch=sm_90", "-DTYPE_A=bf16", "-DTYPE_B=s8", "-DCOLS_B=1"]),
    ("matmul_hopper.cu, bf16, tiles of 128 x 256", "matmul_hopper.cu",
     "matmulI4formILj2ELj256E", SM90A),
    ("matmul_hopper.cu, e4m3, tiles of 128 x 256", "matmul_hopper.cu",
     "matmulI4formILj2ELj256E",
     [*SM90A, "-DOPERAND=e4m3"]),
)
MATRIX = re.compile(r"[A-Z]+MMA\b|[A-Z]GMMA\b")


def instructions(sass, kernel):
    """(address, text) of a function, and where it jumps back to."""
    part = next(x for x in sass.split("Function : ")[1:]
                if kernel in x.split("\n")[0])
    return [(int(at, 16), text.strip()) for at, text in
            re.findall(r"/\*([0-9a-f]{4,5})\*/\s+(.*?);", part)]


def inner_loop(code):
    """The shortest loop with the most matrix instructions."""
    best = (0, 0, [])
    for at, text in code:
        jump = re.search(r"\bBRA\S* .*?(0x[0-9a-f]+)", text)
        if jump and int(jump[1], 16) < at:
            body = [x for a, x in code if int(jump[1], 16) <= a <= at]
            best = max(best, (sum(bool(MATRIX.search(x)) for x in body),
                              -len(body), body))
    return best[2]


def names(body):
    """Instructions by their number."""
    count = collections.Counter(
        re.sub(r"^@!?U?P\w+ +", "", text).split()[0] for text in body)
    return [f"    {number:5} {name}" for name, number in
            sorted(count.items(), key=lambda x: (-x[1], x[0]))]


def lines(name, source, kernel, flags, folder):
    """What is written of one case."""
    cubin, begun = folder / "x.cubin", os.times()
    done = subprocess.run([NVCC, "-std=c++17", "-O3", "-I.", "-Xptxas", "-v",
                           "-cubin", *flags, f"examples/{source}", "-o", cubin],
                          check=True, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    ended = os.times()
    seconds = (ended.children_user - begun.children_user +
               ended.children_system - begun.children_system)
    tool = os.environ.get("CUOBJDUMP", "cuobjdump")
    sass = subprocess.run([tool, "-sass", cubin], check=True, text=True,
                          stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout
    body = inner_loop(instructions(sass, kernel))
    said = re.search(kernel + r".*?(\d+) bytes spill stores, (\d+) bytes spill "
                     r"loads.*?Used (\d+) registers", done.stdout, re.S)
    return [f"{name}: {len(body)} instructions in the inner loop",
            f"    {said[3]} registers, {said[1]} bytes of spill stores, "
            f"{said[2]} of loads; nvcc {seconds:.1f} s",
            *names(body), ""]


def main():
    commit = subprocess.run(["sh", "bench/commit.sh"], check=True, text=True,
                            stdout=subprocess.PIPE).stdout.strip()
    version = subprocess.run([NVCC, "--version"], check=True, text=True,
                             stdout=subprocess.PIPE).stdout
    text = [f"commit   {commit}", "command  bench/run.sh sass",
            f"compiler {re.search(r'release.*', version)[0]}", ""]
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            text += lines(*case, pathlib.Path(folder))
    pathlib.Path(sys.argv[1]).write_text("\n".join(text).rstrip() + "\n")
    print("\n".join(text))


if __name__ == "__main__":
    main()
