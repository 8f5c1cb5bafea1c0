"""ranks.py - PyTorch on several GPUs, one process each, and its times.

The programs fused_*.py of this folder use it. All ranks call the same functions
in the same order.
"""
import os
import statistics

import torch
import torch.distributed as dist


def join(rank, ranks, port):
    """Makes this process a rank of NCCL's group, without NVLink multicast."""
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port),
                      RANK=str(rank), WORLD_SIZE=str(ranks),
                      NCCL_NVLS_ENABLE="0",
                      TORCH_SYMM_MEM_DISABLE_MULTICAST="1")
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=ranks,
                            device_id=torch.device("cuda", rank))


def most(x):
    """The largest of the ranks' numbers."""
    t = torch.tensor([float(x)], dtype=torch.float64, device="cuda")
    dist.all_reduce(t, op=dist.ReduceOp.MAX)
    return t.item()


def timed(run, calls, bursts):
    """Microseconds of a call on the slowest rank, the median of some bursts of
    `calls` calls each."""
    for _ in range(3):
        run()
    all_us = []
    for _ in range(bursts):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda.synchronize()
        dist.barrier()
        begin.record()
        for _ in range(calls):
            run()
        end.record()
        end.synchronize()
        all_us.append(most(1000 * begin.elapsed_time(end) / calls))
    return round(statistics.median(all_us), 2)
