/* test_engine_rules.c - the rules of the layout engine, one at a time.
 * SPDX-License-Identifier: MIT
 *
 * Shapes of results are compared with lists of sizes. What is refused is refused
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

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(results_have_the_shape_of_the_definition);
    RUN(values_have_limits);
    RUN(operands_agree);
    RUN(kinds_have_their_operands);
    RUN(loops_count_their_trips);
    return test_end();
}
