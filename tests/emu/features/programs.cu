/* programs.cu - how ordinary programs are written: launches, templates, memory
 * of all kinds, classes, the calls of the host.
 * SPDX-License-Identifier: MIT
 */
#include "check.h"

#include <assert.h>
#include <math.h>

enum { N = 100 };

/* ---- Variables of the device --------------------------------------------- */

__constant__ float weights[4] = {1, 2, 3, 4};
__constant__ int shift;
__device__ int counter = 5;
static __device__ float table_of[2][3] = {{1, 2, 3}, {4, 5, 6}};
__device__ const int primes[] = {2, 3, 5, 7};
__managed__ int managed;
static constexpr int LUT[4] = {9, 8, 7, 6};

__global__ void weighted(float *p) {
    p[threadIdx.x] = weights[threadIdx.x & 3] * table_of[1][threadIdx.x % 3];
}
__global__ void counted(int *p) {
    p[threadIdx.x] = primes[threadIdx.x & 3] + shift;
    if (threadIdx.x == 0) {
        counter += 10;
        managed = 3;
    }
}
__global__ void looked_up(int *p) {
    constexpr int first = LUT[0];
    p[threadIdx.x] = first + (int)threadIdx.x;
}

static void variables() {
    float f[8];
    int r[4], s = 100, c = 0;
    float *p = zeros<float>(8);
    weighted<<<1, 8>>>(p);
    fetch(f, p, 8);
    CHECK(f[0] == 4 && f[3] == 16 && f[5] == 12);
    CHECK(cudaMemcpyToSymbol(shift, &s, sizeof s) == cudaSuccess);
    int *q = zeros<int>(4);
    counted<<<1, 4>>>(q);
    fetch(r, q, 4);
    CHECK(cudaMemcpyFromSymbol(&c, counter, sizeof c) == cudaSuccess);
    CHECK(r[3] == 107 && c == 15);
    CHECK(cudaDeviceSynchronize() == cudaSuccess && managed == 3);
    q = zeros<int>(4);
    looked_up<<<1, 4>>>(q);
    fetch(r, q, 4);
    CHECK(r[3] == 12);
}

/* ---- Launches ------------------------------------------------------------ */

__global__ void saxpy(int n, float a, const float *__restrict__ x,
                      float *__restrict__ y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = a * x[i] + y[i];
    }
}
__global__ void grid_stride(int *p, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += blockDim.x * gridDim.x) {
        p[i] = i * i;
    }
}
__global__ void coordinates(uint3 *p) {
    const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y +
                                                     gridDim.y * blockIdx.z);
    const unsigned thread = threadIdx.x + blockDim.x *
                            (threadIdx.y + blockDim.y * threadIdx.z);
    p[block * blockDim.x * blockDim.y * blockDim.z + thread] = threadIdx;
}
__global__ void
__launch_bounds__(128, 2)
bounded(int *p)
{
    p[threadIdx.x] = 1;
}
namespace inner {
template <int K> __global__ void scaled(int *p) { p[threadIdx.x] *= K; }
template <class T> __global__ void filled(T *p, T v) { p[threadIdx.x] = v; }
}
template <class F> __global__ void applied(F f, int *p) {
    p[threadIdx.x] = f(p[threadIdx.x]);
}
struct add_n {
    int n;
    __host__ __device__ int operator()(int x) const { return x + n; }
};
extern "C" __global__ void c_linkage(int *p) { *p = 4; }
template <class T> static void launch_generic(T *p, T v) {
    inner::filled<T><<<1, 4>>>(p, v);
    inner::filled<<<1, 2>>>(p, (T)(v + 1));
}

static void launches() {
    float x[N], y[N];
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = 1;
    }
    float *dx = device(x, N), *dy = device(y, N);
    const int threads = 32;
    saxpy<<<(N + threads - 1) / threads, threads>>>(N, 2.0f, dx, dy);
    fetch(y, dy, N);
    cudaFree(dx);
    CHECK(y[0] == 1 && y[99] == 199);
    int r[N], *p = zeros<int>(N);
    grid_stride<<<2, 16, 0, 0>>>(p, N);
    fetch(r, p, N);
    CHECK(r[99] == 9801);
    uint3 u[96], *q = zeros<uint3>(96);
    dim3 gridDim(2, 2), blockDim(4, 3, 2);
    coordinates<<<gridDim, blockDim>>>(q);
    fetch(u, q, 96);
    CHECK(u[95].x == 3 && u[95].y == 2 && u[95].z == 1);
    p = zeros<int>(128);
    bounded<<<1, 128>>>(p);
    inner::scaled<7><<<1, 64>>>(p);
    applied<<<1, 32>>>(add_n{5}, p);
    fetch(r, p, N);
    CHECK(r[0] == 12 && r[40] == 7);
    p = zeros<int>(4);
    launch_generic(p, 6);
    c_linkage<<<1, 1>>>(p + 3);
    fetch(r, p, 4);
    CHECK(r[0] == 7 && r[2] == 6 && r[3] == 4);
    cudaLaunchConfig_t config = {};
    config.gridDim = 2;
    config.blockDim = dim3(8);
    p = zeros<int>(N);
    CHECK(cudaLaunchKernelEx(&config, grid_stride, p, N) == cudaSuccess);
    fetch(r, p, N);
    CHECK(r[50] == 2500);
}

/* ---- C++ in kernels ------------------------------------------------------ */

struct complex_number {
    float re, im;
    __device__ complex_number(float a, float b) : re(a), im(b) {}
    __device__ complex_number operator*(const complex_number &o) const {
        return complex_number(re * o.re - im * o.im, re * o.im + im * o.re);
    }
    __device__ float norm() const { return re * re + im * im; }
};
__global__ void julia(int *p) {
    complex_number z(threadIdx.x * 0.1f - 0.5f, 0.25f);
    int i = 0;
    while (i < 50 && z.norm() < 4) {
        z = z * z;
        z.re += 0.3f;
        i++;
    }
    p[threadIdx.x] = i;
}
__device__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
__global__ void recursive(int *p) { p[threadIdx.x] = factorial(threadIdx.x); }
typedef int (*operation)(int, int);
__device__ int plus_of(int a, int b) { return a + b; }
__device__ int times_of(int a, int b) { return a * b; }
__global__ void pointers(int *p) {
    operation f = threadIdx.x & 1 ? plus_of : times_of;
    p[threadIdx.x] = f(threadIdx.x, 3);
}
template <int K> struct unrolled {
    static __device__ int sum(const int *p) {
        return p[K - 1] + unrolled<K - 1>::sum(p);
    }
};
template <> struct unrolled<0> {
    static __device__ int sum(const int *) { return 0; }
};
__global__ void metaprogram(int *p) {
    auto twice = [](int x) { return 2 * x; };
    if constexpr (sizeof(void *) == 8) {
        *p = twice(unrolled<4>::sum(p));
    }
}
struct matrix_view {
    float *data;
    int rows, columns;
    __device__ float &at(int i, int j) { return data[i * columns + j]; }
};
__global__ void product(matrix_view c, matrix_view a, matrix_view b) {
    float s = 0;
    for (int k = 0; k < a.columns; k++) {
        s += a.at(threadIdx.y, k) * b.at(k, threadIdx.x);
    }
    c.at(threadIdx.y, threadIdx.x) = s;
}
__global__ void switches(int *p) {
    int v = 0;
    switch (threadIdx.x % 3) {
    case 0: v = 5; break;
    case 1: v = 6; [[fallthrough]];
    default: v += 1;
    }
    for (int i = 0; i < 10; i++) {
        if (i == (int)threadIdx.x) {
            continue;
        }
        v += i;
    }
    p[threadIdx.x] = v;
}
__global__ void vectors(float4 *p, const float2 *q) {
    const float2 a = __ldg(q + threadIdx.x);
    __stcs(p + threadIdx.x, make_float4(a.x, a.y, a.x + a.y, 0));
    const int4 v = make_int4(1, 2, 3, 4);
    p[threadIdx.x].w = (float)(v.x + v.y + v.z + v.w);
}
__global__ void spoken(int n) {
    assert(n > 0);
    if (threadIdx.x == 0) {
        printf("kernel says %d %s\n", n, "words");
    }
}
__global__ void timed(long long *p) {
    const long long a = clock64();
    __nanosleep(10);
    *p = clock64() - a;
}

static void language() {
    int r[N], *p = zeros<int>(N);
    julia<<<1, 8>>>(p);
    fetch(r, p, N);
    CHECK(r[5] > 0 && r[5] <= 50);
    p = zeros<int>(N);
    recursive<<<1, 8>>>(p);
    fetch(r, p, N);
    CHECK(r[7] == 5040 && r[0] == 1);
    p = zeros<int>(N);
    pointers<<<1, 8>>>(p);
    fetch(r, p, N);
    CHECK(r[4] == 12 && r[5] == 8);
    const int four[4] = {1, 2, 3, 4};
    p = device(four, 4);
    metaprogram<<<1, 1>>>(p);
    fetch(r, p, 4);
    CHECK(r[0] == 20);
    float m[16], o[16];
    for (int i = 0; i < 16; i++) {
        m[i] = (float)(i % 5);
    }
    float *a = device(m, 16), *c = zeros<float>(16);
    product<<<1, dim3(4, 4)>>>(matrix_view{c, 4, 4}, {a, 4, 4}, {a, 4, 4});
    fetch(o, c, 16);
    CHECK(o[0] == m[0] * m[0] + m[1] * m[4] + m[2] * m[8] + m[3] * m[12]);
    p = zeros<int>(N);
    switches<<<1, 6>>>(p);
    fetch(r, p, N);
    CHECK(r[0] == 50 && r[1] == 51 && r[2] == 44);
    float4 w[8], *q = zeros<float4>(8);
    vectors<<<1, 8>>>(q, (const float2 *)a);
    fetch(w, q, 8);
    cudaFree(a);
    CHECK(w[1].z == m[2] + m[3] && w[7].w == 10);
    spoken<<<1, 32>>>(3);
    long long *t = zeros<long long>(1), d;
    timed<<<1, 1>>>(t);
    fetch(&d, t, 1);
    CHECK(d >= 0);
}

/* ---- The calls of the host ----------------------------------------------- */

static void host_calls() {
    cudaStream_t stream;
    cudaEvent_t start, stop;
    float ms = -1, *p;
    size_t pitch;
    cudaDeviceProp prop;
    int blocks = 0, grid = 0, block = 0;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) ==
          cudaSuccess);
    CHECK(cudaEventCreate(&start) == cudaSuccess);
    CHECK(cudaEventCreateWithFlags(&stop, cudaEventDefault) == cudaSuccess);
    CHECK(cudaMallocAsync(&p, N * sizeof *p, stream) == cudaSuccess);
    CHECK(cudaMemsetAsync(p, 0, N * sizeof *p, stream) == cudaSuccess);
    CHECK(cudaEventRecord(start, stream) == cudaSuccess);
    CHECK(cudaFuncSetAttribute(saxpy,
                               cudaFuncAttributeMaxDynamicSharedMemorySize,
                               64 << 10) == cudaSuccess);
    saxpy<<<dim3(4), dim3(32), 60 << 10, stream>>>(N, 1.0f, p, p);
    CHECK(cudaEventRecord(stop, stream) == cudaSuccess);
    CHECK(cudaEventSynchronize(stop) == cudaSuccess);
    CHECK(cudaEventElapsedTime(&ms, start, stop) == cudaSuccess && ms >= 0);
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    CHECK(cudaFreeAsync(p, stream) == cudaSuccess);
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);
    CHECK(cudaEventDestroy(start) == cudaSuccess);
    CHECK(cudaEventDestroy(stop) == cudaSuccess);
    CHECK(cudaGetDeviceProperties(&prop, 0) == cudaSuccess &&
          prop.warpSize == 32 && prop.maxThreadsPerBlock == 1024);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, saxpy, 256,
                                                        0) == cudaSuccess &&
          blocks > 0);
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, saxpy, 0, 0) ==
          cudaSuccess && block > 0);
    CHECK(cudaMallocPitch(&p, &pitch, 100, 3) == cudaSuccess && pitch >= 100);
    CHECK(cudaFree(p) == cudaSuccess && cudaFree(nullptr) == cudaSuccess);
    CHECK(cudaMallocHost(&p, 64) == cudaSuccess);
    CHECK(cudaFreeHost(p) == cudaSuccess);
    cudaError_t e = cudaGetLastError();
    CHECK(e == cudaSuccess && cudaGetErrorString(e)[0] == 'n');
}

int main() {
    variables();
    launches();
    language();
    host_calls();
    return told();
}
