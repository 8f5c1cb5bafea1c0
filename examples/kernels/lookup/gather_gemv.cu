/* gather_gemv.cu - how fast is a vector multiplied by gathered matrices?
 * SPDX-License-Identifier: MIT
 *
 * A token chooses a few of many matrices: y[e] = w[index[e]] x. Every weight, a
 * byte, is used once, so the product is as fast as memory if each lane has
 * enough loads in flight. A warp walks along ROWS_PER_WARP rows. In its layout
 * the sums of a row lie in the lanes of one warp; LL_REDUCE adds them up at the
 * end. Only the address of the matrix, which comes from the index, differs from
 * a plain GEMV.
 *
 * Two instructions convert a byte to a float: prmt makes it the low byte of
 * 2^23, and 2^23 + 128 is subtracted.
 *
 * Build: nvcc -std=c++17 -O3 -arch=sm_90 -I. \
 *            examples/kernels/lookup/gather_gemv.cu -o gemv
 *        or, without a GPU, tools/emulator/emucc -I. ..
 */
#include "../rows/rows.h"

using namespace ll_kernels;

/* Returns byte k of a word as a float; the sign bits of its bytes are
 * inverted. */
__device__ inline float byte_to_float(unsigned word, unsigned k) {
    return __uint_as_float(__byte_perm(word, 0x4b000000u, 0x7440u | k)) -
           8388736.0f;
}

/* Multiplies matrices index[0], .. of w, m x n bytes each, by x. Row e of y is
 * the e-th product. n is a multiple of 512, m of 8 ROWS_PER_WARP. */
template <unsigned ROWS_PER_WARP>
__global__ void __launch_bounds__(256)
    gather_gemv(float *y, const signed char *w, const int *index, const bf16 *x,
                unsigned m, unsigned n) {
    LL_LAYOUT(WEIGHTS,
              ll_mul(ll_mul(ll_identity(16, LL_REGISTER, LL_J),
                            ll_identity(32, LL_LANE, LL_J)),
                     ll_mul(ll_identity(ROWS_PER_WARP, LL_REGISTER, LL_I),
                            ll_identity(8, LL_WARP, LL_I))));
    LL_LAYOUT(VECTOR, ll_mul(ll_mul(ll_identity(16, LL_REGISTER, LL_J),
                                    ll_identity(32, LL_LANE, LL_J)),
                             ll_zeros(8, LL_WARP, LL_I, 1)));
    LL_LAYOUT(SUMS, ll_mul(ll_identity(32, LL_LANE, LL_J),
                           ll_mul(ll_identity(ROWS_PER_WARP, LL_REGISTER, LL_I),
                                  ll_identity(8, LL_WARP, LL_I))));
    LL_LAYOUT(OUT, ll_reduce(LL_GET(SUMS), LL_J));
    LL_REDUCE_PLAN(ALL, SUMS, LL_J, 32, LL_SM90);
    const unsigned i = blockIdx.x * 8 * ROWS_PER_WARP;
    const signed char *from =
        w + (size_t)index[blockIdx.y] * m * n + (size_t)i * n;
    float sum[ROWS_PER_WARP] = {};
#pragma unroll 4
    for (unsigned j = 0; j < n; j += 512) {
        unsigned a[LL_WORDS(WEIGHTS, 8)], b[LL_WORDS(VECTOR, 16)];
        LL_LOAD_BY(a, WEIGHTS, LL_STREAM, from + j, n);
        LL_LOAD(b, VECTOR, x + j, 0);
        LL_EACH(r, WEIGHTS) {
            sum[r / 16] = fmaf(byte_to_float(a[r / 4] ^ 0x80808080u, r % 4),
                               number<bf16>(b, r % 16), sum[r / 16]);
        }
    }
    float out[LL_REGS(OUT)];
    LL_REDUCE(out, sum, ALL, nullptr, ll_add());
    LL_STORE(out, OUT, y + (size_t)blockIdx.y * m + i, 0);
}

/* Launches gather_gemv. Returns an error message, or null. */
template <unsigned ROWS_PER_WARP>
const char *gather_gemv_by(float *y, const signed char *w, const int *index,
                           unsigned count, const bf16 *x, unsigned m,
                           unsigned n) {
    if (!m || !n || m % (8 * ROWS_PER_WARP) || n % 512) {
        return "rows are a multiple of 8 for each row of a warp, columns of "
               "512, and there is at least one of each";
    }
    if (!count || count > 65535) {
        return "1 to 65535 matrices are chosen";
    }
    if (const char *const bad = misplaced(y, w, x)) {
        return bad;
    }
    gather_gemv<ROWS_PER_WARP>
        <<<dim3(m / (8 * ROWS_PER_WARP), count), 256, 0, launch_stream()>>>(
            y, w, index, x, m, n);
    return said(cudaGetLastError());
}

#ifndef LL_NO_MAIN

template <unsigned ROWS_PER_WARP> unsigned check(unsigned m, unsigned n) {
    enum : unsigned { MATRICES = 4, CHOSEN = 2 };
    const table<bf16> x(1, n, 1, -1, 1);
    table<float> y(CHOSEN, m);
    std::vector<signed char> w((size_t)MATRICES * m * n);
    const int index[CHOSEN] = {3, 1};
    signed char *weights;
    int *chosen;
    unsigned wrong = 0;
    randomise(w.data(), w.size(), 1);
    MUST(cudaMalloc((void **)&weights, w.size()));
    MUST(cudaMalloc((void **)&chosen, sizeof index));
    MUST(cudaMemcpy(weights, w.data(), w.size(), cudaMemcpyHostToDevice));
    MUST(cudaMemcpy(chosen, index, sizeof index, cudaMemcpyHostToDevice));
    MUST(gather_gemv_by<ROWS_PER_WARP>(y.device, weights, chosen, CHOSEN,
                                       x.device, m, n));
    y.fetch();
    for (unsigned e = 0; e < CHOSEN; ++e) {
        for (unsigned i = 0; i < m; ++i) {
            const signed char *row = &w[((size_t)index[e] * m + i) * n];
            double sum = 0, all = 0;
            for (unsigned j = 0; j < n; ++j) {
                sum += row[j] * x.at(0, j);
                all += fabs(row[j] * x.at(0, j));
            }
            wrong += !(fabs(y.at(e, i) - sum) <= 1e-6 * all);
        }
    }
    cudaFree(weights), cudaFree(chosen);
    printf("%u of %u matrices of %u x %u: %u wrong\n", +CHOSEN, +MATRICES, m, n,
           wrong);
    return wrong;
}

/* Returns the number of invalid arguments that are not refused. */
static unsigned check_refusals(void) {
    const unsigned sizes[][3] = {{0, 16, 512}, {65536, 16, 512}, {1, 0, 512},
                                 {1, 8, 512},  {1, 16, 0},       {1, 16, 768}};
    alignas(16) const signed char some[2] = {};
    unsigned wrong =
        !gather_gemv_by<2>(nullptr, some + 1, nullptr, 1, nullptr, 16, 512);
    for (const auto &s : sizes) {
        wrong += !gather_gemv_by<2>(nullptr, nullptr, nullptr, s[0], nullptr,
                                    s[1], s[2]);
    }
    return wrong;
}

int main(void) {
    const unsigned wrong = check<4>(64, 512) + check<2>(16, 1024) +
                           check<1>(24, 1536) + check_refusals();
    return verdict(wrong);
}

#endif
