/* test_engine_lists.c - lists and sets of the layout engine, and their room.
 * SPDX-License-Identifier: MIT
 *
 * Each list has the room that it asks for, and no operation takes another's.
 */
#include "engine_graphs.h"

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

/* An operation has layouts for its own operands alone. The entry after them in
 * a tuple is not written, and does not count. */
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

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(one_set_serves_all_users);
    RUN(lists_of_operands_are_not_overrun);
    RUN(sets_of_layouts_have_a_size);
    RUN(lists_have_the_room_that_is_asked_for);
    RUN(lone_lists_fill_their_array);
    RUN(operations_have_their_own_operands);
    RUN(operands_join_each_other);
    RUN(empty_graphs_write_nowhere);
    return test_end();
}
