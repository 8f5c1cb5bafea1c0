/* test_engine_orders.c - products, candidates and prices of the layout engine.
 * SPDX-License-Identifier: MIT
 *
 * Orders of what a product sums over are compared thread by thread; where a
 * candidate comes from with what that operation can ask for; prices with those
 * of single operations and of the planner.
 */
#include "engine_graphs.h"

static int is_rows(unsigned v, unsigned id) {
    const ll_engine_value x = engine.value[v];
    for (unsigned n = 0; n < 5u * x.rank; ++n) {
        if (ll_engine_flat_id(&engine, v,
                              ll_engine_rows_(&engine, &x, n / 5u, n % 5u)) ==
            id) {
            return 1;
        }
    }
    return 0;
}

/* ---- Orders of k -------------------------------------------------------- */

/* The k that each k of layout `first` of operand `side` is in layout `id`, over
 * all registers and threads; 0 if it is not that layout in another order. */
static int order_of(const ll_engine_op *o, unsigned side, unsigned first,
                    unsigned id, unsigned *order) {
    const ll_engine_value *v = &engine.value[engine.operand[o->at + side]];
    const ll_engine_flat *f = &engine.flat[first];
    const ll_engine_flat *g = &engine.flat[id];
    const unsigned low = side ? v->size[1] : 0u;
    const unsigned size = 1u << v->size[side ? 0 : 1];
    const unsigned mask = (size - 1u) << low;
    const unsigned columns = (unsigned)f->n[0] + f->n[1] + f->n[2];
    for (unsigned k = 0; k < size; ++k) {
        order[k] = ~0u;
    }
    if (f->n[0] != g->n[0]) {
        return 0;
    }
    for (unsigned x = 0; x < 1u << columns; ++x) {
        unsigned a = 0;
        unsigned b = 0;
        for (unsigned k = 0; k < columns; ++k) {
            a ^= x >> k & 1u ? f->basis[k] : 0u;
            b ^= x >> k & 1u ? g->basis[k] : 0u;
        }
        const unsigned k = (a & mask) >> low;
        const unsigned is = (b & mask) >> low;
        if ((a & ~mask) != (b & ~mask) || (order[k] != ~0u && order[k] != is)) {
            return 0;
        }
        order[k] = is;
    }
    return 1;
}

/* In all instances of a product a and b have the same order of k, also where
 * one of them is a constant; the orders are those of the instructions. */
static void operands_share_their_order_of_k(void) {
    static const char *const ends[] = {
        "", "store a contiguous=1x64\n", "store b contiguous=1x16\n",
        "m = map a\nstore m contiguous=16x1\n",
        "bt = trans b order=1x0\nstore bt contiguous=1x64\n"};
    static const char *const made[] = {"load", "source", "constant"};
    unsigned orders = 0;
    unsigned turned = 0;
    for (unsigned n = 0; n < 45u; ++n) {
        char text[600];
        const unsigned a = n % 3u;
        const unsigned b = n / 3u % 3u;
        if (a == 2u && b == 2u) {
            continue;
        }
        snprintf(text, sizeof text,
                 "z = load 2:64\na = %s 32x64:16\ny = load 2:64\n"
                 "b = %s 64x16:16\nw = load 2:64\nc = dot a b by=mma\n%s",
                 made[a], made[b], ends[n / 9u]);
        begin(4);
        engine.most = 24;
        prepared(text);
        const ll_engine_op *o = &engine.op[5];
        CHECK(o->kind == LL_ENGINE_DOT && o->n && ll_engine_is_ordered_(o));
        for (unsigned t = 0; t < o->n; ++t) {
            unsigned tuple[3], mine[64], other[64];
            ll_engine_numbers_(&engine, 5, t, tuple);
            CHECK(order_of(o, 0, engine.fixed[o->at], tuple[0], mine));
            CHECK(order_of(o, 1, engine.fixed[o->at + 1u], tuple[1], other));
            CHECK(!memcmp(mine, other, sizeof mine));
            CHECK(tuple[2] == engine.fixed[o->at + 2u]);
            CHECK(a == 2u || has_candidate(1, tuple[0]));
            CHECK(b == 2u || has_candidate(3, tuple[1]));
            orders += tuple[0] != engine.fixed[o->at];
            for (unsigned s = 0; s < t; ++s) { /* each order once */
                unsigned old[3];
                ll_engine_numbers_(&engine, 5, s, old);
                CHECK(old[0] != tuple[0] && old[1] != tuple[1]);
            }
            CHECK(ll_engine_is_in_order_(&engine, o, tuple));
            CHECK(ll_engine_is_legal_(&engine, 5, tuple));
            if (tuple[0] != engine.fixed[o->at]) { /* one alone is turned */
                tuple[1] = engine.fixed[o->at + 1u];
                CHECK(!ll_engine_is_in_order_(&engine, o, tuple));
                CHECK(!ll_engine_is_legal_(&engine, 5, tuple));
                ++turned;
            }
        }
        /* rows that change places are no order of k */
        ll_engine_flat swapped = engine.flat[engine.fixed[o->at]];
        unsigned rows[2] = {0, 0};
        for (unsigned k = 0; k < swapped.n[0] + 7u; ++k) {
            if (swapped.basis[k] && !(swapped.basis[k] & 63u)) {
                rows[0] = rows[1];
                rows[1] = k;
            }
        }
        const unsigned was = swapped.basis[rows[0]];
        swapped.basis[rows[0]] = swapped.basis[rows[1]];
        swapped.basis[rows[1]] = was;
        const unsigned other_rows[3] = {ll_engine_flat_id(&engine, 1, swapped),
                                        engine.fixed[o->at + 1u],
                                        engine.fixed[o->at + 2u]};
        CHECK(other_rows[0] != engine.fixed[o->at]);
        CHECK(!ll_engine_is_in_order_(&engine, o, other_rows));
        /* what a or b may have in any order of k is an instance */
        for (unsigned side = 0; side < 2u; ++side) {
            const unsigned v = side ? 3u : 1u;
            unsigned count = 0;
            for (unsigned k = 0; k < engine.value[v].n; ++k) {
                unsigned order[64];
                count += (unsigned)order_of(
                    o, side, engine.fixed[o->at + side],
                    engine.candidate[engine.value[v].first + k], order);
            }
            CHECK(engine.value[v].is_free || count == o->n);
        }
    }
    COVERS(orders > 20u && turned > 20u);
}

/* A layout that the caller offers operand a leads to the same order of k of b,
 * or to the order that comes nearest to it. */
static void offered_layouts_have_their_order(void) {
    unsigned nearest = 0;
    unsigned given = 0;
    for (unsigned n = 0; n < 200u; ++n) {
        begin(4);
        engine.most = 24;
        const int constant = n >= 120u; /* the other operand */
        parsed(!constant ? "z = load 2:8\na = source 32x64:16\ny = load 2:8\n"
                           "b = source 64x16:16\nw = load 2:8\n"
                           "c = dot a b by=mma\n"
               : n % 2u  ? "z = load 2:8\na = constant 32x64:16\n"
                           "y = load 2:8\nb = source 64x16:16\n"
                           "w = load 2:8\nc = dot a b by=mma\n"
                         : "z = load 2:8\na = source 32x64:16\n"
                           "y = load 2:8\nb = constant 64x16:16\n"
                           "w = load 2:8\nc = dot a b by=mma\n");
        const ll_engine_op *o = &engine.op[5];
        const unsigned side = n % 2u;
        const unsigned v = side ? 3u : 1u;
        const ll_layout first =
            ll_engine_layout(&engine, v, engine.fixed[o->at + side]);
        const ll_engine_flat *f = &engine.flat[engine.fixed[o->at + side]];
        const unsigned low = side ? 4u : 0u;
        ll_engine_flat g = *f;
        unsigned to[6];
        for (unsigned k = 0; k < 6u; ++k) {
            const unsigned at = test_random(k + 1u);
            to[k] = to[at];
            to[at] = k;
        }
        for (unsigned k = 0; k < (unsigned)f->n[0] + 7u; ++k) {
            unsigned y = f->basis[k] & ~(63u << low);
            for (unsigned b = 0; b < 6u; ++b) {
                y |= (f->basis[k] >> (low + b) & 1u) << (low + to[b]);
            }
            g.basis[k] = y;
        }
        if (n % 4u > 1u) { /* registers and lanes change places */
            const unsigned p = test_random(f->n[0]);
            const unsigned q = f->n[0] + test_random(5);
            const unsigned was = g.basis[p];
            g.basis[p] = g.basis[q];
            g.basis[q] = was;
        }
        const unsigned id = ll_engine_flat_id(&engine, v, g);
        ll_engine_hint(&engine, v, id);
        ll_engine_prepare_(&engine);
        CHECK(!engine.err && has_candidate(v, id));
        unsigned want = id;
        unsigned mine[64], other[64];
        if (order_of(o, side, engine.fixed[o->at + side], id, mine)) {
            ++given;
        } else {
            const ll_dim d = side ? LL_I : LL_J;
            const ll_layout s =
                ll_absorb(first, ll_engine_layout(&engine, v, id), d);
            want = s.err ? want
                         : ll_engine_id(&engine, v, ll_renumber(first, d, s));
            if (!order_of(o, side, engine.fixed[o->at + side], want, mine)) {
                continue;
            }
            ++nearest;
            CHECK(has_candidate(v, want));
        }
        if (constant) {
            continue;
        }
        const ll_engine_value *x = &engine.value[side ? 1 : 3];
        unsigned found = 0;
        for (unsigned k = 0; k < x->n; ++k) {
            found += order_of(o, !side, engine.fixed[o->at + !side],
                              engine.candidate[x->first + k], other) &&
                     !memcmp(mine, other, sizeof mine);
        }
        CHECK(found == 1u);
        CHECK(engine.value[5].n == 1u); /* what is summed stays as it is */
    }
    COVERS(nearest > 20u && given > 50u);
    /* as many as are allowed */
    for (unsigned most = 1; most < 5u; ++most) {
        begin(4);
        engine.most = most;
        parsed("a = source 32x64:16\nb = source 64x16:16\n"
               "c = dot a b by=mma\n");
        for (unsigned k = 0; k < 6u; ++k) {
            const ll_engine_flat *f =
                &engine.flat[engine.fixed[engine.op[2].at]];
            ll_engine_flat g = *f;
            for (unsigned j = 0; j < (unsigned)f->n[0] + 7u; ++j) {
                const unsigned both = 1u | 2u << k;
                const unsigned has = g.basis[j] & both;
                g.basis[j] ^= has && has != both && k < 5u ? both : 0u;
            }
            ll_engine_hint(&engine, 0, ll_engine_flat_id(&engine, 0, g));
            f = &engine.flat[engine.fixed[engine.op[2].at + 1u]];
            g = *f; /* b in any layout */
            for (unsigned j = 0; j < (unsigned)f->n[0] + 7u; ++j) {
                const unsigned at = test_random(j + 1u);
                const unsigned was = g.basis[at];
                g.basis[at] = g.basis[j];
                g.basis[j] = was;
            }
            ll_engine_hint(&engine, 1, ll_engine_flat_id(&engine, 1, g));
        }
        CHECK(!engine.err);
        ll_engine_prepare_(&engine);
        CHECK(engine.value[0].n <= most && engine.value[1].n <= most);
        CHECK(engine.value[2].n == 1u);
    }
}

/* The registers of each operand's family below: every other bit of k. */
static ll_layout odd_family(const char *name, unsigned n, unsigned operand,
                            unsigned rows, unsigned cols, unsigned element_bits,
                            unsigned warps) {
    ll_layout none = LL_ZERO;
    CHECK(n == 3u && !strncmp(name, "odd", 3) && warps == 4u);
    CHECK(rows == 64u && cols == 64u && element_bits);
    none.err = LL_EMISSING;
    return operand == LL_ENGINE_A
               ? ll_parse("register: j1 j3 j5 i0 i1 | lane: j0 j2 j4 i2 i3 | "
                          "warp: i4 i5")
           : operand == LL_ENGINE_B
               ? ll_parse("register: i2 i4 i5 j0 j1 | lane: i0 i1 i3 j2 j3 | "
                          "warp: j4 j5")
           : operand == LL_ENGINE_C
               ? ll_parse("register: j0 j1 i0 i1 j5 | lane: i2 i3 j2 j3 j4 | "
                          "warp: i4 i5")
               : none;
}

/* The longest run along k, as a logarithm, of any order that operand `side` of
 * operation p is offered for itself. */
static unsigned longest_run(unsigned p, unsigned side) {
    const ll_engine_op *o = &engine.op[p];
    const ll_engine_value *v = &engine.value[engine.operand[o->at + side]];
    const unsigned low = side ? v->size[1] : 0u;
    unsigned most = 0;
    for (unsigned k = 0; k < v->n; ++k) {
        const unsigned id = engine.candidate[v->first + k];
        const ll_engine_flat *f = &engine.flat[id];
        unsigned run = 0;
        unsigned order[64];
        for (unsigned r = 0; r < f->n[0]; ++r) {
            for (unsigned j = 0; j < f->n[0]; ++j) {
                run += f->basis[j] == 1u << (low + run);
            }
        }
        most = order_of(o, side, engine.fixed[o->at + side], id, order) &&
                       run > most
                   ? run
                   : most;
    }
    return most;
}

/* Of a product that nothing else touches each operand is offered an order in
 * which a lane has 16 bytes in a row along k, or all that it has. */
static void orders_make_the_longest_vectors(void) {
    unsigned shorter = 0;
    for (unsigned n = 0; n < 16u; ++n) {
        char text[300];
        const unsigned bits = n < 4u    ? 8u
                              : n < 8u  ? 16u
                              : n < 12u ? 32u
                                        : 8u << n % 4u;
        const unsigned deep = n < 12u ? (256u / bits) << n % 4u : 64u;
        if (deep > 64u) {
            continue;
        }
        snprintf(text, sizeof text,
                 n < 12u ? "z = load 2:8\na = source 64x%u:%u\ny = load 2:8\n"
                           "b = source %ux64:%u\nw = load 2:8\n"
                           "c = dot a b by=mma\n"
                         : "z = load 2:8\na = source 64x%u:%u\ny = load 2:8\n"
                           "b = source %ux64:%u\nw = load 2:8\n"
                           "c = dot a b by=odd\n",
                 deep, bits, deep, bits);
        begin(4);
        engine.family = n < 12u ? ll_ptx_dot : odd_family;
        engine.most = 24;
        prepared(text);
        const ll_engine_op *o = &engine.op[5];
        for (unsigned side = 0; side < 2u; ++side) {
            const ll_engine_value *v = &engine.value[side ? 3 : 1];
            const ll_engine_flat *f = &engine.flat[engine.fixed[o->at + side]];
            const unsigned low = side ? v->size[1] : 0u;
            const unsigned mask = (deep - 1u) << low;
            unsigned has = 0; /* log2 of the k of a lane */
            for (unsigned k = 0; k < f->n[0]; ++k) {
                has += (f->basis[k] & mask) != 0;
            }
            unsigned most = 0;
            while (bits << most < 128u && most < has) {
                ++most;
            }
            CHECK(longest_run(5, side) >= most);
            shorter += bits << most < 128u;
        }
        for (unsigned k = 0; k < engine.value[4].n; ++k) { /* not touched */
            CHECK(is_rows(4, engine.candidate[engine.value[4].first + k]));
        }
    }
    COVERS(shorter > 1u);
    for (unsigned side = 0; side < 2u; ++side) { /* the other is a constant */
        begin(4);
        engine.most = 24;
        prepared(side ? "z = load 2:8\na = constant 32x64:16\ny = load 2:8\n"
                        "b = source 64x16:16\nw = load 2:8\n"
                        "c = dot a b by=mma\n"
                      : "z = load 2:8\na = source 32x64:16\ny = load 2:8\n"
                        "b = constant 64x16:16\nw = load 2:8\n"
                        "c = dot a b by=mma\n");
        CHECK(longest_run(5, side) >= 3u);
    }
}

/* Layouts with other registers, or that differ in more than the order of k, are
 * in no order; what one operand alone has is none. */
static void other_layouts_are_in_no_order(void) {
    unsigned none = 0;
    unsigned some = 0;
    for (unsigned n = 0; n < 3000u; ++n) {
        begin(2);
        parsed("a = source 4x32:16\nz = load 2:8\nb = source 32x2:16\n"
               "w = load 2:8\nc = dot a b\n");
        const ll_engine_op *o = &engine.op[4];
        unsigned id[2][2];
        for (unsigned side = 0; side < 2u; ++side) {
            const unsigned bits = side ? 6u : 7u;
            const unsigned low = side ? 1u : 0u;
            ll_engine_flat f = LL_ZERO;
            ll_engine_flat g = LL_ZERO;
            f.n[0] = (unsigned char)(1u + test_random(2));
            f.n[1] = 5;
            f.n[2] = 1;
            for (unsigned k = 0; k < f.n[0] + 6u; ++k) {
                const unsigned at = test_random(k + 1u);
                f.basis[k] = f.basis[at];
                f.basis[at] = k < bits ? 1u << k : 0u;
            }
            g = f;
            unsigned to[5]; /* an order of the bits of k */
            for (unsigned k = 0; k < 5u; ++k) {
                const unsigned at = test_random(k + 1u);
                to[k] = to[at];
                to[at] = k;
            }
            for (unsigned k = 0; k < f.n[0] + 6u; ++k) {
                unsigned y = f.basis[k] & ~(31u << low);
                for (unsigned b = 0; b < 5u; ++b) {
                    y |= (f.basis[k] >> (low + b) & 1u) << (low + to[b]);
                }
                g.basis[k] = y;
            }
            if (test_random(3) == 0) { /* one register more, or less */
                const unsigned more = test_random(2);
                g.n[0] = (unsigned char)(g.n[0] + more - !more);
            } else if (test_random(3) == 0) {
                const unsigned p = test_random(f.n[0] + 6u);
                const unsigned q = test_random(f.n[0] + 6u);
                const unsigned was = g.basis[p];
                g.basis[p] = g.basis[q];
                g.basis[q] = was;
            }
            const unsigned v = side ? 2u : 0u;
            id[side][0] = ll_engine_flat_id(&engine, v, f);
            id[side][1] = ll_engine_flat_id(&engine, v, g);
        }
        if (engine.err) {
            continue; /* it holds not all */
        }
        ll_engine_fix(&engine, 4, 0, id[0][0]);
        ll_engine_fix(&engine, 4, 1, id[1][0]);
        unsigned order[2][32];
        int is[2];
        for (unsigned side = 0; side < 2u; ++side) {
            ll_engine_turn_ t;
            is[side] = order_of(o, side, id[side][0], id[side][1], order[side]);
            CHECK(ll_engine_turn_of_(&engine, o, side, id[side][1], &t) ==
                  is[side]);
            if (is[side]) {
                CHECK(ll_engine_turned_(&engine, o, side, &t) == id[side][1]);
            }
        }
        const unsigned tuple[3] = {id[0][1], id[1][1], 0};
        const int same =
            is[0] && is[1] && !memcmp(order[0], order[1], sizeof order[0]);
        CHECK(ll_engine_is_in_order_(&engine, o, tuple) == same);
        const unsigned first[3] = {id[0][0], id[1][0], 0};
        CHECK(ll_engine_is_in_order_(&engine, o, first));
        none += !is[0] || !is[1];
        some += (unsigned)same;
    }
    COVERS(none > 300u && some > 3u);
}

/* A product sums over at most 2^14 in any order, and layouts have up to 32
 * columns. */
static void products_sum_over_a_limited_axis(void) {
    for (unsigned bits = 12; bits < 17u; ++bits) {
        for (unsigned n = 0; n < 3u; ++n) {
            char text[2000];
            char regs[2][400] = {"", ""};
            for (unsigned k = 0; k < bits; ++k) {
                char one[40];
                snprintf(one, sizeof one, "%s j%u",
                         k + 6u == bits   ? " | lane:"
                         : k + 1u == bits ? " | warp:"
                                          : "",
                         k);
                append(regs[0], sizeof regs[0], one);
                *strchr(one, 'j') = 'i';
                append(regs[1], sizeof regs[1], one);
            }
            snprintf(text, sizeof text,
                     "z = load 4:8\na = %s 2x%u:8\nw = load 4:8\n"
                     "b = %s %ux2:8\ny = load 4:8\n"
                     "c = dot a b in0=\"register: i0%s\" in1=\"register: "
                     "j0%s\" "
                     "out0=\"register: i0 j0 | lane: 0 0 0 0 0\"\n",
                     n == 1u ? "constant" : "source", 1u << bits,
                     n == 2u ? "constant" : "source", 1u << bits, regs[0],
                     regs[1]);
            begin(2);
            parsed(text);
            CHECK(ll_engine_solve(&engine) == (bits <= 14u));
            CHECK(engine.err == (bits <= 14u ? 0u : (unsigned)LL_ENGINE_EFIT));
            CHECK(bits > 14u || ll_engine_check(&engine) == LL_ENGINE_PROVEN);
            const unsigned tuple[3] = {engine.fixed[engine.op[5].at],
                                       engine.fixed[engine.op[5].at + 1u], 0};
            CHECK(ll_engine_is_in_order_(&engine, &engine.op[5], tuple) ==
                  (bits <= 14u));
        }
    }
    /* 24 bits of registers, 5 lanes and 3 warps */
    begin(8);
    parsed("a = source 4096x4096:8\nz = load 2:8\nb = source 4096x4096:8\n"
           "w = load 2:8\nc = dot a b\n");
    ll_engine_flat f = LL_ZERO;
    f.n[0] = 24;
    f.n[1] = 5;
    f.n[2] = 3;
    for (unsigned k = 0; k < 24u; ++k) {
        f.basis[k] = 1u << k;
    }
    const unsigned all = ll_engine_flat_id(&engine, 0, f);
    ll_engine_fix(&engine, 4, 0, all);
    ll_engine_fix(&engine, 4, 1, all);
    const unsigned tuple[3] = {all, all, all};
    ll_engine_turn_ t;
    const unsigned before = engine.flats;
    CHECK(ll_engine_is_in_order_(&engine, &engine.op[4], tuple));
    CHECK(ll_engine_turn_of_(&engine, &engine.op[4], 0, all, &t));
    CHECK(ll_engine_turned_(&engine, &engine.op[4], 0, &t) == all);
    CHECK(ll_engine_turned_(&engine, &engine.op[4], 1, &t) == all);
    CHECK(engine.flats == before && ll_engine_is_reorder_(&engine, all, all));
}

/* ---- Where candidates come from ----------------------------------------- */

/* A candidate of an operand was asked for by the product, is an order of k that
 * is best for it, or the rows of an access; values that follow have theirs from
 * the same. */
static void candidates_come_from_what_asks_for_them(void) {
    unsigned ordered = 0;
    unsigned rows = 0;
    for (unsigned n = 0; n < 12u; ++n) {
        char text[600];
        snprintf(text, sizeof text,
                 "a = %s 32x64:%u\ny = load 2:64\nb = %s 64x16:%u\n"
                 "w = load 2:64\nc = dot a b by=mma\nm = map a\nt = map b\n%s",
                 n % 2u ? "load" : "source", n % 3u ? 16u : 8u,
                 n / 2u % 2u ? "load" : "source", n % 3u ? 16u : 8u,
                 n > 5u ? "h = load 2:64\n" : "");
        begin(4);
        engine.most = 24;
        prepared(text);
        const ll_engine_op *o = &engine.op[4];
        for (unsigned side = 0; side < 2u; ++side) {
            const unsigned v = side ? 2u : 0u;
            const unsigned w = side ? 6u : 5u; /* a map of it */
            const ll_engine_value *x = &engine.value[v];
            const unsigned fixed = engine.fixed[o->at + side];
            CHECK(x->n == engine.value[w].n);
            for (unsigned k = 0; k < x->n; ++k) {
                const unsigned id = engine.candidate[x->first + k];
                const unsigned from = ll_engine_origin_(&engine, v, id);
                unsigned order[64];
                CHECK(from == engine.origin[x->first + k]);
                CHECK(from == ll_engine_origin_(&engine, w, id));
                CHECK((from % 4u == LL_ENGINE_BY_CALLER_) == (id == fixed));
                CHECK(from % 4u != LL_ENGINE_BY_NONE_);
                if (from % 4u == LL_ENGINE_BY_ACCESS_) {
                    CHECK(engine.op[from / 4u].kind == LL_ENGINE_LOAD);
                    CHECK(is_rows(v, id));
                    ++rows;
                } else {
                    CHECK(from / 4u == 4u);
                    CHECK(order_of(o, side, fixed, id, order));
                    ordered += from % 4u == LL_ENGINE_BY_ORDER_;
                }
            }
        }
    }
    COVERS(ordered > 12u && rows > 4u);
    begin(2);
    prepared("z = load 4x32:32\nm = map z\nu = source 8x8:32\n");
    CHECK(
        ll_engine_origin_(&engine, 2, engine.candidate[engine.value[2].first]) %
            4u ==
        LL_ENGINE_BY_NONE_);
    /* hints, and what nobody asks for, come from nowhere */
    begin(2);
    parsed("x = source 4x32:32\ny = map x\nz = load 4x32:32\n"
           "u = source 8x8:32\nsink y\n");
    const unsigned id = ll_engine_id(
        &engine, 0, ll_parse("register: i0 | lane: i1 j0 j1 j2 j3 | warp: j4"));
    ll_engine_hint(&engine, 0, id);
    engine.most = 24;
    ll_engine_prepare_(&engine);
    CHECK(!engine.err && has_candidate(0, id) && has_candidate(1, id));
    for (unsigned v = 0; v < 4u; ++v) {
        for (unsigned k = 0; k < engine.value[v].n; ++k) {
            const unsigned c = engine.candidate[engine.value[v].first + k];
            CHECK(ll_engine_origin_(&engine, v, c) % 4u ==
                  (v == 2u ? (unsigned)LL_ENGINE_BY_ACCESS_
                           : (unsigned)LL_ENGINE_BY_NONE_));
        }
    }
}

/* No value has more candidates than are allowed, but for those of the caller
 * and of the instructions. */
static void candidates_are_as_many_as_allowed(void) {
    static const char *const all[] = {
        "a = load 32x64:16\nb = load 64x16:16\nc = dot a b by=mma\n"
        "store c contiguous=16x1\n",
        "x = load 16x32:32\ny = reorder x 32x16\nstore y contiguous=32x1\n",
        "x = load 16x32:32\ni = load 16x32:32\ng = gather x i axis=1\n"
        "store g contiguous=16x1\n",
        "x = load 16x32:32\ng = gather x x axis=1\nstore g contiguous=16x1\n",
        "a = load 64x64:16\nb = load 64x64:16\nc = dot a b by=wgmma\n"
        "store c contiguous=1x64\n"};
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        for (unsigned most = 1; most < 9u; ++most) {
            begin(4);
            engine.most = most;
            parsed(all[n]);
            ll_engine_prepare_(&engine); /* it may be that none fits */
            for (unsigned v = 0; v < engine.values; ++v) {
                unsigned asked = 0;
                for (unsigned p = 0; p < engine.ops; ++p) {
                    const ll_engine_op *o = &engine.op[p];
                    for (unsigned k = 0; k < o->n_in + o->n_out; ++k) {
                        asked += engine.operand[o->at + k] == v &&
                                 (engine.fixed[o->at + k] != LL_ENGINE_NONE ||
                                  (k < 2u && ll_engine_is_placed_(o, k) &&
                                   o->place[k][2] != LL_ENGINE_NONE));
                    }
                }
                CHECK(engine.value[v].n <= (asked > most ? asked : most));
            }
        }
    }
    for (unsigned most = 1; most < 4u; ++most) { /* both were offered others */
        begin(4);
        engine.most = most;
        parsed("x = source 16x16:32\ni = source 16x16:32\n"
               "g = gather x i axis=1\n");
        for (unsigned k = 0; k < 8u; ++k) {
            const unsigned v = 1u + k % 2u;
            ll_engine_hint(&engine, v, ll_engine_flat_id(
                                           &engine, v, random_flat(1, 5, 2)));
        }
        ll_engine_prepare_(&engine);
        CHECK(engine.value[1].n == most && engine.value[2].n == most);
    }
    /* a gather of a value by itself has its layouts */
    begin(2);
    engine.most = 24;
    prepared(all[3]);
    CHECK(engine.value[0].n == engine.value[1].n && engine.value[0].n > 2u);
    for (unsigned k = 0; k < engine.value[0].n; ++k) {
        CHECK(has_candidate(1, engine.candidate[engine.value[0].first + k]));
    }
    /* what instructions want in registers is there even if no more fit */
    begin(4);
    engine.most = 1;
    prepared("a = load 64x64:16 out0=\"register: j0 j1 j2 j3 j4 | lane: j5 i0 "
             "i1 i2 i3 | warp: i4 i5\"\nb = load 64x64:16\nw = load 2:8\n"
             "c = dot a b by=wgmma\n");
    const unsigned want = engine.op[3].place[0][2];
    CHECK(want != LL_ENGINE_NONE && has_candidate(0, want));
    CHECK(ll_engine_origin_(&engine, 0, want) ==
          4u * 3u + LL_ENGINE_BY_CALLER_);
    CHECK(ll_engine_solve(&engine));
    /* a lane holds up to 2^23 registers if it may */
    ll_engine_flat f = LL_ZERO;
    begin(1);
    f.n[1] = 5;
    for (unsigned n = 20; n < 25u; ++n) {
        ll_engine_spec s = LL_ZERO;
        begin(1);
        s.kind = LL_ENGINE_SOURCE;
        s.rank = 1;
        s.size[0] = (unsigned char)n;
        s.element_bits = 1;
        ll_engine_add(&engine, s);
        f.n[0] = (unsigned char)n;
        for (unsigned k = 0; k < n; ++k) {
            f.basis[k] = 1u << k;
        }
        const unsigned id = ll_engine_flat_id(&engine, 0, f);
        engine.registers = 1u << 18;
        CHECK(ll_engine_holds_(&engine, 0, id) == (n <= 23u));
        engine.registers = 0;
        CHECK(ll_engine_holds_(&engine, 0, id));
    }
}

/* Every candidate holds every element, whatever operations stand side by side,
 * and comes from the rows of an access or from the caller. */
static void candidates_hold_every_element(void) {
    static const char *const all[] = {
        "x = load 4x4:32\ny = load 16x32:32\nstore x\nr = reorder y 32x16\n"
        "store r\n",
        "y = load 16x32:32\nz = load 2:8\nr = reorder y 4x2x8x8\nstore r\n"
        "store z\n",
        "x = load 8x4:32\ni = load 8x16:32\ng = gather x i axis=1\n"
        "s = reduce g axis=1\nstore s\nstore x\n",
        "x = load 2x4x8x2:16\nt = trans x order=3x0x2x1\nr = reduce t axis=2\n"
        "e = expand r axis=0\nb = broadcast e 4x2x2x4\nj = join b b\n"
        "store j\na, c = split j\nu = unpack a axis=2\nstore u\nstore c\n",
        "x = load 16x8:32\nr = reduce x axis=0\nt = reshape r 2x4\n"
        "u = trans t order=1x0\nstore u\nstore r\n",
        "p = load 16x8:64\nc = source 16x8:32\nz = load 2:8\nstore p c\n"
        "store z\n"};
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        for (unsigned most = 2; most < 25u; most += 11u) {
            begin(2);
            engine.most = most;
            parsed(all[n]);
            ll_engine_prepare_(&engine);
            CHECK(!engine.err || (most == 2u && engine.err == LL_ENGINE_EFIT));
            for (unsigned v = 0; v < engine.values; ++v) {
                const ll_engine_value *x = &engine.value[v];
                CHECK(x->n);
                for (unsigned k = 0; k < x->n; ++k) {
                    const ll_engine_flat *f =
                        &engine.flat[engine.candidate[x->first + k]];
                    unsigned rank = 0;
                    unsigned left[LL_MAX_BITS] = LL_ZERO;
                    for (unsigned c = 0; c < (unsigned)f->n[0] + 6u; ++c) {
                        unsigned y = f->basis[c];
                        CHECK(y >> x->bits == 0);
                        for (unsigned b = 24; b-- > 0;) {
                            y ^= y >> b & 1u ? left[b] : 0u;
                        }
                        for (unsigned b = 24; b-- > 0 && y;) {
                            if (y >> b & 1u) {
                                left[b] = y;
                                ++rank;
                                break;
                            }
                        }
                    }
                    CHECK(rank == x->bits);
                    CHECK(f->n[1] == 5u && f->n[2] == 1u);
                }
            }
            CHECK(engine.err || (ll_engine_solve(&engine) &&
                                 ll_engine_check(&engine) == LL_ENGINE_PROVEN));
        }
    }
}

/* Accesses of elements of any size are offered single elements and vectors of
 * 16 bytes along each axis, and nothing else. */
static void accesses_are_offered_vectors(void) {
    for (unsigned bits = 4; bits <= 128u; bits *= 2u) {
        char text[200];
        unsigned wide = 0;
        while ((bits < 8u ? 1u : bits / 8u) << wide < 16u) {
            ++wide;
        }
        snprintf(text, sizeof text,
                 "p = load 16x32:64\nc = source 16x32:%u\n"
                 "z = load 2:8\nstore p c\n",
                 bits);
        begin(2);
        engine.most = 24;
        prepared(text);
        const ll_engine_value x = engine.value[1];
        unsigned ids[4];
        for (unsigned k = 0; k < 4u; ++k) {
            ids[k] = ll_engine_flat_id(
                &engine, 1,
                ll_engine_rows_(&engine, &x, k / 2u, k % 2u ? wide : 0u));
            CHECK(has_candidate(1, ids[k]));
        }
        for (unsigned k = 0; k < x.n; ++k) {
            const unsigned id = engine.candidate[x.first + k];
            CHECK(id == ids[0] || id == ids[1] || id == ids[2] ||
                  id == ids[3] || is_rows(0, id));
        }
        if (wide == 0) {
            CHECK(ll_engine_origin_(&engine, 1, ids[0]) % 4u ==
                  LL_ENGINE_BY_ACCESS_);
        }
        /* alone, they are all */
        snprintf(text, sizeof text, "c = load 16x32:%u\n", bits);
        begin(2);
        engine.most = 24;
        prepared(text);
        CHECK(engine.value[0].n == (wide ? 4u : 2u));
    }
    /* where one operand is fixed nothing else is offered */
    begin(2);
    engine.most = 24;
    prepared("p = source 8x8:64\nx = source 8x8:32\nz = load 2:8\n"
             "store p x in1=\"register: j0 | lane: j1 j2 i0 i1 i2\"\n");
    CHECK(engine.value[0].n == 1u && engine.value[1].n == 1u);
}

/* What the caller fixes of a gather holds for each of its operands, and of an
 * operation with many results for each of them. */
static void fixed_layouts_hold_for_each_operand(void) {
    static const char a[] = "register: j0 j1 | lane: j2 i0 i1 i2 i3 | warp: j3";
    static const char b[] = "register: j0 i3 | lane: j2 i0 i1 i2 j3 | warp: j1";
    for (unsigned n = 0; n < 8u; ++n) {
        char text[600] = "x = load 16x16:32\ni = load 16x16:32\nz = load 2:8\n"
                         "g = gather x i axis=1";
        append(text, sizeof text, n & 1u ? " in0=\"" : "");
        append(text, sizeof text, n & 1u ? a : "");
        append(text, sizeof text, n & 1u ? "\"" : "");
        append(text, sizeof text, n & 2u ? " in1=\"" : "");
        append(text, sizeof text, n & 2u ? b : "");
        append(text, sizeof text, n & 2u ? "\"" : "");
        append(text, sizeof text, n & 4u ? " out0=\"" : "");
        append(text, sizeof text, n & 4u ? b : "");
        append(text, sizeof text, n & 4u ? "\"" : "");
        append(text, sizeof text, "\nstore g contiguous=16x1\n");
        begin(2);
        engine.most = 24;
        prepared(text);
        const ll_engine_op *o = &engine.op[3];
        CHECK(o->n && engine.value[0].n > 1u);
        CHECK(engine.value[1].n > 1u && engine.value[3].n > 1u);
        for (unsigned t = 0; t < o->n; ++t) {
            unsigned tuple[3];
            ll_engine_numbers_(&engine, 3, t, tuple);
            for (unsigned k = 0; k < 3u; ++k) {
                const unsigned want = engine.fixed[o->at + k];
                CHECK(want == LL_ENGINE_NONE || want == tuple[k]);
                CHECK(has_candidate(k == 2u ? 3u : k, tuple[k]));
            }
            CHECK(tuple[1] == tuple[2]);
        }
        CHECK(n || o->n == engine.value[0].n * engine.value[3].n);
        for (unsigned t = 0; t < o->n; t += 7u) {
            unsigned tuple[3];
            ll_engine_numbers_(&engine, 3, t, tuple);
            const ll_gather_plan p = ll_gather_of(
                ll_engine_layout(&engine, 0, tuple[0]),
                ll_engine_layout(&engine, 1, tuple[1]), LL_J, 32, LL_SM90);
            CHECK(ll_engine_price(&engine, 3, tuple) == 8ull * p.cycles);
        }
    }
    for (unsigned first = 0; first < 2u; ++first) {
        static const char *const order[] = {
            "j0 | lane: j1 j2 i0 i1 i2", "j1 | lane: j0 j2 i0 i1 i2",
            "j2 | lane: j1 j0 i0 i1 i2", "i0 | lane: j1 j2 j0 i1 i2",
            "i1 | lane: j1 j2 i0 j0 i2", "i2 | lane: j1 j2 i0 i1 j0",
            "j0 | lane: j2 j1 i0 i1 i2", "j0 | lane: i0 j2 j1 i1 i2"};
        char text[2000];
        snprintf(text, sizeof text, "%sa, b, c, d, f, g, h, k = fixed 8x8:32",
                 first ? "" : "z = load 2:8\n");
        for (unsigned k = 0; k < 8u; ++k) {
            char line[80];
            snprintf(line, sizeof line, " out%u=\"register: %s\"", k, order[k]);
            append(text, sizeof text, line);
        }
        append(text, sizeof text,
               "\nm = map a b\nn = map m c\nstore n\n"
               "store k\n");
        begin(2);
        parsed(text);
        CHECK(ll_engine_solve(&engine));
        CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
        const unsigned p = first ? 0u : 1u;
        unsigned tuple[8];
        CHECK(ll_engine_executed(&engine, p, 0, tuple));
        for (unsigned k = 0; k < 8u; ++k) {
            CHECK(tuple[k] == engine.fixed[engine.op[p].at + k]);
        }
    }
    /* constants of other layouts are free where nothing is said, but not those
       of a product */
    begin(2);
    parsed("c = constant 8x8:32\nd = fixed c out0=\"register: j0 | lane: j1 j2 "
           "i0 i1 i2\"\nstore d\n");
    CHECK(ll_engine_solve(&engine));
    begin(2);
    parsed(
        "c = constant 8x8:32\nx = load 8x8:32\nd = dot x c in0=\"register: "
        "j0 | lane: j1 j2 i0 i1 i2\" out0=\"register: j0 | lane: j1 j2 i0 i1 "
        "i2\"\n");
    CHECK(!ll_engine_solve(&engine) && engine.err == LL_ENGINE_EFIXED);
}

/* ---- Products that read memory ------------------------------------------ */

/* The family of these tests: operands in memory (bit 0: a, bit 1: b), or in
 * registers. */
static unsigned in_memory;

static ll_layout family(const char *name, unsigned n, unsigned operand,
                        unsigned rows, unsigned cols, unsigned element_bits,
                        unsigned warps) {
    ll_layout none = LL_ZERO;
    if (in_memory == 4u && operand == LL_ENGINE_A_K) { /* columns first */
        return ll_parse("offset: i0 i1 i2 i3 i4 i5 j0 j1 j2 j3 j4 j5");
    }
    const int tile = (operand == LL_ENGINE_A_K && (in_memory & 1u)) ||
                     (operand == LL_ENGINE_B_MN && (in_memory & 2u));
    CHECK(n == 3u && !strncmp(name, "abc", 3) && rows == 64u && cols == 64u);
    CHECK(element_bits == 16u || operand == LL_ENGINE_C);
    none.err = LL_EMISSING;
    if (tile) {
        return ll_parse("offset: j0 j1 j2 j3 j4 j5 i0 i1 i2 i3 i4 i5");
    }
    if (operand == LL_ENGINE_C ||
        (operand == LL_ENGINE_A && !(in_memory & 1u)) ||
        (operand == LL_ENGINE_B && !(in_memory & 2u))) {
        return ll_parse(warps == 1u
                            ? "register: j0 j1 j2 j3 j4 i4 i5 | lane: j5 i0 i1 "
                              "i2 i3"
                            : "register: j0 j1 j2 j3 j4 | lane: j5 i0 i1 i2 i3 "
                              "| warp: i4 i5");
    }
    return none;
}

/* What a store of value v in layout id to `place` costs, with the barrier that
 * comes behind it. */
static unsigned long long store_cost(unsigned store, unsigned place,
                                     unsigned id) {
    engine.op[store].memory = place;
    return ll_engine_price(&engine, store, &id) + LL_SM90.cost[LL_COST_BLOCK];
}

/* Each operand is read in registers, or in memory, as its instructions say;
 * what is not there is stored, as often as it is made. */
static void operands_are_read_where_instructions_want_them(void) {
    static const char *const makes[] = {"load", "tma_load", "constant"};
    unsigned stored = 0;
    for (unsigned n = 0; n < 72u; ++n) {
        char text[700];
        const unsigned a = n % 3u;
        const unsigned b = n / 3u % 3u;
        const unsigned warps = n / 9u % 2u ? 1u : 4u;
        in_memory = n / 18u;
        if ((a == 1u && !(in_memory & 1u)) || (b == 1u && !(in_memory & 2u))) {
            continue; /* a tile that only lanes read: no place is said */
        }
        snprintf(text, sizeof text,
                 "z = load 2:8\na = %s 64x64:16\nw = load 2:8\n"
                 "b = %s 64x64:16\ny = load 64x64:16\n"
                 "local_store y memory=\"offset: j0 j1 j2 j3 j4 j5 i0 i1 i2 i3 "
                 "i4 i5\"\nloop 3\nc = dot a b by=abc\nstore c contiguous=1x64"
                 "\nyield\n",
                 makes[a], makes[b]);
        begin(warps);
        engine.family = family;
        engine.most = 4;
        parsed(text);
        CHECK(ll_engine_solve(&engine));
        CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
        const unsigned p = 7;
        const ll_engine_op *o = &engine.op[p];
        CHECK(o->kind == LL_ENGINE_DOT && o->weight == 3u);
        CHECK(ll_engine_is_ordered_(o) == !in_memory);
        CHECK(engine.value[1].in_place == (a == 1u));
        CHECK(engine.value[3].in_place == (b == 1u));
        CHECK((o->in_place[0] != LL_ENGINE_NONE) == (a == 1u));
        CHECK((o->in_place[1] != LL_ENGINE_NONE) == (b == 1u));
        for (unsigned t = 0; t < o->n; ++t) {
            unsigned tuple[3];
            unsigned long long sum = 0;
            ll_engine_numbers_(&engine, p, t, tuple);
            for (unsigned k = 0; k < 2u; ++k) {
                const unsigned v = k ? 3u : 1u;
                const unsigned make = k ? b : a;
                const int placed = (in_memory >> k & 1u) != 0;
                CHECK(ll_engine_is_placed_(o, k) == placed);
                if (!placed) {
                    continue;
                }
                if (make == 0) {
                    CHECK(has_candidate(v, tuple[k]));
                    sum += (store_cost(5, o->place[k][k], tuple[k]) + 2u) / 3u;
                    ++stored;
                } else {
                    CHECK(tuple[k] == o->place[k][k]);
                }
            }
            CHECK(ll_engine_price(&engine, p, tuple) == sum);
            CHECK(ll_engine_is_legal_(&engine, p, tuple));
            /* a layout of one's own, or what another operand has */
            for (unsigned k = 0; k < 3u; ++k) {
                const unsigned was = tuple[k];
                const unsigned v = k == 0 ? 1u : k == 1u ? 3u : 4u;
                const int any =
                    k < 2u && (in_memory >> k & 1u) && (k ? b : a) != 2u;
                for (unsigned id = 0; id < engine.flats && k == 2u; ++id) {
                    tuple[k] = id;
                    CHECK(ll_engine_is_legal_(&engine, p, tuple) ==
                          (id == was));
                }
                tuple[k] = was;
                (void)v;
                if (any) { /* any lanes will do, but no other tile */
                    for (unsigned id = 0; id < engine.flats; ++id) {
                        tuple[k] = id;
                        const int lanes = engine.flat[id].n[1] != 0;
                        CHECK(ll_engine_is_legal_(&engine, p, tuple) ==
                              (lanes || id == o->in_place[k]));
                    }
                    tuple[k] = was;
                }
            }
        }
    }
    COVERS(stored > 20u);
}

/* The elements of a tile are where the product looks for them, also behind
 * transpositions; lanes hold none of it only if nobody else reads it. */
static void tiles_are_where_products_look_for_them(void) {
    static const struct {
        const char *text;
        int alone; /* no lane holds b, or bt */
    } all[] = {
        {"c = dot a bt by=wgmma\n", 1},
        {"c = dot a bt by=wgmma\nd = dot e bt by=wgmma\n", 1},
        {"c = dot a bt by=wgmma\nstore bt\n", 0},
        {"m = map bt\nc = dot a bt by=wgmma\n", 0},
        {"z = load 32x64:8 out0=\"register: j0 j1 j2 j3 | lane: j4 j5 i0 i1 i2 "
         "| "
         "warp: i3 i4\"\nc = dot a bt by=wgmma\n",
         1},
    };
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        for (unsigned turns = 0; turns < 3u; ++turns) {
            char text[600];
            snprintf(text, sizeof text,
                     "a = load 64x128:16\ne = load 64x128:16\n%s%s%s",
                     turns == 1u ? "b = tma_load 32x128:16\nbt = trans b "
                                   "order=1x0\n"
                     : turns     ? "b = tma_load 128x32:16\nw = trans b "
                                   "order=1x0\nbt = trans w order=1x0\n"
                                 : "bt = tma_load 128x32:16\n",
                     all[n].text, "store c\n");
            begin(4);
            engine.most = 4;
            parsed(text);
            CHECK(ll_engine_solve(&engine));
            CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
            unsigned dot = 0;
            while (engine.op[dot].kind != LL_ENGINE_DOT) {
                ++dot;
            }
            const ll_engine_op *o = &engine.op[dot];
            const unsigned tile = 2; /* the operation that brings it */
            CHECK(engine.op[tile].kind == LL_ENGINE_TMA_LOAD);
            CHECK(o->in_place[1] != LL_ENGINE_NONE);
            const ll_engine_flat *m = &engine.flat[engine.op[tile].memory];
            const ll_engine_flat *p = &engine.flat[o->in_place[1]];
            for (unsigned k = 0; k < 12u; ++k) {
                const unsigned i = m->basis[k] >> 7; /* of 32 x 128 */
                const unsigned j = m->basis[k] & 127u;
                CHECK(p->basis[k] == (turns == 1u ? j << 5 | i : m->basis[k]));
            }
            const unsigned bt = engine.operand[o->at + 1u];
            CHECK(engine.value[bt].in_place == (unsigned)all[n].alone);
            CHECK(ll_engine_needs_(&engine, dot, bt, 0) == 0);
        }
    }
    /* lanes hold what is fixed in lanes */
    static const char lanes[] =
        "register: j0 j1 j2 j3 j4 | lane: j5 i0 i1 i2 i3 "
        "| warp: i4 i5";
    for (unsigned n = 0; n < 4u; ++n) {
        char text[600];
        snprintf(text, sizeof text,
                 "a = load 64x64:16\nb = tma_load 64x64:16\n"
                 "bt = trans b order=1x0%s%s%s\nz = load 2:8\n"
                 "c = dot a bt by=wgmma%s%s%s\nstore c\n",
                 n & 1u ? " in0=\"" : "", n & 1u ? lanes : "",
                 n & 1u ? "\"" : "", n & 2u ? " in1=\"" : "",
                 n & 2u ? lanes : "", n & 2u ? "\"" : "");
        begin(4);
        parsed(text);
        ll_engine_prepare_(&engine);
        CHECK(!engine.err || n == 2u || n == 3u);
        CHECK(engine.value[2].in_place == (n == 0));
        CHECK((engine.op[4].in_place[1] != LL_ENGINE_NONE) == (n < 2u));
    }
}

/* A value that a product reads both in place and in lanes is held by lanes. */
static void tiles_may_be_read_twice(void) {
    static const char *const all[] = {"c = dot x x by=abc\n",
                                      "y = load 64x64:16\n"
                                      "c = dot y x by=abc\n"};
    in_memory = 2;
    for (unsigned n = 0; n < 2u; ++n) {
        char text[300] = "x = tma_load 64x64:16\nz = load 2:8\n";
        append(text, sizeof text, all[n]);
        begin(4);
        engine.family = family;
        parsed(text);
        CHECK(ll_engine_solve(&engine));
        CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
        CHECK(engine.value[0].in_place == n);
        CHECK(engine.op[2u + n].in_place[1] != LL_ENGINE_NONE);
    }
    /* registers are no tile: of a copy that nobody else places there is none */
    for (in_memory = 0; in_memory < 5u; in_memory += 4u) {
        begin(4);
        engine.family = family;
        parsed("x = tma_load 64x64:16\nb = load 64x64:16\n"
               "c = dot x b by=abc\n");
        CHECK(!ll_engine_solve(&engine) && engine.err == LL_ENGINE_EMEMORY);
    }
    /* what is added is held by lanes */
    in_memory = 2;
    begin(4);
    engine.family = family;
    parsed("x = tma_load 64x64:16\ny = load 64x64:16\nz = load 2:8\n"
           "c = dot y x x by=abc\n");
    ll_engine_prepare_(&engine);
    CHECK(engine.value[0].in_place == 0);
}

/* A stored operand goes to the cheapest of the places that will do. */
static void operands_are_stored_to_the_cheapest_place(void) {
    begin(4);
    engine.most = 24;
    parsed(
        "a = load 64x64:16\nx = load 2:8\nb = load 64x64:16\n"
        "w = load 64x64:16\nlocal_store w memory=\"offset: j0 j1 j2 j3 j4 j5 "
        "i0 i1 i2 i3 i4 i5\"\nc = dot a b by=wgmma\nstore a\nstore b "
        "contiguous=64x1\n");
    CHECK(ll_engine_solve(&engine));
    const ll_engine_op *o = &engine.op[5];
    unsigned costs = 0;
    for (unsigned k = 0; k < 2u; ++k) {
        CHECK(o->place[k][0] != LL_ENGINE_NONE);
        CHECK(o->place[k][1] != LL_ENGINE_NONE);
        for (unsigned id = 0; id < engine.flats; ++id) {
            if (!engine.flat[id].n[1]) {
                continue;
            }
            const unsigned long long one = store_cost(4, o->place[k][0], id);
            const unsigned long long two = store_cost(4, o->place[k][1], id);
            CHECK(ll_engine_stores_(&engine, o, k, id) == (id == o->place[k][2]
                                                               ? 0u
                                                           : one < two ? one
                                                                       : two));
            ++costs;
        }
        CHECK(ll_engine_stores_(&engine, o, k, LL_ENGINE_NONE) == 0);
    }
    CHECK(costs > 10u);
    /* layouts in any order; a layout in registers is no place */
    unsigned cheaper = 0;
    for (unsigned n = 0; n < 400u; ++n) {
        const unsigned id =
            ll_engine_flat_id(&engine, 0, random_flat(5, 5, 2));
        const unsigned third = o->place[0][2];
        const unsigned long long one = store_cost(4, o->place[0][0], id);
        const unsigned long long two = store_cost(4, o->place[0][1], id);
        const unsigned long long least = one < two ? one : two;
        if (id != third) {
            CHECK(ll_engine_stores_(&engine, o, 0, id) == least);
            cheaper += store_cost(4, third, id) < least;
        }
    }
    COVERS(cheaper > 0);
}

/* ---- Prices ------------------------------------------------------------- */

/* Elements of any number of bits: each lane's is at an address of its own. */
static void odd_elements_are_counted_in_bytes(void) {
    for (unsigned bits = 1; bits <= 128u; ++bits) {
        for (unsigned near = 0; near < 2u; ++near) {
            ll_engine_spec s = LL_ZERO;
            begin(1);
            s.kind = LL_ENGINE_LOAD;
            s.rank = 2;
            s.size[0] = 5;
            s.size[1] = 1;
            s.element_bits = bits;
            s.contiguous[1] = (unsigned char)near;
            s.align = 1u + bits * 7u % 40u;
            ll_engine_add(&engine, s);
            const unsigned id = ll_engine_id(
                &engine, 0, ll_parse("register: j0 | lane: i0 i1 i2 i3 i4"));
            const unsigned bytes = (bits + 7u) / 8u;
            const unsigned n =
                near && 2u * bytes <= 16u && 2u * bytes <= s.align ? 2u : 1u;
            const unsigned all = (32u * n * bits + 7u) / 8u;
            const unsigned full = (all + 127u) / 128u;
            const unsigned apart = near ? 32u : 64u; /* half-lines */
            CHECK(ll_engine_access(&engine, 0, 0, id) ==
                  2u / n *
                          (8u + (full > 32u ? full : 32u) *
                                    LL_SM90.cost[LL_COST_MEMORY]) +
                      apart * 12u);
        }
    }
    /* neighbours in lanes, a power of two of bytes each */
    for (unsigned bits = 1; bits <= 128u; ++bits) {
        ll_engine_spec s = LL_ZERO;
        begin(1);
        s.kind = LL_ENGINE_LOAD;
        s.rank = 1;
        s.size[0] = 5;
        s.element_bits = bits;
        s.contiguous[0] = 5;
        ll_engine_add(&engine, s);
        unsigned bytes = 1;
        while (bytes * 8u < bits) {
            bytes *= 2u;
        }
        const unsigned full = ((32u * bits + 7u) / 8u + 127u) / 128u;
        const unsigned sectors = bytes; /* of 32 lanes, 32 bytes each */
        const unsigned lines = (sectors + 3u) / 4u;
        const unsigned id =
            ll_engine_id(&engine, 0, ll_parse("lane: i0 i1 i2 i3 i4"));
        CHECK(ll_engine_access(&engine, 0, 0, id) ==
              8u + (full > lines ? full : lines) *
                       LL_SM90.cost[LL_COST_MEMORY] +
                  12u * ((sectors + 1u) / 2u));
    }
}

/* What the planner has no plan for costs a fixed price: scans across blocks,
 * and reductions on machines without clusters. */
static void what_has_no_plan_costs_much(void) {
    static const char *const all[] = {"y = scan x axis=0\n",
                                      "y = reduce x axis=0\n",
                                      "y = gather x x axis=0\n"};
    for (unsigned n = 0; n < 6u; ++n) {
        char text[300] = "x = source 64x2:32 out0=\"register: j0 | lane: i0 i1 "
                         "i2 i3 i4 | warp: | block: i5\"\n";
        const ll_target t = n % 2u ? LL_SM80 : LL_SM90;
        ll_engine_begin(&engine, arena, MEMORY, t, 1, 2);
        append(text, sizeof text, all[n / 2u]);
        parsed(text);
        CHECK(ll_engine_solve(&engine));
        const ll_layout a =
            ll_parse("register: j0 | lane: i0 i1 i2 i3 i4 | warp: | block: i5");
        const unsigned err = n / 2u == 0 ? ll_scan_of(a, LL_I, 32, t).err
                             : n / 2u == 1u
                                 ? ll_reduce_of(a, LL_I, 32, t).err
                                 : ll_gather_of(a, a, LL_I, 32, t).err;
        CHECK((err != 0) == (n != 2u));
        CHECK((ll_engine_cost(&engine) == 80000u) == (err != 0));
    }
}

/* Constants that are stored take the layouts of the caller, and values without
 * axes are stored as well. */
static void stored_constants_take_what_is_asked(void) {
    static const char *const row =
        "register: j0 j1 i3 i4 | lane: j2 j3 j4 i0 i1 | warp: i2";
    for (unsigned n = 0; n < 4u; ++n) {
        char text[600];
        unsigned tuple[2];
        snprintf(text, sizeof text,
                 "p = constant 32x32:64\nz = load 64x64:8\n"
                 "c = constant 32x32:32\ny = load 64x64:8\n"
                 "store p c contiguous=1x32%s%s%s%s%s%s\n",
                 n & 1u ? " in0=\"" : "", n & 1u ? row : "", n & 1u ? "\"" : "",
                 n & 2u ? " in1=\"" : "", n & 2u ? row : "",
                 n & 2u ? "\"" : "");
        begin(2);
        parsed(text);
        const unsigned id = ll_engine_id(&engine, 0, ll_parse(row));
        CHECK(ll_engine_solve(&engine));
        CHECK(ll_engine_executed(&engine, 4, 0, tuple));
        CHECK(tuple[0] == tuple[1] && (!n || tuple[0] == id));
        CHECK(ll_engine_price(&engine, 4, tuple) + 0u ==
              ll_engine_access(&engine, 4, 2, tuple[1]));
        CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
    }
    ll_engine_spec s = LL_ZERO;
    begin(2);
    s.kind = LL_ENGINE_CONSTANT;
    s.element_bits = 32;
    const unsigned op = ll_engine_add(&engine, s);
    const unsigned v = ll_engine_result(&engine, op, 0);
    s.kind = LL_ENGINE_STORE;
    s.n_in = 1;
    s.in = &v;
    ll_engine_add(&engine, s);
    CHECK(ll_engine_solve(&engine) && engine.value[0].rank == 0);
    unsigned tuple[1];
    CHECK(ll_engine_executed(&engine, 1, 0, tuple));
    CHECK(ll_engine_cost(&engine) ==
          8u + LL_SM90.cost[LL_COST_MEMORY] + 8u + 24u);
    /* no register is enough for an element of 128 bits */
    begin(2);
    engine.registers = 3;
    parsed("c = constant 32x32:128\nstore c\n");
    CHECK(!ll_engine_solve(&engine) && engine.err == LL_ENGINE_EREGISTERS);
}

static unsigned only_tuple[8];

static void executed(const char *text, unsigned op) {
    begin(2);
    parsed(text);
    CHECK(ll_engine_solve(&engine));
    CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
    memset(only_tuple, 255, sizeof only_tuple);
    CHECK(ll_engine_executed(&engine, op, 0, only_tuple));
}

/* A constant is there in the layout that the rule of the operation says, or the
 * caller. */
static void constants_take_the_layouts_of_others(void) {
#define ODD "register: i0 j1 i3 i4 | lane: j2 j3 j4 j0 i1 | warp: i2"
#define ROW "register: j0 j1 i3 i4 | lane: j2 j3 j4 i0 i1 | warp: i2"
    static const char *const both[] = {"s, t = reduce c x axis=1\n",
                                       "s, t = reduce x c axis=1\n",
                                       "s, t = scan c x axis=1\n"};
    char text[1000];
    for (unsigned n = 0; n < 3u; ++n) {
        snprintf(text, sizeof text,
                 "c = constant 32x32:32\nx = source "
                 "32x32:32 out0=\"%s\"\nz = load 2:8\n%sstore s\nstore t\n",
                 ODD, both[n]);
        executed(text, 3);
        CHECK(only_tuple[0] == only_tuple[1] && only_tuple[2] == only_tuple[3]);
        CHECK(n == 2u || only_tuple[0] == engine.fixed[engine.op[1].at]);
    }
    executed("c = constant 16x8:32\nr = reorder c 8x16\nstore r\n", 1);
    CHECK(only_tuple[0] == only_tuple[1] && only_tuple[0] < engine.flats);
    executed("c = constant 32x32:32\nz = load 2:8\nd = fixed c in0=\"" ODD
             "\" out0=\"" ROW "\"\nstore d\n",
             2);
    const ll_engine_op *o = &engine.op[2];
    CHECK(only_tuple[0] == engine.fixed[o->at] && only_tuple[0] < engine.flats);
    CHECK(only_tuple[1] == engine.fixed[o->at + 1u]);
    CHECK(only_tuple[0] != only_tuple[1]);
    executed("x = source 32x32:32 out0=\"" ROW "\"\nc = constant 32x32:32\n"
             "z = load 2:8\nd = fixed x c in0=\"" ROW "\" in1=\"" ODD
             "\" out0=\"" ROW "\"\nstore d\n",
             3);
    o = &engine.op[3];
    CHECK(only_tuple[1] == engine.fixed[o->at + 1u]);
    CHECK(only_tuple[1] != only_tuple[0]);
    executed("c = constant 32x32:32\nd = fixed c out0=\"" ODD "\"\n", 1);
    CHECK(only_tuple[0] == only_tuple[1]);
    begin(4);
    parsed("a = load 32x64:16\nz = load 2:8\nb = load 64x16:16\n"
           "y = constant 32x16:32\nw = load 2:8\nc = dot a b y by=mma\n"
           "store c\n");
    CHECK(ll_engine_solve(&engine));
    CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
    CHECK(ll_engine_executed(&engine, 5, 0, only_tuple));
    o = &engine.op[5];
    CHECK(only_tuple[2] == engine.fixed[o->at + 2u]);
    CHECK(only_tuple[3] == engine.fixed[o->at + 3u]);
    unsigned turned = 0; /* in any order of k */
    for (unsigned t = 0; t < o->n; ++t) {
        ll_engine_numbers_(&engine, 5, t, only_tuple);
        CHECK(only_tuple[2] == engine.fixed[o->at + 2u]);
        turned += only_tuple[0] != engine.fixed[o->at];
    }
    CHECK(turned);
    /* stores of constants: the cheapest rows, the layout of the caller */
    for (unsigned n = 0; n < 60u; ++n) {
        const unsigned bits = 8u << n % 5u;
        snprintf(text, sizeof text,
                 "z = load 2:8\np = constant 32x16:64\nc = constant 32x16:%u\n"
                 "y = load 64x64:8\nstore p c contiguous=%s align=%u\n",
                 bits, n / 5u % 2u ? "1x16" : "32x1",
                 n / 10u % 3u == 0    ? 16u
                 : n / 10u % 3u == 1u ? 4u
                                      : bits / 8u);
        executed(text, 4);
        const ll_engine_value x = engine.value[2];
        unsigned long long least = ~0ull;
        for (unsigned k = 0; k < 10u; ++k) {
            const unsigned id = ll_engine_flat_id(
                &engine, 2, ll_engine_rows_(&engine, &x, k / 5u, k % 5u));
            const unsigned long long cost = ll_engine_access(&engine, 4, 2, id);
            least = cost < least ? cost : least;
        }
        CHECK(only_tuple[0] == only_tuple[1]);
        CHECK(ll_engine_access(&engine, 4, 2, only_tuple[1]) == least);
    }
    static const char *const stores[] = {
        "c = constant 512:32\ny = load 2:8\nstore c contiguous=512 align=4\n",
        "c = constant 512:64\ny = load 2:8\nstore c contiguous=512 align=8\n",
        ("c = constant 64x32:8\ny = load 2:8\n"
         "store c contiguous=1x32 align=16\n"),
        ("c = constant 64x64:8\ny = load 2:8\n"
         "store c contiguous=1x64 align=16\n")};
    for (unsigned n = 0; n < 4u; ++n) { /* single elements, and 16 bytes */
        executed(stores[n], 2);
        const ll_engine_value x = engine.value[0];
        unsigned long long least = ~0ull;
        unsigned best = 0;
        for (unsigned k = 0; k < 5u * x.rank; ++k) {
            const unsigned id = ll_engine_flat_id(
                &engine, 0, ll_engine_rows_(&engine, &x, k / 5u, k % 5u));
            const unsigned long long cost = ll_engine_access(&engine, 2, 0, id);
            best = cost < least ? k % 5u : best;
            least = cost < least ? cost : least;
        }
        CHECK(best == (n < 2u ? 0u : 4u));
        CHECK(ll_engine_access(&engine, 2, 0, only_tuple[0]) == least);
    }
    for (unsigned n = 0; n < 4u; ++n) { /* four operands fill their list */
        snprintf(text, sizeof text,
                 "z = source 32x32:8 out0=\"%s\"\nc = constant 32x32:32\n"
                 "y = load 2:8\nstore c c c c in%u=\"%s\"\nstore z\n",
                 ROW, n, ODD);
        executed(text, 3);
        const unsigned id = ll_engine_id(&engine, 0, ll_parse(ODD));
        for (unsigned k = 0; k < 4u; ++k) {
            CHECK(only_tuple[k] == id);
        }
        snprintf(text, sizeof text,
                 "z = source 32x32:8 out0=\"%s\"\nc = constant 32x32:32\n"
                 "y = load 2:8\nstore c c c c\nstore z\n",
                 ROW);
        executed(text, 3);
        CHECK(only_tuple[0] < engine.flats && only_tuple[3] == only_tuple[0]);
    }
}

/* A layout in registers alone is not that of a tile, which has no lanes. */
static void tiles_are_in_no_order(void) {
    begin(2);
    parsed("a = source 8x8:16\nz = load 2:8\nb = source 8x8:16\nw = load 2:8\n"
           "c = dot a b\nlocal_store a memory=\"offset: j0 j1 j2 i0 i1 i2\"\n");
    ll_engine_flat f = LL_ZERO;
    f.n[0] = 6;
    f.n[1] = 5;
    f.n[2] = 1;
    for (unsigned k = 0; k < 6u; ++k) {
        f.basis[k] = 1u << k;
    }
    const unsigned id = ll_engine_flat_id(&engine, 0, f);
    ll_engine_fix(&engine, 4, 0, id);
    ll_engine_fix(&engine, 4, 1, id);
    const unsigned tuple[3] = {id, id, id};
    const unsigned tile[3] = {engine.op[5].memory, id, id};
    CHECK(ll_engine_is_in_order_(&engine, &engine.op[4], tuple));
    CHECK(!ll_engine_is_in_order_(&engine, &engine.op[4], tile));
}

/* Hints at layouts of value 1, 128 elements in two warps, until there are so
 * many hints. */
static void hint_at_random(unsigned hints) {
    while (engine.hints < hints) {
        const unsigned before = engine.flats;
        const unsigned id =
            ll_engine_flat_id(&engine, 1, random_flat(1, 5, 1));
        if (id == before) {
            ll_engine_hint(&engine, 1, id);
        }
    }
}

/* The set of layouts that serves all users has the fewest more for each, one
 * after another. */
static void one_set_serves_all_users(void) {
    static const unsigned pair[5][2] = {{0, 1}, {2, 0}, {3, 4}, {5, 6}, {7, 8}};
    ll_engine_solution_ s = LL_ZERO;
    begin(2);
    engine.most = 12;
    parsed("z = load 2:8\nx = source 16x8:32\n");
    hint_at_random(24);
    parsed("sink x\nsink x\nsink x\nsink x\nsink x\nsink x\n");
    ll_engine_prepare_(&engine);
    CHECK(!engine.err && engine.value[1].n == 12u);
    for (unsigned k = 0; k < 5u; ++k) { /* each takes two layouts alone */
        ll_engine_op *o = &engine.op[2u + k];
        o->n = 2;
        engine.instance[o->first] = pair[k][0];
        engine.instance[o->first + 1u] = pair[k][1];
    }
    ll_engine_set_up_(&engine, &s); /* the last user takes any layout */
    CHECK(!engine.err);
    const ll_engine_var_ *x = &s.var[s.value_var[1]];
    CHECK(s.label[x->first] == (1u | 1u << 3 | 1u << 5 | 1u << 7));
}

/* The lists of the layouts of an operation have room for its operands, and for
 * no more: what stands behind them stays as it is. */
static void lists_of_operands_are_not_overrun(void) {
    static const char *const all[] = {
        "c = dot a b y by=mma\nstore c\n", "c = dot a b y by=wgmma\nstore c\n",
        "c, d, e = fixed a out0=\""
        "register: j0 j1 j2 j3 j4 | lane: j5 i0 i1 i2 "
        "i3 | warp: i4 i5\" out1=\"register: j0 j1 j2 j3 j4 | lane: j5 i0 i1 "
        "i2 "
        "i3 | warp: i4 i5\" out2=\"register: j0 j1 j2 j3 j4 | lane: j5 i0 i1 "
        "i2 "
        "i3 | warp: i4 i5\" in0=\"register: j0 j1 j2 j3 j4 | lane: j5 i0 i1 i2 "
        "i3 | warp: i4 i5\"\nstore c\n"};
    for (unsigned n = 0; n < 3u; ++n) {
        char text[1000] =
            "a = source 64x64:16 out0=\"register: j1 j0 j2 j3 j4 | "
            "lane: j5 i0 i1 i2 i3 | warp: i4 i5\"\n"
            "y = source 64x64:32\nb = source 64x64:16\n";
        append(text, sizeof text, all[n]);
        begin(4);
        engine.most = 4;
        parsed(text);
        ll_engine_prepare_(&engine);
        CHECK(!engine.err && engine.op[0].n == 1u);
        unsigned tuple[4];
        ll_engine_numbers_(&engine, 0, 0, tuple);
        CHECK(tuple[0] == engine.fixed[0]);
        CHECK(ll_engine_solve(&engine));
        CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
    }
    /* the widest layout of rows has 32 columns */
    ll_engine_spec s = LL_ZERO;
    begin(8);
    s.kind = LL_ENGINE_SOURCE;
    s.rank = 1;
    s.size[0] = 24;
    s.element_bits = 8;
    ll_engine_add(&engine, s);
    const ll_engine_value x = engine.value[0];
    const ll_engine_flat f = ll_engine_rows_(&engine, &x, 0, 24);
    CHECK(f.n[0] == 24u && f.n[1] == 5u && f.n[2] == 3u);
    for (unsigned k = 0; k < 32u; ++k) {
        CHECK(f.basis[k] == (k < 24u ? 1u << k : 0u));
    }
    const unsigned id = ll_engine_flat_id(&engine, 0, f);
    CHECK(!ll_engine_plan(&engine, id, id, 24, 8).err);
}

/* What is light costs one instruction, and results of constants are free one by
 * one; loops carry values at no cost, however often. */
static void light_and_free_operations(void) {
    for (unsigned cost = 0; cost < 20u; ++cost) {
        ll_engine_spec s = LL_ZERO;
        unsigned in = 0;
        begin(2);
        parsed("c = constant 8x2:32\n");
        s.kind = LL_ENGINE_MAP;
        s.n_in = 1;
        s.in = &in;
        s.cost = cost;
        ll_engine_add(&engine, s);
        ll_engine_prepare_(&engine);
        CHECK(engine.op[1].is_light == (cost <= 8u));
        CHECK(engine.value[1].is_free == (cost == 0));
    }
    begin(2);
    prepared("x = load 8:32\nc = constant 8x2:32\nz = load 8x2:32\n"
             "a, b = split c\nd, e = split z\n");
    CHECK(engine.value[3].is_free && engine.value[4].is_free);
    CHECK(!engine.value[5].is_free && !engine.value[6].is_free);
    CHECK(engine.value[1].is_free && !engine.value[2].is_free);
    begin(2);
    prepared("c = constant 8x8:32\nx = map c\nloop 5 a = x\nb = map a\n"
             "yield b -> d\nstore d\n");
    for (unsigned p = 0; p < engine.ops; ++p) {
        CHECK(
            ll_engine_again_(&engine.op[p]) ==
            (engine.op[p].kind == LL_ENGINE_CARRY ? 0u : engine.op[p].weight));
    }
}

/* A value with several users has a label for each set of layouts: of all, up
 * to six; of three, up to nine; of two. */
static void sets_of_layouts_have_a_size(void) {
    for (unsigned n = 2; n < 13u; ++n) {
        ll_engine_solution_ s = LL_ZERO;
        begin(2);
        engine.most = n;
        parsed("z = load 2:8\nx = source 16x8:32\n");
        hint_at_random(2u * n);
        parsed("sink x\nsink x\n");
        ll_engine_prepare_(&engine);
        ll_engine_set_up_(&engine, &s);
        CHECK(!engine.err && engine.value[1].n == n);
        unsigned want = 0;
        for (unsigned m = 1; m < 1u << n; ++m) {
            const unsigned size = ll_popcount_(m);
            want += size <= (n <= 6u ? n : n <= 9u ? 3u : 2u);
        }
        CHECK(s.var[s.value_var[1]].n == want);
    }
}

/* Plans that are priced later cost what they cost at once, each its own; what
 * was not asked for in time is an error. */
static void plans_are_priced_later(void) {
    static ll_engine_pool_ pool;
    static const ll_engine_pool_ empty = LL_ZERO;
    ll_engine e = LL_ZERO;
    pool = empty;
    ll_engine_start_(&e, LL_SM90, 2, 1);
    e.pool = &pool;
    e.sort = ll_sort_cycles;
    CHECK(ll_engine_parse(&e, "x = source 32x32:32 out0=\"" ROW "\"\n"
                              "i = source 32x32:16 out0=\"" ODD "\"\n"
                              "z = load 2:8\ng = gather x i axis=1 in0=\"" ROW
                              "\" in1=\"" ODD "\"\ns = scan g axis=0\n"
                              "h = gather i x axis=0 in0=\"" ROW "\" in1=\"" ODD
                              "\"\nr = reduce h axis=1\nt = sort x axis=0\n"));
    ll_engine_prepare_(&e);
    CHECK(!e.err && e.jobs >= 4u && e.pairs == 0);
    unsigned job = 0;
    for (unsigned p = 0; p < e.ops; ++p) {
        const unsigned kind = e.op[p].kind;
        const int later = kind == LL_ENGINE_GATHER || kind == LL_ENGINE_SCAN ||
                          kind == LL_ENGINE_SORT || kind == LL_ENGINE_REDUCE;
        for (unsigned t = 0; t < e.op[p].n && later; ++t) {
            unsigned tuple[4];
            ll_engine_numbers_(&e, p, t, tuple);
            CHECK(ll_assign_price_(&e, job) == ll_engine_price(&e, p, tuple));
            CHECK(e.job[4u * job] == e.op[p].price + t);
            CHECK(e.job[4u * job + 1u] == p);
            CHECK(e.job[4u * job + 2u] == tuple[0]);
            CHECK(kind != LL_ENGINE_GATHER || e.job[4u * job + 3u] == tuple[1]);
            ++job;
        }
    }
    CHECK(job == e.jobs);
    e.priced = 1;
    CHECK(ll_engine_convert_(&e, 0, 1, 10, 32) && e.err == LL_ENGINE_EARENA);
}

/* The lists of a constant have an end: 40 values, 32 operations. */
static void constants_have_room_for_so_many(void) {
    static ll_engine_pool_ pool;
    static const ll_engine_pool_ empty = LL_ZERO;
    for (unsigned n = 20; n < 45u; ++n) {
        char text[2000] = "";
        for (unsigned k = 0; k < n; k += 2u) {
            char line[60];
            snprintf(line, sizeof line, "a%u = load 4:32\n", k);
            append(text, sizeof text, line);
        }
        append(text, sizeof text, "x, y, z = fixed 4:32\n");
        ll_engine e = LL_ZERO;
        pool = empty;
        ll_engine_start_(&e, LL_SM90, 2, 1);
        e.pool = &pool;
        const unsigned ops = (n + 1u) / 2u + 1u;
        CHECK(ll_engine_parse(&e, text) == (ops <= 32u));
        CHECK(!e.err && e.values == ops + 2u);
    }
    ll_engine e = LL_ZERO;
    ll_engine_start_(&e, LL_SM90, 2, 1);
    pool = empty;
    e.pool = &pool;
    char text[2000] = "";
    for (unsigned k = 0; k < 14u; ++k) { /* three values each */
        char line[60];
        snprintf(line, sizeof line, "a%u, b%u, c%u = fixed 4:32\n", k, k, k);
        append(text, sizeof text, line);
    }
    CHECK(!ll_engine_parse(&e, text) && e.err == LL_ENGINE_EARENA);
}

/* A list has at least the room that is asked for, and keeps its items. */
static void lists_have_the_room_that_is_asked_for(void) {
    begin(2);
    for (unsigned had = 0; had < 12u; ++had) {
        for (unsigned n = 0; n < 4u * had + 9u; ++n) {
            unsigned old[12];
            unsigned cap = had;
            for (unsigned k = 0; k < had; ++k) {
                old[k] = 100u * n + k;
            }
            unsigned *list = ll_engine_room_word_(&engine, old, n, &cap);
            CHECK(cap >= n && cap >= had);
            CHECK((list == old) == (n <= had));
            for (unsigned k = 0; k < had; ++k) {
                CHECK(list[k] == 100u * n + k);
            }
        }
    }
    CHECK(!engine.err);
}

/* Where a constant has one list of a type, it may fill the whole array. */
static void lone_lists_fill_their_array(void) {
    static ll_engine_pool_ pool;
    static const ll_engine_pool_ empty = LL_ZERO;
#define FILLS(name, type)                                                  \
    do {                                                                   \
        const unsigned most = (unsigned)(sizeof pool.name / sizeof(type)); \
        ll_engine e = LL_ZERO;                                             \
        type *list = 0;                                                    \
        unsigned cap = 0;                                                  \
        pool = empty;                                                      \
        ll_engine_start_(&e, LL_SM90, 2, 1);                               \
        e.pool = &pool;                                                    \
        CHECK(most > 0);                                                   \
        for (unsigned n = 1; n <= most; ++n) {                             \
            list = ll_engine_room_##name##_(&e, list, n, &cap);            \
            CHECK(!e.err && list == pool.name && cap >= n && cap <= most); \
        }                                                                  \
        list = ll_engine_room_##name##_(&e, list, most + 1u, &cap);        \
        CHECK(e.err == LL_ENGINE_EARENA && list == pool.name);             \
    } while (0)
    FILLS(value, ll_engine_value);
    FILLS(op, ll_engine_op);
    FILLS(flat, ll_engine_flat);
    FILLS(pair, ll_engine_pair_);
    FILLS(var, ll_engine_var_);
    FILLS(fn, ll_engine_fn_);
    FILLS(drop, ll_engine_drop_);
    FILLS(move, ll_engine_move);
#undef FILLS
}

/* The layouts of an operation are those of its own operands: what stands behind
 * them in a list is not written, and does not count. */
static void operations_have_their_own_operands(void) {
    unsigned some = 0;
    begin(2);
    prepared("x = load 8x32:32\ni = load 8x32:32\ny = map x\n"
             "g = gather y i axis=1\nr = reduce g axis=1\nstore y\nstore r\n");
    for (unsigned p = 0; p < engine.ops; ++p) {
        const ll_engine_op *o = &engine.op[p];
        const unsigned n = o->n_in + o->n_out;
        for (unsigned t = 0; t < o->n; ++t) {
            unsigned tuple[5] = LL_ZERO;
            tuple[n] = LL_ENGINE_NONE;
            ll_engine_numbers_(&engine, p, t, tuple);
            CHECK(tuple[n] == LL_ENGINE_NONE);
            int all = 1;
            for (unsigned k = 0; k < n; ++k) {
                all = all && has_candidate(engine.operand[o->at + k], tuple[k]);
            }
            CHECK(all == (ll_engine_has_(&engine, o, tuple) != 0));
            some += all && n > 1u;
            for (unsigned k = 0; k < n; ++k) {
                const unsigned is = tuple[k];
                tuple[k] = LL_ENGINE_NONE;
                CHECK(!ll_engine_has_(&engine, o, tuple));
                tuple[k] = is;
            }
        }
    }
    CHECK(some > 4u);
}

/* An operand without a candidate that the other has takes one of its, whichever
 * of the two it is. */
static void operands_join_each_other(void) {
    for (unsigned lacks = 0; lacks < 2u; ++lacks) {
        ll_engine_queue_ q = LL_ZERO;
        unsigned tuple[2];
        begin(2);
        prepared("x = load 8x8:32\ny = map x\nstore y contiguous=8x1\n");
        CHECK(engine.value[0].n && engine.value[1].n);
        const ll_engine_value has = engine.value[!lacks];
        engine.value[lacks].n = 0;
        ll_engine_join_up_(&engine, &q, tuple);
        CHECK(!engine.err && engine.value[lacks].n == 1u && q.n == 2u);
        CHECK(engine.value[!lacks].n == has.n);
        CHECK(
            has_candidate(!lacks, engine.candidate[engine.value[lacks].first]));
        /* now they have one in common */
        q.done = q.n;
        ll_engine_join_up_(&engine, &q, tuple);
        CHECK(q.n == 2u && engine.value[lacks].n == 1u);
    }
}

/* An empty graph needs no memory but its lists, and writes nowhere else. */
static void empty_graphs_write_nowhere(void) {
    static unsigned char some[4096];
    unsigned solved = 0;
    for (unsigned bytes = 0; bytes < 2048u; bytes += 16u) {
        memset(some, 0x5a, sizeof some);
        ll_engine_begin(&engine, some, bytes, LL_SM90, 2, 1);
        solved += (unsigned)ll_engine_solve(&engine);
        const unsigned used =
            (unsigned)(engine.memory - some) + (unsigned)engine.used;
        for (unsigned k = used; k < sizeof some; ++k) {
            if (some[k] != 0x5au) {
                CHECK(0);
                return;
            }
        }
    }
    CHECK(solved > 20u && solved < 128u);
}

/* Layouts of a reordering have as many registers. */
static void reorders_of_other_registers_are_illegal(void) {
    begin(2);
    engine.most = 24;
    parsed("x = load 16x8:32 out0=\"register: j0 | lane: j1 j2 i0 i1 i2 | "
           "warp: i3\"\ny = reorder x 8x16\nstore y\n");
    CHECK(ll_engine_solve(&engine));
    unsigned tuple[4];
    CHECK(ll_engine_executed(&engine, 1, 0, tuple));
    const unsigned wide = ll_engine_id(
        &engine, 0, ll_parse("register: j0 i3 | lane: j1 j2 i0 i1 i2"));
    CHECK(wide != LL_ENGINE_NONE && engine.flat[wide].n[0] == 2u);
    CHECK(ll_engine_is_legal_(&engine, 1, tuple));
    tuple[2] = tuple[3] = tuple[0];
    tuple[1] = wide;
    CHECK(!ll_engine_is_legal_(&engine, 1, tuple));
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(operands_share_their_order_of_k);
    RUN(offered_layouts_have_their_order);
    RUN(orders_make_the_longest_vectors);
    RUN(other_layouts_are_in_no_order);
    RUN(products_sum_over_a_limited_axis);
    RUN(candidates_come_from_what_asks_for_them);
    RUN(candidates_are_as_many_as_allowed);
    RUN(candidates_hold_every_element);
    RUN(accesses_are_offered_vectors);
    RUN(fixed_layouts_hold_for_each_operand);
    RUN(operands_are_read_where_instructions_want_them);
    RUN(tiles_are_where_products_look_for_them);
    RUN(tiles_may_be_read_twice);
    RUN(operands_are_stored_to_the_cheapest_place);
    RUN(odd_elements_are_counted_in_bytes);
    RUN(what_has_no_plan_costs_much);
    RUN(stored_constants_take_what_is_asked);
    RUN(constants_take_the_layouts_of_others);
    RUN(tiles_are_in_no_order);
    RUN(one_set_serves_all_users);
    RUN(lists_of_operands_are_not_overrun);
    RUN(light_and_free_operations);
    RUN(sets_of_layouts_have_a_size);
    RUN(plans_are_priced_later);
    RUN(constants_have_room_for_so_many);
    RUN(lists_have_the_room_that_is_asked_for);
    RUN(lone_lists_fill_their_array);
    RUN(operations_have_their_own_operands);
    RUN(operands_join_each_other);
    RUN(empty_graphs_write_nowhere);
    RUN(reorders_of_other_registers_are_illegal);
    return test_end();
}
