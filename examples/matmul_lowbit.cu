/* matmul_lowbit.cu - how are weights of 4 bits multiplied at the speed of the
 * tensor cores, and read at the speed of memory?
 * SPDX-License-Identifier: MIT
 *
 * C = X W^T: X is tokens x k, bf16, by rows; W is features x k of 4 bits an
 * element with a scale for each group along k; C is tokens x features, bf16,
 * by rows; sums are f32. The formats of W:
 *
 *     mxfp4  e2m1 with a scale 2^e for each 32 elements, e from -61 to 64
 *     s4   -8 to 7 with a bf16 scale for each 64 elements
 *
 * W is operand A of wgmma, from registers: its elements become bf16 there and
 * never see shared memory as such. So W is stored once, by `pack`, in the order
 * of that operand: register, lane, warp. A lane then gets 64 x 64 elements'
 * share of four slices of k by one access of 16 bytes, and needs no other lane.
 *
 * Eight elements share a word, and where their bits lie in it is free as well.
 * The bits of e2m1 belong at 15, 8, 7 and 6 of a bf16, which is then the number
 * times 2^-126. A shift and a mask give two elements, but four such patterns do
 * not fit into a word side by side. They do fit with some bits stored as XOR of
 * others: `pair` takes 4 shifts and 4 masks for 8 elements. It is linear over
 * F2, hence a layout, and packing a word is its inverse. An s4 is cheaper: a
 * bf16 below 2^-125 is its 8 lowest bits times 2^-133, so that x + 8 at bits 0
 * to 3, or 4 to 7, is a number already. One fma for two elements then applies
 * scale and bias. The scales leave 2^-64, which the sums get back at the end.
 *
 * One kernel has a schedule for each number of tokens. A thread fills a ring of
 * stages in shared memory: weights by bulk copies, activations by the copy
 * engine as operand B. Two warpgroups multiply; wgmma runs while the next slice
 * is unpacked. With few tokens (decoding) the time is that of reading W: a
 * cluster of blocks shares k, so that all processors read, and adds its sums
 * through distributed shared memory; and since W is not a result of the kernel
 * before, its first stages are on their way before that one has ended. With
 * many tokens (prefill) a block takes tiles of 128 features x 256 tokens.
 *
 * Build: nvcc -std=c++17 -O3 -gencode arch=compute_90a,code=sm_90a -I. \
 *            examples/matmul_lowbit.cu -o matmul_lowbit
 *        without a GPU:
 *        tests/emu/emucc -I. examples/matmul_lowbit.cu -o matmul_lowbit
 * Run:   matmul_lowbit [tokens features k]
 */
#define LL_TENSOR
#include "matmul_lowbit.h"

/* ---- Layouts ------------------------------------------------------------- */

/* clang-format off */
enum : unsigned {
    FEATURES = 128, THREADS = 384, WORKERS = 2, /* of a tile, of a block */
    GROUP = 4                                   /* tiles of tokens at a time */
};
/* clang-format on */

LL_SCOPE(WORKER, threadIdx.x % 128, 128, LL_BARRIER_AT(threadIdx.x / 128));

/* Tiles of 128 features x TOKENS, and shared memory: the ring, tiles of C, the
 * mbarriers. */
template <unsigned TOKENS> struct schedule {
    /* clang-format off */
    enum : unsigned {
        STEPS = TOKENS > 128 ? 1 : 2,  /* of DEPTH, in a stage */
        BLOCKS = TOKENS > 64 ? 1 : 2,  /* of a processor */
        MOST = 2 * BLOCKS,             /* blocks of a cluster: more find no
                                          room everywhere at once */
        PART = TOKENS > 128 ? 128 : TOKENS, /* tokens of C stored at once */
        X = 2 * DEPTH * TOKENS, W = TILE * WORKERS, BYTES = STEPS * (X + W),
        STAGE = (BYTES + 1023) & ~1023u,
        BYTES_C = TOKENS > 128 ? 2 * 64 * PART : 0,
        SPACE = (BLOCKS == 2 ? 112 : 226) * 1024 - WORKERS * BYTES_C,
        STAGES = SPACE / STAGE, AT_C = STAGES * STAGE,
        FULL = AT_C + WORKERS * BYTES_C, EMPTY = FULL + 8 * STAGES,
        SMEM = EMPTY + 8 * STAGES
    };
    /* clang-format on */
    LL_LAYOUT(TILE_X, ll_ptx_smem_k(TOKENS, DEPTH, 16, 128));
    LL_LAYOUT(TILE_C, ll_ptx_smem_mn(64, PART, 16, 128, 16));
    LL_LAYOUT(SUMS, ll_ptx_wgmma_d(64, TOKENS, 4));
    LL_LAYOUT(STORED, ll_ptx_wgmma_d(64, PART, 4));
    LL_PLAN_THROUGH(OUT, STORED, STORED, 16, LL_SM90, LL_GET(TILE_C));
    LL_EXPECT_NO_CONFLICTS(OUT);

    static constexpr ll_ptx_desc slice(unsigned k) {
        return ll_ptx_desc_slice(LL_GET(TILE_X), TOKENS, 16, 16, 0, k);
    }
    static constexpr unsigned long long DESC = ll_ptx_desc_wgmma(slice(0), 0);
    static constexpr unsigned NEXT_K = slice(16).at;
    static constexpr ll_ptx_tensor BOX_X =
        ll_ptx_tensor_of(LL_GET(TILE_X), TOKENS, DEPTH, 16);
    static constexpr ll_ptx_tensor BOX_C =
        ll_ptx_tensor_of(LL_GET(TILE_C), 64, PART, 16);
    static_assert(DESC && slice(48).at == 3 * NEXT_K, "");
    static_assert(BOX_X.copies == 1 && BOX_C.copies == 1, "");
    static_assert(TOKENS * 512 <= AT_C, "the sums find room in the ring");
};

/* ---- Words of weights ---------------------------------------------------- */

/* The four words of operand A of slice s. Words of A alternate between rows
 * i and i + 8, and `scales` has what the lane needs of both. */
template <format F>
static __device__ void unpack(unsigned *a, unsigned w, unsigned scales,
                              unsigned s) {
    LL_UNROLL
    for (unsigned p = 0; p < 4; ++p) {
        const unsigned row = p & 1, none = 0x80008000u;
        if (F == s4) { /* pack has divided the second row's by 16 */
            const unsigned x = ll_ptx_prmt(scales, 0, row ? 0x3232 : 0x1010);
            const unsigned bias = row ? 0x80808080u : 0x80088008u;
            a[p] = ll_ptx_fma_bf16x2(pair<F>(w, p), x,
                                     ll_ptx_fma_bf16x2(x, bias, none));
        } else {
            const unsigned x = 0x4040u + 0x0101u * (row + s / 2 * 2);
            a[p] = ll_ptx_fma_bf16x2(pair<F>(w, p),
                                     ll_ptx_prmt(scales, 0, x) << 7, none);
        }
    }
}

/* ---- The kernel ---------------------------------------------------------- */

/* What a block does: tiles, and for each `count` stages of k from `first`. */
struct job {
    unsigned high, wide, splits, first, count, tiles;
    __device__ job(unsigned m, unsigned n, unsigned stages, unsigned tokens,
                   unsigned parts)
        : high((n + FEATURES - 1) / FEATURES), wide((m + tokens - 1) / tokens),
          splits(parts), first(stages * (blockIdx.x % parts) / parts),
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
template <unsigned TOKENS> struct place {
    unsigned stage, parity;
    __device__ void next() {
        stage = stage + 1 == schedule<TOKENS>::STAGES ? 0 : stage + 1;
        parity ^= stage == 0;
    }
};

/* Stage k of tile x of a job, and its place. */
template <unsigned TOKENS> struct step {
    unsigned x, k, row, col;
    place<TOKENS> at;
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

/* One thread: starts the copy of the weights of a stage, which lie together. */
template <unsigned TOKENS>
static __device__ void copy_weights(unsigned smem, const unsigned char *w,
                                    unsigned stages, const job &j,
                                    const step<TOKENS> &p) {
    typedef schedule<TOKENS> S;
    const unsigned full = smem + S::FULL + 8 * p.at.stage;
    const size_t at = (size_t)(p.row * stages + j.first + p.k) * S::STEPS;
    ll_ptx_mbarrier_wait(smem + S::EMPTY + 8 * p.at.stage, !p.at.parity);
    ll_ptx_mbarrier_arrive_expect_tx(full, S::BYTES);
    ll_ptx_cp_async_bulk_load(smem + S::STAGE * p.at.stage + S::STEPS * S::X,
                              (unsigned long long)(w + at * S::W),
                              S::STEPS * S::W, full);
}

/* One thread: starts all copies; the first weights while the kernel before may
 * still run, of which X may be a result. */
template <unsigned TOKENS>
static __device__ void produce(unsigned smem, const unsigned char *w,
                               const CUtensorMap *map_x, unsigned stages,
                               const job &j) {
    typedef schedule<TOKENS> S;
    unsigned n = 0, early = 0;
    for (step<TOKENS> p(j); early < S::STAGES && p.x < j.tiles; p.next(j)) {
        copy_weights(smem, w, stages, j, p);
        ++early;
    }
    ll_ptx_griddepcontrol_wait();
    for (step<TOKENS> p(j); p.x < j.tiles; p.next(j)) {
        if (n++ >= early) {
            copy_weights(smem, w, stages, j, p);
        }
        LL_UNROLL
        for (unsigned u = 0; u < S::STEPS; ++u) {
            ll_ptx_cp_async_bulk_tensor_load_2d(
                smem + S::STAGE * p.at.stage + u * S::X, map_x,
                smem + S::FULL + 8 * p.at.stage,
                (int)(((j.first + p.k) * S::STEPS + u) * DEPTH),
                (int)(p.col * TOKENS));
        }
    }
}

/* A lane of each warp tells that the warp has read a stage. */
template <unsigned TOKENS>
static __device__ void release(unsigned smem, unsigned stage) {
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
        ll_ptx_mbarrier_arrive(smem + schedule<TOKENS>::EMPTY + 8 * stage);
    }
}

/* The sums of a tile. A step is multiplied while the next one is unpacked; a
 * stage is released when no product reads it any more. */
template <format F, unsigned TOKENS>
static __device__ void multiply(float (&sum)[TOKENS / 2], unsigned smem,
                                unsigned count, place<TOKENS> &p) {
    typedef schedule<TOKENS> S;
    const unsigned thread = threadIdx.x % 128;
    const unsigned worker = threadIdx.x / 128 - 1;
    unsigned a[S::STEPS][4][4], before = 0;
    for (unsigned n = 0; n < count; ++n) {
        const unsigned x = smem + S::STAGE * p.stage;
        const unsigned w = x + S::STEPS * S::X + worker * TILE;
        ll_ptx_mbarrier_wait(smem + S::FULL + 8 * p.stage, p.parity);
        LL_UNROLL
        for (unsigned u = 0; u < S::STEPS; ++u) {
            const unsigned from = w + u * S::W;
            const unsigned long long desc = S::DESC + (x + u * S::X >> 4);
            const ll_words words = ll_ptx_ld_shared_b128(from + 16 * thread);
            const ll_words scales =
                ll_ptx_ld_shared_b32(from + WORDS + thread / 4 * 4);
            ll_ptx_wgmma_wait_group<S::STEPS - 1>();
            LL_UNROLL
            for (unsigned s = 0; s < 4; ++s) {
                unpack<F>(a[u][s], words.w[s], scales.w[0], s);
            }
            ll_ptx_wgmma_fence();
            LL_UNROLL
            for (unsigned s = 0; s < 4; ++s) {
                ll_ptx_wgmma_f32_bf16_ra<TOKENS>(
                    sum, a[u][s], desc + (s * S::NEXT_K >> 4), u + s ? 1 : n);
            }
            ll_ptx_wgmma_commit_group();
        }
        if (n) { /* its products ended before these steps were unpacked */
            release<TOKENS>(smem, before);
        }
        before = p.stage;
        p.next();
    }
    ll_ptx_wgmma_wait_group<0>();
    release<TOKENS>(smem, before);
}

/* Rounds the sums and has them stored; what was stored before has been read. */
template <unsigned TOKENS>
static __device__ void store(const float *sum, unsigned char *smem,
                             const CUtensorMap *map_c, unsigned row,
                             unsigned col) {
    typedef typename schedule<TOKENS>::STORED STORED;
    typedef typename schedule<TOKENS>::OUT OUT;
    LL_IN(WORKER);
    unsigned words[LL_WORDS(STORED, 16)];
    LL_UNROLL
    for (unsigned w = 0; w < LL_WORDS(STORED, 16); ++w) {
        words[w] =
            ll_ptx_cvt_bf16x2(0x1p64f * sum[2 * w], 0x1p64f * sum[2 * w + 1]);
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

/* Adds the sums of a cluster: each block puts its own where the ring was, two
 * registers side by side, and takes its share of the registers from all. */
template <unsigned TOKENS>
static __device__ void exchange(const float *sum, unsigned smem, const job &j,
                                unsigned short *c, unsigned row, unsigned col,
                                unsigned m, unsigned n) {
    typedef typename schedule<TOKENS>::SUMS SUMS;
    LL_IN(WORKER);
    const unsigned at = smem + 8 * (threadIdx.x - 128);
    const unsigned share = TOKENS / 4 / j.splits;
    ll_ptx_bar_at<128 * WORKERS>(WORKERS + 1); /* nobody reads the ring */
    LL_UNROLL
    for (unsigned q = 0; q < TOKENS / 4; ++q) {
        ll_words v = LL_ZERO;
        LL_COPY_(v.w, sum + 2 * q, 8);
        ll_ptx_st_shared_b64(at + 2048 * q, v);
    }
    LL_BARRIER_CLUSTER();
#pragma unroll 2
    for (unsigned y = 0; y < share; ++y) {
        const unsigned q = share * (blockIdx.x % j.splits) + y;
        const unsigned i = row + LL_AT(SUMS, LL_I, 2 * q);
        const unsigned x = col + LL_AT(SUMS, LL_J, 2 * q);
        float f[schedule<TOKENS>::MOST][2], low = 0, high = 0;
        LL_UNROLL
        for (unsigned b = 0; b < schedule<TOKENS>::MOST; ++b) {
            const ll_words v = ll_ptx_ld_shared_cluster_b64(
                ll_ptx_mapa(at + 2048 * q, b % j.splits));
            LL_COPY_(f[b], v.w, 8);
        }
        LL_UNROLL
        for (unsigned b = 0; b < schedule<TOKENS>::MOST; ++b) {
            low += b < j.splits ? f[b][0] : 0;
            high += b < j.splits ? f[b][1] : 0;
        }
        const unsigned two = ll_ptx_cvt_bf16x2(0x1p64f * low, 0x1p64f * high);
        if (i < n && x < m) {
            c[(size_t)x * n + i] = (unsigned short)two;
        }
        if (i < n && x + 1 < m) {
            c[(size_t)(x + 1) * n + i] = (unsigned short)(two >> 16);
        }
    }
}

template <format F, unsigned TOKENS>
__global__ void __launch_bounds__(THREADS, schedule<TOKENS>::BLOCKS)
    lowbit(unsigned short *c, const unsigned char *w,
           const __grid_constant__ CUtensorMap map_x,
           const __grid_constant__ CUtensorMap map_c, unsigned m, unsigned n,
           unsigned stages, unsigned splits) {
    typedef schedule<TOKENS> S;
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned smem = (unsigned)__cvta_generic_to_shared(memory);
    const job j(m, n, stages, TOKENS, splits);
    const bool whole = TOKENS > 128 && splits == 1; /* no sums to exchange */
    ll_ptx_griddepcontrol_launch_dependents();
    if (threadIdx.x == 0) {
        for (unsigned s = 0; s < S::STAGES; ++s) {
            ll_ptx_mbarrier_init(smem + S::FULL + 8 * s, 1);
            ll_ptx_mbarrier_init(smem + S::EMPTY + 8 * s, 4 * WORKERS);
        }
        ll_ptx_fence_mbarrier_init();
    }
    __syncthreads();
    if (threadIdx.x < 128) {
        ll_ptx_setmaxnreg_dec<40>();
        if (threadIdx.x == 0) {
            produce<TOKENS>(smem, w, &map_x, stages, j);
        }
        __syncwarp();
        if (!whole) {
            LL_BARRIER_CLUSTER(); /* that of exchange */
        }
    } else {
        ll_ptx_setmaxnreg_inc<S::BLOCKS == 2 ? 96 : 232>();
        const unsigned worker = threadIdx.x / 128 - 1;
        float sum[TOKENS / 2];
        unsigned row = 0, col = 0;
        place<TOKENS> p = {0, 0};
        for (unsigned x = 0; x < j.tiles; ++x) {
            j.find(x, row, col);
            row = row * FEATURES + 64 * worker;
            col *= TOKENS;
            multiply<F, TOKENS>(sum, smem, j.count, p);
            LL_UNROLL
            for (unsigned y = 0; y < TOKENS && whole; y += S::PART) {
                store<TOKENS>(sum + y / 2,
                              memory + S::AT_C + worker * S::BYTES_C, &map_c,
                              row, col + y);
            }
        }
        if (!whole) {
            exchange<TOKENS>(sum, smem, j, c, row, col, m, n);
        }
        if (threadIdx.x % 128 == 0) {
            ll_ptx_cp_async_bulk_wait_group<0>();
        }
        __syncwarp();
    }
    LL_BARRIER_CLUSTER(); /* nobody reads a block that has ended */
}

/* ---- The launcher -------------------------------------------------------- */

template <format F, unsigned TOKENS>
static const char *launch_as(void *c, const void *x, const void *w, unsigned m,
                             unsigned n, unsigned k, cudaStream_t stream) {
    typedef schedule<TOKENS> S;
    CUtensorMap map_x, map_c;
    int device = 0, processors = 0;
    const char *bad = map_of(&map_x, x, m, k, S::BOX_X);
    bad = bad ? bad : map_of(&map_c, c, m, n, S::BOX_C);
    if (bad) {
        return bad;
    }
    MUST(cudaGetDevice(&device));
    MUST(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount,
                                device));
    MUST(cudaFuncSetAttribute(lowbit<F, TOKENS>,
                              cudaFuncAttributeMaxDynamicSharedMemorySize,
                              (int)S::SMEM));
    const unsigned most = (unsigned)processors * S::BLOCKS;
    const unsigned stages = (k + 127) / 128 * 2 / S::STEPS;
    const unsigned tiles =
        (n + FEATURES - 1) / FEATURES * ((m + TOKENS - 1) / TOKENS);
    unsigned splits = 1; /* blocks that share a tile, four stages each */
    while (splits < S::MOST && 2 * splits * tiles <= most &&
           stages >= 8 * splits) {
        splits *= 2;
    }
    const unsigned blocks =
        TOKENS <= 128 || tiles < most ? tiles * splits : most;
    cudaLaunchAttribute how[2] = {};
    how[0].id = cudaLaunchAttributeClusterDimension;
    how[0].val.clusterDim.x = splits;
    how[0].val.clusterDim.y = how[0].val.clusterDim.z = 1;
    how[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    how[1].val.programmaticStreamSerializationAllowed = 1;
    const cudaLaunchConfig_t config = {dim3(blocks), dim3(THREADS), S::SMEM,
                                       stream,       how,           2};
    return cudaLaunchKernelEx(&config, lowbit<F, TOKENS>, (unsigned short *)c,
                              (const unsigned char *)w, map_x, map_c, m, n,
                              stages, splits) == cudaSuccess
               ? 0
               : "the launch failed: this kernel is for sm_90a";
}

/* C = X W^T: m tokens, n features. Returns null, or a sentence that says why
 * it cannot. */
template <format F>
static const char *launch(void *c, const void *x, const void *w, unsigned m,
                          unsigned n, unsigned k, cudaStream_t stream) {
    if (!m || !n || !k || n % 8 || k % DEPTH) {
        return "m, n and k are at least 1, n is a multiple of 8, so that rows "
               "start at multiples of 16 bytes, and k is one of 64, so that "
               "groups of scales are whole";
    }
    return (m <= 16    ? launch_as<F, 16>
            : m <= 64  ? launch_as<F, 64>
            : m <= 128 ? launch_as<F, 128>
                       : launch_as<F, 256>)(c, x, w, m, n, k, stream);
}

#ifndef LL_NO_MAIN

int main(int argc, char **argv) {
    static const unsigned shapes[][3] = {
        {3, 72, 768},      {20, 136, 1024},   {100, 8, 192},
        {130, 136, 384},   {16, 4096, 16384}, {64, 4096, 4096},
        {100, 4104, 4160}, {200, 4096, 4096}, {4000, 4104, 4160}};
    return !launch<mxfp4>(0, 0, 0, 16, 16, 40, 0) ||
           demonstrate_all<mxfp4>(launch<mxfp4>, shapes, argc, argv) ||
           demonstrate_all<s4>(launch<s4>, shapes, argc, argv);
}

#endif
