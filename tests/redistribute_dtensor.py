#!/usr/bin/env python3
"""redistribute_dtensor.py - examples/torch/redistribute_dtensor.py beside DTensor.

redistribute_dtensor.py LIBRARIES [cuda]: processes redistribute DTensors by both
on the CPU, or on the GPUs here: results, placements, strides, gradients, compiled
functions, and what is refused. Without PyTorch nothing is tested.
"""
import itertools
import os
import pathlib
import socket
import sys
import traceback

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "examples" / "torch"))
SHAPES = ((8, 16), (5, 7), (3, 4, 10), (4, 8, 2), (1, 9), (6,))


class Bench:
    """The ranks' shared state of a test: what is counted, and printed."""

    def __init__(self, rank, ranks, device):
        import torch
        from torch.distributed.tensor import Partial, Replicate, Shard
        import redistribute
        self.torch, self.rank, self.ranks = torch, rank, ranks
        self.device, self.passed, self.failed = device, 0, 0
        self.Shard, self.Replicate, self.Partial = Shard, Replicate, Partial
        self.ours = redistribute.redistribute
        self.how = {"means": "messages"} if device == "cpu" else {}
        self.kinds = [torch.bfloat16, torch.float32, torch.int8,
                      torch.float8_e4m3fn]

    def counts(self, good, what):
        self.passed += bool(good)
        self.failed += not good
        if not good:
            print(f"FAIL rank {self.rank}: {what}", flush=True)

    def mesh(self, *shape):
        from torch.distributed.device_mesh import init_device_mesh
        return init_device_mesh(self.device, shape)

    def full(self, shape, kind):
        """Small numbers of both signs, the same on each rank."""
        n = self.torch.Size(shape).numel()
        x = self.torch.arange(n) * 37 % 15 - 7
        return x.view(shape).to(self.torch.float32).to(kind).to(self.device)

    def tensor(self, shape, kind, mesh, placements):
        """A DTensor; partial results differ on each rank."""
        from torch.distributed.tensor import DTensor
        x = self.full(shape, kind)
        at = mesh.get_coordinate()
        for k, p in enumerate(placements):
            if p.is_shard():
                parts = list(x.chunk(mesh.size(k), p.dim))
                empty = x.narrow(p.dim, 0, 0)
                parts += [empty] * (mesh.size(k) - len(parts))
                x = parts[at[k]]
            elif p.is_partial():
                x = (x.float() * (1 + at[k])).to(kind)
        stride = self.torch.empty(shape, device="meta").stride()
        return DTensor.from_local(x.contiguous(), mesh, placements,
                                  run_check=False,
                                  shape=self.torch.Size(shape), stride=stride)

    def theirs(self, x, mesh, to):
        """DTensor's result. Gloo sends no fp8: the same bytes instead."""
        from torch.distributed.tensor import DTensor
        if self.device != "cpu" or x.dtype.itemsize > 1:
            return x.redistribute(mesh, to)
        y = DTensor.from_local(x.to_local().view(self.torch.uint8), mesh,
                               x.placements, run_check=False, shape=x.shape,
                               stride=x.stride()).redistribute(mesh, to)
        return DTensor.from_local(y.to_local().view(x.dtype), mesh, to,
                                  run_check=False, shape=x.shape,
                                  stride=x.stride())

    def equal(self, got, want):
        """Are two DTensors equal in bits, placements and strides?"""
        a, b = got.to_local().detach(), want.to_local().detach()
        kind = {1: self.torch.uint8, 2: self.torch.int16,
                4: self.torch.int32}[a.element_size()]
        return (got.placements == want.placements and
                got.stride() == want.stride() and got.shape == want.shape and
                got.dtype == want.dtype and a.shape == b.shape and
                a.is_contiguous() and
                got.requires_grad == want.requires_grad and
                self.torch.equal(a.view(kind), b.contiguous().view(kind)))


def pairs(t, dims):
    """Each pair of placements of one axis."""
    after = [*(t.Shard(d) for d in range(dims)), t.Replicate()]
    return itertools.product([*after, t.Partial(), t.Partial("avg")], after)


def one_axis(t):
    """Every pair of placements, type and shape on a mesh of one axis."""
    mesh = t.mesh(t.ranks)
    for shape in SHAPES:
        for (a, b), kind in itertools.product(pairs(t, len(shape)), t.kinds):
            if a.is_partial() and not (kind.is_floating_point and
                                       kind.itemsize > 1):
                continue
            if t.device == "cpu" and a == t.Partial("avg"):
                a = t.Partial()
            x = t.tensor(shape, kind, mesh, [a])
            t.counts(t.equal(t.ours(x, mesh, [b], **t.how),
                             t.theirs(x, mesh, [b])),
                     f"{shape} {kind} from {a} to {b}")


def two_axes(t):
    """A mesh of two axes, which also keep their partial results. DTensor may
    refuse a pair, or this library split it unequally; both are counted."""
    import redistribute as rd
    mesh, unequal = t.mesh(2, t.ranks // 2), 0
    every = [*(t.Shard(d) for d in range(2)), t.Replicate(), t.Partial()]
    for shape in ((8, 16), (12, 7), (5, 9)):
        for a, b in itertools.product(itertools.product(every, repeat=2),
                                      repeat=2):
            if any(q.is_partial() and p != q for p, q in zip(a, b)):
                continue
            x = t.tensor(shape, t.torch.float32, mesh, list(a))
            try:
                got = t.ours(x, mesh, list(b), **t.how)
            except rd.Unable as error:
                unequal += 1
                t.counts("not split equally" in str(error) and
                         shape != (8, 16), f"{shape} {a} to {b}: {error}")
                continue
            t.counts(t.equal(got, x.redistribute(mesh, list(b))),
                     f"{shape} from {a} to {b}")
    t.counts(0 < unequal < 120, f"{unequal} pairs are split unequally")


def orders(t):
    """Local tensors that are not row-major, or have gaps, or an odd address."""
    from torch.distributed.tensor import DTensor
    mesh = t.mesh(t.ranks)
    for shape in ((8, 16), (4, 6, 10)):
        x = t.tensor(shape, t.torch.float32, mesh, [t.Shard(0)])
        local = x.to_local()
        spaced = local.new_zeros(*local.shape[:-1], 2 * local.shape[-1])
        spaced[..., ::2] = local
        odd = local.new_zeros(local.numel() + 1)[1:].view(local.shape)
        last = local.ndim - 1
        turned = local.transpose(0, last).contiguous().transpose(0, last)
        for y, how in ((turned, {"shape": x.shape, "stride": x.stride()}),
                       (turned, {}), (spaced[..., ::2], {}),
                       (odd.copy_(local), {})):
            z = DTensor.from_local(y, mesh, [t.Shard(0)], run_check=False,
                                   **how)
            for b in (t.Shard(1), t.Replicate()):
                t.counts(t.equal(t.ours(z, mesh, [b], **t.how),
                                 z.redistribute(mesh, [b])),
                         f"{shape}, strides {y.stride()}, to {b}")


def gradients(t):
    """The same gradients, with types of their own too."""
    mesh = t.mesh(t.ranks)
    kinds = [{}, {"forward_dtype": t.torch.bfloat16},
             {"forward_dtype": t.torch.bfloat16,
              "backward_dtype": t.torch.float32}]
    for (a, b), how in itertools.product(pairs(t, 2), kinds):
        if a == t.Partial("avg"):
            continue
        found = []
        for of in (lambda x: t.ours(x, mesh, [b], **how, **t.how),
                   lambda x: x.redistribute(mesh, [b], **how)):
            x = t.tensor((6, 8), t.torch.float32, mesh, [a])
            x.requires_grad_()
            y = of(x)
            weight = t.tensor((6, 8), y.dtype, mesh, [b])
            (y * weight).to_local().sum().backward()
            found.append((y, x.grad))
        t.counts(t.equal(found[0][0], found[1][0]) and
                 t.equal(found[0][1], found[1][1]),
                 f"gradient from {a} to {b} {how}")


def compiled(t):
    """Compiled functions: this function, the method, and layouts."""
    import redistribute_tensor
    mesh = t.mesh(t.ranks)
    backends = ("aot_eager",) if t.device == "cpu" else ("aot_eager",
                                                         "inductor")
    for backend, method in itertools.product(backends, (False, True)):
        redistribute_tensor.restore()
        if method:
            redistribute_tensor.install()
        t.torch._dynamo.reset()

        def function(x):
            y = x * 2
            y = y.redistribute(mesh, [t.Shard(1)]) if method else \
                t.ours(y, mesh, [t.Shard(1)], **t.how)
            return y + 1
        if method and t.device == "cpu":
            continue
        made = t.torch.compile(function, backend=backend, fullgraph=True)
        try:
            for shape in ((8, 12), (8, 16), (7, 6), (9, 5)):
                x = t.tensor(shape, t.torch.float32, mesh, [t.Shard(0)])
                want = (x * 2).redistribute(mesh, [t.Shard(1)]) + 1
                t.counts(t.equal(made(x), want),
                         f"compiled by {backend}, {method}, {shape}")
        except Exception as error:
            t.counts(False, f"{backend}, method {method}: {error!r}")
    redistribute_tensor.restore()
    for backend in backends:
        t.counts(layouts(t, backend), f"layouts compiled by {backend}")


def layouts(t, backend):
    """Is a compiled redistribution between layouts right?"""
    import redistribute as rd
    full = t.full((8, 16), t.torch.float32)
    rows, pieces = (full.chunk(t.ranks, d)[t.rank] for d in (0, 1))
    how = [rd.placed((8, 16), [d], (t.ranks,))[0] for d in (0, 1)]

    def function(x):
        return t.ours(x * 2, *how, **t.how) + 1
    got = t.torch.compile(function, backend=backend, fullgraph=True)(
        rows.contiguous())
    return t.torch.equal(got, pieces.reshape(-1) * 2 + 1)


def said(call):
    try:
        call()
        return "nothing"
    except (ValueError, RuntimeError, TypeError) as error:
        return str(error)


def refusals(t):
    """What is refused, with a sentence; and the same with fallback."""
    import redistribute_dtensor
    mesh = t.mesh(t.ranks)
    x = t.tensor((8, 12), t.torch.float32, mesh, [t.Shard(0)])
    most = t.tensor((8, 12), t.torch.float32, mesh, [t.Partial("max")])
    whole = t.tensor((8, 12), t.torch.int8, mesh, [t.Partial()])
    cases = [
        (most, [t.Replicate()], "no plan for Partial(max)"),
        (whole, [t.Replicate()], "can be bf16, f16 and f32 (got torch.int8)"),
        (x, None, "placements are missing"),
        (x, [t.Shard(0), t.Shard(1)], "one placement per axis"),
        (x, [t.Shard(2)], "no dimension of a tensor with 2"),
        (x, [t.Partial()], "cannot become")]
    if t.device == "cpu":
        cases.append((x, [t.Shard(1)], "rank 0: the tensor is on the CPU"))
    for y, to, words in cases:
        got = said(lambda: t.ours(y, mesh, to))
        t.counts(words in got, f"{y.placements} to {to} says: {got}")
    t.counts("must be a DTensor" in said(
        lambda: redistribute_dtensor.of_dtensor(
            x.to_local(), mesh, [t.Shard(1)])), "a tensor")
    for y, to in ((most, [t.Replicate()]), (whole, [t.Shard(1)]),
                  (x, [t.Shard(1)])):
        t.counts(t.equal(t.ours(y, mesh, to, fallback=True),
                         y.redistribute(mesh, to)), f"fallback to {to}")


def one_import(t):
    """The names of torch.distributed.tensor, and the method."""
    import redistribute_tensor
    from torch.distributed import tensor as torchs
    redistribute_tensor.install()
    for name in torchs.__all__:
        t.counts(getattr(redistribute_tensor, name) is getattr(torchs, name),
                 f"the name {name}")
    mesh = t.mesh(t.ranks)
    x = redistribute_tensor.distribute_tensor(
        t.full((8, 12), t.torch.float32), mesh, [t.Shard(0)])
    if t.device == "cpu":
        got = said(lambda: x.redistribute(mesh, [t.Shard(1)]))
        t.counts("on the CPU" in got, f"the method says: {got}")
    redistribute_tensor.fallback(True)
    got = x.redistribute(mesh, [t.Shard(1)])
    full = x.full_tensor()
    redistribute_tensor.fallback(False)
    redistribute_tensor.restore()
    t.counts(t.equal(got, x.redistribute(mesh, [t.Shard(1)])) and
             t.torch.equal(full, t.full((8, 12), t.torch.float32)),
             "the method")


def streams(t):
    """A call on a side stream comes after what that stream does before, and the
    host does not wait for it. A tensor that is freed after the call is not
    overwritten before it has been read."""
    mesh, cuda = t.mesh(t.ranks), t.torch.cuda
    shape = (512, 2048)
    start, want = (t.tensor(shape, t.torch.float32, mesh, [t.Shard(d)])
                   for d in (0, 1))
    t.ours(start, mesh, [t.Shard(1)])
    side = cuda.Stream()
    for delayed in range(t.ranks):
        x = start.clone()
        x.to_local().zero_()
        cuda.synchronize()
        with cuda.stream(side):
            if t.rank == delayed:
                cuda._sleep(100_000_000)
            x.to_local().copy_(start.to_local())
            y = t.ours(x, mesh, [t.Shard(1)])
            waits = side.query()
            y = y + 0
        t.counts(t.rank != delayed or not waits, "the host waits")
        del x
        for _ in range(4):
            t.torch.full_like(start.to_local(), 3)
        side.synchronize()
        t.counts(t.equal(y, want), f"side stream, rank {delayed} is slow")
    x = start.clone()
    cuda.synchronize()
    with cuda.stream(side):
        cuda._sleep(100_000_000)
        y = t.ours(x, mesh, [t.Shard(1)])
    del x
    kept = [t.torch.full_like(start.to_local(), 3) for _ in range(4)]
    side.synchronize()
    t.counts(len(kept) == 4 and t.equal(y, want), "a freed tensor is read")


def graphs(t):
    """A captured graph, replayed between other calls while ranks are slow."""
    import redistribute_dtensor
    mesh, cuda = t.mesh(t.ranks), t.torch.cuda
    for shape, a, b in (((512, 2048), t.Shard(0), t.Shard(1)),
                        ((513, 2047), t.Shard(1), t.Shard(0)),
                        ((64, 2048), t.Partial(), t.Shard(0)),
                        ((4096, 32768), t.Shard(0), t.Shard(1))):
        x = t.tensor(shape, t.torch.bfloat16, mesh, [a])
        want = x.redistribute(mesh, [b])
        start = x.to_local().clone()
        t.ours(x, mesh, [b])
        cuda.synchronize()
        graph = cuda.CUDAGraph()
        with cuda.graph(graph):
            y = t.ours(x, mesh, [b])
        good = []
        for k in range(12):
            if k % t.ranks == t.rank:
                cuda._sleep(3_000_000)
            x.to_local().copy_(start * (k % 3))
            graph.replay()
            good.append(t.torch.equal(y.to_local(), want.to_local() * (k % 3)))
            if k % 4 == 3:
                good.append(t.equal(t.ours(x, mesh, [b]),
                                    x.redistribute(mesh, [b])))
        t.counts(all(good), f"graph of {shape} from {a} to {b}: {good}")
    redistribute_dtensor.check(mesh)


def reduced(t):
    """torch.compile with graphs, and gradients through it."""
    mesh = t.mesh(t.ranks)
    for kind in ({"mode": "reduce-overhead"}, {}):
        t.torch._dynamo.reset()

        @t.torch.compile(fullgraph=True, **kind)
        def function(x):
            y = t.ours(x * 2, mesh, [t.Shard(1)])
            return t.ours(y + 1, mesh, [t.Shard(0)])
        for k in range(6):
            x = t.tensor((256, 1024), t.torch.bfloat16, mesh, [t.Shard(0)])
            x = (x + k).detach().requires_grad_()
            y = function(x)
            good = t.torch.equal(y.to_local(), x.to_local() * 2 + 1)
            y.to_local().sum().backward()
            good = good and bool((x.grad.to_local() == 2).all())
            t.counts(good, f"compiled with {kind}, call {k}")


TESTS = (one_axis, two_axes, orders, gradients, compiled, refusals, one_import,
         streams, graphs, reduced)


def worker(rank, ranks, port, device, counts):
    import torch
    import torch.distributed as dist
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port),
                      NCCL_NVLS_ENABLE="0")
    torch.set_num_threads(1)
    if device == "cuda":
        torch.cuda.set_device(rank)
    dist.init_process_group("nccl" if device == "cuda" else "gloo", rank=rank,
                            world_size=ranks)
    t = Bench(rank, ranks, device)
    for test in TESTS if device == "cuda" else TESTS[:-3]:
        if test is not two_axes or ranks > 2:
            before = t.passed, t.failed
            try:
                test(t)
            except Exception:
                t.counts(False, traceback.format_exc())
            if rank == 0:
                print(f"{test.__name__}, {ranks} ranks: "
                      f"{t.passed - before[0]} passed, "
                      f"{t.failed - before[1]} failed", flush=True)
    counts[2 * rank], counts[2 * rank + 1] = t.passed, t.failed
    dist.barrier()
    dist.destroy_process_group()


def run(ranks, device):
    import torch.multiprocessing as mp
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    counts = mp.get_context("spawn").Array("i", 2 * ranks)
    mp.spawn(worker, (ranks, port, device, counts), nprocs=ranks)
    return sum(counts[::2]), sum(counts[1::2])


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    os.environ["LL_REDISTRIBUTE"] = sys.argv[1]
    device = "cuda" if sys.argv[2:] == ["cuda"] else "cpu"
    try:
        import torch
    except ImportError:
        print("skipped: PyTorch is not here")
        print("0 passed, 0 failed, 1 skipped")
        return False
    most = min(torch.cuda.device_count(), 4) if device == "cuda" else 4
    done = [run(ranks, device) for ranks in (2, 4) if ranks <= most]
    passed, failed = (sum(n) for n in zip(*done))
    print(f"{passed} passed, {failed} failed")
    return failed != 0 or not passed


if __name__ == "__main__":
    sys.exit(main())
