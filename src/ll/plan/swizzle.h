/* ---- The swizzle ------------------------------------------------------ */
#ifndef LL_PLAN_SWIZZLE_H
#define LL_PLAN_SWIZZLE_H

#include "accesses.h"

/* A swizzle arranges shared memory so that neither the stores nor the loads of
 * a conversion have bank conflicts. Memory is a basis of the tensor in three
 * parts: the vectors within one access or one bank, the banks, and above them
 * the segments. Two lanes of a phase conflict if they differ only by segments.
 * For stores, the segments must therefore avoid the span U of the vectors and
 * the lanes of a phase; for loads, the corresponding span V. The largest
 * subspace that avoids both is C + G. C completes U + V to the whole space. G
 * consists of sums e ^ f, with e in U but not in V, and f in V but not in U;
 * such a sum is in neither. (Paper, appendix, "Optimal Swizzling".) */

/* Private: returns the vectors of a matrix row from bit 0 up: the columns of a
 * that stand for its bytes. Elements of one word come from registers in order.
 * Other elements come from a register that both sides hold or, without such a
 * register, from the last one. The list is too short if a does not fit such
 * matrices: it lacks registers, or holds an element of a row twice. */
LL_FN ll_span_ ll_matrix_row_(const ll_layout *a, const ll_span_ *common,
                              ll_form form, unsigned scale,
                              const ll_target *t) {
    const ll_span_ regs = ll_span_of_columns_(a, 0, a->in.bits[0]);
    const int wordwise = ll_form_is_wordwise_(form);
    const ll_span_ none = LL_ZERO;
    ll_span_ row = LL_ZERO;
    unsigned next = 0;
    if (!ll_form_takes_(form, scale) || 1u << a->in.bits[1] != t->lanes) {
        return row;
    }
    for (unsigned d = scale; d < ll_form_row_bits_(form); ++d) {
        const unsigned k = ll_form_stands_for_(form, d);
        if (k >= LL_LANE_DIGITS_) {
            ll_span_push_(&row, a->basis[a->in.bits[0] + k - LL_LANE_DIGITS_]);
        } else if (next < regs.n) {
            ll_span_push_(&row, wordwise    ? regs.v[next]
                                : common->n ? common->v[0]
                                            : regs.v[regs.n - 1u]);
            ++next;
        }
    }
    return ll_span_independent_(&none, &row);
}

/* Private: returns the vectors of a phase of rows; these never merge. */
LL_FN ll_span_ ll_row_phase_(const ll_layout *a, const ll_span_ *row,
                             ll_form form, unsigned op, const ll_target *t) {
    const ll_span_ rows = ll_matrix_rows_(a, row, form);
    const unsigned none[6] = {1, 1, 1, 1, 1, 1};
    const ll_phase_ p =
        ll_phase_of_(none, 1u << ll_form_row_bits_(form), op, t);
    ll_span_ served = LL_ZERO;
    for (unsigned k = 0; k < p.n; ++k) {
        ll_span_push_(&served, ll_lane_address_(rows.v, p.number[k]));
    }
    return served;
}

/* Private: returns the way of vector accesses of 2^n elements. */
LL_FN ll_way_ ll_way_of_vectors_(unsigned n) {
    ll_way_ way = LL_ZERO;
    way.vector = n;
    return way;
}

/* Private: returns the lane vectors of a phase of accesses of `bytes` bytes. */
LL_FN ll_span_ ll_lanes_served_(const ll_layout *a, unsigned bytes, unsigned op,
                                const ll_target *t) {
    ll_span_ u = LL_ZERO;
    unsigned lane[6] = LL_ZERO;
    ll_lane_bytes_(a, 0, lane);
    const ll_phase_ p = ll_phase_of_(lane, bytes, op, t);
    for (unsigned k = 0; k < p.n; ++k) {
        ll_span_push_(&u, ll_lane_address_(lane, p.number[k]));
    }
    return u;
}

/* Private: returns the span that segments must avoid on one side: the word,
 * vector or row of one access, and the lanes or rows of one phase. `low` lists
 * the vectors of memory from bit 0 up. */
LL_FN ll_span_ ll_segments_avoid_(const ll_layout *a, const ll_span_ *low,
                                  ll_way_ way, unsigned scale, unsigned op,
                                  const ll_target *t) {
    ll_span_ u =
        way.form == LL_FORM_VECTOR
            ? ll_lanes_served_(a, 1u << (way.vector + scale), op, t)
            : ll_row_phase_(a, low, t->forms[op][way.form], op, t);
    for (unsigned k = 0; k < low->n; ++k) {
        if (k < way.vector || 1u << (k + scale) < t->bank_bytes) {
            ll_span_push_(&u, low->v[k]);
        }
    }
    return u;
}

/* Private: returns n segments: vectors that avoid u and v as far as possible. C
 * comes first, then G. If they have too few vectors, conflicts are inevitable,
 * and the rest of the larger side follows. */
LL_FN ll_span_ ll_segments_(const ll_span_ *u, const ll_span_ *v,
                            const ll_span_ *space, unsigned n) {
    const ll_span_ f = ll_span_independent_(u, v);
    const ll_span_ e = ll_span_independent_(v, u);
    ll_span_ both = *u;
    for (unsigned k = 0; k < f.n; ++k) {
        ll_span_push_(&both, f.v[k]);
    }
    const ll_span_ c = ll_span_independent_(&both, space);
    ll_span_ s = LL_ZERO;
    for (unsigned k = 0; k < c.n && s.n < n; ++k) {
        ll_span_push_(&s, c.v[c.n - 1u - k]);
    }
    for (unsigned k = 0; k < e.n && k < f.n && s.n < n; ++k) {
        ll_span_push_(&s, e.v[k] ^ f.v[k]);
    }
    const ll_span_ *more = e.n > f.n ? &e : &f;
    for (unsigned k = e.n < f.n ? e.n : f.n; k < more->n && s.n < n; ++k) {
        ll_span_push_(&s, more->v[k]);
    }
    return s;
}

/* Private: returns a basis of the vectors that a and b hold: the lowest vectors
 * of memory, then the lanes and warps of a, then of b, then the registers. A
 * lane or warp that is an XOR of vectors above the lowest keeps accesses
 * aligned. */
LL_FN ll_span_ ll_segments_space_(const ll_layout *a, const ll_layout *b,
                                  const ll_span_ *low) {
    const ll_span_ la =
        ll_span_of_columns_(a, a->in.bits[0], ll_shape_bits_(&a->in));
    const ll_span_ lb =
        ll_span_of_columns_(b, b->in.bits[0], ll_shape_bits_(&b->in));
    const ll_span_ ra = ll_span_of_columns_(a, 0, a->in.bits[0]);
    const ll_span_ rb = ll_span_of_columns_(b, 0, b->in.bits[0]);
    ll_span_ space = *low;
    ll_span_append_(&space, &la, LL_MAX_BITS);
    ll_span_append_(&space, &lb, LL_MAX_BITS);
    ll_span_append_(&space, &ra, LL_MAX_BITS);
    ll_span_append_(&space, &rb, LL_MAX_BITS); /* what only one side holds */
    return space;
}

/* Private: returns the number of bits of memory, out of n, above the banks that
 * an access of 2^bytes bytes reaches. */
LL_FN unsigned ll_banks_above_(unsigned n, unsigned bytes, unsigned op,
                               unsigned scale, const ll_target *t) {
    const unsigned banks = t->banks[op][ll_access_width_(1u << bytes)];
    const unsigned row = ll_log2_(banks * t->bank_bytes);
    const unsigned below = row > scale ? row - scale : 0u;
    return n > below ? n - below : 0u;
}

/* Private: extends `high` to n segments, for a side that reaches fewer banks
 * than the other. The new segments come first. They lie outside `avoid` and the
 * lowest vectors, which have fixed places. */
LL_FN void ll_more_segments_(ll_span_ *high, const ll_span_ *avoid,
                             const ll_span_ *low, const ll_span_ *space,
                             unsigned n) {
    if (high->n >= n) {
        return;
    }
    ll_span_ span = *avoid;
    ll_span_append_(&span, low, LL_MAX_BITS);
    ll_span_append_(&span, high, LL_MAX_BITS);
    ll_span_ more = ll_span_independent_(&span, space);
    more.n = more.n < n - high->n ? more.n : n - high->n;
    ll_span_append_(&more, high, LL_MAX_BITS);
    *high = more;
}

/* Private: returns memory that starts with the vectors `low` and has the fewest
 * conflicts for stores from a in the way va and loads to b in the way vb. */
LL_FN ll_layout ll_memory_arrange_(const ll_layout *a, const ll_layout *b,
                                   const ll_span_ *low, ll_way_ va, ll_way_ vb,
                                   unsigned scale, const ll_target *t) {
    const ll_shape none = LL_ZERO;
    const ll_span_ space = va.vector >= vb.vector
                               ? ll_segments_space_(a, b, low)
                               : ll_segments_space_(b, a, low);
    const ll_span_ u = ll_segments_avoid_(a, low, va, scale, LL_WRITE, t);
    const ll_span_ v = ll_segments_avoid_(b, low, vb, scale, LL_READ, t);
    const unsigned to =
        ll_banks_above_(space.n, va.vector + scale, LL_WRITE, scale, t);
    const unsigned from =
        ll_banks_above_(space.n, vb.vector + scale, LL_READ, scale, t);
    ll_span_ high = ll_segments_(&u, &v, &space, to < from ? to : from);
    ll_more_segments_(&high, to > from ? &u : &v, low, &space,
                      to > from ? to : from);
    ll_span_project_low_(&high, &space, low->n);
    ll_layout m = ll_zero(ll_shape_add_(none, LL_OFFSET, space.n), a->out);
    m.offset = a->offset;
    const ll_span_ rest = ll_span_independent_(&high, &space);
    for (unsigned k = 0; k < space.n; ++k) {
        m.basis[k] = k < rest.n ? rest.v[k] : high.v[k - rest.n];
    }
    return m;
}

/* Private: returns the lowest vectors of memory if side a has the wider
 * accesses. Vectors in registers of both sides come first. If they do not fill
 * a bank, registers of a and then lanes of a follow. Last come vectors in
 * registers of a and in the lanes of a phase of b, avoided anyway. */
LL_FN ll_span_ ll_memory_lowest_(const ll_layout *a, const ll_layout *b,
                                 const ll_span_ *common, unsigned scale,
                                 unsigned op, const ll_target *t) {
    const ll_span_ regs = ll_span_of_columns_(a, 0, a->in.bits[0]);
    const ll_span_ columns = ll_span_of_columns_(a, 0, ll_shape_bits_(&a->in));
    unsigned bank = ll_log2_(t->bank_bytes);
    bank = bank > scale ? bank - scale : 0u;
    ll_span_ low = *common;
    ll_span_append_(&low, &columns, bank);
    const ll_way_ way = ll_way_of_vectors_(common->n);
    const ll_span_ other = ll_segments_avoid_(b, &low, way, scale, op, t);
    const ll_span_ both = ll_span_intersect_(&regs, &other);
    ll_span_append_(&low, &both, ll_widest_access_(scale, t));
    return low;
}

/* Private: returns the instructions for n accesses of `bytes` bytes; some
 * targets join two accesses in one instruction. */
LL_FN unsigned ll_accesses_joined_(unsigned n, unsigned bytes,
                                   const ll_target *t) {
    return t->pairs && n > 1u && (bytes == 4u || bytes == 8u) ? n / 2u : n;
}

/* Private: returns a lower bound of the cost of one side, for any memory:
 * accesses as wide as its registers and `most` bytes allow, joined in pairs if
 * possible, and without conflicts. */
LL_FN unsigned long long ll_cost_bound_(const ll_layout *a, unsigned scale,
                                        unsigned most, unsigned op,
                                        const ll_target *t) {
    const ll_span_ none = LL_ZERO;
    const ll_span_ regs = ll_span_of_columns_(a, 0, a->in.bits[0]);
    const unsigned bytes = 1u << (ll_span_independent_(&none, &regs).n + scale);
    unsigned lane[6] = LL_ZERO;
    unsigned least = ~0u;
    ll_lane_bytes_(a, 0, lane);
    for (unsigned of = 4; of <= 16u && (of == 4u || of <= most); of *= 2u) {
        const unsigned one = of < most ? of : most;
        const unsigned waves = (bytes > one ? bytes / one : 1u) * t->lanes >>
                               ll_phase_of_(lane, of, op, t).n;
        least = waves < least ? waves : least;
    }
    const unsigned n = bytes > most ? bytes / most : 1u;
    return ll_cost_weigh_(least, ll_accesses_joined_(n, most, t));
}

/* Private: returns 1 if every matrix form for elements of 2^scale bytes has the
 * lowest element bit of a row in registers. */
LL_FN int ll_forms_are_paired_(unsigned scale, const ll_target *t) {
    int paired = 1;
    for (unsigned k = 2u * LL_FORM_MATRIX; k < 2u * LL_MAX_FORMS; ++k) {
        const ll_form form = t->forms[k & 1u][k / 2u];
        paired = paired && (!ll_form_takes_(form, scale) ||
                            ll_form_stands_for_(form, scale) < LL_LANE_DIGITS_);
    }
    return paired;
}

#endif
