#!/usr/bin/env python3
"""lessons_amd.py - what the compiler makes of the lessons in HIP.

    lessons_amd.py [all]           the targets of SOME; all: each generation
    lessons_amd.py --show          prints the count of each instruction as well
    lessons_amd.py --write FILE    all; keeps the table, after matmul_amd.py's

Each kernel is compiled for its targets. It must keep everything in registers:
no scratch, no spills. It must load and store 16 bytes at a time, and exchange
data between lanes by the target's own instructions. matmul_amd.py does the same
for matmul.hip. AMDCLANG names the compiler. hipcc (HIPCC), if it is there,
reads the whole programs.
"""
import collections
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from matmul_amd import CLANG, NOTES, OBJDUMP, READELF, ROOT, output

HIPCC = os.environ.get("HIPCC") or "hipcc"
TARGETS = ["gfx908", "gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"]
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-Wno-bitwise-instead-of-logical"]
# The same code in half the time, where the compiler can.
FASTER = "-fexperimental-new-constant-interpreter"
ROW = "{:38} {:8} {:>6} {:>6} {:>6} {:>10} {:>8} {:>8}"
SOME = ["gfx942", "gfx950", "gfx1100"] # each exchanges in another way
ALL = bool({"all", "--write"} & set(sys.argv[1:]))
LOAD = r"global_load_(dwordx4|b128)"
STORE = r"global_store_(dwordx4|b128)"
NARROW = r"global_(load|store)_(?!dwordx4|b128)\w*"
NARROW_LDS = r"ds_(read|write|load|store)_[bui](8|16|32)\w*"
BARRIER = r"s_barrier(_wait)?"
DPP = r"v_\w+_dpp"
PRODUCT = r"v_w?mf?ma_\w+"
EXCHANGE = rf"{DPP}|v_permlane\w+|ds_(swizzle|b?permute)\w*"
AGPRS = "registers of products"  # a key of kernels that may have them
# Lanes that differ in bits 4 and 5, of two words, for each generation.
FAR = {"gfx9": {"ds_swizzle_b32": 2, "ds_bpermute_b32": 2},
       "gfx950": {r"v_permlane16_swap\w*": 2, r"v_permlane32_swap\w*": 2,
                  r"ds_(swizzle|bpermute)\w*": 0},
       "gfx1": {"v_permlanex16_b32": 2, r"ds_(swizzle|bpermute)\w*": 0}}
BYTES = {"float": 4, "f16": 2, "bf16": 2}


# ---- What kernels must have ------------------------------------------------
#
# Of each kernel: its name in the table, how to instantiate it, and how often it
# has instructions, on all targets, and on those whose names begin so (the last
# of those that fit counts).

def halved(far, times=1):
    """Half the counts of FAR, for one word instead of two, times `times`."""
    return {start: {what: n * times // 2 for what, n in of.items()}
            for start, of in far.items()}


def softmax(kind, each, threads, log, whole):
    words = each * BYTES[kind] // 16
    name = f"softmax<{kind}, {each}, {threads}, {log}, {whole}>"
    return (name, f"{name}({kind} *, const {kind} *, unsigned)",
            {LOAD: words, STORE: words, NARROW: 0, BARRIER: 1,
             r"ds_(write|store)\w*": 1, DPP: range(8, 99)}, FAR)


def norm(kind, each, threads, layer, whole):
    words = each * BYTES[kind] // 16
    name = f"norm<{kind}, {each}, {threads}, {layer}, {whole}>"
    sums = 2 if layer == "true" else 1
    return (name, f"{name}({kind} *, const {kind} *, const {kind} *, "
            f"const {kind} *, unsigned)",
            {LOAD: (1 + sums) * words, STORE: words, BARRIER: sums,
             r"ds_(write|store)\w*": sums, "v_add_f32_dpp": range(5 * sums, 99),
             # the row's first element, if not by a scalar load
             NARROW: range(sums)},
            halved(FAR, sums))


def transpose(kind, bytes_):
    """gfx950's reads of LDS transpose elements of 1 and 2 bytes by themselves,
    all of them, 8 bytes of a lane at once."""
    words = (64 if bytes_ > 2 else 128) ** 2 * bytes_ // 256 // 16
    turns = {} if bytes_ > 2 else {rf"ds_read_b64_tr_b{8 * bytes_}": 2 * words,
                                   "v_perm_b32": 0}
    return (f"transpose<{kind}>", f"transpose<{kind}>({kind} *, "
            f"const {kind} *, unsigned, unsigned)",
            {LOAD: words, STORE: words, NARROW: 0, NARROW_LDS: 0, BARRIER: 1,
             EXCHANGE: 0},
            {"gfx": {r"ds_(read|load)_b128": words,
                     r"ds_(write|store)_b128": words},
             **({"gfx950": turns} if turns else {})})


def hadamard(kind, each, threads):
    """Each bit of a lane is an exchange of all numbers, those of 16 lanes by
    one DPP, or two (4 on gfx9); all others stay in registers or LDS."""
    name = f"hadamard<{kind}, {each}, {threads}>"
    far = {"ds_swizzle_b32": each, "ds_bpermute_b32": each, DPP: 5 * each}
    return (name, f"{name}({kind} *, const {kind} *, float)",
            {LOAD: each // 8, STORE: each // 8, NARROW: 0, NARROW_LDS: 0},
            {"gfx9": {**far, BARRIER: threads > 64},
             "gfx1": {"v_permlanex16_b32": each, DPP: 4 * each, BARRIER: 1}})


def cumsum(each, threads):
    """Each thread passes one number on; runs are made and undone in LDS."""
    words, trips = each // 4, 2 * (each // 4) if each > 4 else 0
    return (f"cumsum<{each}, {threads}>", f"cumsum<{each}, {threads}>"
            "(float *, const float *, unsigned)",
            {LOAD: words, STORE: words, NARROW: 0, BARRIER: 1,
             r"ds_(write|store)_b32": 1, r"ds_(write|store)_b128": trips,
             DPP: range(4, 6)}, halved(FAR))


def topk(kind, count, each, threads):
    """Pairs in lanes that far apart are compared once in each width of runs."""
    name = f"topk<{kind}, {count}, {each}, {threads}>"
    return (name, f"{name}({kind} *, unsigned *, const {kind} *, unsigned)",
            {LOAD: each * BYTES[kind] // 16, NARROW_LDS: 0, DPP: range(100, 300)},
            {start: {what: n and range(1, 9) for what, n in of.items()}
             for start, of in FAR.items()})


def attention(head, half):
    """Products are counted, and what moves: to take the maximum and the sum of
    a query from two halves of a warp, and on gfx11 weights for its copies."""
    kind = "f16" if half else "bf16"

    def unit(name, side, deep, keys, **more):
        count = (keys // side * (head // deep) + head // side * (keys // deep))
        return {rf"v_{name}{kind}(_1k)?": count, PRODUCT: count, EXCHANGE: 2,
                **more}
    gfx9, rdna = 4096 // head, 2048 // head
    return (f"attention, head {head}, {kind}", "",
            {STORE: head // 16, BARRIER: 2, NARROW_LDS: 0, AGPRS: 0},
            {"gfx9": unit("mfma_f32_32x32x8_?", 32, 8, gfx9,
                          ds_bpermute_b32=2),
             "gfx950": unit("mfma_f32_32x32x16_", 32, 16, 64,
                            ds_read_b64_tr_b16=head // 4),
             "gfx11": {**unit("wmma_f32_16x16x16_", 16, 16, rdna),
                       EXCHANGE: 2 + rdna // 4},
             "gfx12": unit("wmma_f32_16x16x16_", 16, 16, rdna)})


def attends(head, half, *targets):
    return ("attention", f"-DHEAD={head} -DHALF={half}", targets,
            [attention(head, half)])


# Of each file that is compiled: the lesson, flags, targets and its kernels.
FILES = [
    ("softmax", "", TARGETS, [softmax("float", 16, 256, "false", "true"),
                              softmax("f16", 32, 512, "false", "true"),
                              softmax("bf16", 32, 1024, "true", "false"),
                              softmax("f16", 64, 512, "false", "true")]),
    ("norm", "", TARGETS, [norm("float", 16, 256, "false", "true"),
                           norm("f16", 32, 512, "true", "true"),
                           norm("bf16", 16, 512, "true", "false")]),
    ("transpose", "", TARGETS, [transpose("unsigned", 4),
                                transpose("unsigned short", 2),
                                transpose("unsigned char", 1)]),
    ("hadamard", "", SOME, [hadamard("f16", 16, 64),
                            hadamard("f16", 32, 128),
                            hadamard("bf16", 64, 256)]),
    ("cumsum", "", SOME, [cumsum(4, 256), cumsum(16, 256)]),
    ("topk", "", SOME, [topk("bf16", 16, 8, 128),
                        topk("float", 8, 16, 256)]),
    attends(128, 0, *TARGETS[1:]),
    attends(64, 1, "gfx942", "gfx950", "gfx1100"),
]


# ---- Compiling and counting ------------------------------------------------

def path_of(lesson):
    """The source of a lesson."""
    found, = ROOT.glob(f"examples/kernels/*/{lesson}.hip")
    return found


def build(lesson, flags, target, kernels, folder):
    """The notes and the instructions of each kernel of a file."""
    source = pathlib.Path(folder) / f"{lesson}-{target}.hip"
    code = source.with_suffix(".co")
    source.write_text(f'#include "{path_of(lesson)}"\n' + "".join(
        f"template __global__ void {kernel};\n"
        for _, kernel, *_ in kernels if kernel))
    command = [CLANG, "-x", "hip", f"--offload-arch={target}", *flags.split(),
               "--offload-device-only", "--no-gpu-bundle-output", "-nogpulib",
               "-nogpuinc", "-std=c++17", "-O3", *WARNINGS, "-I", ROOT, source,
               "-o", code]
    done = subprocess.run([*map(str, command), FASTER], check=False,
                          stderr=subprocess.DEVNULL)
    if done.returncode:
        output(*command)
    notes = parted(output(READELF, "--notes", code))
    codes = re.findall(r"^\w+ <(\w+)>:\n(.*?)(?=^\w+ <|\Z)",
                       output(OBJDUMP, "-d", f"--mcpu={target}", code),
                       re.S | re.M)
    return [(notes[name], text) for name, text in codes if name in notes]


def parted(notes):
    """The notes of each kernel, by its name."""
    found = {}
    for part in notes.split(".wavefront_size:")[:-1]:
        name = re.search(r"^    \.name: +(\w+)", part, re.M)[1]
        found[name] = {n: int(m[1]) if (m := re.search(rf"\.{n}: +(\d+)", part))
                       else 0 for n in NOTES}
    return found


def counted(code):
    """How often each instruction is in a kernel."""
    return collections.Counter(re.findall(r"^\s+([a-z]\w+) ?.*//", code, re.M))


def faults(what, target, notes, code, wants):
    """What a kernel has that it should not have, and how much was compared."""
    always, by_target = wants
    own = [of for start, of in by_target.items() if target.startswith(start)]
    all_wants = {**always, **(own[-1] if own else {})}
    spills = NOTES[4:] + ["agpr_count"] * (all_wants.pop(AGPRS, 1))
    there = counted(code)
    found = [f"{what}, {target}: {notes[n]} {n}" for n in spills if notes[n]]
    for pattern, many in all_wants.items():
        have = sum(n for name, n in there.items()
                   if re.fullmatch(pattern, name))
        if have not in (many if isinstance(many, range) else [many]):
            found.append(f"{what}, {target}: {have} of {pattern}, not {many}")
    return found, len(spills) + len(all_wants)


def judged(lesson, flags, target, kernels):
    """The rows of a file's table, its faults, and how much was compared."""
    rows, wrong, checked = [], [], 0
    with tempfile.TemporaryDirectory() as folder:
        built = build(lesson, flags, target, kernels, folder)
    if len(built) != len(kernels):
        return rows, [f"{lesson}, {target}: {len(built)} kernels"], 1
    for (name, _, *wants), (notes, code) in zip(kernels, built):
        bad, count = faults(name, target, notes, code, wants)
        wrong, checked = wrong + bad, checked + count
        spilled = notes["vgpr_spill_count"] + notes["sgpr_spill_count"]
        rows.append(ROW.format(name, target, *(notes[n] for n in NOTES[:5]),
                               spilled))
        if "--show" in sys.argv:
            rows += [f"    {k} {n}" for k, n in sorted(counted(code).items())]
    return rows, wrong, checked


def whole(lesson):
    """What hipcc says of a whole program, with ROCm's headers, and 1."""
    done = subprocess.run([HIPCC, "-fsyntax-only", "-std=c++17", *WARNINGS,
                           "-Wno-unused-command-line-argument",
                           "--offload-arch=gfx90a", "-I", str(ROOT),
                           str(path_of(lesson))], text=True,
                          check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    return [], [f"{lesson}: {done.stdout}"] * (done.returncode != 0), 1


def write(path, table):
    version = output(CLANG, "--version").splitlines()[0]
    commit = output("sh", ROOT / "bench/commit.sh").strip()
    *products, _ = output(sys.executable,
                          ROOT / "tests/matmul_amd.py").splitlines()
    pathlib.Path(path).write_text(
        "The lessons in HIP in the code objects of each target: registers of a "
        "lane (VGPRs\ncount AGPRs too on gfx90a and later), bytes of a block. "
        "First matmul.hip,\nwith the products of a step.\n"
        f"{version}, -O3; made by\npython3 tests/lessons_amd.py --write "
        f"{path}\ncommit {commit}\n\n"
        + "\n".join([*products, "", table]) + "\n")


def main():
    if not shutil.which(CLANG):
        print(f"skipped: there is no {CLANG}\n0 passed, 0 failed, 1 skipped")
        return 0
    wrong, checked = [], 0
    table = [ROW.format("kernel", "target", "VGPRs", "AGPRs", "SGPRs",
                        "LDS bytes", "scratch", "spilled")]
    todo = [(lesson, flags, target, kernels)
            for lesson, flags, targets, kernels in FILES for target in targets
            if ALL or target in SOME]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        all_done = [pool.submit(judged, *one) for one in todo]
        if shutil.which(HIPCC):
            all_done += [pool.submit(whole, lesson)
                         for lesson in dict.fromkeys(one[0] for one in FILES)]
        for rows, bad, count in (done.result() for done in all_done):
            wrong, checked = wrong + bad, checked + count
            table += rows
    print("\n".join(table))
    if sys.argv[1:2] == ["--write"] and not wrong:
        write(sys.argv[2], "\n".join(table))
    for fault in wrong:
        print("FAIL", fault)
    print(f"{checked - len(wrong)} passed, {len(wrong)} failed")
    return len(wrong) != 0


if __name__ == "__main__":
    sys.exit(main())
