#!/usr/bin/env python3
"""kernels.py - the bandwidth-bound kernels of examples/ on a GPU, beside
PyTorch's, eager and compiled, and Triton's.

    kernels.py LIBRARY.so RESULT.json   measures and writes the rows
    kernels.py --warm K OF              compiles a part of the peers

bench/run.sh kernels builds the library from device/kernels.cu. Data are 1 GiB,
random. Each kernel's whole output is compared with PyTorch's in float32. The
tilings of a kernel run in turn, and the best one counts. A figure is bytes over
time, where each input and output counts once, as a fraction of the rate of a
copy kernel, with 16 bytes per thread, in the same round. Odd rows start at no
multiple of 16 bytes.
"""
import ctypes
import json
import os
import pathlib
import statistics
import sys

import torch

import triton_rows
from entries import entries_of
from matmul import query
from timing import SKIPPED, compiled, timed
from wrong import WRONG, left_out

GIB, ROUNDS = 1 << 30, 7
ROUNDED = 16 # the factor by which bounds of PyTorch's own kernels are wider
TYPES = {"f32": torch.float32, "bf16": torch.bfloat16}
POWERS = (1024, 4096, 16384, 65536, 262144)
ODD = (1015, 4087, 16375, 50257, 65527, 262135)
CASES = ([("softmax", "bf16", n) for n in POWERS + ODD] +
         [("softmax", "f32", n) for n in POWERS + ODD[1:3]] +
         [("log-softmax", "bf16", n) for n in POWERS + ODD[1:2]] +
         [("log-softmax", "f32", n) for n in POWERS + ODD[1:2]] +
         [(kernel, "bf16", n) for kernel in ("rmsnorm", "layernorm")
          for n in POWERS + ODD[:3] + ODD[4:5]] +
         [(kernel, "bf16", n)
          for kernel in ("crossentropy", "crossentropy with gradient")
          for n in (50257, 131072, 262144)] +
         [(kernel, "bf16", n)
          for kernel in ("rmsnorm backward", "layernorm backward")
          for n in (1024, 4096, 16384, 65536, 4087)] +
         [("rope", "bf16", 4096), ("rope of neighbours", "bf16", 4096),
          ("quantise both ways", "bf16", 16384)] +
         [("hadamard", "bf16", 1 << k) for k in range(8, 16)])
# Cases with torch.compile as a peer: two lengths of each kernel, one of them
# the longest.
COMPILED = ([(kernel, "bf16", n) for kernel in
             ("softmax", "log-softmax", "rmsnorm", "layernorm")
             for n in (16384, 262144)] +
            [(kernel, "f32", n) for kernel in ("softmax", "log-softmax")
             for n in (4096, 262144)] +
            [(kernel, "bf16", n) for kernel in
             ("crossentropy", "crossentropy with gradient")
             for n in (131072, 262144)] +
            [(kernel, "bf16", n)
             for kernel in ("rmsnorm backward", "layernorm backward")
             for n in (4096, 65536)] +
            [("rope", "bf16", 4096), ("rope of neighbours", "bf16", 4096),
             ("quantise both ways", "bf16", 16384), ("hadamard", "bf16", 1024),
             ("hadamard", "bf16", 32768)])


class Arguments(ctypes.Structure):
    _fields_ = ([(name, ctypes.c_void_p) for name in
                 ("dst", "src", "gain", "bias", "losses", "scales", "cosine",
                  "sine", "targets")] +
                [("rows", ctypes.c_uint), ("n", ctypes.c_uint)] +
                [(name, ctypes.c_void_p) for name in
                 ("dout", "dgain", "dbias", "sums")])


class Data:
    """The buffers of all cases, kept because freeing memory is slow."""
    def __init__(self):
        flat = torch.empty(GIB // 2, device="cuda", dtype=torch.bfloat16)
        flat.normal_()
        self.src = {"bf16": flat}
        self.dst = torch.empty(GIB, device="cuda", dtype=torch.uint8)
        self.more = {
            "gain": torch.randn(1 << 18, device="cuda").bfloat16(),
            "bias": torch.randn(1 << 18, device="cuda").bfloat16(),
            "losses": torch.empty(1 << 20, device="cuda"),
            "scales": torch.empty(1 << 23, device="cuda"),
            "dgain": torch.empty(1 << 18, device="cuda").bfloat16(),
            "dbias": torch.empty(1 << 18, device="cuda").bfloat16(),
            "sums": torch.empty(264 << 19, device="cuda"),
            "cosine": torch.randn(4096, 64, device="cuda"),
            "sine": torch.randn(4096, 64, device="cuda")}

    def of(self, kind):
        if kind == "f32" and kind not in self.src:
            self.src[kind] = torch.randn(GIB // 4, device="cuda")
        return self.src[kind]


def rotated(x, c, s, neighbours):
    """Rope of tokens x heads x d."""
    c, s = c[:, None], s[:, None]
    if neighbours:
        a, b = x[..., 0::2], x[..., 1::2]
        return torch.stack((a * c - b * s, b * c + a * s), -1).flatten(-2)
    a, b = x.chunk(2, -1)
    return torch.cat((a * c - b * s, b * c + a * s), -1)


def transformed(x):
    """Hadamard of each row, by butterflies."""
    n = x.shape[1]
    for k in range(n.bit_length() - 1):
        x = x.view(-1, n >> (k + 1), 2, 1 << k)
        x = torch.stack((x[:, :, 0] + x[:, :, 1], x[:, :, 0] - x[:, :, 1]), 2)
    return x.reshape(-1, n) * n ** -0.5


def backward(layer, x, dout, gain):
    """The gradients of x, gain and bias, in float32."""
    x, dout = x.float(), dout.float()
    down = x.mean(-1, keepdim=True) if layer else 0
    scale = (x - down).square().mean(-1, keepdim=True).add(1e-5).rsqrt()
    y, w = (x - down) * scale, dout * gain.float()
    mean = w.mean(-1, keepdim=True) if layer else 0
    dx = (w - mean - y * (w * y).mean(-1, keepdim=True)) * scale
    return dx, (dout * y).sum(0), dout.sum(0)


def backward_right(kernel, case, more, wide):
    """Are all gradients correct? Sums over rows are compared relative to the
    size of their terms."""
    x, dst, dout = case["x"], case["dst"], case["dout"]
    rows, n = x.shape
    layer, step = kernel.startswith("layer"), max(1, (1 << 24) // n)
    sums = torch.zeros(2, n, device="cuda")
    for at in range(0, rows, step):
        part = slice(at, at + step)
        dx, *both = backward(layer, x[part], dout[part], more["gain"][:n])
        if not near(dst[part], dx, wide):
            return False
        sums += torch.stack(both)
    for name, want in zip(("dgain", "dbias")[:1 + layer], sums):
        if not bool(((more[name][:n].float() - want).abs() <=
                     8e-3 * wide * want.abs() +
                     1e-3 * wide * rows ** 0.5).all()):
            return False
    return True


def wanted(kernel, x, more, targets, at):
    """The expected results of some rows, in float32; `at` is the first row."""
    n = x.shape[1]
    y = x.float()
    if kernel == "softmax":
        return torch.softmax(y, -1)
    if kernel == "log-softmax":
        return torch.log_softmax(y, -1)
    if kernel == "rmsnorm":
        return torch.rms_norm(y, (n,), more["gain"][:n].float(), 1e-5)
    if kernel == "layernorm":
        return torch.layer_norm(y, (n,), more["gain"][:n].float(),
                                more["bias"][:n].float(), 1e-5)
    if kernel == "crossentropy":
        return torch.nn.functional.cross_entropy(y, targets,
                                                 reduction="none")
    if kernel == "crossentropy with gradient":
        y = torch.softmax(y, -1)
        y[torch.arange(len(y), device="cuda"), targets] -= 1
        return y
    if kernel == "hadamard":
        return transformed(y)
    positions = torch.arange(at, at + len(y), device="cuda") % 4096
    angles = (more[name][positions] for name in ("cosine", "sine"))
    return rotated(y.view(len(y), -1, 128), *angles,
                   kernel != "rope").reshape(len(y), n)


def near(x, y, wide=1):
    """Are results of 16 or 32 bits near those in float32?"""
    step = wide * (2e-5 if x.dtype == torch.float32 else 8e-3)
    return bool(((x.float() - y).abs() <= step * y.abs() + step / 16 *
                 y.abs().amax(-1, keepdim=True) + 1e-6).all())


def is_right(kernel, case, data, wide=1):
    """Compares all rows, some at a time. `wide` scales the bounds."""
    x, dst, targets = case["x"], case["dst"], case["long"]
    rows, n = x.shape
    if kernel == "quantise both ways":
        return quantised_right(x, data)
    if kernel.endswith("backward"):
        return backward_right(kernel, case, data.more, wide)
    step = max(1, (1 << 25) // n)
    for at in range(0, rows, step):
        part = slice(at, at + step)
        want = wanted(kernel, x[part], data.more, targets[part], at)
        have = (data.more["losses"][:rows] if kernel == "crossentropy"
                else dst)[part]
        if kernel == "crossentropy":
            least = 1e-4 if wide == 1 else 1e-2
            if not torch.allclose(have, want, rtol=least, atol=least):
                return False
        elif not near(have, want, wide):
            return False
    return True


def quantised_right(x, data):
    """Do bytes times scales give the elements, to half a step of e4m3?"""
    m, n = x.shape
    by_rows, by_cols = data.more["bytes"]
    of_rows, of_cols = data.more["scales_of"]
    for at in range(0, m, 1024):
        y = x[at:at + 1024].float()
        scale = of_rows.view(n // 128, m)[:, at:at + 1024].t()
        part = by_rows[at:at + 1024].float().view(-1, n // 128, 128)
        z = (part * scale[..., None]).view_as(y)
        scale = of_cols.view(m // 128, n)[at // 128:at // 128 + 8]
        part = by_cols[:, at:at + 1024].float().t().reshape(8, 128, n)
        w = (part * scale[:, None]).view_as(y)
        most = y.view(-1, n // 128, 128).abs().amax(-1, keepdim=True)
        least = (most * 2.0 ** -16).expand(-1, -1, 128).reshape(y.shape)
        if not bool(((z - y).abs() <= y.abs() / 15.9 + least).all()):
            return False
        most = y.view(8, 128, n).abs().amax(1, keepdim=True)
        least = (most * 2.0 ** -16).expand(-1, 128, -1).reshape(y.shape)
        if not bool(((w - y).abs() <= y.abs() / 15.9 + least).all()):
            return False
    return True


def moved(kernel, kind, rows, n):
    """The bytes that a case moves."""
    size = 4 if kind == "f32" else 2
    if kernel == "crossentropy":
        return rows * n * size
    if kernel.endswith("backward"):
        return 3 * rows * n * size
    if kernel.startswith("quantise"):
        return rows * n * (4 + 8 / 128)
    return 2 * rows * n * size


def peers(kernel, kind, case, data, n):
    """PyTorch's and Triton's functions for a case, by name."""
    x, dst, more = case["x"], case["dst"], data.more
    found = {}
    if kernel == "softmax":
        found["torch"] = lambda: torch.softmax(x, -1, out=dst)
    elif kernel == "log-softmax":
        found["torch"] = lambda: torch.log_softmax(x, -1, out=dst)
    elif kernel == "rmsnorm":
        found["torch"] = lambda: torch.rms_norm(x, (n,), more["gain"][:n],
                                                1e-5)
    elif kernel == "layernorm":
        found["torch"] = lambda: torch.layer_norm(
            x, (n,), more["gain"][:n], more["bias"][:n], 1e-5)
    elif kernel == "layernorm backward":
        y, mean, scale = torch.native_layer_norm(
            x, (n,), more["gain"][:n], more["bias"][:n], 1e-5)
        del y
        found["torch"] = lambda: torch.ops.aten.native_layer_norm_backward(
            case["dout"], x, (n,), mean, scale, more["gain"][:n],
            more["bias"][:n], (True, True, True))
    elif kernel == "rmsnorm backward":
        leaves = x.detach().requires_grad_(), more["gain"][:n].requires_grad_()
        y = torch.rms_norm(leaves[0], (n,), leaves[1], 1e-5)
        found["torch"] = lambda: torch.autograd.grad(y, leaves, case["dout"],
                                                     retain_graph=True)
    elif kernel == "crossentropy":
        found["torch"] = lambda: torch.nn.functional.cross_entropy(
            x, case["long"], reduction="none")
    elif kernel == "crossentropy with gradient":
        logits = x.detach().requires_grad_()
        found["torch"] = lambda: torch.autograd.grad(
            torch.nn.functional.cross_entropy(logits, case["long"],
                                              reduction="sum"), logits)
    elif kernel == "quantise both ways":
        found["torch"] = lambda: quantised(x)
    else:
        f, *parts = to_compile(kernel, case, data, n)
        found["torch"] = lambda: f(*parts)
    given = dict(more, d=128, targets=case["targets"], dout=case["dout"],
                 scales=more.get("scales_of"))
    found["triton"] = lambda: triton_rows.run(kernel, kind, dst, x, given, n)
    if (kernel, kind, n) in COMPILED:
        found.update(compiled("torch compiled",
                              *to_compile(kernel, case, data, n)))
    return found


def quantised(x):
    """e4m3 bytes and scales for groups of 128 in rows and in columns."""
    m, n = x.shape
    found = []
    for y in (x.float(), x.float().t()):
        y = y.reshape(len(y), -1, 128)
        scale = y.abs().amax(-1).clamp_min(1e-12) / 448
        found += [(y / scale[..., None]).to(torch.float8_e4m3fn).flatten(1),
                  scale.t().contiguous()]
    return found


def written(kernel, found, case, more, rows):
    """Copies PyTorch's results to where the other kernels write theirs."""
    if found is None:
        return
    if kernel == "crossentropy":
        more["losses"][:rows].copy_(found)
    elif kernel.startswith("quantise"):
        for part, scale, to, scale_to in zip(found[::2], found[1::2],
                                             more["bytes"],
                                             more["scales_of"]):
            to.view(torch.uint8).copy_(part.view(torch.uint8))
            scale_to.copy_(scale.flatten())
    elif kernel.endswith("backward"):
        names = ("dst", "dgain", "dbias") if len(found) == 3 or \
            kernel[0] == "r" and found[0].dim() == 2 else ("dgain", "dbias")
        for name, x in zip(names, found):
            to = case["dst"] if name == "dst" else more[name][:x.shape[0]]
            to.copy_(x.detach())
    else:
        found = found[0] if isinstance(found, tuple) else found
        case["dst"].copy_(found.detach().view_as(case["dst"]))


def to_compile(kernel, case, data, n):
    """A kernel as PyTorch's users write it, and its arguments: from, to, and
    the others."""
    x, dst, more = case["x"], case["dst"], data.more
    gain, bias = more["gain"][:n], more["bias"][:n]
    if kernel.endswith("backward"):
        def gradients(x, dst, dout, gain):
            dx, dgain, dbias = backward(kernel[0] == "l", x, dout, gain)
            dst.copy_(dx)
            return dgain, dbias
        return gradients, x, dst, case["dout"], gain
    if kernel.startswith("rope"):
        def turned(x, dst, cosine, sine):
            y = x.view(-1, 4096, n // 128, 128).float()
            c, s = cosine[:, None], sine[:, None]
            if kernel == "rope":
                a, b = y.chunk(2, -1)
                y = torch.cat((a * c - b * s, b * c + a * s), -1)
            else:
                a, b = y[..., 0::2], y[..., 1::2]
                y = torch.stack((a * c - b * s, b * c + a * s), -1)
            dst.copy_(y.reshape(x.shape))
        return turned, x, dst, more["cosine"], more["sine"]
    if kernel.startswith("quantise"):
        return quantised, x
    if kernel == "crossentropy":
        def losses(x, targets):
            return torch.nn.functional.cross_entropy(x.float(), targets,
                                                     reduction="none")
        return losses, x, case["long"]

    def rows(x, dst, gain, bias, targets):
        y = x.float()
        if kernel == "softmax":
            y = torch.softmax(y, -1)
        elif kernel == "log-softmax":
            y = torch.log_softmax(y, -1)
        elif kernel == "rmsnorm":
            y = torch.rms_norm(y, (n,), gain.float(), 1e-5)
        elif kernel == "layernorm":
            y = torch.layer_norm(y, (n,), gain.float(), bias.float(), 1e-5)
        elif kernel == "hadamard":
            y = transformed(y)
        else:
            columns = torch.arange(n, device="cuda")
            y = torch.softmax(y, -1) - (columns == targets[:, None]).float()
        dst.copy_(y)
    return rows, x, dst, gain, bias, case["targets"]


def case_of(kernel, kind, n, data):
    """The tensors of a case."""
    flat = data.of(kind)
    rows = flat.numel() // n // 128 * 128 if n < 65536 else flat.numel() // n
    rows //= 2 if kernel.endswith("backward") else 1
    x = flat[:rows * n].view(rows, n)
    dst = data.dst.view(TYPES[kind])[:rows * n].view(rows, n)
    targets = torch.arange(rows, device="cuda", dtype=torch.int32) * 7919 % n
    if kernel.startswith("quantise"):
        both = data.dst.view(torch.float8_e4m3fn)[:2 * rows * n]
        data.more["bytes"] = (both[:rows * n].view(rows, n),
                              both[rows * n:].view(n, rows))
        scales = data.more["scales"]
        count = rows * n // 128
        data.more["scales_of"] = (scales[:count], scales[count:2 * count])
    other = flat[flat.numel() // 2:]
    dout = other[:rows * n].view(rows, n) if kernel.endswith("backward") else x
    return {"x": x, "dst": dst, "dout": dout, "targets": targets,
            "long": targets.long()}


def measure(library, entries, kernel, kind, n, data):
    """The rows of a case: each runner, the best tiling of ours."""
    case = case_of(kernel, kind, n, data)
    rows = len(case["x"])
    arguments = Arguments(rows=rows, n=n, dst=case["dst"].data_ptr(),
                          src=case["x"].data_ptr(),
                          targets=case["targets"].data_ptr(),
                          dout=case["dout"].data_ptr(),
                          **{name: data.more[name].data_ptr() for name in
                             ("gain", "bias", "losses", "scales", "cosine",
                              "sine", "dgain", "dbias", "sums")})
    early = 8 - 8 * (n % 8 == 0)
    fits = sorted({e.tile for _, e in entries if
                   (e.kernel.decode(), e.type.decode()) == (kernel, kind) and
                   e.tile >= n + early - 1 * (early > 0)})
    runs = {}
    for k, e in entries:
        if (e.kernel.decode(), e.type.decode()) == (kernel, kind) and \
                fits and e.tile == fits[0]:
            runs["ll: " + e.tiling.decode()] = \
                lambda k=k: library.run(k, ctypes.byref(arguments))
    runs.update(peers(kernel, kind, case, data, n))
    times = {}
    for name, f in runs.items():
        data.dst.fill_(0x7f)
        for what in ("losses", "dgain", "dbias"):
            data.more[what].fill_(float("nan"))
        found = f()
        if name.startswith("torch"):
            written(kernel, found, case, data.more, rows)
        del found
        # PyTorch rounds intermediate results to 16 bits
        if not is_right(kernel, case, data, ROUNDED if name == "torch" else 1):
            left_out(name, f"{kernel} {kind} {n}")
            continue
        times[name] = []
    copied = []
    for _ in range(ROUNDS):
        copied.append(timed(lambda: library.copy_of(
            ctypes.c_void_p(data.dst.data_ptr()),
            ctypes.c_void_p(data.of("bf16").data_ptr()))))
        for name, found in times.items():
            found.append(timed(runs[name]))
    copy = 2 * GIB / statistics.median(copied)
    size = moved(kernel, kind, rows, n)
    for name, found in times.items():
        speed = size / statistics.median(found)
        yield {"kernel": kernel, "type": kind, "n": n, "rows": rows,
               "name": name.split(":")[0], "tiling": name[4:] if ":" in name
               else "", "GB/s": round(speed * 1e-9, 1),
               "of_copy": round(speed / copy, 4)}


def warm(k, of):
    """Compiles the k-th part of the peers, of `of`."""
    data = Data()
    for kernel, kind, n in CASES[k::of]:
        case = case_of(kernel, kind, n, data)
        for name, f in peers(kernel, kind, case, data, n).items():
            if name == "triton":
                f()
        torch.cuda.synchronize()
    torch.cuda.synchronize()


def main():
    if sys.argv[1] == "--warm":
        return warm(*map(int, sys.argv[2:]))
    library = ctypes.CDLL(str(pathlib.Path(sys.argv[1]).resolve()))
    entries = entries_of(library)
    data, rows = Data(), []
    for case in CASES:
        for row in measure(library, entries, *case, data):
            rows.append(row)
            print(*row.values(), flush=True)
    context = {"device": query("name"), "driver": query("driver_version"),
               "torch": torch.__version__, "cuda": torch.version.cuda,
               "triton": triton_rows.triton.__version__,
               "not compiled": SKIPPED, "wrong": WRONG,
               "commit": os.environ.get("LL_COMMIT", "unknown"),
               "command": os.environ.get("LL_COMMAND",
                                         "bench/peers/kernels.py")}
    pathlib.Path(sys.argv[2]).write_text(json.dumps(
        {"context": context, "kernels": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
