/* test_engine_orders.c - orders of what the products of the layout engine sum
 * over.
 * SPDX-License-Identifier: MIT
 *
 * They are compared thread by thread.
 */
#include "engine_graphs.h"
#include "engine_orders.h"

/* In all instances of a product, a and b have the same order of k, even if one
 * is a constant. Apart from this order, their layouts are the instructions'. */
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

/* A layout is in no order if it has other registers, or differs in more than
 * the order of k. An order must be the same for both operands. */
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

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(operands_share_their_order_of_k);
    RUN(offered_layouts_have_their_order);
    RUN(orders_make_the_longest_vectors);
    RUN(other_layouts_are_in_no_order);
    RUN(products_sum_over_a_limited_axis);
    return test_end();
}
