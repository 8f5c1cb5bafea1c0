/* test_text_null.c - null pointers in place of texts.
 * SPDX-License-Identifier: MIT
 *
 * Every function that reads a text, or a list of numbers, has an error for a
 * null pointer. A function that prints counts the characters if it has no
 * buffer.
 */
#include "test.h"

#ifndef LL_ENGINE
#define LL_ENGINE
#endif
#include "../ll_amd.h"
#include "../ll_ptx.h"
#include "../tools/reshard/ll_reshard.h"
#include "../tools/views/ll_views.h"

static void layouts_of_no_text_are_errors(void) {
    const ll_layout a = L("lane: i0 j0");
    const ll_layout all[] = {
        ll_parse(NULL), ll_sub(a, NULL, "i"), ll_sub(a, "lane", NULL),
        ll_order_in(a, NULL), ll_order_out(a, NULL), ll_trans(a, NULL),
        ll_trans_back(a, NULL), ll_quotient(a, NULL),
        ll_rename_in(a, NULL, "x"), ll_rename_in(a, "lane", NULL),
        ll_rename_out(a, NULL, "x"), ll_rename_out(a, "i", NULL),
        ll_from_cute(NULL).layout,
        ll_ptx_need(a, NULL, "mma"), ll_ptx_need(a, "sm_90", NULL),
        ll_amd_need(a, NULL, "perm"), ll_amd_need(a, "gfx942", NULL),
        ll_zero(ll_shape_of(NULL), ll_shape_of("i")),
        ll_zero(ll_shape_of("i"), ll_tensor(2, NULL)),
        ll_row_major(ll_tensor(1, NULL))};
    for (unsigned k = 0; k < sizeof all / sizeof *all; ++k) {
        CHECK(all[k].err == LL_ENULL);
        CHECK(all[k].is == LL_AT_NOTHING);
    }
    /* The first error of a chain stays. */
    CHECK(ll_trans(L("lane: i0 ?"), NULL).err == LL_ETEXT);
    CHECK(ll_rename_in(ll_parse(NULL), "?", "x").err == LL_ENULL);
}

static void other_values_of_no_text_are_errors(void) {
    const unsigned sizes[2] = {8, 8};
    CHECK(ll_shape_of(NULL).err == LL_ENULL && ll_shape_of(NULL).n == 0);
    CHECK(ll_tensor(2, NULL).err == LL_ENULL && ll_tensor(2, NULL).n == 0);
    CHECK(ll_tensor(0, NULL).err == LL_OK);
    CHECK(ll_dim_of(NULL) == 0);
    CHECK(ll_perm_of(3, 2, NULL).err == LL_ENULL);
    CHECK(ll_perm_of(3, 0, NULL).err == LL_OK);
    CHECK(ll_perm_of(3, 4, NULL).err == LL_EPERM);
    CHECK(!ll_is_trivial(L("lane: lane0 -> lane=2"), NULL));
    CHECK(!ll_ptx_has(NULL, "mma") && !ll_ptx_has("sm_90", NULL));
    CHECK(!ll_amd_has(NULL, "perm") && !ll_amd_has("gfx942", NULL));
    const ll_ptx_desc d =
        ll_ptx_desc_of(ll_ptx_smem_k(128, 16, 16, 32), 128, 16, 16);
    CHECK(ll_ptx_idesc_of(NULL, 1, 128, 128, d, d).err == LL_ENULL);
    CHECK(ll_from_triton(NULL, 2, sizes).layout.err == LL_ENULL);
    CHECK(ll_from_triton("#ttg.blocked<{}>", 2, NULL).layout.err == LL_ENULL);
    CHECK(!ll_from_cute(NULL).why && !ll_from_triton(NULL, 2, sizes).why);
    CHECK(ll_ptx_dot(NULL, 3, LL_ENGINE_A, 64, 64, 16, 4).err == LL_EMISSING);
    CHECK(ll_amd_dot(NULL, 3, LL_ENGINE_A, 64, 64, 16, 4).err != LL_OK);
}

static void reshards_of_no_text_are_errors(void) {
    const ll_topology t =
        ll_topology_with(ll_topology_of(2000), "gpu", 374, 3000);
    const ll_layout a = L("offset: j0 | gpu: i0");
    CHECK(ll_topology_with(t, NULL, 374, 3000).err == LL_ENULL);
    CHECK(ll_topology_with(t, "", 374, 3000).err == LL_RESHARD_ELEVELS);
    CHECK(ll_reshard_sum(a, NULL, a, 32, t).err == LL_ENULL);
    CHECK(strcmp(ll_reshard_strerror(LL_ENULL), ll_strerror(LL_ENULL)) == 0);
}

static char memory[1u << 20];
static void a_graph_of_no_text_is_an_error(void) {
    static char said[300];
    ll_engine e;
    ll_engine_begin(&e, memory, sizeof memory, LL_SM90, 4, 1);
    CHECK(!ll_engine_parse(&e, NULL));
    CHECK(e.err == LL_ENGINE_ENULL);
    ll_engine_error(&e, said, sizeof said);
    CHECK(strcmp(said, "ll: a text is a null pointer") == 0);
    ll_engine_begin(&e, memory, sizeof memory, LL_SM90, 4, 1);
    e.family = ll_ptx_dot;
    CHECK(ll_engine_parse(&e, "a = load 64x64:16\nb = load 64x64:16\n"
                              "c = constant 64x64:32\nd = dot a b c\n"));
    ll_engine_by(&e, 3, NULL, 3);
    CHECK(e.err == LL_ENGINE_ENULL);
    ll_assignment none;
    memset(&none, 0, sizeof none);
    CHECK(ll_assigned(none, NULL, 0).err == LL_ENULL);
    CHECK(ll_assigned(none, "a", 0).err == LL_EMISSING);
}

static void an_error_without_a_name_has_its_sentence(void) {
    static char s[300], t[300];
    CHECK(ll_error(NULL, ll_parse(NULL), s, sizeof s) == strlen(s));
    CHECK(strcmp(s, "ll: a text or a list of numbers is a null pointer") == 0);
    ll_error("A", L("lane: ?"), s, sizeof s);
    ll_error(NULL, L("lane: ?"), t, sizeof t);
    CHECK(strncmp(s, "ll: A: ", 7) == 0 && strcmp(s + 7, t + 4) == 0);
    ll_foreign_error(NULL, ll_from_cute("?"), s, sizeof s);
    CHECK(strncmp(s, "ll: ", 4) == 0 && s[4] != ':');
    ll_foreign_error("B", ll_from_cute(NULL), s, sizeof s);
    CHECK(strcmp(s, "ll: B: a text or a list of numbers is a null pointer") ==
          0);
}

static void what_has_no_buffer_is_counted(void) {
    static char s[20000];
    const ll_layout a = L("register: j0 | lane: j1 j2 i0 i1 i2");
    const ll_layout b = L("register: i0 | lane: j0 j1 j2 i1 i2");
    const ll_plan p = ll_plan_of(a, b, 32, LL_SM90);
    CHECK(ll_str(a, NULL, 9) == ll_str(a, s, sizeof s));
    CHECK(ll_table(a, NULL, 9) == ll_table(a, s, sizeof s));
    CHECK(ll_explain(p, NULL, 9) == ll_explain(p, s, sizeof s));
    CHECK(ll_compare(a, b, NULL, 9) == ll_compare(a, b, s, sizeof s));
    CHECK(ll_error(NULL, a, NULL, 9) == ll_error(NULL, a, s, sizeof s));
    CHECK(ll_picture(ll_view_tensor(a), 0, NULL, 9) ==
          ll_picture(ll_view_tensor(a), 0, s, sizeof s));
    CHECK(ll_explain_reduce(ll_reduce_of(a, LL_J, 32, LL_SM90), NULL, 1) > 0);
    CHECK(ll_explain_scan(ll_scan_of(a, LL_J, 32, LL_SM90), NULL, 1) > 0);
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(layouts_of_no_text_are_errors);
    RUN(other_values_of_no_text_are_errors);
    RUN(reshards_of_no_text_are_errors);
    RUN(a_graph_of_no_text_is_an_error);
    RUN(an_error_without_a_name_has_its_sentence);
    RUN(what_has_no_buffer_is_counted);
    return test_end();
}
