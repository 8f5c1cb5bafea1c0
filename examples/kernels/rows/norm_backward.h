/* norm_backward.h - how the gradients of norms go over rows twice, what they
 * combine along them, and how the sums of all blocks are added down columns.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_NORM_BACKWARD_H
#define LL_NORM_BACKWARD_H

#include "norm.h"

namespace ll_kernels {

struct plus {
    __device__ float2 operator()(float2 p, float2 q) const {
        return make_float2(p.x + q.x, p.y + q.y);
    }
};

/* Prefetched rows start at a multiple of 128 bytes: copies to other places are
 * slower. */
LL_FN unsigned to_line(unsigned bytes) { return (bytes + 127) / 128 * 128; }

/* Returns about how many blocks run on a multiprocessor, by registers per lane.
 * */
LL_FN unsigned blocks_held(unsigned registers, unsigned warps) {
    const unsigned all = warps * registers, blocks = (2048 + all / 2) / all;
    return blocks ? blocks : 1;
}

/* Of as many numbers x each, with weights w: the mean of x, the mean of
 * (x - mean)^2, the sum of w, and that of w * (x - mean). Exact where the mean
 * is large, and the same bits for (p, q) and (q, p). */
struct alignas(16) weighted {
    float mean, square, sum, product;
};
struct merged {
    __device__ weighted operator()(weighted p, weighted q) const {
        const float d = 0.5f * (q.mean - p.mean);
        return {0.5f * (p.mean + q.mean),
                fmaf(d, d, 0.5f * (p.square + q.square)), p.sum + q.sum,
                fmaf(d, q.sum - p.sum, p.product + q.product)};
    }
};

/* The same of a lane: of `each` numbers, the sums of x - pivot, of its square,
 * of w and of w * (x - pivot) are in two parts; its mean is less `shift`. */
__device__ inline weighted of_lane(weighted p, weighted q, unsigned each,
                                   float pivot, float shift) {
    const float one = 1 / (float)each, mean = (p.mean + q.mean) * one;
    const float sum = p.sum + q.sum;
    return {mean + (pivot - shift),
            fmaf(-mean, mean, (p.square + q.square) * one), sum,
            fmaf(-mean, sum, p.product + q.product)};
}

/* Goes over rows that are copied ahead, and reads each of them twice:
 * first(row) makes a value of a row, op one of those of all lanes, warps and
 * blocks, and second(row, that) writes the row, before it fetches another one.
 * A row is written when the value of the next one is on its way. */
template <class TEAM, class ROWS, class OP, class FIRST, class SECOND>
__device__ void each_row(TEAM &team, ROWS &here, OP op, FIRST first,
                         SECOND second) {
    static_assert(ROWS::ahead > 1, "two rows are in work at a time");
    typedef decltype(first(here)) value;
    ROWS last = here;
    value ours = {}, last_ours = {};
    for (unsigned turn = 0;; ++turn) {
        const bool more = here.coming[0] < here.rows;
        if (more) {
            ours = team.begin(first(here), turn, op, here);
        }
        if (turn) {
            const value all = team.finish(last_ours, turn - 1, op, last);
            here.coming[ROWS::ahead - 1] = last.coming[ROWS::ahead];
            second(last, all);
        }
        if (!more) {
            break;
        }
        last = here, last_ours = ours;
        here.next();
    }
    here.finish();
}

/* Sums the parts of all clusters to the gradients of gain and bias. A block has
 * WIDE columns; its lanes and warps share the rows. */
template <class ELEMENT, unsigned WIDE, unsigned WARPS, class SUM>
__global__ void __launch_bounds__(32 * WARPS)
    add_sums(ELEMENT *dgain, ELEMENT *dbias, const SUM *sums, unsigned parts,
             unsigned n) {
    constexpr unsigned tall = 32 / WIDE;
    LL_LAYOUT(COLUMNS, ll_mul(ll_mul(ll_identity(WIDE, LL_LANE, LL_J),
                                     ll_identity(tall, LL_LANE, LL_I)),
                              ll_identity(WARPS, LL_WARP, LL_I)));
    LL_REDUCE_PLAN(DOWN, COLUMNS, LL_I, 64, LL_SM90);
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(DOWN)];
    const unsigned j = blockIdx.x * WIDE + LL_AT(COLUMNS, LL_J, 0);
    float2 own[1] = {{0, 0}}, all[1];
    ll_ptx_griddepcontrol_wait();
#pragma unroll 4
    for (unsigned i = LL_AT(COLUMNS, LL_I, 0); i < parts && j < n;
         i += tall * WARPS) {
        const SUM x = sums[(size_t)i * n + j];
        if constexpr (sizeof x == sizeof *own) {
            own->x += x.x, own->y += x.y;
        } else {
            own->x += x;
        }
    }
    LL_REDUCE(all, own, DOWN, smem, plus());
    if (threadIdx.x < WIDE && j < n) {
        dgain[j] = (ELEMENT)all->x;
        dbias ? (void)(dbias[j] = (ELEMENT)all->y) : (void)0;
    }
}

/* Launches it after the kernel of CLUSTER_BLOCKS a row that makes the sums. */
template <unsigned CLUSTER_BLOCKS, class ELEMENT, class SUM>
const char *add_parts(ELEMENT *dgain, ELEMENT *dbias, const SUM *sums,
                      unsigned parts, unsigned n) {
    constexpr unsigned wide =
        CLUSTER_BLOCKS > 1 ? 32 : 8; /* few parts, or many */
    constexpr unsigned warps = CLUSTER_BLOCKS > 1 ? 8 : 32;
    return launch_early(add_sums<ELEMENT, wide, warps, SUM>,
                        (n + wide - 1) / wide, 32 * warps, dgain, dbias, sums,
                        parts, n);
}

/* Null, or that a matrix, or gain, starts at no multiple of 16 bytes. */
static inline const char *misplaced_any(const void *dx, const void *dout,
                                        const void *x, const void *gain) {
    const char *const bad = misplaced(dx, dout, x);
    return bad ? bad : unaligned(gain, nullptr);
}

/* Returns the largest number of parts for rows of n elements. */
static inline unsigned most_parts(unsigned n) {
    return n > 8192 ? 264 : n > 2048 ? 1056 : 4224;
}

} // namespace ll_kernels

#endif
