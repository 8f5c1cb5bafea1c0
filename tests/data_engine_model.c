/* data_engine_model.c - a solved graph as numbers, for data_engine.c.
 * SPDX-License-Identifier: MIT
 *
 * With ENGINE_MODEL=FOLDER each recorded graph is written there, as
 * NUMBER.anchored.txt and, if its products may sum in any order of k, as
 * NUMBER.orders.txt: what every instance of an operation costs, which layouts of
 * which values it takes and gives, and what conversions between the layouts of a
 * value cost. tests/engine_optimal.py finds the least sum of all assignments
 * from that alone. An operation or value is one line, a layout VALUE.NUMBER.
 */
#ifndef LL_ENGINE
#define LL_ENGINE
#endif
#include "check_data.h"
#include <stdio.h>

/* The layouts of operands from .. to - 1 in an instance. */
static void write_layouts(FILE *file, const ll_engine *e, unsigned p,
                          unsigned t, unsigned from, unsigned to) {
    const ll_engine_op *o = &e->op[p];
    for (unsigned k = from; k < to; ++k) {
        const unsigned v = e->operand[o->at + k];
        const unsigned c = e->instance[o->first + t * (o->n_in + o->n_out) + k];
        if (c != LL_ENGINE_NONE && !e->value[v].is_free) {
            fprintf(file, " %u.%u", v, c);
        }
    }
}

/* op: how many instances it may have at once, what each one more costs, and of
 * each instance its price, the layouts that it takes and those that it gives. */
static void write_op(FILE *file, ll_engine *e, unsigned p) {
    const ll_engine_op *o = &e->op[p];
    const unsigned most = o->alone                    ? 1u
                          : o->is_light && o->n < 10u ? e->sets
                          : e->sets < 2u              ? e->sets
                                                      : 2u;
    unsigned tuple[80];
    fprintf(file, "op %u %llu", most,
            o->kind == LL_ENGINE_CARRY
                ? 0ull
                : (unsigned long long)LL_ENGINE_AGAIN * o->weight);
    for (unsigned t = 0; t < o->n; ++t) {
        ll_engine_numbers_(e, p, t, tuple);
        fprintf(file, " | %llu", ll_engine_price(e, p, tuple) * o->weight);
        write_layouts(file, e, p, t, 0, o->n_in);
        fprintf(file, " >");
        write_layouts(file, e, p, t, o->n_in, o->n_in + o->n_out);
    }
    fprintf(file, "\n");
}

/* value: its number, how many operations use it, and a square of costs. */
static void write_value(FILE *file, ll_engine *e, unsigned v) {
    const ll_engine_value x = e->value[v];
    unsigned users = 0;
    for (unsigned k = 0; k < x.uses; ++k) {
        users += k == 0 || e->use[x.use + k - 1u] != e->use[x.use + k];
    }
    fprintf(file, "value %u %u", v, users);
    for (unsigned k = 0; k < x.n * x.n; ++k) {
        const unsigned from = e->candidate[x.first + k / x.n];
        const unsigned to = e->candidate[x.first + k % x.n];
        const ll_plan p = ll_engine_plan(e, from, to, x.bits, x.element_bits);
        fprintf(file, " %llu",
                (p.err ? LL_ENGINE_FAR : 8ull * p.cycles) * x.weight);
    }
    fprintf(file, "\n");
}

/* Returns 0 if an operation has too many operands. */
int engine_write_model(ll_engine *e, const char *path, const char *name) {
    FILE *file = fopen(path, "w");
    int fits = file != NULL;
    if (!file) {
        return 0;
    }
    fprintf(file, "graph %s\ncost %llu\n", name, ll_engine_cost(e));
    for (unsigned p = 0; p < e->ops && fits; ++p) {
        fits = e->op[p].n_in + e->op[p].n_out <= 80u;
        if (fits && e->op[p].n) {
            write_op(file, e, p);
        }
    }
    for (unsigned v = 0; v < e->values; ++v) {
        if (!e->value[v].is_free) {
            write_value(file, e, v);
        }
    }
    fclose(file);
    return fits && !e->err;
}
