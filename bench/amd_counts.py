#!/usr/bin/env python3
"""amd_counts.py - instructions of our conversions beside Triton's, on AMD.

amd_counts.py           checks against tests/data/triton_amd_counts.jsonl
amd_counts.py --write   writes the table to bench/results/amd-counts.json
amd_counts.py --show NAME   prints the kernels of that name as assembly

For each line of the file a kernel loads a tile in layout `src`, converts it,
and stores it in layout `dst`. It is only compiled, so no GPU is needed.
Instructions are counted with the same patterns as Triton's in
peers/triton_amd.py; tests/data/README.md describes them.

No case may have more LDS instructions than Triton's (with permutes and
swizzles, which take the same pipe), more barriers, or spills. In total there
must be fewer instructions that move data between lanes, fewer that select bytes
or registers, and fewer on the vector ALU. AMDCLANG names the compiler.
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CLANG = os.environ.get("AMDCLANG") or "clang-22"
# Planning takes two thirds of the time with this interpreter, with the same
# assembly. If a compiler fails with it, it is called again without.
FASTER = ["-fexperimental-new-constant-interpreter"]
CASES = ROOT / "tests/data/triton_amd_counts.jsonl"
RESULT = ROOT / "bench/results/amd-counts.json"
GROUPS = {"lds_stores": r"ds_(?:write|store)\w*",
          "lds_loads": r"ds_(?:read|load)\w*",
          "lane_moves": r"ds_b?permute\w*|ds_swizzle\w*|\w+_dpp|v_permlane\w*"
                        r"|v_(?:read|write)(?:first)?lane\w*",
          "register_moves": r"v_perm_b32|v_cndmask\w*|v_align\w*|v_\w+_sdwa",
          "barriers": r"s_barrier\w*"}
PAIR = re.compile(r"ds_\w+?2(?:st64)?_b")  # two accesses, like ds_read2_b32
BY_LDS = re.compile(r"ds_(?:b?permute|swizzle)")  # take the pipe of LDS
HEAD = """#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __threads__ __attribute__((amdgpu_flat_work_group_size(256, 256)))
#include "ll_amd.h"
"""
KERNEL = """LL_LAYOUT(A{n}, ll_order_out(ll_parse("{src}"), "j i"));
LL_LAYOUT(B{n}, ll_order_out(ll_parse("{dst}"), "j i"));
LL_PLAN(P{n}, A{n}, B{n}, {bits}, ll_amd_target(0x{gfx}, 64));
extern "C" __global__ __threads__ void k{n}({T} *dst, const {T} *src) {{
    static __shared__ __attribute__((aligned(16))) unsigned char
        smem[LL_SMEM_BYTES(P{n})];
    {T} a[LL_REGS(A{n})], b[LL_REGS(B{n})];
    LL_LOAD(a, A{n}, src, {cols});
    LL_CONVERT(b, a, P{n}, smem);
    LL_STORE(b, B{n}, dst, {cols});
}}
"""
TYPES = {8: "unsigned char", 16: "unsigned short", 32: "unsigned"}


# ---- Counting, for Triton's assembly too ------------------------------------

def counted(assembly):
    """Counts the mnemonics in a kernel, by group."""
    found = {group: collections.Counter() for group in GROUPS}
    if "s_cbranch" in assembly:
        sys.exit("instructions behind a branch may run more or less than once")
    if re.search(r"^\s+scratch_", assembly, re.M):
        sys.exit("a kernel spills registers")
    for name in re.findall(r"^\s+([a-z]\w+)", assembly, re.M):
        groups = [g for g, p in GROUPS.items() if re.fullmatch(p, name)]
        if name.startswith("ds_") and not groups:
            sys.exit(f"{name} is in no group")
        for group in groups[:1]:
            found[group][name] += 1
    return found


def sums(assembly):
    """The counts of a line of triton_amd_counts.jsonl."""
    found = counted(assembly)
    result = {group: sum(counts.values()) for group, counts in found.items()}
    result["lds_accesses"] = sum(
        n << bool(PAIR.match(name)) for group in ("lds_stores", "lds_loads")
        for name, n in found[group].items())
    result["vector"] = len(re.findall(r"^\s+v_\w+", assembly, re.M))
    result["instructions"] = {k: v for counts in found.values()
                              for k, v in sorted(counts.items())}
    return result


# ---- Kernels ----------------------------------------------------------------

def kernel(n, case):
    """The kernel of a case; rows of the tile are contiguous in memory."""
    return KERNEL.format(n=n, T=TYPES[case["bits"]], gfx=case["target"][3:],
                         cols=case["shape"][1],
                         **{key: case[key] for key in ("src", "dst", "bits")})


def compiled(cases):
    """The assembly of each case's kernel, all for one target."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "kernels.hip"
        source.write_text(HEAD + "".join(kernel(n, case)
                                         for n, case in enumerate(cases)))
        command = [CLANG, "-x", "hip", "-nogpulib", "-nogpuinc", "-std=c++17",
                   "-O3", f"--offload-arch={cases[0]['target']}",
                   "--cuda-device-only", "-I", str(ROOT), "-S", str(source),
                   "-o", "-"]
        for flags in FASTER, []:
            done = subprocess.run([*command, *flags], text=True, check=False,
                                  stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE)
            if not done.returncode:
                break
    if done.returncode:
        sys.exit(done.stderr[:3000])
    code = dict(re.findall(r"^k(\d+):[^\n]*\n(.*?)^\.Lfunc_end", done.stdout,
                           re.S | re.M))
    return [code[str(n)] for n in range(len(cases))]


def in_parts(cases):
    """Four parts per target, which take about equally long."""
    for target in sorted({case["target"] for case in cases}):
        some = [case for case in cases if case["target"] == target]
        yield from (some[k::4] for k in range(4))


# ---- Comparing --------------------------------------------------------------

def lds(counts):
    """The instructions that take the pipe of LDS."""
    return counts["lds_stores"] + counts["lds_loads"] + sum(
        n for name, n in counts["instructions"].items() if BY_LDS.match(name))


def crossing(counts):
    """The instructions that move data between lanes."""
    return counts["lds_stores"] + counts["lds_loads"] + counts["lane_moves"]


def faults(cases, ours):
    """The counts above Triton's, and the number of comparisons."""
    found, compared = [], 0
    for case, own in zip(cases, ours):
        for what, a, b in (("LDS instructions", lds(own), lds(case)),
                           ("barriers", own["barriers"], case["barriers"])):
            compared += 1
            if a > b:
                found.append(f"{case['target']} {case['name']}, "
                             f"{case['bits']} bit: {a} {what}, Triton {b}: "
                             f"{own['instructions']}")
    for target in sorted({case["target"] for case in cases}):
        some = [(own, case) for case, own in zip(cases, ours)
                if case["target"] == target]
        for what, count in (("between lanes", crossing),
                            ("for bytes and registers",
                             lambda counts: counts["register_moves"]),
                            ("on the vector ALU",
                             lambda counts: counts["vector"])):
            a, b = (sum(count(pair[k]) for pair in some) for k in (0, 1))
            compared += 1
            if a >= b:
                found.append(f"{target}: {a} instructions {what}, Triton {b}")
    return found, compared


def measured(cases):
    """The counts of our kernel of each case."""
    parts = list(in_parts(cases))
    ours = {}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for part, code in zip(parts, pool.map(compiled, parts)):
            for case, assembly in zip(part, code):
                ours[id(case)] = sums(assembly)
    return [ours[id(case)] for case in cases]


def row(case, own):
    """The row of a case; both sides have the same names."""
    keys = [*GROUPS, "lds_accesses", "vector", "instructions"]
    return {"name": case["name"], "target": case["target"],
            "bits": case["bits"],
            **{side: {"lds": lds(counts), "crossing": crossing(counts),
                      **{key: counts[key] for key in keys}}
               for side, counts in (("ll", own), ("triton", case))}}


def write(cases, ours):
    version = subprocess.run([CLANG, "--version"], text=True, check=True,
                             stdout=subprocess.PIPE).stdout
    rows = [row(case, own) for case, own in zip(cases, ours)]
    context = {"command": "bench/amd_counts.py --write",
               "compiler": "clang " + re.search(r"version (\S+)", version)[1],
               "triton": "3.6.0",
               "commit": subprocess.run(
                   ["sh", str(ROOT / "bench/commit.sh")], text=True,
                   check=True, stdout=subprocess.PIPE).stdout.strip()}
    with open(RESULT, "w", encoding="ascii") as out:
        out.write('{"context": ' + json.dumps(context) + ',\n"cases": [\n')
        out.write(",\n".join(json.dumps(r) for r in rows) + "\n]}\n")


def main():
    if not shutil.which(CLANG):
        print(f"skipped: there is no {CLANG}\n0 passed, 0 failed, 1 skipped")
        return 0
    cases = [json.loads(text) for text in CASES.read_text().splitlines()]
    if sys.argv[1:2] == ["--show"]:
        for case in cases:
            if case["name"] == sys.argv[2]:
                print(case["target"], case["bits"], *compiled([case]))
        return 0
    ours = measured(cases)
    found, compared = faults(cases, ours)
    for fault in found:
        print("FAIL", fault)
    if sys.argv[1:] == ["--write"]:
        write(cases, ours)
    print(f"{compared - len(found)} passed, {len(found)} failed")
    return len(found) != 0


if __name__ == "__main__":
    sys.exit(main())
