/* attention_stay.h - the kernel for heads of 64 and 128: a block takes one task
 * after another, so that the copies of the next one run under the end of this
 * one.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_ATTENTION_STAY_H
#define LL_ATTENTION_STAY_H

/* Producers: start all copies, and turn V. */
static __device__ void produce(unsigned char *memory, const CUtensorMap *map_q,
                               const CUtensorMap *map_k,
                               const CUtensorMap *map_v, const task &t,
                               places &p) {
    const unsigned smem = (unsigned)__cvta_generic_to_shared(memory);
    int next = t.high; /* the tile below is copied next */
    if (threadIdx.x == 0) {
        ll_ptx_mbarrier_wait(smem + EMPTY_Q, p.q ^ 1);
        load_rows(smem, map_q, t);
    }
    for (int x = t.high + 1; x-- > t.low;) {
        if (threadIdx.x == 0 && next > t.low) {
            load_both(smem, map_k, map_v, p.k, t, --next);
        }
        __syncwarp();
        if (x < t.high) {
            turn_tile(memory, p.v);
        }
    }
}

/* How a block goes over its tasks: every one of as many as there are blocks, or
 * in pairs of the longest and the shortest left, which have the same length. */
struct visits {
    unsigned tasks, x, first;
    bool pairs;
    __device__ visits(unsigned tasks, bool pairs)
        : tasks(tasks), x(blockIdx.x), first(blockIdx.x), pairs(pairs) {
        x = !pairs || first < (tasks + 1) / 2 ? first : tasks;
    }
    __device__ void next() {
        if (pairs && x == first && x != tasks - 1 - x) {
            x = tasks - 1 - x;
            return;
        }
        first += gridDim.x;
        x = !pairs || first < (tasks + 1) / 2 ? first : tasks;
    }
};

/* A worker: all tasks of the block. */
static __device__ void work_on(unsigned char *memory, const CUtensorMap *map_o,
                               const shape &s, unsigned tasks, bool pairs,
                               float values_by) {
    const unsigned smem = (unsigned)__cvta_generic_to_shared(memory);
    const unsigned worker = __shfl_sync(~0u, threadIdx.x / 128, 0) - 1;
    places p = {{0, 0}, {0, 0}, 0};
    for (visits r(tasks, pairs); r.x < tasks; r.next()) {
        const task t = find(s, r.x);
        float sums[PARTS][LL_REGS(SUMS)];
        LL_UNROLL
        for (unsigned k = 0; k < PARTS; ++k) {
            LL_EACH(r, SUMS) { sums[k][r] = 0; }
        }
        if (t.low < t.high) {
            attend(sums, smem, s, t, worker, values_by, p);
            p.q ^= 1;
        }
        store(sums, memory + AT_O + worker * BYTES_O, map_o, s, t,
              t.row + (int)(64 * worker));
    }
    ll_ptx_cp_async_bulk_wait_group_read<0>();
}

__global__ void __launch_bounds__(THREADS, 1)
    attention(const __grid_constant__ CUtensorMap map_q,
              const __grid_constant__ CUtensorMap map_k,
              const __grid_constant__ CUtensorMap map_v,
              const __grid_constant__ CUtensorMap map_o, const shape s,
              float values_by, unsigned tasks, bool pairs) {
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned smem = (unsigned)__cvta_generic_to_shared(memory);
    if (threadIdx.x == 0) {
        ll_ptx_mbarrier_init(smem + FULL_Q, 1);
        ll_ptx_mbarrier_init(smem + EMPTY_Q, WORKERS);
        start_rings(smem);
    }
    __syncthreads();
    if (threadIdx.x < 128) {
        ll_ptx_setmaxnreg_dec<FEW>();
        places p = {{0, 0}, {0, 0}, 0};
#if HEAD == 64
        put_ones(memory);
#endif
        for (visits r(tasks, pairs); r.x < tasks; r.next()) {
            const task t = find(s, r.x);
            if (t.low < t.high) {
                produce(memory, &map_q, &map_k, &map_v, t, p);
                p.q ^= 1;
            }
        }
    } else {
        ll_ptx_setmaxnreg_inc<MANY>();
        work_on(memory, &map_o, s, tasks, pairs, values_by);
    }
}

/* Tasks are equal, so that each processor has as many, or pairs of tasks are;
 * with many keys that leaves some processors idle at the end for too long. */
static void launch_tasks(const CUtensorMap &map_q, const CUtensorMap &map_k,
                         const CUtensorMap &map_v, const CUtensorMap &map_o,
                         const shape &s, float values_by, unsigned tasks,
                         cudaStream_t stream) {
    const unsigned most = processors_here();
    const bool pairs = s.causal && !s.window && s.keys <= 8192;
    const bool stay = (!s.causal || pairs) && !s.row_start && most < tasks;
    attention<<<stay ? most : tasks, THREADS, SMEM, stream>>>(
        map_q, map_k, map_v, map_o, s, values_by, tasks, stay && pairs);
}

#endif
