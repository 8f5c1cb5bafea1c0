#!/usr/bin/env python3
"""grouped.py - a list of GEMMs by one kernel on a Hopper GPU, beside peers.

    grouped.py LIBRARY.so RESULT.json [ROUNDS]

bench/run.sh grouped builds the library from device/matmul_grouped.cu. A case is
a list of GEMMs C = A B in bf16, random normal. Peers: torch.mm for each,
torch._grouped_mm if all have the same n and k, and a persistent Triton kernel
over the same list, with the best of four tiles. Each result is first compared
with float32's. Then all run in one process, in random order, 5 ms of launches
after 0.05 s of idleness. A row has the medians in TFLOP/s.
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

from matmul import burst, query


def experts(count, tokens, n, k, seed):
    """The GEMMs of a model's experts, with random numbers of tokens."""
    chance = random.Random(seed)
    share = [chance.expovariate(1) for _ in range(count)]
    m = [int(tokens * x / sum(share)) for x in share]
    m[0] += tokens - sum(m)
    return [(x, n, k) for x in m]


CASES = {
    "4 of 1024 to 4096": [(x, x, x) for x in (1024, 2048, 3072, 4096)],
    "8 of 4096x4096x4096": [(4096, 4096, 4096)] * 8,
    "16 of 512x512x8192": [(512, 512, 8192)] * 16,
    "8 experts, 8192 tokens": experts(8, 8192, 14336, 4096, 1),
    "64 experts, 8192 tokens": experts(64, 8192, 2816, 2048, 2),
    "128 experts, 4096 tokens": experts(128, 4096, 1536, 4096, 3),
    "128 experts, 32768 tokens": experts(128, 32768, 1536, 4096, 4)}


@triton.jit
def product_list(table, count, BM: tl.constexpr, BN: tl.constexpr,
                 BK: tl.constexpr):
    """Computes the tiles of a list; a row of the table is c, a, b, m, n, k."""
    tile = tl.program_id(0)
    end = 0
    for g in range(count):
        m = tl.load(table + g * 6 + 3).to(tl.int32)
        n = tl.load(table + g * 6 + 4).to(tl.int32)
        k = tl.load(table + g * 6 + 5).to(tl.int32)
        wide = tl.cdiv(n, BN)
        start = end
        end += tl.cdiv(m, BM) * wide
        if tile < end:
            c = tl.load(table + g * 6).to(tl.pointer_type(tl.bfloat16))
            a = tl.load(table + g * 6 + 1).to(tl.pointer_type(tl.bfloat16))
            b = tl.load(table + g * 6 + 2).to(tl.pointer_type(tl.bfloat16))
            at_a = tl.make_tensor_descriptor(a, [m, k], [k, 1], [BM, BK])
            at_b = tl.make_tensor_descriptor(b, [n, k], [k, 1], [BN, BK])
            at_c = tl.make_tensor_descriptor(c, [m, n], [n, 1], [BM, BN])
            while tile < end:
                number = tile - start
                i = number // wide * BM
                j = number % wide * BN
                sums = tl.zeros((BM, BN), tl.float32)
                for z in range(0, tl.cdiv(k, BK)):
                    sums = tl.dot(at_a.load([i, z * BK]),
                                  at_b.load([j, z * BK]).T, sums)
                at_c.store([i, j], sums.to(tl.bfloat16))
                tile += tl.num_programs(0)


TILES = ((128, 256, 64, 8, 3), (128, 128, 64, 8, 3), (64, 128, 64, 4, 4),
         (64, 256, 64, 8, 3))


class List:
    """The matrices of a case, end to end, as torch._grouped_mm expects."""
    def __init__(self, sizes):
        self.sizes = [s for s in sizes if s[0]]
        m, n, k = zip(*self.sizes)
        self.same = len(set(n)) == 1 and len(set(k)) == 1
        self.a = self.parts(zip(m, k))
        self.b = self.parts(zip(n, k))
        self.c = self.parts(zip(m, n))
        self.flops = 2e-12 * sum(x * y * z for x, y, z in self.sizes)
        rows = [[c.data_ptr(), a.data_ptr(), b.data_ptr(), *s] for a, b, c, s in
                zip(self.a, self.b, self.c, self.sizes)]
        self.table = torch.tensor(rows, dtype=torch.int64, device="cuda")
        self.offs = torch.tensor(m, device="cuda").cumsum(0).int()

    @staticmethod
    def parts(shapes):
        """Random matrices, end to end in one allocation."""
        shapes = list(shapes)
        flat = torch.empty(sum(x * y for x, y in shapes), device="cuda",
                           dtype=torch.bfloat16).normal_()
        found, at = [], 0
        for x, y in shapes:
            found.append(flat[at:at + x * y].view(x, y))
            at += x * y
        return found

    def flat(self, parts, *shape):
        return parts[0].as_strided(shape, (shape[-1] * shape[-2], shape[-1], 1)
                                   [-len(shape):])


def ours(library, case):
    """Prepares a list; returns the function that runs it."""
    room = torch.empty(len(case.sizes) * library.ll_grouped_room(),
                       device="cuda", dtype=torch.uint8)
    pointers = [(ctypes.c_void_p * len(x))(*(y.data_ptr() for y in x))
                for x in (case.c, case.a, case.b)]
    sizes = [(ctypes.c_uint * len(x))(*x) for x in zip(*case.sizes)]

    def run(number=None):
        if number is not None:
            wrong = library.ll_grouped_prepare(
                ctypes.c_void_p(room.data_ptr()), len(case.sizes), *pointers,
                *sizes, number)
        else:
            wrong = library.ll_grouped()
        if wrong:
            sys.exit(wrong.decode())
    run(-1)
    return run


def peers(case):
    """The peers' functions."""
    def each():
        for a, b, c in zip(case.a, case.b, case.c):
            torch.mm(a, b.t(), out=c)
    found = {"torch.mm": each}
    if case.same:
        m = sum(s[0] for s in case.sizes)
        n, k = case.sizes[0][1:]
        a, c = case.flat(case.a, m, k), case.flat(case.c, m, n)
        b = case.flat(case.b, len(case.sizes), n, k).transpose(1, 2)
        found["torch grouped"] = lambda: torch._grouped_mm(a, b, case.offs)
        found["torch grouped"].copy = lambda: c.copy_(
            torch._grouped_mm(a, b, case.offs))
    for tile in TILES:
        def triton_(tile=tile):
            *shape, warps, stages = tile
            product_list[(132,)](case.table, len(case.sizes), *shape,
                                 num_warps=warps, num_stages=stages)
        found[f"triton {tile}"] = triton_
    return found


def check(name, run, case):
    """Compares all results with float32's."""
    for c in case.c:
        c.fill_(float("nan"))
    getattr(run, "copy", run)()
    for a, b, c in zip(case.a, case.b, case.c):
        want = a.float() @ b.float().t()
        worst = ((c.float() - want).abs() /
                 (want.abs() + a.shape[1] ** 0.5)).max().item()
        if not worst < 0.01:
            sys.exit(f"{name}: {tuple(a.shape)} x {b.shape[0]} is wrong by "
                     f"{worst}")


def measure(library, name, rounds):
    """The rows of a case."""
    case = List(CASES[name])
    runs = {"ll": ours(library, case), **peers(case)}
    for who, run in list(runs.items()):
        try:
            check(who, run, case)
        except Exception as what:  # a tile that Triton does not compile
            if not who.startswith("triton"):
                raise
            print(who, "fails:", str(what)[:200])
            del runs[who]
    found = {who: [] for who in runs}
    for _ in range(rounds):
        for who in random.sample(list(runs), len(runs)):
            torch.cuda.synchronize()
            time.sleep(0.05)
            found[who].append(burst(runs[who], (), 0.005, case.flops / 500))
    for who, times in found.items():
        yield {"case": name, "products": len(case.sizes), "name": who,
               "tflops": round(case.flops / statistics.median(times), 1)}


def main():
    """Measures all lists and writes the rows."""
    library = ctypes.CDLL(str(pathlib.Path(sys.argv[1]).resolve()))
    library.ll_grouped.restype = ctypes.c_char_p
    library.ll_grouped_prepare.restype = ctypes.c_char_p
    library.ll_grouped_room.restype = ctypes.c_size_t
    triton.set_allocator(lambda size, align, stream: torch.empty(
        size, device="cuda", dtype=torch.int8))
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 7
    rows = []
    for name in CASES:
        for row in measure(library, name, rounds):
            rows.append(row)
            print(row, flush=True)
    context = {"device": query("name"), "driver": query("driver_version"),
               "torch": torch.__version__, "cuda": torch.version.cuda,
               "triton": triton.__version__,
               "commit": os.environ.get("LL_COMMIT", "unknown"),
               "command": os.environ.get("LL_COMMAND",
                                         "bench/peers/grouped.py")}
    pathlib.Path(sys.argv[2]).write_text(json.dumps(
        {"context": context, "grouped": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
