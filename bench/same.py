#!/usr/bin/env python3
"""same.py - is the machine code that a record measured still what the sources
make?

    same.py RECORD...    of bench/results, for example reshard-nvidia-h200.json

A figure is true for the code it was measured on. Where sources changed but nvcc
makes the same machine code of every kernel that was there, the figure stands: a
line of bench/results/same-code.txt says so, and tests/figures.py then compares
the sources with those of the second commit. Kernels that joined later were not
measured and do not count:

    RECORD, its commit, the commit of the same code, SHA-256 of that code

Both commits are compiled for sm_90a. What the host computes before a launch is
compared as well: for reshards, the numbers that a kernel gets, of each rank,
for every pair, size and width that device/reshard.cu measures; for the engine,
its kernels and what it says that they cost.

A record may be of several commits, if some of its programs were measured at
another one: its context then has `commits`, a program and the commit of each.
"""
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench/results"
LIST = RESULTS / "same-code.txt"
NVCC = os.environ.get("NVCC", "nvcc")
CUOBJDUMP = os.environ.get("CUOBJDUMP", "cuobjdump")
FLAGS = ["-std=c++17", "-O3", "-lineinfo", "-gencode",
         "arch=compute_90a,code=sm_90a", "-I.", "-cubin"]
PROGRAMS = {"reshard": ["bench/device/reshard.cu"],
            "redistribute": ["examples/torch/redistribute.cu"],
            "attention": [f"bench/device/attention.cu -DHEAD={head}{kind}"
                          for head in (64, 128, 256)
                          for kind in ("", " -DFP8=1")] +
                         [f"bench/device/attention_shapes.cu -DHEAD={shape}"
                          for shape in (96, 128, "128 -DHALF=1")] +
                         ["bench/device/attention_decode.cu"],
            "benchmarks": ["bench/device/matmul_hopper.cu -DOPERAND=bf16",
                           "bench/device/matmul_hopper.cu -DOPERAND=e4m3",
                           "bench/device/attention.cu -DHEAD=64",
                           "bench/device/attention.cu -DHEAD=128",
                           "examples/torch/lowbit.cu",
                           "bench/device/more.cu -DLL_PART=8",
                           "bench/device/paper_rows.cu"],
            "grouped": ["bench/device/matmul_grouped.cu"],
            "kernels": ["bench/device/kernels.cu"],
            "more": [f"bench/device/more.cu -DLL_PART={k}" for k in range(12)],
            "torch": [f"examples/torch/{name}.cu" for name in (
                "softmax", "rms_norm", "lowbit", "attention_64",
                "attention_128")],
            "engine": []}
NUMBERS = """#define main measures
#include "RESHARD"
#undef main
static void show(const job &j) {
    const reshard_job &by = j.by;
    printf("%d %u %llu", by.push, by.tile.err, ll_reshard_bytes(by.plan, 0, 0));
    for (unsigned r = 0; r < 1u << LOG_GPUS && !by.tile.err; ++r) {
        static reshard_move m;
        m = reshard_numbers(by.plan, by.tile, r);
        for (size_t b = 0; b < sizeof m; ++b) {
            printf(" %02x", ((const unsigned char *)&m)[b]);
        }
    }
    printf("\\n");
}
int main() {
    for (unsigned k = 0; k < 9 * SHARDINGS * SHARDINGS; ++k) {
        const unsigned from = k / SHARDINGS % SHARDINGS, to = k % SHARDINGS;
        const unsigned size = k / SHARDINGS / SHARDINGS;
        if (is_pair(from, to)) {
            show(job_of(from, to, 8u << size / 3, SIZES[size % 3]));
        }
    }
    for (unsigned k = 0; k < 24; ++k) {
        const unsigned *const p = LIKE_NCCL[k % 4];
        show(job_of(p[0], p[1], 16u << k / 12, SIZES[k / 4 % 3],
                    p[0] == BY_COPY));
    }
}
"""
ENGINE = """import pathlib, sys
sys.path.insert(0, "bench")
import engine
folder = pathlib.Path("build/same")
folder.mkdir(parents=True)
writer = engine.writer(folder)
for name in engine.names():
    (folder / f"{name}.cu").write_text(engine.source_of(writer, name))
    print(name, [engine.kernel(writer, engine.PAIRS / f"{name}.{who}.txt",
                               who)[1] for who in ("ours", "theirs")])
"""
HOST = {"reshard": NUMBERS, "redistribute": NUMBERS}
RESHARD = "bench/device/reshard.cu"


def run(*command, cwd):
    return subprocess.run([str(c) for c in command], cwd=cwd, check=True,
                          stdout=subprocess.PIPE).stdout


def then(commit, source):
    """A source with its flags, by the name that its file had at a commit."""
    said = run("git", "diff", "-M", "-l0", "--diff-filter=R", "-z",
               "--name-status", commit, "HEAD", cwd=ROOT).decode().split("\0")
    name, *flags = source.split()
    return " ".join([dict(zip(said[2::3], said[1::3])).get(name, name),
                     *flags])


def commit_of(record):
    return re.search(r'commit"?:? +"?([0-9a-f]{7,40})\b',
                     record.read_text())[1]


def others_of(name):
    """Programs of a record that were measured at other commits, and these."""
    if not name.endswith(".json"):
        return {}
    found = json.loads((RESULTS / name).read_text())
    return found.get("context", {}).get("commits", {})


def kernels(text):
    """The instructions of each kernel in a listing, without their encoding."""
    found, lines = {}, None
    for line in text.splitlines():
        name = re.match(r"\s*Function : (\S+)", line)
        if name:
            lines = found.setdefault(name[1], [])
        elif lines is not None and re.match(r"\s+/\*[0-9a-f]{4,}\*/", line):
            lines.append(re.sub(r"/\* 0x[0-9a-f]* \*/", "", line).rstrip())
    return {name: "\n".join(lines) for name, lines in sorted(found.items())}


def code(tree, commit, source, folder, measured):
    """The kernels of a source of a commit: those of `measured`, names for each
    source, which learns them from the first tree."""
    cubin = folder / "code.cubin"
    run(NVCC, *FLAGS, *then(commit, source).split(), "-o", cubin, cwd=tree)
    found = kernels(run(CUOBJDUMP, "-sass", cubin, cwd=tree).decode())
    if not found:
        sys.exit(f"{source} has no kernels")
    names = measured.setdefault(source, list(found))
    return "\n".join(f"{name}\n{found.get(name)}" for name in names).encode()


def said(tree, program, folder):
    """What a program of the host prints with the headers of a tree."""
    (tree / "host.cu").write_text(program)
    run(NVCC, "-std=c++17", "-O1", "-w", "-arch=sm_90a", "-I.", "host.cu", "-o",
        folder / "host", cwd=tree)
    return run(folder / "host", cwd=tree)


def tree_of(commit, folder):
    tree = folder / commit
    if not tree.exists():
        tree.mkdir()
        run("sh", "-c", f"git archive {commit} | tar x -C {tree}", cwd=ROOT)
    return tree


def digest(commit, others, kind, folder, measured):
    """Of all programs of a record, those in `others` of another commit."""
    tree = tree_of(commit, folder)
    all_of = hashlib.sha256()
    for source in PROGRAMS[kind]:
        its = others.get(source, others.get(then(commit, source), commit))
        part = code(tree_of(its, folder), its, source, folder, measured)
        print(f"{its} {source} {hashlib.sha256(part).hexdigest()[:16]}",
              flush=True)
        all_of.update(part)
    if kind == "engine":
        costs = run(sys.executable, "-c", ENGINE, cwd=tree)
        all_of.update(costs)
        for source in sorted((tree / "build/same").glob("*.cu")):
            its = str(source.relative_to(tree))
            all_of.update(code(tree, commit, its, folder, measured))
        print(f"{commit} {len(costs.splitlines())} pairs of the engine "
              f"{all_of.hexdigest()[:16]}", flush=True)
    if kind in HOST:
        numbers = said(tree, HOST[kind].replace(
            "RESHARD", then(commit, RESHARD)), folder)
        print(f"{commit} the host's {len(numbers.splitlines())} lines "
              f"{hashlib.sha256(numbers).hexdigest()[:16]}", flush=True)
        all_of.update(numbers)
    return all_of.hexdigest()


def main():
    failed = 0
    now = run("git", "rev-parse", "--short", "HEAD", cwd=ROOT).decode().strip()
    for name in sys.argv[1:]:
        kind, before = name.partition("-")[0], commit_of(RESULTS / name)
        measured = {}
        with tempfile.TemporaryDirectory() as folder:
            codes = [digest(commit, others, kind, pathlib.Path(folder),
                            measured)
                     for commit, others in ((before, others_of(name)),
                                            (now, {}))]
        lines = LIST.read_text().splitlines() if LIST.exists() else []
        lines = [line for line in lines if line.split()[0] != name]
        if codes[0] == codes[1]:
            lines.append(f"{name} {before} {now} {codes[0]}")
        print(f"{name}: {'the same' if codes[0] == codes[1] else 'OTHER'} code "
              f"at {before} and {now}")
        failed += codes[0] != codes[1]
        LIST.write_text("".join(f"{line}\n" for line in sorted(lines)))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
