/* gather.h - gathers at random, for their tests.
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_GATHER_H
#define TEST_GATHER_H

#include "definition.h"

#include "../ll_amd.h"
#include "../ll_ptx.h"

typedef struct gather_case {
    unsigned axis;   /* counted from the slowest */
    unsigned blocks; /* bits */
    ll_layout src, index;
} gather_case;

/* A layout of some tensor: its bits in random places, copies in others. */
TEST_FN ll_layout random_layout(ll_shape out, unsigned blocks, unsigned lanes) {
    unsigned tensor = 0;
    for (unsigned k = 0; k < out.n; ++k) {
        tensor += out.bits[k];
    }
    tensor -= blocks;
    const unsigned warps = test_random(3);
    const unsigned least = tensor > lanes + warps ? tensor - lanes - warps : 0;
    const unsigned regs = least + test_random(2);
    const unsigned n = regs + lanes + warps;
    ll_shape in = ll_with(ll_shape_of(""), LL_REGISTER, 1u << regs);
    in = ll_with(ll_with(in, LL_LANE, 1u << lanes), LL_WARP, 1u << warps);
    in = ll_with(in, LL_BLOCK, 1u << blocks);
    ll_layout a = ll_zero(in, out);
    for (unsigned bit = 0; bit < tensor; ++bit) {
        unsigned k = test_random(n);
        while (a.basis[k]) {
            k = (k + 1u) % n;
        }
        a.basis[k] = 1u << bit;
    }
    for (unsigned k = 0; k < blocks; ++k) {
        a.basis[n + k] = 1u << (tensor + k);
    }
    return a;
}

/* Makes it general: columns are added to others, and an affine part. */
TEST_FN void stir(ll_layout *a, unsigned blocks) {
    unsigned n = 0;
    unsigned tensor = 0;
    for (unsigned k = 0; k < a->in.n; ++k) {
        n += a->in.bits[k];
    }
    for (unsigned k = 0; k < a->out.n; ++k) {
        tensor += a->out.bits[k];
    }
    for (unsigned k = 0; k < 6u; ++k) {
        const unsigned p = test_random(n - blocks);
        const unsigned q = test_random(n - blocks);
        a->basis[p] ^= p != q ? a->basis[q] : 0u;
    }
    if (test_random(2)) {
        a->offset = test_random(1u << (tensor - blocks));
    }
}

/* Mostly the axis of the source lies where it makes shuffles possible. */
TEST_FN gather_case random_gather(unsigned lanes) {
    gather_case c = LL_ZERO;
    c.blocks = test_random(6) == 0;
    const unsigned tensor = 1u + test_random(lanes + 3u);
    const unsigned j = test_random(tensor + 1u);
    const unsigned rows = tensor - j + c.blocks;
    ll_shape s = ll_with(ll_with(ll_shape_of(""), LL_J, 1u << j), LL_I,
                         1u << rows);
    c.axis = c.blocks ? 1 : test_random(2);
    c.src = random_layout(s, c.blocks, lanes);
    if (test_random(3)) {
        c.index = c.src;
    } else {
        const unsigned other = test_random(4);
        s = c.axis ? ll_with(ll_with(ll_shape_of(""), LL_J, 1u << other), LL_I,
                             1u << rows)
                   : ll_with(ll_with(ll_shape_of(""), LL_J, 1u << j), LL_I,
                             1u << other);
        c.index = random_layout(s, c.blocks, lanes);
    }
    if (test_random(2)) {
        stir(&c.src, c.blocks);
        c.index = test_random(2) ? c.index : c.src;
    }
    if (test_random(4) == 0) {
        stir(&c.index, c.blocks);
    }
    return c;
}

TEST_FN unsigned log2_of(unsigned x) {
    unsigned n = 0;
    while (x >> (n + 1u)) {
        ++n;
    }
    return n;
}

/* Cheap logic makes lanes take registers in orders of their own. */
TEST_FN ll_target random_target(void) {
    const ll_target real = LL_SM90;
    ll_target t = test_random(4) ? LL_SM90 : ll_amd_target(0x942, 64);
    for (unsigned k = 0; k < LL_MAX_COSTS; ++k) {
        t.cost[k] = real.cost[k];
    }
    t.cost[LL_COST_LOGIC] = test_random(2) ? t.cost[LL_COST_LOGIC] : 1u;
    return t;
}

/* A row of four registers, lanes along the rest of it, warps along i. */
static ll_layout rows(unsigned m, unsigned n) {
    const unsigned across = n / 4u < 32u ? n / 4u : 32u;
    const ll_shape none = ll_shape_of("");
    return ll_blocked(ll_with(ll_with(none, LL_J, n), LL_I, m),
                      ll_with(none, LL_J, 4),
                      ll_with(ll_with(none, LL_J, across), LL_I, 32u / across),
                      ll_with(none, LL_I, 4));
}

#endif
