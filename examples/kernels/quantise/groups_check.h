/* groups_check.h - compares quantised groups with their definition
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_GROUPS_CHECK_H
#define LL_GROUPS_CHECK_H

#include "groups.h"

namespace ll_kernels {

/* Returns the value of an e2m1. */
inline double value_of_e2m1(unsigned x) {
    static const double of[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    return x & 8 ? -of[x & 7] : of[x & 7];
}

/* Returns whether y times the scale is the nearest number to x: half a step
 * away at most, and a little more as products are rounded. y is `largest` or
 * -largest where x is beyond it. */
inline bool is_nearest(double y, double step, double largest, double scale,
                       double x) {
    return fabs(y * scale - x) <= scale * step * 0.51 ||
           (fabs(y) == largest && y * x > 0 && fabs(x) >= largest * scale);
}

/* Checks a line of n elements. Returns the number of wrong elements and scales.
 *   elements      the quantised elements
 *   scales        the scale of group g is scales[g * scale_pitch]
 *   x(k)          element k that was quantised
 *   inverse_all   one over the scale of the tensor */
template <class FORMAT, class X>
unsigned wrong_in_groups(const unsigned char *elements,
                         const typename FORMAT::scale_type *scales,
                         size_t scale_pitch, X x, unsigned n,
                         double inverse_all) {
    unsigned wrong = 0;
    for (unsigned g = 0; g < n; g += FORMAT::group) {
        const double s = (double)scales[g / FORMAT::group * scale_pitch];
        const unsigned end = g + FORMAT::group < n ? g + FORMAT::group : n;
        double peak = 0;
        double scale = FORMAT::group_major ? s : ldexp(1, (int)s - 127);
        for (unsigned k = g; k < end; ++k) {
            peak = fmax(peak, fabs(x(k)));
        }
        if (FORMAT::group_major) {
            wrong += !(fabs(s * 448 - peak) <= 2e-7 * peak);
        } else if (FORMAT::bits == 8) {
            wrong += s != (peak > 0 ? ilogb(peak) - 8 + 127 : 1);
        } else {
            const double want = fmin(peak * inverse_all / 6, 448);
            const double step = ldexp(1, want < 0x1p-6 ? -9 : ilogb(want) - 3);
            const double e = value_of_e4m3((unsigned char)s);
            wrong += !(fabs(e - want) <= step * 0.501);
            scale = e / inverse_all;
        }
        for (unsigned k = g; k < end; ++k) {
            const unsigned b = elements[k * FORMAT::bits / 8];
            if (FORMAT::bits == 8) {
                const double y = value_of_e4m3((unsigned char)b);
                const double z = fabs(x(k)) / scale;
                const int step = z < 0x1p-6 ? -9 : ilogb(z) - 3;
                wrong += !is_nearest(y, ldexp(1, step), 448, scale, x(k));
            } else {
                const double y = value_of_e2m1(k % 2 ? b >> 4 : b & 15);
                const double z = fabs(x(k)) / scale;
                wrong += !is_nearest(y,
                                     z < 2   ? 0.5
                                     : z < 4 ? 1
                                             : 2,
                                     6, scale, x(k));
            }
        }
    }
    return wrong;
}

/* Quantises a random m x n matrix by launch(rows, cols, src, m, n,
 * inverse_all), which returns an error message or null. Returns the number of
 * wrong elements and scales. */
template <class FORMAT, class ELEMENT, class LAUNCH>
unsigned check_groups(LAUNCH launch, unsigned m, unsigned n, bool by_rows,
                      bool by_cols, float inverse_all) {
    constexpr bool group_major = FORMAT::group_major;
    const table<ELEMENT> src(m, n, 1, -3, 5);
    const unsigned row_bytes = n * FORMAT::bits / 8;
    const unsigned col_bytes = m * FORMAT::bits / 8;
    table<unsigned char> rows(m, row_bytes), cols(n, col_bytes);
    const unsigned row_groups = (n + FORMAT::group - 1) / FORMAT::group;
    const unsigned col_groups = (m + FORMAT::group - 1) / FORMAT::group;
    table<typename FORMAT::scale_type> row_scales(m, row_groups);
    table<typename FORMAT::scale_type> col_scales(n, col_groups);
    unsigned wrong = 0;
    MUST(launch(
        by_rows ? quantised{rows.device, row_scales.device} : quantised(),
        by_cols ? quantised{cols.device, col_scales.device} : quantised(),
        (const ELEMENT *)src.device, m, n, inverse_all));
    rows.fetch(), cols.fetch(), row_scales.fetch(), col_scales.fetch();
    for (unsigned i = 0; by_rows && i < m; ++i) {
        wrong += wrong_in_groups<FORMAT>(
            &rows.host[(size_t)i * row_bytes],
            &row_scales.host[group_major ? i : i * row_groups],
            group_major ? m : 1, [&](unsigned k) { return src.at(i, k); }, n,
            inverse_all);
    }
    for (unsigned j = 0; by_cols && j < n; ++j) {
        wrong += wrong_in_groups<FORMAT>(
            &cols.host[(size_t)j * col_bytes],
            &col_scales.host[group_major ? j : j * col_groups],
            group_major ? n : 1, [&](unsigned k) { return src.at(k, j); }, m,
            inverse_all);
    }
    printf("%u x %u, %s of%s%s: %u wrong\n", m, n,
           group_major         ? "fp8"
           : FORMAT::bits == 8 ? "mxfp8"
                               : "nvfp4",
           by_rows ? " rows" : "", by_cols ? " columns" : "", wrong);
    return wrong;
}

} // namespace ll_kernels

#endif
