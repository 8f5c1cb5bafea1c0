/* test_views.c - readers of other notations, and pictures.
 * SPDX-License-Identifier: MIT
 *
 * Random texts of CuTe are evaluated by division and remainder, coordinate by
 * coordinate. The recorded attributes of Triton are in tests/data. Pictures are
 * read back and compared with the definition of a layout and with the wavefronts
 * that the addresses of a plan's steps take, counted one by one.
 */
#ifndef LL_VIEWS
#define LL_VIEWS
#endif
#include "machines.h"

enum { ROOM = 1 << 20 };

static char text[ROOM];

/* ---- CuTe ---------------------------------------------------------------- */

/* Up to six sizes with strides, in up to three modes of one or two sizes. */
typedef struct cute {
    unsigned n, modes;
    unsigned size[6], stride[6], mode[6];
    unsigned b, m, s, swizzled;
} cute;

static cute random_cute(void) {
    cute c = LL_ZERO;
    unsigned place[6], bits = 0;
    c.modes = 1u + test_random(3);
    for (unsigned mode = 0; mode < c.modes; ++mode) {
        for (unsigned k = 1u + test_random(2); k > 0; --k) {
            c.mode[c.n] = mode;
            c.size[c.n] = 1u << test_random(4);
            ++c.n;
        }
    }
    for (unsigned k = 0; k < c.n; ++k) { /* strides in a random order */
        const unsigned other = test_random(k + 1u);
        place[k] = place[other];
        place[other] = k;
    }
    for (unsigned k = 0; k < c.n; ++k) {
        c.stride[place[k]] = 1u << bits;
        for (unsigned size = c.size[place[k]]; size > 1u; size /= 2u) {
            ++bits;
        }
        bits += test_random(4) == 0; /* a place that is left out */
    }
    c.swizzled = test_random(2);
    c.b = test_random(4);
    c.m = test_random(4);
    c.s = c.b + test_random(3);
    return c;
}

static void write_cute(const cute *c, int strides, char *to) {
    for (unsigned k = 0; k < c->n; ++k) {
        const int first = k == 0 || c->mode[k - 1u] != c->mode[k];
        const int last = k + 1u == c->n || c->mode[k + 1u] != c->mode[k];
        to += sprintf(to, "%s%s%s%u%s", k == 0 ? "(" : ", ",
                      first && !last ? "(" : "", test_random(2) ? "_" : "",
                      strides ? c->stride[k] : c->size[k],
                      last && !first ? ")" : "");
    }
    strcpy(to, ")");
}

/* The offset of the coordinates of each mode, by the definition. */
static unsigned place_of(const cute *c, const unsigned *at) {
    unsigned rest[3] = {at[0], at[1], at[2]};
    unsigned y = 0;
    for (unsigned k = 0; k < c->n; ++k) {
        y += rest[c->mode[k]] % c->size[k] * c->stride[k];
        rest[c->mode[k]] /= c->size[k];
    }
    const unsigned moved = y >> (c->m + c->s) & ((1u << c->b) - 1u);
    return c->swizzled ? y ^ moved << c->m : y;
}

static void offsets_are_those_of_the_definition(void) {
    for (unsigned round = 0; round < times(2000); ++round) {
        const cute c = random_cute();
        char *end = text;
        if (c.swizzled) {
            end += sprintf(end, "Swizzle<%u, %u,%u> o ", c.b, c.m, c.s);
        }
        write_cute(&c, 0, end);
        strcat(text, ":");
        write_cute(&c, 1, end + strlen(end));
        const ll_foreign f = ll_from_cute(text);
        CHECK(f.layout.err == LL_OK);
        unsigned size[3] = {1, 1, 1};
        for (unsigned k = 0; k < c.n; ++k) {
            size[c.mode[k]] *= c.size[k];
        }
        for (unsigned x = 0; x < size[0] * size[1] * size[2]; ++x) {
            const unsigned at[3] = {x % size[0], x / size[0] % size[1],
                                    x / size[0] / size[1]};
            unsigned word = 0;
            for (unsigned k = 0; k < c.modes; ++k) {
                word |= ll_pack(f.layout.in, ll_axis(k), at[k]);
            }
            CHECK(ll_apply(f.layout, word) == place_of(&c, at));
        }
    }
}

static void compositions_apply_the_last_term_first(void) {
    const ll_foreign f = ll_from_cute("(8,4):(4,1) o (4,8):(8,1)");
    for (unsigned i = 0; i < 4u; ++i) {
        for (unsigned j = 0; j < 8u; ++j) {
            const unsigned x = i * 8u + j;
            CHECK(ll_apply(f.layout, ll_pack(f.layout.in, LL_I, i) |
                                         ll_pack(f.layout.in, LL_J, j)) ==
                  x % 8u * 4u + x / 8u);
        }
    }
    CHECK(ll_apply(ll_from_cute("64 o (4,8):(8,1)").layout, 0) == 64u);
}

typedef struct wrong {
    const char *text;
    unsigned at;
    const char *why; /* a part of the sentence */
} wrong;

static void wrong_texts_of_cute_have_a_place_and_a_reason(void) {
    static const wrong list[] = {
        {"", 1, "number"},
        {"(2,3):(1,2)", 4, "power of two"},
        {"(4,4):(1,2)", 4, "meet"},
        {"(4,4):(1,4", 7, "not closed"},
        {"(4,4):((1,4),2)", 8, "parentheses"},
        {"(4,4):(1@0,4)", 9, "stride"},
        {"(4,4):(1,4) x", 13, "end"},
        {"Swizzle<3,3> o 4", 12, "Swizzle<b, m, s>"},
        {"Swizzle<3,3,2> o (8,64):(64,1)", 8, "at most |s|"},
        {"Swizzle<3,3,3>", 1, "last term"},
        {"4 o (4,4):(1,4)", 1, "meets"},
        {"(2,2) o (4,4):(1,4)", 1, "beyond"},
    };
    for (unsigned k = 0; k < sizeof list / sizeof *list; ++k) {
        const ll_foreign f = ll_from_cute(list[k].text);
        const int ok = f.layout.err == LL_ETEXT && f.layout.at == list[k].at &&
                       f.why && strstr(f.why, list[k].why);
        if (!ok) {
            ll_foreign_error(list[k].text, f, text, sizeof text);
            printf("  %s\n", text);
        }
        CHECK(ok);
    }
}

/* ---- Triton --------------------------------------------------------------- */

#define BLOCKED                                                       \
    "#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], " \
    "warpsPerCTA = [2, 1], order = [1, 0]}>"

static const unsigned shape[2] = {16, 16};

static void names_and_comments_are_read_in_any_order(void) {
    static const char *const texts[] = {
        BLOCKED,
        "#a = " BLOCKED "\n#a",
        "// a comment, with #b\n#b = #a #a=" BLOCKED "\n\t#b // the end",
        ("#ttg.blocked<{order=[1,0],warpsPerCTA=[2,1],threadsPerWarp=[8,4],"
         "sizePerThread=[1,2]}>"),
    };
    for (unsigned k = 0; k < sizeof texts / sizeof *texts; ++k) {
        const ll_foreign f = ll_from_triton(texts[k], 2, shape);
        CHECK(ll_is_equal(f.layout,
                          ll_parse("register: j0 j3 | lane: j1 j2 i0 i1 i2 | "
                                   "warp: i3")));
    }
}

static void tensors_may_have_nine_axes(void) {
    const unsigned sizes[9] = {2, 2, 1, 1, 1, 1, 1, 1, 2};
    const ll_foreign f = ll_from_triton(
        "#ttg.blocked<{sizePerThread = [1,1,1,1,1,1,1,1,2], threadsPerWarp = "
        "[2,1,1,1,1,1,1,1,1], warpsPerCTA = [1,2,1,1,1,1,1,1,1], order = "
        "[8,7,6,5,4,3,2,1,0]}>",
        9, sizes);
    CHECK(ll_size(f.layout.out, LL_I) == 2u && f.layout.out.n == 9u);
    CHECK(f.layout.out.dim[0] == ll_dim_of("q"));
    CHECK(f.layout.basis[0] == 1u && f.layout.basis[1] == 4u &&
          f.layout.basis[2] == 2u);
}

static void wrong_attributes_have_a_place_and_a_reason(void) {
    static const wrong list[] = {
        {"", 1, "begins with #"},
        {"#a", 1, "not defined"},
        {"#a = #b #b = #a #a", 14, "stand for each other"},
        {"#ttg.bloked<{}>", 6, "no attribute"},
        {"#ttg.blocked<{}>", 6, "lacks"},
        {"#ttg.blocked<{", 13, "not closed"},
        {BLOCKED " #x", 103, "goes on"},
        {"#ttg.blocked<{sizePerThread = [1, 3], threadsPerWarp = [8, 4], "
         "warpsPerCTA = [2, 1], order = [1, 0]}>",
         0, "power of two"},
        {"#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], "
         "warpsPerCTA = [2, 1], order = [1, 1]}>",
         94, "each axis once"},
        {"#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [8, 4], "
         "warpsPerCTA = [2, 1], order = [1, 0]}>",
         31, "each axis"},
        {"#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], "
         "warpsPerCTA = [2, 1], ordre = [1, 0]}>",
         6, "lacks"},
        {"#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], "
         "warpsPerCTA = [2, 1], order = [1, 0], more = 1}>",
         102, "no such key"},
        {"#ttg.shared_linear<{offset = [[0, 1], [1, 0]]}, alignment = 12>", 61,
         "power of two"},
        {"#ttg.padded_shared<[4:+4, 4:+8] {order = [1, 0], shape = [16, 16]}>",
         27, "twice"},
        {"#ttg.slice<{dim = 3, parent = " BLOCKED "}>", 19, "no room"},
        {"#ttg.dot_op<{opIdx = 0, parent = " BLOCKED ", kWidth = 2}>", 6,
         "kWidth"},
        {"#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = x, order = "
         "[1, 0]}>",
         57, "number"},
    };
    for (unsigned k = 0; k < sizeof list / sizeof *list; ++k) {
        const ll_foreign f = ll_from_triton(list[k].text, 2, shape);
        const int ok = f.layout.err == LL_ETEXT && f.why &&
                       (!list[k].at || f.layout.at == list[k].at) &&
                       strstr(f.why, list[k].why);
        if (!ok) {
            ll_foreign_error(list[k].text, f, text, sizeof text);
            printf("  %s\n", text);
        }
        CHECK(ok);
    }
    const unsigned odd[2] = {16, 12};
    const ll_foreign f = ll_from_triton(BLOCKED, 2, odd);
    CHECK(f.layout.err == LL_ESIZE && f.layout.at == 12u && !f.why);
    CHECK(ll_from_triton(BLOCKED, 0, odd).layout.err == LL_EDIMS);
    CHECK(ll_from_triton(BLOCKED, 17, odd).layout.err != LL_OK);
}

/* ---- Pictures ------------------------------------------------------------- */

static ll_target some_target(void) {
    const unsigned gfx[] = {0x908, 0x942, 0x950, 0x1100, 0x1201};
    const unsigned sm[] = {75, 80, 90, 100};
    const unsigned k = test_random(5);
    return test_random(2) ? ll_amd_target(gfx[k], k < 3u ? 64 : 32)
                          : ll_ptx_target(sm[k % 4u]);
}

/* The element in a cell, which has its coordinates. */
static unsigned element_in(const ll_cell *c, const ll_shape *s) {
    const char *at = c->text;
    unsigned y = 0;
    for (unsigned k = s->n; k-- > 0;) {
        char *end = NULL;
        y |= ll_pack(*s, s->dim[k], (unsigned)strtoul(at, &end, 10));
        CHECK(end > at && *end == (k ? ',' : 0));
        at = end + 1;
    }
    return y;
}

static void cells_have_the_elements_and_places_of_the_layout(void) {
    for (unsigned n = 0; n < times(300); ++n) {
        const ll_target t = some_target();
        const random_pair c = random_conversion(ll_log2_(t.lanes), 9, 5, 1);
        const ll_view h = ll_view_hardware(c.a);
        CHECK(h.rows * h.cols == 1u << ll_total_(&c.a.in));
        for (unsigned row = 0; row < h.rows; ++row) {
            const unsigned col = test_random(h.cols);
            const ll_cell cell = ll_cell_at(&h, row, col);
            CHECK(element_in(&cell, &c.a.out) ==
                  value(&c.a, row * h.cols + col));
            CHECK(cell.element == element_in(&cell, &c.a.out));
        }
        const ll_view v = ll_view_tensor(c.a);
        CHECK(v.err || v.rows * v.cols == 1u << ll_total_(&c.a.out));
        for (unsigned row = 0; row < v.rows; ++row) {
            const unsigned col = test_random(v.cols);
            const ll_cell cell = ll_cell_at(&v, row, col);
            const char *at = cell.text;
            unsigned x = 0;
            for (unsigned k = c.a.in.n; k-- > 0;) {
                char *end = NULL;
                x |= ll_pack(c.a.in, c.a.in.dim[k],
                             (unsigned)strtoul(at, &end, 10));
                at = end + 1;
            }
            CHECK(value(&c.a, x) == row * v.cols + col);
        }
    }
}

/* Reads back an access: no bank serves a word twice in a phase, and each lane
 * that gives an address is served. A conflict is marked if there is one. */
static void check_access(const ll_view *v, const ll_step *s) {
    unsigned marks = 0;
    unsigned served_words = 0;
    CHECK(v->kind == LL_VIEW_BANKS && v->rows == s->wavefronts);
    for (unsigned row = 0; row < v->rows; ++row) {
        for (unsigned col = 0; col < v->cols; ++col) {
            const ll_cell c = ll_cell_at(v, row, col);
            marks += c.mark;
            served_words += c.text[0] ? 1u : 0u;
        }
    }
    CHECK((marks != 0) == (s->wavefronts > s->least));
    unsigned long long lanes = 0; /* that are in some phase */
    for (unsigned k = 0; k < v->phases << v->phase.n; ++k) {
        const unsigned lane =
            ll_lane_in_phase_(v, k >> v->phase.n, k & ll_ones_(v->phase.n));
        CHECK(lane <= v->named && !(lanes >> lane & 1u));
        lanes |= 1ull << lane;
    }
    CHECK(lanes == ~0ull >> (63u - v->named));
    /* words of all phases, counted from the addresses */
    unsigned words = 0;
    for (unsigned phase = 0; phase < v->phases; ++phase) {
        unsigned seen[256];
        unsigned n = 0;
        for (unsigned k = 0; k < 1u << v->phase.n; ++k) {
            const unsigned lane = ll_lane_in_phase_(v, phase, k);
            unsigned at = v->start;
            for (unsigned b = 0; b < 6u; ++b) {
                at ^= (lane & v->named) >> b & 1u ? v->lane[b] : 0u;
            }
            for (unsigned byte = 0; byte < v->bytes; byte += v->bank_bytes) {
                const unsigned word = at / v->bank_bytes + byte / v->bank_bytes;
                unsigned m = 0;
                while (m < n && seen[m] != word) {
                    ++m;
                }
                seen[m] = word;
                n += m == n;
            }
        }
        words += n;
    }
    CHECK(words == served_words);
}

static void frames_have_the_wavefronts_of_the_plan(void) {
    unsigned accesses = 0;
    for (unsigned n = 0; n < times(400); ++n) {
        const ll_target t = some_target();
        const unsigned bits = 8u << test_random(4);
        const random_pair c =
            random_conversion(ll_log2_(t.lanes), 9, 5, test_random(4));
        const ll_plan p = ll_plan_by(c.a, c.b, bits, t, LL_SHARED);
        for (unsigned f = 0; f < ll_frames(p); ++f) {
            unsigned at = 0;
            const ll_view v = ll_view_frame(p, c.a, c.b, t, f);
            const unsigned k = ll_frame_step_(&p, f, &at);
            CHECK(v.err == LL_OK && v.rows && v.cols);
            if (k < p.n &&
                (p.step[k].op == LL_OP_STORE || p.step[k].op == LL_OP_LOAD)) {
                check_access(&v, &p.step[k]);
                ++accesses;
            }
            const unsigned len = ll_frame_words(p, f, text, sizeof text);
            CHECK(len == strlen(text) && len && text[len - 1u] == '\n');
        }
        CHECK(ll_view_frame(p, c.a, c.b, t, ll_frames(p)).err);
    }
    COVERS(accesses > 1000u);
}

/* What lanes hold after the last step of an exchange is what b says. Returns
 * the steps. */
static unsigned check_exchange(const ll_plan *p, ll_layout a, ll_layout b) {
    b = ll_in_block_(ll_hardware_(b));
    ll_view v = ll_view_hardware(ll_in_block_(ll_hardware_(a)));
    v.kind = LL_VIEW_AFTER;
    v.step = p->n - 1u;
    v.p = *p;
    v.split = p->to_bits;
    v.rows = p->threads;
    v.cols = 1u << p->to_bits;
    for (unsigned row = 0; row < v.rows; ++row) {
        for (unsigned col = 0; col < v.cols; ++col) {
            const ll_cell cell = ll_cell_at(&v, row, col);
            const unsigned x = row << p->to_bits | col;
            CHECK(element_in(&cell, &b.out) ==
                  value(&b, x & ll_ones_(ll_total_(&b.in))));
        }
    }
    return p->n;
}

static void exchanges_end_with_the_elements_of_the_destination(void) {
    unsigned steps = 0;
    for (unsigned n = 0; n < times(1500); ++n) {
        const ll_target t = some_target();
        const random_pair c = random_small(&t);
        const ll_plan p =
            ll_plan_by(c.a, c.b, 8u << test_random(4), t, LL_SHUFFLES);
        if (!p.err && p.n && !c.blocks) {
            steps += check_exchange(&p, c.a, c.b);
        }
    }
    COVERS(steps > 300u);
    const ll_layout a =
        ll_parse("register: j0 i5 | lane: j1 j2 i0 i1 i2 i3 | warp: i4");
    const ll_layout b =
        ll_parse("register: j0 i3 | lane: j1 j2 i0 i1 i2 i5 | warp: i4");
    const ll_plan p = ll_plan_of(a, b, 32, ll_amd_target(0x950, 64));
    unsigned swaps = 0;
    for (unsigned k = 0; k < p.n; ++k) {
        swaps += p.step[k].op == LL_OP_SWAP;
    }
    CHECK(swaps == 1u && check_exchange(&p, a, b) == p.n);
}

static unsigned count_of(const char *what) {
    unsigned n = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; ++at) {
        ++n;
    }
    return n;
}

static void every_form_has_every_cell(void) {
    const ll_layout a = ll_rows(16, 16, 4);
    const ll_view views[] = {
        ll_view_matrix(a), ll_view_tensor(a), ll_view_hardware(a),
        ll_view_banks(ll_trans(a, "j i"),
                      ll_row_major(ll_shape_of("j=16 i=16")), 32, 4, LL_READ,
                      LL_SM90)};
    for (unsigned k = 0; k < 4u; ++k) {
        const ll_view *v = &views[k];
        for (unsigned form = LL_AS_TEXT; form <= LL_AS_CSV; ++form) {
            char start[20];
            const unsigned n = ll_picture(*v, form, text, sizeof text);
            CHECK(n == strlen(text) && n < sizeof text);
            CHECK(ll_picture(*v, form, start, sizeof start) == n);
            CHECK(strncmp(start, text, sizeof start - 1u) == 0);
            if (form != LL_AS_SVG) {
                CHECK(count_of("\n") == v->rows + 1u);
            } else {
                CHECK(count_of("<svg ") == 1u && count_of("</svg>") == 1u);
                CHECK(count_of("<text ") == count_of("</text>"));
            }
            if (form == LL_AS_CSV) {
                CHECK(count_of(",") >= v->cols * (v->rows + 1u));
            }
        }
    }
    CHECK(views[3].ways == 4u && views[3].rows == 4u);
    CHECK(ll_picture(ll_view_tensor(ll_none_(LL_ESIZE)), LL_AS_SVG, text,
                     sizeof text) == strlen(ll_strerror(LL_ESIZE)) + 1u);
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(offsets_are_those_of_the_definition);
    RUN(compositions_apply_the_last_term_first);
    RUN(wrong_texts_of_cute_have_a_place_and_a_reason);
    RUN(names_and_comments_are_read_in_any_order);
    RUN(tensors_may_have_nine_axes);
    RUN(wrong_attributes_have_a_place_and_a_reason);
    RUN(cells_have_the_elements_and_places_of_the_layout);
    RUN(frames_have_the_wavefronts_of_the_plan);
    RUN(exchanges_end_with_the_elements_of_the_destination);
    RUN(every_form_has_every_cell);
    return test_end();
}
