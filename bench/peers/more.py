#!/usr/bin/env python3
"""more.py - the kernels of examples/ that sort, scan, permute and look up, on a
GPU, beside PyTorch's, eager and compiled, Triton's and CUB's.

    more.py RESULT.json LIBRARY.so ..   measures and writes the rows
    more.py --warm K OF LIBRARY.so ..   compiles a part of the peers

bench/run.sh more builds the libraries from device/more.cu. Data are random, 256
MiB for sorts and 1 GiB for the others, with a cold L2 cache. Whole results are
compared with PyTorch's. The tilings of a kernel run in turn, and the best one
counts. A figure is bytes over time, where each input and output counts once, as
a fraction of the rate of a copy kernel, with 16 bytes per thread, in the same
round.
"""
import ctypes
import json
import math
import os
import pathlib
import statistics
import sys

import torch

import triton_quantise
import triton_rows
from entries import entries_of
from matmul import query
from timing import SKIPPED, compiled, timed
from wrong import WRONG, left_out

GIB, ROUNDS = 1 << 30, 5
TYPES = {"f32": torch.float32, "bf16": torch.bfloat16}
PERMUTED = [("bf16", (64, 256, 32768), (0, 2, 1)),
            ("f32", (64, 128, 32768), (0, 2, 1)),
            ("bf16", (8, 16384, 32, 128), (0, 2, 1, 3)),
            ("bf16", (32, 64, 64, 64, 64), (4, 2, 0, 3, 1)),
            ("bf16", (8, 16, 8, 16, 8, 16, 8, 32), (7, 1, 5, 0, 3, 2, 6, 4)),
            ("bf16", (63, 255, 32769), (0, 2, 1))]
# Cases with torch.compile as a peer, if it compiles them.
COMPILED = [("cumsum", "bf16", 16384), ("cumsum", "bf16", 262144),
            ("cumsum", "f32", 4096), ("cumsum", "f32", 65536),
            ("segmented cumsum", "f32", 4096), ("sort", "bf16", 4096),
            ("topk", "bf16", 4096), ("quantise each row", "bf16", 4096),
            ("quantise each row", "bf16", 65536),
            ("quantise each row", "bf16", 262144)]


class Arguments(ctypes.Structure):
    _fields_ = ([(name, ctypes.c_void_p) for name in
                 ("dst", "src", "columns", "starts")] +
                [("rows", ctypes.c_uint), ("n", ctypes.c_uint)])


class Case:
    """A case: functions by name, the bytes that each moves, the check of a
    result, and the tensor that holds it."""
    def __init__(self, kernel, kind, shape, size, runs, right, *dst):
        self.kernel, self.kind, self.shape = kernel, kind, shape
        self.size, self.runs, self.right, self.dst = size, runs, right, dst

    def written(self, found):
        """Copies PyTorch's result to where the other kernels write theirs."""
        some = found if isinstance(found, tuple) else (found,)
        for to, x in zip(self.dst, some):
            if x is not None and x.data_ptr() != to.data_ptr():
                to.flatten()[:x.numel()].copy_(x.flatten())


class Data:
    """The buffers of all cases, kept because freeing memory is slow."""
    def __init__(self, libraries):
        self.libraries = libraries
        self.src = {"bf16": torch.empty(GIB // 2, device="cuda",
                                        dtype=torch.bfloat16).normal_(),
                    "f32": torch.randn(GIB // 4, device="cuda")}
        self.dst = torch.empty(GIB, device="cuda", dtype=torch.uint8)
        self.columns = torch.empty(GIB // 8, device="cuda", dtype=torch.int32)
        self.starts = torch.rand(GIB // 4, device="cuda") < 0.01

    def function(self, name):
        """Returns the function of this name from the library that has it."""
        return next(getattr(lib, name) for lib in self.libraries
                    if hasattr(lib, name))


def pointer(x):
    return ctypes.c_void_p(x.data_ptr())


def sorted_right(x, dst, columns, first):
    """Are these the first elements in order, with their columns?"""
    rows, n = x.shape
    step = max(1, (1 << 24) // n)
    for at in range(0, rows, step):
        y, part = x[at:at + step], slice(at, at + step)
        want = torch.topk(y, first, sorted=True).values
        have = dst.view(-1)[:rows * first].view(rows, first)[part]
        where = columns[:rows * first].view(rows, first)[part].long()
        if not torch.equal(have, want) or \
                not torch.equal(y.gather(1, where), want):
            return False
    return True


def summed_right(x, dst, starts, rounded):
    """Are these the running sums, restarted at `starts` if there are any?
    PyTorch rounds its sums of 16 bits at every step."""
    rows, n = x.shape
    step = max(1, (1 << 24) // n)
    for at in range(0, rows, step):
        part = slice(at, at + step)
        y = x[part].double()
        sums = y.cumsum(-1)
        if starts is not None:
            on = starts[:rows * n].view(rows, n)[part]
            last = torch.where(on, torch.arange(n, device="cuda"), -1)
            last = last.cummax(-1).values
            before = (sums - y).gather(1, last.clamp_min(0))
            sums = torch.where(last < 0, sums, sums - before)
        rounding = 4e-3 if dst.dtype == torch.bfloat16 else 1e-5
        bound = rounding * (sums.abs() + 1) + 1e-5 * n ** 0.5
        if rounded:
            bound += 64 * rounding * sums.abs().amax(-1, keepdim=True)
        if not bool(((dst[part] - sums).abs() <= bound).all()):
            return False
    return True


def cub_of(data, name, *given):
    """CUB's function of a name, with its scratch memory."""
    cub = data.function(name)
    cub.restype = ctypes.c_size_t
    size = cub(None, ctypes.c_size_t(0), *given)
    scratch = torch.empty(size, device="cuda", dtype=torch.uint8)
    return lambda: cub(pointer(scratch), ctypes.c_size_t(size), *given)


def cub_sums(data, kind, x, dst, starts):
    """Scans by keys, or of pairs for segments."""
    if starts is not None:
        return {"cub": cub_of(data, "cub_segments", pointer(dst), pointer(x),
                              pointer(starts), *x.shape)}
    return {"cub": cub_of(data, f"cub_cumsum_{kind}", pointer(dst), pointer(x),
                          *x.shape)}


def cub_sorts(data, x, dst):
    """CUB's two segmented sorts: DeviceSegmentedSort and radix sort."""
    rows, n = x.shape
    numbers = torch.arange(n, device="cuda", dtype=torch.int32).repeat(rows)
    given = [pointer(y) for y in (dst, data.columns, x, numbers)]
    found = {}
    for name in ("cub_sort", "cub_radix_sort"):
        f = cub_of(data, name, *given, rows, n)
        found["cub: " + name[4:]] = lambda f=f, keep=numbers: f()
    return found


def summed_from(x, starts, dst):
    """Running sums, restarted at each start."""
    sums = torch.cumsum(x, -1)
    at = torch.arange(x.shape[1], device=x.device)
    last = torch.where(starts, at, -1).cummax(-1).values
    before = (sums - x).gather(1, last.clamp_min(0))
    dst.copy_(torch.where(last < 0, sums, sums - before))


def sorted_by(x):
    return torch.sort(x, descending=True)


def first_of(x, count):
    return torch.topk(x, count, sorted=True)


def summed(x, dst):
    dst.copy_(torch.cumsum(x, -1))


def permuted_to(x, dst, order):
    dst.copy_(x.permute(order))


def looked_up(table, index, dst):
    dst.copy_(table[index])


def of_rows(data, kernel, kind, n, first, entries):
    """The case of some entries that sort or sum rows of n elements."""
    sorts = kernel in ("sort", "topk")
    flat, size = data.src[kind], 4 if kind == "f32" else 2
    rows = flat.numel() // (4 if sorts else 1) // n // 8 * 8
    x = flat[:rows * n].view(rows, n)
    dst = data.dst.view(TYPES[kind])[:rows * n].view(rows, n)
    arguments = Arguments(rows=rows, n=n, dst=dst.data_ptr(),
                          src=x.data_ptr(), columns=data.columns.data_ptr(),
                          starts=data.starts.data_ptr())
    runs = {"ll: " + e.tiling.decode(): lambda library=library, k=k:
            library.run(k, ctypes.byref(arguments))
            for library, k, e in entries}
    if kernel == "quantise each row":
        return quantised_rows(data, x, runs)
    starts = data.starts if kernel == "segmented cumsum" else None
    if starts is not None:
        on = starts[:rows * n].view(rows, n)
        plain = summed_from, x, on, dst
    else:
        plain = {"topk": (first_of, x, first), "sort": (sorted_by, x),
                 "cumsum": (summed, x, dst)}[kernel]
    runs["torch"] = lambda: plain[0](*plain[1:])
    if kernel == "cumsum":
        runs["torch"] = lambda: torch.cumsum(x, -1, out=dst)
    if (kernel, kind, n) in COMPILED:
        runs.update(compiled("torch compiled", *plain))
    if sorts:
        runs["triton"] = lambda: triton_rows.run_sort(
            kernel, kind, dst, data.columns, x, first)
        if kernel == "sort":
            runs.update(cub_sorts(data, x, dst))
        moved = rows * (n * size + first * (size + 4))
        return Case(kernel, kind, f"{first} of {n}", moved, runs,
                    lambda _: sorted_right(x, dst, data.columns, first),
                    dst, data.columns)
    runs["triton"] = lambda: triton_rows.run_scan(kernel, kind, dst, x, starts)
    runs.update(cub_sums(data, kind, x, dst, starts))
    return Case(kernel, kind, str(n),
                rows * n * (2 * size + (starts is not None)), runs,
                lambda rounded: summed_right(x, dst, starts, rounded), dst)


def permuted(data, kind, sizes, order):
    permute = data.function("permute_of")
    x = data.src[kind][:math.prod(sizes)].view(sizes)
    dst = data.dst.view(TYPES[kind])[:x.numel()]
    dst = dst.view([sizes[k] for k in order])
    given = [(ctypes.c_uint * 8)(*numbers) for numbers in (sizes, order)]
    runs = {"ll": lambda: permute(x.element_size(), pointer(dst), pointer(x),
                                  len(sizes), *given),
            "torch": lambda: dst.copy_(x.permute(order))}
    if (kind, sizes, order) in PERMUTED[::4]:
        runs.update(compiled("torch compiled", permuted_to, x, dst, order))
    shape = "x".join(map(str, sizes)) + " to " + "".join(map(str, order))
    return Case("permute", kind, shape, 2 * x.numel() * x.element_size(), runs,
                lambda _: torch.equal(dst, x.permute(order)), dst)


def embedded(data, tokens, n, vocabulary):
    """Embedding, forward and backward. Few words are frequent, as in text."""
    words = torch.rand(tokens, device="cuda") ** 4 * vocabulary
    index = words.int().clamp_max(vocabulary - 1)
    table = data.src["bf16"][:vocabulary * n].view(vocabulary, n)
    dst = data.dst.view(torch.bfloat16)[:tokens * n].view(tokens, n)
    used = index.unique().numel()
    run = data.function("embedding_of")
    size = data.function("embedding_bytes")
    size.restype = ctypes.c_size_t
    memory = torch.empty(size(tokens, vocabulary), device="cuda",
                         dtype=torch.uint8)

    def ours(*order):
        run(pointer(dst), pointer(table), pointer(index), tokens, n,
            vocabulary, *order)

    yield Case("embedding", "bf16", f"{tokens} of {vocabulary}x{n}",
               2 * n * (tokens + used),
               {"ll: as they come": lambda: ours(None),
                "ll: in order": lambda: ours(pointer(memory)),
                "torch": lambda: torch.index_select(table, 0, index, out=dst),
                **compiled("torch compiled", looked_up, table, index, dst)},
               lambda _: torch.equal(dst, table[index.long()]), dst)
    back = data.function("embedding_back_of")
    dy = data.src["bf16"][:tokens * n].view(tokens, n)
    sums = torch.zeros(vocabulary, n, device="cuda")
    long = index.long()

    def run_back():
        back(pointer(sums), pointer(dy), pointer(index), tokens, vocabulary, n,
             pointer(memory))

    def triton_back():
        sums.zero_()
        triton_rows.run_embedding_backward(sums, dy, index)

    def right(rounded): # PyTorch's has 16 bits
        want = torch.zeros_like(sums)
        for at in range(0, tokens, 8192):
            part = slice(at, at + 8192)
            want.index_add_(0, long[part], dy[part].float())
        bound = 1e-2 if rounded else 1e-4
        return bool(((sums - want).abs() <= bound * want.abs() + 2e-2).all())

    yield Case("embedding backward", "bf16", f"{tokens} of {vocabulary}x{n}",
               2 * n * tokens + 4 * n * vocabulary,
               {"ll": run_back,
                "torch": lambda: torch.ops.aten.embedding_dense_backward(
                    dy, long, vocabulary, -1, False),
                "triton": triton_back}, right, sums)


def multiplied(data, m, n, matrices):
    gemv = data.function("gather_gemv_of")
    w = torch.randint(-127, 128, (matrices, m, n), device="cuda",
                      dtype=torch.int8)
    x = data.src["bf16"][:n]
    index = torch.tensor([matrices - 1, 1], device="cuda", dtype=torch.int32)
    y = torch.empty(2, m, device="cuda")

    def eager(w, index, x):
        return (w[index].to(x.dtype) * x).sum(-1, dtype=torch.float32)

    def right(rounded): # PyTorch's products have 16 bits
        want = (w[index.long()].double() * x.double()).sum(-1)
        least = 80 if rounded else 0.05
        return bool(((y - want).abs() <= 1e-4 * want.abs() + least).all())

    runs = {f"ll: {r} rows a warp": lambda r=r: gemv(
        r, pointer(y), pointer(w), pointer(index), 2, pointer(x), m, n)
        for r in (1, 2, 4)}
    runs["torch"] = lambda: eager(w, index, x)
    runs.update(compiled("torch compiled", eager, w, index, x))
    return Case("gather gemv", "int8", f"2 of {matrices} of {m}x{n}",
                2 * m * n, runs, right, y)


E2M1 = (0, 0.5, 1, 1.5, 2, 3, 4, 6)


# Elements that share a scale, bits per element, and the largest number.
FORMATS = {"fp8": (128, 8, 448), "mxfp8": (32, 8, 448), "nvfp4": (16, 4, 6)}


def groups_right(x, elements, scales, name, scale_of_all):
    """Are the bytes and scales of some rows correct for x? An element is the
    number nearest to x over its scale, up to rounding."""
    group, bits, top = FORMATS[name]
    if bits == 8:
        y = elements.view(torch.float8_e4m3fn).float()
    else:
        of = torch.tensor(E2M1 + tuple(-v for v in E2M1), device=x.device)
        y = of[torch.stack((elements & 15, elements >> 4), -1).long()]
    y = y.reshape(x.shape[0], -1, group)
    x = x.float().reshape(y.shape)
    most = x.abs().amax(-1)
    if name == "fp8":
        scale = scales
        right = (scale * 448 - most).abs() <= most * 1e-6
    elif name == "mxfp8":
        scale = torch.ldexp(torch.ones_like(most), scales.int() - 127)
        right = scales.int() == torch.frexp(most).exponent - 9 + 127
    else:
        scale = scales.view(torch.float8_e4m3fn).float() * scale_of_all
        want = most / (6 * scale_of_all)
        right = (scale / scale_of_all - want).abs() <= want / 15.9 + 2 ** -10
    z = x / scale[..., None]
    step = torch.frexp(z).exponent - (4 if bits == 8 else 2)
    step = step.clamp_min(-9 if bits == 8 else -1)
    near = (y - z).abs() <= 0.51 * torch.ldexp(torch.ones_like(z), step)
    near |= (y.abs() == top) & (z.abs() >= top) & (y * z > 0)
    return bool(right.all()) and bool(near.all())


def quantised(data, name, which, m, n):
    """Quantises to groups of fp8, mxfp8 or nvfp4, by rows, columns or both."""
    run = data.function("quantise_groups_of")
    x = data.src["bf16"][:m * n].view(m, n)
    group, bits, _ = FORMATS[name]
    size, kind = m * n * bits // 8, torch.uint8
    if name == "fp8":
        kind = torch.float32
    ways = ("rows", "columns") if which == "both" else (which,)
    to = [data.dst[k * size:(k + 1) * size] for k in range(len(ways))]
    of = [torch.empty(m * n // group, device="cuda", dtype=kind) for _ in ways]
    all_ = 448 * 6 / 6.5 if bits == 4 else 1.0
    given = {way: (pointer(a), pointer(b)) for way, a, b in zip(ways, to, of)}
    none = (ctypes.c_void_p(), ctypes.c_void_p())

    def right(_):
        for way, elements, scales in zip(ways, to, of):
            tall = x if way == "rows" else x.t()
            elements = elements.view(tall.shape[0], -1)
            scales = (scales.view(-1, tall.shape[0]).t() if name == "fp8"
                      else scales.view(tall.shape[0], -1))
            if not all(groups_right(tall[k:k + 1024], elements[k:k + 1024],
                                    scales[k:k + 1024], name, 1 / all_)
                       for k in range(0, tall.shape[0], 1024)):
                return False
        return True

    runs = {"ll": lambda: run(group, *given.get("rows", none),
                              *given.get("columns", none), pointer(x), m, n,
                              ctypes.c_float(all_))}
    if bits == 8:
        tensors = {way: (a.view(torch.float8_e4m3fn), b)
                   for way, a, b in zip(ways, to, of)}
        runs.update(triton_quantise.tried(triton_quantise.run_groups, tensors,
                                          x, group))
        plain = (to_blocks if name == "fp8" else to_groups, x, tuple(to),
                 tuple(of), ways)
        runs["torch"] = lambda: plain[0](*plain[1:])
        runs.update(compiled("torch compiled", *plain))
    return Case(f"quantise to {name}", "bf16", f"{which} of {m}x{n}",
                m * n * 2 + sum(a.nbytes + b.nbytes for a, b in zip(to, of)),
                runs, right, data.dst)


def to_blocks(x, to, of, ways):
    """e4m3 with a scale per 128 elements."""
    for way, elements, scales in zip(ways, to, of):
        y = (x if way == "rows" else x.t()).float()
        y = y.reshape(y.shape[0], -1, 128)
        scale = y.abs().amax(-1).clamp_min(1e-12) / 448
        z = (y / scale[..., None]).to(torch.float8_e4m3fn)
        elements.copy_(z.view(torch.uint8).reshape(-1))
        scales.copy_(scale.t().reshape(-1))


def to_groups(x, to, of, ways):
    """mxfp8 as PyTorch's users write it."""
    for way, elements, scales in zip(ways, to, of):
        y = (x if way == "rows" else x.t()).float()
        y = y.reshape(y.shape[0], -1, 32)
        bits = y.abs().amax(-1).view(torch.int32) >> 23
        scale = (bits - 8).clamp_min(1)
        by = ((254 - scale) << 23).view(torch.float32)
        z = (y * by[..., None]).clamp(-448, 448).to(torch.float8_e4m3fn)
        elements.copy_(z.view(torch.uint8).reshape(-1))
        scales.copy_(scale.to(torch.uint8).reshape(-1))


def to_rows(x, dst, scales):
    """e4m3 with a scale per row."""
    y = x.float()
    scale = y.abs().amax(-1).clamp_min(1e-12) / 448
    dst.copy_((y / scale[:, None]).to(torch.float8_e4m3fn))
    scales.copy_(scale)


def quantised_rows(data, x, runs):
    """The case of one scale per row."""
    rows, n = x.shape
    dst = data.dst.view(torch.float8_e4m3fn)[:rows * n].view(rows, n)
    scales = data.columns.view(torch.float32)[:rows]

    def right(_):
        step = max(1, (1 << 24) // n)
        for at in range(0, rows, step):
            part = slice(at, at + step)
            y, scale = x[part].float(), scales[part, None]
            most = y.abs().amax(-1, keepdim=True)
            if not bool(((scale * 448 - most).abs() <= most * 1e-6).all()):
                return False
            z = y / scale
            least = torch.frexp(z).exponent.sub(4).clamp_min(-9)
            bound = 0.51 * torch.ldexp(torch.ones_like(z), least)
            if not bool(((dst[part].float() - z).abs() <= bound).all()):
                return False
        return True

    runs.update(triton_quantise.tried(triton_quantise.run_rows, dst, scales, x))
    runs["torch"] = lambda: to_rows(x, dst, scales)
    if ("quantise each row", "bf16", n) in COMPILED:
        runs.update(compiled("torch compiled", to_rows, x, dst, scales))
    return Case("quantise each row", "bf16", str(n), rows * (3 * n + 4), runs,
                right, data.dst, data.columns)


def measure(case, data):
    """The rows of a case: each runner, and each tiling of ours."""
    times, copied = {}, []
    copy_of = data.libraries[0].copy_of
    for name, f in case.runs.items():
        data.dst.fill_(0x7f)
        for dst in case.dst:
            dst.zero_()
        found = f()
        if name.startswith("torch"):
            case.written(found)
        del found
        if not case.right(name == "torch"):
            left_out(name, f"{case.kernel} {case.kind} {case.shape}")
            continue
        times[name] = []
    for _ in range(ROUNDS):
        copied.append(timed(lambda: copy_of(pointer(data.dst),
                                            pointer(data.src["bf16"]))))
        for name, found in times.items():
            found.append(timed(case.runs[name]))
    copy = 2 * GIB / statistics.median(copied)
    for name, found in times.items():
        speed = case.size / statistics.median(found)
        yield {"kernel": case.kernel, "type": case.kind, "shape": case.shape,
               "name": name.split(":")[0],
               "tiling": name.partition(": ")[2],
               "GB/s": round(speed * 1e-9, 1),
               "of_copy": round(speed / copy, 4)}


def tasks(data):
    """Functions that create all cases, one or two each."""
    entries = {}
    for library in data.libraries:
        for k, e in entries_of(library):
            key = (e.kernel.decode(), e.type.decode(), e.tile, e.first)
            entries.setdefault(key, []).append((library, k, e))
    return ([lambda case=case: [permuted(data, *case)] for case in PERMUTED] +
            [lambda: [multiplied(data, 8192, 8192, 8)],
             lambda: embedded(data, 131072, 4096, 32768)] +
            [lambda name=name, which=which:
             [quantised(data, name, which, 32768, 16384)]
             for name in FORMATS for which in ("rows", "columns", "both")] +
            [lambda key=key: [of_rows(data, *key, entries[key])]
             for key in sorted(entries)])


def libraries_of(names):
    return [ctypes.CDLL(str(pathlib.Path(name).resolve())) for name in names]


def warm(k, of, names):
    """Compiles the k-th part of the peers, of `of`."""
    for task in tasks(Data(libraries_of(names)))[k::of]:
        for case in task():
            case.runs.get("triton", int)()
    torch.cuda.synchronize()


def main():
    if sys.argv[1] == "--warm":
        return warm(*map(int, sys.argv[2:4]), sys.argv[4:])
    data, rows = Data(libraries_of(sys.argv[2:])), []
    for task in tasks(data):
        for case in task():
            for row in measure(case, data):
                rows.append(row)
                print(*row.values(), flush=True)
            torch.cuda.synchronize()
    context = {"device": query("name"), "driver": query("driver_version"),
               "torch": torch.__version__, "cuda": torch.version.cuda,
               "triton": triton_rows.triton.__version__,
               "not compiled": SKIPPED, "wrong": WRONG,
               "commit": os.environ.get("LL_COMMIT", "unknown"),
               "command": os.environ.get("LL_COMMAND", "bench/peers/more.py")}
    pathlib.Path(sys.argv[1]).write_text(json.dumps(
        {"context": context, "more": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
