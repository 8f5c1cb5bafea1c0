/* permute_check.h - tests permute.cu against the host, and its refusals.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_PERMUTE_CHECK_H
#define LL_PERMUTE_CHECK_H

#include "../rows_check.h"

template <class T>
const char *permute(T *dst, const T *src, unsigned rank, const unsigned *size,
                    const unsigned *order);

namespace ll_kernels {

/* Permutes a tensor of random numbers and returns the number of wrong elements.
 */
static unsigned check(std::vector<unsigned> size, std::vector<unsigned> order) {
    typedef unsigned short T;
    const unsigned rank = (unsigned)size.size();
    unsigned n = 1, wrong = 0;
    for (unsigned s : size) {
        n *= s;
    }
    const table<T> src(1, n, 1, 0, 65535);
    table<T> dst(1, n);
    MUST(permute(dst.device, (const T *)src.device, rank, size.data(),
                 order.data()));
    dst.fetch();
    for (unsigned k = 0; k < n; ++k) {
        unsigned at = 0, left = k, place[8];
        for (unsigned d = rank; d-- > 0; left /= size[order[d]]) {
            place[order[d]] = left % size[order[d]];
        }
        for (unsigned d = 0; d < rank; ++d) {
            at = at * size[d] + place[d];
        }
        wrong += dst.host[k] != src.host[at];
    }
    printf("%u elements, rank %u: %u wrong\n", n, rank, wrong);
    return wrong;
}

/* Returns how many invalid tensors are not refused: without elements, with too
 * many, with an order that is no permutation, or of rank 9. */
static unsigned check_refusals(void) {
    const unsigned none[] = {3, 0, 2}, large[] = {1u << 31, 1u << 31, 2};
    const unsigned some[] = {3, 2, 2}, order[] = {2, 0, 1}, twice[] = {2, 0, 0};
    unsigned short x[2] = {}, *const dst = x, *const src = x + 1;
    unsigned wrong = !permute<unsigned short>(dst, src, 3, none, order);
    wrong += !permute<unsigned short>(dst, src, 3, large, order);
    wrong += !permute<unsigned short>(dst, src, 3, some, twice);
    wrong += !permute<unsigned short>(dst, src, 9, some, order);
    return wrong;
}

} // namespace ll_kernels

#endif
