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

/* The state of a transport. A message to a peer is kept until the next call, so
 * that a pair's send and receive are one group; receiving nothing, at null,
 * sends it. */
struct nccl_wire {
    ncclComm_t comm;
    cudaStream_t stream;
    unsigned long long *numbers; /* one for each rank, and its own */
    unsigned ms;                 /* how long a rank waits for the others */
    unsigned long long out;      /* bytes that nccl_reshard sent, counted on */
    const void *data;
    size_t bytes;
    unsigned to;
    /* for nccl_reshard: streams, and events that are recorded again and again;
     * sent, unpacked: of the two halves of the staging memory */
    cudaStream_t packs, unpacks, stays;
    cudaEvent_t begin, packed, arrived, end, sent[2], unpacked[2];
};

/* Creates the streams, events and buffers of a wire on the current GPU. */
inline cudaError_t nccl_open(nccl_wire *w, unsigned ranks) {
    int low = 0, high = 0;
    cudaEvent_t *const events[] = {&w->begin,       &w->packed,  &w->arrived,
                                   &w->end,         &w->sent[0], &w->sent[1],
                                   &w->unpacked[0], &w->unpacked[1]};
    cudaError_t err = cudaDeviceGetStreamPriorityRange(&low, &high);
    cudaStream_t *const streams[] = {&w->stream, &w->packs, &w->unpacks,
                                     &w->stays};
    for (int k = 0; k < 4 && !err; ++k) {
        const int priority = high + k < low ? high + k : low;
        err = cudaStreamCreateWithPriority(streams[k], cudaStreamNonBlocking,
                                           priority);
    }
    for (cudaEvent_t *const e : events) {
        err = err ? err : cudaEventCreateWithFlags(e, cudaEventDisableTiming);
    }
    return err ? err : cudaMalloc((void **)&w->numbers, 8 * (ranks + 1u));
}

/* Waits for the stream. Aborts if that takes too long or NCCL failed. */
inline int nccl_settle(nccl_wire *w) {
    const auto end = std::chrono::steady_clock::now() +
                     std::chrono::milliseconds(w->ms);
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

inline int nccl_agree(transport *t, unsigned long long number) {
    nccl_wire *const w = (nccl_wire *)t->self;
    std::vector<unsigned long long> all(t->ranks);
    cudaMemcpyAsync(w->numbers + t->ranks, &number, sizeof number,
                    cudaMemcpyHostToDevice, w->stream);
    int err = ncclAllGather(w->numbers + t->ranks, w->numbers, 1, ncclUint64,
                            w->comm, w->stream)
                  ? RANKS_LOST
                  : nccl_settle(w);
    if (!err && cudaMemcpy(all.data(), w->numbers, 8 * t->ranks,
                           cudaMemcpyDeviceToHost)) {
        err = RANKS_LOST;
    }
    for (unsigned r = 0; r < t->ranks && !err; ++r) {
        err = all[r] == number ? RANKS_OK : RANKS_DISAGREE;
    }
    return err;
}

/* A barrier between the streams of all ranks. */
inline int nccl_barrier(nccl_wire *w, unsigned ranks) {
    return !w->comm || ncclAllGather(w->numbers + ranks, w->numbers, 1,
                                     ncclUint64, w->comm, w->stream)
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
    const int err = w->data ? nccl_send_receive(w, 0, nullptr, 0) : RANKS_OK;
    return err ? err : nccl_settle(w);
}

inline transport nccl_transport(nccl_wire *w, unsigned rank, unsigned ranks) {
    return transport{w,         rank,         ranks,      nccl_agree,
                     nccl_send, nccl_receive, nccl_finish};
}

} // namespace ll_kernels

#endif
