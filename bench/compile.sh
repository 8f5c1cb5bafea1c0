#!/bin/sh
# compile.sh [RESULT]: nvcc's time for ll_ptx.h.
#
# Times nvcc on five files, five rounds, and writes the median of processor time
# (user and system) and the peak memory of each:
#   empty    an empty kernel
#   hand     a transpose written by hand, without the header
#   layout   the same with the library's macros
#   lesson   the lesson on transposes
#   planner  an empty kernel after sections 4 to 20 of ll.h. Every plan needs
#            them, so no kernel with a plan can cost less.
# NVCC names the compiler, NVCC_FLAGS its flags, LL_COMMIT the sources.
set -eu
cd "$(dirname "$0")/.."
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
[ -x "$nvcc" ] || nvcc=build/cuda/bin/nvcc
[ -x "$nvcc" ] || { echo "compile.sh: no nvcc here" >&2; exit 3; }
exec python3 - "$nvcc" "${1:-bench/results/compile.json}" <<'PYTHON'
import json, os, re, shlex, statistics, subprocess, sys, time

nvcc, result = sys.argv[1:]
flags = shlex.split(os.environ.get("NVCC_FLAGS", "-std=c++17 -arch=sm_90"))
rows = {"empty": "bench/compile/empty.cu", "hand": "bench/compile/hand.cu",
        "layout": "bench/compile/layout.cu",
        "lesson": "examples/kernels/move/transpose.cu",
        "planner": "build/bench-planner.cu"}
rounds = 5
# Measures one command: its seconds, and the peak memory of any process in it.
# Each runs in a process of its own, because a peak never falls.
measure = """
import resource, subprocess, sys
rc = subprocess.run(sys.argv[1:]).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss // 1024)
sys.exit(rc)
"""


def command(row):
    return [nvcc, *flags, "-I.", "-c", rows[row], "-o",
            f"build/bench-{row}.o"]


def once(row):
    out = subprocess.run([sys.executable, "-c", measure, *command(row)],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         text=True)
    if out.returncode:
        sys.exit("".join(out.stdout.splitlines(True)[:20]) +
                 f"compile.sh: nvcc failed on {rows[row]}")
    seconds, memory = out.stdout.split()[-2:]
    return float(seconds), int(memory)


def planner():
    """The rooms of ll.h up to the planner, before a kernel."""
    with open("ll.h", encoding="utf-8") as f:
        kept, found, _ = f.read().partition("/* ---- plan/reduce: ")
    if not found:
        sys.exit("compile.sh: ll.h has no room plan/reduce")
    with open(rows["planner"], "w", encoding="utf-8") as f:
        f.write(kept + "#endif\n")
        f.write("__global__ void kernel(float *dst) { *dst = 0; }\n")


os.makedirs("build", exist_ok=True)
planner()
os.makedirs(os.path.dirname(result) or ".", exist_ok=True)
for row in rows:  # fills the file cache
    once(row)
runs = {row: [] for row in rows}
for _ in range(rounds):
    for row in rows:
        runs[row].append(once(row))
version = subprocess.run([nvcc, "--version"], stdout=subprocess.PIPE,
                         text=True).stdout.split("\n")
benchmarks = []
for row in rows:
    seconds = statistics.median(s for s, _ in runs[row])
    benchmarks.append({
        "name": f"compile/{row}",
        "seconds": round(seconds, 3),
        "runs": [round(s, 3) for s, _ in runs[row]],
        "memory_MB": max(m for _, m in runs[row]),
    })
ratio = benchmarks[2]["seconds"] / benchmarks[1]["seconds"]
benchmarks[2]["of_hand"] = round(ratio, 3)
benchmarks[4]["of_hand"] = round(
    benchmarks[4]["seconds"] / benchmarks[1]["seconds"], 3)
benchmarks[2]["of_empty"] = round(
    benchmarks[2]["seconds"] / benchmarks[0]["seconds"], 3)
report = {
    "context": {
        "command": os.environ.get("LL_COMMAND", "bench/compile.sh"),
        "device": os.environ.get("LL_DEVICE", "unknown"),
        "flags": " ".join(flags),
        "compiler": next((v for v in version if "release" in v), ""),
        "commit": os.environ.get("LL_COMMIT", "unknown"),
        "cpus": os.cpu_count(),
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "load": round(os.getloadavg()[0], 2),
    },
    "benchmarks": benchmarks,
}
with open(result, "w") as f:
    json.dump(report, f, indent=1)
    f.write("\n")
for b in benchmarks:
    print(f"{b['name']:16} {b['seconds']:6.3f} s  {b['memory_MB']:5} MB")
print(f"layout / hand {ratio:.2f} (goal 1.25)")
PYTHON
