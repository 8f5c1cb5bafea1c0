#!/usr/bin/env python3
"""codegen.py - what the CUDA compiler makes of the headers, in text.

    codegen.py [all]     all: in C++20 and for sm_80, sm_100 and sm_120 as well

Each file of tests/codegen is compiled to PTX as C++17. The comments
in it are the patterns of LLVM's FileCheck; a line

    // ARITHMETIC kernel: N in PTX, N in sm_90

tells how many arithmetic instructions a kernel may have; machine code is read
where nvdisasm is there. A kernel NAME beside one called NAME_by_hand has at
most 1.05 times its instructions, and no more registers, which GPUs allot in
eights; in PTX one more, as ptxas has yet to work. A line `// TARGETS 100f` names
the only ones that have the instructions. No kernel has local memory, a table or
a call, and only those of a file with a line `// LOOPS` have branches;

    // LOOP kernel: N instructions in PTX

tells how many the longest loop may have. Assembled for each architecture,
nothing has a stack or is spilled: in one program of all files first, since half
of the time goes into the headers, and in each alone if something is. Builds for
a debugger (-G), without optimisation and with LL_DEBUG assemble, those of
DEBUGGED and README's first kernel; LL_DEBUG alone makes the threads of a scope
checked. NVCC names the compiler.
"""
import concurrent.futures
import glob
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
NVCC = os.environ.get("NVCC", "nvcc")
ALL = sys.argv[1:] == ["all"]
STANDARDS = ["17", "20"] if ALL else ["17"]
ARCHS = ["75", "80", "90", "100", "120"] if ALL else ["75", "90"]
# Builds in which nothing is optimised away: the flags and the architectures.
DEBUG = {"-G": (["-G"], ["80", "90"]),
         "-O0": (["-O0", "-Xcicc", "-O0", "-Xptxas", "-O0"], ["80"]),
         "LL_DEBUG": (["-DLL_DEBUG=1"], ["90"])}
DEBUGGED = ["transpose", "gather", "reduce", "cluster", "bytes", "wide",
            "scopes"]
FORBIDDEN = {r"\.local\b": "local memory", r"\bld\.const": "loads from a table",
             r"^\s*\.(const\b|global\b.*=)": "a table", r"\bbra(\.|\s)": "a branch",
             r"\bcall(\.|\s)": "a call", r"\btrap;": "a trap"}
PTX_ARITHMETIC = (r"^\s+(?:add|sub|mul|mad|and|or|xor|not|shl|shr|shf|lop3|"
                  r"bfe|bfi|prmt|selp|min|max)\.")
LOOP = r"^(\$L\w+):(.*?)bra(?:\.uni)?\s+\1;"
INSTRUCTION = r"^\s+(?:@!?%p\d+ )?[a-z][\w.]*\s.*;$"
IMMEDIATE = r"^\s+add\.s64\s+%\w+, %\w+, -?\d+;$"  # ptxas: part of an access
BY_HAND, MOST_BY_HAND = "_by_hand", 1.05
# Constants are moved by a product with zero as well.
CONSTANT = r"HFMA2(\.MMA)?(?= R\d+, -RZ, RZ, )"
MOVES = r"MOV|S2U?R|U?LDCU?|LDG|STG|ST|EXIT|BRA|NOP|CS2R|R2UR|IMAD\.MOV"


def tool(*names):
    """The first of these programs that is there, beside nvcc or in PATH."""
    places = [os.path.dirname(shutil.which(NVCC) or ""), ROOT / "build/cuda/bin",
              "/usr/local/cuda/bin"]
    for name in names:
        near = [p for place in places if place
                for p in glob.glob(os.path.join(place, name))]
        versions = sorted(glob.glob(f"/usr/bin/{name}-[0-9]*"))
        found = shutil.which(name) or (near + versions + [None])[0]
        if found:
            return str(found)
    return None


def run(*command):
    done = subprocess.run([str(c) for c in command], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def bodies(ptx):
    """The text of each kernel."""
    return dict(re.findall(r"\.entry (\w+)\(.*?^\{(.*?)^\}", ptx, re.S | re.M))


def arithmetic(ptx):
    """Each kernel's name, and how many instructions of arithmetic it has."""
    return {name: len(re.findall(PTX_ARITHMETIC, body, re.M))
            for name, body in bodies(ptx).items()}


def too_many(counts, path, where):
    """The kernels of a file with more arithmetic than its comments allow."""
    limits = re.findall(rf"^// ARITHMETIC (\w+):.*?(\d+) in {where}",
                        path.read_text(), re.M)
    return [f"{name}: {counts.get(name, '?')} arithmetic instructions in "
            f"{where}, at most {most}" for name, most in limits
            if counts.get(name, 1 << 30) > int(most)]


def too_long(ptx, path):
    """The kernels whose longest loop has more instructions than the comments
    of the file allow, or that have none."""
    limits = re.findall(r"^// LOOP (\w+): (\d+) instructions", path.read_text(),
                        re.M)
    longest = {name: max([len(re.findall(INSTRUCTION, loop, re.M))
                          for _, loop in re.findall(LOOP, body, re.S | re.M)],
                         default=1 << 30)
               for name, body in bodies(ptx).items()}
    return [f"{name}: a loop of {longest.get(name, '?')} instructions, at most "
            f"{most}" for name, most in limits
            if longest.get(name, 1 << 30) > int(most)]


def worse_than_by_hand(counts, what, ratio=MOST_BY_HAND, more=0):
    """The kernels that have more than their twins that are written by hand."""
    return [f"{name}: {count} {what}, {counts[name + BY_HAND]} by hand"
            for name, count in counts.items() if name + BY_HAND in counts
            if count > ratio * counts[name + BY_HAND] + more]


def targets(path):
    """What a file is compiled for."""
    named = re.search(r"^// TARGETS (.*)$", path.read_text(), re.M)
    return named[1].split() if named else ARCHS


def first(path):
    """What the PTX of a file is for."""
    return "90" if "90" in targets(path) else targets(path)[0]


def ptx_of(path, standard, folder):
    return folder / f"{path.stem}.{standard}.ptx"


def check_ptx(path, standard, folder, filecheck):
    """Everything that is wrong with the PTX of a file."""
    ptx_file = ptx_of(path, standard, folder)
    status, said = run(NVCC, f"-std=c++{standard}", f"-arch=sm_{first(path)}",
                       "-ptx", "-I", ROOT, path, "-o", ptx_file)
    if status or said:
        return [said[:2000] or "does not compile"]
    ptx = ptx_file.read_text()
    loops = "// LOOPS\n" in path.read_text()
    wrong = [what for pattern, what in FORBIDDEN.items()
             if re.search(pattern, ptx, re.M)
             and not (loops and what == "a branch")]
    wrong += too_long(ptx, path)
    wrong += too_many(arithmetic(ptx), path, "PTX")
    wrong += worse_than_by_hand(
        arithmetic(re.sub(IMMEDIATE, "", ptx, flags=re.M)),
        "arithmetic instructions in PTX", more=1)
    if filecheck:
        status, said = run(filecheck, path, "--input-file", ptx_file)
        wrong += ["\n".join(said.splitlines()[:6])] if status else []
    return wrong


def joined(files, path):
    """One program of files, each in a namespace and without macros for the
    next one."""
    texts = [file.read_text() for file in files]
    lines = sorted({line for text in texts
                    for line in re.findall(r"^#define LL_.*", text, re.M)})
    lines += ['#include "ll_ptx.h"']
    for n, (file, text) in enumerate(zip(files, texts)):
        macros = re.findall(r"^ *# *define (?!LL_)(\w+)", text, re.M)
        lines += [f'namespace n{n} {{\n#include "{file}"\n}}',
                  *(f"#undef {macro}" for macro in dict.fromkeys(macros))]
    path.write_text("\n".join(lines) + "\n")
    return path


def assembled_together(files, arch, folder, ptx):
    """These files, if nothing is wrong with one program of all, which has every
    kernel of theirs; or none of them. `ptx` holds the jobs of their PTX."""
    if len(files) < 2 or any(ptx[file].result() for file in files):
        return []
    kernels = {name for file in files
               for name in bodies(ptx_of(file, "17", folder).read_text())}
    source = joined(files, folder / f"joined.{arch}.cu")
    wrong = check_assembled(source, arch, folder, all_of=kernels)
    return [] if wrong else files


def together(pool, files, folder, ptx):
    """For each architecture the job that assembles all files at once. A file
    that includes more than the header does not fit a namespace."""
    alone = [f for f in files if re.findall(
        r"^ *# *include (.*)", f.read_text(), re.M) != ['"ll_ptx.h"']]
    return {arch: pool.submit(
        assembled_together, [f for f in files if f not in alone and
                             arch in targets(f) and arch != first(f)],
        arch, folder, ptx) for arch in ARCHS}


def check_assembled(path, arch, folder, ptxas=None, ptx=None, right=None,
                    all_of=()):
    """What ptxas says about stack and spills, and which kernels of `all_of` it
    says nothing of. Where the PTX of the file is for this architecture, it is
    not made again; `ptx` is the job that makes it, and `right` one that tells
    files that need not be compiled."""
    if right and path in right.result():
        return []
    cubin = folder / f"{path.stem}.{arch}.cubin"
    command = [NVCC, "-std=c++17", "-cubin", "-Xptxas", "-v", "-I", ROOT, path]
    if ptxas and arch == first(path):
        ptx.result()
        command = [ptxas, "-v", ptx_of(path, "17", folder)]
    status, said = run(*command, f"-arch=sm_{arch}", "-o", cubin)
    if status:
        return [said[:2000]]
    frames = re.findall(r"(\d+) bytes stack frame, (\d+) bytes spill stores, "
                        r"(\d+) bytes spill loads", said)
    names = re.findall(r"entry function '(\w+)'", said)
    wrong = [f"{name}: {' '.join(f)} bytes of stack, stores, loads"
             for name, f in zip(names, frames) if f != ("0", "0", "0")]
    eights = [-(-int(n) // 8) for n in re.findall(r"Used (\d+) registers", said)]
    wrong += worse_than_by_hand(dict(zip(names, eights)),
                                "times 8 registers", 1)
    wrong += [f"{name}: not assembled" for name in set(all_of) - set(names)]
    return wrong if frames and len(frames) == len(names) else [said]


def check_debug(path, flags, arch, folder):
    """What is wrong with a build in which nothing is optimised away."""
    cubin = folder / f"{path.stem}.{arch}.debug.cubin"
    status, said = run(NVCC, "-std=c++17", f"-arch=sm_{arch}", "-cubin", *flags,
                       "-I", ROOT, path, "-o", cubin)
    return [said[:2000]] if status else []


def first_kernel(folder):
    """The first CUDA file that README.md shows."""
    blocks = re.findall(r"^```\w*\n(.*?)^```", (ROOT / "README.md").read_text(),
                        re.S | re.M)
    path = folder / "readme.cu"
    path.write_text(next(b for b in blocks if "__global__" in b))
    return path


def debug_builds(folder):
    """File, flags and architecture of each, under its name."""
    files = [ROOT / f"tests/codegen/{name}.cu" for name in DEBUGGED]
    return {(f, f"{name} sm_{a}"): (f, flags, a)
            for f in files + [first_kernel(folder)]
            for name, (flags, archs) in DEBUG.items()
            for a in (archs if set(archs) <= set(targets(f)) else targets(f)[:1])}


COLUMNS = """#include "ll_ptx.h"
LL_LAYOUT(IN, ll_rows(64, 64, 4));
__global__ void kernel(float *dst, const float *src, unsigned cols) {
    float a[LL_REGS(IN)];
    LL_LOAD(a, IN, src, 64, 64, cols);
    LL_STORE(a, IN, dst, 64);
}
"""


def stops(folder):
    """Does LL_DEBUG check the threads of a scope? FORBIDDEN says that nothing
    else does."""
    ptx = folder / "scopes.ptx"
    status, said = run(NVCC, "-std=c++17", "-arch=sm_90", "-ptx",
                       "-DLL_DEBUG=1", "-I", ROOT,
                       ROOT / "tests/codegen/scopes.cu", "-o", ptx)
    text = "" if status else ptx.read_text()
    return [] if "trap;" in text and "vprintf" in text else \
        [said[:500] if status else "no trap"]


def columns(folder, debug):
    """Does LL_DEBUG, and nothing else, check the columns of a tile?"""
    path = folder / f"columns{debug}.cu"
    ptx = path.with_suffix(".ptx")
    path.write_text(COLUMNS)
    status, said = run(NVCC, "-std=c++17", "-arch=sm_90", "-ptx", "-I", ROOT,
                       f"-DLL_DEBUG={debug}", path, "-o", ptx)
    if status:
        return [said[:500]]
    text = ptx.read_text()
    sentence = ", ".join(str(c) for c in b"columns inside the matrix")
    return [f"LL_DEBUG={debug}: {what}" for what in ("trap;", sentence)
            if (what in text) != debug]


def planted(folder):
    """Does a build that must not assemble do so all the same?"""
    path = folder / "planted.cu"
    path.write_text('#include "ll_ptx.h"\n__global__ void k(unsigned *p) {\n'
                    "    *p ? ll_ptx_bar() : ll_ptx_barrier_cluster_wait();\n}\n")
    return [] if check_debug(path, ["-G"], "80", folder) else \
        ["an instruction of sm_90 assembles for sm_80"]


def check_machine(path, folder, nvdisasm):
    """Machine code for sm_90: no local memory, few arithmetic instructions."""
    status, sass = run(nvdisasm, "-c", folder / f"{path.stem}.90.cubin")
    if status:
        return [sass[:2000]]
    wrong = sorted(set(re.findall(r"\b(?:LDL|STL)\b", sass)))
    counts, all_of = {}, {}
    for part in sass.split(".section")[1:]:
        name = re.match(r"\s+\.text\.(\w+)", part)
        if name:
            body = re.sub(CONSTANT, "MOV", part.split("EXIT")[0])
            ops = re.findall(r"^\s+/\*\w+\*/\s+(?:@\S+\s+)?([A-Z][\w.]*)", body,
                             re.M)
            all_of[name[1]] = len(ops) + 1
            counts[name[1]] = sum(not re.match(rf"({MOVES})\b", op)
                                  for op in ops)
    return wrong + too_many(counts, path, "sm_90") + \
        worse_than_by_hand(all_of, "instructions in sm_90")


def main():
    if not shutil.which(NVCC):
        print("skipped: there is no nvcc\n0 passed, 0 failed, 1 skipped")
        return 0
    files = sorted((ROOT / "tests/codegen").glob("*.cu"))
    filecheck, nvdisasm = tool("FileCheck"), tool("nvdisasm")
    ptxas = tool("ptxas")
    skipped = 0
    for name, found in (("FileCheck", filecheck), ("nvdisasm", nvdisasm)):
        if not found:
            print(f"skipped: {name} is not here, nor what it would check")
            skipped += 1
    with tempfile.TemporaryDirectory() as name, \
            concurrent.futures.ThreadPoolExecutor(2) as pool:
        folder = pathlib.Path(name)
        jobs = {(f, f"C++{s}"): pool.submit(check_ptx, f, s, folder, filecheck)
                for f in files for s in STANDARDS}
        ptx = {f: jobs[f, "C++17"] for f in files}
        right = together(pool, files, folder, ptx)
        jobs.update({(f, f"sm_{a}"): pool.submit(check_assembled, f, a, folder,
                                                 ptxas, ptx[f], right.get(a))
                     for f in files for a in targets(f)})
        jobs.update({job: pool.submit(check_debug, *build, folder)
                     for job, build in debug_builds(folder).items()})
        jobs[ROOT / "tests/codegen.py", "planted"] = pool.submit(planted, folder)
        jobs[ROOT / "tests/codegen/scopes.cu", "stops"] = pool.submit(stops,
                                                                      folder)
        jobs.update({(ROOT / "tests/codegen.py", f"columns, LL_DEBUG={debug}"):
                     pool.submit(columns, folder, debug) for debug in (0, 1)})
        results = {job: future.result() for job, future in jobs.items()}
        if nvdisasm:
            results.update({(f, "machine code"):
                            check_machine(f, folder, nvdisasm) for f in files
                            if "90" in targets(f)})
    failed = 0
    for (path, what), wrong in results.items():
        failed += bool(wrong)
        for line in wrong:
            print(f"FAIL {path.name}, {what}: {line}")
    print(f"{len(results) - failed} passed, {failed} failed, {skipped} skipped")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
