#!/usr/bin/env python3
"""conflicts.py - bank conflicts of GEMM kernels, counted by ncu.

    conflicts.py build FOLDER     builds the programs, one job per core
    conflicts.py measure FOLDER RESULT.json

A row is a launch of a kernel: the wavefronts of its accesses to shared memory,
and their number without bank conflicts. Both follow from the addresses of the
executed instructions, in main loop and epilogue; TMA and wgmma have none. The
record also keeps the pipe's own counter of conflicts, which includes accesses
that wait for a write by TMA and differs from run to run. NVCC and NCU name the
programs.
"""
import concurrent.futures
import csv
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
HOPPER = "-gencode arch=compute_90a,code=sm_90a"
SYNC = "-arch=sm_90 -DTYPE_A={} -DTYPE_B={}"
# A program: its source and options.
PROGRAMS = {
    "f16": ("matmul.cu", SYNC.format("f16", "f16") + " -DCOLS_B=1"),
    "bf16": ("matmul.cu", SYNC.format("bf16", "bf16")),
    "bf16-s8": ("matmul.cu", SYNC.format("bf16", "s8") + " -DCOLS_B=1"),
    "hopper": ("matmul_hopper.cu", HOPPER),
    "hopper-e4m3": ("matmul_hopper.cu", HOPPER + " -DOPERAND=e4m3"),
    "scaled": ("matmul_scaled.cu", HOPPER),
    "grouped": ("matmul_grouped.cu", HOPPER),
    "lowbit": ("matmul_lowbit.cu", HOPPER),
}
# Name of the case, program, arguments, a part of the kernel's mangled name, and
# the number of launches that count.
CASES = (
    ("matmul.cu, f16, B by columns", "f16", "1024 1024 1024", "piped", 1),
    ("matmul.cu, bf16, both by rows", "bf16", "1024 1024 1024", "piped", 1),
    ("matmul.cu, bf16 x s8", "bf16-s8", "1024 1024 1024", "piped", 1),
    ("matmul_hopper.cu, bf16", "hopper", "1024 1024 1024", "matmul", 1),
    ("matmul_hopper.cu, e4m3", "hopper-e4m3", "1024 1024 1024", "matmul", 1),
    ("matmul_scaled.cu, scales of rows", "scaled", "", "matmul_scaled.*Lb0E",
     1),
    ("matmul_scaled.cu, scales of blocks", "scaled", "", "matmul_scaled.*Lb1E",
     1),
    ("matmul_grouped.cu", "grouped", "", "matmul_grouped", 1),
    ("matmul_lowbit.cu, mxfp4, 1 token", "lowbit", "1 4096 4096", "lowbit", 1),
    ("matmul_lowbit.cu, mxfp4, 16 tokens", "lowbit", "16 8192 8192", "lowbit",
     1),
    ("matmul_lowbit.cu, mxfp4, 64 tokens", "lowbit", "64 4096 4096", "lowbit",
     1),
    ("matmul_lowbit.cu, mxfp4, 1024 tokens", "lowbit", "1024 4096 4096",
     "lowbit", 1),
)
METRICS = {"wavefronts": "memory_l1_wavefronts_shared",
           "needed": "memory_l1_wavefronts_shared_ideal",
           "waits": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"}


def build(folder):
    """Builds all programs."""
    def one(item):
        name, (source, options) = item
        subprocess.run([os.environ.get("NVCC", "nvcc"), "-std=c++17", "-O3",
                        "-I.", *options.split(),
                        f"examples/kernels/matmul/{source}", "-o",
                        str(folder / name)], cwd=ROOT, check=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(one, PROGRAMS.items()))


def launches(text):
    """The rows of ncu's table, without its row of units."""
    table = csv.DictReader(line for line in text.splitlines()
                           if line.startswith('"'))
    return [row for row in table if row["ID"]]


def rows_of(case, folder):
    """The rows of a case: one per kernel, summed over its launches."""
    name, program, arguments, kernel, count = case
    done = subprocess.run(
        [os.environ.get("NCU", "ncu"), "--clock-control", "none",
         "--print-units", "base", "--csv", "--page", "raw",
         "--kernel-name-base", "mangled", "-k", f"regex:{kernel}",
         "-c", str(count), "--kill", "yes", "--metrics",
         ",".join(METRICS.values()), str((folder / program).resolve()),
         *arguments.split()], check=False, text=True, timeout=120,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    found = {}
    for launch in launches(done.stdout):
        sums = found.setdefault(launch["Kernel Name"],
                                dict.fromkeys(METRICS, 0))
        for what, metric in METRICS.items():
            sums[what] += int(float(launch[metric].replace(",", "")))
    if not found:
        sys.exit(f"{name}: {done.stdout[-1500:]}")
    return [{"name": name, "kernel": re.sub(r"\(.*", "", who), **sums}
            for who, sums in found.items()]


def measure(folder, result):
    """Measures all cases."""
    rows = []
    for case in CASES:
        rows += rows_of(case, folder)
        print(rows[-1], flush=True)
    context = {"device": os.environ.get("LL_DEVICE", "unknown"),
               "command": os.environ.get("LL_COMMAND", "bench/conflicts.py"),
               "commit": os.environ.get("LL_COMMIT", "unknown")}
    result.write_text(json.dumps({"context": context, "conflicts": rows},
                                 indent=1) + "\n")


if __name__ == "__main__":
    at = pathlib.Path(sys.argv[2])
    if sys.argv[1] == "build":
        build(at)
    else:
        measure(at, pathlib.Path(sys.argv[3]))
