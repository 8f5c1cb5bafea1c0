/* lowbit_check.h - checks a GEMM with weights of 4 and 8 bits
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_LOWBIT_CHECK_H
#define LL_LOWBIT_CHECK_H

#include "lowbit_pack.h"
#include "matmul_check.h"
#include <math.h>

namespace ll_kernels {

/* Computes C = scale X W^T for m tokens and n features. Returns an error
 * message, or null. */
typedef const char *lowbit_launcher(void *c, const void *x, const void *w,
                                    unsigned m, unsigned n, unsigned k,
                                    cudaStream_t stream, float scale);

/* The scale of C in the check, with which its elements fit into f16. */
static const float CHECK_SCALE = 0x1p-5f;

/* ---- Weights ------------------------------------------------------------- */

/* Returns an element of the check: of all codes. With e4m3 activations, rows of
 * s4, nvfp4 and fp8 have sums of few bits, since the tensor cores keep 14 bits
 * for sums of e4m3. */
template <format F>
static unsigned char check_element(unsigned char random, size_t row) {
    const unsigned size = (unsigned)row * 7 % 15 * 8 + (random & 15);
    if (F == fp8) {
        const bool is_zero = IS_E4M3 && random & 112;
        return (unsigned char)((random & 128) | (is_zero       ? 0
                                                 : size == 127 ? 126
                                                               : size));
    }
    return IS_E4M3 && F != mxfp4 && random & 240 ? (F == s4 ? 8 : 0)
                                                 : random & 15;
}

/* Returns scale x of the check. Where products are rounded, scales have all
 * magnitudes. */
template <format F> static unsigned short check_scale(size_t x, size_t row) {
    const unsigned low = (unsigned)x % 8,
                   size = (unsigned)row * 7 % 15 * 8 + low;
    if (IS_E4M3 && F != mxfp4) {
        return (unsigned short)(F == s4
                                    ? (109 + row * 7 % 19) << 7 | (37 * x & 127)
                                : size < 119 ? size + 8
                                             : 126);
    }
    return (unsigned short)(F == s4 ? pattern(dtype::bf16, 1 + (int)(x % 3))
                            : F == mxfp4
                                ? 128 + x % 2
                                : pattern(dtype::e4m3, 2 + 2 * (int)(x % 3)));
}

/* Returns the number of an e4m3. */
static float from_e4m3(unsigned code) {
    const unsigned e = code >> 3 & 15, m = code & 7;
    return (code & 128 ? -1.0f : 1.0f) *
           ldexpf((float)(e ? m + 8 : m), (int)(e ? e : 1) - 10);
}

/* Returns a number, rounded to an e4m3. */
static float round_to_e4m3(float x) {
    int e;
    frexpf(x, &e); /* x is 2^(e - 1) or more */
    e = e > -5 ? e - 4 : -9;
    const float y = ldexpf(rintf(ldexpf(x, -e)), e);
    return y > 448 ? 448 : y < -448 ? -448 : y;
}

/* Returns an element times its scale, as the kernel rounds it. */
template <format F> static float weight_of(unsigned code, unsigned scale) {
    static const float MAGNITUDES[] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
    const unsigned bits = scale << 16;
    float s = F == mxfp4 ? ldexpf(1, (int)scale - 127) : from_e4m3(scale);
    if (F == s4) {
        memcpy(&s, &bits, 4);
    }
    const float x = F == fp8 ? from_e4m3(code)
                    : F == s4
                        ? (float)(code & 15) - 8
                        : (code & 8 ? -1.0f : 1.0f) * MAGNITUDES[code & 7];
    const float missing = missing_factor(F);
    return F == fp8  ? x
           : IS_E4M3 ? round_to_e4m3(x * s / missing) * missing
                     : x * s;
}

/* Sets to[0] to [k - 1] to a row of weights. */
template <format F>
static void weights_of_row(float *to, const unsigned char *elements,
                           const unsigned short *scales, size_t row, size_t k) {
    for (size_t x = row * k; x < row * k + k; ++x) {
        to[x % k] =
            weight_of<F>(elements[x], F == fp8 ? 0u : scales[x / group_of(F)]);
    }
}

/* ---- C ------------------------------------------------------------------- */

/* Returns whether an element of C is this number, rounded to the nearest. */
static bool is_rounded(unsigned short c, double want) {
    const float f = (float)want;
    unsigned w = 0;
    memcpy(&w, &f, 4);
    const unsigned z = w + 0xfff + (w >> 13 & 1); /* 10 bits of mantissa */
    return OUTPUT == dtype::bf16
               ? c == (unsigned short)((w + 0x7fff + (w >> 16 & 1)) >> 16)
               : c == (unsigned short)(f == 0 ? 0
                                              : (w >> 31) << 15 |
                                                    ((z >> 13 & 0x3ffff) -
                                                     (112 << 10)));
}

/* Counts wrong elements of C: of all, or of some features and tokens if there
 * are many. */
template <format F>
static size_t
count_wrong_lowbit(const unsigned short *c, const unsigned char *elements,
                   const unsigned short *scales, size_t m, size_t n, size_t k) {
    const size_t step = n > 1024 ? n / 256 | 1 : 1;
    const size_t tokens = m * (n / step) > 8192 ? m * (n / step) / 8192 | 1 : 1;
    float *w = (float *)malloc(k * sizeof *w);
    size_t wrong = 0;
    for (size_t row = 0; row < n; row += step) {
        weights_of_row<F>(w, elements, scales, row, k);
        for (size_t y = 0; y < m; y += tokens) {
            double sum = 0;
            for (size_t z = 0; z < k; ++z) {
                sum += (double)value_at(y * k + z, 1) * (double)w[z];
            }
            wrong += !is_rounded(c[y * n + row], sum * (double)CHECK_SCALE);
        }
    }
    free(w);
    return wrong;
}

/* ---- The check ----------------------------------------------------------- */

/* Runs a GEMM, checks it and prints the speed. Returns the number of faults. */
template <format F>
static size_t demonstrate_lowbit(lowbit_launcher *launch, unsigned m,
                                 unsigned n, unsigned k) {
    const size_t size = (size_t)n * k, groups = size / group_of(F);
    const size_t bytes = weight_bytes(F, n, k);
    unsigned char *elements = (unsigned char *)malloc(size + 1), *w;
    unsigned char *packed = (unsigned char *)malloc(bytes + 1);
    unsigned short *scales = (unsigned short *)malloc(groups * 2 + 2), *c;
    unsigned short *host = (unsigned short *)malloc((size_t)m * n * 2 + 2);
    randomise(elements, size, 5);
    for (size_t x = 0; x < size; ++x) {
        elements[x] = check_element<F>(elements[x], x / k);
    }
    for (size_t x = 0; x < groups; ++x) {
        scales[x] = check_scale<F>(x, x * group_of(F) / k);
    }
    const char *bad = pack_weights<F>(packed, elements, scales, n, k);
    void *x = matrix_of(ACTIVATION, (size_t)m * k, 1);
    MUST(cudaMalloc((void **)&w, bytes + 1));
    MUST(cudaMalloc((void **)&c, (size_t)m * n * 2 + 1));
    MUST(cudaMemcpy(w, packed, bytes, cudaMemcpyHostToDevice));
    const float ms = timed(
        [&] { bad = bad ? bad : launch(c, x, w, m, n, k, 0, CHECK_SCALE); });
    printf("%u x %u x %u: ", m, n, k);
    if (bad) {
        printf("%s\n", bad);
        return 1;
    }
    MUST(cudaMemcpy(host, c, (size_t)m * n * 2, cudaMemcpyDeviceToHost));
    const size_t wrong = count_wrong_lowbit<F>(host, elements, scales, m, n, k);
    MUST(cudaFree(x));
    MUST(cudaFree(w));
    MUST(cudaFree(c));
    free(elements);
    free(packed);
    free(scales);
    free(host);
#if LL_EMULATE
    const unsigned long long lost = emu_wavefronts("") - emu_ideal("");
    printf("%zu wrong, %llu bank conflicts\n%s", wrong, lost, emu_errors());
    (void)ms;
    return wrong + lost + (size_t)emu_error_count();
#else
    printf("%zu wrong, %.3f ms, %.1f T/s, %.0f GB/s of weights\n", wrong, ms,
           2e-9 * m * n * k / ms, 1e-6 * (double)bytes / ms);
    return wrong;
#endif
}

/* Demonstrates the shape given by the arguments of the program, or all shapes
 * of a list. Returns the exit status. */
template <format F, unsigned N>
int demonstrate_all_lowbit(lowbit_launcher *launch,
                           const unsigned (&shapes)[N][3], int argc,
                           char **argv) {
    size_t wrong = 0;
    if (argc > 3) {
        return demonstrate_lowbit<F>(launch, (unsigned)atoi(argv[1]),
                                     (unsigned)atoi(argv[2]),
                                     (unsigned)atoi(argv[3])) != 0;
    }
    for (const unsigned(&s)[3] : shapes) {
        const bool large = (double)s[0] * s[1] * s[2] > 1e7;
        wrong += large && !on_gpu()
                     ? 0
                     : demonstrate_lowbit<F>(launch, s[0], s[1], s[2]);
    }
    return wrong != 0;
}

} // namespace ll_kernels

#endif
