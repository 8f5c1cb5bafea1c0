/* scaled_check.h - checks a GEMM of e4m3 with scales
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_SCALED_CHECK_H
#define LL_SCALED_CHECK_H

#include "matmul_check.h"
#include <vector>

namespace ll_kernels {

/* Returns scale x: a whole number, so that all sums are exact. */
static inline float scale_at(size_t x) { return (float)(1 + x * 7 % 11 % 3); }

/* Returns `count` scales in device memory. */
static inline float *random_scales(size_t count) {
    std::vector<float> host(count);
    float *p;
    for (size_t x = 0; x < count; ++x) {
        host[x] = scale_at(x);
    }
    MUST(cudaMalloc((void **)&p, 4 * count));
    MUST(cudaMemcpy(p, host.data(), 4 * count, cudaMemcpyHostToDevice));
    return p;
}

/* Returns element i, j of C. */
static inline long long scaled_element(bool by_blocks, unsigned i, unsigned j,
                                       unsigned m, unsigned k) {
    const size_t blocks = (k + 127) / 128, pitch = (m + 3) / 4 * 4;
    long long all = 0;
    for (unsigned z = 0; z < k; z += 128) {
        const size_t at_a = by_blocks ? z / 128 * pitch + i : i;
        const size_t at_b = by_blocks ? j / 128 * blocks + z / 128 : j;
        long long sum = 0;
        for (unsigned y = z; y < k && y < z + 128; ++y) {
            sum +=
                value_at((size_t)i * k + y, 1) * value_at((size_t)j * k + y, 2);
        }
        all += sum * (long long)(scale_at(at_a) * scale_at(at_b));
    }
    return all;
}

/* Runs launch(c, a, b, scales_a, scales_b), which returns an error message or
 * null, and checks C. Prints the speed. Returns the number of faults. */
template <class LAUNCH>
size_t check_scaled(bool by_blocks, unsigned m, unsigned n, unsigned k,
                    LAUNCH launch) {
    void *a = matrix_of(dtype::e4m3, (size_t)m * k, 1);
    void *b = matrix_of(dtype::e4m3, (size_t)n * k, 2);
    const size_t blocks = (k + 127) / 128, step = (size_t)m * n / 10000 + 1;
    float *const scales_a =
        random_scales(by_blocks ? blocks * ((m + 3) / 4 * 4) : m);
    float *const scales_b =
        random_scales(by_blocks ? blocks * ((n + 127) / 128) : n);
    std::vector<unsigned short> host((size_t)m * n);
    unsigned short *c;
    size_t wrong = 0;
    MUST(cudaMalloc((void **)&c, 2 * host.size()));
    const char *bad = 0;
    const float ms = timed([&] { bad = launch(c, a, b, scales_a, scales_b); });
    MUST(bad);
    MUST(cudaMemcpy(host.data(), c, 2 * host.size(), cudaMemcpyDeviceToHost));
    for (size_t x = 0; x < host.size(); x += step) {
        wrong += !is_right(dtype::bf16, (unsigned char *)&host[x],
                           scaled_element(by_blocks, (unsigned)(x / n),
                                          (unsigned)(x % n), m, k));
    }
    for (void *x : {a, b, (void *)c, (void *)scales_a, (void *)scales_b}) {
        MUST(cudaFree(x));
    }
    printf("%u x %u x %u: ", m, n, k);
    return report_wrong(wrong, ms, 2e-9 * m * n * k / ms, "T/s");
}

} // namespace ll_kernels

#endif
