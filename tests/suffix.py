#!/usr/bin/env python3
"""suffix.py - does nvcc -arch=sm_90a build kernels with wgmma?

    suffix.py [FILE...]    these kernels, all that need a suffix without a name

With -arch=sm_90a nvcc also compiles for compute_90, which lacks wgmma and
setmaxnreg; tcgen05 with -arch=sm_100a is alike. The header's functions stop the
kernel there. Every kernel of examples that uses them is built for each pass
that this option adds; two small files are built by the option itself. In the
machine code of the full target nothing of the stop is left. The self-test
builds a kernel whose inline PTX has wgmma, which must be refused. NVCC names
the compiler.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
NVCC = os.environ.get("NVCC") or "nvcc"
FLAGS = ["-std=c++17", "-O3", f"-I{ROOT}"]
NEEDS = re.compile(r"\bll_ptx_(wgmma|tcgen05|setmaxnreg)_")
STOP = re.compile(r"^\s*trap;", re.M)
HEAD = '#define LL_MATRIX\n#include "ll_ptx.h"\n__global__ void '
SMALL = {  # made-up kernels by the option that builds them
    "sm_90a": HEAD + """__launch_bounds__(128) k(float *o) {
    float d[32] = {};
    ll_ptx_setmaxnreg_inc<64>();
    ll_ptx_wgmma_fence();
    ll_ptx_wgmma_f32_bf16<64>(d, 1, 2, 1);
    ll_ptx_wgmma_commit_group();
    ll_ptx_wgmma_wait_group<0>(d);
    o[threadIdx.x] = d[0];
}
""",
    "sm_100a": HEAD + """k(unsigned *o) {
    unsigned r[2];
    ll_ptx_tcgen05_alloc(0, 32);
    ll_ptx_tcgen05_mma_f16(0, 1ull, 2ull, 3, 0);
    ll_ptx_tcgen05_commit(0);
    ll_ptx_tcgen05_ld_32x32b<2>(r, 0);
    ll_ptx_tcgen05_wait_ld();
    o[threadIdx.x] = r[0];
}
"""}
RAW = '__global__ void k() { asm volatile("wgmma.fence.sync.aligned;"); }\n'


def run(*command):
    """The exit status and what a command prints."""
    done = subprocess.run([str(c) for c in command], text=True, cwd=ROOT,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def with_headers(path):
    """The text of a source and of the headers beside it that it includes."""
    texts, todo = {}, [path.resolve()]
    while todo:
        one = todo.pop()
        if one not in texts and one.is_file() and one.parent != ROOT:
            texts[one] = one.read_text()
            todo += [(one.parent / name).resolve() for name in
                     re.findall(r'^#include "(.*)"', texts[one], re.M)]
    return "\n".join(texts.values())


def kernels():
    """The CUDA files of examples that use such instructions."""
    return [path for path in sorted((ROOT / "examples").rglob("*.cu"))
            if NEEDS.search(with_headers(path))]


def added(dryrun):
    """The targets of passes that an option adds to the one it names."""
    return re.findall(r"cicc\b.* -arch (compute_\d+) ", dryrun)


def refused(source, target):
    """What is wrong with a kernel built for a pass without a suffix."""
    with tempfile.TemporaryDirectory() as folder:
        status, said = run(NVCC, *FLAGS, "-gencode",
                           f"arch={target},code={target}", "-fatbin", source,
                           "-o", f"{folder}/k.fatbin")
    if status:
        yield f"nvcc for {target}: {said[:1000]}"
    elif "warning" in said:
        yield f"a warning for {target}: {said[:1000]}"


def unbuilt(option, text):
    """What is wrong with a made-up kernel built by -arch=OPTION."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "k.cu"
        source.write_text(text)
        status, said = run(NVCC, *FLAGS, "-keep", "-keep-dir", folder,
                           f"-arch={option}", "-c", source, "-o",
                           f"{folder}/k.o")
        ptx = {path.name: path.read_text()
               for path in pathlib.Path(folder).glob("*.ptx")}
    if status:
        yield f"nvcc -arch={option}: {said[:1000]}"
        return
    for name, code in ptx.items():
        full = re.search(rf"^\.target {option}\b", code, re.M) is not None
        if full == (STOP.search(code) is not None):
            yield (f"{name} for {option} "
                   f"{'stops' if full else 'does not stop'} the kernel")
    if not ptx:
        yield f"nvcc -arch={option} left no PTX"


def main():
    if not shutil.which(NVCC):
        print("skipped: there is no nvcc\n0 passed, 0 failed, 1 skipped")
        return 0
    wrong = [fault for option, text in SMALL.items()
             for fault in unbuilt(option, text)]
    with tempfile.TemporaryDirectory() as folder:
        made_up = pathlib.Path(folder) / "k.cu"
        made_up.write_text(RAW)
        if not list(refused(made_up, "compute_90")):
            wrong.append("self-test: wgmma is built for compute_90")
        targets = added(run(NVCC, "--dryrun", "-arch=sm_90a", "-c",
                            made_up)[1])
    sources = [pathlib.Path(name) for name in sys.argv[1:]] or kernels()
    wrong += [f"{source.name}: {fault}" for source in sources
              for target in targets for fault in refused(source, target)]
    if not sources:
        wrong.append("no kernel of examples needs a suffix")
    print("".join(f"FAIL {fault}\n" for fault in wrong), end="")
    checks = len(SMALL) + 1 + len(sources) * len(targets)
    print(f"{checks - len(wrong)} passed, {len(wrong)} failed")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
