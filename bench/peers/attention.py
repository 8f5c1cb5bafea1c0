#!/usr/bin/env python3
"""attention.py - attention forward on a Hopper GPU, beside cuDNN.

    attention.py LIBRARY.so.. RESULT.json [ROUNDS]

bench/run.sh attention builds the libraries from device/attention.cu, one per
head size. The peer is PyTorch's scaled_dot_product_attention with its cuDNN
backend, on the same tensors: bf16, random normal, 16,384 tokens in all. Each
result is first compared with the peer's. Then both run in one process, in
random order, 5 ms of launches after 0.05 s of idleness. A row has the medians
in TFLOP/s and the ratio; causal attention counts half of the operations.
Sequences of all 16,384 tokens are also compared with PyTorch's
FlashAttention-2, `flash`.

A library built with -DFP8=1 takes Q, K and V as e4m3 and adds its own rows,
with `bits`. Its peers are cuDNN and the library of bf16, on the same numbers.
`one_sign` has its error if all values are about 1, against some rows in double
precision, because tensor cores round e4m3 accumulators down. Heads of 96 are
only there.

Libraries of device/attention_shapes.cu add `shapes`, the rows of
attention_shapes.py.

Libraries of device/attention_decode.cu add rows for decoding: GB/s of the keys
and values read, and their fraction of the rate of a kernel that copies 1 GiB,
read and written. Keys are in pages of 16 rows in random order; the peer reads
the same rows, stored contiguously.
"""
import ctypes
import functools
import json
import os
import pathlib
import random
import statistics
import sys

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from attention_shapes import TOKENS, every_row, medians
from matmul import burst, query

LENGTHS = (2048, 4096, 8192, 16384)
HEADS = {64: 32, 128: 16, 256: 8}


def ours(path):
    """Loads a library: its head size, bits of operands, and function."""
    library = ctypes.CDLL(str(pathlib.Path(path).resolve()))
    library.ll_attention.restype = ctypes.c_char_p

    bits = library.ll_bits()
    small = {}  # tensors as e4m3

    def run(o, q, k, v, causal):
        if bits == 8:
            if small.get("of") is not q:
                small.update(of=q, all=[x.to(torch.float8_e4m3fn)
                                        for x in (q, k, v)])
            q, k, v = small["all"]
        sizes = (q.shape[0], q.shape[2], k.shape[2], q.shape[1], k.shape[1],
                 int(causal), 0)
        wrong = library.ll_attention(
            *(ctypes.c_void_p(x.data_ptr()) for x in (o, q, k, v)),
            *map(ctypes.c_uint, sizes))
        if wrong:
            sys.exit(wrong.decode())
        return o
    return library.ll_head(), bits, run


def peer(backend, _, q, k, v, causal):
    """Runs a backend of PyTorch on the same tensors."""
    with sdpa_kernel([backend]):
        return torch.nn.functional.scaled_dot_product_attention(
            *(x.transpose(1, 2) for x in (q, k, v)),
            is_causal=causal).transpose(1, 2)


cudnn = functools.partial(peer, SDPBackend.CUDNN_ATTENTION)
flash = functools.partial(peer, SDPBackend.FLASH_ATTENTION)


def measure(runs, head, length, causal, rounds, bits=16):
    """The rows of one shape; with 8 bits, the numbers are rounded to e4m3."""
    heads, batch = HEADS[head], TOKENS // length
    q, k, v, o = (torch.randn(batch, length, heads, head, device="cuda",
                              dtype=torch.bfloat16) for _ in range(4))
    if bits == 8:
        q, k, v = (x.to(torch.float8_e4m3fn).to(x.dtype) for x in (q, k, v))
    args = o, q, k, v, causal
    want = cudnn(*args).float()
    for name, run in runs.items():
        o.zero_()
        got = run(*args).float()
        worst = ((got - want).abs() / (want.abs() + 0.05)).max().item()
        bound = (4, 0.035) if "fp8" in name else (0.2, 0.006)
        if not worst < bound[0] or \
                not (got - want).norm() < bound[1] * want.norm():
            sys.exit(f"{name}: {head}, {length}, {causal} is wrong by {worst}")
    flops = 4e-12 * batch * heads * length ** 2 * head / (2 if causal else 1)
    middle = medians({name: functools.partial(run, *args)
                      for name, run in runs.items()}, flops / 500, rounds)
    for name in runs:
        yield {"name": name, "head": head, "heads": heads, "length": length,
               "causal": causal, "tflops": round(flops / middle[name], 1),
               "ratio": round(middle["cudnn"] / middle[name], 4)} | (
                   {"bits": 8} if bits == 8 else {})


ONE_SIGN = 0.02  # largest error of e4m3 if all values have one sign


def one_sign(run, head):
    """The row of an e4m3 library: 16,384 values of about 1, scores of 0.3."""
    heads = HEADS.get(head, 16)
    q, k, v = (torch.randn(1, TOKENS, heads, head, device="cuda")
               for _ in range(3))
    q, k, v = (x.to(torch.float8_e4m3fn).bfloat16()
               for x in (q * 0.55, k * 0.55, 1 + v / 8))
    rows = torch.randint(TOKENS, (40,), device="cuda")
    got = run(torch.zeros_like(q), q, k, v, False)[0, rows].double()
    want = torch.stack([
        torch.softmax(q[0, rows, x].double() @ k[0, :, x].double().T /
                      head ** 0.5, 1) @ v[0, :, x].double()
        for x in range(heads)], 1)
    error = ((got - want).norm() / want.norm()).item()
    if not error < ONE_SIGN:
        sys.exit(f"e4m3: {head}, values of one sign are wrong by {error}")
    return {"head": head, "keys": TOKENS, "error": round(error, 5),
            "mean": round((got / want - 1).mean().item(), 5),
            "bound": ONE_SIGN}


def decoder(path):
    """The functions of a library of device/attention_decode.cu."""
    library = ctypes.CDLL(str(pathlib.Path(path).resolve()))
    library.ll_decode.restype = ctypes.c_char_p
    library.ll_decode_room.restype = ctypes.c_size_t
    return library


def pointers(*tensors):
    return [ctypes.c_void_p(x.data_ptr()) for x in tensors]


def new_tokens(library, batch, heads, shared, length, rounds):
    """The row of one shape: one token per sequence, `batch` sequences."""
    page, head = 16, library.ll_decode_head()
    k, v = (torch.randn(batch, length, shared, head, device="cuda",
                        dtype=torch.bfloat16) for _ in range(2))
    q = torch.randn(batch, heads, head, device="cuda", dtype=torch.bfloat16)
    o = torch.zeros_like(q)
    pages = batch * length // page
    table = torch.randperm(pages, device="cuda").int().view(batch, -1)
    paged = []
    for x in (k, v):
        y = torch.empty(pages, page, shared, head, device="cuda",
                        dtype=torch.bfloat16)
        y[table.view(-1).long()] = x.view(pages, page, shared, head)
        paged.append(y)
    lengths = torch.full((batch,), length, device="cuda", dtype=torch.int32)
    splits = ctypes.c_uint()
    processors = torch.cuda.get_device_properties(0).multi_processor_count
    room = torch.empty(library.ll_decode_room(
        *map(ctypes.c_uint, (batch, heads, shared, length, processors)),
        ctypes.byref(splits)), device="cuda", dtype=torch.uint8)

    def ours_():
        wrong = library.ll_decode(
            *pointers(o, room, q, *paged, lengths, table),
            *map(ctypes.c_uint, (batch, heads, shared, page, length // page,
                                 splits.value)))
        if wrong:
            sys.exit(wrong.decode())

    def peer():
        return torch.nn.functional.scaled_dot_product_attention(
            q.unsqueeze(2), k.transpose(1, 2), v.transpose(1, 2),
            enable_gqa=True).squeeze(2)
    src = torch.empty(1 << 30, device="cuda", dtype=torch.uint8)
    dst = torch.empty_like(src)

    def copy():
        library.ll_copy(*pointers(dst, src), ctypes.c_size_t(1 << 30))
    ours_()
    want = peer().float()
    if not (o.float() - want).norm() < 0.01 * want.norm():
        sys.exit(f"decode: {head}, {batch}, {heads}, {shared}, {length} "
                 "is wrong")
    size = 2 * k.numel() * 2
    runs = {"ours": (ours_, size / 4e12), "peer": (peer, size / 1e12),
            "copy": (copy, 5e-4)}
    found = {name: [] for name in runs}
    for _ in range(rounds):
        for name in random.sample(list(runs), len(runs)):
            run, estimate = runs[name]
            found[name].append(burst(lambda *_, r=run: r(), (), 0.005,
                                     estimate))
    middle = {name: statistics.median(all_) for name, all_ in found.items()}
    copied = (2 << 30) / middle["copy"]
    return {"head": head, "batch": batch, "heads": heads, "shared": shared,
            "length": length, "bytes": size, "splits": splits.value,
            "gbps": round(size / middle["ours"] / 1e9),
            "of_copy": round(size / middle["ours"] / copied, 4),
            "peer_of_copy": round(size / middle["peer"] / copied, 4)}


DECODED = {128: ((1, 32, 8, 131072), (8, 32, 8, 32768), (32, 32, 8, 8192),
                 (64, 64, 8, 4096), (128, 32, 8, 2048), (16, 32, 32, 4096),
                 (4, 16, 1, 65536)),
           96: ((8, 32, 8, 32768), (64, 64, 8, 4096), (16, 32, 32, 4096))}


def main():
    """Measures all shapes and writes the rows."""
    new = [decoder(p) for p in sys.argv[1:] if "decode" in p]
    shapes = [p for p in sys.argv[1:] if "shapes" in p]
    sys.argv = [p for p in sys.argv if p not in shapes and "decode" not in p]
    paths = [p for p in sys.argv[1:] if p.endswith(".so")]
    result = next(p for p in sys.argv[1:] if p.endswith(".json"))
    rounds = int(sys.argv[-1]) if sys.argv[-1].isdigit() else 9
    rows, libraries = [], {p: ours(p) for p in paths}
    for head, bits in sorted({found[:2] for found in libraries.values()
                              if found[0] in HEADS},
                             key=lambda x: (-x[1], x[0])):
        runs = {"cudnn": cudnn}
        runs.update((pathlib.Path(p).stem, run)
                    for p, (h, b, run) in libraries.items()
                    if h == head and b >= bits)
        for length in LENGTHS:
            for causal in (False, True):
                both = (length, bits) == (TOKENS, 16)
                for row in measure(runs | ({"flash": flash} if both else {}),
                                   head, length, causal, rounds, bits):
                    rows.append(row)
                    print(row, flush=True)
    signs = [one_sign(run, head) for head, bits, run in
             sorted(libraries.values(), key=lambda x: x[0]) if bits == 8]
    print(*signs, sep="\n", flush=True)
    other = []
    for row in every_row(shapes, rounds) if shapes else ():
        other.append(row)
        print(row, flush=True)
    decoded = [new_tokens(library, *shape, rounds)
               for library in new
               for shape in DECODED[library.ll_decode_head()]]
    print(*decoded, sep="\n", flush=True)
    context = {"device": query("name"), "driver": query("driver_version"),
               "torch": torch.__version__, "cuda": torch.version.cuda,
               "cudnn": torch.backends.cudnn.version(),
               "commit": os.environ.get("LL_COMMIT", "unknown"),
               "command": os.environ.get("LL_COMMAND",
                                         "bench/peers/attention.py"),
               "data": f"random normal, bf16, {TOKENS} tokens"}
    pathlib.Path(result).write_text(json.dumps(
        {"context": context, "attention": rows, "shapes": other,
         "decode": decoded, "one_sign": signs}, indent=1) + "\n")


if __name__ == "__main__":
    main()
