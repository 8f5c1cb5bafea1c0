/* matmul_lowbit.cu - how are weights of 4 and 8 bits multiplied at the speed of
 * the tensor cores, and read at the speed of memory?
 * SPDX-License-Identifier: MIT
 *
 * C = X W^T: X is tokens x k by rows, of the type OPERAND: bf16, f16 or e4m3; W
 * is features x k, of 4 bits an element with a scale for each group along k, or
 * of 8; C is tokens x features by rows, f16 if X is, otherwise bf16; sums are
 * f32. W is mxfp4, e2m1 with a scale 2^e for each 32 elements (e from -61 to
 * 65, for f16 from -19 to 5, for e4m3 from -9 to 2); nvfp4, e2m1 with an e4m3
 * scale for each 16; s4, -8 to 7 with a bf16 scale for each 64; or fp8, e4m3.
 * Each has a scale of all. An element with its scale gets the type of X: it is
 * exact, or rounded once to the nearest, ties to even. The latter are s4 for
 * bf16, and for e4m3 s4, times 2^8 and saturating, and nvfp4, times 2^-7.
 *
 * W is operand A of wgmma, from registers: its elements get the type of X
 * there. So it is stored once, by `pack` of matmul_lowbit.h, in the order of
 * that operand: register, lane, warp. One access of 16 bytes gives a lane its
 * part of 64 x 64 elements, four slices of k (of e4m3 two), and it needs no
 * other lane.
 *
 * Eight elements share a word, and where their bits lie in it is free as well.
 * The bits of e2m1 belong at 15, 8, 7 and 6 of a bf16, which is then the number
 * times 2^-126. A shift and a mask give two elements, but four such patterns do
 * not fit into a word side by side. They do with some bits stored as XOR of
 * others: `pair` takes 4 shifts and 4 masks for 8 elements. It is linear over
 * F2, hence a layout, and packing a word is its inverse. s4 is cheaper: a bf16
 * below 2^-125 is its 8 lowest bits times 2^-133, so that x + 8 at bits 0 to 3,
 * or 4 to 7, is a number already. One fma for two elements applies scale and
 * bias. All weights lack 2^64 until the end. f16 is the same with other places,
 * e2m1 at 15, 11, 10 and 9, x + 8 at 6 to 9. e4m3 has no fma: a multiply-add of
 * the scale's exponent to four bytes at once gives a table of the eight sizes
 * in two registers, prmt looks four elements up, and their signs are or-ed to
 * them: a selector of prmt has four bits and needs three, the others are signs.
 * s4 and nvfp4 are f16 before they are e4m3. There the product of an element
 * and its scale is exact, so that the conversion alone rounds.
 *
 * fp8 takes as few instructions. Its bits belong at 15 and 10 to 4 of a bf16,
 * the number times 2^-120, which a product makes good; at 15 and 13 to 7 of an
 * f16, the number times 2^-8, as it stays until the end. For e4m3 words are
 * operands as they come.
 *
 * A thread fills a ring of stages in shared memory: weights by bulk copies, and
 * activations by the copy engine, as operand B. Warpgroups unpack and multiply;
 * wgmma runs on while the next slices are unpacked. With many tokens (prefill)
 * two of them take tiles of 128 x 256. With fewer the time is that of reading
 * W. To keep enough of it on the way and unpack it as fast, four warpgroups of
 * a block and two blocks of a cluster share tiles and k; their sums are added
 * through distributed shared memory. W is not a result of the kernels before:
 * its first stages come while they end.
 *
 * Up to 16 tokens a wgmma would do a quarter of its work or less. Such products
 * have a kernel of their own, `lowbit_few` of lowbit_few.h, by mma.sync from
 * the same words.
 *
 * Build: nvcc -std=c++17 -O3 -gencode arch=compute_90a,code=sm_90a -I. \
 *            examples/kernels/matmul/matmul_lowbit.cu -o matmul_lowbit
 *        or, without a GPU, tools/emulator/emucc -I. ..
 * Run:   matmul_lowbit [tokens features k]
 */
#define LL_TENSOR
#include "matmul_lowbit.h"

/* ---- Layouts ------------------------------------------------------------- */

/* clang-format off */
enum : unsigned {
    GROUP = 4, /* tiles of tokens at a time */
    MOST = 2,  /* blocks of a cluster: larger ones leave processors unused */
    EARLY = 2, /* stages of weights that come before activations */
    PART = 128, /* tokens of C that are stored at once */
    ROW_X = DEPTH * BITS / 8 /* bytes of activations */
};
/* clang-format on */

typedef std::conditional<IS == e4m3, unsigned char, unsigned short>::type
    number;

LL_SCOPE(WORKER, threadIdx.x % 128, 128, LL_BARRIER_AT(threadIdx.x / 128));

/* A tile of C as it is stored. */
LL_LAYOUT(TILE_C, ll_ptx_smem_mn(64, PART, 16, 128, 16));
LL_LAYOUT(STORED, ll_ptx_wgmma_d(64, PART, 4));
LL_PLAN_THROUGH(OUT, STORED, STORED, 16, LL_SM90, LL_GET(TILE_C));
LL_EXPECT_NO_CONFLICTS(OUT);
static constexpr ll_ptx_tensor BOX_C =
    ll_ptx_tensor_of(LL_GET(TILE_C), 64, PART, 16);
static_assert(BOX_C.copies == 1, "one copy stores TILE_C");

/* A step of activations as operand B, and sums. */
template <unsigned TOKENS> struct tokens {
    LL_LAYOUT(TILE_X, ll_ptx_smem_k(TOKENS, DEPTH, BITS, ROW_X));
    LL_LAYOUT(SUMS, ll_ptx_wgmma_d(64, TOKENS, 4));

    static constexpr ll_ptx_desc slice(unsigned k) {
        return ll_ptx_desc_slice(LL_GET(TILE_X), TOKENS, SLICE, BITS, 0, k);
    }
    static constexpr unsigned long long DESC = ll_ptx_desc_wgmma(slice(0), 0);
    static constexpr unsigned NEXT_K = slice(SLICE).at;
    static constexpr ll_ptx_tensor BOX_X =
        ll_ptx_tensor_of(LL_GET(TILE_X), TOKENS, DEPTH, BITS);
    static_assert(DESC &&
                      slice(DEPTH - SLICE).at == (DEPTH / SLICE - 1) * NEXT_K,
                  "wgmma reads TILE_X, and its slices have one distance");
    static_assert(BOX_X.copies == 1, "one copy loads TILE_X");
};

/* Tiles of 64 TALL x TOKENS, SHARES warpgroups of which share each stage of k,
 * and shared memory: the ring, tiles of C, the mbarriers. */
template <format F, unsigned TOKENS, unsigned TALL, unsigned DEEP>
struct schedule : tokens<TOKENS> {
    /* clang-format off */
    enum : unsigned {
        HIGH = TALL, SHARES = DEEP, FEATURES = 64 * HIGH, COLS = TOKENS,
        WORKERS = HIGH * SHARES,       /* warpgroups that multiply */
        EACH = TOKENS > 128 && IS != e4m3 ? 1 : 2, /* steps of DEPTH */
        STEPS = SHARES * EACH, /* of a warpgroup in a stage, and of all */
        THREADS = 128 + 128 * WORKERS,
        IDLE = WORKERS > 2 ? 32 : 40, REGS = WORKERS > 2 ? 112 : 232,
        X = ROW_X * TOKENS, /* bytes */
        TILE = tile_of(F), W = STEPS * TILE, /* of 64 features */
        WARP_W = elements_of(F) / 4,         /* of 16, a warp's elements */
        STAGE = (STEPS * X + HIGH * W + 1023) & ~1023u,
        BYTES_C = TOKENS > 128 ? 2 * 64 * PART : 0,
        STAGES = (226 * 1024 - WORKERS * BYTES_C) / STAGE,
        AT_C = STAGES * STAGE, FULL = AT_C + WORKERS * BYTES_C,
        EMPTY = FULL + 8 * STAGES, SMEM = EMPTY + 8 * STAGES
    };
    /* clang-format on */
    static_assert(+EARLY <= +STAGES, "early stages fit into the ring");
    static_assert(TOKENS * 256 * WORKERS <= AT_C, "sums fit into the ring");
    static_assert(TOKENS / 2 % (MOST * SHARES) == 0, "each has sums to add");
    static_assert(128 * (IDLE + WORKERS * REGS) <=
                      65536 / THREADS / 8 * 8 * THREADS,
                  "a block has so many registers");
};

/* ---- The kernel ---------------------------------------------------------- */

/* What a block does: tiles, and for each `count` stages of k from `first`; W is
 * stored as `rows` times 64 features. */
struct job {
    unsigned high, wide, splits, rows, first, count, tiles;
    __device__ job(unsigned n, unsigned m, unsigned stages, unsigned parts,
                   unsigned stored)
        : high(n), wide(m), splits(parts), rows(stored),
          first(stages * (blockIdx.x % parts) / parts),
          count(stages * (blockIdx.x % parts + 1) / parts - first),
          tiles((high * wide - blockIdx.x / parts + gridDim.x / parts - 1) /
                (gridDim.x / parts)) {}
    /* Its tile x: the numbers of the tiles of features and of tokens. */
    __device__ void find(unsigned x, unsigned &row, unsigned &col) const {
        const unsigned tile = (blockIdx.x + x * gridDim.x) / splits;
        const unsigned begin = tile / (GROUP * high) * GROUP;
        const unsigned in = tile % (GROUP * high);
        const unsigned most = wide - begin < GROUP ? wide - begin : GROUP;
        row = in / most;
        col = begin + in % most;
    }
};

/* A stage of the ring; the parity changes with each round. */
template <class S> struct place {
    unsigned stage, parity;
    __device__ void next() {
        stage = stage + 1 == S::STAGES ? 0 : stage + 1;
        parity ^= stage == 0;
    }
};

/* Stage k of tile x of a job, and its place. */
template <class S> struct step {
    unsigned x, k, row, col;
    place<S> at;
    __device__ step(const job &j) : x(0), k(0), row(0), col(0), at{0, 0} {
        j.find(0, row, col);
    }
    __device__ void next(const job &j) {
        at.next();
        if (++k == j.count) {
            k = 0;
            j.find(++x, row, col);
        }
    }
};

/* One thread: starts the copies of the weights of a stage. Those of 64 features
 * lie together. */
template <class S>
static __device__ void copy_weights(unsigned smem, const unsigned char *w,
                                    unsigned deep, unsigned rows, const job &j,
                                    const step<S> &p) {
    const unsigned full = smem + S::FULL + 8 * p.at.stage;
    ll_ptx_mbarrier_wait(smem + S::EMPTY + 8 * p.at.stage, !p.at.parity);
    ll_ptx_mbarrier_arrive_expect_tx(full,
                                     S::STEPS * ROW_X * rows + S::HIGH * S::W);
    LL_UNROLL
    for (unsigned v = 0; v < S::HIGH; ++v) {
        const size_t at =
            (size_t)(p.row * S::HIGH + v < j.rows ? p.row * S::HIGH + v
                                                  : j.rows - 1) *
                deep +
            (j.first + p.k) * S::STEPS;
        ll_ptx_cp_async_bulk_load(
            smem + S::STAGE * p.at.stage + S::STEPS * S::X + v * S::W,
            (unsigned long long)(w + at * S::TILE), S::W, full);
    }
}

/* One thread: starts all copies; the first weights while the kernel before may
 * still run, of which X may be a result. All weights at once would delay X. */
template <class S>
static __device__ void produce(unsigned smem, const unsigned char *w,
                               const CUtensorMap *map_x, unsigned deep,
                               unsigned rows, const job &j) {
    unsigned n = 0, early = 0;
    for (step<S> p(j); early < EARLY && p.x < j.tiles; p.next(j)) {
        copy_weights(smem, w, deep, rows, j, p);
        ++early;
    }
    ll_ptx_griddepcontrol_wait();
    for (step<S> p(j); p.x < j.tiles; p.next(j)) {
        if (n++ >= early) {
            copy_weights(smem, w, deep, rows, j, p);
        }
        LL_UNROLL
        for (unsigned u = 0; u < S::STEPS; ++u) {
            ll_ptx_cp_async_bulk_tensor_load_2d(
                smem + S::STAGE * p.at.stage + u * S::X, map_x,
                smem + S::FULL + 8 * p.at.stage,
                (int)(((j.first + p.k) * S::STEPS + u) * DEPTH),
                (int)(p.col * S::COLS));
        }
    }
}

/* A lane of each warp tells that the warp has read a stage. */
template <class S>
static __device__ void release(unsigned smem, unsigned stage) {
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
        ll_ptx_mbarrier_arrive(smem + S::EMPTY + 8 * stage);
    }
}

/* sum += a b for a slice; sum = a b if `more` is 0. */
template <unsigned TOKENS>
static __device__ void wgmma(float *sum, const unsigned *a,
                             unsigned long long b, unsigned more) {
    if constexpr (IS == e4m3) {
        ll_ptx_wgmma_f32_e4m3_ra<TOKENS>(sum, a, b, more);
    } else if constexpr (IS == f16) {
        ll_ptx_wgmma_f32_f16_ra<TOKENS>(sum, a, b, more);
    } else {
        ll_ptx_wgmma_f32_bf16_ra<TOKENS>(sum, a, b, more);
    }
}

/* The sums of a tile. A step is multiplied while the next one is unpacked; a
 * stage is released when no product reads it any more. */
template <format F, unsigned TOKENS, class S>
static __device__ void multiply(float (&sum)[TOKENS / 2], unsigned smem,
                                unsigned worker, unsigned count, place<S> &p) {
    const unsigned thread = threadIdx.x % 128;
    unsigned a[S::EACH][WORDS_A], before = 0;
    for (unsigned n = 0; n < count; ++n) {
        const unsigned stage = smem + S::STAGE * p.stage;
        const unsigned first = S::SHARES > 1 ? worker / S::HIGH * S::EACH : 0;
        const unsigned x = stage + first * S::X;
        const unsigned w =
            stage + S::STEPS * S::X + worker % S::HIGH * S::W + first * S::TILE;
        ll_ptx_mbarrier_wait(smem + S::FULL + 8 * p.stage, p.parity);
        LL_UNROLL
        for (unsigned u = 0; u < S::EACH; ++u) {
            const unsigned from = w + u * S::TILE;
            const unsigned long long desc = S::DESC + ((x + u * S::X) >> 4);
            if (IS == e4m3 && F == fp8) { /* products have read these */
                ll_ptx_wgmma_wait_group<S::EACH - 1>();
            }
            const ll_words words =
                elements_at<F>(from + thread / 32 * S::WARP_W, thread % 32);
            const ll_words scales =
                scales_of<F>(from + elements_of(F), thread / 4);
            ll_ptx_wgmma_wait_group<S::EACH - 1>();
            unpack<F>(a[u], words, scales);
            ll_ptx_wgmma_fence();
            LL_UNROLL
            for (unsigned s = 0; s < DEPTH / SLICE; ++s) {
                wgmma<TOKENS>(sum, a[u] + 4 * s, desc + (s * S::NEXT_K >> 4),
                              u + s ? 1 : n);
            }
            ll_ptx_wgmma_commit_group();
        }
        if (n) { /* its products ended before these steps were unpacked */
            release<S>(smem, before);
        }
        before = p.stage;
        p.next();
    }
    ll_ptx_wgmma_wait_group<0>();
    release<S>(smem, before);
}

/* Rounds the sums and has them stored; what was stored before has been read. */
static __device__ void store(const float *sum, float scale, unsigned char *smem,
                             const CUtensorMap *map_c, unsigned row,
                             unsigned col) {
    LL_IN(WORKER);
    unsigned words[LL_WORDS(STORED, 16)];
    LL_UNROLL
    for (unsigned w = 0; w < LL_WORDS(STORED, 16); ++w) {
        words[w] = rounded(scale * sum[2 * w], scale * sum[2 * w + 1]);
    }
    if (threadIdx.x % 128 == 0) {
        ll_ptx_cp_async_bulk_wait_group_read<0>();
    }
    LL_SYNC();
    LL_STORE_SHARED(words, OUT, smem);
    ll_ptx_fence_proxy_async();
    LL_SYNC();
    if (threadIdx.x % 128 == 0) {
        ll_ptx_cp_async_bulk_tensor_store_2d(
            map_c, (unsigned)__cvta_generic_to_shared(smem), (int)row,
            (int)col);
        ll_ptx_cp_async_bulk_commit_group();
    }
}

/* Adds the sums of the warpgroups of a cluster that share k: each puts its own
 * where the ring was, and takes its share of the registers from all. */
template <class S>
static __device__ void exchange(const float *sum, float scale, unsigned smem,
                                const job &j, unsigned short *c, unsigned row,
                                unsigned col, unsigned m, unsigned n) {
    typedef typename S::SUMS SUMS;
    LL_IN(WORKER);
    const unsigned worker = threadIdx.x / 128 - 1;
    const unsigned high = worker % S::HIGH;
    const unsigned rank = blockIdx.x % j.splits * S::SHARES + worker / S::HIGH;
    const unsigned share = LL_REGS(SUMS) / (j.splits * S::SHARES);
    const unsigned at = smem + threadIdx.x % 128 * 4;
    ll_ptx_bar_at<128 * S::WORKERS>(S::WORKERS + 1); /* the ring is read */
    LL_EACH(q, SUMS) {
        ll_words v = LL_ZERO;
        LL_MEMCPY_(v.w, sum + q, 4);
        ll_ptx_st_shared_b32(at + 512 * (S::WORKERS * q + worker), v);
    }
    LL_BARRIER_CLUSTER();
#pragma unroll 2
    for (unsigned y = 0; y < share; ++y) {
        const unsigned q = share * rank + y;
        const unsigned i = row + LL_AT(SUMS, LL_I, q);
        const unsigned x = col + LL_AT(SUMS, LL_J, q);
        float f[MOST * S::SHARES], all = 0;
        LL_UNROLL
        for (unsigned b = 0; b < MOST * S::SHARES; ++b) {
            const unsigned from = S::WORKERS * q + b / MOST * S::HIGH + high;
            const ll_words v = ll_ptx_ld_shared_cluster_b32(
                ll_ptx_mapa(at + 512 * from, b % MOST % j.splits));
            LL_MEMCPY_(&f[b], v.w, 4);
        }
        LL_UNROLL
        for (unsigned b = 0; b < MOST * S::SHARES; ++b) {
            all += b % MOST < j.splits ? f[b] : 0;
        }
        if (i < n && x < m) {
            c[(size_t)x * n + i] = (unsigned short)rounded(scale * all, 0);
        }
    }
}

/* Zeros in the rows of operand B that no copy fills; eight lanes write 128
 * bytes of one tile, or have nothing to do. */
template <class S>
static __device__ void clear(unsigned char *memory, unsigned rows) {
    const unsigned each = (S::X - ROW_X * rows) / 16;
    const unsigned lanes = ROW_X < 128 ? (each + 7) & ~7u : each;
    for (unsigned x = threadIdx.x - 128; x < S::STAGES * S::STEPS * lanes;
         x += 128 * S::WORKERS) {
        const unsigned tile = x / lanes;
        if (x % lanes < each) {
            *(uint4 *)(memory + tile / S::STEPS * S::STAGE +
                       tile % S::STEPS * S::X + ROW_X * rows + x % lanes * 16) =
                uint4{};
        }
    }
    ll_ptx_fence_proxy_async();
    ll_ptx_bar_at<128 * S::WORKERS>(S::WORKERS + 1);
}

template <format F, unsigned TOKENS, unsigned HIGH, unsigned SHARES>
__global__ void
__launch_bounds__(schedule<F, TOKENS, HIGH, SHARES>::THREADS, 1)
    lowbit(unsigned short *c, const unsigned char *w,
           const __grid_constant__ CUtensorMap map_x,
           const __grid_constant__ CUtensorMap map_c, unsigned m, unsigned n,
           unsigned k, unsigned splits, float scale) {
    typedef schedule<F, TOKENS, HIGH, SHARES> S;
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned smem = (unsigned)__cvta_generic_to_shared(memory);
    const job j((n + S::FEATURES - 1) / S::FEATURES, (m + TOKENS - 1) / TOKENS,
                (k / DEPTH + S::STEPS - 1) / S::STEPS, splits,
                (n + 127) / 128 * 2);
    const bool whole = TOKENS > 128 && splits == 1; /* no sums to exchange */
    ll_ptx_griddepcontrol_launch_dependents();
    if (threadIdx.x == 0) {
        for (unsigned s = 0; s < S::STAGES; ++s) {
            ll_ptx_mbarrier_init(smem + S::FULL + 8 * s, 1);
            ll_ptx_mbarrier_init(smem + S::EMPTY + 8 * s, 4 * S::WORKERS);
        }
        ll_ptx_fence_mbarrier_init();
    }
    __syncthreads();
    if (threadIdx.x < 128) {
        ll_ptx_setmaxnreg_dec<S::IDLE>();
        if (threadIdx.x == 0) {
            produce<S>(smem, w, &map_x, deep_of(k), m < TOKENS ? m : TOKENS, j);
        }
        __syncwarp();
        if (!whole) {
            LL_BARRIER_CLUSTER(); /* that of exchange */
        }
    } else {
        ll_ptx_setmaxnreg_inc<S::REGS>();
        if (m < TOKENS) {
            clear<S>(memory, m);
        }
        const unsigned worker = ll_ptx_shfl_idx(threadIdx.x / 128 - 1, 0);
        float sum[TOKENS / 2];
        unsigned row = 0, col = 0;
        place<S> p = {0, 0};
        for (unsigned x = 0; x < j.tiles; ++x) {
            j.find(x, row, col);
            row = row * S::FEATURES + worker % S::HIGH * 64;
            col *= TOKENS;
            multiply<F, TOKENS, S>(sum, smem, worker, j.count, p);
            LL_UNROLL
            for (unsigned y = 0; y + PART <= TOKENS && whole; y += PART) {
                store(sum + y / 2, scale,
                      memory + S::AT_C + worker * S::BYTES_C, &map_c, row,
                      col + y);
            }
        }
        if (!whole) {
            exchange<S>(sum, scale, smem, j, c, row, col, m, n);
        }
        if (threadIdx.x % 128 == 0) {
            ll_ptx_cp_async_bulk_wait_group<0>();
        }
        __syncwarp();
    }
    LL_BARRIER_CLUSTER(); /* nobody reads a block that has ended */
}

#include "lowbit_few.h"

/* ---- The launcher -------------------------------------------------------- */

template <format F, unsigned TOKENS, unsigned HIGH, unsigned SHARES>
static const char *launch_as(unsigned most, void *c, const void *x,
                             const void *w, unsigned m, unsigned n, unsigned k,
                             cudaStream_t stream, float scale) {
    typedef schedule<F, TOKENS, HIGH, SHARES> S;
    CUtensorMap map_x, map_c;
    const CUtensorMapDataType type = OUT_IS == f16
                                         ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16
                                         : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    const char *bad = /* zeros beyond the last token take time */
        map_of<2>(&map_x, x, IS == e4m3 ? CU_TENSOR_MAP_DATA_TYPE_UINT8 : type,
                  {k, m}, {S::BOX_X.box[0], m < TOKENS ? m : TOKENS},
                  IS == e4m3 ? CU_TENSOR_MAP_SWIZZLE_64B
                             : CU_TENSOR_MAP_SWIZZLE_128B);
    bad = bad ? bad
              : map_of_rows(&map_c, c, type, m, n, BOX_C.box[1],
                            BOX_C.box[0]);
    if (bad) {
        return bad;
    }
    const unsigned tiles =
        (n + S::FEATURES - 1) / S::FEATURES * ((m + TOKENS - 1) / TOKENS);
    const bool deep = k / DEPTH > 3 * S::STEPS; /* four stages at least */
    const unsigned splits = deep && MOST * tiles <= most ? MOST : 1;
    const unsigned blocks =
        TOKENS <= 128 || tiles < most ? tiles * splits : most;
    return launch_clusters(lowbit<F, TOKENS, HIGH, SHARES>, blocks,
                           splits, S::THREADS, S::SMEM, stream,
                           (unsigned short *)c, (const unsigned char *)w, map_x,
                           map_c, m, n, k, splits, lacking(F) * scale);
}

/* launch, for so many multiprocessors. Where tiles of few features leave many
 * of them unused, tiles are smaller; where not, larger ones read X less often.
 */
template <format F>
static const char *launch_on(unsigned most, void *c, const void *x,
                             const void *w, unsigned m, unsigned n, unsigned k,
                             cudaStream_t stream, float scale) {
    if (!m || !n || !k || n % 8 || k % DEPTH) {
        return "m, n and k are at least 1, n is a multiple of 8, so that rows "
               "start at multiples of 16 bytes, and k is a multiple of 64, so "
               "that groups of scales are whole";
    }
    if (!c || !x || !w || ((size_t)c | (size_t)x | (size_t)w) % 16) {
        return "C, X and W are not null, and start at multiples of 16 bytes";
    }
    const unsigned tiles = (n + 63) / 64; /* of 64 features */
    const bool low = MOST * tiles <= most;
    const bool mid = tiles <= most && F != fp8; /* a tile for each */
    if (m <= 16 && (low || IS != e4m3 || (mid && m <= 8))) {
        constexpr unsigned TALL = F == fp8 || IS == e4m3 ? 1 : 2;
        constexpr unsigned ALONE = F == fp8 ? 2 : 1;
        auto form =
            m > 8 ? launch_few<F, 16, TALL, 2> : launch_few<F, 8, TALL, 2>;
        if (low) {
            form = m > 8 ? launch_few<F, 16, 1, 2> : launch_few<F, 8, 1, 2>;
        } else if (mid) {
            form = m > 8 ? launch_few<F, 16, 1, 3 - TALL>
                         : launch_few<F, 8, 1, ALONE>;
        }
        return form(c, x, w, m, n, k, stream, scale);
    }
    const bool whole = low && k % 512 == 0;
    auto form = launch_as<F, 256, 2, 1>;
    if (m <= 32) {
        form = whole ? launch_as<F, 32, 1, 4> : launch_as<F, 32, 2, 2>;
        if constexpr (IS == e4m3) {
            form = m <= 8    ? launch_as<F, 8, 2, 2>
                   : m <= 16 ? launch_as<F, 16, 2, 2>
                             : form;
        }
    } else if (m <= 64) {
        form = whole ? launch_as<F, 64, 1, 4> : launch_as<F, 64, 2, 2>;
    } else if (m <= 128) {
        form = launch_as<F, 128, 2, 1>;
    }
    return form(most, c, x, w, m, n, k, stream, scale);
}

/* C = scale X W^T: m tokens, n features; nvfp4 has such a scale for all of W.
 * Returns null, or a sentence that says why it cannot. */
template <format F>
static const char *launch_scaled(void *c, const void *x, const void *w,
                                 unsigned m, unsigned n, unsigned k,
                                 cudaStream_t stream, float scale) {
    return launch_on<F>(processors_here(), c, x, w, m, n, k, stream, scale);
}

template <format F>
static const char *launch(void *c, const void *x, const void *w, unsigned m,
                          unsigned n, unsigned k, cudaStream_t stream) {
    return launch_scaled<F>(c, x, w, m, n, k, stream, 1);
}

#ifndef LL_NO_MAIN

/* On a small GPU tiles of 256 features need no large shapes. */
template <format F>
static const char *launch_small(void *c, const void *x, const void *w,
                                unsigned m, unsigned n, unsigned k,
                                cudaStream_t stream, float scale) {
    return launch_on<F>(4, c, x, w, m, n, k, stream, scale);
}

template <format F> static int run(int argc, char **argv) {
    static const unsigned shapes[][3] = {
        {3, 72, 2048},     {3, 8, 6400},      {40, 8, 1536},
        {12, 72, 1280},    {12, 8, 4608},     {17, 72, 1280},
        {100, 8, 192},     {130, 136, 384},   {16, 4096, 4096},
        {16, 8192, 4096},  {16, 16392, 4096}, {64, 4096, 4096},
        {100, 4104, 4160}, {200, 4096, 4096}, {4000, 4104, 4160}};
    static const unsigned small[][3] = {
        {3, 248, 2240}, {3, 328, 1600}, {12, 328, 1600}, {12, 248, 2240}};
    return demonstrate_all<F>(launch_scaled<F>, shapes, argc, argv) ||
           (argc < 4 && demonstrate_all<F>(launch_small<F>, small, argc, argv));
}

/* Whether pack takes what it cannot store: NaN, and an infinite scale. */
static bool packs_any() {
    static unsigned char to[1 << 16], none[8 * 64], nan[8 * 64] = {0x7f};
    const unsigned short s_4[32] = {0x7f80}, mx[32] = {255}, nv[32] = {127};
    return !pack<fp8>(to, nan, 0, 8, 64) || !pack<s4>(to, none, s_4, 8, 64) ||
           !pack<mxfp4>(to, none, mx, 8, 64) ||
           !pack<nvfp4>(to, none, nv, 8, 64);
}

/* Whether a product is refused in a sentence with these words. */
static bool says(const char *words, void *c, const void *x, const void *w,
                 unsigned m, unsigned n, unsigned k) {
    const char *said = launch<mxfp4>(c, x, w, m, n, k, 0);
    return said && strstr(said, words);
}

/* Whether it is, for shapes and for pointers that no kernel takes. */
static bool refuses_all() {
    static const unsigned shapes[][3] = {
        {0, 16, 64}, {16, 0, 64}, {16, 16, 0}, {16, 12, 64}, {16, 16, 40}};
    alignas(16) static unsigned char at[32];
    bool all = true;
    for (const unsigned(&s)[3] : shapes) {
        all &= says("k is a multiple of 64", at, at, at, s[0], s[1], s[2]);
    }
    for (unsigned x = 0; x < 12; ++x) { /* each null, and off by 1, 2 and 8 */
        void *p[] = {at, at, at};
        p[x / 4] = x % 4 ? at + (x % 4 > 2 ? 8 : x % 4) : 0;
        all &= says("are not null", p[0], p[1], p[2], 16, 16, 64);
    }
    return all;
}

int main(int argc, char **argv) {
    return !refuses_all() || packs_any() || run<mxfp4>(argc, argv) ||
           run<s4>(argc, argv) || run<nvfp4>(argc, argv) ||
           run<fp8>(argc, argv);
}

#endif
