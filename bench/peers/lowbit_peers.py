#!/usr/bin/env python3
"""lowbit_peers.py - peers of GEMMs with weights of 4 bits.

    lowbit_peers.py RESULT.json

Adds rows to the result of device/lowbit.cu. Up to 16 tokens: PyTorch's GEMM of
bf16 with int4 in groups of 128, and of bf16 with bf16, by a graph of launches
on several copies of the weights, together larger than the L2 cache. From 1,024
tokens on: Triton's dot_scaled of bf16 and mxfp4, the best of four tiles,
rested. Each result is compared with float32's.
"""
import json
import pathlib
import statistics
import sys
import time

import torch
import triton
import triton.language as tl

from timing import timed

SIZES, TOKENS = (4096, 8192, 16384), (1, 8, 16)
E2M1 = (0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6)
TILES = ((128, 128, 128, 4, 3), (128, 256, 64, 8, 3), (128, 128, 64, 4, 4),
         (256, 128, 64, 8, 3))
WRONG = 1e-2  # error allowed, relative to the root mean square


@triton.jit
def product_mxfp4(x, w, s, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr,
                  BK: tl.constexpr):
    """c = x w^T: w has two elements of k per byte, s a scale per 32
    elements."""
    tiles = tl.cdiv(M, BM)
    pid = tl.program_id(0)
    group = pid // (tiles * 8)
    wide = min(tl.cdiv(N, BN) - group * 8, 8)
    i = pid % (tiles * 8) // wide * BM + tl.arange(0, BM)
    j = (group * 8 + pid % (tiles * 8) % wide) * BN + tl.arange(0, BN)
    k, half = tl.arange(0, BK), tl.arange(0, BK // 2)
    part = tl.arange(0, BK // 32)
    total = tl.zeros((BM, BN), tl.float32)
    for first in range(0, K, BK):
        a = tl.load(x + i[:, None] * K + first + k[None, :])
        b = tl.load(w + j[None, :] * (K // 2) + first // 2 + half[:, None])
        scale = tl.load(s + j[:, None] * (K // 32) + first // 32 +
                        part[None, :])
        total = tl.dot_scaled(a, None, "bf16", b, scale, "e2m1", total)
    tl.store(c + i[:, None] * N + j[None, :], total.to(tl.bfloat16))


def is_right(y, want):
    error = (y.float() - want).square().mean().sqrt()
    return bool(error <= WRONG * want.square().mean().sqrt())


def seconds_of_graph(calls):
    """Seconds per call in a graph of all calls, the median of nine launches."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for call in calls[:2]:
            call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for call in calls:
            call()
    graph.replay()
    return statistics.median(timed(graph.replay) for _ in range(9)) / len(calls)


def decoding(n, copy):
    """Rows of up to 16 tokens: int4 of PyTorch, and bf16."""
    elements = torch.randint(0, 16, (n, n), dtype=torch.uint8, device="cuda")
    scales = torch.rand((n // 128, n, 1), device="cuda") * 0.02 + 0.01
    table = torch.cat([scales, torch.randn_like(scales) * 0.01], 2).bfloat16()
    words = torch.ops.aten._convert_weight_to_int4pack(
        elements[:, ::2] << 4 | elements[:, 1::2], 8)
    s, zero = (table[:, :, z].float().t().repeat_interleave(128, 1)
               for z in (0, 1))
    plain = ((elements.float() - 8) * s + zero).bfloat16()
    for peer, w, bits in (("PyTorch int4", words, 4), ("bf16", plain, 16)):
        size = n * n * bits // 8 + (table.numel() * 2 if bits == 4 else 0)
        turns = [w] + [w.clone() for _ in range((256 << 20) // size + 1)]
        for m in TOKENS:
            x = torch.randn((m, n), device="cuda").bfloat16()
            out = []

            def call(one):
                out[:] = [torch.ops.aten._weight_int4pack_mm(x, one, 128, table)
                          if bits == 4 else x @ one.t()]

            call(w)
            right = is_right(out[0], x.float() @ plain.float().t())
            us = 1e6 * seconds_of_graph(
                [lambda one=one: call(one) for one in turns])
            yield {"what": "peer", "peer": peer, "m": m, "n": n, "k": n,
                   "us": round(us, 2), "right": right,
                   "share": round(size / us * 1e-3 / copy, 4)}


def prefilling(m, n):
    """A row of many tokens: dot_scaled of Triton."""
    x = torch.randn((m, n), device="cuda").bfloat16()
    w = torch.randint(0, 256, (n, n // 2), dtype=torch.uint8, device="cuda")
    s = torch.randint(120, 124, (n, n // 32), dtype=torch.uint8, device="cuda")
    table = torch.tensor(E2M1, device="cuda")
    plain = torch.stack([table[(w & 15).long()], table[(w >> 4).long()]],
                        2).view(n, n)
    plain *= torch.exp2(s.float() - 127).repeat_interleave(32, 1)
    want = x.float() @ plain.t()
    c, best, right = torch.empty_like(want, dtype=torch.bfloat16), None, True
    for bm, bn, bk, warps, stages in TILES:
        def run():
            product_mxfp4[(m // bm * (n // bn),)](
                x, w, s, c, m, n, n, bm, bn, bk, num_warps=warps,
                num_stages=stages)
        run()
        right = right and is_right(c, want)
        times = []
        for _ in range(5):
            time.sleep(0.12)
            times.append(timed(run))
        took = statistics.median(times)
        best = min(best or took, took)
    return {"what": "peer", "peer": "Triton dot_scaled", "m": m, "n": n, "k": n,
            "us": round(1e6 * best, 2), "right": right,
            "tflops": round(2e-12 * m * n * n / best, 1)}


def main():
    path = pathlib.Path(sys.argv[1])
    data = json.loads(path.read_text())
    torch.manual_seed(1)
    torch.backends.cuda.matmul.allow_tf32 = False
    rows = [row for n in SIZES
            for row in decoding(n, data["context"]["copy_gbps"])]
    rows += [prefilling(m, 8192) for m in (1024, 2048, 4096, 8192)]
    wrong = [row for row in rows if not row.pop("right")]
    data["context"] |= {"torch": torch.__version__,
                        "triton": triton.__version__}
    data["lowbit"] += rows
    path.write_text(json.dumps(data, indent=1) + "\n")
    for row in wrong:
        print("wrong:", row)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
