/* plans.h - memories at random, for tests of plans.
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_PLANS_H
#define TEST_PLANS_H

#include "machines.h"

/* Memory of any invertible layout. */
TEST_FN ll_layout random_memory(const ll_shape *tensor) {
    const ll_shape none = LL_ZERO;
    ll_layout m = ll_zero(none, *tensor);
    const unsigned n = ll_shape_bits_(tensor);
    m.in = ll_with(none, LL_OFFSET, 1u << n);
    for (unsigned k = 0; k < n; ++k) {
        m.basis[k] = 1u << k;
    }
    for (unsigned k = 0; n > 1u && k < 4u * n; ++k) {
        const unsigned x = test_random(n);
        const unsigned y = (x + 1u + test_random(n - 1u)) % n;
        m.basis[x] ^= m.basis[y];
    }
    m.offset = test_random(2) ? test_random(1u << n) : 0u;
    return m;
}

#endif
