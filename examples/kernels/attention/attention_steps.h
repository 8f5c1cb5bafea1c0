/* attention_steps.h - the kernel of attention.cu and attention_fp8.cu: workers,
 * the store, the launcher.
 * SPDX-License-Identifier: MIT
 *
 * The file that includes it has defined layouts, what the producers do, and how
 * products start.
 */
#ifndef LL_ATTENTION_STEPS_H
#define LL_ATTENTION_STEPS_H

#if !FP8 /* which has workers of its own */

/* Scores become weights relative to the largest score so far; `factor` is by
 * how much earlier weights shrink. */
static __device__ void weigh(float (&scores)[LL_REGS(SCORES)], softmax &x,
                             float (&factor)[2], float scale) {
    LL_IN(WORKER);
    float most[2];
    LL_REDUCE(most, scores, LARGEST, 0,
              [](float a, float b) { return fmaxf(a, b); });
    weigh_tile(scores, most, x.most, x.sum, factor, scale, FACTOR);
}

/* A worker: the sums of 64 rows, divided by the sums of their weights. */
static __device__ void attend(float (&sums)[PARTS][LL_REGS(SUMS)],
                              unsigned smem, const shape &s, const tile_job &t,
                              unsigned worker, float values_by) {
    LL_IN(WORKER);
    float scores[LL_REGS(SCORES)], factor[2], all[2];
    unsigned weights[LL_WORDS(WEIGHTS, FP8 ? 8 : 16)];
    softmax x = {{-INFINITY, -INFINITY}, {0, 0}};
    place k = {0, 0}, v = {0, 0};
    const unsigned long long q = DESC_Q + ((smem + worker * BYTES_Q) >> 4);
    const unsigned long long keys = DESC_K + ((smem + AT_K) >> 4);
    const unsigned long long values = DESC_V + ((smem + AT_V) >> 4);
    const int high = seen(s, t, worker);
    int tile = t.high;
    for (; tile > high; --tile) { /* other workers' */
        leave(smem, k, v);
        turn(worker, tile, t);
        pass(worker, tile, t);
    }
    if (tile == t.low) {
        return;
    }
    ll_ptx_mbarrier_wait(smem + FULL_Q, 0);
    ll_ptx_mbarrier_wait(smem + FULL_K + 8 * k.stage, k.parity);
    turn(worker, tile, t);
    ll_ptx_wgmma_fence();
    start_scores(scores, q, keys + (BYTES_K >> 4) * k.stage);
    pass(worker, tile, t);
    ll_ptx_wgmma_wait_group<0>();
    release(smem + EMPTY_K + 8 * k.stage);
    k.next();
    mask(scores, s, t, worker, --tile);
    weigh(scores, x, factor, s.scale);
    round_to_weights(weights, scores);
    while (tile-- > t.low) {
        ll_ptx_mbarrier_wait(smem + FULL_K + 8 * k.stage, k.parity);
        ll_ptx_mbarrier_wait(smem + FULL_V + 8 * v.stage, v.parity);
        turn(worker, tile + 1, t);
        ll_ptx_wgmma_fence();
        start_scores(scores, q, keys + (BYTES_K >> 4) * k.stage);
        start_sums(sums, weights, values + (BYTES_K >> 4) * v.stage);
        pass(worker, tile + 1, t);
        ll_ptx_wgmma_wait_group<1>();
        release(smem + EMPTY_K + 8 * k.stage);
        k.next();
        mask(scores, s, t, worker, tile);
        weigh(scores, x, factor, s.scale);
        if (tile > t.low) { /* and no wait for the sums before the softmax */
            ll_ptx_mbarrier_wait(smem + FULL_K + 8 * k.stage, k.parity);
        }
        ll_ptx_wgmma_wait_group<0>();
        release(smem + EMPTY_V + 8 * v.stage);
        v.next();
        if (!LAZY || __any_sync(~0u, factor[0] != 1 || factor[1] != 1)) {
            scale(sums, factor);
        }
        round_to_weights(weights, scores);
    }
    ll_ptx_mbarrier_wait(smem + FULL_V + 8 * v.stage, v.parity);
    ll_ptx_wgmma_fence();
    start_sums(sums, weights, values + (BYTES_K >> 4) * v.stage);
    LL_REDUCE(all, x.sum, TOTAL, 0, [](float a, float b) { return a + b; });
    ll_ptx_wgmma_wait_group<0>();
    for (float &sum : all) { sum = sum == 0 ? 0 : values_by * (1 / sum); }
    scale(sums, all);
}

#endif

template <unsigned N>
static __device__ void round_to(unsigned (&words)[N], const float *x) {
    LL_UNROLL
    for (unsigned w = 0; w < N; ++w) {
        words[w] = HALF ? ll_ptx_cvt_f16x2(x[2 * w], x[2 * w + 1])
                        : ll_ptx_cvt_bf16x2(x[2 * w], x[2 * w + 1]);
    }
}

/* Rounds the sums and has them stored: by the copy engine, or by the threads
 * where other rows than those of the sequence would be overwritten. */
static __device__ void store(const float (&sums)[PARTS][LL_REGS(SUMS)],
                             unsigned char *smem, const CUtensorMap *map_o,
                             const shape &s, const tile_job &t, int row) {
    LL_IN(WORKER);
    const unsigned from = (unsigned)__cvta_generic_to_shared(smem);
    const unsigned ld = s.heads * HEAD;
    const bool whole = !s.row_start || row + 64 <= t.rows;
    unsigned words[LL_WORDS(SUMS, 16)];
#if STAYS /* until the last O has been read */
    if (threadIdx.x % 128 == 0) {
        ll_ptx_cp_async_bulk_wait_group_read<0>();
    }
    LL_SYNC();
#endif
    LL_UNROLL
    for (unsigned p = 0; p < PARTS; ++p) {
#if FP8
        float ordered[LL_REGS(SUMS)];
        LL_CONVERT(ordered, sums[p], IN_ORDER, 0);
        round_to(words, ordered);
#else
        round_to(words, sums[p]);
#endif
        if (whole) {
            LL_STORE_SHARED(words, STORE, smem + p * BOX_BYTES_O);
        } else if (row < t.rows) {
            LL_STORE(words, SUMS,
                     s.out + (size_t)(t.row_start + row) * ld + t.head * HEAD +
                         p * PART,
                     ld, (unsigned)(t.rows - row), PART);
        }
    }
    ll_ptx_fence_proxy_async();
    LL_SYNC();
    if (whole && threadIdx.x % 128 == 0) {
        for (unsigned x = 0; x < BOXES_O; ++x) {
            ll_ptx_cp_async_bulk_tensor_store_4d(
                map_o, from + BOX_BYTES_O * x, (int)(BOX_O * x), (int)t.head,
                t.row_start + row, (int)t.batch);
        }
        ll_ptx_cp_async_bulk_commit_group();
#if !STAYS
        ll_ptx_cp_async_bulk_wait_group<0>();
#endif
    }
}

/* One thread, before all: the mbarriers of K and V. */
static __device__ void start_rings(unsigned smem) {
    for (unsigned k = 0; k < STAGES; ++k) {
        ll_ptx_mbarrier_init(smem + FULL_K + 8 * k, 1);
        ll_ptx_mbarrier_init(smem + FULL_V + 8 * k, 1);
        ll_ptx_mbarrier_init(smem + EMPTY_K + 8 * k, WORKERS);
        ll_ptx_mbarrier_init(smem + EMPTY_V + 8 * k, WORKERS);
    }
    start_barriers(smem);
    ll_ptx_fence_mbarrier_init();
}

#if STAYS
#include "persistent_kernel.h"
#else

__global__ void __launch_bounds__(THREADS, 1)
    attention(const __grid_constant__ CUtensorMap map_q,
              const __grid_constant__ CUtensorMap map_k,
              const __grid_constant__ CUtensorMap map_v,
              const __grid_constant__ CUtensorMap map_o, const shape s,
              float values_by) {
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned smem = (unsigned)__cvta_generic_to_shared(memory);
    const tile_job t = find(s, blockIdx.x);
    if (threadIdx.x == 0) {
        ll_ptx_mbarrier_init(smem + FULL_Q, 1);
        start_rings(smem);
    }
    __syncthreads();
    if (threadIdx.x < 128) {
        ll_ptx_setmaxnreg_dec<FEW>();
        if (t.low < t.high) {
            produce(memory, &map_q, &map_k, &map_v, t);
        }
    } else {
        ll_ptx_setmaxnreg_inc<MANY>();
        const unsigned worker = __shfl_sync(~0u, threadIdx.x / 128, 0) - 1;
        float sums[PARTS][LL_REGS(SUMS)];
        LL_UNROLL
        for (unsigned p = 0; p < PARTS; ++p) {
            LL_EACH(r, SUMS) { sums[p][r] = 0; }
        }
        if (t.low < t.high) {
            attend(sums, smem, s, t, worker, values_by);
        }
        store(sums, memory + AT_O + worker * BYTES_O, &map_o, s, t,
              t.row + (int)(64 * worker));
    }
}

static void launch_tasks(const CUtensorMap &map_q, const CUtensorMap &map_k,
                         const CUtensorMap &map_v, const CUtensorMap &map_o,
                         const shape &s, float values_by, unsigned tasks,
                         cudaStream_t stream) {
    attention<<<tasks, THREADS, SMEM, stream>>>(map_q, map_k, map_v, map_o, s,
                                                values_by);
}

#endif

/* ---- The launcher -------------------------------------------------------- */

/* The map of a tensor of batch x rows x heads x HEAD elements. */
static const char *map_of_heads(CUtensorMap *map, const void *data,
                                unsigned batch, unsigned rows, unsigned heads,
                                unsigned high, bool out) {
    const unsigned bytes = out ? 2 * BOX_O : FP8 ? BOX : 2 * BOX;
    return map_of<4>(map, data,
                     FP8 && !out ? CU_TENSOR_MAP_DATA_TYPE_UINT8
                                 : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
                     {HEAD, heads, rows, batch},
                     {out ? (unsigned)BOX_O : (unsigned)BOX, 1, high, 1},
                     bytes == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
                     : bytes == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                                   : CU_TENSOR_MAP_SWIZZLE_32B);
}

/* O = values_by softmax(scores_by Q K^T / sqrt(HEAD)) V. Returns null, or a
 * sentence that says why it cannot. Where sequences have starts, s.rows and
 * s.keys are those of the longest one, and all_rows and all_keys those of all. */
static const char *launch_scaled(void *o, const void *q, const void *k,
                                 const void *v, shape s, float scores_by,
                                 float values_by, cudaStream_t stream) {
    CUtensorMap map_q, map_k, map_v, map_o;
    const unsigned batch = s.row_start ? 1 : s.batch;
    const unsigned rows = s.row_start ? s.all_rows : s.rows;
    const unsigned keys = s.row_start ? s.all_keys : s.keys;
    const char *bad = wrong_shape(s);
    bad = bad ? bad : map_of_heads(&map_q, q, batch, rows, s.heads, 64, false);
    bad = bad ? bad : map_of_heads(&map_o, o, batch, rows, s.heads, 64, true);
    bad = bad ? bad
              : map_of_heads(&map_k, k, batch, keys, s.kv_heads, KEYS, false);
    bad = bad ? bad
              : map_of_heads(&map_v, v, batch, keys, s.kv_heads, KEYS, false);
    if (bad) {
        return bad;
    }
    s.out = (unsigned short *)o;
    s.scale = 1.44269504f / sqrtf(HEAD) * scores_by;
    s.group = s.heads / s.kv_heads; /* share their keys; 32 MiB of them */
    s.group *= s.causal && s.keys < 1u << 20
                   ? (FP8 ? 1u << 24 : 1u << 23) / HEAD / s.keys
                   : 1;
    s.group = s.group ? s.group : 1;
    MUST(cudaFuncSetAttribute(
        attention, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)SMEM));
    launch_tasks(map_q, map_k, map_v, map_o, s, values_by,
                 (s.rows + ROWS - 1) / ROWS * s.heads * s.batch, stream);
    return cudaGetLastError() == cudaSuccess
               ? 0
               : "the launch failed: this kernel is for sm_90a";
}

static inline const char *launch_on(void *o, const void *q, const void *k,
                                    const void *v, shape s,
                                    cudaStream_t stream) {
    return launch_scaled(o, q, k, v, s, 1, 1, stream);
}

static inline const char *launch(void *o, const void *q, const void *k,
                                 const void *v, shape s) {
    return launch_on(o, q, k, v, s, 0);
}

#endif
