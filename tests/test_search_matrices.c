/* test_search_matrices.c - matrix instructions in the search for memory, and
 * limits of scans and gathers.
 * SPDX-License-Identifier: MIT
 *
 * Rows of matrices are looked up lane by lane, with sets of all sums.
 */
#include "definition.h"

#include "../ll_amd.h"
#include "../ll_ptx.h"
#include "search_spans.h"

/* ---- Matrices ------------------------------------------------------------ */

static unsigned digit_of(ll_form form, unsigned k) {
    return (unsigned)(form >> 4u * k) & 15u;
}

/* Registers and lanes that hold the rows of a form: each byte of a row where
 * its digit says, all else above the row. */
static ll_layout fitting(ll_form form, unsigned scale, unsigned lanes,
                         unsigned regs, unsigned warps) {
    const unsigned row = digit_of(form, 10) - scale; /* log2 of its elements */
    ll_shape in = ll_with(ll_shape_of(""), LL_REGISTER, 1u << regs);
    in = ll_with(ll_with(in, LL_LANE, 1u << lanes), LL_WARP, 1u << warps);
    ll_layout x = ll_zero(in, ll_with(ll_shape_of(""), LL_OFFSET, 1u << 20));
    unsigned free = row;
    for (unsigned k = 0; k < regs + lanes + warps; ++k) {
        const unsigned digit = k < regs && k + scale < 4u
                                   ? digit_of(form, k + scale)
                               : k >= regs && k < regs + lanes
                                   ? digit_of(form, 4u + k - regs)
                                   : 15u;
        x.basis[k] = 1u << (digit < 8u ? digit - scale : free++);
        x.basis[k] ^= digit >= 8u && test_random(3) == 0 && k
                          ? x.basis[k - 1u] >> row << row : 0u;
    }
    for (unsigned k = 0; k < 2u * regs; ++k) { /* registers in any order */
        const unsigned p = test_random(regs), q = test_random(regs);
        const unsigned column = x.basis[p];
        x.basis[p] = x.basis[q];
        x.basis[q] = column;
    }
    x.offset = test_random(4) ? 0u : test_random(1u << (free - row)) << row;
    return x;
}

/* The positions of a step take the bytes of its rows in order, each position
 * bit one register. */
static void check_rows(const ll_step *s, const ll_layout *x, ll_form form,
                       unsigned scale) {
    const unsigned row = digit_of(form, 10) - scale;
    unsigned all = 0;
    for (unsigned k = 0; k < s->at.n; ++k) {
        const unsigned digit = k + scale < 4u ? digit_of(form, k + scale) : 15u;
        unsigned reg = 0;
        while (reg < 31u && s->at.reg[k] != 1u << reg) {
            ++reg;
        }
        all |= s->at.reg[k];
        CHECK(x->basis[reg] == s->at.place[k]);
        CHECK(digit < 8u ? s->at.place[k] == 1u << (digit - scale)
                         : s->at.place[k] % (1u << row) == 0);
    }
    CHECK(all == (1u << s->at.n) - 1u && s->at.n == x->in.bits[0]);
}

/* The lanes that name rows, and by which places (PTX ISA and CDNA4 ISA, by the
 * digits of the form). */
static void check_row_lanes(const ll_step *s, const ll_layout *x, ll_form form,
                            unsigned scale) {
    unsigned lane[8] = {9, 9, 9, 9, 9, 9, 9, 9};
    unsigned count = 0;
    const unsigned n =
        ll_row_lanes_(x, &s->at, form, scale, lane);
    for (unsigned r = 0; r < 6u; ++r) {
        unsigned k = 0;
        while (k < 10u && digit_of(form, k) != 8u + r) {
            ++k;
        }
        const int reg = k < 4u && k < s->at.vector + scale;
        CHECK(lane[r] == (reg                   ? s->at.place[k - scale]
                          : k >= 4u && k < 10u ? x->basis[x->in.bits[0] + k -
                                                          4u]
                                               : 0u));
        count += reg || (k >= 4u && k < 10u);
    }
    CHECK(n == count && lane[6] == 9u && lane[7] == 9u);
}

/* What moves a row: the lanes that name it, or the next register that is not
 * one of the row's. */
static void check_matrix_rows(const ll_layout *x, ll_form form) {
    const ll_span_ row = random_vectors(3, 1);
    const ll_span_ regs = columns_of(x, 0, x->in.bits[0]);
    ll_span_ more = row;
    unsigned next = row.n;
    for (unsigned k = 0; k < regs.n; ++k) {
        append_new(&more, regs.v[k]);
    }
    const ll_span_ rows = ll_matrix_rows_(x, &row, form);
    CHECK(rows.n == 6u);
    for (unsigned r = 0; r < 6u; ++r) {
        unsigned k = 0;
        while (k < 10u && digit_of(form, k) != 8u + r) {
            ++k;
        }
        CHECK(rows.v[r] ==
              (k == 10u  ? 0u
               : k >= 4u ? x->basis[x->in.bits[0] + k - 4u]
               : next < more.n ? more.v[next++] : 0u));
    }
}

/* Of a row, the bytes that registers hold are their first ones where a word is
 * whole, else what both sides hold, or the last one. */
static void check_matrix_row(const ll_layout *x, ll_form form, unsigned scale,
                             const ll_target *t) {
    const ll_span_ common = random_vectors(2, 1);
    const int whole = digit_of(form, 0) == 0 && digit_of(form, 1) == 1u;
    int takes = form && scale < 4u && 1u << x->in.bits[1] == t->lanes;
    ll_span_ want = LL_ZERO;
    unsigned next = 0;
    for (unsigned k = 0; k < scale && k < 4u; ++k) {
        takes = takes && digit_of(form, k) == k;
    }
    for (unsigned d = scale; takes && d < digit_of(form, 10); ++d) {
        unsigned k = 0;
        while (digit_of(form, k) != d) {
            ++k;
        }
        if (k >= 4u) {
            append_new(&want, x->basis[x->in.bits[0] + k - 4u]);
        } else if (next < x->in.bits[0]) {
            append_new(&want, whole      ? x->basis[next]
                              : common.n ? common.v[0]
                                         : x->basis[x->in.bits[0] - 1u]);
            ++next;
        }
    }
    const ll_span_ row = ll_matrix_row_(x, &common, form, scale, t);
    CHECK(row.n == want.n && is_list(&row, &want, want.n));
}

/* Each form is taken where registers and lanes have their places, whatever the
 * order of the registers, and not where one has another. */
static void matrices_are_taken_where_they_fit(void) {
    const ll_target machines[3] = {LL_SM90, LL_SM100F, LL_GFX950};
    unsigned fits = 0;
    for (unsigned n = 0; n < 3000u; ++n) {
        const ll_target t = machines[n % 3u];
        const unsigned op = test_random(2), scale = test_random(3);
        const unsigned form = 1u + test_random(LL_MAX_FORMS - 1u);
        const ll_form code = t.forms[op][form];
        const unsigned lanes = t.lanes == 64u ? 6u : 5u;
        const unsigned regs = test_random(6), warps = test_random(3);
        const unsigned least = digit_of(code, 11), most = digit_of(code, 12);
        ll_layout small = random_nibbles(test_random(6), lanes, 4, 0);
        check_matrix_row(&small, code, test_random(5), &t);
        if (code) {
            check_matrix_rows(&small, code);
            small.in.bits[1] = (unsigned short)(11u - lanes);
            check_matrix_row(&small, code, scale, &t);
        }
        int takes = code != 0;
        for (unsigned k = 0; k < scale; ++k) {
            takes = takes && digit_of(code, k) == k;
        }
        if (!takes) {
            const ll_layout any = fitting(machines[0].forms[0][1], 0, lanes,
                                          regs + 1u, warps);
            CHECK(ll_step_by_matrices_(&any, form, scale, op, &t).wavefronts ==
                  0);
            continue;
        }
        ll_layout x = fitting(code, scale, lanes, regs, warps);
        const ll_step s = ll_step_by_matrices_(&x, form, scale, op, &t);
        CHECK((s.wavefronts != 0) == (regs + scale >= least));
        if (s.wavefronts) {
            const unsigned bits = regs + scale < most ? regs + scale : most;
            CHECK(s.form == form && s.bytes == 1u << bits);
            CHECK(s.count << bits == 1u << (regs + scale));
            check_rows(&s, &x, code, scale);
            check_row_lanes(&s, &x, code, scale);
            ++fits;
        }
        const ll_layout other = fitting(code, scale, 11u - lanes, regs, warps);
        CHECK(!ll_step_by_matrices_(&other, form, scale, op, &t).wavefronts);
        /* One place within a row too many, or a lane that holds copies. */
        ll_layout bad = x;
        const unsigned k = test_random(regs + lanes + warps + 1u);
        const unsigned y = 1u << test_random(digit_of(code, 10) - scale);
        *(k < regs + lanes + warps ? &bad.basis[k] : &bad.offset) ^= y;
        CHECK(k < regs || !ll_step_by_matrices_(&bad, form, scale, op,
                                                &t).wavefronts);
        bad = x;
        bad.basis[regs + test_random(lanes)] = 0;
        CHECK(!ll_step_by_matrices_(&bad, form, scale, op, &t).wavefronts);
        if (regs + scale > least) { /* a register that holds copies */
            bad = x;
            unsigned last = 0;
            for (unsigned r = 0; r < regs; ++r) {
                last = x.basis[r] > x.basis[last] ? r : last;
            }
            bad.basis[last] = 0;
            CHECK((ll_step_by_matrices_(&bad, form, scale, op, &t).wavefronts !=
                   0) == (op == LL_READ));
        }
    }
    CHECK(fits > 300u);
}

/* What the widths of an exchange share, and the ground of two of them. */
static void check_ends(const ll_layout *a, const ll_layout *b,
                       const ll_target *t, unsigned scale) {
    const ll_ends_ e = ll_ends_of_(a, b, scale, t);
    ll_span_ all = LL_ZERO, threads = LL_ZERO;
    const ll_layout *both[2] = {a, b};
    unsigned char in[2][256], all_threads[256], common[256];
    for (unsigned k = 0; k < 2u; ++k) {
        const ll_span_ regs = columns_of(both[k], 0, both[k]->in.bits[0]);
        span_of_list(&regs, in[k]);
        for (unsigned c = 0; c < bits_in(&both[k]->in); ++c) {
            append_new(&all, both[k]->basis[c]);
            append_new(&threads, c < both[k]->in.bits[0] ? 0u
                                                        : both[k]->basis[c]);
        }
    }
    CHECK(e.n == all.n && e.threads.n == threads.n);
    span_of_list(&threads, all_threads);
    span_of_list(&e.common, common);
    for (unsigned x = 1; x < 256u; ++x) { /* no thread reaches it */
        CHECK(!common[x] || (in[0][x] && in[1][x] && !all_threads[x]));
    }
}

/* Behind the vectors that threads of a make ones of the phase, each vector e
 * has its f of the phase: e ^ f is of the ground. */
static void check_take_wide(const ll_layout *a, const ll_target *t,
                            unsigned scale) {
    const ll_end_ end = ll_end_of_(a, scale, LL_WRITE, t);
    const ll_span_ phase = random_vectors(4, 1);
    const unsigned n = test_random(6);
    ll_ground_ g = LL_ZERO;
    ll_span_ reached = end.threads, free = end.threads;
    unsigned char set[256], held[256];
    g.low = random_vectors(1, 1);
    const ll_span_ low = g.low;
    ll_ground_take_wide_(&g, &end, &end.regs, &phase, n);
    CHECK(is_list(&g.low, &low, low.n) && (g.low.n <= n || g.low.n == low.n));
    span_of_list(&end.regs, held);
    for (unsigned k = 0; k < low.n; ++k) {
        append_new(&free, low.v[k]);
    }
    unsigned from = low.n;
    for (int wide = 1; wide && from < g.low.n;) { /* of the phase first */
        reached = free;
        for (unsigned k = 0; k < phase.n; ++k) {
            append_new(&reached, phase.v[k]);
        }
        span_of_list(&reached, set);
        wide = set[g.low.v[from]];
        if (wide) {
            append_new(&free, g.low.v[from++]);
        }
    }
    unsigned pairs = 0; /* vectors of the phase that are free of all that */
    ll_span_ fresh = free;
    for (unsigned k = 0; k < phase.n; ++k) {
        append_new(&fresh, phase.v[k]);
    }
    pairs = fresh.n - free.n;
    CHECK(g.high.n == (pairs < g.low.n - from ? pairs : g.low.n - from));
    for (unsigned k = low.n; k < g.low.n; ++k) {
        CHECK(held[g.low.v[k]]);
    }
    for (unsigned k = 0; k < g.high.n; ++k) {
        CHECK((g.high.v[k] ^ g.low.v[from + k]) == fresh.v[free.n + k]);
    }
}

static void widths_share_their_ends(void) {
    const ll_target t = LL_SM90;
    /* Of a phase of four vectors, none a thread of a, one leaves for each place
     * that accesses of a fill beyond those of b. */
    const ll_span_ four = {4, {1, 2, 4, 8}};
    for (unsigned n = 0; n < 15u; ++n) {
        const ll_end_ free = LL_ZERO;
        const ll_widths_ w = {LL_WRITE, n / 3u, n % 3u};
        CHECK(w.a < w.b ||
              ll_complement_left_(&free, &four, w) == 4u - (w.a - w.b));
    }
    for (unsigned n = 0; n < 600u; ++n) {
        const unsigned scale = test_random(5);
        ll_layout a = random_nibbles(test_random(7), 5, 4, 0);
        ll_layout b = random_nibbles(test_random(7), 5, 4, &a);
        for (unsigned k = 0; k < 5u; ++k) { /* few lanes, many registers */
            a.basis[a.in.bits[0] + k] *= test_random(2);
            b.basis[b.in.bits[0] + k] *= test_random(2);
        }
        check_ends(&a, &b, &t, scale);
        check_take_wide(&a, &t, scale);
    }
    /* Two permutes for each word that comes from four others; one for a word
     * of loaded halves, also where another register holds the same. */
    ll_access m = LL_ZERO;
    m.n = 4;
    for (unsigned k = 0; k < 4u; ++k) {
        m.reg[k] = 1u << (3u - k);
    }
    CHECK(ll_permutes_(&m, 8, 2, 2) == 2u * 4u);
    const ll_layout x = L("register: 0 offset4 | lane: offset0 offset1 offset2 "
                          "offset3 offset5");
    const ll_step s = ll_step_by_vectors_(&x, 1, LL_READ, &t);
    CHECK(s.at.n == 1u && s.at.copies == 1u && s.pack == 0);
    CHECK(ll_permutes_beside_(&s) == 2u);
}

/* The elements of an axis that registers hold alone, and that a list lacks. */
static void registers_hold_a_part_of_an_axis(void) {
    for (unsigned n = 0; n < 600u; ++n) {
        const unsigned dims = 1u + test_random(7);
        const ll_layout a = random_nibbles(test_random(8), 3, dims, 0);
        const unsigned at = test_random(2), start = at ? dims : 0u;
        const unsigned size = 1u << (at ? 8u - dims : dims);
        ll_span_ l = LL_ZERO, all;
        const ll_span_ regs = columns_of(&a, 0, a.in.bits[0]);
        unsigned char held[256], set[256];
        for (unsigned k = test_random(3); k > 0; --k) {
            append_new(&l, test_random(size));
        }
        span_of_list(&regs, held);
        all = l;
        for (unsigned x = 0; x < size; ++x) {
            if (held[x << start]) {
                append_new(&all, x);
            }
        }
        const ll_span_ some = ll_held_along_(&a, at, &l);
        CHECK(some.n == all.n - l.n);
        ll_span_ sum = l;
        for (unsigned k = 0; k < some.n; ++k) {
            CHECK(some.v[k] < size && held[some.v[k] << start]);
            append_new(&sum, some.v[k]);
        }
        span_of_list(&sum, set);
        CHECK(sum.n == all.n && size_of_set(set) == 1u << all.n);
    }
}

/* ---- Limits of scans and gathers ----------------------------------------- */

static unsigned scan_by_totals(const char *text) {
    const ll_target t = LL_SM90;
    ll_span_ axis = LL_ZERO, done = LL_ZERO;
    ll_layout a = ll_layout_reducible_(ll_parse(text), LL_I, 32, &t, &axis);
    const unsigned start = ll_shape_start_(&a.out, ll_axis_at_(&a.out, LL_I));
    ll_tree_of_(&a, &axis, &done);
    const ll_scan_plan s = ll_scan_plan_here_(&a, &axis, start, 32, &t);
    CHECK(s.err || s.lines + s.crosses == 8u);
    return s.err;
}

/* A lane loads up to 256 totals; an axis may have a level for each of 32 bits;
 * a gather with twice 128 words of a lane takes twice the time. */
static void scans_and_gathers_have_their_limits(void) {
    CHECK(scan_by_totals("register: j0 j1 j2 j3 | lane: i0 i1 i2 i3 i4 | "
                         "warp: i5 i6 i7 i8") == LL_OK);
    CHECK(scan_by_totals("register: j0 j1 j2 j3 j4 | lane: i0 i1 i2 i3 i4 | "
                         "warp: i5 i6 i7 i8") == LL_EBITS);
    ll_scan_plan s = LL_ZERO;
    ll_layout a = ll_zero(ll_shape_of("register=1 lane=32 warp=1"),
                          ll_shape_of("j=1"));
    a.in.bits[0] = 27;
    a.out.bits[0] = 32;
    s.n = 27;
    for (unsigned k = 0; k < 32u; ++k) {
        a.basis[k] = 1u << k;
        s.reg[k] = k < 27u ? 1u << k : 0u;
    }
    for (unsigned k = 0; k < 32u; ++k) {
        CHECK(ll_scan_rise_(&s, &a, 1u << k));
        CHECK(s.level[k].lane == (k < 27u ? 0u : 1u << (k - 27u)));
    }
    CHECK(s.levels == 32u && s.level[32].gone == (1u << 27) - 1u);
    CHECK(s.crosses == 0 && s.lines == 0 && s.between.err == 0);
    const ll_target t = LL_SM90;
    ll_gather_plan p = LL_ZERO;
    p.element_bits = 32;
    p.kind = LL_SHUFFLES;
    for (p.from_bits = 5; p.from_bits < 9u; ++p.from_bits) {
        for (p.to_bits = 5; p.to_bits < 9u; ++p.to_bits) {
            const unsigned words = (1u << p.from_bits) + (2u << p.to_bits);
            CHECK(ll_gather_cycles_(&p, 8u * 1280u, 0, &t) ==
                  (words > 128u ? 10u * words : 1280u));
        }
    }
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(matrices_are_taken_where_they_fit);
    RUN(widths_share_their_ends);
    RUN(registers_hold_a_part_of_an_axis);
    RUN(scans_and_gathers_have_their_limits);
    return test_end();
}
