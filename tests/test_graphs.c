/* test_graphs.c - graphs of the layout engine beside the usual: loops apart
 * from what they carry, products that read one operand in shared memory, and
 * the smallest scales.
 * SPDX-License-Identifier: MIT
 */
#include "engine_graphs.h"

/* ---- What stands apart from its loop ------------------------------------- */

static unsigned mapped(unsigned v) {
    ll_engine_spec s = LL_ZERO;
    s.kind = LL_ENGINE_MAP;
    s.n_in = 1;
    s.in = &v;
    return ll_engine_result(&engine, ll_engine_add(&engine, s), 0);
}

/* Carried values whose loops run so often as the digits of `carries` say, then
 * a loop of `trips` around one operation for each of them. */
static void carried(const char *carries, unsigned trips) {
    const unsigned n = (unsigned)strlen(carries);
    unsigned op[4] = LL_ZERO;
    begin(2);
    parsed("x = load 4:32\n");
    for (unsigned k = 0; k < n; ++k) {
        op[k] = ll_engine_carry(&engine, 0, (unsigned)(carries[k] - '0'));
    }
    ll_engine_loop(&engine, trips);
    for (unsigned k = 0; k < n; ++k) {
        mapped(ll_engine_result(&engine, op[k], 0));
    }
    ll_engine_loop(&engine, 0);
    for (unsigned k = 0; k < n; ++k) {
        mapped(ll_engine_result(&engine, op[k], 1));
    }
    CHECK(!engine.err);
}

static unsigned times_of(const char *text, const char *word) {
    unsigned n = 0;
    for (const char *at = text; (at = strstr(at, word)) != NULL; ++at) {
        ++n;
    }
    return n;
}

/* A printed loop carries the values right before it that have its trip count.
 * Each other carried value is printed as a loop of its own. The text, parsed
 * and printed again, is the same. */
static void loops_carry_what_is_right_before_them(void) {
    static const struct {
        const char *carries;
        unsigned trips, with_loop; /* values that the loop carries */
    } all[] = {{"4", 4, 1},    {"4", 2, 0},   {"44", 4, 2},  {"24", 4, 1},
               {"42", 4, 0},   {"424", 4, 1}, {"244", 4, 2}, {"442", 2, 1},
               {"4242", 2, 1}, {"2442", 4, 0}};
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        char text[2000], again[2000], kept[2000], head[20];
        carried(all[n].carries, all[n].trips);
        const unsigned apart =
            (unsigned)strlen(all[n].carries) - all[n].with_loop;
        const unsigned ops = engine.ops, values = engine.values;
        CHECK(ll_engine_print(&engine, text, sizeof text) < sizeof text);
        CHECK(times_of(text, "loop ") == apart + 1u);
        snprintf(head, sizeof head, "loop %u", all[n].trips);
        const char *line = strstr(text, head);
        for (const char *next = line;
             next && (next = strstr(next, "loop ")) != NULL; ++next) {
            line = next; /* behind those of their own */
        }
        CHECK(line && strncmp(line, head, strlen(head)) == 0);
        if (line) {
            const size_t length = strcspn(line, "\n");
            memcpy(kept, line, length);
            kept[length] = '\0';
            CHECK(times_of(kept, " = ") == all[n].with_loop);
        }
        begin(2);
        parsed(text);
        CHECK(engine.ops == ops + 2u * apart && engine.values == values);
        ll_engine_print(&engine, again, sizeof again);
        CHECK(strcmp(text, again) == 0);
    }
}

/* Of a graph that lay in the memory before, nothing counts. */
static void loops_of_another_graph_carry_nothing(void) {
    for (unsigned n = 0; n < 80u; ++n) {
        char text[4000];
        begin(2);
        parsed("x = load 4:32\n");
        for (unsigned k = 0; k < n / 2u; ++k) {
            mapped(0);
        }
        ll_engine_carry(&engine, 0, 4);
        if (n % 2u == 0) { /* the next graph is the same up to here */
            ll_engine_loop(&engine, 4);
            ll_engine_loop(&engine, 0);
        }
        CHECK(ll_engine_print(&engine, text, sizeof text) < sizeof text);
        CHECK(times_of(text, "loop 4") == 1u);
    }
}

/* ---- One operand in shared memory ---------------------------------------- */

/* The instructions of a machine that reads one operand in shared memory, A or B
 * as the last letter says, in rows, and all others in registers. */
static ll_layout of_one(const char *name, unsigned n, unsigned operand,
                        unsigned rows, unsigned cols, unsigned bits,
                        unsigned warps) {
    const unsigned side = name[n - 1u] == 'a' ? LL_ENGINE_A : LL_ENGINE_B;
    const unsigned tile = side == LL_ENGINE_A ? (unsigned)LL_ENGINE_A_K
                                              : (unsigned)LL_ENGINE_B_MN;
    if (operand == tile) {
        return ll_ptx_dot("tcgen05", 7, operand, rows, cols, bits, warps);
    }
    return ll_ptx_dot("mma", 3,
                      operand == side || operand > LL_ENGINE_C
                          ? (unsigned)LL_ENGINE_A_MN
                          : operand,
                      rows, cols, bits, warps);
}

/* Lanes store the operand that is read there, from whatever layout they have,
 * and hold the others as the instructions want them. */
static void one_operand_is_stored(void) {
    for (unsigned n = 0; n < 8u; ++n) {
        const int scaled = n % 2u != 0;
        const int is_b = n / 2u % 2u != 0;
        const int copied = n / 4u % 2u != 0;
        const char letter = is_b ? 'b' : 'a';
        char text[600];
        unsigned tuple[8];
        snprintf(text, sizeof text,
                 "a = %s 64x128:8\nb = %s 128x32:8\ns = load 64x4:8\n"
                 "t = load 4x32:8\nc = %s by=m%c\nsink c\nsink s\nsink t\n",
                 copied && !is_b ? "tma_load" : "load",
                 copied && is_b ? "tma_load" : "load",
                 scaled ? "dot_scaled a b s t" : "dot a b", letter);
        begin(4);
        engine.family = of_one;
        solves(text);
        CHECK(ll_engine_executed(&engine, 4, 0, tuple));
        for (unsigned k = 0; k < (scaled ? 5u : 3u); ++k) {
            const ll_engine_op *o = &engine.op[4];
            const unsigned v = engine.operand[o->at + k];
            const ll_engine_value *x = &engine.value[v];
            if (k == (unsigned)is_b) {
                CHECK((tuple[k] == o->place[k][is_b]) == copied);
                CHECK(x->in_place == (unsigned)copied);
                continue;
            }
            CHECK(ll_is_equal(
                ll_engine_layout(&engine, v, tuple[k]),
                ll_ptx_dot("mma", 3,
                           k == (scaled ? 4u : 2u) ? (unsigned)LL_ENGINE_C : k,
                           1u << x->size[0], 1u << x->size[1],
                           k > 3u ? 32u : 8u, 4)));
        }
    }
}

/* Elements of more than 32 bits are not read in shared memory. */
static void wide_elements_are_not_read_in_memory(void) {
    for (unsigned bits = 8; bits <= 64u; ++bits) {
        for (unsigned k = LL_ENGINE_A_K; k <= LL_ENGINE_B_K; ++k) {
            const unsigned err =
                ll_ptx_dot("tcgen05", 7, k, 128, 64, bits, 4).err;
            CHECK(bits <= 32u || err == (unsigned)LL_EMISSING);
            CHECK((bits != 8u && bits != 16u && bits != 32u) || !err);
        }
    }
}

/* ---- Scales of mma.sync -------------------------------------------------- */

/* Lane l brings the scales of row l / 4, or 8 rows further if it is odd, of 16
 * rows of A, and of column l / 4 of 8 columns of B: PTX, "Block scaling for
 * mma.sync". A register has one scale, for 32 elements along k. */
static void mma_has_a_scale_for_32_elements(void) {
    for (unsigned n = 0; n < 24u; ++n) {
        const int is_b = n % 2u != 0;
        const unsigned k = 1u << n / 2u % 3u;
        const unsigned high = (is_b ? 8u : 16u) << n / 6u;
        const ll_layout a = ll_ptx_dot("mma", 3,
                                       is_b ? (unsigned)LL_ENGINE_SCALE_B
                                            : (unsigned)LL_ENGINE_SCALE_A,
                                       is_b ? k : high, is_b ? high : k, 8, 1);
        unsigned seen[128][4] = LL_ZERO;
        CHECK(!a.err);
        CHECK(ll_size(a.in, LL_REGISTER) == high / (is_b ? 8u : 16u) * k);
        for (unsigned r = 0; r < ll_size(a.in, LL_REGISTER); ++r) {
            for (unsigned lane = 0; lane < 32u; ++lane) {
                const unsigned x = ll_pack(a.in, LL_REGISTER, r) ^
                                   ll_pack(a.in, LL_LANE, lane);
                const unsigned y = ll_apply(a, x);
                const unsigned i = ll_unpack(a.out, LL_I, y);
                const unsigned j = ll_unpack(a.out, LL_J, y);
                const unsigned row = is_b ? j : i;
                CHECK(row % (is_b ? 8u : 16u) ==
                      lane / 4u + (is_b ? 0u : lane % 2u * 8u));
                ++seen[row % 128u][(is_b ? i : j) % 4u];
            }
        }
        for (unsigned x = 0; x < high * k; ++x) {
            CHECK(seen[x % high][x / high] == (is_b ? 4u : 2u));
        }
    }
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(loops_carry_what_is_right_before_them);
    RUN(loops_of_another_graph_carry_nothing);
    RUN(one_operand_is_stored);
    RUN(wide_elements_are_not_read_in_memory);
    RUN(mma_has_a_scale_for_32_elements);
    return test_end();
}
