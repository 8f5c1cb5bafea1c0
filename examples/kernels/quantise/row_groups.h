/* row_groups.h - groups of rows alone as one line: they follow each other in
 * memory, however long the rows.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_ROW_GROUPS_H
#define LL_ROW_GROUPS_H

#include "groups.h"

namespace ll_kernels {

enum { WARPS = 8 };

/* A warp has 1024 numbers. */
LL_LAYOUT(LINE, ll_mul(ll_mul(ll_identity(16, LL_REGISTER, LL_J),
                              ll_identity(32, LL_LANE, LL_J)),
                       ll_mul(ll_identity(2, LL_REGISTER, LL_J),
                              ll_identity(WARPS, LL_WARP, LL_I))));

/* rows becomes src, of any shape: `lines` times 1024 numbers. */
template <class F, class ELEMENT>
__global__ void __launch_bounds__(32 * WARPS, 4)
    quantise_line(quantised rows, const ELEMENT *src, size_t lines, float all) {
    constexpr unsigned each = 8 / F::bits, group = F::group;
    LL_LAYOUT(PAIRS, ll_bitcast(LL_GET(LINE), 16, 32));
    LL_LAYOUT(GROUPS,
              ll_reshape_out(LL_GET(PAIRS), group == 32
                                                ? ll_shape_of("k=16 j=32 i=8")
                                                : ll_shape_of("k=8 j=64 i=8")));
    LL_REDUCE_PLAN(OF_GROUPS, GROUPS, LL_K, 32, LL_SM90);
    LL_LAYOUT(GROUP, ll_reduce(LL_GET(GROUPS), LL_K));
    const size_t i = blockIdx.x * (size_t)WARPS, at = i * 1024;
    const unsigned down = lines - i < WARPS ? (unsigned)(lines - i) : WARPS;
    unsigned a[16], b[16], q[LL_WORDS(LINE, F::bits)], most[LL_REGS(GROUP)];
    unsigned char s[LL_REGS(GROUP)];
    float large[LL_REGS(GROUP)], by[LL_REGS(GROUP)];
    LL_LOAD(a, LINE, src + at, 1024, down, 1024);
    LL_EACH(r, PAIRS) { b[r] = a[r] & 0x7fff7fffu; }
    keep_packed(a);
    LL_REDUCE(most, b, OF_GROUPS, 0, larger());
    LL_EACH(r, GROUP) {
        const unsigned x = __vmaxu2(most[r], most[r] >> 16);
        large[r] = number<ELEMENT>(&x, 0);
    }
    F::scale(s, by, large, all);
    LL_STORE(s, GROUP, (unsigned char *)rows.scales + at / group, 1024 / group,
             down, 1024 / group);
    quantise_tile<F, ELEMENT>(q, a, [&](unsigned r) { return by[r / 16]; });
    LL_STORE(q, LINE, (typename F::memory *)rows.elements + at / each,
             1024 / each, down, 1024 / each);
}

template <class F, class ELEMENT>
const char *quantise_line_by(quantised rows, const ELEMENT *src, size_t lines,
                             float all) {
    if constexpr (!F::across) {
        const unsigned blocks = (unsigned)((lines + WARPS - 1) / WARPS);
        quantise_line<F><<<blocks, 32 * WARPS>>>(rows, src, lines, all);
    }
    return said(cudaGetLastError());
}

} // namespace ll_kernels

#endif
