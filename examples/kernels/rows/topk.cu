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

using namespace ll_kernels;

/* Packs a value and its column into an integer that sorts by value, then by
 * descending column; and unpacks it. */
template <class ELEMENT> struct packed;
template <> struct packed<bf16> {
    typedef unsigned type;
    typedef unsigned short bits;
};
template <> struct packed<float> {
    typedef unsigned long long type;
    typedef unsigned bits;
};

template <class ELEMENT>
__device__ typename packed<ELEMENT>::type pack(ELEMENT x, unsigned j) {
    typedef typename packed<ELEMENT>::bits bits;
    constexpr unsigned size = 8 * sizeof(bits);
    bits b;
    memcpy(&b, &x, sizeof b);
    b ^= b >> (size - 1) ? (bits) ~(bits)0 : (bits)((bits)1 << (size - 1));
    return (typename packed<ELEMENT>::type)b << size | (bits)~j;
}

template <class ELEMENT>
__device__ ELEMENT unpack(typename packed<ELEMENT>::type key, unsigned *j) {
    typedef typename packed<ELEMENT>::bits bits;
    constexpr unsigned size = 8 * sizeof(bits);
    bits b = (bits)(key >> size);
    ELEMENT x;
    b ^= b >> (size - 1) ? (bits)((bits)1 << (size - 1)) : (bits) ~(bits)0;
    memcpy(&x, &b, sizeof x);
    *j = (bits) ~(bits)key;
    return x;
}

/* Writes the K largest elements of each row of src to `values`, rows x K, in
 * descending order, and their columns to `columns`. If K is the number of all
 * elements, this sorts the row. */
template <class ELEMENT, unsigned K, unsigned PER_LANE, unsigned WARPS,
          unsigned ROWS_PER_BLOCK, bool FULL_TILE>
__global__ void __launch_bounds__(32 * WARPS * ROWS_PER_BLOCK)
    topk(ELEMENT *values, unsigned *columns, const ELEMENT *src, unsigned rows,
         unsigned n) {
    typedef typename packed<ELEMENT>::type key;
    LL_LAYOUT(ROW_LAYOUT,
              row_of(16 / sizeof(ELEMENT), PER_LANE, WARPS, 1, ROWS_PER_BLOCK));
    LL_TOP_PLAN(SOME, ROW_LAYOUT, LL_J, K, 8 * sizeof(key), LL_SM90);
    LL_SORT_PLAN(ALL, ROW_LAYOUT, LL_J, 8 * sizeof(key), LL_SM90);
    typedef std::conditional_t<K == PER_LANE * WARPS * 32, ALL, SOME> SORT;
    LL_LAYOUT(BEST, LL_GET(SORT).to);
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(SORT)];
    row_stream<ELEMENT, ROW_LAYOUT, 1, FULL_TILE, false> here(rows, n);
    unsigned a[here.words], at[LL_REGS(BEST)];
    key keys[LL_REGS(ROW_LAYOUT)], best[LL_REGS(BEST)];
    ELEMENT out[LL_REGS(BEST)];
    here.load(a, nullptr, src, (ELEMENT)-INFINITY);
    LL_EACH(r, ROW_LAYOUT) {
        const ELEMENT x = (ELEMENT)number<ELEMENT>(a, r);
        keys[r] = here.has(r) ? pack(x, (unsigned)here.column(r)) : 0;
    }
    LL_SORT(best, keys, SORT, smem, ll_down());
    LL_EACH(r, BEST) { out[r] = unpack<ELEMENT>(best[r], at + r); }
    const size_t row = (size_t)blockIdx.x * ROWS_PER_BLOCK;
    const unsigned left = FULL_TILE ? ROWS_PER_BLOCK : (unsigned)(rows - row);
    const unsigned some = n < K ? n : K;
    LL_STORE(out, BEST, values + row * K, K, left, some);
    LL_STORE(at, BEST, columns + row * K, K, left, some);
}

/* Launches topk for rows of n elements, which must fit the tile as in
 * softmax_by. Returns an error message, or null. */
template <class ELEMENT, unsigned K, unsigned PER_LANE, unsigned WARPS,
          unsigned ROWS_PER_BLOCK>
const char *topk_by(ELEMENT *values, unsigned *columns, const ELEMENT *src,
                    unsigned rows, unsigned n) {
    constexpr unsigned tile = PER_LANE * WARPS * 32;
    const char *bad = misfit(rows, n, tile, 16 / sizeof(ELEMENT));
    bad = bad ? bad : misplaced(values, src, columns);
    return bad ? bad
               : launch(n == tile && rows % ROWS_PER_BLOCK == 0
                            ? topk<ELEMENT, K, PER_LANE, WARPS, ROWS_PER_BLOCK,
                                   true>
                            : topk<ELEMENT, K, PER_LANE, WARPS, ROWS_PER_BLOCK,
                                   false>,
                        (rows + ROWS_PER_BLOCK - 1) / ROWS_PER_BLOCK,
                        32 * WARPS * ROWS_PER_BLOCK, 1, values, columns, src,
                        rows, n);
}

#ifndef LL_NO_MAIN

/* Runs rows of n elements and returns how many results are wrong. */
template <class ELEMENT, unsigned K, unsigned PER_LANE, unsigned WARPS,
          unsigned ROWS_PER_BLOCK>
unsigned check(unsigned rows, unsigned n) {
    const table<ELEMENT> src(rows, n, 1, -8, 8);
    table<ELEMENT> values(rows, K);
    table<float> columns(rows, K); /* of unsigned numbers */
    unsigned wrong = 0;
    std::vector<unsigned> order(n);
    MUST(topk_by<ELEMENT, K, PER_LANE, WARPS, ROWS_PER_BLOCK>(
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
           8 * (unsigned)sizeof(ELEMENT), K, rows, n, wrong);
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
