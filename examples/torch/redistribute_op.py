"""redistribute_op.py - redistribution as an operator of PyTorch, for
torch.compile and for CUDA graphs.

torch.ops.ll_torch.redistribute(x, source, target, sizes, sums, shape, ranks,
means) returns a rank's part with `shape`; an empty shape is a flat tensor.
`ranks` is the key of Ranks.
"""
import torch

import redistribute as rd
from redistribute_ranks import Ranks

SCHEMA = ("redistribute(Tensor x, str source, str target, str sizes, str sums, "
          "int[] shape, str ranks, str means) -> Tensor")
LIBRARY = torch.library.Library("ll_torch", "FRAGMENT")
LIBRARY.define(SCHEMA)


def shape_of(x, source, target, sizes, sums, shape, ranks):
    """The shape of a rank's part after."""
    if shape:
        return list(shape)
    plan = rd.Plan.of(source, target, x.element_size(), ranks.rank,
                      ranks.ranks, rd.STAGING, sizes, sums)
    return [plan.held[1]]


def move(x, source, target, sizes, sums, shape, ranks, means):
    """Kernels need addresses that are multiples of 16; other tensors are
    copied."""
    ranks = Ranks.named(ranks)
    x = x.clone() if x.data_ptr() % 16 else x
    out = torch.empty(shape_of(x, source, target, sizes, sums, shape, ranks),
                      dtype=x.dtype, device=x.device)
    return rd.Redistribution(x, source, target, ranks, out=out, means=means,
                             sizes=sizes, sums=sums)()


def fake(x, source, target, sizes, sums, shape, ranks, means):
    return x.new_empty(shape_of(x, source, target, sizes, sums, shape,
                                Ranks.named(ranks)))


LIBRARY.impl("redistribute", move, "CPU")
LIBRARY.impl("redistribute", move, "CUDA")
torch.library.register_fake("ll_torch::redistribute", fake, lib=LIBRARY)


@torch._dynamo.assume_constant_result
def key_of(group):
    return Ranks.of(group).key


def in_graph(x, source, target, group=None, *, means="auto", sizes="",
             sums=""):
    """A redistribution between layouts in a compiled function."""
    return torch.ops.ll_torch.redistribute(x, source, target, sizes, sums, [],
                                           key_of(group), means)
