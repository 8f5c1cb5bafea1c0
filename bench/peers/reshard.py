#!/usr/bin/env python3
"""reshard.py - device/reshard.cu beside PyTorch on the GPUs of a host.

reshard.py PROGRAM FILE: runs PROGRAM time FILE, and adds to each row of FILE
the time of the same pair with torch.distributed:
- permute_nccl_us: a permutation, NCCL's all-to-all, and a permutation; a
  permutation that moves nothing is left out
- nccl_us: the all-to-all alone; for copies and partial sums, NCCL's all-gather,
  reduce-scatter or all-reduce, without the transposition to columns
- dtensor_us: DTensor's redistribute, between rows and pieces of all rows
One process per GPU. Times are of the slower GPU, the median of several
bursts.
"""
import json
import os
import subprocess
import sys

TIMES = 5
SHARE = 128 << 20  # least bytes of a burst


def bits(axis, first, last):
    return [(axis, k) for k in range(first, last)]


def sharding(kind, rows, cols, gpus):
    """The bits of an offset and of the rank, fastest first, as in reshard.h.
    Blocks lack the XOR of the rank into the rows, which only changes the order
    of chunks."""
    j, top = bits("j", 0, cols - gpus), bits("j", cols - gpus, cols)
    i, high = bits("i", 0, rows), bits("i", rows - gpus, rows)
    if kind == "row":
        return j + top + i[:rows - gpus], high
    if kind == "column":
        return i + j, top
    if kind == "head":
        return j[:7] + i + j[7:], top
    if kind == "turns":
        return bits("j", gpus, cols) + i, bits("j", 0, gpus)
    if kind == "piece":
        return j + i, top
    return j[:6] + i[:6] + j[6:] + i[6:], top


def regroup(source, target):
    """The view of `source` and the order of its axes that give `target`. Both
    arguments list bits, slowest first."""
    groups = []
    for b in target:
        at = source.index(b)
        if groups and groups[-1][-1] == at - 1:
            groups[-1].append(at)
        else:
            groups.append([at])
    by_source = sorted(groups)
    return ([1 << len(g) for g in by_source],
            [by_source.index(g) for g in groups])


def passes(row, gpus):
    """The two permutations of a pair, and whether data crosses between GPUs."""
    log = gpus.bit_length() - 1
    total = (row["bytes"] * 8 // row["bits"]).bit_length() - 1 + log
    rows, cols = total // 2, total - total // 2
    a, rank = sharding(row["from"], rows, cols, log)
    b, to = sharding(row["to"], rows, cols, log)
    a, b = a[::-1], b[::-1]
    if set(rank) == set(to):
        return regroup(a, b), None, False
    message = [x for x in b if x in a]
    peers = [x for x in to[::-1] if x in a]
    return (regroup(a, peers + message), regroup(rank[::-1] + message, b), True)


def worker(rank, gpus, rows, result):
    import torch
    import torch.distributed as dist
    from torch.distributed.tensor import DTensor, Shard
    from torch.distributed.device_mesh import init_device_mesh
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29533",
                      RANK=str(rank), WORLD_SIZE=str(gpus),
                      NCCL_NVLS_ENABLE="0")
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=gpus,
                            device_id=torch.device("cuda", rank))
    mesh = init_device_mesh("cuda", (gpus,))
    types = {8: torch.uint8, 16: torch.bfloat16, 32: torch.float32}

    def slower(us):
        t = torch.tensor([us], device="cuda")
        dist.all_reduce(t, op=dist.ReduceOp.MAX)
        return round(t.item(), 2)

    def timed(run, size):
        n = max(1, SHARE // size)
        run()
        all_us = []
        for _ in range(TIMES):
            begin = torch.cuda.Event(enable_timing=True)
            end = torch.cuda.Event(enable_timing=True)
            dist.barrier()
            begin.record()
            for _ in range(n):
                run()
            end.record()
            end.synchronize()
            all_us.append(slower(1000 * begin.elapsed_time(end) / n))
        return sorted(all_us)[TIMES // 2]

    def permuted(x, how):
        shape, order = how
        return x if order == sorted(order) else \
            x.view(shape).permute(order).contiguous().view(-1)

    def collective(row):
        kind = {"u16": torch.bfloat16, "bf16": torch.bfloat16,
                "f16": torch.float16, "f32": torch.float32}[row["type"]]
        x = torch.ones(row["bytes"] * 8 // row["bits"], dtype=kind,
                       device="cuda")
        part = x[:x.numel() // gpus].clone()
        if row["from"] != "sums":
            return lambda: dist.all_gather_into_tensor(x, part)
        if row["to"] == "copies":
            return lambda: dist.all_reduce(x)
        return lambda: dist.reduce_scatter_tensor(part, x)

    alone = {}
    for row in rows:
        size = row["bytes"]
        if row["from"] == "sums" or row["to"] == "copies":
            row["nccl_us"] = timed(collective(row), size)
            continue
        x = torch.empty(size * 8 // row["bits"], dtype=types[row["bits"]],
                        device="cuda")
        got = torch.empty_like(x)
        before, after, crosses = passes(row, gpus)

        def all_of_it():
            y = permuted(x, before)
            if crosses:
                dist.all_to_all_single(got, y)
                y = permuted(got, after)
            return y

        row["permute_nccl_us"] = timed(all_of_it, size)
        if crosses and size not in alone:
            alone[size] = timed(lambda: dist.all_to_all_single(got, x), size)
        if crosses:
            row["nccl_us"] = alone[size]
        if {row["from"], row["to"]} == {"row", "piece"}:
            total = x.numel() * gpus
            side = 1 << (total.bit_length() - 1) // 2
            one = row["from"] != "row"
            local = x.view(side, -1) if one else x.view(side // gpus, -1)
            d = DTensor.from_local(local, mesh, [Shard(int(one))])
            row["dtensor_us"] = timed(
                lambda: d.redistribute(placements=[Shard(1 - int(one))]), size)
        del x, got
        if rank == 0:
            with open(result, "w", encoding="utf-8") as f:
                json.dump(rows, f)
    dist.destroy_process_group()


def main():
    program, path = sys.argv[1:3]
    only = os.environ.get("LL_RESHARD_TORCH_ONLY")
    status = 0 if only else subprocess.run([program, "time", path]).returncode
    with open(path, encoding="utf-8") as f:
        data = json.load(f)
    try:
        import torch
        import torch.multiprocessing as mp
        gpus = 1 << min(3, torch.cuda.device_count().bit_length() - 1)
        data["context"]["torch"] = torch.__version__
        data["context"]["nccl"] = ".".join(map(str, torch.cuda.nccl.version()))
        part = path + ".torch"
        mp.spawn(worker, (gpus, data["reshard"], part), nprocs=gpus)
    except Exception as e:  # keeps the rows so far
        print("reshard.py:", e, file=sys.stderr)
    if os.path.exists(path + ".torch"):
        with open(path + ".torch", encoding="utf-8") as f:
            data["reshard"] = json.load(f)
        os.remove(path + ".torch")
    with open(path, "w", encoding="utf-8") as f:
        rows = ",\n  ".join(json.dumps(row) for row in data["reshard"])
        f.write('{"context": %s,\n "reshard": [\n  %s\n ]}\n' %
                (json.dumps(data["context"]), rows))
    return status


if __name__ == "__main__":
    sys.exit(main())
