/* test_engine_tiles.c - tiles that products read in place, tensor memory, and
 * constants that are unpacked.
 * SPDX-License-Identifier: MIT
 *
 * Which values lie in place is found here once more, from a graph at random,
 * with loops that carry tiles. What lanes store to tensor memory is followed
 * element by element.
 */
#include "engine_graphs.h"

/* ---- Tiles in loops ------------------------------------------------------ */

enum { VALUES = 60, WAYS = 2 };

/* A graph at random, of matrices of 64 x 64, and where its values are. */
static char graph_text[6000];
static unsigned names;

static void line(const char *form, unsigned a, unsigned b, unsigned c) {
    char more[200];
    snprintf(more, sizeof more, form, a, b, c);
    append(graph_text, sizeof graph_text, more);
}

static unsigned any_name(void) { return test_random(names); }

/* A copy, a load, a transposition, a product or something that lanes do. */
static void random_line(void) {
    const unsigned kind = test_random(12);
    if (kind < 3u) {
        line(kind ? "v%u = tma_load 64x64:16\n"
                  : "v%u = local_load 64x64:16\n",
             names, 0, 0);
        ++names;
    } else if (kind < 4u) {
        line("v%u = load 64x64:16\n", names, 0, 0);
        ++names;
    } else if (kind < 6u) {
        line("v%u = trans v%u order=1x0\n", names, any_name(), 0);
        ++names;
    } else if (kind < 11u) {
        line("p%u = dot v%u v%u by=wgmma\n", (unsigned)strlen(graph_text),
             any_name(), any_name());
    } else {
        line("sink v%u\n", any_name(), 0, 0);
    }
}

/* A loop around some lines, which carries two values. */
static void random_loop(void) {
    const unsigned first = names;
    line("loop 4 v%u = v%u, ", names, any_name(), 0);
    line("v%u = v%u\n", names + 1u, any_name(), 0);
    names += 2u;
    for (unsigned k = test_random(5); k > 0; --k) {
        random_line();
    }
    line("yield v%u, v%u -> ", test_random(2) ? any_name() : names - 1u,
         test_random(2) ? first : any_name(), 0);
    line("v%u, v%u\n", names, names + 1u, 0);
    names += 2u;
}

static void random_graph(void) {
    graph_text[0] = '\0';
    names = 1;
    line("v%u = tma_load 64x64:16\n", 0, 0, 0);
    for (unsigned k = 2u + test_random(6); k > 0; --k) {
        test_random(3) ? random_line() : random_loop();
    }
}

/* Whether a value is made of copies alone, through transpositions and around
 * loops. No value may be met both ways round, and no copy another way round
 * than others, since each brings its rows. */
static int is_of_copies(unsigned v) {
    unsigned char met[VALUES][WAYS] = LL_ZERO;
    unsigned copies[WAYS] = LL_ZERO;
    unsigned left = 1;
    unsigned seen = 0;
    met[v][0] = 1;
    while (left) {
        left = 0;
        for (unsigned u = 0; u < engine.values; ++u) {
            for (unsigned way = 0; way < WAYS; ++way) {
                const ll_engine_op *o = &engine.op[engine.value[u].def];
                const int turns = o->kind == LL_ENGINE_TRANS;
                if (met[u][way] != 1u) {
                    continue;
                }
                met[u][way] = 2;
                left = 1;
                ++seen;
                if (o->kind != LL_ENGINE_CARRY && !turns) {
                    if (o->kind != LL_ENGINE_TMA_LOAD &&
                        o->kind != LL_ENGINE_LOCAL_LOAD) {
                        return 0;
                    }
                    ++copies[way];
                    continue;
                }
                for (unsigned i = 0; i < o->n_in; ++i) {
                    unsigned char *next =
                        &met[engine.operand[o->at + i]]
                            [turns ? !way : way];
                    *next = *next ? *next : 1;
                }
            }
        }
        for (unsigned u = 0; u < engine.values; ++u) {
            if (met[u][0] && met[u][1]) {
                return 0;
            }
        }
    }
    return seen <= 16u && !(copies[0] && copies[1]);
}

static int reads[VALUES], in_lanes[VALUES];

/* Whether operand k of product o is read where copies bring it. */
static int is_read(const ll_engine_op *o, unsigned k) {
    return o->kind == LL_ENGINE_DOT && k < 2u &&
           is_of_copies(engine.operand[o->at + k]);
}

/* Which values products read, directly or behind others. */
static void find_read(void) {
    memset(reads, 0, sizeof reads);
    for (unsigned turn = 0; turn < engine.ops; ++turn) {
        for (unsigned p = 0; p < engine.ops; ++p) {
            const ll_engine_op *o = &engine.op[p];
            const unsigned *r = engine.operand + o->at + o->n_in;
            for (unsigned k = 0; k < o->n_in; ++k) {
                const unsigned v = engine.operand[o->at + k];
                const int pair = o->kind == LL_ENGINE_CARRY;
                const int behind =
                    (o->kind == LL_ENGINE_TRANS && reads[r[0]]) ||
                    (pair && (reads[r[0]] || reads[r[1]]));
                reads[v] |= is_read(o, k) || (behind && is_of_copies(r[0]));
            }
        }
    }
}

/* Which values lanes hold: what they use, or what is made beside it. */
static void find_in_lanes(void) {
    memset(in_lanes, 0, sizeof in_lanes);
    for (unsigned turn = 0; turn < 2u * engine.ops; ++turn) {
        for (unsigned p = 0; p < engine.ops; ++p) {
            const ll_engine_op *o = &engine.op[p];
            const unsigned *r = engine.operand + o->at + o->n_in;
            const int pair = o->kind == LL_ENGINE_CARRY;
            const int moves = pair || o->kind == LL_ENGINE_TRANS;
            int lanes = !moves;
            for (unsigned k = 0; k < o->n_out && moves; ++k) {
                const int alone = pair && !engine.value[r[k]].uses;
                in_lanes[r[k]] |= !is_of_copies(r[k]) ||
                                  !(reads[r[k]] || (alone && reads[r[!k]]));
                lanes = lanes || in_lanes[r[k]];
            }
            for (unsigned k = 0; pair && k < 2u; ++k) {
                in_lanes[r[k]] |= lanes;
            }
            for (unsigned k = 0; k < o->n_in; ++k) {
                in_lanes[engine.operand[o->at + k]] |= lanes && !is_read(o, k);
            }
        }
    }
}

static void tiles_lie_where_loops_carry_them(void) {
    unsigned carried = 0;
    unsigned graphs = 0;
    for (unsigned n = 0; n < times(4000); ++n) {
        random_graph();
        begin(4);
        engine.most = 4;
        ll_engine_parse(&engine, graph_text);
        CHECK(!engine.err && engine.values < VALUES);
        ll_engine_list_uses_(&engine);
        ll_engine_find_tiles_(&engine);
        find_read();
        find_in_lanes();
        for (unsigned v = 0; v < engine.values; ++v) {
            const unsigned kind = engine.op[engine.value[v].def].kind;
            const int may = kind == LL_ENGINE_TRANS ||
                            kind == LL_ENGINE_CARRY ||
                            kind == LL_ENGINE_TMA_LOAD ||
                            kind == LL_ENGINE_LOCAL_LOAD;
            const unsigned want = may && !in_lanes[v] &&
                                  (reads[v] || kind == LL_ENGINE_CARRY);
            CHECK(engine.value[v].in_place == want);
            if (engine.value[v].in_place != want && test.here < 3u) {
                printf("%s(value %u)\n", graph_text, v);
            }
            carried += kind == LL_ENGINE_CARRY && want;
        }
        for (unsigned p = 0; p < engine.ops; ++p) {
            const ll_engine_op *o = &engine.op[p];
            for (unsigned k = 0; k < 2u && o->kind == LL_ENGINE_DOT; ++k) {
                CHECK((o->in_place[k] != LL_ENGINE_NONE) == is_read(o, k));
            }
        }
        ++graphs;
    }
    COVERS(carried > 200u && graphs > 100u);
}

/* A product in a loop reads what copies before it and in it have brought, for
 * nothing: as with one tile that is always the same. */
static void carried_tiles_cost_nothing(void) {
    static const char *const parts[] = {
        "loop 8 s = z\nd = dot a b s by=wgmma\nyield d -> c\n",
        "loop 8 t = b, s = z\nn = tma_load 64x64:16\n"
        "d = dot a t s by=wgmma\nyield n, d -> u, c\n",
        "loop 8 t = b, s = z\nn = tma_load 64x64:16\nm = trans n order=1x0\n"
        "w = trans m order=1x0\nd = dot a t s by=wgmma\nyield w, d -> u, c\n"};
    unsigned long long cost = 0;
    for (unsigned n = 0; n < 3u; ++n) {
        char text[1000], why[4000];
        unsigned tuple[8];
        snprintf(text, sizeof text,
                 "a = tma_load 64x64:16\nb = tma_load 64x64:16\n"
                 "z = constant 64x64:32\n%sstore c contiguous=1x64\n",
                 parts[n]);
        begin(4);
        solves(text);
        cost = n ? cost : ll_engine_cost(&engine);
        CHECK(cost && ll_engine_cost(&engine) == cost);
        CHECK(engine.value[value_of("b")].in_place);
        ll_engine_explain(&engine, why, sizeof why);
        CHECK(strstr(why, n == 0   ? "dot d reads b in shared memory, where "
                                     "tma_load b brings it\n"
                          : n == 1 ? "dot d reads t in shared memory, where "
                                     "tma_load b and tma_load n bring it\n"
                                   : "tma_load b and tma_load n bring it\n"));
        for (unsigned p = 0; p < engine.ops; ++p) {
            const unsigned kind = engine.op[p].kind;
            const ll_engine_op *o = &engine.op[p];
            const int tile = kind == LL_ENGINE_TMA_LOAD ||
                             kind == LL_ENGINE_TRANS ||
                             (kind == LL_ENGINE_CARRY &&
                              engine.operand[o->at] == value_of("b"));
            CHECK(!tile || !ll_engine_executed(&engine, p, 0, tuple));
            if (kind != LL_ENGINE_TMA_LOAD) {
                continue;
            }
            /* in another layout, or in none, it is not the product's */
            const unsigned was = o->memory;
            engine.op[p].memory = engine.op[engine.ops - 1u].memory;
            CHECK(ll_engine_check(&engine) == LL_ENGINE_BAD_LAYOUT);
            engine.op[p].memory = was;
            CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
        }
    }
}

/* The way of a tile has at most 16 values; behind more of them a product does
 * not look. */
static void ways_have_a_length(void) {
    for (unsigned n = 1; n < 24u; ++n) {
        names = 1;
        snprintf(graph_text, sizeof graph_text, "v0 = tma_load 64x64:16\n");
        while (names < n) {
            line("v%u = trans v%u order=1x0\n", names, names - 1u, 0);
            ++names;
        }
        line("a = load 64x64:16\nc = dot a v%u by=wgmma\n", n - 1u, 0, 0);
        begin(4);
        parsed(graph_text);
        ll_engine_list_uses_(&engine);
        ll_engine_find_tiles_(&engine);
        for (unsigned v = 0; v < n; ++v) {
            CHECK(engine.value[v].in_place == (n <= 16u));
        }
        CHECK((engine.op[n + 1u].in_place[1] != LL_ENGINE_NONE) == (n <= 16u));
    }
}

/* What is fixed in lanes is held by lanes, whichever operand or result it is,
 * also if the graph was solved before without it. */
static void fixed_tiles_are_held_by_lanes(void) {
    static const char text[] =
        "b = tma_load 64x64:16\na = tma_load 64x64:16\nz = constant 64x64:32\n"
        "loop 2 t = b, s = z\nw = trans t order=1x0\n"
        "x = trans w order=1x0\nd = dot a x s by=wgmma\n"
        "yield t, d -> u, c\nstore c\n";
    static const struct {
        const char *value; /* that has the operation */
        unsigned slots;
    } all[] = {{"b", 1}, {"a", 1}, {"t", 4}, {"w", 2}, {"x", 2}};
    for (unsigned n = 0; n < 10u; ++n) {
        for (unsigned slot = 0; slot < all[n / 2u].slots; ++slot) {
            begin(4);
            parsed(text);
            const unsigned v = value_of(all[n / 2u].value);
            const unsigned op = engine.value[v].def;
            if (n % 2u) {
                CHECK(ll_engine_solve(&engine) && engine.value[v].in_place);
            }
            const unsigned u = engine.operand[engine.op[op].at + slot];
            ll_engine_fix(&engine, op, slot,
                          ll_engine_id(&engine, u,
                                       ll_parse("register: j0 j1 j2 i4 i5 | "
                                                "lane: j3 j4 j5 i0 i1 | warp: "
                                                "i2 i3")));
            ll_engine_solve(&engine);
            is_fine(text);
            for (unsigned k = 0; k < engine.op[op].n_out; ++k) {
                const unsigned r = engine.op[op].at + engine.op[op].n_in + k;
                CHECK(!engine.value[engine.operand[r]].in_place);
            }
        }
    }
}

/* ---- Tensor memory ------------------------------------------------------- */

enum { COLUMNS = 512, GROUP = 128 };

/* What a thread of a layout has in register r, as row and column. */
static void at(const ll_layout *a, unsigned r, unsigned t, unsigned *i,
               unsigned *j) {
    const unsigned y = ll_apply(*a, ll_pack(a->in, LL_REGISTER, r) ^
                                        ll_pack(a->in, LL_LANE, t % 32u) ^
                                        ll_pack(a->in, LL_WARP, t / 32u));
    *i = ll_unpack(a->out, LL_I, y);
    *j = ll_unpack(a->out, LL_J, y);
}

/* tcgen05.st.32x32b by each of the first four warps puts word w of lane l into
 * lane 32 * warp + l and column w. There the scale of row n for the 32 elements
 * k of a block is byte k % 4 in column n / 32 (and, for every fourth k, all
 * columns further), in lane n % 32 of all four groups. */
static void scales_lie_where_products_look(void) {
    static unsigned seen[GROUP][COLUMNS][4];
    for (unsigned n = 0; n < 32u; ++n) {
        const unsigned operand = n % 2u ? (unsigned)LL_ENGINE_SCALE_B
                                        : (unsigned)LL_ENGINE_SCALE_A;
        const unsigned high = n % 2u ? 8u << n / 2u % 4u : 128u << n / 2u % 2u;
        const unsigned k = 1u << n / 8u;
        const unsigned per = k < 4u ? k : 4u;
        const unsigned step = high < 32u ? 1u : high / 32u;
        const int is_b = operand == LL_ENGINE_SCALE_B;
        for (unsigned warps = 4; warps <= 8u; warps *= 2u) {
            const ll_layout a =
                ll_ptx_dot("tcgen05", 7, operand, is_b ? k : high,
                           is_b ? high : k, 8, warps);
            CHECK(!a.err);
            memset(seen, 0xff, sizeof seen);
            const unsigned registers = ll_size(a.in, LL_REGISTER);
            CHECK(registers == k * step);
            for (unsigned t = 0; t < 32u * warps; ++t) {
                for (unsigned r = 0; r < registers; ++r) {
                    unsigned i = 0;
                    unsigned j = 0;
                    at(&a, r, t, &i, &j);
                    seen[t % GROUP][r / per][r % per] =
                        is_b ? j * 64u + i : i * 64u + j;
                }
            }
            for (unsigned x = 0; x < high * k * 4u; ++x) {
                const unsigned row = x / 4u % high;
                const unsigned block = x / 4u / high;
                CHECK(seen[row % 32u + 32u * (x % 4u)]
                          [row / 32u + block / 4u * step][block % 4u] ==
                      row * 64u + block);
            }
        }
    }
    CHECK(ll_ptx_dot("tcgen05", 7, LL_ENGINE_SCALE_A, 64, 4, 8, 4).err ==
          LL_EM);
    CHECK(ll_ptx_dot("tcgen05", 7, LL_ENGINE_SCALE_B, 4, 4, 8, 4).err ==
          LL_EN);
    CHECK(ll_ptx_dot("tcgen05", 7, LL_ENGINE_SCALE_B, 4, 8, 8, 2).err ==
          LL_EWARPS);
    CHECK(ll_ptx_dot("wgmma", 5, LL_ENGINE_SCALE_A, 128, 4, 8, 4).err ==
          LL_EMISSING);
}

/* Row i of A is in lane i, its elements one after another; of more than 128
 * rows, or warps, each group of four warps has rows, or a part of k. */
static void rows_of_a_lie_in_tensor_memory(void) {
    for (unsigned n = 0; n < 24u; ++n) {
        const unsigned rows = 128u << n % 2u;
        const unsigned k = 16u << n / 2u % 3u;
        const unsigned warps = 4u << n / 6u % 2u;
        const unsigned bits = 8u << n / 12u;
        const unsigned groups = warps / 4u;
        const unsigned along = rows > 128u ? k : k / groups; /* of a lane */
        const ll_layout a =
            ll_ptx_dot("tcgen05_ta", 10, LL_ENGINE_A, rows, k, bits, warps);
        CHECK(!a.err);
        CHECK(ll_size(a.in, LL_REGISTER) == rows * k / (32u * warps));
        for (unsigned t = 0; t < 32u * warps; ++t) {
            for (unsigned r = 0; r < ll_size(a.in, LL_REGISTER); ++r) {
                unsigned i = 0;
                unsigned j = 0;
                at(&a, r, t, &i, &j);
                const unsigned group = t / 128u;
                CHECK(i % 128u == t % 128u);
                CHECK(i / 128u == (rows == 128u   ? 0u
                                   : groups == 2u ? group
                                                  : r / along));
                CHECK(j == r % along + (rows == 128u ? group * along : 0u));
            }
        }
    }
    CHECK(ll_ptx_dot("tcgen05_ta", 10, LL_ENGINE_A, 64, 16, 16, 4).err ==
          LL_EM);
    for (unsigned k = LL_ENGINE_A_K; k <= LL_ENGINE_B_MN; ++k) {
        const int is_a = k == LL_ENGINE_A_K || k == LL_ENGINE_A_MN;
        CHECK(ll_ptx_dot("tcgen05_ta", 10, k, 128, 64, 16, 4).err ==
              (is_a ? (unsigned)LL_EMISSING : 0u));
        CHECK(!ll_ptx_dot("tcgen05", 7, k, 128, 64, 16, 4).err);
    }
    CHECK(ll_is_equal(ll_ptx_dot("tcgen05_ta", 10, LL_ENGINE_C, 128, 64, 32, 4),
                      ll_ptx_dot("tcgen05", 7, LL_ENGINE_C, 128, 64, 32, 4)));
}

#define SCALED_BY(by, rows)                                                 \
    "a = load " rows "x128:8\nb = tma_load 128x64:8\ns = load " rows        \
    "x4:8\nt = load 4x64:8\nz = constant " rows "x64:32\n"                  \
    "c = dot_scaled a b s t z by=" by "\nstore c contiguous=1x64 align=16\n"

/* Products with scales: their tiles are read in place or stored, as those of
 * products without, and all else has the layouts of the instructions. */
static void scaled_products_read_tiles(void) {
    static const char plain[] =
        "a = load 128x128:8\nb = tma_load 128x64:8\nz = constant 128x64:32\n"
        "c = dot a b z by=tcgen05\nstore c contiguous=1x64 align=16\n";
    char why[9000];
    unsigned tuple[8];
    unsigned long long price[2];
    for (unsigned n = 0; n < 2u; ++n) {
        begin_on(LL_SM100, 4, 1);
        solves(n ? SCALED_BY("tcgen05", "128") : plain);
        const unsigned p = n ? 5u : 3u;
        CHECK(ll_engine_executed(&engine, p, 0, tuple));
        CHECK(tuple[1] == engine.op[1].memory);
        CHECK(engine.value[1].in_place);
        CHECK(tuple[0] != engine.op[p].place[0][0]); /* lanes store it */
        price[n] = ll_engine_price(&engine, p, tuple);
        for (unsigned k = 2; k < (n ? 6u : 2u); ++k) {
            const unsigned v = engine.operand[engine.op[p].at + k];
            const ll_engine_value *x = &engine.value[v];
            CHECK(ll_is_equal(
                ll_engine_layout(&engine, v, tuple[k]),
                ll_ptx_dot("tcgen05", 7,
                           k < 4u ? k : (unsigned)LL_ENGINE_C,
                           1u << x->size[0], 1u << x->size[1], 32, 4)));
        }
        ll_engine_explain(&engine, why, sizeof why);
        CHECK(strstr(why, n ? "dot_scaled c reads b in shared memory, where "
                              "tma_load b brings it\n"
                            : "dot c reads b in shared memory, where tma_load "
                              "b brings it\n"));
    }
    CHECK(price[0] && price[0] == price[1]);
    begin_on(LL_SM100, 4, 1);
    solves(SCALED_BY("tcgen05_ta", "128"));
    CHECK(ll_engine_executed(&engine, 5, 0, tuple));
    CHECK(ll_is_equal(
        ll_engine_layout(&engine, 0, tuple[0]),
        ll_ptx_dot("tcgen05_ta", 10, LL_ENGINE_A, 128, 128, 8, 4)));
    CHECK(ll_engine_price(&engine, 5, tuple) == 0);
    static const char *const bad[] = {SCALED_BY("tcgen05", "64"),
                                      SCALED_BY("wgmma", "128"),
                                      SCALED_BY("tcgen05_ta", "64")};
    for (unsigned n = 0; n < 3u; ++n) {
        begin_on(LL_SM100, 4, 1);
        CHECK(!ll_engine_parse(&engine, bad[n]));
        CHECK(engine.err == LL_ENGINE_EFAMILY && engine.wrong == 5u);
    }
}

/* ---- Constants that are unpacked ----------------------------------------- */

/* Neighbours along the axis are in registers 2 r and 2 r + 1 of a lane. */
static int has_pairs(const ll_layout *a, unsigned axis) {
    const unsigned n = ll_size(a->in, LL_REGISTER);
    for (unsigned t = 0; t < 128u; ++t) {
        for (unsigned r = 0; r < n; r += 2u) {
            unsigned i[2], j[2];
            at(a, r, t, &i[0], &j[0]);
            at(a, r + 1u, t, &i[1], &j[1]);
            i[0] ^= axis ? 0u : 1u;
            j[0] ^= axis ? 1u : 0u;
            if (i[0] != i[1] || j[0] != j[1]) {
                return 0;
            }
        }
    }
    return n > 1u;
}

/* A value unpacked from a constant has a layout, whatever else uses it. */
static void unpacked_constants_have_layouts(void) {
    static const char *const uses[] = {
        "sink u\n", "m = map u\nsink m\n", "m = map u cost=4\nstore m\n",
        "store u contiguous=1x%u align=16\n",
        "r = reduce u axis=1\nstore r\n",
        "store u in0=\"register: j0 i0 | lane: 0 0 0 0 0 | warp: 0 0\"\n",
        "t = trans u order=1x0\nsink t\n", "w = unpack u axis=0\nsink w\n"};
    for (unsigned n = 0; n < 8u * 2u * 16u; ++n) {
        const unsigned axis = n / 8u % 2u;
        unsigned rows = 1u << n / 16u % 4u;
        unsigned cols = 1u << n / 64u % 4u * 2u;
        char text[400], use[200];
        if (n % 8u == 5u) { /* of the size of its layout */
            rows = axis ? 2u : 1u;
            cols = axis ? 1u : 2u;
        }
        snprintf(use, sizeof use, uses[n % 8u], cols << axis);
        snprintf(text, sizeof text,
                 "c = constant %ux%u:8\nu = unpack c axis=%u\n%s", rows, cols,
                 axis, use);
        begin(4);
        solves(text);
        const unsigned u = value_of("u");
        const unsigned id = ll_engine_held(&engine, u, 0);
        CHECK(id != LL_ENGINE_NONE);
        if (id != LL_ENGINE_NONE) {
            const ll_layout a = ll_engine_layout(&engine, u, id);
            CHECK(has_pairs(&a, axis));
        }
    }
    /* a layout without pairs that the caller fixes is still refused */
    begin(1);
    parsed("c = constant 4x4:8\nu = unpack c axis=1 out0=\"register: i0 j0 | "
           "lane: j1 j2 i1 0 0\"\nsink u\n");
    CHECK(!ll_engine_solve(&engine) && engine.err == LL_ENGINE_EFIT &&
          engine.wrong == 1u);
    /* a layout that is wanted, and has pairs, needs no other one */
    begin(1);
    prepared("c = constant 4x4:8\nu = unpack c axis=1\nstore u in0=\"register: "
             "j0 i0 | lane: j1 j2 i1 0 0\"\n");
    CHECK(engine.value[1].n == 1u);
    begin(1);
    prepared("c = constant 4x4:8\nu = unpack c axis=1\nstore u in0=\"register: "
             "i0 j0 | lane: j1 j2 i1 0 0\"\nstore u in0=\"register: j0 i0 | "
             "lane: j1 j2 i1 0 0\"\n");
    CHECK(engine.value[1].n == 2u);
    /* where nothing is wanted, lanes hold pairs side by side */
    begin(4);
    solves("c = constant 16x16:8\nu = unpack c axis=1\nsink u\n");
    CHECK(ll_is_equal(ll_engine_layout(&engine, 1,
                                       ll_engine_held(&engine, 1, 0)),
                      ll_parse("register: j0 i3 | lane: j1 j2 j3 j4 i0 | warp: "
                               "i1 i2")));
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(tiles_lie_where_loops_carry_them);
    RUN(carried_tiles_cost_nothing);
    RUN(ways_have_a_length);
    RUN(fixed_tiles_are_held_by_lanes);
    RUN(scales_lie_where_products_look);
    RUN(rows_of_a_lie_in_tensor_memory);
    RUN(scaled_products_read_tiles);
    RUN(unpacked_constants_have_layouts);
    return test_end();
}
