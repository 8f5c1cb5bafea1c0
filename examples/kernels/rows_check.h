/* rows_check.h - what the kernels of rows are compared with: the same in double
 * precision, and tables of random numbers.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_ROWS_CHECK_H
#define LL_ROWS_CHECK_H

#include "check.h"
#include <math.h>
#include <vector>

typedef std::vector<double> numbers;

/* What a program of checks says and returns at its end. */
inline int verdict(unsigned wrong) {
    printf(wrong ? "WRONG\n" : "All agree with the CPU.\n");
    return wrong != 0;
}

/* A matrix of the host and of the device, of random numbers from `low` to
 * `high` or of what a kernel must overwrite. */
template <class T> struct table {
    unsigned rows, cols;
    std::vector<T> host;
    T *device;

    table(unsigned m, unsigned n, unsigned seed = 0, float low = 0,
          float high = 0)
        : rows(m), cols(n), host((size_t)m * n) {
        const size_t bytes = (host.size() * sizeof(T) + 15) / 16 * 16;
        for (T &x : host) {
            seed = seed * 1664525u + 1013904223u;
            x = (T)(low + (float)(seed >> 16) * ((high - low) / 65536));
        }
        MUST(cudaMalloc((void **)&device, bytes));
        MUST(cudaMemset(device, 0xff, bytes));
        if (low < high) {
            MUST(cudaMemcpy(device, host.data(), host.size() * sizeof(T),
                            cudaMemcpyHostToDevice));
        }
    }
    ~table() { MUST(cudaFree(device)); }
    table(const table &) = delete;
    table &operator=(const table &) = delete;

    void fetch() {
        MUST(cudaMemcpy(host.data(), device, host.size() * sizeof(T),
                        cudaMemcpyDeviceToHost));
    }
    double at(unsigned i, unsigned j) const {
        return (double)(float)host[(size_t)i * cols + j];
    }
};

/* How many numbers of row i are further from the wanted ones than a part of
 * them, and `least`. */
template <class T>
unsigned wrong_in_row(const table<T> &y, unsigned i, const numbers &want,
                      double part, double least) {
    unsigned wrong = 0;
    for (unsigned j = 0; j < y.cols; ++j) {
        wrong += !(fabs(y.at(i, j) - want[j]) <= part * fabs(want[j]) + least);
    }
    return wrong;
}

/* Row i of x: e^x over the sum of all, or its logarithm. */
template <class T>
numbers softmax_by_hand(const table<T> &x, unsigned i, bool logarithm) {
    numbers y(x.cols);
    double sum = 0;
    for (unsigned j = 0; j < x.cols; ++j) {
        sum += exp(x.at(i, j));
    }
    for (unsigned j = 0; j < x.cols; ++j) {
        y[j] = x.at(i, j) - log(sum);
        y[j] = logarithm ? y[j] : exp(y[j]);
    }
    return y;
}

/* Row i of x: (x - mean) / deviation, or the same with a mean of 0; `by`
 * becomes one over the deviation. */
template <class T>
numbers norm_by_hand(const table<T> &x, unsigned i, bool layer, double *by) {
    numbers y(x.cols);
    double mean = 0, squares = 0;
    for (unsigned j = 0; layer && j < x.cols; ++j) {
        mean += x.at(i, j) / x.cols;
    }
    for (unsigned j = 0; j < x.cols; ++j) {
        y[j] = x.at(i, j) - mean;
        squares += y[j] * y[j];
    }
    *by = 1 / sqrt(squares / x.cols + 1e-5);
    for (double &z : y) {
        z *= *by;
    }
    return y;
}

/* Says how many elements of norms are wrong, and returns it. */
template <class T>
unsigned said_of_norms(const table<T> &x, bool layer, unsigned blocks,
                       unsigned wrong) {
    printf("%2u bits, %s of %u rows of %u elements, %u blocks a row: %u "
           "wrong\n", 8 * (unsigned)sizeof(T), layer ? "layernorm" : "rmsnorm",
           x.rows, x.cols, blocks, wrong);
    return wrong;
}

/* How many elements of dst are not those of the norms of the rows of src, times
 * gain and plus bias. */
template <class T>
unsigned wrong_norms(const table<T> &dst, const table<T> &src,
                     const table<T> &gain, const table<T> &bias, bool layer,
                     unsigned blocks) {
    const double most = sizeof(T) == 4 ? 4e-6 : 1e-2;
    unsigned wrong = 0;
    for (unsigned i = 0; i < src.rows; ++i) {
        double by;
        numbers want = norm_by_hand(src, i, layer, &by);
        for (unsigned j = 0; j < src.cols; ++j) {
            want[j] = want[j] * gain.at(0, j) + (layer ? bias.at(0, j) : 0);
        }
        wrong += wrong_in_row(dst, i, want, most, most);
    }
    return said_of_norms(src, layer, blocks, wrong);
}

/* The gradient of row i of x, and what the row adds to those of gain and
 * bias. */
template <class T>
numbers gradient_by_hand(const table<T> &x, const table<T> &dout,
                         const table<T> &gain, unsigned i, bool layer,
                         numbers &of_gain, numbers &of_bias) {
    double by, w = 0, wy = 0;
    numbers y = norm_by_hand(x, i, layer, &by);
    for (unsigned j = 0; j < x.cols; ++j) {
        const double d = dout.at(i, j), v = d * gain.at(0, j) / x.cols;
        of_gain[j] += d * y[j], of_bias[j] += d;
        w += layer ? v : 0, wy += v * y[j];
    }
    for (unsigned j = 0; j < x.cols; ++j) {
        y[j] = (dout.at(i, j) * gain.at(0, j) - w - y[j] * wy) * by;
    }
    return y;
}

/* How many elements are not those of the gradients: of x, and of gain and, of
 * a layernorm, bias. */
template <class T>
unsigned wrong_gradients(const table<T> &dx, const table<T> &dgain,
                         const table<T> &dbias, const table<T> &x,
                         const table<T> &dout, const table<T> &gain, bool layer,
                         unsigned blocks) {
    const double most = sizeof(T) == 4 ? 1e-5 : 1e-2;
    numbers of_gain(x.cols), of_bias(x.cols);
    unsigned wrong = 0;
    for (unsigned i = 0; i < x.rows; ++i) {
        const numbers want = gradient_by_hand(x, dout, gain, i, layer, of_gain,
                                              of_bias);
        wrong += wrong_in_row(dx, i, want, most, most);
    }
    wrong += wrong_in_row(dgain, 0, of_gain, most, most);
    wrong += layer ? wrong_in_row(dbias, 0, of_bias, most, most) : 0;
    return said_of_norms(x, layer, blocks, wrong);
}

/* Sums and differences of pairs, for each bit of the index. */
inline void hadamard_by_hand(numbers &x) {
    for (size_t bit = 1; bit < x.size(); bit *= 2) {
        for (size_t j = 0; j < x.size(); ++j) {
            if (!(j & bit)) {
                const double p = x[j], q = x[j | bit];
                x[j] = p + q, x[j | bit] = p - q;
            }
        }
    }
}

/* e4m3 as a number. */
inline double value_of_e4m3(unsigned char x) {
    const int e = x >> 3 & 15, f = x & 7;
    const double y = e ? ldexp(8 + f, e - 10) : ldexp(f, -9);
    return x & 0x80 ? -y : y;
}

/* Is the byte times the scale what it stands for, to half a step? */
inline bool is_e4m3_of(unsigned char byte, double scale, double x) {
    const double y = value_of_e4m3(byte);
    const double step = fmax(fabs(x) / 16, scale / 1024);
    return fabs(y * scale - x) <= step * 1.01 ||
           (fabs(y) == 448 && fabs(x) <= 512 * scale);
}

#endif
