"""triton_quantise.py - Triton's kernels that quantise, for more.py: rows of
e4m3 with a scale each, and groups of 128 or 32 elements that share one."""
import torch
import triton
import triton.language as tl

from timing import SKIPPED

# rows, chunk, warps
TILINGS = {1024: (4, 0, 8), 4096: (2, 0, 16), 16384: (1, 0, 16),
           65536: (1, 0, 32), 262144: (0, 16384, 16)}


@triton.jit
def rows_of(dst, scales, src, n, ROWS: tl.constexpr, N: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    at = i[:, None] * n + tl.arange(0, N)[None, :]
    x = tl.load(src + at).to(tl.float32)
    scale = tl.maximum(tl.max(tl.abs(x), 1), 1e-12) / 448
    tl.store(scales + i, scale)
    tl.store(dst + at, (x * (1 / scale)[:, None]).to(tl.float8e4nv))


@triton.jit
def rows_by_loop(dst, scales, src, n, CHUNK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64)
    j = i * n + tl.arange(0, CHUNK)
    most = tl.zeros([CHUNK], tl.float32)
    for k in range(0, n, CHUNK):
        most = tl.maximum(most, tl.abs(tl.load(src + j + k).to(tl.float32)))
    scale = tl.maximum(tl.max(most, 0), 1e-12) / 448
    tl.store(scales + i, scale)
    for k in range(0, n, CHUNK):
        x = tl.load(src + j + k).to(tl.float32)
        tl.store(dst + j + k, (x * (1 / scale)).to(tl.float8e4nv))


@triton.jit
def to_mx(x):
    """Quantises groups, the last axis: elements and scales."""
    most = tl.max(tl.abs(x), 2)
    scale = tl.maximum((most.to(tl.int32, bitcast=True) >> 23) - 8, 1)
    by = ((254 - scale) << 23).to(tl.float32, bitcast=True)
    y = tl.minimum(tl.maximum(x * by[:, :, None], -448.0), 448.0)
    return y.to(tl.float8e4nv), scale.to(tl.uint8)


@triton.jit
def to_fp8(x):
    scale = tl.maximum(tl.max(tl.abs(x), 2), 1e-12) / 448
    return (x * (1 / scale)[:, :, None]).to(tl.float8e4nv), scale


@triton.jit
def tile_of_groups(dst, scales, x, i, j, m, n, GROUP: tl.constexpr,
                   WIDE: tl.constexpr, TALL: tl.constexpr):
    """Quantises a tile: lines i of m, from element j of n on."""
    x = tl.reshape(x, [TALL, WIDE // GROUP, GROUP])
    row = i + tl.arange(0, TALL)
    group = j // GROUP + tl.arange(0, WIDE // GROUP)
    if GROUP == 128:
        y, scale = to_fp8(x)
        at = group[None, :] * m + row[:, None]
    else:
        y, scale = to_mx(x)
        at = row[:, None] * (n // GROUP) + group[None, :]
    tl.store(scales + at, scale)
    to = row[:, None] * n + (j + tl.arange(0, WIDE))[None, :]
    tl.store(dst + to, tl.reshape(y, [TALL, WIDE]))


@triton.jit
def groups_of(rows, of_rows, cols, of_cols, src, m, n, GROUP: tl.constexpr,
              ROWS: tl.constexpr, COLS: tl.constexpr, WIDE: tl.constexpr,
              TALL: tl.constexpr):
    i = tl.program_id(1).to(tl.int64) * TALL
    j = tl.program_id(0).to(tl.int64) * WIDE
    at = (i + tl.arange(0, TALL))[:, None] * n
    x = tl.load(src + at + (j + tl.arange(0, WIDE))[None, :]).to(tl.float32)
    if ROWS:
        tile_of_groups(rows, of_rows, x, i, j, m, n, GROUP, WIDE, TALL)
    if COLS:
        tile_of_groups(cols, of_cols, tl.trans(x), j, i, n, m, GROUP, TALL,
                       WIDE)


def tried(f, *given):
    """{"triton": a call of f(*given)}. Empty if Triton does not compile it;
    SKIPPED then says why."""
    try:
        f(*given)
        torch.cuda.synchronize()
    except Exception as error:
        SKIPPED.append(f"{f.__name__}: {str(error).splitlines()[:1]}")
        return {}
    return {"triton": lambda: f(*given)}


def run_rows(dst, scales, src):
    rows, n = src.shape
    tall, chunk, warps = TILINGS[n]
    if tall:
        rows_of[(rows // tall,)](dst, scales, src, n, ROWS=tall, N=n,
                                 num_warps=warps)
    else:
        rows_by_loop[(rows,)](dst, scales, src, n, CHUNK=chunk,
                              num_warps=warps)


def run_groups(given, src, group):
    """given: elements and scales of `rows`, of `columns`, or of both."""
    m, n = src.shape
    rows, cols = (given.get(way, (src, src)) for way in ("rows", "columns"))
    wide, tall = (1024, 4) if "columns" not in given else (128, 128)
    groups_of[(n // wide, m // tall)](
        *rows, *cols, src, m, n, GROUP=group, ROWS="rows" in given,
        COLS="columns" in given, WIDE=wide, TALL=tall, num_warps=4)
