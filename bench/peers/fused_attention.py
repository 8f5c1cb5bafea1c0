#!/usr/bin/env python3
"""fused_attention.py - attention over several GPUs by PyTorch, for the rows of
fused_attention.cu.

    fused_attention.py ROWS

ROWS has a JSON object a line. A process per GPU holds some tokens of all heads
of Q, K and V. Ways of PyTorch:
- NCCL: permutes, all_to_all_single of Q, K and V, scaled_dot_product_attention
  (the faster of flash attention and cuDNN's) and, where O goes back, another
  all_to_all_single;
- symmetric memory: each process reads its heads from its peers' buffers, which
  permutes and exchanges in one copy, then the same attention.
All are checked against attention in float32 of one head. Times are of the
slowest process, the median of several bursts.
"""
import json
import re
import sys

import torch
import torch.distributed as dist
import torch.multiprocessing
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

import ranks

BURSTS = 7
BACKENDS = {"flash": SDPBackend.FLASH_ATTENTION,
            "cuDNN": SDPBackend.CUDNN_ATTENTION}


def shape_of(row):
    """Tokens, heads and head dimension of a row."""
    return [int(x) for x in re.findall(r"\d+", row["shape"])[:3]]


class Ways:
    """The ways of PyTorch on one rank, for one shape."""

    def __init__(self, row):
        self.tokens, self.heads, self.dim = shape_of(row)
        self.causal = "causal" in row["shape"]
        self.back = "back" in row["kernel"]
        self.ranks = dist.get_world_size()
        self.rank = dist.get_rank()
        self.here = self.tokens // self.ranks
        self.mine = self.heads // self.ranks
        # The whole tensor is the same everywhere.
        same = torch.Generator("cuda").manual_seed(1)
        self.whole = torch.randn(3, self.tokens, self.heads, self.dim,
                                 generator=same, dtype=torch.bfloat16,
                                 device="cuda")
        low = self.rank * self.here
        self.part = self.whole[:, low:low + self.here].contiguous()
        self.symmetric = self.share()

    def share(self):
        """Buffers that peers read and write; None where there are none."""
        try:
            import torch.distributed._symmetric_memory as memory
            buffer = memory.empty(self.part.shape, dtype=torch.bfloat16,
                                  device=f"cuda:{self.rank}")
            handle = memory.rendezvous(buffer, dist.group.WORLD)
            out = memory.empty(self.part.shape[1:], dtype=torch.bfloat16,
                               device=f"cuda:{self.rank}")
            handle_out = memory.rendezvous(out, dist.group.WORLD)
            buffer.copy_(self.part)
            return handle, handle_out, out
        except Exception as why:  # the sentence is all that is of use
            print(f"no symmetric memory: {why}", file=sys.stderr)
            return None

    def attend(self, q, k, v, backend):
        """O of tokens x heads x dim."""
        with sdpa_kernel(BACKENDS[backend]):
            o = scaled_dot_product_attention(
                *(x.transpose(0, 1)[None] for x in (q, k, v)),
                is_causal=self.causal)
        return o[0].transpose(0, 1)

    def by_nccl(self, backend):
        """Q, K and V in one message; returns O."""
        send = self.part.view(3, self.here, self.ranks, self.mine, self.dim)
        send = send.permute(2, 0, 1, 3, 4).contiguous()
        got = torch.empty_like(send)
        dist.all_to_all_single(got, send)
        q, k, v = got.transpose(0, 1).reshape(3, self.tokens, self.mine,
                                              self.dim)
        o = self.attend(q, k, v, backend)
        if not self.back:
            return o
        send = o.contiguous().view(self.ranks, self.here, self.mine, self.dim)
        got = torch.empty_like(send)
        dist.all_to_all_single(got, send)
        return got.permute(1, 0, 2, 3).reshape(self.here, self.heads, self.dim)

    def by_memory(self, backend):
        """Reads heads from peers' buffers, writes O to them."""
        handle, handle_out, out = self.symmetric
        low = self.rank * self.mine
        qkv = torch.empty(3, self.tokens, self.mine, self.dim,
                          dtype=torch.bfloat16, device="cuda")
        handle.barrier()
        for d in range(self.ranks):
            peer = (self.rank + d) % self.ranks
            of = handle.get_buffer(peer, self.part.shape, torch.bfloat16)
            qkv[:, peer * self.here:(peer + 1) * self.here].copy_(
                of[:, :, low:low + self.mine])
        handle.barrier()
        o = self.attend(*qkv, backend)
        if not self.back:
            return o
        handle_out.barrier()
        for d in range(self.ranks):
            peer = (self.rank + d) % self.ranks
            to = handle_out.get_buffer(peer, out.shape, torch.bfloat16)
            to[:, low:low + self.mine].copy_(
                o[peer * self.here:(peer + 1) * self.here])
        handle_out.barrier()
        return out

    def is_right(self, o):
        """Compares one head with attention in float32."""
        head = self.rank * self.mine
        q, k, v = (x[:, head].float() for x in self.whole)
        scores = q @ k.T / self.dim ** 0.5
        if self.causal:
            scores += torch.full_like(scores, float("-inf")).triu(1)
        want = scores.softmax(1) @ v
        if self.back:
            low = self.rank * self.here
            want, got = want[low:low + self.here], o[:, head]
        else:
            got = o[:, 0]
        return bool((got.float() - want).abs().max() < 0.03)

    def all(self):
        """Names and functions."""
        for backend in BACKENDS:
            yield f"PyTorch, NCCL, {backend}", lambda b=backend: self.by_nccl(b)
            if self.symmetric:
                yield (f"PyTorch, symmetric memory, {backend}",
                       lambda b=backend: self.by_memory(b))


def peers_of(row):
    """The times of all ways that work and are right."""
    ways, found = Ways(row), {}
    for name, run in ways.all():
        good = torch.zeros(1, device="cuda")
        try:
            good += ways.is_right(run())
        except RuntimeError as why:
            print(f"{name}: {str(why).splitlines()[0]}", file=sys.stderr)
        dist.all_reduce(good, dist.ReduceOp.MIN)
        if good.item():
            found[name] = ranks.timed(
                run, 10 if ways.tokens < 16384 else 3, BURSTS)
        elif dist.get_rank() == 0:
            print(f"{name}, {row['shape']}: wrong or missing", file=sys.stderr)
    return found


def work(rank, gpus, path):
    ranks.join(rank, gpus, 29531)
    with open(path) as f:
        rows = [json.loads(line) for line in f]
    for row in rows:
        row["peers"].update(peers_of(row))
    if rank == 0:
        with open(path, "w") as f:
            f.writelines(json.dumps(row) + "\n" for row in rows)
    dist.destroy_process_group()


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    gpus = 1 << (torch.cuda.device_count().bit_length() - 1)
    torch.multiprocessing.spawn(work, (gpus, sys.argv[1]), nprocs=gpus)


if __name__ == "__main__":
    main()
