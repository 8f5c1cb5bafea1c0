/* sharing.cu - threads that work together: barriers, shared memory, votes,
 * shuffles, atomics, clusters, copies.
 * SPDX-License-Identifier: MIT
 */
#include "check.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;
enum { N = 128 };

/* ---- Shared memory and barriers ----------------------------------------- */

__global__ void reversed(int *p) {
    __shared__ int s[N];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[N - 1 - threadIdx.x];
}
__global__ void dynamic(int *p) {
    extern __shared__ __align__(128) unsigned char raw[];
    int *s = reinterpret_cast<int *>(raw);
    s[threadIdx.x ^ 1] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[threadIdx.x];
}
extern __shared__ float outer[];
__global__ void dynamic_outside(float *p) {
    outer[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = outer[(threadIdx.x + 1) % N];
}
template <class T, int TILE>
__global__ void __launch_bounds__(TILE *TILE) transposed(T *to, const T *from) {
    __shared__ T tile[TILE][TILE + 1];
    tile[threadIdx.y][threadIdx.x] = from[threadIdx.y * TILE + threadIdx.x];
    __syncthreads();
    to[threadIdx.y * TILE + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
__global__ void voted(int *p) {
    const int t = (int)threadIdx.x;
    p[t] = __syncthreads_count(t % 3 == 0);
    p[t] += 1000 * __syncthreads_and(t < N) + 2000 * __syncthreads_or(t == 5);
}
static __device__ void producer(int *s, int *p) {
    for (int i = 0; i < 4; i++) {
        asm volatile("bar.sync 2, 64;" ::: "memory");
        s[threadIdx.x] = p[threadIdx.x] + i;
        asm volatile("bar.arrive 1, 64;" ::: "memory");
    }
}
/* Two warps and two named barriers: the slot is full, the slot is free. */
__global__ void roles(int *p) {
    __shared__ int s[32];
    const int lane = (int)threadIdx.x % 32;
    int sum = 0;
    if (threadIdx.x < 32) {
        producer(s, p);
        return;
    }
    for (int i = 0; i < 4; i++) {
        asm volatile("barrier.cta.arrive.aligned %0, %1;" ::"r"(2), "r"(64)
                     : "memory");
        asm volatile("barrier.cta.sync.aligned %0, %1;" ::"r"(1), "r"(64)
                     : "memory");
        sum += s[31 - lane];
    }
    p[threadIdx.x] = sum;
}

static void barriers() {
    int a[N], r[N];
    float f[N];
    for (int i = 0; i < N; i++) {
        a[i] = i * i;
        f[i] = (float)i;
    }
    int *p = device(a, N);
    reversed<<<1, N>>>(p);
    fetch(r, p, N);
    CHECK(r[0] == a[N - 1] && r[5] == a[N - 6]);
    p = device(a, N);
    dynamic<<<1, N, N * sizeof(int)>>>(p);
    fetch(r, p, N);
    CHECK(r[0] == a[1] && r[7] == a[6]);
    float *q = device(f, N);
    dynamic_outside<<<1, N, sizeof f>>>(q);
    fetch(f, q, N);
    CHECK(f[0] == 1 && f[N - 1] == 0);
    p = device(a, 64);
    int *t = zeros<int>(64);
    transposed<int, 8>
        <<<1, dim3(8, 8)>>>(t, p);
    fetch(r, t, 64);
    CHECK(r[1] == a[8] && r[63] == a[63]);
    cudaFree(p);
    p = zeros<int>(N);
    voted<<<1, N>>>(p);
    fetch(r, p, N);
    CHECK(r[0] == 3043 && r[N - 1] == 3043);
    p = device(a, N);
    roles<<<1, 64>>>(p);
    fetch(r, p, N);
    CHECK(r[32] == 4 * a[31] + 6 && r[63] == 4 * a[0] + 6);
}

/* ---- Warps --------------------------------------------------------------- */

__global__ void shuffles(int *p, double *d) {
    const int lane = (int)threadIdx.x;
    int v = lane * 3;
    p[lane] = __shfl_sync(0xffffffff, v, 7);
    p[32 + lane] = __shfl_up_sync(0xffffffff, v, 1);
    p[64 + lane] = __shfl_down_sync(0xffffffff, v, 2, 16);
    p[96 + lane] = __shfl_xor_sync(0xffffffff, v, 5);
    d[lane] = __shfl_sync(~0u, (double)lane, (lane + 1) & 31);
}
__global__ void votes(unsigned *p) {
    const unsigned lane = threadIdx.x & 31;
    p[lane] = __ballot_sync(~0u, lane % 4 == 1);
    p[lane] += (unsigned)__any_sync(~0u, lane == 9);
    p[lane] += (unsigned)__all_sync(~0u, lane < 32) * 2;
    p[32 + lane] = __match_any_sync(~0u, (int)lane / 8);
    int same = 0;
    p[64 + lane] = __match_all_sync(~0u, 5, &same) + (unsigned)same;
    p[96 + lane] = __activemask();
}
__global__ void reductions(unsigned *p) {
    const unsigned lane = threadIdx.x;
    p[lane] = __reduce_add_sync(~0u, lane) + __reduce_max_sync(~0u, lane);
    p[32 + lane] = __reduce_xor_sync(~0u, 1u << lane) &
                   __reduce_or_sync(~0u, lane) & __reduce_and_sync(~0u, ~lane);
    p[64 + lane] = (unsigned)__reduce_min_sync(~0u, 3 - (int)lane);
    __syncwarp();
}
__global__ void half_a_warp(int *p) {
    const int lane = (int)threadIdx.x;
    if (lane < 16) {
        p[lane] = __shfl_xor_sync(0xffff, lane, 3);
    }
}
__device__ __forceinline__ float warp_sum(float v) {
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) {
        v += __shfl_down_sync(0xffffffffu, v, d);
    }
    return v;
}
__global__ void block_sum(float *out, const float *in, int n) {
    __shared__ float part[32];
    float v = 0;
    for (int i = (int)threadIdx.x; i < n; i += (int)blockDim.x) {
        v += in[i];
    }
    v = warp_sum(v);
    if (threadIdx.x % warpSize == 0) {
        part[threadIdx.x / warpSize] = v;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        v = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0.0f;
        v = warp_sum(v);
        if (threadIdx.x == 0) {
            *out = v;
        }
    }
}
__global__ void groups(int *p) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    int v = (int)block.thread_rank();
    for (int d = (int)warp.size() / 2; d; d /= 2) {
        v += warp.shfl_xor(v, d);
    }
    block.sync();
    if (warp.thread_rank() == 0) {
        p[warp.meta_group_rank()] = v;
    }
    warp.sync();
}

__global__ void scanned(int *p) {
    const int lane = (int)threadIdx.x;
    int v = p[lane];
    for (int d = 1; d < 32; d *= 2) {
        const int below = __shfl_up_sync(~0u, v, (unsigned)d);
        v += lane >= d ? below : 0;
    }
    p[lane] = v;
}
/* One atomic operation for all lanes of a warp that add. */
__global__ void aggregated(int *n, int *p) {
    if (threadIdx.x % 3 == 0) {
        const unsigned active = __activemask();
        const int lane = (int)threadIdx.x % 32, leader = __ffs((int)active) - 1;
        int at = 0;
        if (lane == leader) {
            at = atomicAdd(n, __popc(active));
        }
        at = __shfl_sync(active, at, leader);
        p[at + __popc(active & ((1u << lane) - 1))] = (int)threadIdx.x;
    }
}

static void warps() {
    int r[N];
    unsigned u[N];
    double d[32];
    float f[300], sum = 0;
    int *p = zeros<int>(N);
    double *q = zeros<double>(32);
    shuffles<<<1, 32>>>(p, q);
    fetch(r, p, N);
    fetch(d, q, 32);
    CHECK(r[3] == 21 && r[32] == 0 && r[40] == 21 && r[64 + 15] == 45 &&
          r[64 + 13] == 45 && r[96] == 15);
    CHECK(d[0] == 1 && d[31] == 0);
    unsigned *v = zeros<unsigned>(N);
    votes<<<1, 32>>>(v);
    fetch(u, v, N);
    CHECK(u[0] == 0x22222222u + 3 && u[32 + 9] == 0xff00u && u[64] == 0 &&
          u[96] == ~0u);
    v = zeros<unsigned>(N);
    reductions<<<1, 32>>>(v);
    fetch(u, v, N);
    CHECK(u[0] == 496 + 31 && u[40] == 0 && (int)u[70] == -28);
    p = zeros<int>(N);
    half_a_warp<<<1, 32>>>(p);
    fetch(r, p, N);
    CHECK(r[0] == 3 && r[15] == 12 && r[16] == 0);
    for (int i = 0; i < 300; i++) {
        f[i] = (float)(i % 7);
        sum += f[i];
    }
    for (int i = 0; i < N; i++) {
        r[i] = i;
    }
    p = device(r, N);
    scanned<<<1, 32>>>(p);
    fetch(r, p, N);
    CHECK(r[31] == 496 && r[4] == 10);
    p = zeros<int>(N);
    int *count = zeros<int>(1), c;
    aggregated<<<1, 64>>>(count, p);
    fetch(r, p, N);
    fetch(&c, count, 1);
    CHECK(c == 22);
    float *g = device(f, 300), *o = zeros<float>(1), one;
    block_sum<<<1, 256>>>(o, g, 300);
    fetch(&one, o, 1);
    cudaFree(g);
    CHECK(one == sum);
    p = zeros<int>(N);
    groups<<<1, 64>>>(p);
    fetch(r, p, N);
    CHECK(r[0] == 496 && r[1] == 496 + 32 * 32);
}

/* ---- Atomics ------------------------------------------------------------- */

__global__ void histogram(unsigned *bins, const unsigned char *in, int n) {
    __shared__ unsigned s[16];
    if (threadIdx.x < 16) {
        s[threadIdx.x] = 0;
    }
    __syncthreads();
    for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < n;
         i += (int)(gridDim.x * blockDim.x)) {
        atomicAdd(&s[in[i] & 15], 1u);
    }
    __syncthreads();
    if (threadIdx.x < 16) {
        atomicAdd(bins + threadIdx.x, s[threadIdx.x]);
    }
}
__global__ void integers(int *p, unsigned *u, unsigned long long *l) {
    const int t = (int)threadIdx.x;
    atomicAdd(p, t);
    atomicSub(p + 1, t);
    atomicMax(p + 2, t);
    atomicMin(p + 3, -t);
    atomicAnd(p + 4, ~(1 << (t & 31)));
    atomicOr(u, 1u << (t & 31));
    atomicXor(u + 1, 1u << (t & 31));
    atomicInc(u + 2, 9);
    atomicDec(u + 3, 9);
    atomicAdd(l, 1ull << 33);
    atomicMax(l + 1, (unsigned long long)t << 40);
    atomicCAS(p + 5, 0, 77);
    atomicAdd_block(p + 6, 1);
}
__global__ void reals(float *f, double *d) {
    atomicAdd(f, 0.5f);
    atomicAdd(d, 0.25);
    atomicExch(f + 1, 3.5f);
}
/* The greatest of floats, by atomicCAS of their patterns. */
__global__ void greatest(unsigned *best, const float *in) {
    unsigned old = *(volatile unsigned *)best, now;
    do {
        now = old;
        if (__uint_as_float(now) >= in[threadIdx.x]) {
            break;
        }
        old = atomicCAS(best, now, __float_as_uint(in[threadIdx.x]));
    } while (old != now);
}
/* A lock that every warp takes once. */
__global__ void locked(int *lock, int *p) {
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {
            __nanosleep(20);
        }
        __threadfence();
        *(volatile int *)p = *(volatile int *)p * 2 + 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}
/* The last block adds up what all have written. */
__device__ unsigned finished;
__global__ void last_block(int *part, int *sum) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = (int)blockIdx.x + 1;
        __threadfence();
        last = atomicInc(&finished, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        for (unsigned i = 0; i < gridDim.x; i++) {
            *sum += part[i];
        }
        finished = 0;
    }
}

static void atomics() {
    unsigned char in[1000];
    unsigned bins[16] = {}, want[16] = {}, u[4], best;
    for (int i = 0; i < 1000; i++) {
        in[i] = (unsigned char)(i * i);
        want[in[i] & 15]++;
    }
    unsigned char *p = device(in, 1000);
    unsigned *q = zeros<unsigned>(16);
    histogram<<<3, 64>>>(q, p, 1000);
    fetch(bins, q, 16);
    cudaFree(p);
    bool same = true;
    for (int i = 0; i < 16; i++) {
        same = same && bins[i] == want[i];
    }
    CHECK(same);
    int a[7] = {0, 0, 0, 0, -1, 0, 0};
    unsigned long long l[2];
    int *x = device(a, 7);
    q = zeros<unsigned>(4);
    unsigned long long *y = zeros<unsigned long long>(2);
    integers<<<1, N>>>(x, q, y);
    fetch(a, x, 7);
    fetch(u, q, 4);
    fetch(l, y, 2);
    CHECK(a[0] == 8128 && a[1] == -8128 && a[2] == 127 && a[3] == -127 &&
          a[4] == 0 && a[5] == 77 && a[6] == N);
    CHECK(u[0] == ~0u && u[1] == 0 && u[2] == 8 && u[3] == 2);
    CHECK(l[0] == (unsigned long long)N << 33 && l[1] == 127ull << 40);
    float f[N];
    double d;
    float *g = zeros<float>(2);
    double *h = zeros<double>(1);
    reals<<<1, 64>>>(g, h);
    fetch(f, g, 2);
    fetch(&d, h, 1);
    CHECK(f[0] == 32 && f[1] == 3.5f && d == 16);
    for (int i = 0; i < N; i++) {
        f[i] = (float)(i * 37 % 101);
    }
    q = zeros<unsigned>(1);
    g = device(f, N);
    greatest<<<1, N>>>(q, g);
    fetch(&best, q, 1);
    cudaFree(g);
    CHECK(best == 0x42c80000u);
    int *lock = zeros<int>(1), *n = zeros<int>(1), r;
    locked<<<1, N>>>(lock, n);
    fetch(&r, n, 1);
    cudaFree(lock);
    CHECK(r == 15);
    x = zeros<int>(5);
    n = zeros<int>(1);
    last_block<<<5, 32>>>(x, n);
    fetch(&r, n, 1);
    cudaFree(x);
    CHECK(r == 15);
}

/* ---- Copies and clusters ------------------------------------------------- */

__device__ __forceinline__ void copy_async(void *to, const void *from) {
    const unsigned at = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at),
                 "l"(from) : "memory");
}
__global__ void pipelined(int4 *to, const int4 *from) {
    __shared__ int4 s[2][32];
    const int t = (int)threadIdx.x;
    copy_async(&s[0][t], from + t);
    asm volatile("cp.async.commit_group;" ::: "memory");
    for (int i = 0; i < 4; i++) {
        if (i < 3) {
            copy_async(&s[(i + 1) & 1][t], from + 32 * (i + 1) + t);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("cp.async.wait_group %0;" ::"n"(1) : "memory");
        __syncthreads();
        to[32 * i + t] = s[i & 1][31 - t];
        __syncthreads();
    }
}
__global__ void __cluster_dims__(2, 1, 1) clustered(int *p) {
    unsigned rank, size;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    p[blockIdx.x] = (int)(rank * 10 + size);
}

static void copies() {
    int a[512], r[512];
    for (int i = 0; i < 512; i++) {
        a[i] = i;
    }
    int *p = device(a, 512), *q = zeros<int>(512);
    pipelined<<<1, 32>>>((int4 *)q, (const int4 *)p);
    fetch(r, q, 512);
    cudaFree(p);
    CHECK(r[0] == 31 * 4 && r[511] == 384 + 3);
    p = zeros<int>(4);
    clustered<<<4, 32>>>(p);
    fetch(r, p, 4);
    CHECK(r[0] == 2 && r[1] == 12 && r[2] == 2 && r[3] == 12);
}

int main() {
    barriers();
    warps();
    atomics();
    copies();
    CHECK(cudaGetLastError() == cudaSuccess);
    return told();
}
