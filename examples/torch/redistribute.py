#!/usr/bin/env python3
"""redistribute.py - changes the sharding of a tensor across ranks.

    y = redistribute(x, "offset: j0..", "offset: i0..", group)

A layout is text in ll's notation. `offset` is the position in a rank's flat
memory; `gpu` (and `node`, or other names, nearest first) says which rank. A
column 0, as in `gpu: 0`, stands for copies, or for partial sums if `sums` names
that axis. placed() returns the text for the placements of a DTensor. Sizes are
powers of two; for others, give `sizes` and layouts of the padded tensor, which
ragged() returns. One plan says which rank sends what to which. Within a host a
kernel of examples/kernels/reshard reads or writes peer memory, by CUDA IPC.
Between hosts the same plan packs, sends and unpacks messages by
torch.distributed. The ranks compare their plans before any data moves; if they
do not match, every rank raises an error.

Peers keep the allocations open that they have read or written. Do not free them
before these processes end, for example by torch.cuda.empty_cache().

    redistribute.py --build FOLDER
"""
import ctypes
import functools
import math
import os
import sys
import zlib

import redistribute_library as library
from redistribute_library import build, load
from redistribute_ranks import Ranks, SHARED, capturing
from redistribute_segments import MOST

WORDS = 5 + 2 * SHARED  # of a rank's record: 64 bits each
STAGING = 1 << 28
# Why a rank cannot use peers' memory, by the number that it tells the others.
REASONS = ("", "the tensor is on the CPU", "the kernels are not built",
           "a tensor's address is no multiple of 16 bytes",
           "an allocation cannot be shared")


def log2(n):
    return n.bit_length() - 1


def placed(shape, placements, mesh=None, names=None, order=None):
    """Returns the layout of a tensor with row-major parts, as DTensor has them,
    and the shape of a part. placements: per axis of the mesh, in DTensor's
    order, the dimension that it shards, or None for copies (or Shard and
    Replicate). mesh: the sizes of the axes. names: their names, the last one
    nearest; default ("gpu",) or ("node", "gpu"). order: the dimensions as they
    follow in memory, the slowest first; default: row-major.

    placed((4, 8), [0], (2,)) is
        ("offset: j0 j1 j2 i0 | gpu: i1", (2, 8))
    """
    axes = [getattr(p, "dim", None) if not isinstance(p, int) else p
            for p in placements]
    names = names or ("node", "gpu")[-len(mesh):]
    if any(n < 1 or n & n - 1 for n in (*shape, *mesh)):
        raise ValueError("redistribute: all sizes must be powers of two (got "
                         f"{tuple(shape)} over {tuple(mesh)}); or use ragged()")
    letters = "jihgfedc"
    if len(shape) > len(letters) or not len(axes) == len(mesh) == len(names):
        raise ValueError("redistribute: give one placement and one name per "
                         "axis of the mesh, and at most 8 dimensions")
    left = [log2(n) for n in shape]
    ranks = []
    for axis, size, name in zip(axes, mesh, names):
        n = log2(size)
        if axis is None:
            bits = ["0"] * n
        else:
            axis %= len(shape)
            if n > left[axis]:
                raise ValueError(f"redistribute: dimension {axis} of "
                                 f"{tuple(shape)} is too small for the mesh")
            left[axis] -= n
            bits = [f"{letters[len(shape) - 1 - axis]}{left[axis] + k}"
                    for k in range(n)]
        ranks.insert(0, " ".join([f"{name}:", *bits]))
    offset = [f"{letters[len(shape) - 1 - d]}{k}"
              for d in reversed(order or range(len(shape)))
              for k in range(left[d])]
    return (" | ".join([" ".join(["offset:", *offset]), *ranks]),
            tuple(1 << n for n in left))


def cut(n, sizes):
    """The sizes of the parts if torch.chunk splits n elements, and each part
    again for the next of `sizes`."""
    parts = [n]
    for size in sizes:
        parts = [max(0, min(part - k * -(-part // size), -(-part // size)))
                 for part in parts for k in range(size)]
    return parts


def sharded(placements, mesh, axis, dims):
    """The sizes of the mesh axes that shard a dimension."""
    dims_of = [getattr(p, "dim", None) if not isinstance(p, int) else p
               for p in placements]
    return [n for p, n in zip(dims_of, mesh)
            if p is not None and p % dims == axis]


def ragged(shape, before, after, mesh, names=None, order=None):
    """Returns the layouts before and after of a tensor of any size, and the
    text of its sizes. Placements are as for placed(). Each rank has the same
    part as in a DTensor, row-major (before: with the dimensions in `order`);
    local_shape() returns its shape.

    ragged((5, 8), [0], [1], (2,)) is
        ("offset: j0 j1 j2 i0 i1 | gpu: i2", "offset: j0 j1 i0 i1 i2 | gpu: j2",
         "j: 8 by 4, i: 5 by 3")
    """
    letters, padded, texts = "jihgfedc", [], []
    for axis, n in enumerate(shape):
        meshes = [sharded(p, mesh, axis, len(shape)) for p in (before, after)]
        parts = max(math.prod(m) for m in meshes)
        part = max(1, -(-n // parts))
        for m in meshes:
            several = parts // math.prod(m)
            sizes = [max(0, min(n - k * part * several, part * several))
                     for k in range(math.prod(m))]
            if cut(n, m) != sizes:
                raise ValueError(f"redistribute: dimension {axis} of "
                                 f"{tuple(shape)} is not split equally")
        padded.append(parts << (part - 1).bit_length())
        if n > 1 or parts > 1: # else the axis has no bits
            texts.insert(0, f"{letters[len(shape) - 1 - axis]}: {n}" +
                         (f" by {part}" if parts > 1 else ""))
    return (placed(padded, before, mesh, names, order)[0],
            placed(padded, after, mesh, names)[0], ", ".join(texts))


def local_shape(shape, placements, mesh, rank):
    """The shape of a rank's part. The last axis of the mesh is the nearest."""
    at = []
    for n in reversed(mesh):
        at.insert(0, rank % n)
        rank //= n
    local = list(shape)
    for p, n, k in zip(placements, mesh, at):
        axis = getattr(p, "dim", None) if not isinstance(p, int) else p
        if axis is not None:
            local[axis] = cut(local[axis], [n])[k]
    return tuple(local)


class Unable(ValueError):
    """A redistribution that is valid, but that this library cannot do."""


class Plan:
    """A plan for one rank. Raises ValueError with a message."""

    @staticmethod
    @functools.lru_cache(maxsize=256)
    def of(*asked):
        """The same plan for the same arguments."""
        return Plan(*asked)

    def __init__(self, source, target, size, rank, ranks, staging=STAGING,
                 sizes="", sums=""):
        self.handle = None
        self.lib = load()[0]
        text = ctypes.create_string_buffer(256)
        self.handle = self.lib.redist_open(
            source.encode(), target.encode(), sizes.encode(), sums.encode(),
            size, rank, ranks, text)
        if not self.handle:
            raise ValueError(text.value.decode())
        self.handle = ctypes.c_void_p(self.handle)
        self.rank, self.ranks, self.ragged = rank, ranks, bool(sizes)
        self.parts, self.sum = (
            self.lib.redist_log2(self.handle, k) for k in (5, 6))
        bad = self.lib.redist_within(self.handle,
                                     ctypes.c_uint64(staging >> self.parts))
        if bad:
            raise ValueError(f"redistribute: {bad.decode()}")
        (self.message, self.chunk, self.before, self.after, copies) = (
            self.lib.redist_log2(self.handle, k) for k in range(5))
        self.held = [self.lib.redist_elements(self.handle, k)
                     for k in range(2)]
        self.sources, self.targets, self.copies = (
            [self.lib.redist_column(self.handle, k, b) for b in range(n)]
            for k, n in enumerate((self.message, self.message, copies)))
        self.digest = self.lib.redist_digest(self.handle)
        self.refusals = {}

    def no_kernel(self, device, sums):
        """None, or why there is no kernel for the plan."""
        if sums not in self.refusals:
            bad = load()[1].redist_device(device) or \
                load()[1].redist_kernel(self.handle, sums)
            self.refusals[sums] = bad.decode() if bad else None
        return self.refusals[sums]

    def __del__(self):
        if self.handle:
            self.lib.redist_close(self.handle)

    def steps(self):
        for k in range(self.lib.redist_rounds(self.handle)):
            yield self.lib.redist_step_of(self.handle, k)

    def groups(self):
        """Lists of pieces that are added up; lists of one without sums."""
        by_sum = {}
        for k, step in enumerate(self.steps()):
            by_sum.setdefault((step.peer ^ self.rank) & ~self.sum,
                              []).append((k, step))
        for steps in by_sum.values():
            for first in range(1 << self.message - self.chunk):
                yield [Piece(self, k, step, first << self.chunk)
                       for k, step in steps]

    def array(self, number, first, side, copy):
        """The places of a chunk of a ragged tensor; see redist_array."""
        words = (ctypes.c_uint64 * 66)()
        digits = self.lib.redist_digits(self.handle, number,
                                        ctypes.c_uint64(first), side, copy,
                                        words)
        if digits < 32:
            return Places(words[0], words[1], words[2:2 + 2 * digits:2][::-1],
                          words[3:3 + 2 * digits:2][::-1])
        words = (ctypes.c_uint64 * (1 << self.chunk))()
        n = self.lib.redist_list(self.handle, number, ctypes.c_uint64(first),
                                 side, copy, words)
        return Places(n, listed=lambda device: listed(words[:n], device))


class Places:
    """Where a message lies in a flat tensor: sizes and strides, slowest first,
    or a function that returns the list of places on a device."""

    def __init__(self, count, base=0, sizes=None, strides=None, listed=None):
        self.count, self.base = count, base
        self.sizes, self.strides, self.listed = sizes, strides, listed

    @staticmethod
    def of(base, columns):
        how = strides(base, columns)
        n = 1 << len(columns)
        return Places(n, base, *how) if how else \
            Places(n, listed=lambda device: offsets(base, columns, device))

    def view(self, flat):
        """The places as a view; None if they are a list."""
        return None if self.listed is not None else flat.as_strided(
            self.sizes, self.strides, flat.storage_offset() + self.base)

    def whole(self):
        """Are they contiguous?"""
        n = 1
        for size, stride in zip(reversed(self.sizes or []),
                                reversed(self.strides or [])):
            if size > 1 and stride != n:
                return False
            n *= size
        return self.listed is None

    def taken(self, flat):
        """The message: a view if it is contiguous, else a copy."""
        view = self.view(flat)
        return flat[self.listed(flat.device)] if view is None else \
            view.contiguous().view(-1)

    def put(self, flat, message):
        """Writes a message to its places, unless it is already there."""
        view = self.view(flat)
        if view is None:
            flat[self.listed(flat.device)] = message
        elif view.data_ptr() != message.data_ptr():
            view.copy_(message.view(self.sizes))


class Piece:
    """A chunk that a rank sends to a peer and receives from it."""

    def __init__(self, plan, number, step, first):
        self.plan, self.number, self.step, self.first = (plan, number, step,
                                                         first)
        self.peer = step.peer

    def at(self, base, columns):
        for k in range(self.plan.chunk, self.plan.message):
            base ^= columns[k] if self.first >> k & 1 else 0
        return base

    def source(self):
        """The places to send from; None if nothing is sent."""
        p = self.plan
        if not self.step.sends:
            return None
        places = p.array(self.number, self.first, 0, 0) if p.ragged else \
            Places.of(self.at(self.step.source, p.sources),
                      p.sources[:p.chunk])
        return places if places.count else None

    def targets(self):
        """The places to write to, one per copy; none if nothing is received."""
        p = self.plan
        found = []
        for copy in range(1 << len(p.copies) if self.step.receives else 0):
            at = 0
            for k, column in enumerate(p.copies):
                at ^= column if copy >> k & 1 else 0
            places = p.array(self.number, self.first, 1, at) if p.ragged else \
                Places.of(at ^ self.at(self.step.target, p.targets),
                          p.targets[:p.chunk])
            found += [places] if places.count else []
        return found

    def shared(self):
        """Sizes, and strides before and after, of data that stays; None if
        strides cannot express it, or if there are copies."""
        p = self.plan
        return None if p.ragged or p.copies else shared_strides(
            self.at(self.step.source, p.sources), p.sources[:p.chunk],
            self.at(self.step.target, p.targets), p.targets[:p.chunk])


def strides(base, columns):
    """Sizes and strides, slowest first, of offsets base ^ (XOR of the columns
    of the set bits of a number); None if strides cannot express them."""
    seen = base
    groups = []
    for c in columns:
        if c & c - 1 or not c or seen & c:
            return None
        seen |= c
        if groups and groups[-1][0] * groups[-1][1] == c:
            groups[-1][0] *= 2
        else:
            groups.append([2, c])
    groups.reverse()
    return [n for n, _ in groups], [c for _, c in groups]


def shared_strides(base, columns, other_base, other_columns):
    """Sizes, and strides of two lists of offsets; None if one has none."""
    if strides(base, columns) is None or \
            strides(other_base, other_columns) is None:
        return None
    groups = []
    for a, b in zip(columns, other_columns):
        n, s, t = groups[-1] if groups else (0, 0, 0)
        if n and (n * s, n * t) == (a, b):
            groups[-1] = (2 * n, s, t)
        else:
            groups.append((2, a, b))
    groups.reverse()
    return [[g[k] for g in groups] for k in range(3)]


def offsets(base, columns, device):
    """The same offsets as a tensor of indices; as a list for no device."""
    if device is None:
        at = [base]
        for c in columns:
            at += [x ^ c for x in at]
        return at
    import torch
    at = torch.full((1,), base, dtype=torch.int64, device=device)
    for c in columns:
        at = torch.cat((at, at ^ c))
    return at


def listed(words, device):
    """The same for a list of places."""
    if device is None:
        return words
    import torch
    return torch.tensor(words, dtype=torch.int64, device=device)


def numbers(plan, kind):
    """The type of partial sums, as redistribute.cu counts; 0: no sums."""
    kinds = ("torch.bfloat16", "torch.float16", "torch.float32")
    return 0 if not plan.sum else \
        1 + kinds.index(str(kind)) if str(kind) in kinds else 4


class Redistribution:
    """Redistributes one tensor to another, `result`; each call fills it again.
    Making and calling it are collective. `means` says how it runs, and `why`
    the reason if not by the kernel."""

    def __init__(self, tensor, source, target, group=None, *, out=None,
                 means="auto", staging=STAGING, sizes="", sums=""):
        self.all = group if isinstance(group, Ranks) else Ranks.of(group)
        self.rank, self.ranks = self.all.rank, self.all.ranks
        self.why = self.plan = self.result = None
        self.new = []
        refused = None
        try:
            self.plan = Plan.of(source, target, tensor.element_size(),
                                self.rank, self.ranks, staging, sizes, sums)
            self.prepare(tensor, out, means)
        except ValueError as error:
            refused = error
        records = self.all.exchange(self.record(refused, means))
        if refused:
            raise refused
        for r, record in enumerate(records):
            if not record[0]:
                raise ValueError(f"redistribute: rank {r} refuses its call")
            if record[1] != records[0][1]:
                raise ValueError(f"redistribute: rank {r} has other layouts, "
                                 "elements, means, staging or kind of device "
                                 "than rank 0")
        self.means = "messages"
        if means != "messages":
            self.why = self.reason(records) or self.connect(records)
            self.means = "messages" if self.why else "peers"
        if means == "peers" and self.means != means:
            raise Unable(f"redistribute: cannot use peer memory: {self.why}")
        if self.means == "messages" and self.src.is_cuda and not self.all.nccl:
            raise ValueError("redistribute: to send messages from a GPU, the "
                             "group's backend must be nccl")

    def prepare(self, tensor, out, means):
        import torch
        size = tensor.element_size()
        if means not in ("auto", "peers", "messages"):
            raise ValueError("redistribute: means must be auto, peers or "
                             f"messages (got {means})")
        if out is None:
            out = torch.empty(self.plan.held[1], dtype=tensor.dtype,
                              device=tensor.device)
        for x, name, n in ((tensor, "tensor", self.plan.held[0]),
                           (out, "out", self.plan.held[1])):
            if x.numel() != n:
                raise ValueError(f"redistribute: {name} has {x.numel()} "
                                 f"elements; its layout has {n}")
            if not x.is_contiguous():
                raise ValueError(f"redistribute: {name} is not contiguous; "
                                 f"take {name}.contiguous()")
        if out.dtype != tensor.dtype or out.device != tensor.device:
            raise ValueError("redistribute: out must have the type and device "
                             "of tensor")
        start = out.data_ptr() - tensor.data_ptr()
        if -out.numel() * size < start < tensor.numel() * size:
            raise ValueError("redistribute: out overlaps tensor")
        self.result = out
        # The type does not matter: only bits move.
        kind = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64,
                16: torch.complex128}[size]
        self.src = tensor.detach().view(-1).view(kind)
        self.dst = out.detach().view(-1).view(kind)

    def record(self, refused, means):
        """What a rank tells the others: whether its call is valid, the plan's
        digest, why its memory cannot be shared, or the handles."""
        if refused:
            return [0] * WORDS
        digest = self.plan.digest ^ zlib.crc32(
            f"{means} {self.src.is_cuda}".encode())
        words = [1, digest - (digest >> 63 << 64), 0, 0, 0]
        handles = None
        if means != "messages":
            self.why = self.no_kernel()
            if not self.why:
                handles = [self.all.share(x.data_ptr(), x.nbytes)
                           for x in (self.src, self.dst)]
                self.why = None if all(handles) else REASONS[-1]
            words[2] = 0 if not self.why else REASONS.index(self.why) \
                if self.why in REASONS else len(REASONS)
            if not self.why:
                self.new = sorted({*handles[0][1], *handles[1][1]})
                words[3:5] = [int(not self.new and all(
                    self.all.agreed(h) for h, _ in handles)), len(self.new)]
                words += handles[0][0] + handles[1][0]
        return words + [0] * (WORDS - len(words))

    def no_kernel(self):
        if not self.src.is_cuda:
            return REASONS[1]
        if not load()[1]:
            return REASONS[2]
        if (self.src.data_ptr() | self.dst.data_ptr()) % 16:
            return REASONS[3]
        return self.plan.no_kernel(self.src.get_device(), self.numbers())

    def reason(self, records):
        """Null, or a sentence: why the first rank that cannot use peers' memory
        does not."""
        for r, record in enumerate(records):
            if record[2]:
                return f"rank {r}: " + (
                    self.why if r == self.rank else REASONS[record[2]]
                    if record[2] < len(REASONS) else "its plan has no kernel")
        return None

    def numbers(self):
        return numbers(self.plan, self.result.dtype)

    def connect(self, records):
        """Opens peer memory. Returns None, or why one rank cannot."""
        self.all.check()
        why = self.all.connect(self.src.get_device())
        if why:
            return why
        both = [(r[5:5 + SHARED], r[5 + SHARED:]) for r in records]
        rounds = max(-(-r[4] // MOST) for r in records)
        files, bad = self.all.tell(self.new, rounds, both,
                                   self.src.get_device()) \
            if rounds else ([], None)
        if not bad:
            self.sources, self.targets = (
                self.all.open_all([of[k] for of in both], x.data_ptr())
                for k, x in enumerate((self.src, self.dst)))
            bad = None in (self.sources, self.targets)
        if all(r[3] for r in records):
            return None  # all have opened it before
        every = self.all.exchange([int(not bad)])
        for file in files:
            os.close(file)
        for r, (good,) in enumerate(every):
            if not good:
                return f"rank {r} cannot open the memory of its peers" + (
                    f": {bad.decode()}" if isinstance(bad, bytes) else "")
        self.all.segments.show(self.new)
        for words in both[self.rank]:
            self.all.agree(words)
        return None

    def __call__(self):
        if self.means == "peers":
            self.by_peers()
        else:
            self.by_messages()
        return self.result

    def by_peers(self):
        """Starts the kernel on PyTorch's current stream. In a graph, the GPU
        counts the calls, as each replay is a new one."""
        import torch
        stream = torch.cuda.current_stream(self.src.device)
        self.src.record_stream(stream)
        self.dst.record_stream(stream)
        epoch = 0
        if not capturing():
            self.all.epoch += 1
            epoch = self.all.epoch
        bad = load()[1].redist_device(self.src.get_device())
        bad = bad or load()[1].redist_start(
            self.plan.handle, self.sources, self.targets, self.all.every,
            epoch, self.numbers(), ctypes.c_void_p(stream.cuda_stream))
        bad = bad or load()[1].redist_watch(
            ctypes.c_void_p(self.all.flags), ctypes.c_void_p(self.all.late),
            ctypes.c_void_p(stream.cuda_stream))
        if bad:
            raise RuntimeError(f"redistribute: {bad.decode()}")

    def check(self):
        """Waits for the kernel. Raises if a rank is lost or late."""
        import torch
        if self.means == "peers":
            torch.cuda.current_stream(self.src.device).synchronize()
            self.all.check()

    def by_messages(self):
        """Packs, sends, receives and unpacks chunk by chunk. While one is in
        flight, it packs the next and moves data that stays."""
        own, far = [], []
        for group in self.plan.groups():
            (own if all(x.peer == self.rank for x in group) else
             far).append(group)
        share = -(-len(own) // max(1, len(far)))
        pending = None
        for k in range(max(1, len(far))):
            following = self.begins(far[k]) if far else None
            for group in own[k * share:(k + 1) * share]:
                self.stays(group[0])
            if pending:
                self.ends(*pending)
            pending = following
        if pending:
            self.ends(*pending)

    def stays(self, piece):
        """Moves a chunk within the rank's memory."""
        how = piece.shared() if piece.step.receives else None
        if how:
            self.dst.as_strided(how[0], how[2], self.dst.storage_offset() +
                                piece.at(piece.step.target,
                                         piece.plan.targets)).copy_(
                self.src.as_strided(how[0], how[1], self.src.storage_offset() +
                                    piece.at(piece.step.source,
                                             piece.plan.sources)))
            return
        for to in piece.targets():
            at = piece.source()
            a, b = at.view(self.src), to.view(self.dst)
            if piece.plan.ragged and a is not None and b is not None:
                b.copy_(a)
            else:
                to.put(self.dst, at.taken(self.src))

    def begins(self, group):
        """Starts to send and receive the pieces of a group. Returns what to
        wait for, the data of each rank, and where to write it."""
        import torch
        import torch.distributed as dist
        ops, parts, to = [], {}, []
        for piece in group:
            at, to = piece.source(), piece.targets() or to
            packed = at.taken(self.src) if at else None
            peer = self.all.order[piece.peer]
            if piece.peer == self.rank:
                parts[self.rank] = packed
                continue
            if packed is not None:
                ops.append(dist.P2POp(dist.isend, packed.view(torch.uint8),
                                      peer, self.all.group))
            if piece.targets():
                got = self.received(to[0])
                parts[piece.peer] = got
                ops.append(dist.P2POp(dist.irecv, got.view(torch.uint8), peer,
                                      self.all.group))
        works = dist.batch_isend_irecv(ops) if ops else []
        return works, ops, parts, to

    def received(self, to):
        """Memory to receive a chunk: its final place if that is contiguous."""
        import torch
        if to.whole() and not self.plan.sum:
            return self.dst[to.base:to.base + to.count]
        return torch.empty(to.count, dtype=self.dst.dtype,
                           device=self.dst.device)

    def ends(self, works, _, parts, to):
        for work in works:
            work.wait()
        got = [parts[r] for r in sorted(parts)]
        for place in to if got else []:
            place.put(self.dst, got[0] if len(got) == 1 else self.added(got))

    def added(self, parts):
        """The sum of parts in rank order. 16-bit floats are added as float32
        and rounded once."""
        import torch
        kind = self.result.dtype
        small = kind in (torch.bfloat16, torch.float16)
        wide = torch.float32 if small else kind
        total = parts[0].view(kind).to(wide, copy=True)
        for part in parts[1:]:
            total += part.view(kind)
        return total.to(kind).view(self.dst.dtype)


def redistribute(tensor, *where, **how):
    """Returns a rank's part of a tensor in another layout. Every rank of the
    group must call it.

    redistribute(tensor, from_layout, to_layout, group=None, ...) returns a flat
    tensor, or `out`.
      means: "auto", "peers" or "messages"
      staging: bytes that messages may use in addition to the tensors
      sizes: sizes of a ragged tensor, "j: 777 by 195, i: 1000"
      sums: axes with partial sums, "gpu" or "gpu node", added in rank order
    redistribute(x, mesh, placements) of a DTensor: see redistribute_dtensor.py.
    """
    if isinstance(where[0] if where else how.get("from_layout"), str):
        return of_layouts(tensor, *where, **how)
    import redistribute_dtensor
    return redistribute_dtensor.of_dtensor(tensor, *where, **how)


def of_layouts(tensor, from_layout, to_layout, group=None, **how):
    import torch
    if torch.compiler.is_dynamo_compiling():
        import redistribute_op
        return redistribute_op.in_graph(tensor, from_layout, to_layout, group,
                                        **how)
    r = Redistribution(tensor, from_layout, to_layout, group, **how)
    y = r()
    r.check()
    return y


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] != "--build":
        sys.exit(__doc__)
    build(sys.argv[2])
