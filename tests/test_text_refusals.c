/* test_text_refusals.c - errors, and what functions refuse.
 * SPDX-License-Identifier: MIT
 *
 * Every function refuses what it documents to refuse, and what is invalid
 * travels unchanged.
 */
#include "test.h"
#include "text.h"

#include "../ll.h"

/* ---- Buffers ------------------------------------------------------------- */

#define NUMBER(arg, code, number, text) code,
static const unsigned all_errors[] = {LL_OK,
                                      LL_ERRORS(NUMBER, all) LL_N_ERRORS_};

enum { ERRORS = sizeof all_errors / sizeof *all_errors };

static void no_two_errors_have_one_number(void) {
    unsigned times[LL_N_ERRORS_ + 1u] = LL_ZERO;
    for (unsigned n = 0; n < ERRORS; ++n) {
        CHECK(all_errors[n] <= LL_N_ERRORS_);
        CHECK(times[all_errors[n]]++ == 0);
    }
    for (unsigned k = 0; k < LL_N_ERRORS_; ++k) {
        CHECK(times[k] || strcmp(ll_strerror(k), ll_strerror(~0u)) == 0);
    }
}

static void every_error_has_its_own_sentence(void) {
    for (unsigned n = 0; n < ERRORS; ++n) {
        const unsigned k = all_errors[n];
        char text[ROOM];
        const char *sentence = ll_strerror(k);
        ll_layout a = ll_zero(ll_shape_of(""), ll_shape_of(""));
        a.err = k;
        CHECK(strlen(sentence) > 5u);
        for (unsigned m = 0; m < n; ++m) {
            CHECK(strcmp(sentence, ll_strerror(all_errors[m])) != 0);
        }
        ll_error("TURN", a, text, sizeof text);
        CHECK(strncmp(text, "ll: TURN: ", 10) == 0);
        CHECK(strncmp(text + 10, sentence, strlen(sentence)) == 0);
        a.at = 17;
        ll_error("TURN", a, text, sizeof text);
        CHECK((strstr(text, " (at character 17,") != NULL) == (k != 0));
        ll_str(a, text, sizeof text);
        CHECK(k == 0 || strcmp(text, sentence) == 0);
    }
}

/* ---- What functions refuse ----------------------------------------------- */

#define REFUSES(expression, code) CHECK((expression).err == (unsigned)(code))

static void makers_refuse_what_they_say(void) {
    const unsigned twice[2] = {0, 0};
    const unsigned far[1] = {4};
    ll_layout a = L("lane: i0 i1");
    REFUSES(ll_identity(3, LL_LANE, LL_I), LL_ESIZE);
    REFUSES(ll_strided(4, 3, LL_LANE, LL_I), LL_ESTEP);
    REFUSES(ll_strided(4, 0, LL_LANE, LL_I), LL_ESTEP);
    REFUSES(ll_strided(65536, 65536, LL_LANE, LL_I), LL_OK);
    REFUSES(ll_strided(65536, 131072, LL_LANE, LL_I), LL_EBITS);
    REFUSES(ll_zeros(4, LL_LANE, LL_I, 5), LL_ESIZE);
    REFUSES(ll_zero(ll_shape_of("i i"), ll_shape_of("j")), LL_ETWICE);
    REFUSES(ll_zero(ll_shape_of("i"), ll_shape_of("j=3")), LL_ESIZE);
    REFUSES(ll_row_major(ll_shape_of("i=3")), LL_ESIZE);
    REFUSES(ll_col_major(ll_shape_of("i=3")), LL_ESIZE);
    REFUSES(ll_perm_of(2, 2, twice), LL_EPERM);
    REFUSES(ll_perm_of(4, 1, far), LL_EPERM);
    REFUSES(ll_perm_of(33, 0, twice), LL_EPERM);
    REFUSES(ll_perm_swap(3, 0, 3), LL_EPERM);
    REFUSES(ll_permute(a, LL_LANE, ll_perm_swap(3, 0, 1)), LL_EPERM);
    REFUSES(ll_permute(a, LL_WARP, ll_perm_swap(2, 0, 1)), LL_EMISSING);
    a.basis[1] = 4;
    REFUSES(ll_check(a), LL_ERANGE);
    a = L("lane: i0 i1");
    a.offset = 4;
    REFUSES(ll_check(a), LL_ERANGE);
    a = L("lane: i0 i1");
    a.in.n = 17;
    REFUSES(ll_check(a), LL_EDIMS);
    a = L("lane: i0 | warp: i1");
    a.in.dim[1] = LL_LANE;
    REFUSES(ll_check(a), LL_ETWICE);
    a.in.dim[1] = 0;
    REFUSES(ll_check(a), LL_ENAME);
    a = L("lane: i0 | warp: i1");
    a.in.bits[1] = 32;
    REFUSES(ll_check(a), LL_EBITS);
    a.in.bits[1] = 0xffff;
    REFUSES(ll_check(a), LL_EBITS);
}

static void algebra_refuses_what_it_says(void) {
    const ll_layout a = L("lane: i0 i1");
    const ll_layout b = L("warp: j0");
    REFUSES(ll_compose(a, b), LL_EMATCH);
    REFUSES(ll_compose(L("i: x0"), a), LL_EMATCH);
    REFUSES(ll_mul(L("lane: i0 | warp: i1"), L("warp: i0 | lane: i1")),
            LL_EORDER);
    REFUSES(ll_mul(L("lane: i19"), L("lane: i13")), LL_EBITS);
    REFUSES(ll_mul(L("a: | b: | c: | d: | e: | A: | B: | C: | D:"),
                   L("f: | g: | h: | k: | E: | F: | G: | H:")),
            LL_EDIMS);
    REFUSES(ll_div(a, b), LL_ENOTILE);
    REFUSES(ll_rdiv(a, L("lane: i0 i1 i2")), LL_ENOTILE);
    REFUSES(ll_inv(L("lane: i0 i0 -> 4")), LL_ESINGULAR);
    REFUSES(ll_inv(L("lane: i0 0")), LL_ESINGULAR);
    REFUSES(ll_rinv(L("lane: i0 -> 4")), LL_ENOTONTO);
    REFUSES(ll_solve(a, b, LL_FIRST), LL_EMATCH);
    REFUSES(ll_solve(L("lane: i0 -> 4"), a, LL_LIGHT), LL_ENOSOLUTION);
    REFUSES(ll_solve(L("lane: i0"), a, LL_LOCAL), LL_EMATCH);
}

static void surgery_refuses_what_it_says(void) {
    const ll_layout a = L("lane: i0 i1");
    const ll_layout b = L("warp: j0");
    REFUSES(ll_sub(a, "warp", "i"), LL_EMISSING);
    REFUSES(ll_sub(a, "lane", "j"), LL_EMISSING);
    REFUSES(ll_sub(a, "la?e", "i"), LL_ETEXT);
    REFUSES(ll_order_in(a, ""), LL_EMATCH);
    REFUSES(ll_order_out(a, "j"), LL_EMISSING);
    REFUSES(ll_reshape_in(a, ll_shape_of("x=8")), LL_ETOTAL);
    REFUSES(ll_reshape_out(a, ll_shape_of("x=3")), LL_ESIZE);
    REFUSES(ll_flatten_in(a, 0), LL_ENAME);
    REFUSES(ll_rename_in(a, "lane", "x y"), LL_EMATCH);
    REFUSES(ll_rename_in(L("lane: i0 | warp: i1"), "lane", "warp"), LL_ETWICE);
    REFUSES(ll_rename_out(a, "j", "x"), LL_EMISSING);
    REFUSES(ll_resize_in(a, LL_LANE, 6), LL_ESIZE);
    REFUSES(ll_resize_out(L("lane: i20 j10"), LL_J, 1u << 12), LL_EBITS);
    REFUSES(ll_concat_in(a, L("warp: i0")), LL_EMATCH);
    REFUSES(ll_concat_in(a, a), LL_ETWICE);
    REFUSES(ll_concat_out(a, b), LL_EMATCH);
    REFUSES(ll_concat_out(a, a), LL_ETWICE);
    REFUSES(ll_concat_out(L("lane: i20"), L("lane: j20")), LL_EBITS);
    REFUSES(ll_flip(a, LL_J, 1), LL_EMISSING);
    REFUSES(ll_quotient(a, "lane"), LL_ENOTTRIVIAL);
}

static void shapes_refuse_what_they_say(void) {
    const ll_layout a = L("lane: i0 i1");
    REFUSES(ll_trans(L("lane: i0 j0"), "i"), LL_EMATCH);
    REFUSES(ll_trans(L("lane: i0 j0"), "i k"), LL_EMISSING);
    REFUSES(ll_trans_back(L("lane: i0 j0"), "i"), LL_EMATCH);
    REFUSES(ll_unsqueeze(a, LL_K), LL_EAXIS);
    REFUSES(ll_unsqueeze_back(a, LL_I), LL_EONE);
    REFUSES(ll_broadcast(a, LL_I, 2), LL_EONE);
    REFUSES(ll_reduce(a, LL_J), LL_EMISSING);
    REFUSES(ll_split(a), LL_ENOTREGISTER);
    REFUSES(ll_rows(64, 64, 32), LL_EELEMENT);
    CHECK(ll_rows(64, 64, 3).err != LL_OK);
    REFUSES(ll_rows(64, 65, 4), LL_ESIZE);
}

static void plans_refuse_what_they_say(void) {
    const ll_layout a = L("register: j0 | lane: i0 i1 i2 i3 i4");
    const ll_layout b = L("register: i0 | lane: j0 i1 i2 i3 i4");
    const ll_layout c = L("register: j0 | lane: i0 i1 i2 i3 i4 | block: i5");
    const ll_layout d = L("register: j0 | lane: i5 i1 i2 i3 i4 | block: i0");
    ll_target t = hopper();
    REFUSES(ll_plan_of(a, b, 32, t), LL_OK);
    REFUSES(ll_plan_of(a, b, 24, t), LL_EELEMENT);
    REFUSES(ll_plan_of(a, b, 4, t), LL_OK);
    REFUSES(ll_plan_of(a, b, 2, t), LL_EELEMENT);
    REFUSES(ll_plan_of(a, b, 256, t), LL_EELEMENT);
    REFUSES(ll_plan_of(a, L("lane: i0 i1 i2 i3 i4"), 32, t), LL_EMATCH);
    REFUSES(ll_plan_of(L("lane: i0 i1 i2 i3 i4 -> j=2 | i=32"), b, 32, t),
            LL_ENOSOLUTION);
    REFUSES(ll_plan_of(L("lane: i0 j0"), L("lane: j0 i0"), 32, t), LL_ELANES);
    REFUSES(ll_plan_of(L("x: i0 j0"), a, 32, t), LL_EHARDWARE);
    REFUSES(ll_plan_of(c, d, 32, t), LL_EBLOCK);
    REFUSES(ll_swizzle(a, b, 24, t), LL_EELEMENT);
    REFUSES(ll_swizzle(c, d, 32, t), LL_EBLOCK);
    REFUSES(ll_swizzle(L("lane: i0 j0"), L("lane: j0 i0"), 32, t), LL_ELANES);
    t.err = LL_EELEMENT;
    REFUSES(ll_plan_of(a, b, 32, t), LL_EELEMENT);
    CHECK(ll_wavefronts(a, L("offset: j0 i0 i1 i2 i3 i4"), 32, 4, LL_READ,
                        t) == 0);
    CHECK(ll_widest(a, L("offset: j0"), 32, 16) == 0);
    CHECK(ll_vector(L("x: i0"), 8) == 0);
}

/* ---- Sentences ----------------------------------------------------------- */

/* Axes of 2^31 and of 2^32, and layouts that are no layouts. */
static void a_preshuffle_looks_before_it_shifts(void) {
    const ll_layout wide = ll_identity(1u << 31, LL_REGISTER, LL_J);
    CHECK(L("register: i31 | lane: j0").err == LL_EBITS);
    REFUSES(ll_preshuffle(L("register: i31 | lane: j0"), LL_J, 2), LL_EBITS);
    REFUSES(ll_preshuffle(L("register: i31 | lane: j0"), LL_I, 2), LL_EBITS);
    REFUSES(ll_preshuffle(L("x: j0"), LL_J, 2), LL_EHARDWARE);
    CHECK(ll_is_equal(ll_preshuffle(wide, LL_J, 4),
                      ll_identity(1u << 31, LL_J, LL_J)));
    REFUSES(ll_preshuffle(L("register: i31 i3"), LL_I, 2), LL_OK);
    CHECK(ll_apply(ll_preshuffle(L("register: i31 i3"), LL_I, 2),
                   1u << 31) == 1u);
}

/* The lanes of a target are at most 64; more never get a way of their own. */
static void hops_of_too_many_lanes_are_any(void) {
    const ll_map m = ll_map_of(ll_identity(1024, LL_LANE, LL_LANE));
    const unsigned lanes[] = {128, 256, 1024, 0, 3, 48, 1u << 31, ~0u};
    for (unsigned k = 0; k < sizeof lanes / sizeof lanes[0]; ++k) {
        const ll_hops h = ll_hops_of(m, 1, ~0u, lanes[k]);
        CHECK(h.n == 1u && h.hop[0] == LL_HOP_ANY && !h.near);
    }
}

/* Nothing dearer than a kind, and no kind that is none. */
static void plans_are_of_the_kind_that_was_asked_for(void) {
    const ll_layout a = L("register: j0 j1 | lane: i0 i1 i2 i3 i4");
    const ll_layout b = L("register: j1 j0 | lane: i0 i1 i2 i3 i4");
    const ll_layout c = L("register: i0 j1 | lane: j0 i1 i2 i3 i4");
    const ll_target t = hopper();
    CHECK(ll_plan_by(a, a, 32, t, LL_NOTHING).kind == LL_NOTHING);
    REFUSES(ll_plan_by(a, a, 32, t, LL_NOTHING), LL_OK);
    REFUSES(ll_plan_by(a, b, 32, t, LL_NOTHING), LL_EKIND);
    REFUSES(ll_plan_by(a, b, 32, t, LL_REGISTERS), LL_OK);
    REFUSES(ll_plan_by(a, c, 32, t, LL_NOTHING), LL_EKIND);
    REFUSES(ll_plan_by(a, c, 32, t, LL_REGISTERS), LL_EKIND);
    REFUSES(ll_plan_by(a, c, 32, t, LL_SHUFFLES), LL_OK);
    for (unsigned kind = LL_COPIES + 1u; kind < 40u; ++kind) {
        REFUSES(ll_plan_by(a, a, 32, t, kind), LL_ENOKIND);
        REFUSES(ll_plan_by(a, b, 32, t, kind), LL_ENOKIND);
        REFUSES(ll_plan_by(a, c, 32, t, kind), LL_ENOKIND);
    }
    REFUSES(ll_plan_by(a, c, 32, t, ~0u), LL_ENOKIND);
    REFUSES(ll_gather_by(a, a, LL_J, 32, t, LL_REGISTERS), LL_OK);
    REFUSES(ll_gather_by(a, a, LL_J, 32, t, LL_SHARED), LL_OK);
    REFUSES(ll_gather_by(a, a, LL_J, 32, t, LL_NOTHING), LL_EKIND);
    REFUSES(ll_gather_by(a, a, LL_J, 32, t, LL_COPIES), LL_ENOKIND);
}

/* An invalid layout comes out of every function as it went in. */
static void check_travels(const ll_layout *bad, unsigned which) {
    const ll_layout a = *bad;
    const ll_layout ok = L("lane: i0 i1");
    const ll_layout out[] = {
        ll_check(a), ll_mul(a, ok), ll_mul(ok, a), ll_compose(a, ok),
        ll_compose(ok, a), ll_div(a, ok), ll_div(ok, a), ll_rdiv(a, ok),
        ll_solve(a, ok, LL_FIRST), ll_solve(ok, a, LL_LOCAL), ll_inv(a),
        ll_rinv(a), ll_pinv(a), ll_nullspace(a), ll_image(a),
        ll_sub(a, "lane", "i"), ll_order_in(a, "lane"), ll_order_out(a, "i"),
        ll_reshape_in(a, ll_shape_of("x=4")),
        ll_reshape_out(a, ll_shape_of("x=4")), ll_flatten_in(a, LL_WARP),
        ll_flatten_out(a, LL_J), ll_rename_in(a, "lane", "warp"),
        ll_rename_out(a, "i", "j"), ll_resize_in(a, LL_LANE, 2),
        ll_resize_out(a, LL_I, 2), ll_concat_in(a, ok), ll_concat_in(ok, a),
        ll_concat_out(a, ok), ll_flip(a, LL_I, 1),
        ll_permute(a, LL_LANE, ll_perm_swap(2, 0, 1)),
        ll_quotient(a, "lane"), ll_trans(a, "i"), ll_trans_back(a, "i"),
        ll_unsqueeze(a, 0), ll_unsqueeze_back(a, 0), ll_broadcast(a, LL_I, 2),
        ll_broadcast_back(a, LL_I), ll_reduce(a, 0), ll_reduce_back(a, 0, 2),
        ll_join(a), ll_split(a), ll_swizzle(a, ok, 32, hopper()),
        ll_swizzle(ok, a, 32, hopper())};
    for (unsigned k = 0; k < sizeof out / sizeof out[0]; ++k) {
        int same = memcmp(&out[k], bad, sizeof *bad) == 0;
        CHECK(same);
        if (!same) {
            printf("  function %u of invalid layout %u\n", k, which);
        }
    }
}

static void invalid_layouts_travel_unchanged(void) {
    const ll_layout bad[4] = {L("lane: i0 ?"), L("lane: i1 -> 2"),
                              ll_inv(L("lane: i0 i0 -> 4")), L("")};
    for (unsigned k = 0; k < 3u; ++k) {
        const ll_layout *a = &bad[k];
        CHECK(a->err);
        check_travels(a, k);
        CHECK(ll_apply(*a, 1) == 0 && ll_rank(*a) == 0);
        CHECK(!ll_is_equal(*a, *a) && !ll_is_injective(*a));
        CHECK(!ll_is_surjective(*a) && !ll_is_invertible(*a));
        CHECK(!ll_is_distributed(*a) && !ll_is_memory(*a));
        CHECK(ll_free_bits(*a) == 0 && !ll_reaches(*a, 0));
        CHECK(ll_contiguous(*a, LL_I) == 0u && ll_along(*a, LL_I) == 0u);
        CHECK(!ll_is_trivial(*a, "") && ll_map_of(*a).n == 0);
        CHECK(ll_vector(*a, 4) == 0 && ll_widest(*a, bad[3], 32, 16) == 0);
        CHECK(ll_wavefronts(*a, bad[3], 32, 4, LL_READ, hopper()) == 0);
        CHECK(ll_plan_of(*a, bad[3], 32, hopper()).err == a->err);
        CHECK(ll_plan_of(bad[3], *a, 32, hopper()).err != LL_OK);
    }
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(no_two_errors_have_one_number);
    RUN(every_error_has_its_own_sentence);
    RUN(makers_refuse_what_they_say);
    RUN(algebra_refuses_what_it_says);
    RUN(surgery_refuses_what_it_says);
    RUN(shapes_refuse_what_they_say);
    RUN(plans_refuse_what_they_say);
    RUN(a_preshuffle_looks_before_it_shifts);
    RUN(hops_of_too_many_lanes_are_any);
    RUN(plans_are_of_the_kind_that_was_asked_for);
    RUN(invalid_layouts_travel_unchanged);
    return test_end();
}
