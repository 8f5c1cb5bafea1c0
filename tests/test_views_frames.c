/* test_views_frames.c - pictures of the steps of a plan, and their words.
 * SPDX-License-Identifier: MIT
 *
 * Pictures are read back and compared with the wavefronts that the addresses of
 * a plan's steps take, counted one by one.
 */
#include "../ll.h"
#include "../tools/views/ll_views.h"
#include "machines.h"
#include "views.h"

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

static int same_cells(const ll_view *v, const ll_view *w) {
    int same = v->rows == w->rows && v->cols == w->cols;
    for (unsigned k = 0; same && k < v->rows * v->cols; ++k) {
        const ll_cell x = ll_cell_at(v, k / v->cols, k % v->cols);
        const ll_cell y = ll_cell_at(w, k / v->cols, k % v->cols);
        same = strcmp(x.text, y.text) == 0 && x.element == y.element;
    }
    return same;
}

/* Notes the elements of the words that an access serves. */
static void note_elements(const ll_view *v, unsigned char *seen) {
    const unsigned all = ll_shape_bits_(&v->a.in);
    for (unsigned n = 0; n < v->rows * v->cols; ++n) {
        const ll_cell c = ll_cell_at(v, n / v->cols, n % v->cols);
        for (unsigned x = 0; c.text[0] && x < 1u << all; ++x) {
            if (value(&v->a, x) == c.element) { /* and the rest of its word */
                const unsigned word = (x << v->scale) / v->bank_bytes;
                for (unsigned y = 0; y < 1u << all; ++y) {
                    seen[value(&v->a, y)] |=
                        (y << v->scale) / v->bank_bytes == word;
                }
            }
        }
    }
}

/* All accesses of a step together serve what the lanes of warp 0 hold. */
static void check_served(const ll_plan *p, const ll_layout *side,
                         const unsigned char *seen) {
    unsigned missing = 0;
    for (unsigned x = 0; x < p->lanes << side->in.bits[0]; ++x) {
        missing += !seen[value(side, x)];
    }
    CHECK(missing == 0);
}

/* Each lane accesses what it holds in some register, and nothing else. */
static void check_addresses(const ll_view *v, const ll_layout *side,
                            unsigned bits) {
    const unsigned regs = side->in.bits[0];
    unsigned bad = 8u << v->scale != bits;
    for (unsigned lane = 0; lane <= v->named; ++lane) {
        const unsigned at = given_address(v, lane);
        for (unsigned x = 0; x < v->bytes * 8u / bits; ++x) {
            const unsigned y = value(&v->a, at * 8u / bits + x);
            unsigned r = 0;
            while (r >> regs == 0 && value(side, lane << regs | r) != y) {
                ++r;
            }
            bad += r >> regs;
        }
    }
    CHECK(bad == 0);
}

/* Before the store each lane has what layout a gives it, in some register. */
static void check_lanes(const ll_view *v, const ll_layout *a) {
    const ll_layout side = ll_in_block_(ll_hardware_(*a));
    const unsigned regs = side.in.bits[0];
    unsigned bad = v->kind != LL_VIEW_AFTER;
    for (unsigned row = 0; row < v->rows; ++row) {
        const unsigned thread = row & ll_ones_(ll_shape_bits_(&side.in) - regs);
        for (unsigned col = 0; col < v->cols; ++col) {
            const unsigned y = ll_cell_at(v, row, col).element;
            unsigned r = 0;
            while (r >> regs == 0 && value(&side, thread << regs | r) != y) {
                ++r;
            }
            bad += r >> regs;
        }
    }
    CHECK(bad == 0);
}

static void frames_have_the_wavefronts_of_the_plan(void) {
    static unsigned char seen[1u << 12];
    unsigned accesses = 0, last_steps = 0;
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
                const int store = p.step[k].op == LL_OP_STORE;
                const ll_layout side =
                    ll_in_block_(ll_hardware_(store ? c.a : c.b));
                if (at == 0) {
                    memset(seen, 0, sizeof seen);
                }
                CHECK(ll_is_equal(v.a, p.memory));
                if (ll_shape_bits_(&p.memory.in) < 9u && !p.passes &&
                    !p.nibbles && !p.blocks &&
                    ll_shape_same_(&side.out, &p.memory.out)) {
                    note_elements(&v, seen);
                    if (!p.step[k].form) {
                        check_addresses(&v, &side, bits);
                    }
                    if (at + 1u == ll_step_frames_(&p, k)) {
                        check_served(&p, &side, seen);
                    }
                }
            } else if (k == 0) {
                check_lanes(&v, &c.a);
            } else if (k == 4u && p.n == 5u && !p.nibbles) {
                const ll_view w =
                    ll_view_hardware(ll_in_block_(ll_hardware_(c.b)));
                CHECK(v.kind == LL_VIEW_HARDWARE && same_cells(&v, &w));
                ++last_steps;
            }
            const unsigned len = ll_frame_words(p, f, text, sizeof text);
            CHECK(len == strlen(text) && len && text[len - 1u] == '\n');
        }
        CHECK(ll_view_frame(p, c.a, c.b, t, ll_frames(p)).err);
    }
    COVERS(accesses > 1000u && last_steps > 5u);
}

/* ldmatrix and stmatrix: eight rows of 16 bytes in a phase, and all that a warp
 * holds in some row. */
static void matrices_are_served_row_by_row(void) {
    static unsigned char seen[1u << 12];
    unsigned steps = 0;
    for (unsigned n = 0; n < 8u; ++n) {
        const ll_layout b = n % 2u ? ll_ptx_mma_b(16, 16, 16, 1)
                                   : ll_ptx_mma_a(16, n & 4u ? 8 : 16, 16, 1);
        const ll_layout a = ll_rows_for(b, 2);
        const ll_layout from = n & 2u ? b : a, to = n & 2u ? a : b;
        const ll_plan p = ll_plan_by(from, to, 16, LL_SM90, LL_SHARED);
        const unsigned k = n & 2u ? 1u : 3u;
        memset(seen, 0, sizeof seen);
        for (unsigned f = 0; f < ll_frames(p); ++f) {
            unsigned at = 0;
            const ll_view v = ll_view_frame(p, from, to, LL_SM90, f);
            if (p.step[k].form && ll_frame_step_(&p, f, &at) == k) {
                check_access(&v, &p.step[k]);
                CHECK(v.bytes == 16u && v.phase.n == 3u);
                CHECK(v.named + 1u == p.step[k].bytes * 32u / 16u);
                note_elements(&v, seen);
                if (at + 1u == ll_step_frames_(&p, k)) {
                    const ll_layout side = ll_hardware_(b);
                    check_served(&p, &side, seen);
                    ++steps;
                }
            }
        }
    }
    CHECK(steps > 3u);
}

/* Accesses of more than one instruction, with constants, of 8 bytes; no lane
 * reads what another one wants. */
static void frames_of_known_plans_serve_what_lanes_hold(void) {
    static const struct {
        const char *a, *b;
        unsigned bits;
    } list[] = {
        {"register: j0 j1 | lane: j2 j3 i0 i1 i2",
         "register: i0 i1 | lane: i2 j0 j1 j2 j3", 32},
        {"register: j0 j1 | lane: j2 j3 i0 i1 i2 | 1: j0^i1",
         "register: i0 i1 | lane: i2 j0 j1 j2 j3 | 1: i0^j3", 32},
        {"register: j0 j1 | lane: j2 j3 i0 i1 i2 | 1: j0^i1",
         "register: i0 i1 | lane: i2 j0 j1 j2 j3 | 1: i0^j3", 64},
        {"register: j0^j2^i4 j2 i2 | lane: j1^i1^i4 j0^i2 "
         "j0^j1^j2^i1^i2^i3^i4 j0^j1^j2^i0^i1 j2^i0^i1^i2 | 1: j0^i4",
         "register: i4 0 j1 | lane: j0 i2 i0 i1 i3 | warp: j2 | "
         "1: j0^j1^i0^i1^i3", 32},
    };
    static unsigned char seen[1u << 12];
    for (unsigned n = 0; n < sizeof list / sizeof *list; ++n) {
        const ll_layout a = L(list[n].a), b = L(list[n].b);
        const ll_plan p = ll_plan_by(a, b, list[n].bits, LL_SM90, LL_SHARED);
        unsigned steps = 0;
        for (unsigned f = 1; f + 1u < ll_frames(p); ++f) {
            unsigned at = 0;
            const ll_view v = ll_view_frame(p, a, b, LL_SM90, f);
            const unsigned k = ll_frame_step_(&p, f, &at);
            const unsigned op = p.step[k].op;
            if (op != LL_OP_STORE && op != LL_OP_LOAD) {
                continue;
            }
            const ll_layout side = ll_hardware_(op == LL_OP_STORE ? a : b);
            if (at == 0) {
                memset(seen, 0, sizeof seen);
            }
            check_access(&v, &p.step[k]);
            check_addresses(&v, &side, list[n].bits);
            note_elements(&v, seen);
            if (at + 1u == ll_step_frames_(&p, k)) {
                check_served(&p, &side, seen);
                ++steps;
            }
        }
        CHECK(!p.err && steps == 2u);
    }
}

/* What lanes hold after the last step of an exchange is what b says. Returns
 * the steps. */
static unsigned check_exchange(const ll_plan *p, ll_layout a, ll_layout b,
                               ll_target t) {
    unsigned at = 0;
    const unsigned f = ll_frames(*p) - 2u, k = ll_frame_step_(p, f, &at);
    ll_view v = ll_view_frame(*p, a, b, t, f);
    b = ll_in_block_(ll_hardware_(b));
    CHECK(v.rows == p->threads || k == p->n);
    CHECK(v.kind == LL_VIEW_AFTER || k == p->n);
    CHECK(k >= p->n || v.cols == 1u << p->step[k].bits);
    if (k + 1u != p->n) { /* a step without instructions has no frame */
        v.kind = LL_VIEW_AFTER;
        v.step = p->n - 1u;
        v.p = *p;
        v.rows = p->threads;
        v.cols = 1u << p->to_bits;
    }
    for (unsigned row = 0; row < v.rows; ++row) {
        for (unsigned col = 0; col < v.cols; ++col) {
            const ll_cell cell = ll_cell_at(&v, row, col);
            const unsigned x = row << p->to_bits | col;
            CHECK(element_in(&cell, &b.out) ==
                  value(&b, x & ll_ones_(ll_shape_bits_(&b.in))));
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
            steps += check_exchange(&p, c.a, c.b, t);
        }
    }
    COVERS(steps > 300u);
    const ll_layout a =
        ll_parse("register: j0 i5 | lane: j1 j2 i0 i1 i2 i3 | warp: i4");
    const ll_layout b =
        ll_parse("register: j0 i3 | lane: j1 j2 i0 i1 i2 i5 | warp: i4");
    const ll_target t = ll_amd_target(0x950, 64);
    const ll_plan p = ll_plan_of(a, b, 32, t);
    unsigned swaps = 0;
    for (unsigned k = 0; k < p.n; ++k) {
        swaps += p.step[k].op == LL_OP_SWAP;
    }
    CHECK(swaps == 1u && check_exchange(&p, a, b, t) == p.n);
}

/* Halves of words are permuted before words are stored. */
static void frames_of_memory_begin_with_a_permute(void) {
    const ll_layout a = L("register: j0 i3 | lane: i4 i5 i1 i2 i0");
    const ll_layout b = L("register: i4 0 j0 0 | lane: i0 i2 i3 i1 i5");
    const ll_plan p = ll_plan_by(a, b, 16, LL_SM90, LL_SHARED);
    unsigned at = 0;
    CHECK(p.step[0].count != 0 && ll_frame_step_(&p, 1, &at) == 0);
    const ll_view v = ll_view_frame(p, a, b, LL_SM90, 1);
    check_lanes(&v, &a);
}

static void words_of_frames(const ll_plan *p, const char *const *want) {
    for (unsigned f = 0; f <= ll_frames(*p); ++f) {
        ll_frame_words(*p, f, text, sizeof text);
        CHECK(strcmp(text, f < ll_frames(*p)
                               ? want[f]
                               : "there is no plan: a dimension that is asked "
                                 "for is not in the layout\n") == 0);
    }
}

static void frames_say_what_happens(void) {
    static const char *const through[] = {
        "before: data goes through shared memory, 512 bytes, about 9 cycles "
        "per warp\n",
        "store 1 of 1: each lane stores 4 elements to shared memory in 1 "
        "access of 16 bytes, 4 wavefronts: no bank conflicts\n",
        "__syncwarp()\n",
        "load 1 of 4: each lane loads 4 elements from shared memory in 4 "
        "accesses of 4 bytes, 1 wavefront each: no bank conflicts\n",
        "load 2 of 4: each lane loads 4 elements from shared memory in 4 "
        "accesses of 4 bytes, 1 wavefront each: no bank conflicts\n",
        "load 3 of 4: each lane loads 4 elements from shared memory in 4 "
        "accesses of 4 bytes, 1 wavefront each: no bank conflicts\n",
        "load 4 of 4: each lane loads 4 elements from shared memory in 4 "
        "accesses of 4 bytes, 1 wavefront each: no bank conflicts\n",
        "after: data goes through shared memory, 512 bytes, about 9 cycles per "
        "warp\n"};
    static const char *const within[] = {
        "before: data stays in its warp, about 4 cycles per warp\n",
        "2 selects reorder each lane's registers\n",
        "1 shuffle exchanges words between lanes\n",
        "2 selects reorder each lane's registers\n",
        "after: data stays in its warp, about 4 cycles per warp\n"};
    static const char *const none[] = {"before: nothing moves\n",
                                       "after: nothing moves\n"};
    const ll_layout a = L("register: j0 j1 | lane: j2 j3 i0 i1 i2");
    const ll_layout b = L("register: i0 i1 | lane: i2 j0 j1 j2 j3");
    ll_plan p = ll_plan_by(a, b, 32, LL_SM90, LL_SHARED);
    CHECK(ll_frames(p) == 8u);
    words_of_frames(&p, through);
    const ll_view views[3] = {ll_view_hardware(ll_hardware_(a)),
                              ll_view_hardware(p.memory),
                              ll_view_hardware(ll_hardware_(b))};
    static const unsigned frame[3] = {0, 2, 7};
    for (unsigned k = 0; k < 3u; ++k) {
        const ll_view v = ll_view_frame(p, a, b, LL_SM90, frame[k]);
        CHECK(v.kind == LL_VIEW_HARDWARE && same_cells(&v, &views[k]));
    }
    CHECK(ll_view_frame(p, a, b, LL_SM90, 1).rows == 4u);
    CHECK(ll_view_frame(p, a, b, LL_SM90, 6).rows == 1u);
    CHECK(ll_view_frame(p, a, b, LL_SM90, 8).err == LL_EMISSING);
    const ll_layout from = L("register: j0 | lane: j1 i0 i1 i2 i3");
    const ll_layout to = L("register: j1 | lane: j0 i0 i1 i2 i3");
    p = ll_plan_by(from, to, 32, LL_SM90, LL_SHUFFLES);
    CHECK(ll_frames(p) == 5u);
    words_of_frames(&p, within);
    const ll_view v = ll_view_frame(p, from, to, LL_SM90, 3);
    const ll_view end = ll_view_hardware(ll_hardware_(to));
    CHECK(v.kind == LL_VIEW_AFTER && same_cells(&v, &end));
    p = ll_plan_of(from, from, 32, LL_SM90);
    CHECK(ll_frames(p) == 2u);
    words_of_frames(&p, none);
    const ll_layout turned = L("register: j1 j0 | lane: j2 j3 i0 i1 i2");
    p = ll_plan_of(a, turned, 32, LL_SM90); /* other names of registers */
    CHECK(ll_frames(p) == 3u && p.n == 1u && p.step[0].count == 0);
    const ll_view one = ll_view_frame(p, a, turned, LL_SM90, 1);
    const ll_view last = ll_view_hardware(ll_hardware_(turned));
    CHECK(one.kind == LL_VIEW_AFTER && same_cells(&one, &last));
    p = ll_plan_of(ll_layout_none_(LL_ESIZE), from, 32, LL_SM90);
    CHECK(ll_frames(p) == 0);
    CHECK(ll_view_frame(p, from, from, LL_SM90, 0).err == LL_ESIZE);
    ll_frame_words(p, 0, text, sizeof text);
    CHECK(strncmp(text, "there is no plan: ", 18) == 0 &&
          strstr(text, ll_strerror(LL_ESIZE)));
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(frames_have_the_wavefronts_of_the_plan);
    RUN(matrices_are_served_row_by_row);
    RUN(frames_of_known_plans_serve_what_lanes_hold);
    RUN(exchanges_end_with_the_elements_of_the_destination);
    RUN(frames_of_memory_begin_with_a_permute);
    RUN(frames_say_what_happens);
    return test_end();
}
