/* attention.h - what attention.cu and attention_fp8.cu need besides kernels: the
 * shape, random tensors, and a check in double precision.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_ATTENTION_H
#define LL_ATTENTION_H

#include "../check.h"
#include <math.h>
#include <string.h>
#include <vector>

#ifndef HEAD
#define HEAD 128
#endif
#ifndef HALF
#define HALF 0
#endif
#ifndef FP8 /* Q, K and V are e4m3 */
#define FP8 0
#endif

struct shape {
    unsigned batch, heads, kv_heads, rows, keys, causal, window;
    /* or null; numbers of the first row and key of each sequence, and an end */
    const int *row_start, *key_start;
    unsigned all_rows, all_keys; /* then, of all sequences */
    /* the launcher sets these */
    float scale; /* of scores, and the logarithm of e to base 2 */
    unsigned group;
    unsigned short *out;
};

typedef const char *(*launcher)(void *o, const void *q, const void *k,
                                const void *v, shape s);

/* By what Q is multiplied, whose seed is 1. */
static float rows_by = 1;

/* Element x of a tensor, about normal. */
static inline float value(size_t x, unsigned seed) {
    unsigned h = (unsigned)x * 2654435761u + seed * 40503u;
    int sum = 0;
    for (unsigned k = 0; k < 4; ++k) {
        h = (h ^ h >> 15) * 2246822519u;
        h ^= h >> 13;
        sum += (int)(h >> 8 & 63) - 31;
    }
    return (float)(sum - 2) / 37.0f * (seed == 1 ? rows_by : 1);
}

static inline unsigned bits_of(float f) {
    unsigned w = 0;
    memcpy(&w, &f, 4);
    return HALF ? (f == 0 ? 0
                          : (w >> 31) << 15 | ((w >> 23 & 255) - 112) << 10 |
                                (w >> 13 & 1023))
                : w >> 16;
}

static inline float float_of(unsigned x) {
    const unsigned w = HALF ? (x >> 15) << 31 | ((x >> 10 & 31) + 112) << 23 |
                                  (x & 1023) << 13
                            : x << 16;
    float f = 0;
    memcpy(&f, &w, 4);
    return HALF && (x & 0x7fff) < 1024 ? 0 : f;
}

/* The same as e4m3, of 1/64 to 448 and 0; less is rounded to 0. */
static inline unsigned e4m3_of(float f) {
    unsigned w = 0;
    memcpy(&w, &f, 4);
    return fabsf(f) < 1.0f / 64 ? 0
                                : (w >> 31) << 7 |
                                      ((w >> 23 & 255) - 120) << 3 |
                                      (w >> 20 & 7);
}

static inline float float_of_e4m3(unsigned x) {
    const unsigned w = (x >> 7) << 31 | ((x >> 3 & 15) + 120) << 23 |
                       (x & 7) << 20;
    float f = 0;
    memcpy(&f, &w, 4);
    return (x & 127) < 8 ? 0 : f;
}

/* Elements of Q, K or V. */
static inline void *tensor(size_t count, unsigned seed) {
    const size_t bytes = FP8 ? 1 : 2;
    unsigned char *host = (unsigned char *)malloc(bytes * count);
    void *p = 0;
    for (size_t x = 0; x < count; ++x) {
        const float f = value(x, seed);
        const unsigned w = FP8 ? e4m3_of(f) : bits_of(f);
        memcpy(host + bytes * x, &w, bytes);
    }
    MUST(cudaMalloc(&p, bytes * count));
    MUST(cudaMemcpy(p, host, bytes * count, cudaMemcpyHostToDevice));
    free(host);
    return p;
}

static inline double element(size_t x, unsigned seed) {
    return FP8 ? float_of_e4m3(e4m3_of(value(x, seed)))
               : float_of(bits_of(value(x, seed)));
}

/* A sequence: its first row and key, and how many it has. */
struct sequence {
    size_t row, key;
    long long rows, keys;
};

/* Row i of a head of a sequence; `spread` is the root of the sum of squares of
 * what is added. */
static inline void row_by_hand(double *out, double *spread, const shape &s,
                               const sequence &q, size_t h, long long i) {
    const size_t kv = h / (s.heads / s.kv_heads);
    const long long end = i + q.keys - q.rows;
    double sum = 0;
    for (unsigned d = 0; d < HEAD; ++d) {
        out[d] = spread[d] = 0;
    }
    for (long long j = 0; j < q.keys; ++j) {
        const size_t at = ((q.key + (size_t)j) * s.kv_heads + kv) * HEAD;
        const size_t row = ((q.row + (size_t)i) * s.heads + h) * HEAD;
        double x = 0;
        if ((s.causal && j > end) || (s.window && j + s.window <= end)) {
            continue;
        }
        for (unsigned d = 0; d < HEAD; ++d) {
            x += element(row + d, 1) * element(at + d, 2);
        }
        const double w = exp(x / sqrt((double)HEAD));
        sum += w;
        for (unsigned d = 0; d < HEAD; ++d) {
            const double part = w * element(at + d, 3);
            out[d] += part;
            spread[d] += part * part;
        }
    }
    for (unsigned d = 0; d < HEAD; ++d) {
        out[d] /= sum == 0 ? 1 : sum;
        spread[d] = sqrt(spread[d]) / (sum == 0 ? 1 : sum);
    }
}

/* Every row, or some where there are many. The rounding of weights to e4m3 is
 * off by 0.027 of each in the mean of squares: six times that is allowed. */
static inline size_t count_wrong(const unsigned short *o, const shape &s,
                                 const std::vector<sequence> &all) {
    size_t wrong = 0, number = 0;
    double want[HEAD], spread[HEAD];
    for (const sequence &q : all) {
        const size_t lines = (size_t)q.rows * s.heads;
        const size_t some =
            lines * (size_t)q.keys > 1u << 18 ? lines / 13 + 1 : 1;
        for (size_t x = number++ % some; x < lines; x += some) {
            const size_t at = (q.row * s.heads + x) * HEAD;
            row_by_hand(want, spread, s, q, x % s.heads,
                        (long long)(x / s.heads));
            for (unsigned d = 0; d < HEAD; ++d) {
                const double got = float_of(o[at + d]);
                const double by = FP8 ? 0.16 * spread[d] : 0;
                wrong += !(fabs(got - want[d]) <=
                           0.01 + 0.01 * fabs(want[d]) + by);
            }
        }
    }
    return wrong;
}

static inline int *to_device(const std::vector<int> &x) {
    int *p;
    MUST(cudaMalloc((void **)&p, 4 * x.size()));
    MUST(cudaMemcpy(p, x.data(), 4 * x.size(), cudaMemcpyHostToDevice));
    return p;
}

/* Runs a shape, checks it and prints the speed; returns what is wrong. Where
 * `ragged`, sequence x has rows - 37 x rows, and keys - 21 x keys. */
static inline size_t demonstrate(launcher launch, shape s, bool ragged) {
    std::vector<sequence> all;
    std::vector<int> row_start, key_start;
    size_t rows = 0, keys = 0;
    double pairs = 0;
    const char *bad = 0;
    for (unsigned b = 0; b <= s.batch; ++b) {
        const sequence q = {rows, keys, (int)s.rows - (ragged ? 37 * (int)b : 0),
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
    const size_t n = rows * s.heads * HEAD, m = keys * s.kv_heads * HEAD;
    void *q = tensor(n, 1), *k = tensor(m, 2), *v = tensor(m, 3), *o;
    std::vector<unsigned short> host(n);
    MUST(cudaMalloc(&o, 2 * n));
    MUST(cudaMemset(o, 255, 2 * n));
    const float ms = timed([&] { bad = launch(o, q, k, v, s); });
    printf("%u x %u rows, %u heads of %u, %u keys, %u heads%s%s, window %u: ",
           s.batch, s.rows, s.heads, HEAD, s.keys, s.kv_heads,
           s.causal ? ", causal" : "", ragged ? ", ragged" : "", s.window);
    if (bad) {
        printf("%s\n", bad);
        return 1;
    }
    MUST(cudaMemcpy(host.data(), o, 2 * n, cudaMemcpyDeviceToHost));
    const size_t wrong = count_wrong(host.data(), s, all);
    for (void *p : {q, k, v, o, (void *)s.row_start, (void *)s.key_start}) {
        MUST(cudaFree(p));
    }
    const double products = pairs * s.heads * HEAD / (s.causal ? 2 : 1);
    return report_wrong(wrong, ms, 4e-9 * products / ms, "T/s");
}

/* The shape that the command names, with an eighth number of several lengths
 * and a ninth by what Q is multiplied, or all of a list: the exit status. */
static inline int demonstrate_all(launcher launch, int argc, char **argv) {
    static const unsigned shapes[][8] = {
        {1, 2, 1, 100, 200, 0, 0, 0},       {67, 2, 1, 1, 1, 0, 0, 0},
        {1, 1, 1, 300, 300, 1, 0, 0},       {1, 1, 1, 260, 700, 1, 150, 0},
        {1, 1, 1, 200, 100, 1, 0, 0},       {3, 2, 2, 140, 150, 1, 0, 1},
        {8, 16, 16, 2048, 2048, 0, 0, 0},   {1, 16, 16, 16384, 16384, 0, 0, 0},
        {1, 16, 2, 16384, 16384, 1, 0, 0},  {9, 16, 4, 2000, 2100, 1, 0, 1}};
    size_t wrong = 0;
    if (argc > 7) {
        unsigned x[8] = {};
        for (int k = 0; k < 8 && k + 1 < argc; ++k) {
            x[k] = (unsigned)atoi(argv[k + 1]);
        }
        shape s = {x[0], x[1], x[2], x[3], x[4], x[5], x[6],
                   0,    0,    0,    0,    0,    0,    0};
        rows_by = argc > 9 ? (float)atof(argv[9]) : 1;
        return demonstrate(launch, s, x[7] != 0) != 0;
    }
    for (const unsigned(&x)[8] : shapes) {
        shape s = {x[0], x[1], x[2], x[3], x[4], x[5], x[6],
                   0,    0,    0,    0,    0,    0,    0};
        wrong += x[3] > 1000 && !on_gpu() ? 0
                                          : demonstrate(launch, s, x[7] != 0);
    }
    return wrong != 0;
}

#endif
