/* data_engine_all.c - all assignments of a recorded graph, for data_engine.c.
 * SPDX-License-Identifier: MIT
 *
 * Each operation takes each set of its instances in turn; a value costs what
 * the cheapest way to its layouts costs. A branch ends where its sum, with the
 * least of what each operation behind it costs, reaches the best one so far.
 * ENGINE_STEPS in the environment says how many are taken for a graph.
 */
#ifndef LL_ENGINE
#define LL_ENGINE
#endif
#include "check_data.h"
#include "../ll_ptx.h"
#include <stdlib.h>
#include <string.h>

enum { MOST = 8, CACHE = 1 << 16, STEPS = 20000 };

typedef struct search {
    ll_engine *e;
    unsigned *set;   /* of each operation, as a mask of instances */
    unsigned *last;  /* of each value: the last operation that touches it */
    unsigned *could; /* what a value may be held in on the way */
    unsigned long long *price; /* by operation and instance */
    unsigned long long *rest;  /* the least of all operations from one on */
    unsigned long long (*cost)[MOST][MOST];
    struct {
        unsigned v, made, need;
        unsigned long long cost;
    } * cache;
    unsigned long long best;
    unsigned left; /* steps */
} search;

/* The candidates of v in operands from .. to - 1 of an operation, in a set. */
static unsigned layouts_in_set(const search *s, unsigned p, unsigned set,
                           unsigned v, unsigned from, unsigned to) {
    const ll_engine_op *o = &s->e->op[p];
    unsigned mask = 0;
    for (unsigned t = 0; t < o->n; ++t) {
        for (unsigned k = from; set >> t & 1u && k < to; ++k) {
            const unsigned c =
                s->e->instance[o->first + t * (o->n_in + o->n_out) + k];
            mask |= s->e->operand[o->at + k] == v && c != LL_ENGINE_NONE
                        ? 1u << c
                        : 0u;
        }
    }
    return mask;
}

/* The cheapest conversions from `made` until all of `need` is held: the least
 * cost of each set of layouts, from the smaller ones to the larger ones. */
static unsigned long long reach(const search *s, unsigned v, unsigned made,
                                unsigned need) {
    unsigned long long least[1u << MOST];
    unsigned long long best = ~0ull;
    const unsigned n = s->e->value[v].n;
    for (unsigned held = 0; held < 1u << n; ++held) {
        least[held] = held == made ? 0u : ~0ull;
    }
    for (unsigned held = made; held < 1u << n; ++held) {
        if (least[held] == ~0ull) {
            continue;
        }
        if (!(need & ~held)) {
            best = least[held] < best ? least[held] : best;
        }
        for (unsigned to = 0; to < n; ++to) {
            unsigned long long step = ~0ull;
            for (unsigned from = 0; from < n; ++from) {
                step = held >> from & 1u && s->cost[v][from][to] < step
                           ? s->cost[v][from][to]
                           : step;
            }
            const unsigned next = held | 1u << to;
            if (next != held && (need | s->could[v]) >> to & 1u &&
                step != ~0ull && least[held] + step < least[next]) {
                least[next] = least[held] + step;
            }
        }
    }
    return best;
}

static unsigned long long value_cost(search *s, unsigned v) {
    const ll_engine_value *x = &s->e->value[v];
    const ll_engine_op *d = &s->e->op[x->def];
    unsigned need = 0;
    for (unsigned k = 0; k < x->uses; ++k) {
        const unsigned p = s->e->use[x->use + k];
        need |= layouts_in_set(s, p, s->set[p], v, 0, s->e->op[p].n_in);
    }
    const unsigned made = layouts_in_set(s, x->def, s->set[x->def], v, d->n_in,
                                     d->n_in + d->n_out);
    const unsigned at = (v * 40503u ^ made * 2654435761u ^ need * 97u) % CACHE;
    if (s->cache[at].v != v || s->cache[at].made != made ||
        s->cache[at].need != need) {
        s->cache[at].v = v;
        s->cache[at].made = made;
        s->cache[at].need = need;
        s->cache[at].cost = reach(s, v, made, need);
    }
    return s->cache[at].cost;
}

/* What a set of instances costs; all ones if it may not be taken. */
static unsigned long long set_cost(const search *s, unsigned p, unsigned set) {
    const ll_engine_op *o = &s->e->op[p];
    const unsigned most = o->alone                    ? 1u
                          : o->is_light && o->n < 10u ? s->e->sets
                          : s->e->sets < 2u           ? s->e->sets
                                                      : 2u;
    unsigned long long sum = 0;
    unsigned n = 0;
    for (unsigned t = 0; t < o->n; ++t) {
        sum += set >> t & 1u ? s->price[32u * p + t] : 0u;
        n += set >> t & 1u;
    }
    if (n > most) {
        return ~0ull;
    }
    return sum + (n > 1u && o->kind != LL_ENGINE_CARRY
                      ? (unsigned long long)(n - 1u) * LL_ENGINE_AGAIN *
                            o->weight
                      : 0u);
}

static void try_all(search *s, unsigned p, unsigned long long sum) {
    const ll_engine *e = s->e;
    if (sum + s->rest[p] >= s->best || !s->left) {
        return;
    }
    --s->left;
    if (p == e->ops) {
        s->best = sum;
        return;
    }
    const ll_engine_op *o = &e->op[p];
    for (unsigned set = o->n ? 1u : 0u; set < 1u << o->n; ++set) {
        unsigned long long more = set_cost(s, p, set);
        more = more == ~0ull ? more : sum + more;
        s->set[p] = set;
        for (unsigned k = 0; k < o->n_in + o->n_out && more != ~0ull; ++k) {
            const unsigned v = e->operand[o->at + k];
            unsigned first = 0;
            while (e->operand[o->at + first] != v) {
                ++first;
            }
            if (s->last[v] == p && !e->value[v].is_free && first == k) {
                const unsigned long long c = value_cost(s, v);
                more = c == ~0ull ? c : more + c;
            }
        }
        if (more != ~0ull) {
            try_all(s, p + 1u, more);
        }
    }
    s->set[p] = 0;
}

/* Prices, and which operation touches a value last. Returns 0 if there are too
 * many candidates or instances. */
static int prepare(search *s) {
    ll_engine *e = s->e;
    unsigned tuple[80];
    for (unsigned v = 0; v < e->values; ++v) {
        const ll_engine_value x = e->value[v];
        if (x.n > MOST) {
            return 0;
        }
        s->last[v] = x.def;
        for (unsigned k = 0; k < x.n * x.n; ++k) {
            const ll_plan p = ll_engine_plan(
                e, e->candidate[x.first + k / x.n],
                e->candidate[x.first + k % x.n], x.bits, x.element_bits);
            s->cost[v][k / x.n][k % x.n] =
                (p.err ? LL_ENGINE_FAR : 8ull * p.cycles) * x.weight;
        }
        unsigned users = 0;
        for (unsigned k = 0; k < x.uses; ++k) {
            const unsigned p = e->use[x.use + k];
            s->last[v] = p > s->last[v] ? p : s->last[v];
            users += k == 0 || e->use[x.use + k - 1u] != p;
        }
        for (unsigned k = 0; k < x.uses && users > 1u; ++k) {
            const unsigned p = e->use[x.use + k];
            s->could[v] |= layouts_in_set(s, p, ~0u, v, 0, e->op[p].n_in);
        }
    }
    for (unsigned p = e->ops; p-- > 0;) {
        unsigned long long least = e->op[p].n ? ~0ull : 0u;
        if (e->op[p].n > 16u || e->op[p].n_in + e->op[p].n_out > 80u) {
            return 0;
        }
        for (unsigned t = 0; t < e->op[p].n; ++t) {
            ll_engine_numbers_(e, p, t, tuple);
            const unsigned long long price =
                ll_engine_price(e, p, tuple) * e->op[p].weight;
            s->price[32u * p + t] = price;
            least = price < least ? price : least;
        }
        s->rest[p] = s->rest[p + 1u] + least;
    }
    return !e->err;
}

/* The classes of values that share a layout, up to the rule of an operation. */
unsigned engine_classes(const ll_engine *e) {
    unsigned *of = malloc(sizeof *of * (e->values + 1u));
    unsigned n = 0;
    for (unsigned v = 0; v < e->values; ++v) {
        of[v] = v;
    }
    for (unsigned change = 1; change;) {
        change = 0;
        for (unsigned p = 0; p < e->ops; ++p) {
            const ll_engine_op *o = &e->op[p];
            unsigned least = ~0u;
            for (int fill = 0; fill < 2 && ll_engine_is_tied_(o); ++fill) {
                for (unsigned k = 0; k < o->n_in + o->n_out; ++k) {
                    const unsigned v = e->operand[o->at + k];
                    if (e->value[v].is_free) {
                        continue;
                    }
                    least = of[v] < least ? of[v] : least;
                    change |= fill && of[v] != least;
                    of[v] = fill ? least : of[v];
                }
            }
        }
    }
    for (unsigned v = 0; v < e->values; ++v) {
        n += of[v] == v && !e->value[v].is_free;
    }
    free(of);
    return n;
}

/* The least cost of all assignments of a solved graph; 0 if there are too many
 * to try them in this number of steps. */
unsigned long long engine_least_of_all(ll_engine *e) {
    search s = {0};
    const size_t values = e->values + 1u;
    const size_t ops = e->ops + 2u;
    s.e = e;
    s.set = calloc(ops, sizeof *s.set);
    s.last = calloc(values, sizeof *s.last);
    s.could = calloc(values, sizeof *s.could);
    s.price = calloc(32u * ops, sizeof *s.price);
    s.rest = calloc(ops, sizeof *s.rest);
    s.cost = calloc(values, sizeof *s.cost);
    s.cache = calloc(CACHE, sizeof *s.cache);
    for (unsigned k = 0; k < CACHE; ++k) {
        s.cache[k].v = LL_ENGINE_NONE;
    }
    s.best = ll_engine_cost(e) + 1u; /* so that it is found again */
    const char *steps = getenv("ENGINE_STEPS");
    s.left = steps ? (unsigned)strtoul(steps, NULL, 10) : STEPS;
    if (prepare(&s)) {
        try_all(&s, 0, 0);
    } else {
        s.left = 0;
    }
    free(s.set);
    free(s.last);
    free(s.could);
    free(s.price);
    free(s.rest);
    free(s.cost);
    free(s.cache);
    return s.left ? s.best : 0u;
}
