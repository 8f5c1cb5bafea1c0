/* ---- Engine: graphs --------------------------------------------------- */
#ifndef LL_ENGINE_GRAPH_H
#define LL_ENGINE_GRAPH_H

#include "../plan/hardware.h"
#include "flat.h"

/* A graph is built one operation at a time. The first error stops it. */

#ifdef LL_ENGINE

/* ll_engine_flat_id(e, v, f): returns the number of flat layout f of value v,
 * for ll_engine_fix and ll_engine_hint. Registers with a column of 0 are left
 * out. Fails with LL_ENGINE_ELAYOUT if f does not hold every element, or if its
 * lanes, warps or blocks are not the graph's. Once the graph is solved it
 * returns LL_ENGINE_NONE instead, and the solution stays. */
LL_FN unsigned ll_engine_flat_id(ll_engine *e, unsigned v, ll_engine_flat f) {
    int ok = v < e->values && ll_flat_total_(&f) <= LL_MAX_BITS;
    for (unsigned d = 1; d < 4u; ++d) {
        ok = ok && f.n[d] == e->counts[d];
    }
    return ok && ll_flat_is_onto_(&f, e->value[v].bits)
               ? ll_engine_enter_(e, f)
               : ll_engine_no_layout_(e, v);
}

/* Private: returns the shape of a value: axes i, j, .. */
LL_FN ll_shape ll_engine_shape_(const ll_engine_value *v) {
    ll_shape s = LL_ZERO;
    for (unsigned k = v->rank; k-- > 0;) {
        s = ll_shape_add_(s, ll_axis(k), v->size[k]);
    }
    return s;
}

/* ll_engine_id(e, v, a): returns the number of layout a of value v. The axes of
 * a are i, j, .. Fails with LL_ENGINE_ELAYOUT. */
LL_FN unsigned ll_engine_id(ll_engine *e, unsigned v, ll_layout a) {
    ll_engine_flat f = LL_ZERO;
    if (e->err || v >= e->values) {
        return ll_engine_fail_(e, LL_ENGINE_EVALUE, LL_ENGINE_NONE);
    }
    const ll_shape s = ll_engine_shape_(&e->value[v]);
    const ll_layout h = ll_hardware_(a);
    if (h.err || h.offset || !ll_shape_fits_both_(&s, &h.out)) {
        return ll_engine_no_layout_(e, v);
    }
    const ll_layout b = ll_layout_onto_(h, &s);
    for (unsigned d = 0; d < 4u; ++d) {
        f.n[d] =
            (unsigned char)(d && b.in.bits[d] < e->counts[d] ? e->counts[d]
                                                             : b.in.bits[d]);
    }
    unsigned to = 0;
    for (unsigned d = 0; d < 4u && ll_flat_total_(&f) <= LL_MAX_BITS; ++d) {
        for (unsigned k = 0; k < f.n[d]; ++k) {
            f.basis[to] =
                k < b.in.bits[d] ? b.basis[ll_shape_start_(&b.in, d) + k] : 0u;
            ++to;
        }
    }
    return ll_engine_flat_id(e, v, f);
}

/* ll_engine_layout(e, v, id): returns layout number `id` as a layout of value
 * v. */
LL_FN ll_layout ll_engine_layout(const ll_engine *e, unsigned v, unsigned id) {
    const ll_dim names[] = {LL_REGISTER, LL_LANE, LL_WARP, LL_BLOCK};
    const ll_shape out = ll_engine_shape_(&e->value[v]);
    ll_shape in = LL_ZERO;
    const ll_engine_flat *f = &e->flat[id];
    for (unsigned d = 0; d < 4u; ++d) {
        if (d < 3u || f->n[d]) {
            in = ll_shape_add_(in, names[d], f->n[d]);
        }
    }
    ll_layout a = ll_zero(in, out);
    for (unsigned k = 0; k < ll_flat_total_(f); ++k) {
        a.basis[k] = f->basis[k];
    }
    return a;
}

/* Private: returns a new value, made by operation `op`. */
LL_FN unsigned ll_engine_add_value_(ll_engine *e, unsigned op, unsigned rank,
                                    const unsigned char *size,
                                    unsigned element_bits, unsigned weight) {
    e->value =
        ll_engine_room_value_(e, e->value, e->values + 1u, &e->cap_values);
    if (e->err) {
        return LL_ENGINE_NONE;
    }
    ll_engine_value *v = &e->value[e->values];
    for (unsigned k = 0; k < rank && k < LL_ENGINE_AXES; ++k) {
        v->size[k] = size[k];
        v->bits += size[k];
    }
    v->rank = rank;
    v->element_bits = element_bits;
    v->def = op;
    v->weight = weight;
    return rank > LL_ENGINE_AXES || v->bits > 24u || !element_bits ||
                   element_bits > 128u
               ? ll_engine_fail_(e, LL_ENGINE_ESIZE, op)
               : e->values++;
}

/* Private: appends an operand or a result to the last operation. */
LL_FN void ll_engine_operand_(ll_engine *e, unsigned value) {
    e->operand =
        ll_engine_room_word_(e, e->operand, e->operands + 1u, &e->cap_operands);
    e->fixed =
        ll_engine_room_word_(e, e->fixed, e->operands + 1u, &e->cap_fixed);
    if (!e->err) {
        e->operand[e->operands] = value;
        e->fixed[e->operands] = LL_ENGINE_NONE;
        ++e->operands;
    }
}

LL_FN int ll_engine_alike_(const ll_engine_value *a, const ll_engine_value *b) {
    int same = a->rank == b->rank;
    for (unsigned k = 0; same && k < a->rank; ++k) {
        same = a->size[k] == b->size[k];
    }
    return same;
}

/* Private: sets the shape of r to the one in the spec of a reshape, reorder or
 * broadcast. Returns an error. */
LL_FN unsigned ll_engine_reshaped_(const ll_engine_spec *s,
                                   const ll_engine_value *a,
                                   ll_engine_value *r) {
    const int wider = s->kind == LL_ENGINE_BROADCAST;
    int ok = !wider || s->rank == a->rank;
    r->rank = s->rank;
    r->bits = 0;
    for (unsigned k = 0; k < s->rank && k < LL_ENGINE_AXES; ++k) {
        r->size[k] = s->size[k];
        r->bits += s->size[k];
        ok = ok && (!wider || !a->size[k] || a->size[k] == s->size[k]);
    }
    return ok && (wider || r->bits == a->bits) ? LL_ENGINE_OK
                                               : LL_ENGINE_ESHAPE;
}

/* Private: computes the shape of the results from the shape of the first
 * operand. Returns an error. */
LL_FN unsigned ll_engine_derive_(const ll_engine_spec *s,
                                 const ll_engine_value *a, ll_engine_value *r) {
    const unsigned kind = s->kind;
    const unsigned more = kind == LL_ENGINE_EXPAND || kind == LL_ENGINE_JOIN;
    const unsigned less = kind == LL_ENGINE_REDUCE || kind == LL_ENGINE_SPLIT;
    const int along = less || kind == LL_ENGINE_UNPACK ||
                      kind == LL_ENGINE_SCAN || kind == LL_ENGINE_SORT;
    const unsigned axis = kind == LL_ENGINE_JOIN    ? a->rank
                          : kind == LL_ENGINE_SPLIT ? a->rank - 1u
                                                    : s->axis;
    unsigned seen = 0;
    *r = *a;
    if (kind == LL_ENGINE_RESHAPE || kind == LL_ENGINE_REORDER ||
        kind == LL_ENGINE_BROADCAST) {
        return ll_engine_reshaped_(s, a, r);
    }
    if ((along && axis >= a->rank) ||
        (more && (a->rank >= LL_ENGINE_AXES || axis > a->rank)) ||
        (kind == LL_ENGINE_SPLIT && a->size[axis] != 1u)) {
        return LL_ENGINE_EAXIS;
    }
    r->rank = a->rank + more - less;
    for (unsigned k = axis; k < r->rank && (along || more); ++k) {
        const unsigned size = k > axis           ? a->size[k + less - more]
                              : less             ? a->size[k + 1u]
                              : more             ? kind == LL_ENGINE_JOIN
                              : a->size[k] + (kind == LL_ENGINE_UNPACK);
        r->size[k] = (unsigned char)size;
    }
    for (unsigned k = 0; k < a->rank && kind == LL_ENGINE_TRANS; ++k) {
        if (s->order[k] >= a->rank || seen >> s->order[k] & 1u) {
            return LL_ENGINE_EAXIS;
        }
        seen |= 1u << s->order[k];
        r->size[k] = a->size[s->order[k]];
    }
    return LL_ENGINE_OK;
}

/* Private: return whether an operation takes only layouts that the caller
 * fixed, is a dot, or moves a tile in shared memory. */
LL_FN int ll_engine_is_given_(unsigned kind) {
    return kind == LL_ENGINE_FIXED || kind == LL_ENGINE_DOT_SCALED;
}
LL_FN int ll_engine_is_dot_(unsigned kind) {
    return kind == LL_ENGINE_DOT || kind == LL_ENGINE_DOT_SCALED;
}
LL_FN int ll_engine_is_tile_(unsigned kind) {
    return kind >= LL_ENGINE_LOCAL_LOAD && kind <= LL_ENGINE_TMA_STORE;
}

/* Private: returns an error if the shapes of a, b and the accumulator do not
 * fit. */
LL_FN unsigned ll_engine_dot_fits_(const ll_engine *e,
                                   const ll_engine_spec *s) {
    const unsigned two = s->kind == LL_ENGINE_DOT ? 2u : 4u;
    if (s->n_in != two && s->n_in != two + 1u) {
        return LL_ENGINE_ECOUNT;
    }
    const ll_engine_value *a = &e->value[s->in[0]];
    const ll_engine_value *b = &e->value[s->in[1]];
    const ll_engine_value *c = &e->value[s->in[s->n_in - 1u]];
    const int ok = a->rank == 2u && b->rank == 2u && a->size[1] == b->size[0] &&
                   (s->n_in == two ||
                    (c->rank == 2u && c->size[0] == a->size[0] &&
                     c->size[1] == b->size[1]));
    return ok ? LL_ENGINE_OK : LL_ENGINE_ESHAPE;
}

/* Private: returns an error if the shapes of the operands do not fit. */
LL_FN unsigned ll_engine_operands_fit_(const ll_engine *e,
                                       const ll_engine_spec *s) {
    const int alike = s->kind != LL_ENGINE_GATHER &&
                      !ll_engine_is_given_(s->kind) &&
                      s->kind != LL_ENGINE_DOT;
    for (unsigned k = 0; k < s->n_in; ++k) {
        if (s->in[k] >= e->values) {
            return LL_ENGINE_EVALUE;
        }
        if (alike &&
            !ll_engine_alike_(&e->value[s->in[0]], &e->value[s->in[k]])) {
            return LL_ENGINE_ESHAPE;
        }
    }
    if (ll_engine_is_dot_(s->kind)) {
        return ll_engine_dot_fits_(e, s);
    }
    if (s->kind == LL_ENGINE_GATHER) {
        const ll_engine_value *a = &e->value[s->in[0]];
        const ll_engine_value *b = &e->value[s->in[1]];
        int same = a->rank == b->rank;
        for (unsigned k = 0; same && k < a->rank; ++k) {
            same = k == s->axis || a->size[k] == b->size[k];
        }
        return s->axis >= a->rank ? LL_ENGINE_EAXIS
               : same             ? LL_ENGINE_OK
                                  : LL_ENGINE_ESHAPE;
    }
    return LL_ENGINE_OK;
}

/* Private: sets *ins and *outs to the numbers of operands and results of a
 * kind. */
LL_FN void ll_engine_arity_(unsigned kind, unsigned *ins, unsigned *outs) {
#define LL_ENGINE_KIND_(k, name, in_, out_) {in_, out_},
    const unsigned n[LL_ENGINE_KINDS_N_][2] = {
        LL_ENGINE_KINDS(LL_ENGINE_KIND_)};
#undef LL_ENGINE_KIND_
    *ins = n[kind][0];
    *outs = n[kind][1];
}

/* Private: returns whether the spec has the shape of the results. */
LL_FN int ll_engine_is_origin_(const ll_engine_spec *s) {
    return s->kind == LL_ENGINE_CONSTANT || s->kind == LL_ENGINE_SOURCE ||
           s->kind == LL_ENGINE_FIXED || s->kind == LL_ENGINE_LOOP ||
           s->kind == LL_ENGINE_LOCAL_LOAD || s->kind == LL_ENGINE_TMA_LOAD ||
           (s->kind == LL_ENGINE_LOAD && s->n_in == 0);
}

/* Private: appends the operation itself. */
LL_FN unsigned ll_engine_add_op_(ll_engine *e, const ll_engine_spec *s) {
    e->op = ll_engine_room_op_(e, e->op, e->ops + 1u, &e->cap_ops);
    if (e->err) {
        return LL_ENGINE_NONE;
    }
    ll_engine_op *o = &e->op[e->ops];
    o->kind = s->kind;
    o->n_in = s->n_in;
    o->at = e->operands;
    o->weight = e->trips[e->depth];
    o->cost = s->cost;
    o->axis = s->kind == LL_ENGINE_CARRY ? s->trips : s->axis;
    o->align = s->align;
    o->combine = s->combine;
    o->block = s->block;
    o->step = s->step;
    o->character = e->character;
    o->memory = o->in_place[0] = o->in_place[1] = LL_ENGINE_NONE;
    for (unsigned k = 0; k < 6u; ++k) {
        o->place[k / 3u][k % 3u] = LL_ENGINE_NONE;
    }
    o->alone = s->kind == LL_ENGINE_STORE || s->kind == LL_ENGINE_ATOMIC ||
               ll_engine_is_given_(s->kind) || s->kind == LL_ENGINE_DOT ||
               s->kind == LL_ENGINE_SINK || s->kind == LL_ENGINE_GATHER ||
               (ll_engine_is_tile_(s->kind) && s->n_in);
    for (unsigned k = 0; k < LL_ENGINE_AXES; ++k) {
        o->order[k] = s->order[k];
        o->contiguous[k] = s->contiguous[k];
        o->same[k] = s->same[k];
    }
    for (unsigned k = 0; k < s->n_in; ++k) {
        ll_engine_operand_(e, s->in[k]);
    }
    return e->err ? LL_ENGINE_NONE : e->ops++;
}

/* Private: fills in the shape and the element bits of an operation's results.
 * Fails if the operands do not fit. */
LL_FN void ll_engine_shapes_(ll_engine *e, const ll_engine_spec *s,
                             unsigned op, ll_engine_value *r) {
    unsigned err = ll_engine_operands_fit_(e, s);
    if (!err && ll_engine_is_origin_(s)) {
        r->rank = s->rank;
        r->element_bits = s->element_bits;
        for (unsigned k = 0; k < LL_ENGINE_AXES; ++k) {
            r->size[k] = s->size[k];
        }
    } else if (!err) {
        const int gather = s->kind == LL_ENGINE_GATHER;
        err = ll_engine_derive_(s, &e->value[s->in[gather]], r);
        r->element_bits = s->element_bits              ? s->element_bits
                          : ll_engine_is_dot_(s->kind)
                              ? 32u
                              : e->value[s->in[0]].element_bits;
        r->size[1] = ll_engine_is_dot_(s->kind) ? e->value[s->in[1]].size[1]
                                                : r->size[1];
    }
    if (err) {
        ll_engine_fail_(e, err, op);
    }
}

/* Private: returns whether each result has the element bits of its own
 * operand. */
LL_FN int ll_engine_is_each_(unsigned kind) {
    return kind == LL_ENGINE_REDUCE || kind == LL_ENGINE_SCAN;
}

/* ll_engine_add(e, s): appends an operation and returns its number. Its results
 * are new values; see ll_engine_result. The shapes of results follow from the
 * shapes of the operands. For constant, source, fixed, operations without
 * operands, reshape, reorder and broadcast, the spec has them. Fails with
 * LL_ENGINE_ECOUNT, LL_ENGINE_EVALUE, LL_ENGINE_ESHAPE, LL_ENGINE_EAXIS,
 * LL_ENGINE_ESIZE. */
LL_FN unsigned ll_engine_add(ll_engine *e, ll_engine_spec s) {
    unsigned ins = 0;
    unsigned outs = 0;
    const unsigned bad = s.kind >= LL_ENGINE_KINDS_N_ ? LL_ENGINE_ECOUNT
                         : s.n_in && !s.in            ? LL_ENGINE_EVALUE
                                                      : LL_ENGINE_OK;
    if (e->err || bad) {
        return ll_engine_fail_(e, bad, LL_ENGINE_NONE);
    }
    ll_engine_arity_(s.kind, &ins, &outs);
    e->found = 0; /* the solution is for another graph */
    const unsigned op = ll_engine_add_op_(e, &s);
    const unsigned n = outs != ~0u                   ? outs
                       : s.n_out                     ? s.n_out
                       : ll_engine_is_each_(s.kind)  ? s.n_in
                       : s.kind == LL_ENGINE_FIXED   ? 0u
                                                     : 1u;
    if (op == LL_ENGINE_NONE || (ins != ~0u && ins != s.n_in) ||
        !(s.n_in || ll_engine_is_origin_(&s))) {
        return ll_engine_fail_(e, LL_ENGINE_ECOUNT, op);
    }
    ll_engine_value r = LL_ZERO;
    ll_engine_shapes_(e, &s, op, &r);
    e->op[op].n_out = e->err ? 0u : n;
    for (unsigned k = 0; k < n && !e->err; ++k) {
        const unsigned bits =
            ll_engine_is_each_(s.kind)
                ? e->value[s.in[k < s.n_in ? k : 0u]].element_bits
                : r.element_bits;
        const int turns = s.kind == LL_ENGINE_CARRY && k == 0 && s.trips;
        const unsigned long long inner =
            (unsigned long long)e->trips[e->depth] * (turns ? s.trips : 1u);
        ll_engine_operand_(e, ll_engine_add_value_(e, op, r.rank, r.size, bits,
                                                   inner > 1u << 20
                                                       ? 1u << 20
                                                       : (unsigned)inner));
    }
    return e->err ? LL_ENGINE_NONE : op;
}

/* ll_engine_result(e, op, k): returns the value that is result k of an
 * operation; LL_ENGINE_NONE if there is none. */
LL_FN unsigned ll_engine_result(const ll_engine *e, unsigned op, unsigned k) {
    return e->err || op >= e->ops || k >= e->op[op].n_out
               ? LL_ENGINE_NONE
               : e->operand[e->op[op].at + e->op[op].n_in + k];
}

/* ll_engine_carry(e, start, trips): adds a value that a loop of `trips` trips
 * carries or, with 0, the merge of two branches. Result 0 is the value inside
 * the loop, result 1 the value after it. ll_engine_yield(e, op, value) gives
 * the value with which the next trip starts, or with which the other branch
 * ends. It fails with LL_ENGINE_ELOOP if that has another shape. Operations
 * between ll_engine_loop(e, trips) and ll_engine_loop(e, 0) run `trips`
 * times. */
LL_FN unsigned ll_engine_carry(ll_engine *e, unsigned start, unsigned trips) {
    ll_engine_spec s = LL_ZERO;
    const unsigned in[2] = {start, start}; /* a yield sets the second */
    s.kind = LL_ENGINE_CARRY;
    s.n_in = 2;
    s.in = in;
    s.trips = trips;
    return ll_engine_add(e, s);
}

LL_FN void ll_engine_yield(ll_engine *e, unsigned op, unsigned value) {
    if (e->err || op >= e->ops || value >= e->values ||
        e->op[op].kind != LL_ENGINE_CARRY ||
        !ll_engine_alike_(&e->value[e->operand[e->op[op].at]],
                          &e->value[value])) {
        ll_engine_fail_(e, LL_ENGINE_ELOOP, op);
        return;
    }
    e->operand[e->op[op].at + 1u] = value;
}

LL_FN void ll_engine_loop(ll_engine *e, unsigned trips) {
    ll_engine_spec s = LL_ZERO;
    s.kind = LL_ENGINE_LOOP;
    s.cost = trips;
    if (e->err || (trips ? e->depth >= LL_ENGINE_DEPTH : !e->depth) ||
        (trips && (unsigned long long)e->trips[e->depth] * trips > 1u << 20)) {
        ll_engine_fail_(e, trips ? LL_ENGINE_ETRIPS : LL_ENGINE_ELOOP,
                        LL_ENGINE_NONE);
        return;
    }
    ll_engine_add(e, s);
    if (trips) {
        e->trips[e->depth + 1u] = e->trips[e->depth] * trips;
        ++e->depth;
    } else {
        --e->depth;
    }
}

/* ll_engine_fix(e, op, k, id): fixes operand k of an operation, or result k -
 * n_in, to a layout that an instruction or the caller requires. Elsewhere the
 * value may still be held in other layouts. */
LL_FN void ll_engine_fix(ll_engine *e, unsigned op, unsigned k, unsigned id) {
    if (e->err || op >= e->ops || id >= e->flats ||
        k >= e->op[op].n_in + e->op[op].n_out) {
        ll_engine_fail_(e, LL_ENGINE_ELAYOUT, op);
        return;
    }
    e->fixed[e->op[op].at + k] = id;
}

#endif /* LL_ENGINE */

#endif
