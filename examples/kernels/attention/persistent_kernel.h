/* persistent_kernel.h - the kernel for heads of 64 and 128: a block runs one
 * job after another, and loads the next job while this one ends.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_PERSISTENT_KERNEL_H
#define LL_PERSISTENT_KERNEL_H

/* Producers: start all copies, and turn V. */
static __device__ void produce(unsigned char *memory, const CUtensorMap *map_q,
                               const CUtensorMap *map_k,
                               const CUtensorMap *map_v, const tile_job &t,
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

/* How a block goes over its tasks: each round has one for each block. Where
 * their lengths differ, blocks take the next round in the opposite order, which
 * makes up for it. Steps of lengths are left; two rounds later they are other
 * blocks', `SHIFT` places further. */
struct visits {
    enum : unsigned { SHIFT = 41 }; /* of 0 to 61 it leaves least */
    unsigned tasks, x, round;
    bool differ;
    __device__ visits(unsigned tasks, bool differ)
        : tasks(tasks), x(blockIdx.x), round(0), differ(differ) {}
    __device__ void next() {
        const unsigned all = gridDim.x;
        unsigned at = blockIdx.x;
        ++round;
        if (differ) {
            at = (at + round / 2 * SHIFT) % all;
            at = round % 2 ? all - 1 - at : at;
        }
        x = round * all + at;
    }
};

/* A worker: all tasks of the block. */
static __device__ void work_on(unsigned char *memory, const CUtensorMap *map_o,
                               const shape &s, unsigned tasks, bool differ,
                               float values_by) {
    const unsigned smem = (unsigned)__cvta_generic_to_shared(memory);
    const unsigned worker = __shfl_sync(~0u, threadIdx.x / 128, 0) - 1;
    places p = {{0, 0}, {0, 0}, 0};
    for (visits r(tasks, differ); r.x < tasks; r.next()) {
        const tile_job t = find(s, r.x, differ);
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
              float values_by, unsigned tasks, bool differ) {
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
        for (visits r(tasks, differ); r.x < tasks; r.next()) {
            const tile_job t = find(s, r.x, differ);
            if (t.low < t.high) {
                produce(memory, &map_q, &map_k, &map_v, t, p);
                p.q ^= 1;
            }
        }
    } else {
        ll_ptx_setmaxnreg_inc<MANY>();
        work_on(memory, &map_o, s, tasks, differ, values_by);
    }
}

/* Blocks stay where each gets as much to do: not with sequences of several
 * lengths. */
static void launch_tasks(const CUtensorMap &map_q, const CUtensorMap &map_k,
                         const CUtensorMap &map_v, const CUtensorMap &map_o,
                         const shape &s, float values_by, unsigned tasks,
                         cudaStream_t stream) {
    const unsigned most = processors_here();
    const bool stay = !(s.causal && s.window) && !s.row_start && most < tasks;
    attention<<<stay ? most : tasks, THREADS, SMEM, stream>>>(
        map_q, map_k, map_v, map_o, s, values_by, tasks, stay && s.causal);
}

#endif
