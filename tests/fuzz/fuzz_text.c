/* fuzz_text.c - any text, and every function on what it describes.
 * SPDX-License-Identifier: MIT
 *
 * The input is two texts with a semicolon between them.
 */
#include "fuzz.h"

static void refused(ll_layout a, const char *text) {
    char sentence[200], start[9];
    MUST(a.at >= 1u && a.at <= strlen(text) + 1u);
    MUST(ll_error("A", a, sentence, sizeof sentence) < sizeof sentence);
    MUST(ll_error("A", a, start, sizeof start) == strlen(sentence));
    MUST(strncmp(sentence, start, sizeof start - 1) == 0);
}

static unsigned size_of(ll_shape s) { return ll_shape_start_(&s, s.n); }

static void numbers(ll_layout a) {
    const ll_dim d = a.out.n ? a.out.dim[0] : LL_I;
    const unsigned rank = ll_rank(a);
    MUST(rank <= size_of(a.in) && rank <= size_of(a.out));
    if (a.err == LL_OK) {
        MUST(ll_is_injective(a) == (rank == size_of(a.in)));
        MUST(ll_is_surjective(a) == (rank == size_of(a.out)));
        MUST(ll_is_invertible(a) ==
             (ll_is_injective(a) && ll_is_surjective(a)));
        MUST(ll_reaches(a, ll_apply(a, 0x5a5a5a5au)));
        MUST(!ll_is_memory(a) || ll_is_injective(a));
    }
    (void)ll_is_distributed(a);
    (void)ll_is_trivial(a, "lane warp");
    (void)ll_free_bits(a);
    (void)ll_contiguous(a, d);
    (void)ll_along(a, d);
    (void)ll_vector(a, 16);
    (void)ll_size(a.in, d);
    const ll_map m = ll_map_of(a);
    MUST(a.err || ll_map_at(m, 3) == ll_apply(a, 3 & ll_ones_(size_of(a.in))));
}

static void algebra(ll_layout a) {
    const ll_layout inv = good(ll_inv(a));
    const ll_layout rinv = good(ll_rinv(a));
    MUST((inv.err == LL_OK) == (!a.err && ll_is_invertible(a)));
    MUST((rinv.err == LL_OK) == (!a.err && ll_is_surjective(a)));
    for (unsigned k = 0; rinv.err == LL_OK && k < size_of(a.out); ++k) {
        MUST(ll_apply(a, ll_apply(rinv, 1u << k)) == 1u << k);
    }
    MUST(inv.err || ll_is_equal(ll_inv(inv), a));
    good(ll_pinv(a));
    good(ll_nullspace(a));
    good(ll_image(a));
    good(ll_flatten_in(a, LL_OFFSET));
    good(ll_flatten_out(a, LL_OFFSET));
    good(ll_sub(a, "register lane", "i j"));
    good(ll_quotient(a, "lane"));
    good(ll_order_in(a, "lane register"));
    good(ll_order_out(a, "i j"));
    good(ll_rename_in(a, "lane", "warp"));
    good(ll_rename_out(a, "i j", "j i"));
    good(ll_resize_in(a, LL_LANE, 4));
    good(ll_resize_out(a, LL_I, 64));
    good(ll_reshape_in(a, ll_shape_of("lane=32 warp=4")));
    good(ll_reshape_out(a, ll_shape_of("j=16 i=16")));
    good(ll_flip(a, LL_I, 5));
    good(ll_permute(a, LL_REGISTER, ll_perm_swap(3, 0, 2)));
}

static void shapes(ll_layout a) {
    good(ll_trans(a, "j i"));
    good(ll_trans_back(a, "j i"));
    good(ll_join(a));
    good(ll_split(a));
    good(ll_broadcast(a, LL_J, 4));
    good(ll_broadcast_back(a, LL_J));
    for (unsigned k = 0; k < 4u; ++k) {
        good(ll_unsqueeze(a, k));
        good(ll_unsqueeze_back(a, k));
        good(ll_reduce(a, k));
        good(ll_reduce_back(a, k, 4));
    }
}

static void pairs(ll_layout a, ll_layout b) {
    good(ll_mul(a, b));
    good(ll_compose(b, a));
    good(ll_div(a, b));
    good(ll_rdiv(a, b));
    good(ll_concat_in(a, b));
    good(ll_concat_out(a, b));
    const ll_layout product = ll_mul(a, b);
    MUST(product.err || a.offset || b.offset ||
         ll_div(product, a).err == LL_OK);
    for (unsigned policy = LL_FIRST; policy <= LL_LOCAL; ++policy) {
        solve_holds(b, a, policy);
    }
}

static void plans(ll_layout a, ll_layout b) {
    char small[16], text[400];
    for (unsigned bits = 8; bits <= 128u; bits *= 2u) {
        const ll_target t = LL_SM90;
        const ll_plan p = ll_plan_of(a, b, bits, t);
        const ll_layout m = good(ll_swizzle(a, b, bits, t));
        MUST(p.err < LL_N_ERRORS_);
        (void)ll_explain(p, small, sizeof small);
        (void)ll_conflicts(p);
        (void)ll_tile_of(a, bits, 16);
        for (unsigned bytes = bits / 8u; bytes <= 16u; bytes *= 2u) {
            (void)ll_widest(a, m, bits, bytes);
            const unsigned n = ll_wavefronts(a, m, bits, bytes, LL_READ, t);
            if (n && size_of(m.in) <= 8u) {
                (void)ll_draw(a, m, bits, bytes, LL_READ, t, text, 400);
            }
        }
    }
    if (size_of(a.out) <= 6u) {
        (void)ll_table(a, text, sizeof text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    memcpy(text, data, size);
    text[size] = 0;
    char *second = strchr(text, ';');
    if (second) {
        *second++ = 0;
    }
    const ll_layout a = good(ll_parse(text));
    const ll_layout b = second ? good(ll_parse(second)) : a;
    if (a.err) {
        refused(a, text);
    }
    (void)ll_shape_of(text);
    (void)ll_dim_of(text);
    numbers(a);
    algebra(a);
    shapes(a);
    pairs(a, b);
    plans(a, b);
    free(text);
    return 0;
}
