"""triton_rows.py - the kernels of bench/kernels.py in Triton, as its tutorials
write them: a block holds a row, or goes over it in chunks.

Each has one tiling for a size, the best of four to eight that were tried on an
H200: rows and warps, or the chunk of a loop and its warps.
"""
import triton
import triton.language as tl

# softmax, rmsnorm and layernorm: type, size -> rows or 0, chunk, warps
TILINGS = {
    ("softmax", "f32"): {1024: (1, 0, 4), 4096: (2, 0, 16), 16384: (1, 0, 16),
                         65536: (0, 16384, 32), 262144: (0, 16384, 32)},
    ("softmax", "bf16"): {1024: (2, 0, 4), 4096: (2, 0, 16), 16384: (1, 0, 8),
                          65536: (0, 8192, 16), 262144: (0, 8192, 16)},
    ("rmsnorm", "bf16"): {1024: (2, 0, 4), 4096: (2, 0, 8), 16384: (1, 0, 8),
                          65536: (0, 16384, 32), 262144: (0, 8192, 16)},
    ("layernorm", "bf16"): {1024: (2, 0, 4), 4096: (2, 0, 8),
                            16384: (1, 0, 8), 65536: (0, 16384, 32),
                            262144: (0, 16384, 32)},
}


@triton.jit
def softmax_rows(dst, src, n, ROWS: tl.constexpr, N: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    j = tl.arange(0, N)
    at = i[:, None] * n + j[None, :]
    there = j[None, :] < n
    x = tl.load(src + at, mask=there, other=-float("inf")).to(tl.float32)
    x = tl.exp(x - tl.max(x, 1)[:, None])
    y = x / tl.sum(x, 1)[:, None]
    tl.store(dst + at, y.to(dst.dtype.element_ty), mask=there)


@triton.jit
def softmax_loop(dst, src, n, CHUNK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * n
    j = tl.arange(0, CHUNK)
    most = tl.full([CHUNK], -1e38, tl.float32)
    total = tl.zeros([CHUNK], tl.float32)
    for k in range(0, n, CHUNK):
        x = tl.load(src + row + k + j, mask=k + j < n,
                    other=-float("inf")).to(tl.float32)
        new = tl.maximum(most, x)
        total = total * tl.exp(most - new) + tl.exp(x - new)
        most = new
    top = tl.max(most, 0)
    scale = 1 / tl.sum(total * tl.exp(most - top), 0)
    for k in range(0, n, CHUNK):
        x = tl.load(src + row + k + j, mask=k + j < n, other=0).to(tl.float32)
        y = tl.exp(x - top) * scale
        tl.store(dst + row + k + j, y.to(dst.dtype.element_ty),
                 mask=k + j < n)


@triton.jit
def norm_rows(dst, src, gain, bias, n, least, ROWS: tl.constexpr,
              N: tl.constexpr, LAYER: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    j = tl.arange(0, N)
    at = i[:, None] * n + j[None, :]
    there = j[None, :] < n
    x = tl.load(src + at, mask=there, other=0).to(tl.float32)
    g = tl.load(gain + j, mask=j < n, other=0).to(tl.float32)
    if LAYER:
        x = tl.where(there, x - (tl.sum(x, 1) / n)[:, None], 0)
    scale = tl.rsqrt(tl.sum(x * x, 1) / n + least)
    y = x * scale[:, None] * g[None, :]
    if LAYER:
        y += tl.load(bias + j, mask=j < n, other=0).to(tl.float32)[None, :]
    tl.store(dst + at, y.to(dst.dtype.element_ty), mask=there)


@triton.jit
def norm_loop(dst, src, gain, bias, n, least, CHUNK: tl.constexpr,
              LAYER: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * n
    j = tl.arange(0, CHUNK)
    total = tl.zeros([CHUNK], tl.float32)
    squares = tl.zeros([CHUNK], tl.float32)
    for k in range(0, n, CHUNK):
        x = tl.load(src + row + k + j, mask=k + j < n, other=0).to(tl.float32)
        total += x
        squares += x * x
    mean = tl.sum(total, 0) / n if LAYER else 0.0
    scale = tl.rsqrt(tl.sum(squares, 0) / n - mean * mean + least)
    for k in range(0, n, CHUNK):
        x = tl.load(src + row + k + j, mask=k + j < n, other=0).to(tl.float32)
        g = tl.load(gain + k + j, mask=k + j < n, other=0).to(tl.float32)
        y = (x - mean) * scale * g
        if LAYER:
            y += tl.load(bias + k + j, mask=k + j < n, other=0).to(tl.float32)
        tl.store(dst + row + k + j, y.to(dst.dtype.element_ty),
                 mask=k + j < n)


@triton.jit
def loss_loop(losses, src, targets, n, CHUNK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64)
    j = tl.arange(0, CHUNK)
    most = tl.full([CHUNK], -1e38, tl.float32)
    total = tl.zeros([CHUNK], tl.float32)
    for k in range(0, n, CHUNK):
        x = tl.load(src + i * n + k + j, mask=k + j < n,
                    other=-float("inf")).to(tl.float32)
        new = tl.maximum(most, x)
        total = total * tl.exp(most - new) + tl.exp(x - new)
        most = new
    top = tl.max(most, 0)
    total = tl.sum(total * tl.exp(most - top), 0)
    x = tl.load(src + i * n + tl.load(targets + i)).to(tl.float32)
    tl.store(losses + i, tl.log(total) + top - x)


@triton.jit
def rope_tokens(dst, src, cosine, sine, positions, HEADS: tl.constexpr,
                D: tl.constexpr):
    token = tl.program_id(0).to(tl.int64)
    i = tl.arange(0, HEADS)
    j = tl.arange(0, D // 2)
    at = token * HEADS * D + i[:, None] * D + j[None, :]
    x = tl.load(src + at).to(tl.float32)
    y = tl.load(src + at + D // 2).to(tl.float32)
    row = token % positions * (D // 2) + j
    c = tl.load(cosine + row)[None, :]
    s = tl.load(sine + row)[None, :]
    tl.store(dst + at, (x * c - y * s).to(dst.dtype.element_ty))
    tl.store(dst + at + D // 2, (y * c + x * s).to(dst.dtype.element_ty))


@triton.jit
def quantise_tiles(rows, cols, of_rows, of_cols, src, m, n):
    i = tl.program_id(1).to(tl.int64) * 128 + tl.arange(0, 128)
    j = tl.program_id(0).to(tl.int64) * 128 + tl.arange(0, 128)
    x = tl.load(src + i[:, None] * n + j[None, :]).to(tl.float32)
    r = tl.maximum(tl.max(tl.abs(x), 1), 1e-12) / 448
    c = tl.maximum(tl.max(tl.abs(x), 0), 1e-12) / 448
    tl.store(of_rows + tl.program_id(0).to(tl.int64) * m + i, r)
    tl.store(of_cols + tl.program_id(1).to(tl.int64) * n + j, c)
    by_rows = (x * (1 / r)[:, None]).to(tl.float8e4nv)
    by_cols = (x * (1 / c)[None, :]).to(tl.float8e4nv)
    tl.store(rows + i[:, None] * n + j[None, :], by_rows)
    tl.store(cols + j[:, None] * m + i[None, :], tl.trans(by_cols))


def run(kernel, kind, dst, src, more, n):
    """Runs the kernel of this name; returns False where there is none."""
    rows = src.numel() // n
    size = triton.next_power_of_2(n)
    if (kernel, kind) in TILINGS:
        tall, chunk, warps = TILINGS[kernel, kind][size]
        if rows % max(tall, 1):
            tall = 1
        weights = () if kernel == "softmax" else (more["gain"], more["bias"])
        least = () if kernel == "softmax" else (1e-5,)
        layer = {} if kernel == "softmax" else {"LAYER": kernel == "layernorm"}
        if tall:
            f = softmax_rows if kernel == "softmax" else norm_rows
            f[(rows // tall,)](dst, src, *weights, n, *least, ROWS=tall,
                               N=size, num_warps=warps, **layer)
        else:
            f = softmax_loop if kernel == "softmax" else norm_loop
            f[(rows,)](dst, src, *weights, n, *least, CHUNK=chunk,
                       num_warps=warps, **layer)
    elif kernel == "crossentropy":
        loss_loop[(rows,)](more["losses"], src, more["targets"], n, CHUNK=4096,
                           num_warps=8)
    elif kernel == "rope":
        rope_tokens[(rows,)](dst, src, more["cosine"], more["sine"], 4096,
                             HEADS=n // more["d"], D=more["d"], num_warps=4)
    elif kernel == "quantise both ways":
        quantise_tiles[(n // 128, rows // 128)](
            *more["bytes"], *more["scales"], src, rows, n, num_warps=4)
    else:
        return False
    return True
