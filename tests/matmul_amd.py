#!/usr/bin/env python3
"""matmul_amd.py - what the compiler makes of matmul.hip for six targets.

The kernel must multiply by the target's instruction, load and store 16 bytes a
lane in global memory and read 16 bytes from LDS, twice 8, or 8 that the read
transposes (gfx950), and keep all it has in registers: no scratch, no spills.
--write FILE keeps the table of registers and LDS that is printed.
AMDCLANG names the compiler.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CLANG = os.environ.get("AMDCLANG") or "clang-22"
READELF = CLANG.replace("clang", "llvm-readelf")
OBJDUMP = CLANG.replace("clang", "llvm-objdump")
# The instruction, and how many of them a step takes.
TARGETS = {
    "gfx908": ("v_mfma_f32_32x32x8f16", 32),
    "gfx90a": ("v_mfma_f32_32x32x8f16", 32),
    "gfx942": ("v_mfma_f32_32x32x8_f16", 32),
    "gfx950": ("v_mfma_f32_32x32x16_f16", 16),
    "gfx1100": ("v_wmma_f32_16x16x16_f16", 16),
    "gfx1201": ("v_wmma_f32_16x16x16_f16", 16),
}
NOTES = ["vgpr_count", "agpr_count", "sgpr_count", "group_segment_fixed_size",
         "private_segment_fixed_size", "vgpr_spill_count", "sgpr_spill_count"]
ROW = "{:8} {:>6} {:>6} {:>6} {:>10} {:>8} {:>8} {:>9}"


def output(*command):
    return subprocess.run([str(c) for c in command], text=True, check=True,
                          stdout=subprocess.PIPE).stdout


def build(target, folder):
    """The notes and the instructions of the kernel's code object."""
    code = pathlib.Path(folder) / f"{target}.co"
    output(CLANG, "-x", "hip", f"--offload-arch={target}",
           "--offload-device-only", "--no-gpu-bundle-output", "-nogpulib",
           "-nogpuinc", "-std=c++17", "-O3", "-Wall", "-Wextra", "-Werror",
           "-I", ROOT, ROOT / "examples/kernels/matmul/matmul.hip", "-o", code)
    said = output(READELF, "--notes", code)
    notes = {n: int(m[1]) if (m := re.search(rf"\.{n}: +(\d+)", said)) else 0
             for n in NOTES}
    return notes, output(OBJDUMP, "-d", f"--mcpu={target}", code)


def faults(target, notes, code):
    """What is not as it should be."""
    name, count = TARGETS[target]
    checks = {
        "spills": not any(notes[n] for n in NOTES[4:]),
        f"{count} of {name}": len(re.findall(rf"\b{name} ", code)) == count,
        "no other product": len(re.findall(r"\bv_w?mf?ma_", code)) == count,
        "global loads of 16 bytes": not re.search(
            r"\bglobal_load_(?!dwordx4|b128)", code),
        "reads of LDS of 16 bytes, twice 8, or transposing": not re.search(
            r"\bds_(read|load)(?!_b128|2\w*_b64|_2addr\w*_b64|_b64_tr_b16)",
            code),
        "LDS by vectors": not re.search(r"\bds_(write|store)_b(8|16|32)\b",
                                        code),
        "no exchange of lanes": not re.search(r"_dpp|permute_b32|permlane",
                                              code),
    }
    return [f"{target}: {what}" for what, ok in checks.items() if not ok], \
        len(checks)


def main():
    if not shutil.which(CLANG):
        print(f"skipped: there is no {CLANG}\n0 passed, 0 failed, 1 skipped")
        return 0
    rows = [ROW.format("target", "VGPRs", "AGPRs", "SGPRs", "LDS bytes",
                       "scratch", "spilled", "products")]
    wrong, checked = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for target in TARGETS:
            notes, code = build(target, folder)
            bad, count = faults(target, notes, code)
            wrong, checked = wrong + bad, checked + count
            spilled = notes["vgpr_spill_count"] + notes["sgpr_spill_count"]
            rows.append(ROW.format(target, *(notes[n] for n in NOTES[:5]),
                                   spilled, len(re.findall(r"\bv_w?mf?ma_",
                                                           code))))
    table = "\n".join(rows)
    print(table)
    if "--write" in sys.argv:
        version = output(CLANG, "--version").splitlines()[0]
        commit = output("sh", ROOT / "bench/commit.sh").strip()
        pathlib.Path(sys.argv[-1]).write_text(
            "matmul.hip in the code objects of each target: registers "
            "of a lane (VGPRs\ncount AGPRs too on gfx90a and later), bytes of "
            f"a block, products of a step.\n{version}, -O3; made by\n"
            f"python3 tests/matmul_amd.py --write {sys.argv[-1]}\n"
            f"commit {commit}\n\n{table}\n")
    for fault in wrong:
        print("FAIL", fault)
    print(f"{checked - len(wrong)} passed, {len(wrong)} failed")
    return len(wrong) != 0


if __name__ == "__main__":
    sys.exit(main())
