/* test_findings_threads.cu - findings of threads that do not come, of two of one
 * number, of a scope, and which finding comes first.
 * SPDX-License-Identifier: MIT
 */
#define FINDINGS "test_findings_threads.cu"
#include "findings.h"

/* ==== Threads that a move is not for ===================================== */

LL_LAYOUT(ROWS, ll_parse("register: j0 j1 | lane: j2 j3 i0 i1 i2 | "
                         "warp: i3 i4"));
LL_SCOPE(ODD, threadIdx.x - 16, 128, LL_BARRIER(1));
LL_PLAN(COPY, ROWS, ROWS, 32, LL_SM90);

/* Columns 8 to 11 of a matrix of 10: two elements of the next row. */
template <int COLS> __global__ void a_part(u32 *p) {
    u32 a[LL_REGS(ROWS)];
    LL_LOAD(a, ROWS, p, 16, 32, 16);
    LL_STORE(a, ROWS, p, 16, 32, COLS);
}
static const int a_part_line = __LINE__ - 2;

__global__ void whole(u32 *p) {
    u32 a[LL_REGS(ROWS)];
    LL_LOAD(a, ROWS, p, 16);
    LL_STORE(a, ROWS, p, 16);
}
static const int whole_line = __LINE__ - 3;

__global__ void lane_of_x(u32 *p) {
    u32 a[LL_REGS(ROWS)] = {};
    if (threadIdx.x < 128) {
        LL_CONVERT(a, a, COPY, nullptr);
    }
    p[threadIdx.x] = a[0];
}

__global__ void some(u32 *p) {
    if (threadIdx.x < 128) {
        u32 a[LL_REGS(ROWS)];
        LL_LOAD(a, ROWS, p, 16);
        LL_STORE(a, ROWS, p, 16);
    }
}

__global__ void shifted(u32 *p) {
    LL_IN(ODD);
    u32 a[LL_REGS(ROWS)] = {};
    if (threadIdx.x >= 16 && threadIdx.x < 144) {
        LL_CONVERT(a, a, COPY, nullptr);
    }
    p[threadIdx.x] = a[0];
}
static const int shifted_line = __LINE__ - 4;

LL_SCOPE(IN_X, threadIdx.x, 128, __syncthreads());

__global__ void narrow(u32 *p) {
    LL_IN(IN_X);
    LL_SYNC();
    p[threadIdx.x + 32 * threadIdx.y] = 0;
}
static const int narrow_line = __LINE__ - 3;

__global__ void lacking(u32 *p) {
    if (threadIdx.x < 96) {
        LL_IN(IN_X);
        LL_SYNC();
    }
    p[threadIdx.x] = 0;
}
static const int lacking_line = __LINE__ - 4;

/* Two teams of four warps, at one barrier. WAY is how the second one waits for
 * the first: not at all, not at all although it comes later, or for all of it. */
enum { TOGETHER, LATER, ORDERED };
LL_SCOPE(FIRST_TEAM, threadIdx.x, 128, LL_BARRIER(1));
LL_SCOPE(SECOND_TEAM, threadIdx.x - 128, 128, LL_BARRIER(1));
LL_SCOPE(THIRD_TEAM, threadIdx.x - 128, 128, LL_BARRIER(2));

template <int WAY> __global__ void teams(u32 *p) {
    if (threadIdx.x < 128) {
        LL_IN(FIRST_TEAM);
        LL_SYNC();
    } else if (WAY == LATER) {
        LL_IN(THIRD_TEAM);
        for (u32 k = 0; k < 4; ++k) {
            LL_SYNC();
        }
    }
    if (WAY == ORDERED) {
        __syncthreads();
    }
    if (threadIdx.x >= 128) {
        LL_IN(SECOND_TEAM);
        LL_SYNC();
    }
    p[threadIdx.x] = 0;
}
static const int first_team_line = __LINE__ - 16;
static const int second_team_line = __LINE__ - 5;

__global__ void outside_scope(u32 *p) {
    LL_IN(SECOND_TEAM);
    u32 a[LL_REGS(ROWS)];
    LL_LOAD(a, ROWS, p, 16);
    p[threadIdx.x] = a[0];
}
static const int outside_line_of_scope = __LINE__ - 3;

/* What a barrier counts and who comes to it. */
__global__ void crowded(u32 *p) {
    p[threadIdx.x] = 0;
    LL_PTX_("bar.sync 1, 128;", (), ());
}
static const int crowded_line = __LINE__ - 2;
LL_SCOPE(CROWD, threadIdx.x % 128, 128, LL_BARRIER(1));
template <class SCOPE> __global__ void crowded_scope(u32 *p) {
    LL_IN(SCOPE);
    LL_SYNC();
    p[threadIdx.x] = 0;
}
static const int crowd_line = __LINE__ - 3;
__global__ void trickles(u32 *p) {
    for (u32 k = 0; k < 2 + p[0]; ++k) {
        if (threadIdx.x / 32 != 4 - k) {
            LL_PTX_("bar.sync 1, 128;", (), ());
        }
        __nanosleep(threadIdx.x / 32 == 4 ? 100 : 0);
    }
    p[threadIdx.x] = 0;
}
static const int trickles_line = __LINE__ - 6;

static void barriers_of_two_teams() {
    FINDS(first_team_line, "barrier 1 of block (0, 0, 0): 256 threads wait at "
          "it, but its count is 128: two groups of threads use it at the same "
          "time",
          LL_LAUNCH(teams<TOGETHER>, 1, 256, 0, p));
    FINDS(second_team_line, "barrier 1 of block (0, 0, 0): warp 7 arrives at "
          "it, and no barrier shows that warp 0 has left it: two groups",
          LL_LAUNCH(teams<LATER>, 1, 256, 0, p));
    FINDS(crowded_line, "barrier 1 of block (0, 0, 0): 160 threads wait at it, "
          "but its count is 128: 160 of them wait here, so the count is too "
          "small or 32 of them must not come",
          LL_LAUNCH(crowded, 1, 160, 0, p));
    FINDS(crowd_line, "160 threads wait at it, but its count is 128: threads "
          "(0, 0, 0) and (128, 0, 0) of block (0, 0, 0) both have number 0 of "
          "the 128 threads of CROWD", LL_LAUNCH(crowded_scope<CROWD>, 1, 160,
                                                0, p));
    FINDS(trickles_line, "the group has more than the 128 threads of its count",
          LL_LAUNCH(trickles, 1, 160, 0, p));
    ending e = apart([](u32 *p) { LL_LAUNCH(teams<ORDERED>, 1, 256, 0, p); });
    check(e.status == 0, "two teams behind each other", e, __LINE__);
}

static void scopes() {
    FINDS(a_part_line, "misaligned: a tile has 10 columns inside the matrix, "
          "not a multiple of the 4 that one access moves",
          LL_LAUNCH(a_part<10>, 1, 128, 0, p));
    ending whole_accesses = apart([](u32 *p) {
        LL_LAUNCH(a_part<12>, 1, 128, 0, p);
        LL_LAUNCH(a_part<17>, 1, 128, 0, p);
    });
    check(whole_accesses.status == 0, "whole accesses of a row, or all of them",
          whole_accesses, __LINE__);
    FINDS(whole_line, "a move of 128 threads without LL_IN numbers them by "
          "threadIdx.x, and a block of 32 x 4 x 1 has 32 in x",
          LL_LAUNCH(whole, 1, dim3(32, 4), 0, p));
    FINDS(whole_line, "a move needs 128 threads, and a block of 96 x 1 x 1",
          LL_LAUNCH(whole, 1, 96, 0, p));
    FINDS(whole_line, "thread (128, 0, 0) of a block of 256 x 1 x 1 makes a "
          "move of 128 threads without LL_IN, which is for threadIdx.x below "
          "128",
          LL_LAUNCH(whole, 1, 256, 0, p));
    FINDS(whole_line + 8, "thread (0, 1, 0) of a block of 144 x 2 x 1 is lane "
          "16 of its warp, but a move without LL_IN treats it as lane 0",
          LL_LAUNCH(lane_of_x, 1, dim3(144, 2), 0, p));
    FINDS(shifted_line, "thread (16, 0, 0) of a block of 256 x 1 x 1 is lane "
          "16 of its warp, but its number in ODD, 0, makes it lane 0",
          LL_LAUNCH(shifted, 1, 256, 0, p));
    FINDS(shifted_line, "a move needs the 128 threads of ODD, and a block of "
          "96 x 1 x 1", LL_LAUNCH(shifted, 1, 96, 0, p));
    FINDS(outside_line_of_scope, "thread (0, 0, 0) of a block of 256 x 1 x 1 "
          "has number -128 in SECOND_TEAM, but its 128 threads have numbers 0 "
          "to 127",
          LL_LAUNCH(outside_scope, 1, 256, 0, p));
    FINDS(narrow_line, "threads (0, 0, 0) and (0, 1, 0) of block (0, 0, 0) both "
          "have number 0 of the 128 threads of IN_X, and no thread has number "
          "32, in a block of 32 x 4 x 1",
          LL_LAUNCH(narrow, 1, dim3(32, 4), 0, p));
    FINDS(lacking_line, "of the 128 threads of IN_X only 96 reached its "
          "barrier in a block of 128 x 1 x 1: no thread has number 96",
          LL_LAUNCH(lacking, 1, 128, 0, p));
    ending all = apart([](u32 *p) { LL_LAUNCH(narrow, 1, 128, 0, p); });
    check(all.status == 0, "a scope whose threads all come", all, __LINE__);
    ending e = apart([](u32 *p) { LL_LAUNCH(some, 1, 256, 0, p); });
    check(e.status == 0, "the first threads of a larger block", e, __LINE__);
}

/* ==== Two threads of one number ========================================== */

/* Numbers that two warps have, of a scope that never waits; the same where all
 * groups are whole; teams that follow each other. */
LL_SCOPE(HALVES, threadIdx.x % 64, 128, __syncthreads());
LL_SCOPE(TEAMS, threadIdx.x % 128, 128,
         LL_BARRIER_AT(1 + threadIdx.x / 128));
LL_SCOPE(ALL_SYNC, threadIdx.x % 128, 128, __syncthreads());
LL_SCOPE(BY_WARP, threadIdx.x % 32, 32, LL_BARRIER_WARP());
LL_SCOPE(IN_SECOND, LL_THREAD() % (blockIdx.x ? 64 : 128), 128,
         __syncthreads());
LL_LAYOUT(LINE, ll_parse("register: j0 j1 | lane: j2 j3 i0 i1 i2"));
LL_LAYOUT(TURN, ll_parse("register: i0 i1 | lane: i2 i3 i4 j0 j1 | "
                         "warp: j2 j3"));
LL_PLAN(TURNS, ROWS, TURN, 32, LL_SM90);

template <class SCOPE> __global__ void moves_in(u32 *p) {
    LL_IN(SCOPE);
    u32 a[LL_REGS(ROWS)];
    LL_LOAD(a, ROWS, p, 16);
    p[512 + threadIdx.x] = a[0];
}
static const int moves_in_line = __LINE__ - 3;

/* Each group has its own memory, or all have one. */
template <class SCOPE, int OWN> __global__ void turns_in(u32 *p) {
    __shared__ __align__(16) unsigned char smem[2][LL_SMEM_BYTES(TURNS)];
    LL_IN(SCOPE);
    u32 a[LL_REGS(ROWS)], b[LL_REGS(TURN)];
    for (u32 k = 0; k < 3; ++k) {
        LL_LOAD(a, ROWS, p, 16);
        LL_CONVERT(b, a, TURNS, smem[OWN * threadIdx.x / 128]);
        LL_SYNC();
    }
    p[512 + threadIdx.x] = b[0];
}
static const int turns_in_line = __LINE__ - 5;

/* First the threads from 0 on, then those from 64 on, have all numbers. */
__device__ u32 first_of;
LL_SCOPE(SHIFTING, threadIdx.x - first_of, 128, __syncthreads());
__global__ void follows(u32 *p) {
    u32 a[LL_REGS(ROWS)] = {};
    for (u32 k = 0; k < 2; ++k) {
        __syncthreads();
        first_of = 64 * k;
        __syncthreads();
        if (threadIdx.x - first_of < 128) {
            LL_IN(SHIFTING);
            LL_LOAD(a, ROWS, p, 16);
        }
    }
    p[512 + threadIdx.x] = a[0];
}
/* Of one group only some warps make a move. */
__global__ void guarded(u32 *p) {
    LL_IN(TEAMS);
    u32 a[LL_REGS(ROWS)] = {};
    LL_LOAD(a, ROWS, p, 16);
    if (threadIdx.x < 160) {
        LL_STORE(a, ROWS, p + 512, 16);
    }
}
template <class SCOPE> __global__ void lines_in(u32 *p) {
    LL_IN(SCOPE);
    u32 a[LL_REGS(LINE)];
    LL_LOAD(a, LINE, p, 16);
    p[512 + threadIdx.x] = a[0];
}

static void same_numbers() {
    FINDS(moves_in_line, "scope: threads (0, 0, 0) and (64, 0, 0) of block "
          "(0, 0, 0) both have number 0 of the 128 threads of HALVES, and no "
          "thread has number 64, in a block of 128 x 1 x 1",
          LL_LAUNCH(moves_in<HALVES>, 1, 128, 0, p));
    FINDS(moves_in_line, "threads (0, 0, 0) and (0, 4, 0) of block (1, 0, 0) "
          "both have number 0 of the 128 threads of IN_SECOND",
          LL_LAUNCH(moves_in<IN_SECOND>, 2, dim3(16, 8), 0, p));
    FINDS(moves_in_line, "threads (0, 0, 0) and (0, 4, 0) of block (1, 0, 0) "
          "both have number 0 of the 128 threads of IN_SECOND",
          emu_run_clusters("", moves_in<IN_SECOND>, 2, dim3(16, 8), 2, 0, p));
    FINDS(moves_in_line, "threads (0, 0, 0) and (128, 0, 0) of block (0, 0, 0) "
          "both have number 0 of the 128 threads of TEAMS, and number 32 "
          "belongs to 1 thread only", LL_LAUNCH(moves_in<TEAMS>, 1, 160, 0, p));
    FINDS(turns_in_line, "threads (0, 0, 0) and (128, 0, 0) of block (0, 0, 0) "
          "both have number 0 of the 128 threads of ALL_SYNC",
          LL_LAUNCH((turns_in<ALL_SYNC, 0>), 1, 256, 0, p));
    HARMLESS(LL_LAUNCH((turns_in<ALL_SYNC, 1>), 1, 256, 0, p));
    HARMLESS(LL_LAUNCH((turns_in<TEAMS, 1>), 4, 256, 0, p));
    HARMLESS(emu_run_clusters("", turns_in<TEAMS, 1>, 4, 256, 2, 0, p));
    HARMLESS(LL_LAUNCH(moves_in<TEAMS>, 2, 384, 0, p));
    HARMLESS(LL_LAUNCH(lines_in<BY_WARP>, 2, 96, 0, p));
    HARMLESS(LL_LAUNCH(follows, 1, 192, 0, p));
    HARMLESS(LL_LAUNCH(guarded, 1, 256, 0, p));
}

/* ==== Which finding comes first =========================================== */

/* A copy that no wait and no barrier ends, read at many places of one line. */
LL_PLAN_BY(FETCH, ROWS, TURN, 32, LL_SM90, LL_COPIES);
__global__ void unawaited(u32 *p) {
    __shared__ __align__(128) unsigned char smem[LL_SMEM_BYTES(FETCH)];
    u32 b[LL_REGS(TURN)];
    LL_COPY(FETCH, smem, p, 16);
    LL_COPY_COMMIT();
    LL_LOAD_SHARED(b, FETCH, smem);
    p[512 + threadIdx.x] = b[0];
}
static const int unawaited_line = __LINE__ - 3;
/* A line that many lanes and bytes race at. */
__global__ void races_often(u32 *p) {
    __shared__ u32 s[256];
    for (u32 k = 0; k < 4; ++k) {
        s[64 * k + threadIdx.x] = k;
    }
    p[threadIdx.x] = s[threadIdx.x ^ 32] + s[64 + (threadIdx.x ^ 33)] + s[255];
}
static const int races_often_line = __LINE__ - 2;

/* The wait ends the thread's own copies, but it comes behind the barrier. */
__global__ void waits_late(u32 *p) {
    __shared__ __align__(128) u32 s[128];
    const u32 t = threadIdx.x, at = (u32)__cvta_generic_to_shared(s + t);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at),
                 "l"(p + t) : "memory");
    __syncthreads();
    asm volatile("cp.async.wait_all;" ::: "memory");
    p[512 + t] = s[t ^ 96];
}
static const int waits_late_line = __LINE__ - 2;
/* A consumer that waits for a copy, ahead of the producer, which waits for the
 * 32 arrivals of its warp; one lane arrives. */
__global__ void half_freed(u32 *p) {
    __shared__ __align__(8) unsigned long long memory[2];
    const u32 full = (u32)__cvta_generic_to_shared(memory), empty = full + 8;
    if (threadIdx.x == 0) {
        ll_ptx_mbarrier_init(full, 1);
        ll_ptx_mbarrier_init(empty, 32);
        ll_ptx_fence_mbarrier_init();
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0) {
            ll_ptx_mbarrier_arrive(empty);
        }
        ll_ptx_mbarrier_wait(full, 0);
    } else {
        ll_ptx_mbarrier_wait(empty, 0);
        ll_ptx_mbarrier_arrive(full);
    }
    p[threadIdx.x] = 0;
}
static const int half_freed_line = __LINE__ - 5;
__global__ void half_a_warp(u32 *p) {
    u32 v = threadIdx.x;
    if (v < 16) {
        v += __shfl_xor_sync(0xffffffffu, v, 1);
    }
    __syncthreads();
    p[threadIdx.x] = v;
}
static const int half_a_warp_line = __LINE__ - 5;

__global__ void half_a_cluster(u32 *p) {
    if (blockIdx.x == 0) {
        LL_PTX_("barrier.cluster.arrive.release.aligned;", (), ());
        LL_PTX_("barrier.cluster.wait.acquire.aligned;", (), ());
    } else {
        LL_PTX_("bar.sync 1, 64;", (), ());
    }
    p[threadIdx.x] = 0;
}
static const int half_a_cluster_line = __LINE__ - 6;

static int lines_of(const ending &e, const char *text) {
    int n = 0;
    for (const char *s = e.text; (s = strstr(s, text)); s++) {
        n++;
    }
    return n;
}

static void causes() {
    FINDS(waits_late_line, "which a cp.async has not delivered: thread (96, 0, "
          "0) issued it and must wait for it before the barrier",
          LL_LAUNCH(waits_late, 1, 128, 0, p));
    FINDS(half_freed_line, "32 of 64 live threads wait at this mbarrier at "
          "byte 8 of shared `memory` for the phase of parity 0; its phase is "
          "0, waits for 31 of 32 arrivals", LL_LAUNCH(half_freed, 1, 64, 0, p));
    FINDS(half_a_warp_line, "16 of 32 live threads wait at this shfl of lanes "
          "0xffffffff in warp 0 of block (0, 0, 0), where lanes 0xffff have "
          "arrived", LL_LAUNCH(half_a_warp, 1, 32, 0, p));
    FINDS(half_a_cluster_line, "32 of 64 live threads wait at this cluster "
          "barrier, which needs all 64 live threads: 32 of them have arrived",
          emu_run_clusters("", half_a_cluster, 2, 32, 2, 0, p));
    FINDS(half_a_cluster_line, "(thread (0, 0, 0) waits at the block barrier 1 "
          "of block (1, 0, 0), which needs 64 threads: 32 of them have "
          "arrived, warp 0: ",
          emu_run_clusters("", half_a_cluster, 2, 32, 2, 0, p));
}

static void order() {
    ending e = apart([](u32 *p) { LL_LAUNCH(unawaited, 1, 128, 0, p); });
    char place[64];
    const char *end = strchr(e.text, '\n');
    snprintf(place, sizeof place, FINDINGS ":%d: early: ", unawaited_line);
    check(end && strstr(e.text, place) && strstr(e.text, place) < end,
          "the missing wait first", e, __LINE__);
    snprintf(place, sizeof place, FINDINGS ":%d: race: ", unawaited_line);
    check(lines_of(e, "early: ") == 1 && lines_of(e, place) == 1 &&
              lines_of(e, "race: ") == 2,
          "each of them once at a place", e, __LINE__);
    e = apart([](u32 *p) { LL_LAUNCH(races_often, 1, 64, 0, p); });
    snprintf(place, sizeof place, FINDINGS ":%d: race: ", races_often_line);
    check(lines_of(e, place) == 1 && lines_of(e, "race: ") == 2 &&
              strstr(e.text, "between; 64 times at this place"),
          "a race once at a place, two reads of 32 lanes", e, __LINE__);
    e = apart([](u32 *p) { LL_LAUNCH((turns_in<HALVES, 0>), 1, 128, 0, p); });
    end = strchr(e.text, '\n');
    check(end && strstr(e.text, ": scope: ") && strstr(e.text, "race: ") > end &&
              strstr(e.text, ": scope: ") < end,
          "the numbers of threads first", e, __LINE__);
}

/* ==== Threads that do not come =========================================== */

LL_LAYOUT(SQUARE, ll_rows(64, 64, 4));
LL_LAYOUT(SQUARE_COLS, ll_trans(LL_GET(SQUARE), "j i"));
LL_PLAN(SQUARE_TURN, SQUARE, SQUARE_COLS, 32, LL_SM90);
LL_LAYOUT(LINES_64,
          ll_parse("register: j0 | lane: j1 j2 j3 j4 j5 | warp: i0 i1"));
LL_REDUCE_PLAN(TOTALS, LINES_64, LL_J, 32, LL_SM90);

enum { ALL_COME, HALF_WARPS, TWO_WARPS, RETURNS, LESS_OFTEN, ONE_STORES };

template <int CASE> __global__ void turns(float *p) {
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(SQUARE_TURN)];
    float a[LL_REGS(SQUARE)] = {};
    const u32 t = threadIdx.x;
    if (CASE == RETURNS && t >= 100) {
        return;
    }
    for (int k = 0; k < (CASE == LESS_OFTEN && t % 32 == 5 ? 2 : 3); ++k) {
        if (CASE == HALF_WARPS ? t % 32 < 16 : CASE != TWO_WARPS || t < 64) {
            LL_CONVERT(a, a, SQUARE_TURN, smem);
        }
        if (CASE != LESS_OFTEN) {
            break;
        }
    }
    if (CASE == ONE_STORES && t < 32) {
        LL_STORE(a, SQUARE, p, 64);
    }
    __syncthreads();
}
static const int turns_line = __LINE__ - 11;

/* One plan stores and another loads. Their memories differ, or one memory is a
 * part of the other. In HALF_FILLS some threads do not reach the store. */
LL_LAYOUT(PLAIN_MEMORY, ll_row_major(ll_shape_of("j=64 i=64")));
LL_LAYOUT(EIGHT, ll_parse("register: j0 j1 i1 i2 | lane: j2 j3 j4 j5 i0"));
LL_LAYOUT(EIGHT_MEMORY, ll_row_major(ll_shape_of("j=64 i=8")));
LL_PLAN_THROUGH(SQUARE_PLAIN, SQUARE, SQUARE_COLS, 32, LL_SM90,
                LL_GET(PLAIN_MEMORY));
LL_PLAN_THROUGH(EIGHT_ROWS, EIGHT, EIGHT, 32, LL_SM90, LL_GET(EIGHT_MEMORY));
LL_PLAN_BY(SQUARE_COPIED, SQUARE, SQUARE_COLS, 32, LL_SM90, LL_COPIES);
enum { ONE_MEMORY, TWO_MEMORIES, PART_OF_ONE, HALF_FILLS, COPIED };

static float *floats_of(int byte) {
    float *p;
    cudaMalloc((void **)&p, 65536);
    cudaMemset(p, byte, 65536);
    return p;
}
template <int CASE> __global__ void halves(float *p) {
    __shared__ __align__(16) unsigned char smem[16384];
    float a[LL_REGS(SQUARE)] = {}, b[LL_REGS(SQUARE)], c[LL_REGS(EIGHT)];
    if (CASE == TWO_MEMORIES || CASE == PART_OF_ONE) {
        LL_STORE_SHARED(a, SQUARE_PLAIN, smem);
    } else if (CASE == COPIED) {
        LL_COPY(SQUARE_COPIED, smem, p, 64);
        LL_COPY_COMMIT();
        LL_COPY_WAIT(0);
    } else if (CASE != HALF_FILLS || threadIdx.x < 96) {
        LL_STORE_SHARED(a, SQUARE_TURN, smem);
    }
    __syncthreads();
    if (CASE == PART_OF_ONE && threadIdx.x < 32) {
        LL_LOAD_SHARED(c, EIGHT_ROWS, smem + 2048);
    } else if (CASE != PART_OF_ONE) {
        LL_LOAD_SHARED(b, SQUARE_TURN, smem);
    }
    p[threadIdx.x] = CASE == PART_OF_ONE ? c[0] : b[0];
}
static const int halves_line = __LINE__ - 4;

/* Exchanges within a warp: other warps need not come. */
template <u32 THREADS> __global__ void totals(float *p) {
    float a[LL_REGS(LINES_64)] = {}, b[1] = {};
    if (threadIdx.x < THREADS) {
        LL_REDUCE(b, a, TOTALS, 0, ll_add());
    }
    p[threadIdx.x] = b[0];
}
static const int totals_line = __LINE__ - 4;

__global__ void in_a_branch(u32 *p) {
    if (threadIdx.x < 64) {
        __syncthreads();
    }
    __syncthreads();
    p[threadIdx.x] = 1;
}
static const int in_a_branch_line = __LINE__ - 5;
__global__ void one_returns(u32 *p) {
    if (threadIdx.x == 7) {
        return;
    }
    asm volatile("bar.sync 1, 128;" ::: "memory");
    p[0] = 1;
}
static const int one_returns_line = __LINE__ - 3;

static void missing() {
    ending e = apart([](u32 *) {
        float *p;
        cudaMalloc((void **)&p, 64 * 64 * 4);
        LL_LAUNCH(turns<ALL_COME>, 1, 128, 0, p);
        LL_LAUNCH(turns<ONE_STORES>, 1, 128, 0, p);
        LL_LAUNCH(totals<128>, 1, 128, 0, p);
        LL_LAUNCH(totals<32>, 1, 128, 0, p);
    });
    check(e.status == 0 && !e.text[0], "nothing wrong", e, __LINE__);
    FINDS(turns_line, "move: threads 16 to 31, 48 to 63, 80 to 95 and 112 to "
          "127 of block (0, 0, 0) never reach this move, but its 128 threads "
          "synchronise: the move is in a branch that they do not take, or they "
          "return before it",
          LL_LAUNCH(turns<HALF_WARPS>, 1, 128, 0, (float *)p));
    e = apart([](u32 *p) {
        LL_LAUNCH(turns<HALF_WARPS>, 1, 128, 0, (float *)p);
    });
    const char *line = strchr(e.text, '\n');
    const char *said = strstr(e.text, "never reach this move");
    check(said && said < line, "the cause comes first", e, __LINE__);
    FINDS(turns_line, "move: threads 64 to 127 of block (0, 0, 0) never reach",
          LL_LAUNCH(turns<TWO_WARPS>, 1, 128, 0, (float *)p));
    FINDS(turns_line, "move: threads 100 to 127 of block (0, 0, 0) never reach",
          LL_LAUNCH(turns<RETURNS>, 1, 128, 0, (float *)p));
    FINDS(turns_line, "move: threads 5, 37, 69 and 101 of block (0, 0, 0) "
          "reach this move less often",
          LL_LAUNCH(turns<LESS_OFTEN>, 1, 128, 0, (float *)p));
    HARMLESS(LL_LAUNCH(halves<ONE_MEMORY>, 1, 128, 0, (float *)p));
    HARMLESS(LL_LAUNCH(halves<PART_OF_ONE>, 1, 128, 0, (float *)p));
    FINDS(halves_line, "halves: byte 0 of shared `smem` was written with "
          "another memory layout than it is read with",
          LL_LAUNCH(halves<TWO_MEMORIES>, 1, 128, 0, (float *)p));
    FINDS(halves_line, "halves: byte 0 of shared `smem` was written with",
          LL_LAUNCH(halves<COPIED>, 1, 128, 0, floats_of(0)));
    FINDS(halves_line - 6, "move: threads 96 to 127 of block (0, 0, 0) never "
          "reach this move, but its 128 threads fill the tile together",
          LL_LAUNCH(halves<HALF_FILLS>, 1, 128, 0, (float *)p));
    FINDS(totals_line, "move: threads 10 to 31 of block (0, 0, 0) never reach",
          LL_LAUNCH(totals<10>, 1, 128, 0, (float *)p));
    FINDS(in_a_branch_line, "divergence: threads 0 to 63 of block (0, 0, 0) "
          "wait at this barrier, the others at another: it is in a branch that "
          "not all threads take (the other barrier",
          LL_LAUNCH(in_a_branch, 1, 128, 0, p));
    FINDS(one_returns_line, "127 of them have arrived, warps 0 to 3 (thread 7 "
          "of the block has ended)", LL_LAUNCH(one_returns, 1, 128, 0, p));
}

int main() {
    missing();
    scopes();
    same_numbers();
    order();
    causes();
    barriers_of_two_teams();
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
