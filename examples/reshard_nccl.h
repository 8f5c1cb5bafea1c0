/* reshard_nccl.h - a plan of ll_reshard_of between GPUs by NCCL: the transport
 * of reshard_ranks.h, with the memory of GPUs, and kernels that pack.
 * SPDX-License-Identifier: MIT
 *
 * Everything happens on one stream. The host waits where ranks compare their
 * plans and at the end, for a stated time; then the communicator is aborted.
 */
#ifndef LL_EXAMPLE_RESHARD_NCCL_H
#define LL_EXAMPLE_RESHARD_NCCL_H

#include "reshard_ranks.h"
#include <chrono>
#include <nccl.h>
#include <thread>
#include <vector>

/* A transport's own part. A message to a peer waits for the next call, so that
 * the two of a pair are one group; to receive nothing, at null, lets it go. */
struct nccl_wire {
    ncclComm_t comm;
    cudaStream_t stream;
    unsigned long long *numbers; /* one for each rank, and its own */
    unsigned ms;                 /* how long a rank waits for the others */
    const void *data;
    size_t bytes;
    unsigned to;
};

/* Waits for the stream; aborts where that takes too long, or NCCL failed. */
inline int nccl_settles(nccl_wire *w) {
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

/* The message that waits, and one that comes, as one group. */
inline int nccl_exchanges(nccl_wire *w, unsigned from, void *to, size_t bytes) {
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

inline int nccl_agrees(transport *t, unsigned long long number) {
    nccl_wire *const w = (nccl_wire *)t->self;
    std::vector<unsigned long long> all(t->ranks);
    cudaMemcpyAsync(w->numbers + t->ranks, &number, sizeof number,
                    cudaMemcpyHostToDevice, w->stream);
    int err = ncclAllGather(w->numbers + t->ranks, w->numbers, 1, ncclUint64,
                            w->comm, w->stream)
                  ? RANKS_LOST
                  : nccl_settles(w);
    if (!err && cudaMemcpy(all.data(), w->numbers, 8 * t->ranks,
                           cudaMemcpyDeviceToHost)) {
        err = RANKS_LOST;
    }
    for (unsigned r = 0; r < t->ranks && !err; ++r) {
        err = all[r] == number ? RANKS_OK : RANKS_DISAGREE;
    }
    return err;
}

inline int nccl_sends(transport *t, unsigned to, const void *data,
                      size_t bytes) {
    nccl_wire *const w = (nccl_wire *)t->self;
    const int err = w->data ? nccl_exchanges(w, 0, nullptr, 0) : RANKS_OK;
    w->data = data;
    w->bytes = bytes;
    w->to = to;
    return err;
}

inline int nccl_receives(transport *t, unsigned from, void *data,
                         size_t bytes) {
    return nccl_exchanges((nccl_wire *)t->self, from, data, bytes);
}

inline int nccl_finishes(transport *t) {
    nccl_wire *const w = (nccl_wire *)t->self;
    const int err = w->data ? nccl_exchanges(w, 0, nullptr, 0) : RANKS_OK;
    return err ? err : nccl_settles(w);
}

inline transport nccl_transport(nccl_wire *w, unsigned rank, unsigned ranks) {
    return transport{w,          rank,          ranks,        nccl_agrees,
                     nccl_sends, nccl_receives, nccl_finishes};
}

/* Offsets base ^ (XOR of the columns of the set bits of a number). */
struct nccl_map {
    unsigned base, column[LL_MAX_BITS];
};

template <class T>
__global__ void nccl_copy(T *to, const nccl_map a, const T *from,
                          const nccl_map b, unsigned bits) {
    const size_t first = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (size_t m = first; m >> bits == 0;
         m += (size_t)gridDim.x * blockDim.x) {
        unsigned x = a.base, y = b.base;
        for (unsigned k = 0; k < bits; ++k) {
            x ^= m >> k & 1u ? a.column[k] : 0u;
            y ^= m >> k & 1u ? b.column[k] : 0u;
        }
        to[x] = from[y];
    }
}

/* Offsets of 2^bits elements of a map from element `first` on. */
inline nccl_map nccl_part(const unsigned *column, unsigned base, size_t first,
                          unsigned bits) {
    nccl_map a = {base, {0}};
    for (unsigned k = 0; k < LL_MAX_BITS; ++k) {
        a.column[k] = k < bits ? column ? column[k] : 1u << k : 0u;
        a.base ^= column && first >> k & 1u ? column[k] : 0u;
    }
    return a;
}

/* The same with pairs of elements as elements; false where they are none. */
inline bool nccl_pairs(nccl_map *a, unsigned bits) {
    unsigned low = a->base;
    for (unsigned k = 1; k < bits; ++k) {
        low |= a->column[k];
    }
    if (!bits || a->column[0] != 1u || low & 1u) {
        return false;
    }
    a->base >>= 1u;
    for (unsigned k = 0; k + 1u < LL_MAX_BITS; ++k) {
        a->column[k] = a->column[k + 1u] >> 1u;
    }
    return true;
}

/* Copies 2^bits elements of `size` bytes between maps, up to 16 bytes at a
 * time. */
inline void nccl_moves(void *to, nccl_map a, const void *from, nccl_map b,
                       unsigned bits, unsigned size, cudaStream_t s) {
    for (nccl_map x = a, y = b; size < 16u && nccl_pairs(&x, bits) &&
                                nccl_pairs(&y, bits);) {
        a = x, b = y;
        size *= 2u;
        --bits;
    }
    const unsigned blocks = bits < 8u ? 1u : bits > 20u ? 4096u
                                           : 1u << (bits - 8u);
    size == 1u   ? nccl_copy<<<blocks, 256, 0, s>>>((unsigned char *)to, a,
                                                    (const unsigned char *)from,
                                                    b, bits)
    : size == 2u ? nccl_copy<<<blocks, 256, 0, s>>>(
                       (unsigned short *)to, a, (const unsigned short *)from, b,
                       bits)
    : size == 4u ? nccl_copy<<<blocks, 256, 0, s>>>(
                       (unsigned *)to, a, (const unsigned *)from, b, bits)
    : size == 8u
        ? nccl_copy<<<blocks, 256, 0, s>>>((uint2 *)to, a, (const uint2 *)from,
                                           b, bits)
        : nccl_copy<<<blocks, 256, 0, s>>>((uint4 *)to, a, (const uint4 *)from,
                                           b, bits);
}

/* A chunk of what a rank receives, to all its places. `column`: where it lies
 * in `from`; null for a message. */
inline void nccl_unpacks(const ll_reshard *p, void *dst, unsigned target,
                         const void *from, const unsigned *column,
                         unsigned source, size_t first, cudaStream_t s) {
    for (unsigned copy = 0; copy < 1u << p->copies; ++copy) {
        unsigned at = target;
        for (unsigned k = 0; k < p->copies; ++k) {
            at ^= copy >> k & 1u ? p->copy[k] : 0u;
        }
        nccl_moves(dst, nccl_part(p->target.basis, at, first, p->chunk), from,
                   nccl_part(column, source, first, p->chunk), p->chunk,
                   p->bits / 8u, s);
    }
}

inline int nccl_round(transport *t, const ll_reshard *p, unsigned d,
                      const void *src, void *dst, void *staging,
                      cudaStream_t s) {
    const ll_message in = ll_reshard_message(*p, t->rank, d);
    const ll_message out = ll_reshard_message(*p, t->rank ^ d, d);
    const size_t n = (size_t)1 << p->chunk, bytes = n * (p->bits / 8u);
    char *const got = (char *)staging + bytes;
    int err = RANKS_OK;
    for (size_t at = 0; at < (size_t)1 << p->message && !err; at += n) {
        if (!d && in.exists) {
            nccl_unpacks(p, dst, in.target, src, p->source.basis, in.source, at,
                         s);
        }
        if (d && out.exists) {
            nccl_moves(staging, nccl_part(nullptr, 0, 0, p->chunk), src,
                       nccl_part(p->source.basis, out.source, at, p->chunk),
                       p->chunk, p->bits / 8u, s);
            err = t->send(t, t->rank ^ d, staging, bytes);
        }
        if (d && in.exists && !err) {
            err = t->receive(t, t->rank ^ d, got, bytes);
            nccl_unpacks(p, dst, in.target, got, nullptr, 0, at, s);
        } else if (d && out.exists && !err) {
            err = t->receive(t, t->rank ^ d, nullptr, 0); /* it only sends */
        }
    }
    return err;
}

/* Executes a plan without sums: from src to dst, by staging memory of two
 * chunks, all of it on the GPU. */
inline int nccl_reshard(transport *t, const ll_reshard *p, const void *src,
                        void *dst, void *staging, cudaStream_t stream) {
    const bool bad = p->err || p->sum || 1u << ll_total_(&p->mesh) != t->ranks;
    int err = t->agree(t, bad ? 0ull : ranks_number(p));
    err = bad ? RANKS_PLAN : err;
    const unsigned rounds = err ? 0u : ll_reshard_rounds(*p);
    for (unsigned k = 0; k < rounds && !err; ++k) {
        err = nccl_round(t, p, ll_reshard_round(*p, k), src, dst, staging,
                         stream);
    }
    return err ? err : t->finish(t);
}

#endif
