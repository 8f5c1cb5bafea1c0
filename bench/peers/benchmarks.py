#!/usr/bin/env python3
"""benchmarks.py - kernels that the paper measures, beside Triton's.

    benchmarks.py FOLDER RESULT.json [ROUNDS]
    benchmarks.py --warm K OF     compiles a part of Triton's kernels

The folder has the libraries that bench/run.sh benchmarks builds. Ours and
Triton's kernels of one name take the same tensors, random normal. Triton's are
as in its tutorials, with the best of several tiles; flex_attention is made by
torch.compile. Results differ in one row only, bf16xint16_gemm: Triton's rounds
weights to bf16, ours is exact. Each result is first compared with float32's.
Then all run in one process, in random order, 5 ms of launches after 0.05 s of
idleness. A row has the medians in microseconds and our speedup.
"""
import ctypes
import json
import os
import pathlib
import random
import statistics
import sys
import time

import torch
import triton
import triton.language as tl
from torch.nn.attention.flex_attention import (create_block_mask,
                                               flex_attention)

import grouped
import triton_rows
from matmul import burst, query


# ---- Triton's kernels --------------------------------------------------------

@triton.jit
def product(x, w, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr,
            BK: tl.constexpr):
    """c = x w^T by pointers; w is rounded to the type of x."""
    tall = tl.cdiv(M, BM)
    pid = tl.program_id(0)
    wide = min(tl.cdiv(N, BN) - pid // (tall * 8) * 8, 8)
    i = pid % (tall * 8) // wide * BM + tl.arange(0, BM)
    j = (pid // (tall * 8) * 8 + pid % (tall * 8) % wide) * BN + \
        tl.arange(0, BN)
    k = tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for first in range(0, K, BK):
        a = tl.load(x + (i % M)[:, None] * K + first + k[None, :])
        b = tl.load(w + j[None, :] * K + first + k[:, None]).to(a.dtype)
        total = tl.dot(a, b, total)
    tl.store(c + i[:, None] * N + j[None, :], total.to(c.dtype.element_ty),
             mask=i[:, None] < M)


@triton.jit
def product_ahead(x, w, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr,
                  BK: tl.constexpr):
    """c = x w^T by tensor copies, with persistent blocks."""
    at_x = tl.make_tensor_descriptor(x, [M, K], [K, 1], [BM, BK])
    at_w = tl.make_tensor_descriptor(w, [N, K], [K, 1], [BN, BK])
    at_c = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    tall = tl.cdiv(M, BM)
    for tile in tl.range(tl.program_id(0), tall * tl.cdiv(N, BN),
                         tl.num_programs(0), flatten=True):
        wide = min(tl.cdiv(N, BN) - tile // (tall * 8) * 8, 8)
        i = tile % (tall * 8) // wide * BM
        j = (tile // (tall * 8) * 8 + tile % (tall * 8) % wide) * BN
        total = tl.zeros((BM, BN), tl.float32)
        for first in range(0, K, BK):
            total = tl.dot(at_x.load([i, first]), at_w.load([j, first]).T,
                           total)
        at_c.store([i, j], total.to(c.dtype.element_ty))


@triton.jit
def product_int4(x, w, s, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr,
                 BK: tl.constexpr):
    """c = x w^T: a byte of w has two elements of k, each stored + 8. Groups of
    64 share a scale. BK is 64."""
    tall = tl.cdiv(M, BM)
    pid = tl.program_id(0)
    i, j = pid % tall * BM + tl.arange(0, BM), pid // tall * BN + \
        tl.arange(0, BN)
    k, half = tl.arange(0, BK), tl.arange(0, BK // 2)
    total = tl.zeros((BM, BN), tl.float32)
    for first in range(0, K, BK):
        a = tl.load(x + (i % M)[:, None] * K + first + k[None, :])
        b = tl.load(w + j[:, None] * (K // 2) + first // 2 + half[None, :])
        both = tl.join((b & 15).to(tl.int8) - 8, (b >> 4).to(tl.int8) - 8)
        scale = tl.load(s + j * (K // 64) + first // 64)
        b = both.reshape(BN, BK).to(tl.bfloat16) * scale[:, None]
        total = tl.dot(a, b.T, total)
    tl.store(c + i[:, None] * N + j[None, :], total.to(tl.bfloat16),
             mask=i[:, None] < M)


@triton.jit
def attention(q, k, v, o, T, H, SCALE, CAUSAL: tl.constexpr, D: tl.constexpr,
              BM: tl.constexpr, BN: tl.constexpr):
    """Attention forward of batch x T x H x D; SCALE includes log2(e)."""
    batch, head = tl.program_id(1) // H, tl.program_id(1) % H
    first = tl.program_id(0) * BM
    at = (batch.to(tl.int64) * T * H + head) * D
    i, d = first + tl.arange(0, BM), tl.arange(0, D)
    j = tl.arange(0, BN)
    a = tl.load(q + at + i[:, None] * H * D + d[None, :])
    most = tl.full((BM,), float("-inf"), tl.float32)
    weight = tl.zeros((BM,), tl.float32)
    total = tl.zeros((BM, D), tl.float32)
    for start in range(0, first + BM if CAUSAL else T, BN):
        b = tl.load(k + at + (start + j)[None, :] * H * D + d[:, None])
        p = tl.dot(a, b) * SCALE
        if CAUSAL:
            p = tl.where(i[:, None] >= start + j[None, :], p, float("-inf"))
        more = tl.maximum(most, tl.max(p, 1))
        p = tl.exp2(p - more[:, None])
        less = tl.exp2(most - more)
        weight = weight * less + tl.sum(p, 1)
        b = tl.load(v + at + (start + j)[:, None] * H * D + d[None, :])
        total = tl.dot(p.to(b.dtype), b, total * less[:, None])
        most = more
    tl.store(o + at + i[:, None] * H * D + d[None, :],
             (total / weight[:, None]).to(o.dtype.element_ty))


@triton.jit
def gather_gemv(y, w, index, x, M, N, BM: tl.constexpr, BN: tl.constexpr):
    """y[g] = w[index[g]] x."""
    g = tl.program_id(1)
    i, j = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, BN)
    at = w + tl.load(index + g).to(tl.int64) * M * N
    total = tl.zeros((BM, BN), tl.float32)
    for first in range(0, N, BN):
        a = tl.load(at + i[:, None] * N + first + j[None, :])
        total += a.to(tl.float32) * tl.load(x + first + j)[None, :]
    tl.store(y + g * M + i, tl.sum(total, 1))


@triton.jit
def embedding(y, table, index, N, BN: tl.constexpr):
    """y[t] = table[index[t]]."""
    t = tl.program_id(0).to(tl.int64)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    row = tl.load(index + t).to(tl.int64)
    tl.store(y + t * N + j, tl.load(table + row * N + j))


# ---- Cases -------------------------------------------------------------------

class Case:
    """Functions by name that write `out`, and the expected result."""
    def __init__(self, what, shape, out, want, bound, estimate):
        self.what, self.shape, self.out, self.want = what, shape, out, want
        self.bound, self.estimate = bound, estimate
        self.runs, self.written = {}, {}

    def triton(self, kernel, grid, args, tiles):
        """Adds a launch per tile: its sizes, warps and stages."""
        for *tile, warps, stages in tiles:
            where = grid(*tile)
            name = f"triton {kernel.fn.__name__} {(*tile, warps, stages)}"
            self.runs[name] = (
                lambda g=where, t=tile, w=warps, s=stages: kernel[g](
                    *args, *t, num_warps=w, num_stages=s))

    def is_right(self):
        error = (self.out.float() - self.want).norm()
        return bool(error <= self.bound * self.want.norm())


def pointers(*tensors):
    return [ctypes.c_void_p(x.data_ptr()) for x in tensors]


def called(function, *args):
    """A call that ends the program if the function returns a message."""
    function.restype = ctypes.c_char_p
    given = [ctypes.c_uint(x) if isinstance(x, int) else x for x in args]

    def run():
        wrong = function(*given)
        if wrong:
            sys.exit(wrong.decode())
    return run


TILES = ((128, 256, 64, 8, 3), (128, 128, 64, 8, 4), (128, 128, 32, 4, 4),
         (64, 256, 64, 4, 3), (256, 128, 64, 8, 3), (128, 256, 128, 8, 3),
         (128, 128, 128, 8, 3))


def gemm(libraries, name, library, kind, shape, tiles):
    """c = a b^T in one type."""
    m, n, k = shape
    a = torch.randn(m, k, device="cuda").to(kind)
    b = torch.randn(n, k, device="cuda").to(kind)
    c = torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
    case = Case(name, f"{m} x {n} x {k}", c, a.float() @ b.float().t(), 5e-3,
                2e-15 * m * n * k / 0.4 + n * k / 3e12)
    case.runs["ll"] = called(libraries[library].ll_matmul, *pointers(c, a, b),
                             m, n, k)
    args = a, b, c, m, n, k
    case.triton(product, lambda bm, bn, _: (triton.cdiv(m, bm) * (n // bn),),
                args, tiles)
    case.triton(product_ahead, lambda *_: (132,), args, tiles)
    return case


def gemm_int4(libraries, shape):
    """bf16 by weights of 4 bits; groups of 64 share a scale."""
    m, n, k = shape
    elements = torch.randint(0, 16, (n, k), dtype=torch.uint8, device="cuda")
    scales = (torch.rand(n, k // 64, device="cuda") * 0.02 + 0.01).bfloat16()
    packed = torch.zeros(n * k // 2 + n * k // 32, dtype=torch.uint8)
    library, on_host = libraries["lowbit"], (elements.cpu(), scales.cpu())
    called(library.ll_pack, *pointers(packed, *on_host), n, k)()
    x = torch.randn(m, k, device="cuda").bfloat16()
    w = (elements.float() - 8) * scales.float().repeat_interleave(64, 1)
    c = torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
    case = Case("int4gemm", f"{m} x {n} x {k}", c, x.float() @ w.t(), 1e-2,
                2e-15 * m * n * k / 0.3 + n * k / 2 / 3e12)
    packed = packed.cuda()
    case.runs["ll"] = called(library.ll_lowbit, *pointers(c, x, packed), m, n,
                             k, ctypes.c_void_p())
    halves = elements[:, ::2] | elements[:, 1::2] << 4
    case.triton(product_int4,
                lambda bm, bn, _: (triton.cdiv(m, bm) * (n // bn),),
                (x, halves, scales, c, m, n, k),
                [(bm, bn, 64, warps, stages) for bm, bn, warps, stages in
                 ((16, 64, 4, 4), (16, 128, 4, 4), (16, 32, 4, 5))] if m <= 16
                else [(bm, bn, 64, 8, stages) for bm, bn, stages in
                      ((128, 128, 3), (128, 256, 3), (128, 128, 4))])
    return case


def gemm_int16(libraries, shape):
    """bf16 by integers of 16 bits: ours in f64, Triton's in bf16."""
    m, n, k = shape
    a = torch.randn(m, k, device="cuda").bfloat16()
    b = torch.randint(-32768, 32768, (n, k), device="cuda", dtype=torch.int16)
    c = torch.empty(m, n, device="cuda", dtype=torch.float64)
    short = torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
    case = Case("bf16xint16_gemm", f"{m} x {n} x {k}", c,
                a.float() @ b.float().t(), 5e-3, 2e-15 * m * n * k / 0.2)
    case.triton(product, lambda bm, bn, _: (triton.cdiv(m, bm) * (n // bn),),
                (a, b, short, m, n, k), TILES[:5] + ((64, 128, 64, 4, 4),))

    def copied(run):
        run()
        c.copy_(short)
    case.written = {name: lambda run=run: copied(run)
                    for name, run in case.runs.items()}
    case.runs["ll"] = called(libraries["sync-bf16-s16"].ll_matmul,
                             *pointers(c, a, b), m, n, k)
    return case


def attentions(libraries, d, length, causal):
    """template_attention, and flex_attention with the same tensors."""
    heads, batch = 2048 // d, 16384 // length
    q, k, v, o = (torch.randn(batch, length, heads, d, device="cuda").bfloat16()
                  for _ in range(4))
    turned = [x.transpose(1, 2) for x in (q, k, v)]
    want = torch.nn.functional.scaled_dot_product_attention(
        *turned, is_causal=causal).transpose(1, 2).float()
    shape = f"{batch} x {length} x {heads} x {d}" + (", causal" if causal
                                                    else "")
    run = called(libraries[f"attention-{d}"].ll_attention,
                 *pointers(o, q, k, v), batch, heads, heads, length, length,
                 int(causal), 0)
    estimate = 4e-15 * batch * heads * length ** 2 * d / 0.5
    found = []
    for what in ("template_attention", "flex_attention"):
        case = Case(what, shape, o, want, 1e-2, estimate / (1 + causal))
        case.keep = q, k, v
        case.runs["ll"] = run
        found.append(case)
    found[0].triton(attention, lambda bm, _: (length // bm, batch * heads),
                    (q, k, v, o, length, heads, 1.4426950408889634 * d ** -0.5,
                     causal, d), ((128, 128, 8, 3), (128, 64, 8, 3),
                                  (128, 64, 4, 3), (64, 64, 4, 3)))
    mask = create_block_mask(lambda b, h, i, j: i >= j, None, None, length,
                             length) if causal else None
    flexible = torch.compile(flex_attention, dynamic=False)
    found[1].runs["triton flex_attention"] = lambda: flexible(
        *turned, block_mask=mask)
    found[1].written["triton flex_attention"] = lambda: o.copy_(
        flexible(*turned, block_mask=mask).transpose(1, 2))
    return found


def gathered(libraries):
    m, n, matrices = 8192, 8192, 8
    w = torch.randint(-127, 128, (matrices, m, n), device="cuda",
                      dtype=torch.int8)
    x = torch.randn(n, device="cuda").bfloat16()
    index = torch.tensor([matrices - 1, 1], device="cuda", dtype=torch.int32)
    y = torch.empty(2, m, device="cuda")
    want = torch.stack([w[i].float() @ x.float() for i in index.tolist()])
    case = Case("gather_gemv", f"2 of {matrices} of {m} x {n}", y, want, 1e-3,
                5e-5)
    case.runs["ll"] = lambda: libraries["more-8"].gather_gemv_of(
        4, *pointers(y, w, index), 2, *pointers(x), m, n)
    case.triton(gather_gemv, lambda bm, _: (m // bm, 2),
                (y, w, index, x, m, n),
                ((1, 8192, 8, 1), (4, 1024, 4, 2), (8, 512, 4, 3),
                 (16, 256, 4, 4), (2, 2048, 4, 2), (1, 2048, 4, 2)))
    return case


def looked_up(libraries):
    tokens, n, vocabulary = 131072, 4096, 32768
    words = torch.rand(tokens, device="cuda") ** 4 * vocabulary
    index = words.int().clamp_max(vocabulary - 1)
    table = torch.empty(vocabulary, n, device="cuda",
                        dtype=torch.bfloat16).normal_()
    y = torch.empty(tokens, n, device="cuda", dtype=torch.bfloat16)
    case = Case("embedding", f"{tokens} of {vocabulary} x {n}", y,
                table[index.long()].float(), 0, 4e-4)
    size = libraries["more-8"].embedding_bytes
    size.restype = ctypes.c_size_t
    memory = torch.empty(size(tokens, vocabulary), device="cuda",
                         dtype=torch.uint8)
    case.runs["ll"] = lambda: libraries["more-8"].embedding_of(
        *pointers(y, table, index), tokens, n, vocabulary, *pointers(memory))
    case.triton(embedding, lambda bn: (tokens, n // bn), (y, table, index, n),
                ((4096, 4, 1), (4096, 8, 1), (2048, 4, 1), (1024, 4, 1)))
    return case


def welford(libraries, n):
    """Layernorm of rows of n elements, 1 GiB."""
    rows = (1 << 29) // n
    x = torch.empty(rows, n, device="cuda", dtype=torch.bfloat16).normal_()
    y = torch.empty_like(x)
    gain, bias = (torch.randn(n, device="cuda").bfloat16() for _ in range(2))
    case = Case("welford", f"{rows} x {n}", y,
                torch.layer_norm(x.float(), (n,), gain.float(), bias.float()),
                1e-2, 5.2e-4)
    case.runs["ll"] = lambda: libraries["paper_rows"].layernorm_of(
        *pointers(y, x, gain, bias), rows, n)
    for tall, warps in ((1, 4), (2, 4), (1, 8), (2, 8), (2, 16)):
        case.runs[f"triton norm_rows {(tall, warps)}"] = \
            lambda t=tall, w=warps: triton_rows.norm_rows[(rows // t,)](
                y, x, gain, bias, n, 1e-5, ROWS=t, N=n, LAYER=True,
                num_warps=w)
    return case


def turned_by_angles(libraries, positions):
    """Rope of tokens with 32 heads of 128, 1 GiB."""
    tokens, heads, d = 131072, 32, 128
    x = torch.empty(tokens, heads, d, device="cuda",
                    dtype=torch.bfloat16).normal_()
    y = torch.empty_like(x)
    angles = [torch.randn(positions, d // 2, device="cuda") for _ in range(2)]
    c, s = (a.repeat(tokens // positions, 1)[:, None] for a in angles)
    a, b = x.float().chunk(2, -1)
    case = Case("rope", f"{tokens // positions} x {positions} x {heads} x {d}",
                y,
                torch.cat((a * c - b * s, b * c + a * s), -1), 1e-2, 5.2e-4)
    case.runs["ll"] = lambda: libraries["paper_rows"].rope_of(
        *pointers(y, x, *angles), tokens, positions)
    for warps in (2, 4, 8):
        case.runs[f"triton rope_tokens {warps}"] = lambda w=warps: \
            triton_rows.rope_tokens[(tokens,)](y, x, *angles, positions,
                                               HEADS=heads, D=d, num_warps=w)
    return case


def listed(libraries, name):
    """The GEMMs of a list (grouped.py), end to end in memory."""
    some = grouped.List(grouped.CASES[name])
    count = sum(x.numel() for x in some.c)
    case = Case("grouped_gemm", name, some.c[0].as_strided((count,), (1,)),
                torch.cat([(a.float() @ b.float().t()).flatten()
                           for a, b in zip(some.a, some.b)]), 5e-3,
                some.flops / 600)
    case.keep = some
    case.runs["ll"] = grouped.ours(libraries["grouped"], some)
    case.triton(grouped.product_list, lambda *_: (132,),
                (some.table, len(some.sizes)), grouped.TILES)
    return case


BF16, E4M3 = torch.bfloat16, torch.float8_e4m3fn


def cases(lib):
    """Yields all cases."""
    for m in (16, 1024, 8192):
        yield gemm(lib, "gemm", "hopper-bf16", BF16, (m, 8192, 8192),
                   TILES[:5] + ((64, 128, 64, 4, 4),))
    for m in (1, 16, 1024, 8192):
        yield gemm_int4(lib, (m, 16384, 8192))
    for m in (1024, 8192):
        yield gemm(lib, "fp8_gemm", "hopper-e4m3", E4M3, (m, 8192, 8192), TILES)
    for d, causal in ((64, False), (128, False), (128, True)):
        yield from attentions(lib, d, 4096, causal)
    for m in (1024, 8192):
        yield gemm_int16(lib, (m, 8192, 8192))
    for n in (1024, 4096, 16384):
        yield welford(lib, n)
    yield gathered(lib)
    for name in ("4 of 1024 to 4096", "8 experts, 8192 tokens"):
        yield listed(lib, name)
    for positions in (4096, 16384):
        yield turned_by_angles(lib, positions)
    yield looked_up(lib)


# ---- Measuring ---------------------------------------------------------------

def right_ones(case):
    """The functions that run and give correct results."""
    kept = {}
    for name, run in case.runs.items():
        case.out.fill_(float("nan"))
        try:
            case.written.get(name, run)()
            torch.cuda.synchronize()
        except Exception as why: # a tile that Triton does not compile
            if not name.startswith("triton") or "flex" in name:
                raise
            print(name, "fails:", str(why)[:100])
            continue
        if not case.is_right():
            sys.exit(f"{case.what}, {case.shape}: {name} is wrong")
        kept[name] = run
    return kept


def measure(case, rounds):
    """The row of a case: ours and the best of Triton's."""
    runs = right_ones(case)
    found = {name: [] for name in runs}
    for name in runs: # a first round: only the best of Triton's go on
        found[name].append(burst(runs[name], (), 0.002, case.estimate))
    theirs = sorted((name for name in runs if name != "ll"),
                    key=lambda name: found[name][0])[:3]
    found = {name: [] for name in ("ll", *theirs)}
    for _ in range(rounds):
        for name in random.sample(list(found), len(found)):
            torch.cuda.synchronize()
            time.sleep(0.05)
            found[name].append(burst(runs[name], (), 0.005, case.estimate))
    took = {name: statistics.median(times) for name, times in found.items()}
    best = min(theirs, key=took.get)
    return {"benchmark": case.what, "shape": case.shape,
            "us": round(1e6 * took["ll"], 2),
            "triton_us": round(1e6 * took[best], 2), "triton": best[7:],
            "ratio": round(took[best] / took["ll"], 4)}


class Nobody:
    """Replaces our libraries if only Triton's kernels run."""
    def __getitem__(self, name):
        return self

    def __getattr__(self, name):
        return lambda *_: 0


def warm(k, of):
    """Compiles Triton's kernels with number k modulo `of`."""
    number = 0
    for case in cases(Nobody()):
        for name, run in case.runs.items():
            number += name != "ll"
            if name == "ll" or number % of != k:
                continue
            try:
                run()
                torch.cuda.synchronize()
            except Exception: # the measurement reports it
                continue


def main():
    torch.manual_seed(1)
    triton.set_allocator(lambda size, align, stream: torch.empty(
        size, device="cuda", dtype=torch.int8))
    if sys.argv[1] == "--warm":
        warm(*map(int, sys.argv[2:]))
        return
    folder, result = (pathlib.Path(x) for x in sys.argv[1:3])
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    libraries = {path.stem: ctypes.CDLL(str(path.resolve()))
                 for path in folder.glob("*.so")}
    for name in ("ll_grouped", "ll_grouped_prepare"):
        getattr(libraries["grouped"], name).restype = ctypes.c_char_p
    libraries["grouped"].ll_grouped_room.restype = ctypes.c_size_t
    rows = []
    for case in cases(libraries):
        rows.append(measure(case, rounds))
        print(rows[-1], flush=True)
    context = {"device": query("name"), "driver": query("driver_version"),
               "torch": torch.__version__, "cuda": torch.version.cuda,
               "triton": triton.__version__,
               "commit": os.environ.get("LL_COMMIT", "unknown"),
               "command": os.environ.get("LL_COMMAND",
                                         "bench/peers/benchmarks.py")}
    result.write_text(json.dumps({"context": context, "of_paper": rows},
                                 indent=1) + "\n")


if __name__ == "__main__":
    main()
