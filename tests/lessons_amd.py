#!/usr/bin/env python3
"""lessons_amd.py - what the compiler makes of the lessons in HIP, examples/*.hip.

Each kernel is compiled for targets of each generation. It must keep what it has
in registers: no scratch, no spills. It must load and store as many times as the
bytes of a lane need by 16 each, and exchange by the target's own instructions.
matmul_amd.py does the same for examples/matmul.hip. --show prints the counts of
each instruction. AMDCLANG names the compiler.
"""
import collections
import concurrent.futures
import pathlib
import re
import shutil
import sys
import tempfile

from matmul_amd import CLANG, NOTES, OBJDUMP, READELF, ROOT, output

TARGETS = ["gfx908", "gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"]
LOAD = r"global_load_(dwordx4|b128)"
STORE = r"global_store_(dwordx4|b128)"
NARROW = r"global_(load|store)_(?!dwordx4|b128)\w*"
BARRIER = r"s_barrier(_wait)?"
DPP = r"v_\w+_dpp"
# Lanes that differ in bits 4 and 5, of two words: what each generation has.
FAR = {"gfx90": {"ds_swizzle_b32": 2, "ds_bpermute_b32": 2},
       "gfx942": {"ds_swizzle_b32": 2, "ds_bpermute_b32": 2},
       "gfx950": {r"v_permlane16_swap\w*": 2, r"v_permlane32_swap\w*": 2,
                  r"ds_(swizzle|bpermute)\w*": 0},
       "gfx1": {"v_permlanex16_b32": 2, r"ds_(swizzle|bpermute)\w*": 0}}


def softmax(kind, each, threads, log, whole):
    """A kernel of softmax.hip, and how often it has which instruction."""
    words = each * {"float": 4, "f16": 2, "bf16": 2}[kind] // 16
    return (f"softmax<{kind}, {each}, {threads}, {log}, {whole}>"
            f"({kind} *, const {kind} *, unsigned)",
            {LOAD: words, STORE: words, NARROW: 0, BARRIER: 1,
             r"ds_(write|store)\w*": 1, DPP: range(8, 99)}, FAR)


# The kernels of a lesson, and what they must have: patterns of instructions and
# how many, on all targets and on those whose names begin so.
LESSONS = {
    "softmax": [softmax("float", 16, 256, "false", "true"),
                softmax("f16", 32, 512, "false", "true"),
                softmax("bf16", 32, 1024, "true", "false"),
                softmax("f16", 64, 512, "false", "true")],
}


def build(lesson, target, folder):
    """The notes and the instructions of each kernel of a lesson, by its name."""
    source = pathlib.Path(folder) / f"{lesson}-{target}.hip"
    code = source.with_suffix(".co")
    source.write_text(f'#include "examples/{lesson}.hip"\n' + "".join(
        f"template __global__ void {kernel};\n"
        for kernel, *_ in LESSONS[lesson]))
    output(CLANG, "-x", "hip", f"--offload-arch={target}",
           "--offload-device-only", "--no-gpu-bundle-output", "-nogpulib",
           "-nogpuinc", "-std=c++17", "-O3", "-Wall", "-Wextra", "-Werror",
           "-I", ROOT, source, "-o", code)
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
    there = counted(code)
    spills = NOTES[4:] + ["agpr_count"] * ("MATRIX" not in always)
    found = [f"{what}, {target}: {notes[n]} {n}" for n in spills if notes[n]]
    all_wants = [*always.items(), *(own[0].items() if own else ())]
    for pattern, many in all_wants:
        have = sum(n for name, n in there.items()
                   if re.fullmatch(pattern, name))
        if have not in (many if isinstance(many, range) else [many]):
            found.append(f"{what}, {target}: {have} of {pattern}, not {many}")
    return found, len(spills) + len(all_wants)


def judged(lesson, target):
    """The rows of a lesson's table, its faults, and how much was compared."""
    rows, wrong, checked = [], [], 0
    with tempfile.TemporaryDirectory() as folder:
        kernels = build(lesson, target, folder)
    if len(kernels) != len(LESSONS[lesson]):
        return rows, [f"{lesson}, {target}: {len(kernels)} kernels"], 1
    for (kernel, *wants), (notes, code) in zip(LESSONS[lesson], kernels):
        name = kernel.split("(")[0]
        bad, count = faults(name, target, notes, code, wants)
        wrong, checked = wrong + bad, checked + count
        rows.append((name, target, notes, code))
    return rows, wrong, checked


def main():
    if not shutil.which(CLANG):
        print(f"skipped: there is no {CLANG}\n0 passed, 0 failed, 1 skipped")
        return 0
    wrong, checked = [], 0
    form = "{:38} {:8} {:>6} {:>6} {:>6} {:>10} {:>8} {:>8}"
    print(form.format("kernel", "target", "VGPRs", "AGPRs", "SGPRs",
                      "LDS bytes", "scratch", "spilled"))
    todo = [(lesson, target) for lesson in LESSONS for target in TARGETS]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for rows, bad, count in pool.map(lambda pair: judged(*pair), todo):
            wrong, checked = wrong + bad, checked + count
            for name, target, notes, code in rows:
                spilled = notes["vgpr_spill_count"] + notes["sgpr_spill_count"]
                print(form.format(name, target, *(notes[n] for n in NOTES[:5]),
                                  spilled))
                if "--show" in sys.argv:
                    print("   ", *(f"{k} {n}," for k, n in
                                   sorted(counted(code).items())))
    for fault in wrong:
        print("FAIL", fault)
    print(f"{checked - len(wrong)} passed, {len(wrong)} failed")
    return len(wrong) != 0


if __name__ == "__main__":
    sys.exit(main())
