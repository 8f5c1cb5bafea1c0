/* test_engine_faults.c - graphs that the layout engine refuses.
 * SPDX-License-Identifier: MIT
 *
 * Which graphs can be ordered is found here by what is known when, from the
 * definition; sentences are compared as a whole.
 */
#include "engine_graphs.h"

static void refused(const char *text, const char *want) {
    char said[600];
    begin(2);
    CHECK(!ll_engine_parse(&engine, text) || !ll_engine_solve(&engine));
    ll_engine_error(&engine, said, sizeof said);
    CHECK(!strcmp(said, want));
    if (strcmp(said, want)) {
        printf("%s-> %s\n", text, said);
    }
}

/* ---- Values that depend on themselves ----------------------------------- */

static void nothing_depends_on_itself(void) {
    refused("x = load 4:32\nloop 4 a = x\ninside = map a\n"
            "next = merge inside after\nyield next -> after\nstore after\n",
            "ll: loop a (operation 1, at character 20: line 2, character 6): a "
            "value is used before a line makes it, or depends on itself");
    refused("x = load 4:32\nr = merge x r\n",
            "ll: merge x r r (operation 1, at character 24: line 2, character "
            "10): a value is used before a line makes it, or depends on "
            "itself");
    refused("x = load 4:32\nloop 4 a = x\ny = map a\nyield z -> z\n",
            "ll: loop a (operation 1, at character 20: line 2, character 6): a "
            "value is used before a line makes it, or depends on itself");
    refused("x = load 4:32\np = merge x q\nu = map p\nq = merge u x\n",
            "ll: map p u (operation 2, at character 36: line 3, character 8): "
            "a value is used before a line makes it, or depends on itself");
}

/* Of any operand but the second of a branch or a loop. */
static void second_operands_are_there(void) {
    refused("x = load 4:32\np = merge x q\nu = map x p\nq = map u\n",
            "ll: map x p u (operation 2, at character 36: line 3, character "
            "8): a value is used before a line makes it, or depends on "
            "itself");
}

enum { STEPS = 4, NEVER = 99 };

/* An operation of a random graph: a map of `in`, or a carried value that
 * starts with `in` and whose next value is `next`: a loop's, or a branch's if
 * it has no trips. */
typedef struct step {
    unsigned is_carry, trips, in, next, inside, after;
} step;

/* Values 0 and 1 are loaded by operations 0 and 1; operation 2 + n is step[n].
 * A value is known after the last operation that it waits for; none starts
 * before its operand is known. Returns 0 if some value never is. */
static int is_ordered(const step *all, unsigned values) {
    unsigned known[2 + 2 * STEPS] = {0, 1};
    for (unsigned v = 2; v < values; ++v) {
        known[v] = NEVER;
    }
    for (unsigned round = 0; round < 4u * STEPS; ++round) {
        for (unsigned n = 0; n < STEPS; ++n) {
            const step *s = &all[n];
            const unsigned now = 2u + n;
            if (known[s->in] >= now) {
                continue;
            }
            known[s->inside] = now;
            if (s->is_carry) {
                known[s->after] =
                    known[s->next] > now ? known[s->next] : now;
            }
        }
    }
    int all_known = 1;
    for (unsigned v = 0; v < values; ++v) {
        all_known = all_known && known[v] != NEVER;
    }
    return all_known;
}

/* A random graph; returns how many values it has. */
static unsigned random_steps(step *all) {
    unsigned values = 2;
    for (unsigned n = 0; n < STEPS; ++n) {
        step *s = &all[n];
        s->is_carry = test_random(3) != 0;
        s->trips = test_random(2) * 4u;
        s->in = test_random(values);
        s->inside = values++;
        s->after = s->is_carry ? values++ : s->inside;
    }
    for (unsigned n = 0; n < STEPS; ++n) {
        all[n].next = test_random(values);
    }
    return values;
}

static void build(const step *all) {
    unsigned op[STEPS] = {0};
    begin(2);
    parsed("x = load 4:32\ny = load 4:32\n");
    for (unsigned n = 0; n < STEPS; ++n) {
        ll_engine_spec s = LL_ZERO;
        s.kind = LL_ENGINE_MAP;
        s.n_in = 1;
        s.in = &all[n].in;
        op[n] = all[n].is_carry
                    ? ll_engine_carry(&engine, all[n].in, all[n].trips)
                    : ll_engine_add(&engine, s);
    }
    for (unsigned n = 0; n < STEPS; ++n) {
        if (all[n].is_carry) {
            ll_engine_yield(&engine, op[n], all[n].next);
        }
    }
    CHECK(!engine.err);
}

/* A graph is solved if its values can be made one after another. */
static void graphs_that_can_be_ordered_are_solved(void) {
    unsigned good = 0;
    unsigned bad = 0;
    for (unsigned n = 0; n < times(20000); ++n) {
        step all[STEPS];
        const unsigned values = random_steps(all);
        const int ordered = is_ordered(all, values);
        build(all);
        if (ordered) {
            CHECK(ll_engine_solve(&engine));
            ++good;
        } else {
            CHECK(!ll_engine_solve(&engine));
            CHECK(engine.err == LL_ENGINE_EVALUE && engine.wrong > 1u);
            ++bad;
        }
    }
    COVERS(good > 1000u && bad > 1000u);
}

/* ---- Names -------------------------------------------------------------- */

/* What a refused line makes has its name, or none if it makes nothing. */
static void refused_lines_have_their_names(void) {
    refused("x = load 64x64:32\ny = map x 64x32:32\n",
            "ll: map x y (operation 1, at character 26: line 2, character 8): "
            "the shapes of the operands do not match");
    refused("x = load 4:32 contiguous=1x4\n",
            "ll: load x (operation 0, at character 9): contiguous=, same= and "
            "order= must have one number per axis, not above the size of the "
            "axis");
    refused("x = load 4:32\na, b = map x\nc, d = sort x\n",
            "ll: sort x v3 (operation 2, at character 39: line 3, character "
            "12): wrong number of operands or results: it "
            "takes 1 operand and 1 result");
}

/* ---- Limits ------------------------------------------------------------- */

/* Where every layout has more registers than the engine has columns for, it
 * says so, with the way out. */
static void too_many_registers_are_named(void) {
    static const char *const none =
        "a lane would hold more than 4096 elements of a value: use more warps "
        "or a smaller tile";
    char said[600], want[600];
    snprintf(want, sizeof want,
             "ll: store x (operation 1, at character 55: line 2, character 6): "
             "%s", none);
    refused("x = load 1024x1024:32 contiguous=1x1024 align=16\nstore x\n",
            want);
    snprintf(want, sizeof want,
             "ll: store x (operation 1, at character 22: line 2, character 6): "
             "%s", none);
    refused("x = load 8192:8\nstore x in0=\"register: i0 i1 i2 i3 i4 i5 i6 i7 i8 "
            "i9 i10 i11 i12\"\n",
            want);
    snprintf(want, sizeof want,
             "ll: broadcast x y (operation 1, at character 29: line 2, "
             "character 14): %s", none);
    refused("x = load 4x1:8\ny = broadcast x 4x8192:8 in0=\"lane: i0 i1 -> "
            "j=1 | i=4\"\nsink y\n",
            want);
    for (unsigned warps = 1; warps <= 32u; warps *= 2u) {
        for (unsigned size = 16; size <= 22u; ++size) {
            char text[80];
            snprintf(text, sizeof text,
                     "x = load 1024x%u:32 contiguous=1x4\ny = map x\nstore y\n",
                     1u << (size - 10u));
            begin(warps);
            const int fits = 1u << size <= 32u * 4096u * warps;
            CHECK(ll_engine_parse(&engine, text));
            CHECK(ll_engine_solve(&engine) == fits);
            ll_engine_error(&engine, said, sizeof said);
            CHECK(fits || strstr(said, none));
        }
    }
}

/* Where what is fixed disagrees, no number of registers is the reason. */
static void layouts_that_disagree_do_not_fit(void) {
    refused("x = load 4:32\ny = map x in0=\"lane: i0 i1\" out0=\"lane: i1 i0\""
            "\n",
            "ll: map x y (operation 1, at character 22: line 2, character 8): "
            "no layout fits the operation");
    refused("x = load 4096:8\ny = map x in0=\"register: i0 i1 i2 i3 i4 i5 i6 "
            "i7 i8 i9 i10 i11\" out0=\"lane: i0 | register: i1 i2 i3 i4 i5 i6 "
            "i7 i8 i9 i10 i11\"\n",
            "ll: map x y (operation 1, at character 24: line 2, character 8): "
            "no layout fits the operation");
}

/* A layout stands once for each operand and result. */
static void no_key_stands_twice(void) {
    static const char *const all[] = {
        "x = load 4:32\nstore x in0=\"lane: i0 i1\" ^in0=\"lane: i0 i1\"\n",
        "x = load 4:32 out0=\"lane: i0 i1\" cost=1 ^out0=\"lane: i1 i0\"\n",
        "x = load 4:32 out0=\"lane: i0 i1\" ^out00=\"lane: i0 i1\"\n",
        "x = load 4:32 cost=1 ^cost=1\n",
        "x = load 4:32 align=4 ^align=4\n",
    };
    begin(2);
    CHECK(!ll_engine_parse(&engine, "x = load 4:32 out0=\"lane: i0 i1\" "
                                    "out0x=\"lane: i0 i1\"\n"));
    CHECK(engine.err == LL_ENGINE_EUNKNOWN);
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        char text[200];
        const unsigned at = unmarked(text, all[n]);
        begin(2);
        CHECK(!ll_engine_parse(&engine, text));
        CHECK(engine.err == LL_ENGINE_EKEY && engine.character == at);
    }
    begin(2);
    CHECK(ll_engine_parse(&engine, "x = load 4:32\ny = map x x "
                                   "in0=\"lane: i0 i1\" in1=\"lane: i0 i1\" "
                                   "out0=\"lane: i0 i1\"\n"));
}

/* What is wrong with the text of a constant has its place there; a graph that
 * is too large has none. */
static void constants_name_the_place(void) {
    begin(2);
    CHECK(!ll_engine_parse(&engine, "x = load 4:32\n\n# none\ny = map z\n"));
    ll_assignment a = ll_assign_result_(&engine);
    CHECK(a.err == LL_ENGINE_EVALUE && a.character == 31u);
    begin(2);
    parsed("x = load 4:32\ny = map x cost=2\n  s = sort y\n");
    CHECK(!ll_engine_solve(&engine));
    a = ll_assign_result_(&engine);
    CHECK(a.err == LL_ENGINE_ESORT && a.character == 42u);
    ll_engine_begin(&engine, arena, 1024, LL_SM90, 2, 1);
    CHECK(!ll_engine_parse(&engine, "x = load 4:32\n\n\ny = map x\nstore y\n"));
    a = ll_assign_result_(&engine);
    CHECK(a.err == LL_ENGINE_ELARGE && !a.character);
}

/* The line of a character, and its number there. */
static void places_have_lines(void) {
    static const char text[] = "ab\n\nc\n";
    static const unsigned line[] = {0, 1, 1, 1, 2, 3, 3, 4};
    static const unsigned within[] = {0, 1, 2, 3, 1, 1, 2, 1};
    for (unsigned k = 0; k < 8u; ++k) {
        CHECK(ll_text_place_(text, k, 0) == line[k]);
        CHECK(ll_text_place_(text, k, 1) == within[k]);
    }
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(nothing_depends_on_itself);
    RUN(second_operands_are_there);
    RUN(graphs_that_can_be_ordered_are_solved);
    RUN(refused_lines_have_their_names);
    RUN(too_many_registers_are_named);
    RUN(layouts_that_disagree_do_not_fit);
    RUN(no_key_stands_twice);
    RUN(constants_name_the_place);
    RUN(places_have_lines);
    return test_end();
}
