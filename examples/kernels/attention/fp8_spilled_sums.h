/* fp8_spilled_sums.h - spills the accumulators of attention_fp8.cu to bf16.
 * SPDX-License-Identifier: MIT
 *
 * Tensor cores add e4m3 products with about 13 bits and round towards 0: of
 * 16,384 values of one sign they lose 32 %. So every few tiles the accumulators
 * are added to bf16 sums in shared memory, where O will be. What bf16 cannot
 * hold stays in the registers, so a spill loses nothing.
 *
 * Twice the sums move, so that minus the sums stay: they start below 0, end as
 * far above it, and are half as large in the mean as if they started at 0.
 */
#ifndef LL_FP8_SPILLED_SUMS_H
#define LL_FP8_SPILLED_SUMS_H

enum : unsigned {
    FIRST = 9 * 128 / KEYS, /* tiles that tensor cores add up from 0 */
    TOGETHER = 2 * FIRST    /* tiles between two moves */
};

/* Whether sums have moved before those of a worker's tile `tile`. */
LL_DEVICE bool has_moved(const tile_job &t, int tile) {
    return t.high - 1 - (int)FIRST > tile;
}

/* Where they are: a lane has each 128th vector. */
LL_DEVICE uint4 *moved_of(unsigned worker) {
    extern __shared__ __align__(1024) unsigned char memory[];
    return (uint4 *)(memory + AT_O + worker * BYTES_O) + threadIdx.x % 128;
}

/* `all` is 8 sums and, if there are any, the moved ones `by` a factor. */
LL_DEVICE void add_moved(float (&all)[8], const float *sums, const uint4 *from,
                         const float (&by)[2], bool any) {
    const uint4 vector = any ? *from : make_uint4(0, 0, 0, 0);
    const unsigned words[4] = {vector.x, vector.y, vector.z, vector.w};
    LL_CAST(all, words, ll_f32, ll_bf16);
    LL_UNROLL
    for (unsigned r = 0; r < 8; ++r) {
        all[r] = fmaf(all[r], by[row_of(r)], sums[r]);
    }
}

/* Before the first sums move: waits until the last O has been read. */
LL_DEVICE void await_room() {
    LL_IN(WORKER);
#if STAYS
    if (threadIdx.x % 128 == 0) {
        ll_ptx_cp_async_bulk_wait_group_read<0>();
    }
    LL_SYNC();
#endif
}

/* Sums move. Moved ones of a lane's two rows are multiplied `by` a factor. */
template <unsigned N>
LL_DEVICE void move_sums(float (&sums)[PARTS][N], float (&by)[2],
                         unsigned worker, bool any) {
    uint4 *to = moved_of(worker);
    if (!any) {
        await_room();
    }
    LL_UNROLL
    for (unsigned x = 0; x < PARTS * (N / 8); ++x) {
        float *some = sums[x / (N / 8)] + x % (N / 8) * 8, all[8], twice[8];
        unsigned words[4];
        add_moved(all, some, to + 128 * x, by, any);
        for (unsigned r = 0; r < 8; ++r) { twice[r] = all[r] + some[r]; }
        LL_CAST(words, twice, ll_bf16, ll_f32);
        to[128 * x] = {words[0], words[1], words[2], words[3]};
        LL_CAST(twice, words, ll_f32, ll_bf16);
        for (unsigned r = 0; r < 8; ++r) { some[r] = all[r] - twice[r]; }
    }
    by[0] = by[1] = 1;
}

/* Moved sums come back; O takes their place. */
template <unsigned N>
LL_DEVICE void take_moved(float (&sums)[PARTS][N], const float (&by)[2],
                          unsigned worker) {
    LL_IN(WORKER);
    LL_UNROLL
    for (unsigned x = 0; x < PARTS * (N / 8); ++x) {
        float *some = sums[x / (N / 8)] + x % (N / 8) * 8, all[8];
        add_moved(all, some, moved_of(worker) + 128 * x, by, true);
        for (unsigned r = 0; r < 8; ++r) { some[r] = all[r]; }
    }
    LL_SYNC();
}

#endif
