"""triton_rows.py - kernels of kernels.py and more.py in Triton, as in its
tutorials: a block holds a row, or loops over it in chunks.

Each has one tiling per size, the best of several tried on an H200: rows and
warps, or the chunk of a loop and its warps.
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
    ("crossentropy with gradient", "bf16"): {65536: (0, 8192, 16),
                                             131072: (0, 8192, 16),
                                             262144: (0, 8192, 16)},
    ("cumsum", "bf16"): {1024: (1, 0, 2), 4096: (1, 0, 8), 16384: (1, 0, 8),
                         65536: (0, 4096, 8), 262144: (0, 4096, 8)},
    ("cumsum", "f32"): {4096: (1, 0, 4), 8192: (1, 0, 8),
                        65536: (0, 4096, 8)},
    ("segmented cumsum", "f32"): {4096: (1, 0, 8)},
    ("sort", "bf16"): {1024: (1, 0, 1), 4096: (1, 0, 16)},
    ("topk", "bf16"): {256: (4, 0, 1), 1024: (1, 0, 1), 4096: (1, 0, 8)},
    ("topk", "f32"): {1024: (1, 0, 1)},
}
for of in ("f32", "bf16"):
    TILINGS["log-softmax", of] = TILINGS["softmax", of]
# rows, warps, and the factors of the matrix
HADAMARDS = {256: (16, 2, 16, 16), 512: (8, 2, 16, 32), 1024: (4, 2, 32, 32),
             2048: (4, 8, 32, 64), 4096: (2, 8, 64, 64),
             8192: (1, 4, 64, 128), 16384: (1, 4, 128, 128),
             32768: (1, 8, 32, 32, 32)}
# backward of rmsnorm and layernorm: programs per multiprocessor that take rows
# in turn, and warps; or the chunk of a loop, and its warps
BACKWARDS = ({1024: (8, 0, 4), 4096: (2, 0, 8), 16384: (1, 0, 16),
              65536: (0, 8192, 16)},
             {1024: (8, 0, 2), 4096: (2, 0, 8), 16384: (0, 8192, 16),
              65536: (0, 8192, 16)})


@triton.jit
def softmax_rows(dst, src, n, ROWS: tl.constexpr, N: tl.constexpr,
                 LOG: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    j = tl.arange(0, N)
    at = i[:, None] * n + j[None, :]
    there = j[None, :] < n
    x = tl.load(src + at, mask=there, other=-float("inf")).to(tl.float32)
    x = x - tl.max(x, 1)[:, None]
    e = tl.exp(x)
    total = tl.sum(e, 1)[:, None]
    y = x - tl.log(total) if LOG else e / total
    tl.store(dst + at, y.to(dst.dtype.element_ty), mask=there)


@triton.jit
def softmax_loop(dst, src, targets, n, CHUNK: tl.constexpr,
                 GRADIENT: tl.constexpr, LOG: tl.constexpr):
    """Softmax of a row in chunks; with GRADIENT, crossentropy's gradient."""
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
    total = tl.sum(total * tl.exp(most - top), 0)
    scale = 1 / total
    whole = top + tl.log(total)
    for k in range(0, n, CHUNK):
        x = tl.load(src + row + k + j, mask=k + j < n, other=0).to(tl.float32)
        y = x - whole if LOG else tl.exp(x - top) * scale
        if GRADIENT:
            at = tl.load(targets + tl.program_id(0))
            y -= (k + j == at).to(tl.float32)
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
def rope_neighbours(dst, src, cosine, sine, positions, HEADS: tl.constexpr,
                    D: tl.constexpr):
    token = tl.program_id(0).to(tl.int64)
    at = token * HEADS * D + tl.arange(0, HEADS * D)
    z = tl.reshape(tl.load(src + at).to(tl.float32), [HEADS, D // 2, 2])
    x, y = tl.split(z)
    row = token % positions * (D // 2) + tl.arange(0, D // 2)
    c = tl.load(cosine + row)[None, :]
    s = tl.load(sine + row)[None, :]
    z = tl.reshape(tl.join(x * c - y * s, y * c + x * s), [HEADS * D])
    tl.store(dst + at, z.to(dst.dtype.element_ty))


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


@triton.jit
def backward_rows(dst, src, dout, gain, parts, rows, n, least,
                  N: tl.constexpr, LAYER: tl.constexpr):
    """Each program takes rows in turn and accumulates sums over them."""
    first = tl.program_id(0)
    j = tl.arange(0, N)
    there = j < n
    g = tl.load(gain + j, mask=there, other=0).to(tl.float32)
    dgain = tl.zeros([N], tl.float32)
    dbias = tl.zeros([N], tl.float32)
    for i in range(first, rows, tl.num_programs(0)):
        at = i.to(tl.int64) * n + j
        x = tl.load(src + at, mask=there, other=0).to(tl.float32)
        w = tl.load(dout + at, mask=there, other=0).to(tl.float32)
        if LAYER:
            x = tl.where(there, x - tl.sum(x, 0) / n, 0)
            dbias += w
        scale = tl.rsqrt(tl.sum(x * x, 0) / n + least)
        y = x * scale
        dgain += w * y
        w *= g
        z = w - y * (tl.sum(w * y, 0) / n)
        if LAYER:
            z -= tl.sum(w, 0) / n
        tl.store(dst + at, (z * scale).to(dst.dtype.element_ty), mask=there)
    tl.store(parts + first * 2 * n + j, dgain, mask=there)
    if LAYER:
        tl.store(parts + first * 2 * n + n + j, dbias, mask=there)


@triton.jit
def backward_loop(dst, src, dout, gain, stats, rows, n, least,
                  CHUNK: tl.constexpr, LAYER: tl.constexpr):
    """A row in two passes, without sums over rows."""
    i = tl.program_id(0)
    row = i.to(tl.int64) * n
    j = tl.arange(0, CHUNK)
    sum_x = tl.zeros([CHUNK], tl.float32)
    sum_xx = tl.zeros([CHUNK], tl.float32)
    sum_w = tl.zeros([CHUNK], tl.float32)
    sum_wx = tl.zeros([CHUNK], tl.float32)
    for k in range(0, n, CHUNK):
        there = k + j < n
        x = tl.load(src + row + k + j, mask=there, other=0).to(tl.float32)
        w = tl.load(dout + row + k + j, mask=there, other=0).to(tl.float32)
        w *= tl.load(gain + k + j, mask=there, other=0).to(tl.float32)
        sum_x += x
        sum_xx += x * x
        sum_w += w
        sum_wx += w * x
    down = tl.sum(sum_x, 0) / n if LAYER else 0.0
    most = tl.sum(sum_w, 0) / n
    scale = tl.rsqrt(tl.sum(sum_xx, 0) / n - down * down + least)
    part = (tl.sum(sum_wx, 0) / n - down * most) * scale
    tl.store(stats + i, down)
    tl.store(stats + rows + i, scale)
    for k in range(0, n, CHUNK):
        there = k + j < n
        x = tl.load(src + row + k + j, mask=there, other=0).to(tl.float32)
        w = tl.load(dout + row + k + j, mask=there, other=0).to(tl.float32)
        w *= tl.load(gain + k + j, mask=there, other=0).to(tl.float32)
        z = w - (x - down) * scale * part
        if LAYER:
            z -= most
        tl.store(dst + row + k + j, (z * scale).to(dst.dtype.element_ty),
                 mask=there)


@triton.jit
def backward_columns(parts, src, dout, stats, rows, n, TALL: tl.constexpr,
                     WIDE: tl.constexpr, LAYER: tl.constexpr):
    """Sums over a share of the rows."""
    j = tl.program_id(0) * WIDE + tl.arange(0, WIDE)
    i = tl.arange(0, TALL)
    share = tl.cdiv(rows, tl.num_programs(1))
    first = tl.program_id(1) * share
    dgain = tl.zeros([TALL, WIDE], tl.float32)
    dbias = tl.zeros([TALL, WIDE], tl.float32)
    for k in range(first, min(first + share, rows), TALL):
        row = k + i
        in_rows = row < min(first + share, rows)
        there = in_rows[:, None] & (j < n)[None, :]
        at = row.to(tl.int64)[:, None] * n + j[None, :]
        x = tl.load(src + at, mask=there, other=0).to(tl.float32)
        w = tl.load(dout + at, mask=there, other=0).to(tl.float32)
        scale = tl.load(stats + rows + row, mask=in_rows, other=0)
        down = tl.load(stats + row, mask=in_rows, other=0)
        dgain += w * (x - down[:, None]) * scale[:, None]
        dbias += w
    at = parts + tl.program_id(1) * 2 * n + j
    tl.store(at, tl.sum(dgain, 0), mask=j < n)
    if LAYER:
        tl.store(at + n, tl.sum(dbias, 0), mask=j < n)


@triton.jit
def add_parts(dgain, dbias, parts, count, n, TALL: tl.constexpr,
              WIDE: tl.constexpr, LAYER: tl.constexpr):
    """Adds up the sums of all programs."""
    j = tl.program_id(0) * WIDE + tl.arange(0, WIDE)
    i = tl.arange(0, TALL)
    a = tl.zeros([TALL, WIDE], tl.float32)
    b = tl.zeros([TALL, WIDE], tl.float32)
    for k in range(0, count, TALL):
        at = parts + (k + i)[:, None] * 2 * n + j[None, :]
        there = (k + i < count)[:, None] & (j < n)[None, :]
        a += tl.load(at, mask=there, other=0)
        if LAYER:
            b += tl.load(at + n, mask=there, other=0)
    tl.store(dgain + j, tl.sum(a, 0).to(dgain.dtype.element_ty), mask=j < n)
    if LAYER:
        tl.store(dbias + j, tl.sum(b, 0).to(dbias.dtype.element_ty),
                 mask=j < n)


@triton.jit
def butterflies(y, ROWS: tl.constexpr, N: tl.constexpr, W: tl.constexpr):
    """Transforms along the lowest bits of the column by a matrix of W x W, and
    makes them the highest bits. Numbers of 32 bits are split into two of 16."""
    b = tl.arange(0, W)[:, None] & tl.arange(0, W)[None, :]
    b ^= b >> 4
    b ^= b >> 2
    b ^= b >> 1
    signs = (1 - 2 * (b & 1)).to(tl.bfloat16)
    y = tl.reshape(y, [ROWS * N // W, W])
    high = y.to(tl.bfloat16)
    z = tl.dot(high, signs)
    if y.dtype == tl.float32:
        low = (y - high.to(tl.float32)).to(tl.bfloat16)
        z = tl.dot(low, signs, z)
    return tl.permute(tl.reshape(z, [ROWS, N // W, W]), [0, 2, 1])


@triton.jit
def hadamard_rows(dst, src, scale, ROWS: tl.constexpr, N: tl.constexpr,
                  A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * ROWS * N + tl.arange(0, ROWS * N)
    y = butterflies(tl.load(src + at), ROWS, N, A)
    y = butterflies(y, ROWS, N, B)
    if C > 1:
        y = butterflies(y, ROWS, N, C)
    y = tl.reshape(y, [ROWS * N]) * scale
    tl.store(dst + at, y.to(dst.dtype.element_ty))


@triton.jit
def sum_rows(dst, src, n, ROWS: tl.constexpr, N: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    j = tl.arange(0, N)
    at = i[:, None] * n + j[None, :]
    x = tl.load(src + at, mask=j[None, :] < n, other=0).to(tl.float32)
    tl.store(dst + at, tl.cumsum(x, 1).to(dst.dtype.element_ty),
             mask=j[None, :] < n)


@triton.jit
def sum_loop(dst, src, n, CHUNK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * n
    j = tl.arange(0, CHUNK)
    before = 0.0
    for k in range(0, n, CHUNK):
        x = tl.load(src + row + k + j, mask=k + j < n, other=0).to(tl.float32)
        y = tl.cumsum(x, 0) + before
        before += tl.sum(x, 0)
        tl.store(dst + row + k + j, y.to(dst.dtype.element_ty),
                 mask=k + j < n)


@triton.jit
def after_start(x, x_starts, y, y_starts):
    return tl.where(y_starts != 0, y, x + y), x_starts | y_starts


@triton.jit
def segment_rows(dst, src, starts, n, ROWS: tl.constexpr, N: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    j = tl.arange(0, N)
    at = i[:, None] * n + j[None, :]
    there = j[None, :] < n
    x = tl.load(src + at, mask=there, other=0).to(tl.float32)
    on = tl.load(starts + at, mask=there, other=0).to(tl.int32)
    y, _ = tl.associative_scan((x, on), 1, after_start)
    tl.store(dst + at, y.to(dst.dtype.element_ty), mask=there)


@triton.jit
def sorted_rows(dst, columns, src, K: tl.constexpr, ROWS: tl.constexpr,
                N: tl.constexpr):
    """The first K of a row: number and column in one word."""
    i = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    j = tl.arange(0, N)
    x = tl.load(src + i[:, None] * N + j[None, :])
    to = i[:, None] * K + tl.arange(0, K)[None, :]
    if src.dtype.element_ty == tl.float32:
        bits = x.to(tl.int32, bitcast=True)
        bits ^= (bits >> 31) & 0x7fffffff
        word = bits.to(tl.int64) << 32 | j[None, :]
    else:
        bits = x.to(tl.int16, bitcast=True).to(tl.int32)
        bits ^= (bits >> 31) & 0x7fff
        word = bits << 16 | j[None, :]
    if K == N:
        word = tl.sort(word, 1, descending=True)
    else:
        word = tl.topk(word, K, 1)
    if src.dtype.element_ty == tl.float32:
        bits = (word >> 32).to(tl.int32)
        bits ^= (bits >> 31) & 0x7fffffff
        tl.store(dst + to, bits.to(tl.float32, bitcast=True))
        tl.store(columns + to, (word & 0xffff).to(tl.int32))
    else:
        bits = word >> 16
        bits ^= (bits >> 31) & 0x7fff
        tl.store(dst + to, bits.to(tl.int16).to(tl.bfloat16, bitcast=True))
        tl.store(columns + to, word & 0xffff)


@triton.jit
def add_tokens(sums, dy, index, n, CHUNK: tl.constexpr):
    """The gradient of a table, by atomic additions."""
    t = tl.program_id(0).to(tl.int64)
    j = tl.program_id(1) * CHUNK + tl.arange(0, CHUNK)
    row = tl.load(index + t).to(tl.int64)
    x = tl.load(dy + t * n + j).to(tl.float32)
    tl.atomic_add(sums + row * n + j, x, sem="relaxed")


def run_backward(layer, dst, src, more, n):
    rows, size = src.numel() // n, triton.next_power_of_2(n)
    some, chunk, warps = BACKWARDS[layer][size]
    parts, gain, dout = more["sums"], more["gain"], more["dout"]
    if chunk:
        stats = parts[-2 * rows:]
        backward_loop[(rows,)](dst, src, dout, gain, stats, rows, n, 1e-5,
                               CHUNK=chunk, LAYER=layer, num_warps=warps)
        count = 8
        backward_columns[(triton.cdiv(n, 128), count)](
            parts, src, dout, stats, rows, n, TALL=32, WIDE=128, LAYER=layer,
            num_warps=4)
    else:
        count = 132 * some
        backward_rows[(count,)](dst, src, dout, gain, parts, rows, n, 1e-5,
                                N=size, LAYER=layer, num_warps=warps)
    add_parts[(triton.cdiv(n, 32),)](more["dgain"], more["dbias"], parts,
                                     count, n, TALL=64, WIDE=32, LAYER=layer,
                                     num_warps=4)


def run_scan(kernel, kind, dst, src, starts):
    """Running sums of rows, restarted at `starts` if there are any."""
    rows, n = src.shape
    size = triton.next_power_of_2(n)
    tall, chunk, warps = TILINGS[kernel, kind][size]
    if starts is not None:
        segment_rows[(rows // tall,)](dst, src, starts, n, ROWS=tall, N=size,
                                      num_warps=warps)
    elif tall:
        sum_rows[(rows // tall,)](dst, src, n, ROWS=tall, N=size,
                                  num_warps=warps)
    else:
        sum_loop[(rows,)](dst, src, n, CHUNK=chunk, num_warps=warps)


def run_sort(kernel, kind, dst, columns, src, first):
    """The first elements of each row in order, and their columns."""
    rows, n = src.shape
    tall, _, warps = TILINGS[kernel, kind][n]
    sorted_rows[(rows // tall,)](dst, columns, src, K=first, ROWS=tall, N=n,
                                 num_warps=warps)


def run_embedding_backward(sums, dy, index):
    tokens, n = dy.shape
    add_tokens[(tokens, n // 1024)](sums, dy, index, n, CHUNK=1024,
                                    num_warps=4)


def run(kernel, kind, dst, src, more, n):
    """Runs the kernel of this name; returns False if there is none."""
    rows = src.numel() // n
    size = triton.next_power_of_2(n)
    if kernel.endswith("backward"):
        run_backward(kernel[0] == "l", dst, src, more, n)
    elif kernel == "hadamard":
        tall, warps, a, b, *c = HADAMARDS[n]
        hadamard_rows[(rows // tall,)](dst, src, n ** -0.5, ROWS=tall, N=n,
                                       A=a, B=b, C=c[0] if c else 1,
                                       num_warps=warps)
    elif (kernel, kind) in TILINGS:
        tall, chunk, warps = TILINGS[kernel, kind][size]
        if rows % max(tall, 1):
            tall = 1
        grid = rows // max(tall, 1),
        shape = {"ROWS": tall, "N": size} if tall else {"CHUNK": chunk}
        if kernel.endswith("norm"):
            f = norm_rows if tall else norm_loop
            f[grid](dst, src, more["gain"], more["bias"], n, 1e-5, **shape,
                    LAYER=kernel == "layernorm", num_warps=warps)
        elif tall:
            softmax_rows[grid](dst, src, n, **shape,
                               LOG=kernel == "log-softmax", num_warps=warps)
        else:
            softmax_loop[grid](dst, src, more["targets"], n, **shape,
                               GRADIENT=kernel.startswith("cross"),
                               LOG=kernel == "log-softmax", num_warps=warps)
    elif kernel == "crossentropy":
        loss_loop[(rows,)](more["losses"], src, more["targets"], n, CHUNK=4096,
                           num_warps=8)
    elif kernel.startswith("rope"):
        f = rope_tokens if kernel == "rope" else rope_neighbours
        f[(rows,)](dst, src, more["cosine"], more["sine"], 4096,
                   HEADS=n // more["d"], D=more["d"], num_warps=4)
    elif kernel == "quantise both ways":
        quantise_tiles[(n // 128, rows // 128)](
            *more["bytes"], *more["scales"], src, rows, n, num_warps=4)
    else:
        return False
    return True
