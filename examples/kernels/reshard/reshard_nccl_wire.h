/* reshard_nccl_wire.h - the transport of reshard_ranks.h for GPUs, by NCCL.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_EXAMPLE_RESHARD_NCCL_WIRE_H
#define LL_EXAMPLE_RESHARD_NCCL_WIRE_H

#include "reshard_kernels.h"
#include "reshard_ragged.h"
#include <chrono>
#include <nccl.h>
#include <thread>
#include <vector>

namespace ll_kernels {

/* Who allocated memory: the caller, by ncclMemAlloc, or nccl_get. */
enum { NCCL_CALLERS, NCCL_MEM_ALLOC, NCCL_CUDA_MALLOC };

/* Memory of reshard_nccl_memory.h.
 *   id      counts the calls of nccl_know and nccl_get; the same on all ranks
 *   handle  of ncclCommRegister, or null
 *   window  of ncclCommWindowRegister, or null
 *   peer    the address of each rank's memory, or null without a window */
struct nccl_known {
    char *base;
    size_t bytes;
    unsigned id, means;
    void *handle, *window;
    char *peer[RESHARD_RANKS];
};

/* The places of a rank's arrays in windows, or 0; see nccl_place. */
struct nccl_places {
    unsigned long long src, dst, staging;
};

/* The state of a transport. A message to a peer is kept until the next call, so
 * that a pair's send and receive are one group; receiving nothing, at null,
 * sends it. */
struct nccl_wire {
    ncclComm_t comm;
    cudaStream_t stream;
    unsigned long long *numbers; /* NCCL_NUMBERS of each rank, and its own */
    unsigned ms;                 /* how long a rank waits for the others */
    unsigned long long out;      /* bytes that nccl_reshard sent, counted on */
    const void *data;
    size_t bytes;
    unsigned to;
    /* for nccl_reshard: streams, and events that are recorded again and again;
     * sent, unpacked: of the two halves of the staging memory */
    cudaStream_t packs, unpacks, stays;
    cudaEvent_t begin, packed, arrived, end, sent[2], unpacked[2];
    /* for kernels that reach the windows of peers: memory that NCCL knows, this
     * rank's places and those of all at the last nccl_agree, the flags of
     * reshard.h, the last epoch, and the end of the last such kernel */
    std::vector<nccl_known> known;
    unsigned ids, epoch, *flags;
    nccl_places own, places[RESHARD_RANKS];
    cudaEvent_t moved;
    /* the plan that last used the staging memory of all ranks, or 0, and the
     * half that it used */
    unsigned long long staged;
    unsigned half;
};

/* What ranks tell each other: a number, and their places. */
enum { NCCL_NUMBERS = 4 };

/* Returns the events and streams of a wire, in their order of creation. */
inline std::vector<cudaEvent_t *> nccl_events(nccl_wire *w) {
    return {&w->begin,   &w->packed,      &w->arrived,
            &w->end,     &w->moved,       &w->sent[0],
            &w->sent[1], &w->unpacked[0], &w->unpacked[1]};
}
inline std::vector<cudaStream_t *> nccl_streams(nccl_wire *w) {
    return {&w->stream, &w->packs, &w->unpacks, &w->stays};
}

/* Creates the streams, events and buffers of a wire on the current GPU. */
inline cudaError_t nccl_open(nccl_wire *w, unsigned ranks) {
    int low = 0, high = 0, priority = 0;
    cudaError_t err = cudaDeviceGetStreamPriorityRange(&low, &high);
    priority = high;
    for (cudaStream_t *const s : nccl_streams(w)) {
        err = err ? err
                  : cudaStreamCreateWithPriority(s, cudaStreamNonBlocking,
                                                 priority);
        priority += priority < low;
    }
    for (cudaEvent_t *const e : nccl_events(w)) {
        err = err ? err : cudaEventCreateWithFlags(e, cudaEventDisableTiming);
    }
    return err ? err
               : cudaMalloc((void **)&w->numbers,
                            sizeof *w->numbers * NCCL_NUMBERS * (ranks + 1u));
}

/* Destroys them; nccl_close of reshard_nccl_memory.h first frees memory. */
inline void nccl_close_streams(nccl_wire *w) {
    for (cudaEvent_t *const e : nccl_events(w)) {
        cudaEventDestroy(*e);
    }
    for (cudaStream_t *const s : nccl_streams(w)) {
        cudaStreamDestroy(*s);
    }
    cudaFree(w->numbers);
    w->numbers = nullptr;
}

/* Waits for the stream. Aborts if that takes too long or NCCL failed. */
inline int nccl_settle(nccl_wire *w) {
    const auto end =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(w->ms);
    for (;;) {
        ncclResult_t failed = ncclSuccess;
        const cudaError_t state = cudaStreamQuery(w->stream);
        if (state == cudaSuccess) {
            return RANKS_OK;
        }
        ncclCommGetAsyncError(w->comm, &failed);
        if (state != cudaErrorNotReady || failed != ncclSuccess ||
            std::chrono::steady_clock::now() > end) {
            ncclCommAbort(w->comm);
            w->comm = nullptr;
            return RANKS_LOST;
        }
        std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
}

/* Did a kernel give up waiting for a peer? Then the ranks are lost. */
inline int nccl_late(nccl_wire *w) {
    unsigned late = 0;
    if (w->flags && cudaMemcpy(&late, w->flags + RESHARD_LATE, sizeof late,
                               cudaMemcpyDeviceToHost)) {
        late = 1;
    }
    if (late && w->comm) {
        ncclCommAbort(w->comm);
        w->comm = nullptr;
    }
    return late ? RANKS_LOST : RANKS_OK;
}

/* Sends the kept message and receives one, as one group. */
inline int nccl_send_receive(nccl_wire *w, unsigned from, void *to,
                             size_t bytes) {
    ncclResult_t err = w->comm ? ncclGroupStart() : ncclInvalidUsage;
    if (!err && w->data) {
        err = ncclSend(w->data, w->bytes, ncclUint8, (int)w->to, w->comm,
                       w->stream);
    }
    if (!err && to) {
        err = ncclRecv(to, bytes, ncclUint8, (int)from, w->comm, w->stream);
    }
    w->data = nullptr;
    err = err ? err : ncclGroupEnd();
    return err ? RANKS_LOST : RANKS_OK;
}

/* Compares a number, and fetches the places of all ranks. */
inline int nccl_agree(transport *t, unsigned long long number) {
    nccl_wire *const w = (nccl_wire *)t->self;
    const unsigned long long own[NCCL_NUMBERS] = {number, w->own.src,
                                                  w->own.dst, w->own.staging};
    std::vector<unsigned long long> all(NCCL_NUMBERS * t->ranks);
    unsigned long long *const at = w->numbers + NCCL_NUMBERS * t->ranks;
    int err = w->comm ? RANKS_OK : RANKS_LOST;
    if (!err) {
        cudaMemcpyAsync(at, own, sizeof own, cudaMemcpyHostToDevice, w->stream);
        err = ncclAllGather(at, w->numbers, NCCL_NUMBERS, ncclUint64, w->comm,
                            w->stream)
                  ? RANKS_LOST
                  : nccl_settle(w);
    }
    if (!err && cudaMemcpy(all.data(), w->numbers, 8 * all.size(),
                           cudaMemcpyDeviceToHost)) {
        err = RANKS_LOST;
    }
    for (unsigned r = 0; r < t->ranks && !err; ++r) {
        err = all[NCCL_NUMBERS * r] == number ? RANKS_OK : RANKS_DISAGREE;
        w->places[r] = {all[NCCL_NUMBERS * r + 1], all[NCCL_NUMBERS * r + 2],
                        all[NCCL_NUMBERS * r + 3]};
    }
    return err;
}

/* A barrier between the streams of all ranks. */
inline int nccl_barrier(nccl_wire *w, unsigned ranks) {
    return !w->comm ||
                   ncclAllGather(w->numbers + NCCL_NUMBERS * ranks, w->numbers,
                                 1, ncclUint64, w->comm, w->stream)
               ? RANKS_LOST
               : RANKS_OK;
}

inline int nccl_send(transport *t, unsigned to, const void *data,
                     size_t bytes) {
    nccl_wire *const w = (nccl_wire *)t->self;
    const int err = w->data ? nccl_send_receive(w, 0, nullptr, 0) : RANKS_OK;
    w->data = data;
    w->bytes = bytes;
    w->to = to;
    return err;
}

inline int nccl_receive(transport *t, unsigned from, void *data, size_t bytes) {
    return nccl_send_receive((nccl_wire *)t->self, from, data, bytes);
}

inline int nccl_finish(transport *t) {
    nccl_wire *const w = (nccl_wire *)t->self;
    int err = w->data ? nccl_send_receive(w, 0, nullptr, 0) : RANKS_OK;
    err = err ? err : nccl_settle(w);
    return err ? err : nccl_late(w);
}

inline transport nccl_transport(nccl_wire *w, unsigned rank, unsigned ranks) {
    return transport{w,         rank,         ranks,      nccl_agree,
                     nccl_send, nccl_receive, nccl_finish};
}

} // namespace ll_kernels

#endif
