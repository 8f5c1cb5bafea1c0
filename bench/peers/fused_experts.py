#!/usr/bin/env python3
"""fused_experts.py - the rows of device/fused_experts.cu beside PyTorch.

fused_experts.py ROWS: adds to the peers of each row of the file ROWS the time
of the same exchange with torch.distributed, in two ways:
- slots: a row crosses once per expert: index_select, all_to_all_single,
  index_select; for combine the same back, and a batched product with the
  weights
- rows: a row crosses once per rank; index_select copies it to the experts, and
  index_add adds what comes back
Each is timed whole (with sorts, counts, and the host, which waits for the
splits) and with all indices and splits known beforehand. Times are of the
slowest GPU, the median of several bursts. One process per GPU.
"""
import json
import re
import sys

TIMES, CALLS = 5, 10


def quantised(torch):
    """A function that returns elements of e4m3, as bytes, and scales."""
    def run(x):
        groups = x.view(x.shape[0], -1, 128).float()
        peak = groups.abs().amax(2, keepdim=True).clamp(min=1e-12)
        scale = peak / 448
        small = (groups / scale).to(torch.float8_e4m3fn)
        return small.view(x.shape), scale.squeeze(2)
    compiled = torch.compile(run, dynamic=False)

    def both(x):
        small, scale = compiled(x)
        return small.view(torch.uint8), scale
    return both


def read(row):
    """What a row says of its kernel and shape."""
    _, what, kind = re.split(r",? ", row["kernel"])
    tokens, hidden, top, experts = map(int, re.findall(r"\d+", row["shape"]))
    return {"what": what, "type": kind, "tokens": tokens, "hidden": hidden,
            "top": top, "experts": experts,
            "routing": row["shape"].split(", ")[-1]}


class Exchange:
    """One row's routing. `known` holds indices and splits once they are made.
    """

    def __init__(self, torch, dist, row, rank, gpus):
        self.torch, self.dist, self.rank, self.gpus = torch, dist, rank, gpus
        self.top, self.experts = row["top"], row["experts"]
        self.here = self.experts // gpus
        n, e = row["tokens"], self.experts
        mass = torch.ones(e, device="cuda")
        if row["routing"] == "skewed":  # as in experts_check.h
            few = (e + 3) // 4
            mass *= 0.25 / e
            mass[:few] += 0.75 / few
        torch.manual_seed(rank)
        self.routes = torch.multinomial(mass.expand(n, e), self.top)
        self.weights = torch.rand(n, self.top, device="cuda") - 0.25
        self.x = torch.randn(n, row["hidden"], device="cuda",
                             dtype=torch.bfloat16)
        self.quantise = quantised(torch) if row["type"] == "e4m3" else None
        self.slots = self.rows = None

    def to_all(self, x, inputs, outputs):
        got = x.new_empty((sum(outputs),) + x.shape[1:])
        self.dist.all_to_all_single(got, x, outputs, inputs)
        return got

    def parts(self):
        """What crosses: rows, or rows and scales."""
        return self.quantise(self.x) if self.quantise else (self.x,)

    def know_slots(self):
        torch = self.torch
        flat = self.routes.flatten()
        order = flat.argsort(stable=True)
        counts = torch.bincount(flat, minlength=self.experts)
        theirs = torch.empty_like(counts)
        self.dist.all_to_all_single(theirs, counts)
        inputs = counts.view(self.gpus, -1).sum(1)
        outputs = theirs.view(self.gpus, -1).sum(1)
        inputs, outputs = torch.stack([inputs, outputs]).tolist()
        numbers = torch.arange(self.here, device="cuda").repeat(self.gpus)
        expert = torch.repeat_interleave(numbers, theirs,
                                         output_size=sum(outputs))
        group = expert.argsort(stable=True)
        return order // self.top, order, inputs, outputs, group

    def dispatch_slots(self, known):
        if not known:
            self.slots = self.know_slots()
        token, _, inputs, outputs, group = self.slots
        return [self.to_all(x.index_select(0, token), inputs,
                            outputs).index_select(0, group)
                for x in self.parts()]

    def combine_slots(self, y):
        torch = self.torch
        _, order, inputs, outputs, group = self.slots
        back = torch.empty_like(group)
        back[group] = torch.arange(len(group), device="cuda")
        got = self.to_all(y.index_select(0, back), outputs, inputs)
        back = torch.empty_like(order)
        back[order] = torch.arange(len(order), device="cuda")
        got = got.index_select(0, back).view(len(self.x), self.top, -1)
        return torch.bmm(self.weights.to(y.dtype).unsqueeze(1), got).squeeze(1)

    def know_rows(self):
        torch = self.torch
        n, k = self.routes.shape
        ranks = self.routes // self.here
        wanted = torch.zeros(self.gpus, n, dtype=torch.bool, device="cuda")
        wanted[ranks.flatten(),
               torch.arange(n, device="cuda").repeat_interleave(k)] = True
        token = wanted.nonzero()[:, 1]
        inputs = wanted.sum(1)
        outputs = torch.empty_like(inputs)
        self.dist.all_to_all_single(outputs, inputs)
        inputs, outputs = torch.stack([inputs, outputs]).tolist()
        routes = self.to_all(self.routes[token], inputs, outputs)
        weights = self.to_all(self.weights[token], inputs, outputs)
        mine = routes // self.here == self.rank
        place = mine.flatten().nonzero().squeeze(1)
        place = place[routes.flatten()[place].argsort(stable=True)]
        return token, inputs, outputs, place // k, weights.flatten()[place]

    def dispatch_rows(self, known):
        if not known:
            self.rows = self.know_rows()
        token, inputs, outputs, source, _ = self.rows
        return [self.to_all(x.index_select(0, token), inputs,
                            outputs).index_select(0, source)
                for x in self.parts()]

    def combine_rows(self, y):
        torch = self.torch
        token, inputs, outputs, source, weights = self.rows
        sums = torch.zeros(sum(outputs), y.shape[1], device="cuda")
        sums.index_add_(0, source, y * weights.unsqueeze(1))
        got = self.to_all(sums.to(y.dtype), outputs, inputs)
        out = torch.zeros(len(self.x), y.shape[1], device="cuda")
        return out.index_add_(0, token, got.float()).to(y.dtype)

    def result(self, dispatched):
        return dispatched[0].to(self.torch.bfloat16)


def worker(rank, gpus, rows, result):
    import torch
    import torch.distributed as dist
    import ranks
    ranks.join(rank, gpus, 29537)

    def checked(e):
        """Dispatch and combine both ways must agree."""
        a = e.combine_slots(e.result(e.dispatch_slots(False))).float()
        b = e.combine_rows(e.result(e.dispatch_rows(False))).float()
        return int(((a - b).abs() > 0.05 * (1 + a.abs())).sum().item())

    for row in rows:
        shape = read(row)
        e = Exchange(torch, dist, shape, rank, gpus)
        wrong = 0 if e.quantise else checked(e)
        ways = {}
        if shape["what"] == "dispatch":
            ways["NCCL slots whole"] = lambda: e.dispatch_slots(False)
            ways["NCCL slots"] = lambda: e.dispatch_slots(True)
            ways["NCCL rows whole"] = lambda: e.dispatch_rows(False)
            ways["NCCL rows"] = lambda: e.dispatch_rows(True)
        else:
            slots = e.result(e.dispatch_slots(False))
            rows_of = e.result(e.dispatch_rows(False))
            ways["NCCL slots"] = lambda: e.combine_slots(slots)
            ways["NCCL rows"] = lambda: e.combine_rows(rows_of)
        for name, run in ways.items():
            row["peers"][name] = ranks.timed(run, CALLS, TIMES)
        row["wrong"] += int(ranks.most(wrong))
        if rank == 0:
            print(row, flush=True)
    if rank == 0:
        result.put(rows)
    dist.destroy_process_group()


def main():
    path, = sys.argv[1:]
    with open(path, encoding="utf-8") as f:
        rows = [json.loads(line) for line in f]
    import torch
    gpus = torch.cuda.device_count()
    context = torch.multiprocessing.get_context("spawn")
    result = context.Queue()
    processes = [context.Process(target=worker, args=(rank, gpus, rows, result))
                 for rank in range(gpus)]
    for p in processes:
        p.start()
    rows = result.get(timeout=300)
    for p in processes:
        p.join()
    with open(path, "w", encoding="utf-8") as f:
        f.writelines(json.dumps(row) + "\n" for row in rows)
    return any(p.exitcode for p in processes)


if __name__ == "__main__":
    sys.exit(main())
