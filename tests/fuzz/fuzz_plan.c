/* fuzz_plan.c - layouts made from any bytes: solving, swizzling, planning.
 * SPDX-License-Identifier: MIT
 *
 * Two layouts hold the same tensor, each element somewhere: columns are single
 * bits in some order, zeros where there are more columns than bits, and a few
 * of them are added to others. The plan between them is executed, byte by byte.
 */
#include "fuzz.h"

/* The fuzzer looks for new paths in the headers, not in what runs a plan. */
#pragma clang attribute push(__attribute__((no_sanitize("coverage"))), \
                             apply_to = function)
#include "../machines.h"
#pragma clang attribute pop

typedef struct sizes {
    unsigned registers, warps, i, j; /* log2 */
} sizes;

/* A layout of that many lanes and warps onto a tensor of i x j elements. */
static ll_layout some_layout(bytes *b, sizes s) {
    const ll_shape none = LL_ZERO;
    const ll_shape in = ll_with(
        ll_with(ll_with(none, LL_REGISTER, 1u << s.registers), LL_LANE, 32),
        LL_WARP, 1u << s.warps);
    ll_layout a =
        ll_zero(in, ll_with(ll_with(none, LL_J, 1u << s.j), LL_I, 1u << s.i));
    const unsigned n = s.registers + 5u + s.warps;
    for (unsigned k = 0; k < n; ++k) { /* a random order */
        const unsigned other = next(b, k + 1u);
        a.basis[k] = a.basis[other];
        a.basis[other] = k < s.i + s.j ? 1u << k : 0u;
    }
    for (unsigned adds = next(b, 5); adds > 0; --adds) {
        const unsigned from = next(b, n), to = next(b, n);
        a.basis[to] ^= from == to ? 0u : a.basis[from];
    }
    a.offset = next(b, 4) ? 0u : next(b, 256) & ((1u << (s.i + s.j)) - 1u);
    return good(a);
}

/* Every register gets the element that b wants in it, by any kind of plan. */
static void plan_holds(ll_layout a, ll_layout b, unsigned bits, ll_target t) {
    random_pair c = LL_ZERO;
    c.a = a;
    c.b = b;
    const ll_plan p = ll_plan_of(a, b, bits, t);
    if (p.err) {
        MUST(p.err == LL_ENOSOLUTION);
        return;
    }
    MUST(p.kind != LL_SHARED || good(p.memory).err == LL_OK);
    for (unsigned kind = LL_SHUFFLES; kind <= LL_ANY; ++kind) {
        check_plan(&c, bits, &t, kind);
    }
    MUST(test.here == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const unsigned sm[] = {75, 80, 90, 120};
    bytes input = {data, size};
    sizes s = LL_ZERO;
    s.registers = next(&input, 5);
    s.warps = next(&input, 4);
    s.i = next(&input, 8);
    s.j = next(&input, 8);
    const unsigned room = s.registers + 5u + s.warps;
    s.i = s.i < room ? s.i : room;
    s.j = s.i + s.j < room ? s.j : room - s.i;
    const unsigned bits = 8u << next(&input, 5);
    ll_target t = ll_ptx_target(sm[next(&input, 4)]);
    t.merge = next(&input, 2) ? t.merge : 0u; /* a machine without merging */
    const ll_layout a = some_layout(&input, s);
    sizes other = s;
    other.registers = room - 5u - s.warps;
    const ll_layout b = some_layout(&input, other);
    for (unsigned policy = LL_FIRST; policy <= LL_LOCAL; ++policy) {
        solve_holds(a, b, policy);
    }
    plan_holds(a, b, bits, t);
    plan_holds(a, a, bits, t);
    const ll_layout m = good(ll_swizzle(a, b, bits, t));
    MUST(m.err || ll_is_invertible(m));
    return 0;
}
