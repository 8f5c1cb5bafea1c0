#!/usr/bin/env python3
"""links.py - one name for two layouts, in two source files of one program.

Two files declare a layout IN of different sizes, at namespace scope, in a class
and in a class template, and a kernel template over it. Built and linked by g++
as C++14 and C++17, by nvcc with and without -rdc, and by emucc, each file sees
its own layout, and so does its kernel where one can run. The same with a type
that both files share must be noticed. CXX and NVCC name the compilers.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
NVCC = os.environ.get("NVCC") or "nvcc"
CXX = os.environ.get("CXX", "g++")

SOURCE = """
#include "ll_ptx.h"
#ifdef SHARED_TYPE /* the planted fault: the linker takes one for the other */
struct IN {
    LL_CONSTANT_ ll_layout get() {
        const ll_layout ll_value_ = ll_rows(SIZE, 32, 4);
        return ll_value_;
    }
};
#else
LL_LAYOUT(IN, ll_rows(SIZE, 32, 4));
#endif
namespace SPACE {
struct own {
    LL_LAYOUT(IN, ll_rows(SIZE, 64, 4));
    LL_PLAN(SAME, IN, IN, 32, LL_SM90);
    static unsigned regs() { return LL_REGS(IN); }
};
template <int N> struct own_of {
    LL_LAYOUT(IN, ll_rows(N, 64, 4));
    float a[LL_REGS(IN)];
};
}
using namespace SPACE;
template <class T> unsigned regs_of() {
    const ll_layout *a = &LL_GET(T);
    return 1u << a->in.bits[0];
}
#ifdef __global__
template <class T> __global__ void kernel(unsigned *p) { *p = LL_REGS(T); }
#endif

unsigned FILE_() {
    unsigned n = 0;
#ifdef RUNS
    unsigned *p;
    cudaMalloc(&p, sizeof n);
    kernel<IN><<<1, 1>>>(p);
    cudaMemcpy(&n, p, sizeof n, cudaMemcpyDeviceToHost);
    n = n != SIZE / 4;
#elif defined(__global__)
    kernel<IN><<<1, 1>>>(nullptr);
#endif
    return n + (regs_of<IN>() != SIZE / 4) + (own::regs() != SIZE / 2) +
           (sizeof(own_of<SIZE>) != SIZE * 2);
}
#ifdef MAIN
unsigned other();
int main() { return FILE_() || other(); }
#endif
"""
FILES = {"one": ["-DSIZE=32", "-DFILE_=one", "-DSPACE=first", "-DMAIN"],
         "two": ["-DSIZE=64", "-DFILE_=other", "-DSPACE=second"]}


def built(folder, command, suffix, *flags):
    """Builds both files and the program; says what went wrong with it."""
    objects = []
    for name, own in FILES.items():
        path = folder / f"{name}{suffix}"
        path.write_text(SOURCE)
        objects.append(str(folder / f"{name}.o"))
        steps = [*command, *flags, *own, "-I", str(ROOT), "-c", str(path),
                 "-o", objects[-1]]
        done = subprocess.run(steps, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        if done.returncode or done.stdout:
            return done.stdout[:2000] or "does not compile"
    program = str(folder / "program")
    done = subprocess.run([*command, *flags, *objects, "-o", program],
                          text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if done.returncode:
        return done.stdout[:2000]
    status = subprocess.run([program]).returncode
    return f"{status} layouts are as in the other file" if status else ""


def emulated(folder):
    """Each file is a source of its own for emucc, which takes no flags apart."""
    paths = []
    for name, own in FILES.items():
        words = dict(f[2:].split("=") if "=" in f else (f[2:], "1")
                     for f in own + ["-DRUNS"])
        path = folder / f"{name}.cu"
        path.write_text("".join(f"#define {k} {v}\n" for k, v in words.items())
                        + SOURCE)
        paths.append(str(path))
    program = str(folder / "program")
    done = subprocess.run(["sh", str(ROOT / "tools/emulator/emucc"), *paths,
                           "-I", str(ROOT), "-o", program], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        return done.stdout[:2000]
    status = subprocess.run([program]).returncode
    return f"{status} layouts are as in the other file" if status else ""


def main():
    failed = passed = skipped = 0
    cuda = [NVCC, "-std=c++17", "-arch=sm_90"]
    ways = [("g++, C++14", [CXX, "-std=c++14", "-Wall", "-Wextra"], ".cc", []),
            ("g++, C++17", [CXX, "-std=c++17", "-Wall", "-Wextra"], ".cc", []),
            ("nvcc", cuda, ".cu", []),
            ("nvcc -rdc=true", cuda, ".cu", ["-rdc=true"])]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for what, command, suffix, flags in ways:
            if not shutil.which(command[0]):
                print(f"skipped: {command[0]} is not here")
                skipped += 1
                continue
            wrong = built(folder, command, suffix, *flags)
            failed, passed = failed + bool(wrong), passed + (not wrong)
            print(f"FAIL {what}: {wrong}" if wrong else "", end="")
        wrong = emulated(folder)
        failed, passed = failed + bool(wrong), passed + (not wrong)
        print(f"FAIL emucc: {wrong}" if wrong else "", end="")
        if not built(folder, ways[1][1], ".cc", "-DSHARED_TYPE"):
            print("FAIL a type that two files share is not noticed")
            failed += 1
        else:
            passed += 1
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
