"""attention_shapes.py - other shapes for attention.py: windows, sequences of
several lengths, heads that share keys, heads of 96, f16.

The libraries are built from device/attention_shapes.cu. Peers run on the same
tensors: cuDNN and PyTorch's FlashAttention-2. For a window, compiled
flex_attention replaces cuDNN, because PyTorch passes no window to cuDNN.
Sequences of several lengths lie end to end; cuDNN takes one call for each,
because with a list of their starts PyTorch plans anew in each call, which takes
60 ms. There are at most five rounds, as flex_attention takes 10 s to compile.

All results, ours and the peers', are compared with some rows in double
precision.
"""
import ctypes
import dataclasses
import pathlib
import random
import statistics
import sys
import time

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.attention.flex_attention import (create_block_mask,
                                               flex_attention)

from matmul import burst

TOKENS = 16384
LENGTHS = (1900, 5000, 300, 2800, 1400, 584, 3500, 900)
FEW = 40  # rows per sequence in double precision
# Largest errors relative to the norm: of all these rows, and of the worst row
# of a head.
BOUNDS = {torch.bfloat16: (4e-3, 6e-3), torch.float16: (5e-4, 8e-4)}


@dataclasses.dataclass(frozen=True)
class Shape:
    head: int = 128
    heads: int = 16
    shared: int = 16  # heads of keys
    causal: bool = True
    window: int = 0
    lengths: tuple = (TOKENS,)
    half: bool = False  # f16

    def __str__(self):
        count = len(self.lengths)
        return (f"{self.head}, {self.heads} heads" +
                (f", {self.shared} of keys" if self.shared < self.heads else
                 "") + f", {TOKENS} tokens" +
                (f" in {count} sequences of {min(self.lengths)} to "
                 f"{max(self.lengths)}" if count > 1 else "") +
                (", causal" if self.causal else "") +
                (f", window of {self.window}" if self.window else "") +
                (", f16" if self.half else ""))

    def library(self):
        return f"shapes-{'f16-' if self.half else ''}{self.head}"

    def flops(self):
        """The operations on unmasked pairs of rows and keys."""
        unseen = sum(max(n - self.window, 0) ** 2 if self.window else 0
                     for n in self.lengths)
        pairs = sum(n * n for n in self.lengths) - unseen
        return 4 * self.heads * self.head * pairs / (2 if self.causal else 1)


SHAPES = (Shape(lengths=LENGTHS),
          Shape(heads=32, shared=8, causal=False), Shape(heads=32, shared=8),
          Shape(head=96, causal=False), Shape(head=96),
          Shape(half=True, causal=False), Shape(half=True),
          Shape(window=4096))  # last, because flex_attention starts compilers


def medians(runs, seconds, rounds):
    """The median seconds of each function, from 5 ms of launches after 0.05 s
    of idleness, in random order. `seconds` is an estimate."""
    found = {name: [] for name in runs}
    for _ in range(rounds):
        for name in random.sample(list(runs), len(runs)):
            torch.cuda.synchronize()
            time.sleep(0.05)
            found[name].append(burst(runs[name], (), 0.005, seconds))
    return {name: statistics.median(all_) for name, all_ in found.items()}


def pointer(x):
    return ctypes.c_void_p(x.data_ptr())


def ours(library, shape, q, k, v):
    """The library's function on these tensors."""
    library.ll_attention_shape.restype = ctypes.c_char_p
    starts = starts_of(shape)
    o = torch.zeros_like(q)
    given = (*map(pointer, (o, q, k, v)),
             pointer(starts) if len(shape.lengths) > 1 else None,
             *map(ctypes.c_uint, (
                 len(shape.lengths), shape.heads, shape.shared,
                 max(shape.lengths), TOKENS, shape.causal, shape.window)))

    def run():
        wrong = library.ll_attention_shape(*given)
        if wrong:
            sys.exit(wrong.decode())
        return o
    run.keep = starts
    return run


def starts_of(shape):
    at = torch.tensor((0,) + shape.lengths, device="cuda")
    return at.cumsum(0).int()


def ahead(x):
    """Transposes tokens x heads to heads x tokens, as PyTorch expects."""
    return x.transpose(0, 1).unsqueeze(0)


def whole(backend, shape, q, k, v):
    """Runs a backend of PyTorch on sequences end to end: one call for each."""
    def run():
        with sdpa_kernel([backend]):
            done = [torch.nn.functional.scaled_dot_product_attention(
                *map(ahead, at), is_causal=shape.causal,
                enable_gqa=shape.shared < shape.heads)[0].transpose(0, 1)
                    for at in zip(*(x.split(shape.lengths)
                                    for x in (q, k, v)))]
        return torch.cat(done) if len(done) > 1 else done[0]
    return run


def cudnn_of_shared(shape, q, k, v):
    """Calls what scaled_dot_product_attention calls, which is 3 % faster."""
    return lambda: torch.ops.aten._cudnn_attention_forward(
        *map(ahead, (q, k, v)), None, None, None, TOKENS, TOKENS, False, 0.0,
        shape.causal, False)[0][0].transpose(0, 1)


def flash_at_starts(shape, q, k, v):
    starts, most = starts_of(shape), max(shape.lengths)
    return lambda: torch.ops.aten._flash_attention_forward(
        q, k, v, starts, starts, most, most, 0.0, shape.causal, False)[0]


def flash_of_window(shape, q, k, v):
    return lambda: torch.ops.aten._flash_attention_forward(
        q[None], k[None], v[None], None, None, TOKENS, TOKENS, 0.0, True, False,
        window_size_left=shape.window - 1, window_size_right=0)[0][0]


def flex(shape, q, k, v):
    mask = create_block_mask(
        lambda b, h, i, j: (i >= j) & (i - j < shape.window), None, None,
        TOKENS, TOKENS)
    compiled = torch.compile(flex_attention, dynamic=False)
    return lambda: compiled(*map(ahead, (q, k, v)),
                            block_mask=mask)[0].transpose(0, 1)


def peers(shape, *tensors):
    """The peers by name: functions that return O."""
    if shape.window:
        return {"flash": flash_of_window(shape, *tensors),
                "flex": flex(shape, *tensors)}
    cudnn = whole(SDPBackend.CUDNN_ATTENTION, shape, *tensors)
    if len(shape.lengths) > 1:
        return {"cudnn, a call each": cudnn,
                "flash": flash_at_starts(shape, *tensors)}
    if shape.shared < shape.heads:
        cudnn = cudnn_of_shared(shape, *tensors)
    return {"cudnn": cudnn,
            "flash": whole(SDPBackend.FLASH_ATTENTION, shape, *tensors)}


def by_hand(shape, q, k, v, rows):
    """Rows of a sequence in double precision."""
    few = q[rows].double().unflatten(1, (shape.shared, -1))
    scores = torch.einsum("rsgd,ksd->rsgk", few, k.double())
    before = rows[:, None] - torch.arange(len(k), device="cuda")
    hidden = (before < 0) & shape.causal
    if shape.window:
        hidden |= before >= shape.window
    scores.masked_fill_(hidden[:, None, None], -torch.inf)
    weights = (scores / shape.head ** 0.5).softmax(-1)
    return torch.einsum("rsgk,ksd->rsgd", weights, v.double()).flatten(1, 2)


def some_rows(shape, q, k, v):
    """Some row numbers, and these rows of O in double precision."""
    first, numbers, wanted = 0, [], []
    for n in shape.lengths:
        rows = torch.cat([torch.tensor([0, n - 1]), torch.randint(n, (FEW,))])
        rows = rows.unique().to(q.device)
        wanted.append(by_hand(shape, *(x[first:first + n] for x in (q, k, v)),
                              rows))
        numbers.append(first + rows)
        first += n
    return torch.cat(numbers), torch.cat(wanted)


def errors(got, want):
    """The errors of all rows, and of the worst row of a head."""
    off = (got.double() - want).norm(dim=-1)
    return ((off.norm() / want.norm()).item(),
            (off / want.norm(dim=-1)).max().item())


def measure(shape, library, rounds):
    """The row of a shape: TFLOP/s by name."""
    kind = torch.float16 if shape.half else torch.bfloat16
    q, k, v = (torch.randn(TOKENS, heads, shape.head, device="cuda", dtype=kind)
               for heads in (shape.heads, shape.shared, shape.shared))
    runs = {"ours": ours(library, shape, q, k, v)} | peers(shape, q, k, v)
    rows, want = some_rows(shape, q, k, v)
    for name, run in runs.items():
        found = errors(run()[rows], want)
        if not all(x < y for x, y in zip(found, BOUNDS[kind])):
            sys.exit(f"{name}: {shape} is wrong by {found}")
    found = medians(runs, shape.flops() / 5e14, rounds)
    return {"shape": str(shape), "tflops": {
        name: round(shape.flops() / seconds / 1e12, 1)
        for name, seconds in found.items()}}


def every_row(paths, rounds):
    """The rows of all shapes that have a library."""
    libraries = {pathlib.Path(p).stem: ctypes.CDLL(str(pathlib.Path(p)
                                                       .resolve()))
                 for p in paths}
    for shape in SHAPES:
        yield measure(shape, libraries[shape.library()], min(rounds, 5))
