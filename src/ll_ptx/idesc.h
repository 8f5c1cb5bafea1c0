/* ---- Instruction descriptors ------------------------------------------ */
#ifndef LL_PTX_IDESC_H
#define LL_PTX_IDESC_H

#include "base.h"
#include "swizzle_modes.h"

/* The instruction descriptor of tcgen05.mma: shape, types, and which axis of
 * each operand is contiguous. */
typedef struct ll_ptx_idesc {
    unsigned err;
    unsigned bits; /* the operand of the instruction */
} ll_ptx_idesc;

/* Private: returns the code of a type in the descriptor of a kind; 99 if the
 * kind lacks the type. is_sum is 1 for the accumulator d. */
LL_FN unsigned ll_ptx_type_bits_(const char *kind, const char *type,
                                 int is_sum) {
    const int is_mx = ll_name_matches_(kind, "kind::mx*");
    const int bytes = ll_name_matches_(kind, "kind::f8f6f4") ||
                      ll_name_matches_(kind, "kind::mxf8f6f4");
    const int f16 = ll_name_matches_(kind, "kind::f16");
    if (is_sum) {
        return ll_name_matches_(kind, "kind::i8")
                   ? ll_name_matches_(type, "s32") ? 2u : 99u
               : ll_name_matches_(type, "f32") ? is_mx ? 0u : 1u
               : ll_name_matches_(type, "f16") && (f16 || (bytes && !is_mx))
                   ? 0u
                   : 99u;
    }
    return ll_name_matches_(kind, "kind::i8")
               ? ll_name_matches_(type, "s8")   ? 1u
                 : ll_name_matches_(type, "u8") ? 0u
                                                : 99u
           : ll_name_matches_(kind, "kind::tf32")
               ? ll_name_matches_(type, "tf32") ? 2u : 99u
           : f16   ? ll_name_matches_(type, "f16")    ? 0u
                     : ll_name_matches_(type, "bf16") ? 1u
                                                      : 99u
           : bytes ? ll_name_matches_(type, "e4m3")   ? 0u
                     : ll_name_matches_(type, "e5m2") ? 1u
                     : ll_name_matches_(type, "e2m3") ? 3u
                     : ll_name_matches_(type, "e3m2") ? 4u
                     : ll_name_matches_(type, "e2m1") ? 5u
                                                      : 99u
           : is_mx && ll_name_matches_(type, "e2m1") ? 1u
                                                     : 99u;
}

/* Private: returns LL_OK if the kind takes an operand laid out as d says; else
 * the error of d, or LL_EMODE. */
LL_FN unsigned ll_ptx_major_error_(const char *kind, const char *type,
                                   ll_ptx_desc d) {
    const int fp8 =
        ll_name_matches_(type, "e4m3") || ll_name_matches_(type, "e5m2");
    const int turns = fp8 || ll_name_matches_(kind, "kind::f16") ||
                      ll_name_matches_(kind, "kind::i8");
    const int wide = ll_name_matches_(kind, "kind::tf32");
    return d.err         ? d.err
           : !d.mn_major ? (unsigned)LL_OK
           : wide        ? d.atom == 32u ? (unsigned)LL_OK : (unsigned)LL_EMODE
           : turns && d.atom != 32u ? (unsigned)LL_OK
                                    : (unsigned)LL_EMODE;
}

/* Private: returns LL_OK if a kind has m x n; else LL_EM or LL_EN. Only
 * tcgen05.mma.ws has 32 rows. */
LL_FN unsigned ll_ptx_shape_error_(const char *kind, unsigned blocks,
                                   unsigned m, unsigned n) {
    const int is_i8 = ll_name_matches_(kind, "kind::i8");
    const int is_mx = ll_name_matches_(kind, "kind::mx*");
    const int is_ws = m == 32u && blocks == 1u && !is_mx;
    const unsigned least = is_mx ? 128u : 64u * blocks;
    const unsigned step = is_i8 && n > 32u * (2u - blocks) ? 16u * blocks
                                                           : 8u * blocks;
    return (blocks != 1u && blocks != 2u) ||
                   (!is_ws && (m < least ||
                               (m != 64u * blocks && m != 128u * blocks)))
               ? (unsigned)LL_EM
           : n < step || n > 256u || n % step ||
                   (is_ws && n != 64u && n != 128u && n != 256u)
               ? (unsigned)LL_EN
               : (unsigned)LL_OK;
}

/* ll_ptx_idesc_of(types, blocks, m, n, a, b): returns the instruction
 * descriptor of tcgen05.mma for a result of m x n. types: the kind, the types
 * of d, a and b, and in a kind mx also the type of the scales, such as
 * "kind::f16.f32.bf16.bf16" or "kind::mxf4nvf4.f32.e2m1.e2m1.ue4m3". blocks: 1
 * for .cta_group::1, 2 for .cta_group::2. a, b: the descriptors of the
 * operands; for A in tensor memory any descriptor without mn_major. An m of 32,
 * with n 64, 128 or 256, is for tcgen05.mma.ws. ll_ptx_idesc_scales(d, a, b):
 * returns d with the first byte of the scales of A and of B in their words of
 * tensor memory. Source (sm_100a): PTX, "Instruction descriptor" and "Matrix
 * Shape". Fail with LL_EOPERAND (the kind lacks these types), LL_EM, LL_EN,
 * LL_EMODE (the kind does not take an operand laid out so), LL_ESIZE (no such
 * byte).
 * Example: ll_ptx_idesc_of("kind::f16.f32.bf16.bf16", 1, 128, 256,
 *          ll_ptx_desc_of(ll_ptx_smem_k(128, 16, 16, 32), 128, 16, 16),
 *          ll_ptx_desc_of(ll_ptx_smem_k(256, 16, 16, 32), 256, 16, 16)).bits
 *          is 0x8400490;
 * Example: ll_ptx_idesc_of("kind::f16.f32.bf16.f16x2", 1, 128, 256,
 *          ll_ptx_desc_of(ll_ptx_smem_k(128, 16, 16, 32), 128, 16, 16),
 *          ll_ptx_desc_of(ll_ptx_smem_k(256, 16, 16, 32), 256, 16, 16)).err
 *          is LL_EOPERAND;
 */
LL_FN ll_ptx_idesc ll_ptx_idesc_of(const char *types, unsigned blocks,
                                   unsigned m, unsigned n, ll_ptx_desc a,
                                   ll_ptx_desc b) {
    ll_ptx_idesc d = LL_ZERO;
    d.err = LL_ENULL;
    if (!types) {
        return d;
    }
    const char *sum = ll_name_next_part_(types);
    const char *left = ll_name_next_part_(sum);
    const char *right = ll_name_next_part_(left);
    const char *scale = ll_name_next_part_(right);
    const int is_mx = ll_name_matches_(types, "kind::mx*");
    const int by_e4m3 = ll_name_matches_(scale, "ue4m3");
    const unsigned d_bits = ll_ptx_type_bits_(types, sum, 1);
    const unsigned a_bits = ll_ptx_type_bits_(types, left, 0);
    const unsigned b_bits = ll_ptx_type_bits_(types, right, 0);
    const int scales = is_mx ? ll_name_matches_(scale, "ue8m0") ||
                                   (by_e4m3 &&
                                    ll_name_matches_(types, "kind::mxf4nvf4"))
                             : !*scale;
    const unsigned lies = ll_ptx_major_error_(types, left, a);
    d.err = d_bits == 99u || a_bits == 99u || b_bits == 99u || !scales
                ? (unsigned)LL_EOPERAND
                : ll_ptx_shape_error_(types, blocks, m, n);
    d.err = d.err  ? d.err
            : lies ? lies
                   : ll_ptx_major_error_(types, right, b);
    d.bits = d_bits << 4 | a_bits << 7 | b_bits << 10 |
             (unsigned)(a.mn_major != 0) << 15 |
             (unsigned)(b.mn_major != 0) << 16 | n >> 3 << 17 |
             (is_mx ? (unsigned)!by_e4m3 << 23 | m >> 7 << 27 : m >> 4 << 24);
    d.bits = d.err ? 0u : d.bits;
    return d;
}

LL_FN ll_ptx_idesc ll_ptx_idesc_scales(ll_ptx_idesc d, unsigned a,
                                       unsigned b) {
    d.err = d.err || (a < 4u && b < 4u) ? d.err : (unsigned)LL_ESIZE;
    d.bits = d.err ? 0u : d.bits | b << 4 | a << 29;
    return d;
}

#endif
