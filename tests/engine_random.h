/* engine_random.h - graphs at random, as texts and by calls, for the tests of
 * the layout engine.
 * SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_RANDOM_H
#define ENGINE_RANDOM_H

#include "engine_graphs.h"

/* These tests are of sm_80. */
TEST_FN void begin_80(unsigned warps) { begin_on(LL_SM80, warps, 1); }

/* Sizes as logarithms, slowest first, and what is wrong with them. */
typedef struct sizes {
    unsigned err, rank;
    unsigned at[20];
} sizes;

TEST_FN unsigned total(const sizes *s) {
    unsigned n = 0;
    for (unsigned k = 0; k < s->rank; ++k) {
        n += s->at[k];
    }
    return n;
}

/* A value of the graph of these sizes. */
TEST_FN unsigned source(const sizes *a, unsigned element_bits) {
    ll_engine_spec s = LL_ZERO;
    s.kind = LL_ENGINE_SOURCE;
    s.rank = a->rank;
    for (unsigned k = 0; k < a->rank && k < LL_ENGINE_AXES; ++k) {
        s.size[k] = (unsigned char)a->at[k];
    }
    s.element_bits = element_bits;
    return ll_engine_result(&engine, ll_engine_add(&engine, s), 0);
}

/* A random graph of values of 16 x 8 elements and their transposes: loads,
 * constants, arithmetic, stores, and a loop now and then. */
static char graph_text[6000];
static unsigned n_names;
static unsigned turned_over[40]; /* 1: the value has 8 x 16 elements */

TEST_FN void add_text(const char *text) {
    const size_t n = strlen(graph_text);
    snprintf(graph_text + n, sizeof graph_text - n, "%s", text);
}

TEST_FN void add_layout(const char *key, unsigned over) {
    static const char *const wide[] = {"j0", "j1", "j2", "i0",
                                       "i1", "i2", "i3"};
    static const char *const tall[] = {"j0", "j1", "j2", "j3",
                                       "i0", "i1", "i2"};
    char line[200];
    const char *bit[7];
    for (unsigned k = 0; k < 7u; ++k) {
        const unsigned at = test_random(k + 1u);
        bit[k] = bit[at];
        bit[at] = over ? tall[k] : wide[k];
    }
    snprintf(line, sizeof line,
             " %s=\"register: %s | lane: %s %s %s %s %s | warp: %s\"", key,
             bit[0], bit[1], bit[2], bit[3], bit[4], bit[5], bit[6]);
    add_text(line);
}

TEST_FN unsigned any_value(unsigned over) {
    unsigned v = test_random(n_names);
    for (unsigned k = 0; k < n_names && turned_over[v] != over; ++k) {
        v = (v + 1u) % n_names;
    }
    return v;
}

TEST_FN void random_text(unsigned lines, unsigned fixes) {
    char line[200];
    n_names = 2;
    turned_over[0] = turned_over[1] = 0;
    snprintf(graph_text, sizeof graph_text, "v0 = load 16x8:32");
    if (test_random(2)) {
        add_layout("out0", 0);
    }
    const int constant = test_random(2) == 0;
    snprintf(line, sizeof line, "\nv1 = %s 16x8:32\n",
             constant ? "constant" : "load");
    add_text(line);
    if (constant && test_random(2)) { /* what is light */
        add_text("v2 = map v1 v1\n");
        turned_over[2] = 0;
        n_names = 3;
    }
    for (unsigned n = 0; n < lines; ++n) {
        const unsigned v = test_random(3) ? test_random(n_names) : 0u;
        const unsigned w = any_value(turned_over[v]);
        const unsigned kind = test_random(5);
        if (kind < 2u) {
            snprintf(line, sizeof line, "v%u = map v%u v%u cost=%u", n_names,
                     v, w, 1u + test_random(2));
            turned_over[n_names] = turned_over[v];
        } else if (kind == 2u) {
            snprintf(line, sizeof line, "v%u = trans v%u order=1x0", n_names,
                     v);
            turned_over[n_names] = !turned_over[v];
        } else {
            snprintf(line, sizeof line, "store v%u", v);
        }
        add_text(line);
        if (kind > 2u && test_random(10) < fixes) {
            add_layout("in0", turned_over[v]);
        }
        n_names += kind < 3u;
        add_text("\n");
    }
}

/* The number of a layout of seven bits in any order: a register, five lanes and
 * a warp. */
TEST_FN unsigned random_order(unsigned v) {
    return ll_engine_flat_id(&engine, v, random_flat(1, 5, 1));
}

#endif
