#!/usr/bin/env python3
"""readme.py - does README.md do what it says?

Its ```cuda blocks are compiled for the emulator and run; so is the first of them
with the lines of the ```hip block, which AMD's compilers must take as well, with
the headers of ROCm where they are. The numbers behind the calls of its ```c blocks, the plan in words and the pictures are compared with
what the library prints; so are the tables of families and of reductions, in the
pages that tests/families.py and tests/reductions.py name. CC names the C compiler, AMDCLANG the one for
AMD's GPUs, HIPCC hipcc.
"""
import families
import os
import pathlib
import re
import reductions
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TEXT = (ROOT / "README.md").read_text()
CC = os.environ.get("CC", "gcc")
CLANG = os.environ.get("AMDCLANG") or "clang-22"
HIPCC = os.environ.get("HIPCC") or "hipcc"
ROCM = pathlib.Path("/usr/include/hip/hip_runtime.h")
HIP = ["-x", "hip", "-std=c++17", "-O3", "-Wall", "-Wextra", "-Werror", "-I."]

# What the kernel needs of ROCm's headers, where there are none.
NO_ROCM = """#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __align__(n) __attribute__((aligned(n)))
typedef __SIZE_TYPE__ size_t;
struct places { unsigned x, y; };
#define blockIdx (places{__builtin_amdgcn_workgroup_id_x(), \
                         __builtin_amdgcn_workgroup_id_y()})
"""

PROGRAM = r"""
#include "ll.h"
#include "ll_ptx.h"
#include <stdio.h>
static char text[1 << 14];
static void draw(ll_layout a, ll_layout m) {
    ll_draw(a, m, 32, 16, LL_READ, LL_SM90, text, sizeof text);
    printf("%s--\n", text);
}
int main(void) {
    const ll_layout in = ll_rows(64, 64, 4);
    ll_explain(ll_plan_of(in, ll_trans(in, "j i"), 32, LL_SM90), text,
               sizeof text);
    printf("%s--\n", text);
    const ll_layout cols = ll_parse(
        "register: j0 j1 j2 | lane: i0 i1 i2 i3 i4 | warp: j3 j4");
    draw(cols, ll_row_major(cols.out));
    draw(cols, ll_swizzle(ll_rows(32, 32, 4), cols, 32, LL_SM90));
    BLOCKS
    return 0;
}
"""


def blocks(kind):
    return re.findall("```" + kind + r"\n(.*?)```", TEXT, re.S)


def run(*command):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, cwd=ROOT)
    return done.returncode, done.stdout


def emulated(folder, program, *flags):
    """A program, on the emulator."""
    source = folder / "readme.cu"
    source.write_text(program)
    code, out = run("sh", "tests/emu/emucc", *flags, "-I.", str(source), "-o",
                    str(folder / "readme"))
    if code == 0:
        code, out = run(str(folder / "readme"))
    return code == 0 and out == "0 wrong\n", out


def for_amd(folder):
    """The first program with the lines for AMD: on the emulator, by a clang
    without ROCm, with its headers, and by hipcc. How many could not be."""
    kernel, main = blocks("cuda")[0].split("int main")
    lines, body = blocks("hip")[0], kernel[kernel.index("__global__"):]
    rocm = '#include <hip/hip_runtime.h>\n#include <stdio.h>\n'
    whole = rocm + lines + body + "int main" + main.replace("cuda", "hip")
    source, bare = folder / "whole.hip", folder / "bare.hip"
    source.write_text(whole)
    bare.write_text(NO_ROCM + lines + body)
    checks = [("AMD", *emulated(folder, whole, "-W64", "-DEMU_GFX=0x942"))]

    def check(what, *command):
        code, out = run(*command)
        text = out if code else (folder / "out").read_text(errors="replace")
        checks.append((f"AMD, {what}", not code and
                       ("ds_write_b128" in text or "hipcc" in what), out))

    device = [CLANG, *HIP, "--offload-arch=gfx942", "--cuda-device-only", "-S",
              "-nogpulib", "-o", folder / "out"]
    if shutil.which(CLANG):
        check("no headers", *device, "-nogpuinc", bare)
        if ROCM.exists():
            check("ROCm's headers", *device, "-D__AMDGCN_WAVEFRONT_SIZE=64",
                  "--rocm-path=/usr", "-Wno-error", source)
    if shutil.which(HIPCC):
        check("hipcc", HIPCC, *HIP, "-Wno-error", "--offload-arch=gfx90a",
              source, "-o", folder / "out")
    return checks, 4 - len(checks)


def printed(folder):
    """What the library prints: the plan, two pictures, the numbers n and m of
    each block."""
    source = folder / "readme.c"
    text = "".join("{ %s\nprintf(\"%%u %%u\\n\", n, m); }\n" % block
                   for block in blocks("c"))
    source.write_text(PROGRAM.replace("BLOCKS", text))
    code, out = run(CC, "-std=c11", "-I.", str(source), "-o",
                    str(folder / "host"))
    if code == 0:
        code, out = run(str(folder / "host"))
    return out.split("--\n") if code == 0 else [out] * 4


def pictures(left, right):
    """Two pictures side by side, without the blanks in them."""
    pairs = zip(left.splitlines(), right.splitlines())
    return "\n".join("  " + a.replace(" ", "") + "      " + b.replace(" ", "")
                     for a, b in pairs)


def stale():
    """Is the table of families that of the headers and of the cases?"""
    passed = families.counts()
    if passed is None:
        return []
    part = families.PAGE.read_text().partition(families.BEGIN)[2]
    part = part.partition(families.END)[0]
    return [("the families (make families)", part == families.table(passed),
             "stale")]


def reduced():
    """Is the table of reductions what they cost?"""
    part = reductions.PAGE.read_text().partition(reductions.BEGIN)[2]
    part = part.partition(reductions.END)[0]
    return ("the reductions (make reductions)", part == reductions.table(),
            "stale")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        checks = [(f"program {n}", *emulated(folder, program))
                  for n, program in enumerate(blocks("cuda"), 1)]
        amd, skipped = for_amd(folder)
        plan, plain, swizzled, numbers = printed(folder)
    checks += amd
    said = re.findall(r"/\* (\d+) *\*/", "".join(blocks("c")))
    checks += [
        ("the plan in words", plan in TEXT, plan),
        ("the pictures", pictures(plain, swizzled) in TEXT,
         pictures(plain, swizzled)),
        ("the numbers", numbers.split() == said, numbers),
        reduced()]
    table = stale()
    checks += table
    failed = [check for check in checks if not check[1]]
    for what, _, detail in failed:
        print(f"FAIL {what}: {detail}")
    if skipped:
        print("skipped: the example for AMD without clang-22 or hipcc")
    skipped += not table
    print(f"{len(checks) - len(failed)} passed, {len(failed)} failed" +
          (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
