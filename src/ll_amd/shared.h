/* ---- Shared memory layouts the hardware reads ------------------------- */
#ifndef LL_AMD_SHARED_H
#define LL_AMD_SHARED_H

#include "../ll/layout/shapes.h"

/* A transposing load exchanges elements between lanes. Its layout maps the
 * register and lane that receive an element to the register and lane that would
 * have loaded it without the exchange. If the lanes address the memory as the
 * layout `at` says, ll_compose(at, load) is the layout of the result. All lanes
 * must be active. */

/* Private: returns an exchange of n elements per lane within groups of `group`
 * lanes: register r of lane l receives element l % n of lane r * group / n + l
 * / n of its group. */
LL_FN ll_layout ll_amd_turn_(unsigned n, unsigned group, unsigned lanes) {
    ll_layout a = ll_layout_empty_("register lane", "register lane");
    a = ll_layout_by_(a, n, LL_LANE, LL_REGISTER);
    a = ll_layout_by_(a, group / n, LL_LANE, LL_LANE);
    a = ll_layout_by_(a, n, LL_REGISTER, LL_LANE);
    return ll_layout_by_(a, lanes / group, LL_LANE, LL_LANE);
}

/* ll_amd_ds_read_tr(element_bits): returns the exchange of
 * ds_read_b64_tr_b{4,8,16}, in which 16 lanes exchange 8 bytes each. Source
 * (gfx950): Triton and the emulator of rocm-systems. Fails with LL_ETRANSPOSE.
 * Example: ll_amd_ds_read_tr(16) is
 *          L("register: lane2 lane3 | "
 *            "lane: register0 register1 lane0 lane1 lane4 lane5");
 * Example: ll_amd_ds_read_tr(32).err is LL_ETRANSPOSE;
 */
LL_FN ll_layout ll_amd_ds_read_tr(unsigned element_bits) {
    return element_bits == 4u || element_bits == 8u || element_bits == 16u
               ? ll_amd_turn_(64u / element_bits, 16, 64)
               : ll_layout_none_(LL_ETRANSPOSE);
}

/* ll_amd_ds_load_tr(element_bits): returns the exchange of ds_load_tr16_b128 or
 * ds_load_tr8_b64 among 32 lanes. With 16 bits, RDNA4's global_load_tr_b128 has
 * the same exchange. Source (gfx1250, RDNA4): Triton and the emulator of
 * rocm-systems. Fails with LL_ETRANSPOSE.
 * Example: ll_amd_ds_load_tr(16) is
 *          L("register: lane0 lane1 lane2 | "
 *            "lane: register0 register1 register2 lane3 lane4");
 * Example: ll_amd_ds_load_tr(4).err is LL_ETRANSPOSE;
 */
LL_FN ll_layout ll_amd_ds_load_tr(unsigned element_bits) {
    return element_bits == 16u ? ll_amd_turn_(8, 8, 32)
           : element_bits == 8u
               ? ll_parse("register: lane0 lane1 lane3 | lane: register0 "
                          "register1 register2 lane2 lane4")
               : ll_layout_none_(LL_ETRANSPOSE);
}

#endif
