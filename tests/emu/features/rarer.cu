/* rarer.cu - what programs use less often: caches and identity, whole
 * grids, dispatch, memory that the host and the device share, streams.
 * SPDX-License-Identifier: MIT
 */
#include "check.h"
#include <cooperative_groups.h>
#include <assert.h>
#include <math.h>
#include <string.h>
#include <utility>

namespace cg = cooperative_groups;

/* ---- Caches and identity ------------------------------------------------- */

__global__ void cached(int *p, const int *q) {
    const int a = __ldcs(q + threadIdx.x) + __ldca(q + threadIdx.x);
    const int b = __ldcg(q + threadIdx.x) + __ldcv(q + threadIdx.x);
    __stcs(p + threadIdx.x, a);
    __stcg(p + 32 + threadIdx.x, b);
    __stwt(p + 64 + threadIdx.x, a + b);
    __stwb(p + 96 + threadIdx.x, b - a);
}
__global__ void who(unsigned *p) {
    unsigned lane, mask, warps, sm;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
    asm volatile("mov.u32 %0, %%nwarpid;" : "=r"(warps));
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    p[threadIdx.x] = lane == threadIdx.x % 32 && mask == (1u << lane) - 1 &&
                     warps >= 1 && sm < 1024;
}
__global__ void clocks(unsigned long long *p) {
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    p[0] = t;
    __nanosleep(100);
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    p[1] = t;
}
__global__ void predicated(int *p) {
    int x = (int)threadIdx.x, y;
    asm("{ .reg .pred q;\n\t"
        "setp.gt.s32 q, %1, 15;\n\t"
        "mov.s32 %0, -1;\n\t"
        "@q mov.s32 %0, %1;\n\t"
        "@!q add.s32 %0, %1, 100; }"
        : "=&r"(y) : "r"(x));
    asm("{ .reg .pred q; setp.ne.b32 q, %1, 0; selp.b32 %0, %2, %3, q; }"
        : "=r"(x) : "r"(x & 1), "r"(y), "r"(-y));
    p[threadIdx.x] = x;
}
__global__ void fences(volatile int *flag, int *data, int *seen) {
    if (threadIdx.x == 0) {
        data[0] = 5;
        __threadfence();
        flag[0] = 1;
        __threadfence_block();
        __threadfence_system();
    }
    __syncthreads();
    if (flag[0]) {
        seen[threadIdx.x] = data[0];
    }
}
__global__ void short_swaps(unsigned short *p) {
    unsigned short old = p[0], was;
    do {
        was = old;
        old = atomicCAS(p, was, (unsigned short)(was + 3));
    } while (old != was);
}
__global__ void scopes_of_atomics(int *p, unsigned long long *q) {
    atomicAdd_block(p, 1);
    atomicAdd_system(p + 1, 2);
    atomicMax_block(q, 7ull);
    atomicCAS_system(q + 1, 0ull, 9ull);
}
__global__ void counters(unsigned *p) {
    atomicInc(p, 5);
    atomicDec(p + 1, 5);
}

/* ---- Words and numbers --------------------------------------------------- */

__global__ void bytes(unsigned *p) {
    p[0] = __vadd4(0x01ff02fe, 0x01010101);
    p[1] = __vabsdiffu4(0x10203040, 0x01010101);
    p[2] = __vmaxu2(0x00010005, 0x00040002);
    p[3] = __usad(5, 9, 100);
    p[4] = (unsigned)__dp2a_lo(0x00030002, 0x04030201, 10);
    p[5] = __fns(0xf0f0, 0, 3);
    p[6] = (unsigned)__sad(-5, 9, 100u);
    p[7] = (unsigned)__vcmpeq4(0x01020304, 0x01030305);
}
__global__ void more_math(float *p) {
    p[0] = rcbrtf(8.0f);
    p[1] = erff(0.0f);
    p[2] = normcdff(0.0f);
    p[3] = cospif(1.0f);
    p[4] = ldexpf(3.0f, 4);
    int e;
    const float half = frexpf(40.0f, &e);
    p[5] = half + (float)e;
    p[6] = isinf(p[4]) + isnan(p[4]) + (float)signbit(-1.0f);
    p[7] = copysignf(3.0f, -0.0f) + fdimf(5.0f, 3.0f) + hypotf(3.0f, 4.0f);
}
__global__ void small_vectors(uchar4 *p, float3 *q, longlong2 *r) {
    uchar4 c = p[0];
    p[0] = make_uchar4(c.w, c.z, c.y, c.x);
    q[0] = make_float3(q[0].z, q[0].y, q[0].x);
    r[0] = make_longlong2(r[0].y, r[0].x);
}
union pun {
    float f;
    unsigned u;
};
__global__ void unions(unsigned *p, const float *q) {
    pun x;
    x.f = q[threadIdx.x];
    p[threadIdx.x] = x.u;
}
struct __align__(8) packed {
    short a, b;
    int c;
};
__global__ void copied(packed *p, const packed *q) {
    packed x;
    memcpy(&x, q + threadIdx.x, sizeof x);
    char zeros[4];
    memset(zeros, 0, sizeof zeros);
    x.c += zeros[1];
    memcpy(p + threadIdx.x, &x, sizeof x);
}

/* ---- Programs ------------------------------------------------------------ */

struct shape {
    __device__ virtual float area() const { return 0; }
};
struct square : shape {
    float side;
    __device__ square(float s) : side(s) {}
    __device__ float area() const override { return side * side; }
};
__device__ __noinline__ float area_of(const shape &s) { return s.area(); }
__global__ void virtuals(float *p) {
    square s((float)threadIdx.x);
    p[threadIdx.x] = area_of(s);
}
__global__ void jumps(int *p) {
    int n = 0;
again:
    n += 3;
    if (n < 20) {
        goto again;
    }
    p[threadIdx.x] = n;
}
__global__ void in_constant(const __grid_constant__ packed x, int *p) {
    p[threadIdx.x] = x.a + x.b + x.c;
}
template <int... I> __global__ void folded(int *p) {
    p[threadIdx.x] = (I + ...);
}
template <class F, class... A> __global__ void generic(F f, int *p, A... a) {
    p[threadIdx.x] = f(a...);
}
struct adder {
    __device__ int operator()(int a, int b, int c) const { return a + b * c; }
};
__global__ void lambdas(int *p) {
    const int k = (int)threadIdx.x;
    auto twice = [&](int x) { return 2 * x + k; };
    auto each = [=](auto f, auto x) { return f(f(x)); };
    p[k] = each(twice, 1);
}
__global__ void __launch_bounds__(64, 2) bounded(int *p) {
    p[threadIdx.x] = (int)blockDim.x;
}
__global__ void asserted(int *p) {
    assert(p[threadIdx.x] >= 0);
    if (p[threadIdx.x] < 0) {
        __trap();
    }
    p[threadIdx.x] = 1;
}
__global__ void spaces(int *p, int *q) {
    __shared__ int s[32];
    s[threadIdx.x] = 1;
    int local = s[threadIdx.x];
    q[0] = __isShared(s) && !__isShared(p);
    q[1] = local;
    __builtin_assume(threadIdx.x < 32);
}

/* ---- Groups -------------------------------------------------------------- */

__global__ void tiles(int *p) {
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    int x = (int)tile.thread_rank();
    for (int k = tile.size() / 2; k > 0; k /= 2) {
        x += tile.shfl_down(x, k);
    }
    x = tile.shfl(x, 0);
    p[block.thread_rank()] = x + (int)tile.meta_group_rank() +
                             (tile.any(x > 100) ? 1000 : 0);
    block.sync();
}
__global__ void active(int *p) {
    if (threadIdx.x % 3 == 0) {
        auto some = cg::coalesced_threads();
        p[threadIdx.x] = (int)some.size() * 100 + (int)some.thread_rank();
    }
}
__global__ void whole_grid(int *p) {
    cg::grid_group grid = cg::this_grid();
    p[grid.thread_rank()] = (int)grid.size();
}

/* ---- Memory of the host's ------------------------------------------------ */

__device__ int global_counter = 3;
__managed__ int managed_counter = 4;
__constant__ float weights[4] = {1, 2, 3, 4};

__global__ void globals(int *p) {
    if (threadIdx.x == 0) {
        global_counter += 1;
        managed_counter += global_counter;
        p[0] = (int)weights[2];
    }
}
__global__ void plus_one(int *p, int n) {
    const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (k < n) {
        p[k] += 1;
    }
}

static void test_memory() {
    int *m, *h, *d, x = 0;
    CHECK(cudaMallocManaged(&m, 64 * sizeof(int)) == cudaSuccess);
    for (int k = 0; k < 64; ++k) {
        m[k] = k;
    }
    plus_one<<<2, 32>>>(m, 64);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(m[0] == 1 && m[63] == 64);
    cudaFree(m);
    CHECK(cudaHostAlloc(&h, 64 * sizeof(int), cudaHostAllocDefault) ==
          cudaSuccess);
    memset(h, 0, 64 * sizeof(int));
    cudaStream_t s, t;
    CHECK(cudaStreamCreate(&s) == cudaSuccess);
    CHECK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking) == cudaSuccess);
    cudaEvent_t e;
    CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming) == cudaSuccess);
    CHECK(cudaMallocAsync((void **)&d, 64 * sizeof(int), s) == cudaSuccess);
    CHECK(cudaMemcpyAsync(d, h, 64 * sizeof(int), cudaMemcpyHostToDevice, s) ==
          cudaSuccess);
    plus_one<<<2, 32, 0, s>>>(d, 64);
    plus_one<<<2, 32, 0, s>>>(h, 64);
    CHECK(cudaEventRecord(e, s) == cudaSuccess);
    CHECK(cudaStreamWaitEvent(t, e, 0) == cudaSuccess);
    CHECK(cudaMemcpyAsync(h, d, 64 * sizeof(int), cudaMemcpyDeviceToHost, t) ==
          cudaSuccess);
    CHECK(cudaStreamSynchronize(t) == cudaSuccess);
    CHECK(cudaStreamQuery(t) == cudaSuccess && h[5] == 1);
    CHECK(cudaFreeAsync(d, s) == cudaSuccess);
    CHECK(cudaEventDestroy(e) == cudaSuccess);
    CHECK(cudaStreamDestroy(s) == cudaSuccess);
    CHECK(cudaStreamDestroy(t) == cudaSuccess);
    CHECK(cudaFreeHost(h) == cudaSuccess);
    size_t pitch = 0;
    char *rows, line[8];
    CHECK(cudaMallocPitch((void **)&rows, &pitch, 8, 4) == cudaSuccess);
    CHECK(cudaMemset2D(rows, pitch, 7, 8, 4) == cudaSuccess);
    CHECK(cudaMemcpy2D(line, 2, rows, pitch, 2, 4, cudaMemcpyDeviceToHost) ==
          cudaSuccess);
    CHECK(pitch >= 8 && line[0] == 7 && line[7] == 7);
    cudaFree(rows);
    int *p = zeros<int>(1), *where;
    globals<<<1, 32>>>(p);
    CHECK(cudaMemcpyFromSymbol(&x, global_counter, sizeof x) == cudaSuccess);
    CHECK(x == 4 && managed_counter == 8);
    CHECK(cudaGetSymbolAddress((void **)&where, global_counter) == cudaSuccess);
    CHECK(cudaMemcpy(&x, where, sizeof x, cudaMemcpyDeviceToHost) ==
          cudaSuccess);
    CHECK(x == 4);
    fetch(&x, p, 1);
    CHECK(x == 3);
}

/* Kernels by pointers: elements of arrays, members, arguments of templates. */
typedef void (*launched)(int *, int);
struct chosen {
    launched kernel;
    void run(int *p, int n) const { this->kernel<<<1, 32>>>(p, n); }
};
template <launched K> static void by_argument(int *p, int n) {
    K<<<1, 32>>>(p, n);
}

static void test_pointers() {
    const launched all[2] = {plus_one, nullptr};
    const chosen one = {plus_one};
    int *p = zeros<int>(32), x[32];
    all[0]<<<1, 32>>>(p, 32);
    one.kernel<<<1, 32>>>(p, 16);
    one.run(p, 8);
    by_argument<plus_one>(p, 4);
    fetch(x, p, 32);
    CHECK(x[31] == 1 && x[15] == 2 && x[7] == 3 && x[3] == 4);
}

static void test_host() {
    int count = 0, least = 0, warp = 0;
    CHECK(cudaGetDeviceCount(&count) == cudaSuccess);
    CHECK(cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, 0) ==
              cudaSuccess && warp == 32);
    CHECK(cudaPeekAtLastError() == cudaSuccess);
    cudaFuncAttributes a;
    CHECK(cudaFuncGetAttributes(&a, plus_one) == cudaSuccess);
    CHECK(a.maxThreadsPerBlock >= 32);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&least, plus_one, 128,
                                                        0) == cudaSuccess);
    CHECK(least >= 1);
    int n = 32, *p = zeros<int>(32), x[32];
    void *args[] = {&p, &n};
    CHECK(cudaLaunchKernel(plus_one, dim3(1), dim3(32), args) == cudaSuccess);
    fetch(x, p, 32);
    CHECK(x[31] == 1);
}

/* Runs a kernel on `n` values of a type, in one block of 32 threads. */
template <class T, class F> static void made(T *x, int n, F launch) {
    T *p = device(x, n);
    launch(p);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    fetch(x, p, n);
}

static void test_words() {
    int x[128], q[32];
    for (int k = 0; k < 32; ++k) {
        q[k] = k;
    }
    int *from = device(q, 32);
    made(x, 128, [&](int *p) { cached<<<1, 32>>>(p, from); });
    CHECK(x[3] == 6 && x[35] == 6 && x[67] == 12 && x[99] == 0);
    cudaFree(from);
    unsigned u[64] = {0};
    made(u, 64, [](unsigned *p) { who<<<1, 64>>>(p); });
    CHECK(u[0] && u[63]);
    unsigned long long l[2] = {0, 0};
    made(l, 2, [](unsigned long long *p) { clocks<<<1, 1>>>(p); });
    CHECK(l[1] >= l[0]);
    made(x, 32, [](int *p) { predicated<<<1, 32>>>(p); });
    CHECK(x[0] == -100 && x[1] == 101 && x[16] == -16 && x[31] == 31);
    int *flag = zeros<int>(1), *data = zeros<int>(1);
    made(x, 32, [&](int *p) { fences<<<1, 32>>>(flag, data, p); });
    CHECK(x[0] == 5 && x[31] == 5);
    unsigned short h[2] = {1, 9};
    made(h, 2, [](unsigned short *p) { short_swaps<<<1, 32>>>(p); });
    CHECK(h[0] == 97 && h[1] == 9);
    int n[2] = {0, 0};
    unsigned long long *far = zeros<unsigned long long>(2), y[2];
    made(n, 2, [&](int *p) { scopes_of_atomics<<<1, 32>>>(p, far); });
    fetch(y, far, 2);
    CHECK(n[0] == 32 && n[1] == 64 && y[0] == 7 && y[1] == 9);
    u[0] = u[1] = 0;
    made(u, 2, [](unsigned *p) { counters<<<1, 8>>>(p); });
    CHECK(u[0] == 2 && u[1] == 4);
    made(u, 8, [](unsigned *p) { bytes<<<1, 1>>>(p); });
    CHECK(u[0] == 0x020003ff && u[1] == 0x0f1f2f3f && u[2] == 0x00040005);
    CHECK(u[3] == 104 && u[4] == 10 + 2 * 1 + 3 * 2 && u[5] == 6);
    CHECK(u[6] == 114 && u[7] == 0xff00ff00);
}

static void test_numbers() {
    float f[32];
    made(f, 8, [](float *p) { more_math<<<1, 1>>>(p); });
    CHECK(fabsf(f[0] - 0.5f) < 1e-6f && f[1] == 0 && f[2] == 0.5f);
    CHECK(f[3] == -1 && f[4] == 48 && f[5] == 6.625f);
    CHECK(f[6] != 0 && f[7] == 4);
    uchar4 c = {1, 2, 3, 4};
    float3 t = {1, 2, 3};
    longlong2 w = {1, 2};
    uchar4 *dc = device(&c, 1);
    float3 *dt = device(&t, 1);
    longlong2 *dw = device(&w, 1);
    small_vectors<<<1, 1>>>(dc, dt, dw);
    fetch(&c, dc, 1);
    fetch(&t, dt, 1);
    fetch(&w, dw, 1);
    CHECK(c.x == 4 && c.w == 1 && t.x == 3 && w.x == 2);
    float one[32];
    for (int k = 0; k < 32; ++k) {
        one[k] = 1.0f;
    }
    float *q = device(one, 32);
    unsigned u[32];
    made(u, 32, [&](unsigned *p) { unions<<<1, 32>>>(p, q); });
    CHECK(u[0] == 0x3f800000u);
    cudaFree(q);
    packed a[32], b[32];
    for (int k = 0; k < 32; ++k) {
        a[k] = {1, 2, k};
    }
    packed *from = device(a, 32);
    made(b, 32, [&](packed *p) { copied<<<1, 32>>>(p, from); });
    CHECK(b[31].a == 1 && b[31].c == 31);
    cudaFree(from);
}

static void test_programs() {
    float f[32];
    int x[64];
    made(f, 32, [](float *p) { virtuals<<<1, 32>>>(p); });
    CHECK(f[5] == 25);
    made(x, 32, [](int *p) { jumps<<<1, 32>>>(p); });
    CHECK(x[0] == 21);
    const packed y = {1, 2, 3};
    made(x, 32, [&](int *p) { in_constant<<<1, 32>>>(y, p); });
    CHECK(x[9] == 6);
    made(x, 32, [](int *p) { folded<1, 2, 3><<<1, 32>>>(p); });
    CHECK(x[9] == 6);
    made(x, 32, [](int *p) { generic<<<1, 32>>>(adder(), p, 1, 2, 3); });
    CHECK(x[9] == 7);
    made(x, 32, [](int *p) { lambdas<<<1, 32>>>(p); });
    CHECK(x[0] == 4 && x[1] == 7);
    made(x, 64, [](int *p) { bounded<<<1, 64>>>(p); });
    CHECK(x[63] == 64);
    made(x, 32, [](int *p) { asserted<<<1, 32>>>(p); });
    CHECK(x[31] == 1);
    int *other = zeros<int>(32);
    made(x, 2, [&](int *p) { spaces<<<1, 32>>>(other, p); });
    CHECK(x[0] == 1 && x[1] == 1);
    cudaFree(other);
    made(x, 64, [](int *p) { tiles<<<1, 64>>>(p); });
    CHECK(x[0] == 28 && x[63] == 35);
    made(x, 32, [](int *p) { active<<<1, 32>>>(p); });
    CHECK(x[0] == 1100 && x[30] == 1110);
    made(x, 64, [](int *p) { whole_grid<<<2, 32>>>(p); });
    CHECK(x[63] == 64);
}

/* ---- Launches and asm behind labels, in ? :, after else and do ----------- */

__global__ void adds(int *p) { atomicAdd(p, 1); }
template <class T> __global__ void adds_any(T *p) { atomicAdd(p, 1); }
namespace inner {
__global__ void adds(int *p) { atomicAdd(p, 1); }
}
__global__ void asm_places(int *p, int x) {
    if (x == 100)
        p[0] = 1;
    else asm volatile("membar.gl;" ::: "memory");
    do asm volatile("membar.cta;" ::: "memory"); while (x++ < 2);
    if (x < 0)
        p[0] = 2;
    else
        asm volatile("st.global.b32 [%0], 5;" ::"l"(p + 1) : "memory");
    switch (x) {
    case 5:asm volatile("membar.gl;");
    default:asm volatile("st.global.b32 [%0], 6;" ::"l"(p + 2) : "memory");
    }
}
static void test_labels() {
    int *p = zeros<int>(4), x[4], n = 1;
    switch (n) {
    case 1:adds<<<1, 1>>>(p); break;
    default:adds<<<1, 9>>>(p);
    }
    switch (n) {
    case 'a':adds<<<1, 9>>>(p); break;
    case 1: ::inner::adds<<<1, 1>>>(p);
    }
    switch (n) {
    case 1:inner::adds<<<1, 1>>>(p); break;
    case 2:adds_any<int><<<1, 9>>>(p);
    }
    goto here;
here:adds<<<1, 1>>>(p);
    n ? adds<<<1, 1>>>(p) : adds<<<1, 9>>>(p);
    n > 5?adds<<<1, 9>>>(p):adds<<<1, 1>>>(p);
    n?inner::adds<<<1, 1>>>(p):inner::adds<<<1, 9>>>(p);
    n ? adds_any<<<1, 1>>>(p) : adds_any<<<1, 9>>>(p);
    if (n) adds<<<1, 1>>>(p); else adds<<<1, 9>>>(p);
    do adds<<<1, 1>>>(p); while (n == 2);
    asm_places<<<1, 1>>>(p, n);
    fetch(x, p, 4);
    CHECK(x[0] == 10 && x[1] == 5 && x[2] == 6);
}

int main() {
    test_labels();
    test_memory();
    test_host();
    test_pointers();
    test_words();
    test_numbers();
    test_programs();
    return told();
}
