#!/usr/bin/env python3
"""faults.py - does the emulator find what is easily forgotten in a product?

    faults.py [NUMBER...]     those alone; what the emulator says is printed
    faults.py --every N       number 1, N + 1, 2 N + 1 and so on

Each row of FAULTS changes one line of matmul_hopper.cu, its parts, or matmul.cu of
examples/kernels/matmul: a wait, a fence or an arrival is left out, a parity, a
stage, a mask or a number of bytes is wrong. A copy of the file has all of them,
and a variable that selects one, so that each file is built once. The emulator
must report every fault with file and line, and nothing without one: wrong
elements alone are not a finding.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = "examples/kernels/matmul"
HOPPER, SYNC = "matmul_hopper.cu", "matmul.cu"
SHARED = "matmul_hopper.cu, a tile of two blocks"
SPLIT = "matmul_hopper.cu, a last round of split tiles"
MANY = "matmul_hopper.cu, tiles one after another"
SHAPES = {HOPPER: "136 136 400 0 2 1", SHARED: "136 264 400 0 1 2",
          SPLIT: "136 520 400 0 2 1 4",
          MANY: "136 264 400 0 2 1 2", SYNC: "136 256 256"}
FLAGS = {HOPPER: ["-DHOPPER_FORMS=form_list<gemm_form<IN,2,256>>"],
         SYNC: ["-DTYPE_A=f16", "-DTYPE_B=f16", "-DCOLS_B=1"]}

PARTS = "matmul_multiply.h", "matmul_load.h", "matmul_store.h" # of HOPPER

READ = "ll_ptx_bar_named<1 + T::WORKERS, 128 * T::WORKERS>(); /* all is read */"

# File, what is wrong, a statement and what stands in its place. Where X stands
# in the place, it is code that is always there, and X is true for the fault.
FAULTS = [
    (HOPPER, "a stage is filled before it was read",
     "ll_ptx_mbarrier_wait(p.empty(), p.parity);",
     ";"),
    (HOPPER, "the producer begins with the wrong parity",
     "ring_stage<T> at = {smem, 0, 1};",
     "ring_stage<T> at = {smem, 0, X ? 0u : 1u};"),
    (HOPPER, "the consumers begin with the wrong parity",
     "wgmma_pipeline<T> f = {{smem, 0, 0}};",
     "wgmma_pipeline<T> f = {{smem, 0, X ? 1u : 0u}};"),
    (HOPPER, "too few bytes are expected",
     "ll_ptx_mbarrier_arrive_expect_tx(p.full(), T::STAGE);",
     "ll_ptx_mbarrier_arrive_expect_tx(p.full(), T::STAGE - 1024);"),
    (HOPPER, "too many bytes are expected",
     "ll_ptx_mbarrier_arrive_expect_tx(p.full(), T::STAGE);",
     "ll_ptx_mbarrier_arrive_expect_tx(p.full(), T::STAGE + 1024);"),
    (HOPPER, "nobody arrives at FULL",
     "ll_ptx_mbarrier_arrive_expect_tx(p.full(), T::STAGE);",
     ";"),
    (HOPPER, "A goes to one block alone",
     "p.full(), mask, k,", "p.full(), X ? 1u : mask, k,"),
    (HOPPER, "both halves of A go to the same place",
     "multicast_2d(\n                    to + i * 128,",
     "multicast_2d(\n                    to + (X ? 0u : i) * 128,"),
    (HOPPER, "B goes to the next stage", "copy(p.b(), &maps.b,",
     "copy(X ? p.smem + T::STAGE * ((p.stage + 1) % T::STAGES) : p.b(), "
     "&maps.b,"),
    (HOPPER, "B tells the wrong mbarrier", "load_2d(to + i * 128, map, p.full(),",
     "load_2d(to + i * 128, map, X && map == &maps.b ? p.empty() : p.full(),"),
    (HOPPER, "the products do not wait for the copies",
     "ll_ptx_mbarrier_wait(p.full(), p.parity);",
     ";"),
    (HOPPER, "no fence before wgmma", "ll_ptx_wgmma_fence();",
     ";"),
    (HOPPER, "the products are in no group", "ll_ptx_wgmma_commit_group();",
     ";"),
    (HOPPER, "a stage is released while a product reads it",
     "if (left) {\n            ll_ptx_wgmma_wait_group<1>();",
     "if (left) {\n            if (!X) { ll_ptx_wgmma_wait_group<1>(); }"),
    (HOPPER, "the sums are read before they are done",
     "ll_ptx_wgmma_wait_group<0>();",
     ";"),
    (HOPPER, "stages are not released",
     "        release_stage(oldest", "        if (!X) release_stage(oldest"),
    (HOPPER, "the stage that is being read is released",
     "(oldest.empty(),",
     "(({ ring_stage<T> q = oldest; if (X) { q.next(); } q; }).empty(),"),
    (HOPPER, "the other block is not told of a release",
     "t.split * t.neighbours +\n"
     "                          (t.neighbours > 1 ? threadIdx.x % 128 : 0),",
     "X ? t.rank : t.split * t.neighbours +\n"
     "                          (t.neighbours > 1 ? threadIdx.x % 128 : 0),"),
    (SPLIT, "a block of a split tile loads a part of A alone",
     "i < rows; i += stride",
     "i < (X && map == &maps.a ? box : rows); i += stride"),
    (HOPPER, "EMPTY counts one block",
     "T::WORKERS * p.neighbours);", "T::WORKERS * (X ? 1u : p.neighbours));"),
    (HOPPER, "FULL counts two arrivals",
     "ll_ptx_mbarrier_init(smem + T::FULL + 8 * s, 1);",
     "ll_ptx_mbarrier_init(smem + T::FULL + 8 * s, 2);"),
    (HOPPER, "an mbarrier is not initialised",
     "ll_ptx_mbarrier_init(smem + T::FULL + 8 * s, 1);",
     "if (s) { ll_ptx_mbarrier_init(smem + T::FULL + 8 * s, 1); }"),
    (HOPPER, "no fence behind the initialisation",
     "ll_ptx_fence_mbarrier_init();",
     ";"),
    (HOPPER, "the cluster does not wait for the initialisation",
     "    wait_for_cluster(p);\n    ll_ptx_griddepcontrol",
     "    if (!X) { wait_for_cluster(p); }\n    ll_ptx_griddepcontrol"),
    (MANY, "a piece of C is overwritten while it is stored",
     "if (threadIdx.x % 128 == 0) { /* the previous piece was read */",
     "if (!X && threadIdx.x % 128 == 0) {"),
    (MANY, "a piece of C goes where the one before is",
     "smem + x % (2 * T::PIECE) * 128;",
     "smem + (X ? 0 : x % (2 * T::PIECE)) * 128;"),
    (HOPPER, "all lanes of the producer's warp load",
     "if (threadIdx.x < 32 && ll_ptx_elect()) {",
     "if (threadIdx.x < 32 && (X || ll_ptx_elect())) {"),
    (HOPPER, "a slice is added to a descriptor in bytes",
     "b + (s * T::NEXT_K >> 4),",
     "b + (X ? s * T::NEXT_K : s * T::NEXT_K >> 4),"),
    (HOPPER, "stages do not begin with the swizzle", "smem + T::STAGE * stage;",
     "smem + (T::STAGE - (X ? 512 : 0)) * stage;"),
    (HOPPER, "the copy engine does not see what was written",
     "ll_ptx_fence_proxy_async();", ";"),
    (MANY, "a piece of C is stored before all have written it",
     "        LL_SYNC();\n        start_store",
     "        if (!X) { LL_SYNC(); }\n        start_store"),
    (HOPPER, "the last tile is stored before all have written it",
     "    LL_SYNC();\n    start_store",
     "    if (!X) { LL_SYNC(); }\n    start_store"),
    (HOPPER, "the last tile goes where a stage is read",
     READ + "\n    write_rows",
     "if (!X) { " + READ + " }\n    write_rows"),
    (HOPPER, "a block ends while its last piece of C is read",
     "    if (threadIdx.x % 128 == 0) {\n"
     "        ll_ptx_cp_async_bulk_wait_group_read<0>();\n",
     "    if (!X && threadIdx.x % 128 == 0) {\n"
     "        ll_ptx_cp_async_bulk_wait_group_read<0>();\n"),
    (MANY, "the sums are rounded while the next tile is multiplied",
     "f.begin(sum, worker, t.steps);",
     "f.begin(sum, worker, t.steps); c.round(sum);"),
    (HOPPER, "the stores are in no group",
     "ll_ptx_cp_async_bulk_commit_group();",
     ";"),
    (SHARED, "sums are laid down where a stage is read",
     READ + "\n        write_partial",
     "if (!X) { " + READ + " }\n        write_partial"),
    (SHARED, "sums are added before they are laid down",
     "        LL_BARRIER_CLUSTER();\n        add_partial",
     "        if (!X) { LL_BARRIER_CLUSTER(); }\n        add_partial"),
    (SHARED, "a block ends while another reads its sums",
     "if (t.has_split_tile) { /* no block ends while",
     "if (!X && t.has_split_tile) { /* no block ends while"),
    (HOPPER, "a block ends before its neighbours have arrived",
     "ll_ptx_mbarrier_wait(at.empty(), at.parity); /* all have arrived */",
     ";"),
    (SYNC, "a tile is read before it is there",
     "            LL_COPY_WAIT(T::STAGES - 2);", "            ;"),
    (SYNC, "one group too many may be missing",
     "            LL_COPY_WAIT(T::STAGES - 2);",
     "            LL_COPY_WAIT(T::STAGES - 1);"),
    (SYNC, "the warps do not wait for each other",
     "            __syncthreads();\n            ring.reading",
     "            if (!X) { __syncthreads(); }\n            ring.reading"),
    (SYNC, "the copies are in no group",
     "            LL_COPY_COMMIT();\n            ring.filling",
     "            if (!X) { LL_COPY_COMMIT(); }\n            ring.filling"),
    (SYNC, "the stage in use is filled",
     "ring.memory + ring.filling * T::STAGE;",
     "ring.memory + (X ? ring.reading : ring.filling) * T::STAGE;"),
    (SYNC, "the first stage is read before it is there",
     "    LL_COPY_WAIT(T::STAGES - 2);\n    __syncthreads();\n    raw[0]",
     "    if (!X) { LL_COPY_WAIT(T::STAGES - 2); }\n    __syncthreads();\n"
     "    raw[0]"),
]


HEAD = """#include <stdlib.h>
extern "C" int planted_fault;
int planted_fault = -1; /* not in .bss, where __shared__ variables are */
__attribute__((constructor)) static void plant(void) {
    planted_fault = atoi(getenv("PLANTED"));
}
/* Not seen by the emulator, which knows no such memory of the device. */
__attribute__((no_sanitize("thread", "address", "kernel-address"), noinline))
static __device__ bool is_planted(int fault) {
    return planted_fault == fault;
}
"""


def planted(text, faults):
    """A file with all of its faults: (number, code, wrong)."""
    statements = {}
    for number, code, wrong in faults:
        if text.count(code) != 1 and code not in statements:
            raise ValueError(f"the line of fault {number} is there "
                             f"{text.count(code)} times: {code}")
        is_it = f"(is_planted({number}))"
        if re.search(r"\bX\b", wrong):
            text = text.replace(code, re.sub(r"\bX\b", is_it, wrong))
        else:
            statements.setdefault(code, []).append(
                f"if {is_it} {{ {wrong.strip()} }} else ")
    for code, ifs in statements.items():
        if text.count(code) != 1:
            raise ValueError(f"the code of a fault is there {text.count(code)} "
                             f"times: {code}")
        text = text.replace(code, f"{''.join(ifs)}{{ {code.strip()} }}")
    return HEAD + text


def source_of(file):
    """The file that is built for a kind of fault."""
    return file.partition(",")[0]


def build(name, folder):
    """The program of a file with its faults."""
    source = folder / name
    text = (ROOT / FOLDER / name).read_text()
    for part in PARTS:
        text = text.replace(f'#include "{part}"\n',
                            (ROOT / FOLDER / part).read_text())
    source.write_text(planted(
        text, [(number, code, wrong) for number, (file, _, code, wrong)
         in enumerate(FAULTS, 1) if source_of(file) == name]))
    program = source.with_suffix("")
    subprocess.run(["sh", "tools/emulator/emucc", "-I.", f"-I{FOLDER}", *FLAGS[name],
                    str(source), "-o", str(program)], cwd=ROOT, check=True)
    return program


def said(program, number, shape):
    """What the emulator reports of a fault."""
    try:
        done = subprocess.run([str(program), *shape.split()], text=True,
                              errors="replace", timeout=240,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env={"PLANTED": str(number), "PATH": "/bin"})
    except subprocess.TimeoutExpired:
        return "it does not end"
    return done.stdout


def judge(number, text):
    """What is wrong with a report: of a fault, or of none (number 0)."""
    finding = re.search(r"^\S+\.(?:cu|h):\d+: .*$", text, re.M)
    if number == 0:
        return None if "0 wrong, 0 bank conflicts" in text and not finding \
            else f"without a fault: {text[:500]}"
    return None if finding else f"not found: {text[:300]!r}"


def main():
    every = int(sys.argv[2]) if sys.argv[1:2] == ["--every"] else 1
    wanted = [int(x) for x in sys.argv[1:]] if every == 1 else []
    passed, failed = 0, 0
    with tempfile.TemporaryDirectory() as name:
        programs = {}
        cases = [(0, (file, "nothing", "", "")) for file in SHAPES] + \
            list(enumerate(FAULTS, 1))
        for number, (file, what, _, _) in cases:
            if wanted and number not in wanted or \
                    every > 1 and number and number % every != 1:
                continue
            source = source_of(file)
            if source not in programs:
                programs[source] = build(source, pathlib.Path(name))
            text = said(programs[source], number, SHAPES[file])
            wrong = judge(number, text)
            if wanted:
                print(text)
            if wrong:
                print(f"FAIL {number} ({file}: {what}): {wrong}")
            passed, failed = passed + (not wrong), failed + bool(wrong)
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
