/* reshard_engine.h - executes plans whose messages are rows of a matrix with
 * the copy engines between the GPUs of a host.
 * SPDX-License-Identifier: MIT
 *
 * If a message has the same rows of bytes in both memories, it needs no
 * permutation, and a copy engine moves it faster than a kernel. Data that stays
 * on its rank is copied on a second stream. Two small kernels synchronise the
 * ranks, as the kernels of reshard.h do at their beginning and end. */
#ifndef LL_EXAMPLE_RESHARD_ENGINE_H
#define LL_EXAMPLE_RESHARD_ENGINE_H

#include "reshard.h"

namespace ll_kernels {

/* The rows of a message: width in bytes, number, and pitches before and after.
 * `good`: a copy engine can move them. */
struct reshard_rows {
    bool good;
    size_t width, height, from, to;
};

/* Returns the rows of a plan's messages; not good if they are shorter than 1
 * KiB. */
inline reshard_rows reshard_rows_of(const ll_reshard &p) {
    const size_t size = p.bits / 8u;
    const unsigned run = p.run, more = p.message - run;
    const unsigned from = more ? p.source.basis[run] : 1u << run;
    const unsigned to = more ? p.target.basis[run] : 1u << run;
    unsigned near = 0, far = 0, others[2] = {0, 0};
    bool good = !p.err && !p.sum && !p.copies && size << run >= 1024u;
    for (unsigned k = 0; k <= ll_shape_bits_(&p.source.in); ++k) {
        const bool last = k == ll_shape_bits_(&p.source.in);
        const unsigned s = last ? p.source.offset : p.source.basis[k];
        const unsigned t = last ? p.target.offset : p.target.basis[k];
        if (k < p.message) {
            good = good && (k < run || (s == from << (k - run) &&
                                        t == to << (k - run)));
            far |= s, near |= t;
        } else {
            others[0] |= s & ll_ones_(p.source.out.bits[0]);
            others[1] |= t & ll_ones_(p.target.out.bits[0]);
        }
    }
    good = good && !(far & others[0]) && !(near & others[1]);
    return {good, size << run, (size_t)1 << more, from * size, to * size};
}

/* A second stream, and the events at its beginning and end. */
struct reshard_side_stream {
    cudaStream_t stream;
    cudaEvent_t begin, end;
};

inline cudaError_t open_side_stream(reshard_side_stream *b) {
    const unsigned how = cudaEventDisableTiming;
    cudaError_t err =
        cudaStreamCreateWithFlags(&b->stream, cudaStreamNonBlocking);
    err = err ? err : cudaEventCreateWithFlags(&b->begin, how);
    return err ? err : cudaEventCreateWithFlags(&b->end, how);
}

/* Signals that this rank is ready (first = 0) or done, and waits for the peers.
 */
__global__ void meet_peers(const __grid_constant__ reshard_move m,
                           unsigned first) {
    signal_peers(m, first);
    if (!first || m.wait) {
        wait_for_peers(m, first);
    }
}

/* Copies the elements of a message. */
inline cudaError_t copy_message(const ll_reshard &p, const reshard_rows &r,
                                const ll_message &x, unsigned char *dst,
                                const unsigned char *src, cudaStream_t s) {
    const size_t size = p.bits / 8u;
    return x.exists ? cudaMemcpy2DAsync(dst + x.target * size, r.to,
                                        src + x.source * size, r.from, r.width,
                                        r.height, cudaMemcpyDefault, s)
                    : cudaSuccess;
}

/* Executes a plan with good rows on a rank, which writes to its peers.
 *   src  memory of this rank
 *   dst  memories of all ranks
 *   m    flags, rank and epoch */
inline cudaError_t
reshard_by_copy_engine(const ll_reshard &p, const reshard_move &m,
                       const unsigned char *src, unsigned char *const *dst,
                       const reshard_side_stream &b, cudaStream_t s) {
    const reshard_rows r = reshard_rows_of(p);
    meet_peers<<<1, 32, 0, s>>>(m, 0);
    cudaError_t err = cudaEventRecord(b.begin, s);
    err = err ? err : cudaStreamWaitEvent(b.stream, b.begin, 0);
    err = err ? err
              : copy_message(p, r, ll_reshard_message(p, m.rank, 0),
                             dst[m.rank], src, b.stream);
    err = err ? err : cudaEventRecord(b.end, b.stream);
    for (unsigned k = 0; k < ll_reshard_rounds(p) && !err; ++k) {
        const unsigned d = ll_reshard_round(p, k), to = m.rank ^ d;
        if (d) {
            err = copy_message(p, r, ll_reshard_message(p, to, d), dst[to], src,
                               s);
        }
    }
    err = err ? err : cudaStreamWaitEvent(s, b.end, 0);
    meet_peers<<<1, 32, 0, s>>>(m, RESHARD_RANKS);
    return err ? err : cudaGetLastError();
}

} // namespace ll_kernels

#endif
