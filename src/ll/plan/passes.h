/* ---- Passes through small memory -------------------------------------- */
#ifndef LL_PLAN_PASSES_H
#define LL_PLAN_PASSES_H

#include "steps.h"

/* Private: the passes through memory that is too small for the whole tile. The
 * memory omits register bits that hold the same elements on both sides; each
 * pass moves one combination of their values. bit[0][k] is the register bit of
 * the source, bit[1][k] of the result. */
typedef struct ll_passes_ {
    unsigned n;
    unsigned mask[2];
    unsigned bit[2][LL_MAX_BITS];
} ll_passes_;

/* Private: returns 1 if column k is not 0 and shares no bit with others. */
LL_FN int ll_column_is_apart_(const ll_layout *a, unsigned k) {
    unsigned others = a->offset;
    for (unsigned m = 0; m < ll_shape_bits_(&a->in); ++m) {
        others |= m == k ? 0u : a->basis[m];
    }
    return a->basis[k] && (a->basis[k] & others) == 0;
}

/* Private: returns up to n register bits, highest first, alike in a and b. */
LL_FN ll_passes_ ll_passes_of_(const ll_layout *a, const ll_layout *b,
                               unsigned n) {
    ll_passes_ cut = LL_ZERO;
    for (unsigned k = a->in.bits[0]; k-- > 0;) {
        for (unsigned m = 0; m < b->in.bits[0] && cut.n < n; ++m) {
            if (a->basis[k] == b->basis[m] && ll_column_is_apart_(a, k) &&
                ll_column_is_apart_(b, m)) {
                cut.bit[0][cut.n] = k;
                cut.bit[1][cut.n] = m;
                cut.mask[0] |= 1u << k;
                cut.mask[1] |= 1u << m;
                ++cut.n;
            }
        }
    }
    return cut;
}

/* Private: converts register numbers without the pass bits to numbers of the
 * whole side, and appends the pass bits as the highest position bits. */
LL_FN ll_access ll_access_uncut_(ll_access at, const ll_passes_ *cut,
                                 unsigned side) {
    unsigned *part[3] = {&at.first, at.reg, at.copy};
    const unsigned count[3] = {1, at.n, at.copies};
    for (unsigned m = 0; m < LL_MAX_BITS; ++m) {
        const unsigned low = ll_ones_(m);
        for (unsigned k = 0; k < 3u && cut->mask[side] >> m & 1u; ++k) {
            for (unsigned c = 0; c < count[k]; ++c) {
                const unsigned x = part[k][c];
                part[k][c] = (x & low) | ll_shift_(x & ~low, 1);
            }
        }
    }
    for (unsigned k = 0; k < cut->n; ++k) {
        at.reg[at.n + k] = 1u << cut->bit[side][k];
    }
    at.n += cut->n;
    return at;
}

/* Private: turns the access step of one pass into the step of all 2^passes. */
LL_FN ll_step ll_step_repeated_(ll_step s, unsigned passes) {
    s.bits += passes;
    s.count <<= passes;
    return s;
}

#endif
