/* topk.hip - how does a block find the largest elements of a row in registers?
 * SPDX-License-Identifier: MIT
 *
 * A sorting network compares elements whose coordinates differ in chosen bits.
 * The layout says where such pairs are: in two registers of a lane, in two
 * lanes, or in two warps, and LL_SORT makes a choice, a move between lanes
 * (DPP, permlanes, LDS permutes) or a trip through LDS of it. For the first K
 * elements LL_TOP_PLAN sorts runs of K and keeps the better half of two of them
 * again and again. An element is a key with its column, so that equal keys stay
 * in the order of their columns.
 *
 * Build: hipcc -std=c++17 -O3 --offload-arch=gfx942 -I. \
 *            examples/kernels/rows/topk.hip
 *        nvcc -x cu -std=c++17 -O3 -arch=sm_90 -I. ..
 *        or, without a GPU, tools/emulator/emucc -W64 -DEMU_GFX=0x942 -I. ..
 */
#define LL_SORTS
#include "../hip.h"

typedef ll_keyed<float, unsigned> element;

struct descending {
    __device__ bool operator()(element x, element y) const {
        return x.key > y.key || (x.key == y.key && x.value < y.value);
    }
};

/* Row number blockIdx.x of values and columns, K of each, becomes the largest
 * elements of that of src, in descending order, and where they are. A row has n
 * elements, whole lines of 16 bytes, at least K, at most EACH a thread. */
template <class T, unsigned K, unsigned EACH, unsigned THREADS>
__global__ void __launch_bounds__(THREADS)
    topk(T *values, unsigned *columns, const T *src, unsigned n) {
    LL_LAYOUT(ROW, row_of(sizeof(T), EACH, THREADS));
    LL_TOP_PLAN(SOME, ROW, LL_J, K, 8 * sizeof(element), TARGET);
    LL_LAYOUT(BEST, LL_GET(SOME).to);
    __shared__ ALIGNED unsigned char smem[LL_SMEM_BYTES(SOME)];
    T a[EACH], value[LL_REGS(BEST)];
    unsigned column[LL_REGS(BEST)];
    element all[EACH], best[LL_REGS(BEST)];
    LL_LOAD(a, ROW, src + (size_t)blockIdx.x * n, 0, 1, n);
    LL_EACH(r, ROW) {
        const unsigned j = LL_AT(ROW, LL_J, r);
        all[r].key = j < n ? (float)a[r] : -INFINITY;
        all[r].value = j;
    }
    LL_SORT(best, all, SOME, smem, descending());
    LL_EACH(r, BEST) { value[r] = (T)best[r].key, column[r] = best[r].value; }
    LL_STORE(value, BEST, values + (size_t)blockIdx.x * K, 0);
    LL_STORE(column, BEST, columns + (size_t)blockIdx.x * K, 0);
}

#ifndef LL_NO_MAIN
#include <algorithm>

/* Runs rows of n elements and returns how many results are wrong. */
template <class T, unsigned K, unsigned EACH, unsigned THREADS>
unsigned check(unsigned rows, unsigned n) {
    const table<T> src(rows, n, 1, -8, 8);
    table<T> values(rows, K);
    table<unsigned> columns(rows, K);
    unsigned wrong = 0;
    topk<T, K, EACH, THREADS>
        <<<rows, THREADS>>>(values.device, columns.device, src.device, n);
    MUST(cudaGetLastError());
    values.fetch(), columns.fetch();
    for (unsigned i = 0; i < rows; ++i) {
        std::vector<unsigned> order(n);
        for (unsigned j = 0; j < n; ++j) {
            order[j] = j;
        }
        std::stable_sort(order.begin(), order.end(),
                         [&](unsigned x, unsigned y) {
                             return src.at(i, x) > src.at(i, y);
                         });
        for (unsigned k = 0; k < K; ++k) {
            wrong += columns.host[(size_t)i * K + k] != order[k] ||
                     values.at(i, k) != src.at(i, order[k]);
        }
    }
    printf("%u of %u rows of %u: %u wrong\n", K, rows, n, wrong);
    return wrong;
}

int main(void) {
    unsigned wrong = check<float, 8, 4, 64>(3, 256);
    wrong += check<bf16, 16, 8, 128>(3, 1000); /* equal ones among them */
    return verdict(wrong + check<float, 8, 16, 256>(2, 4096));
}

#endif
