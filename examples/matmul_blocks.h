/* matmul_blocks.h - how are sums of products scaled while others are computed?
 * SPDX-License-Identifier: MIT
 *
 * In matmul_scaled.cu, where each 128 of k have scales of their own. The scales
 * of A come to shared memory with the stages of A and B, by a second thread
 * that copies. The columns of a warpgroup have one scale of B at a time.
 *
 * A tile's rows are two halves. The tensor cores start both; the products of
 * the first are added to the sums, times their scales, while the second is
 * multiplied. Two warpgroups keep the tensor cores busy at the end of a stage.
 */
#ifndef LL_MATMUL_BLOCKS_H
#define LL_MATMUL_BLOCKS_H

/* ROW_SCALES from shared memory, where scales of rows lie side by side. */
LL_PLAN_THROUGH(BLOCK_SCALES, ROW_SCALES, ROW_SCALES, 32, LL_SM90,
                ll_row_major(ll_shape_of("i=1 j=16")));
LL_EXPECT_NO_CONFLICTS(BLOCK_SCALES);

/* A form whose stages have scales of A as well. */
/* clang-format off */
template <unsigned ROWS_> struct blocks : form<2, ROWS_> {
    typedef form<2, ROWS_> F;
    enum : unsigned {
        ROWS = ROWS_, PART = ROWS < 64 ? ROWS : 64, BYTES_C = 128 * PART,
        SCALES = (4 * ROWS + 127) / 128 * 128, STAGE = F::STAGE,
        FIT = (227 * 1024 - 192 - 2 * BYTES_C) / (STAGE + SCALES),
        STAGES = FIT < 12 ? FIT : 12,
        AT_C = STAGES * STAGE, AT_SCALES = AT_C + 2 * BYTES_C,
        FULL = AT_SCALES + STAGES * SCALES,
        EMPTY = FULL + 8 * STAGES, SMEM = EMPTY + 8 * STAGES
    };
    static_assert(2 * F::BYTES_SUMS <= AT_C && STAGES > 2, "");
};
/* clang-format on */

/* One thread: starts the copies of the scales of A of all stages. */
template <class T>
static __device__ void load_scales(place<T> &p, const CUtensorMap *map,
                                   const tiles<T> &t) {
    for (unsigned s = t.begin; s < t.begin + t.steps; ++s) {
        ll_ptx_mbarrier_wait(p.empty(), p.parity);
        ll_ptx_mbarrier_arrive_expect_tx(p.full(), 4 * T::ROWS);
        ll_ptx_cp_async_bulk_tensor_load_3d(
            p.smem + T::AT_SCALES + T::SCALES * p.stage, map, p.full(), 0,
            (int)(t.row / 4), (int)s);
        p.next();
    }
}

template <class T>
static __device__ void produce_scales(unsigned smem, const CUtensorMap *map,
                                      const problem &of, tiles<T> t) {
    place<T> p = {smem, 0, 1}; /* the ring is empty */
    for (unsigned x = t.first; x < t.whole; x += t.by) {
        t.find(x);
        load_scales(p, map, t);
    }
    if (t.is_shared) {
        t.find_shared(of);
        load_scales(p, map, t);
    }
}

/* What a lane needs of the scales of some rows of a block of k. */
template <unsigned ROWS> struct of_block {
    float s[ROWS / 16][LL_REGS(ROW_SCALES)];
    __device__ void load(unsigned char *of_rows, float of_cols) {
        LL_IN(WORKER);
        LL_UNROLL
        for (unsigned j = 0; j < ROWS / 16; ++j) {
            LL_LOAD_SHARED(s[j], BLOCK_SCALES, of_rows + 64 * j);
            LL_EACH(r, ROW_SCALES) { s[j][r] *= of_cols; }
        }
    }
    /* Adds the products of the block. */
    __device__ void add(float *sum, const float *part) const {
        LL_IN(WORKER);
        LL_UNROLL
        for (unsigned j = 0; j < ROWS / 16; ++j) {
            float x[LL_REGS(SUMS)];
            LL_CONVERT(x, s[j], EACH_ROW, 0);
            LL_EACH(r, SUMS) { sum[8 * j + r] += x[r] * part[8 * j + r]; }
        }
    }
};

/* Starts the products of a block of k for a half of a tile's rows. */
template <class T>
static __device__ void start(float *part, const place<T> &p, unsigned worker,
                             unsigned half) {
    const unsigned long long a =
        DESC + ((p.a() + half * T::ROWS / 2 * 128) >> 4);
    const unsigned long long b = DESC + ((p.b() + worker * NEXT_ROWS) >> 4);
    ll_ptx_wgmma_fence();
    LL_UNROLL
    for (unsigned s = 0; s < DEPTH / SLICE; ++s) {
        wgmma<T::ROWS / 2>(part, b + (s * NEXT_K >> 4), a + (s * NEXT_K >> 4),
                           s);
    }
    ll_ptx_wgmma_commit_group();
}

/* The sums of a tile: one half of it is added while the other is multiplied.
 * `of_cols` are the scales of B for its columns. That a stage was read is told
 * by each warp for the scales, and for the rest as in matmul_hopper.cu. */
template <class T>
static __device__ void multiply_blocks(float *sum, unsigned char *memory,
                                       unsigned worker, const float *of_cols,
                                       const tiles<T> &t, unsigned threads,
                                       place<T> &p) {
    enum : unsigned { HALF = T::ROWS / 2 };
    const unsigned to =
        t.share * t.beside + (t.beside > 1 ? threadIdx.x % 128 : 0);
    float low[HALF / 2], high[HALF / 2];
    of_block<HALF> scales;
    LL_UNROLL
    for (unsigned r = 0; r < HALF; ++r) {
        sum[r] = 0;
    }
    for (unsigned x = 0; x < t.steps; ++x) {
        unsigned char *const of_rows =
            memory + T::AT_SCALES + p.stage * T::SCALES;
        const float of_col = of_cols[t.begin + x];
        ll_ptx_mbarrier_wait(p.full(), p.parity);
        start(low, p, worker, 0);
        start(high, p, worker, 1);
        scales.load(of_rows, of_col);
        ll_ptx_wgmma_wait_group<1>();
        scales.add(sum, low);
        scales.load(of_rows + 4 * HALF, of_col);
        __syncwarp();
        if (threadIdx.x % 32 == 0) {
            ll_ptx_mbarrier_arrive(p.empty());
        }
        ll_ptx_wgmma_wait_group<0>();
        release(p.empty(), to, threads);
        scales.add(sum + HALF / 2, high);
        p.next();
    }
}

#endif
