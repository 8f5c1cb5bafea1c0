/* test_edges_ends.c - dimensions of size 1 behind 32 bits.
 * SPDX-License-Identifier: MIT
 *
 * A side with 32 bits may have more dimensions of size 1. They start at bit 32,
 * which no shift by a variable reaches. `make sanitize` sees such a shift, and a
 * compile-time constant with one does not compile.
 */
#include "test.h"

#ifndef LL_ENGINE
#define LL_ENGINE
#endif
#ifndef LL_SORTS
#define LL_SORTS
#endif
#ifndef LL_CLUSTERS
#define LL_CLUSTERS
#endif
#include "../ll_amd.h"
#include "../ll_ptx.h"
#include "../tools/reshard/ll_reshard.h"
#include "../tools/views/ll_views.h"

/* Axis i has size 1 and starts at bit 32 of each. */
static const char *const full[] = {
    "register: j0 | lane: j1 j2 j3 j4 j31 | warp: -> j=4294967296 | i=1",
    "register: j0 j31 | lane: j1 j2 j3 j4 j5 | warp: j30 -> "
    "j=4294967296 | i=1",
    "register: j31 | lane: j1 j2 j3 j4 j5^j31 | 1: j31^j0 -> "
    "j=4294967296 | i=1",
    "register: j0 | lane: j1 j2 j3 j4 k15 | warp: k0 -> "
    "j=65536 | k=65536 | i=1",
    "register: j0 j1 j2 j3 j4 j5 j6 j7 j8 j9 j10 j11 j12 j13 | "
    "lane: j14 j15 j16 j17 j18 | warp: j19 j20 j21 j22 j23 j24 j25 j26 j27 "
    "j28 j29 j30 j31 | block: -> j=4294967296 | i=1",
    "register: | lane: j1 j2 j3 j4 j31 | warp: -> i=1 | j=4294967296"};
enum { FULL = sizeof full / sizeof *full };

static void a_reduction_along_an_axis_of_size_1_moves_nothing(void) {
    for (unsigned k = 0; k < FULL; ++k) {
        const ll_layout a = L(full[k]);
        const ll_target t[2] = {LL_SM90, LL_GFX1100};
        CHECK(a.err == LL_OK);
        for (unsigned n = 0; n < 2u; ++n) {
            const ll_reduce_plan r = ll_reduce_of(a, LL_I, 32, t[n]);
            const ll_scan_plan s = ll_scan_of(a, LL_I, 32, t[n]);
            const ll_sort_plan o = ll_sort_of(a, LL_I, 32, t[n]);
            const ll_sort_plan p = ll_top_of(a, LL_I, 1, 32, t[n]);
            unsigned bytes = 1;
            CHECK(!r.err && r.cycles == 0 && r.smem_bytes == 0);
            CHECK(!s.err && s.smem_bytes == 0);
            CHECK(!o.err && o.smem_bytes == 0);
            CHECK(!p.err && p.smem_bytes == 0);
            CHECK(ll_sort_cycles(a, LL_I, 32, t[n], &bytes) == o.cycles);
            CHECK(bytes == 0);
            for (unsigned m = 0; m < 1u << s.n; ++m) {
                CHECK(s.x[m % 32u] == 0); /* each is element 0 of its row */
            }
            const ll_cluster_plan c = ll_cluster_reduce_of(a, LL_I, 32, t[n]);
            const ll_cluster_plan d = ll_cluster_scan_of(a, LL_I, 32, t[n]);
            CHECK(c.err == d.err);
            static char text[20000];
            ll_explain_reduce(r, text, sizeof text);
            ll_explain_scan(s, text, sizeof text);
            ll_explain_sort(o, text, sizeof text);
            ll_explain_cluster(c, text, sizeof text);
            CHECK(strlen(text) > 0);
        }
    }
}

static void an_axis_of_size_1_has_one_order(void) {
    for (unsigned k = 0; k < FULL; ++k) {
        const ll_layout a = L(full[k]);
        const ll_layout one = L("i: -> i=1");
        CHECK(ll_is_equal(ll_absorb(a, a, LL_I), one));
        CHECK(ll_is_equal(ll_preshuffle(a, LL_I, 1), one));
        CHECK(ll_is_equal(ll_renumber(a, LL_I, one), a));
        CHECK(ll_is_equal(ll_flip(a, LL_I, 0), a));
        CHECK(ll_is_equal(ll_resize_out(a, LL_I, 1), a));
        CHECK(ll_reduce(a, LL_I).out.n + 1u == a.out.n ||
              ll_reduce(a, LL_I).out.n == a.out.n);
        CHECK(ll_along(a, LL_I) == 1u || ll_along(a, LL_I) == 0u);
        CHECK(ll_contiguous(a, LL_I) >= 1u);
        CHECK(ll_unpack(a.out, LL_I, ~0u) == 0 && ll_pack(a.out, LL_I, 1) == 0);
        CHECK(!ll_scales_of(a, LL_I, 1).err && !ll_scales_each(a, LL_I, 1).err);
    }
}

static void everything_else_takes_it_too(void) {
    static char text[100000];
    for (unsigned k = 0; k < FULL; ++k) {
        const ll_layout a = L(full[k]);
        for (unsigned n = 0; n < FULL; ++n) {
            const ll_layout b = L(full[n]);
            const ll_plan p = ll_plan_of(a, b, 32, LL_SM90);
            ll_explain(p, text, sizeof text);
            ll_compare(a, b, text, sizeof text);
            ll_swizzle(a, b, 32, LL_SM90);
            ll_gather_of(a, b, LL_I, 32, LL_SM90);
            ll_gather_of(a, b, LL_J, 32, LL_GFX942);
            ll_solve(b, a, 0);
            ll_concat_in(a, b);
            ll_concat_out(a, b);
            ll_mul(a, b);
            ll_div(a, b);
            ll_rdiv(a, b);
            ll_compose(b, a);
            ll_absorb(a, b, LL_J);
            ll_tile_of(a, 32, 16);
            ll_draw(a, b, 32, 4, LL_READ, LL_SM90, text, sizeof text);
        }
        ll_reduce_of(a, LL_J, 32, LL_SM90);
        ll_scan_of(a, LL_J, 32, LL_SM90);
        ll_sort_of(a, LL_J, 32, LL_SM90);
        ll_top_of(a, LL_J, 4, 32, LL_SM90);
        ll_cluster_reduce_of(a, LL_J, 32, LL_SM90);
        ll_cluster_scan_of(a, LL_J, 32, LL_SM90);
        ll_global_of(a, 32, 16, LL_SM90);
        ll_preshuffle(a, LL_J, 2);
        ll_str(a, text, sizeof text);
        ll_table(a, text, sizeof text);
        ll_bitcast(a, 32, 16);
        ll_bitcast(a, 16, 32);
        ll_rows_for(a, 4);
        ll_split(a);
        ll_join(a);
        ll_trans(a, "i j");
        ll_inv(a);
        ll_pinv(a);
        ll_rinv(a);
        ll_image(a);
        ll_nullspace(a);
        ll_free_bits(a);
        ll_map_of(a);
        ll_flatten_out(a, LL_J);
        ll_flatten_in(a, LL_REGISTER);
        ll_vector(a, 4);
        ll_unsqueeze(a, LL_K);
        ll_broadcast(a, LL_I, 2);
        ll_for_operand(a, 16, LL_SM90);
        const ll_view v[4] = {ll_view_tensor(a), ll_view_hardware(a),
                              ll_view_matrix(a), ll_view_tensor(ll_inv(a))};
        for (unsigned n = 0; n < 4u; ++n) {
            ll_head_of(&v[n], 0, 0);
            ll_head_of(&v[n], 1, 0);
            ll_head_of(&v[n], 1, 1);
            ll_cell_at(&v[n], 0, 0);
            CHECK(ll_picture(v[n], 0, text, sizeof text) > 0);
        }
        const ll_topology t = ll_topology_with(ll_topology_of(2000), "gpu", 374,
                                               3000);
        ll_reshard_of(a, a, 32, t);
    }
}

/* As constants: a compiler refuses what is undefined. */
#if LL_CONSTEXPR
constexpr ll_layout at_end = ll_parse(
    "register: j0 | lane: j1 j2 j3 j4 j31 | warp: -> j=4294967296 | i=1");
static_assert(ll_scan_of(at_end, LL_I, 32, LL_SM90).err == LL_OK, "");
static_assert(ll_sort_of(at_end, LL_I, 32, LL_SM90).err == LL_OK, "");
static_assert(ll_reduce_of(at_end, LL_I, 32, LL_SM90).err == LL_OK, "");
static_assert(ll_sort_of(at_end, LL_J, 32, LL_SM90).err != LL_OK, "");
#endif

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(a_reduction_along_an_axis_of_size_1_moves_nothing);
    RUN(an_axis_of_size_1_has_one_order);
    RUN(everything_else_takes_it_too);
    return test_end();
}
