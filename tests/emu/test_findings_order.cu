/* test_findings_order.cu - what orders two accesses, and what does not: atomic
 * operations beside plain accesses, __syncwarp of some lanes, exchanges, flags
 * with fences, stores of the TMA unit. Each fault has a correct twin.
 * SPDX-License-Identifier: MIT
 */
#define FINDINGS "test_findings_order.cu"
#include "findings.h"

enum { RIGHT, WRONG };

/* ==== Plain accesses beside atomic operations: shared memory ============== */

/* Warp 0 zeroes the counter and adds to it, warp 1 adds too. */
template <int CASE> __global__ void zeroes(u32 *p) {
    __shared__ u32 h;
    if (threadIdx.x == 0) {
        h = 0;
    }
    if (CASE == RIGHT) {
        __syncthreads();
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&h, 1u);
    }
    __syncthreads();
    p[threadIdx.x] = h;
}
static const int zeroes_line = __LINE__ - 5;

/* Both warps zero the counter, with one value, before both add. */
template <int CASE> __global__ void both_zero(u32 *p) {
    __shared__ u32 h;
    h = 0;
    if (CASE == RIGHT) {
        __syncthreads();
    } else {
        __syncwarp();
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&h, 1u);
    }
    __syncthreads();
    p[threadIdx.x] = h;
}
static const int both_zero_line = __LINE__ - 5;

/* Warp 1 adds before and after warp 0 reads, behind its own addition. */
template <int CASE> __global__ void reads_counter(u32 *p) {
    __shared__ u32 h;
    h = 0;
    __syncthreads();
    if (threadIdx.x == 32) {
        atomicAdd(&h, 1u);
    }
    if (CASE == RIGHT) {
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        __nanosleep(100);
        __nanosleep(100);
        p[0] = h;
    }
}
static const int reads_counter_line = __LINE__ - 3;

/* Lane 1 reads, then lane 0 updates: inside a warp, and after its own read. */
template <int CASE> __global__ void read_first(u32 *p) {
    __shared__ u32 h;
    h = 0;
    __syncthreads();
    p[threadIdx.x] = h;
    if (CASE == RIGHT) {
        __syncwarp();
    }
    if (threadIdx.x == 31) {
        atomicAdd(&h, 1u);
    }
}
static const int read_first_line = __LINE__ - 3;

/* Stores of one value by two warps agree, of two values do not. */
template <int CASE> __global__ void same_value(u32 *p) {
    __shared__ u32 s;
    s = CASE == RIGHT ? 7 : threadIdx.x / 32;
    __syncthreads();
    p[threadIdx.x] = s;
}
static const int same_value_line = __LINE__ - 4;
/* A third store of another value after the two. */
__global__ void then_another(u32 *p) {
    __shared__ u32 s;
    s = 7;
    if (threadIdx.x == 32) {
        s = 8;
    }
    __syncthreads();
    p[threadIdx.x] = s;
}
static const int then_another_line = __LINE__ - 5;
/* Two warps copy to one place: the same bytes, or others. */
template <int CASE> __global__ void copies_twice(u32 *p) {
    __shared__ __align__(16) u32 s[32];
    const u32 t = threadIdx.x % 32;
    s[t] = 5;
    if (threadIdx.x >= 32) {
        const u32 at = (u32)__cvta_generic_to_shared(s + t);
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at),
                     "l"(p + CASE) : "memory");
        asm volatile("cp.async.wait_all;" ::: "memory");
    }
    __syncthreads();
    p[32 + t] = s[t];
}

static void shared_atomics() {
    FINDS(zeroes_line, "race: warp 1 updates byte 0 of shared `h`, which warp "
          "0 wrote", LL_LAUNCH(zeroes<WRONG>, 1, 64, 0, p));
    HARMLESS(LL_LAUNCH(zeroes<RIGHT>, 1, 64, 0, p));
    FINDS(both_zero_line, "updates byte 0 of shared `h`, which warp ",
          LL_LAUNCH(both_zero<WRONG>, 1, 64, 0, p));
    HARMLESS(LL_LAUNCH(both_zero<RIGHT>, 1, 64, 0, p));
    FINDS(reads_counter_line, "race: warp 0 reads byte 0 of shared `h`, which "
          "warp 1 updated", LL_LAUNCH(reads_counter<WRONG>, 1, 64, 0, p));
    HARMLESS(LL_LAUNCH(reads_counter<RIGHT>, 1, 64, 0, p));
    FINDS(read_first_line, "of shared `h`, which lane ",
          LL_LAUNCH(read_first<WRONG>, 1, 32, 0, p));
    HARMLESS(LL_LAUNCH(read_first<RIGHT>, 1, 32, 0, p));
    FINDS(same_value_line, "race: warp 1 writes byte 0 of shared `s`, which "
          "warp 0 wrote, with no block barrier between",
          LL_LAUNCH(same_value<WRONG>, 1, 64, 0, p));
    HARMLESS(LL_LAUNCH(same_value<RIGHT>, 1, 64, 0, p));
    FINDS(then_another_line, "race: warp 1 writes byte 0 of shared `s`, which "
          "warp 0 wrote", LL_LAUNCH(then_another, 1, 64, 0, p));
    FINDS(0, "race: warp 1 writes byte 0 of shared `s`, which warp 0 wrote",
          LL_LAUNCH(copies_twice<0>, 1, 64, 0, p));
}

/* ==== Plain accesses beside atomic operations: global memory ============== */

enum { STORE_FIRST = 10, UPDATE_FIRST, LOAD_FIRST, LOAD_LAST };

/* Block 0 and block 1, or warp 0 and warp 1, access one word; blocks of a grid
 * run one after another. */
template <int CASE> __global__ void beside(u32 *p) {
    const bool first = blockIdx.x == 0 && threadIdx.x == 0;
    const bool last = blockIdx.x * blockDim.x + threadIdx.x == 32;
    if (first) {
        CASE == STORE_FIRST  ? (void)(p[0] = 7)
        : CASE == LOAD_FIRST ? (void)(p[8] = p[0])
                             : (void)atomicAdd(p, 1u);
    }
    if (last) {
        CASE == UPDATE_FIRST ? (void)(p[0] = 7)
        : CASE == LOAD_LAST  ? (void)(p[8] = p[0])
                             : (void)atomicAdd(p, 1u);
    }
}
static const int beside_line = __LINE__ - 3;

/* The same, behind later atomic operations of both. */
template <int CASE> __global__ void zeroes_global(u32 *p) {
    if (threadIdx.x == 0) {
        p[0] = 0;
        atomicAdd(p, 1u);
    }
    if (CASE == RIGHT) {
        __syncthreads();
    }
    if (threadIdx.x == 32) {
        atomicAdd(p + 1, 1u);
        atomicAdd(p, 1u);
    }
}
static const int zeroes_global_line = __LINE__ - 3;

/* A block zeroes counters that all blocks add to. */
template <int CASE> __global__ void zeroed_by_one(u32 *p) {
    if (blockIdx.x == gridDim.x - 1 && CASE == WRONG) {
        p[threadIdx.x] = 0;
        __syncthreads();
    }
    atomicAdd(p + threadIdx.x, 1u);
}
static const int zeroed_by_one_line = __LINE__ - 5;

/* A lane reads what others of its warp add to, then adds too. */
template <int CASE> __global__ void read_and_add(u32 *p) {
    p[64 + threadIdx.x] = p[0];
    if (CASE == RIGHT) {
        __syncwarp();
    }
    if (threadIdx.x == 31) {
        atomicAdd(p, 1u);
    }
}
static const int read_and_add_line = __LINE__ - 3;

/* 2 bytes beside those that another thread updates. */
__global__ void halves_of_word(unsigned short *p) {
    if (threadIdx.x == 0) {
        atomicCAS(p, (unsigned short)0, (unsigned short)1);
    } else if (threadIdx.x == 32) {
        p[2] = p[3];
    }
}

/* The last block resets the ticket counter, by its value or after a fence. */
template <int CASE> __global__ void tickets(u32 *p) {
    if (threadIdx.x == 0) {
        p[16 + blockIdx.x] = 1;
        __threadfence();
        if (atomicAdd(p, 1u) == gridDim.x - 1) {
            __threadfence();
            p[0] = 0;
        }
    }
}
/* Sums by atomic operations, read after a ticket; a fence may be missing. */
template <int CASE> __global__ void sums_up(u32 *p) {
    if (threadIdx.x == 0) {
        atomicAdd(p + 1, blockIdx.x);
        if (CASE == RIGHT) {
            __threadfence();
        }
        if (atomicAdd(p, 1u) == gridDim.x - 1) {
            __threadfence();
            p[2] = p[1];
        }
    }
}
static const int sums_up_line = __LINE__ - 4;
/* Volatile loads beside atomic operations. */
__global__ void greatest(u32 *p) {
    if (*(volatile u32 *)p < threadIdx.x) {
        atomicMax(p, threadIdx.x);
    }
}
/* The first load is a guess, which atomicCAS corrects. */
enum { IN_GLOBAL = 15, IN_SHARED, NO_SWAP };
template <int CASE> __global__ void swaps(u32 *p) {
    __shared__ u32 s;
    s = 0;
    __syncthreads();
    u32 *const q = CASE == IN_SHARED ? &s : p;
    if (threadIdx.x == 32) {
        __nanosleep(100);
    }
    u32 old = *q, was;
    if (CASE == NO_SWAP && threadIdx.x == 32) {
        p[1] = old;
        return;
    }
    do {
        was = old;
        old = atomicCAS(q, was, was + 3);
    } while (old != was);
}

static void global_atomics() {
    HARMLESS(LL_LAUNCH(swaps<IN_GLOBAL>, 3, 64, 0, p));
    HARMLESS(LL_LAUNCH(swaps<IN_SHARED>, 3, 64, 0, p));
    FINDS(0, "of a global buffer of 4096 bytes, which thread (",
          LL_LAUNCH(swaps<NO_SWAP>, 1, 64, 0, p));

    FINDS(beside_line, "race: thread (0, 0, 0) of block (1, 0, 0) updates byte "
          "0 of a global buffer of 4096 bytes, which thread (0, 0, 0) of block "
          "(0, 0, 0) wrote, and nothing orders the two",
          LL_LAUNCH(beside<STORE_FIRST>, 2, 32, 0, p));
    FINDS(beside_line - 2, "writes byte 0 of a global buffer of 4096 bytes, "
          "which thread (0, 0, 0) of block (0, 0, 0) updated",
          LL_LAUNCH(beside<UPDATE_FIRST>, 2, 32, 0, p));
    FINDS(beside_line, "which thread (0, 0, 0) of block (0, 0, 0) read, and",
          LL_LAUNCH(beside<LOAD_FIRST>, 2, 32, 0, p));
    FINDS(beside_line - 1, "(1, 0, 0) reads byte 0 of a global buffer of 4096 "
          "bytes, which thread (0, 0, 0) of block (0, 0, 0) updated",
          LL_LAUNCH(beside<LOAD_LAST>, 2, 32, 0, p));
    FINDS(0, "which thread (0, 0, 0) of block (0, 0, 0) wrote",
          LL_LAUNCH(beside<STORE_FIRST>, 1, 64, 0, p));
    FINDS(0, "race: thread ", LL_LAUNCH(beside<UPDATE_FIRST>, 1, 64, 0, p));
    FINDS(0, "(0, 0, 0) read, and", LL_LAUNCH(beside<LOAD_FIRST>, 1, 64, 0, p));
    FINDS(0, "race: thread ", LL_LAUNCH(beside<LOAD_LAST>, 1, 64, 0, p));
    FINDS(zeroes_global_line, "(32, 0, 0) of block (0, 0, 0) updates byte 0 of "
          "a global buffer of 4096 bytes, which thread (0, 0, 0)",
          LL_LAUNCH(zeroes_global<WRONG>, 1, 64, 0, p));
    HARMLESS(LL_LAUNCH(zeroes_global<RIGHT>, 1, 64, 0, p));
    FINDS(zeroed_by_one_line, "of block (0, 0, 0) updated",
          LL_LAUNCH(zeroed_by_one<WRONG>, 2, 64, 0, p));
    HARMLESS(LL_LAUNCH(zeroed_by_one<RIGHT>, 2, 64, 0, p));
    FINDS(read_and_add_line, "updates byte 0 of a global buffer",
          LL_LAUNCH(read_and_add<WRONG>, 1, 32, 0, p));
    HARMLESS(LL_LAUNCH(read_and_add<RIGHT>, 1, 32, 0, p));
    HARMLESS(LL_LAUNCH(halves_of_word, 1, 64, 0, (unsigned short *)p));
    HARMLESS(LL_LAUNCH(tickets<RIGHT>, 4, 32, 0, p));
    FINDS(sums_up_line, "which thread (0, 0, 0) of block (2, 0, 0) updated, "
          "and no __threadfence() follows that",
          LL_LAUNCH(sums_up<WRONG>, 4, 32, 0, p));
    HARMLESS(LL_LAUNCH(sums_up<RIGHT>, 4, 32, 0, p));
    HARMLESS(LL_LAUNCH(greatest, 2, 64, 0, p));
}

/* ==== Some lanes of a warp =============================================== */

/* The halves of a warp wait for themselves: data must not cross them. */
template <u32 XOR> __global__ void by_halves(u32 *p) {
    __shared__ u32 s[32];
    const u32 lane = threadIdx.x;
    s[lane] = lane;
    __syncwarp(lane < 16 ? 0xffffu : 0xffff0000u);
    p[lane] = s[lane ^ XOR];
}
static const int by_halves_line = __LINE__ - 2;
/* Groups of 8 lanes sum, each in its own 8 words or in those of a neighbour. */
template <int CASE> __global__ void groups_of_8(u32 *p) {
    __shared__ u32 s[32];
    const u32 lane = threadIdx.x, mask = 0xffu << (lane & 24);
    s[lane] = lane;
    for (u32 d = 4; d; d /= 2) {
        __syncwarp(mask);
        const u32 other = s[lane ^ d];
        __syncwarp(mask);
        s[lane ^ (CASE == WRONG && d == 1 ? 8 : 0)] += other;
    }
    __syncwarp();
    p[lane] = s[lane ^ 16];
}
static const int groups_line = __LINE__ - 5;
/* Lanes 0 to 7 hand over to 8 to 15, and those to 16 to 23, by masks. */
template <int CASE> __global__ void chain(u32 *p) {
    __shared__ u32 s;
    const u32 lane = threadIdx.x;
    if (lane == 0) {
        s = 5;
    }
    if (lane < 16) {
        __syncwarp(0xffffu);
    }
    if (lane >= 8 && lane < 24 && CASE == RIGHT) {
        __syncwarp(0xffff00u);
    }
    if (lane == 20) {
        p[0] = s;
    }
}
static const int chain_line = __LINE__ - 3;
/* A fence is no barrier of the warp. */
template <int CASE> __global__ void fence_only(u32 *p) {
    __shared__ u32 s;
    if (threadIdx.x == 0) {
        s = 5;
        __threadfence_block();
    }
    if (CASE == RIGHT) {
        __syncwarp();
    }
    p[threadIdx.x] = s;
}
static const int fence_only_line = __LINE__ - 2;

enum { TWO_PLACES = 20, TWO_MASKS, TWO_REDUCTIONS, TWO_VOTES };
template <int CASE> __global__ void meets(u32 *p) {
    u32 x = threadIdx.x;
    if (x < 16) {
        x = CASE == TWO_REDUCTIONS ? __reduce_add_sync(~0u, x)
            : CASE == TWO_VOTES    ? __ballot_sync(~0u, x & 1)
            : CASE == RIGHT        ? __shfl_xor_sync(0xffffu, x, 1)
                                   : __shfl_xor_sync(~0u, x, 1);
    } else {
        x = CASE == TWO_REDUCTIONS ? __reduce_add_sync(~0u, x + 1)
            : CASE == TWO_VOTES    ? __ballot_sync(~0u, x & 2)
            : CASE == TWO_MASKS || CASE == RIGHT
                ? __shfl_xor_sync(0xffff0000u, x, 1)
                : __shfl_xor_sync(~0u, x, 16);
    }
    p[threadIdx.x] = x;
}
/* Half a warp shuffles by itself, then all do; and half a warp has returned. */
__global__ void part_then_all(u32 *p) {
    u32 x = threadIdx.x;
    if (x < 16) {
        x = __shfl_xor_sync(0xffffu, x, 1);
    }
    x = __shfl_xor_sync(~0u, x, 16);
    p[threadIdx.x] = x;
    if (threadIdx.x >= 16) {
        return;
    }
    p[threadIdx.x] += __shfl_xor_sync(~0u, x, 1);
}
/* __syncwarp may stand in both branches. */
__global__ void waits_in_branches(u32 *p) {
    __shared__ u32 s[32];
    const u32 lane = threadIdx.x;
    s[lane] = lane;
    if (lane < 16) {
        __syncwarp();
    } else {
        __syncwarp();
    }
    p[lane] = s[lane ^ 16];
}

static void some_lanes() {
    FINDS(by_halves_line, "race: lane 0 of warp 0 reads byte 64 of shared `s`, "
          "which lane 16 wrote, with no warp barrier between",
          LL_LAUNCH(by_halves<16>, 1, 32, 0, p));
    FINDS(by_halves_line, "with no warp barrier between",
          LL_LAUNCH(by_halves<31>, 2, 32, 0, p));
    HARMLESS(LL_LAUNCH(by_halves<15>, 1, 32, 0, p));
    FINDS(groups_line, "of shared `s`, which lane ",
          LL_LAUNCH(groups_of_8<WRONG>, 1, 32, 0, p));
    HARMLESS(LL_LAUNCH(groups_of_8<RIGHT>, 1, 32, 0, p));
    FINDS(chain_line, "race: lane 20 of warp 0 reads byte 0 of shared `s`, "
          "which lane 0 wrote", LL_LAUNCH(chain<WRONG>, 1, 32, 0, p));
    HARMLESS(LL_LAUNCH(chain<RIGHT>, 1, 32, 0, p));
    FINDS(fence_only_line, "race: lane 1 of warp 0 reads byte 0 of shared `s`",
          LL_LAUNCH(fence_only<WRONG>, 1, 32, 0, p));
    HARMLESS(LL_LAUNCH(fence_only<RIGHT>, 1, 32, 0, p));
    FINDS(0, "exchange: lanes 0 and 16 of warp 0 meet in two different calls "
          "of shfl: all lanes of a mask must execute the same one",
          LL_LAUNCH(meets<TWO_PLACES>, 1, 32, 0, p));
    FINDS(0, "two different calls of redux",
          LL_LAUNCH(meets<TWO_REDUCTIONS>, 1, 32, 0, p));
    FINDS(0, "two different calls of vote",
          LL_LAUNCH(meets<TWO_VOTES>, 1, 32, 0, p));
    FINDS(0, "exchange: lane 0 of warp 0 waits at this shfl for lane 16, which "
          "its mask 0xffffffff names, but that one executes another with mask "
          "0xffff0000", LL_LAUNCH(meets<TWO_MASKS>, 1, 32, 0, p));
    HARMLESS(LL_LAUNCH(meets<RIGHT>, 1, 32, 0, p));
    HARMLESS(LL_LAUNCH(part_then_all, 1, 32, 0, p));
    HARMLESS(LL_LAUNCH(waits_in_branches, 1, 32, 0, p));
}

/* ==== Flags ============================================================== */

enum { ATOMIC_FLAG = 30, VOLATILE_FLAG, NO_FENCE, NO_FENCE_VOLATILE, PTX_FENCE,
       LATE_DATA };
/* One warp hands data to another by a flag in shared memory. FROM: the thread
 * that sends; the other polls. */
template <int CASE, u32 FROM> __global__ void flags(u32 *p) {
    __shared__ u32 data;
    __shared__ u32 flag;
    const bool is_volatile = CASE == VOLATILE_FLAG || CASE == NO_FENCE_VOLATILE;
    const bool fence = CASE != NO_FENCE && CASE != NO_FENCE_VOLATILE;
    volatile u32 *const f = &flag;
    if (threadIdx.x == 0) {
        flag = 0;
    }
    __syncthreads();
    if (threadIdx.x == FROM) {
        data = 5;
        if (CASE == PTX_FENCE) {
            asm volatile("fence.acq_rel.cta;" ::: "memory");
        } else if (fence) {
            __threadfence_block();
        }
        if (CASE == LATE_DATA) {
            data = 6;
        }
        is_volatile ? (void)(*f = 1) : (void)atomicExch(&flag, 1u);
    }
    if (threadIdx.x == 32 - FROM) {
        while ((is_volatile ? *f : atomicAdd(&flag, 0u)) == 0) {
        }
        if (CASE == PTX_FENCE) {
            asm volatile("membar.cta;" ::: "memory");
        } else if (fence) {
            __threadfence_block();
        }
        p[0] = data;
    }
}
static const int flags_line = __LINE__ - 3;
/* Two slots: the reader frees the flag again, three times. */
__global__ void handshake(u32 *p) {
    __shared__ volatile u32 flag;
    __shared__ u32 data;
    if (threadIdx.x == 0) {
        flag = 0;
    }
    __syncthreads();
    for (u32 k = 0; k < 3; ++k) {
        if (threadIdx.x == 32) {
            while (flag) {
            }
            __threadfence_block();
            data = k;
            __threadfence_block();
            flag = 1;
        } else if (threadIdx.x == 0) {
            while (!flag) {
            }
            __threadfence_block();
            p[k] = data;
            __threadfence_block();
            flag = 0;
        }
    }
}
/* The last warp adds up what all have stored, and resets the counter. */
template <int CASE> __global__ void last_warp(u32 *p) {
    __shared__ u32 part[4], count;
    const u32 warp = threadIdx.x / 32;
    u32 is_last = 0;
    if (threadIdx.x == 0) {
        count = 0;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        part[warp] = warp + 1;
        if (CASE == RIGHT) {
            __threadfence_block();
        }
        is_last = atomicAdd(&count, 1u) == 3;
        if (is_last) {
            __threadfence_block();
            p[0] = part[0] + part[1] + part[2] + part[3];
            count = 0;
        }
    }
}
static const int last_warp_line = __LINE__ - 5;
/* A sum in volatile memory, without and with barriers. */
template <int CASE> __global__ void halving(u32 *p) {
    __shared__ volatile u32 s[64];
    const u32 t = threadIdx.x;
    s[t] = 1;
    for (u32 d = 32; d; d /= 2) {
        if (CASE == RIGHT || d == 32) {
            __syncthreads();
        }
        const u32 other = t < d ? s[t + d] : 0;
        s[t] = s[t] + other;
    }
    p[t] = s[t];
}
static const int halving_line = __LINE__ - 4;
/* Through global memory, in one block. */
template <int CASE> __global__ void global_flag(u32 *p) {
    __shared__ u32 data;
    if (threadIdx.x == 32) {
        data = 5;
        if (CASE == RIGHT) {
            __threadfence_block();
        }
        atomicExch(p, 1u);
    } else if (threadIdx.x == 0) {
        while (*(volatile u32 *)p == 0) {
        }
        __threadfence_block();
        p[1] = data;
    }
}
static const int global_flag_line = __LINE__ - 3;
/* Blocks that wait for each other. */
__global__ void grid_barrier(u32 *p) {
    if (threadIdx.x == 0) {
        atomicAdd(p, 1u);
        while (atomicAdd(p, 0u) < gridDim.x) {
        }
    }
}
static const int grid_barrier_line = __LINE__ - 4;
__global__ void endless(u32 *p) {
    while (*(volatile u32 *)p == 0) {
    }
}

static void flagged() {
    HARMLESS(LL_LAUNCH((flags<ATOMIC_FLAG, 0>), 1, 64, 0, p));
    HARMLESS(LL_LAUNCH((flags<ATOMIC_FLAG, 32>), 1, 64, 0, p));
    HARMLESS(LL_LAUNCH((flags<VOLATILE_FLAG, 0>), 1, 64, 0, p));
    HARMLESS(LL_LAUNCH((flags<VOLATILE_FLAG, 32>), 1, 64, 0, p));
    HARMLESS(LL_LAUNCH((flags<PTX_FENCE, 0>), 1, 64, 0, p));
    FINDS(flags_line, "race: warp 1 reads byte 0 of shared `data`, which warp "
          "0 wrote", LL_LAUNCH((flags<NO_FENCE, 0>), 1, 64, 0, p));
    FINDS(flags_line, "race: warp 0 reads byte 0 of shared `data`",
          LL_LAUNCH((flags<NO_FENCE_VOLATILE, 32>), 1, 64, 0, p));
    FINDS(flags_line, "race: warp 1 reads byte 0 of shared `data`",
          LL_LAUNCH((flags<LATE_DATA, 0>), 1, 64, 0, p));
    HARMLESS(LL_LAUNCH(handshake, 1, 64, 0, p));
    HARMLESS(LL_LAUNCH(last_warp<RIGHT>, 1, 128, 0, p));
    FINDS(last_warp_line, "of shared `part`, which warp ",
          LL_LAUNCH(last_warp<WRONG>, 1, 128, 0, p));
    HARMLESS(LL_LAUNCH(halving<RIGHT>, 1, 64, 0, p));
    FINDS(halving_line, "of shared `s`, which ",
          LL_LAUNCH(halving<WRONG>, 1, 64, 0, p));
    HARMLESS(LL_LAUNCH(global_flag<RIGHT>, 1, 64, 0, p));
    FINDS(global_flag_line, "race: warp 0 reads byte 0 of shared `data`",
          LL_LAUNCH(global_flag<WRONG>, 1, 64, 0, p));
    FINDS(grid_barrier_line, "endless: thread 0 made 300000 accesses without "
          "reaching a barrier; if it waits for a block that has not begun (a "
          "grid barrier), no verdict is possible: blocks run one after another "
          "here", LL_LAUNCH(grid_barrier, 2, 32, 0, p));
    const ending e = apart([](u32 *p) { LL_LAUNCH(endless, 1, 1, 0, p); });
    check(strstr(e.text, "without reaching a barrier\n"), "no other block", e,
          __LINE__);
}

/* ==== Stores of the TMA unit ============================================= */

enum { WAITED = 40, WAITED_FOR_SOURCE, NOT_WAITED, WAITED_TOO_LATE, WRITES };
/* A bulk store, then a load of the stored bytes by the same or another warp. */
template <int CASE> __global__ void stores(u32 *p, u32 reader) {
    __shared__ __align__(16) u32 s[64];
    s[threadIdx.x] = threadIdx.x;
    ll_ptx_fence_proxy_async();
    __syncthreads();
    if (threadIdx.x == 0) {
        ll_ptx_cp_async_bulk_store((u64)p, (u32)__cvta_generic_to_shared(s),
                                   256);
        ll_ptx_cp_async_bulk_commit_group();
        if (CASE == WAITED) {
            ll_ptx_cp_async_bulk_wait_group<0>();
        } else if (CASE != NOT_WAITED) {
            ll_ptx_cp_async_bulk_wait_group_read<0>();
        }
    }
    __syncthreads();
    if (CASE == WAITED_TOO_LATE && threadIdx.x == 0) {
        ll_ptx_cp_async_bulk_wait_group<0>();
    }
    if (threadIdx.x == reader && CASE == WRITES) {
        p[4] = 77;
    } else if (threadIdx.x == reader) {
        p[128] = p[4];
    }
    if (CASE == NOT_WAITED) {
        ll_ptx_cp_async_bulk_wait_group_read<0>();
    }
}
static const int stores_line = __LINE__ - 6;

static void bulk_stores() {
    HARMLESS(LL_LAUNCH(stores<WAITED>, 1, 64, 0, p, 0));
    HARMLESS(LL_LAUNCH(stores<WAITED>, 1, 64, 0, p, 40));
    FINDS(stores_line, "asynchronous: thread (0, 0, 0) of block (0, 0, 0) reads "
          "byte 16 of a global buffer of 4096 bytes, which a cp.async.bulk of "
          "thread (0, 0, 0) of block (0, 0, 0) stores, and nothing has waited "
          "for it: cp.async.bulk.wait_group does, with .read it waits for the "
          "source only",
          LL_LAUNCH(stores<WAITED_FOR_SOURCE>, 1, 64, 0, p, 0));
    FINDS(stores_line, "asynchronous: thread (40, 0, 0) of block (0, 0, 0) "
          "reads", LL_LAUNCH(stores<WAITED_FOR_SOURCE>, 1, 64, 0, p, 40));
    FINDS(stores_line, "and nothing has waited for it",
          LL_LAUNCH(stores<NOT_WAITED>, 1, 64, 0, p, 0));
    FINDS(stores_line, "race: thread (40, 0, 0) of block (0, 0, 0) reads byte "
          "16", LL_LAUNCH(stores<WAITED_TOO_LATE>, 1, 64, 0, p, 40));
    FINDS(stores_line - 2, "asynchronous: thread (40, 0, 0) of block (0, 0, 0) "
          "writes byte 16", LL_LAUNCH(stores<WRITES>, 1, 64, 0, p, 40));
    HARMLESS(LL_LAUNCH(stores<WAITED_FOR_SOURCE>, 1, 64, 0, p, 64);
             LL_LAUNCH(greatest, 1, 32, 0, p));
}

int main() {
    shared_atomics();
    global_atomics();
    some_lanes();
    flagged();
    bulk_stores();
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
