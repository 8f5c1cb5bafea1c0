#!/usr/bin/env python3
"""compare_redistribute.py - tests and times redistribute.py on one host's GPUs.

    compare_redistribute.py FILE

Compares every pair of shardings with indexing of the full tensor, through peer
memory and by messages, and DTensors with DTensor's own redistribute. Then it
times 1 GiB per GPU, and DTensor's redistribute, followed by the local permute if
the pair needs one; between rows and pieces also redistribute(x, mesh,
placements) of a DTensor, unprepared. FILE receives the times: of the slowest
GPU, the median of several bursts.
"""
import json
import os
import sys
import time

import redistribute as rd
import torch
import torch.distributed as dist
import torch.multiprocessing as mp

TIMES, CALLS = 5, 4


def bits(axis, first, last):
    return [f"{axis}{k}" for k in range(first, last)]


def text(offset, rank):
    return "offset: " + " ".join(offset) + " | gpu: " + " ".join(rank)


# Layout of 2^a x 2^b elements over 2^g ranks, and the part of the full tensor x
# that rank r of n has.
KINDS = {
    "row": (lambda a, b, g: text(bits("j", 0, b) + bits("i", 0, a - g),
                                 bits("i", a - g, a)),
            lambda x, r, n: x.chunk(n, 0)[r]),
    "piece": (lambda a, b, g: text(bits("j", 0, b - g) + bits("i", 0, a),
                                   bits("j", b - g, b)),
              lambda x, r, n: x.chunk(n, 1)[r]),
    "column": (lambda a, b, g: text(bits("i", 0, a) + bits("j", 0, b - g),
                                    bits("j", b - g, b)),
               lambda x, r, n: x.chunk(n, 1)[r].t()),
    "head": (lambda a, b, g: text(bits("j", 0, 7) + bits("i", 0, a) +
                                  bits("j", 7, b - g), bits("j", b - g, b)),
             lambda x, r, n: x.chunk(n, 1)[r].unflatten(1, (-1, 128))
             .transpose(0, 1)),
    "interleaved": (lambda a, b, g: text(bits("j", g, b) + bits("i", 0, a),
                                         bits("j", 0, g)),
                    lambda x, r, n: x[:, r::n]),
}
TYPES = (torch.bfloat16, torch.float32, torch.uint8)
TIMED = (("row", "piece"), ("piece", "row"), ("row", "column"),
         ("column", "row"), ("row", "head"), ("row", "interleaved"))


def sides(elements):
    a = (elements.bit_length() - 1) // 2
    return a, elements.bit_length() - 1 - a


def full(kind, elements):
    """Pseudo-random numbers, the same on every rank."""
    a, b = sides(elements)
    x = torch.arange(elements, device="cuda")
    x = (x * 0x9e3779b1 ^ x >> 13) >> 7
    x = (x & 255).to(torch.uint8) if kind is torch.uint8 else \
        (x & 255).to(kind) if kind is torch.bfloat16 else \
        (x & 0xffffff).to(kind)
    return x.view(1 << a, 1 << b)


def compared(rank, ranks, result):
    """Compares every pair and type, and collects the results of all ranks."""
    g, wrong, rows = ranks.bit_length() - 1, 0, []
    for kind in TYPES:
        elements = ranks << 23
        a, b = sides(elements)
        x = full(kind, elements)
        for source, target in ((s, t) for s in KINDS for t in KINDS if s != t):
            mine = KINDS[source][1](x, rank, ranks).contiguous()
            want = KINDS[target][1](x, rank, ranks).contiguous().view(-1)
            for means in ("peers", "messages"):
                said = None
                try:
                    y = rd.redistribute(mine, KINDS[source][0](a, b, g),
                                        KINDS[target][0](a, b, g), means=means)
                    bad = int((y != want).sum())
                except (ValueError, RuntimeError) as error:
                    bad, said = -1, str(error)
                every = [None] * ranks
                dist.all_gather_object(every, bad)
                rows.append({"from": source, "to": target, "type": str(kind),
                             "means": means, "wrong": every, "said": said})
                wrong += any(every)
                if rank == 0 and any(every):
                    print(rows[-1], flush=True)
    if rank == 0:
        result["compared"] = rows
        print(f"{len(rows)} redistributions, {wrong} wrong", flush=True)


def said_of(run, want):
    """The number of elements that differ, or -1 and the error."""
    try:
        return int((run() != want.reshape(-1)).sum()), None
    except (ValueError, RuntimeError) as error:
        return -1, str(error)


def kept(result, rank, ranks, bad, **row):
    """Adds a row with the results of all ranks."""
    every = [None] * ranks
    dist.all_gather_object(every, bad[0])
    if rank == 0:
        result["compared"].append({**row, "wrong": every, "said": bad[1]})
        if any(every):
            print(result["compared"][-1], flush=True)
    return any(every)


def part(x, placement, rank, ranks):
    """A copy of a rank's part of a full tensor."""
    if placement is None:
        return x.contiguous()
    size = -(-x.shape[placement] // ranks)
    at = min(rank * size, x.shape[placement])
    return x.narrow(placement, at, min(size, x.shape[placement] - at)).clone(
        memory_format=torch.contiguous_format)


def any_sizes(rank, ranks, result):
    """Tensors of any size, and partial sums, by both means. Ranks without a
    row or a column hold nothing."""
    wrong = count = 0
    for kind in (*TYPES, torch.complex128):
        for shape in ((1000, 777), (2048, 1535), (3, 5001), (1, 5001),
                      (4097, 1)):
            x = full(kind, 1 << 23).reshape(-1)[:shape[0] * shape[1]]
            x = x.view(shape)
            for a, b in ((0, 1), (1, 0), (0, None), (None, 1)):
                how = rd.ragged(shape, [a], [b], (ranks,))
                for means in ("peers", "messages"):
                    bad = said_of(lambda: rd.redistribute(
                        part(x, a, rank, ranks), *how[:2], sizes=how[2],
                        means=means), part(x, b, rank, ranks))
                    count += 1
                    wrong += kept(result, rank, ranks, bad, type=str(kind),
                                  means=means, shape=shape,
                                  **{"from": a, "to": b})
    for kind in (torch.bfloat16, torch.float16, torch.float32):
        for shape, b in ((s, b) for s in ((1024, 2048), (1000, 777))
                         for b in (0, 1, None)):
            parts = []
            for r in range(ranks):
                torch.manual_seed(r)
                parts.append((100 * torch.randn(shape, device="cuda")).to(kind))
            total = sum(p.float() for p in parts).to(kind)
            how = rd.ragged(shape, [None], [b], (ranks,))
            plain = shape[1] == 2048
            for means in ("peers", "messages"):
                bad = said_of(lambda: rd.redistribute(
                    parts[rank], *how[:2], sizes="" if plain else how[2],
                    sums="gpu", means=means), part(total, b, rank, ranks))
                count += 1
                wrong += kept(result, rank, ranks, bad, type=str(kind),
                              means=means, shape=shape,
                              **{"from": "sums", "to": b})
    if rank == 0:
        print(f"{count} of any sizes, and sums, {wrong} wrong", flush=True)


def dtensors(rank, ranks, result):
    """DTensors of random bits, redistributed by both."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import DTensor, Partial, Replicate, Shard
    mesh, wrong, count = init_device_mesh("cuda", (ranks,)), 0, 0
    torch.manual_seed(rank)
    for kind in (*TYPES, torch.int8, torch.float8_e4m3fn):
        for a in (Shard(0), Shard(1), Replicate(), Partial()):
            if a.is_partial() and kind is not torch.float32:
                continue
            local = torch.randint(-128, 128, (2048, 4096), dtype=torch.int8,
                                  device="cuda")
            if a.is_replicate():
                dist.broadcast(local, 0)
            local = local.float() if a.is_partial() else local.view(kind)
            x = DTensor.from_local(local, mesh, [a])
            for b in (Shard(0), Shard(1), Replicate()):
                want = x.redistribute(mesh, [b]).to_local().view(torch.uint8)
                bad = said_of(lambda: rd.redistribute(
                    x, mesh, [b]).to_local().view(torch.uint8).view(-1), want)
                count += 1
                wrong += kept(result, rank, ranks, bad, type=str(kind),
                              means="DTensor", **{"from": str(a), "to": str(b)})
    if rank == 0:
        print(f"{count} DTensors, {wrong} wrong", flush=True)


def refused(rank, ranks, result):
    """If the calls do not match, every rank must raise."""
    g, x = ranks.bit_length() - 1, torch.zeros(1 << 20, device="cuda")
    a, b = sides(ranks << 20)
    row, head = (KINDS[k][0](a, b, g) for k in ("row", "head"))
    said = []
    for call in (lambda: rd.redistribute(x, row, row if rank else head),
                 lambda: rd.redistribute(x[1:] if rank else x, row, head)):
        try:
            call()
            said.append("nothing")
        except ValueError as error:
            said.append(str(error))
    every = [None] * ranks
    dist.all_gather_object(every, said)
    if rank == 0:
        result["refused"] = every
        print(*every, sep="\n", flush=True)


def timed(run):
    """Microseconds per call, on the slowest GPU."""
    run()
    us = []
    for _ in range(TIMES):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        dist.barrier()
        begin.record()
        for _ in range(CALLS):
            run()
        end.record()
        end.synchronize()
        t = torch.tensor([1000 * begin.elapsed_time(end) / CALLS],
                         device="cuda")
        dist.all_reduce(t, op=dist.ReduceOp.MAX)
        us.append(t.item())
    return round(sorted(us)[TIMES // 2], 2)


def whole(run):
    """Microseconds of one call by the host's clock, with all its set-up: the
    median of several, on this rank."""
    run()
    us = []
    for _ in range(TIMES):
        torch.cuda.synchronize()
        dist.barrier()
        torch.cuda.synchronize()
        begin = time.perf_counter()
        run()
        torch.cuda.synchronize()
        us.append(1e6 * (time.perf_counter() - begin))
    return round(sorted(us)[TIMES // 2], 2)


AXES = {"row": 0, "piece": 1, "column": 1, "head": 1} # that DTensor shards


def sharded(ranks, source, side, kind):
    """A DTensor of rows or pieces, and its mesh."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import DTensor, Shard
    mesh = init_device_mesh("cuda", (ranks,))
    shape = [side[0] // ranks, side[1]] if AXES[source] == 0 else \
        [side[0], side[1] // ranks]
    x = torch.zeros(shape, dtype=kind, device="cuda")
    return DTensor.from_local(x, mesh, [Shard(AXES[source])]), mesh


def by_dtensor(ranks, source, target, side, kind):
    """DTensor's redistribute between rows and pieces, followed by the permute
    to the memory layout of `target`; None if DTensor cannot do the pair."""
    from torch.distributed.tensor import DTensor, Shard
    if source not in AXES or target not in AXES or \
            AXES[source] == AXES[target]:
        return None
    z, mesh = sharded(ranks, source, side, kind)
    x, shape = z.to_local(), z.to_local().shape

    def run():
        y = x.view(shape[1], shape[0]).t().contiguous() \
            if source == "column" else x
        y = DTensor.from_local(y, mesh, z.placements).redistribute(
            placements=[Shard(AXES[target])]).to_local()
        return y.t().contiguous() if target == "column" else \
            y.unflatten(1, (-1, 128)).transpose(0, 1).contiguous() \
            if target == "head" else y
    return run


def one_import(ranks, source, target, side, kind):
    """The times of both redistributes, where only the import differs: in turn,
    and of one call by the host's clock."""
    from torch.distributed.tensor import DTensor, Shard
    if {source, target} != {"row", "piece"}:
        return {}
    x, mesh = sharded(ranks, source, side, kind)
    to = [Shard(AXES[target])]
    found = {}
    for name, redistribute in (("dtensor", DTensor.redistribute),
                               ("import", rd.redistribute)):
        found[f"{name}_us"] = timed(lambda: redistribute(x, mesh, to))
        found[f"{name}_whole_us"] = whole(lambda: redistribute(x, mesh, to))
    return found


def times(rank, ranks, result, path):
    kind, size = torch.bfloat16, 1 << 30
    g, elements = ranks.bit_length() - 1, ranks * size // 2
    a, b = sides(elements)
    result["times"] = []
    torch.manual_seed(rank)
    x = torch.randint(-1 << 15, 1 << 15, (size // 2,), dtype=torch.int16,
                      device="cuda").view(kind)
    out = torch.empty_like(x)
    for source, target in TIMED:
        seen = []
        row = {"from": source, "to": target, "type": str(kind), "bytes": size}
        how = KINDS[source][0](a, b, g), KINDS[target][0](a, b, g)
        for means in ("peers", "messages"):
            try:
                r = rd.Redistribution(x, *how, out=out, means=means)
                row[f"{means}_us"] = timed(r)
                r.check()
                seen.append(out.view(torch.int16).clone())
                row[f"{means}_whole_us"] = whole(lambda: rd.redistribute(
                    x, *how, out=out, means=means))
            except (ValueError, RuntimeError) as error:
                row[f"{means}_said"] = str(error)
        row["same"] = [None] * ranks
        dist.all_gather_object(row["same"], len(seen) == 2 and
                               torch.equal(*seen))
        seen.clear()
        run = by_dtensor(ranks, source, target, (1 << a, 1 << b), kind)
        if run:
            row["dtensor_us"] = timed(run)
        row.update(one_import(ranks, source, target, (1 << a, 1 << b), kind))
        result["times"].append(row)
        if rank == 0:
            print(row, flush=True)
            save(result, path)


def save(result, path):
    with open(path, "w", encoding="utf-8") as f:
        json.dump(result, f, indent=1)


def worker(rank, ranks, path):
    from datetime import timedelta
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29541",
                      NCCL_NVLS_ENABLE="0")
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=ranks,
                            device_id=torch.device("cuda", rank),
                            timeout=timedelta(seconds=30))
    result = {"context": {"device": torch.cuda.get_device_name(),
                          "gpus": ranks, "torch": torch.__version__,
                          "nccl": ".".join(map(str, torch.cuda.nccl.version())),
                          "command": os.environ.get(
                              "LL_COMMAND", "compare_redistribute.py"),
                          "commit": os.environ.get("LL_COMMIT", "")}}
    for step in (compared, any_sizes, dtensors, refused):
        step(rank, ranks, result)
        if rank == 0:
            save(result, path)
    times(rank, ranks, result, path)
    dist.destroy_process_group()


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    ranks = 1 << torch.cuda.device_count().bit_length() - 1
    if ranks < 2:
        sys.exit("compare_redistribute.py: needs at least two GPUs")
    rd.load()
    mp.spawn(worker, (ranks, sys.argv[1]), nprocs=ranks)


if __name__ == "__main__":
    main()
