/* reshard_nccl_memory.h - memory that NCCL knows, and its addresses on peers.
 * SPDX-License-Identifier: MIT
 *
 * Messages of registered memory go straight from there (NCCL 2.19). If all
 * ranks are GPUs of one host, the memory is also a window: kernels of each rank
 * load from and store to the memory of all (NCCL 2.28, nccl_device.h). Older
 * versions, and hosts where either fails, keep memory of cudaMalloc.
 *
 * nccl_get, nccl_know, nccl_forget and nccl_close are calls of all ranks, in
 * the same order on each.
 */
#ifndef LL_EXAMPLE_RESHARD_NCCL_MEMORY_H
#define LL_EXAMPLE_RESHARD_NCCL_MEMORY_H

#include "reshard_nccl_wire.h"

#ifndef NCCL_NO_WINDOWS /* 1: messages only */
#define NCCL_NO_WINDOWS 0
#endif
#define NCCL_REGISTERS (NCCL_VERSION_CODE >= 21900)
#define NCCL_WINDOWS (NCCL_VERSION_CODE >= 22800 && !NCCL_NO_WINDOWS)
#if NCCL_WINDOWS
#include <nccl_device.h>
#endif

namespace ll_kernels {

#if NCCL_WINDOWS
/* Writes the addresses at which this rank reaches the window of each rank. */
__global__ void nccl_window_addresses(ncclWindow_t window, unsigned ranks,
                                      void **at) {
    for (unsigned k = 0; k < ranks; ++k) {
        at[k] = ncclGetLsaPointer(window, 0, (int)k);
    }
}

/* Sets the addresses of a window. Returns false if a call fails. */
inline bool nccl_find_addresses(const nccl_wire *w, nccl_known *k,
                                unsigned ranks) {
    void **at = nullptr;
    bool good = !cudaMalloc((void **)&at, ranks * sizeof *at);
    if (good) {
        nccl_window_addresses<<<1, 1, 0, w->stream>>>(
            (ncclWindow_t)k->window, ranks, at);
        good = !cudaStreamSynchronize(w->stream) &&
               !cudaMemcpy(k->peer, at, ranks * sizeof *at,
                           cudaMemcpyDeviceToHost);
        cudaFree(at);
    }
    return good;
}

/* Can windows of this communicator be used? The layout of a window belongs to
 * the version of nccl_device.h. */
inline bool nccl_has_windows(const nccl_wire *w, unsigned ranks) {
    int version = 0;
    return ranks <= RESHARD_RANKS && !ncclGetVersion(&version) &&
           version / 100 == NCCL_VERSION_CODE / 100 &&
           ncclTeamLsa(w->comm).nRanks == (int)ranks;
}
#endif

/* Makes memory a window, on all ranks or on none. Returns RANKS_OK, or
 * RANKS_LOST if the ranks cannot agree. */
inline int nccl_make_window(transport *t, nccl_known *k) {
    nccl_wire *const w = (nccl_wire *)t->self;
    bool good = false;
#if NCCL_WINDOWS
    ncclWindow_t window = nullptr;
    good = nccl_has_windows(w, t->ranks) &&
           !ncclCommWindowRegister(w->comm, k->base, k->bytes, &window,
                                   NCCL_WIN_COLL_SYMMETRIC) &&
           window;
    k->window = window;
    good = good && nccl_find_addresses(w, k, t->ranks);
#endif
    const int err = nccl_agree(t, good);
    if (!good || err) {
        memset(k->peer, 0, sizeof k->peer);
    }
    return err == RANKS_LOST || !w->comm ? RANKS_LOST : RANKS_OK;
}

/* Takes memory from NCCL. The memory stays allocated. */
inline void nccl_unregister(nccl_wire *w, nccl_known *k) {
#if NCCL_WINDOWS
    if (w->comm && k->window) {
        ncclCommWindowDeregister(w->comm, (ncclWindow_t)k->window);
    }
#endif
#if NCCL_REGISTERS
    if (w->comm && k->handle) {
        ncclCommDeregister(w->comm, k->handle);
    }
#endif
    (void)w;
    k->window = k->handle = nullptr;
}

inline void nccl_free(const nccl_known &k) {
#if NCCL_REGISTERS
    if (k.means == NCCL_MEM_ALLOC) {
        ncclMemFree(k.base);
    }
#endif
    if (k.means == NCCL_CUDA_MALLOC) {
        cudaFree(k.base);
    }
}

/* Registers memory of ncclMemAlloc. If NCCL cannot, messages still take it.
 * Returns RANKS_OK, RANKS_PLAN for no memory, or RANKS_LOST. */
inline int nccl_know(transport *t, void *base, size_t bytes,
                     unsigned means = NCCL_CALLERS) {
    nccl_wire *const w = (nccl_wire *)t->self;
    nccl_known k = {(char *)base, bytes, ++w->ids, means, nullptr, nullptr, {}};
    int err = !base || !bytes ? RANKS_PLAN : !w->comm ? RANKS_LOST : RANKS_OK;
#if NCCL_REGISTERS
    if (!err && ncclCommRegister(w->comm, base, bytes, &k.handle)) {
        k.handle = nullptr;
    }
#endif
    err = err ? err : nccl_make_window(t, &k);
    if (!err) {
        w->known.push_back(k);
    }
    return err;
}

/* Returns memory of ncclMemAlloc, registered; or of cudaMalloc if a rank's NCCL
 * has no such memory; or null. */
inline void *nccl_get(transport *t, size_t bytes) {
    nccl_wire *const w = (nccl_wire *)t->self;
    void *at = nullptr;
    bool own = false;
#if NCCL_REGISTERS
    own = w->comm && bytes && !ncclMemAlloc(&at, bytes);
    if (w->comm && nccl_agree(t, own) && own) {
        ncclMemFree(at);
        own = false;
    }
#endif
    if (own && !nccl_know(t, at, bytes, NCCL_MEM_ALLOC)) {
        return at;
    }
    if (own) { /* the ranks are lost */
        nccl_free({(char *)at, bytes, 0, NCCL_MEM_ALLOC, nullptr, nullptr, {}});
        return nullptr;
    }
    if (!w->comm || !bytes || cudaMalloc(&at, bytes)) {
        return nullptr;
    }
    w->known.push_back(
        {(char *)at, bytes, ++w->ids, NCCL_CUDA_MALLOC, nullptr, nullptr, {}});
    return at;
}

/* Unregisters memory, and frees that of nccl_get, after all work on the GPU.
 * Returns false for memory that is not known. */
inline bool nccl_forget(nccl_wire *w, const void *base) {
    for (size_t n = 0; n < w->known.size(); ++n) {
        if (w->known[n].base == base) {
            nccl_known k = w->known[n];
            w->known.erase(w->known.begin() + (long)n);
            cudaDeviceSynchronize();
            nccl_unregister(w, &k);
            nccl_free(k);
            return true;
        }
    }
    return false;
}

/* Forgets all memory, the last first, and destroys what nccl_open created. The
 * communicator is destroyed afterwards, by its owner. */
inline void nccl_close(nccl_wire *w) {
    while (!w->known.empty()) {
        nccl_forget(w, w->known.back().base);
    }
    w->flags = nullptr;
    nccl_close_streams(w);
}

/* Does NCCL know the memory at an address? */
inline bool nccl_is_registered(const nccl_wire *w, const void *at) {
    for (const nccl_known &k : w->known) {
        if (k.handle && (size_t)((const char *)at - k.base) < k.bytes) {
            return true;
        }
    }
    return false;
}

/* Returns the place of an array in a window, or 0. */
inline unsigned long long nccl_place(const nccl_wire *w, const void *array,
                                     size_t bytes) {
    for (const nccl_known &k : w->known) {
        const size_t at = (size_t)((const char *)array - k.base);
        if (k.peer[0] && at < k.bytes && bytes <= k.bytes - at) {
            return (unsigned long long)k.id << 48 | at;
        }
    }
    return 0;
}

/* Returns the address of a place of a rank, or null. */
inline char *nccl_address_of(const nccl_wire *w, unsigned rank,
                             unsigned long long place) {
    for (const nccl_known &k : w->known) {
        if (k.peer[0] && k.id == place >> 48) {
            return k.peer[rank] + (place & ((1ull << 48) - 1ull));
        }
    }
    return nullptr;
}

/* Makes the flags with which kernels of all ranks wait for each other. Returns
 * false if there are no windows. */
inline bool nccl_make_flags(transport *t) {
    nccl_wire *const w = (nccl_wire *)t->self;
    const size_t bytes = RESHARD_FLAGS * sizeof *w->flags;
    if (!w->flags) {
        w->flags = (unsigned *)nccl_get(t, bytes);
        if (w->flags) {
            cudaMemsetAsync(w->flags, 0, bytes, w->stream);
            nccl_agree(t, 0); /* before a peer writes there */
        }
    }
    return w->flags && nccl_place(w, w->flags, bytes);
}

} // namespace ll_kernels

#endif
