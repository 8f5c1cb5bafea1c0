/* test_findings.cu - what a user sees of the emulator's findings: a program
 * that has one prints it with its line and does not end with 0. Every kernel
 * here has a fault and runs in a process of its own.
 * SPDX-License-Identifier: MIT
 */
#define LL_TENSOR
#include "../../ll_ptx.h"

#include <cuda.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

typedef unsigned u32;
typedef unsigned long long u64;
static int passed, failed;

/* What a program printed, on both streams, and how it ended. */
struct ending {
    char text[4096];
    int status;
};

static ending apart(void (*program)(u32 *)) {
    ending e = {"", -1};
    int ends[2], status = 0;
    size_t n = 0;
    fflush(stdout);
    if (pipe(ends)) {
        return e;
    }
    pid_t child = fork();
    if (child == 0) {
        u32 *p = 0;
        dup2(ends[1], 1);
        dup2(ends[1], 2);
        close(ends[0]);
        cudaMalloc(&p, 4096);
        cudaMemset(p, 0, 4096);
        program(p);
        exit(0);
    }
    close(ends[1]);
    for (ssize_t k; n < sizeof e.text - 1 &&
         (k = read(ends[0], e.text + n, sizeof e.text - 1 - n)) > 0;) {
        n += (size_t)k;
    }
    close(ends[0]);
    waitpid(child, &status, 0);
    e.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return e;
}

static void check(bool ok, const char *what, const ending &e, int line) {
    ok ? ++passed : ++failed;
    if (!ok) {
        printf("test_findings.cu:%d: failed: %s; exit status %d, output:\n%s",
               line, what, e.status, e.text);
    }
}

/* The program fails, and one line of its output has both the place, where
 * `line` is not 0, and the text. */
static void finds(void (*program)(u32 *), int line, const char *text,
                  int from) {
    const ending e = apart(program);
    char place[64] = "", copy[sizeof e.text];
    bool found = false;
    if (line) {
        snprintf(place, sizeof place, "/test_findings.cu:%d: ", line);
    }
    strcpy(copy, e.text);
    for (char *s = strtok(copy, "\n"); s; s = strtok(0, "\n")) {
        found = found || (strstr(s, place) && strstr(s, text));
    }
    check(found, text, e, from);
    check(e.status == 1, "a status of 1", e, from);
}
#define FINDS(line, text, ...)                                               \
    finds([](u32 *p) { (void)p; __VA_ARGS__; }, line, text, __LINE__)

/* ==== Each class of finding ============================================== */

__global__ void beyond(u32 *p) { p[1024] = 1; }
static const int beyond_line = __LINE__ - 1;
__global__ void askew(u32 *p) { *(volatile u32 *)((char *)p + 2) = 1; }
static const int askew_line = __LINE__ - 1;
__global__ void unwritten(u32 *p) {
    __shared__ volatile u32 s[32];
    p[threadIdx.x] = s[threadIdx.x];
}
static const int unwritten_line = __LINE__ - 2;
__global__ void clash(u32 *p) {
    __shared__ u32 s[32];
    s[threadIdx.x] = 1;
    p[threadIdx.x] = s[threadIdx.x ? threadIdx.x - 1 : 0];
}
static const int clash_line = __LINE__ - 2;
__global__ void alone(u32 *p) {
    if (threadIdx.x < 32) {
        __syncthreads();
    } else {
        LL_PTX_("bar.sync 1, 64;", (), ());
    }
    p[0] = 1;
}
static const int alone_line = __LINE__ - 6;
__global__ void unknown() { LL_PTX_("frobnicate;", (), ()); }
static const int unknown_line = __LINE__ - 1;
__global__ void outside(u32 *p) {
    if (threadIdx.x < 16) {
        p[threadIdx.x] = __shfl_sync(0xffffu, p[threadIdx.x], 20);
    }
}
static const int outside_line = __LINE__ - 3;
__global__ void divides(u32 *p) { p[1] = 5 / p[0]; }
static const int divides_line = __LINE__ - 1;
__global__ void harmless(u32 *p) { p[threadIdx.x] = 1; }

static void classes() {
    FINDS(beyond_line, "out of bounds: st.global.b32 by thread 0",
          LL_LAUNCH(beyond, 1, 1, 0, p));
    FINDS(askew_line, "misaligned: st.global.b32",
          LL_LAUNCH(askew, 1, 1, 0, p));
    FINDS(unwritten_line, "uninitialised: thread 0 reads byte 0 of shared `s`",
          LL_LAUNCH(unwritten, 1, 1, 0, p));
    FINDS(clash_line, "race: lane 1 of warp 0 reads byte 0 of shared `s`",
          LL_LAUNCH(clash, 1, 32, 0, p));
    FINDS(alone_line, "deadlock: 32 of 64 live threads wait at this block "
          "barrier 0 of block (0, 0, 0), which needs all 64 live threads: 32 "
          "of them have arrived, warp 0, and the others never arrive",
          LL_LAUNCH(alone, 1, 64, 0, p));
    FINDS(alone_line, "(thread (32, 0, 0) waits at the block barrier 1 of "
          "block (0, 0, 0), which needs 64 threads: 32 of them have arrived, "
          "warp 1: ",
          LL_LAUNCH(alone, 1, 64, 0, p));
    FINDS(unknown_line, "ptx: unknown instruction 'frobnicate'",
          LL_LAUNCH(unknown, 1, 1, 0));
    FINDS(outside_line, "shuffle: lane 0 of warp 0 reads lane 20",
          LL_LAUNCH(outside, 1, 32, 0, p));
    FINDS(divides_line, "crash: signal 8", LL_LAUNCH(divides, 1, 1, 0, p));
    FINDS(0, "launch: harmless with 1 blocks of 2000 threads",
          LL_LAUNCH(harmless, 1, 2000, 0, p));
}

/* ==== What arrives late, barriers, launches =============================== */

template <int CASE> __global__ void late(u32 *p) {
    __shared__ __align__(16) u32 s[32];
    const u32 at = (u32)__cvta_generic_to_shared(s + threadIdx.x);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at),
                 "l"(p + threadIdx.x) : "memory");
    asm volatile("cp.async.commit_group;");
    if (CASE == 1) {
        asm volatile("cp.async.wait_group 1;");
    } else if (CASE == 2) {
        asm volatile("cp.async.wait_group 0;");
    }
    p[32 + threadIdx.x] = s[threadIdx.x];
}
static const int late_line = __LINE__ - 2;
__global__ void unfinished(u32 *p) {
    p[0] = 1;
    asm volatile("bar.arrive 3, 64;" ::: "memory");
}
static const int unfinished_line = __LINE__ - 2;
__global__ void disagreeing(u32 *p) {
    if (threadIdx.x < 32) {
        asm volatile("bar.sync 1, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 96;" ::: "memory");
    }
    p[0] = 1;
}
/* The write comes after the arrival, so the waiting warp races with it. */
__global__ void arrives_too_soon(u32 *p) {
    __shared__ u32 s[32];
    if (threadIdx.x < 32) {
        asm volatile("bar.arrive 1, 64;" ::: "memory");
        s[threadIdx.x] = 1;
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        p[threadIdx.x] = s[threadIdx.x - 32];
    }
}
__global__ void updates(u32 *p) {
    __shared__ u32 s;
    if (threadIdx.x == 0) {
        s = 0;
    }
    __syncthreads();
    atomicAdd(&s, 1u);
    p[threadIdx.x] = s;
}
static const int updates_line = __LINE__ - 2;
/* The last update is the reader's own, but one of another warp came before. */
__global__ void updated_before(u32 *p) {
    __shared__ u32 s;
    s = 0;
    __syncthreads();
    if (threadIdx.x == 32) {
        atomicAdd(&s, 1u);
    } else if (threadIdx.x == 0) {
        __nanosleep(100);
        __nanosleep(100);
        atomicAdd(&s, 1u);
        p[0] = s;
    }
}
static const int updated_before_line = __LINE__ - 3;
__global__ void __launch_bounds__(64) small(u32 *p) { p[threadIdx.x] = 1; }
__global__ void asserts(u32 *p) { assert(p[threadIdx.x] != 0); }
static const int asserts_line = __LINE__ - 1;

static void late_and_wrong() {
    FINDS(late_line, "early: thread 0 reads byte 0 of shared `s`, which a "
          "cp.async has not delivered", LL_LAUNCH(late<0>, 1, 32, 0, p));
    FINDS(late_line, "32 times at this place",
          LL_LAUNCH(late<1>, 1, 32, 0, p));
    ending e = apart([](u32 *p) { LL_LAUNCH(late<2>, 1, 32, 0, p); });
    check(e.status == 0 && !e.text[0], "a copy that is awaited", e, __LINE__);
    FINDS(unfinished_line, "barrier 3 never completes: 32 of 64 threads",
          LL_LAUNCH(unfinished, 1, 32, 0, p));
    FINDS(0, "a count of 96 threads, others give 64",
          LL_LAUNCH(disagreeing, 1, 64, 0, p));
    FINDS(0, "of shared `s`", LL_LAUNCH(arrives_too_soon, 1, 64, 0, p));
    FINDS(updates_line, "race: ", LL_LAUNCH(updates, 1, 64, 0, p));
    FINDS(updated_before_line, "which warp 1 updated",
          LL_LAUNCH(updated_before, 1, 64, 0, p));
    FINDS(0, "launch: small with blocks of 96 threads, but its "
          "__launch_bounds__ allow at most 64", LL_LAUNCH(small, 1, 96, 0, p));
    FINDS(asserts_line, "assert: `p[threadIdx.x] != 0` is false in thread 0",
          LL_LAUNCH(asserts, 1, 32, 0, p));
}

/* ==== The exit status ==================================================== */

static void statuses() {
    ending e = apart([](u32 *p) {
        LL_LAUNCH(harmless, 1, 32, 0, p);
        for (int i = 0; i < 32; i++) {
            printf("%u", p[i]);
        }
    });
    check(e.status == 0, "no finding, status 0", e, __LINE__);
    check(!strcmp(e.text, "11111111111111111111111111111111"), "its output", e,
          __LINE__);
    e = apart([](u32 *p) {
        LL_LAUNCH(clash, 1, 32, 0, p);
        emu_expected();
    });
    check(e.status == 0 && !e.text[0], "an expected finding", e, __LINE__);
    e = apart([](u32 *p) {
        LL_LAUNCH(clash, 1, 32, 0, p);
        printf("%s", emu_errors());
        emu_reset();
        LL_LAUNCH(harmless, 1, 32, 0, p);
    });
    check(e.status == 1 && strstr(e.text, "race: "),
          "a finding that a later launch forgets", e, __LINE__);
    e = apart([](u32 *p) {
        LL_LAUNCH(clash, 1, 32, 0, p);
        exit(3);
    });
    check(e.status == 3 && strstr(e.text, "race: "), "its own status", e,
          __LINE__);
}

/* ==== The barrier that is missing ======================================== */

/* Lanes meet lanes of their own warp first, and other warps later. */
template <u32 XOR> __global__ void no_barrier(u32 *p) {
    __shared__ u32 s[64];
    s[threadIdx.x] = 1;
    p[threadIdx.x] = s[threadIdx.x ^ (threadIdx.x & 1 ? XOR : 1)];
}
__global__ void same_byte(u32 *p) {
    __shared__ u32 s;
    s = threadIdx.x;
    __syncthreads();
    p[threadIdx.x] = s;
}
/* Even lanes read of their own block, odd lanes of the other one. */
__global__ void no_cluster_barrier(u32 *p) {
    __shared__ u32 s[32];
    u32 t = threadIdx.x, other = blockIdx.x ^ (t & 1), v;
    s[t] = t;
    LL_PTX_("{ .reg .b32 a; mapa.shared::cluster.u32 a, %1, %2; "
            "ld.shared::cluster.u32 %0, [a]; }", (LL_O32_(v)),
            (LL_I32_(__cvta_generic_to_shared(s + (t ^ 2))), LL_I32_(other)));
    LL_PTX_("barrier.cluster.arrive.release.aligned;", (), ());
    LL_PTX_("barrier.cluster.wait.acquire.aligned;", (), ());
    p[t] = v;
}

/* All advice is for that barrier. */
static void advises(void (*program)(u32 *), const char *barrier, int from) {
    static const char *const all[] = {"warp", "block", "cluster"};
    const ending e = apart(program);
    for (const char *b : all) {
        char text[64];
        snprintf(text, sizeof text, "with no %s barrier between", b);
        check((strstr(e.text, text) != 0) == !strcmp(b, barrier), text, e,
              from);
    }
    check(e.status == 1, "a status of 1", e, from);
}
#define ADVISES(barrier, ...)                                                \
    advises([](u32 *p) { __VA_ARGS__; }, barrier, __LINE__)

static void barriers() {
    ADVISES("warp", LL_LAUNCH(clash, 1, 32, 0, p));
    ADVISES("warp", LL_LAUNCH(no_barrier<3>, 1, 64, 0, p));
    ADVISES("warp", LL_LAUNCH(same_byte, 1, 32, 0, p));
    ADVISES("block", LL_LAUNCH(no_barrier<32>, 1, 64, 0, p));
    ADVISES("block", LL_LAUNCH(no_barrier<33>, 1, 64, 0, p));
    ADVISES("block", LL_LAUNCH(same_byte, 1, 64, 0, p));
    ADVISES("cluster",
            emu_run_clusters("", no_cluster_barrier, 2, 32, 2, 0, p));
}

/* ==== Past the end of a shared array ===================================== */

/* By an instruction, in two arrays that are both written. */
template <int CASE> __global__ void overrun() {
    __shared__ __align__(128) u32 a[64], b[64], c[64];
    u32 t = threadIdx.x, at = (u32)__cvta_generic_to_shared(b);
    ll_words v = {};
    a[t] = b[t] = c[t] = t;
    a[t + 32] = b[t + 32] = c[t + 32] = t;
    __syncthreads();
    CASE == 0 ? ll_ptx_st_shared_b32(at + 4 * (t + 33), v) : (void)0;
    CASE == 1 ? (void)ll_ptx_ld_shared_b128(at + 16 * (t & 16)) : (void)0;
    CASE == 2 ? (void)ll_ptx_ldmatrix_m8n8_x4(at + 16 * (t + 100)) : (void)0;
    CASE == 3 ? (void)ll_ptx_ld_shared_b32(at + 4 * t - 8) : (void)0;
    CASE == 4 ? (void)ll_ptx_ld_shared_b32(at + 100000 + 4 * t) : (void)0;
}
static const int overrun_line = __LINE__ - 6;
/* Through a pointer; the index comes from memory. */
__global__ void dereference(const u32 *p, int by) {
    __shared__ u32 a[64], b[64];
    a[threadIdx.x] = b[threadIdx.x] = 1;
    ((volatile u32 *)a)[by + (int)p[0]] = 1;
    ((volatile u32 *)b)[by + (int)p[0]] = 1;
}
static const int dereference_line = __LINE__ - 3;
template <class T> __global__ void of_template(u32 *p) {
    __shared__ T s[16];
    s[threadIdx.x + p[0]] = 1;
}
static const int of_template_line = __LINE__ - 2;

static void overruns() {
    FINDS(overrun_line, "st.shared.b32 by thread 31 of block 0 touches byte "
          "256 of shared `b`, which is outside the variable",
          LL_LAUNCH(overrun<0>, 1, 32, 0));
    FINDS(overrun_line + 1, "byte 256 of shared `b`, which is outside",
          LL_LAUNCH(overrun<1>, 1, 32, 0));
    FINDS(overrun_line + 2, "ldmatrix.x4 by thread 0 of block 0 touches byte "
          "1600 of shared `b`", LL_LAUNCH(overrun<2>, 1, 32, 0));
    FINDS(overrun_line + 3, "byte -8 of shared `b`",
          LL_LAUNCH(overrun<3>, 1, 32, 0));
    FINDS(overrun_line + 4, "byte 100000 of shared `b`",
          LL_LAUNCH(overrun<4>, 1, 32, 0));
    FINDS(dereference_line, "byte 256 of shared `a`",
          LL_LAUNCH(dereference, 1, 32, 0, p, 64));
    FINDS(dereference_line, "byte 32768 of shared `a`",
          LL_LAUNCH(dereference, 1, 32, 0, p, 8192));
    FINDS(dereference_line, "byte -4 of shared `a`",
          LL_LAUNCH(dereference, 1, 32, 0, p, -1));
    FINDS(of_template_line, "byte 32 of shared `s`",
          LL_LAUNCH(of_template<unsigned short>, 1, 32, 0, p));
}

/* ==== Stacks ============================================================= */

template <int KIB> __global__ void tall(u32 *p) {
    volatile u32 a[KIB * 256];
    for (int i = 0; i < KIB * 256; i += 512) {
        a[i] = p[0] + (u32)i;
    }
    p[threadIdx.x] = a[512 * (threadIdx.x + 1)];
}
static const int tall_line = __LINE__ - 7;

static void stacks() {
    ending e = apart([](u32 *p) {
        p[0] = 7;
        LL_LAUNCH((tall<2048>), 1, 1, 0, p);
        printf("%u", p[0]);
    });
    check(e.status == 0 && !strcmp(e.text, "519"), "a stack of 2 MiB", e,
          __LINE__);
    FINDS(tall_line, "thread 0 uses up its stack of 4 MiB",
          LL_LAUNCH((tall<5000>), 1, 1, 0, p));
}

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

static void harmless_program(void (*program)(u32 *), int from) {
    const ending e = apart(program);
    check(e.status == 0 && !e.text[0], "no finding", e, from);
}
#define HARMLESS(...) \
    harmless_program([](u32 *p) { __VA_ARGS__; }, __LINE__)

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
    snprintf(place, sizeof place, "test_findings.cu:%d: early: ",
             unawaited_line);
    check(end && strstr(e.text, place) && strstr(e.text, place) < end,
          "the missing wait first", e, __LINE__);
    snprintf(place, sizeof place, "test_findings.cu:%d: race: ",
             unawaited_line);
    check(lines_of(e, "early: ") == 1 && lines_of(e, place) == 1 &&
              lines_of(e, "race: ") == 2,
          "each of them once at a place", e, __LINE__);
    e = apart([](u32 *p) { LL_LAUNCH(races_often, 1, 64, 0, p); });
    snprintf(place, sizeof place, "test_findings.cu:%d: race: ",
             races_often_line);
    check(lines_of(e, place) == 1 && lines_of(e, "race: ") == 2 &&
              strstr(e.text, "between; 64 times at this place"),
          "a race once at a place, two reads of 32 lanes", e, __LINE__);
    e = apart([](u32 *p) { LL_LAUNCH((turns_in<HALVES, 0>), 1, 128, 0, p); });
    end = strchr(e.text, '\n');
    check(end && strstr(e.text, ": scope: ") && strstr(e.text, "race: ") > end &&
              strstr(e.text, ": scope: ") < end,
          "the numbers of threads first", e, __LINE__);
}

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
    FINDS(0, "launch: large asks for 49153 bytes of dynamic shared memory, "
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

/* The halves of two plans, whose memories differ, or of which one has a part of
 * the other; and threads that do not come to the first one. */
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

/* ==== More shared variables than fit ===================================== */

template <u32 N> __device__ void touches(u32 *p) {
    __shared__ u32 part[N];
    part[threadIdx.x] = p[threadIdx.x];
    __syncwarp();
    p[threadIdx.x] = part[threadIdx.x ^ 1];
}
static const int touches_line = __LINE__ - 4;
/* Two variables of N and 6144 words. */
template <u32 N> __global__ void holds(u32 *p) {
    touches<6144>(p);
    touches<N>(p);
}
template <u32 N> __global__ void touched(u32 *p) { touches<N>(p); }

static void static_memory() {
    HARMLESS(LL_LAUNCH(holds<6143>, 1, 32, 0, p);
             LL_LAUNCH(holds<1024>, 1, 32, 0, p);
             LL_LAUNCH(holds<6143>, 1, 32, 64, p));
    FINDS(touches_line, "launch: holds<6146> has at least 49160 bytes of "
          "__shared__ variables, `part` among them: at most 49152 are "
          "possible; dynamic memory may be larger",
          LL_LAUNCH(holds<6146>, 1, 32, 0, p));
    FINDS(touches_line, "launch: one has at least 65540 bytes of __shared__ "
          "variables, `part` among them: at most 49152 are possible",
          emu_run("one", touched<16385>, 1, 32, 0, p));
}

/* ==== The driver ========================================================= */

/* What emucc prints for some arguments; its status. */
static ending driver(const char *arguments) {
    ending e = {"", -1};
    char command[512];
    const char *end = strrchr(__FILE__, '/');
    snprintf(command, sizeof command,
             "sh %.*s/../../tools/emulator/emucc %s 2>&1",
             end ? (int)(end - __FILE__) : 1, end ? __FILE__ : ".", arguments);
    FILE *said = popen(command, "r");
    const size_t n = said ? fread(e.text, 1, sizeof e.text - 1, said) : 0;
    e.text[n] = 0;
    const int status = said ? pclose(said) : -1;
    e.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return e;
}

static void drivers() {
    static const char *const list[][2] = {
        {"", "emucc: no kernel file given (emucc --help)\n"},
        {"-o", "emucc: -o needs the name of the program after it (emucc "
               "--help)\n"},
        {"none.cu", "emucc: cannot read the file none.cu (emucc --help)\n"},
        {"a.cpp", "emucc: a.cpp is not a kernel file: it must end in .cu, .cc "
                  "or .hip (emucc --help)\n"},
        {"-arch=sm_90", "emucc: -arch=sm_90 is for nvcc or hipcc; emucc is for "
                        "the CPU: leave it out (emucc --help)\n"},
        {"-c a.cu", "emucc: -c stops before linking; emucc builds programs: "
                    "leave it out (emucc --help)\n"},
        {"-I", "emucc: -I needs an argument after it (emucc --help)\n"},
    };
    for (const auto &one : list) {
        const ending e = driver(one[0]);
        check(e.status == 2 && !strcmp(e.text, one[1]), one[1], e, __LINE__);
    }
    const ending e = driver("--help");
    check(e.status == 0 &&
              !strncmp(e.text, "emucc [-W64] kernel.cu... [-o program]", 38),
          "what it takes", e, __LINE__);
}

int main() {
    static_memory();
    drivers();
    global_races();
    missing();
    askew_and_beyond();
    maps();
    beside();
    descriptors_and_arrivals();
    limits();
    places();
    classes();
    late_and_wrong();
    scopes();
    same_numbers();
    order();
    causes();
    barriers_of_two_teams();
    statuses();
    barriers();
    overruns();
    stacks();
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
