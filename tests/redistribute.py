#!/usr/bin/env python3
"""redistribute.py - examples/torch/redistribute.py without a GPU.

redistribute.py LIBRARIES: the texts for placements, and plans of 2 to 8 ranks
whose messages are carried here by hand, against offsets that this file computes
from indices. Where PyTorch is, processes also redistribute tensors on the CPU
by gloo, and bad calls are refused on every rank.
"""
import ctypes
import itertools
import math
import os
import pathlib
import socket
import sys
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "examples" / "torch"))
import redistribute as rd  # noqa: E402
import redistribute_ranks  # noqa: E402
from redistribute_ranks import Ranks  # noqa: E402
from redistribute_segments import Segments  # noqa: E402

SHAPE = (16, 32)
# A layout's text over 2^g ranks, and the element of an offset of a rank.
KINDS = {
    "rows": lambda g: (rd.placed(SHAPE, [0], (1 << g,))[0],
                       lambda r, o: r * (512 >> g) + o),
    "columns": lambda g: (rd.placed(SHAPE, [1], (1 << g,))[0],
                          lambda r, o: o // (32 >> g) * 32 + r * (32 >> g) +
                          o % (32 >> g)),
    "transposed": lambda g: (
        "offset: i0 i1 i2 i3 " + " ".join(f"j{k}" for k in range(5 - g)) +
        " | gpu: " + " ".join(f"j{k}" for k in range(5 - g, 5)),
        lambda r, o: o % 16 * 32 + r * (32 >> g) + o // 16),
    "turns": lambda g: (
        "offset: " + " ".join(f"j{k}" for k in range(g, 5)) +
        " i0 i1 i2 i3 | gpu: " + " ".join(f"j{k}" for k in range(g)),
        lambda r, o: o // (32 >> g) * 32 + (o % (32 >> g) << g) + r),
    "copies": lambda g: (rd.placed(SHAPE, [None], (1 << g,))[0],
                         lambda r, o: o),
    "swizzled": lambda g: (
        "offset: j0^i0 j1 j2 j3 j4 i0 " +
        " ".join(f"i{k}" for k in range(1, 4 - g)) + " | gpu: " +
        " ".join(f"i{k}^j{k}" for k in range(4 - g, 4)),
        lambda r, o: swizzled(r, o, g)),
}


def swizzled(r, o, g):
    j = o & 31
    i = o >> 5 | r << 4 - g
    for k in range(g):
        j ^= (r >> k & 1) << 4 - g + k
    return (i ^ o & 1) * 32 + j


def failures(bad, what):
    if bad:
        print(f"FAIL {what}")
    return int(bool(bad))


def texts():
    """Placements that a reader can check by eye."""
    cases = [
        (((4, 8), [0], (2,)), ("offset: j0 j1 j2 i0 | gpu: i1", (2, 8))),
        (((4, 8), [1, 0], (2, 2)),
         ("offset: j0 j1 i0 | gpu: i1 | node: j2", (2, 4))),
        (((4, 8), [0, 0], (2, 2)),
         ("offset: j0 j1 j2 | gpu: i0 | node: i1", (1, 8))),
        (((2, 4, 8), [None, -1], (4, 2)),
         ("offset: j0 j1 i0 i1 h0 | gpu: j2 | node: 0 0", (2, 4, 4))),
        (((4, 8), [0], (2,), None, (1, 0)),
         ("offset: i0 j0 j1 j2 | gpu: i1", (2, 8)))]
    ragged = [
        (((5, 8), [0], [1], (2,)),
         ("offset: j0 j1 j2 i0 i1 | gpu: i2",
          "offset: j0 j1 i0 i1 i2 | gpu: j2", "j: 8 by 4, i: 5 by 3")),
        (((6, 10, 3), [None], [1], (4,)),
         ("offset: j0 j1 i0 i1 i2 i3 h0 h1 h2 | gpu: 0 0",
          "offset: j0 j1 i0 i1 h0 h1 h2 | gpu: i2 i3",
          "j: 3, i: 10 by 3, h: 6"))]
    return len(cases) + len(ragged), sum(
        failures(of(*a) != b, f"{of.__name__}{a}: {of(*a)}")
        for of, all_of in ((rd.placed, cases), (rd.ragged, ragged))
        for a, b in all_of)


def carried(plans, before, after, sums=False):
    """Executes the plans of all ranks on lists; returns whether `after`, None
    where nothing may be, is not what comes of `before`."""
    got = [[None] * len(a) for a in after]
    wire = {}
    for arrives, plan in itertools.product((False, True), plans):
        for group in plan.groups():
            parts, to = {}, []
            for x in group:
                key = x.step.peer, x.first
                source, to = x.source(), x.targets() or to
                if source and not arrives:
                    wire[(plan.rank, *key)] = [before[plan.rank][at]
                                               for at in places_of(source)]
                if arrives and x.targets():
                    parts[x.peer] = wire.pop((x.peer, plan.rank, x.first))
            if parts:
                values = [sum(v) if sums else v[0] for v in
                          zip(*(parts[r] for r in sorted(parts)))]
                for place in to:
                    for value, at in zip(values, places_of(place)):
                        got[plan.rank][at] = value
    return got != after or wire or len({p.digest for p in plans}) != 1


def places_of(places):
    """Offsets in the order of a message."""
    if places.listed:
        at = places.listed(None)
    else:
        at = [places.base + sum(i * s for i, s in zip(index, places.strides))
              for index in itertools.product(*map(range, places.sizes))]
    assert len(at) == places.count, (places.sizes, at)
    return at


def carries(source, target, g, staging):
    """Carries out a reshard of 16 x 32 elements; returns what is wrong."""
    (a, holds), (b, wants) = KINDS[source](g), KINDS[target](g)
    ranks = range(1 << g)
    plans = [rd.Plan(a, b, 4, r, 1 << g, staging) for r in ranks]
    return carried(plans,
                   [[holds(r, o) for o in range(1 << plans[r].before)]
                    for r in ranks],
                   [[wants(r, o) for o in range(1 << plans[r].after)]
                    for r in ranks])


def adds(target, g, staging):
    """The same of partial sums: element y is the sum of y + 100 r over r. What
    is side by side in both memories is one block."""
    a, (b, wants) = KINDS["copies"](g)[0], KINDS[target](g)
    staging = max(staging, 1 << 20 if target in ("rows", "copies") else
                  512 << g)
    ranks = range(1 << g)
    plans = [rd.Plan(a, b, 4, r, 1 << g, staging, sums="gpu") for r in ranks]
    return carried(plans, [[y + 100 * r for y in range(512)] for r in ranks],
                   [[sum(wants(r, o) + 100 * k for k in ranks)
                     for o in range(1 << plans[r].after)] for r in ranks],
                   True)


def part(shape, placement, mesh, rank):
    """The indices that torch.chunk gives a rank, row-major, as numbers."""
    left = [list(range(n)) for n in shape]
    for p, n, k in zip(placement, mesh, coordinates(mesh, rank)):
        if p is not None:
            size = -(-len(left[p]) // n)
            left[p] = left[p][k * size:(k + 1) * size]
    return [sum(i * math.prod(shape[d + 1:]) for d, i in enumerate(index))
            for index in itertools.product(*left)]


def coordinates(mesh, rank):
    return [rank // math.prod(mesh[k + 1:]) % n for k, n in enumerate(mesh)]


def ragged_plans():
    """Tensors of any sizes, and the shapes of their parts."""
    cases = [((13, 21), [0], [1], (2,)), ((13, 21), [1], [0], (4,)),
             ((5, 9), [0], [None], (4,)), ((7, 3), [None], [1], (2,)),
             ((1, 11), [1], [0], (4,)), ((1, 9), [None], [1], (2,)),
             ((3, 11), [0], [1], (4,)), ((9, 1), [0], [None], (4,)),
             ((13, 16), [0, None], [1, 0], (2, 2)),
             ((3, 10, 6), [0], [2], (4,)), ((3, 10, 6), [None, 1], [0, 2],
                                           (2, 2))]
    wrong = count = 0
    for (shape, a, b, mesh), sums, staging in itertools.product(
            cases, (False, True), (1 << 20, 256)):
        ranks = range(math.prod(mesh))
        if sums and any(p is not None for p in a):
            continue
        try:
            one, other, sizes = rd.ragged(shape, a, b, mesh)
            plans = [rd.Plan(one, other, 4, r, len(ranks), staging, sizes,
                             "gpu" if sums else "") for r in ranks]
            have = [part(shape, a, mesh, r) for r in ranks]
            want = [part(shape, b, mesh, r) for r in ranks]
            bad = any([len(have[r]), len(want[r])] != plans[r].held or
                      math.prod(rd.local_shape(shape, b, mesh, r)) !=
                      len(want[r]) for r in ranks)
            bad = bad or carried(
                plans, [[y + 9 * r * sums for y in have[r]] for r in ranks],
                [[sum(y + 9 * k for k in ranks) if sums else y
                  for y in want[r]] for r in ranks], sums)
        except ValueError as error:
            bad = error
        wrong += failures(bad, f"{shape} from {a} to {b}: {bad}")
        count += 1
    return count, wrong


class Kernels:
    """A library that shares memory as CUDA does: nothing at null. GPU number d
    is on bus 100 + d; `far` holds the pairs without access."""
    memory, far, opens = True, set(), 0

    @classmethod
    def redist_flags(cls, flags, late):
        flags._obj.value = 8 << 8
        return None if cls.memory else b"out of memory"

    @staticmethod
    def redist_bus(device, bus):
        bus._obj.value = 100 + device

    @classmethod
    def redist_can_access(cls, device, bus):
        return (device, bus.value - 100) not in cls.far

    @staticmethod
    def redist_share(pointer, raw, words):
        if not pointer.value:
            return b"the memory has no address range"
        raw.raw = pointer.value.to_bytes(8, "little") + bytes(56)
        words[:] = [pointer.value, 1, 5]
        return None

    @classmethod
    def redist_open_peer(cls, raw, pointer):
        if not any(raw):
            return b"invalid argument"
        cls.opens += 1
        pointer._obj.value = 1 << 40 | int.from_bytes(raw[:8], "little")
        return None


def rank_of(rank, ranks, exchange=None):
    """A rank of a group without PyTorch."""
    r = object.__new__(Ranks)
    r.rank, r.ranks, r.memory, r.why = rank, ranks, {}, None
    r.every = r.flags = r.late = r.box = r.broken = None
    r.number, r.shown = 0, {}
    if exchange:
        r.exchange = exchange
    return r


def empty_shards():
    """A rank without elements, whose tensor is at null, shares nothing, and
    the others use peers' memory all the same."""
    wrong = 0
    for pointers in ((16, 32, 48, 0), (64, 0), (0, 0)):
        shares = [redistribute_ranks.shared(p) for p in pointers]
        for rank, own in enumerate(pointers):
            r = rank_of(rank, len(pointers))
            every = None if None in shares else r.open_all(shares, own)
            want = [p if k == rank else p and (1 << 40 | p) + 5
                    for k, p in enumerate(pointers)]
            got = every and [p or 0 for p in every]
            wrong += failures(got != want, f"memories {pointers} of rank "
                                           f"{rank} are {got}: {r.why}")
    r, before = rank_of(0, 2), Kernels.opens
    for number in (1, 1, 2, 2):
        r.opened(1, [7] * 8 + [4096, number, 0])
    wrong += failures(Kernels.opens != before + 2, "an allocation that was "
                      "freed and made again is not opened again")
    return 9, wrong


def access():
    """GPUs without access to their peers, other hosts, and no memory: every
    rank says the same sentence, with the numbers."""
    cases = [
        (set(), True, "", None),
        ({(2, 3)}, True, "", "GPU 2 (rank 2) cannot access the memory of GPU 3 "
                             "(rank 3)"),
        (set(), True, "other", "rank 0 and rank 3 are on two hosts"),
        (set(), False, "", "GPU 0 (rank 0) cannot share its memory")]
    wrong = 0
    for far, memory, host, words in cases:
        Kernels.far, Kernels.memory = far, memory
        said = together(4, host)
        good = all(s is None if words is None else s and words in s
                   for s in said) and len(set(said)) == 1
        wrong += failures(not good, f"without access {far}, memory {memory}: "
                                    f"{said}")
    Kernels.far, Kernels.memory = set(), True
    return len(cases), wrong


class Mapped(Kernels):
    """A library whose memory is chunks of a segment at 1000; each chunk is of
    `size` bytes and has a number. It keeps what is mapped."""
    size, number, here = 10, 1, {}

    @classmethod
    def redist_chunks(cls, p, size, segment, words, count):
        segment[:] = [1000, 500]
        bases = range(p.value // cls.size * cls.size, p.value + size.value,
                      cls.size)
        for k, base in enumerate(bases):
            words[3 * k:3 * k + 3] = [base, cls.size, cls.number + base]
        count._obj.value = len(bases)

    @staticmethod
    def redist_chunk_file(p, file):
        file._obj.value = p.value + 7

    @staticmethod
    def redist_reserve(size, p):
        p._obj.value = 100000

    @classmethod
    def redist_map_chunk(cls, device, process, file, p, size):
        new = range(p.value, p.value + size.value)
        if any(a in new or new[0] in range(a, a + n)
               for a, (n, _) in cls.here.items()):
            return b"it is in use"
        cls.here[p.value] = size.value, file

    @classmethod
    def redist_unmap_chunk(cls, p, size):
        return None if cls.here.pop(p.value, (0,))[0] == size.value else \
            b"nothing is mapped"


def segments():
    """A peer's memory of chunks is mapped once, at the same places; freed
    chunks give way to others, also of another size."""
    wrong, mine, far = 0, Segments(), Segments()
    rd.library.load, Mapped.here = lambda: [None, Mapped], {}
    for size, number, there in ((10, 1, 6), (10, 1, 6), (10, 500, 6),
                                (20, 900, 3)):
        Mapped.size, Mapped.number = size, number
        words, new = far.words(1025, 50)
        mine.reserve(1, words)
        rounds = -(-len(new) // 5)
        bad = []
        told = []
        far.tell(lambda w: told.append(w) or [w], new, rounds, 0, 0)
        for w in told:
            bad.append(mine.map(1, w, 0))
        far.show(new)
        good = len(Mapped.here) == there and not any(bad) and \
            mine.opened(1, words) == 100025 and not far.words(1025, 50)[1]
        wrong += failures(not good, f"chunks of {size}: {bad}, {Mapped.here}")
    return 4, wrong


def together(ranks, host):
    """What connect() says on each rank; the last one is on another host."""
    meet, told = threading.Barrier(ranks), [None] * ranks
    said = [None] * ranks

    def run(rank):
        def exchange(words):
            if host and rank == ranks - 1 and len(words) > 2:
                words = [*words[:-1], 1]
            told[rank] = list(words)
            meet.wait(20)
            every = [list(w) for w in told]
            meet.wait(20)
            return every
        said[rank] = rank_of(rank, ranks, exchange).connect(rank)
    threads = [threading.Thread(target=run, args=(r,)) for r in range(ranks)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return said


def posts():
    """Words of four ranks through shared memory, and a rank that is missing."""
    plans, ranks = rd.load()[0], 4
    box = ctypes.create_string_buffer(plans.redist_box_bytes(ranks))
    wrong = [0]

    def run(rank):
        for number in range(1, 2001):
            every = (ctypes.c_longlong * (3 * ranks))()
            came = plans.redist_exchange(
                box, rank, ranks, ctypes.c_uint64(number),
                (ctypes.c_longlong * 3)(number, rank, -number), every, 3,
                ctypes.c_double(60))
            wrong[0] += came != ranks or list(every) != [
                w for r in range(ranks) for w in (number, r, -number)]
    threads = [threading.Thread(target=run, args=(r,)) for r in range(ranks)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    bad = failures(wrong[0], f"{wrong[0]} exchanges are wrong")
    seconds, redistribute_ranks.SECONDS = (redistribute_ranks.SECONDS,
                                           0.05)
    r = rank_of(0, ranks)
    r.box = ctypes.create_string_buffer(len(box))
    for _ in range(2):
        try:
            r.exchange([1, 2])
            said = "nothing"
        except RuntimeError as error:
            said = str(error)
        bad += failures("rank 1 did not come within 0.05 s" not in said,
                        f"without rank 1 the exchange says: {said}")
    redistribute_ranks.SECONDS = seconds
    return 3, bad


def faked(*tests):
    """What tests that need a library of kernels find, with one that is none."""
    real = rd.library.load
    rd.library.load = lambda: [None, Kernels]
    done = [test() for test in tests]
    rd.library.load = real
    return done


def plans():
    wrong = count = 0
    for g, a, b in itertools.product((1, 2, 3), KINDS, KINDS):
        for staging in (1 << 20, 256):
            try:
                bad = carries(a, b, g, staging)
                if a == "copies":
                    bad = bad or adds(b, g, staging)
            except ValueError as error:
                bad = error
            wrong += failures(bad, f"{a} to {b}, {1 << g} ranks, {staging} "
                                   f"bytes of staging: {bad}")
            count += 1
    return count, wrong


def digests():
    """Each pair of layouts, size of elements and staging has its own."""
    seen = [rd.Plan(KINDS[a](1)[0], KINDS[b](1)[0], size, 0, 2, staging).digest
            for a, b in itertools.product(KINDS, KINDS)
            for size, staging in ((1, 1 << 20), (4, 1 << 20), (4, 256))]
    staged = [rd.Plan(KINDS[a](1)[0], KINDS[b](1)[0], 4, 0, 2, n).chunk
              for a, b in itertools.product(KINDS, KINDS)
              for n in (1 << 20, 256)]
    same = sum(staged[k] == staged[k + 1] for k in range(0, len(staged), 2))
    return 1, failures(len(set(seen)) != len(seen) - same or not same,
                       f"{len(set(seen))} digests of {len(seen)} plans, of "
                       f"which {same} are the same")


def refusals():
    row, column = "offset: j0 | gpu: i0", "offset: i0 | gpu: j0"
    cases = [
        (rd.Plan, ("offset: j0 ?", "offset: j0", 4, 0, 1),
         "from_layout, at char"),
        (rd.Plan, (row, column, 4, 0, 4), "for 2 ranks; the group has 4"),
        (rd.Plan, (row, "offset: j0 i0", 4, 0, 2), "too few ranks"),
        (rd.Plan, (row, "offset: j0 | gpu: j1", 4, 0, 2),
         "with the same axes and sizes"),
        (rd.Plan, (row, column, 3, 0, 2), "must be 8, 16, 32, 64 or 128"),
        (rd.Plan, (row, column, 4, 0, 2, 1 << 20, "j 3"),
         "written as j: 777 by 195"),
        (rd.Plan, (row, column, 4, 0, 2, 1 << 20, "j: 3"),
         "does not fit the bits"),
        (rd.Plan, (row, column, 4, 0, 2, 1 << 20, "", "gpu"),
         "with columns of 0"),
        (rd.ragged, ((9, 4), [0, 0], [1, 1], (2, 2)), "not split equally")]
    wrong = 0
    for of, call, words in cases:
        try:
            of(*call)
            said = "nothing"
        except ValueError as error:
            said = str(error)
        wrong += failures(words not in said, f"{call} says {said}")
    return len(cases), wrong


def worker(rank, ranks, port, wrong):
    import torch
    import torch.distributed as dist
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=ranks)
    g = ranks.bit_length() - 1
    types = [torch.uint8, torch.bfloat16, torch.float32, torch.complex128]
    for n, (a, b) in enumerate(itertools.product(KINDS, KINDS)):
        (source, holds), (target, wants) = KINDS[a](g), KINDS[b](g)
        kind = types[n % len(types)]
        size = 512 if a == "copies" else 512 // ranks
        x = torch.tensor([holds(rank, o) % 251 for o in range(size)]).to(kind)
        y = rd.redistribute(x, source, target, staging=1 << 12)
        want = torch.tensor([wants(rank, o) % 251 for o in range(y.numel())])
        wrong[rank] += failures(not torch.equal(y, want.to(kind)),
                                f"gloo: {a} to {b}, rank {rank}")
    wrong[rank] += sum(
        failures(not any_size(rank, ranks, kind, b, sums),
                 f"gloo: {kind}, to {b}, sums {sums}, rank {rank}")
        for kind in types for b in ([0], [1], [None])
        for sums in ("", "gpu"))
    wrong[rank] += sum(failures(not in_order(rank, ranks, kind),
                                f"gloo: sums of {kind} in another order")
                       for kind in types[1:3])
    rows, columns = KINDS["rows"](g)[0], KINDS["columns"](g)[0]
    x = torch.zeros(512 // ranks)
    odd = rank == 1
    cases = [
        (lambda: rd.redistribute(x, rows, rows if odd else columns),
         "rank 1 has other layouts"),
        (lambda: rd.redistribute(x.short() if odd else x, rows, columns),
         "rank 1 has other layouts"),
        (lambda: rd.redistribute(x[:9] if odd else x, rows, columns),
         "tensor has 9 elements" if odd else "rank 1 refuses"),
        (lambda: rd.redistribute(x, rows, columns, means="peers"),
         "the tensor is on the CPU"),
        (lambda: rd.redistribute(x, rows, columns, out=x),
         "out overlaps tensor")]
    for call, words in cases:
        try:
            call()
            said = "nothing"
        except ValueError as error:
            said = str(error)
        wrong[rank] += failures(words not in said, f"rank {rank}: {said}")
    dist.barrier()
    dist.destroy_process_group()


def any_size(rank, ranks, kind, placement, sums):
    """Rows of a ragged tensor, or partial sums, by gloo. Sums of small numbers
    are exact."""
    import torch
    shape, before = (13, 21), [None] if sums else [0]
    one, other, sizes = rd.ragged(shape, before, placement, (ranks,))
    x = torch.tensor([y % 13 + rank * bool(sums)
                      for y in part(shape, before, (ranks,), rank)]).to(kind)
    want = torch.tensor([sum(y % 13 + r for r in range(ranks)) if sums else
                         y % 13
                         for y in part(shape, placement, (ranks,), rank)])
    return torch.equal(rd.redistribute(x, one, other, sizes=sizes, sums=sums,
                                       staging=1 << 18), want.to(kind))


def in_order(rank, ranks, kind):
    """Sums of floats whose bits depend on the order are in the ranks'
    order, rounded once."""
    import torch
    parts = []
    for r in range(ranks):
        torch.manual_seed(r)
        parts.append((torch.randn(512) * 1000 ** (r % 2)).to(kind))
    total = parts[0].float()
    for x in parts[1:]:
        total = total + x.float()
    got = rd.redistribute(parts[rank], *(
        KINDS["copies"](ranks.bit_length() - 1)[0] for _ in range(2)),
        sums="gpu")
    return torch.equal(got, total.to(kind))


def by_gloo():
    try:
        import torch.multiprocessing as mp
    except ImportError:
        return None
    bad = 0
    for ranks in (2, 4):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        wrong = mp.get_context("spawn").Array("i", ranks)
        mp.spawn(worker, (ranks, port, wrong), nprocs=ranks)
        bad += sum(wrong)
    return 2, bad


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    os.environ["LL_REDISTRIBUTE"] = sys.argv[1]
    done = [texts(), posts(), *faked(empty_shards, access, segments), plans(),
            ragged_plans(), digests(), refusals(), by_gloo()]
    skipped = done.count(None)
    if skipped:
        print("skipped: PyTorch is not here: nothing is sent by gloo")
    total, failed = (sum(n) for n in zip(*filter(None, done)))
    print(f"{max(total - failed, 0)} passed, {failed} failed, "
          f"{skipped} skipped")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
