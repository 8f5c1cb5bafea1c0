"""triton_transpose.py - the transposes of device/transpose.cu in Triton.

triton_transpose.py RESULT   measures all sizes and writes rows as JSON
triton_transpose.py --warm T compiles every tiling of type T into Triton's cache

Each size is tuned over the tilings below. Every candidate's whole output is
first compared with the source. Timing is as in transpose.cu: medians of 21
rounds between device events, one launch per round, and, for small matrices,
twenty launches queued beforehand on different buffers, together larger than the
L2 cache.
"""
import json
import sys

import torch
import triton
import triton.language as tl

TYPES = {8: torch.int8, 16: torch.int16, 32: torch.int32, 64: torch.int64}
LARGE = [(8, 32768, 32768), (16, 16384, 32768), (32, 16384, 16384),
         (64, 16384, 8192)]
SMALL = [(bits, 4096, 4096) for bits in TYPES]
RAGGED = [(bits, 5003, 7001) for bits in (8, 16, 32)]
# rows and columns of a tile, warps
TILINGS = [(32, 32, 4), (64, 32, 4), (32, 64, 4), (64, 64, 4), (64, 64, 8),
           (128, 32, 4), (32, 128, 4), (128, 64, 4), (64, 128, 4),
           (128, 64, 8), (64, 128, 8), (128, 128, 4), (128, 128, 8),
           (256, 64, 8), (64, 256, 8)]
ROUNDS, WARM_UPS, BATCH, MOST_SLOTS, POOL = 21, 2, 20, 16, 1 << 30


@triton.jit
def turn(dst, src, m, n, ROWS: tl.constexpr, COLS: tl.constexpr,
         EVEN: tl.constexpr):
    i = tl.program_id(1) * ROWS + tl.arange(0, ROWS)
    j = tl.program_id(0) * COLS + tl.arange(0, COLS)
    source = src + i[:, None].to(tl.int64) * n + j[None, :]
    result = dst + j[:, None].to(tl.int64) * m + i[None, :]
    if EVEN:
        tl.store(result, tl.trans(tl.load(source)))
    else:
        x = tl.load(source, mask=(i[:, None] < m) & (j[None, :] < n))
        tl.store(result, tl.trans(x), mask=(j[:, None] < n) & (i[None, :] < m))


def launch(dst, src, tiling):
    rows, cols, warps = tiling
    m, n = src.shape
    turn[(triton.cdiv(n, cols), triton.cdiv(m, rows))](
        dst, src, m, n, rows, cols, m % rows == 0 and n % cols == 0,
        num_warps=warps)


def random(bits, m, n):
    words = (m * n * bits // 8 + 7) // 8
    x = torch.randint(-2**62, 2**62, (words,), dtype=torch.int64,
                      device="cuda")
    return x.view(TYPES[bits])[:m * n].view(m, n)


class Buffers:
    def __init__(self, bits, m, n):
        slots = min(max(POOL // (m * n * bits // 8), 1), MOST_SLOTS)
        self.src = [random(bits, m, n) for _ in range(slots)]
        self.dst = [torch.empty((n, m), dtype=TYPES[bits], device="cuda")
                    for _ in range(slots)]
        self.next = 0

    def go(self, f):
        f(self.dst[self.next], self.src[self.next])
        self.next = (self.next + 1) % len(self.src)

    def right(self, f, slots=None):
        good = True
        for dst, src in list(zip(self.dst, self.src))[:slots]:
            dst.copy_(~src.t())
            f(dst, src)
            good = good and bool((dst == src.t()).all())
        return good


def times(on, f, launches, rounds):
    """Seconds per launch in each round."""
    result = []
    for r in range(WARM_UPS + rounds):
        start = torch.cuda.Event(enable_timing=True)
        stop = torch.cuda.Event(enable_timing=True)
        torch.cuda.synchronize()
        if launches > 1:  # the device waits while the host fills the queue
            torch.cuda._sleep(4_000_000)
        start.record()
        for _ in range(launches):
            on.go(f)
        stop.record()
        stop.synchronize()
        if r >= WARM_UPS:
            result.append(start.elapsed_time(stop) * 1e-3 / launches)
    return sorted(result)


def median(v):
    return v[len(v) // 2]


def row(name, seconds, data, **more):
    return {"name": name, "real_time": median(seconds) * 1e6,
            "time_unit": "us", "GB/s": 2 * data / median(seconds) * 1e-9,
            "spread": (seconds[(len(seconds) - 1) * 9 // 10] -
                       seconds[len(seconds) // 10]) / median(seconds), **more}


def measure(bits, m, n, rows):
    start = f"transpose/u{bits}/{m}x{n}/"
    data = m * n * bits // 8
    on = Buffers(bits, m, n)
    for launches in (1, BATCH) if data < POOL // 4 else (1,):
        name = start + ("single/" if launches == 1 and data < POOL // 4
                        else "")
        best = None
        for tiling in TILINGS:
            f = lambda dst, src: launch(dst, src, tiling)
            try:
                if not on.right(f, 1):
                    print(f"{name}triton {tiling}: wrong", file=sys.stderr)
                    continue
                took = median(times(on, f, launches, 5))
            except triton.runtime.errors.OutOfResources:
                continue
            if best is None or took < best[0]:
                best = took, tiling
        f = lambda dst, src: launch(dst, src, best[1])
        if not on.right(f):
            sys.exit(f"{name}triton {best[1]}: wrong")
        rows.append(row(name + "triton", times(on, f, launches, ROUNDS), data,
                        tiling=list(best[1]), tilings=len(TILINGS)))
        f = lambda dst, src: dst.copy_(src.t())
        rows.append(row(name + "torch", times(on, f, launches, ROUNDS), data))


def warm(bits):
    for m, n in {(m, n) for b, m, n in LARGE + SMALL + RAGGED if b == bits}:
        src = torch.zeros((m, n), dtype=TYPES[bits], device="cuda")
        dst = torch.empty((n, m), dtype=TYPES[bits], device="cuda")
        for tiling in TILINGS:
            try:
                launch(dst, src, tiling)
            except triton.runtime.errors.OutOfResources:
                pass
    torch.cuda.synchronize()


def main():
    if sys.argv[1] == "--warm":
        return warm(int(sys.argv[2]))
    rows = []
    for bits, m, n in LARGE + SMALL + RAGGED:
        measure(bits, m, n, rows)
    with open(sys.argv[1], "w") as f:
        json.dump({"context": {"triton": triton.__version__,
                               "torch": torch.__version__},
                   "benchmarks": rows}, f, indent=1)


if __name__ == "__main__":
    main()
