/* sums.h - sums of vectors, one by one.
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_SUMS_H
#define TEST_SUMS_H

/* Whether y is a sum of some of n vectors. */
static int is_sum_of(const unsigned *v, unsigned n, unsigned y) {
    for (unsigned p = 0; p < 1u << n; ++p) {
        unsigned sum = 0;
        for (unsigned k = 0; k < n; ++k) {
            sum ^= p >> k & 1u ? v[k] : 0u;
        }
        if (sum == y) {
            return 1;
        }
    }
    return 0;
}

#endif
