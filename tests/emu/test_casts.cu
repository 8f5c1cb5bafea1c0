/* test_casts.cu - LL_CAST on the emulator, for all patterns of numbers of up to
 * 16 bits and for floats at and beside the borders between two results, against
 * decoders of its own and a search for the nearest number.
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

/* ==== What the results are =============================================== */

enum {
    S4, U4, E2M1, S8, U8, E2M3, E3M2, E4M3, E5M2, F16, BF16, F32, F64, TYPES
};
static const unsigned BITS[TYPES] = {4, 4, 4, 8, 8, 8, 8, 8, 8, 16, 16, 32, 64};
/* The codes of a type: those of 6 bits have 64. */
static const unsigned CODES[TYPES] = {16,  16,  16,    256,   256, 64, 64,
                                      256, 256, 65536, 65536, 0,   0};

/* The value of a pattern of E bits of exponent and M of mantissa. */
static double float_of(unsigned v, int E, int M, bool ieee) {
    const int bias = (1 << (E - 1)) - 1, top = (1 << E) - 1;
    const int e = (int)(v >> M) & top, m = (int)v & ((1 << M) - 1);
    const double x = e == top && ieee ? (m ? NAN : INFINITY)
                     : e              ? ldexp(m + (1 << M), e - bias - M)
                                      : ldexp(m, 1 - bias - M);
    return v >> (E + M) & 1 ? -x : x;
}

static double decoded(int type, unsigned v) {
    switch (type) {
    case S4: return (int)(v ^ 8) - 8;
    case S8: return (int)(v ^ 128) - 128;
    case U4: case U8: return v;
    case E2M1: return float_of(v, 2, 1, false);
    case E2M3: return float_of(v & 63, 2, 3, false);
    case E3M2: return float_of(v & 63, 3, 2, false);
    case E4M3: return (v & 127) == 127 ? NAN : float_of(v, 4, 3, false);
    case E5M2: return float_of(v, 5, 2, true);
    case F16: return float_of(v, 5, 10, true);
    case BF16: return float_of(v, 8, 7, true);
    default: return float_of(v, 8, 23, true);
    }
}

/* All finite values of a type in rising order, with their codes; the larger one
 * of two of the same value, which are zeros, is left out. */
struct values {
    double x[65536];
    unsigned code[65536], n;
    explicit values(int type) : n(0) {
        for (unsigned pass = 0; pass < 2; ++pass) {
            for (unsigned k = 0; k < CODES[type]; ++k) {
                /* negative ones from the largest pattern down */
                const unsigned v = pass ? k : CODES[type] - 1 - k;
                const double y = decoded(type, v);
                if (isfinite(y) && (pass ? y >= 0 : y < 0) &&
                    !(y == 0 && signbit(y))) {
                    x[n] = y;
                    code[n++] = v;
                }
            }
        }
        /* integers of both signs are in order; floats too, by their patterns */
        for (unsigned k = 1; k < n; ++k) {
            if (x[k - 1] >= x[k]) { /* signed integers: -1 comes first */
                for (unsigned i = 1; i < n; ++i) {
                    for (unsigned j = i; j && x[j - 1] > x[j]; --j) {
                        double y = x[j];
                        unsigned c = code[j];
                        x[j] = x[j - 1], code[j] = code[j - 1];
                        x[j - 1] = y, code[j - 1] = c;
                    }
                }
                break;
            }
        }
    }
};

static const values &of_type(int type) {
    static values *all[TYPES];
    if (!all[type]) {
        all[type] = new values(type);
    }
    return *all[type];
}

/* The nearest value, of two that of the even code. */
static double nearest(int type, double x) {
    const bool integer = type <= U4 || type == S8 || type == U8;
    if (type >= F32) {
        return x;
    }
    const values &v = of_type(type);
    const double most = v.x[v.n - 1], least = v.x[0];
    if (isnan(x)) {
        return integer                      ? 0
               : type == E4M3 || type > E4M3 ? x
                                             : most;
    }
    if (type == F16 || type == BF16) {
        const double half = (most - v.x[v.n - 2]) / 2;
        if (fabs(x) >= most + half) {
            return x < 0 ? -INFINITY : INFINITY;
        }
    }
    if (x >= most || x <= least) {
        return x >= most ? most : least;
    }
    unsigned lo = 0, hi = v.n - 1;
    while (hi - lo > 1) {
        const unsigned mid = (lo + hi) / 2;
        *(v.x[mid] <= x ? &lo : &hi) = mid;
    }
    const double down = x - v.x[lo], up = v.x[hi] - x;
    return down < up                ? v.x[lo]
           : up < down              ? v.x[hi]
           : v.code[lo] % 2 == 0    ? v.x[lo]
                                    : v.x[hi];
}

/* ==== Running ============================================================ */

/* Word number x: each place of a number sees all of its patterns. */
static u32 word_of(u32 x, unsigned bits) {
    return bits == 16 ? x | (x ^ 0xffffu) << 16
                      : (x & 255u) * 0x01010101u ^ 0x5a00ff33u;
}

/* A word, or a float, of each type for every 8 elements. */
template <int TYPE> struct cell { typedef u32 type; };
template <> struct cell<F32> { typedef float type; };
template <> struct cell<F64> { typedef double type; };

template <int TYPE> struct name_of;
#define NAMED(TYPE, name) template <> struct name_of<TYPE> { typedef name type; }
NAMED(S4, ll_s4); NAMED(U4, ll_u4); NAMED(E2M1, ll_e2m1); NAMED(S8, ll_s8);
NAMED(U8, ll_u8); NAMED(E2M3, ll_e2m3); NAMED(E3M2, ll_e3m2);
NAMED(E4M3, ll_e4m3); NAMED(E5M2, ll_e5m2); NAMED(F16, ll_f16);
NAMED(BF16, ll_bf16); NAMED(F32, ll_f32); NAMED(F64, ll_f64);

constexpr unsigned cells(int type) {
    return type >= F32 ? 8 : type >= F16 ? 4 : type >= S8 ? 2 : 1;
}

/* Eight numbers of each thread. */
template <int TO, int FROM> __global__ void cast(u8 *out, const u8 *in) {
    typename cell<FROM>::type a[cells(FROM)];
    typename cell<TO>::type b[cells(TO)];
    memcpy(a, in + sizeof a * threadIdx.x, sizeof a);
    LL_CAST(b, a, typename name_of<TO>::type, typename name_of<FROM>::type);
    memcpy(out + sizeof b * threadIdx.x, b, sizeof b);
}

/* Number k of those that lie side by side. */
static double number_at(int type, const u8 *p, unsigned k) {
    const unsigned bits = BITS[type];
    u64 v = 0;
    double d;
    memcpy(&v, p + k * bits / 8, bits < 8 ? 1 : bits / 8);
    if (type == F64) {
        memcpy(&d, &v, 8);
        return d;
    }
    return decoded(type, (unsigned)(bits < 8 ? v >> k * bits % 8 & 15 : v));
}

/* Inputs of a type: all words that word_of makes, or floats. */
enum { MOST = 1 << 18 };
static u8 inputs[MOST * 4];

static unsigned fill_words(int from) {
    const unsigned words = BITS[from] == 16 ? 65536 : 256;
    for (unsigned w = 0; w < words; ++w) {
        u32 x = word_of(w, BITS[from]);
        x = from == E2M3 || from == E3M2 ? x & 0x3f3f3f3f : x;
        memcpy(inputs + 4 * w, &x, 4);
    }
    return words * 32 / BITS[from];
}

/* All values of a type, the middles between two, and the floats next to these;
 * and floats of all magnitudes. */
static unsigned fill_floats(int to) {
    const values &v = of_type(to < F32 ? to : F16);
    const unsigned step = v.n > 4096 ? v.n / 1024 : 1;
    unsigned n = 0;
    const u32 special[] = {0, 0x80000000, 1, 0x80000001, 0x7f7fffff, 0xff7fffff,
                           0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001,
                           0xffc12345, 0x007fffff};
    float *f = (float *)inputs;
    for (u32 x : special) {
        memcpy(&f[n++], &x, 4);
    }
    for (unsigned k = 0; k + 1 < v.n; k += step) {
        const float y = (float)v.x[k];
        const float mid = (float)((v.x[k] + v.x[k + 1]) / 2);
        const float all[] = {y, mid, nextafterf(mid, INFINITY),
                             nextafterf(mid, -INFINITY)};
        for (float x : all) {
            f[n++] = x;
        }
    }
    const float most = (float)v.x[v.n - 1];
    for (int k = 0; k < 8; ++k) {
        f[n++] = most * (1 + (float)k / 64);
        f[n++] = -most * (1 + (float)k / 64);
    }
    u32 seed = 1;
    for (int k = 0; k < 4000; ++k) {
        seed = seed * 1664525u + 1013904223u;
        memcpy(&f[n++], &seed, 4);
    }
    while (n % 8) {
        f[n++] = 0;
    }
    return n;
}

template <int TO, int FROM> static void test(const char *name) {
    static u8 *in, *out;
    static u8 back[8 * 8 * 1024];
    const unsigned n = FROM == F32 ? fill_floats(TO) : fill_words(FROM);
    const unsigned each = cells(FROM) * sizeof(typename cell<FROM>::type);
    const unsigned made = cells(TO) * sizeof(typename cell<TO>::type);
    unsigned bad = 0;
    cudaMalloc(&in, sizeof inputs);
    cudaMalloc(&out, sizeof back);
    cudaMemcpy(in, inputs, sizeof inputs, cudaMemcpyHostToDevice);
    emu_reset();
    auto kernel = cast<TO, FROM>;
    for (unsigned first = 0; first < n / 8; first += 1024) {
        const unsigned threads = n / 8 - first < 1024 ? n / 8 - first : 1024;
        LL_LAUNCH(kernel, 1, threads, 0, out, in + first * each);
        cudaMemcpy(back, out, threads * made, cudaMemcpyDeviceToHost);
        for (unsigned x = 0; x < 8 * threads; ++x) {
            const u8 *from = inputs + (first + x / 8) * each;
            const double a = number_at(FROM, from, x % 8);
            const double b = number_at(TO, back + x / 8 * made, x % 8);
            const double want = nearest(TO, a);
            const bool same = b == want || (b != b && want != want);
            const bool sign = TO >= F16 && !signbit(a) != !signbit(b) && a == 0;
            if (!same || sign) {
                bad += bad < 3 ? printf("%s: %g becomes %g, not %g\n", name, a,
                                        b, want) > 0 : 1;
            }
        }
    }
    check(!bad && emu_error_count() == 0, name, __LINE__);
    cudaFree(in), cudaFree(out);
}
#define CAST(to, from) test<to, from>(#from " to " #to)
#define TO_ALL_WIDE(from) \
    CAST(F16, from), CAST(BF16, from), CAST(F32, from), CAST(F64, from)
#define TO_ALL_SMALL(from)                                                  \
    CAST(S4, from), CAST(U4, from), CAST(E2M1, from), CAST(S8, from),       \
        CAST(U8, from), CAST(E2M3, from), CAST(E3M2, from),                 \
        CAST(E4M3, from), CAST(E5M2, from)

/* ==== Without cvt ======================================================== */

template <class TO> __global__ void rounded(u32 *out, const float *in) {
    out[threadIdx.x] = ll_ptx_round_<TO>(in[threadIdx.x]);
}

/* What stands for cvt on other targets. */
template <int TO> static void test_rounding(const char *name) {
    static float *in;
    static u32 *out, back[1024];
    const unsigned n = fill_floats(TO);
    unsigned bad = 0;
    cudaMalloc(&in, sizeof inputs);
    cudaMalloc(&out, sizeof back);
    cudaMemcpy(in, inputs, sizeof inputs, cudaMemcpyHostToDevice);
    emu_reset();
    auto kernel = rounded<typename name_of<TO>::type>;
    for (unsigned first = 0; first < n; first += 1024) {
        const unsigned threads = n - first < 1024 ? n - first : 1024;
        LL_LAUNCH(kernel, 1, threads, 0, out, in + first);
        cudaMemcpy(back, out, 4 * threads, cudaMemcpyDeviceToHost);
        for (unsigned x = 0; x < threads; ++x) {
            const double a = ((float *)inputs)[first + x];
            const double want = nearest(TO, a), b = decoded(TO, back[x]);
            bad += !(b == want || (b != b && want != want)) ||
                   back[x] >= CODES[TO];
        }
    }
    check(!bad && emu_error_count() == 0, name, __LINE__);
    cudaFree(in), cudaFree(out);
}

int main() {
    TO_ALL_WIDE(S4), TO_ALL_WIDE(U4), TO_ALL_WIDE(E2M1), TO_ALL_WIDE(S8);
    TO_ALL_WIDE(U8), TO_ALL_WIDE(E2M3), TO_ALL_WIDE(E3M2), TO_ALL_WIDE(E4M3);
    TO_ALL_WIDE(E5M2), TO_ALL_WIDE(F16), TO_ALL_WIDE(BF16), TO_ALL_WIDE(F32);
    TO_ALL_SMALL(F32), TO_ALL_SMALL(F16), TO_ALL_SMALL(BF16);
    CAST(E4M3, E2M1), CAST(E5M2, E2M1), CAST(S8, E2M1), CAST(S8, S4);
    CAST(U8, U4), CAST(E4M3, S4), CAST(S4, S8), CAST(E2M1, E4M3);
    CAST(E4M3, E2M3), CAST(E5M2, E3M2), CAST(E4M3, E5M2), CAST(E5M2, E4M3);
    CAST(U4, E4M3), CAST(E2M3, E3M2), CAST(E2M1, S8), CAST(E2M1, E2M1);
    test_rounding<E2M1>("e2m1"), test_rounding<E2M3>("e2m3");
    test_rounding<E3M2>("e3m2"), test_rounding<E4M3>("e4m3");
    test_rounding<E5M2>("e5m2");
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
