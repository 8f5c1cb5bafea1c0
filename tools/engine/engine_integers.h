/* engine_integers.h - which values of a graph are integers or addresses, not
 * floats.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_ENGINE_INTEGERS_H
#define LL_ENGINE_INTEGERS_H

#include "engine.h"

/* Returns the axis of a shape operation's result that is axis `axis` of its
 * operand, or the result's rank if there is none. */
static unsigned axis_through(const ll_engine_op *o, unsigned axis) {
    const ll_engine_value *from = &e.value[e.operand[o->at]];
    const ll_engine_value *to = &e.value[e.operand[o->at + o->n_in]];
    const unsigned low = ll_engine_low_(from, axis);
    unsigned k = 0;
    switch (o->kind) {
    case LL_ENGINE_BROADCAST:
        return axis;
    case LL_ENGINE_EXPAND:
        return axis + (axis >= o->axis);
    case LL_ENGINE_TRANS:
        while (o->order[k] != axis) {
            ++k;
        }
        return k;
    case LL_ENGINE_RESHAPE:
        while (k < to->rank && (ll_engine_low_(to, k) != low ||
                                to->size[k] != from->size[axis])) {
            ++k;
        }
        return k;
    default:
        return to->rank;
    }
}

/* A constant with contiguous neighbours counts along that axis, and so do the
 * results of shape operations on it. Returns the axis, or the rank. */
static unsigned range_of(unsigned v) {
    const ll_engine_op *o = &e.op[e.value[v].def];
    const unsigned rank = e.value[v].rank;
    unsigned axis = 0;
    if (o->kind != LL_ENGINE_CONSTANT) {
        const unsigned from = o->n_in == 1u ? e.operand[o->at] : v;
        axis = e.value[v].is_free && from != v ? range_of(from) : rank;
        return from != v && e.value[v].is_free && axis < e.value[from].rank
                   ? axis_through(o, axis)
                   : rank;
    }
    while (axis < rank && !o->contiguous[axis]) {
        ++axis;
    }
    return axis;
}

static int is_address(unsigned v) {
    return whole[v] && e.value[v].element_bits == 64u;
}

/* Returns the kind of an operation's values if it moves them, or computes
 * addresses or a part of them. */
static unsigned char whole_through(const ll_engine_op *o) {
    const int map = o->kind == LL_ENGINE_MAP;
    unsigned char most = 0;
    for (unsigned i = map ? o->n_in : 0u; i < o->n_in + o->n_out; ++i) {
        const unsigned char w = whole[e.operand[o->at + i]];
        most = w > most ? w : most;
    }
    return map ? most == 2u ? most : 0u
           : o->kind == LL_ENGINE_CARRY || o->kind == LL_ENGINE_CONVERT ||
                   o->kind == LL_ENGINE_REORDER || ll_engine_is_shape_(o->kind)
               ? most
               : 0u;
}

/* Marks an operation's values as integers. Returns whether that is new. */
static int make_whole(const ll_engine_op *o, unsigned first, unsigned n,
                      unsigned char what) {
    int more = 0;
    for (unsigned i = first; i < first + n; ++i) {
        unsigned char *w = &whole[e.operand[o->at + i]];
        more = more || *w < what;
        *w = *w < what ? what : *w;
    }
    return more;
}

/* Marks indices, addresses, ranges, and values made from them as integers.
 * Returns 0 if there is no memory. */
static int find_whole(void) {
    whole = calloc(e.values + 1u, 1);
    int more = whole != NULL;
    if (!more) {
        fprintf(stderr, "engine: out of memory\n");
        return 0;
    }
    for (unsigned v = 0; v < e.values; ++v) {
        whole[v] = range_of(v) < e.value[v].rank;
    }
    for (unsigned p = 0; p < e.ops; ++p) {
        const ll_engine_op *o = &e.op[p];
        make_whole(o, 1, o->kind == LL_ENGINE_GATHER, 1);
        make_whole(o, 0, has_role(o, ADDRESS), 2);
        make_whole(o, 0, o->combine >= LL_ENGINE_AND ? o->n_in + o->n_out : 0u,
                   1);
    }
    while (more) {
        more = 0;
        for (unsigned p = 0; p < e.ops; ++p) {
            const ll_engine_op *o = &e.op[p];
            more |= make_whole(o, 0, o->n_in + o->n_out, whole_through(o));
        }
    }
    return 1;
}

#endif
