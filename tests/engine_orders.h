/* engine_orders.h - orders and rows of candidates, for tests of the layout
 * engine.
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_ENGINE_ORDERS_H
#define TEST_ENGINE_ORDERS_H

#include "engine_graphs.h"

TEST_FN int is_rows(unsigned v, unsigned id) {
    const ll_engine_value x = engine.value[v];
    for (unsigned n = 0; n < 5u * x.rank; ++n) {
        if (ll_engine_flat_id(&engine, v,
                              ll_engine_rows_(&engine, &x, n / 5u, n % 5u)) ==
            id) {
            return 1;
        }
    }
    return 0;
}

/* The k that each k of layout `first` of operand `side` is in layout `id`, over
 * all registers and threads; 0 if it is not that layout in another order. */
TEST_FN int order_of(const ll_engine_op *o, unsigned side, unsigned first,
                     unsigned id, unsigned *order) {
    const ll_engine_value *v = &engine.value[engine.operand[o->at + side]];
    const ll_engine_flat *f = &engine.flat[first];
    const ll_engine_flat *g = &engine.flat[id];
    const unsigned low = side ? v->size[1] : 0u;
    const unsigned size = 1u << v->size[side ? 0 : 1];
    const unsigned mask = (size - 1u) << low;
    const unsigned columns = (unsigned)f->n[0] + f->n[1] + f->n[2];
    for (unsigned k = 0; k < size; ++k) {
        order[k] = ~0u;
    }
    if (f->n[0] != g->n[0]) {
        return 0;
    }
    for (unsigned x = 0; x < 1u << columns; ++x) {
        unsigned a = 0;
        unsigned b = 0;
        for (unsigned k = 0; k < columns; ++k) {
            a ^= x >> k & 1u ? f->basis[k] : 0u;
            b ^= x >> k & 1u ? g->basis[k] : 0u;
        }
        const unsigned k = (a & mask) >> low;
        const unsigned is = (b & mask) >> low;
        if ((a & ~mask) != (b & ~mask) || (order[k] != ~0u && order[k] != is)) {
            return 0;
        }
        order[k] = is;
    }
    return 1;
}

#endif
