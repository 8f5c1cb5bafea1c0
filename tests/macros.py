#!/usr/bin/env python3
"""macros.py - no macro of the user changes the text of the headers.

Every word of one to seven capitals, digits and underscores that occurs in
CUDA's headers and does not end in _, and those of HIP, Windows and ordinary
kernels in WORDS, is defined as something that no program can hold before the
headers are included, all at once. Macros stay as they are. Then the headers
compile as C11, C++14 and C++17, and so does a kernel with every move (with
lambdas that have commas outside of parentheses), by nvcc and by clang for AMD;
and the emulator's headers, since `emucc -DN=4` is ordinary, too. A word in a
declaration of our own must be noticed. CC, CXX, CLANGXX and NVCC name the
compilers; one that is not there is skipped.
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
CLANGXX = os.environ.get("CLANGXX", "clang++")

WORDS = """
A ADD ADDR ALIGN ALL ALPHA AND ANY APIENTRY ARG ARGS ARRAY ASSERT AT ATOMIC AXIS
B BACK BANK BANKS BASE BATCH BETA BIAS BITS BK BLK BLOCK BLOCKS BM BN BOOL BUF
BUFFER BY BYTE BYTES C CALL CEIL CHAR CHECK CHUNK CLAMP COL COLS CONST COUNT CTA
D DATA DEBUG DEPTH DIM DIMS DIV DONE DST DWORD DIFF E EACH ELEM ELEMS END ENTRY
EPS ERROR EVEN EXP EXPECT F FAIL FALSE FAR FIRST FLAG FLAGS FLIP FLOAT FMT FOLD
FP16 FP32 FP8 FROM FULL G GFX GRID GROUP H HALF HALO HAS HEAD HEADS HIGH HINT
HOLDER HOP HOPS HOW I IDX IMAX IMIN IN INDEX INF INIT INLINE INOUT INPUT INT
INT16 INT32 INT64 INT8 ITEMS ITER J K KIND L LANE LANES LAST LDA LDB LDC LEFT LEN
LEVEL LIMIT LINE LIST LOAD LOG LOG2 LONG LOW LOWER M MAD MAP MASK MATRIX MAX MEM
MEMORY MFMA MIN MOD MODE MORE MOST MOVE MUL N NAME NAN NEAR NEXT NINF NOPE NOT NT
NULL NUM O ODD OFF OFFSET OK ON ONE OP OPEN OR ORDER OUT OUTPUT P PACK PAD PAIR
PART PARTS PASS PASSES PATH PER PI PLACE PLAN POS POW2 PTR PTX Q QUAD R RADIUS
RANK READ RED REG REGS REST RIGHT ROUND ROW ROWS RUN S SCALE SCAN SEED SEQ SHAPE
SHARED SHIFT SHORT SIDE SIGN SIZE SKIP SLOT SMALL SMEM SPARE SRC SRCS STAGE STAGES
START STEP STEPS STORE STREAM STRIDE SUB SUM SWAP SYNC T TA TAB TAIL TB TC TEAM
TEMP TEST TEXT THIS THREADS TILE TILES TIMES TM TMP TN TO TOP TOTAL TRANS TREE
TRUE TURN TWICE TWO TYPE U U16 U32 U64 U8 UINT UINT32 UNIT UNROLL UP UPPER USE V
VAL VALUE VEC VECTOR VIEW VOID W WAIT WARP WARPS WAVE WAY WIDE WIDTH WITH WMMA
WORD WORDS WRITE X X0 X1 XOR Y Y0 Y1 Z ZERO CALLBACK WINAPI CDECL PASCAL HANDLE
LPARAM WPARAM LRESULT HRESULT INFINITE DELETE IGNORE OPTIONAL STRICT TEXTURE
""".split()

KERNEL = """
LL_LAYOUT(Rows, ll_rows_of(Spec()));
LL_LAYOUT(Cols, ll_trans(LL_GET(Rows), "j i"));
LL_LAYOUT(Line, ll_reduce(LL_GET(Rows), LL_J));
LL_PLAN(Turn, Rows, Cols, 32, TARGET);
LL_PLAN_BY(Feed, Rows, Cols, 32, TARGET, LL_COPIES);
LL_REDUCE_PLAN(Sums, Rows, LL_J, 32, TARGET);
LL_SCAN_PLAN(Runs, Rows, LL_J, 32, TARGET);
LL_GATHER_PLAN(Fetch, Rows, Rows, LL_J, 32, TARGET);
LL_EXPECT_KIND(Turn, LL_SHARED);
LL_EXPECT_NO_CONFLICTS(Turn);
LL_EXPECT_VECTOR(Rows, 4);

__global__ void kernel(unsigned *dst, const unsigned *src) {
    static __shared__ __attribute__((aligned(16))) unsigned char
        smem[LL_SMEM_BYTES(Turn) + LL_SMEM_BYTES(Runs) + LL_SMEM_BYTES(Fetch)];
    unsigned a[LL_REGS(Rows)], b[LL_REGS(Cols)], c[LL_REGS(Line)];
    LL_LOAD(a, Rows, src, 64);
    LL_CONVERT(b, a, Turn, smem);
    LL_STORE_SHARED(a, Turn, smem);
    LL_LOAD_SHARED(b, Turn, smem);
    LL_COPY(Feed, smem, src, 64, 60, 60);
    LL_COPY_COMMIT();
    LL_COPY_WAIT(0);
    const unsigned low = src[0], high = src[1];
    LL_REDUCE(c, a, Sums, smem, [low, high](unsigned x, unsigned y) {
        return (x + y) & low & high;
    });
    LL_SCAN(a, b, Runs, smem, [low, high](unsigned x, unsigned y) {
        return x + y + (low & high);
    });
    LL_SCAN_BEFORE(b, a, Runs, smem, [low, high](unsigned x, unsigned y) {
        return x + y + (low & high);
    }, 0u);
    LL_GATHER(a, b, a, Fetch, smem);
    LL_EACH(r, Rows) {
        a[r] += LL_AT(Rows, LL_I, r);
    }
    LL_STORE_BY(a, Rows, LL_STREAM, dst, 64 * LL_VECTOR(Rows, unsigned), 60, 60);
    dst[0] = c[0];
}
"""
TENSOR = """
LL_LAYOUT(Left, ll_ptx_mma_a(64, 32, 16, 4));
LL_LAYOUT(Right, ll_ptx_mma_b(32, 64, 16, 4));
LL_LAYOUT(Both, ll_ptx_mma_c(64, 64, 4));

__global__ void product(float *dst, const unsigned *src) {
    unsigned a[LL_WORDS(Left, 16)] = {src[0]}, b[LL_WORDS(Right, 16)];
    unsigned raw[LL_WORDS(Right, 8)] = {src[1]};
    float c[LL_REGS(Both)] = {};
    LL_CAST(b, raw, ll_bf16, ll_s8);
    LL_MMA(c, Both, a, Left, b, Right, 16, ll_ptx_mma_m16n8k16_f32_bf16);
    dst[threadIdx.x] = c[0];
}
"""
SPEC = """
constexpr BOTH ll_rows_spec Spec() {
    ll_rows_spec s = {};
    s.rows = s.cols = 64;
    s.lanes = TARGET.lanes;
    return s;
}
"""
CUDA = "#define TARGET LL_SM80\n#define BOTH __host__ __device__\n"
HIP = ("#define TARGET ll_amd_target(0x90a, 64)\n"
       "#define BOTH __attribute__((host)) __attribute__((device))\n")
HIP_WORDS = ("#define __global__ __attribute__((global))\n"
             "#define __shared__ __attribute__((shared))\n")
EMULATOR = ROOT / "tools/emulator"
EMULATED = ["emu.h"] + [f"include/{name}.h" for name in (
    "cuda_runtime", "cuda_fp16", "cuda_bf16", "cuda_fp8", "cuda",
    "cooperative_groups", "nccl")]


def standard_headers():
    """What the emulator's headers include of the compiler's own."""
    found = set()
    for name in EMULATED + ["include/emu_floats.h",
                            "include/device_functions.h",
                            "include/vector_types.h"]:
        found |= set(re.findall(r"#include <(?!cuda_).*>",
                                (EMULATOR / name).read_text()))
    return "".join(line + "\n" for line in sorted(found))


def include_folder():
    nvcc = shutil.which(NVCC)
    return nvcc and pathlib.Path(nvcc).resolve().parent.parent / "include"


def words():
    """All words to be defined. A name of the library is not the user's."""
    found = set(WORDS)
    folder = include_folder()
    for path in sorted(folder.glob("*.h")) if folder else []:
        found |= set(re.findall(r"\b[A-Z](?:[A-Z0-9_]{0,5}[A-Z0-9])?\b",
                                path.read_text(errors="replace")))
    return sorted(w for w in found if not w.startswith("LL_"))


def poison(folder, name, first):
    """A file that includes what the system needs, and then defines all."""
    path = folder / name
    path.write_text(first + "".join(f"#ifndef {w}\n#define {w} @\n#endif\n"
                                    for w in words()))
    return path


def run(*command):
    done = subprocess.run([str(c) for c in command], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout[:1500] or "it fails" if done.returncode else ""


def cases(folder):
    """Name, compiler, flags and text of everything that is to compile."""
    both = '#include "ll_ptx.h"\n#include "ll_amd.h"\n'
    sorts = "#define LL_SORTS 1\n#define LL_CLUSTERS 1\n"
    all_of_it = sorts + both + '#include "tools/reshard/ll_reshard.h"\n' \
        '#include "tools/views/ll_views.h"\n'
    host = poison(folder, "host.h", "")
    cuda = poison(folder, "cuda.h", "#include <cuda_runtime.h>\n")
    hip = poison(folder, "hip.h", HIP_WORDS)
    cc, cxx = os.environ.get("CC", "gcc"), os.environ.get("CXX", "g++")
    check = ["-fsyntax-only", "-Wall", "-Wextra", "-Werror"]
    yield "C11", cc, ["-x", "c", "-std=c11", *check], host, all_of_it
    for standard in ("c++14", "c++17"):
        yield standard, cxx, ["-x", "c++", f"-std={standard}", *check], host, \
            all_of_it
    emulator = poison(folder, "emu.h", standard_headers())
    yield "emulator", cxx, ["-x", "c++", "-std=c++17", "-fsyntax-only",
                            f"-I{EMULATOR}/include"], emulator, \
        "".join(f'#include "{EMULATOR / name}"\n' for name in EMULATED)
    yield "nvcc", NVCC, ["-x", "cu", "-std=c++17", "-arch=sm_80", "-ptx", "-o",
                         os.devnull], cuda, \
        "#define LL_TENSOR\n" + sorts + both + CUDA + SPEC + KERNEL + TENSOR
    yield "HIP", CLANGXX, ["-x", "hip", "-std=c++17", "-nogpulib", "-nogpuinc",
                           "--offload-arch=gfx90a", "--cuda-device-only",
                           "-fsyntax-only"], hip, \
        sorts + '#include "ll_amd.h"\n' + HIP + SPEC + KERNEL


def main():
    passed, failed, skipped = 0, 0, 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for title, compiler, flags, first, text in cases(folder):
            if not shutil.which(compiler):
                print(f"skipped: {compiler} is not here")
                skipped += 1
                continue
            source = folder / "all.txt"
            source.write_text(text)
            command = [compiler, *flags, "-I", ROOT, "-include", first, source]
            why = run(*command)
            if not why:
                source.write_text(text + "enum { WORDS = 1 };\n")
                why = "" if run(*command) else "a word of ours is not noticed"
            passed += not why
            failed += bool(why)
            if why:
                print(f"FAIL {title}: {why}")
    # PyPI's parts of CUDA have 226 words that WORDS lacks, a toolkit more
    if len(words()) < len(set(WORDS)) + (200 if include_folder() else 0):
        failed += 1
        print(f"FAIL only {len(words())} words were found")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
