/* test_engine_rules.c - the rules of the layout engine, one at a time.
 * SPDX-License-Identifier: MIT
 *
 * Shapes of results are compared with lists of sizes, accesses with the
 * addresses of their elements, layouts with the elements that each thread
 * holds. What is refused is refused with the right error.
 */
#ifndef LL_ENGINE
#define LL_ENGINE
#endif
#ifndef LL_SORTS
#define LL_SORTS
#endif
#include "definition.h"

#include "../ll_ptx.h"

enum { MEMORY = 1 << 22, NONE_OF = 99 };

static unsigned char memory[MEMORY];
static ll_engine engine;

static void begin(unsigned warps) {
    ll_engine_begin(&engine, memory, MEMORY, LL_SM80, warps, 1);
}

static int solved(const char *text, unsigned warps) {
    begin(warps);
    return ll_engine_parse(&engine, text) && ll_engine_solve(&engine);
}

/* ---- Shapes of results -------------------------------------------------- */

/* Sizes as logarithms, slowest first, and what is wrong with them. */
typedef struct sizes {
    unsigned err, rank;
    unsigned at[20];
} sizes;

static sizes without(sizes s, unsigned axis) {
    for (unsigned k = axis; k + 1u < s.rank; ++k) {
        s.at[k] = s.at[k + 1u];
    }
    --s.rank;
    return s;
}

static sizes with(sizes s, unsigned axis, unsigned size) {
    for (unsigned k = s.rank; k > axis; --k) {
        s.at[k] = s.at[k - 1u];
    }
    s.at[axis] = size;
    ++s.rank;
    return s;
}

static unsigned total(const sizes *s) {
    unsigned n = 0;
    for (unsigned k = 0; k < s->rank; ++k) {
        n += s->at[k];
    }
    return n;
}

static sizes wrong(unsigned err) {
    sizes s = LL_ZERO;
    s.err = err;
    return s;
}

static sizes asked_for(const ll_engine_spec *s) {
    sizes r = LL_ZERO;
    r.rank = s->rank;
    for (unsigned k = 0; k < s->rank && k < 20u; ++k) {
        r.at[k] = k < LL_ENGINE_AXES ? s->size[k] : 0u;
    }
    return r;
}

static sizes turned(const ll_engine_spec *s, const sizes *a) {
    sizes r = *a;
    unsigned seen[20] = LL_ZERO;
    for (unsigned k = 0; k < a->rank; ++k) {
        if (s->order[k] >= a->rank || seen[s->order[k]]++) {
            return wrong(LL_ENGINE_EAXIS);
        }
        r.at[k] = a->at[s->order[k]];
    }
    return r;
}

static sizes stretched(const ll_engine_spec *s, const sizes *a) {
    const sizes r = asked_for(s);
    if (r.rank != a->rank) {
        return wrong(LL_ENGINE_ESHAPE);
    }
    for (unsigned k = 0; k < r.rank; ++k) {
        if (a->at[k] != 0 && a->at[k] != r.at[k]) {
            return wrong(LL_ENGINE_ESHAPE);
        }
    }
    return r;
}

/* The sizes of the results of an operation on operands of sizes a. */
static sizes result_of(const ll_engine_spec *s, const sizes *a) {
    const int has = s->axis < a->rank;
    sizes r = *a;
    switch (s->kind) {
    case LL_ENGINE_TRANS: return turned(s, a);
    case LL_ENGINE_BROADCAST: return stretched(s, a);
    case LL_ENGINE_RESHAPE:
    case LL_ENGINE_REORDER:
        r = asked_for(s);
        return total(&r) == total(a) ? r : wrong(LL_ENGINE_ESHAPE);
    case LL_ENGINE_EXPAND:
        return s->axis <= a->rank && a->rank < 12u ? with(r, s->axis, 0)
                                                   : wrong(LL_ENGINE_EAXIS);
    case LL_ENGINE_JOIN:
        return a->rank < 12u ? with(r, a->rank, 1) : wrong(LL_ENGINE_EAXIS);
    case LL_ENGINE_SPLIT:
        return a->rank && a->at[a->rank - 1u] == 1u
                   ? without(r, a->rank - 1u)
                   : wrong(LL_ENGINE_EAXIS);
    case LL_ENGINE_REDUCE:
        return has ? without(r, s->axis) : wrong(LL_ENGINE_EAXIS);
    case LL_ENGINE_UNPACK:
        r.at[has ? s->axis : 0] += 1u;
        return has ? r : wrong(LL_ENGINE_EAXIS);
    case LL_ENGINE_SCAN:
    case LL_ENGINE_SORT: return has ? r : wrong(LL_ENGINE_EAXIS);
    default: return r;
    }
}

/* A value of the graph of these sizes. */
static unsigned source(const sizes *a, unsigned element_bits) {
    ll_engine_spec s = LL_ZERO;
    s.kind = LL_ENGINE_SOURCE;
    s.rank = a->rank;
    for (unsigned k = 0; k < a->rank && k < LL_ENGINE_AXES; ++k) {
        s.size[k] = (unsigned char)a->at[k];
    }
    s.element_bits = element_bits;
    return ll_engine_result(&engine, ll_engine_add(&engine, s), 0);
}

static int has_sizes(unsigned v, const sizes *a) {
    const ll_engine_value *x = &engine.value[v];
    int same = x->rank == a->rank && x->bits == total(a);
    for (unsigned k = 0; same && k < a->rank; ++k) {
        same = x->size[k] == a->at[k];
    }
    return same;
}

static sizes random_sizes(unsigned most) {
    sizes a = LL_ZERO;
    a.rank = test_random(8) ? test_random(5) : test_random(most + 1u);
    for (unsigned k = 0; k < a.rank; ++k) {
        a.at[k] = test_random(3) ? test_random(3) : 1u;
    }
    return a;
}

static void results_have_the_shape_of_the_definition(void) {
    static const unsigned kinds[] = {
        LL_ENGINE_TRANS,  LL_ENGINE_RESHAPE, LL_ENGINE_REORDER,
        LL_ENGINE_EXPAND, LL_ENGINE_JOIN,    LL_ENGINE_BROADCAST,
        LL_ENGINE_SPLIT,  LL_ENGINE_REDUCE,  LL_ENGINE_UNPACK,
        LL_ENGINE_SCAN,   LL_ENGINE_SORT,    LL_ENGINE_MAP,
        LL_ENGINE_CONVERT};
    unsigned good = 0;
    unsigned bad = 0;
    for (unsigned n = 0; n < 15000u; ++n) {
        const sizes a = random_sizes(12);
        const unsigned bits = 1u << test_random(8);
        const unsigned other = 1u << test_random(8);
        begin(2);
        ll_engine_spec s = LL_ZERO;
        unsigned in[2] = {source(&a, bits), 0};
        in[1] = source(&a, other);
        s.kind = kinds[n % 13u];
        s.n_in = s.kind == LL_ENGINE_JOIN ? 2u : 1u;
        if (s.kind == LL_ENGINE_REDUCE || s.kind == LL_ENGINE_SCAN) {
            s.n_in = 1u + test_random(2);
        }
        s.in = in;
        s.axis = test_random(3) && a.rank ? test_random(a.rank)
                                          : test_random(13);
        const sizes want = random_sizes(12);
        s.rank = test_random(2) ? a.rank : want.rank;
        for (unsigned k = 0; k < 12u; ++k) {
            const unsigned more = k < a.rank && (a.at[k] == 0 ||
                                                 test_random(9) == 0);
            s.size[k] = (unsigned char)(test_random(2) && k < want.rank
                                            ? want.at[k]
                                        : k < a.rank ? a.at[k] + more
                                                     : 0u);
            const unsigned swap = test_random(k + 1u);
            s.order[k] = s.order[swap];
            s.order[swap] = (unsigned char)k;
            if (k + 1u == a.rank && test_random(2)) {
                break; /* a permutation of the axes that there are */
            }
        }
        const unsigned unsaid = test_random(2);
        s.element_bits = unsaid ? 0u : 16u;
        const sizes r = result_of(&s, &a);
        const unsigned err = r.err ? r.err
                             : total(&r) > 24u || r.rank > 12u
                                 ? (unsigned)LL_ENGINE_ESIZE
                                 : (unsigned)LL_ENGINE_OK;
        const unsigned op = ll_engine_add(&engine, s);
        CHECK(engine.err == err);
        if (err) {
            ++bad;
            CHECK(op == LL_ENGINE_NONE);
            continue;
        }
        ++good;
        const unsigned outs = s.kind == LL_ENGINE_SPLIT ? 2u
                              : s.kind == LL_ENGINE_REDUCE ||
                                        s.kind == LL_ENGINE_SCAN
                                  ? s.n_in
                                  : 1u;
        CHECK(engine.op[op].n_out == outs);
        for (unsigned k = 0; k < outs; ++k) {
            const unsigned v = ll_engine_result(&engine, op, k);
            CHECK(has_sizes(v, &r) && engine.value[v].def == op);
            CHECK(engine.value[v].element_bits ==
                  (s.kind == LL_ENGINE_REDUCE || s.kind == LL_ENGINE_SCAN
                       ? (k ? other : bits)
                   : unsaid ? bits
                            : 16u));
        }
        CHECK(ll_engine_result(&engine, op, outs) == LL_ENGINE_NONE);
        CHECK(ll_engine_result(&engine, op + 1u, 0) == LL_ENGINE_NONE);
    }
    COVERS(good > 2000u && bad > 2000u);
}

/* What a value may be: at most 2^24 elements, 12 axes, 1 to 128 bits. */
static void values_have_limits(void) {
    for (unsigned n = 0; n < 64u; ++n) {
        sizes a = LL_ZERO;
        a.rank = n % 4u ? 2u : n / 4u;
        a.at[0] = a.at[1] = a.rank == 2u ? n / 4u : 0u;
        const unsigned bits = n % 4u == 1u   ? 0u
                              : n % 4u == 2u ? 129u - n % 8u / 4u
                                             : 1u;
        begin(2);
        source(&a, bits);
        CHECK(engine.err == (a.rank > 12u || total(&a) > 24u || bits == 0u ||
                                     bits > 128u
                                 ? (unsigned)LL_ENGINE_ESIZE
                                 : (unsigned)LL_ENGINE_OK));
    }
}

/* Operands of one operation have one shape. Those of a product share k, and
 * those of a gather all axes but the one that is gathered along. */
static void operands_agree(void) {
    unsigned good = 0;
    for (unsigned n = 0; n < 4000u; ++n) {
        sizes a[5];
        unsigned in[5];
        ll_engine_spec s = LL_ZERO;
        begin(2);
        s.kind = n % 3u == 0   ? LL_ENGINE_MAP
                 : n % 3u == 1 ? LL_ENGINE_GATHER
                 : n % 2u      ? LL_ENGINE_DOT
                               : LL_ENGINE_DOT_SCALED;
        s.n_in = n % 3u < 2u ? 2u : (s.kind == LL_ENGINE_DOT ? 2u : 4u) +
                                        test_random(2);
        s.in = in;
        s.axis = test_random(3);
        for (unsigned k = 0; k < 5u; ++k) {
            a[k] = random_sizes(2);
            a[k].rank = test_random(8) ? 2u : test_random(4);
            a[k].at[0] = test_random(2);
            a[k].at[1] = test_random(2);
            a[k].at[2] = 1;
            in[k] = source(&a[k], k ? 16u : 8u);
        }
        const sizes *b = &a[1];
        const sizes *c = &a[s.n_in - 1u];
        int ok = 0;
        unsigned err = LL_ENGINE_ESHAPE;
        if (s.kind == LL_ENGINE_MAP || s.kind == LL_ENGINE_GATHER) {
            ok = a->rank == b->rank;
            for (unsigned k = 0; k < a->rank && ok; ++k) {
                ok = a->at[k] == b->at[k] ||
                     (s.kind == LL_ENGINE_GATHER && k == s.axis);
            }
        } else {
            ok = a->rank == 2u && b->rank == 2u && a->at[1] == b->at[0];
            ok = ok && (s.n_in % 2u == 0 ||
                        (c->rank == 2u && c->at[0] == a->at[0] &&
                         c->at[1] == b->at[1]));
        }
        if (s.kind == LL_ENGINE_GATHER && s.axis >= a->rank) {
            ok = 0;
            err = LL_ENGINE_EAXIS;
        }
        const unsigned op = ll_engine_add(&engine, s);
        CHECK(engine.err == (ok ? (unsigned)LL_ENGINE_OK : err));
        if (!ok) {
            CHECK(engine.wrong == 5u);
            continue;
        }
        ++good;
        const unsigned v = ll_engine_result(&engine, op, 0);
        sizes r = *a; /* of a map; a gather has the indices' sizes */
        r = s.kind == LL_ENGINE_GATHER ? *b : r;
        if (n % 3u == 2u) {
            r.at[1] = b->at[1];
        }
        CHECK(has_sizes(v, &r));
        CHECK(engine.value[v].element_bits == (n % 3u == 2u ? 32u : 8u));
    }
    COVERS(good > 500u);
}

/* Operands and results of each kind: any number is NONE_OF. */
static void kinds_have_their_operands(void) {
    static const struct {
        unsigned kind, ins, outs, origin, alone;
    } all[] = {
        {LL_ENGINE_CONSTANT, 0, 1, 1, 0},
        {LL_ENGINE_SOURCE, 0, 1, 1, 0},
        {LL_ENGINE_LOAD, NONE_OF, 1, 1, 0},
        {LL_ENGINE_STORE, NONE_OF, 0, 0, 1},
        {LL_ENGINE_ATOMIC, NONE_OF, NONE_OF, 0, 1},
        {LL_ENGINE_SINK, 1, 0, 0, 1},
        {LL_ENGINE_MAP, NONE_OF, NONE_OF, 0, 0},
        {LL_ENGINE_SCAN, NONE_OF, NONE_OF, 0, 0},
        {LL_ENGINE_SORT, 1, 1, 0, 0},
        {LL_ENGINE_TRANS, 1, 1, 0, 0},
        {LL_ENGINE_RESHAPE, 1, 1, 0, 0},
        {LL_ENGINE_REORDER, 1, 1, 0, 0},
        {LL_ENGINE_EXPAND, 1, 1, 0, 0},
        {LL_ENGINE_BROADCAST, 1, 1, 0, 0},
        {LL_ENGINE_REDUCE, NONE_OF, NONE_OF, 0, 0},
        {LL_ENGINE_JOIN, 2, 1, 0, 0},
        {LL_ENGINE_SPLIT, 1, 2, 0, 0},
        {LL_ENGINE_UNPACK, 1, 1, 0, 0},
        {LL_ENGINE_GATHER, 2, 1, 0, 1},
        {LL_ENGINE_FIXED, NONE_OF, NONE_OF, 1, 1},
        {LL_ENGINE_CONVERT, 1, 1, 0, 0},
        {LL_ENGINE_LOCAL_LOAD, 0, 1, 1, 0},
        {LL_ENGINE_LOCAL_STORE, 1, 0, 0, 1},
        {LL_ENGINE_TMA_LOAD, 0, 1, 1, 0},
        {LL_ENGINE_TMA_STORE, 1, 0, 0, 1},
        {LL_ENGINE_CARRY, 2, 2, 0, 0},
        {LL_ENGINE_KINDS_N_, NONE_OF, NONE_OF, 0, 0}};
    sizes a = LL_ZERO;
    a.rank = 3;
    a.at[0] = 2;
    a.at[1] = a.at[2] = 1;
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        for (unsigned ins = 0; ins < 5u; ++ins) {
            for (unsigned outs = 0; outs < 4u; ++outs) {
                unsigned in[5];
                ll_engine_spec s = LL_ZERO;
                begin(2);
                for (unsigned k = 0; k < 5u; ++k) {
                    in[k] = source(&a, 32);
                }
                s.kind = all[n].kind;
                s.n_in = ins;
                s.in = in;
                s.n_out = outs;
                s.rank = 3;
                s.size[0] = 2;
                s.size[1] = s.size[2] = 1;
                s.order[1] = 1;
                s.order[2] = 2;
                s.element_bits = 32;
                const int ok = all[n].kind < LL_ENGINE_KINDS_N_ &&
                               (ins ? all[n].ins == NONE_OF
                                    : all[n].origin) +
                                       (all[n].ins == ins) >
                                   0;
                const unsigned op = ll_engine_add(&engine, s);
                CHECK(engine.err == (ok ? (unsigned)LL_ENGINE_OK
                                        : (unsigned)LL_ENGINE_ECOUNT));
                if (!ok) {
                    CHECK(op == LL_ENGINE_NONE);
                    continue;
                }
                const int each = s.kind == LL_ENGINE_REDUCE ||
                                 s.kind == LL_ENGINE_SCAN;
                const unsigned want =
                    all[n].outs != NONE_OF      ? all[n].outs
                    : outs                      ? outs
                    : each                      ? ins
                    : s.kind == LL_ENGINE_FIXED ? 0u
                                                : 1u;
                CHECK(engine.op[op].n_out == want);
                CHECK(engine.op[op].n_in == ins);
                CHECK((s.kind == LL_ENGINE_CONVERT) ||
                      engine.op[op].alone == all[n].alone);
                for (unsigned k = 0; k < ins; ++k) {
                    CHECK(engine.operand[engine.op[op].at + k] == in[k]);
                    CHECK(engine.fixed[engine.op[op].at + k] ==
                          LL_ENGINE_NONE);
                }
                CHECK(ll_engine_result(&engine, op, want) == LL_ENGINE_NONE);
            }
        }
    }
    /* values that are not there yet */
    begin(2);
    ll_engine_spec s = LL_ZERO;
    unsigned v = source(&a, 32);
    v += 1u;
    s.kind = LL_ENGINE_MAP;
    s.n_in = 1;
    s.in = &v;
    CHECK(ll_engine_add(&engine, s) == LL_ENGINE_NONE);
    CHECK(engine.err == LL_ENGINE_EVALUE && engine.wrong == 1u);
    v = 0; /* errors stay, and nothing is done any more */
    CHECK(ll_engine_add(&engine, s) == LL_ENGINE_NONE);
    CHECK(engine.err == LL_ENGINE_EVALUE && engine.ops == 2u);
}

/* ---- Loops -------------------------------------------------------------- */

/* What stands inside loops runs as often as their trips say: at most 2^20
 * times, 8 loops deep. */
static void loops_count_their_trips(void) {
    sizes a = LL_ZERO;
    a.rank = 1;
    for (unsigned n = 0; n < 2000u; ++n) {
        unsigned long long runs[9] = {1};
        unsigned depth = 0;
        unsigned err = LL_ENGINE_OK;
        begin(2);
        while (!err) {
            const unsigned trips =
                test_random(3) == 0  ? 0u
                : test_random(2)     ? 1u
                : test_random(4) == 0 ? 1u << test_random(20)
                                     : 1u + test_random(40);
            ll_engine_loop(&engine, trips);
            err = trips ? (depth == 8u || runs[depth] * trips > 1u << 20
                               ? (unsigned)LL_ENGINE_ELOOP
                               : 0u)
                  : depth ? 0u
                          : (unsigned)LL_ENGINE_ELOOP;
            CHECK(engine.err == err);
            if (err) {
                break;
            }
            if (trips) {
                runs[depth + 1u] = runs[depth] * trips;
                ++depth;
            } else {
                --depth;
            }
            const unsigned v = source(&a, 32);
            CHECK(engine.value[v].weight == runs[depth]);
            CHECK(engine.op[engine.value[v].def].weight == runs[depth]);
            CHECK(engine.depth == depth);
        }
        if (depth) { /* a loop without an end */
            engine.err = LL_ENGINE_OK;
            CHECK(!ll_engine_solve(&engine) && engine.err == LL_ENGINE_ELOOP);
        }
    }
    /* the value inside a loop is made in each turn, the one behind it once */
    for (unsigned n = 0; n < 21u; ++n) {
        begin(2);
        const unsigned v = source(&a, 32);
        ll_engine_loop(&engine, 1u << n);
        const unsigned c = ll_engine_carry(&engine, v, 2);
        CHECK(engine.value[ll_engine_result(&engine, c, 0)].weight ==
              (n < 20u ? 2u << n : 1u << 20));
        CHECK(engine.value[ll_engine_result(&engine, c, 1)].weight == 1u << n);
        const unsigned m = ll_engine_carry(&engine, v, 0);
        CHECK(engine.value[ll_engine_result(&engine, m, 0)].weight == 1u << n);
    }
    /* a yield has the shape of the start */
    for (unsigned n = 0; n < 6u; ++n) {
        begin(2);
        const unsigned v = source(&a, 32);
        sizes b = a;
        b.rank = n == 1u ? 2u : 1u;
        b.at[0] = n == 2u;
        const unsigned w = source(&b, 32);
        const unsigned c = ll_engine_carry(&engine, v, 2);
        ll_engine_yield(&engine, n == 3u ? c + 1u : n == 4u ? 0u : c,
                        n == 5u ? engine.values : w);
        CHECK(engine.err == (n ? (unsigned)LL_ENGINE_ELOOP
                               : (unsigned)LL_ENGINE_OK));
        CHECK(n || engine.operand[engine.op[c].at + 1u] == w);
        CHECK(n || engine.operand[engine.op[c].at] == v);
    }
}

/* ---- Layouts ------------------------------------------------------------ */

/* A layout of a graph of 32 lanes and `warps` warps holds every element. */
static void layouts_hold_every_element(void) {
    unsigned good = 0;
    for (unsigned n = 0; n < 8000u; ++n) {
        ll_engine_flat f = LL_ZERO;
        sizes a = LL_ZERO;
        unsigned char has[64] = LL_ZERO;
        begin(2);
        a.rank = 1;
        a.at[0] = test_random(5);
        const unsigned v = source(&a, 32);
        f.n[0] = (unsigned char)test_random(4);
        f.n[1] = (unsigned char)(test_random(20) ? 5u : 4u + test_random(3));
        f.n[2] = (unsigned char)(test_random(20) ? 1u : test_random(3));
        f.n[3] = (unsigned char)(test_random(20) == 0);
        const unsigned bits = (unsigned)f.n[0] + f.n[1] + f.n[2] + f.n[3];
        for (unsigned k = 0; k < bits; ++k) {
            f.basis[k] = test_random(3) ? 1u << test_random(a.at[0] + 1u) >> 1
                         : test_random(9) ? test_random(1u << a.at[0])
                                          : 1u << a.at[0];
        }
        int ok = f.n[1] == 5u && f.n[2] == 1u && f.n[3] == 0u;
        unsigned held = 0;
        for (unsigned x = 0; x < 1u << bits; ++x) {
            unsigned y = 0;
            for (unsigned k = 0; k < bits; ++k) {
                y ^= x >> k & 1u ? f.basis[k] : 0u;
            }
            ok = ok && y < 1u << a.at[0];
            held += y < 64u && !has[y];
            has[y < 64u ? y : 0u] = 1;
        }
        ok = ok && held == 1u << a.at[0];
        const unsigned id = ll_engine_flat_id(&engine, v, f);
        CHECK(engine.err == (ok ? (unsigned)LL_ENGINE_OK
                                : (unsigned)LL_ENGINE_ELAYOUT));
        CHECK(ok ? id < engine.flats : id == LL_ENGINE_NONE);
        if (!ok) {
            CHECK(engine.wrong == 0u);
            continue;
        }
        ++good;
        /* registers without a column are gone, the others stay in order */
        const ll_engine_flat *g = &engine.flat[id];
        unsigned to = 0;
        unsigned registers = 0;
        for (unsigned k = 0; k < bits; ++k) {
            if (k >= f.n[0] || f.basis[k]) {
                CHECK(g->basis[to] == f.basis[k]);
                ++to;
                registers += k < f.n[0];
            }
        }
        CHECK(g->n[0] == registers && g->n[1] == 5u && g->n[2] == 1u);
        CHECK(g->n[3] == 0u);
        /* the same layout has the same number, another one another */
        CHECK(ll_engine_flat_id(&engine, v, f) == id);
        CHECK(ll_engine_flat_id(&engine, v, *g) == id);
        ll_engine_flat h = f;
        for (unsigned k = 0; k + 1u < bits; ++k) {
            h.basis[k] = f.basis[k + 1u];
            h.basis[k + 1u] = f.basis[k];
            const int same =
                f.basis[k] == f.basis[k + 1u] ||
                (k + 1u < f.n[0] && !(f.basis[k] && f.basis[k + 1u]));
            CHECK((ll_engine_flat_id(&engine, v, h) == id) == same);
            h = f;
        }
        CHECK(ll_engine_flat_id(&engine, v + 1u, f) == LL_ENGINE_NONE);
        CHECK(engine.err == LL_ENGINE_ELAYOUT);
        CHECK(engine.wrong == LL_ENGINE_NONE);
    }
    COVERS(good > 800u);
}

/* A layout in words is the flat one that holds the same elements: axes may
 * come in any order, and threads that it does not name hold copies. */
static void layouts_in_words_are_flat(void) {
    static const struct {
        const char *text;
        unsigned n[3];
        unsigned basis[9];
    } all[] = {
        {"register: j0 i0 | lane: j1 i1 i2 0 0 | warp: i3",
         {2, 5, 1}, {1, 4, 2, 8, 16, 0, 0, 32}},
        {"lane: j1 i1 i2 i3 i0 | warp: j0", {0, 5, 1}, {2, 8, 16, 32, 4, 1}},
        {"register: j0 i0 0 i3 | lane: j1 i1 i2",
         {3, 5, 1}, {1, 4, 32, 2, 8, 16, 0, 0, 0}},
        {"warp: i3 | lane: j0 j1 i0 i1 i2", {0, 5, 1}, {1, 2, 4, 8, 16, 32}},
        {"register: j0^i0 j1 i1 | lane: i0 i2 i3 0 0 | warp: i3",
         {3, 5, 1}, {5, 2, 8, 4, 16, 32, 0, 0, 32}}};
    static const char *const bad[] = {
        "register: j0 i0 | lane: j1 i1 i2 0 0 | warp: 0",
        "register: j0 i0 | lane: j1 i1 i2 i3 0 0 | warp: 0",
        "register: j0 i0 | lane: j1 i1 i2 i3 0 | warp: 0 0",
        "register: j0 i0 | lane: j1 i1 i2 i3 0 | warp: 0 | block: 0",
        "register: j0 i0 j2 | lane: j1 i1 i2 i3 0 | warp: 0",
        "register: j0 i0 k0 | lane: j1 i1 i2 i3 0 | warp: 0",
        "offset: j0 i0 j1 i1 i2 i3", "nothing"};
    sizes a = LL_ZERO;
    a.rank = 2;
    a.at[0] = 4;
    a.at[1] = 2;
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        begin(2);
        const unsigned v = source(&a, 32);
        const unsigned id = ll_engine_id(&engine, v, ll_parse(all[n].text));
        CHECK(!engine.err && id < engine.flats);
        unsigned k = 0;
        for (unsigned d = 0; d < 3u; ++d) {
            CHECK(engine.flat[id].n[d] == all[n].n[d]);
            k += all[n].n[d];
        }
        CHECK(engine.flat[id].n[3] == 0u);
        while (k-- > 0) {
            CHECK(engine.flat[id].basis[k] == all[n].basis[k]);
        }
        /* and back: the same element everywhere */
        const ll_layout b = ll_engine_layout(&engine, v, id);
        CHECK(!b.err && bits_in(&b.out) == 6u && held_bits(&b.out, LL_I) == 4u);
        CHECK(held_bits(&b.in, LL_LANE) == 5u && b.in.n == 3u);
        for (k = 0; k < (unsigned)all[n].n[0] + 6u; ++k) {
            CHECK(value(&b, 1u << k) == all[n].basis[k]);
        }
    }
    for (unsigned n = 0; n < sizeof bad / sizeof *bad; ++n) {
        begin(2);
        const unsigned v = source(&a, 32);
        CHECK(ll_engine_id(&engine, v, ll_parse(bad[n])) == LL_ENGINE_NONE);
        CHECK(engine.err == LL_ENGINE_ELAYOUT && engine.wrong == 0u);
    }
    ll_layout off = ll_parse(all[0].text);
    off.offset = 1;
    begin(2);
    source(&a, 32);
    CHECK(ll_engine_id(&engine, 1, ll_parse(all[0].text)) == LL_ENGINE_NONE);
    CHECK(engine.err == LL_ENGINE_EVALUE);
    begin(2);
    source(&a, 32);
    CHECK(ll_engine_id(&engine, 0, off) == LL_ENGINE_NONE);
    CHECK(engine.err == LL_ENGINE_ELAYOUT);
    /* in clusters threads of blocks hold parts as well */
    ll_engine_begin(&engine, memory, MEMORY, LL_SM90, 2, 4);
    source(&a, 32);
    const unsigned id = ll_engine_id(
        &engine, 0, ll_parse("lane: j0 j1 i0 i1 0 | warp: i2 | block: i3"));
    CHECK(!engine.err && engine.flat[id].n[3] == 2u);
    const ll_layout b = ll_engine_layout(&engine, 0, id);
    CHECK(held_bits(&b.in, LL_BLOCK) == 2u);
    CHECK(value(&b, 64) == 32u && value(&b, 128) == 0u);
}

/* What is fixed: operands and results that are there, to layouts that are. */
static void only_what_is_there_is_fixed(void) {
    for (unsigned n = 0; n < 6u; ++n) {
        sizes a = LL_ZERO;
        a.rank = 1;
        a.at[0] = 1;
        begin(2);
        unsigned v = source(&a, 32);
        ll_engine_spec s = LL_ZERO;
        s.kind = LL_ENGINE_MAP;
        s.n_in = 1;
        s.in = &v;
        const unsigned op = ll_engine_add(&engine, s);
        const unsigned id = ll_engine_id(&engine, v, ll_parse("lane: i0"));
        ll_engine_fix(&engine, op + (n == 1u), n == 2u ? 2u : n == 3u,
                      id + (n == 4u));
        const unsigned bad = n == 1u || n == 2u || n == 4u;
        CHECK(engine.err == (bad ? (unsigned)LL_ENGINE_ELAYOUT : 0u));
        const unsigned at = engine.op[op].at;
        CHECK((engine.fixed[at] == id) == (!bad && n != 3u));
        CHECK((engine.fixed[at + 1u] == id) == (n == 3u));
    }
}

/* Targets have at most 64 lanes, blocks 64 warps, clusters 32 blocks. */
static void graphs_have_a_target(void) {
    for (unsigned n = 0; n < 140u; ++n) {
        for (unsigned k = 0; k < 3u; ++k) {
            const unsigned count = n;
            unsigned most = k == 2u ? 32u : 64u;
            ll_target t = LL_SM80;
            t.lanes = k == 0 ? count : 32u;
            ll_engine_begin(&engine, memory, MEMORY, t, k == 1u ? count : 4u,
                            k == 2u ? count : 1u);
            int ok = 0;
            for (; most; most /= 2u) {
                ok = ok || count == most;
            }
            CHECK(engine.err == (ok ? (unsigned)LL_ENGINE_OK
                                    : (unsigned)LL_ENGINE_ETARGET));
            CHECK(engine.wrong == LL_ENGINE_NONE);
        }
    }
    ll_target t = LL_SM80;
    t.err = 1;
    ll_engine_begin(&engine, memory, MEMORY, t, 4, 1);
    CHECK(engine.err == LL_ENGINE_ETARGET);
}

/* Nothing is written behind the memory, wherever it begins, and what is taken
 * is aligned and zero. */
static void memory_is_kept(void) {
    unsigned enough = 0;
    for (unsigned n = 0; n < 400u; ++n) {
        const unsigned skip = n % 17u;
        const unsigned bytes = 40u * n;
        memset(memory, 0xa5, sizeof memory);
        ll_engine_begin(&engine, memory + skip, bytes, LL_SM80, 2, 1);
        CHECK(((size_t)(engine.memory - memory) & 15u) ==
              ((0u - (size_t)memory) & 15u));
        CHECK(engine.memory - (memory + skip) < 16);
        const int ok = ll_engine_parse(&engine, "x = load 4:32\ny = map x\n");
        CHECK(ok || engine.err == LL_ENGINE_EARENA);
        CHECK(engine.used <= engine.bytes);
        CHECK(engine.memory + engine.bytes <= memory + skip + bytes ||
              engine.bytes == 0);
        for (unsigned k = 0; k < skip; ++k) {
            CHECK(memory[k] == 0xa5u);
        }
        for (unsigned k = skip + bytes; k < skip + bytes + 4096u; ++k) {
            CHECK(memory[k] == 0xa5u);
        }
        enough += (unsigned)ok;
        if (ok) { /* exactly what is left can be taken, and no more */
            const unsigned long long left = engine.bytes - engine.used;
            const unsigned long long words = left / 16u * 4u;
            unsigned *w = ll_engine_take_word_(&engine, words);
            CHECK(w && engine.used <= engine.bytes && !engine.err);
            CHECK(engine.bytes - engine.used < 16u);
            CHECK(words == 0 || (w[0] == 0 && w[words - 1u] == 0));
            CHECK(!ll_engine_take_word_(&engine, 4) &&
                  engine.err == LL_ENGINE_EARENA);
        }
    }
    CHECK(enough > 50u && enough < 390u);
}

/* ---- Conversions of one value ------------------------------------------- */

/* Costs between n layouts, as the engine keeps them once they are known. */
enum { LAYOUTS = 12 };

static unsigned long long known[LAYOUTS * LAYOUTS];

static unsigned long long cost_between(unsigned from, unsigned to) {
    return known[from * LAYOUTS + to] - 1u;
}

/* The cheapest way from what is held to all of `need`, trying every order. */
static unsigned long long cheapest(unsigned held, unsigned need) {
    unsigned long long best = need & ~held ? ~0ull : 0u;
    for (unsigned to = 0; to < LAYOUTS; ++to) {
        if (!((need & ~held) >> to & 1u)) {
            continue;
        }
        unsigned long long step = ~0ull;
        for (unsigned from = 0; from < LAYOUTS; ++from) {
            if (held >> from & 1u && cost_between(from, to) < step) {
                step = cost_between(from, to);
            }
        }
        const unsigned long long all = step + cheapest(held | 1u << to, need);
        best = all < best ? all : best;
    }
    return best;
}

static unsigned long long in_order(unsigned held, const unsigned char *order,
                                   unsigned n) {
    unsigned long long sum = 0;
    for (unsigned k = 0; k < n; ++k) {
        unsigned long long step = ~0ull;
        for (unsigned from = 0; from < LAYOUTS; ++from) {
            if (held >> from & 1u && cost_between(from, order[k]) < step) {
                step = cost_between(from, order[k]);
            }
        }
        sum += step;
        held |= 1u << order[k];
    }
    return sum;
}

static void conversions_come_in_the_cheapest_order(void) {
    const ll_engine_costs_ c = {&engine, 0, LAYOUTS, known};
    unsigned orders = 0;
    for (unsigned n = 0; n < 3000u; ++n) {
        for (unsigned k = 0; k < LAYOUTS * LAYOUTS; ++k) {
            known[k] = 1u + (test_random(9) ? 10u + test_random(90) : 0u);
        }
        const unsigned made = 1u << test_random(LAYOUTS) |
                              (n % 3u ? 0u : 1u << test_random(LAYOUTS));
        unsigned need = test_random(1u << LAYOUTS);
        need &= n % 8u ? test_random(1u << LAYOUTS) : ~0u;
        ll_engine_order_ order = LL_ZERO;
        const unsigned long long sum =
            ll_engine_spread_cost_(&c, made, need, &order);
        unsigned lacks = 0;
        unsigned seen = 0;
        int ascends = 1;
        for (unsigned k = 0; k < order.n; ++k) {
            seen |= 1u << order.at[k];
            ascends = ascends && (k == 0 || order.at[k] > order.at[k - 1u]);
        }
        for (unsigned k = 0; k < LAYOUTS; ++k) {
            lacks += (need & ~made) >> k & 1u;
        }
        CHECK(order.n == lacks && seen == (need & ~made));
        CHECK(in_order(made, order.at, order.n) == sum);
        if (lacks <= 6u) {
            CHECK(sum == cheapest(made, need));
            orders += !ascends;
        } else {
            CHECK(ascends);
        }
        /* the nearest of what is held */
        unsigned from = 99;
        const unsigned to = test_random(LAYOUTS);
        const unsigned char one = (unsigned char)to;
        const unsigned long long near = ll_engine_nearest_(&c, made, to, &from);
        CHECK(near == in_order(made, &one, 1) && made >> from & 1u);
        CHECK(cost_between(from, to) == near);
    }
    COVERS(orders > 100u);
    /* what is ruled out stays so, however often it is added */
    for (unsigned k = 0; k < LAYOUTS * LAYOUTS; ++k) {
        known[k] = LL_ENGINE_MANY_ + 1u;
    }
    for (unsigned need = 2; need < 1u << LAYOUTS; need *= 2u) {
        ll_engine_order_ order = LL_ZERO;
        CHECK(ll_engine_spread_cost_(&c, 1, (need - 1u) | need, &order) ==
              LL_ENGINE_MANY_);
    }
}

/* ---- The solver alone --------------------------------------------------- */

/* A model: unknowns with a few labels, and tables of one or two of them. */
enum { VARS = 7, LABELS = 4, FNS = 14 };

typedef struct model {
    unsigned vars, fns;
    unsigned labels[VARS];
    unsigned n[FNS], var[FNS][2];
    unsigned long long table[FNS][LABELS * LABELS];
} model;

static unsigned long long random_cost(unsigned kind) {
    return test_random(12) == 0 ? (kind ? LL_ENGINE_MANY_ : 0u)
                                : test_random(kind == 2u ? 3u : 30u);
}

static model random_model(unsigned kind) {
    model m = LL_ZERO;
    m.vars = 1u + test_random(VARS);
    m.fns = m.vars + test_random(FNS - VARS + 1u);
    for (unsigned x = 0; x < m.vars; ++x) {
        m.labels[x] = 1u + test_random(LABELS);
    }
    for (unsigned f = 0; f < m.fns; ++f) {
        m.n[f] = f < m.vars || m.vars == 1u ? 1u : 2u;
        m.var[f][0] = f < m.vars ? f : test_random(m.vars);
        do {
            m.var[f][1] = test_random(m.vars);
        } while (m.n[f] > 1u && m.var[f][1] == m.var[f][0]);
        for (unsigned t = 0; t < LABELS * LABELS; ++t) {
            m.table[f][t] = random_cost(kind);
        }
    }
    return m;
}

static unsigned long long entry(const model *m, unsigned f,
                                const unsigned *label) {
    const unsigned a = label[m->var[f][0]];
    const unsigned b = m->n[f] > 1u ? label[m->var[f][1]] : 0u;
    return m->table[f][b * m->labels[m->var[f][0]] + a];
}

static unsigned long long cost_of_labels(const model *m,
                                         const unsigned *label) {
    unsigned long long sum = 0;
    for (unsigned f = 0; f < m->fns; ++f) {
        const unsigned long long c = entry(m, f, label);
        sum = c >= LL_ENGINE_MANY_ || sum >= LL_ENGINE_MANY_
                  ? LL_ENGINE_MANY_
                  : sum + c;
    }
    return sum;
}

static unsigned long long least_cost(const model *m) {
    unsigned label[VARS] = LL_ZERO;
    unsigned long long best = LL_ENGINE_MANY_;
    for (unsigned x = 0; x < m->vars;) {
        const unsigned long long c = cost_of_labels(m, label);
        best = c < best ? c : best;
        for (x = 0; x < m->vars && ++label[x] == m->labels[x]; ++x) {
            label[x] = 0;
        }
    }
    return best;
}

static void set_up(const model *m, ll_engine_solution_ *s) {
    const ll_engine_solution_ none = LL_ZERO;
    *s = none;
    for (unsigned x = 0; x < m->vars; ++x) {
        CHECK(ll_engine_var_new_(&engine, s, 0, x) == x);
        for (unsigned k = 0; k < m->labels[x]; ++k) {
            ll_engine_label_(&engine, s, k);
        }
    }
    for (unsigned f = 0; f < m->fns; ++f) {
        CHECK(ll_engine_fn_new_(&engine, s, m->n[f], m->var[f]) == f);
        const unsigned size =
            m->labels[m->var[f][0]] *
            (m->n[f] > 1u ? m->labels[m->var[f][1]] : 1u);
        for (unsigned t = 0; t < size; ++t) {
            CHECK(s->fn[f].table[t] == 0);
            s->fn[f].table[t] = m->table[f][t];
        }
    }
}

/* Whether label a of x costs at least as much as b with all labels of the
 * others that are left, function by function. */
static int is_beaten(const model *m, const unsigned char (*left)[LABELS],
                     unsigned x, unsigned a, unsigned b) {
    long long gain = 0;
    for (unsigned f = 0; f < m->fns; ++f) {
        const int two = m->n[f] > 1u;
        if (m->var[f][0] != x && !(two && m->var[f][1] == x)) {
            continue;
        }
        const unsigned y = m->var[f][m->var[f][0] == x && two];
        long long least = (long long)LL_ENGINE_MANY_;
        for (unsigned k = 0; k < (two ? m->labels[y] : 1u); ++k) {
            unsigned label[VARS] = LL_ZERO;
            label[y] = k;
            label[x] = a;
            const unsigned long long p = entry(m, f, label);
            label[x] = b;
            const unsigned long long q = entry(m, f, label);
            if (two && !left[y][k]) {
                continue;
            }
            if (q >= LL_ENGINE_MANY_ && p < LL_ENGINE_MANY_) {
                return 0;
            }
            if (p < LL_ENGINE_MANY_ && (long long)(p - q) < least) {
                least = (long long)(p - q);
            }
        }
        gain += least;
    }
    return gain >= 0;
}

/* A label is dropped only if another one beats it, and then it is. */
static void beaten_labels_are_dropped(void) {
    unsigned dropped = 0;
    unsigned kept = 0;
    for (unsigned n = 0; n < 3000u; ++n) {
        const model m = random_model(n % 3u);
        unsigned char left[VARS][LABELS];
        ll_engine_solution_ s;
        begin(2);
        set_up(&m, &s);
        memset(left, 1, sizeof left);
        ll_engine_drop_all_(&engine, &s);
        for (unsigned k = 0; k < s.drops; ++k) {
            const ll_engine_drop_ d = s.drop[k];
            CHECK(d.var < m.vars && d.label < m.labels[d.var]);
            CHECK(d.by < m.labels[d.var] && d.by != d.label);
            CHECK(left[d.var][d.label] && left[d.var][d.by]);
            CHECK(is_beaten(&m, (const unsigned char(*)[LABELS])left, d.var,
                            d.label, d.by));
            left[d.var][d.label] = 0;
        }
        dropped += s.drops;
        for (unsigned x = 0; x < m.vars; ++x) {
            unsigned to = 0;
            for (unsigned a = 0; a < m.labels[x]; ++a) {
                if (!left[x][a]) {
                    continue;
                }
                CHECK(s.label[s.var[x].first + to] == a);
                ++to;
                for (unsigned b = 0; b < m.labels[x] && n % 3u; ++b) {
                    kept += b != a && left[x][b] &&
                            is_beaten(&m, (const unsigned char(*)[LABELS])left,
                                      x, a, b);
                }
            }
            CHECK(s.var[x].n == to && to);
        }
        /* the tables are closed up */
        for (unsigned f = 0; f < m.fns; ++f) {
            const unsigned x = m.var[f][0];
            const unsigned y = m.n[f] > 1u ? m.var[f][1] : x;
            unsigned to = 0;
            for (unsigned b = 0; b < (m.n[f] > 1u ? m.labels[y] : 1u); ++b) {
                for (unsigned a = 0; a < m.labels[x]; ++a) {
                    if (left[x][a] && (m.n[f] < 2u || left[y][b])) {
                        CHECK(s.fn[f].table[to] ==
                              m.table[f][b * m.labels[x] + a]);
                        ++to;
                    }
                }
            }
        }
    }
    COVERS(dropped > 3000u);
    CHECK(kept < 10u); /* four rounds are enough nearly everywhere */
}

/* The bound is the least cost, or below it where an elimination was cut; the
 * search finds labels of the least cost. */
static void models_are_solved(void) {
    unsigned cut = 0;
    unsigned none = 0;
    unsigned searched = 0;
    for (unsigned n = 0; n < 4000u; ++n) {
        const model m = random_model(n % 3u);
        const unsigned long long least = least_cost(&m);
        unsigned label[VARS] = LL_ZERO;
        ll_engine_solution_ s;
        ll_engine_solution_ r;
        begin(2);
        engine.table = n % 2u ? 1u << 20 : 4u + n % 32u;
        engine.nodes = 1000000;
        set_up(&m, &s);
        set_up(&m, &r);
        if (n % 4u < 2u) {
            ll_engine_drop_all_(&engine, &s);
            ll_engine_drop_all_(&engine, &r);
        }
        ll_engine_eliminate_all_(&engine, &s);
        CHECK(!engine.err && s.orders == m.vars && s.bound <= least);
        CHECK(s.cut || s.bound == least);
        CHECK((!s.cut || n % 2u == 0) && s.cut <= m.vars);
        CHECK(s.first_message == m.fns);
        cut += s.cut;
        ll_engine_search_(&engine, &s);
        CHECK(s.cost == least);
        none += least >= LL_ENGINE_MANY_;
        if (least >= LL_ENGINE_MANY_) {
            continue;
        }
        CHECK(s.optimal);
        CHECK(s.cut || s.visited == m.vars);
        searched += s.visited > m.vars;
        for (unsigned x = 0; x < m.vars; ++x) {
            CHECK(s.var[x].label < s.var[x].n);
            label[x] = s.label[s.var[x].first + s.var[x].label];
        }
        CHECK(cost_of_labels(&m, label) == least);
        CHECK(ll_engine_check_bound_(&engine, &s, &r) == LL_ENGINE_PROVEN);
        /* a search to the end visits fewer nodes than are allowed */
        const unsigned long long all = s.visited;
        for (unsigned more = 0; more < 2u && s.cost > s.bound; ++more) {
            s.visited = 0;
            s.optimal = 0;
            engine.nodes = all + more;
            ll_engine_search_(&engine, &s);
            CHECK(s.optimal == (more != 0) && s.cost == least);
            CHECK(s.visited == all);
        }
        /* with few nodes some labels are found, and called the best only if
           they are */
        s.visited = 0;
        s.optimal = 0;
        engine.nodes = 1 + n % 12u;
        ll_engine_search_(&engine, &s);
        for (unsigned x = 0; x < m.vars; ++x) {
            label[x] = s.label[s.var[x].first + s.var[x].label];
        }
        CHECK(cost_of_labels(&m, label) == s.cost && s.cost >= least);
        CHECK(!s.optimal || s.cost == least);
        CHECK(s.cost > s.bound || s.optimal);
    }
    COVERS(cut > 150u && none > 150u && searched > 50u);
}

/* A search that has labels ends when the allowed nodes are visited, but for the
 * way back, which visits each unknown above once more. */
static void searches_end_in_time(void) {
    unsigned ended = 0;
    for (unsigned n = 0; n < times(3000); ++n) {
        const model m = random_model(n % 2u * 2u);
        ll_engine_solution_ s;
        begin(2);
        engine.table = 2u + n % 4u;
        engine.nodes = 1000000;
        set_up(&m, &s);
        ll_engine_eliminate_all_(&engine, &s);
        ll_engine_search_(&engine, &s);
        if (s.cost >= LL_ENGINE_MANY_ || s.visited == m.vars) {
            continue;
        }
        const unsigned long long all = s.visited;
        s.visited = 0;
        engine.nodes = 1;
        ll_engine_search_(&engine, &s);
        const unsigned long long first = s.visited; /* and all the way back */
        for (unsigned nodes = 2; nodes < 60u && nodes < all; ++nodes) {
            const unsigned long long most = nodes + m.vars - 1u;
            s.visited = 0;
            engine.nodes = nodes;
            ll_engine_search_(&engine, &s);
            CHECK(s.visited <= (most < first ? first : most));
            CHECK(s.visited >= nodes || s.cost == s.bound);
            ended += s.visited == most && most > first;
        }
    }
    COVERS(ended > 20u);
}

/* A table has the least sum over the first unknown, for each label of the
 * others; no term behind the last is read, no entry behind the last written. */
static void tables_have_the_least_sums(void) {
    enum { TERMS = 4, OVER = 3, MOST = 3 };
    for (unsigned n = 0; n < times(400); ++n) {
        ll_engine_var_ var[OVER] = LL_ZERO;
        ll_engine_solution_ s = LL_ZERO;
        ll_engine_scope_ u = LL_ZERO;
        ll_engine_term_ term[TERMS + 1] = LL_ZERO;
        unsigned long long table[TERMS + 1][MOST * MOST * MOST];
        unsigned long long to[MOST * MOST + 1];
        const unsigned terms = 1u + n % TERMS;
        s.var = var;
        u.n = 1u + test_random(OVER);
        u.size = 1;
        for (unsigned d = 0; d < u.n; ++d) {
            u.var[d] = u.n - 1u - d;
            var[u.var[d]].n = 1u + test_random(MOST);
            u.size *= var[u.var[d]].n;
        }
        for (unsigned k = 0; k <= terms; ++k) {
            unsigned step = 1;
            for (unsigned d = 0; d < u.n; ++d) {
                const unsigned has = k == terms || test_random(3) != 0;
                term[k].step[d] = has ? step : 0u;
                step *= has ? var[u.var[d]].n : 1u;
            }
            term[k].table = table[k];
            for (unsigned j = 0; j < MOST * MOST * MOST; ++j) {
                table[k][j] = k == terms ? 1000u : 1u + test_random(50);
            }
        }
        const unsigned size = var[u.var[0]].n;
        const unsigned rows = (unsigned)u.size / size;
        to[rows] = 77;
        ll_engine_minimise_(&s, &u, term, terms, to);
        CHECK(to[rows] == 77u);
        for (unsigned row = 0; row < rows; ++row) {
            unsigned long long least = ~0ull;
            for (unsigned a = 0; a < size; ++a) {
                unsigned long long sum = 0;
                for (unsigned k = 0; k < terms; ++k) {
                    unsigned long long at = a * term[k].step[0];
                    unsigned left = row;
                    for (unsigned d = 1; d < u.n; ++d) {
                        at += left % var[u.var[d]].n * term[k].step[d];
                        left /= var[u.var[d]].n;
                    }
                    sum += table[k][at];
                }
                least = sum < least ? sum : least;
            }
            CHECK(to[row] == least);
        }
    }
}

/* A proof of a model does not survive the change of any number of it. */
static void changed_proofs_are_refused(void) {
    for (unsigned n = 0; n < 300u; ++n) {
        const model m = random_model(0);
        ll_engine_solution_ s;
        ll_engine_solution_ r;
        begin(2);
        engine.table = n % 2u ? 1u << 20 : 8u;
        engine.nodes = 1000000;
        set_up(&m, &s);
        set_up(&m, &r);
        ll_engine_eliminate_all_(&engine, &s);
        ll_engine_search_(&engine, &s);
        const unsigned long long used = engine.used;
#define REFUSES(what, by)                                                   \
    do {                                                                    \
        const unsigned long long was_ = (unsigned long long)(what);         \
        (what) = by;                                                        \
        CHECK(ll_engine_check_bound_(&engine, &s, &r) !=                    \
              LL_ENGINE_PROVEN);                                            \
        engine.used = used;                                                 \
        memcpy(&(what), &was_, sizeof(what));                               \
    } while (0)
        for (unsigned f = 0; f < s.fns; ++f) {
            ll_engine_fn_ *g = &s.fn[f];
            unsigned long long size = 1;
            for (unsigned k = 0; k < g->n; ++k) {
                size *= s.var[s.scope[g->at + k]].n;
            }
            for (unsigned long long t = 0; t < size; ++t) {
                REFUSES(g->table[t], g->table[t] + 1u);
            }
            if (g->n) {
                REFUSES(g->bucket, s.vars);
                REFUSES(g->bucket, LL_ENGINE_NONE);
            }
            if (f < s.first_message) {
                REFUSES(g->n, 0u);
                REFUSES(s.scope[g->at], s.vars);
                if (g->n > 1u) {
                    REFUSES(g->n, 1u);
                    REFUSES(s.scope[g->at], s.scope[g->at + 1u]);
                }
            } else {
                REFUSES(g->from, s.vars);
                REFUSES(g->from, LL_ENGINE_NONE);
            }
        }
        for (unsigned k = 0; k < s.vars; ++k) {
            REFUSES(s.order[k], s.vars);
            REFUSES(s.order[k], s.order[k ? 0 : s.vars - 1u] +
                                    (s.vars == 1u));
        }
        REFUSES(s.orders, s.orders - 1u);
        REFUSES(s.bound, s.bound + 1u);
        if (s.bound) {
            REFUSES(s.bound, s.bound - 1u);
            REFUSES(s.cost, s.bound - 1u);
        }
        CHECK(ll_engine_check_bound_(&engine, &s, &r) == LL_ENGINE_PROVEN);
#undef REFUSES
    }
}

/* Unknowns in a tree are eliminated from the leaves on: no table is larger
 * than those that were there. */
static void trees_need_no_larger_tables(void) {
    for (unsigned n = 0; n < 200u; ++n) {
        ll_engine_solution_ s = LL_ZERO;
        begin(2);
        engine.table = 1u << 20;
        engine.nodes = 1000;
        const unsigned vars = 2u + test_random(60);
        for (unsigned x = 0; x < vars; ++x) {
            ll_engine_var_new_(&engine, &s, 0, x);
            for (unsigned k = 0; k < 5u; ++k) {
                ll_engine_label_(&engine, &s, k);
            }
        }
        for (unsigned x = 1; x < vars; ++x) {
            const unsigned both[2] = {n % 2u ? test_random(x) : x - 1u, x};
            const unsigned f = ll_engine_fn_new_(&engine, &s, 2, both);
            for (unsigned t = 0; t < 25u; ++t) {
                s.fn[f].table[t] = test_random(50);
            }
        }
        ll_engine_eliminate_all_(&engine, &s);
        CHECK(s.widest == 25u && !s.cut);
        ll_engine_search_(&engine, &s);
        CHECK(s.cost == s.bound && s.optimal && s.visited == vars);
    }
}

/* ---- Accesses ----------------------------------------------------------- */

/* The address of an element: contiguous runs stand anywhere, far from each
 * other, and neighbours of which `same` is said have one address. */
static unsigned long long address(const ll_engine_op *o,
                                  const ll_engine_value *v, unsigned index) {
    unsigned long long at = 0;
    unsigned long long stride = v->element_bits / 8u; /* of this axis */
    int near = 1; /* all faster axes lie there without gaps */
    for (unsigned k = v->rank; k-- > 0;) {
        unsigned x = index % (1u << v->size[k]);
        index >>= v->size[k];
        x >>= o->same[k] < v->size[k] ? o->same[k] : v->size[k];
        const unsigned run = near && !o->same[k] ? 1u << o->contiguous[k] : 1u;
        at += x % run * stride;
        at += (unsigned long long)(x / run) << (20u + 10u * k);
        stride <<= v->size[k];
        near = near && run >= 1u << v->size[k] && !o->same[k];
    }
    return at;
}

/* The different units of so many bytes that the first instruction of warp 0
 * touches. */
static unsigned units(const ll_engine_op *o, const ll_engine_value *v,
                      const ll_engine_flat *f, const unsigned *moved,
                      unsigned n, unsigned bytes) {
    static unsigned long long seen[4096];
    unsigned count = 0;
    for (unsigned x = 0; x < 32u << n; ++x) {
        unsigned index = 0;
        for (unsigned k = 0; k < 5u; ++k) {
            index ^= x >> k & 1u ? f->basis[f->n[0] + k] : 0u;
        }
        for (unsigned k = 0; k < n; ++k) {
            index ^= x >> (5u + k) & 1u ? moved[k] : 0u;
        }
        const unsigned long long unit = address(o, v, index) / bytes;
        unsigned at = 0;
        while (at < count && seen[at] != unit) {
            ++at;
        }
        seen[count] = unit;
        count += at == count;
    }
    return count;
}

/* How many elements an instruction moves, as columns: neighbours of the axis
 * with the longest runs that are a lane's alone, at most 16 bytes, aligned. */
static unsigned widest_of(const ll_engine_op *o, const ll_engine_value *v,
                          const ll_engine_flat *f, unsigned *moved) {
    unsigned axis = 0;
    unsigned low = 0;
    unsigned n = 0;
    for (unsigned k = 0; k < v->rank; ++k) {
        axis = o->contiguous[k] > o->contiguous[axis] ? k : axis;
    }
    for (unsigned k = v->rank; k-- > axis + 1u;) {
        low += v->size[k];
    }
    for (; n < v->size[axis] && n < o->contiguous[axis]; ++n) {
        const unsigned bytes = (2u << n) * v->element_bits / 8u;
        unsigned touch = 0;
        int has = 0;
        for (unsigned k = 0; k < f->n[0] + 6u; ++k) {
            touch += f->basis[k] >> (low + n) & 1u;
            has = has || (k < f->n[0] && f->basis[k] == 1u << (low + n));
        }
        if (!has || touch != 1u || bytes > 16u ||
            (o->align && bytes > o->align)) {
            break;
        }
        moved[n] = 1u << (low + n);
    }
    return n;
}

static unsigned long long access_cost(const ll_engine_op *o,
                                      const ll_engine_value *v,
                                      const ll_engine_flat *f) {
    unsigned moved[8] = LL_ZERO;
    const unsigned one = widest_of(o, v, f, moved);
    const unsigned bytes = (32u << one) * v->element_bits / 8u;
    const unsigned long long each =
        16u + (bytes + 127u) / 128u * LL_SM80.cost[LL_COST_MEMORY] +
        8u * units(o, v, f, moved, one, 32) +
        4u * units(o, v, f, moved, one, 64);
    return (1u << f->n[0] >> one) * each;
}

static void accesses_cost_their_addresses(void) {
    unsigned wide = 0;
    for (unsigned n = 0; n < 4000u; ++n) {
        sizes a = LL_ZERO;
        ll_engine_spec s = LL_ZERO;
        begin(2);
        a.rank = 1u + test_random(3);
        for (unsigned k = 0; k < a.rank; ++k) {
            a.at[k] = 1u + test_random(a.rank == 1u ? 10u : 5u);
            s.size[k] = (unsigned char)a.at[k];
        }
        s.kind = n % 3u ? LL_ENGINE_LOAD : LL_ENGINE_STORE;
        s.rank = a.rank;
        s.element_bits = 8u << test_random(5);
        s.align = test_random(2) ? 16u * test_random(2)
                                 : 1u << test_random(6);
        s.cost = test_random(3) * 8u;
        const unsigned last = a.rank - 1u;
        s.contiguous[last] = (unsigned char)test_random(a.at[last] + 2u);
        if (last && s.contiguous[last] >= a.at[last] && test_random(2)) {
            s.contiguous[last - 1u] =
                (unsigned char)test_random(a.at[last - 1u] + 1u);
        }
        if (test_random(4) == 0) {
            const unsigned k = test_random(a.rank);
            s.same[k] = (unsigned char)test_random(a.at[k] + 2u);
            for (unsigned j = 0; j <= k; ++j) {
                s.contiguous[j] = 0;
            }
        }
        unsigned in[2] = {0, 0};
        if (s.kind == LL_ENGINE_STORE) {
            in[1] = source(&a, s.element_bits);
            in[0] = n % 2u ? in[1] : source(&a, 128u);
            s.n_in = n % 2u ? 1u : 2u;
            s.in = in;
        } else if (n % 2u) { /* with a pointer */
            in[0] = source(&a, 128);
            s.n_in = 1;
            s.in = in;
        }
        const unsigned op = ll_engine_add(&engine, s);
        const unsigned v = s.kind == LL_ENGINE_LOAD
                               ? ll_engine_result(&engine, op, 0)
                               : in[1];
        const ll_engine_value *x = &engine.value[v];
        ll_engine_flat f = LL_ZERO;
        const unsigned bits = total(&a);
        f.n[0] = (unsigned char)(bits > 6u ? bits - 6u : 0u);
        f.n[1] = 5;
        f.n[2] = 1;
        for (unsigned k = 0; k < bits; ++k) {
            const unsigned at = test_random(k + 1u);
            f.basis[k] = f.basis[at];
            f.basis[at] = 1u << k;
        }
        if (test_random(3)) { /* with neighbours in registers */
            for (unsigned k = 0; k < f.n[0]; ++k) {
                for (unsigned j = 0; j < bits; ++j) {
                    if (f.basis[j] == 1u << k) {
                        f.basis[j] = f.basis[k];
                        f.basis[k] = 1u << k;
                    }
                }
            }
        }
        if (test_random(4) == 0 && bits > 1u) {
            f.basis[bits - 1u] ^= f.basis[test_random(bits - 1u)];
        }
        const unsigned id = ll_engine_flat_id(&engine, v, f);
        CHECK(!engine.err);
        const ll_engine_flat *g = &engine.flat[id];
        unsigned moved[8] = LL_ZERO;
        const unsigned long long all = access_cost(&engine.op[op], x, g);
        wide += widest_of(&engine.op[op], x, g, moved) > 1u;
        CHECK(ll_engine_access(&engine, op, v, id) == all);
        const unsigned tuple[3] = {id, id, id};
        const unsigned words = x->element_bits > 32u ? x->element_bits / 32u
                                                     : 1u;
        const unsigned long long arithmetic =
            (1ull << g->n[0]) * s.cost * words * LL_SM80.cost[LL_COST_LOGIC] /
            8u;
        CHECK(ll_engine_price(&engine, op, tuple) == all + arithmetic);
    }
    COVERS(wide > 60u);
}

/* The row-major layout along an axis: the lanes stand side by side, each with
 * 2^wide neighbours, and what is left over are more registers. */
static void rows_are_counted_out(void) {
    for (unsigned n = 0; n < 1200u; ++n) {
        sizes a = LL_ZERO;
        const unsigned blocks = n % 3u ? 0u : 1u; /* log2 */
        ll_engine_begin(&engine, memory, MEMORY, LL_SM90, n % 2u ? 2 : 4,
                        1u << blocks);
        const unsigned threads = (n % 2u ? 6u : 7u) + blocks;
        a.rank = test_random(5);
        for (unsigned k = 0; k < a.rank; ++k) {
            a.at[k] = test_random(5);
        }
        const unsigned v = source(&a, 32);
        const unsigned axis = a.rank ? test_random(a.rank) : 0u;
        const unsigned asked = test_random(6);
        const ll_engine_flat f =
            ll_engine_rows_(&engine, &engine.value[v], axis, asked);
        const unsigned bits = total(&a);
        const unsigned wide = asked < bits ? asked : bits;
        CHECK(f.n[0] ==
              (bits > threads + wide ? bits - threads : wide));
        CHECK(f.n[1] == 5u && f.n[2] == threads - 5u - blocks);
        CHECK(f.n[3] == blocks);
        for (unsigned x = 0; x < 1u << (f.n[0] + threads); ++x) {
            const unsigned r = x % (1u << f.n[0]);
            const unsigned t = x >> f.n[0];
            /* the number of the element where the axis runs fastest */
            unsigned at = r % (1u << wide) | t << wide |
                          r >> wide << (wide + threads);
            unsigned where[5] = LL_ZERO;
            at %= 1u << bits;
            if (a.rank) {
                where[axis] = at % (1u << a.at[axis]);
                at >>= a.at[axis];
            }
            for (unsigned k = a.rank; k-- > 0;) {
                if (k != axis) {
                    where[k] = at % (1u << a.at[k]);
                    at >>= a.at[k];
                }
            }
            unsigned index = 0;
            for (unsigned k = 0; k < a.rank; ++k) {
                index = index << a.at[k] | where[k];
            }
            unsigned y = 0;
            for (unsigned k = 0; k < f.n[0] + threads; ++k) {
                y ^= x >> k & 1u ? f.basis[k] : 0u;
            }
            CHECK(y == index);
        }
    }
}

/* ---- Prices ------------------------------------------------------------- */

static unsigned long long cost_of(const char *text, unsigned warps) {
    CHECK(solved(text, warps));
    CHECK(ll_engine_optimal(&engine));
    CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
    return ll_engine_cost(&engine);
}

#define ROW "register: j0 j1 i3 i4 | lane: j2 j3 j4 i0 i1 | warp: i2"
#define COLUMN "register: i0 i1 i2 j3 | lane: j0 j1 j2 i3 i4 | warp: j4"
#define BOTH(l) " in0=\"" l "\" out0=\"" l "\"\n"
#define START(l) "x = source 32x32:32 out0=\"" l "\"\n"

/* Arithmetic, reductions, scans and gathers cost what their plans cost, times
 * the trips of the loops around them. */
static void operations_cost_what_their_plans_cost(void) {
    const ll_layout row = ll_parse(ROW);
    const unsigned logic = LL_SM80.cost[LL_COST_LOGIC];
    const unsigned long long sum =
        8ull * ll_reduce_of(row, LL_J, 32, LL_SM80).cycles;
    const unsigned long long scan =
        8ull * ll_scan_of(row, LL_I, 32, LL_SM80).cycles;
    const unsigned long long half =
        8ull * ll_reduce_of(row, LL_I, 16, LL_SM80).cycles;
    const unsigned long long gather =
        8ull * ll_gather_of(row, row, LL_J, 32, LL_SM80).cycles;
    CHECK(cost_of(START(ROW), 2) == 0);
    CHECK(cost_of(START(ROW) "y = map x cost=3" BOTH(ROW), 2) ==
          16u * 3u * logic);
    CHECK(cost_of("x = source 32x32:64 out0=\"" ROW "\"\ny = map x cost=3"
                  BOTH(ROW), 2) == 2u * 16u * 3u * logic);
    CHECK(cost_of("x = source 32x32:33 out0=\"" ROW "\"\ny = map x"
                  BOTH(ROW), 2) == 2u * 16u * logic);
    CHECK(cost_of("x = source 32x32:96 out0=\"" ROW "\"\ny = map x"
                  BOTH(ROW), 2) == 3u * 16u * logic);
    CHECK(cost_of(START(ROW) "y = trans x order=1x0 cost=2 in0=\"" ROW "\"\n",
                  2) == 16u * 2u * logic);
    CHECK(cost_of(START(ROW) "y = reduce x axis=1\n", 2) == sum);
    CHECK(cost_of("x = source 32x32:16 out0=\"" ROW "\"\n"
                  "y = reduce x axis=0\n", 2) == half);
    CHECK(cost_of(START(ROW) "y, z = reduce x x axis=1\n", 2) == 2u * sum);
    CHECK(cost_of(START(ROW) "w = source 32x32:16 out0=\"" ROW "\"\n"
                  "y, z = reduce x w axis=0\n", 2) ==
          half + 8ull * ll_reduce_of(row, LL_I, 32, LL_SM80).cycles);
    CHECK(cost_of(START(ROW) "w = source 32x32:16 out0=\"" ROW "\"\n"
                  "y, z = scan w x axis=0\n", 2) ==
          scan + 8ull * ll_scan_of(row, LL_I, 16, LL_SM80).cycles);
    CHECK(cost_of(START(ROW) "y = scan x axis=0\n", 2) == scan);
    CHECK(cost_of(START(ROW) "loop 3\ny = scan x axis=0\nyield\n", 2) ==
          3u * scan);
    CHECK(cost_of(START(ROW) "y = gather x x axis=1" BOTH(ROW), 2) == gather);
    CHECK(cost_of(START(ROW) "loop 2\nloop 5\ny = map x\nyield\nyield\n", 2) ==
          10u * 16u * logic);
    /* elements of other sizes are planned as the next larger ones */
    CHECK(cost_of("x = source 32x32:12 out0=\"" ROW "\"\n"
                  "y = reduce x axis=0\n", 2) == half);
}

static unsigned long long plan_cost(const char *from, const char *to,
                                    unsigned bits) {
    return 8ull * ll_plan_of(ll_parse(from), ll_parse(to), bits, LL_SM80)
                      .cycles;
}

/* A conversion costs what its plan costs, as often as the value is made. */
static void conversions_cost_what_their_plans_cost(void) {
    const unsigned long long one = plan_cost(ROW, COLUMN, 32);
    const unsigned long long half = plan_cost(ROW, COLUMN, 16);
    CHECK(one && half);
    CHECK(cost_of(START(ROW) "sink x in0=\"" COLUMN "\"\n", 2) == one);
    CHECK(ll_engine_moves(&engine) == 1u);
    const ll_engine_move m = ll_engine_move_at(&engine, 0);
    CHECK(m.value == 0 && m.cost == one && m.weight == 1u);
    CHECK(m.kind == ll_plan_of(ll_parse(ROW), ll_parse(COLUMN), 32, LL_SM80)
                        .kind);
    CHECK(ll_is_equal(ll_engine_layout(&engine, 0, m.from), ll_parse(ROW)));
    CHECK(ll_is_equal(ll_engine_layout(&engine, 0, m.to), ll_parse(COLUMN)));
    CHECK(ll_engine_move_at(&engine, 1).cost == 0);
    CHECK(cost_of("x = source 32x32:12 out0=\"" ROW "\"\n"
                  "sink x in0=\"" COLUMN "\"\n", 2) == half);
    CHECK(cost_of("loop 7\n" START(ROW) "sink x in0=\"" COLUMN "\"\nyield\n",
                  2) == 7u * one);
    CHECK(ll_engine_move_at(&engine, 0).weight == 7u);
    /* one conversion serves two users, in a loop as well */
    CHECK(cost_of(START(ROW) "loop 7\nsink x in0=\"" COLUMN "\"\nsink x in0=\""
                  COLUMN "\"\nyield\n", 2) == one);
    CHECK(ll_engine_moves(&engine) == 1u);
    /* the engine says what the planner says, whatever was asked before */
    CHECK(solved(START(ROW) "y = source 32x32:16 out0=\"" ROW "\"\n"
                 "sink x in0=\"" COLUMN "\"\nsink y in0=\"" COLUMN "\"\n"
                 "sink x in0=\"" COLUMN "\"\n", 2));
    CHECK(ll_engine_cost(&engine) == one + half);
}

/* What is light, arithmetic on constants, may be executed in up to three
 * layouts, other operations in two, stores and products in one. */
#define TILE_I "register: i0 i1 i2 i3 | lane: i4 j0 j1 j2 j3 | warp: j4"
static void light_operations_are_executed_again(void) {
    static const char graph[] =
        "c = constant 32x32:32\ny = map c cost=%u\n"
        "sink y in0=\"" ROW "\"\nsink y in0=\"" COLUMN "\"\n"
        "sink y in0=\"" TILE_I "\"\n";
    const unsigned long long each = 16u * LL_SM80.cost[LL_COST_LOGIC];
    unsigned long long way[3];
    char text[2000];
    way[0] = plan_cost(ROW, COLUMN, 32);
    way[1] = plan_cost(COLUMN, TILE_I, 32);
    way[2] = plan_cost(ROW, TILE_I, 32);
    unsigned long long least = way[0];
    for (unsigned k = 0; k < 3u; ++k) {
        const unsigned long long back =
            k == 0   ? plan_cost(COLUMN, ROW, 32)
            : k == 1 ? plan_cost(TILE_I, COLUMN, 32)
                     : plan_cost(TILE_I, ROW, 32);
        least = way[k] < least ? way[k] : least;
        least = back < least ? back : least;
    }
    CHECK(least > each + 2u);
    for (unsigned sets = 1; sets <= 4u; ++sets) {
        begin(2);
        engine.sets = sets % 4u;
        snprintf(text, sizeof text, graph, 1u);
        CHECK(ll_engine_parse(&engine, text) && ll_engine_solve(&engine));
        CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
        const unsigned runs = sets < 3u ? sets : 3u;
        CHECK(ll_engine_moves(&engine) == 3u - runs);
        CHECK(ll_engine_held(&engine, 1, runs - 1u) != LL_ENGINE_NONE);
        CHECK(ll_engine_held(&engine, 1, runs) == LL_ENGINE_NONE);
        unsigned tuple[2];
        CHECK(ll_engine_executed(&engine, 1, runs - 1u, tuple));
        CHECK(!ll_engine_executed(&engine, 1, runs, tuple));
        if (runs > 1u) {
            CHECK(ll_engine_cost(&engine) ==
                  runs * each + (runs - 1u) + (3u - runs) * least);
        }
        unsigned seen = 0; /* the three are different, and those asked for */
        for (unsigned k = 0; k < runs; ++k) {
            CHECK(ll_engine_executed(&engine, 1, k, tuple));
            CHECK(tuple[0] == tuple[1]);
            CHECK(tuple[1] == ll_engine_held(&engine, 1, k));
            for (unsigned p = 2; p < 5u; ++p) {
                seen |= (unsigned)(engine.fixed[engine.op[p].at] == tuple[1])
                        << p;
            }
        }
        CHECK(ll_count_(seen) == runs);
    }
    /* what takes two instructions is not light: it is executed twice */
    snprintf(text, sizeof text, graph, 2u);
    CHECK(solved(text, 2) && ll_engine_moves(&engine) == 1u);
    CHECK(ll_engine_cost(&engine) == 4u * each + 1u + least);
    /* with ten layouts to choose from not even what is light */
    snprintf(text, sizeof text, graph, 1u);
    for (unsigned k = 0; k < 7u; ++k) {
        const char *bit[9] = {"j0", "j1", "i3", "i4", "j2",
                              "j3", "j4", "i0", "i1"};
        const char *const first = bit[0];
        bit[0] = bit[k + 2u];
        bit[k + 2u] = first;
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "sink y in0=\"register: %s %s %s %s | lane: %s %s %s %s %s | "
                 "warp: i2\"\n", bit[0], bit[1], bit[2], bit[3], bit[4],
                 bit[5], bit[6], bit[7], bit[8]);
        if (k == 5u) {
            CHECK(solved(text, 2) && engine.op[1].n == 9u);
            CHECK(ll_engine_held(&engine, 1, 2) != LL_ENGINE_NONE);
        }
    }
    CHECK(solved(text, 2) && engine.op[1].n == 10u);
    CHECK(ll_engine_held(&engine, 1, 1) != LL_ENGINE_NONE);
    CHECK(ll_engine_held(&engine, 1, 2) == LL_ENGINE_NONE);
}

/* ---- What is unknown ---------------------------------------------------- */

/* A random graph of values of 16 x 8 elements and their transposes: loads,
 * constants, arithmetic, stores, and a loop now and then. */
static char graph_text[6000];
static unsigned n_names;
static unsigned turned_over[40]; /* 1: the value has 8 x 16 elements */

static void add_text(const char *text) {
    const size_t n = strlen(graph_text);
    snprintf(graph_text + n, sizeof graph_text - n, "%s", text);
}

static void add_layout(const char *key, unsigned over) {
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

static unsigned any_value(unsigned over) {
    unsigned v = test_random(n_names);
    for (unsigned k = 0; k < n_names && turned_over[v] != over; ++k) {
        v = (v + 1u) % n_names;
    }
    return v;
}

static void random_text(unsigned lines, unsigned fixes) {
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

/* The layouts of an instance's slot, as a mask of candidates. */
static unsigned candidate_in(unsigned p, unsigned t, unsigned slot) {
    const ll_engine_op *o = &engine.op[p];
    const unsigned c =
        engine.instance[o->first + t * (o->n_in + o->n_out) + slot];
    return c == LL_ENGINE_NONE ? 0u : 1u << c;
}

/* What a set of instances needs of value v (made: in what it makes v). */
static unsigned layouts_in(unsigned p, unsigned set, unsigned v, int made) {
    const ll_engine_op *o = &engine.op[p];
    unsigned mask = 0;
    for (unsigned t = 0; t < o->n; ++t) {
        for (unsigned k = made ? o->n_in : 0u;
             set >> t & 1u && k < (made ? o->n_in + o->n_out : o->n_in); ++k) {
            mask |= engine.operand[o->at + k] == v ? candidate_in(p, t, k) : 0u;
        }
    }
    return mask;
}

/* The sets of instances in which an operation may be executed. */
static unsigned sets_of(unsigned p, unsigned *set) {
    const ll_engine_op *o = &engine.op[p];
    const unsigned most = o->alone || engine.sets == 1u ? 1u
                          : o->is_light && o->n < 10u   ? engine.sets
                                                        : 2u;
    unsigned n = 0;
    for (unsigned s = 1; s < 1u << o->n; ++s) {
        if (ll_count_(s) <= most) {
            set[n] = s;
            ++n;
        }
    }
    return n;
}

static unsigned set_of_label(unsigned label) {
    unsigned set = 1u << (label & 1023u);
    set |= label >> 10 & 1023u ? 1u << ((label >> 10 & 1023u) - 1u) : 0u;
    return set | (label >> 20 ? 1u << ((label >> 20) - 1u) : 0u);
}

/* Whether an unknown has these labels, each once, in any order. */
static int has_labels(const ll_engine_solution_ *s, unsigned x, int ops,
                      const unsigned *want, unsigned n) {
    const ll_engine_var_ *y = &s->var[x];
    int all = y->n == n;
    for (unsigned k = 0; k < n && all; ++k) {
        unsigned found = 0;
        for (unsigned j = 0; j < n; ++j) {
            const unsigned l = s->label[y->first + j];
            found += (ops ? set_of_label(l) : l) == want[k];
        }
        all = found == 1u;
    }
    return all;
}

static unsigned long long move_cost(unsigned v, unsigned made, unsigned need) {
    const ll_engine_value *x = &engine.value[v];
    for (unsigned a = 0; a < x->n; ++a) {
        for (unsigned b = 0; b < x->n; ++b) {
            const ll_engine_pair_ *p = ll_engine_convert_(
                &engine, engine.candidate[x->first + a],
                engine.candidate[x->first + b], x->bits, x->element_bits);
            known[a * LAYOUTS + b] = p->cost * x->weight + 1u;
        }
    }
    return cheapest(made, need);
}

/* The operations that use a value, each once. */
static unsigned users_of(unsigned v, unsigned *user) {
    unsigned n = 0;
    for (unsigned p = 0; p < engine.ops; ++p) {
        const ll_engine_op *o = &engine.op[p];
        int uses = 0;
        for (unsigned k = 0; k < o->n_in; ++k) {
            uses = uses || engine.operand[o->at + k] == v;
        }
        if (uses && o->n) {
            user[n] = p;
            ++n;
        }
    }
    return n;
}

static unsigned sets[4096];

/* The sets of layouts of a value with several users. */
static void check_value(const ll_engine_solution_ *s, unsigned v,
                        const unsigned *user, unsigned users) {
    unsigned label[4096];
    unsigned n = 0;
    unsigned want = 0;
    unsigned must = 0;
    for (unsigned k = 0; k < users; ++k) {
        unsigned each = ~0u;
        for (unsigned t = 0; t < engine.op[user[k]].n; ++t) {
            const unsigned m = layouts_in(user[k], 1u << t, v, 0);
            want |= m;
            each &= m;
        }
        must |= each;
    }
    const unsigned wants = ll_count_(want);
    unsigned most = wants <= 6u ? wants : wants <= 9u ? 3u : 2u;
    most = most < ll_count_(must) ? ll_count_(must) : most;
    for (unsigned m = 1; m < 1u << LAYOUTS; ++m) {
        if ((m & ~want) == 0 && (must & ~m) == 0 && ll_count_(m) <= most) {
            label[n] = m;
            ++n;
        }
    }
    const unsigned x = s->value_var[v];
    CHECK(s->var[x].is_value == 1u && s->var[x].of == v);
    const unsigned first = s->label[s->var[x].first];
    if (ll_count_(first) > most) { /* one that serves all */
        CHECK((must & ~first) == 0 && (first & ~want) == 0);
        for (unsigned k = 0; k < users; ++k) {
            int served = 0;
            for (unsigned t = 0; t < engine.op[user[k]].n; ++t) {
                served = served ||
                         !(layouts_in(user[k], 1u << t, v, 0) & ~first);
            }
            CHECK(served);
        }
        label[n] = first;
        ++n;
    } else { /* there is one among the others */
        int some = 0;
        for (unsigned j = 0; j < n && !some; ++j) {
            some = 1;
            for (unsigned k = 0; k < users && some; ++k) {
                int served = 0;
                for (unsigned t = 0; t < engine.op[user[k]].n; ++t) {
                    served = served ||
                             !(layouts_in(user[k], 1u << t, v, 0) & ~label[j]);
                }
                some = served;
            }
        }
        CHECK(some);
    }
    CHECK(has_labels(s, x, 0, label, n));
}

/* The table of conversions between what makes v and the unknown y. */
static void check_moves(const ll_engine_solution_ *s, unsigned f, unsigned v,
                        unsigned y) {
    const unsigned def = engine.value[v].def;
    const unsigned x = s->op_var[def];
    const ll_engine_fn_ *g = &s->fn[f];
    CHECK(g->n == (x == y ? 1u : 2u) && s->scope[g->at] == x);
    CHECK(x == y || s->scope[g->at + 1u] == y);
    for (unsigned b = 0; b < s->var[y].n; ++b) {
        const unsigned want = s->label[s->var[y].first + b];
        const unsigned need =
            s->var[y].is_value
                ? want
                : layouts_in(s->var[y].of, set_of_label(want), v, 0);
        for (unsigned a = 0; a < s->var[x].n; ++a) {
            const unsigned set = set_of_label(s->label[s->var[x].first + a]);
            const unsigned made = layouts_in(def, set, v, 1);
            if (x != y) {
                CHECK(g->table[b * s->var[x].n + a] ==
                      move_cost(v, made, need));
            } else if (a == b) {
                CHECK(g->table[a] == move_cost(v, made, need));
            }
        }
    }
}

static void check_own(const ll_engine_solution_ *s, unsigned f, unsigned p) {
    const ll_engine_op *o = &engine.op[p];
    const unsigned x = s->op_var[p];
    CHECK(s->fn[f].n == 1u && s->scope[s->fn[f].at] == x);
    for (unsigned k = 0; k < s->var[x].n; ++k) {
        const unsigned set = set_of_label(s->label[s->var[x].first + k]);
        unsigned long long sum = (ll_count_(set) - 1ull) * o->weight;
        sum = o->kind == LL_ENGINE_CARRY ? 0u : sum;
        for (unsigned t = 0; t < o->n; ++t) {
            unsigned tuple[8];
            ll_engine_numbers_(&engine, p, t, tuple);
            sum += set >> t & 1u
                       ? o->weight * ll_engine_price(&engine, p, tuple)
                       : 0u;
        }
        CHECK(s->fn[f].table[k] == sum);
    }
}

static void check_ruled_out(const ll_engine_solution_ *s, unsigned f,
                            unsigned v, unsigned p) {
    const unsigned x = s->op_var[p];
    const unsigned y = s->value_var[v];
    CHECK(s->fn[f].n == 2u && s->scope[s->fn[f].at] == x);
    CHECK(s->scope[s->fn[f].at + 1u] == y);
    for (unsigned b = 0; b < s->var[y].n; ++b) {
        for (unsigned a = 0; a < s->var[x].n; ++a) {
            const unsigned set = set_of_label(s->label[s->var[x].first + a]);
            const unsigned need = layouts_in(p, set, v, 0);
            CHECK(s->fn[f].table[b * s->var[x].n + a] ==
                  (need & ~s->label[s->var[y].first + b] ? LL_ENGINE_MANY_
                                                         : 0u));
        }
    }
}

static void unknowns_are_sets_of_instances_and_layouts(void) {
    unsigned several = 0;
    unsigned many = 0;
    for (unsigned n = 0; n < 40u; ++n) {
        ll_engine_solution_ s = LL_ZERO;
        random_text(5u + n % 14u, n % 11u);
        begin(2);
        engine.most = 3u + n % 10u;
        engine.sets = 1u + n % 3u;
        CHECK(ll_engine_parse(&engine, graph_text));
        ll_engine_prepare_(&engine);
        CHECK(!engine.err);
        ll_engine_set_up_(&engine, &s);
        int small = 1; /* the enumeration below has room for it */
        for (unsigned p = 0; p < engine.ops; ++p) {
            small = small && engine.op[p].n <= LAYOUTS;
        }
        for (unsigned v = 0; v < engine.values; ++v) {
            small = small && engine.value[v].n <= LAYOUTS;
        }
        if (!small) {
            continue;
        }
        unsigned f = 0;
        unsigned x = 0;
        for (unsigned p = 0; p < engine.ops; ++p) {
            if (engine.op[p].n == 0) {
                CHECK(s.op_var[p] == LL_ENGINE_NONE);
                continue;
            }
            CHECK(s.op_var[p] == x && s.var[x].of == p && !s.var[x].is_value);
            CHECK(has_labels(&s, x, 1, sets, sets_of(p, sets)));
            check_own(&s, f, p);
            ++x;
            ++f;
        }
        for (unsigned v = 0; v < engine.values; ++v) {
            unsigned user[32];
            const unsigned users =
                engine.value[v].is_free ? 0u : users_of(v, user);
            if (users < 2u) {
                CHECK(s.value_var[v] == LL_ENGINE_NONE);
            }
            if (users == 0) {
                continue;
            }
            if (users == 1u) {
                check_moves(&s, f, v, s.op_var[user[0]]);
                ++f;
                continue;
            }
            CHECK(s.value_var[v] == x);
            ++x;
            ++several;
            many += engine.value[v].n > 6u;
            check_value(&s, v, user, users);
            check_moves(&s, f, v, s.value_var[v]);
            ++f;
            for (unsigned k = 0; k < users; ++k) {
                check_ruled_out(&s, f, v, user[k]);
                ++f;
            }
        }
        CHECK(f == s.fns && x == s.vars);
    }
    COVERS(several > 20u && many);
}

/* ---- Candidates --------------------------------------------------------- */

/* What each value may be held in: sets of numbers of layouts. */
static unsigned char may[40][400];

static unsigned transposed(unsigned v, unsigned id, unsigned to) {
    ll_engine_flat f = engine.flat[id];
    const unsigned cols = engine.value[v].size[1];
    const unsigned rows = engine.value[v].size[0];
    for (unsigned k = 0; k < (unsigned)f.n[0] + 6u; ++k) {
        const unsigned i = f.basis[k] >> cols;
        const unsigned j = f.basis[k] % (1u << cols);
        f.basis[k] = j << rows | i;
    }
    return ll_engine_flat_id(&engine, to, f);
}

static int is_given(const ll_engine_op *o) {
    int any = 0;
    for (unsigned k = 0; k < o->n_in + o->n_out; ++k) {
        any = any || engine.fixed[o->at + k] != LL_ENGINE_NONE;
    }
    return any;
}

static int put(unsigned v, unsigned id) {
    const unsigned registers = 1u << engine.flat[id].n[0]; /* of 32 bits */
    if (may[v][id] || (engine.registers && registers > engine.registers)) {
        return 0;
    }
    may[v][id] = 1;
    return 1;
}

/* Carries layouts across one operation; returns whether any is new. */
static int carried(const ll_engine_op *o) {
    int more = 0;
    for (unsigned k = 0; k < o->n_in + o->n_out; ++k) {
        for (unsigned j = 0; j < o->n_in + o->n_out; ++j) {
            const unsigned v = engine.operand[o->at + k];
            const unsigned w = engine.operand[o->at + j];
            for (unsigned id = 0; id < engine.flats && id < 400u; ++id) {
                if (!may[v][id] || engine.value[w].is_free || k == j) {
                    continue;
                }
                more |= put(w, o->kind == LL_ENGINE_TRANS
                                   ? transposed(v, id, w)
                                   : id);
            }
        }
    }
    return more;
}

static void carry_all(void) {
    int more = 1;
    while (more) {
        more = 0;
        for (unsigned p = 0; p < engine.ops; ++p) {
            more |= carried(&engine.op[p]);
        }
    }
}

static int has_none(unsigned v) {
    for (unsigned id = 0; id < 400u; ++id) {
        if (may[v][id]) {
            return 0;
        }
    }
    return !engine.value[v].is_free;
}

static void put_rows(unsigned v, unsigned axis, unsigned wide) {
    const ll_engine_value x = engine.value[v];
    put(v, ll_engine_flat_id(&engine, v,
                             ll_engine_rows_(&engine, &x, axis, wide)));
}

static void all_that_may_be(void) {
    memset(may, 0, sizeof may);
    for (unsigned p = 0; p < engine.ops; ++p) {
        const ll_engine_op o = engine.op[p];
        const int access =
            o.kind == LL_ENGINE_LOAD || o.kind == LL_ENGINE_STORE;
        for (unsigned k = 0; k < o.n_in + o.n_out; ++k) {
            const unsigned v = engine.operand[o.at + k];
            if (!engine.value[v].is_free &&
                engine.fixed[o.at + k] != LL_ENGINE_NONE) {
                put(v, engine.fixed[o.at + k]);
            }
        }
        const unsigned v = engine.operand[o.at];
        for (unsigned t = 0; t < 4u && access; ++t) {
            if (!is_given(&o) && !engine.value[v].is_free) {
                put_rows(v, t / 2u, t % 2u * 2u); /* 1 or 4 of 32 bits */
            }
        }
    }
    carry_all();
    for (unsigned v = 0; v < engine.values; ++v) {
        if (has_none(v)) {
            put_rows(v, 1, 0);
            carry_all();
        }
    }
}

/* A layout comes from an operation that fixes one, or from an access whose
 * layouts nothing fixes. */
static void check_origin(unsigned v, unsigned k) {
    const unsigned from = engine.origin[engine.value[v].first + k];
    if (from % 4u == LL_ENGINE_BY_NONE_) {
        return;
    }
    const ll_engine_op *o = &engine.op[from / 4u];
    CHECK(from / 4u < engine.ops);
    CHECK(from % 4u == LL_ENGINE_BY_CALLER_
              ? is_given(o)
              : from % 4u == LL_ENGINE_BY_ACCESS_ && !is_given(o) &&
                    (o->kind == LL_ENGINE_LOAD || o->kind == LL_ENGINE_STORE));
}

/* Candidates are what the layouts of accesses and those of the caller become
 * when they are carried through all operations. */
static void candidates_are_carried_through(void) {
    unsigned full = 0;
    unsigned tight = 0;
    for (unsigned n = 0; n < 150u; ++n) {
        random_text(3u + n % 8u, 2u + n % 3u);
        begin(2);
        engine.most = 24;
        engine.registers = n % 4u == 3u ? 2u : 0u;
        CHECK(ll_engine_parse(&engine, graph_text));
        ll_engine_prepare_(&engine);
        CHECK(!engine.err || engine.registers);
        if (engine.err || engine.dropped[0]) {
            continue;
        }
        tight += engine.dropped[1] != 0;
        all_that_may_be();
        for (unsigned v = 0; v < engine.values; ++v) {
            const ll_engine_value *x = &engine.value[v];
            unsigned count = 0;
            for (unsigned id = 0; id < engine.flats && id < 400u; ++id) {
                count += may[v][id];
            }
            CHECK(x->n == count);
            for (unsigned k = 0; k < x->n; ++k) {
                CHECK(may[v][engine.candidate[x->first + k]]);
                check_origin(v, k);
                CHECK(ll_engine_at_(&engine, v,
                                    engine.candidate[x->first + k]) == k);
            }
            full += count > 5u;
        }
    }
    COVERS(full > 50u && tight > 5u);
}

/* Constants, and what only shapes make of them, are there in any layout;
 * arithmetic of one instruction on them is light. */
static void constants_are_free_and_what_follows_is_light(void) {
    for (unsigned n = 0; n < 100u; ++n) {
        int is_free[40] = LL_ZERO;
        int light[40] = LL_ZERO;
        random_text(12, 1);
        begin(2);
        CHECK(ll_engine_parse(&engine, graph_text));
        ll_engine_prepare_(&engine);
        CHECK(!engine.err);
        for (unsigned p = 0; p < engine.ops; ++p) {
            const ll_engine_op *o = &engine.op[p];
            int all = 1;
            int easy = o->kind == LL_ENGINE_MAP || o->kind == LL_ENGINE_TRANS;
            for (unsigned k = 0; k < o->n_in; ++k) {
                const unsigned v = engine.operand[o->at + k];
                all = all && is_free[v];
                easy = easy && (is_free[v] || light[v]);
            }
            easy = easy && o->cost <= 8u;
            CHECK(o->is_light == (unsigned)easy);
            if (o->n_out) {
                const unsigned v = engine.operand[o->at + o->n_in];
                is_free[v] = o->kind == LL_ENGINE_CONSTANT ||
                             (o->kind == LL_ENGINE_TRANS && all);
                light[v] = easy;
                CHECK(engine.value[v].is_free == (unsigned)is_free[v]);
            }
        }
        /* the uses of a value, in the order of the operations */
        for (unsigned v = 0; v < engine.values; ++v) {
            const ll_engine_value *x = &engine.value[v];
            unsigned at = x->use;
            for (unsigned p = 0; p < engine.ops; ++p) {
                const ll_engine_op *o = &engine.op[p];
                for (unsigned k = 0; k < o->n_in; ++k) {
                    if (engine.operand[o->at + k] == v) {
                        CHECK(engine.use[at] == p);
                        ++at;
                    }
                }
            }
            CHECK(at == x->use + x->uses);
        }
    }
}

/* Of a layout that another operand, or the caller, contradicts no operation
 * is executed. */
static void layouts_that_disagree_are_illegal(void) {
    unsigned refused = 0;
    unsigned taken = 0;
    for (unsigned n = 0; n < 40u; ++n) {
        random_text(8, 4);
        begin(2);
        CHECK(ll_engine_parse(&engine, graph_text) && ll_engine_solve(&engine));
        for (unsigned p = 0; p < engine.ops; ++p) {
            const ll_engine_op *o = &engine.op[p];
            const unsigned slots = o->n_in + o->n_out;
            int constant = 0;
            for (unsigned k = 0; k < slots; ++k) {
                constant = constant ||
                           engine.value[engine.operand[o->at + k]].is_free;
            }
            for (unsigned t = 0; t < o->n && !constant; ++t) {
                unsigned tuple[8];
                ll_engine_numbers_(&engine, p, t, tuple);
                CHECK(ll_engine_is_legal_(&engine, p, tuple));
                for (unsigned k = 0; k < slots; ++k) {
                    const unsigned was = tuple[k];
                    for (unsigned id = 0; id < engine.flats; ++id) {
                        const int any =
                            slots == 1u &&
                            engine.fixed[o->at] == LL_ENGINE_NONE;
                        tuple[k] = id;
                        CHECK(ll_engine_is_legal_(&engine, p, tuple) ==
                              (id == was || any));
                        refused += id != was && !any;
                        taken += id != was && any;
                    }
                    tuple[k] = was;
                }
            }
        }
    }
    COVERS(refused > 1000u && taken > 100u);
}

/* ---- Certificates ------------------------------------------------------- */

/* Every number of a certificate counts; what is wrong has its name. */
static void certificates_are_read_to_the_end(void) {
    unsigned moved = 0;
    unsigned drops = 0;
    for (unsigned n = 0; n < 16u; ++n) {
        random_text(6u + n % 5u, 5);
        begin(2);
        engine.most = 4;
        CHECK(ll_engine_check(&engine) == LL_ENGINE_BAD_LABEL);
        CHECK(ll_engine_parse(&engine, graph_text) && ll_engine_solve(&engine));
        ll_engine_solution_ *s = ll_engine_found_(&engine);
        CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
        const unsigned long long used = engine.used;
#define SAYS(what, by, bad)                                                 \
    do {                                                                    \
        const unsigned long long was_ = (unsigned long long)(what);         \
        (what) = by;                                                        \
        CHECK(ll_engine_check(&engine) == (unsigned)(bad));                 \
        CHECK(engine.used == used);                                         \
        memcpy(&(what), &was_, sizeof(what));                               \
    } while (0)
        SAYS(s->cost, s->cost + 1u, LL_ENGINE_BAD_SUM);
        if (s->cost) {
            CHECK(s->bound == s->cost);
            s->cost -= 1u;
            const unsigned bad = ll_engine_check(&engine);
            CHECK(bad == LL_ENGINE_BAD_SUM || bad == LL_ENGINE_BAD_MOVE);
            s->cost += 1u;
        }
        SAYS(s->bound, s->bound + 1u, LL_ENGINE_BAD_BOUND);
        SAYS(s->bound, s->bound - 1u, LL_ENGINE_BAD_BOUND);
        SAYS(s->orders, s->orders - 1u, LL_ENGINE_BAD_BOUND);
        SAYS(s->vars, s->vars - 1u, LL_ENGINE_BAD_TABLE);
        SAYS(s->first_message, s->first_message - 1u, LL_ENGINE_BAD_TABLE);
        for (unsigned f = 0; f < s->fns; ++f) {
            SAYS(s->fn[f].table[0], s->fn[f].table[0] + 1u,
                 LL_ENGINE_BAD_TABLE);
        }
        for (unsigned x = 0; x < s->vars; ++x) {
            SAYS(s->var[x].label, s->var[x].n, LL_ENGINE_BAD_LABEL);
            SAYS(s->var[x].n, s->var[x].n + 1u, LL_ENGINE_BAD_DROP);
            SAYS(s->var[x].first, s->var[x].first + 1u, LL_ENGINE_BAD_DROP);
            SAYS(s->label[s->var[x].first], LL_ENGINE_NONE - 1u,
                 LL_ENGINE_BAD_LABEL);
        }
        for (unsigned k = 0; k < s->drops; ++k) {
            ll_engine_drop_ *d = &s->drop[k];
            SAYS(d->var, s->vars, LL_ENGINE_BAD_DROP);
            SAYS(d->label, 4000u, LL_ENGINE_BAD_DROP);
            SAYS(d->by, 4000u, LL_ENGINE_BAD_DROP);
            SAYS(d->by, d->label, LL_ENGINE_BAD_DROP);
            ++drops;
        }
        if (s->drops) {
            SAYS(s->drops, s->drops - 1u, LL_ENGINE_BAD_DROP);
        }
        if (s->drops > 1u) { /* what was dropped cannot be dropped again */
            const ll_engine_drop_ was = s->drop[1];
            s->drop[1] = s->drop[0];
            CHECK(ll_engine_check(&engine) == LL_ENGINE_BAD_DROP);
            s->drop[1] = was;
        }
        for (unsigned k = 0; k < s->moves; ++k) {
            ll_engine_move *m = &s->move[k];
            SAYS(m->value, engine.values, LL_ENGINE_BAD_MOVE);
            SAYS(m->from, engine.flats, LL_ENGINE_BAD_MOVE);
            SAYS(m->to, engine.flats, LL_ENGINE_BAD_MOVE);
            SAYS(m->kind, m->kind + 1u, LL_ENGINE_BAD_MOVE);
            SAYS(m->weight, m->weight + 1u, LL_ENGINE_BAD_MOVE);
            SAYS(m->cost, m->cost + 1u, LL_ENGINE_BAD_MOVE);
            ++moved;
        }
        if (s->moves) {
            SAYS(s->moves, s->moves - 1u, LL_ENGINE_BAD_MOVE);
        }
        for (unsigned p = 0; p < engine.ops; ++p) {
            const ll_engine_op *o = &engine.op[p];
            unsigned tuple[8];
            if (o->n_in + o->n_out > 1u && o->n &&
                ll_engine_executed(&engine, p, 0, tuple)) {
                /* a layout that was not fixed when the graph was solved */
                for (unsigned id = 0; id < engine.flats; ++id) {
                    unsigned *slot = &engine.fixed[o->at + o->n_in];
                    if (id != tuple[o->n_in]) {
                        SAYS(*slot, id, LL_ENGINE_BAD_LAYOUT);
                        break;
                    }
                }
            }
        }
        engine.bytes = engine.used; /* without memory nothing is proven */
        CHECK(ll_engine_check(&engine) == LL_ENGINE_BAD_MEMORY);
        CHECK(!engine.err);
        engine.bytes = MEMORY - 16u;
        CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
#undef SAYS
    }
    COVERS(moved > 8u && drops > 100u);
}

/* Numbers of values, operations and conversions that are not there. */
static void results_end_behind_the_last(void) {
    unsigned tuple[4] = LL_ZERO;
    begin(2);
    CHECK(ll_engine_parse(&engine, START(ROW) "c = constant 32x32:32\n"
                          "sink x in0=\"" COLUMN "\"\nsink c\n"));
    CHECK(!ll_engine_cost(&engine) && !ll_engine_bound(&engine));
    CHECK(!ll_engine_optimal(&engine) && !ll_engine_moves(&engine));
    CHECK(ll_engine_held(&engine, 0, 0) == LL_ENGINE_NONE);
    CHECK(!ll_engine_executed(&engine, 0, 0, tuple));
    CHECK(ll_engine_explain(&engine, NULL, 0) == 0);
    CHECK(ll_engine_pin(&engine, 0, 0) == ~0ull);
    CHECK(ll_engine_solve(&engine));
    const unsigned long long cost = plan_cost(ROW, COLUMN, 32);
    const unsigned row = ll_engine_id(&engine, 0, ll_parse(ROW));
    const unsigned column = ll_engine_id(&engine, 0, ll_parse(COLUMN));
    CHECK(ll_engine_cost(&engine) == cost && ll_engine_moves(&engine) == 1u);
    CHECK(ll_engine_bound(&engine) == cost && ll_engine_optimal(&engine));
    CHECK(ll_engine_held(&engine, 0, 0) == row);
    CHECK(ll_engine_held(&engine, 0, 1) == LL_ENGINE_NONE);
    CHECK(ll_engine_held(&engine, 1, 0) == LL_ENGINE_NONE); /* a constant */
    CHECK(ll_engine_held(&engine, 2, 0) == LL_ENGINE_NONE);
    CHECK(ll_engine_move_at(&engine, 0).to == column);
    CHECK(ll_engine_move_at(&engine, 1).to == 0);
    CHECK(ll_engine_executed(&engine, 0, 0, tuple) && tuple[0] == row);
    CHECK(!ll_engine_executed(&engine, 0, 1, tuple));
    for (unsigned k = 2; k < 70u; ++k) {
        CHECK(!ll_engine_executed(&engine, 0, k, tuple));
    }
    CHECK(!ll_engine_executed(&engine, 1, 0, tuple));
    CHECK(ll_engine_executed(&engine, 2, 0, tuple) && tuple[0] == column);
    CHECK(!ll_engine_executed(&engine, engine.ops, 0, tuple));
    /* the source is fixed: no other layout can be pinned */
    CHECK(ll_engine_pin(&engine, 0, row) == cost);
    CHECK(ll_engine_pin(&engine, 0, column) == ~0ull);
    CHECK(ll_engine_pin(&engine, engine.values, row) == ~0ull);
    CHECK(ll_engine_pin(&engine, 0, engine.flats) == ~0ull);
    CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
    engine.err = LL_ENGINE_EFIT;
    CHECK(!ll_engine_cost(&engine) && !ll_engine_bound(&engine));
    CHECK(!ll_engine_optimal(&engine) && !ll_engine_moves(&engine));
    CHECK(ll_engine_held(&engine, 0, 0) == LL_ENGINE_NONE);
    CHECK(!ll_engine_executed(&engine, 0, 0, tuple));
    CHECK(ll_engine_explain(&engine, NULL, 0) == 0);
    CHECK(ll_engine_check(&engine) == LL_ENGINE_BAD_LABEL);
    CHECK(engine.err == LL_ENGINE_EFIT);
}

/* ---- Text --------------------------------------------------------------- */

/* What is read is written in one form: the names of results, the operation,
 * operands, the shape, and keys that say more than nothing. */
static void texts_have_one_form(void) {
    static const char *const all[][2] = {
        {"", ""},
        {"# nothing\n\n  \t\r\n#\n", ""},
        {"x=load 4x8:16", "x = load 4x8:16\n"},
        {"\tx =\tload\t4x8:16\t# a comment\r\n", "x = load 4x8:16\n"},
        {"x = load 4x8:16 align=16 contiguous=1x8 same=2x1 cost=3\n",
         "x = load 4x8:16 cost=3 align=16 contiguous=1x8 same=2x1\n"},
        {"x = load 4x8:16 contiguous=1x1 align=0 cost=0 same=1x1\n",
         "x = load 4x8:16\n"},
        {"a.b_1 = constant 1:1\nsink a.b_1\n",
         "a.b_1 = constant 1:1\nsink a.b_1\n"},
        {"x = source 16777216:128\n", "x = source 16777216:128\n"},
        {"x = load 8:32\ny = map x\nz = map x y cost=2\nw = map x cost=0\n",
         "x = load 8:32\ny = map x 8:32\nz = map x y 8:32 cost=2\n"
         "w = map x 8:32 cost=0\n"},
        {"x = load 8:32\ny = map x 8:16 cost=4096\n",
         "x = load 8:32\ny = map x 8:16 cost=4096\n"},
        {"x = load 8:32\na , b,c = map x\n",
         "x = load 8:32\na, b, c = map x 8:32\n"},
        {"x = load 2x4x8:32\ny = trans x order=2x0x1\n"
         "z = trans x order=0x1x2\n",
         "x = load 2x4x8:32\ny = trans x 8x2x4:32 order=2x0x1\n"
         "z = trans x 2x4x8:32 order=0x1x2\n"},
        {"x = load 4x8:32\ns, t = reduce x x axis=1\nu = reduce s axis=0\n"
         "v = expand t axis=0\nw = broadcast v 8x4\n",
         "x = load 4x8:32\ns, t = reduce x x axis=1\nu = reduce s\n"
         "v = expand t 1x4:32\nw = broadcast v 8x4:32\n"},
        {"x = load 4x8:32\ny = scan x axis=1\nz = reshape y 8x2x2\n"
         "r = reorder x 32\n",
         "x = load 4x8:32\ny = scan x axis=1\nz = reshape y 8x2x2:32\n"
         "r = reorder x 32:32\n"},
        {"x = load 4x8:32\np = load 4x8:64\ny = load p x 4x8:16\n"
         "store p y align=4\nat = atomic p y\nnone = gather x y axis=1\n",
         "x = load 4x8:32\np = load 4x8:64\ny = load p x 4x8:16\n"
         "store p y align=4\nat = atomic p y 4x8:64\n"
         "none = gather x y 4x8:32 axis=1\n"},
        {"x = load 4x2:8\ny = join x x\na, b = split y\nu = unpack x axis=1\n",
         "x = load 4x2:8\ny = join x x 4x2x2:8\na, b = split y 4x2:8\n"
         "u = unpack x 4x4:8 axis=1\n"},
        {"x = load 8:32\nm = merge x x\nn = map m\n",
         "x = load 8:32\nm = merge x x\nn = map m 8:32\n"},
        {"x = load 8:32\nloop 4 a = x, b = x\nc = map a b\nyield c, a -> d, f\n"
         "store d\nstore f\n",
         "x = load 8:32\nloop 4 a = x, b = x\nc = map a b 8:32\n"
         "yield c, a -> d, f\nstore d\nstore f\n"},
        {"x = load 8:32\nloop 4 a = x b = x\nc = map a b\nyield c a -> d f\n",
         "x = load 8:32\nloop 4 a = x, b = x\nc = map a b 8:32\n"
         "yield c, a -> d, f\n"},
        {"x = load 8:32\nloop 2\nloop 3 a = x\nyield a -> b\nstore b\nyield\n",
         "x = load 8:32\nloop 2\nloop 3 a = x\nyield a -> b\nstore b\nyield\n"},
        {"x = load 8:32\nloop 4 a = x\nyield a\n",
         "x = load 8:32\nloop 4 a = x\nyield a -> v2\n"},
        {"y = fixed 8x8:32 out0=\"register: j0 | lane: j1 j2 i0 i1 i2\"\n"
         "fixed y in0=\"lane: j0 j1 j2 i0 i1 | warp: i2\"\n",
         "y = fixed 8x8:32 out0=\"register: j0 | lane: j1 j2 i0 i1 i2 | "
         "warp: 0\"\nfixed y in0=\"register: | lane: j0 j1 j2 i0 i1 | "
         "warp: i2\"\n"},
        {"y = load 8x8:32\nz = fixed y in0=\"lane: j0 j1 j2 i0 i1 | warp: i2\" "
         "out0=\"lane: j0 j1 j2 i0 i1 | warp: i2\"\n",
         "y = load 8x8:32\nz = fixed y 8x8:32 in0=\"register: | lane: j0 j1 j2 "
         "i0 i1 | warp: i2\" out0=\"register: | lane: j0 j1 j2 i0 i1 | "
         "warp: i2\"\n"},
        {"y = tma_load 2x4:32 memory=\"offset: j0 i0^j1 j1\"\n"
         "local_store y memory=\"offset: i0 j1 j0\"\n",
         "y = tma_load 2x4:32 memory=\"offset: j0 j1^i0 j1\"\n"
         "local_store y memory=\"offset: i0 j1 j0\"\n"},
    };
    char said[1000], part[40];
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        begin(2);
        const int ok = ll_engine_parse(&engine, all[n][0]);
        CHECK(ok);
        const unsigned length = ll_engine_print(&engine, said, sizeof said);
        CHECK(length == strlen(all[n][1]) && !strcmp(said, all[n][1]));
        if (!ok || strcmp(said, all[n][1])) {
            printf("%s->\n%s(character %u)\n", all[n][0], said,
                   engine.character);
        }
        /* a text that does not fit is cut, and as long */
        CHECK(ll_engine_print(&engine, part, sizeof part) == length);
        CHECK(!strncmp(part, said, sizeof part - 1u));
        CHECK(ll_engine_print(&engine, NULL, 0) == length);
        /* what was written reads as the same */
        char again[1000];
        begin(2);
        CHECK(ll_engine_parse(&engine, all[n][1]));
        CHECK(ll_engine_print(&engine, again, sizeof again) == length);
        CHECK(!strcmp(again, all[n][1]));
    }
}

/* What cannot be read: the error and the character, from 1, at which the
 * reader stopped: `^` stands before it. */
static void wrong_texts_say_where(void) {
    static const struct {
        const char *text;
        unsigned err;
    } all[] = {
        {"x = ^4x4:32", LL_ENGINE_EUNKNOWN},
        {"^4 = load 4:32", LL_ENGINE_ETEXT},
        {"x, ^= load 4:32", LL_ENGINE_ETEXT},
        {"^x, x", LL_ENGINE_EUNKNOWN},
        {"x = ^loop 4", LL_ENGINE_EUNKNOWN},
        {"x = ^yield", LL_ENGINE_EUNKNOWN},
        {"x = ^loads 4:32", LL_ENGINE_EUNKNOWN},
        {"x = ^loa 4:32", LL_ENGINE_EUNKNOWN},
        {"x = ^\n", LL_ENGINE_ETEXT},
        {"x = load 4:32 ^y", LL_ENGINE_EVALUE},
        {"x = load 4x^3:32", LL_ENGINE_ESIZE},
        {"x = load 4x^:32", LL_ENGINE_ETEXT},
        {"x = load 4x^33554432:32", LL_ENGINE_ESIZE},
        {"x = load 1x1x1x1x1x1x1x1x1x1x1x1x^1:32", LL_ENGINE_ESIZE},
        {"x = load 4:^129", LL_ENGINE_ETEXT},
        {"x = load 4:^", LL_ENGINE_ETEXT},
        {"x = load 4:32 ^4", LL_ENGINE_EVALUE},
        {"x = load 4:32 ^key=4", LL_ENGINE_EUNKNOWN},
        {"x = load 4:32 ^in=4", LL_ENGINE_EUNKNOWN},
        {"x = load 4:32 ^out=4", LL_ENGINE_EUNKNOWN},
        {"x = load 4:32 ^inx=\"\"", LL_ENGINE_EUNKNOWN},
        {"x = load 4:32 ^in0x=\"\"", LL_ENGINE_EUNKNOWN},
        {"x = load 4:32 ^out16=\"lane: i0 i1\"", LL_ENGINE_EUNKNOWN},
        {"x = load 4:32 out1=^\"lane: i0 i1\"", LL_ENGINE_ECOUNT},
        {"x = load 4:32 in0=^\"lane: i0 i1\"", LL_ENGINE_ECOUNT},
        {"x = load 4:32 out0=\"^lane: i0\"", LL_ENGINE_ELAYOUT},
        {"x = load 4:32 out0=^lane", LL_ENGINE_ETEXT},
        {"x = load 4:32 out0=\"lane: i0 i1^\n\"", LL_ENGINE_ETEXT},
        {"x = load 4:32 out0=\"lane: i0 i1^", LL_ENGINE_ETEXT},
        {"x = load 4:32 cost=^4097", LL_ENGINE_ETEXT},
        {"x = load 4:32 align=^4097", LL_ENGINE_ETEXT},
        {"x = load 4:32 align=^x", LL_ENGINE_ETEXT},
        {"x = load 4:32 axis=^13", LL_ENGINE_ETEXT},
        {"x = load 4:32 by=^", LL_ENGINE_ETEXT},
        {"x = load 4:32 contiguous=^3", LL_ENGINE_ESIZE},
        {"x = load 4:32 contiguous=^", LL_ENGINE_ETEXT},
        {"x = load 4:32\ny = trans x order=^12", LL_ENGINE_ESIZE},
        {"x = load 4:32\n^x = load 4:32", LL_ENGINE_ETWICE},
        {"x = load 4:32\ny = map x ^xx", LL_ENGINE_EVALUE},
        {"xx = load 4:32\ny = map ^x", LL_ENGINE_EVALUE},
        {"x = load 4:32\ny = map ^y", LL_ENGINE_EVALUE},
        {"x = load 4:32\ny = map ^\"x\"", LL_ENGINE_ETEXT},
        {"loop 0^", LL_ENGINE_ELOOP},
        {"loop ^1048577", LL_ENGINE_ETEXT},
        {"loop ^x", LL_ENGINE_ETEXT},
        {"loop 4 ^4 = x", LL_ENGINE_ETEXT},
        {"loop 4 a ^x", LL_ENGINE_ETEXT},
        {"loop 4 a = ^x", LL_ENGINE_EVALUE},
        {"yield^", LL_ENGINE_ELOOP},
        {"loop 4\nyield ^x", LL_ENGINE_ELOOP},
        {"loop 4\n^", LL_ENGINE_ELOOP},
        {"x = load 4:32\nloop 4 a = x\nyield ^z", LL_ENGINE_EVALUE},
        {"x = load 4:32\nloop 4 a = x\nyield x -> ^4", LL_ENGINE_ETEXT},
        {"x = load 4:32\nloop 4 a = x\nyield x -> ^x", LL_ENGINE_ETWICE},
        {"x = load 4:32\nloop 4 a = x\nyield x -> b ^c", LL_ENGINE_ELOOP},
        {"x = load 4:32\nloop 4 a = x\nyield x ^-", LL_ENGINE_ELOOP},
        {"x = load 4:32\nx16 = map x x x x x x x x x x x x x x x x ^x",
         LL_ENGINE_ECOUNT},
    };
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        char text[200];
        const char *const mark = strchr(all[n].text, '^');
        const size_t at = (size_t)(mark - all[n].text);
        memcpy(text, all[n].text, at);
        strcpy(text + at, mark + 1);
        begin(2);
        const int ok = ll_engine_parse(&engine, text);
        CHECK(!ok && engine.err == all[n].err);
        CHECK(engine.character == at + 1u);
        if (engine.err != all[n].err || engine.character != at + 1u) {
            printf("%s: error %u at %u\n", all[n].text, engine.err,
                   engine.character);
        }
    }
}

/* ---- Layouts across an operation ---------------------------------------- */

/* The element of the small side that an element of the big side belongs to. */
static unsigned small_of(const ll_engine_op *o, unsigned y) {
    const ll_engine_value *in = &engine.value[engine.operand[o->at]];
    const ll_engine_value *out = &engine.value[engine.operand[o->at + o->n_in]];
    const int shrinks =
        o->kind == LL_ENGINE_REDUCE || o->kind == LL_ENGINE_SPLIT;
    const ll_engine_value *big = shrinks ? in : out;
    const ll_engine_value *small = shrinks ? out : in;
    unsigned at[16];
    unsigned x[16] = LL_ZERO;
    unsigned n = 0;
    for (unsigned k = big->rank; k-- > 0;) {
        at[k] = y % (1u << big->size[k]);
        y >>= big->size[k];
    }
    for (unsigned k = 0; k < big->rank; ++k) {
        const int gone =
            (o->kind == LL_ENGINE_REDUCE || o->kind == LL_ENGINE_EXPAND)
                ? k == o->axis
                : (o->kind == LL_ENGINE_SPLIT || o->kind == LL_ENGINE_JOIN) &&
                      k + 1u == big->rank;
        if (o->kind == LL_ENGINE_TRANS) {
            x[o->order[k]] = at[k];
        } else if (o->kind == LL_ENGINE_UNPACK && k == o->axis) {
            x[n++] = at[k] / 2u;
        } else if (!gone) {
            x[n] = at[k] % (1u << small->size[n]);
            ++n;
        }
    }
    unsigned index = 0;
    for (unsigned k = 0; k < small->rank; ++k) {
        index = index << small->size[k] | x[k];
    }
    return index;
}

static ll_engine_flat random_columns(unsigned bits) {
    ll_engine_flat f = LL_ZERO;
    f.n[0] = (unsigned char)test_random(6);
    f.n[1] = (unsigned char)(1u + test_random(3));
    f.n[2] = (unsigned char)test_random(2);
    for (unsigned k = 0; k < (unsigned)f.n[0] + f.n[1] + f.n[2]; ++k) {
        f.basis[k] = test_random(4) && bits ? 1u << test_random(bits)
                                            : test_random(1u << bits);
        f.basis[k] |= k < f.n[0] && !f.basis[k] && bits;
    }
    return f;
}

/* Adds a random shape operation on a value of its own; returns its number. */
static unsigned random_shape_op(void) {
    static const unsigned kinds[] = {
        LL_ENGINE_TRANS, LL_ENGINE_REDUCE, LL_ENGINE_BROADCAST,
        LL_ENGINE_JOIN,  LL_ENGINE_SPLIT,  LL_ENGINE_UNPACK,
        LL_ENGINE_EXPAND};
    sizes a = LL_ZERO;
    ll_engine_spec s = LL_ZERO;
    a.rank = 1u + test_random(4);
    s.kind = kinds[test_random(7)];
    for (unsigned k = 0; k < a.rank; ++k) {
        a.at[k] = test_random(3);
        s.size[k] = (unsigned char)(a.at[k] ? a.at[k] : test_random(3));
        const unsigned swap = test_random(k + 1u);
        s.order[k] = s.order[swap];
        s.order[swap] = (unsigned char)k;
    }
    a.at[a.rank - 1u] = s.kind == LL_ENGINE_SPLIT ? 1u : a.at[a.rank - 1u];
    unsigned in[2];
    in[0] = in[1] = source(&a, 8);
    s.n_in = s.kind == LL_ENGINE_JOIN ? 2u : 1u;
    s.in = in;
    s.rank = a.rank;
    s.axis = test_random(a.rank);
    const unsigned op = ll_engine_add(&engine, s);
    CHECK(!engine.err);
    return op;
}

/* The layout of the small side: each column goes where its element goes. Pairs
 * must be a register's alone, for an unpack the first register's. */
static void check_shrunk(const ll_engine_op *o, const ll_engine_link_ *l,
                         const ll_engine_flat *f) {
    ll_engine_flat g = LL_ZERO;
    const int ok = ll_link_shrink_(l, f, &g);
    const int pairs = o->kind == LL_ENGINE_SPLIT ||
                      o->kind == LL_ENGINE_JOIN || o->kind == LL_ENGINE_UNPACK;
    unsigned touch = 0;
    unsigned alone = 0;
    unsigned n = 0;
    unsigned registers = 0;
    unsigned pair = 0; /* what the two elements of a pair differ in */
    for (unsigned b = 0; b < l->big_bits; ++b) {
        pair |= small_of(o, 1u << b) == 0 ? 1u << b : 0u;
    }
    for (unsigned k = 0; k < (unsigned)f->n[0] + f->n[1] + f->n[2]; ++k) {
        const unsigned y = small_of(o, f->basis[k]);
        touch += (f->basis[k] & pair) != 0;
        alone += f->basis[k] == pair && k < f->n[0] &&
                 (k == 0 || o->kind != LL_ENGINE_UNPACK);
        if (k >= f->n[0] || y) {
            CHECK(g.basis[n] == y);
            ++n;
            registers += k < f->n[0];
        }
    }
    CHECK(g.n[0] == registers && g.n[1] == f->n[1] && g.n[2] == f->n[2]);
    CHECK(ok == (!pairs || (touch == 1u && alone == 1u)));
}

/* The layout of the big side: each thread holds all that belongs to what it
 * holds of the small one; the new registers count first, or last. */
static void check_grown(const ll_engine_op *o, const ll_engine_link_ *l,
                        const ll_engine_flat *f) {
    ll_engine_flat g = LL_ZERO;
    const int first = o->kind == LL_ENGINE_SPLIT ||
                      o->kind == LL_ENGINE_JOIN || o->kind == LL_ENGINE_UNPACK;
    CHECK(ll_link_grow_(l, f, &g));
    unsigned more = 0;
    for (unsigned b = 0; b < l->big_bits; ++b) {
        if (small_of(o, 1u << b) == 0) {
            const unsigned at = first ? more : f->n[0] + more;
            CHECK(g.basis[at] == 1u << b);
            ++more;
        }
    }
    CHECK(g.n[0] == f->n[0] + more && g.n[1] == f->n[1] && g.n[2] == f->n[2]);
    for (unsigned k = 0; k < (unsigned)f->n[0] + f->n[1] + f->n[2]; ++k) {
        const unsigned to = k + (first || k >= f->n[0] ? more : 0u);
        CHECK(small_of(o, g.basis[to]) == f->basis[k]);
        for (unsigned b = 0; b < l->big_bits; ++b) {
            CHECK(!(g.basis[to] >> b & 1u) || small_of(o, 1u << b));
        }
    }
}

static void layouts_cross_operations_with_their_elements(void) {
    for (unsigned n = 0; n < 6000u; ++n) {
        begin(2);
        const unsigned op = random_shape_op();
        const ll_engine_op *o = &engine.op[op];
        const ll_engine_link_ l = ll_engine_link_of_(&engine, o);
        const unsigned in = engine.value[engine.operand[o->at]].bits;
        const unsigned out =
            engine.value[engine.operand[o->at + o->n_in]].bits;
        const int shrinks =
            o->kind == LL_ENGINE_REDUCE || o->kind == LL_ENGINE_SPLIT;
        CHECK(l.big_bits == (shrinks ? in : out));
        CHECK(l.small_bits == (shrinks ? out : in));
        CHECK((l.big_is_in != 0) == shrinks);
        ll_engine_flat f = random_columns(l.big_bits);
        if (test_random(2) && f.n[0]) { /* a pair of its own */
            unsigned pair = 0;
            for (unsigned b = 0; b < l.big_bits; ++b) {
                pair |= small_of(o, 1u << b) == 0 ? 1u << b : 0u;
            }
            for (unsigned k = 0; k < (unsigned)f.n[0] + f.n[1] + f.n[2]; ++k) {
                f.basis[k] &= test_random(9) ? ~pair : ~0u;
                f.basis[k] |= k < f.n[0] && !f.basis[k] && l.big_bits;
            }
            f.basis[test_random(3) ? 0u : test_random(f.n[0])] = pair;
        }
        check_shrunk(o, &l, &f);
        f = random_columns(l.small_bits);
        check_grown(o, &l, &f);
    }
    /* a lane holds at most 2^12 registers, a layout LL_MAX_BITS columns */
    for (unsigned n = 0; n < 14u; ++n) {
        for (unsigned more = 1; more < 14u; ++more) {
            for (unsigned threads = 5; threads < 21u; ++threads) {
                sizes a = LL_ZERO;
                ll_engine_spec s = LL_ZERO;
                unsigned v = 0;
                ll_engine_flat f = LL_ZERO;
                ll_engine_flat g = LL_ZERO;
                begin(2);
                a.rank = 1;
                v = source(&a, 8);
                s.kind = LL_ENGINE_BROADCAST;
                s.n_in = 1;
                s.in = &v;
                s.rank = 1;
                s.size[0] = (unsigned char)more;
                const unsigned op = ll_engine_add(&engine, s);
                const ll_engine_link_ l =
                    ll_engine_link_of_(&engine, &engine.op[op]);
                f.n[0] = (unsigned char)n;
                f.n[1] = (unsigned char)threads;
                CHECK(ll_link_grow_(&l, &f, &g) ==
                      (n + more <= 12u && n + threads + more <= LL_MAX_BITS));
            }
        }
    }
}

/* ---- The order of k ----------------------------------------------------- */

/* Linear maps of bits: a map that takes each u to its v, if there is one. */
static void orders_of_k_are_linear_maps(void) {
    unsigned good = 0;
    for (unsigned n = 0; n < 3000u; ++n) {
        ll_engine_spec s = LL_ZERO;
        sizes a = LL_ZERO;
        unsigned in[2];
        begin(2);
        a.rank = 2;
        a.at[0] = 3;
        a.at[1] = 3;
        in[0] = source(&a, 16);
        in[1] = source(&a, 16);
        s.kind = LL_ENGINE_DOT;
        s.n_in = 2;
        s.in = in;
        const unsigned op = ll_engine_add(&engine, s);
        const unsigned side = test_random(2);
        ll_engine_flat f = LL_ZERO;
        ll_engine_flat g = LL_ZERO;
        f.n[0] = g.n[0] = 2;
        f.n[1] = g.n[1] = 5;
        f.n[2] = g.n[2] = 1;
        unsigned map[3]; /* where the bits of k go */
        for (unsigned k = 0; k < 3u; ++k) {
            map[k] = test_random(3) ? 1u << test_random(3) : test_random(8);
        }
        for (unsigned k = 0; k < 8u; ++k) {
            const unsigned at = test_random(k + 1u);
            f.basis[k] = f.basis[at];
            f.basis[at] = k < 6u ? 1u << k : test_random(2) * test_random(64);
        }
        for (unsigned k = 0; k < 8u; ++k) {
            const unsigned low = side ? 3u : 0u;
            const unsigned u = f.basis[k] >> low & 7u;
            unsigned v = 0;
            for (unsigned b = 0; b < 3u; ++b) {
                v ^= u >> b & 1u ? map[b] : 0u;
            }
            g.basis[k] = (f.basis[k] & ~(7u << low)) | v << low;
            g.basis[k] ^= test_random(30) ? 0u : test_random(64);
        }
        /* is there a linear map, one to one, of k alone? */
        int ok = 1;
        unsigned taken[8], back[8];
        memset(taken, 255, sizeof taken);
        memset(back, 255, sizeof back);
        for (unsigned x = 0; x < 256u; ++x) {
            unsigned p = 0;
            unsigned q = 0;
            for (unsigned k = 0; k < 8u; ++k) {
                p ^= x >> k & 1u ? f.basis[k] : 0u;
                q ^= x >> k & 1u ? g.basis[k] : 0u;
            }
            const unsigned k = side ? p / 8u : p % 8u;
            const unsigned is = side ? q / 8u : q % 8u;
            ok = ok && (side ? p % 8u == q % 8u : p / 8u == q / 8u) &&
                 (taken[k] == ~0u || taken[k] == is) &&
                 (back[is] == ~0u || back[is] == k);
            taken[k] = is;
            back[is] = k;
        }
        ll_engine_fix(&engine, op, side,
                      ll_engine_flat_id(&engine, in[side], f));
        const unsigned first = engine.fixed[engine.op[op].at + side];
        ll_engine_flat h = f; /* the other operand, in the order of f */
        for (unsigned k = 0; k < 8u; ++k) {
            const unsigned i = f.basis[k] >> 3;
            const unsigned j = f.basis[k] & 7u;
            h.basis[k] = j << 3 | i;
        }
        ll_engine_fix(&engine, op, !side,
                      ll_engine_flat_id(&engine, in[!side], h));
        unsigned id = ll_engine_flat_id(&engine, in[side], g);
        const int onto = !engine.err;
        if (!onto) { /* it does not hold every element: no order of k */
            CHECK(!ok);
            continue;
        }
        ll_engine_turn_ t;
        const int found = ll_engine_turn_of_(&engine, &engine.op[op], side, id,
                                             &t);
        if (f.n[0] != engine.flat[first].n[0] ||
            g.n[0] != engine.flat[id].n[0]) {
            continue; /* registers without a column: other layouts */
        }
        CHECK((found != 0) == ok);
        if (!ok) {
            continue;
        }
        ++good;
        CHECK(ll_engine_turned_(&engine, &engine.op[op], side, &t) == id);
        const unsigned other =
            ll_engine_turned_(&engine, &engine.op[op], !side, &t);
        const ll_engine_flat *is = &engine.flat[other];
        for (unsigned k = 0; k < 8u && is->n[0] == 2u; ++k) {
            const unsigned low = side ? 0u : 3u;
            const unsigned u = h.basis[k] >> low & 7u;
            CHECK(is->basis[k] ==
                  ((h.basis[k] & ~(7u << low)) | taken[u] << low));
        }
        unsigned tuple[3] = {side ? other : id, side ? id : other, 0};
        CHECK(ll_engine_is_in_order_(&engine, &engine.op[op], tuple));
        tuple[!side] = engine.fixed[engine.op[op].at + !side];
        CHECK(ll_engine_is_in_order_(&engine, &engine.op[op], tuple) ==
              (tuple[!side] == other));
        tuple[!side] = other;
        tuple[side] = first;
        CHECK(ll_engine_is_in_order_(&engine, &engine.op[op], tuple) ==
              (first == id));
    }
    COVERS(good > 300u);
}

/* A graph of constants alone costs nothing, and so does none. What a loop
 * yields unchanged stays where it is. */
static void what_does_nothing_costs_nothing(void) {
    static const char *const all[] = {
        "", "c = constant 32x32:32\n",
        "c = constant 32x32:32\nd = trans c order=1x0\nsink d\n",
        START(ROW) "loop 4 a = x\nyield a -> b\nsink b in0=\"" ROW "\"\n",
        START(ROW) "loop 4 a = x, c = x\nyield c, a -> b, d\nsink d in0=\""
        ROW "\"\n"};
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        CHECK(cost_of(all[n], 2) == 0 && ll_engine_bound(&engine) == 0);
        CHECK(!ll_engine_moves(&engine));
    }
    const unsigned long long one = plan_cost(ROW, COLUMN, 32);
    CHECK(cost_of(START(ROW) "loop 4 a = x\nyield a -> b\nsink b in0=\"" COLUMN
                  "\"\n", 2) == one);
    CHECK(cost_of(START(ROW) "loop 4 a = x\nsink a in0=\"" COLUMN "\"\n"
                  "yield a -> b\n", 2) == one);
}

/* With any amount of memory nothing is written behind it, whatever was in it
 * before, and there is the same result or the error. */
static void nothing_is_written_behind_the_memory(void) {
    static const char *const all[] = {
        "x = load 16x8:32\ny = map x\nstore y\nstore y\n",
        "c = constant 8x8:32\nx = map c\nt = trans x order=1x0\nstore t\n"
        "store x\n"};
    unsigned enough = 0;
    for (unsigned n = 0; n < 2u; ++n) {
        unsigned long long cost = 0;
        unsigned bytes = MEMORY / 2u;
        unsigned step = 0;
        while (bytes) {
            memset(memory, n ? 0xa5 : 0xff, sizeof memory / 8u);
            memset(memory + bytes, 0x5a, 4096);
            ll_engine_begin(&engine, memory, bytes, LL_SM80, 2, 1);
            engine.most = 2;
            engine.table = n ? 2u : 0u;
            const int ok = ll_engine_parse(&engine, all[n]) &&
                           ll_engine_solve(&engine);
            CHECK(ok || (engine.err == LL_ENGINE_EARENA && step));
            if (ok) {
                cost = step ? cost : ll_engine_cost(&engine);
                CHECK(ll_engine_cost(&engine) == cost && cost);
                const unsigned bad = ll_engine_check(&engine);
                CHECK(bad == LL_ENGINE_PROVEN ||
                      (bad == LL_ENGINE_BAD_MEMORY && step));
                ++enough;
            }
            for (unsigned k = 0; k < 4096u; ++k) {
                if (memory[bytes + k] != 0x5au) {
                    CHECK(0);
                    break;
                }
            }
            /* from a little more than is needed on down, each size */
            bytes = step ? bytes : (unsigned)engine.used * 2u + 256u;
            bytes &= ~15u;
            step = 16;
            bytes = bytes < step ? 0u : bytes - step;
        }
    }
    COVERS(enough > 20u);
}

/* A table may have as many entries as allowed, and no more. An unknown may
 * have any number of functions. */
static void tables_have_their_limit(void) {
    for (unsigned n = 0; n < 40u; ++n) {
        ll_engine_solution_ s = LL_ZERO;
        begin(2);
        engine.table = 120u + n % 10u;
        engine.nodes = 10000;
        for (unsigned x = 0; x < 3u; ++x) {
            ll_engine_var_new_(&engine, &s, 0, x);
            for (unsigned k = 0; k < 5u; ++k) {
                ll_engine_label_(&engine, &s, k);
            }
        }
        for (unsigned x = 0; x < 3u; ++x) { /* each two: 5 x 5 x 5 entries */
            const unsigned both[2] = {x, (x + 1u) % 3u};
            const unsigned f = ll_engine_fn_new_(&engine, &s, 2, both);
            for (unsigned t = 0; t < 25u; ++t) {
                s.fn[f].table[t] = test_random(9);
            }
        }
        ll_engine_eliminate_all_(&engine, &s);
        CHECK((s.cut != 0) == (engine.table < 125u));
    }
    for (unsigned n = 60; n < 70u; ++n) {
        ll_engine_solution_ s = LL_ZERO;
        unsigned long long sum[3] = {0, 0, 0};
        unsigned best = 0;
        begin(2);
        engine.table = 1000;
        engine.nodes = 10000;
        ll_engine_var_new_(&engine, &s, 0, 0);
        for (unsigned k = 0; k < 3u; ++k) {
            ll_engine_label_(&engine, &s, k);
        }
        for (unsigned k = 0; k < n; ++k) {
            const unsigned one = 0;
            const unsigned f = ll_engine_fn_new_(&engine, &s, 1, &one);
            for (unsigned t = 0; t < 3u; ++t) {
                s.fn[f].table[t] = test_random(50);
                sum[t] += s.fn[f].table[t];
                best = sum[t] < sum[best] ? t : best;
            }
        }
        for (unsigned t = 0; t < 3u; ++t) {
            best = sum[t] < sum[best] ? t : best;
        }
        ll_engine_eliminate_all_(&engine, &s);
        ll_engine_search_(&engine, &s);
        CHECK(s.cost == sum[best] && s.bound <= s.cost && s.optimal);
    }
}

/* The axis of an operation is j; what is slower is i, what is faster k. */
static void axes_are_told_apart(void) {
    for (unsigned n = 0; n < 300u; ++n) {
        sizes a = LL_ZERO;
        begin(2);
        a.rank = 1u + test_random(4);
        unsigned bits[3] = {0, 0, 0};
        const unsigned axis = test_random(a.rank);
        for (unsigned k = 0; k < a.rank; ++k) {
            a.at[k] = test_random(4);
            bits[k < axis ? 0 : k > axis ? 2 : 1] += a.at[k];
        }
        const unsigned v = source(&a, 32);
        const ll_engine_flat f =
            ll_engine_rows_(&engine, &engine.value[v], axis, 1);
        const ll_layout w =
            ll_engine_wide_(&f, total(&a), &engine.value[v], axis);
        CHECK(!w.err && bits_in(&w.out) == total(&a));
        CHECK(held_bits(&w.out, LL_I) == bits[0]);
        CHECK(held_bits(&w.out, LL_J) == bits[1]);
        CHECK(held_bits(&w.out, LL_K) == bits[2]);
        CHECK(held_bits(&w.in, LL_REGISTER) == f.n[0]);
        CHECK(bits_in(&w.in) == f.n[0] + 6u);
        for (unsigned k = 0; k < f.n[0] + 6u; ++k) {
            const unsigned i = f.basis[k] >> (bits[1] + bits[2]);
            const unsigned j = f.basis[k] >> bits[2] & ((1u << bits[1]) - 1u);
            const unsigned r = f.basis[k] & ((1u << bits[2]) - 1u);
            CHECK(value(&w, 1u << k) == (placed(&w.out, LL_I, i) ^
                                         placed(&w.out, LL_J, j) ^
                                         placed(&w.out, LL_K, r)));
        }
    }
}

/* Prices of sorts come from the caller; all ones say that there is none. */
static unsigned sort_says, sort_bytes;

static unsigned sorter(ll_layout a, ll_dim d, unsigned element_bits,
                       ll_target t, unsigned *bytes) {
    CHECK(!a.err && d == LL_J && element_bits == 16u && t.lanes == 32u);
    *bytes = sort_bytes;
    return sort_says;
}

static void sorts_cost_what_the_caller_says(void) {
    static const unsigned says[] = {0, 1, 100, ~1u, ~0u};
    for (unsigned n = 0; n < 10u; ++n) {
        sort_says = says[n / 2u];
        sort_bytes = 64u + n % 2u;
        begin(2);
        engine.sort = sorter;
        engine.scratch = 64;
        CHECK(ll_engine_parse(&engine, "x = source 32x32:16 out0=\"" ROW
                              "\"\ny = sort x axis=1\n"));
        const int ok = ll_engine_solve(&engine);
        CHECK(ok == (n % 2u == 0));
        CHECK(!ok || ll_engine_cost(&engine) ==
                         (sort_says == ~0u ? 80000u : 8ull * sort_says));
        CHECK(ok || engine.err == LL_ENGINE_ESCRATCH);
    }
}

/* An operation may take as much shared memory as is allowed, and no more. */
static void operations_keep_within_their_memory(void) {
    static const char rows[] =
        "register: j0 j1 i3 i4 | lane: j2 j3 i0 i1 i2 | warp: j4";
    static const char *const ops[] = {"y = reduce x axis=1\n",
                                      "y = scan x axis=1\n",
                                      "y = gather x x axis=1\n"};
    const ll_layout a = ll_parse(rows);
    const unsigned bytes[] = {
        ll_reduce_of(a, LL_J, 32, LL_SM80).smem_bytes,
        ll_scan_of(a, LL_J, 32, LL_SM80).smem_bytes,
        ll_gather_of(a, a, LL_J, 32, LL_SM80).smem_bytes};
    for (unsigned n = 0; n < 3u; ++n) {
        CHECK(bytes[n] > 1u);
        for (unsigned less = 0; less < 2u; ++less) {
            char text[400];
            snprintf(text, sizeof text,
                     n < 2u ? "x = source 32x32:32 out0=\"%s\"\n%s"
                            : "x = source 32x32:32 out0=\"%s\"\n"
                              "y = gather x x axis=1 in0=\"%s\" out0=\"%s\"\n",
                     rows, n < 2u ? ops[n] : rows, rows);
            begin(2);
            engine.scratch = bytes[n] - less;
            CHECK(ll_engine_parse(&engine, text));
            CHECK(ll_engine_solve(&engine) == !less);
            CHECK(!less || engine.err == LL_ENGINE_ESCRATCH);
        }
    }
    for (unsigned t = 1; t < 100u; ++t) { /* what is ruled out stays so */
        CHECK(ll_engine_times_(LL_ENGINE_MANY_, t) == LL_ENGINE_MANY_);
        CHECK(ll_engine_times_(5, t) == 5u * t);
    }
}

/* A gather's source and its indices have layouts of their own. */
static void gathers_know_their_sides(void) {
    static const char wide[] =
        "register: j0 j1 i3 i4 | lane: j2 j3 j4 i0 i1 | warp: i2";
    static const char narrow[] =
        "register: j0 i4 | lane: j1 j2 i0 i1 i2 | warp: i3";
    char text[500];
    const unsigned long long cost =
        8ull * ll_gather_of(ll_parse(wide), ll_parse(narrow), LL_J, 32,
                            LL_SM80).cycles;
    snprintf(text, sizeof text,
             "x = source 32x32:32 out0=\"%s\"\nn = source 32x8:16 out0=\"%s\"\n"
             "y = gather x n axis=1 in0=\"%s\" in1=\"%s\"\n",
             wide, narrow, wide, narrow);
    CHECK(cost_of(text, 2) == cost);
    CHECK(engine.value[2].element_bits == 32u);
}

/* The number of a layout of seven bits in any order: a register, five lanes and
 * a warp. */
static unsigned random_order(unsigned v) {
    ll_engine_flat f = LL_ZERO;
    f.n[0] = 1;
    f.n[1] = 5;
    f.n[2] = 1;
    for (unsigned k = 0; k < 7u; ++k) {
        const unsigned at = test_random(k + 1u);
        f.basis[k] = f.basis[at];
        f.basis[at] = 1u << k;
    }
    return ll_engine_flat_id(&engine, v, f);
}

/* Each pair of layouts has a price of its own, and each layout its number. */
static void pairs_are_kept_apart(void) {
    static unsigned ids[40];
    sizes a = LL_ZERO;
    unsigned n = 0;
    begin(2);
    a.rank = 1;
    a.at[0] = 7;
    const unsigned v = source(&a, 32);
    while (n < 40u) {
        ids[n] = random_order(v);
        n += ids[n] == n;
    }
    for (unsigned k = 0; k < 3200u; ++k) {
        const unsigned from = k / 40u % 40u;
        const unsigned to = k % 40u;
        const unsigned bits = k < 1600u ? 32u : 16u;
        const ll_engine_pair_ *p =
            ll_engine_convert_(&engine, from, to, 7, bits);
        CHECK(p->a == from && p->b == to && p->element_bits == bits);
        CHECK(engine.pairs == k + 1u);
        CHECK(ll_engine_convert_(&engine, from, to, 7, bits)->next == p->next);
        CHECK(engine.pairs == k + 1u);
    }
    for (unsigned k = 0; k < n; ++k) {
        CHECK(ll_engine_flat_id(&engine, v, engine.flat[k]) == k);
    }
}

/* A layout may have 32 columns, and a value 2^24 elements. */
static void the_largest_layouts_are_priced(void) {
    sizes a = LL_ZERO;
    ll_engine_spec s = LL_ZERO;
    ll_engine_flat f = LL_ZERO;
    begin(8);
    a.rank = 2;
    a.at[0] = a.at[1] = 12;
    unsigned v = source(&a, 32);
    f.n[0] = 24;
    f.n[1] = 5;
    f.n[2] = 3;
    for (unsigned k = 0; k < 24u; ++k) {
        f.basis[k] = 1u << k;
    }
    s.kind = LL_ENGINE_STORE;
    s.n_in = 1;
    s.in = &v;
    s.contiguous[1] = 12;
    s.contiguous[2] = 13; /* there is no such axis */
    s.align = 16;
    const unsigned op = ll_engine_add(&engine, s);
    const unsigned id = ll_engine_flat_id(&engine, v, f);
    CHECK(id == 0 && !engine.err);
    CHECK(ll_engine_flat_id(&engine, v, f) == 0);
    ll_engine_flat g = LL_ZERO;
    unsigned moved[8] = LL_ZERO;
    CHECK(widest_of(&engine.op[op], &engine.value[v], &f, moved) == 2u);
    CHECK(ll_engine_access(&engine, op, v, id) ==
          (1ull << 22) * (16u + 4u * LL_SM80.cost[LL_COST_MEMORY] + 8u + 4u));
    const ll_engine_link_ l = ll_engine_link_of_(&engine, &engine.op[op]);
    CHECK(ll_link_shrink_(&l, &f, &g) && ll_flat_is_equal_(&f, &g));
    CHECK(ll_is_equal(ll_engine_layout(&engine, v, id),
                      ll_engine_layout(&engine, v, id)));
    CHECK(ll_engine_is_reorder_(&engine, id, id));
    f.n[0] = 25; /* 33 columns */
    CHECK(ll_engine_flat_id(&engine, v, f) == LL_ENGINE_NONE);
    CHECK(engine.err == LL_ENGINE_ELAYOUT);
}

/* What is stored of constants alone takes the layout of the cheapest access
 * that the registers have room for. */
static void constants_are_stored_where_it_is_cheapest(void) {
    for (unsigned n = 0; n < 60u; ++n) {
        char text[300];
        const unsigned two = n % 2u;
        const unsigned bits = 8u << n / 2u % 5u;
        const unsigned limit = n % 3u ? 0u : 8u << n % 4u;
        snprintf(text, sizeof text,
                 "p = constant 32x16:64\nc = constant 32x16:%u\n"
                 "store %s contiguous=%s align=%u\n",
                 bits, two ? "p c" : "c", n % 5u ? "1x16" : "32x1",
                 n % 7u ? 16u : 4u);
        begin(2);
        engine.registers = limit;
        CHECK(ll_engine_parse(&engine, text));
        unsigned long long least = ~0ull;
        const ll_engine_value x = engine.value[1];
        for (unsigned k = 0; k < 10u; ++k) {
            const ll_engine_flat f = ll_engine_rows_(&engine, &x, k / 5u,
                                                     k % 5u);
            const unsigned id = ll_engine_flat_id(&engine, 1, f);
            const unsigned words = ((1u << f.n[0]) * bits + 31u) / 32u;
            const unsigned long long c =
                access_cost(&engine.op[2], &x, &engine.flat[id]);
            least = c < least && (!limit || words <= limit) ? c : least;
        }
        const int ok = ll_engine_solve(&engine);
        CHECK(ok == (least != ~0ull));
        CHECK(ok ? ll_engine_cost(&engine) == least
                 : engine.err == LL_ENGINE_EREGISTERS && engine.wrong == 2u);
        unsigned tuple[2] = {0, 1};
        CHECK(!ok || (ll_engine_executed(&engine, 2, 0, tuple) &&
                      (!two || tuple[0] == tuple[1])));
        CHECK(!ok || access_cost(&engine.op[2], &x, &engine.flat[tuple[0]]) ==
                         least);
    }
}

/* A constant has, beside others, the layout that the rule of the operation
 * says. */
static void constants_have_the_layout_of_the_others(void) {
    unsigned tuple[4];
    CHECK(solved(START(ROW) "c = constant 32x32:32\n"
                 "y = map c x c in1=\"" ROW "\"\n"
                 "s = constant 32:32\ne = expand s axis=1\n"
                 "b = broadcast e 32x32 out0=\"" ROW "\"\n"
                 "l = constant 32x32:8\nj = join l l out0=\"register: k0 j0 j1 "
                 "i3 i4 | lane: j2 j3 j4 i0 i1 | warp: i2\"\n", 2));
    CHECK(ll_engine_executed(&engine, 2, 0, tuple));
    const unsigned row = ll_engine_id(&engine, 0, ll_parse(ROW));
    for (unsigned k = 0; k < 4u; ++k) {
        CHECK(tuple[k] == row);
    }
    CHECK(ll_engine_executed(&engine, 5, 0, tuple) && tuple[1] == row);
    CHECK(tuple[0] == ll_engine_id(&engine, engine.operand[engine.op[4].at],
                                   ll_parse("register: i3 i4 | lane: 0 0 0 i0 "
                                            "i1 | warp: i2")));
    CHECK(ll_engine_executed(&engine, 7, 0, tuple));
    CHECK(tuple[0] == row && tuple[1] == row && tuple[2] != row);
    unsigned none[2] = {LL_ENGINE_NONE, LL_ENGINE_NONE};
    CHECK(ll_engine_price(&engine, 0, none) == 0);
    begin(2);
    ll_engine_loop(&engine, 4);
    none[0] = 0;
    CHECK(ll_engine_price(&engine, 0, none) == 0);
}

/* ---- Constants ---------------------------------------------------------- */

/* A graph in the steps in which a compiler solves it: lists in a pool, prices
 * one by one, then the choice in another pool. */
static ll_engine_pool_ pool[2];

static ll_assignment in_steps(const char *text, unsigned warps,
                              ll_engine_family family) {
    static unsigned long long price[400];
    static const ll_engine_pool_ empty = LL_ZERO;
    ll_engine e = LL_ZERO;
    pool[0] = empty;
    ll_engine_start_(&e, LL_SM90, warps, 1);
    e.pool = &pool[0];
    e.family = family;
    ll_assign_limits_(&e);
    ll_engine_parse(&e, text);
    ll_engine_prepare_(&e);
    ll_assign_pairs_(&e);
    const unsigned jobs = e.err ? 0u : e.pairs + e.jobs;
    CHECK(jobs <= 400u);
    for (unsigned k = 0; k < jobs; ++k) {
        price[k] = ll_assign_price_(&e, k);
    }
    ll_engine last = e;
    pool[1] = pool[0];
    last.pool = &pool[1];
    ll_engine_move_(&last, &pool[0]);
    memset(&pool[0], 0xa5, sizeof pool[0]); /* nothing is read there */
    for (unsigned k = 0; k < last.pairs && !last.err; ++k) {
        last.pair[k].cost = price[k] >> 4;
        last.pair[k].kind = (unsigned)(price[k] & 15u);
    }
    for (unsigned k = 0; k < last.jobs && !last.err; ++k) {
        last.price[last.job[4u * k]] = price[last.pairs + k];
    }
    last.priced = 1;
    ll_engine_choose_(&last);
    return ll_assign_result_(&last);
}

/* The same when the program runs. */
static ll_assignment at_once(const char *text, unsigned warps,
                             ll_engine_family family) {
#if LL_CONSTEXPR
    ll_engine_begin(&engine, memory, MEMORY, LL_SM90, warps, 1);
    engine.family = family;
    ll_assign_limits_(&engine);
    ll_engine_parse(&engine, text);
    ll_engine_solve(&engine);
    return ll_assign_result_(&engine);
#else
    return ll_assign_(text, warps, LL_SM90, family, ll_sort_cycles);
#endif
}

static void constants_are_solved_in_steps(void) {
    static const struct {
        const char *text;
        unsigned n; /* of values */
    } all[] = {
        {"x = load 64x64:32 contiguous=1x64 align=16\nt = trans x order=1x0\n"
         "store t contiguous=1x64 align=16\n", 2},
        {"x = load 16x1024:32 contiguous=1x1024 align=16\n"
         "s = reduce x axis=1\nm = map s\nm1 = expand m axis=1\n"
         "mb = broadcast m1 16x1024\nd = map x mb\nv = reduce d axis=1\n"
         "c = scan d axis=1 cost=2\nt = trans c order=1x0\n"
         "store t contiguous=1x16 align=16\nstore v\n", 9},
        {"x = load 32x32:32 contiguous=1x32 align=16\n"
         "i = load 32x32:32 contiguous=32x1 align=16\n"
         "loop 4 a = x\ng = gather a i axis=1\nyield g -> b\n"
         "store b contiguous=1x32\n", 5},
        {"q = load 64x64:16 align=16 contiguous=1x64\n"
         "w = load 64x64:16 align=16 contiguous=1x64\n"
         "wt = trans w order=1x0\nc = dot q wt by=mma\n"
         "store c align=16 contiguous=1x64\n", 4},
        {"a = tma_load 64x64:16\nb = tma_load 64x64:16\nc = dot a b by=wgmma\n"
         "store c align=16 contiguous=1x64\n", 3},
        {"k = constant 32x32:32\nl = map k\n"
         "store l contiguous=1x32\nstore l contiguous=32x1\nstore k\n", 2}};
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        const ll_assignment a = in_steps(all[n].text, 4, ll_ptx_dot);
        const ll_assignment b = at_once(all[n].text, 4, ll_ptx_dot);
        CHECK(!a.err && !b.err && a.cost && a.cost == b.cost);
        CHECK(a.conversions == b.conversions && a.n == b.n);
        CHECK(a.n == all[n].n && a.character == b.character);
        CHECK(memcmp(a.value, b.value, sizeof a.value) == 0);
        for (unsigned v = 0; v < a.n; ++v) {
            char name[8] = LL_ZERO;
            memcpy(name, a.value[v].name, a.value[v].length);
            for (unsigned k = 0; k < 4u; ++k) {
                const ll_layout l = ll_assigned(a, name, k);
                CHECK((l.err == 0) == (k < a.value[v].n));
                CHECK(ll_assigned_has_(a, name, k) == !l.err);
            }
        }
    }
    CHECK(in_steps("x = load 4:32\ny = map z\n", 4, 0).err ==
          LL_ENGINE_EVALUE);
    CHECK(in_steps("x = load 4:32\ny = map z\n", 4, 0).character == 23u);
    CHECK(at_once("x = load 4:32\ny = map z\n", 4, 0).err ==
          LL_ENGINE_EVALUE);
    char many[1000] = "x = load 4:32\n"; /* more values than are kept */
    for (unsigned k = 0; k < 24u; ++k) {
        snprintf(many + strlen(many), sizeof many - strlen(many),
                 "y%u = map x\n", k);
        const ll_assignment a = at_once(many, 4, 0);
        CHECK(a.err == (k == 23u ? (unsigned)LL_ENGINE_EARENA : 0u));
        CHECK(a.n == (k == 23u ? 0u : k + 2u));
    }
}

/* ---- Candidates of single operations ------------------------------------ */

static void prepared(const char *text, unsigned warps) {
    begin(warps);
    engine.most = 24;
    engine.family = ll_ptx_dot;
    CHECK(ll_engine_parse(&engine, text));
    ll_engine_prepare_(&engine);
    CHECK(!engine.err && !engine.dropped[0]);
}

static int has_candidate(unsigned v, unsigned id) {
    const ll_engine_value *x = &engine.value[v];
    for (unsigned k = 0; k < x->n; ++k) {
        if (engine.candidate[x->first + k] == id) {
            return 1;
        }
    }
    return 0;
}

static int has_rows(unsigned v, unsigned axis, unsigned wide) {
    const ll_engine_value x = engine.value[v];
    return has_candidate(
        v, ll_engine_flat_id(&engine, v,
                             ll_engine_rows_(&engine, &x, axis, wide)));
}

/* All candidates of one value are those of the other. */
static int share_candidates(unsigned v, unsigned w) {
    int all = engine.value[v].n == engine.value[w].n;
    for (unsigned k = 0; all && k < engine.value[v].n; ++k) {
        all = has_candidate(w, engine.candidate[engine.value[v].first + k]);
    }
    return all;
}

/* An access is offered each axis, with single elements and with 16 bytes. */
static void accesses_are_offered_rows(void) {
    for (unsigned n = 0; n < 10u; ++n) {
        const unsigned bits = 8u << n / 2u;
        unsigned wide = 0;
        while ((bits / 8u) << wide < 16u) {
            ++wide;
        }
        char text[300];
        snprintf(text, sizeof text,
                 n % 2u ? "p = constant 4x8x16:64\nc = source 4x8x16:%u\n"
                          "store p c\n"
                        : "x = load 4x8x16:%u\n",
                 bits);
        prepared(text, 2);
        const unsigned v = n % 2u;
        CHECK(engine.value[v].element_bits == bits);
        for (unsigned axis = 0; axis < 3u; ++axis) {
            CHECK(has_rows(v, axis, 0) && has_rows(v, axis, wide));
        }
        CHECK(engine.value[v].n <= 6u);
    }
}

/* A reordering takes any layout for any other of as many registers; its result
 * may hold whole lines. A gather's result has the layouts of its indices. */
static void reorders_and_gathers_have_their_candidates(void) {
    prepared("x = load 16x32:32\ny = reorder x 32x16\nstore y\n", 2);
    for (unsigned k = 0; k < engine.value[0].n; ++k) {
        CHECK(has_candidate(
            1, engine.candidate[engine.value[0].first + k]));
    }
    CHECK(share_candidates(0, 1));
    CHECK(has_rows(1, 0, 5) && has_rows(1, 1, 4));
    prepared("x = load 16x32:32\ny = reorder x 32x16\n", 2);
    CHECK(share_candidates(0, 1) && has_rows(1, 0, 5) && has_rows(1, 1, 4));
    const ll_engine_op *o = &engine.op[1];
    unsigned count = 0;
    for (unsigned a = 0; a < engine.value[0].n; ++a) {
        for (unsigned b = 0; b < engine.value[1].n; ++b) {
            count += engine.flat[engine.candidate[engine.value[0].first + a]]
                         .n[0] ==
                     engine.flat[engine.candidate[engine.value[1].first + b]]
                         .n[0];
        }
    }
    CHECK(o->n == count); /* none of them has copies */
    prepared("x = source 16x32:32 out0=\"register: j0 j1 j2 | lane: j3 j4 i0 "
             "i1 i2 | warp: i3\"\ni = load 16x8:32\ny = gather x i axis=1\n"
             "store y in0=\"register: j0 | lane: i0 i1 i2 i3 j1 | warp: j2\"\n",
             2);
    CHECK(share_candidates(1, 2) && engine.value[0].n == 1u);
    CHECK(engine.value[1].n > 2u && engine.op[2].n == engine.value[1].n);
    prepared("x = load 16x8:32\ni = source 16x8:32 out0=\"register: j0 | lane: "
             "i0 i1 i2 i3 j1 | warp: j2\"\ny = gather x i axis=1\n", 2);
    CHECK(engine.value[1].n == 1u && engine.value[2].n == 1u);
    CHECK(engine.value[0].n > 2u && engine.op[2].n == engine.value[0].n);
}

/* What operations on shapes make of constants is free, unless it is fixed. */
static void shapes_of_constants_are_free(void) {
    static const struct {
        const char *text;
        int is_free;
    } all[] = {
        {"y = trans c order=1x0\n", 1},   {"y = reshape c 64x4\n", 1},
        {"y = expand c axis=1\n", 1},     {"y = broadcast c 16x16\n", 1},
        {"y = join c c\n", 1},            {"y, z = split d\n", 1},
        {"y = convert c\n", 1},           {"y = map c cost=0\n", 1},
        {"y = map c\n", 0},               {"y = reduce c axis=0\n", 0},
        {"y = scan c axis=0\n", 0},       {"y = gather c c axis=0\n", 0},
        {"y = reorder c 16x16\n", 0},
        {"y = map c x cost=0\n", 0},      {"y = map x c cost=0\n", 0},
        {"y = trans c order=1x0 cost=1\n", 0},
        {"y = map c cost=0 in0=\"lane: j0 j1 j2 j3 i0 | warp: i1 | register: "
         "i2 i3\"\n", 0},
        {"y = map c cost=0 out0=\"lane: j0 j1 j2 j3 i0 | warp: i1 | register: "
         "i2 i3\"\n", 0}};
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        char text[400];
        snprintf(text, sizeof text,
                 "x = load 16x16:32\nc = constant 16x16:32\n"
                 "d = constant 16x2:32\n%s", all[n].text);
        prepared(text, 2);
        CHECK(engine.value[3].is_free == (unsigned)all[n].is_free);
        CHECK(all[n].is_free ? engine.value[3].n == 0 : engine.value[3].n != 0);
    }
    prepared("c = constant 16x16:32 out0=\"lane: j0 j1 j2 j3 i0 | warp: i1 | "
             "register: i2 i3\"\n", 2);
    CHECK(!engine.value[0].is_free && engine.value[0].n == 1u);
}

/* The k that each k of the instructions is where operand `side` has layout id;
 * 0 if it is not theirs in another order of k. */
static int order_of(unsigned p, unsigned side, unsigned id, unsigned *order) {
    const ll_engine_op *o = &engine.op[p];
    const ll_engine_value *v = &engine.value[engine.operand[o->at + side]];
    const ll_engine_flat *f = &engine.flat[engine.fixed[o->at + side]];
    const ll_engine_flat *g = &engine.flat[id];
    const unsigned low = side ? v->size[1] : 0u;
    const unsigned size = 1u << v->size[side ? 0 : 1];
    const unsigned mask = (size - 1u) << low;
    unsigned seen = 0;
    for (unsigned k = 0; k < size; ++k) {
        order[k] = ~0u;
    }
    if (f->n[0] != g->n[0]) {
        return 0;
    }
    for (unsigned x = 0; x < 1u << (f->n[0] + 7u); ++x) {
        unsigned a = 0;
        unsigned b = 0;
        for (unsigned k = 0; k < f->n[0] + 7u; ++k) {
            a ^= x >> k & 1u ? f->basis[k] : 0u;
            b ^= x >> k & 1u ? g->basis[k] : 0u;
        }
        const unsigned k = (a & mask) >> low;
        const unsigned is = (b & mask) >> low;
        if ((a & ~mask) != (b & ~mask) || (order[k] != ~0u && order[k] != is)) {
            return 0;
        }
        seen += order[k] == ~0u;
        order[k] = is;
    }
    for (unsigned k = 0; k < size; ++k) {
        for (unsigned j = 0; j < k; ++j) {
            if (order[j] == order[k]) {
                return 0;
            }
        }
    }
    return seen == size;
}

/* Each order of k that one operand may have the other one may have as well;
 * in one of them lanes hold 16 bytes in a row along k. */
static void both_operands_have_an_order_of_k(void) {
    static const char *const ends[] = {
        "", "store a contiguous=1x32\n", "store b contiguous=1x32\n"};
    unsigned pairs = 0;
    for (unsigned n = 0; n < 12u; ++n) {
        const unsigned bits = n % 4u < 2u ? 16u : 8u;
        const unsigned deep = bits == 16u ? 32u : 64u;
        char text[400];
        snprintf(text, sizeof text,
                 "a = %s 64x%u:%u%s\nb = %s %ux32:%u%s\nc = dot a b by=mma\n%s",
                 n % 2u ? "load" : "source", deep, bits,
                 n % 2u ? " contiguous=1x32" : "",
                 n % 4u ? "load" : "source", deep, bits,
                 n % 4u ? " contiguous=1x32" : "", ends[n / 4u]);
        prepared(text, 4);
        const ll_engine_op *o = &engine.op[2];
        CHECK(engine.value[o->n_in].n == 1u); /* the result: as it is said */
        unsigned instances = 0;
        for (unsigned side = 0; side < 2u; ++side) {
            const ll_engine_value *v = &engine.value[side];
            const ll_engine_value *w = &engine.value[!side];
            unsigned mine[64] = LL_ZERO;
            unsigned other[64] = LL_ZERO;
            unsigned long_ones = 0;
            for (unsigned k = 0; k < v->n; ++k) {
                const unsigned id = engine.candidate[v->first + k];
                const ll_engine_flat *f = &engine.flat[id];
                const unsigned low = side ? v->size[1] : 0u;
                unsigned run = 0; /* log2 of the neighbours along k */
                for (unsigned r = 0; r < f->n[0]; ++r) {
                    for (unsigned j = 0; j < f->n[0]; ++j) {
                        run += f->basis[j] == 1u << (low + run);
                    }
                }
                if (!order_of(2, side, id, mine)) {
                    continue;
                }
                long_ones += bits << run >= 128u;
                unsigned found = 0;
                for (unsigned j = 0; j < w->n; ++j) {
                    found += order_of(2, !side,
                                      engine.candidate[w->first + j], other) &&
                             memcmp(mine, other, sizeof mine) == 0;
                }
                CHECK(found == 1u);
                pairs += found;
                instances += side == 0 && found;
            }
            CHECK(long_ones);
        }
        CHECK(o->n == instances);
    }
    COVERS(pairs > 30u);
}

/* What the caller offers is a candidate; of fixed layouts a value takes 24, of
 * others as many as the caller allows, 8 if he does not say. */
static void hints_and_limits_of_candidates(void) {
    for (unsigned n = 0; n < 40u; ++n) {
        ll_engine_spec s = LL_ZERO;
        sizes a = LL_ZERO;
        unsigned id[30];
        begin(2);
        a.rank = 1;
        a.at[0] = 7;
        unsigned v = source(&a, 32);
        const unsigned other = source(&a, 32);
        for (unsigned k = 0; k < 30u;) {
            id[k] = random_order(v);
            k += id[k] == k;
        }
        const unsigned count = n % 15u * 2u;
        const int fixes = n >= 15u;
        s.kind = LL_ENGINE_SINK;
        s.n_in = 1;
        s.in = &v;
        for (unsigned k = 0; k < count; ++k) {
            if (fixes) {
                ll_engine_fix(&engine, ll_engine_add(&engine, s), 0, id[k]);
            } else {
                ll_engine_hint(&engine, v, id[k]);
            }
        }
        ll_engine_hint(&engine, other, id[29]);
        ll_engine_hint(&engine, 2, id[0]); /* no such value, no such layout */
        ll_engine_hint(&engine, v, engine.flats);
        engine.most = n % 2u ? 5u : n % 3u ? 100u : 0u;
        ll_engine_prepare_(&engine);
        const unsigned most = fixes ? 24u : n % 2u ? 5u : n % 3u ? 24u : 8u;
        const unsigned want = count < most ? count : most;
        CHECK(engine.value[0].n == (want ? want : 1u));
        CHECK(engine.dropped[0] == count - want);
        for (unsigned k = 0; k < want; ++k) {
            CHECK(engine.candidate[engine.value[0].first + k] == id[k]);
        }
        CHECK(engine.value[other].n == 1u && has_candidate(other, id[29]));
        CHECK(engine.err == (fixes && count > 24u ? (unsigned)LL_ENGINE_EFIT
                                                  : (unsigned)LL_ENGINE_OK));
    }
}

/* Elements can be taken for others if there are as many in each thread, and
 * copies in the same threads. */
static void reorders_need_equal_copies(void) {
    unsigned equal = 0;
    for (unsigned n = 0; n < 3000u; ++n) {
        sizes a = LL_ZERO;
        ll_engine_flat f[2];
        unsigned id[2];
        unsigned copies[2] = {0, 0};
        begin(2);
        a.rank = 1;
        a.at[0] = 5;
        const unsigned v = source(&a, 32);
        for (unsigned k = 0; k < 2u; ++k) {
            const ll_engine_flat none = LL_ZERO;
            f[k] = none;
            f[k].n[0] = (unsigned char)test_random(3);
            f[k].n[1] = 5;
            f[k].n[2] = 1;
            for (unsigned b = 0; b < f[k].n[0] + 6u; ++b) {
                const unsigned at = test_random(b + 1u);
                f[k].basis[b] = f[k].basis[at];
                f[k].basis[at] = b < 5u ? 1u << b : 0u;
            }
            unsigned last = 0;
            for (unsigned b = 0; b < f[k].n[0]; ++b) {
                last += f[k].basis[b] != 0;
            }
            for (unsigned b = 0; b < 6u; ++b) {
                copies[k] |= !f[k].basis[f[k].n[0] + b] ? 1u << b : 0u;
            }
            copies[k] |= last << 8;
            id[k] = ll_engine_flat_id(&engine, v, f[k]);
        }
        CHECK(!engine.err);
        CHECK(ll_engine_is_reorder_(&engine, id[0], id[1]) ==
              (copies[0] == copies[1]));
        equal += copies[0] == copies[1];
    }
    COVERS(equal > 100u);
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(results_have_the_shape_of_the_definition);
    RUN(values_have_limits);
    RUN(operands_agree);
    RUN(kinds_have_their_operands);
    RUN(loops_count_their_trips);
    RUN(layouts_hold_every_element);
    RUN(layouts_in_words_are_flat);
    RUN(only_what_is_there_is_fixed);
    RUN(graphs_have_a_target);
    RUN(memory_is_kept);
    RUN(conversions_come_in_the_cheapest_order);
    RUN(beaten_labels_are_dropped);
    RUN(models_are_solved);
    RUN(searches_end_in_time);
    RUN(tables_have_the_least_sums);
    RUN(changed_proofs_are_refused);
    RUN(trees_need_no_larger_tables);
    RUN(tables_have_their_limit);
    RUN(accesses_cost_their_addresses);
    RUN(rows_are_counted_out);
    RUN(operations_cost_what_their_plans_cost);
    RUN(conversions_cost_what_their_plans_cost);
    RUN(light_operations_are_executed_again);
    RUN(axes_are_told_apart);
    RUN(sorts_cost_what_the_caller_says);
    RUN(operations_keep_within_their_memory);
    RUN(gathers_know_their_sides);
    RUN(pairs_are_kept_apart);
    RUN(the_largest_layouts_are_priced);
    RUN(constants_are_stored_where_it_is_cheapest);
    RUN(constants_have_the_layout_of_the_others);
    RUN(unknowns_are_sets_of_instances_and_layouts);
    RUN(candidates_are_carried_through);
    RUN(constants_are_free_and_what_follows_is_light);
    RUN(layouts_that_disagree_are_illegal);
    RUN(certificates_are_read_to_the_end);
    RUN(results_end_behind_the_last);
    RUN(nothing_is_written_behind_the_memory);
    RUN(what_does_nothing_costs_nothing);
    RUN(layouts_cross_operations_with_their_elements);
    RUN(orders_of_k_are_linear_maps);
    RUN(constants_are_solved_in_steps);
    RUN(accesses_are_offered_rows);
    RUN(reorders_and_gathers_have_their_candidates);
    RUN(shapes_of_constants_are_free);
    RUN(both_operands_have_an_order_of_k);
    RUN(hints_and_limits_of_candidates);
    RUN(reorders_need_equal_copies);
    RUN(texts_have_one_form);
    RUN(wrong_texts_say_where);
    return test_end();
}
