/* topk.cu - how does a row find its largest elements without leaving registers?
 * SPDX-License-Identifier: MIT
 *
 * A sorting network compares elements whose coordinates differ in chosen bits.
 * The layout says where such pairs are: in two registers of a lane, in two
 * lanes, or in two warps, and LL_SORT makes one minimum, one shuffle or one
 * trip through shared memory of it. For the first K elements LL_TOP_PLAN sorts
 * runs of K and keeps the better half of two of them again and again; the
 * planner tries which of the row's bits a run should consist of.
 *
 * A key and its column make one integer, 32 bits for numbers of 16, so that a
 * comparison is one instruction, and equal numbers stay in the order of their
 * columns. A NaN counts as the largest number, or as the smallest if its sign
 * is set.
 *
 * Build: nvcc -std=c++17 -O3 -arch=sm_90 -I. \
 *            examples/kernels/rows/topk.cu -o topk
 *        or, without a GPU, tools/emulator/emucc -I. ..
 */
#define LL_SORTS
#include "rows.h"
#include <algorithm>

/* An integer of the order of (value, later columns first), and back. */
template <class T> struct packed;
template <> struct packed<bf16> {
    typedef unsigned type;
    typedef unsigned short bits;
};
template <> struct packed<float> {
    typedef unsigned long long type;
    typedef unsigned bits;
};

template <class T> __device__ typename packed<T>::type pack(T x, unsigned j) {
    typedef typename packed<T>::bits bits;
    constexpr unsigned size = 8 * sizeof(bits);
    bits b;
    memcpy(&b, &x, sizeof b);
    b ^= b >> (size - 1) ? (bits)~(bits)0 : (bits)((bits)1 << (size - 1));
    return (typename packed<T>::type)b << size | (bits)~j;
}

template <class T>
__device__ T unpack(typename packed<T>::type key, unsigned *j) {
    typedef typename packed<T>::bits bits;
    constexpr unsigned size = 8 * sizeof(bits);
    bits b = (bits)(key >> size);
    T x;
    b ^= b >> (size - 1) ? (bits)((bits)1 << (size - 1)) : (bits)~(bits)0;
    memcpy(&x, &b, sizeof x);
    *j = (bits)~(bits)key;
    return x;
}

/* values and columns, rows x K, become the largest elements of each row of src,
 * in descending order, and where they are. K of all elements sorts the row. */
template <class T, unsigned K, unsigned EACH, unsigned WARPS, unsigned TALL,
          bool WHOLE>
__global__ void __launch_bounds__(32 * WARPS * TALL)
    topk(T *values, unsigned *columns, const T *src, unsigned rows,
         unsigned n) {
    typedef typename packed<T>::type key;
    LL_LAYOUT(PART, row_of(16 / sizeof(T), EACH, WARPS, 1, TALL));
    LL_TOP_PLAN(SOME, PART, LL_J, K, 8 * sizeof(key), LL_SM90);
    LL_SORT_PLAN(ALL, PART, LL_J, 8 * sizeof(key), LL_SM90);
    typedef std::conditional_t<K == EACH * WARPS * 32, ALL, SOME> SORT;
    LL_LAYOUT(BEST, LL_GET(SORT).to);
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(SORT)];
    rows_of<T, PART, 1, WHOLE, false> here(rows, n);
    unsigned a[here.words], at[LL_REGS(BEST)];
    key keys[LL_REGS(PART)], best[LL_REGS(BEST)];
    T out[LL_REGS(BEST)];
    here.load(a, nullptr, src, (T)-INFINITY);
    LL_EACH(r, PART) {
        const T x = (T)number<T>(a, r);
        keys[r] = here.has(r) ? pack(x, (unsigned)here.column(r)) : 0;
    }
    LL_SORT(best, keys, SORT, smem, ll_down());
    LL_EACH(r, BEST) { out[r] = unpack<T>(best[r], at + r); }
    const size_t row = (size_t)blockIdx.x * TALL;
    const unsigned left = WHOLE ? TALL : (unsigned)(rows - row);
    const unsigned some = n < K ? n : K;
    LL_STORE(out, BEST, values + row * K, K, left, some);
    LL_STORE(at, BEST, columns + row * K, K, left, some);
}

/* Rows of n elements; n, and what a row may start late, at most the tile.
 * Returns null, or a sentence. */
template <class T, unsigned K, unsigned EACH, unsigned WARPS, unsigned TALL>
const char *topk_by(T *values, unsigned *columns, const T *src, unsigned rows,
                    unsigned n) {
    constexpr unsigned tile = EACH * WARPS * 32;
    const char *bad = misfit(rows, n, tile, 16 / sizeof(T));
    bad = bad ? bad : misplaced(values, src, columns);
    return bad ? bad
               : launch(n == tile && rows % TALL == 0
                            ? topk<T, K, EACH, WARPS, TALL, true>
                            : topk<T, K, EACH, WARPS, TALL, false>,
                        (rows + TALL - 1) / TALL, 32 * WARPS * TALL, 1, values,
                        columns, src, rows, n);
}

#ifndef LL_NO_MAIN

/* Runs rows of n elements and returns how many results are wrong. */
template <class T, unsigned K, unsigned EACH, unsigned WARPS, unsigned TALL>
unsigned check(unsigned rows, unsigned n) {
    const table<T> src(rows, n, 1, -8, 8);
    table<T> values(rows, K);
    table<float> columns(rows, K); /* of unsigned numbers */
    unsigned wrong = 0;
    std::vector<unsigned> order(n);
    MUST(topk_by<T, K, EACH, WARPS, TALL>(
        values.device, (unsigned *)columns.device, src.device, rows, n));
    values.fetch();
    columns.fetch();
    for (unsigned i = 0; i < rows; ++i) {
        for (unsigned j = 0; j < n; ++j) {
            order[j] = j;
        }
        std::stable_sort(order.begin(), order.end(),
                         [&](unsigned x, unsigned y) {
                             return src.at(i, x) > src.at(i, y);
                         });
        for (unsigned k = 0; k < K && k < n; ++k) {
            unsigned at;
            memcpy(&at, &columns.host[(size_t)i * K + k], 4);
            wrong += at != order[k] || values.at(i, k) != src.at(i, order[k]);
        }
    }
    printf("%2u bits, first %u of %u rows of %u elements: %u wrong\n",
           8 * (unsigned)sizeof(T), K, rows, n, wrong);
    return wrong;
}

int main(void) {
    unsigned wrong = check<bf16, 8, 8, 1, 2>(4, 256);
    wrong += check<bf16, 16, 8, 2, 1>(3, 501);
    wrong += check<float, 128, 4, 1, 1>(3, 128);
    wrong += check<float, 4, 4, 1, 1>(3, 125);
    alignas(16) unsigned x[8] = {};
    const float *const y = (const float *)x;
    wrong += !topk_by<float, 4, 4, 1, 1>((float *)x, x, y + 1, 1, 4);
    wrong += !topk_by<float, 4, 4, 1, 1>((float *)x, x, y, 1, 129);
    return verdict(wrong);
}

#endif
