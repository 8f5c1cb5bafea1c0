/* groups_check.h - what quantise_groups.cu is compared with, and what it must
 * refuse.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_GROUPS_CHECK_H
#define LL_GROUPS_CHECK_H

#include "groups.h"

namespace ll_kernels {

/* e2m1 as a number. */
inline double value_of_e2m1(unsigned x) {
    static const double of[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    return x & 8 ? -of[x & 7] : of[x & 7];
}

/* Is y times the scale the nearest number to x? Halves of steps, of which a
 * part is for the rounding of products. */
inline bool is_nearest(double y, double step, double most, double scale,
                       double x) {
    return fabs(y * scale - x) <= scale * step * 0.51 ||
           (fabs(y) == most && y * x > 0 && fabs(x) >= most * scale);
}

/* The groups of a line: element k of x is elements[k] times
 * scales[k / group * step]. Returns how many of n are wrong. */
template <class F, class X>
unsigned wrong_in_groups(const unsigned char *elements,
                         const typename F::kind *scales, size_t step_of_scales,
                         X x, unsigned n, double all) {
    unsigned wrong = 0;
    for (unsigned g = 0; g < n; g += F::group) {
        const double s = (double)scales[g / F::group * step_of_scales];
        const unsigned end = g + F::group < n ? g + F::group : n;
        double most = 0, scale = F::across ? s : ldexp(1, (int)s - 127);
        for (unsigned k = g; k < end; ++k) {
            most = fmax(most, fabs(x(k)));
        }
        if (F::across) {
            wrong += !(fabs(s * 448 - most) <= 2e-7 * most);
        } else if (F::bits == 8) {
            wrong += s != (most > 0 ? ilogb(most) - 8 + 127 : 1);
        } else {
            const double want = fmin(most * all / 6, 448);
            const double step = ldexp(1, want < 0x1p-6 ? -9 : ilogb(want) - 3);
            const double e = value_of_e4m3((unsigned char)s);
            wrong += !(fabs(e - want) <= step * 0.501);
            scale = e / all;
        }
        for (unsigned k = g; k < end; ++k) {
            const unsigned b = elements[k * F::bits / 8];
            if (F::bits == 8) {
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

template <class F, class ELEMENT>
unsigned check(unsigned m, unsigned n, bool by_rows, bool by_cols, float all) {
    const table<ELEMENT> src(m, n, 1, -3, 5);
    const unsigned size = n * F::bits / 8, tall = m * F::bits / 8;
    table<unsigned char> rows(m, size), cols(n, tall);
    const unsigned wide = (n + F::group - 1) / F::group;
    const unsigned deep = (m + F::group - 1) / F::group;
    table<typename F::kind> of_rows(m, wide), of_cols(n, deep);
    unsigned wrong = 0;
    MUST(quantise_groups_by<F>(
        by_rows ? quantised{rows.device, of_rows.device} : quantised(),
        by_cols ? quantised{cols.device, of_cols.device} : quantised(),
        (const ELEMENT *)src.device, m, n, all));
    rows.fetch(), cols.fetch(), of_rows.fetch(), of_cols.fetch();
    for (unsigned i = 0; by_rows && i < m; ++i) {
        wrong += wrong_in_groups<F>(
            &rows.host[(size_t)i * size],
            &of_rows.host[F::across ? i : i * wide], F::across ? m : 1,
            [&](unsigned k) { return src.at(i, k); }, n, all);
    }
    for (unsigned j = 0; by_cols && j < n; ++j) {
        wrong += wrong_in_groups<F>(
            &cols.host[(size_t)j * tall],
            &of_cols.host[F::across ? j : j * deep], F::across ? n : 1,
            [&](unsigned k) { return src.at(k, j); }, m, all);
    }
    printf("%u x %u, %s of%s%s: %u wrong\n", m, n,
           F::across      ? "fp8"
           : F::bits == 8 ? "mxfp8"
                          : "nvfp4",
           by_rows ? " rows" : "", by_cols ? " columns" : "", wrong);
    return wrong;
}

/* How many matrices are not refused that the kernel cannot do. */
static unsigned check_refusals(void) {
    const unsigned sizes[][2] = {{0, 32}, {32, 0}, {48, 32}, {32, 16}};
    alignas(16) unsigned char x[32] = {};
    const bf16 *const src = (const bf16 *)x;
    unsigned wrong = 0;
    for (const auto &s : sizes) {
        wrong += !quantise_groups_by<mxfp8>({x, x}, {x, x}, src, s[0], s[1], 1);
    }
    wrong += !quantise_groups_by<nvfp4>({x + 1, x}, {}, src, 32, 32, 1);
    wrong += !quantise_groups_by<fp8>({}, {x, x + 1}, src, 32, 32, 1);
    return wrong;
}

} // namespace ll_kernels

#endif
