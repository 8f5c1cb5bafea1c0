/* test_findings_memory.cu - findings of addresses, of maps that are copied and of
 * races in global memory.
 * SPDX-License-Identifier: MIT
 */
#define FINDINGS "test_findings_memory.cu"
#include "findings.h"

LL_LAYOUT(SQUARE, ll_rows(64, 64, 4));
LL_LAYOUT(SQUARE_COLS, ll_trans(LL_GET(SQUARE), "j i"));
LL_PLAN(SQUARE_TURN, SQUARE, SQUARE_COLS, 32, LL_SM90);

/* ==== Addresses and local arrays ========================================= */

__global__ void leaves_array(u32 *p, int n) {
    u32 a[8];
    for (int k = 0; k < n; ++k) {
        a[k % 16] = (u32)k;
    }
    p[0] = a[1];
}
static const int leaves_array_line = __LINE__ - 4;

/* Shared variables are aligned as they are declared, not as it happens. */
__global__ void vectors(u32 *p) {
    __shared__ u32 s[64];
    *(uint4 *)(s + 4 * threadIdx.x) = make_uint4(1, 2, 3, 4);
    p[threadIdx.x] = s[threadIdx.x];
}
static const int vectors_line = __LINE__ - 3;
__global__ void moves_askew(float *p) {
    __shared__ unsigned char smem[LL_SMEM_BYTES(SQUARE_TURN)];
    float a[LL_REGS(SQUARE)] = {};
    LL_CONVERT(a, a, SQUARE_TURN, smem);
    p[0] = a[0];
}
static const int moves_askew_line = __LINE__ - 3;
__global__ void copies_askew(u32 *p) {
    __shared__ u32 to[32];
    __shared__ u64 full;
    const u32 bar = (u32)__cvta_generic_to_shared(&full);
    ll_ptx_mbarrier_init(bar, 1);
    ll_ptx_fence_mbarrier_init();
    ll_ptx_mbarrier_arrive_expect_tx(bar, 128);
    ll_ptx_cp_async_bulk_load((u32)__cvta_generic_to_shared(to), (u64)p, 128,
                              bar);
    ll_ptx_mbarrier_wait(bar, 0);
}
static const int copies_askew_line = __LINE__ - 4;
__global__ void multiplies_askew() {
    __shared__ __align__(128) u32 a[2048], b[256];
    float d[4] = {};
    constexpr ll_ptx_desc da =
        ll_ptx_desc_of(ll_ptx_smem_k(64, 64, 16, 128), 64, 16, 16);
    constexpr ll_ptx_desc db =
        ll_ptx_desc_of(ll_ptx_smem_k(8, 64, 16, 128), 8, 16, 16);
    a[threadIdx.x] = b[threadIdx.x] = 0;
    ll_ptx_fence_proxy_async();
    __syncthreads();
    ll_ptx_wgmma_fence();
    ll_ptx_wgmma_f32_bf16<8>(
        d, ll_ptx_desc_wgmma(da, (u32)__cvta_generic_to_shared(a)),
        ll_ptx_desc_wgmma(db, (u32)__cvta_generic_to_shared(b)), 0);
}

static void askew_and_beyond() {
    FINDS(leaves_array_line, "out of bounds: thread 0 uses element 8 of "
          "'unsigned int [8]'", LL_LAUNCH(leaves_array, 1, 1, 0, p, 9));
    ending e = apart([](u32 *p) { LL_LAUNCH(leaves_array, 1, 1, 0, p, 8); });
    check(e.status == 0 && !e.text[0], "nothing wrong", e, __LINE__);
    FINDS(vectors_line, "misaligned: thread 0 needs an address that is a "
          "multiple of 16 for 'struct uint4', not byte 0 of shared `s`: see "
          "__align__(16)", LL_LAUNCH(vectors, 1, 16, 0, p));
    FINDS(moves_askew_line, "needs an address that is a multiple of 16, not "
          "byte ", LL_LAUNCH(moves_askew, 1, 128, 0, (float *)p));
    FINDS(copies_askew_line, "a place in shared memory that is not a multiple "
          "of 16", LL_LAUNCH(copies_askew, 1, 1, 0, p));
    FINDS(0, "misaligned: with a swizzle of 128 bytes the tile of A must start "
          "at a multiple of 1024, and this one starts ",
          LL_LAUNCH(multiplies_askew, 1, 128, 0));
}

/* ==== Maps that are copied =============================================== */

__global__ void copies_map(const CUtensorMap map, u32 *p) {
    __shared__ __align__(128) u32 box[32];
    __shared__ u64 full;
    const u32 bar = (u32)__cvta_generic_to_shared(&full);
    ll_ptx_mbarrier_init(bar, 1);
    ll_ptx_fence_mbarrier_init();
    ll_ptx_mbarrier_arrive_expect_tx(bar, 128);
    ll_ptx_cp_async_bulk_tensor_load_1d((u32)__cvta_generic_to_shared(box),
                                        &map, bar, 0);
    ll_ptx_mbarrier_wait(bar, 0);
    p[0] = box[0];
}
static const int copies_map_line = __LINE__ - 5;

static void maps() {
    FINDS(copies_map_line, "the map is a copy in the thread's own variables: "
          "TMA reads maps in global memory and in kernel parameters with "
          "__grid_constant__",
          CUtensorMap map;
          const cuuint64_t dims[] = {32};
          const cuuint32_t box[] = {32}, steps[] = {1};
          cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 1, p,
                                 dims, 0, box, steps,
                                 CU_TENSOR_MAP_INTERLEAVE_NONE,
                                 CU_TENSOR_MAP_SWIZZLE_NONE,
                                 CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                 CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
          LL_LAUNCH(copies_map, 1, 1, 0, map, p));
}

/* ==== Races in global memory ============================================= */

/* A tile of 64 columns, whose rows lie `ld` apart. */
LL_LAYOUT(TILE_64, ll_rows(64, 64, 4));
__global__ void stores_tile(float *p, u32 ld, u32 apart) {
    float a[LL_REGS(TILE_64)];
    LL_EACH(r, TILE_64) {
        a[r] = (float)(64 * LL_AT(TILE_64, LL_I, r) + LL_AT(TILE_64, LL_J, r)) +
               (float)blockIdx.x;
    }
    LL_STORE(a, TILE_64, p + apart * blockIdx.x, ld);
}
static const int stores_tile_line = __LINE__ - 2;
enum { ONE_VALUE, OTHER_VALUES, BARRIER_BETWEEN, FENCES, ATOMICS, VOLATILE };
/* Two threads, of one block or of two, write one word. */
template <int CASE> __global__ void write_twice(u32 *p) {
    const u32 t = threadIdx.x + blockIdx.x * blockDim.x;
    const bool first = t == 0, second = t == 32 || t == 64;
    if (first && CASE == VOLATILE) {
        asm volatile("st.volatile.global.b32 [%0], 1;" ::"l"(p) : "memory");
    } else if (first) {
        p[0] = 1;
    }
    if (CASE == BARRIER_BETWEEN) {
        __syncthreads();
    } else if (CASE == FENCES) {
        __threadfence();
        atomicAdd(p + 1, 1u);
    } else if (CASE == ATOMICS) {
        atomicExch(p, 3u);
    }
    if (second && CASE == VOLATILE) {
        asm volatile("st.volatile.global.b32 [%0], 2;" ::"l"(p) : "memory");
    } else if (second) {
        p[0] = CASE == ONE_VALUE ? 1 : 2 + blockIdx.x;
    }
}
static const int write_twice_line = __LINE__ - 3;
__global__ void write_in_turns(u32 *p) {
    p[threadIdx.x] = threadIdx.x;
    p[threadIdx.x] = 2 * threadIdx.x;
    p[64 + threadIdx.x % 2] = threadIdx.x % 2;
    __syncwarp();
    p[threadIdx.x ^ 1] = 1;
}
__global__ void lanes_write(u32 *p) { p[threadIdx.x / 2] = threadIdx.x; }
static const int lanes_write_line = __LINE__ - 1;
enum { NO_FENCE_BETWEEN = 1, NOTHING_BETWEEN };
/* The last block adds up what all have written. */
template <int CASE> __global__ void last_adds(u32 *p) {
    __shared__ bool is_last;
    p[16 + 64 * blockIdx.x + threadIdx.x] = 1;
    if (CASE == 0) {
        __threadfence();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        is_last = CASE == NOTHING_BETWEEN
                      ? blockIdx.x == gridDim.x - 1
                      : atomicAdd(p, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last) {
        u32 sum = 0;
        for (u32 k = 0; k < gridDim.x; ++k) {
            sum += p[16 + 64 * k + threadIdx.x];
        }
        p[512 + threadIdx.x] = sum;
    }
}
static const int last_adds_line = __LINE__ - 5;
__global__ void hands_over(u32 *p) {
    volatile u32 *const flag = p;
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        p[1] = 5;
        __threadfence();
        *flag = 1;
    } else if (threadIdx.x == 0) {
        while (!*flag) {
        }
        p[2] = p[1];
    }
}
__global__ void same_block_reads(u32 *p, u32 wait) {
    p[threadIdx.x] = threadIdx.x;
    if (wait) {
        __syncthreads();
    }
    p[512 + threadIdx.x] = p[threadIdx.x ^ 32];
}
static const int same_block_line = __LINE__ - 2;

__global__ void engine_stores(u32 *p, u32 apart) {
    __shared__ __align__(16) u32 s[64];
    s[threadIdx.x] = threadIdx.x + blockIdx.x;
    ll_ptx_fence_proxy_async();
    __syncthreads();
    if (threadIdx.x == 0) {
        ll_ptx_cp_async_bulk_store((u64)(p + apart * blockIdx.x),
                                   (u32)__cvta_generic_to_shared(s), 256);
        ll_ptx_cp_async_bulk_commit_group();
        ll_ptx_cp_async_bulk_wait_group<0>();
    }
}
static const int engine_stores_line = __LINE__ - 6;

/* A buffer of 24 bytes ends inside the second copy, which takes `take`. */
template <int SIZE> __global__ void copies_edge(const u32 *p, u32 take) {
    __shared__ __align__(16) u32 s[8];
    const u32 at = (u32)__cvta_generic_to_shared(s + 4 * threadIdx.x);
    const u32 bytes = threadIdx.x ? take : 16;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at),
                 "l"(p + 4 * threadIdx.x), "r"(bytes) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    if (threadIdx.x && s[4 + SIZE] != 0) {
        __trap();
    }
}
static const int copies_edge_line = __LINE__ - 7;
static u32 *six_words() {
    u32 *p;
    cudaMalloc((void **)&p, 24);
    cudaMemset(p, 1, 24);
    return p;
}

static void edges() {
    HARMLESS((void)p; LL_LAUNCH(copies_edge<2>, 1, 2, 0, six_words(), 8));
    HARMLESS((void)p; LL_LAUNCH(copies_edge<1>, 1, 2, 0, six_words(), 4));
    HARMLESS((void)p; LL_LAUNCH(copies_edge<0>, 1, 2, 0, six_words(), 0));
    FINDS(copies_edge_line, "touches byte 16 of a global buffer of 24 bytes",
          LL_LAUNCH(copies_edge<3>, 1, 2, 0, six_words(), 12));
}

static float *floats() {
    float *p;
    cudaMalloc((void **)&p, 65536);
    return p;
}

static void global_races() {
    HARMLESS(LL_LAUNCH(stores_tile, 2, 128, 0, floats(), 64, 4096));
    HARMLESS(LL_LAUNCH(stores_tile, 2, 128, 0, floats(), 128, 64));
    FINDS(stores_tile_line, "write different values to byte ",
          LL_LAUNCH(stores_tile, 1, 128, 0, floats(), 32, 0));
    FINDS(stores_tile_line, "and nothing orders them; tiles overlap, or rows "
          "of one tile do, because its leading dimension is smaller than its "
          "number of columns",
          LL_LAUNCH(stores_tile, 1, 128, 0, floats(), 60, 0));
    FINDS(stores_tile_line, "race: thread (0, 0, 0) of block (0, 0, 0) and (0, "
          "0, 0) of block (1, 0, 0) write different values to byte 2 of a "
          "global buffer of 65536 bytes",
          LL_LAUNCH(stores_tile, 2, 128, 0, floats(), 64, 0));
    FINDS(write_twice_line, "race: threads (0, 0, 0) and (32, 0, 0) of block "
          "(0, 0, 0) write different values to byte 0 of a global buffer of "
          "4096 bytes, and nothing orders them (the other write: ",
          LL_LAUNCH(write_twice<OTHER_VALUES>, 1, 64, 0, p));
    FINDS(write_twice_line, "race: thread (32, 0, 0) of block (0, 0, 0) and "
          "(0, 0, 0) of block (1, 0, 0)",
          LL_LAUNCH(write_twice<BARRIER_BETWEEN>, 2, 64, 0, p));
    FINDS(lanes_write_line, "race: threads (0, 0, 0) and (1, 0, 0) of block",
          LL_LAUNCH(lanes_write, 1, 32, 0, p));
    HARMLESS(LL_LAUNCH(write_twice<ONE_VALUE>, 2, 64, 0, p));
    HARMLESS(LL_LAUNCH(write_twice<BARRIER_BETWEEN>, 1, 64, 0, p));
    HARMLESS(LL_LAUNCH(write_twice<FENCES>, 2, 64, 0, p));
    HARMLESS(LL_LAUNCH(write_twice<VOLATILE>, 2, 64, 0, p));
    HARMLESS(LL_LAUNCH(write_in_turns, 1, 32, 0, p));
    HARMLESS(LL_LAUNCH(lanes_write, 1, 1, 0, p);
             LL_LAUNCH(write_twice<ONE_VALUE>, 1, 64, 0, p));
    HARMLESS(LL_LAUNCH(last_adds<0>, 4, 64, 0, p));
    FINDS(last_adds_line, "race: thread (0, 0, 0) of block (3, 0, 0) reads "
          "byte 64 of a global buffer of 4096 bytes, which thread (0, 0, 0) of "
          "block (0, 0, 0) wrote, and no __threadfence() follows the write",
          LL_LAUNCH(last_adds<NO_FENCE_BETWEEN>, 4, 64, 0, p));
    FINDS(last_adds_line, "wrote, and nothing orders the two",
          LL_LAUNCH(last_adds<NOTHING_BETWEEN>, 4, 64, 0, p));
    HARMLESS(LL_LAUNCH(hands_over, 2, 32, 0, p));
    HARMLESS(LL_LAUNCH(same_block_reads, 1, 64, 0, p, 1));
    FINDS(same_block_line, "race: thread (32, 0, 0) of block (0, 0, 0) reads "
          "byte 0 of a global buffer of 4096 bytes, which thread (0, 0, 0)",
          LL_LAUNCH(same_block_reads, 1, 64, 0, p, 0));
    HARMLESS(LL_LAUNCH(engine_stores, 2, 64, 0, p, 64));
    FINDS(engine_stores_line, "write different values to byte 0 of a global",
          LL_LAUNCH(engine_stores, 2, 64, 0, p, 0));
}

int main() {
    global_races();
    askew_and_beyond();
    edges();
    maps();
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
