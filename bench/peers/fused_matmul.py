#!/usr/bin/env python3
"""fused_matmul.py - PyTorch's ways to do what device/fused_matmul.cu does.

fused_matmul.py FILE: adds to the peers of each row of FILE the microseconds of
- PyTorch, NCCL: a GEMM, an all-to-all, and a copy that puts the rows together
- PyTorch, pipelined: _pipelined_produce_and_all2all, on which the fused
  operators are built, with GEMMs
- PyTorch, symmetric memory: a GEMM per owner into the owner's memory
- fused_matmul_reduce_scatter: the same C from a sharded K, which sends partial
  sums
- fused_all_gather_matmul: the columns of C from rows of A
The first three do the same as the kernel. The other two, of symm_mem, multiply
as much, and send other bytes. Rows of partial sums have the reduce-scatter, and
that of NCCL. Every result is compared. One process per GPU;
times are of the slower GPU, the median of several bursts.
"""
import json
import os
import sys

TIMES, FLOPS = 7, 4e12 # bursts; operations of a burst


class Case:
    """The operands of a rank: A, and its columns of B, by columns."""

    def __init__(self, torch, rank, gpus, m, n, k):
        self.torch, self.rank, self.gpus = torch, rank, gpus
        self.m, self.n, self.k = m, n, k
        self.a = self.random(1, m, k)
        self.whole = self.random(2, n, k)
        self.b = self.whole[rank * n // gpus:(rank + 1) * n // gpus].t()
        self.rows = slice(rank * m // gpus, (rank + 1) * m // gpus)
        self.want = self.a[self.rows] @ self.whole.t()

    def random(self, seed, *size):
        """Multiples of 1 / 64 from -1 to 1, so that sums are exact in f32."""
        made = self.torch.Generator(device="cuda").manual_seed(seed)
        return (self.torch.randint(-64, 65, size, device="cuda",
                                   generator=made) / 64).bfloat16()

    def sums(self):
        """This rank's rows as rounded sums of rounded parts; two are exact."""
        part = self.k // self.gpus
        self.want = sum((self.a[self.rows, z:z + part] @
                         self.whole[:, z:z + part].t()).float()
                        for z in range(0, self.k, part)).bfloat16()

    def rows_of(self, rank):
        high = self.m // self.gpus
        return self.a[rank * high:(rank + 1) * high]

    def empty(self, *size):
        return self.torch.empty(size, device="cuda",
                                dtype=self.torch.bfloat16)


def by_nccl(case, dist, _):
    torch = case.torch
    high, wide = case.m // case.gpus, case.n // case.gpus
    part, got = case.empty(case.m, wide), case.empty(case.gpus, high, wide)

    def run():
        torch.mm(case.a, case.b, out=part)
        dist.all_to_all_single(got.view(-1), part.view(-1))
        return got.transpose(0, 1).reshape(high, case.n)
    return run


def pipelined(dim):
    """Rows of C that the operator puts together (dim 1), or a copy (dim 0)."""
    def way(case, _, symmetric):
        torch = case.torch
        high, wide = case.m // case.gpus, case.n // case.gpus
        size = (high, case.n) if dim else (case.m, wide)
        out = case.empty(*size)

        def produce(rank, to):
            torch.mm(case.rows_of(rank), case.b, out=to)

        def run():
            symmetric.module._pipelined_produce_and_all2all(
                produce, out, symmetric.group, dim)
            return out if dim else out.view(
                case.gpus, high, wide).transpose(0, 1).reshape(high, case.n)
        return run
    return way


def into_peers(case, _, symmetric):
    torch, module = case.torch, symmetric.module
    high, wide = case.m // case.gpus, case.n // case.gpus
    mine = module.empty(high, case.n, dtype=torch.bfloat16,
                        device=torch.device("cuda", case.rank))
    handle = module.rendezvous(mine, symmetric.group)
    own = slice(case.rank * wide, (case.rank + 1) * wide)
    every = [handle.get_buffer(rank, mine.shape, mine.dtype)[:, own]
             for rank in range(case.gpus)]

    def run():
        handle.barrier(channel=0)
        for distance in range(1, case.gpus + 1):
            rank = (case.rank + distance) % case.gpus
            torch.mm(case.rows_of(rank), case.b, out=every[rank])
        handle.barrier(channel=0)
        return mine
    return run


def reduce_scatter(case, _, symmetric):
    part = case.k // case.gpus
    own = slice(case.rank * part, (case.rank + 1) * part)
    a, b = case.a[:, own].contiguous(), case.whole[:, own].contiguous().t()
    case.sums()
    return lambda: case.torch.ops.symm_mem.fused_matmul_reduce_scatter(
        a, b, "sum", 0, symmetric.group)


def sums_by_nccl(case, dist, _):
    part = case.k // case.gpus
    own = slice(case.rank * part, (case.rank + 1) * part)
    a, b = case.a[:, own].contiguous(), case.whole[:, own].contiguous().t()
    case.sums()
    out, got = case.empty(case.m, case.n), case.empty(
        case.m // case.gpus, case.n)

    def run():
        case.torch.mm(a, b, out=out)
        dist.reduce_scatter_tensor(got, out)
        return got
    return run


def all_gather(case, _, symmetric):
    shard = case.rows_of(case.rank).contiguous()
    case.want = case.a @ case.b
    return lambda: case.torch.ops.symm_mem.fused_all_gather_matmul(
        shard, [case.b], 0, symmetric.group)[1][0]


ROWS = [("PyTorch, NCCL", by_nccl), ("PyTorch, pipelined", pipelined(1)),
        ("PyTorch, pipelined", pipelined(0)),
        ("PyTorch, symmetric memory", into_peers),
        ("fused_matmul_reduce_scatter", reduce_scatter),
        ("fused_all_gather_matmul", all_gather)]
SUMS = [("PyTorch, NCCL reduce-scatter", sums_by_nccl),
        ("fused_matmul_reduce_scatter", reduce_scatter)]


class Symmetric:
    def __init__(self, dist):
        import torch.distributed._symmetric_memory as module
        self.module, self.group = module, dist.group.WORLD.group_name


def worker(rank, gpus, rows, result):
    import torch
    import torch.distributed as dist
    import ranks
    ranks.join(rank, gpus, 29534)
    symmetric = Symmetric(dist)

    def graphed(run):
        """The same as a graph."""
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            run()
        return graph.replay

    def measured(name, way, case, times):
        """Microseconds, the fewest of calls and graphs, and wrong elements."""
        run = way(case, dist, symmetric)
        bad = int(ranks.most((run() != case.want).sum()))
        us = [ranks.timed(run, times, TIMES)]
        try:
            us.append(ranks.timed(graphed(run), times, TIMES))
        except Exception as e:
            print(f"{name}, graph: {type(e).__name__}: {e}", file=sys.stderr)
        if rank == 0:
            print(f"{case.m} x {case.n} x {case.k}, {name}: {bad} wrong, {us} "
                  "us (calls, graphs)", flush=True)
        return min(us), bad

    for row in rows:
        m, n, k = map(int, row["shape"].split(" x "))
        times = max(4, int(FLOPS * gpus / (2 * m * n * k)))
        for name, way in SUMS if "sums" in row["kernel"] else ROWS:
            case = Case(torch, rank, gpus, m, n, k)
            try:
                us, bad = measured(name, way, case, times)
            except Exception as e: # the other rank fails too
                print(f"{name}: {type(e).__name__}: {e}", file=sys.stderr)
                continue
            row["wrong"] += bad
            row["peers"][name] = min(us, row["peers"].get(name, us))
        if rank == 0:
            with open(result, "w", encoding="utf-8") as f:
                f.write("".join(json.dumps(row) + "\n" for row in rows))
    dist.destroy_process_group()


def main():
    import torch
    import torch.multiprocessing as mp
    path = sys.argv[1]
    gpus = 1 << min(3, torch.cuda.device_count().bit_length() - 1)
    with open(path, encoding="utf-8") as f:
        rows = [json.loads(line) for line in f]
    mp.spawn(worker, (gpus, rows, path + ".torch"), nprocs=gpus)
    os.replace(path + ".torch", path)


if __name__ == "__main__":
    sys.exit(main())
