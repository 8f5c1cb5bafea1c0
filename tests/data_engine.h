/* data_engine.h - how a recorded graph is read into the engine, for data_engine.c.
 * SPDX-License-Identifier: MIT
 *
 * A line has two programs: the graph, and what Triton's passes made of it.
 */
#ifndef DATA_ENGINE_H
#define DATA_ENGINE_H

#ifndef LL_ENGINE
#define LL_ENGINE
#endif
#include "check_data.h"
#include "../ll_amd.h"
#include "../ll_ptx.h"
#include "data_engine_tiles.h"
#include <stdlib.h>
#include <string.h>

enum { TRIPS = 16, MEMORY = 1 << 28 };

/* One of the two programs of a line, and what has been read of it. */
typedef struct program {
    check_case *c;
    ll_engine *e;
    const json_t *layouts, *values, *ops;
    int answer;             /* 1: Triton's, whose layouts are all fixed */
    int orders;             /* 1: products sum in any order of k */
    int tiles;              /* 1: the engine stores what products read */
    const json_t *root;
    unsigned products;      /* number of products that allow any order */
    unsigned *value;        /* value of the line -> value of the engine */
    const json_t **pending; /* the operation that merges a value, and which of
                               its lists of sources */
    const char **lists;
    unsigned *place;
    unsigned *op;           /* operation of the line -> of the engine */
    unsigned long long moves; /* cost of conversions */
    unsigned in_loops;        /* conversions inside loops that cost something */
} program;

static unsigned log_of(check_case *c, json_int_t size) {
    unsigned n = ll_log2_((unsigned long long)size);
    if (size < 1 || n == LL_NO_BITS_) {
        fail(c, "a size is no power of two");
        return 0;
    }
    return n;
}

/* The columns of a layout of the line, as a flat layout. */
static ll_engine_flat flat_of(program *p, json_int_t number) {
    ll_engine_flat f = LL_ZERO;
    const json_t *layout = json_array_get(p->layouts, (size_t)number);
    const json_t *in = json_object_get(layout, "in");
    const json_t *out = json_object_get(layout, "out");
    unsigned low[16] = LL_ZERO;
    unsigned n = 0;
    const size_t dims = json_array_size(out);
    for (size_t k = dims; k-- > 0 && dims <= 16u;) {
        low[k] = n;
        n += log_of(p->c, json_integer_value(json_array_get(
                              json_array_get(out, k), 1)));
    }
    n = 0;
    for (size_t d = 0; d < 4u; ++d) {
        const json_t *vectors = json_array_get(json_array_get(in, d), 1);
        f.n[d] = (unsigned char)json_array_size(vectors);
        for (size_t k = 0; k < json_array_size(vectors); ++k) {
            for (size_t i = 0; i < dims && n < LL_MAX_BITS; ++i) {
                f.basis[n] |= (unsigned)json_integer_value(json_array_get(
                                  json_array_get(vectors, k), i))
                              << low[i];
            }
            ++n;
        }
    }
    if (n > LL_MAX_BITS || dims > 16u) {
        fail(p->c, "a layout has too many bits");
    }
    return f;
}

static const json_t *value_at(const program *p, json_int_t v) {
    return json_array_get(p->values, (size_t)v);
}

static int is_memory(const program *p, json_int_t v) {
    return json_object_get(value_at(p, v), "space") != NULL;
}

static unsigned depth_of(const json_t *op) {
    return (unsigned)json_integer_value(json_object_get(op, "depth"));
}

static void set_depth(ll_engine *e, unsigned depth) {
    while (!e->err && e->depth < depth) {
        ll_engine_loop(e, TRIPS);
    }
    while (!e->err && e->depth > depth) {
        ll_engine_loop(e, 0);
    }
}

/* Triton's layouts of the operands and results; memory has none. */
static void fix_all(program *p, unsigned op, const json_int_t *from,
                    unsigned n) {
    ll_engine *e = p->e;
    for (unsigned k = 0; !e->err && k < n; ++k) {
        const json_t *layout =
            json_object_get(value_at(p, from[k]), "layout");
        const unsigned v = e->operand[e->op[op].at + k];
        if (layout) {
            ll_engine_fix(e, op, k,
                          ll_engine_flat_id(
                              e, v, flat_of(p, json_integer_value(layout))));
        }
    }
}

static void shape_of(program *p, json_int_t v, ll_engine_spec *s) {
    const json_t *shape = json_object_get(value_at(p, v), "shape");
    const json_t *out = json_object_get(
        json_array_get(p->layouts, (size_t)json_integer_value(json_object_get(
                                       value_at(p, v), "layout"))),
        "out"); /* where there is no shape, its sizes are those */
    s->rank = (unsigned)json_array_size(shape ? shape : out);
    for (unsigned k = 0; k < s->rank && k < LL_ENGINE_AXES; ++k) {
        const json_t *size = json_array_get(shape ? shape : out, k);
        s->size[k] = (unsigned char)log_of(
            p->c,
            json_integer_value(shape ? size : json_array_get(size, 1)));
    }
    s->element_bits = (unsigned)json_integer_value(
        json_object_get(value_at(p, v), "element_bits"));
}

static unsigned get(program *p, json_int_t v);

/* Adds an operation with these operands and results of the line. */
static unsigned add(program *p, ll_engine_spec s, unsigned n_in,
                    const json_int_t *from, unsigned n_out) {
    unsigned in[64];
    const json_int_t out = from[n_in];
    if (n_in + n_out > 64u) {
        fail(p->c, "an operation has too many operands");
        return LL_ENGINE_NONE;
    }
    for (unsigned k = 0; k < n_in; ++k) {
        in[k] = get(p, from[k]);
    }
    s.n_in = n_in;
    s.in = in;
    s.n_out = n_out;
    if (n_out && s.kind != LL_ENGINE_REDUCE && s.kind != LL_ENGINE_SCAN) {
        ll_engine_spec shape = LL_ZERO;
        shape_of(p, out, &shape);
        s.element_bits = shape.element_bits;
        s.rank = shape.rank;
        memcpy(s.size, shape.size, sizeof s.size);
    }
    const unsigned op = ll_engine_add(p->e, s);
    for (unsigned k = 0; !p->e->err && k < n_out; ++k) {
        p->value[from[n_in + k]] = ll_engine_result(p->e, op, k);
    }
    if (p->answer && op != LL_ENGINE_NONE && s.kind != LL_ENGINE_CONSTANT) {
        fix_all(p, op, from, n_in + n_out);
    }
    return op;
}

/* The engine's value. One that branches or a loop's end merge is made when it
 * is first used. */
static unsigned get(program *p, json_int_t v) {
    const size_t n = json_array_size(p->values);
    ll_engine_spec s = LL_ZERO;
    if (v < 0 || (size_t)v >= n) {
        fail(p->c, "there is no value %d", (int)v);
        return LL_ENGINE_NONE;
    }
    const json_t *op = p->pending[v];
    if (p->value[v] == LL_ENGINE_NONE && op) {
        const unsigned k = p->place[v];
        const char *list = p->lists[v];
        const int branch = strcmp(list, "then") == 0;
        const json_int_t out = json_integer_value(
            json_array_get(json_object_get(op, "out"), k));
        const json_int_t from[4] = {
            json_integer_value(json_array_get(json_object_get(op, list), k)),
            json_integer_value(json_array_get(
                json_object_get(op, branch ? "else" : list), k)),
            branch ? out
                   : json_integer_value(json_array_get(
                         json_object_get(op, "after_args"), k)),
            out};
        p->pending[v] = NULL;
        s.kind = LL_ENGINE_CARRY;
        s.trips = branch ? 0u : TRIPS;
        const unsigned depth = p->e->depth;
        get(p, from[0]);
        get(p, from[1]);
        set_depth(p->e, depth_of(op));
        add(p, s, 2, from, 2);
        set_depth(p->e, depth);
    }
    if (p->value[v] == LL_ENGINE_NONE && p->answer && !p->c->why[0]) {
        const unsigned depth = p->e->depth; /* an argument */
        s.kind = LL_ENGINE_SOURCE;
        set_depth(p->e, 0);
        add(p, s, 0, &v, 1);
        set_depth(p->e, depth);
    }
    if (p->value[v] == LL_ENGINE_NONE && !p->c->why[0]) {
        fail(p->c, "value %d is used before it is made", (int)v);
    }
    return p->value[v];
}

static void per_axis(const json_t *attrs, const char *key,
                     unsigned char *log2s) {
    const json_t *list = json_object_get(attrs, key);
    for (size_t k = 0; k < json_array_size(list) && k < LL_ENGINE_AXES; ++k) {
        json_int_t x = json_integer_value(json_array_get(list, k));
        while (x > 1 && log2s[k] < 24) {
            x /= 2;
            ++log2s[k];
        }
    }
}

static const struct {
    const char *name;
    unsigned kind;
    unsigned cost;
    unsigned each; /* 1: an operation for each tensor operand and result */
} names[] = {{"elementwise", LL_ENGINE_MAP, 0, 0},
             {"scan", LL_ENGINE_SCAN, 0, 0},
             {"load", LL_ENGINE_LOAD, 0, 0},
             {"store", LL_ENGINE_STORE, 0, 0},
             {"atomic", LL_ENGINE_ATOMIC, 0, 0},
             {"constant", LL_ENGINE_CONSTANT, 0, 0},
             {"splat", LL_ENGINE_CONSTANT, 0, 0},
             {"range", LL_ENGINE_CONSTANT, 0, 0},
             {"expand_dims", LL_ENGINE_EXPAND, 0, 0},
             {"broadcast", LL_ENGINE_BROADCAST, 0, 0},
             {"reduce", LL_ENGINE_REDUCE, 0, 0},
             {"trans", LL_ENGINE_TRANS, 0, 0},
             {"reshape", LL_ENGINE_RESHAPE, 0, 0},
             {"join", LL_ENGINE_JOIN, 0, 0},
             {"split", LL_ENGINE_SPLIT, 0, 0},
             {"fp4_to_fp", LL_ENGINE_UNPACK, 0, 0},
             {"gather", LL_ENGINE_GATHER, 0, 0},
             {"dot", LL_ENGINE_FIXED, 0, 0},
             {"dot_scaled", LL_ENGINE_FIXED, 0, 0},
             {"cat", LL_ENGINE_REORDER, 0, 0},
             {"opaque", LL_ENGINE_FIXED, 0, 0},
             {"print", LL_ENGINE_FIXED, 0, 0},
             {"wait", LL_ENGINE_FIXED, 0, 0},
             {"return", LL_ENGINE_FIXED, 0, 1},
             {"tmem_load", LL_ENGINE_FIXED, 0, 1},
             {"tmem_store", LL_ENGINE_FIXED, 0, 1},
             {"descriptor_load", LL_ENGINE_FIXED, 0, 1},
             {"descriptor_store", LL_ENGINE_FIXED, 0, 1},
             {"async_copy", LL_ENGINE_FIXED, 0, 1},
             {"histogram", LL_ENGINE_SINK, 8, 1},
             {"assert", LL_ENGINE_SINK, 0, 1},
             {"local_alloc", LL_ENGINE_SINK, 8, 1},
             {"tmem_alloc", LL_ENGINE_SINK, 8, 1},
             {"local_store", LL_ENGINE_SINK, 8, 1},
             {"local_load", LL_ENGINE_SINK, 8, 1}};

/* The tensors among the operands and results; returns how many. */
static unsigned tensors(const program *p, const json_t *op, const char *key,
                        json_int_t *list, unsigned room) {
    const json_t *from = json_object_get(op, key);
    unsigned n = 0;
    for (size_t k = 0; k < json_array_size(from) && n < room; ++k) {
        const json_int_t v = json_integer_value(json_array_get(from, k));
        if (!is_memory(p, v)) {
            list[n++] = v;
        }
    }
    return n;
}

/* The attributes of an operation, or of the one that it comes from. */
static const json_t *attrs_of(const program *p, const json_t *op) {
    const json_t *from = json_object_get(op, "from");
    const json_t *attrs = json_object_get(op, "attrs");
    return attrs || !from
               ? attrs
               : json_object_get(
                     json_array_get(json_object_get(p->c->params, "ops"),
                                    (size_t)json_integer_value(from)),
                     "attrs");
}

static int may_reorder(const program *p, const json_t *op) {
    return json_is_true(json_object_get(attrs_of(p, op), "allow_reorder"));
}

static void read_attrs(const program *p, const json_t *op, ll_engine_spec *s) {
    const json_t *attrs = attrs_of(p, op);
    const char *cost = json_string_value(json_object_get(attrs, "cost"));
    unsigned char align[LL_ENGINE_AXES] = LL_ZERO;
    s->axis = (unsigned)json_integer_value(json_object_get(attrs, "axis"));
    per_axis(attrs, "contiguity", s->contiguous);
    per_axis(attrs, "constancy", s->same);
    per_axis(attrs, "divisibility", align);
    unsigned most = 0;
    for (unsigned k = 0; k < LL_ENGINE_AXES; ++k) {
        most = s->contiguous[k] > s->contiguous[most] ? k : most;
        s->order[k] = (unsigned char)json_integer_value(
            json_array_get(json_object_get(attrs, "order"), k));
    }
    s->align = 1u << align[most];
    s->cost = !cost                          ? s->cost
              : strcmp(cost, "cheap") == 0   ? 8u
              : strcmp(cost, "costly") == 0  ? 64u
              : strcmp(cost, "free") == 0    ? 0u
                                             : 32u;
}

/* A loop's values, and what waits for the ends of branches and loops. */
static void read_region(program *p, const json_t *op, const char *name) {
    const int loop = strcmp(name, "loop") == 0;
    const char *inner = loop ? "args" : "before_args";
    const json_t *outs = json_object_get(op, "out");
    int carries = 0;
    for (size_t k = 0; strcmp(name, "if") != 0 &&
                       k < json_array_size(json_object_get(op, inner));
         ++k) {
        const json_int_t start = json_integer_value(
            json_array_get(json_object_get(op, "in"), k));
        const json_int_t arg =
            json_integer_value(json_array_get(json_object_get(op, inner), k));
        const json_int_t from[4] = {
            start, start, arg,
            loop ? json_integer_value(json_array_get(outs, k)) : arg};
        ll_engine_spec s = LL_ZERO;
        if (is_memory(p, arg)) {
            continue;
        }
        s.kind = LL_ENGINE_CARRY;
        s.trips = TRIPS;
        add(p, s, 2, from, 2);
        p->value[arg] = ll_engine_result(p->e, p->e->ops - 1u, 0);
        carries = 1;
    }
    if (carries) { /* the body may be empty */
        set_depth(p->e, depth_of(op) + 1u);
    }
    for (size_t k = 0; !loop && k < json_array_size(outs); ++k) {
        const int branch = strcmp(name, "if") == 0;
        for (int after = 0; after < 2 - branch; ++after) {
            const json_int_t v = json_integer_value(json_array_get(
                after ? json_object_get(op, "after_args") : outs, k));
            p->pending[v] = op;
            p->lists[v] = branch ? "then" : "condition";
            p->place[v] = (unsigned)k;
        }
    }
}

/* The conversions of Triton's answer are priced here. */
static void read_convert(program *p, const json_t *op) {
    const json_int_t from =
        json_integer_value(json_array_get(json_object_get(op, "in"), 0));
    const json_int_t to =
        json_integer_value(json_array_get(json_object_get(op, "out"), 0));
    const unsigned v = get(p, from);
    if (!p->answer || v == LL_ENGINE_NONE) {
        p->value[to] = v;
        return;
    }
    ll_engine_spec s = LL_ZERO;
    s.kind = LL_ENGINE_SOURCE;
    const unsigned made = add(p, s, 0, &to, 1);
    const unsigned a = ll_engine_flat_id(
        p->e, v,
        flat_of(p, json_integer_value(
                       json_object_get(value_at(p, from), "layout"))));
    if (made != LL_ENGINE_NONE && !p->e->err) {
        const ll_engine_value x = p->e->value[v];
        const ll_engine_pair_ *pair =
            ll_engine_convert_(p->e, a, p->e->fixed[p->e->op[made].at],
                               x.bits, x.element_bits);
        p->moves += pair ? pair->cost * p->e->trips[p->e->depth] : 0u;
        p->in_loops += pair && pair->cost && p->e->depth;
    }
}

/* Whether an operation is a product whose operands are in registers. */
static int is_product(program *p, const json_t *op,
                      const json_int_t *from, unsigned ins) {
    ll_engine_spec s = LL_ZERO;
    int all = ins == 3u &&
              strcmp(json_string_value(json_object_get(op, "op")), "dot") == 0;
    for (unsigned k = 0; all && k < ins; ++k) {
        shape_of(p, from[k], &s);
        all = s.rank == 2u;
    }
    return all;
}

/* A cat is a join whose result comes in another order: a lane puts its elements
 * of one operand behind those of the other. */
static unsigned read_cat(program *p, const json_int_t *from) {
    ll_engine_spec s = LL_ZERO;
    unsigned in[2] = {get(p, from[0]), get(p, from[1])};
    s.kind = LL_ENGINE_JOIN;
    s.n_in = 2;
    s.in = in;
    const unsigned join = ll_engine_add(p->e, s);
    shape_of(p, from[2], &s);
    s.kind = LL_ENGINE_REORDER;
    s.n_in = 1;
    in[0] = ll_engine_result(p->e, join, 0);
    const unsigned op = ll_engine_add(p->e, s);
    p->value[from[2]] = ll_engine_result(p->e, op, 0);
    return op;
}

/* Operand k of a product as a tensor of the engine, and Triton's layout of
 * it. */
static unsigned tile_operand(program *p, const json_t *op, unsigned k,
                             unsigned *id) {
    int turned = 0;
    const json_int_t t = tensor_of(p->root, nth(op, "in", k), &turned);
    unsigned v = get(p, t);
    *id = LL_ENGINE_NONE;
    if (p->answer && v != LL_ENGINE_NONE) {
        *id = ll_engine_flat_id(
            p->e, v,
            flat_of(p, json_integer_value(
                           json_object_get(value_at(p, t), "layout"))));
    }
    if (turned && v != LL_ENGINE_NONE) {
        ll_engine_spec s = LL_ZERO;
        s.kind = LL_ENGINE_TRANS;
        s.n_in = 1;
        s.in = &v;
        s.order[0] = 1;
        const unsigned trans = ll_engine_add(p->e, s);
        const ll_engine_link_ l =
            ll_engine_link_of_(p->e, &p->e->op[trans]);
        *id = *id == LL_ENGINE_NONE
                  ? *id
                  : ll_engine_across_(p->e, &l, *id, 0);
        v = ll_engine_result(p->e, trans, 0);
    }
    return v;
}

/* A product that reads its operands in shared memory, or a in registers. Its
 * sums go nowhere: the line's own product has them. */
static void read_tiles(program *p, const json_t *op) {
    const char *by = tile_family(op);
    ll_engine *e = p->e;
    unsigned id[2], in[2];
    for (unsigned k = 0; k < 2u; ++k) {
        in[k] = tile_operand(p, op, k, &id[k]);
    }
    if (e->err || in[0] >= e->values || in[1] >= e->values) {
        return;
    }
    ll_engine_spec s = LL_ZERO;
    s.kind = LL_ENGINE_DOT;
    s.n_in = s.rank = 2;
    s.in = in;
    s.element_bits = 32;
    s.size[0] = e->value[in[0]].size[0];
    s.size[1] = e->value[in[1]].size[1];
    const unsigned dot = ll_engine_add(e, s);
    ll_engine_by(e, dot, by, (unsigned)strlen(by));
    for (unsigned k = 0; !e->err && k < 2u; ++k) {
        if (is_shared(p->root, nth(op, "in", k))) {
            e->op[dot].place[k][2] = LL_ENGINE_NONE; /* not in registers */
        }
        if (id[k] != LL_ENGINE_NONE) {
            ll_engine_fix(e, dot, k, id[k]);
        }
    }
}

static void read_op(program *p, size_t number) {
    const json_t *op = json_array_get(p->ops, number);
    const char *name = json_string_value(json_object_get(op, "op"));
    json_int_t from[64];
    unsigned k = 0;
    const unsigned room = sizeof names / sizeof *names;
    set_depth(p->e, depth_of(op));
    if (!name) {
        fail(p->c, "an operation has no name");
        return;
    }
    if (strcmp(name, "convert") == 0) {
        read_convert(p, op);
        return;
    }
    if (p->tiles && is_tile(p->root, op)) {
        return;
    }
    if (p->tiles && tile_family(op)) {
        read_tiles(p, op);
    }
    if (!strcmp(name, "loop") || !strcmp(name, "while") ||
        !strcmp(name, "if")) {
        read_region(p, op, name);
        return;
    }
    while (k < room && strcmp(names[k].name, name) != 0) {
        ++k;
    }
    if (k == room) {
        fail(p->c, "there is no operation %s", name);
        return;
    }
    ll_engine_spec s = LL_ZERO;
    s.kind = names[k].kind;
    s.cost = names[k].cost;
    s.kind = s.kind == LL_ENGINE_RESHAPE && may_reorder(p, op)
                 ? (unsigned)LL_ENGINE_REORDER
                 : s.kind;
    read_attrs(p, op, &s);
    const unsigned ins = tensors(p, op, "in", from, 32);
    const unsigned outs = tensors(p, op, "out", from + ins, 32);
    if (s.kind == LL_ENGINE_CONSTANT && outs == 0) {
        return;
    }
    for (unsigned i = 0; names[k].each && i < ins + outs; ++i) {
        ll_engine_spec one = s;
        one.kind = s.kind == LL_ENGINE_SINK && i >= ins
                       ? (unsigned)LL_ENGINE_SOURCE
                       : s.kind;
        p->op[number] = add(p, one, i < ins, from + i, i >= ins);
    }
    if (is_product(p, op, from, ins)) {
        s.kind = p->orders ? LL_ENGINE_DOT : s.kind;
        ++p->products;
    }
    if (strcmp(name, "cat") == 0 && ins == 2u) {
        p->op[number] = read_cat(p, from);
    } else if (!names[k].each && ins + outs) {
        p->op[number] = add(p, s, ins, from, outs);
    }
}

/* What the loops start again with is known at the end. */
static void read_yields(program *p) {
    for (size_t i = 0; i < json_array_size(p->ops); ++i) {
        const json_t *op = json_array_get(p->ops, i);
        const json_t *yield = json_object_get(op, "yield");
        const json_t *args = json_object_get(op, "args");
        args = args ? args : json_object_get(op, "before_args");
        for (size_t k = 0; k < json_array_size(yield); ++k) {
            const json_int_t arg = json_integer_value(json_array_get(args, k));
            if (!is_memory(p, arg) && p->value[arg] < p->e->values) {
                ll_engine_yield(p->e, p->e->value[p->value[arg]].def,
                                get(p, json_integer_value(
                                           json_array_get(yield, k))));
            }
        }
    }
}

/* The layout of an anchor, or the one to which Triton's passes moved it. */
static json_int_t anchored(const program *p, const json_t *anchor) {
    const json_int_t layout =
        json_integer_value(json_object_get(anchor, "layout"));
    const json_t *answer = json_object_get(p->c->params, "triton");
    const json_t *ops = json_object_get(answer, "ops");
    const json_t *number = json_object_get(anchor, "op");
    const char *side = json_string_value(json_object_get(anchor, "side"));
    const size_t index =
        (size_t)json_integer_value(json_object_get(anchor, "index"));
    if (!json_object_get(answer, "anchors_moved") || json_is_null(number)) {
        return layout;
    }
    for (size_t k = 0; k < json_array_size(ops); ++k) {
        const json_t *op = json_array_get(ops, k);
        const json_t *from = json_object_get(op, "from");
        const json_t *list = json_object_get(op, side);
        const json_t *now = json_object_get(
            json_array_get(json_object_get(answer, "values"),
                           (size_t)json_integer_value(
                               json_array_get(list, index))),
            "layout");
        if (from && now && index < json_array_size(list) &&
            json_integer_value(from) == json_integer_value(number)) {
            return json_integer_value(now);
        }
    }
    return layout;
}

/* Fixes the use or result that an anchor names. Memory has been left out of an
 * operation's lists, and some operations are one of the engine for each operand
 * and result, of which the last is known. */
static void fix_anchor(program *p, const json_t *anchor, ll_engine_flat f) {
    const size_t number = (size_t)json_integer_value(
        json_object_get(anchor, "op"));
    const char *side = json_string_value(json_object_get(anchor, "side"));
    const json_t *op = json_array_get(p->ops, number);
    const json_int_t index =
        json_integer_value(json_object_get(anchor, "index"));
    const json_t *list = json_object_get(op, side);
    const int out = strcmp(side, "out") == 0;
    json_int_t all[64];
    unsigned at = p->op[number];
    const unsigned ins = tensors(p, op, "in", all, 32);
    const unsigned outs = tensors(p, op, "out", all, 32);
    unsigned slot = out ? ins : 0u;
    for (json_int_t k = 0; k < index; ++k) {
        slot += !is_memory(p, json_integer_value(
                                  json_array_get(list, (size_t)k)));
    }
    if (at == LL_ENGINE_NONE || slot >= ins + outs) {
        return;
    }
    const ll_engine_op *o = &p->e->op[at];
    const unsigned parts = o->n_in + o->n_out;
    if (parts == 1u && ins + outs > 1u) {
        at -= ins + outs - 1u - slot;
        slot = 0;
    } else if (parts != ins + outs) { /* a cat: its last part is a reorder */
        slot = out ? 1u : parts;
    }
    if (slot < parts) {
        const unsigned v = p->e->operand[p->e->op[at].at + slot];
        ll_engine_fix(p->e, at, slot, ll_engine_flat_id(p->e, v, f));
    }
}

/* Arguments of the function, and what is fixed. */
static void read_anchors(program *p, const json_t *anchors, int arguments) {
    for (size_t i = 0; i < json_array_size(anchors) && !p->e->err; ++i) {
        const json_t *a = json_array_get(anchors, i);
        const json_t *op = json_object_get(a, "op");
        const json_int_t v = json_integer_value(json_object_get(a, "value"));
        const ll_engine_flat f = flat_of(p, anchored(p, a));
        if (is_memory(p, v)) {
            continue;
        }
        if (arguments && json_is_null(op)) {
            ll_engine_spec s = LL_ZERO;
            s.kind = LL_ENGINE_FIXED;
            const unsigned made = add(p, s, 0, &v, 1);
            ll_engine_fix(p->e, made, 0, ll_engine_flat_id(p->e, p->value[v],
                                                           f));
        }
        if (arguments || json_is_null(op)) {
            continue;
        }
        fix_anchor(p, a, f);
    }
}

/* Operations that take given layouts alone have those of the line where no
 * anchor names one. */
static void fix_rest(program *p) {
    for (size_t v = 0; v < json_array_size(p->values) && !p->e->err; ++v) {
        const json_t *layout =
            json_object_get(value_at(p, (json_int_t)v), "layout");
        for (unsigned k = 0; p->value[v] != LL_ENGINE_NONE && k < p->e->ops;
             ++k) {
            const ll_engine_op *o = &p->e->op[k];
            for (unsigned i = 0;
                 (o->kind == LL_ENGINE_FIXED || o->kind == LL_ENGINE_DOT) &&
                 i < o->n_in + o->n_out;
                 ++i) {
                if (p->e->operand[o->at + i] == p->value[v] &&
                    !ll_engine_is_placed_(o, i) &&
                    p->e->fixed[o->at + i] == LL_ENGINE_NONE && layout &&
                    !is_memory(p, (json_int_t)v)) {
                    ll_engine_fix(
                        p->e, k, i,
                        ll_engine_flat_id(
                            p->e, p->value[v],
                            flat_of(p, json_integer_value(layout))));
                }
            }
        }
    }
}

/* Whether any operation takes, yields or returns a value of the line. */
static int is_used(const program *p, json_int_t v) {
    static const char *lists[] = {"in", "yield", "then", "else", "condition"};
    for (size_t i = 0; i < json_array_size(p->ops); ++i) {
        for (unsigned n = 0; n < sizeof lists / sizeof *lists; ++n) {
            const json_t *list =
                json_object_get(json_array_get(p->ops, i), lists[n]);
            for (size_t k = 0; k < json_array_size(list); ++k) {
                if (json_integer_value(json_array_get(list, k)) == v) {
                    return 1;
                }
            }
        }
    }
    return 0;
}

/* Whether operation k of the line lies in a region of operation `outer`. */
static int is_inside(const program *p, size_t k, size_t outer) {
    const json_t *parent =
        json_object_get(json_array_get(p->ops, k), "parent");
    while (json_is_integer(parent)) {
        const size_t n = (size_t)json_integer_value(parent);
        if (n == outer) {
            return 1;
        }
        parent = json_object_get(json_array_get(p->ops, n), "parent");
    }
    return 0;
}

/* Before operation `next` of the line, makes the values of the branches and
 * whiles that have ended. An outer loop may be all that takes them, and it
 * needs them before it ends. Inner ones end first. */
static void end_regions(program *p, size_t next) {
    for (size_t i = next; i-- > 0 && !p->e->err && !p->c->why[0];) {
        const json_t *outs =
            json_object_get(json_array_get(p->ops, i), "out");
        const int over = next == json_array_size(p->ops) ||
                         !is_inside(p, next, i);
        for (size_t k = 0; over && k < json_array_size(outs); ++k) {
            const json_int_t v = json_integer_value(json_array_get(outs, k));
            if (p->pending[v] && p->value[v] == LL_ENGINE_NONE &&
                !is_memory(p, v) && is_used(p, v)) {
                get(p, v);
            }
        }
    }
}

static int start(program *p, check_case *c, ll_engine *e, const json_t *root) {
    const size_t n = json_array_size(p->values);
    p->c = c;
    p->e = e;
    p->root = root;
    e->family = ll_ptx_dot;
    p->layouts = json_object_get(c->params, "layouts");
    p->values = json_object_get(root, "values");
    p->ops = json_object_get(root, "ops");
    const size_t values = json_array_size(p->values) + 1u;
    const size_t ops = json_array_size(p->ops) + 1u;
    (void)n;
    p->value = (unsigned *)malloc(values * sizeof(unsigned));
    p->place = (unsigned *)malloc(values * sizeof(unsigned));
    p->op = (unsigned *)malloc(ops * sizeof(unsigned));
    p->pending = (const json_t **)calloc(values, sizeof *p->pending);
    p->lists = (const char **)calloc(values, sizeof *p->lists);
    if (!p->value || !p->place || !p->op || !p->pending || !p->lists) {
        fail(c, "out of memory");
        return 0;
    }
    memset(p->value, 0xff, values * sizeof(unsigned));
    memset(p->op, 0xff, ops * sizeof(unsigned));
    return 1;
}

static void finish(program *p) {
    free(p->value);
    free(p->place);
    free(p->op);
    free((void *)p->pending);
    free((void *)p->lists);
}

static void read_program(program *p, check_case *c, ll_engine *e,
                         const json_t *root) {
    if (!start(p, c, e, root)) {
        return;
    }
    if (!p->answer) {
        read_anchors(p, json_object_get(c->params, "anchors"), 1);
    }
    for (size_t k = 0; k < json_array_size(p->ops) && !c->why[0]; ++k) {
        end_regions(p, k);
        read_op(p, k);
        if (e->err) {
            break;
        }
    }
    if (!c->why[0] && !e->err) {
        end_regions(p, json_array_size(p->ops));
        read_yields(p);
        set_depth(e, 0);
    }
    if (!p->answer && !c->why[0] && !e->err) {
        read_anchors(p, json_object_get(c->params, "anchors"), 0);
        fix_rest(p);
    }
}

#endif
