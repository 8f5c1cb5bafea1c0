/* ---- Errors ----------------------------------------------------------- */
#ifndef LL_BASE_ERRORS_H
#define LL_BASE_ERRORS_H

#include "../../ll_amd/errors.h"
#include "../../ll_ptx/errors.h"

/* Errors are part of the value. A function that makes a layout from an invalid
 * one returns the error of its argument, so check once, after a chain of
 * calls. */

/* The errors of layouts and plans: each code with its number and its sentence,
 * for run time and compile time. A number is never given to another error. */
#define LL_CORE_ERRORS(X, n)                                                \
    X(n, LL_ETEXT, 1,                                                       \
      "the text is not a layout: a group, column, name or size "            \
      "was expected")                                                       \
    X(n, LL_ETAIL, 2,                                                       \
      "named sizes after -> have a | between them, the fastest first, "     \
      "as in -> j=16 | i=16")                                               \
    X(n, LL_ENAME, 3,                                                       \
      "a name has at most 10 of a-z A-Z 0-9 _, no digit first")             \
    X(n, LL_ETWICE, 4, "a dimension is named twice on one side")            \
    X(n, LL_EDIMS, 5, "a layout has at most 16 dimensions on each side")    \
    X(n, LL_EBITS, 6, "a layout has at most 32 bits on each side")          \
    X(n, LL_ESIZE, 7, "a size is a power of two, at least 1")               \
    X(n, LL_ESTEP, 8, "a stride is a power of two, at least 1")             \
    X(n, LL_ERANGE, 9,                                                      \
      "a column has a bit outside of its dimension's size")                 \
    X(n, LL_EMISSING, 10,                                                   \
      "a dimension that is asked for is not in the layout")                 \
    X(n, LL_ENOAXIS, 11, "the layout has no axis: it has no output")        \
    X(n, LL_EHARDWARE, 12,                                                  \
      "a layout of registers has no inputs but register, "                  \
      "lane, warp and block")                                               \
    X(n, LL_EMATCH, 13,                                                     \
      "the dimensions of the two layouts, or of a layout and "              \
      "a list of them, must have the same names and fitting sizes")         \
    X(n, LL_EAXIS, 14,                                                      \
      "an axis is i, j, k, .. up to x, and a new one leaves no "            \
      "gap after the last")                                                 \
    X(n, LL_EORDER, 15,                                                     \
      "the dimensions of the two layouts are in "                           \
      "contradictory orders")                                               \
    X(n, LL_ETOTAL, 16,                                                     \
      "the new sizes must hold as many elements as the old")                \
    X(n, LL_EONE, 17, "an axis that is taken away or repeated has size 1")  \
    X(n, LL_EGROUP, 18,                                                     \
      "a group of elements with one scale is a power of two, and no "       \
      "larger than the axis")                                               \
    X(n, LL_ETOP, 19,                                                       \
      "the first elements of an axis are a power of two, and no more than " \
      "the axis has")                                                       \
    X(n, LL_EVECTOR, 20,                                                    \
      "elements to be side by side are a power of two, as many as a "       \
      "lane holds along the axis and other lanes do not")                   \
    X(n, LL_ECAST, 21,                                                      \
      "elements are cast between sizes of 1, 2, 4, .. or 128 bits")         \
    X(n, LL_EWHOLE, 22,                                                     \
      "a cast to wider elements needs all parts of each in neighbouring "   \
      "registers of one lane, or at neighbouring offsets")                  \
    X(n, LL_ESINGULAR, 23, "the matrix is singular, so it has no inverse")  \
    X(n, LL_ENOTONTO, 24,                                                   \
      "the layout does not reach every element, so it has no "              \
      "right inverse")                                                      \
    X(n, LL_ENOSOLUTION, 25,                                                \
      "the first layout does not reach every element that "                 \
      "the second one holds (ll_compare tells which)")                      \
    X(n, LL_ENOTILE, 26, "the layout is not block diagonal on the tile")    \
    X(n, LL_ENOTTRIVIAL, 27,                                                \
      "the layout is not the identity on the dimensions")                   \
    X(n, LL_EPERM, 28,                                                      \
      "a permutation names each bit at most once, and only bits "           \
      "that exist")                                                         \
    X(n, LL_ENOTREGISTER, 29,                                               \
      "the axis to split must be one bit of the "                           \
      "register number, alone")                                             \
    X(n, LL_EELEMENT, 30,                                                   \
      "an element has 8, 16, 32, 64 or 128 bits, or 6, one to a byte; "     \
      "or 4, which conversions and tiles move two to a byte")               \
    X(n, LL_EPAIR, 31,                                                      \
      "elements of 4 bits are two to a byte: what the two of a byte of "    \
      "memory differ in must be a register bit of each side, and of no "    \
      "other column")                                                       \
    X(n, LL_EACCESS, 32,                                                    \
      "an access has 1, 2, 4, 8 or 16 bytes, at least one "                 \
      "element, and contiguous elements in each lane")                      \
    X(n, LL_ECOPY, 33,                                                      \
      "a copy moves 4, 8 or 16 bytes that are side by side both in a row "  \
      "of the tile and in shared memory")                                   \
    X(n, LL_ELANES, 34,                                                     \
      "the lane bits of a layout must be those of the target")              \
    X(n, LL_ETARGET, 35,                                                    \
      "the target is not one that this library knows, or "                  \
      "it does not have that many lanes")                                   \
    X(n, LL_EAXES, 36, "a tile in memory has one or two axes")              \
    X(n, LL_EBLOCK, 37,                                                     \
      "data crosses blocks, which takes a conversion on a target with "     \
      "clusters of that many blocks; elsewhere what a lane needs must lie " \
      "in its own block, in the same place in every block")                 \
    X(n, LL_EMEMORY, 38,                                                    \
      "a memory layout has the input offset alone, and no two "             \
      "offsets hold the same element; a plan of kind LL_NOTHING, "          \
      "LL_REGISTERS or LL_LANES has no memory")                             \
    X(n, LL_ESWIZZLE, 39,                                                   \
      "a swizzle has vec, per_phase and max_phase that are "                \
      "powers of two, vec * max_phase at most the columns")                 \
    X(n, LL_ECUTE, 40,                                                      \
      "Swizzle<b, m, s> has b at most |s| and m + |s| + b at most 32; "     \
      "with s negative it moves bits up, so the size has to be at least "   \
      "2^(m + |s| + b), or at most 2^m")                                    \
    X(n, LL_EKIND, 60,                                                      \
      "data goes further than that kind of conversion or gather "           \
      "brings it (LL_SHUFFLES: within its warp, LL_SHARED: its "            \
      "block); or for LL_COPIES no lane has 4 bytes of a row")              \
    X(n, LL_ENOKIND, 61,                                                    \
      "a kind is LL_NOTHING, LL_REGISTERS, LL_SHUFFLES, LL_SHARED, "        \
      "LL_CLUSTER or LL_ANY; of a conversion LL_COPIES as well")            \
    X(n, LL_ETABLE, 62, "a table has at most 2^16 elements")                \
    X(n, LL_EBUDGET, 63,                                                    \
      "the conversion needs more bytes of shared memory than "              \
      "that: a further pass needs a register that is the same on "          \
      "both sides")                                                         \
    X(n, LL_EARCH, 64,                                                      \
      "the target lacks the instruction that was asked for, or "            \
      "the manual spells it otherwise")                                     \
    X(n, LL_ENOCOPIES, 65,                                                  \
      "the target has no copies from global to shared memory, which "       \
      "LL_COPIES is for: a plan of LL_PLAN takes tiles through registers")  \
    X(n, LL_ENULL, 67, "a text or a list of numbers is a null pointer")     \
    X(n, LL_EHELD, 68,                                                      \
      "the layout must hold every element along the axis of a reduction, "  \
      "scan, sort or gather, but it lacks a bit of the axis")

/* All errors. A vendor's instructions have errors of their own. */
#define LL_ERRORS(X, n)                                                     \
    LL_CORE_ERRORS(X, n)                                                    \
    LL_PTX_ERRORS(X, n)                                                     \
    LL_AMD_ERRORS(X, n)

#define LL_ENUM_(arg, code, number, text) code = number,
enum { LL_OK, LL_ERRORS(LL_ENUM_, err) LL_N_ERRORS_ = 69 };
#undef LL_ENUM_

#endif
