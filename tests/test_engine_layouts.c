/* test_engine_layouts.c - layouts and memory in graphs of the layout engine.
 * SPDX-License-Identifier: MIT
 *
 * Layouts are compared with the elements that each thread holds.
 */
#include "engine_random.h"

/* ---- Layouts ------------------------------------------------------------ */

/* A layout of a graph of 32 lanes and `warps` warps holds every element. */
static void layouts_hold_every_element(void) {
    unsigned good = 0;
    for (unsigned n = 0; n < 8000u; ++n) {
        ll_engine_flat f = LL_ZERO;
        sizes a = LL_ZERO;
        unsigned char has[64] = LL_ZERO;
        begin_80(2);
        a.rank = 1;
        a.at[0] = test_random(5);
        const unsigned v = source(&a, 32);
        f.n[0] = (unsigned char)test_random(4);
        f.n[1] = (unsigned char)(test_random(20) ? 5u : 4u + test_random(3));
        f.n[2] = (unsigned char)(test_random(20) ? 1u : test_random(3));
        f.n[3] = (unsigned char)(test_random(20) == 0);
        const unsigned bits = (unsigned)f.n[0] + f.n[1] + f.n[2] + f.n[3];
        for (unsigned k = 0; k < bits; ++k) {
            f.basis[k] = test_random(3) ? 1u << test_random(a.at[0] + 1u) >> 1
                         : test_random(9) ? test_random(1u << a.at[0])
                                          : 1u << a.at[0];
        }
        int ok = f.n[1] == 5u && f.n[2] == 1u && f.n[3] == 0u;
        unsigned held = 0;
        for (unsigned x = 0; x < 1u << bits; ++x) {
            unsigned y = 0;
            for (unsigned k = 0; k < bits; ++k) {
                y ^= x >> k & 1u ? f.basis[k] : 0u;
            }
            ok = ok && y < 1u << a.at[0];
            held += y < 64u && !has[y];
            has[y < 64u ? y : 0u] = 1;
        }
        ok = ok && held == 1u << a.at[0];
        const unsigned id = ll_engine_flat_id(&engine, v, f);
        CHECK(engine.err == (ok ? (unsigned)LL_ENGINE_OK
                                : (unsigned)LL_ENGINE_ELAYOUT));
        CHECK(ok ? id < engine.flats : id == LL_ENGINE_NONE);
        if (!ok) {
            CHECK(engine.wrong == 0u);
            continue;
        }
        ++good;
        /* registers without a column are gone, the others stay in order */
        const ll_engine_flat *g = &engine.flat[id];
        unsigned to = 0;
        unsigned registers = 0;
        for (unsigned k = 0; k < bits; ++k) {
            if (k >= f.n[0] || f.basis[k]) {
                CHECK(g->basis[to] == f.basis[k]);
                ++to;
                registers += k < f.n[0];
            }
        }
        CHECK(g->n[0] == registers && g->n[1] == 5u && g->n[2] == 1u);
        CHECK(g->n[3] == 0u);
        /* the same layout has the same number, another one another */
        CHECK(ll_engine_flat_id(&engine, v, f) == id);
        CHECK(ll_engine_flat_id(&engine, v, *g) == id);
        ll_engine_flat h = f;
        for (unsigned k = 0; k + 1u < bits; ++k) {
            h.basis[k] = f.basis[k + 1u];
            h.basis[k + 1u] = f.basis[k];
            const int same =
                f.basis[k] == f.basis[k + 1u] ||
                (k + 1u < f.n[0] && !(f.basis[k] && f.basis[k + 1u]));
            CHECK((ll_engine_flat_id(&engine, v, h) == id) == same);
            h = f;
        }
        CHECK(ll_engine_flat_id(&engine, v + 1u, f) == LL_ENGINE_NONE);
        CHECK(engine.err == LL_ENGINE_ELAYOUT);
        CHECK(engine.wrong == LL_ENGINE_NONE);
    }
    COVERS(good > 800u);
}

/* A layout in words is the flat one that holds the same elements: axes may
 * come in any order, and threads that it does not name hold copies. */
static void layouts_in_words_are_flat(void) {
    static const struct {
        const char *text;
        unsigned n[3];
        unsigned basis[9];
    } all[] = {
        {"register: j0 i0 | lane: j1 i1 i2 0 0 | warp: i3",
         {2, 5, 1}, {1, 4, 2, 8, 16, 0, 0, 32}},
        {"lane: j1 i1 i2 i3 i0 | warp: j0", {0, 5, 1}, {2, 8, 16, 32, 4, 1}},
        {"register: j0 i0 0 i3 | lane: j1 i1 i2",
         {3, 5, 1}, {1, 4, 32, 2, 8, 16, 0, 0, 0}},
        {"warp: i3 | lane: j0 j1 i0 i1 i2", {0, 5, 1}, {1, 2, 4, 8, 16, 32}},
        {"register: j0^i0 j1 i1 | lane: i0 i2 i3 0 0 | warp: i3",
         {3, 5, 1}, {5, 2, 8, 4, 16, 32, 0, 0, 32}}};
    static const char *const bad[] = {
        "register: j0 i0 | lane: j1 i1 i2 0 0 | warp: 0",
        "register: j0 i0 | lane: j1 i1 i2 i3 0 0 | warp: 0",
        "register: j0 i0 | lane: j1 i1 i2 i3 0 | warp: 0 0",
        "register: j0 i0 | lane: j1 i1 i2 i3 0 | warp: 0 | block: 0",
        "register: j0 i0 j2 | lane: j1 i1 i2 i3 0 | warp: 0",
        "register: j0 i0 k0 | lane: j1 i1 i2 i3 0 | warp: 0",
        "offset: j0 i0 j1 i1 i2 i3", "nothing"};
    sizes a = LL_ZERO;
    a.rank = 2;
    a.at[0] = 4;
    a.at[1] = 2;
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        begin_80(2);
        const unsigned v = source(&a, 32);
        const unsigned id = ll_engine_id(&engine, v, ll_parse(all[n].text));
        CHECK(!engine.err && id < engine.flats);
        unsigned k = 0;
        for (unsigned d = 0; d < 3u; ++d) {
            CHECK(engine.flat[id].n[d] == all[n].n[d]);
            k += all[n].n[d];
        }
        CHECK(engine.flat[id].n[3] == 0u);
        while (k-- > 0) {
            CHECK(engine.flat[id].basis[k] == all[n].basis[k]);
        }
        /* and back: the same element everywhere */
        const ll_layout b = ll_engine_layout(&engine, v, id);
        CHECK(!b.err && bits_in(&b.out) == 6u && held_bits(&b.out, LL_I) == 4u);
        CHECK(held_bits(&b.in, LL_LANE) == 5u && b.in.n == 3u);
        for (k = 0; k < (unsigned)all[n].n[0] + 6u; ++k) {
            CHECK(value(&b, 1u << k) == all[n].basis[k]);
        }
    }
    for (unsigned n = 0; n < sizeof bad / sizeof *bad; ++n) {
        begin_80(2);
        const unsigned v = source(&a, 32);
        CHECK(ll_engine_id(&engine, v, ll_parse(bad[n])) == LL_ENGINE_NONE);
        CHECK(engine.err == LL_ENGINE_ELAYOUT && engine.wrong == 0u);
    }
    ll_layout off = ll_parse(all[0].text);
    off.offset = 1;
    begin_80(2);
    source(&a, 32);
    CHECK(ll_engine_id(&engine, 1, ll_parse(all[0].text)) == LL_ENGINE_NONE);
    CHECK(engine.err == LL_ENGINE_EVALUE);
    begin_80(2);
    source(&a, 32);
    CHECK(ll_engine_id(&engine, 0, off) == LL_ENGINE_NONE);
    CHECK(engine.err == LL_ENGINE_ELAYOUT);
    char said[400];
    ll_engine_error(&engine, said, sizeof said);
    CHECK(strstr(said, "have no constant (1: ..)"));
    /* in clusters threads of blocks hold parts as well */
    ll_engine_begin(&engine, arena, MEMORY, LL_SM90, 2, 4);
    source(&a, 32);
    const unsigned id = ll_engine_id(
        &engine, 0, ll_parse("lane: j0 j1 i0 i1 0 | warp: i2 | block: i3"));
    CHECK(!engine.err && engine.flat[id].n[3] == 2u);
    const ll_layout b = ll_engine_layout(&engine, 0, id);
    CHECK(held_bits(&b.in, LL_BLOCK) == 2u);
    CHECK(value(&b, 64) == 32u && value(&b, 128) == 0u);
}

/* What is fixed: operands and results that are there, to layouts that are. */
static void only_what_is_there_is_fixed(void) {
    for (unsigned n = 0; n < 6u; ++n) {
        sizes a = LL_ZERO;
        a.rank = 1;
        a.at[0] = 1;
        begin_80(2);
        unsigned v = source(&a, 32);
        ll_engine_spec s = LL_ZERO;
        s.kind = LL_ENGINE_MAP;
        s.n_in = 1;
        s.in = &v;
        const unsigned op = ll_engine_add(&engine, s);
        const unsigned id = ll_engine_id(&engine, v, ll_parse("lane: i0"));
        ll_engine_fix(&engine, op + (n == 1u), n == 2u ? 2u : n == 3u,
                      id + (n == 4u));
        const unsigned bad = n == 1u || n == 2u || n == 4u;
        CHECK(engine.err == (bad ? (unsigned)LL_ENGINE_ELAYOUT : 0u));
        const unsigned at = engine.op[op].at;
        CHECK((engine.fixed[at] == id) == (!bad && n != 3u));
        CHECK((engine.fixed[at + 1u] == id) == (n == 3u));
    }
}

/* Targets have at most 64 lanes, blocks 1024 threads, clusters 32 blocks. */
static void graphs_have_a_target(void) {
    for (unsigned n = 0; n < 140u; ++n) {
        for (unsigned k = 0; k < 3u; ++k) {
            const unsigned count = n;
            unsigned most = k ? 32u : 64u;
            ll_target t = LL_SM80;
            t.lanes = k == 0 ? count : 32u;
            ll_engine_begin(&engine, arena, MEMORY, t, k == 1u ? count : 4u,
                            k == 2u ? count : 1u);
            int ok = 0;
            for (; most; most /= 2u) {
                ok = ok || count == most;
            }
            CHECK(engine.err == (ok ? (unsigned)LL_ENGINE_OK
                                    : (unsigned)LL_ENGINE_ETARGET));
            CHECK(engine.wrong == LL_ENGINE_NONE);
        }
    }
    ll_target t = LL_SM80;
    t.err = 1;
    ll_engine_begin(&engine, arena, MEMORY, t, 4, 1);
    CHECK(engine.err == LL_ENGINE_ETARGET);
}

/* Nothing is written behind the memory, wherever it begins, and what is taken
 * is aligned and zero. */
static void memory_is_kept(void) {
    unsigned enough = 0;
    for (unsigned n = 0; n < 400u; ++n) {
        const unsigned skip = n % 17u;
        const unsigned bytes = 40u * n;
        memset(arena, 0xa5, sizeof arena);
        ll_engine_begin(&engine, arena + skip, bytes, LL_SM80, 2, 1);
        CHECK(((size_t)(engine.memory - arena) & 15u) ==
              ((0u - (size_t)arena) & 15u));
        CHECK(engine.memory - (arena + skip) < 16);
        const int ok = ll_engine_parse(&engine, "x = load 4:32\ny = map x\n");
        CHECK(ok || engine.err == LL_ENGINE_EARENA);
        CHECK(engine.used <= engine.bytes);
        CHECK(engine.memory + engine.bytes <= arena + skip + bytes ||
              engine.bytes == 0);
        for (unsigned k = 0; k < skip; ++k) {
            CHECK(arena[k] == 0xa5u);
        }
        for (unsigned k = skip + bytes; k < skip + bytes + 4096u; ++k) {
            CHECK(arena[k] == 0xa5u);
        }
        enough += (unsigned)ok;
        if (ok) { /* exactly what is left can be taken, and no more */
            const unsigned long long left = engine.bytes - engine.used;
            const unsigned long long words = left / 16u * 4u;
            unsigned *w = ll_engine_take_word_(&engine, words);
            CHECK(w && engine.used <= engine.bytes && !engine.err);
            CHECK(engine.bytes - engine.used < 16u);
            CHECK(words == 0 || (w[0] == 0 && w[words - 1u] == 0));
            CHECK(!ll_engine_take_word_(&engine, 4) &&
                  engine.err == LL_ENGINE_EARENA);
        }
    }
    CHECK(enough > 50u && enough < 390u);
}

/* ---- Candidates --------------------------------------------------------- */

/* Of a layout that another operand, or the caller, contradicts no operation
 * is executed. */
static void layouts_that_disagree_are_illegal(void) {
    unsigned refused = 0;
    unsigned taken = 0;
    for (unsigned n = 0; n < 40u; ++n) {
        random_text(8, 4);
        begin_80(2);
        CHECK(ll_engine_parse(&engine, graph_text) && ll_engine_solve(&engine));
        for (unsigned p = 0; p < engine.ops; ++p) {
            const ll_engine_op *o = &engine.op[p];
            const unsigned slots = o->n_in + o->n_out;
            int constant = 0;
            for (unsigned k = 0; k < slots; ++k) {
                constant = constant ||
                           engine.value[engine.operand[o->at + k]].is_free;
            }
            for (unsigned t = 0; t < o->n && !constant; ++t) {
                unsigned tuple[8];
                ll_engine_numbers_(&engine, p, t, tuple);
                CHECK(ll_engine_is_legal_(&engine, p, tuple));
                for (unsigned k = 0; k < slots; ++k) {
                    const unsigned was = tuple[k];
                    for (unsigned id = 0; id < engine.flats; ++id) {
                        const int any =
                            slots == 1u &&
                            engine.fixed[o->at] == LL_ENGINE_NONE;
                        tuple[k] = id;
                        CHECK(ll_engine_is_legal_(&engine, p, tuple) ==
                              (id == was || any));
                        refused += id != was && !any;
                        taken += id != was && any;
                    }
                    tuple[k] = was;
                }
            }
        }
    }
    COVERS(refused > 1000u && taken > 100u);
}

/* ---- The order of k ----------------------------------------------------- */

/* With any amount of memory nothing is written behind it, whatever was in it
 * before, and there is the same result or the error. */
static void nothing_is_written_behind_the_memory(void) {
    static const char *const all[] = {
        "x = load 16x8:32\ny = map x\nstore y\nstore y\n",
        "c = constant 8x8:32\nx = map c\nt = trans x order=1x0\nstore t\n"
        "store x\n"};
    unsigned enough = 0;
    for (unsigned n = 0; n < 2u; ++n) {
        unsigned long long cost = 0;
        unsigned bytes = MEMORY / 2u;
        unsigned step = 0;
        while (bytes) {
            memset(arena, n ? 0xa5 : 0xff, sizeof arena / 8u);
            memset(arena + bytes, 0x5a, 4096);
            ll_engine_begin(&engine, arena, bytes, LL_SM80, 2, 1);
            engine.most = 2;
            engine.table = n ? 2u : 0u;
            const int ok = ll_engine_parse(&engine, all[n]) &&
                           ll_engine_solve(&engine);
            CHECK(ok || (engine.err == LL_ENGINE_EARENA && step));
            if (ok) {
                cost = step ? cost : ll_engine_cost(&engine);
                CHECK(ll_engine_cost(&engine) == cost && cost);
                const unsigned bad = ll_engine_check(&engine);
                CHECK(bad == LL_ENGINE_PROVEN ||
                      (bad == LL_ENGINE_BAD_MEMORY && step));
                ++enough;
            }
            for (unsigned k = 0; k < 4096u; ++k) {
                if (arena[bytes + k] != 0x5au) {
                    CHECK(0);
                    break;
                }
            }
            /* from a little more than is needed on down, each size */
            bytes = step ? bytes : (unsigned)engine.used * 2u + 256u;
            bytes &= ~15u;
            step = 16;
            bytes = bytes < step ? 0u : bytes - step;
        }
    }
    COVERS(enough > 20u);
}

/* A value carried by a loop that begins elsewhere reads as a loop. */
static void values_carried_elsewhere_have_a_loop(void) {
    static const char *const want[] = {
        "x = load 8:32\ny = map x 8:32\nloop 4 v2 = x\nyield y -> v3\n"
        "v4 = map v2 8:32\n",
        "x = load 8:32\ny = map x 8:32\nloop 4 v2 = x\nyield y -> v3\n"
        "loop 2\nv4 = map v2 8:32\nyield\n",
        "x = load 8:32\ny = map x 8:32\nloop 4 v2 = x\nv4 = map v2 8:32\n"
        "yield y -> v3\n",
        "x = load 8:32\ny = map x 8:32\nloop 4 v2 = x\nyield y -> v3\n"};
    for (unsigned n = 0; n < sizeof want / sizeof *want; ++n) {
        char once[400], again[400];
        ll_engine_spec s = LL_ZERO;
        begin(2);
        parsed("x = load 8:32\ny = map x\n");
        const unsigned op = ll_engine_carry(&engine, 0, 4);
        const unsigned inside = ll_engine_result(&engine, op, 0);
        ll_engine_yield(&engine, op, 1);
        if (n == 1u || n == 2u) {
            ll_engine_loop(&engine, 2u * n);
        }
        s.kind = LL_ENGINE_MAP;
        s.cost = 8;
        s.n_in = 1;
        s.in = &inside;
        if (n < 3u) {
            ll_engine_add(&engine, s);
        }
        if (n == 1u || n == 2u) {
            ll_engine_loop(&engine, 0);
        }
        ll_engine_print(&engine, once, sizeof once);
        CHECK(!engine.err && !strcmp(once, want[n]));
        begin(2);
        parsed(once);
        ll_engine_print(&engine, again, sizeof again);
        CHECK(!strcmp(once, again));
    }
}

/* An operation without layouts is told why: a lane would hold more than 2^12
 * elements on its bigger side, in one of the layouts of any of its values; or
 * nothing obeys its rule and what is fixed. */
static void the_widest_layout_is_the_reason(void) {
    static const char text[] =
        "x = source 2048:8 out0=\"register: i0 i1 i2 i3 i4 i5 i6 i7 i8 i9 "
        "i10\"\nw = source 2048:8 out0=\"register: i0 i1 i2 i3 i4 i5 i6 i7 i8 "
        "i9 i10\"\ny = join x w\n"
        "q = source 8192:8 out0=\"register: i0 i1 i2 i3 i4 i5 i6 i7 i8 i9 i10 "
        "i11 i12\"\n";
    begin(1);
    prepared(text);
    const ll_engine_op *o = &engine.op[2];
    const unsigned wide = engine.candidate[engine.value[3].first];
    CHECK(engine.flat[wide].n[0] == 13u);
    CHECK(ll_engine_unfit_(&engine, o) == LL_ENGINE_EFIT);
    for (unsigned v = 0; v < 3u; ++v) {
        ll_engine_value *x = &engine.value[v];
        CHECK(x->n < LL_ENGINE_MOST);
        engine.candidate[x->first + x->n] = wide;
        CHECK(ll_engine_unfit_(&engine, o) == LL_ENGINE_EFIT);
        ++x->n;
        CHECK(ll_engine_unfit_(&engine, o) == LL_ENGINE_EWIDE);
        --x->n;
    }
    engine.dropped[1] = 1;
    CHECK(ll_engine_unfit_(&engine, o) == LL_ENGINE_EREGISTERS);
    begin(1); /* one element more than there may be */
    parsed("x = source 4096:8 out0=\"register: i0 i1 i2 i3 i4 i5 i6 i7 i8 i9 "
           "i10 i11\"\ny = join x x\n");
    CHECK(!ll_engine_solve(&engine));
    CHECK(engine.err == LL_ENGINE_EWIDE && engine.wrong == 1u);
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(layouts_hold_every_element);
    RUN(layouts_in_words_are_flat);
    RUN(only_what_is_there_is_fixed);
    RUN(graphs_have_a_target);
    RUN(memory_is_kept);
    RUN(layouts_that_disagree_are_illegal);
    RUN(nothing_is_written_behind_the_memory);
    RUN(values_carried_elsewhere_have_a_loop);
    RUN(the_widest_layout_is_the_reason);
    return test_end();
}
