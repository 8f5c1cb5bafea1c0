/* test_findings.cu - each class of the emulator's findings: barriers, arrays,
 * stacks, the exit status, and what emucc says.
 * SPDX-License-Identifier: MIT
 */
#define FINDINGS "test_findings.cu"
#include "findings.h"

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
    FINDS(0, "launch: kernel `harmless` with 1 block of 2000 threads",
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
    FINDS(0, "launch: kernel `small` with blocks of 96 threads, but its "
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
    FINDS(touches_line, "launch: kernel `holds<6146>` has at least 49160 bytes of "
          "__shared__ variables, `part` among them: at most 49152 are "
          "possible; dynamic memory may be larger",
          LL_LAUNCH(holds<6146>, 1, 32, 0, p));
    FINDS(touches_line, "launch: kernel `one` has at least 65540 bytes of __shared__ "
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
    classes();
    late_and_wrong();
    statuses();
    barriers();
    overruns();
    stacks();
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
