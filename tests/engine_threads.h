/* engine_threads.h - rules of operations with sets of elements, thread by thread,
 * for test_engine.c.
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_ENGINE_THREADS_H
#define TEST_ENGINE_THREADS_H

#include "engine_search.h"

/* The elements of a thread, as a set of 64 bits for each 64 of them. */
typedef struct elements {
    unsigned char has[1024];
} elements;

static void held_by(const ll_engine_flat *f, unsigned thread, elements *s) {
    memset(s, 0, sizeof *s);
    for (unsigned r = 0; r < 1u << f->n[0]; ++r) {
        const unsigned x = r | thread << f->n[0];
        unsigned y = 0;
        for (unsigned k = 0; k < f->n[0] + 6u; ++k) {
            y ^= x >> k & 1u ? f->basis[k] : 0u;
        }
        s->has[y] = 1;
    }
}

/* The element of the operand that element y of the result comes from (or, for
 * a reduction, the one of the result that y goes into). */
static unsigned comes_from(const ll_engine_op *o, unsigned y) {
    const ll_engine_value *in = &engine.value[engine.operand[o->at]];
    const ll_engine_value *out =
        &engine.value[engine.operand[o->at + o->n_in]];
    const ll_engine_value *from = o->kind == LL_ENGINE_REDUCE ? in : out;
    const ll_engine_value *to = o->kind == LL_ENGINE_REDUCE ? out : in;
    unsigned at[LL_ENGINE_AXES];
    unsigned x[LL_ENGINE_AXES] = LL_ZERO;
    unsigned index = 0;
    for (unsigned k = from->rank; k-- > 0;) {
        at[k] = y % (1u << from->size[k]);
        y /= 1u << from->size[k];
    }
    unsigned n = 0;
    for (unsigned k = 0; k < from->rank; ++k) {
        const int gone = o->axis == k && (o->kind == LL_ENGINE_REDUCE ||
                                          o->kind == LL_ENGINE_EXPAND);
        if (o->kind == LL_ENGINE_TRANS) {
            x[o->order[k]] = at[k];
        } else if (!gone) {
            x[n] = at[k] % (1u << to->size[n]);
            ++n;
        }
    }
    for (unsigned k = 0; k < to->rank; ++k) {
        index = index * (1u << to->size[k]) + x[k];
    }
    return index;
}

/* Returns whether operands a and b of a product have the layouts x and y with
 * the same order of k: in each register of each thread is the row, or column,
 * that the instructions want there, and element order[k] instead of k. */
static int same_order(const ll_engine_op *o, unsigned x, unsigned y) {
    unsigned order[8], back[8];
    memset(order, 255, sizeof order);
    memset(back, 255, sizeof back);
    for (unsigned side = 0; side < 2u; ++side) {
        const ll_engine_flat *f = &engine.flat[engine.fixed[o->at + side]];
        const ll_engine_flat *g = &engine.flat[side ? y : x];
        if (f->n[0] != g->n[0]) {
            return 0;
        }
        for (unsigned at = 0; at < (unsigned)THREADS << f->n[0]; ++at) {
            unsigned p = 0;
            unsigned q = 0;
            for (unsigned k = 0; k < f->n[0] + 6u; ++k) {
                p ^= at >> k & 1u ? f->basis[k] : 0u;
                q ^= at >> k & 1u ? g->basis[k] : 0u;
            }
            const unsigned k = side ? p / 8u : p % 8u;
            const unsigned is = side ? q / 8u : q % 8u;
            if ((side ? p % 8u != q % 8u : p / 8u != q / 8u) ||
                (order[k] != ~0u && order[k] != is) ||
                (back[is] != ~0u && back[is] != k)) {
                return 0;
            }
            order[k] = is;
            back[is] = k;
        }
    }
    return 1;
}

/* Each thread has, of one side, what it has of the other one. */
static void obeys(unsigned p, const unsigned *tuple) {
    const ll_engine_op *o = &engine.op[p];
    const int reduces = o->kind == LL_ENGINE_REDUCE;
    static elements in, out, image;
    for (unsigned thread = 0; thread < THREADS; ++thread) {
        held_by(&engine.flat[tuple[0]], thread, &in);
        held_by(&engine.flat[tuple[o->n_in]], thread, &out);
        memset(&image, 0, sizeof image);
        const elements *from = reduces ? &in : &out;
        for (unsigned y = 0; y < 1024u; ++y) {
            if (from->has[y]) {
                image.has[comes_from(o, y)] = 1;
            }
        }
        CHECK(memcmp(&image, reduces ? &out : &in, sizeof image) == 0);
    }
}

/* Returns 1 if operand k of a product lies in shared memory, where a copy of
 * the graph, one of those that a branch or a loop takes it from, puts each of
 * its elements where the product reads it. Otherwise lanes hold it. */
static unsigned reads_a_tile(const ll_engine_op *o, unsigned k, unsigned id) {
    unsigned v = engine.operand[o->at + k];
    const ll_engine_flat *f = &engine.flat[id];
    unsigned index[64];
    if (f->n[1] == 5u || engine.value[v].def == LL_ENGINE_NONE) {
        CHECK(f->n[1] == 5u && f->n[2] == 1u);
        return 0;
    }
    for (unsigned at = 0; at < 64u; ++at) {
        index[at] = 0;
        for (unsigned b = 0; b < 6u; ++b) {
            index[at] ^= at >> b & 1u ? f->basis[b] : 0u;
        }
    }
    const ll_engine_op *d = &engine.op[engine.value[v].def];
    while (d->kind == LL_ENGINE_TRANS || d->kind == LL_ENGINE_CARRY) {
        const int turned = d->kind == LL_ENGINE_TRANS;
        for (unsigned at = 0; at < 64u && turned; ++at) {
            index[at] = comes_from(d, index[at]);
        }
        const unsigned side = turned ? 0u : test_random(2);
        d = &engine.op[engine.value[engine.operand[d->at + side]].def];
    }
    if (!ll_engine_is_tile_(d->kind)) {
        CHECK(engine.value[v].is_free); /* a constant is there everywhere */
        return 0;
    }
    for (unsigned at = 0; at < 64u; ++at) {
        unsigned brought = 0;
        for (unsigned b = 0; b < 6u; ++b) {
            brought ^= at >> b & 1u ? engine.flat[d->memory].basis[b] : 0u;
        }
        CHECK(brought == index[at]);
    }
    return 1;
}

/* The layout that the other side of an operation has, from the definition: each
 * column goes where its element does; registers whose column is 0 are names. */
static ll_engine_flat image_of(const ll_engine_op *o, ll_engine_flat f) {
    ll_engine_flat g = f;
    unsigned n = 0;
    g.n[0] = 0;
    for (unsigned k = 0; k < f.n[0] + 6u; ++k) {
        const unsigned y = comes_from(o, f.basis[k]);
        if (k >= f.n[0] || y) {
            g.basis[n] = y;
            ++n;
        }
        g.n[0] = (unsigned char)(g.n[0] + (k < f.n[0] && y));
    }
    return g;
}

static int is_candidate(unsigned slot, const ll_engine_flat *f) {
    const ll_engine_value *v = &engine.value[engine.operand[slot]];
    for (unsigned k = 0; k < v->n; ++k) {
        const unsigned id = engine.candidate[v->first + k];
        if (engine.flat[id].n[0] == f->n[0] &&
            memcmp(engine.flat[id].basis, f->basis,
                   (f->n[0] + 6u) * sizeof *f->basis) == 0) {
            return engine.fixed[slot] == LL_ENGINE_NONE ||
                   engine.fixed[slot] == id;
        }
    }
    return 0;
}

#endif
