/* test_tensor.cu - the functions of LL_TENSOR in ll_ptx.h on the emulator:
 * products against their definition, with the operands put where the layouts
 * say that they are; copies of boxes.
 * SPDX-License-Identifier: MIT
 */
#define LL_TENSOR
#include <cuda_runtime.h>
#include "../../ll_ptx.h"
#include <cuda.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BYTES = 1 << 16 };
#include "instructions.h"
#include "numbers.h"

/* ==== mma.sync =========================================================== */

/* Sizes of what a lane holds in bytes: up to 64 each. */
enum { LANE = 64 };

template <class C, class W, void (*F)(C *, const W *, const W *)>
__global__ void one_mma(u8 *c, const u8 *a, const u8 *b, unsigned nc,
                        unsigned na, unsigned nb) {
    C x[8];
    W y[16], z[16];
    for (unsigned k = 0; k < nc; ++k) {
        x[k] = ((C *)(c + LANE * threadIdx.x))[k];
    }
    for (unsigned k = 0; k < na; ++k) {
        y[k] = ((const W *)(a + LANE * threadIdx.x))[k];
    }
    for (unsigned k = 0; k < nb; ++k) {
        z[k] = ((const W *)(b + LANE * threadIdx.x))[k];
    }
    F(x, y, z);
    for (unsigned k = 0; k < nc; ++k) {
        ((C *)(c + LANE * threadIdx.x))[k] = x[k];
    }
}

enum { SUM, AND, XOR };

static double product(const number &ta, const number &tb, matrix &a, matrix &b,
                      unsigned i, unsigned j, int how) {
    double sum = 0;
    for (unsigned k = 0; k < a.cols; ++k) {
        const int x = value_of(ta, a.at(i, k)), y = value_of(tb, b.at(k, j));
        sum += how == AND ? (x & y) : how == XOR ? (x ^ y) : x * y;
    }
    return sum;
}

template <class C, class W, void (*F)(C *, const W *, const W *)>
static void test_mma(const char *name, unsigned m, unsigned k, const number &tc,
                     const number &ta, const number &tb, int how = SUM) {
    static matrix a, b, c;
    static u8 *on_a = buffer(32 * LANE), *on_b = buffer(32 * LANE),
              *on_c = buffer(32 * LANE);
    static u8 host[32 * LANE];
    const ll_layout la = ll_ptx_fragment_a(m, k, ta.bits);
    const ll_layout lb = ll_ptx_fragment_b(k, 8, tb.bits);
    const ll_layout lc = ll_ptx_fragment_c(m, 8);
    const unsigned regs = ll_size(lc.in, LL_REGISTER);
    unsigned bad = la.err || lb.err || lc.err;
    a.fill(m, k);
    b.fill(k, 8);
    c.fill(m, 8);
    emu_reset();
    put(host, LANE, la, ta, a, 32);
    cudaMemcpy(on_a, host, sizeof host, cudaMemcpyHostToDevice);
    put(host, LANE, lb, tb, b, 32);
    cudaMemcpy(on_b, host, sizeof host, cudaMemcpyHostToDevice);
    put(host, LANE, lc, tc, c, 32);
    cudaMemcpy(on_c, host, sizeof host, cudaMemcpyHostToDevice);
    auto kernel = one_mma<C, W, F>;
    const unsigned word = sizeof(W) * 8;
    LL_LAUNCH(kernel, 1, 32, 0, on_c, on_a, on_b,
              regs * tc.bits / (8 * (unsigned)sizeof(C)),
              m * k / 32 * ta.bits / word, 8 * k / 32 * tb.bits / word);
    cudaMemcpy(host, on_c, sizeof host, cudaMemcpyDeviceToHost);
    for (unsigned l = 0; l < 32 && !bad; ++l) {
        for (unsigned r = 0; r < regs; ++r) {
            unsigned i, j;
            place(lc, r, l, 0, &i, &j);
            bad += sum_at(host, tc, l, r, LANE) !=
                   value_of(tc, c.at(i, j)) + product(ta, tb, a, b, i, j, how);
        }
    }
    check(!bad && emu_error_count() == 0, name, __LINE__);
    check(emu_stat("mma") == 1, name, __LINE__);
}

/* m8n8k4 of f16: four products, with either order of A and of B. */
template <class C, void (*F)(C *, const u32 *, const u32 *)>
static void test_quads(const char *name, const number &tc, int rows_a,
                       int rows_b) {
    static matrix a[4], b[4], c[4];
    static u8 *on_a = buffer(32 * LANE), *on_b = buffer(32 * LANE),
              *on_c = buffer(32 * LANE);
    static u8 host[3][32 * LANE];
    const ll_layout all[] = {ll_ptx_quad_a(rows_a), ll_ptx_quad_b(rows_b),
                             ll_ptx_quad_c(tc.bits)};
    matrix *const of[] = {a, b, c};
    unsigned bad = 0;
    memset(host, 0, sizeof host);
    for (unsigned q = 0; q < 4; ++q) {
        a[q].fill(8, 4), b[q].fill(4, 8), c[q].fill(8, 8);
    }
    for (unsigned z = 0; z < 96; ++z) {
        const ll_layout &at = all[z / 32];
        const number &t = z / 32 == 2 ? tc : F16;
        for (unsigned r = 0; r < ll_size(at.in, LL_REGISTER); ++r) {
            unsigned i, j;
            place(at, r, z % 32, 0, &i, &j);
            memcpy(host[z / 32] + LANE * (z % 32) + r * t.bits / 8,
                   &t.of[of[z / 32][z / 4 % 4].at(i, j)], t.bits / 8);
        }
    }
    emu_reset();
    cudaMemcpy(on_a, host[0], sizeof host[0], cudaMemcpyHostToDevice);
    cudaMemcpy(on_b, host[1], sizeof host[1], cudaMemcpyHostToDevice);
    cudaMemcpy(on_c, host[2], sizeof host[2], cudaMemcpyHostToDevice);
    auto kernel = one_mma<C, u32, F>;
    LL_LAUNCH(kernel, 1, 32, 0, on_c, on_a, on_b, tc.bits / 4, 2, 2);
    cudaMemcpy(host[0], on_c, sizeof host[0], cudaMemcpyDeviceToHost);
    for (unsigned l = 0; l < 32; ++l) {
        for (unsigned r = 0, q = l / 4 % 4; r < 8; ++r) {
            unsigned i, j;
            place(all[2], r, l, 0, &i, &j);
            bad += sum_at(host[0], tc, l, r, LANE) !=
                   value_of(tc, c[q].at(i, j)) +
                       product(F16, F16, a[q], b[q], i, j, SUM);
        }
    }
    check(!bad && emu_error_count() == 0, name, __LINE__);
    check(emu_stat("mma") == 1, name, __LINE__);
}
#define QUADS(order, rows_a, rows_b)                                        \
    test_quads<float, ll_ptx_mma_m8n8k4_f32_f16_##order>(                   \
        "m8n8k4 f32 " #order, F32, rows_a, rows_b);                         \
    test_quads<u32, ll_ptx_mma_m8n8k4_f16_f16_##order>(                     \
        "m8n8k4 f16 " #order, F16, rows_a, rows_b)

#define MMA(C, W, name, ...) \
    test_mma<C, W, ll_ptx_mma_##name>(#name, __VA_ARGS__)
#define MMA_F(name, ...) MMA(float, unsigned, name, __VA_ARGS__)
#define MMA_H(name, ...) MMA(unsigned, unsigned, name, __VA_ARGS__)
#define MMA_I(name, ...) MMA(int, unsigned, name, __VA_ARGS__)
#define MMA_D(name, ...) MMA(double, double, name, __VA_ARGS__)

#define MMA_INT(k8, k16, k32, a, b, A, B)             \
    MMA_I(m8n8k##k8##_s32_##a, 8, k8, S32, A, B);     \
    MMA_I(m16n8k##k16##_s32_##a, 16, k16, S32, A, B); \
    MMA_I(m16n8k##k32##_s32_##a, 16, k32, S32, A, B)
#define MMA_FP8(name, A, B)                        \
    MMA_F(m16n8k16_f32_##name, 16, 16, F32, A, B); \
    MMA_F(m16n8k32_f32_##name, 16, 32, F32, A, B); \
    MMA_H(m16n8k16_f16_##name, 16, 16, F16, A, B); \
    MMA_H(m16n8k32_f16_##name, 16, 32, F16, A, B)
#define MMA_F8F6F4(a, A) MMA_F(m16n8k32_f32_##a##_f8f6f4, 16, 32, F32, A, A)
#define MMA_MIXED(a, b, A, B)                                  \
    MMA_F(m16n8k32_f32_##a##_##b##_f8f6f4, 16, 32, F32, A, B); \
    MMA_F(m16n8k32_f32_##b##_##a##_f8f6f4, 16, 32, F32, B, A)

static void test_products() {
    MMA_F(m16n8k8_f32_f16, 16, 8, F32, F16, F16);
    MMA_F(m16n8k16_f32_f16, 16, 16, F32, F16, F16);
    MMA_H(m16n8k8_f16_f16, 16, 8, F16, F16, F16);
    MMA_H(m16n8k16_f16_f16, 16, 16, F16, F16, F16);
    MMA_F(m16n8k8_f32_bf16, 16, 8, F32, BF16, BF16);
    MMA_F(m16n8k16_f32_bf16, 16, 16, F32, BF16, BF16);
    MMA_F(m16n8k4_f32_tf32, 16, 4, F32, TF32, TF32);
    MMA_F(m16n8k8_f32_tf32, 16, 8, F32, TF32, TF32);
    MMA_D(m8n8k4_f64_f64, 8, 4, F64, F64, F64);
    MMA_D(m16n8k4_f64_f64, 16, 4, F64, F64, F64);
    MMA_D(m16n8k8_f64_f64, 16, 8, F64, F64, F64);
    MMA_D(m16n8k16_f64_f64, 16, 16, F64, F64, F64);
    MMA_INT(16, 16, 32, s8, s8, S8, S8);
    MMA_INT(16, 16, 32, u8, u8, U8, U8);
    MMA_INT(16, 16, 32, s8_u8, , S8, U8);
    MMA_INT(16, 16, 32, u8_s8, , U8, S8);
    MMA_INT(32, 32, 64, s4, s4, S4, S4);
    MMA_INT(32, 32, 64, u4, u4, U4, U4);
    MMA_INT(32, 32, 64, s4_u4, , S4, U4);
    MMA_INT(32, 32, 64, u4_s4, , U4, S4);
    QUADS(row_row, 1, 1);
    QUADS(row_col, 1, 0);
    QUADS(col_row, 0, 1);
    QUADS(col_col, 0, 0);
    MMA_I(m8n8k128_s32_b1_and_popc, 8, 128, S32, B1, B1, AND);
    MMA_I(m16n8k128_s32_b1_and_popc, 16, 128, S32, B1, B1, AND);
    MMA_I(m16n8k256_s32_b1_and_popc, 16, 256, S32, B1, B1, AND);
    MMA_I(m8n8k128_s32_b1_xor_popc, 8, 128, S32, B1, B1, XOR);
    MMA_I(m16n8k128_s32_b1_xor_popc, 16, 128, S32, B1, B1, XOR);
    MMA_I(m16n8k256_s32_b1_xor_popc, 16, 256, S32, B1, B1, XOR);
    MMA_FP8(e4m3, E4M3, E4M3);
    MMA_FP8(e5m2, E5M2, E5M2);
    MMA_FP8(e4m3_e5m2, E4M3, E5M2);
    MMA_FP8(e5m2_e4m3, E5M2, E4M3);
#if LL_EMULATE /* sm_90 has no other */
    MMA_F8F6F4(e2m1, E2M1);
    MMA_F8F6F4(e2m3, E2M3);
    MMA_F8F6F4(e3m2, E3M2);
    MMA_F8F6F4(e4m3, E4M3);
    MMA_F8F6F4(e5m2, E5M2);
    MMA_MIXED(e2m1, e2m3, E2M1, E2M3);
    MMA_MIXED(e2m1, e5m2, E2M1, E5M2);
    MMA_MIXED(e3m2, e4m3, E3M2, E4M3);
#endif
}

/* ==== wgmma ============================================================== */

/* A and B of 32 bytes of k in shared memory, as layouts of a 64 x k and a COLS
 * x k tile; the sums of a thread are `words` words. */
template <class C, class F>
__global__ void one_wgmma(u8 *c, const u8 *tiles, u64 a, u64 b, unsigned words,
                          const u8 *regs, F multiply) {
    extern __shared__ __align__(1024) u8 s[];
    for (unsigned x = threadIdx.x; x < 16384 / 4; x += 128) {
        ((u32 *)s)[x] = ((const u32 *)tiles)[x];
    }
    ll_ptx_fence_proxy_async();
    __syncthreads();
    C d[128];
    u32 r[4];
    u8 *own = c + 512 * threadIdx.x;
    for (unsigned k = 0; k < words; ++k) {
        d[k] = ((C *)own)[k];
    }
    for (unsigned k = 0; k < 4; ++k) {
        r[k] = ((const u32 *)regs)[4 * threadIdx.x + k];
    }
    const u64 at = (u64)((u32)__cvta_generic_to_shared(s) >> 4 & 0x3fff);
    ll_ptx_wgmma_fence();
    multiply(d, r, a + at, b + at + 512); /* 8 KiB behind A */
    ll_ptx_wgmma_commit_group();
    ll_ptx_wgmma_wait_group<0>(d);
    for (unsigned k = 0; k < words; ++k) {
        ((C *)own)[k] = d[k];
    }
}

/* keep: whether the sums are added to. A comes from memory by swizzle, or from
 * registers where swizzle is 1. */
template <class C, class F>
static void test_wgmma(const char *name, unsigned cols, const number &tc,
                       const number &ta, const number &tb, unsigned swizzle,
                       bool mn_a, bool mn_b, bool keep, F multiply) {
    static matrix a, b, c;
    static u8 *on_c = buffer(65536), *on_t = buffer(16384),
              *on_r = buffer(128 * 16);
    static u8 host[65536], regs[128 * 16];
    const unsigned k = 256 / ta.bits, mode = swizzle == 1 ? 32 : swizzle;
    const unsigned wide = mode * 8 / ta.bits > k ? mode * 8 / ta.bits : k;
    const ll_layout ma = mn_a ? ll_ptx_smem_mn(64, k, ta.bits, mode, 16)
                              : ll_ptx_smem_k(64, wide, ta.bits, mode);
    unsigned all = 8; /* `cols` of them are used */
    while (all < cols) {
        all *= 2;
    }
    const ll_layout mb = mn_b ? ll_ptx_smem_mn(all, k, tb.bits, mode, 16)
                              : ll_ptx_smem_k(all, wide, tb.bits, mode);
    const ll_layout lc = ll_ptx_wgmma_d(64, all, 4);
    const unsigned count = cols / 2;
    const ll_ptx_desc da = ll_ptx_desc_of(ma, 64, k, ta.bits);
    const ll_ptx_desc db = ll_ptx_desc_of(mb, all, k, tb.bits);
    const unsigned slice = k; /* the first of a wider tile */
    unsigned bad = da.err || db.err || lc.err;
    a.fill(64, mn_a ? k : wide);
    b.fill(all, mn_b ? k : wide);
    c.fill(64, all);
    emu_reset();
    memset(host, 0, 16384);
    put_tile(host, ma, ta, a, false);
    put_tile(host + 8192, mb, tb, b, false);
    cudaMemcpy(on_t, host, 16384, cudaMemcpyHostToDevice);
    if (swizzle == 1) {
        put(regs, 16, ll_ptx_wgmma_a(64, k, ta.bits, 4), ta, a, 128);
    }
    cudaMemcpy(on_r, regs, sizeof regs, cudaMemcpyHostToDevice);
    put(host, 512, lc, tc, c, 128);
    cudaMemcpy(on_c, host, sizeof host, cudaMemcpyHostToDevice);
    auto kernel = one_wgmma<C, F>;
    LL_LAUNCH(kernel, 1, 128, 16384, on_c, on_t, ll_ptx_desc_wgmma(da, 0),
              ll_ptx_desc_wgmma(db, 0), count * tc.bits / 32, on_r, multiply);
    cudaMemcpy(host, on_c, sizeof host, cudaMemcpyDeviceToHost);
    for (unsigned x = 0; x < 128 && !bad; ++x) {
        for (unsigned r = 0; r < count; ++r) {
            unsigned i, j;
            double want = 0;
            place(lc, r, x % 32, x / 32, &i, &j);
            for (unsigned z = 0; z < slice; ++z) {
                want += value_of(ta, a.at(i, z)) * value_of(tb, b.at(j, z));
            }
            want += keep ? value_of(tc, c.at(i, j)) : 0;
            bad += sum_at(host, tc, x, r, 512) != want;
        }
    }
    check(!bad && emu_error_count() == 0, name, __LINE__);
    check(emu_stat("wgmma.mma_async") == 4, name, __LINE__);
}
#define WGMMA(C, COLS, tc, ta, tb, swizzle, mn_a, mn_b, keep, ...)           \
    test_wgmma<C>(#__VA_ARGS__, COLS, tc, ta, tb, swizzle, mn_a, mn_b, keep, \
                  [] ON_DEVICE(C *d, const u32 *r, u64 a, u64 b) {           \
                      (void)r, (void)a;                                      \
                      __VA_ARGS__;                                           \
                  })
#define BOTH(C, tc, name, ta, tb)               \
    WGMMA(C, 32, tc, ta, tb, 128, 0, 0, 1,      \
          ll_ptx_wgmma_##name<32>(d, a, b, 1)); \
    WGMMA(C, 16, tc, ta, tb, 1, 0, 0, 0,        \
          ll_ptx_wgmma_##name##_ra<16>(d, r, b, 0))

/* The functions of all numbers of columns are made of two tables. */
template <unsigned COLS> struct to_f32 {
    __device__ void operator()(float *d, const u32 *, u64 a, u64 b) const {
        ll_ptx_wgmma_f32_bf16<COLS>(d, a, b, 1);
    }
};
template <unsigned COLS> struct to_f16 {
    __device__ void operator()(u32 *d, const u32 *r, u64, u64 b) const {
        ll_ptx_wgmma_f16_f16_ra<COLS>(d, r, b, 1);
    }
};
template <unsigned COLS> struct to_s32 {
    __device__ void operator()(int *d, const u32 *, u64 a, u64 b) const {
        ll_ptx_wgmma_s32_s8<COLS>(d, a, b, 1);
    }
};

template <unsigned COLS> static void test_all_columns() {
    test_wgmma<float>("f32 of all columns", COLS, F32, BF16, BF16, 32, 0, 0, 1,
                      to_f32<COLS>());
    test_wgmma<u32>("f16 of all columns", COLS, F16, F16, F16, 1, 0, 0, 1,
                    to_f16<COLS>());
    if constexpr (COLS % 16 == 0 || COLS == 24) {
        test_wgmma<int>("s32 of all columns", COLS, S32, S8, S8, 32, 0, 0, 1,
                        to_s32<COLS>());
    }
    if constexpr (COLS < 256) {
        test_all_columns<COLS + 8>();
    }
}

static void test_wgmmas() {
    WGMMA(float, 64, F32, BF16, BF16, 128, 0, 0, 1,
          ll_ptx_wgmma_f32_bf16<64>(d, a, b, 1));
    WGMMA(float, 64, F32, BF16, BF16, 64, 0, 0, 0,
          ll_ptx_wgmma_f32_bf16<64>(d, a, b, 0));
    WGMMA(float, 8, F32, F16, F16, 32, 0, 0, 1,
          ll_ptx_wgmma_f32_f16<8>(d, a, b, 1));
    WGMMA(float, 64, F32, F16, F16, 0, 0, 0, 1,
          ll_ptx_wgmma_f32_f16<64>(d, a, b, 1));
    WGMMA(float, 64, F32, F16, F16, 128, 1, 1, 1,
          (ll_ptx_wgmma_f32_f16<64, 1, 1>(d, a, b, 1)));
    WGMMA(float, 64, F32, BF16, BF16, 64, 0, 1, 0,
          (ll_ptx_wgmma_f32_bf16<64, 0, 1>(d, a, b, 0)));
    WGMMA(float, 32, F32, F16, F16, 32, 1, 0, 1,
          (ll_ptx_wgmma_f32_f16<32, 1, 0>(d, a, b, 1)));
    WGMMA(float, 64, F32, F16, F16, 1, 0, 1, 1,
          (ll_ptx_wgmma_f32_f16_ra<64, 1>(d, r, b, 1)));
    BOTH(float, F32, f32_f16, F16, F16);
    BOTH(float, F32, f32_bf16, BF16, BF16);
    BOTH(float, F32, f32_tf32, TF32, TF32);
    BOTH(float, F32, f32_e4m3, E4M3, E4M3);
    BOTH(float, F32, f32_e4m3_e5m2, E4M3, E5M2);
    BOTH(float, F32, f32_e5m2_e4m3, E5M2, E4M3);
    BOTH(float, F32, f32_e5m2, E5M2, E5M2);
    BOTH(u32, F16, f16_f16, F16, F16);
    BOTH(u32, F16, f16_e4m3, E4M3, E4M3);
    BOTH(u32, F16, f16_e4m3_e5m2, E4M3, E5M2);
    BOTH(u32, F16, f16_e5m2_e4m3, E5M2, E4M3);
    BOTH(u32, F16, f16_e5m2, E5M2, E5M2);
    BOTH(int, S32, s32_s8, S8, S8);
    BOTH(int, S32, s32_s8_u8, S8, U8);
    BOTH(int, S32, s32_u8_s8, U8, S8);
    BOTH(int, S32, s32_u8, U8, U8);
    BOTH(int, S32, s32_b1_and_popc, B1, B1);
    test_all_columns<8>();
}

/* ==== Products by layout ================================================= */

LL_LAYOUT(LEFT, ll_ptx_mma_a(32, 32, 16, 2));
LL_LAYOUT(RIGHT, ll_ptx_mma_b(32, 16, 16, 2));
LL_LAYOUT(TOTAL, ll_ptx_mma_c(32, 16, 2));
LL_LAYOUT(LEFT2, ll_tiled(ll_ptx_fragment_a(16, 32, 8),
                          ll_shape_of("j=64 i=32"), ll_shape_of("i=2 k=2")));
LL_LAYOUT(RIGHT2, ll_tiled(ll_ptx_fragment_b(32, 8, 8),
                           ll_shape_of("j=32 i=64"), ll_shape_of("k=2 j=2")));
LL_LAYOUT(TOTAL2, ll_tiled(ll_ptx_fragment_c(16, 8), ll_shape_of("j=32 i=32"),
                           ll_shape_of("i=2 j=2")));

template <class A, class B> __device__ void fill(A &a, const B *from) {
    for (unsigned k = 0; k < sizeof a / 4; ++k) {
        a[k] = from[16 * threadIdx.x + k];
    }
}

__global__ void by_layout(float *c, const u32 *a, const u32 *b) {
    u32 left[LL_WORDS(LEFT, 16)], right[LL_WORDS(RIGHT, 16)];
    float sum[LL_REGS(TOTAL)];
    fill(left, a);
    fill(right, b);
    fill(sum, c);
    LL_MMA(sum, TOTAL, left, LEFT, right, RIGHT, 16,
           ll_ptx_mma_m16n8k16_f32_bf16);
    for (unsigned k = 0; k < LL_REGS(TOTAL); ++k) {
        c[16 * threadIdx.x + k] = sum[k];
    }
}

__global__ void by_layout_2(int *c, const u32 *a, const u32 *b) {
    u32 left[LL_WORDS(LEFT2, 8)], right[LL_WORDS(RIGHT2, 8)];
    int sum[LL_REGS(TOTAL2)];
    fill(left, a);
    fill(right, b);
    fill(sum, c);
    LL_MMA(sum, TOTAL2, left, LEFT2, right, RIGHT2, 8,
           ll_ptx_mma_m16n8k32_s32_s8);
    for (unsigned k = 0; k < LL_REGS(TOTAL2); ++k) {
        c[16 * threadIdx.x + k] = sum[k];
    }
}

template <class C>
static void test_layout(void (*kernel)(C *, const u32 *, const u32 *),
                        ll_layout la, ll_layout lb, ll_layout lc,
                        const number &tc, const number &t) {
    static matrix a, b, c;
    static u8 host[128 * 64];
    const unsigned threads = 32 * ll_size(lc.in, LL_WARP),
                   regs = ll_size(lc.in, LL_REGISTER);
    u8 *on[3];
    unsigned bad = 0;
    a.fill(ll_size(la.out, LL_I), ll_size(la.out, LL_J));
    b.fill(ll_size(lb.out, LL_I), ll_size(lb.out, LL_J));
    c.fill(a.rows, b.cols);
    for (int k = 0; k < 3; ++k) {
        on[k] = buffer(sizeof host);
        put(host, 64,
            k == 0   ? lc
            : k == 1 ? la
                     : lb,
            k ? t : tc,
            k == 0   ? c
            : k == 1 ? a
                     : b,
            threads);
        cudaMemcpy(on[k], host, sizeof host, cudaMemcpyHostToDevice);
    }
    emu_reset();
    LL_LAUNCH(kernel, 1, threads, 0, (C *)on[0], (u32 *)on[1], (u32 *)on[2]);
    cudaMemcpy(host, on[0], sizeof host, cudaMemcpyDeviceToHost);
    for (unsigned x = 0; x < threads; ++x) {
        for (unsigned r = 0; r < regs; ++r) {
            unsigned i, j;
            place(lc, r, x % 32, x / 32, &i, &j);
            bad += sum_at(host, tc, x, r, 64) !=
                   value_of(tc, c.at(i, j)) + product(t, t, a, b, i, j, SUM);
        }
    }
    CHECK(!bad && emu_error_count() == 0);
    cudaFree(on[0]), cudaFree(on[1]), cudaFree(on[2]);
}

#if LL_EMULATE
/* ==== Boxes of tensors =================================================== */

/* One box comes, all its bytes are noted as they lie, and it leaves for the
 * second tensor. */
template <unsigned DIMS>
__global__ void box(u8 *noted, const __grid_constant__ CUtensorMap from,
                    const __grid_constant__ CUtensorMap to, int x, int y,
                    unsigned bytes) {
    extern __shared__ __align__(1024) u8 s[];
    const u32 at = (u32)__cvta_generic_to_shared(s), bar = at + bytes;
    if (threadIdx.x == 0) {
        ll_ptx_mbarrier_init(bar, 1);
        ll_ptx_fence_mbarrier_init();
        ll_ptx_mbarrier_arrive_expect_tx(bar, bytes);
        if constexpr (DIMS == 1) {
            ll_ptx_cp_async_bulk_tensor_load_1d(at, &from, bar, x);
        } else if constexpr (DIMS == 2) {
            ll_ptx_cp_async_bulk_tensor_load_2d(at, &from, bar, x, y);
        } else if constexpr (DIMS == 3) {
            ll_ptx_cp_async_bulk_tensor_load_3d(at, &from, bar, x, y, 1);
        } else if constexpr (DIMS == 4) {
            ll_ptx_cp_async_bulk_tensor_load_4d(at, &from, bar, x, y, 1, 0);
        } else {
            ll_ptx_cp_async_bulk_tensor_load_5d(at, &from, bar, x, y, 1, 0, 2);
        }
    }
    __syncthreads();
    ll_ptx_mbarrier_wait(bar, 0);
    for (u32 k = threadIdx.x; k < bytes; k += 32) {
        noted[k] = s[k];
    }
    if (threadIdx.x == 0) {
        if constexpr (DIMS == 1) {
            ll_ptx_cp_async_bulk_tensor_store_1d(&to, at, x);
        } else if constexpr (DIMS == 2) {
            ll_ptx_cp_async_bulk_tensor_store_2d(&to, at, x, y);
        } else if constexpr (DIMS == 3) {
            ll_ptx_cp_async_bulk_tensor_store_3d(&to, at, x, y, 1);
        } else if constexpr (DIMS == 4) {
            ll_ptx_cp_async_bulk_tensor_store_4d(&to, at, x, y, 1, 0);
        } else {
            ll_ptx_cp_async_bulk_tensor_store_5d(&to, at, x, y, 1, 0, 2);
        }
        ll_ptx_cp_async_bulk_commit_group();
        ll_ptx_cp_async_bulk_wait_group<0>();
    }
}

/* A tensor of 16-bit elements of 48 x 5 x 3 x 2 x 3, rows 112 bytes apart. */
template <unsigned DIMS>
static void test_box(int x, int y, unsigned swizzle,
                     CUtensorMapSwizzle mode) {
    const cuuint64_t dims[] = {48, 5, 3, 2, 3};
    const cuuint64_t strides[] = {112, 560, 1680, 3360};
    const cuuint32_t size[] = {16, 4, 2, 2, 1}, steps[] = {1, 1, 1, 1, 1};
    const int start[] = {x, y, 1, 0, 2};
    const unsigned all = 10080;
    static u8 *from = buffer(all), *to = buffer(all), *noted = buffer(4096);
    static unsigned short host[10080 / 2], back[10080 / 2], seen[2048];
    CUtensorMap map[2];
    unsigned bytes = 2, bad = 0;
    for (unsigned k = 0; k < all / 2; ++k) {
        host[k] = (unsigned short)(k + 1);
    }
    cudaMemcpy(from, host, all, cudaMemcpyHostToDevice);
    cudaMemset(to, 0, all);
    for (int k = 0; k < 2; ++k) {
        bad += cuTensorMapEncodeTiled(
                   &map[k], CU_TENSOR_MAP_DATA_TYPE_UINT16, DIMS,
                   k ? to : from, dims, strides, size, steps,
                   CU_TENSOR_MAP_INTERLEAVE_NONE, mode,
                   CU_TENSOR_MAP_L2_PROMOTION_NONE,
                   CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS;
    }
    for (unsigned d = 0; d < DIMS; ++d) {
        bytes *= size[d];
    }
    emu_reset();
    auto kernel = box<DIMS>;
    LL_LAUNCH(kernel, 1, 32, bytes + 16, noted, map[0], map[1], x, y, bytes);
    cudaMemcpy(seen, noted, bytes, cudaMemcpyDeviceToHost);
    cudaMemcpy(back, to, all, cudaMemcpyDeviceToHost);
    const ll_layout swap = ll_ptx_tma(swizzle, 16, 0);
    const unsigned pattern = ll_size(swap.in, LL_OFFSET);
    unsigned stored = 0, inside = 0;
    for (unsigned k = 0; k < bytes / 2; ++k) {
        unsigned rest = k, place = 0, in = 1;
        for (unsigned d = 0; d < DIMS; rest /= size[d], ++d) {
            const int c = start[d] + (int)(rest % size[d]);
            in = in && c >= 0 && c < (int)dims[d];
            place += (unsigned)c * (d ? (unsigned)strides[d - 1] / 2 : 1u);
        }
        const unsigned at = 2 * k / pattern * pattern +
                            ll_apply(swap, 2 * k % pattern);
        bad += seen[at / 2] != (in ? host[place] : 0);
        bad += in && back[place] != host[place];
        inside += in;
    }
    for (unsigned k = 0; k < all / 2; ++k) {
        stored += back[k] != 0;
    }
    CHECK(!bad && stored == inside && inside && emu_error_count() == 0);
}

/* Block 1 of a cluster sends 64 bytes to both. */
__global__ void multicast(u32 *out, const u32 *in) {
    __shared__ __align__(128) u32 s[16];
    __shared__ __align__(8) unsigned long long memory[1];
    const u32 bar = (u32)__cvta_generic_to_shared(memory);
    if (threadIdx.x == 0) {
        ll_ptx_mbarrier_init(bar, 1);
        ll_ptx_fence_mbarrier_init();
        ll_ptx_mbarrier_arrive_expect_tx(bar, 64);
    }
    ll_ptx_barrier_cluster_arrive();
    ll_ptx_barrier_cluster_wait();
    if (threadIdx.x == 0 && ll_ptx_cluster_ctarank() == 1) {
        ll_ptx_cp_async_bulk_load_multicast((u32)__cvta_generic_to_shared(s),
                                            (u64)in, 64, bar, 3);
    }
    ll_ptx_mbarrier_wait(bar, 0);
    if (threadIdx.x < 16) {
        out[16 * blockIdx.x + threadIdx.x] = s[threadIdx.x];
    }
    ll_ptx_barrier_cluster_arrive();
    ll_ptx_barrier_cluster_wait();
}

/* Lane l of each of two blocks sends 16, 8 and 4 bytes to lane l ^ 1 of the
 * other one. */
__global__ void sends(u32 *out, const u32 *in) {
    __shared__ __align__(16) u32 s[32 * 8];
    __shared__ __align__(8) unsigned long long memory[1];
    const u32 bar = (u32)__cvta_generic_to_shared(memory);
    const u32 rank = ll_ptx_cluster_ctarank(), l = threadIdx.x;
    const u32 *x = in + (rank * 32 + l) * 7;
    if (l == 0) {
        ll_ptx_mbarrier_init(bar, 1);
        ll_ptx_fence_mbarrier_init();
        ll_ptx_mbarrier_arrive_expect_tx(bar, 32 * 28);
    }
    ll_ptx_barrier_cluster_arrive();
    ll_ptx_barrier_cluster_wait();
    const u32 far = ll_ptx_mapa(bar, rank ^ 1);
    const u32 to = ll_ptx_mapa((u32)__cvta_generic_to_shared(s), rank ^ 1) +
                   32 * (l ^ 1);
    ll_ptx_st_async_b128(to, {x[0], x[1], x[2], x[3]}, far);
    ll_ptx_st_async_b64(to + 16, {x[4], x[5]}, far);
    ll_ptx_st_async_b32(to + 24, {x[6]}, far);
    ll_ptx_mbarrier_wait(bar, 0);
    for (u32 k = 0; k < 7; k++) {
        out[(rank * 32 + l) * 7 + k] = s[8 * l + k];
    }
    ll_ptx_barrier_cluster_arrive();
    ll_ptx_barrier_cluster_wait();
}

static void test_sends() {
    enum { N = 2 * 32 * 7 };
    u32 *in = 0, *out = 0, host[N], back[N], bad = 0;
    for (u32 k = 0; k < N; k++) {
        host[k] = (k + 1) * 2654435761u;
    }
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    emu_reset();
    emu_run_clusters("sends", sends, 2, 32, 2, 0, out, (const u32 *)in);
    cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost);
    for (u32 k = 0; k < N; k++) {
        bad += back[k] != host[((k / 7) ^ 33) * 7 + k % 7];
    }
    CHECK(!bad && emu_error_count() == 0);
    CHECK(emu_stat("st.async") == 6);
    cudaFree(in);
    cudaFree(out);
}

/* Block 1 waits at the barrier after block 0 has, and tells it so. */
__global__ void late(u32 *out) {
    __shared__ __align__(8) unsigned long long memory[1];
    const u32 bar = (u32)__cvta_generic_to_shared(memory);
    const u32 rank = ll_ptx_cluster_ctarank();
    if (threadIdx.x == 0) {
        ll_ptx_mbarrier_init(bar, 1);
        ll_ptx_fence_mbarrier_init();
    }
    ll_ptx_barrier_cluster_arrive();
    ll_ptx_barrier_cluster_wait();
    ll_ptx_barrier_cluster_arrive();
    for (u32 turn = 0; turn < 2; turn++) {
        if (turn == rank) {
            ll_ptx_barrier_cluster_wait();
            if (threadIdx.x == 0) {
                ll_ptx_mbarrier_arrive_cluster(ll_ptx_mapa(bar, rank ^ 1));
            }
        } else {
            ll_ptx_mbarrier_wait(bar, 0);
        }
    }
    out[32 * rank + threadIdx.x] = rank;
}

static void test_late() {
    u32 *out = 0, host[64], bad = 0;
    cudaMalloc(&out, sizeof host);
    emu_reset();
    emu_run_clusters("late", late, 2, 32, 2, 0, out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (u32 k = 0; k < 64; k++) {
        bad += host[k] != k / 32;
    }
    CHECK(!bad && emu_error_count() == 0);
    cudaFree(out);
}

static void test_boxes() {
    work w = fresh();
    int bad = 0;
    test_box<1>(40, 0, 0, CU_TENSOR_MAP_SWIZZLE_NONE);
    test_box<2>(-3, 2, 32, CU_TENSOR_MAP_SWIZZLE_32B);
    test_box<2>(5, -1, 64, CU_TENSOR_MAP_SWIZZLE_64B);
    test_box<3>(8, 3, 128, CU_TENSOR_MAP_SWIZZLE_128B);
    test_box<4>(33, 0, 0, CU_TENSOR_MAP_SWIZZLE_NONE);
    test_box<5>(-8, 4, 32, CU_TENSOR_MAP_SWIZZLE_32B);
    emu_reset();
    emu_run_clusters("multicast", multicast, 2, 32, 2, 0, (u32 *)w.out,
                     (u32 *)w.in);
    for (int i = 0; i < 128; i++) {
        bad += at(w.out, i) != at(w.in, i % 64);
    }
    CHECK(!bad && emu_error_count() == 0);
}

/* A rank and a number known at run time: slices of rows, of columns, of a tile
 * whose boxes are turned. */
LL_LAYOUT(BY_ROWS, ll_ptx_smem_k(256, 128, 16, 128));
LL_LAYOUT(BY_COLS, ll_ptx_smem_k(8, 512, 16, 128));
LL_LAYOUT(TURNED, ll_ptx_smem_mn(256, 64, 16, 128, 16));

__global__ void ranks(ll_ptx_box *to) {
    const unsigned rank = threadIdx.x / 32, n = threadIdx.x % 32;
    to += threadIdx.x;
    to[0] = LL_MULTICAST_BOX(BY_ROWS, 256, 128, 16, 4, rank, n);
    to[512] = LL_MULTICAST_BOX(BY_COLS, 8, 512, 16, 2, rank, n);
    to[1024] = LL_MULTICAST_BOX(TURNED, 256, 64, 16, 8, rank, n);
}

static void test_ranks() {
    static const struct {
        ll_layout tile;
        unsigned rows, cols, blocks;
    } all[] = {{LL_GET(BY_ROWS), 256, 128, 4},
               {LL_GET(BY_COLS), 8, 512, 2},
               {LL_GET(TURNED), 256, 64, 8}};
    static ll_ptx_box host[3 * 512];
    ll_ptx_box *to;
    unsigned bad = 0, there = 0;
    cudaMalloc((void **)&to, sizeof host);
    emu_reset();
    LL_LAUNCH(ranks, 1, 512, 0, to);
    cudaMemcpy(host, to, sizeof host, cudaMemcpyDeviceToHost);
    for (unsigned x = 0; x < 3 * 512; ++x) {
        const auto &t = all[x / 512];
        const ll_ptx_box want = ll_ptx_multicast_box(
            t.tile,
            ll_ptx_multicast_of(t.tile, t.rows, t.cols, 16, t.blocks), t.rows,
            t.cols, 16, x % 512 / 32, x % 32);
        there += want.at != ~0u;
        bad += want.at != host[x].at ||
               (want.at != ~0u &&
                (want.i != host[x].i || want.j != host[x].j));
    }
    CHECK(!bad && there > 20u && emu_error_count() == 0);
}

/* ==== From memory to memory ============================================== */

LL_LAYOUT(V_ROWS, ll_ptx_smem_k(64, 128, 8, 128));
LL_LAYOUT(V_COLS, ll_trans(ll_ptx_smem_k(128, 64, 8, 64), "j i"));
LL_LAYOUT(BETWEEN, ll_ptx_between(LL_GET(V_ROWS), LL_GET(V_COLS), 8, 4,
                                  LL_SM90));
LL_PLAN_THROUGH(V_IN, BETWEEN, BETWEEN, 8, LL_SM90, LL_GET(V_ROWS));
LL_PLAN_THROUGH(V_OUT, BETWEEN, BETWEEN, 8, LL_SM90, LL_GET(V_COLS));

/* A tile of bytes as it came becomes one of the other axis, for TMA's engine. */
__global__ void turn(u8 *out, const u8 *in) {
    __shared__ __align__(1024) u8 rows[8192], cols[8192];
    u32 v[LL_WORDS(BETWEEN, 8)];
    for (u32 k = threadIdx.x; k < 8192; k += 128) {
        rows[k] = in[k];
    }
    __syncthreads();
    LL_LOAD_SHARED(v, V_IN, rows);
    LL_STORE_SHARED(v, V_OUT, cols);
    ll_ptx_fence_proxy_async();
    __syncthreads();
    if (threadIdx.x == 0) {
        ll_ptx_cp_async_bulk_store((u64)out,
                                   (u32)__cvta_generic_to_shared(cols), 8192);
        ll_ptx_cp_async_bulk_commit_group();
        ll_ptx_cp_async_bulk_wait_group<0>();
    }
}

static void test_turn() {
    work w = fresh();
    int bad = 0;
    LL_LAUNCH(turn, 1, 128, 0, w.out, w.in);
    const ll_layout rows = ll_inv(LL_GET(V_ROWS)), cols = ll_inv(LL_GET(V_COLS));
    for (unsigned i = 0; i < 64; ++i) {
        for (unsigned j = 0; j < 128; ++j) {
            const unsigned from = ll_apply(rows, ll_pack(rows.in, LL_I, i) ^
                                                     ll_pack(rows.in, LL_J, j));
            const unsigned to = ll_apply(cols, ll_pack(cols.in, LL_I, i) ^
                                                   ll_pack(cols.in, LL_J, j));
            bad += at(w.in, (int)from) != at(w.out, (int)to);
        }
    }
    CHECK(!bad && emu_error_count() == 0);
}

#endif

static void test_all_products() {
    test_products();
    test_wgmmas();
    test_layout(by_layout, LL_GET(LEFT), LL_GET(RIGHT), LL_GET(TOTAL), F32,
                BF16);
    test_layout(by_layout_2, LL_GET(LEFT2), LL_GET(RIGHT2), LL_GET(TOTAL2), S32,
                S8);
}

#if LL_EMULATE
int main() {
    test_ranks();
    test_turn();
    test_boxes();
    test_sends();
    test_late();
    test_all_products();
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
#endif
