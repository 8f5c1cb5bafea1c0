/* ---- Errors of NVIDIA's instructions ---------------------------------- */
#ifndef LL_PTX_ERRORS_H
#define LL_PTX_ERRORS_H

/* The errors that only functions of ll_ptx.h return. They are in ll.h because
 * ll_strerror returns the sentence of any error. */
#define LL_PTX_ERRORS(X, n)                                                 \
    X(n, LL_EMODE, 41,                                                      \
      "a swizzle mode has swizzle 0, 32, 64 or 128 and atom 16, or "        \
      "swizzle 128 and atom 32 or 64 (an operand of wgmma or "              \
      "tcgen05.mma: 32); flip is 8 with atom 32, or 0")                     \
    X(n, LL_EOPERAND, 43,                                                   \
      "element_bits of a matrix operand is 1, 4, 6, 8, 16, "                \
      "32 or 64, and what the instruction takes")                           \
    X(n, LL_ETWIDDLE, 44,                                                   \
      "numbers of 2 or 4 bits become ones of 8 or 16, which have room for " \
      "them: bits <= room <= to_bits")                                      \
    X(n, LL_EM, 45,                                                         \
      "m is 8 or 16 for mma, and 32, 64 or 128 for tcgen05.mma")            \
    X(n, LL_EN, 46,                                                         \
      "n is 8 for mma, at least 8 for wgmma, and a power of two up to 256 " \
      "for tcgen05.mma, at least 128 / m if the columns are folded")        \
    X(n, LL_EK, 47,                                                         \
      "k is a power of two, and four lanes hold k elements in "             \
      "whole registers: at most 256 bits, 512 in B, or 16 of "              \
      "64 bits; 256 bits for wgmma")                                        \
    X(n, LL_EWARPS, 48,                                                     \
      "warps is a power of two, at least 4 for wgmma, "                     \
      "which has at least 64 rows")                                         \
    X(n, LL_EMATRIX, 49,                                                    \
      "a matrix in shared memory has rows 8, or 16 if "                     \
      "transposed with element_bits 8; element_bits 8 or 16; and "          \
      "n is 1, 2 or 4")                                                     \
    X(n, LL_ETMEM, 50,                                                      \
      "tcgen05.ld has lanes 32 with bits 32, or lanes 16 "                  \
      "with bits 64, 128 or 256; n is a power of two that takes "           \
      "at most 128 registers")                                              \
    X(n, LL_EBOX, 51,                                                       \
      "rows and cols must be powers of two that hold whole "                \
      "atoms of the swizzle")                                               \
    X(n, LL_EATOM, 52,                                                      \
      "the lowest rows and columns do not lie as any "                      \
      "swizzle mode wants them")                                            \
    X(n, LL_EAFFINE, 53,                                                    \
      "shared memory that hardware reads or writes by a descriptor has "    \
      "no affine part")                                                     \
    X(n, LL_ETENSOR, 54,                                                    \
      "no swizzle mode of the tensor copy engine puts the rows and "        \
      "columns of the box where the memory layout has them")                \
    X(n, LL_ESTRIDE, 55,                                                    \
      "the atoms of the swizzle mode must lie at "                          \
      "constant strides that LBO and SBO can hold")                         \
    X(n, LL_EUNPACK, 66,                                                    \
      "no shift and mask unpack a word of this storage: the bits of a "     \
      "number lie side by side, and every (to_bits / bits)-th number "      \
      "to_bits above the one before")

#endif
