/* ---- Instructions: mfma and wmma -------------------------------------- */
#ifndef LL_AMD_INSTRUCTIONS_MFMA_H
#define LL_AMD_INSTRUCTIONS_MFMA_H

#include "bodies.h"

#ifdef LL_AMD_DEVICE_

/* mfma, wmma: all lanes of a warp together compute C += A B. ll_amd_NAME(c, a,
 * b) has the NAME of the compiler's built-in. The arrays c, a and b hold the
 * registers of ll_amd_mfma_c, _a and _b (for WMMA, of ll_amd_wmma_c, _a and _b)
 * in that order. They hold words, as LL_LOAD and LL_CONVERT fill them, or
 * elements. They may hold several tiles, as ll_tiled arranges them with a shape
 * in the order "j i"; the function then executes one instruction for each pair
 * of tiles to multiply. Arrays of sizes that do not fit together do not
 * compile. The order of k does not matter if a and b agree. 8-bit integers are
 * signed in v_mfma_i32. fp8 and bf8 are the fnuz types (bias 8 and 16) on
 * gfx940 to gfx942 and the OCP types (bias 7 and 15) elsewhere. (ISA
 * references.) */

/* Private: one operand of N elements, a vector unless N is 1. Its type depends
 * on GFX. A compiler that lacks the built-in then reports this only where the
 * function is used. */
template <unsigned GFX_, class T_, unsigned N_> struct ll_amd_operand_ {
#if LL_EMULATE
    struct type {
        T_ x[N_];
    };
#else
    typedef T_ type __attribute__((vector_size(N_ * sizeof(T_))));
#endif
};
template <unsigned GFX_, class T_> struct ll_amd_operand_<GFX_, T_, 1> {
    typedef T_ type;
};

#if LL_EMULATE
typedef short ll_amd_f16_;
typedef short ll_amd_bf16_;
#else
typedef _Float16 ll_amd_f16_;
#if __clang_major__ >= 19
typedef __bf16 ll_amd_bf16_;
#else
typedef short ll_amd_bf16_;
#endif
#define LL_AMD_MFMA_(name, a, b, c) LL_AMD_(name)(a, b, c, 0, 0, 0)
#define LL_AMD_WMMA_(name, a, b, c) LL_AMD_(name)(a, b, c)
#define LL_AMD_WMMA_INT_(name, sa, a, sb, b, c)                             \
    LL_AMD_(name)(sa, a, sb, b, c, false)
#define LL_AMD_MFMA_SCALE_(name, a, b, c, ta, tb, oa, sa, ob, sb)           \
    LL_AMD_(name)(a, b, c, ta, tb, oa, (int)(sa), ob, (int)(sb))
#endif

/* Private: ll_amd_part_ returns part n of an array as an operand,
 * ll_amd_put_part_ stores it there. */
template <class V_, class T_>
LL_DEVICE V_ ll_amd_part_(const T_ &a, unsigned n) {
    V_ v = LL_ZERO;
    LL_MEMCPY_(&v, (const char *)a + n * sizeof(v), sizeof(v));
    return v;
}

template <class V_, class T_>
LL_DEVICE void ll_amd_put_part_(T_ &a, unsigned n, V_ v) {
    LL_MEMCPY_((char *)a + n * sizeof v, &v, sizeof v);
}

/* Private: returns the number k of tiles along k if A has a tiles, B has b and
 * C has c: k^2 c = a b. */
LL_FN unsigned ll_amd_depth_(unsigned a, unsigned b, unsigned c) {
    unsigned k = 1;
    while (k < a && k * k * c < a * b) {
        ++k;
    }
    return k;
}

/* Private: a matrix multiply by tiles; the arrays C, A and B hold several.
 * `one` multiplies an OPERAND by an OPERAND and adds a RESULT. X is the number
 * of the instruction: from one to the next, n changes fastest and k slowest. */
template <class OPERAND_, class RESULT_, class C_, class A_, class B_>
struct ll_amd_tiles_ {
    enum : unsigned {
        na = sizeof(A_) / sizeof(OPERAND_),
        nb = sizeof(B_) / sizeof(OPERAND_),
        nc = sizeof(C_) / sizeof(RESULT_),
        depth = ll_amd_depth_(na, nb, nc),
        rows = na / depth,
        cols = nb / depth
    };
    static_assert(nc > 0 && rows * cols == nc && rows * depth == na &&
                      cols * depth == nb &&
                      sizeof(A_) == na * sizeof(OPERAND_) &&
                      sizeof(B_) == nb * sizeof(OPERAND_) &&
                      sizeof(C_) == nc * sizeof(RESULT_),
                  "ll: c, a and b must hold the registers of m x n, m x k and "
                  "k x n tiles of the instruction");
    template <unsigned X_, class ONE_>
    LL_DEVICE void tile(C_ &c, const A_ &a, const B_ &b, ONE_ one) {
        constexpr unsigned n = X_ % cols, m = X_ / cols % rows, k = X_ / nc;
        ll_amd_put_part_(c, n + cols * m,
                         one(ll_amd_part_<OPERAND_>(a, k + depth * m),
                             ll_amd_part_<OPERAND_>(b, n + cols * k),
                             ll_amd_part_<RESULT_>(c, n + cols * m)));
    }
    template <class ONE_, unsigned... X_>
    LL_DEVICE void all(C_ &c, const A_ &a, const B_ &b, ONE_ one,
                       ll_seq_<X_...>) {
        (tile<X_>(c, a, b, one), ...);
    }
};

/* Private: the body of an instruction with operands of ka elements TA and a
 * result of kc elements TC. `one` computes a result from operands x and y and
 * result z. */
#define LL_AMD_PRODUCT_(text, targets, TA, ka, TC, kc, one)                 \
    LL_AMD_NEEDS_(GFX_, text, targets);                                     \
    typedef typename ll_amd_operand_<GFX_, TA, ka>::type operand;           \
    typedef typename ll_amd_operand_<GFX_, TC, kc>::type result;            \
    typedef ll_amd_tiles_<operand, result, C_, A_, B_> tiles;               \
    tiles::all(                                                             \
        c, a, b,                                                            \
        [](operand x, operand y, result z) -> result { return one; },       \
        ll_seq_below_<tiles::nc * tiles::depth>())

#define LL_AMD_CDNA_ "gfx908, gfx90a, gfx940 to gfx942 and gfx950"
#define LL_AMD_CDNA12_ "gfx908 and gfx90a"
#define LL_AMD_CDNA2_ "gfx90a, gfx940 to gfx942 and gfx950"
#define LL_AMD_CDNA3_ "gfx940 to gfx942 and gfx950"
template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_f32_32x32x2f32(C_ &c, const A_ &a, const B_ &b) {
    LL_AMD_PRODUCT_("mfma_f32_32x32x2f32", LL_AMD_CDNA_,
                    float, 1, float, 16,
                    LL_AMD_MFMA_(mfma_f32_32x32x2f32, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_f32_16x16x4f32(C_ &c, const A_ &a, const B_ &b) {
    LL_AMD_PRODUCT_("mfma_f32_16x16x4f32", LL_AMD_CDNA_,
                    float, 1, float, 4,
                    LL_AMD_MFMA_(mfma_f32_16x16x4f32, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_f32_32x32x8f16(C_ &c, const A_ &a, const B_ &b) {
    LL_AMD_PRODUCT_("mfma_f32_32x32x8f16", LL_AMD_CDNA_,
                    ll_amd_f16_, 4, float, 16,
                    LL_AMD_MFMA_(mfma_f32_32x32x8f16, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_f32_16x16x16f16(C_ &c, const A_ &a, const B_ &b) {
    LL_AMD_PRODUCT_("mfma_f32_16x16x16f16", LL_AMD_CDNA_,
                    ll_amd_f16_, 4, float, 4,
                    LL_AMD_MFMA_(mfma_f32_16x16x16f16, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_f32_32x32x16_f16(C_ &c, const A_ &a, const B_ &b) {
    LL_AMD_PRODUCT_("mfma_f32_32x32x16_f16", "gfx950",
                    ll_amd_f16_, 8, float, 16,
                    LL_AMD_MFMA_(mfma_f32_32x32x16_f16, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_f32_16x16x32_f16(C_ &c, const A_ &a, const B_ &b) {
    LL_AMD_PRODUCT_("mfma_f32_16x16x32_f16", "gfx950",
                    ll_amd_f16_, 8, float, 4,
                    LL_AMD_MFMA_(mfma_f32_16x16x32_f16, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_f32_32x32x4bf16(C_ &c, const A_ &a, const B_ &b) {
    LL_AMD_PRODUCT_("mfma_f32_32x32x4bf16", LL_AMD_CDNA12_,
                    short, 2, float, 16,
                    LL_AMD_MFMA_(mfma_f32_32x32x4bf16, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_f32_16x16x8bf16(C_ &c, const A_ &a, const B_ &b) {
    LL_AMD_PRODUCT_("mfma_f32_16x16x8bf16", LL_AMD_CDNA12_,
                    short, 2, float, 4,
                    LL_AMD_MFMA_(mfma_f32_16x16x8bf16, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_f32_32x32x8bf16_1k(C_ &c, const A_ &a, const B_ &b) {
    LL_AMD_PRODUCT_("mfma_f32_32x32x8bf16_1k", LL_AMD_CDNA2_,
                    short, 4, float, 16,
                    LL_AMD_MFMA_(mfma_f32_32x32x8bf16_1k, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_f32_16x16x16bf16_1k(C_ &c, const A_ &a,
                                               const B_ &b) {
    LL_AMD_PRODUCT_("mfma_f32_16x16x16bf16_1k", LL_AMD_CDNA2_,
                    short, 4, float, 4,
                    LL_AMD_MFMA_(mfma_f32_16x16x16bf16_1k, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_f32_32x32x16_bf16(C_ &c, const A_ &a, const B_ &b) {
    LL_AMD_PRODUCT_("mfma_f32_32x32x16_bf16", "gfx950",
                    ll_amd_bf16_, 8, float, 16,
                    LL_AMD_MFMA_(mfma_f32_32x32x16_bf16, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_f32_16x16x32_bf16(C_ &c, const A_ &a, const B_ &b) {
    LL_AMD_PRODUCT_("mfma_f32_16x16x32_bf16", "gfx950",
                    ll_amd_bf16_, 8, float, 4,
                    LL_AMD_MFMA_(mfma_f32_16x16x32_bf16, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_i32_32x32x8i8(C_ &c, const A_ &a, const B_ &b) {
    LL_AMD_PRODUCT_("mfma_i32_32x32x8i8", LL_AMD_CDNA12_,
                    int, 1, int, 16,
                    LL_AMD_MFMA_(mfma_i32_32x32x8i8, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_i32_16x16x16i8(C_ &c, const A_ &a, const B_ &b) {
    LL_AMD_PRODUCT_("mfma_i32_16x16x16i8", LL_AMD_CDNA12_,
                    int, 1, int, 4,
                    LL_AMD_MFMA_(mfma_i32_16x16x16i8, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_i32_32x32x16_i8(C_ &c, const A_ &a, const B_ &b) {
    LL_AMD_PRODUCT_("mfma_i32_32x32x16_i8", LL_AMD_CDNA3_,
                    long, 1, int, 16,
                    LL_AMD_MFMA_(mfma_i32_32x32x16_i8, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_i32_16x16x32_i8(C_ &c, const A_ &a, const B_ &b) {
    LL_AMD_PRODUCT_("mfma_i32_16x16x32_i8", LL_AMD_CDNA3_,
                    long, 1, int, 4,
                    LL_AMD_MFMA_(mfma_i32_16x16x32_i8, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_i32_32x32x32_i8(C_ &c, const A_ &a, const B_ &b) {
    LL_AMD_PRODUCT_("mfma_i32_32x32x32_i8", "gfx950",
                    int, 4, int, 16,
                    LL_AMD_MFMA_(mfma_i32_32x32x32_i8, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_i32_16x16x64_i8(C_ &c, const A_ &a, const B_ &b) {
    LL_AMD_PRODUCT_("mfma_i32_16x16x64_i8", "gfx950",
                    int, 4, int, 4,
                    LL_AMD_MFMA_(mfma_i32_16x16x64_i8, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_f32_32x32x16_fp8_fp8(C_ &c, const A_ &a,
                                                const B_ &b) {
    LL_AMD_PRODUCT_("mfma_f32_32x32x16_fp8_fp8", LL_AMD_CDNA3_,
                    long, 1, float, 16,
                    LL_AMD_MFMA_(mfma_f32_32x32x16_fp8_fp8, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_f32_32x32x16_fp8_bf8(C_ &c, const A_ &a,
                                                const B_ &b) {
    LL_AMD_PRODUCT_("mfma_f32_32x32x16_fp8_bf8", LL_AMD_CDNA3_,
                    long, 1, float, 16,
                    LL_AMD_MFMA_(mfma_f32_32x32x16_fp8_bf8, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_f32_32x32x16_bf8_fp8(C_ &c, const A_ &a,
                                                const B_ &b) {
    LL_AMD_PRODUCT_("mfma_f32_32x32x16_bf8_fp8", LL_AMD_CDNA3_,
                    long, 1, float, 16,
                    LL_AMD_MFMA_(mfma_f32_32x32x16_bf8_fp8, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_f32_32x32x16_bf8_bf8(C_ &c, const A_ &a,
                                                const B_ &b) {
    LL_AMD_PRODUCT_("mfma_f32_32x32x16_bf8_bf8", LL_AMD_CDNA3_,
                    long, 1, float, 16,
                    LL_AMD_MFMA_(mfma_f32_32x32x16_bf8_bf8, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_f32_16x16x32_fp8_fp8(C_ &c, const A_ &a,
                                                const B_ &b) {
    LL_AMD_PRODUCT_("mfma_f32_16x16x32_fp8_fp8", LL_AMD_CDNA3_,
                    long, 1, float, 4,
                    LL_AMD_MFMA_(mfma_f32_16x16x32_fp8_fp8, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_f32_16x16x32_fp8_bf8(C_ &c, const A_ &a,
                                                const B_ &b) {
    LL_AMD_PRODUCT_("mfma_f32_16x16x32_fp8_bf8", LL_AMD_CDNA3_,
                    long, 1, float, 4,
                    LL_AMD_MFMA_(mfma_f32_16x16x32_fp8_bf8, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_f32_16x16x32_bf8_fp8(C_ &c, const A_ &a,
                                                const B_ &b) {
    LL_AMD_PRODUCT_("mfma_f32_16x16x32_bf8_fp8", LL_AMD_CDNA3_,
                    long, 1, float, 4,
                    LL_AMD_MFMA_(mfma_f32_16x16x32_bf8_fp8, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_f32_16x16x32_bf8_bf8(C_ &c, const A_ &a,
                                                const B_ &b) {
    LL_AMD_PRODUCT_("mfma_f32_16x16x32_bf8_bf8", LL_AMD_CDNA3_,
                    long, 1, float, 4,
                    LL_AMD_MFMA_(mfma_f32_16x16x32_bf8_bf8, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_mfma_f64_16x16x4f64(C_ &c, const A_ &a, const B_ &b) {
    LL_AMD_PRODUCT_("mfma_f64_16x16x4f64", LL_AMD_CDNA2_,
                    double, 1, double, 4,
                    LL_AMD_MFMA_(mfma_f64_16x16x4f64, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_wmma_f32_16x16x16_f16_w32(C_ &c, const A_ &a,
                                                const B_ &b) {
    LL_AMD_PRODUCT_("wmma_f32_16x16x16_f16_w32", "gfx11",
                    ll_amd_f16_, 16, float, 8,
                    LL_AMD_WMMA_(wmma_f32_16x16x16_f16_w32, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_wmma_f32_16x16x16_bf16_w32(C_ &c, const A_ &a,
                                                 const B_ &b) {
    LL_AMD_PRODUCT_("wmma_f32_16x16x16_bf16_w32", "gfx11",
                    short, 16, float, 8,
                    LL_AMD_WMMA_(wmma_f32_16x16x16_bf16_w32, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_wmma_f32_16x16x16_f16_w32_gfx12(C_ &c, const A_ &a,
                                                      const B_ &b) {
    LL_AMD_PRODUCT_("wmma_f32_16x16x16_f16_w32_gfx12", "gfx120",
                    ll_amd_f16_, 8, float, 8,
                    LL_AMD_WMMA_(wmma_f32_16x16x16_f16_w32_gfx12, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_wmma_f32_16x16x16_bf16_w32_gfx12(C_ &c, const A_ &a,
                                                       const B_ &b) {
    LL_AMD_PRODUCT_("wmma_f32_16x16x16_bf16_w32_gfx12", "gfx120",
                    short, 8, float, 8,
                    LL_AMD_WMMA_(wmma_f32_16x16x16_bf16_w32_gfx12, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_wmma_f32_16x16x16_fp8_fp8_w32_gfx12(C_ &c, const A_ &a,
                                                          const B_ &b) {
    LL_AMD_PRODUCT_("wmma_f32_16x16x16_fp8_fp8_w32_gfx12", "gfx120",
                    int, 2, float, 8,
                    LL_AMD_WMMA_(wmma_f32_16x16x16_fp8_fp8_w32_gfx12, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_wmma_f32_16x16x16_fp8_bf8_w32_gfx12(C_ &c, const A_ &a,
                                                          const B_ &b) {
    LL_AMD_PRODUCT_("wmma_f32_16x16x16_fp8_bf8_w32_gfx12", "gfx120",
                    int, 2, float, 8,
                    LL_AMD_WMMA_(wmma_f32_16x16x16_fp8_bf8_w32_gfx12, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_wmma_f32_16x16x16_bf8_fp8_w32_gfx12(C_ &c, const A_ &a,
                                                          const B_ &b) {
    LL_AMD_PRODUCT_("wmma_f32_16x16x16_bf8_fp8_w32_gfx12", "gfx120",
                    int, 2, float, 8,
                    LL_AMD_WMMA_(wmma_f32_16x16x16_bf8_fp8_w32_gfx12, x, y, z));
}

template <unsigned GFX_ = LL_AMD_HERE_, class C_, class A_, class B_>
LL_DEVICE void ll_amd_wmma_f32_16x16x16_bf8_bf8_w32_gfx12(C_ &c, const A_ &a,
                                                          const B_ &b) {
    LL_AMD_PRODUCT_("wmma_f32_16x16x16_bf8_bf8_w32_gfx12", "gfx120",
                    int, 2, float, 8,
                    LL_AMD_WMMA_(wmma_f32_16x16x16_bf8_bf8_w32_gfx12, x, y, z));
}

/* 8-bit integers. SA and SB: whether A and B are signed. */
template <bool SA_ = true, bool SB_ = true, unsigned GFX_ = LL_AMD_HERE_,
          class C_, class A_, class B_>
LL_DEVICE void ll_amd_wmma_i32_16x16x16_iu8_w32(C_ &c, const A_ &a,
                                                const B_ &b) {
    LL_AMD_PRODUCT_("wmma_i32_16x16x16_iu8_w32", "gfx11", int, 4, int, 8,
                    LL_AMD_WMMA_INT_(wmma_i32_16x16x16_iu8_w32, SA_, x,
                                     SB_, y, z));
}

template <bool SA_ = true, bool SB_ = true, unsigned GFX_ = LL_AMD_HERE_,
          class C_, class A_, class B_>
LL_DEVICE void ll_amd_wmma_i32_16x16x16_iu8_w32_gfx12(C_ &c, const A_ &a,
                                                      const B_ &b) {
    LL_AMD_PRODUCT_("wmma_i32_16x16x16_iu8_w32_gfx12", "gfx120", int, 2, int, 8,
                    LL_AMD_WMMA_INT_(wmma_i32_16x16x16_iu8_w32_gfx12, SA_, x,
                                     SB_, y, z));
}

/* Scaled matrix multiply of one tile by one instruction. TA, TB: the types of
 * the elements of A and B. scale_a, scale_b: words of each lane; byte BA of
 * scale_a and byte BB of scale_b are the scales that ll_amd_mfma_scale_a and _b
 * give to this lane, as exponents with bias 127. An operand has 8 words, or 4
 * if its type is fp4. (6-bit types are left out: see operands.) */
enum : unsigned { LL_AMD_FP8 = 0, LL_AMD_BF8 = 1, LL_AMD_FP4 = 4 };

LL_FN unsigned ll_amd_scaled_words_(unsigned type) {
    return type <= LL_AMD_BF8 ? 8u : type == LL_AMD_FP4 ? 4u : 0u;
}

template <class V_, unsigned N_>
LL_DEVICE V_ ll_amd_eight_(const unsigned (&a)[N_]) {
    V_ v = LL_ZERO;
    LL_MEMCPY_(&v, a, N_ <= 8 ? sizeof(a) : sizeof(v));
    return v;
}
#define LL_AMD_SCALED_(name, text, nc)                                      \
    LL_AMD_NEEDS_(GFX_, text, "gfx950");                                    \
    typedef typename ll_amd_operand_<GFX_, int, 8>::type operand;           \
    typedef typename ll_amd_operand_<GFX_, float, nc>::type result;         \
    static_assert(NA_ == ll_amd_scaled_words_(TA_) &&                       \
                      NB_ == ll_amd_scaled_words_(TB_) && BA_ < 4 &&        \
                      BB_ < 4 && sizeof(c) == sizeof(result),               \
                  "ll: mfma_scale: TA_ and TB_ must be LL_AMD_FP8, _BF8 "   \
                  "(8 words) or _FP4 (4 words), BA_ and BB_ 0 to 3, c one " \
                  "tile");                                                  \
    ll_amd_put_part_(                                                       \
        c, 0,                                                               \
        LL_AMD_MFMA_SCALE_(name, ll_amd_eight_<operand>(a),                 \
                           ll_amd_eight_<operand>(b),                       \
                           ll_amd_part_<result>(c, 0), TA_, TB_, BA_,       \
                           scale_a, BB_, scale_b))

template <unsigned TA_ = LL_AMD_FP8, unsigned TB_ = LL_AMD_FP8,
          unsigned BA_ = 0, unsigned BB_ = 0, unsigned GFX_ = LL_AMD_HERE_,
          class C_, unsigned NA_, unsigned NB_>
LL_DEVICE void ll_amd_mfma_scale_f32_32x32x64_f8f6f4(C_ &c,
                                                     const unsigned (&a)[NA_],
                                                     const unsigned (&b)[NB_],
                                                     unsigned scale_a,
                                                     unsigned scale_b) {
    LL_AMD_SCALED_(mfma_scale_f32_32x32x64_f8f6f4,
                   "mfma_scale_f32_32x32x64_f8f6f4", 16);
}

template <unsigned TA_ = LL_AMD_FP8, unsigned TB_ = LL_AMD_FP8,
          unsigned BA_ = 0, unsigned BB_ = 0, unsigned GFX_ = LL_AMD_HERE_,
          class C_, unsigned NA_, unsigned NB_>
LL_DEVICE void ll_amd_mfma_scale_f32_16x16x128_f8f6f4(C_ &c,
                                                      const unsigned (&a)[NA_],
                                                      const unsigned (&b)[NB_],
                                                      unsigned scale_a,
                                                      unsigned scale_b) {
    LL_AMD_SCALED_(mfma_scale_f32_16x16x128_f8f6f4,
                   "mfma_scale_f32_16x16x128_f8f6f4", 4);
}

#undef LL_AMD_PRODUCT_
#undef LL_AMD_SCALED_

#endif

#endif
