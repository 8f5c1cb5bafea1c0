/* engine_search.h - graphs at random and the least cost of all their
 * assignments, for test_engine.c.
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_ENGINE_SEARCH_H
#define TEST_ENGINE_SEARCH_H

#include "definition.h"

#include "../ll_amd.h"
#include "../ll_ptx.h"

enum { MEMORY = 1 << 24, MOST = LL_ENGINE_MOST, THREADS = 64 };

static unsigned char memory[MEMORY];
static ll_engine engine;

static void begin(void) {
    ll_engine_begin(&engine, memory, MEMORY, LL_SM80, 2, 1);
}

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

#endif
