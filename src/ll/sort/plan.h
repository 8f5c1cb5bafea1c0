/* ---- Sorts ------------------------------------------------------------ */
#ifndef LL_SORT_PLAN_H
#define LL_SORT_PLAN_H

#include "../text/explain.h"

/* Optional: define LL_SORTS before including the header.
 *
 * A sort along an axis is a bitonic network over the coordinates. Phase p turns
 * sorted runs of 2^(p-1) elements into runs of 2^p. Each of its steps compares
 * the elements at coordinates x and x ^ v: one place keeps the earlier element,
 * the other the later one. If A d = v for an input d of layout a, place p and
 * place p ^ d of a hold such a pair, whatever else a does. With d in registers
 * alone, the step is a compare and exchange within each lane. With d in
 * registers and lanes, it is one shuffle per word. Otherwise every lane stores
 * its elements and loads its partner's. Copies stay equal.
 *
 * Coordinates are paired in one of two ways. x is paired with x ^ 2^s in every
 * phase from s + 1 on. At the start of a phase this needs runs of alternating
 * order. In a flip, x is paired with x ^ (2^p - 1) instead. Then all runs have
 * one order, and no lane needs to know its direction. A phase begins with a
 * flip if the flip goes no further than the phase's highest bit does.
 *
 * The numbering of the coordinates matters only at the end, and the steps of
 * low bits are the most frequent. A turned sort therefore renumbers the axis:
 * its lowest bits are vectors that registers hold, then vectors of lanes, then
 * vectors of warps. At the end it converts the sorted elements to layout a.
 *
 * The first 2^m elements of a line need no full sort. Runs of 2^m elements are
 * sorted, pairs of runs are compared, the earlier element of each pair stays,
 * and these elements are sorted again. Pairs in a lane leave one register. */

#ifdef LL_SORTS

/* One step. The partner of an element is at the position, and in the thread,
 * that differ from its own by these. */
typedef struct ll_sort_step {
    unsigned with; /* XORed to the position */
    unsigned lane; /* XORed to the thread number, lane and warp; 0: in a lane */
    unsigned up;   /* bits of the coordinate; their XOR is 1 where the later
                      element of the pair belongs */
    unsigned both; /* 1: both places keep the earlier element */
    unsigned half; /* 1: then only the lower half of the positions stays */
} ll_sort_step;

/* A plan for the sort of a layout along an axis. */
typedef struct ll_sort_plan {
    unsigned err;
    unsigned lanes;      /* of a warp */
    unsigned threads;    /* of a block */
    unsigned element_bits;
    unsigned from_bits;  /* log2 of the registers before */
    unsigned to_bits;    /* log2 of the registers after */
    unsigned smem_bytes; /* of shared memory */
    unsigned cycles;     /* of a warp, estimated */
    unsigned axis;       /* log2 of the size of the axis */
    unsigned top;        /* log2 of the elements of a line that are kept */
    unsigned n;          /* log2 of the positions: registers without copies */
    unsigned reg[LL_MAX_BITS]; /* register of bit k of a position */
    unsigned at[LL_MAX_BITS];  /* position of bit k of a register */
    unsigned x[LL_MAX_BITS];   /* coordinate of bit k of a position */
    unsigned first;            /* coordinate of position 0 of thread 0 */
    unsigned moving;           /* bits of the coordinate that threads change */
    ll_map thread;             /* thread number -> coordinate, to be XORed */
    unsigned with[LL_MAX_BITS]; /* to change bit k of a coordinate: XORed */
    unsigned lane[LL_MAX_BITS]; /* to the position and to the thread number */
    unsigned flips;      /* bit p: phase p begins with a flip */
    unsigned steps;
    unsigned trips;      /* steps through shared memory */
    unsigned trip_bytes; /* shared memory of one trip */
    unsigned buffers;    /* 2: trips alternate, with one barrier each */
    unsigned turned;     /* 1: a conversion follows */
    ll_plan back;        /* if turned: that conversion */
    ll_layout to;        /* the layout of the result */
    ll_lack lacks;
} ll_sort_plan;

/* Private: returns the step of bit s of the coordinate. The earlier element
 * goes where bits s and `turn` agree or, if `turn` is the axis, where bit s is
 * 0. */
LL_FN ll_sort_step ll_sort_meet_(const ll_sort_plan *p, unsigned s,
                                 unsigned turn) {
    ll_sort_step m = LL_ZERO;
    m.with = p->with[s];
    m.lane = p->lane[s];
    m.up = 1u << s | (turn < p->axis ? 1u << turn : 0u);
    return m;
}

/* Private: returns the first step of phase s + 1 as a flip. */
LL_FN ll_sort_step ll_sort_flip_(const ll_sort_plan *p, unsigned s,
                                 unsigned turn) {
    ll_sort_step m = ll_sort_meet_(p, s, turn);
    for (unsigned k = 0; k < s; ++k) {
        m.with ^= p->with[k];
        m.lane ^= p->lane[k];
    }
    return m;
}

/* Private: returns the bit of the coordinate that reverses the order of the
 * runs of phase `phase`; p->axis if no bit does. */
LL_FN unsigned ll_sort_turn_(const ll_sort_plan *p, unsigned phase) {
    const unsigned next = ll_shift_down_(p->flips, phase + 1u) & 1u;
    return phase < p->top && next ? p->axis : phase;
}

/* Private: returns step k of a sort. */
LL_FN ll_sort_step ll_sort_step_at_(const ll_sort_plan *p, unsigned k) {
    ll_sort_step m = LL_ZERO;
    unsigned phase = 1;
    while (phase <= p->top && k >= phase) {
        k -= phase;
        ++phase;
    }
    if (phase <= p->top) {
        const unsigned turn = ll_sort_turn_(p, phase);
        return k == 0 && ll_shift_down_(p->flips, phase) & 1u
                   ? ll_sort_flip_(p, phase - 1u, turn)
                   : ll_sort_meet_(p, phase - 1u - k, turn);
    }
    const unsigned s = p->top + k / (p->top + 1u);
    const unsigned next = k % (p->top + 1u);
    if (next) {
        return ll_sort_meet_(p, p->top - next, s + 1u);
    }
    m = ll_sort_meet_(p, s, p->axis);
    m.both = 1;
    m.half = m.lane == 0;
    return m;
}

/* Private: returns how far a step goes: 0 in a lane, 1 a warp, 2 a block. */
LL_FN unsigned ll_sort_far_(const ll_sort_plan *p, unsigned lane) {
    return lane >= p->lanes ? 2u : lane ? 1u : 0u;
}

/* Private: counts the steps, the trips through shared memory and the cycles. In
 * each step an element of up to 32 bits takes one instruction; a larger one
 * takes a comparison, and a select per word. */
LL_FN void ll_sort_cost_(ll_sort_plan *p, const ll_target *t) {
    const unsigned parts = ll_element_words_(p->element_bits);
    const unsigned each = parts > 1u ? parts + 1u : 1u;
    unsigned long long cost = 0;
    unsigned n = p->n;
    p->steps = p->top * (p->top + 1u) / 2u +
               (p->axis - p->top) * (p->top + 1u);
    for (unsigned k = 0; k < p->steps; ++k) {
        const ll_sort_step m = ll_sort_step_at_(p, k);
        const unsigned words = ll_word_count_(
            n, ll_elements_per_word_(p->element_bits), p->element_bits);
        const unsigned far = ll_sort_far_(p, m.lane);
        n -= m.half;
        cost += (unsigned long long)(each << n) * t->cost[LL_COST_LOGIC];
        if (far == 1u) {
            cost += (unsigned long long)words * t->cost[LL_COST_SHUFFLE];
        } else if (far == 2u) {
            const unsigned bytes = 4u * words * p->threads;
            cost += 2ull * words * t->cost[LL_COST_MEMORY] +
                    t->cost[LL_COST_BLOCK];
            p->trip_bytes = p->trip_bytes > bytes ? p->trip_bytes : bytes;
            ++p->trips;
        }
    }
    p->buffers = p->trips > 1u && p->trip_bytes <= 24576u ? 2u : 1u;
    p->smem_bytes = p->trips ? p->buffers * p->trip_bytes : 0u;
    cost = (cost + 7u) / 8u;
    p->cycles = cost > 0xffffffffu ? ~0u : (unsigned)cost;
}

/* Private: returns a basis of the axis: vectors that registers of a hold, then
 * vectors of lanes, then vectors of warps. *own: number of the first. */
LL_FN ll_span_ ll_sort_vectors_(const ll_layout *a, const ll_span_ *axis,
                                unsigned *own) {
    ll_span_ l = LL_ZERO;
    for (unsigned k = 0; k < 3u; ++k) {
        const ll_span_ units =
            ll_span_units_(0, ll_shape_start_(&a->in, k + 1u));
        const ll_span_ into = ll_inputs_into_(a, &units, axis);
        const ll_span_ image = ll_span_images_(a, &into);
        ll_span_append_(&l, &image, LL_MAX_BITS);
        *own = k ? *own : l.n;
    }
    return l;
}

/* Private: returns y with its part along the axis in new coordinates: bit k
 * stands for vector k of `order`. */
LL_FN unsigned ll_recounted_(unsigned y, const ll_span_ *order,
                             unsigned start) {
    const unsigned axis = ll_shift_(ll_ones_(order->n), start);
    ll_span_ part = LL_ZERO;
    ll_span_push_(&part, y & axis);
    const ll_span_ terms = ll_span_terms_(order, &part);
    return (y & ~axis) | ll_shift_(terms.v[0], start);
}

/* Private: finds the positions: first the registers of coordinate bits below
 * `top`, then the registers of other lines, then the registers of the other
 * coordinate bits, highest first. A lane drops positions from the end. d has
 * the input of each coordinate bit. */
LL_FN void ll_sort_positions_(ll_sort_plan *p, const ll_layout *c,
                              const ll_span_ *d) {
    const unsigned regs = c->in.bits[0];
    const ll_span_ units = ll_span_units_(0, regs);
    const ll_span_ images = ll_span_images_(c, &units);
    ll_span_ low = LL_ZERO;
    ll_span_ high = LL_ZERO;
    for (unsigned k = 0; k < d->n; ++k) {
        const unsigned m = k < p->top ? k : d->n - 1u + p->top - k;
        if (d->v[m] >> regs == 0) {
            ll_span_push_(m < p->top ? &low : &high, d->v[m]);
        }
    }
    ll_span_ all = low;
    ll_span_append_(&all, &high, LL_MAX_BITS);
    const ll_span_ have = ll_span_images_(c, &all);
    const ll_span_ rest = ll_span_fresh_(&have, &units, &images);
    for (unsigned k = 0; k < rest.n + high.n; ++k) {
        ll_span_push_(&low, k < rest.n ? rest.v[k] : high.v[k - rest.n]);
    }
    const ll_span_ kept = ll_span_images_(c, &low);
    const ll_span_ at = ll_span_terms_(&kept, &images);
    p->n = low.n;
    for (unsigned k = 0; k < low.n; ++k) {
        p->reg[k] = low.v[k];
        p->x[k] = kept.v[k];
    }
    for (unsigned k = 0; k < regs; ++k) {
        p->at[k] = at.v[k];
    }
}

/* Private: sets a thread's coordinates. start: lowest bit of the axis. */
LL_FN void ll_sort_threads_(ll_sort_plan *p, const ll_layout *c,
                            unsigned start) {
    const unsigned ones = ll_ones_(p->axis);
    ll_layout thread = ll_thread_places_(c, 0, 0);
    for (unsigned k = 0; k < p->n; ++k) {
        p->x[k] = ll_shift_down_(p->x[k], start) & ones;
    }
    for (unsigned k = 0; k < ll_shape_bits_(&thread.in); ++k) {
        thread.basis[k] = ll_shift_down_(thread.basis[k], start) & ones;
        p->moving |= thread.basis[k];
    }
    p->first = ll_shift_down_(c->offset, start) & ones;
    p->thread = ll_map_of(thread);
}

/* Private: returns layout c with only the first elements of each line, and
 * positions in place of registers. Axis `at` starts at packed bit `start`. */
LL_FN ll_layout ll_sort_result_(const ll_sort_plan *p, const ll_layout *c,
                                unsigned at, unsigned start) {
    const unsigned regs = c->in.bits[0];
    const unsigned gone =
        ll_shift_(ll_ones_(p->axis) & ~ll_ones_(p->top), start);
    ll_layout q = *c;
    unsigned dropped = 0;
    for (unsigned k = p->top; k < p->axis; ++k) {
        dropped += p->lane[k] ? 0u : 1u;
    }
    const unsigned n = p->n - dropped;
    for (unsigned k = 0; k < n; ++k) {
        q.basis[k] = ll_bits_close_(ll_layout_linear_(c, p->reg[k]), gone);
    }
    for (unsigned k = regs; k < ll_shape_bits_(&c->in); ++k) {
        q.basis[n + k - regs] = ll_bits_close_(c->basis[k], gone);
    }
    q.in.bits[0] = (unsigned short)n;
    while (q.in.n > 2u && q.in.bits[q.in.n - 1u] == 0) {
        --q.in.n; /* no warps and no blocks */
    }
    q.out.bits[at] = (unsigned short)p->top;
    q.offset = ll_bits_close_(c->offset, gone);
    return q;
}

/* Private: returns the sort in layout a; `order`: its vectors. */
LL_FN ll_sort_plan ll_sort_plan_by_(const ll_layout *a, unsigned at,
                                    const ll_span_ *order, unsigned top,
                                    unsigned element_bits, const ll_target *t) {
    const unsigned start = ll_shape_start_(&a->out, at);
    const unsigned regs = a->in.bits[0];
    const ll_span_ columns = ll_span_of_columns_(a, 0, ll_shape_bits_(&a->in));
    const ll_span_ d = ll_span_terms_(&columns, order); /* registers first */
    ll_sort_plan p = LL_ZERO;
    ll_layout c = *a;
    p.lanes = t->lanes;
    p.threads = ll_threads_of_(a);
    p.element_bits = ll_element_held_(element_bits);
    p.from_bits = regs;
    p.axis = order->n;
    p.top = top;
    for (unsigned k = 0; k < ll_shape_bits_(&c.in); ++k) {
        c.basis[k] = ll_recounted_(a->basis[k], order, start);
    }
    c.offset = ll_recounted_(a->offset, order, start);
    ll_sort_positions_(&p, &c, &d);
    ll_sort_threads_(&p, &c, start);
    for (unsigned k = 0; k < order->n; ++k) {
        p.with[k] = ll_vectors_xor_(p.at, regs, d.v[k] & ll_ones_(regs));
        p.lane[k] = ll_shift_down_(d.v[k], regs);
    }
    for (unsigned k = 0; k < order->n; ++k) {
        const unsigned flip = ll_sort_flip_(&p, k, p.axis).lane;
        p.flips |= ll_sort_far_(&p, flip) <= ll_sort_far_(&p, p.lane[k])
                       ? 2u << k
                       : 0u;
    }
    p.to = ll_sort_result_(&p, &c, at, start);
    p.to_bits = p.to.in.bits[0];
    ll_sort_cost_(&p, t);
    return p;
}

/* Private: returns p as a turned sort: its result is converted to layout a. */
LL_FN ll_sort_plan ll_sort_turned_(ll_sort_plan p, const ll_layout *a,
                                   const ll_target *t) {
    p.turned = 1;
    p.back = ll_plan_of(p.to, *a, p.element_bits, *t);
    p.err = p.back.err;
    p.cycles += p.back.cycles;
    p.smem_bytes = p.back.smem_bytes > p.smem_bytes ? p.back.smem_bytes
                                                    : p.smem_bytes;
    p.to_bits = a->in.bits[0];
    for (unsigned k = 0; k < p.n; ++k) {
        p.at[k] = 1u << k;
    }
    return p;
}

/* ll_sort_of(a, d, element_bits, t): returns the plan that sorts the elements
 * of layout a along axis d on target t. The result has layout a. element_bits:
 * bits of a whole element, key and value together. Equal keys come in any
 * order, the same in all copies. Fails as ll_scan_of does, for example with
 * LL_EBLOCK if the axis crosses blocks.
 *
 * ll_top_of(a, d, count, element_bits, t): returns the plan that finds the
 * first `count` elements of each line, in their order. count is a power of two
 * up to the size of the axis. The result has the layout .to, in which axis d
 * has that size. Fails as ll_sort_of does, and with LL_ETOP (count).
 * Example: ll_sort_of(ll_rows(32, 32, 4), LL_J, 32, LL_SM90).steps is 15;
 * Example: ll_sort_of(ll_rows(32, 32, 4), LL_J, 32, LL_SM90).trips is 0;
 * Example: ll_sort_of(ll_rows(32, 32, 4), LL_I, 32, LL_SM90).trips is 3;
 * Example: ll_top_of(L("register: j0 j1 j2 | lane: j3 j4 j5 j6 j7"), LL_J, 4,
 *                    32, LL_SM90).to is
 *          L("register: j0 | lane: j1 0 0 0 0");
 * Example: ll_top_of(ll_rows(32, 32, 4), LL_J, 64, 32, LL_SM90).err is LL_ETOP;
 */
LL_FN ll_sort_plan ll_sort_of(ll_layout a, ll_dim d, unsigned element_bits,
                              ll_target t) {
    const ll_layout whole = a;
    ll_sort_plan p = LL_ZERO;
    ll_span_ axis = LL_ZERO;
    unsigned own = 0;
    a = ll_layout_scannable_(a, d, element_bits, &t, &axis);
    p.lacks = ll_lack_of_(&a);
    p.err = a.err;
    if (p.err) {
        return p;
    }
    const unsigned at = ll_axis_at_(&a.out, d);
    const ll_span_ held = ll_sort_vectors_(&a, &axis, &own);
    p = ll_sort_plan_by_(&a, at, &axis, axis.n, element_bits, &t);
    p.to_bits = p.from_bits;
    ll_sort_plan q = ll_sort_plan_by_(&a, at, &held, axis.n, element_bits, &t);
    if (q.cycles < p.cycles) {
        q = ll_sort_turned_(q, &a, &t);
        p = q.err || q.cycles >= p.cycles ? p : q;
    }
    p.to = whole;
    return p;
}

/* Private: returns an order of coordinate bits: `low` registers, lanes and
 * warps up to `top` bits, the other registers, and the rest. */
LL_FN ll_span_ ll_top_order_(const ll_span_ *held, unsigned own, unsigned low,
                             unsigned top) {
    ll_span_ order = LL_ZERO;
    for (unsigned k = 0; k < low; ++k) {
        ll_span_push_(&order, held->v[k]);
    }
    for (unsigned k = own; k < own + top - low; ++k) {
        ll_span_push_(&order, held->v[k]);
    }
    ll_span_append_(&order, held, LL_MAX_BITS);
    return order;
}

LL_FN ll_sort_plan ll_top_of(ll_layout a, ll_dim d, unsigned count,
                             unsigned element_bits, ll_target t) {
    ll_sort_plan best = LL_ZERO;
    ll_span_ axis = LL_ZERO;
    unsigned own = 0;
    a = ll_layout_scannable_(a, d, element_bits, &t, &axis);
    best.lacks = ll_lack_of_(&a);
    best.err = a.err;
    const unsigned top = ll_log2_(count);
    if (!best.err && (top > axis.n || count != 1u << top)) {
        best.err = LL_ETOP;
    }
    if (best.err) {
        return best;
    }
    const ll_span_ held = ll_sort_vectors_(&a, &axis, &own);
    for (unsigned low = 0; low <= own && low <= top; ++low) {
        if (top - low <= held.n - own) {
            const ll_span_ order = ll_top_order_(&held, own, low, top);
            const ll_sort_plan p = ll_sort_plan_by_(
                &a, ll_axis_at_(&a.out, d), &order, top, element_bits, &t);
            best = best.threads && best.cycles <= p.cycles ? best : p;
        }
    }
    for (unsigned k = 0; k < best.n; ++k) {
        best.at[k] = 1u << k;
    }
    return best;
}

/* Private: writes how many steps go as far as `far`, unless 0. */
LL_FN void ll_write_sort_steps_(ll_writer_ *w, const ll_sort_plan *p,
                                unsigned far, const char *where) {
    unsigned steps = 0;
    for (unsigned k = 0; k < p->steps; ++k) {
        steps += ll_sort_far_(p, ll_sort_step_at_(p, k).lane) == far ? 1u : 0u;
    }
    if (steps) {
        ll_write_(w, "  ");
        ll_write_count_(w, steps, "step");
        ll_write_(w, where);
    }
}

/* ll_explain_sort(p, buf, size): writes the plan of a sort in words, such as "8
 * registers, 15 steps, about 123 cycles per warp", "9 steps within a lane".
 * Returns the length of the whole text.
 * Example: ll_explain_sort(ll_sort_of(ll_rows(32, 32, 4), LL_J, 32, LL_SM90),
 *                          0, 0) is 97;
 */
LL_FN unsigned ll_explain_sort(ll_sort_plan p, char *buf, unsigned size) {
    ll_writer_ w = ll_writer_on_(buf, size);
    if (p.err) {
        ll_write_no_axis_(&w, p.err, &p.lacks);
        return w.len;
    }
    ll_write_count_(&w, 1u << p.from_bits, "register");
    ll_write_(&w, ", ");
    ll_write_count_(&w, p.steps, "step");
    ll_write_(&w, ", about ");
    ll_write_count_(&w, p.cycles, "cycle");
    ll_write_(&w, " per warp\n");
    ll_write_sort_steps_(&w, &p, 0, " within a lane\n");
    ll_write_sort_steps_(&w, &p, 1, " between lanes\n");
    ll_write_sort_steps_(&w, &p, 2, " between warps, through ");
    if (p.trips) {
        ll_write_count_(&w, p.buffers * p.trip_bytes, "byte");
        ll_write_(&w, " of shared memory\n");
    }
    if (p.turned) {
        ll_write_plan_(&w, "  conversion back: ", p.back);
    }
    return w.len;
}

/* ll_sort_cycles(a, d, element_bits, t, bytes): returns the cycles of
 * ll_sort_of, ~0 if it fails, and sets *bytes to its shared memory. This is the
 * price of a sort for the layout engine: e.sort = ll_sort_cycles. */
LL_FN unsigned ll_sort_cycles(ll_layout a, ll_dim d, unsigned element_bits,
                              ll_target t, unsigned *bytes) {
    const ll_sort_plan p = ll_sort_of(a, d, element_bits, t);
    *bytes = p.smem_bytes;
    return p.err ? ~0u : p.cycles;
}

/* The function that gives the layout engine the price of a sort; 0: none. */
#define LL_SORTER_ ll_sort_cycles

#else
#define LL_SORTER_ 0
#endif /* LL_SORTS */

#endif
