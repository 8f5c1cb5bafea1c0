/* attention_check.h - random tensors, attention in double precision, and the
 * command line of the attention programs
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_ATTENTION_CHECK_H
#define LL_ATTENTION_CHECK_H

#include "../check.h"
#include "attention_shape.h"
#include <math.h>
#include <string.h>
#include <vector>

namespace ll_kernels {

/* The tensors of a test. The number is the seed of its elements. */
enum tensor_seed : unsigned { SEED_Q = 1, SEED_K, SEED_V };

/* Factor of all elements of Q. */
inline float &scale_of_q() {
    static float scale = 1;
    return scale;
}

/* Returns element x of a tensor; elements are about normal. */
inline float random_value(size_t x, unsigned seed) {
    unsigned h = (unsigned)x * 2654435761u + seed * 40503u;
    int sum = 0;
    for (unsigned k = 0; k < 4; ++k) {
        h = (h ^ h >> 15) * 2246822519u;
        h ^= h >> 13;
        sum += (int)(h >> 8 & 63) - 31;
    }
    return (float)(sum - 2) / 37.0f * (seed == SEED_Q ? scale_of_q() : 1);
}

/* Returns the bits of f, rounded towards 0. E4M3: |f| is at most 448, and less
 * than 1/64 is rounded to 0. */
template <number_format FORMAT> unsigned bits_of_float(float f) {
    unsigned w = 0;
    memcpy(&w, &f, 4);
    const unsigned sign = w >> 31, exponent = w >> 23 & 255;
    if (FORMAT == number_format::BF16) {
        return w >> 16;
    }
    if (FORMAT == number_format::F16) {
        return f == 0 ? 0
                      : sign << 15 | (exponent - 112) << 10 | (w >> 13 & 1023);
    }
    return fabsf(f) < 1.0f / 64
               ? 0
               : sign << 7 | (exponent - 120) << 3 | (w >> 20 & 7);
}

/* Returns the number with these bits. Denormals count as 0. */
template <number_format FORMAT> float float_of_bits(unsigned x) {
    const unsigned w =
        FORMAT == number_format::BF16 ? x << 16
        : FORMAT == number_format::F16
            ? (x >> 15) << 31 | ((x >> 10 & 31) + 112) << 23 | (x & 1023) << 13
            : (x >> 7) << 31 | ((x >> 3 & 15) + 120) << 23 | (x & 7) << 20;
    float f = 0;
    memcpy(&f, &w, 4);
    return (FORMAT == number_format::F16 && (x & 0x7fff) < 1024) ||
                   (FORMAT == number_format::E4M3 && (x & 127) < 8)
               ? 0
               : f;
}

/* Returns a random tensor on the GPU. */
template <number_format FORMAT>
void *random_tensor(size_t count, unsigned seed) {
    const size_t bytes = FORMAT == number_format::E4M3 ? 1 : 2;
    unsigned char *host = (unsigned char *)malloc(bytes * count);
    void *p = 0;
    for (size_t x = 0; x < count; ++x) {
        const unsigned w = bits_of_float<FORMAT>(random_value(x, seed));
        memcpy(host + bytes * x, &w, bytes);
    }
    MUST(cudaMalloc(&p, bytes * count));
    MUST(cudaMemcpy(p, host, bytes * count, cudaMemcpyHostToDevice));
    free(host);
    return p;
}

/* Returns element x of a random tensor. */
template <number_format FORMAT> double random_element(size_t x, unsigned seed) {
    return float_of_bits<FORMAT>(bits_of_float<FORMAT>(random_value(x, seed)));
}

inline int *to_device(const std::vector<int> &x) {
    int *p;
    MUST(cudaMalloc((void **)&p, 4 * x.size()));
    MUST(cudaMemcpy(p, x.data(), 4 * x.size(), cudaMemcpyHostToDevice));
    return p;
}

/* A sequence: its first row and key, and its numbers of rows and keys. */
struct sequence {
    size_t row, key;
    long long rows, keys;
};

/* Computes row i of head h of a sequence.
 *   out     set to the row
 *   spread  set to the root of the sum of squares of what is added up */
template <unsigned HEAD_DIM, number_format FORMAT>
void attention_row(double *out, double *spread, const attention_shape &s,
                   const sequence &q, size_t h, long long i) {
    const size_t kv = h / (s.heads / s.kv_heads);
    const long long end = i + q.keys - q.rows;
    double sum = 0;
    for (unsigned d = 0; d < HEAD_DIM; ++d) {
        out[d] = spread[d] = 0;
    }
    for (long long j = 0; j < q.keys; ++j) {
        const size_t at = ((q.key + (size_t)j) * s.kv_heads + kv) * HEAD_DIM;
        const size_t row = ((q.row + (size_t)i) * s.heads + h) * HEAD_DIM;
        double x = 0;
        if ((s.causal && j > end) || (s.window && j + s.window <= end)) {
            continue;
        }
        for (unsigned d = 0; d < HEAD_DIM; ++d) {
            x += random_element<FORMAT>(row + d, SEED_Q) *
                 random_element<FORMAT>(at + d, SEED_K);
        }
        const double w = exp(x / sqrt((double)HEAD_DIM));
        sum += w;
        for (unsigned d = 0; d < HEAD_DIM; ++d) {
            const double part = w * random_element<FORMAT>(at + d, SEED_V);
            out[d] += part;
            spread[d] += part * part;
        }
    }
    for (unsigned d = 0; d < HEAD_DIM; ++d) {
        out[d] /= sum == 0 ? 1 : sum;
        spread[d] = sqrt(spread[d]) / (sum == 0 ? 1 : sum);
    }
}

/* Returns how many elements of O are wrong, of every row, or of some if there
 * are many. Rounding P to e4m3 changes each probability by 0.027 of it in the
 * root mean square; six times that is allowed. */
template <unsigned HEAD_DIM, number_format FORMAT>
size_t count_wrong(const unsigned short *o, const attention_shape &s,
                   const std::vector<sequence> &all) {
    constexpr bool fp8 = FORMAT == number_format::E4M3;
    constexpr number_format OUT = fp8 ? number_format::BF16 : FORMAT;
    size_t wrong = 0, number = 0;
    double want[HEAD_DIM], spread[HEAD_DIM];
    for (const sequence &q : all) {
        const size_t lines = (size_t)q.rows * s.heads;
        const size_t some =
            lines * (size_t)q.keys > 1u << 18 ? lines / 13 + 1 : 1;
        for (size_t x = number++ % some; x < lines; x += some) {
            const size_t at = (q.row * s.heads + x) * HEAD_DIM;
            attention_row<HEAD_DIM, FORMAT>(want, spread, s, q, x % s.heads,
                                            (long long)(x / s.heads));
            for (unsigned d = 0; d < HEAD_DIM; ++d) {
                const double got = float_of_bits<OUT>(o[at + d]);
                const double by = fp8 ? 0.16 * spread[d] : 0;
                wrong +=
                    !(fabs(got - want[d]) <= 0.01 + 0.01 * fabs(want[d]) + by);
            }
        }
    }
    return wrong;
}

/* Runs a shape, checks it and prints the speed. Returns how much is wrong. If
 * `ragged`, sequence x has rows - 37 x rows and keys - 21 x keys. */
template <unsigned HEAD_DIM, number_format FORMAT>
size_t run_shape(attention_launcher launch, attention_shape s, bool ragged) {
    std::vector<sequence> all;
    std::vector<int> row_start, key_start;
    size_t rows = 0, keys = 0;
    double pairs = 0;
    const char *bad = 0;
    for (unsigned b = 0; b <= s.batch; ++b) {
        const sequence q = {rows, keys,
                            (int)s.rows - (ragged ? 37 * (int)b : 0),
                            (int)s.keys - (ragged ? 21 * (int)b : 0)};
        row_start.push_back((int)rows);
        key_start.push_back((int)keys);
        if (b < s.batch) {
            all.push_back(q);
            rows += (size_t)q.rows;
            keys += (size_t)q.keys;
            pairs += (double)q.rows * (double)q.keys;
        }
    }
    if (ragged) {
        s.row_start = to_device(row_start);
        s.key_start = to_device(key_start);
        s.all_rows = (unsigned)rows;
        s.all_keys = (unsigned)keys;
    }
    const size_t n = rows * s.heads * HEAD_DIM,
                 m = keys * s.kv_heads * HEAD_DIM;
    void *q = random_tensor<FORMAT>(n, SEED_Q),
         *k = random_tensor<FORMAT>(m, SEED_K),
         *v = random_tensor<FORMAT>(m, SEED_V), *o;
    std::vector<unsigned short> host(n);
    MUST(cudaMalloc(&o, 2 * n));
    MUST(cudaMemset(o, 255, 2 * n));
    const float ms = timed([&] { bad = launch(o, q, k, v, s); });
    printf("%u x %u rows, %u heads of %u, %u keys, %u heads%s%s, window %u: ",
           s.batch, s.rows, s.heads, HEAD_DIM, s.keys, s.kv_heads,
           s.causal ? ", causal" : "", ragged ? ", ragged" : "", s.window);
    if (bad) {
        printf("%s\n", bad);
        return 1;
    }
    MUST(cudaMemcpy(host.data(), o, 2 * n, cudaMemcpyDeviceToHost));
    const size_t wrong = count_wrong<HEAD_DIM, FORMAT>(host.data(), s, all);
    for (void *p : {q, k, v, o, (void *)s.row_start, (void *)s.key_start}) {
        MUST(cudaFree(p));
    }
    const double products = pairs * s.heads * HEAD_DIM / (s.causal ? 2 : 1);
    return report_wrong(wrong, ms, 4e-9 * products / ms, "T/s");
}

/* Returns a shape of batch, heads, kv_heads, rows, keys, causal and window. */
inline attention_shape shape_of_numbers(const unsigned (&x)[8]) {
    attention_shape s = {};
    s.batch = x[0], s.heads = x[1], s.kv_heads = x[2];
    s.rows = x[3], s.keys = x[4], s.causal = x[5], s.window = x[6];
    return s;
}

/* Runs the shape of the command line, or a list of shapes if it has none. The
 * eighth argument is `ragged`, the ninth the factor of Q. Returns the exit
 * status. */
template <unsigned HEAD_DIM, number_format FORMAT>
int run_shapes(attention_launcher launch, int argc, char **argv) {
    static const unsigned shapes[][8] = {
        {1, 2, 1, 100, 200, 0, 0, 0},      {67, 2, 1, 1, 1, 0, 0, 0},
        {1, 1, 1, 300, 300, 1, 0, 0},      {1, 1, 1, 260, 700, 1, 150, 0},
        {1, 1, 1, 200, 100, 1, 0, 0},      {3, 2, 2, 140, 150, 1, 0, 1},
        {8, 16, 16, 2048, 2048, 0, 0, 0},  {1, 16, 16, 16384, 16384, 0, 0, 0},
        {1, 16, 2, 16384, 16384, 1, 0, 0}, {9, 16, 4, 2000, 2100, 1, 0, 1}};
    size_t wrong = 0;
    if (argc > 7) {
        unsigned x[8] = {};
        for (int k = 0; k < 8 && k + 1 < argc; ++k) {
            x[k] = (unsigned)atoi(argv[k + 1]);
        }
        scale_of_q() = argc > 9 ? (float)atof(argv[9]) : 1;
        return run_shape<HEAD_DIM, FORMAT>(launch, shape_of_numbers(x),
                                           x[7] != 0) != 0;
    }
    for (const unsigned(&x)[8] : shapes) {
        if (x[3] <= 1000 || on_gpu()) {
            wrong += run_shape<HEAD_DIM, FORMAT>(launch, shape_of_numbers(x),
                                                 x[7] != 0);
        }
    }
    return wrong != 0;
}

} // namespace ll_kernels

#endif
