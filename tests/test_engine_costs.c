/* test_engine_costs.c - what the layout engine takes operations to cost.
 * SPDX-License-Identifier: MIT
 *
 * Accesses are compared with the addresses of their elements, all else with the
 * plans of the planner.
 */
#include "engine_random.h"

static int solved(const char *text, unsigned warps) {
    begin_80(warps);
    return ll_engine_parse(&engine, text) && ll_engine_solve(&engine);
}

/* ---- Accesses ----------------------------------------------------------- */

/* Axis n of a tile in memory, the fastest first: the one with the longest runs,
 * of equals the last, then the others from the last to the first. */
static unsigned axis_of(const ll_engine_op *o, const ll_engine_value *v,
                        unsigned n) {
    unsigned fast = 0;
    for (unsigned k = 1; k < v->rank; ++k) {
        fast = o->contiguous[k] >= o->contiguous[fast] ? k : fast;
    }
    for (unsigned k = v->rank; n && k-- > 0;) {
        n -= k != fast;
        fast = n ? fast : k;
    }
    return fast;
}

/* The address of an element. Contiguous runs lie far from each other. The
 * neighbours that `same` counts share one address. */
static unsigned long long address(const ll_engine_op *o,
                                  const ll_engine_value *v, unsigned index) {
    unsigned long long at = 0;
    unsigned long long stride = v->element_bits / 8u; /* of this axis */
    int near = 1; /* all faster axes lie there without gaps */
    for (unsigned n = 0; n < v->rank; ++n) {
        const unsigned k = axis_of(o, v, n);
        unsigned x = index;
        for (unsigned j = v->rank; --j > k;) {
            x >>= v->size[j];
        }
        x %= 1u << v->size[k];
        x >>= o->same[k] < v->size[k] ? o->same[k] : v->size[k];
        const unsigned run = near && !o->same[k] ? 1u << o->contiguous[k] : 1u;
        at += x % run * stride;
        at += (unsigned long long)(x / run) << (20u + 10u * k);
        stride <<= v->size[k];
        near = near && run >= 1u << v->size[k] && !o->same[k];
    }
    return at;
}

static int is_before(const void *a, const void *b) {
    const unsigned long long x = *(const unsigned long long *)a;
    const unsigned long long y = *(const unsigned long long *)b;
    return (x > y) - (x < y);
}

/* Counts the units of `bytes` bytes that warp 0 touches, over all its lanes and
 * the n register columns in `moved`. */
static unsigned units(const ll_engine_op *o, const ll_engine_value *v,
                      const ll_engine_flat *f, const unsigned *moved,
                      unsigned n, unsigned bytes) {
    static unsigned long long seen[1u << 15];
    unsigned count = 0;
    CHECK(n <= 10u);
    if (n > 10u) {
        return 0;
    }
    for (unsigned x = 0; x < 32u << n; ++x) {
        unsigned index = 0;
        for (unsigned k = 0; k < 5u; ++k) {
            index ^= x >> k & 1u ? f->basis[f->n[0] + k] : 0u;
        }
        for (unsigned k = 0; k < n; ++k) {
            index ^= x >> (5u + k) & 1u ? moved[k] : 0u;
        }
        seen[x] = address(o, v, index) / bytes;
    }
    qsort(seen, 32u << n, sizeof seen[0], is_before);
    for (unsigned x = 0; x < 32u << n; ++x) {
        count += x == 0 || seen[x] != seen[x - 1u];
    }
    return count;
}

/* How many elements an instruction moves, as columns: neighbours of the axis
 * with the longest runs that are a lane's alone, at most 16 bytes, aligned. */
static unsigned widest_of(const ll_engine_op *o, const ll_engine_value *v,
                          const ll_engine_flat *f, unsigned *moved) {
    const unsigned axis = axis_of(o, v, 0);
    unsigned low = 0;
    unsigned n = 0;
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

/* What lines, sectors and half-lines cost: a load takes each half-line once, a
 * store each sector every time, and has more work with those it does not fill. */
static unsigned long long access_cost(const ll_engine_op *o,
                                      const ll_engine_value *v,
                                      const ll_engine_flat *f) {
    unsigned moved[8] = LL_ZERO;
    unsigned all[LL_MAX_BITS] = LL_ZERO;
    unsigned n = 0;
    const unsigned one = widest_of(o, v, f, moved);
    const unsigned bytes = (32u << one) * v->element_bits / 8u;
    const unsigned full = (bytes + 127u) / 128u;
    const unsigned lines = units(o, v, f, moved, one, 128);
    const unsigned times = 1u << f->n[0] >> one;
    const unsigned pass = LL_SM80.cost[LL_COST_MEMORY];
    for (; n < f->n[0]; ++n) {
        all[n] = f->basis[n];
    }
    const unsigned each = 8u + (full > lines ? full : lines) * pass;
    if (o->kind == LL_ENGINE_LOAD) {
        return times * each + 12u * units(o, v, f, all, n, 64);
    }
    const unsigned sectors = units(o, v, f, moved, one, 32);
    const unsigned elements = units(o, v, f, moved, one, 1);
    const int part = 32u * sectors > elements * (v->element_bits / 8u);
    return times * (each + 8u * sectors + (part ? 24u : 8u) * lines);
}

static void accesses_cost_their_addresses(void) {
    unsigned wide = 0;
    unsigned columns = 0; /* accesses whose fastest axis is not the last */
    for (unsigned n = 0; n < 4000u; ++n) {
        sizes a = LL_ZERO;
        ll_engine_spec s = LL_ZERO;
        begin_80(2);
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
        const unsigned fast = test_random(2) ? a.rank - 1u
                                             : test_random(a.rank);
        s.contiguous[fast] = (unsigned char)test_random(a.at[fast] + 2u);
        if (a.rank > 1u && s.contiguous[fast] >= a.at[fast] &&
            test_random(2)) {
            const unsigned k = fast ? fast - 1u : a.rank - 1u;
            s.contiguous[k] = (unsigned char)test_random(a.at[k] + 1u);
        }
        if (test_random(4) == 0) {
            const unsigned k = test_random(a.rank);
            s.same[k] = (unsigned char)test_random(a.at[k] + 2u);
            for (unsigned j = 0; j < a.rank; ++j) {
                s.contiguous[j] = j == fast && k != fast ? s.contiguous[j] : 0u;
            }
        }
        columns += fast + 1u < a.rank && s.contiguous[fast] > 1u;
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
    COVERS(wide > 60u && columns > 60u);
}

/* The row-major layout along an axis: the lanes stand side by side, each with
 * 2^wide neighbours, and what is left over are more registers. */
static void rows_are_counted_out(void) {
    for (unsigned n = 0; n < 1200u; ++n) {
        sizes a = LL_ZERO;
        const unsigned blocks = n % 3u ? 0u : 1u; /* log2 */
        ll_engine_begin(&engine, arena, MEMORY, LL_SM90, n % 2u ? 2 : 4,
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
        begin_80(2);
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
        CHECK(ll_popcount_(seen) == runs);
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

/* ---- Certificates ------------------------------------------------------- */

/* Numbers of values, operations and conversions that are not there. */
static void results_end_behind_the_last(void) {
    unsigned tuple[4] = LL_ZERO;
    begin_80(2);
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

/* ---- The order of k ----------------------------------------------------- */

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

/* The axis of an operation is j; what is slower is i, what is faster k. */
static void axes_are_told_apart(void) {
    for (unsigned n = 0; n < 300u; ++n) {
        sizes a = LL_ZERO;
        begin_80(2);
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
        begin_80(2);
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
            begin_80(2);
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

/* Each pair of layouts has a price of its own, and each layout its number. */
static void pairs_are_kept_apart(void) {
    static unsigned ids[40];
    sizes a = LL_ZERO;
    unsigned n = 0;
    begin_80(2);
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
    begin_80(8);
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
          (1ull << 22) *
              (8u + 4u * LL_SM80.cost[LL_COST_MEMORY] + 8u + 24u));
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
        begin_80(2);
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
    begin_80(2);
    ll_engine_loop(&engine, 4);
    none[0] = 0;
    CHECK(ll_engine_price(&engine, 0, none) == 0);
}

/* What is written behind addresses, and before a mask, is what costs. */
static void masks_and_addresses_cost_nothing(void) {
    unsigned tuple[4];
    begin_80(2);
    CHECK(ll_engine_parse(
        &engine, "p = load 32x32:64\nx = load 32x32:8\nm = load 32x32:1\n"
                 "w = load 32x32:32\n"
                 "store w contiguous=1x32 align=16\n"
                 "store w m contiguous=1x32 align=16\n"
                 "store p w contiguous=1x32 align=16\n"
                 "store p w m contiguous=1x32 align=16\n"
                 "a = atomic w m 32x32:32 contiguous=1x32 align=16\n"
                 "store x contiguous=1x32 align=16\n"
                 "store p x contiguous=1x32 align=16\n"
                 "store p m contiguous=1x32 align=16\n"
                 "store m contiguous=1x32 align=16\n"));
    const unsigned row = ll_engine_id(&engine, 0, ll_parse(ROW));
    for (unsigned k = 0; k < 4u; ++k) {
        tuple[k] = row;
    }
    const unsigned long long wide = ll_engine_price(&engine, 4, tuple);
    for (unsigned op = 5; op < 9u; ++op) {
        CHECK(ll_engine_price(&engine, op, tuple) == wide);
    }
    CHECK(ll_engine_price(&engine, 9, tuple) < wide);
    CHECK(ll_engine_price(&engine, 10, tuple) ==
          ll_engine_price(&engine, 9, tuple));
    CHECK(ll_engine_price(&engine, 11, tuple) ==
          ll_engine_price(&engine, 12, tuple));
    CHECK(ll_engine_price(&engine, 12, tuple) < wide);
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
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
    RUN(results_end_behind_the_last);
    RUN(what_does_nothing_costs_nothing);
    RUN(masks_and_addresses_cost_nothing);
    return test_end();
}
