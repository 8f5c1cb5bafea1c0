/* test_engine_rules.c - the rules of the layout engine, one at a time.
 * SPDX-License-Identifier: MIT
 *
 * Shapes of results are compared with lists of sizes, layouts with the elements
 * that each thread holds, texts with what they say. What is refused is refused
 * with the right error.
 */
#include "engine_random.h"

enum { NONE_OF = 99 };

/* ---- Shapes of results -------------------------------------------------- */

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
        begin_80(2);
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
        begin_80(2);
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
        begin_80(2);
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
                begin_80(2);
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
    begin_80(2);
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
        begin_80(2);
        while (!err) {
            const unsigned trips =
                test_random(3) == 0  ? 0u
                : test_random(2)     ? 1u
                : test_random(4) == 0 ? 1u << test_random(20)
                                     : 1u + test_random(40);
            ll_engine_loop(&engine, trips);
            err = trips ? (depth == 8u || runs[depth] * trips > 1u << 20
                               ? (unsigned)LL_ENGINE_ETRIPS
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
        begin_80(2);
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
        begin_80(2);
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
        begin_80(2);
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
        begin_80(2);
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
        begin_80(2);
        const unsigned v = source(&a, 32);
        CHECK(ll_engine_id(&engine, v, ll_parse(bad[n])) == LL_ENGINE_NONE);
        CHECK(engine.err == LL_ENGINE_ELAYOUT && engine.wrong == 0u);
    }
    ll_layout off = ll_parse(all[0].text);
    off.offset = 1;
    begin_80(2);
    source(&a, 32);
    CHECK(ll_engine_id(&engine, 1, ll_parse(all[0].text)) == LL_ENGINE_NONE);
    CHECK(engine.err == LL_ENGINE_EVALUE);
    begin_80(2);
    source(&a, 32);
    CHECK(ll_engine_id(&engine, 0, off) == LL_ENGINE_NONE);
    CHECK(engine.err == LL_ENGINE_ELAYOUT);
    /* in clusters threads of blocks hold parts as well */
    ll_engine_begin(&engine, arena, MEMORY, LL_SM90, 2, 4);
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
        begin_80(2);
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

/* Targets have at most 64 lanes, blocks 1024 threads, clusters 32 blocks. */
static void graphs_have_a_target(void) {
    for (unsigned n = 0; n < 140u; ++n) {
        for (unsigned k = 0; k < 3u; ++k) {
            const unsigned count = n;
            unsigned most = k ? 32u : 64u;
            ll_target t = LL_SM80;
            t.lanes = k == 0 ? count : 32u;
            ll_engine_begin(&engine, arena, MEMORY, t, k == 1u ? count : 4u,
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
    ll_engine_begin(&engine, arena, MEMORY, t, 4, 1);
    CHECK(engine.err == LL_ENGINE_ETARGET);
}

/* Nothing is written behind the memory, wherever it begins, and what is taken
 * is aligned and zero. */
static void memory_is_kept(void) {
    unsigned enough = 0;
    for (unsigned n = 0; n < 400u; ++n) {
        const unsigned skip = n % 17u;
        const unsigned bytes = 40u * n;
        memset(arena, 0xa5, sizeof arena);
        ll_engine_begin(&engine, arena + skip, bytes, LL_SM80, 2, 1);
        CHECK(((size_t)(engine.memory - arena) & 15u) ==
              ((0u - (size_t)arena) & 15u));
        CHECK(engine.memory - (arena + skip) < 16);
        const int ok = ll_engine_parse(&engine, "x = load 4:32\ny = map x\n");
        CHECK(ok || engine.err == LL_ENGINE_EARENA);
        CHECK(engine.used <= engine.bytes);
        CHECK(engine.memory + engine.bytes <= arena + skip + bytes ||
              engine.bytes == 0);
        for (unsigned k = 0; k < skip; ++k) {
            CHECK(arena[k] == 0xa5u);
        }
        for (unsigned k = skip + bytes; k < skip + bytes + 4096u; ++k) {
            CHECK(arena[k] == 0xa5u);
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

/* ---- Candidates --------------------------------------------------------- */

/* Of a layout that another operand, or the caller, contradicts no operation
 * is executed. */
static void layouts_that_disagree_are_illegal(void) {
    unsigned refused = 0;
    unsigned taken = 0;
    for (unsigned n = 0; n < 40u; ++n) {
        random_text(8, 4);
        begin_80(2);
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
        begin_80(2);
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
        begin_80(2);
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
        {"x = load 4:^129", LL_ENGINE_ELIMIT},
        {"x = load 4:^", LL_ENGINE_ETEXT},
        {"x = load 4:32 ^4", LL_ENGINE_ETEXT},
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
        {"x = load 4:32 cost=^4097", LL_ENGINE_ELIMIT},
        {"x = load 4:32 align=^4097", LL_ENGINE_ELIMIT},
        {"x = load 4:32 align=^x", LL_ENGINE_ETEXT},
        {"x = load 4:32\ny = scan x axis=^12", LL_ENGINE_ELIMIT},
        {"x = load 4:32 by=^", LL_ENGINE_ETEXT},
        {"x = load 4:32 contiguous=^3", LL_ENGINE_ESIZE},
        {"x = load 4:32 contiguous=^", LL_ENGINE_ETEXT},
        {"x = load 4:32\ny = trans x order=^12", LL_ENGINE_ESIZE},
        {"x = load 4:32\n^x = load 4:32", LL_ENGINE_ETWICE},
        {"x = load 4:32\ny = map x ^xx", LL_ENGINE_EVALUE},
        {"xx = load 4:32\ny = map ^x", LL_ENGINE_EVALUE},
        {"x = load 4:32\ny = map ^y", LL_ENGINE_EVALUE},
        {"x = load 4:32\ny = map ^\"x\"", LL_ENGINE_ETEXT},
        {"loop 0^", LL_ENGINE_ETRIPS},
        {"loop ^1048577", LL_ENGINE_ELIMIT},
        {"loop ^x", LL_ENGINE_ETEXT},
        {"loop 4 ^4 = x", LL_ENGINE_ETEXT},
        {"loop 4 a ^x", LL_ENGINE_ETEXT},
        {"loop 4 a = ^x", LL_ENGINE_EVALUE},
        {"yield^", LL_ENGINE_ELOOP},
        {"loop 4\nyield ^x", LL_ENGINE_EYIELD},
        {"loop 4\n^", LL_ENGINE_ELOOP},
        {"x = load 4:32\nloop 4 a = x\nyield ^z", LL_ENGINE_EVALUE},
        {"x = load 4:32\nloop 4 a = x\nyield x -> ^4", LL_ENGINE_ETEXT},
        {"x = load 4:32\nloop 4 a = x\nyield x -> ^x", LL_ENGINE_ETWICE},
        {"x = load 4:32\nloop 4 a = x\nyield x -> b ^c", LL_ENGINE_EYIELD},
        {"x = load 4:32\nloop 4 a = x\nyield x ^-", LL_ENGINE_EYIELD},
        {"x = load 4:32\nx16 = map x x x x x x x x x x x x x x x x ^x",
         LL_ENGINE_ECOUNT},
    };
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        char text[200];
        const unsigned at = unmarked(text, all[n].text);
        begin_80(2);
        const int ok = ll_engine_parse(&engine, text);
        CHECK(!ok && engine.err == all[n].err);
        CHECK(engine.character == at);
        if (engine.err != all[n].err || engine.character != at) {
            printf("%s: error %u at %u\n", all[n].text, engine.err,
                   engine.character);
        }
    }
}

/* ---- The order of k ----------------------------------------------------- */

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
            memset(arena, n ? 0xa5 : 0xff, sizeof arena / 8u);
            memset(arena + bytes, 0x5a, 4096);
            ll_engine_begin(&engine, arena, bytes, LL_SM80, 2, 1);
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
                if (arena[bytes + k] != 0x5au) {
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

/* A value carried by a loop that begins elsewhere reads as a loop. */
static void values_carried_elsewhere_have_a_loop(void) {
    static const char *const want[] = {
        "x = load 8:32\ny = map x 8:32\nloop 4 v2 = x\nyield y -> v3\n"
        "v4 = map v2 8:32\n",
        "x = load 8:32\ny = map x 8:32\nloop 4 v2 = x\nyield y -> v3\n"
        "loop 2\nv4 = map v2 8:32\nyield\n",
        "x = load 8:32\ny = map x 8:32\nloop 4 v2 = x\nv4 = map v2 8:32\n"
        "yield y -> v3\n",
        "x = load 8:32\ny = map x 8:32\nloop 4 v2 = x\nyield y -> v3\n"};
    for (unsigned n = 0; n < sizeof want / sizeof *want; ++n) {
        char once[400], again[400];
        ll_engine_spec s = LL_ZERO;
        begin(2);
        parsed("x = load 8:32\ny = map x\n");
        const unsigned op = ll_engine_carry(&engine, 0, 4);
        const unsigned inside = ll_engine_result(&engine, op, 0);
        ll_engine_yield(&engine, op, 1);
        if (n == 1u || n == 2u) {
            ll_engine_loop(&engine, 2u * n);
        }
        s.kind = LL_ENGINE_MAP;
        s.cost = 8;
        s.n_in = 1;
        s.in = &inside;
        if (n < 3u) {
            ll_engine_add(&engine, s);
        }
        if (n == 1u || n == 2u) {
            ll_engine_loop(&engine, 0);
        }
        ll_engine_print(&engine, once, sizeof once);
        CHECK(!engine.err && !strcmp(once, want[n]));
        begin(2);
        parsed(once);
        ll_engine_print(&engine, again, sizeof again);
        CHECK(!strcmp(once, again));
    }
}

/* An operation without layouts is told why: a lane would hold more than 2^12
 * elements on its bigger side, in one of the layouts of any of its values; or
 * nothing obeys its rule and what is fixed. */
static void the_widest_layout_is_the_reason(void) {
    static const char text[] =
        "x = source 2048:8 out0=\"register: i0 i1 i2 i3 i4 i5 i6 i7 i8 i9 "
        "i10\"\nw = source 2048:8 out0=\"register: i0 i1 i2 i3 i4 i5 i6 i7 i8 "
        "i9 i10\"\ny = join x w\n"
        "q = source 8192:8 out0=\"register: i0 i1 i2 i3 i4 i5 i6 i7 i8 i9 i10 "
        "i11 i12\"\n";
    begin(1);
    prepared(text);
    const ll_engine_op *o = &engine.op[2];
    const unsigned wide = engine.candidate[engine.value[3].first];
    CHECK(engine.flat[wide].n[0] == 13u);
    CHECK(ll_engine_unfit_(&engine, o) == LL_ENGINE_EFIT);
    for (unsigned v = 0; v < 3u; ++v) {
        ll_engine_value *x = &engine.value[v];
        CHECK(x->n < LL_ENGINE_MOST);
        engine.candidate[x->first + x->n] = wide;
        CHECK(ll_engine_unfit_(&engine, o) == LL_ENGINE_EFIT);
        ++x->n;
        CHECK(ll_engine_unfit_(&engine, o) == LL_ENGINE_EWIDE);
        --x->n;
    }
    engine.dropped[1] = 1;
    CHECK(ll_engine_unfit_(&engine, o) == LL_ENGINE_EREGISTERS);
    begin(1); /* one element more than there may be */
    parsed("x = source 4096:8 out0=\"register: i0 i1 i2 i3 i4 i5 i6 i7 i8 i9 "
           "i10 i11\"\ny = join x x\n");
    CHECK(!ll_engine_solve(&engine));
    CHECK(engine.err == LL_ENGINE_EWIDE && engine.wrong == 1u);
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
    RUN(layouts_that_disagree_are_illegal);
    RUN(nothing_is_written_behind_the_memory);
    RUN(texts_have_one_form);
    RUN(wrong_texts_say_where);
    RUN(values_carried_elsewhere_have_a_loop);
    RUN(the_widest_layout_is_the_reason);
    return test_end();
}
