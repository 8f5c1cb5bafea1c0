/* engine_graphs.h - what the tests of the layout engine share: one graph, and
 * its memory.
 * SPDX-License-Identifier: MIT
 */
#ifndef ENGINE_GRAPHS_H
#define ENGINE_GRAPHS_H

#ifndef LL_ENGINE
#define LL_ENGINE
#endif
#ifndef LL_SORTS
#define LL_SORTS
#endif
#include "definition.h"

#include "../ll_ptx.h"

enum { MEMORY = 1 << 25 };

static unsigned char arena[MEMORY];
static ll_engine engine;

TEST_FN void begin_on(ll_target t, unsigned warps, unsigned blocks) {
    ll_engine_begin(&engine, arena, MEMORY, t, warps, blocks);
    engine.family = ll_ptx_dot;
}

TEST_FN void begin(unsigned warps) { begin_on(LL_SM90, warps, 1); }

/* What the graph of a text is refused for is printed. */
TEST_FN void is_fine(const char *text) {
    CHECK(!engine.err);
    if (engine.err) {
        printf("%s(error %u, character %u, operation %u)\n", text, engine.err,
               engine.character, engine.wrong);
    }
}

TEST_FN void parsed(const char *text) {
    ll_engine_parse(&engine, text);
    is_fine(text);
}

TEST_FN void prepared(const char *text) {
    parsed(text);
    ll_engine_prepare_(&engine);
    is_fine(text);
}

/* The best layouts, with their proof. */
TEST_FN void solves(const char *text) {
    parsed(text);
    ll_engine_solve(&engine);
    is_fine(text);
    CHECK(engine.err || ll_engine_optimal(&engine));
    CHECK(engine.err || ll_engine_check(&engine) == LL_ENGINE_PROVEN);
}

TEST_FN void append(char *text, size_t size, const char *more) {
    const size_t n = strlen(text);
    snprintf(text + n, size - n, "%s", more);
}

TEST_FN int has_candidate(unsigned v, unsigned id) {
    const ll_engine_value *x = &engine.value[v];
    for (unsigned k = 0; k < x->n; ++k) {
        if (engine.candidate[x->first + k] == id) {
            return 1;
        }
    }
    return 0;
}

/* A layout with these numbers of register, lane and warp bits, in any order. */
TEST_FN ll_engine_flat random_flat(unsigned registers, unsigned lanes,
                                   unsigned warps) {
    ll_engine_flat f = LL_ZERO;
    f.n[0] = (unsigned char)registers;
    f.n[1] = (unsigned char)lanes;
    f.n[2] = (unsigned char)warps;
    for (unsigned k = 0; k < registers + lanes + warps; ++k) {
        const unsigned at = test_random(k + 1u);
        f.basis[k] = f.basis[at];
        f.basis[at] = 1u << k;
    }
    return f;
}

/* Copies a text without its `^`; returns that character's number, from 1. */
TEST_FN unsigned unmarked(char *text, const char *with_mark) {
    const char *const mark = strchr(with_mark, '^');
    const size_t at = (size_t)(mark - with_mark);
    memcpy(text, with_mark, at);
    strcpy(text + at, mark + 1);
    return (unsigned)at + 1u;
}

/* The value of a name. */
TEST_FN unsigned value_of(const char *name) {
    unsigned v = 0;
    while (v < engine.values &&
           !(engine.value[v].name &&
             strlen(name) == engine.value[v].length &&
             strncmp(engine.value[v].name, name, strlen(name)) == 0)) {
        ++v;
    }
    CHECK(v < engine.values);
    return v;
}

#endif
