/* test_engine_steps.c - graphs of the layout engine that are solved in steps, as
 * constants.
 * SPDX-License-Identifier: MIT
 */
#include "engine_random.h"

/* A graph in the steps in which a compiler solves it: lists in a pool, prices
 * one by one, then the choice in another pool. */
static ll_engine_pool_ pool[2];

static ll_assignment in_steps(const char *text, unsigned warps,
                              ll_engine_family family) {
    static unsigned long long price[400];
    static const ll_engine_pool_ empty = LL_ZERO;
    ll_engine e = LL_ZERO;
    pool[0] = empty;
    ll_engine_start_(&e, LL_SM90, warps, 1);
    e.pool = &pool[0];
    e.family = family;
    e.sort = ll_sort_cycles;
    ll_assign_limits_(&e);
    ll_engine_parse(&e, text);
    ll_engine_prepare_(&e);
    ll_assign_pairs_(&e);
    const unsigned jobs = e.err ? 0u : e.pairs + e.jobs;
    CHECK(jobs <= 400u);
    for (unsigned k = 0; k < jobs; ++k) {
        price[k] = ll_assign_price_(&e, k);
    }
    ll_engine last = e;
    pool[1] = pool[0];
    last.pool = &pool[1];
    ll_engine_move_pool_(&last, &pool[0]);
    memset(&pool[0], 0xa5, sizeof pool[0]); /* nothing is read there */
    for (unsigned k = 0; k < last.pairs && !last.err; ++k) {
        last.pair[k].cost = price[k] >> 4;
        last.pair[k].kind = (unsigned)(price[k] & 15u);
    }
    for (unsigned k = 0; k < last.jobs && !last.err; ++k) {
        last.price[last.job[4u * k]] = price[last.pairs + k];
    }
    last.priced = 1;
    ll_engine_choose_(&last);
    return ll_assign_result_(&last);
}

/* The same when the program runs. */
static ll_assignment at_once(const char *text, unsigned warps,
                             ll_engine_family family) {
#if LL_CONSTEXPR
    ll_engine_begin(&engine, arena, MEMORY, LL_SM90, warps, 1);
    engine.family = family;
    engine.sort = ll_sort_cycles;
    ll_assign_limits_(&engine);
    ll_engine_parse(&engine, text);
    ll_engine_solve(&engine);
    return ll_assign_result_(&engine);
#else
    return ll_assign_(text, warps, LL_SM90, family, ll_sort_cycles);
#endif
}

static void constants_are_solved_in_steps(void) {
    static const struct {
        const char *text;
        unsigned n; /* of values */
    } all[] = {
        {"x = load 64x64:32 contiguous=1x64 align=16\nt = trans x order=1x0\n"
         "store t contiguous=1x64 align=16\n", 2},
        {"x = load 16x1024:32 contiguous=1x1024 align=16\n"
         "s = reduce x axis=1\nm = map s\nm1 = expand m axis=1\n"
         "mb = broadcast m1 16x1024\nd = map x mb\nv = reduce d axis=1\n"
         "c = scan d axis=1 cost=2\nt = trans c order=1x0\n"
         "store t contiguous=1x16 align=16\nstore v\n", 9},
        {"x = load 32x32:32 contiguous=1x32 align=16\n"
         "i = load 32x32:32 contiguous=32x1 align=16\n"
         "loop 4 a = x\ng = gather a i axis=1\nyield g -> b\n"
         "store b contiguous=1x32\n", 5},
        {"q = load 64x64:16 align=16 contiguous=1x64\n"
         "w = load 64x64:16 align=16 contiguous=1x64\n"
         "wt = trans w order=1x0\nc = dot q wt by=mma\n"
         "store c align=16 contiguous=1x64\n", 4},
        {"a = tma_load 64x64:16\nb = tma_load 64x64:16\nc = dot a b by=wgmma\n"
         "store c align=16 contiguous=1x64\n", 3},
        {"x = load 32x32:32 contiguous=1x32 align=16\ns = sort x axis=1\n"
         "t = sort s axis=0\nstore t contiguous=1x32 align=16\n", 3},
        {"c = constant 32x16:8\nu = unpack c axis=1\nt = sort u axis=0\n"
         "store t contiguous=1x32 align=16\n", 3},
        {"a = tma_load 64x64:16\nb = tma_load 64x64:16\nz = constant 64x64:32"
         "\nloop 8 t = b, s = z\nn = tma_load 64x64:16\n"
         "d = dot a t s by=wgmma\nyield n, d -> u, c\n"
         "store c contiguous=1x64\n", 9},
        {"k = constant 32x32:32\nl = map k\n"
         "store l contiguous=1x32\nstore l contiguous=32x1\nstore k\n", 2}};
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        const ll_assignment a = in_steps(all[n].text, 4, ll_ptx_dot);
        const ll_assignment b = at_once(all[n].text, 4, ll_ptx_dot);
        CHECK(!a.err && !b.err && a.cost && a.cost == b.cost);
        CHECK(a.conversions == b.conversions && a.n == b.n);
        CHECK(a.n == all[n].n && a.character == b.character);
        CHECK(memcmp(a.value, b.value, sizeof a.value) == 0);
        for (unsigned v = 0; v < a.n; ++v) {
            char name[8] = LL_ZERO;
            memcpy(name, a.value[v].name, a.value[v].length);
            for (unsigned k = 0; k < 4u; ++k) {
                const ll_layout l = ll_assigned(a, name, k);
                CHECK((l.err == 0) == (k < a.value[v].n));
                CHECK(ll_assigned_has_(a, name, k) == !l.err);
            }
        }
    }
    CHECK(in_steps("x = load 4:32\ny = map z\n", 4, 0).err ==
          LL_ENGINE_EVALUE);
    CHECK(in_steps("x = load 4:32\ny = map z\n", 4, 0).character == 23u);
    CHECK(at_once("x = load 4:32\ny = map z\n", 4, 0).err ==
          LL_ENGINE_EVALUE);
    char many[1000] = "x = load 4:32\n"; /* more values than are kept */
    for (unsigned k = 0; k < 24u; ++k) {
        snprintf(many + strlen(many), sizeof many - strlen(many),
                 "y%u = map x\n", k);
        const ll_assignment a = at_once(many, 4, 0);
        CHECK(a.err == (k == 23u ? (unsigned)LL_ENGINE_ELARGE : 0u));
        CHECK(a.n == (k == 23u ? 0u : k + 2u));
    }
}

#define SORTED                                                              \
    "x = load 64x32:32 contiguous=1x32 align=16\n"                          \
    "s = sort x axis=1\nt = sort s axis=0\n"                                \
    "store t contiguous=1x32 align=16\n"

/* Constants price sorts. LL_ASSIGN finds the same layouts as the engine at run
 * time, and the cost includes the plans of the sorts. */
static void sorts_are_constants_too(void) {
    LL_ASSIGN(BEST, SORTED, 4, LL_SM90);
    LL_ASSIGNED(S, BEST, "s", 0);
    LL_ASSIGNED(T, BEST, "t", 0);
    const ll_assignment a = at_once(SORTED, 4, 0);
    const ll_assignment b = LL_GET(BEST);
    const ll_layout s = LL_GET(S);
    const ll_layout t = LL_GET(T);
    unsigned long long sum = 0;
    unsigned tuple[4];
    CHECK(!b.err && b.cost == a.cost && b.conversions == a.conversions);
    CHECK(ll_is_equal(s, ll_assigned(a, "s", 0)));
    CHECK(ll_is_equal(t, ll_assigned(a, "t", 0)));
    begin_on(LL_SM90, 4, 1);
    engine.sort = ll_sort_cycles;
    solves(SORTED);
    for (unsigned p = 0; p < engine.ops; ++p) {
        CHECK(ll_engine_executed(&engine, p, 0, tuple));
        sum += p == 1u || p == 2u ? 0u : ll_engine_price(&engine, p, tuple);
    }
    for (unsigned k = 0; k < ll_engine_moves(&engine); ++k) {
        sum += ll_engine_move_at(&engine, k).cost;
    }
    sum += 8ull * ll_sort_of(s, LL_J, 32, LL_SM90).cycles;
    sum += 8ull * ll_sort_of(t, LL_I, 32, LL_SM90).cycles;
    CHECK(ll_engine_cost(&engine) == sum && sum <= b.cost);
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(constants_are_solved_in_steps);
    RUN(sorts_are_constants_too);
    return test_end();
}
