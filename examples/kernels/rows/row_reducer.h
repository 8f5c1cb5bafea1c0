/* row_reducer.h - reductions and scans over the threads of a row
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_ROW_REDUCER_H
#define LL_ROW_REDUCER_H

#include "row_layout.h"

namespace ll_kernels {

/* Stores x to the shared memory of another block of the cluster and signals its
 * mbarrier. Needs no fence, which would wait for all earlier stores. */
template <class VALUE>
__device__ void push(unsigned to, const VALUE &x, unsigned bar) {
    ll_words w = {};
    memcpy(w.w, &x, sizeof(VALUE));
    if constexpr (sizeof(VALUE) == 4) {
        ll_ptx_st_async_b32(to, w, bar);
    } else if constexpr (sizeof(VALUE) == 8) {
        ll_ptx_st_async_b64(to, w, bar);
    } else {
        ll_ptx_st_async_b128(to, w, bar);
    }
}

/* Reduces one value per thread over the threads of a row: first within each
 * block, then across the blocks of the cluster, which exchange their results.
 *   VALUE           the type of a value
 *   WARPS           warps per row and block
 *   ROWS_PER_BLOCK  rows per block
 *   CLUSTER_BLOCKS  blocks that share a row
 *   BUFFERS         buffers for results of blocks
 * The buffers alternate between rows. A block sends row r + 1 only after all
 * its threads have finished row r, so no buffer is overwritten while it is
 * read. */
template <class VALUE, unsigned WARPS, unsigned CLUSTER_BLOCKS,
          unsigned ROWS_PER_BLOCK, unsigned BUFFERS = 2>
struct row_reducer {
    LL_LAYOUT(LANES, row_of(1, 1, WARPS, 1, ROWS_PER_BLOCK));
    LL_LAYOUT(FAR,
              ll_mul(ll_mul(ll_identity(CLUSTER_BLOCKS, LL_LANE, LL_J),
                            ll_zeros(32 / CLUSTER_BLOCKS, LL_LANE, LL_J, 1)),
                     ll_zeros(WARPS *ROWS_PER_BLOCK, LL_WARP, LL_J, 1)));
    LL_REDUCE_PLAN(HERE, LANES, LL_J, 8 * sizeof(VALUE), LL_SM90);
    LL_REDUCE_PLAN(THERE, FAR, LL_J, 8 * sizeof(VALUE), LL_SM90);
    enum : unsigned {
        bytes = (LL_SMEM_BYTES(HERE) + 15) / 16 * 16,
        sent = CLUSTER_BLOCKS * sizeof(VALUE) + 4
    };
    alignas(16) unsigned char memory[2][bytes];
    alignas(16) VALUE of_block[BUFFERS][CLUSTER_BLOCKS];
    unsigned long long full[BUFFERS];
    unsigned number[BUFFERS];

    /* Call before the first row. `draws`: are row numbers handed out? */
    __device__ void start(unsigned draws = 1) {
        if constexpr (CLUSTER_BLOCKS > 1) {
            if (threadIdx.x == 0) {
                for (unsigned k = 0; k < BUFFERS; ++k) {
                    ll_ptx_mbarrier_init(address(full + k), 1);
                    ll_ptx_mbarrier_arrive_expect_tx(address(full + k),
                                                     sent - (draws ? 0 : 4));
                }
                ll_ptx_fence_mbarrier_init();
            }
            wait_for_cluster();
        }
    }
    /* Returns the result for row number `turn`. With `here`, also hands the
     * number of a later row to all blocks. */
    template <class OP, class ROWS>
    __device__ VALUE all(VALUE own, unsigned turn, OP op, ROWS &here) {
        return finish(begin(own, turn, op, here), turn, op, here);
    }
    template <class OP>
    __device__ VALUE all(VALUE own, unsigned turn, OP op, unsigned next = 0) {
        return combined(reduced(own, turn, op, next), turn, op);
    }
    /* The two halves of all(). With 4 buffers the next row may begin before
     * this one is finished, so that no block waits for others. */
    template <class OP, class ROWS>
    __device__ VALUE begin(VALUE own, unsigned turn, OP op, ROWS &here) {
        unsigned next = 0;
        if (ROWS::ahead && threadIdx.x == 0 &&
            blockIdx.x % CLUSTER_BLOCKS == 0) {
            next = here.draw();
            number[turn % BUFFERS] = next;
        }
        if (WARPS == 1) {
            __syncwarp();
        }
        return reduced(own, turn, op, next);
    }
    template <class OP, class ROWS>
    __device__ VALUE finish(VALUE ours, unsigned turn, OP op, ROWS &here) {
        const VALUE result = combined(ours, turn, op);
        if (ROWS::ahead) {
            here.coming[ROWS::ahead] = number[turn % BUFFERS];
        }
        return result;
    }
    /* For scans: hands out the number of a later row. Call before the barrier
     * of the block. */
    template <class ROWS> __device__ void draw(unsigned turn, ROWS &here) {
        if (ROWS::ahead && threadIdx.x == 0 &&
            blockIdx.x % CLUSTER_BLOCKS == 0) {
            const unsigned next = here.draw();
            number[turn % 2] = next;
            for (unsigned k = 0; k < CLUSTER_BLOCKS && CLUSTER_BLOCKS > 1;
                 ++k) {
                push(ll_ptx_mapa(address(number + turn % 2), k), next,
                     ll_ptx_mapa(address(full + turn % 2), k));
            }
        }
    }
    /* For scans: returns the combined value of all preceding blocks. Call after
     * the barrier. In the last lane `own` is the block's total. */
    template <class OP, class ROWS>
    __device__ VALUE before(VALUE own, unsigned turn, OP op, ROWS &here) {
        VALUE sum = {};
        if (WARPS == 1) {
            __syncwarp();
        }
        if constexpr (CLUSTER_BLOCKS > 1) {
            const unsigned rank = blockIdx.x % CLUSTER_BLOCKS;
            if (threadIdx.x == 32 * WARPS - 1) {
                for (unsigned k = 0; k < CLUSTER_BLOCKS; ++k) {
                    push(ll_ptx_mapa(address(of_block[turn % 2] + rank), k),
                         own, ll_ptx_mapa(address(full + turn % 2), k));
                }
            }
            ll_ptx_mbarrier_wait(address(full + turn % 2), turn / 2 % 2);
            if (threadIdx.x == 0) {
                ll_ptx_mbarrier_arrive_expect_tx(
                    address(full + turn % 2),
                    CLUSTER_BLOCKS * sizeof(VALUE) + (ROWS::ahead ? 4 : 0));
            }
            LL_UNROLL
            for (unsigned k = 0; k + 1 < CLUSTER_BLOCKS; ++k) {
                sum = k < rank ? op(sum, of_block[turn % 2][k]) : sum;
            }
        }
        if (ROWS::ahead) {
            here.coming[ROWS::ahead] = number[turn % 2];
        }
        return sum;
    }
    /* Call at the end: no block may exit while others still send to it. */
    __device__ static void end() {
        if constexpr (CLUSTER_BLOCKS > 1) {
            wait_for_cluster();
        }
    }

  private:
    /* Reduces within the block and sends the result to all blocks. */
    template <class OP>
    __device__ VALUE reduced(VALUE own, unsigned turn, OP op, unsigned next) {
        const VALUE mine[1] = {own};
        VALUE result[1];
        LL_REDUCE(result, mine, HERE, memory[turn % 2], op);
        if constexpr (CLUSTER_BLOCKS > 1) {
            send(result[0], turn % BUFFERS, __shfl_sync(~0u, next, 0));
        }
        return result[0];
    }
    /* Reduces the results of all blocks. */
    template <class OP>
    __device__ VALUE combined(VALUE ours, unsigned turn, OP op) {
        VALUE result[1] = {ours};
        if constexpr (CLUSTER_BLOCKS > 1) {
            const unsigned k = turn % BUFFERS;
            ll_ptx_mbarrier_wait(address(full + k), turn / BUFFERS % 2);
            if (threadIdx.x == 0) {
                ll_ptx_mbarrier_arrive_expect_tx(address(full + k), sent);
            }
            const VALUE its[1] = {of_block[k][threadIdx.x % CLUSTER_BLOCKS]};
            LL_REDUCE(result, its, THERE, 0, op);
        }
        return result[0];
    }
    __device__ void send(const VALUE &x, unsigned turn, unsigned next) {
        const unsigned rank = blockIdx.x % CLUSTER_BLOCKS;
        if (threadIdx.x < CLUSTER_BLOCKS) {
            const unsigned bar = ll_ptx_mapa(address(full + turn), threadIdx.x);
            push(ll_ptx_mapa(address(of_block[turn] + rank), threadIdx.x), x,
                 bar);
            if (rank == 0) {
                push(ll_ptx_mapa(address(number + turn), threadIdx.x), next,
                     bar);
            }
        }
    }
    template <class P> __device__ static unsigned address(const P *p) {
        return (unsigned)__cvta_generic_to_shared(p);
    }
    __device__ static void wait_for_cluster() {
        ll_ptx_barrier_cluster_arrive();
        ll_ptx_barrier_cluster_wait();
    }
};

} // namespace ll_kernels

#endif
