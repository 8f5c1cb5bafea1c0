/* matmul_blocks.h - how are sums of products scaled while others are computed?
 * SPDX-License-Identifier: MIT
 *
 * In matmul_scaled.cu, where each 128 of k have scales of their own. The tensor
 * cores multiply 64 rows by 128 columns and 128 of k into a second set of
 * registers. Then the warpgroup adds these to its sums, times the scales, and
 * the tensor cores multiply for the other warpgroup meanwhile.
 *
 * The product is turned: the rows of wgmma are rows of C here, and its columns
 * columns of C. So a lane has sums of two rows for each wgmma, and needs two
 * scales of A and one of B. Those of A come to shared memory with the stages of
 * A and B, by a second thread that copies. The problem is turned as well: m
 * counts columns of C, n rows.
 */
#ifndef LL_MATMUL_BLOCKS_H
#define LL_MATMUL_BLOCKS_H

/* ---- Layouts ------------------------------------------------------------- */

/* The sums of a warpgroup in 64 columns, row i and column j of C. */
LL_LAYOUT(BLOCK, ll_ptx_wgmma_d(64, 64, 4));

/* The scales of A that a lane needs, side by side in shared memory, and which
 * of them each sum takes. */
LL_LAYOUT(BLOCK_SCALES, ll_scales_of(LL_GET(BLOCK), LL_J, 64));
LL_LAYOUT(BLOCK_EACH, ll_scales_each(LL_GET(BLOCK), LL_J, 64));
LL_PLAN_THROUGH(STAGED, BLOCK_SCALES, BLOCK_SCALES, 32, LL_SM90,
                ll_row_major(ll_shape_of("j=1 i=64")));
LL_PLAN(EACH, BLOCK_SCALES, BLOCK_EACH, 32, LL_SM90);
LL_EXPECT_NO_CONFLICTS(STAGED);
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

/* ---- Forms --------------------------------------------------------------- */

/* Tiles of 128 HIGH rows and 128 columns of C; their stages have scales. */
/* clang-format off */
template <unsigned HIGH_> struct blocks {
    enum : unsigned {
        WORKERS = 2, HIGH = HIGH_, ROWS = 128, PADDED = ROWS, COLS = 128 * HIGH,
        THREADS = 128 + 128 * WORKERS, REGISTERS = 232,
        PIECES = 2 * HIGH, /* of 64 by 64, of a warpgroup */
        BYTES_A = 128 * ROWS, BYTES_B = 128 * COLS, BYTES_C = 64 * 64 * 2,
        STAGE = BYTES_A + BYTES_B, SCALES = 4 * COLS,
        FIT = (227 * 1024 - 192 - WORKERS * BYTES_C) / (STAGE + SCALES),
        STAGES = FIT < 12 ? FIT : 12,
        AT_C = STAGES * STAGE, AT_SCALES = AT_C + WORKERS * BYTES_C,
        FULL = AT_SCALES + STAGES * SCALES,
        EMPTY = FULL + 8 * STAGES, SMEM = EMPTY + 8 * STAGES
    };
    static_assert(4 * ROWS * COLS <= AT_C && STAGES > 2, "");
};
/* clang-format on */

/* ---- Copies -------------------------------------------------------------- */

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

/* What a warpgroup has: the sums of HIGH times 64 rows, and the products of a
 * block of k for 64 of them. */
template <class T> struct worker_blocks {
    const problem &p;
    const scales &by;
    unsigned char *memory;
    unsigned worker;
    place<T> at;
    float next; /* the scale of B of the next block of k */
    float sum[T::PIECES][LL_REGS(BLOCK)], part[2 * LL_REGS(BLOCK)];

    /* Starts the products of a block of k for rows h. */
    __device__ void start(unsigned h) {
        const unsigned rows = (worker * T::HIGH + h) * NEXT_ROWS;
        const unsigned long long a = DESC + ((at.b() + rows) >> 4);
        const unsigned long long b = DESC + (at.a() >> 4);
        if (h == 0) {
            ll_ptx_mbarrier_wait(at.full(), at.parity);
        }
        ll_ptx_wgmma_fence();
        LL_UNROLL
        for (unsigned s = 0; s < DEPTH / SLICE; ++s) {
            wgmma<T::ROWS>(part, a + (s * NEXT_K >> 4), b + (s * NEXT_K >> 4),
                           s);
        }
        ll_ptx_wgmma_commit_group();
    }

    /* Adds the products to the sums of rows h. */
    __device__ void add(unsigned h, const float *of_rows, float of_cols) {
        LL_IN(WORKER);
        float s[LL_REGS(BLOCK_SCALES)], each[LL_REGS(BLOCK)];
        LL_EACH(r, BLOCK_SCALES) { s[r] = of_rows[r] * of_cols; }
        LL_CONVERT(each, s, EACH, 0);
        LL_UNROLL
        for (unsigned x = 0; x < 2; ++x) {
            LL_EACH(r, BLOCK) {
                sum[2 * h + x][r] += each[r] * part[x * LL_REGS(BLOCK) + r];
            }
        }
    }

    /* The scale of B of a block of k. */
    __device__ float of_b(const tiles<T> &t, unsigned block) const {
        return by.b[t.row / 128 * up(p.k, 128) + block];
    }

    /* A block of k, of which the first products were started. Those of the next
     * one are started unless it is the LAST. */
    template <bool LAST>
    __device__ void step(const tiles<T> &t, unsigned block, unsigned to) {
        LL_IN(WORKER);
        unsigned char *const staged =
            memory + T::AT_SCALES + at.stage * T::SCALES;
        const float of_cols = next;
        float of_rows[T::HIGH][LL_REGS(BLOCK_SCALES)];
        next = LAST ? 0 : of_b(t, block + 1);
        LL_UNROLL
        for (unsigned h = 0; h < T::HIGH; ++h) {
            LL_LOAD_SHARED(of_rows[h], STAGED,
                           staged + 256 * (worker * T::HIGH + h));
        }
        LL_UNROLL
        for (unsigned h = 0; h < T::HIGH; ++h) {
            const bool more = h + 1 < T::HIGH;
            ll_ptx_wgmma_wait_group<0>();
            if (!more) {
                release(at.empty(), to, t.beside);
                __syncwarp();
                if (threadIdx.x % 32 == 0) { /* this warp has its scales */
                    ll_ptx_mbarrier_arrive(at.empty());
                }
                at.next();
            }
            add(h, of_rows[h], of_cols);
            if (more || !LAST) {
                start(more ? h + 1 : 0);
            }
        }
    }

    /* The sums of a tile, of which the first products were started. */
    __device__ void finish(const tiles<T> &t) {
        const unsigned to =
            t.share * t.beside + (t.beside > 1 ? threadIdx.x % 128 : 0);
        LL_UNROLL
        for (unsigned x = 0; x < T::PIECES; ++x) {
            LL_EACH(r, BLOCK) { sum[x][r] = 0; }
        }
        next = of_b(t, t.begin);
        for (unsigned x = 1; x < t.steps; ++x) {
            step<false>(t, t.begin + x - 1, to);
        }
        step<true>(t, t.begin + t.steps - 1, to);
    }

    /* Rounds the sums and has them stored, 64 by 64 at a time. */
    __device__ void store(const CUtensorMap *map_c, unsigned row,
                          unsigned col) const {
        LL_IN(WORKER);
        unsigned char *const to = memory + T::AT_C + worker * T::BYTES_C;
        LL_UNROLL
        for (unsigned x = 0; x < T::PIECES; ++x) {
            unsigned words[LL_WORDS(BLOCK, 16)];
            LL_UNROLL
            for (unsigned w = 0; w < LL_WORDS(BLOCK, 16); ++w) {
                words[w] = rounded(sum[x][2 * w], sum[x][2 * w + 1]);
            }
            if (threadIdx.x % 128 == 0) { /* what was there has been read */
                ll_ptx_cp_async_bulk_wait_group_read<0>();
            }
            LL_SYNC();
            LL_STORE_SHARED(words, OUT_BLOCK, to);
            ll_ptx_fence_proxy_async();
            LL_SYNC();
            if (threadIdx.x % 128 == 0) {
                ll_ptx_cp_async_bulk_tensor_store_2d(
                    map_c, (unsigned)__cvta_generic_to_shared(to),
                    (int)(col + x % 2 * 64),
                    (int)(row + (worker * T::HIGH + x / 2) * 64));
                ll_ptx_cp_async_bulk_commit_group();
            }
        }
    }

    /* Where blocks share a tile: lays the sums down, */
    __device__ void lay_down() const {
        LL_IN(WORKER);
        LL_UNROLL
        for (unsigned x = 0; x < T::PIECES; ++x) {
            LL_STORE_SHARED(sum[x], PART_BLOCK,
                            memory + (worker * T::PIECES + x) * 64 * 64 * 4);
        }
    }
};

/* and adds up a part of the tile, which it stores in C. */
template <class T>
static __device__ void add_up_blocks(const problem &p, unsigned smem,
                                     const tiles<T> &t) {
    const unsigned threads = T::THREADS - 128;
    for (unsigned x = t.share * threads + threadIdx.x - 128;
         x < T::COLS * T::ROWS / 4; x += t.shares * threads) {
        const unsigned i = x / 16 % 64, piece = x / 16 / 64;
        const unsigned row = t.col + piece / 2 * 64 + i;
        const unsigned col = t.row + piece % 2 * 64 + 4 * (x % 16 ^ i % 4 * 2);
        float sum[4] = LL_ZERO;
        add_four<T>(sum, smem + 16 * x, t);
        if (row < p.n && col < p.m) {
            unsigned *to = (unsigned *)p.c + ((size_t)row * p.m + col) / 2;
            to[0] = rounded(sum[0], sum[1]);
            to[1] = rounded(sum[2], sum[3]);
        }
    }
}

/* The tiles of a warpgroup: the first products of one are computed while the
 * one before is stored. */
template <class T>
static __device__ void work_blocks(unsigned char *memory,
                                   const CUtensorMap *map_c, const scales &by,
                                   const problem &p, tiles<T> t) {
    const unsigned smem = (unsigned)__cvta_generic_to_shared(memory);
    worker_blocks<T> w = {p, by, memory, threadIdx.x / 128 - 1, {smem, 0, 0}};
    if (t.first < t.whole) {
        w.start(0);
        for (unsigned x = t.first;;) {
            t.find(x);
            w.finish(t);
            x += t.by;
            if (x >= t.whole) {
                break;
            }
            w.start(0);
            w.store(map_c, t.col, t.row);
        }
        w.store(map_c, t.col, t.row);
    }
    if (t.is_shared) {
        t.find_shared(p);
        w.start(0);
        w.finish(t);
        ll_ptx_bar_named<1 + T::WORKERS, 128 * T::WORKERS>(); /* all is read */
        w.lay_down();
        LL_BARRIER_CLUSTER();
        add_up_blocks<T>(p, smem, t);
    }
    if (threadIdx.x % 128 == 0) {
        ll_ptx_cp_async_bulk_wait_group_read<0>();
    }
}

#endif
