/* test_products_amd.cu - matrix instructions of ll_amd.h on the emulator, whose
 * operands are placed by the layouts of ll_amd.h, against a triple loop.
 *
 *   tools/emulator/emucc -I. tests/emu/test_products_amd.cu -o t && ./t
 *
 * The emulator knows the instructions from their manuals, not from ll_amd.h: an
 * operand in any other layout gives a wrong product, which is tried as well.
 */
#include <cuda_runtime.h>
#include "../../ll_amd.h"
#include <stdio.h>
#include <string.h>

static int passed, failed;

static void check(bool ok, const char *what, const char *more) {
    ok ? passed++ : failed++;
    if (!ok) {
        printf("failed: %s: %s\n%s", what, more, emu_errors());
    }
}

/* Types of elements: their bits, and the code of a number of -3 to 3, or, where
 * there are no signs, of 200 to 206. */
enum kind { F16, BF16, F32, F64, I8, U8, FP8, FP8Z, BF8, BF8Z, FP4 };

static unsigned bits_of(kind t) {
    return t == F64 ? 64 : t == F32 ? 32 : t == F16 || t == BF16 ? 16
           : t == FP4 ? 4 : 8;
}

static unsigned long long code(kind t, int v) {
    /* sign and magnitude: 0, 1, 2, 3 in exponent and mantissa */
    static const unsigned f16[] = {0, 0x3c00, 0x4000, 0x4200};
    static const unsigned bf16[] = {0, 0x3f80, 0x4000, 0x4040};
    static const unsigned fp8[] = {0, 0x38, 0x40, 0x44};
    static const unsigned bf8[] = {0, 0x3c, 0x40, 0x42};
    static const unsigned fp4[] = {0, 2, 4, 5};
    unsigned m = (unsigned)(v < 0 ? -v : v), s = v < 0;
    unsigned long long x = 0;
    float f = (float)v;
    double d = v;
    switch (t) {
    case F16: return s << 15 | f16[m];
    case BF16: return s << 15 | bf16[m];
    case FP8: return s << 7 | fp8[m];
    case FP8Z: return s << 7 | (m ? fp8[m] + 8 : 0);  /* bias 8, not 7 */
    case BF8: return s << 7 | bf8[m];
    case BF8Z: return s << 7 | (m ? bf8[m] + 4 : 0);  /* bias 16, not 15 */
    case FP4: return s << 3 | fp4[m];
    case F32: memcpy(&x, &f, 4); return x;
    case F64: memcpy(&x, &d, 8); return x;
    default: return (unsigned)v & 255;
    }
}

static unsigned seed = 1;

static int number(kind t) {
    seed = seed * 1664525u + 1013904223u;
    return (int)(seed >> 28) % 7 + (t == U8 ? 200 : -3);
}

/* A matrix of numbers, row by row. */
enum { MOST = 64 * 128 };
struct matrix {
    int rows, cols, v[MOST];
};

static matrix random_matrix(int rows, int cols, kind t) {
    matrix a = {rows, cols, {}};
    for (int n = 0; n < rows * cols; n++) {
        a.v[n] = number(t);
    }
    return a;
}

/* What a lane's registers hold by a layout, in bytes, lane by lane. */
enum { LANE_BYTES = 1024 };
enum { STAGE = 64 * LANE_BYTES };
static unsigned char (*staged)[STAGE]; /* A, B, C */

static unsigned element_at(const ll_layout &a, unsigned r, unsigned lane,
                           ll_dim d) {
    unsigned x = ll_pack(a.in, LL_REGISTER, r) | ll_pack(a.in, LL_LANE, lane);
    return ll_unpack(a.out, d, ll_apply(a, x));
}

static void place(int operand, const ll_layout &a, const matrix &m, kind t) {
    unsigned bits = bits_of(t);
    memset(staged[operand], 0, STAGE);
    for (unsigned lane = 0; lane < ll_size(a.in, LL_LANE); lane++) {
        unsigned char *to = staged[operand] + lane * LANE_BYTES;
        for (unsigned r = 0; r < ll_size(a.in, LL_REGISTER); r++) {
            unsigned i = element_at(a, r, lane, LL_I);
            unsigned j = element_at(a, r, lane, LL_J);
            unsigned long long x = code(t, m.v[i * (unsigned)m.cols + j]);
            if (bits == 4) {
                to[r / 2] = (unsigned char)(to[r / 2] | x << r % 2 * 4);
            } else {
                memcpy(to + r * bits / 8, &x, bits / 8);
            }
        }
    }
}

/* The accumulator's register as a number. */
static double result_at(unsigned lane, unsigned r, int type) {
    const unsigned char *from = staged[2] + lane * LANE_BYTES;
    double d;
    float f;
    int n;
    memcpy(&d, from + (type == 'd' ? 8 * r : 0), 8);
    memcpy(&f, from + 4 * r, 4);
    memcpy(&n, from + 4 * r, 4);
    return type == 'd' ? d : type == 'f' ? f : n;
}

template <class T> static void stage_c(const ll_layout &c, const matrix &m) {
    for (unsigned lane = 0; lane < ll_size(c.in, LL_LANE); lane++) {
        for (unsigned r = 0; r < ll_size(c.in, LL_REGISTER); r++) {
            T x = (T)m.v[element_at(c, r, lane, LL_I) * (unsigned)m.cols +
                         element_at(c, r, lane, LL_J)];
            memcpy(staged[2] + lane * LANE_BYTES + r * sizeof x, &x, sizeof x);
        }
    }
}

template <class P> __global__ void product(unsigned char *all) {
    unsigned a[P::na], b[P::nb];
    typename P::type c[P::nc];
    unsigned char *at = all + threadIdx.x * LANE_BYTES;
    memcpy(a, at, sizeof a);
    memcpy(b, at + STAGE, sizeof b);
    memcpy(c, at + 2 * STAGE, sizeof c);
    P::run(c, a, b);
    memcpy(at + 2 * STAGE, c, sizeof c);
}

/* How many elements of A B + C are wrong with operands in these layouts. */
template <class P>
static int wrong(ll_layout la, ll_layout lb, ll_layout lc) {
    const int m = (int)ll_size(lc.out, LL_I), n = (int)ll_size(lc.out, LL_J);
    const int depth = (int)ll_size(la.out, LL_J);
    static matrix a, b, c;
    a = random_matrix(m, depth, P::ta());
    b = random_matrix(depth, n, P::tb());
    c = random_matrix(m, n, F32);
    place(0, la, a, P::ta());
    place(1, lb, b, P::tb());
    stage_c<typename P::type>(lc, c);
    emu_reset();
    emu_set_lanes((int)ll_size(la.in, LL_LANE));
    emu_set_gfx(P::gfx);
    LL_LAUNCH(product<P>, 1, (int)ll_size(la.in, LL_LANE), 0, staged[0]);
    int bad = 0;
    for (unsigned lane = 0; lane < ll_size(lc.in, LL_LANE); lane++) {
        for (unsigned r = 0; r < ll_size(lc.in, LL_REGISTER); r++) {
            const int i = (int)element_at(lc, r, lane, LL_I);
            const int j = (int)element_at(lc, r, lane, LL_J);
            double sum = c.v[i * n + j];
            for (int k = 0; k < depth; k++) {
                sum += P::scale(i, j, k) * a.v[i * depth + k] * b.v[k * n + j];
            }
            bad += result_at(lane, r, P::letter) != sum;
        }
    }
    return bad;
}

/* The same layout with two bits of the lanes or registers exchanged. */
static ll_layout exchanged(ll_layout a, ll_dim d, unsigned x, unsigned y) {
    const unsigned first = ll_log2_(ll_pack(a.in, d, 1));
    const unsigned basis = a.basis[first + x];
    a.basis[first + x] = a.basis[first + y];
    a.basis[first + y] = basis;
    return a;
}

/* A with its k, or B with its, in another order. */
static ll_layout other_k(ll_layout a, ll_dim d) {
    a.offset ^= ll_pack(a.out, d, ll_size(a.out, d) / 2);
    return a;
}

template <class P>
static void test(ll_layout a, ll_layout b, ll_layout c) {
    const char *name = P::name();
    check(!a.err && !b.err && !c.err, name, "there is a layout");
    check(wrong<P>(a, b, c) == 0, name, "the product");
    check(emu_error_count() == 0, name, "nothing to complain of");
    check(emu_stat(name) >= 1, name, "counted");
    check(wrong<P>(exchanged(a, LL_LANE, 0, 1), b, c) > 0, name,
          "rows of A in another order");
    check(wrong<P>(a, exchanged(b, LL_LANE, 2, 3), c) > 0, name,
          "columns of B in another order");
    check(wrong<P>(a, b, exchanged(c, LL_REGISTER, 0, 1)) > 0, name,
          "rows of C in another order");
    if (!P::scaled) {
        check(wrong<P>(other_k(a, LL_J), b, c) > 0, name,
              "k of A in another order");
        check(wrong<P>(other_k(a, LL_J), other_k(b, LL_I), c) == 0, name,
              "k of both in another order");
    }
}

#define PRODUCT(id, gfx_, kind_a, kind_b, T, letter_, words_a, words_b, regs,\
                scaled_, factor, ...)                                        \
    struct id {                                                              \
        typedef T type;                                                      \
        enum { na = words_a, nb = words_b, nc = regs, letter = letter_,      \
               gfx = gfx_, scaled = scaled_ };                               \
        static kind ta() { return kind_a; }                                  \
        static kind tb() { return kind_b; }                                  \
        static const char *name() { return #id; }                            \
        static double scale(int i, int j, int k) {                           \
            (void)i, (void)j, (void)k;                                       \
            return factor;                                                   \
        }                                                                    \
        static void run(T (&c)[nc], unsigned (&a)[na], unsigned (&b)[nb]) {  \
            __VA_ARGS__;                                                     \
        }                                                                    \
    };

/* An instruction for matrices of 16 x 16 or 32 x 32. */
#define MFMA(id, gfx, m, k, t, T, letter)                                    \
    MFMA2(id, gfx, m, k, t, t, T, letter)
#define MFMA2(id, gfx, m, k, ta, tb, T, letter)                              \
    {                                                                        \
        enum { words = m * k * (ta == F64 ? 8 : ta == F32 ? 4                \
                                : ta == F16 || ta == BF16 ? 2 : 1) / 256 };  \
        PRODUCT(id, gfx, ta, tb, T, letter, words, words, m * m / 64, 0, 1,  \
                ll_amd_##id(c, a, b))                                        \
        test<id>(ll_amd_mfma_a(m, k, 1, bits_of(ta)),                        \
                 ll_amd_mfma_b(k, m, 1, bits_of(tb)),                        \
                 ll_amd_mfma_c(m, m, 1, letter == 'd' ? 64 : 32));           \
    }
#define WMMA(id, gfx, ta, tb, words, T, letter)                              \
    WMMA_BY(id, gfx, ta, tb, words, T, letter, ll_amd_##id(c, a, b))
#define WMMA_BY(id, gfx, ta, tb, words, T, letter, ...)                      \
    {                                                                        \
        PRODUCT(id, gfx, ta, tb, T, letter, words, words, 8, 0, 1,           \
                __VA_ARGS__)                                                 \
        test<id>(ll_amd_wmma_a(gfx, 32, 16, bits_of(ta)),                    \
                 ll_amd_wmma_b(gfx, 32, 16, bits_of(tb)),                    \
                 ll_amd_wmma_c(gfx, 32, 32));                                \
    }

static void test_mfma() {
    MFMA(mfma_f32_32x32x2f32, 0x908, 32, 2, F32, float, 'f')
    MFMA(mfma_f32_16x16x4f32, 0x908, 16, 4, F32, float, 'f')
    MFMA(mfma_f32_32x32x8f16, 0x908, 32, 8, F16, float, 'f')
    MFMA(mfma_f32_16x16x16f16, 0x908, 16, 16, F16, float, 'f')
    MFMA(mfma_f32_32x32x16_f16, 0x950, 32, 16, F16, float, 'f')
    MFMA(mfma_f32_16x16x32_f16, 0x950, 16, 32, F16, float, 'f')
    MFMA(mfma_f32_32x32x4bf16, 0x908, 32, 4, BF16, float, 'f')
    MFMA(mfma_f32_16x16x8bf16, 0x908, 16, 8, BF16, float, 'f')
    MFMA(mfma_f32_32x32x8bf16_1k, 0x90a, 32, 8, BF16, float, 'f')
    MFMA(mfma_f32_16x16x16bf16_1k, 0x90a, 16, 16, BF16, float, 'f')
    MFMA(mfma_f32_32x32x16_bf16, 0x950, 32, 16, BF16, float, 'f')
    MFMA(mfma_f32_16x16x32_bf16, 0x950, 16, 32, BF16, float, 'f')
    MFMA(mfma_i32_32x32x8i8, 0x908, 32, 8, I8, int, 'i')
    MFMA(mfma_i32_16x16x16i8, 0x908, 16, 16, I8, int, 'i')
    MFMA(mfma_i32_32x32x16_i8, 0x942, 32, 16, I8, int, 'i')
    MFMA(mfma_i32_16x16x32_i8, 0x942, 16, 32, I8, int, 'i')
    MFMA(mfma_i32_32x32x32_i8, 0x950, 32, 32, I8, int, 'i')
    MFMA(mfma_i32_16x16x64_i8, 0x950, 16, 64, I8, int, 'i')
    MFMA2(mfma_f32_32x32x16_fp8_fp8, 0x942, 32, 16, FP8Z, FP8Z, float, 'f')
    MFMA2(mfma_f32_32x32x16_fp8_bf8, 0x942, 32, 16, FP8Z, BF8Z, float, 'f')
    MFMA2(mfma_f32_32x32x16_bf8_fp8, 0x950, 32, 16, BF8, FP8, float, 'f')
    MFMA2(mfma_f32_32x32x16_bf8_bf8, 0x950, 32, 16, BF8, BF8, float, 'f')
    MFMA2(mfma_f32_16x16x32_fp8_fp8, 0x950, 16, 32, FP8, FP8, float, 'f')
    MFMA2(mfma_f32_16x16x32_fp8_bf8, 0x950, 16, 32, FP8, BF8, float, 'f')
    MFMA2(mfma_f32_16x16x32_bf8_fp8, 0x942, 16, 32, BF8Z, FP8Z, float, 'f')
    MFMA2(mfma_f32_16x16x32_bf8_bf8, 0x942, 16, 32, BF8Z, BF8Z, float, 'f')
    MFMA(mfma_f64_16x16x4f64, 0x90a, 16, 4, F64, double, 'd')
}

static void test_wmma() {
    WMMA(wmma_f32_16x16x16_f16_w32, 0x1100, F16, F16, 8, float, 'f')
    WMMA(wmma_f32_16x16x16_bf16_w32, 0x1100, BF16, BF16, 8, float, 'f')
    WMMA(wmma_i32_16x16x16_iu8_w32, 0x1100, I8, I8, 4, int, 'i')
    WMMA(wmma_f32_16x16x16_f16_w32_gfx12, 0x1201, F16, F16, 4, float, 'f')
    WMMA(wmma_f32_16x16x16_bf16_w32_gfx12, 0x1201, BF16, BF16, 4, float, 'f')
    WMMA(wmma_f32_16x16x16_fp8_fp8_w32_gfx12, 0x1201, FP8, FP8, 2, float, 'f')
    WMMA(wmma_f32_16x16x16_fp8_bf8_w32_gfx12, 0x1201, FP8, BF8, 2, float, 'f')
    WMMA(wmma_f32_16x16x16_bf8_fp8_w32_gfx12, 0x1201, BF8, FP8, 2, float, 'f')
    WMMA(wmma_f32_16x16x16_bf8_bf8_w32_gfx12, 0x1201, BF8, BF8, 2, float, 'f')
    WMMA(wmma_i32_16x16x16_iu8_w32_gfx12, 0x1201, I8, I8, 2, int, 'i')
}

/* Signs of their own for A and B. */
static void test_signs() {
    WMMA_BY(wmma_i32_16x16x16_iu8_w32, 0x1100, U8, I8, 4, int, 'i',
            ll_amd_wmma_i32_16x16x16_iu8_w32<false, true>(c, a, b))
    WMMA_BY(wmma_i32_16x16x16_iu8_w32_gfx12, 0x1201, I8, U8, 2, int, 'i',
            ll_amd_wmma_i32_16x16x16_iu8_w32_gfx12<true, false>(c, a, b))
}

/* Scales: 2^(i % 4 + k/32) of the rows of A and 2^-(j % 4 + 3 k/32) of the
 * columns of B, in the lanes that the layouts of scales say, bytes 1 and 3. */
static double power(int n) { return n < 0 ? 1. / (1 << -n) : 1 << n; }

static unsigned exponent(int i, int block) {
    return 127 + (unsigned)(i + block);
}

template <unsigned M, unsigned K> static unsigned scale_a() {
    LL_LAYOUT(S, ll_amd_mfma_scale_a(M, K));
    const unsigned at = ll_apply(LL_GET(S), ll_pack(LL_GET(S).in, LL_LANE,
                                                   threadIdx.x));
    return exponent((int)ll_unpack(LL_GET(S).out, LL_I, at) % 4,
                    (int)ll_unpack(LL_GET(S).out, LL_J, at)) << 8;
}

template <unsigned M, unsigned K> static unsigned scale_b() {
    LL_LAYOUT(S, ll_amd_mfma_scale_b(K, M));
    const unsigned at = ll_apply(LL_GET(S), ll_pack(LL_GET(S).in, LL_LANE,
                                                   threadIdx.x));
    return exponent(-(int)ll_unpack(LL_GET(S).out, LL_J, at) % 4,
                    -3 * (int)ll_unpack(LL_GET(S).out, LL_I, at)) << 24;
}

#define SCALED(id, m, depth, ta, tb, wa, wb, ca, cb)                         \
    {                                                                        \
        PRODUCT(id, 0x950, ta, tb, float, 'f', wa, wb, m * m / 64, 1,        \
                power(i % 4 + k / 32 - j % 4 - 3 * (k / 32)),                \
                (ll_amd_##id<ca, cb, 1, 3>(c, a, b, scale_a<m, depth>(),     \
                                           scale_b<m, depth>())))            \
        test<id>(ll_amd_mfma_a(m, depth, 1, bits_of(ta)),                    \
                 ll_amd_mfma_b(depth, m, 1, bits_of(tb)),                    \
                 ll_amd_mfma_c(m, m, 1, 32));                                \
    }

static void test_scaled() {
    SCALED(mfma_scale_f32_32x32x64_f8f6f4, 32, 64, FP8, BF8, 8, 8,
           LL_AMD_FP8, LL_AMD_BF8)
    SCALED(mfma_scale_f32_16x16x128_f8f6f4, 16, 128, BF8, FP8, 8, 8,
           LL_AMD_BF8, LL_AMD_FP8)
    SCALED(mfma_scale_f32_16x16x128_f8f6f4, 16, 128, FP4, FP8, 4, 8,
           LL_AMD_FP4, LL_AMD_FP8)
    SCALED(mfma_scale_f32_32x32x64_f8f6f4, 32, 64, FP4, FP4, 4, 4,
           LL_AMD_FP4, LL_AMD_FP4)
}

/* Several tiles, of different numbers along m, n and k, in one call. */
#define SHAPE(text) ll_shape_of(text), ll_shape_of("")
static void test_tiles() {
    PRODUCT(mfma_f32_16x16x16f16, 0x942, F16, F16, float, 'f', 16, 8, 8, 0, 1,
            ll_amd_mfma_f32_16x16x16f16(c, a, b))
    test<mfma_f32_16x16x16f16>(
        ll_tiled(ll_amd_mfma_a(16, 16, 1, 16), SHAPE("j=64 i=32")),
        ll_tiled(ll_amd_mfma_b(16, 16, 1, 16), SHAPE("j=16 i=64")),
        ll_tiled(ll_amd_mfma_c(16, 16, 1, 32), SHAPE("j=16 i=32")));
    PRODUCT(wmma_f32_16x16x16_f16_w32_gfx12, 0x1201, F16, F16, float, 'f', 8,
            32, 32, 0, 1, ll_amd_wmma_f32_16x16x16_f16_w32_gfx12(c, a, b))
    test<wmma_f32_16x16x16_f16_w32_gfx12>(
        ll_tiled(ll_amd_wmma_a(0x1201, 32, 16, 16), SHAPE("j=32 i=16")),
        ll_tiled(ll_amd_wmma_b(0x1201, 32, 16, 16), SHAPE("j=64 i=32")),
        ll_tiled(ll_amd_wmma_c(0x1201, 32, 32), SHAPE("j=64 i=16")));
}

/* RDNA3 wants copies, every product all lanes. */
template <bool COPIES> __global__ void faulty() {
    unsigned a[8] = {}, b[8] = {};
    float c[8] = {};
    a[3] = COPIES && threadIdx.x == 20 ? 0x3c00 : 0;
    if (COPIES || threadIdx.x != 9) {
        ll_amd_wmma_f32_16x16x16_f16_w32(c, a, b);
    }
}

template <bool COPIES> static void refuse(const char *what) {
    emu_reset();
    emu_set_lanes(32);
    emu_set_gfx(0x1100);
    LL_LAUNCH(faulty<COPIES>, 1, 32, 0);
    check(emu_error_count() && emu_error_kind(0) == EMU_LANES, "refused", what);
    emu_expected();
}

int main() {
    staged = new unsigned char[3][STAGE];
    emu_global_add(staged, 3 * STAGE);
    test_mfma();
    test_wmma();
    test_signs();
    test_scaled();
    test_tiles();
    refuse<true>("copies that differ");
    refuse<false>("a lane that is not active");
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
