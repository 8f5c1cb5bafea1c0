#!/usr/bin/env python3
"""more.py - the kernels of examples/ that sort, scan and move rows, on a GPU,
beside PyTorch's and CUB's.

    more.py RESULT.json LIBRARY.so ..   measures and writes the rows

The libraries are built from bench/more.cu (bench/run.sh more does it). Data are
256 MiB for sorts and 1 GiB for the others, random. Results are compared with
PyTorch's; those of several tilings take turns, and the best one counts. A
figure is bytes over time, where each input and output counts once, as a
fraction of what a copy kernel of 16 bytes a thread reaches in the same round.
"""
import ctypes
import json
import os
import pathlib
import statistics
import sys

import torch

from matmul import query

GIB, ROUNDS = 1 << 30, 5
TYPES = {"f32": torch.float32, "bf16": torch.bfloat16}


class Arguments(ctypes.Structure):
    _fields_ = ([(name, ctypes.c_void_p) for name in
                 ("dst", "src", "columns", "starts")] +
                [("rows", ctypes.c_uint), ("n", ctypes.c_uint)])


class Entry(ctypes.Structure):
    _fields_ = [("kernel", ctypes.c_char_p), ("type", ctypes.c_char_p),
                ("tile", ctypes.c_uint), ("first", ctypes.c_uint),
                ("tiling", ctypes.c_char_p), ("run", ctypes.c_void_p)]


class Data:
    """The buffers of all cases: what is freed is slow to come back."""
    def __init__(self):
        flat = torch.empty(GIB // 2, device="cuda", dtype=torch.bfloat16)
        flat.normal_()
        self.src = {"bf16": flat}
        self.dst = torch.empty(GIB, device="cuda", dtype=torch.uint8)
        self.columns = torch.empty(GIB // 8, device="cuda", dtype=torch.int32)
        self.starts = torch.rand(GIB // 4, device="cuda") < 0.01

    def of(self, kind):
        if kind == "f32" and kind not in self.src:
            self.src[kind] = torch.randn(GIB // 4, device="cuda")
        return self.src[kind]


def timed(f):
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda._sleep(600_000)  # the host fills the queue meanwhile
    start.record()
    f()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) * 1e-3


def sorts(kernel):
    return kernel in ("sort", "topk")


def is_right(kernel, x, dst, columns, starts, first):
    """Compares all rows, some at a time."""
    rows, n = x.shape
    step = max(1, (1 << 24) // n)
    for at in range(0, rows, step):
        y, part = x[at:at + step].float(), slice(at, at + step)
        if sorts(kernel):
            want = torch.topk(y, first, sorted=True).values
            have = dst.view(-1)[:rows * first].view(rows, first)[part]
            where = columns[:rows * first].view(rows, first)[part].long()
            if not torch.equal(have.float(), want) or \
                    not torch.equal(y.gather(1, where), want):
                return False
            continue
        have, sums = dst[part].float(), y.double().cumsum(-1)
        if kernel == "segmented cumsum":
            on = starts[:rows * n].view(rows, n)[part]
            before = torch.where(on, sums - y, 0)
            last = torch.where(on, torch.arange(n, device="cuda"), 0)
            last = last.cummax(-1).values
            sums = sums - before.gather(1, last)
        bound = (4e-3 if dst.dtype == torch.bfloat16 else 1e-5) * \
            (sums.abs() + 1) + 1e-4 * n ** 0.5
        if not bool(((have - sums).abs() <= bound).all()):
            return False
    return True


def moved(kernel, kind, rows, n, first):
    """The bytes of a case."""
    size = 4 if kind == "f32" else 2
    if sorts(kernel):
        return rows * (n * size + first * (size + 4))
    return rows * n * (2 * size + (kernel == "segmented cumsum"))


def peers(libraries, kernel, kind, x, dst, first):
    """PyTorch's and CUB's functions for a case, by name."""
    rows, n = x.shape
    found = {}
    if kernel == "topk":
        found["torch"] = lambda: torch.topk(x, first, sorted=True)
    elif kernel == "sort":
        found["torch"] = lambda: torch.sort(x, descending=True)
    elif kernel == "cumsum":
        found["torch"] = lambda: torch.cumsum(x, -1, out=dst)
    if kernel == "cumsum" and kind == "f32":
        cub = next(lib for lib in libraries if hasattr(lib, "cub_cumsum"))
        cub.cub_cumsum.restype = ctypes.c_size_t
        pointers = [ctypes.c_void_p(dst.data_ptr()),
                    ctypes.c_void_p(x.data_ptr()), rows, n]
        size = cub.cub_cumsum(None, ctypes.c_size_t(0), *pointers)
        scratch = torch.empty(size, device="cuda", dtype=torch.uint8)
        found["cub"] = lambda: cub.cub_cumsum(
            ctypes.c_void_p(scratch.data_ptr()), ctypes.c_size_t(size),
            *pointers)
    return found


def measure(libraries, entries, case, data):
    """The rows of a case: each runner, the best tiling of ours."""
    kernel, kind, n, first = case
    flat = data.of(kind)
    rows = flat.numel() // (4 if sorts(kernel) else 1) // n // 8 * 8
    x = flat[:rows * n].view(rows, n)
    dst = data.dst.view(TYPES[kind])[:rows * n].view(rows, n)
    arguments = Arguments(rows=rows, n=n, dst=dst.data_ptr(),
                          src=x.data_ptr(), columns=data.columns.data_ptr(),
                          starts=data.starts.data_ptr())
    runs = {}
    for library, k, e in entries:
        if (e.kernel.decode(), e.type.decode(), e.tile, e.first) == case:
            runs["ll: " + e.tiling.decode()] = \
                lambda library=library, k=k: library.run(
                    k, ctypes.byref(arguments))
    runs.update(peers(libraries, kernel, kind, x, dst, first))
    times, copied = {}, []
    for name, f in runs.items():
        if name != "torch":  # it is what the others are compared with
            data.dst.fill_(0x7f)
            data.columns.zero_()
            f()
            if not is_right(kernel, x, dst, data.columns, data.starts, first):
                sys.exit(f"{kernel} {kind} {n}: {name} is wrong")
        times[name] = []
    for _ in range(ROUNDS):
        copied.append(timed(lambda: libraries[0].copy_of(
            ctypes.c_void_p(data.dst.data_ptr()),
            ctypes.c_void_p(data.of("bf16").data_ptr()))))
        for name, f in runs.items():
            times[name].append(timed(f))
    copy = 2 * GIB / statistics.median(copied)
    size = moved(kernel, kind, rows, n, first)
    for name, found in times.items():
        speed = size / statistics.median(found)
        yield {"kernel": kernel, "type": kind, "n": n, "first": first,
               "rows": rows, "name": name.split(":")[0],
               "tiling": name[4:] if ":" in name else "",
               "GB/s": round(speed * 1e-9, 1),
               "of_copy": round(speed / copy, 4)}


def main():
    libraries = [ctypes.CDLL(str(pathlib.Path(name).resolve()))
                 for name in sys.argv[2:]]
    entries, cases = [], []
    for library in libraries:
        library.entry_of.restype = ctypes.POINTER(Entry)
        entries += [(library, k, library.entry_of(k).contents)
                    for k in range(library.count())]
    for _, _, e in entries:
        case = (e.kernel.decode(), e.type.decode(), e.tile, e.first)
        cases += [] if case in cases else [case]
    data, rows = Data(), []
    for case in sorted(cases):
        for row in measure(libraries, entries, case, data):
            rows.append(row)
            print(*row.values(), flush=True)
    context = {"device": query("name"), "driver": query("driver_version"),
               "torch": torch.__version__, "cuda": torch.version.cuda,
               "commit": os.environ.get("LL_COMMIT", "unknown"),
               "command": os.environ.get("LL_COMMAND", "bench/more.py")}
    pathlib.Path(sys.argv[1]).write_text(json.dumps(
        {"context": context, "more": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
