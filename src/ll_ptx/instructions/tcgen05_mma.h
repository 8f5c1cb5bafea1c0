/* ---- Instructions: tcgen05.mma ---------------------------------------- */
#ifndef LL_PTX_INSTRUCTIONS_TCGEN05_MMA_H
#define LL_PTX_INSTRUCTIONS_TCGEN05_MMA_H

#include "suffix.h"

#if defined(LL_PTX_DEVICE_) && defined(LL_MATRIX)

/* tcgen05.mma: d = a b + d in tensor memory, of M x N x K as the instruction
 * descriptor says (ll_ptx_idesc_of). a and b are descriptors of shared memory
 * (ll_ptx_desc_tcgen05); the functions with _ta take a from tensor memory, row
 * i in lane i and k packed in words. With keep 0 the product replaces d.
 * ll_ptx_tcgen05_d says where d is. Of kinds mx, sa and sb are the addresses
 * of the scales in tensor memory: that of row (or column) n is in lane n % 32,
 * the same in all four groups of 32 lanes, and column n / 32; the descriptor
 * says in which bytes. block32 and block16 count the elements of a scale. */
#define LL_TCGEN05_MMA_(name, a)                                            \
    "{ .reg .pred p; setp.ne.u32 p, %4, 0; tcgen05.mma." name " [%0], " a   \
    ", %2, %3, p; }"
#define LL_TCGEN05_MX_(name, a)                                             \
    "{ .reg .pred p; setp.ne.u32 p, %6, 0; tcgen05.mma." name " [%0], " a   \
    ", %2, %3, [%4], [%5], p; }"
#define LL_TCGEN05_PRODUCT_(name, at, in)                                   \
    LL_SFX_(LL_TCGEN05_MMA_(name, at), (),                                  \
            (LL_I32_(d), in(a), LL_I64_(b), LL_I32_(idesc), LL_I32_(keep)))
#define LL_TCGEN05_SCALED_(name, at, in)                                    \
    LL_SFX_(LL_TCGEN05_MX_(name, at), (),                                   \
            (LL_I32_(d), in(a), LL_I64_(b), LL_I32_(idesc), LL_I32_(sa),    \
             LL_I32_(sb), LL_I32_(keep)))

LL_DEVICE void ll_ptx_tcgen05_mma_f16(unsigned d, unsigned long long a,
                                      unsigned long long b, unsigned idesc,
                                      unsigned keep) {
    LL_TCGEN05_PRODUCT_("cta_group::1.kind::f16", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_f16_cta2(unsigned d, unsigned long long a,
                                           unsigned long long b, unsigned idesc,
                                           unsigned keep) {
    LL_TCGEN05_PRODUCT_("cta_group::2.kind::f16", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_f16_ta(unsigned d, unsigned a,
                                         unsigned long long b, unsigned idesc,
                                         unsigned keep) {
    LL_TCGEN05_PRODUCT_("cta_group::1.kind::f16", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_f16_ta_cta2(unsigned d, unsigned a,
                                              unsigned long long b,
                                              unsigned idesc, unsigned keep) {
    LL_TCGEN05_PRODUCT_("cta_group::2.kind::f16", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_tf32(unsigned d, unsigned long long a,
                                       unsigned long long b, unsigned idesc,
                                       unsigned keep) {
    LL_TCGEN05_PRODUCT_("cta_group::1.kind::tf32", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_tf32_cta2(unsigned d, unsigned long long a,
                                            unsigned long long b,
                                            unsigned idesc, unsigned keep) {
    LL_TCGEN05_PRODUCT_("cta_group::2.kind::tf32", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_tf32_ta(unsigned d, unsigned a,
                                          unsigned long long b, unsigned idesc,
                                          unsigned keep) {
    LL_TCGEN05_PRODUCT_("cta_group::1.kind::tf32", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_tf32_ta_cta2(unsigned d, unsigned a,
                                               unsigned long long b,
                                               unsigned idesc, unsigned keep) {
    LL_TCGEN05_PRODUCT_("cta_group::2.kind::tf32", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_f8f6f4(unsigned d, unsigned long long a,
                                         unsigned long long b, unsigned idesc,
                                         unsigned keep) {
    LL_TCGEN05_PRODUCT_("cta_group::1.kind::f8f6f4", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_f8f6f4_cta2(unsigned d, unsigned long long a,
                                              unsigned long long b,
                                              unsigned idesc, unsigned keep) {
    LL_TCGEN05_PRODUCT_("cta_group::2.kind::f8f6f4", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_f8f6f4_ta(unsigned d, unsigned a,
                                            unsigned long long b,
                                            unsigned idesc, unsigned keep) {
    LL_TCGEN05_PRODUCT_("cta_group::1.kind::f8f6f4", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_f8f6f4_ta_cta2(unsigned d, unsigned a,
                                                 unsigned long long b,
                                                 unsigned idesc,
                                                 unsigned keep) {
    LL_TCGEN05_PRODUCT_("cta_group::2.kind::f8f6f4", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_i8(unsigned d, unsigned long long a,
                                     unsigned long long b, unsigned idesc,
                                     unsigned keep) {
    LL_TCGEN05_PRODUCT_("cta_group::1.kind::i8", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_i8_cta2(unsigned d, unsigned long long a,
                                          unsigned long long b, unsigned idesc,
                                          unsigned keep) {
    LL_TCGEN05_PRODUCT_("cta_group::2.kind::i8", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_i8_ta(unsigned d, unsigned a,
                                        unsigned long long b, unsigned idesc,
                                        unsigned keep) {
    LL_TCGEN05_PRODUCT_("cta_group::1.kind::i8", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_i8_ta_cta2(unsigned d, unsigned a,
                                             unsigned long long b,
                                             unsigned idesc, unsigned keep) {
    LL_TCGEN05_PRODUCT_("cta_group::2.kind::i8", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_mxf8f6f4(unsigned d, unsigned long long a,
                                           unsigned long long b, unsigned idesc,
                                           unsigned sa, unsigned sb,
                                           unsigned keep) {
    LL_TCGEN05_SCALED_("cta_group::1.kind::mxf8f6f4.block_scale.block32",
                       "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_mxf8f6f4_cta2(unsigned d,
                                                unsigned long long a,
                                                unsigned long long b,
                                                unsigned idesc, unsigned sa,
                                                unsigned sb, unsigned keep) {
    LL_TCGEN05_SCALED_("cta_group::2.kind::mxf8f6f4.block_scale.block32",
                       "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_mxf8f6f4_ta(unsigned d, unsigned a,
                                              unsigned long long b,
                                              unsigned idesc, unsigned sa,
                                              unsigned sb, unsigned keep) {
    LL_TCGEN05_SCALED_("cta_group::1.kind::mxf8f6f4.block_scale.block32",
                       "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_mxf8f6f4_ta_cta2(unsigned d, unsigned a,
                                                   unsigned long long b,
                                                   unsigned idesc, unsigned sa,
                                                   unsigned sb, unsigned keep) {
    LL_TCGEN05_SCALED_("cta_group::2.kind::mxf8f6f4.block_scale.block32",
                       "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_mxf4(unsigned d, unsigned long long a,
                                       unsigned long long b, unsigned idesc,
                                       unsigned sa, unsigned sb,
                                       unsigned keep) {
    LL_TCGEN05_SCALED_("cta_group::1.kind::mxf4.block_scale.block32",
                       "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_mxf4_cta2(unsigned d, unsigned long long a,
                                            unsigned long long b,
                                            unsigned idesc, unsigned sa,
                                            unsigned sb, unsigned keep) {
    LL_TCGEN05_SCALED_("cta_group::2.kind::mxf4.block_scale.block32",
                       "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_mxf4_ta(unsigned d, unsigned a,
                                          unsigned long long b, unsigned idesc,
                                          unsigned sa, unsigned sb,
                                          unsigned keep) {
    LL_TCGEN05_SCALED_("cta_group::1.kind::mxf4.block_scale.block32",
                       "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_mxf4_ta_cta2(unsigned d, unsigned a,
                                               unsigned long long b,
                                               unsigned idesc, unsigned sa,
                                               unsigned sb, unsigned keep) {
    LL_TCGEN05_SCALED_("cta_group::2.kind::mxf4.block_scale.block32",
                       "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_mxf4nvf4_block32(unsigned d,
                                                   unsigned long long a,
                                                   unsigned long long b,
                                                   unsigned idesc, unsigned sa,
                                                   unsigned sb, unsigned keep) {
    LL_TCGEN05_SCALED_("cta_group::1.kind::mxf4nvf4.block_scale.block32",
                       "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_mxf4nvf4_block32_cta2(unsigned d,
                                                        unsigned long long a,
                                                        unsigned long long b,
                                                        unsigned idesc,
                                                        unsigned sa,
                                                        unsigned sb,
                                                        unsigned keep) {
    LL_TCGEN05_SCALED_("cta_group::2.kind::mxf4nvf4.block_scale.block32",
                       "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_mxf4nvf4_block32_ta(unsigned d, unsigned a,
                                                      unsigned long long b,
                                                      unsigned idesc,
                                                      unsigned sa, unsigned sb,
                                                      unsigned keep) {
    LL_TCGEN05_SCALED_("cta_group::1.kind::mxf4nvf4.block_scale.block32",
                       "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_mxf4nvf4_block32_ta_cta2(unsigned d,
                                                           unsigned a,
                                                           unsigned long long b,
                                                           unsigned idesc,
                                                           unsigned sa,
                                                           unsigned sb,
                                                           unsigned keep) {
    LL_TCGEN05_SCALED_("cta_group::2.kind::mxf4nvf4.block_scale.block32",
                       "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_mxf4nvf4_block16(unsigned d,
                                                   unsigned long long a,
                                                   unsigned long long b,
                                                   unsigned idesc, unsigned sa,
                                                   unsigned sb, unsigned keep) {
    LL_TCGEN05_SCALED_("cta_group::1.kind::mxf4nvf4.block_scale.block16",
                       "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_mxf4nvf4_block16_cta2(unsigned d,
                                                        unsigned long long a,
                                                        unsigned long long b,
                                                        unsigned idesc,
                                                        unsigned sa,
                                                        unsigned sb,
                                                        unsigned keep) {
    LL_TCGEN05_SCALED_("cta_group::2.kind::mxf4nvf4.block_scale.block16",
                       "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_mxf4nvf4_block16_ta(unsigned d, unsigned a,
                                                      unsigned long long b,
                                                      unsigned idesc,
                                                      unsigned sa, unsigned sb,
                                                      unsigned keep) {
    LL_TCGEN05_SCALED_("cta_group::1.kind::mxf4nvf4.block_scale.block16",
                       "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_mxf4nvf4_block16_ta_cta2(unsigned d,
                                                           unsigned a,
                                                           unsigned long long b,
                                                           unsigned idesc,
                                                           unsigned sa,
                                                           unsigned sb,
                                                           unsigned keep) {
    LL_TCGEN05_SCALED_("cta_group::2.kind::mxf4nvf4.block_scale.block16",
                       "[%1]", LL_I32_);
}

/* tcgen05.mma.sp: the same with a sparse a, of which two elements of four are
 * stored (of mxf4 and mxf4nvf4 two pairs of four pairs, of tf32 one of two); b
 * has twice as much of k. meta is the address in tensor memory of the positions
 * of the stored elements; the instruction descriptor has the selector in its
 * first two bits and 1 in its third. tcgen05.mma.ws: of one block and of 32, 64
 * or 128 rows, where a stays in the tensor cores while b changes; ws_sp is
 * both. (PTX, "tcgen05.mma.sp", "tcgen05.mma.ws".) */
#define LL_TCGEN05_SP_(name, a)                                             \
    "{ .reg .pred p; setp.ne.u32 p, %5, 0; tcgen05.mma." name " [%0], " a   \
    ", %2, [%3], %4, p; }"
#define LL_TCGEN05_SP_MX_(name, a)                                          \
    "{ .reg .pred p; setp.ne.u32 p, %7, 0; tcgen05.mma." name " [%0], " a   \
    ", %2, [%3], %4, [%5], [%6], p; }"
#define LL_TCGEN05_SPARSE_(name, at, in)                                    \
    LL_SFX_(LL_TCGEN05_SP_(name, at), (),                                   \
            (LL_I32_(d), in(a), LL_I64_(b), LL_I32_(meta), LL_I32_(idesc),  \
             LL_I32_(keep)))
#define LL_TCGEN05_SP_SCALED_(name, at, in)                                 \
    LL_SFX_(LL_TCGEN05_SP_MX_(name, at), (),                                \
            (LL_I32_(d), in(a), LL_I64_(b), LL_I32_(meta), LL_I32_(idesc),  \
             LL_I32_(sa), LL_I32_(sb), LL_I32_(keep)))

LL_DEVICE void ll_ptx_tcgen05_mma_sp_f16(unsigned d, unsigned long long a,
                                         unsigned long long b, unsigned meta,
                                         unsigned idesc, unsigned keep) {
    LL_TCGEN05_SPARSE_("sp.cta_group::1.kind::f16", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_f16_cta2(unsigned d, unsigned long long a,
                                              unsigned long long b,
                                              unsigned meta, unsigned idesc,
                                              unsigned keep) {
    LL_TCGEN05_SPARSE_("sp.cta_group::2.kind::f16", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_f16_ta(unsigned d, unsigned a,
                                            unsigned long long b, unsigned meta,
                                            unsigned idesc, unsigned keep) {
    LL_TCGEN05_SPARSE_("sp.cta_group::1.kind::f16", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_f16_ta_cta2(unsigned d, unsigned a,
                                                 unsigned long long b,
                                                 unsigned meta, unsigned idesc,
                                                 unsigned keep) {
    LL_TCGEN05_SPARSE_("sp.cta_group::2.kind::f16", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_tf32(unsigned d, unsigned long long a,
                                          unsigned long long b, unsigned meta,
                                          unsigned idesc, unsigned keep) {
    LL_TCGEN05_SPARSE_("sp.cta_group::1.kind::tf32", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_tf32_cta2(unsigned d, unsigned long long a,
                                               unsigned long long b,
                                               unsigned meta, unsigned idesc,
                                               unsigned keep) {
    LL_TCGEN05_SPARSE_("sp.cta_group::2.kind::tf32", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_tf32_ta(unsigned d, unsigned a,
                                             unsigned long long b,
                                             unsigned meta, unsigned idesc,
                                             unsigned keep) {
    LL_TCGEN05_SPARSE_("sp.cta_group::1.kind::tf32", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_tf32_ta_cta2(unsigned d, unsigned a,
                                                  unsigned long long b,
                                                  unsigned meta, unsigned idesc,
                                                  unsigned keep) {
    LL_TCGEN05_SPARSE_("sp.cta_group::2.kind::tf32", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_f8f6f4(unsigned d, unsigned long long a,
                                            unsigned long long b, unsigned meta,
                                            unsigned idesc, unsigned keep) {
    LL_TCGEN05_SPARSE_("sp.cta_group::1.kind::f8f6f4", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_f8f6f4_cta2(unsigned d,
                                                 unsigned long long a,
                                                 unsigned long long b,
                                                 unsigned meta, unsigned idesc,
                                                 unsigned keep) {
    LL_TCGEN05_SPARSE_("sp.cta_group::2.kind::f8f6f4", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_f8f6f4_ta(unsigned d, unsigned a,
                                               unsigned long long b,
                                               unsigned meta, unsigned idesc,
                                               unsigned keep) {
    LL_TCGEN05_SPARSE_("sp.cta_group::1.kind::f8f6f4", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_f8f6f4_ta_cta2(unsigned d, unsigned a,
                                                    unsigned long long b,
                                                    unsigned meta,
                                                    unsigned idesc,
                                                    unsigned keep) {
    LL_TCGEN05_SPARSE_("sp.cta_group::2.kind::f8f6f4", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_i8(unsigned d, unsigned long long a,
                                        unsigned long long b, unsigned meta,
                                        unsigned idesc, unsigned keep) {
    LL_TCGEN05_SPARSE_("sp.cta_group::1.kind::i8", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_i8_cta2(unsigned d, unsigned long long a,
                                             unsigned long long b,
                                             unsigned meta, unsigned idesc,
                                             unsigned keep) {
    LL_TCGEN05_SPARSE_("sp.cta_group::2.kind::i8", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_i8_ta(unsigned d, unsigned a,
                                           unsigned long long b, unsigned meta,
                                           unsigned idesc, unsigned keep) {
    LL_TCGEN05_SPARSE_("sp.cta_group::1.kind::i8", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_i8_ta_cta2(unsigned d, unsigned a,
                                                unsigned long long b,
                                                unsigned meta, unsigned idesc,
                                                unsigned keep) {
    LL_TCGEN05_SPARSE_("sp.cta_group::2.kind::i8", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_mxf8f6f4(unsigned d, unsigned long long a,
                                              unsigned long long b,
                                              unsigned meta, unsigned idesc,
                                              unsigned sa, unsigned sb,
                                              unsigned keep) {
    LL_TCGEN05_SP_SCALED_("sp.cta_group::1.kind::mxf8f6f4.block_scale.block32",
                          "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_mxf8f6f4_cta2(
    unsigned d, unsigned long long a, unsigned long long b, unsigned meta,
    unsigned idesc, unsigned sa, unsigned sb, unsigned keep) {
    LL_TCGEN05_SP_SCALED_("sp.cta_group::2.kind::mxf8f6f4.block_scale.block32",
                          "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_mxf8f6f4_ta(unsigned d, unsigned a,
                                                 unsigned long long b,
                                                 unsigned meta, unsigned idesc,
                                                 unsigned sa, unsigned sb,
                                                 unsigned keep) {
    LL_TCGEN05_SP_SCALED_("sp.cta_group::1.kind::mxf8f6f4.block_scale.block32",
                          "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_mxf8f6f4_ta_cta2(
    unsigned d, unsigned a, unsigned long long b, unsigned meta, unsigned idesc,
    unsigned sa, unsigned sb, unsigned keep) {
    LL_TCGEN05_SP_SCALED_("sp.cta_group::2.kind::mxf8f6f4.block_scale.block32",
                          "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_mxf4(unsigned d, unsigned long long a,
                                          unsigned long long b, unsigned meta,
                                          unsigned idesc, unsigned sa,
                                          unsigned sb, unsigned keep) {
    LL_TCGEN05_SP_SCALED_("sp.cta_group::1.kind::mxf4.block_scale.block32",
                          "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_mxf4_cta2(unsigned d, unsigned long long a,
                                               unsigned long long b,
                                               unsigned meta, unsigned idesc,
                                               unsigned sa, unsigned sb,
                                               unsigned keep) {
    LL_TCGEN05_SP_SCALED_("sp.cta_group::2.kind::mxf4.block_scale.block32",
                          "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_mxf4_ta(unsigned d, unsigned a,
                                             unsigned long long b,
                                             unsigned meta, unsigned idesc,
                                             unsigned sa, unsigned sb,
                                             unsigned keep) {
    LL_TCGEN05_SP_SCALED_("sp.cta_group::1.kind::mxf4.block_scale.block32",
                          "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_mxf4_ta_cta2(unsigned d, unsigned a,
                                                  unsigned long long b,
                                                  unsigned meta, unsigned idesc,
                                                  unsigned sa, unsigned sb,
                                                  unsigned keep) {
    LL_TCGEN05_SP_SCALED_("sp.cta_group::2.kind::mxf4.block_scale.block32",
                          "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_mxf4nvf4_block32(
    unsigned d, unsigned long long a, unsigned long long b, unsigned meta,
    unsigned idesc, unsigned sa, unsigned sb, unsigned keep) {
    LL_TCGEN05_SP_SCALED_("sp.cta_group::1.kind::mxf4nvf4.block_scale.block32",
                          "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_mxf4nvf4_block32_cta2(
    unsigned d, unsigned long long a, unsigned long long b, unsigned meta,
    unsigned idesc, unsigned sa, unsigned sb, unsigned keep) {
    LL_TCGEN05_SP_SCALED_("sp.cta_group::2.kind::mxf4nvf4.block_scale.block32",
                          "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_mxf4nvf4_block32_ta(
    unsigned d, unsigned a, unsigned long long b, unsigned meta, unsigned idesc,
    unsigned sa, unsigned sb, unsigned keep) {
    LL_TCGEN05_SP_SCALED_("sp.cta_group::1.kind::mxf4nvf4.block_scale.block32",
                          "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_mxf4nvf4_block32_ta_cta2(
    unsigned d, unsigned a, unsigned long long b, unsigned meta, unsigned idesc,
    unsigned sa, unsigned sb, unsigned keep) {
    LL_TCGEN05_SP_SCALED_("sp.cta_group::2.kind::mxf4nvf4.block_scale.block32",
                          "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_mxf4nvf4_block16(
    unsigned d, unsigned long long a, unsigned long long b, unsigned meta,
    unsigned idesc, unsigned sa, unsigned sb, unsigned keep) {
    LL_TCGEN05_SP_SCALED_("sp.cta_group::1.kind::mxf4nvf4.block_scale.block16",
                          "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_mxf4nvf4_block16_cta2(
    unsigned d, unsigned long long a, unsigned long long b, unsigned meta,
    unsigned idesc, unsigned sa, unsigned sb, unsigned keep) {
    LL_TCGEN05_SP_SCALED_("sp.cta_group::2.kind::mxf4nvf4.block_scale.block16",
                          "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_mxf4nvf4_block16_ta(
    unsigned d, unsigned a, unsigned long long b, unsigned meta, unsigned idesc,
    unsigned sa, unsigned sb, unsigned keep) {
    LL_TCGEN05_SP_SCALED_("sp.cta_group::1.kind::mxf4nvf4.block_scale.block16",
                          "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_sp_mxf4nvf4_block16_ta_cta2(
    unsigned d, unsigned a, unsigned long long b, unsigned meta, unsigned idesc,
    unsigned sa, unsigned sb, unsigned keep) {
    LL_TCGEN05_SP_SCALED_("sp.cta_group::2.kind::mxf4nvf4.block_scale.block16",
                          "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_ws_f16(unsigned d, unsigned long long a,
                                         unsigned long long b, unsigned idesc,
                                         unsigned keep) {
    LL_TCGEN05_PRODUCT_("ws.cta_group::1.kind::f16", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_ws_f16_ta(unsigned d, unsigned a,
                                            unsigned long long b,
                                            unsigned idesc, unsigned keep) {
    LL_TCGEN05_PRODUCT_("ws.cta_group::1.kind::f16", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_ws_tf32(unsigned d, unsigned long long a,
                                          unsigned long long b, unsigned idesc,
                                          unsigned keep) {
    LL_TCGEN05_PRODUCT_("ws.cta_group::1.kind::tf32", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_ws_tf32_ta(unsigned d, unsigned a,
                                             unsigned long long b,
                                             unsigned idesc, unsigned keep) {
    LL_TCGEN05_PRODUCT_("ws.cta_group::1.kind::tf32", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_ws_f8f6f4(unsigned d, unsigned long long a,
                                            unsigned long long b,
                                            unsigned idesc, unsigned keep) {
    LL_TCGEN05_PRODUCT_("ws.cta_group::1.kind::f8f6f4", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_ws_f8f6f4_ta(unsigned d, unsigned a,
                                               unsigned long long b,
                                               unsigned idesc, unsigned keep) {
    LL_TCGEN05_PRODUCT_("ws.cta_group::1.kind::f8f6f4", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_ws_i8(unsigned d, unsigned long long a,
                                        unsigned long long b, unsigned idesc,
                                        unsigned keep) {
    LL_TCGEN05_PRODUCT_("ws.cta_group::1.kind::i8", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_ws_i8_ta(unsigned d, unsigned a,
                                           unsigned long long b, unsigned idesc,
                                           unsigned keep) {
    LL_TCGEN05_PRODUCT_("ws.cta_group::1.kind::i8", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_ws_sp_f16(unsigned d, unsigned long long a,
                                            unsigned long long b, unsigned meta,
                                            unsigned idesc, unsigned keep) {
    LL_TCGEN05_SPARSE_("ws.sp.cta_group::1.kind::f16", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_ws_sp_f16_ta(unsigned d, unsigned a,
                                               unsigned long long b,
                                               unsigned meta, unsigned idesc,
                                               unsigned keep) {
    LL_TCGEN05_SPARSE_("ws.sp.cta_group::1.kind::f16", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_ws_sp_tf32(unsigned d, unsigned long long a,
                                             unsigned long long b,
                                             unsigned meta, unsigned idesc,
                                             unsigned keep) {
    LL_TCGEN05_SPARSE_("ws.sp.cta_group::1.kind::tf32", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_ws_sp_tf32_ta(unsigned d, unsigned a,
                                                unsigned long long b,
                                                unsigned meta, unsigned idesc,
                                                unsigned keep) {
    LL_TCGEN05_SPARSE_("ws.sp.cta_group::1.kind::tf32", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_ws_sp_f8f6f4(unsigned d, unsigned long long a,
                                               unsigned long long b,
                                               unsigned meta, unsigned idesc,
                                               unsigned keep) {
    LL_TCGEN05_SPARSE_("ws.sp.cta_group::1.kind::f8f6f4", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_ws_sp_f8f6f4_ta(unsigned d, unsigned a,
                                                  unsigned long long b,
                                                  unsigned meta, unsigned idesc,
                                                  unsigned keep) {
    LL_TCGEN05_SPARSE_("ws.sp.cta_group::1.kind::f8f6f4", "[%1]", LL_I32_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_ws_sp_i8(unsigned d, unsigned long long a,
                                           unsigned long long b, unsigned meta,
                                           unsigned idesc, unsigned keep) {
    LL_TCGEN05_SPARSE_("ws.sp.cta_group::1.kind::i8", "%1", LL_I64_);
}

LL_DEVICE void ll_ptx_tcgen05_mma_ws_sp_i8_ta(unsigned d, unsigned a,
                                              unsigned long long b,
                                              unsigned meta, unsigned idesc,
                                              unsigned keep) {
    LL_TCGEN05_SPARSE_("ws.sp.cta_group::1.kind::i8", "[%1]", LL_I32_);
}

#endif

#endif
