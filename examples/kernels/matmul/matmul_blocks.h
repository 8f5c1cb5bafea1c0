/* matmul_blocks.h - how are sums scaled while other products are computed?
 * SPDX-License-Identifier: MIT
 *
 * In matmul_scaled.cu each 128 of k may have scales of their own. The tensor
 * cores multiply 128 of k into a second set of accumulators. Then the warpgroup
 * adds these to its sums, times the scales. Meanwhile the tensor cores multiply
 * for the other warpgroup.
 *
 * Here C is not transposed: the rows of wgmma are rows of C, its columns are 64
 * or 128 columns of C. So a lane has sums of two rows and needs two scales of
 * A, and one of B for each wgmma. It loads them while the previous block of k
 * is multiplied. The problem is transposed instead: m counts columns of C, n
 * rows.
 */
#ifndef LL_MATMUL_BLOCKS_H
#define LL_MATMUL_BLOCKS_H

#include "matmul_multiply.h"

namespace ll_kernels {

/* ---- Layouts ------------------------------------------------------------- */

/* The accumulators of a warpgroup in 64 columns: row i and column j of C. */
LL_LAYOUT(BLOCK, ll_ptx_wgmma_d(64, 64, 4));

/* The scales of A that a lane needs, and the one that each sum takes. */
LL_LAYOUT(BLOCK_SCALES, ll_scales_of(LL_GET(BLOCK), LL_J, 64));
LL_LAYOUT(BLOCK_SCALE_EACH, ll_scales_each(LL_GET(BLOCK), LL_J, 64));
LL_PLAN(SPREAD_BLOCK_SCALES, BLOCK_SCALES, BLOCK_SCALE_EACH, 32, LL_SM90);
LL_EXPECT_KIND(SPREAD_BLOCK_SCALES, LL_REGISTERS);

/* How sums get to a tile that TMA stores; and, if blocks split a tile, to
 * memory in which the row permutes groups of 32 bytes. */
LL_LAYOUT(BLOCK_TILE, ll_ptx_smem_k(64, 64, 16, 128));
LL_PLAN_THROUGH(STORE_BLOCK, BLOCK, BLOCK, 16, LL_SM90, LL_GET(BLOCK_TILE));
LL_PLAN_THROUGH(PARTIAL_BLOCK, BLOCK, BLOCK, 32, LL_SM90,
                ll_swizzled(ll_shape_of("j=64 i=64"), 8, 1, 4));
LL_EXPECT_NO_CONFLICTS(STORE_BLOCK);
LL_EXPECT_NO_CONFLICTS(PARTIAL_BLOCK);
constexpr ll_ptx_tensor BLOCK_BOX =
    ll_ptx_tensor_of(LL_GET(BLOCK_TILE), 64, 64, 16);
static_assert(BLOCK_BOX.copies == 1 && !BLOCK_BOX.mn_major,
              "one copy by rows stores BLOCK_TILE");

/* The scales of A of 64 rows, which are adjacent in a stage. */
LL_PLAN_THROUGH(STAGED_SCALES, BLOCK_SCALES, BLOCK_SCALES, 32, LL_SM90,
                ll_row_major(ll_shape_of("j=1 i=64")));
LL_EXPECT_NO_CONFLICTS(STAGED_SCALES);

/* A form whose stages have scales of A as well. */
/* clang-format off */
template <dtype INPUT, unsigned ROWS_>
struct block_form : gemm_form<INPUT, 2, ROWS_> {
    typedef gemm_form<INPUT, 2, ROWS_> F;
    enum : unsigned {
        SCALES = 4 * F::COLS, STAGE = F::STAGE,
        FIT = (227 * 1024 - 192 - 2 * F::BYTES_C) / (STAGE + SCALES),
        STAGES = FIT < 12 ? FIT : 12, MIN_STEPS = 1,
        AT_C = STAGES * STAGE, AT_SCALES = AT_C + 2 * F::BYTES_C,
        FULL = AT_SCALES + STAGES * SCALES,
        EMPTY = FULL + 8 * STAGES, SMEM = EMPTY + 8 * STAGES,
        WIDE = F::ROWS < 128 ? F::ROWS : 128, /* columns of C of one wgmma */
        COUNT = F::ROWS / WIDE                /* wgmma of a slice of k */
    };
    static_assert(STAGES > 2, "the tile is too large: three stages do not fit");
    static_assert(2 * F::BYTES_SUMS <= AT_C, "sums fit into the stages");
};
/* clang-format on */

/* ---- The producer of scales ---------------------------------------------- */

/* Starts the copies of the scales of A of a tile. */
template <class T>
static __device__ void load_scales(ring_stage<T> &p, const CUtensorMap *map,
                                   const tile_scheduler<T> &t) {
    for (unsigned s = t.begin; s < t.begin + t.steps; ++s) {
        ll_ptx_mbarrier_wait(p.empty(), p.parity);
        ll_ptx_mbarrier_arrive_expect_tx(p.full(), T::SCALES);
        ll_ptx_cp_async_bulk_tensor_load_3d(
            p.smem + T::AT_SCALES + T::SCALES * p.stage, map, p.full(), 0,
            (int)(t.col / 4), (int)s);
        p.next();
    }
}

/* One thread: starts the copies of the scales of A of all tiles. */
template <class T>
static __device__ void load_all_scales(unsigned smem, const CUtensorMap *map,
                                       const gemm_problem &of,
                                       tile_scheduler<T> t) {
    ring_stage<T> p = {smem, 0, 1}; /* the ring is empty */
    for (unsigned x = t.first; x < t.whole; x += t.stride) {
        t.find(x);
        load_scales(p, map, t);
    }
    if (t.has_split_tile) {
        t.find_split_tile(of);
        load_scales(p, map, t);
    }
}

/* ---- Sums ---------------------------------------------------------------- */

/* Adds the products of a block of k to the sums, times the scales.
 *   part  products of WIDE columns of C
 *   a     scales of A of the lane's rows
 *   b     scale of B */
template <class T>
static __device__ void add_block(float *sum, const float *part, const float *a,
                                 float b) {
    LL_IN(WARPGROUP);
    float s[LL_REGS(BLOCK_SCALES)], each[LL_REGS(BLOCK)];
    LL_EACH(r, BLOCK_SCALES) { s[r] = a[r] * b; }
    LL_CONVERT(each, s, SPREAD_BLOCK_SCALES, 0);
    LL_UNROLL
    for (unsigned j = 0; j < T::WIDE / 2; j += LL_REGS(BLOCK)) {
        LL_EACH(r, BLOCK) { sum[j + r] += each[r] * part[j + r]; }
    }
}

/* Starts the products of a block of k for WIDE columns of C, from column w WIDE
 * of the tile on. */
template <class T>
static __device__ void start_block(float *part, const ring_stage<T> &p,
                                   unsigned worker, unsigned w) {
    const unsigned long long a =
        T::DESC + ((p.b() + worker * T::NEXT_ROWS) >> 4);
    const unsigned long long b = T::DESC + ((p.a() + w * T::WIDE * 128) >> 4);
    ll_ptx_wgmma_fence();
    LL_UNROLL
    for (unsigned s = 0; s < T::DEPTH / T::SLICE; ++s) {
        multiply_slice<T::IN, T::WIDE>(part, a + (s * T::NEXT_K >> 4),
                                       b + (s * T::NEXT_K >> 4), s);
    }
    ll_ptx_wgmma_commit_group();
}

/* Computes the sums of a tile. Each warp releases a stage for the producer of
 * scales; the warpgroup releases it for the blocks that copy A and B. */
template <class T>
static __device__ void
multiply_blocks(float *sum, unsigned char *memory, unsigned worker,
                const float *scales_b, const gemm_problem &p,
                const tile_scheduler<T> &t, ring_stage<T> &at) {
    LL_IN(WARPGROUP);
    const unsigned to =
        t.split * t.neighbours + (t.neighbours > 1 ? threadIdx.x % 128 : 0);
    const unsigned blocks_of_k = div_up(p.k, 128);
    float part[T::WIDE / 2], a[LL_REGS(BLOCK_SCALES)], b[T::COUNT];
    float next[T::COUNT];
    const float *at_b[T::COUNT];
    LL_UNROLL
    for (unsigned w = 0; w < T::COUNT; ++w) {
        const unsigned col = t.row + w * T::WIDE;
        at_b[w] =
            scales_b + (col < p.m ? col : 0) / 128 * blocks_of_k + t.begin;
        next[w] = at_b[w][0];
    }
    LL_UNROLL
    for (unsigned r = 0; r < T::ROWS / 2; ++r) {
        sum[r] = 0;
    }
#pragma unroll 1
    for (unsigned x = 0; x < t.steps; ++x) {
        ll_ptx_mbarrier_wait(at.full(), at.parity);
        LL_UNROLL
        for (unsigned w = 0; w < T::COUNT; ++w) {
            start_block<T>(part, at, worker, w);
            if (w == 0) {
                LL_LOAD_SHARED(a, STAGED_SCALES,
                               memory + T::AT_SCALES + at.stage * T::SCALES +
                                   256 * worker);
                LL_UNROLL
                for (unsigned v = 0; v < T::COUNT; ++v) {
                    b[v] = next[v];
                    next[v] = at_b[v][x + 1 < t.steps ? x + 1 : x];
                }
            }
            ll_ptx_wgmma_wait_group<0>();
            if (w + 1 == T::COUNT) {
                release_stage(at.empty(), to, t.neighbours);
                if (threadIdx.x % 32 == 0) {
                    ll_ptx_mbarrier_arrive(at.empty());
                }
            }
            add_block<T>(sum + w * T::WIDE / 2, part, a, b[w]);
        }
        at.next();
    }
}

/* ---- Results ------------------------------------------------------------- */

/* Rounds the sums of a tile and starts their TMA stores, after TMA has read the
 * previous ones. */
template <class T>
static __device__ void store_blocks(const float *sum, unsigned char *smem,
                                    const CUtensorMap *map_c, unsigned row,
                                    unsigned col) {
    LL_IN(WARPGROUP);
    LL_UNROLL
    for (unsigned j = 0; j < T::ROWS; j += 64) {
        unsigned words[LL_WORDS(BLOCK, 16)];
        unsigned char *const to = smem + j / 64 * 8192 % T::BYTES_C;
        LL_UNROLL
        for (unsigned w = 0; w < LL_WORDS(BLOCK, 16); ++w) {
            words[w] = round_pair<T::RESULT>(sum[j / 2 + 2 * w],
                                             sum[j / 2 + 2 * w + 1]);
        }
        if (threadIdx.x % 128 == 0) {
            ll_ptx_cp_async_bulk_wait_group_read<T::BYTES_C / 8192 - 1>();
        }
        LL_SYNC();
        LL_STORE_SHARED(words, STORE_BLOCK, to);
        ll_ptx_fence_proxy_async();
        LL_SYNC();
        if (threadIdx.x % 128 == 0) {
            ll_ptx_cp_async_bulk_tensor_store_2d(
                map_c, (unsigned)__cvta_generic_to_shared(to), (int)(col + j),
                (int)row);
            ll_ptx_cp_async_bulk_commit_group();
        }
    }
}

/* Writes the partial sums of a warpgroup to shared memory. */
template <class T>
static __device__ void write_partial_blocks(const float *sum,
                                            unsigned char *smem) {
    LL_IN(WARPGROUP);
    LL_UNROLL
    for (unsigned j = 0; j < T::ROWS; j += 64) {
        float some[LL_REGS(BLOCK)];
        LL_EACH(r, BLOCK) { some[r] = sum[j / 2 + r]; }
        LL_STORE_SHARED(some, PARTIAL_BLOCK, smem + 4 * 64 * j);
    }
}

/* Adds up the block's part of a split tile and stores it in C. */
template <class T>
static __device__ void add_partial_blocks(const gemm_problem &p, unsigned smem,
                                          const tile_scheduler<T> &t) {
    const unsigned threads = T::THREADS - 128;
    for (unsigned x = t.split * threads + threadIdx.x - 128;
         x < T::COLS * T::ROWS / 4; x += t.splits * threads) {
        const unsigned i = x / 16 % 64, piece = x / 16 / 64;
        const unsigned row = t.col + piece / (T::ROWS / 64) * 64 + i;
        const unsigned col =
            t.row + piece % (T::ROWS / 64) * 64 + 4 * (x % 16 ^ i % 4 * 2);
        float sum[4] = LL_ZERO;
        add_four<T>(sum, smem + 16 * x, t);
        if (row < p.n && col < p.m) {
            unsigned *to = (unsigned *)p.c + ((size_t)row * p.m + col) / 2;
            to[0] = round_pair<T::RESULT>(sum[0], sum[1]);
            to[1] = round_pair<T::RESULT>(sum[2], sum[3]);
        }
    }
}

/* A warpgroup: multiplies and stores all tiles of its block. */
template <class T>
static __device__ void
multiply_all_blocks(unsigned char *memory, const CUtensorMap *map_c,
                    const float *scales_b, const gemm_problem &p,
                    tile_scheduler<T> t) {
    const unsigned smem = uniform((unsigned)__cvta_generic_to_shared(memory));
    const unsigned worker = uniform(threadIdx.x / 128) - 1;
    float sum[T::ROWS / 2];
    ring_stage<T> at = {smem, 0, 0};
    for (unsigned x = t.first; x < t.whole; x += t.stride) {
        t.find(x);
        multiply_blocks<T>(sum, memory, worker, scales_b, p, t, at);
        store_blocks<T>(sum, memory + T::AT_C + worker * T::BYTES_C, map_c,
                        t.col + 64 * worker, t.row);
    }
    if (t.has_split_tile) {
        t.find_split_tile(p);
        multiply_blocks<T>(sum, memory, worker, scales_b, p, t, at);
        ll_ptx_bar_named<1 + T::WORKERS, 128 * T::WORKERS>(); /* all is read */
        write_partial_blocks<T>(sum, memory + worker * T::BYTES_SUMS);
        LL_BARRIER_CLUSTER();
        add_partial_blocks<T>(p, smem, t);
    }
    if (threadIdx.x % 128 == 0) {
        ll_ptx_cp_async_bulk_wait_group<0>();
    }
}

} // namespace ll_kernels

#endif
