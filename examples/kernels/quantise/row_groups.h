/* row_groups.h - quantises groups of rows alone. Rows follow each other in
 * memory, so that the matrix is one long line, however long its rows.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_ROW_GROUPS_H
#define LL_ROW_GROUPS_H

#include "groups.h"

namespace ll_kernels {

enum : unsigned { ROW_GROUPS_WARPS = 8 };

/* A warp has 1024 elements. */
LL_LAYOUT(ROW_GROUPS_TILE,
          ll_mul(ll_mul(ll_identity(16, LL_REGISTER, LL_J),
                        ll_identity(32, LL_LANE, LL_J)),
                 ll_mul(ll_identity(2, LL_REGISTER, LL_J),
                        ll_identity(ROW_GROUPS_WARPS, LL_WARP, LL_I))));

/* Quantises `lines` times 1024 elements of src. */
template <class FORMAT, class ELEMENT>
__global__ void __launch_bounds__(32 * ROW_GROUPS_WARPS, 4)
    quantise_row_groups(quantised rows, const ELEMENT *src, size_t lines,
                        float inverse_all) {
    constexpr unsigned per_byte = 8 / FORMAT::bits, group = FORMAT::group;
    LL_LAYOUT(PAIRS, ll_bitcast(LL_GET(ROW_GROUPS_TILE), 16, 32));
    LL_LAYOUT(GROUPS,
              ll_reshape_out(LL_GET(PAIRS), group == 32
                                                ? ll_shape_of("k=16 j=32 i=8")
                                                : ll_shape_of("k=8 j=64 i=8")));
    LL_REDUCE_PLAN(OF_GROUPS, GROUPS, LL_K, 32, LL_SM90);
    LL_LAYOUT(GROUP, ll_reduce(LL_GET(GROUPS), LL_K));
    const size_t i = blockIdx.x * (size_t)ROW_GROUPS_WARPS, at = i * 1024;
    const unsigned down =
        lines - i < ROW_GROUPS_WARPS ? (unsigned)(lines - i) : ROW_GROUPS_WARPS;
    unsigned a[16], b[16], q[LL_WORDS(ROW_GROUPS_TILE, FORMAT::bits)];
    unsigned pairs[LL_REGS(GROUP)];
    unsigned char scale[LL_REGS(GROUP)];
    float peak[LL_REGS(GROUP)], inverse[LL_REGS(GROUP)];
    LL_LOAD(a, ROW_GROUPS_TILE, src + at, 1024, down, 1024);
    LL_EACH(r, PAIRS) { b[r] = a[r] & 0x7fff7fffu; }
    keep_packed(a);
    LL_REDUCE(pairs, b, OF_GROUPS, 0, larger_magnitudes());
    LL_EACH(r, GROUP) {
        const unsigned x = __vmaxu2(pairs[r], pairs[r] >> 16);
        peak[r] = number<ELEMENT>(&x, 0);
    }
    FORMAT::scales(scale, inverse, peak, inverse_all);
    LL_STORE(scale, GROUP, (unsigned char *)rows.scales + at / group,
             1024 / group, down, 1024 / group);
    quantise_tile<FORMAT, ELEMENT>(q, a,
                                   [&](unsigned r) { return inverse[r / 16]; });
    LL_STORE(q, ROW_GROUPS_TILE,
             (typename FORMAT::memory_type *)rows.elements + at / per_byte,
             1024 / per_byte, down, 1024 / per_byte);
}

/* Launches quantise_row_groups. Returns an error message, or null. */
template <class FORMAT, class ELEMENT>
const char *quantise_row_groups_by(quantised rows, const ELEMENT *src,
                                   size_t lines, float inverse_all) {
    if constexpr (!FORMAT::group_major) {
        const unsigned blocks =
            (unsigned)((lines + ROW_GROUPS_WARPS - 1) / ROW_GROUPS_WARPS);
        quantise_row_groups<FORMAT>
            <<<blocks, 32 * ROW_GROUPS_WARPS, 0, launch_stream()>>>(
                rows, src, lines, inverse_all);
    }
    return said(cudaGetLastError());
}

} // namespace ll_kernels

#endif
