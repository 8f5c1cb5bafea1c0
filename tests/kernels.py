#!/usr/bin/env python3
"""kernels.py - what ptxas says of the kernels in examples/kernels.

    kernels.py [all]
    kernels.py FILE[:sm_TARGET][:MACRO=VALUE]...

Compiles each kernel of KERNELS, with `all` those of MORE too, or the named ones,
with the macros, for sm_90a if no target is named. No kernel has a stack or spills registers, and ptxas
serialises no wgmma, which it does where it cannot tell that nobody touches
accumulators or registers of A meanwhile.
NVCC names the compiler.
"""
import os
import re
import subprocess
import sys

NVCC = os.environ.get("NVCC", "nvcc")
FLAGS = ["-std=c++17", "-O3", "-I.", "-Xptxas", "-v", "-cubin", "-o",
         os.devnull]
# The pairs of types and the kernels that need most registers.
KERNELS = [f"examples/kernels/{name}" for name in """
matmul/matmul_hopper.cu
matmul/matmul.cu:sm_80:TYPE_A=f16:TYPE_B=bf16 matmul/matmul.cu:sm_90:COLS_A=1
rows/norm_backward.cu:sm_90 move/permute.cu:sm_90
quantise/quantise_groups.cu:sm_90 experts/experts.cu:sm_90
""".split()]
MORE = [f"examples/kernels/{name}" for name in """
matmul/matmul_scaled.cu matmul/matmul_grouped.cu matmul/matmul_lowbit.cu
matmul/matmul_lowbit.cu:OPERAND=e4m3
matmul/matmul_lowbit.cu:OPERAND=f16 matmul/matmul.cu:sm_80
matmul/matmul.cu:sm_90:TYPE_A=e4m3:TYPE_B=e4m3 rows/cumsum.cu:sm_90
rows/rmsnorm_backward.cu:sm_90 quantise/quantise.cu:sm_90
""".split()]


def command(name):
    """The options and the file of a name."""
    file, *words = name.split(":")
    targets = [word[3:] for word in words if word.startswith("sm_")] or ["90a"]
    return [*FLAGS, "-gencode",
            f"arch=compute_{targets[0]},code=sm_{targets[0]}",
            *(f"-D{word}" for word in words if "=" in word), file]


def faults(text):
    """What is wrong in ptxas' words about kernels; no words are a fault."""
    if not re.search(r"^ptxas info +: Used \d+ registers", text, re.M):
        yield "ptxas says nothing of a kernel"
    for line in text.splitlines():
        if re.search(r"[1-9]\d* bytes (stack|spill)", line):
            yield line.strip()
        if "serialized" in line:
            yield line.strip()


def main():
    failed, names = 0, sys.argv[1:] or KERNELS
    names = KERNELS + MORE if names == ["all"] else names
    for name in names:
        done = subprocess.run([NVCC, *command(name)], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        found = list(faults(done.stdout))
        if done.returncode:
            found.append(done.stdout)
        for fault in found:
            print(f"FAIL {name}: {fault}")
        failed += bool(found)
    print(f"{len(names) - failed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
