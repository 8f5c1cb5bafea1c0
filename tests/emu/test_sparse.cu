/* test_sparse.cu - products of mma.sync with a sparse A or with scales, and of
 * wgmma with a sparse A, on the emulator, against their definition: operands,
 * metadata and scales are put where the layouts say that they are.
 * SPDX-License-Identifier: MIT
 */
#define LL_TENSOR
#include <cuda_runtime.h>
#include "../../ll_ptx.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BYTES = 1 << 16 };
#include "instructions.h"
#include "numbers.h"

/* What a lane holds: 64 bytes each of c, a and b, and three words. */
enum { LANE = 64 };

template <class F>
__global__ void one(u8 *c, const u8 *a, const u8 *b, const u32 *more, F f) {
    u32 x[8], y[16], z[16];
    for (unsigned k = 0; k < 16; ++k) {
        x[k % 8] = ((u32 *)(c + LANE * threadIdx.x))[k % 8];
        y[k] = ((const u32 *)(a + LANE * threadIdx.x))[k];
        z[k] = ((const u32 *)(b + LANE * threadIdx.x))[k];
    }
    more += 4 * threadIdx.x;
    f(x, y, z, more[0], more[1], more[2]);
    for (unsigned k = 0; k < 8; ++k) {
        ((u32 *)(c + LANE * threadIdx.x))[k] = x[k];
    }
}

/* A product: its k, types, and what it takes besides. */
struct form {
    unsigned k;
    const number *tc, *ta, *tb;
    bool sparse;
    unsigned select, scales; /* 0 scales: none */
    bool e4m3;
    unsigned byte_a, lane_a, byte_b, lane_b;
};

/* The places in a group of a sparse row, and the four bits that say so. */
struct groups {
    unsigned size; /* elements of a group; half of them are stored */
    unsigned char bits[64][64];
    void fill(unsigned k, unsigned element_bits) {
        static const u8 all[] = {0x4, 0x8, 0x9, 0xc, 0xd, 0xe};
        static const u8 wide[] = {0x4, 0xe};
        size = element_bits == 32 ? 2 : element_bits == 4 ? 8 : 4;
        for (unsigned i = 0; i < 64; ++i) {
            for (unsigned g = 0; g < k / size; ++g) {
                bits[i][g] = size == 2 ? wide[drawn(2)] : all[drawn(6)];
            }
        }
    }
    /* The column of element n of those stored in row i. */
    unsigned column(unsigned i, unsigned n) const {
        const unsigned g = n / (size / 2), at = n % (size / 2);
        const unsigned v = bits[i][g];
        return g * size + (size == 2   ? (v & 3) / 2
                           : size == 8 ? 2 * (at < 2 ? v & 3 : v >> 2) + at % 2
                           : at        ? v >> 2
                                       : v & 3);
    }
};

/* The bits of a lane that a layout leaves free, as the number n in them. */
static bool is_chosen(const ll_layout &f, unsigned lane, unsigned n) {
    unsigned at = 0;
    for (unsigned bit = 0; bit < 5; ++bit) {
        if (!f.basis[f.in.bits[0] + bit]) {
            if ((lane >> bit & 1) != (n >> at++ & 1)) {
                return false;
            }
        }
    }
    return true;
}

/* The word of metadata of a lane, for 16 rows from `first` on. */
static u32 metadata_of(const ll_layout &e, const groups &g, unsigned lane,
                       unsigned first = 0) {
    const unsigned regs = ll_size(e.in, LL_REGISTER);
    u32 word = 0;
    for (unsigned r = 0; r < regs; r += g.size) {
        unsigned i, j;
        place(e, r, lane, 0, &i, &j);
        word |= (u32)g.bits[first + i][j / g.size] << (r * 32 / regs);
    }
    return word;
}

static u8 pattern_of(const form &f, int power) {
    return (u8)(f.e4m3 ? 0x38 + 8 * power : 127 + power);
}

template <class F>
static void test(const char *name, const form &f, F multiply) {
    static matrix a, b, c, full;
    static groups g;
    static u8 *on_a = buffer(32 * LANE), *on_b = buffer(32 * LANE),
              *on_c = buffer(32 * LANE), *on_more = buffer(32 * 16);
    static u8 host[32 * LANE];
    int power[2][16][4];
    u32 more[32][4];
    const unsigned stored = f.sparse ? f.k / 2 : f.k;
    const ll_layout la = ll_ptx_fragment_a(16, stored, f.ta->bits);
    const ll_layout lb = ll_ptx_fragment_b(f.k, 8, f.tb->bits);
    const ll_layout lc = ll_ptx_fragment_c(16, 8);
    const ll_layout le = ll_ptx_sparse_e(f.sparse ? f.k : 32,
                                         f.sparse ? f.ta->bits : 16);
    const ll_layout sa = ll_ptx_scale_a(f.scales ? f.scales : 1);
    const ll_layout sb = ll_ptx_scale_b(f.scales ? f.scales : 1);
    unsigned bad = la.err || lb.err || lc.err || le.err || sa.err || sb.err;
    a.fill(16, stored);
    b.fill(f.k, 8);
    c.fill(16, 8);
    full.fill(16, f.k);
    memset(full.x, 0, sizeof full.x);
    g.fill(f.k, f.ta->bits);
    for (unsigned i = 0; i < 16; ++i) {
        for (unsigned n = 0; n < stored; ++n) {
            full.at(i, f.sparse ? g.column(i, n) : n) = a.at(i, n);
        }
    }
    for (int k = 0; k < 128; ++k) {
        power[k / 64][k / 4 % 16][k % 4] = (int)drawn(3) - 1;
    }
    for (unsigned l = 0; l < 32; ++l) {
        memset(more[l], 0xff, 16);
        more[l][0] = is_chosen(le, l, f.select) ? metadata_of(le, g, l) : ~0u;
        for (unsigned s = 0; s < f.scales; ++s) {
            unsigned i, j;
            place(sa, s, l, 0, &i, &j);
            if (is_chosen(sa, l, f.lane_a)) {
                ((u8 *)&more[l][1])[f.byte_a + s] =
                    pattern_of(f, power[0][i][j]);
            }
            place(sb, s, l, 0, &i, &j);
            if (is_chosen(sb, l, f.lane_b)) {
                ((u8 *)&more[l][2])[f.byte_b + s] =
                    pattern_of(f, power[1][j][i]);
            }
        }
    }
    emu_reset();
    put(host, LANE, la, *f.ta, a, 32);
    cudaMemcpy(on_a, host, sizeof host, cudaMemcpyHostToDevice);
    put(host, LANE, lb, *f.tb, b, 32);
    cudaMemcpy(on_b, host, sizeof host, cudaMemcpyHostToDevice);
    put(host, LANE, lc, *f.tc, c, 32);
    cudaMemcpy(on_c, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemcpy(on_more, more, sizeof more, cudaMemcpyHostToDevice);
    LL_LAUNCH(one<F>, 1, 32, 0, on_c, on_a, on_b, (u32 *)on_more, multiply);
    cudaMemcpy(host, on_c, sizeof host, cudaMemcpyDeviceToHost);
    for (unsigned l = 0; l < 32 && !bad; ++l) {
        for (unsigned r = 0; r < 4; ++r) {
            unsigned i, j;
            double want;
            place(lc, r, l, 0, &i, &j);
            want = value_of(*f.tc, c.at(i, j));
            for (unsigned k = 0; k < f.k; ++k) {
                const unsigned s = f.scales ? k / (f.k / f.scales) : 0;
                const double x = value_of(*f.ta, full.at(i, k)) *
                                 value_of(*f.tb, b.at(k, j));
                want += f.scales
                            ? ldexp(x, power[0][i][s] + power[1][j][s])
                            : x;
            }
            bad += sum_at(host, *f.tc, l, r, LANE) != want;
        }
    }
    check(!bad && emu_error_count() == 0, name, __LINE__);
    check(emu_stat("mma") == 1, name, __LINE__);
}

#define CALL(C, ...)                                                        \
    [] ON_DEVICE(void *p, const u32 *a, const u32 *b, u32 e, u32 sa,        \
                 u32 sb) {                                                  \
        C *c = (C *)p;                                                      \
        (void)e, (void)sa, (void)sb;                                        \
        __VA_ARGS__;                                                        \
    }
#define SPARSE(C, k, tc, ta, tb, select, name)                              \
    test(#name, form{k, &tc, &ta, &tb, true, select, 0, false, 0, 0, 0, 0}, \
         CALL(C, ll_ptx_mma_sp_m16n8k##name<select>(c, a, b, e)))
#define SCALED(k, ta, tb, n, e4m3, ba, la, bb, lb, name)                    \
    test(#name, form{k, &F32, &ta, &tb, false, 0, n, e4m3, ba, la, bb, lb}, \
         CALL(float, ll_ptx_mma_m16n8k##name<ba, la, bb, lb>(c, a, b, sa,   \
                                                             sb)))
#define SPARSE_SCALED(k, ta, tb, n, e4m3, ba, la, bb, lb, name)             \
    test(#name, form{k, &F32, &ta, &tb, true, 0, n, e4m3, ba, la, bb, lb},  \
         CALL(float, ll_ptx_mma_sp_m16n8k##name<ba, la, bb, lb>(            \
                         c, a, b, e, sa, sb)))
#define SPARSE_INT(s, S, u, U, k, t, select)                                \
    SPARSE(int, k, S32, S, S, select, k##_s32_##s);                         \
    SPARSE(int, k, S32, S, U, select, k##_s32_##s##_##u);                   \
    SPARSE(int, k, S32, U, S, select, k##_s32_##u##_##s);                   \
    SPARSE(int, k, S32, U, U, select, k##_s32_##u)

static void test_sparse() {
    SPARSE(float, 16, F32, F16, F16, 0, 16_f32_f16);
    SPARSE(float, 16, F32, F16, F16, 3, 16_f32_f16);
    SPARSE(u32, 16, F16, F16, F16, 2, 16_f16_f16);
    SPARSE(float, 16, F32, BF16, BF16, 1, 16_f32_bf16);
    SPARSE(float, 32, F32, F16, F16, 0, 32_f32_f16);
    SPARSE(u32, 32, F16, F16, F16, 1, 32_f16_f16);
    SPARSE(float, 32, F32, BF16, BF16, 1, 32_f32_bf16);
    SPARSE(float, 8, F32, TF32, TF32, 2, 8_f32_tf32);
    SPARSE(float, 16, F32, TF32, TF32, 1, 16_f32_tf32);
    SPARSE_INT(s8, S8, u8, U8, 32, 8, 1);
    SPARSE_INT(s8, S8, u8, U8, 64, 8, 0);
    SPARSE_INT(s4, S4, u4, U4, 64, 4, 1);
    SPARSE_INT(s4, S4, u4, U4, 128, 4, 0);
    SPARSE(float, 64, F32, E4M3, E4M3, 0, 64_f32_e4m3);
    SPARSE(float, 64, F32, E4M3, E5M2, 0, 64_f32_e4m3_e5m2);
    SPARSE(float, 64, F32, E5M2, E4M3, 0, 64_f32_e5m2_e4m3);
}

#if LL_EMULATE /* sm_90 has no other */
static void test_f8f6f4() {
    SPARSE(float, 64, F32, E2M1, E3M2, 0, 64_f32_e2m1_e3m2_f8f6f4);
    SPARSE(float, 64, F32, E2M3, E4M3, 0, 64_f32_e2m3_e4m3_f8f6f4);
    SPARSE(u32, 64, F16, E5M2, E2M1, 0, 64_f16_e5m2_e2m1_f8f6f4);
    SPARSE(u32, 64, F16, E5M2, E5M2, 0, 64_f16_e5m2);
}

static void test_scaled() {
    SCALED(32, E4M3, E4M3, 1, false, 0, 0, 0, 0, 32_f32_e4m3_mxf8f6f4);
    SCALED(32, E4M3, E2M1, 1, false, 3, 1, 2, 3, 32_f32_e4m3_e2m1_mxf8f6f4);
    SCALED(32, E3M2, E5M2, 1, false, 1, 0, 3, 2, 32_f32_e3m2_e5m2_mxf8f6f4);
    SCALED(64, FP4, FP4, 2, false, 2, 1, 0, 3, 64_f32_e2m1_mxf4);
    SCALED(64, FP4, FP4, 2, false, 0, 0, 2, 1, 64_f32_e2m1_mxf4nvf4_2x);
    SCALED(64, FP4, FP4, 4, true, 0, 1, 0, 2, 64_f32_e2m1_mxf4nvf4_4x);
    SPARSE_SCALED(64, E4M3, E5M2, 1, false, 2, 1, 1, 3,
                  64_f32_e4m3_e5m2_mxf8f6f4);
    SPARSE_SCALED(64, E2M3, E2M1, 1, false, 0, 0, 3, 0,
                  64_f32_e2m3_e2m1_mxf8f6f4);
    SPARSE_SCALED(128, FP4, FP4, 2, false, 2, 0, 0, 1, 128_f32_e2m1_mxf4);
    SPARSE_SCALED(128, FP4, FP4, 2, false, 0, 1, 2, 2,
                  128_f32_e2m1_mxf4nvf4_2x);
    SPARSE_SCALED(128, FP4, FP4, 4, true, 0, 0, 0, 3,
                  128_f32_e2m1_mxf4nvf4_4x);
}

/* The sums of kind f8f6f4 in f16, without metadata. */
static void test_dense() {
#define DENSE(ta, tb, name)                                                 \
    test(#name, form{32, &F16, &ta, &tb, false, 0, 0, false, 0, 0, 0, 0},   \
         CALL(u32, ll_ptx_mma_m16n8k32_f16_##name##_f8f6f4(c, a, b)))
    DENSE(E4M3, E4M3, e4m3);
    DENSE(E2M1, E3M2, e2m1_e3m2);
    DENSE(E5M2, E2M3, e5m2_e2m3);
}

#endif

/* ==== wgmma ============================================================== */

/* A and, 8 KiB behind it, B in shared memory; four words of A of a thread and
 * one of metadata. */
template <class C, class F>
__global__ void one_group(u8 *c, const u8 *tiles, u64 a, u64 b, unsigned words,
                          const u32 *own, F multiply) {
    extern __shared__ __align__(1024) u8 s[];
    for (unsigned x = threadIdx.x; x < 16384 / 4; x += 128) {
        ((u32 *)s)[x] = ((const u32 *)tiles)[x];
    }
    ll_ptx_fence_proxy_async();
    __syncthreads();
    C d[32];
    u32 r[4];
    for (unsigned k = 0; k < words; ++k) {
        d[k] = ((C *)(c + 128 * threadIdx.x))[k];
    }
    for (unsigned k = 0; k < 4; ++k) {
        r[k] = own[5 * threadIdx.x + k];
    }
    const u64 at = (u64)((u32)__cvta_generic_to_shared(s) >> 4 & 0x3fff);
    ll_ptx_wgmma_fence();
    multiply(d, r, a + at, b + at + 512, own[5 * threadIdx.x + 4]);
    ll_ptx_wgmma_commit_group();
    ll_ptx_wgmma_wait_group<0>();
    for (unsigned k = 0; k < words; ++k) {
        ((C *)(c + 128 * threadIdx.x))[k] = d[k];
    }
}

/* Sums of 64 x COLS, COLS up to 32; A from memory, or from registers. */
template <class C, unsigned COLS, class F>
static void test_group(const char *name, const number &tc, const number &ta,
                       const number &tb, unsigned select, bool in_registers,
                       bool mn, bool keep, F multiply) {
    static matrix a, b, c, full;
    static groups g;
    static u8 *on_c = buffer(128 * 128), *on_t = buffer(16384),
              *on_r = buffer(128 * 20);
    static u8 host[16384], regs[128 * 16];
    u32 own[128][5];
    const unsigned stored = 256 / ta.bits, k = 2 * stored;
    const ll_layout ma = mn ? ll_ptx_smem_mn(64, stored, ta.bits, 128, 16)
                            : ll_ptx_smem_k(64, stored, ta.bits, 32);
    const ll_layout mb = mn ? ll_ptx_smem_mn(64, k, tb.bits, 128, 16)
                            : ll_ptx_smem_k(32, k, tb.bits, 64);
    const ll_layout lc = ll_ptx_wgmma_d(64, COLS, 4);
    const ll_layout le = ll_ptx_sparse_e(k, ta.bits);
    const ll_ptx_desc da = ll_ptx_desc_of(ma, 64, stored, ta.bits);
    const ll_ptx_desc db = ll_ptx_desc_of(mb, mn ? 64 : 32, k, tb.bits);
    unsigned bad = da.err || db.err || lc.err || le.err;
    a.fill(64, stored), b.fill(64, k), c.fill(64, COLS), full.fill(64, k);
    memset(full.x, 0, sizeof full.x);
    g.fill(k, ta.bits);
    for (unsigned x = 0; x < 64 * stored; ++x) {
        full.at(x / stored, g.column(x / stored, x % stored)) =
            a.at(x / stored, x % stored);
    }
    emu_reset();
    put_tile(host, ma, ta, a, false);
    put_tile(host + 8192, mb, tb, b, false);
    cudaMemcpy(on_t, host, sizeof host, cudaMemcpyHostToDevice);
    put(regs, 16, ll_ptx_wgmma_a(64, stored, ta.bits, 4), ta, a, 128);
    for (unsigned x = 0; x < 128; ++x) {
        memcpy(own[x], regs + 16 * x, 16);
        own[x][4] = is_chosen(le, x % 32, select)
                        ? metadata_of(le, g, x % 32, x / 32 * 16)
                        : ~0u;
    }
    cudaMemcpy(on_r, own, sizeof own, cudaMemcpyHostToDevice);
    put(host, 128, lc, tc, c, 128);
    cudaMemcpy(on_c, host, sizeof host, cudaMemcpyHostToDevice);
    auto kernel = one_group<C, F>;
    LL_LAUNCH(kernel, 1, 128, 16384, on_c, on_t,
              in_registers ? 0 : ll_ptx_desc_wgmma(da, 0),
              ll_ptx_desc_wgmma(db, 0), COLS / 2 * tc.bits / 32, (u32 *)on_r,
              multiply);
    cudaMemcpy(host, on_c, sizeof host, cudaMemcpyDeviceToHost);
    for (unsigned x = 0; x < 128 && !bad; ++x) {
        for (unsigned r = 0; r < COLS / 2; ++r) {
            unsigned i, j;
            double want = 0;
            place(lc, r, x % 32, x / 32, &i, &j);
            for (unsigned z = 0; z < k; ++z) {
                want += value_of(ta, full.at(i, z)) * value_of(tb, b.at(j, z));
            }
            want += keep ? value_of(tc, c.at(i, j)) : 0;
            bad += sum_at(host, tc, x, r, 128) != want;
        }
    }
    check(!bad && emu_error_count() == 0, name, __LINE__);
    check(emu_stat("wgmma.mma_async") == 4, name, __LINE__);
}
#define GROUP(C, COLS, tc, ta, tb, select, ra, mn, keep, ...)               \
    test_group<C, COLS>(#__VA_ARGS__, tc, ta, tb, select, ra, mn, keep,     \
                        [] ON_DEVICE(C *d, const u32 *r, u64 a, u64 b,      \
                                     u32 e) {                               \
                            (void)r, (void)a;                               \
                            __VA_ARGS__;                                    \
                        })
#define GROUPS(C, tc, name, ta, tb, select)                                 \
    GROUP(C, 32, tc, ta, tb, select, false, false, true,                    \
          (ll_ptx_wgmma_sp_##name<32, select>(d, a, b, e, 1)));             \
    GROUP(C, 16, tc, ta, tb, 0, true, false, false,                         \
          (ll_ptx_wgmma_sp_##name##_ra<16>(d, r, b, e, 0)))

static void test_groups() {
    GROUPS(float, F32, f32_f16, F16, F16, 1);
    GROUPS(float, F32, f32_bf16, BF16, BF16, 0);
    GROUPS(float, F32, f32_tf32, TF32, TF32, 1);
    GROUPS(float, F32, f32_e4m3, E4M3, E4M3, 0);
    GROUPS(float, F32, f32_e4m3_e5m2, E4M3, E5M2, 0);
    GROUPS(float, F32, f32_e5m2_e4m3, E5M2, E4M3, 0);
    GROUPS(float, F32, f32_e5m2, E5M2, E5M2, 0);
    GROUPS(u32, F16, f16_f16, F16, F16, 1);
    GROUPS(u32, F16, f16_e4m3, E4M3, E4M3, 0);
    GROUPS(u32, F16, f16_e4m3_e5m2, E4M3, E5M2, 0);
    GROUPS(u32, F16, f16_e5m2_e4m3, E5M2, E4M3, 0);
    GROUPS(u32, F16, f16_e5m2, E5M2, E5M2, 0);
    GROUPS(int, S32, s32_s8, S8, S8, 0);
    GROUPS(int, S32, s32_s8_u8, S8, U8, 0);
    GROUPS(int, S32, s32_u8_s8, U8, S8, 0);
    GROUPS(int, S32, s32_u8, U8, U8, 0);
    GROUP(float, 32, F32, BF16, BF16, 0, false, true, true,
          (ll_ptx_wgmma_sp_f32_bf16<32, 0, 1, 1>(d, a, b, e, 1)));
    GROUP(float, 16, F32, F16, F16, 1, true, false, true,
          (ll_ptx_wgmma_sp_f32_f16_ra<16, 1>(d, r, b, e, 1)));
}

#if LL_EMULATE
/* ==== By layout ========================================================== */

/* Two products along k of each of two warps; in E2 and the scales, lanes that a
 * product leaves free hold those of another. */
LL_LAYOUT(A, ll_tiled(ll_ptx_fragment_a(16, 16, 16), ll_shape_of("j=32 i=32"),
                      ll_shape_of("i=2")));
LL_LAYOUT(B, ll_ptx_mma_b(64, 16, 16, 2));
LL_LAYOUT(C, ll_ptx_mma_c(32, 16, 2));
LL_LAYOUT(E1, ll_tiled(ll_ptx_sparse_e(32, 16), ll_shape_of("j=64 i=32"),
                       ll_shape_of("i=2")));
LL_LAYOUT(E2, ll_parse("register: j0 j1 j2 j3 i3 | lane: j4 j5 i0 i1 i2 | "
                       "warp: i4"));
LL_LAYOUT(MA, ll_tiled(ll_ptx_fragment_a(16, 32, 8), ll_shape_of("j=64 i=32"),
                       ll_shape_of("i=2")));
LL_LAYOUT(MB, ll_ptx_mma_b(128, 16, 8, 2));
LL_LAYOUT(ME, ll_tiled(ll_ptx_sparse_e(64, 8), ll_shape_of("j=128 i=32"),
                       ll_shape_of("i=2")));
LL_LAYOUT(SA, ll_parse("register: 0 j0 | lane: i3 0 i0 i1 i2 | warp: i4 -> "
                       "j=2 | i=32"));
LL_LAYOUT(SB, ll_parse("register: i0 | lane: 0 j3 j0 j1 j2 | warp: 0 -> "
                       "j=16 | i=2"));

template <class T, unsigned N> __device__ void fill(T (&a)[N], const u32 *p) {
    for (unsigned k = 0; k < N; ++k) {
        memcpy(&a[k], &p[32 * threadIdx.x + k], 4);
    }
}

template <int WHICH>
__global__ void by_layout(u32 *c, const u32 *a, const u32 *b, const u32 *e,
                          const u32 *sa, const u32 *sb) {
    float sum[LL_REGS(C)];
    fill(sum, c);
    if constexpr (WHICH < 2) {
        u32 left[LL_WORDS(A, 16)], right[LL_WORDS(B, 16)], more[2 - WHICH];
        fill(left, a);
        fill(right, b);
        fill(more, e);
        if constexpr (WHICH == 0) {
            LL_MMA(sum, C, left, A, right, B, 16,
                   ll_ptx_mma_sp_m16n8k32_f32_f16, more, E1);
        } else {
            LL_MMA(sum, C, left, A, right, B, 16,
                   ll_ptx_mma_sp_m16n8k32_f32_f16, more, E2);
        }
    } else {
        u32 left[LL_WORDS(MA, 8)], right[LL_WORDS(MB, 8)], more[2];
        u32 of_a[LL_WORDS(SA, 8)], of_b[LL_WORDS(SB, 8)];
        fill(left, a);
        fill(right, b);
        fill(more, e);
        fill(of_a, sa);
        fill(of_b, sb);
        LL_MMA(sum, C, left, MA, right, MB, 8,
               ll_ptx_mma_sp_m16n8k64_f32_e4m3_mxf8f6f4, more, ME, of_a, SA,
               of_b, SB);
    }
    for (unsigned k = 0; k < LL_REGS(C); ++k) {
        memcpy(&c[32 * threadIdx.x + k], &sum[k], 4);
    }
}

static void copy_out(u8 *&to, const void *from, size_t n) {
    to = buffer(n);
    cudaMemcpy(to, from, n, cudaMemcpyHostToDevice);
}

template <int WHICH>
static void test_layout(const ll_layout &la, const ll_layout &lb,
                        const ll_layout &le, const number &t) {
    enum { EACH = 128, ALL = 64 * EACH };
    static matrix a, b, c, full;
    static unsigned char places[32][64]; /* metadata of a group */
    static u8 host[ALL];
    static u32 words[64][32];
    const ll_layout lc = LL_GET(C), sa = LL_GET(SA), sb = LL_GET(SB);
    const unsigned k = ll_size(lb.out, LL_I), words_e = 32;
    int power[2][32][2];
    u8 *on[6];
    unsigned bad = 0;
    a.fill(32, k / 2), b.fill(k, 16), c.fill(32, 16), full.fill(32, k);
    memset(full.x, 0, sizeof full.x);
    for (unsigned i = 0; i < 32; ++i) {
        for (unsigned n = 0; n < k / 4; ++n) {
            static const u8 all[] = {0x4, 0x8, 0x9, 0xc, 0xd, 0xe};
            places[i][n] = all[drawn(6)];
            full.at(i, 4 * n + (places[i][n] & 3)) = a.at(i, 2 * n);
            full.at(i, 4 * n + (places[i][n] >> 2)) = a.at(i, 2 * n + 1);
        }
    }
    for (int x = 0; x < 128; ++x) {
        power[x / 64][x / 2 % 32][x % 2] = WHICH == 2 ? (int)drawn(3) - 1 : 0;
    }
    put(host, EACH, lc, F32, c, 64);
    copy_out(on[0], host, ALL);
    put(host, EACH, la, t, a, 64);
    copy_out(on[1], host, ALL);
    put(host, EACH, lb, t, b, 64);
    copy_out(on[2], host, ALL);
    for (unsigned x = 0; x < 64; ++x) {
        for (unsigned r = 0; r < ll_size(le.in, LL_REGISTER); r += 4) {
            unsigned i, j;
            place(le, r, x % 32, x / 32, &i, &j);
            words[x][r / words_e] = r % words_e ? words[x][r / words_e] : 0;
            words[x][r / words_e] |= (u32)places[i][j / 4] << r % words_e;
        }
    }
    copy_out(on[3], words, sizeof words);
    for (int side = 0; side < 2; ++side) {
        const ll_layout &l = side ? sb : sa;
        memset(words, 0xff, sizeof words);
        for (unsigned x = 0; x < 64; ++x) {
            for (unsigned r = 0; r < ll_size(l.in, LL_REGISTER); ++r) {
                unsigned i, j;
                place(l, r, x % 32, x / 32, &i, &j);
                ((u8 *)words[x])[r] =
                    (u8)(127 + (side ? power[1][j][i] : power[0][i][j]));
            }
        }
        copy_out(on[4 + side], words, sizeof words);
    }
    emu_reset();
    LL_LAUNCH(by_layout<WHICH>, 1, 64, 0, (u32 *)on[0], (u32 *)on[1],
              (u32 *)on[2], (u32 *)on[3], (u32 *)on[4], (u32 *)on[5]);
    cudaMemcpy(host, on[0], ALL, cudaMemcpyDeviceToHost);
    for (unsigned x = 0; x < 64; ++x) {
        for (unsigned r = 0; r < ll_size(lc.in, LL_REGISTER); ++r) {
            unsigned i, j;
            place(lc, r, x % 32, x / 32, &i, &j);
            double want = value_of(F32, c.at(i, j));
            for (unsigned n = 0; n < k; ++n) {
                const unsigned s = n / (k / 2);
                want += ldexp(value_of(t, full.at(i, n)) *
                                  value_of(t, b.at(n, j)),
                              power[0][i][s] + power[1][j][s]);
            }
            bad += sum_at(host, F32, x, r, EACH) != want;
        }
    }
    CHECK(!bad && emu_error_count() == 0);
}

/* ==== Findings =========================================================== */

/* Metadata that says no places is a finding, and so is a selector or a byte that
 * the shape lacks. */
template <class F>
static void finds(const char *text, F multiply, u32 e) {
    static u8 *zero = buffer(32 * LANE), *out = buffer(32 * LANE),
              *on_more = buffer(32 * 16);
    u32 more[32][4] = {};
    for (int l = 0; l < 32; ++l) {
        more[l][0] = e;
    }
    cudaMemcpy(on_more, more, sizeof more, cudaMemcpyHostToDevice);
    emu_reset();
    LL_LAUNCH(one<F>, 1, 32, 0, out, zero, zero, (u32 *)on_more, multiply);
    check(emu_error_count() >= 1 && strstr(emu_errors(), text), text, __LINE__);
    emu_expected();
    emu_reset();
}

static void test_findings() {
    finds("the metadata of row 0 from column 0 on is 0x5",
          CALL(float, ll_ptx_mma_sp_m16n8k16_f32_f16<0>(c, a, b, e)),
          0x44444445u);
    finds("the metadata of row 8 from column 12 on is 0x1",
          CALL(float, ll_ptx_mma_sp_m16n8k16_f32_f16<0>(c, a, b, e)),
          0x14444444u);
    finds("the metadata of row 0 from column 0 on is 0x8",
          CALL(float, ll_ptx_mma_sp_m16n8k8_f32_tf32<0>(c, a, b, e)),
          0x44444448u);
    finds("a selector that this shape does not have",
          CALL(float, ll_ptx_mma_sp_m16n8k32_f32_f16<2>(c, a, b, e)),
          0x44444444u);
    finds("a selector that this shape does not have",
          CALL(float, (ll_ptx_wgmma_sp_f32_e4m3_ra<8, 1>(c, a, 0, e, 1))),
          0x44444444u);
    finds("a byte or thread id that the scales do not have",
          CALL(float, (ll_ptx_mma_m16n8k64_f32_e2m1_mxf4<1>(c, a, b, sa, sb))),
          0);
    finds("a byte or thread id that the scales do not have",
          CALL(float, (ll_ptx_mma_m16n8k64_f32_e2m1_mxf4<0, 2>(c, a, b, sa,
                                                               sb))),
          0);
}

int main() {
    test_sparse();
    test_f8f6f4();
    test_scaled();
    test_dense();
    test_groups();
    test_layout<0>(LL_GET(A), LL_GET(B), LL_GET(E1), F16);
    test_layout<1>(LL_GET(A), LL_GET(B), LL_GET(E2), F16);
    test_layout<2>(LL_GET(MA), LL_GET(MB), LL_GET(ME), E4M3);
    test_findings();
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
#endif
