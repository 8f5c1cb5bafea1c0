/* matmul_check.h - checks a GEMM: matrices of small whole numbers, and a
 * comparison of the product with exact sums
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_MATMUL_CHECK_H
#define LL_MATMUL_CHECK_H

#include "../check.h"
#include "../launch_stream.h"
#include "matmul_types.h"
#include <string.h>

namespace ll_kernels {

/* A product C = A B. */
struct product {
    dtype a, b, c;
    bool cols_a, cols_b; /* A, or B, is stored by columns */
    /* Computes C. Returns an error message, or null. */
    const char *(*launch)(void *c, const void *a, const void *b, unsigned m,
                          unsigned n, unsigned k);
};

/* Returns element x of a matrix: a whole number from -3 to 4, so that sums are
 * exact. */
static inline int value_at(size_t x, unsigned seed) {
    return (int)(((unsigned)x * 2654435761u + seed * 40503u) >> 13) % 8 - 3;
}

/* Returns the bits of a whole number in a type. */
static inline unsigned long long pattern(dtype t, int v) {
    const unsigned mantissa = t == dtype::e4m3   ? 3
                              : t == dtype::e5m2 ? 2
                              : t == dtype::f16  ? 10
                                                 : 7;
    const unsigned bias = t == dtype::e4m3 ? 7 : t == dtype::bf16 ? 127 : 15;
    const double d = v;
    const float f = (float)v;
    unsigned long long bits = 0;
    unsigned w = 0;
    memcpy(&bits, &d, 8);
    memcpy(&w, &f, 4);
    if (t == dtype::s8 || t == dtype::s16 || t == dtype::s32 ||
        t == dtype::s64) {
        return (unsigned long long)(long long)v;
    }
    return t == dtype::f64   ? bits
           : t == dtype::f32 ? w
           : v == 0          ? 0
                             : (w >> 31) << (bits_of(t) - 1) |
                          ((w >> 23 & 255) - 127 + bias) << mantissa |
                          (w & 0x7fffff) >> (23 - mantissa);
}

/* Returns a matrix of value_at(x, seed) in device memory. */
static inline void *matrix_of(dtype t, size_t count, unsigned seed) {
    const size_t bytes = bits_of(t) / 8;
    unsigned char *host = (unsigned char *)malloc(count * bytes);
    void *p = 0;
    for (size_t x = 0; x < count; ++x) {
        const unsigned long long v = pattern(t, value_at(x, seed));
        memcpy(host + x * bytes, &v, bytes);
    }
    MUST(cudaMalloc(&p, count * bytes));
    MUST(cudaMemcpy(p, host, count * bytes, cudaMemcpyHostToDevice));
    free(host);
    return p;
}

/* Returns whether an element of C is this whole number, rounded to the
 * nearest. */
static inline bool is_right(dtype t, const unsigned char *p, long long want) {
    const double d = (double)want;
    const float f = (float)want;
    unsigned w = 0;
    memcpy(&w, &f, 4);
    const unsigned short half =
        (unsigned short)((w + 0x7fff + (w >> 16 & 1)) >> 16);
    const unsigned z = w + 0xfff + (w >> 13 & 1); /* 10 bits of mantissa */
    const unsigned short small =
        (unsigned short)(!want ? 0
                               : (w >> 31) << 15 |
                                     ((z >> 13 & 0x3ffff) - (112 << 10)));
    return t == dtype::s32    ? !memcmp(p, &want, 4)
           : t == dtype::f32  ? !memcmp(p, &f, 4)
           : t == dtype::bf16 ? !memcmp(p, &half, 2)
           : t == dtype::f16  ? !memcmp(p, &small, 2)
                              : !memcmp(p, &d, 8);
}

/* Counts wrong elements: of all, or of 10,000 if there are more than a
 * million. */
static inline size_t count_wrong(const product &p, const unsigned char *c,
                                 size_t m, size_t n, size_t k) {
    const size_t step = m * n > 1u << 20 ? m * n / 10000 : 1;
    size_t wrong = 0;
    for (size_t x = 0; x < m * n; x += step) {
        const size_t i = x / n, j = x % n;
        long long sum = 0;
        for (size_t z = 0; z < k; ++z) {
            sum += (long long)value_at(p.cols_a ? z * m + i : i * k + z, 1) *
                   value_at(p.cols_b ? j * k + z : z * n + j, 2);
        }
        wrong += !is_right(p.c, c + x * bits_of(p.c) / 8, sum);
    }
    return wrong;
}

/* Runs a product, checks it and prints the speed. Returns the number of
 * faults. */
static inline size_t demonstrate(const product &p, unsigned m, unsigned n,
                                 unsigned k) {
    const size_t bytes = (size_t)m * n * bits_of(p.c) / 8;
    unsigned char *c, *host = (unsigned char *)malloc(bytes + 1);
    void *a = matrix_of(p.a, (size_t)m * k, 1);
    void *b = matrix_of(p.b, (size_t)k * n, 2);
    const char *bad = 0;
    MUST(cudaMalloc((void **)&c, bytes));
    const float ms = timed([&] { bad = p.launch(c, a, b, m, n, k); });
    printf("%u x %u x %u: ", m, n, k);
    if (bad) {
        printf("%s\n", bad);
        return 1;
    }
    MUST(cudaMemcpy(host, c, bytes, cudaMemcpyDeviceToHost));
    const size_t wrong = count_wrong(p, host, m, n, k);
    MUST(cudaFree(a));
    MUST(cudaFree(b));
    MUST(cudaFree(c));
    free(host);
    return report_wrong(wrong, ms, 2e-9 * m * n * k / ms, "T/s");
}

/* Demonstrates the shape given by the arguments of the program, or all shapes
 * of a list. Returns the exit status. */
template <unsigned N>
int demonstrate_all(const product &p, const unsigned (&shapes)[N][3], int argc,
                    char **argv) {
    size_t wrong = 0;
    if (argc > 3) {
        return demonstrate(p, (unsigned)atoi(argv[1]), (unsigned)atoi(argv[2]),
                           (unsigned)atoi(argv[3])) != 0;
    }
    for (const unsigned(&s)[3] : shapes) {
        const bool large = (double)s[0] * s[1] * s[2] > 1e7;
        wrong += large && !on_gpu() ? 0 : demonstrate(p, s[0], s[1], s[2]);
    }
    return wrong != 0;
}

} // namespace ll_kernels

#endif
