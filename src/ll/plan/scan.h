/* ---- Scans ------------------------------------------------------------ */
#ifndef LL_PLAN_SCAN_H
#define LL_PLAN_SCAN_H

#include "reduce.h"

/* A scan keeps the order of the elements along the axis. Its cosets therefore
 * come from the lowest bits of the axis, with one more bit per level. At level
 * k each place has the total of the 2^k elements that differ from its own only
 * in the lowest k bits. The total of the sibling, the 2^k elements that differ
 * in bit k too, comes from registers of the same lane if possible, otherwise
 * from another lane. The levels are then walked back: the prefix of 2^k
 * elements is the prefix of the 2^(k+1) elements around them, followed by the
 * sibling's total if the sibling is the lower one. Levels end at the first bit
 * of the axis that a warp does not hold. For the bits from there on, warps
 * exchange totals, so that each lane has the totals of all its lines. */

/* Level k: where the sibling's total is. */
typedef struct ll_level {
    unsigned with; /* XORed to the position */
    unsigned lane; /* XORed to the lane number; 0: in the same lane */
    unsigned gone; /* bits of a position that are 0 from this level on */
} ll_level;

/* A plan for the scan of a layout along an axis. */
typedef struct ll_scan_plan {
    unsigned err;
    unsigned lanes;      /* of a warp */
    unsigned threads;    /* of a block */
    unsigned element_bits;
    unsigned from_bits;  /* log2 of the registers before */
    unsigned to_bits;    /* log2 of the registers after: as before */
    unsigned smem_bytes; /* of shared memory */
    unsigned cycles;     /* of a warp, estimated */
    unsigned turned;     /* 1: the scan is done in another layout */
    ll_plan there, back; /* if turned: conversions to that layout and back */
    unsigned bits;       /* log2 of the registers that are scanned */
    unsigned n;          /* log2 of the positions: registers without copies */
    unsigned reg[LL_MAX_BITS]; /* register of bit k of a position */
    unsigned x[LL_MAX_BITS];   /* its coordinate along the axis, to be XORed */
    unsigned line[LL_MAX_BITS]; /* line of bit k of a closed position */
    unsigned at[LL_MAX_BITS];  /* position of bit k of a register */
    ll_map thread;             /* thread number -> coordinate on the axis */
    unsigned axis;             /* log2 of the size of the axis */
    unsigned levels;           /* lowest bits of the axis, held by a warp */
    ll_level level[LL_MAX_BITS + 1];
    unsigned crosses;          /* the other bits: log2 of a line's totals */
    unsigned lines;            /* if it crosses: log2 of the lane's lines */
    ll_plan between;           /* if it crosses: brings the totals to a lane */
    ll_lack lacks;
} ll_scan_plan;

/* Private: undoes ll_bits_close_, with zeros for the bits of `gone`. */
LL_FN unsigned ll_bits_open_(unsigned closed, unsigned gone) {
    unsigned p = 0;
    for (unsigned k = 0; k < LL_MAX_BITS; ++k) {
        if (!(gone >> k & 1u)) {
            p |= (closed & 1u) << k;
            closed >>= 1;
        }
    }
    return p;
}

/* Private: returns a with the output bits of `mask` cleared. Its registers are
 * the positions of the scan without the bits of `gone`. */
LL_FN ll_layout ll_without_bits_(const ll_layout *a, const ll_scan_plan *s,
                                 unsigned gone, unsigned mask) {
    const unsigned regs = a->in.bits[0];
    ll_layout q = *a;
    unsigned n = 0;
    for (unsigned k = 0; k < s->n; ++k) {
        if (!(gone >> k & 1u)) {
            q.basis[n] = ll_layout_linear_(a, s->reg[k]) & ~mask;
            ++n;
        }
    }
    q.in.bits[0] = (unsigned short)n;
    for (unsigned k = regs; k < ll_shape_bits_(&a->in); ++k) {
        q.basis[n + k - regs] = a->basis[k] & ~mask;
    }
    q.offset &= ~mask;
    return q;
}

/* Private: adds one level, for the axis bit with the packed output `bit`, if a
 * warp holds it. Returns 0 if it does not. */
LL_FN int ll_scan_rise_(ll_scan_plan *s, const ll_layout *a, unsigned bit) {
    ll_level *l = &s->level[s->levels];
    const unsigned lower = bit - (bit >> s->levels);
    ll_echelon_ r = LL_ZERO;
    for (unsigned k = 0; k < s->n; ++k) {
        const int on = !(l->gone >> k & 1u);
        ll_echelon_load_(&r, on ? ll_layout_linear_(a, s->reg[k]) & ~lower : 0u,
                         1u << k);
    }
    for (unsigned k = 0; k < a->in.bits[1]; ++k) {
        ll_echelon_load_(&r, a->basis[a->in.bits[0] + k] & ~lower,
                         1u << (s->n + k));
    }
    ll_echelon_load_(&r, bit, 0);
    ll_echelon_eliminate_(&r, 0, r.n);
    if (ll_echelon_vector_(&r, r.n - 1u)) {
        return 0;
    }
    const unsigned d = ll_echelon_mix_(&r, r.n - 1u);
    l->with = d & ll_ones_(s->n);
    l->lane = d >> s->n;
    l[1].gone = l->gone | (l->lane ? 0u : l->with & (0u - l->with));
    ++s->levels;
    return 1;
}

#define LL_MAX_TOTALS_ 8u /* log2 of the totals that a lane may load */

/* Private: plans how lanes get lines' totals over bits from `levels` on. */
LL_FN void ll_scan_cross_(ll_scan_plan *s, const ll_layout *a, unsigned start,
                          const ll_target *t) {
    const ll_span_ none = LL_ZERO;
    const unsigned axis = ll_shift_(ll_ones_(s->axis), start);
    const unsigned lower = ll_shift_(ll_ones_(s->levels), start);
    const unsigned gone = s->level[s->levels].gone;
    const ll_layout q = ll_without_bits_(a, s, gone, lower);
    const ll_layout z = ll_without_bits_(a, s, gone, axis);
    const unsigned n = z.in.bits[0];
    const ll_span_ images = ll_span_of_columns_(&z, 0, n);
    const ll_span_ lines = ll_span_independent_(&none, &images);
    const ll_span_ line = ll_span_terms_(&lines, &images);
    ll_layout b = z;
    s->lines = lines.n;
    if (lines.n + s->crosses > LL_MAX_TOTALS_) {
        s->err = LL_EBITS;
        return;
    }
    b.in.bits[0] = (unsigned short)(lines.n + s->crosses);
    for (unsigned k = 0; k < b.in.bits[0]; ++k) {
        b.basis[k] = k < lines.n ? lines.v[k]
                                 : 1u << (start + s->levels + k - lines.n);
    }
    for (unsigned k = n; k < ll_shape_bits_(&z.in); ++k) {
        b.basis[b.in.bits[0] + k - n] = z.basis[k];
    }
    for (unsigned k = 0; k < n; ++k) {
        s->line[k] = line.v[k];
    }
    s->between = ll_plan_of(q, b, s->element_bits, *t);
    s->err = s->between.err;
    s->smem_bytes = s->between.smem_bytes;
}

/* Private: returns the cycles of a scan; operations and selects are logic. */
LL_FN unsigned ll_scan_cycles_(const ll_scan_plan *s, const ll_target *t) {
    unsigned shuffles = 0;
    unsigned logic = 1u << s->n;
    for (unsigned k = 0; k < s->levels; ++k) {
        const ll_level *l = &s->level[k];
        const unsigned here = 1u << (s->n - ll_popcount_(l->gone));
        const unsigned above = 1u << (s->n - ll_popcount_(l[1].gone));
        shuffles += l->lane ? here * ll_element_words_(s->element_bits) : 0u;
        logic += (l->lane ? 3u : 1u) * (here + above);
    }
    const unsigned last = s->n - ll_popcount_(s->level[s->levels].gone);
    logic += s->crosses ? (1u << s->crosses) * ((1u << s->lines) + (1u << last))
                        : 0u;
    return s->between.cycles + (shuffles * t->cost[LL_COST_SHUFFLE] +
                                logic * t->cost[LL_COST_LOGIC] + 7u) / 8u;
}

/* Private: finds positions, their coordinates, and registers' positions. */
LL_FN void ll_scan_positions_(ll_scan_plan *s, const ll_layout *a,
                              unsigned start) {
    const ll_span_ none = LL_ZERO;
    const ll_span_ units = ll_span_units_(0, a->in.bits[0]);
    const ll_span_ images = ll_span_images_(a, &units);
    const ll_span_ reg = ll_span_fresh_(&none, &units, &images);
    const ll_span_ kept = ll_span_images_(a, &reg);
    const ll_span_ at = ll_span_terms_(&kept, &images);
    ll_layout thread = ll_thread_places_(a, a->offset, 0);
    for (unsigned k = 0; k < reg.n; ++k) {
        s->reg[k] = reg.v[k];
        s->x[k] = ll_shift_down_(kept.v[k], start) & ll_ones_(s->axis);
    }
    for (unsigned k = 0; k < at.n; ++k) {
        s->at[k] = at.v[k];
    }
    for (unsigned k = 0; k < ll_shape_bits_(&thread.in); ++k) {
        thread.basis[k] =
            ll_shift_down_(thread.basis[k], start) & ll_ones_(s->axis);
    }
    thread.offset = ll_shift_down_(thread.offset, start) & ll_ones_(s->axis);
    s->thread = ll_map_of(thread);
    s->n = reg.n;
}

/* Private: returns the scan in a itself, along bits from `start` on. */
LL_FN ll_scan_plan ll_scan_plan_here_(const ll_layout *a, const ll_span_ *axis,
                                      unsigned start, unsigned element_bits,
                                      const ll_target *t) {
    ll_scan_plan s = LL_ZERO;
    s.lanes = t->lanes;
    s.threads = ll_threads_of_(a);
    s.element_bits = ll_element_held_(element_bits);
    s.from_bits = s.to_bits = s.bits = a->in.bits[0];
    s.axis = axis->n;
    ll_scan_positions_(&s, a, start);
    while (s.levels < s.axis && ll_scan_rise_(&s, a, axis->v[s.levels])) {
    }
    s.crosses = s.axis - s.levels;
    if (s.crosses) {
        ll_scan_cross_(&s, a, start, t);
    }
    s.cycles = ll_scan_cycles_(&s, t);
    return s;
}

/* Private: returns a layout of the same elements with the axis first: in
 * registers, then in lanes, then in warps. */
LL_FN ll_layout ll_axis_first_(const ll_layout *a, const ll_span_ *axis,
                               unsigned regs) {
    const unsigned mask = ll_span_or_(axis);
    ll_span_ rest = ll_span_of_columns_(a, 0, ll_shape_bits_(&a->in));
    ll_span_ all = *axis;
    ll_layout c = *a;
    for (unsigned k = 0; k < rest.n; ++k) {
        rest.v[k] &= ~mask;
    }
    ll_span_append_(&all, &rest, LL_MAX_BITS);
    c.in.bits[0] = (unsigned short)regs;
    c.offset &= ~mask;
    for (unsigned k = 0; k < ll_shape_bits_(&c.in); ++k) {
        c.basis[k] = k < all.n ? all.v[k] : 0u;
    }
    return c;
}

/* Private: returns the plan that scans in another layout and converts back. */
LL_FN ll_scan_plan ll_scan_turned_(const ll_layout *a, const ll_span_ *axis,
                                   unsigned start, const ll_scan_plan *here,
                                   const ll_target *t) {
    const ll_layout c = ll_axis_first_(a, axis, here->n);
    ll_scan_plan s = ll_scan_plan_here_(&c, axis, start, here->element_bits, t);
    s.turned = 1;
    s.there = ll_plan_of(*a, c, s.element_bits, *t);
    s.back = ll_plan_of(c, *a, s.element_bits, *t);
    s.from_bits = s.to_bits = a->in.bits[0];
    s.cycles += s.there.cycles + s.back.cycles;
    s.err = s.err ? s.err : s.there.err ? s.there.err : s.back.err;
    const unsigned most = s.there.smem_bytes > s.back.smem_bytes
                              ? s.there.smem_bytes
                              : s.back.smem_bytes;
    s.smem_bytes = most > s.smem_bytes ? most : s.smem_bytes;
    return s;
}

/* ll_scan_of(a, d, element_bits, t): returns the plan that combines each
 * element of layout a with all elements before it along axis d on target t. The
 * result has layout a. The operation must be associative, up to rounding. The
 * order is kept, and all copies have the same bits. As in a reduction, no
 * padding is added, and the operation alone decides how NaN and -0.0 are
 * treated. If a holds the lower bits of the axis in registers and lanes, in any
 * order, and the upper bits in warps, one total per warp and line goes through
 * shared memory. Otherwise the plan may convert all elements to such a layout
 * and back, if that is cheaper. Fails as ll_reduce_of does, and also with
 * LL_EBLOCK if the coordinate along the axis depends on the block.
 * Example: ll_scan_of(ll_rows(32, 32, 4), LL_J, 32, LL_SM90).levels is 5;
 * Example: ll_scan_of(ll_rows(32, 32, 4), LL_I, 32, LL_SM90).turned is 1;
 * Example: ll_scan_of(L("register: i0^i1 | lane: i0 i2 i3 i4 i5"), LL_I, 32,
 *                     LL_SM90).level[1].lane is 0;
 */
LL_FN ll_scan_plan ll_scan_of(ll_layout a, ll_dim d, unsigned element_bits,
                              ll_target t) {
    ll_scan_plan s = LL_ZERO;
    ll_span_ axis = LL_ZERO;
    ll_span_ done = LL_ZERO;
    a = ll_layout_scannable_(a, d, element_bits, &t, &axis);
    s.err = a.err;
    s.lacks = ll_lack_of_(&a);
    if (s.err) {
        return s;
    }
    const unsigned start = ll_shape_start_(&a.out, ll_axis_at_(&a.out, d));
    ll_tree_of_(&a, &axis, &done);
    s = ll_scan_plan_here_(&a, &axis, start, element_bits, &t);
    if (s.err == LL_EBITS || s.crosses > axis.n - done.n) {
        const ll_scan_plan u = ll_scan_turned_(&a, &axis, start, &s, &t);
        s = s.err || u.cycles < s.cycles ? u : s;
    }
    return s;
}

#endif
