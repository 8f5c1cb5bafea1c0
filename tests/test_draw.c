/* test_draw.c - pictures and tables show what is there, or the true cause.
 * SPDX-License-Identifier: MIT
 *
 * Each access of random plans is drawn. The test reads the picture and compares
 * its conflicts with the step. It compares each cell of a table with a search
 * over all inputs.
 */
#include "machines.h"

enum { ROOM = 1 << 20 };

static char text[ROOM];

/* ---- Pictures ------------------------------------------------------------ */

/* The most lanes, or words, that meet in a column of a picture of `banks`
 * columns; 0 if the text is none. */
static unsigned most_in_a_column(unsigned banks, unsigned lanes) {
    unsigned count[128] = LL_ZERO;
    unsigned most = 0;
    const char *s = text;
    while (*s) {
        for (unsigned b = 0; b < banks; ++b) {
            const int dot = s[0] == ' ' && s[1] == '.';
            char *end = NULL;
            const unsigned long lane = dot ? 0 : strtoul(s, &end, 10);
            if (!dot && (end != s + 2 || lane >= lanes)) {
                return 0;
            }
            count[b] += dot ? 0u : 1u;
            most = count[b] > most ? count[b] : most;
            if (s[2] != (b + 1u < banks ? ' ' : '\n')) {
                return 0;
            }
            s += 3;
        }
    }
    return most;
}

static unsigned drawn_forms[LL_MAX_FORMS];

/* The step k of a plan, between registers of layout a and memory. `exact`: the
 * plan is free to choose its accesses, so that the picture is of the step. */
static void check_picture(const ll_plan *p, const ll_layout *a, unsigned k,
                          const ll_target *t, int exact) {
    const ll_step *s = &p->step[k];
    const unsigned op = s->op == LL_OP_LOAD ? LL_READ : LL_WRITE;
    const unsigned row =
        s->form == LL_FORM_VECTOR
            ? s->bytes
            : 1u << ((unsigned)(t->forms[op][s->form] >> 40) & 15u);
    const unsigned banks = t->banks[op][row <= 4u ? 0 : row <= 8u ? 1 : 2];
    const unsigned n = ll_draw(*a, p->memory, p->element_bits, s->bytes, op,
                               *t, text, sizeof text);
    CHECK(n < ROOM);
    const unsigned most = most_in_a_column(banks, t->lanes);
    CHECK(exact ? most == s->wavefronts / s->least : most > 0);
    if (most == 0 && test.here < 5u) {
        printf("  kind %u form %u passes %u op %u blocks %u: %.60s\n", p->kind,
               s->form, p->passes, op, p->blocks, text);
    }
    ++drawn_forms[s->form];
}

/* What the lanes load: where a thread bit chooses one of two elements, both. */
static ll_layout loaded_by(const ll_plan *p, ll_layout b) {
    const unsigned flip = p->step[p->n - 1u].flip;
    if (p->kind < LL_SHARED || !flip) {
        return b;
    }
    const unsigned k = p->to_bits + ll_log2_(flip);
    ll_layout both = ll_mul(b, ll_zeros(2, LL_REGISTER, b.out.dim[0], 1));
    both.basis[p->to_bits] = b.basis[k];
    both.basis[k + 1u] = 0;
    return both;
}

static char again[ROOM];
static unsigned over_reads;

/* An over-read is drawn from the layout of the result alone, whichever the
 * order of its inputs. */
static void check_over_read(const ll_plan *p, const random_pair *c,
                            const ll_layout *both, const ll_target *t) {
    const ll_step *s = &p->step[3];
    const ll_layout turned =
        ll_order_in(ll_hardware_(c->b), "block warp lane register");
    ll_draw(*both, p->memory, p->element_bits, s->bytes, LL_READ, *t, text,
            ROOM);
    ll_draw(c->b, p->memory, p->element_bits, s->bytes, LL_READ, *t, again,
            ROOM);
    CHECK(strcmp(text, again) == 0);
    ll_draw(turned, p->memory, p->element_bits, s->bytes, LL_READ, *t, text,
            ROOM);
    CHECK(strcmp(text, again) == 0);
    ++over_reads;
}

static unsigned check_pictures(const ll_plan *p, const random_pair *c,
                               const ll_target *t, int exact) {
    unsigned n = 0;
    for (unsigned k = 0; !p->err && k < p->n; ++k) {
        if (p->step[k].op == LL_OP_STORE || p->step[k].op == LL_OP_LOAD) {
            const ll_layout b = loaded_by(p, c->b);
            check_picture(p, p->step[k].op == LL_OP_STORE ? &c->a : &b, k, t,
                          exact);
            if (k == 3u && b.in.bits[0] > c->b.in.bits[0]) {
                check_over_read(p, c, &b, t);
            }
            ++n;
        }
    }
    return n;
}

static void every_access_is_drawn(void) {
    const unsigned gfx[] = {0x908, 0x942, 0x950, 0x1100, 0x1201};
    const unsigned sm[] = {75, 80, 90, 100};
    unsigned sides = 0;
    unsigned passes = 0;
    unsigned wide = 0;
    for (unsigned n = 0; n < times(3000u); ++n) {
        const unsigned k = test_random(5);
        const ll_target t = test_random(2)
                                ? ll_amd_target(gfx[k], k < 3u ? 64 : 32)
                                : ll_ptx_target(sm[k % 4u]);
        const unsigned bits = 8u << test_random(3);
        const random_pair c = random_conversion(
            ll_log2_(t.lanes), 9u + test_random(3), 6, test_random(8) == 0);
        ll_plan p = ll_plan_by(c.a, c.b, bits, t, LL_SHARED);
        wide += p.n && p.step[p.n - 1u].flip;
        sides += check_pictures(&p, &c, &t, !p.n || !p.step[p.n - 1u].flip);
        p = ll_plan_within(c.a, c.b, bits, t, p.smem_bytes / 2u);
        passes += p.passes;
        sides += check_pictures(&p, &c, &t, !p.passes);
        p = ll_plan_by(c.a, c.b, bits, t, LL_COPIES);
        sides += check_pictures(&p, &c, &t, 0);
    }
    printf("%u accesses, %u plans with passes, %u that read too much\n", sides,
           passes, wide);
    COVERS(passes > 100u && wide > 5u && over_reads > 5u);
    COVERS(drawn_forms[LL_FORM_MATRIX] > 100u);
    COVERS(drawn_forms[LL_FORM_TRANS] > 20u);
    COVERS(drawn_forms[LL_FORM_BYTES] > 5u);
}

/* Lanes that read two bytes by one bit of the thread number: the two lowest of
 * a lane's, and those of warps. */
static void any_over_read_is_drawn(void) {
    static const char *const some[][2] = {
        {"register: i6 i5 | lane: j0 i3 i0 i2 i1 | warp: i4 j1 0",
         "register: j1 i1 i3 | lane: i5 0 i0 j0 i4 | warp: i6 i2"},
        {"register: i4 j3 i0 | lane: j0 j2 j4 i1 i2 | warp: i3 j1",
         "register: i3 i0 i2 | lane: j2 i4 j0 j1 j3 | warp: j4 i1"},
        {"register: i1 i0 i8 j0 | lane: i7 0 0 i3 i2 | warp: i6 i4 i5",
         "register: i6 i4 i3 i5 | lane: i7 i2 i0 j0 i1 | warp: i8"},
        {"register: j3 j0 j2 | lane: j4 j1 i0 i3 0 | warp: i1 i2",
         "register: i2 i3 0 | lane: 0 i0 j0 i1 j2 | warp: j1 j3 j4"},
        {"register: j5 j6 j7 i0 | lane: 0 0 j1 j2 j3 | warp: j0 j4",
         "register: j0 i0 0 | lane: 0 j4 j7 j3 j1 | warp: j2 j5 j6"}};
    static const unsigned bit[] = {0, 1, 5, 6, 7};
    const ll_target t = LL_SM90;
    for (unsigned k = 0; k < 5u; ++k) {
        random_pair c = LL_ZERO;
        c.a = ll_parse(some[k][0]);
        c.b = ll_parse(some[k][1]);
        const ll_plan p = ll_plan_by(c.a, c.b, 8, t, LL_SHARED);
        CHECK(p.n == 5u && p.step[4].flip == 1u << bit[k]);
        CHECK(check_pictures(&p, &c, &t, 0) == 2u);
    }
}

/* Each block stores at home, and loads from the others. */
static void accesses_of_clusters_are_drawn(void) {
    const char *from[] = {"register: j0 | lane: i0 i1 i2 i3 i4 | block: i5",
                          "register: j0 | lane: i0 i1 i2 i3 i4 | block: i5",
                          "register: j0 j1 | lane: i0 i1 i2 i3 i4 | block: 0"};
    const char *to[] = {"register: i5 | lane: i0 i1 i2 i3 i4 | block: j0",
                        "register: i0 | lane: i5 i1 i2 i3 i4 | block: j0",
                        "register: i0 j1 | lane: j0 i1 i2 i3 i4 | block: 0"};
    const ll_target t = LL_SM90;
    for (unsigned k = 0; k < 3u; ++k) {
        for (unsigned bits = 8; bits <= 64u; bits *= 2u) {
            random_pair c = LL_ZERO;
            c.a = ll_parse(from[k]);
            c.b = ll_parse(to[k]);
            const ll_plan p =
                k == 2u ? ll_plan_by(c.a, c.b, bits, t, LL_SHARED)
                        : ll_plan_of(c.a, c.b, bits, t);
            CHECK(p.kind == (k == 2u ? LL_SHARED : LL_CLUSTER));
            CHECK(check_pictures(&p, &c, &t, 1) == 2u);
        }
    }
}

static const char *drawn(ll_layout a, ll_layout m, unsigned bits,
                         unsigned bytes, ll_target t) {
    const unsigned n = ll_draw(a, m, bits, bytes, LL_READ, t, text, ROOM);
    CHECK(n == strlen(text));
    return text;
}

/* The sentence of an error, as a line. */
static int is_line(const char *said, unsigned code) {
    const char *sentence = ll_strerror(code);
    const size_t n = strlen(sentence);
    return strncmp(said, sentence, n) == 0 && strcmp(said + n, "\n") == 0;
}
#define DRAWS(said, code) CHECK(is_line(said, code))

static void pictures_say_why_there_is_none(void) {
    const ll_layout a = L("register: j0 | lane: i0 i1 i2 i3 i4");
    const ll_layout m = L("offset: j0 i0 i1 i2 i3 i4");
    const ll_target t = LL_SM90;
    CHECK(strstr(drawn(a, m, 32, 8, t), " .") == NULL);
    CHECK(strncmp(text, " 0  0  1  1  2", 14) == 0);
    drawn(ll_flip(a, LL_I, 1), m, 32, 8, t);
    CHECK(strncmp(text, " 1  1  0  0  3", 14) == 0);
    DRAWS(drawn(L("lane: ?"), m, 32, 8, t), LL_ETEXT);
    DRAWS(drawn(a, L("lane: i0 i1 -> 2"), 32, 8, t), LL_ERANGE);
    DRAWS(drawn(a, m, 32, 8, ll_ptx_target(12)), LL_ETARGET);
    DRAWS(drawn(a, m, 24, 8, t), LL_EELEMENT);
    DRAWS(drawn(a, m, 256, 8, t), LL_EELEMENT);
    DRAWS(drawn(a, m, 32, 8, LL_GFX942), LL_ELANES);
    DRAWS(drawn(L("x: i0 | lane: i1"), m, 32, 8, t), LL_EHARDWARE);
    DRAWS(drawn(a, a, 32, 8, t), LL_EMEMORY);
    DRAWS(drawn(a, L("offset: j0 j0 i0 i1 i2 i3 i4"), 32, 8, t), LL_EMEMORY);
    DRAWS(drawn(a, L("offset: j0 i0 i1 i2 i3"), 32, 8, t), LL_EMATCH);
    DRAWS(drawn(a, L("offset: j0 i0 i1 i2 i3 -> 32x2"), 32, 8, t),
          LL_ENOSOLUTION);
    DRAWS(drawn(a, L("offset: j0 i1 i2 i3 i4 -> 32x2"), 32, 8, t),
          LL_ENOSOLUTION);
    DRAWS(drawn(a, L("offset: j0 i0 i1 i2 i3 | lane: i4"), 32, 8, t),
          LL_EMEMORY);
    drawn(a, L("offset: j0 0 i0 i1 i2 i3 i4"), 32, 8, t); /* 0 is padding */
    CHECK(strncmp(text, " 0  0  .  .  1", 14) == 0);
    CHECK(drawn(a, m, 128, 16, t)[1] == '0');
    const ll_layout wide = L("register: j0 j1 j2 | lane: i0 i1 i2 i3 i4");
    const ll_layout rows = L("offset: j0 j1 j2 i0 i1 i2 i3 i4");
    CHECK(drawn(wide, rows, 32, 16, t)[1] == '0');
    DRAWS(drawn(wide, rows, 32, 32, t), LL_EACCESS);
    const ll_layout bytes = L("register: i6 | lane: i0 i1 i2 i3 i4 | warp: i5");
    DRAWS(drawn(bytes, L("offset: i0 i1 i2 i3 i4 i5 i6"), 8, 16, t),
          LL_EACCESS);
    DRAWS(drawn(bytes, L("offset: i0 i1 i2 i3 i4 i5 i6"), 8, 128, t),
          LL_EACCESS);
    DRAWS(drawn(a, m, 32, 16, t), LL_EACCESS);
    DRAWS(drawn(a, m, 32, 3, t), LL_EACCESS);
    DRAWS(drawn(a, m, 32, 0, t), LL_EACCESS);
    DRAWS(drawn(a, m, 32, 2, t), LL_EACCESS);
    ll_draw(a, m, 32, 8, 7, t, text, ROOM);
    DRAWS(text, LL_EACCESS);
}

/* Rows of 16 bytes of a row-major tile of 64 columns: eight lanes, one bank. */
static void rows_of_matrices_are_drawn_with_their_lanes(void) {
    const ll_layout a = ll_ptx_mma_a(64, 64, 16, 4);
    const ll_layout rows = ll_row_major(ll_shape_of("j=64 i=64"));
    unsigned lines = 0;
    drawn(a, rows, 16, 16, LL_SM90);
    for (const char *s = text; *s; s = strchr(s, '\n') + 1, ++lines) {
        char want[13];
        snprintf(want, sizeof want, "%2u %2u %2u %2u ", lines, lines, lines,
                 lines);
        CHECK(strncmp(s, want, 12) == 0 && strncmp(s + 12, " .  .", 5) == 0);
    }
    CHECK(lines == 8u);
}

/* Each cell names the first lane that asks for a byte of its word. Rows of
 * banks begin at lane 0's bank 0, whichever bytes of them are touched. */
static void words_are_drawn_of_which_lanes_touch_any_byte(void) {
    const ll_target t = LL_SM90;
    const ll_layout m = L("offset: i0 i1 i2 i3 i4");
    drawn(ll_flip(L("lane: i0 i1 i2 i3 i4"), LL_I, 1), m, 8, 1, t);
    CHECK(strncmp(text, " 0  4  8 12 16 20 24 28  .  .", 29) == 0);
    CHECK(strchr(text, '\n')[1] == 0);
    /* Odd bytes of the first row, and even ones of the second. */
    const ll_layout a = L("lane: i0 i1 i2 i3 i6^j0 | 1: j0 -> 128x2");
    drawn(a, L("offset: j0 i0 i1 i2 i3 i4 i5 i6"), 8, 1, t);
    CHECK(strncmp(text, " 0  2  4  6  8 10 12 14  .", 26) == 0);
    const char *const second = strchr(text, '\n') + 1;
    CHECK(strncmp(second, "16 18 20 22 24 26 28 30  .", 26) == 0);
    CHECK(strchr(second, '\n')[1] == 0);
    /* Banks of one byte. */
    ll_target narrow = t;
    narrow.bank_bytes = 1;
    drawn(L("lane: i0 i1 i2 i3 i4"), m, 8, 1, narrow);
    CHECK(strncmp(text, " 0  1  2  3  4  5", 17) == 0);
    CHECK(most_in_a_column(32, 32) == 1u);
    /* The first of two passes, of the columns with j1: without that register. */
    const ll_layout all = L("register: j0 j1 | lane: i0 i1 i2 i3 i4 | 1: j1");
    const ll_layout pass = L("offset: j0 i0 i1 i2 i3 i4 | 1: j1 -> 32x4");
    drawn(all, pass, 32, 8, t);
    CHECK(strncmp(text, " 0  0  1  1  2", 14) == 0);
}

/* ---- Tables -------------------------------------------------------------- */

static unsigned weight(unsigned x) {
    return x ? 1u + weight(x & (x - 1u)) : 0u;
}

/* The packed input that a cell names; reads it off. */
static unsigned cell(const ll_layout *a, char **s) {
    const ll_dim names[4] = {LL_BLOCK, LL_WARP, LL_LANE, LL_REGISTER};
    unsigned x = 0;
    for (unsigned k = held_bits(&a->in, LL_BLOCK) ? 0u : 1u; k < 4u; ++k) {
        x |= placed(&a->in, names[k], (unsigned)strtoul(*s, s, 10));
        CHECK(**s == (k < 3u ? ':' : **s));
        ++*s;
    }
    return x;
}

/* A random layout of registers whose outputs hold up to 2^bits elements. */
static ll_layout random_holders(unsigned bits) {
    static const char *const names[4] = {"register", "lane", "warp", "block"};
    ll_layout a = ll_zero(ll_shape_of(""), ll_shape_of("j i"));
    for (unsigned k = 0; k < bits; ++k) {
        ++a.out.bits[test_random(2)];
    }
    for (unsigned k = 0; k < 4u; ++k) {
        a.in = ll_with(a.in, ll_dim_of(names[k]), 1u << test_random(5));
    }
    for (unsigned k = 0; k < 32u; ++k) {
        a.basis[k] = k < bits_in(&a.in) && test_random(5)
                         ? test_random(1u << bits)
                         : 0u;
    }
    a.offset = test_random(3) ? 0u : test_random(1u << bits);
    return a;
}

static void tables_name_the_holder_of_the_fewest_bits(void) {
    static unsigned least[64];
    unsigned tables = 0;
    for (unsigned n = 0; n < times(3000u); ++n) {
        const unsigned bits = test_random(6);
        const ll_layout a = random_holders(bits);
        const unsigned size = 1u << bits_in(&a.in);
        memset(least, 255, sizeof least);
        if (size > 1u << 10) {
            continue;
        }
        unsigned reached = 0;
        for (unsigned x = 0; x < size; ++x) {
            const unsigned y = value(&a, x);
            reached += least[y] == ~0u;
            least[y] = weight(x) < least[y] ? weight(x) : least[y];
        }
        ll_table(a, text, sizeof text);
        if (reached < 1u << bits) {
            DRAWS(text, LL_ENOTONTO);
            continue;
        }
        char *s = text;
        for (unsigned y = 0; y < 1u << bits; ++y) {
            const unsigned x = cell(&a, &s);
            CHECK(x < size && value(&a, x) == y && weight(x) == least[y]);
        }
        CHECK(*s == 0);
        ++tables;
    }
    COVERS(tables > 200u);
    ll_table(L("register: i0^i1 i0 i1"), text, sizeof text);
    CHECK(strstr(text, "0:00:1\n") == text + 14 + 7);
}

static void tables_have_a_size_and_a_cause(void) {
    ll_table(ll_identity(1u << 17, LL_REGISTER, LL_I), text, sizeof text);
    DRAWS(text, LL_ETABLE);
    const unsigned n = ll_table(ll_identity(1u << 16, LL_REGISTER, LL_I), text,
                                sizeof text);
    CHECK(n > 1u << 18 && strncmp(text, "0:00:0\n0:00:1\n", 14) == 0);
    ll_table(L("register: | lane:"), text, sizeof text);
    CHECK(strcmp(text, "0:00:0\n") == 0);
    ll_table(L(""), text, sizeof text);
    CHECK(strcmp(text, "0:00:0\n") == 0);
    ll_table(L("lane: -> j=1 | i=1"), text, sizeof text);
    CHECK(strcmp(text, "0:00:0\n") == 0);
    ll_table(L("offset: i0"), text, sizeof text);
    DRAWS(text, LL_EHARDWARE);
    ll_table(L("lane: ?"), text, sizeof text);
    DRAWS(text, LL_ETEXT);
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(every_access_is_drawn);
    RUN(any_over_read_is_drawn);
    RUN(accesses_of_clusters_are_drawn);
    RUN(pictures_say_why_there_is_none);
    RUN(rows_of_matrices_are_drawn_with_their_lanes);
    RUN(words_are_drawn_of_which_lanes_touch_any_byte);
    RUN(tables_name_the_holder_of_the_fewest_bits);
    RUN(tables_have_a_size_and_a_cause);
    return test_end();
}
