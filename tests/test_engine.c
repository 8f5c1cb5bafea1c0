/* test_engine.c - the layout engine against enumeration.
 * SPDX-License-Identifier: MIT
 *
 * The best assignment is compared with a search over all assignments that
 * knows nothing of tables, and of bounds only that an operation costs at least
 * its least price; rules of operations with sets of elements, thread by thread;
 * certificates with what becomes of them when one number is changed. `make
 * check-engine` runs 10,800 random graphs and 3,600 changed certificates.
 */
#ifndef LL_ENGINE
#define LL_ENGINE
#endif
#ifndef LL_SORTS
#define LL_SORTS
#endif
#include "definition.h"

#include "../ll_amd.h"
#include "../ll_ptx.h"
#include <time.h>

enum { MEMORY = 1 << 24, MOST = LL_ENGINE_MOST, THREADS = 64 };

static unsigned char memory[MEMORY];
static ll_engine engine;

static void begin(void) {
    ll_engine_begin(&engine, memory, MEMORY, LL_SM80, 2, 1);
}

/* ---- Random graphs ------------------------------------------------------ */

static unsigned rank_of(unsigned v) { return engine.value[v].rank; }

/* A random layout of 2^bits elements in 32 lanes and 2 warps, as the engine
 * takes it: columns of one bit, each bit once, and copies. */
static ll_engine_flat random_flat(unsigned bits) {
    ll_engine_flat f = LL_ZERO;
    unsigned order[LL_MAX_BITS];
    for (unsigned k = 0; k < bits; ++k) {
        const unsigned at = test_random(k + 1u);
        order[k] = order[at];
        order[at] = 1u << k;
    }
    const unsigned copies = bits < 6u ? 6u - bits : test_random(3) == 0;
    unsigned left = copies;
    unsigned n = 0;
    f.n[0] = (unsigned char)(bits + copies > 6u ? bits + copies - 6u : 0u);
    f.n[1] = 5;
    f.n[2] = 1;
    for (unsigned k = 0; k < f.n[0] + 6u; ++k) {
        const int none = k >= f.n[0] && left &&
                         (test_random(3) == 0 ||
                          f.n[0] + 6u - k <= left || n == bits);
        f.basis[k] = none || n == bits ? 0u : order[n];
        left -= none ? 1u : 0u;
        n += none || n == bits ? 0u : 1u;
    }
    return f;
}

static unsigned fixed_layout(unsigned v) {
    return ll_engine_flat_id(&engine, v,
                             random_flat(engine.value[v].bits));
}

static unsigned result_of(ll_engine_spec s) {
    return ll_engine_result(&engine, ll_engine_add(&engine, s), 0);
}

/* Shared memory with one place for each element, in any order. */
static void random_memory(unsigned op) {
    const unsigned v = engine.operand[engine.op[op].at];
    const ll_shape none = LL_ZERO;
    const unsigned bits = engine.value[v].bits;
    ll_layout m = ll_zero(ll_shape_add_(none, LL_OFFSET, bits),
                          ll_engine_shape_(&engine.value[v]));
    for (unsigned k = 0; k < bits; ++k) {
        const unsigned at = test_random(k + 1u);
        m.basis[k] = m.basis[at];
        m.basis[at] = 1u << k;
    }
    ll_engine_memory(&engine, op, m);
}

static unsigned random_load(unsigned rows, unsigned cols) {
    ll_engine_spec s = LL_ZERO;
    s.kind = test_random(4)        ? LL_ENGINE_LOAD
             : test_random(3) == 0 ? LL_ENGINE_CONSTANT
             : test_random(2) ? LL_ENGINE_LOCAL_LOAD
                              : LL_ENGINE_TMA_LOAD;
    s.rank = 2;
    s.size[0] = (unsigned char)rows;
    s.size[1] = (unsigned char)cols;
    s.contiguous[1] = (unsigned char)cols;
    s.align = 16;
    s.element_bits = 8u << test_random(3);
    const unsigned op = ll_engine_add(&engine, s);
    const unsigned v = ll_engine_result(&engine, op, 0);
    if (ll_engine_is_tile_(s.kind) && (cols != 3u || test_random(2))) {
        random_memory(op);
    } else if (ll_engine_is_tile_(s.kind)) {
        ll_engine_memory(&engine, op, ll_parse("offset: j0 j1 j2 i0 i1 i2"));
    }
    if (s.kind == LL_ENGINE_LOAD && test_random(2)) {
        ll_engine_fix(&engine, op, 0, fixed_layout(v));
    }
    return v;
}

static unsigned random_unary(unsigned v) {
    ll_engine_spec s = LL_ZERO;
    s.n_in = 1;
    s.in = &v;
    s.cost = 8;
    s.kind = LL_ENGINE_MAP;
    if (rank_of(v) == 2u && test_random(3) == 0) {
        s.kind = LL_ENGINE_TRANS;
        s.cost = 0;
        s.order[0] = 1;
    } else if (rank_of(v) == 2u && test_random(3) == 0) {
        s.kind = LL_ENGINE_REDUCE;
        s.axis = test_random(2);
    } else if (test_random(8) == 0) {
        s.kind = LL_ENGINE_CONVERT;
        s.cost = 0;
    } else if (rank_of(v) == 1u) {
        s.kind = LL_ENGINE_EXPAND;
        s.axis = test_random(2);
        s.cost = 0;
    }
    const unsigned r = result_of(s);
    const unsigned axis = s.axis;
    if (s.kind == LL_ENGINE_CONVERT && test_random(2)) {
        ll_engine_fix(&engine, engine.ops - 1u, 1, fixed_layout(r));
    }
    if (s.kind == LL_ENGINE_EXPAND) {
        ll_engine_spec b = LL_ZERO;
        b.kind = LL_ENGINE_BROADCAST;
        b.n_in = 1;
        b.in = &r;
        b.rank = 2;
        b.size[axis] = 3;
        b.size[!axis] = engine.value[v].size[0];
        return result_of(b);
    }
    return r;
}

/* Instructions that read B, of 8 x 8, in shared memory, by rows or by columns,
 * and A there by rows, or in registers. */
static ll_layout tiles(const char *name, unsigned n, unsigned operand,
                       unsigned rows, unsigned cols, unsigned element_bits,
                       unsigned warps) {
    (void)name;
    (void)element_bits;
    const char *const text[] = {
        "register: j0 | lane: j1 j2 i0 i1 i2 | warp: 0",  /* A */
        "", "", "",
        "register: | lane: i0 i1 i2 j0 j1 | warp: j2",    /* C */
        "offset: j0 j1 j2 i0 i1 i2", "offset: i0 i1 i2 j0 j1 j2", /* A, B: k */
        "", "offset: j0 j1 j2 i0 i1 i2"};
    ll_layout none = LL_ZERO;
    none.err = LL_EMISSING;
    return n == 5u && rows == 8u && cols == 8u && warps == 2u && *text[operand]
               ? ll_parse(text[operand])
               : none;
}

/* A product by instructions whose operands have any layouts, or lie in shared
 * memory. */
static unsigned random_dot(unsigned v, unsigned w) {
    const unsigned in[2] = {v, w};
    ll_engine_spec s = LL_ZERO;
    s.kind = LL_ENGINE_DOT;
    s.n_in = 2;
    s.in = in;
    const unsigned op = ll_engine_add(&engine, s);
    if (test_random(3) == 0) {
        engine.family = tiles;
        ll_engine_by(&engine, op, "tiles", 5);
        return ll_engine_result(&engine, op, 0);
    }
    for (unsigned k = 0; k < 3u; ++k) {
        ll_engine_fix(&engine, op, k,
                      fixed_layout(engine.operand[engine.op[op].at + k]));
    }
    return ll_engine_result(&engine, op, 0);
}

static unsigned merged; /* 1: the graph has one of these */

/* What two branches leave, or the value behind an inner loop, which carries v
 * first and w then. */
static unsigned random_carry(unsigned v, unsigned w) {
    const unsigned op = ll_engine_carry(&engine, v, 3u * test_random(2));
    ll_engine_yield(&engine, op, w);
    return ll_engine_result(&engine, op, 1);
}

static unsigned random_binary(unsigned v, unsigned w) {
    const unsigned in[2] = {v, w};
    ll_engine_spec s = LL_ZERO;
    if (!merged && test_random(8) == 0) {
        merged = 1;
        return random_carry(v, w);
    }
    if (rank_of(v) == 2u && engine.value[v].bits == 6u &&
        test_random(5) == 0) {
        return random_dot(v, w);
    }
    s.kind = LL_ENGINE_MAP;
    s.n_in = 2;
    s.in = in;
    s.cost = 8u << test_random(3);
    return result_of(s);
}

/* The value behind the loop, which is not there inside it. */
static unsigned behind(unsigned carry) {
    return ll_engine_result(&engine, carry, 1);
}

static unsigned random_value(unsigned carry) {
    unsigned v = 0;
    do {
        v = test_random(engine.values);
    } while (v == behind(carry));
    return v;
}

/* A graph of about n operations with a loop now and then. */
static void random_graph(unsigned n) {
    unsigned carry = LL_ENGINE_NONE;
    begin();
    merged = 0;
    engine.most = 3;
    engine.sets = 1u + test_random(2);
    random_load(3, 3);
    random_load(3, 3);
    while (engine.ops < n && !engine.err) {
        const unsigned v = random_value(carry);
        unsigned w = random_value(carry);
        if (carry == LL_ENGINE_NONE && test_random(12) == 0) {
            carry = ll_engine_carry(&engine, v, 4);
            ll_engine_loop(&engine, 4);
            continue;
        }
        for (unsigned k = 0;
             k < engine.values &&
             (w == behind(carry) ||
              !ll_engine_alike_(&engine.value[v], &engine.value[w]));
             ++k) {
            w = (w + 1u) % engine.values;
        }
        if (test_random(2)) {
            random_binary(v, w);
        } else {
            random_unary(v);
        }
    }
    if (carry != LL_ENGINE_NONE) {
        unsigned v = engine.values;
        do {
            --v;
        } while (v == behind(carry) ||
                 !ll_engine_alike_(
                     &engine.value[v],
                     &engine.value[ll_engine_result(&engine, carry, 0)]));
        ll_engine_yield(&engine, carry, v);
        ll_engine_loop(&engine, 0);
    }
    for (unsigned k = 0; k < 2u; ++k) {
        ll_engine_spec s = LL_ZERO;
        const unsigned v = engine.values - 1u - k;
        s.kind = test_random(8)   ? LL_ENGINE_STORE
                 : test_random(2) ? LL_ENGINE_LOCAL_STORE
                                  : LL_ENGINE_TMA_STORE;
        s.n_in = 1;
        s.in = &v;
        s.contiguous[rank_of(v) - 1u] = 3;
        const unsigned op = ll_engine_add(&engine, s);
        if (ll_engine_is_tile_(s.kind)) {
            random_memory(op);
        } else if (test_random(2)) {
            ll_engine_fix(&engine, op, 0, fixed_layout(v));
        }
    }
}

/* ---- All assignments ---------------------------------------------------- */

/* Sets of instances of each operation, as masks, and the least cost. */
typedef unsigned long long instances;
static instances op_set[64];
static unsigned long long best_of_all;

/* The set behind this one in the order of numbers that has at most `most`
 * instances. */
static instances next_set(instances set, unsigned most) {
    unsigned count = 0;
    do {
        set += count > most ? set & (0u - set) : 1u;
        count = 0;
        for (instances rest = set; rest; rest &= rest - 1u) {
            ++count;
        }
    } while (count > most);
    return set;
}

static unsigned candidate_of(const ll_engine_op *o, unsigned instance,
                             unsigned slot) {
    return engine.instance[o->first + instance * (o->n_in + o->n_out) + slot];
}

/* The candidates of v that operand slots from..to of an operation have. */
static unsigned layouts_of(unsigned p, unsigned v, unsigned from, unsigned to) {
    const ll_engine_op *o = &engine.op[p];
    unsigned mask = 0;
    for (unsigned t = 0; t < o->n; ++t) {
        for (unsigned k = from; op_set[p] >> t & 1u && k < to; ++k) {
            const unsigned c = candidate_of(o, t, k);
            mask |= engine.operand[o->at + k] == v && c != LL_ENGINE_NONE
                        ? 1u << c
                        : 0u; /* a tile that is read in place needs none */
        }
    }
    return mask;
}

static unsigned long long convert_cost(unsigned v, unsigned a, unsigned b) {
    const ll_engine_value *x = &engine.value[v];
    const ll_plan p =
        ll_engine_plan(&engine, engine.candidate[x->first + a],
                       engine.candidate[x->first + b], x->bits,
                       x->element_bits);
    return p.err == LL_EBUDGET
               ? ~0ull
               : (p.err ? LL_ENGINE_FAR : 8ull * p.cycles) * x->weight;
}

/* The cheapest way to hold `need`, from what is held: one conversion after the
 * other, in every order. `spare` more layouts of `could` may be held on the
 * way. */
static unsigned long long reach(unsigned v, unsigned held, unsigned need,
                                unsigned spare, unsigned could,
                                unsigned long long (*cost)[MOST]) {
    unsigned long long best = ~0ull;
    if (!(need & ~held)) {
        return 0;
    }
    for (unsigned to = 0; to < engine.value[v].n; ++to) {
        const int wanted = need >> to & 1u;
        unsigned long long step = ~0ull;
        if (held >> to & 1u ||
            (!wanted && !(spare && could >> to & 1u))) {
            continue;
        }
        for (unsigned from = 0; from < engine.value[v].n; ++from) {
            if (held >> from & 1u && cost[from][to] < step) {
                step = cost[from][to];
            }
        }
        const unsigned long long rest =
            step == ~0ull
                ? ~0ull
                : reach(v, held | 1u << to, need, spare - !wanted, could,
                        cost);
        best = rest != ~0ull && step + rest < best ? step + rest : best;
    }
    return best;
}

static unsigned long long value_cost(unsigned v,
                                     unsigned long long (*cost)[MOST]) {
    const ll_engine_value *x = &engine.value[v];
    const ll_engine_op *d = &engine.op[x->def];
    unsigned need = 0;
    unsigned could = 0; /* what some instance of some user needs */
    unsigned users = 0;
    unsigned other = LL_ENGINE_NONE;
    for (unsigned p = 0; p < engine.ops; ++p) {
        const unsigned m = layouts_of(p, v, 0, engine.op[p].n_in);
        need |= m;
        const instances set = op_set[p];
        op_set[p] = ~0ull;
        could |= layouts_of(p, v, 0, engine.op[p].n_in);
        op_set[p] = set;
        users += m && p != other ? 1u : 0u;
        other = m ? p : other;
    }
    const unsigned made =
        layouts_of(x->def, v, d->n_in, d->n_in + d->n_out);
    /* a value with several users may be held in layouts that some of them could
       need; those with one user in what that one needs */
    return reach(v, made, need, users > 1u ? x->n : 0u, could, cost);
}

/* Tables of conversion costs, so that the search is quick. */
static unsigned long long costs[64][MOST][MOST];

static unsigned long long price_of(unsigned p, unsigned t) {
    const ll_engine_op *o = &engine.op[p];
    unsigned tuple[8];
    for (unsigned k = 0; k < o->n_in + o->n_out; ++k) {
        const unsigned c = candidate_of(o, t, k);
        tuple[k] = c == LL_ENGINE_NONE
                       ? LL_ENGINE_NONE
                       : engine.candidate
                             [engine.value[engine.operand[o->at + k]].first +
                              c];
    }
    for (unsigned k = 0; k < o->n_in + o->n_out; ++k) {
        if (tuple[k] == LL_ENGINE_NONE) { /* a constant: as the others */
            ll_engine_numbers_(&engine, p, t, tuple);
            break;
        }
    }
    return ll_engine_price(&engine, p, tuple) * o->weight;
}

static unsigned long long prices[64][64];
static unsigned long long rest_of[65]; /* the least that operations from one
                                          on cost without conversions */

/* Tries every set of instances of operation p and of those behind it. A value
 * is priced when the last operation that has to do with it is decided. */
static void try_all(unsigned p, unsigned long long sum,
                    const unsigned *last) {
    if (sum + rest_of[p] >= best_of_all) {
        return;
    }
    if (p == engine.ops) {
        best_of_all = sum;
        return;
    }
    const ll_engine_op *o = &engine.op[p];
    const unsigned most = o->alone ? 1u : o->is_light && o->n < 10u
                                      ? engine.sets
                                  : engine.sets < 2u ? engine.sets
                                                     : 2u;
    for (instances set = o->n ? 1u : 0u; !(set >> o->n);
         set = next_set(set, most)) {
        unsigned count = 0;
        unsigned long long more = sum;
        for (unsigned t = 0; t < o->n; ++t) {
            count += set >> t & 1u;
            more += set >> t & 1u ? prices[p][t] : 0u;
        }
        more += count > 1u && o->kind != LL_ENGINE_CARRY
                    ? (count - 1u) * LL_ENGINE_AGAIN * o->weight
                    : 0u;
        op_set[p] = set;
        for (unsigned v = 0; v < engine.values; ++v) {
            if (last[v] == p && !engine.value[v].is_free) {
                const unsigned long long c = value_cost(v, costs[v]);
                more = c == ~0ull ? c : more + c;
                if (c == ~0ull) {
                    break;
                }
            }
        }
        if (more != ~0ull) {
            try_all(p + 1u, more, last);
        }
        if (set == 0 && o->n == 0) {
            break;
        }
    }
    op_set[p] = 0;
}

static unsigned long long least_of_all(unsigned long long start) {
    unsigned last[64];
    for (unsigned v = 0; v < engine.values; ++v) {
        last[v] = engine.value[v].def;
        for (unsigned a = 0; a < engine.value[v].n; ++a) {
            for (unsigned b = 0; b < engine.value[v].n; ++b) {
                costs[v][a][b] = a == b ? 0u : convert_cost(v, a, b);
            }
        }
    }
    for (unsigned p = 0; p < engine.ops; ++p) {
        const ll_engine_op *o = &engine.op[p];
        op_set[p] = 0;
        CHECK(o->n < 64u);
        for (unsigned k = 0; k < o->n_in; ++k) {
            unsigned *l = &last[engine.operand[o->at + k]];
            *l = p > *l ? p : *l;
        }
        for (unsigned t = 0; t < o->n; ++t) {
            prices[p][t] = price_of(p, t);
        }
    }
    rest_of[engine.ops] = 0;
    for (unsigned p = engine.ops; p-- > 0;) {
        unsigned long long least = engine.op[p].n ? ~0ull : 0u;
        for (unsigned t = 0; t < engine.op[p].n; ++t) {
            least = prices[p][t] < least ? prices[p][t] : least;
        }
        rest_of[p] = rest_of[p + 1u] + least;
    }
    best_of_all = start;
    try_all(0, 0, last);
    return best_of_all;
}

static void nothing_is_cheaper(void) {
    unsigned moved = 0;
    unsigned twice = 0;
    unsigned solved = 0;
    for (unsigned k = 0; k < times(300u); ++k) {
        random_graph(4u + test_random(9));
        CHECK(ll_engine_solve(&engine));
        if (engine.err) {
            continue;
        }
        const unsigned long long cost = ll_engine_cost(&engine);
        CHECK(ll_engine_optimal(&engine));
        CHECK(ll_engine_bound(&engine) == cost);
        CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
        /* from cost + 1 on, so that the engine's own is found again */
        const unsigned long long least = least_of_all(cost + 1u);
        CHECK(least == cost);
        if (least != cost) {
            printf("graph %u: cost %llu, enumeration %llu\n", k, cost, least);
        }
        moved += ll_engine_moves(&engine) != 0;
        for (unsigned v = 0; v < engine.values; ++v) {
            twice += ll_engine_held(&engine, v, 1) != LL_ENGINE_NONE;
        }
        ++solved;
    }
    COVERS(moved > solved / 4u && twice && solved > times(150u));
}

/* A value of six layouts: a product of it with itself has 36 instances, and the
 * best one is among the last. */
static void an_operation_has_many_instances(void) {
    static const char text[] =
        "v0 = load 8x8:32 align=16 contiguous=1x8 "
        "out0=\"register: | lane: i0 i1 i2 j2 j1 | warp: j0\"\n"
        "v1 = load 8x8:8 align=16 contiguous=1x8 "
        "out0=\"register: | lane: j2 j1 i2 i1 j0 | warp: i0\"\n"
        "v2 = dot v1 v0 8x8:32 "
        "in0=\"register: i2 | lane: 0 j2 j1 i0 i1 | warp: j0\" "
        "in1=\"register: j0 | lane: 0 i0 i2 j2 i1 | warp: j1\" "
        "out0=\"register: i2 | lane: j1 j0 i0 j2 i1 | warp: 0\"\n"
        "v3 = dot v2 v1 8x8:32 "
        "in0=\"register: j1 | lane: 0 i2 j0 i1 i0 | warp: j2\" "
        "in1=\"register: | lane: j2 i2 j0 j1 i1 | warp: i0\" "
        "out0=\"register: j0 | lane: 0 j2 i1 i2 j1 | warp: i0\"\n"
        "v4 = dot v1 v1 8x8:32 by=tiles\n"
        "v5 = dot v1 v3 8x8:32 "
        "in0=\"register: | lane: i0 i2 i1 j1 j0 | warp: j2\" "
        "in1=\"register: j0 | lane: 0 j2 i1 i0 j1 | warp: i2\" "
        "out0=\"register: | lane: i1 i0 j1 j2 j0 | warp: i2\"\n"
        "v6 = map v5\nv7 = map v1\nv8 = trans v2 order=1x0\n"
        "v9 = map v1 v7 cost=4\nv10 = trans v8 order=1x0\n"
        "store v10 contiguous=1x8\nstore v9 contiguous=1x8\n";
    unsigned most = 0;
    begin();
    engine.most = 3;
    engine.sets = 1;
    engine.family = tiles;
    CHECK(ll_engine_parse(&engine, text) && ll_engine_solve(&engine));
    for (unsigned p = 0; p < engine.ops; ++p) {
        most = engine.op[p].n > most ? engine.op[p].n : most;
    }
    COVERS(most == 36u);
    CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
    const unsigned long long cost = ll_engine_cost(&engine);
    CHECK(ll_engine_optimal(&engine) && least_of_all(cost + 1u) == cost);
}

/* A value that is stored in n fixed layouts is there in each of them; with few
 * of them the conversions come in the order that costs least. */
static void a_value_is_needed_in_many_layouts(void) {
    unsigned most = 0;
    for (unsigned k = 0; k < times(30u); ++k) {
        const unsigned n = 2u + k % 12u;
        begin();
        engine.most = 3;
        engine.sets = 1;
        const unsigned v = random_load(3, 3 + test_random(2));
        for (unsigned t = 0; t < n; ++t) {
            ll_engine_spec s = LL_ZERO;
            s.kind = LL_ENGINE_STORE;
            s.n_in = 1;
            s.in = &v;
            const unsigned op = ll_engine_add(&engine, s);
            ll_engine_fix(&engine, op, 0, fixed_layout(v));
        }
        CHECK(ll_engine_solve(&engine) && ll_engine_optimal(&engine));
        CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
        const unsigned long long cost = ll_engine_cost(&engine);
        CHECK(n > 5u || least_of_all(cost + 1u) == cost);
        const unsigned n_moves = ll_engine_moves(&engine);
        most = n_moves > most ? n_moves : most;
    }
    COVERS(most > 6u);
}

/* Seven stores want a layout each, none of which a split can read. */
static void one_set_of_layouts_serves_all_users(void) {
    char text[4000] = "x = load 16x16x2:32 contiguous=1x1x2 align=8\n"
                      "a, b = split x\n"
                      "store a contiguous=1x16 align=16\n";
    for (unsigned k = 0; k < 7u; ++k) {
        const char *bit[8] = {"i0", "i1", "i2", "i3", "j0", "j1", "j2", "j3"};
        const char *first = bit[k];
        bit[k] = bit[7];
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "store x in0=\"register: %s %s %s | lane: k0 %s %s %s %s | "
                 "warp: %s\"\n",
                 first, bit[0], bit[1], bit[2], bit[3], bit[4], bit[5], bit[6]);
    }
    begin();
    engine.most = 20;
    CHECK(ll_engine_parse(&engine, text) && ll_engine_solve(&engine));
    CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
    CHECK(ll_engine_moves(&engine) == 7u);
}

/* What is behind a loop is not there inside it. */
static void cycles_are_refused(void) {
    begin();
    merged = 1; /* arithmetic: a branch may take what is made later */
    const unsigned v = random_load(3, 3);
    const unsigned carry = ll_engine_carry(&engine, v, 4);
    ll_engine_loop(&engine, 4);
    const unsigned next = random_binary(ll_engine_result(&engine, carry, 0),
                                        ll_engine_result(&engine, carry, 1));
    ll_engine_yield(&engine, carry, next);
    ll_engine_loop(&engine, 0);
    CHECK(!ll_engine_solve(&engine) && engine.err == LL_ENGINE_EVALUE);
    CHECK(engine.wrong == engine.value[next].def);
}

/* With small tables eliminations are cut and the search takes over. */
static void small_tables_find_the_same(void) {
    unsigned cut = 0;
    for (unsigned k = 0; k < times(100u); ++k) {
        random_graph(6u + test_random(9));
        if (!ll_engine_solve(&engine)) {
            continue;
        }
        const unsigned long long cost = ll_engine_cost(&engine);
        engine.table = 12;
        engine.nodes = 1000000;
        CHECK(ll_engine_solve(&engine) && ll_engine_cost(&engine) == cost);
        CHECK(ll_engine_bound(&engine) <= cost);
        CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
        cut += ll_engine_found_(&engine)->cut;
    }
    COVERS(cut);
}

/* ---- Rules, thread by thread -------------------------------------------- */

/* The elements of a thread, as a set of 64 bits for each 64 of them. */
typedef struct elements {
    unsigned char has[1024];
} elements;

static void held_by(const ll_engine_flat *f, unsigned thread, elements *s) {
    memset(s, 0, sizeof *s);
    for (unsigned r = 0; r < 1u << f->n[0]; ++r) {
        const unsigned x = r | thread << f->n[0];
        unsigned y = 0;
        for (unsigned k = 0; k < f->n[0] + 6u; ++k) {
            y ^= x >> k & 1u ? f->basis[k] : 0u;
        }
        s->has[y] = 1;
    }
}

/* The element of the operand that element y of the result comes from (or, for
 * a reduction, the one of the result that y goes into). */
static unsigned comes_from(const ll_engine_op *o, unsigned y) {
    const ll_engine_value *in = &engine.value[engine.operand[o->at]];
    const ll_engine_value *out =
        &engine.value[engine.operand[o->at + o->n_in]];
    const ll_engine_value *from = o->kind == LL_ENGINE_REDUCE ? in : out;
    const ll_engine_value *to = o->kind == LL_ENGINE_REDUCE ? out : in;
    unsigned at[LL_ENGINE_AXES];
    unsigned x[LL_ENGINE_AXES] = LL_ZERO;
    unsigned index = 0;
    for (unsigned k = from->rank; k-- > 0;) {
        at[k] = y % (1u << from->size[k]);
        y /= 1u << from->size[k];
    }
    unsigned n = 0;
    for (unsigned k = 0; k < from->rank; ++k) {
        const int gone = o->axis == k && (o->kind == LL_ENGINE_REDUCE ||
                                          o->kind == LL_ENGINE_EXPAND);
        if (o->kind == LL_ENGINE_TRANS) {
            x[o->order[k]] = at[k];
        } else if (!gone) {
            x[n] = at[k] % (1u << to->size[n]);
            ++n;
        }
    }
    for (unsigned k = 0; k < to->rank; ++k) {
        index = index * (1u << to->size[k]) + x[k];
    }
    return index;
}

/* Returns whether operands a and b of a product have the layouts x and y with
 * the same order of k: in each register of each thread is the row, or column,
 * that the instructions want there, and element order[k] instead of k. */
static int same_order(const ll_engine_op *o, unsigned x, unsigned y) {
    unsigned order[8], back[8];
    memset(order, 255, sizeof order);
    memset(back, 255, sizeof back);
    for (unsigned side = 0; side < 2u; ++side) {
        const ll_engine_flat *f = &engine.flat[engine.fixed[o->at + side]];
        const ll_engine_flat *g = &engine.flat[side ? y : x];
        if (f->n[0] != g->n[0]) {
            return 0;
        }
        for (unsigned at = 0; at < (unsigned)THREADS << f->n[0]; ++at) {
            unsigned p = 0;
            unsigned q = 0;
            for (unsigned k = 0; k < f->n[0] + 6u; ++k) {
                p ^= at >> k & 1u ? f->basis[k] : 0u;
                q ^= at >> k & 1u ? g->basis[k] : 0u;
            }
            const unsigned k = side ? p / 8u : p % 8u;
            const unsigned is = side ? q / 8u : q % 8u;
            if ((side ? p % 8u != q % 8u : p / 8u != q / 8u) ||
                (order[k] != ~0u && order[k] != is) ||
                (back[is] != ~0u && back[is] != k)) {
                return 0;
            }
            order[k] = is;
            back[is] = k;
        }
    }
    return 1;
}

/* Each thread has, of one side, what it has of the other one. */
static void obeys(unsigned p, const unsigned *tuple) {
    const ll_engine_op *o = &engine.op[p];
    const int reduces = o->kind == LL_ENGINE_REDUCE;
    static elements in, out, image;
    for (unsigned thread = 0; thread < THREADS; ++thread) {
        held_by(&engine.flat[tuple[0]], thread, &in);
        held_by(&engine.flat[tuple[o->n_in]], thread, &out);
        memset(&image, 0, sizeof image);
        const elements *from = reduces ? &in : &out;
        for (unsigned y = 0; y < 1024u; ++y) {
            if (from->has[y]) {
                image.has[comes_from(o, y)] = 1;
            }
        }
        CHECK(memcmp(&image, reduces ? &out : &in, sizeof image) == 0);
    }
}

/* Returns 1 if operand k of a product lies in shared memory, where a copy of
 * the graph, one of those that a branch or a loop takes it from, puts each of
 * its elements where the product reads it. Otherwise lanes hold it. */
static unsigned reads_a_tile(const ll_engine_op *o, unsigned k, unsigned id) {
    unsigned v = engine.operand[o->at + k];
    const ll_engine_flat *f = &engine.flat[id];
    unsigned index[64];
    if (f->n[1] == 5u || engine.value[v].def == LL_ENGINE_NONE) {
        CHECK(f->n[1] == 5u && f->n[2] == 1u);
        return 0;
    }
    for (unsigned at = 0; at < 64u; ++at) {
        index[at] = 0;
        for (unsigned b = 0; b < 6u; ++b) {
            index[at] ^= at >> b & 1u ? f->basis[b] : 0u;
        }
    }
    const ll_engine_op *d = &engine.op[engine.value[v].def];
    while (d->kind == LL_ENGINE_TRANS || d->kind == LL_ENGINE_CARRY) {
        const int turned = d->kind == LL_ENGINE_TRANS;
        for (unsigned at = 0; at < 64u && turned; ++at) {
            index[at] = comes_from(d, index[at]);
        }
        const unsigned side = turned ? 0u : test_random(2);
        d = &engine.op[engine.value[engine.operand[d->at + side]].def];
    }
    if (!ll_engine_is_tile_(d->kind)) {
        CHECK(engine.value[v].is_free); /* a constant is there everywhere */
        return 0;
    }
    for (unsigned at = 0; at < 64u; ++at) {
        unsigned brought = 0;
        for (unsigned b = 0; b < 6u; ++b) {
            brought ^= at >> b & 1u ? engine.flat[d->memory].basis[b] : 0u;
        }
        CHECK(brought == index[at]);
    }
    return 1;
}

static void all_instances_obey_their_operation(void) {
    unsigned seen = 0;
    unsigned in_place = 0;
    unsigned orders = 0; /* other than that of the instructions */
    for (unsigned k = 0; k < times(400u); ++k) {
        random_graph(10);
        if (!ll_engine_solve(&engine)) {
            continue;
        }
        for (unsigned p = 0; p < engine.ops; ++p) {
            const ll_engine_op *o = &engine.op[p];
            unsigned tuple[8];
            for (unsigned t = 0; t < o->n; ++t) {
                ll_engine_numbers_(&engine, p, t, tuple);
                for (unsigned s = 0; s < o->n_in + o->n_out; ++s) {
                    const unsigned want = engine.fixed[o->at + s];
                    CHECK(want == LL_ENGINE_NONE || want == tuple[s] ||
                          (o->kind == LL_ENGINE_DOT && s < 2u));
                }
                if (o->kind == LL_ENGINE_DOT && o->by_length) {
                    in_place += reads_a_tile(o, 0, tuple[0]);
                    in_place += reads_a_tile(o, 1, tuple[1]);
                } else if (o->kind == LL_ENGINE_DOT) {
                    CHECK(same_order(o, tuple[0], tuple[1]));
                    orders += tuple[0] != engine.fixed[o->at];
                } else if (o->n_in && o->n_out && o->kind != LL_ENGINE_CARRY) {
                    obeys(p, tuple);
                    seen |= 1u << o->kind;
                }
            }
        }
    }
    COVERS(seen >> LL_ENGINE_TRANS & 1u && seen >> LL_ENGINE_REDUCE & 1u &&
           seen >> LL_ENGINE_BROADCAST & 1u && seen >> LL_ENGINE_EXPAND & 1u &&
           seen >> LL_ENGINE_CONVERT & 1u && orders && in_place);
}

/* The layout that the other side of an operation has, from the definition: each
 * column goes where its element does; registers whose column is 0 are names. */
static ll_engine_flat image_of(const ll_engine_op *o, ll_engine_flat f) {
    ll_engine_flat g = f;
    unsigned n = 0;
    g.n[0] = 0;
    for (unsigned k = 0; k < f.n[0] + 6u; ++k) {
        const unsigned y = comes_from(o, f.basis[k]);
        if (k >= f.n[0] || y) {
            g.basis[n] = y;
            ++n;
        }
        g.n[0] = (unsigned char)(g.n[0] + (k < f.n[0] && y));
    }
    return g;
}

static int is_candidate(unsigned slot, const ll_engine_flat *f) {
    const ll_engine_value *v = &engine.value[engine.operand[slot]];
    for (unsigned k = 0; k < v->n; ++k) {
        const unsigned id = engine.candidate[v->first + k];
        if (engine.flat[id].n[0] == f->n[0] &&
            memcmp(engine.flat[id].basis, f->basis,
                   (f->n[0] + 6u) * sizeof *f->basis) == 0) {
            return engine.fixed[slot] == LL_ENGINE_NONE ||
                   engine.fixed[slot] == id;
        }
    }
    return 0;
}

/* Each choice of candidates that obeys an operation is in its list, so that the
 * search above misses none. */
static void no_instance_is_missing(void) {
    unsigned seen = 0;
    for (unsigned k = 0; k < times(200u); ++k) {
        random_graph(4u + test_random(9));
        CHECK(ll_engine_solve(&engine));
        for (unsigned p = 0; p < engine.ops && !engine.err; ++p) {
            const ll_engine_op *o = &engine.op[p];
            const unsigned n = o->n_in + o->n_out;
            const int shape = o->n_in == 1u && o->n_out == 1u &&
                              o->kind != LL_ENGINE_MAP;
            const unsigned big = o->kind == LL_ENGINE_REDUCE ? 0u : n - 1u;
            unsigned count = 0;
            int some = n != 0;
            for (unsigned i = 0; i < n; ++i) {
                const unsigned v = engine.operand[o->at + i];
                some = some && !engine.value[v].is_free;
            }
            if (!some) {
                continue;
            }
            const ll_engine_value *a = &engine.value[engine.operand[o->at]];
            const ll_engine_value *b =
                &engine.value[engine.operand[o->at + big]];
            if (o->kind == LL_ENGINE_DOT) {
                b = &engine.value[engine.operand[o->at + 1u]];
                count = o->by_length ? (o->in_place[0] == LL_ENGINE_NONE
                                            ? a->n : 1u) *
                                           (o->in_place[1] == LL_ENGINE_NONE
                                                ? b->n : 1u)
                                     : 0u;
                for (unsigned c = 0; !o->by_length && c < a->n * b->n; ++c) {
                    count += (unsigned)same_order(
                        o, engine.candidate[a->first + c / b->n],
                        engine.candidate[b->first + c % b->n]);
                }
            }
            for (unsigned c = 0; c < b->n && o->kind != LL_ENGINE_DOT; ++c) {
                const ll_engine_flat f =
                    engine.flat[engine.candidate[b->first + c]];
                const ll_engine_flat g = shape ? image_of(o, f) : f;
                int all = 1;
                for (unsigned i = 0; i < n; ++i) {
                    all = all && is_candidate(o->at + i, i == big ? &f : &g);
                }
                count += (unsigned)all;
            }
            CHECK(count == o->n);
            seen |= 1u << o->kind;
        }
    }
    COVERS(seen >> LL_ENGINE_TRANS & 1u && seen >> LL_ENGINE_REDUCE & 1u &&
           seen >> LL_ENGINE_BROADCAST & 1u && seen >> LL_ENGINE_EXPAND & 1u &&
           seen >> LL_ENGINE_DOT & 1u && seen >> LL_ENGINE_CONVERT & 1u);
}

/* The flat rules of join, split and unpack are those of the definition. */
static void pairs_lie_in_a_register(void) {
    begin();
    CHECK(ll_engine_parse(&engine,
                          "a = load 8x8:16\nb = load 8x8:16\n"
                          "c = join a b\nd, f = split c\n"
                          "store d in0=\"lane: j0 j1 j2 i0 i1 | warp: i2\"\n"
                          "u = unpack f axis=1\nstore u\n"));
    CHECK(ll_engine_solve(&engine) && !ll_engine_moves(&engine));
    const ll_layout d = ll_engine_layout(&engine, 3, ll_engine_held(&engine, 3,
                                                                    0));
    const ll_layout c = ll_engine_layout(&engine, 2, ll_engine_held(&engine, 2,
                                                                    0));
    const ll_layout u = ll_engine_layout(&engine, 5, ll_engine_held(&engine, 5,
                                                                    0));
    CHECK(ll_is_equal(d, ll_parse("register: | lane: j0 j1 j2 i0 i1 | "
                                  "warp: i2")));
    CHECK(ll_is_equal(c, ll_parse("register: k0 | lane: j0 j1 j2 i0 i1 | "
                                  "warp: i2")));
    CHECK(ll_is_equal(u, ll_parse("register: j0 | lane: j1 j2 j3 i0 i1 | "
                                  "warp: i2")));
}

/* ---- Certificates ------------------------------------------------------- */

/* Changes one number of the certificate. Returns 0 if there is none of the
 * kind that was drawn. */
static int tamper(ll_engine_solution_ *s, unsigned *what, void **where,
                  unsigned long long *old) {
    const unsigned fn = test_random(s->fns);
    const unsigned move = s->moves ? test_random(s->moves) : 0u;
    unsigned *word = NULL;
    unsigned long long *wide = NULL;
    switch (*what = test_random(14)) {
    case 0: wide = &s->cost; break;
    case 1: wide = &s->bound; break;
    case 2: wide = &s->fn[fn].table[0]; break;
    case 3: {
        const ll_engine_fn_ *f = &s->fn[fn];
        wide = &f->table[test_random((unsigned)ll_engine_entries_(s, f))];
        break;
    }
    case 4: wide = s->moves ? &s->move[move].cost : NULL; break;
    case 5: word = s->moves ? &s->move[move].from : NULL; break;
    case 6: word = s->moves ? &s->move[move].to : NULL; break;
    case 7: word = s->moves ? &s->moves : NULL; break;
    case 8: word = s->drops ? &s->drop[test_random(s->drops)].label : NULL;
        break;
    case 9: word = s->drops ? &s->drops : NULL; break;
    case 10: word = &s->order[test_random(s->vars)]; break;
    case 11: word = &s->label[test_random(s->labels)]; break;
    case 12: word = s->fn[fn].n ? &s->fn[fn].bucket : NULL; break;
    default: word = &s->var[test_random(s->vars)].n; break;
    }
    const unsigned by = 1u + test_random(3);
    *where = word ? (void *)word : (void *)wide;
    if (word) {
        *old = *word;
        *word = *what == 7u || *what == 9u || *word ? *word - 1u : *word + by;
    } else if (wide) {
        *old = *wide;
        *wide = *wide > by && test_random(2) ? *wide - by : *wide + by;
    }
    return *where != NULL;
}

/* A label that no longer counts: those behind var.n were dropped. */
static int counts(const ll_engine_solution_ *s, const void *where) {
    for (unsigned x = 0; x < s->vars; ++x) {
        const unsigned *l = s->label + s->var[x].first;
        if ((const unsigned *)where >= l &&
            (const unsigned *)where < l + s->var[x].n) {
            return 1;
        }
    }
    return 0;
}

/* A conversion may come from any layout that is there, if it costs the same: a
 * changed source may be as true as the old one. */
static int comes_as_well(const ll_engine_solution_ *s, const void *where) {
    for (unsigned k = 0; k < s->moves; ++k) {
        const ll_engine_move *m = &s->move[k];
        const ll_engine_value *v = &engine.value[m->value];
        int held = 0;
        for (unsigned h = 0; h < 3u; ++h) {
            held |= ll_engine_held(&engine, m->value, h) == m->from;
        }
        for (unsigned h = 0; h < k; ++h) {
            held |= s->move[h].value == m->value && s->move[h].to == m->from;
        }
        if (where == (const void *)&m->from && held) {
            const ll_plan p = ll_engine_plan(&engine, m->from, m->to, v->bits,
                                             v->element_bits);
            return !p.err && 8ull * p.cycles * m->weight == m->cost &&
                   p.kind == m->kind;
        }
    }
    return 0;
}

static void changed_certificates_are_refused(void) {
    unsigned refused = 0;
    while (refused < times(100u)) {
        unsigned what = 0;
        void *where = NULL;
        unsigned long long old = 0;
        random_graph(4u + test_random(9));
        if (!ll_engine_solve(&engine)) {
            continue;
        }
        ll_engine_solution_ *s = ll_engine_found_(&engine);
        for (unsigned k = 0; k < 20u; ++k) {
            if (!tamper(s, &what, &where, &old)) {
                continue;
            }
            const int idle = (what == 11u && !counts(s, where)) ||
                             (what == 5u && comes_as_well(s, where));
            CHECK(idle || ll_engine_check(&engine) != LL_ENGINE_PROVEN);
            refused += !idle;
            if (what >= 5u) {
                *(unsigned *)where = (unsigned)old;
            } else {
                *(unsigned long long *)where = old;
            }
        }
        CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
    }
}

/* ---- Text and errors ---------------------------------------------------- */

static const char layer_norm[] =
    "# one row a block of lanes\n"
    "x = load 16x1024:32 contiguous=1x1024 align=16\n"
    "s = reduce x axis=1\n"
    "m = map s\n"
    "m1 = expand m axis=1\n"
    "mb = broadcast m1 16x1024\n"
    "d = map x mb\n"
    "sq = map d\n"
    "v = reduce sq axis=1\n"
    "r = map v cost=8\n"
    "r1 = expand r axis=1\n"
    "rb = broadcast r1 16x1024\n"
    "loop 8 acc = d\n"
    "a2 = map acc rb cost=2\n"
    "yield a2 -> y\n"
    "t = trans y order=1x0\n"
    "store t contiguous=1x16 align=16\n"
    "store y contiguous=1x1024 in0=\"register: j0 j1 j9 i0 i1 i2 i3 | "
    "lane: j2 j3 j4 j5 j6 | warp: j7 j8\"\n";

static void text_is_read_and_written(void) {
    static char once[8000], again[8000];
    ll_engine_begin(&engine, memory, MEMORY, LL_SM90, 4, 1);
    CHECK(ll_engine_parse(&engine, layer_norm));
    const unsigned n = ll_engine_print(&engine, once, sizeof once);
    CHECK(n == strlen(once) && strstr(once, "loop 8 acc = d\n"));
    CHECK(strstr(once, "yield a2 -> y\n") && strstr(once, "in0=\"register:"));
    CHECK(ll_engine_solve(&engine));
    const unsigned long long cost = ll_engine_cost(&engine);
    ll_engine_begin(&engine, memory, MEMORY, LL_SM90, 4, 1);
    CHECK(ll_engine_parse(&engine, once));
    ll_engine_print(&engine, again, sizeof again);
    CHECK(strcmp(once, again) == 0);
    CHECK(ll_engine_solve(&engine) && ll_engine_cost(&engine) == cost);
    CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
}

/* ---- Constants ---------------------------------------------------------- */

#define TURNED                                                              \
    "x = load 64x64:32 contiguous=1x64 align=16\n"                          \
    "t = trans x order=1x0\n"                                               \
    "store t contiguous=1x64 align=16\n"
#define NORMED                                                              \
    "x = load 16x1024:32 contiguous=1x1024 align=16\n"                      \
    "s = reduce x axis=1\n"                                                 \
    "m = map s\n"                                                           \
    "m1 = expand m axis=1\n"                                                \
    "mb = broadcast m1 16x1024\n"                                           \
    "d = map x mb\n"                                                        \
    "v = reduce d axis=1\n"                                                 \
    "r1 = expand v axis=1\n"                                                \
    "rb = broadcast r1 16x1024\n"                                           \
    "y = map d rb cost=2\n"                                                 \
    "t = trans y order=1x0\n"                                               \
    "store t contiguous=1x16 align=16\n"
#define LOOPED                                                              \
    "a = load 32x32x4:32 contiguous=1x1x4 align=16\n"                       \
    "b = load 4x32x32:32 contiguous=1x1x32 align=16\n"                      \
    "c = trans a order=2x0x1\n"                                             \
    "d = map c b\n"                                                         \
    "e = trans d order=1x2x0\n"                                             \
    "f = map e a\n"                                                         \
    "loop 8 acc = f\n"                                                      \
    "g = map acc a\n"                                                       \
    "h = trans g order=2x1x0\n"                                             \
    "i = trans h order=2x1x0\n"                                             \
    "yield i -> o\n"                                                        \
    "j = reshape o 1024x4:32\n"                                             \
    "store j contiguous=1x4 align=16\n"                                     \
    "store d contiguous=1x1x32 align=16\n"

/* What the engine finds for the same text, within the same limits, when the
 * program runs. */
static void agrees(const char *text, ll_assignment a) {
    ll_engine_begin(&engine, memory, MEMORY, LL_SM90, 4, 1);
    engine.family = ll_ptx_dot;
    ll_assign_limits_(&engine);
    CHECK(ll_engine_parse(&engine, text) && ll_engine_solve(&engine));
    CHECK(a.err == 0 && a.cost == ll_engine_cost(&engine) && a.cost);
    CHECK(a.conversions == ll_engine_moves(&engine));
    CHECK(a.n == engine.values);
    for (unsigned v = 0; v < a.n; ++v) {
        char name[20] = LL_ZERO;
        memcpy(name, engine.value[v].name, engine.value[v].length);
        const unsigned id = ll_engine_held(&engine, v, 0);
        CHECK(id == LL_ENGINE_NONE ||
              ll_is_equal(ll_assigned(a, name, 0),
                          ll_engine_layout(&engine, v, id)));
    }
}

#define ORDERED                                                             \
    "q = load 64x64:16 align=16 contiguous=1x64\n"                          \
    "w = load 64x64:16 align=16 contiguous=1x64\n"                          \
    "wt = trans w 64x64:16 order=1x0\n"                                     \
    "c = dot q wt by=mma\n"                                                 \
    "store c align=16 contiguous=1x64\n"
#define PLACED                                                              \
    "a = tma_load 64x64:16\n"                                               \
    "b = tma_load 64x64:16\n"                                               \
    "c = dot a b by=wgmma\n"                                                \
    "store c align=16 contiguous=1x64\n"

static void constants_are_what_the_engine_finds(void) {
    LL_ASSIGN(TURN, TURNED, 4, LL_SM90);
    LL_ASSIGNED(MADE, TURN, "t", 0);
    LL_ASSIGNED(STORED, TURN, "t", 1);
    agrees(TURNED, LL_GET(TURN));
    CHECK(ll_is_equal(LL_GET(MADE),
                      ll_parse("register: i0 i1 j3 j4 j5 | "
                               "lane: i2 i3 i4 i5 j0 | warp: j1 j2")));
    CHECK(ll_is_equal(LL_GET(STORED),
                      ll_parse("register: j0 j1 i3 i4 i5 | "
                               "lane: j2 j3 j4 j5 i0 | warp: i1 i2")));
    LL_ASSIGN_BY(PLACE, PLACED, 4, LL_SM90, ll_ptx_dot); /* a tile */
    LL_ASSIGNED(TILE, PLACE, "b", 0);
    agrees(PLACED, LL_GET(PLACE));
    CHECK(ll_is_equal(LL_GET(TILE), ll_ptx_dot("wgmma", 5, LL_ENGINE_B_MN, 64,
                                               64, 16, 4)));
    CHECK(ll_assigned(LL_GET(TURN), "t", 2).err == LL_EMISSING);
    CHECK(ll_assigned(LL_GET(TURN), "z", 0).err == LL_EMISSING);
}

/* clang++ takes three seconds for each of these: TEST_BRIEF leaves them out. */
#ifndef TEST_BRIEF
static void longer_graphs_are_constants_too(void) {
    LL_ASSIGN(NORM, NORMED, 4, LL_SM90);
    LL_ASSIGN(LOOP, LOOPED, 4, LL_SM90);
    agrees(NORMED, LL_GET(NORM));
    agrees(LOOPED, LL_GET(LOOP));
    /* a product: k in the order that needs no conversion of w */
    LL_ASSIGN_BY(ORDER, ORDERED, 4, LL_SM90, ll_ptx_dot);
    LL_ASSIGNED(SECOND, ORDER, "wt", 0);
    agrees(ORDERED, LL_GET(ORDER));
    CHECK(!ll_is_equal(LL_GET(SECOND), ll_ptx_mma_b(64, 64, 16, 4)));
}
#endif

/* A value that has as many candidates as it may takes one more where an
 * operation would be left without any. */
static void few_candidates_leave_a_solution(void) {
    unsigned long long cost = 0;
    for (unsigned most = 12; most >= 1u; --most) {
        ll_engine_begin(&engine, memory, MEMORY, LL_SM90, 4, 1);
        engine.most = most;
        CHECK(ll_engine_parse(&engine, LOOPED) && ll_engine_solve(&engine));
        CHECK(ll_engine_cost(&engine) >= cost);
        CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
        cost = most == 12u ? ll_engine_cost(&engine) : cost;
    }
}

/* ---- Limits ------------------------------------------------------------- */

static int solve_within(const char *text, unsigned scratch,
                        unsigned registers) {
    ll_engine_begin(&engine, memory, MEMORY, LL_SM90, 4, 1);
    engine.scratch = scratch;
    engine.registers = registers;
    return ll_engine_parse(&engine, text) && ll_engine_solve(&engine);
}

/* Nothing that was chosen needs more than allowed, and less memory costs at
 * least as much. */
static void limits_are_kept(void) {
    unsigned long long cost = 0;
    unsigned tighter = 0;
    for (unsigned scratch = 32768; scratch >= 256u; scratch /= 2u) {
        CHECK(solve_within(TURNED, scratch, 0));
        CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
        for (unsigned k = 0; k < ll_engine_moves(&engine); ++k) {
            const ll_engine_move m = ll_engine_move_at(&engine, k);
            const ll_plan p = ll_engine_plan(&engine, m.from, m.to, 12, 32);
            CHECK(!p.err && p.smem_bytes <= scratch);
        }
        CHECK(ll_engine_cost(&engine) >= cost);
        tighter += ll_engine_cost(&engine) > cost;
        cost = ll_engine_cost(&engine);
    }
    COVERS(tighter > 1u);
    for (unsigned registers = 128; registers >= 32u; registers /= 2u) {
        CHECK(solve_within(TURNED, 0, registers));
        for (unsigned v = 0; v < engine.values; ++v) {
            const unsigned id = ll_engine_held(&engine, v, 0);
            CHECK(1u << engine.flat[id].n[0] <= registers);
        }
    }
}

/* With random limits too there is nothing cheaper, or nothing at all. */
static void limits_rule_out_what_is_cheaper(void) {
    unsigned none = 0;
    unsigned some = 0;
    for (unsigned k = 0; k < times(60u); ++k) {
        random_graph(4u + test_random(6));
        engine.scratch = 16u << test_random(6);
        const int ok = ll_engine_solve(&engine);
        const unsigned long long cost = ok ? ll_engine_cost(&engine) : 0u;
        const unsigned err = engine.err;
        const unsigned wrong = engine.wrong;
        engine.err = 0;
        CHECK(ok || (err == LL_ENGINE_ESCRATCH && wrong < engine.ops));
        CHECK(least_of_all(ok ? cost + 1u : 1ull << 55) ==
              (ok ? cost : 1ull << 55));
        none += !ok;
        some += (unsigned)ok;
    }
    COVERS(none && some > none);
}

static void limits_that_are_too_tight_name_the_operation(void) {
    char said[300];
    CHECK(!solve_within(TURNED, 0, 31));
    CHECK(engine.err == LL_ENGINE_EREGISTERS);
    ll_engine_error(&engine, said, sizeof said);
    CHECK(strstr(said, "load x (operation 0, at character 9): every layout of "
                       "the operation needs more registers than allowed"));
    CHECK(!solve_within("x = load 64x64:32 contiguous=1x64 align=16 "
                        "out0=\"register: j0 j1 i3 i4 i5 | lane: j2 j3 j4 j5 "
                        "i0 | warp: i1 i2\"\n"
                        "t = trans x order=1x0\n"
                        "store t in0=\"register: j0 j1 i3 i4 i5 | lane: j2 j3 "
                        "j4 j5 i0 | warp: i1 i2\"\n",
                        8, 0));
    CHECK(engine.err == LL_ENGINE_ESCRATCH && engine.wrong < engine.ops);
    ll_engine_error(&engine, said, sizeof said);
    CHECK(strstr(said, "needs more shared memory than allowed"));
}

/* A pin costs what the graph costs that has it in its text. */
static void explanations_price_a_pin(void) {
    static const char graph[] = "x = load 64x64:32 contiguous=1x64 align=16%s\n"
                                "y = trans x order=1x0\n"
                                "store y contiguous=1x64 align=16\n";
    static const char pinned[] =
        " out0=\"register: i0 i1 i2 i3 i4 | lane: i5 j0 j1 j2 j3 | "
        "warp: j4 j5\"";
    char text[400], why[2000];
    begin();
    ll_engine_begin(&engine, memory, MEMORY, LL_SM80, 4, 1);
    snprintf(text, sizeof text, graph, pinned);
    CHECK(ll_engine_parse(&engine, text) && ll_engine_solve(&engine));
    const unsigned long long cost = ll_engine_cost(&engine);
    ll_engine_begin(&engine, memory, MEMORY, LL_SM80, 4, 1);
    snprintf(text, sizeof text, graph, "");
    CHECK(ll_engine_parse(&engine, text) && ll_engine_solve(&engine));
    const unsigned long long free_cost = ll_engine_cost(&engine);
    const unsigned id = ll_engine_id(
        &engine, 0, ll_parse("register: i0 i1 i2 i3 i4 | lane: i5 j0 j1 j2 j3 "
                             "| warp: j4 j5"));
    CHECK(ll_engine_pin(&engine, 0, id) == cost && cost > free_cost);
    CHECK(ll_engine_cost(&engine) == free_cost);
    CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
    const unsigned n = ll_engine_explain(&engine, why, sizeof why);
    CHECK(n == strlen(why) && strstr(why, "optimal among the layouts tried"));
    CHECK(strstr(why, "1 conversion\n") && strstr(why, "convert "));
    CHECK(strstr(why, "made there: "));
    CHECK(strstr(why, ", coalesced for load x\n"));
    CHECK(strstr(why, ", coalesced for store y\n"));
}

/* Returns the layouts in which value 0 is made, and writes to least what the
 * cheapest pin of another layout costs; ~0 if there is none. */
static unsigned next_best_by_pins(unsigned long long *least) {
    unsigned made = 0;
    *least = ~0ull;
    while (ll_engine_held(&engine, 0, made) != LL_ENGINE_NONE) {
        ++made;
    }
    for (unsigned c = 0; c < engine.value[0].n; ++c) {
        const unsigned id = engine.candidate[engine.value[0].first + c];
        const unsigned long long pin = ll_engine_pin(&engine, 0, id);
        int held = 0;
        for (unsigned h = 0; h < made; ++h) {
            held = held || ll_engine_held(&engine, 0, h) == id;
        }
        *least = !held && pin < *least ? pin : *least;
    }
    return made;
}

/* Returns what follows the lines of value 0, one for each layout in which it is
 * made; NULL if they are not there. */
static const char *behind_the_layouts(const char *why, unsigned made) {
    const char *at = strchr(why, '\n');
    for (unsigned h = 0; h < made && at; ++h) {
        const char *const line = h ? "\nv0, recomputed: " : "\nv0: ";
        at = strncmp(at, line, strlen(line)) ? NULL : strchr(at + 1, '\n');
    }
    return at ? at + 1 : NULL;
}

/* What is next best costs the least of all pins of another layout. */
static void explanations_say_what_is_next_best(void) {
    unsigned said = 0;
    for (unsigned k = 0; k < times(20u); ++k) {
        char why[20000], next[100], part[4] = "";
        unsigned long long least;
        random_graph(4u + test_random(6));
        if (!ll_engine_solve(&engine) || engine.value[0].n < 2u) {
            continue;
        }
        const unsigned made = next_best_by_pins(&least);
        const unsigned n = ll_engine_explain(&engine, why, sizeof why);
        CHECK(n == strlen(why) && !strstr(why, "230584300"));
        const char *const at = behind_the_layouts(why, made);
        CHECK(made && at);
        const unsigned long long cost = ll_engine_cost(&engine);
        const unsigned long long more =
            least < cost ? cost - least : least - cost;
        if (more % 8u) { /* one digit of the eighths */
            snprintf(part, sizeof part, ".%llu", more % 8u * 10u / 8u);
        }
        snprintf(next, sizeof next, "    next best: %llu%s cycles %s: ",
                 more / 8u, part,
                 least < cost ? "less, with more candidates" : "more");
        if (least != ~0ull && engine.op[0].n > 1u) {
            CHECK(at && strncmp(at, next, strlen(next)) == 0);
            ++said;
        }
    }
    COVERS(said);
}

static unsigned long long cost_of(const char *text) {
    ll_engine_begin(&engine, memory, MEMORY, LL_SM80, 1, 1);
    CHECK(ll_engine_parse(&engine, text) && ll_engine_solve(&engine));
    CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
    return ll_engine_cost(&engine);
}

/* Tiles in shared memory cost their wavefronts: 512 bytes are four, and 32 rows
 * of 128 bytes lie in the same banks. */
static void tiles_cost_their_wavefronts(void) {
    const unsigned each = LL_SM80.cost[LL_COST_MEMORY];
    static const char *const ops[] = {"x = local_load 32x32:32 %s %s\n",
                                      "x = tma_load 32x32:32 %s %s\n"};
    static const char *const ends[] = {"local_store x %s %s\n",
                                       "tma_store x %s %s\n"};
    static const char rows[] = "memory=\"offset: j0 j1 j2 j3 j4 i0 i1 i2 i3 "
                               "i4\"";
    static const char turned[] = "memory=\"offset: j0 j1 j2 j3 j4 i0^j2 i1^j3 "
                                 "i2^j4 i3 i4\"";
    static const char wide[] = "0=\"register: j0 j1 i2 i3 i4 | lane: j2 j3 j4 "
                               "i0 i1 | warp:\"";
    static const char tall[] = "0=\"register: j0 j1 j2 j3 j4 | lane: i0 i1 i2 "
                               "i3 i4 | warp:\"";
    for (unsigned k = 0; k < 2u; ++k) {
        char text[1000], fixed[100];
        snprintf(fixed, sizeof fixed, "out%s", wide);
        snprintf(text, sizeof text, ops[k], rows, fixed);
        CHECK(cost_of(text) == 8u * 4u * each);
        snprintf(fixed, sizeof fixed, "out%s", tall);
        snprintf(text, sizeof text, ops[k], rows, fixed);
        CHECK(cost_of(text) == 8u * 32u * each);
        snprintf(text, sizeof text, ops[k], turned, fixed);
        CHECK(cost_of(text) == 8u * 4u * each);
        snprintf(text, sizeof text, ops[k], rows, "");
        CHECK(cost_of(text) == 8u * 4u * each);
        unsigned long long cost[2];
        for (unsigned t = 0; t < 2u; ++t) {
            snprintf(text, sizeof text, "x = load 32x32:32 out%s\n", tall);
            snprintf(fixed, sizeof fixed, "in%s", tall);
            snprintf(text + strlen(text), sizeof text - strlen(text), ends[k],
                     t ? turned : rows, fixed);
            cost[t] = cost_of(text);
        }
        CHECK(cost[0] - cost[1] == 8u * 28u * each);
    }
}

/* What is stored of constants alone costs the access that is cheapest, or that
 * of the layout that is fixed. */
static void constants_are_stored(void) {
    static const char *const fixed[] = {
        "", "in0=\"register: j0 j1 i2 i3 i4 | lane: j2 j3 j4 i0 i1 | warp:\"",
        "in0=\"register: i0 i1 i2 i3 i4 | lane: j0 j1 j2 j3 j4 | warp:\"",
        "in0=\"register: j0 j1 j2 j3 j4 | lane: i0 i1 i2 i3 i4 | warp:\""};
    unsigned long long cost[4];
    for (unsigned k = 0; k < 4u; ++k) {
        char text[400];
        unsigned tuple[4];
        snprintf(text, sizeof text,
                 "x = constant 32x32:32\nstore x contiguous=1x32 align=16 %s\n",
                 fixed[k]);
        cost[k] = cost_of(text);
        CHECK(ll_engine_executed(&engine, 1, 0, tuple));
        CHECK(k == 0 || tuple[0] == engine.fixed[engine.op[1].at]);
    }
    CHECK(cost[0] && cost[0] == cost[1] && cost[1] < cost[2]);
    CHECK(cost[2] < cost[3]);
    begin();
    engine.registers = 15;
    CHECK(ll_engine_parse(&engine, "x = constant 32x32:32\nstore x\n"));
    CHECK(!ll_engine_solve(&engine) && engine.err == LL_ENGINE_EREGISTERS);
}

#define DOTTED                                                              \
    "q = load 64x64:16 align=16 contiguous=1x64\n"                          \
    "w = load 64x64:16 align=16 contiguous=1x64\n"                          \
    "wt = trans w 64x64:16 order=1x0\n"                                     \
    "c = dot q wt 64x64:32%s\n"                                             \
    "store c align=16 contiguous=1x64\n"

/* A product by name has the layouts of its instructions; with another order of
 * k both operands come as 16 bytes of a row, and cost less. */
static void products_know_their_instructions(void) {
    char text[2000], other[2000], said[300];
    snprintf(text, sizeof text, DOTTED, " by=mma");
    ll_engine_begin(&engine, memory, MEMORY, LL_SM80, 4, 1);
    CHECK(!ll_engine_parse(&engine, text) && engine.err == LL_ENGINE_EFAMILY);
    ll_engine_begin(&engine, memory, MEMORY, LL_SM80, 4, 1);
    engine.family = ll_ptx_dot;
    CHECK(ll_engine_parse(&engine, text) && ll_engine_solve(&engine));
    CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
    const unsigned long long cost = ll_engine_cost(&engine);
    CHECK(ll_is_equal(
        ll_engine_layout(&engine, 3, ll_engine_held(&engine, 3, 0)),
        ll_ptx_mma_c(64, 64, 4)));
    CHECK(engine.op[3].n > 1u);
    ll_engine_print(&engine, other, sizeof other);
    CHECK(strstr(other, "c = dot q wt 64x64:32 by=mma in0=\""));
    /* the same with `fixed`, whose k is in order */
    char *at = strstr(other, "dot q wt 64x64:32 by=mma");
    memcpy(at, "fixed q wt 64x64:32     ", 24);
    ll_engine_begin(&engine, memory, MEMORY, LL_SM80, 4, 1);
    CHECK(ll_engine_parse(&engine, other) && ll_engine_solve(&engine));
    CHECK(ll_engine_cost(&engine) > cost);
    snprintf(text, sizeof text, DOTTED, " by=mfma32");
    ll_engine_begin(&engine, memory, MEMORY, LL_SM80, 4, 1);
    engine.family = ll_ptx_dot;
    CHECK(!ll_engine_parse(&engine, text) && engine.err == LL_ENGINE_EFAMILY);
    ll_engine_error(&engine, said, sizeof said);
    CHECK(strstr(said, "ll: dot q wt c (operation 3"));
}

/* With scales the layouts are those of the instructions as well. */
static void scaled_products_know_their_instructions(void) {
    ll_engine_begin(&engine, memory, MEMORY, LL_SM80, 4, 1);
    engine.family = ll_ptx_dot;
    CHECK(ll_engine_parse(
        &engine, "a = load 64x64:8 contiguous=1x64 align=16\n"
                 "b = tma_load 64x32:8 memory=\"offset: j0 j1 j2 j3 j4 i0 i1 "
                 "i2 i3 i4 i5\"\n"
                 "s = load 64x2:8 contiguous=1x2 align=2\n"
                 "t = load 2x32:8 contiguous=1x32 align=16\n"
                 "z = constant 64x32:32\n"
                 "c = dot_scaled a b s t z by=mma\n"
                 "store c contiguous=1x32 align=16\n"));
    CHECK(ll_engine_solve(&engine));
    CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
    CHECK(ll_is_equal(
        ll_engine_layout(&engine, 5, ll_engine_held(&engine, 5, 0)),
        ll_ptx_mma_c(64, 32, 4)));
    CHECK(engine.op[5].n == 1u);
}

/* ---- Operands in shared memory ------------------------------------------ */

static void ask(const char *text, unsigned warps, ll_target t) {
    ll_engine_begin(&engine, memory, MEMORY, t, warps, 1);
    engine.family = ll_ptx_dot;
    CHECK(ll_engine_parse(&engine, text) && ll_engine_solve(&engine));
    CHECK(ll_engine_optimal(&engine));
    CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
}

/* Each tile of a product is one that a descriptor describes, slice by slice,
 * and that tensor copies fill. Either axis may be the contiguous one with 16
 * bits, for tcgen05 also with 8. */
static void tiles_have_descriptors(void) {
    unsigned seen = 0;
    for (unsigned n = 0; n < 4096u; ++n) {
        const unsigned operand = (unsigned)LL_ENGINE_A_K + n % 4u;
        const unsigned bits = 8u << n / 4u % 3u;
        const unsigned rows = 8u << n / 12u % 6u;
        const unsigned cols = 8u << n / 72u % 6u;
        const int wgmma = n / 432u % 2u;
        const int is_b = operand == LL_ENGINE_B_K || operand == LL_ENGINE_B_MN;
        const int is_mn = operand == LL_ENGINE_A_MN || operand == LL_ENGINE_B_MN;
        char name[8] = "tcgen05"; /* no literal, whose end g++ would look for */
        if (wgmma) {
            memcpy(name, "wgmma", 6);
        }
        ll_layout a = ll_ptx_dot(name, (unsigned)strlen(name), operand, rows,
                                 cols, bits, 4);
        const unsigned k = is_b ? rows : cols;
        const unsigned m = is_b ? cols : rows;
        CHECK(a.err || !is_mn || bits == 16u || (bits == 8u && !wgmma));
        CHECK(!a.err || is_mn || k * bits < 256u || m < 8u);
        if (a.err || k * bits < 256u) {
            continue;
        }
        a = is_b ? ll_trans(a, "j i") : a;
        const unsigned high = m < 64u ? m : 64u;
        const ll_ptx_desc d = ll_ptx_desc_of(a, high, 256u / bits, bits);
        CHECK(!d.err && d.mn_major == (unsigned)is_mn);
        CHECK(!ll_ptx_tensor_of(a, m, k, bits).err);
        for (unsigned at = 0; at < k; at += 256u / bits) {
            CHECK(!ll_ptx_desc_slice(a, high, 256u / bits, bits, 0, at).err);
        }
        seen |= 1u << (operand - LL_ENGINE_A_K + 4u * (unsigned)wgmma);
    }
    COVERS(seen == 255u);
}

/* A lane has the row of its lane of tensor memory, and its registers are
 * columns. Warpgroups take rows, or columns if there are no more rows. */
static void accumulators_are_rows_of_tensor_memory(void) {
    static const unsigned sizes[][3] = {{128, 64, 4}, {256, 32, 8}, {128, 64, 8},
                                        {128, 256, 4}};
    for (unsigned n = 0; n < 4u; ++n) {
        const unsigned rows = sizes[n][0];
        const unsigned warps = sizes[n][2];
        const unsigned cols = sizes[n][1] * rows / (32u * warps); /* a lane's */
        const ll_layout a = ll_ptx_dot("tcgen05", 7, LL_ENGINE_C, rows,
                                       sizes[n][1], 32, warps);
        CHECK(!a.err && ll_size(a.in, LL_REGISTER) == cols);
        for (unsigned t = 0; t < 32u * warps; ++t) {
            for (unsigned r = 0; r < cols; ++r) {
                const unsigned y = ll_apply(
                    a, ll_pack(a.in, LL_REGISTER, r) ^
                           ll_pack(a.in, LL_LANE, t % 32u) ^
                           ll_pack(a.in, LL_WARP, t / 32u));
                const unsigned part = rows < 32u * warps ? t / rows * cols : 0u;
                CHECK(ll_unpack(a.out, LL_I, y) == t % rows);
                CHECK(ll_unpack(a.out, LL_J, y) == r + part);
            }
        }
    }
    CHECK(ll_ptx_dot("tcgen05", 7, LL_ENGINE_C, 128, 64, 32, 2).err ==
          LL_EWARPS);
    CHECK(ll_ptx_dot("tcgen05", 7, LL_ENGINE_C, 128, 4, 32, 4).err == LL_EN);
}

#define SUMS                                                                \
    "register: j0 i3 j3 j4 j5 | lane: j1 j2 i0 i1 i2 | warp: i4 i5"
#define TAKEN                                                               \
    "local_store c memory=\"offset: j0 j1 j2 j3 j4 j5 i0 i1 i2 i3 i4 i5\"\n"
#define ROWS_OF "register: j0 j1 j2 i4 i5 | lane: j3 j4 j5 i0 i1 | warp: i2 i3"
#define SWIZZLED                                                            \
    " memory=\"offset: j0 j1 j2 j3 j4 j5 j3^i0 j4^i1 j5^i2 i3 i4 i5\""

/* What is read in place costs nothing and is in no register: as a graph that
 * begins with the result. Behind a transposition it is the other axis that is
 * contiguous. */
static void tiles_are_read_in_place(void) {
    static const char *const b[] = {
        "b = tma_load 64x64:16\n", "b = tma_load 64x64:16" SWIZZLED "\n",
        "b = local_load 64x64:16" SWIZZLED "\n",
        "w = tma_load 64x64:16\nb = trans w order=1x0\n"};
    ask("c = source 64x64:32 out0=\"" SUMS "\"\n" TAKEN, 4, LL_SM90);
    const unsigned long long cost = ll_engine_cost(&engine);
    for (unsigned k = 0; k < 4u; ++k) {
        char text[1000], why[4000];
        unsigned tuple[8];
        snprintf(text, sizeof text,
                 "a = tma_load 64x64:16\n%sc = dot a b by=wgmma\n" TAKEN, b[k]);
        ask(text, 4, LL_SM90);
        CHECK(ll_engine_cost(&engine) == cost);
        for (unsigned p = 0; p < engine.ops; ++p) {
            const ll_engine_op *o = &engine.op[p];
            const int copy = o->kind == LL_ENGINE_TMA_LOAD ||
                             o->kind == LL_ENGINE_LOCAL_LOAD ||
                             o->kind == LL_ENGINE_TRANS;
            CHECK(ll_engine_executed(&engine, p, 0, tuple) == !copy);
        }
        ll_engine_explain(&engine, why, sizeof why);
        CHECK(strstr(why, "dot c reads a in shared memory, where tma_load a "
                          "brings it\n"));
        CHECK(strstr(why, k == 3u   ? "reads b in shared memory, where "
                                      "tma_load w brings it\n"
                          : k == 2u ? "where local_load b brings it\n"
                                    : "where tma_load b brings it\n"));
        /* the tile lies elsewhere: the proof no longer holds */
        ll_engine_op *o = &engine.op[1];
        const unsigned m = o->memory;
        o->memory = engine.op[engine.ops - 1u].memory;
        CHECK(ll_engine_check(&engine) == LL_ENGINE_BAD_LAYOUT);
        o->memory = m;
        CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
    }
}

/* What is not there as the product wants it is stored: four stores of 16 bytes
 * a lane, each of four wavefronts, and a barrier; as often as it is made. A
 * tile without the swizzle is loaded first. A may stay in registers. */
static void operands_are_stored_where_products_read_them(void) {
    const unsigned long long each =
        16u * LL_SM90.cost[LL_COST_MEMORY] + LL_SM90.cost[LL_COST_BLOCK];
    static const char copied[] = "a = tma_load 64x64:16\n";
    static const char made[] = "b = source 64x64:16 out0=\"" ROWS_OF "\"\n";
    static const char dot[] = "c = dot a b by=wgmma\n" TAKEN;
    char text[1000], why[4000];
    unsigned tuple[8];
    ask("c = source 64x64:32 out0=\"" SUMS "\"\n" TAKEN, 4, LL_SM90);
    const unsigned long long none = ll_engine_cost(&engine);
    snprintf(text, sizeof text, "%s%s%s", copied, made, dot);
    ask(text, 4, LL_SM90);
    CHECK(ll_engine_cost(&engine) == none + each);
    ll_engine_explain(&engine, why, sizeof why);
    CHECK(strstr(why, "dot c reads b in shared memory, where it is stored: 20 "
                      "cycles\n"));
    snprintf(text, sizeof text,
             "%s%sz = constant 64x64:32\nloop 8 s = z\nd = dot a b s by=wgmma\n"
             "yield d -> c\n" TAKEN,
             copied, made);
    ask(text, 4, LL_SM90);
    CHECK(ll_engine_cost(&engine) == none + each);
    snprintf(text, sizeof text,
             "%sz = constant 64x64:32\nloop 8 s = z\n%sd = dot a b s by=wgmma\n"
             "yield d -> c\n" TAKEN,
             copied, made);
    ask(text, 4, LL_SM90);
    CHECK(ll_engine_cost(&engine) == none + 8u * each);
    snprintf(text, sizeof text,
             "%sb = tma_load 64x64:16 memory=\"offset: j0 j1 j2 j3 j4 j5 i0 i1 "
             "i2 i3 i4 i5\"\n%s",
             copied, dot);
    ask(text, 4, LL_SM90);
    CHECK(ll_engine_cost(&engine) == none + each + each -
                                         LL_SM90.cost[LL_COST_BLOCK]);
    CHECK(ll_engine_executed(&engine, 1, 0, tuple));
    /* other users of a tile load it, the product reads it in place */
    snprintf(text, sizeof text, "%sb = tma_load 64x64:16\nstore b\n%s", copied,
             dot);
    ask(text, 4, LL_SM90);
    CHECK(ll_engine_executed(&engine, 1, 0, tuple));
    CHECK(ll_engine_executed(&engine, 3, 0, tuple));
    CHECK(tuple[1] == engine.op[1].memory);
    snprintf(text, sizeof text,
             "a = source 64x64:16 out0=\"" SUMS "\"\nb = tma_load 64x64:16\n%s",
             dot);
    ask(text, 4, LL_SM90);
    CHECK(ll_engine_cost(&engine) == none);
    ll_engine_explain(&engine, why, sizeof why);
    CHECK(strstr(why, "dot c reads a in registers\n"));
    /* tcgen05 does not read registers */
    text[0] = '\0';
    snprintf(text, sizeof text,
             "a = source 128x64:16 out0=\"register: j0 j1 j2 i4 i5 i6 | lane: j3 "
             "j4 j5 i0 i1 | warp: i2 i3\"\n"
             "b = tma_load 64x64:16\nc = dot a b by=tcgen05\n");
    ask(text, 4, LL_SM100);
    CHECK(ll_engine_cost(&engine) ==
          32u * LL_SM100.cost[LL_COST_MEMORY] + LL_SM100.cost[LL_COST_BLOCK]);
}

/* Products of AMD by name: the operands of both sides belong together, so that
 * a graph with them is proven. */
static void amd_products_know_their_instructions(void) {
    static const struct {
        const char *name;
        unsigned gfx, lanes, scaled;
    } all[] = {{"mfma16", 0x942, 64, 0},         {"mfma32", 0x942, 64, 0},
               {"mfma_scale16", 0x950, 64, 1},   {"mfma_scale32", 0x950, 64, 1},
               {"wmma_w32", 0x1100, 32, 0},      {"wmma_w64", 0x1100, 64, 0},
               {"wmma_w32_gfx12", 0x1200, 32, 0},
               {"wmma_w64_gfx12", 0x1200, 64, 0}};
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        char text[1000];
        snprintf(text, sizeof text,
                 all[n].scaled
                     ? "a = load 128x128:8 contiguous=1x128 align=16\n"
                       "b = load 128x64:8 contiguous=1x64 align=16\n"
                       "s = load 128x4:8\nt = load 4x64:8\n"
                       "c = dot_scaled a b s t by=%s\nstore c\n"
                     : "a = load 128x128:16 contiguous=1x128 align=16\n"
                       "b = load 128x64:16 contiguous=1x64 align=16\n"
                       "c = dot a b by=%s\nstore c\n",
                 all[n].name);
        ll_engine_begin(&engine, memory, MEMORY,
                        ll_amd_target(all[n].gfx, all[n].lanes), 4, 1);
        engine.family = ll_amd_dot;
        CHECK(ll_engine_parse(&engine, text) && ll_engine_solve(&engine));
        CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
        const ll_layout c = ll_amd_dot(
            all[n].name, (unsigned)strlen(all[n].name), LL_ENGINE_C, 128, 64,
            32, 4);
        const unsigned v = engine.values - 1u;
        CHECK(!c.err && ll_is_surjective(c));
        CHECK(ll_is_equal(
            ll_engine_layout(&engine, v, ll_engine_held(&engine, v, 0)), c));
    }
}

/* A sort costs what its plan costs; in the layout of the best access it would
 * cost more than the conversions to the layout in which it is cheap. */
static void sorts_cost_what_their_plans_cost(void) {
    static const char both[] = "register: %s | lane: %s | warp:";
    static const char *const parts[2][2] = {
        {"j0 j1 i2 i3 i4", "j2 j3 j4 i0 i1"},
        {"j0 j1 j2 j3 j4", "i0 i1 i2 i3 i4"}};
    for (unsigned k = 0; k < 4u; ++k) {
        char layout[100], text[400];
        snprintf(layout, sizeof layout, both, parts[k / 2u][0],
                 parts[k / 2u][1]);
        snprintf(text, sizeof text,
                 "x = source 32x32:32 out0=\"%s\"\ny = sort x axis=%u "
                 "out0=\"%s\"\n",
                 layout, k % 2u, layout);
        ll_engine_begin(&engine, memory, MEMORY, LL_SM90, 1, 1);
        engine.sort = ll_sort_cycles;
        CHECK(ll_engine_parse(&engine, text) && ll_engine_solve(&engine));
        CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
        CHECK(ll_engine_cost(&engine) ==
              8ull * ll_sort_of(ll_parse(layout), k % 2u ? LL_J : LL_I, 32,
                                LL_SM90)
                         .cycles);
    }
    static const char free_to_choose[] =
        "x = load 64x64:32 contiguous=1x64 align=16\n"
        "t = sort x axis=1\nstore t contiguous=1x64 align=16\n";
    ll_engine_begin(&engine, memory, MEMORY, LL_SM90, 4, 1);
    engine.sort = ll_sort_cycles;
    CHECK(ll_engine_parse(&engine, free_to_choose));
    CHECK(ll_engine_solve(&engine) && ll_engine_moves(&engine) == 2u);
    CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
    ll_engine_begin(&engine, memory, MEMORY, LL_SM90, 4, 1);
    CHECK(ll_engine_parse(&engine, free_to_choose));
    CHECK(!ll_engine_solve(&engine) && engine.err == LL_ENGINE_ESORT);
}

static void bad_graphs_name_the_operation(void) {
    static const struct {
        const char *text;
        unsigned err;
        const char *part; /* of the sentence */
    } bad[] = {
        {"x = load 4x4:32\ny = map x z\n", LL_ENGINE_EVALUE, "character 27"},
        {"y = map y\n", LL_ENGINE_EVALUE, "used before"},
        {"x = load 4x4:32\nx = map x\n", LL_ENGINE_ETWICE, "character 17"},
        {"x = load 4x4:32\ny = load 4x8:32\nz = map x y\n", LL_ENGINE_ESHAPE,
         "map x y (operation 2"},
        {"x = load 4x4:32\ny = reduce x axis=2\n", LL_ENGINE_EAXIS,
         "reduce x (operation 1"},
        {"x = load 4x3:32\n", LL_ENGINE_ESIZE, "powers of two"},
        {"x = load 4x4\n", LL_ENGINE_ESIZE, "load"},
        {"x = lood 4x4:32\n", LL_ENGINE_EUNKNOWN, "character 5"},
        {"x = load 4x4:32 colour=4\n", LL_ENGINE_EUNKNOWN, "character 17"},
        {"x = load 4x4:32\ny, z = trans x order=1x0\n", LL_ENGINE_ECOUNT,
         "trans x"},
        {"x = load 4x4:32\ny = trans x order=1x1\n", LL_ENGINE_EAXIS,
         "trans x"},
        {"x = load 4x4:32\ny = fixed x x x 4x4:32\n", LL_ENGINE_EFIXED,
         "fixed x x x"},
        {"x = load 4x4:32\ny = dot x x x\n", LL_ENGINE_EFIXED, "dot x x x"},
        {"x = load 4x4:32\ny = dot x\n", LL_ENGINE_ECOUNT, "dot x"},
        {"x = load 4x4:32\nz = load 8x4:32\ny = dot x z\n",
         LL_ENGINE_ESHAPE, "dot x z"},
        {"x = load 4x4:32\ny = dot x x by=\n", LL_ENGINE_ETEXT,
         "character 32"},
        {"x = local_load 4x4:32\n", LL_ENGINE_EMEMORY, "local_load x"},
        {"x = tma_load 4x4:32 memory=\"offset: j0 j1 i0\"\n",
         LL_ENGINE_EMEMORY, "character 29"},
        {"x = load 4x4:32\nlocal_store x memory=\"lane: j0 j1 i0 i1\"\n",
         LL_ENGINE_EMEMORY, "local_store x"},
        {"x = tma_load 4x4:32 memory=\"offset: j0 j1 i0 i1\"\n"
         "tma_store x memory=4\n",
         LL_ENGINE_ETEXT, "character"},
        {"x = load 4x4:32 memory=\"offset: j0 j1 i0 i1\"\n",
         LL_ENGINE_EMEMORY, "character 25"},
        {"x = load 4x4:32\nstore x memory=\"offset: j0 j1 i0 i1\"\n",
         LL_ENGINE_EMEMORY, "store x"},
        {"x = load 4x4:32\ny = split x\n", LL_ENGINE_EAXIS, "split x"},
        {"x = load 4x4:32 out0=\"lane: j0 j1\"\n", LL_ENGINE_ELAYOUT,
         "character 23"},
        {"x = load 4x4:32 out0=\"lane: j0 j1 i0 i1 0 | warp: 0\"\n"
         "y = map x in0=\"lane: i0 i1 j0 j1 0 | warp: 0\" "
         "out0=\"lane: j0 j1 0 i0 i1 | warp: 0\"\n",
         LL_ENGINE_EFIT, "map x y (operation 1"},
        {"loop 4\nx = load 4x4:32\n", LL_ENGINE_ELOOP, "loop"},
        {"x = load 4x4:32\nyield x\n", LL_ENGINE_ELOOP, "loop"},
        {"x = load 4x4:32\nz = load 4:32\nloop 4 a = x\nyield z\n",
         LL_ENGINE_ELOOP, "carry"},
        {"x = load 4x4:32 out0=\"lane: j0\n", LL_ENGINE_ETEXT, "character"},
        {"= map\n", LL_ENGINE_ETEXT, "character 1"},
    };
    for (unsigned k = 0; k < sizeof bad / sizeof *bad; ++k) {
        char sentence[400];
        begin();
        CHECK(!ll_engine_parse(&engine, bad[k].text) ||
              !ll_engine_solve(&engine));
        ll_engine_error(&engine, sentence, sizeof sentence);
        if (engine.err != bad[k].err ||
            !(strstr(sentence, bad[k].part) ||
              (engine.err == LL_ENGINE_ELOOP && strstr(sentence, "merge")))) {
            printf("%s -> %u: %s\n", bad[k].text, engine.err, sentence);
            CHECK(0);
        }
    }
}

/* With any amount of memory there is an answer or the error. */
static void too_little_memory_is_an_error(void) {
    unsigned enough = 0;
    for (unsigned bytes = 0; bytes < 1u << 19; bytes += 1777u) {
        ll_engine_begin(&engine, memory, bytes, LL_SM90, 4, 1);
        if (ll_engine_parse(&engine, layer_norm) && ll_engine_solve(&engine)) {
            const unsigned bad = ll_engine_check(&engine);
            CHECK(bad == LL_ENGINE_PROVEN || bad == LL_ENGINE_BAD_MEMORY);
            ++enough;
        } else {
            CHECK(engine.err == LL_ENGINE_EARENA);
        }
        CHECK(engine.used <= engine.bytes);
    }
    COVERS(enough);
}

/* ---- Size --------------------------------------------------------------- */

/* A chain of n operations with a class of its own for every third one. */
static double seconds_for(unsigned n) {
    static unsigned char *room;
    const unsigned long long bytes = 1ull << 30;
    room = room ? room : (unsigned char *)malloc(bytes);
    ll_engine_begin(&engine, room, room ? bytes : 0u, LL_SM90, 4, 1);
    unsigned v[2] = {0, 0};
    for (unsigned k = 0; engine.ops < n && !engine.err; ++k) {
        ll_engine_spec s = LL_ZERO;
        if (k % 10u == 0) {
            s.kind = LL_ENGINE_LOAD;
            s.rank = 2;
            s.size[0] = 5;
            s.size[1] = 6;
            s.contiguous[1] = 6;
            s.align = 16;
            s.element_bits = 32;
        } else if (k % 3u == 0) {
            s.kind = LL_ENGINE_TRANS;
            s.n_in = 1;
            s.in = v;
            s.order[0] = 1;
        } else {
            s.kind = LL_ENGINE_MAP;
            s.cost = 8;
            s.in = v;
            s.n_in = ll_engine_alike_(&engine.value[v[0]],
                                      &engine.value[v[1]])
                         ? 2u
                         : 1u;
        }
        v[1] = v[0];
        v[0] = result_of(s);
    }
    const clock_t start = clock();
    CHECK(ll_engine_solve(&engine));
    return (double)(clock() - start) / CLOCKS_PER_SEC;
}

static void large_graphs_are_solved(void) {
    for (unsigned n = 100; n <= (test.effort > 1u ? 10000u : 1000u);
         n *= 10u) {
        const double seconds = seconds_for(n);
        printf("%u operations: %.3f s, %.1f MiB\n", n, seconds,
               (double)engine.used / (1 << 20));
        CHECK(ll_engine_optimal(&engine));
    }
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(nothing_is_cheaper);
    RUN(an_operation_has_many_instances);
    RUN(a_value_is_needed_in_many_layouts);
    RUN(one_set_of_layouts_serves_all_users);
    RUN(cycles_are_refused);
    RUN(small_tables_find_the_same);
    RUN(all_instances_obey_their_operation);
    RUN(no_instance_is_missing);
    RUN(pairs_lie_in_a_register);
    RUN(changed_certificates_are_refused);
    RUN(text_is_read_and_written);
    RUN(constants_are_what_the_engine_finds);
#ifndef TEST_BRIEF
    RUN(longer_graphs_are_constants_too);
#endif
    RUN(few_candidates_leave_a_solution);
    RUN(limits_are_kept);
    RUN(limits_rule_out_what_is_cheaper);
    RUN(limits_that_are_too_tight_name_the_operation);
    RUN(tiles_cost_their_wavefronts);
    RUN(constants_are_stored);
    RUN(products_know_their_instructions);
    RUN(scaled_products_know_their_instructions);
    RUN(tiles_have_descriptors);
    RUN(accumulators_are_rows_of_tensor_memory);
    RUN(tiles_are_read_in_place);
    RUN(operands_are_stored_where_products_read_them);
    RUN(amd_products_know_their_instructions);
    RUN(sorts_cost_what_their_plans_cost);
    RUN(explanations_price_a_pin);
    RUN(explanations_say_what_is_next_best);
    RUN(bad_graphs_name_the_operation);
    RUN(too_little_memory_is_an_error);
    RUN(large_graphs_are_solved);
    return test_end();
}
