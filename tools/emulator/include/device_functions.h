/* device_functions.h - the functions that nvcc knows without an #include: bits,
 * casts, fast math, atomics, cached loads, votes. Fast functions are as exact
 * as the others here.
 */
#ifndef EMU_DEVICE_FUNCTIONS_H
#define EMU_DEVICE_FUNCTIONS_H

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "emu_floats.h"

extern "C" {
uint64_t emu_match(uint64_t value, uint64_t mask);
uint32_t emu_reduce(int mode, uint32_t x, uint64_t mask);
void emu_atomic(void *p, void *old, size_t size);
void emu_compares(void); /* the next one compares and swaps */
void emu_poke(void *p, const void *now, size_t size);
/* op: '+', '*', '/', 's' (root of a) or 'f' (a * b + c). Rounds by `mode`. */
float emu_directed(int op, int mode, float a, float b, float c);
double emu_directed_double(int op, int mode, double a, double b, double c);
}

/* Newer C libraries declare some names of CUDA (glibc 2.41 sinpif, 2.42 rsqrt),
 * so the emulator's functions have other names. */
#define rsqrtf emu_rsqrtf
#define rsqrt emu_rsqrt
#define rcbrtf emu_rcbrtf
#define sinpif emu_sinpif
#define cospif emu_cospif
#define sincospif emu_sincospif
#define normcdff emu_normcdff
#define norm3df emu_norm3df
#define fdividef emu_fdividef
#define umin emu_umin
#define umax emu_umax
#define clock64 emu_clock64

/* ---- Bits --------------------------------------------------------------- */

EMU_FN_ int __popc(unsigned x) { return __builtin_popcount(x); }
EMU_FN_ int __popcll(unsigned long long x) {
    return __builtin_popcountll(x);
}
EMU_FN_ int __ffs(int x) { return __builtin_ffs(x); }
EMU_FN_ int __ffsll(long long x) { return __builtin_ffsll(x); }
EMU_FN_ int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
EMU_FN_ int __clzll(long long x) {
    return x ? __builtin_clzll((unsigned long long)x) : 64;
}
EMU_FN_ unsigned long long __brevll(unsigned long long x) {
    unsigned long long r = 0;
    for (int i = 0; i < 64; i++) {
        r |= (x >> i & 1) << (63 - i);
    }
    return r;
}
EMU_FN_ unsigned __brev(unsigned x) { return (unsigned)(__brevll(x) >> 32); }
EMU_FN_ unsigned __byte_perm(unsigned a, unsigned b, unsigned c) {
    return emu_prmt(a, b, c & 0x7777u);
}
EMU_FN_ unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n) {
    return (unsigned)((((uint64_t)hi << 32 | lo) << (n & 31)) >> 32);
}
EMU_FN_ unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n) {
    return (unsigned)(((uint64_t)hi << 32 | lo) >> (n & 31));
}
EMU_FN_ unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned n) {
    return n >= 32 ? lo : __funnelshift_l(lo, hi, n);
}
EMU_FN_ unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned n) {
    return n >= 32 ? hi : __funnelshift_r(lo, hi, n);
}

/* ---- Integer arithmetic ------------------------------------------------- */

EMU_FN_ int __mulhi(int a, int b) { return (int)(((int64_t)a * b) >> 32); }
EMU_FN_ unsigned __umulhi(unsigned a, unsigned b) {
    return (unsigned)(((uint64_t)a * b) >> 32);
}
EMU_FN_ long long __mul64hi(long long a, long long b) {
    return (long long)(((__int128)a * b) >> 64);
}
EMU_FN_ unsigned long long __umul64hi(unsigned long long a,
                                      unsigned long long b) {
    return (unsigned long long)(((unsigned __int128)a * b) >> 64);
}
EMU_FN_ int __mul24(int a, int b) {
    return (int)((unsigned)(a << 8 >> 8) * (unsigned)(b << 8 >> 8));
}
EMU_FN_ unsigned __umul24(unsigned a, unsigned b) {
    return (a & 0xffffffu) * (b & 0xffffffu);
}
EMU_FN_ unsigned __sad(int a, int b, unsigned c) {
    return c + (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a);
}
EMU_FN_ unsigned __usad(unsigned a, unsigned b, unsigned c) {
    return c + (a > b ? a - b : b - a);
}
EMU_FN_ int __hadd(int a, int b) { return (int)(((int64_t)a + b) >> 1); }
EMU_FN_ int __rhadd(int a, int b) { return (int)(((int64_t)a + b + 1) >> 1); }
EMU_FN_ unsigned __uhadd(unsigned a, unsigned b) {
    return (unsigned)(((uint64_t)a + b) >> 1);
}
EMU_FN_ unsigned __urhadd(unsigned a, unsigned b) {
    return (unsigned)(((uint64_t)a + b + 1) >> 1);
}
EMU_FN_ int __dp4a(int a, int b, int c) {
    for (int i = 0; i < 32; i += 8) {
        c += (signed char)(a >> i) * (signed char)(b >> i);
    }
    return c;
}
EMU_FN_ unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
    for (int i = 0; i < 32; i += 8) {
        c += (a >> i & 255) * (b >> i & 255);
    }
    return c;
}

#define EMU_DP2A_(T_, HALF_, BYTE_)                                             \
    EMU_FN_ T_ __dp2a_lo(T_ a, T_ b, T_ c) {                                  \
        return c + (HALF_)a * (BYTE_)b + (HALF_)(a >> 16) * (BYTE_)(b >> 8);      \
    }                                                                         \
    EMU_FN_ T_ __dp2a_hi(T_ a, T_ b, T_ c) { return __dp2a_lo(a, b >> 16, c); }
EMU_DP2A_(int, short, signed char)
EMU_DP2A_(unsigned, unsigned short, unsigned char)

/* The n-th set bit of a mask from `base` on, upwards or downwards. */
EMU_FN_ unsigned __fns(unsigned mask, unsigned base, int n) {
    int left = n < 0 ? -n : n;
    for (int at = (int)base; at >= 0 && at < 32; at += n < 0 ? -1 : 1) {
        if (n == 0) {
            return mask >> at & 1 ? (unsigned)at : ~0u;
        }
        left -= (int)(mask >> at & 1);
        if (left == 0) {
            return (unsigned)at;
        }
    }
    return ~0u;
}

/* Applies an operation to each half or byte of a word. S and U are a part's
 * signed and unsigned types, x and y the signed parts, u and v the unsigned. */
#define EMU_PARTS_(NAME_, S_, U_, ...)                                         \
    EMU_FN_ unsigned NAME_(unsigned a, unsigned b) {                           \
        unsigned r = 0;                                                       \
        for (unsigned k = 0; k < 32; k += 8 * sizeof(U_)) {                   \
            const int x = (S_)(a >> k), y = (S_)(b >> k);                     \
            const int u = (U_)(a >> k), v = (U_)(b >> k);                     \
            const int least = -(1 << (8 * sizeof(U_) - 1));                   \
            const int most = ~least, all = (U_)~0;                            \
            (void)x, (void)y, (void)u, (void)v;                               \
            (void)least, (void)most, (void)all;                               \
            r |= (unsigned)(U_)(__VA_ARGS__) << k;                            \
        }                                                                     \
        return r;                                                             \
    }
#define EMU_BOTH_PARTS_(NAME_, ...)                                           \
    EMU_PARTS_(NAME_##2, short, unsigned short, __VA_ARGS__)                  \
    EMU_PARTS_(NAME_##4, signed char, unsigned char, __VA_ARGS__)
EMU_BOTH_PARTS_(__vadd, u + v)
EMU_BOTH_PARTS_(__vsub, u - v)
EMU_BOTH_PARTS_(__vaddus, u + v < all ? u + v : all)
EMU_BOTH_PARTS_(__vsubus, u > v ? u - v : 0)
EMU_BOTH_PARTS_(__vaddss, x + y > most ? most : x + y < least ? least : x + y)
EMU_BOTH_PARTS_(__vsubss, x - y > most ? most : x - y < least ? least : x - y)
EMU_BOTH_PARTS_(__vavgu, (u + v + 1) >> 1)
EMU_BOTH_PARTS_(__vhaddu, (u + v) >> 1)
EMU_BOTH_PARTS_(__vabsdiffu, u > v ? u - v : v - u)
EMU_BOTH_PARTS_(__vmaxu, u > v ? u : v)
EMU_BOTH_PARTS_(__vminu, u < v ? u : v)
EMU_BOTH_PARTS_(__vmaxs, x > y ? x : y)
EMU_BOTH_PARTS_(__vmins, x < y ? x : y)
EMU_BOTH_PARTS_(__vcmpeq, u == v ? all : 0)
EMU_BOTH_PARTS_(__vcmpne, u != v ? all : 0)
EMU_BOTH_PARTS_(__vcmpgtu, u > v ? all : 0)
EMU_BOTH_PARTS_(__vcmpgeu, u >= v ? all : 0)
EMU_BOTH_PARTS_(__vcmpltu, u < v ? all : 0)
EMU_BOTH_PARTS_(__vcmpleu, u <= v ? all : 0)
EMU_BOTH_PARTS_(__vcmpgts, x > y ? all : 0)
EMU_BOTH_PARTS_(__vcmpges, x >= y ? all : 0)
EMU_BOTH_PARTS_(__vcmplts, x < y ? all : 0)
EMU_BOTH_PARTS_(__vcmples, x <= y ? all : 0)
EMU_BOTH_PARTS_(__vseteq, u == v)
EMU_BOTH_PARTS_(__vsetne, u != v)
EMU_BOTH_PARTS_(__vsetgtu, u > v)
EMU_BOTH_PARTS_(__vsetltu, u < v)

#define EMU_MIN_MAX_(A_, B_, R_)                                              \
    EMU_FN_ R_ min(A_ a, B_ b) { return (R_)a < (R_)b ? (R_)a : (R_)b; }      \
    EMU_FN_ R_ max(A_ a, B_ b) { return (R_)a > (R_)b ? (R_)a : (R_)b; }
#define EMU_MIN_MAX_OF_(S_, U_)                                               \
    EMU_MIN_MAX_(S_, S_, S_)                                                  \
    EMU_MIN_MAX_(U_, U_, U_)                                                  \
    EMU_MIN_MAX_(S_, U_, U_)                                                  \
    EMU_MIN_MAX_(U_, S_, U_)
EMU_MIN_MAX_OF_(int, unsigned)
EMU_MIN_MAX_OF_(long, unsigned long)
EMU_MIN_MAX_OF_(long long, unsigned long long)
#define EMU_MIN_MAX_REAL_(A_, B_, R_, f)                                      \
    EMU_FN_ R_ min(A_ a, B_ b) { return fmin##f(a, b); }                      \
    EMU_FN_ R_ max(A_ a, B_ b) { return fmax##f(a, b); }
EMU_MIN_MAX_REAL_(float, float, float, f)
EMU_MIN_MAX_REAL_(double, double, double, )
EMU_MIN_MAX_REAL_(float, double, double, )
EMU_MIN_MAX_REAL_(double, float, double, )
EMU_FN_ unsigned umin(unsigned a, unsigned b) { return min(a, b); }
EMU_FN_ unsigned umax(unsigned a, unsigned b) { return max(a, b); }

/* ---- Casts -------------------------------------------------------------- */

template <class R_, class T_> EMU_FN_ R_ emu_bits_as(T_ x) {
    R_ r;
    static_assert(sizeof(R_) == sizeof(T_), "");
    memcpy(&r, &x, sizeof r);
    return r;
}
EMU_FN_ unsigned __float_as_uint(float x) { return emu_bits_as<unsigned>(x); }
EMU_FN_ int __float_as_int(float x) { return emu_bits_as<int>(x); }
EMU_FN_ float __uint_as_float(unsigned x) { return emu_bits_as<float>(x); }
EMU_FN_ float __int_as_float(int x) { return emu_bits_as<float>(x); }
EMU_FN_ long long __double_as_longlong(double x) {
    return emu_bits_as<long long>(x);
}
EMU_FN_ double __longlong_as_double(long long x) {
    return emu_bits_as<double>(x);
}
EMU_FN_ int __double2hiint(double x) {
    return (int)(__double_as_longlong(x) >> 32);
}
EMU_FN_ int __double2loint(double x) { return (int)__double_as_longlong(x); }
EMU_FN_ double __hiloint2double(int hi, int lo) {
    return __longlong_as_double((long long)((uint64_t)(uint32_t)hi << 32 |
                                            (uint32_t)lo));
}

#define EMU_CASTS_(I_, name, mode, MODE_)                                      \
    EMU_FN_ I_ __float2##name##_##mode(float x) {                             \
        return emu_integer<I_>(x, MODE_);                                      \
    }                                                                         \
    EMU_FN_ I_ __double2##name##_##mode(double x) {                           \
        return emu_integer<I_>(x, MODE_);                                      \
    }                                                                         \
    EMU_FN_ float __##name##2float_##mode(I_ x) {                             \
        return emu_to_float(x, MODE_);                                         \
    }
#define EMU_CASTS_OF_(mode, MODE_)                                            \
    EMU_CASTS_(int, int, mode, MODE_)                                         \
    EMU_CASTS_(unsigned, uint, mode, MODE_)                                   \
    EMU_CASTS_(long long, ll, mode, MODE_)                                    \
    EMU_CASTS_(unsigned long long, ull, mode, MODE_)                          \
    EMU_FN_ float __double2float_##mode(double x) {                          \
        return emu_to_float(x, MODE_);                                        \
    }
EMU_CASTS_OF_(rn, EMU_RN)
EMU_CASTS_OF_(rz, EMU_RZ)
EMU_CASTS_OF_(rd, EMU_RD)
EMU_CASTS_OF_(ru, EMU_RU)
EMU_FN_ double __int2double_rn(int x) { return x; }
EMU_FN_ double __uint2double_rn(unsigned x) { return x; }
EMU_FN_ double __ll2double_rn(long long x) { return (double)x; }
EMU_FN_ double __ull2double_rn(unsigned long long x) { return (double)x; }

/* ---- Fast and directed arithmetic --------------------------------------- */

EMU_FN_ float rsqrtf(float x) { return (float)(1 / sqrt((double)x)); }
EMU_FN_ double rsqrt(double x) { return 1 / sqrt(x); }
EMU_FN_ float rcbrtf(float x) { return (float)(1 / cbrt((double)x)); }
EMU_FN_ float sinpif(float x) { return (float)sin(M_PI * x); }
EMU_FN_ float cospif(float x) { return (float)cos(M_PI * x); }
EMU_FN_ void sincospif(float x, float *s, float *c) {
    *s = sinpif(x);
    *c = cospif(x);
}
EMU_FN_ float normcdff(float x) {
    return (float)(0.5 * erfc(-x * M_SQRT1_2));
}
EMU_FN_ float norm3df(float a, float b, float c) {
    return (float)sqrt((double)a * a + (double)b * b + (double)c * c);
}
EMU_FN_ float fdividef(float a, float b) { return a / b; }
EMU_FN_ float __fdividef(float a, float b) { return a / b; }
/* The C library has functions with these names. */
#define __expf expf
#define __exp10f exp10f
#define __logf logf
#define __log2f log2f
#define __log10f log10f
#define __sinf sinf
#define __cosf cosf
#define __tanf tanf
#define __tanhf tanhf
#define __powf powf
#define __sincosf sincosf
EMU_FN_ float __saturatef(float x) { return x > 0 ? (x < 1 ? x : 1) : 0; }
EMU_FN_ float __frsqrt_rn(float x) { return rsqrtf(x); }

#define EMU_DIRECTED_(mode, MODE_)                                            \
    EMU_FN_ float __fadd_##mode(float a, float b) {                          \
        return emu_directed('+', MODE_, a, b, 0);                             \
    }                                                                        \
    EMU_FN_ float __fsub_##mode(float a, float b) {                          \
        return emu_directed('+', MODE_, a, -b, 0);                            \
    }                                                                        \
    EMU_FN_ float __fmul_##mode(float a, float b) {                          \
        return emu_directed('*', MODE_, a, b, 0);                             \
    }                                                                        \
    EMU_FN_ float __fdiv_##mode(float a, float b) {                          \
        return emu_directed('/', MODE_, a, b, 0);                             \
    }                                                                        \
    EMU_FN_ float __frcp_##mode(float a) {                                   \
        return emu_directed('/', MODE_, 1, a, 0);                             \
    }                                                                        \
    EMU_FN_ float __fsqrt_##mode(float a) {                                  \
        return emu_directed('s', MODE_, a, 0, 0);                             \
    }                                                                        \
    EMU_FN_ float __fmaf_##mode(float a, float b, float c) {                 \
        return emu_directed('f', MODE_, a, b, c);                             \
    }                                                                        \
    EMU_FN_ double __dadd_##mode(double a, double b) {                       \
        return emu_directed_double('+', MODE_, a, b, 0);                      \
    }                                                                        \
    EMU_FN_ double __dmul_##mode(double a, double b) {                       \
        return emu_directed_double('*', MODE_, a, b, 0);                      \
    }                                                                        \
    EMU_FN_ double __ddiv_##mode(double a, double b) {                       \
        return emu_directed_double('/', MODE_, a, b, 0);                      \
    }                                                                        \
    EMU_FN_ double __drcp_##mode(double a) {                                 \
        return emu_directed_double('/', MODE_, 1, a, 0);                      \
    }                                                                        \
    EMU_FN_ double __dsqrt_##mode(double a) {                                \
        return emu_directed_double('s', MODE_, a, 0, 0);                      \
    }                                                                        \
    EMU_FN_ double __fma_##mode(double a, double b, double c) {              \
        return emu_directed_double('f', MODE_, a, b, c);                      \
    }
EMU_DIRECTED_(rn, EMU_RN)
EMU_DIRECTED_(rz, EMU_RZ)
EMU_DIRECTED_(rd, EMU_RD)
EMU_DIRECTED_(ru, EMU_RU)

/* ---- Cached loads and stores -------------------------------------------- */

#define EMU_CACHED_(T_)                                                       \
    EMU_FN_ T_ __ldg(const T_ *p) { return *p; }                              \
    EMU_FN_ T_ __ldca(const T_ *p) { return *p; }                             \
    EMU_FN_ T_ __ldcg(const T_ *p) { return *p; }                             \
    EMU_FN_ T_ __ldcs(const T_ *p) { return *p; }                             \
    EMU_FN_ T_ __ldlu(const T_ *p) { return *p; }                             \
    EMU_FN_ T_ __ldcv(const T_ *p) { return *p; }                             \
    EMU_FN_ void __stwb(T_ *p, T_ v) { *p = v; }                              \
    EMU_FN_ void __stcg(T_ *p, T_ v) { *p = v; }                              \
    EMU_FN_ void __stcs(T_ *p, T_ v) { *p = v; }                              \
    EMU_FN_ void __stwt(T_ *p, T_ v) { *p = v; }
#define EMU_CACHED_OF_(T_, name)                                              \
    EMU_CACHED_(T_)                                                           \
    EMU_CACHED_(name##2)                                                      \
    EMU_CACHED_(name##4)
EMU_CACHED_(char)
EMU_CACHED_(long)
EMU_CACHED_(unsigned long)
EMU_CACHED_OF_(signed char, char)
EMU_CACHED_OF_(unsigned char, uchar)
EMU_CACHED_OF_(short, short)
EMU_CACHED_OF_(unsigned short, ushort)
EMU_CACHED_OF_(int, int)
EMU_CACHED_OF_(unsigned, uint)
EMU_CACHED_OF_(float, float)
EMU_CACHED_(double)
EMU_CACHED_(double2)
EMU_CACHED_(long long)
EMU_CACHED_(longlong2)
EMU_CACHED_(unsigned long long)
EMU_CACHED_(ulonglong2)

/* ---- Votes and reductions of a warp ------------------------------------- */

#define EMU_MATCH_(T_, U_)                                                    \
    EMU_FN_ emu_mask __match_any_sync(emu_mask m, T_ x) {                     \
        return (emu_mask)emu_match(emu_bits_as<U_>(x), m);                    \
    }                                                                         \
    EMU_FN_ emu_mask __match_all_sync(emu_mask m, T_ x, int *all) {           \
        *all = __match_any_sync(m, x) == __ballot_sync(m, 1);                 \
        return *all ? m : 0;                                                  \
    }
EMU_MATCH_(int, unsigned)
EMU_MATCH_(unsigned, unsigned)
EMU_MATCH_(long, unsigned long)
EMU_MATCH_(unsigned long, unsigned long)
EMU_MATCH_(long long, unsigned long)
EMU_MATCH_(unsigned long long, unsigned long)
EMU_MATCH_(float, unsigned)
EMU_MATCH_(double, unsigned long)

#define EMU_REDUCE_(name, T_, mode)                                           \
    EMU_FN_ T_ __reduce_##name##_sync(emu_mask m, T_ x) {                     \
        return (T_)emu_reduce(mode, (uint32_t)x, m);                          \
    }
EMU_REDUCE_(add, int, 0)
EMU_REDUCE_(add, unsigned, 0)
EMU_REDUCE_(and, unsigned, 1)
EMU_REDUCE_(or, unsigned, 2)
EMU_REDUCE_(xor, unsigned, 3)
EMU_REDUCE_(min, unsigned, 4)
EMU_REDUCE_(max, unsigned, 5)
EMU_REDUCE_(min, int, 6)
EMU_REDUCE_(max, int, 7)

/* ---- Atomics ------------------------------------------------------------ */

/* One access that reads, computes and writes. */
template <class T_, class F_> EMU_FN_ T_ emu_update_(T_ *p, F_ next) {
    T_ old, now;
    emu_atomic(p, &old, sizeof old);
    now = next(old);
    emu_poke(p, &now, sizeof now);
    return old;
}
#define EMU_ATOMIC_SCOPES_(name, T_, next)                                    \
    EMU_FN_ T_ name(T_ *p, T_ v) {                                            \
        return emu_update_(p, [=](T_ a) { return (void)a, (T_)(next); });     \
    }                                                                         \
    EMU_FN_ T_ name##_block(T_ *p, T_ v) { return name(p, v); }               \
    EMU_FN_ T_ name##_system(T_ *p, T_ v) { return name(p, v); }
#define EMU_ATOMICS_OF_(T_)                                                   \
    EMU_ATOMIC_SCOPES_(atomicExch, T_, v)                                     \
    EMU_ATOMIC_SCOPES_(atomicMin, T_, v < a ? v : a)                          \
    EMU_ATOMIC_SCOPES_(atomicMax, T_, v > a ? v : a)                          \
    EMU_ATOMIC_SCOPES_(atomicAnd, T_, a & v)                                  \
    EMU_ATOMIC_SCOPES_(atomicOr, T_, a | v)                                   \
    EMU_ATOMIC_SCOPES_(atomicXor, T_, a ^ v)
EMU_ATOMICS_OF_(int)
EMU_ATOMICS_OF_(unsigned)
EMU_ATOMICS_OF_(unsigned long long)
EMU_ATOMIC_SCOPES_(atomicMin, long long, v < a ? v : a)
EMU_ATOMIC_SCOPES_(atomicMax, long long, v > a ? v : a)
EMU_ATOMIC_SCOPES_(atomicAnd, long long, a & v)
EMU_ATOMIC_SCOPES_(atomicOr, long long, a | v)
EMU_ATOMIC_SCOPES_(atomicXor, long long, a ^ v)
EMU_ATOMIC_SCOPES_(atomicExch, float, v)
EMU_ATOMIC_SCOPES_(atomicAdd, int, (unsigned)a + (unsigned)v)
EMU_ATOMIC_SCOPES_(atomicAdd, unsigned, a + v)
EMU_ATOMIC_SCOPES_(atomicAdd, unsigned long long, a + v)
EMU_ATOMIC_SCOPES_(atomicAdd, float, a + v)
EMU_ATOMIC_SCOPES_(atomicAdd, double, a + v)
EMU_ATOMIC_SCOPES_(atomicSub, int, (unsigned)a - (unsigned)v)
EMU_ATOMIC_SCOPES_(atomicSub, unsigned, a - v)
EMU_ATOMIC_SCOPES_(atomicInc, unsigned, a >= v ? 0 : a + 1)
EMU_ATOMIC_SCOPES_(atomicDec, unsigned, a == 0 || a > v ? v : a - 1)
#define EMU_CAS_OF_(T_)                                                       \
    EMU_FN_ T_ atomicCAS(T_ *p, T_ compare, T_ v) {                           \
        emu_compares();                                                       \
        return emu_update_(p, [=](T_ a) { return a == compare ? v : a; });    \
    }                                                                         \
    EMU_FN_ T_ atomicCAS_block(T_ *p, T_ compare, T_ v) {                     \
        return atomicCAS(p, compare, v);                                      \
    }                                                                         \
    EMU_FN_ T_ atomicCAS_system(T_ *p, T_ compare, T_ v) {                    \
        return atomicCAS(p, compare, v);                                      \
    }
EMU_CAS_OF_(int)
EMU_CAS_OF_(unsigned)
EMU_CAS_OF_(unsigned long long)
EMU_CAS_OF_(unsigned short)

/* ---- Time and fences ---------------------------------------------------- */

EMU_FN_ void __threadfence() { emu_fence(); }
EMU_FN_ void __threadfence_block() { emu_fence_block(); }
EMU_FN_ void __threadfence_system() { emu_fence(); }
EMU_FN_ void __nanosleep(unsigned) { emu_yield(); }
EMU_FN_ long long clock64() { return (long long)clock(); }
EMU_FN_ void __trap() { emu_fail("trap: __trap() was called"); }
#ifndef __clang__ /* which has it */
EMU_FN_ void __builtin_assume(bool) {}
#endif
#define __assume(x) ((void)0)

#endif
