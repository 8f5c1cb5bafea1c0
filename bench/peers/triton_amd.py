"""triton_amd.py - instructions of Triton's conversions on gfx942 and gfx950.

triton_amd.py RESULT      writes one JSON object per line

Needs the wheel of Triton 3.6 (pip install triton==3.6.*), no torch and no GPU:
kernels are only compiled, for each of TARGETS. A kernel loads a tile in layout
`src`, converts it once, and stores it in layout `dst`. The script counts the
instructions of its assembly that move data between lanes, and those that select
bytes or registers. Loads and stores of global memory may need some of the
latter themselves: `copies` has the counts of a copy in layout `src` and of one
in `dst`. tests/data/README.md describes the other fields. Exit 1: an assembly
has an unknown shared-memory instruction or a branch, or a kernel does not have
exactly one conversion.

The cases are as in triton_convert.py, for warps of 64 lanes. A lane holds the
same number of bytes of a row, a block has four warps, and if lanes are doubled
along an axis, so is the tile; but 128 x 128 stays, or is 256 x 64, so that
4-byte elements fit in 64 KB. MFMA replaces mma. If its result is used as an
operand, it is also taken transposed (`t`), as Triton itself does.
"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import amd_counts # noqa: E402
import triton
from triton._C.libtriton import gluon_ir, ir
from triton.backends.compiler import GPUTarget
from triton.compiler.compiler import make_backend
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon._runtime import GluonASTSource

WARPS, LANES = 4, 64
# The version of AMDMFMALayout, and the bytes along k per lane of an operand.
TARGETS = {"gfx942": (3, 8), "gfx950": (4, 16)}


# ---- Layouts ------------------------------------------------

def blocked(registers, lanes, warps=(WARPS, 1), order=(1, 0)):
    return gl.BlockedLayout(list(registers), list(lanes), list(warps),
                            list(order))


def rows16(cols, bits):
    """16 bytes of a row per lane, each warp below the last one."""
    wide = 128 // bits
    across = min(LANES, cols // wide)
    return blocked((1, wide), (LANES // across, across))


def cols16(rows, bits):
    """The transpose of rows16."""
    wide = 128 // bits
    down = min(LANES, rows // wide)
    return blocked((wide, 1), (down, LANES // down), (1, WARPS), (0, 1))


def operand_width(target, bits):
    """Elements along k per lane, of the widest dense instruction."""
    return TARGETS[target][1] * 8 // bits


def mfma(target, side, bits, turned):
    """The accumulator of side x side x k, with k for elements of these bits."""
    k = operand_width(target, min(bits, 16)) * (LANES // side)
    return gl.amd.AMDMFMALayout(
        version=TARGETS[target][0], instr_shape=[side, side, k],
        transposed=turned, warps_per_cta=[WARPS, 1])


def operand(target, parent, bits):
    return gl.DotOperandLayout(0, parent, operand_width(target, bits))


def conversions(target):
    """Yields name, bits, rows, columns, and the two layouts."""
    for bits in (8, 16, 32):
        yield ("row16-col16", bits, 128, 128, rows16(128, bits),
               cols16(128, bits))
        yield ("row16-lanes", bits, 256, 64, rows16(64, bits),
               blocked((1, 1), (64, 1), order=(0, 1)))
        yield ("1x8.8x8-4x2.2x32", bits, 32, 64, blocked((1, 8), (8, 8)),
               blocked((4, 2), (2, 32)))
        yield ("1x4.1x64-1x1.1x64", bits, 16, 256, blocked((1, 4), (1, 64)),
               blocked((1, 1), (1, 64)))
        yield ("1x16.16x4-2x8.8x8", bits, 64, 64, blocked((1, 16), (16, 4)),
               blocked((2, 8), (8, 8)))
        for side in (32, 16):
            yield (f"mfma{side}-row16", bits, 128, 128,
                   mfma(target, side, bits, False), rows16(128, bits))
    for bits in (8, 16):
        for side in (32, 16):
            plain = mfma(target, side, bits, False)
            turned = mfma(target, side, bits, True)
            yield (f"row16-mfma{side}a", bits, 128, 64, rows16(64, bits),
                   operand(target, plain, bits))
            yield (f"mfma{side}-mfma{side}a", bits, 128, 128, plain,
                   operand(target, plain, bits))
            yield (f"mfma{side}t-mfma{side}a", bits, 128, 128, turned,
                   operand(target, turned, bits))


def encoding(a):
    """A layout in the format of triton_layouts.jsonl."""
    if isinstance(a, gl.DotOperandLayout):
        return {"kind": "dot_operand", "opIdx": a.operand_index,
                "kWidth": a.k_width, "parent": encoding(a.parent)}
    cga = {"in": [["block", []]], "out": [["dim0", 1], ["dim1", 1]]}
    if isinstance(a, gl.BlockedLayout):
        return {"kind": "blocked", "sizePerThread": a.size_per_thread,
                "threadsPerWarp": a.threads_per_warp,
                "warpsPerCTA": a.warps_per_cta, "order": a.order, "cga": cga}
    return {"kind": "amd_mfma", "version": a.version,
            "warpsPerCTA": a.warps_per_cta, "instrShape": a.instr_shape,
            "isTransposed": a.transposed, "tilesPerWarp": a.tiles_per_warp,
            "elementBitWidth": a.element_bitwidth, "cga": cga}


def column(basis):
    """A basis vector, [row, column], in the notation of ll: j0^i3."""
    bits = [f"{axis}{k}" for axis, value in (("j", basis[1]), ("i", basis[0]))
            for k in range(value.bit_length()) if value >> k & 1]
    return "^".join(bits) or "0"


def notation(target, a, shape):
    """Triton's linear layout of a, in the notation of ll."""
    context = ir.context()
    ir.load_dialects(context)
    make_backend(GPUTarget("hip", target, LANES)).load_dialects(context)
    builder = gluon_ir.GluonOpBuilder(context)
    builder.set_loc("", 0, 0)
    a = builder.to_linear_layout(a._to_ir(builder), list(shape))
    return " | ".join(
        f"{name}: " + " ".join(column(basis) for basis in bases)
        for name, bases in (("register", a.reg_bases), ("lane", a.lane_bases),
                            ("warp", a.warp_bases)))


# ---- Kernels ------------------------------------------------

@gluon.jit
def convert(dst, src, M: gl.constexpr, N: gl.constexpr, A: gl.constexpr,
            B: gl.constexpr):
    i = gl.arange(0, M, layout=gl.SliceLayout(1, A))
    j = gl.arange(0, N, layout=gl.SliceLayout(0, A))
    a = gl.load(src + i[:, None] * N + j[None, :])
    b = gl.convert_layout(a, B)
    i = gl.arange(0, M, layout=gl.SliceLayout(1, B))
    j = gl.arange(0, N, layout=gl.SliceLayout(0, B))
    gl.store(dst + i[:, None] * N + j[None, :], b)


def compiled(target, bits, m, n, a, b):
    kinds = {"dst": f"*i{bits}", "src": f"*i{bits}"}
    constants = {"M": m, "N": n, "A": a, "B": b}
    aligned = [["tt.divisibility", 16]]
    source = GluonASTSource(
        convert, {**kinds, **dict.fromkeys(constants, "constexpr")}, constants,
        {(0,): aligned, (1,): aligned})
    return triton.compile(source, target=GPUTarget("hip", target, LANES),
                          options={"num_warps": WARPS})


def counted(kernel):
    """The counts of a kernel."""
    if kernel.asm["ttgir"].count("ttg.convert_layout") != 1:
        sys.exit("a kernel should have one conversion")
    return amd_counts.sums(kernel.asm["amdgcn"])


def line(target, name, bits, m, n, a, b):
    kernel = compiled(target, bits, m, n, a, b)
    counts = counted(kernel)
    copies = [counted(compiled(target, bits, m, n, x, x)) for x in (a, b)]
    result = {"name": name, "target": target, "bits": bits, "shape": [m, n],
              "warps": WARPS, "src": notation(target, a, (m, n)),
              "dst": notation(target, b, (m, n)), "src_encoding": encoding(a),
              "dst_encoding": encoding(b),
              "shared_bytes": kernel.metadata.shared}
    instructions = counts.pop("instructions")
    result.update(counts)
    result["copies"] = [c["register_moves"] for c in copies]
    result["instructions"] = instructions
    return result


def main():
    with open(sys.argv[1], "w", encoding="ascii") as out:
        for target in TARGETS:
            for case in conversions(target):
                print(json.dumps(line(target, *case), separators=(",", ":")),
                      file=out)


if __name__ == "__main__":
    main()
