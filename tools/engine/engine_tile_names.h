/* engine_tile_names.h - the tile in shared memory that a value has, and its name in
 * the kernel.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_ENGINE_TILE_NAMES_H
#define LL_ENGINE_TILE_NAMES_H

#include "engine.h"

/* Returns whether a product reads the tile that loop value `p` carries. */
static int carries_tile(unsigned p) {
    const ll_engine_op *c = &e.op[p];
    ll_engine_way_to_ w;
    for (unsigned q = 0; q < 2u * e.ops && c->kind == LL_ENGINE_CARRY; ++q) {
        const ll_engine_op *o = &e.op[q / 2u];
        if (!ll_engine_is_dot_(o->kind) || q % 2u >= o->n_in ||
            o->in_place[q % 2u] == LL_ENGINE_NONE ||
            !ll_engine_brought_(&e, e.operand[o->at + q % 2u],
                                o->in_place[q % 2u], &w)) {
            continue;
        }
        for (unsigned k = 0; k < w.n; ++k) {
            if (e.value[w.value[k]].def == p) {
                return 1;
            }
        }
    }
    return 0;
}

/* Returns whether the next tile of loop value p may be the tile of value v, as
 * it is, transposed or carried. */
static int is_on_way(unsigned p, unsigned v) {
    unsigned list[LL_ENGINE_WAY_] = {e.operand[e.op[p].at + 1u]};
    unsigned n = 1;
    for (unsigned k = 0; k < n; ++k) {
        const ll_engine_op *o = &e.op[e.value[list[k]].def];
        if (list[k] == v) {
            return 1;
        }
        for (unsigned i = 0; i < o->n_in && (o->kind == LL_ENGINE_TRANS ||
                                             o->kind == LL_ENGINE_CARRY);
             ++i) {
            if (!is_in(e.operand[o->at + i], list, n) && n < LL_ENGINE_WAY_) {
                list[n++] = e.operand[o->at + i];
            }
        }
    }
    return 0;
}

/* Returns the number of tiles of copy p: one more for each loop value that
 * keeps a tile while the next one is loaded. */
static unsigned tiles_of(unsigned p) {
    const unsigned v = e.operand[e.op[p].at];
    unsigned n = 1;
    for (unsigned c = 0; c < e.ops && e.op[p].n_out; ++c) {
        n += e.op[c].kind == LL_ENGINE_CARRY && carries_tile(c) &&
             e.value[e.operand[e.op[c].at + 2u]].weight <= e.op[p].weight &&
             is_on_way(c, v);
    }
    return n;
}

/* Returns the start of value v's tile, filled by a copy or carried by a
 * loop. */
static const char *tile_of(unsigned v) {
    static char names[4][24];
    static unsigned next;
    char *s = names[next++ % 4u];
    const ll_engine_op *o = &e.op[e.value[v].def];
    while (o->kind == LL_ENGINE_TRANS) {
        o = &e.op[e.value[e.operand[o->at]].def];
    }
    if (o->kind == LL_ENGINE_CARRY) {
        snprintf(s, 24, "carried_%u", (unsigned)(o - e.op));
    } else {
        snprintf(s, 24, "%s_%u", tiles_of((unsigned)(o - e.op)) > 1u ? "now"
                                                                     : "tile",
                 (unsigned)(o - e.op));
    }
    return s;
}

#endif
