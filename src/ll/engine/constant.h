/* ---- Engine: graphs as constants -------------------------------------- */
#ifndef LL_ENGINE_CONSTANT_H
#define LL_ENGINE_CONSTANT_H

#include "../kernel/sizes.h"
#include "../sort/plan.h"
#include "explain.h"

#ifdef LL_ENGINE

/* A graph as a constant. Callers ask for its values by name. */
#define LL_ASSIGN_VALUES_ 24u

typedef struct ll_assigned_value_ {
    const char *name;
    unsigned length;
    unsigned rank;
    unsigned char size[LL_ENGINE_AXES]; /* log2, slowest first */
    unsigned n;                         /* layouts */
    ll_engine_flat held[3];
} ll_assigned_value_;

typedef struct ll_assignment {
    unsigned err;            /* one of LL_ENGINE_ERRORS */
    unsigned character;      /* its place in the text, from 1; 0: none */
    unsigned long long cost; /* eighths of a cycle per warp */
    unsigned conversions;    /* number that remain */
    unsigned n;
    ll_assigned_value_ value[LL_ASSIGN_VALUES_];
} ll_assignment;

/* Private: sets the limits for a graph that is solved as a constant. */
LL_FN void ll_assign_limits_(ll_engine *e) {
    e->most = 4;
    e->sets = 2;
    e->table = 2048;
    e->nodes = 2000;
}

/* Private: lists all conversions that may remain. */
LL_FN void ll_assign_pairs_(ll_engine *e) {
    for (unsigned v = 0; v < e->values && !e->err; ++v) {
        const ll_engine_value a = e->value[v];
        unsigned made = 0;
        unsigned need = 0;
        for (unsigned t = 0; t < e->op[a.def].n && !a.is_free; ++t) {
            made |= ll_engine_makes_(e, a.def, v, t);
        }
        for (unsigned k = 0; k < a.uses && !a.is_free; ++k) {
            for (unsigned t = 0; t < e->op[e->use[a.use + k]].n; ++t) {
                need |= ll_engine_needs_(e, e->use[a.use + k], v, t);
            }
        }
        for (unsigned k = 0; k < a.n * a.n; ++k) {
            const unsigned from = k / a.n;
            const unsigned to = k % a.n;
            if (from != to && (made | need) >> from & need >> to & 1u) {
                ll_engine_convert_(e, e->candidate[a.first + from],
                                   e->candidate[a.first + to], a.bits,
                                   a.element_bits);
            }
        }
    }
}

/* Private: makes the lists of a constant, which point into another pool, point
 * to the same places of its own pool. */
LL_FN void ll_engine_move_pool_(ll_engine *e, const ll_engine_pool_ *from) {
    if (e->err) {
        return;
    }
    ll_engine_pool_ *to = e->pool;
    e->value = to->value; /* these take the whole array */
    e->op = to->op;
    e->flat = to->flat;
    e->pair = to->pair;
    e->price = to->wide + (e->price - from->wide);
    unsigned **const word[] = {&e->operand, &e->fixed,   &e->flat_next,
                               &e->hint,    &e->use,     &e->candidate,
                               &e->job,     &e->instance};
    for (unsigned k = 0; k < sizeof word / sizeof *word; ++k) {
        *word[k] = *word[k] ? to->word + (*word[k] - from->word) : 0;
    }
}

/* Private: returns a price that was left for later. The price of a conversion
 * has the kind of its plan in the lowest 4 bits. */
LL_FN unsigned long long ll_assign_price_(const ll_engine *e, unsigned k) {
    if (k < e->pairs) {
        ll_engine_pair_ q = e->pair[k];
        ll_engine_price_pair_(e, &q);
        return q.cost << 4 | q.kind;
    }
    const unsigned *job = e->job + 4u * (k - e->pairs);
    const ll_engine_op *o = &e->op[job[1]];
    return ll_engine_times_(o->kind == LL_ENGINE_GATHER
                                ? ll_engine_gathers_(e, o, job[2], job[3])
                                : ll_engine_along_(e, o, job[2]),
                            o->weight);
}

/* Private: collects the result. */
LL_FN ll_assignment ll_assign_result_(const ll_engine *e) {
    ll_assignment a = LL_ZERO;
    if (e->err || !e->found || e->values > LL_ASSIGN_VALUES_) {
        const int large = !e->err || e->err == LL_ENGINE_EARENA;
        a.err = large ? (unsigned)LL_ENGINE_ELARGE : e->err;
        a.character = large ? 0u : e->character;
        return a;
    }
    a.cost = e->found->cost;
    a.conversions = e->found->moves;
    a.n = e->values;
    for (unsigned v = 0; v < e->values; ++v) {
        ll_assigned_value_ *x = &a.value[v];
        x->name = e->value[v].name;
        x->length = e->value[v].length;
        x->rank = e->value[v].rank;
        for (unsigned k = 0; k < x->rank; ++k) {
            x->size[k] = e->value[v].size[k];
        }
        if (e->value[v].in_place &&
            e->op[e->value[v].def].memory != LL_ENGINE_NONE) {
            x->held[0] = e->flat[e->op[e->value[v].def].memory];
            x->n = 1;
        }
        for (unsigned id = ll_engine_held(e, v, 0); id != LL_ENGINE_NONE;
             id = ll_engine_held(e, v, x->n)) {
            x->held[x->n] = e->flat[id]; /* at most three */
            ++x->n;
        }
        for (unsigned k = 0; k < e->found->moves && x->n < 3u; ++k) {
            if (e->found->move[k].value == v) {
                x->held[x->n++] = e->flat[e->found->move[k].to];
            }
        }
    }
    return a;
}

/* Private: returns the value with that name that has a layout k; 0 if there is
 * none. */
LL_FN const ll_assigned_value_ *
ll_assigned_find_(const ll_assignment *a, const char *name, unsigned k) {
    for (unsigned v = 0; v < a->n; ++v) {
        if (k < a->value[v].n && a->value[v].name &&
            ll_engine_is_word_(a->value[v].name, a->value[v].length, name)) {
            return &a->value[v];
        }
    }
    return 0;
}

LL_FN int ll_assigned_has_(ll_assignment a, const char *name, unsigned k) {
    return ll_assigned_find_(&a, name, k) != 0;
}

/* ll_assigned(a, name, k): returns layout k of a value of an assignment. Fails
 * with LL_EMISSING if there is none, and with LL_ENULL if name is null. */
LL_FN ll_layout ll_assigned(ll_assignment a, const char *name, unsigned k) {
    const ll_assigned_value_ *x = ll_assigned_find_(&a, name, k);
    const ll_dim names[] = {LL_REGISTER, LL_LANE, LL_WARP, LL_BLOCK};
    ll_shape in = LL_ZERO;
    ll_shape out = LL_ZERO;
    if (!x) {
        return ll_layout_none_(name ? LL_EMISSING : LL_ENULL);
    }
    const unsigned tile = !x->held[k].n[1]; /* in shared memory */
    in = tile ? ll_shape_add_(in, LL_OFFSET, x->held[k].n[0]) : in;
    for (unsigned d = 0; d < 4u && !tile; ++d) {
        if (d < 3u || x->held[k].n[d]) {
            in = ll_shape_add_(in, names[d], x->held[k].n[d]);
        }
    }
    for (unsigned d = x->rank; d-- > 0;) {
        out = ll_shape_add_(out, ll_axis(d), x->size[d]);
    }
    ll_layout b = ll_zero(in, out);
    for (unsigned j = 0; j < ll_flat_total_(&x->held[k]); ++j) {
        b.basis[j] = x->held[k].basis[j];
    }
    return b;
}

#if LL_CONSTEXPR
/* The arguments of LL_ASSIGN. */
struct ll_assign_ask_ {
    const char *text;
    unsigned warps;
    ll_target target;
    ll_engine_family family;
    ll_engine_sorter sort;
};

/* The engine of a constant, with its lists. Compilers limit the steps of each
 * constant. So each stage is a constant of its own (the graph with its
 * candidates, the prices, the choice), and so is each plan. */
struct ll_assign_stage_ {
    ll_engine e;
    ll_engine_pool_ pool;

    LL_HOST_DEVICE_ constexpr explicit ll_assign_stage_(
        const ll_assign_ask_ &ask)
        : e(), pool() {
        ll_engine_start_(&e, ask.target, ask.warps, 1);
        e.pool = &pool;
        e.family = ask.family;
        e.sort = ask.sort;
        ll_assign_limits_(&e);
        ll_engine_parse(&e, ask.text);
        ll_engine_prepare_(&e);
        ll_assign_pairs_(&e);
    }

    /* The next stage: lists keep their places, in a pool of its own. */
    LL_HOST_DEVICE_ constexpr ll_assign_stage_(const ll_assign_stage_ &from,
                                               const unsigned long long *price)
        : e(from.e), pool(from.pool) {
        e.pool = &pool;
        ll_engine_move_pool_(&e, &from.pool);
        for (unsigned k = 0; k < e.pairs && !e.err; ++k) {
            e.pair[k].cost = price[k] >> 4;
            e.pair[k].kind = (unsigned)(price[k] & 15u);
        }
        for (unsigned k = 0; k < e.jobs && !e.err; ++k) {
            e.price[e.job[4u * k]] = price[e.pairs + k];
        }
        e.priced = 1;
        ll_engine_choose_(&e);
    }
};

template <class ASK_> struct ll_assign_graph_ {
    static constexpr ll_assign_stage_ value{ASK_::get()};
};
template <class ASK_, unsigned K_> struct ll_assign_cost_ {
    static constexpr unsigned long long value =
        ll_assign_price_(&ll_assign_graph_<ASK_>::value.e, K_);
};
#if LL_CPLUSPLUS_ < 201703L
template <class ASK_> constexpr ll_assign_stage_ ll_assign_graph_<ASK_>::value;
template <class ASK_, unsigned K_>
constexpr unsigned long long ll_assign_cost_<ASK_, K_>::value;
#endif

/* Writes N_ prices from FIRST_ on. It recurses by halves, so that templates do
 * not nest deeply. */
template <class ASK_, unsigned FIRST_, unsigned N_> struct ll_assign_fill_ {
    LL_FN void to(unsigned long long *price) {
        ll_assign_fill_<ASK_, FIRST_, N_ / 2u>::to(price);
        ll_assign_fill_<ASK_, FIRST_ + N_ / 2u, N_ - N_ / 2u>::to(price);
    }
};
template <class ASK_, unsigned FIRST_> struct ll_assign_fill_<ASK_, FIRST_, 1> {
    LL_FN void to(unsigned long long *price) {
        price[FIRST_] = ll_assign_cost_<ASK_, FIRST_>::value;
    }
};
template <class ASK_, unsigned FIRST_> struct ll_assign_fill_<ASK_, FIRST_, 0> {
    LL_FN void to(unsigned long long *) {}
};

template <class ASK_> LL_FN ll_assignment ll_assign_() {
    enum : unsigned {
        jobs = ll_assign_graph_<ASK_>::value.e.err
                   ? 0u
                   : ll_assign_graph_<ASK_>::value.e.pairs +
                         ll_assign_graph_<ASK_>::value.e.jobs
    };
    unsigned long long price[jobs + 1u] = LL_ZERO;
    ll_assign_fill_<ASK_, 0, jobs>::to(price);
    const ll_assign_stage_ last(ll_assign_graph_<ASK_>::value, price);
    return ll_assign_result_(&last.e);
}

/* Reports where the graph is wrong. Before C++26 the sentence of an assertion
 * is a literal, so each line of the text has its own. The compiler shows the
 * character in the type. */
#define LL_ASSIGN_LINES_(X)                                                 \
    X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13)    \
    X(14) X(15) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24)       \
    X(25) X(26) X(27) X(28) X(29) X(30) X(31) X(32)
#define LL_ASSIGN_LINE_(n)                                                  \
    LL_END_LINE_                                                            \
    static_assert(LINE_ != n##u, "ll: the graph is wrong at character "     \
                                 "CHARACTER_ of line " #n);
template <unsigned LINE_, unsigned CHARACTER_> struct ll_assign_at_ {
    LL_ASSIGN_LINES_(LL_ASSIGN_LINE_)
    static_assert(LINE_ <= 32u, "ll: the graph is wrong at character "
                                "CHARACTER_ of line LINE_");
    enum : bool { value = true };
};

#if defined(__CUDACC__) && !defined(__clang__) && !defined(__CUDA_ARCH__) &&  \
    !LL_EMULATE
#define LL_NO_ENGINE_ERRORS_(NAME)
#else
#define LL_NO_ENGINE_ERRORS_(NAME)                                          \
    enum : unsigned { NAME##_err_ = ll_value_.err };                        \
    LL_ENGINE_ERRORS(LL_ASSERT_, NAME)                                      \
    static_assert(                                                          \
        ll_assign_at_<                                                      \
            ll_text_place_(NAME##_ask_::get().text, ll_value_.character,    \
                           0),                                              \
            ll_text_place_(NAME##_ask_::get().text, ll_value_.character,    \
                           1)>::value, "");
#endif

#define LL_ASSIGN_ASK_(NAME, text, warps, target, family)                   \
    struct NAME##_ask_ {                                                    \
        LL_CONSTANT_ ll_assign_ask_ get() {                                 \
            return ll_assign_ask_{text, warps, target, family,              \
                                  LL_SORTER_};                       \
        }                                                                   \
    };                                                                      \
    struct NAME##_ll_ {                                                     \
        LL_CONSTANT_ ll_assignment get() {                                  \
            LL_ONCE_ ll_assignment ll_value_ = ll_assign_<NAME##_ask_>();   \
            LL_NO_ENGINE_ERRORS_(NAME)                                      \
            return ll_value_;                                               \
        }                                                                   \
    };                                                                      \
    typedef ll_named_<NAME##_ll_, ll_source_> NAME LL_UNUSED_
#define LL_DECLARE_ASSIGNED_(NAME, FROM, name, k)                           \
    LL_DECLARE_CHECKED_(                                                    \
        NAME, ll_layout,                                                    \
        LL_EXPECT_((ll_value_.err != (unsigned)LL_ETOLD_ ||                 \
                    LL_GET(FROM).err == (unsigned)LL_ETOLD_),               \
                   "ll: " #NAME ": " #FROM                                  \
                   " has no value with this name, or no layout k of it");   \
        , ll_assigned_has_(LL_GET(FROM), name, k)                           \
              ? ll_assigned(LL_GET(FROM), name, k)                          \
              : ll_told_error_<ll_layout>())

#else

/* Private: the same in C, at run time. */
LL_FN ll_assignment ll_assign_(const char *text, unsigned warps, ll_target t,
                               ll_engine_family family,
                               ll_engine_sorter sort) {
    unsigned char memory[1u << 19];
    ll_engine e;
    ll_engine_begin(&e, memory, sizeof memory, t, warps, 1);
    e.family = family;
    e.sort = sort;
    ll_assign_limits_(&e);
    ll_engine_parse(&e, text);
    ll_engine_solve(&e);
    return ll_assign_result_(&e);
}

#define LL_ASSIGN_ASK_(NAME, text, warps, target, family)                   \
    const ll_assignment NAME =                                              \
        ll_assign_(text, warps, target, family, LL_SORTER_)
#define LL_DECLARE_ASSIGNED_(NAME, FROM, name, k)                           \
    const ll_layout NAME = ll_assigned(FROM, name, k)

#endif

/* LL_ASSIGN(NAME, text, warps, target): declares the layouts for a graph of up
 * to about a dozen operations as a constant, for blocks of `warps` warps. The
 * text is as for ll_engine_parse. A bad graph stops the compiler with a
 * sentence that has NAME. A second sentence names the line of the text; beside
 * it the compiler shows the type ll_assign_at_<LINE_, CHARACTER_>. LL_ASSIGN
 * considers at most 4 candidates per value and 2 executions per operation.
 * ll_engine_solve considers 8 and 3, and may find a lower cost. Sorts have a
 * price only with LL_SORTS. LL_GET(NAME).cost is the cost as from
 * ll_engine_cost:
 *
 *     LL_ASSIGN(BEST, "x = load 64x64:32 contiguous=1x64 align=16\n"
 *                     "t = trans x order=1x0\n"
 *                     "store t contiguous=1x64 align=16\n", 4, LL_SM90);
 *     LL_ASSIGNED(MADE, BEST, "t", 0);
 *     LL_ASSIGNED(STORED, BEST, "t", 1);
 *     LL_PLAN(TURN, MADE, STORED, 32, LL_SM90); */
#define LL_ASSIGN(NAME, text, warps, target)                                \
    LL_ASSIGN_ASK_(NAME, text, warps, target, 0)

/* LL_ASSIGN_BY(NAME, text, warps, target, family): the same for a graph with
 * dots that name the instructions of a family, ll_ptx_dot or ll_amd_dot. Dots
 * may sum over k in any order, as in ll_engine_by:
 *
 *     LL_ASSIGN_BY(BEST, "a = load 64x64:16 contiguous=1x64 align=16\n"
 *                        "b = tma_load 64x64:16\n"
 *                        "c = dot a b by=wgmma\n"
 *                        "store c contiguous=1x64 align=16\n", 4, LL_SM90,
 *                  ll_ptx_dot);
 *     LL_ASSIGNED(TILE, BEST, "b", 0); // in shared memory */
#define LL_ASSIGN_BY(NAME, text, warps, target, family)                     \
    LL_ASSIGN_ASK_(NAME, text, warps, target, family)

/* LL_ASSIGNED(LAYOUT, NAME, "x", k): declares layout k of value x of an
 * assignment as a constant, as LL_LAYOUT does. The layouts in which x is made
 * come first, then the layouts to which it is converted. A tile that only dots
 * read, in place, has its layout in shared memory. If there is no layout k, a
 * sentence says so. */
#define LL_ASSIGNED(LAYOUT, NAME, name, k)                                  \
    LL_DECLARE_ASSIGNED_(LAYOUT, NAME, name, k)

#else
#define LL_ASSIGN(NAME, ...) LL_ABSENT_PART_(NAME, "LL_ENGINE")
#define LL_ASSIGN_BY(NAME, ...) LL_ABSENT_PART_(NAME, "LL_ENGINE")
#define LL_ASSIGNED(LAYOUT, ...) LL_ABSENT_LAYOUT_(LAYOUT)
#endif /* LL_ENGINE */

#endif
