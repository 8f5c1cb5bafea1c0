/* data_engine.c - tensor graphs with a compiler's own layouts, for check_data.c.
 * SPDX-License-Identifier: MIT
 *
 * A line is a graph and the program that Triton's passes made of it: its
 * operations and conversions, with a layout for every value. Both are priced by
 * the engine's cost model. The engine gets the graph without its conversions
 * and without Triton's answer. It must find layouts that cost no more than
 * Triton's, and prove its bound; with the anchors as they are, and once more
 * with products in any order of k. An operation that Triton's passes removed
 * costs nothing on either side, and one that they moved out of a loop is
 * outside of it on both. data_engine_tiles.h says what products in shared memory
 * become.
 */
#ifndef LL_ENGINE
#define LL_ENGINE
#endif
#include "check_data.h"
#include "data_engine.h"
#include "../ll_amd.h"
#include "../ll_ptx.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct {
    unsigned graphs, lower, equal, proven, ops;
    unsigned long long ours, theirs;
    unsigned small, tried; /* graphs of at most 12 classes; tried: the graphs
                              solved by trying all assignments */
    unsigned products, ordered, cheaper; /* graphs with products, in any order
                                            of k, for less */
    double slowest;
    char slow[80];
} engine_sum;

static ll_target target_of(const json_t *line, unsigned lanes) {
    const char *name = json_string_value(json_object_get(line, "target"));
    ll_target t = LL_ZERO;
    t.err = LL_ETARGET;
    if (name && strncmp(name, "sm_", 3) == 0) {
        t = ll_ptx_target((unsigned)strtoul(name + 3, NULL, 10));
    } else if (name && strncmp(name, "gfx", 3) == 0) {
        t = ll_amd_target((unsigned)strtoul(name + 3, NULL, 16), lanes);
    }
    t = t.err ? lanes == 64u ? ll_amd_target(0x942, 64) : ll_ptx_target(80) : t;
    return t;
}

/* Whether the engine stores what the products of both programs read. */
static int reads_tiles(check_case *c, ll_target t) {
    const unsigned warps = get_number(c, "warps");
    return t.lanes == 32u && has_tiles(c->params, warps) &&
           has_tiles(json_object_get(c->params, "triton"), warps);
}

/* What Triton's answer costs: conversions, and operations in its layouts. */
static unsigned long long answer_cost(const program *p, const program *graph) {
    ll_engine *e = p->e;
    unsigned long long sum = p->moves;
    ll_engine_list_uses_(e);
    ll_engine_find_tiles_(e);
    const size_t n = json_array_size(graph->ops);
    char *seen = (char *)calloc(n + 1u, 1);
    for (size_t k = 0; seen && k < json_array_size(p->ops); ++k) {
        const json_t *from =
            json_object_get(json_array_get(p->ops, k), "from");
        const size_t i = (size_t)json_integer_value(from);
        const unsigned op = from && i < n ? graph->op[i] : LL_ENGINE_NONE;
        if (op != LL_ENGINE_NONE && graph->e->op[op].n) {
            sum += seen[i] ? LL_ENGINE_AGAIN * graph->e->op[op].weight : 0u;
            seen[i] = 1;
        }
    }
    free(seen);
    for (unsigned k = 0; k < e->ops && !e->err; ++k) {
        const ll_engine_op *o = &e->op[k];
        int known = o->kind != LL_ENGINE_CONSTANT;
        for (unsigned i = 0; i < o->n_in + o->n_out; ++i) {
            known = known && (e->fixed[o->at + i] != LL_ENGINE_NONE ||
                              (o->kind == LL_ENGINE_REDUCE && i >= o->n_in));
            if (known && e->fixed[o->at + i] == LL_ENGINE_NONE) {
                e->fixed[o->at + i] = e->fixed[o->at]; /* a scalar */
            }
        }
        sum += known ? ll_engine_price(e, k, e->fixed + o->at) * o->weight : 0u;
    }
    return sum;
}

/* Operations that Triton removed or moved out of loops. */
static void follow_motion(program *p, const json_t *after) {
    const size_t n = json_array_size(p->ops);
    unsigned *depth = (unsigned *)malloc((n + 1u) * sizeof *depth);
    for (size_t k = 0; depth && k < n; ++k) {
        depth[k] = LL_ENGINE_NONE;
    }
    for (size_t k = 0; depth && k < json_array_size(after); ++k) {
        const json_t *op = json_array_get(after, k);
        const json_t *from = json_object_get(op, "from");
        const size_t i = (size_t)json_integer_value(from);
        if (from && i < n && depth_of(op) < depth[i]) {
            depth[i] = depth_of(op);
        }
    }
    for (size_t k = 0; depth && k < n; ++k) {
        const unsigned op = p->op[k];
        if (op == LL_ENGINE_NONE) {
            continue;
        }
        ll_engine_op *o = &p->e->op[op];
        unsigned weight = 1; /* of one that is gone: its operands' */
        for (unsigned i = 0; depth[k] == LL_ENGINE_NONE && i < o->n_in; ++i) {
            const unsigned w = p->e->value[p->e->operand[o->at + i]].weight;
            weight = w > weight ? w : weight;
        }
        weight = depth[k] == LL_ENGINE_NONE ? weight : p->e->trips[depth[k]];
        o->weight = depth[k] == LL_ENGINE_NONE ? 0u
                    : weight < o->weight       ? weight
                                               : o->weight;
        for (unsigned i = 0; i < o->n_out; ++i) {
            ll_engine_value *v =
                &p->e->value[p->e->operand[o->at + o->n_in + i]];
            v->weight = weight < v->weight ? weight : v->weight;
        }
    }
    free(depth);
}

static void engine_error(check_case *c, const char *who, const ll_engine *e) {
    if (e->err) {
        fail(c, "%s: error %u at operation %d of kind %u", who, e->err,
             (int)e->wrong, e->wrong < e->ops ? e->op[e->wrong].kind : 99u);
    }
}

/* The layout of operand or result k of an operation of Triton's program. */
static void fix_as(program *p, unsigned op, unsigned k, const program *answer,
                   const json_t *v) {
    const json_t *layout = json_object_get(
        json_array_get(answer->values, (size_t)json_integer_value(v)),
        "layout");
    ll_engine *e = p->e;
    const unsigned slot = e->op[op].at + k;
    if (v && layout && k < e->op[op].n_in + e->op[op].n_out &&
        !e->value[e->operand[slot]].is_free &&
        e->fixed[slot] == LL_ENGINE_NONE) {
        e->fixed[slot] = ll_engine_flat_id(
            e, e->operand[slot],
            flat_of(p, json_integer_value(layout)));
    }
}

/* Fixes all operations of the graph to Triton's layouts. */
static void fix_as_answer(program *p, const program *answer) {
    for (size_t i = 0; i < json_array_size(answer->ops); ++i) {
        const json_t *op = json_array_get(answer->ops, i);
        const json_t *from = json_object_get(op, "from");
        const size_t n = (size_t)json_integer_value(from);
        const json_t *was = json_array_get(p->ops, n);
        const json_t *args = json_object_get(was, "args");
        for (size_t k = 0; from && k < json_array_size(args); ++k) {
            const unsigned v =
                p->value[json_integer_value(json_array_get(args, k))];
            for (unsigned s = 0; v < p->e->values && s < 4u; ++s) {
                fix_as(p, p->e->value[v].def, s, answer,
                       json_array_get(json_object_get(op, "args"), k));
            }
        }
        if (!from || n >= json_array_size(p->ops) ||
            p->op[n] == LL_ENGINE_NONE) {
            continue;
        }
        const ll_engine_op *o = &p->e->op[p->op[n]];
        unsigned slot = 0;
        for (int out = 0; out < 2; ++out) {
            const json_t *list = json_object_get(op, out ? "out" : "in");
            const unsigned end = out ? o->n_in + o->n_out : o->n_in;
            for (size_t k = 0; k < json_array_size(list) && slot < end; ++k) {
                const json_t *v = json_array_get(list, k);
                if (json_object_get(
                        json_array_get(answer->values,
                                       (size_t)json_integer_value(v)),
                        "space") == NULL) {
                    fix_as(p, p->op[n], slot, answer, v);
                    ++slot;
                }
            }
        }
    }
}

/* With ENGINE_PAIRS=FOLDER each graph that costs less than Triton's layouts is
 * written there as text, for bench/engine.py: NUMBER.ours with what is fixed,
 * NUMBER.theirs with all of Triton's layouts. */
static void write_pair(check_case *c, program *ours, const program *theirs,
                       unsigned long long other) {
    static char text[1 << 18];
    char path[400];
    const char *name = json_string_value(json_object_get(c->params, "name"));
    for (int t = 0; t < 2; ++t) {
        snprintf(path, sizeof path, "%s/%u.%s", getenv("ENGINE_PAIRS"),
                 engine_sum.graphs, t ? "theirs" : "ours");
        FILE *file = fopen(path, "w");
        if (t) {
            fix_as_answer(ours, theirs);
        }
        ll_engine_print(ours->e, text, sizeof text);
        if (file) {
            fprintf(file, "# %s warps %u blocks %u lanes %u cost %llu %llu\n%s",
                    name, 1u << ours->e->counts[2], 1u << ours->e->counts[3],
                    1u << ours->e->counts[1], ll_engine_cost(ours->e), other,
                    text);
            fclose(file);
        }
    }
}

static void compare(check_case *c, program *ours, program *theirs) {
    const unsigned long long cost = ll_engine_cost(ours->e);
    const unsigned long long other = answer_cost(theirs, ours);
    unsigned loops = 0;
    for (unsigned k = 0; k < ll_engine_moves(ours->e); ++k) {
        const ll_engine_move m = ll_engine_move_at(ours->e, k);
        loops += m.weight > 1u && m.cost;
    }
    const unsigned bad = ll_engine_check(ours->e);
    const char *name = json_string_value(json_object_get(c->params, "name"));
    if (getenv("ENGINE_SHOW")) {
        printf("%s %llu %llu bound %llu loops %u %u moves %u their %llu "
               "optimal %d widest %llu cut %u vars %u drops %u labels %u "
               "used %llu dropped %u check %u\n",
               name, cost, other, ll_engine_bound(ours->e), loops,
               theirs->in_loops, ll_engine_moves(ours->e), theirs->moves,
               ll_engine_optimal(ours->e), ll_engine_found_(ours->e)->widest,
               ll_engine_found_(ours->e)->cut, ll_engine_found_(ours->e)->vars,
               ll_engine_found_(ours->e)->drops, ll_engine_found_(ours->e)->labels,
               ours->e->used, ours->e->dropped[0], bad);
    }
    if (bad) {
        fail(c, "the certificate is refused: %u", bad);
    } else if (cost > other) {
        fail(c, "costs %llu, Triton's %llu", cost, other);
    } else if (loops > theirs->in_loops && cost >= other) {
        fail(c, "%u conversions in loops, Triton's %u", loops,
             theirs->in_loops);
    }
    if (getenv("ENGINE_PAIRS") && cost < other && !c->why[0]) {
        write_pair(c, ours, theirs, other);
    }
    ++engine_sum.graphs;
    engine_sum.lower += cost < other;
    engine_sum.equal += cost == other;
    engine_sum.proven += ll_engine_optimal(ours->e) != 0;
    engine_sum.ops += ours->e->ops;
    engine_sum.ours += cost;
    engine_sum.theirs += other;
}

/* With ENGINE_MODEL=FOLDER, the graph as numbers: data_engine_model.c. */
static void write_model(check_case *c, ll_engine *e, const char *which) {
    char path[400];
    const char *folder = getenv("ENGINE_MODEL");
    if (folder) {
        snprintf(path, sizeof path, "%s/%u.%s.txt", folder, engine_sum.graphs,
                 which);
        if (!engine_write_model(e, path,
                                json_string_value(json_object_get(
                                    c->params, "name")))) {
            fail(c, "%s was not written", path);
        }
    }
}

/* No assignment of a graph with at most 12 classes costs less. */
static void try_small(check_case *c, ll_engine *e) {
    if (engine_classes(e) > 12u) {
        return;
    }
    const unsigned long long least = engine_least_of_all(e);
    ++engine_sum.small;
    engine_sum.tried += least != 0;
    if (least && least != ll_engine_cost(e)) {
        fail(c, "costs %llu, the best of all assignments %llu",
             ll_engine_cost(e), least);
    }
}

/* The same graph, whose products sum in any order of k: that costs no more than
 * Triton's layouts either, and is proven as well. */
static void with_orders(check_case *c, ll_engine *e,
                        unsigned long long anchored, unsigned long long other) {
    program p = LL_ZERO;
    p.orders = 1;
    p.tiles = reads_tiles(c, e->target);
    read_program(&p, c, e, c->params);
    engine_error(c, "graph with products", e);
    if (!c->why[0] && p.products) {
        follow_motion(&p, json_object_get(
                              json_object_get(c->params, "triton"), "ops"));
        ll_engine_solve(e);
        engine_error(c, "solver with products", e);
        const unsigned bad = c->why[0] ? 0u : ll_engine_check(e);
        if (bad) {
            fail(c, "in any order of k, the certificate is refused: %u", bad);
        } else if (ll_engine_cost(e) > other) {
            fail(c, "in any order of k, costs %llu, Triton's %llu",
                 ll_engine_cost(e), other);
        }
        for (unsigned k = 0; k < e->ops && !e->err; ++k) {
            if (e->op[k].kind == LL_ENGINE_DOT && e->op[k].n > 1u) {
                ++engine_sum.ordered;
                break;
            }
        }
        write_model(c, e, "orders");
        engine_sum.cheaper += ll_engine_cost(e) < anchored;
        ++engine_sum.products;
    }
    finish(&p);
}

/* The text of a graph, read into another engine, is printed as the same text.
 */
static void print_and_read(check_case *c, const ll_engine *e, ll_engine *again,
                           const char *what) {
    static char text[2][1 << 18];
    const unsigned n = ll_engine_print(e, text[0], sizeof text[0]);
    if (n >= sizeof text[0]) {
        fail(c, "%s: a text of %u characters", what, n);
    } else if (!ll_engine_parse(again, text[0])) {
        ll_engine_error(again, text[1], sizeof text[1]);
        fail(c, "%s, printed: %.200s", what, text[1]);
    } else if (ll_engine_print(again, text[1], sizeof text[1]) != n ||
               strcmp(text[0], text[1]) != 0) {
        fail(c, "%s is printed otherwise when it was read", what);
    }
}

static void op_engine(check_case *c) {
    static ll_engine mine, other;
    static void *memory[2];
    program ours = LL_ZERO;
    program theirs = LL_ZERO;
    const json_t *answer = json_object_get(c->params, "triton");
    ++c->compared;
    const unsigned lanes = get_number(c, "threads_per_warp");
    const ll_target t = target_of(c->params, lanes);
    for (unsigned k = 0; k < 2u; ++k) {
        memory[k] = memory[k] ? memory[k] : malloc(MEMORY);
        ll_engine_begin(k ? &other : &mine, memory[k], MEMORY, t,
                        get_number(c, "warps"), get_number(c, "blocks"));
    }
    theirs.answer = 1;
    name_all(c->params);
    ours.tiles = theirs.tiles = reads_tiles(c, t);
    other.family = ll_ptx_dot;
    read_program(&ours, c, &mine, c->params);
    engine_error(c, "graph", &mine);
    if (!c->why[0]) {
        print_and_read(c, &mine, &other, "graph");
        ll_engine_begin(&other, memory[1], MEMORY, t, get_number(c, "warps"),
                        get_number(c, "blocks"));
        read_program(&theirs, c, &other, answer);
        engine_error(c, "Triton's program", &other);
    }
    if (!c->why[0]) {
        follow_motion(&ours, json_object_get(answer, "ops"));
        mine.most = getenv("ENGINE_MOST")
                        ? (unsigned)atoi(getenv("ENGINE_MOST"))
                        : 0u;
        const clock_t begin = clock();
        ll_engine_solve(&mine);
        const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
        if (seconds > engine_sum.slowest) {
            engine_sum.slowest = seconds;
            snprintf(engine_sum.slow, sizeof engine_sum.slow, "%s (%u ops)",
                     json_string_value(json_object_get(c->params, "name")),
                     mine.ops);
        }
        if (getenv("ENGINE_SHOW")) {
            printf("%.4f s ", seconds);
        }
        engine_error(c, "solver", &mine);
    }
    if (!c->why[0]) {
        compare(c, &ours, &theirs);
        write_model(c, &mine, "anchored");
        try_small(c, &mine);
    }
    if (!c->why[0] && ours.products) {
        const unsigned long long cost = ll_engine_cost(&mine);
        const unsigned long long answered = answer_cost(&theirs, &ours);
        ll_engine_begin(&other, memory[1], MEMORY, t, get_number(c, "warps"),
                        get_number(c, "blocks"));
        with_orders(c, &other, cost, answered);
    }
    finish(&ours);
    finish(&theirs);
    if (getenv("ENGINE_SHOW") && c->why[0]) {
        printf("FAILED %s: %s\n",
               json_string_value(json_object_get(c->params, "name")), c->why);
    }
}

void print_engine(void) {
    if (engine_sum.graphs) {
        printf("engine: %u graphs, %u cost less than Triton's layouts, %u the "
               "same; %u proven optimal; %.3f of the cycles; slowest %.3f s, "
               "%s\n",
               engine_sum.graphs, engine_sum.lower, engine_sum.equal,
               engine_sum.proven,
               (double)engine_sum.ours / (double)engine_sum.theirs,
               engine_sum.slowest, engine_sum.slow);
        printf("engine: %u graphs of at most 12 classes, of %u all "
               "assignments were tried\n",
               engine_sum.small, engine_sum.tried);
        printf("engine: %u graphs with products, %u of them in more than one "
               "order of k, %u for less\n",
               engine_sum.products, engine_sum.ordered, engine_sum.cheaper);
    }
}

const check_op check_engine[] = {{"engine_cases", op_engine},
                                 {"engine_unseen", op_engine},
                                 {0, 0}};
