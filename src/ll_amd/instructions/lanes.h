/* ---- Instructions: lanes ---------------------------------------------- */
#ifndef LL_AMD_INSTRUCTIONS_LANES_H
#define LL_AMD_INSTRUCTIONS_LANES_H

#include "bodies.h"

#ifdef LL_AMD_DEVICE_

/* s_barrier is a barrier for the warps of a workgroup, like __syncthreads: what
 * they stored before it is visible after it. wave_barrier does this for the
 * lanes of one warp. It emits no instruction, because the LDS accesses of a
 * warp stay in order, but the compiler moves no access across it. */
LL_DEVICE void ll_amd_s_barrier(void) {
    LL_AMD_(fence)(__ATOMIC_RELEASE, "workgroup");
    LL_AMD_(s_barrier)();
    LL_AMD_(fence)(__ATOMIC_ACQUIRE, "workgroup");
}

LL_DEVICE void ll_amd_wave_barrier(void) {
    LL_AMD_(fence)(__ATOMIC_ACQ_REL, "wavefront");
    LL_AMD_(wave_barrier)();
}

/* The controls of update_dpp. Lane l = 16 r + p is at place p of row r; a row
 * is 16 lanes. It reads:
 *     QUAD_PERM(a, b, c, d)     lane a, b, c or d of its four, by l & 3
 *     ROW_SHL + n, ROW_SHR + n  place p + n, p - n; 0 if outside of the row
 *     ROW_ROR + n               place (p - n) & 15
 *     WAVE_SHL, WAVE_SHR        lane l + 1, l - 1; 0 at the end
 *     WAVE_ROL, WAVE_ROR        lane l + 1, l - 1; at the end the other end
 *     ROW_MIRROR                place p ^ 15
 *     ROW_HALF_MIRROR           place p ^ 7
 *     ROW_BCAST15               the last lane of row r - 1; 0 in row 0
 *     ROW_BCAST31               lane 31 in rows 2 and 3; 0 in rows 0 and 1
 *     ROW_NEWBCAST + n          place n (also called row_share)
 *     ROW_XMASK + n             place p ^ n */
#define LL_AMD_QUAD_PERM(a, b, c, d) ((a) | (b) << 2 | (c) << 4 | (d) << 6)
enum : unsigned {
    LL_AMD_ROW_SHL = 0x100,
    LL_AMD_ROW_SHR = 0x110,
    LL_AMD_ROW_ROR = 0x120,
    LL_AMD_WAVE_SHL = 0x130,
    LL_AMD_WAVE_ROL = 0x134,
    LL_AMD_WAVE_SHR = 0x138,
    LL_AMD_WAVE_ROR = 0x13c,
    LL_AMD_ROW_MIRROR = 0x140,
    LL_AMD_ROW_HALF_MIRROR = 0x141,
    LL_AMD_ROW_BCAST15 = 0x142,
    LL_AMD_ROW_BCAST31 = 0x143,
    LL_AMD_ROW_NEWBCAST = 0x150,
    LL_AMD_ROW_XMASK = 0x160
};

/* Private: returns the instruction that a control needs; "" if there is no such
 * control. */
LL_FN const char *ll_amd_control_(unsigned control) {
    const unsigned row = control >> 4;
    const int shifts = row >= 0x10u && row <= 0x12u && control % 16u;
    return control < 0x100u || shifts || control == LL_AMD_ROW_MIRROR ||
                   control == LL_AMD_ROW_HALF_MIRROR
               ? "update_dpp"
           : row == 0x13u && control % 4u == 0 ? "update_dpp wave"
           : control == LL_AMD_ROW_BCAST15 || control == LL_AMD_ROW_BCAST31
               ? "update_dpp row_bcast15"
           : row == LL_AMD_ROW_NEWBCAST >> 4 ? "update_dpp newbcast"
           : row == LL_AMD_ROW_XMASK >> 4    ? "update_dpp xmask"
                                             : "";
}

/* update_dpp, a v_mov_b32 with a DPP control, returns the x of another lane, or
 * 0 if that lane is not active. */
template <unsigned CONTROL_, unsigned GFX_ = LL_AMD_HERE_>
LL_DEVICE unsigned ll_amd_update_dpp(unsigned x) {
    static_assert(*ll_amd_control_(CONTROL_),
                  "ll: update_dpp: CONTROL_ must be a DPP control: "
                  "LL_AMD_QUAD_PERM or LL_AMD_ROW_SHL to LL_AMD_ROW_XMASK");
    static_assert(ll_amd_on_<GFX_>(ll_amd_control_(CONTROL_)),
                  "ll: update_dpp: the target lacks this control: wave_* and "
                  "row_bcast* need gfx9, row_newbcast gfx90a or later, "
                  "row_xmask gfx10 or later");
    return (unsigned)LL_AMD_(update_dpp)(0, (int)x, CONTROL_, 0xf, 0xf, true);
}

/* mov_dpp8: lane l reads lane SELECTOR >> 3p & 7 of its group of eight, p = l &
 * 7. */
template <unsigned SELECTOR_, unsigned GFX_ = LL_AMD_HERE_>
LL_DEVICE unsigned ll_amd_mov_dpp8(unsigned x) {
    LL_AMD_NEEDS_(GFX_, "mov_dpp8", "gfx10, gfx11 and gfx12");
    return LL_AMD_(mov_dpp8)(LL_AMD_WORD_(GFX_, x), SELECTOR_);
}

/* v_permlane16, v_permlanex16: place p of each row of 16 lanes reads place
 * (high:low) >> 4p & 15. permlane16 reads in its own row, permlanex16 in the
 * other row of its pair, the row of l ^ 16. low and high must be the same in
 * all lanes. */
template <unsigned GFX_ = LL_AMD_HERE_>
LL_DEVICE unsigned ll_amd_permlane16(unsigned x, unsigned low,
                                     unsigned high) {
    LL_AMD_NEEDS_(GFX_, "permlane16", "gfx10, gfx11 and gfx12");
    return LL_AMD_(permlane16)(LL_AMD_WORD_(GFX_, 0), x, low, high, false,
                               true);
}

template <unsigned GFX_ = LL_AMD_HERE_>
LL_DEVICE unsigned ll_amd_permlanex16(unsigned x, unsigned low,
                                      unsigned high) {
    LL_AMD_NEEDS_(GFX_, "permlanex16", "gfx10, gfx11 and gfx12");
    return LL_AMD_(permlanex16)(LL_AMD_WORD_(GFX_, 0), x, low, high, false,
                                true);
}

/* v_permlane64: lane l of 64 reads lane l ^ 32, even if that lane is not
 * active. */
template <unsigned GFX_ = LL_AMD_HERE_>
LL_DEVICE unsigned ll_amd_permlane64(unsigned x) {
    LL_AMD_NEEDS_(GFX_, "permlane64", "gfx11 and gfx12");
    return LL_AMD_(permlane64)(LL_AMD_WORD_(GFX_, x));
}

/* v_permlane16_swap exchanges two words of each pair of lanes l and l ^ 16:
 * word a of the lane with bit 4 set, and word b of the lane with bit 4 clear.
 * v_permlane32_swap does the same for l ^ 32 and bit 5. */
#define LL_AMD_SWAPPED_(name)                                               \
    const auto both =                                                       \
        LL_AMD_(name)(LL_AMD_WORD_(GFX_, a), b, false, false);              \
    a = both[0];                                                            \
    b = both[1]

template <unsigned GFX_ = LL_AMD_HERE_>
LL_DEVICE void ll_amd_permlane16_swap(unsigned &a, unsigned &b) {
    LL_AMD_NEEDS_(GFX_, "permlane16_swap", "gfx950 and gfx1250");
    LL_AMD_SWAPPED_(permlane16_swap);
}

template <unsigned GFX_ = LL_AMD_HERE_>
LL_DEVICE void ll_amd_permlane32_swap(unsigned &a, unsigned &b) {
    LL_AMD_NEEDS_(GFX_, "permlane32_swap", "gfx950");
    LL_AMD_SWAPPED_(permlane32_swap);
}

/* ds_swizzle: if bit 15 of the pattern is 0, lane l of each 32 reads lane ((l &
 * pattern) | pattern >> 5) ^ pattern >> 10, with fields of 5 bits. If bit 15 is
 * 1 and bits 8 to 14 are 0, lane l reads lane pattern >> 2 (l & 3) & 3 of its
 * group of four. */
template <unsigned PATTERN_> LL_DEVICE unsigned ll_amd_ds_swizzle(unsigned x) {
    static_assert(PATTERN_ < 0x8100,
                  "ll: ds_swizzle: PATTERN_ must have 15 bits, or be 0x8000 "
                  "plus 8 bits");
    return (unsigned)LL_AMD_(ds_swizzle)((int)x, PATTERN_);
}

/* ds_bpermute returns the x of lane address / 4, or 0 if that lane is not
 * active. On gfx10 and gfx11 with 64 lanes, each half reads only itself: the
 * lane number counts modulo 32. ds_permute sends x to lane address / 4. A lane
 * receives the x of the last lane that sends to it, or 0 if none does. */
LL_DEVICE unsigned ll_amd_ds_bpermute(unsigned address, unsigned x) {
    return (unsigned)LL_AMD_(ds_bpermute)((int)address, (int)x);
}

LL_DEVICE unsigned ll_amd_ds_permute(unsigned address, unsigned x) {
    return (unsigned)LL_AMD_(ds_permute)((int)address, (int)x);
}

/* v_readlane returns the x of lane `lane`, which must be the same number in all
 * lanes. v_readfirstlane returns the x of the first active lane. */
LL_DEVICE unsigned ll_amd_readlane(unsigned x, unsigned lane) {
    return (unsigned)LL_AMD_(readlane)((int)x, (int)lane);
}

LL_DEVICE unsigned ll_amd_readfirstlane(unsigned x) {
    return (unsigned)LL_AMD_(readfirstlane)((int)x);
}

/* v_perm: byte k of `select` selects byte k of the result: 0 to 3 are the bytes
 * of b, 4 to 7 the bytes of a, 12 gives 0 and more gives 0xff. */
LL_DEVICE unsigned ll_amd_perm(unsigned a, unsigned b, unsigned select) {
    return LL_AMD_(perm)(a, b, select);
}

#undef LL_AMD_SWAPPED_

#endif

#endif
