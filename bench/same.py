#!/usr/bin/env python3
"""same.py - do the sources still compile to the machine code that a record
measured?

    same.py RECORD...    of bench/results, for example reshard-nvidia-h200.json
    same.py --list       the records that it can compare

A figure belongs to the code it was measured on. If the sources changed but nvcc
generates the same machine code for every measured kernel, the figure stands.
Kernels added later do not count. Then same.py adds a line to
bench/results/same-code.txt, and tests/figures.py compares the sources with
those of the second commit:

    RECORD, its commit, the commit of the same code, SHA-256 of that code

Both commits are compiled for sm_90a, or only the second, if its code has the
SHA-256 of the line that is there. Kernels are compared by their instructions
and not by name, because names contain private types. The host's part is
compared as well:
- for reshards, the arguments of a kernel on each rank, for every pair, size and
  width that device/reshard.cu measures; the kernel of any order does not count
- for the engine, its kernels and their costs
- for the model of links, its output

Records of the host are compared function by function, as gcc compiles them
without optimisation. The order of functions, private names, texts, line numbers
and ll_strerror, a table of texts, do not count; the calls between functions do.

A record may have several commits, if some of its programs were measured at
another one: its context then has `commits`, the commit of each such program.
"""
import collections
import concurrent.futures
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
         "arch=compute_90a,code=sm_90a", "-I.", "-Ibench", "-cubin"]
REGISTERS = "-maxrregcount=255"
CONVERT = ("convert_part.cu -DLL_BENCH_WHAT=tiles",
           "convert_part.cu -DLL_BENCH_WHAT=operands",
           "convert_cub.cu -DLL_BENCH_WHAT=cub")
TYPES = "s8 s16 s32 s64 e4m3 e5m2 f16 bf16 f32 f64".split()
FUNCTIONS = {"host": ["bench/host.cc"],
             "fuzz-engine": ["tests/fuzz/fuzz_engine.c"],
             "fuzz-text": ["tests/fuzz/fuzz_text.c"],
             "fuzz-views": ["tests/fuzz/fuzz_views.c"],
             "fuzz-notation": ["tests/fuzz/fuzz_notation.c"],
             "fuzz-types": ["tests/fuzz/fuzz_types.c"],
             "engine.txt": ["tests/test_engine.c"],
             "reshard.txt": ["tests/test_reshard.c"],
             "held-out.txt": ["tests/held_out.c"],
             "engine-optimal.txt": ["tests/data_engine_model.c "
                                    "-DLL_ENGINE -include tests/check_data.h"]}
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
            "gpu": ["bench/device/transpose.cu"],
            "convert": [f"bench/device/{what} {REGISTERS} "
                        f"-DLL_BENCH_BITS={bits}"
                        for what in CONVERT for bits in (32, 16, 8)],
            "gather": [f"bench/device/gather.cu -DLL_BENCH_GATHERS=1 "
                       f"-DLL_BENCH_WHAT={what} -DLL_BENCH_BITS={bits}"
                       for what in ("gathers_64", "gathers_32", "gathers")
                       for bits in (32, 16, 8)],
            "held-out": [f"bench/device/held_out.cu -Ibuild {REGISTERS} "
                         f"-DLL_BENCH_WHAT={what} -DLL_BENCH_BITS={bits}"
                         for what in ("tiles", "operands", "cub")
                         for bits in (32, 16, 8)],
            "mixed": [f"bench/device/mixed_pair.cu -DTYPE_A={a} -DTYPE_B={b}"
                      for a in TYPES for b in TYPES],
            "scaled": ["bench/device/matmul_scaled.cu"],
            "lowbit": [f"bench/device/{name}.cu -DOPERAND={kind}"
                       for name in ("lowbit", "matmul_hopper")
                       for kind in ("bf16", "f16", "e4m3")],
            "matmul": [f"bench/device/matmul_hopper.cu -DOPERAND={kind}"
                       for kind in ("bf16", "f16", "e4m3", "e5m2")] +
                      ["bench/device/matmul_sync.cu"],
            "profile": [f"examples/kernels/matmul/{name}" for name in (
                "matmul.cu -DTYPE_A=f16 -DTYPE_B=f16 -DCOLS_B=1",
                "matmul.cu -DTYPE_A=bf16 -DTYPE_B=bf16",
                "matmul.cu -DTYPE_A=bf16 -DTYPE_B=s8 -DCOLS_B=1",
                "matmul_hopper.cu", "matmul_hopper.cu -DOPERAND=e4m3",
                "matmul_scaled.cu", "matmul_grouped.cu", "matmul_lowbit.cu")],
            "check": [f"tests/gpu/{name}.cu --extended-lambda" for name in (
                "moves", "tiles", "gather", "mixed", "reduce", "scopes", "sort",
                "barriers", "cluster", "tensor", "turn")] +
                     [f"examples/kernels/{name}.cu" for name in (
                         "move/transpose", "matmul/matmul",
                         "matmul/matmul_hopper", "matmul/matmul_lowbit",
                         "matmul/matmul_scaled", "matmul/matmul_grouped",
                         "reshard/reshard", "reshard/reshard_ragged")],
            "modelled": [],
            "grouped": ["bench/device/matmul_grouped.cu"],
            "matmul-sass": [f"examples/kernels/{name}" for name in (
                "matmul/matmul.cu -DTYPE_A=f16 -DTYPE_B=f16 -DCOLS_B=1",
                "matmul/matmul.cu -DTYPE_A=bf16 -DTYPE_B=bf16",
                "matmul/matmul.cu -DTYPE_A=s8 -DTYPE_B=s8 -DCOLS_B=1",
                "matmul/matmul.cu -DTYPE_A=bf16 -DTYPE_B=s8 -DCOLS_B=1",
                "matmul/matmul_hopper.cu",
                "matmul/matmul_hopper.cu -DOPERAND=e4m3",
                "matmul/matmul_scaled.cu", "matmul/matmul_lowbit.cu",
                *(f"attention/attention{kind}.cu -DHEAD={head}"
                  for kind in ("", "_fp8") for head in (64, 96, 128, 256)))],
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
MODEL = """#include "MODEL"
"""
HOST = {"reshard": NUMBERS, "redistribute": NUMBERS, "modelled": MODEL}
RESHARD, MODELLED = "bench/device/reshard.cu", "bench/device/reshard_model.cu"
# Kernels that no row of a record runs: a row of reshard.cu without "order" fails
# if its pair has no kernel of its own.
NOT_RUN = {RESHARD: "reshard_any_order"}
# Google Benchmark's header may be in another folder.
HOST_FLAGS = os.environ.get("INCLUDES", "").split()
FLAGS += HOST_FLAGS


def run(*command, cwd):
    return subprocess.run([str(c) for c in command], cwd=cwd, check=True,
                          stdout=subprocess.PIPE).stdout


def then(commit, source):
    """A source with its flags, with its path at a commit."""
    said = run("git", "diff", "-M", "-l0", "--diff-filter=R", "-z",
               "--name-status", commit, "HEAD", cwd=ROOT).decode().split("\0")
    name, *flags = source.split()
    name = dict(zip(said[2::3], said[1::3])).get(name, name)
    return " ".join([found_at(commit, name), *flags])


def found_at(commit, name):
    """The path of a file at a commit: where it changed too much for git to see
    that it moved, the only file of its name in the same top folder."""
    there = run("git", "ls-tree", "-r", "--name-only", commit,
                cwd=ROOT).decode().split("\n")
    same = [path for path in there
            if path.split("/")[-1] == name.split("/")[-1] and
            path.split("/")[0] == name.split("/")[0]]
    return same[0] if name not in there and len(same) == 1 else name


def commit_of(record):
    return re.search(r'commit"?:? +"?([0-9a-f]{7,40})\b',
                     record.read_text())[1]


def others_of(name):
    """The programs of a record with other commits, and these commits."""
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
    """The code of a source's kernels at a commit, as far as they are in
    `measured`; the first call for a source fills it."""
    cubin = folder / f"{hashlib.sha256(source.encode()).hexdigest()[:12]}.cubin"
    run(NVCC, *FLAGS, *then(commit, source).split(), "-o", cubin, cwd=tree)
    found = collections.Counter(
        text for name, text in kernels(run(CUOBJDUMP, "-sass", cubin,
                                           cwd=tree).decode()).items()
        if not (source in NOT_RUN and NOT_RUN[source] in name))
    if not found:
        sys.exit(f"{source} has no kernels")
    wanted = measured.setdefault(source, found)
    return "\n".join(sorted((found & wanted).elements())).encode()


def functions(text):
    """The functions and tables of an assembly listing by name: their lines
    without labels, source lines and texts."""
    found, lines = {}, None
    for line in text.splitlines():
        name = re.match(r"([A-Za-z_]\w*):", line)
        if name:
            lines = found.setdefault(name[1], [])
        elif lines is not None and not re.match(
                r"\s*\.(cfi|loc|file|type|size|globl|local|p2align|align|"
                r"section|text|data|weak|ident|string|ascii)|\.L", line):
            lines.append(re.sub(r"\.L\w+", ".L", line).strip())
    return {name: "\n".join(lines) for name, lines in found.items()}


def shape(found):
    """Hashes of functions, independent of names: the hash of a callee replaces
    its name, and ll_strerror counts as empty. Twenty rounds are enough for nested
    calls."""
    names = re.compile(r"\b(%s)\b" % "|".join(map(re.escape, found)))
    found = {name: "" if "ll_strerror" in name else text
             for name, text in found.items()}
    codes = dict.fromkeys(found, "")
    for _ in range(20):
        codes = {name: hashlib.sha256(names.sub(
            lambda other: codes[other[1]], text).encode()).hexdigest()
                 for name, text in found.items()}
    return collections.Counter(codes.values())


def host_code(tree, commit, source, measured):
    """The hashes of a program's functions, as far as they are in `measured`."""
    name, *flags = then(commit, source).split()
    compiler = ["g++", "-std=c++17"] if name.endswith(".cc") else \
        ["gcc", "-std=c11"]
    text = run(*compiler, "-O0", "-w", "-S", "-I.", "-Ibench", *HOST_FLAGS,
               *flags, name, "-o", "-", cwd=tree).decode()
    found = shape(functions(text))
    wanted = measured.setdefault(source, found)
    return "\n".join(sorted((found & wanted).elements())).encode()


def said(tree, program, folder):
    """The output of a host program with the headers of a tree."""
    (tree / "host.cu").write_text(program)
    run(NVCC, "-std=c++17", "-O1", "-w", "-arch=sm_90a", "-I.", "host.cu", "-o",
        folder / "host", cwd=tree)
    return run(folder / "host", cwd=tree)


def prepare(kind, tree):
    """Generates the files that a program includes."""
    if kind == "held-out":
        (tree / "build").mkdir(exist_ok=True)
        run("gcc", "-std=c11", "-O1", "-w", "tests/held_out.c", "-o",
            "build/held_out", cwd=tree)
        (tree / "build/held_out_pairs.h").write_bytes(
            run("build/held_out", "1", "60", "pairs", cwd=tree))


def tree_of(commit, folder):
    tree = folder / commit
    if not tree.exists():
        tree.mkdir()
        run("sh", "-c", f"git archive {commit} | tar x -C {tree}", cwd=ROOT)
    return tree


def part_of(source, commit, others, folder, measured):
    """The code of one program; prints its hash."""
    its = others.get(source, others.get(then(commit, source), commit))
    tree = tree_of(its, folder)
    if source in sum(FUNCTIONS.values(), []):
        part = host_code(tree, its, source, measured)
    else:
        part = code(tree, its, source, folder, measured)
    print(f"{its} {source} {hashlib.sha256(part).hexdigest()[:16]}", flush=True)
    return part


def digest(commit, others, kind, folder, measured):
    """The digest of a record's programs; `others` have their own commits."""
    tree = tree_of(commit, folder)
    all_of = hashlib.sha256()
    for its in {commit, *others.values()}: # before threads start
        prepare(kind, tree_of(its, folder))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for part in pool.map(
                lambda source: part_of(source, commit, others, folder,
                                       measured),
                PROGRAMS.get(kind, []) + FUNCTIONS.get(kind, [])):
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
            "RESHARD", then(commit, RESHARD)).replace(
                "MODEL", then(commit, MODELLED)), folder)
        print(f"{commit} the host's {len(numbers.splitlines())} lines "
              f"{hashlib.sha256(numbers).hexdigest()[:16]}", flush=True)
        all_of.update(numbers)
    return all_of.hexdigest()


def kind_of(name):
    """The key of a record in PROGRAMS or FUNCTIONS, the longest that fits."""
    fits = [kind for kind in [*PROGRAMS, *FUNCTIONS]
            if name == kind or re.match(rf"{kind}[-.]", name) and
            name.endswith((".json", "-h200.txt", "-sass.txt")
                          if kind in PROGRAMS else (".json", ".txt"))]
    return max(fits, key=len, default="")


def lines_of_list():
    """The lines of bench/results/same-code.txt; none without the file."""
    return LIST.read_text().splitlines() if LIST.exists() else []


def compared(name, kind, before, now):
    """The hashes of a record's code when it was measured and now. If all code of
    now has the hash that the list has for the record, that is both."""
    listed = [line.split()[3] for line in lines_of_list()
              if line.split()[:2] == [name, before]]
    with tempfile.TemporaryDirectory() as folder:
        after = digest(now, {}, kind, pathlib.Path(folder), {})
        if listed == [after]:
            return [after, after]
        measured = {}
        return [digest(commit, others, kind, pathlib.Path(folder), measured)
                for commit, others in ((before, others_of(name)), (now, {}))]


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(sorted(path.name for path in RESULTS.iterdir()
                               if kind_of(path.name))))
        return 0
    failed = 0
    now = run("git", "rev-parse", "--short", "HEAD", cwd=ROOT).decode().strip()
    for name in sys.argv[1:]:
        kind, before = kind_of(name), commit_of(RESULTS / name)
        if not kind:
            sys.exit(f"same.py cannot compare {name} (--list)")
        codes = compared(name, kind, before, now)
        lines = [line for line in lines_of_list() if line.split()[0] != name]
        if codes[0] == codes[1]:
            lines.append(f"{name} {before} {now} {codes[0]}")
        print(f"{name}: {'the same' if codes[0] == codes[1] else 'OTHER'} code "
              f"at {before} and {now}: {' '.join(sorted(set(codes)))}")
        failed += codes[0] != codes[1]
        LIST.write_text("".join(f"{line}\n" for line in sorted(lines)))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
