/* attention_kernel.h - the kernel of attention.cu and attention_fp8.cu: roles
 * of warpgroups, store of O, launch
 * SPDX-License-Identifier: MIT
 *
 * KERNEL names the parts of a kernel:
 *   tiles     sizes of tiles, layouts, places in shared memory
 *   producer  warpgroup 0: loads tiles of Q, K and V
 *   worker    each other warpgroup: computes 64 rows of O
 */
#ifndef LL_ATTENTION_KERNEL_H
#define LL_ATTENTION_KERNEL_H

#include "kv_ring.h"
#include "persistent_blocks.h"
#include "score_tile.h"
#include <math.h>

namespace ll_kernels {

/* Rounds O and stores it: by TMA, or by the threads where TMA would overwrite
 * rows of another sequence.
 *   to   the worker's tile of O in shared memory
 *   row  of the sequence */
template <class TILES>
static __device__ void
store_output(const typename TILES::output_registers &output, unsigned char *to,
             const CUtensorMap *map_o, const attention_shape &s,
             const tile_job &t, int row) {
    LL_IN(WARPGROUP);
    typedef typename TILES::OUTPUT OUTPUT;
    typedef typename TILES::STORE STORE;
    const unsigned from = (unsigned)__cvta_generic_to_shared(to);
    const unsigned ld = s.heads * TILES::HEAD_DIM;
    const bool whole = !s.row_start || row + 64 <= t.rows;
    unsigned words[LL_WORDS(OUTPUT, 16)];
    if constexpr (TILES::PERSISTENT) { /* the last O has been read */
        if (threadIdx.x % 128 == 0) {
            ll_ptx_cp_async_bulk_wait_group_read<0>();
        }
        LL_SYNC();
    }
    LL_UNROLL
    for (unsigned p = 0; p < TILES::PARTS; ++p) {
        TILES::round_output(words, output[p]);
        if (whole) {
            LL_STORE_SHARED(words, STORE, to + p * TILES::BOX_BYTES_O);
        } else if (row < t.rows) {
            LL_STORE(words, OUTPUT,
                     s.out + (size_t)(t.row_start + row) * ld +
                         t.head * TILES::HEAD_DIM + p * TILES::PART,
                     ld, (unsigned)(t.rows - row), TILES::PART);
        }
    }
    ll_ptx_fence_proxy_async();
    LL_SYNC();
    if (whole && threadIdx.x % 128 == 0) {
        for (unsigned x = 0; x < TILES::BOXES_O; ++x) {
            ll_ptx_cp_async_bulk_tensor_store_4d(
                map_o, from + TILES::BOX_BYTES_O * x, (int)(TILES::BOX_O * x),
                (int)t.head, t.row_start + row, (int)t.batch);
        }
        ll_ptx_cp_async_bulk_commit_group();
        if constexpr (!TILES::PERSISTENT) {
            ll_ptx_cp_async_bulk_wait_group<0>();
        }
    }
}

/* Sets all accumulators to 0. */
template <unsigned PARTS, unsigned N>
static __device__ void clear(float (&output)[PARTS][N]) {
    LL_UNROLL
    for (unsigned p = 0; p < PARTS; ++p) {
        LL_UNROLL
        for (unsigned r = 0; r < N; ++r) {
            output[p][r] = 0;
        }
    }
}

/* A worker of a persistent block: computes 64 rows of each job. */
template <class KERNEL>
static __device__ void run_jobs(unsigned char *memory, const CUtensorMap *map_o,
                                const attention_shape &s, float output_scale,
                                unsigned jobs, bool alternate) {
    typedef typename KERNEL::tiles tiles;
    const unsigned smem = (unsigned)__cvta_generic_to_shared(memory);
    const unsigned number = __shfl_sync(~0u, threadIdx.x / 128, 0) - 1;
    ring_positions<tiles::STAGES> p = {{0, 0}, {0, 0}, 0};
    for (persistent_blocks<tiles> b(jobs, alternate); b.left(); b.next()) {
        const tile_job t = b.job(s);
        typename tiles::output_registers output;
        clear(output);
        if (t.low < t.high) {
            KERNEL::worker::run(output, smem, s, t, number, output_scale, p);
            p.q ^= 1;
        }
        store_output<tiles>(output,
                            memory + tiles::AT_O + number * tiles::BYTES_O,
                            map_o, s, t, t.row + (int)(64 * number));
    }
    ll_ptx_cp_async_bulk_wait_group_read<0>();
}

/* Computes O = output_scale softmax(Q K^T) V. `jobs` are the arguments of
 * persistent_blocks, if blocks are persistent. */
template <class KERNEL, class... JOBS>
__global__ void __launch_bounds__(KERNEL::tiles::THREADS, 1)
    attention(const __grid_constant__ CUtensorMap map_q,
              const __grid_constant__ CUtensorMap map_k,
              const __grid_constant__ CUtensorMap map_v,
              const __grid_constant__ CUtensorMap map_o,
              const attention_shape s, float output_scale, JOBS... jobs) {
    typedef typename KERNEL::tiles tiles;
    typedef typename KERNEL::producer producer;
    typedef typename KERNEL::worker worker;
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned smem = (unsigned)__cvta_generic_to_shared(memory);
    tile_job job; /* of a block that is not persistent */
    if constexpr (!tiles::PERSISTENT) {
        job = find_job<tiles::ROWS, tiles::KEYS>(s, blockIdx.x);
    }
    if (threadIdx.x == 0) {
        ll_ptx_mbarrier_init(smem + tiles::FULL_Q, 1);
        if constexpr (tiles::PERSISTENT) {
            ll_ptx_mbarrier_init(smem + tiles::EMPTY_Q, tiles::WORKERS);
        }
        init_ring<tiles>(smem);
        producer::init(smem);
        ll_ptx_fence_mbarrier_init();
    }
    __syncthreads();
    if (threadIdx.x < 128) {
        ll_ptx_setmaxnreg_dec<tiles::PRODUCER_REGISTERS>();
        ring_positions<tiles::STAGES> p = {{0, 0}, {0, 0}, 0};
        producer::begin(memory);
        if constexpr (tiles::PERSISTENT) {
            for (persistent_blocks<tiles> b(jobs...); b.left(); b.next()) {
                const tile_job t = b.job(s);
                if (t.low < t.high) {
                    producer::run(memory, &map_q, &map_k, &map_v, t, p);
                    p.q ^= 1;
                }
            }
        } else if (job.low < job.high) {
            producer::run(memory, &map_q, &map_k, &map_v, job, p);
        }
    } else {
        ll_ptx_setmaxnreg_inc<tiles::WORKER_REGISTERS>();
        if constexpr (tiles::PERSISTENT) {
            run_jobs<KERNEL>(memory, &map_o, s, output_scale, jobs...);
        } else {
            const unsigned number = __shfl_sync(~0u, threadIdx.x / 128, 0) - 1;
            ring_positions<tiles::STAGES> p = {{0, 0}, {0, 0}, 0};
            typename tiles::output_registers output;
            clear(output);
            if (job.low < job.high) {
                worker::run(output, smem, s, job, number, output_scale, p);
            }
            store_output<tiles>(output,
                                memory + tiles::AT_O + number * tiles::BYTES_O,
                                &map_o, s, job, job.row + (int)(64 * number));
        }
    }
}

/* Sets *map to the map of a tensor of batch x rows x heads x head dimension
 * elements: Q, K or V, or O if `out`. Boxes have `high` rows. Returns an error
 * message, or null. */
template <class TILES>
const char *map_of_heads(CUtensorMap *map, const void *data, unsigned batch,
                         unsigned rows, unsigned heads, unsigned high,
                         bool out) {
    const bool bytes = TILES::ELEMENT_BYTES == 1 && !out;
    const unsigned box = out ? +TILES::BOX_O : +TILES::BOX;
    const unsigned width = bytes ? box : 2 * box;
    return map_of<4>(map, data,
                     bytes ? CU_TENSOR_MAP_DATA_TYPE_UINT8
                           : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
                     {TILES::HEAD_DIM, heads, rows, batch}, {box, 1, high, 1},
                     width == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
                     : width == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                                   : CU_TENSOR_MAP_SWIZZLE_32B);
}

/* Launches O = output_scale softmax(score_scale Q K^T / sqrt(HEAD_DIM)) V. If
 * sequences have starts, s.rows and s.keys are of the longest, and
 * all_rows and all_keys those of all. Returns an error message, or null. */
template <class KERNEL>
const char *launch_attention(void *o, const void *q, const void *k,
                             const void *v, attention_shape s,
                             float score_scale, float output_scale,
                             cudaStream_t stream) {
    typedef typename KERNEL::tiles tiles;
    CUtensorMap map_q, map_k, map_v, map_o;
    const unsigned batch = s.row_start ? 1 : s.batch;
    const unsigned rows = s.row_start ? s.all_rows : s.rows;
    const unsigned keys = s.row_start ? s.all_keys : s.keys;
    const char *bad = shape_error(s, tiles::ROWS);
    bad = bad ? bad
              : map_of_heads<tiles>(&map_q, q, batch, rows, s.heads, 64, false);
    bad = bad ? bad
              : map_of_heads<tiles>(&map_o, o, batch, rows, s.heads, 64, true);
    bad = bad ? bad
              : map_of_heads<tiles>(&map_k, k, batch, keys, s.kv_heads,
                                    tiles::KEYS, false);
    bad = bad ? bad
              : map_of_heads<tiles>(&map_v, v, batch, keys, s.kv_heads,
                                    tiles::KEYS, false);
    if (bad) {
        return bad;
    }
    s.out = (unsigned short *)o;
    s.scale = 1.44269504f / sqrtf(tiles::HEAD_DIM) * score_scale;
    s.group = s.heads / s.kv_heads; /* share their keys; 32 MiB of them */
    s.group *=
        s.causal && s.keys < 1u << 20
            ? (1u << 24) / tiles::ELEMENT_BYTES / tiles::HEAD_DIM / s.keys
            : 1;
    s.group = s.group ? s.group : 1;
    const unsigned jobs =
        (s.rows + tiles::ROWS - 1) / tiles::ROWS * s.heads * s.batch;
    const auto launch = [&](auto kernel, unsigned blocks, auto... arguments) {
        (void)cudaFuncSetAttribute(kernel,
                                   cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   (int)tiles::SMEM); /* or the launch fails */
        kernel<<<blocks, tiles::THREADS, tiles::SMEM, stream>>>(
            map_q, map_k, map_v, map_o, s, output_scale, arguments...);
    };
    if constexpr (tiles::PERSISTENT) {
        /* Where each block gets as much to do: not with sequences of several
         * lengths. */
        const unsigned most = processors_here();
        const bool stay =
            !(s.causal && s.window) && !s.row_start && most < jobs;
        launch(attention<KERNEL, unsigned, bool>, stay ? most : jobs, jobs,
               stay && s.causal);
    } else {
        launch(attention<KERNEL>, jobs);
    }
    return cudaGetLastError() == cudaSuccess
               ? 0
               : "the launch failed: this kernel is for sm_90a";
}

} // namespace ll_kernels

#endif
