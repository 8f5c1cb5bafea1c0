#!/usr/bin/env python3
"""assemble.py - every instruction of ll_ptx.h for every target of ptxas.

Each instruction becomes a kernel; the PTX of all is assembled for
each target. A kernel must be assembled where ll_ptx_has says that the target
has its instruction, and refused where it says not. The function of a product is
named after its instruction. NVCC names the compiler, CC the one for the program
that asks ll_ptx_has.
"""
import bisect
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import wrappers

ROOT = pathlib.Path(__file__).resolve().parent.parent
NVCC = os.environ.get("NVCC") or "nvcc"
TARGETS = ("75 80 86 87 88 89 90 90a 100 100a 100f 103 103a 103f 110 110a 110f "
           "120 120a 120f 121 121a 121f").split()
VALUES = {"unsigned": "p[0]", "unsigned long long": "(unsigned long long)p",
          "ll_words": "*(const ll_words *)p", "const void *": "p",
          "unsigned *": "p", "const unsigned *": "p", "int": "(int)p[0]",
          "float": "(float)p[0]", "int *": "(int *)p", "float *": "(float *)p",
          "double *": "(double *)p", "const double *": "(const double *)p"}
ASK = """#include "ll_ptx.h"
#include <stdio.h>
int main(void) {
    char target[20], name[200];
    while (scanf("%19s %199[^\\n]", target, name) == 2) {
        printf("%d\\n", ll_ptx_has(target, name));
    }
}
"""


def run(*command, **more):
    done = subprocess.run([str(c) for c in command], text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          **more)
    return done.returncode, done.stdout


def kernels(functions):
    """A CUDA file in which kernel k<n> is one call of function n."""
    lines = ['#define LL_TENSOR', '#include "ll_ptx.h"']
    for n, (result, name, types) in enumerate(functions):
        call = f"{name}({', '.join(VALUES[t] for t in types)})"
        keep = "" if result == "void" else f"*({result} *)p = "
        lines.append(f'extern "C" __global__ void k{n}(unsigned *p) '
                     f"{{ {keep}{call}; }}")
    return "\n".join(lines) + "\n"


def instruction(text):
    """Inline PTX as ll_ptx_has wants it: no guard, the size of a copy, the
    register of the hardware."""
    text = re.sub(r".*@p ", "", text, flags=re.S)
    text = re.sub(r"^\s*\{ \.reg [^;]*;|\bsetp[^;]*;", "", text)
    text = text.strip().split(";")[0]
    name = text.split()[0]
    size = re.search(r"\], \[[^]]*\], (\d+)", text)
    special = re.search(r"%cluster_\w+", text)
    return (name + (" " + size[1] if size else "") +
            (" " + special[0] if special else ""))


def product_name(name):
    """The function of an mma.sync or wgmma, by its name in PTX."""
    parts = name.split(".")
    at = next(k for k, p in enumerate(parts) if re.match(r"m\d+n\d+k\d+$", p))
    kind = [p[6:] for p in parts if p.startswith("kind::")]
    scales = [p[-2:].lower() for p in parts if p.startswith("scale_vec::")]
    types = [p for p in parts[at + 1:] if re.match(r"[usfbe]\d|[bt]f\d", p)]
    d, a, b = types[:3]
    wgmma = parts[0] == "wgmma"
    quads = parts[at] == "m8n8k4" and a == "f16"
    return "_".join(
        ["ll_ptx", parts[0]] + ["sp"] * parts[1 + wgmma].startswith("sp") +
        ([] if wgmma else [parts[at]]) + [d, a] + [b] * (a != b) +
        parts[at + 1:at + 3] * quads +
        [p for p in parts if p in ("and", "xor", "popc")] + kind +
        (scales if kind == ["mxf4nvf4"] else []))


def misnamed(functions, names):
    """Products whose function is not named after their instruction."""
    pairs = [(re.sub(r"<.*|_ra\b", "", f[1]), n)
             for f, n in zip(functions, names)]
    return [f"{f} is {n}" for f, n in pairs
            if re.match(r"(wg)?mma\.\S*\.m\d+n", n) and f != product_name(n)]


def asked(folder, questions):
    """What ll_ptx_has says to each target and instruction."""
    (folder / "ask.c").write_text(ASK)
    status, said = run(os.environ.get("CC", "gcc"), "-std=c11", "-I", ROOT,
                       folder / "ask.c", "-o", folder / "ask")
    if status:
        sys.exit(said)
    text = "".join(f"sm_{t} {name}\n" for t, name in questions)
    return [a == "1" for a in run(folder / "ask", input=text)[1].split()]


def refused(ptx, starts, target, folder):
    """The kernels in which ptxas finds an error; None: no such target."""
    path = folder / f"{target}.ptx"
    path.write_text(re.sub(r"^\.target .*", f".target sm_{target}", ptx,
                           flags=re.M))
    ptxas = shutil.which("ptxas", path=os.path.dirname(shutil.which(NVCC)))
    status, said = run(ptxas or "ptxas", f"-arch=sm_{target}", path, "-o",
                       folder / f"{target}.cubin")
    if "is not defined for option" in said:
        return None
    lines = [int(n) for n in re.findall(r"line (\d+); error", said)]
    if status and not lines:
        sys.exit(f"ptxas for sm_{target}: {said[:2000]}")
    return {bisect.bisect_right(starts, line) - 1 for line in lines}


def check(functions, folder):
    """The counts of passed, failed and skipped."""
    (folder / "all.cu").write_text(kernels(functions))
    status, said = run(NVCC, "-std=c++17", "-arch=sm_75", "-ptx", "-I", ROOT,
                       "-DLL_PTX_ANY_TARGET_",
                       folder / "all.cu", "-o", folder / "all.ptx")
    if status:
        sys.exit(said)
    ptx = (folder / "all.ptx").read_text()
    entries = [(int(m[1]), ptx[:m.start()].count("\n") + 1)
               for m in re.finditer(r"\.entry k(\d+)\(", ptx)]
    bodies = re.split(r"\.entry k\d+\(", ptx)[1:]
    texts = [re.findall(r"begin inline asm\n(.*?)\n\s*// end inline asm", body,
                        re.S) for body in bodies]
    assert len(entries) == len(functions) and all(len(t) == 1 for t in texts)
    names = [instruction(t[0]) for t in texts]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = dict(zip(TARGETS, pool.map(
            lambda t: refused(ptx, [line for _, line in entries], t, folder),
            TARGETS)))
    known = [t for t in TARGETS if found[t] is not None]
    for target in set(TARGETS) - set(known):
        print(f"skipped: ptxas does not know sm_{target}")
    questions = [(t, k) for t in known for k in range(len(names))]
    answers = asked(folder, [(t, names[k]) for t, k in questions])
    wrong = misnamed([functions[k] for k, _ in entries], names)
    failed = len(wrong)
    for line in wrong:
        print(f"FAIL {line}")
    for (target, k), has in zip(questions, answers):
        if has == (k in found[target]):
            failed += 1
            print(f"FAIL {functions[entries[k][0]][1]}: {names[k]} is "
                  f"{'refused' if has else 'assembled'} for sm_{target}")
    return (len(answers) + len(names) - failed, failed,
            len(TARGETS) - len(known))


def main():
    if not shutil.which(NVCC):
        print("skipped: there is no nvcc\n0 passed, 0 failed, 1 skipped")
        return 0
    functions = wrappers.wrappers(ROOT / "ll_ptx.h")
    with tempfile.TemporaryDirectory() as name:
        passed, failed, skipped = check(functions, pathlib.Path(name))
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
