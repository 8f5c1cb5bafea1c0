#!/usr/bin/env python3
"""compare.py - builds the extension as a user would, compares its functions
with PyTorch's on 200 random shapes, and checks the messages for bad tensors.

    compare.py [seed]
    compare.py --build

Needs a Hopper GPU, nvcc, ninja and PyTorch, which builds the extension.
"""
import math
import pathlib
import random
import sys

import torch
from torch.utils import cpp_extension

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = ["binding.cpp", "softmax.cu", "rms_norm.cu", "attention_64.cu",
           "attention_128.cu", "lowbit.cu"]
INCLUDES = [str(HERE), str(HERE.parent.parent)]
# PyTorch's flags remove the conversions of 16-bit floats; put them back.
NVCC = ["-std=c++17", "-O3", "-gencode", "arch=compute_90a,code=sm_90a",
        *(f"-U__CUDA_NO_{what}__" for what in
          ("HALF_OPERATORS", "HALF_CONVERSIONS", "HALF2_OPERATORS",
           "BFLOAT16_CONVERSIONS"))]
FLOATS = (torch.float32, torch.bfloat16, torch.float16)


def build():
    return cpp_extension.load("ll_torch", [str(HERE / s) for s in SOURCES],
                              extra_cuda_cflags=NVCC,
                              extra_include_paths=INCLUDES)


def near(x, y, step):
    """Is each number within `step` of itself plus 1/16 of its row's largest?"""
    y = y.float()
    least = y.abs().amax(-1, keepdim=True) / 16 if y.numel() else 0
    return x.shape == y.shape and bool(
        ((x.float() - y).abs() <= step * (y.abs() + least) + 1e-6).all())


def rounded(x, y, size):
    """Are the errors those of bfloat16? It rounds by up to 2^-9: one factor of
    each product (size: sum of their absolute values), and the result. As much
    again is allowed for accumulation and exponentials."""
    return x.shape == y.shape and bool(
        ((x.float() - y).abs() <= 2 ** -8 * (size + y.abs())).all())


def shape_of(rng):
    """A shape of one to four dimensions, with rows of mostly a few thousand."""
    n = int(2 ** rng.uniform(0, 18))
    n = n // 8 * 8 or 8 if rng.random() < 0.5 else n
    n = min(n, 262129) # unaligned rows are padded by up to 15 bytes
    rows = rng.randint(1, min(max(1, (1 << 22) // n), 300))
    shape = [rows, n]
    while len(shape) < 4 and rng.random() < 0.3:
        shape.insert(0, rng.randint(1, 3))
    return shape if rng.random() < 0.9 else [n]


def softmax(ll, rng):
    shape, kind = shape_of(rng), rng.choice(FLOATS)
    x = (torch.randn(shape, device="cuda") * 4).to(kind)
    return (shape, kind), near(ll.softmax(x), torch.softmax(x.float(), -1),
                               2e-5 if kind is torch.float32 else 8e-3)


def rms_norm(ll, rng):
    shape, kind = shape_of(rng), rng.choice(FLOATS)
    x = (torch.randn(shape, device="cuda") + 1).to(kind)
    gain = torch.randn(shape[-1], device="cuda").to(kind)
    want = torch.rms_norm(x.float(), (shape[-1],), gain.float(), 1e-5)
    return (shape, kind), near(ll.rms_norm(x, gain, 1e-5), want,
                               2e-5 if kind is torch.float32 else 8e-3)


def attention(ll, rng):
    d, kv = rng.choice((64, 128)), rng.randint(1, 3)
    batch, heads = rng.randint(1, 2), kv * rng.randint(1, 3)
    rows = rng.randint(1, 700)
    causal = rng.random() < 0.5
    keys = rng.randint(1, 700) if not causal else rows + rng.randint(0, 99)
    q = torch.randn(batch, rows, heads, d, device="cuda").bfloat16()
    k, v = (torch.randn(batch, keys, kv, d, device="cuda").bfloat16()
            for _ in range(2))
    a, b, c = (x.float().transpose(1, 2) for x in (q, k, v))
    b, c = (x.repeat_interleave(heads // kv, 1) for x in (b, c))
    scores = a @ b.transpose(-1, -2) / math.sqrt(d)
    if causal:
        i = torch.arange(rows, device="cuda")[:, None] + keys - rows
        scores = scores.masked_fill(
            torch.arange(keys, device="cuda") > i, -math.inf)
    p = torch.softmax(scores, -1)
    want, size = ((p @ x).transpose(1, 2) for x in (c, c.abs()))
    have = ll.attention(q, k, v, causal)
    return ((batch, rows, keys, heads, kv, d, causal),
            rounded(have, want, size))


def lowbit(ll, rng):
    tokens, features = rng.randint(1, 300), 8 * rng.randint(1, 60)
    k = 64 * rng.randint(1, 12)
    elements = torch.randint(0, 16, (features, k), dtype=torch.uint8)
    scales = (torch.rand(features, k // 64) + 0.5).bfloat16()
    x = torch.randn(tokens, k, device="cuda").bfloat16()
    w = ((elements.float() - 8) *
         scales.float().repeat_interleave(64, 1)).cuda()
    have = ll.lowbit(x, ll.pack(elements, scales).cuda(), features)
    want = (x.double() @ w.double().t()).float()
    size = (x.double().abs() @ w.double().abs().t()).float()
    return (tokens, features, k), rounded(have, want, size)


def refused(ll):
    """Bad calls, each with words of the message that it must raise."""
    x = torch.randn(4, 256, device="cuda")
    q = torch.randn(1, 8, 2, 64, device="cuda").bfloat16()
    w = torch.zeros(100, dtype=torch.uint8, device="cuda")
    calls = [
        (lambda: ll.softmax(x.cpu()), "x is on the CPU"),
        (lambda: ll.softmax(x.double()), "x is Double"),
        (lambda: ll.softmax(x.t()), "x has stride"),
        (lambda: ll.softmax(x.view(-1)[1:]), "no multiple of 16 bytes"),
        (lambda: ll.softmax(torch.randn(1, 300000, device="cuda")), "rows of"),
        (lambda: ll.rms_norm(x, x[0, :99].clone()), "dimension 0 of gain"),
        (lambda: ll.rms_norm(x, x[0].half()), "gain is float16"),
        (lambda: ll.attention(q, q[..., :32].contiguous(), q), "of k is 32"),
        (lambda: ll.attention(q.half(), q, q), "q is float16"),
        (lambda: ll.attention(q[0], q, q), "q has 3 dimensions"),
        (lambda: ll.lowbit(q[0, 0], w, 8), "dimension 0 of packed"),
        (lambda: ll.lowbit(q[0, 0], w, 9), "9 features"),
    ]
    wrong = 0
    for k, (call, words) in enumerate(calls):
        try:
            call()
            said = "nothing"
        except RuntimeError as error:
            said = str(error).splitlines()[0]
        if words not in said:
            print(f"FAIL bad call {k}: {said}; not: {words}")
            wrong += 1
    empty = ll.softmax(torch.empty(0, 5, device="cuda"))
    return wrong + (tuple(empty.shape) != (0, 5)), len(calls) + 1


def main():
    if sys.argv[1:] == ["--build"]:
        return build() is None
    rng = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    torch.manual_seed(rng.randint(0, 1 << 30))
    ll = build()
    failed, total = refused(ll)
    for run, count in ((softmax, 70), (rms_norm, 60), (attention, 40),
                       (lowbit, 30)):
        wrong = 0
        for _ in range(count):
            shape, right = run(ll, rng)
            if not right:
                print(f"FAIL {run.__name__} {shape}")
            wrong += not right
        print(f"{run.__name__}: {count} shapes, {wrong} wrong", flush=True)
        failed, total = failed + wrong, total + count
    side = torch.cuda.Stream()  # not the default stream
    with torch.cuda.stream(side):
        _, right = softmax(ll, rng)
    failed, total = failed + (not right), total + 1
    print(f"{total - failed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
