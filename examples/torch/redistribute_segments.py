"""redistribute_segments.py - memory of expandable segments, for
redistribute_ranks.py.

PyTorch maps a segment chunk by chunk as it grows. A rank tells its peers of each
new chunk once: a file, the chunk's place and its number. They map it in the same
place of an address range of their own.
"""
import ctypes
import os

import redistribute_library as library

CHUNK = 5         # words of a chunk: file, base, bytes, number, segment
MOST = 5          # chunks in an exchange
MOST_OF_ALL = 1 << 14  # chunks of a tensor
MARK = -0x11aa22  # in place of a handle of cudaMalloc's memory


class Segments:
    """Chunks of this rank that all peers have mapped, and those of peers."""

    def __init__(self):
        self.chunks = (ctypes.c_ulonglong * (3 * MOST_OF_ALL))()
        self.shown = {}    # number by base
        self.ranges = {}   # where a peer's segment is, by rank and segment
        self.mapped = {}   # address and bytes, by a peer's rank and base

    def words(self, pointer, size):
        """Words like those of shared(), and the chunks that peers do not know
        yet; None if the memory is not of that kind."""
        segment, count = (ctypes.c_ulonglong * 2)(), ctypes.c_uint(MOST_OF_ALL)
        if library.load()[1].redist_chunks(
                ctypes.c_uint64(pointer), ctypes.c_uint64(size), segment,
                self.chunks, ctypes.byref(count)) or \
                count.value == MOST_OF_ALL:
            return None
        chunks = self.chunks[:3 * count.value]
        new = [(*c, segment[0]) for c in zip(chunks[::3], chunks[1::3],
                                             chunks[2::3])
               if self.shown.get(c[0]) != c[2]]
        return [MARK, segment[1], *[0] * 6, segment[0], 0,
                pointer - segment[0]], new

    def opened(self, rank, words):
        return self.ranges[rank, words[8]] + words[10]

    def reserve(self, rank, words):
        """Makes the address range for a peer's segment."""
        if words[0] == MARK and (rank, words[8]) not in self.ranges:
            at = ctypes.c_uint64()
            bad = library.load()[1].redist_reserve(ctypes.c_uint64(words[1]),
                                                   ctypes.byref(at))
            if bad:
                raise RuntimeError(bad.decode())
            self.ranges[rank, words[8]] = at.value

    def tell(self, exchange, new, rounds, device, own):
        """Tells all ranks of new chunks and maps theirs: collective. Returns
        the rank's files, to be closed when all have done so, and None or what
        went wrong."""
        files, bad = [], None
        for k in range(rounds):
            words = [os.getpid()]
            for base, *others in new[MOST * k:MOST * k + MOST]:
                file = ctypes.c_int(-1)
                bad = library.load()[1].redist_chunk_file(
                    ctypes.c_uint64(base), ctypes.byref(file)) or bad
                files.append(file.value)
                words += [file.value, base, *others]
            words += [0] * (1 + MOST * CHUNK - len(words))
            for rank, told in enumerate(exchange(words)):
                if rank != own:
                    bad = self.map(rank, told, device) or bad
        return [f for f in files if f >= 0], bad

    def map(self, rank, told, device):
        """Maps chunks of a peer; returns None or a sentence."""
        process, bad = told[0], None
        for k in range(1, len(told), CHUNK):
            file, base, size, number, segment = told[k:k + CHUNK]
            if not size or (rank, segment) not in self.ranges:
                continue
            at = self.ranges[rank, segment] + base - segment
            bad = self.unmap(rank, base, size) or bad
            bad = library.load()[1].redist_map_chunk(
                device, process, file, ctypes.c_uint64(at),
                ctypes.c_uint64(size)) or bad
            self.mapped[rank, base] = at, size
        return bad

    def unmap(self, rank, base, size):
        """Takes away the chunks of a peer that lay where it has a new one."""
        bad = None
        for other, first in list(self.mapped):
            at, extent = self.mapped[other, first]
            if other == rank and base - extent < first < base + size:
                bad = library.load()[1].redist_unmap_chunk(
                    ctypes.c_uint64(at), ctypes.c_uint64(extent)) or bad
                del self.mapped[other, first]
        return bad

    def show(self, new):
        for base, _, number, _ in new:
            self.shown[base] = number
