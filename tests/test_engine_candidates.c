/* test_engine_candidates.c - the candidates of the layout engine.
 * SPDX-License-Identifier: MIT
 *
 * Layouts are carried through graphs at random here as well, element by element
 * or layout by layout, and the two must find the same.
 */
#include "engine_orders.h"
#include "engine_random.h"

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
        begin_80(2);
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
        begin_80(2);
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
        begin_80(2);
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
                begin_80(2);
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
        begin_80(2);
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

/* ---- Candidates of single operations ------------------------------------ */

static void prepared_for(const char *text, unsigned warps) {
    begin_80(warps);
    engine.most = 24;
    engine.family = ll_ptx_dot;
    CHECK(ll_engine_parse(&engine, text));
    ll_engine_prepare_(&engine);
    CHECK(!engine.err && !engine.dropped[0]);
}

static int has_rows(unsigned v, unsigned axis, unsigned wide) {
    const ll_engine_value x = engine.value[v];
    return has_candidate(
        v, ll_engine_flat_id(&engine, v,
                             ll_engine_rows_(&engine, &x, axis, wide)));
}

/* Returns whether two values have the same candidates. */
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
        prepared_for(text, 2);
        const unsigned v = n % 2u;
        CHECK(engine.value[v].element_bits == bits);
        for (unsigned axis = 0; axis < 3u; ++axis) {
            CHECK(has_rows(v, axis, 0) && has_rows(v, axis, wide));
        }
        CHECK(engine.value[v].n <= 6u);
    }
}

/* A reordering takes any layout for any other of as many registers; its result
 * may hold whole lines. A gather's result has the layouts of its indices. Both
 * sides of a gather have one more, with whole lines in a warp. */
static void reorders_and_gathers_have_their_candidates(void) {
    prepared_for("x = load 16x32:32\ny = reorder x 32x16\nstore y\n", 2);
    for (unsigned k = 0; k < engine.value[0].n; ++k) {
        CHECK(has_candidate(
            1, engine.candidate[engine.value[0].first + k]));
    }
    CHECK(share_candidates(0, 1));
    CHECK(has_rows(1, 0, 5) && has_rows(1, 1, 4));
    prepared_for("x = load 16x32:32\ny = reorder x 32x16\n", 2);
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
    prepared_for("x = source 16x32:32 out0=\"register: j0 j1 j2 | lane: j3 j4 i0 "
             "i1 i2 | warp: i3\"\ni = load 16x8:32\ny = gather x i axis=1\n"
             "store y in0=\"register: j0 | lane: i0 i1 i2 i3 j1 | warp: j2\"\n",
             2);
    CHECK(share_candidates(1, 2) && engine.value[0].n == 2u); /* and lines */
    CHECK(engine.value[1].n > 2u && engine.op[2].n == 2u * engine.value[1].n);
    prepared_for("x = load 16x8:32\ni = source 16x8:32 out0=\"register: j0 | lane: "
             "i0 i1 i2 i3 j1 | warp: j2\"\ny = gather x i axis=1\n", 2);
    CHECK(engine.value[1].n == 2u && engine.value[2].n == 2u);
    CHECK(engine.value[0].n > 2u && engine.op[2].n == 2u * engine.value[0].n);
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
        {"y = map c cost=0\n", 1},
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
        prepared_for(text, 2);
        CHECK(engine.value[3].is_free == (unsigned)all[n].is_free);
        CHECK(all[n].is_free ? engine.value[3].n == 0 : engine.value[3].n != 0);
    }
    prepared_for("c = constant 16x16:32 out0=\"lane: j0 j1 j2 j3 i0 | warp: i1 | "
             "register: i2 i3\"\n", 2);
    CHECK(!engine.value[0].is_free && engine.value[0].n == 1u);
    ll_engine_spec s = LL_ZERO; /* of a text, convert says where to */
    const unsigned in = 0;
    begin_80(2);
    CHECK(ll_engine_parse(&engine, "c = constant 16x16:32\n"));
    s.kind = LL_ENGINE_CONVERT;
    s.n_in = 1;
    s.in = &in;
    CHECK(ll_engine_add(&engine, s) == 1u);
    ll_engine_prepare_(&engine);
    CHECK(!engine.err && engine.value[1].is_free && !engine.value[1].n);
}

/* The k that each k of the instructions is where operand `side` has layout id;
 * 0 if it is not theirs in another order of k. */
static int own_order_of(unsigned p, unsigned side, unsigned id,
                        unsigned *order) {
    const ll_engine_op *o = &engine.op[p];
    const ll_engine_value *v = &engine.value[engine.operand[o->at + side]];
    const unsigned size = 1u << v->size[side ? 0 : 1];
    if (!order_of(o, side, engine.fixed[o->at + side], id, order)) {
        return 0;
    }
    for (unsigned k = 0; k < size; ++k) { /* each k once */
        for (unsigned j = 0; j < k; ++j) {
            if (order[j] == order[k]) {
                return 0;
            }
        }
        if (order[k] >= size) {
            return 0;
        }
    }
    return 1;
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
        prepared_for(text, 4);
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
                if (!own_order_of(2, side, id, mine)) {
                    continue;
                }
                long_ones += bits << run >= 128u;
                unsigned found = 0;
                for (unsigned j = 0; j < w->n; ++j) {
                    found += own_order_of(2, !side,
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
        begin_80(2);
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
        begin_80(2);
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

/* Values have room for few layouts. The one of a tile still reaches everything
 * that is computed from it, past layouts of rows that come the other way: then
 * nothing but rows is converted. */
static void tiles_reach_everything_made_of_them(void) {
    const char *maps = "a = map x cost=8\nb = map a cost=8\nc = map b cost=8\n"
                       "d = map c cost=8\ne = map d cost=8\nf = map e cost=8\n";
    for (unsigned most = 2; most <= 4u; ++most) {
        char text[800];
        snprintf(text, sizeof text,
                 "x = source 16x64:32 out0=\"lane: j0 j1 j2 j3 j4 | warp: i0 "
                 "i1 | register: j5 i2 i3\"\n%s"
                 "m = reduce f axis=1\nn = expand m axis=1\n"
                 "o = broadcast n 16x64\np = map f o cost=8\n"
                 "q = reduce p axis=1\nstore q contiguous=16 align=16\n", maps);
        begin_80(4);
        engine.most = most;
        CHECK(ll_engine_parse(&engine, text) && ll_engine_solve(&engine));
        const unsigned id = engine.fixed[engine.op[0].at];
        for (unsigned v = 0; v < 11u; ++v) { /* x, a .. f, o, p */
            CHECK(engine.value[v].bits != 10u || has_candidate(v, id));
        }
    }
}

/* A gather's sides may have layouts in which a warp holds whole lines of its
 * axis. Other axes follow in the other lanes, then in the warps. */
static void warps_hold_whole_lines_of_gathers(void) {
    static const struct {
        const char *text;
        const char *layout[2]; /* of the source, and of the other two */
    } all[] = {
        {"x = load 64x16:32\ni = load 64x16:32\ny = gather x i axis=0\n",
         {"register: i0 j2 j3 | lane: i1 i2 i3 i4 i5 | warp: j0 j1",
          "register: i0 j2 j3 | lane: i1 i2 i3 i4 i5 | warp: j0 j1"}},
        {"x = load 16x128:32\ni = load 16x128:32\ny = gather x i axis=1\n",
         {"register: j0 j1 i2 i3 | lane: j2 j3 j4 j5 j6 | warp: i0 i1",
          "register: j0 j1 i2 i3 | lane: j2 j3 j4 j5 j6 | warp: i0 i1"}},
        {"x = load 16x16:32\ni = load 16x4:32\ny = gather x i axis=1\n",
         {"register: i3 | lane: j0 j1 j2 j3 i0 | warp: i1 i2",
          "register: i3 | lane: j0 j1 0 0 i0 | warp: i1 i2"}},
        {"x = load 16x4:32\ni = load 16x16:32\ny = gather x i axis=1\n",
         {"lane: j0 j1 i0 i1 i2 | warp: i3 0",
          "register: j3 | lane: j0 j1 i0 i1 i2 | warp: i3 j2"}}};
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        prepared_for(all[n].text, 4);
        for (unsigned v = 0; v < 3u; ++v) {
            const unsigned id = ll_engine_id(
                &engine, v, ll_parse(all[n].layout[v != 0]));
            CHECK(id != LL_ENGINE_NONE && has_candidate(v, id));
        }
    }
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(candidates_are_carried_through);
    RUN(constants_are_free_and_what_follows_is_light);
    RUN(layouts_cross_operations_with_their_elements);
    RUN(orders_of_k_are_linear_maps);
    RUN(accesses_are_offered_rows);
    RUN(reorders_and_gathers_have_their_candidates);
    RUN(shapes_of_constants_are_free);
    RUN(both_operands_have_an_order_of_k);
    RUN(hints_and_limits_of_candidates);
    RUN(reorders_need_equal_copies);
    RUN(tiles_reach_everything_made_of_them);
    RUN(warps_hold_whole_lines_of_gathers);
    return test_end();
}
