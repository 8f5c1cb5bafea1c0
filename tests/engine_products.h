/* engine_products.h - the tests of test_engine.c whose graphs have products,
 * stores and sorts of a known cost.
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_ENGINE_PRODUCTS_H
#define TEST_ENGINE_PRODUCTS_H

#include "engine_search.h"

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

/* A scaled product, too, has the layouts of its instructions. */
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

/* A tile that several operands read is stored once, also if some read the
 * transpose. What two products read as a is cheaper in registers. Each store is four of 16 bytes a lane, each of four
 * wavefronts, and a barrier. */
static void tiles_are_stored_once(void) {
    static const struct {
        const char *text;
        unsigned stores;
    } all[] = {
        {"c = dot x xt by=wgmma\n", 1},
        {"c = dot xt x by=wgmma\n", 1},
        {"c = dot x x by=wgmma\n", 1},
        {"c = dot xt xtt by=wgmma\n", 1},
        {"c = dot x y by=wgmma\n", 2},
        {"c = dot y x by=wgmma\nd = dot y xt by=wgmma\n", 1},
        {"c = dot z x by=wgmma\nd = dot y xt by=wgmma\n", 3},
        {"c = dot z x by=wgmma\nd = dot xt y by=wgmma\n", 3},
        {"c = dot x y by=wgmma\nd = dot x z by=wgmma\n", 2},
        {"c = dot x y by=wgmma\nd = dot z y by=wgmma\n"
         "f = dot y x by=wgmma\ng = dot x xt by=wgmma\n", 4},
        {"loop 8\nc = dot x xt by=wgmma\nyield\n", 1},
        {"loop 8\nw = load 64x64:16 contiguous=1x64 align=16\n"
         "wt = trans w order=1x0\nc = dot w wt by=wgmma\nyield\n", 8},
        {"loop 8\nc = dot xt y by=wgmma\nyield\nd = dot z y by=wgmma\n", 3}};
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        char text[1000];
        unsigned long long sum = 0;
        snprintf(text, sizeof text,
                 "x = load 64x64:16 contiguous=1x64 align=16\n"
                 "xt = trans x order=1x0\nxtt = trans xt order=1x0\n"
                 "y = load 64x64:16 contiguous=1x64 align=16\n"
                 "z = load 64x64:16 contiguous=1x64 align=16\n%s",
                 all[n].text);
        ask(text, 4, LL_SM90);
        for (unsigned p = 0; p < engine.ops; ++p) {
            unsigned tuple[8];
            sum += engine.op[p].kind == LL_ENGINE_DOT &&
                           ll_engine_executed(&engine, p, 0, tuple)
                       ? ll_engine_price(&engine, p, tuple) *
                             engine.op[p].weight
                       : 0u;
        }
        CHECK(sum == all[n].stores * (16u * LL_SM90.cost[LL_COST_MEMORY] +
                                      LL_SM90.cost[LL_COST_BLOCK]));
    }
    /* wgmma takes 32-bit tiles with k contiguous alone */
    ask("x = load 64x64:32 contiguous=1x64 align=16\nc = dot x x by=wgmma\n",
        4, LL_SM90);
    CHECK(!engine.op[1].shares[0] && !engine.op[1].shares[1]);
    ask("x = load 64x64:32 contiguous=1x64 align=16\nt = trans x order=1x0\n"
        "c = dot x t by=wgmma\n", 4, LL_SM90);
    CHECK(engine.op[2].shares[0] && !engine.op[2].shares[1]);
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

#endif
