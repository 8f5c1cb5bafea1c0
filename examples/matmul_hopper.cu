/* matmul_hopper.cu - how does a product of matrices reach the speed of Hopper's
 * tensor cores?
 * SPDX-License-Identifier: MIT
 *
 * C = A B, sums in f32. A is m x k by rows, B k x n by columns (k is contiguous
 * in both), C is m x n by rows. A and B have the type OPERAND: bf16, f16, or
 * e4m3. C is f16 if they are, otherwise bf16; the sums are multiplied by one
 * scale. Rows start at multiples of 16 bytes; otherwise m, n and k are free.
 *
 * Two blocks form a cluster. Each computes tiles of 128 x 256 of C. One thread
 * starts copies: the copy engine fills a ring of stages in shared memory. Two
 * warpgroups multiply by wgmma, which reads both operands from there. At the
 * end of a tile they round the sums and store them by stmatrix; the copy engine
 * takes that to global memory while the next tile is computed. 09_hopper.md
 * explains this file line by line.
 *
 * Build: nvcc -std=c++17 -O3 -gencode arch=compute_90a,code=sm_90a -I. \
 *            examples/matmul_hopper.cu -o matmul_hopper
 *        without a GPU:
 *        tests/emu/emucc -I. examples/matmul_hopper.cu -o matmul_hopper
 * Run:   matmul_hopper [m n k]
 */
#define LL_TENSOR
#include "matmul.h"
#include "ll_ptx.h"
#include <cuda.h>

#ifndef OPERAND
#define OPERAND bf16
#endif

/* ---- Layouts ------------------------------------------------------------- */

constexpr type IN = OPERAND, OUT_IS = IN == f16 ? f16 : bf16;

/* clang-format off */
enum : unsigned {
    BITS = bits_of(IN), SLICE = 256 / BITS,        /* of k, of one wgmma */
    ROWS = 128, COLS = 256, DEPTH = 128 * 8 / BITS, /* a tile of C, and of k */
    STAGES = 4, BLOCKS = 2,             /* of the ring, of a cluster */
    GROUP = 8,                          /* rows of tiles at a time */
    HALF = COLS / BLOCKS,               /* of B, which one block loads */
    PART = 128,                         /* columns of C stored at once */
    THREADS = 384, WORKERS = 2
};
/* clang-format on */

/* Tiles in shared memory, in the order that wgmma and the copy engine share. */
LL_LAYOUT(TILE_A, ll_ptx_smem_k(ROWS, DEPTH, BITS, 128));
LL_LAYOUT(TILE_B, ll_ptx_smem_k(COLS, DEPTH, BITS, 128));
LL_LAYOUT(TILE_C, ll_ptx_smem_k(64, PART, 16, 128));

/* The sums of a warpgroup, and how PART columns of them get to TILE_C. */
LL_LAYOUT(SUMS, ll_ptx_wgmma_d(64, COLS, 4));
LL_LAYOUT(STORED, ll_ptx_wgmma_d(64, PART, 4));
LL_PLAN_THROUGH(OUT, STORED, STORED, 16, LL_SM90, LL_GET(TILE_C));
LL_EXPECT_NO_CONFLICTS(OUT);
LL_SCOPE(WORKER, threadIdx.x % 128, 128, LL_BARRIER_AT(threadIdx.x / 128));

/* Descriptors of the slices of k, for a tile at address 0. */
LL_FN ll_ptx_desc slice_a(unsigned row, unsigned k) {
    return ll_ptx_desc_slice(LL_GET(TILE_A), 64, SLICE, BITS, row, k);
}
LL_FN ll_ptx_desc slice_b(unsigned k) {
    return ll_ptx_desc_slice(LL_GET(TILE_B), COLS, SLICE, BITS, 0, k);
}
constexpr unsigned long long DESC_A = ll_ptx_desc_wgmma(slice_a(0, 0), 0);
constexpr unsigned long long DESC_B = ll_ptx_desc_wgmma(slice_b(0), 0);
constexpr unsigned NEXT_K = slice_a(0, SLICE).at, NEXT_ROWS = slice_a(64, 0).at;
static_assert(slice_b(SLICE).at == NEXT_K &&
                  slice_b(3 * SLICE).at == 3 * NEXT_K,
              "");
static_assert(DESC_A && DESC_B && !slice_a(64, 3 * SLICE).err, "");

/* The boxes that the copy engine moves. A tile of C is several of them. */
constexpr ll_ptx_tensor BOX_A =
    ll_ptx_tensor_of(LL_GET(TILE_A), ROWS, DEPTH, BITS);
constexpr ll_ptx_tensor BOX_B =
    ll_ptx_tensor_of(LL_GET(TILE_B), HALF, DEPTH, BITS);
constexpr ll_ptx_tensor BOX_C = ll_ptx_tensor_of(LL_GET(TILE_C), 64, PART, 16);
constexpr ll_ptx_box NEXT_C =
    ll_ptx_tensor_box(LL_GET(TILE_C), BOX_C, 64, 16, 1);
static_assert(BOX_A.copies == 1 && BOX_B.copies == 1 && NEXT_C.j, "");

/* Shared memory: the stages, the tiles of C, the mbarriers. */
/* clang-format off */
enum : unsigned {
    BYTES_A = 128 * ROWS, BYTES_B = 128 * COLS,
    BYTES_C = 2 * 64 * PART, STAGE = BYTES_A + BYTES_B,
    AT_C = STAGES * STAGE, FULL = AT_C + WORKERS * BYTES_C,
    EMPTY = FULL + 8 * STAGES, SMEM = EMPTY + 8 * STAGES
};
/* clang-format on */

/* ---- The kernel ---------------------------------------------------------- */

/* A place in the ring; the parity changes with each round. */
struct place {
    unsigned stage, parity;
    __device__ void next() {
        stage = stage + 1 == STAGES ? 0 : stage + 1;
        parity ^= stage == 0;
    }
};

/* The tiles of the cluster: GROUP rows of tiles at a time, so that the operands
 * of tiles that are computed at the same time meet in the L2 cache. */
struct tiles {
    unsigned high, wide; /* in pairs of tiles, in tiles */
    unsigned count, row, col;
    __device__ tiles(unsigned m, unsigned n)
        : high((m + BLOCKS * ROWS - 1) / (BLOCKS * ROWS)),
          wide((n + COLS - 1) / COLS), count(high * wide), row(0), col(0) {}
    __device__ void find(unsigned number, unsigned rank) {
        const unsigned first = number / (GROUP * wide) * GROUP;
        const unsigned in = number % (GROUP * wide);
        const unsigned most = high - first < GROUP ? high - first : GROUP;
        row = ((first + in % most) * BLOCKS + rank) * ROWS;
        col = in / most * COLS;
    }
};

/* One thread: starts the copies of all tiles. */
static __device__ void produce(unsigned smem, const CUtensorMap *map_a,
                               const CUtensorMap *map_b, tiles t, unsigned k,
                               unsigned rank) {
    place p = {0, 1}; /* the ring is empty */
    for (unsigned x = blockIdx.x / BLOCKS; x < t.count;
         x += gridDim.x / BLOCKS) {
        t.find(x, rank);
        for (unsigned at = 0; at < k; at += DEPTH) {
            const unsigned full = smem + FULL + 8 * p.stage;
            const unsigned a = smem + STAGE * p.stage;
            const unsigned b = a + BYTES_A + rank * (BYTES_B / BLOCKS);
            ll_ptx_mbarrier_wait(smem + EMPTY + 8 * p.stage, p.parity);
            ll_ptx_mbarrier_arrive_expect_tx(full, STAGE);
            ll_ptx_cp_async_bulk_tensor_load_2d(a, map_a, full, (int)at,
                                                (int)t.row);
            ll_ptx_cp_async_bulk_tensor_load_multicast_2d(
                b, map_b, full, (1u << BLOCKS) - 1u, (int)at,
                (int)(t.col + rank * HALF));
            p.next();
        }
    }
}

/* A thread for each block tells it that this warpgroup has read a stage. */
static __device__ void release(unsigned smem, unsigned stage) {
    if (threadIdx.x % 128 < BLOCKS) {
        ll_ptx_mbarrier_arrive_cluster_relaxed(
            ll_ptx_mapa(smem + EMPTY + 8 * stage, threadIdx.x % 128));
    }
}

/* sum += a b for a slice; sum = a b if `more` is 0. */
template <unsigned WIDE>
static __device__ void wgmma(float *sum, unsigned long long a,
                             unsigned long long b, unsigned more) {
    if constexpr (IN == bf16) {
        ll_ptx_wgmma_f32_bf16<WIDE>(sum, a, b, more);
    } else if constexpr (IN == f16) {
        ll_ptx_wgmma_f32_f16<WIDE>(sum, a, b, more);
    } else {
        ll_ptx_wgmma_f32_e4m3<WIDE>(sum, a, b, more);
    }
}

/* The sums of a tile: the products of each stage run while the next is awaited,
 * and a stage is released when the products behind it have started. */
static __device__ void multiply(float *sum, unsigned smem, unsigned worker,
                                unsigned k, place &p) {
    unsigned before = 0;
    for (unsigned at = 0; at < k; at += DEPTH) {
        const unsigned a = smem + STAGE * p.stage + worker * NEXT_ROWS;
        const unsigned b = smem + STAGE * p.stage + BYTES_A;
        const unsigned long long desc_a = DESC_A + (a >> 4);
        const unsigned long long desc_b = DESC_B + (b >> 4);
        ll_ptx_mbarrier_wait(smem + FULL + 8 * p.stage, p.parity);
        ll_ptx_wgmma_fence();
        LL_UNROLL
        for (unsigned s = 0; s < DEPTH / SLICE; ++s) {
            wgmma<COLS>(sum, desc_a + (s * NEXT_K >> 4),
                        desc_b + (s * NEXT_K >> 4), at + s);
        }
        ll_ptx_wgmma_commit_group();
        if (at) {
            ll_ptx_wgmma_wait_group<1>();
            release(smem, before);
        }
        before = p.stage;
        p.next();
    }
    ll_ptx_wgmma_wait_group<0>();
    release(smem, before);
}

/* Rounds the sums and has them stored; what was stored before has been read. */
static __device__ void store(const float *sum, float scale, unsigned char *smem,
                             const CUtensorMap *map_c, unsigned row,
                             unsigned col) {
    LL_IN(WORKER);
    unsigned words[LL_WORDS(STORED, 16)];
    LL_UNROLL
    for (unsigned w = 0; w < LL_WORDS(STORED, 16); ++w) {
        const float x = scale * sum[2 * w], y = scale * sum[2 * w + 1];
        words[w] =
            OUT_IS == f16 ? ll_ptx_cvt_f16x2(x, y) : ll_ptx_cvt_bf16x2(x, y);
    }
    if (threadIdx.x % 128 == 0) {
        ll_ptx_cp_async_bulk_wait_group_read<0>();
    }
    LL_SYNC();
    LL_STORE_SHARED(words, OUT, smem);
    ll_ptx_fence_proxy_async();
    LL_SYNC();
    if (threadIdx.x % 128 == 0) {
        const unsigned from = (unsigned)__cvta_generic_to_shared(smem);
        for (unsigned x = 0; x < BOX_C.copies; ++x) {
            ll_ptx_cp_async_bulk_tensor_store_2d(map_c, from + NEXT_C.at * x,
                                                 (int)(col + NEXT_C.j * x),
                                                 (int)row);
        }
        ll_ptx_cp_async_bulk_commit_group();
    }
}

__global__ void __cluster_dims__(BLOCKS) __launch_bounds__(THREADS, 1)
    matmul(const __grid_constant__ CUtensorMap map_a,
           const __grid_constant__ CUtensorMap map_b,
           const __grid_constant__ CUtensorMap map_c, float scale, unsigned m,
           unsigned n, unsigned k) {
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned smem = (unsigned)__cvta_generic_to_shared(memory);
    const unsigned rank = ll_ptx_cluster_ctarank();
    tiles t(m, n);
    if (threadIdx.x == 0) {
        for (unsigned s = 0; s < STAGES; ++s) {
            ll_ptx_mbarrier_init(smem + FULL + 8 * s, 1);
            ll_ptx_mbarrier_init(smem + EMPTY + 8 * s, WORKERS * BLOCKS);
        }
        ll_ptx_fence_mbarrier_init();
    }
    LL_BARRIER_CLUSTER();
    if (threadIdx.x < 128) {
        ll_ptx_setmaxnreg_dec<40>();
        if (threadIdx.x == 0) {
            produce(smem, &map_a, &map_b, t, k, rank);
        }
    } else {
        ll_ptx_setmaxnreg_inc<232>();
        const unsigned worker = threadIdx.x / 128 - 1;
        float sum[LL_REGS(SUMS)];
        place p = {0, 0};
        for (unsigned x = blockIdx.x / BLOCKS; x < t.count;
             x += gridDim.x / BLOCKS) {
            t.find(x, rank);
            multiply(sum, smem, worker, k, p);
            LL_UNROLL
            for (unsigned j = 0; j < COLS; j += PART) {
                store(sum + j / 2, scale, memory + AT_C + worker * BYTES_C,
                      &map_c, t.row + 64 * worker, t.col + j);
            }
        }
        if (threadIdx.x % 128 == 0) {
            ll_ptx_cp_async_bulk_wait_group<0>();
        }
    }
    __syncwarp();
    LL_BARRIER_CLUSTER(); /* nobody tells a block that has ended */
}

/* ---- The launcher -------------------------------------------------------- */

/* The map of rows x cols elements by rows. */
static const char *map_of(CUtensorMap *map, const void *data, type is,
                          unsigned rows, unsigned cols, ll_ptx_tensor t) {
    typedef decltype(&cuTensorMapEncodeTiled) encoder;
    static void *encode = 0;
    const cuuint64_t dims[] = {cols, rows};
    const cuuint64_t strides[] = {bits_of(is) / 8ull * cols};
    const cuuint32_t steps[] = {1, 1};
    cudaDriverEntryPointQueryResult found;
    if (!encode && (cudaGetDriverEntryPointByVersion(
                        "cuTensorMapEncodeTiled", &encode, 12000,
                        cudaEnableDefault, &found) != cudaSuccess ||
                    !encode)) {
        return "the driver has no tensor maps";
    }
    return ((encoder)encode)(map,
                             is == e4m3  ? CU_TENSOR_MAP_DATA_TYPE_UINT8
                             : is == f16 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16
                                         : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
                             2, (void *)data, dims, strides, t.box, steps,
                             CU_TENSOR_MAP_INTERLEAVE_NONE,
                             CU_TENSOR_MAP_SWIZZLE_128B,
                             CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS
               ? 0
               : "a matrix does not start at a multiple of 16 bytes";
}

/* C = scale A B. Returns null, or a sentence that says why it cannot. */
static const char *launch_scaled(void *c, const void *a, const void *b,
                                 float scale, unsigned m, unsigned n,
                                 unsigned k) {
    CUtensorMap map_a, map_b, map_c;
    int device = 0, processors = 0;
    if (!m || !n || !k || n % 8 || k * BITS % 128) {
        return "m, n and k are at least 1, n is a multiple of 8 and a row of k "
               "a multiple of 16 bytes";
    }
    const char *bad = map_of(&map_a, a, IN, m, k, BOX_A);
    bad = bad ? bad : map_of(&map_b, b, IN, n, k, BOX_B);
    bad = bad ? bad : map_of(&map_c, c, OUT_IS, m, n, BOX_C);
    if (bad) {
        return bad;
    }
    MUST(cudaGetDevice(&device));
    MUST(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount,
                                device));
    MUST(cudaFuncSetAttribute(
        matmul, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)SMEM));
    const unsigned pairs =
        (m + BLOCKS * ROWS - 1) / (BLOCKS * ROWS) * ((n + COLS - 1) / COLS);
    const unsigned most = (unsigned)processors / BLOCKS;
    matmul<<<BLOCKS *(pairs < most ? pairs : most), THREADS, SMEM>>>(
        map_a, map_b, map_c, scale, m, n, k);
    return cudaGetLastError() == cudaSuccess
               ? 0
               : "the launch failed: this kernel is for sm_90a";
}

static const char *launch(void *c, const void *a, const void *b, unsigned m,
                          unsigned n, unsigned k) {
    return launch_scaled(c, a, b, 1, m, n, k);
}

#ifndef LL_NO_MAIN

int main(int argc, char **argv) {
    static const unsigned shapes[][3] = {{200, 264, 144},    {1, 8, 16},
                                         {513, 520, 1008},   {4096, 4096, 4096},
                                         {8192, 8192, 8192}, {4000, 8200, 264}};
    const product p = {IN, IN, OUT_IS, false, true, launch};
    return demonstrate_all(p, shapes, argc, argv);
}

#endif
