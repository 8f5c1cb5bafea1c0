/* test_engine_text.c - graphs of the layout engine, written as text.
 * SPDX-License-Identifier: MIT
 *
 * Names, loops and keys are those that count; a text is written into no more
 * than its buffer.
 */
#include "engine_graphs.h"
#include "engine_text.h"

/* Each operation knows where its name ends in the text, and those of a loop
 * where its trips stand. */
static void operations_know_their_lines(void) {
    static const char text[] = "x = load 4:32\n  loop  7 a = x\nb = map a\n"
                               "yield b\n";
    parsed_for(text, 2);
    CHECK(engine.ops == 5u);
    CHECK(engine.op[0].character == 9u);  /* load */
    CHECK(engine.op[1].character == 23u); /* what the loop carries, */
    CHECK(engine.op[2].character == 23u); /* and the loop */
    CHECK(engine.op[3].character == 38u); /* map */
}

/* Blanks and commas may stand anywhere between words. */
static void blanks_do_not_matter(void) {
    static const char *const all[] = {
        "x = load 4x8:16\nloop 4 a = x, b = x\nc = map a b\n"
        "yield c, a -> d, f\nstore d\nstore f\n",
        "x=load 4x8:16\nloop 4 a=x b=x\nc=map a b\nyield c a->d f\n"
        "store d\nstore f\n",
        "x = load 4x8:16\nloop 4 a = x , b = x ,\nc = map a b\n"
        "yield c , a -> d , f \nstore d\nstore f\n",
        " x\t=\tload\t4x8:16\t\n loop\t4 a\t=\tx\t,\tb = x\nc = map a b\n"
        "yield\tc\t,\ta\t->\td\t,\tf\t\r\nstore d # no more\nstore f",
    };
    char want[400], said[400];
    says("loop 2\nyield\n", 0, 0);
    says("loop 2\nyield -> \t \n", 0, 0);
    says("loop 2\nyield \t ->", 0, 0);
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        parsed_for(all[n], 2);
        ll_engine_print(&engine, n ? said : want, 400);
        CHECK(!n || !strcmp(said, want));
    }
    CHECK(strlen(want) > 80u);
}

/* A fixed operation without a shape has that of its last operand. */
static void fixed_results_are_like_the_last_operand(void) {
    parsed_for("w = load 4:8\nx = load 8:16\ny = load 16:32\nz = fixed x y\n",
               2);
    const ll_engine_value *z = &engine.value[3];
    CHECK(z->rank == 1u && z->size[0] == 4u && z->element_bits == 32u);
    parsed_for("w = load 4:8\nx = load 8:16\nz = fixed x w 2x2:64\n", 2);
    z = &engine.value[2];
    CHECK(z->rank == 2u && z->size[1] == 1u && z->element_bits == 64u);
}

/* Layouts in a text may be of any length. */
static void long_layouts_are_read_to_the_end(void) {
    char text[4000] = "x = load 4096:32 contiguous=4096 out0=\"register:";
    ll_engine_flat f = LL_ZERO;
    for (unsigned k = 0; k < 12u; ++k) { /* the sum of all bits up to k */
        append(text, sizeof text,
               k == 6u    ? " | lane:"
               : k == 11u ? " | warp:"
                          : "");
        append(text, sizeof text, " i0");
        for (unsigned b = 1; b <= k; ++b) {
            char one[8];
            snprintf(one, sizeof one, "^i%u", b);
            append(text, sizeof text, one);
        }
        f.basis[k] = (2u << k) - 1u;
    }
    append(text, sizeof text, "\"\n");
    CHECK(strlen(strchr(text, '"')) > 256u);
    f.n[0] = 6;
    f.n[1] = 5;
    f.n[2] = 1;
    parsed_for(text, 2);
    CHECK(engine.flats == 1u && ll_flat_is_equal_(&engine.flat[0], &f));
    char said[4000];
    CHECK(ll_engine_print(&engine, said, sizeof said) > 256u);
    begin(2);
    CHECK(ll_engine_parse(&engine, said));
    CHECK(ll_flat_is_equal_(&engine.flat[0], &f));
}

/* Text is written into the buffer alone, as much as it has room for. */
static void no_buffer_is_too_small(void) {
    static const char text[] =
        "x = load 2x4:32 out0=\"register: j0 | lane: j1 i0\" align=16 "
        "contiguous=1x4\n"
        "t = tma_load 2x4:32 memory=\"offset: j0 i0^j1 j1\"\n"
        "loop 4 a = x, b = t\ny = map a b cost=3\nyield y, b -> c, d\n"
        "store c in0=\"lane: i0 j1 | warp: j0\"\n";
    char whole[1000], part[1100];
    parsed_for(text, 2);
    const unsigned n = ll_engine_print(&engine, whole, sizeof whole);
    CHECK(n == strlen(whole) && n < 900u);
    for (unsigned size = 0; size < n + 3u; ++size) {
        memset(part, '$', sizeof part);
        CHECK(ll_engine_print(&engine, part, size) == n);
        const unsigned has = size > n ? n : size ? size - 1u : 0u;
        CHECK(!memcmp(part, whole, has) && (!size || part[has] == '\0'));
        for (unsigned k = size ? has + 1u : 0u; k < sizeof part; ++k) {
            if (part[k] != '$') {
                CHECK(0);
                break;
            }
        }
    }
}

/* Keys that an operation does not have are not written. */
static void only_what_counts_is_written(void) {
    static const struct {
        const char *text, *want;
    } all[] = {
        {"x = load 4x8:16\nz = load 8:16\nstore x contiguous=1x8 same=2x1\n"
         "store z contiguous=8\n",
         "x = load 4x8:16\nz = load 8:16\nstore x contiguous=1x8 same=2x1\n"
         "store z contiguous=8\n"},
        {"x = load 4x2:32\ns = reduce x axis=1\nloop 1\nyield\n",
         "x = load 4x2:32\ns = reduce x axis=1\nloop 1\nyield\n"},
        {"x = load 4:32\nm = merge x x\nloop 2 a = m\nyield a -> b\n",
         "x = load 4:32\nm = merge x x\nloop 2 a = m\nyield a -> b\n"},
        {"x = load 4:32\nm = merge x x\nloop 2\nyield\n",
         "x = load 4:32\nm = merge x x\nloop 2\nyield\n"},
        {"loop 2\nloop 2\nloop 2\nloop 2\nloop 2\nloop 2\nloop 2\nloop 2\n"
         "yield\nyield\nyield\nyield\nyield\nyield\nyield\nyield\n",
         "loop 2\nloop 2\nloop 2\nloop 2\nloop 2\nloop 2\nloop 2\nloop 2\n"
         "yield\nyield\nyield\nyield\nyield\nyield\nyield\nyield\n"},
    };
    char said[600];
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        parsed_for(all[n].text, 2);
        ll_engine_print(&engine, said, sizeof said);
        CHECK(!strcmp(said, all[n].want));
        if (strcmp(said, all[n].want)) {
            printf("%s->\n%s", all[n].text, said);
        }
    }
    /* lists end with the axes */
    ll_engine_spec s = LL_ZERO;
    begin(2);
    s.kind = LL_ENGINE_LOAD;
    s.rank = 1;
    s.size[0] = 2;
    s.element_bits = 8;
    s.contiguous[1] = s.same[1] = s.contiguous[11] = 1;
    ll_engine_add(&engine, s);
    ll_engine_print(&engine, said, sizeof said);
    CHECK(!strcmp(said, "v0 = load 4:8\n"));
    begin(2);
    s.rank = 12;
    s.contiguous[1] = s.same[1] = s.contiguous[11] = 0;
    ll_engine_add(&engine, s);
    ll_engine_print(&engine, said, sizeof said);
    CHECK(!strcmp(said, "v0 = load 4x1x1x1x1x1x1x1x1x1x1x1:8\n"));
}

/* Adds an operation that has no name. */
static void add_map_of_first(void) {
    const unsigned first = 0;
    ll_engine_spec s = LL_ZERO;
    s.kind = LL_ENGINE_MAP;
    s.n_in = 1;
    s.in = &first;
    ll_engine_add(&engine, s);
}

/* A made-up name gets underscores until no value has it, not even the first.
 * Names after the last value do not count. */
static void made_up_names_are_of_no_other_value(void) {
    static const char *const all[] = {"v3", "v3_", "v3__"};
    for (unsigned n = 0; n < 6u; ++n) { /* in any order */
        static const unsigned order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                             {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
        char text[200] = "", said[300];
        for (unsigned k = 0; k < 3u; ++k) {
            append(text, sizeof text, all[order[n][k]]);
            append(text, sizeof text, " = load 4:32\n");
        }
        parsed_for(text, 2);
        add_map_of_first();
        CHECK(engine.cap_values > engine.values);
        engine.value[4].name = "v3___ and more"; /* what stands behind */
        engine.value[4].length = 5;
        ll_engine_print(&engine, said, sizeof said);
        CHECK(strstr(said, "\nv3___ = map "));
        if (!strstr(said, "\nv3___ = map ")) {
            printf("%s", said);
        }
    }
    char text[6000] = "", said[6000];
    char name[80] = "v62"; /* of values 0 to 60, as long as a name can be */
    for (unsigned k = 0; k < 61u; ++k) {
        append(text, sizeof text, name);
        append(text, sizeof text, " = load 4:32\n");
        append(name, sizeof name, "_");
    }
    append(text, sizeof text, "y = load 4:32\n");
    parsed_for(text, 2);
    add_map_of_first();
    CHECK(engine.values == 63u && strlen(name) == 64u);
    ll_engine_print(&engine, said, sizeof said);
    append(name, sizeof name, " = map ");
    CHECK(strstr(said, name));
}

/* Of what a spec says only the keys that its operation has are written, and no
 * number behind the last of a list. */
static void only_keys_of_the_kind_are_written(void) {
    char said[300];
    for (unsigned n = 0; n < 3u; ++n) {
        ll_engine_spec s = LL_ZERO;
        const unsigned in = 0;
        parsed_for("x = load 2x4:32\n", 2);
        s.kind = n ? LL_ENGINE_MAP : LL_ENGINE_SOURCE;
        s.n_in = n != 0;
        s.in = &in;
        s.rank = 2;
        s.size[0] = 1;
        s.size[1] = 2;
        s.element_bits = 32;
        s.axis = n == 1u;
        s.order[0] = s.contiguous[0] = s.same[0] = 1;
        s.order[1] = n == 2u;
        ll_engine_add(&engine, s);
        ll_engine_print(&engine, said, sizeof said);
        CHECK(!strcmp(said, n ? "x = load 2x4:32\nv1 = map x 2x4:32 cost=0\n"
                              : "x = load 2x4:32\nv1 = source 2x4:32\n"));
        if (n) {
            continue;
        }
        s.kind = LL_ENGINE_TRANS; /* of one axis, and more behind it */
        s.n_in = 1;
        s.order[0] = 0;
        s.order[1] = s.order[2] = 1;
        parsed_for("x = load 4:32\n", 2);
        ll_engine_add(&engine, s);
        ll_engine_print(&engine, said, sizeof said);
        CHECK(!strcmp(said, "x = load 4:32\nv1 = trans x 4:32\n"));
    }
}

/* A carried value is one of a loop that begins behind it, not of what lies in
 * memory behind the last operation. */
static void loops_end_with_the_operations(void) {
    static const char text[] = "x = load 4:32\nloop 4 a = x\nyield a\n"
                               "loop 4 b = x\nyield b\n";
    char said[300];
    for (unsigned n = 0; n < 2u; ++n) {
        parsed_for(text, 2);
        const unsigned c = ll_engine_carry(&engine, 0, 4);
        CHECK(!engine.err && c + 1u == engine.ops);
        CHECK(engine.cap_ops > engine.ops);
        for (unsigned p = 0; n && p < engine.ops; ++p) {
            if (engine.op[p].kind == LL_ENGINE_LOOP && engine.op[p].cost) {
                engine.op[engine.ops] = engine.op[p];
            }
        }
        ll_engine_print(&engine, said, sizeof said);
        CHECK(strstr(said, "\nloop 4 v5 = x\nyield x -> v6\n"));
        if (!strstr(said, "\nloop 4 v5 = x\nyield x -> v6\n")) {
            printf("%s", said);
        }
    }
}

/* A carried value belongs to the loop that begins behind it, if that runs as
 * often, with no other operation between them. */
static void carried_values_find_their_loop(void) {
    static const struct {
        unsigned trips, cost, loop; /* of the operation in between; the loop */
        int strays;
    } all[] = {{4, 0, 4, 0}, {4, 0, 2, 1}, {2, 0, 4, 1},
               {0, 4, 4, 1}, {0, 3, 4, 1}, {0, 4, 2, 1}};
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        ll_engine_spec s = LL_ZERO;
        const unsigned in = 0;
        char said[300];
        parsed_for("x = load 4:32\n", 2);
        ll_engine_carry(&engine, 0, 4);
        if (all[n].trips) {
            ll_engine_carry(&engine, 0, all[n].trips);
        } else {
            s.kind = LL_ENGINE_MAP;
            s.n_in = 1;
            s.in = &in;
            s.cost = all[n].cost;
            ll_engine_add(&engine, s);
        }
        ll_engine_loop(&engine, all[n].loop);
        ll_engine_loop(&engine, 0);
        CHECK(!engine.err);
        ll_engine_print(&engine, said, sizeof said);
        CHECK(!strncmp(said, "x = load 4:32\nloop 4 v1 = x", 27));
        CHECK((strstr(said, "loop 4 v1 = x\nyield x -> v2\n") != NULL) ==
              all[n].strays);
        if ((strstr(said, "loop 4 v1 = x\nyield x -> v2\n") != NULL) !=
            all[n].strays) {
            printf("%u: %s", n, said);
        }
    }
}

/* What lies in memory behind the last operation of a text is no value that it
 * carries. */
static void texts_end_with_their_operations(void) {
    parsed_for("x = load 4:32\n", 2);
    CHECK(engine.cap_ops > 3u);
    for (unsigned p = 1; p < engine.cap_ops; ++p) {
        engine.op[p].kind = LL_ENGINE_CARRY;
        engine.op[p].first = 1;
    }
    CHECK(ll_engine_parse(&engine, "y = load 4:32\n") && engine.ops == 2u);
}

/* As many results as names; one that is like an operand has all its axes. */
static void results_have_names_and_axes(void) {
    says("load 4:32\n", LL_ENGINE_ECOUNT, 5);
    says("a, b = load 4:32\n", LL_ENGINE_ECOUNT, 12);
    parsed_for("x = load 2x8:32\ny = fixed x\n", 2);
    CHECK(engine.value[1].rank == 2u && engine.value[1].size[0] == 1u);
    CHECK(engine.value[1].size[1] == 3u);
}

/* An explanation gives back its memory, and says nothing of what lies behind
 * the last value. */
static void explanations_leave_the_graph_alone(void) {
    static const char text[] =
        "x = load 64x64:16\nb = load 64x64:16\ny = trans x order=1x0\n"
        "store y contiguous=1x64\nstore b contiguous=1x64\n";
    static char want[6000], said[6000];
    parsed_for(text, 4);
    CHECK(ll_engine_solve(&engine));
    const unsigned long long used = engine.used;
    CHECK(ll_engine_explain(&engine, want, sizeof want) < sizeof want);
    CHECK(engine.used == used && strstr(want, "\noperations: "));
    CHECK(engine.cap_values > engine.values);
    engine.value[engine.values] = engine.value[0];
    ll_engine_explain(&engine, said, sizeof said);
    CHECK(!strcmp(said, want));
}

/* What combines elements and how far tiles move is read and written, and
 * changes no price. */
static void keys_of_the_kernel_cost_nothing(void) {
    static const char *const all[] = {
        "x = load 64x64:32%s contiguous=1x64\n"
        "loop 4 a = x\n"
        "y = load 64x64:32%s align=16 contiguous=1x64\n"
        "b = map a y 64x64:32\n"
        "yield b -> c\n"
        "r = reduce c axis=1%s\n"
        "s = scan c axis=0%s\n"
        "store r%s\nstore s%s\n"};
    static const char *const ops[] = {"sum", "product", "min", "max",
                                      "and", "or",      "xor"};
    char text[600], said[600];
    unsigned long long cost = 0;
    for (unsigned n = 0; n < 8u; ++n) {
        char op[20] = "";
        if (n) {
            snprintf(op, sizeof op, " op=%s", ops[n - 1u]);
        }
        snprintf(text, sizeof text, all[0], n ? " block=0" : "",
                 n ? " block=8192 step=4096" : "", op, op, n ? " step=0" : "",
                 n ? " block=1073741824" : "");
        parsed_for(text, 4);
        CHECK(ll_engine_print(&engine, said, sizeof said) == strlen(text));
        CHECK(!strcmp(said, text));
        CHECK(ll_engine_solve(&engine));
        CHECK(!n || ll_engine_cost(&engine) == cost);
        cost = ll_engine_cost(&engine);
    }
    CHECK(cost);
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(operations_know_their_lines);
    RUN(blanks_do_not_matter);
    RUN(fixed_results_are_like_the_last_operand);
    RUN(long_layouts_are_read_to_the_end);
    RUN(no_buffer_is_too_small);
    RUN(only_what_counts_is_written);
    RUN(made_up_names_are_of_no_other_value);
    RUN(only_keys_of_the_kind_are_written);
    RUN(loops_end_with_the_operations);
    RUN(carried_values_find_their_loop);
    RUN(texts_end_with_their_operations);
    RUN(results_have_names_and_axes);
    RUN(explanations_leave_the_graph_alone);
    RUN(keys_of_the_kernel_cost_nothing);
    return test_end();
}
