/* ---- Shared to shared memory ------------------------------------------ */
#ifndef LL_PTX_BETWEEN_H
#define LL_PTX_BETWEEN_H

#include "../ll/layout/multiply.h"
#include "../ll/layout/spans.h"
#include "../ll/plan/banks.h"
#include "base.h"

/* Private: the state of ll_ptx_between. on, back: map offsets of `from` to
 * offsets of `to`, and back. x, y: log2 of the elements of a load and of a
 * store. lanes_x, lanes_y: log2 of the lanes that shared memory serves at once
 * for such a load and store. */
typedef struct ll_ptx_between_state_ {
    ll_layout on, back;
    unsigned x, y, lanes_x, lanes_y;
    ll_span_ all, banks_x, banks_y; /* vectors taken so far, reduced */
    ll_span_ order;                 /* the vectors as they were taken */
} ll_ptx_between_state_;

LL_FN unsigned ll_ptx_image_(const ll_layout *z, unsigned v) {
    unsigned to = 0;
    for (unsigned k = 0; k < z->in.bits[0]; ++k) {
        to ^= (v >> k & 1u) * z->basis[k];
    }
    return to;
}

/* Private: takes vector v if it is independent of the vectors taken so far. If
 * `inside` is 0, it first removes the bits of v that are inside an access. */
LL_FN void ll_ptx_take_(ll_ptx_between_state_ *w, unsigned v, int inside) {
    for (unsigned k = 0; k < w->y && !inside; ++k) {
        v ^= (ll_ptx_image_(&w->on, v) >> k & 1u) * w->back.basis[k];
    }
    v = inside ? v : v >> w->x << w->x;
    if (ll_span_extend_(&w->all, v)) {
        ll_span_push_(&w->order, v);
    }
}

/* Private: takes v as a lane bit if it is independent of the vectors taken so
 * far and no part of it is inside an access. With `strict` it takes v only if
 * neither access then has a bank conflict. Returns 1 if it took v. */
LL_FN int ll_ptx_take_lane_(ll_ptx_between_state_ *w, unsigned v, int strict) {
    ll_span_ all = w->all;
    ll_span_ one = w->banks_x;
    ll_span_ two = w->banks_y;
    const unsigned from = v >> w->x & ((1u << w->lanes_x) - 1u);
    const unsigned to =
        ll_ptx_image_(&w->on, v) >> w->y & ((1u << w->lanes_y) - 1u);
    const int apart_x = one.n == w->lanes_x || ll_span_extend_(&one, from);
    const int apart_y = two.n == w->lanes_y || ll_span_extend_(&two, to);
    const unsigned inside = (v & ((1u << w->x) - 1u)) |
                            (ll_ptx_image_(&w->on, v) & ((1u << w->y) - 1u));
    if (inside || !ll_span_extend_(&all, v) ||
        (strict && (!apart_x || !apart_y))) {
        return 0;
    }
    w->banks_x = one;
    w->banks_y = two;
    ll_ptx_take_(w, v, 0);
    return 1;
}

/* Private: returns the layout register, lane, warp -> offset of `from`, with
 * loads of 2^x and stores of 2^y elements. Fails with LL_EVECTOR if the tile
 * has too few elements. */
LL_FN ll_layout ll_ptx_through_(ll_ptx_between_state_ w, unsigned warps) {
    const unsigned n = w.on.in.bits[0];
    const ll_shape none = LL_ZERO;
    for (unsigned k = 0; k < w.x; ++k) {
        ll_ptx_take_(&w, 1u << k, 1);
    }
    for (unsigned k = 0; k < w.y; ++k) {
        ll_ptx_take_(&w, w.back.basis[k], 1);
    }
    const unsigned regs = w.order.n;
    if (regs + 5u + warps > n) {
        return ll_layout_none_(LL_EVECTOR);
    }
    for (unsigned lane = 0; lane < 5u; ++lane) {
        int taken = 0;
        for (unsigned k = 0; k < 2u * n * n && !taken; ++k) {
            const unsigned i = k % n, j = k / n % n;
            taken = ll_ptx_take_lane_(&w, 1u << i | 1u << j, k < n * n);
        }
    }
    for (unsigned k = 0; k < n; ++k) {
        ll_ptx_take_(&w, 1u << k, 0);
    }
    if (w.order.n < n) {
        return ll_layout_none_(LL_EVECTOR);
    }
    ll_shape in = ll_shape_add_(none, LL_REGISTER, n - 5u - warps);
    in = ll_shape_add_(in, LL_LANE, 5);
    in = ll_shape_add_(in, LL_WARP, warps);
    ll_layout a = ll_zero(in, w.on.in);
    for (unsigned k = 0; k < n; ++k) {
        const unsigned at = k < regs            ? k
                            : k < regs + 5u + warps ? n - 5u - warps + k - regs
                                                : k - 5u - warps;
        a.basis[at] = w.order.v[k];
    }
    return a;
}

/* Private: returns the wavefronts of all accesses of a warp to m; 0xffff if
 * there is no such access. */
LL_FN unsigned ll_ptx_fronts_(ll_layout a, ll_layout m, unsigned element_bits,
                              unsigned op, ll_target t) {
    const unsigned bytes = ll_widest(a, m, element_bits, 16);
    const unsigned all = ll_size(a.in, LL_REGISTER) * element_bits / 8u;
    return bytes ? all / bytes * ll_wavefronts(a, m, element_bits, bytes, op, t)
                 : 0xffffu;
}

/* ll_ptx_between(from, to, element_bits, warps, t): returns the registers
 * through which the warps of a block copy a tile from shared memory of layout
 * `from` to shared memory of layout `to`, both offset -> i, j. It is for
 * transposes, such as the one before a matrix multiply of 8-bit types, whose
 * operands must be contiguous along k. Each lane has a small square of both
 * layouts. So it loads and stores whole words, if possible without bank
 * conflicts, and transposes them by byte permutes. Load with LL_LOAD_SHARED and
 * LL_PLAN_THROUGH(IN, R, R, bits, target, from), and store with LL_STORE_SHARED
 * and the same plan through `to`. The result has the fewest wavefronts of all
 * accesses of 4, 8 and 16 bytes on either side. Source (sm_75): ll_wavefronts.
 * Fails with LL_EMATCH, LL_ENOSOLUTION, LL_ESINGULAR, LL_EELEMENT, LL_EWARPS,
 * LL_EVECTOR (the tile has too few elements for the warps).
 * Example: ll_ptx_between(ll_ptx_smem_k(64, 64, 8, 64), ll_ptx_smem_k(64, 64,
 *          8, 64), 8, 3, LL_SM90).err is LL_EWARPS;
 */
LL_FN ll_layout ll_ptx_between(ll_layout from, ll_layout to,
                               unsigned element_bits, unsigned warps,
                               ll_target t) {
    ll_ptx_between_state_ w = LL_ZERO;
    const unsigned size = ll_log2_(element_bits / 8u);
    w.on = ll_solve(to, from, LL_FIRST);
    w.back = ll_inv(w.on);
    ll_layout best = ll_layout_bad_(ll_layout_bad_(w.back, t.err), from.err);
    if (ll_log2_(warps) > 5u || size > 2u || best.err) {
        return best.err ? best
                        : ll_layout_none_(size > 2u ? LL_EELEMENT : LL_EWARPS);
    }
    unsigned fewest = ~0u;
    best = ll_layout_none_(LL_EVECTOR);
    for (unsigned k = 0; k < 9u; ++k) { /* the smallest squares first */
        const unsigned wide_x = 2u + k % 3u, wide_y = 2u + k / 3u;
        w.x = wide_x - size;
        w.y = wide_y - size;
        w.lanes_x = 7u - wide_x;
        w.lanes_y = 7u - wide_y;
        const ll_layout r = ll_ptx_through_(w, ll_log2_(warps));
        if (r.err) {
            continue;
        }
        const ll_layout a = ll_compose(from, r);
        const unsigned fronts =
            ll_ptx_fronts_(a, from, element_bits, LL_READ, t) +
            ll_ptx_fronts_(a, to, element_bits, LL_WRITE, t);
        best = fronts < fewest ? a : best;
        fewest = fronts < fewest ? fronts : fewest;
    }
    return best;
}

#endif
