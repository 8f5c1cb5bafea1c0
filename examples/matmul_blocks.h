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
static_assert(BOX_BLOCK.copies == 1 && !BOX_BLOCK.mn_major, "");

/* ---- Sums ---------------------------------------------------------------- */

/* What a lane needs of the scales of a block of k. */
template <class T> struct of_block {
    enum : unsigned { WIDE = T::ROWS < 128 ? T::ROWS : 128 }; /* of a wgmma */
    float a[LL_REGS(BLOCK_SCALES)], b[T::ROWS / WIDE];
    __device__ void load(const scales &by, const problem &p, unsigned row,
                         unsigned col, unsigned block) {
        LL_IN(WORKER);
        LL_LOAD(a, BLOCK_SCALES, by.a + (size_t)block * up(p.n, 4) * 4 + row, 1,
                rest(p.n, row), 1);
        LL_UNROLL
        for (unsigned w = 0; w < T::ROWS / WIDE; ++w) {
            const unsigned at = col + w * WIDE;
            b[w] = by.b[(at < p.m ? at : 0) / 128 * up(p.k, 128) + block];
        }
    }
    /* Adds the products of the block for number w of the wgmma. */
    __device__ void add(float *sum, const float *part, unsigned w) const {
        LL_IN(WORKER);
        float s[LL_REGS(BLOCK_SCALES)], each[LL_REGS(BLOCK)];
        LL_EACH(r, BLOCK_SCALES) { s[r] = a[r] * b[w]; }
        LL_CONVERT(each, s, EACH, 0);
        LL_UNROLL
        for (unsigned j = 0; j < WIDE / 2; j += LL_REGS(BLOCK)) {
            LL_EACH(r, BLOCK) { sum[j + r] += each[r] * part[j + r]; }
        }
    }
};

/* Starts the products of a block of k for number w of the wgmma. */
template <class T>
static __device__ void start(float *part, const place<T> &p, unsigned worker,
                             unsigned w) {
    enum : unsigned { WIDE = of_block<T>::WIDE };
    const unsigned long long a = DESC + ((p.b() + worker * NEXT_ROWS) >> 4);
    const unsigned long long b = DESC + ((p.a() + w * WIDE * 128) >> 4);
    ll_ptx_wgmma_fence();
    LL_UNROLL
    for (unsigned s = 0; s < DEPTH / SLICE; ++s) {
        wgmma<WIDE>(part, a + (s * NEXT_K >> 4), b + (s * NEXT_K >> 4), s);
    }
    ll_ptx_wgmma_commit_group();
}

/* The sums of a tile, of which the warpgroup has the rows from `row` on. */
template <class T>
static __device__ void
multiply_blocks(float *sum, unsigned worker, unsigned row, const scales &by,
                const problem &p, const tiles<T> &t, place<T> &at) {
    enum : unsigned { WIDE = of_block<T>::WIDE };
    const unsigned to =
        t.share * t.beside + (t.beside > 1 ? threadIdx.x % 128 : 0);
    float part[WIDE / 2];
    of_block<T> now, next;
    next.load(by, p, row, t.row, t.begin);
    LL_UNROLL
    for (unsigned r = 0; r < T::ROWS / 2; ++r) {
        sum[r] = 0;
    }
    for (unsigned x = 0; x < t.steps; ++x) {
        now = next;
        ll_ptx_mbarrier_wait(at.full(), at.parity);
        LL_UNROLL
        for (unsigned w = 0; w < T::ROWS / WIDE; ++w) {
            start<T>(part, at, worker, w);
            if (w == 0 && x + 1 < t.steps) {
                next.load(by, p, row, t.row, t.begin + x + 1);
            }
            ll_ptx_wgmma_wait_group<0>();
            if (w + 1 == T::ROWS / WIDE) {
                release(at.empty(), to, t.beside);
            }
            now.add(sum + w * WIDE / 2, part, w);
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
    const unsigned smem = (unsigned)__cvta_generic_to_shared(memory);
    const unsigned worker = threadIdx.x / 128 - 1;
    float sum[T::ROWS / 2];
    place<T> at = {smem, 0, 0};
    for (unsigned x = t.first; x < t.whole; x += t.by) {
        t.find(x);
        const unsigned row = t.col + 64 * worker;
        multiply_blocks<T>(sum, worker, row, by, p, t, at);
        store_blocks<T>(sum, memory + T::AT_C + worker * T::BYTES_C, map_c, row,
                        t.row);
    }
    if (t.is_shared) {
        t.find_shared(p);
        multiply_blocks<T>(sum, worker, t.col + 64 * worker, by, p, t, at);
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
