"""redistribute_dtensor.py - DTensor's redistribute by redistribute.py.

    from redistribute import redistribute
    y = redistribute(x, mesh, [Shard(1)])

has the arguments of DTensor.redistribute(x, mesh, [Shard(1)]) and returns an
equal DTensor, with a gradient. A program that calls the method changes the
import of DTensor's names instead:

    from redistribute_tensor import distribute_tensor, Shard # and all others
    y = x.redistribute(mesh, [Shard(1)])

Data moves by peers' memory, on the current stream. What this library cannot do
raises Unable with a sentence, or is left to DTensor with fallback=True:
  - tensors on the CPU, GPUs without access to their peers' memory, other hosts
  - meshes whose sizes are no powers of two
  - partial results other than sums and averages of bf16, f16 and f32
  - placements that split a dimension unequally, and _StridedShard
The local tensors are contiguous and row-major. DTensor's may have gaps between
rows after an uneven split; their elements are the same. Sums of more than two
ranks are added in rank order, which may differ from DTensor's in the last bit.

A call does not wait for the GPU. If a rank was lost or late, the next call
raises an error, and so does check().
"""
import functools
import math
import typing
import weakref

import torch
import torch.distributed as dist
from torch.distributed._functional_collectives import AsyncCollectiveTensor
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard
from torch.distributed.tensor._dtensor_spec import DTensorSpec, TensorMeta
from torch.distributed.tensor._redistribute import redistribute_local_tensor
from torch.utils._python_dispatch import _disable_current_modes

import redistribute as rd
import redistribute_op  # noqa: F401
from redistribute_ranks import Ranks

Unable = rd.Unable
DTENSORS = DTensor.redistribute  # its own method
NAMES = ("gpu", "node", "rack", "row", "hall", "site")  # the nearest first


def unable(why):
    return Unable(f"redistribute: {why}")


class Way(typing.NamedTuple):
    """How a redistribution runs on this rank.
      order    of the dimensions in memory, the slowest first
      texts    layouts before and after, sizes, axes with partial sums
      shape    of the local tensor after
      ranks    the key of Ranks
      count    what sums are divided by"""
    order: tuple
    texts: tuple
    shape: list
    ranks: str
    count: int


@functools.lru_cache(maxsize=1024)
def way(shape, strides, kind, before, after, mesh, means):
    """The Way of a tensor with that shape, strides and type. An axis that keeps
    its partial results is a further dimension, which it shards, as each of its
    ranks has data of its own."""
    checked(before, after, kind)
    sizes = tuple(mesh.shape)
    kept = [k for k, b in enumerate(after) if b.is_partial()]
    names = tuple(reversed(NAMES[:len(sizes)]))
    for k, n in enumerate(sizes):
        if n & n - 1:
            raise unable(f"axis {k} of the mesh has {n} ranks; a plan needs a "
                         "power of two")
    sides = [[kept.index(k) if k in kept else
              p.dim + len(kept) if p.is_shard() else None
              for k, p in enumerate(placements)]
             for placements in (before, after)]
    # By the strides of the whole tensor, as all ranks know them.
    order = sorted(range(len(shape)), key=lambda d: (-strides[d], d))
    sums = " ".join(names[k] for k, p in enumerate(before)
                    if p.is_partial() and k not in kept)
    ranks = ranks_of(mesh)
    texts = layouts((*(sizes[k] for k in kept), *shape), sides, sizes, names,
                    (*range(len(kept)), *(d + len(kept) for d in order)),
                    lambda *t: has_kernel(*t, sums, kind, ranks, means))
    count = math.prod(n for a, b, n in zip(before, after, sizes)
                      if a != b and a.is_partial() and a.reduce_op == "avg")
    return Way(tuple(order), (*texts, sums),
               list(rd.local_shape(shape, after, sizes, ranks.rank)), ranks.key,
               count)


def has_kernel(source, target, sizes, sums, kind, ranks, means):
    """Whether the kernel for sizes that are powers of two takes a plan."""
    if means == "messages" or not rd.load()[1]:
        return True
    plan = rd.Plan.of(source, target, kind.itemsize, ranks.rank, ranks.ranks,
                      rd.STAGING, sizes, sums)
    return plan.no_kernel(torch.cuda.current_device(),
                          rd.numbers(plan, kind)) is None


def layouts(shape, sides, mesh, names, order, good):
    """Layouts before and after, and sizes: "" for powers of two, if each rank
    has elements and the plan is good."""
    if all(n > 0 and n & n - 1 == 0 for n in shape):
        try:
            texts = (rd.placed(shape, sides[0], mesh, names, order)[0],
                     rd.placed(shape, sides[1], mesh, names)[0], "")
            if good(*texts):
                return texts
        except ValueError:
            pass  # a rank has no elements
    try:
        return rd.ragged(shape, *sides, mesh, names, order)
    except ValueError as error:
        raise Unable(str(error)) from None


def checked(before, after, kind):
    """Raises Unable for placements without a plan."""
    for a, b in zip(before, after):
        for p in (a, b):
            if type(p) not in (Shard, Replicate, Partial):
                raise unable(f"no plan for the placement {p!r}")
        if not a.is_partial() or a == b:
            continue
        if a.reduce_op not in ("sum", "avg"):
            raise unable(f"no plan for {a!r}; partial results can be sums and "
                         "averages")
        if kind not in (torch.bfloat16, torch.float16, torch.float32):
            raise unable(f"partial sums can be bf16, f16 and f32 (got {kind})")


def sliced(local, before, after, mesh, at):
    """A rank's part if copies become parts, which needs no exchange; None if
    the redistribution is another one."""
    changed = [k for k, (a, b) in enumerate(zip(before, after)) if a != b]
    for k in changed:
        if not before[k].is_replicate() or not after[k].is_shard() or any(
                after[j].is_shard(after[k].dim)
                for j in range(k + 1, len(mesh)) if j not in changed):
            return None
    for k in changed:
        sizes = rd.cut(local.shape[after[k].dim], [mesh[k]])
        local = local.narrow(after[k].dim, sum(sizes[:at[k]]), sizes[at[k]])
    return local.clone(memory_format=torch.contiguous_format)


def ranks_of(mesh):
    """The ranks of a mesh, row by row. Making them is collective."""
    known = RANKS.get(mesh)
    if known is None:
        with _disable_current_modes():
            known = RANKS[mesh] = ranks_made(mesh)
    return known


def ranks_made(mesh):
    order = tuple(mesh.mesh.flatten().tolist())
    if mesh.ndim == 1:
        return Ranks.of(mesh.get_group(), order)
    if sorted(order) == list(range(dist.get_world_size())):
        return Ranks.of(None, order)
    GROUPS.append(dist.new_group(sorted(order), use_local_synchronization=True))
    return Ranks.of(GROUPS[-1], order)


RANKS, GROUPS = weakref.WeakKeyDictionary(), []


def moved(local, spec, after, means):
    """A rank's local tensor after."""
    before, mesh = spec.placements, spec.mesh
    if before == after:
        return local
    if all(a == b or a.is_replicate() for a, b in zip(before, after)):
        part = sliced(local, before, after, tuple(mesh.shape),
                      mesh.get_coordinate())
        if part is not None:
            return part
    w = way(whole(spec.shape), whole(spec.stride), local.dtype, before, after,
            mesh, means)
    y = torch.ops.ll_torch.redistribute(
        local.permute(w.order).contiguous(), *w.texts, w.shape, w.ranks, means)
    return y.div_(w.count) if w.count > 1 else y


def with_type(spec, placements, kind):
    """A spec of the same tensor with other placements and type."""
    meta = spec.tensor_meta
    if placements == spec.placements and meta.dtype == kind:
        return spec
    return made(spec.mesh, tuple(placements), whole(meta.shape),
                whole(meta.stride), kind)


@functools.lru_cache(maxsize=1024)
def made(mesh, placements, shape, stride, kind):
    return DTensorSpec(mesh, placements, tensor_meta=TensorMeta(
        shape=torch.Size(shape), stride=stride, dtype=kind))


def whole(sizes):
    """Sizes as numbers: a compiled function with a plan is for these alone."""
    return tuple(map(int, sizes))


def spec_of(x):
    """The spec of a DTensor. While a function is compiled, only the tensor has
    the sizes that it asks for, and the spec those of an earlier call."""
    if type(x._local_tensor) is not torch.Tensor:
        whole(x._local_tensor.shape)
        return made(x._spec.mesh, x._spec.placements, whole(x.shape),
                    whole(x.stride()), x.dtype)
    return x._spec


def local_of(x, kind):
    """The local tensor with that type, or its own for None."""
    local = x._local_tensor
    if isinstance(local, AsyncCollectiveTensor):
        local = local.wait()
    return local if kind in (None, local.dtype) else local.to(kind)


def either(local, spec, placements, means, fallback):
    """A rank's local tensor after, by this library or else by DTensor."""
    try:
        return moved(local, spec, placements, means)
    except Unable:
        if not fallback:
            raise
    return redistribute_local_tensor(
        local, with_type(spec, spec.placements, local.dtype),
        with_type(spec, placements, local.dtype))


class Move(torch.autograd.Function):
    """The redistribution of a DTensor, and the way back of its gradient."""

    @staticmethod
    def forward(ctx, x, placements, kinds, means, fallback):
        local, spec = local_of(x, kinds[0]), spec_of(x)
        ctx.spec, ctx.how = spec, (means, fallback)
        ctx.kinds = kinds[1] or x.dtype, x.dtype
        y = either(local, spec, placements, *ctx.how)
        return DTensor(y.view_as(y) if y is x._local_tensor else y,
                       with_type(spec, placements, local.dtype),
                       requires_grad=x.requires_grad)

    @staticmethod
    def backward(ctx, gradient):
        """As DTensor does, a gradient stays a copy where the tensor was partial
        results."""
        local, spec = local_of(gradient, ctx.kinds[0]), spec_of(gradient)
        to = tuple(Replicate() if p.is_partial() and not q.is_partial() else p
                   for q, p in zip(spec.placements, ctx.spec.placements))
        y = either(local, spec, to, *ctx.how).to(ctx.kinds[1])
        return (DTensor(y, with_type(spec, to, y.dtype),
                        requires_grad=gradient.requires_grad),
                None, None, None, None)


def placements_of(x, mesh, placements):
    """Checks the arguments as DTensor does, and for what it leaves open."""
    if not isinstance(x, DTensor):
        raise TypeError(f"redistribute: x must be a DTensor (got {type(x)})")
    if mesh is not None and mesh != x.device_mesh:
        raise unable(f"x is on {x.device_mesh}; it cannot be moved to {mesh}")
    if placements is None:
        raise ValueError("redistribute: placements are missing")
    placements = list(placements)
    if len(placements) != x.device_mesh.ndim:
        raise ValueError(f"redistribute: give one placement per axis of the "
                         f"mesh, which has {x.device_mesh.ndim} (got "
                         f"{len(placements)})")
    for k, p in enumerate(placements):
        if type(p) is Shard and not -x.ndim <= p.dim < x.ndim:
            raise ValueError(f"redistribute: {p!r} is no dimension of a tensor "
                             f"with {x.ndim}")
        if p.is_partial() and p != x.placements[k]:
            raise ValueError(f"redistribute: {x.placements[k]!r} cannot become "
                             f"{p!r}")
        if type(p) is Shard and p.dim < 0:
            placements[k] = Shard(p.dim + x.ndim)
    return tuple(placements)


def of_dtensor(x, device_mesh=None, placements=None, *, async_op=False,
               forward_dtype=None, backward_dtype=None, fallback=False,
               means="peers"):
    """Returns a DTensor that equals x with other placements.
      device_mesh, placements, forward_dtype, backward_dtype: as for DTensor
      async_op: has no effect: a call never waits for the GPU
      fallback: leave to DTensor what this library cannot do
      means: "peers", "auto" or "messages"."""
    if torch.compiler.is_dynamo_compiling():
        return in_graph(x, constant(device_mesh, placements, forward_dtype,
                                    backward_dtype, means, fallback))
    try:
        to = placements_of(x, device_mesh, placements)
    except Unable:
        if not fallback:
            raise
        return DTENSORS(x, device_mesh, placements, async_op=async_op,
                        forward_dtype=forward_dtype,
                        backward_dtype=backward_dtype)
    return Move.apply(x, to, (forward_dtype, backward_dtype), means, fallback)


ARGUMENTS = []  # of calls in compiled functions


@torch._dynamo.assume_constant_result
def constant(mesh, placements, *others):
    """A number for arguments, which a graph can hold."""
    asked = (mesh, None if placements is None else tuple(placements), *others)
    if asked not in ARGUMENTS:
        ARGUMENTS.append(asked)
    return ARGUMENTS.index(asked)


@torch._dynamo.allow_in_graph
def in_graph(x, number):
    mesh, placements, forward, backward, means, fallback = ARGUMENTS[number]
    return of_dtensor(x, mesh, placements, forward_dtype=forward,
                      backward_dtype=backward, means=means, fallback=fallback)


def check(mesh):
    """Waits for the GPU. Raises if a rank was lost or late."""
    torch.cuda.synchronize()
    ranks_of(mesh).check()
