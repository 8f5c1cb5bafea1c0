/* ---- Errors ----------------------------------------------------------- */
#ifndef LL_BASE_ERRORS_H
#define LL_BASE_ERRORS_H

/* Errors are part of the value. A function that makes a layout from an invalid
 * one returns the error of its argument, so a chain of calls is checked once,
 * at its end. */

/* All errors: each code with its sentence, for run time and compile time. */
#define LL_ERRORS(X, n)                                                     \
    X(n, LL_ETEXT,                                                          \
      "the text is not a layout: a group, column, name or size "            \
      "was expected")                                                       \
    X(n, LL_ETAIL,                                                          \
      "named sizes after -> have a | between them, the fastest first, "     \
      "as in -> j=16 | i=16")                                               \
    X(n, LL_ENAME, "a name has at most 10 of a-z A-Z 0-9 _, no digit first") \
    X(n, LL_ETWICE, "a dimension is named twice on one side")               \
    X(n, LL_EDIMS, "a layout has at most 16 dimensions on each side")       \
    X(n, LL_EBITS, "a layout has at most 32 bits on each side")             \
    X(n, LL_ESIZE, "a size is a power of two, at least 1")                  \
    X(n, LL_ESTEP, "a stride is a power of two, at least 1")                \
    X(n, LL_ERANGE, "a column has a bit outside of its dimension's size")   \
    X(n, LL_EMISSING, "a dimension that is asked for is not in the layout") \
    X(n, LL_ENOAXIS, "the layout has no axis: it has no output")            \
    X(n, LL_EHARDWARE,                                                      \
      "a layout of registers has no inputs but register, "                  \
      "lane, warp and block")                                               \
    X(n, LL_EMATCH,                                                         \
      "the dimensions of the two layouts, or of a layout and "              \
      "a list of them, must have the same names and fitting sizes")         \
    X(n, LL_EAXIS,                                                          \
      "an axis is i, j, k, .. up to x, and a new one leaves no "            \
      "gap after the last")                                                 \
    X(n, LL_EORDER,                                                         \
      "the dimensions of the two layouts are in "                           \
      "contradictory orders")                                               \
    X(n, LL_ETOTAL, "the new sizes must hold as many elements as the old")  \
    X(n, LL_EONE,                                                           \
      "an axis that is taken away or repeated has size 1")                  \
    X(n, LL_EGROUP,                                                         \
      "a group of elements with one scale is a power of two, and no "       \
      "larger than the axis")                                               \
    X(n, LL_ETOP,                                                           \
      "the first elements of an axis are a power of two, and no more than " \
      "the axis has")                                                       \
    X(n, LL_EVECTOR,                                                        \
      "elements to be side by side are a power of two, as many as a "       \
      "lane holds along the axis and other lanes do not")                   \
    X(n, LL_ECAST,                                                          \
      "elements are cast between sizes of 1, 2, 4, .. or 128 bits")         \
    X(n, LL_EWHOLE,                                                         \
      "a cast to wider elements needs all parts of each in neighbouring "   \
      "registers of one lane, or at neighbouring offsets")                  \
    X(n, LL_ESINGULAR, "the matrix is singular, so it has no inverse")      \
    X(n, LL_ENOTONTO,                                                       \
      "the layout does not reach every element, so it has no "              \
      "right inverse")                                                      \
    X(n, LL_ENOSOLUTION,                                                    \
      "the first layout does not reach every element that "                 \
      "the second one holds (ll_compare tells which)")                      \
    X(n, LL_ENOTILE, "the layout is not block diagonal on the tile")        \
    X(n, LL_ENOTTRIVIAL, "the layout is not the identity on the dimensions") \
    X(n, LL_EPERM,                                                          \
      "a permutation names each bit at most once, and only bits "           \
      "that exist")                                                         \
    X(n, LL_ENOTREGISTER,                                                   \
      "the axis to split must be one bit of the "                           \
      "register number, alone")                                             \
    X(n, LL_EELEMENT,                                                       \
      "an element has 8, 16, 32, 64 or 128 bits, or 6, one to a byte; "     \
      "or 4, which conversions and tiles move two to a byte")               \
    X(n, LL_EPAIR,                                                          \
      "elements of 4 bits are two to a byte: what the two of a byte of "    \
      "memory differ in must be a register bit of each side, and of no "    \
      "other column")                                                       \
    X(n, LL_EACCESS,                                                        \
      "an access has 1, 2, 4, 8 or 16 bytes, at least one "                 \
      "element, and contiguous elements in each lane")                      \
    X(n, LL_ECOPY,                                                          \
      "a copy moves 4, 8 or 16 bytes that are side by side both in a row "  \
      "of the tile and in shared memory")                                   \
    X(n, LL_ELANES, "the lane bits of a layout must be those of the target") \
    X(n, LL_ETARGET,                                                        \
      "the target is not one that this library knows, or "                  \
      "it does not have that many lanes")                                   \
    X(n, LL_EAXES, "a tile in memory has one or two axes")                  \
    X(n, LL_EBLOCK,                                                         \
      "data crosses blocks, which takes a conversion on a target with "     \
      "clusters of that many blocks; elsewhere what a lane needs must lie " \
      "in its own block, in the same place in every block")                 \
    X(n, LL_EMEMORY,                                                        \
      "a memory layout has the input offset alone, and no two "             \
      "offsets hold the same element; a plan of kind LL_NOTHING, "          \
      "LL_REGISTERS or LL_LANES has no memory")                             \
    X(n, LL_ESWIZZLE,                                                       \
      "a swizzle has vec, per_phase and max_phase that are "                \
      "powers of two, vec * max_phase at most the columns")                 \
    X(n, LL_ECUTE,                                                          \
      "Swizzle<b, m, s> has b at most |s| and m + |s| + b at most 32; "     \
      "with s negative it moves bits up, so the size has to be at least "   \
      "2^(m + |s| + b), or at most 2^m")                                    \
    X(n, LL_EMODE,                                                          \
      "a swizzle mode has swizzle 0, 32, 64 or 128 and atom 16, or "        \
      "swizzle 128 and atom 32 or 64 (an operand of wgmma or "              \
      "tcgen05.mma: 32); flip is 8 with atom 32, or 0")                     \
    X(n, LL_EDPAS,                                                          \
      "a DPAS has sizes that are powers of two, 1, 2 or 4 "                 \
      "ops a channel, and lanes that fill whole rows of the "               \
      "operand, no more than it has")                                       \
    X(n, LL_EOPERAND,                                                       \
      "element_bits of a matrix operand is 1, 4, 6, 8, 16, "                \
      "32 or 64, and what the instruction takes")                           \
    X(n, LL_ETWIDDLE,                                                       \
      "numbers of 2 or 4 bits become ones of 8 or 16, which have room for " \
      "them: bits <= room <= to_bits")                                      \
    X(n, LL_EM, "m is 8 or 16 for mma, and 32, 64 or 128 for tcgen05.mma")  \
    X(n, LL_EN,                                                             \
      "n is 8 for mma, at least 8 for wgmma, and a power of two up to 256 " \
      "for tcgen05.mma, at least 128 / m if the columns are folded")        \
    X(n, LL_EK,                                                             \
      "k is a power of two, and four lanes hold k elements in "             \
      "whole registers: at most 256 bits, 512 in B, or 16 of "              \
      "64 bits; 256 bits for wgmma")                                        \
    X(n, LL_EWARPS,                                                         \
      "warps is a power of two, at least 4 for wgmma, "                     \
      "which has at least 64 rows")                                         \
    X(n, LL_EMATRIX,                                                        \
      "a matrix in shared memory has rows 8, or 16 if "                     \
      "transposed with element_bits 8; element_bits 8 or 16; and "          \
      "n is 1, 2 or 4")                                                     \
    X(n, LL_ETMEM,                                                          \
      "tcgen05.ld has lanes 32 with bits 32, or lanes 16 "                  \
      "with bits 64, 128 or 256; n is a power of two that takes "           \
      "at most 128 registers")                                              \
    X(n, LL_EBOX,                                                           \
      "rows and cols must be powers of two that hold whole "                \
      "atoms of the swizzle")                                               \
    X(n, LL_EATOM,                                                          \
      "the lowest rows and columns do not lie as any "                      \
      "swizzle mode wants them")                                            \
    X(n, LL_EAFFINE,                                                        \
      "shared memory that hardware reads or writes by a descriptor has "    \
      "no affine part")                                                     \
    X(n, LL_ETENSOR,                                                        \
      "no swizzle mode of the tensor copy engine puts the rows and "        \
      "columns of the box where the memory layout has them")                \
    X(n, LL_ESTRIDE,                                                        \
      "the atoms of the swizzle mode must lie at "                          \
      "constant strides that LBO and SBO can hold")                         \
    X(n, LL_EMFMA,                                                          \
      "an MFMA has m = n of 4, 16 or 32, one block or as many "             \
      "as fill the lanes, bits of 4 to 64 (SMFMAC 8, 16), and a "           \
      "k that an instruction has with them")                                \
    X(n, LL_EWMMA,                                                          \
      "a WMMA has gfx 0x1100 to 0x1103, 0x1150 to 0x1153, "                 \
      "0x1200 or 0x1201 (SWMMAC the last two), 32 or 64 lanes, "            \
      "bits of 4, 8, 16 (C: 16, 32), and a k that an "                      \
      "instruction has with them")                                          \
    X(n, LL_EMODIFIER,                                                      \
      "cbsz is at most log2 of the blocks, abid below "                     \
      "2^cbsz, blgp at most 7, an index set within 32 "                     \
      "bits, high 0 or 1")                                                  \
    X(n, LL_ETRANSPOSE, "no transposing load has elements of so many bits") \
    X(n, LL_EKIND,                                                          \
      "data goes further than that kind of conversion or gather "           \
      "brings it (LL_SHUFFLES: within its warp, LL_SHARED: its "            \
      "block); or for LL_COPIES no lane has 4 bytes of a row")              \
    X(n, LL_ENOKIND,                                                        \
      "a kind is LL_NOTHING, LL_REGISTERS, LL_SHUFFLES, LL_SHARED, "        \
      "LL_CLUSTER or LL_ANY; of a conversion LL_COPIES as well")            \
    X(n, LL_ETABLE, "a table has at most 2^16 elements")                    \
    X(n, LL_EBUDGET,                                                        \
      "the conversion needs more bytes of shared memory than "              \
      "that: a further pass needs a register that is the same on "          \
      "both sides")                                                         \
    X(n, LL_EARCH,                                                          \
      "the target lacks the instruction that was asked for, or "            \
      "the manual spells it otherwise")                                     \
    X(n, LL_ENOCOPIES,                                                      \
      "the target has no copies from global to shared memory, which "       \
      "LL_COPIES is for: a plan of LL_PLAN takes tiles through registers")  \
    X(n, LL_EUNPACK,                                                        \
      "no shift and mask unpack a word of this storage: the bits of a "     \
      "number lie side by side, and every (to_bits / bits)-th number "      \
      "to_bits above the one before")

#define LL_ENUM_(arg, code, text) code,
enum { LL_OK, LL_ERRORS(LL_ENUM_, err) LL_N_ERRORS_ };
#undef LL_ENUM_

#endif
