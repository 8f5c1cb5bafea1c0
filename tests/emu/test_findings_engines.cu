/* test_findings_engines.cu - findings of what runs beside the threads: copies, stores
 * and products; descriptors, arrivals, and places of the host.
 * SPDX-License-Identifier: MIT
 */
#define FINDINGS "test_findings_engines.cu"
#include "findings.h"

/* ==== Each class of finding ============================================== */

__global__ void harmless(u32 *p) { p[threadIdx.x] = 1; }

/* ==== What runs beside the threads ======================================= */

enum {
    RIGHT, NO_WAIT, PARITY, FEW_BYTES, MANY_BYTES, NO_ARRIVE, NO_INIT,
    NO_BARRIER, NO_INIT_FENCE, ODD_BYTES, UNFINISHED_LOAD, NO_BLOCK, NO_MAP
};

/* 256 bytes come by the copy engine and leave by the lanes. */
template <int FAULT> __global__ void loads(u32 *p) {
    __shared__ __align__(128) u32 s[64];
    __shared__ __align__(8) unsigned long long memory[2];
    const u32 bar = (u32)__cvta_generic_to_shared(memory);
    const u32 to = (u32)__cvta_generic_to_shared(s), t = threadIdx.x;
    if (t == 0 && FAULT != NO_INIT) {
        ll_ptx_mbarrier_init(bar, 1);
        if (FAULT != NO_INIT_FENCE) {
            ll_ptx_fence_mbarrier_init();
        }
    }
    if (FAULT != NO_BARRIER) {
        __syncthreads();
    }
    if (t == 0) {
        const u32 bytes = FAULT == FEW_BYTES ? 240
                          : FAULT == MANY_BYTES ? 272 : 256;
        if (FAULT == NO_ARRIVE) {
            ll_ptx_mbarrier_expect_tx(bar, bytes);
        } else {
            ll_ptx_mbarrier_arrive_expect_tx(bar, bytes);
        }
        if (FAULT == NO_BLOCK) {
            ll_ptx_cp_async_bulk_load_multicast(to, (u64)p, 256, bar, 2);
        } else if (FAULT == NO_MAP) {
            ll_ptx_cp_async_bulk_tensor_load_1d(to, p, bar, 0);
        } else {
            ll_ptx_cp_async_bulk_load(to, (u64)p, FAULT == ODD_BYTES ? 8 : 256,
                                      bar);
        }
    }
    if (FAULT != NO_WAIT && FAULT != UNFINISHED_LOAD) {
        ll_ptx_mbarrier_wait(bar, FAULT == PARITY);
    }
    if (FAULT != UNFINISHED_LOAD) {
        p[64 + t] = s[t];
    }
}
static const int loads_line = __LINE__ - 3;

enum { NO_FENCE = 1, OVERWRITES, NO_END, WRONG_GROUP };

/* The lanes fill 256 bytes, which the copy engine stores. */
template <int FAULT> __global__ void stores(u32 *p) {
    __shared__ __align__(128) volatile u32 s[64];
    s[threadIdx.x] = threadIdx.x;
    if (FAULT != NO_FENCE) {
        ll_ptx_fence_proxy_async();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        ll_ptx_cp_async_bulk_store((u64)p,
                                   (u32)__cvta_generic_to_shared((u32 *)s),
                                   256);
        ll_ptx_cp_async_bulk_commit_group();
        if (FAULT == WRONG_GROUP) {
            ll_ptx_cp_async_bulk_wait_group_read<1>();
        } else if (FAULT != OVERWRITES && FAULT != NO_END) {
            ll_ptx_cp_async_bulk_wait_group_read<0>();
        }
    }
    __syncthreads();
    if (FAULT != NO_END) {
        s[threadIdx.x] = 0;
    }
}
static const int stores_line = __LINE__ - 3;

enum {
    NO_PROXY = 1, TOUCHES, NO_WGMMA_FENCE, CHANGES_A, THREE_WARPS, REUSES,
    TELLS_EARLY, TWO_GROUPS, LAGS
};

/* A product of 64 x 16 by 16 x 8. Afterwards the warp behind the warpgroup fills
 * the tiles again. */
template <int FAULT> __global__ void products(u32 *p) {
    __shared__ __align__(1024) u32 a[512], b[64];
    __shared__ __align__(8) unsigned long long memory[1];
    const u32 bar = (u32)__cvta_generic_to_shared(memory), t = threadIdx.x;
    constexpr ll_ptx_desc da =
        ll_ptx_desc_of(ll_ptx_smem_k(64, 16, 16, 32), 64, 16, 16);
    constexpr ll_ptx_desc db =
        ll_ptx_desc_of(ll_ptx_smem_k(8, 16, 16, 32), 8, 16, 16);
    if (t < 128) {
        for (u32 k = t; k < 512; k += 128) {
            a[k] = 0;
        }
        if (t < 64) {
            b[t] = 0;
        }
        if (FAULT != NO_PROXY) {
            ll_ptx_fence_proxy_async();
        }
    } else if (t == 128) {
        ll_ptx_mbarrier_init(bar, 1);
    }
    __syncthreads();
    if (t < 128) {
        float d[4];
        u32 r[4] = {t, t, t, t};
        const u64 at = ll_ptx_desc_wgmma(
            da, (u32)__cvta_generic_to_shared(a));
        const u64 bt = ll_ptx_desc_wgmma(
            db, (u32)__cvta_generic_to_shared(b));
        if (FAULT != NO_WGMMA_FENCE) {
            ll_ptx_wgmma_fence();
        }
        if (FAULT == CHANGES_A) {
            ll_ptx_wgmma_f32_bf16_ra<8>(d, r, bt, 0);
            r[0] = 1;
        } else if (FAULT != THREE_WARPS || t < 96) {
            ll_ptx_wgmma_f32_bf16<8>(d, at, bt, 0);
        }
        ll_ptx_wgmma_commit_group();
        if (FAULT == TOUCHES) {
            d[1] += 1;
        }
        if (FAULT == TELLS_EARLY && t == 0) {
            ll_ptx_mbarrier_arrive(bar);
        }
        if (FAULT == LAGS && t < 32) {
            __syncwarp(); /* the other warps wait first */
            __syncwarp();
        }
        if (FAULT == TWO_GROUPS) {
            ll_ptx_wgmma_wait_group<1>();
        } else {
            ll_ptx_wgmma_wait_group<0>();
        }
        p[t] = (u32)d[0] + r[0] * 0;
        if (FAULT != TELLS_EARLY && FAULT != REUSES && t == 0) {
            ll_ptx_mbarrier_arrive(bar);
        }
    } else {
        if (FAULT != REUSES) {
            ll_ptx_mbarrier_wait(bar, 0);
        }
        b[t % 32] = 1;
    }
}
static const int products_line = __LINE__ - 3;

/* 64 x 16 by 16 x 128, whose columns lie in two groups: A from byte 0 on, B
 * from byte 2048. */
LL_LAYOUT(TILE_A, ll_ptx_smem_k(64, 16, 16, 32));
LL_LAYOUT(TILE_B, ll_ptx_smem_mn(128, 16, 16, 128, 16));
enum { NOT_SHIFTED = 1, FOLDED, OTHER_ORDER, ODD_SLICE };

template <int FAULT> __global__ void describes(u32 *p) {
    extern __shared__ __align__(1024) u32 ab[];
    const u32 at = (u32)__cvta_generic_to_shared(ab), t = threadIdx.x;
    constexpr u64 da = ll_ptx_desc_wgmma(
        ll_ptx_desc_of(LL_GET(TILE_A), 64, 16, 16), 0);
    constexpr u64 db = ll_ptx_desc_wgmma(
        ll_ptx_desc_of(LL_GET(TILE_B), 128, 16, 16), 0);
    float d[64];
    for (u32 k = t; k < 1536; k += 128) {
        ab[k] = 0;
    }
    ll_ptx_fence_proxy_async();
    __syncthreads();
    const u64 a = da + (FAULT == ODD_SLICE ? (at + 512 * 16) : at >> 4);
    const u64 b = (FAULT == FOLDED ? da : db) +
                  (FAULT == NOT_SHIFTED ? at + 16384 : (at + 2048) >> 4);
    ll_ptx_wgmma_fence();
    ll_ptx_wgmma_f32_bf16<128, 0, FAULT != OTHER_ORDER>(d, a, b, 0);
    ll_ptx_wgmma_commit_group();
    ll_ptx_wgmma_wait_group<0>();
    p[t] = (u32)d[0];
}
static const int describes_line = __LINE__ - 5;

/* Who arrives, and who starts a copy: one lane, or all of a warp, or two warps
 * although one is counted. */
enum { ALL_ARRIVE = 1, ALL_COPY, TWO_WARPS_ARRIVE, ARRIVES_TWICE, NEITHER };
template <int FAULT> __global__ void arrives(u32 *p) {
    __shared__ __align__(128) u32 s[64];
    __shared__ __align__(8) u64 memory[2];
    const u32 full = (u32)__cvta_generic_to_shared(memory), empty = full + 8;
    const u32 to = (u32)__cvta_generic_to_shared(s), t = threadIdx.x;
    if (t == 0) {
        ll_ptx_mbarrier_init(full, 1);
        ll_ptx_mbarrier_init(empty, 1);
        ll_ptx_fence_mbarrier_init();
    }
    __syncthreads();
    if (t >= 64) {
        ll_ptx_mbarrier_wait(empty, FAULT != NEITHER);
        if (FAULT == ALL_ARRIVE || t == 64) {
            ll_ptx_mbarrier_arrive_expect_tx(full, 256);
        }
        if (FAULT == ALL_COPY || t == 64) {
            ll_ptx_cp_async_bulk_load(to, (u64)p, 256, full);
        }
        ll_ptx_mbarrier_wait(empty, 0);
        return;
    }
    ll_ptx_mbarrier_wait(full, 0);
    p[64 + t] = s[t];
    for (u32 k = 0; k < (FAULT == ARRIVES_TWICE ? 2 : 1); ++k) {
        if (t == 0 || (FAULT == TWO_WARPS_ARRIVE && t == 32)) {
            ll_ptx_mbarrier_arrive(empty);
        }
    }
}
static const int arrives_line = __LINE__ - 16;

/* A box of 64 lines of 128 bytes, which is multiplied where it begins a pattern
 * of the swizzle. */
template <int AT> __global__ void fills(const __grid_constant__ CUtensorMap map,
                                        u32 *p) {
    extern __shared__ __align__(1024) u32 box[];
    __shared__ u64 memory[1];
    const u32 full = (u32)__cvta_generic_to_shared(memory), t = threadIdx.x;
    const u32 at = (u32)__cvta_generic_to_shared(box);
    if (t == 0) {
        ll_ptx_mbarrier_init(full, 1);
        ll_ptx_fence_mbarrier_init();
        ll_ptx_mbarrier_arrive_expect_tx(full, 8192);
        ll_ptx_cp_async_bulk_tensor_load_2d(at + AT, &map, full, 0, 0);
    }
    __syncthreads();
    ll_ptx_mbarrier_wait(full, 0);
    if (AT == 0) {
        float d[4];
        constexpr ll_ptx_desc a =
            ll_ptx_desc_of(ll_ptx_smem_k(64, 64, 16, 128), 64, 16, 16);
        constexpr ll_ptx_desc b =
            ll_ptx_desc_of(ll_ptx_smem_k(8, 64, 16, 128), 8, 16, 16);
        ll_ptx_wgmma_fence();
        ll_ptx_wgmma_f32_bf16<8>(d, ll_ptx_desc_wgmma(a, at),
                                 ll_ptx_desc_wgmma(b, at), 0);
        ll_ptx_wgmma_commit_group();
        ll_ptx_wgmma_wait_group<0>();
        p[t] = (u32)d[0];
    }
}
static const int fills_line = __LINE__ - 7;

template <int AT> static void fill(u32 *p, CUtensorMapSwizzle swizzle) {
    CUtensorMap map;
    const cuuint64_t dims[] = {64, 64}, strides[] = {128};
    const cuuint32_t box[] = {64, 64}, steps[] = {1, 1};
    void *from = 0;
    cudaMalloc(&from, 8192);
    cudaMemset(from, 0, 8192);
    cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, from,
                           dims, strides, box, steps,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                           CU_TENSOR_MAP_L2_PROMOTION_NONE,
                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    LL_LAUNCH(fills<AT>, 1, 128, 9216, map, p);
}

static void descriptors_and_arrivals() {
    HARMLESS(LL_LAUNCH(describes<0>, 1, 128, 6144, p));
    FINDS(describes_line, "descriptor: B has bits set outside its address",
          LL_LAUNCH(describes<NOT_SHIFTED>, 1, 128, 6144, p));
    FINDS(describes_line, "descriptor: elements of B overlap: its distances "
          "are 16 and ", LL_LAUNCH(describes<FOLDED>, 1, 128, 6144,
                                             p));
    FINDS(describes_line, "its descriptor puts row 16, column 0 of k of B "
          "here, 4096 bytes after its start: are its distances right, and is "
          "it K-major?",
          LL_LAUNCH(describes<OTHER_ORDER>, 1, 128, 6144, p));
    HARMLESS(LL_LAUNCH(arrives<0>, 1, 96, 0, p));
    FINDS(arrives_line, "lanes 0 and 1 of warp 2 both arrive here: let one "
          "thread do it (ll_ptx_elect)",
          LL_LAUNCH(arrives<ALL_ARRIVE>, 1, 96, 0, p));
    FINDS(arrives_line + 3, "lanes: lanes 0 and 1 of warp 2 both start this "
          "copy to byte 0 of shared `s`",
          LL_LAUNCH(arrives<ALL_COPY>, 1, 96, 0, p));
    FINDS(0, "phases 0 and 1 of the mbarrier at byte 8 of shared `memory` end, "
          "and no thread has waited between: it was initialised with too few "
          "arrivals, 1: thread 0 and thread 32 both arrive",
          LL_LAUNCH(arrives<TWO_WARPS_ARRIVE>, 1, 96, 0, p));
    FINDS(0, "thread 0 arrives twice without a wait",
          LL_LAUNCH(arrives<ARRIVES_TWICE>, 1, 96, 0, p));
    FINDS(0, "nothing has ever arrived, and the others never arrive: a "
          "producer that waits for empty stages begins with parity 1",
          LL_LAUNCH(arrives<NEITHER>, 1, 96, 0, p));
    HARMLESS(fill<0>(p, CU_TENSOR_MAP_SWIZZLE_128B));
    FINDS(fills_line, "descriptor: it reads A with a swizzle of 128 bytes, and "
          "the tensor map that loaded it has no swizzle",
          fill<0>(p, CU_TENSOR_MAP_SWIZZLE_NONE));
    FINDS(fills_line - 11, "misaligned: with a swizzle of 128 bytes a tile in "
          "shared memory must start at a multiple of 1024, and this box starts "
          "128 bytes after one", fill<128>(p, CU_TENSOR_MAP_SWIZZLE_128B));
}

/* Kernels beside it, with variables whose addresses have the same low bits as
 * its tiles, which is all that a descriptor holds. */
template <int> __global__ void beside_products(u32 *p) {
    __shared__ u32 s[12288];
    s[0] = 1;
    p[0] = s[0];
}
template <int... K>
static void products_in_a_row(u32 *p, std::integer_sequence<int, K...>) {
    const int each[] = {(LL_LAUNCH(beside_products<K>, 1, 1, 0, p), 0)...};
    (void)each;
    LL_LAUNCH(products<0>, 1, 160, 0, p);
}

/* ==== Blocks, phases and places of the host =============================== */

/* Block 1 uses the mbarrier of block 0 at once. */
__global__ void other_block(u32 *p) {
    __shared__ __align__(8) unsigned long long memory[1];
    const u32 bar = (u32)__cvta_generic_to_shared(memory);
    if (blockIdx.x == 0) {
        ll_ptx_mbarrier_init(bar, 1);
    } else {
        ll_ptx_mbarrier_arrive_cluster_relaxed(ll_ptx_mapa(bar, 0));
    }
    LL_BARRIER_CLUSTER();
    p[0] = 1;
}

/* A stage is filled twice, with no wait for its first bytes. */
__global__ void refills(u32 *p) {
    __shared__ __align__(128) u32 s[64];
    __shared__ __align__(8) unsigned long long memory[1];
    const u32 bar = (u32)__cvta_generic_to_shared(memory);
    ll_ptx_mbarrier_init(bar, 1);
    ll_ptx_fence_mbarrier_init();
    for (u32 k = 0; k < 2; k++) {
        ll_ptx_mbarrier_arrive_expect_tx(bar, 256);
        ll_ptx_cp_async_bulk_load((u32)__cvta_generic_to_shared(s), (u64)p,
                                  256, bar);
    }
}
static const int refills_line = __LINE__ - 5;

/* Each phase expects one of the two copies that it starts. */
__global__ void half_expected(u32 *p) {
    __shared__ __align__(128) u32 s[64];
    __shared__ __align__(8) unsigned long long memory[1];
    const u32 bar = (u32)__cvta_generic_to_shared(memory);
    const u32 to = (u32)__cvta_generic_to_shared(s);
    ll_ptx_mbarrier_init(bar, 1);
    ll_ptx_fence_mbarrier_init();
    for (u32 k = 0; k < 2; k++) {
        ll_ptx_mbarrier_arrive_expect_tx(bar, 128);
        ll_ptx_cp_async_bulk_load(to, (u64)p, 128, bar);
        ll_ptx_cp_async_bulk_load(to + 128, (u64)p, 128, bar);
        ll_ptx_mbarrier_wait(bar, k & 1);
        p[128] = s[0];
    }
}
static const int half_expected_line = __LINE__ - 3;

__global__ void large(u32 *p) {
    extern __shared__ u32 dynamic[];
    dynamic[threadIdx.x] = 1;
    p[threadIdx.x] = dynamic[threadIdx.x];
}
template <class T> __global__ void deduced(T *p) { p[threadIdx.x] = 1; }
static cudaError_t launch_ex(u32 *p, u32 bytes) {
    cudaLaunchConfig_t c = {};
    c.gridDim = c.blockDim = dim3(1);
    c.dynamicSmemBytes = bytes;
    return cudaLaunchKernelEx(&c, large, p);
}
static void allow(int bytes) {
    cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         bytes);
}

/* A GPU gives 48 KiB of dynamic shared memory, and more on demand. */
static void limits() {
    static const char text[] = "bytes of dynamic shared memory, more than";
    enum { KIB = 1024 };
    FINDS(0, "launch: kernel `large` asks for 49153 bytes of dynamic shared memory, "
          "more than 49152; cudaFuncSetAttribute",
          large<<<1, 32, 48 * KIB + 1>>>(p));
    FINDS(0, text, allow(64 * KIB); large<<<1, 32, 64 * KIB + 1>>>(p));
    FINDS(0, text, deduced<<<1, 32, 48 * KIB + 1>>>(p));
    FINDS(0, text, launch_ex(p, 48 * KIB + 1));
    FINDS(0, "refused", large<<<1, 32, 64 * KIB>>>(p);
          puts(cudaGetLastError() == cudaErrorInvalidValue ? "refused" : ""));
    FINDS(0, text, void *args[] = {&p};
          cudaLaunchKernel(large, dim3(1), dim3(1), args, 64 * KIB));
    const ending e = apart([](u32 *p) {
        large<<<1, 32, 48 * KIB>>>(p);
        allow(64 * KIB);
        large<<<1, 32, 64 * KIB>>>(p);
        deduced<<<1, 32, 64 * KIB>>>(p); /* one that has not a name */
        launch_ex(p, 64 * KIB);
    });
    check(e.status == 0 && !e.text[0], "what is allowed", e, __LINE__);
}

__global__ void global_store(u32 *p) {
    asm volatile("st.global.b32 [%0], 1;" ::"l"(p) : "memory");
}

static void places() {
    FINDS(0, "race: thread 0 of block 1 of the cluster uses the mbarrier at "
          "byte 0 of shared `memory`, which thread 0 of block 0 of the cluster "
          "initialised with no cluster barrier between",
          emu_run_clusters("", other_block, 2, 1, 2, 0, p));
    FINDS(refills_line, "mbarrier: 1 arrivals more at byte 0 of shared "
          "`memory` than this phase takes: all 1 have arrived, and 256 bytes "
          "are still missing; a wait for the phase is missing before",
          LL_LAUNCH(refills, 1, 1, 0, p));
    FINDS(half_expected_line, "; when its phase 0 ended, expect_tx had named "
          "128 bytes, but copies of 256 bytes had been started",
          LL_LAUNCH(half_expected, 1, 1, 0, p));
    FINDS(0, "a multicast by the mask 0x2, which names blocks outside the "
          "cluster: it has 1", LL_LAUNCH(loads<NO_BLOCK>, 1, 64, 0, p));
    const ending e = apart([](u32 *p) {
        LL_LAUNCH(loads<NO_BLOCK>, 1, 64, 0, p);
    });
    const char *once = strstr(e.text, "cp.async.bulk.");
    check(once && !strstr(once + 1, "cp.async.bulk."), "it is named once", e,
          __LINE__);
    FINDS(0, "touches byte 0 of `of_host`, which is not global memory but "
          "shared memory or a static variable of the host",
          static u32 of_host[32]; LL_LAUNCH(global_store, 1, 1, 0, of_host));
    FINDS(0, "which is not device memory",
          u32 of_host[32]; LL_LAUNCH(harmless, 1, 32, 0, of_host));
}

static void beside() {
    ending e = apart([](u32 *p) {
        LL_LAUNCH(loads<RIGHT>, 1, 64, 0, p);
        LL_LAUNCH(stores<RIGHT>, 1, 64, 0, p);
        LL_LAUNCH(products<RIGHT>, 1, 160, 0, p);
    });
    check(e.status == 0 && !e.text[0], "nothing wrong", e, __LINE__);
    FINDS(loads_line, "which a cp.async.bulk has not delivered",
          LL_LAUNCH(loads<NO_WAIT>, 1, 64, 0, p));
    FINDS(loads_line, "which a cp.async.bulk has not delivered: it arrives "
          "with the phase of parity 0 of the mbarrier at byte 0 of shared "
          "`memory`, but the thread last waited there for parity 1",
          LL_LAUNCH(loads<PARITY>, 1, 64, 0, p));
    FINDS(0, "0 of 1 arrivals, and 16 bytes have arrived that no expect_tx "
             "named",
          LL_LAUNCH(loads<FEW_BYTES>, 1, 64, 0, p));
    FINDS(0, "0 of 1 arrivals, and 16 bytes are still missing",
          LL_LAUNCH(loads<MANY_BYTES>, 1, 64, 0, p));
    FINDS(0, "waits for 1 of 1 arrivals, and 0 bytes are still missing",
          LL_LAUNCH(loads<NO_ARRIVE>, 1, 64, 0, p));
    FINDS(0, "mbarrier: at byte 0 of shared `memory` there is none",
          LL_LAUNCH(loads<NO_INIT>, 1, 64, 0, p));
    FINDS(0, "which thread 0 initialised with no barrier between",
          LL_LAUNCH(loads<NO_BARRIER>, 1, 64, 0, p));
    FINDS(0, "thread 0 initialised without a fence.mbarrier_init",
          LL_LAUNCH(loads<NO_INIT_FENCE>, 1, 64, 0, p));
    FINDS(0, "not a multiple of 16", LL_LAUNCH(loads<ODD_BYTES>, 1, 64, 0, p));
    FINDS(0, "the block ends before this copy to its shared memory has arrived",
          LL_LAUNCH(loads<UNFINISHED_LOAD>, 1, 64, 0, p));
    FINDS(0, "blocks outside the cluster",
          LL_LAUNCH(loads<NO_BLOCK>, 1, 64, 0, p));
    FINDS(0, "the map was not made by cuTensorMapEncodeTiled",
          LL_LAUNCH(loads<NO_MAP>, 1, 64, 0, p));
    FINDS(0, "a cp.async.bulk uses byte 0 of shared `s`, which thread 0 wrote "
          "without a fence.proxy.async", LL_LAUNCH(stores<NO_FENCE>, 1, 64, 0,
                                                   p));
    FINDS(stores_line, "which a cp.async.bulk is still reading",
          LL_LAUNCH(stores<OVERWRITES>, 1, 64, 0, p));
    FINDS(stores_line, "which a cp.async.bulk is still reading",
          LL_LAUNCH(stores<WRONG_GROUP>, 1, 64, 0, p));
    FINDS(0, "the block ends while this copy still reads its shared memory",
          LL_LAUNCH(stores<NO_END>, 1, 64, 0, p));
    e = apart([](u32 *p) {
        products_in_a_row(p, std::make_integer_sequence<int, 8>());
    });
    check(e.status == 0 && !e.text[0], "nothing wrong", e, __LINE__);
    HARMLESS(LL_LAUNCH(products<LAGS>, 1, 160, 0, p));
    FINDS(0, "a wgmma uses byte 0 of shared `a`, which thread 0 wrote without "
          "a fence.proxy.async", LL_LAUNCH(products<NO_PROXY>, 1, 160, 0, p));
    FINDS(0, "a register of a wgmma that nothing has waited for",
          LL_LAUNCH(products<TOUCHES>, 1, 160, 0, p));
    FINDS(0, "reads a register of a wgmma that nothing has waited for",
          LL_LAUNCH(products<TWO_GROUPS>, 1, 160, 0, p));
    FINDS(0, "without a wgmma.fence before",
          LL_LAUNCH(products<NO_WGMMA_FENCE>, 1, 160, 0, p));
    FINDS(0, "writes a register of a wgmma that nothing has waited for",
          LL_LAUNCH(products<CHANGES_A>, 1, 160, 0, p));
    FINDS(0, "warps of one warpgroup execute 1 and 0 wgmma",
          LL_LAUNCH(products<THREE_WARPS>, 1, 160, 0, p));
    FINDS(0, "of shared `b`, which ",
          LL_LAUNCH(products<REUSES>, 1, 160, 0, p));
    FINDS(products_line, "of shared `b`, which ",
          LL_LAUNCH(products<TELLS_EARLY>, 1, 160, 0, p));
}

int main() {
    beside();
    descriptors_and_arrivals();
    limits();
    places();
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
