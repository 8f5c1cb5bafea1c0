/* numbers.cu - numbers of all kinds in kernels: half, bfloat16, 8 bits, fast
 * math, casts, bits. Expected values are written out or follow from float.
 * SPDX-License-Identifier: MIT
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "check.h"

#include <math.h>

enum { N = 64 };

/* ---- Half and bfloat16 --------------------------------------------------- */

__global__ void half_axpy(__half a, const __half *x, __half *y) {
    const unsigned i = threadIdx.x;
    y[i] = __hfma(a, x[i], y[i]);
}
__global__ void half_operators(const half *x, half *y) {
    const unsigned i = threadIdx.x;
    half v = x[i] + __float2half(1.5f);
    v *= x[i];
    v -= half(0.25f);
    y[i] = v > __float2half(3.0f) ? -v : v / half(2);
}
__global__ void half2_sum(float *out, const __half2 *x) {
    __half2 s = __float2half2_rn(0.0f);
    for (int i = 0; i < N / 2; i++) {
        s = __hadd2(s, x[i]);
    }
    *out = __low2float(s) + __high2float(s);
}
__global__ void half2_functions(__half2 *p) {
    __half2 a = __halves2half2(__float2half(2), __float2half(-3));
    __half2 b = __floats2half2_rn(0.5f, 4.0f);
    p[0] = __hfma2(a, b, a);
    p[1] = __hmul2(__habs2(a), __hneg2(b));
    p[2] = __hmax2(a, b);
    p[3] = __lows2half2(a, b);
    p[4] = __highs2half2(a, b);
    p[5] = __lowhigh2highlow(a);
    p[6] = a * b - a;
    p[7] = __half2half2(__low2half(b));
}
__global__ void half_compares(int *p) {
    const __half a = __float2half(1), b = __float2half(NAN);
    p[0] = __hlt(a, __float2half(2)) + 2 * __heq(a, a) + 4 * __hisnan(b) +
           8 * (a == b) + 16 * (a != b) + 32 * (__hisinf(a) != 0);
    p[1] = __half2int_rn(__float2half(2.5f)) + 10 * __half2int_rz(a);
    p[2] = __half_as_ushort(__ushort_as_half(0x3c01));
    p[3] = (int)__half2float(hexp(__float2half(0)) + hsqrt(__int2half_rn(16)));
}
__global__ void half_shuffle(__half *p) {
    __half2 v = __float2half2_rn((float)threadIdx.x);
    v = __shfl_xor_sync(~0u, v, 1);
    p[threadIdx.x] = __shfl_down_sync(~0u, __high2half(v), 1);
}
__global__ void half_atomics(__half2 *p, __half *q) {
    atomicAdd(p, __floats2half2_rn(1, 2));
    atomicAdd(q, __float2half(1));
}
/* Eight halves by one access. */
__global__ void half_vectors(uint4 *to, const uint4 *from) {
    uint4 v = from[threadIdx.x];
    __half2 *h = reinterpret_cast<__half2 *>(&v);
#pragma unroll
    for (int k = 0; k < 4; k++) {
        h[k] = __hadd2(h[k], h[k]);
    }
    to[threadIdx.x] = v;
}
__global__ void bf16_functions(__nv_bfloat16 *p, const float *x) {
    const unsigned i = threadIdx.x;
    __nv_bfloat16 v = __float2bfloat16(x[i]);
    __nv_bfloat162 w = __floats2bfloat162_rn(x[i], 2.0f);
    w = __hfma2(w, w, __bfloat162bfloat162(v));
    p[i] = __low2bfloat16(w) + __high2bfloat16(w) + __float2bfloat16_rn(0.5f);
}
template <class T> __global__ void any_type(float *out, const T *x) {
    out[threadIdx.x] = static_cast<float>(x[threadIdx.x]) * 2.0f;
}

static void halves() {
    __half h[N], g[N];
    float f[N], want = 0, sum;
    bool same = true;
    for (int i = 0; i < N; i++) {
        h[i] = __float2half((float)i / 4);
        want += (float)i / 4;
        f[i] = (float)i;
    }
    __half *x = device(h, N), *y = device(h, N);
    half_axpy<<<1, N>>>(__float2half(2.0f), x, y);
    fetch(g, y, N);
    for (int i = 0; i < N; i++) {
        same = same && __half2float(g[i]) == 0.75f * (float)i;
    }
    CHECK(same);
    y = zeros<__half>(N);
    half_operators<<<1, N>>>(x, y);
    fetch(g, y, N);
    CHECK(__half2float(g[4]) == 1.125f && __half2float(g[8]) == -6.75f);
    float *s = zeros<float>(1);
    half2_sum<<<1, 1>>>(s, reinterpret_cast<__half2 *>(x));
    fetch(&sum, s, 1);
    CHECK(sum == want);
    __half2 *z = zeros<__half2>(N), w[N];
    half2_functions<<<1, 1>>>(z);
    fetch(w, z, 8);
    CHECK(__low2float(w[0]) == 3 && __high2float(w[0]) == -15);
    CHECK(__low2float(w[1]) == -1 && __high2float(w[1]) == -12);
    CHECK(__high2float(w[2]) == 4 && __high2float(w[3]) == 0.5f);
    CHECK(__low2float(w[4]) == -3 && __low2float(w[5]) == -3);
    CHECK(__low2float(w[6]) == -1 && __high2float(w[7]) == 0.5f);
    int r[4], *p = zeros<int>(4);
    half_compares<<<1, 1>>>(p);
    fetch(r, p, 4);
    CHECK(r[0] == 1 + 2 + 4 + 16 && r[1] == 12 && r[2] == 0x3c01 && r[3] == 5);
    y = zeros<__half>(N);
    half_shuffle<<<1, 32>>>(y);
    fetch(g, y, N);
    CHECK(__half2float(g[0]) == 0 && __half2float(g[1]) == 3);
    z = zeros<__half2>(1);
    y = zeros<__half>(1);
    half_atomics<<<1, 32>>>(z, y);
    fetch(w, z, 1);
    fetch(g, y, 1);
    CHECK(__high2float(w[0]) == 64 && __half2float(g[0]) == 32);
    y = zeros<__half>(N);
    half_vectors<<<1, N / 8>>>((uint4 *)y, (const uint4 *)x);
    fetch(g, y, N);
    CHECK(__half2float(g[63]) == 31.5f);
    float *v = device(f, N), *o = zeros<float>(N);
    __nv_bfloat16 *b = zeros<__nv_bfloat16>(N), c[N];
    bf16_functions<<<1, N>>>(b, v);
    fetch(c, b, N);
    CHECK(__bfloat162float(c[3]) == 19.5f);
    cudaFree(v);
    any_type<<<1, N>>>(o, x);
    fetch(f, o, N);
    CHECK(f[6] == 3.0f);
    cudaFree(x);
}

/* ---- 8 bits -------------------------------------------------------------- */

__global__ void fp8_types(unsigned char *p, const float *x) {
    const unsigned i = threadIdx.x;
    p[i] = __nv_fp8_e4m3(x[i]).__x;
    p[8 + i] = __nv_fp8_e5m2(x[i]).__x;
    p[16 + i] = __nv_cvt_float_to_fp8(x[i], __NV_NOSAT, __NV_E4M3);
}
__global__ void fp8_back(float *p, const __nv_fp8_e4m3 *x) {
    p[threadIdx.x] = float(x[threadIdx.x]);
    const float4 v = float4(*(const __nv_fp8x4_e4m3 *)x);
    p[8 + threadIdx.x] = v.x + v.y + v.z + v.w;
}

static void bytes() {
    const float f[8] = {1, -1.5f, 448, 1000, 0.001f, 0, -3.3f, 17};
    float *x = device(f, 8), r[16];
    unsigned char *p = zeros<unsigned char>(24), c[24];
    fp8_types<<<1, 8>>>(p, x);
    CHECK(cudaMemcpy(c, p, 24, cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK(c[0] == 0x38 && c[1] == 0xbc && c[2] == 0x7e && c[3] == 0x7e);
    CHECK(c[4] == 0x01 && c[8] == 0x3c && c[11] == 0x64 && c[19] == 0x7f);
    cudaFree(x);
    x = zeros<float>(16);
    fp8_back<<<1, 8>>>(x, (const __nv_fp8_e4m3 *)p);
    fetch(r, x, 16);
    cudaFree(p);
    CHECK(r[1] == -1.5f && r[2] == 448 && r[7] == 16 && r[8] == 895.5f);
}

/* ---- Fast math, casts, bits ---------------------------------------------- */

__global__ void fast_math(float *p) {
    const float x = p[0];
    p[1] = rsqrtf(x);
    p[2] = __expf(x) / expf(x);
    p[3] = __logf(x) - logf(x);
    p[4] = __fdividef(x, 8);
    p[5] = __sinf(x) * __sinf(x) + __cosf(x) * __cosf(x);
    p[6] = exp2f(x);
    p[7] = __frcp_rn(x) + __fsqrt_rn(x);
    p[8] = __powf(x, 2) + __log2f(x) + __saturatef(x);
    float s, c;
    sincosf(x, &s, &c);
    p[9] = s * s + c * c;
    p[10] = fmaf(x, 2, 1) + fminf(x, 1) + fmaxf(x, 1) + fabsf(-x);
}
__global__ void directed(float *p, double *d) {
    p[0] = __fadd_ru(1, 1e-20f);
    p[1] = __fadd_rd(1, -1e-20f);
    p[2] = __fmul_rz(1.0000001f, 1.0000001f);
    p[3] = __fmaf_rn(2, 3, 4) + __fdiv_rn(1, 4);
    d[0] = __dadd_rn(1, 2) + __ddiv_rn(1, 2) + __dsqrt_rn(16);
    d[1] = rsqrt(4.0) + fma(1.0, 2.0, 3.0);
}
__global__ void casts(int *p, float *f) {
    p[0] = __float2int_rn(2.5f) + 10 * __float2int_rz(-2.7f) +
           100 * __float2int_ru(1.2f) + 1000 * __float2int_rd(-1.2f);
    p[1] = (int)__float_as_uint(1.0f);
    p[2] = __float_as_int(__int_as_float(0x12345678));
    p[3] = __double2int_rz(-7.9) + (int)__float2uint_rn(3.5f);
    p[4] = __double2hiint(1.0) + __double2loint(1.0);
    p[5] = __float2int_rz(1e20f);
    f[0] = __int2float_rn(16777217);
    f[1] = __int2float_ru(16777217);
    f[2] = __uint_as_float(0x40490fdbu);
    f[3] = (float)__longlong_as_double(__double_as_longlong(2.5)) +
           __double2float_rn(0.5);
}
__global__ void bits(unsigned *p) {
    const unsigned x = 0x00f12345u;
    p[0] = (unsigned)__popc(x) + 100 * (unsigned)__popcll(~0ull);
    p[1] = (unsigned)(__clz((int)x) + 100 * __clzll(1) + 10000 * __clz(0));
    p[2] = (unsigned)(__ffs(8) + 100 * __ffsll(1ll << 40) + 10000 * __ffs(0));
    p[3] = __brev(x);
    p[4] = __byte_perm(x, 0xaabbccddu, 0x7041);
    p[5] = __funnelshift_l(0x80000000u, 1, 1);
    p[6] = __funnelshift_r(0, 1, 4);
    p[7] = __umulhi(0x80000000u, 6) + (unsigned)__mulhi(-1, 1);
    p[8] = __umul24(0x1000002u, 3) + (unsigned)__mul24(-2, 3);
    p[9] = __usad(3, 10, 5) + (unsigned)__dp4a(0x01020304, 0x01010101, 5);
    p[10] = (unsigned)(__umul64hi(1ull << 63, 6) + (__brevll(1) >> 63));
    p[11] = __uhadd(7, 8) + (unsigned)__rhadd(7, 8);
}
__global__ void minimums(long long *p, int a, unsigned b, float c, double d) {
    p[0] = min(a, 5) + max(b, 7u) + (long long)min(c, 2.0f);
    p[1] = max(1ll, 2ll) + (long long)max(d, (double)c) + abs(a);
    p[2] = (long long)(fabs(d) + floor(d) + ceil((double)c) + round(2.5));
    p[3] = isnan(c) + isinf(d) * 2 + signbit(c) * 4 + isfinite(c) * 8;
}
/* The assembler's view of floats. */
__global__ void ptx_floats(float *p, unsigned *u) {
    float r;
    asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(r) : "f"(2.0f), "f"(3.0f),
        "f"(1.0f));
    p[0] = r;
    asm("ex2.approx.f32 %0, %1;" : "=f"(r) : "f"(3.0f));
    p[1] = r;
    asm("{ .reg .f32 t; mul.f32 t, %1, %1; add.f32 %0, t, %2; }"
        : "=f"(r) : "f"(3.0f), "f"(0.5f));
    p[2] = r;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(u[0]) : "f"(1.0f), "f"(-2.0f));
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(u[1]) : "f"(1.0f), "f"(-2.0f));
}

static void math() {
    float f[11] = {3}, g[4];
    float *p = device(f, 11);
    fast_math<<<1, 1>>>(p);
    fetch(f, p, 11);
    CHECK(fabsf(f[1] - 0.5773503f) < 1e-6f && fabsf(f[2] - 1) < 1e-5f);
    CHECK(fabsf(f[3]) < 1e-6f && f[4] == 0.375f && fabsf(f[5] - 1) < 1e-5f);
    CHECK(f[6] == 8 && fabsf(f[7] - 2.0653841f) < 1e-6f);
    CHECK(fabsf(f[8] - 11.5849625f) < 1e-4f && fabsf(f[9] - 1) < 1e-6f);
    CHECK(f[10] == 14);
    p = zeros<float>(4);
    double *q = zeros<double>(2), d[2];
    directed<<<1, 1>>>(p, q);
    fetch(g, p, 4);
    fetch(d, q, 2);
    CHECK(g[0] > 1 && g[1] < 1 && g[2] == 1.0000002f && g[3] == 10.25f);
    CHECK(d[0] == 7.5 && d[1] == 5.5);
    int *n = zeros<int>(6), i[6];
    p = zeros<float>(4);
    casts<<<1, 1>>>(n, p);
    fetch(i, n, 6);
    fetch(g, p, 4);
    CHECK(i[0] == 2 - 20 + 200 - 2000 && i[1] == 0x3f800000);
    CHECK(i[2] == 0x12345678 && i[3] == -3 && i[4] == 0x3ff00000);
    CHECK(i[5] == 0x7fffffff && g[0] == 16777216.0f && g[1] == 16777218.0f);
    CHECK(g[2] > 3.14159f && g[2] < 3.1416f && g[3] == 3);
    unsigned *u = zeros<unsigned>(12), b[12];
    bits<<<1, 1>>>(u);
    fetch(b, u, 12);
    CHECK(b[0] == 6400 + 11);
    CHECK(b[1] == 8 + 6300 + 320000 && b[2] == 4 + 4100);
    CHECK(b[3] == 0xa2c48f00u && b[4] == 0xaa45dd23u && b[5] == 3);
    CHECK(b[6] == 0x10000000u && b[7] == 2 && b[8] == 0 && b[9] == 27);
    CHECK(b[10] == 4 && b[11] == 15);
    long long *l = zeros<long long>(4), m[4];
    minimums<<<1, 1>>>(l, -3, 9, 1.5f, -2.5);
    fetch(m, l, 4);
    CHECK(m[0] == 7 && m[1] == 6 && m[2] == 4 && m[3] == 8);
    p = zeros<float>(4);
    u = zeros<unsigned>(2);
    ptx_floats<<<1, 1>>>(p, u);
    fetch(g, p, 4);
    fetch(b, u, 2);
    CHECK(g[0] == 7 && g[1] == 8 && g[2] == 9.5f);
    CHECK(b[0] == 0x3c00c000u && b[1] == 0x3f80c000u);
}

int main() {
    halves();
    bytes();
    math();
    CHECK(cudaGetLastError() == cudaSuccess);
    return told();
}
