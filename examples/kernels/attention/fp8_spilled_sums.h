/* fp8_spilled_sums.h - spills accumulators of e4m3 products to bf16
 * SPDX-License-Identifier: MIT
 *
 * Tensor cores add e4m3 products with about 13 bits and round towards 0: of
 * 16,384 values of one sign they lose 32 %. So every few tiles the accumulators
 * are added to bf16 sums in shared memory, where O will be. What bf16 cannot
 * hold stays in the registers, so a spill loses nothing.
 *
 * Twice the accumulators are spilled, so that minus the accumulators stay: they
 * start below 0, end as far above it, and are half as large in the mean as if
 * they started at 0.
 */
#ifndef LL_FP8_SPILLED_SUMS_H
#define LL_FP8_SPILLED_SUMS_H

#include "softmax_tile.h"
#include "warpgroups.h"

namespace ll_kernels {

/* TILES::AT_O and BYTES_O say where O will be. */
template <class TILES> struct spilled_sums {
    enum : unsigned {
        PARTS = TILES::PARTS,
        FIRST = 9 * 128 / TILES::KEYS, /* tiles before the first spill */
        BETWEEN = 2 * FIRST            /* tiles between two spills */
    };

    /* Returns whether a worker has spilled before tile `tile`. */
    LL_DEVICE bool has_spilled(const tile_job &t, int tile) {
        return t.high - 1 - (int)FIRST > tile;
    }

    /* Returns where this lane's sums are: it has each 128th vector. */
    LL_DEVICE uint4 *place_of(unsigned worker) {
        extern __shared__ __align__(1024) unsigned char memory[];
        return (uint4 *)(memory + TILES::AT_O + worker * TILES::BYTES_O) +
               threadIdx.x % 128;
    }

    /* Sets `all` to 8 accumulators plus, if there are any, the spilled sums. */
    LL_DEVICE void add_spilled(float (&all)[8], const float *sums,
                               const uint4 *from, const float (&by)[2],
                               bool any) {
        const uint4 vector = any ? *from : make_uint4(0, 0, 0, 0);
        const unsigned words[4] = {vector.x, vector.y, vector.z, vector.w};
        LL_CAST(all, words, ll_f32, ll_bf16);
        LL_UNROLL
        for (unsigned r = 0; r < 8; ++r) {
            all[r] = fmaf(all[r], by[register_row(r)], sums[r]);
        }
    }

    /* Before the first spill: waits until TMA has read the last O. */
    LL_DEVICE void wait_for_room() {
        LL_IN(WARPGROUP);
        if constexpr (TILES::PERSISTENT) {
            if (threadIdx.x % 128 == 0) {
                ll_ptx_cp_async_bulk_wait_group_read<0>();
            }
            LL_SYNC();
        }
    }

    /* Spills the accumulators.
     *   by   scale of earlier spilled sums, for each of the lane's rows; set to
     *        1
     *   any  are there spilled sums? */
    template <unsigned N>
    LL_DEVICE void spill(float (&sums)[PARTS][N], float (&by)[2],
                         unsigned worker, bool any) {
        uint4 *to = place_of(worker);
        if (!any) {
            wait_for_room();
        }
        LL_UNROLL
        for (unsigned x = 0; x < PARTS * (N / 8); ++x) {
            float *some = sums[x / (N / 8)] + x % (N / 8) * 8, all[8], twice[8];
            unsigned words[4];
            add_spilled(all, some, to + 128 * x, by, any);
            for (unsigned r = 0; r < 8; ++r) {
                twice[r] = all[r] + some[r];
            }
            LL_CAST(words, twice, ll_bf16, ll_f32);
            to[128 * x] = {words[0], words[1], words[2], words[3]};
            LL_CAST(twice, words, ll_f32, ll_bf16);
            for (unsigned r = 0; r < 8; ++r) {
                some[r] = all[r] - twice[r];
            }
        }
        by[0] = by[1] = 1;
    }

    /* Adds the spilled sums to the accumulators. O takes their place. */
    template <unsigned N>
    LL_DEVICE void take_back(float (&sums)[PARTS][N], const float (&by)[2],
                             unsigned worker) {
        LL_IN(WARPGROUP);
        LL_UNROLL
        for (unsigned x = 0; x < PARTS * (N / 8); ++x) {
            float *some = sums[x / (N / 8)] + x % (N / 8) * 8, all[8];
            add_spilled(all, some, place_of(worker) + 128 * x, by, true);
            for (unsigned r = 0; r < 8; ++r) {
                some[r] = all[r];
            }
        }
        LL_SYNC();
    }
};

} // namespace ll_kernels

#endif
