"""redistribute_ranks.py - the ranks of a group, what they tell each other, and
the memory of peers.

Ranks.exchange() collects words of all ranks. The ranks of a host exchange them
through shared memory: some microseconds, without a GPU, so also while a CUDA
graph is captured. Ranks of several hosts use torch.distributed.
"""
import ctypes
import mmap
import os
import secrets
import socket
import sys
import weakref
import zlib

import redistribute_library as library
import redistribute_segments as segments

FOLDER = "/dev/shm"
SECONDS = 600.0  # to wait for another rank


class Ranks:
    """The ranks of a group in an order, and the state that calls share: the
    flags of the kernels, and the memory of peers. Making one is collective."""
    all, keys = weakref.WeakKeyDictionary(), weakref.WeakValueDictionary()

    @staticmethod
    def of(group=None, order=None):
        """The same object for the same group and order. order: ranks of the
        whole job (global ranks); default: the group's own order."""
        import torch.distributed as dist
        group = group if group is not None else dist.group.WORLD
        known = Ranks.all.setdefault(group, {})
        order = tuple(order or dist.get_process_group_ranks(group))
        if order not in known:
            known[order] = Ranks(group, order)
        return known[order]

    def __init__(self, group, order):
        import torch.distributed as dist
        self.pointed = weakref.ref(group)
        own = dist.get_process_group_ranks(group)
        self.order, self.ranks = order, len(order)
        self.places = [own.index(r) for r in order]
        self.rank = order.index(dist.get_rank())
        self.key = f"{group.group_name}|{','.join(map(str, order))}"
        self.nccl = "nccl" in dist.get_backend(group)
        self.epoch = self.number = 0
        self.flags = self.late = self.every = self.why = None
        self.box = self.broken = None
        self.memory = {}  # by rank and base of an allocation
        self.segments = segments.Segments()
        self.shown = {0: 0}  # allocations of this rank that all have opened
        if self.ranks > 1:
            self.box = self.opened_box()

    @property
    def group(self):
        return self.pointed()

    @staticmethod
    def named(key):
        """Returns the ranks with that key, also in another process that runs
        the same compiled function."""
        from torch.distributed import distributed_c10d as c10d
        known = Ranks.keys.get(key)
        if known is not None and known.group is not None:
            return known
        name, order = key.split("|")
        Ranks.keys[key] = Ranks.of(c10d._resolve_process_group(name),
                                   map(int, order.split(",")))
        return Ranks.keys[key]

    def opened_box(self):
        """Shared memory of all ranks, or None if one of them has none."""
        if capturing():
            raise ValueError("redistribute: the first call of a group cannot be "
                             "captured by a CUDA graph; call it once before")
        nonce = self.by_group([secrets.randbits(62)])[0][0]
        path = os.path.join(FOLDER, f"ll-redistribute-{nonce:x}")
        size = library.load()[0].redist_box_bytes(self.ranks)
        box = None
        if self.rank == 0:
            box = mapped(path, size, os.O_CREAT | os.O_EXCL)
        self.by_group([0])
        box = box if self.rank == 0 else mapped(path, size, 0)
        every = self.by_group([int(box is not None)])
        if self.rank == 0 and box is not None:
            os.unlink(path)
        return box if all(r[0] for r in every) else None

    def exchange(self, words):
        """Returns the words of all ranks, rank by rank: at most 31 of 64 bits,
        as many of each rank."""
        if self.ranks == 1:
            return [list(words)]
        if self.broken:
            raise RuntimeError(self.broken)
        if self.box is None:
            return self.by_group(words)
        n = len(words)
        self.number += 1
        every = (ctypes.c_longlong * (n * self.ranks))()
        came = library.load()[0].redist_exchange(
            ctypes.byref(self.box), self.rank, self.ranks,
            ctypes.c_uint64(self.number), (ctypes.c_longlong * n)(*words),
            every, n, ctypes.c_double(SECONDS))
        if came < self.ranks:
            self.broken = (f"redistribute: rank {came} did not come within "
                           f"{SECONDS:g} s; this group is not used any more")
            raise RuntimeError(self.broken)
        return [every[n * r:n * r + n] for r in range(self.ranks)]

    def by_group(self, words):
        import torch
        import torch.distributed as dist
        device = torch.device("cuda", torch.cuda.current_device()) \
            if self.nccl else torch.device("cpu")
        if capturing():
            raise ValueError("redistribute: a CUDA graph cannot be captured: "
                             "the ranks share no memory in " + FOLDER)
        mine = torch.tensor(words, dtype=torch.int64, device=device)
        every = [torch.empty_like(mine) for _ in range(self.ranks)]
        dist.all_gather(every, mine, group=self.group)
        every = torch.stack(every).tolist()
        return [every[place] for place in self.places]

    def opened(self, rank, words):
        """Opens a peer's memory: the words of shared(). None for the words of
        an empty one."""
        if not any(words):
            return None
        if words[0] == segments.MARK:
            return self.segments.opened(rank, words)
        base, number, offset = words[8:]
        known = self.memory.get((rank, base))
        if not known or known[0] != number:
            p = ctypes.c_void_p(known[1] if known else None)
            raw = b"".join((w & 2 ** 64 - 1).to_bytes(8, "little")
                           for w in words[:8])
            bad = library.load()[1].redist_open_peer(raw, ctypes.byref(p))
            if bad:
                raise RuntimeError(f"redistribute: the memory of rank {rank} "
                                   f"cannot be opened: {bad.decode()}")
            self.memory[rank, base] = number, p.value
        return self.memory[rank, base][1] + offset

    def share(self, pointer, size):
        """The words of shared() for some bytes, and the chunks of a segment
        that peers have not mapped; None if they cannot be shared."""
        words = shared(pointer)
        return (words, []) if words else self.segments.words(pointer, size)

    def agreed(self, words):
        """Have all peers opened this memory of the rank before? The chunks of
        a segment are told apart."""
        return words[0] == segments.MARK or \
            self.shown.get(words[8]) == words[9]

    def agree(self, words):
        self.shown[words[8]] = words[9]

    def tell(self, new, rounds, records, device):
        """Tells all ranks of new chunks: collective. records: of each rank, the
        words of its tensors. Returns the files to close, and None or what went
        wrong."""
        try:
            for rank, both in enumerate(records):
                for words in both if rank != self.rank else ():
                    self.segments.reserve(rank, words)
            bad = None
        except RuntimeError as error:
            bad = str(error).encode()
        files, other = self.segments.tell(self.exchange, new, rounds, device,
                                          self.rank)
        return files, bad or other

    def open_all(self, handles, own):
        """The pointers to the memory of all ranks; None, and a sentence in
        `why`, if one cannot be opened."""
        try:
            return (ctypes.c_void_p * self.ranks)(*(
                own if r == self.rank else self.opened(r, words)
                for r, words in enumerate(handles)))
        except RuntimeError as error:
            self.why = str(error)
            return None

    def connect(self, device):
        """Shares the flags of a GPU with all ranks, once. Returns None, or on
        every rank the same sentence."""
        if self.every is not None or self.why:
            return self.why
        if capturing():
            return ("the first call of a group cannot be captured by a CUDA "
                    "graph; call it once before")
        flags, late, good = ctypes.c_void_p(), ctypes.c_void_p(), 1
        bus = ctypes.c_uint64()
        good = not library.load()[1].redist_flags(ctypes.byref(flags),
                                                  ctypes.byref(late)) and \
            not library.load()[1].redist_bus(device, ctypes.byref(bus))
        words = (good and shared(flags.value)) or [0] * SHARED
        host = zlib.crc32(socket.gethostname().encode())
        told = self.exchange([*words, device, bus.value, host])
        self.flags, self.late = flags.value, late.value
        far = self.far(told, device)
        every = None
        if all(any(t[:SHARED]) for t in told):
            every = self.open_all([t[:SHARED] for t in told], self.flags) \
                if far < 0 else None
        answers = self.exchange([int(every is not None), far])
        for rank, (good, far) in enumerate(answers):
            if far >= 0:
                self.why = no_access(rank, told[rank], far, told[far])
            elif not good:
                self.why = (f"GPU {told[rank][SHARED]} (rank {rank}) cannot "
                            "share its memory, or open that of its peers")
            if self.why:
                return self.why
        self.every = every
        return None

    def check(self):
        """Raises if a rank was lost or late in a call that has run. Calls check
        the earlier ones."""
        if self.late and any((ctypes.c_uint * 2).from_address(self.late)):
            raise RuntimeError("redistribute: a rank is lost, or late")

    def far(self, told, device):
        """The first rank whose memory this one's GPU cannot access; -1: none.
        A GPU that this process does not see is tried later."""
        here = told[self.rank][SHARED + 2]
        for rank, words in enumerate(told):
            if words[SHARED + 2] != here or not library.load()[
                    1].redist_can_access(device,
                                         ctypes.c_uint64(words[SHARED + 1])):
                return rank
        return -1


SHARED = 11  # words of shared(): 8 of a handle, base, number, offset


def shared(pointer):
    """The words that say where memory is: a handle of its allocation, the base
    and number of it, and the offset in it; None if it cannot be shared. An empty
    tensor is at null, has no memory to share, and all words are 0."""
    if not pointer:
        return [0] * SHARED
    raw, words = ctypes.create_string_buffer(64), (ctypes.c_longlong * 3)()
    if library.load()[1].redist_share(ctypes.c_void_p(pointer), raw, words):
        return None
    return [int.from_bytes(raw.raw[8 * k:8 * k + 8], "little", signed=True)
            for k in range(8)] + list(words)


def no_access(rank, told, far, there):
    """Why a rank's GPU does not reach another's memory."""
    if told[SHARED + 2] != there[SHARED + 2]:
        return (f"rank {rank} and rank {far} are on two hosts; peers' memory is "
                "reached within a host")
    return (f"GPU {told[SHARED]} (rank {rank}) cannot access the memory of GPU "
            f"{there[SHARED]} (rank {far})")


def mapped(path, size, flags):
    """Shared memory of a file, or None."""
    try:
        file = os.open(path, os.O_RDWR | flags, 0o600)
    except OSError:
        return None
    try:
        if flags:
            os.posix_fallocate(file, 0, size)
        return (ctypes.c_char * size).from_buffer(mmap.mmap(file, size))
    except (OSError, ValueError):
        return None
    finally:
        os.close(file)


def capturing():
    """Is a CUDA graph captured on the current stream?"""
    torch = sys.modules.get("torch")
    return torch is not None and torch.cuda.is_initialized() and \
        torch.cuda.is_current_stream_capturing()
