/* ---- Layouts over hardware -------------------------------------------- */
#ifndef LL_PLAN_HARDWARE_H
#define LL_PLAN_HARDWARE_H

#include "../layout/solve.h"
#include "../layout/rename.h"
#include "target.h"

/* Plans take layouts with the inputs register, lane, warp and block, in that
 * order. The functions here bring layouts to that form, and map the places of
 * one layout to places of another. */

/* Private: returns the layout with the inputs register, lane, warp and block,
 * in that order. Fails with LL_EHARDWARE if it has other inputs. */
LL_FN ll_layout ll_hardware_(ll_layout a) {
    const ll_dim names[] = {LL_REGISTER, LL_LANE, LL_WARP, LL_BLOCK};
    ll_shape in = LL_ZERO;
    for (unsigned k = 0; k < 4u; ++k) {
        unsigned at = ll_shape_find_(&a.in, names[k]);
        in = ll_shape_add_(in, names[k], at < a.in.n ? a.in.bits[at] : 0u);
    }
    return a.err || !ll_shape_fits_(&a.in, &in, 0)
               ? ll_layout_bad_(a, LL_EHARDWARE)
               : ll_layout_from_(a, &in);
}

/* Private: returns the threads per block of hardware layout a. */
LL_FN unsigned ll_threads_of_(const ll_layout *a) {
    return ll_ones_(a->in.bits[1] + a->in.bits[2]) + 1u;
}

/* Private: returns a with input d at least as large as in b; adds copies. */
LL_FN ll_layout ll_with_input_(ll_layout a, const ll_layout *b, unsigned d) {
    unsigned bits = b->in.bits[d];
    return a.err || b->err || bits > 31u || a.in.bits[d] >= bits
               ? a
               : ll_resize_in(a, a.in.dim[d], 1u << bits);
}

/* Private: returns a with at least as many warps as b. */
LL_FN ll_layout ll_with_warps_(ll_layout a, const ll_layout *b) {
    return ll_with_input_(a, b, 2);
}

/* Private: returns a with at least as many warps and blocks as b. */
LL_FN ll_layout ll_with_blocks_(ll_layout a, const ll_layout *b) {
    return ll_with_input_(ll_with_input_(a, b, 2), b, 3);
}

/* Private: returns a hardware layout without its block input: block 0's. */
LL_FN ll_layout ll_in_block_(ll_layout a) {
    unsigned n = ll_shape_start_(&a.in, 3);
    for (unsigned k = n; !a.err && k < ll_shape_bits_(&a.in); ++k) {
        a.basis[k] = 0;
    }
    a.in.n = a.err ? a.in.n : 3u;
    return a;
}

/* Private: returns the bits that an element occupies: 6 bits take the low bits
 * of a byte, as in matrix operands of kind f8f6f4. */
LL_FN unsigned ll_element_held_(unsigned element_bits) {
    return element_bits == 6u ? 8u : element_bits;
}

/* Private: returns log2 of the bytes of an element; 5 for an invalid size. */
LL_FN unsigned ll_element_scale_(unsigned element_bits) {
    unsigned log = ll_log2_(ll_element_held_(element_bits));
    return log >= 3u && log <= 7u ? log - 3u : 5u;
}

/* Private: returns the map from the places of b to the places of a that hold
 * the same elements, or the error of a conversion from a to b. */
LL_FN ll_layout ll_places_map_(const ll_layout *a, const ll_layout *b,
                               unsigned element_bits, const ll_target *t,
                               unsigned policy) {
    ll_layout bad = ll_layout_worst_(*a, *b);
    if (bad.err) {
        return bad;
    }
    if (!ll_is_target_(t)) {
        return ll_layout_bad_(bad, t->err ? t->err : (unsigned)LL_ETARGET);
    }
    if (ll_element_scale_(element_bits) > 4u) {
        return ll_layout_bad_(bad, LL_EELEMENT);
    }
    if (a->in.bits[1] != ll_log2_(t->lanes) || a->in.bits[1] != b->in.bits[1]) {
        return ll_layout_bad_(bad, LL_ELANES);
    }
    return ll_solve(*a, *b, policy);
}

#endif
