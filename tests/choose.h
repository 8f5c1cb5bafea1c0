/* choose.h - random and filled layouts, for tests of chosen layouts.
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_CHOOSE_H
#define TEST_CHOOSE_H

#include "definition.h"

#include "../ll_amd.h"
#include "../ll_ptx.h"

enum { MAX = 1 << 18 };

TEST_FN unsigned inputs(const ll_layout *a) { return 1u << bits_in(&a->in); }

static unsigned registers(const ll_layout *a) {
    return ll_size(a->in, LL_REGISTER);
}

TEST_FN ll_layout filled(ll_layout a, unsigned rows, unsigned cols,
                         unsigned warps) {
    const ll_shape none = ll_shape_of("");
    return ll_tiled(a, ll_with(ll_with(none, LL_J, cols), LL_I, rows),
                    ll_with(none, LL_I, warps));
}

/* Registers, lanes, warps and blocks hold a tensor of `rank` axes, some of them
 * copies; with `mixed`, columns of several bits; perhaps an affine part. */
TEST_FN ll_layout random_layout(unsigned rank, unsigned mixed) {
    const unsigned tensor = 3u + test_random(6);
    const unsigned n = tensor + test_random(3);
    unsigned sizes[4] = {1, 1, 1, 1};
    ll_shape in = ll_shape_of("register lane warp block");
    for (unsigned k = 0; k < tensor; ++k) {
        sizes[test_random(rank)] *= 2u;
    }
    for (unsigned k = 0; k < n; ++k) {
        const unsigned at = test_random(8);
        ++in.bits[at < 4u ? 0 : at < 6u ? 1 : at - 4u];
    }
    ll_layout a = ll_zero(in, ll_tensor(rank, sizes));
    for (unsigned bit = 0; bit < tensor; ++bit) {
        unsigned k = test_random(n);
        while (a.basis[k]) {
            k = (k + 1u) % n;
        }
        a.basis[k] = 1u << bit;
    }
    for (unsigned k = 0; mixed && k < n; ++k) {
        const unsigned from = test_random(n);
        const unsigned to = test_random(n);
        a.basis[to] ^= from == to ? 0u : a.basis[from];
    }
    a.offset = test_random(2) ? test_random(1u << tensor) : 0u;
    return a;
}

#endif
