/* ---- Engine: prices --------------------------------------------------- */
#ifndef LL_ENGINE_PRICE_H
#define LL_ENGINE_PRICE_H

#include "../plan/scan.h"
#include "../plan/gather.h"
#include "instances.h"

#ifdef LL_ENGINE

/* Private: prices of accesses to global memory. They were fitted to 1,088
 * patterns on an H200: in L2 and in memory, with and without gaps. L1 serves an
 * instruction line by line and keeps the lines for the next instructions. So a
 * load takes each half-line once, in 1.5 cycles of an SM from L2 or 3.6 from
 * memory. Every store goes on to L2, which has more work if sectors are not
 * full. Cycles of contiguous accesses:
 *
 *     bytes per lane        4     8    16
 *     loads from L2       8.2   9.0  12.1
 *     loads from memory   9.1  14.4  29.1
 *     their price         5     9    17
 *     stores to L2        8.0  13.8  27.5
 *     stores to memory    9.2  15.1  30.1
 *     their price         7    13    25
 *
 * Prices are 0.34 to 2.6 times the measured cycles; rank correlations are 0.90
 * to 0.97. */
#define LL_ENGINE_ISSUE 8u      /* eighths of a cycle per instruction */
#define LL_ENGINE_HALF_LINE 12u /* per half-line that a warp loads */
#define LL_ENGINE_SECTOR 8u     /* per sector that an instruction stores */
#define LL_ENGINE_LINE 8u       /* per line that it stores */
#define LL_ENGINE_PART 16u      /* surcharge if its sectors are not full */
#define LL_ENGINE_AGAIN \
    1u                         /* surcharge per extra execution, so that
                                  repeating a free operation has a price */
#define LL_ENGINE_FAR 80000u   /* if the planner has no plan */

/* Private: returns the layout with the axes i, j, k. j is axis `axis` of value
 * v, i is all axes before it and k all axes after it. With v = 0 the only axis
 * is i. */
LL_FN ll_layout ll_engine_wide_(const ll_engine_flat *f, unsigned bits,
                                const ll_engine_value *v, unsigned axis) {
    const ll_dim names[] = {LL_REGISTER, LL_LANE, LL_WARP, LL_BLOCK};
    ll_shape in = LL_ZERO;
    ll_shape out = LL_ZERO;
    for (unsigned d = 0; d < 4u; ++d) {
        in = ll_shape_add_(in, names[d], f->n[d]);
    }
    if (v) {
        const unsigned low = ll_engine_low_(v, axis);
        out = ll_shape_add_(out, LL_K, low);
        out = ll_shape_add_(out, LL_J, v->size[axis]);
        bits -= low + v->size[axis];
    }
    out = ll_shape_add_(out, LL_I, bits);
    ll_layout a = ll_zero(in, out);
    for (unsigned k = 0; k < ll_flat_total_(f); ++k) {
        a.basis[k] = f->basis[k];
    }
    return a;
}

/* Private: returns the bits of an element, rounded up to what the planner
 * takes. */
LL_FN unsigned ll_engine_element_(unsigned bits) {
    unsigned to = 8;
    while (to < bits && to < 128u) {
        to *= 2u;
    }
    return to;
}

/* ll_engine_plan(e, a, b, bits, element_bits): returns the plan from layout
 * number a to layout number b of a tensor with 2^bits elements. Its only axis,
 * i, is the index. */
LL_FN ll_plan ll_engine_plan(const ll_engine *e, unsigned a, unsigned b,
                             unsigned bits, unsigned element_bits) {
    const ll_layout from = ll_engine_wide_(&e->flat[a], bits, 0, 0);
    const ll_layout to = ll_engine_wide_(&e->flat[b], bits, 0, 0);
    const unsigned size = ll_engine_element_(element_bits);
    return e->scratch ? ll_plan_within(from, to, size, e->target, e->scratch)
                      : ll_plan_of(from, to, size, e->target);
}

/* Private: returns the cost of a plan in eighths of a cycle; LL_ENGINE_MANY_ if
 * it needs more memory than allowed. */
LL_FN unsigned long long ll_engine_cycles_(unsigned err, unsigned cycles,
                                           int fits) {
    return err == LL_EBUDGET || !fits ? LL_ENGINE_MANY_
           : err                      ? LL_ENGINE_FAR
                                      : 8ull * cycles;
}

/* Private: returns whether `bytes` bytes of shared memory are allowed. */
LL_FN int ll_engine_has_room_(const ll_engine *e, unsigned bytes) {
    return !e->scratch || bytes <= e->scratch;
}

/* Private: returns the cost of `times` runs. */
LL_FN unsigned long long ll_engine_times_(unsigned long long cost,
                                          unsigned times) {
    return cost < LL_ENGINE_MANY_ ? cost * times : LL_ENGINE_MANY_;
}

/* Private: fills in the cost of a conversion. */
LL_FN void ll_engine_price_pair_(const ll_engine *e, ll_engine_pair_ *q) {
    const ll_plan p = ll_engine_plan(e, q->a, q->b, q->bits, q->element_bits);
    q->kind = p.err ? (unsigned)LL_ANY : p.kind;
    q->cost = ll_engine_cycles_(p.err, p.cycles, 1);
}

/* Private: returns the cached price of a conversion. In a constant the price is
 * filled in later. */
LL_FN const ll_engine_pair_ *ll_engine_convert_(ll_engine *e, unsigned a,
                                                unsigned b, unsigned bits,
                                                unsigned element_bits) {
    const unsigned size = ll_engine_element_(element_bits);
    unsigned hash = a * 0x9e3779b9u ^ b * 0x85ebca6bu ^ size;
    unsigned *head = &e->heads[1][(hash ^ hash >> 15) % LL_ENGINE_HEADS_];
    for (unsigned k = *head; k < e->pairs; k = e->pair[k].next) {
        const ll_engine_pair_ *p = &e->pair[k];
        if (p->a == a && p->b == b && p->element_bits == size) {
            return p;
        }
    }
    e->pair = ll_engine_room_pair_(e, e->pair, e->pairs + 1u, &e->cap_pairs);
    if (e->err) {
        return 0;
    }
    ll_engine_pair_ *q = &e->pair[e->pairs];
    q->a = a;
    q->b = b;
    q->bits = bits;
    q->element_bits = size;
    q->next = *head;
    *head = e->pairs;
    if (!e->pool) {
        ll_engine_price_pair_(e, q);
    } else if (e->priced) {
        ll_engine_fail_(e, LL_ENGINE_EARENA, LL_ENGINE_NONE);
    }
    return &e->pair[e->pairs++];
}

/* Private: returns 2^n. */
LL_FN unsigned long long ll_engine_two_(unsigned n) {
    return 1ull << (n < 40u ? n : 40u);
}

/* Private: returns the axis along which memory is contiguous: the one with the
 * longest runs. */
LL_FN unsigned ll_engine_fast_(const ll_engine_op *o,
                               const ll_engine_value *v) {
    unsigned axis = v->rank ? v->rank - 1u : 0u;
    for (unsigned k = axis; k-- > 0;) {
        axis = o->contiguous[k] > o->contiguous[axis] ? k : axis;
    }
    return axis;
}

/* Private: returns how many different units of 2^unit bytes the lanes of a warp
 * touch, each with the elements of the columns `registers`. Memory is
 * contiguous along one axis. Where its runs span that axis, memory continues
 * along the last of the other axes, and so on. Unit 0 counts the bytes of the
 * elements. */
LL_FN unsigned long long ll_engine_touched_(const ll_engine *e,
                                            const ll_engine_op *o,
                                            const ll_engine_value *v,
                                            const ll_engine_flat *f,
                                            const ll_span_ *registers,
                                            unsigned unit) {
    const unsigned fast = ll_engine_fast_(o, v);
    unsigned mask = ll_ones_(v->bits);
    unsigned bytes = 0;
    while ((8u << bytes) < v->element_bits) {
        ++bytes;
    }
    unsigned inside = unit > bytes ? unit - bytes : 0u;
    for (unsigned n = v->rank; n-- > 0;) {
        const unsigned k = n + 1u == v->rank ? fast : n + (n >= fast);
        const unsigned low = ll_engine_low_(v, k);
        unsigned near = o->contiguous[k] < inside ? o->contiguous[k] : inside;
        near = near < v->size[k] ? near : v->size[k];
        const unsigned same = o->same[k] < v->size[k] ? o->same[k] : v->size[k];
        const unsigned gone = near > same ? near : same;
        mask &= ~(ll_ones_(gone) << low);
        inside = near == v->size[k] ? inside - near : 0u;
    }
    ll_span_ reduced = LL_ZERO;
    for (unsigned k = 0; k < e->counts[1]; ++k) {
        ll_span_extend_(&reduced, f->basis[f->n[0] + k] & mask);
    }
    for (unsigned k = 0; k < registers->n; ++k) {
        ll_span_extend_(&reduced, registers->v[k] & mask);
    }
    return ll_engine_two_(reduced.n + (unit ? 0u : bytes));
}

/* Private: returns the register columns that one instruction moves: neighbours
 * along the contiguous axis, at most 16 bytes, aligned. */
LL_FN ll_span_ ll_engine_vector_(const ll_engine_op *o,
                                 const ll_engine_value *v,
                                 const ll_engine_flat *f) {
    ll_span_ vector = LL_ZERO;
    if (v->rank == 0) {
        return vector;
    }
    const unsigned axis = ll_engine_fast_(o, v);
    const unsigned low = ll_engine_low_(v, axis);
    const unsigned bytes = (v->element_bits + 7u) / 8u;
    unsigned others = 0;
    for (unsigned n = 0; n < o->contiguous[axis] && n < v->size[axis]; ++n) {
        const unsigned want = 1u << (low + n);
        unsigned found = 0;
        others = 0;
        for (unsigned k = 0; k < ll_flat_total_(f); ++k) {
            found |= k < f->n[0] && f->basis[k] == want;
            others += (f->basis[k] & want) != 0;
        }
        if (!found || others != 1u || (bytes << (n + 1u)) > 16u ||
            (o->align && (bytes << (n + 1u)) > o->align)) {
            break;
        }
        ll_span_push_(&vector, want);
    }
    return vector;
}

/* ll_engine_access(e, op, v, id): returns the cost of an access to global
 * memory if its value v has layout `id`, in eighths of a cycle. Each
 * instruction of a warp costs a wavefront per line that it touches, or per 128
 * bytes that its lanes have, whichever is more. A load also costs the
 * half-lines that all its instructions touch together, a store the sectors and
 * the lines of each instruction. */
LL_FN unsigned long long ll_engine_access(const ll_engine *e, unsigned op,
                                          unsigned v, unsigned id) {
    const ll_engine_op *o = &e->op[op];
    const ll_engine_value *a = &e->value[v];
    const ll_engine_flat *f = &e->flat[id];
    const ll_span_ vector = ll_engine_vector_(o, a, f);
    const unsigned long long times = ll_engine_two_(f->n[0] - vector.n);
    const unsigned long long bytes =
        (ll_engine_two_(vector.n + e->counts[1]) * a->element_bits + 7u) / 8u;
    const unsigned long long full = (bytes + 127u) / 128u;
    const unsigned long long lines =
        ll_engine_touched_(e, o, a, f, &vector, 7);
    const unsigned long long each =
        LL_ENGINE_ISSUE +
        (full > lines ? full : lines) * e->target.cost[LL_COST_MEMORY];
    if (o->kind == LL_ENGINE_LOAD) {
        ll_span_ all = vector;
        for (unsigned k = 0; k < f->n[0]; ++k) {
            ll_span_extend_(&all, f->basis[k]);
        }
        return times * each +
               ll_engine_touched_(e, o, a, f, &all, 6) * LL_ENGINE_HALF_LINE;
    }
    const unsigned long long sectors =
        ll_engine_touched_(e, o, a, f, &vector, 5);
    const int part = 32u * sectors > ll_engine_touched_(e, o, a, f, &vector, 0);
    return times * (each + sectors * LL_ENGINE_SECTOR +
                    lines * (LL_ENGINE_LINE + (part ? LL_ENGINE_PART : 0u)));
}

/* Private: returns the cost of moving a tile between registers of layout `id`
 * and shared memory of layout `memory`, as the planner counts it: the
 * wavefronts of each access, which is as wide as both layouts allow. */
LL_FN unsigned long long ll_engine_tile_(const ll_engine *e, unsigned memory,
                                         unsigned op, unsigned v,
                                         unsigned id) {
    const unsigned bits = e->value[v].bits;
    const unsigned size = ll_engine_element_(e->value[v].element_bits);
    const ll_shape none = LL_ZERO;
    const ll_layout a = ll_engine_wide_(&e->flat[id], bits, 0, 0);
    ll_layout m = ll_zero(ll_shape_add_(none, LL_OFFSET, bits), a.out);
    for (unsigned k = 0; k < bits; ++k) {
        m.basis[k] = e->flat[memory].basis[k];
    }
    const unsigned bytes = ll_widest(a, m, size, 16);
    const unsigned waves = ll_wavefronts(a, m, size, bytes, op, e->target);
    return waves ? ll_engine_two_(e->flat[id].n[0]) * (size / 8u) / bytes *
                       waves * e->target.cost[LL_COST_MEMORY]
                 : LL_ENGINE_FAR;
}

/* Private: returns the cost of bringing operand k of a dot, in layout `id`, to
 * where the instructions read it. It is 0 if the operand is there; otherwise
 * the stores to shared memory and a barrier. The stores run each time the
 * operand is made, so each run of the dot pays its share. */
LL_FN unsigned long long ll_engine_stores_(const ll_engine *e,
                                           const ll_engine_op *o, unsigned k,
                                           unsigned id) {
    const unsigned v = e->operand[o->at + k];
    unsigned long long least = LL_ENGINE_MANY_;
    if (!ll_engine_is_placed_(o, k) || id >= e->flats || e->value[v].is_free ||
        id == o->in_place[k] || id == o->place[k][2] || o->shares[k]) {
        return 0;
    }
    for (unsigned t = 0; t < 2u; ++t) {
        const unsigned long long cost =
            o->place[k][t] == LL_ENGINE_NONE
                ? least
                : ll_engine_tile_(e, o->place[k][t], LL_WRITE, v, id) +
                      e->target.cost[LL_COST_BLOCK];
        least = cost < least ? cost : least;
    }
    return e->value[v].weight < o->weight
               ? (least * e->value[v].weight + o->weight - 1u) / o->weight
               : least;
}

/* Private: returns the 32-bit words of an element, for arithmetic. */
LL_FN unsigned ll_engine_words_(const ll_engine_value *v) {
    return v->element_bits > 32u ? (v->element_bits + 31u) / 32u : 1u;
}

/* Private: returns the price of a reduction, scan or sort, over all
 * operands. */
LL_FN unsigned long long ll_engine_along_(const ll_engine *e,
                                          const ll_engine_op *o, unsigned id) {
    unsigned long long sum = 0;
    for (unsigned k = 0; k < o->n_in; ++k) {
        const ll_engine_value *v = &e->value[e->operand[o->at + k]];
        const ll_layout a = ll_engine_wide_(&e->flat[id], v->bits, v, o->axis);
        const unsigned size = ll_engine_element_(v->element_bits);
        unsigned err = 0;
        unsigned cycles = 0;
        unsigned bytes = 0;
        if (o->kind == LL_ENGINE_SORT) {
            cycles = e->sort(a, LL_J, size, e->target, &bytes);
            err = cycles == ~0u;
        } else if (o->kind == LL_ENGINE_REDUCE) {
            const ll_reduce_plan p = ll_reduce_of(a, LL_J, size, e->target);
            err = p.err;
            cycles = p.cycles;
            bytes = p.smem_bytes;
        } else {
            const ll_scan_plan p = ll_scan_of(a, LL_J, size, e->target);
            err = p.err;
            cycles = p.cycles;
            bytes = p.smem_bytes;
        }
        sum += ll_engine_cycles_(err, cycles, ll_engine_has_room_(e, bytes));
    }
    return sum < LL_ENGINE_MANY_ ? sum : LL_ENGINE_MANY_;
}

/* Private: returns the price of a gather. */
LL_FN unsigned long long ll_engine_gathers_(const ll_engine *e,
                                            const ll_engine_op *o, unsigned src,
                                            unsigned index) {
    const ll_engine_value *a = &e->value[e->operand[o->at]];
    const ll_engine_value *b = &e->value[e->operand[o->at + 1u]];
    const ll_gather_plan p =
        ll_gather_of(ll_engine_wide_(&e->flat[src], a->bits, a, o->axis),
                     ll_engine_wide_(&e->flat[index], b->bits, b, o->axis),
                     LL_J, ll_engine_element_(a->element_bits), e->target);
    return ll_engine_cycles_(p.err, p.cycles,
                             ll_engine_has_room_(e, p.smem_bytes));
}

/* Private: returns the operand that a store or an atomic operation writes: the
 * one after the addresses, or the first one if there are none. */
LL_FN unsigned ll_engine_written_(const ll_engine *e, const ll_engine_op *o) {
    const unsigned *v = e->operand + o->at;
    const int is_masked = o->n_in == 2u &&
                          e->value[v[1]].element_bits == 1u &&
                          e->value[v[0]].element_bits != 64u;
    return o->n_in > 1u && !is_masked ? 1u : 0u;
}

/* ll_engine_price(e, op, tuple): returns the cost of one execution of an
 * operation, in eighths of a cycle. tuple: the numbers of the layouts of its
 * operands and results. */
LL_FN unsigned long long ll_engine_price(const ll_engine *e, unsigned op,
                                         const unsigned *tuple) {
    const ll_engine_op *o = &e->op[op];
    const unsigned n = o->n_in + o->n_out;
    const unsigned last = n ? n - 1u : 0u;
    const unsigned logic = e->target.cost[LL_COST_LOGIC];
    if (n == 0 || tuple[last] == LL_ENGINE_NONE) {
        return 0;
    }
    const ll_engine_value *v = &e->value[e->operand[o->at + last]];
    const unsigned long long each = ll_engine_two_(e->flat[tuple[last]].n[0]) *
                                    o->cost * ll_engine_words_(v) * logic / 8u;
    switch (o->kind) {
    case LL_ENGINE_LOAD:
        return each +
               ll_engine_access(e, op, e->operand[o->at + last], tuple[last]);
    case LL_ENGINE_STORE:
    case LL_ENGINE_ATOMIC: {
        const unsigned at = ll_engine_written_(e, o);
        return each +
               ll_engine_access(e, op, e->operand[o->at + at], tuple[at]);
    }
    case LL_ENGINE_REDUCE:
    case LL_ENGINE_SCAN:
    case LL_ENGINE_SORT:
        return ll_engine_along_(e, o, tuple[0]);
    case LL_ENGINE_GATHER:
        return ll_engine_gathers_(e, o, tuple[0], tuple[1]);
    case LL_ENGINE_LOCAL_LOAD:
    case LL_ENGINE_LOCAL_STORE:
    case LL_ENGINE_TMA_LOAD:
    case LL_ENGINE_TMA_STORE:
        return each + ll_engine_tile_(e, o->memory,
                                      o->n_out ? LL_READ : LL_WRITE,
                                      e->operand[o->at], tuple[0]);
    case LL_ENGINE_DOT:
    case LL_ENGINE_DOT_SCALED:
        return each + ll_engine_stores_(e, o, 0, tuple[0]) +
               ll_engine_stores_(e, o, 1, tuple[1]);
    default:
        return each;
    }
}

/* Private: returns the layout of a free operand k, which follows from the other
 * layouts by the rule of the operation. */
LL_FN unsigned ll_engine_free_one_(ll_engine *e, const ll_engine_op *o,
                                   unsigned k, const unsigned *tuple) {
    const ll_engine_link_ l = ll_engine_link_of_(e, o);
    unsigned found = LL_ENGINE_NONE;
    for (unsigned side = 0; side < 2u; ++side) {
        for (unsigned j = 0; j < o->n_in + o->n_out; ++j) {
            const int big = ll_engine_is_big_(o, &l, j);
            if (found == LL_ENGINE_NONE && tuple[j] != LL_ENGINE_NONE &&
                (big == ll_engine_is_big_(o, &l, k)) == !side) {
                found =
                    side ? ll_engine_across_(e, &l, tuple[j], big) : tuple[j];
            }
        }
    }
    return found;
}

/* Private: chooses the layout in which constants are stored: the fixed layout,
 * or the one with the cheapest access. All operands get it. */
LL_FN void ll_engine_ends_in_(ll_engine *e, unsigned op, unsigned *tuple) {
    const ll_engine_op o = e->op[op];
    const unsigned v = e->operand[o.at + ll_engine_written_(e, &o)];
    const ll_engine_value a = e->value[v];
    unsigned long long least = ~0ull;
    unsigned best = LL_ENGINE_NONE;
    for (unsigned k = 0; k < o.n_in; ++k) {
        best = e->fixed[o.at + k] != LL_ENGINE_NONE ? e->fixed[o.at + k] : best;
    }
    const unsigned some = best == LL_ENGINE_NONE;
    for (unsigned n = 0; some && n < 5u * (a.rank + !a.rank); ++n) {
        const unsigned axis = a.rank ? n / 5u : 0u;
        const unsigned id =
            ll_engine_enter_(e, ll_engine_rows_(e, &a, axis, n % 5u));
        for (unsigned k = 0; k < o.n_in; ++k) {
            tuple[k] = id;
        }
        const unsigned long long cost =
            id == LL_ENGINE_NONE ? ~0ull : ll_engine_price(e, op, tuple);
        best = cost < least && ll_engine_holds_(e, v, id) ? id : best;
        least = best == id ? cost : least;
    }
    if (best == LL_ENGINE_NONE) {
        ll_engine_fail_(e, LL_ENGINE_EREGISTERS, op);
    }
    for (unsigned k = 0; k < o.n_in; ++k) {
        tuple[k] = best;
    }
}

/* Private: writes the numbers of the layouts of an instance to tuple. */
LL_FN void ll_engine_numbers_(ll_engine *e, unsigned op, unsigned t,
                              unsigned *tuple) {
    const ll_engine_op *o = &e->op[op];
    const unsigned n = o->n_in + o->n_out;
    const unsigned *from = e->instance + o->first + t * n;
    for (unsigned k = 0; k < n; ++k) {
        const ll_engine_value *v = &e->value[e->operand[o->at + k]];
        tuple[k] =
            from[k] != LL_ENGINE_NONE ? e->candidate[v->first + from[k]]
            : ll_engine_is_placed_(o, k) ? ll_engine_choice_(e, o, k, 0)
            : ll_engine_is_given_(o->kind) || o->kind == LL_ENGINE_DOT
                ? e->fixed[o->at + k]
                : LL_ENGINE_NONE;
    }
    for (unsigned k = 0; k < 2u && ll_engine_is_ordered_(o); ++k) {
        ll_engine_turn_ turn = LL_ZERO;
        if (from[k] == LL_ENGINE_NONE && from[!k] != LL_ENGINE_NONE &&
            ll_engine_turn_of_(e, o, !k, tuple[!k], &turn)) {
            tuple[k] = ll_engine_turned_(e, o, k, &turn);
        }
    }
    for (unsigned k = 0; k < n; ++k) {
        if (tuple[k] == LL_ENGINE_NONE && ll_engine_is_tied_(o)) {
            tuple[k] = ll_engine_free_one_(e, o, k, tuple);
        } else if (tuple[k] == LL_ENGINE_NONE && n > 1u) {
            tuple[k] = tuple[n - 1u];
        }
    }
    if (n && tuple[0] == LL_ENGINE_NONE && ll_engine_is_end_(o)) {
        ll_engine_ends_in_(e, op, tuple);
    }
}

/* Private: returns the surcharge for executing an operation once more. */
LL_FN unsigned ll_engine_again_(const ll_engine_op *o) {
    return o->kind == LL_ENGINE_CARRY ? 0u : LL_ENGINE_AGAIN * o->weight;
}

/* Private: returns whether the price of an operation is the cost of its own
 * plan. */
LL_FN int ll_engine_is_planned_(unsigned kind) {
    return kind == LL_ENGINE_REDUCE || kind == LL_ENGINE_SCAN ||
           kind == LL_ENGINE_SORT || kind == LL_ENGINE_GATHER;
}

/* Private: notes that the next instance is to be priced later. */
LL_FN void ll_engine_later_(ll_engine *e, unsigned op, const unsigned *tuple) {
    e->job = ll_engine_room_word_(e, e->job, 4u * e->jobs + 4u, &e->cap_job);
    if (!e->err) {
        e->job[4u * e->jobs] = e->instances;
        e->job[4u * e->jobs + 1u] = op;
        e->job[4u * e->jobs + 2u] = tuple[0];
        e->job[4u * e->jobs + 3u] = tuple[1];
        ++e->jobs;
    }
}

/* Private: prices all instances, times the trips of their loops. In a constant,
 * the instances with plans are priced later. */
LL_FN void ll_engine_prices_(ll_engine *e) {
    unsigned total = 0;
    for (unsigned p = 0; p < e->ops; ++p) {
        total += e->op[p].n;
    }
    unsigned *tuple = ll_engine_take_word_(e, ll_engine_widest_op_(e));
    e->price = ll_engine_take_wide_(e, total + 1u);
    e->instances = 0;
    for (unsigned p = 0; p < e->ops && !e->err; ++p) {
        e->op[p].price = e->instances;
        for (unsigned t = 0; t < e->op[p].n && !e->err; ++t) {
            ll_engine_numbers_(e, p, t, tuple);
            if (!e->err && e->pool && ll_engine_is_planned_(e->op[p].kind)) {
                ll_engine_later_(e, p, tuple);
            } else if (!e->err) {
                e->price[e->instances] = ll_engine_times_(
                    ll_engine_price(e, p, tuple), e->op[p].weight);
            }
            ++e->instances;
        }
    }
}

#endif /* LL_ENGINE */

#endif
