/* matmul_blocks.h - how are sums of products scaled while others are computed?
 * SPDX-License-Identifier: MIT
 *
 * In matmul_scaled.cu, where each 128 of k have scales of their own. The tensor
 * cores multiply 128 of k into a second set of registers. Then the warpgroup
 * adds these to its sums, times the scales, and the tensor cores multiply for
 * the other warpgroup meanwhile.
 *
 * The product is turned: the rows of wgmma are rows of C here, its columns are
 * 64 or 128 columns of C. So a lane has sums of two rows and needs two scales
 * of A, and one of B for each wgmma. It loads them while the block of k before
 * is multiplied. The problem is turned as well: m counts columns of C, n rows.
 */
#ifndef LL_MATMUL_BLOCKS_H
#define LL_MATMUL_BLOCKS_H

/* ---- Layouts ------------------------------------------------------------- */

/* The sums of a warpgroup in 64 columns, row i and column j of C. */
LL_LAYOUT(BLOCK, ll_ptx_wgmma_d(64, 64, 4));

/* The scales of A that a lane needs, and which of them each sum takes. */
LL_LAYOUT(BLOCK_SCALES, ll_scales_of(LL_GET(BLOCK), LL_J, 64));
LL_LAYOUT(BLOCK_EACH, ll_scales_each(LL_GET(BLOCK), LL_J, 64));
LL_PLAN(EACH, BLOCK_SCALES, BLOCK_EACH, 32, LL_SM90);
LL_EXPECT_KIND(EACH, LL_REGISTERS);

/* How sums get to a tile that the copy engine stores; and where blocks share a
 * tile, to memory in which the row permutes groups of 32 bytes. */
LL_LAYOUT(TILE_BLOCK, ll_ptx_smem_k(64, 64, 16, 128));
LL_PLAN_THROUGH(OUT_BLOCK, BLOCK, BLOCK, 16, LL_SM90, LL_GET(TILE_BLOCK));
LL_PLAN_THROUGH(PART_BLOCK, BLOCK, BLOCK, 32, LL_SM90,
                ll_swizzled(ll_shape_of("j=64 i=64"), 8, 1, 4));
LL_EXPECT_NO_CONFLICTS(OUT_BLOCK);
LL_EXPECT_NO_CONFLICTS(PART_BLOCK);
constexpr ll_ptx_tensor BOX_BLOCK =
    ll_ptx_tensor_of(LL_GET(TILE_BLOCK), 64, 64, 16);
static_assert(BOX_BLOCK.copies == 1 && !BOX_BLOCK.mn_major,
              "one copy by rows stores TILE_BLOCK");

/* The scales of A of 64 rows, which lie side by side in a stage. */
LL_PLAN_THROUGH(STAGED, BLOCK_SCALES, BLOCK_SCALES, 32, LL_SM90,
                ll_row_major(ll_shape_of("j=1 i=64")));
LL_EXPECT_NO_CONFLICTS(STAGED);

/* A form whose stages have scales of A as well. */
/* clang-format off */
template <unsigned ROWS_> struct blocks : form<2, ROWS_> {
    typedef form<2, ROWS_> F;
    enum : unsigned {
        SCALES = 4 * F::COLS, STAGE = F::STAGE,
        FIT = (227 * 1024 - 192 - 2 * F::BYTES_C) / (STAGE + SCALES),
        STAGES = FIT < 12 ? FIT : 12, LEAST = 1,
        AT_C = STAGES * STAGE, AT_SCALES = AT_C + 2 * F::BYTES_C,
        FULL = AT_SCALES + STAGES * SCALES,
        EMPTY = FULL + 8 * STAGES, SMEM = EMPTY + 8 * STAGES
    };
    static_assert(STAGES > 2, "the tile is too large: three stages do not fit");
    static_assert(2 * F::BYTES_SUMS <= AT_C, "sums fit into the stages");
};
/* clang-format on */

/* One thread: starts the copies of the scales of A of all stages. */
template <class T>
static __device__ void load_scales(place<T> &p, const CUtensorMap *map,
                                   const tiles<T> &t) {
    for (unsigned s = t.begin; s < t.begin + t.steps; ++s) {
        ll_ptx_mbarrier_wait(p.empty(), p.parity);
        ll_ptx_mbarrier_arrive_expect_tx(p.full(), T::SCALES);
        ll_ptx_cp_async_bulk_tensor_load_3d(
            p.smem + T::AT_SCALES + T::SCALES * p.stage, map, p.full(), 0,
            (int)(t.col / 4), (int)s);
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

/* ---- Sums ---------------------------------------------------------------- */

/* Columns of C of one wgmma, and how many a warpgroup needs for a tile. */
template <class T> struct of_tile {
    enum : unsigned {
        WIDE = T::ROWS < 128 ? T::ROWS : 128, COUNT = T::ROWS / WIDE
    };
};

/* Adds the products of a block of k: scales of A and one of B. */
template <class T>
static __device__ void add_block(float *sum, const float *part, const float *a,
                                 float b) {
    LL_IN(WORKER);
    float s[LL_REGS(BLOCK_SCALES)], each[LL_REGS(BLOCK)];
    LL_EACH(r, BLOCK_SCALES) { s[r] = a[r] * b; }
    LL_CONVERT(each, s, EACH, 0);
    LL_UNROLL
    for (unsigned j = 0; j < of_tile<T>::WIDE / 2; j += LL_REGS(BLOCK)) {
        LL_EACH(r, BLOCK) { sum[j + r] += each[r] * part[j + r]; }
    }
}

/* Starts the products of a block of k for number w of the wgmma. */
template <class T>
static __device__ void start(float *part, const place<T> &p, unsigned worker,
                             unsigned w) {
    enum : unsigned { WIDE = of_tile<T>::WIDE };
    const unsigned long long a = DESC + ((p.b() + worker * NEXT_ROWS) >> 4);
    const unsigned long long b = DESC + ((p.a() + w * WIDE * 128) >> 4);
    ll_ptx_wgmma_fence();
    LL_UNROLL
    for (unsigned s = 0; s < DEPTH / SLICE; ++s) {
        wgmma<WIDE>(part, a + (s * NEXT_K >> 4), b + (s * NEXT_K >> 4), s);
    }
    ll_ptx_wgmma_commit_group();
}

/* The sums of a tile. That a stage was read is told by each warp for the scales,
 * and for the rest as in matmul_hopper.cu. */
template <class T>
static __device__ void multiply_blocks(float *sum, unsigned char *memory,
                                       unsigned worker, const float *of_b,
                                       const problem &p, const tiles<T> &t,
                                       place<T> &at) {
    LL_IN(WORKER);
    enum : unsigned { WIDE = of_tile<T>::WIDE, COUNT = of_tile<T>::COUNT };
    const unsigned to =
        t.share * t.beside + (t.beside > 1 ? threadIdx.x % 128 : 0);
    const unsigned blocks_of_k = up(p.k, 128);
    float part[WIDE / 2], a[LL_REGS(BLOCK_SCALES)], b[COUNT], next[COUNT];
    const float *at_b[COUNT];
    LL_UNROLL
    for (unsigned w = 0; w < COUNT; ++w) {
        const unsigned col = t.row + w * WIDE;
        at_b[w] = of_b + (col < p.m ? col : 0) / 128 * blocks_of_k + t.begin;
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
        for (unsigned w = 0; w < COUNT; ++w) {
            start<T>(part, at, worker, w);
            if (w == 0) {
                LL_LOAD_SHARED(a, STAGED, memory + T::AT_SCALES +
                                              at.stage * T::SCALES +
                                              256 * worker);
                LL_UNROLL
                for (unsigned v = 0; v < COUNT; ++v) {
                    b[v] = next[v];
                    next[v] = at_b[v][x + 1 < t.steps ? x + 1 : x];
                }
            }
            ll_ptx_wgmma_wait_group<0>();
            if (w + 1 == COUNT) {
                release(at.empty(), to, t.beside);
                if (threadIdx.x % 32 == 0) {
                    ll_ptx_mbarrier_arrive(at.empty());
                }
            }
            add_block<T>(sum + w * WIDE / 2, part, a, b[w]);
        }
        at.next();
    }
}

/* ---- Results ------------------------------------------------------------- */

/* Rounds sums and has them stored; what was stored before has been read. */
template <class T>
static __device__ void store_blocks(const float *sum, unsigned char *smem,
                                    const CUtensorMap *map_c, unsigned row,
                                    unsigned col) {
    LL_IN(WORKER);
    LL_UNROLL
    for (unsigned j = 0; j < T::ROWS; j += 64) {
        unsigned words[LL_WORDS(BLOCK, 16)];
        unsigned char *const to = smem + j / 64 * 8192 % T::BYTES_C;
        LL_UNROLL
        for (unsigned w = 0; w < LL_WORDS(BLOCK, 16); ++w) {
            words[w] = rounded(sum[j / 2 + 2 * w], sum[j / 2 + 2 * w + 1]);
        }
        if (threadIdx.x % 128 == 0) {
            ll_ptx_cp_async_bulk_wait_group_read<T::BYTES_C / 8192 - 1>();
        }
        LL_SYNC();
        LL_STORE_SHARED(words, OUT_BLOCK, to);
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

/* Where blocks share a tile: each lays its sums down, */
template <class T>
static __device__ void lay_down_blocks(const float *sum, unsigned char *smem) {
    LL_IN(WORKER);
    LL_UNROLL
    for (unsigned j = 0; j < T::ROWS; j += 64) {
        float some[LL_REGS(BLOCK)];
        LL_EACH(r, BLOCK) { some[r] = sum[j / 2 + r]; }
        LL_STORE_SHARED(some, PART_BLOCK, smem + 4 * 64 * j);
    }
}

/* and adds up a part of the tile, which it stores in C. */
template <class T>
static __device__ void add_up_blocks(const problem &p, unsigned smem,
                                     const tiles<T> &t) {
    const unsigned threads = T::THREADS - 128;
    for (unsigned x = t.share * threads + threadIdx.x - 128;
         x < T::COLS * T::ROWS / 4; x += t.shares * threads) {
        const unsigned i = x / 16 % 64, piece = x / 16 / 64;
        const unsigned row = t.col + piece / (T::ROWS / 64) * 64 + i;
        const unsigned col =
            t.row + piece % (T::ROWS / 64) * 64 + 4 * (x % 16 ^ i % 4 * 2);
        float sum[4] = LL_ZERO;
        add_four<T>(sum, smem + 16 * x, t);
        if (row < p.n && col < p.m) {
            unsigned *to = (unsigned *)p.c + ((size_t)row * p.m + col) / 2;
            to[0] = rounded(sum[0], sum[1]);
            to[1] = rounded(sum[2], sum[3]);
        }
    }
}

/* The tiles of a warpgroup. */
template <class T>
static __device__ void work_blocks(unsigned char *memory,
                                   const CUtensorMap *map_c, const scales &by,
                                   const problem &p, tiles<T> t) {
    const unsigned smem = uniform((unsigned)__cvta_generic_to_shared(memory));
    const unsigned worker = uniform(threadIdx.x / 128) - 1;
    float sum[T::ROWS / 2];
    place<T> at = {smem, 0, 0};
    for (unsigned x = t.first; x < t.whole; x += t.by) {
        t.find(x);
        multiply_blocks<T>(sum, memory, worker, by.b, p, t, at);
        store_blocks<T>(sum, memory + T::AT_C + worker * T::BYTES_C, map_c,
                        t.col + 64 * worker, t.row);
    }
    if (t.is_shared) {
        t.find_shared(p);
        multiply_blocks<T>(sum, memory, worker, by.b, p, t, at);
        ll_ptx_bar_named<1 + T::WORKERS, 128 * T::WORKERS>(); /* all is read */
        lay_down_blocks<T>(sum, memory + worker * T::BYTES_SUMS);
        LL_BARRIER_CLUSTER();
        add_up_blocks<T>(p, smem, t);
    }
    if (threadIdx.x % 128 == 0) {
        ll_ptx_cp_async_bulk_wait_group<0>();
    }
}

#endif
