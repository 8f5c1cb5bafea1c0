"""triton_paper.py - Triton 3.6 in the paper's tables that count and compare.

triton_paper.py FACTS       writes its figures into tests/data/paper.json

Needs the wheel of Triton 3.6 (pip install triton==3.6.*). The widths of loads
and stores and the instructions of reductions are read from kernels that are
compiled for sm_90 and not run. If PyTorch has a GPU, the reductions also run,
and the GEMMs of two types: the 784 cases of device/mixed.cu, each a kernel with
tl.dot. Figures that bench/results lacks are measured in the same way:
conversions of larger tiles as in triton_convert.py, a GEMM with mxfp4 as in
lowbit_peers.py. Without a GPU, the figures known before stay.

Layouts and shapes of the reductions are as in tests/test_reduce.c, without
the flip of its own layout, which Triton cannot express. tl.dot takes operands
of one type, so a GEMM converts both to the type of the operand that is no
integer, or to f16 if that has 8 bits.
"""
import collections
import json
import multiprocessing
import pathlib
import re
import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon._runtime import GluonASTSource

try:
    import torch
    GPU = torch.cuda.is_available()
except ImportError:
    GPU = False

TARGET, WARPS = GPUTarget("cuda", 90, 32), 4
ALIGNED = {(k,): [["tt.divisibility", 16]] for k in range(2)}


def compiled(kind, kernel, element, warps, **constants):
    """Compiles a kernel of two pointers and constants."""
    types = {"dst": f"*{element}", "src": f"*{element}"}
    source = kind(kernel, {**types, **dict.fromkeys(constants, "constexpr")},
                  constants, ALIGNED)
    return triton.compile(source, target=TARGET, options={"num_warps": warps})


# ---- Widths of loads and stores --------------------------------------------

@triton.jit
def copy(dst, src, N: tl.constexpr):
    at = tl.arange(0, 512)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(dst + at, tl.load(src + at))


def width(n, bits):
    """The bits of the narrowest access of [512, n], in a layout of its
    choice."""
    text = compiled(ASTSource, copy, {8: "fp8e4nv", 16: "fp16"}[bits], WARPS,
                    N=n).asm["ptx"]
    found = re.findall(r"(?:ld|st)\.global(?:\.v(\d))?\.b(\d+)", text)
    return min(int(v or 1) * int(b) for v, b in found)


# ---- Reductions ------------------------------------------------------------

@gluon.jit
def reduce_matrix(dst, src, M: gl.constexpr, N: gl.constexpr,
                  AXIS: gl.constexpr, A: gl.constexpr):
    i = gl.arange(0, M, layout=gl.SliceLayout(1, A))
    j = gl.arange(0, N, layout=gl.SliceLayout(0, A))
    sums = gl.sum(gl.load(src + i[:, None] * N + j[None, :]), AXIS)
    k = gl.arange(0, M if AXIS == 1 else N, layout=gl.SliceLayout(AXIS, A))
    gl.store(dst + k, sums)


@gluon.jit
def reduce_line(dst, src, N: gl.constexpr, A: gl.constexpr):
    i = gl.arange(0, N, layout=A)
    gl.store(dst, gl.sum(gl.load(src + i), 0))


def own(rows, cols):
    """Rows with 16 bytes per lane, each element in two registers and warps."""
    bits = [[0, 1 << k] for k in range(cols.bit_length() - 1)] + \
        [[1 << k, 0] for k in range(rows.bit_length() - 1)]
    bits += [[0, 0]] * (9 - len(bits))
    return gl.DistributedLinearLayout(
        bits[:2] + bits[9:] + [[0, 0]], bits[2:7], bits[7:9] + [[0, 0]], [],
        [rows, cols])


def families(rows, cols):
    """Yields name, name of the slices or None, layout, warps."""
    mma, wgmma = (gl.NVMMADistributedLayout(
        version=[v, 0], warps_per_cta=[WARPS, 1], instr_shape=shape)
        for v, shape in ((2, [16, 8]), (3, [16, 16, 16])))
    for a in (gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0]),
              gl.BlockedLayout([4, 1], [4, 8], [1, 4], [0, 1])):
        yield "blocked", "sliced blocked", a, WARPS
    yield "mma", "sliced mma", mma, WARPS
    yield "mma", None, wgmma, WARPS
    yield "mma input", "sliced mma input", gl.DotOperandLayout(0, mma, 2), WARPS
    yield "custom", None, own(rows, cols), 2 * WARPS


def is_sum(kernel, shape, axis, warps, constants):
    """Is a reduction of small integers correct on this GPU?"""
    src = torch.randint(-3, 5, shape, device="cuda").float()
    want = src.sum(axis)
    dst = torch.full_like(want, 99)
    kernel[(1,)](dst, src, **constants, num_warps=warps)
    return torch.equal(dst, want)


def reductions():
    """Passed cases and shared-memory instructions by family."""
    passed, count = collections.Counter(), collections.Counter()
    cases = []
    for m, n in ((128, 16), (128, 128), (32, 128), (32, 32), (16, 16)):
        for name, sliced, a, warps in families(m, n):
            for axis in range(2):
                cases.append((name, reduce_matrix, (m, n), axis, warps,
                              {"M": m, "N": n, "AXIS": axis, "A": a}))
                if sliced:
                    left = (m, n)[1 - axis]
                    cases.append((sliced, reduce_line, (left,), 0, warps, {
                        "N": left, "A": gl.SliceLayout(axis, a)}))
    for name, kernel, shape, axis, warps, constants in cases:
        text = compiled(GluonASTSource, kernel, "fp32", warps,
                        **constants).asm["ptx"]
        count[name] += len(re.findall(
            r"\b(?:ld|st|red|atom)\.shared|\b(?:ld|st)matrix", text))
        passed[name] += GPU and is_sum(kernel, shape, axis, warps, constants)
    return {name: (passed[name] if GPU else None, count[name])
            for name in count}


# ---- GEMMs of two types ----------------------------------------------------

TYPES = {"s8": "int8", "s16": "int16", "s32": "int32", "s64": "int64",
         "e4m3": "float8_e4m3fn", "e5m2": "float8_e5m2", "f16": "float16",
         "bf16": "bfloat16", "f32": "float32", "f64": "float64"}
WIDE = {"f16": tl.float16, "bf16": tl.bfloat16, "f32": tl.float32,
        "f64": tl.float64, "e4m3": tl.float16, "e5m2": tl.float16}


@triton.jit
def product(c, a, b, m, n, k, am, ak, bk, bn, M: tl.constexpr, N: tl.constexpr,
            K: tl.constexpr, WIDE: tl.constexpr, SUM: tl.constexpr):
    i = (tl.program_id(0) * M + tl.arange(0, M))[:, None]
    j = (tl.program_id(1) * N + tl.arange(0, N))[None, :]
    sums = tl.zeros((M, N), SUM)
    for start in range(0, k, K):
        x = (start + tl.arange(0, K))[None, :]
        y = (start + tl.arange(0, K))[:, None]
        left = tl.load(a + i * am + x * ak, (i < m) & (x < k), 0.0).to(WIDE)
        right = tl.load(b + y * bk + j * bn, (y < k) & (j < n), 0.0).to(WIDE)
        sums = tl.dot(left, right, sums, input_precision="ieee", out_dtype=SUM)
    tl.store(c + i * n + j, sums, (i < m) & (j < n))


def is_product(case):
    """Is a GEMM of small integers correct? If not, a message says why."""
    row, a, b, (m, n, k), by = case
    torch.manual_seed(1)
    x, y = (torch.randint(-3, 5, s, device="cuda") for s in ((m, k), (k, n)))
    wide = WIDE[b if b in WIDE and a not in WIDE else a]
    double = wide is tl.float64
    left, right = (v.to(getattr(torch, TYPES[t])) for v, t in ((x, a), (y, b)))
    left = left.t().contiguous().t() if by & 2 else left
    right = right.t().contiguous().t() if by & 1 else right
    out = torch.full((m, n), 0.5, device="cuda",
                     dtype=torch.float64 if double else torch.float32)
    block = [min(max(triton.next_power_of_2(s), 16), 32 if double else 64)
             for s in (m, n, k)]
    try:
        product[(triton.cdiv(m, block[0]), triton.cdiv(n, block[1]))](
            out, left, right, m, n, k, *left.stride(), *right.stride(), *block,
            wide, tl.float64 if double else tl.float32, num_warps=WARPS)
        right_ = torch.equal(out.double(), x.double() @ y.double())
        return row, right_, "" if right_ else f"{case}: other numbers"
    except Exception as error:
        return row, False, f"{case}: {error!r}"[:300]


def cases_of(text):
    """The paper's cases, read from device/mixed.cu."""
    shapes = [tuple(map(int, s)) for s in re.findall(
        r"\{(\d+), (\d+), (\d+)\}",
        re.search(r"SHAPES\[\]\[3\] = (.*?);", text, re.S)[1])]
    table = re.search(r"ROWS_OF_TABLE\[\] = \{(.*?)\};", text, re.S)[1]
    for row, of, pairs in re.findall(r'\{"(\S+)", (\d+), \{(.*?)\}\}', table):
        found = [(row, a, b, shape, by)
                 for a, b in re.findall(r"\{(\w+), (\w+)\}?", pairs + "}")
                 for shape in (shapes if re.search(r"s8|e\dm\d", a + b)
                               else shapes[:8])
                 for by in range(4)]
        if len(found) != int(of):
            sys.exit(f"{row}: {len(found)} cases, {of} expected")
        yield from found


def products(root):
    cases = list(cases_of((root / "bench/device/mixed.cu").read_text()))
    passed = collections.Counter({case[0]: 0 for case in cases})
    with multiprocessing.get_context("spawn").Pool(16) as pool:
        for row, good, why in pool.imap_unordered(is_product, cases, 4):
            passed[row] += good
            if why:
                print(why, flush=True)
    return passed


# ---- Times -----------------------------------------------------------------

def conversions():
    """Nanoseconds per conversion from [1,16]x[8,4] to [2,8]x[4,8]."""
    import triton_convert
    for rows, cols in ((32, 64), (64, 64), (64, 128), (128, 128)):
        for bits in (8, 16, 32):
            case = ("", bits, rows, cols,
                    triton_convert.blocked((1, 16), (8, 4)),
                    triton_convert.blocked((2, 8), (4, 8)))
            row = triton_convert.measure(
                f"{rows}x{cols}", triton_convert.CONVERT_TRIPS,
                lambda case=case: triton_convert.conversion(case))
            yield {"tile": row["name"], "bits": bits, "ns": round(row["ns"], 1)}


def mxfp4(rows):
    """TFLOP/s of the GEMMs with mxfp4 that are not known."""
    import lowbit_peers
    torch.backends.cuda.matmul.allow_tf32 = False
    for row in rows:
        if row["triton"] is None:
            found = lowbit_peers.prefilling(row["m"], row["n"])
            row["triton"] = round(found["tflops"]) if found["right"] else None


def main():
    path = pathlib.Path(sys.argv[1])
    facts = json.loads(path.read_text())
    for row in facts["contiguity"]["rows"]:
        row["triton_3_6"] = width(row["tensor"][1], row["bits"])
    found = reductions()
    for row in facts["broadcasting"]["rows"]:
        passed, row["triton_3_6"] = found[row["layout"]]
        if GPU:
            row["triton_3_6_passed"] = passed
    if GPU:
        facts["conversion"]["rows"] = list(conversions())
        mxfp4(facts["mxfp4"]["rows"])
        found = products(pathlib.Path(__file__).resolve().parents[2])
        for row in facts["mixed"]["rows"]:
            row["triton_3_6"] = found[row["types"]]
    path.write_text(re.sub(r"(?m)(?<=^   )\{[^{}]*\}", lambda row: json.dumps(
        json.loads(row[0])), json.dumps(facts, indent=1)) + "\n")


if __name__ == "__main__":
    main()
