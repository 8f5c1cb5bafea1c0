/* engine_checks.h - refuses graphs without a kernel, with a sentence.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_ENGINE_CHECKS_H
#define LL_ENGINE_CHECKS_H

#include "engine_access.h"
#include "engine_product.h"

static unsigned *loop_of; /* innermost loop of a value, or none */

/* Returns the name of a value in the graph. */
static const char *said_of(unsigned v) {
    static char names[4][80];
    static unsigned next;
    char *s = names[next++ % 4u];
    ll_writer_ w = ll_writer_on_(s, sizeof names[0]);
    ll_engine_write_value_(&w, &e, v);
    return s;
}

/* Checks that value v is available inside the open loops `in`. */
static int is_open(unsigned v, const unsigned *in, unsigned depth,
                   const char *where) {
    if (loop_of[v] == LL_ENGINE_NONE || is_in(loop_of[v], in, depth)) {
        return 1;
    }
    fprintf(stderr, "engine: %s is made in a loop and used %s: yield it, with a "
                    "name after ->\n",
            said_of(v), where);
    return 0;
}

/* Returns the loop that begins after carried value p. */
static unsigned loop_after(unsigned p) {
    while (e.op[p].kind == LL_ENGINE_CARRY) {
        ++p;
    }
    return p;
}

/* Records the loop of operation p's results. */
static void note_loop(unsigned p, unsigned now) {
    const ll_engine_op *o = &e.op[p];
    for (unsigned i = 0; i < o->n_out; ++i) {
        loop_of[e.operand[o->at + o->n_in + i]] =
            o->kind == LL_ENGINE_CARRY && o->axis && i == 0 ? loop_after(p)
                                                            : now;
    }
}

/* Checks that values of a loop are only used inside it. */
static int are_in_loops(void) {
    unsigned in[LL_ENGINE_DEPTH + 1u];
    unsigned depth = 0;
    int ok = 1;
    for (unsigned p = 0; ok && p < e.ops; ++p) {
        const ll_engine_op *o = &e.op[p];
        const unsigned *v = e.operand + o->at;
        const int carried = o->kind == LL_ENGINE_CARRY && o->axis;
        note_loop(p, depth ? in[depth - 1u] : LL_ENGINE_NONE);
        for (unsigned i = 0; ok && i < o->n_in && !(carried && i); ++i) {
            ok = is_open(v[i], in, depth, "outside it");
        }
        if (o->kind == LL_ENGINE_LOOP && o->cost) {
            in[depth++] = p;
        } else if (o->kind == LL_ENGINE_LOOP) {
            const unsigned loop = in[depth - 1u];
            for (unsigned c = ll_engine_carried_(&e, loop); ok && c < loop;
                 ++c) {
                ok = is_open(e.operand[e.op[c].at + 1u], in, depth,
                             "by the yield of another loop");
            }
            --depth;
        }
    }
    return ok;
}

/* Returns whether an access without addresses has a same=. */
static int shares_nothing(const ll_engine_op *o) {
    unsigned same = 0;
    for (unsigned k = 0; k < LL_ENGINE_AXES; ++k) {
        same |= o->same[k];
    }
    return is_access(o) && same && !has_role(o, ADDRESS);
}

/* Returns an error message for an operation, or NULL. */
static const char *wrong_with(const ll_engine_op *o) {
    const int moves = o->block || o->step;
    const int words = o->combine >= LL_ENGINE_AND;
    unsigned bits = 0;
    for (unsigned i = 0; i < o->n_in + o->n_out; ++i) {
        const unsigned b = bits_of(o, i);
        bits = b & (b - 1u) || b > 64u ? b : bits;
    }
    return bits ? "a kernel's elements must have 1, 2, 4, 8, 16, 32 or 64 bits"
           : shares_nothing(o) ? "same= says which elements have one address, "
                                 "but there are no addresses"
           : moves && has_role(o, ADDRESS)
               ? "block= and step= place a tile, but the addresses do it "
                 "already: leave them out"
           : words && !whole[e.operand[o->at]] ? "and, or and xor need integers"
                                               : NULL;
}

/* Returns whether all operations are correct. */
static int are_right(void) {
    for (unsigned p = 0; p < e.ops; ++p) {
        const char *why = wrong_with(&e.op[p]);
        if (why) {
            ll_writer_ w = ll_writer_on_(buffer, sizeof buffer);
            ll_engine_write_values_(&w, &e, e.op[p].at,
                                    e.op[p].n_in + e.op[p].n_out, " ");
            fprintf(stderr, "engine: %s %s (operation %u): %s\n",
                    ll_engine_kind_name_(e.op[p].kind), buffer, p, why);
            return 0;
        }
    }
    return 1;
}

/* Returns whether values of loops are only used inside them. */
static int are_loops_closed(void) {
    loop_of = malloc((e.values + 1u) * sizeof *loop_of);
    for (unsigned v = 0; loop_of && v < e.values; ++v) {
        loop_of[v] = LL_ENGINE_NONE;
    }
    const int ok = loop_of && are_in_loops();
    free(loop_of);
    return ok;
}

#endif
