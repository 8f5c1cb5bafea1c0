/* matmul_split.cu - how do all processors share a product that has few tiles?
 * SPDX-License-Identifier: MIT
 *
 * C = A B as in matmul_hopper.cu, whose kernel this file uses for large
 * products. Where C has fewer tiles than the GPU has processors, a cluster of
 * blocks computes each tile: every block multiplies a part of k. In the end
 * each lays its sums down in its shared memory, and adds up a part of the tile
 * that it reads from the memory of all blocks of the cluster.
 *
 * A block has one tile of HIGH x WIDE. The first warpgroup starts the copies,
 * the other two multiply: 64 rows each if HIGH is 128, half of the columns each
 * if it is 64. The partial sums lie in rows, groups of 32 bytes permuted by the
 * row, so that neither writing nor reading has bank conflicts.
 *
 * Build: nvcc -std=c++17 -O3 -gencode arch=compute_90a,code=sm_90a -I. \
 *            examples/matmul_split.cu -o matmul_split
 *        tests/emu/emucc -I. examples/matmul_split.cu -o matmul_split (no GPU)
 * Run:   matmul_split [m n k]
 */
#ifndef LL_NO_MAIN
#define LL_NO_MAIN
#define SPLIT_MAIN
#endif
#include "matmul_hopper.cu"

/* ---- Layouts ------------------------------------------------------------- */

/* clang-format off */
/* A tile, by blocks with so many KiB of stages: two in a processor if 96. */
template <unsigned HIGH_, unsigned WIDE_, unsigned KIB> struct shared_tile {
    enum : unsigned {
        HIGH = HIGH_, WIDE = WIDE_, RESIDENT = 192 / KIB,
        EACH = WIDE * HIGH / 128, /* columns of a warpgroup */
        BYTES_A = 128 * HIGH, BYTES_B = 128 * WIDE,
        STAGE = BYTES_A + BYTES_B, STAGES = KIB * 1024 / STAGE,
        FULL = STAGES * STAGE, EMPTY = FULL + 8 * STAGES,
        SMEM = EMPTY + 8 * STAGES,
        PART = 4 * 64 * EACH, /* bytes of the sums of a warpgroup */
        CHUNKS = HIGH * WIDE / 4, PER_ROW = EACH / 4
    };
    LL_LAYOUT(TILE_A, ll_ptx_smem_k(HIGH, DEPTH, BITS, 128));
    LL_LAYOUT(TILE_B, ll_ptx_smem_k(WIDE, DEPTH, BITS, 128));
    LL_LAYOUT(SUMS, ll_ptx_wgmma_d(64, EACH, 4));
    LL_PLAN_THROUGH(OUT, SUMS, SUMS, 32, LL_SM90,
                    ll_swizzled(ll_matrix_(64, EACH), 8, 1, 4));
    LL_EXPECT_NO_CONFLICTS(OUT);
    static constexpr ll_ptx_tensor BOX_A =
        ll_ptx_tensor_of(LL_GET(TILE_A), HIGH, DEPTH, BITS);
    static constexpr ll_ptx_tensor BOX_B =
        ll_ptx_tensor_of(LL_GET(TILE_B), WIDE, DEPTH, BITS);
    static constexpr unsigned long long DESC_A = ll_ptx_desc_wgmma(
        ll_ptx_desc_slice(LL_GET(TILE_A), 64, SLICE, BITS, 0, 0), 0);
    static constexpr unsigned long long DESC_B = ll_ptx_desc_wgmma(
        ll_ptx_desc_slice(LL_GET(TILE_B), EACH, SLICE, BITS, 0, 0), 0);
    static_assert(BOX_A.copies == 1 && BOX_B.copies == 1, "");
};
/* clang-format on */

/* ---- The kernel ---------------------------------------------------------- */

/* What a block computes: a tile, and steps of k from `first` on. */
struct share {
    unsigned row, col, first, steps;
};

template <class T>
static __device__ share share_of(unsigned n, unsigned k, unsigned rank,
                                 unsigned blocks) {
    const unsigned tile = blockIdx.x / blocks,
                   wide = (n + T::WIDE - 1) / T::WIDE;
    const unsigned all = (k + DEPTH - 1) / DEPTH;
    const unsigned each = (all + blocks - 1) / blocks;
    const unsigned first = rank * each < all ? rank * each : all;
    return {tile / wide * T::HIGH, tile % wide * T::WIDE, first,
            all - first < each ? all - first : each};
}

template <class T> struct stages {
    unsigned smem, stage, parity;
    __device__ unsigned a() const { return smem + T::STAGE * stage; }
    __device__ unsigned b() const { return a() + T::BYTES_A; }
    __device__ unsigned full() const { return smem + T::FULL + 8 * stage; }
    __device__ unsigned empty() const { return smem + T::EMPTY + 8 * stage; }
    __device__ void next() {
        stage = stage + 1 == T::STAGES ? 0 : stage + 1;
        parity ^= stage == 0;
    }
};

/* One thread: starts the copies of all steps. */
template <class T>
static __device__ void fill(unsigned smem, const CUtensorMap *map_a,
                            const CUtensorMap *map_b, share s) {
    stages<T> at = {smem, 0, 1};
    for (unsigned x = s.first; x < s.first + s.steps; ++x) {
        ll_ptx_mbarrier_wait(at.empty(), at.parity);
        ll_ptx_mbarrier_arrive_expect_tx(at.full(), T::STAGE);
        ll_ptx_cp_async_bulk_tensor_load_2d(at.a(), map_a, at.full(),
                                            (int)(x * DEPTH), (int)s.row);
        ll_ptx_cp_async_bulk_tensor_load_2d(at.b(), map_b, at.full(),
                                            (int)(x * DEPTH), (int)s.col);
        at.next();
    }
}

/* The sums of a warpgroup. */
template <class T>
static __device__ void add_up(float *sum, unsigned smem, unsigned worker,
                              unsigned steps) {
    const unsigned to_a = T::HIGH == 128 ? worker * 64 * 128 : 0;
    const unsigned to_b = T::HIGH == 128 ? 0 : worker * T::EACH * 128;
    stages<T> at = {smem, 0, 0};
    unsigned before = 0;
    for (unsigned x = 0; x < steps; ++x) {
        const unsigned long long desc_a = T::DESC_A + ((at.a() + to_a) >> 4);
        const unsigned long long desc_b = T::DESC_B + ((at.b() + to_b) >> 4);
        ll_ptx_mbarrier_wait(at.full(), at.parity);
        ll_ptx_wgmma_fence();
        LL_UNROLL
        for (unsigned s = 0; s < DEPTH / SLICE; ++s) {
            wgmma<T::EACH>(sum, desc_a + (s * NEXT_K >> 4),
                           desc_b + (s * NEXT_K >> 4), x + s);
        }
        ll_ptx_wgmma_commit_group();
        if (x) {
            ll_ptx_wgmma_wait_group<1>();
            if (threadIdx.x % 128 == 0) {
                ll_ptx_mbarrier_arrive(before);
            }
        }
        before = at.empty();
        at.next();
    }
    ll_ptx_wgmma_wait_group<0>();
}

/* Adds 4 sums of all blocks and stores them in C. Number x of them is at byte
 * 16 x of the partial sums. */
template <class T>
static __device__ void finish(void *c, unsigned smem, unsigned x,
                              unsigned blocks, share s, unsigned m,
                              unsigned n) {
    const unsigned part = 16 * x / T::PART, y = x % (64 * T::PER_ROW);
    const unsigned i = y / T::PER_ROW, j = 4 * (y % T::PER_ROW ^ 2 * (i % 4));
    const unsigned row = s.row + i + (T::HIGH == 128 ? 64 * part : 0);
    const unsigned col = s.col + j + (T::HIGH == 128 ? 0 : T::EACH * part);
    float sum[4] = LL_ZERO;
    for (unsigned block = 0; block < blocks; ++block) {
        const ll_words w =
            ll_ptx_ld_shared_cluster_b128(ll_ptx_mapa(smem + 16 * x, block));
        LL_UNROLL
        for (unsigned e = 0; e < 4; ++e) {
            sum[e] += __uint_as_float(w.w[e]);
        }
    }
    if (row < m && col < n) {
        unsigned *to = (unsigned *)c + ((size_t)row * n + col) / 2;
        to[0] = ll_ptx_cvt_bf16x2(sum[0], sum[1]);
        to[1] = ll_ptx_cvt_bf16x2(sum[2], sum[3]);
    }
}

template <class T>
__global__ void __launch_bounds__(THREADS, T::RESIDENT)
    matmul_by_parts(const __grid_constant__ CUtensorMap map_a,
                    const __grid_constant__ CUtensorMap map_b, void *c,
                    unsigned m, unsigned n, unsigned k, unsigned blocks) {
    typedef typename T::OUT OUT;
    typedef typename T::SUMS SUMS;
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned smem = (unsigned)__cvta_generic_to_shared(memory);
    const unsigned rank = ll_ptx_cluster_ctarank();
    const share s = share_of<T>(n, k, rank, blocks);
    if (threadIdx.x == 0) {
        for (unsigned x = 0; x < T::STAGES; ++x) {
            ll_ptx_mbarrier_init(smem + T::FULL + 8 * x, 1);
            ll_ptx_mbarrier_init(smem + T::EMPTY + 8 * x, WORKERS);
        }
        ll_ptx_fence_mbarrier_init();
    }
    __syncthreads();
    float sum[LL_REGS(SUMS)] = LL_ZERO;
    if (threadIdx.x < 128) {
        if (threadIdx.x == 0) {
            fill<T>(smem, &map_a, &map_b, s);
        }
    } else {
        add_up<T>(sum, smem, threadIdx.x / 128 - 1, s.steps);
    }
    __syncthreads(); /* the ring is free */
    if (threadIdx.x >= 128) {
        LL_IN(WORKER);
        LL_STORE_SHARED(sum, OUT, memory + (threadIdx.x / 128 - 1) * T::PART);
    }
    LL_BARRIER_CLUSTER();
    for (unsigned x = rank * THREADS + threadIdx.x; x < T::CHUNKS;
         x += blocks * THREADS) {
        finish<T>(c, smem, x, blocks, s, m, n);
    }
    LL_BARRIER_CLUSTER(); /* others still read the memory of this block */
}

/* ---- The launcher -------------------------------------------------------- */

template <class T>
static const char *launch_by_parts(void *c, const void *a, const void *b,
                                   unsigned m, unsigned n, unsigned k,
                                   unsigned blocks) {
    CUtensorMap map_a, map_b;
    const char *bad = map_of(&map_a, a, IN, m, k, T::BOX_A);
    bad = bad ? bad : map_of(&map_b, b, IN, n, k, T::BOX_B);
    if (bad) {
        return bad;
    }
    cudaLaunchConfig_t config = LL_ZERO;
    cudaLaunchAttribute cluster[1];
    cluster[0].id = cudaLaunchAttributeClusterDimension;
    cluster[0].val.clusterDim.x = blocks;
    cluster[0].val.clusterDim.y = cluster[0].val.clusterDim.z = 1;
    config.gridDim = dim3((m + T::HIGH - 1) / T::HIGH *
                          ((n + T::WIDE - 1) / T::WIDE) * blocks);
    config.blockDim = dim3(THREADS);
    config.dynamicSmemBytes = T::SMEM;
    config.attrs = cluster;
    config.numAttrs = 1;
    MUST(cudaFuncSetAttribute(matmul_by_parts<T>,
                              cudaFuncAttributeMaxDynamicSharedMemorySize,
                              (int)T::SMEM));
    return cudaLaunchKernelEx(&config, matmul_by_parts<T>, map_a, map_b, c, m,
                              n, k, blocks) == cudaSuccess
               ? 0
               : "the launch failed: this kernel is for sm_90a";
}

/* The schedules: 0 is the kernel of matmul_hopper.cu; of the others, the low
 * four bits are the blocks of a cluster. Which is fastest depends on the GPU:
 * time them. */
enum schedule : unsigned {
    WHOLE = 0,
    LOW = 16,
    HIGH_TILES = 32,
    WIDE_TILES = 48,
    LOW_TWO = 64
};

static const char *launch_how(void *c, const void *a, const void *b, unsigned m,
                              unsigned n, unsigned k, unsigned how) {
    const unsigned blocks = how & 15;
    if (!m || !n || !k || n % 8 || k * BITS % 128 || how == WHOLE) {
        return launch(c, a, b, m, n, k);
    }
    switch (how & ~15u) {
    case LOW:
        return launch_by_parts<shared_tile<64, 128, 192>>(c, a, b, m, n, k,
                                                          blocks);
    case HIGH_TILES:
        return launch_by_parts<shared_tile<128, 128, 192>>(c, a, b, m, n, k,
                                                           blocks);
    case WIDE_TILES:
        return launch_by_parts<shared_tile<128, 256, 192>>(c, a, b, m, n, k,
                                                           blocks);
    default:
        return launch_by_parts<shared_tile<64, 128, 96>>(c, a, b, m, n, k,
                                                         blocks);
    }
}

#ifdef SPLIT_MAIN

/* Low tiles by clusters of four for few rows, wide ones of two for more. */
static const char *launch_by_rows(void *c, const void *a, const void *b,
                                  unsigned m, unsigned n, unsigned k) {
    return launch_how(c, a, b, m, n, k,
                      m <= 64    ? LOW_TWO + 4
                      : m <= 128 ? HIGH_TILES + 2
                      : m <= 512 ? WIDE_TILES + 2
                                 : WHOLE);
}

int main(int argc, char **argv) {
    static const unsigned shapes[][3] = {{200, 264, 144},   {1, 8, 16},
                                         {70, 136, 528},    {16, 8192, 8192},
                                         {64, 8192, 28672}, {200, 8192, 8192}};
    const product p = {IN, IN, OUT_IS, false, true, launch_by_rows};
    return demonstrate_all(p, shapes, argc, argv);
}

#endif
