/* scaled_check.h - a check of products with scales.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_SCALED_CHECK_H
#define LL_SCALED_CHECK_H

#include "matmul.h"
#include <vector>

/* Whole numbers, so that all sums are exact. */
static float scale_at(size_t x) { return (float)(1 + x * 7 % 11 % 3); }

static float *scales_of(size_t count) {
    std::vector<float> host(count);
    float *p;
    for (size_t x = 0; x < count; ++x) {
        host[x] = scale_at(x);
    }
    MUST(cudaMalloc((void **)&p, 4 * count));
    MUST(cudaMemcpy(p, host.data(), 4 * count, cudaMemcpyHostToDevice));
    return p;
}

/* An element of C. */
static long long wanted(bool by_blocks, unsigned i, unsigned j, unsigned m,
                        unsigned k) {
    long long all = 0;
    for (unsigned z = 0; z < k; z += 128) {
        const size_t at_a = by_blocks ? (size_t)z / 128 * up(m, 4) * 4 + i : i;
        const size_t at_b = by_blocks ? j / 128 * up(k, 128) + z / 128 : j;
        long long sum = 0;
        for (unsigned y = z; y < k && y < z + 128; ++y) {
            sum +=
                value_at((size_t)i * k + y, 1) * value_at((size_t)j * k + y, 2);
        }
        all += sum * (long long)(scale_at(at_a) * scale_at(at_b));
    }
    return all;
}

/* Runs a product, by launcher `number` or the chosen one, and checks it. */
static size_t check(bool by_blocks, unsigned m, unsigned n, unsigned k,
                    int number = -1, problem how = {}) {
    void *a = matrix_of(e4m3, (size_t)m * k, 1);
    void *b = matrix_of(e4m3, (size_t)n * k, 2);
    const size_t of_k = up(k, 128), step = (size_t)m * n / 10000 + 1;
    const scales by = {scales_of(by_blocks ? of_k * up(m, 4) * 4 : m),
                       scales_of(by_blocks ? of_k * up(n, 128) : n)};
    std::vector<unsigned short> host((size_t)m * n);
    unsigned short *c;
    size_t wrong = 0;
    MUST(cudaMalloc((void **)&c, 2 * host.size()));
    how.c = c, how.scale = 1, how.m = m, how.n = n, how.k = k;
    const char *bad = 0;
    const float ms = timed([&] {
        bad = number < 0 ? launch_by(by_blocks, c, a, b, by, m, n, k)
                         : SCALED[by_blocks][number](a, b, by, how);
    });
    MUST(bad);
    MUST(cudaMemcpy(host.data(), c, 2 * host.size(), cudaMemcpyDeviceToHost));
    for (size_t x = 0; x < host.size(); x += step) {
        wrong += !is_right(
            bf16, (unsigned char *)&host[x],
            wanted(by_blocks, (unsigned)(x / n), (unsigned)(x % n), m, k));
    }
    for (const void *x : {(const void *)a, (const void *)b, (const void *)c,
                          (const void *)by.a, (const void *)by.b}) {
        MUST(cudaFree((void *)x));
    }
    printf("%u x %u x %u: ", m, n, k);
    return report_wrong(wrong, ms, 2e-9 * m * n * k / ms, "T/s");
}

#endif
