/* test_engine_constants.c - constants and conversions in results of the layout
 * engine.
 * SPDX-License-Identifier: MIT
 *
 * The priced conversions are compared with the ones that can be needed.
 */
#include "engine_graphs.h"
#include "engine_said.h"

static const ll_assigned_value_ *named(const ll_assignment *a,
                                       const char *name) {
    for (unsigned v = 0; v < a->n; ++v) {
        if (a->value[v].length == strlen(name) &&
            !strncmp(a->value[v].name, name, strlen(name))) {
            return &a->value[v];
        }
    }
    CHECK(0);
    return &a->value[0];
}

static ll_assignment assigned(const char *text, unsigned warps) {
    begin(warps);
    ll_assign_limits_(&engine);
    ll_engine_parse(&engine, text);
    ll_engine_solve(&engine);
    return ll_assign_result_(&engine);
}

/* Layouts of a constant: those in which a value is made, then those to which it
 * is converted, at most three; of a tile that products read, the one in
 * memory. */
static void constants_list_three_layouts(void) {
    static const char *const more[] = {
        "register: i0 i1 i2 i3 | lane: i4 j0 j1 j2 j3 | warp: j4",
        "register: j0 i1 i2 i3 | lane: i4 i0 j1 j2 j3 | warp: j4",
        "register: j0 j1 i2 i3 | lane: i4 i0 i1 j2 j3 | warp: j4"};
    for (unsigned n = 0; n < 4u; ++n) {
        char text[1000] = "x = source 32x32:32 out0=\"" ROW "\"\n"
                          "sink x in0=\"" ROW "\"\n";
        for (unsigned k = 0; k < n; ++k) {
            append(text, sizeof text, "sink x in0=\"");
            append(text, sizeof text, more[k]);
            append(text, sizeof text, "\"\n");
        }
        const ll_assignment a = assigned(text, 2);
        CHECK(!a.err && a.conversions == n && a.n == 1u);
        CHECK(a.value[0].n == (n < 2u ? n + 1u : 3u));
        for (unsigned k = 0; k < a.value[0].n; ++k) {
            const ll_layout l = ll_assigned(a, "x", k);
            int some = 0;
            for (unsigned j = 0; j < n; ++j) {
                some = some || ll_is_equal(l, ll_parse(more[j]));
            }
            CHECK(k ? some : ll_is_equal(l, ll_parse(ROW)));
            CHECK(k < 2u || !ll_is_equal(l, ll_assigned(a, "x", 1)));
        }
    }
    /* constants that are executed twice, for four users */
    char text[1000] =
        "c = constant 32x32:32\nx = map c\nsink x in0=\"" ROW "\"\n";
    for (unsigned k = 0; k < 3u; ++k) {
        append(text, sizeof text, "sink x in0=\"");
        append(text, sizeof text, more[k]);
        append(text, sizeof text, "\"\n");
    }
    const ll_assignment twice = assigned(text, 2);
    CHECK(!twice.err && named(&twice, "x")->n == 3u && twice.conversions == 2u);
    CHECK(named(&twice, "c")->n == 0);
    /* tiles */
    const ll_assignment t = assigned(
        "a = tma_load 64x64:16\nb = tma_load 64x64:16\nbt = trans b order=1x0\n"
        "c = dot a bt by=wgmma\nl = local_load 64x64:16 "
        "memory=\"offset: j0 j1 j2 j3 j4 j5 i0 i1 i2 i3 i4 i5\"\n"
        "store l\nstore c align=16 contiguous=1x64\n",
        4);
    CHECK(!t.err && named(&t, "a")->n == 1u && named(&t, "b")->n == 1u);
    CHECK(named(&t, "bt")->n == 0);
    const ll_layout a = ll_assigned(t, "a", 0);
    CHECK(a.in.n == 1u && a.in.dim[0] == LL_OFFSET && a.in.bits[0] == 12u);
    const ll_layout l = ll_assigned(t, "l", 0);
    CHECK(l.in.n == 3u && held_bits(&l.in, LL_WARP) == 2u);
}

/* A constant of one warp has no warps, one of 24 values no more than that, and
 * layouts have up to 32 columns. */
static void constants_have_their_limits(void) {
    char text[2000] = "x = load 8x4:32\nsink x in0=\"lane: j0 j1 i0 i1 i2\"\n";
    ll_assignment a = assigned(text, 1);
    ll_layout l = ll_assigned(a, "x", a.value[0].n - 1u);
    CHECK(!a.err && l.in.n == 3u && held_bits(&l.in, LL_LANE) == 5u);
    CHECK(l.in.dim[0] == LL_REGISTER && l.in.dim[2] == LL_WARP);
    CHECK(held_bits(&l.in, LL_REGISTER) == 0);
    append(text, sizeof text, "b = load 1x1x1x1x1x1x1x1x1x1x1x2:32\nstore b\n");
    a = assigned(text, 1);
    CHECK(!a.err && named(&a, "b")->rank == 12u);
    CHECK(named(&a, "b")->size[11] == 1u && named(&a, "b")->size[10] == 0);
    for (unsigned k = 2; k < 24u; ++k) {
        char line[60];
        snprintf(line, sizeof line, "y%u = constant 4:32\n", k);
        append(text, sizeof text, line);
    }
    a = assigned(text, 1);
    CHECK(!a.err && a.n == 24u && a.n == LL_ASSIGN_VALUES_);
    CHECK(ll_assigned(a, "z", 0).err == LL_EMISSING);
    CHECK(ll_assigned(a, "", 0).err == LL_EMISSING);
    CHECK(ll_assigned(a, "y23", 0).err == LL_EMISSING); /* a constant */
    CHECK(!ll_assigned(a, "b", 0).err);
    a = assigned("x = source 16777216:8 out0=\"register: i0 i1 i2 i3 i4 i5 i6 "
                 "i7 i8 i9 i10 i11 i12 i13 i14 i15 i16 i17 i18 i19 i20 i21 i22 "
                 "i23\"\n",
                 8);
    l = ll_assigned(a, "x", 0);
    CHECK(!a.err && bits_in(&l.in) == 32u && held_bits(&l.in, LL_WARP) == 3u);
    for (unsigned k = 0; k < 32u; ++k) {
        CHECK(l.basis[k] == (k < 24u ? 1u << k : 0u));
    }
    /* the work of a compiler is limited */
    ll_assign_limits_(&engine);
    CHECK(engine.most == 4u && engine.sets == 2u);
    CHECK(engine.table == 2048u && engine.nodes == 2000u);
    /* errors of graphs that were read and solved before */
    assigned(text, 1);
    CHECK(engine.found && !engine.err);
    engine.err = LL_ENGINE_EFIT;
    a = ll_assign_result_(&engine);
    CHECK(a.err == LL_ENGINE_EFIT && a.n == 0 && a.cost == 0);
}

/* What is too large for a constant is wrong nowhere in the text; what else is
 * wrong keeps its place. */
static void large_graphs_have_no_place(void) {
    char text[2000] = "";
    for (unsigned k = 0; k < 25u; ++k) {
        char line[60];
        snprintf(line, sizeof line, "y%u = constant 4:32\n", k);
        append(text, sizeof text, line);
    }
    ll_assignment a = assigned(text, 1);
    CHECK(a.err == LL_ENGINE_ELARGE && a.character == 0 && a.n == 0);
    CHECK(engine.character && !engine.err);
    append(text, sizeof text, "?");
    a = assigned(text, 1);
    CHECK(a.err == LL_ENGINE_ETEXT && a.character == strlen(text));
}

/* The layouts in which a value is made, or needed: by any instance. */
static unsigned any_of(unsigned v, int made) {
    unsigned mask = 0;
    for (unsigned p = 0; p < engine.ops; ++p) {
        const ll_engine_op *o = &engine.op[p];
        const unsigned n = o->n_in + o->n_out;
        for (unsigned k = made ? o->n_in : 0; k < (made ? n : o->n_in); ++k) {
            for (unsigned t = 0; t < o->n && engine.operand[o->at + k] == v;
                 ++t) {
                const unsigned c = engine.instance[o->first + t * n + k];
                mask |= c == LL_ENGINE_NONE ? 0u : 1u << c;
            }
        }
    }
    return mask;
}

/* Conversions are priced before a constant is solved: to each layout that may
 * be needed, from each other that may be there. */
static void conversions_that_may_remain_are_priced(void) {
    static const char *const all[] = {
        "x = load 64x64:32 contiguous=1x64 align=16\nt = trans x order=1x0\n"
        "store t contiguous=1x64 align=16\n",
        "c = constant 32x32:32\nx = map c\nsink x in0=\"" ROW "\"\n"
        "sink x in0=\"" COLUMN "\"\ny = load 32x32:32\nz = map x y\n"
        "sink z in0=\"" TILE "\"\nsink y in0=\"" ROW "\"\nsink c\n",
        "x = source 32x32:32 out0=\"" ROW "\"\nloop 3 a = x\n"
        "sink a in0=\"" COLUMN "\"\nb = map a out0=\"" TILE "\"\n"
        "yield b -> c\n"
        "sink c in0=\"" ROW "\"\nsink c in0=\"" COLUMN "\"\n",
        "x = load 32x32:32\nsink x in0=\"" ROW "\"\n",
        "a = load 64x64:16\nb = tma_load 64x64:16\nc = dot a b by=wgmma\n"
        "store c contiguous=1x64\n",
        "x = source 32x32:32 out0=\"" ROW "\"\nsink x in0=\"" COLUMN "\"\n",
        "a = load 16x8:32\nb = load 16x8:32\ny = join a b\n"
        "c, d = split y\nstore c contiguous=16x1\nstore d contiguous=1x8\n"};
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        unsigned expected = 0;
        begin(n == 0 || n == 4u ? 4 : 2);
        ll_assign_limits_(&engine);
        CHECK(ll_engine_parse(&engine, all[n]));
        if (n == 6u) { /* a layout that neither makes nor needs the pairs */
            ll_engine_hint(&engine, 2,
                           ll_engine_id(&engine, 2,
                                        ll_parse("register: j0 j1 | lane: k0 "
                                                 "j2 i0 i1 i2 | warp: i3")));
        }
        ll_engine_prepare_(&engine);
        CHECK(engine.pairs == 0 && !engine.err);
        CHECK(n != 6u || !((any_of(2, 0) | any_of(2, 1)) & 1u));
        ll_assign_pairs_(&engine);
        static unsigned char seen[64][64][8]; /* elements: log2 of their bits */
        memset(seen, 0, sizeof seen);
        for (unsigned v = 0; v < engine.values; ++v) {
            const ll_engine_value *x = &engine.value[v];
            const unsigned need = any_of(v, 0);
            const unsigned there = need | any_of(v, 1);
            for (unsigned k = 0; k < x->n * x->n; ++k) {
                const unsigned a = engine.candidate[x->first + k / x->n];
                const unsigned b = engine.candidate[x->first + k % x->n];
                const unsigned size = ll_log2_(x->element_bits);
                if (a != b && there >> k / x->n & 1u && need >> k % x->n & 1u &&
                    !x->is_free && !seen[a][b][size]) {
                    seen[a][b][size] = 1;
                    ++expected;
                }
            }
        }
        CHECK(engine.flats < 64u && engine.pairs == expected && expected);
        for (unsigned k = 0; k < engine.pairs; ++k) {
            const ll_engine_pair_ *p = &engine.pair[k];
            CHECK(seen[p->a][p->b][ll_log2_(p->element_bits)]);
        }
    }
}

/* As a constant too several values may be reduced at once; without a family
 * there are no instructions. clang++ takes seconds: TEST_BRIEF leaves it out.
 */
#ifndef TEST_BRIEF
static void constants_reduce_several_values(void) {
    LL_ASSIGN(TWO,
              "x = load 64x64:32 contiguous=1x64 align=16\n"
              "y = load 64x64:32 contiguous=1x64 align=16\n"
              "s, t = reduce x y axis=1\nstore s\nstore t\n",
              4, LL_SM90);
    const ll_assignment a =
        assigned("x = load 64x64:32 contiguous=1x64 align=16\n"
                 "y = load 64x64:32 contiguous=1x64 align=16\n"
                 "s, t = reduce x y axis=1\nstore s\nstore t\n",
                 4);
    CHECK(!LL_GET(TWO).err && LL_GET(TWO).cost == a.cost && a.cost);
#if !LL_CONSTEXPR
    LL_ASSIGN(NONE, "x = load 64x64:16\nc = dot x x by=mma\n", 4, LL_SM90);
    CHECK(LL_GET(NONE).err == LL_ENGINE_EFAMILY);
#endif
}
#endif

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(constants_list_three_layouts);
    RUN(constants_have_their_limits);
    RUN(large_graphs_have_no_place);
    RUN(conversions_that_may_remain_are_priced);
#ifndef TEST_BRIEF
    RUN(constants_reduce_several_values);
#endif
    return test_end();
}
