#!/usr/bin/env python3
"""redistribute.py - a tensor that ranks share goes from one layout to another.

    y = redistribute(x, "offset: j0..", "offset: i0..", group)

A layout is a text of ll: `offset` is the position in the flat memory of a rank,
`gpu` (and `node`, or other names, the nearest first) says which rank; sizes are
powers of two, and a column 0, as in `gpu: 0`, stands for copies. placed() gives
the text for placements of a DTensor. One plan says which rank sends what to
whom. Within a host the kernel of examples/reshard.h reads or writes the memory
of the peers, by CUDA IPC; elsewhere the same plan is packed, sent and unpacked
by messages of torch.distributed. Before any data moves the ranks compare their
plans; what does not fit is refused in a sentence, on every rank.

The allocations of tensors that peers have read or written stay open in those
processes, so they must live as long; torch.cuda.empty_cache() may free them.

    redistribute.py --build FOLDER
"""
import ctypes
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import weakref
import zlib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
NAMES = ("libredistribute.so", "libredistribute_gpu.so")
WORDS = 24   # of a rank's record: 64 bits each
STAGING = 1 << 28


class Step(ctypes.Structure):
    """One round: see redistribute.h."""
    _fields_ = [(name, ctypes.c_uint) for name in
                ("peer", "sends", "receives", "source", "target")]


def build(folder):
    """Compiles the library of plans, and that of the kernels where nvcc is."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    commands = [[os.environ.get("CC", "cc"), "-std=c11", "-O2"],
                [os.environ.get("NVCC", "nvcc"), "-std=c++17", "-O3",
                 "-arch=sm_90", "-Xcompiler"]]
    for command, name, ext in zip(commands, NAMES, ("c", "cu")):
        if ext == "c" or shutil.which(command[0]):
            part = folder / f"{name}.{os.getpid()}"
            subprocess.run([*command, "-fPIC", "-shared", f"-I{ROOT}",
                            str(HERE / f"redistribute.{ext}"), "-o", part],
                           check=True)
            os.replace(part, folder / name)
    return folder


def load(libraries=[]):
    """The two libraries, from $LL_REDISTRIBUTE or built once; None for that of
    the kernels where there is none."""
    if not libraries:
        folder = pathlib.Path(os.environ.get("LL_REDISTRIBUTE") or
                              ROOT / "build" / "torch")
        if not (folder / NAMES[0]).exists():
            build(folder)
        plans = ctypes.CDLL(str(folder / NAMES[0]))
        plans.redist_open.restype = ctypes.c_void_p
        plans.redist_digest.restype = ctypes.c_uint64
        plans.redist_within.restype = ctypes.c_char_p
        plans.redist_step_of.restype = Step
        kernels = None
        if (folder / NAMES[1]).exists():
            kernels = ctypes.CDLL(str(folder / NAMES[1]))
            for name in ("device", "kernel", "start", "flags", "late", "share",
                         "open_peer"):
                getattr(kernels, f"redist_{name}").restype = ctypes.c_char_p
        libraries += [plans, kernels]
    return libraries


def log2(n):
    return n.bit_length() - 1


def placed(shape, placements, mesh=None, names=None):
    """The layout of a tensor of `shape` in row-major parts, as a DTensor has
    them, and the shape of a part. placements: for each axis of the mesh, in
    DTensor's order, the dimension that it shards, or None for copies; Shard and
    Replicate will do. mesh: the sizes of the axes; names: theirs, the last of
    which is the nearest; ("gpu",) and ("node", "gpu") if not given.

    placed((4, 8), [0], (2,)) is
        ("offset: j0 j1 j2 i0 | gpu: i1", (2, 8))
    """
    axes = [getattr(p, "dim", None) if not isinstance(p, int) else p
            for p in placements]
    if any("Partial" in type(p).__name__ for p in placements):
        raise ValueError("redistribute: partial sums are not moved")
    names = names or ("node", "gpu")[-len(mesh):]
    if any(n < 1 or n & n - 1 for n in (*shape, *mesh)):
        raise ValueError(f"redistribute: {tuple(shape)} over {tuple(mesh)} has "
                         "sizes that are no powers of two")
    letters = "jihgfedc"
    if len(shape) > len(letters) or not len(axes) == len(mesh) == len(names):
        raise ValueError("redistribute: a placement and a name for each axis "
                         "of the mesh, and at most 8 dimensions")
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
              for d in reversed(range(len(shape))) for k in range(left[d])]
    return (" | ".join([" ".join(["offset:", *offset]), *ranks]),
            tuple(1 << n for n in left))


class Plan:
    """A plan for one rank; raises ValueError with a sentence."""

    def __init__(self, source, target, size, rank, ranks, staging=STAGING):
        self.handle = None
        self.lib = load()[0]
        text = ctypes.create_string_buffer(256)
        self.handle = self.lib.redist_open(source.encode(), target.encode(),
                                           size, rank, ranks, text)
        if not self.handle:
            raise ValueError(text.value.decode())
        self.handle = ctypes.c_void_p(self.handle)
        bad = self.lib.redist_within(self.handle, ctypes.c_uint64(staging))
        if bad:
            raise ValueError(f"redistribute: {bad.decode()}")
        self.rank, self.ranks = rank, ranks
        (self.message, self.chunk, self.before, self.after, copies) = (
            self.lib.redist_log2(self.handle, k) for k in range(5))
        self.sources, self.targets, self.copies = (
            [self.lib.redist_column(self.handle, k, b) for b in range(n)]
            for k, n in enumerate((self.message, self.message, copies)))
        self.digest = self.lib.redist_digest(self.handle)

    def __del__(self):
        if self.handle:
            self.lib.redist_close(self.handle)

    def steps(self):
        for k in range(self.lib.redist_rounds(self.handle)):
            yield self.lib.redist_step_of(self.handle, k)

    def chunks(self, step):
        """Where each chunk of a message begins, before and after."""
        for first in range(1 << self.message - self.chunk):
            source, target = step.source, step.target
            for k in range(self.chunk, self.message):
                if first >> k - self.chunk & 1:
                    source ^= self.sources[k]
                    target ^= self.targets[k]
            yield source, target

    def places(self, target):
        """The places of what is received at `target`."""
        for copy in range(1 << len(self.copies)):
            at = target
            for k, column in enumerate(self.copies):
                at ^= column if copy >> k & 1 else 0
            yield at


def strides(base, columns):
    """Sizes and strides, slowest first, of offsets base ^ (XOR of the columns
    of the set bits of a number); None where strides do not say it."""
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
    """The same offsets as a tensor of indices."""
    import torch
    at = torch.full((1,), base, dtype=torch.int64, device=device)
    for c in columns:
        at = torch.cat((at, at ^ c))
    return at


def taken(flat, base, columns):
    """Elements of a flat tensor in the order of a message: a view if they are
    side by side, else a copy."""
    how = strides(base, columns)
    if how is None:
        return flat[offsets(base, columns, flat.device)]
    view = flat.as_strided(*how, flat.storage_offset() + base)
    return view.contiguous().view(-1)


def put(flat, base, columns, message):
    """Writes a message to its places, unless it lies there already."""
    how = strides(base, columns)
    if how is None:
        flat[offsets(base, columns, flat.device)] = message
        return
    to = flat.as_strided(*how, flat.storage_offset() + base)
    if to.data_ptr() != message.data_ptr():
        to.copy_(message.view(how[0]))


class Group:
    """What calls of a group share: flags for the kernel, and peers' memory. It
    does not keep the group alive."""
    all = weakref.WeakKeyDictionary()

    def __init__(self):
        self.epoch = 0
        self.flags = self.every = None
        self.memory = {} # by rank and handle

    @staticmethod
    def of(group):
        return Group.all.setdefault(group, Group())

    def opened(self, rank, words):
        """A peer's memory, from eight words of a handle and an offset."""
        key = (rank, tuple(words[:8]))
        if key not in self.memory:
            p = ctypes.c_void_p()
            raw = b"".join((w & 2 ** 64 - 1).to_bytes(8, "little")
                           for w in words[:8])
            bad = load()[1].redist_open_peer(raw, ctypes.byref(p))
            if bad:
                raise RuntimeError(f"redistribute: the memory of rank {rank} "
                                   f"cannot be opened: {bad.decode()}")
            self.memory[key] = p.value
        return self.memory[key] + words[8]


def shared(pointer):
    """Eight words of a handle and an offset of memory; None if it has none."""
    raw, offset = ctypes.create_string_buffer(64), ctypes.c_uint64()
    if load()[1].redist_share(ctypes.c_void_p(pointer), raw,
                              ctypes.byref(offset)):
        return None
    return [int.from_bytes(raw.raw[8 * k:8 * k + 8], "little", signed=True)
            for k in range(8)] + [offset.value]


class Redistribution:
    """A redistribution of one tensor to one other, `result`, which each call
    fills again. Making it and calling it are collective; `means` says what it
    is executed by, and `why` why the kernel is not."""

    def __init__(self, tensor, source, target, group=None, *, out=None,
                 means="auto", staging=STAGING):
        import torch
        import torch.distributed as dist
        self.group = group if group is not None else dist.group.WORLD
        self.rank = dist.get_rank(self.group)
        self.ranks = dist.get_world_size(self.group)
        self.shared = Group.of(self.group)
        self.why = self.plan = self.result = None
        refused = None
        try:
            self.prepare(tensor, source, target, out, means, staging)
        except ValueError as error:
            refused = error
        nccl = "nccl" in dist.get_backend(self.group)
        self.device = torch.device("cuda", torch.cuda.current_device()) \
            if nccl else torch.device("cpu")
        records = self.exchange(self.record(refused, means))
        if refused:
            raise refused
        for r, record in enumerate(records):
            if not record[0]:
                raise ValueError(f"redistribute: rank {r} refuses its call")
            if record[1] != records[0][1]:
                raise ValueError(f"redistribute: rank {r} has other layouts, "
                                 "elements, means or staging than rank 0")
        self.means = "messages"
        if means != "messages" and all(r[2] for r in records) and \
                len({r[3] for r in records}) == 1:
            self.connect(records)
        if means == "peers" and self.means != means:
            raise ValueError("redistribute: peers' memory is not for this: " +
                             (self.why or "a rank cannot share its memory"))

    def prepare(self, tensor, source, target, out, means, staging):
        import torch
        size = tensor.element_size()
        self.plan = Plan(source, target, size, self.rank, self.ranks, staging)
        if means not in ("auto", "peers", "messages"):
            raise ValueError(f"redistribute: means is {means}, not auto, peers "
                             "or messages")
        if out is None:
            out = torch.empty(1 << self.plan.after, dtype=tensor.dtype,
                              device=tensor.device)
        for x, name, n in ((tensor, "tensor", self.plan.before),
                           (out, "out", self.plan.after)):
            if x.numel() != 1 << n:
                raise ValueError(f"redistribute: {name} has {x.numel()} "
                                 f"elements; its layout has {1 << n}")
            if not x.is_contiguous():
                raise ValueError(f"redistribute: {name} is not contiguous; "
                                 f"take {name}.contiguous()")
        if out.dtype != tensor.dtype or out.device != tensor.device:
            raise ValueError("redistribute: out has another type or device "
                             "than tensor")
        start = out.data_ptr() - tensor.data_ptr()
        if -out.numel() * size < start < tensor.numel() * size:
            raise ValueError("redistribute: out lies in the memory of tensor")
        self.result = out
        # Bits are moved, whatever they mean.
        kind = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64,
                16: torch.complex128}[size]
        self.src = tensor.detach().view(-1).view(kind)
        self.dst = out.detach().view(-1).view(kind)

    def record(self, refused, means):
        """What a rank says of its call: is it good; its digest; whether its
        memory can be shared, on which host, and how."""
        if refused:
            return [0] * WORDS
        digest = self.plan.digest ^ zlib.crc32(means.encode())
        digest -= (digest >> 63) << 64
        words = [1, digest, 0, zlib.crc32(socket.gethostname().encode())]
        handles = None
        if means != "messages":
            self.why = self.no_kernel()
            if not self.why:
                handles = [shared(x.data_ptr()) for x in (self.src, self.dst)]
                self.why = None if all(handles) else \
                    "its allocation has no handle"
        if handles and not self.why:
            words[2] = 1
            words += handles[0] + handles[1]
        return words + [0] * (WORDS - len(words))

    def no_kernel(self):
        if not self.src.is_cuda:
            return "the tensor is on the CPU"
        if not load()[1]:
            return "the kernels are not built"
        if (self.src.data_ptr() | self.dst.data_ptr()) % 16:
            return "a tensor starts at no multiple of 16 bytes"
        bad = load()[1].redist_device(self.src.get_device()) or \
            load()[1].redist_kernel(self.plan.handle)
        return bad.decode() if bad else None

    def exchange(self, words):
        import torch
        import torch.distributed as dist
        mine = torch.tensor(words, dtype=torch.int64, device=self.device)
        every = [torch.empty_like(mine) for _ in range(self.ranks)]
        dist.all_gather(every, mine, group=self.group)
        return torch.stack(every).tolist()

    def connect(self, records):
        """Opens the peers' memory; by messages, where one rank cannot."""
        if self.shared.every is None:
            flags, good = ctypes.c_void_p(), 1
            if self.shared.flags is None:
                good = not load()[1].redist_flags(ctypes.byref(flags))
                self.shared.flags = flags.value
            words = (good and shared(self.shared.flags)) or [0] * 9
            handles = self.exchange(words)
            every = self.open_all(handles, self.shared.flags)
            if not all(r[0] for r in self.exchange([int(every is not None)])):
                return
            self.shared.every = every
        self.sources = self.open_all([r[4:13] for r in records],
                                     self.src.data_ptr())
        self.targets = self.open_all([r[13:22] for r in records],
                                     self.dst.data_ptr())
        if not all(r[0] for r in self.exchange(
                [int(bool(self.sources and self.targets))])):
            return
        self.means = "peers"

    def open_all(self, handles, own):
        try:
            return (ctypes.c_void_p * self.ranks)(*(
                own if r == self.rank else self.shared.opened(r, words)
                for r, words in enumerate(handles)))
        except RuntimeError as error:
            self.why = str(error)
            return None

    def __call__(self):
        if self.means == "peers":
            self.by_peers()
        else:
            self.by_messages()
        return self.result

    def by_peers(self):
        import torch
        self.shared.epoch += 1
        stream = torch.cuda.current_stream(self.src.device)
        bad = load()[1].redist_device(self.src.get_device())
        bad = bad or load()[1].redist_start(
            self.plan.handle, self.sources, self.targets, self.shared.every,
            self.shared.epoch, ctypes.c_void_p(stream.cuda_stream))
        if bad:
            raise RuntimeError(f"redistribute: {bad.decode()}")

    def check(self):
        """Waits for the kernel; raises if a rank was lost, or late."""
        import torch
        if self.means != "peers":
            return
        stream = torch.cuda.current_stream(self.src.device).cuda_stream
        bad = load()[1].redist_device(self.src.get_device())
        bad = bad or load()[1].redist_late(ctypes.c_void_p(self.shared.flags),
                                           ctypes.c_void_p(stream))
        if bad:
            raise RuntimeError(f"redistribute: {bad.decode()}")

    def by_messages(self):
        """Packs, sends and receives, and unpacks, chunk by chunk. While one is
        under way, the next is packed, and what stays is moved."""
        own, far = [], []
        for step in self.plan.steps():
            (own if step.peer == self.rank else far).extend(
                (step, *places) for places in self.plan.chunks(step))
        share = -(-len(own) // max(1, len(far)))
        pending = None
        for k in range(max(1, len(far))):
            following = self.begins(*far[k]) if far else None
            for step, source, target in own[k * share:(k + 1) * share]:
                if step.receives:
                    self.stays(source, target)
            if pending:
                self.ends(pending)
            pending = following
        if pending:
            self.ends(pending)

    def stays(self, source, target):
        """Moves a chunk within the memory of the rank."""
        columns = self.plan.sources[:self.plan.chunk]
        to = self.plan.targets[:self.plan.chunk]
        for at in self.plan.places(target):
            how = shared_strides(source, columns, at, to)
            if how is None:
                put(self.dst, at, to, taken(self.src, source, columns))
            else:
                self.dst.as_strided(how[0], how[2], self.dst.storage_offset() +
                                    at).copy_(self.src.as_strided(
                                        how[0], how[1],
                                        self.src.storage_offset() + source))

    def begins(self, step, source, target):
        import torch
        import torch.distributed as dist
        columns = self.plan.sources[:self.plan.chunk]
        packed = taken(self.src, source, columns) if step.sends else None
        ops, got = [], None
        peer = dist.get_global_rank(self.group, step.peer)
        if step.sends:
            ops.append(dist.P2POp(dist.isend, packed.view(torch.uint8), peer,
                                  self.group))
        if step.receives:
            got = self.received(target)
            ops.append(dist.P2POp(dist.irecv, got.view(torch.uint8), peer,
                                  self.group))
        works = dist.batch_isend_irecv(ops) if ops else []
        return works, got, target, packed

    def received(self, target):
        """Memory for a chunk: its place, where it is side by side there."""
        import torch
        n = 1 << self.plan.chunk
        how = strides(target, self.plan.targets[:self.plan.chunk])
        if how and how[1] in ([], [1]):
            return self.dst[target:target + n]
        return torch.empty(n, dtype=self.dst.dtype, device=self.dst.device)

    def ends(self, pending):
        works, got, target, _ = pending
        for work in works:
            work.wait()
        if got is not None:
            for at in self.plan.places(target):
                put(self.dst, at, self.plan.targets[:self.plan.chunk], got)


def redistribute(tensor, from_layout, to_layout, group=None, **how):
    """The part of a rank of a tensor in another layout: a flat tensor, or
    `out`. Each rank of the group calls it. means: "auto", or only by "peers" or
    "messages"; staging: bytes that messages may take beside the tensors."""
    r = Redistribution(tensor, from_layout, to_layout, group, **how)
    y = r()
    r.check()
    return y


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] != "--build":
        sys.exit(__doc__)
    build(sys.argv[2])
