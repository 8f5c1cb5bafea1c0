#!/usr/bin/env python3
"""readme.py - are README.md and CONTRIBUTING.md true?

The ```cuda block of the README is compiled for the emulator and run, first as
it is and then with the lines of the ```hip block. AMD's compilers must accept
the second version, with ROCm's headers if they are installed. On a machine with
nvcc and no driver, the nvcc build must report the missing driver and exit with
1. readme.py compares
- the plan in words and the pictures with what the library prints,
- the list of lessons with the files in examples/,
- links, `make` targets and names of the library with those that exist,
- the tables of families and reductions, on whichever page, with their programs.

The README may have 300 lines, CONTRIBUTING 100. At the end, faults are planted
in copies of both, and each must be found. Environment: CC is the C compiler,
AMDCLANG the compiler for AMD's GPUs, HIPCC hipcc.
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
LINES = 300
GUIDE = ".github/CONTRIBUTING.md"
CC = os.environ.get("CC", "gcc")
NVCC = os.environ.get("NVCC") or "nvcc"
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
    return 0;
}
"""


def blocks(kind):
    return re.findall("```" + kind + r"\n(.*?)```", TEXT, re.S)


# ---- Programs ----------------------------------------------------------------

def run(*command):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, cwd=ROOT)
    return done.returncode, done.stdout


def emulated(folder, program, *flags):
    """A program, on the emulator."""
    source = folder / "readme.cu"
    source.write_text(program)
    code, out = run("sh", "tools/emulator/emucc", *flags, "-I.", str(source),
                    "-o", str(folder / "readme"))
    if code == 0:
        code, out = run(str(folder / "readme"))
    return is_right(code, out), out


def is_right(code, out):
    return code == 0 and out == "0 wrong\n"


def without_driver(folder, program):
    """A program of nvcc, where no driver is: it says so, and does not crash.
    Nothing where there is no nvcc, or where a GPU is."""
    if not shutil.which(NVCC) or pathlib.Path("/dev/nvidiactl").exists():
        return []
    source = folder / "driver.cu"
    source.write_text(program)
    code, out = run(NVCC, "-std=c++17", "-arch=sm_90", "-I.", str(source), "-o",
                    str(folder / "driver"))
    if code == 0:
        code, out = run(str(folder / "driver"))
    return [("without a driver", says_why(code, out), f"{code}: {out}")]


def says_why(code, out):
    return code == 1 and "driver" in out


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
    """What the library prints: the plan, and two pictures."""
    source = folder / "readme.c"
    source.write_text(PROGRAM)
    code, out = run(CC, "-std=c11", "-I.", str(source), "-o",
                    str(folder / "host"))
    if code == 0:
        code, out = run(str(folder / "host"))
    return out.split("--\n")[:3] if code == 0 else [out] * 3


def pictures(left, right):
    """Two pictures side by side, without the blanks in them."""
    pairs = zip(left.splitlines(), right.splitlines())
    return "\n".join("  " + a.replace(" ", "") + "      " + b.replace(" ", "")
                     for a, b in pairs)


def shown(text, plan, plain, swizzled):
    """Faults of the plan and the pictures in a README."""
    if "```\n" + plan + "```" not in text:
        yield f"the plan in words is not\n{plan}"
    if pictures(plain, swizzled) + "\n```" not in text:
        yield f"the pictures are not\n{pictures(plain, swizzled)}"


def resharded(text):
    """Faults of the picture of a reshard, which the lesson prints by heads."""
    lesson = (ROOT / "examples/lessons/11_ulysses.c").read_text()
    heads = dict(re.findall(r"head (\d)  ([A-D]{8}    [=A-D]{8})", lesson))
    rows = re.findall(r"heads (\d), (\d)   ([A-D]{8}) +"
                      r"heads \1, \2   ([=A-D]{8})", text)
    shown = {head: f"{before}    {after}" for *both, before, after in rows
             for head in both}
    if shown != heads or not heads:
        yield "the picture of a reshard is not the lesson's"


# ---- Tables ------------------------------------------------------------------

def pages():
    """The pages that generated tables may stand on."""
    return [path for path in (ROOT / "README.md", ROOT / "tests/data/README.md",
                              ROOT / "bench/results/reductions.md")
            if path.exists()]


def tables():
    """(what, is it so) of each generated table; None if it cannot be made."""
    makers = [("families", families.BEGIN, families.END, family_table),
              ("reductions", reductions.BEGIN, reductions.END,
               reductions.table)]
    for what, begin, end, make in makers:
        texts = [text for text in map(pathlib.Path.read_text, pages())
                 if begin in text]
        expected = make()
        yield what, None if not expected else len(texts) == 1 and is_table(
            texts[0], begin, end, expected)


def is_table(text, begin, end, expected):
    return text.partition(begin)[2].partition(end)[0] == expected


def family_table():
    passed = families.counts()
    return passed and families.table(passed)


# ---- What the text names -----------------------------------------------------

def lessons(text):
    there = {p.name for p in (ROOT / "examples/lessons").glob("*.c*")}
    listed = set(re.findall(r"^\| \[(\w+\.cu?)\]", text, re.M))
    for name in sorted(there ^ listed):
        yield f"examples/lessons/{name} is " + ("not listed" if name in there else
                                        "listed, and not there")


def prose(text):
    """A page without its programs."""
    return re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)


def wide(text):
    """Lines of prose of more than 80 columns: not of tables or programs."""
    return [f"more than 80 columns: {line}" for line in prose(text).splitlines()
            if len(line) > 80 and not line.startswith("|") and
            not re.match(r" {4}", line)]


def named(page, text):
    """Links, paths, targets of make and names that are not there."""
    folder = (ROOT / page).parent
    for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", prose(text)):
        if "://" not in link and not (folder / link).exists():
            yield f"a link to nothing: {link}"
    for path in re.findall(r"`((?:tests|bench|examples|tools)/[\w/.-]+)`", text):
        if not (ROOT / path).exists() and "NN_" not in path:
            yield f"there is no {path}"
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"(?:`| {4})make ([a-z][a-z-]*)", text):
        if not re.search(rf"^{target}:", makefile, re.M) and \
                not target.startswith("part-"):
            yield f"there is no `make {target}`"
    there = set(re.findall(r"\w+", "".join(
        (ROOT / header).read_text() for header in families.HEADERS)))
    for name in sorted(set(re.findall(r"\b(?:ll|LL)_\w*[A-Za-z0-9]\b", text))):
        if name not in there | {"ll_ptx", "ll_amd"}:
            yield f"no header has {name}"


def faults(page, text, lines):
    """All that is wrong with a page, without running anything."""
    if text.count("\n") > lines:
        yield f"{text.count(chr(10))} lines, at most {lines} are allowed"
    yield from wide(text)
    yield from named(page, text)
    if page == "README.md":
        yield from lessons(text)
        yield from resharded(text)
        if not re.search(r"<!-- bench:summary -->\n.*<!-- /bench -->", text,
                         re.S):
            yield "no <!-- bench:summary --> and <!-- /bench -->"


# ---- Planted faults ----------------------------------------------------------

PLANTED = [  # what, in a copy of the README, and by what it is replaced
    ("BB==BBBB", "BBB==BBB"),
    ("| [03_reduce.cu]", "| [03_reduced.cu]"),
    ("](examples/kernels/matmul/matmul.hip)", "](examples/gemm.cu)"),
    ("`make check-amd`", "`make check-arm`"),
    ("`ll_draw`", "`ll_drew`"),
    ("<!-- /bench -->", ""),
    ("## Limits\n", "## Limits\n" + "\n" * 300),
    ("- Sizes are", "- " + "Sizes " * 14 + "are"),
]
SHOWN = [("68 cycles", "69 cycles"), ("  1111....", "  11.1...."),
         ("....1111....", "...1111.....")]


def unseen(pictured):
    """Planted faults that nothing finds."""
    known = set(faults("README.md", TEXT, LINES))
    for old, new in PLANTED:
        if old not in TEXT or not \
                set(faults("README.md", TEXT.replace(old, new, 1), LINES)) - known:
            yield f"{old} -> {new[:40]}"
    known = set(shown(TEXT, *pictured))
    for old, new in SHOWN:
        if old not in TEXT or len(known) or not \
                list(shown(TEXT.replace(old, new, 1), *pictured)):
            yield f"{old} -> {new}"
    if not set(faults(GUIDE, (ROOT / GUIDE).read_text() +
                      "`make chek` [x](y)", 100)):
        yield f"a target and a link in {GUIDE}"
    if is_right(0, "1 wrong\n") or is_right(1, "0 wrong\n") or \
            says_why(-11, "") or says_why(0, "0 wrong\n"):
        yield "a program that is wrong"
    if is_table("<a>\nx\n</a>\n", "<a>\n", "</a>\n", "y\n"):
        yield "a table that is stale"


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        checks = [(f"program {n}", *emulated(folder, program))
                  for n, program in enumerate(blocks("cuda"), 1)]
        checks += [check for program in blocks("cuda")
                   for check in without_driver(folder, program)]
        amd, skipped = for_amd(folder)
        pictured = printed(folder)
    checks += amd
    found = list(shown(TEXT, *pictured))
    for page, lines in (("README.md", LINES), (GUIDE, 100)):
        found += [f"{page}: {fault}" for fault in
                  faults(page, (ROOT / page).read_text(), lines)]
    found += [f"self-test, not seen: {what}" for what in unseen(pictured)]
    for what, right in tables():
        skipped += right is None
        if right is not None:
            checks.append((f"the {what} (make {what})", right, "stale, or not "
                           "on one page"))
    failed = [f"{what}: {detail}" for what, right, detail in checks
              if not right] + found
    for fault in failed:
        print(f"FAIL {fault}")
    if skipped:
        print("skipped: clang-22, hipcc, or libjansson for the families is not "
              "here")
    passed = sum(bool(right) for _, right, _ in checks)
    print(f"{passed + (not found)} passed, {len(failed)} failed" +
          (f", {skipped} skipped" if skipped else ""))
    return len(failed) != 0


if __name__ == "__main__":
    sys.exit(main())
