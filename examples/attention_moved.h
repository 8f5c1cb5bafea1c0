/* attention_moved.h - the sums of earlier tiles of attention_fp8.cu.
 * SPDX-License-Identifier: MIT
 *
 * Tensor cores keep about 13 bits of a sum of e4m3, and of each product that is
 * added: of 16,384 values of one sign they lose 32 %. So every few tiles the
 * sums move to bf16 in shared memory, where O will be. What bf16 does not hold
 * stays in the registers: nothing is lost.
 *
 * Twice the sums move, so that what stays is minus the sums: they start below 0
 * and end above it, and are half as large as if they started at 0.
 */
#ifndef LL_ATTENTION_MOVED_H
#define LL_ATTENTION_MOVED_H

enum : unsigned {
    FIRST = 9 * 128 / KEYS, /* tiles before sums move, which are half as many */
    TOGETHER = 2 * FIRST    /* as between two moves */
};

/* By what moved sums of a lane's two rows are still to be multiplied, and whether
 * there are any. */
struct moved_sums {
    float by[2];
    bool any;
};

/* Where they are: a lane has each 128th vector. */
LL_DEVICE uint4 *moved_of(unsigned worker) {
    extern __shared__ __align__(1024) unsigned char memory[];
    return (uint4 *)(memory + AT_O + worker * BYTES_O) + threadIdx.x % 128;
}

/* 8 sums, and a vector of moved ones if there are any. */
LL_DEVICE void add_moved(float (&all)[8], const float *sums, const uint4 *from,
                         const moved_sums &m) {
    const uint4 vector = m.any ? *from : make_uint4(0, 0, 0, 0);
    const unsigned words[4] = {vector.x, vector.y, vector.z, vector.w};
    LL_CAST(all, words, ll_f32, ll_bf16);
    LL_UNROLL
    for (unsigned r = 0; r < 8; ++r) {
        all[r] = fmaf(all[r], m.by[row_of(r)], sums[r]);
    }
}

/* Sums move. */
template <unsigned N>
LL_DEVICE void move_sums(float (&sums)[PARTS][N], moved_sums &m, unsigned worker) {
    LL_IN(WORKER);
    uint4 *to = moved_of(worker);
#if STAYS /* until the last O has been read */
    if (!m.any) {
        if (threadIdx.x % 128 == 0) {
            ll_ptx_cp_async_bulk_wait_group_read<0>();
        }
        LL_SYNC();
    }
#endif
    LL_UNROLL
    for (unsigned x = 0; x < PARTS * (N / 8); ++x) {
        float *some = sums[x / (N / 8)] + x % (N / 8) * 8, all[8], twice[8];
        unsigned words[4];
        add_moved(all, some, to + 128 * x, m);
        for (unsigned r = 0; r < 8; ++r) { twice[r] = all[r] + some[r]; }
        LL_CAST(words, twice, ll_bf16, ll_f32);
        to[128 * x] = {words[0], words[1], words[2], words[3]};
        LL_CAST(twice, words, ll_f32, ll_bf16);
        for (unsigned r = 0; r < 8; ++r) { some[r] = all[r] - twice[r]; }
    }
    m = {{1, 1}, true};
}

/* The moved sums are added; O takes their place. */
template <unsigned N>
LL_DEVICE void take_moved(float (&sums)[PARTS][N], const moved_sums &m,
                          unsigned worker) {
    LL_IN(WORKER);
    if (m.any) {
        LL_UNROLL
        for (unsigned x = 0; x < PARTS * (N / 8); ++x) {
            float *some = sums[x / (N / 8)] + x % (N / 8) * 8, all[8];
            add_moved(all, some, moved_of(worker) + 128 * x, m);
            for (unsigned r = 0; r < 8; ++r) { some[r] = all[r]; }
        }
        LL_SYNC();
    }
}

/* They are multiplied by `factor` of their row. */
LL_DEVICE void scale_moved(moved_sums &m, const float (&factor)[2]) {
    m.by[0] *= factor[0];
    m.by[1] *= factor[1];
}

#endif
