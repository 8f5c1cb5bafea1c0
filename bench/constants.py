#!/usr/bin/env python3
"""constants.py RESULT: nvcc's time for each layout constructor as a constant.

Compiles a file that only includes the headers, and, for every public function
that returns a layout, the same file with one LL_LAYOUT, of the largest sizes
that kernels use. Writes the medians of ROUNDS runs in turn to RESULT. Fails if
one costs more than GOAL over the empty file, or has no call below. Milliseconds
of processor time, user and system, of all passes; no compiler flags except
dialect and target. NVCC names the compiler.

constants.py --check: no times. Fails if a call is missing or is no constant for
the C++ compiler CXX, or if CXX accepts a planted fault.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADERS = ["ll.h", "ll_ptx.h", "ll_amd.h"]
FLAGS = ["-std=c++17", "-arch=sm_90"]
ROUNDS, GOAL = 3, 100

A = "ll_rows(128, 128, 2)"
MATRIX = 'll_parse("offset: j0 j1 j2 j3 j4 j5 j6 j7 i0 i1 i2 i3 i4 i5 i6 i7")'
TURN = f'll_trans({A}, "j i")'
SHAPE = 'll_shape_of("j=256 i=256")'
FRAGMENT = "ll_ptx_fragment_c(16, 8)"
SMEM = "ll_ptx_smem_k(128, 64, 16, 128)"
TILE_MN = "ll_ptx_smem_mn(64, 64, 8, 64, 16)"

# One line per function: its name and the arguments of the call.
CALLS = f"""
ll_zero {SHAPE}, {SHAPE}
ll_check {A}
ll_strided 65536, 2, LL_OFFSET, LL_J
ll_identity 65536, LL_OFFSET, LL_J
ll_zeros 65536, LL_OFFSET, LL_J, 65536
ll_parse "register: j0 j1 i0 i1 i6 j6 | lane: j2 j3 j4 j5 i2 | warp: i3 i4 i5"
ll_row_major {SHAPE}
ll_col_major {SHAPE}
ll_swizzled {SHAPE}, 8, 1, 8
ll_rotated {SHAPE}, 8, 1, 8
ll_cute_swizzle 65536, 3, 4, 3
ll_mul {A}, {FRAGMENT}
ll_compose ll_inv({MATRIX}), {A}
ll_div ll_ptx_mma_c(128, 128, 4), {FRAGMENT}
ll_rdiv ll_mul({A}, {FRAGMENT}), {FRAGMENT}
ll_solve {A}, {TURN}, LL_LOCAL
ll_inv {A}
ll_rinv {A}
ll_pinv {A}
ll_nullspace ll_ptx_mma_b(128, 128, 16, 4)
ll_image ll_ptx_mma_b(128, 128, 16, 4)
ll_sub {A}, "lane", "i"
ll_order_in {A}, "warp lane register"
ll_order_out {A}, "i j"
ll_reshape_in {MATRIX}, {SHAPE}
ll_reshape_out {A}, ll_shape_of("j=64 i=256")
ll_flatten_in {A}, LL_OFFSET
ll_flatten_out {A}, LL_OFFSET
ll_rename_in {A}, "register", "offset"
ll_rename_out {A}, "i j", "j i"
ll_resize_in {A}, LL_LANE, 8
ll_resize_out {A}, LL_I, 16
ll_concat_in ll_sub({A}, "lane", "j i"), ll_sub({A}, "warp", "j i")
ll_concat_out ll_sub({A}, "register lane warp", "j"), \
ll_sub({A}, "register lane warp", "i")
ll_flip {A}, LL_I, 127
ll_permute {A}, LL_REGISTER, ll_perm_swap(7, 0, 5)
ll_quotient ll_parse("lane: lane1 lane0 | warp: warp0 warp1 warp2"), "warp"
ll_trans {A}, "j i"
ll_trans_back {A}, "j i"
ll_unsqueeze {A}, 1
ll_unsqueeze_back ll_unsqueeze({A}, LL_J), LL_J
ll_broadcast ll_resize_out({A}, LL_J, 1), LL_J, 128
ll_broadcast_back {A}, LL_J
ll_reduce {A}, 1
ll_reduce_back ll_reduce({A}, LL_J), LL_J, 128
ll_join ll_parse("register: i0 j0 | lane: i1 i2 i3 i4 i5")
ll_split ll_parse("register: j0 i0 | lane: i1 i2 i3 i4 i5")
ll_blocked ll_shape_of("j=256 i=256"), ll_shape_of("j=8 i=1"), \
ll_shape_of("j=8 i=4"), ll_shape_of("i=8")
ll_tiled {FRAGMENT}, {SHAPE}, ll_shape_of("j=2 i=4")
ll_cute_tiled ll_parse("offset: j0 j1 j2 i0 i1 i2"), {SHAPE}, 3, 3, 3
ll_bitcast {A}, 16, 8
ll_rows_of ll_rows_spec{{256, 256, 2, 0, 0, 0, 8}}
ll_rows 256, 256, 2
ll_rows_for ll_ptx_mma_a(128, 128, 16, 4), 2
ll_scales_of ll_ptx_mma_a(128, 128, 16, 4), LL_J, 32
ll_scales_each ll_ptx_mma_a(128, 128, 16, 4), LL_J, 32
ll_scales_back ll_ptx_mma_a(128, 4, 16, 4), LL_J, 32
ll_renumber {A}, LL_J, ll_identity(128, LL_J, LL_J)
ll_preshuffle ll_ptx_mma_a(128, 128, 16, 4), LL_J, 16
ll_absorb ll_ptx_mma_c(128, 128, 4), ll_ptx_mma_a(128, 128, 8, 4), LL_J
ll_swizzle {A}, {TURN}, 16, LL_SM90
ll_swizzle_by {A}, {TURN}, 16, LL_SM90, 0, 4
ll_for_operand ll_ptx_mma_a(128, 128, 16, 4), 16, LL_SM90
ll_ptx_need {A}, "sm_90a", "wgmma"
ll_amd_need {A}, "gfx942", "mfma_f32_32x32x8f16"
ll_ptx_fragment_a 16, 32, 8
ll_ptx_fragment_b 32, 8, 8
ll_ptx_fragment_c 16, 8
ll_ptx_quad_a 1
ll_ptx_quad_b 1
ll_ptx_quad_c 32
ll_ptx_sparse_e 32, 16
ll_ptx_scale_a 4
ll_ptx_scale_b 4
ll_ptx_mma_a 256, 256, 16, 8
ll_ptx_mma_b 256, 256, 16, 8
ll_ptx_mma_c 256, 256, 8
ll_ptx_wgmma_a 256, 64, 16, 8
ll_ptx_wgmma_d 256, 256, 8
ll_ptx_matrix 8, 16, 0, 4
ll_ptx_matrix_rows 8, 4
ll_ptx_tmem 32, 32, 128, 32
ll_ptx_tmem_x2 64, 32, 64
ll_ptx_tcgen05_d 128, 256, 0
ll_ptx_tma 128, 16, 0
ll_ptx_smem_k 256, 64, 16, 128
ll_ptx_smem_mn 64, 256, 16, 128, 16
ll_ptx_desc_places ll_ptx_desc_of({SMEM}, 128, 64, 16), 128, 64, 16
ll_amd_mfma_a 16, 128, 1, 8
ll_amd_mfma_b 128, 16, 1, 8
ll_amd_mfma_c 32, 32, 1, 32
ll_amd_mfma_scale_a 16, 128
ll_amd_mfma_scale_b 64, 32
ll_amd_smfmac_a 32, 16, 16
ll_amd_smfmac_b 16, 32, 16
ll_amd_smfmac_k 32, 16, 16
ll_ptx_between ll_ptx_smem_k(64, 64, 8, 64), {TILE_MN}, 8, 4, LL_SM90
ll_ptx_twiddled 4, 16, 10
ll_amd_wmma_a 0x1200, 32, 16, 16
ll_amd_wmma_b 0x1200, 32, 16, 16
ll_amd_wmma_c 0x1200, 32, 32
ll_amd_swmmac_a 0x1200, 32, 32, 16
ll_amd_swmmac_b 0x1200, 32, 32, 16
ll_amd_swmmac_k 0x1200, 32, 32, 16
ll_amd_cbsz ll_amd_mfma_a(16, 4, 4, 16), 2, 1
ll_amd_blgp ll_amd_mfma_b(2, 32, 1, 32), 3
ll_amd_index_set ll_amd_smfmac_k(32, 16, 16), 3
ll_amd_opsel ll_amd_wmma_c(0x1100, 32, 16), 1
ll_amd_ds_read_tr 16
ll_amd_ds_load_tr 16
"""


def constructors():
    """All public functions that return a layout."""
    text = "".join((ROOT / h).read_text().split("/* ---- sort/plan: ")[0]
                   for h in HEADERS)
    text = re.sub(r"^#ifdef LL_ENGINE$.*?^#endif", "", text, flags=re.M | re.S)
    return re.findall(r"^LL_FN ll_layout (ll_\w*[a-z0-9])\(", text, re.M)


def table():
    """The arguments by function; both lists must agree."""
    calls = dict(line.split(" ", 1) for line in CALLS.strip().splitlines())
    odd = set(constructors()) ^ set(calls)
    if odd:
        sys.exit("constants.py: not in both, headers and calls: " +
                 " ".join(sorted(odd)))
    return calls


def program(calls):
    """A file with one constant per call."""
    lines = ["#define LL_TENSOR"] + [f'#include "{h}"' for h in HEADERS]
    lines += [f"LL_LAYOUT(OUT_{name}, {name}({arguments}));"
              for name, arguments in calls.items()]
    return "\n".join(lines) + "\n"


def cost(nvcc, source):
    """Milliseconds of processor time, measured in a process of its own."""
    measure = ("import resource, subprocess, sys\n"
               "rc = subprocess.run(sys.argv[1:]).returncode\n"
               "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
               "print(1000 * (used.ru_utime + used.ru_stime))\n"
               "sys.exit(rc)\n")
    done = subprocess.run([sys.executable, "-c", measure, nvcc, *FLAGS, "-I",
                           str(ROOT), "-c", str(source), "-o",
                           str(source.with_suffix(".o"))], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        sys.exit(f"constants.py: {source.name}\n{done.stdout[:1000]}")
    return float(done.stdout.split()[-1])


def measure(nvcc, calls):
    """The runs of each file, in turn; '' is the empty one."""
    runs = {name: [] for name in ["", *calls]}
    with tempfile.TemporaryDirectory() as folder:
        files = {}
        for name in runs:
            files[name] = pathlib.Path(folder) / f"{name or 'empty'}.cu"
            files[name].write_text(
                program({name: calls[name]} if name else {}) +
                "__global__ void kernel() {}\n")
        # the empty file more often, because everything is compared with it
        order = [n for k, n in enumerate(runs) for n in ([n, ""] if k % 9 == 0
                                                         else [n])] * ROUNDS
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for name, ms in zip(order, pool.map(
                    lambda n: cost(nvcc, files[n]) if n else
                    cost(nvcc, copied(files[n])), order)):
                runs[name].append(ms)
    return runs


def copied(path):
    """Copies a file, because two runs of it may happen at the same time."""
    number = time.perf_counter_ns()
    copy = path.with_name(f"empty{number}.cu")
    copy.write_text(path.read_text())
    return copy


def compiled(cxx, calls):
    """The compiler's errors for the calls, or nothing if it accepts all."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "constants.cc"
        path.write_text(program(calls))
        done = subprocess.run(
            [cxx, "-std=c++17", "-fsyntax-only", "-I", str(ROOT), str(path)],
            text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout[:1000] or "no reason" if done.returncode else ""


def check(cxx):
    """Checks that all calls compile and that two wrong ones do not."""
    calls = table()
    wrong = compiled(cxx, calls)
    faults = {"a tuple": {"ll_rows_of": "ll_rows_spec(256, 256, 2)"},
              "an error": {"ll_rows": "256, 255, 2"}}
    missed = [what for what, call in faults.items() if not compiled(cxx, call)]
    if wrong:
        print("FAIL", wrong)
    for what in missed:
        print("FAIL self-test,", what, "is accepted as a constant")
    failed = (len(calls) if wrong else 0) + len(missed)
    print(f"{len(calls) + len(faults) - failed} passed, {failed} failed")
    return failed > 0


def main():
    if sys.argv[1:] == ["--check"]:
        cxx = shutil.which(os.environ.get("CXX", "g++"))
        if not cxx:
            print("no C++ compiler here\n0 passed, 0 failed, 1 skipped")
            return 0
        return check(cxx)
    nvcc = os.environ.get("NVCC", "nvcc")
    calls = table()
    runs = measure(nvcc, calls)
    empty = statistics.median(runs.pop(""))
    rows = [{"name": name, "call": f"{name}({calls[name]})",
             "over_ms": round(statistics.median(ms) - empty, 1),
             "runs_ms": [round(x) for x in ms]} for name, ms in runs.items()]
    report = {"context": {
        "command": os.environ.get("LL_COMMAND", "bench/constants.py"),
        "device": os.environ.get("LL_DEVICE", "unknown"),
        "flags": " ".join(FLAGS),
        "commit": os.environ.get("LL_COMMIT", "unknown"),
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "empty_ms": round(empty), "goal_ms": GOAL}, "constants": rows}
    with open(sys.argv[1], "w") as f:
        json.dump(report, f, indent=1)
        f.write("\n")
    rows.sort(key=lambda r: -r["over_ms"])
    print(f"the headers alone {empty:.0f} ms; {len(rows)} constructors, the "
          f"dearest, in milliseconds above that:")
    for r in rows[:8]:
        print(f"{r['over_ms']:7.1f}  {r['call']}")
    return rows[0]["over_ms"] > GOAL


if __name__ == "__main__":
    sys.exit(main())
